// SPDX-License-Identifier: BSD-3-Clause
/* What reductions keep of the elements that they have seen: family reduce. L1.
 *
 * Everything runs in the widest type of the compute type's kind: 64-bit words, float64. A family of states is F_state, F_begin(),
 * F_step(&s, x, at, c), where AT comes after all that s has seen, F_merge(&s, t), with F_context c from the arguments. Names have
 * their underscore in macros: without, they may be macros of the compiler.
 */
#ifndef HED_IN0
#define HED_IN0 HED_COMPUTE
#endif
typedef STORED(HED_IN0) input;
#define TAKE(s) GIVEN(HED_COMPUTE, CONVERT(HED_IN0, HED_COMPUTE, GIVEN(HED_IN0, s)))

typedef struct no_context {
  int32_t none;
} no_context;
#define NO_CONTEXT(name)                                                                                               \
  typedef no_context name##context;                                                                                   \
  FN no_context name##context_of(const hed__reduce_args *args, i64 a, i64 c, GLOBAL const char *aux)                  \
  {                                                                                                                    \
    no_context none = { 0 };                                                                                           \
    (void)args, (void)a, (void)c, (void)aux;                                                                           \
    return none;                                                                                                       \
  }

/* ---- sums and products of words ---- */

#if COMPUTES <= IS_U
#define WORDS(name, start, change)                                                                                     \
  typedef u64 name##state;                                                                                            \
  NO_CONTEXT(name)                                                                                                     \
  FN u64 name##begin(void) { return start; }                                                                          \
  FN void name##step(u64 *s, T x, i64 at, no_context c) { (void)at, (void)c; const u64 v = (u64)x; change; }          \
  FN void name##merge(u64 *s, u64 v) { change; }
WORDS(sum_, 0, *s += v)
WORDS(prod_, 1, *s *= v)
#endif

/* ---- sums of floats: SUM and what rounding took from it ---- */

typedef struct real_sum {
  double sum, lost;
} real_sum;

FN void real_join(real_sum *s, real_sum t)
{
  double error;
  s->sum = sum_of_two(s->sum, t.sum, &error);
  s->lost += error + t.lost;
}

/* What is infinite loses nothing. */
FN double real_total(real_sum s) { return isfinite(s.sum) ? s.sum + s.lost : s.sum; }

FN real_sum real_nothing(void)
{
  real_sum s;
  s.sum = s.lost = 0;
  return s;
}

#define REAL_SUMS(name, term)                                                                                          \
  typedef real_sum name##state;                                                                                       \
  FN real_sum name##begin(void) { return real_nothing(); }                                                            \
  FN void name##step(real_sum *s, T v, i64 at, name##context c)                                                      \
  {                                                                                                                    \
    const double x = (double)v;                                                                                        \
    (void)at, (void)c, (void)x;                                                                                        \
    s->sum += term;                                                                                                    \
  }                                                                                                                    \
  FN void name##merge(real_sum *s, real_sum t) { real_join(s, t); }

typedef struct complex_sum {
  real_sum re, im;
} complex_sum;

#define COMPLEX_SUMS(name, re_term, im_term)                                                                           \
  typedef complex_sum name##state;                                                                                    \
  FN complex_sum name##begin(void)                                                                                    \
  {                                                                                                                    \
    complex_sum s;                                                                                                     \
    s.re = s.im = real_nothing();                                                                                      \
    return s;                                                                                                          \
  }                                                                                                                    \
  FN void name##step(complex_sum *s, T x, i64 at, name##context c)                                                   \
  {                                                                                                                    \
    (void)at, (void)c;                                                                                                 \
    s->re.sum += re_term;                                                                                              \
    s->im.sum += im_term;                                                                                              \
  }                                                                                                                    \
  FN void name##merge(complex_sum *s, complex_sum t)                                                                   \
  {                                                                                                                    \
    real_join(&s->re, t.re);                                                                                           \
    real_join(&s->im, t.im);                                                                                           \
  }

#if COMPUTES == IS_F
NO_CONTEXT(sum_)
NO_CONTEXT(nansum_)
REAL_SUMS(sum_, x)
REAL_SUMS(nansum_, (x == x ? x : 0))
#elif COMPUTES == IS_C
NO_CONTEXT(sum_)
NO_CONTEXT(nansum_)
COMPLEX_SUMS(sum_, x.re, x.im)
#define NUMBER(x) ((x).re == (x).re && (x).im == (x).im)
COMPLEX_SUMS(nansum_, (NUMBER(x) ? x.re : 0), (NUMBER(x) ? x.im : 0))
#endif

/* ---- products of floats: a number with its exponent apart, so that only the whole can leave the range (base/product.h) ---- */

#if COMPUTES >= IS_F
typedef struct prod_state {
  double re, im, exponent;
#if COMPUTES == IS_C
  int64_t some; /* 0: of nothing yet; 1 times a number with an infinite part is NaN */
#endif
} prod_state;
NO_CONTEXT(prod_)

FN prod_state prod_begin(void)
{
  prod_state s;
  s.re = 1;
  s.im = s.exponent = 0;
#if COMPUTES == IS_C
  s.some = 0;
#endif
  return s;
}

/* By the power of two that brings the larger part into [1, 2); zeros and what is not finite stay. */
FN void prod_even(prod_state *s)
{
  const double most = fmax(fabs(s->re), fabs(s->im));
  if (most == 0 || !isfinite(s->re) || !isfinite(s->im))
    return;
  const int32_t k = ilogb(most);
  s->re = ldexp(s->re, -k);
  s->im = ldexp(s->im, -k);
  s->exponent += k;
}

FN void prod_times(prod_state *s, double re, double im)
{
#if COMPUTES == IS_C
  const double r = s->re * re - s->im * im;
  s->im = s->some ? s->re * im + s->im * re : im;
  s->re = s->some ? r : re;
  s->some = 1;
#else
  (void)im;
  s->re *= re;
#endif
}

FN void prod_merge(prod_state *s, prod_state t)
{
#if COMPUTES == IS_C
  if (!t.some)
    return;
#endif
  prod_even(s);
  prod_even(&t);
  prod_times(s, t.re, t.im);
  s->exponent += t.exponent;
}

/* Factors of ordinary size cost a multiplication, while the product is of ordinary size too. */
FN void prod_step(prod_state *s, T x, i64 at, no_context c)
{
  prod_state t = prod_begin();
  (void)at, (void)c;
#if COMPUTES == IS_C
  t.re = x.re;
  t.im = x.im;
  t.some = 1;
#else
  t.re = x;
#endif
  const double a = fmax(fabs(s->re), fabs(s->im)), b = fmax(fabs(t.re), fabs(t.im));
#ifdef NO_FLOAT64
  if (a > 0x1p-50f && a < 0x1p50f && b > 0x1p-50f && b < 0x1p50f)
#else
  if (a > 0x1p-400 && a < 0x1p400 && b > 0x1p-400 && b < 0x1p400)
#endif
    prod_times(s, t.re, t.im);
  else
    prod_merge(s, t);
}

FN double prod_scaled(double x, double exponent) { return ldexp(x, (int32_t)fmin(fmax(exponent, (double)-5000), (double)5000)); }
#endif

/* ---- means: sums in which what is near the end of the range counts as a part of its own ---- */

#define BIG 0x1p400
#define BIG_DOWN 0x1p-600
#define BIG_UP 0x1p600
#if HED_COMPUTE == 12 || HED_COMPUTE == 14
#define RANGES 1
#else
#define RANGES 0
#endif

typedef struct moment {
  real_sum sum;
  double big;
} moment;

FN void moment_add(moment *s, double x)
{
#if RANGES
  const bool far = fabs(x) > BIG;
  s->sum.sum += far ? 0 : x;
  s->big += far ? x * BIG_DOWN : 0;
#else
  s->sum.sum += x;
#endif
}

FN void moment_join(moment *s, moment t)
{
  real_join(&s->sum, t.sum);
  s->big += t.big;
}

FN double moment_mean(moment s, i64 n)
{
#if RANGES
  if (s.big != 0)
    return (s.big + real_total(s.sum) * BIG_DOWN) / (double)n * BIG_UP;
#endif
  return real_total(s.sum) / (double)n;
}

#if COMPUTES == IS_C
#define PARTS_OF 2
#define RE(x) ((double)(x).re)
#define IM(x) ((double)(x).im)
#else
#define PARTS_OF 1
#define RE(x) ((double)(x))
#define IM(x) 0
#endif

typedef struct mean_state {
  moment part[PARTS_OF];
} mean_state;
NO_CONTEXT(mean_)

FN mean_state mean_begin(void)
{
  mean_state s;
  for (int32_t k = 0; k < PARTS_OF; k++) {
    s.part[k].sum = real_nothing();
    s.part[k].big = 0;
  }
  return s;
}

FN void mean_step(mean_state *s, T x, i64 at, no_context c)
{
  (void)at, (void)c;
  moment_add(&s->part[0], RE(x));
#if PARTS_OF == 2
  moment_add(&s->part[1], IM(x));
#endif
}

FN void mean_merge(mean_state *s, mean_state t)
{
  for (int32_t k = 0; k < PARTS_OF; k++)
    moment_join(&s->part[k], t.part[k]);
}

/* ---- squares of distances from the mean in one pass, where float64 has digits to spare: of N elements their distances from one of
 * them, plain and squared. States are joined by means and squares about these (Chan, Golub, LeVeque 1983), so what cancels is at
 * most what an item adds up by itself. ---- */

#if !defined(NO_FLOAT64) && (HED_REAL == 9 || HED_REAL == 10 || HED_REAL == 11)
#define ONE_PASS
typedef struct moments_state {
  i64 n;
  double shift[PARTS_OF], sum[PARTS_OF], squares;
} moments_state;
NO_CONTEXT(moments_)

FN moments_state moments_begin(void)
{
  moments_state s;
  s.n = 0;
  for (int32_t k = 0; k < PARTS_OF; k++)
    s.shift[k] = s.sum[k] = 0;
  s.squares = 0;
  return s;
}

FN void moments_add(moments_state *s, int32_t k, double x)
{
  s->shift[k] = s->n == 0 ? x : s->shift[k];
  const double d = x - s->shift[k];
  s->sum[k] += d;
  s->squares += d * d;
}

FN void moments_step(moments_state *s, T x, i64 at, no_context c)
{
  (void)at, (void)c;
  moments_add(s, 0, RE(x));
#if PARTS_OF == 2
  moments_add(s, 1, IM(x));
#endif
  s->n++;
}

/* The mean becomes what distances are from. */
FN void moments_settle(moments_state *s)
{
  for (int32_t k = 0; k < PARTS_OF && s->n > 0; k++) {
    const double mean = s->sum[k] / (double)s->n;
    s->squares -= s->sum[k] * mean;
    s->shift[k] += mean;
    s->sum[k] = 0;
  }
}

FN void moments_merge(moments_state *s, moments_state t)
{
  const double all = (double)(s->n + t.n), theirs = all > 0 ? (double)t.n / all : 0;
  moments_settle(s);
  moments_settle(&t);
  for (int32_t k = 0; k < PARTS_OF && t.n > 0; k++) {
    const double apart = t.shift[k] - s->shift[k];
    s->squares += s->n > 0 ? apart * apart * ((double)s->n * theirs) : 0;
    s->shift[k] = s->n > 0 ? s->shift[k] + apart * theirs : t.shift[k];
  }
  s->squares += t.squares;
  s->n += t.n;
}

FN double moments_end(moments_state s, i64 freedom, bool root)
{
  moments_settle(&s);
  const double v = s.squares / (freedom > 0 ? (double)freedom : 0);
  return root ? sqrt(v) : v;
}
#endif

/* ---- the same in two passes: from the mean, which is two numbers of aux for each result; of three sizes. The plain sum of the
 * distances, OFF, says what the mean was rounded by, whose square is in each of the others. ---- */

#ifndef ONE_PASS
typedef struct squares_context {
  double re, im;
} squares_context;

FN squares_context squares_context_of(const hed__reduce_args *args, i64 a, i64 c, GLOBAL const char *aux)
{
  GLOBAL const double *mean = (GLOBAL const double *)aux + 2 * (a * args->n[2] + c);
  squares_context out;
  out.re = mean[0];
  out.im = mean[1];
  return out;
}

typedef struct squares_state {
  real_sum sum;
  double big, small, off[PARTS_OF];
} squares_state;

FN squares_state squares_begin(void)
{
  squares_state s;
  s.sum = real_nothing();
  s.big = s.small = s.off[0] = s.off[PARTS_OF - 1] = 0;
  return s;
}

FN void squares_add(squares_state *s, int32_t k, double d)
{
#if RANGES
  const double size = fabs(d);
  const bool big = size > 0x1p400, tiny = size < 0x1p-400;
  s->off[k] += big ? 0 : d;
  s->sum.sum += big || tiny ? 0 : d * d;
  s->big += big ? d * BIG_DOWN * (d * BIG_DOWN) : 0;
  s->small += tiny ? d * BIG_UP * (d * BIG_UP) : 0;
#else
  s->off[k] += d;
  s->sum.sum += d * d;
#endif
}

FN void squares_step(squares_state *s, T x, i64 at, squares_context c)
{
  (void)at;
  squares_add(s, 0, RE(x) - c.re);
#if PARTS_OF == 2
  squares_add(s, 1, IM(x) - c.im);
#endif
}

FN void squares_merge(squares_state *s, squares_state t)
{
  real_join(&s->sum, t.sum);
  s->big += t.big;
  s->small += t.small;
  for (int32_t k = 0; k < PARTS_OF; k++)
    s->off[k] += t.off[k];
}

/* The mean of squares, or its root; no degree of freedom left: NaN, or infinity where a sum is not 0. */
FN double squares_end(squares_state s, i64 count, i64 freedom, bool root)
{
  const double n = freedom > 0 ? (double)freedom : 0;
  double v = real_total(s.sum), up = 1;
  for (int32_t k = 0; k < PARTS_OF; k++)
    v -= v < INFINITY ? fmin(s.off[k] / (double)count * s.off[k], v) : 0;
#if RANGES
  if (s.big != 0) {
    v = s.big + v * BIG_DOWN * BIG_DOWN;
    up = BIG_UP;
  } else if (v < 0x1p-700 && s.small != 0) {
    v = s.small + v * BIG_UP * BIG_UP;
    up = BIG_DOWN;
  }
#endif
  v /= n;
  return root ? sqrt(v) * up : v * up * up;
}
#endif

/* ---- the best element and its number: the first of equals; a NaN beats numbers and stays ---- */

#if COMPUTES <= IS_F
typedef struct best_state {
  T value;
  i64 at; /* -1: none */
} best_state;

#if COMPUTES == IS_F
#define IS_NAN(x) ((x) != (x))
#else
#define IS_NAN(x) false
#endif

#define BEST(name, better, skip)                                                                                       \
  typedef best_state name##state;                                                                                     \
  NO_CONTEXT(name)                                                                                                     \
  FN best_state name##begin(void)                                                                                     \
  {                                                                                                                    \
    best_state s;                                                                                                      \
    s.value = 0;                                                                                                       \
    s.at = -1;                                                                                                         \
    return s;                                                                                                          \
  }                                                                                                                    \
  FN bool name##wins(T x, i64 at, best_state s)                                                                       \
  {                                                                                                                    \
    if (s.at < 0)                                                                                                      \
      return true;                                                                                                     \
    if (IS_NAN(x) || IS_NAN(s.value))                                                                                  \
      return IS_NAN(x) && (!IS_NAN(s.value) || at < s.at);                                                             \
    return x better s.value || (x == s.value && at < s.at);                                                            \
  }                                                                                                                    \
  FN void name##step(best_state *s, T x, i64 at, no_context c)                                                         \
  {                                                                                                                    \
    const bool wins = x better s->value || s->at < 0 || (IS_NAN(x) && !IS_NAN(s->value));                              \
    (void)c;                                                                                                           \
    s->at = !(skip) && wins ? at : s->at;                                                                              \
    s->value = !(skip) && wins ? x : s->value;                                                                         \
  }                                                                                                                    \
  FN T name##of(T x, T y) { return x better y || IS_NAN(x) ? x : y; }                                                  \
  FN void name##merge(best_state *s, best_state t)                                                                     \
  {                                                                                                                    \
    if (t.at >= 0 && name##wins(t.value, t.at, *s))                                                                   \
      *s = t;                                                                                                          \
  }
BEST(max_, >, false)
BEST(min_, <, false)
BEST(nanmax_, >, IS_NAN(x))
BEST(nanmin_, <, IS_NAN(x))
#endif

/* ---- truth ---- */

#if COMPUTES == IS_C
#define TRUE_OF(x) ((x).re != 0 || (x).im != 0)
#else
#define TRUE_OF(x) ((x) != 0)
#endif
typedef i64 count_state;
NO_CONTEXT(count_)
FN i64 count_begin(void) { return 0; }
FN void count_step(i64 *s, T x, i64 at, no_context c)
{
  (void)at, (void)c;
  *s += TRUE_OF(x) ? 1 : 0;
}
FN void count_merge(i64 *s, i64 t) { *s += t; }

/* ---- norms: the largest and the least absolute value, then powers of what is left after division by one of them ---- */

#if COMPUTES >= IS_F
#if COMPUTES == IS_C
#define SIZE(x) hypot(RE(x), IM(x))
#else
#define SIZE(x) fabs(RE(x))
#endif
typedef struct extremes_state {
  double most, least;
  i64 not_zero, nan;
} extremes_state;
NO_CONTEXT(extremes_)

FN extremes_state extremes_begin(void)
{
  extremes_state s;
  s.most = 0;
  s.least = INFINITY;
  s.not_zero = s.nan = 0;
  return s;
}

FN void extremes_step(extremes_state *s, T x, i64 at, no_context c)
{
  const double v = SIZE(x);
  (void)at, (void)c;
  s->nan += v != v;
  s->not_zero += v != 0;
  s->most = v > s->most ? v : s->most;
  s->least = v < s->least ? v : s->least;
}

FN void extremes_merge(extremes_state *s, extremes_state t)
{
  s->nan += t.nan;
  s->not_zero += t.not_zero;
  s->most = t.most > s->most ? t.most : s->most;
  s->least = t.least < s->least ? t.least : s->least;
}

/* aux has {most, least, not_zero, nan} of each result as doubles: norms_join leaves them. */
typedef struct powers_context {
  double scale, order;
} powers_context;

FN double norm_scale(GLOBAL const double *e, double order) { return order > 0 ? e[0] : e[1]; }

FN powers_context powers_context_of(const hed__reduce_args *args, i64 a, i64 c, GLOBAL const char *aux)
{
  powers_context out;
  out.order = ARGUMENT(args->order);
  out.scale = norm_scale((GLOBAL const double *)aux + 4 * (a * args->n[2] + c), out.order);
  return out;
}

FN double power_of(double v, double order) { return order == 1 ? v : order == 2 ? v * v : pow(v, order); }

typedef real_sum powers_state;
FN real_sum powers_begin(void) { return real_nothing(); }
FN void powers_step(real_sum *s, T x, i64 at, powers_context c)
{
  (void)at;
  s->sum += power_of(SIZE(x) / c.scale, c.order);
}
FN void powers_merge(real_sum *s, real_sum t) { real_join(s, t); }
#endif

/* ---- sums of conj(x) y; aux is y ---- */

#if COMPUTES == IS_C
typedef struct dot_context {
  GLOBAL const input *y;
  i64 step;
} dot_context;

FN dot_context dot_context_of(const hed__reduce_args *args, i64 a, i64 c, GLOBAL const char *aux)
{
  dot_context out;
  out.y = (GLOBAL const input *)aux + a * args->other[0] + c * args->other[2];
  out.step = args->other[1];
  return out;
}

typedef complex_sum dot_state;
FN complex_sum dot_begin(void) { return sum_begin(); }
FN void dot_step(complex_sum *s, T x, i64 at, dot_context c)
{
  const T y = TAKE(c.y[at * c.step]);
  s->re.sum += RE(x) * RE(y) + IM(x) * IM(y);
  s->im.sum += RE(x) * IM(y) - IM(x) * RE(y);
}
FN void dot_merge(complex_sum *s, complex_sum t) { sum_merge(s, t); }
#endif
