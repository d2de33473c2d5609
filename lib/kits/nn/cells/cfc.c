// SPDX-License-Identifier: BSD-3-Clause
/* The closed form of continuous time: a backbone of [x, h], and heads.
 *
 * Layer: L4, nn kit. The first layer is taken apart: its product with x is done for all steps at once.
 */
#include "kits/nn/cells/cfc.h"
#include <math.h>
#include <stdio.h>

/* The first layer's parts of x and of h transposed, its bias; all heads' weights and biases; the other layers' weights are as they
 * are. */
enum { OF_X, OF_H, BIAS, HEADS, HEADS_BIAS };

static int64_t layers(const hed_nn_cell *c) { return c->backbone_layers < 0 ? 0 : c->backbone_layers ? c->backbone_layers : 1; }
static int64_t width(const hed_nn_cell *c) { return c->backbone_units ? c->backbone_units : 128; }

static void list(const hed_nn_cell *c, hed__nn_specs *s)
{
  const int64_t both = c->input + c->units;
  const int64_t every = c->backbone_dropout > 0 ? 3 : 2; /* modules of a layer, in the numbers that names have */
  char name[40];
  for (int64_t k = 0; k < layers(c); k++) {
    const int64_t from = k == 0 ? both : width(c);
    const double l = 1 / sqrt((double)from);
    (void)snprintf(name, sizeof name, "backbone.%lld.weight", (long long)(k * every));
    (void)hed__nn_add(s, name, HED_SHAPE(width(c), from), HED__NN_GLOROT, 0, 0);
    (void)snprintf(name, sizeof name, "backbone.%lld.bias", (long long)(k * every));
    (void)hed__nn_add(s, name, HED_SHAPE(width(c)), HED__NN_UNIFORM, -l, l);
  }
  hed__nn_cfc_list(c, s, "", layers(c) ? width(c) : both, c->units);
}

static hed_status prepare(hed__nn_plan *p)
{
  const hed_nn_cell *c = p->c;
  const int64_t n = layers(c);
  const hed_array *const *heads = p->w + 2 * n;
  p->d[HEADS] = hed__nn_cfc_weights(c, heads, NULL);
  p->d[HEADS_BIAS] = hed__nn_cfc_biases(c, heads);
  const hed_array *first = n ? hed_matrix_transpose(p->w[0]) : p->d[HEADS];
  p->d[OF_X] = hed__nn_rows(first, 0, c->input);
  p->d[OF_H] = hed__nn_rows(first, c->input, c->input + c->units);
  p->d[BIAS] = n ? p->w[1] : p->d[HEADS_BIAS];
  return p->d[OF_X] && p->d[OF_H] && p->d[BIAS] && p->d[HEADS] && p->d[HEADS_BIAS] ? HED_OK : hed_error();
}

static hed_array *input(const hed__nn_plan *p, const hed_array *x) { return hed_add(hed_matmul(x, p->d[OF_X]), p->d[BIAS]); }

static hed_array *step(const hed__nn_plan *p, const hed__nn_moment *m, const hed_array *const *state, hed_array **next)
{
  const hed_nn_cell *c = p->c;
  const int kind = c->activation == HED_NN_DEFAULT ? HED_NN_LECUN_TANH : c->activation;
  const int64_t n = layers(c);
  hed_array *y = hed__nn_plus_product(p, m, m->x, state[0], p->d[OF_H]);
  for (int64_t k = 0; k < n; k++) {
    y = hed__nn_activated(k == 0 ? y : hed__nn_affine(y, p->w[2 * k], p->w[2 * k + 1]), kind, c->slope != 0 ? c->slope : 0.666);
    if (p->training)
      y = hed__nn_dropped(y, c->backbone_dropout, hed_fold_key(hed_fold_key(p->key, (uint64_t)m->step), (uint64_t)k), false);
  }
  if (n)
    y = hed_add(hed__nn_product(p->of_features, m->turn, y, p->d[HEADS]), p->d[HEADS_BIAS]);
  return next[0] = hed__nn_cfc_state(c, p->w + 2 * n, y, m->dt);
}

const hed__nn_family hed__nn_cfc = { "CFC", 1, false, list, prepare, input, step, 1 + OF_H, 1 + HEADS };
