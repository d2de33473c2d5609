// SPDX-License-Identifier: BSD-3-Clause
/* Elements between memory spaces. L2. */
#ifndef HED_CORE_TRANSFER_H
#define HED_CORE_TRANSFER_H

#include "core/array/array.h"

/* Copy of X's elements into host memory described by DST (same shape and dtype), or back. */
hed_status hed__copy_out(const hed_array *x, const hed_view *dst);
hed_status hed__copy_in(hed_array *x, const hed_view *src);

/* The same for a view of X's storage. */
hed_status hed__copy_out_view(const hed_array *x, const hed_view *from, const hed_view *dst);
hed_status hed__copy_in_view(hed_array *x, const hed_view *to, const hed_view *src);

/* All elements of SRC into DST, of the same shape and dtype, whatever their spaces. */
hed_status hed__transfer(hed_array *dst, const hed_array *src);

/* X in D's memory: a handle of its own, on the same storage where it is there. NULL with the error set. */
hed_array *hed__to_device(const hed_array *x, hed__device *d);

#endif
