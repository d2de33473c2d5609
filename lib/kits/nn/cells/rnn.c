// SPDX-License-Identifier: BSD-3-Clause
/* Elman's cell, and the same in continuous time.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/cells/cell.h"

/* d: the recurrent weights transposed, both biases together; behind the gates' parameters: tau. */
enum { W_IH, W_HH, B_IH, B_HH };
enum { RECURRENT, BIAS };

static int tau_at(const hed_nn_cell *c) { return c->no_bias ? B_IH : B_HH + 1; }

static void list(const hed_nn_cell *c, hed__nn_specs *s) { hed__nn_add_gates(c, s, 1, c->units); }

static void list_tau(const hed_nn_cell *c, hed__nn_specs *s)
{
  list(c, s);
  (void)hed__nn_add(s, "tau", HED_SHAPE(c->units), HED__NN_CONSTANT, 1, 1);
}

static hed_status prepare(hed__nn_plan *p)
{
  p->d[RECURRENT] = hed_matrix_transpose(p->w[W_HH]);
  p->d[BIAS] = p->c->no_bias ? NULL : hed_add(p->w[B_IH], p->w[B_HH]);
  return p->d[RECURRENT] && (p->c->no_bias || p->d[BIAS]) ? HED_OK : hed_error();
}

static hed_array *input(const hed__nn_plan *p, const hed_array *x) { return hed__nn_affine(x, p->w[W_IH], p->d[BIAS]); }

static hed_array *target(const hed__nn_plan *p, const hed__nn_moment *m, const hed_array *h)
{
  const int kind = p->c->activation == HED_NN_DEFAULT ? HED_NN_TANH : p->c->activation;
  return hed__nn_activated(hed__nn_plus_product(p, m, m->x, h, p->d[RECURRENT]), kind, p->c->slope);
}

static hed_array *step(const hed__nn_plan *p, const hed__nn_moment *m, const hed_array *const *state, hed_array **next)
{
  return next[0] = target(p, m, state[0]);
}

static hed_array *step_tau(const hed__nn_plan *p, const hed__nn_moment *m, const hed_array *const *state, hed_array **next)
{
  const hed_array *h = state[0], *share = hed__nn_share(p->c, p->w[tau_at(p->c)], m->dt);
  return next[0] = hed_add(h, hed_multiply(share, hed_subtract(target(p, m, h), h)));
}

const hed__nn_family hed__nn_rnn = { "RNN", 1, true, list, prepare, input, step, 1 + RECURRENT, 0 };
const hed__nn_family hed__nn_ctrnn = { "CTRNN", 1, true, list_tau, prepare, input, step_tau, 1 + RECURRENT, 0 };
