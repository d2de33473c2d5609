// SPDX-License-Identifier: BSD-3-Clause
/* Gammas and what is made of them, run by run; included by variates.c. L0. */

/* Of a shape above or equal to 1, its scale 1: nineteen of twenty are accepted or more. In loops, of which processors have
 * more turns under way. */
HOT static void attempt_gamma(trial *restrict t, void *extra)
{
  double cube[LANES], size[LANES];
  attempt_normal(t, extra);
  for (int k = 0; k < t->count; k++) {
    const double d = t->a[k] - 1.0 / 3, c = 1 / (3 * sqrt(d)), v = 1 + c * t->value[k];
    size[k] = d;
    cube[k] = v <= 0 ? -1 : v * v * v;
    t->used[k] = v <= 0 ? 2 : 3;
  }
  for (int k = 0; k < t->count; k++) {
    const double x = t->value[k], square = x * x, d = size[k], v = cube[k] > 0 ? cube[k] : 1;
    const double u = unit_of(t->low[2][k], t->high[2][k]);
    const int early = u < 1 - 0.0331 * square * square, late = hed__rlog(u) < 0.5 * square + d * (1 - v + hed__rlog(v));
    t->value[k] = (cube[k] > 0) & (early | late) ? d * v : NAN;
  }
}

HOT static void logarithms(int n, double *restrict x)
{
  for (int i = 0; i < n; i++)
    x[i] = hed__rlog(x[i]);
}

/* A gamma of shape + 1 becomes one of shape below 1 by the power 1 / shape of a number in (0, 1]. */
HOT static void lowered(int n, const double *restrict shape, const double *restrict unit, double *restrict x)
{
  for (int i = 0; i < n; i++) {
    const double s = shape[i] > 0 ? shape[i] : 1, y = x[i] * hed__rexp(-hed__rexponential(unit[i]) / s);
    x[i] = shape[i] >= 1 ? x[i] : shape[i] > 0 ? y : 0;
  }
}

/* The same of logarithms: shapes near 0 give values below the least double. */
HOT static void log_lowered(int n, const double *restrict shape, const double *restrict unit, double *restrict x)
{
  for (int i = 0; i < n; i++) {
    const double y = x[i] - hed__rexponential(unit[i]) / shape[i];
    x[i] = shape[i] >= 1 ? x[i] : y;
  }
}

/* Standard gammas of SHAPE, or their logarithms: then every shape is above 0. */
static void gammas(run *r, const double *shape, bool logarithm, double *value)
{
  double raised[RUN], unit[RUN];
  uint16_t low[RUN] = { 0 };
  int lows = 0;
  for (int i = 0; i < r->n; i++) {
    raised[i] = shape[i] >= 1 ? shape[i] : shape[i] + 1;
    unit[i] = 1;
    if (shape[i] < 1)
      low[lows++] = (uint16_t)i;
  }
  draw(r, &(method){ .attempt = attempt_gamma, .quantities = 3, .a = raised }, NULL, r->n, value);
  draw(r, &(method){ .attempt = attempt_unit, .quantities = 1 }, low, lows, unit);
  if (logarithm)
    logarithms(r->n, value);
  if (lows > 0 && logarithm)
    log_lowered(r->n, shape, unit, value);
  else if (lows > 0)
    lowered(r->n, shape, unit, value);
}

HOT static void shares(int n, double *restrict x, const double *restrict y)
{
  for (int i = 0; i < n; i++)
    x[i] = 1 / (1 + hed__rexp(y[i] - x[i]));
}

static void betas(run *r, const double *a, const double *b, double *value)
{
  double other[RUN];
  gammas(r, a, true, value);
  gammas(r, b, true, other);
  shares(r->n, value, other);
}

/* By way of their half: chi-squared, and standard t from it. */
static void half_gammas(run *r, const double *df, bool t, double *value)
{
  double half[RUN], z[RUN];
  for (int i = 0; i < r->n; i++)
    half[i] = 0.5 * df[i];
  if (t)
    draw(r, &(method){ .attempt = attempt_normal, .quantities = 2 }, NULL, r->n, z);
  gammas(r, half, false, value);
  for (int i = 0; i < r->n; i++)
    value[i] = t ? z[i] / sqrt(2 * value[i] / df[i]) : 2 * value[i];
}
