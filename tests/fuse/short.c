// SPDX-License-Identifier: BSD-3-Clause
/* Short axes in a fused pass: elementwise results and reductions of random shapes against values that plain loops make of the
 * operands, whichever of these are repeated along some axes or lie otherwise than in C order. L5. */
#include "arrays.h"
#include "gen.h"
#include "scenario.h"
#include <complex.h>
#include <heddle/ops.h>
#include <math.h>

enum { SUM, MEAN, PROD, VAR, ANY, ALL, COUNT, MAX, MIN, ARGMAX, ARGMIN, OPS, OPERANDS = 3, WISHES = 3, MOST_NDIM = 4 };
typedef hed_array *(*reduce_fn)(const hed_array *, const hed_reduce *);
static const struct { const char *name; reduce_fn fn; } ops[OPS] = {
  { "sum", hed_sum }, { "mean", hed_mean }, { "prod", hed_prod }, { "var", hed_var }, { "any", hed_any }, { "all", hed_all },
  { "count_nonzero", hed_count_nonzero }, { "max", hed_max }, { "min", hed_min }, { "argmax", hed_argmax },
  { "argmin", hed_argmin },
};
static const hed_dtype dtypes[] = { HED_FLOAT32, HED_FLOAT64, HED_COMPLEX64, HED_COMPLEX128, HED_INT32,
                                    HED_BOOL,    HED_UINT8,   HED_INT16,     HED_INT64 };
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

static gen g;

static bool complex_type(hed_dtype t) { return t == HED_COMPLEX64 || t == HED_COMPLEX128; }
static bool float_type(hed_dtype t) { return t == HED_FLOAT32 || t == HED_FLOAT64; }

/* An operand: its values, and how far apart they are along each axis of the whole shape. */
typedef struct operand {
  hed_array *array;
  double complex *value;
  int64_t step[MOST_NDIM];
} operand;

/* Small whole numbers, with which everything but quotients is exact, and often equal ones. ALL of the shape, or repeated along
 * some axes; NANS: some are no number. */
static operand make_operand(hed_shape s, hed_dtype t, bool all, bool nans)
{
  operand o;
  const bool turned = gen_chance(&g, 20);
  hed_shape own = s, stored;
  if (!all && gen_chance(&g, 80))
    for (int k = 0; k < s.ndim; k++)
      own.dim[k] = gen_chance(&g, 50) ? 1 : s.dim[k];
  stored = own;
  for (int k = 0; k < s.ndim && turned; k++)
    stored.dim[k] = own.dim[s.ndim - 1 - k];
  const int64_t n = elements_of(stored);
  int64_t step = 1;
  for (int i = s.ndim - 1; i >= 0; i--) {
    const int k = turned ? s.ndim - 1 - i : i;
    o.step[k] = own.dim[k] == 1 ? 0 : step;
    step *= own.dim[k];
  }
  o.value = malloc((size_t)n * sizeof *o.value);
  for (int64_t i = 0; i < n; i++) {
    const double re = t == HED_BOOL ? (double)gen_below(&g, 2) : (double)gen_int(&g, t == HED_UINT8 ? 0 : -2, 2);
    o.value[i] = complex_type(t) ? CMPLX(re, (double)gen_int(&g, -1, 1)) : re;
    if (nans && gen_chance(&g, 1))
      o.value[i] = (double)NAN;
  }
  hed_array *x = hed_from_host(o.value, stored, HED_COMPLEX128), *r = complex_type(t) ? hed_retain(x) : hed_real(x);
  hed_array *y = hed_astype(r, t);
  o.array = turned ? hed_transpose(y, NULL) : hed_retain(y);
  RELEASE(x, r, y);
  return o;
}

/* a b + c; of truth values a != b or c. */
static hed_array *compute(const operand *o, hed_dtype t)
{
  const bool bits = t == HED_BOOL;
  hed_array *x = (bits ? hed_logical_xor : hed_multiply)(o[0].array, o[1].array);
  hed_array *y = (bits ? hed_logical_or : hed_add)(x, o[2].array);
  hed_release(x);
  return y;
}

/* The same of all elements. */
static double complex *expected(const operand *o, hed_shape s, hed_dtype t)
{
  const int64_t n = elements_of(s);
  double complex *e = malloc((size_t)n * sizeof *e);
  for (int64_t i = 0; i < n; i++) {
    double complex v[OPERANDS];
    for (int k = 0; k < OPERANDS; k++) {
      int64_t rest = i, at = 0;
      for (int d = s.ndim - 1; d >= 0; d--) {
        at += rest % s.dim[d] * o[k].step[d];
        rest /= s.dim[d];
      }
      v[k] = o[k].value[at];
    }
    if (t == HED_BOOL)
      e[i] = creal(v[0]) != creal(v[1]) || creal(v[2]) != 0;
    else if (complex_type(t))
      e[i] = v[0] * v[1] + v[2];
    else
      e[i] = creal(v[0]) * creal(v[1]) + creal(v[2]);
  }
  return e;
}

/* What OP makes of N elements STEP apart. WHOLE: products wrap around. */
static double complex reduced(int op, int64_t n, const double complex *e, int64_t step, bool whole)
{
  double complex sum = 0, product = 1;
  double square = 0, there = 0, best = creal(e[0]), place = 0;
  uint64_t word = 1;
  for (int64_t i = 0; i < n; i++) {
    const double complex v = e[i * step];
    sum += v;
    product *= v;
    word *= (uint64_t)(int64_t)(whole ? creal(v) : 1);
    there += v != 0;
    const bool upwards = op == MAX || op == ARGMAX, more = upwards ? creal(v) > best : creal(v) < best;
    if (more || (isnan(creal(v)) && !isnan(best))) {
      best = creal(v);
      place = (double)i;
    }
  }
  for (int64_t i = 0; i < n; i++) {
    const double complex d = e[i * step] - sum / (double)n;
    square += creal(d) * creal(d) + cimag(d) * cimag(d);
  }
  switch (op) {
  case SUM: return sum;
  case MEAN: return sum / (double)n;
  case PROD: return whole ? (double)(int64_t)word : product;
  case VAR: return square / (double)n;
  case ANY: return there > 0;
  case ALL: return there == (double)n;
  case COUNT: return there;
  case MAX: case MIN: return best;
  default: return place;
  }
}

/* Is element by element of A what E has, but for TOLERANCE of its size? */
static bool close_to(const hed_array *a, int64_t n, const double complex *e, double tolerance)
{
  double complex *v = malloc((size_t)n * sizeof *v);
  const bool words = hed_array_dtype(a) == HED_UINT64; /* whose products are compared as signed ones */
  hed_array *s = words ? hed_astype(a, HED_INT64) : hed_retain((hed_array *)a), *x = hed_astype(s, HED_COMPLEX128);
  bool good = a && hed_array_size(a) == n && hed_to_host(x, v, (size_t)n * sizeof *v) == HED_OK;
  if (!good)
    diag("%lld elements, not %lld: %s", (long long)hed_array_size(a), (long long)n, hed_error_text());
  for (int64_t i = 0; i < n && good; i++) {
    const bool same = creal(v[i]) == creal(e[i]) && cimag(v[i]) == cimag(e[i]);
    good = same || (isnan(creal(v[i])) && isnan(creal(e[i]))) || cabs(v[i] - e[i]) <= tolerance * (1 + cabs(e[i]));
    if (!good)
      diag("element %lld of %lld is %g %+gi, not %g %+gi", (long long)i, (long long)n, creal(v[i]), cimag(v[i]), creal(e[i]),
           cimag(e[i]));
  }
  RELEASE(s, x);
  free(v);
  return good;
}

static bool same_bits(const hed_array *a, const hed_array *b)
{
  const size_t n = hed_array_nbytes(a);
  char *p = malloc(2 * n + 1);
  const bool good = n == hed_array_nbytes(b) && hed_to_host(a, p, n) == HED_OK && hed_to_host(b, p + n, n) == HED_OK
                    && memcmp(p, p + n, n) == 0;
  free(p);
  if (!good)
    diag("other bits with two threads: %s", hed_error_text());
  return good;
}

/* Few elements along the last axes, and as many of the others as make some blocks. */
static hed_shape random_shape(void)
{
  static const int64_t usual[] = { 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 23, 31, 32, 33, 64, 70 };
  hed_shape s = { .ndim = 2 + (int32_t)gen_below(&g, 3) };
  int64_t rest = gen_int(&g, 1, gen_chance(&g, 50) ? 300 : 30000);
  for (int k = s.ndim - 1; k > 0; k--) {
    s.dim[k] = usual[gen_below(&g, k == s.ndim - 1 ? 16 : 7)];
    rest = rest / s.dim[k] + 1;
  }
  s.dim[0] = rest;
  return s;
}

static void one_round(int round)
{
  const hed_shape s = random_shape();
  const hed_dtype t = dtypes[gen_below(&g, DTYPES)];
  const int32_t axis = gen_chance(&g, 60) ? s.ndim - 1 : (int32_t)gen_below(&g, (uint64_t)s.ndim);
  const bool two = axis > 0 && gen_chance(&g, 15), nans = float_type(t) && gen_chance(&g, 30);
  const hed_axes axes = two ? (hed_axes){ 2, { axis - 1, axis } } : (hed_axes){ 1, { axis } };
  const hed_reduce opt = { .axes = axes };
  int64_t outer = 1, count = 1, inner = 1;
  for (int32_t k = 0; k < s.ndim; k++)
    *(k > axis ? &inner : k == axis || (two && k == axis - 1) ? &count : &outer) *= s.dim[k];
  operand o[OPERANDS];
  for (int k = 0; k < OPERANDS; k++)
    o[k] = make_operand(s, t, k == 2, nans && k == 2);
  double complex *e = expected(o, s, t), *want = malloc((size_t)(outer * inner) * sizeof *want);
  int op[WISHES];
  for (int k = 0; k < WISHES; k++)
    do
      op[k] = (int)gen_below(&g, complex_type(t) ? MAX : OPS);
    while ((two && op[k] >= ARGMAX) || (op[k] == PROD && count > 300)); /* what leaves the range of float64 is not compared */
  hed_array *r[2][WISHES], *all[2] = { NULL };
  const bool keep = gen_chance(&g, 40);
  for (int threads = 0; threads < 2; threads++)
    HED_BACKEND_CONTEXT(threads ? ";threads=2" : ";threads=1")
      HED_FUSED {
        hed_array *x = compute(o, t);
        for (int k = 0; k < WISHES; k++)
          r[threads][k] = ops[op[k]].fn(x, &opt);
        if (keep)
          all[threads] = hed_retain(x);
        hed_release(x);
      }
  bool good = !keep || (close_to(all[0], elements_of(s), e, 0) && same_bits(all[0], all[1]));
  if (!good)
    diag("elements");
  for (int k = 0; k < WISHES && good; k++) {
    const bool whole = !float_type(t) && !complex_type(t);
    const bool exact = op[k] != MEAN && op[k] != VAR && (op[k] != PROD || whole);
    for (int64_t i = 0; i < outer * inner; i++)
      want[i] = reduced(op[k], count, e + i / inner * count * inner + i % inner, inner, whole);
    const hed_dtype made = hed_array_dtype(r[0][k]);
    const bool single = made == HED_FLOAT32 || made == HED_COMPLEX64;
    for (int64_t i = 0; i < outer * inner && single; i++) { /* products may leave its range */
      volatile float part[2] = { (float)creal(want[i]), (float)cimag(want[i]) }; /* GCC 12 would leave out the rounding */
      want[i] = CMPLX(part[0], part[1]);
    }
    good = close_to(r[0][k], outer * inner, want, exact ? 0 : single ? 3e-7 : 1e-12);
    good = good && same_bits(r[0][k], r[1][k]);
    if (!good)
      diag("%s, along axis %d%s", ops[op[k]].name, (int)axis, two ? " and the one before" : "");
  }
  if (!good)
    fail("round %d: %s, %lld x %lld x %lld x %lld", round, hed_dtype_name(t), (long long)s.dim[0], (long long)s.dim[1],
         s.ndim > 2 ? (long long)s.dim[2] : 1, s.ndim > 3 ? (long long)s.dim[3] : 1);
  for (int k = 0; k < WISHES; k++)
    for (int threads = 0; threads < 2; threads++)
      hed_release(r[threads][k]);
  for (int k = 0; k < OPERANDS; k++) {
    hed_release(o[k].array);
    free(o[k].value);
  }
  RELEASE(all[0], all[1]);
  free(e);
  free(want);
}

/* Products of short lanes whose partial ones leave the range, up and down, and come back. */
static void test_products(void)
{
  enum { LANES = 3000 };
  for (int64_t count = 4; count < 40; count += 7) {
    double *v = malloc((size_t)(LANES * count) * sizeof *v), worst = 0;
    for (int64_t i = 0; i < LANES * count; i++) { /* pairs of 2^600 and 2^-600; what is left is 3 */
      const int64_t k = i % count;
      v[i] = k >= count / 4 * 4 ? 3 : k / 2 % 2 ? 0x1p-600 : 0x1p600;
    }
    hed_array *x = hed_from_host(v, HED_SHAPE(LANES, count), HED_FLOAT64), *y = NULL;
    HED_FUSED HED_SCOPE
      y = hed_keep(hed_prod(hed_negative(x), &(hed_reduce){ .axes = HED_AXES(1) }));
    const double *got = hed_array_data(y), want = pow(-3, (double)(count % 4));
    for (int64_t i = 0; i < LANES; i++)
      worst = fmax(worst, got[i] == want ? 0 : 1);
    ok(worst == 0, "products of lanes of %lld that leave the range on the way", (long long)count);
    RELEASE(x, y);
    free(v);
  }
}

int main(void)
{
  if (hed_backend_require("cpu") != HED_OK || hed_set_default_backend("cpu") != HED_OK)
    skip_all("cpu: %s", hed_error_text());
  gen_seed(&g, tap_seed());
  const int rounds = scaled(400);
  for (int k = 0; k < rounds && tap_failures() < 5; k++)
    one_round(k);
  ok(tap_failures() == 0, "%d random shapes with short axes", rounds);
  test_products();
  return done();
}
