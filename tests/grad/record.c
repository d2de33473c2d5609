// SPDX-License-Identifier: BSD-3-Clause
/* What a recording is: blocks, variables and constants, writes in place, what is kept, errors, conventions by value. */
#include "tap.h"
#include <heddle.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

typedef const hed_array *const list[];
#define ONE(x) (list){ (x) }

static hed_array *vector(int n, const double *values) { return hed_from_host(values, HED_SHAPE(n), HED_FLOAT64); }

static bool fails(hed_status got, hed_status want, const char *words, const char *what)
{
  const bool good = got == want && strstr(hed_error_text(), words);
  ok(good, "%s: %s", what, hed_error_text());
  if (!good)
    diag("status %d, not %d, or no \"%s\"", got, want, words);
  hed_error_clear();
  return good;
}

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
    hed_release(g);
    hed_release(h);
    hed_release(third);
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
  blocks();
  errors();
  in_place();
  second();
  bits();
  threads();
  done_testing();
  return done();
}
