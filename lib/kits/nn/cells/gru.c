// SPDX-License-Identifier: BSD-3-Clause
/* Gated recurrent units with the reset before or after the product, in steps and in continuous time.
 *
 * Layer: L4, nn kit. Gates lie in the order r z n, as PyTorch has them.
 */
#include "kits/nn/cells/cell.h"

enum { W_IH, W_HH, B_IH, B_HH };
/* Recurrent weights transposed, of r and z alone and of n alone where the reset comes before; the bias of the
 * input's part, and that of the product's n, zeros where there is none. sequence/whole.c reads them by number. */
enum { RECURRENT, OF_RZ, OF_N, BIAS, BIAS_N };

static int tau_at(const hed_nn_cell *c) { return c->no_bias ? B_IH : B_HH + 1; }

static void list(const hed_nn_cell *c, hed__nn_specs *s) { hed__nn_add_gates(c, s, 3, c->units); }

static void list_tau(const hed_nn_cell *c, hed__nn_specs *s)
{
  list(c, s);
  (void)hed__nn_add(s, "tau", HED_SHAPE(c->units), HED__NN_CONSTANT, 1, 1);
}

/* The recurrent bias of n stays apart where r multiplies it; all else goes to the input's part, once for all steps. */
static hed_status prepare(hed__nn_plan *p)
{
  const int64_t u = p->c->units;
  p->d[RECURRENT] = hed_matrix_transpose(p->w[W_HH]);
  p->d[OF_RZ] = hed__nn_cols(p->d[RECURRENT], 0, 2 * u);
  p->d[OF_N] = hed__nn_cols(p->d[RECURRENT], 2 * u, 3 * u);
  if (p->c->no_bias) {
    p->d[BIAS_N] = hed_zeros(HED_SHAPE(u), hed_array_dtype(p->w[W_HH]));
    return p->d[OF_N] && p->d[OF_RZ] && p->d[BIAS_N] ? HED_OK : hed_error();
  }
  const hed_array *whole = hed_add(p->w[B_IH], p->w[B_HH]);
  const hed_array *parts[2] = { hed__nn_rows(whole, 0, 2 * u), hed__nn_rows(p->w[B_IH], 2 * u, 3 * u) };
  p->d[BIAS] = p->c->reset_before ? whole : hed_concatenate(2, parts, 0);
  p->d[BIAS_N] = hed__nn_rows(p->w[B_HH], 2 * u, 3 * u);
  return p->d[OF_N] && p->d[OF_RZ] && p->d[BIAS] && p->d[BIAS_N] ? HED_OK : hed_error();
}

static hed_array *input(const hed__nn_plan *p, const hed_array *x) { return hed__nn_affine(x, p->w[W_IH], p->d[BIAS]); }

static hed_array *target(const hed__nn_plan *p, const hed__nn_moment *m, const hed_array *h)
{
  hed_array *x[3], *g[3];
  const hed_array *z, *n;
  hed__nn_parts(m->x, 3, x);
  if (p->c->reset_before) {
    hed__nn_parts(hed_matmul(h, p->d[OF_RZ]), 2, g);
    const hed_array *r = hed_sigmoid(hed_add(x[0], g[0]));
    n = hed_tanh(hed_add(x[2], hed_matmul(hed_multiply(r, h), p->d[OF_N])));
  } else {
    hed__nn_parts(hed__nn_by_state(p, m, h, p->d[RECURRENT]), 3, g);
    const hed_array *r = hed_sigmoid(hed_add(x[0], g[0])), *gn = p->c->no_bias ? g[2] : hed_add(g[2], p->d[BIAS_N]);
    n = hed_tanh(hed_add(x[2], hed_multiply(r, gn)));
  }
  z = hed_sigmoid(hed_add(x[1], g[1]));
  return hed_add(n, hed_multiply(z, hed_subtract(h, n)));
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

const hed__nn_family hed__nn_gru = { "GRU", 1, true, list, prepare, input, step, 1 + RECURRENT, 0 };
const hed__nn_family hed__nn_ctgru = { "CTGRU", 1, true, list_tau, prepare, input, step_tau, 1 + RECURRENT, 0 };
