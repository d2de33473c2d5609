// SPDX-License-Identifier: BSD-3-Clause
/* A step of a cell by itself.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/cells/kinds.h"
#include "kits/nn/lists.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

hed_status hed_nn_cell_init(const hed_nn_cell *c, hed_nn_params *p, const char *prefix, hed_dtype t, const hed_random *r)
{
  static const char *const op = "hed_nn_cell_init";
  hed_generator g;
  hed_status status = hed__nn_cell_check(op, c);
  if (status == HED_OK && (!p || !t))
    status = hed_fail(HED_E_INVAL, "%s: %s is NULL", op, p ? "the dtype" : "p");
  if (status == HED_OK)
    status = hed_check_random_state(r, &g);
  return status == HED_OK ? hed__nn_init(op, c, p, &(hed__nn_place){ prefix, -1, false }, t, &g) : status;
}

hed_status hed__nn_check_dt(const char *op, const hed_array *dt)
{
  double worst = 0;
  hed_status status = HED_OK;
  if (!dt || hed_array_size(dt) == 0)
    return HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    /* The first place where it is not at least 0, and whether it is wrong there. */
    const hed_array *flat = hed_ravel(dt), *wrong = hed_logical_not(hed_greater_equal_scalar(flat, 0));
    const hed_array *at = hed_argmax(wrong, NULL);
    int64_t k = 0, is = 0;
    status = hed_item_int(at, &k);
    if (status == HED_OK)
      status = hed_item_int(hed_index(wrong, 0, k), &is);
    if (status == HED_OK && is) {
      status = hed_item(hed_index(flat, 0, k), &worst);
      if (status == HED_OK)
        status = hed_fail(HED_E_INVAL, "%s: dt is %g at element %lld of %lld; it has to be at least 0", op, worst, (long long)k,
                          (long long)hed_array_size(dt));
    }
  }
  return status;
}

hed_status hed__nn_begin_state(const char *op, const hed_nn_cell *c, int64_t lead, int64_t batch, hed_dtype t,
                               const hed_array *const *state, const hed_array **out)
{
  hed_status status = HED_OK;
  for (int k = 0; k < hed__nn_states(c) && status == HED_OK; k++) {
    char number[16];
    hed_shape s = hed__nn_state_shape(c, batch, k);
    if (lead) {
      for (int d = s.ndim; d > 0; d--)
        s.dim[d] = s.dim[d - 1];
      s.dim[0] = lead;
      s.ndim++;
    }
    (void)snprintf(number, sizeof number, "%d", k);
    out[k] = state && state[k] ? state[k] : hed_zeros(s, t);
    status = out[k] ? hed__nn_wants_shape(op, "state", number, out[k], s) : hed_error();
  }
  return status;
}

/* DT as a number or (B, 1). */
static hed_status take_dt(const char *op, const hed_nn_step_options *o, int64_t batch, const hed_array **dt)
{
  *dt = o->dt;
  if (!o->dt)
    return HED_OK;
  if (hed_array_ndim(o->dt) > 0) {
    const hed_status status = hed__nn_wants_shape(op, "argument", "dt", o->dt, HED_SHAPE(batch));
    if (status != HED_OK)
      return status;
    *dt = hed_expand_dims(o->dt, 1);
  }
  return !*dt ? hed_error() : o->unchecked ? HED_OK : hed__nn_check_dt(op, o->dt);
}

typedef struct request {
  const hed_nn_cell *c;
  const hed_nn_params *p;
  const char *prefix;
  const hed_array *x, *const *state;
  const hed_nn_step_options *o;
} request;

/* NEXT and Y are ours. */
static hed_status run(const char *op, const request *r, hed__nn_plan *plan, hed_array **next, hed_array **y)
{
  const hed_array *state[HED_NN_STATES] = { NULL };
  const int64_t batch = hed_array_ndim(r->x) == 2 ? hed_array_shape(r->x).dim[0] : 0;
  hed_generator g = { 0, 0 };
  hed__nn_moment m = { .step = 0 };
  hed_status status = hed__nn_wants_shape(op, "argument", "x", r->x, HED_SHAPE(batch, r->c->input));
  if (status == HED_OK)
    status = hed__nn_plan_make(op, r->c, r->p, &(hed__nn_place){ r->prefix, -1, false }, plan);
  if (status == HED_OK)
    status = hed__nn_begin_state(op, r->c, 0, batch, hed_result_type(2, (const hed_array *[]){ r->x, plan->w[0] }, 0, NULL),
                                 r->state, state);
  if (status == HED_OK)
    status = take_dt(op, r->o, batch, &m.dt);
  if (status == HED_OK && r->o->training && r->c->backbone_dropout > 0)
    status = hed_check_random_state(&r->o->random, &g);
  plan->training = r->o->training;
  plan->key = hed_fold_key(g.key, g.draw);
  m.x = status == HED_OK ? plan->family->input(plan, r->x) : NULL;
  if (status == HED_OK)
    HED_FUSED HED_SCOPE_OR(status = hed_error()) {
      *y = hed_retain(hed__nn_plan_step(plan, &m, r->x, state, next));
      for (int k = 0; k < hed__nn_states(r->c); k++)
        next[k] = hed_retain(next[k]);
    }
  for (int k = 0; k < hed__nn_states(r->c) && status == HED_OK; k++)
    status = next[k] && *y ? HED_OK : hed_error();
  return status;
}

hed_array *hed_nn_cell_step(const hed_nn_cell *c, const hed_nn_params *p, const char *prefix, const hed_array *x,
                            const hed_array *const *state, hed_array **next, const hed_nn_step_options *opt)
{
  static const char *const op = "hed_nn_cell_step";
  const hed_nn_step_options none = { .dt = NULL };
  const request r = { c, p, prefix, x, state, opt ? opt : &none };
  hed_array *made[HED_NN_STATES + 1] = { NULL }, *out[HED_NN_STATES + 1] = { NULL };
  hed_status status = hed__nn_cell_check(op, c);
  const int n = status == HED_OK ? hed__nn_states(c) : 0;
  for (int k = 0; next && k < n; k++)
    next[k] = NULL;
  if (status != HED_OK || !hed__operand_given(op, "x", x))
    return NULL;
  hed__nn_plan *plan = malloc(sizeof *plan);
  status = plan ? HED_OK : hed_fail(HED_E_NOMEM, "%s: no memory", op);
  if (status == HED_OK)
    HED_SCOPE_OR(status = hed_error()) status = run(op, &r, plan, made + 1, &made[0]);
  free(plan);
  status = hed__nn_hand_on(n + 1, made, out, status);
  for (int k = 0; k < n; k++)
    if (next)
      next[k] = out[k + 1];
    else
      hed_release(out[k + 1]);
  return out[0];
}

hed_status hed_nn_cell_clip(const hed_nn_cell *c, hed_nn_params *p, const char *prefix)
{
  static const char *const op = "hed_nn_cell_clip";
  static const char *const names[] = { "gleak", "cm", "w", "sensory_w" };
  char name[HED__NN_NAME_ROOM];
  hed_status status = hed__nn_cell_check(op, c);
  if (status == HED_OK && (!p || c->kind != HED_NN_LTC))
    status = hed_fail(HED_E_INVAL, "%s: %s", op, p ? "the cell is no LTC" : "p is NULL");
  for (int k = 0; k < 4 && status == HED_OK; k++) {
    if (snprintf(name, sizeof name, "%s%s%s", prefix ? prefix : "", prefix && *prefix ? "." : "", names[k]) >= HED__NN_NAME_ROOM)
      return hed_fail(HED_E_INVAL, "%s: the prefix is too long", op);
    hed_array *x = hed_nn_params_get(p, name);
    status = x ? hed_clip_into(x, x, 0, (double)INFINITY) : hed_error();
  }
  return status;
}
