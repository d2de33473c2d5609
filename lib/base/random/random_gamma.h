// SPDX-License-Identifier: BSD-3-Clause
/* Gammas and what is made of them, run by run; included by variates.c. L0. */

/* Of a shape above or equal to 1, its scale 1: d is the shape less a third, c is 1 / (3 sqrt(d)). */
HOT static void sizes(int n, const double *restrict shape, double *restrict d, double *restrict c)
{
  for (int i = 0; i < n; i++) {
    d[i] = shape[i] - 1.0 / 3;
    c[i] = 1 / (3 * sqrt(d[i]));
  }
}

/* Lanes of which logarithms decide. */
typedef struct late {
  int count;
  uint16_t lane[LANES];
  double u[LANES], v[LANES], half_square[LANES], d[LANES];
  int take[LANES];
} late;

HOT static void decide_late(late *restrict l)
{
  for (int i = 0; i < filled_up(l->count); i++)
    l->take[i] = hed__rlog(l->u[i]) < l->half_square[i] + l->d[i] * (1 - l->v[i] + hed__rlog(l->v[i]));
}

/* What nine of ten lanes are accepted by. */
HOT static void try_gammas(trial *restrict t, double *restrict cube, double *restrict u, double *restrict half_square,
                           uint8_t *restrict flag)
{
  for (int k = 0; k < t->count; k++) {
    const double x = t->value[k], v = 1 + t->b[k] * x, square = x * x;
    cube[k] = v <= 0 ? 1 : v * v * v;
    t->used[k] = v <= 0 ? 2 : 3;
    u[k] = unit_of(t->low[2][k], t->high[2][k]);
    half_square[k] = 0.5 * square;
    const int inside = (v > 0) & (v * v * v > 0), early = inside & (u[k] < 1 - 0.0331 * square * square);
    t->value[k] = early ? t->a[k] * cube[k] : NAN;
    flag[k] = inside & !early;
  }
}

/* Nineteen of twenty are accepted or more. A and B are sizes. */
static void attempt_gamma(trial *t, void *extra)
{
  double cube[LANES], u[LANES], half_square[LANES];
  uint8_t flag[LANES];
  late l;
  int n = 0;
  attempt_normal(t, extra);
  try_gammas(t, cube, u, half_square, flag);
  for (int k = 0; k < t->count; k++) {
    l.lane[n] = (uint16_t)k;
    n += flag[k];
  }
  l.count = n;
  for (int i = 0; i < filled_up(n); i++) {
    const int k = l.lane[i < n ? i : 0];
    l.u[i] = u[k];
    l.v[i] = cube[k];
    l.half_square[i] = half_square[k];
    l.d[i] = t->a[k];
  }
  decide_late(&l);
  for (int i = 0; i < n; i++)
    if (l.take[i])
      t->value[l.lane[i]] = l.d[i] * l.v[i];
}

/* Whole shapes up to WHOLE_MOST need no rejection: A is the shape, the value minus the logarithm of as many units' product. */
enum { WHOLE_MOST = 3 };

HOT static void attempt_product(trial *restrict t, void *extra)
{
  (void)extra;
  for (int k = 0; k < t->count; k++) {
    const double first = unit_of(t->low[0][k], t->high[0][k]), second = unit_of(t->low[1][k], t->high[1][k]);
    const double third = unit_of(t->low[2][k], t->high[2][k]), a = t->a[k];
    t->value[k] = hed__rexponential(first * (a > 1 ? second : 1) * (a > 2 ? third : 1));
    t->used[k] = (uint32_t)(int)a;
  }
}

/* The same of shape 1. */
HOT static void attempt_exponential(trial *restrict t, void *extra)
{
  (void)extra;
  for (int k = 0; k < t->count; k++) {
    t->value[k] = hed__rexponential(unit_of(t->low[0][k], t->high[0][k]));
    t->used[k] = 1;
  }
}

/* Elements of such shapes go to WHOLE, others to REST; the number of the former, and the largest of their shapes. Of elements that
 * are ALIKE, all or none. */
HOT static int part_shapes(int n, bool alike, const double *restrict shape, uint16_t *restrict whole, uint16_t *restrict rest,
                           int *most)
{
  int wholes = 0, largest = 0;
  for (int i = 0; i < (alike && n > 0 ? 1 : n); i++) {
    const int near = shape[i] < WHOLE_MOST + 1 ? (int)shape[i] : 0, is_whole = shape[i] == near;
    whole[wholes] = rest[i - wholes] = (uint16_t)i;
    wholes += is_whole;
    largest = is_whole && near > largest ? near : largest;
  }
  *most = largest;
  return alike && wholes ? n : wholes;
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

HOT static int raise_shapes(int n, const double *restrict shape, double *restrict raised, double *restrict unit)
{
  int lows = 0;
  for (int i = 0; i < n; i++) {
    raised[i] = shape[i] >= 1 ? shape[i] : shape[i] + 1;
    unit[i] = 1;
    lows += shape[i] < 1;
  }
  return lows;
}

/* Standard gammas of SHAPE, or their logarithms: then every shape is above 0. ALIKE: shapes are equal. */
static void gammas(run *r, const double *shape, bool alike, bool logarithm, double *value)
{
  double raised[RUN], unit[RUN], d[RUN], c[RUN];
  uint16_t low[RUN + 1], whole[RUN + 1], rest[RUN + 1];
  int most;
  const int lows = raise_shapes(r->n, shape, raised, unit), wholes = part_shapes(r->n, alike, raised, whole, rest, &most);
  for (int i = 0, k = 0; k < lows; i++) {
    low[k] = (uint16_t)i;
    k += shape[i] < 1;
  }
  if (wholes < r->n) {
    sizes(distinct(r, alike), raised, d, c);
    repeat(r, alike, d);
    repeat(r, alike, c);
    draw(r, &(method){ .attempt = attempt_gamma, .quantities = 3, .a = d, .b = c }, wholes ? rest : NULL, r->n - wholes, value);
  }
  if (wholes > 0)
    draw_all(r, &(method){ .attempt = most == 1 ? attempt_exponential : attempt_product, .quantities = most, .a = raised },
             wholes < r->n ? whole : NULL, wholes, value);
  draw_all(r, &(method){ .attempt = attempt_unit, .quantities = 1 }, lows == r->n ? NULL : low, lows, unit);
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

static void betas(run *r, const double *a, const double *b, bool alike, double *value)
{
  double other[RUN];
  gammas(r, a, alike, true, value);
  gammas(r, b, alike, true, other);
  shares(r->n, value, other);
}

/* By way of their half: chi-squared, and standard t from it. */
static void half_gammas(run *r, const double *df, bool alike, bool t, double *value)
{
  double half[RUN], z[RUN];
  for (int i = 0; i < r->n; i++)
    half[i] = 0.5 * df[i];
  if (t)
    draw(r, &(method){ .attempt = attempt_normal, .quantities = 2 }, NULL, r->n, z);
  gammas(r, half, alike, false, value);
  for (int i = 0; i < r->n; i++)
    value[i] = t ? z[i] / sqrt(2 * value[i] / df[i]) : 2 * value[i];
}
