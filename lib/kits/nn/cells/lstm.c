// SPDX-License-Identifier: BSD-3-Clause
/* Long short-term memory, and the one that leaks in continuous time.
 *
 * Layer: L4, nn kit. Gates lie in the order i f g o, as PyTorch has them.
 */
#include "kits/nn/cells/cell.h"
#include <math.h>

enum { W_IH, W_HH, B_IH, B_HH };
/* Both weights transposed (and masked), both biases and that of forgetting together; then what there is of these. */
enum { INPUT, RECURRENT, BIAS, PEEP, PROJECT, SCALE, INPUT_MASK, RECURRENT_MASK };

static int64_t hidden(const hed_nn_cell *c) { return c->kind == HED_NN_LSTM && c->projection ? c->projection : c->units; }

static void list(const hed_nn_cell *c, hed__nn_specs *s)
{
  const double l = 1 / sqrt((double)c->units);
  hed__nn_add_gates(c, s, 4, hidden(c));
  if (c->projection)
    (void)hed__nn_add(s, "weight_hr", HED_SHAPE(c->projection, c->units), HED__NN_UNIFORM, -l, l);
  if (c->peepholes)
    (void)hed__nn_add(s, "weight_ch", HED_SHAPE(3, c->units), HED__NN_UNIFORM, -l, l);
}

/* Masks are those of units, from row to column: transposed, and the same for each gate. */
static void list_leaky(const hed_nn_cell *c, hed__nn_specs *s)
{
  hed__nn_add_gates(c, s, 4, c->units);
  (void)hed__nn_add(s, "time_scale", HED_SHAPE(c->units), HED__NN_CONSTANT, 1, 1);
  if (c->sensory)
    hed__nn_add(s, "input_mask", HED_SHAPE(c->input, c->units), HED__NN_MASK, 0, 0)->given = c->sensory;
  if (c->adjacency)
    hed__nn_add(s, "recurrent_mask", HED_SHAPE(c->units, c->units), HED__NN_MASK, 0, 0)->given = c->adjacency;
}

/* The bias of all gates, NULL without one; *STATUS when it cannot be made. */
static hed_array *bias(const hed__nn_plan *p, hed_status *status)
{
  const hed_nn_cell *c = p->c;
  const hed_dtype t = hed_array_dtype(p->w[W_IH]);
  hed_array *b = c->no_bias ? NULL : hed_add(p->w[B_IH], p->w[B_HH]);
  if (c->forget_bias != 0) {
    const hed_array *parts[3] = { hed_zeros(HED_SHAPE(c->units), t), hed_full(HED_SHAPE(c->units), c->forget_bias, t),
                                  hed_zeros(HED_SHAPE(2 * c->units), t) };
    hed_array *more = hed_concatenate(3, parts, 0);
    b = c->no_bias ? more : hed_add(b, more);
  }
  *status = b || (c->no_bias && c->forget_bias == 0) ? HED_OK : hed_error();
  return b;
}

static hed_array *masked(const hed_array *wt, const hed_array *mask)
{
  return mask ? hed_multiply(wt, hed_tile(mask, HED_SHAPE(1, 4))) : (hed_array *)wt;
}

static hed_status prepare(hed__nn_plan *p)
{
  const hed_nn_cell *c = p->c;
  int k = c->no_bias ? B_IH : B_HH + 1;
  hed_status status = HED_OK;
  const bool leaky = c->kind == HED_NN_LEAKY_LSTM;
  p->d[PROJECT] = !leaky && c->projection ? hed_matrix_transpose(p->w[k++]) : NULL;
  p->d[PEEP] = !leaky && c->peepholes ? p->w[k++] : NULL;
  p->d[SCALE] = leaky ? p->w[k++] : NULL;
  p->d[INPUT_MASK] = leaky && c->sensory ? p->w[k++] : NULL;
  p->d[RECURRENT_MASK] = leaky && c->adjacency ? p->w[k++] : NULL;
  p->d[INPUT] = masked(hed_matrix_transpose(p->w[W_IH]), p->d[INPUT_MASK]);
  p->d[RECURRENT] = masked(hed_matrix_transpose(p->w[W_HH]), p->d[RECURRENT_MASK]);
  p->d[BIAS] = bias(p, &status);
  return status == HED_OK && p->d[INPUT] && p->d[RECURRENT] && (leaky || !c->projection || p->d[PROJECT]) ? HED_OK : hed_error();
}

static hed_array *input(const hed__nn_plan *p, const hed_array *x)
{
  hed_array *y = hed_matmul(x, p->d[INPUT]);
  return p->d[BIAS] ? hed_add(y, p->d[BIAS]) : y;
}

/* The four gates before their functions, of the input's part and the recurrent one. */
static void gates(const hed__nn_plan *p, const hed__nn_moment *m, const hed_array *h, hed_array **g)
{
  hed_array *x[4], *product[4];
  hed__nn_parts(m->x, 4, x);
  hed__nn_parts(hed__nn_by_state(p, m, h, p->d[RECURRENT]), 4, product);
  for (int k = 0; k < 4; k++)
    g[k] = hed_add(x[k], product[k]);
}

/* Plus the weights K of the peepholes times C. */
static hed_array *peep(const hed__nn_plan *p, hed_array *x, const hed_array *c, int k)
{
  return p->d[PEEP] ? hed_add(x, hed_multiply(hed_index(p->d[PEEP], 0, k), c)) : x;
}

/* c' */
static hed_array *remember(const hed__nn_plan *p, hed_array *const *g, const hed_array *c)
{
  const hed_array *i = hed_sigmoid(peep(p, g[0], c, 0)), *f = hed_sigmoid(peep(p, g[1], c, 1));
  return hed_add(hed_multiply(f, c), hed_multiply(i, hed_tanh(g[2])));
}

static hed_array *step(const hed__nn_plan *p, const hed__nn_moment *m, const hed_array *const *state, hed_array **next)
{
  hed_array *g[4];
  gates(p, m, state[0], g);
  next[1] = remember(p, g, state[1]);
  hed_array *h = hed_multiply(hed_sigmoid(peep(p, g[3], next[1], 2)), hed_tanh(next[1]));
  return next[0] = p->d[PROJECT] ? hed_matmul(h, p->d[PROJECT]) : h;
}

static hed_array *step_leaky(const hed__nn_plan *p, const hed__nn_moment *m, const hed_array *const *state, hed_array **next)
{
  const int kind = p->c->activation;
  hed_array *g[4];
  const hed_array *rate = m->dt ? hed_divide(m->dt, p->d[SCALE]) : hed_reciprocal(p->d[SCALE]), *e = hed_exp(hed_negative(rate));
  gates(p, m, state[0], g);
  next[1] = remember(p, g, state[1]);
  const hed_array *mixed = hed_add(next[1], hed_multiply(e, hed_subtract(state[0], next[1])));
  return next[0] = hed_multiply(hed_sigmoid(g[3]),
                                hed__nn_activated(mixed, kind == HED_NN_DEFAULT ? HED_NN_TANH : kind, p->c->slope));
}

const hed__nn_family hed__nn_lstm = { "LSTM", 2, true, list, prepare, input, step, 1 + RECURRENT, 0 };
const hed__nn_family hed__nn_leaky = { "LEAKY_LSTM", 2, true, list_leaky, prepare, input, step_leaky, 1 + RECURRENT, 0 };
