// SPDX-License-Identifier: BSD-3-Clause
/* Reflection 1, expansion 2, contraction and shrinking 1/2.
 *
 * Layer: L4, match kit.
 */
#include "kits/match/refine/nelder_mead.h"
#include <math.h>
#include <string.h>

typedef struct corner { double x[HED__MOST_PARAMETERS], value; } corner;

typedef struct search {
  hed__objective *f;
  void *arg;
  int n;
  size_t *taken;
  corner c[HED__MOST_PARAMETERS + 1]; /* best first */
} search;

static hed_status value_at(search *s, corner *c)
{
  ++*s->taken;
  return s->f(s->arg, c->x, &c->value);
}

static void sort(search *s)
{
  for (int i = 1; i <= s->n; i++)
    for (int k = i; k > 0 && s->c[k].value > s->c[k - 1].value; k--) {
      const corner swap = s->c[k];
      s->c[k] = s->c[k - 1];
      s->c[k - 1] = swap;
    }
}

/* From the worst corner through the middle of the others, FACTOR beyond it. */
static hed_status through(search *s, double factor, corner *out)
{
  for (int k = 0; k < s->n; k++) {
    double middle = 0;
    for (int i = 0; i < s->n; i++)
      middle += s->c[i].x[k] / s->n;
    out->x[k] = middle + factor * (middle - s->c[s->n].x[k]);
  }
  return value_at(s, out);
}

static hed_status shrink(search *s)
{
  hed_status status = HED_OK;
  for (int i = 1; i <= s->n && status == HED_OK; i++) {
    for (int k = 0; k < s->n; k++)
      s->c[i].x[k] = (s->c[i].x[k] + s->c[0].x[k]) / 2;
    status = value_at(s, &s->c[i]);
  }
  return status;
}

static hed_status advance(search *s)
{
  corner *worst = &s->c[s->n], one = *worst, two = *worst;
  hed_status status = through(s, 1, &one);
  if (status != HED_OK)
    return status;
  if (one.value > s->c[0].value) {
    if ((status = through(s, 2, &two)) == HED_OK)
      *worst = two.value > one.value ? two : one;
    return status;
  }
  if (one.value > s->c[s->n - 1].value) {
    *worst = one;
    return HED_OK;
  }
  const bool outside = one.value > worst->value;
  if ((status = through(s, outside ? 0.5 : -0.5, &two)) != HED_OK)
    return status;
  if (two.value > (outside ? one.value : worst->value)) {
    *worst = two;
    return HED_OK;
  }
  return shrink(s);
}

static double size_of(const search *s, const double *step)
{
  double largest = 0;
  for (int i = 1; i <= s->n; i++)
    for (int k = 0; k < s->n; k++)
      largest = fmax(largest, fabs(s->c[i].x[k] - s->c[0].x[k]) / step[k]);
  return largest;
}

hed_status hed__nelder_mead(hed__objective *f, void *arg, int n, double *x, double *value, const double *step, double tolerance,
                        size_t most, size_t *taken)
{
  search s = { .f = f, .arg = arg, .n = n, .taken = taken };
  hed_status status = HED_OK;
  for (int i = 0; i <= n && status == HED_OK; i++) {
    memcpy(s.c[i].x, x, (size_t)n * sizeof *x);
    s.c[i].value = *value;
    if (i > 0) {
      s.c[i].x[i - 1] += step[i - 1];
      status = value_at(&s, &s.c[i]);
    }
  }
  sort(&s);
  while (status == HED_OK && *taken < most && size_of(&s, step) > tolerance) {
    status = advance(&s);
    sort(&s);
  }
  memcpy(x, s.c[0].x, (size_t)n * sizeof *x);
  *value = s.c[0].value;
  return status;
}
