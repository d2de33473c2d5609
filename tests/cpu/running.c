// SPDX-License-Identifier: BSD-3-Clause
/* Loops of scans, of reductions that pass over NaN, and of products of complex numbers and of columns, of every instruction set
 * that this processor has, against plain ones: lengths round vectors, into themselves and elsewhere, factors that leave the
 * range, zeros, infinities and NaN. Lanes and rows end at guard pages.
 */
#include "backends/cpu/kernels/kernels.h"
#include "base/dtype.h"
#include "sets.h"
#include "gen.h"
#include "tap.h"
#include <float.h>
#include <math.h>
#include <string.h>

static gen g;

static int64_t length(void)
{
  return gen_chance(&g, 10) ? gen_int(&g, 1, 9000) : gen_chance(&g, 60) ? gen_int(&g, 1, 70) : gen_int(&g, 1, 1100);
}

/* Element I of floats of TYPE, and of the parts of complex numbers. */
static bool is_single(int type) { return type == HED_ID_FLOAT32 || type == HED_ID_COMPLEX64; }
static double take(int type, const void *x, int64_t i)
{
  return is_single(type) ? (double)((const float *)x)[i] : ((const double *)x)[i];
}
static void put(int type, void *x, int64_t i, double v)
{
  if (is_single(type))
    ((float *)x)[i] = (float)v;
  else
    ((double *)x)[i] = v;
}

static bool same(double a, double b) { return a == b || (a != a && b != b); }

/* ---- scans ---- */

/* A factor near 1, or far from it, or none of both. */
static double factor(double spread, int odds)
{
  static const double odd[] = { 0, -0.0, (double)INFINITY, -(double)INFINITY, (double)NAN, 0x1p-149, 0x1p-1074, 0x1p-100, 0x1p100 };
  if (odds && gen_chance(&g, (unsigned)odds))
    return odd[gen_below(&g, sizeof odd / sizeof *odd)];
  return (gen_chance(&g, 50) ? 1 : -1) * exp(gen_double(&g, -spread, spread));
}

/* A factor that takes *POWER, that of two of a running product, up to a limit and down to one in turns. */
static double there_and_back(double *power, bool single)
{
  static double sign = 1;
  const double by = gen_double(&g, single ? 40 : 60, single ? 120 : 170);
  if (*power * sign > 800)
    sign = -sign;
  *power += sign * by;
  return (gen_chance(&g, 50) ? 1 : -1) * exp2(sign * by);
}

static double combined(cpu_scan op, double v, double a)
{
  switch (op) {
  case CPU_SCAN_SUM: return v + a;
  case CPU_SCAN_PROD: return v * a;
  case CPU_SCAN_MAX: return a > v || a != a ? a : v;
  default: return a < v || a != a ? a : v;
  }
}

/* Floats; what rounding may have made of a product is followed, as it grows where products nearly vanish. */
static int wrong_floats(const cpu_scan_loops *l, cpu_scan op, int type, bool along)
{
  const bool single = type == HED_ID_FLOAT32, wide = op <= CPU_SCAN_PROD;
  const int64_t n = length();
  const size_t size = single ? 4 : 8;
  const double spread = gen_chance(&g, 50) ? 0.5 : gen_chance(&g, 50) ? 30 : single ? 80 : 300;
  const int odds = gen_chance(&g, 60) ? 0 : gen_chance(&g, 70) ? 1 : 30;
  char *x = guard_alloc((size_t)n * size, size), *out = gen_chance(&g, 50) ? x : guard_alloc((size_t)n * size, size);
  const int64_t carries = along ? 1 : n;
  char *carry = guard_alloc((size_t)carries * (wide ? 8 : size), wide ? 8 : size);
  const bool turns = gen_chance(&g, 20);
  double power = 0, *given = guard_alloc((size_t)n * 8, 8), *began = guard_alloc((size_t)carries * 8, 8), v = 0, error = 0;
  int wrong = 0;
  for (int64_t i = 0; i < n; i++) {
    put(type, x, i, op != CPU_SCAN_PROD ? (odds && gen_chance(&g, 1) ? (double)NAN : (double)gen_int(&g, -99, 99))
                    : turns ? there_and_back(&power, single) : factor(spread, odds));
    given[i] = take(type, x, i);
  }
  for (int64_t i = 0; i < carries; i++) {
    put(wide ? HED_ID_FLOAT64 : type, carry, i, op == CPU_SCAN_PROD ? factor(1, odds) : (double)gen_int(&g, -9, 9));
    began[i] = take(wide ? HED_ID_FLOAT64 : type, carry, i);
  }
  (along ? l->along : l->across)(n, out, x, carry);
  for (int64_t i = 0; i < n; i++) {
    if (i == 0 || !along) {
      v = began[i];
      error = 0;
    }
    v = combined(op, v, given[i]);
    if (op == CPU_SCAN_PROD && v != 0 && isfinite(v))
      error += DBL_EPSILON + 0x1p-1074 / fabs(v);
    const double got = take(type, out, i), want = single ? (double)(float)v : v;
    const double slack = op == CPU_SCAN_PROD ? error + (single ? (double)FLT_EPSILON : 0) : 0;
    if (error > 0.01)
      break; /* of a product that has nearly vanished little is known */
    wrong += !(same(got, want) || fabs(got - want) <= slack * fabs(want) + (single && slack > 0 ? 0x1p-149 : 0) ||
               (op == CPU_SCAN_PROD && along && fabs(want) > (single ? (double)FLT_MAX : DBL_MAX) * (1 - 1e-6)));
  }
  guard_free(carry);
  guard_free(given);
  guard_free(began);
  if (out != x)
    guard_free(out);
  guard_free(x);
  return wrong;
}

static uint64_t widened(int type, const char *x)
{
  const int spare = 64 - 8 * hed__id_size(type);
  uint64_t v = 0;
  memcpy(&v, x, (size_t)hed__id_size(type)); /* the low bytes come first */
  return hed__id_kind(type) == HED_KIND_INT ? (uint64_t)((int64_t)(v << spare) >> spare) : v;
}

static int wrong_words(const cpu_scan_loops *l, cpu_scan op, int type, bool along)
{
  const int64_t n = length(), carries = along ? 1 : n;
  const size_t size = (size_t)hed__id_size(type);
  char *x = guard_alloc((size_t)n * size, size), *out = gen_chance(&g, 50) ? x : guard_alloc((size_t)n * size, size);
  char *carry = guard_alloc((size_t)carries * size, size);
  uint64_t *want = guard_alloc((size_t)n * 8, 8), v = 0;
  const bool few = gen_chance(&g, 50), is_signed = hed__id_kind(type) == HED_KIND_INT;
  int wrong = 0;
  gen_bytes(&g, x, (size_t)n * size);
  gen_bytes(&g, carry, (size_t)carries * size);
  for (int64_t i = 0; few && i < n * (int64_t)size; i++)
    x[i] = (char)(x[i] & 0x81);
  for (int64_t i = 0; i < n; i++) {
    const uint64_t a = widened(type, x + (size_t)i * size);
    if (i == 0 || !along)
      v = widened(type, carry + (size_t)i * size);
    const bool less = is_signed ? (int64_t)a < (int64_t)v : a < v;
    v = op == CPU_SCAN_SUM ? v + a : op == CPU_SCAN_PROD ? v * a : (op == CPU_SCAN_MIN) == less ? a : v;
    want[i] = v;
  }
  (along ? l->along : l->across)(n, out, x, carry);
  for (int64_t i = 0; i < n; i++) {
    wrong += widened(type, out + (size_t)i * size) != want[i];
    if (!along || i == n - 1)
      wrong += widened(type, carry + (along ? 0 : (size_t)i * size)) != want[i];
  }
  guard_free(carry);
  guard_free(want);
  if (out != x)
    guard_free(out);
  guard_free(x);
  return wrong;
}

static void scans(const char *level, const cpu_kernels *k)
{
  static const char *const names[CPU_SCANS] = { "sums", "products", "maxima", "minima" };
  for (int op = 0; op < CPU_SCANS; op++)
    for (int type = 0; type < HED_ID_CONCRETE_COUNT_; type++) {
      const cpu_scan_loops *l = &k->scan[op][type];
      const hed_kind kind = hed__id_kind(type);
      int wrong = 0;
      if (!l->along || kind == HED_KIND_COMPLEX)
        continue;
      for (int trial = 0; trial < scaled(800); trial++)
        wrong += (kind == HED_KIND_FLOAT ? wrong_floats : wrong_words)(l, (cpu_scan)op, type, trial % 2);
      is_int(wrong, 0, "%s: running %s of %s", level, names[op], hed__dtypes[type]->name);
    }
}

/* ---- what is not NaN ---- */

/* ROWS rows of N elements, STEP bytes apart; each result from ROWS elements of a column, or all N of the only row. */
static void numbers(const char *level, const cpu_kernels *k)
{
  for (int type = 0; type < HED_ID_CONCRETE_COUNT_; type++) {
    const cpu_reduce_loops *l = &k->skipnan[type];
    int sums = 0, extremes = 0;
    if (!l->sum)
      continue;
    for (int trial = 0; trial < scaled(600); trial++) {
      const bool lane = trial % 2;
      const int parts = hed__id_kind(type) == HED_KIND_COMPLEX ? 2 : 1;
      const int64_t size = hed__id_size(type), rows = lane ? 1 : gen_int(&g, 1, 40), n = lane ? length() : gen_int(&g, 1, 150);
      const int64_t step = size * (n + gen_int(&g, 0, 3)), results = lane ? 1 : n;
      const unsigned holes = (unsigned[]){ 0, 1, 10, 90, 100 }[gen_below(&g, 5)], ends = gen_chance(&g, 20) ? 60 : 0;
      char *x = guard_alloc((size_t)((rows - 1) * step + n * size), (size_t)(size / parts));
      char *top = guard_alloc((size_t)(results * size), (size_t)(size / parts));
      char *low = guard_alloc((size_t)(results * size), (size_t)(size / parts));
      double *sum = guard_alloc((size_t)(results * parts) * 8, 8);
      for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < n * parts; i++)
          put(type, x + r * step, i, gen_chance(&g, holes) ? (double)NAN : parts == 1 && gen_chance(&g, ends) ? -(double)INFINITY
                                                                             : (double)gen_int(&g, -99, 99));
      for (int64_t i = 0; i < results * parts; i++)
        sum[i] = 3;
      memcpy(top, x, (size_t)(results * size)); /* as who calls them begins */
      memcpy(low, x, (size_t)(results * size));
      if (lane)
        l->sum(n, x, sum);
      else
        l->col_sum(rows, n, x, step, sum);
      if (l->max && lane) {
        l->max(n, x, top);
        l->min(n, x, low);
      } else if (l->max) {
        l->col_max(rows, n, x, step, top);
        l->col_min(rows, n, x, step, low);
      }
      for (int64_t j = 0; j < results; j++) {
        double want[2] = { 3, 3 }, most = (double)NAN, least = (double)NAN;
        for (int64_t i = 0; i < (lane ? n : rows); i++) {
          const char *at = lane ? x + i * size : x + i * step + j * size;
          const double v = take(type, at, 0), w = parts == 2 ? take(type, at, 1) : 0;
          if (v != v || w != w)
            continue;
          want[0] += v;
          want[1] += w;
          most = fmax(most, v);
          least = fmin(least, v);
        }
        for (int p = 0; p < parts; p++)
          sums += !same(sum[j * parts + p], want[p]);
        if (l->max)
          extremes += !same(take(type, top, j), most) + !same(take(type, low, j), least);
      }
      guard_free(x);
      guard_free(top);
      guard_free(low);
      guard_free(sum);
    }
    is_int(sums, 0, "%s: sums without NaN of %s", level, hed__dtypes[type]->name);
    if (l->max)
      is_int(extremes, 0, "%s: extremes without NaN of %s", level, hed__dtypes[type]->name);
  }
}

/* ---- products ---- */

typedef struct exact { long double re, im; int64_t exponent; } exact;

static void times(exact *p, double re, double im)
{
  const long double r = p->re * (long double)re - p->im * (long double)im;
  p->im = p->re * (long double)im + p->im * (long double)re;
  p->re = r;
  const long double most = fmaxl(fabsl(p->re), fabsl(p->im));
  int e;
  if (most == 0 || !isfinite(p->re) || !isfinite(p->im))
    return;
  frexpl(most, &e);
  p->re = ldexpl(p->re, -e);
  p->im = ldexpl(p->im, -e);
  p->exponent += e;
}

/* GOT has the value of WANT, to N roundings of its size; where that is not finite any that is not. */
static bool same_product(const hed__product *got, const exact *want, int64_t n)
{
  const long double size = hypotl(want->re, want->im), gap = (long double)got->exponent - (long double)want->exponent;
  if (!isfinite(want->re) || !isfinite(want->im))
    return !isfinite(got->part[0]) || !isfinite(got->part[1]);
  if (size == 0)
    return got->part[0] == 0 && got->part[1] == 0;
  const int shift = (int)fmaxl(fminl(gap, 4000), -4000);
  return hypotl(ldexpl((long double)got->part[0], shift) - want->re, ldexpl((long double)got->part[1], shift) - want->im)
         <= 4e-16L * (long double)(n + 4) * size;
}

static void complex_products(const char *level, const cpu_kernels *k)
{
  for (int type = HED_ID_COMPLEX64; type <= HED_ID_COMPLEX128; type++) {
    int wrong = 0;
    for (int trial = 0; trial < scaled(2000); trial++) {
      /* Two runs down, often to where bits are lost, and back at once: they fit the steps of four chains of some width. */
      const int64_t lanes = (int64_t)8 << gen_below(&g, 3), run = lanes << gen_below(&g, 4);
      const int64_t first = 4 * run * (int64_t)gen_below(&g, 3);
      const double most = is_single(type) ? 80 : 690;
      const double lost = gen_double(&g, 1500, 1600) * log(2) * (double)lanes / (double)run;
      const double half = gen_double(&g, 0.3, 1) * most, rest = lost - half > 0 && lost - half < most ? lost - half : half;
      const double way[2] = { -half, -rest };
      const bool dips = gen_chance(&g, 30);
      const int64_t n = dips ? first + 4 * run + length() : length(), size = hed__id_size(type);
      const double spread = dips || gen_chance(&g, 50) ? 1 : is_single(type) ? 40 : gen_chance(&g, 50) ? 100 : 340;
      const int odds = gen_chance(&g, 80) ? 0 : 1;
      char *x = guard_alloc((size_t)(n * size), (size_t)(size / 2));
      hed__product got = hed__product_one;
      exact want = { 1, 0, 0 };
      for (int64_t i = 0; i < n; i++) {
        const int64_t turn = dips && i >= first ? (i - first) / run : 4;
        const double slope = turn < 2 ? way[turn] : turn < 4 ? -way[turn - 2] : 0;
        const double angle = gen_double(&g, 0, 7), radius = exp(gen_double(&g, -spread, spread) + slope);
        const bool odd = odds && gen_below(&g, (uint64_t)n) < 2;
        put(type, x, 2 * i, odd ? (gen_chance(&g, 70) ? 0 : (double)INFINITY) : radius * cos(angle));
        put(type, x, 2 * i + 1, odd ? (gen_chance(&g, 70) ? 0 : (double)NAN) : radius * sin(angle));
        times(&want, take(type, x, 2 * i), take(type, x, 2 * i + 1));
      }
      k->reduce[type].prod(n, x, &got);
      wrong += !same_product(&got, &want, 3 * n);
      guard_free(x);
    }
    is_int(wrong, 0, "%s: products of %s", level, hed__dtypes[type]->name);
  }
}

static void column_products(const char *level, const cpu_kernels *k)
{
  for (int type = HED_ID_FLOAT32; type <= HED_ID_FLOAT64; type++) {
    int wrong = 0;
    for (int trial = 0; trial < scaled(400); trial++) {
      const int64_t n = gen_int(&g, 1, 70), rows = gen_int(&g, 1, 120), size = hed__id_size(type);
      const int64_t step = size * (n + gen_int(&g, 0, 3));
      const double spread = gen_chance(&g, 50) ? 1 : is_single(type) ? 80 : gen_chance(&g, 50) ? 100 : 690;
      const int odds = gen_chance(&g, 60) ? 0 : 1;
      char *x = guard_alloc((size_t)((rows - 1) * step + n * size), (size_t)size);
      double *m = guard_alloc((size_t)n * 8, 8), *e = guard_alloc((size_t)n * 8, 8);
      for (int64_t r = 0; r < rows; r++)
        for (int64_t j = 0; j < n; j++)
          put(type, x + r * step, j, factor(spread, odds));
      const double half = gen_double(&g, 600, 950), rest = gen_double(&g, 1500, 1600) - half; /* to where bits are lost, and back */
      const double way[4] = { -half, -rest, rest, half };
      for (int64_t r = 0; r < rows / 4 * 4 && !is_single(type) && spread == 1; r++) {
        const int64_t j = (r / 4 * 7 + 3) % n;
        put(type, x + r * step, j, take(type, x + r * step, j) * exp2(way[r % 4]));
      }
      for (int64_t j = 0; j < n; j++) {
        m[j] = 1;
        e[j] = 0;
      }
      const int64_t first = gen_int(&g, 0, rows); /* in two parts */
      k->reduce[type].col_prod(first, n, x, step, m, e);
      k->reduce[type].col_prod(rows - first, n, x + first * step, step, m, e);
      for (int64_t j = 0; j < n; j++) {
        exact want = { 1, 0, 0 };
        for (int64_t r = 0; r < rows; r++)
          times(&want, take(type, x + r * step, j), 0);
        want.im = isfinite(want.re) ? want.im : 0;
        const hed__product got = { { m[j], 0 }, e[j] };
        wrong += isinf(want.re) ? m[j] != (double)want.re : !same_product(&got, &want, rows);
      }
      guard_free(x);
      guard_free(m);
      guard_free(e);
    }
    is_int(wrong, 0, "%s: products of columns of %s", level, hed__dtypes[type]->name);
  }
}

static void one_level(const char *level, const cpu_kernels *k)
{
  scans(level, k);
  numbers(level, k);
  complex_products(level, k);
  column_products(level, k);
}

#define ONE_LEVEL(name, set) one_level(name, &cpu_kernels_##set)

int main(void)
{
  gen_seed(&g, tap_seed());
  CPU_EACH_SET(ONE_LEVEL);
  done_testing();
  return done();
}
