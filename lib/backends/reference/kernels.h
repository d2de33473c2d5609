// SPDX-License-Identifier: BSD-3-Clause
/* The reference backend's kernels, one for every row of ops.def whose impl is KERNEL. L1; for those who list or call them. */
#ifndef HED_BACKENDS_REFERENCE_KERNELS_H
#define HED_BACKENDS_REFERENCE_KERNELS_H

#include "backends/reference/reference.h"
#include <heddle/backend.h>

#define REF_ROW_KERNEL(name) int32_t ref_##name(void *state, const hed_call *call);
#define REF_ROW_COMPOSITE(name)
#define REF_ROW_VIEW(name)
#define HED_OP(ID, name, impl, domain, result, args, results, doc) REF_ROW_##impl(name)
#include <heddle/ops.def>

#endif
