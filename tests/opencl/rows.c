// SPDX-License-Identifier: BSD-3-Clause
/* Rows that the opencl backend says it does itself: done there, with nothing left to the host, and with the reference
 * backend's values, in types that stand for all and in layouts that a kernel takes as they are and that it does not.
 * conform/opencl.t has all operations. HEDDLE_TEST_FULL=1 takes all types of a job, else its first one is enough.
 */
#include "arrays.h"
#include "gen.h"
#include "tap.h"

#include <heddle.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 37, COLUMNS = 53, LONG = 20011, OPERANDS = 6 };

/* Of a job: two matrices, one seen transposed, indices below COLUMNS, a mask, and a long vector. */
enum { A, B, T, INDEX, MASK, VECTOR };

typedef hed_array *(*job_fn)(hed_array *const *x);

static hed_array *weights(void) { return hed_from_host((double[]){ 0.25, 0.5, 0.25 }, HED_SHAPE(3), HED_FLOAT64); }

#define JOB(name, expression) static hed_array *name(hed_array *const *x) { return expression; }
#define AXIS(k) (&(hed_reduce){ .axes = HED_AXES(k) })
#define ALONG(k) (&(hed_scan){ .axis = HED_AXES(k) })
JOB(add, hed_add(x[A], x[B]))
JOB(add_transposed, hed_add(x[T], hed_transpose(x[B], NULL)))
JOB(scale, hed_multiply_scalar(x[A], 3))
JOB(compare, hed_less(x[A], x[B]))
JOB(choose, hed_where(x[MASK], x[A], x[B]))
JOB(convert, hed_astype(x[A], HED_INT16))
JOB(real_part, hed_real(x[A]))
JOB(imaginary_part, hed_imag(x[T]))
JOB(vectors, hed_subtract(x[VECTOR], hed_flip(x[VECTOR], NULL)))
JOB(join, hed_concatenate(2, (const hed_array *const[]){ x[A], x[B] }, 1))
JOB(lower, hed_tril(x[A], 1))
JOB(upper, hed_triu(x[T], -1))
JOB(sum, hed_sum(x[A], NULL))
JOB(sum_rows, hed_sum(x[A], AXIS(1)))
JOB(sum_columns, hed_sum(x[A], AXIS(0)))
JOB(sum_transposed, hed_sum(x[T], AXIS(0)))
JOB(sum_long, hed_sum(x[VECTOR], NULL))
JOB(largest, hed_max(x[A], AXIS(0)))
JOB(place, hed_argmax(x[A], AXIS(1)))
JOB(place_long, hed_argmin(x[VECTOR], NULL))
JOB(scale_long, hed_multiply_scalar(x[VECTOR], 3))
JOB(choose_long, hed_where(hed_less_scalar(x[VECTOR], 0), x[VECTOR], hed_sum(x[A], NULL)))
JOB(convert_long, hed_astype(x[VECTOR], HED_INT16))
JOB(place_nan, hed_argmax(hed_log(x[VECTOR]), NULL))
JOB(spread_long, hed_var(x[VECTOR], NULL))
JOB(deviation, hed_std(x[A], AXIS(1)))
JOB(mean, hed_mean(x[A], NULL))
JOB(some, hed_any(x[A], AXIS(0)))
JOB(norm, hed_vector_norm(x[A], 2, AXIS(1)))
JOB(product, hed_prod(hed_slice(x[A], 1, &(hed_slice_range){ 0, 3, 1 }), AXIS(0)))
JOB(running, hed_cumsum(x[A], ALONG(1)))
JOB(running_columns, hed_cumsum(x[A], ALONG(0)))
JOB(running_long, hed_cumsum(x[VECTOR], NULL))
JOB(running_most, hed_cummax(x[T], ALONG(1)))
JOB(take, hed_take(x[A], x[INDEX], 1))
JOB(take_rows, hed_take(x[T], x[INDEX], 0))
JOB(along, hed_take_along_axis(x[A], hed_argsort(x[B], &(hed_sort_options){ .axis = HED_AXES(1) }), 1))
JOB(ordered, hed_sort(x[A], NULL))
JOB(ordered_columns, hed_sort(x[A], &(hed_sort_options){ .axis = HED_AXES(0), .descending = true }))
JOB(ordered_long, hed_sort(x[VECTOR], NULL))
JOB(order, hed_argsort(x[T], NULL))
JOB(middle, hed_median(x[A], AXIS(1)))
JOB(parted, hed_partition(x[A], 20, NULL))
JOB(softened, hed_softmax(x[A], 1))
JOB(softened_columns, hed_log_softmax(x[A], 0))
JOB(multiplied, hed_matmul(x[A], x[T]))
JOB(multiplied_transposed, hed_matmul(x[T], x[B]))
JOB(found, hed_nonzero(x[A]))
JOB(kept, hed_compress(x[A], x[MASK]))
JOB(kept_rows, hed_compress(x[T], hed_any(x[MASK], AXIS(0))))
JOB(repeated, hed_repeat(x[A], 3, &HED_AXES(0)))
JOB(searched, hed_searchsorted(hed_sort(x[VECTOR], NULL), x[T], true))
JOB(smoothed, hed_correlate1d(x[A], weights(), 0, NULL))
JOB(smoothed_rows, hed_correlate1d(x[T], weights(), 0, &(hed_filter){ .boundary = HED_BOUNDARY_WRAP }))
JOB(dilated, hed_maximum_filter(x[A], 3, 0.5))
JOB(eroded, hed_minimum_filter(x[T], 4, NULL))
JOB(middles, hed_median_filter(x[T], 3, NULL))
JOB(middles_wrapped, hed_median_filter(x[A], 4, &(hed_filter){ .boundary = HED_BOUNDARY_WRAP }))
JOB(convolved, hed_convolve_direct(x[A], hed_slice(x[T], 2, (hed_slice_range[]){ { 0, 3, 1 }, { 0, 4, 1 } }), HED_CONVOLVE_SAME))
JOB(turned, hed_affine_transform(x[A], (const double[]){ 0.8, -0.6, 9, 0.6, 0.8, -3 }, NULL, NULL))
JOB(turned_linear, hed_affine_transform(x[T], (const double[]){ 0.8, -0.6, 9, 0.6, 0.8, -3 }, NULL,
                                        &(hed_resample){ .spline = HED_SPLINE_LINEAR, .boundary = HED_BOUNDARY_REFLECT }))
static hed_array *points(hed_array *const *x)
{
  return hed_multiply_scalar(hed_astype(hed_slice(x[INDEX], 1, &(hed_slice_range){ 0, 2, 1 }), HED_FLOAT64), 0.7);
}
JOB(sampled, hed_map_coordinates(x[A], points(x), NULL))
JOB(coefficients, hed_spline_filter(x[T], NULL, HED_BOUNDARY_MIRROR))
JOB(spectrum, hed_fftn(x[A], NULL))
JOB(spectrum_columns, hed_ifftn(x[T], &(hed_fft){ .axes = HED_AXES(0) }))
JOB(spectrum_long, hed_fftn(x[VECTOR], NULL)) /* of a length with a large prime */
JOB(spectrum_real, hed_rfftn(x[T], NULL))
JOB(spectrum_back, hed_irfftn(x[A], &(hed_fft){ .axes = HED_AXES(0, 1) }))
JOB(spectrum_even, hed_irfftn(hed_rfftn(hed_slice(x[A], 2, (hed_slice_range[]){ { 0, 30, 1 }, { 1, 49, 1 } }), NULL), NULL))
JOB(crossed, hed_cross(hed_slice(x[A], 2, (hed_slice_range[]){ { 0, ROWS, 1 }, { 0, 3, 1 } }),
                       hed_slice(x[B], 2, (hed_slice_range[]){ { 0, ROWS, 1 }, { 0, 3, 1 } }), -1))
/* A step of template matching, with a mask and without: best scores, and where they come from. */
static hed_array *best_of(hed_array *const *x, bool masked)
{
  const hed_shape all = { 2, { ROWS, COLUMNS } };
  hed_array *best = hed_full(all, -2, hed_array_dtype(x[A])), *from = hed_full(all, -1, HED_INT32);
  const hed_fft by_number = { .norm = HED_NORM_FORWARD };
  hed_array *spectrum = hed_rfftn(x[A], &by_number), *squares = hed_rfftn(hed_square(x[A]), &by_number);
  hed_array *small = hed_slice(x[B], 2, (hed_slice_range[]){ { 0, 6, 1 }, { 0, 7, 1 } });
  hed_array *mask = hed_full(HED_SHAPE(6, 7), 1, hed_array_dtype(x[A]));
  const hed_correlation opt = { .mask = mask, .spectrum_sq = squares, .n_obs = 42, .eps = 1e-6 };
  for (int32_t k = 0; k < 2; k++)
    if (hed_max_correlation(k ? hed_negative(small) : small, spectrum, masked ? &opt : NULL, best, from, k) != HED_OK)
      return NULL;
  /* around 0 rounding decides which is better */
  hed_array *clear = hed_multiply(hed_greater_scalar(best, masked ? 0.25 : 0.5), hed_astype(from, hed_array_dtype(best)));
  return hed_concatenate(2, (const hed_array *const[]){ best, clear }, 0);
}
JOB(matched, best_of(x, false))
JOB(matched_masked, best_of(x, true))
static hed_array *best(hed_array *const *x)
{
  hed_array *most = hed_copy(x[A]), *from = hed_full(HED_SHAPE(ROWS, COLUMNS), -1, HED_INT32);
  const bool good = hed_max_score_over_rotations(x[B], most, from, 3) == HED_OK &&
                    hed_max_score_over_rotations(hed_transpose(x[T], NULL), most, from, 1) == HED_OK;
  return good ? hed_add(most, from) : NULL;
}
JOB(categories, hed_random_categorical(x[A], 7, HED_INT32, NULL))
JOB(shares, hed_random_dirichlet(hed_add_scalar(hed_abs(x[T]), 0.5), NULL, hed_array_dtype(x[A]), NULL))
JOB(orthonormal, hed_random_haar(HED_SHAPE(3, 9, 9), hed_array_dtype(x[A]), NULL))
/* Words of bits, two to a row. */
static hed_array *words(const hed_array *x) { return hed_pack_bits(hed_concatenate(2, (const hed_array *const[]){ x, x }, 1)); }
JOB(packed, words(x[T]))
JOB(unpacked, hed_unpack_bits(hed_transpose(words(x[A]), NULL), 39))
JOB(distances, hed_hamming_matrix(words(x[A]), words(x[B])))
JOB(majority, hed_majority_bits(words(x[A]), hed_index(words(x[B]), 0, 3)))
JOB(majority_even, hed_majority_bits(words(hed_slice(x[A], 2, (hed_slice_range[]){ { 1, ROWS, 1 }, { 0, COLUMNS, 1 } })), NULL))
JOB(phases, hed_phasor(x[T], NULL))
JOB(phases_rate, hed_phasor(hed_reshape(hed_index(x[A], 1, 0), HED_SHAPE(ROWS, 1)), hed_index(x[B], 0, 0)))
JOB(ascending, hed_isotonic(x[T], NULL, 0, false))
JOB(falling, hed_isotonic(x[A], hed_add_scalar(hed_abs(hed_index(x[B], 0, 0)), 1), 1, true))
JOB(unitary, hed_polar_unitary(hed_reshape(hed_slice(x[VECTOR], 1, &(hed_slice_range){ 0, 160, 1 }), HED_SHAPE(10, 4, 4))))
JOB(counted, hed_bincount(hed_abs(x[VECTOR]), NULL, 12))
static hed_array *in_bins(hed_array *const *x)
{
  hed_array *h = NULL;
  return hed_histogram(x[VECTOR], &(hed_histogram_options){ .bins = 7, .use_range = true, .low = -6, .high = 5 }, &h, NULL) == HED_OK
           ? h : NULL;
}
static hed_array *weighed_bins(hed_array *const *x)
{
  const hed_array *weights = hed_multiply_scalar(x[VECTOR], 0.1);
  const hed_histogram_options o = { .bins = 7, .use_range = true, .low = -6, .high = 5, .weights = weights };
  hed_array *h = NULL;
  return hed_histogram(x[VECTOR], &o, &h, NULL) == HED_OK ? h : NULL;
}
JOB(weighed, hed_bincount(hed_abs(x[VECTOR]), hed_multiply_scalar(x[VECTOR], 0.1), 12))
JOB(scattered, hed_scatter_nd(hed_reshape(x[INDEX], HED_SHAPE(COLUMNS, 1)), x[T], HED_SHAPE(ROWS, ROWS)))
JOB(normals, hed_random_normal(HED_SHAPE(ROWS, COLUMNS), hed_array_dtype(x[A]), NULL))
JOB(uniforms, hed_random_uniform(HED_SHAPE(ROWS, COLUMNS), hed_array_dtype(x[A]), NULL))

static const struct {
  const char *name;
  job_fn fn;
  const char *domain;
  double units;                /* by which results may differ, of the largest one */
} jobs[] = {
#define EXACT(name, domain) { #name, name, domain, 0 }
#define NEARLY(name, domain) { #name, name, domain, 4 }
#define ROUGHLY(name, domain) { #name, name, domain, 64 }
  EXACT(add, "bifc"), EXACT(add_transposed, "bifc"), EXACT(scale, "ifc"), EXACT(compare, "bif"), EXACT(choose, "bifc"),
  EXACT(convert, "bif"), EXACT(real_part, "bifc"), EXACT(imaginary_part, "bifc"), EXACT(vectors, "ifc"),
  EXACT(join, "bifc"), EXACT(lower, "bifc"), EXACT(upper, "bifc"),
  NEARLY(sum, "bifc"), NEARLY(sum_rows, "bifc"), NEARLY(sum_columns, "bifc"), NEARLY(sum_transposed, "bifc"),
  NEARLY(sum_long, "bifc"), EXACT(largest, "bif"), EXACT(place, "bif"), EXACT(place_long, "bif"), EXACT(scale_long, "ifc"),
  EXACT(choose_long, "if"), EXACT(convert_long, "if"), EXACT(place_nan, "f"), NEARLY(spread_long, "f"), NEARLY(deviation, "bifc"),
  NEARLY(mean, "bifc"), EXACT(some, "bifc"), NEARLY(norm, "fc"), NEARLY(product, "bifc"), NEARLY(running, "bifc"),
  NEARLY(running_columns, "bifc"), NEARLY(running_long, "bifc"), EXACT(running_most, "bif"), EXACT(take, "bifc"),
  EXACT(take_rows, "bifc"), EXACT(along, "bif"), EXACT(ordered, "bif"), EXACT(ordered_columns, "bif"),
  EXACT(ordered_long, "bif"), EXACT(order, "bif"), NEARLY(middle, "bif"), EXACT(parted, "bif"), NEARLY(softened, "f"),
  NEARLY(softened_columns, "f"), NEARLY(multiplied, "bifc"), NEARLY(multiplied_transposed, "bifc"), EXACT(normals, "f"),
  EXACT(found, "bifc"), EXACT(kept, "bifc"), EXACT(kept_rows, "bifc"), EXACT(repeated, "bifc"), EXACT(searched, "if"),
  NEARLY(smoothed, "f"), NEARLY(smoothed_rows, "f"), EXACT(dilated, "bif"), EXACT(eroded, "bif"),
  EXACT(scattered, "bifc"), EXACT(counted, "i"), EXACT(in_bins, "if"),
  EXACT(weighed, "i"), EXACT(weighed_bins, "if"),
  EXACT(uniforms, "f"), EXACT(categories, "if"), EXACT(shares, "f"), EXACT(orthonormal, "fc"),
  EXACT(middles, "bif"), EXACT(middles_wrapped, "if"), NEARLY(convolved, "bifc"), NEARLY(turned, "if"),
  NEARLY(turned_linear, "if"), NEARLY(sampled, "if"), NEARLY(coefficients, "f"), ROUGHLY(spectrum, "fc"),
  ROUGHLY(spectrum_columns, "fc"), ROUGHLY(spectrum_long, "fc"), ROUGHLY(spectrum_real, "f"), ROUGHLY(spectrum_back, "c"),
  ROUGHLY(spectrum_even, "f"), EXACT(crossed, "f"), ROUGHLY(matched, "f"), ROUGHLY(matched_masked, "f"), EXACT(best, "f"),
  EXACT(packed, "bi"), EXACT(unpacked, "bi"), EXACT(distances, "bi"), EXACT(majority, "bi"), EXACT(majority_even, "bi"),
  NEARLY(phases, "f"), NEARLY(phases_rate, "f"), NEARLY(ascending, "if"), NEARLY(falling, "if"), ROUGHLY(unitary, "fc"),
};
enum { JOBS = sizeof jobs / sizeof *jobs };

/* ---- operands ---- */

/* Small numbers, so that half-precision sums of them stay near those of another order. */
static hed_array *matrix(uint64_t seed, hed_dtype t, hed_shape shape)
{
  gen g;
  int64_t n = elements_of(shape);
  double *v = malloc((size_t)n * sizeof *v);
  gen_seed(&g, seed);
  for (int64_t k = 0; k < n; k++)
    v[k] = (double)gen_int(&g, -8, 8);
  hed_array *wide = hed_from_host(v, shape, HED_FLOAT64), *x = hed_astype(wide, t);
  hed_release(wide);
  free(v);
  return x;
}

static hed_array *indices(uint64_t seed)
{
  int64_t v[COLUMNS];
  gen g;
  gen_seed(&g, seed);
  for (int k = 0; k < COLUMNS; k++)
    v[k] = gen_int(&g, -ROWS, ROWS - 1);
  return hed_from_host(v, HED_SHAPE(COLUMNS), HED_INT64);
}

/* ---- one job ---- */

typedef struct outcome {
  bool good;
  hed_dtype dtype;
  size_t bytes;
  void *data;                  /* as float64, complex128 or as they are */
  char text[200];
} outcome;

static outcome run(const char *spec, job_fn fn, hed_dtype t)
{
  outcome o = { .good = false };
  HED_BACKEND_CONTEXT(spec)
  {
    HED_SCOPE
    {
      hed_array *x[OPERANDS] = {
        [A] = matrix(1, t, HED_SHAPE(ROWS, COLUMNS)), [B] = matrix(2, t, HED_SHAPE(ROWS, COLUMNS)),
        [INDEX] = indices(3), [MASK] = matrix(4, HED_BOOL, HED_SHAPE(ROWS, COLUMNS)), [VECTOR] = matrix(5, t, HED_SHAPE(LONG)),
      };
      x[T] = hed_transpose(x[A], NULL);
      hed_array *y = fn(x);
      o.dtype = y ? hed_array_dtype(y) : NULL;
      o.bytes = y ? hed_array_nbytes(y) : 0;
      o.data = malloc(o.bytes + 1);
      o.good = y && hed_to_host(y, o.data, o.bytes) == HED_OK;
      snprintf(o.text, sizeof o.text, "%s", o.good ? "" : hed_error_text());
    }
  }
  return o;
}

static double number(hed_dtype t, const char *p)
{
  float f;
  double d;
  switch (hed_dtype_id_of(t)) {
  case HED_ID_FLOAT32: case HED_ID_COMPLEX64: memcpy(&f, p, 4); return (double)f;
  default: memcpy(&d, p, 8); return d;
  }
}

/* Within UNITS of the largest; numbers of two parts are compared part by part. */
static bool alike(const outcome *a, const outcome *b, double units)
{
  if (a->dtype != b->dtype || a->bytes != b->bytes)
    return false;
  if (memcmp(a->data, b->data, a->bytes) == 0)
    return true;
  const size_t part = a->dtype == HED_FLOAT32 || a->dtype == HED_COMPLEX64 ? 4 : 8;
  if (units == 0 || hed_dtype_kind(a->dtype) < HED_KIND_FLOAT || a->dtype == HED_FLOAT16)
    return false;
  double most = 0, apart = 0;
  for (size_t k = 0; k < a->bytes; k += part) {
    const double x = number(a->dtype, (char *)a->data + k), y = number(b->dtype, (char *)b->data + k);
    most = fmax(most, fabs(x));
    apart = fmax(apart, x == y ? 0 : fabs(x - y));
  }
  const double allowed = units * most * (part == 4 ? 0x1p-24 : 0x1p-53);
  if (!(apart <= allowed))
    diag("apart by %g of %g", apart, allowed);
  return apart <= allowed;
}

/* What a kernel finds wrong is said when somebody waits, in the words of the host. */
static void check_late_error(void)
{
  HED_BACKEND_CONTEXT("opencl;fallback=error") {
    HED_SCOPE {
      float m[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, INFINITY, 11, 12 };
      hed_array *u = hed_polar_unitary(hed_from_host(m, HED_SHAPE(3, 2, 2), HED_FLOAT32));
      const hed_status status = u ? hed_to_host(u, m, sizeof m) : HED_OK;
      ok((status == HED_E_INVAL || status == HED_E_ASYNC) &&
           strstr(hed_error_text(), "polar_unitary: row 0, column 1 of matrix 2 of the batch is not finite"),
         "matrices with an infinity: %d, %s", status, hed_error_text());
    }
    hed_array *x = hed_from_host((float[]){ 1, 2, 3, NAN }, HED_SHAPE(2, 2), HED_FLOAT32);
    hed_array *y = hed_random_categorical(x, 3, HED_INT32, NULL), *z = y ? hed_negative(y) : NULL;
    int32_t v[6];
    const hed_status status = z ? hed_to_host(z, v, sizeof v) : HED_OK; /* found when z is waited for, or before */
    ok(status == HED_E_INVAL || status == HED_E_ASYNC, "a row of weights with NaN: %d", status);
    ok(strstr(hed_error_text(), "random_categorical: row 1 is not usable"), "%s", hed_error_text());
    RELEASE(x, y, z);
  }
}

/* Is job J among those asked for? All are, where none is named. */
static bool wanted(int argc, char **argv, size_t j)
{
  bool yes = argc < 2;
  for (int k = 1; k < argc; k++)
    yes |= strcmp(argv[k], jobs[j].name) == 0;
  return yes;
}

/* Arguments are names of jobs: only these. */
int main(int argc, char **argv)
{
  static const char letter[] = {
    [HED_KIND_BOOL] = 'b', [HED_KIND_UINT] = 'i', [HED_KIND_INT] = 'i', [HED_KIND_FLOAT] = 'f', [HED_KIND_COMPLEX] = 'c',
  };
  if (hed_backend_require("opencl") != HED_OK) {
    skip(1, "%s", hed_error_text());
    done_testing();
    return done();
  }
  const hed_dtype types[] = { HED_FLOAT32, HED_INT32, HED_BOOL, HED_FLOAT16, HED_FLOAT64, HED_COMPLEX64 };
  const size_t most = full_run() ? sizeof types / sizeof *types : 1;
  for (size_t j = 0; j < JOBS; j++)
    for (size_t k = 0, n = 0; k < sizeof types / sizeof *types && n < most && wanted(argc, argv, j); k++) {
      if (!strchr(jobs[j].domain, letter[hed_dtype_kind(types[k])]) || !hed_device_supports("opencl", hed_dtype_name(types[k])))
        continue;
      n++;
      outcome want = run("reference;seed=7", jobs[j].fn, types[k]), got = run("opencl;fallback=error;seed=7", jobs[j].fn, types[k]);
      ok(want.good && got.good && alike(&want, &got, jobs[j].units), "%s of %s%s%s", jobs[j].name, hed_dtype_name(types[k]),
         got.good ? "" : ": ", got.text);
      free(want.data);
      free(got.data);
    }
  if (argc < 2)
    check_late_error();
  done_testing();
  return done();
}
