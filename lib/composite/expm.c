// SPDX-License-Identifier: BSD-3-Clause
/* Functions of a square matrix by products: matrix_power, expm. L3.
 *
 * expm is scaling and squaring with diagonal Pade approximants (N. J. Higham, "The scaling and squaring method for the matrix
 * exponential revisited", SIAM J. Matrix Anal. Appl. 26(4), 2005, 1179-1193: algorithm 2.3). Each matrix of a batch has its own
 * power of two, all have the degree that the largest needs; only the norms come to the host.
 */
#include "api/call/check.h"
#include "api/elementwise/fuse.h"
#include "api/call/infer.h"
#include "api/linalg/linalg_factor.h"
#include "composite/composed.h"

#include "base/cast.h"
#include "core/memory/memory.h"
#include "core/record/body.h"
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

hed_array *HED_BODY(matrix_power)(const hed_array *a, int64_t n)
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

/* Diagonal Pade approximants, of which DEGREE is right to the unit roundoff up to the 1-norm BOUND (Higham 2005, table 2.3; for
 * single precision by the same series, with 2^-24 in place of 2^-53). */
typedef struct approximant {
  int degree;
  double bound;
} approximant;

enum { DEGREE_MOST = 13, WIDE = 5, SINGLE = 3 };
static const approximant wide[WIDE] = { { 3, 1.495585217958292e-2 }, { 5, 2.539398330063230e-1 }, { 7, 9.504178996162932e-1 },
                                        { 9, 2.097847961257068 }, { 13, 5.371920351148152 } };
static const approximant single[SINGLE] = { { 3, 0.4258730034897931 }, { 5, 1.880152698533769 }, { 7, 3.925724846433284 } };

static bool is_single(int id) { return id == HED_ID_FLOAT32 || id == HED_ID_COMPLEX64; }
static approximant largest_of(int id) { return is_single(id) ? single[SINGLE - 1] : wide[WIDE - 1]; }

/* The least degree for matrices of dtype ID with 1-norms up to NORM, the largest degree's bound at most. */
static int degree_for(int id, double norm)
{
  const approximant *of = is_single(id) ? single : wide;
  while (of->bound < norm && of->degree < largest_of(id).degree)
    of++;
  return of->degree;
}

/* Those of the numerator over the first: b_k = M! (2M - k)! / ((2M)! k! (M - k)!), from integers. */
static void coefficients(int m, double *b)
{
  uint64_t c[DEGREE_MOST + 1];
  c[m] = 1;
  for (int k = m; k > 0; k--)
    c[k - 1] = c[k] * (uint64_t)(k * (2 * m - k + 1)) / (uint64_t)(m - k + 1);
  for (int k = 0; k <= m; k++)
    b[k] = (double)c[k] / (double)c[0];
}

/* The sum of N powers times every other of the coefficients B, in one pass where calls are recorded. */
static hed_array *mix(int n, hed_array *const *power, const double *b)
{
  hed_scope steps;
  if (hed_scope_begin(&steps) != HED_OK)
    return NULL;
  hed_array *sum = hed_multiply_scalar(power[n - 1], b[2 * (n - 1)]);
  for (int k = n - 2; k >= 0; k--)
    sum = hed_add(sum, hed_multiply_scalar(power[k], b[2 * k]));
  return hed__fuse_made(&steps, sum);
}

/* A times the odd terms and the even ones are the two halves of numerator and denominator; degree 13 by powers up to the sixth. */
static hed_array *pade(const hed_array *a, int id, int degree)
{
  enum { POWERS = 5, HIGH = 4 };
  double b[DEGREE_MOST + 1];
  const int terms = degree == 13 ? HIGH : (degree + 1) / 2;
  hed_array *power[POWERS] = { hed_eye(order_of(a), order_of(a), 0, hed__dtypes[id]), hed_matmul(a, a) };
  coefficients(degree, b);
  for (int k = 2; k < terms; k++)
    power[k] = hed_matmul(power[k / 2], power[k - k / 2]);
  hed_array *odd = mix(terms, power, b + 1), *even = mix(terms, power, b);
  if (degree == 13) {
    odd = hed_add(hed_matmul(power[3], mix(HIGH - 1, power + 1, b + 9)), odd);
    even = hed_add(hed_matmul(power[3], mix(HIGH - 1, power + 1, b + 8)), even);
  }
  hed_array *u = hed_matmul(a, odd), *below = hed_subtract(even, u), *above = hed_add(even, u);
  return hed_solve(below, above);
}

/* The same; what lies between products is one pass where that pays. */
static hed_array *pade_fused(const hed_array *a, int id, int degree)
{
  enum { MANY_ELEMENTS = 1 << 12 };
  hed_fuse_scope fused = { 0 };
  if (hed_array_size(a) >= MANY_ELEMENTS)
    (void)hed_fuse_begin(&fused);
  hed_array *out = pade(a, id, degree);
  return hed_fuse_end(&fused) == HED_OK ? out : NULL;
}

/* Squarings for each matrix: the least s >= 0 with norm / 2^s <= BOUND; 0 where the norm is not finite. */
static double squarings(double norm, double bound)
{
  int s;
  if (!isfinite(norm) || norm <= bound)
    return 0;
  double f = frexp(norm / bound, &s); /* f in [1/2, 1): the quotient is at most 2^s, exactly 2^(s - 1) at 1/2 */
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

hed_array *HED_BODY(expm)(const hed_array *a)
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
  double *factors = norms + n, *raw = norms + 2 * n, most = 0, least = INFINITY, largest = 0;
  const int compute = hed__compute_of(id);
  const int real = norm->view.dtype, size = hed__id_size(real);
  if (hed_to_host(norm, raw, (size_t)n * (size_t)size) != HED_OK)
    goto end;
  hed__cast(real, HED_ID_FLOAT64)(n, (char *)norms, 8, (const char *)raw, size);
  for (int64_t k = 0; k < n; k++) {
    largest = isfinite(norms[k]) ? fmax(largest, norms[k]) : largest;
    norms[k] = squarings(norms[k], largest_of(compute).bound);
    factors[k] = ldexp(1, -(int)norms[k]);
    most = fmax(most, norms[k]);
    least = fmin(least, norms[k]);
  }
  hed__cast(HED_ID_FLOAT64, real)(n, (char *)raw, size, (const char *)factors, 8);
  hed_array *scaled = hed_multiply(x, hed_from_host(raw, shape, hed__dtypes[real]));
  hed__cast(HED_ID_FLOAT64, real)(n, (char *)raw, size, (const char *)norms, 8);
  hed_array *count = hed_from_host(raw, shape, hed__dtypes[real]);
  if (count && scaled)
    out = as(square_up(pade_fused(scaled, compute, degree_for(compute, largest)), count, (int)most, (int)least), id);
end:
  hed__buffer_free(norms);
  return composed_end(&c, out);
}
