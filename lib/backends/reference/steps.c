// SPDX-License-Identifier: BSD-3-Clause
/* Steps of recurrent cells and their gradients, in double. L1. */
#include "backends/reference/reference.h"
#include "base/cast.h"
#include "base/dtype.h"
#include "base/shape.h"
#include <math.h>

static double at(const hed_view *v, int64_t i, int64_t j, int64_t k)
{
  const int64_t index[3] = { i, j, k };
  const char *p = v->data;
  double x;
  for (int32_t a = 0; a < v->ndim; a++)
    p += index[3 - v->ndim + a] * v->stride[a];
  hed__cast(v->dtype, HED_ID_FLOAT64)(1, (char *)&x, 8, p, 0);
  return x;
}

static void put(const hed_view *v, int64_t i, int64_t j, int64_t k, double x)
{
  const int64_t index[3] = { i, j, k };
  char *p = v->data;
  for (int32_t a = 0; a < v->ndim; a++)
    p += index[3 - v->ndim + a] * v->stride[a];
  hed__cast(HED_ID_FLOAT64, v->dtype)(1, p, 0, (const char *)&x, 8);
}

static double sigmoid(double x) { return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)); }
static double sigmoid_slope(double y) { return y * (1 - y); }
static double tanh_slope(double y) { return 1 - y * y; }

typedef void (*unit_fn)(const hed_call *call, int64_t row, int64_t u, int64_t units);

/* FN for each row and unit of the last operand. */
static int32_t each(const hed_call *call, unit_fn fn)
{
  const hed_view *state = call->in[call->n_in - 1];
  for (int64_t row = 0; row < state->dim[0]; row++)
    for (int64_t u = 0; u < state->dim[1]; u++)
      fn(call, row, u, state->dim[1]);
  return HED_OK;
}

static double part(const hed_call *call, int k, int64_t row, int64_t u) { return at(call->in[k], 0, row, u); }

static void lstm(const hed_call *call, int64_t row, int64_t u, int64_t units)
{
  double gate[4];
  for (int k = 0; k < 4; k++) {
    const double x = part(call, 0, row, k * units + u) + part(call, 1, row, k * units + u);
    gate[k] = k == 2 ? tanh(x) : sigmoid(x);
    put(call->out[0], k, row, u, gate[k]);
  }
  const double c = gate[1] * part(call, 2, row, u) + gate[0] * gate[2];
  put(call->out[0], 4, row, u, c);
  put(call->out[0], 5, row, u, gate[3] * tanh(c));
}

static void lstm_back(const hed_call *call, int64_t row, int64_t u, int64_t units)
{
  double p[5];
  for (int k = 0; k < 5; k++)
    p[k] = at(call->in[0], k, row, u);
  const double c = part(call, 1, row, u), dh = part(call, 2, row, u), t = tanh(p[4]);
  const double dc = part(call, 3, row, u) + dh * p[3] * tanh_slope(t);
  const double d[5] = { dc * p[2] * sigmoid_slope(p[0]), dc * c * sigmoid_slope(p[1]), dc * p[0] * tanh_slope(p[2]),
                        dh * t * sigmoid_slope(p[3]), dc * p[1] };
  for (int k = 0; k < 5; k++)
    put(call->out[0], 0, row, k * units + u, d[k]);
}

static void gru(const hed_call *call, int64_t row, int64_t u, int64_t units)
{
  double gate[2];
  for (int k = 0; k < 2; k++)
    gate[k] = sigmoid(part(call, 0, row, k * units + u) + part(call, 1, row, k * units + u));
  const double q = part(call, 1, row, 2 * units + u) + at(call->in[2], 0, 0, u), h = part(call, 3, row, u);
  const double n = tanh(part(call, 0, row, 2 * units + u) + gate[0] * q);
  const double out[5] = { gate[0], gate[1], n, q, n + gate[1] * (h - n) };
  for (int k = 0; k < 5; k++)
    put(call->out[0], k, row, u, out[k]);
}

static void gru_back(const hed_call *call, int64_t row, int64_t u, int64_t units)
{
  double p[4];
  for (int k = 0; k < 4; k++)
    p[k] = at(call->in[0], k, row, u);
  const double h = part(call, 1, row, u), dh = part(call, 2, row, u);
  const double dn = dh * (1 - p[1]) * tanh_slope(p[2]), dr = dn * p[3] * sigmoid_slope(p[0]);
  const double dz = dh * (h - p[2]) * sigmoid_slope(p[1]);
  const double d[7] = { dr, dz, dn, dr, dz, dn * p[0], dh * p[1] };
  for (int k = 0; k < 7; k++)
    put(call->out[0], 0, row, k * units + u, d[k]);
}

REF_KERNEL(lstm_step) { (void)state; return each(call, lstm); }
REF_KERNEL(lstm_step_back) { (void)state; return each(call, lstm_back); }
REF_KERNEL(gru_step) { (void)state; return each(call, gru); }
REF_KERNEL(gru_step_back) { (void)state; return each(call, gru_back); }

/* ---- synapses ---- */

static double opened(const hed_call *call, int64_t row, int64_t target, int64_t n)
{
  return sigmoid(part(call, 1, target, n) * (part(call, 0, row, n) - part(call, 2, target, n)));
}

REF_KERNEL(synapses)
{
  const hed_view *out = call->out[0];
  (void)state;
  for (int64_t row = 0; row < out->dim[1]; row++)
    for (int64_t target = 0; target < out->dim[2]; target++) {
      double sum[2] = { 0, 0 };
      for (int64_t n = 0; n < call->in[0]->dim[1]; n++)
        for (int k = 0; k < 2; k++)
          sum[k] += part(call, 3 + k, target, n) * opened(call, row, target, n);
      for (int k = 0; k < 2; k++)
        put(out, k, row, target, sum[k]);
    }
  return HED_OK;
}

/* What the row and the target of neuron N give to the gradients of sigma, mu, w, e and v. */
static void synapse_back(const hed_call *call, int64_t row, int64_t target, int64_t n, double *d)
{
  const double s = opened(call, row, target, n), sigma = part(call, 1, target, n), dw = at(call->in[5], 0, row, target);
  const double de = at(call->in[5], 1, row, target);
  const double slope = (dw * part(call, 3, target, n) + de * part(call, 4, target, n)) * sigmoid_slope(s);
  d[0] = slope * (part(call, 0, row, n) - part(call, 2, target, n));
  d[1] = -slope * sigma;
  d[2] = dw * s;
  d[3] = de * s;
  d[4] = slope * sigma;
}

REF_KERNEL(synapses_back)
{
  const hed_view *v = call->in[0], *out = call->out[0];
  const int64_t rows = v->dim[0], targets = call->in[1]->dim[0];
  double d[5];
  (void)state;
  for (int64_t n = 0; n < v->dim[1]; n++) {
    for (int64_t target = 0; target < targets; target++) {
      double sum[4] = { 0 };
      for (int64_t row = 0; row < rows; row++) {
        synapse_back(call, row, target, n, d);
        for (int k = 0; k < 4; k++)
          sum[k] += d[k];
      }
      for (int k = 0; k < 4; k++)
        put(out, 0, k * targets + target, n, sum[k]);
    }
    for (int64_t row = 0; row < rows; row++) {
      double sum = 0;
      for (int64_t target = 0; target < targets; target++) {
        synapse_back(call, row, target, n, d);
        sum += d[4];
      }
      put(out, 0, 4 * targets + row, n, sum);
    }
  }
  return HED_OK;
}
