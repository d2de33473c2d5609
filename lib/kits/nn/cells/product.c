// SPDX-License-Identifier: BSD-3-Clause
/* Products of many steps with one weight, whose gradient is one product, too.
 *
 * Layer: L4, nn kit. A recording goes backwards through steps: each keeps what it has for the weight's gradient, and the first one,
 * which comes last, gives the sum of all.
 */
#include "kits/nn/cells/cell.h"
#include <stdlib.h>

struct hed__nn_gatherer {
  int64_t refs, steps;
  int64_t last;               /* the turn that has been, -1: none; turns go down one by one within a gradient */
  hed_array *weight;          /* (N, K); all of these ours                                                    */
  hed_array **x, **d;         /* of each turn: what was multiplied, and the product's gradient                */
};

typedef struct turn {
  hed__nn_gatherer *g;
  int64_t k;
  hed_array *x;
} turn;

static void clear(hed__nn_gatherer *g)
{
  for (int64_t k = 0; k < g->steps; k++) {
    hed_release(g->x[k]);
    hed_release(g->d[k]);
    g->x[k] = g->d[k] = NULL;
  }
  g->last = -1;
}

void hed__nn_gatherer_release(hed__nn_gatherer *g)
{
  if (!g || --g->refs > 0)
    return;
  clear(g);
  hed_release(g->weight);
  free(g->x);
  free(g);
}

hed__nn_gatherer *hed__nn_gatherer_new(const hed_array *weight, int64_t steps)
{
  hed__nn_gatherer *g = malloc(sizeof *g);
  hed_array **list = calloc((size_t)(2 * steps), sizeof *list);
  hed_array *w = g && list ? hed_keep(hed_stop_gradient(weight)) : NULL;
  if (w) {
    *g = (hed__nn_gatherer){ 1, steps, -1, w, list, list + steps };
    return g;
  }
  if (!g || !list)
    (void)hed_fail(HED_E_NOMEM, "hed_nn_sequence: no memory for %lld steps", (long long)steps);
  free(g);
  free(list);
  return NULL;
}

static void turn_done(void *state)
{
  turn *t = state;
  hed_release(t->x);
  hed__nn_gatherer_release(t->g);
  free(t);
}

/* The sum over turns of x^T d: ours, to be handed on. */
static hed_array *sum_of(const hed__nn_gatherer *g)
{
  hed_array *sum = NULL;
  int64_t n = 0;
  while (n < g->steps && g->d[n])
    n++;
  HED_SCOPE {
    const hed_array *x = hed_concatenate((int)n, (const hed_array *const *)g->x, 0);
    const hed_array *d = hed_concatenate((int)n, (const hed_array *const *)g->d, 0);
    sum = hed_keep(hed_matmul(hed_matrix_transpose(x), d));
  }
  return sum;
}

static hed_status turn_back(void *state, int m, const hed_array *const *cotangent, int n, hed_array **gradient)
{
  const turn *t = state;
  hed__nn_gatherer *g = t->g;
  (void)m, (void)n;
  if (!cotangent[0])
    return HED_OK;
  if (hed__nn_is_noted(g->weight))
    return hed_fail(HED_E_GRADIENT, "a sequence has no derivative of its gradient; with the option by_steps it does");
  if (g->last != t->k + 1)    /* another gradient begins */
    clear(g);
  g->last = t->k;
  g->x[t->k] = hed_retain(t->x);
  g->d[t->k] = hed_retain((hed_array *)cotangent[0]);
  gradient[0] = hed_matmul(cotangent[0], hed_matrix_transpose(g->weight));
  hed_array *sum = t->k == 0 ? sum_of(g) : NULL;
  gradient[1] = sum ? hed__nn_out(sum) : NULL;
  if (t->k == 0)
    clear(g);
  return gradient[0] && (t->k > 0 || gradient[1]) ? HED_OK : hed_error();
}

bool hed__nn_is_noted(const hed_array *x)
{
  const bool clean = hed_error() == HED_OK;
  hed_array *probe = hed_variable(x);
  hed_release(hed_keep(probe));
  if (!probe && clean)
    hed_error_clear();
  return probe != NULL;
}

hed_array *hed__nn_product(hed__nn_gatherer *g, int64_t k, const hed_array *x, const hed_array *weight)
{
  hed_array *y = NULL;
  if (!g || !(hed_array_is_recorded(x) || hed_array_is_recorded(weight)))
    return hed_matmul(x, weight);
  turn *t = malloc(sizeof *t);
  if (!t) {
    (void)hed_fail(HED_E_NOMEM, "hed_nn_sequence: no memory for a step");
    return NULL;
  }
  *t = (turn){ g, k, hed_keep(hed_stop_gradient(x)) };
  g->refs++;
  HED_UNRECORDED y = t->x ? hed_matmul(x, weight) : NULL;
  if (!y) {
    turn_done(t);
    return NULL;
  }
  const hed_array *operands[2] = { x, weight };
  return hed_custom_vjp("product of a step", turn_back, t, turn_done, 2, operands, 1, &y) == HED_OK ? y : NULL;
}

hed_array *hed__nn_by_state(const hed__nn_plan *p, const hed__nn_moment *m, const hed_array *h, const hed_array *wt)
{
  return hed__nn_product(p->of_state, m->turn, h, wt);
}

hed_array *hed__nn_plus_product(const hed__nn_plan *p, const hed__nn_moment *m, const hed_array *x, const hed_array *h,
                                const hed_array *wt)
{
  return hed_add(x, hed__nn_by_state(p, m, h, wt));
}
