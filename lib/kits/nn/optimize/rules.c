// SPDX-License-Identifier: BSD-3-Clause
/* How each optimiser changes one parameter. Calls are elementwise, so that they become one pass where a backend fuses.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/optimize/optimizer.h"

typedef const hed_nn_optimizer_options options;
typedef const hed__nn_factors factors;

/* ---- names of what is kept ---- */

static const char *sgd_slot(options *o, int k) { return k == 0 && o->momentum > 0 ? "momentum_buffer" : NULL; }

static const char *adam_slot(options *o, int k)
{
  static const char *const names[] = { "exp_avg", "exp_avg_sq", "max_exp_avg_sq" };
  return k < (o->rule == HED_NN_AMSGRAD ? 3 : 2) ? names[k] : NULL;
}

static const char *rmsprop_slot(options *o, int k)
{
  const char *const names[] = { "square_avg", o->momentum > 0 ? "momentum_buffer" : "grad_avg", "grad_avg" };
  return k < 1 + (o->momentum > 0) + o->centered ? names[k] : NULL;
}

static const char *adagrad_slot(options *o, int k) { (void)o; return k == 0 ? "sum" : NULL; }
static const char *lion_slot(options *o, int k) { (void)o; return k == 0 ? "exp_avg" : NULL; }

/* ---- factors ---- */

static hed_array *kept_share(const hed__nn_group *g)
{
  return hed_scalar_subtract(1, hed_multiply_scalar(g->rate, g->o.weight_decay));
}

static hed__nn_factors plain_factors(const hed__nn_group *g, const hed_array *t)
{
  return (hed__nn_factors){ .rate = g->rate, .keep = kept_share(g),
                    .first = hed_where_scalar(hed_equal_scalar(t, 1), hed_ones_like(t), 1 - g->o.dampening) };
}

/* Both sides of the quotient times sqrt(1 - beta2^t): a division less for each element, as section 2 of the paper has it. */
static hed__nn_factors adam_factors(const hed__nn_group *g, const hed_array *t)
{
  const hed_array *root = hed_sqrt(hed_scalar_subtract(1, hed_scalar_power(g->o.beta2, t)));
  return (hed__nn_factors){ .rate = hed_multiply(hed_divide(g->rate, hed_scalar_subtract(1, hed_scalar_power(g->o.beta1, t))), root),
                    .keep = kept_share(g), .eps = hed_multiply_scalar(root, g->o.eps), .first = t };
}

static hed__nn_factors adagrad_factors(const hed__nn_group *g, const hed_array *t)
{
  const hed_array *slower = hed_add_scalar(hed_multiply_scalar(hed_subtract_scalar(t, 1), g->o.rate_decay), 1);
  return (hed__nn_factors){ .rate = hed_divide(g->rate, slower), .keep = g->rate, .first = t };
}

/* ---- steps ---- */

static hed_status mean_into(hed_array *mean, const hed_array *x, double share)
{
  return hed_add_into(mean, mean, hed_multiply_scalar(hed_subtract(x, mean), share));
}

/* Means move by a share of the difference: each call goes on with the result of the one before, which a fused pass keeps in
 * registers; the sum of two products would not. */
static hed_status squares_into(hed_array *mean, const hed_array *g, double stay)
{
  return mean_into(mean, hed_square(g), 1 - stay);
}

static const hed_array *decayed(const hed_array *g, const hed_array *w, options *o)
{
  return o->weight_decay != 0 ? hed_add(g, hed_multiply_scalar(w, o->weight_decay)) : g;
}

static hed_status sgd(const hed__nn_param *p, hed_array *w, const hed_array *g, options *o, factors *f)
{
  hed_array *b = p->slot[0];
  hed_status status = HED_OK;
  g = decayed(g, w, o);
  if (b) {
    status = hed_add_into(b, hed_multiply_scalar(b, o->momentum), o->dampening != 0 ? hed_multiply(g, f->first) : g);
    g = o->nesterov ? hed_add(g, hed_multiply_scalar(b, o->momentum)) : b;
  }
  return status == HED_OK ? hed_subtract_into(w, w, hed_multiply(g, f->rate)) : status;
}

static hed_status adam(const hed__nn_param *p, hed_array *w, const hed_array *g, options *o, factors *f)
{
  hed_array *m = p->slot[0], *v = p->slot[1], *most = p->slot[2];
  const hed_array *from = w;
  if (o->rule == HED_NN_ADAMW)
    from = o->weight_decay != 0 ? hed_multiply(w, f->keep) : w;
  else
    g = decayed(g, w, o);
  hed_status status = mean_into(m, g, 1 - o->beta1);
  if (status == HED_OK)
    status = squares_into(v, g, o->beta2);
  if (status == HED_OK && most)
    status = hed_maximum_into(most, most, v);
  if (status != HED_OK)
    return status;
  const hed_array *below = hed_add(hed_sqrt(most ? most : v), f->eps);
  return hed_subtract_into(w, from, hed_multiply(hed_divide(m, below), f->rate));
}

static hed_status rmsprop(const hed__nn_param *p, hed_array *w, const hed_array *g, options *o, factors *f)
{
  hed_array *v = p->slot[0], *b = o->momentum > 0 ? p->slot[1] : NULL, *mean = o->centered ? p->slot[b ? 2 : 1] : NULL;
  const hed_array *spread = v;
  g = decayed(g, w, o);
  hed_status status = squares_into(v, g, o->alpha);
  if (status == HED_OK && mean) {
    status = mean_into(mean, g, 1 - o->alpha);
    spread = hed_subtract(v, hed_square(mean));
  }
  if (status != HED_OK)
    return status;
  g = hed_divide(g, hed_add_scalar(hed_sqrt(spread), o->eps));
  if (b) {
    status = hed_add_into(b, hed_multiply_scalar(b, o->momentum), g);
    g = b;
  }
  return status == HED_OK ? hed_subtract_into(w, w, hed_multiply(g, f->rate)) : status;
}

static hed_status adagrad(const hed__nn_param *p, hed_array *w, const hed_array *g, options *o, factors *f)
{
  hed_array *sum = p->slot[0];
  g = decayed(g, w, o);
  const hed_status status = hed_add_into(sum, sum, hed_square(g));
  if (status != HED_OK)
    return status;
  return hed_subtract_into(w, w, hed_multiply(hed_divide(g, hed_add_scalar(hed_sqrt(sum), o->eps)), f->rate));
}

static hed_status lion(const hed__nn_param *p, hed_array *w, const hed_array *g, options *o, factors *f)
{
  hed_array *m = p->slot[0];
  const hed_array *from = o->weight_decay != 0 ? hed_multiply(w, f->keep) : w;
  const hed_array *way = hed_sign(hed_add(m, hed_multiply_scalar(hed_subtract(g, m), 1 - o->beta1)));
  const hed_status status = hed_subtract_into(w, from, hed_multiply(way, f->rate));
  if (status != HED_OK)
    return status;
  return mean_into(m, g, 1 - o->beta2);
}

const hed__nn_rule hed__nn_rules[HED_NN_RULES] = {
  [HED_NN_SGD] = { 0.01, 0, 0, 0, sgd_slot, plain_factors, sgd },
  [HED_NN_ADAM] = { 0.001, 0.999, 1e-8, 0, adam_slot, adam_factors, adam },
  [HED_NN_ADAMW] = { 0.001, 0.999, 1e-8, 0.01, adam_slot, adam_factors, adam },
  [HED_NN_AMSGRAD] = { 0.001, 0.999, 1e-8, 0, adam_slot, adam_factors, adam },
  [HED_NN_RMSPROP] = { 0.01, 0, 1e-8, 0, rmsprop_slot, plain_factors, rmsprop },
  [HED_NN_ADAGRAD] = { 0.01, 0, 1e-10, 0, adagrad_slot, adagrad_factors, adagrad },
  [HED_NN_LION] = { 0.0001, 0.99, 0, 0, lion_slot, plain_factors, lion },
};
