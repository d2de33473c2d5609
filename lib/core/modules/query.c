// SPDX-License-Identifier: BSD-3-Clause
/* Which backends there are, their state and the reason for it. L2. */
#include "core/process/config.h"
#include "core/modules/registry_internal.h"
#include <heddle/backend.h>
#include <stdio.h>
#include <string.h>

int hed_backend_list(const char **names, int cap)
{
  int n = 0;
  hed__registry_know_all();
  hed__registry_lock();
  for (hed__backend *b; (b = hed__registry_at(n)); n++)
    if (n < cap && names)
      names[n] = b->name;
  hed__registry_unlock();
  return n;
}

hed__backend *hed__backend_named(const char *name)
{
  if (name)
    return hed__backend_find(name, strlen(name));
  hed_fail(HED_E_INVAL, "backend: name is NULL");
  return NULL;
}

/* Under the lock: the first device that failed, -1 when none has. */
static int failed_device(const hed__backend *b)
{
  for (int k = 0; k < b->devices; k++)
    if (b->device_once[k].state == HED_BACKEND_FAILED)
      return k;
  return -1;
}

/* Under the lock: a backend whose devices all failed to come up is not ready either. */
static int state_of(const hed__backend *b)
{
  int failed = 0;
  for (int k = 0; k < b->devices; k++)
    failed += b->device_once[k].state == HED_BACKEND_FAILED;
  return failed > 0 && failed == b->devices && b->once.state == HED_BACKEND_READY ? HED_BACKEND_FAILED : b->once.state;
}

/* Under the lock: why B is in STATE. */
static void tell_reason(const hed__backend *b, int state, char *to, size_t cap)
{
  const int failed = state == HED_BACKEND_READY ? failed_device(b) : -1;
  const hed__report *r = failed < 0 ? NULL : b->device_report[failed];
  if (state == HED_BACKEND_DISABLED)
    snprintf(to, cap, "disabled by %s", hed__config_source(HED__SET_DISABLE));
  else if (failed >= 0)
    snprintf(to, cap, "usable, but for device %d: %s", failed, r && r->reason ? r->reason : "failed");
  else if (b->reason[0])
    snprintf(to, cap, "%s", b->reason);
  else
    snprintf(to, cap, "%s", state == HED_BACKEND_READY ? "usable" : "has not been asked for");
}

hed_status hed_backend_query(const char *name, hed_backend_info *out)
{
  if (!out || out->struct_size < 8)
    return hed_fail(HED_E_INVAL, "backend_query: %s", out ? "struct_size is not set" : "out is NULL");
  hed__backend *b = hed__backend_named(name);
  if (!b)
    return hed_error();
  hed_backend_info i = { .struct_size = out->struct_size };
  bool off = hed__config_disabled(b->name);
  hed__registry_lock();
  i.state = off ? HED_BACKEND_DISABLED : state_of(b);
  i.devices = b->devices;
  i.score = b->score;
  i.host_memory = b->plugin && (b->plugin->flags & HED_PLUGIN_HOST_MEMORY);
  snprintf(i.name, sizeof i.name, "%s", b->name);
  snprintf(i.version, sizeof i.version, "%s", b->plugin && b->plugin->version ? b->plugin->version : "");
  snprintf(i.path, sizeof i.path, "%s", b->path);
  tell_reason(b, i.state, i.reason, sizeof i.reason);
  hed__registry_unlock();
  memcpy(out, &i, out->struct_size < sizeof i ? out->struct_size : sizeof i);
  return HED_OK;
}

int hed_backend_explain(const char *name, hed_report_fn fn, void *arg)
{
  hed__backend *b = hed__backend_named(name);
  if (!b)
    return hed_error();
  int n = 0;
  /* reports are only ever appended, so the list may be walked while no lock is held */
  hed__registry_lock();
  hed__report *r = b->reports;
  hed__registry_unlock();
  while (r) {
    n++;
    if (fn)
      fn(arg, r->candidate ? r->candidate : "", r->stage, r->status, r->reason ? r->reason : "");
    hed__registry_lock();
    r = r->next;
    hed__registry_unlock();
  }
  return n;
}
