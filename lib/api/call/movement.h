// SPDX-License-Identifier: BSD-3-Clause
/* Copying with conversion between arrays and parts of arrays, for operations that move elements. L3. */
#ifndef HED_API_MOVEMENT_H
#define HED_API_MOVEMENT_H

#include "core/dispatch/dispatch.h"

/* DST_VIEW of DST := SRC_VIEW of SRC (equal shapes, any dtypes), by an ASTYPE launch on the device of EX, which can
 * reach both. Empty views are fine. */
hed_status hed__move(const hed__exec *ex, hed_array *dst, const hed_view *dst_view, const hed_array *src,
                     const hed_view *src_view);

/* A new contiguous array on EX's device with X's elements as dtype ID. */
hed_array *hed__moved(const hed__exec *ex, const hed_array *x, int id);

/* Every element of VIEW, a part of X, set to a value. */
hed_status hed__fill_view(const hed__exec *ex, hed_array *x, const hed_view *view, double value);

#endif
