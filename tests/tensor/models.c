// SPDX-License-Identifier: BSD-3-Clause
/* Robust principal components, coupled factors, regressions and metrics: planted parts found again, predictions against the planted
 * model, numbers against sums written
 * out here.
 */
#include "arrays.h"
#include "dense.h"
#include <heddle/kits/tensor_metrics.h>
#include <heddle/kits/tensor_regression.h>
#include <heddle/kits/tensor_robust.h>

static hed_dtype best(void) { return hed_device_supports(NULL, "float64") == 1 ? HED_FLOAT64 : HED_FLOAT32; }

static double norm_of(const hed_array *x)
{
  cplx *v = tensor_elements(x);
  double sum = 0;
  for (int64_t i = 0; i < hed_array_size(x); i++)
    sum += creal(v[i] * conj(v[i]));
  free(v);
  return sqrt(sum);
}

/* Fits from one start may end where no step is better and yet a planted answer is: so many starts are enough. */
enum { STARTS = 6 };

/* ---- outliers ---- */

/* That outliers are found is likely, no law: a generator of its own, so that it is the same at every seed. */
static void robust(gen *seeded, const char *backend)
{
  gen own, *g = &own;
  (void)seeded;
  gen_seed(g, 12);
  const hed_shape s = HED_SHAPE(12, 12, 12);
  const int64_t n = 12 * 12 * 12;
  const hed_dtype t = best();
  hed_cp truth = { .order = 3, .rank = 2 };
  for (int k = 0; k < 3; k++)
    truth.factor[k] = random_array(g, HED_SHAPE(12, 2), t);
  hed_array *low = hed_cp_full(&truth), *got = NULL, *sparse = NULL;
  cplx *v = tensor_elements(low), *x = malloc(sizeof *x * (size_t)n), *m = malloc(sizeof *m * (size_t)n);
  int outliers = 0;
  for (int64_t i = 0; i < n; i++) {
    x[i] = v[i];
    m[i] = 1;
    if (gen_chance(g, 3)) {
      x[i] += gen_chance(g, 50) ? 8 : -8;
      outliers++;
    }
  }
  hed_array *data = tensor_array(x, s, t);
  hed_fit fit;
  if (!ok(hed_robust_pca(data, NULL, &got, &sparse, &fit) == HED_OK, "%d outliers on %s", outliers, backend))
    diag("%s", hed_error_text());
  ok(fit.stopped == HED_STOP_TOLERANCE, "in %lld sweeps: %g", (long long)fit.n_sweeps, fit.error);
  is_near(distance(got, low), 0, 0, t == HED_FLOAT64 ? 1e-6 : 1e-3, "the low-rank part");
  cplx *o = tensor_elements(sparse);
  int found = 0, wrong = 0;
  for (int64_t i = 0; i < n; i++) {
    found += cabs(x[i] - v[i]) > 1 && cabs(o[i]) > 1;
    wrong += cabs(x[i] - v[i]) < 1 && cabs(o[i]) > 0.1;
  }
  ok(found == outliers && wrong == 0, "%d outliers found, %d wrong", found, wrong);
  RELEASE(got, sparse);
  hed_fit_clear(&fit);
  free(o);
  /* a tenth is not known, and NaN there */
  for (int64_t i = 0; i < n; i++)
    if (gen_chance(g, 10)) {
      m[i] = 0;
      x[i] = NAN;
    }
  hed_array *gaps = tensor_array(x, s, t), *mask = tensor_array(m, s, HED_BOOL);
  ok(hed_robust_pca(gaps, &(hed_robust_options){ .mask = mask }, &got, &sparse, &fit) == HED_OK, "with gaps");
  is_near(distance(got, low), 0, 0, 0.15, "the low-rank part, in the gaps too"); /* as far as the rest says it */
  RELEASE(got, sparse);
  hed_fit_clear(&fit);
  refused(hed_robust_pca(gaps, NULL, &got, &sparse, &fit), HED_E_INVAL, "x is not finite at (");
  ok(!got && !sparse && !fit.errors, "nothing came out");
  refused(hed_robust_pca(data, &(hed_robust_options){ .lambda = -1 }, &got, &sparse, NULL), HED_E_INVAL, "lambda -1");
  refused(hed_robust_pca(data, NULL, &got, NULL, NULL), HED_E_INVAL, "sparse is NULL");
  RELEASE(gaps, mask);
  hed_array *nothing = hed_zeros(s, t);
  ok(hed_robust_pca(nothing, NULL, &got, &sparse, NULL) == HED_OK && norm_of(got) == 0 && norm_of(sparse) == 0, "of zeros: zeros");
  RELEASE(got, sparse, nothing, data, low);
  hed_cp_clear(&truth);
  free(v);
  free(x);
  free(m);
}

/* ---- a factor in common ---- */

static bool falling(const hed_fit *f, double slack)
{
  bool good = f->n_sweeps > 0;
  for (int64_t i = 1; i < f->n_sweeps; i++)
    good &= f->errors[i] <= f->errors[i - 1] * (1 + slack) + slack;
  return good;
}

static hed_array *apart(gen *g, int64_t n, int64_t rank, hed_dtype t)
{
  cplx *v = tensor_values_apart(g, n, rank, hed_dtype_kind(t) == HED_KIND_COMPLEX);
  hed_array *a = tensor_array(v, HED_SHAPE(n, rank), t);
  free(v);
  return a;
}

static void coupled(gen *g, const char *backend)
{
  const bool late = is_backend(backend, "faulty");
  const int64_t rank = late ? 1 : 3; /* which takes few sweeps */
  for (int i = 0; i < 2; i++) {
    const hed_dtype t = late ? tensor_dtype(i) : tensor_dtype(2 * i);
    const double e = tensor_tolerance(t);
    const int mode = i ? -1 : 1;
    hed_cp truth = { .order = 3, .rank = rank }, of_y = { .order = 2, .rank = rank }, tensor, matrix;
    for (int k = 0; k < 3; k++)
      truth.factor[k] = apart(g, 6 + k, rank, t);
    of_y.factor[0] = hed_retain(truth.factor[i ? 2 : 1]);
    of_y.factor[1] = random_array(g, HED_SHAPE(5, rank), t);
    hed_array *x = hed_cp_full(&truth), *y = hed_cp_full(&of_y);
    hed_fit fit;
    double score = 0;
    hed_coupled_options opt = { .mode = mode, .weight = 0.7, .sweeps = { .max = late ? 20 : 300, .tol = 1e-13 }, .normalise = true,
                                .random = { .seeded = true } };
    for (int start = 0; start < STARTS; start++) {
      opt.random_start = start > 0;
      opt.random.seed = (uint64_t)start;
      if (!ok(hed_coupled_cp(x, y, rank, &opt, &tensor, &matrix, &fit) == HED_OK, "a tensor and a matrix on %s", backend))
        diag("%s", hed_error_text());
      ok(falling(&fit, 20 * e), "the error never rises: %g", fit.error);
      if (fit.error < 1e-3 || start == STARTS - 1)
        break;
      hed_fit_clear(&fit);
      hed_cp_clear(&tensor);
      hed_cp_clear(&matrix);
    }
    ok(hed_factor_match(&truth, &tensor, false, &score) == HED_OK && score > 0.999, "factors of the tensor: %g", score);
    ok(hed_factor_match(&of_y, &matrix, false, &score) == HED_OK && score > 0.999, "and of the matrix: %g", score);
    hed_fit_clear(&fit);
    hed_cp_clear(&tensor);
    hed_cp_clear(&matrix);
    hed_array *other = random_array(g, hed_array_shape(y), t); /* no exact fit: what counts how much shows */
    const hed_coupled_options heavy = { .mode = mode, .weight = 3, .sweeps = { .max = 2, .tol = -1 } };
    if (ok(hed_coupled_cp(x, other, rank, &heavy, &tensor, &matrix, &fit) == HED_OK, "a matrix that counts three times")) {
      hed_array *fx = hed_cp_full(&tensor), *fy = hed_cp_full(&matrix), *dx = hed_subtract(x, fx), *dy = hed_subtract(other, fy);
      is_near(fit.error, hypot(norm_of(dx), 3 * norm_of(dy)) / hypot(norm_of(x), 3 * norm_of(other)), 1e-3, 0, "its error");
      hed_array *all[] = { fx, fy, dx, dy };
      for (int k = 0; k < 4; k++)
        hed_release(all[k]);
    }
    hed_release(other);
    hed_fit_clear(&fit);
    hed_cp_clear(&tensor);
    hed_cp_clear(&matrix);
    refused(hed_coupled_cp(x, y, 3, &(hed_coupled_options){ .mode = 0 }, &tensor, &matrix, NULL), HED_E_SHAPE,
            "mode 0 of x has 6 elements");
    refused(hed_coupled_cp(x, y, 0, NULL, &tensor, &matrix, NULL), HED_E_INVAL, "rank 0");
    refused(hed_coupled_cp(x, y, 2, &(hed_coupled_options){ .mode = 3 }, &tensor, &matrix, NULL), HED_E_AXIS, "mode 3");
    refused(hed_coupled_cp(y, x, 2, NULL, &tensor, &matrix, NULL), HED_E_SHAPE, "y (6, 7, 8)");
    RELEASE(x, y);
    hed_cp_clear(&truth);
    hed_cp_clear(&of_y);
  }
}

/* ---- regressions ---- */

/* y of X by the planted coefficients W (4, 3, 5[, 2]) and OFFSET. */
static hed_array *answers(const hed_array *x, const hed_array *w, double offset, hed_dtype t)
{
  const hed_shape s = hed_array_shape(x), u = hed_array_shape(w);
  const int64_t inner = 60, m = u.ndim == 4 ? u.dim[3] : 1;
  cplx *p = tensor_elements(x), *q = tensor_elements(w), *y = malloc(sizeof *y * (size_t)(s.dim[0] * m));
  for (int64_t i = 0; i < s.dim[0]; i++)
    for (int64_t j = 0; j < m; j++) {
      y[i * m + j] = offset + (double)j;
      for (int64_t k = 0; k < inner; k++)
        y[i * m + j] += p[i * inner + k] * q[k * m + j];
    }
  hed_array *out = tensor_array(y, m > 1 ? HED_SHAPE(s.dim[0], m) : HED_SHAPE(s.dim[0]), t);
  free(p);
  free(q);
  free(y);
  return out;
}

static void is_regression(hed_status status, hed_regression *r, const hed_array *w, const hed_array *x, const hed_array *y, double e,
                          const char *what)
{
  if (!ok(status == HED_OK, "%s", what)) {
    diag("%s", hed_error_text());
    return;
  }
  hed_array *p = hed_regression_predict(r, x);
  hed_prediction_errors errors;
  is_near(distance(r->coefficients, w), 0, 0, e, "%s: coefficients", what);
  is_near(distance(p, y), 0, 0, e, "%s: new samples", what);
  ok(hed_compare_predictions(y, p, &errors) == HED_OK && errors.r2 > 1 - e, "%s: r2 %g", what, errors.r2);
  hed_release(p);
  hed_regression_clear(r);
}

static void regressions(gen *g, const char *backend)
{
  const hed_dtype t = best();
  const double e = t == HED_FLOAT64 ? 1e-4 : 2e-2;
  const bool late = is_backend(backend, "faulty");
  const int64_t rank = late ? 1 : 2; /* which takes few sweeps */
  for (int outputs = 1; outputs < 3; outputs++) {
    hed_cp cp = { .order = outputs > 1 ? 4 : 3, .rank = rank };
    hed_tucker tucker = { .order = cp.order };
    const int64_t n[] = { 4, 3, 5, 2 };
    for (int k = 0; k < cp.order; k++) {
      cp.factor[k] = k < 3 ? apart(g, n[k], rank, t) : random_array(g, HED_SHAPE(n[k], rank), t);
      tucker.factor[k] = k < 3 ? random_array(g, HED_SHAPE(n[k], rank), t) : NULL;
    }
    tucker.core = random_array(g, outputs > 1 ? HED_SHAPE(rank, rank, rank, 2) : HED_SHAPE(rank, rank, rank), t);
    hed_array *x = random_array(g, HED_SHAPE(90, 4, 3, 5), t), *fresh = random_array(g, HED_SHAPE(20, 4, 3, 5), t);
    hed_array *w = hed_cp_full(&cp), *v = hed_tucker_full(&tucker);
    hed_array *y = answers(x, w, 1.5, t), *fy = answers(fresh, w, 1.5, t), *z = answers(x, v, -2, t), *fz = answers(fresh, v, -2, t);
    hed_regression r;
    hed_fit fit;
    hed_regression_options opt = { .random = { .seed = 11, .seeded = true }, .sweeps = { .max = late ? 10 : 300, .tol = 1e-10 } };
    diag("%s, %d outputs", backend, outputs);
    for (int tucker_too = 0; tucker_too < 2; tucker_too++)
      for (int start = 0; start < STARTS; start++, opt.random.seed++) {
        const hed_status status = tucker_too ? hed_tucker_regression(x, z, &HED_SHAPE(rank), &opt, &r, &fit)
                                             : hed_cp_regression(x, y, rank, &opt, &r, &fit);
        ok(falling(&fit, 1e-4), "the error never rises: %g", fit.error);
        const bool found = status != HED_OK || fit.error < e / 2 || start == STARTS - 1;
        hed_fit_clear(&fit);
        if (found) {
          is_regression(status, &r, tucker_too ? v : w, fresh, tucker_too ? fz : fy, e, tucker_too ? "Tucker" : "CP");
          break;
        }
        hed_regression_clear(&r);
      }
    hed_regression_options ridge = opt;
    ridge.ridge = 1e3;
    ok(hed_cp_regression(x, y, rank, &ridge, &r, &fit) == HED_OK && norm_of(r.coefficients) < norm_of(w),
       "a ridge makes coefficients smaller");
    hed_fit_clear(&fit);
    hed_regression_clear(&r);
    hed_array *all[] = { x, fresh, w, v, y, fy, z, fz };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
      hed_release(all[i]);
    hed_cp_clear(&cp);
    hed_tucker_clear(&tucker);
  }
}

/* With as many components as features partial least squares of a matrix is least squares. */
static void partial(gen *g, const char *backend)
{
  const hed_dtype t = best();
  hed_array *x = random_array(g, HED_SHAPE(30, 4), t), *w = random_array(g, HED_SHAPE(4, 2), t), *noise = random_array(g,
      HED_SHAPE(30, 2), t);
  hed_array *exact = hed_matmul(x, w), *y = hed_add(exact, noise), *x_mean = hed_mean(x, &(hed_reduce){ .axes = HED_AXES(0) });
  hed_array *y_mean = hed_mean(y, &(hed_reduce){ .axes = HED_AXES(0) }), *xc = hed_subtract(x, x_mean), *yc = hed_subtract(y,
      y_mean), *best_w;
  if (hed_lstsq(xc, yc, -1, &best_w, NULL, NULL, NULL) != HED_OK)
    bail("lstsq: %s", hed_error_text());
  hed_regression r;
  hed_cp xs, ys;
  if (!ok(hed_plsr(x, y, 4, NULL, &r, &xs, &ys) == HED_OK, "all components on %s", backend))
    diag("%s", hed_error_text());
  is_near(distance(r.coefficients, best_w), 0, 0, t == HED_FLOAT64 ? 1e-9 : 1e-3, "are least squares");
  hed_array *back = hed_cp_full(&xs);
  is_near(distance(back, xc), 0, 0, t == HED_FLOAT64 ? 1e-9 : 1e-3, "scores and directions make x again");
  ok(ys.order == 2 && ys.rank == 4, "and those of y are there");
  hed_release(back);
  hed_regression_clear(&r);
  hed_cp_clear(&xs);
  hed_cp_clear(&ys);
  /* a tensor whose first component is planted: y is its scores */
  hed_cp one = { .order = 3, .rank = 1 };
  for (int k = 0; k < 3; k++)
    one.factor[k] = random_array(g, HED_SHAPE((int64_t[]){ 20, 5, 6 }[k], 1), t);
  hed_array *data = hed_cp_full(&one), *scores = hed_index(one.factor[0], 1, 0), *p;
  ok(hed_plsr(data, scores, 1, NULL, &r, &xs, NULL) == HED_OK, "one component of a tensor");
  p = hed_regression_predict(&r, data);
  is_near(distance(p, scores), 0, 0, t == HED_FLOAT64 ? 1e-9 : 1e-3, "predicts its scores");
  double cosine = 0;
  ok(hed_congruence(one.factor[1], xs.factor[1], false, &cosine, NULL) == HED_OK && cosine > 0.9999, "its direction");
  hed_regression_clear(&r);
  hed_cp_clear(&xs);
  hed_cp_clear(&one);
  hed_array *all[] = { x, w, noise, exact, y, x_mean, y_mean, xc, yc, best_w, data, scores, p };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    hed_release(all[i]);
}

static void bad_regressions(void)
{
  gen g;
  gen_seed(&g, 5);
  hed_array *x = random_array(&g, HED_SHAPE(6, 3, 2), HED_FLOAT64), *y = random_array(&g, HED_SHAPE(5), HED_FLOAT64);
  hed_array *z = random_array(&g, HED_SHAPE(6, 3), HED_COMPLEX64), *good = random_array(&g, HED_SHAPE(6), HED_FLOAT64);
  hed_regression r;
  refused(hed_cp_regression(x, y, 1, NULL, &r, NULL), HED_E_SHAPE, "x has shape (6, 3, 2), y (5)");
  refused(hed_cp_regression(z, good, 1, NULL, &r, NULL), HED_E_DTYPE, "complex");
  refused(hed_cp_regression(x, good, 0, NULL, &r, NULL), HED_E_INVAL, "rank is 0");
  refused(hed_cp_regression(good, good, 1, NULL, &r, NULL), HED_E_SHAPE, "1 axes");
  refused(hed_tucker_regression(x, good, &HED_SHAPE(1, 2, 3), NULL, &r, NULL), HED_E_SHAPE, "3 ranks for 2 feature axes");
  refused(hed_tucker_regression(x, good, &HED_SHAPE(0), NULL, &r, NULL), HED_E_INVAL, "rank 0 is 0");
  refused(hed_plsr(x, good, 0, NULL, &r, NULL, NULL), HED_E_INVAL, "0 components");
  refused(hed_plsr(x, y, 1, NULL, &r, NULL, NULL), HED_E_SHAPE, "y (5)");
  const int stop = 1;
  refused(hed_plsr(x, good, 1, &(hed_plsr_options){ .cancel = &stop }, &r, NULL, NULL), HED_E_CANCELLED, "cancelled");
  refused(hed_cp_regression(x, good, 1, &(hed_regression_options){ .sweeps.cancel = &stop }, &r, NULL), HED_E_CANCELLED, "cancelled");
  ok(!r.coefficients && !r.cp.order, "nothing came out");
  ok(hed_cp_regression(x, good, 1, NULL, &r, NULL) == HED_OK && !hed_regression_predict(&r, good) && hed_error() == HED_E_SHAPE,
     "samples of another shape");
  hed_regression_clear(&r);
  RELEASE(x, y, z, good);
}

/* ---- metrics ---- */

static void metrics(gen *g, const char *backend)
{
  const hed_dtype t = best();
  const double e = t == HED_FLOAT64 ? 1e-12 : 1e-5;
  enum { N = 40 };
  hed_array *a = random_array(g, HED_SHAPE(N), t), *b = random_array(g, HED_SHAPE(N), t);
  cplx *p = tensor_elements(a), *q = tensor_elements(b);
  double tt = 0, pp = 0, tp = 0, dd = 0, mt = 0, mp = 0, ctt = 0, cpp = 0, ctp = 0;
  for (int i = 0; i < N; i++) {
    const double x = creal(p[i]), y = creal(q[i]);
    tt += x * x, pp += y * y, tp += x * y, dd += (x - y) * (x - y), mt += x / N, mp += y / N;
  }
  for (int i = 0; i < N; i++) {
    const double x = creal(p[i]) - mt, y = creal(q[i]) - mp;
    ctt += x * x, cpp += y * y, ctp += x * y;
  }
  hed_prediction_errors m;
  ok(hed_compare_predictions(a, b, &m) == HED_OK, "predictions on %s", backend);
  is_near(m.mse, dd / N, e, 0, "mse");
  is_near(m.rmse, sqrt(dd / N), e, 0, "rmse");
  is_near(m.r2, 1 - dd / ctt, e, e, "r2");
  is_near(m.r2_origin, 1 - dd / tt, e, e, "r2 from the origin");
  is_near(m.covariance, ctp / N, 0, e, "covariance");
  is_near(m.correlation, ctp / sqrt(ctt * cpp), 0, e, "correlation");
  is_near(m.reflective_correlation, tp / sqrt(tt * pp), 0, e, "reflective correlation");
  ok(hed_compare_predictions(a, a, &m) == HED_OK && m.mse == 0 && m.r2 == 1, "of the same");
  free(p);
  free(q);
  RELEASE(a, b);

  /* columns in another order, one with the other sign, one of zeros */
  const cplx one[] = { 1, 0, 0, 2, 1, 0, 0, 1, 0 }, other[] = { 0, -3, 0, 1, -6, 0, 1, 0, 0 };
  int64_t order[3];
  double score;
  hed_array *x = tensor_array(one, HED_SHAPE(3, 3), t), *y = tensor_array(other, HED_SHAPE(3, 3), t);
  ok(hed_congruence(x, y, false, &score, order) == HED_OK && order[0] == 1 && order[1] == 0 && order[2] == 2,
     "congruence in its order");
  is_near(score, 2.0 / 3, e, 0, "two of three columns");
  ok(hed_congruence(x, y, true, &score, order) == HED_OK, "with signs");
  /* the cosines are 2 / sqrt(10), -1; 1, -1 / sqrt(2) .. : the best assignment takes no negative one */
  is_near(score, 1.0 / 3, 0.2, 0, "is less");
  const hed_array *xs[] = { x, y }, *ys[] = { y, x };
  const hed_array *first2 = NULL;
  hed_array *l = HED_GET(x, HED_WHOLE, HED_SLICE(0, 2, 1)), *r = HED_GET(y, HED_WHOLE, HED_SLICE(0, 2, 1));
  first2 = l;
  ok(hed_correlation_index(1, &first2, (const hed_array *const[]){ r }, HED_INDEX_STACKED, &score) == HED_OK && fabs(score) < 1e-6,
     "correlation index of the same columns");
  for (int k = HED_INDEX_STACKED; k <= HED_INDEX_MEAN; k++)
    ok(hed_correlation_index(2, xs, ys, (hed_index_method)k, &score) == HED_OK && score >= 0 && score <= 1,
       "index, method %d: %g", k, score);
  RELEASE(l, r, x, y);

  /* leverage: rows of the identity below zeros; the scores add up to 1 */
  const cplx tall[] = { 1, 0, 0, 1, 0, 0, 0, 0 };
  hed_array *u = tensor_array(tall, HED_SHAPE(4, 2), t), *lev = hed_leverage_scores(u);
  double four[4];
  ok(lev && hed_tolist(lev, four, 4) == HED_OK, "leverage");
  ok(fabs(four[0] - 0.5) < 1e-6 && fabs(four[1] - 0.5) < 1e-6 && fabs(four[2]) < 1e-6, "of two rows");
  RELEASE(u, lev);

  /* entropy: of the maximally mixed state of two qubits 2 bits, of a pure one 0 */
  hed_array *mixed = hed_eye(4, 4, 0, t), *quarter = hed_divide_scalar(mixed, 4), *state = hed_reshape(quarter, HED_SHAPE(2, 2, 2, 2));
  ok(hed_von_neumann_entropy(state, &score) == HED_OK, "entropy of a mixed state");
  is_near(score, 2, e, 0, "two bits");
  const cplx pure[] = { 0.5, 0.5, 0.5, 0.5 };
  hed_array *ket = tensor_array(pure, HED_SHAPE(2, 2), t);
  hed_tt train;
  ok(hed_von_neumann_entropy(ket, &score) == HED_OK && fabs(score) < 1e-5, "of a pure one");
  ok(hed_tt_svd(state, NULL, 0, &train, NULL) == HED_OK && hed_tt_von_neumann_entropy(&train, &score) == HED_OK, "of a train");
  is_near(score, 2, 1e-5, 0, "two bits");
  double effective = 0;
  int64_t ranks[5];
  hed_tt_ranks(&train, ranks);
  ok(hed_tt_effective_rank(&train, &effective) == HED_OK && effective >= 1 && effective <= 4, "effective rank %g", effective);
  double elements = 2 * effective + 2 * effective + 4 * effective * effective;
  is_near(elements, (double)(2 * ranks[1] + 2 * ranks[1] * ranks[2] + 2 * ranks[2] * ranks[3] + 2 * ranks[3]), 1e-9, 0,
          "as many elements");
  hed_tt_clear(&train);
  RELEASE(mixed, quarter, state, ket);

  /* core consistency: 100 for the model itself, far below for a component too many */
  hed_cp c = { .order = 3, .rank = 2 }, more = { .order = 3, .rank = 2 };
  for (int k = 0; k < 3; k++) {
    c.factor[k] = random_array(g, HED_SHAPE(5, 2), t);
    more.factor[k] = random_array(g, HED_SHAPE(5, 2), t);
  }
  hed_array *full = hed_cp_full(&c);
  ok(hed_core_consistency(full, NULL, &c, &score) == HED_OK, "core consistency");
  is_near(score, 100, 1e-4, 0, "of the model itself");
  ok(hed_core_consistency(full, NULL, &more, &score) == HED_OK && score < 90, "of another one: %g", score);
  ok(hed_factor_match(&c, &c, true, &score) == HED_OK && fabs(score - 1) < 1e-5, "factors match themselves");
  ok(hed_factor_match(&c, &more, false, &score) == HED_OK && score < 0.95, "and others less: %g", score);
  refused(hed_core_consistency(NULL, NULL, &c, &score), HED_E_INVAL, "x is NULL");
  refused(hed_congruence(full, full, false, &score, NULL), HED_E_SHAPE, "a has shape (5, 5, 5)");
  refused(hed_congruence(c.factor[0], full, false, &score, NULL), HED_E_SHAPE, "b (5, 5, 5)");
  refused(hed_von_neumann_entropy(c.factor[0], &score), HED_E_SHAPE, "no square matrix");
  refused(hed_compare_predictions(full, c.factor[0], &m), HED_E_SHAPE, "prediction (5, 2)");
  hed_release(full);
  hed_cp_clear(&c);
  hed_cp_clear(&more);
}

int main(void)
{
  on_backends(metrics);
  on_backends(regressions);
  on_backends(partial);
  bad_regressions();
  on_backends(coupled);
  on_backends(robust);
  done_testing();
  return done();
}
