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
HED_NEW hed_array *hed_slice(const hed_array *x, int n, const hed_slice_range *ranges);
/* element or sub-array INDEX of AXIS, negatives from the end; a view with one axis less */
HED_NEW hed_array *hed_index(const hed_array *x, int32_t axis, int64_t index);

/* ---- selection by keys: NumPy's x[...] ----
 *
 * A selection is a list of keys, one per axis of X from the first; axes that are left over are taken whole.
 *
 *   HED_AT(i)                     element i, negatives from the end; the axis goes
 *   HED_SLICE(start, stop, step)  as Python's slices; HED_WHOLE is the axis as it is
 *   HED_NEWAXIS                   a new axis of extent 1
 *   HED_ELLIPSIS                  as many whole axes as are needed; at most once
 *   HED_IDX(array)                integers of any shape, negatives from the end
 *   HED_MASK(array)               bool array whose axes stand for as many axes of X, with equal extents or 0: the
 *                                 positions of its true elements, in C order
 *
 * Arrays of indices broadcast together (a mask counts as one axis, HED_AT next to arrays as no axes). The axes of the
 * result that come from them stand where the keys stood when those are side by side, else first. Indices are read and
 * checked on the host. Errors: HED_E_INDEX for an index out of range (axis, index and extent are named), HED_E_SHAPE
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
HED_NEW hed_array *hed_get(const hed_array *x, int n, const hed_key *keys);
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
#  ifndef HED_PLAIN_HEADERS
static inline hed_status hed_set_with_(hed_array *x, const hed_array *value, int n, const hed_key *keys)
{
  return hed_set(x, n, keys, value);
}
static inline hed_status hed_accumulate_with_(hed_array *x, hed_scatter_op op, const hed_array *value, int n,
                                              const hed_key *keys)
{
  return hed_accumulate(x, n, keys, value, op);
}
#  endif
#endif

/* ---- named forms ---- */

/* coordinates (n, ndim), one row per element that is not 0, in C order */
HED_NEW hed_array *hed_nonzero(const hed_array *x);

/* X with AXIS replaced by the axes of INDICES. Of a flattened X: hed_take(hed_ravel(x), ..). hed_gather is the same. */
HED_NEW hed_array *hed_take(const hed_array *x, const hed_array *indices, int32_t axis);

/* INDICES has X's number of axes; its extents but for AXIS broadcast with those of X. */
HED_NEW hed_array *hed_take_along_axis(const hed_array *x, const hed_array *indices, int32_t axis);

/* The last axis of INDICES, of extent m, holds coordinates of the first m axes of X; shape indices[:-1] + x[m:]. */
HED_NEW hed_array *hed_gather_nd(const hed_array *x, const hed_array *indices);
/* Zeros of SHAPE in the dtype of UPDATES; rows of INDICES are coordinates as above; repeated ones add up. */
HED_NEW hed_array *hed_scatter_nd(const hed_array *indices, const hed_array *updates, hed_shape shape);

/* x[mask]: MASK stands for the first axes of X */
HED_NEW hed_array *hed_compress(const hed_array *x, const hed_array *mask);

/* Every element COUNT times in a row along the one axis of AXIS; NULL: of the flattened array. 0 gives an empty array. */
HED_NEW hed_array *hed_repeat(const hed_array *x, int64_t count, const hed_axes *axis);
/* The same with an integer for every element of the axis (a single one serves all). */
HED_NEW hed_array *hed_repeat_each(const hed_array *x, const hed_array *counts, const hed_axes *axis);

/* ---- where elements are ---- */

/* The columns of hed_nonzero: OUT gets one vector per axis of X. On an error every OUT is NULL. */
HED_API hed_status hed_nonzero_axes(const hed_array *x, hed_array **out);
/* Numbers, in C order, of the elements that are not 0. */
HED_NEW hed_array *hed_flatnonzero(const hed_array *x);
/* Coordinates of elements given by their C-order number (negatives from the end): OUT gets one array of the shape of INDICES
 * per axis of SHAPE, 0-d for a 0-d number. On an error every OUT is NULL. */
HED_API hed_status hed_unravel_index(const hed_array *indices, hed_shape shape, hed_array **out);
/* The inverse: the N coordinates broadcast together; out of range is HED_E_INDEX. */
HED_NEW hed_array *hed_ravel_multi_index(int n, const hed_array *const *coordinates, hed_shape shape);

/* ---- in place ---- */

/* x[.., indices[.., i, ..], ..] = values[.., i, ..]; VALUES broadcasts to INDICES. */
HED_API hed_status hed_put_along_axis(hed_array *x, const hed_array *indices, const hed_array *values, int32_t axis);
/* x[keys] += value with repeated elements as often as they are listed: hed_accumulate with ADD. */
HED_API hed_status hed_addat(hed_array *x, int n, const hed_key *keys, const hed_array *value);
/* x[mask] = values for a MASK of X's shape; VALUES are used in C order, from the first again when they run out. */
HED_API hed_status hed_place(hed_array *x, const hed_array *mask, const hed_array *values);

/* ---- as new arrays: X stays as it was, whoever holds it ---- */

/* A copy of X after hed_set. hed_at is the same. */
HED_NEW hed_array *hed_index_update(const hed_array *x, int n, const hed_key *keys, const hed_array *value);
/* A copy of X with rows of INDICES (see hed_gather_nd) set to UPDATES; the last of several stays. */
HED_NEW hed_array *hed_tensor_scatter_nd_update(const hed_array *x, const hed_array *indices, const hed_array *updates);
/* The block of X that begins at STARTS (negatives from the end) with extents SIZES (-1: the rest); a view. */
HED_NEW hed_array *hed_slice_tensor(const hed_array *x, hed_shape starts, hed_shape sizes);
/* A copy of X with the block that begins at STARTS replaced by VALUE. */
HED_NEW hed_array *hed_slice_update(const hed_array *x, hed_shape starts, const hed_array *value);
/* X with VALUE where MASK, which broadcasts to X, is true. */
HED_NEW hed_array *hed_masked_fill(const hed_array *x, const hed_array *mask, double value);
/* The elements of the flattened X where the flattened CONDITION, of as many elements, is not 0. */
HED_NEW hed_array *hed_extract(const hed_array *condition, const hed_array *x);
/* Element of arrays[index] at every position; INDEX and arrays broadcast together. */
HED_NEW hed_array *hed_choose(const hed_array *index, int n, const hed_array *const *arrays);
/* Element of the first of arrays whose condition is true there, else OTHERWISE. */
HED_NEW hed_array *hed_select(int n, const hed_array *const *conditions, const hed_array *const *arrays, double otherwise);

/* ---- segments ---- */

/* Elements of DATA along AXIS belong to the segments that the vector INDEX says, one per element of the axis. The result
 * has DIM_SIZE elements along AXIS (below 0: the largest index + 1), one per segment; a segment without elements is 0.
 * hed_scatter_mean: bool and integers give REAL. */
HED_NEW hed_array *hed_scatter_add(const hed_array *data, const hed_array *index, int64_t dim_size, int32_t axis);
HED_NEW hed_array *hed_scatter_max(const hed_array *data, const hed_array *index, int64_t dim_size, int32_t axis);
HED_NEW hed_array *hed_scatter_min(const hed_array *data, const hed_array *index, int64_t dim_size, int32_t axis);
HED_NEW hed_array *hed_scatter_mean(const hed_array *data, const hed_array *index, int64_t dim_size, int32_t axis);
/* exp(x - m) / sum exp(x - m) with sum and maximum m over the segment of each element; DATA's shape. */
HED_NEW hed_array *hed_scatter_softmax(const hed_array *data, const hed_array *index, int64_t dim_size, int32_t axis);

typedef enum hed_aggregation {
  HED_AGGREGATE_ADD, HED_AGGREGATE_MAX, HED_AGGREGATE_MIN, HED_AGGREGATE_MEAN, HED_AGGREGATE_SOFTMAX
} hed_aggregation;
/* One of the five. */
HED_NEW hed_array *hed_scatter(const hed_array *data, const hed_array *index, int64_t dim_size, hed_aggregation how,
                               int32_t axis);

/* All elements in C order as doubles (complex: real parts); N must be their number. As bytes: hed_to_host. */
HED_API hed_status hed_tolist(const hed_array *x, double *out, int64_t n);

HED_END_DECLS

#endif
