// SPDX-License-Identifier: BSD-3-Clause
/* A backend built outside the tree: a starting point to copy. Host memory, two operations of its own for
 * float32 (square and add, any strides), everything else through other operations or the reference backend.
 *
 *   cc -shared -fPIC -o strange.so backend.c $(pkg-config --cflags heddle-core)
 *   HEDDLE_PLUGIN_PATH=$PWD heddle info
 */
#include <heddle/backend.h>
#include <heddle/op_names.h>

#include <stdio.h>

static const hed_host_api *host;

static int32_t probe(char *why, size_t cap)
{
  (void)why;
  (void)cap;
  return 2; /* below reference and cpu: chosen only when asked for */
}

static int32_t init(const hed_host_api *api, int32_t device, void **state)
{
  static int calls;
  if (device != 0)
    return api->fail(HED_E_NOTFOUND, "strange: device %d asked for, there is one", (int)device);
  host = api;
  *state = &calls;
  return HED_OK;
}

static void describe(void *state, char *buf, size_t cap)
{
  snprintf(buf, cap, "one strange device, %d calls so far", *(int *)state);
}

/* Calls FN on every element: the last axis in a loop, the others by counting an index. */
typedef void (*element_fn)(char *out, char *const *in);

static int32_t each(void *state, const hed_call *call, element_fn fn)
{
  const hed_view *y = call->out[0];
  int64_t index[HED_MAX_NDIM] = { 0 };
  ++*(int *)state;
  for (int k = 0; k < y->ndim; k++)
    if (y->dim[k] == 0)
      return HED_OK;
  for (;;) {
    char *out = y->data, *in[2] = { NULL, NULL };
    for (int i = 0; i < call->n_in; i++)
      in[i] = call->in[i]->data;
    for (int k = 0; k < y->ndim; k++) {
      out += index[k] * y->stride[k];
      for (int i = 0; i < call->n_in; i++)
        in[i] += index[k] * call->in[i]->stride[k];
    }
    fn(out, in);
    int k = y->ndim - 1;
    while (k >= 0 && ++index[k] == y->dim[k])
      index[k--] = 0;
    if (k < 0)
      return HED_OK;
  }
}

static void square_one(char *out, char *const *in) { *(float *)out = *(float *)in[0] * *(float *)in[0]; }
static void add_one(char *out, char *const *in) { *(float *)out = *(float *)in[0] + *(float *)in[1]; }

/* Operands may differ from the compute type; what is not plain float32 is refused and so goes elsewhere. */
static int plain(const hed_call *call)
{
  int yes = call->out[0]->dtype == HED_ID_FLOAT32 && call->n_in <= 2;
  for (int i = 0; i < call->n_in; i++)
    yes = yes && call->in[i]->dtype == HED_ID_FLOAT32;
  return yes;
}

static int32_t square(void *state, const hed_call *call)
{
  if (!plain(call))
    return host->fail(HED_E_UNSUPPORTED, "square: strange does float32 only");
  return each(state, call, square_one);
}

static int32_t add(void *state, const hed_call *call)
{
  if (!plain(call))
    return host->fail(HED_E_UNSUPPORTED, "add: strange does float32 only");
  return each(state, call, add_one);
}

static const hed_op_entry ops[] = {
  { "square", square, 1u << HED_ID_FLOAT32 },
  { "add", add, 1u << HED_ID_FLOAT32 },
  { NULL, NULL, 0 },
};

static const hed_plugin plugin = {
  .struct_size = sizeof plugin,
  .abi_major = HED_ABI_MAJOR,
  .abi_minor = HED_ABI_MINOR,
  .n_ops = HED_OP_COUNT_,
  .op_names = hed_op_names,
  .name = "strange",
  .version = "7.1",
  .ops = ops,
  .flags = HED_PLUGIN_HOST_MEMORY,
  .probe = probe,
  .init = init,
  .describe = describe,
};

const hed_plugin *hed_plugin_entry_v1(uint32_t host_abi_major, uint32_t host_abi_minor);

const hed_plugin *hed_plugin_entry_v1(uint32_t host_abi_major, uint32_t host_abi_minor)
{
  (void)host_abi_minor;
  return host_abi_major == HED_ABI_MAJOR ? &plugin : NULL;
}
