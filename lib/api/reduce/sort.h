// SPDX-License-Identifier: BSD-3-Clause
/* Sorting for operations that are written in terms of it. L3. */
#ifndef HED_API_SORT_H
#define HED_API_SORT_H

#include <heddle/ops/sort.h>

/* sort or argsort (OP) as far as the element of index KTH, from 0: hed_sort_params, partial. */
hed_array *hed__sort_partly(int op, const hed_array *x, const hed_sort_options *opt, int64_t kth);

#endif
