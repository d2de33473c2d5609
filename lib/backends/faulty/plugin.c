// SPDX-License-Identifier: BSD-3-Clause
/* faulty: the module's table. L1. */
#include "backends/faulty/faulty.h"
#include <heddle/op_names.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static hed_plugin plugin; /* not changed once the module is loaded */

static int32_t probe(char *why, size_t cap)
{
  faulty_configure();
  atomic_fetch_add(&faulty_state.probes, 1);
  int64_t score = atomic_load(&faulty_state.probe);
  if (score > 0)
    return (int32_t)score;
  snprintf(why, cap, "faulty was told not to be usable");
  return 0;
}

static int32_t devices(void)
{
  int64_t n = atomic_load(&faulty_state.devices);
  return (int32_t)(n < FAULTY_DEVICES ? n : FAULTY_DEVICES);
}

/* One of the initialisations that are to fail? */
static bool init_fails(void)
{
  int64_t left = atomic_load(&faulty_state.init_fail);
  while (left > 0 && !atomic_compare_exchange_weak(&faulty_state.init_fail, &left, left - 1))
    ;
  return left > 0;
}

/* Streams, each with its thread; without HED_PLUGIN_STREAMS one. Threads that were started stay, with D. */
static bool start(faulty_device *d)
{
  int64_t want = faulty_streams(d) ? atomic_load(&faulty_state.queues) : 1;
  bool good = true;
  pthread_mutex_lock(&faulty_lock);
  for (int64_t k = 0; good && k < want && k < FAULTY_STREAMS; k++)
    good = faulty_stream_start(d);
  d->n_own = d->n_streams;
  if (good)
    faulty_made[d->index] = d;
  pthread_mutex_unlock(&faulty_lock);
  return good && d->n_own > 0;
}

static int32_t init(const hed_host_api *host, int32_t device, void **state)
{
  faulty_configure();
  int64_t ms = atomic_load(&faulty_state.init_sleep_ms);
  struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
  if (ms > 0)
    nanosleep(&t, NULL);
  atomic_fetch_add(&faulty_state.inits, 1);
  if (init_fails())
    return host->fail(HED_E_UNAVAILABLE, "faulty:%d was told to fail its initialisation", (int)device);
  if (device < 0 || device >= FAULTY_DEVICES)
    return host->fail(HED_E_NOTFOUND, "faulty has devices 0 to %d, not %d", FAULTY_DEVICES - 1, (int)device);

  faulty_device *d = host->alloc(sizeof *d, 0);
  if (!d)
    return host->fail(HED_E_NOMEM, "faulty:%d: no memory for the device", (int)device);
  memset(d, 0, sizeof *d);
  d->host = host;
  d->plugin = &plugin;
  d->index = device;
  faulty_services(d);
  if (!faulty_memory_init(d, (size_t)atomic_load(&faulty_state.memory))) {
    host->free(d);
    return host->fail(HED_E_NOMEM, "faulty:%d: no address space for the device's memory", (int)device);
  }
  if (!start(d))
    return host->fail(HED_E_UNAVAILABLE, "faulty:%d: the thread of a stream did not start", (int)device);
  *state = d;
  return HED_OK;
}

static int32_t resolve(void *state, int32_t dtype, hed_plugin_resolution *out)
{
  (void)state;
  out->support = HED_SUPPORT_NATIVE;
  out->storage = out->accum = dtype;
  out->native = dtype;
  out->native_name = NULL;
  switch (dtype) {
  case HED_ID_FLOAT64:
    out->support = HED_SUPPORT_NONE;
    out->storage = out->accum = HED_ID_FLOAT32;
    break;
  case HED_ID_COMPLEX128:
    out->support = HED_SUPPORT_NONE;
    out->storage = out->accum = HED_ID_COMPLEX64;
    break;
  case HED_ID_FLOAT16:
  case HED_ID_BFLOAT16:
    out->support = HED_SUPPORT_FALLBACK;
    out->accum = HED_ID_FLOAT32;
    break;
  case HED_ID_FLOAT32:
    out->native_name = "fake_float";
    break;
  default:
    break;
  }
  return HED_OK;
}

static void describe(void *state, char *buf, size_t cap)
{
  const faulty_device *d = state;
  snprintf(buf, cap, "fake device %d, %zu MiB, no float64", (int)d->index, d->bytes >> 20);
}

static void fork_child(void *state)
{
  faulty_device *d = state;
  d->forked = 1;
  faulty_forget_threads();
}

static hed_plugin plugin = {
  .struct_size = sizeof(hed_plugin),
  .abi_major = HED_ABI_MAJOR,
  .abi_minor = HED_ABI_MINOR,
  .n_ops = HED_OP_COUNT_,
  .name = "faulty",
  .version = "1",
  .ops = faulty_ops,
  .probe = probe,
  .devices = devices,
  .init = init,
  .resolve = resolve,
  .describe = describe,
  .alloc = faulty_alloc,
  .free = faulty_free,
  .copy_in = faulty_copy_in,
  .copy_out = faulty_copy_out,
  .wait = faulty_wait,
  .fork_child = fork_child,
  .dlpack_device = 12, /* kDLExtDev, for trying things */
  .done = faulty_done,
  .memory = faulty_memory,
  .op_names = hed_op_names,
  .forget = faulty_forget,
};

/* What the settings say of the module, before any host has seen it. */
static void describe_module(void)
{
  hed_plugin *p = &plugin;
  faulty_configure();
  if (atomic_load(&faulty_state.few))
    p->ops = faulty_few_ops;
  if (atomic_load(&faulty_state.ordered))
    p->flags |= HED_PLUGIN_ORDERED;
  const int64_t minor = atomic_load(&faulty_state.minor);
  if (minor < HED_ABI_MINOR) { /* as such a module is: shorter */
    p->abi_minor = (uint32_t)minor;
    p->struct_size = (uint32_t)(minor < 3 ? offsetof(hed_plugin, op_names) : offsetof(hed_plugin, forget));
  }
  if (minor < 3)
    return;
  if (atomic_load(&faulty_state.streams) && !atomic_load(&faulty_state.ordered)) {
    p->flags |= HED_PLUGIN_STREAMS;
    p->stream = faulty_stream_number;
    p->copy_in_async = faulty_copy_in_async;
    p->copy_peer = faulty_copy_peer;
    p->stream_native = faulty_stream_native;
    p->stream_adopt = faulty_stream_adopt;
    p->stream_select = faulty_stream_select;
    p->stream_after = faulty_stream_after;
    p->after_stream = faulty_after_stream;
  }
  if (atomic_load(&faulty_state.pinned)) {
    p->pinned_alloc = faulty_pinned_alloc;
    p->pinned_free = faulty_pinned_free;
  }
  if (atomic_load(&faulty_state.scalars))
    p->flags |= HED_PLUGIN_HOST_SCALARS;
  if (atomic_load(&faulty_state.indices))
    p->flags |= HED_PLUGIN_CHECKS_INDICES;
  if (atomic_load(&faulty_state.fusion)) {
    p->flags |= HED_PLUGIN_FUSE_DEVICE;
    p->fuse = faulty_fuse;
  }
}

HED_API const hed_plugin *hed_plugin_entry_v1(uint32_t host_major, uint32_t host_minor);

const hed_plugin *hed_plugin_entry_v1(uint32_t host_major, uint32_t host_minor)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)host_minor;
  pthread_once(&once, describe_module);
  return host_major == HED_ABI_MAJOR ? &plugin : NULL;
}
