// SPDX-License-Identifier: BSD-3-Clause
/* Families radix, select, search, bins, gemm and rowwise on an OpenCL device, in both schedules, against loops. */
#include "gen.h"
#include "run.h"

#include "backends/device/kernels/args_gemm.h"
#include "backends/device/kernels/args_scan.h"
#include "backends/device/kernels/args_sort.h"
#include "base/bins.h"
#include "base/cast.h"
#include "base/dtype.h"
#include "base/quantile.h"

#include <math.h>
#include <stdio.h>

static gen g;
static const char *const schedules[] = { NULL, "#define DEVICE_CPU 1" };

/* ---- sorting ---- */

typedef struct pair { double value; uint32_t place; } pair;
static bool falling;

static int by_value(const void *a, const void *b)
{
  const pair *x = a, *y = b;
  const bool nan_x = x->value != x->value, nan_y = y->value != y->value;
  if (nan_x != nan_y)
    return nan_x ? 1 : -1;
  if (!nan_x && x->value != y->value)
    return (x->value < y->value) != falling ? -1 : 1;
  return x->place < y->place ? -1 : 1;
}

/* Elements with equals among them, with NaN, -0 and infinity, and what they are in order. */
static void make_rows(int dtype, int64_t rows, int64_t n, char *x, pair *list)
{
  const int size = hed__id_size(dtype);
  for (int64_t i = 0; i < rows * n; i++) {
    double v = gen_chance(&g, 50) ? rint(gen_double(&g, -9, 9)) : gen_double(&g, -1000, 1000);
    v = gen_chance(&g, 3) ? NAN : gen_chance(&g, 3) ? -0.0 : gen_chance(&g, 1) ? INFINITY : v;
    hed__cast(HED_ID_FLOAT64, dtype)(1, x + i * size, size, (const char *)&v, 8);
    hed__cast(dtype, HED_ID_FLOAT64)(1, (char *)&list[i].value, 8, x + i * size, size);
    list[i].place = (uint32_t)(i % n);
  }
}

static void order_rows(int64_t rows, int64_t n, bool descending, pair *list)
{
  falling = descending;
  for (int64_t r = 0; r < rows; r++)
    qsort(list + r * n, (size_t)n, sizeof *list, by_value);
}

/* Parts that look back, with numbers, and for elements of 4 bytes by keys alone. The last row has nothing that keys
 * do not tell. */
static void check_sweep(int dtype, bool lone, bool descending)
{
  enum { ROWS = 3, DIGITS = 1 << HED__RADIX_WIDE };
  const int size = hed__id_size(dtype), key_size = size == 8 ? 8 : 4, passes = key_size * 8 / HED__RADIX_WIDE;
  const int64_t n = gen_int(&g, 1100, 1100 + scaled(4000)), keep = gen_int(&g, 1, n), chunk = HED__RADIX_EACH(key_size) * RUN_BLOCK;
  const int64_t parts = (n + chunk - 1) / chunk;
  const size_t n_words = (size_t)(1 + ROWS * parts * DIGITS);
  run_program *p = run_build("radix", dtype, NULL);
  char *x = run_memory((size_t)(ROWS * n * size)), *out = run_memory((size_t)(ROWS * keep * size));
  void *keys[2] = { run_memory((size_t)(ROWS * n * key_size)), run_memory((size_t)(ROWS * n * key_size)) };
  uint32_t *numbers[2] = { run_memory((size_t)(ROWS * n * 4)), run_memory((size_t)(ROWS * n * 4)) };
  uint32_t *counts = run_memory((size_t)(ROWS * passes * DIGITS) * 4), *words = run_memory(n_words * 4), *odd = run_memory(ROWS * 4);
  pair *list = malloc((size_t)(ROWS * n) * sizeof *list);
  hed__sort_args o = { .rows = ROWS, .n = n, .from = { n, 1 }, .to = { keep, 1 }, .keep = keep, .parts = parts, .chunk = chunk,
                       .descending = descending }, all = o;
  make_rows(dtype, ROWS, n, x, list);
  for (int64_t i = (ROWS - 1) * n; i < ROWS * n; i++)
    if (list[i].value != list[i].value || list[i].value == 0)
      memset(x + i * size, 0, (size_t)size), list[i].value = 0;
  memset(counts, 0, (size_t)(ROWS * passes * DIGITS) * 4);
  memset(odd, 0, ROWS * 4);
  all.chunk *= 2;
  all.parts = (n + all.chunk - 1) / all.chunk;
  bool fine = p && RUN(p, lone ? "sort_lone" : "sort_keys", run_groups(ROWS * n), 1, 1, &o, keys[0], lone ? odd : numbers[0], x);
  fine = fine && RUN(p, "radix_histogram", ROWS * all.parts, 1, 1, &all, counts, keys[0]);
  for (int64_t l = 0; l < ROWS * passes; l++)
    for (int64_t d = 1; d < DIGITS; d++)
      counts[l * DIGITS + d] += counts[l * DIGITS + d - 1];
  int at = 0;
  for (; o.shift < 8 * key_size && fine; o.shift += HED__RADIX_WIDE, at = 1 - at) {
    memset(words, 0, n_words * 4);
    fine = lone ? RUN(p, "radix_sweep_keys", ROWS * parts, 1, 1, &o, keys[1 - at], keys[at], counts, words)
                : RUN(p, "radix_sweep", ROWS * parts, 1, 1, &o, keys[1 - at], numbers[1 - at], keys[at], numbers[at], counts, words);
  }
  memset(words, 0, n_words * 4);
  if (lone)
    fine = fine && odd[ROWS - 1] == 0 && RUN(p, "sort_unkeyed", run_groups(ROWS * keep), 1, 1, &o, out, keys[at]) &&
           RUN(p, "sort_odd", ROWS * parts, 1, 1, &o, out, x, keys[at], odd, words);
  else
    fine = fine && RUN(p, "sort_values", run_groups(ROWS * keep), 1, 1, &o, out, x, numbers[at]);
  order_rows(ROWS, n, descending, list);
  for (int64_t i = 0; i < ROWS * keep && fine; i++) {
    const int64_t place = list[i / keep * n + i % keep].place;
    fine = (lone || numbers[at][i / keep * n + i % keep] == place) &&
           memcmp(out + i * size, x + (i / keep * n + place) * size, (size_t)size) == 0;
    if (!fine)
      diag("row %d of %d elements: number %d is not that of %d", (int)(i / keep), (int)n, (int)(i % keep), (int)place);
  }
  ok(fine, "%s sorted looking back%s%s", hed__dtypes[dtype]->name, lone ? ", keys alone" : "", descending ? ", largest first" : "");
  free(list);
  run_forget();
}

static void check_sort(int dtype, int cpu, bool merge, bool descending)
{
  const int64_t rows = 3, n = merge ? gen_int(&g, 1, scaled(300)) : gen_int(&g, 130, 130 + scaled(2900)), keep = gen_int(&g, 1, n);
  const int size = hed__id_size(dtype), key_size = size == 8 ? 8 : 4, bits = cpu ? HED__RADIX_LONG : HED__RADIX_WIDE;
  const int64_t chunk = cpu ? gen_int(&g, 100, 700) : HED__RADIX_EACH(key_size) * RUN_BLOCK, parts = (n + chunk - 1) / chunk;
  run_program *p = run_build("radix", dtype, schedules[cpu]);
  char *x = run_memory((size_t)(rows * n * size)), *out = run_memory((size_t)(rows * keep * size));
  void *keys[2] = { run_memory((size_t)(rows * n * key_size)), run_memory((size_t)(rows * n * key_size)) };
  uint32_t *numbers[2] = { run_memory((size_t)(rows * n * 4)), run_memory((size_t)(rows * n * 4)) };
  uint32_t *counts = run_memory((size_t)((rows << bits) * parts * 4));
  int64_t *places = run_memory((size_t)(rows * keep * 8));
  pair *list = malloc((size_t)(rows * n) * sizeof *list);
  hed__sort_args o = { .rows = rows, .n = n, .from = { n, 1 }, .to = { keep, 1 }, .keep = keep, .parts = parts, .chunk = chunk,
                       .descending = descending };
  make_rows(dtype, rows, n, x, list);
  bool fine = p && RUN(p, "sort_keys", run_groups(rows * n), 1, 1, &o, keys[0], numbers[0], x);
  int at = 0;
  if (merge)
    fine = fine && RUN(p, "merge_rows", run_groups(rows), 1, 1, &o, keys[0], numbers[0], keys[1], numbers[1]);
  for (o.shift = 0; !merge && o.shift < 8 * key_size && fine; o.shift += bits, at = 1 - at) {
    const i64 units = rows * parts;
    fine = RUN(p, "radix_count", cpu ? run_groups(units) : units, 1, 1, &o, counts, keys[at]);
    for (int64_t r = 0; r < rows; r++)
      for (int64_t k = 1; k < parts << bits; k++)
        counts[r * (parts << bits) + k] += counts[r * (parts << bits) + k - 1];
    fine = fine && RUN(p, "radix_move", cpu ? run_groups(units) : units, 1, 1, &o, keys[1 - at], numbers[1 - at], keys[at],
                       numbers[at], counts);
  }
  fine = fine && RUN(p, "sort_values", run_groups(rows * keep), 1, 1, &o, out, x, numbers[at]) &&
         RUN(p, "sort_numbers", run_groups(rows * keep), 1, 1, &o, places, numbers[at]);
  order_rows(rows, n, descending, list);
  for (int64_t i = 0; i < rows * keep && fine; i++) {
    const int64_t place = list[i / keep * n + i % keep].place;
    fine = places[i] == place && memcmp(out + i * size, x + (i / keep * n + place) * size, (size_t)size) == 0;
    if (!fine)
      diag("row %d of %d elements: number %d is %d, not %d", (int)(i / keep), (int)n, (int)(i % keep), (int)places[i], (int)place);
  }
  ok(fine, "%s sorted %s%s, schedule %s", hed__dtypes[dtype]->name, merge ? "by merging" : "by digits",
     descending ? ", largest first" : "", cpu ? "long" : "wide");
  if (key_size == 4 && merge) { /* elements in place of numbers */
    fine = fine && RUN(p, "sort_whole", run_groups(rows * n), 1, 1, &o, keys[0], numbers[0], x) &&
           RUN(p, "merge_rows", run_groups(rows), 1, 1, &o, keys[0], numbers[0], keys[1], numbers[1]) &&
           RUN(p, "sort_elements", run_groups(rows * keep), 1, 1, &o, out, numbers[0]);
    for (int64_t i = 0; i < rows * keep && fine; i++)
      fine = memcmp(out + i * size, x + (i / keep * n + list[i / keep * n + i % keep].place) * size, (size_t)size) == 0;
    ok(fine, "and themselves, with their keys");
  }
  o.kth = n / 2;
  fine = fine && RUN(p, "part_keys", run_groups(rows * n), 1, 1, &o, keys[1 - at], numbers[1 - at], keys[at], x);
  for (int64_t i = 0; i < rows * n && fine; i++) {
    const uint64_t part = key_size == 8 ? ((uint64_t *)keys[1 - at])[i] : ((uint32_t *)keys[1 - at])[i];
    double v;
    hed__cast(dtype, HED_ID_FLOAT64)(1, (char *)&v, 8, x + i * size, size);
    const pair a = { v, 0 }, b = { list[i / n * n + o.kth].value, 1 }, c = { v, 2 };
    fine = part == (uint64_t)(by_value(&a, &b) > 0) + (uint64_t)(by_value(&c, &b) > 0);
  }
  ok(fine, "and divided about its middle");
  free(list);
  run_forget();
}

static void check_quantile(void)
{
  enum { ROWS = 4, N = 37 };
  run_program *p = run_build("select", HED_ID_FLOAT32, NULL);
  float *x = run_memory(ROWS * N * 4), *out = run_memory(ROWS * 3 * 4);
  bool fine = p != NULL;
  for (int method = 0; method < 5 && fine; method++)
    for (int omit = 0; omit < 2 && fine; omit++) {
      hed__select_args o = { .rows = ROWS, .n = N, .from = { N, 1 }, .to = { ROWS, 1 }, .count = 3, .method = method,
                             .omit_nan = (u64)omit };
      const double q[3] = { 0.1, 0.5, 0.77 };
      memcpy(o.q, q, sizeof q);
      for (int r = 0; r < ROWS; r++)
        for (int k = 0; k < N; k++)
          x[r * N + k] = r == 3 || (r == 1 && k > 30) ? NAN : (float)(k * k - 30 * r);
      fine = RUN(p, "quantile", 1, 1, 1, &o, out, x);
      for (int r = 0; r < ROWS && fine; r++)
        for (int k = 0; k < 3 && fine; k++) {
          const int m = r == 3 ? 0 : r == 1 ? 31 : N;
          float want = NAN;
          if (m == N || (m > 0 && omit)) {
            const hed__ranks at = hed__quantile_ranks(m, q[k], method);
            want = (float)hed__quantile_between((double)x[r * N + at.low], (double)x[r * N + at.high], at.t);
          }
          fine = is_mem(&out[k * ROWS + r], &want, want == want ? 4 : 0, "quantile %g of row %d by method %d", q[k], r, method) &&
                 (want == want) == (out[k * ROWS + r] == out[k * ROWS + r]);
        }
    }
  ok(fine, "quantiles are the host's");
  run_forget();
}

HED__SEARCH(search_double, double)

static void check_search(void)
{
  enum { N = 50, VALUES = 200, BINS = 30 };
  run_program *p = run_build("search", HED_ID_FLOAT32, NULL), *q = run_build("bins", HED_ID_FLOAT32, NULL);
  run_program *w = run_build("bins", HED_ID_INT8, NULL);
  float *sorted = run_memory(N * 4), *x = run_memory(VALUES * 4);
  double wide[N], *edges = run_memory((BINS + 1) * 8);
  int64_t *out = run_memory(VALUES * 8);
  uint32_t *counts = run_memory(1024 * 4), want[1024] = { 0 };
  int8_t *small = run_memory(VALUES);
  bool fine = p && q && w;
  for (int k = 0; k < N; k++)
    wide[k] = (double)(sorted[k] = k < N - 3 ? (float)(k / 3) : NAN);
  for (int k = 0; k < VALUES; k++)
    x[k] = k == 7 ? NAN : gen_chance(&g, 50) ? (float)gen_below(&g, 20) : (float)gen_double(&g, -3, 20);
  for (int right = 0; right < 2 && fine; right++) {
    hed__search_args o = { .n = N, .values = VALUES, .step = 1, .to = 1, .right = (u64)right };
    fine = RUN(p, "searchsorted", run_groups(VALUES), 1, 1, &o, out, sorted, x);
    for (int k = 0; k < VALUES && fine; k++)
      fine = out[k] == search_double(N, (const char *)wide, 8, (double)x[k], right);
  }
  ok(fine, "values are found among sorted elements");
  hed__bins_args b = { .values = VALUES, .step = 1, .bins = BINS };
  for (int k = 0; k <= BINS; k++)
    edges[k] = 0.5 * k;
  memset(counts, 0, 1024 * 4);
  fine = fine && RUN(q, "bin_of_number", run_groups(VALUES), 1, 1, &b, out, x, edges) &&
         RUN(q, "count_bins", run_groups(VALUES), 1, 1, &b, counts, out);
  for (int k = 0; k < VALUES && fine; k++) {
    const int64_t at = hed__bin_of(edges, BINS, (double)x[k]);
    fine = out[k] == (at < 0 ? BINS : at);
    if (at >= 0)
      want[at]++;
  }
  ok(fine, "values fall into bins");
  is_mem(counts, want, sizeof want, "which are counted");
  memset(counts, 0, 1024 * 4);
  ok(q && RUN(q, "count_few_bins", 1, 1, 1, &b, counts, out), "in groups");
  is_mem(counts, want, sizeof want, "too");
  for (int k = 0; k < VALUES; k++)
    small[k] = (int8_t)gen_int(&g, -5, 50);
  fine = w && RUN(w, "bin_of_integer", run_groups(VALUES), 1, 1, &b, out, small);
  for (int k = 0; k < VALUES && fine; k++)
    fine = out[k] == (small[k] >= 0 && small[k] < BINS ? small[k] : BINS);
  ok(fine, "integers are bins themselves");
  run_forget();
}

/* ---- products, and rows ---- */

static void check_gemm(int dtype, int cpu, bool turned)
{
  const int64_t m = gen_int(&g, 1, scaled(70)), n = gen_int(&g, 1, scaled(90)), k = gen_int(&g, 1, scaled(50)), batch = 2;
  const int size = hed__id_size(dtype), parts = dtype == HED_ID_COMPLEX64 ? 2 : 1;
  run_program *p = run_build("gemm", dtype, schedules[cpu]);
  char *a = run_memory((size_t)(batch * m * k * size)), *b = run_memory((size_t)(k * n * size));
  char *c = run_memory((size_t)(batch * m * n * size));
  double *x = malloc((size_t)(batch * m * k * parts) * 8), *y = malloc((size_t)(k * n * parts) * 8);
  for (int64_t i = 0; i < batch * m * k * parts; i++)
    x[i] = rint(gen_double(&g, -6, 6));
  for (int64_t i = 0; i < k * n * parts; i++)
    y[i] = rint(gen_double(&g, -6, 6));
  const int wide = parts == 2 ? HED_ID_COMPLEX128 : HED_ID_FLOAT64;
  hed__cast(wide, dtype)(batch * m * k, a, size, (const char *)x, 8 * parts);
  hed__cast(wide, dtype)(k * n, b, size, (const char *)y, 8 * parts);
  hed__gemm_args o = { .m = m, .n = n, .k = k, .a = { m * k, k, 1 }, .b = { 0, turned ? 1 : n, turned ? k : 1 },
                       .c = { m * n, n, 1 } };
  const i64 columns = cpu ? HED__GEMM_ITEM_COLUMNS * RUN_BLOCK : HED__GEMM_COLUMNS;
  const i64 rows = cpu ? HED__GEMM_ITEM_ROWS : HED__GEMM_ROWS(RUN_BLOCK);
  bool fine = p && RUN(p, "matmul", (n + columns - 1) / columns, (m + rows - 1) / rows, batch, &o, c, a, b);
  for (int64_t i = 0; i < batch * m * n && fine; i++) {
    double re = 0, im = 0, got[2] = { 0, 0 }, want[2];
    for (int64_t l = 0; l < k; l++) {
      const double *u = x + (i / n * k + l) * parts, *v = y + (turned ? i % n * k + l : l * n + i % n) * parts;
      re += parts == 2 ? u[0] * v[0] - u[1] * v[1] : u[0] * v[0];
      im += parts == 2 ? u[0] * v[1] + u[1] * v[0] : 0;
    }
    want[0] = dtype == HED_ID_BOOL ? 0 : re, want[1] = im;
    for (int64_t l = 0; dtype == HED_ID_BOOL && l < k; l++)
      want[0] = want[0] != 0 || (x[i / n * k + l] != 0 && y[turned ? i % n * k + l : l * n + i % n] != 0);
    hed__cast(dtype, wide)(1, (char *)got, 16, c + i * size, size);
    fine = got[0] == (dtype == HED_ID_INT8 ? (int8_t)(int64_t)want[0] : want[0]) && (parts == 1 || got[1] == want[1]);
    if (!fine)
      diag("element %d of (%d, %d), k = %d: %g, not %g", (int)i, (int)m, (int)n, (int)k, got[0], want[0]);
  }
  ok(fine, "products of %s, schedule %s%s", hed__dtypes[dtype]->name, cpu ? "long" : "wide", turned ? ", turned" : "");
  free(x);
  free(y);
  run_forget();
}

/* FOURS: rows of whole accesses of 16 bytes. Items of a row: too few to hold it, or as many as a group has. */
static void check_softmax(int cpu, bool fours)
{
  const int64_t any = gen_int(&g, 1, scaled(300)), n = fours ? (any + 3) / 4 * 4 : any, rows = 5, team = 1 << gen_int(&g, 0, 6);
  const int64_t groups = (rows * team + RUN_BLOCK - 1) / RUN_BLOCK;
  run_program *p = run_build("rowwise", HED_ID_FLOAT32, schedules[cpu]);
  float *x = run_memory((size_t)(rows * n * 4)), *out = run_memory((size_t)(rows * n * 4));
  hed__scan_args o = { .n = { rows, n, 1 }, .from = { n, 1, 1 }, .to = { n, 1, 1 }, .parts = team };
  for (int64_t i = 0; i < rows * n; i++)
    x[i] = i == 2 * n ? INFINITY : i == 4 * n ? NAN : (float)gen_double(&g, -9, 90);
  for (int log = 0; log < 2; log++) {
    bool fine = p && RUN(p, log ? "log_softmax" : "softmax", cpu ? run_groups(rows) : groups, 1, 1, &o, out, x);
    for (int64_t r = 0; r < rows && fine; r++) {
      double others = 0;
      int64_t top = 0;
      for (int64_t k = 1; k < n; k++)
        top = x[r * n + k] > x[r * n + top] ? k : top;
      for (int64_t k = 0; k < n; k++) /* the difference is a float */
        others += k == top ? 0 : exp((double)(x[r * n + k] - x[r * n + top]));
      for (int64_t k = 0; k < n && fine; k++) {
        const double v = (double)(x[r * n + k] - x[r * n + top]);
        const double want = r == 2 || r == 4 ? NAN : log ? v - log1p(others) : exp(v) / (1 + others);
        fine = want != want ? out[r * n + k] != out[r * n + k] : fabs((double)out[r * n + k] - want) <= 1e-6 * fabs(want) + 1e-30;
        if (!fine)
          diag("row %d of %d, %d items: %d is %g, not %g", (int)r, (int)n, (int)team, (int)k, (double)out[r * n + k], want);
      }
    }
    ok(fine, "%s, schedule %s%s", log ? "log_softmax" : "softmax", cpu ? "long" : "wide", fours ? ", by fours" : "");
  }
  run_forget();
}

/* With an argument, one type and one kind of factors stand for all: debuggers of kernels take long. */
int main(int argc, char **argv)
{
  (void)argv;
  static const int types[] = { HED_ID_FLOAT32, HED_ID_INT8, HED_ID_FLOAT64, HED_ID_UINT64, HED_ID_FLOAT16 };
  static const int factors[] = { HED_ID_FLOAT32, HED_ID_INT8, HED_ID_BOOL, HED_ID_COMPLEX64 };
  const char *missing = run_open();
  if (missing)
    skip_all("%s", missing);
  gen_seed(&g, tap_seed());
  for (int cpu = 0; cpu < 2; cpu++) {
    for (int k = 0; k < 5; k++) {
      if (argc > 1 ? k > 0 : !thorough(k))
        continue;
      if (!cpu && argc == 1)
        check_sweep(types[k], false, k & 1);
      if (!cpu && argc == 1 && hed__id_size(types[k]) <= 4)
        check_sweep(types[k], true, !(k & 1));
      check_sort(types[k], cpu, true, k & 1);
      check_sort(types[k], cpu, false, !(k & 1));
    }
    for (int k = 0; k < 4; k++) {
      if (argc > 1 ? k > 0 : !thorough(k))
        continue;
      check_gemm(factors[k], cpu, false);
      check_gemm(factors[k], cpu, true);
    }
    check_softmax(cpu, false);
    check_softmax(cpu, true);
  }
  check_quantile();
  check_search();
  done_testing();
  return done();
}
