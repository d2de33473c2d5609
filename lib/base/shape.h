// SPDX-License-Identifier: BSD-3-Clause
/* Shape arithmetic on views: counts, strides, broadcasting, collapsing. L0; no allocation, no error state: functions
 * say whether they could, the caller words the sentence.
 */
#ifndef HED_BASE_SHAPE_H
#define HED_BASE_SHAPE_H

#include <heddle/array.h>
#include <heddle/kernel.h>

/* Elements of a shape; -1 for a negative extent, or when the extents that are not 0 are too many for an int64. 1 for ndim 0. */
int64_t hed__shape_size(int32_t ndim, const int64_t *dim);
/* Do the bytes of such a shape fit, with elements of SIZE bytes, and so its C-order strides? */
bool hed__shape_fits(int32_t ndim, const int64_t *dim, int64_t size);
int64_t hed__view_size(const hed_view *v);
bool hed__shape_equal(int32_t na, const int64_t *a, int32_t nb, const int64_t *b);

/* C-order byte strides for elements of SIZE bytes. */
void hed__c_strides(int32_t ndim, const int64_t *dim, int64_t size, int64_t *stride);
bool hed__is_c_contiguous(const hed_view *v);
/* One element, however often it is repeated? */
bool hed__is_single(int32_t ndim, const int64_t *dim, const int64_t *stride);

/* NumPy's broadcast of two shapes into OUT; false when they do not fit. OUT may be one of them. */
bool hed__broadcast(const hed_shape *a, const hed_shape *b, hed_shape *out);
/* V seen with shape DIM (stride 0 where repeated, leading axes added); false when it does not fit. */
bool hed__broadcast_view(const hed_view *v, int32_t ndim, const int64_t *dim, hed_view *out);

/* Axis in [-ndim, ndim) to [0, ndim); -1 when out of range. */
int32_t hed__axis(int32_t axis, int32_t ndim);
/* Set of axes as bits; n = 0 means all. False on a bad or repeated axis, which goes to *bad. */
bool hed__axes_mask(const hed_axes *axes, int32_t ndim, uint32_t *mask, int32_t *bad);

/* Indices of element I, in C order, of a shape of NDIM axes; those in the set WITHOUT are left out, and get 0. */
static inline void hed__index_beside(int32_t ndim, const int64_t *dim, uint32_t without, int64_t i, int64_t *index)
{
  for (int32_t k = ndim - 1; k >= 0; k--) {
    index[k] = 0;
    if (without >> k & 1u)
      continue;
    index[k] = i % dim[k];
    i /= dim[k];
  }
}

static inline void hed__index_of(int32_t ndim, const int64_t *dim, int64_t i, int64_t *index)
{
  for (int32_t k = ndim - 1; k > 0; k--) {
    index[k] = i % dim[k];
    i /= dim[k];
  }
  if (ndim > 0)
    index[0] = i;
}

/* Bytes from the first element to the one at INDEX; and to element I, in C order. */
static inline int64_t hed__offset_at(int32_t ndim, const int64_t *index, const int64_t *stride)
{
  int64_t offset = 0;
  for (int32_t k = 0; k < ndim; k++)
    offset += index[k] * stride[k];
  return offset;
}

static inline int64_t hed__offset_of(int32_t ndim, const int64_t *dim, const int64_t *stride, int64_t i)
{
  int64_t offset = 0;
  for (int32_t k = ndim - 1; k > 0; k--) {
    offset += i % dim[k] * stride[k];
    i /= dim[k];
  }
  return ndim > 0 ? offset + i * stride[0] : 0;
}

/* V without the axes [from, from + count). */
hed_view hed__view_without(const hed_view *v, int32_t from, int32_t count);

/* Can all elements of V have addresses, and no arithmetic on strides and extents overflow? Else *bad is the axis to blame, -1
 * for all together. Offsets go up to a quarter of what an int64 holds, so that those of two views can be added. */
#define HED__MOST_OFFSET (INT64_MAX / 4)
bool hed__layout_fits(const hed_view *v, int32_t *bad);
/* Lowest and one-past-highest byte that a view touches relative to data; both 0 when empty. */
void hed__view_extent(const hed_view *v, int64_t *low, int64_t *high);
/* Could two views share a byte? (Conservative: compares extents.) */
bool hed__may_overlap(const hed_view *a, const hed_view *b);
/* Have two views the same dtype, shape and strides, of which none counts where an axis has one element at most? */
bool hed__lies_as(const hed_view *a, const hed_view *b);
/* Do two views name the same elements in the same order? */
bool hed__same_view(const hed_view *a, const hed_view *b);

/* Strides of V reshaped to DIM without copying; false when a copy is needed. Sizes must agree. */
bool hed__reshape_strides(const hed_view *v, int32_t ndim, const int64_t *dim, int64_t *stride);

/* "(2, 3)" into BUF, for messages. Returns BUF. */
char *hed__shape_text(int32_t ndim, const int64_t *dim, char *buf, size_t cap);
enum { HED__SHAPE_TEXT = 160 };

#endif
