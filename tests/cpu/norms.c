// SPDX-License-Identifier: BSD-3-Clause
/* Loops of norms and of inner products of every instruction set that this processor has, against sums in long double. Operands
 * end at guard pages.
 */
#include "backends/cpu/kernels/linalg/dot.h"
#include "backends/cpu/kernels/kernels.h"
#include "base/dtype.h"
#include "sets.h"
#include "gen.h"
#include "tap.h"
#include <complex.h>
#include <math.h>
#include <string.h>

typedef struct level { const char *name; const cpu_kernels *k; const cpu_dot_loops *dots; } level;

static gen g;
static const int types[] = { HED_ID_FLOAT32, HED_ID_FLOAT64, HED_ID_COMPLEX64, HED_ID_COMPLEX128 };

static bool is_wide(int type) { return type == HED_ID_FLOAT64 || type == HED_ID_COMPLEX128; }
static int parts_of(int type) { return hed__id_kind(type) == HED_KIND_COMPLEX ? 2 : 1; }

/* Lengths round vectors and blocks, and some of which two places are read at a time. */
static int64_t length(void)
{
  return gen_chance(&g, 10) ? gen_int(&g, 10000, 70000) : gen_chance(&g, 60) ? gen_int(&g, 1, 70) : gen_int(&g, 1, 5000);
}

/* N elements, some of them 0. */
static void fill(int type, char *x, int64_t n)
{
  for (int64_t i = 0; i < n * parts_of(type); i++) {
    const double v = gen_chance(&g, 20) ? 0 : gen_double(&g, -8, 8);
    const float f = (float)v;
    memcpy(x + i * (is_wide(type) ? 8 : 4), is_wide(type) ? (const void *)&v : (const void *)&f, is_wide(type) ? 8 : 4);
  }
}

static double part(int type, const char *x, int64_t i)
{
  float f;
  double v;
  if (is_wide(type)) {
    memcpy(&v, x + 8 * i, sizeof v);
    return v;
  }
  memcpy(&f, x + 4 * i, sizeof f);
  return (double)f;
}

static double complex element(int type, const char *x, int64_t i)
{
  const int parts = parts_of(type);
  return CMPLX(part(type, x, parts * i), parts > 1 ? part(type, x, 2 * i + 1) : 0);
}

static long double measure(int what, double complex z)
{
  const long double re = creal(z), im = cimag(z);
  return what == CPU_NORM_THERE ? re != 0 || im != 0 : what == CPU_NORM_SQUARES ? re * re + im * im : fabsl(re);
}

/* Rows of N elements, one of which may be a NaN, and the sums and extremes of columns. */
static void norms(const level *l)
{
  for (int w = 0; w < CPU_NORM_COUNT; w++)
    for (int q = 0; q < 4; q++) {
      const int type = types[q];
      const cpu_reduce_loops *r = &(*l->k->norm)[w][type];
      const int64_t size = hed__id_size(type);
      const double unit = is_wide(type) || w == CPU_NORM_SQUARES ? 1e-13 : 2e-6;
      int sums = 0, columns = 0, extremes = 0;
      if (!r->sum)
        continue;
      for (int trial = 0; trial < scaled(150); trial++) {
        const int64_t n = length(), rows = n > 5000 ? 1 : gen_int(&g, 1, 40), odd = gen_chance(&g, 20) ? gen_int(&g, 0, n - 1) : -1;
        char *x = guard_alloc((size_t)(rows * n * size), (size_t)size / (size_t)parts_of(type));
        double *acc = guard_alloc((size_t)n * sizeof *acc, sizeof *acc);
        fill(type, x, rows * n);
        double sum = 3;
        long double want = 3, most = 0, least = INFINITY;
        for (int64_t i = 0; i < n; i++) {
          const long double v = measure(w, element(type, x, i));
          want += v;
          most = fmaxl(most, v);
          least = fminl(least, v);
        }
        r->sum(n, x, &sum);
        sums += !(fabsl(sum - want) <= unit * want);
        for (int64_t i = 0; i < n; i++)
          acc[i] = 1;
        r->col_sum(rows, n, x, n * size, acc);
        for (int64_t i = 0; i < n; i++) {
          want = 1;
          for (int64_t k = 0; k < rows; k++)
            want += measure(w, element(type, x, k * n + i));
          columns += !(fabsl(acc[i] - want) <= unit * want);
        }
        if (r->max) {
          char v[2][8];
          const double nan = (double)NAN;
          const float nanf = (float)NAN;
          if (odd >= 0)
            memcpy(x + odd * size, is_wide(type) ? (const void *)&nan : (const void *)&nanf, (size_t)size);
          memcpy(v[0], x, (size_t)size);
          memcpy(v[1], x, (size_t)size);
          r->max(n, x, v[0]);
          r->min(n, x, v[1]);
          const double a = part(type, v[0], 0), b = part(type, v[1], 0);
          extremes += odd >= 0 ? a == a || b == b : a != (double)most || b != (double)least || signbit(b) || signbit(a);
          char *m[2] = { guard_alloc((size_t)(n * size), (size_t)size), guard_alloc((size_t)(n * size), (size_t)size) };
          memcpy(m[0], x, (size_t)(n * size));
          memcpy(m[1], x, (size_t)(n * size));
          r->col_max(rows, n, x, n * size, m[0]);
          r->col_min(rows, n, x, n * size, m[1]);
          for (int64_t i = 0; i < n; i++) {
            most = 0, least = INFINITY;
            for (int64_t k = 0; k < rows; k++) {
              most = fmaxl(most, fabsl(part(type, x, k * n + i)));
              least = fminl(least, fabsl(part(type, x, k * n + i)));
            }
            const double c = part(type, m[0], i), d = part(type, m[1], i);
            extremes += i == odd ? c == c || d == d : c != (double)most || d != (double)least;
          }
          guard_free(m[0]);
          guard_free(m[1]);
        }
        guard_free(x);
        guard_free(acc);
      }
      static const char *const names[] = { "absolute values", "elements that are not 0", "squares" };
      is_int(sums, 0, "%s: sums of %s of %s", l->name, names[w], hed__dtypes[type]->name);
      is_int(columns, 0, "%s: their columns", l->name);
      is_int(extremes, 0, "%s: their extremes", l->name);
    }
}

static void dots(const level *l)
{
  for (int q = 0; q < 4; q++) {
    const int type = types[q], parts = parts_of(type);
    const cpu_dot_loops *d = &l->dots[q];
    const int64_t size = hed__id_size(type);
    const double unit = is_wide(type) ? 1e-14 : 4e-6;
    int wrong = 0;
    for (int trial = 0; trial < scaled(300); trial++) {
      const bool columns = gen_chance(&g, 50);
      const int64_t count = gen_int(&g, 1, 60), n = columns ? gen_int(&g, 1, 60) : length() % 9000 + 1, all = count * n;
      const size_t align = (size_t)(size / parts);
      char *a = guard_alloc((size_t)(all * size), align), *b = guard_alloc((size_t)(all * size), align);
      char *c = guard_alloc((size_t)(count * size), align), *sum = guard_alloc((size_t)(count * size * 2), 64);
      fill(type, a, all);
      fill(type, b, all);
      cpu_dot job = { .count = count, .n = n, .a = a, .b = b, .c = c, .a_step = (columns ? count : n) * size,
                      .b_step = (columns ? count : n) * size, .c_step = size };
      if (columns) {
        memset(sum, 0, (size_t)(count * size * 2));
        d->columns(&job, sum);
        d->ends(&job, sum);
      } else {
        d->rows(&job);
      }
      for (int64_t i = 0; i < count; i++) {
        long double complex want = 0;
        long double sizes = 0;
        for (int64_t k = 0; k < n; k++) {
          const int64_t at = columns ? k * count + i : i * n + k;
          const long double complex v = (long double complex)element(type, a, at) * (long double complex)element(type, b, at);
          want += v;
          sizes += fabsl(creall(v)) + fabsl(cimagl(v));
        }
        const double complex got = element(type, c, i);
        wrong += !(fabsl(creal(got) - creall(want)) + fabsl(cimag(got) - cimagl(want)) <= unit * (sizes + 1));
      }
      guard_free(a);
      guard_free(b);
      guard_free(c);
      guard_free(sum);
    }
    is_int(wrong, 0, "%s: inner products of %s", l->name, hed__dtypes[type]->name);
  }
}

static void one_level(const char *name, const cpu_kernels *k, const cpu_dot_loops *d)
{
  const level l = { name, k, d };
  norms(&l);
  dots(&l);
}

#define ONE_LEVEL(name, set) one_level(name, &cpu_kernels_##set, cpu_dot_##set)

int main(void)
{
  gen_seed(&g, tap_seed());
  CPU_EACH_SET(ONE_LEVEL);
  done_testing();
  return done();
}
