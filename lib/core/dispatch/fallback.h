// SPDX-License-Identifier: BSD-3-Clause
/* What a device has no kernel for: others run it in host memory. L2. */
#ifndef HED_CORE_FALLBACK_H
#define HED_CORE_FALLBACK_H

#include "core/dispatch/run.h"

enum { HED__RUN_OUT = 4 };

/* A call's operands as kernels get them. */
typedef struct hed__operands {
  const hed_view *in[HED_MAX_NDIM], *out[HED__RUN_OUT];
} hed__operands;

/* CALL, with our number of the operation, by the best host backend that is in use and has a kernel for the compute type, else
 * by the reference backend, as the context's fallback policy allows: directly in host memory, through copies elsewhere. *BY
 * becomes who did it. IN are the arrays of O->in. */
int32_t hed__run_fallback(const hed__exec *ex, const hed__launch *l, const hed_call *call, hed__operands *o,
                          const hed_array *const *in, const hed__device **by);

/* Most bytes at once of host memory that CALL, without data, takes in the context in force: its device's kernel, or the
 * reference kernel and the copies for it. */
hed_status hed__workspace(hed_call *call, size_t *bytes);

#endif
