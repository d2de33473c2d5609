// SPDX-License-Identifier: BSD-3-Clause
/* LSTM and GRU over time as one call of a recording.
 *
 * Layer: L4, nn kit. What a step needs again is kept: its gates and the state before. Backwards the gradients of the gates are
 * gathered, so that the weights' gradient is one product over all steps, not a sum of small ones.
 */
#include "kits/nn/sequence/whole.h"
#include <stdlib.h>

enum { OPERANDS = 5, RESULTS = 3 };

/* The two cells. Kept of a step are what hed_lstm_step() and hed_gru_step() give, and the states before it. */
enum { STEP, H, C, KEPT };
typedef struct kind {
  const char *name;
  int states, gates;
  /* What is kept of the step, and the new state, in the scope. */
  hed_array *(*forward)(const hed__nn_plan *p, const hed_array *in, const hed_array *const *state, hed_array **next);
  /* From gradients of the new state: of the input's part and of the product's, (B, gates U), and of the state, but for the product. */
  void (*backward)(const hed_array *const *kept, hed_array *const *d_next, hed_array **d_in, hed_array **d_product,
                   hed_array **d_state);
} kind;

typedef struct saved {
  const kind *k;
  int64_t steps;
  int32_t time;
  bool reverse, last_only, has_bias;
  hed_array *weight;            /* (U, gates U); all of these ours                                        */
  hed_array *counts;
  hed_array *kept[];            /* steps times KEPT                                                       */
} saved;

/* K U columns of X, from number FROM. */
static hed_array *units(const hed_array *x, const hed_array *state, int from, int k)
{
  const int64_t u = hed_array_shape(state).dim[1];
  return hed__nn_cols(x, from * u, (from + k) * u);
}

static hed_array *lstm_forward(const hed__nn_plan *p, const hed_array *in, const hed_array *const *state, hed_array **next)
{
  hed_array *step = hed_lstm_step(in, hed_matmul(state[0], p->d[1]), state[1]);
  next[0] = hed_index(step, 0, 5);
  next[1] = hed_index(step, 0, 4);
  return step;
}

static void lstm_backward(const hed_array *const *kept, hed_array *const *d_next, hed_array **d_in, hed_array **d_product,
                          hed_array **d_state)
{
  const hed_array *d = hed_lstm_step_back(kept[STEP], kept[C], d_next[0], d_next[1]);
  *d_in = *d_product = units(d, kept[C], 0, 4);
  d_state[1] = units(d, kept[C], 4, 1);
}

static hed_array *gru_forward(const hed__nn_plan *p, const hed_array *in, const hed_array *const *state, hed_array **next)
{
  hed_array *step = hed_gru_step(in, hed_matmul(state[0], p->d[0]), p->d[4], state[0]);
  next[0] = hed_index(step, 0, 4);
  return step;
}

static void gru_backward(const hed_array *const *kept, hed_array *const *d_next, hed_array **d_in, hed_array **d_product,
                         hed_array **d_state)
{
  const hed_array *d = hed_gru_step_back(kept[STEP], kept[H], d_next[0]);
  *d_in = units(d, kept[H], 0, 3);
  *d_product = units(d, kept[H], 3, 3);
  d_state[0] = units(d, kept[H], 6, 1);
}

static const kind lstm = { "LSTM sequence", 2, 4, lstm_forward, lstm_backward };
static const kind gru = { "GRU sequence", 1, 3, gru_forward, gru_backward };

static const kind *kind_of(const hed_nn_cell *c)
{
  return c->kind == HED_NN_LSTM && !c->peepholes && !c->projection ? &lstm : c->kind == HED_NN_GRU && !c->reset_before ? &gru : NULL;
}

static const hed_array *weight_of(const hed__nn_plan *p) { return p->d[p->c->kind == HED_NN_LSTM ? 1 : 0]; }

/* The recurrent bias of n, which is no part of the input's. */
static hed_array *bias_of(const hed__nn_plan *p) { return p->c->kind == HED_NN_GRU && !p->c->no_bias ? (hed_array *)p->w[3] : NULL; }

bool hed__nn_whole_has(const hed__nn_whole *w)
{
  const kind *k = kind_of(w->plan->c);
  bool recorded = k && (hed_array_is_recorded(w->in) || hed_array_is_recorded(weight_of(w->plan)));
  for (int i = 0; k && i < k->states; i++)
    recorded = recorded || hed_array_is_recorded(w->state[i]);
  return recorded;
}

/* ---- what is kept ---- */

static void drop(void *state)
{
  saved *s = state;
  for (int64_t k = 0; k < s->steps * KEPT; k++)
    hed_release(s->kept[k]);
  hed_release(s->weight);
  hed_release(s->counts);
  free(s);
}

static saved *begin(const hed__nn_whole *w)
{
  const kind *k = kind_of(w->plan->c);
  saved *s = calloc(1, sizeof *s + (size_t)(w->steps * KEPT) * sizeof s->kept[0]);
  if (!s) {
    (void)hed_fail(HED_E_NOMEM, "%s: no memory for %lld steps", w->op, (long long)w->steps);
    return NULL;
  }
  *s = (saved){ .k = k, .steps = w->steps, .time = w->time, .reverse = w->reverse, .last_only = w->last_only,
                .has_bias = bias_of(w->plan) != NULL };
  s->weight = hed_keep(hed_stop_gradient(weight_of(w->plan)));
  s->counts = hed_retain((hed_array *)w->counts);
  if (s->weight)
    return s;
  drop(s);
  return NULL;
}

static int64_t step_at(const saved *s, int64_t k) { return s->reverse ? s->steps - 1 - k : k; }

/* Which of the batch count in step T, (B, 1), or NULL. */
static hed_array *counting(const saved *s, int64_t t) { return s->counts ? hed_expand_dims(hed_index(s->counts, s->time, t),
                                                                                           1) : NULL; }

static hed_array *choose(const hed_array *counts, hed_array *x, const hed_array *other)
{
  return counts ? hed_where(counts, x, other ? other : hed_scalar(0)) : x;
}

static void replace(hed_array **ours, hed_array *x)
{
  hed_release(*ours);
  *ours = x;
}

/* ---- forwards ---- */

/* Step K of the pass: STATE is ours, Y the output where it counts. */
static hed_status forward_step(const hed__nn_whole *w, saved *s, int64_t k, hed_array **state, hed_array **y)
{
  const int64_t t = step_at(s, k);
  hed_array *next[2] = { NULL }, **mine = s->kept + k * KEPT, *out = NULL;
  hed_status status = HED_OK;
  HED_SCOPE_OR(status = hed_error()) {
    const hed_array *counts = counting(s, t);
    mine[STEP] = hed_retain(s->k->forward(w->plan, hed_index(w->in, w->time, t), (const hed_array *const *)state, next));
    for (int i = 0; i < s->k->states; i++)
      mine[H + i] = hed_retain(state[i]);
    out = hed_retain(choose(counts, next[0], s->last_only ? *y : NULL));
    for (int i = 0; i < s->k->states; i++)
      next[i] = hed_retain(choose(counts, next[i], state[i]));
  }
  status = status == HED_OK && !mine[STEP] ? hed_error() : status;
  for (int i = 0; i < s->k->states; i++) {
    status = status == HED_OK && !next[i] ? hed_error() : status;
    replace(&state[i], next[i]);
  }
  replace(y, out);
  return status == HED_OK && !out ? hed_error() : status;
}

static hed_array *forward(const hed__nn_whole *w, saved *s, hed_array **state)
{
  hed_array *out = NULL, **y = calloc((size_t)s->steps, sizeof *y);
  hed_status status = y ? HED_OK : hed_fail(HED_E_NOMEM, "%s: no memory for %lld steps", w->op, (long long)s->steps);
  for (int64_t k = 0; k < s->steps && status == HED_OK; k++) {
    if (s->last_only && !out)
      out = hed_keep(hed_zeros_like(state[0]));
    status = forward_step(w, s, k, state, s->last_only ? &out : &y[step_at(s, k)]);
  }
  if (status == HED_OK && !s->last_only)
    out = hed_keep(hed_stack((int)s->steps, (const hed_array *const *)y, s->time));
  for (int64_t k = 0; y && k < s->steps; k++)
    hed_release(y[k]);
  free(y);
  if (status != HED_OK) {
    hed_release(out);
    out = NULL;
  }
  return out;
}

/* ---- backwards ---- */

typedef struct back {
  const saved *s;
  const hed_array *d_y;         /* of all steps, or of the last; NULL: none                               */
  hed_array *d_state[2];        /* ours                                                                   */
  hed_array *d_last;            /* of the last output, where it has not been reached; ours                */
  hed_array **in, **product;    /* of each step, ours                                                     */
} back;

/* What comes to the new state in step T from its output. */
static hed_array *from_output(const back *b, int64_t t)
{
  return b->d_last ? b->d_last : b->d_y && !b->s->last_only ? hed_index(b->d_y, b->s->time, t) : NULL;
}

static hed_status back_step(back *b, int64_t k)
{
  const saved *s = b->s;
  const int64_t t = step_at(s, k);
  hed_array *now[2] = { NULL }, *d_in = NULL, *d_product = NULL, *d_state[2] = { NULL }, *next[2] = { NULL }, *d_last = NULL;
  hed_status status = HED_OK;
  HED_SCOPE_OR(status = hed_error()) {
    const hed_array *counts = counting(s, t), *more = from_output(b, t);
    now[0] = choose(counts, more ? hed_add(b->d_state[0], more) : b->d_state[0], NULL);
    now[1] = s->k->states > 1 ? choose(counts, b->d_state[1], NULL) : NULL;
    s->k->backward((const hed_array *const *)(s->kept + k * KEPT), now, &d_in, &d_product, d_state);
    const hed_array *through = hed_matmul(d_product, hed_matrix_transpose(s->weight));
    d_state[0] = d_state[0] ? hed_add(d_state[0], through) : (hed_array *)through;
    for (int i = 0; i < s->k->states; i++)
      next[i] = hed_retain(counts ? hed_add(d_state[i], hed_where(counts, hed_scalar(0), b->d_state[i])) : d_state[i]);
    b->in[t] = hed_retain(d_in);
    b->product[t] = hed_retain(d_product);
    if (b->d_last)
      d_last = hed_retain(counts ? hed_where(counts, hed_scalar(0), b->d_last) : hed_zeros_like(b->d_last));
  }
  if (b->d_last) {
    status = status == HED_OK && !d_last ? hed_error() : status;
    replace(&b->d_last, d_last);
  }
  for (int i = 0; i < s->k->states; i++) {
    status = status == HED_OK && !next[i] ? hed_error() : status;
    replace(&b->d_state[i], next[i]);
  }
  return status == HED_OK && (!b->in[t] || !b->product[t]) ? hed_error() : status;
}

/* (B, T, K) or (T, B, K) as rows. */
static hed_array *rows_of(const hed_array *x)
{
  const hed_shape s = hed_array_shape(x);
  return hed_reshape(x, HED_SHAPE(s.dim[0] * s.dim[1], s.dim[2]));
}

/* The state before each step, in the places of the steps; LIST has room for them. */
static hed_array *states_before(const saved *s, const hed_array **list)
{
  for (int64_t k = 0; k < s->steps; k++)
    list[step_at(s, k)] = s->kept[k * KEPT + H];
  return hed_stack((int)s->steps, list, s->time);
}

/* Gradients of the input's part, the weights, the states, and the recurrent bias: ours. */
static hed_status gather(const back *b, const hed_array **list, hed_array **gradient)
{
  const saved *s = b->s;
  const hed_array *product = hed_stack((int)s->steps, (const hed_array *const *)b->product, s->time);
  gradient[0] = b->in[0] == b->product[0] ? (hed_array *)product : hed_stack((int)s->steps, (const hed_array *const *)b->in, s->time);
  gradient[1] = hed_matmul(hed_matrix_transpose(rows_of(states_before(s, list))), rows_of(product));
  for (int i = 0; i < s->k->states; i++)
    gradient[2 + i] = hed_astype(b->d_state[i], hed_array_dtype(b->d_state[i]));
  const int64_t u = hed_array_shape(s->weight).dim[0];
  if (s->has_bias) {
    const hed_array *sums = hed_sum(hed__nn_cols(rows_of(product), 2 * u, 3 * u), &(hed_reduce){ .axes = HED_AXES(0) });
    gradient[2 + s->k->states] = hed_concatenate(2, (const hed_array *[]){ hed_zeros(HED_SHAPE(2 * u), hed_array_dtype(sums)),
                                                                          sums }, 0);
  }
  for (int i = 0; i < 2 + s->k->states + s->has_bias; i++)
    if (!gradient[i])
      return hed_error();
  return HED_OK;
}

static hed_status back_begin(back *b, const hed_array *const *cotangent)
{
  const saved *s = b->s;
  const hed_array *h = s->kept[H];
  b->d_y = cotangent[0];
  for (int i = 0; i < s->k->states; i++)
    if (!(b->d_state[i] = cotangent[1 + i] ? hed_retain((hed_array *)cotangent[1 + i]) : hed_keep(hed_zeros_like(h))))
      return hed_error();
  if (s->last_only && b->d_y)
    b->d_last = hed_retain((hed_array *)b->d_y);
  return HED_OK;
}

static hed_status run_back(void *state, int m, const hed_array *const *cotangent, int n, hed_array **gradient)
{
  const saved *s = state;
  back b = { .s = s };
  hed_array *kept[OPERANDS] = { NULL };
  (void)m;
  if (hed__nn_is_noted(s->weight))
    return hed_fail(HED_E_GRADIENT, "%s has no derivative of its gradient; the option by_steps does", s->k->name);
  const hed_array **list = calloc((size_t)(3 * s->steps), sizeof *list);
  if (!list)
    return hed_fail(HED_E_NOMEM, "%s: no memory for %lld steps", s->k->name, (long long)s->steps);
  b.in = (hed_array **)list + s->steps;
  b.product = b.in + s->steps;
  hed_status status = back_begin(&b, cotangent);
  for (int64_t k = s->steps - 1; k >= 0 && status == HED_OK; k--)
    status = back_step(&b, k);
  if (status == HED_OK)
    HED_SCOPE_OR(status = hed_error()) {
      status = gather(&b, list, kept);
      for (int i = 0; i < n; i++)
        kept[i] = status == HED_OK ? hed_keep(kept[i]) : NULL;
    }
  for (int64_t k = 0; k < s->steps; k++) {
    hed_release(b.in[k]);
    hed_release(b.product[k]);
  }
  free(list);
  hed_release(b.d_last);
  for (int i = 0; i < 2; i++)
    hed_release(b.d_state[i]);
  return hed__nn_hand_on(n, kept, gradient, status);
}

hed_array *hed__nn_whole_run(const hed__nn_whole *w, hed_array **last)
{
  hed_array *y[RESULTS] = { NULL }, *bias = bias_of(w->plan);
  const hed_array *x[OPERANDS] = { w->in, weight_of(w->plan) };
  hed_status status = HED_OK;
  int n = 2;
  saved *s = begin(w);
  if (!s)
    return NULL;
  const kind *k = s->k;
  for (int i = 0; i < k->states; i++)
    x[n++] = w->state[i];
  if (bias)
    x[n++] = bias;
  HED_UNRECORDED {
    for (int i = 0; i < k->states; i++)
      y[1 + i] = hed_retain((hed_array *)w->state[i]);
    y[0] = forward(w, s, y + 1);
  }
  status = y[0] ? HED_OK : hed_error();
  if (status == HED_OK)
    status = hed_custom_vjp(k->name, run_back, s, drop, n, x, 1 + k->states, y);
  else
    drop(s);
  for (int i = 0; i < k->states; i++)
    last[i] = status == HED_OK ? y[1 + i] : NULL;
  for (int i = 0; i < RESULTS && status != HED_OK; i++)
    hed_release(y[i]);
  return status == HED_OK ? y[0] : NULL;
}
