// SPDX-License-Identifier: BSD-3-Clause
/* Sorting, selection and sets. Conventions: <heddle/ops.h>. */
#ifndef HEDDLE_OPS_SORT_H
#define HEDDLE_OPS_SORT_H

#include <heddle/array.h>

HED_BEGIN_DECLS

typedef struct hed_sort_options {
  hed_axes axis;   /* HED_AXES(k); n = 0: the last axis */
  bool descending; /* sort, argsort: largest first; topk: the smallest instead of the largest */
  bool flat;       /* the flattened array, in C order; axis is then empty and results have one axis */
} hed_sort_options;

HED_NEW hed_array *hed_sort(const hed_array *x, const hed_sort_options *opt);
HED_NEW hed_array *hed_argsort(const hed_array *x, const hed_sort_options *opt);
/* the k largest in descending order (opt->descending: the k smallest in ascending order), int64 indices */
HED_API hed_status hed_topk(const hed_array *x, int64_t k, const hed_sort_options *opt, hed_array **values,
                            hed_array **indices);

HED_END_DECLS

#endif
