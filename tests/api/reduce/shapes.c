// SPDX-License-Identifier: BSD-3-Clause
/* Reductions over every set of axes against loops written out: shapes long and narrow, short and wide, around the widths
 * of vectors, strides of both signs, gaps and none, ties and NaN; results of runs in rows, of every kind of number; and sums
 * that do not depend on the number of threads.
 */
#include "api.h"
#include "gen.h"

#include <math.h>
#include <stdlib.h>

enum { ELEMENTS = 400000, MOST_AXES = 3 };
enum { SINGLE, DOUBLE, WHOLE }; /* else int8 */

typedef struct truth { double sum, squares, max, min; int64_t at_max, at_min; bool nan; } truth;

static gen source;
static _Alignas(16) char memory[ELEMENTS * 8];
static truth want[ELEMENTS];
static double got[ELEMENTS];

static void put(int type, int64_t i, double v)
{
  switch (type) {
  case SINGLE: ((float *)(void *)memory)[i] = (float)v; break;
  case DOUBLE: ((double *)(void *)memory)[i] = v; break;
  case WHOLE: ((int32_t *)(void *)memory)[i] = (int32_t)v; break;
  default: ((int8_t *)memory)[i] = (int8_t)v;
  }
}

static double take(int type, int64_t i)
{
  switch (type) {
  case SINGLE: return (double)((float *)(void *)memory)[i];
  case DOUBLE: return ((double *)(void *)memory)[i];
  case WHOLE: return ((int32_t *)(void *)memory)[i];
  default: return ((int8_t *)memory)[i];
  }
}

/* N results of Y as doubles; Y is released. */
static bool values(hed_array *y, int64_t n)
{
  hed_array *d = y ? hed_astype(y, HED_FLOAT64) : NULL;
  bool good = d && hed_array_size(d) == n && hed_to_host(d, got, (size_t)n * sizeof *got) == HED_OK;
  RELEASE(y, d);
  return good;
}

static bool near(double a, double b, double scale)
{
  return (a != a && b != b) || fabs(a - b) <= 1e-6 * scale;
}

static void shapes(const char *backend)
{
  static const int64_t fixed[][3] = { { 50000, 3, 1 }, { 3, 50000, 1 }, { 20000, 8, 1 }, { 140001, 1, 1 }, { 2, 70001, 2 },
                                      { 300, 700, 1 }, { 40, 70, 60 }, { 9000, 2, 17 } };
  static const int64_t extents[] = { 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 65, 127, 130 };
  const hed_dtype dtypes[] = { HED_FLOAT32, HED_FLOAT64, HED_INT32, HED_INT8 };
  diag("shapes on %s", backend);
  gen_seed(&source, 11);
  for (int turn = 0; turn < 240; turn++) {
    const int type = turn % 4;
    const int64_t size = (int64_t)hed_dtype_size(dtypes[type]);
    int order[MOST_AXES];
    hed_shape shape = { .ndim = MOST_AXES };
    int64_t strides[MOST_AXES], step = 1, first = 0, total = 1;
    gen_permutation(&source, MOST_AXES, order);
    for (int k = MOST_AXES - 1; k >= 0; k--) {
      const int a = turn < 64 ? k : order[k]; /* axis that lies closest of those left */
      int64_t dim = turn < 64 ? fixed[turn / 8][k] : extents[gen_below(&source, sizeof extents / sizeof *extents)];
      const int64_t gap = turn >= 64 && gen_chance(&source, 10) ? 2 : 1;
      while (dim > 1 && step * gap * dim > ELEMENTS)
        dim /= 2;
      const bool back = gen_chance(&source, 15);
      shape.dim[a] = dim;
      strides[a] = back ? -step * gap : step * gap;
      first += back ? step * gap * (dim - 1) : 0;
      step *= gap * dim;
      total *= dim;
    }
    const bool holes = type <= DOUBLE && gen_chance(&source, 25);
    for (int64_t i = 0; i < step; i++)
      put(type, i, (double)gen_int(&source, -9, 9));
    if (holes)
      put(type, (int64_t)gen_below(&source, (uint64_t)step), (double)NAN);

    const unsigned mask = 1 + (unsigned)turn % 7;
    hed_reduce opt = { .axes = { 0, { 0 } } };
    int64_t results = 1, count = 1;
    for (int a = 0; a < MOST_AXES; a++)
      if (mask >> a & 1u) {
        opt.axes.axis[opt.axes.n++] = a;
        count *= shape.dim[a];
      } else {
        results *= shape.dim[a];
      }
    for (int64_t i = 0; i < results; i++)
      want[i] = (truth){ .max = -INFINITY, .min = INFINITY, .at_max = -1, .at_min = -1 };
    for (int64_t k = 0; k < total; k++) {
      int64_t index[MOST_AXES], at = first, rest = k, result = 0, place = 0;
      for (int a = MOST_AXES - 1; a >= 0; a--) {
        index[a] = rest % shape.dim[a];
        rest /= shape.dim[a];
        at += index[a] * strides[a];
      }
      for (int a = 0; a < MOST_AXES; a++)
        if (mask >> a & 1u)
          place = place * shape.dim[a] + index[a];
        else
          result = result * shape.dim[a] + index[a];
      truth *t = &want[result];
      const double v = take(type, at);
      t->sum += v;
      t->squares += v * v;
      if (!t->nan && (v > t->max || v != v)) {
        t->max = v;
        t->at_max = place;
      }
      if (!t->nan && (v < t->min || v != v)) {
        t->min = v;
        t->at_min = place;
      }
      t->nan |= v != v;
    }

    for (int a = 0; a < MOST_AXES; a++)
      strides[a] *= size;
    hed_array *x = hed_wrap(memory + first * size, shape, strides, dtypes[type], NULL, NULL);
    int64_t bad[5] = { 0 };
    bool good = values(hed_sum(x, &opt), results);
    for (int64_t i = 0; i < results; i++) /* whole numbers: exact in every type */
      bad[0] += !near(got[i], want[i].sum, 0);
    good = values(hed_var(x, &opt), results) && good;
    for (int64_t i = 0; i < results; i++) {
      const double mean = want[i].sum / (double)count;
      bad[1] += !near(got[i], want[i].squares / (double)count - mean * mean, 100);
    }
    good = values(hed_mean(x, &opt), results) && good;
    for (int64_t i = 0; i < results; i++)
      bad[1] += !near(got[i], want[i].sum / (double)count, 10);
    good = values(hed_max(x, &opt), results) && good;
    for (int64_t i = 0; i < results; i++)
      bad[2] += !near(got[i], want[i].max, 0);
    good = values(hed_min(x, &opt), results) && good;
    for (int64_t i = 0; i < results; i++)
      bad[2] += !near(got[i], want[i].min, 0);
    if (opt.axes.n == 1 || opt.axes.n == MOST_AXES) {
      good = values(hed_argmax(x, &opt), results) && good;
      for (int64_t i = 0; i < results; i++)
        bad[3] += got[i] != (double)want[i].at_max;
      good = values(hed_argmin(x, &opt), results) && good;
      for (int64_t i = 0; i < results; i++)
        bad[4] += got[i] != (double)want[i].at_min;
    }
    ok(good && !bad[0] && !bad[1] && !bad[2] && !bad[3] && !bad[4],
       "%s (%lld, %lld, %lld) over axes %u%s: %lld, %lld, %lld, %lld, %lld wrong", hed_dtype_name(dtypes[type]),
       (long long)shape.dim[0], (long long)shape.dim[1], (long long)shape.dim[2], mask, holes ? " with NaN" : "",
       (long long)bad[0], (long long)bad[1], (long long)bad[2], (long long)bad[3], (long long)bad[4]);
    hed_release(x);
  }
}

/* ---- axes 0 and 2, or 1 and 3: results are runs in rows ---- */

typedef struct run_truth { double sum[2], mean[2], squares, max, min; } run_truth;

/* What N x ROWS x RUN elements come to, STEP from row to row, of PARTS components each. */
static run_truth of_runs(const double *x, int64_t rows, int64_t step, int64_t run, int parts)
{
  run_truth t = { .max = -INFINITY, .min = INFINITY };
  for (int p = 0; p < parts; p++) {
    long double sum = 0, squares = 0;
    for (int64_t i = 0; i < rows * run; i++)
      sum += x[(i / run * step + i % run) * parts + p];
    const long double mean = sum / (long double)(rows * run);
    for (int64_t i = 0; i < rows * run; i++) {
      const double v = x[(i / run * step + i % run) * parts + p];
      squares += (v - mean) * (v - mean);
      t.max = t.max > v || t.max != t.max ? t.max : v;
      t.min = t.min < v || t.min != t.min ? t.min : v;
    }
    t.sum[p] = (double)sum;
    t.mean[p] = (double)mean;
    t.squares += (double)squares;
  }
  return t;
}

static bool relative(double a, double b, double tolerance)
{
  return (a != a && b != b) || a == b || fabs(a - b) <= tolerance * fabs(b);
}

/* Components of Y, which is released, to GOT. */
static bool components(hed_array *y, int64_t n, int parts)
{
  hed_array *d = y ? hed_astype(y, parts == 2 ? HED_COMPLEX128 : HED_FLOAT64) : NULL;
  const bool good = d && hed_to_host(d, got, (size_t)(n * parts) * sizeof *got) == HED_OK;
  RELEASE(y, d);
  return good;
}

/* BEFORE x ROWS x N x RUN elements of T; ODD: one is no number. */
static void one_of_runs(int64_t before, int64_t rows, int64_t n, int64_t run, hed_dtype t, bool odd)
{
  const int parts = t == HED_COMPLEX64 || t == HED_COMPLEX128 ? 2 : 1;
  const int64_t results = before * n, count = rows * run, size = results * count * parts;
  const bool single = t == HED_FLOAT32 || t == HED_COMPLEX64;
  const double tolerance = single ? 1e-5 : 1e-12;
  double *x = malloc((size_t)size * sizeof *x);
  run_truth *truths = malloc((size_t)results * sizeof *truths);
  const hed_shape shape = HED_SHAPE(before, rows, n, run);
  const hed_reduce opt = { .axes = HED_AXES(1, 3) };
  int64_t bad[4] = { 0 };
  bool good = x && truths;
  if (!good) {
    ok(false, "memory");
    free(x);
    free(truths);
    return;
  }
  for (int64_t i = 0; i < size; i++)
    x[i] = (double)(float)gen_double(&source, 63, 65);
  if (odd)
    x[gen_below(&source, (uint64_t)size)] = gen_chance(&source, 50) ? (double)NAN : (double)INFINITY;
  for (int64_t r = 0; r < results; r++)
    truths[r] = of_runs(x + (r / n * rows * n + r % n) * run * parts, rows, n * run, run, parts);
  hed_array *wide = hed_from_host(x, shape, parts == 2 ? HED_COMPLEX128 : HED_FLOAT64), *a = hed_astype(wide, t);
  hed_array *into = hed_zeros(HED_SHAPE(before, n), t), *turned = hed_flip(into, &HED_AXES(1));
  good = hed_sum_into(turned, a, &opt) == HED_OK && components(hed_copy(turned), results, parts);
  for (int64_t i = 0; i < results * parts; i++)
    bad[0] += !relative(got[i], truths[i / parts].sum[i % parts], tolerance);
  good = components(hed_mean(a, &opt), results, parts) && good;
  for (int64_t i = 0; i < results * parts; i++)
    bad[1] += !relative(got[i], truths[i / parts].mean[i % parts], tolerance);
  good = components(hed_var(a, &opt), results, 1) && good;
  for (int64_t i = 0; i < results; i++)
    bad[2] += !relative(got[i], truths[i].squares / (double)count, tolerance);
  if (parts == 1) {
    good = components(hed_max(a, &opt), results, 1) && good;
    for (int64_t i = 0; i < results; i++)
      bad[3] += !relative(got[i], truths[i].max, 0);
    good = components(hed_min(a, &opt), results, 1) && good;
    for (int64_t i = 0; i < results; i++)
      bad[3] += !relative(got[i], truths[i].min, 0);
  }
  ok(good && !bad[0] && !bad[1] && !bad[2] && !bad[3], "runs of %s (%lld, %lld, %lld, %lld)%s: %lld, %lld, %lld, %lld wrong",
     hed_dtype_name(t), (long long)before, (long long)rows, (long long)n, (long long)run, odd ? ", one no number" : "",
     (long long)bad[0], (long long)bad[1], (long long)bad[2], (long long)bad[3]);
  hed_array *all[] = { wide, a, into, turned };
  for (int k = 0; k < 4; k++)
    hed_release(all[k]);
  free(truths);
  free(x);
}

static void runs(const char *backend)
{
  static const int64_t fixed[][4] = { { 1, 9, 3, 5 }, { 1, 64, 33, 17 }, { 1, 16, 7, 200 }, { 1, 3001, 4, 16 }, { 1, 2100, 2, 2 },
                                      { 1, 8, 5, 100 }, { 3, 40, 70, 21 }, { 2, 20, 9, 30 }, { 1, 1100, 19, 15 },
                                      { 1, 700, 2, 99 }, { 1, 1000, 200, 1 } };
  const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_COMPLEX64, HED_COMPLEX128 };
  diag("runs on %s", backend);
  for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++)
    for (int t = 0; t < 4; t++)
      for (int odd = 0; odd < 2; odd++)
        one_of_runs(fixed[k][0], fixed[k][1], fixed[k][2], fixed[k][3], types[t], odd);
  for (int odd = 0; odd < 2; odd++) /* from memory */
    one_of_runs(1, 17, 330, 1000, HED_FLOAT64, odd);
}

/* ---- threads ---- */

/* The bits of a sum and a standard deviation of SHAPE over AXES on 1, 2 and 5 threads, of DTYPE. HOLES: two are NaN. */
static bool same_bits(hed_shape shape, hed_axes axes, int64_t results, hed_dtype dtype, bool holes)
{
  static const char *const specs[] = { "cpu;threads=1", "cpu;threads=2", "cpu;threads=5" };
  static float x[ELEMENTS];
  static double first[2 * ELEMENTS], other[2 * ELEMENTS];
  const hed_reduce opt = { .axes = axes };
  const size_t bytes = (size_t)results * hed_dtype_size(dtype);
  int64_t n = 1;
  for (int32_t k = 0; k < shape.ndim; k++)
    n *= shape.dim[k];
  for (int64_t i = 0; i < n; i++)
    x[i] = (float)gen_int(&source, -100000, 100000) / 3;
  for (int k = 0; k < 2 && holes; k++)
    x[gen_below(&source, (uint64_t)n)] = NAN;
  bool same = true;
  for (int k = 0; k < 3; k++)
    HED_BACKEND_CONTEXT(specs[k]) {
      hed_array *h = hed_from_host(x, shape, HED_FLOAT32), *a = hed_astype(h, dtype), *y = hed_std(a, &opt), *z = hed_sum(a, &opt);
      double *to = k ? other : first;
      same = same && y && z && hed_to_host(y, to, bytes) == HED_OK && hed_to_host(z, (char *)to + bytes, bytes) == HED_OK
             && memcmp(first, to, 2 * bytes) == 0;
      RELEASE(h, a, y, z);
    }
  return same;
}

/* The same bits from any number of threads. */
static void threads(void)
{
  enum { SIZES = 6 };
  static const int64_t sizes[SIZES][2] = { { 400000, 1 }, { 130000, 3 }, { 40000, 9 }, { 600, 650 }, { 3, 130000 }, { 500, 200 } };
  static const int64_t runs[][3] = { { 64, 60, 100 }, { 3000, 8, 16 }, { 30, 401, 33 }, { 900, 3, 140 } };
  if (hed_backend_require("cpu") != HED_OK) {
    skip(1, "no cpu backend: %s", hed_error_text());
    hed_error_clear();
    return;
  }
  for (int way = 0; way < 4; way++) {
    const hed_dtype dtype = way / 2 ? HED_FLOAT64 : HED_FLOAT32;
    char of[64];
    snprintf(of, sizeof of, "%s%s", hed_dtype_name(dtype), way % 2 ? " with NaN" : "");
    for (int s = 0; s < SIZES; s++)
      for (int axis = 0; axis < 2; axis++)
        ok(same_bits(HED_SHAPE(sizes[s][0], sizes[s][1]), HED_AXES(axis), sizes[s][!axis], dtype, way % 2),
           "std and sum of %s (%lld, %lld) over axis %d on 1, 2 and 5 threads", of, (long long)sizes[s][0], (long long)sizes[s][1],
           axis);
    for (int s = 0; s < 4; s++)
      ok(same_bits(HED_SHAPE(runs[s][0], runs[s][1], runs[s][2]), HED_AXES(0, 2), runs[s][1], dtype, way % 2),
         "std and sum of %s (%lld, %lld, %lld) over axes 0 and 2 on 1, 2 and 5 threads", of, (long long)runs[s][0],
         (long long)runs[s][1], (long long)runs[s][2]);
  }
}

int main(void)
{
  api_each_backend(shapes);
  api_each_backend(runs);
  threads();
  done_testing();
  return done();
}
