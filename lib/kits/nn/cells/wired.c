// SPDX-License-Identifier: BSD-3-Clause
/* CFC whose neurons are wired: groups, each a cell of its own that reads the one before.
 *
 * Layer: L4, nn kit. Neurons are numbered from the last group to the first; the state has the groups one after the other. A group
 * reads what the one before has become in this step, and the state of its own neurons; as others connect them all and leave out
 * synapses that lead back or over a group, ours reads the states of all neurons, by the wiring, each its own included.
 */
#include "kits/nn/cells/cfc.h"
#include <stdio.h>

/* Of group G, from 4 G on: weights of what is read first transposed and masked, those of the states, biases. */
enum { OF_X, OF_H, BIAS, EACH };

static int parameters(const hed_nn_cell *c) { return 1 + (c->mode == HED_NN_CFC_PURE ? 4 : 8); }

/* The first neuron of group G, and where its states begin. */
static int64_t neuron(const hed_nn_cell *c, int g)
{
  int64_t at = c->units;
  for (int k = 0; k <= g; k++)
    at -= c->groups[k];
  return at;
}

static int64_t place(const hed_nn_cell *c, int g)
{
  int64_t at = 0;
  for (int k = 0; k < g; k++)
    at += c->groups[k];
  return at;
}

static int64_t reads(const hed_nn_cell *c, int g) { return g ? c->groups[g - 1] : c->input; }
static int64_t states_read(const hed_nn_cell *c, int g) { return c->ncps_compatible ? c->groups[g] : c->units; }

static hed_array *block(const hed_array *x, int64_t row, int64_t rows, int64_t col, int64_t cols)
{
  const hed_slice_range r[2] = { HED_RANGE(row, row + rows, 1), HED_RANGE(col, col + cols, 1) };
  return hed_slice(x, 2, r);
}

/* From what group G reads to its neurons: 1 where there is a synapse; bool (reads + states, neurons). */
static hed_array *mask_of(const hed_nn_cell *c, int g)
{
  const hed_array *parts[1 + HED__NN_GROUPS];
  const int64_t first = neuron(c, g), n = c->groups[g];
  int k = 0;
  parts[k++] = hed_not_equal_scalar(g ? block(c->adjacency, neuron(c, g - 1), c->groups[g - 1], first, n)
                                      : block(c->sensory, 0, c->input, first, n), 0);
  if (c->ncps_compatible)
    parts[k++] = hed_ones(HED_SHAPE(n, n), HED_BOOL);
  for (int from = 0; from < c->n_groups && !c->ncps_compatible; from++) {
    const hed_array *part = hed_not_equal_scalar(block(c->adjacency, neuron(c, from), c->groups[from], first, n), 0);
    if (from == g)
      part = hed_logical_or(part, hed_eye(n, n, 0, HED_BOOL));
    else if (from == g - 1) /* read as it has become */
      part = hed_zeros(HED_SHAPE(c->groups[from], n), HED_BOOL);
    parts[k++] = part;
  }
  return hed_matrix_transpose(hed_concatenate(k, parts, 0));
}

static void list(const hed_nn_cell *c, hed__nn_specs *s)
{
  char name[40];
  for (int g = 0; g < c->n_groups; g++) {
    const int64_t features = reads(c, g) + states_read(c, g);
    (void)snprintf(name, sizeof name, "layer_%d.sparsity_mask", g);
    hed__nn_add(s, name, HED_SHAPE(c->groups[g], features), HED__NN_MASK, 0, 0)->given =
        s->values ? mask_of(c, g) : NULL;
    (void)snprintf(name, sizeof name, "layer_%d.", g);
    hed__nn_cfc_list(c, s, name, features, c->groups[g]);
  }
}

static hed_status prepare(hed__nn_plan *p)
{
  const hed_nn_cell *c = p->c;
  for (int g = 0; g < c->n_groups; g++) {
    const hed_array *const *w = p->w + g * parameters(c);
    const hed_array *all = hed__nn_cfc_weights(c, w + 1, hed_matrix_transpose(w[0]));
    const hed_array **d = p->d + EACH * g;
    d[OF_X] = hed__nn_rows(all, 0, reads(c, g));
    d[OF_H] = hed__nn_rows(all, reads(c, g), reads(c, g) + states_read(c, g));
    d[BIAS] = hed__nn_cfc_biases(c, w + 1);
    if (!d[OF_X] || !d[OF_H] || !d[BIAS])
      return hed_error();
  }
  return HED_OK;
}

static hed_array *input(const hed__nn_plan *p, const hed_array *x) { return hed_add(hed_matmul(x, p->d[OF_X]), p->d[BIAS]); }

static hed_array *step(const hed__nn_plan *p, const hed__nn_moment *m, const hed_array *const *state, hed_array **next)
{
  const hed_nn_cell *c = p->c;
  const hed_array *made[HED__NN_GROUPS];
  for (int g = 0; g < c->n_groups; g++) {
    const hed_array *const *d = p->d + EACH * g;
    const hed_array *x = g ? hed_add(hed_matmul(made[g - 1], d[OF_X]), d[BIAS]) : m->x;
    const hed_array *h = c->ncps_compatible ? hed__nn_cols(state[0], place(c, g), place(c, g) + c->groups[g]) : state[0];
    made[g] = hed__nn_cfc_state(c, p->w + g * parameters(c) + 1, hed_add(x, hed_matmul(h, d[OF_H])), m->dt);
  }
  next[0] = hed_concatenate(c->n_groups, made, 1);
  return (hed_array *)made[c->n_groups - 1];
}

const hed__nn_family hed__nn_wired = { "CFC", 1, false, list, prepare, input, step, 0, 0 };
