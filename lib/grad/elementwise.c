// SPDX-License-Identifier: BSD-3-Clause
/* Rules of elementwise operations: the expressions of rules.def, and what is too long for a row. L3. */
#include "base/dtype.h"
#include "grad/back.h"
#include <heddle/params.h>
#include <math.h>

static const double PI = 3.14159265358979323846, LN2 = 0.69314718055994530942, LN10 = 2.30258509299404568402,
                    TWO_OVER_ROOT_PI = 1.12837916709551257390;

static bool complex_array(const hed_array *x) { return x && hed__id_kind(x->view.dtype) == HED_KIND_COMPLEX; }

hed_array *hed__conj_of(const hed_array *d) { return complex_array(d) ? hed_conj(d) : (hed_array *)(uintptr_t)d; }

hed_array *hed__times(const hed_array *g, const hed_array *d) { return hed_multiply_nonzero(g, hed__conj_of(d)); }

/* In three steps, each of which backends have in registers; complex quotients cost more than the test. */
hed_array *hed__over(const hed_array *g, const hed_array *d)
{
  if (complex_array(g) || complex_array(d))
    return hed_divide_where(g, g, hed__conj_of(d), 0);
  return hed_where_scalar(hed_not_equal_scalar(g, 0), hed_divide(g, d), 0);
}

/* ---- one operand ---- */

/* (cos pi x - y) / x; near 0, where that cancels, a series. */
static hed_array *sinc_slope(const hed_array *x, const hed_array *y)
{
  const hed_array *t = hed_multiply_scalar(x, PI), *u = hed_square(t);
  const hed_array *s = hed_scalar_subtract(1, hed_multiply_scalar(u, 1.0 / 54));
  s = hed_scalar_subtract(1, hed_multiply(hed_multiply_scalar(u, 1.0 / 28), s));
  s = hed_scalar_subtract(1, hed_multiply(hed_multiply_scalar(u, 1.0 / 10), s));
  const hed_array *near = hed_multiply(hed_multiply_scalar(x, -PI * PI / 3), s);
  return hed_where(hed_less_scalar(hed_abs(x), 0.1), near, hed_divide_where(x, hed_subtract(hed_cos(t), y), x, 0));
}

static hed_array *sign_back(const hed_array *g, const hed_array *x, const hed_array *y)
{
  if (!complex_array(x))
    return &hed__nothing;
  const hed_array *along = hed_multiply(y, hed_real(hed_multiply(hed_conj(y), g)));
  return hed_divide_where(x, hed_subtract(g, along), hed_abs(x), 0);
}

static hed_array *angle_back(const hed_array *g, const hed_array *x)
{
  if (!complex_array(x))
    return &hed__nothing;
  return hed_multiply_nonzero(g, hed_divide_where(x, hed_multiply_complex(x, 0, 1), hed_square(hed_abs(x)), 0));
}

static hed_array *silu_slope(const hed_array *s, const hed_array *y)
{
  return hed_add(s, hed_multiply(y, hed_scalar_subtract(1, s)));
}

static hed_array *gelu_slope(const hed_array *x)
{
  const hed_array *bell = hed_exp(hed_multiply_scalar(hed_square(x), -0.5));
  const hed_array *below = hed_multiply_scalar(hed_add_scalar(hed_erf(hed_multiply_scalar(x, sqrt(0.5))), 1), 0.5);
  return hed_add(below, hed_multiply_nonzero(bell, hed_multiply_scalar(x, 1 / sqrt(2 * PI))));
}

/* The derivative of digamma: sum of 1 / (x + k)^2 over eight k and the rest by its series; below 1/2 from 1 - x. */
static hed_array *trigamma(const hed_array *x)
{
  static const double series[] = { 7.0 / 6, -691.0 / 2730, 5.0 / 66, -1.0 / 30, 1.0 / 42, -1.0 / 30, 1.0 / 6 };
  enum { SHIFT = 8 };
  const hed_array *low = hed_less_scalar(x, 0.5), *p = hed_where(low, hed_scalar_subtract(1, x), x);
  const hed_array *sum = hed_reciprocal(hed_square(p));
  for (int k = 1; k < SHIFT; k++)
    sum = hed_add(sum, hed_reciprocal(hed_square(hed_add_scalar(p, k))));
  const hed_array *z = hed_reciprocal(hed_add_scalar(p, SHIFT)), *z2 = hed_square(z);
  const hed_array *rest = hed_multiply_scalar(z2, series[0]);
  for (int k = 1; k < 7; k++)
    rest = hed_multiply(hed_add_scalar(rest, series[k]), z2);
  rest = hed_multiply(z, hed_add_scalar(hed_add(rest, hed_multiply_scalar(z, 0.5)), 1));
  sum = hed_add(sum, rest);
  const hed_array *other = hed_subtract(hed_square(hed_scalar_divide(PI, hed_sin(hed_multiply_scalar(x, PI)))), sum);
  return hed_where(low, other, sum);
}

/* v = exp_sq / n - (sq_exp / n)^2, s its root: where s >= eps the score is x / (s n). */
static hed_array *score_back(const hed_array *g, const hed_array *x, const hed_array *exp_sq, const hed_array *sq_exp, const void *p,
                             int operand)
{
  const hed_norm_params *q = p;
  const double n = q->n_obs;
  const hed_array *mean = hed_multiply_scalar(sq_exp, 1 / n);
  const hed_array *v = hed_maximum_scalar(hed_subtract(hed_multiply_scalar(exp_sq, 1 / n), hed_square(mean)), 0);
  const hed_array *s = hed_sqrt(v), *well = hed_greater_equal_scalar(s, q->eps);
  if (operand == 0)
    return q->unit_low ? hed_divide_where(g, hed_multiply_scalar(g, 1 / n), hed_where_scalar(well, s, 1), 0)
                       : hed_divide_where(hed_logical_and(well, g), hed_multiply_scalar(g, 1 / n), s, 0);
  const hed_array *y = hed_multiply_scalar(hed_divide_where(well, x, s, 0), 1 / n);
  const hed_array *slope = hed_divide_where(hed_logical_and(well, v), hed_multiply_scalar(y, -0.5 / n), v, 0);
  return hed__times(g, operand == 1 ? slope : hed_multiply(slope, hed_multiply_scalar(mean, -2)));
}

static hed_array *clip_back(const hed_array *g, const hed_array *x, const void *p)
{
  const hed_clip_params *q = p;
  return hed_where_scalar(hed_logical_and(hed_greater_equal_scalar(x, q->low), hed_less_equal_scalar(x, q->high)), g, 0);
}

static hed_array *numbers_back(const hed_array *g, const hed_array *x)
{
  if (!complex_array(x))
    return hed_where_scalar(hed_isfinite(x), g, 0);
  const hed_array *re = hed_where_scalar(hed_isfinite(hed_real(x)), hed_real(g), 0);
  const hed_array *im = hed_where_scalar(hed_isfinite(hed_imag(x)), hed_imag(g), 0);
  return hed_add(re, hed_multiply_complex(im, 0, 1));
}

static hed_array *gaussian_slope(const hed_array *x, const hed_array *y, const void *p)
{
  const hed_gaussian_params *q = p;
  return hed_multiply_nonzero(y, hed_multiply_scalar(hed_scalar_subtract(q->mu, x), 1 / (q->sigma * q->sigma)));
}

/* ---- several operands ---- */

/* The value of B where it is a weak real scalar. */
static bool is_number(const hed_array *b, double *value)
{
  return b->weak && !complex_array(b) && hed_item(b, value) == HED_OK;
}

/* b a^(b - 1), 0 where b is 0. */
static hed_array *power_base(const hed_array *g, const hed_array *a, const hed_array *b)
{
  double p;
  if (is_number(b, &p))
    return p == 0   ? &hed__nothing
           : p == 1 ? (hed_array *)(uintptr_t)g
           : p == 2 ? hed__times(g, hed_multiply_scalar(a, 2))
                    : hed__times(g, hed_multiply_scalar(hed_power_scalar(a, p - 1), p));
  return hed__times(g, hed_multiply_nonzero(b, hed_power(a, hed_subtract_scalar(b, 1))));
}

/* y ln a, 0 where a is 0 and b at least 0. */
static hed_array *power_exponent(const hed_array *g, const hed_array *a, const hed_array *b, const hed_array *y)
{
  const hed_array *slope;
  double base;
  if (is_number(a, &base))
    slope = base == 0 ? hed_multiply_scalar(y, 0) : hed_multiply_scalar(y, log(base));
  else
    slope = hed_scalar_where(complex_array(b) ? hed_equal_scalar(a, 0)
                                              : hed_logical_and(hed_equal_scalar(a, 0), hed_greater_equal_scalar(b, 0)),
                             0, hed_multiply(y, hed_log(a)));
  return hed__times(g, slope);
}

/* Of A, larger (or smaller) than B; half at a tie; a NaN that wins has all, of two the first. */
static hed_array *extreme(const hed_array *g, const hed_array *a, const hed_array *b, bool larger, bool second)
{
  const hed_array *wins = larger ? hed_greater(a, b) : hed_less(a, b), *mine = hed_isnan(a);
  if (second)
    mine = hed_logical_and(mine, hed_logical_not(hed_isnan(b)));
  return hed_where(hed_equal(a, b), hed_multiply_scalar(g, 0.5), hed_where_scalar(hed_logical_or(wins, mine), g, 0));
}

/* The same where a number wins over NaN; of two NaNs the second has it. */
static hed_array *number_extreme(const hed_array *g, const hed_array *a, const hed_array *b, bool larger, bool second)
{
  const hed_array *wins = larger ? hed_greater(a, b) : hed_less(a, b), *mine = hed_isnan(b);
  if (!second)
    mine = hed_logical_and(mine, hed_logical_not(hed_isnan(a)));
  return hed_where(hed_equal(a, b), hed_multiply_scalar(g, 0.5), hed_where_scalar(hed_logical_or(wins, mine), g, 0));
}

/* e^a / (e^a + e^b) with exponents times C: half where they are equal, infinite too. */
static hed_array *share(const hed_array *a, const hed_array *b, double c)
{
  const hed_array *d = hed_subtract(a, b);
  return hed_scalar_where(hed_equal(a, b), 0.5, hed_sigmoid(c == 1 ? d : hed_multiply_scalar(d, c)));
}

/* G x / (a^2 + b^2), 0 at the origin. */
static hed_array *turn(const hed_array *g, const hed_array *x, const hed_array *a, const hed_array *b)
{
  const hed_array *h = hed_hypot(a, b);
  return hed__times(g, hed_divide_where(h, hed_divide_where(h, x, h, 0), h, 0));
}

static hed_array *over_where(const hed_array *condition, const hed_array *g, const hed_array *c)
{
  return hed_divide_where(hed_logical_and(condition, g), g, hed__conj_of(c), 0);
}

static hed_array *clip_array_back(const hed_array *g, const hed_array *x, const hed_array *low, const hed_array *high, const void *p,
                                  int operand)
{
  const hed_clip_array_params *q = p;
  if ((operand == 1 && !q->low) || (operand == 2 && !q->high))
    return &hed__nothing;
  const hed_array *raised = q->low ? hed_less(x, low) : NULL;
  const hed_array *cut = q->high ? hed_greater(q->low ? hed_maximum(x, low) : x, high) : NULL;
  if (operand == 2)
    return hed_where_scalar(cut, g, 0);
  if (operand == 1)
    return hed_where_scalar(cut ? hed_logical_and(raised, hed_logical_not(cut)) : raised, g, 0);
  return hed_scalar_where(raised && cut ? hed_logical_or(raised, cut) : raised ? raised : cut, 0, g);
}

/* ---- the list ---- */

#define SAME(g) ((hed_array *)(uintptr_t)(g))
#define NOTHING (&hed__nothing)
#define TIMES hed__times
#define OVER hed__over
#define OVER_WHERE over_where
#define IS_COMPLEX(k) (r->of[k] && hed__is_complex(r->of[k]))
#define NUMBERS(kind) ((const hed_##kind##_params *)p)

/* A function for each operand of each row. */
#define USE(ID, k, expression)                                                                                           \
  static hed_array *back_##ID##_##k(const hed__back *r)                                                                  \
  {                                                                                                                      \
    const hed_array *const g = r->g[0], *const a = r->in[0], *const b = r->in[1], *const c = r->in[2], *const x = a,     \
                           *const y = r->out[0];                                                                         \
    const void *const p = r->step->args;                                                                                 \
    (void)g, (void)a, (void)b, (void)c, (void)x, (void)y, (void)p;                                                       \
    return expression;                                                                                                   \
  }
#define HED_RULE1(ID, s, x) USE(ID, 0, x)
#define HED_RULE2(ID, s, a, t, b) USE(ID, 0, a) USE(ID, 1, b)
#define HED_RULE3(ID, s, a, t, b, u, c) USE(ID, 0, a) USE(ID, 1, b) USE(ID, 2, c)
#include "core/record/rules.def"

typedef hed_array *back_fn(const hed__back *r);
static back_fn *const backs[HED_OP_COUNT_][3] = {
#define HED_RULE1(ID, s, x) [HED_OP_##ID] = { back_##ID##_0 },
#define HED_RULE2(ID, s, a, t, b) [HED_OP_##ID] = { back_##ID##_0, back_##ID##_1 },
#define HED_RULE3(ID, s, a, t, b, u, c) [HED_OP_##ID] = { back_##ID##_0, back_##ID##_1, back_##ID##_2 },
#include "core/record/rules.def"
};

static hed__back_fn *const others[HED_OP_COUNT_] = {
#define HED_RULE(ID, saves, function) [HED_OP_##ID] = function,
#define HED_RULE_AB(ID, saves_a, saves_b, function) [HED_OP_##ID] = function,
#include "core/record/rules.def"
};

hed_status hed__back_run(hed__back *b)
{
  const int32_t op = b->step->op;
  if (b->step->form == HED__FORM_CUSTOM)
    return hed__custom_back(b);
  if (others[op])
    return others[op](b);
  for (int32_t k = 0; k < b->n_in; k++)
    if (b->wanted[k] && !(b->d[k] = backs[op][k](b)))
      return hed_error();
  return HED_OK;
}

/* Of the remainder; the quotient is whole. */
hed_status hed__back_divmod(hed__back *b)
{
  const hed_array *g = b->g[1];
  if (!g)
    return HED_OK;
  if (b->wanted[0] && hed__give(b, 0, (hed_array *)(uintptr_t)g) != HED_OK)
    return hed_error();
  return b->wanted[1] ? hed__give(b, 1, hed__times(g, hed_negative(b->out[0]))) : HED_OK;
}
