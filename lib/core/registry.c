// SPDX-License-Identifier: BSD-3-Clause
/* Backends and devices: records, the state machine, once under concurrent first use. L2.
 *
 * One lock and one condition variable guard the state words. Foreign code (constructors, probe, init) runs with no lock
 * held; others wait, a thread that comes back to what it is loading itself gets E_REENTRANT, and so does the one that
 * would close a circle of threads waiting for each other.
 */
#include "core/registry_internal.h"
#include "base/alloc.h"
#include "base/dtype.h"
#include "core/config.h"
#include "core/context.h"
#include "core/array.h"
#include "core/log.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static hed__backend *table[HED__MAX_BACKENDS];
static int count;

/* Who waits for what: enough to see a circle. */
typedef struct waiter {
  struct waiter *next;
  uint64_t serial;
  const hed__once *target;
} waiter;
static waiter *waiters;

/* ---- records ---- */

static hed__backend *find_locked(const char *name, size_t len)
{
  for (int i = 0; i < count; i++)
    if (strlen(table[i]->name) == len && strncasecmp(table[i]->name, name, len) == 0)
      return table[i];
  return NULL;
}

static void know_all(void)
{
  static const char *const usual[] = { "reference", "cpu", "opencl", "cuda" };
  for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
    (void)hed__backend_record(usual[i], strlen(usual[i]));
  hed__module_scan();
}

hed__backend *hed__backend_find(const char *name, size_t len)
{
  pthread_mutex_lock(&lock);
  hed__backend *b = find_locked(name, len);
  pthread_mutex_unlock(&lock);
  if (b)
    return b;
  know_all();
  pthread_mutex_lock(&lock);
  b = find_locked(name, len);
  pthread_mutex_unlock(&lock);
  if (!b)
    hed_fail(HED_E_NOTFOUND, "no backend is called '%.*s' (no module of that name in HEDDLE_PLUGIN_PATH or %s)",
             (int)(len > 60 ? 60 : len), name, HED_MODULE_DIR);
  return b;
}

void hed__backend_set_plugin(hed__backend *b, const hed_plugin *p, const char *path, dev_t dev, ino_t ino)
{
  pthread_mutex_lock(&lock);
  snprintf(b->path, sizeof b->path, "%s", path);
  b->dev = dev;
  b->ino = ino;
  b->plugin = p;
  pthread_mutex_unlock(&lock);
}

hed__backend *hed__backend_record(const char *name, size_t len)
{
  hed__backend *b = NULL;
  if (len == 0 || len >= sizeof b->name) {
    hed_fail(HED_E_INVAL, "backend name '%.*s' is %s", (int)(len > 60 ? 60 : len), name, len ? "too long" : "empty");
    return NULL;
  }
  pthread_mutex_lock(&lock);
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
  pthread_mutex_unlock(&lock);
  return b;
}

hed__backend *hed__backend_by_file(dev_t dev, ino_t ino, const hed__backend *except)
{
  hed__backend *found = NULL;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < count; i++)
    if (table[i] != except && table[i]->plugin && table[i]->ino == ino && table[i]->dev == dev && table[i]->path[0])
      found = table[i];
  pthread_mutex_unlock(&lock);
  return found;
}

void hed__backend_report(hed__backend *b, const char *candidate, const char *stage, int32_t status, const char *format, ...)
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
  pthread_mutex_lock(&lock);
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
  pthread_mutex_unlock(&lock);
  hed__log(status ? HED_LOG_INFO : HED_LOG_DEBUG, "registry", "%s: %s: %s: %s", b->name, stage, candidate, text);
}

/* ---- once ---- */

static bool circle(const hed__once *target, uint64_t me)
{
  for (int hops = 0; target && hops < HED__MAX_BACKENDS * HED__MAX_DEVICES; hops++) {
    if (target->state != HED_BACKEND_LOADING)
      return false;
    if (target->owner == me)
      return true;
    const hed__once *next = NULL;
    for (waiter *w = waiters; w; w = w->next)
      if (w->serial == target->owner)
        next = w->target;
    target = next;
  }
  return false;
}

/* Under the lock: wait while another thread loads, then take over (true) or find it settled (false). *status is
 * E_REENTRANT when waiting would never end. */
static bool enter(hed__once *o, uint64_t me, bool retry, hed_status *status)
{
  *status = HED_OK;
  while (o->state == HED_BACKEND_LOADING) {
    if (circle(o, me)) {
      *status = HED_E_REENTRANT;
      return false;
    }
    waiter w = { .next = waiters, .serial = me, .target = o };
    waiters = &w;
    pthread_cond_wait(&changed, &lock);
    waiter **p = &waiters;
    while (*p != &w)
      p = &(*p)->next;
    *p = w.next;
  }
  if (o->state != HED_BACKEND_UNPROBED && !(retry && o->state == HED_BACKEND_FAILED))
    return false;
  o->state = HED_BACKEND_LOADING;
  o->owner = me;
  return true;
}

/* Under the lock, before another attempt: what an earlier one had to say is in the reports. */
static void forget(hed__backend *b)
{
  b->status = HED_OK;
  b->reason[0] = 0;
}

static void leave(hed__once *o, int state)
{
  pthread_mutex_lock(&lock);
  o->state = state;
  o->owner = 0;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static hed_status settled(const hed__backend *b)
{
  switch (b->once.state) {
  case HED_BACKEND_READY:
    return HED_OK;
  case HED_BACKEND_FORKED:
    return hed_fail(HED_E_FORKED, "backend '%s' was in use before fork and cannot be used in the child", b->name);
  default:
    return hed_fail(b->status == HED_OK ? HED_E_UNAVAILABLE : b->status, "backend '%s' is not usable: %s", b->name,
                    b->reason);
  }
}

/* ---- loading ---- */

static hed_status probe(hed__backend *b)
{
  char why[400] = "";
  const hed_plugin *p = b->plugin;
  int32_t score = p->probe(why, sizeof why);
  if (score <= 0) {
    hed__backend_report(b, b->path, "probe", HED_E_UNAVAILABLE, "%s", why[0] ? why : "its probe said no, without a reason");
    return HED_E_UNAVAILABLE;
  }
  int32_t n = p->devices ? p->devices() : 1;
  if (n < 1) {
    hed__backend_report(b, b->path, "device", HED_E_UNAVAILABLE, "no devices");
    return HED_E_UNAVAILABLE;
  }
  pthread_mutex_lock(&lock);
  b->score = score;
  b->devices = n > HED__MAX_DEVICES ? HED__MAX_DEVICES : n;
  pthread_mutex_unlock(&lock);
  if (score > 0 && why[0])
    hed__backend_report(b, b->path, "probe", HED_OK, "%s", why);
  return HED_OK;
}

static hed_status load(hed__backend *b)
{
  if (hed__config_disabled(b->name)) {
    hed__backend_report(b, "", "config", HED_E_UNAVAILABLE, "disabled by %s", hed__config_source(HED__SET_DISABLE));
    return HED_E_UNAVAILABLE;
  }
  if (!b->plugin) {
    if (strcmp(b->name, "reference") == 0) {
      hed__backend_set_plugin(b, &hed__reference_plugin, "", 0, 0);
    } else {
      hed_status s = hed__module_open(b, NULL);
      if (s != HED_OK)
        return s;
    }
  }
  return probe(b);
}

hed_status hed__backend_ready(hed__backend *b, bool retry)
{
  hed__tls *t = hed__tls_get();
  if (!t)
    return hed_error();
  hed_status status;
  pthread_mutex_lock(&lock);
  bool mine = enter(&b->once, t->serial, retry, &status);
  if (mine)
    forget(b);
  if (!mine) {
    if (status == HED_OK)
      status = settled(b);
    else
      hed_fail(status, "backend '%s' is being loaded by this thread, or by one that waits for it", b->name);
    pthread_mutex_unlock(&lock);
    return status;
  }
  pthread_mutex_unlock(&lock);
  status = load(b);
  leave(&b->once, status == HED_OK ? HED_BACKEND_READY : HED_BACKEND_FAILED);
  pthread_mutex_lock(&lock);
  status = settled(b);
  pthread_mutex_unlock(&lock);
  return status;
}

void hed__backend_poison(hed__backend *b, const char *device, const char *text)
{
  hed__backend_report(b, device, "device", HED_E_UNAVAILABLE, "%s", text);
  pthread_mutex_lock(&lock);
  if (b->once.state == HED_BACKEND_READY)
    b->once.state = HED_BACKEND_FAILED;
  for (int k = 0; k < HED__MAX_DEVICES; k++)
    if (b->device[k]) { /* an explicit hed_backend_require makes new ones */
      atomic_store(&b->device[k]->gone, true);
      if (b->device_once[k].state == HED_BACKEND_READY)
        b->device_once[k].state = HED_BACKEND_FAILED;
    }
  pthread_mutex_unlock(&lock);
  for (hed__pool *p = hed__pool_first(); p; p = hed__pool_next(p))
    if (p->device && p->device->backend == b) {
      (void)hed__pool_harvest(p, 0);
      (void)hed__pool_trim(p, SIZE_MAX, NULL);
    }
}

hed_status hed__device_gone(const hed__device *d)
{
  pthread_mutex_lock(&lock);
  hed_status s = settled(d->backend);
  pthread_mutex_unlock(&lock);
  return s == HED_OK ? hed_fail(HED_E_UNAVAILABLE, "%s is not usable any more", d->name) : s;
}

/* Native rows over a table of references: what a plug-in gives is found by name, so it may know fewer or more operations. */
static void fill_table(hed__device *d)
{
  for (const hed_op_entry *e = d->plugin->ops; e && e->name; e++) {
    int op = hed_op_by_name(e->name);
    if (op < 0 || !hed__reference_kernel(op)) {
      hed__backend_report(d->backend, d->name, "abi", HED_OK, "it offers '%.60s', which is not an operation with a kernel",
                          e->name);
      continue;
    }
    d->row[op].fn = e->fn;
    d->row[op].dtypes = e->dtypes ? e->dtypes : UINT32_MAX;
  }
}

static hed_status init_device(hed__backend *b, int32_t index)
{
  const hed_plugin *p = b->plugin;
  hed__device *d = hed__calloc(1, sizeof *d);
  if (!d)
    return hed_fail(HED_E_NOMEM, "backend '%s': no memory for a device", b->name);
  d->backend = b;
  d->plugin = p;
  d->index = index;
  d->host = p->flags & HED_PLUGIN_HOST_MEMORY;
  if (d->host && b->devices == 1)
    snprintf(d->name, sizeof d->name, "%s", b->name);
  else
    snprintf(d->name, sizeof d->name, "%s:%d", b->name, index);
  snprintf(d->space, sizeof d->space, "%s", d->host ? "host" : d->name);
  fill_table(d);
  hed__error_mark mark;
  hed__error_save(&mark);
  hed_error_clear();
  int32_t s = p->init(hed__host_api(), index, &d->state);
  if (s != HED_OK) {
    hed__backend_report(b, d->name, "init", s, "%s", hed_error() ? hed_error_text() : hed_status_text(s));
    hed__free(d);
    return (hed_status)s;
  }
  hed__error_restore(&mark);
  if (!d->host)
    hed__pool_init(&d->pool, d);
  pthread_mutex_lock(&lock);
  b->device[index] = d;
  pthread_mutex_unlock(&lock);
  return HED_OK;
}

void hed__devices_each(void (*fn)(void *arg, hed__device *device), void *arg)
{
  for (int i = 0, more = 1; more; i++)
    for (int k = 0, devices = 1; k < devices; k++) {
      pthread_mutex_lock(&lock);
      more = i < count;
      devices = more ? table[i]->devices : 0;
      hed__device *d = k < devices && table[i]->device_once[k].state == HED_BACKEND_READY ? table[i]->device[k] : NULL;
      pthread_mutex_unlock(&lock);
      if (d)
        fn(arg, d);
    }
}

hed__device *hed__device_get(const char *backend, size_t name_len, int32_t index)
{
  hed__tls *t = hed__tls_get();
  hed__backend *b = t ? hed__backend_find(backend, name_len) : NULL;
  if (!b || hed__backend_ready(b, false) != HED_OK)
    return NULL;
  if (index < 0 || index >= b->devices) {
    hed_fail(HED_E_NOTFOUND, "backend '%s' has %d device%s, device %d was asked for", b->name, b->devices,
             b->devices == 1 ? "" : "s", index);
    return NULL;
  }
  hed__once *o = &b->device_once[index];
  hed_status status;
  pthread_mutex_lock(&lock);
  bool mine = enter(o, t->serial, true, &status);
  if (mine)
    forget(b);
  pthread_mutex_unlock(&lock);
  if (status != HED_OK) {
    hed_fail(status, "device %d of backend '%s' is being made ready by this thread", index, b->name);
    return NULL;
  }
  if (mine) {
    status = init_device(b, index);
    leave(o, status == HED_OK ? HED_BACKEND_READY : HED_BACKEND_FAILED);
  }
  pthread_mutex_lock(&lock);
  hed__device *d = o->state == HED_BACKEND_READY ? b->device[index] : NULL;
  if (!d)
    hed_fail(b->status == HED_OK ? HED_E_UNAVAILABLE : b->status, "device %d of backend '%s' is not usable: %s", index,
             b->name, b->reason);
  pthread_mutex_unlock(&lock);
  return d;
}

hed__device *hed__reference(void)
{
  static _Atomic(hed__device *) cached;
  hed__device *d = atomic_load_explicit(&cached, memory_order_acquire);
  if (!d && (d = hed__device_get("reference", 9, 0)))
    atomic_store_explicit(&cached, d, memory_order_release);
  return d;
}

hed_op_fn hed__reference_kernel(int op)
{
  static _Atomic(hed_op_fn) kernel[HED_OP_COUNT_]; /* by number, filled on first use: the same value by any thread */
  static atomic_bool filled;
  if (!atomic_load_explicit(&filled, memory_order_acquire)) {
    for (const hed_op_entry *e = hed__reference_plugin.ops; e->name; e++) {
      int i = hed_op_by_name(e->name);
      if (i >= 0)
        atomic_store_explicit(&kernel[i], e->fn, memory_order_relaxed);
    }
    atomic_store_explicit(&filled, true, memory_order_release);
  }
  return op >= 0 && op < HED_OP_COUNT_ ? atomic_load_explicit(&kernel[op], memory_order_relaxed) : NULL;
}

/* ---- queries ---- */

int hed_backend_list(const char **names, int cap)
{
  know_all();
  pthread_mutex_lock(&lock);
  int n = count;
  for (int i = 0; i < n && i < cap && names; i++)
    names[i] = table[i]->name;
  pthread_mutex_unlock(&lock);
  return n;
}

static hed__backend *known(const char *name)
{
  if (name)
    return hed__backend_find(name, strlen(name));
  hed_fail(HED_E_INVAL, "backend: name is NULL");
  return NULL;
}

/* Under the lock: a backend whose devices all failed to come up is not ready either. */
static int state_of(const hed__backend *b)
{
  bool failed = false;
  for (int k = 0; k < HED__MAX_DEVICES; k++) {
    if (b->device_once[k].state == HED_BACKEND_READY)
      return b->once.state;
    failed |= b->device_once[k].state == HED_BACKEND_FAILED;
  }
  return failed && b->once.state == HED_BACKEND_READY ? HED_BACKEND_FAILED : b->once.state;
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
  pthread_mutex_lock(&lock);
  i.state = off ? HED_BACKEND_DISABLED : state_of(b);
  i.devices = b->devices;
  i.score = b->score;
  i.host_memory = b->plugin && (b->plugin->flags & HED_PLUGIN_HOST_MEMORY);
  snprintf(i.name, sizeof i.name, "%s", b->name);
  snprintf(i.version, sizeof i.version, "%s", b->plugin && b->plugin->version ? b->plugin->version : "");
  snprintf(i.path, sizeof i.path, "%s", b->path);
  if (off)
    snprintf(i.reason, sizeof i.reason, "disabled by %s", hed__config_source(HED__SET_DISABLE));
  else if (b->reason[0])
    snprintf(i.reason, sizeof i.reason, "%s", b->reason);
  else
    snprintf(i.reason, sizeof i.reason, "%s", i.state == HED_BACKEND_READY ? "usable" : "has not been asked for");
  pthread_mutex_unlock(&lock);
  memcpy(out, &i, out->struct_size < sizeof i ? out->struct_size : sizeof i);
  return HED_OK;
}

hed_status hed_backend_require(const char *name)
{
  hed__backend *b = known(name);
  if (!b)
    return hed_error();
  hed_status s = hed__backend_ready(b, true);
  if (s == HED_OK && !hed__device_get(name, strlen(name), 0))
    s = hed_error();
  return s;
}

int hed_backend_explain(const char *name, hed_report_fn fn, void *arg)
{
  hed__backend *b = known(name);
  if (!b)
    return hed_error();
  int n = 0;
  /* reports are only ever appended, so the list may be walked while no lock is held */
  pthread_mutex_lock(&lock);
  hed__report *r = b->reports;
  pthread_mutex_unlock(&lock);
  while (r) {
    n++;
    if (fn)
      fn(arg, r->candidate ? r->candidate : "", r->stage, r->status, r->reason ? r->reason : "");
    pthread_mutex_lock(&lock);
    r = r->next;
    pthread_mutex_unlock(&lock);
  }
  return n;
}

int hed_backend_supports(const char *name, int op, hed_dtype t)
{
  if (!name || !t || op < 0 || op >= HED_OP_COUNT_)
    return hed_fail(HED_E_INVAL, "backend_supports: %s", !name ? "name is NULL" : !t ? "dtype is NULL" : "no such operation");
  hed__device *d = hed__device_get(name, strlen(name), 0);
  if (!d)
    return hed_error();
  hed_op_info info = { .struct_size = sizeof info };
  hed_op_query(op, &info);
  int id = t->id >= HED_ID_CONCRETE_COUNT_ ? hed__dtype_concrete(t, d, "backend_supports") : t->id;
  if (id < 0)
    return id;
  if (strcmp(info.domain, "") != 0 && !hed__in_domain(info.domain, id))
    return HED_SUPPORT_NONE;
  if (d->plugin->resolve) {
    hed_plugin_resolution r = { .struct_size = sizeof r };
    if (d->plugin->resolve(d->state, id, &r) != HED_OK || r.support == HED_SUPPORT_NONE)
      return HED_SUPPORT_NONE;
  }
  if (strcmp(info.impl, "VIEW") == 0)
    return HED_SUPPORT_NATIVE;
  return d->row[op].fn && (d->row[op].dtypes & (1u << hed__compute_of(id))) ? HED_SUPPORT_NATIVE : HED_SUPPORT_FALLBACK;
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

/* ---- threads and fork ---- */

void hed__registry_thread_exit(hed__tls *t)
{
  for (int i = 0; i < HED__SLOTS; i++) {
    if (!t->slot[i])
      continue;
    pthread_mutex_lock(&lock);
    const hed_plugin *p = table[i]->plugin;
    hed__device *d = table[i]->device[0];
    pthread_mutex_unlock(&lock);
    if (p->thread_exit && d)
      p->thread_exit(d->state, t->slot[i]);
  }
}

void hed__registry_fork_prepare(void) { pthread_mutex_lock(&lock); }
void hed__registry_fork_parent(void) { pthread_mutex_unlock(&lock); }

void hed__registry_fork_child(void)
{
  pthread_mutex_init(&lock, NULL);
  pthread_cond_init(&changed, NULL);
  waiters = NULL;
  hed__tls *me = hed__tls_peek();
  for (int i = 0; i < count; i++) {
    hed__backend *b = table[i];
    hed__once *all[HED__MAX_DEVICES + 1] = { &b->once };
    for (int k = 0; k < HED__MAX_DEVICES; k++)
      all[k + 1] = &b->device_once[k];
    for (int k = 0; k <= HED__MAX_DEVICES; k++)
      if (all[k]->state == HED_BACKEND_LOADING && !(me && all[k]->owner == me->serial))
        all[k]->state = HED_BACKEND_UNPROBED; /* its loader does not exist here */
    bool used = false;
    for (int k = 0; k < HED__MAX_DEVICES; k++) {
      hed__device *d = b->device[k];
      used |= d != NULL;
      if (d && b->plugin->fork_child)
        b->plugin->fork_child(d->state);
      if (d && !d->host)
        atomic_store(&d->gone, true);
    }
    if (b->plugin && !(b->plugin->flags & HED_PLUGIN_HOST_MEMORY) && used)
      b->once.state = HED_BACKEND_FORKED;
  }
}

/* The calling thread's pointer for a plug-in: by the backend's number. */
void **hed__registry_slot(const void *plugin)
{
  hed__tls *t = hed__tls_get();
  pthread_mutex_lock(&lock);
  int n = -1;
  for (int i = 0; i < count; i++)
    if (table[i]->plugin == plugin)
      n = i;
  pthread_mutex_unlock(&lock);
  return t && n >= 0 && n < HED__SLOTS ? &t->slot[n] : NULL;
}
