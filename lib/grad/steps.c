// SPDX-License-Identifier: BSD-3-Clause
/* Rules of steps of recurrent cells: by the operations that are their gradients, and have parts when they are differentiated
 * themselves. L3. */
#include "grad/back.h"

static hed_array *plane(const hed_array *x, int k) { return hed_index(x, 0, k); }
static hed_array *columns(const hed_array *x, int64_t from, int64_t to) { return hed__stretch(x, 1, from, to, 1); }
static hed_array *of_sigmoid(const hed_array *y) { return hed_multiply(y, hed_scalar_subtract(1, y)); }
static hed_array *of_tanh(const hed_array *y) { return hed_scalar_subtract(1, hed_square(y)); }

static hed_status give(hed__back *b, int32_t k, hed_array *d)
{
  return b->wanted[k] ? hed__give(b, k, d) : HED_OK;
}

/* Beside what the step hands on, its gates are results, too: by the slopes of their functions. */
hed_status hed__back_lstm_step(hed__back *b)
{
  const hed_array *y = b->out[0], *g = b->g[0], *of_gates[4];
  const hed_array *back = hed_lstm_step_back(y, b->in[2], plane(g, 5), plane(g, 4));
  const int64_t u = b->made[0]->dim[2];
  for (int k = 0; k < 4; k++)
    of_gates[k] = hed_multiply(plane(g, k), k == 2 ? of_tanh(plane(y, k)) : of_sigmoid(plane(y, k)));
  hed_array *gates = hed_add(columns(back, 0, 4 * u), hed_concatenate(4, of_gates, 1));
  hed_status status = give(b, 0, gates);
  if (status == HED_OK)
    status = give(b, 1, gates);
  return status == HED_OK ? give(b, 2, columns(back, 4 * u, 5 * u)) : status;
}

hed_status hed__back_gru_step(hed__back *b)
{
  const hed_array *y = b->out[0], *g = b->g[0], *r = plane(y, 0), *back = hed_gru_step_back(y, b->in[3], plane(g, 4));
  const int64_t u = b->made[0]->dim[2];
  const hed_array *n = hed_multiply(plane(g, 2), of_tanh(plane(y, 2)));
  const hed_array *gate = hed_multiply(hed_add(plane(g, 0), hed_multiply(n, plane(y, 3))), of_sigmoid(r));
  const hed_array *z = hed_multiply(plane(g, 1), of_sigmoid(plane(y, 1))), *q = hed_add(plane(g, 3), hed_multiply(n, r));
  const hed_array *const more[6] = { gate, z, n, gate, z, q };
  const hed_array *both = hed_add(columns(back, 0, 6 * u), hed_concatenate(6, more, 1));
  hed_status status = give(b, 0, columns(both, 0, 3 * u));
  if (status == HED_OK)
    status = give(b, 1, columns(both, 3 * u, 6 * u));
  if (status == HED_OK && b->wanted[2])
    status = give(b, 2, hed_sum(columns(both, 5 * u, 6 * u), &(hed_reduce){ .axes = HED_AXES(0) }));
  return status == HED_OK ? give(b, 3, columns(back, 6 * u, 7 * u)) : status;
}

/* In the rows of one array: sigma, mu, w, e, and v at the end. */
hed_status hed__back_synapses(hed__back *b)
{
  const hed_array *const *x = b->in, *all = hed_synapses_back(x[0], x[1], x[2], x[3], x[4], b->g[0]);
  const int64_t targets = x[1] ? x[1]->view.dim[0] : 0;
  for (int32_t k = 0; k < 5 && all; k++)
    if (b->wanted[k]
        && !(b->d[k] = hed__stretch(all, 0, k ? (k - 1) * targets : 4 * targets, k ? k * targets : all->view.dim[0], 1)))
      return hed_error();
  return hed__made(all);
}
