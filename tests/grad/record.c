// SPDX-License-Identifier: BSD-3-Clause
/* What a recording is: blocks, variables and constants, writes in place, what is kept, errors, conventions by value. */
#include "arrays.h"
#include "fails.h"
#include <heddle.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

typedef const hed_array *const list[];
#define ONE(x) (list){ (x) }

static hed_array *vector(int n, const double *values) { return hed_from_host(values, HED_SHAPE(n), HED_FLOAT64); }

static bool values(const hed_array *x, int n, const double *want, const char *what)
{
  double got[16];
  bool good = x && hed_tolist(x, got, n) == HED_OK;
  for (int k = 0; good && k < n; k++)
    good = isnan(want[k]) ? isnan(got[k]) : fabs(got[k] - want[k]) <= 1e-12 * fmax(1, fabs(want[k])) || got[k] == want[k];
  ok(good, "%s", what);
  for (int k = 0; x && !good && k < n; k++)
    diag("%d: %.17g, not %.17g", k, got[k], want[k]);
  return good;
}

/* ---- conventions ---- */

/* The gradient of the sum of F at N values of X, with Y beside. */
typedef hed_array *function(const hed_array *x, const hed_array *y);
static void convention(const char *what, function *f, int n, const double *x, const double *y, int by, const double *want)
{
  hed_array *g = NULL;
  HED_RECORD HED_SCOPE {
    const hed_array *const v[2] = { hed_variable(vector(n, x)), hed_variable(vector(n, y)) };
    if (hed_grad(hed_sum(f(v[0], v[1]), NULL), 1, ONE(v[by]), &g, NULL) != HED_OK)
      diag("%s", hed_error_text());
  }
  values(g, n, want, what);
  hed_release(g);
}
#define F(name, expression) static hed_array *f_##name(const hed_array *x, const hed_array *y) { (void)x, (void)y; return expression; }
F(relu, hed_relu(x)) F(leaky, hed_leaky_relu(x, 0.1)) F(elu, hed_elu(x, 0.5)) F(abs, hed_abs(x)) F(clip, hed_clip(x, -1, 1))
F(maximum, hed_maximum(x, y)) F(fmax, hed_fmax(x, y)) F(max, hed_max(x, NULL)) F(sqrt, hed_sqrt(x)) F(std, hed_std(x, NULL))
F(hypot, hed_hypot(x, y)) F(power, hed_power(x, y)) F(prod, hed_prod(x, NULL))
F(where, hed_where(hed_greater_scalar(x, 0), hed_log(x), y))
F(norm, hed_vector_norm(x, 2, NULL)) F(lse, hed_logsumexp(x, NULL))
F(arctan2, hed_arctan2(x, y)) F(zero, hed_multiply_scalar(hed_log(x), 0))

static void conventions(void)
{
  const double zero[3] = { 0, 0, 0 }, x[3] = { -1, 0, 1 }, inf = INFINITY;
#define AT(name, a, b, by, ...) convention(#name, f_##name, 3, a, b, by, (const double[]){ __VA_ARGS__ })
  AT(relu, x, zero, 0, 0, 0, 1);
  AT(leaky, x, zero, 0, 0.1, 1, 1);
  AT(elu, x, zero, 0, 0.5 * exp(-1), 0.5, 1);
  AT(abs, x, zero, 0, -1, 0, 1);
  AT(clip, x, zero, 0, 1, 1, 1);
  AT(maximum, x, zero, 0, 0, 0.5, 1);
  AT(maximum, x, zero, 1, 1, 0.5, 0);
  AT(maximum, ((const double[]){ NAN, 1, NAN }), ((const double[]){ 1, NAN, NAN }), 0, 1, 0, 1);
  AT(fmax, ((const double[]){ NAN, 1, 2 }), ((const double[]){ 1, NAN, 2 }), 0, 0, 1, 0.5);
  AT(max, ((const double[]){ 2, 1, 2 }), zero, 0, 0.5, 0, 0.5);
  AT(sqrt, ((const double[]){ 0, 1, 4 }), zero, 0, inf, 0.5, 0.25);
  AT(zero, ((const double[]){ 0, 1, 4 }), zero, 0, 0, 0, 0);
  AT(std, ((const double[]){ 2, 2, 2 }), zero, 0, 0, 0, 0);
  AT(norm, zero, zero, 0, 0, 0, 0);
  AT(hypot, zero, ((const double[]){ 0, 1, 2 }), 0, 0, 0, 0);
  AT(arctan2, zero, ((const double[]){ 0, 1, 2 }), 0, 0, 1, 0.5);
  AT(power, ((const double[]){ 0, 0, -2 }), ((const double[]){ 0, 1, 2 }), 0, 0, 1, -4);
  AT(power, ((const double[]){ 0, 0, -2 }), ((const double[]){ 0, 1, 2 }), 1, 0, 0, NAN);
  AT(prod, ((const double[]){ 0, 2, 3 }), zero, 0, 6, 0, 0);
  AT(prod, ((const double[]){ 0, 2, 0 }), zero, 0, 0, 0, 0);
  AT(where, x, zero, 0, 0, 0, 1);
  AT(lse, ((const double[]){ -inf, -inf, -inf }), zero, 0, 0, 0, 0);
  AT(lse, ((const double[]){ -inf, 1, 1 }), zero, 0, 0, 0.5, 0.5);
}

/* ---- values of others ---- */

/* Functions of a matrix x (3, 3) with another one, y, as in tests/data/gradients.py. */
static hed_array *positive_definite(const hed_array *x)
{
  return hed_add(hed_matmul(x, hed_matrix_transpose(x)), hed_multiply_scalar(hed_eye(3, 3, 0, HED_FLOAT64), 2));
}
#define ALONG(k) (&(hed_reduce){ .axes = HED_AXES(k) })
#define G(name, expression) static hed_array *g_##name(const hed_array *x, const hed_array *y) { (void)x, (void)y; return expression; }
G(tanh, hed_tanh(x)) G(sinc, hed_sinc(x)) G(softplus, hed_softplus(x)) G(silu, hed_silu(x)) G(gelu, hed_gelu(x)) G(erf, hed_erf(x))
G(erfc, hed_erfc(x)) G(expm1, hed_expm1(x)) G(sigmoid, hed_sigmoid(x)) G(lgamma, hed_lgamma(hed_square(x)))
G(digamma, hed_digamma(hed_square(x))) G(log1p, hed_log1p(hed_square(x))) G(arctan, hed_arctan(x)) G(arcsinh, hed_arcsinh(x))
G(cosh, hed_cosh(x)) G(arctan2, hed_arctan2(x, y)) G(hypot, hed_hypot(x, y)) G(logaddexp, hed_logaddexp(x, y))
G(power, hed_power(hed_square(x), y)) G(divide, hed_divide(y, x)) G(mod, hed_mod(x, y)) G(maximum, hed_maximum(x, y))
G(prod, hed_prod(x, ALONG(1))) G(var, hed_var(x, (&(hed_reduce){ .axes = HED_AXES(0), .ddof = 1 }))) G(std, hed_std(x, ALONG(1)))
G(max, hed_max(x, ALONG(0))) G(logsumexp, hed_logsumexp(x, ALONG(1))) G(softmax, hed_softmax(x, 0))
G(log_softmax, hed_log_softmax(x, -1))
G(cumsum, hed_cumsum(x, &(hed_scan){ .axis = HED_AXES(1) })) G(cumprod, hed_cumprod(x, &(hed_scan){ .axis = HED_AXES(0) }))
G(sort, hed_sort(x, NULL)) G(norm, hed_vector_norm(x, 3, NULL)) G(matmul, hed_matmul(hed_matmul(x, y), x)) G(inv, hed_inv(x))
G(det, hed_det(x)) G(solve, hed_solve(x, y)) G(expm, hed_expm(x)) G(cholesky, hed_cholesky(positive_definite(x), false))
G(svdvals, hed_svdvals(x)) G(eigvalsh, hed_eigvalsh(positive_definite(x), false))
G(pinv, hed_pinv(hed_slice(x, 2, (const hed_slice_range[]){ HED_RANGE(0, 3, 1), HED_RANGE(0, 2, 1) }), 0))
G(einsum, hed_einsum("ij,kj,jl->il", 3, (list){ x, y, x })) G(fft, hed_abs(hed_rfft2(x, NULL)))
G(take, hed_take(x, hed_from_host((const int64_t[]){ 2, 0, 2, 1 }, HED_SHAPE(4), HED_INT64), 0))
static hed_array *g_logdet(const hed_array *x, const hed_array *y)
{
  hed_array *sign = NULL, *log = NULL;
  (void)y;
  return hed_slogdet(x, &sign, &log) == HED_OK ? log : NULL;
}

/* Of the sum of what F makes times 1, 2, 3, .. */
static void other(const char *name, const char *by, function *f, const double *want)
{
  static const double x[9] = { 2.5, 0.75, -0.5, 0.3, 1.5, 0.6, -0.25, 0.9, 3.25 };
  static const double y[9] = { 0.5, -1.25, 2, 1.75, 0.4, -0.8, 1.1, 0.65, 0.9 };
  hed_array *g = NULL;
  double got[9] = { 0 }, worst = 0;
  HED_RECORD HED_SCOPE {
    const hed_array *const v = hed_variable(hed_from_doubles(x, HED_SHAPE(3, 3), HED_FLOAT64));
    const hed_array *made = f(v, hed_from_doubles(y, HED_SHAPE(3, 3), HED_FLOAT64)), *flat = hed_ravel(made);
    const hed_array *weights = hed_arange(1, made ? (double)hed_array_size(made) + 1 : 1, 1, HED_FLOAT64);
    if (hed_grad(hed_sum(hed_multiply(flat, weights), NULL), 1, ONE(v), &g, NULL) == HED_OK)
      hed_tolist(g, got, 9);
  }
  for (int k = 0; k < 9; k++)
    worst = fmax(worst, fabs(got[k] - want[k]) / fmax(1, fabs(want[k])));
  ok(g && worst < 1e-9, "%s, as %s: %.1e; %s", name, strcmp(by, "both") ? by : "JAX and PyTorch", worst, hed_error_text());
  hed_error_clear();
  hed_release(g);
}

static void others(void)
{
#define GRADIENT(name, by, ...) other(#name, #by, g_##name, (const double[]){ __VA_ARGS__ });
#include "data/gradients.h"
}

/* ---- blocks ---- */

static void *another_thread(void *arg)
{
  hed_array *const *x = arg;
  hed_array *y = hed_exp(x[0]), *v = hed_variable(x[0]);
  ok(!hed_array_is_recorded(x[0]) && y && !hed_array_is_recorded(y), "another thread's variable is a constant");
  fails(hed_error(), HED_E_INVAL, "nothing is recorded", "recording is not inherited");
  ok(!v, "no variable");
  hed_record_scope *s = (hed_record_scope *)x[1];
  hed_record_scope copy = *s;
  hed_record_end(&copy);
  hed_release(y);
  return NULL;
}

static void blocks(void)
{
  hed_record_scope outer, inner;
  hed_array *x = vector(2, (const double[]){ 0.5, 2 }), *g = NULL;
  ok(!hed_variable(x), "outside a block there are no variables");
  fails(hed_error(), HED_E_INVAL, "nothing is recorded", "which it says");
  fails(hed_grad(x, 1, ONE(x), &g, NULL), HED_E_GRADIENT, "not one real number", "two elements");
  hed_record_begin(&outer);
  hed_array *v = hed_variable(x), *y = hed_exp(v), *t = NULL, *s = NULL, *c = NULL;
  ok(hed_array_is_recorded(v) && hed_array_is_recorded(y) && !hed_array_is_recorded(x), "what is recorded");
  HED_UNRECORDED c = hed_exp(v);
  ok(c && !hed_array_is_recorded(c), "not in a pause");
  HED_RECORD t = hed_multiply(y, c);
  HED_SCOPE s = hed_keep(hed_sum(hed_multiply(t, hed_stop_gradient(y)), NULL));
  ok(hed_grad(s, 1, ONE(v), &g, &(hed_grad_options){ .keep = true }) == HED_OK, "a gradient: %s", hed_error_text());
  values(g, 2, (const double[]){ exp(1.5), exp(6) }, "of the factor that was recorded alone");
  hed_release(g);
  ok(hed_grad(s, 1, ONE(v), &g, NULL) == HED_OK, "once more, as it was kept");
  hed_release(g);
  fails(hed_grad(s, 1, ONE(v), &g, NULL), HED_E_GRADIENT, "was released by an earlier gradient", "not a third time");
  ok(!g, "no result after an error");
  pthread_t other;
  pthread_create(&other, NULL, another_thread, (hed_array *[]){ v, (hed_array *)&outer });
  pthread_join(other, NULL);
  ok(hed_array_is_recorded(v), "another thread ends nothing");
  hed_record_begin(&inner);
  hed_record_end(&outer);
  ok(!hed_array_is_recorded(v) && !hed_array_is_recorded(y), "the outer block ends with those inside it");
  hed_record_end(&inner);
  hed_record_end(&outer);
  HED_RECORD fails(hed_grad(s, 1, ONE(v), &g, NULL), HED_E_GRADIENT, "depends on no variable", "of a recording that has ended");
  for (int k = 0; k < 3; k++)
    HED_RECORD HED_SCOPE {
      if (k == 1)
        continue;
      ok(hed_array_is_recorded(hed_exp(hed_variable(x))), "a block that is left");
      break;
    }
  ok(!hed_variable(x), "blocks that are left are ended");
  hed_error_clear();
  hed_array *const all[] = { x, v, y, t, s, c };
  for (int k = 0; k < 6; k++)
    hed_release(all[k]);
}

/* ---- errors ---- */

static void errors(void)
{
  hed_array *g[2];
  HED_RECORD HED_SCOPE {
    hed_array *x = hed_variable(vector(3, (const double[]){ 1, 2, 3 })), *k = hed_arange_int(0, 3, 1, HED_INT64);
    ok(!hed_variable(k), "no integers");
    fails(hed_error(), HED_E_DTYPE, "int64", "as it says");
    ok(!hed_variable(hed_scalar(2)), "no weak scalars");
    fails(hed_error(), HED_E_DTYPE, "weak", "as it says");
    hed_array *z = hed_sum(hed_multiply_complex(x, 0, 1), NULL), *s = hed_sum(x, NULL), *c = hed_sum(k, NULL);
    fails(hed_grad(z, 1, ONE(x), g, NULL), HED_E_GRADIENT, "hed_vjp", "a complex number");
    fails(hed_grad(x, 1, ONE(x), g, NULL), HED_E_GRADIENT, "3 elements", "three");
    fails(hed_grad(c, 1, ONE(x), g, NULL), HED_E_GRADIENT, "depends on no variable", "a constant");
    fails(hed_grad(s, 2, (list){ x, k }, g, NULL), HED_E_GRADIENT, "x[1] is neither", "by a constant");
    fails(hed_vjp(1, ONE(x), ONE(s), 1, ONE(x), g, NULL), HED_E_SHAPE, "(3,)", "a cotangent of another shape");
    fails(hed_vjp(1, ONE(s), ONE(z), 1, ONE(x), g, NULL), HED_E_DTYPE, "complex128", "a complex one of a real number");
    fails(hed_grad(NULL, 1, ONE(x), g, NULL), HED_E_INVAL, "y", "NULL");
    fails(hed_vjp(-1, NULL, NULL, 0, NULL, NULL, NULL), HED_E_INVAL, "negative", "a negative number");
    const hed_array *drawn = hed_random_chi_squared(x, NULL, HED_FLOAT64, NULL), *parts = hed_partial_interference(x, x, 2);
    fails(hed_grad(hed_sum(drawn, NULL), 1, ONE(x), g, NULL), HED_E_GRADIENT, "'random_chi_squared' has no rule", "without a rule");
    fails(hed_grad(hed_sum(parts, NULL), 1, ONE(x), g, NULL), HED_E_GRADIENT, "'partial_interference'", "and another one");
    hed_array *used = hed_add(hed_square(x), hed_stop_gradient(drawn));
    ok(hed_grad(hed_sum(used, NULL), 1, ONE(x), g, NULL) == HED_OK, "whose value may be used");
    values(g[0], 3, (const double[]){ 2, 4, 6 }, "as a constant");
    hed_release(g[0]);
    hed_array *y = hed_exp(x);
    fails(hed_add_scalar_into(x, x, 1), HED_E_INVAL, "variable", "a write to a variable");
    fails(hed_fill(x, 1), HED_E_INVAL, "fill: out is a variable", "by whatever operation");
    fails(hed_set(x, 1, &HED_AT(0), s), HED_E_INVAL, "set: out is a variable", "and this");
    ok(hed_exp_into(y, y) == HED_OK, "an operand is written");
    fails(hed_grad(hed_sum(y, NULL), 1, ONE(x), g, NULL), HED_E_GRADIENT, "'exp' needs its result, which 'exp' has",
          "its result was needed");
    y = hed_copy(x);
    hed_array *q = hed_square(y);
    ok(hed_negative_into(hed_slice(y, 1, &HED_RANGE(0, 1, 1)), x) != HED_OK, "shapes that do not fit");
    hed_error_clear();
    ok(hed_fill(hed_index(y, 0, 1), 7) == HED_OK, "a view is written");
    fails(hed_grad(hed_sum(q, NULL), 1, ONE(x), g, NULL), HED_E_GRADIENT, "'square' needs its operand, which 'fill'",
          "what it shows was needed");
    hed_array *late = hed_sum(hed_multiply_scalar(y, 2), NULL);
    fails(hed_grad(late, 1, ONE(x), g, NULL), HED_E_GRADIENT, "'multiply' needs its operand, which 'fill'", "used after that");
  }
}

/* ---- in place, orders, fusion ---- */

static void in_place(void)
{
  hed_array *g = NULL;
  HED_RECORD HED_SCOPE {
    hed_array *x = hed_variable(vector(3, (const double[]){ 1, 2, 3 })), *y = hed_copy(x);
    ok(hed_set(y, 1, &HED_AT(1), hed_sum(hed_square(x), NULL)) == HED_OK, "an element is set");
    ok(hed_multiply_scalar_into(y, y, 2) == HED_OK, "all are scaled in place");
    ok(hed_grad(hed_sum(y, NULL), 1, ONE(x), &g, NULL) == HED_OK, "the gradient: %s", hed_error_text());
    values(g, 3, (const double[]){ 6, 8, 14 }, "goes through both writes");
    hed_release(g);
  }
}

static void second(void)
{
  HED_RECORD HED_SCOPE {
    hed_array *x = hed_variable(vector(3, (const double[]){ 1, 2, 3 })), *g = NULL, *h = NULL, *third = NULL;
    hed_array *y = hed_sum(hed_multiply(hed_square(x), hed_square(x)), NULL);
    ok(hed_grad(y, 1, ONE(x), &g, &(hed_grad_options){ .record = true }) == HED_OK, "recorded: %s", hed_error_text());
    ok(hed_grad(hed_sum(g, NULL), 1, ONE(x), &h, &(hed_grad_options){ .record = true }) == HED_OK, "second: %s", hed_error_text());
    values(h, 3, (const double[]){ 12, 48, 108 }, "derivative of x^4");
    ok(hed_grad(hed_sum(h, NULL), 1, ONE(x), &third, NULL) == HED_OK, "third: %s", hed_error_text());
    values(third, 3, (const double[]){ 24, 48, 72 }, "derivative");
    RELEASE(g, h, third);
  }
}

/* Ten operations and a sum: the same bits for any number of threads, the same gradient fused and not, with and without keep. */
static hed_array *chain(const hed_array *x)
{
  const hed_array *t = hed_exp(hed_negative(hed_square(x))), *u = hed_sin(hed_add_scalar(t, 0.5));
  t = hed_multiply(hed_tanh(u), hed_add(x, t));
  return hed_sum(hed_divide(t, hed_add_scalar(hed_square(u), 1)), NULL);
}

static hed_array *chain_gradient(const char *spec, bool fused, bool keep)
{
  hed_array *g = NULL;
  HED_BACKEND_CONTEXT(spec) HED_RECORD HED_SCOPE {
    hed_array *x = hed_variable(hed_linspace(-2, 2, 100000, HED_FLOAT64)), *y = NULL;
    if (fused)
      HED_FUSED y = chain(x);
    else
      y = chain(x);
    if (hed_grad(y, 1, ONE(x), &g, &(hed_grad_options){ .keep = keep }) != HED_OK)
      diag("%s: %s", spec, hed_error_text());
  }
  return g;
}

static void bits(void)
{
  if (hed_backend_require("cpu") != HED_OK) {
    skip(6, "backend cpu: %s", hed_error_text());
    hed_error_clear();
    return;
  }
  hed_array *want = chain_gradient("cpu;threads=1", true, false);
  for (int k = 0; k < 6; k++) {
    hed_array *got = chain_gradient(k & 1 ? "cpu;threads=4" : "cpu;threads=1", (k & 2) != 0, (k & 4) != 0);
    ok(want && got && memcmp(hed_array_data(want), hed_array_data(got), 100000 * sizeof(double)) == 0,
       "the same bits with %d threads%s%s", k & 1 ? 4 : 1, k & 2 ? ", fused" : "", k & 4 ? ", kept" : "");
    hed_release(got);
  }
  hed_release(want);
}

/* ---- functions ---- */

static int called, dropped;
static hed_status cube(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
{
  (void)arg, (void)n, (void)m;
  called++;
  const hed_array *noise = hed_random_uniform(hed_array_shape(x[0]), HED_FLOAT64, NULL);
  *y = hed_multiply(hed_multiply(x[0], hed_square(x[0])), hed_add_scalar(noise, 1));
  return *y ? HED_OK : hed_error();
}
static hed_status times_five(void *state, int m, const hed_array *const *cotangent, int n, hed_array **gradient)
{
  (void)state, (void)m, (void)n;
  gradient[0] = hed_multiply_scalar(cotangent[0], 5);
  return HED_OK;
}
static void drop(void *state) { dropped += *(int *)state; }
static hed_status total(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
{
  (void)arg, (void)n, (void)m;
  *y = hed_sum(hed_square(x[0]), NULL);
  return *y ? HED_OK : hed_error();
}

/* Of two operands of which one comes of the other. */
static hed_status mixed(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
{
  (void)arg, (void)n, (void)m;
  *y = hed_multiply(hed_exp(hed_multiply(x[0], x[1])), hed_square(x[1]));
  return *y ? HED_OK : hed_error();
}

/* The third derivatives at 0.3 and 0.7 of what MIXED makes of x and sin x, with checkpoints and without. */
static void higher(bool kept)
{
  hed_array *p = hed_from_doubles((const double[]){ 0.3, 0.7 }, HED_SHAPE(2), HED_FLOAT64), *g = NULL;
  double want[2];
  const double at[2] = { 0.3, 0.7 };
  for (int k = 0; k < 2; k++) { /* of e^(x sin x) sin^2 x, by differences of the first one */
    double d[3];
    const double h = 1e-3;
    for (int i = 0; i < 3; i++) {
      const double x = at[k] + (i - 1) * h, s = sin(x), c = cos(x);
      d[i] = exp(x * s) * ((s + x * c) * s * s + 2 * s * c);
    }
    want[k] = (d[0] - 2 * d[1] + d[2]) / (h * h);
  }
  HED_RECORD HED_SCOPE {
    hed_array *x = hed_variable(p), *y = NULL;
    const hed_array *const in[2] = { x, hed_sin(x) };
    hed_status status = kept ? hed_checkpoint(mixed, NULL, NULL, 2, in, 1, &y) : mixed(NULL, 2, in, 1, &y);
    for (int order = 1; order <= 3 && status == HED_OK; order++) {
      hed_array *const before = g;
      status = hed_grad(hed_sum(y, NULL), 1, ONE(x), &g, &(hed_grad_options){ .record = order < 3 });
      hed_release(before);
      y = g;
    }
    double got[2] = { 0 };
    ok(status == HED_OK && hed_tolist(g, got, 2) == HED_OK && fabs(got[0] - want[0]) < 1e-4 * fabs(want[0]) &&
       fabs(got[1] - want[1]) < 1e-4 * fabs(want[1]), "third derivatives%s: %.9g %.9g, %.9g %.9g; %s", kept ? " of a checkpoint" : "",
       got[0], want[0], got[1], want[1], hed_error_text());
  }
  RELEASE(g, p);
}

typedef struct carried { hed_tape *tape; const hed_array *y, *x; hed_array *g; hed_status status; } carried;
static void *carry(void *arg)
{
  carried *c = arg;
  if ((c->status = hed_record_give(c->tape)) != HED_OK)
    return NULL;
  c->status = hed_grad(c->y, 1, ONE(c->x), &c->g, NULL);
  hed_tape_release(hed_record_take());
  return NULL;
}

static void functions(void)
{
  hed_array *p = hed_from_doubles((const double[]){ 1, 2 }, HED_SHAPE(2), HED_FLOAT64), *y = NULL, *g = NULL, *again = NULL;
  int one = 1;
  HED_RECORD HED_SCOPE {
    const hed_array *x = hed_variable(p), *w = hed_ones_like(p);
    hed_set_seed(7);
    ok(cube(NULL, 1, &x, 1, &y) == HED_OK && hed_vjp(1, ONE(y), &w, 1, &x, &g, NULL) == HED_OK, "as it is");
    hed_set_seed(7);
    called = 0;
    ok(hed_checkpoint(cube, &one, drop, 1, &x, 1, &y) == HED_OK && called == 1 && hed_array_is_recorded(y), "kept by its operands");
    ok(hed_vjp(1, ONE(y), &w, 1, &x, &again, NULL) == HED_OK && called == 2, "and run again: %s", hed_error_text());
    double a[2], b[2];
    hed_tolist(g, a, 2);
    hed_tolist(again, b, 2);
    ok(a[0] == b[0] && a[1] == b[1], "with the same draws: %g and %g, %g and %g", a[0], b[0], a[1], b[1]);
    RELEASE(g, again);
    ok(dropped == 0, "its argument is kept");
  }
  ok(dropped == 1, "as long as the recording");
  HED_RECORD HED_SCOPE {
    hed_array *x = hed_variable(p), *made = NULL, *ty = NULL;
    double first = 0;
    HED_UNRECORDED made = hed_exp(x);
    ok(hed_custom_vjp("by hand", times_five, &one, drop, 1, ONE(x), 1, &made) == HED_OK, "a derivative by hand");
    ok(hed_grad(hed_sum(hed_square(made), NULL), 1, ONE(x), &g, NULL) == HED_OK, "is used: %s", hed_error_text());
    hed_item(hed_index(g, 0, 0), &first);
    ok(fabs(first - 10 * exp(1)) < 1e-12, "as it is given: %g", first);
    hed_release(g);
    fails(hed_jvp(1, ONE(made), 1, ONE(x), ONE(hed_sum(x, NULL)), &ty), HED_E_SHAPE, "t[0] has shape ()", "another shape forwards");
    hed_custom_vjp("constant", times_five, &one, drop, 1, ONE(p), 1, (hed_array *const[]){ hed_exp(p) });
    ok(dropped == 2, "of a constant nothing is kept");
    fails(hed_custom_vjp("none", NULL, NULL, NULL, 0, NULL, 0, NULL), HED_E_INVAL, "run is NULL", "without a rule");
  }
  ok(dropped == 3, "and its state let go");
  fails(hed_custom_vjp("none", times_five, NULL, NULL, 0, NULL, 0, NULL), HED_E_INVAL, "nothing is recorded", "outside");
  ok(hed_value_and_grad(total, NULL, 1, ONE(p), &y, &g) == HED_OK, "value and gradient");
  values(g, 2, (const double[]){ 2, 4 }, "of a sum of squares");
  RELEASE(y, g);
  carried c = { .tape = NULL };
  hed_record_scope s;
  hed_record_begin(&s);
  hed_array *x = hed_variable(p), *square = hed_square(x);
  c = (carried){ .y = hed_sum(square, NULL), .x = x };
  c.tape = hed_record_take();
  ok(c.tape && !hed_array_is_recorded(x) && !hed_record_take(), "a recording is taken");
  fails(hed_record_give(NULL), HED_E_INVAL, "tape is NULL", "none to give");
  pthread_t t;
  pthread_create(&t, NULL, carry, &c);
  pthread_join(t, NULL);
  ok(c.status == HED_OK, "to another thread");
  values(c.g, 2, (const double[]){ 2, 4 }, "which takes the gradient");
  hed_release(c.g);
  hed_release((hed_array *)(uintptr_t)c.y);
  RELEASE(square, x, p);
}

static void *worker(void *arg)
{
  const hed_array *shared = arg;
  for (int k = 0; k < 50; k++) {
    hed_array *g = NULL;
    HED_RECORD HED_SCOPE {
      hed_array *x = hed_variable(shared);
      if (hed_grad(chain(x), 1, ONE(x), &g, NULL) != HED_OK || !g)
        fail("a worker's gradient: %s", hed_error_text());
    }
    hed_release(g);
  }
  return NULL;
}

/* Threads record apart on parameters that they share, and nothing stays. */
static void threads(void)
{
  hed_stats before = { .struct_size = sizeof before }, after = before;
  hed_array *shared = hed_linspace(-1, 1, 300, HED_FLOAT32);
  worker(shared);
  hed_stats_get(&before);
  pthread_t t[4];
  for (int k = 0; k < 4; k++)
    pthread_create(&t[k], NULL, worker, shared);
  for (int k = 0; k < 4; k++)
    pthread_join(t[k], NULL);
  hed_stats_get(&after);
  ok(before.arrays_live == after.arrays_live && before.bytes_live == after.bytes_live, "nothing is left of 200 recordings");
  hed_release(shared);
}

int main(void)
{
  conventions();
  others();
  blocks();
  errors();
  in_place();
  second();
  bits();
  functions();
  higher(false);
  higher(true);
  threads();
  done_testing();
  return done();
}
