// SPDX-License-Identifier: BSD-3-Clause
/* A line search for the strong Wolfe conditions: a bracket, then smaller ones, both by cubic interpolation.
 * J. Nocedal, S. Wright, Numerical Optimization (2006), algorithms 3.5 and 3.6; limits of steps are those of PyTorch.
 *
 * Layer: L4, nn kit.
 */
#include "kits/nn/optimize/lbfgs.h"
#include <math.h>
#include <stdlib.h>

enum { MOST = 25 }; /* points in one search */
static const double enough = 1e-4, flat_enough = 0.9;

void hed__nn_point_clear(hed__nn_point *p)
{
  hed_release(p->g);
  p->g = NULL;
}

/* P becomes another point, of which it takes the gradient over. */
static void move(hed__nn_point *p, hed__nn_point *from)
{
  hed__nn_point_clear(p);
  *p = *from;
  from->g = NULL;
}

static void copy(hed__nn_point *p, const hed__nn_point *from)
{
  hed_array *g = hed_retain(from->g);
  hed__nn_point_clear(p);
  *p = *from;
  p->g = g;
}

hed_status hed__nn_dot(const hed_array *a, const hed_array *b, double *out)
{
  HED_SCOPE_OR(return hed_error()) {
    hed_array *sum = hed_vecdot(a, b, -1);
    return sum ? hed_item(sum, out) : hed_error();
  }
  return HED_OK;
}

hed_status hed__nn_largest(const hed_array *x, double *out)
{
  *out = 0;
  if (hed_array_size(x) == 0)
    return HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *most = hed_max(hed_abs(x), NULL);
    return most ? hed_item(most, out) : hed_error();
  }
  return HED_OK;
}

hed_array *hed__nn_flat(int n, hed_array *const *x)
{
  hed_array *out = NULL, **part = hed__train_room("hed_nn_lbfgs_step", n, sizeof *part);
  if (!part)
    return NULL;
  HED_SCOPE {
    bool all = true;
    for (int k = 0; k < n && all; k++)
      all = (part[k] = hed_ravel(x[k])) != NULL;
    out = all ? hed_keep(n == 1 ? hed_copy(part[0]) : hed_concatenate(n, (const hed_array *const *)part, 0)) : NULL;
  }
  free(part);
  return out;
}

hed_status hed__nn_unflat(int n, hed_array *const *x, const hed_array *flat)
{
  hed_status status = HED_OK;
  int64_t at = 0;
  for (int k = 0; k < n && status == HED_OK; k++)
    HED_SCOPE_OR(return hed_error()) {
      hed_array *part = hed_slice(flat, 1, &HED_RANGE(at, at + hed_array_size(x[k]), 1));
      part = part ? hed_reshape(part, hed_array_shape(x[k])) : NULL;
      status = part ? hed_copy_into(x[k], part) : hed_error();
      at += hed_array_size(x[k]);
    }
  return status;
}

hed_status hed__nn_here(hed__nn_line *l, hed__nn_point *p)
{
  hed_array *y = NULL, **g = hed__train_room("hed_nn_lbfgs_step", l->n, sizeof *g);
  if (!g)
    return hed_error();
  hed__nn_point_clear(p);
  hed_status status = hed_value_and_grad(l->f, l->arg, l->n, (const hed_array *const *)l->params, &y, g);
  l->calls++;
  if (status == HED_OK)
    status = hed_item(y, &p->loss);
  if (status == HED_OK && !(p->g = hed__nn_flat(l->n, g)))
    status = hed_error();
  for (int k = 0; k < l->n; k++)
    hed_release(g[k]);
  hed_release(y);
  free(g);
  return status;
}

static hed_status at(hed__nn_line *l, double t, hed__nn_point *p)
{
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *x = hed_add(l->start, hed_multiply_scalar(l->d, t));
    status = x ? hed__nn_unflat(l->n, l->params, x) : hed_error();
  }
  if (status == HED_OK)
    status = hed__nn_here(l, p);
  p->t = t;
  return status == HED_OK ? hed__nn_dot(p->g, l->d, &p->slope) : status;
}

/* Where the cubic through both points is least, in [LOW, HIGH]; the middle where it has no minimum. */
static double cubic(const hed__nn_point *a, const hed__nn_point *b, double low, double high)
{
  if (a->t > b->t) {
    const hed__nn_point *swap = a;
    a = b;
    b = swap;
  }
  const double d1 = a->slope + b->slope - 3 * (a->loss - b->loss) / (a->t - b->t), square = d1 * d1 - a->slope * b->slope;
  if (!(square >= 0))
    return (low + high) / 2;
  const double d2 = sqrt(square), t = b->t - (b->t - a->t) * ((b->slope + d2 - d1) / (b->slope - a->slope + 2 * d2));
  return fmin(fmax(t, low), high);
}

static bool fell(const hed__nn_point *first, const hed__nn_point *p) { return p->loss <= first->loss + enough * p->t * first->slope; }
static bool level(const hed__nn_point *first, const hed__nn_point *p) { return fabs(p->slope) <= -flat_enough * first->slope; }

typedef struct search {
  hed__nn_point end[2]; /* of the bracket; one of them may be the result already */
  hed__nn_point now;
  int points, low;
  bool done;
} search;

/* Longer steps until a minimum lies between END[0] and END[1]. */
static hed_status bracket(hed__nn_line *l, const hed__nn_point *first, double t, search *s)
{
  hed__nn_point *before = &s->end[0];
  copy(before, first);
  hed_status status = at(l, t, &s->now);
  for (; status == HED_OK && s->points < MOST; s->points++) {
    if (!fell(first, &s->now) || (s->points > 1 && s->now.loss >= before->loss))
      break;
    if (level(first, &s->now)) {
      s->done = true;
      break;
    }
    if (s->now.slope >= 0)
      break;
    const double next = cubic(before, &s->now, s->now.t + 0.01 * (s->now.t - before->t), 10 * s->now.t);
    move(before, &s->now);
    status = at(l, next, &s->now);
  }
  if (status == HED_OK && s->points == MOST)
    copy(before, first);
  move(&s->end[1], &s->now);
  s->low = s->done || s->end[0].loss > s->end[1].loss ? 1 : 0;
  return status;
}

/* The next point inside, kept off the ends. */
static double inside(const search *s, bool *slow)
{
  const double least = fmin(s->end[0].t, s->end[1].t), most = fmax(s->end[0].t, s->end[1].t), margin = 0.1 * (most - least);
  double t = cubic(&s->end[0], &s->end[1], least, most);
  const bool close = fmin(most - t, t - least) < margin;
  if (close && (*slow || t >= most || t <= least)) {
    t = fabs(t - most) < fabs(t - least) ? most - margin : least + margin;
    *slow = false;
  } else
    *slow = close;
  return t;
}

static hed_status zoom(hed__nn_line *l, const hed__nn_point *first, search *s)
{
  double largest = 0;
  bool slow = false;
  hed_status status = hed__nn_largest(l->d, &largest);
  while (status == HED_OK && !s->done && s->points < MOST &&
         !(fabs(s->end[1].t - s->end[0].t) * largest < l->tol_change)) {
    status = at(l, inside(s, &slow), &s->now);
    if (status != HED_OK)
      break;
    s->points++;
    hed__nn_point *low = &s->end[s->low], *high = &s->end[!s->low];
    if (!fell(first, &s->now) || s->now.loss >= low->loss) {
      move(high, &s->now);
      s->low = s->end[0].loss <= s->end[1].loss ? 0 : 1;
      continue;
    }
    s->done = level(first, &s->now);
    if (!s->done && s->now.slope * (high->t - low->t) >= 0)
      move(high, low);
    move(low, &s->now);
  }
  return status;
}

hed_status hed__nn_wolfe(hed__nn_line *l, const hed__nn_point *first, double t, hed__nn_point *out)
{
  search s = { .points = 0 };
  hed_status status = bracket(l, first, t, &s);
  if (status == HED_OK && !s.done)
    status = zoom(l, first, &s);
  if (status == HED_OK)
    move(out, &s.end[s.low]);
  hed__nn_point_clear(&s.end[0]);
  hed__nn_point_clear(&s.end[1]);
  hed__nn_point_clear(&s.now);
  return status;
}
