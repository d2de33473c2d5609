// SPDX-License-Identifier: BSD-3-Clause
/* A module with two devices in host memory, which counts the threads that have a slot of its own. L5. */
#include <heddle/backend.h>
#include <heddle/op_names.h>
#include <stdatomic.h>

static const hed_host_api *host;
static atomic_int in_use, ended;
static const hed_plugin plugin;

HED_API int slots_in_use(int *threads_ended);
HED_API const hed_plugin *hed_plugin_entry_v1(uint32_t major, uint32_t minor);

int slots_in_use(int *threads_ended)
{
  *threads_ended = atomic_load(&ended);
  return atomic_load(&in_use);
}

static int32_t negative(void *state, const hed_call *call)
{
  void **slot = host->thread_slot(&plugin);
  (void)state;
  (void)call;
  if (slot && !*slot) {
    *slot = &in_use;
    atomic_fetch_add(&in_use, 1);
  }
  return HED_E_UNSUPPORTED;
}

static int32_t probe(char *why, size_t cap)
{
  (void)why;
  (void)cap;
  return 1;
}

static int32_t devices(void) { return 2; }

static int32_t init(const hed_host_api *h, int32_t device, void **state)
{
  (void)device;
  (void)state;
  host = h;
  return HED_OK;
}

static void thread_exit(void *state, void *slot)
{
  (void)state;
  atomic_fetch_sub((atomic_int *)slot, 1);
  atomic_fetch_add(&ended, 1);
}

static const hed_op_entry ops[] = { { "negative", negative, 0 }, { NULL, NULL, 0 } };

static const hed_plugin plugin = {
  .struct_size = sizeof plugin,
  .abi_major = HED_ABI_MAJOR,
  .abi_minor = HED_ABI_MINOR,
  .n_ops = HED_OP_COUNT_,
  .name = "slots",
  .version = "1",
  .ops = ops,
  .flags = HED_PLUGIN_HOST_MEMORY,
  .probe = probe,
  .devices = devices,
  .init = init,
  .thread_exit = thread_exit,
  .op_names = hed_op_names,
};

const hed_plugin *hed_plugin_entry_v1(uint32_t major, uint32_t minor)
{
  (void)major;
  (void)minor;
  return &plugin;
}
