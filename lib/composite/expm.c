// SPDX-License-Identifier: BSD-3-Clause
/*
 * Functions of a square matrix by products: matrix_power, expm. L3.
 *
 * expm is scaling and squaring with the diagonal Pade approximant of degree 13 (N. J. Higham, "The scaling and squaring
 * method for the matrix exponential revisited", SIAM J. Matrix Anal. Appl. 26(4), 2005, 1179-1193: algorithm 2.3, with
 * degree 13 throughout). Each matrix of a batch has its own power of two; only the norms come to the host.
 */
#include "api/check.h"
#include "api/infer.h"
#include "api/linalg_factor.h"
#include "composite/composed.h"

#include "base/cast.h"
#include "core/memory.h"
#include <heddle/error.h>
#include <math.h>

static hed_array *as(const hed_array *x, int id) { return hed_astype(x, hed__dtypes[id]); }

static int64_t order_of(const hed_array *a) { return a->view.dim[a->view.ndim - 1]; }

/* ---- matrix_power ---- */

static hed_array *replace(hed_array *old, hed_array *new)
{
  hed_release(old);
  return new;
}

hed_array *hed_matrix_power(const hed_array *a, int64_t n)
{
  static const char *const arg = "a";
  if (!hed__given(a, "matrix_power", arg) || hed__check_matrix(HED_OP_MATRIX_POWER, a, true) != HED_OK)
    return NULL;
  int id = hed__infer_operands(HED_OP_MATRIX_POWER, 1, &a, &arg);
  composed c;
  if (id < 0 || composed_begin(&c, HED_OP_MATRIX_POWER, 1, &a) != HED_OK)
    return NULL;
  hed_array *result = NULL;
  if (n == 0) {
    hed_array *one = hed_eye(order_of(a), order_of(a), 0, hed__dtypes[id]);
    result = hed_copy(hed_broadcast_to(one, hed__shape_of(a)));
  } else {
    uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    hed_array *square = n < 0 ? hed_inv(c.ex.in[0]) : hed_copy(c.ex.in[0]);
    for (; left && square; left >>= 1) {
      if (left & 1) {
        result = result ? replace(result, hed_matmul(result, square)) : hed_copy(square);
        if (!result)
          break;
      }
      if (left > 1)
        square = replace(square, hed_matmul(square, square));
    }
    if (left) { /* a step failed */
      hed_release(result);
      result = NULL;
    }
  }
  return composed_end(&c, result);
}

/* ---- expm ---- */

static const double theta13 = 5.371920351148152; /* Higham 2005, table 2.3 */

/* Numerator coefficients of the [13/13] approximant over the first, b_k = 13! (26 - k)! / (26! k! (13 - k)!). */
static const double b[14] = {
  1.0,
  32382376266240000.0 / 64764752532480000.0,
  7771770303897600.0 / 64764752532480000.0,
  1187353796428800.0 / 64764752532480000.0,
  129060195264000.0 / 64764752532480000.0,
  10559470521600.0 / 64764752532480000.0,
  670442572800.0 / 64764752532480000.0,
  33522128640.0 / 64764752532480000.0,
  1323241920.0 / 64764752532480000.0,
  40840800.0 / 64764752532480000.0,
  960960.0 / 64764752532480000.0,
  16380.0 / 64764752532480000.0,
  182.0 / 64764752532480000.0,
  1.0 / 64764752532480000.0,
};

/* p x2 + q x4 + r x6 */
static hed_array *mix(hed_array *const *even, double p, double q, double r)
{
  return hed_add(hed_add(hed_multiply_scalar(even[0], p), hed_multiply_scalar(even[1], q)),
                 hed_multiply_scalar(even[2], r));
}

static hed_array *pade13(const hed_array *a, int id)
{
  hed_array *one = hed_eye(order_of(a), order_of(a), 0, hed__dtypes[id]);
  hed_array *even[3] = { hed_matmul(a, a), NULL, NULL };
  even[1] = hed_matmul(even[0], even[0]);
  even[2] = hed_matmul(even[0], even[1]);
  hed_array *odd = hed_add(hed_matmul(even[2], mix(even, b[9], b[11], b[13])), mix(even, b[3], b[5], b[7]));
  hed_array *u = hed_matmul(a, hed_add(odd, hed_multiply_scalar(one, b[1])));
  hed_array *v = hed_add(hed_matmul(even[2], mix(even, b[8], b[10], b[12])), mix(even, b[2], b[4], b[6]));
  v = hed_add(v, one);
  return hed_solve(hed_subtract(v, u), hed_add(v, u));
}

/* Squarings for each matrix: the least s >= 0 with norm / 2^s <= theta13; 0 where the norm is not finite. */
static double squarings(double norm)
{
  int s;
  if (!isfinite(norm) || norm <= theta13)
    return 0;
  double f = frexp(norm / theta13, &s); /* f in [1/2, 1): the quotient is at most 2^s, exactly 2^(s - 1) at 1/2 */
  return f == 0.5 ? s - 1 : s;
}

/* X, squared as often as COUNT (shape (.., 1, 1)) says for each matrix. */
static hed_array *square_up(hed_array *x, const hed_array *count, int most, int least)
{
  for (int k = 0; k < most && x; k++) {
    hed_array *square = hed_matmul(x, x);
    if (k >= least && square) {
      hed_array *more = hed_greater_scalar(count, k), *all = square;
      square = hed_where(more, all, x);
      hed_release(more);
      hed_release(all);
    }
    x = replace(x, square);
  }
  return x;
}

hed_array *hed_expm(const hed_array *a)
{
  static const char *const arg = "a";
  if (!hed__given(a, "expm", arg) || hed__check_matrix(HED_OP_EXPM, a, true) != HED_OK)
    return NULL;
  int id = hed__infer_operands(HED_OP_EXPM, 1, &a, &arg);
  composed c;
  if (id < 0 || composed_begin(&c, HED_OP_EXPM, 1, &a) != HED_OK)
    return NULL;
  hed_array *out = NULL, *x = as(c.ex.in[0], hed__compute_of(id));
  double *norms = NULL;
  if (!x || hed_array_size(x) == 0) {
    out = hed_copy(x);
    goto end;
  }
  hed_array *sums = hed_sum(hed_abs(x), &(hed_reduce){ .axes = { 1, { -2 } } });
  hed_array *norm = hed_max(sums, &(hed_reduce){ .axes = { 1, { -1 } } });
  if (!norm)
    goto end;
  int64_t n = hed_array_size(norm);
  hed_shape shape = hed__shape_of(norm);
  shape.dim[shape.ndim++] = 1;
  shape.dim[shape.ndim++] = 1;
  if (!(norms = hed__buffer_zeroed((size_t)n, 3 * sizeof *norms, "expm")))
    goto end;
  /* in the norms' own type: the device may have no wider one */
  double *factors = norms + n, *raw = norms + 2 * n, most = 0, least = INFINITY;
  const int real = norm->view.dtype, size = hed__id_size(real);
  if (hed_to_host(norm, raw, (size_t)n * (size_t)size) != HED_OK)
    goto end;
  hed__cast(real, HED_ID_FLOAT64)(n, (char *)norms, 8, (const char *)raw, size);
  for (int64_t k = 0; k < n; k++) {
    norms[k] = squarings(norms[k]);
    factors[k] = ldexp(1, -(int)norms[k]);
    most = fmax(most, norms[k]);
    least = fmin(least, norms[k]);
  }
  hed__cast(HED_ID_FLOAT64, real)(n, (char *)raw, size, (const char *)factors, 8);
  hed_array *scaled = hed_multiply(x, hed_from_host(raw, shape, hed__dtypes[real]));
  hed__cast(HED_ID_FLOAT64, real)(n, (char *)raw, size, (const char *)norms, 8);
  hed_array *count = hed_from_host(raw, shape, hed__dtypes[real]);
  if (count && scaled)
    out = as(square_up(pade13(scaled, hed__compute_of(id)), count, (int)most, (int)least), id);
end:
  hed__buffer_free(norms);
  return composed_end(&c, out);
}
