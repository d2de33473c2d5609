// SPDX-License-Identifier: BSD-3-Clause
/* The least of a smooth function of many numbers, each with a bound below or none.
 *
 * Layer: L4, tensor kit. Unknowns are few beside the data that the function looks at, so they are host doubles. A run is: begin;
 * while (moved) step; end. The kit of networks has such steps for arrays without bounds.
 */
#ifndef HEDDLE_KITS_TENSOR_BOUNDED_H
#define HEDDLE_KITS_TENSOR_BOUNDED_H
#include <heddle.h>

/* The value at X, into *F (infinite or NaN: nothing is defined there), and its derivatives, into G. */
typedef hed_status (*hed__bounded_value)(void *arg, const double *x, double *f, double *g);

typedef struct hed__bounded {
  const char *op;
  size_t n;
  const uint8_t *bounded;   /* whether an unknown is at least 0 */
  int history;
  hed__bounded_value value;
  void *arg;
  double *x, *g, f;         /* where the run is */
  double *direction, *next, *next_g, *memory, *sy; /* pairs of differences, the oldest first; their products */
  int kept;
} hed__bounded;

/* B has op, n, bounded, history, value and arg; X is where it begins (with bounds kept). */
hed_status hed__bounded_begin(hed__bounded *b, const double *x);
/* A step down; *MOVED: whether there was one. */
hed_status hed__bounded_step(hed__bounded *b, bool *moved);
/* The largest derivative, of unknowns at their bound only those that lead away from it. */
double hed__bounded_slope(const hed__bounded *b);
void hed__bounded_end(hed__bounded *b);

#endif
