// SPDX-License-Identifier: BSD-3-Clause
/* CP decompositions by samples, component by component, of symmetric tensors, and of tensors that grow. */
#include "arrays.h"
#include "tensor.h"
#include <heddle/kits/decompose.h>
#include <stdio.h>

static hed_dtype real_type(void)
{
  return hed_device_supports(NULL, "float64") == 1 ? HED_FLOAT64 : HED_FLOAT32;
}

static hed_cp factors(gen *g, hed_shape s, int64_t rank, hed_dtype t)
{
  hed_cp c = { .order = s.ndim, .rank = rank };
  for (int k = 0; k < s.ndim; k++) {
    double complex *v = tensor_values_apart(g, s.dim[k], rank, hed_dtype_kind(t) == HED_KIND_COMPLEX);
    c.factor[k] = tensor_array(v, HED_SHAPE(s.dim[k], rank), t);
    free(v);
  }
  return c;
}

/* RANK columns of N with orthonormal columns, times nothing. */
static hed_array *orthonormal(gen *g, int64_t n, int64_t rank, hed_dtype t)
{
  double complex *v = tensor_values(g, n * rank, hed_dtype_kind(t) == HED_KIND_COMPLEX);
  hed_array *x = tensor_array(v, HED_SHAPE(n, rank), t), *q = NULL;
  if (hed_qr(x, HED_QR_REDUCED, &q, NULL) != HED_OK)
    bail("qr: %s", hed_error_text());
  hed_release(x);
  free(v);
  return q;
}

static void sampled(gen *g, const char *backend, hed_dtype t, bool uniform, hed_shape s)
{
  hed_cp truth = factors(g, s, 3, t), c = { 0 };
  hed_array *x = hed_cp_full(&truth);
  hed_fit fit = { 0 };
  double error = 1, congruence[3] = { 0 };
  const hed_cp_sampled_options o = { .uniform = uniform, .random = { .seed = 5, .seeded = true }, .fit_samples = 300,
                                     .sweeps = { .max = 60 } };
  hed_status status = hed_cp_sampled(x, 3, &o, &c, &fit);
  if (status == HED_OK)
    status = hed_cp_error(&c, x, NULL, &error);
  if (status == HED_OK)
    status = hed_cp_align(&c, &truth, congruence);
  const double least = fmin(congruence[0], fmin(congruence[1], congruence[2]));
  if (!ok(status == HED_OK && least > 0.999 && error < 1e-2 && fabs(error - fit.error) < 1e-6 + error * 1e-3,
          "%s: %s samples of %s find planted factors", backend, uniform ? "uniform" : "leverage", hed_dtype_name(t)))
    diag("congruence %g, error %g, said %g after %d; %s", least, error, fit.error, (int)fit.n_sweeps, hed_error_text());
  hed_fit_clear(&fit);
  hed_cp_clear(&c);
  hed_cp_clear(&truth);
  hed_release(x);
}

static void by_power(gen *g, const char *backend, hed_dtype t)
{
  const double w[3] = { 5, 3, 2 };
  hed_cp truth = { .order = 3, .rank = 3 }, c = { 0 };
  for (int k = 0; k < 3; k++)
    truth.factor[k] = orthonormal(g, 5 + k, 3, t);
  truth.weights = hed_from_doubles(w, HED_SHAPE(3), t);
  hed_array *x = hed_cp_full(&truth);
  hed_fit fit = { 0 };
  double weights[3] = { 0 }, congruence[3] = { 0 };
  const hed_cp_power_options o = { .random = { .seed = 1, .seeded = true }, .repeats = 8 };
  hed_status status = hed_cp_power(x, 3, &o, &c, &fit);
  if (status == HED_OK)
    status = hed_tolist(c.weights, weights, 3);
  if (status == HED_OK)
    status = hed_cp_align(&c, &truth, congruence);
  bool good = status == HED_OK && fit.n_sweeps == 3 && fit.error < 1e-3 && fit.errors[0] > fit.errors[1];
  for (int r = 0; r < 3; r++)
    good = good && fabs(weights[r] - w[r]) < 1e-3 && congruence[r] > 0.9999;
  if (!ok(good, "%s: %s, orthogonal components one after the other", backend, hed_dtype_name(t)))
    diag("weights %g %g %g, error %g; %s", weights[0], weights[1], weights[2], fit.error, hed_error_text());
  hed_fit_clear(&fit);
  hed_cp_clear(&c);
  hed_cp_clear(&truth);
  hed_release(x);
}

/* Orthogonal components with weights of both signs; of odd orders the sign goes into the vector. */
static void symmetric(gen *g, const char *backend, int order)
{
  const double w[3] = { 4, -3, 2 };
  const hed_dtype t = real_type();
  hed_array *q = orthonormal(g, 6, 3, t);
  hed_cp truth = { .order = order, .rank = 3 }, c = { 0 };
  for (int k = 0; k < order; k++)
    truth.factor[k] = hed_retain(q);
  truth.weights = hed_from_doubles(w, HED_SHAPE(3), t);
  hed_array *x = hed_cp_full(&truth);
  hed_fit fit = { 0 };
  double weights[3] = { 0 };
  const hed_cp_power_options o = { .random = { .seed = 2, .seeded = true }, .sweeps = { .max = 300, .tol = 1e-12 } };
  hed_status status = hed_cp_symmetric(x, 3, &o, &c, &fit);
  if (status == HED_OK)
    status = hed_tolist(c.weights, weights, 3);
  bool good = status == HED_OK && fit.error < 1e-3;
  for (int r = 0; r < 3; r++)
    good = good && fabs(weights[r] - (order % 2 ? fabs(w[r]) : w[r])) < 1e-3;
  bool same = false;
  for (int k = 1; good && k < order; k++)
    good = hed_allclose(c.factor[0], c.factor[k], NULL, &same) == HED_OK && same;
  if (!ok(good, "%s: a symmetric tensor of order %d", backend, order))
    diag("weights %g %g %g, error %g; %s", weights[0], weights[1], weights[2], fit.error, hed_error_text());
  hed_fit_clear(&fit);
  hed_cp_clear(&c);
  hed_cp_clear(&truth);
  RELEASE(q, x);
}

/* Ten slices and then two by two more: the decomposition of all follows. */
static void growing(gen *g, const char *backend, int mode)
{
  hed_shape s = HED_SHAPE(7, 6, 8);
  s.dim[mode] = 20;
  const hed_dtype t = real_type();
  hed_cp truth = factors(g, s, 2, t), start = { 0 };
  hed_array *x = hed_cp_full(&truth);
  hed_slice_range ranges[3] = { HED_ALL, HED_ALL, HED_ALL };
  ranges[mode] = HED_RANGE(0, 10, 1);
  hed_array *first = hed_slice(x, 3, ranges);
  hed_cp_stream stream = { 0 };
  double error = 1;
  const hed_cp_options o = { .sweeps = { .max = 500, .tol = 1e-12 }, .restarts = 3, .random = { .seed = 1, .seeded = true } };
  hed_status status = hed_cp_als(first, 2, &o, &start, NULL);
  if (status == HED_OK)
    status = hed_cp_stream_begin(first, &start, mode, 0.9, &stream);
  for (int k = 10; k < 20 && status == HED_OK; k += 2) {
    ranges[mode] = HED_RANGE(k, k + 2, 1);
    hed_array *more = hed_slice(x, 3, ranges);
    status = hed_cp_stream_add(&stream, more);
    hed_release(more);
  }
  if (status == HED_OK)
    status = hed_cp_error(&stream.cp, x, NULL, &error);
  if (!ok(status == HED_OK && error < 5e-3, "%s: slices of mode %d are added, and the factors follow (%g)", backend, mode, error))
    diag("%s", hed_error_text());
  /* other data: the factors move towards it */
  hed_cp other = factors(g, s, 2, t);
  hed_array *turn = hed_cp_full(&other);
  double before = 0, after = 0;
  for (int k = 0; k < 3 && status == HED_OK; k++) {
    status = hed_cp_stream_add(&stream, turn);
    ok(status == HED_OK && hed_array_shape(stream.cp.factor[mode]).dim[0] == 20 * (k + 2), "%s: there is a row per slice", backend);
    hed_cp tail = { 0 };
    if (status == HED_OK)
      status = hed_cp_slice(&stream.cp, mode, HED_RANGE(-20, HED_SLICE_END, 1), &tail);
    if (status == HED_OK)
      status = hed_cp_error(&tail, turn, NULL, &after);
    before = k == 0 ? after : before;
    hed_cp_clear(&tail);
  }
  ok(status == HED_OK && after <= before + 1e-3, "%s: other slices draw the factors (%g, then %g)", backend, before, after);
  is_int(hed_cp_stream_add(&stream, first), HED_OK, "fewer slices are fine");
  hed_array *wrong = hed_ones(HED_SHAPE(3, 3, 3), t);
  is_int(hed_cp_stream_add(&stream, wrong), HED_E_SHAPE, "another shape is not");
  has_str(hed_error_text(), "(3, 3, 3)", "and is named");
  is_int(hed_array_shape(stream.cp.factor[mode]).dim[0], 90, "nothing was added by that");
  RELEASE(wrong, turn);
  hed_cp_clear(&other);
  hed_cp_stream_clear(&stream);
  hed_cp_clear(&start);
  hed_cp_clear(&truth);
  RELEASE(first, x);
}

static void refused(void)
{
  hed_cp c = { 0 };
  hed_cp_stream s = { 0 };
  hed_array *x = hed_ones(HED_SHAPE(3, 4), HED_FLOAT32), *z = hed_ones(HED_SHAPE(3, 3), HED_COMPLEX64);
  is_int(hed_cp_symmetric(x, 1, NULL, &c, NULL), HED_E_SHAPE, "extents 3 and 4 are not symmetric");
  is_int(hed_cp_symmetric(z, 1, NULL, &c, NULL), HED_E_DTYPE, "nor are complex numbers done");
  is_int(hed_cp_power(x, 0, NULL, &c, NULL), HED_E_INVAL, "rank 0");
  is_int(hed_cp_sampled(x, 1, &(hed_cp_sampled_options){ .samples = -1 }, &c, NULL), HED_E_INVAL, "-1 samples");
  is_int(hed_cp_stream_begin(x, &c, 0, 1, &s), HED_E_INVAL, "a stream without a start");
  is_int(hed_cp_stream_add(&s, x), HED_E_INVAL, "a stream that has not begun");
  int cancel = 1;
  const hed_cp_power_options stopped = { .sweeps = { .cancel = &cancel } };
  is_int(hed_cp_power(x, 1, &stopped, &c, NULL), HED_E_CANCELLED, "cancelled");
  const hed_cp_sampled_options also = { .sweeps = { .cancel = &cancel } };
  is_int(hed_cp_sampled(x, 1, &also, &c, NULL), HED_E_CANCELLED, "cancelled, too");
  ok(c.order == 0 && !c.factor[0] && s.cp.order == 0, "nothing came out");
  RELEASE(x, z);
}

/* Samples drawn more often count less, or the fit leans to them: with noise it comes near that of all entries. */
static void unbiased(gen *g)
{
  const hed_shape s = HED_SHAPE(20, 18, 16);
  hed_cp truth = factors(g, s, 2, HED_FLOAT64), c = { 0 };
  hed_array *full = hed_cp_full(&truth), *noise = hed_random_normal(s, HED_FLOAT64, &(hed_random){ .seed = 2, .seeded = true });
  hed_array *some = hed_multiply_scalar(noise, 2), *x = hed_add(full, some);
  hed_fit fit = { 0 };
  ok(hed_cp_als(x, 2, &(hed_cp_options){ .start = &truth }, &c, &fit) == HED_OK, "least squares of all entries");
  const double least = fit.error;
  hed_cp_clear(&c);
  hed_fit_clear(&fit);
  const hed_cp_sampled_options o = { .start = &truth, .random = { .seed = 5, .seeded = true }, .samples = 1000,
                                     .sweeps = { .max = 3, .tol = -1 } };
  const hed_status status = hed_cp_sampled(x, 2, &o, &c, &fit);
  ok(status == HED_OK && fit.error < 1.01 * least, "samples of a noisy tensor: %g, all entries %g", fit.error, least);
  hed_cp_clear(&c);
  hed_fit_clear(&fit);
  hed_cp_clear(&truth);
  hed_array *all[] = { full, noise, some, x };
  for (int k = 0; k < 4; k++)
    hed_release(all[k]);
}

static void everything(gen *g, const char *backend)
{
  const bool most = is_backend(backend, "cpu") || full_run(); /* others: plain loops, and delays that add up */
  sampled(g, backend, real_type(), false, HED_SHAPE(12, 11, 10));
  by_power(g, backend, tensor_dtype(0));
  symmetric(g, backend, 3);
  growing(g, backend, is_backend(backend, "reference") ? 0 : most ? 1 : 2);
  if (!most)
    return;
  sampled(g, backend, real_type(), true, HED_SHAPE(12, 11, 10));
  sampled(g, backend, HED_COMPLEX64, false, HED_SHAPE(8, 7, 6, 5));
  sampled(g, backend, HED_FLOAT32, true, HED_SHAPE(8, 7, 6, 5));
  by_power(g, backend, tensor_dtype(2));
  symmetric(g, backend, 4);
  symmetric(g, backend, 2);
  if (is_backend(backend, "cpu"))
    unbiased(g);
}

int main(void)
{
  on_backends(everything);
  refused();
  done_testing();
  return done();
}
