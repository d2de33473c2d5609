// SPDX-License-Identifier: BSD-3-Clause
/* Calls that a fusion scope records instead of running them. L3.
 *
 * Each returns true with *result when the call was taken (NULL with the error set when that failed). False: it is to run as
 * always, which also words what is wrong with its arguments. To be asked only when hed__fusing().
 */
#ifndef HED_API_FUSE_H
#define HED_API_FUSE_H

#include "api/elementwise/elementwise.h"
#include "core/fuse/fuse.h"
#include <heddle/ops.h>

/* Bytes of the parameters of an elementwise operation. */
size_t hed__params_size(int op);

/* OUT is written, which *RESULT then is, or NULL. */
bool hed__fuse_elementwise(const hed__elementwise *e, hed_array *out, hed_array **result);
bool hed__fuse_astype(const hed_array *x, hed_dtype t, hed_array **result);
bool hed__fuse_copy(hed_array *out, const hed_array *x, hed_array **result);
/* X pending; the axes neighbours. */
bool hed__fuse_reduce(int op, const hed_array *x, const hed_reduce *opt, hed_array *out, hed_array **result);

/* Would reductions of X be recorded, of types that follow from it? OPT may be NULL. */
bool hed__fuse_reducible(const hed_array *x, const hed_reduce *opt);
/* MADE, by recorded calls in scope S, which ends: it goes where the caller's arrays go. */
hed_array *hed__fuse_made(hed_scope *s, hed_array *made);
/* Can the result of shape SHAPE, recorded by T for D, go to OUT? */
bool hed__fuse_goes_to(const hed__tls *t, const hed__device *d, const hed_array *out, const hed_shape *shape);

#endif
