// SPDX-License-Identifier: BSD-3-Clause
/* Memory shared with others who use the same device: who waits for whom. L3. See <heddle/dlpack.h> for STREAM. */
#ifndef HED_API_EXCHANGE_H
#define HED_API_EXCHANGE_H

#include "core/array/array.h"

/* V of D as an array, as hed__array_wrap, after what STREAM holds; what STREAM gets after DONE comes after the array's uses. FROM:
 * the array whose memory it is, where that is known, so that a failure of what computed that reaches this one; else NULL. */
hed_array *hed__import(const char *op, hed__device *d, const hed_view *v, intptr_t stream, const hed_array *from,
                       void (*done)(void *), void *arg);

/* What STREAM gets from now on comes after all uses of X. */
hed_status hed__export(const hed_array *x, intptr_t stream);

#endif
