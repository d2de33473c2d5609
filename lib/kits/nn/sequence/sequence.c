// SPDX-License-Identifier: BSD-3-Clause
/* Cells over time, in layers and both directions.
 *
 * Layer: L4, nn kit. What a cell makes of its input is made for all steps at once; then come the steps. A step that does not count
 * leaves the state as it was, so that backwards a sequence begins at its own end by itself; its input is 0 and its dt 1, whatever
 * was there, as 0 times NaN would reach gradients.
 */
#include "kits/nn/cells/kinds.h"
#include "kits/nn/lists.h"
#include "kits/nn/sequence/whole.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct job {
  const char *op;
  const hed_nn_cell *c;
  const hed_nn_sequence_options *o;
  const hed_nn_params *p;
  const char *prefix;
  int64_t batch, steps, layers, directions;
  int32_t states;
  int32_t time;              /* the axis of steps: 0 or 1                                  */
  hed_dtype t;
  const hed_array *counts;   /* bool (B, T) or (T, B), NULL: all                           */
  const hed_array *dt;       /* as counts, or without the batch (T), or a number, or NULL  */
  const hed_array *begin[HED_NN_STATES];  /* (layers directions, B, ..)                    */
  uint64_t key;
} job;

/* One direction of one layer. */
typedef struct pass {
  const job *j;
  hed__nn_plan plan;
  const hed_array *x, *in;   /* its input, and what the family made of it: axes as x       */
  hed_array **in_at, **x_at; /* these by steps: taken apart at once, their gradients are put together in one piece; x NULL: not read */
  bool reverse;
  hed_array **y;             /* of each step, room for all                                 */
  hed_array *state[HED_NN_STATES], *last; /* ours */
} pass;

/* ---- what is given ---- */

static hed_status check_options(job *j, const hed_array *x)
{
  const hed_nn_sequence_options *o = j->o;
  const hed_shape s = hed_array_shape(x);
  j->time = o->time_first ? 0 : 1;
  if (s.ndim != 3 || s.dim[2] != j->c->input || s.dim[j->time] < 1)
    return hed_fail(HED_E_SHAPE, "%s: x has %d axes (%lld, %lld, %lld); wanted is %s of at least 1 step and %lld inputs", j->op,
                    (int)s.ndim,
                    s.ndim > 0 ? (long long)s.dim[0] : 1LL, s.ndim > 1 ? (long long)s.dim[1] : 1LL,
                    s.ndim > 2 ? (long long)s.dim[2] : 1LL, o->time_first ? "(T, B, I)" : "(B, T, I)", (long long)j->c->input);
  j->steps = s.dim[j->time];
  j->batch = s.dim[1 - j->time];
  if (o->layers < 0 || o->layers > 1000)
    return hed_fail(HED_E_INVAL, "%s: layers is %lld, not in [0, 1000]", j->op, (long long)o->layers);
  if (!(o->dropout >= 0 && o->dropout <= 1))
    return hed_fail(HED_E_INVAL, "%s: dropout is %g, not in [0, 1]", j->op, o->dropout);
  if (o->lengths && o->mask)
    return hed_fail(HED_E_INVAL, "%s: both lengths and mask are given", j->op);
  j->layers = o->layers ? o->layers : 1;
  j->directions = o->bidirectional ? 2 : 1;
  if (j->layers > 1 && j->c->kind == HED_NN_CFC && j->c->n_groups)
    return hed_fail(HED_E_UNSUPPORTED, "%s: layers is %lld; a wired cell has one", j->op, (long long)j->layers);
  return HED_OK;
}

static hed_status check_lengths(const job *j, const hed_array *lengths)
{
  hed_status status = HED_OK;
  const hed_kind kind = hed_dtype_kind(hed_array_dtype(lengths));
  if (kind != HED_KIND_INT && kind != HED_KIND_UINT)
    return hed_fail(HED_E_DTYPE, "%s: lengths are %s; they have to be integers", j->op, hed_dtype_name(hed_array_dtype(lengths)));
  status = hed__nn_wants_shape(j->op, "argument", "lengths", lengths, HED_SHAPE(j->batch));
  if (status != HED_OK || j->o->unchecked || j->batch == 0)
    return status;
  int64_t *n = malloc((size_t)j->batch * sizeof *n);
  if (!n)
    return hed_fail(HED_E_NOMEM, "%s: no memory for lengths", j->op);
  status = hed_to_host(hed_astype(lengths, HED_INT64), n, (size_t)j->batch * sizeof *n);
  for (int64_t k = 0; k < j->batch && status == HED_OK; k++)
    if (n[k] < 1 || n[k] > j->steps)
      status = hed_fail(HED_E_INVAL, "%s: lengths[%lld] is %lld, not in [1, %lld]", j->op, (long long)k, (long long)n[k],
                        (long long)j->steps);
  free(n);
  return status;
}

static hed_shape by_step(const job *j) { return j->time == 0 ? HED_SHAPE(j->steps, j->batch) : HED_SHAPE(j->batch, j->steps); }

/* Which steps count. */
static hed_status take_counts(job *j)
{
  const hed_nn_sequence_options *o = j->o;
  hed_status status = HED_OK;
  if (o->lengths) {
    status = check_lengths(j, o->lengths);
    const hed_array *at = status == HED_OK ? hed_arange_int(0, j->steps, 1, HED_INT64) : NULL;
    const hed_array *n = status == HED_OK ? hed_astype(o->lengths, HED_INT64) : NULL;
    j->counts = status != HED_OK ? NULL
                : j->time == 0   ? hed_less(hed_expand_dims(at, 1), n)
                                 : hed_less(at, hed_expand_dims(n, 1));
  } else if (o->mask) {
    status = hed__nn_wants_shape(j->op, "argument", "mask", o->mask, by_step(j));
    if (status == HED_OK && hed_array_dtype(o->mask) != HED_BOOL)
      status = hed_fail(HED_E_DTYPE, "%s: mask is %s; it has to be bool", j->op, hed_dtype_name(hed_array_dtype(o->mask)));
    j->counts = status == HED_OK ? o->mask : NULL;
  } else
    return HED_OK;
  return status == HED_OK && !j->counts ? hed_error() : status;
}

static hed_status take_dt(job *j)
{
  const hed_array *dt = j->o->dt;
  hed_status status = HED_OK;
  j->dt = dt;
  if (!dt)
    return HED_OK;
  if (hed_array_ndim(dt) == 1)
    status = hed__nn_wants_shape(j->op, "argument", "dt", dt, HED_SHAPE(j->steps));
  else if (hed_array_ndim(dt) > 0)
    status = hed__nn_wants_shape(j->op, "argument", "dt", dt, by_step(j));
  if (status == HED_OK && j->counts && hed_array_ndim(dt) == 2)
    j->dt = hed_where(j->counts, dt, hed_scalar(1));
  if (status == HED_OK && !j->dt)
    status = hed_error();
  return status == HED_OK && !j->o->unchecked ? hed__nn_check_dt(j->op, j->dt) : status;
}

/* Element K of the axis of steps, of an array that has the steps as axis TIME. */
static hed_array *at_step(const hed_array *x, int32_t time, int64_t k) { return hed_index(x, time, k); }

/* ---- a pass ---- */

/* The family's input for all steps: products like a matrix. */
static hed_status make_input(pass *q)
{
  const hed_shape s = hed_array_shape(q->x);
  const hed_array *flat = hed_reshape(q->x, HED_SHAPE(s.dim[0] * s.dim[1], s.dim[2]));
  const hed_array *made = q->plan.family->input(&q->plan, flat);
  q->in = made ? hed_reshape(made, HED_SHAPE(s.dim[0], s.dim[1], hed_array_shape(made).dim[1])) : NULL;
  return q->in ? HED_OK : hed_error();
}

/* MADE where the step counts, else OTHER (NULL: 0). */
static hed_array *if_counts(const hed_array *counts, hed_array *made, const hed_array *other)
{
  if (!counts)
    return made;
  for (int k = hed_array_ndim(counts); k < hed_array_ndim(made); k++)
    counts = hed_expand_dims(counts, -1);
  return hed_where(counts, made, other ? other : hed_scalar(0));
}

/* What comes from outside in step K. */
static hed__nn_moment moment(const pass *q, int64_t k)
{
  const job *j = q->j;
  const int axes = j->dt ? hed_array_ndim(j->dt) : 0;
  return (hed__nn_moment){ .step = k, .turn = q->reverse ? j->steps - 1 - k : k, .x = q->in_at[k],
                           .dt = axes == 2   ? hed_expand_dims(at_step(j->dt, j->time, k), 1)
                                 : axes == 1 ? hed_index(j->dt, 0, k)
                                             : j->dt };
}

/* The state, the output and the last one after step K, to be computed: all ours. */
static hed_status call_step(const pass *q, int64_t k, hed_array **out)
{
  const job *j = q->j;
  hed_array *next[HED_NN_STATES] = { NULL };
  const hed_array *counts = j->counts ? at_step(j->counts, j->time, k) : NULL;
  const hed_array *raw = q->x_at ? q->x_at[k] : NULL;
  const hed__nn_moment m = moment(q, k);
  hed_array *made = hed__nn_plan_step(&q->plan, &m, raw, (const hed_array *const *)q->state, next);
  for (int32_t i = 0; i < j->states; i++)
    out[i] = hed_retain(if_counts(counts, next[i], q->state[i]));
  out[HED_NN_STATES] = hed_retain(if_counts(counts, made, NULL));
  if (j->o->last_only)
    out[HED_NN_STATES + 1] = hed_retain(q->last ? if_counts(counts, made, q->last) : out[HED_NN_STATES]);
  for (int32_t i = 0; i < j->states; i++)
    if (!out[i])
      return hed_error();
  return out[HED_NN_STATES] && (!j->o->last_only || out[HED_NN_STATES + 1]) ? HED_OK : hed_error();
}

/* X in the place of *OURS, which is released. */
static void replace(hed_array **ours, hed_array *x)
{
  hed_release(*ours);
  *ours = x;
}

/* Step K in one pass, but for products: what is not kept is gone before the pass is made. */
static hed_status one_step(pass *q, int64_t k)
{
  const job *j = q->j;
  hed_array *out[HED_NN_STATES + 2] = { NULL };
  hed_status status = HED_OK;
  HED_FUSED HED_SCOPE_OR(status = hed_error()) status = call_step(q, k, out);
  for (int32_t i = 0; i < j->states && status == HED_OK; i++)
    /* What the next step gives back is added up before the output's part, as it is where steps do not count: the same bits. */
    if (!j->counts && hed_array_is_recorded(out[i])) {
      replace(&out[i], hed_keep(hed_astype(out[i], hed_array_dtype(out[i]))));
      status = out[i] ? HED_OK : hed_error();
    }
  if (status == HED_OK) {
    for (int32_t i = 0; i < j->states; i++) {
      replace(&q->state[i], out[i]);
      out[i] = NULL;
    }
    hed_array **to = j->o->last_only ? &q->last : &q->y[k];
    const int from = HED_NN_STATES + j->o->last_only;
    replace(to, out[from]);
    out[from] = NULL;
  }
  for (int i = 0; i < HED_NN_STATES + 2; i++)
    hed_release(out[i]);
  return status;
}

/* X by steps, in the scope: a list that is ours. */
static hed_array **by_steps(const job *j, const hed_array *x)
{
  hed_array **list = calloc((size_t)j->steps, sizeof *list);
  if (list && hed_unstack(x, j->time, list) == HED_OK)
    return list;
  if (!list)
    (void)hed_fail(HED_E_NOMEM, "%s: no memory for %lld steps", j->op, (long long)j->steps);
  free(list);
  return NULL;
}

/* In a recording, weights that each step multiplies by get their gradient in one product. */
static hed_status gather_products(pass *q)
{
  const hed__nn_family *f = q->plan.family;
  const hed_array *state = f->state_weight ? q->plan.d[f->state_weight - 1] : NULL;
  const hed_array *features = f->feature_weight ? q->plan.d[f->feature_weight - 1] : NULL;
  if (q->j->o->by_steps || q->j->steps < 2)
    return HED_OK;
  if (hed_array_is_recorded(state) && !(q->plan.of_state = hed__nn_gatherer_new(state, q->j->steps)))
    return hed_error();
  if (hed_array_is_recorded(features) && !(q->plan.of_features = hed__nn_gatherer_new(features, q->j->steps)))
    return hed_error();
  return HED_OK;
}

/* The same by one call of the recording. */
static hed_array *run_whole(pass *q, const hed__nn_whole *w)
{
  hed_array *last[HED_NN_STATES] = { NULL }, *y = hed__nn_whole_run(w, last);
  for (int32_t i = 0; i < q->j->states; i++)
    replace(&q->state[i], last[i]);
  return y;
}

/* The output, and the last state in Q, all ours; PLACE: number of the pass in the states. */
static hed_array *run_pass(pass *q, int64_t place)
{
  const job *j = q->j;
  hed_array *out = NULL;
  hed_status status = HED_OK;
  for (int32_t i = 0; i < j->states && status == HED_OK; i++) {
    q->state[i] = hed_keep(hed_index(j->begin[i], 0, place));
    status = q->state[i] ? HED_OK : hed_error();
  }
  if (status == HED_OK)
    status = make_input(q);
  if (status == HED_OK && !j->o->by_steps) {
    hed__nn_whole w = { j->op, &q->plan, q->in, j->counts, { NULL }, j->steps, j->time, q->reverse, j->o->last_only };
    for (int32_t i = 0; i < j->states; i++)
      w.state[i] = q->state[i];
    if (hed__nn_whole_has(&w))
      return run_whole(q, &w);
  }
  if (status == HED_OK)
    status = gather_products(q);
  if (status == HED_OK && !(q->in_at = by_steps(j, q->in)))
    status = hed_error();
  if (status == HED_OK && q->plan.memory[0] && !(q->x_at = by_steps(j, q->x)))
    status = hed_error();
  q->y = status == HED_OK ? calloc((size_t)j->steps, sizeof(hed_array *)) : NULL;
  if (status == HED_OK && !q->y)
    status = hed_fail(HED_E_NOMEM, "%s: no memory for %lld steps", j->op, (long long)j->steps);
  for (int64_t k = 0; k < j->steps && status == HED_OK; k++)
    status = one_step(q, q->reverse ? j->steps - 1 - k : k);
  if (status == HED_OK && j->o->last_only) {
    out = q->last;
    q->last = NULL;
  } else if (status == HED_OK)
    out = hed_keep(hed_stack((int)j->steps, (const hed_array *const *)q->y, j->time));
  for (int64_t k = 0; q->y && k < j->steps; k++)
    hed_release(q->y[k]);
  free(q->y);
  free(q->in_at);
  free(q->x_at);
  hed_release(q->last);
  hed__nn_gatherer_release(q->plan.of_state);
  hed__nn_gatherer_release(q->plan.of_features);
  return out;
}

/* ---- all passes ---- */

/* Layer L of X: its output in the scope, and its states at their places in ALL, ours. */
static hed_array *run_layer(const job *j, const hed_nn_cell *cell, int64_t l, const hed_array *x, hed_array **all)
{
  hed_array *out[2] = { NULL };
  hed_status status = HED_OK;
  pass *q = malloc(sizeof *q);
  if (!q)
    (void)hed_fail(HED_E_NOMEM, "%s: no memory", j->op);
  for (int d = 0; q && d < j->directions && status == HED_OK; d++) {
    const int64_t place = l * j->directions + d;
    *q = (pass){ .j = j, .x = x, .reverse = d == 1 };
    HED_SCOPE_OR(status = hed_error()) {
      status = hed__nn_plan_make(j->op, cell, j->p, &(hed__nn_place){ j->prefix, l, d == 1 }, &q->plan);
      q->plan.training = j->o->training;
      q->plan.by_hand = !j->o->by_steps;
      q->plan.key = hed_fold_key(hed_fold_key(j->key, (uint64_t)place), 1);
      out[d] = status == HED_OK ? run_pass(q, place) : NULL;
      status = out[d] ? HED_OK : hed_error();
    }
    for (int32_t i = 0; i < j->states; i++)
      all[place * j->states + i] = q->state[i];
  }
  free(q);
  hed_array *y = NULL;
  if (q && status == HED_OK)
    y = j->directions == 1 ? hed_astype(out[0], hed_array_dtype(out[0])) : hed_concatenate(2, (const hed_array *const *)out, -1);
  hed_release(out[0]);
  hed_release(out[1]);
  return y;
}

/* What goes from a layer to the next. */
static hed_array *between(const job *j, int64_t l, hed_array *y)
{
  const double p = j->o->training ? j->o->dropout : 0;
  if (!(p > 0))
    return y;
  const hed_array *by_time = j->time == 0 ? y : hed_swapaxes(y, 0, 1);
  hed_array *dropped = hed__nn_dropped(by_time, p, hed_fold_key(hed_fold_key(j->key, (uint64_t)l), 2), j->o->variational);
  return j->time == 0 ? dropped : hed_swapaxes(dropped, 0, 1);
}

static hed_array *run(const job *j, const hed_array *x, hed_array **all)
{
  hed_nn_cell cell = *j->c;
  hed_nn_sequence_options o = *j->o;
  job one = *j;
  one.o = &o;
  for (int64_t l = 0; l < j->layers && x; l++) {
    o.last_only = j->o->last_only && l == j->layers - 1;
    x = run_layer(&one, &cell, l, x, all);
    x = l + 1 < j->layers ? between(j, l, (hed_array *)x) : x;
    cell.input = hed__nn_output(j->c) * j->directions;
    cell.sensory = NULL; /* it is that of the input */
  }
  return (hed_array *)x;
}

/* Everything is checked and looked at. */
static hed_status prepare(job *j, const hed_array **x)
{
  hed_status status = check_options(j, *x);
  if (status == HED_OK)
    status = take_counts(j);
  if (status == HED_OK)
    status = take_dt(j);
  if (status == HED_OK && j->o->training && (j->o->dropout > 0 || j->c->backbone_dropout > 0)) {
    hed_generator g;
    status = hed_check_random_state(&j->o->random, &g);
    j->key = status == HED_OK ? hed_fold_key(g.key, g.draw) : 0;
  }
  j->t = hed_result_type(2, (const hed_array *[]){ *x, hed_nn_params_count(j->p) ? hed_nn_params_at(j->p, 0) : *x }, 0, NULL);
  if (status == HED_OK)
    status = hed__nn_begin_state(j->op, j->c, j->layers * j->directions, j->batch, j->t, j->o->state, j->begin);
  if (status == HED_OK && j->counts) {
    *x = hed_where(hed_expand_dims(j->counts, -1), *x, hed_scalar(0));
    status = *x ? HED_OK : hed_error();
  }
  return status;
}

/* The states of all passes, one array each, into LAST. */
static hed_status collect(const job *j, hed_array **all, hed_array **last)
{
  const int passes = (int)(j->layers * j->directions);
  const hed_array **list = malloc((size_t)passes * sizeof *list);
  hed_status status = list ? HED_OK : hed_fail(HED_E_NOMEM, "%s: no memory for %d states", j->op, passes);
  for (int32_t i = 0; i < j->states && status == HED_OK; i++) {
    for (int k = 0; k < passes; k++)
      list[k] = all[k * j->states + i];
    last[i] = hed_keep(hed_stack(passes, list, 0));
    status = last[i] ? HED_OK : hed_error();
  }
  free(list);
  return status;
}

hed_array *hed_nn_sequence(const hed_nn_cell *c, const hed_nn_sequence_options *opt, const hed_nn_params *p, const char *prefix,
                           const hed_array *x, hed_array **last)
{
  static const char *const op = "hed_nn_sequence";
  const hed_nn_sequence_options none = { .layers = 0 };
  job j = { .op = op, .c = c, .o = opt ? opt : &none, .p = p, .prefix = prefix };
  hed_array *kept[HED_NN_STATES + 1] = { NULL }, *out[HED_NN_STATES + 1] = { NULL };
  hed_status status = hed__nn_cell_check(op, c);
  j.states = status == HED_OK ? hed__nn_states(c) : 0;
  for (int k = 0; last && k < j.states; k++)
    last[k] = NULL;
  if (status == HED_OK && !p)
    status = hed_fail(HED_E_INVAL, "%s: p is NULL", op);
  if (status != HED_OK || !hed__operand_given(op, "x", x))
    return NULL;
  HED_SCOPE_OR(return NULL) {
    status = prepare(&j, &x);
    const size_t passes = (size_t)(j.layers * j.directions * j.states);
    hed_array **all = status == HED_OK ? calloc(passes, sizeof *all) : NULL;
    if (status == HED_OK && !all)
      status = hed_fail(HED_E_NOMEM, "%s: no memory for states", op);
    if (status == HED_OK) {
      hed_array *y = run(&j, x, all);
      kept[0] = y ? hed_keep(y) : NULL;
      status = y ? HED_OK : hed_error();
    }
    if (status == HED_OK && last)
      status = collect(&j, all, kept + 1);
    for (size_t k = 0; all && k < passes; k++)
      hed_release(all[k]);
    free(all);
  }
  status = hed__nn_hand_on(last ? j.states + 1 : 1, kept, out, status);
  for (int k = 0; last && k < j.states; k++)
    last[k] = out[k + 1];
  return out[0];
}

hed_status hed_nn_sequence_init(const hed_nn_cell *c, const hed_nn_sequence_options *opt, hed_nn_params *p, const char *prefix,
                                hed_dtype t, const hed_random *r)
{
  static const char *const op = "hed_nn_sequence_init";
  const int64_t layers = opt && opt->layers ? opt->layers : 1, directions = opt && opt->bidirectional ? 2 : 1;
  const int64_t before = hed_nn_params_count(p);
  hed_generator g;
  hed_status status = hed__nn_cell_check(op, c);
  if (status == HED_OK && (!p || !t))
    status = hed_fail(HED_E_INVAL, "%s: %s is NULL", op, p ? "the dtype" : "p");
  if (status == HED_OK && (layers < 1 || layers > 1000))
    status = hed_fail(HED_E_INVAL, "%s: layers is %lld, not in [0, 1000]", op, (long long)layers);
  if (status == HED_OK && layers > 1 && c->kind == HED_NN_CFC && c->n_groups)
    status = hed_fail(HED_E_UNSUPPORTED, "%s: layers is %lld; a wired cell has one", op, (long long)layers);
  if (status == HED_OK)
    status = hed_check_random_state(r, &g);
  hed_nn_cell cell = status == HED_OK ? *c : (hed_nn_cell){ 0 };
  for (int64_t l = 0; l < layers && status == HED_OK; l++) {
    for (int d = 0; d < directions && status == HED_OK; d++)
      status = hed__nn_init(op, &cell, p, &(hed__nn_place){ prefix, l, d == 1 }, t, &g);
    cell.input = hed__nn_output(c) * directions;
    cell.sensory = NULL; /* it is that of the input */
  }
  while (status != HED_OK && hed_nn_params_count(p) > before)
    (void)hed_nn_params_remove(p, hed_nn_params_name(p, hed_nn_params_count(p) - 1));
  return status;
}
