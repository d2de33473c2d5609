// SPDX-License-Identifier: BSD-3-Clause
/* Which rows the device does itself, and in which types. L1. What is not here runs on the host. */
#include "backends/device/layer.h"

#define BIT(ID) (1u << HED_ID_##ID)
#define ALL ((1u << HED_ID_CONCRETE_COUNT_) - 1)

const hed_op_entry hed__device_ops[] = {
#define HED_MAP(ID, name, domain, result, args, params, cost, doc) { #name, hed__map_call, ALL },
#include <heddle/ops.def>
  { "astype", hed__cast_call, ALL },
  { "concatenate", hed__concatenate_call, ALL },
  { "fill", hed__fill_call, ALL },
  { "arange", hed__arange_call, ALL },
  { "tril", hed__tril_call, ALL },
  { "triu", hed__triu_call, ALL },
  { NULL, NULL, 0 },
};
