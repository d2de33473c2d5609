// SPDX-License-Identifier: BSD-3-Clause
/* A device of the layer: made and described. L1. */
#include "backends/device/runtime/runtime.h"
#include "base/cancel.h"
#include "base/dtype.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES = HED_ID_CONCRETE_COUNT_ };

static void *zeroed(const hed_host_api *host, size_t bytes)
{
  void *p = host->alloc(bytes, 0);
  return p ? memset(p, 0, bytes) : NULL;
}

/* ---- the end of the process: what is being compiled ends, and is written ---- */

static _Atomic(dev_device *) opened[DEV_MOST_DEVICES];

/* The driver's own end comes next, and would take its compiler from under threads that are at work. Some compile when a kernel is
 * first run, so what streams hold is waited for. */
static bool await_compiler(dev_device *d)
{
  if (!d || d->forked || atomic_load(&d->lost) || d->host->forked())
    return false;
  pthread_mutex_lock(&d->program_lock);
  while (d->n_building)
    pthread_cond_wait(&d->program_made, &d->program_lock);
  pthread_mutex_unlock(&d->program_lock);
  dev_drain(d);
  return true;
}

static void end_all(void)
{
  HED__UNCANCELLED;
  dev_end();
  for (int k = 0; k < DEV_MOST_DEVICES; k++) {
    dev_device *d = atomic_load(&opened[k]);
    if (await_compiler(d) && atomic_load(&d->unsaved))
      d->save(d, true);
  }
}

/* What was first made while a program was built would go before end_all() is called. */
void dev_ending(void *state)
{
  HED__UNCANCELLED;
  if (await_compiler(state))
    (void)atexit(end_all);
}

/* Drivers' compilers make things of their own when they are first used, which go before what was registered earlier. */
void dev_end_first(void)
{
  enum { MOST_TIMES = 64 };
  static atomic_int times;
  if (atomic_fetch_add(&times, 1) < MOST_TIMES)
    (void)atexit(end_all);
}

/* ---- the programs as a cache, "opencl.programs"; nothing is trimmed, as kernels are known by address ---- */

static void program_stats(void *arg, hed_cache_stats *out)
{
  (void)arg;
  out->capacity = INT32_MAX;
  for (int k = 0; k < DEV_MOST_DEVICES; k++) {
    dev_device *d = atomic_load(&opened[k]);
    if (!d || d->forked)
      continue;
    pthread_mutex_lock(&d->program_lock);
    out->entries += d->n_programs;
    out->misses += (uint64_t)d->n_programs;
    out->hits += d->program_hits;
    out->waits += d->program_waits;
    pthread_mutex_unlock(&d->program_lock);
  }
}

static char cache_name[48];
static hed_cache cache = { .struct_size = sizeof cache, .name = cache_name, .stats = program_stats };

/* The driver is at work by now, so its own end comes after. */
static void remember(dev_device *d)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  atomic_store(&opened[d->index], d);
  pthread_once(&once, dev_end_first);
  pthread_mutex_lock(&lock);
  if (!cache_name[0])
    snprintf(cache_name, sizeof cache_name, "%s.programs", d->port->name);
  pthread_mutex_unlock(&lock);
  d->host->cache_register(&cache);
}

int32_t dev_open(const dev_port *port, void *dev, const hed_host_api *host, const hed_plugin *plugin, int32_t index,
                 dev_device **out)
{
  dev_device *d = zeroed(host, sizeof *d);
  if (d) {
    d->map_entry = zeroed(host, (size_t)HED_OP_COUNT_ * TYPES * DEV_LAYOUTS * sizeof *d->map_entry);
    d->cast_entry = zeroed(host, (size_t)TYPES * TYPES * DEV_LAYOUTS * sizeof *d->cast_entry);
  }
  if (!d || !d->map_entry || !d->cast_entry) {
    if (d) {
      host->free(d->map_entry);
      host->free(d->cast_entry);
    }
    host->free(d);
    return host->fail(HED_E_NOMEM, "%s:%d: no memory for the device", port->name, (int)index);
  }
  d->port = port;
  d->dev = dev;
  d->host = host;
  d->plugin = plugin;
  d->index = index;
  snprintf(d->name, sizeof d->name, "%s:%d", port->name, (int)index);
  pthread_mutex_init(&d->lock, NULL);
  pthread_mutex_init(&d->event_lock, NULL);
  pthread_mutex_init(&d->fate_lock, NULL);
  pthread_mutex_init(&d->program_lock, NULL);
  pthread_cond_init(&d->program_made, NULL);
  port->limits(dev, &d->limits);
  remember(d);
  *out = d;
  return HED_OK;
}

int32_t dev_resolve(void *state, int32_t dtype, hed_plugin_resolution *out)
{
  const dev_device *d = state;
  out->support = HED_SUPPORT_NATIVE;
  out->storage = out->accum = out->native = dtype;
  out->native_name = NULL;
  if (dtype == HED_ID_FLOAT16 || dtype == HED_ID_BFLOAT16) {
    out->support = HED_SUPPORT_FALLBACK;
    out->accum = HED_ID_FLOAT32;
  } else if (!d->limits.float64 && hed__real_of(dtype) == HED_ID_FLOAT64) {
    out->support = HED_SUPPORT_NONE;
    out->storage = out->accum = dtype == HED_ID_FLOAT64 ? HED_ID_FLOAT32 : HED_ID_COMPLEX64;
  }
  return HED_OK;
}

void dev_describe(void *state, char *buf, size_t cap)
{
  dev_device *d = state;
  d->port->describe(d->dev, buf, cap);
}

void dev_fork_child(void *state) { ((dev_device *)state)->forked = 1; }
