// SPDX-License-Identifier: BSD-3-Clause
/*
 * Complex matrices times vectors in the cpu module's loops, of every instruction set that this processor has, against plain
 * loops in double, within the error of a sum in any order. Matrices and results end at guard pages.
 */
#include "backends/cpu/kernels/gemv.h"
#include "cpu_sets.h"
#include "gen.h"
#include "tap.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static gen g;

static void put(char *at, bool wide, const double *z)
{
  for (int i = 0; i < 2; i++)
    if (wide)
      memcpy(at + 8 * i, &z[i], 8);
    else
      memcpy(at + 4 * i, &(float){ (float)z[i] }, 4);
}

static void take(const char *at, bool wide, double *z)
{
  for (int i = 0; i < 2; i++) {
    float f;
    memcpy(wide ? (void *)&z[i] : (void *)&f, at + (wide ? 8 : 4) * i, wide ? 8 : 4);
    z[i] = wide ? z[i] : (double)f;
  }
}

static char *operand(int64_t count, bool wide)
{
  const int64_t size = wide ? 16 : 8;
  char *x = guard_alloc((size_t)(count * size), (size_t)size / 2);
  for (int64_t i = 0; i < count; i++)
    put(x + i * size, wide, (double[2]){ gen_double(&g, -1, 1), gen_double(&g, -1, 1) });
  return x;
}

/* X: elements that lie one after the other. */
static bool right(const cpu_gemv *p, const char *x, bool wide)
{
  const int64_t size = wide ? 16 : 8;
  for (int64_t i = 0; i < p->m; i++) {
    double re = 0, im = 0, terms = 0, a[2], b[2], y[2];
    for (int64_t k = 0; k < p->k; k++) {
      take(p->a + i * p->a_row + k * p->a_col, wide, a);
      take(x + k * size, wide, b);
      re += a[0] * b[0] - a[1] * b[1];
      im += a[0] * b[1] + a[1] * b[0];
      terms += (fabs(a[0]) + fabs(a[1])) * (fabs(b[0]) + fabs(b[1]));
    }
    take(p->y + i * p->y_step, wide, y);
    const double bound = (double)(2 * p->k + 4) * terms * (wide ? 0x1p-52 : 0x1p-24);
    if (!(fabs(y[0] - re) <= bound) || !(fabs(y[1] - im) <= bound))
      return false;
  }
  return true;
}

static void one(const char *level, const cpu_gemv_loops *loops, bool wide)
{
  const int64_t size = wide ? 16 : 8;
  int bad = 0;
  for (int round = 0; round < 120; round++) {
    const bool rows = round % 2;
    cpu_gemv p = { .m = gen_int(&g, 1, round % 3 ? 11 : 150),
                   .k = gen_int(&g, round % 10 == 0 ? 0 : 1, round % 5 ? 80 : 700) };
    const int64_t gap = gen_int(&g, 0, 3), deep = p.k ? p.k : 1;
    p.a_row = rows ? (deep + gap) * size : size;
    p.a_col = rows ? size : (p.m + gap) * size;
    p.y_step = size * gen_int(&g, 1, 3);
    char *a = operand(((p.m - 1) * p.a_row + (deep - 1) * p.a_col) / size + 1, wide);
    char *x = operand(2 * deep, wide), *y = operand((p.m - 1) * p.y_step / size + 1, wide);
    for (int64_t k = 0; k < p.k; k++) { /* the second half: parts swapped */
      double z[2];
      take(x + k * size, wide, z);
      put(x + (p.k + k) * size, wide, (double[2]){ z[1], z[0] });
    }
    p.a = a;
    p.y = y;
    (rows ? loops[wide].rows : loops[wide].columns)(&p, x);
    if (!right(&p, x, wide)) {
      diag("%s, by %s: %d x %d wrong", level, rows ? "rows" : "columns", (int)p.m, (int)p.k);
      bad++;
    }
    bad += !guard_free(a) + !guard_free(x) + !guard_free(y);
  }
  ok(bad == 0, "%s: complex%d", level, wide ? 128 : 64);
}

static void one_level(const char *level, const cpu_gemv_loops *loops)
{
  one(level, loops, false);
  one(level, loops, true);
}

int main(void)
{
  gen_seed(&g, tap_seed());
  one_level("baseline", cpu_gemv_base);
#ifdef HED_HAVE_X86_LEVELS
  if (cpu_has_avx2())
    one_level("AVX2", cpu_gemv_avx2);
  if (cpu_has_avx512())
    one_level("AVX-512", cpu_gemv_avx512);
#endif
  done_testing();
  return done();
}
