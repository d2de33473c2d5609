// SPDX-License-Identifier: BSD-3-Clause
/* Indexing: slices, positions, masks and integer arrays; reading, writing and accumulating. Conventions: <heddle/ops.h>. */
#ifndef HEDDLE_OPS_INDEX_H
#define HEDDLE_OPS_INDEX_H

#include <heddle/array.h>

HED_BEGIN_DECLS

typedef struct hed_slice_range {
  int64_t start, stop, step; /* as Python's start:stop:step; step 0 is an error */
} hed_slice_range;
#define HED_SLICE_BEGIN INT64_MIN /* start or stop left out */
#define HED_SLICE_END INT64_MAX
#ifdef __cplusplus
#  define HED_RANGE(start, stop, step) (hed_slice_range{ (start), (stop), (step) })
#else
#  define HED_RANGE(start, stop, step) ((hed_slice_range){ (start), (stop), (step) })
#endif
#define HED_ALL HED_RANGE(HED_SLICE_BEGIN, HED_SLICE_END, 1)

/* the first N axes; out of range limits are clamped as in Python */
HED_API hed_array *hed_slice(const hed_array *x, int n, const hed_slice_range *ranges);
/* element or sub-array INDEX of AXIS, negatives from the end; a view with one axis less */
HED_API hed_array *hed_index(const hed_array *x, int32_t axis, int64_t index);

/* ---- selection by keys: NumPy's x[...] ----
 *
 * A selection is a list of keys, one per axis of X from the first; axes that are left over are taken whole.
 *
 *   HED_AT(i)                     element i, negatives from the end; the axis goes
 *   HED_SLICE(start, stop, step)  as Python's slices; HED_WHOLE is the axis as it is
 *   HED_NEWAXIS                   a new axis of extent 1
 *   HED_ELLIPSIS                  as many whole axes as are needed; at most once
 *   HED_IDX(array)                integers of any shape, negatives from the end
 *   HED_MASK(array)               bool array whose axes stand for as many axes of X, with equal extents: the positions
 *                                 of its true elements, in C order
 *
 * Arrays of indices broadcast together (a mask counts as one axis, HED_AT next to arrays as no axes). The axes of the
 * result that come from them stand where the keys stood when those are side by side, else first. Indices are read and
 * checked on the host. Errors: HED_E_INVAL for an index out of range (axis, index and extent are named), HED_E_SHAPE
 * for shapes that do not fit, HED_E_DTYPE for arrays that are neither integers (IDX) nor bool (MASK).
 *
 *   hed_array *y = HED_GET(x, HED_AT(0), HED_ELLIPSIS, HED_IDX(columns));
 *   hed_status s = HED_SET(x, value, HED_MASK(negative));
 *
 * The macros serve C and C++; the functions take the keys as an array. */
typedef enum hed_key_kind {
  HED_KEY_SLICE, HED_KEY_INTEGER, HED_KEY_NEWAXIS, HED_KEY_ELLIPSIS, HED_KEY_INDICES, HED_KEY_MASK
} hed_key_kind;

typedef struct hed_key {
  int32_t kind;          /* hed_key_kind */
  hed_slice_range range; /* SLICE; INTEGER: start */
  const hed_array *array;
} hed_key;

typedef enum hed_scatter_op {
  HED_SCATTER_SET, HED_SCATTER_ADD, HED_SCATTER_MULTIPLY, HED_SCATTER_MAX, HED_SCATTER_MIN
} hed_scatter_op;

#ifdef __cplusplus
#  define HED_KEY_(kind, a, b, c, array) (hed_key{ (kind), { (a), (b), (c) }, (array) })
#else
#  define HED_KEY_(kind, a, b, c, array) ((hed_key){ (kind), { (a), (b), (c) }, (array) })
#endif
#define HED_AT(i) HED_KEY_(HED_KEY_INTEGER, (i), 0, 1, NULL)
#define HED_SLICE(start, stop, step) HED_KEY_(HED_KEY_SLICE, (start), (stop), (step), NULL)
#define HED_WHOLE HED_SLICE(HED_SLICE_BEGIN, HED_SLICE_END, 1)
#define HED_NEWAXIS HED_KEY_(HED_KEY_NEWAXIS, 0, 0, 1, NULL)
#define HED_ELLIPSIS HED_KEY_(HED_KEY_ELLIPSIS, 0, 0, 1, NULL)
#define HED_IDX(array) HED_KEY_(HED_KEY_INDICES, 0, 0, 1, (array))
#define HED_MASK(array) HED_KEY_(HED_KEY_MASK, 0, 0, 1, (array))

/* A view when no key is an array, else a new array. */
HED_API hed_array *hed_get(const hed_array *x, int n, const hed_key *keys);
/* VALUE broadcasts to the selection (leading axes of extent 1 too many are dropped) and is converted to X's dtype; it may
 * share memory with X. X changes in place, also when it is a view of another array. On an error nothing is changed. */
HED_API hed_status hed_set(hed_array *x, int n, const hed_key *keys, const hed_array *value);
/* The same with an operation between what is there and the value, in X's dtype, one value after the other in C order of
 * the selection: an element that is listed k times gets k values (NumPy's ufunc.at). MAX and MIN: not for complex. The
 * same on every backend and with any number of threads, bit for bit. */
HED_API hed_status hed_accumulate(hed_array *x, int n, const hed_key *keys, const hed_array *value, hed_scatter_op op);

#ifdef __cplusplus
}
namespace heddle_detail {
template <class... K> inline hed_array *get(const hed_array *x, K... k)
{
  const hed_key keys[] = { k... };
  return hed_get(x, int(sizeof...(k)), keys);
}
template <class... K> inline hed_status set(hed_array *x, const hed_array *value, K... k)
{
  const hed_key keys[] = { k... };
  return hed_set(x, int(sizeof...(k)), keys, value);
}
template <class... K> inline hed_status accumulate(hed_array *x, hed_scatter_op op, const hed_array *value, K... k)
{
  const hed_key keys[] = { k... };
  return hed_accumulate(x, int(sizeof...(k)), keys, value, op);
}
}
extern "C" {
#  define HED_GET(x, ...) (::heddle_detail::get((x), __VA_ARGS__))
#  define HED_SET(x, value, ...) (::heddle_detail::set((x), (value), __VA_ARGS__))
#  define HED_ACCUMULATE(x, op, value, ...) (::heddle_detail::accumulate((x), (op), (value), __VA_ARGS__))
#else
#  define HED_KEYS_(...) (int)(sizeof((const hed_key[]){ __VA_ARGS__ }) / sizeof(hed_key)), (const hed_key[]){ __VA_ARGS__ }
#  define HED_GET(x, ...) hed_get((x), HED_KEYS_(__VA_ARGS__))
#  define HED_SET(x, value, ...) hed_set_with_((x), (value), HED_KEYS_(__VA_ARGS__))
#  define HED_ACCUMULATE(x, op, value, ...) hed_accumulate_with_((x), (op), (value), HED_KEYS_(__VA_ARGS__))
static inline hed_status hed_set_with_(hed_array *x, const hed_array *value, int n, const hed_key *keys)
{
  return hed_set(x, n, keys, value);
}
static inline hed_status hed_accumulate_with_(hed_array *x, hed_scatter_op op, const hed_array *value, int n,
                                              const hed_key *keys)
{
  return hed_accumulate(x, n, keys, value, op);
}
#endif

/* ---- named forms ---- */

/* coordinates (n, ndim), one row per element that is not 0, in C order */
HED_API hed_array *hed_nonzero(const hed_array *x);

/* X with AXIS replaced by the axes of INDICES. Of a flattened X: hed_take(hed_ravel(x), ..). hed_gather is the same. */
HED_API hed_array *hed_take(const hed_array *x, const hed_array *indices, int32_t axis);

/* INDICES has X's number of axes; its extents but for AXIS broadcast with those of X. */
HED_API hed_array *hed_take_along_axis(const hed_array *x, const hed_array *indices, int32_t axis);

/* The last axis of INDICES, of extent m, holds coordinates of the first m axes of X; shape indices[:-1] + x[m:]. */
HED_API hed_array *hed_gather_nd(const hed_array *x, const hed_array *indices);
/* Zeros of SHAPE in the dtype of UPDATES; rows of INDICES are coordinates as above; repeated ones add up. */
HED_API hed_array *hed_scatter_nd(const hed_array *indices, const hed_array *updates, hed_shape shape);

/* x[mask]: MASK stands for the first axes of X */
HED_API hed_array *hed_compress(const hed_array *x, const hed_array *mask);

/* Every element COUNT times in a row along the one axis of AXIS; NULL: of the flattened array. 0 gives an empty array. */
HED_API hed_array *hed_repeat(const hed_array *x, int64_t count, const hed_axes *axis);
/* The same with an integer for every element of the axis (a single one serves all). */
HED_API hed_array *hed_repeat_each(const hed_array *x, const hed_array *counts, const hed_axes *axis);

HED_END_DECLS

#endif
