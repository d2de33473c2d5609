// SPDX-License-Identifier: BSD-3-Clause
/* What the regressions share.
 *
 * Layer: L4, tensor kit. Arrays belong to the caller's scope.
 */
#ifndef HED_KITS_TENSOR_REGRESSION_H
#define HED_KITS_TENSOR_REGRESSION_H
#include <heddle/kits/tensor_regression.h>

typedef struct hed__samples {
  const char *op;
  hed_array *x, *y;         /* centred unless that is not wanted; y (n, m) */
  hed_array *x_mean, *y_mean; /* (I_1, ..) and (m); NULL: not centred      */
  bool vector;              /* y was given as (n)                          */
  double norm;              /* of y                                        */
  int x_exponent, y_exponent; /* all of x is the data's over 2^x_exponent, of y over 2^y_exponent */
} hed__samples;

/* X and Y checked, in one real type; CENTRE them, and SCALE them to near 1. */
hed_status hed__samples_take(const char *op, const hed_array *x, const hed_array *y, bool centre, bool scale, hed__samples *out);
/* The result from coefficients (I_1, .., m): m goes where y was a vector, the intercept comes from the means. */
hed_status hed__samples_finish(const hed__samples *s, const hed_array *coefficients, hed_regression *out);
/* w (k, columns of B) with the least |A w - b|^2 + ridge |w|^2, of least norm without ridge. */
hed_array *hed__ridge_solve(const hed_array *a, const hed_array *b, double ridge);

#endif
