// SPDX-License-Identifier: BSD-3-Clause
/* A backend outside the tree, to start another one from: arrays in host memory, add and matmul of float32 done here,
 * everything else left to other backends.
 *
 *   cc -shared -fPIC -o mirror.so mirror.c $(pkg-config --cflags heddle-core)
 *   HEDDLE_PLUGIN_PATH=$PWD heddle info
 *   HEDDLE_PLUGIN_PATH=$PWD HEDDLE_BACKEND=mirror ./program
 *
 * What a real one changes: probe says whether the hardware could work (without waking its driver), devices and init
 * wake it, ops lists what it does itself. A device with memory of its own leaves HED_PLUGIN_HOST_MEMORY out and gives
 * alloc, free, copy_in and copy_out; <heddle/backend.h> says what each member must do.
 */
#include <heddle/backend.h>
#include <heddle/op_names.h>

#include <stdio.h>
#include <stdlib.h>

/* One per device; the host passes it to every call. Nothing here is global but the table of services. */
typedef struct mirror {
  int32_t device;
} mirror;

static const hed_host_api *host;

static int32_t probe(char *why, size_t cap)
{
  if (getenv("MIRROR_BROKEN")) {
    snprintf(why, cap, "MIRROR_BROKEN is set");
    return 0;
  }
  return 1; /* below the backends that come with Heddle: chosen when asked for by name */
}

static int32_t init(const hed_host_api *api, int32_t device, void **state)
{
  static mirror only;
  host = api;
  only.device = device;
  *state = &only;
  return HED_OK;
}

static void describe(void *state, char *buf, size_t cap)
{
  snprintf(buf, cap, "mirror %d, plain C", (int)((mirror *)state)->device);
}

/* The lists below promise float32 as the type to compute in. Operands and results may still have other types, to be
 * converted; what a kernel does not want to convert it leaves to others by this status. */
static bool all_float32(const hed_call *call)
{
  bool yes = call->out[0]->dtype == HED_ID_FLOAT32;
  for (int32_t k = 0; k < call->n_in; k++)
    yes = yes && call->in[k]->dtype == HED_ID_FLOAT32;
  return yes;
}

/* Shapes agree already: the host has broadcast the operands, so strides may be 0, and negative for flipped views. */
static void add_axis(const hed_call *call, int32_t axis, char *out, const char *a, const char *b)
{
  const hed_view *y = call->out[0], *p = call->in[0], *q = call->in[1];
  if (axis == y->ndim) {
    *(float *)(void *)out = *(const float *)(const void *)a + *(const float *)(const void *)b;
    return;
  }
  for (int64_t k = 0; k < y->dim[axis]; k++)
    add_axis(call, axis + 1, out + k * y->stride[axis], a + k * p->stride[axis], b + k * q->stride[axis]);
}

static int32_t add(void *state, const hed_call *call)
{
  (void)state;
  if (!all_float32(call))
    return HED_E_UNSUPPORTED;
  add_axis(call, 0, call->out[0]->data, call->in[0]->data, call->in[1]->data);
  return HED_OK;
}

/* Matrices in the last two axes, batches in those before. The sum is kept in double. */
static void matmul_axis(const hed_call *call, int32_t axis, char *out, const char *a, const char *b)
{
  const hed_view *y = call->out[0], *p = call->in[0], *q = call->in[1];
  int32_t row = y->ndim - 2, column = y->ndim - 1;
  if (axis < row) {
    for (int64_t k = 0; k < y->dim[axis]; k++)
      matmul_axis(call, axis + 1, out + k * y->stride[axis], a + k * p->stride[axis], b + k * q->stride[axis]);
    return;
  }
  for (int64_t i = 0; i < y->dim[row]; i++)
    for (int64_t j = 0; j < y->dim[column]; j++) {
      double s = 0;
      for (int64_t k = 0; k < p->dim[column]; k++)
        s += (double)*(const float *)(const void *)(a + i * p->stride[row] + k * p->stride[column]) *
             (double)*(const float *)(const void *)(b + k * q->stride[row] + j * q->stride[column]);
      *(float *)(void *)(out + i * y->stride[row] + j * y->stride[column]) = (float)s;
    }
}

static int32_t matmul(void *state, const hed_call *call)
{
  (void)state;
  if (!all_float32(call) || call->in[0]->ndim != call->out[0]->ndim || call->in[1]->ndim != call->out[0]->ndim)
    return HED_E_UNSUPPORTED;
  host->log(4 /* HED_LOG_DEBUG */, "mirror", "a product of %lld x %lld", (long long)call->out[0]->dim[call->out[0]->ndim - 2],
            (long long)call->out[0]->dim[call->out[0]->ndim - 1]);
  matmul_axis(call, 0, call->out[0]->data, call->in[0]->data, call->in[1]->data);
  return HED_OK;
}

static const hed_op_entry ops[] = {
  { "add", add, 1u << HED_ID_FLOAT32 },
  { "matmul", matmul, 1u << HED_ID_FLOAT32 },
  { NULL, NULL, 0 },
};

static const hed_plugin plugin = {
  .struct_size = sizeof plugin,
  .abi_major = HED_ABI_MAJOR,
  .abi_minor = HED_ABI_MINOR,
  .n_ops = HED_OP_COUNT_,
  .op_names = hed_op_names,
  .name = "mirror", /* the file is called mirror.so */
  .version = "1.0",
  .ops = ops,
  .flags = HED_PLUGIN_HOST_MEMORY,
  .probe = probe,
  .init = init,
  .describe = describe,
};

HED_API const hed_plugin *hed_plugin_entry_v1(uint32_t host_major, uint32_t host_minor);

/* The only symbol that the module shows. */
const hed_plugin *hed_plugin_entry_v1(uint32_t host_major, uint32_t host_minor)
{
  (void)host_minor; /* newer hosts know more members; older ones stop reading earlier */
  return host_major == HED_ABI_MAJOR ? &plugin : NULL;
}
