// SPDX-License-Identifier: BSD-3-Clause
/* Transforms of columns in the cpu module's loops, of every instruction set that this processor has, against sums in double:
 * lengths of all factors, counts that leave vectors partly filled, rows with and without gaps, also a power of two apart, into
 * themselves and elsewhere, there and back. Arrays end at guard pages; what lies between rows stays. So are rows of which each
 * has a lane of a vector: some or all of them, both layouts, and lanes without one of their own; and columns of which some
 * rows are there, times factors of the transform, there and back.
 */
#include "backends/cpu/kernels/fft/columns.h"
#include "backends/cpu/cpu.h"
#include "sets.h"
#include "gen.h"
#include "mock_host.h"
#include "tap.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Chosen in level.c, which needs all kernels. */
const cpu_columns_fn *cpu_columns_k = cpu_columns_base;
const cpu_rows_set *cpu_rows_k = &cpu_rows_base;

const hed_host_api *cpu_host = &mock_host;

static gen g;

enum { MARK = 77 }; /* what lies between rows */

static void put(char *at, bool single, const double *z)
{
  for (int i = 0; i < 2; i++)
    if (single)
      memcpy(at + 4 * i, &(float){ (float)z[i] }, 4);
    else
      memcpy(at + 8 * i, &z[i], 8);
}

static void take(const char *at, bool single, double *z)
{
  for (int i = 0; i < 2; i++) {
    float f;
    memcpy(single ? (void *)&f : (void *)&z[i], at + (single ? 4 : 8) * i, single ? 4 : 8);
    z[i] = single ? (double)f : z[i];
  }
}

/* The largest error of column C, in units of SCALE times the root of the sum of squares of its input. */
static double error_of(int64_t n, const double *x, const char *y, int64_t row, bool single, bool back, double scale)
{
  double norm = 0, worst = 0;
  for (int64_t j = 0; j < 2 * n; j++)
    norm += x[j] * x[j];
  for (int64_t k = 0; k < n; k++) {
    double re = 0, im = 0, z[2];
    for (int64_t j = 0; j < n; j++) {
      const double a = 6.28318530717958647693 * (double)(j * k % n) / (double)n, c = cos(a), s = back ? sin(a) : -sin(a);
      re += x[2 * j] * c - x[2 * j + 1] * s;
      im += x[2 * j] * s + x[2 * j + 1] * c;
    }
    take(y + k * row, single, z);
    worst = fmax(worst, hypot(z[0] - scale * re, z[1] - scale * im));
    if (isnan(z[0]) || isnan(z[1]))
      return INFINITY;
  }
  return worst / (fabs(scale) * sqrt(norm));
}

typedef struct grid {
  char *at;
  int64_t row, gap;
} grid;

static grid make(int64_t n, int64_t count, int64_t size, int64_t gap)
{
  grid x = { .row = count * size + gap, .gap = gap };
  x.at = guard_alloc((size_t)(n * x.row - gap), (size_t)size / 2);
  memset(x.at, MARK, (size_t)(n * x.row - gap));
  return x;
}

static bool gaps_stay(const grid *x, int64_t n)
{
  for (int64_t i = 0; i + 1 < n; i++)
    for (int64_t k = 0; k < x->gap; k++)
      if (x->at[(i + 1) * x->row - x->gap + k] != MARK)
        return false;
  return true;
}

/* The worst error of one random call; INFINITY when it wrote where it should not. */
static double one_call(cpu_columns_fn fn, int64_t n, bool single)
{
  const int64_t size = single ? 8 : 16, count = gen_int(&g, 1, gen_int(&g, 0, 3) ? 20 : 150);
  const bool back = gen_int(&g, 0, 1), itself = gen_int(&g, 0, 1);
  const double scale = gen_double(&g, 0.1, 2);
  cpu_columns *p = cpu_columns_make(n, single);
  void *tile = mock_host.alloc((size_t)cpu_columns_tile(n), 64);
  const int64_t power = 512 - count * size % 512, gap[3] = { 0, 8 * gen_int(&g, 1, 9), power };
  grid in = make(n, count, size, gap[gen_int(&g, 0, 2)]), out = itself ? in : make(n, count, size, gap[gen_int(&g, 0, 2)]);
  const int64_t looked[2] = { 0, count - 1 };
  double *x = malloc((size_t)(4 * n) * sizeof *x), worst = 0;
  for (int64_t i = 0; i < n; i++)
    for (int64_t c = 0; c < count; c++) {
      double z[2] = { gen_double(&g, -1, 1), gen_double(&g, -1, 1) };
      put(in.at + i * in.row + c * size, single, z);
      for (int k = 0; k < 2; k++)
        if (c == looked[k])
          take(in.at + i * in.row + c * size, single, x + 2 * (k * n + i));
    }
  fn(p, count, back, in.at, in.row, out.at, out.row, scale, tile);
  for (int k = 0; k < 2; k++)
    worst = fmax(worst, error_of(n, x + 2 * k * n, out.at + looked[k] * size, out.row, single, back, scale));
  if (!gaps_stay(&in, n) || !gaps_stay(&out, n))
    worst = INFINITY;
  if (!guard_free(in.at) || (!itself && !guard_free(out.at)))
    worst = INFINITY;
  free(x);
  mock_host.free(tile);
  mock_host.free(p);
  return worst;
}

static cpu_ahead any_ahead(const void *at)
{
  cpu_ahead a = { .count = (int32_t)gen_int(&g, 0, CPU_AHEAD) };
  for (int32_t k = 0; k < a.count; k++)
    a.of[k] = (cpu_wanted){ at, gen_int(&g, 1, 40), gen_int(&g, -900, 900), gen_int(&g, 1, 900) };
  return a;
}

/* Columns there, times factors, and back; the worst error, INFINITY when something else is wrong. */
static double one_filter(const cpu_rows_set *rows, int64_t n)
{
  const int64_t lanes = rows->lanes, there = gen_chance(&g, 30) ? n : gen_int(&g, 1, n), c = gen_int(&g, 0, lanes - 1);
  cpu_columns *p = cpu_columns_make(n, true);
  void *tile = mock_host.alloc((size_t)cpu_columns_tile(n), 64);
  float *spread = mock_host.alloc((size_t)(n * lanes * 8), 64);
  const grid in = make(there, lanes, 8, gen_int(&g, 0, 3) * 8);
  const grid factor = make(n, lanes, 8, gen_int(&g, 0, 3) * 8), out = make(n, lanes, 8, gen_int(&g, 0, 3) * 8);
  double *x = calloc((size_t)(4 * n), sizeof *x), *y = x + 2 * n, worst;
  for (int64_t i = 0; i < n * lanes; i++)
    for (int k = 0; k < 2; k++) {
      double z[2] = { gen_double(&g, -1, 1), gen_double(&g, -1, 1) };
      char *at = (k ? factor.at + i / lanes * factor.row : in.at + i / lanes * in.row) + i % lanes * 8;
      if (k == 0 && i / lanes >= there)
        continue;
      put(at, true, z);
      if (k == 0 && i % lanes == c)
        take(at, true, x + 2 * (i / lanes));
    }
  cpu_ahead ahead = any_ahead(in.at);
  rows->forward(p, there, in.at, in.row, spread, &ahead, tile);
  ahead = any_ahead(factor.at);
  rows->filter(p, spread, factor.at, factor.row, out.at, out.row, &ahead, tile);
  for (int64_t k = 0; k < n; k++) {
    double z[2], re = 0, im = 0;
    for (int64_t j = 0; j < there; j++) {
      const double a = 6.28318530717958647693 * (double)(j * k % n) / (double)n;
      re += x[2 * j] * cos(a) + x[2 * j + 1] * sin(a);
      im += x[2 * j + 1] * cos(a) - x[2 * j] * sin(a);
    }
    take(factor.at + k * factor.row + c * 8, true, z);
    y[2 * k] = re * z[0] - im * z[1];
    y[2 * k + 1] = re * z[1] + im * z[0];
  }
  worst = error_of(n, y, out.at + c * 8, out.row, true, true, 1);
  if (!gaps_stay(&in, there) || !gaps_stay(&out, n) || !gaps_stay(&factor, n))
    worst = INFINITY;
  if (!guard_free(in.at) || !guard_free(factor.at) || !guard_free(out.at))
    worst = INFINITY;
  free(x);
  mock_host.free(spread);
  mock_host.free(tile);
  mock_host.free(p);
  return worst;
}

/* Inverse transforms of rows; the worst error, INFINITY when something else is wrong. */
static double one_turn(const cpu_rows_set *rows, int64_t n)
{
  const int64_t lanes = rows->lanes, count = gen_chance(&g, 40) ? lanes : gen_int(&g, 1, lanes);
  const int64_t room = (n + lanes - 1) / lanes * lanes, gap = gen_int(&g, 0, 5), line = (room + gap) * 8;
  const int64_t out_row = lanes * 8 + 64 * gen_int(&g, 0, 3);
  const bool split = gen_chance(&g, 50);
  cpu_columns *p = cpu_columns_make(n, true);
  void *tile = mock_host.alloc((size_t)cpu_columns_tile(n), 64);
  char *in = guard_alloc((size_t)(count * line - gap * 8), 4), *out = mock_host.alloc((size_t)(n * out_row), 64);
  double *x = malloc((size_t)(2 * count * n) * sizeof *x), worst = 0;
  memset(out, MARK, (size_t)(n * out_row));
  memset(in, 0xff, (size_t)(count * line - gap * 8)); /* NaN where nobody looks */
  for (int64_t i = 0; i < count * n; i++) {
    const int64_t k = i % n;
    for (int part = 0; part < 2; part++) {
      const int64_t at = split ? k / lanes * 2 * lanes + part * lanes + k % lanes : 2 * k + part;
      const float v = (float)gen_double(&g, -1, 1);
      x[2 * i + part] = (double)v;
      memcpy(in + i / n * line + 4 * at, &v, sizeof v);
    }
  }
  const cpu_ahead ahead = any_ahead(in);
  rows->back(p, split, count, in, line, out, out_row, &ahead, tile);
  for (int64_t c = 0; c < lanes; c++) {
    const int64_t from = c < count ? c : count - 1;
    float *y = malloc((size_t)(2 * n) * sizeof *y);
    for (int64_t k = 0; k < n; k++)
      for (int part = 0; part < 2; part++)
        memcpy(&y[2 * k + part], out + k * out_row + 4 * (part * lanes + c), sizeof *y);
    worst = fmax(worst, error_of(n, x + 2 * from * n, (const char *)y, 8, true, true, 1));
    free(y);
  }
  for (int64_t k = 0; k < n; k++)
    for (int64_t i = lanes * 8; i < out_row; i++)
      if (out[k * out_row + i] != MARK)
        worst = INFINITY;
  if (!guard_free(in))
    worst = INFINITY;
  free(x);
  mock_host.free(out);
  mock_host.free(tile);
  mock_host.free(p);
  return worst;
}

static void one_level(const char *name, const cpu_columns_fn *level, const cpu_rows_set *turned)
{
  static const int64_t lengths[] = { 6,  9,  10, 12,  15,  16,  18,  20,  24,  25,  27,  30,  32,  36,  40,  45,  48,  60,
                                     64, 75, 96, 100, 125, 128, 144, 150, 192, 243, 256, 360, 500, 512, 625, 768 };
  cpu_columns_k = level;
  for (int single = 0; single < 2; single++) {
    double worst = 0;
    if (!level[!single])
      continue;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
      for (int k = 0; k < (lengths[i] > 200 ? 2 : 6); k++) {
        const double e = one_call(level[!single], lengths[i], single) / (2 + log2((double)lengths[i]));
        if (!(e <= worst))
          worst = e;
      }
    ok(worst < 2 * (single ? (double)FLT_EPSILON : 4 * DBL_EPSILON), "%s, %s: off by %.2g", name,
       single ? "single" : "double", worst);
    if (single && turned->lanes) {
      worst = 0;
      for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int k = 0; k < (lengths[i] > 200 ? 1 : 4); k++) {
          const double e = one_turn(turned, lengths[i]) / (2 + log2((double)lengths[i]));
          if (!(e <= worst))
            worst = e;
        }
      ok(worst < 2 * (double)FLT_EPSILON, "%s, rows: off by %.2g", name, worst);
      worst = 0;
      for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int k = 0; k < (lengths[i] > 200 ? 1 : 4); k++) {
          const double e = one_filter(turned, lengths[i]) / (2 + log2((double)lengths[i]));
          if (!(e <= worst))
            worst = e;
        }
      ok(worst < 2 * (double)FLT_EPSILON, "%s, filters: off by %.2g", name, worst);
    }
    ok(!cpu_columns_serve(7, single) && !cpu_columns_serve(8, single) && !cpu_columns_serve(22, single)
         && !cpu_columns_serve(1, single) && cpu_columns_serve(6, single) && cpu_columns_serve(1024, single),
       "%s: lengths that are served", name);
  }
}

int main(void)
{
  gen_seed(&g, tap_seed());
  cpu_columns_k = cpu_columns_base;
  ok(cpu_columns_base[0] || !cpu_columns_serve(64, true), "where there are no loops none is offered");
#ifdef HED_HAVE_X86_LEVELS
  if (cpu_has_avx2())
    one_level("AVX2", cpu_columns_avx2, &cpu_rows_avx2);
  if (cpu_has_avx512())
    one_level("AVX-512", cpu_columns_avx512, &cpu_rows_avx512);
#else
  one_level("baseline", cpu_columns_base, &cpu_rows_base);
#endif
  done_testing();
  return done();
}
