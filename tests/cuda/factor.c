// SPDX-License-Identifier: BSD-3-Clause
/* Factorisations on cuda where a comparison of random matrices does not look: each case runs on the reference backend and on cuda
 * without a fallback, and both give the same status, the same words and the same values. Many small matrices go to the libraries'
 * functions for batches, others one by one. */
#include "gen.h"
#include "tap.h"
#include <heddle.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4, VALUES = 20000 };

typedef struct outcome {
  hed_status status;
  char text[200];
  int64_t n;
  double *value;               /* of all results, as complex numbers */
} outcome;

typedef struct subject {
  const char *name;
  hed_status (*run)(const hed_array *a, const hed_array *b, hed_array **out);
} subject;

static hed_status run_lu(const hed_array *a, const hed_array *b, hed_array **out)
{
  (void)b;
  return hed_lu(a, &out[0], &out[1], &out[2]);
}
static hed_status one(hed_array *x, hed_array **out)
{
  out[0] = x;
  return x ? HED_OK : hed_error();
}
static hed_status run_det(const hed_array *a, const hed_array *b, hed_array **out) { (void)b; return one(hed_det(a), out); }
static hed_status run_solve(const hed_array *a, const hed_array *b, hed_array **out) { return one(hed_solve(a, b), out); }
static hed_status run_upper(const hed_array *a, const hed_array *b, hed_array **out)
{
  return one(hed_solve_triangular(a, b, &(hed_triangular){ .upper = true }), out);
}
static hed_status run_unit(const hed_array *a, const hed_array *b, hed_array **out)
{
  return one(hed_solve_triangular(a, b, &(hed_triangular){ .unit_diagonal = true, .form = HED_ADJOINT }), out);
}
static hed_status run_cholesky(const hed_array *a, const hed_array *b, hed_array **out)
{
  (void)b;
  return one(hed_cholesky(a, false), out);
}
static hed_status run_cholesky_upper(const hed_array *a, const hed_array *b, hed_array **out)
{
  (void)b;
  return one(hed_cholesky(a, true), out);
}
static hed_status run_slogdet(const hed_array *a, const hed_array *b, hed_array **out)
{
  (void)b;
  return hed_slogdet(a, &out[0], &out[1]);
}
static hed_status run_qr(const hed_array *a, const hed_array *b, hed_array **out)
{
  (void)b;
  return hed_qr(a, HED_QR_COMPLETE, &out[1], &out[0]);
}
/* What is unique of a square Q of a tall matrix. */
static hed_status run_whole_qr(const hed_array *a, const hed_array *b, hed_array **out)
{
  hed_array *q = NULL, *r = NULL;
  (void)b;
  const hed_status status = hed_qr(a, HED_QR_COMPLETE, &q, &r);
  if (status != HED_OK)
    return status;
  out[1] = hed_matmul(hed_conj(hed_matrix_transpose(q)), q);
  out[2] = r;
  return one(hed_matmul(q, r), out);
}
static hed_status run_eigh(const hed_array *a, const hed_array *b, hed_array **out)
{
  (void)b;
  return hed_eigh(a, false, &out[0], &out[1]);
}
static hed_status run_eigh_range(const hed_array *a, const hed_array *b, hed_array **out)
{
  (void)b;
  return hed_eigh_range(a, 1, 1, false, &out[0], &out[1]);
}
static hed_status run_eigvalsh(const hed_array *a, const hed_array *b, hed_array **out)
{
  (void)b;
  return one(hed_eigvalsh(a, true), out);
}
static hed_status run_eig(const hed_array *a, const hed_array *b, hed_array **out) { (void)b; return hed_eig(a, &out[0], &out[1]); }
static hed_status run_eigvals(const hed_array *a, const hed_array *b, hed_array **out) { (void)b; return one(hed_eigvals(a), out); }
static hed_status run_svdvals(const hed_array *a, const hed_array *b, hed_array **out) { (void)b; return one(hed_svdvals(a), out); }
static hed_status run_svd(const hed_array *a, const hed_array *b, hed_array **out)
{
  (void)b;
  return hed_svd(a, true, &out[0], &out[1], &out[2]);
}

static const subject lu = { "lu", run_lu }, det = { "det", run_det },
  slogdet = { "slogdet", run_slogdet }, solve = { "solve", run_solve },
  upper = { "solve_triangular", run_upper }, unit = { "solve_triangular, unit", run_unit }, cholesky = { "cholesky", run_cholesky },
  cholesky_upper = { "cholesky, upper", run_cholesky_upper }, qr = { "qr", run_qr },
  whole_qr = { "qr, all of q", run_whole_qr }, eigh = { "eigh", run_eigh },
  eigh_range = { "eigh_range", run_eigh_range },
  eigvalsh = { "eigvalsh", run_eigvalsh }, eig = { "eig", run_eig }, eigvals = { "eigvals", run_eigvals }, svd = { "svd", run_svd },
  svdvals = { "svdvals", run_svdvals };

/* Data of the host: what both backends get. */
static double data[2][2 * VALUES];

static outcome run_on(const char *spec, const subject *s, hed_dtype dtype, hed_shape a, hed_shape b)
{
  outcome o = { .status = HED_E_INTERNAL };
  hed_error_clear();
  HED_BACKEND_CONTEXT(spec)
  HED_SCOPE
  {
    hed_array *out[MOST] = { NULL };
    hed_array *x = hed_astype(hed_from_host(data[0], a, HED_COMPLEX128), HED_COMPLEX128);
    hed_array *y = hed_astype(hed_from_host(data[1], b, HED_COMPLEX128), HED_COMPLEX128);
    const bool real = hed_dtype_kind(dtype) != HED_KIND_COMPLEX;
    x = hed_astype(real ? hed_real(x) : x, dtype);
    y = hed_astype(real ? hed_real(y) : y, dtype);
    o.status = s->run(x, y, out);
    o.value = calloc(2 * MOST * VALUES, sizeof *o.value);
    for (int k = 0; k < MOST && o.status == HED_OK; k++)
      if (out[k]) {
        o.status = hed_to_host(hed_astype(out[k], HED_COMPLEX128), o.value + 2 * o.n, (size_t)hed_array_size(out[k]) * 16);
        o.n += hed_array_size(out[k]);
      }
  }
  snprintf(o.text, sizeof o.text, "%s", o.status == HED_OK ? "" : hed_error_text());
  return o;
}

static double worst_of(const outcome *x, const outcome *y)
{
  double worst = 0, most = 1;
  for (int64_t k = 0; k < 2 * x->n; k++) {
    const double p = x->value[k], q = y->value[k];
    if (p == q || (isnan(p) && isnan(q)))
      continue;
    most = isfinite(p) ? fmax(most, fabs(p)) : most;
    worst = fmax(worst, isfinite(p - q) ? fabs(p - q) : INFINITY);
  }
  return worst / most;
}

static void compare(const char *what, const subject *s, hed_dtype dtype, hed_shape a, hed_shape b)
{
  outcome x = run_on("reference", s, dtype, a, b), y = run_on("cuda:0;fallback=error", s, dtype, a, b);
  const double worst = x.n == y.n ? worst_of(&x, &y) : INFINITY;
  ok(x.status == y.status && strcmp(x.text, y.text) == 0 && worst < (dtype == HED_FLOAT32 || dtype == HED_COMPLEX64 ? 2e-4 : 1e-10),
     "%s of %s, %s: %.3g apart%s%s%s%s", s->name, hed_dtype_name(dtype), what, worst, *y.text ? "; " : "", y.text,
     *y.text ? "; reference: " : "", x.text);
  free(x.value);
  free(y.value);
}

/* ---- matrices ---- */

static gen g;

static void fill(int which, int64_t n, double diagonal, int64_t columns)
{
  for (int64_t k = 0; k < n; k++) {
    data[which][2 * k] = gen_double(&g, -1, 1) + (columns && k % (columns * columns) % (columns + 1) == 0 ? diagonal : 0);
    data[which][2 * k + 1] = columns && k % (columns * columns) % (columns + 1) == 0 ? 0 : gen_double(&g, -1, 1);
  }
}

static void set(int64_t k, double re, double im)
{
  data[0][2 * k] = re;
  data[0][2 * k + 1] = im;
}

/* Each of a list of subjects, up to NULL. */
static void compare_each(const char *what, hed_dtype t, hed_shape a, hed_shape b, const subject *const *list)
{
  for (; *list; list++)
    compare(what, *list, t, a, b);
}
#define COMPARE_EACH(what, t, a, b, ...) compare_each(what, t, a, b, (const subject *const[]){ __VA_ARGS__, NULL })

/* Many small matrices, in one call of a library, and as many as are done one by one. */
static void many(hed_dtype t)
{
  const int64_t n = gen_int(&g, 2, 4), batch = 40;
  const hed_shape a = HED_SHAPE(batch, n, n), b = HED_SHAPE(batch, n, 2), some = HED_SHAPE(5, n, n);
  fill(0, batch * n * n, 6, n);
  fill(1, batch * n * 2, 0, 0);
  COMPARE_EACH("40 matrices", t, a, b, &lu, &det, &solve, &upper, &unit, &cholesky, &cholesky_upper, &eigvalsh, &qr);
  COMPARE_EACH("40 matrices", t, a, b, &eigh_range);
  COMPARE_EACH("5 matrices", t, some, b, &svdvals, &svd, &eigvals, &eigh_range);
  fill(0, 40 * 5 * 3, 0, 0);
  compare("40 tall matrices", &whole_qr, t, HED_SHAPE(8, 5, 5, 3), b);
  compare("a tall matrix", &whole_qr, t, HED_SHAPE(9, 3), b);
  compare("40 wide matrices", &qr, t, HED_SHAPE(40, 3, 5), b);
}

/* Zeros where a division would be, the second of three matrices, and larger ones than go together. */
static void singular(hed_dtype t)
{
  const hed_shape a = HED_SHAPE(3, 3, 3), b = HED_SHAPE(3, 3, 1);
  fill(0, 27, 6, 3);
  fill(1, 9, 0, 0);
  for (int k = 0; k < 3; k++) /* column 1 of matrix 1, and the diagonal of an upper triangle */
    set(9 + 3 * k + 1, 0, 0);
  COMPARE_EACH("one singular", t, a, b, &solve, &det, &lu, &qr);
  compare("a zero on a diagonal", &upper, t, a, b);
  compare("a zero that is not looked at", &unit, t, a, b);
  compare("one not definite", &cholesky, t, a, b);
  set(9, -1, 0);
  compare("the first minor", &cholesky_upper, t, a, b);
  for (int k = 0; k < 9; k++)
    set(k, 0, 0);
  COMPARE_EACH("zeros", t, HED_SHAPE(3, 3), HED_SHAPE(3, 1), &qr, &svdvals, &det, &solve);
}

/* What is not finite: an error where a decomposition would not end, a value that spreads where one does. */
static void strange(hed_dtype t)
{
  const hed_shape a = HED_SHAPE(2, 3, 3), b = HED_SHAPE(2, 3, 1);
  static const double bad[] = { NAN, INFINITY };
  for (int k = 0; k < 2; k++) {
    fill(0, 18, 6, 3);
    fill(1, 6, 0, 0);
    set(9 + 5, bad[k], 0); /* row 1, column 2 of matrix 1 */
    compare("not finite", &svd, t, a, b);
    compare("not finite", &eig, t, a, b);
    compare("not finite, above", &eigvalsh, t, a, b);
    compare("not finite on the other side", &cholesky, t, a, b);
    set(9 + 5, 1, 0);
    set(9 + 4, NAN, 0);
    compare("NaN on the diagonal", &cholesky, t, a, b);
    compare("NaN on the diagonal", &det, t, a, b);
    compare("NaN on the diagonal", &eigh, t, a, b);
    compare("NaN on the diagonal", &eigh_range, t, a, b);
  }
}

/* Values that leave the range unless exponents are kept apart; pairs; shapes. */
static void shapes(hed_dtype t)
{
  const double scale = t == HED_FLOAT32 || t == HED_COMPLEX64 ? 1e30 : 1e200;
  for (int k = 0; k < 16; k++)
    set(k, k % 5 ? 0 : k % 10 ? 1 / scale : scale, 0);
  compare("large and small pivots", &det, t, HED_SHAPE(4, 4), HED_SHAPE(4, 1));
  for (int k = 0; k < 16; k++) /* rows 1 2 0 3 of a diagonal matrix, and of another one 1 0 2 3 */
    set(k, k == 1 || k == 6 || k == 8 || k == 15 ? k : 0, 0);
  for (int k = 0; k < 16; k++)
    set(16 + k, k == 1 || k == 4 || k == 10 || k == 15 ? k : 0, 0);
  compare("rows that change places", &det, t, HED_SHAPE(2, 4, 4), HED_SHAPE(4, 1));
  compare("rows that change places", &lu, t, HED_SHAPE(2, 4, 4), HED_SHAPE(4, 1));
  compare("rows that change places", &slogdet, t, HED_SHAPE(2, 4, 4), HED_SHAPE(4, 1));
  for (int k = 0; k < 16; k++)
    set(k, k % 5 ? 0 : k, 0);
  set(1, -2, 0); /* a rotation above, two real values below */
  set(4, 2, 0);
  set(0, 1, 0);
  set(5, 1, 0);
  compare("a pair and two reals", &eig, t, HED_SHAPE(4, 4), HED_SHAPE(4, 1));
  for (int k = 0; k < 6; k++)
    set(k, k + 1, k % 2);
  compare("tall, all of u", &svd, t, HED_SHAPE(3, 2), HED_SHAPE(3, 1));
  compare("wide, all of vh", &svd, t, HED_SHAPE(2, 3), HED_SHAPE(3, 1));
  compare("tall", &lu, t, HED_SHAPE(3, 2), HED_SHAPE(3, 1));
  compare("wide", &lu, t, HED_SHAPE(2, 3), HED_SHAPE(3, 1));
  compare("wide", &qr, t, HED_SHAPE(2, 3), HED_SHAPE(3, 1));
  compare("square", &qr, t, HED_SHAPE(2, 2), HED_SHAPE(3, 1));
  compare("tall", &svdvals, t, HED_SHAPE(3, 2), HED_SHAPE(3, 1));
  compare("a number", &eigh, t, HED_SHAPE(1, 1), HED_SHAPE(1, 1));
  compare("a number", &svd, t, HED_SHAPE(1, 1), HED_SHAPE(1, 1));
}

int main(void)
{
  const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_COMPLEX64, HED_COMPLEX128 };
  if (hed_backend_require("cuda:0") != HED_OK)
    skip_all("%s", hed_error_text());
  gen_seed(&g, tap_seed());
  for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
    many(types[k]);
    singular(types[k]);
    strange(types[k]);
    shapes(types[k]);
  }
  return done();
}
