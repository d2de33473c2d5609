// SPDX-License-Identifier: BSD-3-Clause
/* The cpu module's loops for batches of small matrices, of every instruction set that this processor has: products give
 * the matrices back, determinants of whole numbers are exact, lanes know nothing of each other, levels agree bit for bit,
 * and the first lane that fails is named.
 */
#include "batch.h"

static int type(void) { return wide + 2 * paired; }

/* Of whole numbers, in Gauss's sense; wide enough for products of two minors and a third, by Hadamard's bound. */
__extension__ typedef __int128 whole;
typedef struct pair {
  whole re, im;
} pair;

static pair times(pair x, pair y) { return (pair){ x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re }; }
static pair less(pair x, pair y) { return (pair){ x.re - y.re, x.im - y.im }; }

/* X is a multiple of Y. */
static pair part_of(pair x, pair y)
{
  const whole size = y.re * y.re + y.im * y.im;
  const pair p = times(x, (pair){ y.re, -y.im });
  return (pair){ p.re / size, p.im / size };
}

/* Bareiss: exact. */
static double complex exact_det(int64_t n, square x)
{
  pair a[MOST][MOST], before = { 1, 0 };
  int sign = 1;
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++)
      a[i][j] = (pair){ (whole)creal(x[i][j]), (whole)cimag(x[i][j]) };
  for (int64_t k = 0; k + 1 < n; k++) {
    int64_t p = k;
    while (p < n && a[p][k].re == 0 && a[p][k].im == 0)
      p++;
    if (p == n)
      return 0;
    for (int64_t j = 0; p != k && j < n; j++) {
      const pair t = a[p][j];
      a[p][j] = a[k][j];
      a[k][j] = t;
    }
    sign = p == k ? sign : -sign;
    for (int64_t i = k + 1; i < n; i++)
      for (int64_t j = k + 1; j < n; j++)
        a[i][j] = part_of(less(times(a[i][j], a[k][k]), times(a[i][k], a[k][j])), before);
    before = a[k][k];
  }
  return CMPLX(sign * (double)a[n - 1][n - 1].re, sign * (double)a[n - 1][n - 1].im);
}

static cpu_batch batch(const cpu_batch_loops *f)
{
  return (cpu_batch){ .count = gen_chance(&g, 40) ? f->lanes : gen_int(&g, 1, f->lanes), .n = gen_int(&g, 1, MOST),
                      .k = gen_int(&g, 1, MOST), .want = { true }, .room = work };
}

static double any_scale(void) { return ldexp(1, (int)gen_int(&g, wide ? -1030 : -130, wide ? 1014 : 118)); }

static bool solves(const cpu_batch_loops *f)
{
  cpu_batch b = batch(f);
  square a, right, x;
  bool good = true;
  room ra = side(&b.in[0], b.count, b.n, b.n, width()), rb = side(&b.in[1], b.count, b.n, b.k, width());
  room rx = side(&b.out[0], b.count, b.n, b.k, width());
  for (int64_t l = 0; l < b.count; l++) {
    fill(&b.in[0], l, b.n, b.n, gen_chance(&g, 20), gen_chance(&g, 20) ? any_scale() : 1);
    for (int64_t i = 0; i < b.n; i++) { /* regular: the largest of a row, at another place for each row */
      char *at = element(&b.in[0], l, i, (i + l) % b.n);
      set(at, get(at) * (double)(2 * b.n) + (get(at) == 0));
    }
    fill(&b.in[1], l, b.n, b.k, false, 1);
  }
  const int64_t failed = f->solve(&b);
  for (int64_t l = 0; l < b.count && failed < 0; l++) {
    load(&b.in[0], l, b.n, b.n, a);
    load(&b.in[1], l, b.n, b.k, right);
    load(&b.out[0], l, b.n, b.k, x);
    if (!isfinite(norm(b.n, b.k, x))) /* by a matrix of numbers below the smallest normal one */
      continue;
    const double off = apart(b.n, b.n, b.k, a, x, right), bound = norm(b.n, b.n, a) * norm(b.n, b.k, x) + 1;
    if (!(off <= 40 * (double)b.n * eps() * bound))
      diag("solve of order %d: off by %g of %g", (int)b.n, off, bound), good = false;
  }
  if (failed < 0 && good && !alone_too(f->solve, -1, &b, 2, 0, b.n, b.k, width()))
    diag("solve of order %d: not the same alone", (int)b.n), good = false;
  good = leave(&ra) && leave(&rb) && leave(&rx) && good;
  return good;
}

/* Systems of one number in each row, at the ends of the range, whose solution is 1. */
static bool solves_far(const cpu_batch_loops *f)
{
  cpu_batch b = batch(f);
  bool good = true;
  const double most = wide ? DBL_MAX : (double)FLT_MAX, least = wide ? DBL_MIN : (double)FLT_MIN;
  room ra = side(&b.in[0], b.count, b.n, b.n, width()), rb = side(&b.in[1], b.count, b.n, b.k, width());
  room rx = side(&b.out[0], b.count, b.n, b.k, width());
  for (int64_t l = 0; l < b.count; l++)
    for (int64_t i = 0; i < b.n; i++) {
      const double scale = gen_chance(&g, 40) ? most : gen_chance(&g, 50) ? least / 16 : 1;
      double complex x = any(scale);
      if (cabs(x / scale) < 0.5)
        x = scale;
      for (int64_t j = 0; j < b.n; j++)
        set(element(&b.in[0], l, i, j), i + j == b.n - 1 ? x : 0);
      for (int64_t j = 0; j < b.k; j++)
        set(element(&b.in[1], l, i, j), x);
    }
  good = f->solve(&b) == -1;
  for (int64_t l = 0; l < b.count; l++)
    for (int64_t i = 0; i < b.n; i++)
      for (int64_t j = 0; j < b.k; j++)
        good &= cabs(get(element(&b.out[0], l, i, j)) - 1) < 16 * eps();
  if (!good)
    diag("order %d: numbers at the ends of the range", (int)b.n);
  good = leave(&ra) && leave(&rb) && leave(&rx) && good;
  return good;
}

static bool determines(const cpu_batch_loops *f)
{
  cpu_batch b = batch(f);
  square a;
  bool good = true;
  room ra = side(&b.in[0], b.count, b.n, b.n, width()), rd = side(&b.out[0], b.count, 1, 1, width());
  for (int64_t l = 0; l < b.count; l++)
    fill(&b.in[0], l, b.n, b.n, true, 1);
  good = f->det(&b) == -1;
  for (int64_t l = 0; l < b.count; l++) {
    load(&b.in[0], l, b.n, b.n, a);
    double size = 1;
    for (int64_t i = 0; i < b.n; i++)
      size *= 1 + norm(1, b.n, &a[i]); /* of all terms, and so of their errors */
    const double off = cabs(get(b.out[0].at[l]) - exact_det(b.n, a));
    if (!(off <= 4 * (double)b.n * eps() * size))
      diag("determinant of order %d: off by %g of %g", (int)b.n, off, size), good = false;
  }
  good = alone_too(f->det, -1, &b, 1, 0, 1, 1, width()) && good;
  good = leave(&ra) && leave(&rd) && good;
  return good;
}

/* What each pivot has as a factor, and its power N, which is even. */
static double complex unit(void) { return paired ? CMPLX(0, 1) : 1; }
static double turn(int64_t n) { return paired && n % 4 ? -1 : 1; }

/* Diagonal matrices whose pivots' product is within the range, though parts of it are not. */
static bool stays_in_range(const cpu_batch_loops *f)
{
  cpu_batch b = batch(f);
  bool good = true;
  b.n = 2 * gen_int(&g, 1, MOST / 2);
  room ra = side(&b.in[0], b.count, b.n, b.n, width()), rd = side(&b.out[0], b.count, 1, 1, width());
  const int far = wide ? 1000 : 120;
  for (int64_t l = 0; l < b.count; l++)
    for (int64_t i = 0; i < b.n; i++)
      for (int64_t j = 0; j < b.n; j++) {
        const int power = l % 3 == 0 ? 0 : 2 * i < b.n ? far : -far;
        set(element(&b.in[0], l, i, j), i == j ? ldexp(1 + (double)(l % 2) / 2, power) * unit() : 0);
      }
  good = f->det(&b) == -1;
  for (int64_t l = 0; l < b.count; l++)
    good &= cabs(get(b.out[0].at[l]) / pow(l % 2 ? 1.5 : 1, (double)b.n) - turn(b.n)) < 20 * eps();
  if (!good)
    diag("order %d: the product of pivots left the range", (int)b.n);
  good = leave(&ra) && leave(&rd) && good;
  return good;
}

static bool factors(const cpu_batch_loops *f)
{
  cpu_batch b = batch(f);
  bool good = true;
  room r[5] = { side(&b.in[0], b.count, b.n, b.n, width()), side(&b.out[0], b.count, b.n, 1, 8),
                side(&b.out[1], b.count, b.n, b.n, width()), side(&b.out[2], b.count, b.n, b.n, width()),
                side(&b.out[3], b.count, 1, 1, width()) };
  for (int64_t l = 0; l < b.count; l++) {
    fill(&b.in[0], l, b.n, b.n, gen_chance(&g, 50), 1);
    for (int64_t i = 0; l % 4 == 3 && i < b.n; i++) /* singular */
      set(element(&b.in[0], l, i, b.n / 2), 0);
  }
  for (int k = 0; k < CPU_BATCH_OUT; k++)
    b.want[k] = true;
  good = f->lu(&b) == -1;
  for (int64_t l = 0; l < b.count && good; l++) {
    square a, lower, upper, sorted;
    unsigned seen = 0;
    double sign = 1;
    int64_t perm[MOST];
    load(&b.in[0], l, b.n, b.n, a);
    load(&b.out[1], l, b.n, b.n, lower);
    load(&b.out[2], l, b.n, b.n, upper);
    for (int64_t i = 0; i < b.n; i++) {
      memcpy(&perm[i], element(&b.out[0], l, i, 0), sizeof perm[i]);
      good &= perm[i] >= 0 && perm[i] < b.n;
      seen |= good ? 1u << perm[i] : 0;
      for (int64_t j = 0; j < b.n; j++) {
        sorted[i][j] = good ? a[perm[i]][j] : NAN;
        good &= j > i ? lower[i][j] == 0 : j == i ? lower[i][j] == 1 : cabs(lower[i][j]) <= (paired ? 1.5 : 1);
        good &= j >= i || upper[i][j] == 0;
      }
      for (int64_t j = 0; j < i; j++)
        sign = perm[j] > perm[i] ? -sign : sign;
    }
    good &= seen == (1u << b.n) - 1 && get(b.out[3].at[l]) == sign;
    const double size = norm(b.n, b.n, upper) + norm(b.n, b.n, a);
    good &= apart(b.n, b.n, b.n, lower, upper, sorted) <= 4 * (double)b.n * eps() * size;
    if (!good)
      diag("lu of order %d, lane %d", (int)b.n, (int)l);
  }
  for (int k = 0; k < CPU_BATCH_OUT; k++)
    good = alone_too(f->lu, -1, &b, 1, k, k == 3 ? 1 : b.n, k == 1 || k == 2 ? b.n : 1, k ? width() : 8) && good;
  for (int k = 0; k < 5; k++)
    good = leave(&r[k]) && good;
  return good;
}

static bool roots(const cpu_batch_loops *f)
{
  cpu_batch b = batch(f);
  bool good = true;
  room ra = side(&b.in[0], b.count, b.n, b.n, width()), rl = side(&b.out[0], b.count, b.n, b.n, width());
  for (int64_t l = 0; l < b.count; l++) {
    square x;
    for (int64_t i = 0; i < b.n; i++)
      for (int64_t j = 0; j < b.n; j++)
        x[i][j] = any(1);
    for (int64_t i = 0; i < b.n; i++)
      for (int64_t j = 0; j < b.n; j++) {
        double complex sum = i == j ? 0.1 : 0;
        for (int64_t k = 0; k < b.n; k++)
          sum += x[i][k] * conj(x[j][k]);
        /* what is above the diagonal is not read, nor what should be 0 on it */
        set(element(&b.in[0], l, i, j), j > i ? CMPLX(NAN, NAN) : i == j ? CMPLX(creal(sum), NAN) : sum);
      }
  }
  good = f->cholesky(&b) == -1;
  for (int64_t l = 0; l < b.count && good; l++) {
    square a, lower, turned;
    load(&b.in[0], l, b.n, b.n, a);
    load(&b.out[0], l, b.n, b.n, lower);
    for (int64_t i = 0; i < b.n; i++)
      for (int64_t j = 0; j < b.n; j++) {
        turned[i][j] = conj(lower[j][i]);
        a[i][j] = j > i ? conj(a[j][i]) : i == j ? creal(a[i][j]) : a[i][j];
        good &= j > i ? lower[i][j] == 0 : j < i || (creal(lower[i][j]) > 0 && cimag(lower[i][j]) == 0);
      }
    good &= apart(b.n, b.n, b.n, lower, turned, a) <= 8 * (double)b.n * eps() * norm(b.n, b.n, a);
    if (!good)
      diag("cholesky of order %d, lane %d", (int)b.n, (int)l);
  }
  good = alone_too(f->cholesky, -1, &b, 1, 0, b.n, b.n, width()) && good;
  good = leave(&ra) && leave(&rl) && good;
  return good;
}

/* The identity, but for one or two lanes that fail at known steps; lanes with NaN do not. */
static bool names_the_first(const cpu_batch_loops *f, bool square_root)
{
  cpu_batch b = batch(f);
  const int64_t lane = gen_int(&g, 0, b.count - 1), step = gen_int(&g, 0, b.n - 1), other = gen_int(&g, lane, b.count - 1);
  room ra = side(&b.in[0], b.count, b.n, b.n, width()), rb = side(&b.in[1], b.count, b.n, b.k, width());
  room rx = side(&b.out[0], b.count, b.n, CPU_BATCH_ORDER, width());
  for (int64_t l = 0; l < b.count; l++) {
    fill(&b.in[1], l, b.n, b.k, false, 1);
    for (int64_t i = 0; i < b.n; i++)
      for (int64_t j = 0; j < b.n; j++)
        set(element(&b.in[0], l, i, j), i == j);
  }
  set(element(&b.in[0], other, 0, 0), 0);
  for (int64_t i = 0; i < b.n; i++) {
    set(element(&b.in[0], lane, i, i), 1);
    set(element(&b.in[0], lane, i, step), 0);
  }
  const int64_t want = lane * CPU_BATCH_ORDER + step;
  int64_t got = (square_root ? f->cholesky : f->solve)(&b);
  bool good = got == want;
  if (!good)
    diag("order %d: %d, wanted lane %d at %d", (int)b.n, (int)got, (int)lane, (int)step);
  if (!square_root) { /* a pivot that is NaN is none that is 0 */
    for (int64_t l = 0; l < b.count; l++)
      for (int64_t i = 0; i < b.n; i++)
        set(element(&b.in[0], l, i, i), l == lane && i == step ? NAN : 1);
    got = f->solve(&b);
    good &= got == -1 && isnan(creal(get(element(&b.out[0], lane, step, 0))));
    for (int64_t l = 0; l < b.count; l++)
      for (int64_t i = 0; i < b.n; i++)
        for (int64_t j = 0; j < b.k; j++)
          good &= l == lane || get(element(&b.out[0], l, i, j)) == get(element(&b.in[1], l, i, j));
  }
  good = leave(&ra) && leave(&rb) && leave(&rx) && good;
  return good;
}

static int wrong(const cpu_batch_loops *sets, int t, int k)
{
  const cpu_batch_loops *f = &sets[t];
  return !solves(f) + !solves_far(f) + !determines(f) + !stays_in_range(f) + !factors(f) + !roots(f)
         + !names_the_first(f, k % 2);
}

static void one_level(const char *level, const cpu_batch_loops *sets) { each_type(level, sets, 150, wrong); }

#if defined(HED_HAVE_X86_LEVELS)
/* By lanes of the base level, alone; by others' in a group. */
static bool same_bits(const cpu_batch_loops *one, const cpu_batch_loops *two)
{
  cpu_batch b = batch(one);
  room ra = side(&b.in[0], b.count, b.n, b.n, width()), rb = side(&b.in[1], b.count, b.n, b.k, width());
  room rx = side(&b.out[0], b.count, b.n, b.k, width());
  for (int64_t l = 0; l < b.count; l++) {
    fill(&b.in[0], l, b.n, b.n, false, l == 1 ? any_scale() : 1);
    fill(&b.in[1], l, b.n, b.k, false, 1);
  }
  bool good = one->solve(&b) == -1 && alone_too(two->solve, -1, &b, 2, 0, b.n, b.k, width());
  if (!good)
    diag("order %d, %d columns: levels differ", (int)b.n, (int)b.k);
  good = leave(&ra) && leave(&rb) && leave(&rx) && good;
  return good;
}

static void agree(const char *level, const cpu_batch_loops *sets)
{
  int bad = 0;
  for (int round = 0; round < scaled(400); round++) {
    wide = round % 2;
    paired = round / 2 % 2;
    bad += !same_bits(&sets[type()], &cpu_batch_base[type()]);
  }
  ok(bad == 0, "%s gives the bits of the base level", level);
}
#endif

int main(void)
{
  gen_seed(&g, tap_seed());
  one_level("base", cpu_batch_base);
#if defined(HED_HAVE_X86_LEVELS)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    one_level("AVX2", cpu_batch_avx2);
    agree("AVX2", cpu_batch_avx2);
  } else {
    skip(5, "no AVX2");
  }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
      && __builtin_cpu_supports("avx512dq")) {
    one_level("AVX-512", cpu_batch_avx512);
    agree("AVX-512", cpu_batch_avx512);
  } else {
    skip(5, "no AVX-512");
  }
#endif
  done_testing();
  return done();
}
