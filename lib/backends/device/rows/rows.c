// SPDX-License-Identifier: BSD-3-Clause
/* Which rows the device does itself, and in which types. L1. What is not here runs on the host. */
#include "backends/device/rows/rows.h"

#define BIT(ID) (1u << HED_ID_##ID)
#define ALL ((1u << HED_ID_CONCRETE_COUNT_) - 1)

const hed_op_entry dev_ops[] = {
#define HED_MAP(ID, name, domain, result, args, params, cost, doc) { #name, dev_map_call, ALL },
#include <heddle/ops.def>
#define HED_REDUCE(ID, name, domain, result, doc) { #name, dev_reduce_call, ALL },
#include <heddle/ops.def>
#define DEV_ROW(name, call, types) { #name, call, types },
#include "backends/device/rows/rows.def"
  { NULL, NULL, 0 },
};
