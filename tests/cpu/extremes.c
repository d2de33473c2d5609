// SPDX-License-Identifier: BSD-3-Clause
/* Extremes of one lane, and where an element is, by the loops of every instruction set that this processor has, against plain
 * ones. Lanes end at guard pages.
 */
#include "backends/cpu/kernels/kernels.h"
#include "base/dtype.h"
#include "sets.h"
#include "gen.h"
#include "tap.h"
#include <math.h>
#include <string.h>

static gen g;

static double number(int type, const char *x)
{
  float single;
  double v;
  memcpy(&single, x, sizeof single);
  if (type == HED_ID_FLOAT64)
    memcpy(&v, x, sizeof v);
  return type == HED_ID_FLOAT64 ? v : (double)single;
}

static bool is_float(int type) { return type == HED_ID_FLOAT32 || type == HED_ID_FLOAT64; }

static bool same_element(int type, const char *x, const char *y)
{
  const int size = hed__id_size(type);
  if (!is_float(type))
    return memcmp(x, y, (size_t)size) == 0;
  const double a = number(type, x), b = number(type, y);
  return a == b || (isnan(a) && isnan(b));
}

/* X goes before Y as the largest, which a NaN is. */
static bool larger(int type, const char *x, const char *y)
{
  const int size = hed__id_size(type);
  if (is_float(type)) {
    const double a = number(type, x), b = number(type, y);
    return !isnan(b) && (isnan(a) || a > b);
  }
  for (int k = size - 1; k >= 0; k--) { /* the high byte comes last */
    const int sign = k == size - 1 && hed__id_kind(type) == HED_KIND_INT ? 0x80 : 0;
    const int a = (unsigned char)x[k] ^ sign, b = (unsigned char)y[k] ^ sign;
    if (a != b)
      return a > b;
  }
  return false;
}

static bool smaller(int type, const char *x, const char *y)
{
  const double a = is_float(type) ? number(type, x) : 0, b = is_float(type) ? number(type, y) : 0;
  return isnan(a) || isnan(b) ? !isnan(b) : larger(type, y, x);
}

/* Some of few values, or of many; of floats zeros of either sign, and NaN now and then. */
static void put_element(int type, char *x, int values, unsigned nan_per_mille)
{
  gen_bytes(&g, x, (size_t)hed__id_size(type));
  if (!is_float(type)) {
    if (type == HED_ID_BOOL)
      x[0] &= 1;
    else if (values < 100)
      memset(x, (int)gen_below(&g, (uint64_t)values) * 37, (size_t)hed__id_size(type));
    return;
  }
  const double v = gen_below(&g, 1000) < nan_per_mille ? (double)NAN : (double)gen_int(&g, 0, values) * (gen_chance(&g, 50) ? -1 : 1);
  const float single = (float)v;
  memcpy(x, type == HED_ID_FLOAT64 ? (const void *)&v : (const void *)&single, (size_t)hed__id_size(type));
}

static void one_level(const char *level, const cpu_kernels *k)
{
  for (int type = 0; type < HED_ID_CONCRETE_COUNT_; type++) {
    const cpu_reduce_loops *r = &k->reduce[type];
    const int size = hed__id_size(type);
    int wrong = 0, lost = 0;
    if (!r->find)
      continue;
    for (int trial = 0; trial < 600; trial++) {
      const int64_t n = gen_chance(&g, 10) ? gen_int(&g, 1, 40000) : gen_chance(&g, 50) ? gen_int(&g, 1, 70) : gen_int(&g, 1, 2200);
      char *x = guard_alloc((size_t)(n * size), (size_t)size), most[8], least[8], max[8], min[8];
      const int values = gen_chance(&g, 50) ? 3 : 100000;
      const unsigned odd = gen_chance(&g, 70) ? 0 : gen_chance(&g, 50) ? 1 : 100;
      for (int64_t i = 0; i < n; i++)
        put_element(type, x + i * size, values, odd);
      memcpy(most, x, (size_t)size);
      memcpy(least, x, (size_t)size);
      memcpy(max, x, (size_t)size);
      memcpy(min, x, (size_t)size);
      for (int64_t i = 1; i < n; i++) {
        if (larger(type, x + i * size, most))
          memcpy(most, x + i * size, (size_t)size);
        if (smaller(type, x + i * size, least))
          memcpy(least, x + i * size, (size_t)size);
      }
      r->max(n, x, max);
      r->min(n, x, min);
      wrong += !same_element(type, max, most) + !same_element(type, min, least);
      for (int w = 0; w < 2 && r->argmax; w++) {
        int64_t first = 0;
        while (!same_element(type, x + first * size, w ? least : most))
          first++;
        lost += (w ? r->argmin : r->argmax)(n, x) != first;
      }
      for (int w = 0; w < 4; w++) { /* the extremes, one of the elements, and any value */
        char want[8];
        int64_t first = 0;
        memcpy(want, w == 0 ? most : w == 1 ? least : x + (int64_t)gen_below(&g, (uint64_t)n) * size, (size_t)size);
        if (w == 3)
          put_element(type, want, values, 300);
        while (first < n && !same_element(type, x + first * size, want))
          first++;
        lost += r->find(n, x, want) != (first < n ? first : -1);
      }
      guard_free(x);
    }
    is_int(wrong, 0, "%s: extremes of %s", level, hed__dtypes[type]->name);
    is_int(lost, 0, "%s: where an element of %s is", level, hed__dtypes[type]->name);
  }
}

#define ONE_LEVEL(name, set) one_level(name, &cpu_kernels_##set)

int main(void)
{
  gen_seed(&g, tap_seed());
  CPU_EACH_SET(ONE_LEVEL);
  done_testing();
  return done();
}
