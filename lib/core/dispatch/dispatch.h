// SPDX-License-Identifier: BSD-3-Clause
/* From a checked call to a kernel: who executes (plan.h), then the call (run.h); the usual ones by fast_path.c. L2.
 *
 *   hed__exec ex;
 *   if (hed__plan(&ex, HED_OP_ADD, 2, (const hed_array *const[]){ a, b }) != HED_OK) return NULL;
 *   out = hed__array_new(ex.device, dtype, ndim, dim);
 *   status = hed__run(&ex, &(hed__launch){ .n_out = 1, .out = &out, .compute = dtype, .params = &p });
 *   hed__exec_end(&ex);
 */
#ifndef HED_CORE_DISPATCH_H
#define HED_CORE_DISPATCH_H

#include "core/dispatch/plan.h"
#include "core/dispatch/run.h"

#endif
