// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reductions over every set of axes against loops written out: shapes long and narrow, short and wide, around the widths
 * of vectors, strides of both signs, gaps and none, ties and NaN; and sums that do not depend on the number of threads.
 */
#include "api.h"
#include "gen.h"

#include <math.h>

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
  hed_release(y);
  hed_release(d);
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

/* The same bits from any number of threads. */
static void threads(void)
{
  static const int64_t sizes[][2] = { { 400000, 1 }, { 130000, 3 }, { 40000, 9 }, { 600, 650 }, { 3, 130000 } };
  static const char *const specs[] = { "cpu;threads=1", "cpu;threads=2", "cpu;threads=5" };
  if (hed_backend_require("cpu") != HED_OK) {
    skip(1, "no cpu backend: %s", hed_error_text());
    hed_error_clear();
    return;
  }
  for (int s = 0; s < 5; s++)
    for (int axis = 0; axis < 2; axis++) {
      static float x[ELEMENTS], first[ELEMENTS], other[ELEMENTS];
      const int64_t n = sizes[s][0] * sizes[s][1], results = sizes[s][!axis];
      for (int64_t i = 0; i < n; i++)
        x[i] = (float)gen_int(&source, -100000, 100000) / 3;
      bool same = true;
      for (int k = 0; k < 3; k++)
        HED_BACKEND_CONTEXT(specs[k]) {
          hed_array *a = hed_from_host(x, HED_SHAPE(sizes[s][0], sizes[s][1]), HED_FLOAT32);
          hed_array *y = hed_std(a, &(hed_reduce){ .axes = HED_AXES(axis) });
          float *to = k ? other : first;
          same = same && y && hed_to_host(y, to, (size_t)results * sizeof *to) == HED_OK
                 && memcmp(first, to, (size_t)results * sizeof *to) == 0;
          hed_release(a);
          hed_release(y);
        }
      ok(same, "std of (%lld, %lld) over axis %d on 1, 2 and 5 threads", (long long)sizes[s][0], (long long)sizes[s][1], axis);
    }
}

int main(void)
{
  api_each_backend(shapes);
  threads();
  done_testing();
  return done();
}
