// SPDX-License-Identifier: BSD-3-Clause
/* faulty: the module's table. L1. */
#include "backends/faulty/faulty.h"
#include <heddle/op_names.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int32_t probe(char *why, size_t cap)
{
  hed__faulty_configure();
  hed__faulty_tick(&hed__faulty.probes, NULL);
  if (hed_faulty_query("probe") > 0)
    return 1;
  snprintf(why, cap, "faulty was told not to be usable");
  return 0;
}

static int32_t devices(void)
{
  int64_t n = hed_faulty_query("devices");
  return (int32_t)(n < HED__FAULTY_DEVICES ? n : HED__FAULTY_DEVICES);
}

/* One of the initialisations that are to fail? */
static bool init_fails(void)
{
  bool fails = false;
  pthread_mutex_lock(&hed__faulty.lock);
  hed__faulty.inits++;
  if (hed__faulty.init_fail > 0) {
    hed__faulty.init_fail--;
    fails = true;
  }
  pthread_mutex_unlock(&hed__faulty.lock);
  return fails;
}

static int32_t init(const hed_host_api *host, int32_t device, void **state)
{
  hed__faulty_configure();
  int64_t ms = hed_faulty_query("init_sleep_ms");
  struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
  if (ms > 0)
    nanosleep(&t, NULL);
  if (init_fails())
    return host->fail(HED_E_UNAVAILABLE, "faulty:%d was told to fail its initialisation", (int)device);
  if (device < 0 || device >= HED__FAULTY_DEVICES)
    return host->fail(HED_E_NOTFOUND, "faulty has devices 0 to %d, not %d", HED__FAULTY_DEVICES - 1, (int)device);

  hed__faulty_device *d = host->alloc(sizeof *d, 0);
  if (!d)
    return host->fail(HED_E_NOMEM, "faulty:%d: no memory for the device", (int)device);
  memset(d, 0, sizeof *d);
  d->host = host;
  d->index = device;
  if (!hed__faulty_memory_init(d, (size_t)hed_faulty_query("memory"))) {
    host->free(d);
    return host->fail(HED_E_NOMEM, "faulty:%d: no address space for the device's memory", (int)device);
  }
  if (!hed__faulty_queue_start(d)) {
    hed__faulty_memory_drop(d);
    host->free(d);
    return host->fail(HED_E_UNAVAILABLE, "faulty:%d: the queue's thread did not start", (int)device);
  }
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
  const hed__faulty_device *d = state;
  snprintf(buf, cap, "fake device %d, %zu MiB, no float64", (int)d->index, d->bytes >> 20);
}

static void fork_child(void *state)
{
  hed__faulty_device *d = state;
  d->forked = 1;
}

/* Twice, for a host must take a module at its word and a module must not change it. */
#define PLUGIN(flags_) \
  { \
    .struct_size = sizeof(hed_plugin), \
    .abi_major = HED_ABI_MAJOR, \
    .abi_minor = HED_ABI_MINOR, \
    .n_ops = HED_OP_COUNT_, \
    .op_names = hed_op_names, \
    .name = "faulty", \
    .version = "1", \
    .ops = hed__faulty_ops, \
    .probe = probe, \
    .devices = devices, \
    .init = init, \
    .resolve = resolve, \
    .describe = describe, \
    .alloc = hed__faulty_alloc, \
    .free = hed__faulty_free, \
    .copy_in = hed__faulty_copy_in, \
    .copy_out = hed__faulty_copy_out, \
    .wait = hed__faulty_wait, \
    .fork_child = fork_child, \
    .dlpack_device = 12, /* kDLExtDev, for trying things */ \
    .done = hed__faulty_done, \
    .memory = hed__faulty_memory, \
    .flags = flags_, \
  }

static const hed_plugin plugin = PLUGIN(0), ordered = PLUGIN(HED_PLUGIN_ORDERED);

HED_API const hed_plugin *hed_plugin_entry_v1(uint32_t host_major, uint32_t host_minor);

const hed_plugin *hed_plugin_entry_v1(uint32_t host_major, uint32_t host_minor)
{
  (void)host_minor;
  hed__faulty_configure();
  if (host_major != HED_ABI_MAJOR)
    return NULL;
  return hed_faulty_query("ordered") ? &ordered : &plugin;
}
