// SPDX-License-Identifier: BSD-3-Clause
/* From a tree of parameters to what steps read; and steps with memory before and a projection behind.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/cells/kinds.h"
#include "kits/shapes.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

/* The name of S at AT, into NAME: "rnn.weight_ih_l0", "rnn_cell_l1.ff1.weight", "lstm_l1_reverse.input_map.bias". */
static hed_status full_name(const char *op, const hed_nn_cell *c, const hed__nn_place *at, const hed__nn_spec *s, char *name)
{
  char suffix[40] = "";
  const char *prefix = at->prefix && *at->prefix ? at->prefix : "", *dot = *prefix ? "." : "";
  const bool layered = hed__nn_family_of(c)->layered;
  int n;
  if (at->layer >= 0 && (layered || at->layer > 0 || at->reverse))
    (void)snprintf(suffix, sizeof suffix, "_l%lld%s", (long long)at->layer, at->reverse ? "_reverse" : "");
  if (layered)
    n = snprintf(name, HED__NN_NAME_ROOM, "%s%s%s%s", prefix, dot, s->name, suffix);
  else if (s->beside) {
    const int head = (int)strcspn(s->name, ".");
    n = snprintf(name, HED__NN_NAME_ROOM, "%s%s%.*s%s%s", prefix, dot, head, s->name, suffix, s->name + head);
  } else
    n = snprintf(name, HED__NN_NAME_ROOM, "%s%s%s%s%s%s", prefix, dot, at->layer >= 0 ? "rnn_cell" : "", suffix,
                 at->layer >= 0 ? "." : "", s->name);
  return n < HED__NN_NAME_ROOM ? HED_OK
                          : hed_fail(HED_E_INVAL, "%s: the prefix \"%.60s\"... is too long; a name has at most %d bytes", op, prefix,
                                     HED__NN_NAME_ROOM - 1);
}

/* ---- parameters made ---- */

static hed_array *drawn(const hed__nn_spec *s, hed_dtype t, const char *name, uint64_t key)
{
  hed_generator g = { hed_fold_key(key, hed__nn_hash(name)), 0 };
  hed_random r = { .generator = &g, .low = s->low, .high = s->high };
  switch (s->how) {
  case HED__NN_UNIFORM: return hed_random_uniform(s->shape, t, &r);
  case HED__NN_GLOROT: return hed_random_glorot_uniform(s->shape, t, &(hed_random){ .generator = &g });
  case HED__NN_ORTHOGONAL: return hed_orthogonal(s->shape, 1, t, &(hed_random){ .generator = &g });
  case HED__NN_CONSTANT: return hed_full(s->shape, s->low, t);
  case HED__NN_POLARITY: return hed_random_bipolar(s->shape, 2.0 / 3, t, &(hed_random){ .generator = &g });
  case HED__NN_GIVEN: return hed_astype(s->given, t);
  default: return s->given ? hed_astype(hed_not_equal_scalar(s->given, 0), t) : hed_ones(s->shape, t);
  }
}

/* Room for all parameters of a cell. */
static hed_status begin(const char *op, hed__nn_specs *s, bool values)
{
  *s = (hed__nn_specs){ .values = values, .s = malloc(HED__NN_WEIGHTS * sizeof *s->s) };
  return s->s ? HED_OK : hed_fail(HED_E_NOMEM, "%s: no memory for a list of parameters", op);
}

hed_status hed__nn_init(const char *op, const hed_nn_cell *c, hed_nn_params *p, const hed__nn_place *at, hed_dtype t,
                        const hed_generator *g)
{
  const int64_t before = hed_nn_params_count(p);
  char name[HED__NN_NAME_ROOM];
  hed__nn_specs s;
  hed_status status = begin(op, &s, true);
  if (status == HED_OK)
    HED_SCOPE_OR(status = hed_error()) {
      hed__nn_list(c, &s);
      for (int k = 0; k < s.n && status == HED_OK; k++) {
        status = full_name(op, c, at, &s.s[k], name);
        if (status == HED_OK && hed_nn_params_find(p, name) >= 0)
          status = hed_fail(HED_E_INVAL, "%s: there is a parameter \"%.100s\" already", op, name);
        const hed_array *x = status == HED_OK ? drawn(&s.s[k], t, name, hed_fold_key(g->key, g->draw)) : NULL;
        if (status == HED_OK)
          status = x ? hed_nn_params_set(p, name, x) : hed_error();
        if (status == HED_OK && s.s[k].how == HED__NN_MASK)
          status = hed_nn_params_set_role(p, name, HED_NN_BUFFER);
      }
    }
  while (status != HED_OK && hed_nn_params_count(p) > before)
    (void)hed_nn_params_remove(p, hed_nn_params_name(p, hed_nn_params_count(p) - 1));
  free(s.s);
  return status;
}

/* ---- parameters looked up ---- */

hed_status hed__nn_wants_shape(const char *op, const char *what, const char *name, const hed_array *x, hed_shape want)
{
  char has[HED__SHAPE_WORDS], wanted[HED__SHAPE_WORDS];
  const hed_shape s = hed_array_shape(x);
  if (hed__same_shape(s, want))
    return HED_OK;
  return hed_fail(HED_E_SHAPE, "%s: %s %.100s has shape %s; wanted is %s", op, what, name, hed__shape_words(s, has),
                  hed__shape_words(want, wanted));
}

static hed_status look_up(const char *op, const hed_nn_cell *c, const hed_nn_params *p, const hed__nn_place *at, hed__nn_plan *plan)
{
  char name[HED__NN_NAME_ROOM];
  hed__nn_specs s;
  int memory = 0, output = 0;
  hed_status status = begin(op, &s, false);
  if (status == HED_OK)
    hed__nn_list(c, &s);
  for (int k = 0; k < s.n && status == HED_OK; k++) {
    const hed__nn_spec *one = &s.s[k];
    status = full_name(op, c, at, one, name);
    const hed_array *x = status == HED_OK ? hed_nn_params_get(p, name) : NULL;
    if (status == HED_OK)
      status = x ? hed__nn_wants_shape(op, "parameter", name, x, one->shape) : hed_error();
    if (!one->beside)
      plan->w[k] = x;
    else if (strncmp(one->name, "lstm", 4) == 0)
      plan->memory[memory++] = x;
    else
      plan->output[output++] = x;
  }
  free(s.s);
  return status;
}

hed_status hed__nn_plan_make(const char *op, const hed_nn_cell *c, const hed_nn_params *p, const hed__nn_place *at, hed__nn_plan *plan)
{
  *plan = (hed__nn_plan){ .c = c, .family = hed__nn_family_of(c) };
  if (!p)
    return hed_fail(HED_E_INVAL, "%s: p is NULL", op);
  const hed_status status = look_up(op, c, p, at, plan);
  return status == HED_OK ? plan->family->prepare(plan) : status;
}

/* ---- steps ---- */

/* The LSTM step of a mixed memory: gates lie in the order g i f o, and f has 1 added. */
static hed_array *remember(const hed__nn_plan *p, const hed_array *x, const hed_array *h, hed_array **c)
{
  const hed_array *z = hed_add(hed__nn_affine(x, p->memory[0], p->memory[1]), hed_matmul(h, hed_matrix_transpose(p->memory[2])));
  hed_array *g[4];
  hed__nn_parts(z, 4, g);
  const hed_array *f = hed_sigmoid(hed_add_scalar(g[2], 1));
  *c = hed_add(hed_multiply(*c, f), hed_multiply(hed_tanh(g[0]), hed_sigmoid(g[1])));
  return hed_multiply(hed_tanh(*c), hed_sigmoid(g[3]));
}

hed_array *hed__nn_plan_step(const hed__nn_plan *plan, const hed__nn_moment *m, const hed_array *raw, const hed_array *const *state,
                             hed_array **next)
{
  const hed_array *inner[HED_NN_STATES];
  const int n = plan->family->states;
  for (int k = 0; k < n; k++)
    inner[k] = state[k];
  if (plan->memory[0]) {
    next[n] = (hed_array *)state[n];
    inner[0] = remember(plan, raw, state[0], &next[n]);
  }
  hed_array *y = plan->family->step(plan, m, inner, next);
  return plan->output[0] ? hed__nn_affine(y, plan->output[0], plan->output[1]) : y;
}
