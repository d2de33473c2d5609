// SPDX-License-Identifier: BSD-3-Clause
/* fft_steps.h. L1. */
#include "backends/cpu/fft/fft_steps.h"
#include <math.h>

int32_t cpu_fft_factors(int64_t n, int32_t *radix, int32_t most)
{
  static const int32_t odd[2] = { 3, 5 };
  int32_t steps = 0, twos = 0;
  if (n < 1)
    return 0;
  for (; n % 2 == 0; n /= 2)
    twos++;
  /* Eights, and fours where they come out even. */
  for (; twos >= 3 && twos != 4 && steps < most; twos -= 3)
    radix[steps++] = 8;
  for (; twos >= 2 && steps < most; twos -= 2)
    radix[steps++] = 4;
  for (int i = 0; i < 2; i++)
    for (; n % odd[i] == 0 && steps < most; n /= odd[i])
      radix[steps++] = odd[i];
  if (twos == 1 && steps < most) {
    radix[steps++] = 2;
    twos = 0;
  }
  return n == 1 && twos == 0 ? steps : 0;
}

static void put(void *to, int64_t at, bool single, double x)
{
  if (single)
    ((float *)to)[at] = (float)x;
  else
    ((double *)to)[at] = x;
}

void cpu_fft_root(int64_t k, int64_t n, void *x, int64_t at, int64_t im, bool single)
{
  const double whole = 6.28318530717958647693;
  int64_t eighth = 8 * (k %= n) / n, rest = 8 * k - eighth * n; /* of N / 8, in eighths */
  bool turned = eighth % 2;
  double a = whole * (double)(turned ? n - rest : rest) / (8 * (double)n), c = cos(a), s = sin(a);
  if (turned) {
    double t = c;
    c = s;
    s = t;
  }
  /* The angle is EIGHTH / 2 quarters and one with cosine C and sine S. */
  const double re[4] = { c, -s, -c, s }, minus_im[4] = { s, c, -s, -c };
  put(x, at, single, re[eighth / 2]);
  put(x, at + im, single, -minus_im[eighth / 2]);
}

int32_t cpu_fft_order(int64_t b, int32_t steps, const int32_t *radix)
{
  int64_t row = 0;
  for (int32_t s = steps - 1; s >= 0; s--) {
    row = row * radix[s] + b % radix[s];
    b /= radix[s];
  }
  return (int32_t)row;
}
