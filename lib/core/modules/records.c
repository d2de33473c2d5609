// SPDX-License-Identifier: BSD-3-Clause
/* Records of backends: names, modules, reports, devices; the lock that guards them. L2.
 *
 * Records are made once and stay. How a backend and its devices become ready is registry.c's.
 */
#include "core/modules/registry_internal.h"
#include "base/alloc.h"
#include "core/process/log.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static hed__backend first = { .name = "reference", .devices = -1, .report_end = &first.reports };
static hed__backend *table[HED__MAX_BACKENDS] = { &first };
static int count = 1;
static _Atomic(const void *) given[HED__SLOTS]; /* of the first of table, for whoever has no lock */
static int opening; /* threads that open a file before its backend is known */

/* ---- the lock ---- */

void hed__registry_lock(void) { pthread_mutex_lock(&lock); }
void hed__registry_unlock(void) { pthread_mutex_unlock(&lock); }
void hed__registry_await(void) { pthread_cond_wait(&changed, &lock); }
void hed__registry_changed(void) { pthread_cond_broadcast(&changed); }

bool hed__registry_await_until(const struct timespec *until) { return pthread_cond_timedwait(&changed, &lock, until) == 0; }

int hed__registry_opening(void) { return opening; }

void hed__registry_opens(int more)
{
  pthread_mutex_lock(&lock);
  opening += more;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

bool hed__registry_lock_fork_child(void)
{
  const bool cut = opening > 0;
  pthread_mutex_init(&lock, NULL);
  pthread_cond_init(&changed, NULL);
  opening = 0;
  return cut;
}

/* ---- records ---- */

hed__backend *hed__registry_at(int k) { return k < count ? table[k] : NULL; }

static hed__backend *find_locked(const char *name, size_t len)
{
  for (int i = 0; i < count; i++)
    if (strlen(table[i]->name) == len && strncasecmp(table[i]->name, name, len) == 0)
      return table[i];
  return NULL;
}

hed__backend *hed__backend_known(const char *name, size_t len)
{
  hed__registry_lock();
  hed__backend *b = find_locked(name, len);
  hed__registry_unlock();
  return b;
}

void hed__backend_set_module(hed__backend *b, const hed__module *m)
{
  hed__registry_lock();
  snprintf(b->path, sizeof b->path, "%s", m->path);
  b->dev = m->dev;
  b->ino = m->ino;
  b->numbers = m->numbers;
  b->given = m->given;
  b->plugin = m->plugin;
  if (b->number < HED__SLOTS)
    atomic_store(&given[b->number], m->given);
  hed__registry_unlock();
}

hed__backend *hed__backend_record(const char *name, size_t len)
{
  hed__backend *b = NULL;
  if (len == 0 || len >= sizeof b->name) {
    hed_fail(HED_E_INVAL, "backend name '%.*s' is %s", (int)(len > 60 ? 60 : len), name, len ? "too long" : "empty");
    return NULL;
  }
  hed__registry_lock();
  b = find_locked(name, len);
  if (!b && count < HED__MAX_BACKENDS && (b = hed__calloc(1, sizeof *b))) {
    for (size_t i = 0; i < len; i++)
      b->name[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]);
    b->report_end = &b->reports;
    b->number = count;
    b->devices = -1;
    table[count++] = b;
  } else if (!b) {
    hed_fail(count < HED__MAX_BACKENDS ? HED_E_NOMEM : HED_E_LIMIT, "no room for backend '%.*s' (%d known)", (int)len, name,
             count);
  }
  hed__registry_unlock();
  return b;
}

hed__backend *hed__backend_by_file(dev_t dev, ino_t ino, const hed__backend *except)
{
  hed__backend *found = NULL;
  hed__registry_lock();
  for (int i = 0; i < count; i++)
    if (table[i] != except && table[i]->plugin && table[i]->ino == ino && table[i]->dev == dev && table[i]->path[0])
      found = table[i];
  hed__registry_unlock();
  return found;
}

const hed__report *hed__backend_report(hed__backend *b, const char *candidate, const char *stage, int32_t status,
                                       const char *format, ...)
{
  char text[512];
  va_list ap;
  va_start(ap, format);
  if (vsnprintf(text, sizeof text, format, ap) < 0)
    text[0] = 0;
  va_end(ap);
  hed__report *r = hed__calloc(1, sizeof *r);
  if (r) {
    r->candidate = hed__strdup(candidate);
    r->stage = stage;
    r->status = status;
    r->reason = hed__strdup(text);
  }
  hed__registry_lock();
  /* that a file is not in the next folder is no news once one was found and refused */
  bool refused = b->status != HED_OK && b->status != HED_E_NOTFOUND;
  if (status != HED_OK ? !(refused && status == HED_E_NOTFOUND) : strcmp(stage, "probe") == 0) {
    b->status = status;
    if (*candidate)
      snprintf(b->reason, sizeof b->reason, "%.200s: %.300s", candidate, text);
    else
      snprintf(b->reason, sizeof b->reason, "%s", text);
  }
  if (r) {
    *b->report_end = r;
    b->report_end = &r->next;
  }
  hed__registry_unlock();
  hed__log(status ? HED_LOG_INFO : HED_LOG_DEBUG, "registry", "%s: %s: %s: %s", b->name, stage, candidate, text);
  return r;
}

void hed__devices_each(void (*fn)(void *arg, hed__device *device), void *arg)
{
  for (int i = 0, more = 1; more; i++)
    for (int k = 0, devices = 1; k < devices; k++) {
      hed__registry_lock();
      more = i < count;
      devices = more ? table[i]->devices : 0;
      hed__device *d = k < devices && table[i]->device_once[k].state == HED_BACKEND_READY ? table[i]->device[k] : NULL;
      hed__registry_unlock();
      if (d)
        fn(arg, d);
    }
}

/* The calling thread's pointer for a plug-in: by the backend's number. Every call on a device asks, so it takes no lock. */
void **hed__registry_slot(const void *plugin)
{
  hed__tls *t = hed__tls_get();
  int n = HED__SLOTS - 1;
  while (n >= 0 && atomic_load_explicit(&given[n], memory_order_relaxed) != plugin)
    n--;
  return t && n >= 0 ? &t->slot[n] : NULL;
}
