// SPDX-License-Identifier: BSD-3-Clause
/* Backends and devices: the state machine, once under concurrent first use. L2.
 *
 * The records' lock (records.c) guards the state words. Foreign code (constructors, probe, init) runs with no lock
 * held, and is not cancelled; others wait, a thread that comes back to what it is loading itself gets E_REENTRANT, and so
 * does the one that would close a circle of threads waiting for each other.
 */
#include "core/modules/registry_internal.h"
#include "base/alloc.h"
#include "base/cancel.h"
#include "base/dtype.h"
#include "core/process/config.h"
#include "core/process/log.h"
#include "core/ops/op_numbers.h"
#include "core/process/place.h"
#include <heddle/words.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static _Atomic(hed__device *) choice[HED__MAX_BACKENDS + 1]; /* the first devices of those in host memory, best first */

hed__device *hed__device_by_number[HED__MOST_DEVICES];
static int32_t numbered = 1; /* the reference backend's; under the lock of the registry */

static const hed_host_api *services;
void hed__registry_services(const hed_host_api *api) { services = api; }

static void nothing(hed__device *d) { (void)d; }
static hed__device_hooks hooks = { nothing, nothing };
void hed__registry_hook(const hed__device_hooks *h) { hooks = *h; }

/* Who waits for what: enough to see a circle. */
typedef struct waiter {
  struct waiter *next;
  uint64_t serial;
  const hed__once *target;
} waiter;
static waiter *waiters;

/* ---- names ---- */

/* The next of NAMES, words with blanks between; LEN 0: there is none. */
static const char *next_name(const char *names, size_t *len)
{
  names += strspn(names, " ");
  *len = strcspn(names, " ");
  return names;
}

void hed__registry_know_all(void)
{
  size_t len;
  for (const char *name = next_name(HED_BACKENDS, &len); len; name = next_name(name + len, &len))
    (void)hed__backend_record(name, len);
  hed__module_scan();
}

static bool is_among(const char *names, const char *wanted)
{
  size_t len;
  for (const char *name = next_name(names, &len); len; name = next_name(name + len, &len))
    if (strlen(wanted) == len && memcmp(wanted, name, len) == 0)
      return true;
  return false;
}

bool hed__registry_is_driver(const char *name) { return is_among(HED_BACKENDS, name) && !is_among(HED_HOST_BACKENDS, name); }

/* Nobody is called so: who there is. */
static void unknown(const char *name, size_t len)
{
  char word[64], names[200] = "", choices[300];
  int n = 0;
  snprintf(word, sizeof word, "%.*s", (int)(len > 60 ? 60 : len), name);
  hed__registry_lock();
  for (hed__backend *b; (b = hed__registry_at(n)) && strlen(names) + strlen(b->name) + 3 < sizeof names; n++)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", n ? ", " : "", b->name);
  hed__registry_unlock();
  hed_fail(HED_E_NOTFOUND, "no backend is called '%s'%s (no module of that name in HEDDLE_PLUGIN_PATH or %s)%s", word,
           hed_choices(word, names, choices, sizeof choices), hed__module_folder(), hed__module_ignored());
}

hed__backend *hed__backend_find(const char *name, size_t len)
{
  hed__backend *b = hed__backend_known(name, len);
  if (b)
    return b;
  hed__registry_know_all();
  if (!(b = hed__backend_known(name, len)))
    unknown(name, len);
  return b;
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
    HED__UNCANCELLED; /* the lock would be kept, and W is of this stack */
    hed__registry_await();
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

/* Was device K of B lost, and is not replaced? */
static bool lost(const hed__backend *b, int k)
{
  return b->device_once[k].state == HED_BACKEND_FAILED && b->device[k] && atomic_load(&b->device[k]->gone);
}

static void leave(hed__once *o, int state)
{
  hed__registry_lock();
  o->state = state;
  o->owner = 0;
  hed__registry_changed();
  hed__registry_unlock();
}

static hed_status settled(const hed__backend *b)
{
  switch (b->once.state) {
  case HED_BACKEND_READY:
    return HED_OK;
  case HED_BACKEND_FORKED:
    return hed_fail(HED_E_FORKED, "backend '%s' was in use, or being loaded, before fork and cannot be used in the child", b->name);
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
    if (p->probe(why, sizeof why) > 0 || !why[0])
      snprintf(why, sizeof why, "no devices");
    hed__backend_report(b, b->path, "device", HED_E_UNAVAILABLE, "%s", why);
    return HED_E_UNAVAILABLE;
  }
  hed__registry_lock();
  b->score = score;
  b->devices = n > HED__MAX_DEVICES ? HED__MAX_DEVICES : n;
  hed__registry_unlock();
  if (score > 0 && why[0])
    hed__backend_report(b, b->path, "probe", HED_OK, "%s", why);
  return HED_OK;
}

static hed_status load(hed__backend *b)
{
  HED__UNCANCELLED;
  if (hed__config_disabled(b->name)) {
    hed__backend_report(b, "", "config", HED_E_UNAVAILABLE, "disabled by %s", hed__config_source(HED__SET_DISABLE));
    return HED_E_UNAVAILABLE;
  }
  if (strcmp(b->name, "reference") == 0)
    hed__backend_set_module(b, &(hed__module){ .plugin = &ref_plugin, .given = &ref_plugin, .path = "" });
  const hed_status s = b->plugin ? HED_OK : hed__module_open(b, NULL);
  if (s != HED_OK)
    return s;
  return probe(b);
}

hed_status hed__backend_ready(hed__backend *b, bool retry)
{
  hed__tls *t = hed__tls_get();
  if (!t)
    return hed_error();
  hed_status status;
  hed__registry_lock();
  bool mine = enter(&b->once, t->serial, retry, &status);
  if (mine) {
    forget(b);
    for (int k = 0; k < HED__MAX_DEVICES; k++)
      if (lost(b, k))
        b->device_once[k].state = HED_BACKEND_UNPROBED;
  }
  if (!mine) {
    if (status == HED_OK)
      status = settled(b);
    else
      hed_fail(status, "backend '%s' is being loaded by this thread, or by one that waits for it", b->name);
    hed__registry_unlock();
    return status;
  }
  hed__registry_unlock();
  status = load(b);
  leave(&b->once, status == HED_OK ? HED_BACKEND_READY : HED_BACKEND_FAILED);
  hed__registry_lock();
  status = settled(b);
  hed__registry_unlock();
  return status;
}

void hed__device_lost(hed__device *d, const char *text)
{
  HED__UNCANCELLED;
  hed__backend *b = d->backend;
  bool left = false;
  atomic_fetch_or(&d->unusual, HED__DEVICE_GONE);
  if (atomic_exchange(&d->gone, true))
    return;
  const hed__report *r = hed__backend_report(b, d->name, "device", HED_E_UNAVAILABLE, "%s", text);
  hed__registry_lock();
  if (b->device[d->index] == d) {
    b->device_report[d->index] = r;
    if (b->device_once[d->index].state == HED_BACKEND_READY)
      b->device_once[d->index].state = HED_BACKEND_FAILED;
  }
  for (int k = 0; k < b->devices; k++)
    left |= b->device_once[k].state != HED_BACKEND_FAILED;
  if (!left && b->once.state == HED_BACKEND_READY)
    b->once.state = HED_BACKEND_FAILED;
  hed__registry_unlock();
  hooks.lost(d);
}

hed_status hed__device_gone(const hed__device *d)
{
  const hed__backend *b = d->backend;
  hed__registry_lock();
  hed_status s = settled(b);
  const hed__report *r = b->device[d->index] == d ? b->device_report[d->index] : NULL;
  hed__registry_unlock();
  return s != HED_OK ? s : hed_fail(HED_E_UNAVAILABLE, "%s is not usable any more%s%s", d->name, r && r->reason ? ": " : "",
                                    r && r->reason ? r->reason : "");
}

/* Native rows over a table of references: what a plug-in gives is found by name, so it may know fewer or more operations. */
static void fill_table(hed__device *d)
{
  for (const hed_op_entry *e = d->plugin->ops; e && e->name; e++) {
    const int op = hed_op_by_name(e->name), number = op < 0 ? -1 : d->numbers->theirs[op];
    if (number < 0 || !hed__reference_kernel(op)) {
      hed__backend_report(d->backend, d->name, "abi", HED_OK, "it offers '%.60s', which is not %s", e->name,
                          op < 0 || number >= 0 ? "an operation with a kernel" : "in its own list of operations");
      continue;
    }
    d->row[op] = (hed__row){ e->fn, e->dtypes ? e->dtypes : UINT32_MAX, number };
  }
}

/* Into the list of hed__host_choice, under the lock. Who reads it meanwhile may see one twice, and misses none. */
static void offer(hed__device *d)
{
  int at = 0, end = 0;
  for (hed__device *h; (h = atomic_load(&choice[end])); end++)
    at += h->backend->score >= d->backend->score;
  for (; end > at; end--)
    atomic_store(&choice[end], atomic_load(&choice[end - 1]));
  atomic_store(&choice[at], d);
}

/* Device INDEX of B failed as R says. */
static void remember(hed__backend *b, int32_t index, const hed__report *r)
{
  hed__registry_lock();
  b->device_report[index] = r;
  hed__registry_unlock();
}

/* D has a number, the next one; false: there are no more. */
static bool number(hed__device *d)
{
  if (d->number)
    return true;
  hed__registry_lock();
  const bool room = numbered < HED__MOST_DEVICES - 1;
  if (room) {
    d->number = (uint16_t)++numbered;
    hed__device_by_number[d->number] = d;
  }
  hed__registry_unlock();
  return room;
}

enum { DEVICE_BYTES = sizeof(hed__device) + HED_OP_COUNT_ * sizeof(hed__row) };

/* The reference backend is there from the beginning, and takes no memory: also where that is out at the first call. */
static _Alignas(hed__device) char reference_room[DEVICE_BYTES];
static _Alignas(hed__numbers) char reference_numbers[offsetof(hed__numbers, ours) + HED_OP_COUNT_ * sizeof(int16_t)];
static hed__device *const reference = (hed__device *)(void *)reference_room;

static void make_reference(void)
{
  hed__numbers *same = (hed__numbers *)(void *)reference_numbers;
  same->n = HED_OP_COUNT_;
  for (int op = 0; op < HED_OP_COUNT_; op++)
    same->theirs[op] = same->ours[op] = (int16_t)op;
  reference->backend = hed__backend_record("reference", 9);
  reference->plugin = &ref_plugin;
  reference->numbers = same;
  reference->host = true;
  reference->number = 1;
  hed__device_by_number[1] = reference;
  snprintf(reference->name, sizeof reference->name, "reference");
  snprintf(reference->space, sizeof reference->space, "host");
  fill_table(reference);
  (void)ref_plugin.init(services, 0, &reference->state);
}

static hed__device *the_reference(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_reference);
  return reference;
}

static hed__device *make_device(const hed__backend *b, int32_t index, const char *name)
{
  hed__device *d = hed__calloc(1, DEVICE_BYTES);
  if (!d)
    return NULL;
  d->backend = (hed__backend *)(uintptr_t)b;
  d->plugin = b->plugin;
  d->numbers = b->numbers;
  d->index = index;
  d->host = b->plugin->flags & HED_PLUGIN_HOST_MEMORY;
  snprintf(d->name, sizeof d->name, "%s", name);
  snprintf(d->space, sizeof d->space, "%s", d->host ? "host" : d->name);
  fill_table(d);
  return d;
}

static hed_status init_device(hed__backend *b, int32_t index)
{
  const hed_plugin *p = b->plugin;
  char name[sizeof reference->name];
  HED__UNCANCELLED;
  if ((p->flags & HED_PLUGIN_HOST_MEMORY) && b->devices == 1)
    snprintf(name, sizeof name, "%s", b->name);
  else
    snprintf(name, sizeof name, "%s:%d", b->name, index);
  hed__device *d = p == &ref_plugin ? the_reference() : make_device(b, index, name);
  if (!d) {
    remember(b, index, hed__backend_report(b, name, "init", HED_E_NOMEM, "no memory for a device"));
    return HED_E_NOMEM;
  }
  hed__error_mark mark;
  hed__error_save(&mark);
  hed_error_clear();
  int32_t s = p->init(services, index, &d->state);
  if (s != HED_OK) {
    remember(b, index,
             hed__backend_report(b, d->name, "init", s, "%s", hed_error() ? hed_error_text() : hed_status_text(s)));
    hed__free(d);
    return (hed_status)s;
  }
  hed__error_restore(&mark);
  if (!number(d)) { /* what it has stays: nobody can be told that it goes */
    remember(b, index, hed__backend_report(b, d->name, "init", HED_E_LIMIT, "%d devices were made so far, there are no more",
                                           (int)numbered));
    return HED_E_LIMIT;
  }
  if (!d->host)
    hooks.made(d);
  hed__registry_lock();
  b->device[index] = d;
  if (d->host && index == 0)
    offer(d);
  hed__registry_unlock();
  return HED_OK;
}

hed__device *hed__backend_device(hed__backend *b, int32_t index, bool again)
{
  hed__tls *t = hed__tls_get();
  if (!t)
    return NULL;
  if (index < 0 || index >= b->devices) {
    hed_fail(HED_E_NOTFOUND, "backend '%s' has %d device%s, device %d was asked for", b->name, b->devices,
             b->devices == 1 ? "" : "s", index);
    return NULL;
  }
  hed__once *o = &b->device_once[index];
  hed_status status;
  hed__registry_lock();
  bool mine = enter(o, t->serial, again || !lost(b, index), &status);
  if (mine)
    forget(b);
  hed__registry_unlock();
  if (status != HED_OK) {
    hed_fail(status, "device %d of backend '%s' is being made ready by this thread", index, b->name);
    return NULL;
  }
  if (mine) {
    status = init_device(b, index);
    leave(o, status == HED_OK ? HED_BACKEND_READY : HED_BACKEND_FAILED);
  }
  hed__registry_lock();
  hed__device *d = o->state == HED_BACKEND_READY ? b->device[index] : NULL;
  const hed__report *report = b->device_report[index];
  if (!d)
    hed_fail(report ? report->status : HED_E_UNAVAILABLE, "device %d of backend '%s' is not usable: %s", index, b->name,
             report && report->reason ? report->reason : "there was no memory for the reason");
  hed__registry_unlock();
  return d;
}

hed__device *hed__device_get(const char *backend, size_t name_len, int32_t index)
{
  hed__backend *b = hed__tls_get() ? hed__backend_find(backend, name_len) : NULL;
  return b && hed__backend_ready(b, false) == HED_OK ? hed__backend_device(b, index, false) : NULL;
}

hed__device *hed__reference(void)
{
  static atomic_bool told; /* to the registry: its state is that of a backend that was asked for */
  if (__builtin_expect(!atomic_load_explicit(&told, memory_order_acquire), 0)) {
    hed__error_mark mark;
    hed__error_save(&mark);
    if (the_reference() && hed__tls_get()) {
      (void)hed__device_get("reference", 9, 0);
      hed__error_restore(&mark);
      atomic_store_explicit(&told, true, memory_order_release);
    }
  }
  return reference;
}

/* Load what comes with Heddle, once; what it has to say against it is in its reports. */
static void load_usual(void)
{
  static atomic_bool loaded; /* set last: who comes meanwhile waits in the same way */
  if (__builtin_expect(atomic_load_explicit(&loaded, memory_order_acquire), 1))
    return;
  hed__error_mark mark;
  hed__error_save(&mark);
  size_t len;
  for (const char *name = next_name(HED_HOST_BACKENDS, &len); len; name = next_name(name + len, &len))
    (void)hed__device_get(name, len, 0);
  hed__error_restore(&mark);
  atomic_store_explicit(&loaded, true, memory_order_release);
}

hed__device *hed__host_choice(int k)
{
  load_usual();
  hed__device *d = atomic_load_explicit(&choice[k], memory_order_acquire);
  return d && d->backend->score > hed__reference()->backend->score ? d : NULL;
}

hed_op_fn hed__reference_kernel(int op)
{
  static _Atomic(hed_op_fn) kernel[HED_OP_COUNT_]; /* by number, filled on first use: the same value by any thread */
  static atomic_bool filled;
  if (!atomic_load_explicit(&filled, memory_order_acquire)) {
    for (const hed_op_entry *e = ref_plugin.ops; e->name; e++) {
      int i = hed_op_by_name(e->name);
      if (i >= 0)
        atomic_store_explicit(&kernel[i], e->fn, memory_order_relaxed);
    }
    atomic_store_explicit(&filled, true, memory_order_release);
  }
  return op >= 0 && op < HED_OP_COUNT_ ? atomic_load_explicit(&kernel[op], memory_order_relaxed) : NULL;
}

/* ---- threads and fork ---- */

void hed__registry_thread_exit(hed__tls *t)
{
  HED__UNCANCELLED;
  for (int i = 0; i < HED__SLOTS; i++) {
    if (!t->slot[i])
      continue;
    hed__registry_lock();
    const hed__backend *b = hed__registry_at(i);
    const hed_plugin *p = b->plugin;
    hed__device *d = NULL;
    for (int k = HED__MAX_DEVICES; k-- > 0;) /* any that is there: the slot is the plug-in's */
      d = b->device[k] ? b->device[k] : d;
    hed__registry_unlock();
    if (p->thread_exit && d)
      p->thread_exit(d->state, t->slot[i]);
  }
}

/* ---- fork ---- */

/* Under the lock: is O being made ready by a thread that is not of serial ME? */
static bool loads(const hed__once *o, uint64_t me) { return o->state == HED_BACKEND_LOADING && o->owner != me; }

static bool others_load(uint64_t me)
{
  bool yes = hed__registry_opening() > 0;
  hed__backend *b;
  for (int i = 0; !yes && (b = hed__registry_at(i)); i++) {
    yes = loads(&b->once, me);
    for (int k = 0; !yes && k < HED__MAX_DEVICES; k++)
      yes = loads(&b->device_once[k], me);
  }
  return yes;
}

/* What a thread is loading would stay half loaded in the child, in the lists of the dynamic loader too. So fork waits; not for
 * ever, as the loader may be waiting for the very thread that forks. */
void hed__registry_fork_prepare(void)
{
  enum { PATIENCE = 2 }; /* seconds */
  const hed__tls *t = hed__tls_peek();
  struct timespec until;
  HED__UNCANCELLED;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += PATIENCE;
  hed__registry_lock();
  while (others_load(t ? t->serial : 0) && hed__registry_await_until(&until))
    ;
}

void hed__registry_ending(void)
{
  hed__backend *b;
  for (int i = 0; (b = hed__registry_at(i)); i++)
    for (int k = 0; k < HED__MAX_DEVICES; k++) {
      hed__registry_lock();
      hed__device *d = b->device[k];
      hed__registry_unlock();
      if (d && b->plugin->ending)
        b->plugin->ending(d->state);
    }
}

/* Drivers do not survive fork, and neither does a module whose loader does not exist here; nor, when that was within the dynamic
 * loader, can this process open another. */
void hed__registry_fork_child(void)
{
  const hed__tls *t = hed__tls_peek();
  const uint64_t me = t ? t->serial : 0;
  bool opening = hed__registry_lock_fork_child();
  hed__backend *b;
  waiters = NULL;
  for (int i = 0; (b = hed__registry_at(i)); i++)
    opening |= loads(&b->once, me) && !b->plugin;
  for (int i = 0; (b = hed__registry_at(i)); i++) {
    const bool ours = strcmp(b->name, "reference") == 0; /* nothing of it is foreign: it is loaded again */
    bool cut = loads(&b->once, me), used = false;
    for (int k = 0; k < HED__MAX_DEVICES; k++) {
      hed__device *d = b->device[k];
      if (loads(&b->device_once[k], me)) {
        cut = true;
        b->device_once[k].state = HED_BACKEND_UNPROBED;
      }
      used |= d != NULL;
      if (d && b->plugin->fork_child)
        b->plugin->fork_child(d->state);
      if (d && !d->host) {
        atomic_fetch_or(&d->unusual, HED__DEVICE_GONE);
        atomic_store(&d->gone, true);
      }
    }
    used |= b->once.state == HED_BACKEND_READY; /* which devices there are was asked of the driver */
    if (ours && loads(&b->once, me))
      b->once.state = HED_BACKEND_UNPROBED;
    else if (!ours && (cut || (opening && !b->plugin) || (used && !(b->plugin->flags & HED_PLUGIN_HOST_MEMORY))))
      b->once.state = HED_BACKEND_FORKED;
  }
}
