// SPDX-License-Identifier: BSD-3-Clause
/* What a device has no kernel for. L2. */
#ifndef HED_CORE_FALLBACK_H
#define HED_CORE_FALLBACK_H

#include "core/run.h"

enum { HED__RUN_OUT = 4 };

/* A call's operands as kernels get them. */
typedef struct hed__operands {
  const hed_view *in[HED_MAX_NDIM], *out[HED__RUN_OUT];
} hed__operands;

/* CALL by the reference backend as the context's fallback policy allows: directly in host memory, through copies elsewhere.
 * IN are the arrays of O->in. */
int32_t hed__run_fallback(const hed__exec *ex, const hed__launch *l, hed_call *call, hed__operands *o,
                          const hed_array *const *in);

#endif
