// SPDX-License-Identifier: BSD-3-Clause
/* Singular values and QR factors of tall matrices that are well conditioned, badly, singular, tiny and huge: factors are
 * orthogonal and give the matrix back, whichever way they were made. Systems with many right-hand sides, which are solved
 * in blocks. Small matrices in batches of any layout, which are done many at once.
 */
#include "api.h"
#include "linalg.h"
#include <math.h>

enum { KINDS = 13 };
static const char *const kinds[KINDS] = { "random", "condition 1e3", "condition 1e12", "a column of zeros", "tiny", "huge",
                                           "half of the digits", "less than half", "a third", "equal columns",
                                           "columns of some sizes", "columns of many sizes",
                                           "nearly singular behind an even diagonal" };

static hed_array *matrix(int kind, int64_t m, int64_t n, hed_dtype t)
{
  hed_array *a = hed_random_normal(HED_SHAPE(m < 1000 ? 2 : 1, m, n), HED_FLOAT64, NULL); /* several threads share one */
  const double eps = hed_dtype_size(t) == 4 ? 0x1p-23 : 0x1p-52;
  const double apart[KINDS] = { 0, 1e-3, 1e-12, 0, 0, 0, sqrt(eps) * 3, sqrt(eps), sqrt(eps) / 3 };
  if (apart[kind] > 0) /* columns that are nearly one another */
    a = hed_add(hed_expand_dims(hed_index(a, -1, 0), -1), hed_multiply_scalar(a, apart[kind]));
  else if (kind == 3)
    a = hed_multiply(a, hed_less(hed_arange(0, (double)n, 1, HED_FLOAT64), hed_scalar((double)n - 1)));
  else if (kind == 9)
    a = hed_where(hed_less(hed_arange(0, (double)n, 1, HED_FLOAT64), hed_scalar((double)n / 2)), a,
                  hed_expand_dims(hed_index(a, -1, 0), -1));
  else if (kind == 12) { /* q times a triangle of 1 on the diagonal and -1 above it: a condition of about 2^n */
    hed_array *q = NULL, *r = NULL;
    if (hed_qr(a, HED_QR_REDUCED, &q, &r) == HED_OK)
      a = hed_matmul(q, hed_subtract(hed_multiply_scalar(hed_eye(n, n, 0, HED_FLOAT64), 2),
                                     hed_triu(hed_ones(HED_SHAPE(n, n), HED_FLOAT64), 0)));
  } else if (kind >= 10)
    a = hed_multiply(a, hed_linspace(1, kind == 10 ? 0.25 : 0.005, n, HED_FLOAT64));
  else if (kind == 4 || kind == 5) {
    const double far = hed_dtype_size(t) == 4 ? 1e25 : 1e200;
    a = hed_multiply_scalar(a, kind == 4 ? 1 / far : far);
  }
  return hed_astype(a, t);
}

static bool orthogonal(const char *what, hed_array *q, double eps)
{
  const int64_t n = q ? hed_array_shape(q).dim[2] : 0;
  const double off = largest(hed_subtract(hed_matmul(adjoint(q), q), hed_eye(n, n, 0, hed_array_dtype(q))));
  if (!(off <= 4 * (double)n * eps))
    diag("%s: off by %g of %g", what, off, 4 * (double)n * eps);
  return off <= 4 * (double)n * eps;
}

static bool gives_back(const char *what, hed_array *product, const hed_array *a, double eps)
{
  const double size = largest(hed_abs(a)), off = largest(hed_subtract(product, a));
  if (!(off <= 400 * eps * size))
    diag("%s: the product is off by %g of %g", what, off, size);
  return off <= 400 * eps * size;
}

static void one(int kind, int64_t m, int64_t n, hed_dtype t)
{
  const double eps = hed_dtype_size(t) == 4 ? 0x1p-23 : 0x1p-52;
  bool good = true;
  HED_SCOPE {
    hed_array *a = matrix(kind, m, n, t), *u = NULL, *s = NULL, *vh = NULL, *q = NULL, *r = NULL, *only = NULL;
    good = a && hed_svd(a, false, &u, &s, &vh) == HED_OK && hed_qr(a, HED_QR_REDUCED, &q, &r) == HED_OK;
    good = good && orthogonal("u", u, eps) && orthogonal("vh", adjoint(vh), eps) && orthogonal("q", q, eps);
    good = good && gives_back("svd", hed_matmul(hed_multiply(u, hed_expand_dims(s, -2)), vh), a, eps);
    hed_array *top = good ? hed_max(u, &(hed_reduce){ .axes = { 1, { -2 } } }) : NULL; /* of each column */
    hed_array *size = good ? hed_max(hed_abs(u), &(hed_reduce){ .axes = { 1, { -2 } } }) : NULL;
    good = good && largest(hed_subtract(size, top)) <= 0.001;
    good = good && gives_back("qr", hed_matmul(q, r), a, eps) && largest(hed_subtract(r, hed_triu(r, 0))) == 0;
    double least = -1;
    good = good && hed_item(hed_min(hed_diagonal(r, 0, -2, -1), NULL), &least) == HED_OK && least >= 0;
    good = good && (only = hed_svdvals(a)) && largest(hed_subtract(only, s)) <= 40 * (double)n * eps * largest(s);
    if (!good)
      diag("status: %s", hed_error_text());
  }
  ok(good, "%s, %d x %d, %s", kinds[kind], (int)m, (int)n, hed_dtype_name(t));
}

/* Diagonally dominant, so well conditioned, but with rows exchanged. */
static void systems(gen *g, int64_t n, int64_t k, hed_dtype t)
{
  const bool single = t == HED_FLOAT32 || t == HED_COMPLEX64;
  double off = NAN;
  HED_SCOPE {
    hed_array *a = random_matrix(g, t, HED_SHAPE(n, n)), *x = random_matrix(g, t, HED_SHAPE(n, k));
    a = hed_add(a, hed_multiply_scalar(hed_flip(hed_eye(n, n, 0, t), NULL), (double)n));
    a = hed_roll(a, &HED_AXES(3), &HED_AXES(0));
    hed_array *b = hed_matmul(a, x);
    off = largest(hed_subtract(hed_solve(a, b), x));
  }
  ok(off <= 500 * (single ? 0x1p-23 : 0x1p-52), "solve %d x %d, %d columns, %s: off by %g", (int)n, (int)n, (int)k,
     hed_dtype_name(t), off);
}

/* Rows in the order of perm are l u, no element of l is above 1, and u's diagonal shows where a column was zero. */
/* A triangle of every form with K right-hand sides: what is not of it, and a diagonal that counts as ones, is not read. */
static void sides_of_triangles(gen *g, int64_t n, int64_t k, hed_dtype t)
{
  int bad = 0;
  for (int form = 0; form < 12; form++)
    HED_SCOPE {
      const hed_triangular opt = { .upper = form & 1, .unit_diagonal = form & 2, .form = form / 4 };
      hed_array *rows = hed_arange(0, (double)n, 1, HED_INT32), *columns = rows, *b = random_matrix(g, t, HED_SHAPE(2, n, k));
      rows = hed_expand_dims(rows, 1);
      hed_array *even = hed_equal(rows, columns), *a = random_matrix(g, t, HED_SHAPE(2, n, n));
      a = hed_where(even, hed_scalar(2), hed_multiply_scalar(a, 1 / (double)n));
      hed_array *inside = opt.upper ? hed_less_equal(rows, columns) : hed_greater_equal(rows, columns);
      hed_array *used = hed_where(inside, a, hed_scalar(0)), *given = hed_where(inside, a, hed_scalar(NAN));
      if (opt.unit_diagonal) {
        used = hed_where(even, hed_scalar(1), used);
        given = hed_where(even, hed_scalar(NAN), given);
      }
      given = hed_astype(given, t);
      if (gen_chance(g, 50))
        given = hed_swapaxes(hed_copy(hed_swapaxes(given, 1, 2)), 1, 2);
      used = opt.form == HED_AS_IS ? used : opt.form == HED_ADJOINT ? adjoint(used) : hed_swapaxes(used, 1, 2);
      hed_array *x = hed_solve_triangular(given, b, &opt);
      const double off = x ? largest(hed_subtract(hed_matmul(hed_astype(used, t), x), b)) : NAN;
      if (!(off <= 100 * precision(t))) {
        bad++;
        diag("form %d: off by %g; status: %s", form, off, hed_error_text());
      }
    }
  is_int(bad, 0, "triangles of order %d with %d right-hand sides, %s", (int)n, (int)k, hed_dtype_name(t));
}

static void triangles(gen *g, int64_t m, int64_t n, hed_dtype t)
{
  const double eps = hed_dtype_size(t) == 4 ? 0x1p-23 : 0x1p-52;
  bool good = false;
  HED_SCOPE {
    hed_array *a = random_matrix(g, t, HED_SHAPE(m, n)), *perm = NULL, *lower = NULL, *upper = NULL;
    if (gen_chance(g, 30)) /* the first column is zeros, and so is the first pivot */
      a = hed_multiply(a, hed_astype(hed_greater(hed_arange(0, (double)n, 1, HED_FLOAT64), hed_scalar(0)), t));
    good = hed_lu(a, &perm, &lower, &upper) == HED_OK
           && gives_back("lu", hed_matmul(lower, upper), hed_take(a, perm, 0), (double)(m > n ? m : n) * eps)
           && largest(hed_abs(lower)) == 1 && largest(hed_subtract(upper, hed_triu(upper, 0))) == 0
           && largest(hed_subtract(lower, hed_tril(lower, 0))) == 0;
    if (!good)
      diag("status: %s", hed_error_text());
  }
  ok(good, "lu %d x %d, %s", (int)m, (int)n, hed_dtype_name(t));
}

/* The identity, but for a column of zeros. */
static void singular(int64_t n, int64_t at, hed_dtype t)
{
  bool refused = false;
  HED_SCOPE {
    hed_array *a = hed_eye(n, n, 0, t), *b = hed_ones(HED_SHAPE(n, 3), t);
    a = hed_multiply(a, hed_astype(hed_not_equal(hed_arange(0, (double)n, 1, HED_FLOAT64), hed_scalar((double)at)), t));
    char want[64];
    snprintf(want, sizeof want, "pivot %d is 0", (int)at);
    refused = !hed_solve(a, b) && hed_error() == HED_E_SINGULAR && strstr(hed_error_text(), want);
    if (!refused)
      diag("status: %s", hed_error_text());
    hed_error_clear();
  }
  ok(refused, "solve: column %d of %d is zeros, %s", (int)at, (int)n, hed_dtype_name(t));
}

static double value_of(hed_array *x)
{
  double v = NAN;
  return hed_item(x, &v) == HED_OK ? v : NAN;
}

/* Batches that broadcast against each other, lie in any order, and are no whole number of vectors. */
static void batches(gen *g, int64_t n, int64_t k, hed_dtype t)
{
  const double eps = precision(t);
  double off[6] = { NAN, NAN, NAN, NAN, NAN, NAN }, most = 0;
  HED_SCOPE {
    const int64_t rows = gen_int(g, 1, 6), columns = gen_int(g, 1, 40);
    hed_array *one = hed_eye(n, n, 0, t), *perm = NULL, *lower = NULL, *upper = NULL;
    hed_array *a = hed_add(random_matrix(g, t, HED_SHAPE(rows, 1, n, n)),
                           hed_roll(hed_multiply_scalar(one, (double)n), &HED_AXES(1), &HED_AXES(0)));
    hed_array *x = random_matrix(g, t, HED_SHAPE(columns, n, k)), *b = hed_matmul(a, x);
    off[0] = largest(hed_subtract(hed_solve(a, b), x));
    off[1] = largest(hed_subtract(hed_matmul(a, hed_inv(a)), one));
    hed_array *v = random_matrix(g, t, HED_SHAPE(columns, n, n)), *square = hed_add(hed_matmul(v, adjoint(v)), one);
    const bool high = gen_chance(g, 50);
    hed_array *root = hed_cholesky(square, high), *other = adjoint(root);
    off[2] = largest(hed_subtract(high ? hed_matmul(other, root) : hed_matmul(root, other), square)) / (double)n;
    hed_array *d = hed_det(square), *twice = hed_prod(hed_diagonal(root, 0, -2, -1), &(hed_reduce){ .axes = { 1, { -1 } } });
    off[3] = largest(hed_subtract(hed_divide(d, hed_square(twice)), hed_scalar(1))) / (double)n;
    if (hed_lu(v, &perm, &lower, &upper) == HED_OK)
      off[4] = largest(hed_subtract(hed_matmul(lower, upper), hed_take_along_axis(v, hed_expand_dims(perm, -1), 1)));
    hed_array *first = hed_index(hed_index(a, 0, 0), 0, 0), *vector = hed_index(hed_index(x, -1, 0), 0, 0);
    off[5] = largest(hed_subtract(hed_solve(first, hed_matmul(first, vector)), vector));
    for (int i = 0; i < 6; i++)
      most = off[i] <= most ? most : off[i];
  }
  ok(most <= 60 * eps, "batches, %d x %d and %d columns, %s: off by %g", (int)n, (int)n, (int)k, hed_dtype_name(t), most);
}

/* Of several matrices that fail, the first is named. */
static void singular_among(int64_t n, hed_dtype t)
{
  bool refused = false;
  HED_SCOPE {
    hed_array *place = hed_arange(0, 1000, 1, HED_INT64), *one = hed_eye(n, n, 0, t);
    hed_array *bad = hed_logical_or(hed_equal(place, hed_scalar(900)), hed_equal(place, hed_scalar(617)));
    hed_array *good = hed_astype(hed_logical_not(bad), t), *l[3] = { NULL, NULL, NULL };
    hed_array *a = hed_multiply(one, hed_expand_dims(hed_expand_dims(good, -1), -1));
    refused = !hed_inv(a) && hed_error() == HED_E_SINGULAR && strstr(hed_error_text(), "617")
              && strstr(hed_error_text(), "pivot 0");
    hed_error_clear();
    refused = refused && !hed_cholesky(a, false) && hed_error() == HED_E_SINGULAR && strstr(hed_error_text(), "617")
              && strstr(hed_error_text(), "order 1");
    hed_error_clear();
    refused = refused && value_of(hed_sum(hed_det(a), NULL)) == 998 && hed_lu(a, &l[0], &l[1], &l[2]) == HED_OK
              && largest(hed_subtract(l[2], a)) == 0;
    if (!refused)
      diag("status: %s", hed_error_text());
    hed_error_clear();
  }
  ok(refused, "two of a thousand matrices of order %d are zeros, %s", (int)n, hed_dtype_name(t));
}

int main(void)
{
  static const int64_t sizes[][2] = { { 16, 1 }, { 40, 7 }, { 64, 32 }, { 300, 50 }, { 1500, 60 } };
  gen g;
  char text[64];
  gen_seed(&g, tap_seed());
  snprintf(text, sizeof text, "cpu;threads=%d;seed=%u", (int)gen_int(&g, 2, 4), (unsigned)gen_below(&g, 1000000));
  HED_BACKEND_CONTEXT(text) {
    for (int kind = 0; kind < KINDS; kind++)
      for (int k = 0; k < 5; k++) {
        one(kind, sizes[k][0], sizes[k][1], HED_FLOAT32);
        one(kind, sizes[k][0], sizes[k][1], HED_FLOAT64);
      }
    static const int64_t shapes[][2] = { { 129, 32 }, { 200, 70 }, { 256, 300 }, { 100, 64 }, { 300, 3 } };
    for (int k = 0; k < 5; k++) {
      sides_of_triangles(&g, shapes[k][0], shapes[k][1], HED_FLOAT32);
      sides_of_triangles(&g, shapes[k][0], shapes[k][1], HED_FLOAT64);
      sides_of_triangles(&g, shapes[k][0], shapes[k][1], HED_COMPLEX64);
      sides_of_triangles(&g, shapes[k][0], shapes[k][1], HED_COMPLEX128);
      systems(&g, shapes[k][0], shapes[k][1], HED_FLOAT32);
      systems(&g, shapes[k][0], shapes[k][1], HED_FLOAT64);
      systems(&g, shapes[k][0], shapes[k][1], HED_COMPLEX64);
      systems(&g, shapes[k][0], shapes[k][1], HED_COMPLEX128);
    }
    static const int64_t uneven[][2] = { { 1, 1 }, { 3, 8 }, { 9, 5 }, { 17, 17 }, { 100, 37 }, { 37, 100 }, { 300, 257 },
                                         { 513, 520 } };
    for (int k = 0; k < 8; k++)
      for (int wide = 0; wide < 2; wide++) {
        triangles(&g, uneven[k][0], uneven[k][1], wide ? HED_FLOAT64 : HED_FLOAT32);
        singular(uneven[k][0], uneven[k][0] - 1, wide ? HED_FLOAT64 : HED_FLOAT32);
        singular(uneven[k][0], uneven[k][0] / 2, wide ? HED_FLOAT64 : HED_FLOAT32);
      }
    for (int64_t n = 1; n <= 18; n++)
      for (int wide = 0; wide < 2; wide++) {
        batches(&g, n, gen_int(&g, 1, 18), wide ? HED_FLOAT64 : HED_FLOAT32);
        batches(&g, n, n, wide ? HED_COMPLEX128 : HED_COMPLEX64);
        singular_among(n, wide ? HED_FLOAT64 : HED_FLOAT32);
      }
  }
  done_testing();
  return done();
}
