// SPDX-License-Identifier: BSD-3-Clause
/* The cpu module's own matrix products, of every instruction set that this processor has, against plain loops: floats
 * within the error of a sum in any order, integers and bool exactly. Operands end at guard pages.
 */
#include "backends/cpu/kernels/linalg/gemm.h"
#include "sets.h"
#include "gen.h"
#include "tap.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 8 };
static const char *const names[CPU_GEMM_TYPES] = { "float", "double", "16 bits", "32 bits", "64 bits", "bool" };
static const int64_t widths[CPU_GEMM_TYPES] = { 4, 8, 2, 4, 8, 1 };

static gen g;

static void put(int type, char *at, uint64_t bits)
{
  const float f = (float)(int64_t)(bits % 2001) / 1000 - 1;
  const double d = f;
  const uint8_t truth = bits % 5 == 0;
  const void *from = type == CPU_GEMM_F32 ? (const void *)&f : type == CPU_GEMM_F64 ? (const void *)&d
                                                           : type == CPU_GEMM_BOOL  ? (const void *)&truth
                                                                                    : (const void *)&bits;
  memcpy(at, from, (size_t)widths[type]); /* the low bytes of an integer come first */
}

static double real_of(int type, const char *at)
{
  float f;
  double d;
  if (type == CPU_GEMM_F64) {
    memcpy(&d, at, sizeof d);
    return d;
  }
  memcpy(&f, at, sizeof f);
  return f;
}

static uint64_t bits_of(int type, const char *at)
{
  uint64_t bits = 0;
  memcpy(&bits, at, (size_t)widths[type]);
  return bits;
}

/* Strides of R x C elements of which one is 1; *count: elements. */
static void layout(int64_t r, int64_t c, bool by_columns, int64_t *row, int64_t *col, int64_t *count)
{
  const int64_t gap = gen_int(&g, 0, 3);
  *row = by_columns ? 1 : c + gap;
  *col = by_columns ? r + gap : 1;
  *count = (r - 1) * *row + (c - 1) * *col + 1;
}

static char *operand(int type, int64_t count)
{
  char *x = guard_alloc((size_t)(count * widths[type]), (size_t)widths[type]);
  for (int64_t i = 0; i < count; i++)
    put(type, x + i * widths[type], gen_below(&g, UINT32_MAX) * UINT64_C(0x9e3779b97f4a7c15));
  return x;
}

static bool right(int type, const cpu_gemm *p)
{
  const int64_t w = widths[type];
  for (int64_t q = 0; q < p->count; q++)
    for (int64_t i = 0; i < p->m; i++)
      for (int64_t j = 0; j < p->n; j++) {
        const char *a = (const char *)p->a + (q * p->a_step + i * p->a_row) * w;
        const char *b = (const char *)p->b + (q * p->b_step + j * p->b_col) * w;
        const char *c = (const char *)p->c + (q * p->c_step + i * p->c_row + j * p->c_col) * w;
        if (type == CPU_GEMM_F32 || type == CPU_GEMM_F64) {
          double sum = 0, size = 0;
          for (int64_t k = 0; k < p->k; k++) {
            const double term = real_of(type, a + k * p->a_col * w) * real_of(type, b + k * p->b_row * w);
            sum += term;
            size += fabs(term);
          }
          if (!(fabs(real_of(type, c) - sum) <= (double)(p->k + 2) * size * (type == CPU_GEMM_F32 ? 0x1p-24 : 0x1p-52)))
            return false;
        } else {
          uint64_t sum = 0;
          for (int64_t k = 0; k < p->k; k++) {
            const uint64_t x = bits_of(type, a + k * p->a_col * w), y = bits_of(type, b + k * p->b_row * w);
            sum = type == CPU_GEMM_BOOL ? sum | (x & y) : sum + x * y;
          }
          if ((sum ^ bits_of(type, c)) & (UINT64_MAX >> (64 - 8 * w)))
            return false;
        }
      }
  return true;
}

static int64_t at_least(int64_t n, int64_t least) { return n < least ? least : n; }

static int64_t extent(int64_t least, bool long_one)
{
  static const int64_t near[SIZES] = { 3, 8, 16, 24, 37, 48, 96, 130 };
  return long_one ? gen_int(&g, 250, 600) : at_least(near[gen_below(&g, SIZES)] + gen_int(&g, -3, 3), least);
}

static int64_t slivers(int64_t n, int64_t wide) { return (n + wide - 1) / wide * wide; }

/* In blocks of any size, so with sums that go on from one block to the next; false: beyond the packed operands. */
static bool packed_product(const cpu_gemm_loops *f, const cpu_gemm *p)
{
  const int64_t m_each = f->rows * gen_int(&g, 1, 20), n_each = f->columns * gen_int(&g, 1, 4);
  const int64_t k_each = gen_chance(&g, 50) ? gen_int(&g, 1, 70) : at_least(p->k, 1);
  char *a = guard_alloc((size_t)(m_each * k_each * f->size), 64), *b = guard_alloc((size_t)(n_each * k_each * f->size), 64);
  for (int64_t j = 0; j < p->n; j += n_each)
    for (int64_t at = 0; at == 0 || at < p->k; at += k_each)
      for (int64_t i = 0; i < p->m; i += m_each) {
        const int64_t m = p->m - i < m_each ? p->m - i : m_each, n = p->n - j < n_each ? p->n - j : n_each;
        const int64_t k = p->k - at < k_each ? p->k - at : k_each;
        memset(a, 0xff, (size_t)(slivers(m, f->rows) * k * f->size));
        memset(b, 0xff, (size_t)(slivers(n, f->columns) * k * f->size));
        f->pack_a(p, i, m, at, k, a);
        f->pack_b(p, j, n, at, k, b);
        f->block(p, i, m, j, n, k, a, b, at > 0 ? CPU_GEMM_ADD : CPU_GEMM_SET);
      }
  const int64_t m = p->m < m_each ? p->m : m_each, n = p->n < n_each ? p->n : n_each, k = p->k < k_each ? p->k : k_each;
  f->pack_a(p, 0, m, 0, k, a);
  f->pack_b(p, 0, n, 0, k, b);
  if (f->size > 1 && gen_chance(&g, 50)) { /* a block taken away and brought back; bool has no such thing */
    f->block(p, 0, m, 0, n, k, a, b, CPU_GEMM_SUBTRACT);
    f->block(p, 0, m, 0, n, k, a, b, CPU_GEMM_ADD);
  }
  const bool within = guard_free(a);
  return guard_free(b) && within;
}

static void one_type(const char *level, const cpu_gemm_loops *loops, int type)
{
  int bad = 0;
  for (int round = 0; round < 60; round++) {
    const bool packed = round % 2, large = round % 15 >= 13;
    cpu_gemm p = { .m = extent(1, large && round % 3 == 0), .n = extent(1, false), .k = extent(0, large) };
    int64_t na, nb;
    p.count = packed || large ? 1 : gen_int(&g, 1, 3);
    layout(p.m, p.k ? p.k : 1, gen_chance(&g, 50), &p.a_row, &p.a_col, &na);
    layout(p.k ? p.k : 1, p.n, packed && gen_chance(&g, 50), &p.b_row, &p.b_col, &nb);
    p.c_row = p.n + gen_int(&g, 0, 2);
    p.c_col = 1;
    p.a_step = gen_chance(&g, 30) ? 0 : na;
    p.b_step = gen_chance(&g, 30) ? 0 : nb;
    p.c_step = p.m * p.c_row;
    char *a = operand(type, na + p.a_step * (p.count - 1)), *b = operand(type, nb + p.b_step * (p.count - 1));
    char *c = operand(type, p.count * p.c_step - (p.c_row - p.n));
    p.a = a;
    p.b = b;
    p.c = c;
    if (packed) {
      bad += !packed_product(&loops[type], &p);
    } else {
      loops[type].small(&p);
    }
    if (!right(type, &p)) {
      diag("%s, %s, %s: %d x %d x %d wrong", level, names[type], packed ? "packed" : "small", (int)p.m, (int)p.k,
           (int)p.n);
      bad++;
    }
    bad += !guard_free(a) + !guard_free(b) + !guard_free(c);
  }
  ok(bad == 0, "%s: %s", level, names[type]);
}

/* Elements of a product beside those of the next one. */
static void side_by_side(const char *level, const cpu_gemm_loops *loops, int type)
{
  int bad = 0;
  for (int round = 0; round < 40; round++) {
    cpu_gemm p = { .m = gen_int(&g, 1, 5), .n = gen_int(&g, 1, 5), .k = gen_int(&g, 0, 12), .count = extent(1, false),
                   .a_step = 1, .b_step = 1, .c_step = 1 };
    const int64_t gap = p.count + gen_int(&g, 0, 3), deep = p.k ? p.k : 1;
    p.a_col = p.b_col = p.c_col = gap;
    p.a_row = deep * gap;
    p.b_row = p.c_row = p.n * gap;
    if (gen_chance(&g, 50)) { /* products of the result after one another */
      p.c_col = 1;
      p.c_row = p.n;
      p.c_step = p.m * p.n;
    }
    char *a = operand(type, p.m * deep * gap), *b = operand(type, deep * p.n * gap);
    char *c = operand(type, p.m * p.n * gap - (gap - p.count));
    p.a = a;
    p.b = b;
    p.c = c;
    loops[type].across(&p);
    bad += !right(type, &p) + !guard_free(a) + !guard_free(b) + !guard_free(c);
  }
  ok(bad == 0, "%s: %s, side by side", level, names[type]);
}

static hed_view view(const void *data, int64_t rows, int64_t cols, int64_t row, int64_t col, int64_t width)
{
  return (hed_view){ .data = (void *)(uintptr_t)data, .ndim = 2, .dim = { rows, cols },
                     .stride = { row * width, col * width } };
}

/* Small matrices by rows, and times one column. */
static void plain(const char *level, const cpu_gemm_loops *loops, int type)
{
  int bad = 0;
  const int64_t w = widths[type];
  for (int round = 0; round < scaled(400); round++) {
    const bool column = round % 4 == 3;
    const bool one_piece = round % 4 == 1; /* each number of rows and of columns of one vector has loops of its own */
    cpu_gemm p = { .m = gen_int(&g, 1, one_piece ? 8 : 35), .n = column ? 1 : gen_int(&g, 1, one_piece ? 16 : 130),
                   .k = gen_int(&g, 0, 40), .count = 1 };
    const int64_t deep = p.k ? p.k : 1;
    int64_t na, nb = deep;
    layout(p.m, deep, !column && gen_chance(&g, 50), &p.a_row, &p.a_col, &na);
    p.b_row = p.b_col = 1;
    if (!column)
      layout(deep, p.n, false, &p.b_row, &p.b_col, &nb);
    p.c_row = p.n + gen_int(&g, 0, 2);
    p.c_col = 1;
    char *a = operand(type, na), *b = operand(type, nb), *c = operand(type, (p.m - 1) * p.c_row + p.n);
    p.a = a;
    p.b = b;
    p.c = c;
    const hed_view va = view(a, p.m, p.k, p.a_row, p.a_col, w), vb = view(b, p.k, p.n, p.b_row, p.b_col, w);
    const hed_view vc = view(c, p.m, p.n, p.c_row, 1, w);
    if (column)
      loops[type].dots(&p);
    else
      loops[type].plain(&vc, &va, &vb);
    if (!right(type, &p)) {
      diag("%s, %s: %d x %d x %d wrong", level, names[type], (int)p.m, (int)p.k, (int)p.n);
      bad++;
    }
    bad += !guard_free(a) + !guard_free(b) + !guard_free(c);
  }
  ok(bad == 0, "%s: %s, as they lie", level, names[type]);
}

static void one_level(const char *level, const cpu_gemm_loops *loops)
{
  for (int type = 0; type < CPU_GEMM_TYPES; type++)
    one_type(level, loops, type);
  for (int type = 0; type < CPU_GEMM_TYPES; type++)
    side_by_side(level, loops, type);
  plain(level, loops, CPU_GEMM_F32);
  plain(level, loops, CPU_GEMM_F64);
}

#define ONE_LEVEL(name, set) one_level(name, cpu_gemm_##set)

int main(void)
{
  gen_seed(&g, tap_seed());
  CPU_EACH_SET(ONE_LEVEL);
  done_testing();
  return done();
}
