// SPDX-License-Identifier: BSD-3-Clause
/* Weak definitions that let the library link while parts of it are being written; any strong definition wins. Removed
 * once the reference backend and the API layer are complete.
 */
#include <heddle/backend.h>
#include <string.h>

#define WEAK __attribute__((weak))
#define HED__WEAK_KERNEL(name)                                     \
  WEAK int32_t hed__ref_##name(void *state, const hed_call *call); \
  int32_t hed__ref_##name(void *state, const hed_call *call)       \
  {                                                                \
    (void)state, (void)call;                                       \
    return hed_fail(HED_E_UNSUPPORTED, #name ": no kernel");       \
  }
#define HED__WEAK_COMPOSITE(name)
#define HED__WEAK_VIEW(name)
#define HED_OP(ID, name, impl, domain, result, args, results, doc) HED__WEAK_##impl(name)
#include <heddle/ops.def>

#define HED__ENTRY_KERNEL(name) { #name, hed__ref_##name, 0 },
#define HED__ENTRY_COMPOSITE(name)
#define HED__ENTRY_VIEW(name)
static const hed_op_entry kernels[] = {
#define HED_OP(ID, name, impl, domain, result, args, results, doc) HED__ENTRY_##impl(name)
#include <heddle/ops.def>
  { NULL, NULL, 0 }
};

static int32_t probe(char *why, size_t cap)
{
  (void)cap;
  why[0] = 0;
  return 1;
}

static int32_t init(const hed_host_api *host, int32_t device, void **state)
{
  (void)device;
  *state = (void *)(uintptr_t)host;
  return HED_OK;
}

extern const hed_plugin hed__reference_plugin;
WEAK const hed_plugin hed__reference_plugin = {
  .struct_size = sizeof(hed_plugin), .abi_major = HED_ABI_MAJOR, .n_ops = HED_OP_COUNT_, .name = "reference",
  .version = "0", .ops = kernels, .flags = HED_PLUGIN_HOST_MEMORY, .probe = probe, .init = init,
};

static const struct { const char *name, *impl, *domain; } rows[] = {
#define HED_OP(ID, name, impl, domain, result, args, results, doc) { #name, #impl, domain },
#include <heddle/ops.def>
};

WEAK const char *hed_op_name(int op) { return op >= 0 && op < HED_OP_COUNT_ ? rows[op].name : "?"; }

WEAK int hed_op_by_name(const char *name)
{
  for (int i = 0; i < HED_OP_COUNT_; i++)
    if (strcmp(rows[i].name, name) == 0)
      return i;
  return -1;
}

WEAK hed_status hed_op_query(int op, hed_op_info *out)
{
  *out = (hed_op_info){ .struct_size = out->struct_size, .op = op, .name = rows[op].name, .impl = rows[op].impl,
                        .domain = rows[op].domain };
  return HED_OK;
}
