// SPDX-License-Identifier: BSD-3-Clause
/* Complex matrices times vectors, and small complex products, in the cpu module's loops, of every instruction set that this
 * processor has, against plain loops in double, within the error of a sum in any order. Matrices and results end at guard pages.
 */
#include "backends/cpu/kernels/linalg/gemv.h"
#include "sets.h"
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
    char *x = operand(deep, wide), *y = operand((p.m - 1) * p.y_step / size + 1, wide);
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

/* Products of rows with gaps, some in a row: each column of c as the product with a column of b; gaps stay as they are. */
static void products(const char *level, const cpu_gemv_loops *loops, bool wide)
{
  const int64_t size = wide ? 16 : 8;
  int bad = 0;
  for (int round = 0; round < 200; round++) {
    cpu_gemm p = { .m = gen_int(&g, 1, 11), .n = gen_int(&g, 2, round % 3 ? 9 : 40), .k = gen_int(&g, round % 10 == 0 ? 0 : 1, 40),
                   .count = gen_int(&g, 1, 3) };
    const int64_t deep = p.k ? p.k : 1, gap = gen_int(&g, 0, 2);
    const bool turned = round % 4 == 1;
    p.a_row = turned ? 1 : deep + gap;
    p.a_col = turned ? p.m + gap : 1;
    p.b_row = p.n + gen_int(&g, 0, 2);
    p.c_row = p.n + gap;
    p.a_step = gen_chance(&g, 20) ? 0 : (turned ? deep * p.a_col : p.m * p.a_row) + gap;
    p.b_step = gen_chance(&g, 20) ? 0 : deep * p.b_row + gap;
    p.c_step = p.m * p.c_row + gap;
    const int64_t last = p.count - 1, c_size = last * p.c_step + (p.m - 1) * p.c_row + p.n;
    char *a = operand(last * p.a_step + (p.m - 1) * p.a_row + (deep - 1) * p.a_col + 1, wide);
    char *b = operand(last * p.b_step + (deep - 1) * p.b_row + p.n, wide), *c = operand(c_size, wide);
    char *before = malloc((size_t)(c_size * size)), *x = malloc((size_t)(deep * size));
    memcpy(before, c, (size_t)(c_size * size));
    p.a = a;
    p.b = b;
    p.c = c;
    loops[wide].products(&p);
    int64_t wrong = 0;
    for (int64_t q = 0; q < p.count; q++)
      for (int64_t j = 0; j < p.n; j++) {
        for (int64_t k = 0; k < p.k; k++)
          memcpy(x + k * size, b + (q * p.b_step + k * p.b_row + j) * size, (size_t)size);
        wrong += !right(&(cpu_gemv){ .m = p.m, .k = p.k, .a = a + q * p.a_step * size, .a_row = p.a_row * size,
                                     .a_col = p.a_col * size, .y = c + (q * p.c_step + j) * size, .y_step = p.c_row * size },
                        x, wide);
      }
    for (int64_t i = 0; i < c_size; i++) {
      const int64_t in = i % p.c_step;
      if (in >= p.m * p.c_row || in % p.c_row >= p.n)
        wrong += memcmp(c + i * size, before + i * size, (size_t)size) != 0;
    }
    if (wrong)
      diag("%s: %d x %d times %d x %d, %d of them, wrong", level, (int)p.m, (int)p.k, (int)p.k, (int)p.n, (int)p.count);
    bad += (wrong != 0) + !guard_free(a) + !guard_free(b) + !guard_free(c);
    free(before);
    free(x);
  }
  ok(bad == 0, "%s: products of complex%d", level, wide ? 128 : 64);
}

static void one_level(const char *level, const cpu_gemv_loops *loops)
{
  for (int wide = 0; wide < 2; wide++) {
    one(level, loops, wide);
    products(level, loops, wide);
  }
}

#define ONE_LEVEL(name, set) one_level(name, cpu_gemv_##set)

int main(void)
{
  gen_seed(&g, tap_seed());
  CPU_EACH_SET(ONE_LEVEL);
  done_testing();
  return done();
}
