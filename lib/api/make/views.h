// SPDX-License-Identifier: BSD-3-Clause
/* What ranges of an axis mean, for views and for keys. L3. */
#ifndef HED_API_VIEWS_H
#define HED_API_VIEWS_H

#include <heddle/ops.h>

/* Python's slice.indices: first element and number of elements of start:stop:step on an axis of extent N. */
void hed__slice_indices(const hed_slice_range *r, int64_t n, int64_t *first, int64_t *count);

#endif
