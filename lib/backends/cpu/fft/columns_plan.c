// SPDX-License-Identifier: BSD-3-Clause
/* What transforms of columns need to know of a length: columns.h. L1. */
#include "backends/cpu/kernels/columns.h"
#include "backends/cpu/cpu.h"
#include <math.h>

const cpu_columns_fn *cpu_columns_k = cpu_columns_base;

/* Factors of N in the order of the steps; how many, 0 when there are others. Fewer than two steps leave nothing to do
 * between memory and memory. */
static int32_t factors(int64_t n, int32_t *radix)
{
  static const int32_t odd[2] = { 3, 5 };
  int32_t steps = 0, twos = 0;
  for (; n % 2 == 0; n /= 2)
    twos++;
  /* Eights, and fours where they come out even. */
  for (; twos >= 3 && twos != 4; twos -= 3)
    radix[steps++] = 8;
  for (; twos >= 2; twos -= 2)
    radix[steps++] = 4;
  for (int i = 0; i < 2; i++)
    for (; n % odd[i] == 0 && steps < CPU_COLUMNS_STEPS; n /= odd[i])
      radix[steps++] = odd[i];
  if (twos && steps < CPU_COLUMNS_STEPS)
    radix[steps++] = 2;
  return n == 1 && steps > 1 ? steps : 0;
}

bool cpu_columns_serve(int64_t n, bool single)
{
  int32_t radix[CPU_COLUMNS_STEPS];
  return cpu_columns_k[!single] && n > 1 && n <= CPU_COLUMNS_LONGEST && factors(n, radix) > 0;
}

int64_t cpu_columns_tile(int64_t n)
{
  return 4 * n * 128; /* as many of the widest vectors, two for a row, as are worked on beside each other */
}

static void put(void *to, int64_t at, bool single, double x)
{
  if (single)
    ((float *)to)[at] = (float)x;
  else
    ((double *)to)[at] = x;
}

/* exp(-2 pi i K / N), exact where it is 1, i, -1, -i and at eighths. */
static void root(int64_t k, int64_t n, double *re, double *im)
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
  switch (eighth / 2) {
  case 0: *re = c, *im = -s; break;
  case 1: *re = -s, *im = -c; break;
  case 2: *re = -c, *im = s; break;
  default: *re = s, *im = c; break;
  }
}

cpu_columns *cpu_columns_make(int64_t n, bool single)
{
  cpu_columns made = { .n = n };
  made.steps = factors(n, made.radix);
  const int32_t last = made.radix[made.steps - 1];
  const int64_t blocks = n / last, size = single ? 4 : 8;
  int64_t turns = 0, at = 0;
  for (int64_t s = 0, m = n; s < made.steps - 1; s++) {
    m /= made.radix[s];
    turns += 2 * m * (made.radix[s] - 1);
  }
  const int64_t head = ((int64_t)sizeof made + 63) / 64 * 64;
  cpu_columns *p = cpu_host->alloc((size_t)(head + turns * size + blocks * (int64_t)sizeof(int32_t)), 64);
  if (!p)
    return NULL;
  void *w = (char *)p + head;
  int32_t *place = (int32_t *)(void *)((char *)p + head + turns * size);
  for (int64_t s = 0, length = n; s < made.steps - 1; length /= made.radix[s++])
    for (int64_t j = 0; j < length / made.radix[s]; j++)
      for (int64_t k = 1; k < made.radix[s]; k++, at += 2) {
        double re, im;
        root(j * k, length, &re, &im);
        put(w, at, single, re);
        put(w, at + 1, single, im);
      }
  /* Block b has the digits q0, q1 ... of the steps, first one highest; its first row is q0 + r0 (q1 + r1 (...)). */
  for (int64_t b = 0; b < blocks; b++) {
    int64_t rest = b, row = 0;
    for (int32_t s = made.steps - 2; s >= 0; s--) {
      row = row * made.radix[s] + rest % made.radix[s];
      rest /= made.radix[s];
    }
    place[b] = (int32_t)row;
  }
  made.turns = w;
  made.place = place;
  *p = made;
  return p;
}
