// SPDX-License-Identifier: BSD-3-Clause
/* Jobs of the conformance test: steps of recurrent cells. Ranges are such that nothing cancels; sigmoids of more than 80 and 700 go
 * another way. Sums of up to 300 equal elements, one after the other, are off by half that many units. */
#include "conform.h"

static const int64_t sizes[][2] = { { 1, 1 }, { 3, 7 }, { 5, 16 }, { 2, 130 }, { 1, 300 }, { 0, 4 }, { 3, 0 } };
enum { SIZES_ = sizeof sizes / sizeof sizes[0] };

static hed_array *of(run *r, int k, hed_shape s) { return operand_of(r, k, r->dtype, s, r->c->low, r->c->high); }
static hed_array *far(run *r, int k, hed_shape s) { return operand_of(r, k, r->dtype, s, 0, r->dtype == HED_FLOAT64 ? 1000 : 200); }

/* Rows that do not follow each other. */
static hed_array *apart(run *r, int k, int64_t rows, int64_t columns)
{
  return hed_slice(of(r, k, HED_SHAPE(rows, columns + 3)), 2, (const hed_slice_range[]){ HED_ALL, HED_RANGE(2, columns + 2, 1) });
}

void job_lstm_step(run *r)
{
  for (int k = 0; k < SIZES_; k++) {
    const int64_t b = sizes[k][0], u = sizes[k][1];
    put(r, hed_lstm_step(apart(r, 0, b, 4 * u), of(r, 1, HED_SHAPE(b, 4 * u)), apart(r, 2, b, u)));
    put(r, hed_lstm_step(far(r, 0, HED_SHAPE(b, 4 * u)), of(r, 1, HED_SHAPE(b, 4 * u)), of(r, 2, HED_SHAPE(b, u))));
  }
}

void job_lstm_step_back(run *r)
{
  for (int k = 0; k < SIZES_; k++) {
    const hed_shape s = HED_SHAPE(sizes[k][0], sizes[k][1]);
    hed_array *step = of(r, 0, HED_SHAPE(6, s.dim[0], s.dim[1]));
    put(r, hed_lstm_step_back(step, of(r, 1, s), of(r, 2, s), apart(r, 3, s.dim[0], s.dim[1])));
    put(r, hed_lstm_step_back(hed_flip(step, &HED_AXES(2)), of(r, 1, s), of(r, 2, s), of(r, 3, s)));
  }
}

void job_gru_step(run *r)
{
  for (int k = 0; k < SIZES_; k++) {
    const int64_t b = sizes[k][0], u = sizes[k][1];
    hed_array *h = of(r, 3, HED_SHAPE(b, u)), *bias = of(r, 2, HED_SHAPE(u));
    put(r, hed_gru_step(apart(r, 0, b, 3 * u), apart(r, 1, b, 3 * u), bias, h));
    put(r, hed_gru_step(far(r, 0, HED_SHAPE(b, 3 * u)), of(r, 1, HED_SHAPE(b, 3 * u)), bias, hed_add_scalar(h, 1)));
  }
}

void job_gru_step_back(run *r)
{
  for (int k = 0; k < SIZES_; k++) {
    const hed_shape s = HED_SHAPE(sizes[k][0], sizes[k][1]);
    put(r, hed_gru_step_back(of(r, 0, HED_SHAPE(5, s.dim[0], s.dim[1])), of(r, 1, s), apart(r, 2, s.dim[0], s.dim[1])));
  }
}

/* V above MU; FAR: sigma is large. */
static void synapse_operands(run *r, int k, bool is_far, hed_array **x)
{
  const int64_t b = sizes[k][0], n = sizes[k][1], p = k == 2 ? 0 : 1 + 2 * (k % 3);
  const hed_shape by = HED_SHAPE(p, n);
  x[0] = operand_of(r, 0, r->dtype, HED_SHAPE(b, n), 0.6, 0.9);
  x[1] = is_far ? far(r, 1, by) : of(r, 1, by);
  x[2] = operand_of(r, 2, r->dtype, by, 0.1, 0.3);
  x[3] = of(r, 3, by);
  x[4] = of(r, 4, by);
  x[5] = of(r, 5, HED_SHAPE(2, b, p));
}

void job_synapses(run *r)
{
  hed_array *x[6];
  for (int k = 0; k < 2 * SIZES_; k++) {
    synapse_operands(r, k / 2, k % 2, x);
    put(r, hed_synapses(x[0], x[1], x[2], x[3], x[4]));
  }
}

void job_synapses_back(run *r)
{
  hed_array *x[6];
  for (int k = 0; k < SIZES_; k++) {
    synapse_operands(r, k, false, x);
    put(r, hed_synapses_back(x[0], x[1], x[2], x[3], x[4], x[5]));
  }
}
