// SPDX-License-Identifier: BSD-3-Clause
/* Matrices in lanes for the tests of batches (backends/cpu/kernels/linalg/batch.h): random ones of any layout that end at guard pages,
 * and what products of them are apart. Header only. */
#ifndef HED_TESTS_CPU_BATCH_H
#define HED_TESTS_CPU_BATCH_H

#include "backends/cpu/kernels/linalg/batch.h"
#include "gen.h"
#include "tap.h"
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = CPU_BATCH_ORDER, LANES = CPU_BATCH_LANES };
typedef double complex square[MOST][MOST];

static gen g;
static bool wide, paired; /* of float64; of complex numbers */

static int64_t width(void) { return (wide ? 8 : 4) * (paired ? 2 : 1); }
static double eps(void) { return wide ? DBL_EPSILON : (double)FLT_EPSILON; }

static double complex get(const char *at)
{
  float f[2] = { 0, 0 };
  double d[2] = { 0, 0 };
  memcpy(wide ? (void *)d : (void *)f, at, (size_t)width());
  return wide ? CMPLX(d[0], d[1]) : CMPLX((double)f[0], (double)f[1]);
}

static void set(char *at, double complex value)
{
  const double d[2] = { creal(value), cimag(value) };
  const float f[2] = { (float)d[0], (float)d[1] };
  memcpy(at, wide ? (const void *)d : (const void *)f, (size_t)width());
}

static double complex any(double scale)
{
  const double re = gen_double(&g, -1, 1) * scale;
  return paired ? CMPLX(re, gen_double(&g, -1, 1) * scale) : re;
}

static double complex any_whole(int64_t most)
{
  const double re = (double)gen_int(&g, -most, most);
  return paired ? CMPLX(re, (double)gen_int(&g, -most, most)) : re;
}

/* What a call works with. */
static _Alignas(64) char work[CPU_BATCH_ROOM], spare[CPU_BATCH_SPARE];

typedef struct room {
  char *base[LANES];
} room;

/* Room for a ROWS x COLS matrix of elements of SIZE bytes in each of COUNT lanes, full of NaN. */
static room side(cpu_batch_side *s, int64_t count, int64_t rows, int64_t cols, int64_t size)
{
  room r = { { NULL } };
  s->spare = spare;
  const int64_t gap = gen_chance(&g, 40) ? gen_int(&g, 1, 3) : 0;
  const bool by_columns = gen_chance(&g, 30), backwards = gen_chance(&g, 15);
  s->row = (by_columns ? 1 : cols + gap) * size;
  s->col = (by_columns ? rows + gap : 1) * size;
  const int64_t bytes = (rows - 1) * s->row + (cols - 1) * s->col + size;
  for (int64_t l = 0; l < count; l++) {
    r.base[l] = guard_alloc((size_t)bytes, (size_t)size);
    memset(r.base[l], 0xff, (size_t)bytes);
    s->at[l] = r.base[l] + (backwards ? (rows - 1) * s->row : 0);
  }
  if (backwards)
    s->row = -s->row;
  for (int64_t l = count; l < LANES; l++)
    s->at[l] = s->at[count - 1];
  return r;
}

static bool leave(room *r)
{
  bool within = true;
  for (int l = 0; l < LANES; l++)
    within &= guard_free(r->base[l]);
  return within;
}

static char *element(const cpu_batch_side *s, int64_t lane, int64_t i, int64_t j)
{
  return (char *)(uintptr_t)s->at[lane] + i * s->row + j * s->col;
}

static void load(const cpu_batch_side *s, int64_t lane, int64_t rows, int64_t cols, square x)
{
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < cols; j++)
      x[i][j] = get(element(s, lane, i, j));
}

/* Numbers of many sizes, or small whole ones, with ties for the pivot; ROWS is the order of a matrix of those. */
static void fill(const cpu_batch_side *s, int64_t lane, int64_t rows, int64_t cols, bool whole, double scale)
{
  const int64_t most = rows > 8 ? 1 : 3;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < cols; j++)
      set(element(s, lane, i, j), whole ? any_whole(most) : any(scale));
}

static double norm(int64_t rows, int64_t cols, square x)
{
  double most = 0;
  for (int64_t i = 0; i < rows; i++) {
    double sum = 0;
    for (int64_t j = 0; j < cols; j++)
      sum += fabs(creal(x[i][j])) + fabs(cimag(x[i][j]));
    most = fmax(most, sum);
  }
  return most;
}

/* Largest element of |left right - out|. */
static double apart(int64_t rows, int64_t inner, int64_t cols, square left, square right, square out)
{
  double most = 0;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < cols; j++) {
      long double re = -creal(out[i][j]), im = -cimag(out[i][j]);
      for (int64_t k = 0; k < inner; k++) {
        const long double p = creal(left[i][k]), q = cimag(left[i][k]), x = creal(right[k][j]), y = cimag(right[k][j]);
        re += p * x - q * y;
        im += p * y + q * x;
      }
      most = fmax(most, (double)(fabsl(re) + fabsl(im)));
    }
  return most;
}

/* The lanes of result K again, each alone: FINE is returned and the bits are those among the others. */
static bool alone_too(cpu_batch_fn fn, int64_t fine, const cpu_batch *b, int n_in, int k, int64_t rows, int64_t cols,
                      int64_t size)
{
  bool same = true;
  for (int64_t l = 0; l < b->count && same; l++) {
    cpu_batch one = *b;
    char again[MOST * MOST * 16];
    one.count = 1;
    for (int i = 0; i < n_in; i++)
      for (int q = 0; q < LANES; q++)
        one.in[i].at[q] = b->in[i].at[l];
    for (int i = 0; i < CPU_BATCH_OUT; i++)
      one.want[i] = i == k;
    one.out[k] = (cpu_batch_side){ .row = cols * size, .col = size, .spare = spare };
    for (int q = 0; q < LANES; q++)
      one.out[k].at[q] = again;
    same = fn(&one) == fine;
    for (int64_t i = 0; i < rows; i++)
      for (int64_t j = 0; j < cols; j++)
        same = same && memcmp(again + (i * cols + j) * size, element(&b->out[k], l, i, j), (size_t)size) == 0;
    if (!same)
      diag("order %d, result %d: lane %d is not the same alone", (int)b->n, k, (int)l);
  }
  return same;
}

/* A point for each type: none of so many ROUNDS of WRONG, which counts what is, with the loops of SETS[type]. */
static void each_type(const char *level, const cpu_batch_loops *sets, int rounds,
                      int (*wrong)(const cpu_batch_loops *sets, int t, int k))
{
  static const char *const names[CPU_BATCH_TYPES] = { "float32", "float64", "complex64", "complex128" };
  for (int t = 0; t < CPU_BATCH_TYPES; t++) {
    int bad = 0;
    wide = t % 2;
    paired = t / 2;
    for (int k = 0; k < scaled(rounds); k++)
      bad += wrong(sets, t, k);
    ok(bad == 0, "%s: %s", level, names[t]);
  }
}

#endif
