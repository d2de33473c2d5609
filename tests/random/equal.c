// SPDX-License-Identifier: BSD-3-Clause
/* Random arrays are the same bits on every backend, for any number of threads and any layout; what each call takes from
 * its state; what is refused.
 */
#include "api.h"
#include <math.h>
#include <stdio.h>

enum { KINDS = 35, M = 5003 }; /* an odd size above one chunk of threads */

static const char *const kind_name[KINDS] = {
  "bits", "uniform", "normal", "complex_normal", "integers", "bernoulli", "bipolar", "exponential", "laplace", "logistic",
  "gumbel", "cauchy", "truncated_normal", "phasor", "phasor_diagonal", "gamma", "beta", "chi_squared", "standard_t",
  "poisson", "binomial", "dirichlet", "categorical", "choice", "choice of weights", "choice without replacement",
  "weighted choice without replacement", "permutation", "shuffle", "haar", "complex haar", "glorot_uniform",
  "glorot_normal", "he_uniform", "he_normal",
};

/* One array of every operation from OPT; T a real float. */
static hed_array *make(int kind, hed_dtype t, const hed_random *opt)
{
  hed_shape s = HED_SHAPE(M), two = HED_SHAPE(41, 7), square = HED_SHAPE(3, 13, 13), size = HED_SHAPE(613, 7);
  hed_dtype c = t == HED_FLOAT64 ? HED_COMPLEX128 : HED_COMPLEX64;
  hed_array *out = NULL;
  HED_SCOPE
  {
    hed_array *ramp = hed_divide_scalar(hed_add_scalar(hed_arange(0, 7, 1, HED_FLOAT64), 0.5), 3); /* 1/6 .. 13/6 */
    hed_array *flip = hed_flip(ramp, NULL), *column = hed_arange(1, 614, 1, HED_INT32);
    column = hed_reshape(column, HED_SHAPE(613, 1));
    switch (kind) {
    case 0: out = hed_random_bits(s, HED_UINT64, opt); break;
    case 1: out = hed_random_uniform(s, t, opt); break;
    case 2: out = hed_random_normal(s, t, opt); break;
    case 3: out = hed_random_complex_normal(s, c, opt); break;
    case 4: out = hed_random_integers(s, -5, 90, HED_INT16, opt); break;
    case 5: out = hed_random_bernoulli(s, 0.4, HED_BOOL, opt); break;
    case 6: out = hed_random_bipolar(s, 0.4, t, opt); break;
    case 7: out = hed_random_exponential(s, 2, t, opt); break;
    case 8: out = hed_random_laplace(s, 1, 2, t, opt); break;
    case 9: out = hed_random_logistic(s, 1, 2, t, opt); break;
    case 10: out = hed_random_gumbel(s, 1, 2, t, opt); break;
    case 11: out = hed_random_cauchy(s, 1, 2, t, opt); break;
    case 12: out = hed_random_truncated_normal(s, -1, 3, t, opt); break;
    case 13: out = hed_random_phasor(s, c, opt); break;
    case 14: out = hed_random_phasor_diagonal(two, c, opt); break;
    case 15: out = hed_random_gamma(ramp, column, &size, t, opt); break;
    case 16: out = hed_random_beta(ramp, flip, &size, t, opt); break;
    case 17: out = hed_random_chi_squared(flip, &size, t, opt); break;
    case 18: out = hed_random_standard_t(column, &size, t, opt); break;
    case 19: out = hed_random_poisson(column, &size, HED_INT32, opt); break;
    case 20: out = hed_random_binomial(column, hed_divide_scalar(ramp, 3), &size, HED_INT32, opt); break;
    case 21: out = hed_random_dirichlet(flip, &size, t, opt); break;
    case 22: out = hed_random_categorical(hed_multiply(flip, column), 9, HED_INT64, opt); break;
    case 23: out = hed_random_choice(40, two, NULL, true, opt); break;
    case 24: out = hed_random_choice(7, two, flip, true, opt); break;
    case 25: out = hed_random_choice(M, HED_SHAPE(50, 9), NULL, false, opt); break;
    case 26: out = hed_random_choice(7, HED_SHAPE(5), flip, false, opt); break;
    case 27: out = hed_random_permutation(M, opt); break;
    case 28: out = hed_random_shuffle(hed_multiply(flip, column), 0, opt); break;
    case 29: out = hed_random_haar(square, t, opt); break;
    case 30: out = hed_random_haar(square, c, opt); break;
    case 31: out = hed_random_glorot_uniform(two, t, opt); break;
    case 32: out = hed_random_glorot_normal(square, t, opt); break;
    case 33: out = hed_random_he_uniform(s, t, opt); break;
    default: out = hed_random_he_normal(two, t, opt);
    }
    hed_keep(out);
  }
  return out;
}

static void *bytes_of(hed_array *x, size_t *n)
{
  *n = x ? hed_array_nbytes(x) : 0;
  void *p = malloc(*n + 1);
  if (!x || hed_to_host(x, p, *n) != HED_OK) {
    free(p);
    p = NULL;
  }
  hed_release(x);
  return p;
}

static void equal(void)
{
  static const char *const specs[] = { "cpu;threads=1", "cpu;threads=3", "cpu;threads=8", "reference;threads=8" };
  bool cpu = hed_backend_require("cpu") == HED_OK;
  hed_error_clear();
  for (int kind = 0; kind < KINDS; kind++)
    for (int t = 0; t < 2; t++) {
      hed_random seed = { .seed = 77 + (uint64_t)kind, .seeded = true };
      hed_dtype dtype = t ? HED_FLOAT32 : HED_FLOAT64;
      size_t want_n = 0, n = 0;
      void *want = NULL;
      HED_BACKEND_CONTEXT("reference")
        want = bytes_of(make(kind, dtype, &seed), &want_n);
      if (!ok(want != NULL, "%s: %s", kind_name[kind], want ? hed_dtype_name(dtype) : hed_error_text()))
        continue;
      for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        void *got = NULL;
        if (!cpu && k < 3)
          continue;
        HED_BACKEND_CONTEXT(specs[k])
          got = bytes_of(make(kind, dtype, &seed), &n);
        ok(got && n == want_n && memcmp(got, want, n) == 0, "%s: the same bits on %s", kind_name[kind], specs[k]);
        free(got);
      }
      free(want);
    }
}

/* Results beyond what the caches hold, of an odd size. */
static void large(void)
{
  bool cpu = hed_backend_require("cpu") == HED_OK;
  hed_error_clear();
  hed_random opt = { .seed = 5, .seeded = true, .low = 2, .high = 5 };
  size_t want_n = 0, n = 0;
  void *want = NULL, *got = NULL;
  HED_BACKEND_CONTEXT("reference")
    want = bytes_of(hed_random_uniform(HED_SHAPE((8 << 20) + 77), HED_FLOAT32, &opt), &want_n);
  for (int threads = 1; cpu && threads < 4; threads += 2) {
    HED_BACKEND_CONTEXT(threads == 1 ? "cpu;threads=1" : "cpu;threads=3")
      got = bytes_of(hed_random_uniform(HED_SHAPE((8 << 20) + 77), HED_FLOAT32, &opt), &n);
    ok(want && got && n == want_n && memcmp(got, want, n) == 0, "a large array: the same bits with %d threads", threads);
    free(got);
  }
  free(want);
}

/* A draw into a view is the same draw: elements count in the view's own order. */
static void views(const char *backend)
{
  diag("views on %s", backend);
  hed_dtype types[] = { HED_FLOAT64, HED_FLOAT32, HED_FLOAT16 };
  for (int t = 0; t < 3; t++)
    for (int normal = 0; normal < 2; normal++) {
      HED_SCOPE
      {
        hed_random seed = { .seed = 3, .seeded = true };
        hed_array *whole = hed_full(HED_SHAPE(33, 71), 7, types[t]);
        hed_array *view = hed_slice(whole, 2, (hed_slice_range[]){ { 31, HED_SLICE_BEGIN, -2 }, { 1, 70, 3 } });
        hed_array *turned = hed_transpose(view, NULL);
        hed_shape s = hed_array_shape(turned);
        hed_array *want = normal ? hed_random_normal(s, types[t], &seed) : hed_random_uniform(s, types[t], &seed);
        is_int(normal ? hed_random_normal_into(turned, &seed) : hed_random_uniform_into(turned, &seed), HED_OK, "into a view");
        hed_array *same = hed_all(hed_equal(turned, want), NULL), *rest = hed_count_nonzero(hed_equal_scalar(whole, 7), NULL);
        int64_t yes = 0, left = 0;
        hed_item_int(same, &yes);
        hed_item_int(rest, &left);
        ok(yes == 1, "%s: the same elements", hed_dtype_name(types[t]));
        is_int(left, 33 * 71 - s.dim[0] * s.dim[1], "and no others are touched");
      }
    }
  hed_array *x = hed_zeros(HED_SHAPE(3), HED_FLOAT32), *wide = hed_broadcast_to(x, HED_SHAPE(2, 3));
  hed_array *whole = hed_zeros(HED_SHAPE(3), HED_INT8);
  API_FAIL(hed_random_normal_into(wide, NULL), HED_E_INVAL, "out repeats its elements along axis 0");
  API_FAIL(hed_random_normal_into(whole, NULL), HED_E_DTYPE, "random_normal: out has dtype int8");
  API_FAIL(hed_random_uniform_into(x, &(hed_random){ .low = 2, .high = 1 }), HED_E_INVAL, "low 2 and high 1");
  API_FAIL(hed_random_uniform_into(NULL, NULL), HED_E_INVAL, "argument out is NULL");
  RELEASE(x, wide, whole);
}

static bool alike(hed_array *a, hed_array *b)
{
  size_t n = 0, m = 0;
  void *p = bytes_of(a, &n), *q = bytes_of(b, &m);
  bool same = p && q && n == m && memcmp(p, q, n) == 0;
  free(p);
  free(q);
  return same;
}

/* An element's value depends on its own parameters, however many others have the same ones. */
static void parameters(const char *backend)
{
  static const double first[] = { 0.3, 0.99, 1, 2.5, 9.5, 10, 20, 99, 600, 2600, 40000, 3e9 };
  static const double second[] = { 0.5, 0.02, 0.3, 0.97, 1 };
  diag("parameters on %s", backend);
  for (int i = 0; i < 12; i++)
    for (int op = 0; op < 6; op++) {
      HED_SCOPE
      {
        const double a = op == 5 ? ceil(first[i]) : first[i], b = second[(i + op) % 5];
        const hed_shape s = HED_SHAPE(i % 3 == 0 ? 1337 : i % 3 == 1 ? 64 : 4096);
        const hed_random seed = { .seed = 9 + (uint64_t)i, .seeded = true };
        hed_array *x[2] = { hed_scalar(a), hed_full(s, a, HED_FLOAT64) }, *y[2] = { hed_scalar(b), hed_full(s, b, HED_FLOAT64) };
        hed_array *z[2];
        for (int k = 0; k < 2; k++)
          z[k] = op == 0 ? hed_random_gamma(x[k], y[k], &s, HED_FLOAT64, &seed)
                 : op == 1 ? hed_random_beta(x[k], y[k], &s, HED_FLOAT64, &seed)
                 : op == 2 ? hed_random_chi_squared(x[k], &s, HED_FLOAT64, &seed)
                 : op == 3 ? hed_random_standard_t(x[k], &s, HED_FLOAT64, &seed)
                 : op == 4 ? hed_random_poisson(x[k], &s, HED_FLOAT64, &seed)
                           : hed_random_binomial(x[k], y[k], &s, HED_FLOAT64, &seed);
        hed_retain(z[0]);
        hed_retain(z[1]);
        ok(alike(z[0], z[1]), "operation %d of %g and %g: once or for each element", op, a, b);
      }
    }
}

/* Categories are the first of which the sum of weights is above the uniform number times the total. */
static void categories(const char *backend)
{
  diag("categories on %s", backend);
  for (int64_t k = 1; k < 400; k = k * 3 / 2 + 1) {
    enum { N = 1003 };
    double u[N], w[400], sum[400], total = 0;
    int64_t got[N], wrong = 0;
    const hed_random seed = { .seed = (uint64_t)k, .seeded = true };
    HED_SCOPE
    {
      for (int64_t j = 0; j < k; j++) {
        w[j] = j % 3 == 2 || (j == k - 1 && k > 1) ? 0 : (double)((j * 7) % 11 + 1);
        sum[j] = total += w[j];
      }
      hed_array *weights = hed_from_host(w, HED_SHAPE(k), HED_FLOAT64);
      hed_array *chosen = hed_random_choice(k, HED_SHAPE(N), weights, true, &seed);
      hed_array *uniform = hed_random_uniform(HED_SHAPE(N), HED_FLOAT64, &seed);
      is_int(chosen ? hed_to_host(chosen, got, sizeof got) : HED_E_INVAL, HED_OK, "%lld categories", (long long)k);
      is_int(hed_to_host(uniform, u, sizeof u), HED_OK, "the numbers that they come from");
    }
    for (int i = 0; i < N; i++) {
      int64_t j = 0;
      while (j < k - 1 && !(sum[j] > u[i] * total))
        j++;
      wrong += got[i] != j;
    }
    is_int(wrong, 0, "%lld categories: none but the first whose sum is above", (long long)k);
  }
}

/* Each operation takes exactly one draw, of the stream and of a generator alike; elements of no size too. */
static void advance(const char *backend)
{
  diag("draws on %s", backend);
  for (int kind = 0; kind < KINDS; kind++) {
    hed_generator g = { 5, 0 }, now = { 0, 0 }, before;
    hed_random from_g = { .generator = &g }, seeded = { .seed = 5, .seeded = true };
    HED_BACKEND_CONTEXT(";seed=5")
    {
      hed_array *a = make(kind, HED_FLOAT32, NULL), *b = make(kind, HED_FLOAT32, &from_g);
      hed_get_seed(&now);
      hed_array *c = make(kind, HED_FLOAT32, &seeded);
      hed_retain(a);
      ok(now.key == 5 && now.draw == 1 && g.draw == 1, "%s takes one draw", kind_name[kind]);
      ok(alike(a, b) && alike(a, c), "%s: draw 0 of a key, of whatever it is taken", kind_name[kind]);
      hed_get_seed(&before);
      ok(before.draw == 1, "%s: a seed leaves the stream alone", kind_name[kind]);
    }
  }
  HED_BACKEND_CONTEXT(";seed=5")
  {
    hed_generator now;
    hed_release(hed_random_normal(HED_SHAPE(0), HED_FLOAT32, NULL));
    hed_release(hed_random_permutation(0, NULL));
    hed_release(hed_random_haar(HED_SHAPE(0, 3, 3), HED_FLOAT32, NULL));
    hed_get_seed(&now);
    is_uint(now.draw, 3, "empty arrays take draws too");
    API_NULL(hed_random_exponential(HED_SHAPE(3), -1, HED_FLOAT32, NULL), HED_E_INVAL, "scale is -1");
    hed_get_seed(&now);
    is_uint(now.draw, 3, "refused calls take none");
  }
}

static void refused(const char *backend)
{
  diag("errors on %s", backend);
  hed_shape s = HED_SHAPE(4), square = HED_SHAPE(3, 2);
  hed_generator g = { 9, 0 };
  hed_random both = { .seed = 4, .seeded = true, .generator = &g };
  hed_array *one = hed_scalar(1), *minus = hed_scalar(-1), *three = API_VECTOR(HED_FLOAT64, 1, 2, -3);
  hed_array *whole = hed_scalar_complex(1, 1), *nothing = hed_zeros(HED_SHAPE(2, 0), HED_FLOAT32);
  hed_array *off = API_VECTOR(HED_FLOAT32, -INFINITY, -INFINITY), *two = API_VECTOR(HED_FLOAT64, 0, 1);
  API_NULL(hed_random_normal(s, HED_FLOAT32, &both), HED_E_INVAL, "both a seed (4) and a generator (of key 9)");
  API_NULL(hed_random_bernoulli(s, 1.5, HED_BOOL, NULL), HED_E_INVAL, "random_bernoulli: p is 1.5, not in [0, 1]");
  API_NULL(hed_random_bipolar(s, NAN, HED_INT8, NULL), HED_E_INVAL, "random_bipolar: p is");
  API_NULL(hed_random_bipolar(s, 0.5, HED_UINT8, NULL), HED_E_DTYPE, "dtype uint8, which has no -1");
  API_NULL(hed_random_laplace(s, INFINITY, 1, HED_FLOAT32, NULL), HED_E_INVAL, "random_laplace: location is inf, not finite");
  API_NULL(hed_random_gumbel(s, 0, 0, HED_FLOAT32, NULL), HED_E_INVAL, "random_gumbel: scale is 0, not finite and above 0");
  API_NULL(hed_random_cauchy(s, 0, 1, HED_INT32, NULL), HED_E_DTYPE, "random_cauchy: the result has dtype int32");
  API_NULL(hed_random_phasor(s, HED_FLOAT32, NULL), HED_E_DTYPE, "random_phasor: the result has dtype float32");
  API_NULL(hed_random_phasor_diagonal(HED_SHAPE0, HED_COMPLEX64, NULL), HED_E_SHAPE, "shape has 0 axes");
  API_NULL(hed_random_complex_normal(s, HED_COMPLEX64, &(hed_random){ .mean = 1 }), HED_E_INVAL, "mean 1 must be 0");
  API_NULL(hed_random_truncated_normal(s, 2, 1, HED_FLOAT32, NULL), HED_E_INVAL, "low 2 is not below high 1");
  API_NULL(hed_random_truncated_normal(s, 0, 1, HED_FLOAT32, &(hed_random){ .std = -2 }), HED_E_INVAL, "std -2");
  API_NULL(hed_random_truncated_normal(s, 1e9, INFINITY, HED_FLOAT32, NULL), HED_E_INVAL, "too far from mean 0");
  API_NULL(hed_random_gamma(minus, one, &s, HED_FLOAT32, NULL), HED_E_INVAL,
           "element 0 has parameters -1 and 1; shape must be finite");
  API_NULL(hed_random_gamma(one, three, NULL, HED_FLOAT32, NULL), HED_E_INVAL, "element 2 has parameters 1 and -3; scale");
  API_NULL(hed_random_gamma(one, whole, NULL, HED_FLOAT32, NULL), HED_E_DTYPE, "random_gamma: theta has dtype complex");
  API_NULL(hed_random_gamma(three, two, NULL, HED_FLOAT32, NULL), HED_E_SHAPE,
           "shapes (3,) of k and (2,) of theta do not broadcast");
  API_NULL(hed_random_gamma(three, one, &s, HED_FLOAT32, NULL), HED_E_SHAPE, "k of shape (3,) does not broadcast to size (4,)");
  API_NULL(hed_random_gamma(NULL, one, &s, HED_FLOAT32, NULL), HED_E_INVAL, "argument k is NULL");
  API_NULL(hed_random_beta(one, minus, &s, HED_FLOAT32, NULL), HED_E_INVAL, "b must be finite and above 0");
  API_NULL(hed_random_chi_squared(minus, &s, HED_FLOAT32, NULL), HED_E_INVAL, "df must be finite and above 0");
  API_NULL(hed_random_standard_t(minus, &s, HED_FLOAT32, NULL), HED_E_INVAL, "df must be finite and above 0");
  API_NULL(hed_random_poisson(minus, &s, HED_INT32, NULL), HED_E_INVAL, "mean must be in [0, 1e15]");
  hed_array *half = hed_scalar(0.5);
  API_NULL(hed_random_binomial(half, one, &s, HED_INT32, NULL), HED_E_INVAL, "n must be an integer");
  API_NULL(hed_random_binomial(one, minus, &s, HED_INT32, NULL), HED_E_INVAL, "p must be in [0, 1]");
  API_NULL(hed_random_dirichlet(three, NULL, HED_FLOAT32, NULL), HED_E_INVAL, "random_dirichlet: row 0 is not usable");
  API_NULL(hed_random_dirichlet(three, &s, HED_FLOAT32, NULL), HED_E_SHAPE, "size must end with 3");
  API_NULL(hed_random_categorical(nothing, 2, HED_INT32, NULL), HED_E_SHAPE, "logits has shape (2, 0), no values");
  API_NULL(hed_random_categorical(off, 2, HED_INT32, NULL), HED_E_INVAL, "random_categorical: row 0 is not usable");
  API_NULL(hed_random_categorical(two, -1, HED_INT32, NULL), HED_E_INVAL, "n is -1");
  API_NULL(hed_random_choice(3, s, NULL, false, NULL), HED_E_INVAL, "4 indices of 3 without replacement");
  API_NULL(hed_random_choice(3, s, two, true, NULL), HED_E_SHAPE, "weights has shape (2,), not (3,)");
  API_NULL(hed_random_choice(3, s, three, true, NULL), HED_E_INVAL, "a weight is negative");
  API_NULL(hed_random_choice(2, HED_SHAPE(2), two, false, NULL), HED_E_INVAL, "1 weights are above 0, 2 indices are wanted");
  API_NULL(hed_random_permutation(-1, NULL), HED_E_INVAL, "random_permutation: n is -1");
  API_NULL(hed_random_shuffle(one, 0, NULL), HED_E_AXIS, "random_shuffle: axis 0 is out of range");
  API_NULL(hed_random_haar(square, HED_FLOAT32, NULL), HED_E_SHAPE, "shape (3, 2) does not end with two equal extents");
  API_NULL(hed_random_he_normal(HED_SHAPE0, HED_FLOAT32, NULL), HED_E_SHAPE, "random_he_normal: shape has 0 axes");
  API_FAIL(hed_get_seed(NULL), HED_E_INVAL, "get_seed: out is NULL");
  API_FAIL(hed_check_random_state(NULL, NULL), HED_E_INVAL, "check_random_state: out is NULL");
  API_FAIL(hed_check_random_state(&both, &g), HED_E_INVAL, "both a seed (4)");
  API_FAIL(hed_generator_split(NULL, 2, &g), HED_E_INVAL, "the generator is NULL");
  API_FAIL(hed_generator_split(&g, -2, &g), HED_E_INVAL, "-2 children");
  RELEASE(one, minus, half, three, whole, nothing, off, two);
}

int main(void)
{
  equal();
  large();
  api_each_backend(views);
  api_each_backend(parameters);
  api_each_backend(categories);
  api_each_backend(advance);
  api_each_backend(refused);
  return done();
}
