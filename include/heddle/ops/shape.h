// SPDX-License-Identifier: BSD-3-Clause
/* Conversion, views and movement: reshaping, joining, padding, rolling. Views share storage where the text says so.
 * Conventions: <heddle/ops.h>. */
#ifndef HEDDLE_OPS_SHAPE_H
#define HEDDLE_OPS_SHAPE_H

#include <heddle/array.h>

HED_BEGIN_DECLS

HED_NEW hed_array *hed_astype(const hed_array *x, hed_dtype t); /* a view of the same elements when already T */
HED_NEW hed_array *hed_copy(const hed_array *x);
HED_API hed_status hed_copy_into(hed_array *out, const hed_array *x); /* broadcasts and converts */
HED_NEW hed_array *hed_reshape(const hed_array *x, hed_shape shape);
HED_NEW hed_array *hed_transpose(const hed_array *x, const hed_axes *axes /* NULL = reverse */);
HED_NEW hed_array *hed_moveaxis(const hed_array *x, int32_t source, int32_t destination);
HED_NEW hed_array *hed_squeeze(const hed_array *x, const hed_axes *axes /* NULL = all of extent 1 */);
HED_NEW hed_array *hed_expand_dims(const hed_array *x, int32_t axis);
HED_NEW hed_array *hed_broadcast_to(const hed_array *x, hed_shape shape);
HED_API hed_status hed_broadcast_shapes(int n, const hed_shape *shapes, hed_shape *out);
HED_NEW hed_array *hed_flip(const hed_array *x, const hed_axes *axes /* NULL = all */);
HED_NEW hed_array *hed_diagonal(const hed_array *x, int64_t offset, int32_t axis1, int32_t axis2);
HED_NEW hed_array *hed_concatenate(int n, const hed_array *const *arrays, int32_t axis);
HED_NEW hed_array *hed_stack(int n, const hed_array *const *arrays, int32_t axis);
/* SHIFTS.axis holds one shift per axis of AXES (NULL or n = 0: one shift of the flattened array) */
HED_NEW hed_array *hed_roll(const hed_array *x, const hed_axes *shifts, const hed_axes *axes);
/* BEFORE and AFTER say how many elements go in front of and behind each axis */
HED_NEW hed_array *hed_pad(const hed_array *x, hed_shape before, hed_shape after, double value);
HED_NEW hed_array *hed_topleft_pad(const hed_array *x, hed_shape shape, double value);
HED_NEW hed_array *hed_extract_center(const hed_array *x, hed_shape shape);

/* ---- axes: views ---- */

/* Axes of extent 1 at the places AXES of the result. */
HED_NEW hed_array *hed_expand_dims_axes(const hed_array *x, const hed_axes *axes);
/* Axis source[k] becomes axis destination[k]; the others keep their order. */
HED_NEW hed_array *hed_moveaxes(const hed_array *x, const hed_axes *source, const hed_axes *destination);
HED_NEW hed_array *hed_swapaxes(const hed_array *x, int32_t axis1, int32_t axis2);
HED_NEW hed_array *hed_matrix_transpose(const hed_array *x); /* the last two axes */
/* K quarter turns from axis1 towards axis2. */
HED_NEW hed_array *hed_rot90(const hed_array *x, int64_t k, int32_t axis1, int32_t axis2);
/* Axes of extent 1 in front until there are N. */
HED_NEW hed_array *hed_atleast_nd(const hed_array *x, int32_t n);
/* OUT[k] is arrays[k] broadcast to the common shape. On an error every OUT is NULL. */
HED_API hed_status hed_broadcast_arrays(int n, const hed_array *const *arrays, hed_array **out);
/* One axis in C order: a view where possible, a copy else. */
HED_NEW hed_array *hed_ravel(const hed_array *x);
/* The same, always a copy. */
HED_NEW hed_array *hed_flatten(const hed_array *x);
/* Windows of the extents WINDOW along AXES (NULL: every axis) in axes appended last; a read-only view. */
HED_NEW hed_array *hed_sliding_window_view(const hed_array *x, hed_shape window, const hed_axes *axes);

/* ---- parts along an axis: views into OUT, NULL after an error ---- */

/* N equal parts; HED_E_SHAPE when the extent is no multiple of N. */
HED_API hed_status hed_split_sections(const hed_array *x, int n, int32_t axis, hed_array **out);
/* N parts, the first (extent mod N) of them longer by one. */
HED_API hed_status hed_array_split(const hed_array *x, int n, int32_t axis, hed_array **out);
/* N + 1 parts that end and begin at INDICES; as in slices, negatives count from the end and limits are clamped. */
HED_API hed_status hed_split_indices(const hed_array *x, int n, const int64_t *indices, int32_t axis, hed_array **out);
/* N parts of these sizes, which must add up to the extent. */
HED_API hed_status hed_split_sizes(const hed_array *x, int n, const int64_t *sizes, int32_t axis, hed_array **out);

/* As many as the axis has elements, each without it. */
HED_API hed_status hed_unstack(const hed_array *x, int32_t axis, hed_array **out);

/* ---- tensors as matrices: views where possible ---- */

/* reshape(moveaxis(x, mode, 0), (extent of mode, -1)): columns in C order over the other modes */
HED_NEW hed_array *hed_unfold(const hed_array *x, int32_t mode);
/* The inverse, for a tensor of SHAPE. */
HED_NEW hed_array *hed_fold(const hed_array *x, int32_t mode, hed_shape shape);
HED_NEW hed_array *hed_vec(const hed_array *x);
/* Rows in C order over ROW_MODES, columns over COLUMN_MODES (NULL: the others in order). */
HED_NEW hed_array *hed_matricize(const hed_array *x, const hed_axes *row_modes, const hed_axes *column_modes);
/* Unfolding of the axes that are left when SKIP_BEGIN first and SKIP_END last ones stay as they are; MODE counts from the
 * first of them. RAVEL: as a vector. */
HED_NEW hed_array *hed_partial_unfold(const hed_array *x, int32_t mode, int32_t skip_begin, int32_t skip_end, bool ravel);
HED_NEW hed_array *hed_partial_vec(const hed_array *x, int32_t skip_begin, int32_t skip_end);
/* The inverse of both (of hed_partial_vec with mode 0), for a tensor of SHAPE. */
HED_NEW hed_array *hed_partial_fold(const hed_array *x, int32_t mode, hed_shape shape, int32_t skip_begin);

/* ---- joining and repeating ---- */

/* Along the first axis, 1-D arrays (N) as rows (1, N). */
HED_NEW hed_array *hed_vstack(int n, const hed_array *const *arrays);
/* Along the second axis, 1-D arrays along their only one. */
HED_NEW hed_array *hed_hstack(int n, const hed_array *const *arrays);
/* Along the third axis, (N) as (1, N, 1) and (M, N) as (M, N, 1). */
HED_NEW hed_array *hed_dstack(int n, const hed_array *const *arrays);
/* X as a whole REPS.dim[k] times along axis k; missing axes of either count as 1, from the front. */
HED_NEW hed_array *hed_tile(const hed_array *x, hed_shape reps);

typedef enum hed_pad_mode {
  HED_PAD_CONSTANT,  /* VALUE */
  HED_PAD_EDGE,      /* a a | a b c | c c */
  HED_PAD_REFLECT,   /* c b | a b c | b a: the edge is not repeated */
  HED_PAD_SYMMETRIC, /* b a | a b c | c b: the edge is repeated */
  HED_PAD_WRAP       /* b c | a b c | a b */
} hed_pad_mode;

/* A margin made from X, of any width. Axes are treated one after the other, as numpy.pad does. Without elements to take from,
 * modes other than CONSTANT are HED_E_SHAPE. */
HED_NEW hed_array *hed_pad_with(const hed_array *x, hed_shape before, hed_shape after, hed_pad_mode mode, double value);

HED_END_DECLS

#endif
