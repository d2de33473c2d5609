// SPDX-License-Identifier: BSD-3-Clause
/* Rows of a matrix that span the largest volume, and all rows in terms of them.
 *
 * Layer: L4, tensor kit. Small matrices, on the host, in float64.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/train/cross.h"
#include <heddle/kits/tensor_train_fit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double enough = 1.05;

/* B (n, r) becomes B times the inverse of its rows ROWS: those become unit rows. The first choice is by Gaussian elimination, the
 * largest pivot of each column; false where a pivot vanishes. */
static bool eliminate(int64_t n, int64_t r, double *b, int64_t *rows)
{
  double largest = 0;
  for (int64_t i = 0; i < n * r; i++)
    largest = fmax(largest, fabs(b[i]));
  for (int64_t k = 0; k < r; k++) {
    int64_t best = -1;
    double most = 0;
    for (int64_t i = 0; i < n; i++) {
      bool taken = false;
      for (int64_t j = 0; j < k; j++)
        taken |= rows[j] == i;
      if (!taken && fabs(b[i * r + k]) > most) {
        most = fabs(b[i * r + k]);
        best = i;
      }
    }
    if (best < 0 || most <= 1e-14 * largest)
      return false;
    rows[k] = best;
    const double pivot = b[best * r + k];
    for (int64_t i = 0; i < n; i++) /* column operations: column k over the pivot, the others without it in row `best` */
      b[i * r + k] /= pivot;
    for (int64_t j = 0; j < r; j++) {
      const double f = b[best * r + j];
      for (int64_t i = 0; j != k && i < n; i++)
        b[i * r + j] -= f * b[i * r + k];
    }
  }
  return true;
}

/* Row I takes the place of the one that unit row J stands for. */
static void exchange(int64_t n, int64_t r, double *b, int64_t i, int64_t j, double *row)
{
  const double pivot = b[i * r + j];
  memcpy(row, b + i * r, (size_t)r * sizeof *row);
  row[j] -= 1;
  for (int64_t k = 0; k < n; k++) {
    const double f = b[k * r + j] / pivot;
    for (int64_t c = 0; c < r; c++)
      b[k * r + c] -= f * row[c];
  }
}

hed_status hed__maxvol(int64_t n, int64_t r, double *b, int64_t *rows)
{
  double *row = malloc((size_t)r * sizeof *row);
  hed_status status = HED_OK;
  if (!row)
    return hed_fail(HED_E_NOMEM, "hed_maxvol: no memory for %lld numbers", (long long)r);
  if (!eliminate(n, r, b, rows))
    status = hed_fail(HED_E_SINGULAR, "hed_maxvol: a of shape (%lld, %lld) has a rank below %lld", (long long)n, (long long)r,
                      (long long)r);
  for (int round = 0; status == HED_OK && round < 200; round++) {
    int64_t at = 0;
    for (int64_t i = 1; i < n * r; i++)
      at = fabs(b[i]) > fabs(b[at]) ? i : at;
    if (fabs(b[at]) <= enough)
      break;
    exchange(n, r, b, at / r, at % r, row);
    rows[at % r] = at / r;
  }
  free(row);
  return status;
}

hed_array *hed_maxvol(const hed_array *a)
{
  char text[160];
  const hed_shape s = hed_array_shape(a);
  hed_array *out = NULL;
  if (a && (s.ndim != 2 || s.dim[1] < 1 || s.dim[0] < s.dim[1])) {
    (void)hed_fail(HED_E_SHAPE, "hed_maxvol: a has shape %s; a matrix of at least as many rows as columns is expected",
                   hed__shape_words(s, text));
    return NULL;
  }
  if (a && hed_dtype_kind(hed_array_dtype(a)) == HED_KIND_COMPLEX) {
    (void)hed_fail(HED_E_DTYPE, "hed_maxvol: a is %s; a real matrix is expected", hed_dtype_name(hed_array_dtype(a)));
    return NULL;
  }
  double *b = a ? malloc((size_t)hed_array_size(a) * sizeof *b) : NULL;
  int64_t *rows = a ? malloc((size_t)s.dim[1] * sizeof *rows) : NULL;
  int ignored;
  if (!a || !b || !rows)
    (void)(a ? hed_fail(HED_E_NOMEM, "hed_maxvol: no memory") : hed__tensor_missing("hed_maxvol", "a"));
  else if (hed__tensor_exponent("hed_maxvol", "a", a, &ignored) == HED_OK && hed_tolist(a, b, hed_array_size(a)) == HED_OK &&
           hed__maxvol(s.dim[0], s.dim[1], b, rows) == HED_OK)
    out = hed_from_host(rows, HED_SHAPE(s.dim[1]), HED_INT64);
  free(b);
  free(rows);
  return out;
}
