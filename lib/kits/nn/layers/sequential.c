// SPDX-License-Identifier: BSD-3-Clause
/* Lists of layers.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/layers/layers.h"
#include <stdio.h>

static hed_status check(const char *op, int n, const hed_nn_layer *layers)
{
  if (n < 0 || (n > 0 && !layers))
    return hed_fail(HED_E_INVAL, "%s: %s", op, n < 0 ? "n is negative" : "layers is NULL");
  for (int k = 0; k < n; k++) {
    if (layers[k].kind < 0 || layers[k].kind > HED_NN_LAYER_SEQUENCE)
      return hed_fail(HED_E_INVAL, "%s: kind of layer %d is %d, not in [0, %d]", op, k, (int)layers[k].kind,
                      (int)HED_NN_LAYER_SEQUENCE);
    if (layers[k].kind == HED_NN_LAYER_SEQUENCE && !layers[k].cell)
      return hed_fail(HED_E_INVAL, "%s: layer %d is a sequence without a cell", op, k);
  }
  return HED_OK;
}

/* "PREFIX.K" */
static hed_status below(const char *op, const char *prefix, int k, char *full)
{
  char number[16];
  (void)snprintf(number, sizeof number, "%d", k);
  return hed__nn_name(op, prefix, number, full);
}

static hed_status init_one(const hed_nn_layer *l, hed_nn_params *p, const char *at, hed_dtype t, const hed_random *r)
{
  const hed_shape last = HED_SHAPE(l->input);
  switch (l->kind) {
  case HED_NN_LAYER_LINEAR: return hed_nn_linear_init(p, at, l->input, l->output, !l->no_bias, t, r);
  case HED_NN_LAYER_EMBEDDING: return hed_nn_embedding_init(p, at, l->input, l->output, t, r);
  case HED_NN_LAYER_BATCH_NORM: return hed_nn_batch_norm_init(p, at, l->input, t);
  case HED_NN_LAYER_LAYER_NORM: return hed_nn_layer_norm_init(p, at, &last, t);
  case HED_NN_LAYER_RMS_NORM: return hed_nn_rms_norm_init(p, at, &last, t);
  case HED_NN_LAYER_SELF_ATTENTION: return hed_nn_multihead_init(p, at, l->input, t, r);
  case HED_NN_LAYER_SEQUENCE: return hed_nn_sequence_init(l->cell, l->options, p, at, t, r);
  default: return HED_OK;
  }
}

hed_status hed_nn_sequential_init(int n, const hed_nn_layer *layers, hed_nn_params *p, const char *prefix, hed_dtype t,
                                  const hed_random *r)
{
  static const char *const op = "hed_nn_sequential_init";
  const int64_t before = hed_nn_params_count(p);
  char at[HED__NN_NAME_ROOM];
  hed_generator g;
  hed_status status = check(op, n, layers);
  if (status == HED_OK && !p)
    status = hed_fail(HED_E_INVAL, "%s: p is NULL", op);
  if (status == HED_OK)
    status = hed_check_random_state(r, &g); /* names tell layers apart: all begin at one place */
  for (int k = 0; k < n && status == HED_OK; k++) {
    const hed_random one = { .seed = hed_fold_key(g.key, g.draw), .seeded = true };
    status = below(op, prefix, k, at);
    if (status == HED_OK)
      status = init_one(&layers[k], p, at, t, &one);
  }
  while (status != HED_OK && hed_nn_params_count(p) > before)
    (void)hed_nn_params_remove(p, hed_nn_params_name(p, hed_nn_params_count(p) - 1));
  return status;
}

static hed_array *run_one(const hed_nn_layer *l, int k, const hed_nn_params *p, const char *at, const hed_array *x,
                          const hed_nn_sequential_options *o)
{
  hed_nn_norm_options norm = l->norm;
  hed_nn_sequence_options sequence = l->options ? *l->options : (hed_nn_sequence_options){ .layers = 0 };
  norm.training = o->training;
  sequence.training = o->training;
  sequence.random = o->random;
  if (o->random.seeded)
    sequence.random.seed = hed_fold_key(hed_fold_key(o->random.seed, (uint64_t)o->step), (uint64_t)k);
  switch (l->kind) {
  case HED_NN_LAYER_LINEAR: return hed_nn_linear(p, at, x);
  case HED_NN_LAYER_EMBEDDING: return hed_nn_embedding(p, at, x);
  case HED_NN_LAYER_ACTIVATION: return hed_nn_activate(x, l->activation, 0);
  case HED_NN_LAYER_DROPOUT:
    return o->training ? hed_nn_dropout(x, l->rate, &(hed_nn_dropout_options){ .random = o->random, .step = o->step, .layer = k })
                       : hed_astype(x, hed_array_dtype(x));
  case HED_NN_LAYER_BATCH_NORM: return hed_nn_batch_norm(p, at, x, &norm);
  case HED_NN_LAYER_LAYER_NORM: return hed_nn_layer_norm(p, at, x, &norm);
  case HED_NN_LAYER_RMS_NORM: return hed_nn_rms_norm(p, at, x, &norm);
  case HED_NN_LAYER_SELF_ATTENTION: return hed_nn_multihead(p, at, x, x, x, &l->attention);
  default: return hed_nn_sequence(l->cell, &sequence, p, at, x, NULL);
  }
}

hed_array *hed_nn_sequential(int n, const hed_nn_layer *layers, const hed_nn_params *p, const char *prefix, const hed_array *x,
                             const hed_nn_sequential_options *opt)
{
  static const char *const op = "hed_nn_sequential";
  const hed_nn_sequential_options none = { .training = false };
  char at[HED__NN_NAME_ROOM];
  hed_array *kept = NULL;
  if (!hed__operand_given(op, "x", x) || check(op, n, layers) != HED_OK)
    return NULL;
  HED_SCOPE {
    const hed_array *y = hed_astype(x, hed_array_dtype(x));
    for (int k = 0; k < n && y; k++)
      y = below(op, prefix, k, at) == HED_OK ? run_one(&layers[k], k, p, at, y, opt ? opt : &none) : NULL;
    kept = hed_keep((hed_array *)y);
  }
  return hed__nn_out(kept);
}
