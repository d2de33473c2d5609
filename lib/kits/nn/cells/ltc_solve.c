// SPDX-License-Identifier: BSD-3-Clause
/* Semi-implicit unfolds of a step of liquid time constants, as one call of a recording.
 *
 * Layer: L4, nn kit. An unfold takes v to (c v + pull + sum of w erev s) / (c + open + sum of w s + eps), where c = cm / dt and
 * s = sigmoid(sigma (v_pre - mu)). Kept of each are v and the denominator, (B, U); what is as large as synapses times the
 * batch is made anew backwards.
 */
#include "kits/nn/cells/ltc.h"
#include <stdlib.h>

enum { V, PULL, OPEN, C_OVER_DT, SYNAPSES, OPERANDS = SYNAPSES + 4 };
enum { SUMS = SYNAPSES + 1 };      /* gradients as they are added up: those of synapses together */

typedef struct saved {
  int64_t n;
  hed_array *c, *synapse[4];     /* ours, as all                                     */
  hed_array **v, **below;        /* before each unfold and after the last; of each   */
} saved;

static void drop(void *state)
{
  saved *s = state;
  for (int64_t k = 0; s->v && k <= s->n; k++) {
    hed_release(s->v[k]);
    hed_release(s->below[k]);
  }
  for (int k = 0; k < 4; k++)
    hed_release(s->synapse[k]);
  hed_release(s->c);
  free(s->v);
  free(s);
}

static saved *begin(const hed__nn_unfolds *u)
{
  saved *s = calloc(1, sizeof *s);
  hed_array **list = s ? calloc((size_t)(2 * (u->n + 1)), sizeof *list) : NULL;
  bool good = list != NULL;
  if (!good) {
    (void)hed_fail(HED_E_NOMEM, "LTC step: no memory for %lld unfolds", (long long)u->n);
    free(s);
    return NULL;
  }
  s->n = u->n;
  s->v = list;
  s->below = list + u->n + 1;
  good = (s->v[0] = hed_keep(hed_stop_gradient(u->v))) && (s->c = hed_keep(hed_stop_gradient(u->c_over_dt)));
  for (int k = 0; k < 4 && good; k++)
    good = (s->synapse[k] = hed_keep(hed_stop_gradient(u->synapse[k]))) != NULL;
  if (good)
    return s;
  drop(s);
  return NULL;
}

static hed_array *sums_of(const saved *s, const hed_array *v)
{
  hed_array *const *p = s->synapse;
  return hed_synapses(v, p[HED__NN_SIGMA], p[HED__NN_MU], p[HED__NN_W], p[HED__NN_WE]);
}

static hed_status forward(saved *s, const hed__nn_unfolds *u)
{
  for (int64_t k = 0; k < s->n; k++) {
    HED_FUSED HED_SCOPE_OR(return hed_error()) {
      const hed_array *v = s->v[k], *sums = sums_of(s, v);
      const hed_array *above = hed_add(hed_add(hed_multiply(s->c, v), u->pull), hed_index(sums, 0, 1));
      const hed_array *below = hed_add_scalar(hed_add(hed_add(s->c, u->open), hed_index(sums, 0, 0)), u->epsilon);
      s->below[k] = hed_retain((hed_array *)below);
      s->v[k + 1] = hed_retain(hed_divide(above, below));
    }
    if (!s->v[k + 1] || !s->below[k])
      return hed_error();
  }
  return HED_OK;
}

/* ---- backwards ---- */

static void replace(hed_array **ours, hed_array *x)
{
  hed_release(*ours);
  *ours = x;
}

static hed_array *plus(const hed_array *a, const hed_array *b) { return a ? hed_add(a, b) : (hed_array *)b; }

/* Unfold K: D has sums over later ones, ours, with V's gradient after this unfold in D[V], before it at the end. */
static hed_status back_unfold(const saved *s, int64_t k, hed_array **d)
{
  hed_array *now[SUMS] = { NULL };
  hed_status status = HED_OK;
  HED_FUSED HED_SCOPE_OR(status = hed_error()) {
    const hed_array *v = s->v[k], *a = hed_divide(d[V], s->below[k]), *b = hed_negative(hed_multiply(a, s->v[k + 1]));
    hed_array *const *p = s->synapse;
    const hed_array *of_sums = hed_stack(2, (const hed_array *const[]){ b, a }, 0);
    const hed_array *back = hed_synapses_back(v, p[HED__NN_SIGMA], p[HED__NN_MU], p[HED__NN_W], p[HED__NN_WE], of_sums);
    const int64_t synapses = 4 * hed_array_shape(p[0]).dim[0];
    now[V] = hed_add(hed_multiply(a, s->c), hed__nn_rows(back, synapses, hed_array_shape(back).dim[0]));
    now[SYNAPSES] = plus(d[SYNAPSES], hed__nn_rows(back, 0, synapses));
    now[PULL] = plus(d[PULL], a);
    now[OPEN] = plus(d[OPEN], b);
    now[C_OVER_DT] = plus(d[C_OVER_DT], hed_add(hed_multiply(a, v), b));
    for (int i = 0; i < SUMS; i++)
      now[i] = hed_retain(now[i]);
  }
  for (int i = 0; i < SUMS; i++) {
    status = status == HED_OK && !now[i] ? hed_error() : status;
    replace(&d[i], now[i]);
  }
  return status;
}

static hed_status back(void *state, int m, const hed_array *const *cotangent, int n, hed_array **gradient)
{
  const saved *s = state;
  hed_array *d[OPERANDS] = { NULL };
  (void)m, (void)n;
  if (!cotangent[0])
    return HED_OK;
  if (hed__nn_is_noted(s->c))
    return hed_fail(HED_E_GRADIENT, "LTC step has no derivative of its gradient; the option by_steps does");
  d[V] = hed_retain((hed_array *)cotangent[0]);
  hed_status status = HED_OK;
  for (int64_t k = s->n - 1; k >= 0 && status == HED_OK; k--)
    status = back_unfold(s, k, d);
  if (status == HED_OK && hed_array_ndim(s->c) < 2)
    replace(&d[C_OVER_DT], hed_keep(hed_sum(d[C_OVER_DT], &(hed_reduce){ .axes = HED_AXES(0) })));
  hed_array *all = d[SYNAPSES];
  const int64_t targets = hed_array_shape(all).dim[0] / 4;
  for (int i = 0; i < 4; i++)
    d[SYNAPSES + i] = status == HED_OK ? hed_keep(hed__nn_rows(all, i * targets, (i + 1) * targets)) : NULL;
  hed_release(all);
  for (int i = 0; i < OPERANDS && status == HED_OK; i++)
    status = d[i] ? HED_OK : hed_error();
  return hed__nn_hand_on(OPERANDS, d, gradient, status);
}

bool hed__nn_ltc_records(const hed__nn_unfolds *u)
{
  bool recorded = hed_array_is_recorded(u->v) || hed_array_is_recorded(u->pull) || hed_array_is_recorded(u->open)
                  || hed_array_is_recorded(u->c_over_dt);
  for (int k = 0; k < 4; k++)
    recorded = recorded || hed_array_is_recorded(u->synapse[k]);
  return recorded;
}

hed_array *hed__nn_ltc_solve(const hed__nn_unfolds *u)
{
  const hed_array *x[OPERANDS] = { u->v, u->pull, u->open, u->c_over_dt };
  saved *s = begin(u);
  hed_array *y = NULL;
  if (!s)
    return NULL;
  for (int k = 0; k < 4; k++)
    x[SYNAPSES + k] = u->synapse[k];
  HED_UNRECORDED y = forward(s, u) == HED_OK ? hed_astype(s->v[s->n], hed_array_dtype(s->v[s->n])) : NULL;
  if (!y) {
    drop(s);
    return NULL;
  }
  return hed_custom_vjp("LTC step", back, s, drop, OPERANDS, x, 1, &y) == HED_OK ? y : NULL;
}
