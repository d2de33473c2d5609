// SPDX-License-Identifier: BSD-3-Clause
/* Linear algebra where systems differ: one test for each entry of the manual's section; and values that mpmath computed
 * (tests/data/gen_linalg.py), for matrices that are hard: ill-conditioned, defective, with repeated eigenvalues.
 */
#include "api.h"
#include "data/eigh_range.h"
#include "data/linalg.h"
#include "linalg.h"

#define MATRIX(m, n, ...) api_array(HED_SHAPE(m, n), HED_FLOAT64, API_LIST(__VA_ARGS__))

static bool near_list(const hed_array *x, const double *want, double limit, const char *name)
{
  static double got[API_MAX];
  int64_t n = api_values(x, got);
  double most = 0, worst = n < 0 ? INFINITY : 0;
  for (int64_t k = 0; k < n; k++) {
    most = fmax(most, fabs(want[k]));
    worst = fmax(worst, fabs(got[k] - want[k]));
  }
  return ok(worst <= limit * most, "%s: %.3g of %.3g %s", name, worst, limit * most, n < 0 ? hed_error_text() : "");
}

static hed_array *hilbert(int64_t n)
{
  hed_array *i = hed_arange(0, (double)n, 1, HED_FLOAT64);
  return hed_reciprocal(hed_add_scalar(hed_add(hed_expand_dims(i, 1), i), 1));
}

static void truth(const char *backend)
{
  diag("values of mpmath on %s", backend);
  HED_SCOPE
  {
    hed_array *h = hilbert(6), *w, *v, *x, *residuals, *rank, *s, *l, *u, *perm;
    /* condition 1.5e7 */
    near_list(hed_inv(h), hilbert_inverse, 1e-8, "inverse of the Hilbert matrix");
    near_list(hed_det(h), hilbert_det, 1e-8, "its determinant");
    near_list(hed_eigvalsh(h, false), hilbert_values, 1e-15, "its eigenvalues");
    near_list(hed_flip(hed_svdvals(h), NULL), hilbert_values, 1e-15, "its singular values");
    near_list(hed_cholesky(h, false), hilbert_cholesky, 1e-11, "its Cholesky factor");
    double cond = 0;
    hed_item(hed_cond(h, HED_COND_2), &cond);
    is_near(cond, hilbert_values[5] / hilbert_values[0], 1e-8, 0, "its condition");

    hed_array *row = hed_arange(0, 7, 1, HED_FLOAT64), *column = hed_expand_dims(row, 1);
    hed_array *frank = hed_where(hed_greater_equal(row, hed_add_scalar(column, -1)),
                                 hed_scalar_subtract(7, hed_maximum(row, column)), hed_scalar(0));
    near_list(hed_real(hed_eigvals(frank)), frank_values, 1e-11, "eigenvalues of Frank's matrix");

    hed_array *general = MATRIX(3, 3, 1, 2, 0, -3, 1, 4, 2, -1, 0);
    near_list(hed_expm(general), exp_general, 3e-15, "expm");
    near_list(hed_expm(hed_multiply_scalar(general, 8)), exp_general_times_8, 1e-12, "expm with squarings");
    near_list(hed_expm(MATRIX(2, 2, 1, 1000, 0, -2)), exp_scaled, 1e-13, "expm, badly scaled");

    hed_array *i = hed_arange(0, 6, 1, HED_FLOAT64), *powers = hed_arange(0, 4, 1, HED_FLOAT64);
    hed_array *vander = hed_power(hed_expand_dims(i, 1), powers);
    hed_array *right = hed_subtract(hed_multiply_scalar(hed_square(i), 1.0 / 3), hed_mod(i, hed_scalar(2)));
    ok(hed_lstsq(vander, right, -1, &x, &residuals, &rank, &s) == HED_OK, "lstsq");
    near_list(x, cubic, 1e-12, "a cubic by least squares");
    near_list(residuals, cubic_residual, 1e-12, "its residual");
    hed_array *four = API_VECTOR(HED_FLOAT64, 1, 2, 3, 4);
    ok(hed_lstsq(hed_transpose(vander, NULL), four, -1, &x, NULL, NULL, NULL) == HED_OK, "lstsq, underdetermined");
    near_list(x, least_norm, 1e-11, "the solution of least norm");

    /* defective: one eigenvalue, one vector; errors grow as the root of the precision */
    hed_array *jordan = MATRIX(2, 2, 3, 1, 0, 3);
    ok(hed_eig(jordan, &w, &v) == HED_OK && distance(w, hed_full(HED_SHAPE(2), 3, HED_FLOAT64)) < 1e-7, "a Jordan block");
    ok(distance(hed_index(v, 1, 0), API_VECTOR(HED_FLOAT64, 1, 0)) < 1e-7, "has one eigenvector");
    /* repeated: vectors are free, what they span is not */
    ok(hed_eigh(hed_eye(4, 4, 0, HED_FLOAT64), false, &w, &v) == HED_OK && distance(w, hed_ones(HED_SHAPE(4), HED_FLOAT64)) == 0,
       "eigenvalues of the identity");
    ok(distance(times(v, adjoint(v)), identity(4)) < 1e-15, "with an orthonormal basis");
    /* rank one: exact zeros */
    hed_array *ones = hed_ones(HED_SHAPE(3, 3), HED_FLOAT64);
    ok(hed_lu(ones, &perm, &l, &u) == HED_OK && distance(times(l, u), ones) == 0, "lu of a singular matrix");
    api_is(hed_retain(hed_det(ones)), HED_SHAPE0, HED_FLOAT64, API_LIST(0), "its determinant");
    /* rotation by a quarter: a conjugate pair, the negative imaginary part first */
    ok(hed_eig(MATRIX(2, 2, 0, -1, 1, 0), &w, &v) == HED_OK && distance(w, hed_multiply(API_VECTOR(HED_FLOAT64, -1, 1),
       hed_scalar_complex(0, 1))) < 1e-15, "eigenvalues -i, i");
  }
}

static void meaning(const char *backend)
{
  diag("meaning on %s", backend);
  HED_SCOPE
  {
    hed_array *a = MATRIX(2, 3, 1, 2, 3, 4, 5, 7), *u, *s, *vh, *q, *r, *w, *v, *x, *residuals, *rank;
    /* the third factor is V's adjoint */
    ok(hed_svd(a, false, &u, &s, &vh) == HED_OK && hed_array_shape(vh).dim[0] == 2 && hed_array_shape(vh).dim[1] == 3, "vh");
    ok(distance(hed_matmul(hed_multiply(u, s), vh), a) < 1e-14, "a = u s vh");
    /* one sign: the leading component of u's columns is positive; near-ties take the first */
    ok(hed_svd(MATRIX(2, 2, -1, -1, 1, -1), false, &u, NULL, NULL) == HED_OK, "svd");
    ok(hed_svd(MATRIX(2, 2, 0, -3, -2, 0), false, &u, &s, &vh) == HED_OK, "svd");
    api_is(hed_retain(u), HED_SHAPE(2, 2), HED_FLOAT64, API_LIST(1, 0, 0, 1), "u of a signed permutation");
    api_is(hed_retain(vh), HED_SHAPE(2, 2), HED_FLOAT64, API_LIST(0, -1, -1, 0), "vh takes the signs");
    ok(hed_eigh(MATRIX(2, 2, 0, 1, 1, 0), false, &w, &v) == HED_OK, "eigh");
    near_list(w, API_LIST(-1, 1), 1e-15, "ascending");
    near_list(v, API_LIST(M_SQRT1_2, M_SQRT1_2, -M_SQRT1_2, M_SQRT1_2), 1e-15, "of equal components the first is positive");
    /* qr: r's diagonal is not negative */
    ok(hed_qr(MATRIX(2, 2, -1, 2, 0, -3), HED_QR_REDUCED, &q, &r) == HED_OK, "qr");
    near_list(q, API_LIST(-1, 0, 0, -1), 1e-15, "q");
    near_list(r, API_LIST(1, -2, 0, 3), 1e-15, "r");
    /* lstsq: residuals only with more rows than columns and full rank */
    hed_array *square = MATRIX(2, 2, 2, 0, 0, 4), *tall = MATRIX(3, 2, 1, 0, 0, 1, 1, 1), *poor = MATRIX(3, 2, 1, 1, 1, 1, 1, 1);
    hed_array *two = API_VECTOR(HED_FLOAT64, 2, 4), *three = API_VECTOR(HED_FLOAT64, 1, 2, 6);
    ok(hed_lstsq(square, two, -1, &x, &residuals, NULL, NULL) == HED_OK && hed_array_size(residuals) == 0, "m = n: none");
    ok(hed_lstsq(tall, three, -1, &x, &residuals, NULL, NULL) == HED_OK, "lstsq");
    near_list(x, API_LIST(2, 3), 1e-14, "its solution");
    near_list(residuals, API_LIST(3), 1e-14, "m > n: the squared norm, one column for a vector");
    ok(hed_lstsq(poor, three, -1, &x, &residuals, &rank, NULL) == HED_OK && hed_array_size(residuals) == 0, "rank below n: none");
    near_list(x, API_LIST(1.5, 1.5), 1e-14, "the solution of least norm");
    hed_array *mixed = hed_stack(2, (const hed_array *const[]){ tall, poor }, 0);
    ok(hed_lstsq(mixed, three, -1, &x, &residuals, &rank, NULL) == HED_OK && hed_array_size(residuals) == 0,
       "one poor matrix of a batch: none for all");
    near_list(rank, API_LIST(2, 1), 0, "ranks");
    /* cholesky: lower unless asked; one triangle is read */
    hed_array *c = MATRIX(2, 2, 4, 99, 2, 5);
    api_is(hed_retain(hed_cholesky(c, false)), HED_SHAPE(2, 2), HED_FLOAT64, API_LIST(2, 0, 1, 2), "lower by default");
    c = MATRIX(2, 2, 4, 2, 99, 5);
    api_is(hed_retain(hed_cholesky(c, true)), HED_SHAPE(2, 2), HED_FLOAT64, API_LIST(2, 1, 0, 2), "upper");
    /* eig: complex always, ordered */
    ok(hed_eig(MATRIX(3, 3, 5, 0, 0, 0, -1, 0, 0, 0, 2), &w, &v) == HED_OK && hed_array_dtype(w) == HED_COMPLEX128,
       "eig is complex");
    near_list(w, API_LIST(-1, 2, 5), 0, "ascending real parts");
    /* b is a vector only when it is 1-D: a batch of n vectors is one matrix */
    hed_array *batch = hed_stack(2, (const hed_array *const[]){ square, hed_multiply_scalar(square, 2) }, 0);
    api_is(hed_retain(hed_solve(batch, two)), HED_SHAPE(2, 2), HED_FLOAT64, API_LIST(1, 1, 0.5, 0.5), "one vector for all");
    api_is(hed_retain(hed_solve(batch, MATRIX(2, 2, 2, 4, 4, 8))), HED_SHAPE(2, 2, 2), HED_FLOAT64,
           API_LIST(1, 2, 1, 2, 0.5, 1, 0.5, 1), "(2, 2) is a matrix, not two vectors");
    /* solve_triangular never looks at the other side */
    hed_array *t = MATRIX(2, 2, 2, NAN, 2, 4);
    api_is(hed_retain(hed_solve_triangular(t, two, NULL)), HED_SHAPE(2), HED_FLOAT64, API_LIST(1, 0.5), "NaN above the diagonal");
    /* expm: the right scaling threshold and coefficients in full precision */
    hed_array *e = hed_expm(MATRIX(1, 1, 5));
    double value = 0;
    hed_item(e, &value);
    is_near(value, exp(5), 3e-14, 0, "expm of (5) without a squaring: numerator and denominator cancel 75-fold");
  }
}

/* Values and vectors of a matrix of order 20 from FIRST on, COUNT of them; vectors are real, or their parts one after the other. */
static void some(const hed_array *a, int64_t first, int64_t count, const double *values, const double *vectors, const char *name)
{
  for (int upper = 0; upper < 2; upper++) {
    hed_array *w, *v;
    if (!ok(hed_eigh_range(a, first, count, upper, &w, &v) == HED_OK, "%s: %s", name, hed_error_text()))
      continue;
    near_list(w, values, 1e-14, name);
    if (vectors)
      near_list(hed_array_dtype(a) == HED_FLOAT64 ? v : hed_stack(2, (const hed_array *const[]){ hed_real(v), hed_imag(v) }, 0),
                vectors, 1e-13, name);
  }
}

/* Gaps between the values of these matrices are above 3e-3 of the largest. */
static void ranges(const char *backend)
{
  diag("values of SciPy on %s", backend);
  HED_SCOPE
  {
    hed_array *j = hed_arange(0, 20, 1, HED_FLOAT64), *i = hed_expand_dims(j, 1), *five = hed_scalar(5), *x, *y;
    hed_array *a = hed_add(hed_mod(hed_multiply(i, j), hed_scalar(7)), hed_multiply(hed_eye(20, 20, 0, HED_FLOAT64), j));
    hed_array *b = hed_subtract(hed_mod(hed_add(i, hed_add(j, j)), five), hed_mod(hed_add(j, hed_add(i, i)), five));
    hed_array *h = hed_add(a, hed_multiply_complex(b, 0, 1));
    some(a, -3, 3, symmetric_last_values, symmetric_last_vectors, "the last of a symmetric matrix");
    some(a, 7, 4, symmetric_middle_values, symmetric_middle_vectors, "some in its middle");
    some(a, 2, 16, symmetric_most_values, NULL, "most of them");
    some(h, -3, 3, hermitian_last_values, hermitian_last_vectors, "the last of a Hermitian matrix");
    some(h, 7, 4, hermitian_middle_values, hermitian_middle_vectors, "some in its middle");
    some(h, 2, 16, hermitian_most_values, NULL, "most of them");

    hed_array *one = hed_eye(3, 3, 0, HED_FLOAT32), *flat = hed_ones(HED_SHAPE(2, 3), HED_FLOAT32);
    API_FAIL(hed_eigh_range(flat, 0, 1, false, &x, &y), HED_E_SHAPE, "eigh_range: a of shape (2, 3)");
    API_FAIL(hed_eigh_range(NULL, 0, 1, false, &x, &y), HED_E_INVAL, "eigh_range: argument a is NULL");
    API_FAIL(hed_eigh_range(one, 4, 0, false, &x, &y), HED_E_INDEX, "eigh_range: first is 4, a of shape (3, 3) has 3 eigenvalues");
    API_FAIL(hed_eigh_range(one, -4, 1, false, &x, &y), HED_E_INDEX, "eigh_range: first is -4, a of shape (3, 3) has 3 eigenvalues");
    API_FAIL(hed_eigh_range(one, -2, 3, false, &x, &y), HED_E_INVAL,
             "eigh_range: count is 3, a of shape (3, 3) has 2 eigenvalues from number -2 on");
    API_FAIL(hed_eigh_range(one, 0, INT64_MAX, false, &x, &y), HED_E_INVAL, "eigh_range: count is 9223372036854775807, ");
    API_FAIL(hed_eigh_range(one, 1, -1, false, &x, &y), HED_E_INVAL, "eigh_range: count is -1, ");
    ok(!x && !y, "no results after an error");
    /* equal values, some of which are left out: a basis of some of their space */
    ok(hed_eigh_range(hed_eye(30, 30, 0, HED_FLOAT64), 11, 5, false, &x, &y) == HED_OK && largest(hed_subtract_scalar(x, 1)) == 0 &&
         distance(times(adjoint(y), y), identity(5)) < 1e-14, "five of thirty equal values");
  }
}

int main(void)
{
  api_each_backend(truth);
  api_each_backend(ranges);
  api_each_backend(meaning);
  return done();
}
