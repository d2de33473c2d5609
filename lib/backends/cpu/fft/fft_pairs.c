// SPDX-License-Identifier: BSD-3-Clause
/*
 * Real transforms of awkward lengths, two lines as one complex line. L1.
 *
 * For odd lengths with a prime factor from 11 FFTW's real plans take two to six times half a complex one. With
 * z = x + iy, Z(k) = X(k) + iY(k) and conj Z(n-k) = X(k) - iY(k). The rounding errors of each line are those of the larger
 * one, and what is not finite would spread: lines whose largest elements differ by much go one by one.
 */
#include "backends/cpu/fft/fft_stage.h"
#include <heddle/kernel.h>
#include <math.h>
#include <string.h>

/* Lengths from which it pays; the least prime factor that FFTW has no good real plans for; lines as large as each other. */
enum { SHORTEST = 64, PRIME = 11, ALIKE = 4 };

enum { LANES = 8 };

static bool awkward(int64_t n)
{
  if (n < SHORTEST || n % 2 == 0)
    return false;
  for (int64_t p = 3; p < PRIME; p += 2)
    while (n % p == 0)
      n /= p;
  return n > 1;
}

bool cpu_fft_pairs_plan(cpu_fft_stage *s, int64_t ib, int64_t ob)
{
  cpu_plan_key *k = &s->key[0];
  const cpu_fft_dim d = k->dim[0], l = k->loop[0];
  if (k->kind == CPU_FFT_C2C || k->rank != 1 || k->loops != 1 || d.is != 1 || d.os != 1 || !awkward(d.n))
    return false;
  s->pairs = k->kind;
  s->lines = l.n;
  s->line_is = l.is * ib;
  s->line_os = l.os * ob;
  s->count = (l.n + 1) / 2;
  s->block[0] = s->block[1] = d.n;
  k->sign = k->kind == CPU_FFT_R2C ? -1 : 1;
  k->kind = CPU_FFT_C2C;
  k->loops = 0;
  k->loop[0] = (cpu_fft_dim){ 0, 0, 0 };
  k->aligned = 1;
  return true;
}

/* Numbers from the input of a pair's plan to its output, both at aligned addresses. */
static int64_t room(int64_t n) { return (2 * n + 15) / 16 * 16; }

#define PAIRS(R)                                                                                                       \
  static R largest_##R(const R *x, int64_t n)                                                                          \
  {                                                                                                                    \
    R most[LANES] = { 0 }, sum[LANES] = { 0 }; /* NaN when there is anything that is not finite */                     \
    int64_t i = 0;                                                                                                     \
    for (; i + LANES <= n; i += LANES)                                                                                 \
      for (int k = 0; k < LANES; k++) {                                                                                \
        R v = x[i + k], a = v < 0 ? -v : v;                                                                            \
        most[k] = a > most[k] ? a : most[k];                                                                           \
        sum[k] += v * 0;                                                                                               \
      }                                                                                                                \
    for (; i < n; i++) {                                                                                               \
      R a = x[i] < 0 ? -x[i] : x[i];                                                                                   \
      most[0] = a > most[0] ? a : most[0];                                                                             \
      sum[0] += x[i] * 0;                                                                                              \
    }                                                                                                                  \
    for (int k = 1; k < LANES; k++) {                                                                                  \
      most[0] = most[k] > most[0] ? most[k] : most[0];                                                                 \
      sum[0] += sum[k];                                                                                                \
    }                                                                                                                  \
    return sum[0] == 0 ? most[0] : NAN;                                                                                \
  }                                                                                                                    \
  /* N components each. */                                                                                             \
  static bool alike_##R(const R *x, const R *y, int64_t n)                                                             \
  {                                                                                                                    \
    R a = largest_##R(x, n), b = largest_##R(y, n);                                                                    \
    return a <= ALIKE * b && b <= ALIKE * a;                                                                           \
  }                                                                                                                    \
  static void there_##R(const cpu_fft_stage *s, const R *x, const R *y, R *ox, R *oy, R *z)                            \
  {                                                                                                                    \
    const int64_t n = s->key[0].dim[0].n;                                                                              \
    R *t = z + room(n), half = (R)(s->scale / 2);                                                                      \
    for (int64_t k = 0; k < n; k++) {                                                                                  \
      z[2 * k] = x[k];                                                                                                 \
      z[2 * k + 1] = y ? y[k] : 0;                                                                                     \
    }                                                                                                                  \
    cpu_plan_execute(s->plan[0], z, t);                                                                                \
    t[2 * n] = t[0];                                                                                                   \
    t[2 * n + 1] = t[1];                                                                                               \
    for (int64_t k = 0; k <= n / 2; k++) {                                                                             \
      const R *p = t + 2 * k, *q = t + 2 * (n - k);                                                                    \
      ox[2 * k] = (p[0] + q[0]) * half;                                                                                \
      ox[2 * k + 1] = (p[1] - q[1]) * half;                                                                            \
    }                                                                                                                  \
    for (int64_t k = 0; k <= n / 2 && y; k++) {                                                                        \
      const R *p = t + 2 * k, *q = t + 2 * (n - k);                                                                    \
      oy[2 * k] = (p[1] + q[1]) * half;                                                                                \
      oy[2 * k + 1] = (q[0] - p[0]) * half;                                                                            \
    }                                                                                                                  \
  }                                                                                                                    \
  static void back_##R(const cpu_fft_stage *s, const R *x, const R *y, R *ox, R *oy, R *z)                             \
  {                                                                                                                    \
    const int64_t n = s->key[0].dim[0].n;                                                                              \
    R *t = z + room(n), scale = (R)s->scale;                                                                           \
    z[0] = x[0];                                                                                                       \
    z[1] = y ? y[0] : 0;                                                                                               \
    for (int64_t k = 1; k <= n / 2; k++) {                                                                             \
      R xr = x[2 * k], xi = x[2 * k + 1], yr = y ? y[2 * k] : 0, yi = y ? y[2 * k + 1] : 0;                            \
      R *p = z + 2 * k, *q = z + 2 * (n - k);                                                                          \
      p[0] = xr - yi;                                                                                                  \
      p[1] = xi + yr;                                                                                                  \
      q[0] = xr + yi;                                                                                                  \
      q[1] = yr - xi;                                                                                                  \
    }                                                                                                                  \
    cpu_plan_execute(s->plan[0], z, t);                                                                                \
    for (int64_t k = 0; k < n; k++)                                                                                    \
      ox[k] = t[2 * k] * scale;                                                                                        \
    for (int64_t k = 0; k < n && y; k++)                                                                               \
      oy[k] = t[2 * k + 1] * scale;                                                                                    \
  }                                                                                                                    \
  static void run_##R(const cpu_fft_stage *s, int64_t pair, void *work)                                                \
  {                                                                                                                    \
    const bool there = s->pairs == CPU_FFT_R2C;                                                                        \
    const int64_t n = s->key[0].dim[0].n;                                                                              \
    const char *in = s->in + 2 * pair * s->line_is;                                                                    \
    char *out = s->out + 2 * pair * s->line_os;                                                                        \
    const bool two = 2 * pair + 1 < s->lines;                                                                          \
    const R *x = (const R *)(const void *)in, *y = two ? (const R *)(const void *)(in + s->line_is) : NULL;            \
    R *ox = (R *)(void *)out, *oy = two ? (R *)(void *)(out + s->line_os) : NULL;                                      \
    void (*const fn)(const cpu_fft_stage *, const R *, const R *, R *, R *, R *) = there ? there_##R : back_##R;       \
    bool together = two && alike_##R(x, y, there ? n : n / 2 * 2 + 2);                                                 \
    fn(s, x, together ? y : NULL, ox, oy, work);                                                                       \
    if (two && !together)                                                                                              \
      fn(s, y, NULL, oy, NULL, work);                                                                                  \
  }

PAIRS(float)
PAIRS(double)

int64_t cpu_fft_pairs_work(const cpu_fft_stage *s)
{
  const int64_t n = s->key[0].dim[0].n;
  return (room(n) + 2 * n + 2) * (int64_t)(s->key[0].single ? sizeof(float) : sizeof(double));
}

void cpu_fft_pairs_run(const cpu_fft_stage *s, int64_t pair, void *work)
{
  if (s->key[0].single)
    run_float(s, pair, work);
  else
    run_double(s, pair, work);
}
