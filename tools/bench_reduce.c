// SPDX-License-Identifier: BSD-3-Clause
/*
 * bench_reduce.c: suites "reduce", "sort" and "random".
 *
 * Layer: L5. The floor of sorting is one pass over the data: a lower bound that no sort reaches. That of random numbers is
 * the larger of writing them and of their arithmetic: Philox 4x32-10 (J. K. Salmon et al., SC11, 2011) takes some 80
 * integer operations for 128 bits, a normal number of float32 some 60 flops more.
 */
#include "bench.h"
#include <math.h>

#define X w->a[0]
#define M w->a[1]
BENCH_NEW(sum, hed_sum(X, NULL))
BENCH_NEW(prod, hed_prod(X, NULL))
BENCH_NEW(mean, hed_mean(X, NULL))
BENCH_NEW(var, hed_var(X, NULL))
BENCH_NEW(largest, hed_max(X, NULL))
BENCH_NEW(argmax, hed_argmax(X, NULL))
BENCH_NEW(any_late, hed_any(w->a[2], NULL))
BENCH_NEW(any_early, hed_any(w->a[3], NULL))
BENCH_NEW(all_late, hed_all(w->a[3], NULL))
BENCH_NEW(count, hed_count_nonzero(X, NULL))
BENCH_NEW(cumsum, hed_cumsum(X, NULL))
BENCH_NEW(cumsum1, hed_cumsum(M, &(hed_scan){ .axis = HED_AXES(1) }))
BENCH_NEW(sum0, hed_sum(M, &(hed_reduce){ .axes = HED_AXES(0) }))
BENCH_NEW(sum1, hed_sum(M, &(hed_reduce){ .axes = HED_AXES(1) }))
BENCH_NEW(mean0, hed_mean(M, &(hed_reduce){ .axes = HED_AXES(0) }))
BENCH_NEW(mean1, hed_mean(M, &(hed_reduce){ .axes = HED_AXES(1) }))
BENCH_NEW(std0, hed_std(M, &(hed_reduce){ .axes = HED_AXES(0) }))
BENCH_NEW(std1, hed_std(M, &(hed_reduce){ .axes = HED_AXES(1) }))
BENCH_NEW(max0, hed_max(M, &(hed_reduce){ .axes = HED_AXES(0) }))
BENCH_NEW(max1, hed_max(M, &(hed_reduce){ .axes = HED_AXES(1) }))
BENCH_NEW(argmax1, hed_argmax(M, &(hed_reduce){ .axes = HED_AXES(1) }))
BENCH_NEW(median, hed_median(X, NULL))
BENCH_NEW(sort, hed_sort(X, NULL))
BENCH_NEW(argsort, hed_argsort(X, NULL))
BENCH_NEW(sort1, hed_sort(M, NULL))
BENCH_NEW(sort0, hed_sort(M, &(hed_sort_options){ .axis = HED_AXES(0) }))
BENCH_NEW(searchsorted, hed_searchsorted(w->a[2], X, false))
BENCH_NEW(normal, hed_random_normal(HED_SHAPE(w->spec->dim[0] * w->spec->dim[1]), w->spec->dtype, NULL))
BENCH_NEW(uniform, hed_random_uniform(HED_SHAPE(w->spec->dim[0] * w->spec->dim[1]), w->spec->dtype, NULL))
BENCH_NEW(exponential, hed_random_exponential(HED_SHAPE(w->spec->dim[0] * w->spec->dim[1]), 1, w->spec->dtype, NULL))
BENCH_NEW(integers, hed_random_integers(HED_SHAPE(w->spec->dim[0] * w->spec->dim[1]), 0, 1000, w->spec->dtype, NULL))
BENCH_NEW(permutation, hed_random_permutation(w->spec->dim[0] * w->spec->dim[1], NULL))

static hed_status topk(bench_work *w, int64_t n)
{
  hed_status status = HED_OK;
  for (int64_t i = 0; i < n && status == HED_OK; i++) {
    hed_array *values = NULL, *indices = NULL;
    status = hed_topk(X, 100, NULL, &values, &indices);
    hed_release(values);
    hed_release(indices);
  }
  return status;
}

static hed_status histogram(bench_work *w, int64_t n)
{
  const hed_histogram_options opt = { .bins = 256, .use_range = true, .low = 0.5, .high = 1.5 };
  hed_status status = HED_OK;
  for (int64_t i = 0; i < n && status == HED_OK; i++) {
    hed_array *hist = NULL;
    status = hed_histogram(X, &opt, &hist, NULL);
    hed_release(hist);
  }
  return status;
}

enum needs { FLAT, SQUARE, TRUTH, EARLY, SORTED, NOTHING };

typedef struct operation {
  const char *suite, *name;
  bench_fn run;
  enum needs needs;
  double read, written;    /* bytes per byte of an element; below 0: minus the bytes per element */
  double flops32, flops64; /* per element */
  int dtypes;              /* FLOATS, WHOLE: int64 alone, TRUE_ONLY: bool alone */
} operation;
enum { FLOATS, WHOLE, TRUE_ONLY };

static const operation operations[] = {
  { "reduce", "sum", sum, FLAT, 1, 0, 1, 1, FLOATS },
  { "reduce", "prod", prod, FLAT, 1, 0, 1, 1, FLOATS },
  { "reduce", "mean", mean, FLAT, 1, 0, 1, 1, FLOATS },
  { "reduce", "var", var, FLAT, 1, 0, 3, 3, FLOATS },
  { "reduce", "max", largest, FLAT, 1, 0, 1, 1, FLOATS },
  { "reduce", "argmax", argmax, FLAT, 1, 0, 1, 1, FLOATS },
  { "reduce", "count_nonzero", count, FLAT, 1, 0, 1, 1, FLOATS },
  { "reduce", "any_late", any_late, TRUTH, 1, 0, 0, 0, TRUE_ONLY },
  { "reduce", "any_early", any_early, EARLY, 0, 0, 0, 0, TRUE_ONLY },
  { "reduce", "all_late", all_late, EARLY, 1, 0, 0, 0, TRUE_ONLY },
  { "reduce", "sum_axis0", sum0, SQUARE, 1, 0, 1, 1, FLOATS },
  { "reduce", "sum_axis1", sum1, SQUARE, 1, 0, 1, 1, FLOATS },
  { "reduce", "mean_axis0", mean0, SQUARE, 1, 0, 1, 1, FLOATS },
  { "reduce", "mean_axis1", mean1, SQUARE, 1, 0, 1, 1, FLOATS },
  { "reduce", "std_axis0", std0, SQUARE, 1, 0, 3, 3, FLOATS },
  { "reduce", "std_axis1", std1, SQUARE, 1, 0, 3, 3, FLOATS },
  { "reduce", "max_axis0", max0, SQUARE, 1, 0, 1, 1, FLOATS },
  { "reduce", "max_axis1", max1, SQUARE, 1, 0, 1, 1, FLOATS },
  { "reduce", "argmax_axis1", argmax1, SQUARE, 1, 0, 1, 1, FLOATS },
  { "reduce", "median", median, FLAT, 1, 0, 1, 1, FLOATS },
  { "reduce", "cumsum", cumsum, FLAT, 1, 1, 1, 1, FLOATS },
  { "reduce", "cumsum_axis1", cumsum1, SQUARE, 1, 1, 1, 1, FLOATS },
  { "reduce", "histogram", histogram, FLAT, 1, 0, 4, 4, FLOATS },
  { "sort", "sort", sort, FLAT, 1, 1, 0, 0, FLOATS },
  { "sort", "argsort", argsort, FLAT, 1, -8, 0, 0, FLOATS },
  { "sort", "sort_axis1", sort1, SQUARE, 1, 1, 0, 0, FLOATS },
  { "sort", "sort_axis0", sort0, SQUARE, 1, 1, 0, 0, FLOATS },
  { "sort", "topk100", topk, FLAT, 1, 0, 1, 1, FLOATS },
  { "sort", "searchsorted", searchsorted, SORTED, 1, -8, 0, 0, FLOATS },
  { "random", "random_normal", normal, NOTHING, 0, 1, 80, 160, FLOATS },
  { "random", "random_uniform", uniform, NOTHING, 0, 1, 20, 40, FLOATS },
  { "random", "random_exponential", exponential, NOTHING, 0, 1, 80, 160, FLOATS },
  { "random", "random_integers", integers, NOTHING, 0, 1, 0, 0, WHOLE },
  { "random", "permutation", permutation, NOTHING, 0, 1, 0, 0, WHOLE },
};

static hed_status prepare(bench_work *w)
{
  const bench_spec *s = w->spec;
  const operation *o = s->what;
  int64_t n = s->dim[0] * s->dim[1];
  double size = (double)hed_dtype_size(s->dtype) * (double)n;
  int have = 1;
  switch (o->needs) {
  case FLAT: X = bench_values(s, HED_SHAPE(n)); break;
  case SORTED:
    X = bench_values(s, HED_SHAPE(n));
    w->a[1] = hed_linspace(0.5, 1.5, 1000, s->dtype);
    w->a[2] = hed_retain(w->a[1]);
    have = 3;
    break;
  case SQUARE:
    M = bench_normal(s, HED_SHAPE(s->dim[0], s->dim[1]));
    X = hed_retain(M);
    break;
  case TRUTH:
  case EARLY:
    X = hed_zeros(HED_SHAPE(n), HED_BOOL);
    w->a[1] = hed_retain(X);
    w->a[2] = hed_retain(X);
    w->a[3] = hed_ones(HED_SHAPE(n), HED_BOOL);
    have = 4;
    break;
  default: have = 0;
  }
  hed_status status = bench_have(w, have);
  if (status != HED_OK)
    return status;
  if (X)
    bench_say_shape(w, X);
  else
    snprintf(w->shape, sizeof w->shape, "%lld", (long long)n);
  w->run = o->run;
  if (o->needs == EARLY && o->read == 0) {
    w->note = "the first element decides: a call, whose bytes are no floor";
    return HED_OK;
  }
  w->read = o->read * size;
  w->written = o->written < 0 ? -o->written * (double)n : o->written * size;
  w->flops = (s->dtype == HED_FLOAT64 ? o->flops64 : o->flops32) * (double)n;
  return bench_floor_stream(w);
}

static void list(bench *b, const char *suite)
{
  static const struct { const char *size; int64_t rows, cols; } sizes[] = { { "1e3", 25, 40 }, { "1e5", 250, 400 },
                                                                            { "1e7", 2500, 4000 } };
  for (size_t z = 0; z < sizeof sizes / sizeof sizes[0]; z++)
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
      for (int wide = 0; wide < (operations[i].dtypes == FLOATS ? 2 : 1); wide++) {
        const operation *o = &operations[i];
        bench_spec s = { .suite = o->suite, .name = o->name, .what = o, .prepare = prepare,
                         .dim = { sizes[z].rows, sizes[z].cols } };
        s.dtype = o->dtypes == WHOLE ? HED_INT64 : o->dtypes == TRUE_ONLY ? HED_BOOL : wide ? HED_FLOAT64 : HED_FLOAT32;
        snprintf(s.size, sizeof s.size, "%s", sizes[z].size);
        if (strcmp(o->suite, suite) == 0)
          bench_add(b, &s, false);
      }
}

void bench_list_reduce(bench *b)
{
  list(b, "reduce");
}

void bench_list_sort(bench *b)
{
  list(b, "sort");
}

void bench_list_random(bench *b)
{
  list(b, "random");
}
