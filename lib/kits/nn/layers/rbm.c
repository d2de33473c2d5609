// SPDX-License-Identifier: BSD-3-Clause
/* Restricted Boltzmann machines of units that are 0 or 1.
 *
 * Layer: L4, nn kit. E(v, h) = -v b - h c - h W v. G. Hinton, Neural Computation 14 (2002); T. Tieleman, ICML (2008).
 */
#include "kits/nn/layers/layers.h"
#include <heddle/kits/nn_rbm.h>

/* The parameters of a call, of shapes that fit each other. */
typedef struct machine {
  const hed_array *w, *visible, *hidden; /* (H, V), (V), (H) */
  int64_t v, h;
} machine;

hed_status hed_nn_rbm_init(hed_nn_params *p, const char *prefix, int64_t visible, int64_t hidden, hed_dtype t, const hed_random *r)
{
  static const char *const op = "hed_nn_rbm_init";
  if (visible < 1 || hidden < 1)
    return hed_fail(HED_E_INVAL, "%s: visible is %lld, hidden %lld; both have to be at least 1", op, (long long)visible,
                    (long long)hidden);
  const hed__nn_new list[3] = { { .name = "weight", .shape = HED_SHAPE(hidden, visible), .drawn = true, .limit = 0.01 },
                                { .name = "visible_bias", .shape = HED_SHAPE(visible) },
                                { .name = "hidden_bias", .shape = HED_SHAPE(hidden) } };
  return hed__nn_layer_init(op, p, prefix, 3, list, t, r);
}

static hed_status find(const char *op, const hed_nn_params *p, const char *prefix, machine *m)
{
  m->w = hed__nn_layer_weight(op, p, prefix, "weight", false);
  m->visible = m->w ? hed__nn_layer_weight(op, p, prefix, "visible_bias", false) : NULL;
  m->hidden = m->visible ? hed__nn_layer_weight(op, p, prefix, "hidden_bias", false) : NULL;
  if (!m->hidden)
    return hed_error();
  const hed_shape s = hed_array_shape(m->w);
  if (s.ndim != 2)
    return hed_fail(HED_E_SHAPE, "%s: parameter weight has %d axes; wanted are 2", op, (int)s.ndim);
  m->h = s.dim[0];
  m->v = s.dim[1];
  const hed_status status = hed__nn_wants_shape(op, "parameter", "visible_bias", m->visible, HED_SHAPE(m->v));
  return status == HED_OK ? hed__nn_wants_shape(op, "parameter", "hidden_bias", m->hidden, HED_SHAPE(m->h)) : status;
}

static hed_status wants(const char *op, const char *name, const hed_array *x, int64_t units)
{
  return hed__nn_wants_shape(op, "argument", name, x, HED_SHAPE(hed_array_ndim(x) == 2 ? hed_array_shape(x).dim[0] : 0, units));
}

/* What the sigmoids are of: of hidden units for V (B, V), of visible ones for H (B, H). */
static hed_array *up(const machine *m, const hed_array *v) { return hed__nn_affine(v, m->w, m->hidden); }
static hed_array *down(const machine *m, const hed_array *h) { return hed_add(hed_matmul(h, m->w), m->visible); }

/* What F makes of the samples X, argument NAME, of visible units or hidden ones. */
static hed_array *of_samples(const char *op, const hed_nn_params *p, const char *prefix, const char *name, bool of_visible,
                             const hed_array *x, hed_array *(*f)(const machine *m, const hed_array *x))
{
  machine m;
  hed_array *kept = NULL;
  if (!hed__operand_given(op, name, x) || find(op, p, prefix, &m) != HED_OK || wants(op, name, x, of_visible ? m.v : m.h) != HED_OK)
    return NULL;
  HED_SCOPE kept = hed_keep(f(&m, x));
  return hed__nn_out(kept);
}

static hed_array *hidden(const machine *m, const hed_array *v) { return hed_sigmoid(up(m, v)); }
static hed_array *visible(const machine *m, const hed_array *h) { return hed_sigmoid(down(m, h)); }

static hed_array *free_energy(const machine *m, const hed_array *v)
{
  const hed_reduce last = { .axes = HED_AXES(-1) };
  return hed_negative(hed_add(hed_sum(hed_softplus(up(m, v)), &last), hed_matmul(v, m->visible)));
}

hed_array *hed_nn_rbm_hidden(const hed_nn_params *p, const char *prefix, const hed_array *v)
{
  return of_samples("hed_nn_rbm_hidden", p, prefix, "v", true, v, hidden);
}

hed_array *hed_nn_rbm_visible(const hed_nn_params *p, const char *prefix, const hed_array *h)
{
  return of_samples("hed_nn_rbm_visible", p, prefix, "h", false, h, visible);
}

hed_array *hed_nn_rbm_free_energy(const hed_nn_params *p, const char *prefix, const hed_array *v)
{
  return of_samples("hed_nn_rbm_free_energy", p, prefix, "v", true, v, free_energy);
}

/* 1 with the probability that LOGIT is the logit of, as draw K of KEY. */
static hed_array *drawn(const hed_array *logit, uint64_t key, int64_t k)
{
  const hed_random r = { .seed = hed_fold_key(key, (uint64_t)k), .seeded = true };
  const hed_array *u = logit ? hed_random_uniform(hed_array_shape(logit), hed_array_dtype(logit), &r) : NULL;
  return hed_astype(hed_less(u, hed_sigmoid(logit)), hed_array_dtype(logit));
}

/* V after STEPS times down and up; ours. */
static hed_array *gibbs(const machine *m, const hed_array *v, int64_t steps, uint64_t key)
{
  hed_array *now = hed_retain((hed_array *)v);
  for (int64_t k = 0; k < steps && now; k++) {
    hed_array *was = now;
    now = NULL;
    HED_SCOPE now = hed_keep(drawn(down(m, drawn(up(m, was), key, 2 * k)), key, 2 * k + 1));
    hed_release(was);
  }
  return now;
}

static hed_status steps_and_key(const char *op, int64_t steps, const hed_random *r, uint64_t *key)
{
  hed_generator g;
  if (steps < 1)
    return hed_fail(HED_E_INVAL, "%s: steps is %lld; it has to be at least 1", op, (long long)steps);
  const hed_status status = hed_check_random_state(r, &g);
  *key = status == HED_OK ? hed_fold_key(g.key, g.draw) : 0;
  return status;
}

hed_array *hed_nn_rbm_gibbs(const hed_nn_params *p, const char *prefix, const hed_array *v, int64_t steps, const hed_random *r)
{
  static const char *const op = "hed_nn_rbm_gibbs";
  machine m;
  uint64_t key = 0;
  if (!hed__operand_given(op, "v", v) || find(op, p, prefix, &m) != HED_OK || wants(op, "v", v, m.v) != HED_OK ||
      steps_and_key(op, steps, r, &key) != HED_OK)
    return NULL;
  return hed__nn_out(gibbs(&m, v, steps, key));
}

/* Means over the samples of h v, v and h, h being probabilities. */
static void statistics(const machine *m, const hed_array *v, const hed_array **out)
{
  const hed_reduce samples = { .axes = HED_AXES(0) };
  const hed_array *h = hidden(m, v);
  out[0] = hed_divide_scalar(hed_matmul(hed_matrix_transpose(h), v), (double)hed_array_shape(v).dim[0]);
  out[1] = hed_mean(v, &samples);
  out[2] = hed_mean(h, &samples);
}

static hed_status gradients(const machine *m, const hed_array *v, const hed_array *chain, const char *prefix, hed_nn_params *out)
{
  static const char *const names[] = { "weight", "visible_bias", "hidden_bias" };
  const hed_array *data[3], *model[3];
  char full[HED__NN_NAME_ROOM];
  hed_status status = HED_OK;
  statistics(m, v, data);
  statistics(m, chain, model);
  for (int k = 0; k < 3 && status == HED_OK; k++) {
    const hed_array *g = hed_subtract(model[k], data[k]);
    status = g ? hed__nn_name("hed_nn_rbm_gradient", prefix, names[k], full) : hed_error();
    if (status == HED_OK)
      status = hed_nn_params_set(out, full, g);
  }
  return status;
}

hed_status hed_nn_rbm_gradient(const hed_nn_params *p, const char *prefix, const hed_array *v, int64_t steps, hed_array *chain,
                               const hed_random *r, hed_nn_params **out)
{
  static const char *const op = "hed_nn_rbm_gradient";
  machine m;
  uint64_t key = 0;
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = NULL;
  if (!hed__operand_given(op, "v", v))
    return hed_error();
  hed_status status = find(op, p, prefix, &m);
  if (status == HED_OK)
    status = wants(op, "v", v, m.v);
  if (status == HED_OK && hed_array_shape(v).dim[0] < 1)
    status = hed_fail(HED_E_INVAL, "%s: there are no samples", op);
  if (status == HED_OK && chain)
    status = wants(op, "chain", chain, m.v);
  if (status == HED_OK && chain && hed_array_shape(chain).dim[0] < 1)
    status = hed_fail(HED_E_INVAL, "%s: the chain has no samples", op);
  if (status == HED_OK)
    status = steps_and_key(op, steps, r, &key);
  if (status == HED_OK)
    status = hed_nn_params_create(out);
  if (status != HED_OK)
    return status;
  HED_UNRECORDED {
    hed_array *end = gibbs(&m, chain ? chain : v, steps, key);
    status = end ? HED_OK : hed_error();
    if (status == HED_OK)
      HED_SCOPE_OR(status = hed_error()) status = gradients(&m, v, end, prefix, *out);
    if (status == HED_OK && chain)
      status = hed_copy_into(chain, end);
    hed_release(end);
  }
  if (status != HED_OK) {
    hed_nn_params_release(*out);
    *out = NULL;
  }
  return status;
}
