// SPDX-License-Identifier: BSD-3-Clause
/* Conversion, views and movement: reshaping, joining, padding, rolling. Views share storage where the text says so.
 * Conventions: <heddle/ops.h>. */
#ifndef HEDDLE_OPS_SHAPE_H
#define HEDDLE_OPS_SHAPE_H

#include <heddle/array.h>

HED_BEGIN_DECLS

HED_API hed_array *hed_astype(const hed_array *x, hed_dtype t); /* a view of the same elements when already T */
HED_API hed_array *hed_copy(const hed_array *x);
HED_API hed_status hed_copy_into(hed_array *out, const hed_array *x); /* broadcasts and converts */
HED_API hed_array *hed_reshape(const hed_array *x, hed_shape shape);
HED_API hed_array *hed_transpose(const hed_array *x, const hed_axes *axes /* NULL = reverse */);
HED_API hed_array *hed_moveaxis(const hed_array *x, int32_t source, int32_t destination);
HED_API hed_array *hed_squeeze(const hed_array *x, const hed_axes *axes /* NULL = all of extent 1 */);
HED_API hed_array *hed_expand_dims(const hed_array *x, int32_t axis);
HED_API hed_array *hed_broadcast_to(const hed_array *x, hed_shape shape);
HED_API hed_status hed_broadcast_shapes(int n, const hed_shape *shapes, hed_shape *out);
HED_API hed_array *hed_flip(const hed_array *x, const hed_axes *axes /* NULL = all */);
HED_API hed_array *hed_diagonal(const hed_array *x, int64_t offset, int32_t axis1, int32_t axis2);
HED_API hed_array *hed_concatenate(int n, const hed_array *const *arrays, int32_t axis);
HED_API hed_array *hed_stack(int n, const hed_array *const *arrays, int32_t axis);
/* SHIFTS.axis holds one shift per axis of AXES (NULL or n = 0: one shift of the flattened array) */
HED_API hed_array *hed_roll(const hed_array *x, const hed_axes *shifts, const hed_axes *axes);
HED_API hed_array *hed_pad(const hed_array *x, hed_shape before, hed_shape after, double value);
HED_API hed_array *hed_topleft_pad(const hed_array *x, hed_shape shape, double value);
HED_API hed_array *hed_extract_center(const hed_array *x, hed_shape shape);

HED_END_DECLS

#endif
