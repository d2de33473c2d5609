// SPDX-License-Identifier: BSD-3-Clause
/* A GRU whose units keep traces of several time scales (M. Mozer, D. Kazakov, R. Lindsey, arXiv:1710.04110).
 *
 * Layer: L4, nn kit. Rows of the weights are those of retrieval, of the signal, of storage.
 */
#include "kits/nn/cells/cell.h"
#include <math.h>

enum { W_IH, W_HH, B_IH };
/* Recurrent weights transposed of retrieval and storage, side by side, and of the signal; ln of the scales (M), -1 / scale (M). */
enum { OF_SCALES, OF_SIGNAL, LOGS, RATES };
enum { MOST_SCALES = 64 };

static int64_t scales(const hed_nn_cell *c) { return c->scales ? c->scales : 8; }

static void list(const hed_nn_cell *c, hed__nn_specs *s)
{
  const double l = 1 / sqrt((double)c->units);
  (void)hed__nn_add(s, "weight_ih", HED_SHAPE(3 * c->units, c->input), HED__NN_UNIFORM, -l, l);
  (void)hed__nn_add(s, "weight_hh", HED_SHAPE(3 * c->units, c->units), HED__NN_UNIFORM, -l, l);
  (void)hed__nn_add(s, "bias_ih", HED_SHAPE(3 * c->units), HED__NN_UNIFORM, -l, l);
}

static hed_status prepare(hed__nn_plan *p)
{
  const int64_t u = p->c->units, n = scales(p->c);
  const hed_array *wt = hed_matrix_transpose(p->w[W_HH]);
  const hed_array *both[2] = { hed__nn_cols(wt, 0, u), hed__nn_cols(wt, 2 * u, 3 * u) };
  double logs[MOST_SCALES], rates[MOST_SCALES];
  for (int64_t k = 0; k < n && k < MOST_SCALES; k++) {
    logs[k] = log(p->c->first_scale > 0 ? p->c->first_scale : 1) + 0.5 * log(10) * (double)k;
    rates[k] = -exp(-logs[k]);
  }
  p->d[OF_SCALES] = hed_concatenate(2, both, 1);
  p->d[OF_SIGNAL] = hed__nn_cols(wt, u, 2 * u);
  p->d[LOGS] = hed_from_doubles(logs, HED_SHAPE(n), hed_array_dtype(p->w[W_IH]));
  p->d[RATES] = hed_from_doubles(rates, HED_SHAPE(n), hed_array_dtype(p->w[W_IH]));
  return p->d[OF_SCALES] && p->d[OF_SIGNAL] && p->d[LOGS] && p->d[RATES] ? HED_OK : hed_error();
}

static hed_array *input(const hed__nn_plan *p, const hed_array *x) { return hed__nn_affine(x, p->w[W_IH], p->w[B_IH]); }

/* Weights of the scales for ln of a wanted one: (B, U) to (B, U, M). */
static hed_array *shares(const hed__nn_plan *p, const hed_array *wanted)
{
  return hed_softmax(hed_negative(hed_square(hed_subtract(hed_expand_dims(wanted, -1), p->d[LOGS]))), -1);
}

static hed_array *over_scales(const hed_array *x) { return hed_sum(x, &(hed_reduce){ .axes = HED_AXES(-1) }); }

static hed_array *step(const hed__nn_plan *p, const hed__nn_moment *m, const hed_array *const *state, hed_array **next)
{
  const hed_array *traces = state[0];
  hed_array *x[3], *g[2];
  hed__nn_parts(m->x, 3, x);
  hed__nn_parts(hed_matmul(over_scales(traces), p->d[OF_SCALES]), 2, g);
  const hed_array *r = shares(p, hed_add(x[0], g[0]));
  const hed_array *s = shares(p, hed_add(x[2], g[1]));
  const hed_array *q = hed_tanh(hed_add(x[1],
                                        hed_matmul(over_scales(hed_multiply(r, traces)), p->d[OF_SIGNAL])));
  const hed_array *decay = hed_exp(m->dt ? hed_multiply(hed_expand_dims(m->dt, -1), p->d[RATES]) : p->d[RATES]);
  const hed_array *stored = hed_add(traces, hed_multiply(s, hed_subtract(hed_expand_dims(q, -1), traces)));
  next[0] = hed_multiply(stored, decay);
  return over_scales(next[0]);
}

const hed__nn_family hed__nn_traces = { "CTGRU_TRACES", 1, true, list, prepare, input, step, 0, 0 };
