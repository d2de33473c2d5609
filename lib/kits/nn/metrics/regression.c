// SPDX-License-Identifier: BSD-3-Clause
/* Errors of numbers.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/lists.h"
#include <heddle/kits/nn_metrics.h>
#include <math.h>
#include <stdlib.h>

static hed_status read_pair(const char *op, const hed_array *target, const hed_array *prediction, double **t, double **p)
{
  *t = *p = NULL;
  if (!hed__train_real(op, "target", target) || !hed__train_real(op, "prediction", prediction) ||
      !hed__train_fits(op, "prediction", prediction, "target", target))
    return hed_error();
  if (hed_array_size(target) == 0)
    return hed_fail(HED_E_INVAL, "%s: there is nothing to compare", op);
  *t = hed__train_doubles(target);
  *p = *t ? hed__train_doubles(prediction) : NULL;
  if (*p)
    return HED_OK;
  free(*t);
  *t = NULL;
  return hed_error();
}

static double column_r2(const double *t, const double *p, int64_t n, int64_t step)
{
  double mean = 0, left = 0, about = 0;
  for (int64_t k = 0; k < n; k++)
    mean += t[k * step];
  mean /= (double)n;
  for (int64_t k = 0; k < n; k++) {
    const double e = t[k * step] - p[k * step], d = t[k * step] - mean;
    left += e * e;
    about += d * d;
  }
  return about != 0 ? 1 - left / about : left == 0 ? 1 : 0;
}

hed_status hed_nn_regression(const hed_array *target, const hed_array *prediction, hed_nn_errors *out)
{
  double *t, *p, squares = 0, sizes = 0;
  if (!out)
    return hed_fail(HED_E_INVAL, "hed_nn_regression: out is NULL");
  *out = (hed_nn_errors){ 0 };
  const hed_status status = read_pair("hed_nn_regression", target, prediction, &t, &p);
  if (status != HED_OK)
    return status;
  const hed_shape s = hed_array_shape(target);
  const int64_t n = hed_array_size(target), columns = s.ndim > 1 ? s.dim[s.ndim - 1] : 1;
  for (int64_t k = 0; k < n; k++) {
    const double e = fabs(t[k] - p[k]);
    squares += e * e;
    sizes += e;
    out->max_error = e > out->max_error || isnan(e) ? e : out->max_error;
  }
  out->mse = squares / (double)n;
  out->rmse = sqrt(out->mse);
  out->mae = sizes / (double)n;
  for (int64_t k = 0; k < columns; k++)
    out->r2 += column_r2(t + k, p + k, n / columns, columns) / (double)columns;
  free(t);
  free(p);
  return HED_OK;
}

hed_status hed_nn_mase(const hed_array *target, const hed_array *prediction, const hed_array *train, int64_t season, double *out)
{
  static const char op[] = "hed_nn_mase";
  double *t, *p, *x = NULL, error = 0, naive = 0;
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = 0;
  if (!hed__train_real(op, "train", train))
    return hed_error();
  const int64_t length = hed_array_ndim(train) > 0 ? hed_array_shape(train).dim[0] : 0;
  if (season < 1 || season >= length || hed_array_size(train) == 0)
    return hed_fail(HED_E_INVAL, "%s: season is %lld, train has %lld steps: in [1, steps) is needed", op, (long long)season,
                    (long long)length);
  hed_status status = read_pair(op, target, prediction, &t, &p);
  if (status == HED_OK && !(x = hed__train_doubles(train)))
    status = hed_error();
  if (status == HED_OK) {
    const int64_t n = hed_array_size(target), all = hed_array_size(train), lag = season * (all / length);
    for (int64_t k = 0; k < n; k++)
      error += fabs(t[k] - p[k]) / (double)n;
    for (int64_t k = lag; k < all; k++)
      naive += fabs(x[k] - x[k - lag]) / (double)(all - lag);
    if (naive == 0)
      status = hed_fail(HED_E_INVAL, "%s: train repeats itself after %lld steps: there is nothing to compare with", op,
                        (long long)season);
    else
      *out = error / naive;
  }
  free(t);
  free(p);
  free(x);
  return status;
}
