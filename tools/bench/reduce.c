// SPDX-License-Identifier: BSD-3-Clause
/* Suites "reduce", "sort" and "random".
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
BENCH_NEW(argmax0, hed_argmax(M, &(hed_reduce){ .axes = HED_AXES(0) }))
BENCH_NEW(any1, hed_any(M, &(hed_reduce){ .axes = HED_AXES(1) }))
BENCH_NEW(all1, hed_all(M, &(hed_reduce){ .axes = HED_AXES(1) }))
BENCH_NEW(count1, hed_count_nonzero(M, &(hed_reduce){ .axes = HED_AXES(1) }))
BENCH_NEW(nanmax0, hed_nanmax(M, &(hed_reduce){ .axes = HED_AXES(0) }))
BENCH_NEW(median, hed_median(X, NULL))
BENCH_NEW(smallest, hed_min(X, NULL))
BENCH_NEW(min0, hed_min(M, &(hed_reduce){ .axes = HED_AXES(0) }))
BENCH_NEW(prod0, hed_prod(M, &(hed_reduce){ .axes = HED_AXES(0) }))
BENCH_NEW(prod1, hed_prod(M, &(hed_reduce){ .axes = HED_AXES(1) }))
BENCH_NEW(nansum, hed_nansum(X, NULL))
BENCH_NEW(nanmean, hed_nanmean(X, NULL))
BENCH_NEW(nanmax, hed_nanmax(X, NULL))
BENCH_NEW(nanmean0, hed_nanmean(M, &(hed_reduce){ .axes = HED_AXES(0) }))
BENCH_NEW(logsumexp1, hed_logsumexp(M, &(hed_reduce){ .axes = HED_AXES(1) }))
BENCH_NEW(norm1, hed_vector_norm(X, 1, NULL))
BENCH_NEW(norm2, hed_vector_norm(X, 2, NULL))
BENCH_NEW(norm_inf, hed_vector_norm(X, INFINITY, NULL))
BENCH_NEW(norm2_0, hed_vector_norm(M, 2, &(hed_reduce){ .axes = HED_AXES(0) }))
BENCH_NEW(norm2_1, hed_vector_norm(M, 2, &(hed_reduce){ .axes = HED_AXES(1) }))
BENCH_NEW(cumsum0, hed_cumsum(M, &(hed_scan){ .axis = HED_AXES(0) }))
BENCH_NEW(cumprod, hed_cumprod(X, NULL))
BENCH_NEW(cumprod1, hed_cumprod(M, &(hed_scan){ .axis = HED_AXES(1) }))
BENCH_NEW(cummax, hed_cummax(X, NULL))
BENCH_NEW(diff0, hed_diff(M, 1, 0))
BENCH_NEW(quantile1, hed_quantile(M, 3, (const double[]){ 0.1, 0.5, 0.9 }, &(hed_quantiles){ .axes = HED_AXES(1) }))
BENCH_NEW(argsort1, hed_argsort(M, NULL))
BENCH_NEW(partition, hed_partition(X, hed_array_size(X) / 2, NULL))
BENCH_NEW(argpartition, hed_argpartition(X, hed_array_size(X) / 2, NULL))
BENCH_NEW(isin, hed_isin(X, w->a[1]))
BENCH_NEW(bincount, hed_bincount(X, NULL, 0))
BENCH_NEW(sort, hed_sort(X, NULL))
BENCH_NEW(argsort, hed_argsort(X, NULL))
BENCH_NEW(sort1, hed_sort(M, NULL))
BENCH_NEW(sort0, hed_sort(M, &(hed_sort_options){ .axis = HED_AXES(0) }))
BENCH_NEW(searchsorted, hed_searchsorted(w->a[2], X, false))
BENCH_NEW(normal, hed_random_normal(HED_SHAPE(w->spec->dim[0] * w->spec->dim[1]), w->spec->dtype, NULL))
BENCH_NEW(uniform, hed_random_uniform(HED_SHAPE(w->spec->dim[0] * w->spec->dim[1]), w->spec->dtype, NULL))
BENCH_NEW(exponential, hed_random_exponential(HED_SHAPE(w->spec->dim[0] * w->spec->dim[1]), 1, w->spec->dtype, NULL))
BENCH_NEW(integers, hed_random_integers(HED_SHAPE(w->spec->dim[0] * w->spec->dim[1]), 0, 1000, w->spec->dtype, NULL))
BENCH_NEW(choice_tenth, hed_random_choice(w->spec->dim[0] * w->spec->dim[1], HED_SHAPE(w->spec->dim[0] * w->spec->dim[1] / 10),
                                          NULL, false, NULL))
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

static hed_status unique_once(const hed_array *x, bool inverse)
{
  hed_array *values = NULL, *where = NULL;
  hed_status status = hed_unique(x, NULL, &values, NULL, inverse ? &where : NULL, NULL);
  hed_release(values);
  hed_release(where);
  return status;
}
BENCH_STATUS(unique, unique_once(X, false))
BENCH_STATUS(unique_inverse, unique_once(X, true))

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

enum needs { FLAT, SQUARE, TRUTH, EARLY, SORTED, SOME, NOTHING };

typedef struct operation {
  const char *suite, *name;
  bench_fn run;
  enum needs needs;
  double read, written;    /* bytes per byte of an element; below 0: minus the bytes per element */
  double flops32, flops64; /* per element */
  int dtypes;              /* FLOATS, WHOLE: int64 alone, TRUE_ONLY: bool alone, WHOLES: int32 and int64, PAIRS: complex */
} operation;
enum { FLOATS, WHOLE, TRUE_ONLY, WHOLES, PAIRS };

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
  { "reduce", "norm2", norm2, FLAT, 1, 0, 2, 2, FLOATS },
  { "reduce", "norm2_axis0", norm2_0, SQUARE, 1, 0, 2, 2, FLOATS },
  { "reduce", "norm2_axis1", norm2_1, SQUARE, 1, 0, 2, 2, FLOATS },
  { "reduce", "nansum", nansum, FLAT, 1, 0, 1, 1, FLOATS },
  { "sort", "partition", partition, FLAT, 1, 1, 0, 0, FLOATS },
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

/* Of 10^5 elements alone. */
static const operation further[] = {
  { "reduce", "min", smallest, FLAT, 1, 0, 1, 1, WHOLES },
  { "reduce", "min_axis0", min0, SQUARE, 1, 0, 1, 1, WHOLES },
  { "reduce", "sum", sum, FLAT, 1, 0, 1, 1, WHOLES },
  { "reduce", "argmax", argmax, FLAT, 1, 0, 1, 1, WHOLES },
  { "reduce", "cumsum", cumsum, FLAT, 1, -8, 1, 1, WHOLES },
  { "reduce", "csum_axis0", sum0, SQUARE, 1, 0, 2, 2, PAIRS },
  { "reduce", "prod", prod, FLAT, 1, 0, 6, 6, PAIRS },
  { "reduce", "cprod_axis0", prod0, SQUARE, 1, 0, 6, 6, PAIRS },
  { "reduce", "norm2", norm2, FLAT, 1, 0, 4, 4, PAIRS },
  { "reduce", "norm1", norm1, FLAT, 1, 0, 14, 24, PAIRS },
  { "reduce", "norm2_axis0", norm2_0, SQUARE, 1, 0, 4, 4, PAIRS },
  { "reduce", "norm2_axis1", norm2_1, SQUARE, 1, 0, 4, 4, PAIRS },
  { "reduce", "norm1", norm1, FLAT, 1, 0, 1, 1, FLOATS },
  { "reduce", "norm_inf", norm_inf, FLAT, 1, 0, 1, 1, FLOATS },
  { "reduce", "prod_axis0", prod0, SQUARE, 1, 0, 1, 1, FLOATS },
  { "reduce", "prod_axis1", prod1, SQUARE, 1, 0, 1, 1, FLOATS },
  { "reduce", "nanmean", nanmean, FLAT, 1, 0, 2, 2, FLOATS },
  { "reduce", "nanmax", nanmax, FLAT, 1, 0, 1, 1, FLOATS },
  { "reduce", "nanmax_axis0", nanmax0, SQUARE, 1, 0, 1, 1, FLOATS },
  { "reduce", "nanmean_axis0", nanmean0, SQUARE, 1, 0, 2, 2, FLOATS },
  { "reduce", "logsumexp_axis1", logsumexp1, SQUARE, 1, 0, 22, 34, FLOATS },
  { "reduce", "quantile3_axis1", quantile1, SQUARE, 1, 0, 4, 4, FLOATS },
  { "reduce", "cumsum_axis0", cumsum0, SQUARE, 1, 1, 1, 1, FLOATS },
  { "reduce", "cumprod", cumprod, FLAT, 1, 1, 1, 1, FLOATS },
  { "reduce", "cumprod_axis1", cumprod1, SQUARE, 1, 1, 1, 1, FLOATS },
  { "reduce", "cummax", cummax, FLAT, 1, 1, 1, 1, FLOATS },
  { "reduce", "diff_axis0", diff0, SQUARE, 1, 1, 1, 1, FLOATS },
  { "sort", "argsort_axis1", argsort1, SQUARE, 1, -8, 0, 0, FLOATS },
  { "sort", "sort", sort, FLAT, 1, 1, 0, 0, WHOLES },
  { "sort", "argsort", argsort, FLAT, 1, -8, 0, 0, WHOLES },
  { "sort", "argpartition", argpartition, FLAT, 1, -8, 0, 0, FLOATS },
  { "sort", "unique", unique, FLAT, 1, 1, 0, 0, FLOATS },
  { "sort", "unique", unique, FLAT, 1, 0, 0, 0, WHOLES },
  { "sort", "unique_inverse", unique_inverse, FLAT, 1, -8, 0, 0, WHOLES },
  { "sort", "isin", isin, SOME, 1, -1, 0, 0, WHOLES },
  { "sort", "bincount", bincount, FLAT, 1, 0, 1, 1, WHOLES },
  { "random", "choice_tenth", choice_tenth, NOTHING, 0, 0.1, 0, 0, WHOLE },
};

/* Of 25000 x 4 elements. */
static const operation of_four[] = {
  { "reduce", "sum_axis1", sum1, SQUARE, 1, -2, 1, 1, FLOATS },
  { "reduce", "sum_axis1", sum1, SQUARE, 1, -2, 1, 1, WHOLES },
  { "reduce", "mean_axis1", mean1, SQUARE, 1, -2, 1, 1, FLOATS },
  { "reduce", "prod_axis1", prod1, SQUARE, 1, -2, 1, 1, FLOATS },
  { "reduce", "max_axis1", max1, SQUARE, 1, -2, 1, 1, FLOATS },
  { "reduce", "max_axis1", max1, SQUARE, 1, -2, 1, 1, WHOLES },
  { "reduce", "argmax_axis1", argmax1, SQUARE, 1, -2, 1, 1, FLOATS },
  { "reduce", "argmax_axis0", argmax0, SQUARE, 1, 0, 1, 1, FLOATS },
  { "reduce", "any_axis1", any1, SQUARE, 1, -0.25, 1, 1, FLOATS },
  { "reduce", "all_axis1", all1, SQUARE, 1, -0.25, 1, 1, WHOLES },
  { "reduce", "count_nonzero_axis1", count1, SQUARE, 1, -2, 1, 1, FLOATS },
};

/* Of 12500 x 8 elements. */
static const operation of_eight[] = {
  { "sort", "sort_axis1", sort1, SQUARE, 1, 1, 0, 0, FLOATS },
  { "sort", "sort_axis1", sort1, SQUARE, 1, 1, 0, 0, WHOLES },
  { "sort", "argsort_axis1", argsort1, SQUARE, 1, -8, 0, 0, FLOATS },
  { "sort", "argsort_axis1", argsort1, SQUARE, 1, -8, 0, 0, WHOLES },
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
  case SOME:
    X = bench_values(s, HED_SHAPE(n));
    w->a[1] = hed_random_integers(HED_SHAPE(1000), 1, 1000, s->dtype, &(hed_random){ .seed = 4, .seeded = true });
    have = 2;
    break;
  case SORTED:
    X = bench_values(s, HED_SHAPE(n));
    w->a[1] = hed_linspace(0.5, 1.5, 1000, s->dtype);
    w->a[2] = hed_retain(w->a[1]);
    have = 3;
    break;
  case SQUARE:
    M = o->dtypes == WHOLES ? bench_values(s, HED_SHAPE(s->dim[0], s->dim[1])) : bench_normal(s, HED_SHAPE(s->dim[0], s->dim[1]));
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
  w->flops = (s->dtype == HED_FLOAT64 || s->dtype == HED_COMPLEX128 ? o->flops64 : o->flops32) * (double)n;
  return bench_floor_stream(w);
}

static hed_dtype type_of(const operation *o, bool wide)
{
  switch (o->dtypes) {
  case WHOLE: return HED_INT64;
  case TRUE_ONLY: return HED_BOOL;
  case WHOLES: return wide ? HED_INT64 : HED_INT32;
  case PAIRS: return wide ? HED_COMPLEX128 : HED_COMPLEX64;
  default: return wide ? HED_FLOAT64 : HED_FLOAT32;
  }
}

/* The rows of O in SUITE with ROWS x COLS elements. */
static void add(bench *b, const char *suite, const operation *o, const char *size, int64_t rows, int64_t cols)
{
  if (strcmp(o->suite, suite) != 0)
    return;
  for (int wide = 0; wide < (o->dtypes == WHOLE || o->dtypes == TRUE_ONLY ? 1 : 2); wide++) {
    bench_spec s = { .suite = o->suite, .name = o->name, .what = o, .prepare = prepare, .dtype = type_of(o, wide),
                     .dim = { rows, cols } };
    snprintf(s.size, sizeof s.size, "%s", size);
    bench_add(b, &s, false);
  }
}

static void list(bench *b, const char *suite)
{
  static const struct { const char *size; int64_t rows, cols; } sizes[] = { { "1e3", 25, 40 }, { "1e5", 250, 400 },
                                                                            { "1e7", 2500, 4000 } };
  for (size_t z = 0; z < sizeof sizes / sizeof sizes[0]; z++)
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
      add(b, suite, &operations[i], sizes[z].size, sizes[z].rows, sizes[z].cols);
  for (size_t i = 0; i < sizeof further / sizeof further[0]; i++)
    add(b, suite, &further[i], sizes[1].size, sizes[1].rows, sizes[1].cols);
  for (size_t i = 0; i < sizeof of_four / sizeof of_four[0]; i++)
    add(b, suite, &of_four[i], "25000x4", 25000, 4);
  for (size_t i = 0; i < sizeof of_eight / sizeof of_eight[0]; i++)
    add(b, suite, &of_eight[i], "12500x8", 12500, 8);
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
