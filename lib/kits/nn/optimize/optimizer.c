// SPDX-License-Identifier: BSD-3-Clause
/* The object: groups, what is kept for each parameter, one step of all of them.
 *
 * Layer: L4, nn kit.
 */
#include "base/invariant.h"
#include "kits/nn/optimize/optimizer.h"
#include "kits/member.h"
#include <heddle/fuse.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

static hed_status check_options(const hed_nn_optimizer_options *o)
{
  const double number[] = { o->rate, o->momentum, o->dampening, o->beta1, o->beta2, o->alpha, o->eps, o->weight_decay, o->rate_decay,
                            o->initial };
  const char *const named[] = { "rate", "momentum", "dampening", "beta1", "beta2", "alpha", "eps", "weight_decay", "rate_decay",
                                "initial" };
  if (hed__expect_member("hed_nn_optimizer_create", "rule", (int)o->rule, 0, HED_NN_RULES - 1, "hed_nn_rule") != HED_OK)
    return hed_error();
  for (int k = 0; k < 10; k++)
    if (!isfinite(number[k]))
      return hed_fail(HED_E_INVAL, "hed_nn_optimizer_create: %s is %g, not finite", named[k], number[k]);
  for (int k = 3; k < 6; k++)
    if (number[k] >= 1)
      return hed_fail(HED_E_INVAL, "hed_nn_optimizer_create: %s is %g, not below 1", named[k], number[k]);
  if (o->momentum < 0)
    return hed_fail(HED_E_INVAL, "hed_nn_optimizer_create: momentum is %g, below 0", o->momentum);
  if (o->initial < 0)
    return hed_fail(HED_E_INVAL, "hed_nn_optimizer_create: initial is %g, below 0", o->initial);
  if (o->nesterov && (o->rule != HED_NN_SGD || o->momentum <= 0 || o->dampening != 0))
    return hed_fail(HED_E_INVAL, "hed_nn_optimizer_create: nesterov is for SGD with momentum, which is %g, and without dampening, "
                    "which is %g", o->momentum, o->dampening);
  return HED_OK;
}

static double filled(double given, double otherwise) { return given > 0 ? given : given < 0 ? 0 : otherwise; }

static void fill_options(hed_nn_optimizer_options *o)
{
  const hed__nn_rule *rule = &hed__nn_rules[o->rule];
  o->rate = filled(o->rate, rule->rate);
  o->beta1 = filled(o->beta1, 0.9);
  o->beta2 = filled(o->beta2, rule->beta2);
  o->alpha = filled(o->alpha, 0.99);
  o->eps = filled(o->eps, rule->eps);
  o->weight_decay = filled(o->weight_decay, rule->weight_decay);
}

/* ---- the object ---- */

static void forget(hed__nn_param *p)
{
  hed_release(p->w);
  hed_release(p->master);
  for (int k = 0; k < HED__NN_SLOTS; k++)
    hed_release(p->slot[k]);
}

static hed_status check_param(int k, const hed_array *w)
{
  char name[32];
  (void)snprintf(name, sizeof name, "parameter %d", k);
  if (!hed__train_float("hed_nn_optimizer_create", name, w))
    return hed_error();
  return hed_array_is_read_only(w) ? hed_fail(HED_E_INVAL, "hed_nn_optimizer_create: %s is read-only", name) : HED_OK;
}

/* Zeros like W that no scope has. */
static hed_array *kept_full(const hed_array *w, double value) { return hed_keep(hed_full_like(w, value)); }

static hed_status begin_param(hed__nn_param *p, int k, hed_array *w, const hed__nn_group *g, int group)
{
  const hed__nn_rule *rule = &hed__nn_rules[g->o.rule];
  p->w = hed_retain(w);
  HED__ASSERT(k >= 0 && w && group >= 0);
  p->group = group;
  if (hed_dtype_size(hed_array_dtype(w)) == 2) {
    (void)snprintf(p->name[HED__NN_SLOTS], HED__NN_NAME, "%d.master", k);
    hed_array *wide = hed_astype(w, HED_FLOAT32);
    if (!(p->master = hed_keep(wide)))
      return hed_error();
  }
  const hed_array *like = p->master ? p->master : w;
  for (int j = 0; j < HED__NN_SLOTS && rule->slot(&g->o, j); j++) {
    (void)snprintf(p->name[j], HED__NN_NAME, "%d.%s", k, rule->slot(&g->o, j));
    if (!(p->slot[j] = kept_full(like, g->o.rule == HED_NN_ADAGRAD ? g->o.initial : 0)))
      return hed_error();
  }
  return HED_OK;
}

hed_status hed_nn_optimizer_add(hed_nn_optimizer *s, int n, hed_array *const *params, const hed_nn_optimizer_options *o)
{
  static const hed_nn_optimizer_options none;
  if (!s || n < 0 || (n > 0 && !params))
    return hed_fail(HED_E_INVAL, !s ? "hed_nn_optimizer_add: the optimiser is NULL" : n < 0
                    ? "hed_nn_optimizer_add: n is %d" : "hed_nn_optimizer_add: params is NULL for %d", n);
  hed_status status = check_options(o ? o : &none);
  for (int k = 0; k < n && status == HED_OK; k++)
    status = check_param(s->n + k, params[k]);
  if (status != HED_OK)
    return status;
  hed__nn_param *p = realloc(s->p, (size_t)(s->n + n + 1) * sizeof *p);
  s->p = p ? p : s->p;
  hed__nn_group *g = p ? realloc(s->g, (size_t)(s->groups + 1) * sizeof *g) : NULL;
  s->g = g ? g : s->g;
  if (!g)
    return hed_fail(HED_E_NOMEM, "hed_nn_optimizer_add: no memory for %d parameters", n);
  memset(p + s->n, 0, (size_t)n * sizeof *p);
  g += s->groups;
  *g = (hed__nn_group){ .o = o ? *o : none };
  fill_options(&g->o);
  (void)snprintf(g->name, sizeof g->name, "rate.%d", s->groups);
  g->rate = hed_keep(hed_full(HED_SHAPE0, g->o.rate, hed__train_wide()));
  status = g->rate ? HED_OK : hed_error();
  for (int k = 0; k < n && status == HED_OK; k++)
    status = begin_param(p + s->n + k, s->n + k, params[k], g, s->groups);
  if (status != HED_OK) {
    for (int k = 0; k < n; k++)
      forget(p + s->n + k);
    hed_release(g->rate);
    return status;
  }
  s->n += n;
  s->groups++;
  return HED_OK;
}

hed_status hed_nn_optimizer_create(int n, hed_array *const *params, const hed_nn_optimizer_options *o, hed_nn_optimizer **out)
{
  if (!out)
    return hed_fail(HED_E_INVAL, "hed_nn_optimizer_create: out is NULL");
  *out = NULL;
  hed_nn_optimizer *s = calloc(1, sizeof *s);
  if (!s)
    return hed_fail(HED_E_NOMEM, "hed_nn_optimizer_create: no memory");
  s->steps = hed_keep(hed_zeros(HED_SHAPE0, hed__train_wide()));
  const hed_status status = s->steps ? hed_nn_optimizer_add(s, n, params, o) : hed_error();
  if (status != HED_OK)
    hed_nn_optimizer_release(s);
  else
    *out = s;
  return status;
}

void hed_nn_optimizer_release(hed_nn_optimizer *s)
{
  if (!s)
    return;
  for (int k = 0; k < s->n; k++)
    forget(&s->p[k]);
  for (int k = 0; k < s->groups; k++)
    hed_release(s->g[k].rate);
  hed_release(s->steps);
  free(s->p);
  free(s->g);
  free(s);
}

int hed_nn_optimizer_count(const hed_nn_optimizer *s) { return s ? s->n : 0; }
int hed_nn_optimizer_groups(const hed_nn_optimizer *s) { return s ? s->groups : 0; }

static hed_status check_group(const char *op, const hed_nn_optimizer *s, int group, int least)
{
  if (!s)
    return hed_fail(HED_E_INVAL, "%s: the optimiser is NULL", op);
  return group < least || group >= s->groups
             ? hed_fail(HED_E_INDEX, "%s: group is %d, there are %d", op, group, s->groups) : HED_OK;
}

hed_array *hed_nn_optimizer_rate(const hed_nn_optimizer *s, int group)
{
  return check_group("hed_nn_optimizer_rate", s, group, 0) == HED_OK ? hed__train_same(s->g[group].rate) : NULL;
}

hed_array *hed_nn_optimizer_steps(const hed_nn_optimizer *s)
{
  if (!s)
    (void)hed_fail(HED_E_INVAL, "hed_nn_optimizer_steps: the optimiser is NULL");
  return s ? hed__train_same(s->steps) : NULL;
}

hed_status hed_nn_optimizer_set_rate(hed_nn_optimizer *s, int group, double rate)
{
  hed_status status = check_group("hed_nn_optimizer_set_rate", s, group, -1);
  if (status == HED_OK && !(isfinite(rate) && rate >= 0))
    status = hed_fail(HED_E_INVAL, "hed_nn_optimizer_set_rate: rate is %g, a number from 0 on is needed", rate);
  for (int k = group < 0 ? 0 : group; status == HED_OK && k < (group < 0 ? s->groups : group + 1); k++)
    status = hed_fill(s->g[k].rate, rate);
  return status;
}

hed_array *hed__nn_state_of(const hed_nn_optimizer *s, int k, const char **name)
{
  const char *unused;
  name = name ? name : &unused;
  if (!s || k < 0)
    return NULL;
  *name = k == 0 ? "steps" : k <= s->groups ? s->g[k - 1].name : NULL;
  if (k <= s->groups)
    return k == 0 ? s->steps : s->g[k - 1].rate;
  k -= 1 + s->groups;
  for (int i = 0; i < s->n; i++)
    for (int j = 0; j <= HED__NN_SLOTS; j++) {
      hed_array *x = j < HED__NN_SLOTS ? s->p[i].slot[j] : s->p[i].master;
      if (x && k-- == 0) {
        *name = s->p[i].name[j];
        return x;
      }
    }
  return NULL;
}

hed_array *hed_nn_optimizer_state(const hed_nn_optimizer *s, int k)
{
  const hed_array *x = hed__nn_state_of(s, k, NULL);
  if (!x)
    (void)hed_fail(s ? HED_E_INDEX : HED_E_INVAL, s ? "hed_nn_optimizer_state: there is no array %d"
                                                    : "hed_nn_optimizer_state: the optimiser is NULL (array %d)", k);
  return hed__train_same(x);
}

const char *hed_nn_optimizer_state_name(const hed_nn_optimizer *s, int k)
{
  const char *name = NULL;
  return hed__nn_state_of(s, k, &name) ? name : NULL;
}

/* ---- a step ---- */

static hed_status check_grads(const hed_nn_optimizer *s, int n, const hed_array *const *grads)
{
  char name[32], other[32];
  if (!s)
    return hed_fail(HED_E_INVAL, "hed_nn_optimizer_step: the optimiser is NULL");
  if (n != s->n || (n > 0 && !grads))
    return hed_fail(HED_E_INVAL, "hed_nn_optimizer_step: %d gradients%s, there are %d parameters", n, grads ? "" : " (NULL)", s->n);
  for (int k = 0; k < n; k++) {
    (void)snprintf(name, sizeof name, "gradient %d", k);
    (void)snprintf(other, sizeof other, "its parameter");
    if (grads[k] && (!hed__train_fits("hed_nn_optimizer_step", name, grads[k], other, s->p[k].w) ||
                     !hed__train_float("hed_nn_optimizer_step", name, grads[k])))
      return hed_error();
  }
  return HED_OK;
}

static const hed_array *as(const hed_array *x, hed_dtype t) { return x && hed_array_dtype(x) != t ? hed_astype(x, t) : x; }

static hed_status step_one(const hed__nn_param *p, const hed_array *grad, const hed__nn_group *g, const hed__nn_factors *f)
{
  hed_array *w = p->master ? p->master : p->w;
  const hed_dtype t = hed_array_dtype(w);
  hed_fuse_scope fused = { 0 };
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    const hed__nn_factors here = { as(f->rate, t), as(f->keep, t), as(f->eps, t), as(f->first, t) };
    const hed_array *along = as(grad, t);
    if (!along || !here.rate || !here.keep || (f->eps && !here.eps) || !here.first)
      return hed_error();
    if ((status = hed_fuse_begin(&fused)) != HED_OK)
      return status;
    if (g->o.maximize)
      along = hed_negative(along);
    status = hed__nn_rules[g->o.rule].step(p, w, along, &g->o, &here);
    if (status == HED_OK && p->master)
      status = hed_copy_into(p->w, w);
  }
  /* what was only in between is gone by now, and not written */
  const hed_status ended = hed_fuse_end(&fused);
  return status == HED_OK ? ended : status;
}

hed_status hed_nn_optimizer_step(hed_nn_optimizer *s, int n, const hed_array *const *grads)
{
  hed_status status = check_grads(s, n, grads);
  if (status == HED_OK)
    status = hed_add_scalar_into(s->steps, s->steps, 1);
  for (int k = 0, group = -1; k < n && status == HED_OK;) {
    group = s->p[k].group;
    HED_SCOPE_OR(return hed_error()) {
      const hed__nn_group *g = &s->g[group];
      const hed__nn_factors f = hed__nn_rules[g->o.rule].factors(g, s->steps);
      status = f.rate && f.keep && f.first ? HED_OK : hed_error();
      for (; k < n && s->p[k].group == group && status == HED_OK; k++)
        if (grads[k])
          status = step_one(&s->p[k], grads[k], g, &f);
    }
  }
  return status;
}
