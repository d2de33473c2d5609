// SPDX-License-Identifier: BSD-3-Clause
/* Least squares by triangles, for matrices whose rank leaves no doubt. L3. */
#ifndef HED_COMPOSITE_LSTSQ_H
#define HED_COMPOSITE_LSTSQ_H

#include <heddle/array.h>

typedef struct hed__least_squares {
  const hed_array *a, *b;      /* (.., m, n) and (.., m, k), of one type that factorisations compute in */
  double rcond;                /* not negative */
  bool values;                 /* are singular values asked for: *s is set */
  hed_array *x, *residuals, *s; /* *residuals: NULL where there are none */
} hed__least_squares;

/* Solves for all matrices of a batch if each has full rank by the rule for RCOND and more than that if its condition lets
 * a triangle be used; *done false: not so, or another shape, and nothing is set. Between composed_begin and composed_end. */
hed_status hed__least_squares_by_triangle(hed__least_squares *p, bool *done);

#endif
