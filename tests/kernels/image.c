// SPDX-License-Identifier: BSD-3-Clause
/* Families window, median, spline and sample on an OpenCL device, against the reference backend's kernels. */
#include "launch.h"
#include "run.h"

#include "backends/device/kernels/args_columns.h"
#include "backends/device/kernels/args_match.h"
#include "backends/device/kernels/args_window.h"
#include "base/dtype.h"

#include <math.h>

static gen g;

static u64 bits(double x)
{
  u64 b;
  memcpy(&b, &x, 8);
  return b;
}

static hed_view view_of(int dtype, void *data, int ndim, const int64_t *dim)
{
  hed_view v = { .data = data, .dtype = dtype, .ndim = ndim };
  int64_t step = hed__id_size(dtype);
  for (int k = ndim - 1; k >= 0; k--) {
    v.dim[k] = dim[k];
    v.stride[k] = step;
    step *= dim[k];
  }
  return v;
}

/* The reference's result of an operation on views in C order. */
static void reference(const char *name, const hed_view *out, int n, const hed_view *a, const hed_view *b, const void *params,
                      int compute)
{
  if (launch1(name, compute, params, out, a, n > 1 ? b : NULL, NULL) != HED_OK)
    bail("%s: %s", name, host_said);
}

static bool near(const char *what, int dtype, const void *got, const void *want, int64_t n, double rel)
{
  for (int64_t i = 0; i < n; i++) {
    if (dtype == HED_ID_FLOAT32) {
      const float a = ((const float *)got)[i], b = ((const float *)want)[i];
      if (!(a == b || (a != a && b != b) || fabs((double)a - (double)b) <= rel * (1 + fabs((double)b)))) {
        diag("%s: element %d is %.9g, not %.9g", what, (int)i, (double)a, (double)b);
        return false;
      }
    } else if (memcmp((const char *)got + i * dtypes[dtype].size, (const char *)want + i * dtypes[dtype].size,
                      (size_t)dtypes[dtype].size) != 0) {
      diag("%s: element %d differs", what, (int)i);
      return false;
    }
  }
  return true;
}

enum { A = 5, B = 7, C = 70, N = A * B * C };
static const int64_t shape[3] = { A, B, C };

static void *random_elements(int dtype, int64_t n, bool with_nan)
{
  char *x = run_memory((size_t)(n * hed__id_size(dtype)));
  gen_bytes(&g, x, (size_t)(n * hed__id_size(dtype)));
  for (int64_t i = 0; i < n && dtype == HED_ID_FLOAT32; i++)
    ((float *)(void *)x)[i] = with_nan && gen_below(&g, 200) == 0 ? NAN : (float)gen_double(&g, -9, 9);
  return x;
}

static void check_lines(int dtype, int axis, int boundary)
{
  const int size = hed__id_size(dtype), taps = (int)gen_int(&g, 1, 9);
  void *x = random_elements(dtype, N, true), *out = run_memory(N * (size_t)size), *want = malloc(N * (size_t)size);
  const hed_view in = view_of(dtype, x, 3, shape), to = view_of(dtype, want, 3, shape);
  run_program *p = run_build("window", dtype, NULL);
  /* x is the last axis, z the first */
  hed__line_args o = { .n = { C, B, A }, .from = { 1, C, B * C }, .to = { 1, C, B * C }, .axis = 2 - axis, .boundary = boundary };
  bool fine = p != NULL;
  if (dtype == HED_ID_FLOAT32) {
    double *w = run_memory((size_t)taps * 8);
    for (int k = 0; k < taps; k++)
      w[k] = gen_double(&g, -1, 1);
    const hed_view weights = view_of(HED_ID_FLOAT64, w, 1, (int64_t[]){ taps });
    const hed_correlate_params q = { .axis = axis, .boundary = boundary, .cval = 1.5, .divisor = 3 };
    o.after = taps, o.value[0] = bits(1.5), o.divisor = bits(3);
    reference("correlate1d", &to, 2, &in, &weights, &q, dtype);
    fine = fine && RUN(p, "correlate1d", run_groups(C), B, A, &o, out, x, w) && near("correlate1d", dtype, out, want, N, 1e-6);
  }
  /* boxes: one axis after the other, as an edge of 3 does */
  for (int least = 0; least < 2; least++) {
    const char *name = least ? "minimum_filter" : "maximum_filter";
    const double cval = dtype == HED_ID_FLOAT32 ? 2.5 : 7;
    const hed_box_params q = { .size = taps, .cval = cval, .boundary = boundary };
    void *spare = run_memory(N * (size_t)size);
    o.before = taps / 2, o.after = (taps - 1) / 2;
    if (dtype == HED_ID_FLOAT32)
      memcpy(o.value, &(float){ 2.5f }, 4);
    else
      o.value[0] = 7;
    reference(name, &to, 1, &in, NULL, &q, dtype);
    o.axis = 0;
    fine = fine && RUN(p, name, run_groups(C), B, A, &o, out, x);
    o.axis = 1;
    fine = fine && RUN(p, name, run_groups(C), B, A, &o, spare, out);
    o.axis = 2;
    fine = fine && RUN(p, name, run_groups(C), B, A, &o, out, spare) && near(name, dtype, out, want, N, 0);
  }
  ok(fine, "sums and extremes of %s along axis %d, %d taps, boundary %d", hed__dtypes[dtype]->name, axis, taps, boundary);
  free(want);
  run_forget();
}

static void check_median(int dtype, int boundary, bool cpu)
{
  enum { each = HED__MEDIAN_EACH };
  const int size = hed__id_size(dtype);
  void *x = random_elements(dtype, N, true), *out = run_memory(N * (size_t)size), *want = malloc(N * (size_t)size);
  const hed_view in = view_of(dtype, x, 3, shape), to = view_of(dtype, want, 3, shape);
  run_program *p = run_build("median", dtype, cpu ? "#define DEVICE_CPU 1" : NULL);
  const hed_box_params q = { .size = 3, .cval = 2, .boundary = boundary };
  hed__box_args o = { .n = { 1, A, B, C }, .edge = { 1, 3, 3, 3 }, .boundary = boundary };
  if (dtype == HED_ID_FLOAT32)
    memcpy(o.value, &(float){ 2 }, 4);
  else
    o.value[0] = 2;
  reference("median_filter", &to, 1, &in, NULL, &q, dtype);
  ok(p && RUN(p, "median_filter", run_groups(cpu ? A * B * ((C + each - 1) / each) : N), 1, 1, &o, out, x) &&
     near("median_filter", dtype, out, want, N, 0),
     "medians of %s, boundary %d, schedule %s", hed__dtypes[dtype]->name, boundary, cpu ? "long" : "wide");
  free(want);
  run_forget();
}

static void check_convolve(int dtype)
{
  const int64_t b_dim[3] = { 2, 3, 5 };
  const int size = hed__id_size(dtype);
  void *x = random_elements(dtype, N, false), *y = random_elements(dtype, 30, false), *out = run_memory(N * (size_t)size);
  void *want = malloc(N * (size_t)size);
  const hed_view in = view_of(dtype, x, 3, shape), other = view_of(dtype, y, 3, b_dim), to = view_of(dtype, want, 3, shape);
  const hed_convolve_params q = { .start = { 1, 0, 3 } };
  run_program *p = run_build("window", dtype, NULL);
  hed__convolve_args o = { .n = { A, B, C }, .a = { A, B, C }, .b = { 2, 3, 5 }, .start = { 1, 0, 3 } };
  reference("convolve_direct", &to, 2, &in, &other, &q, dtype);
  ok(p && RUN(p, "convolve_direct", run_groups(C), B, A, &o, out, x, y) && near("convolve", dtype, out, want, N, 1e-5),
     "convolution of %s", hed__dtypes[dtype]->name);
  free(want);
  run_forget();
}

static void check_spline(int boundary)
{
  double *x = run_memory(N * 8), *want = malloc(N * 8);
  for (int i = 0; i < N; i++)
    x[i] = gen_double(&g, -9, 9);
  const hed_view in = view_of(HED_ID_FLOAT64, x, 3, shape), to = view_of(HED_ID_FLOAT64, want, 3, shape);
  const hed_spline_params q = { .axes = 2, .boundary = boundary };
  run_program *p = run_build("spline", HED_ID_FLOAT64, NULL);
  hed__spline_args o = { .n = { A, B, C }, .boundary = boundary };
  reference("spline_filter", &to, 1, &in, NULL, &q, HED_ID_FLOAT64);
  ok(p && RUN(p, "spline_filter", run_groups(A * C), 1, 1, &o, x) && near("spline_filter", HED_ID_FLOAT64, x, want, N, 0),
     "spline coefficients, boundary %d, bit for bit", boundary);
  free(want);
  run_forget();
}

static void check_sample(int order, int boundary)
{
  enum { POINTS = 500 };
  const int64_t to_shape[3] = { 6, 5, 20 };
  double *x = run_memory(N * 8), *points = run_memory(3 * POINTS * 8);
  float *out = run_memory(600 * 4), want[600], *value = malloc(POINTS * 4);
  hed_affine_params q = { .ndim = 3, .order = order, .boundary = boundary, .cval = 0.5 };
  const hed_spline_params r = { .order = order, .boundary = boundary, .cval = 0.5 };
  hed__sample_args o = { .batch = 1, .ndim = 3, .points = POINTS, .from = { A, B, C }, .to = { 6, 5, 20 }, .order = order,
                         .boundary = boundary, .cval = bits(0.5) };
  for (int i = 0; i < N; i++)
    x[i] = gen_double(&g, -9, 9);
  for (int i = 0; i < 3 * POINTS; i++)
    points[i] = gen_double(&g, -2, 12);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 4; k++) {
      q.matrix[i][k] = gen_double(&g, -1, 1) + (i == k ? 1 : 0);
      o.matrix[i][k] = bits(q.matrix[i][k]);
    }
  const hed_view in = view_of(HED_ID_FLOAT64, x, 3, shape), to = view_of(HED_ID_FLOAT32, want, 3, to_shape);
  const hed_view at = view_of(HED_ID_FLOAT64, points, 2, (int64_t[]){ 3, POINTS });
  const hed_view values = view_of(HED_ID_FLOAT32, value, 1, (int64_t[]){ POINTS });
  run_program *p = run_build("sample", HED_ID_FLOAT32, NULL);
  reference("affine_transform", &to, 1, &in, NULL, &q, HED_ID_FLOAT32);
  bool fine = p && RUN(p, "affine_transform", run_groups(600), 1, 1, &o, out, x) &&
              near("affine_transform", HED_ID_FLOAT32, out, want, 600, 1e-6);
  reference("map_coordinates", &values, 2, &in, &at, &r, HED_ID_FLOAT32);
  fine = fine && RUN(p, "map_coordinates", run_groups(POINTS), 1, 1, &o, out, x, points) &&
         near("map_coordinates", HED_ID_FLOAT32, out, value, POINTS, 1e-6);
  ok(fine, "splines of order %d, boundary %d", order, boundary);
  free(value);
  run_forget();
}

/* Transforms of columns against sums in double: forward, back, and multiplied by two spectra in between. */
static void check_columns(int length)
{
  enum { COUNT = 2, COLUMNS = 11, MOST = 128 };
  const int64_t rows = length - length / 3, n = COUNT * COLUMNS * length;
  hed__columns_args o = { .columns = COLUMNS, .rows = rows, .from = { length * COLUMNS, COLUMNS, 1 },
                          .to = { length * COLUMNS, COLUMNS, 1 }, .spectrum = { COLUMNS, 1 }, .other = n };
  char define[80];
  static const int factors[] = { 4, 2, 3, 5, 7 };
  for (int k = 0, rest = length; k < 5; k++)
    for (; rest % factors[k] == 0; rest /= factors[k])
      o.factor[o.factors++] = factors[k];
  snprintf(define, sizeof define, "#define HED_LENGTH %d\n#define HED_COLUMNS 8", length);
  run_program *p = run_build("columns", HED_ID_COMPLEX64, define);
  float *x = random_elements(HED_ID_FLOAT32, 2 * n, false), *out = run_memory((size_t)n * 16), *table = run_memory((size_t)length * 8);
  float *spectrum[2] = { random_elements(HED_ID_FLOAT32, 2 * COLUMNS * length, false),
                         random_elements(HED_ID_FLOAT32, 2 * COLUMNS * length, false) };
  const double turn = 6.283185307179586477 / length;
  for (int k = 0; k < length; k++) {
    table[2 * k] = (float)cos(turn * k);
    table[2 * k + 1] = (float)-sin(turn * k);
  }
  for (int form = 0; form < 4; form++) { /* forward, inverse, the first spectrum, the second */
    o.inverse = form == 1;
    bool fine = p != NULL;
    if (form < 2)
      fine = fine && RUN(p, "columns_transform", 2, COUNT, 1, &o, out, x, table);
    else if (form == 2)
      fine = fine && RUN(p, "columns_multiply", 2, COUNT, 1, &o, out, x, table, spectrum[0], spectrum[1]);
    for (int64_t a = 0; a < COUNT && fine; a++)
      for (int64_t c = 0; c < COLUMNS && fine; c++) {
        double re[MOST], im[MOST], back_re, back_im;
        for (int q = 0; q < length; q++) {
          re[q] = im[q] = 0;
          for (int64_t r = 0; r < rows; r++) {
            const float *v = x + 2 * ((a * length + r) * COLUMNS + c);
            const double w = (o.inverse ? turn : -turn) * (double)(q * r % length);
            re[q] += (double)v[0] * cos(w) - (double)v[1] * sin(w);
            im[q] += (double)v[0] * sin(w) + (double)v[1] * cos(w);
          }
          if (form >= 2) {
            const float *s = spectrum[form - 2] + 2 * (q * COLUMNS + c);
            const double u = re[q] * (double)s[0] - im[q] * (double)s[1];
            im[q] = re[q] * (double)s[1] + im[q] * (double)s[0];
            re[q] = u;
          }
        }
        for (int q = 0; q < length && fine; q++) {
          const float *got = out + 2 * ((form == 3 ? n : 0) + (a * length + q) * COLUMNS + c);
          back_re = re[q], back_im = im[q];
          if (form >= 2) {
            back_re = back_im = 0;
            for (int r = 0; r < length; r++) {
              const double w = turn * (double)(q * r % length);
              back_re += re[r] * cos(w) - im[r] * sin(w);
              back_im += re[r] * sin(w) + im[r] * cos(w);
            }
          }
          const double bound = form < 2 ? 1e-3 : 1e-2 * length;
          fine = fabs((double)got[0] - back_re) < bound && fabs((double)got[1] - back_im) < bound;
          if (!fine)
            diag("form %d: %g %g, not %g %g", form, (double)got[0], (double)got[1], back_re, back_im);
        }
      }
    ok(fine, "columns of %d, form %d", length, form);
  }
  run_forget();
}

/* The steps of a search between its transforms. */
static void check_match(void)
{
  enum { BATCH = 3, VOLUME = 3 * 4 * 5, SMALL = 2 * 2 * 3, HALF = 3 * 4 * 3 };
  run_program *p = run_build("match", HED_ID_COMPLEX64, NULL);
  float *x = random_elements(HED_ID_FLOAT32, BATCH * SMALL, false), *padded = run_memory(BATCH * VOLUME * 4);
  const hed__pad_args pad = { .batch = BATCH, .n = { 3, 4, 5 }, .small = { 2, 2, 3 } };
  bool fine = p && RUN(p, "match_pad", run_groups(BATCH * VOLUME), 1, 1, &pad, padded, x);
  for (int i = 0; i < BATCH * VOLUME && fine; i++) {
    const int u = i % VOLUME / 20, v = i % 20 / 5, w = i % 5;
    fine = padded[i] == (u < 2 && v < 2 && w < 3 ? x[((i / VOLUME * 2 + u) * 2 + v) * 3 + w] : 0);
  }
  ok(fine, "templates are put into corners");

  float *half = random_elements(HED_ID_FLOAT32, 2 * BATCH * HALF, false), *other = run_memory(2 * BATCH * HALF * 4);
  float *first = random_elements(HED_ID_FLOAT32, 2 * HALF, false), *second = random_elements(HED_ID_FLOAT32, 2 * HALF, false);
  float was[2 * BATCH * HALF];
  const hed__multiply_args multiply = { .batch = BATCH, .n = HALF, .two = 1 };
  memcpy(was, half, sizeof was);
  fine = p && RUN(p, "match_multiply", run_groups(BATCH * HALF), 1, 1, &multiply, half, other, first, second);
  for (int i = 0; i < BATCH * HALF && fine; i++) {
    const float *a = was + 2 * i, *b = first + 2 * (i % HALF), *c = second + 2 * (i % HALF);
    fine = half[2 * i] == a[0] * b[0] - a[1] * b[1] && half[2 * i + 1] == a[0] * b[1] + a[1] * b[0] &&
           other[2 * i] == a[0] * c[0] - a[1] * c[1] && other[2 * i + 1] == a[0] * c[1] + a[1] * c[0];
  }
  ok(fine, "transforms are multiplied by both spectra");

  float *scores = random_elements(HED_ID_FLOAT32, BATCH * VOLUME, false);
  float *sums = random_elements(HED_ID_FLOAT32, BATCH * VOLUME, false);
  float *squares = random_elements(HED_ID_FLOAT32, BATCH * VOLUME, false), *best = random_elements(HED_ID_FLOAT32, VOLUME, false);
  float want[VOLUME], counts[BATCH] = { 4, 5, 6 }, *n_obs = run_memory(sizeof counts);
  int32_t *from = run_memory(VOLUME * 4), *index = run_memory(BATCH * 4), where[VOLUME];
  memcpy(n_obs, counts, sizeof counts);
  for (int i = 0; i < BATCH * VOLUME; i++) {
    scores[i] = rintf(scores[i]); /* so that some are equal */
    squares[i] = sums[i] * sums[i] / 2 + 9;
  }
  for (int i = 0; i < BATCH; i++)
    index[i] = 9 - i;
  for (int i = 0; i < VOLUME; i++) {
    best[i] = want[i] = 0.25f * rintf(best[i]);
    from[i] = where[i] = 5;
    for (int b = 0; b < BATCH; b++) {
      const float n = counts[b], mean = sums[b * VOLUME + i] / n, variance = squares[b * VOLUME + i] / n - mean * mean;
      const float sigma = sqrtf(variance > 0 ? variance : 0), score = sigma < 0.1f ? 0 : scores[b * VOLUME + i] / (sigma * n);
      if (score > want[i] || (score == want[i] && index[b] < where[i])) {
        want[i] = score;
        where[i] = index[b];
      }
    }
  }
  const hed__score_args score = { .batch = BATCH, .n = VOLUME, .indices = 1, .eps = bits(0.1), .normalise = 1, .counts = 1 };
  fine = p && RUN(p, "match_score", run_groups(VOLUME), 1, 1, &score, best, from, scores, sums, squares, index, n_obs);
  ok(fine && memcmp(best, want, sizeof want) == 0 && memcmp(from, where, sizeof where) == 0, "scores compete for the maximum");
  run_forget();
}

int main(void)
{
  const char *missing = run_open();
  if (missing)
    skip_all("%s", missing);
  gen_seed(&g, tap_seed());
  for (int boundary = HED_BOUNDARY_REFLECT; boundary < HED_BOUNDARY_COUNT_; boundary++) {
    if (!thorough(boundary))
      continue;
    check_lines(HED_ID_FLOAT32, boundary % 3, boundary);
    check_lines(HED_ID_INT16, boundary % 3, boundary);
    check_lines(HED_ID_UINT8, boundary % 3, boundary);
    for (int cpu = 0; cpu < 2; cpu++) {
      check_median(HED_ID_FLOAT32, boundary, cpu);
      check_median(HED_ID_INT16, boundary, cpu);
    }
    check_spline(boundary);
    check_sample(0, boundary);
    check_sample(1, boundary);
    check_sample(3, boundary);
  }
  check_match();
  check_columns(8);
  check_columns(60);
  check_columns(98);
  check_columns(128);
  check_convolve(HED_ID_FLOAT32);
  check_convolve(HED_ID_INT16);
  done_testing();
  return done();
}
