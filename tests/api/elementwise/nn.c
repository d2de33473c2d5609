// SPDX-License-Identifier: BSD-3-Clause
/* Activations, losses, normalisation, similarity and waves: closed forms, identities, extreme values, errors. */
#include "api.h"

#include <math.h>

#define PI 3.14159265358979323846
static const double inf = (double)INFINITY, nan_ = (double)NAN;

static double item(hed_array *x, const char *what)
{
  double v = nan_;
  is_int(x ? hed_item(x, &v) : hed_error(), HED_OK, "%s", what);
  hed_release(x);
  return v;
}
#define ITEM(call) item(call, #call)
#define SAME(call, t, ...) \
  api_is(call, HED_SHAPE((int64_t)(sizeof API_LIST(__VA_ARGS__) / sizeof(double))), t, API_LIST(__VA_ARGS__), #call)

static void softmax(void)
{
  hed_array *x = API_VECTOR(HED_FLOAT64, 1000, 1001, -inf), *zero = hed_zeros(HED_SHAPE(2, 4), HED_FLOAT32);
  double got[3];
  hed_array *y = hed_softmax(x, -1);
  hed_to_host(y, got, sizeof got);
  is_near(got[0], 1 / (1 + exp(1)), 1e-15, 0, "softmax is not disturbed by large numbers");
  is_near(got[0] + got[1], 1, 1e-15, 0, "sums to 1");
  ok(got[2] == 0, "-infinity has no weight");
  y = hed_log_softmax(x, 0);
  hed_to_host(y, got, sizeof got);
  is_near(got[1], -log1p(exp(-1)), 1e-14, 0, "log_softmax");
  ok(got[2] == -inf, "and -infinity there");
  api_is(hed_softmax(zero, 1), HED_SHAPE(2, 4), HED_FLOAT32, API_LIST(.25, .25, .25, .25, .25, .25, .25, .25), "uniform");
  x = API_VECTOR(HED_FLOAT64, -inf, -inf);
  SAME(hed_softmax(x, 0), HED_FLOAT64, nan_, nan_);
  x = API_VECTOR(HED_FLOAT64, 0, inf);
  SAME(hed_softmax(x, 0), HED_FLOAT64, nan_, nan_);
  API_NULL(hed_softmax(x, 1), HED_E_AXIS, "axis 1 is out of range");
  api_is(hed_softmax(hed_zeros(HED_SHAPE(0), HED_FLOAT32), 0), HED_SHAPE(0), HED_FLOAT32, API_LIST(0), "nothing");
  x = API_VECTOR(HED_FLOAT64, 8, 8, 8);
  double e[3] = { 8, 8 * exp(-0.5), 8 * exp(-1) };
  api_is(hed_exponential_decay(x, 0.5, NULL), HED_SHAPE(3), HED_FLOAT64, e, "exponential_decay by the index");
  is_near(ITEM(hed_gaussian(hed_full(HED_SHAPE0, 3, HED_FLOAT64), 1, 2)), exp(-0.5) / (2 * sqrt(2 * PI)), 1e-15, 0,
          "gaussian");
}

static void losses(void)
{
  hed_array *p = API_VECTOR(HED_FLOAT64, 0.5, 2, -3, 0), *y = API_VECTOR(HED_FLOAT64, 0, 2, 0, 0.25);
  const hed_loss none = { .reduction = HED_REDUCTION_NONE }, sum = { .reduction = HED_REDUCTION_SUM };
  SAME(hed_mse(p, y, &none), HED_FLOAT64, 0.25, 0, 9, 0.0625);
  is_near(ITEM(hed_mse(p, y, NULL)), 9.3125 / 4, 1e-15, 0, "mean");
  is_near(ITEM(hed_mean_absolute_error(p, y, &sum)), 3.75, 1e-15, 0, "sum");
  SAME(hed_huber_loss(p, y, &none), HED_FLOAT64, 0.125, 0, 2.5, 0.03125);
  is_near(ITEM(hed_huber_loss(p, y, &(hed_loss){ .reduction = HED_REDUCTION_SUM, .delta = 2 })),
          0.125 + 4 + 0.03125, 1e-15, 0, "huber_loss with delta 2");
  hed_array *far = API_VECTOR(HED_FLOAT64, 800, -800, 1e-3, 0), *zero = hed_zeros(HED_SHAPE(4), HED_FLOAT64);
  double got[4];
  hed_to_host(hed_log_cosh_loss(far, zero, &none), got, sizeof got);
  is_near(got[0], 800 - log(2), 1e-15, 0, "ln cosh of 800");
  is_near(got[1], got[0], 0, 0, "is even");
  is_near(got[2], 4.9999991666668889e-7, 1e-15, 0, "and e^2 / 2 - e^4 / 12 + ... where e is small");

  hed_array *q = API_VECTOR(HED_FLOAT64, 0, 1, 0.25, 0.5), *t = API_VECTOR(HED_FLOAT64, 0, 0, 1, 0.5);
  hed_to_host(hed_binary_crossentropy(q, t, &none), got, sizeof got);
  is_near(got[0], 1e-7, 1e-6, 0, "p is clipped");
  is_near(got[1], -log(1e-7), 1e-7, 0, "at both ends");
  is_near(got[2], log(4), 1e-15, 0, "-ln p");
  is_near(got[3], log(2), 1e-15, 0, "entropy of a coin");
  const hed_loss logits = { .reduction = HED_REDUCTION_NONE, .from_logits = true };
  hed_to_host(hed_binary_crossentropy(far, zero, &logits), got, sizeof got);
  ok(got[0] == 800 && got[1] == 0, "logits are not clipped");
  is_near(got[3], log(2), 1e-15, 0, "logit 0");

  const double rows[6] = { 0.5, 0.25, 0.25, 0, 0, 1 }, hot[6] = { 1, 0, 0, 1, 0, 0 };
  hed_array *c = hed_from_host(rows, HED_SHAPE(2, 3), HED_FLOAT64), *h = hed_from_host(hot, HED_SHAPE(2, 3), HED_FLOAT64);
  hed_array *labels = hed_zeros(HED_SHAPE(2), HED_INT32);
  double a[2], b[2];
  hed_to_host(hed_categorical_crossentropy(c, h, &none), a, sizeof a);
  hed_to_host(hed_sparse_categorical_crossentropy(c, labels, &none), b, sizeof b);
  is_near(a[0], log(2), 1e-15, 0, "categorical");
  is_near(a[1], -log(1e-7), 1e-15, 0, "clipped");
  ok(a[0] == b[0] && a[1] == b[1], "labels say the same as rows of one");
  is_near(ITEM(hed_categorical_crossentropy(c, h, NULL)), (a[0] + a[1]) / 2, 1e-15, 0, "the mean is over the batch");
  hed_array *z = hed_multiply_scalar(c, 4000);
  hed_to_host(hed_sparse_categorical_crossentropy(z, labels, &logits), b, sizeof b);
  ok(fabs(b[0]) < 1e-300 && b[1] == 4000, "large logits");
  is_near(ITEM(hed_mse(hed_astype(p, HED_FLOAT16), hed_astype(y, HED_FLOAT16), NULL)), 9.3125 / 4, 1e-3, 0, "float16");

  API_NULL(hed_mse(p, h, NULL), HED_E_SHAPE, "mse: shapes (4,) of prediction and (2, 3) of target");
  API_NULL(hed_mse(p, NULL, NULL), HED_E_INVAL, "target");
  API_NULL(hed_mse(p, y, &(hed_loss){ .reduction = 7 }), HED_E_INVAL, "reduction 7");
  API_NULL(hed_huber_loss(p, y, &(hed_loss){ .delta = -1 }), HED_E_INVAL, "delta is -1");
  API_NULL(hed_sparse_categorical_crossentropy(c, hed_full(HED_SHAPE(2), 3, HED_INT32), NULL), HED_E_INVAL,
           "label 3 is not below the number of classes 3");
  API_NULL(hed_sparse_categorical_crossentropy(c, hed_ones(HED_SHAPE(3), HED_INT32), NULL), HED_E_SHAPE, "labels have shape");
  API_NULL(hed_sparse_categorical_crossentropy(c, hed_ones(HED_SHAPE(2), HED_FLOAT32), NULL), HED_E_DTYPE, "labels");
  API_NULL(hed_categorical_crossentropy(hed_scalar(1), hed_scalar(1), NULL), HED_E_SHAPE, "no axes");
}

static void vectors(void)
{
  const double v[6] = { 3, 4, 0, 0, -6, 8 };
  hed_array *x = hed_from_host(v, HED_SHAPE(3, 2), HED_FLOAT64), *e = API_VECTOR(HED_FLOAT64, 1, 0);
  api_is(hed_normalize_vector(x, &HED_AXES(1)), HED_SHAPE(3, 2), HED_FLOAT64, API_LIST(0.6, 0.8, 0, 0, -0.6, 0.8),
         "normalize_vector: a vector of norm 0 stays 0");
  api_is(hed_normalize(x, &(hed_normalize_options){ .axes = HED_AXES(1), .eps = 5 }), HED_SHAPE(3, 2), HED_FLOAT64,
         API_LIST(0.3, 0.4, 0, 0, -0.4, 8.0 / 15), "normalize adds eps to the norm");
  api_is(hed_normalize(x, &(hed_normalize_options){ .axes = HED_AXES(1), .ord = inf, .eps = 4 }), HED_SHAPE(3, 2),
         HED_FLOAT64, API_LIST(0.375, 0.5, 0, 0, -0.5, 8.0 / 12), "by the largest");
  is_near(ITEM(hed_normalize(hed_full(HED_SHAPE0, 2, HED_FLOAT64), &(hed_normalize_options){ .ord = 3 })), 1, 1e-11, 0,
          "by another order");
  SAME(hed_cosine_similarity(x, e, 1), HED_FLOAT64, 0.6, 0, -0.6);
  is_near(ITEM(hed_cosine_similarity(e, e, 0)), 1, 0, 0, "with itself");
  hed_array *big = hed_multiply_scalar(e, 1e150), *tiny = hed_multiply_scalar(e, 1e-150);
  is_near(ITEM(hed_cosine_similarity(big, tiny, 0)), 1, 1e-15, 0, "large and small");
  const double ci[4] = { 0, 1, 0, 0 }, cr[4] = { 1, 0, 0, 0 };
  is_near(ITEM(hed_cosine_similarity(hed_from_host(ci, HED_SHAPE(2), HED_COMPLEX128),
                                     hed_from_host(cr, HED_SHAPE(2), HED_COMPLEX128), 0)), 0, 0, 0,
          "complex: the real part of the product with the conjugate");
  SAME(hed_euclidean_distance(x, e, &(hed_reduce){ .axes = HED_AXES(1) }), HED_FLOAT64, sqrt(20), 1, sqrt(113));
  SAME(hed_hamming_distance(x, hed_zeros_like(x), &(hed_reduce){ .axes = HED_AXES(1) }), HED_INT64, 2, 0, 2);
  API_NULL(hed_cosine_similarity(x, hed_ones(HED_SHAPE(3), HED_FLOAT64), 0), HED_E_SHAPE, "cosine_similarity: shapes");
  API_NULL(hed_normalize(x, &(hed_normalize_options){ .ord = -1 }), HED_E_INVAL, "ord -1");
  API_NULL(hed_normalize_vector(x, &HED_AXES(5)), HED_E_AXIS, "axis 5");
}

static void waves(void)
{
  hed_array *k = hed_arange(0, 32, 1, HED_FLOAT64), *impulse = hed_astype(hed_equal_scalar(k, 3), HED_FLOAT64);
  hed_array *x = hed_add(hed_sin(k), impulse);
  is_near(ITEM(hed_compute_interference_strength(x, x)), 1, 1e-14, 0, "a wave with itself");
  is_near(ITEM(hed_compute_phase_coherence(x, x, 0, 0)), 1, 1e-14, 0, "is coherent");
  is_near(ITEM(hed_compute_phase_coherence(x, x, 0.1, 0.2)), 1, 1e-14, 0, "in a band too");
  is_near(ITEM(hed_compute_phase_coherence(x, x, 0.7, 0.9)), 0, 0, 0, "a band without frequencies");
  /* a shifted impulse has every phase: the mean vanishes */
  hed_array *other = hed_roll(impulse, &HED_AXES(1), NULL);
  is_near(ITEM(hed_compute_phase_coherence(impulse, other, 0, 0)), 0, 0, 1e-13, "a shifted impulse");
  is_near(ITEM(hed_compute_interference_strength(hed_ones(HED_SHAPE(4), HED_FLOAT32), hed_ones(HED_SHAPE(4), HED_FLOAT32))),
          0, 0, 0, "constant waves");
  hed_array *p = hed_partial_interference(x, x, 8);
  hed_shape s = hed_array_shape(p);
  ok(s.ndim == 1 && s.dim[0] == 25, "one value per window");
  double got[25] = { 0 };
  hed_to_host(p, got, sizeof got);
  is_near(got[24], 1, 1e-13, 0, "each is that of its window");
  hed_array *y = hed_cos(hed_square(k)), *wx = hed_slice(x, 1, &HED_RANGE(5, 13, 1)), *wy = hed_slice(y, 1, &HED_RANGE(5, 13, 1));
  hed_to_host(hed_partial_interference(x, y, 8), got, sizeof got);
  is_near(got[5], ITEM(hed_compute_interference_strength(wx, wy)), 1e-13, 0, "of the sixth window");
  API_NULL(hed_partial_interference(x, x, 33), HED_E_SHAPE, "32 elements, 33 are needed");
  API_NULL(hed_partial_interference(x, x, 0), HED_E_INVAL, "window is 0");
  API_NULL(hed_compute_phase_coherence(x, x, 0.5, 0.25), HED_E_INVAL, "from 0.5 to 0.25");

  hed_array *e = API_VECTOR(HED_FLOAT64, 1, 0, 0, 2, 3, 0, 9);
  /* energies 1, 4, 9: mean 14/3, variance 98/3 - 196/9 = 98/9 */
  is_near(ITEM(hed_compute_energy_stability(e, 2)), 1 / (1 + (98.0 / 9) / (14.0 / 3)), 1e-15, 0, "energy stability");
  is_near(ITEM(hed_compute_energy_stability(e, 5)), 1, 0, 0, "too short for two windows");
  is_near(ITEM(hed_compute_energy_stability(hed_zeros(HED_SHAPE(9), HED_FLOAT32), 3)), 1, 0, 0, "no energy");
  API_NULL(hed_compute_energy_stability(e, 0), HED_E_INVAL, "window is 0");

  hed_array *a = API_VECTOR(HED_UINT8, 12, 200, 1), *b = API_VECTOR(HED_UINT8, 10, 100, 1);
  const hed_array *const two[2] = { a, b };
  SAME(hed_binary_wave_interference(2, two, HED_WAVE_XOR), HED_UINT8, 6, 172, 0);
  SAME(hed_binary_wave_interference(2, two, HED_WAVE_AND), HED_UINT8, 8, 64, 1);
  SAME(hed_binary_wave_interference(2, two, HED_WAVE_OR), HED_UINT8, 14, 236, 1);
  SAME(hed_binary_wave_propagate(a, 1), HED_UINT8, 24, 144, 2);
  SAME(hed_binary_wave_propagate(a, -2), HED_UINT8, 3, 50, 0);
  SAME(hed_binary_wave_propagate(a, INT64_MIN), HED_UINT8, 0, 0, 0);
  SAME(hed_create_duty_cycle(5, 0.5, HED_INT32), HED_INT32, 1, 1, 0, 0, 0);
  SAME(hed_generate_blocky_sin(7, 2, HED_BOOL), HED_BOOL, 1, 1, 0, 0, 1, 1, 0);
  API_NULL(hed_binary_wave_interference(0, two, HED_WAVE_OR), HED_E_INVAL, "no waves");
  API_NULL(hed_binary_wave_interference(2, two, (hed_wave_mode)9), HED_E_INVAL, "mode 9");
  API_NULL(hed_binary_wave_interference(1, (const hed_array *const[]){ e }, HED_WAVE_OR), HED_E_DTYPE, "float64");
  API_NULL(hed_create_duty_cycle(5, 1.5, HED_INT32), HED_E_INVAL, "duty 1.5");
  API_NULL(hed_generate_blocky_sin(5, 0, HED_INT32), HED_E_INVAL, "half_period 0");
}

static void all(const char *backend)
{
  diag("%s", backend);
  void (*const parts[])(void) = { softmax, losses, vectors, waves };
  for (int k = 0; k < 4; k++)
    HED_SCOPE
      parts[k]();
}

int main(void)
{
  api_each_backend(all);
  done_testing();
  return done();
}
