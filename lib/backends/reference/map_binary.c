// SPDX-License-Identifier: BSD-3-Clause
/* Elementwise operations of two operands: loops, table and kernels from the second half of map.def. L1. */
#include "backends/reference/map.h"
#include "backends/reference/map_math.h"

#define EACH_TYPE "backends/reference/map_binary.h"
#include "backends/reference/each_type.h"
#undef EACH_TYPE

#define FIRST_OP HED_OP_ADD
#define MAP1_ENTRY(...)
#define MAP2_ENTRY(...) __VA_ARGS__
#define EACH_TYPE "backends/reference/map_table.h"
static const hed__ref_loop loops[][HED_ID_CONCRETE_COUNT_] = {
#include "backends/reference/each_type.h"
};

#define HED_BINARY(ID, name, domain, result, doc)                               \
  int32_t hed__ref_##name(void *state, const hed_call *call)                   \
  {                                                                            \
    return hed__ref_map(state, call, loops[HED_OP_##ID - FIRST_OP], -1, #name); \
  }
#include <heddle/ops.def>
