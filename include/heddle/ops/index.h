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
HED_API hed_array *hed_nonzero(const hed_array *x);
HED_API hed_array *hed_take(const hed_array *x, const hed_array *indices, int32_t axis);

HED_END_DECLS

#endif
