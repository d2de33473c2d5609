// SPDX-License-Identifier: BSD-3-Clause
/* Descriptor of the reference backend. L1.
 *
 * The table of kernels expands from ops.def: a row of impl KERNEL without a function ref_NAME does not link.
 */
#include "backends/reference/kernels.h"
#include "base/dtype.h"

#include <heddle/backend.h>
#include <heddle/op_names.h>
#include <heddle/version.h>
#include <stdio.h>

#define REF_ENTRY_KERNEL(name) { #name, ref_##name, 0 },
#define REF_ENTRY_COMPOSITE(name)
#define REF_ENTRY_VIEW(name)
static const hed_op_entry kernels[] = {
#define HED_OP(ID, name, impl, domain, result, args, results, doc) REF_ENTRY_##impl(name)
#include <heddle/ops.def>
  { NULL, NULL, 0 }
};

/* Usable everywhere, wanted where nothing better is; test devices score below it. */
static int32_t probe(char *why, size_t cap)
{
  if (cap > 0)
    why[0] = '\0';
  return 10;
}

static int32_t init(const hed_host_api *host, int32_t device, void **state)
{
  (void)device;
  *state = (void *)(uintptr_t)host;
  return HED_OK;
}

/* Every dtype is stored as it is; the 16-bit floats are computed in float32. Sums run in the widest type of the kind. */
static int32_t resolve(void *state, int32_t dtype, hed_plugin_resolution *out)
{
  static const char *const c_type[] = {
#define HED_DTYPE(ID, name, ctype, kind, bytes) [HED_ID_##ID] = #ctype,
#include <heddle/dtypes.def>
#undef HED_DTYPE
  };
  static const int32_t widest[] = {
    [HED_KIND_BOOL] = HED_ID_INT64, [HED_KIND_UINT] = HED_ID_UINT64, [HED_KIND_INT] = HED_ID_INT64,
    [HED_KIND_FLOAT] = HED_ID_FLOAT64, [HED_KIND_COMPLEX] = HED_ID_COMPLEX128,
  };
  (void)state;
  out->support = hed__compute_of(dtype) == dtype ? HED_SUPPORT_NATIVE : HED_SUPPORT_FALLBACK;
  out->storage = dtype;
  out->accum = widest[hed__id_kind(dtype)];
  out->native = -1;
  out->native_name = c_type[dtype];
  return HED_OK;
}

static void describe(void *state, char *buf, size_t cap)
{
  (void)state;
  snprintf(buf, cap, "portable C, one thread");
}

const hed_plugin ref_plugin = {
  .struct_size = sizeof(hed_plugin),
  .abi_major = HED_ABI_MAJOR,
  .abi_minor = HED_ABI_MINOR,
  .n_ops = HED_OP_COUNT_,
  .op_names = hed_op_names,
  .name = "reference",
  .version = HED_VERSION,
  .ops = kernels,
  .flags = HED_PLUGIN_HOST_MEMORY,
  .probe = probe,
  .init = init,
  .resolve = resolve,
  .describe = describe,
  .workspace = ref_workspace,
};
