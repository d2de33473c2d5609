// SPDX-License-Identifier: BSD-3-Clause
/* See bounded.h. Steps of limited memory over the unknowns that are free, projected onto the bounds.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/solve/bounded.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Unknown I stays at its bound: the function falls only beyond it. */
static bool is_held(const hed__bounded *b, size_t i) { return b->bounded[i] && b->x[i] <= 0 && b->g[i] >= 0; }

static double *difference(const hed__bounded *b, int pair, bool of_gradient)
{
  return b->memory + ((size_t)pair * 2 + of_gradient) * b->n;
}

/* The sum of p q over unknowns that are not held. */
static double free_dot(const hed__bounded *b, const double *p, const double *q)
{
  double sum = 0;
  for (size_t i = 0; i < b->n; i++)
    sum += is_held(b, i) ? 0 : p[i] * q[i];
  return sum;
}

hed_status hed__bounded_begin(hed__bounded *b, const double *x)
{
  const size_t rows = 5 + 2 * (size_t)b->history;
  double *room = b->n < SIZE_MAX / sizeof *room / rows ? calloc(rows * b->n, sizeof *room) : NULL;
  b->sy = malloc((size_t)b->history * 2 * sizeof *b->sy);
  b->x = room;
  b->kept = 0;
  if (!room || !b->sy)
    return hed_fail(HED_E_NOMEM, "%s: no memory for %zu unknowns and %d differences", b->op, b->n, b->history);
  b->g = room + b->n;
  b->direction = room + 2 * b->n;
  b->next = room + 3 * b->n;
  b->next_g = room + 4 * b->n;
  b->memory = room + 5 * b->n;
  for (size_t i = 0; i < b->n; i++)
    b->x[i] = b->bounded[i] ? fmax(x[i], 0) : x[i];
  hed_status status = b->value(b->arg, b->x, &b->f, b->g);
  if (status == HED_OK && !isfinite(b->f))
    status = hed_fail(HED_E_INVAL, "%s: the value at the start is %g", b->op, b->f);
  return status;
}

void hed__bounded_end(hed__bounded *b)
{
  free(b->x);
  free(b->sy);
  b->x = b->g = b->sy = NULL;
}

double hed__bounded_slope(const hed__bounded *b)
{
  double most = 0;
  for (size_t i = 0; i < b->n; i++)
    most = is_held(b, i) ? most : fmax(most, fabs(b->g[i]));
  return most;
}

/* The direction of the differences that are remembered, as far as they say something of the unknowns that are free: the two loops over
 * them. False: there are none such, and it is that of steepest descent. */
static bool choose_direction(hed__bounded *b)
{
  double *d = b->direction, *weight = b->sy, *share = b->sy + b->history, scale = 0;
  for (size_t i = 0; i < b->n; i++)
    d[i] = is_held(b, i) ? 0 : -b->g[i];
  for (int k = b->kept - 1; k >= 0; k--) {
    const double *s = difference(b, k, false), *y = difference(b, k, true);
    const double sy = free_dot(b, s, y), yy = free_dot(b, y, y);
    weight[k] = sy > 1e-12 * yy ? 1 / sy : 0; /* curved the other way there: it does not count */
    share[k] = weight[k] * free_dot(b, s, d);
    for (size_t i = 0; i < b->n; i++)
      d[i] -= share[k] * y[i];
    scale = scale == 0 && weight[k] > 0 ? sy / yy : scale;
  }
  for (size_t i = 0; i < b->n && scale > 0; i++)
    d[i] = is_held(b, i) ? 0 : d[i] * scale;
  for (int k = 0; k < b->kept; k++) {
    const double more = share[k] - weight[k] * free_dot(b, difference(b, k, true), d);
    for (size_t i = 0; i < b->n; i++)
      d[i] += is_held(b, i) ? 0 : more * difference(b, k, false)[i];
  }
  if (scale > 0 && free_dot(b, d, b->g) < 0)
    return true;
  for (size_t i = 0; i < b->n; i++)
    d[i] = is_held(b, i) ? 0 : -b->g[i];
  return false;
}

/* The point T along the direction, projected: *CHANGE: what the slope here makes of the way there; *SLOPE, *FIRST: the slope there and
 * here along what is not at its bound. */
static hed_status look(hed__bounded *b, double t, double *f, double *change, double *slope, double *first)
{
  *change = *slope = *first = 0;
  for (size_t i = 0; i < b->n; i++) {
    const double x = b->x[i] + t * b->direction[i];
    b->next[i] = b->bounded[i] && x < 0 ? 0 : x;
    *change += b->g[i] * (b->next[i] - b->x[i]);
  }
  const hed_status status = b->value(b->arg, b->next, f, b->next_g);
  for (size_t i = 0; i < b->n && status == HED_OK; i++)
    if (b->direction[i] != 0 && !(b->bounded[i] && b->next[i] <= 0)) {
      *slope += b->next_g[i] * b->direction[i];
      *first += b->g[i] * b->direction[i];
    }
  return status;
}

/* A point that meets the conditions of Armijo and Wolfe, by doubling and halving; *FOUND: next, next_g and *F have one that meets the
 * first at least. */
static hed_status search(hed__bounded *b, double t, double *f, bool *found)
{
  enum { MOST = 25 };
  double low = 0, high = INFINITY, change, slope, first;
  hed_status status = HED_OK;
  *found = false;
  for (int i = 0; i < MOST && status == HED_OK; i++) {
    status = look(b, t, f, &change, &slope, &first);
    if (status != HED_OK)
      return status;
    if (!(change < 0) || !(*f <= b->f + 1e-4 * change)) {
      high = t;
    } else if (slope < 0.9 * first) {
      low = t; /* it falls as steeply as here: further */
    } else {
      *found = true;
      return HED_OK;
    }
    t = high == INFINITY ? 2 * t : low > 0 ? (low + high) / 2 : 0.3 * high;
  }
  *found = low > 0;
  return *found ? look(b, low, f, &change, &slope, &first) : status;
}

/* NEXT is where the run is from now on; the differences are remembered. */
static void go_there(hed__bounded *b, double f)
{
  if (b->kept == b->history) {
    memmove(b->memory, difference(b, 1, false), 2 * (size_t)(b->history - 1) * b->n * sizeof *b->memory);
    b->kept--;
  }
  double *s = difference(b, b->kept, false), *y = difference(b, b->kept, true), sy = 0, yy = 0;
  for (size_t i = 0; i < b->n; i++) {
    s[i] = b->next[i] - b->x[i];
    y[i] = b->next_g[i] - b->g[i];
    sy += s[i] * y[i];
    yy += y[i] * y[i];
  }
  b->kept += sy > 1e-12 * yy;
  memcpy(b->x, b->next, b->n * sizeof *b->x);
  memcpy(b->g, b->next_g, b->n * sizeof *b->g);
  b->f = f;
}

hed_status hed__bounded_step(hed__bounded *b, bool *moved)
{
  hed_status status = HED_OK;
  *moved = false;
  for (int turn = 0; turn < 2 && status == HED_OK && !*moved; turn++) {
    double f = b->f, size;
    const bool remembered = choose_direction(b);
    size = sqrt(free_dot(b, b->direction, b->direction));
    if (!(size > 0) || !isfinite(size))
      return HED_OK;
    status = search(b, remembered ? 1 : 1 / size, &f, moved);
    if (status == HED_OK && *moved)
      go_there(b, f);
    else if (!remembered)
      break;
    else
      b->kept = 0; /* what is remembered leads nowhere */
  }
  return status;
}
