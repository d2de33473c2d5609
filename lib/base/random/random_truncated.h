// SPDX-License-Identifier: BSD-3-Clause
/* Normals between bounds, which are those of the draw; included by variates.c. L0. */

typedef struct bounds {
  double low, high;
  double rate; /* of proposals in a tail: the best of a half line (Robert, proposition 2.3) */
  double peak; /* square of the point of a strip nearest 0 */
} bounds;

/* Above LOW >= 0: exponential proposals. */
HOT static void attempt_tail(trial *restrict t, void *extra)
{
  const bounds *b = extra;
  const double low = b->low, high = b->high, rate = b->rate;
  for (int k = 0; k < t->count; k++) {
    const double x = low + hed__rexponential(unit_of(t->low[0][k], t->high[0][k])) / rate, d = x - rate;
    const int below = x <= high, take = unit_of(t->low[1][k], t->high[1][k]) <= hed__rexp(-d * d / 2);
    t->value[k] = below & take ? x : NAN;
    t->used[k] = below ? 2 : 1;
  }
}

/* Uniform proposals. */
HOT static void attempt_strip(trial *restrict t, void *extra)
{
  const bounds *b = extra;
  const double low = b->low, high = b->high, peak = b->peak;
  for (int k = 0; k < t->count; k++) {
    const double x = low + (high - low) * unit_of(t->low[0][k], t->high[0][k]);
    const int take = unit_of(t->low[1][k], t->high[1][k]) <= hed__rexp((peak - x * x) / 2);
    const double inside = x < low ? low : x > high ? high : x;
    t->value[k] = take ? inside : NAN;
    t->used[k] = 2;
  }
}

HOT static void attempt_between(trial *restrict t, void *extra)
{
  const bounds *b = extra;
  const double low = b->low, high = b->high;
  attempt_normal(t, extra);
  for (int k = 0; k < t->count; k++)
    t->value[k] = (t->value[k] >= low) & (t->value[k] <= high) ? t->value[k] : NAN;
}

static void truncated_normals(run *r, double low, double high, double *value)
{
  const bool mirror = high < 0 || (high <= 0 && low < 0);
  bounds b = { .low = mirror ? -high : low, .high = mirror ? -low : high };
  method m = { .attempt = attempt_between, .quantities = 2, .extra = &b };
  const double width = b.high - b.low;
  b.rate = (b.low + sqrt(b.low * b.low + 4)) / 2;
  b.peak = b.low > 0 ? b.low * b.low : 0;
  if (b.low > 0) /* a strip narrower than the tail's fall is better filled evenly */
    m.attempt = width < 1 / b.rate ? attempt_strip : attempt_tail;
  else if (width < 2.5066282746310002) /* sqrt(2 pi): the strip's density is above the normal's there */
    m.attempt = attempt_strip;
  draw(r, &m, NULL, r->n, value);
  for (int i = 0; i < r->n && mirror; i++)
    value[i] = -value[i];
}
