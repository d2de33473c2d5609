// SPDX-License-Identifier: BSD-3-Clause
/* Factorisations and solvers: what defines each result, as residuals scaled by the precision, over types, shapes, batches
 * and layouts; matrices without elements; arguments that are refused.
 */
#include "api.h"
#include "linalg.h"

static const hed_dtype types[] = { &hed_dtype_float32, &hed_dtype_float64, &hed_dtype_complex64, &hed_dtype_complex128 };

static hed_shape with_batch(hed_shape batch, int64_t m, int64_t n)
{
  batch.dim[batch.ndim++] = m;
  batch.dim[batch.ndim++] = n;
  return batch;
}

static hed_shape draw_batch(gen *g)
{
  hed_shape s = { .ndim = (int32_t)gen_below(g, 3) };
  for (int k = 0; k < s.ndim; k++)
    s.dim[k] = gen_int(g, 1, 3);
  return s;
}

static bool near_zero(double residual, double limit, const char *what, hed_dtype t, int64_t m, int64_t n)
{
  return ok(residual <= limit, "%s of %s, %d x %d: %.3g of %.3g %s", what, hed_dtype_name(t), (int)m, (int)n, residual,
            limit, residual <= limit ? "" : hed_error_text());
}

static bool is_unitary(const hed_array *q, double limit, const char *what, hed_dtype t)
{
  int64_t n = q ? hed_array_shape(q).dim[hed_array_ndim(q) - 1] : 0;
  return near_zero(distance(times(adjoint(wide(q)), q), identity(n)), limit, what, t, n, n);
}

/* Leading component of each column: real and positive. */
static bool columns_turned(const hed_array *v)
{
  hed_shape s = hed_array_shape(v);
  int64_t m = s.dim[s.ndim - 2], n = s.dim[s.ndim - 1], total = hed_array_size(v);
  double *x = malloc((size_t)(2 * total + 1) * sizeof *x);
  bool good = hed_to_host(wide(v), x, (size_t)total * 16) == HED_OK;
  for (int64_t base = 0; base < total; base += m * n)
    for (int64_t j = 0; j < n; j++) {
      double most = 0;
      for (int64_t i = 0; i < m; i++)
        most = fmax(most, hypot(x[2 * (base + i * n + j)], x[2 * (base + i * n + j) + 1]));
      for (int64_t i = 0; i < m; i++) {
        const double *e = x + 2 * (base + i * n + j);
        if (hypot(e[0], e[1]) >= 0.9995 * most) {
          good = good && e[0] > 0 && fabs(e[1]) < 1e-6;
          break;
        }
        if (hypot(e[0], e[1]) >= 0.9985 * most)
          break; /* too near the rule's edge to say from rounded values */
      }
    }
  free(x);
  return good;
}

/* Some eigenvalues of HERMITIAN and their vectors, where one triangle of HALF is read. */
static void some_values(gen *g, const hed_array *hermitian, const hed_array *half, bool upper, double limit)
{
  const int64_t n = hed_array_shape(half).dim[hed_array_ndim(half) - 1], count = gen_int(g, 1, gen_chance(g, 60) ? (n + 2) / 3 : n);
  const int64_t first = gen_int(g, 0, n - count);
  hed_array *w, *v, *alone, *at = hed_arange((double)first, (double)(first + count), 1, HED_INT64);
  ok(hed_eigh_range(half, gen_chance(g, 50) ? first : first - n, count, upper, &w, &v) == HED_OK, "eigh_range: %s", hed_error_text());
  near_zero(distance(w, hed_take(hed_eigvalsh(hermitian, upper), at, -1)), limit, "its values", hed_array_dtype(half), n, count);
  near_zero(distance(times(hermitian, v), columns_times(v, w)), limit, "eigh_range", hed_array_dtype(half), n, count);
  is_unitary(v, limit, "its vectors", hed_array_dtype(half));
  ok(columns_turned(v), "are turned");
  ok(hed_eigh_range(half, first, count, upper, &alone, NULL) == HED_OK, "values alone");
  near_zero(distance(w, alone), limit, "values alone", hed_array_dtype(half), n, count);
}

static void one_round(gen *g)
{
  hed_dtype t = types[gen_below(g, 4)];
  hed_shape batch = draw_batch(g);
  int64_t n = gen_int(g, 1, gen_chance(g, 20) ? 24 : 7), m = gen_int(g, 1, 9), k = gen_int(g, 1, 4), low = m < n ? m : n;
  double eps = precision(t), limit = 20 * eps * (double)(n + m);
  hed_array *a = random_matrix(g, t, with_batch(batch, n, n)), *b = random_matrix(g, t, with_batch(batch, n, k));
  hed_array *rect = random_matrix(g, t, with_batch(batch, m, n)), *w, *v, *q, *r, *u, *s, *vh, *l, *perm;
  hed_array *shifted = hed_add(a, hed_multiply_scalar(hed_eye(n, n, 0, t), 3.0 * (double)n));

  hed_array *x = hed_solve(shifted, b);
  near_zero(distance(times(shifted, x), b), limit, "solve", t, n, k);
  hed_array *out = random_matrix(g, t, hed_array_shape(x));
  ok(hed_solve_into(out, shifted, b) == HED_OK && distance(out, x) == 0, "solve_into gives the same");
  near_zero(distance(times(shifted, hed_inv(shifted)), identity(n)), limit, "inv", t, n, n);
  out = random_matrix(g, t, hed_array_shape(shifted));
  ok(hed_inv_into(out, shifted) == HED_OK && distance(out, hed_inv(shifted)) == 0, "inv_into gives the same");

  hed_array *rows = hed_arange(0, (double)n, 1, HED_INT32), *columns = rows;
  rows = hed_expand_dims(rows, 1);
  for (int form = 0; form < 3; form++) {
    hed_triangular opt = { .upper = gen_chance(g, 50), .unit_diagonal = gen_chance(g, 30), .form = form };
    hed_array *keep = opt.upper ? hed_less_equal(rows, columns) : hed_greater_equal(rows, columns);
    hed_array *used = hed_where(keep, wide(shifted), hed_scalar(0));
    if (opt.unit_diagonal)
      used = hed_where(hed_equal(rows, columns), hed_scalar(1), used);
    used = form == HED_AS_IS ? used : hed_moveaxis(used, -1, -2);
    used = form == HED_ADJOINT ? hed_conj(used) : used;
    x = hed_solve_triangular(shifted, b, &opt);
    near_zero(distance(times(used, x), b), limit * fmax(1, largest(x)), "solve_triangular", t, n, k);
    out = random_matrix(g, t, hed_array_shape(x));
    ok(hed_solve_triangular_into(out, shifted, b, &opt) == HED_OK && distance(out, x) == 0, "and into");
  }

  hed_array *positive = hed_astype(hed_add(times(a, adjoint(a)), identity(n)), t);
  for (int upper = 0; upper < 2; upper++) {
    /* the other triangle is not read */
    hed_array *read = upper ? hed_less_equal(rows, columns) : hed_greater_equal(rows, columns);
    hed_array *half = hed_where(read, positive, hed_scalar(77));
    l = hed_cholesky(half, upper);
    hed_array *product = upper ? times(adjoint(l), l) : times(l, adjoint(l));
    near_zero(distance(product, positive), limit * fmax(1, largest(positive)), upper ? "upper cholesky" : "cholesky", t, n,
              n);
    near_zero(largest(hed_where(read, hed_scalar(0), l)), 0, "its other side", t, n, n);
  }
  out = random_matrix(g, t, hed_array_shape(positive));
  ok(hed_cholesky_into(out, positive, true) == HED_OK && distance(out, l) == 0, "cholesky_into gives the same");

  for (int mode = 0; mode < 2; mode++) {
    ok(hed_qr(rect, (hed_qr_mode)mode, &q, &r) == HED_OK, "qr: %s", hed_error_text());
    near_zero(distance(times(q, r), rect), limit, mode ? "complete qr" : "qr", t, m, n);
    is_unitary(q, limit, "q", t);
    hed_array *d = hed_diagonal(r, 0, -2, -1), *i = hed_arange(0, (double)(mode ? m : low), 1, HED_INT32), *least;
    near_zero(largest(hed_imag(d)), 0, "imaginary part of r's diagonal", t, low, 1);
    double value = -1;
    least = hed_min(hed_real(d), NULL);
    ok(hed_item(least, &value) == HED_OK && value >= 0, "r's diagonal is not negative");
    near_zero(largest(hed_where(hed_greater(hed_expand_dims(i, 1), columns), r, hed_scalar(0))), 0, "below it", t, m, n);
    ok(hed_qr(rect, (hed_qr_mode)mode, NULL, &s) == HED_OK && distance(s, r) == 0, "r alone");
  }

  hed_array *hermitian = hed_multiply_scalar(hed_add(a, adjoint(a)), 0.5);
  for (int upper = 0; upper < 2; upper++) {
    hed_array *read = upper ? hed_less_equal(rows, columns) : hed_greater_equal(rows, columns);
    ok(hed_eigh(hed_where(read, hermitian, hed_scalar(77)), upper, &w, &v) == HED_OK, "eigh: %s", hed_error_text());
    near_zero(distance(times(hermitian, v), columns_times(v, w)), limit, "eigh", t, n, n);
    is_unitary(v, limit, "its vectors", t);
    ok(columns_turned(v), "are turned");
    near_zero(distance(w, hed_sort(w, NULL)), 0, "ascending", t, n, n);
    near_zero(distance(w, hed_eigvalsh(hermitian, upper)), limit, "eigvalsh", t, n, n);
    some_values(g, hermitian, hed_where(read, hermitian, hed_scalar(77)), upper, limit);
  }

  ok(hed_eig(a, &w, &v) == HED_OK, "eig: %s", hed_error_text());
  near_zero(distance(times(a, v), columns_times(v, w)), 3 * limit, "eig", t, n, n);
  near_zero(distance(hed_sum(hed_square(hed_abs(v)), &(hed_reduce){ .axes = { 1, { -2 } } }), hed_ones(HED_SHAPE0, HED_FLOAT32)),
            limit, "norms of its vectors", t, n, n);
  ok(columns_turned(v), "are turned");
  near_zero(distance(w, hed_eigvals(a)), 100 * limit, "eigvals", t, n, n);

  ok(hed_lu(rect, &perm, &l, &u) == HED_OK, "lu: %s", hed_error_text());
  hed_array *moves = hed_equal(hed_expand_dims(perm, -1), hed_arange(0, (double)m, 1, HED_INT64));
  near_zero(distance(times(l, u), times(moves, rect)), limit, "lu", t, m, n);
  ok(largest(l) <= 1 + eps * 4 || t == HED_COMPLEX64 || t == HED_COMPLEX128, "no multiplier above 1");
  near_zero(distance(hed_diagonal(l, 0, -2, -1), hed_ones(HED_SHAPE0, HED_FLOAT32)), 0, "l's diagonal", t, m, n);

  ok(hed_svd(rect, gen_chance(g, 50), &u, &s, &vh) == HED_OK, "svd: %s", hed_error_text());
  is_unitary(u, limit, "u", t);
  ok(columns_turned(u), "is turned");
  near_zero(distance(s, hed_svdvals(rect)), limit, "svdvals", t, m, n);
  hed_array *p = hed_pinv(rect, 1e-3);
  if (largest(p) < 50) {
    limit *= 1 + largest(p) * largest(p);
    /* to the largest singular value that counted as none */
    const hed_reduce last = { .axes = { 1, { -1 } }, .keepdims = true };
    hed_array *none = hed_less(s, hed_multiply_scalar(hed_max(s, &last), 1e-3 * (1 + 4 * eps)));
    near_zero(distance(times(times(rect, p), rect), rect), limit + largest(hed_where(none, s, hed_scalar(0))), "a p a = a", t, m,
              n);
    near_zero(distance(times(times(p, rect), p), p), limit * largest(p), "p a p = p", t, m, n);
    near_zero(distance(times(p, rect), adjoint(times(p, rect))), limit, "p a is Hermitian", t, m, n);
    near_zero(distance(times(rect, p), adjoint(times(rect, p))), limit, "a p is Hermitian", t, m, n);
    hed_array *right = random_matrix(g, t, with_batch(batch, m, k)), *residuals, *rank;
    ok(hed_lstsq(rect, right, 1e-3, &x, &residuals, &rank, &s) == HED_OK, "lstsq: %s", hed_error_text());
    near_zero(distance(x, times(p, right)), limit, "lstsq is pinv times b", t, m, n);
    if (m > n) {
      hed_array *rest = hed_subtract(wide(right), times(rect, x));
      near_zero(distance(residuals, hed_sum(hed_square(hed_abs(rest)), &(hed_reduce){ .axes = { 1, { -2 } } })), limit,
                "its residuals", t, m, n);
    } else {
      is_int(hed_array_size(residuals), 0, "no residuals without more rows than columns");
    }
    near_zero(distance(rank, hed_matrix_rank(rect, 1e-3)), 0, "its rank", t, m, n);
  }
}

static void rounds(const char *backend)
{
  gen g;
  gen_seed(&g, tap_seed());
  diag("residuals on %s", backend);
  for (int k = 0; k < 14; k++)
    HED_SCOPE
      one_round(&g);
}

/* ---- least squares ---- */

/* What makes x a solution: what it leaves is orthogonal to a's columns, and x lies in what a's rows span. */
static void is_fit(const hed_array *a, const hed_array *b, const hed_array *x, double limit, const char *what, hed_dtype t)
{
  const hed_shape s = hed_array_shape(a);
  const int64_t m = s.dim[s.ndim - 2], n = s.dim[s.ndim - 1];
  hed_array *rest = hed_subtract(wide(b), times(a, x)), *back = hed_pinv(wide(a), 1e-5);
  limit *= (1 + largest(x)) * (1 + largest(back));
  near_zero(largest(times(adjoint(wide(a)), rest)), limit, what, t, m, n);
  near_zero(distance(times(back, times(a, x)), x), limit * (1 + largest(back)), "of least norm", t, m, n);
}

/* Of full rank and not, by the default precision and by a coarse one, with one right-hand side and many. */
static void one_fit(gen *g)
{
  const hed_dtype t = types[gen_below(g, 4)];
  const hed_shape batch = draw_batch(g);
  const int64_t n = gen_int(g, 2, 12), m = gen_chance(g, 15) ? n : gen_int(g, 1, gen_chance(g, 20) ? 40 * n : 3 * n);
  const int64_t k = gen_chance(g, 30) ? gen_int(g, n, 2 * n) : gen_int(g, 1, 3), low = m < n ? m : n;
  const double limit = 60 * precision(t) * (double)(m + n);
  hed_array *a = random_matrix(g, t, with_batch(batch, m, n)), *b = random_matrix(g, t, with_batch(batch, m, k));
  hed_array *x, *y, *residuals, *rank, *s, *ranks = hed_full(HED_SHAPE0, (double)low, HED_INT64);
  if (m != n) { /* square ones may be as good as singular */
    ok(hed_lstsq(a, b, -1, &x, &residuals, &rank, &s) == HED_OK, "lstsq: %s", hed_error_text());
    is_fit(a, b, x, limit, "normal equations", t);
    near_zero(distance(rank, ranks), 0, "full rank", t, m, n);
    near_zero(distance(s, hed_svdvals(wide(a))), limit, "singular values", t, m, n);
    ok(hed_lstsq(a, b, -1, &y, NULL, NULL, NULL) == HED_OK, "x alone");
    near_zero(distance(x, y), 0, "is the same", t, m, n);
    is_int(hed_array_size(residuals), m > n ? hed_array_size(x) / n : 0, "residuals of %d x %d", (int)m, (int)n);
  }
  if (m > n) {
    hed_array *rest = hed_square(hed_abs(hed_subtract(wide(b), times(a, x))));
    near_zero(distance(residuals, hed_sum(rest, &(hed_reduce){ .axes = { 1, { -2 } } })), limit * (double)m * (1 + largest(x)),
              "residuals", t, m, n);
    /* one column not finite: the others do not notice */
    hed_array *first = hed_equal(hed_arange(0, (double)k, 1, HED_INT64), hed_scalar_int(0));
    ok(hed_lstsq(a, hed_where(first, hed_scalar(NAN), b), -1, &y, &residuals, NULL, NULL) == HED_OK, "NaN in b: %s",
       hed_error_text());
    const hed_array *const of[2] = { hed_abs(y), residuals };
    for (int q = 0; q < 2; q++) {
      hed_array *there = hed_logical_and(first, hed_ones(hed_array_shape(of[q]), HED_BOOL));
      near_zero(distance(hed_astype(hed_isnan(of[q]), HED_FLOAT64), hed_astype(there, HED_FLOAT64)), 0, "NaN there alone", t, m, n);
    }
    near_zero(distance(hed_where(first, hed_scalar(0), y), hed_where(first, hed_scalar(0), x)),
              limit * (1 + largest(x)) * pow(1 + largest(hed_pinv(a, -1)), 2), "the others as before", t, m, n);
  }

  /* the last column twice the first */
  const hed_shape start = { .ndim = hed_array_ndim(a) };
  hed_array *twice = hed_multiply_scalar(hed_slice_tensor(a, start, with_batch(batch, m, 1)), 2);
  hed_array *less = hed_slice_tensor(a, start, with_batch(batch, m, n - 1));
  hed_array *poor = hed_concatenate(2, (const hed_array *const[]){ less, twice }, -1);
  ok(hed_lstsq(poor, b, -1, &x, &residuals, &rank, NULL) == HED_OK, "lstsq of a dependent column: %s", hed_error_text());
  if (m >= n) {
    is_fit(poor, b, x, limit, "a dependent column", t);
    near_zero(distance(rank, hed_full(HED_SHAPE0, (double)(n - 1), HED_INT64)), 0, "a rank less", t, m, n);
    is_int(hed_array_size(residuals), 0, "no residuals");
  }

  /* values of at most half the largest do not count */
  ok(hed_lstsq(a, b, 0.5, &x, NULL, &rank, NULL) == HED_OK, "a coarse rank: %s", hed_error_text());
  near_zero(distance(x, times(hed_pinv(a, 0.5), b)), limit * (1 + largest(x)), "pinv times b", t, m, n);
  near_zero(distance(rank, hed_matrix_rank(a, 0.5)), 0, "a coarse rank", t, m, n);
}

static void fits(const char *backend)
{
  gen g;
  gen_seed(&g, tap_seed() + 7);
  diag("least squares on %s", backend);
  for (int k = 0; k < 30; k++)
    HED_SCOPE
      one_fit(&g);
}

/* exp(h) of a Hermitian matrix against the exponentials of its eigenvalues. */
static void near_exponential(const hed_array *h, double limit, hed_dtype t, int64_t n)
{
  hed_array *w, *v;
  hed_eigh(h, false, &w, &v);
  hed_array *want = times(columns_times(v, hed_exp(w)), adjoint(v));
  near_zero(distance(hed_expm(h), want), 10 * limit * largest(want), "expm of a Hermitian matrix", t, n, n);
}

/* det and slogdet against the product of eigenvalues and each other; powers; exponentials. */
static void functions(const char *backend)
{
  gen g;
  gen_seed(&g, tap_seed() + 1);
  diag("functions of matrices on %s", backend);
  for (int round = 0; round < 8; round++)
    HED_SCOPE
    {
      hed_dtype t = types[round % 4];
      hed_shape batch = draw_batch(&g);
      int64_t n = gen_int(&g, 1, 6);
      double limit = 40 * precision(t) * (double)n;
      hed_array *a = random_matrix(&g, t, with_batch(batch, n, n)), *sign, *logdet;
      hed_array *d = hed_det(a), *values = hed_prod(hed_eigvals(a), &(hed_reduce){ .axes = { 1, { -1 } } });
      near_zero(distance(d, values), 20 * limit, "det is the product of the eigenvalues", t, n, n);
      ok(hed_slogdet(a, &sign, &logdet) == HED_OK, "slogdet: %s", hed_error_text());
      near_zero(distance(hed_multiply(sign, hed_exp(logdet)), d), limit, "slogdet", t, n, n);
      near_zero(distance(hed_abs(sign), hed_ones(HED_SHAPE0, HED_FLOAT32)), limit, "its sign", t, n, n);

      hed_array *cube = times(times(a, a), a);
      near_zero(distance(hed_matrix_power(a, 3), cube), limit * fmax(1, largest(cube)), "third power", t, n, n);
      hed_array *shifted = hed_add(a, hed_multiply_scalar(hed_eye(n, n, 0, t), 3));
      hed_array *back = hed_matrix_power(shifted, -2);
      near_zero(distance(times(times(back, shifted), shifted), identity(n)), 1000 * limit * fmax(1, largest(back)),
                "power -2", t, n, n);
      hed_array *one = hed_matrix_power(a, 0);
      ok(hed_array_ndim(one) == hed_array_ndim(a) && distance(one, identity(n)) == 0, "power 0");

      /* exp(a) exp(-a) = 1; det exp(a) = exp(trace a); exp of a Hermitian matrix by its eigenvalues */
      static const double sizes[] = { 0.003, 0.03, 0.2, 1, 6 }; /* for each degree of the approximant */
      double size = sizes[gen_below(&g, 5)];
      hed_array *big = hed_astype(hed_multiply_scalar(a, size), t), *e = hed_expm(big), *f = hed_expm(hed_negative(big));
      near_zero(distance(times(e, f), identity(n)), 10 * limit * fmax(1, largest(e)) * fmax(1, largest(f)), "expm(a) expm(-a)",
                t, n, n);
      near_exponential(hed_multiply_scalar(hed_add(a, adjoint(a)), size / 4), limit, t, n);
      const int64_t large = gen_int(&g, 64, 80); /* fused */
      hed_array *wide = random_matrix(&g, t, HED_SHAPE(large, large));
      near_exponential(hed_multiply_scalar(hed_add(wide, adjoint(wide)), size / 80), 40 * precision(t), t, large);

      hed_array *c2 = hed_cond(shifted, HED_COND_2), *c1 = hed_cond(shifted, HED_COND_1);
      hed_array *ci = hed_cond(hed_moveaxis(shifted, -1, -2), HED_COND_INF), *cf = hed_cond(shifted, HED_COND_FROBENIUS);
      hed_array *s = hed_svdvals(shifted);
      near_zero(distance(c2, hed_divide(hed_index(s, -1, 0), hed_index(s, -1, -1))), 0, "cond is the ratio", t, n, n);
      near_zero(distance(c1, ci) / largest(c1), limit * largest(c1), "cond 1 of a is cond inf of its transpose", t, n, n);
      hed_array *inverse = hed_sum(hed_reciprocal(hed_square(s)), &(hed_reduce){ .axes = { 1, { -1 } } });
      hed_array *squares = hed_sum(hed_square(s), &(hed_reduce){ .axes = { 1, { -1 } } });
      near_zero(distance(cf, hed_sqrt(hed_multiply(inverse, squares))) / largest(cf), limit * largest(cf), "Frobenius cond", t,
                n, n);
    }
}

static void orthonormal(const char *backend)
{
  diag("orthonormal bases on %s", backend);
  HED_SCOPE
  {
    gen g;
    gen_seed(&g, tap_seed() + 2);
    hed_random seeded = { .seed = 5, .seeded = true };
    hed_array *q = hed_orthogonal(HED_SHAPE(7, 2, 2), 2, HED_FLOAT64, &seeded);
    ok(hed_array_ndim(q) == 3 && hed_array_shape(q).dim[2] == 2, "orthogonal keeps the shape");
    hed_array *m = hed_multiply_scalar(hed_reshape(q, HED_SHAPE(7, 4)), 0.5);
    is_unitary(m, 1e-14, "tall orthogonal", HED_FLOAT64);
    m = hed_reshape(hed_orthogonal(HED_SHAPE(3, 5), 1, HED_FLOAT32, &seeded), HED_SHAPE(3, 5));
    is_unitary(hed_moveaxis(m, 0, 1), 1e-6, "wide orthogonal", HED_FLOAT32);
    ok(hed_array_dtype(hed_orthogonal(HED_SHAPE(3, 3), 1, HED_FLOAT16, NULL)) == HED_FLOAT16, "float16 orthogonal");
    hed_array *a = random_matrix(&g, HED_COMPLEX128, HED_SHAPE(2, 6, 3)), *all = hed_complete_orthogonal_basis(a);
    hed_array *some = hed_orthogonalize_nonsquare(a);
    is_unitary(all, 1e-14, "complete basis", HED_COMPLEX128);
    is_unitary(some, 1e-14, "orthogonalised", HED_COMPLEX128);
    hed_array *head = hed_slice(all, 3, (hed_slice_range[]){ HED_ALL, HED_ALL, HED_RANGE(0, 3, 1) });
    ok(distance(head, some) < 1e-14, "the complete basis begins with the columns");
    ok(distance(hed_orthogonalize_nonsquare(some), some) < 1e-14, "orthonormal columns stay");
    API_NULL(hed_complete_orthogonal_basis(hed_moveaxis(a, 1, 2)), HED_E_SHAPE, "3 rows and 6 columns");
    API_NULL(hed_orthogonalize_nonsquare(hed_moveaxis(a, 1, 2)), HED_E_SHAPE,
             "orthogonalize_nonsquare: a of shape (2, 3, 6) has 3 rows and 6 columns");
    API_NULL(hed_orthogonal(HED_SHAPE(3), 1, HED_FLOAT32, NULL), HED_E_SHAPE, "orthogonal: shape (3,)");
    API_NULL(hed_orthogonal(HED_SHAPE(3, 3), 1, HED_INT32, NULL), HED_E_DTYPE, "orthogonal: dtype has dtype int32");
    API_NULL(hed_orthogonal(HED_SHAPE(3, -3), 1, HED_FLOAT32, NULL), HED_E_SHAPE, "extent -3");
    API_NULL(hed_orthogonal(HED_SHAPE(3, 3), 1, NULL, NULL), HED_E_INVAL, "dtype is NULL");
  }
}

static bool shape_is(const hed_array *x, hed_shape s)
{
  hed_shape got = hed_array_shape(x);
  bool same = got.ndim == s.ndim;
  for (int k = 0; k < s.ndim && same; k++)
    same = got.dim[k] == s.dim[k];
  return same;
}

static void empty(const char *backend)
{
  diag("no elements on %s", backend);
  HED_SCOPE
  {
    hed_array *none = hed_zeros(HED_SHAPE(0, 0), HED_FLOAT64), *batch = hed_zeros(HED_SHAPE(0, 3, 3), HED_COMPLEX64);
    hed_array *tall = hed_zeros(HED_SHAPE(2, 3, 0), HED_FLOAT32), *flat = hed_zeros(HED_SHAPE(0, 4), HED_FLOAT32);
    hed_array *q, *r, *w, *v, *x, *residuals, *rank, *s;
    ok(shape_is(hed_inv(none), HED_SHAPE(0, 0)), "inv of (0, 0)");
    ok(shape_is(hed_inv(batch), HED_SHAPE(0, 3, 3)), "inv of (0, 3, 3)");
    api_is(hed_retain(hed_det(none)), HED_SHAPE0, HED_FLOAT64, API_LIST(1), "det of (0, 0)");
    ok(shape_is(hed_det(batch), HED_SHAPE(0)), "det of (0, 3, 3)");
    ok(hed_slogdet(none, &w, &v) == HED_OK, "slogdet of (0, 0)");
    api_is(hed_retain(v), HED_SHAPE0, HED_FLOAT64, API_LIST(0), "is 0");
    ok(shape_is(hed_solve(none, hed_zeros(HED_SHAPE(0, 2), HED_FLOAT64)), HED_SHAPE(0, 2)), "solve of (0, 0)");
    ok(shape_is(hed_solve(none, hed_zeros(HED_SHAPE(0), HED_FLOAT64)), HED_SHAPE(0)), "with a vector");
    ok(shape_is(hed_solve(hed_eye(3, 3, 0, HED_FLOAT64), hed_zeros(HED_SHAPE(3, 0), HED_FLOAT64)), HED_SHAPE(3, 0)),
       "no right-hand sides");
    ok(shape_is(hed_solve_triangular(batch, hed_zeros(HED_SHAPE(3), HED_FLOAT32), NULL), HED_SHAPE(0, 3)),
       "solve_triangular of an empty batch");
    ok(shape_is(hed_cholesky(none, false), HED_SHAPE(0, 0)), "cholesky");
    ok(hed_qr(tall, HED_QR_REDUCED, &q, &r) == HED_OK && shape_is(q, HED_SHAPE(2, 3, 0)) && shape_is(r, HED_SHAPE(2, 0, 0)),
       "qr without columns");
    ok(hed_qr(tall, HED_QR_COMPLETE, &q, &r) == HED_OK && shape_is(r, HED_SHAPE(2, 3, 0)) && shape_is(q, HED_SHAPE(2, 3, 3)) &&
           distance(q, identity(3)) == 0, "complete qr without columns: the identity (%s)", hed_error_text());
    ok(hed_qr(flat, HED_QR_COMPLETE, &q, &r) == HED_OK && shape_is(q, HED_SHAPE(0, 0)) && shape_is(r, HED_SHAPE(0, 4)),
       "complete qr without rows");
    ok(hed_eigh(none, false, &w, &v) == HED_OK && shape_is(w, HED_SHAPE(0)) && shape_is(v, HED_SHAPE(0, 0)), "eigh");
    ok(hed_eigh_range(none, 0, 0, false, &w, &v) == HED_OK && shape_is(w, HED_SHAPE(0)) && shape_is(v, HED_SHAPE(0, 0)) &&
           hed_eigh_range(batch, -1, 1, false, &w, &v) == HED_OK && shape_is(w, HED_SHAPE(0, 1)) && shape_is(v, HED_SHAPE(0, 3, 1)) &&
           hed_eigh_range(identity(3), 3, 0, false, &w, &v) == HED_OK && shape_is(w, HED_SHAPE(0)) && shape_is(v, HED_SHAPE(3, 0)),
       "eigh_range: %s", hed_error_text());
    ok(hed_eig(batch, &w, &v) == HED_OK && shape_is(w, HED_SHAPE(0, 3)) && shape_is(v, HED_SHAPE(0, 3, 3)), "eig");
    ok(hed_lu(tall, &x, &q, &r) == HED_OK && shape_is(x, HED_SHAPE(2, 3)) && shape_is(q, HED_SHAPE(2, 3, 0)) &&
           shape_is(r, HED_SHAPE(2, 0, 0)), "lu without columns");
    double values[6] = { 9, 9, 9, 9, 9, 9 };
    ok(api_values(x, values) == 6 && values[0] == 0 && values[5] == 2, "rows stay");
    ok(shape_is(hed_expm(none), HED_SHAPE(0, 0)) && shape_is(hed_expm(batch), HED_SHAPE(0, 3, 3)), "expm");
    ok(shape_is(hed_matrix_power(none, 0), HED_SHAPE(0, 0)) && shape_is(hed_matrix_power(batch, -3), HED_SHAPE(0, 3, 3)),
       "matrix_power");
    ok(shape_is(hed_pinv(flat, -1), HED_SHAPE(4, 0)), "pinv");
    api_is(hed_retain(hed_matrix_rank(flat, -1)), HED_SHAPE0, HED_INT64, API_LIST(0), "matrix_rank");
    ok(shape_is(hed_svdvals(tall), HED_SHAPE(2, 0)), "svdvals");
    API_NULL(hed_cond(flat, HED_COND_2), HED_E_SHAPE, "cond: a of shape (0, 4) has no elements");
    ok(hed_lstsq(flat, hed_zeros(HED_SHAPE(0, 2), HED_FLOAT32), -1, &x, &residuals, &rank, &s) == HED_OK &&
           shape_is(x, HED_SHAPE(4, 2)) && largest(x) == 0 && shape_is(residuals, HED_SHAPE(0)) && shape_is(s, HED_SHAPE(0)),
       "lstsq without rows: zeros (%s)", hed_error_text());
    ok(hed_lstsq(hed_zeros(HED_SHAPE(0, 3, 2), HED_FLOAT32), hed_zeros(HED_SHAPE(3, 2), HED_FLOAT32), -1, &x, &residuals,
                 &rank, &s) == HED_OK && shape_is(x, HED_SHAPE(0, 2, 2)) && shape_is(residuals, HED_SHAPE(0, 2)),
       "lstsq of an empty batch (%s)", hed_error_text());
  }
}

static void refused(const char *backend)
{
  diag("refused on %s", backend);
  HED_SCOPE
  {
    hed_array *a = hed_eye(3, 3, 0, HED_FLOAT32), *flat = hed_ones(HED_SHAPE(2, 3), HED_FLOAT32);
    hed_array *v = hed_ones(HED_SHAPE(3), HED_FLOAT32);
    hed_array *point = hed_ones(HED_SHAPE0, HED_FLOAT32), *b = hed_ones(HED_SHAPE(4, 2), HED_FLOAT32), *x, *y, *z, *w;
    API_NULL(hed_inv(flat), HED_E_SHAPE, "inv: a of shape (2, 3): 2 rows and 3 columns, the matrix must be square");
    API_NULL(hed_inv(v), HED_E_SHAPE, "inv: a of shape (3,) has no rows and columns");
    API_NULL(hed_det(flat), HED_E_SHAPE, "det: a of shape (2, 3)");
    API_FAIL(hed_slogdet(v, &x, &y), HED_E_SHAPE, "slogdet: a of shape (3,)");
    API_NULL(hed_cholesky(flat, false), HED_E_SHAPE, "cholesky: a of shape (2, 3)");
    API_FAIL(hed_eigh(flat, false, &x, &y), HED_E_SHAPE, "eigh: a of shape (2, 3)");
    API_NULL(hed_eigvalsh(flat, false), HED_E_SHAPE, "eigvalsh: a of shape (2, 3)");
    API_FAIL(hed_eig(flat, &x, &y), HED_E_SHAPE, "eig: a of shape (2, 3)");
    API_NULL(hed_eigvals(v), HED_E_SHAPE, "eigvals: a of shape (3,)");
    API_NULL(hed_svdvals(v), HED_E_SHAPE, "svdvals: a of shape (3,)");
    API_NULL(hed_pinv(v, -1), HED_E_SHAPE, "pinv: a of shape (3,)");
    API_NULL(hed_matrix_rank(v, -1), HED_E_SHAPE, "matrix_rank: a of shape (3,)");
    API_NULL(hed_matrix_power(flat, 2), HED_E_SHAPE, "matrix_power: a of shape (2, 3)");
    API_NULL(hed_expm(flat), HED_E_SHAPE, "expm: a of shape (2, 3)");
    API_NULL(hed_cond(flat, HED_COND_1), HED_E_SHAPE, "cond: a of shape (2, 3)");
    API_NULL(hed_cond(a, (hed_cond_norm)7), HED_E_INVAL, "cond: norm is 7");
    API_FAIL(hed_lu(v, &x, &y, &z), HED_E_SHAPE, "lu: a of shape (3,)");
    API_FAIL(hed_qr(v, HED_QR_REDUCED, &x, &y), HED_E_SHAPE, "qr: a of shape (3,)");
    API_FAIL(hed_qr(a, (hed_qr_mode)5, &x, &y), HED_E_INVAL, "qr: mode is 5");
    API_NULL(hed_solve(a, b), HED_E_SHAPE, "solve: shapes (3, 3) of a and (4, 2) of b do not fit: 3 rows and 4");
    API_NULL(hed_solve(a, point), HED_E_SHAPE, "solve: b of shape () has no rows");
    API_NULL(hed_solve(hed_ones(HED_SHAPE(2, 3, 3), HED_FLOAT32), hed_ones(HED_SHAPE(4, 3, 1), HED_FLOAT32)), HED_E_SHAPE,
             "the leading axes do not broadcast");
    API_NULL(hed_solve_triangular(a, b, NULL), HED_E_SHAPE, "solve_triangular: shapes (3, 3) of a and (4, 2) of b");
    API_NULL(hed_solve_triangular(a, v, &(hed_triangular){ .form = 3 }), HED_E_INVAL, "solve_triangular: form is 3");
    API_FAIL(hed_lstsq(a, b, -1, &x, &y, &z, &w), HED_E_SHAPE,
             "lstsq: shapes (3, 3) of a and (4, 2) of b do not fit: they differ in rows");
    API_FAIL(hed_lstsq(a, point, -1, &x, &y, &z, &w), HED_E_SHAPE, "lstsq: shapes (3, 3) of a and () of b");
    API_FAIL(hed_solve_into(b, a, v), HED_E_SHAPE, "solve: out has shape (4, 2), the result (3,)");
    API_FAIL(hed_solve_into(v, a, v), HED_E_INVAL, "solve: out and b share memory");
    API_FAIL(hed_cholesky_into(a, a, false), HED_E_INVAL, "cholesky: out and a share memory");
    API_FAIL(hed_inv_into(a, a), HED_E_INVAL, "inv: out and a share memory");
    API_FAIL(hed_inv_into(NULL, a), HED_E_INVAL, "inv: argument out is NULL");
    API_NULL(hed_solve(a, NULL), HED_E_INVAL, "solve: argument b is NULL");
    API_FAIL(hed_lstsq(NULL, a, 0, &x, NULL, NULL, NULL), HED_E_INVAL, "lstsq: argument a is NULL");
    API_NULL(hed_expm(NULL), HED_E_INVAL, "expm: argument a is NULL");
  }
}

static void singular(const char *backend)
{
  diag("singular matrices on %s", backend);
  HED_SCOPE
  {
    const double data[12] = { 2, 0, 0, 3, 1, 2, 0, 0, 4, 0, 0, 5 };
    hed_array *batch = api_array(HED_SHAPE(3, 2, 2), HED_FLOAT32, data), *v = hed_ones(HED_SHAPE(2), HED_FLOAT32);
    hed_array *one = hed_index(batch, 0, 1), *x = batch, *y = batch;
    API_NULL(hed_solve(batch, v), HED_E_SINGULAR, "solve: matrix 1 of the batch is singular: pivot 1 is 0");
    API_NULL(hed_inv(one), HED_E_SINGULAR, "inv: the matrix is singular: pivot 1 is 0");
    API_NULL(hed_matrix_power(one, -1), HED_E_SINGULAR, "the matrix is singular");
    API_NULL(hed_solve_triangular(batch, v, NULL), HED_E_SINGULAR,
             "solve_triangular: matrix 1 of the batch is singular: diagonal element 1 is 0");
    api_is(hed_retain(hed_solve_triangular(one, v, &(hed_triangular){ .unit_diagonal = true })), HED_SHAPE(2), HED_FLOAT32,
           API_LIST(1, 1), "a unit diagonal is not looked at");
    API_NULL(hed_cholesky(hed_negative(one), false), HED_E_SINGULAR,
             "cholesky: the matrix is not positive definite: its leading minor of order 1");
    API_NULL(hed_cholesky(batch, true), HED_E_SINGULAR,
             "cholesky: matrix 1 of the batch is not positive definite: its leading minor of order 2");
    api_is(hed_retain(hed_det(batch)), HED_SHAPE(3), HED_FLOAT32, API_LIST(6, 0, 20), "det");
    ok(hed_slogdet(batch, &x, &y) == HED_OK, "slogdet");
    api_is(hed_retain(x), HED_SHAPE(3), HED_FLOAT32, API_LIST(1, 0, 1), "signs");
    double logs[3] = { 0, 0, 0 };
    ok(api_values(y, logs) == 3 && isinf(logs[1]) && logs[1] < 0, "the logarithm is -inf");
    double values[3];
    ok(api_values(hed_cond(batch, HED_COND_1), values) == 3 && values[0] == 1.5 && isinf(values[1]), "cond of a batch");
    ok(api_values(hed_cond(batch, HED_COND_2), values) == 3 && isinf(values[1]), "cond 2");
    ok(api_values(hed_cond(hed_zeros(HED_SHAPE(2, 2), HED_FLOAT64), HED_COND_2), values) == 1 && isinf(values[0]), "of zeros");
    hed_array *bad = hed_multiply_scalar(batch, NAN);
    API_FAIL(hed_svd(bad, false, &x, &y, NULL), HED_E_INVAL, "svd: row 0, column 0");
    ok(!x && !y, "no results after an error");
    hed_array *spoilt = hed_add(batch, api_array(HED_SHAPE(3, 2, 2), HED_FLOAT32, (double[12]){ [9] = INFINITY }));
    API_FAIL(hed_eig(spoilt, &x, &y), HED_E_INVAL, "eig: row 0, column 1 of matrix 2 of the batch is not finite");
    ok(hed_eigh(spoilt, false, &x, NULL) == HED_OK, "eigh reads the lower triangle only");
    API_FAIL(hed_eigh(spoilt, true, &x, &y), HED_E_INVAL, "eigh: row 0, column 1 of matrix 2 of the batch is not finite");
    API_FAIL(hed_eigh_range(spoilt, -1, 1, true, &x, &y), HED_E_INVAL,
             "eigh_range: row 0, column 1 of matrix 2 of the batch is not finite");
    ok(isnan(largest(hed_solve(bad, v))) && hed_error() == HED_OK, "NaN in solve gives NaN");
    ok(isnan(largest(hed_det(bad))), "NaN in det gives NaN");
    ok(hed_qr(bad, HED_QR_REDUCED, &x, &y) == HED_OK && isnan(largest(y)), "NaN in qr gives NaN");
  }
}

/* Many small matrices, every fourth of them zeros, which have no vectors but any: they come out in their places. */
static void mixed(const char *backend)
{
  diag("zeros among others on %s", backend);
  gen g;
  gen_seed(&g, tap_seed() + 7);
  for (int round = 0; round < 12; round++)
    HED_SCOPE
    {
      const hed_dtype t = types[round % 4];
      const int64_t m = gen_int(&g, 1, 16), n = gen_int(&g, 1, 16), count = gen_int(&g, 20, 45);
      const double limit = 40 * (double)(m + n) * precision(t);
      hed_array *some = hed_minimum(hed_mod(hed_reshape(hed_arange(0, (double)count, 1, HED_FLOAT32), HED_SHAPE(count, 1, 1)),
                                            hed_scalar(4)), hed_scalar(1));
      hed_array *a = hed_astype(hed_multiply(random_matrix(&g, t, HED_SHAPE(count, m, n)), some), t), *u, *s, *vh, *q, *r, *w, *v;
      ok(hed_svd(a, false, &u, &s, &vh) == HED_OK, "svd: %s", hed_error_text());
      near_zero(distance(times(columns_times(u, s), vh), a), limit, "svd", t, m, n);
      is_unitary(u, limit, "u", t);
      is_unitary(adjoint(vh), limit, "vh", t);
      near_zero(distance(s, hed_svdvals(a)), limit, "svdvals", t, m, n);
      ok(hed_qr(a, HED_QR_REDUCED, &q, &r) == HED_OK, "qr: %s", hed_error_text());
      near_zero(distance(times(q, r), a), limit, "qr", t, m, n);
      is_unitary(q, limit, "q", t);
      hed_array *h = hed_astype(times(adjoint(a), a), t);
      ok(hed_eigh(h, round & 1, &w, &v) == HED_OK, "eigh: %s", hed_error_text());
      near_zero(distance(times(columns_times(v, w), adjoint(v)), h), limit * (double)m, "eigh", t, n, n);
      is_unitary(v, limit, "v", t);
      hed_array *bad = hed_copy(a);
      hed_array *one = hed_slice(bad, 3, (hed_slice_range[]){ HED_RANGE(17, 18, 1), HED_RANGE(m - 1, m, 1), HED_RANGE(0, 1, 1) });
      ok(hed_copy_into(one, hed_scalar(NAN)) == HED_OK, "one NaN");
      API_FAIL(hed_svd(bad, false, &u, &s, &vh), HED_E_INVAL, "column 0 of matrix 17 of the batch is not finite");
    }
}

/* Types that are computed in others. */
static void narrow(const char *backend)
{
  diag("integers and 16-bit floats on %s", backend);
  HED_SCOPE
  {
    hed_array *i = api_array(HED_SHAPE(2, 2), HED_INT16, API_LIST(2, 1, 1, 3)), *v = API_VECTOR(HED_INT8, 3, 4);
    hed_array *h = hed_astype(i, HED_FLOAT16), *b = hed_astype(i, HED_BFLOAT16), *w, *x;
    api_is(hed_retain(hed_matrix_power(i, 2)), HED_SHAPE(2, 2), HED_INT16, API_LIST(5, 5, 5, 10), "power of integers");
    hed_array *s = hed_solve(i, v);
    ok(hed_array_dtype(s) == HED_FLOAT32 && distance(s, API_VECTOR(HED_FLOAT64, 1, 1)) < 1e-6, "integers are REAL");
    s = hed_solve(h, v);
    ok(hed_array_dtype(s) == HED_FLOAT16 && distance(s, API_VECTOR(HED_FLOAT64, 1, 1)) < 2e-3, "float16 stays");
    s = hed_det(b);
    ok(hed_array_dtype(s) == HED_BFLOAT16 && distance(s, hed_scalar(5)) < 0.04, "bfloat16 stays");
    ok(hed_eig(h, &w, &x) == HED_OK && hed_array_dtype(w) == HED_COMPLEX64, "eig of float16 is complex64");
    ok(hed_eigh(i, false, &w, &x) == HED_OK && hed_array_dtype(w) == HED_FLOAT32, "eigh of integers");
    ok(distance(hed_matmul(hed_cholesky(h, true), hed_inv(hed_cholesky(h, true))), identity(2)) < 4e-3, "float16 cholesky");
    ok(hed_array_dtype(hed_expm(h)) == HED_FLOAT16 && hed_array_dtype(hed_pinv(b, -1)) == HED_BFLOAT16 &&
           hed_array_dtype(hed_cond(h, HED_COND_1)) == HED_FLOAT16, "expm, pinv, cond");
    ok(hed_svd(i, false, NULL, &s, NULL) == HED_OK && hed_array_dtype(s) == HED_FLOAT32, "svd of integers");
    api_is(hed_retain(hed_matrix_rank(i, -1)), HED_SHAPE0, HED_INT64, API_LIST(2), "rank of integers");
    ok(hed_array_dtype(hed_inv(hed_ones(HED_SHAPE(1, 1), HED_BOOL))) == HED_FLOAT32, "bool");
  }
}

/* The same in a memory space of its own, where only few kernels and float32 are at home. */
static hed_array *call(int which, const hed_array *a, const hed_array *b)
{
  hed_array *x[4] = { NULL, NULL, NULL, NULL };
  switch (which) {
  case 0: return hed_solve(a, b);
  case 1: return hed_solve_triangular(a, b, NULL);
  case 2: return hed_inv(a);
  case 3: return hed_det(a);
  case 4: return hed_slogdet(a, NULL, &x[0]) == HED_OK ? x[0] : NULL;
  case 5: return hed_cholesky(a, false);
  case 6: return hed_qr(a, HED_QR_COMPLETE, &x[0], NULL) == HED_OK ? x[0] : NULL;
  case 7: return hed_eigh(a, false, &x[0], &x[1]) == HED_OK ? x[1] : NULL;
  case 8: return hed_svdvals(a);
  case 9: return hed_lstsq(a, b, -1, &x[0], &x[1], &x[2], &x[3]) == HED_OK ? x[0] : NULL;
  case 10: return hed_pinv(a, -1);
  case 11: return hed_cond(a, HED_COND_1);
  case 12: return hed_cond(a, HED_COND_2);
  case 13: return hed_matrix_power(a, 3);
  case 14: return hed_expm(a);
  case 15: return hed_lu(a, NULL, NULL, &x[0]) == HED_OK ? x[0] : NULL;
  default: return hed_orthogonal(HED_SHAPE(3, 2), 1, HED_FLOAT32, &(hed_random){ .seeded = true });
  }
}

static void elsewhere(void)
{
  static const float data[9] = { 4, 1, 2, 1, 5, 3, 2, 3, 6 };
  if (hed_backend_require("faulty") != HED_OK) {
    skip(1, "%s", hed_error_text());
    return;
  }
  for (int which = 0; which < 17; which++) {
    float want[9] = { 0 }, got[9] = { 0 };
    hed_status status = HED_OK;
    for (int side = 0; side < 2; side++)
      HED_BACKEND_CONTEXT(side ? "faulty" : "reference")
        HED_SCOPE
        {
          hed_array *a = hed_from_host(data, HED_SHAPE(3, 3), HED_FLOAT32);
          hed_array *x = call(which, a, hed_index(a, 0, 1));
          status = hed_to_host(x, side ? got : want, (size_t)hed_array_size(x) * sizeof *got);
        }
    float worst = 0;
    for (int k = 0; k < 9; k++)
      worst = fmaxf(worst, fabsf(got[k] - want[k]) / (1 + fabsf(want[k])));
    ok(status == HED_OK && worst < 1e-5F, "call %d in another memory space: %g %s", which, (double)worst,
       hed_error_text());
  }
}

int main(void)
{
  elsewhere();
  api_each_backend(rounds);
  api_each_backend(fits);
  api_each_backend(functions);
  api_each_backend(orthonormal);
  api_each_backend(empty);
  api_each_backend(singular);
  api_each_backend(refused);
  api_each_backend(mixed);
  api_each_backend(narrow);
  return done();
}
