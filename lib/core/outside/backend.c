// SPDX-License-Identifier: BSD-3-Clause
/* Backends seen from outside: which there are, their state and the reason for it. L2. */
#include "core/process/config.h"
#include "core/context/context.h"
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

static hed__backend *known(const char *name)
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
  hed__backend *b = known(name);
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

hed_status hed_backend_require(const char *name)
{
  const char *colon = name ? strchr(name, ':') : NULL;
  int32_t index = 0;
  if (colon && !hed__read_device(colon + 1, &index))
    return hed_fail(HED_E_INVAL, "backend_require: '%.60s' in '%.60s' is not a device number", colon + 1, name);
  hed__backend *b = colon ? hed__backend_find(name, (size_t)(colon - name)) : known(name);
  if (!b)
    return hed_error();
  hed_status s = hed__backend_ready(b, true);
  return s != HED_OK ? s : hed__backend_device(b, index, true) ? HED_OK : hed_error();
}

hed_status hed_backend_load(const char *path)
{
  hed__backend *b;
  const hed_status s = hed__module_load(path, &b);
  return s == HED_OK ? hed__backend_ready(b, true) : s;
}

int hed_backend_explain(const char *name, hed_report_fn fn, void *arg)
{
  hed__backend *b = known(name);
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

hed_status hed_backend_device(const char *name, int32_t device, char *buf, size_t cap)
{
  if (!name || !buf || cap == 0)
    return hed_fail(HED_E_INVAL, "backend_device: %s", name ? "buffer is empty" : "name is NULL");
  buf[0] = 0;
  hed__device *d = hed__device_get(name, strlen(name), device);
  if (!d)
    return hed_error();
  if (d->plugin->describe)
    d->plugin->describe(d->state, buf, cap);
  else
    snprintf(buf, cap, "%s", d->name);
  return HED_OK;
}
