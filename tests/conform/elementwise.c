// SPDX-License-Identifier: BSD-3-Clause
/* Jobs of the conformance test: elementwise operations with parameters, and what is composed of them. */
#include "conform.h"

#include <math.h>

void job_clip_array(run *r)
{
  hed_array *x = operand(r, 0), *low = operand(r, 1), *high = operand_of(r, 2, r->dtype, HED_SHAPE(1), 1, 4);
  put(r, hed_clip_array(x, low, high));
  put(r, hed_clip_array(x, low, NULL));
  put(r, hed_clip_array(x, NULL, high));
  hed_array *out = hed_empty_like(x);
  put_status(r, hed_clip_array_into(out, x, high, low), out);
}

void job_divide_where(run *r)
{
  hed_array *a = operand(r, 0), *b = operand(r, 1), *condition = operand_of(r, 2, HED_BOOL, run_shape(r), 0, 1);
  hed_array *y = hed_divide_where(condition, a, b, 7);
  put(r, y);
  if (y)
    put_status(r, hed_divide_where_into(y, b, a, b, -1), y);
}

void job_three(run *r)
{
  hed_array *a = operand(r, 0), *b = operand(r, 1), *c = operand(r, 2);
  put(r, r->op == HED_OP_LERP ? hed_lerp(a, b, c) : hed_fma(a, b, c));
  put(r, r->op == HED_OP_LERP ? hed_lerp(a, b, hed_scalar(0.25)) : hed_fma(a, b, hed_scalar_int(3)));
}

void job_isclose(run *r)
{
  hed_array *a = operand(r, 0), *b = operand(r, 1);
  put(r, hed_isclose(a, b, NULL));
  put(r, hed_isclose(a, b, &(hed_tolerance){ .rtol = 0.5, .atol = 1, .equal_nan = true }));
  bool close = false;
  hed_status status = hed_allclose(a, b, &(hed_tolerance){ .rtol = 0.5 }, &close);
  put_status(r, status, status == HED_OK ? hed_full(HED_SHAPE0, close, HED_INT8) : NULL);
}

void job_rotate(run *r)
{
  hed_array *(*f)(const hed_array *, const hed_array *, int32_t) =
      r->op == HED_OP_ROTATE_LEFT ? hed_rotate_left : hed_rotate_right;
  hed_array *x = operand(r, 0);
  put(r, f(x, operand(r, 1), 0));
  put(r, f(x, operand(r, 1), 5));
  put(r, f(x, hed_scalar_int(3), 8));
}

void job_set_bit(run *r)
{
  hed_array *x = operand(r, 0), *value = operand_of(r, 2, HED_BOOL, run_shape(r), 0, 1);
  put(r, hed_set_bit(x, operand(r, 1), value));
  put(r, hed_set_bit(x, hed_scalar_int(2), hed_scalar_int(1)));
}

void job_with_numbers(run *r)
{
  hed_array *x = operand(r, 0), *y = NULL;
  switch (r->op) {
  case HED_OP_THRESHOLD: put(r, hed_threshold(x, 0.5, 2, -3)); break;
  case HED_OP_LEAKY_RELU: put(r, hed_leaky_relu(x, 0.25)); break;
  case HED_OP_ELU: put(r, hed_elu(x, 1.5)); break;
  case HED_OP_GAUSSIAN: put(r, hed_gaussian(x, 1, 2)); break;
  default:
    put(r, y = hed_nan_to_num(x, NULL));
    put(r, hed_nan_to_num(x, &(hed_nan_options){ 1, 2, 3 }));
    if (y)
      put_status(r, hed_nan_to_num_into(y, x, NULL), y);
  }
}

void job_divmod(run *r)
{
  hed_array *q = NULL, *m = NULL;
  hed_status status = hed_divmod(operand(r, 0), operand(r, 1), &q, &m);
  put_status(r, status, q);
  put_status(r, status, m);
}

void job_gradient(run *r)
{
  hed_array *x = operand(r, 0), *out[3] = { NULL, NULL, NULL };
  const double at[5] = { 0, 1, 3, 3.5, 7 };
  hed_array *c = hed_from_host(at, HED_SHAPE(5), HED_FLOAT64);
  hed_status status = hed_gradient(x, NULL, out);
  for (int k = 0; k < 3; k++)
    put_status(r, status, out[k]);
  status = hed_gradient(x, &(hed_gradient_options){ .axes = HED_AXES(1), .edge_order = 2,
                                                    .coordinates = (const hed_array *const[]){ c } }, out);
  put_status(r, status, out[0]);
}

/* ---- neural-net bits ---- */

void job_softmax(run *r)
{
  hed_array *(*f)(const hed_array *, int32_t) = r->op == HED_OP_SOFTMAX ? hed_softmax : hed_log_softmax;
  hed_array *x = operand(r, 0);
  put(r, f(x, -1));
  put(r, f(x, 0));
}

void job_loss(run *r)
{
  static const struct { int op; hed_array *(*f)(const hed_array *, const hed_array *, const hed_loss *); } losses[] = {
    { HED_OP_MSE, hed_mse }, { HED_OP_MEAN_ABSOLUTE_ERROR, hed_mean_absolute_error }, { HED_OP_HUBER_LOSS, hed_huber_loss },
    { HED_OP_LOG_COSH_LOSS, hed_log_cosh_loss }, { HED_OP_BINARY_CROSSENTROPY, hed_binary_crossentropy },
    { HED_OP_CATEGORICAL_CROSSENTROPY, hed_categorical_crossentropy },
  };
  hed_array *p = operand(r, 0), *y = operand(r, 1);
  for (size_t k = 0; k < sizeof losses / sizeof *losses; k++)
    if (losses[k].op == r->op) {
      put(r, losses[k].f(p, y, &(hed_loss){ .reduction = HED_REDUCTION_NONE }));
      put(r, losses[k].f(p, y, &(hed_loss){ .reduction = HED_REDUCTION_NONE, .from_logits = true }));
      put(r, losses[k].f(p, y, NULL));
      put(r, losses[k].f(p, y, &(hed_loss){ .reduction = HED_REDUCTION_SUM }));
    }
}

void job_labels(run *r)
{
  hed_array *p = operand(r, 0), *labels = operand_of(r, 1, HED_INT32, HED_SHAPE(4, 5), 0, 5);
  put(r, hed_sparse_categorical_crossentropy(p, labels, &(hed_loss){ .reduction = HED_REDUCTION_NONE }));
  put(r, hed_sparse_categorical_crossentropy(p, labels, &(hed_loss){ .from_logits = true }));
}

void job_vector(run *r)
{
  hed_array *a = operand(r, 0), *b = operand(r, 1);
  switch (r->op) {
  case HED_OP_NORMALIZE:
    put(r, hed_normalize(a, NULL));
    put(r, hed_normalize(a, &(hed_normalize_options){ .axes = HED_AXES(1), .ord = 1, .eps = 0.5 }));
    put(r, hed_normalize(a, &(hed_normalize_options){ .axes = HED_AXES(-1), .ord = (double)INFINITY }));
    break;
  case HED_OP_NORMALIZE_VECTOR:
    put(r, hed_normalize_vector(a, NULL));
    put(r, hed_normalize_vector(a, &HED_AXES(0)));
    break;
  case HED_OP_COSINE_SIMILARITY:
    put(r, hed_cosine_similarity(a, b, -1));
    put(r, hed_cosine_similarity(a, b, 0));
    break;
  case HED_OP_EUCLIDEAN_DISTANCE:
    put(r, hed_euclidean_distance(a, b, NULL));
    put(r, hed_euclidean_distance(a, b, &(hed_reduce){ .axes = HED_AXES(1), .keepdims = true }));
    break;
  case HED_OP_HAMMING_DISTANCE:
    put(r, hed_hamming_distance(a, b, NULL));
    put(r, hed_hamming_distance(a, b, &(hed_reduce){ .axes = HED_AXES(-1) }));
    break;
  default:
    put(r, hed_exponential_decay(a, 0.5, NULL));
    put(r, hed_exponential_decay(a, 0.5, b));
  }
}

void job_wave(run *r)
{
  hed_array *a = operand(r, 0), *b = operand(r, 1);
  switch (r->op) {
  case HED_OP_COMPUTE_ENERGY_STABILITY:
    put(r, hed_compute_energy_stability(a, 2));
    put(r, hed_compute_energy_stability(a, 5));
    break;
  case HED_OP_BINARY_WAVE_INTERFERENCE:
    for (int mode = 0; mode < 3; mode++)
      put(r, hed_binary_wave_interference(3, (const hed_array *const[]){ a, b, operand(r, 2) }, (hed_wave_mode)mode));
    break;
  case HED_OP_BINARY_WAVE_PROPAGATE:
    put(r, hed_binary_wave_propagate(a, 2));
    put(r, hed_binary_wave_propagate(a, -1));
    put(r, hed_binary_wave_propagate(a, 99));
    break;
  case HED_OP_CREATE_DUTY_CYCLE:
    put(r, hed_create_duty_cycle(10, 0.3, r->dtype));
    break;
  case HED_OP_GENERATE_BLOCKY_SIN:
    put(r, hed_generate_blocky_sin(11, 2, r->dtype));
    break;
  default:
    break;
  }
}
