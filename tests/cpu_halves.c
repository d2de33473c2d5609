// SPDX-License-Identifier: BSD-3-Clause
/*
 * Functions of float16 at each instruction set that has loops of them: every float16 there is, against the C library's double,
 * in one row, apart, and as few as fill no vector; with the signs of zeros, infinities and what has no value.
 */
#include "backends/cpu/kernels/kernels.h"
#include "base/dtype.h"
#include "cpu_sets.h"
#include "gen.h"
#include "tap.h"
#include <math.h>
#include <string.h>

enum { ALL = 65536, APART = 3 };

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

static const struct { const char *name; int index; double (*of)(double); } functions[] = {
  { "exp", CPU_MAP_EXP, exp }, { "sigmoid", CPU_MAP_SIGMOID, sigmoid },
  { "sin", CPU_MAP_SIN, sin }, { "cos", CPU_MAP_COS, cos }, { "log", CPU_MAP_LOG, log }, { "log2", CPU_MAP_LOG2, log2 },
  { "log10", CPU_MAP_LOG10, log10 }
};

/* Of the numbers of float16 between which X lies; its least are 2^-24 apart. */
static double apart(double x)
{
  const int e = x == 0 ? -14 : ilogb(x);
  return ldexp(1, (e < -14 ? -14 : e) - 10);
}

/* GOT is at most 0.501 of them off; 65520 rounds to infinity. */
static bool right(double got, double want)
{
  if (fabs(want) > 65536 || (fabs(want) >= 65519 && isinf(got)))
    return isinf(got) && !signbit(got) == !signbit(want);
  if (isnan(want) || isinf(want) || want == 0)
    return isnan(want) ? isnan(got) : got == want && !signbit(got) == !signbit(want);
  return fabs(got - want) <= 0.501 * apart(want);
}

static void one_level(const char *level, const cpu_kernels *k)
{
  static uint16_t x[APART * ALL], out[APART * ALL], close[ALL];
  static double real[ALL], got[ALL];
  gen g;
  gen_seed(&g, tap_seed());
  for (int i = 0; i < ALL; i++)
    close[i] = (uint16_t)i;
  hed__cast(HED_ID_FLOAT16, HED_ID_FLOAT64)(ALL, (char *)real, 8, (char *)close, 2);
  for (size_t r = 0; r < sizeof functions / sizeof *functions; r++) {
    const hed__map_fn fn = k->half[0][0][functions[r].index];
    if (!fn) {
      skip(1, "%s has no loops of float16", level);
      continue;
    }
    int bad = 0;
    for (int round = 0; round < 12 && bad < 3; round++) {
      const int step = round % 2 ? (int)gen_int(&g, 1, APART) : 1, to = round % 4 == 3 ? (int)gen_int(&g, 1, APART) : 1;
      const int64_t first = round ? gen_int(&g, 0, ALL - 1) : 0, most = ALL - first;
      const int64_t n = round < 6 ? most : gen_int(&g, 0, most < 40 ? most : 40);
      for (int64_t i = 0; i < n; i++)
        x[i * step] = (uint16_t)(first + i);
      memset(out, 0x55, sizeof out);
      const bool in_place = round % 5 == 4 && to == step;
      uint16_t *const o = in_place ? x : out;
      fn(n, (char *const[]){ (char *)o, (char *)x }, (const int64_t[]){ 2 * to, 2 * step }, NULL);
      hed__cast(HED_ID_FLOAT16, HED_ID_FLOAT64)(n, (char *)got, 8, (char *)o, 2 * to);
      for (int64_t i = 0; i < n && bad < 3; i++) {
        const double want = functions[r].of(real[first + i]);
        if (!right(got[i], want)) {
          diag("%s of %.9g, %d of %d: %.9g, not %.9g", functions[r].name, real[first + i], (int)i, (int)n, got[i], want);
          bad++;
        }
      }
      for (int64_t i = 0; i < n * to && !in_place; i++) /* what lies between results is left alone */
        bad += i % to != 0 && out[i] != 0x5555;
    }
    is_int(bad, 0, "%s %s of every float16", level, functions[r].name);
  }
}

#define ONE_LEVEL(name, set) one_level(name, &cpu_kernels_##set)

int main(void)
{
  CPU_EACH_SET(ONE_LEVEL);
  done_testing();
  return done();
}
