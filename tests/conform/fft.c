// SPDX-License-Identifier: BSD-3-Clause
/* Conformance of the Fourier family: every transform, shift and grid on every usable backend against the reference
 * backend, through the public interface.
 *
 * A case draws its input from a generator and returns one array. It runs twice from the same seed, once on each backend;
 * the largest difference must stay below the case's tolerance, 0 where elements are only moved.
 */
#include "gen.h"
#include "narrow.h"
#include "tap.h"

#include <float.h>
#include <heddle.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct trial {
  gen g;
  double tolerance;
} trial;

typedef hed_array *case_fn(trial *t);

static hed_dtype draw_real(trial *t)
{
  const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_FLOAT16, HED_BFLOAT16, HED_INT16, HED_BOOL };
  return types[gen_below(&t->g, 6)];
}

static hed_dtype draw_any(trial *t)
{
  return gen_chance(&t->g, 40) ? draw_real(t) : gen_chance(&t->g, 50) ? HED_COMPLEX64 : HED_COMPLEX128;
}

static double precision(hed_dtype t)
{
  t = held(t);
  return t == HED_FLOAT64 || t == HED_COMPLEX128 ? DBL_EPSILON : (double)FLT_EPSILON;
}

/* Elements in [-1, 1), or small integers, as they are, transposed, or with negative strides. */
static hed_array *input(trial *t, hed_shape s, hed_dtype dtype)
{
  int layout = (int)gen_below(&t->g, 3);
  bool number = hed_dtype_kind(dtype) == HED_KIND_FLOAT || hed_dtype_kind(dtype) == HED_KIND_COMPLEX;
  hed_random opt = { .seed = gen_u64(&t->g), .seeded = true, .low = number ? -1 : -9, .high = number ? 1 : 9 };
  hed_axes last = { .n = 0 };
  hed_shape made = s;
  if (layout == 1)
    for (int k = 0; k < s.ndim; k++)
      made.dim[k] = s.dim[s.ndim - 1 - k];
  hed_shape twice = made;
  if (hed_dtype_kind(dtype) == HED_KIND_COMPLEX)
    twice.dim[twice.ndim++] = 2;
  hed_array *x = hed_random_uniform(twice, held(HED_FLOAT64), &opt);
  if (hed_dtype_kind(dtype) == HED_KIND_COMPLEX) {
    hed_array *re = hed_index(x, -1, 0), *im = hed_index(x, -1, 1);
    x = hed_add(re, hed_multiply(im, hed_scalar_complex(0, 1)));
  }
  x = hed_copy(hed_astype(x, held(dtype)));
  return layout == 1 ? hed_transpose(x, NULL) : layout == 2 ? hed_flip(x, &last) : x;
}

static hed_shape draw_shape(trial *t, int least, int most)
{
  static const int64_t extents[] = { 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 16, 23, 30 };
  hed_shape s = { .ndim = (int32_t)gen_int(&t->g, least, most) };
  for (int k = 0; k < s.ndim; k++)
    s.dim[k] = extents[gen_below(&t->g, s.ndim > 2 ? 9 : 14)];
  return s;
}

typedef hed_array *fft_fn(const hed_array *, const hed_fft *);

static hed_array *case_transform(trial *t)
{
  static fft_fn *const fn[18] = { hed_fft1, hed_ifft1, hed_rfft1, hed_irfft1, hed_hfft1, hed_ihfft1,
                                  hed_fft2, hed_ifft2, hed_rfft2, hed_irfft2, hed_hfft2, hed_ihfft2,
                                  hed_fftn, hed_ifftn, hed_rfftn, hed_irfftn, hed_hfftn, hed_ihfftn };
  int which = (int)gen_below(&t->g, 18), kind = which % 6, rank = which / 6 + 1;
  hed_shape s = draw_shape(t, rank, 3);
  hed_fft opt = { .norm = (int32_t)gen_below(&t->g, 3) };
  int order[HED_MAX_NDIM], n = rank == 3 ? (int)gen_int(&t->g, 1, s.ndim) : rank;
  gen_permutation(&t->g, s.ndim, order);
  for (int k = 0; k < n; k++)
    opt.axes.axis[opt.axes.n++] = order[k];
  double total = 1;
  bool to_real = kind == 3 || kind == 4;
  for (int k = 0; k < n; k++) { /* extents of the transform, cropped and padded at times */
    int64_t extent = to_real && k == n - 1 ? 2 * s.dim[order[k]] - 1 : s.dim[order[k]];
    opt.s.dim[opt.s.ndim++] = gen_chance(&t->g, 25) ? gen_int(&t->g, 1, 20) : extent;
    total *= (double)opt.s.dim[k];
  }
  hed_dtype type = kind == 2 || kind == 5 ? draw_real(t) : draw_any(t);
  bool inverse = kind % 2 == 1; /* ifft, irfft, ihfft carry the factor */
  double scale = opt.norm == 1 ? 1 / sqrt(total) : (opt.norm == 0) == inverse ? 1 / total : 1;
  double size = type == HED_INT16 ? 9 : 1;
  t->tolerance = 2 * size * precision(type) * (2 + log2(total)) * sqrt(total) * scale;
  return fn[which](input(t, s, type), &opt);
}

static hed_array *case_shift(trial *t)
{
  hed_shape s = draw_shape(t, 1, 3);
  hed_array *x = input(t, s, draw_any(t));
  hed_axes axes = { .n = (int32_t)gen_below(&t->g, 2), .axis = { -1 } };
  t->tolerance = 0;
  switch (gen_below(&t->g, 3)) {
  case 0: return hed_fftshift(x, &axes);
  case 1: return hed_ifftshift(x, &axes);
  default: return hed_shift_fourier(x, axes.n);
  }
}

static hed_array *case_grid(trial *t)
{
  const hed_dtype types[] = { HED_FLOAT16, HED_BFLOAT16, HED_FLOAT32, held(HED_FLOAT64) };
  hed_dtype type = types[gen_below(&t->g, 4)];
  const double rate[] = { 2, 1.7, 3 };
  hed_freq opt = { .sampling_rate = gen_chance(&t->g, 50) ? rate : NULL };
  hed_array *axes[3] = { NULL, NULL, NULL };
  t->tolerance = 0;
  switch (gen_below(&t->g, 4)) {
  case 0: return hed_fftfreq(gen_int(&t->g, 1, 40), gen_double(&t->g, 0.1, 3), type);
  case 1: return hed_rfftfreq(gen_int(&t->g, 1, 40), gen_double(&t->g, 0.1, 3), type);
  case 2:
    opt.euclidean = gen_chance(&t->g, 50);
    return hed_fftfreqn(draw_shape(t, 1, 3), &opt, type);
  default: return hed_fftfreqn_sparse(draw_shape(t, 2, 2), &opt, type, axes) == HED_OK ? hed_add(axes[0], axes[1]) : NULL;
  }
}

static hed_array *case_hilbert(trial *t)
{
  hed_shape s = draw_shape(t, 1, 3);
  hed_dtype type = draw_real(t);
  hed_fft opt = { .axes = HED_AXES((int32_t)gen_int(&t->g, -s.ndim, s.ndim - 1)) };
  t->tolerance = 200 * precision(type);
  return hed_hilbert(input(t, s, type), &opt);
}

static hed_array *case_convolve(trial *t)
{
  static hed_array *(*const fn[])(const hed_array *, const hed_array *, int32_t) = {
    hed_convolve, hed_correlate, hed_convolve_direct, hed_fftconvolve, hed_fftcorrelate, hed_convolve2d, hed_correlate2d };
  int which = (int)gen_below(&t->g, 7), ndim = which > 4 ? 2 : (int)gen_int(&t->g, 1, 3);
  int mode = (int)gen_below(&t->g, 2);
  hed_shape a = draw_shape(t, ndim, ndim), b = draw_shape(t, ndim, ndim);
  hed_dtype type = draw_any(t);
  while ((which == 3 || which == 4) && (type == HED_INT16 || type == HED_BOOL))
    type = draw_any(t);
  double n = 1;
  for (int k = 0; k < ndim; k++)
    n *= (double)b.dim[k];
  t->tolerance = type == HED_INT16 || type == HED_BOOL ? 0 :
                 40 * sqrt(n) * (type == HED_FLOAT16 || type == HED_BFLOAT16 ? 0.008 : precision(type));
  return fn[which](input(t, a, type), input(t, b, type), mode);
}

static hed_array *case_circular(trial *t)
{
  hed_shape a = draw_shape(t, 1, 3), b = { .ndim = 1, .dim = { a.dim[a.ndim - 1] } };
  hed_dtype type = draw_any(t);
  bool first = gen_chance(&t->g, 50);
  t->tolerance = 300 * (type == HED_FLOAT16 || type == HED_BFLOAT16 ? 0.008 : (type == HED_INT16 ? 30 : 1) * precision(type));
  hed_array *x = input(t, a, type), *y = input(t, b, type);
  return first ? hed_circular_convolve(x, y) : hed_circular_correlate(x, y);
}

static hed_array *case_crop(trial *t)
{
  hed_array *x = input(t, HED_SHAPE(12, 10), draw_any(t));
  t->tolerance = 0;
  return hed_apply_convolution_mode(x, (int)gen_below(&t->g, 3), HED_SHAPE(7, 6), HED_SHAPE(4, 3), NULL, gen_chance(&t->g, 50));
}

static hed_array *case_phases(trial *t)
{
  hed_random opt = { .seed = 5, .seeded = true };
  hed_dtype type = gen_chance(&t->g, 50) ? HED_FLOAT32 : HED_FLOAT64;
  t->tolerance = 500 * precision(type);
  return hed_scramble_phases(input(t, HED_SHAPE(9, 12), type), 0.7, &opt);
}

static hed_array *case_peaks(trial *t)
{
  const double at[4] = { 2, 3, 5, 6 };
  hed_array *x = input(t, HED_SHAPE(9, 12), HED_FLOAT32), *p = hed_from_host(at, HED_SHAPE(2, 2), HED_FLOAT64);
  t->tolerance = 1e-12;
  return hed_oversample_peaks(x, p, gen_int(&t->g, 1, 9));
}

/* ---- running ---- */

typedef struct outcome {
  hed_dtype dtype;
  hed_shape shape;
  int64_t n; /* -1: failed */
  double *values;
} outcome;

static outcome run(case_fn *fn, const char *spec, uint64_t seed, double *tolerance)
{
  outcome o = { .n = -1 };
  trial t = { .tolerance = 0 };
  gen_seed(&t.g, seed);
  hed_error_clear();
  HED_BACKEND_CONTEXT(spec)
  HED_SCOPE {
    hed_array *x = fn(&t), *wide = at_home(x, HED_COMPLEX128);
    if (wide) {
      o.dtype = held(hed_array_dtype(x));
      o.shape = hed_array_shape(x);
      o.n = hed_array_size(x);
      o.values = malloc((size_t)(2 * o.n + 1) * sizeof *o.values);
      if (hed_to_host(wide, o.values, (size_t)o.n * 16) != HED_OK)
        o.n = -1;
    }
  }
  *tolerance = t.tolerance;
  return o;
}

static bool compare(case_fn *fn, const char *spec, uint64_t seed, double *share)
{
  double tolerance, worst = 0;
  outcome a = run(fn, "reference", seed, &tolerance);
  outcome b = run(fn, spec, seed, &tolerance);
  bool same = a.n >= 0 && a.n == b.n && a.dtype == b.dtype && a.shape.ndim == b.shape.ndim;
  for (int k = 0; k < a.shape.ndim && same; k++)
    same = a.shape.dim[k] == b.shape.dim[k];
  for (int64_t k = 0; k < 2 * a.n && same; k++) {
    double e = a.values[k] == b.values[k] ? 0 : fabs(a.values[k] - b.values[k]);
    worst = e <= worst ? worst : e;
  }
  bool good = same && worst <= tolerance;
  if (!good)
    diag("%s: seed %llu: difference %g of %g, %lld and %lld elements: %s", spec, (unsigned long long)seed, worst,
         tolerance, (long long)a.n, (long long)b.n, hed_error_text());
  if (tolerance > 0)
    *share = fmax(*share, worst / tolerance);
  free(a.values);
  free(b.values);
  return good;
}

int main(void)
{
  static const struct {
    const char *name;
    case_fn *fn;
    int count;
  } cases[] = { { "transforms", case_transform, 300 }, { "shifts", case_shift, 30 }, { "grids", case_grid, 30 },
                { "hilbert", case_hilbert, 30 }, { "convolution", case_convolve, 120 },
                { "circular convolution", case_circular, 40 }, { "crops", case_crop, 20 },
                { "phases", case_phases, 10 }, { "oversampled peaks", case_peaks, 10 } };
  const char *names[32];
  uint64_t seed = tap_seed();
  int n = hed_backend_list(names, 32);
  for (int b = 0; b < n && b < 32; b++) {
    if (hed_backend_require(names[b]) != HED_OK) {
      skip(1, "%s: %s", names[b], hed_error_text());
      continue;
    }
    char spec[64];
    narrow_spec(names[b], "", spec, sizeof spec);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
      int bad = 0;
      double share = 0;
      for (int k = 0; k < cases[c].count && bad < 5; k += case_step(names[b]))
        bad += !compare(cases[c].fn, spec, seed + 1000003 * (uint64_t)c + (uint64_t)k, &share);
      is_int(bad, 0, "%s: %s (%.2f of the tolerance)", names[b], cases[c].name, share);
    }
  }
  return done();
}
