// SPDX-License-Identifier: BSD-3-Clause
/* What TensorLy makes of the same tensors, where it is right: data/gen_tensor.py says how. */
#include "arrays.h"
#include "tensor.h"
#include "data/tensor.h"
#include <heddle/kits/decompose.h>
#include <heddle/kits/parafac2.h>
#include <heddle/kits/tensor_metrics.h>
#include <heddle/kits/tensor_regression.h>
#include <heddle/kits/tensor_robust.h>
#include <heddle/kits/tensor_train.h>

static hed_dtype type;
static double near; /* what rounding leaves */

static void is_peer(hed_status status, double got, double want, double tolerance, const char *what)
{
  if (!ok(status == HED_OK && fabs(got - want) <= tolerance * fmax(1, fabs(want)), "%s", what))
    diag("%.12g, TensorLy has %.12g; %s", got, want, hed_error_text());
}

static void trains(void)
{
  static const hed_shape ranks[] = { { 3, { 2, 3, 2 } }, { 3, { 1, 1, 1 } }, { 3, { 4, 5, 3 } } };
  static const hed_shape rings[] = { { 5, { 2, 2, 2, 2, 2 } }, { 5, { 2, 2, 3, 2, 2 } } };
  hed_array *x = tensor_wave(HED_SHAPE(5, 6, 7, 4), 1.7, type), *m = tensor_wave(HED_SHAPE(2, 3, 4, 3, 2, 4), 0.9, type);
  hed_array *three = hed_multiply_scalar(x, 3), *y = hed_exp(three); /* of which no unfolding has a low rank */
  hed_tt t = { 0 };
  double error = 0;
  for (int k = 0; k < 3; k++) {
    const hed_status status = hed_tt_svd(x, &ranks[k], 0, &t, &error);
    is_peer(status, error, tl_train[k], near, "a train");
    hed_tt_clear(&t);
  }
  for (int k = 0; k < 2; k++) {
    hed_status status = hed_tr_svd(y, &rings[k], 0, &t, NULL);
    hed_array *full = hed_tt_full(&t), *rest = hed_subtract(y, full);
    hed_array *off = hed_vector_norm(rest, 2, NULL), *size = hed_vector_norm(y, 2, NULL);
    double norm = 1;
    status = off && size && hed_item(off, &error) == HED_OK ? hed_item(size, &norm) : status;
    is_peer(status, error / norm, tl_ring[k], near, "a ring");
    hed_array *all[] = { full, rest, off, size };
    for (int i = 0; i < 4; i++)
      hed_release(all[i]);
    hed_tt_clear(&t);
  }
  const hed_status status = hed_tt_matrix_svd(m, &HED_SHAPE(3, 4), 0, &t, &error);
  is_peer(status, error, tl_matrix[0], near, "a matrix");
  hed_tt_clear(&t);
  RELEASE(x, m, three, y);
}

static void sweeps(void)
{
  hed_array *x = tensor_wave(HED_SHAPE(5, 6, 7, 4), 1.7, type), *slice[4];
  hed_tucker u = { 0 };
  hed_fit fit = { 0 };
  const hed_tucker_options many = { .sweeps = { .max = 200, .tol = 1e-13 } };
  hed_status status = hed_tucker_hooi(x, &HED_SHAPE(2, 3, 2, 2), &many, &u, &fit);
  is_peer(status, fit.error, tl_hosvd[0], fmax(near, 1e-6), "a core");
  hed_tucker_clear(&u);
  hed_fit_clear(&fit);
  for (int k = 0; k < 4; k++)
    slice[k] = tensor_wave(HED_SHAPE(5 + k, 6), 1.1 + 0.2 * k, type);
  for (int k = 0; k < 2; k++) {
    hed_parafac2 p = { 0 };
    const hed_parafac2_options o = { .sweeps = { .max = k ? 5 : 1, .tol = -1 }, .inner = 1, .no_line_search = true };
    status = hed_parafac2_als(4, (const hed_array *const *)slice, 2, &o, &p, &fit);
    const double last = status == HED_OK ? fit.errors[fit.n_sweeps - 1] : NAN; /* before the projections fit the last factors */
    is_peer(status, last, tl_parafac2[k], near, k ? "PARAFAC2, five sweeps" : "one sweep");
    ok(fit.error <= last + near, "what is returned is no worse");
    hed_parafac2_clear(&p);
    hed_fit_clear(&fit);
  }
  for (int k = 0; k < 4; k++)
    hed_release(slice[k]);
  hed_release(x);
}

static hed_status squares_of_residuals(const hed_regression *r, const hed_array *x, const hed_array *y, double *out)
{
  hed_array *p = hed_regression_predict(r, x), *rest = p ? hed_subtract(y, p) : NULL;
  hed_array *n = rest ? hed_vector_norm(rest, 2, NULL) : NULL;
  const hed_status status = n ? hed_item(n, out) : hed_error();
  *out *= *out;
  RELEASE(p, rest, n);
  return status;
}

static void regressions(void)
{
  hed_array *x = tensor_wave(HED_SHAPE(40, 3, 4), 1.3, type), *w = tensor_wave(HED_SHAPE(3, 4), 2.1, type);
  hed_array *clean = hed_tensordot_n(x, w, 2), *wave = tensor_wave(HED_SHAPE(40), 5.1, type), *noise = hed_multiply_scalar(wave, 0.1);
  hed_array *y = hed_add(clean, noise), *first = hed_slice(x, 1, &HED_RANGE(0, 1, 1));
  hed_regression_options o = { .ridge = 1, .no_intercept = true, .random = { .seed = 3, .seeded = true },
                                     .sweeps = { .max = 3000, .tol = 1e-12 } };
  static const double *const want[] = { tl_cp_regression, tl_cp_regression2, tl_tucker_regression };
  for (int k = 0; k < 3; k++) {
    hed_regression r = { 0 };
    double left = 0, size = 0;
    o.ridge = k < 2 ? 1 : 0;
    hed_status status = k < 2 ? hed_cp_regression(x, y, k + 1, &o, &r, NULL)
                              : hed_tucker_regression(x, y, &HED_SHAPE(1, 1), &o, &r, NULL);
    if (status == HED_OK)
      status = squares_of_residuals(&r, x, y, &left);
    hed_array *norm = status == HED_OK ? hed_vector_norm(r.coefficients, 2, NULL) : NULL;
    status = norm ? hed_item(norm, &size) : status;
    is_peer(status, left, want[k][0], fmax(near, 1e-4), "squares of residuals of a regression");
    is_peer(status, size, want[k][1], fmax(near, 1e-4), "and the size of its coefficients");
    hed_release(norm);
    hed_regression_clear(&r);
  }
  for (int n = 1; n <= 3; n++) {
    hed_regression r = { 0 };
    double left = 0, one = 0;
    hed_status status = hed_plsr(x, y, n, NULL, &r, NULL, NULL);
    if (status == HED_OK)
      status = squares_of_residuals(&r, x, y, &left);
    hed_array *p = status == HED_OK ? hed_regression_predict(&r, first) : NULL;
    status = p ? hed_tolist(p, &one, 1) : status;
    is_peer(status, left, tl_plsr[2 * n - 2], fmax(near, 1e-6), "partial least squares: squares of residuals");
    is_peer(status, one, tl_plsr[2 * n - 1], fmax(near, 1e-6), "and a prediction");
    hed_release(p);
    hed_regression_clear(&r);
  }
  hed_array *all[] = { x, w, clean, wave, noise, y, first };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    hed_release(all[i]);
}

static void metrics(void)
{
  hed_array *a = tensor_wave(HED_SHAPE(30), 0.7, type), *b = tensor_wave(HED_SHAPE(30), 1.9, type);
  hed_array *p = tensor_wave(HED_SHAPE(6, 3), 0.7, type), *q = tensor_wave(HED_SHAPE(6, 3), 1.9, type);
  hed_array *one[] = { tensor_wave(HED_SHAPE(5, 3), 0.7, type), tensor_wave(HED_SHAPE(6, 3), 0.9, type) };
  hed_array *other[] = { tensor_wave(HED_SHAPE(5, 3), 1.7, type), tensor_wave(HED_SHAPE(6, 3), 1.9, type) };
  hed_prediction_errors e = { 0 };
  double v = 0;
  hed_status status = hed_compare_predictions(a, b, &e);
  const double got[] = { e.mse, e.rmse, e.r2_origin, e.covariance, e.correlation, e.reflective_correlation };
  for (int k = 0; k < 6; k++)
    is_peer(status, got[k], tl_prediction[k], near, "a prediction error");
  status = hed_congruence(p, q, false, &v, NULL);
  is_peer(status, v, tl_congruence[0], near, "congruence");
  for (int k = 0; k < 4; k++) {
    status = hed_correlation_index(2, (const hed_array *const *)one, (const hed_array *const *)other, (hed_index_method)k, &v);
    is_peer(status, v, tl_index[k], near, "correlation index");
  }
  hed_array *t = hed_transpose(p, NULL), *square = hed_matmul(p, t), *trace = hed_matrix_trace(square, 0, 0, 1);
  hed_array *unit = hed_divide(square, trace);
  status = hed_von_neumann_entropy(unit, &v);
  is_peer(status, v, tl_entropy[0], near, "entropy");
  hed_array *all[] = { a, b, p, q, one[0], one[1], other[0], other[1], t, square, trace, unit };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    hed_release(all[i]);
}

static void outliers(void)
{
  hed_cp c = { .order = 3, .rank = 2 };
  const double a[] = { 0.7, 0.9, 1.3 };
  for (int k = 0; k < 3; k++)
    c.factor[k] = tensor_wave(HED_SHAPE(8, 2), a[k], type);
  hed_array *full = hed_cp_full(&c), *low = NULL, *sparse = NULL;
  double complex *v = tensor_elements(full);
  for (int k = 0; k < 512; k += 41)
    v[k] += 5;
  hed_array *x = tensor_array(v, HED_SHAPE(8, 8, 8), type);
  double size = 0, sum = 0;
  hed_status status = hed_robust_pca(x, &(hed_robust_options){ .lambda = 0.5 }, &low, &sparse, NULL);
  hed_array *norm = low ? hed_vector_norm(low, 2, NULL) : NULL, *wild = sparse ? hed_vector_norm(sparse, 1, NULL) : NULL;
  status = norm && wild && hed_item(norm, &size) == HED_OK ? hed_item(wild, &sum) : status;
  is_peer(status, size, tl_robust[0], fmax(10 * near, 1e-6), "the size of a low-rank part");
  is_peer(status, sum, tl_robust[1], fmax(10 * near, 1e-6), "and of the outliers");
  hed_array *all[] = { full, low, sparse, x, norm, wild };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    hed_release(all[i]);
  hed_cp_clear(&c);
  free(v);
}

static void everything(gen *g, const char *backend)
{
  const bool wide = hed_device_supports(NULL, "float64") == 1;
  (void)g;
  type = wide ? HED_FLOAT64 : HED_FLOAT32;
  near = wide ? 1e-8 : 2e-4;
  trains();
  sweeps();
  metrics();
  if (is_backend(backend, "faulty") && !full_run()) /* many small operations, each of them late */
    return;
  regressions();
  outliers();
}

int main(void)
{
  on_backends(everything);
  done_testing();
  return done();
}
