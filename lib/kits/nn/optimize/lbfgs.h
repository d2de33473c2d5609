// SPDX-License-Identifier: BSD-3-Clause
/* Points along a direction, for L-BFGS.
 *
 * Layer: L4, nn kit, internal. lbfgs_search.c evaluates and searches, lbfgs.c has the object and the directions.
 */
#ifndef HED_KITS_NN_LBFGS_H
#define HED_KITS_NN_LBFGS_H
#include "kits/nn/lists.h"
#include <heddle/kits/nn_optimize.h>

/* What is minimised, along D from START; all vectors are flat. */
typedef struct hed__nn_line {
  int n;
  hed_array *const *params;
  hed_function f;
  void *arg;
  const hed_array *start, *d;
  double tol_change;
  int64_t calls;
} hed__nn_line;

/* START + t D: its loss, the slope along D, and the gradient, which is the point's own. */
typedef struct hed__nn_point {
  double t, loss, slope;
  hed_array *g;
} hed__nn_point;

void hed__nn_point_clear(hed__nn_point *p);
/* Sum of products, and the largest |x|, as doubles. */
hed_status hed__nn_dot(const hed_array *a, const hed_array *b, double *out);
hed_status hed__nn_largest(const hed_array *x, double *out);
/* The parameters as one vector, which no scope has; and the other way round. */
hed_array *hed__nn_flat(int n, hed_array *const *x);
hed_status hed__nn_unflat(int n, hed_array *const *x, const hed_array *flat);
/* Loss and gradient of the parameters as they are; the slope stays. */
hed_status hed__nn_here(hed__nn_line *l, hed__nn_point *p);
/* From FIRST (t 0) to a point that fulfils the strong Wolfe conditions, beginning at T, into *OUT. */
hed_status hed__nn_wolfe(hed__nn_line *l, const hed__nn_point *first, double t, hed__nn_point *out);

#endif
