// SPDX-License-Identifier: BSD-3-Clause
/* Conformance of the structured operations: Fourier transforms, matrix products, singular values, random numbers,
 * resampling and box maxima on every usable backend against the reference backend, through the public interface, over
 * dtypes, layouts, axes and options.
 *
 * A case is a function that draws its input from a generator and returns one array. It runs twice from the same seed,
 * once in a context of each backend; the largest difference must stay below the tolerance that the case states:
 * 0 where the contract is exact (random numbers, integers, maxima), else a multiple of the dtype's precision.
 */
#include "gen.h"
#include "narrow.h"
#include "tap.h"

#include <float.h>
#include <heddle.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BACKENDS = 32 };

typedef struct trial {
  gen g;
  double tolerance; /* on the absolute difference of elements */
  char what[200];   /* says the case */
} trial;

typedef hed_array *(*case_fn)(trial *t);

static double precision(hed_dtype t)
{
  t = held(t);
  return t == HED_FLOAT64 || t == HED_COMPLEX128 ? DBL_EPSILON : (double)FLT_EPSILON;
}

static bool is_real_float(hed_dtype t) { return t == HED_FLOAT32 || t == HED_FLOAT64; }

static void say(trial *t, const char *format, ...)
{
  size_t used = strlen(t->what);
  va_list args;
  va_start(args, format);
  vsnprintf(t->what + used, sizeof t->what - used, format, args);
  va_end(args);
}

static void say_shape(trial *t, hed_shape s)
{
  for (int k = 0; k < s.ndim; k++)
    say(t, "%s%d", k ? "x" : " ", (int)s.dim[k]);
}

/* ---- input ---- */

/* Elements in [-1, 1) (integers: -100 .. 99) in C order. */
static hed_array *dense(trial *t, hed_shape shape, hed_dtype dtype)
{
  int64_t n = 1;
  bool number = hed_dtype_kind(dtype) == HED_KIND_FLOAT || hed_dtype_kind(dtype) == HED_KIND_COMPLEX;
  for (int k = 0; k < shape.ndim; k++)
    n *= shape.dim[k];
  double *values = malloc((size_t)(2 * n + 1) * sizeof *values);
  for (int64_t k = 0; k < 2 * n; k++)
    values[k] = number ? gen_double(&t->g, -1, 1) : (double)gen_int(&t->g, -100, 99);
  bool two = hed_dtype_kind(dtype) == HED_KIND_COMPLEX;
  hed_array *wide = hed_from_host(values, shape, two ? HED_COMPLEX128 : HED_FLOAT64);
  hed_array *x = hed_astype(wide, held(dtype));
  free(values);
  return x;
}

/* The same with one of several layouts. Arrays are released by the scope of the case. */
static hed_array *input(trial *t, hed_shape shape, hed_dtype dtype)
{
  hed_shape s = shape;
  hed_slice_range range[HED_MAX_NDIM];
  hed_axes order = { .n = shape.ndim };
  int permuted[HED_MAX_NDIM];
  int layout = shape.ndim ? (int)gen_below(&t->g, 4) : 0;
  switch (layout) {
  case 1: /* other axis order */
    say(t, ", permuted");
    gen_permutation(&t->g, shape.ndim, permuted);
    for (int k = 0; k < shape.ndim; k++) {
      s.dim[permuted[k]] = shape.dim[k];
      order.axis[k] = permuted[k];
    }
    return hed_transpose(dense(t, s, dtype), &order);
  case 2: /* a part of something larger */
    say(t, ", sliced");
    for (int k = 0; k < shape.ndim; k++) {
      int64_t step = gen_int(&t->g, 1, 2), margin = gen_int(&t->g, 0, 2);
      s.dim[k] = shape.dim[k] * step + margin;
      range[k] = HED_RANGE(margin, HED_SLICE_END, step);
    }
    return hed_slice(dense(t, s, dtype), shape.ndim, range);
  case 3:
    say(t, ", flipped");
    return hed_flip(dense(t, shape, dtype), NULL);
  default:
    return dense(t, shape, dtype);
  }
}

static hed_shape shape_of(trial *t, int min_ndim, int max_ndim, const int64_t *extents, int n, int64_t most)
{
  hed_shape s = { .ndim = (int32_t)gen_int(&t->g, min_ndim, max_ndim) };
  int64_t total = 1;
  for (int k = 0; k < s.ndim; k++) {
    s.dim[k] = extents[gen_below(&t->g, (uint64_t)n)];
    if (total * s.dim[k] > most)
      s.dim[k] = gen_int(&t->g, 1, 3);
    total *= s.dim[k];
  }
  return s;
}

/* ---- cases ---- */

static hed_array *case_fft(trial *t)
{
  static const int64_t extents[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 15, 16, 17, 30, 32, 37, 64, 97, 100, 128, 360 };
  hed_dtype real[] = { HED_FLOAT32, HED_FLOAT64 }, cplx[] = { HED_COMPLEX64, HED_COMPLEX128 };
  static const char *const names[] = { "fftn", "ifftn", "rfftn", "irfftn" };
  hed_array *(*const fn[])(const hed_array *, const hed_fft *) = { hed_fftn, hed_ifftn, hed_rfftn, hed_irfftn };
  int kind = (int)gen_below(&t->g, 4), width = (int)gen_below(&t->g, 2), order[HED_MAX_NDIM];
  hed_shape s = shape_of(t, 1, 4, extents, (int)(sizeof extents / sizeof *extents), 20000);
  hed_fft opt = { .norm = (int32_t)gen_below(&t->g, 3) };
  double total = 1, room = 200000; /* by how much padding may make it larger */
  say(t, "%s %s", names[kind], hed_dtype_name(kind == 2 ? real[width] : cplx[width]));
  say_shape(t, s);
  opt.axes.n = (int32_t)gen_int(&t->g, 0, s.ndim);
  gen_permutation(&t->g, s.ndim, order);
  for (int k = 0; k < opt.axes.n; k++)
    opt.axes.axis[k] = order[k];
  int count = opt.axes.n ? opt.axes.n : s.ndim, last = opt.axes.n ? order[count - 1] : s.ndim - 1;
  if (kind == 3 || gen_chance(&t->g, 30)) { /* cropped or padded */
    opt.s.ndim = count;
    for (int k = 0; k < s.ndim; k++)
      room /= (double)s.dim[k];
    for (int k = 0; k < count; k++) {
      const int64_t n = s.dim[opt.axes.n ? order[k] : k], other = gen_chance(&t->g, 60) ? n : gen_int(&t->g, 1, 40);
      opt.s.dim[k] = (double)other <= room * (double)n ? other : n;
      room *= (double)n / (double)opt.s.dim[k];
    }
    if (kind == 3) {
      opt.s.dim[count - 1] = 2 * (s.dim[last] - 1) + gen_int(&t->g, 0, 1);
      if (opt.s.dim[count - 1] < 1)
        opt.s.dim[count - 1] = 1;
    }
  }
  for (int k = 0; k < count; k++)
    total *= (double)(opt.s.ndim ? opt.s.dim[k] : kind == 3 && k == count - 1 ? 2 * s.dim[last] - 2 :
                      s.dim[opt.axes.n ? order[k] : k]);
  say(t, ", %d axes, norm %d", count, (int)opt.norm);
  /* elements grow as the root of the length, their rounding error also as its logarithm; irfftn counts elements twice */
  bool inverse = kind % 2 == 1;
  double scale = opt.norm == HED_NORM_ORTHO ? 1 / sqrt(total) : (opt.norm == HED_NORM_BACKWARD) == inverse ? 1 / total : 1;
  t->tolerance = precision(real[width]) * (2 + log2(total)) * sqrt(total) * scale * (kind == 3 ? 2 : 1);
  hed_array *x = input(t, s, kind == 2 ? real[width] : cplx[width]), *y = fn[kind](x, &opt);
  if (y && kind == 0 && gen_chance(&t->g, 50)) { /* into a view of any layout */
    hed_array *out = input(t, hed_array_shape(y), hed_array_dtype(y));
    return hed_fftn_into(out, x, &opt) == HED_OK ? out : NULL;
  }
  return y;
}

static hed_array *case_matmul(trial *t)
{
  hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_COMPLEX64, HED_COMPLEX128, HED_INT32, HED_UINT8, HED_INT64, HED_BOOL };
  hed_dtype dtype = types[gen_below(&t->g, 8)];
  bool big = gen_chance(&t->g, 20);
  int64_t m = gen_int(&t->g, 1, big ? 150 : 9), k = gen_int(&t->g, 1, big ? 300 : 9), n = gen_int(&t->g, 1, big ? 150 : 9);
  hed_shape a = { 0 }, b = { 0 };
  int batch = big ? 0 : (int)gen_below(&t->g, 3);
  for (int q = 0; q < batch; q++) {
    int64_t e = gen_int(&t->g, 1, 3);
    a.dim[a.ndim++] = gen_chance(&t->g, 25) ? 1 : e;
    if (q > 0 || gen_chance(&t->g, 70))
      b.dim[b.ndim++] = gen_chance(&t->g, 25) ? 1 : e;
  }
  a.dim[a.ndim++] = m;
  a.dim[a.ndim++] = b.dim[b.ndim++] = k;
  b.dim[b.ndim++] = n;
  if (batch == 0 && gen_chance(&t->g, 15))
    a = HED_SHAPE(k);
  else if (batch == 0 && gen_chance(&t->g, 15))
    b = HED_SHAPE(k);
  say(t, "matmul %s", hed_dtype_name(dtype));
  say_shape(t, a);
  say_shape(t, b);
  bool number = hed_dtype_kind(dtype) == HED_KIND_FLOAT || hed_dtype_kind(dtype) == HED_KIND_COMPLEX;
  t->tolerance = number ? 4 * precision(dtype) * (double)k : 0;
  hed_array *x = input(t, a, dtype), *y = input(t, b, dtype);
  if (a.ndim == 2 && b.ndim == 2 && gen_chance(&t->g, 30)) {
    hed_array *out = input(t, HED_SHAPE(m, n), dtype);
    return hed_matmul_into(out, x, y) == HED_OK ? out : NULL;
  }
  return hed_matmul(x, y);
}

static hed_array *case_tensordot(trial *t)
{
  hed_dtype dtype = gen_chance(&t->g, 50) ? HED_FLOAT32 : HED_COMPLEX128;
  say(t, "tensordot %s", hed_dtype_name(dtype));
  t->tolerance = precision(dtype) * 4 * 35;
  return hed_tensordot(input(t, HED_SHAPE(3, 5, 7), dtype), input(t, HED_SHAPE(7, 4, 5), dtype), &HED_AXES(1, 2),
                       &HED_AXES(2, 0));
}

/* Singular vectors have a free phase, so values, the product and the Gram matrices are compared. */
static hed_array *case_svd(trial *t)
{
  hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_COMPLEX64, HED_COMPLEX128 };
  hed_dtype dtype = types[gen_below(&t->g, 4)];
  int64_t m = gen_int(&t->g, 1, 25), n = gen_int(&t->g, 1, 25);
  hed_shape s = gen_chance(&t->g, 40) ? HED_SHAPE(gen_int(&t->g, 1, 3), m, n) : HED_SHAPE(m, n);
  bool full = gen_chance(&t->g, 40);
  int what = (int)gen_below(&t->g, 4);
  static const char *const names[] = { "values", "product", "u^H u", "vh vh^H" };
  hed_array *u = NULL, *values = NULL, *vh = NULL;
  say(t, "svd %s of %s%s", names[what], hed_dtype_name(dtype), full ? ", full" : "");
  say_shape(t, s);
  t->tolerance = precision(dtype) * 8 * (double)(m + n);
  hed_array *a = input(t, s, dtype);
  if (gen_chance(&t->g, 25)) /* rank one */
    a = hed_multiply(input(t, HED_SHAPE(m, 1), dtype), input(t, HED_SHAPE(1, n), dtype));
  if (hed_svd(a, full && what != 1, what == 0 || what == 3 ? NULL : &u, what > 1 ? NULL : &values,
              what == 0 || what == 2 ? NULL : &vh) != HED_OK)
    return NULL;
  int32_t last = hed_array_ndim(a);
  switch (what) {
  case 0:
    return values;
  case 1:
    return hed_matmul(hed_multiply(u, hed_expand_dims(values, last - 2)), vh);
  case 2:
    return hed_matmul(hed_conj(hed_moveaxis(u, -1, -2)), u);
  default:
    return hed_matmul(vh, hed_conj(hed_moveaxis(vh, -1, -2)));
  }
}

static hed_array *case_random(trial *t)
{
  hed_dtype floats[] = { HED_FLOAT32, held(HED_FLOAT64), HED_FLOAT16, HED_BFLOAT16 };
  hed_dtype integers[] = { HED_INT8, HED_INT32, HED_UINT16, HED_INT64 };
  hed_random opt = { .seed = gen_u64(&t->g), .seeded = true };
  hed_shape s = { .ndim = (int32_t)gen_int(&t->g, 0, 3) };
  int kind = (int)gen_below(&t->g, 4), which = (int)gen_below(&t->g, 4);
  for (int k = 0; k < s.ndim; k++)
    s.dim[k] = gen_int(&t->g, 1, gen_chance(&t->g, 30) ? 90 : 9);
  t->tolerance = 0;
  say(t, "random %s %s", kind == 0 ? "bits" : kind == 1 ? "uniform" : kind == 2 ? "normal" : "integers",
      hed_dtype_name(kind == 3 ? integers[which] : kind ? floats[which] : which % 2 ? HED_UINT32 : HED_UINT64));
  say_shape(t, s);
  switch (kind) {
  case 0:
    return hed_random_bits(s, which % 2 ? HED_UINT32 : HED_UINT64, &opt);
  case 1:
    if (gen_chance(&t->g, 50)) {
      opt.low = -3.5;
      opt.high = 0.7;
    }
    return hed_random_uniform(s, floats[which], &opt);
  case 2:
    if (gen_chance(&t->g, 50)) {
      opt.mean = 2.3;
      opt.std = 0.3;
    }
    return hed_random_normal(s, floats[which], &opt);
  default:
    return hed_random_integers(s, which == 2 ? 3 : -17, 101, integers[which], &opt);
  }
}

/* A rotation by random angles, so that no sample lies on a boundary between two elements; or by right angles with the
 * rounding that comes with them. */
static void rotation(trial *t, int d, bool right_angles, double *m)
{
  for (int i = 0; i < d * d; i++)
    m[i] = i % (d + 1) == 0;
  for (int i = 0; i + 1 < d; i++) {
    double a = right_angles ? acos(-1.0) / 2 * (double)gen_int(&t->g, 0, 3) : gen_double(&t->g, -3, 3);
    double c = cos(a), s = sin(a);
    for (int r = 0; r < d; r++) {
      double x = m[r * d + i], y = m[r * d + i + 1];
      m[r * d + i] = c * x - s * y;
      m[r * d + i + 1] = s * x + c * y;
    }
  }
}

static hed_array *case_affine(trial *t)
{
  int d = (int)gen_int(&t->g, 1, 3);
  hed_dtype dtype = gen_chance(&t->g, 60) ? HED_FLOAT32 : HED_FLOAT64;
  hed_shape s = { .ndim = d };
  double r[9], m[12];
  int32_t spline = (int32_t)gen_int(&t->g, HED_SPLINE_NEAREST, HED_SPLINE_CUBIC);
  bool prefilter = gen_chance(&t->g, 70);
  for (int k = 0; k < d; k++)
    s.dim[k] = gen_int(&t->g, 1, d == 3 ? 14 : 40);
  bool right_angles = gen_chance(&t->g, 20);
  for (int k = 1; k < d && right_angles; k++)
    s.dim[k] = s.dim[0];
  say(t, "affine %s, spline %d%s%s", hed_dtype_name(dtype), (int)spline, prefilter ? ", prefiltered" : "",
      right_angles ? ", right angles" : "");
  say_shape(t, s);
  rotation(t, d, right_angles, r);
  for (int i = 0; i < d; i++) {
    double shift = (right_angles ? 0 : gen_double(&t->g, -1.3, 1.3)) + 0.5 * (double)(s.dim[i] - 1);
    for (int k = 0; k < d; k++) {
      m[i * (d + 1) + k] = r[i * d + k];
      shift -= r[i * d + k] * 0.5 * (double)(s.dim[k] - 1);
    }
    m[i * (d + 1) + d] = shift;
  }
  /* weights and coefficients in the dtype; cubic coefficients grow up to 3^d, positions are in double */
  t->tolerance = spline == HED_SPLINE_NEAREST ? 0 : 200 * precision(dtype);
  hed_array *x = input(t, s, dtype), *out = input(t, s, dtype);
  return hed_affine_transform_into(out, x, m, spline, prefilter) == HED_OK ? out : NULL;
}

static hed_array *case_rigid(trial *t)
{
  int d = (int)gen_int(&t->g, 2, 3);
  hed_dtype dtype = gen_chance(&t->g, 60) ? HED_FLOAT32 : HED_FLOAT64;
  hed_shape s = { 0 };
  double r[9], shift[3] = { 0.7, -1.2, 0.4 };
  hed_rigid opt = { .translation = gen_chance(&t->g, 50) ? shift : NULL, .center_of_mass = gen_chance(&t->g, 30),
                    .spline = (int32_t)gen_int(&t->g, HED_SPLINE_LINEAR, HED_SPLINE_CUBIC),
                    .batched = gen_chance(&t->g, 30) };
  if (opt.batched)
    s.dim[s.ndim++] = 3;
  for (int k = 0; k < d; k++)
    s.dim[s.ndim++] = gen_int(&t->g, 3, 14);
  say(t, "rigid_transform %s%s%s", hed_dtype_name(dtype), opt.batched ? ", batched" : "",
      opt.center_of_mass ? ", centre of mass" : "");
  say_shape(t, s);
  rotation(t, d, false, r);
  t->tolerance = (opt.center_of_mass ? 2000 : 200) * precision(dtype); /* the centre is a sum in the dtype */
  hed_array *out = NULL;
  return hed_rigid_transform(input(t, s, dtype), NULL, r, &opt, &out, NULL) == HED_OK ? out : NULL;
}

static hed_array *case_maxfilter(trial *t)
{
  static const int64_t extents[] = { 1, 2, 3, 5, 8, 13, 40 };
  hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_INT8, HED_INT32, HED_UINT16, HED_INT64, HED_BOOL };
  hed_dtype dtype = types[gen_below(&t->g, 7)];
  hed_shape s = shape_of(t, 1, 3, extents, 7, 5000);
  int64_t size = gen_int(&t->g, 1, gen_chance(&t->g, 20) ? 50 : 7);
  double cval = gen_chance(&t->g, 50) ? -INFINITY : gen_chance(&t->g, 50) ? 0 : 0.5;
  t->tolerance = 0;
  say(t, "maximum_filter %s, size %d, outside %g", hed_dtype_name(dtype), (int)size, cval);
  say_shape(t, s);
  return hed_maximum_filter(input(t, s, dtype), size, is_real_float(dtype) || isinf(cval) ? cval : 0);
}

static hed_array *case_peaks(trial *t)
{
  hed_shape s = gen_chance(&t->g, 50) ? HED_SHAPE(20, 17) : HED_SHAPE(9, 8, 11);
  hed_dtype dtype = gen_chance(&t->g, 50) ? HED_FLOAT32 : HED_INT8;
  hed_peaks opt = { .zero_border = gen_chance(&t->g, 50), .exclude_plateaus = gen_chance(&t->g, 50) };
  int64_t distance = gen_int(&t->g, 1, 6);
  t->tolerance = 0;
  say(t, "max_filter_coordinates %s, distance %d%s%s", hed_dtype_name(dtype), (int)distance,
      opt.zero_border ? ", zero border" : "", opt.exclude_plateaus ? ", no plateaus" : "");
  say_shape(t, s);
  return hed_max_filter_coordinates(input(t, s, dtype), distance, &opt);
}

/* ---- running ---- */

/* Elements as pairs of doubles in C order; -1 and the sentence in the error state on failure. 64-bit integers keep
 * their low and high halves apart, so that nothing is lost. */
static int64_t run(case_fn fn, const char *spec, uint64_t seed, trial *t, double **values, hed_dtype *dtype, hed_shape *shape)
{
  int64_t n = -1;
  *values = NULL;
  memset(t, 0, sizeof *t);
  gen_seed(&t->g, seed);
  hed_error_clear();
  HED_BACKEND_CONTEXT(spec)
  {
    HED_SCOPE
    {
      hed_array *x = fn(t);
      if (!x)
        break;
      *dtype = held(hed_array_dtype(x));
      *shape = hed_array_shape(x);
      int64_t count = hed_array_size(x);
      *values = malloc((size_t)(2 * count + 1) * sizeof **values);
      if (*dtype == HED_INT64 || *dtype == HED_UINT64) {
        uint64_t *whole = malloc((size_t)(count + 1) * sizeof *whole);
        n = hed_to_host(x, whole, (size_t)count * 8) == HED_OK ? count : -1;
        for (int64_t k = 0; k < n; k++) {
          (*values)[2 * k] = (double)(whole[k] >> 32);
          (*values)[2 * k + 1] = (double)(whole[k] & UINT32_MAX);
        }
        free(whole);
      } else {
        hed_array *wide = at_home(x, HED_COMPLEX128);
        n = wide && hed_to_host(wide, *values, (size_t)count * 16) == HED_OK ? count : -1;
      }
    }
  }
  return n;
}

static void compare(case_fn fn, const char *spec, uint64_t seed)
{
  trial want_trial, got_trial;
  double *want, *got;
  hed_dtype want_dtype = NULL, got_dtype = NULL;
  hed_shape want_shape = { 0 }, got_shape = { 0 };
  int64_t n = run(fn, "reference", seed, &want_trial, &want, &want_dtype, &want_shape);
  if (n < 0)
    fail("reference: %s: %s", want_trial.what, hed_error_text());
  int64_t m = run(fn, spec, seed, &got_trial, &got, &got_dtype, &got_shape);
  if (m < 0) {
    fail("%s: %s: %s", spec, got_trial.what, hed_error_text());
  } else if (n >= 0) {
    bool same = want_dtype == got_dtype && want_shape.ndim == got_shape.ndim && n == m;
    double worst = 0;
    for (int k = 0; k < want_shape.ndim && same; k++)
      same = want_shape.dim[k] == got_shape.dim[k];
    for (int64_t k = 0; k < 2 * n && same; k++) {
      double e = fabs(want[k] - got[k]);
      if (want[k] == got[k] || (isnan(want[k]) && isnan(got[k])))
        e = 0;
      worst = e <= worst ? worst : isnan(e) ? INFINITY : e;
    }
    ok(same && worst <= want_trial.tolerance, "%s: %s: difference %.3g of %.3g%s", spec, want_trial.what, worst,
       want_trial.tolerance, same ? "" : ", another dtype or shape");
  }
  free(want);
  free(got);
}

/* A generator of one backend's stream: the same numbers as the reference's, draw by draw. */
static void streams(const char *spec)
{
  double a[2][100] = { { 0 } };
  char with_seed[2][64];
  snprintf(with_seed[0], sizeof with_seed[0], "reference;seed=99");
  snprintf(with_seed[1], sizeof with_seed[1], "%s;seed=99", spec);
  for (int side = 0; side < 2; side++)
    HED_BACKEND_CONTEXT(with_seed[side])
      for (int k = 0; k < 4; k++) {
        hed_array *x = hed_random_normal(HED_SHAPE(25), held(HED_FLOAT64), NULL);
        hed_to_host(x, a[side] + 25 * k, hed_array_nbytes(x));
        hed_release(x);
      }
  is_mem(a[1], a[0], sizeof a[0], "%s: four draws of a seeded stream", spec);
  ok(a[0][0] != a[0][25], "draws differ");
}

int main(void)
{
  static const struct {
    case_fn fn;
    int count;
  } families[] = { { case_fft, 120 }, { case_matmul, 100 }, { case_tensordot, 4 }, { case_svd, 80 }, { case_random, 60 },
                   { case_affine, 80 }, { case_rigid, 30 }, { case_maxfilter, 60 }, { case_peaks, 20 } };
  const char *names[MAX_BACKENDS];
  int n = hed_backend_list(names, MAX_BACKENDS), others = 0;
  uint64_t seed = tap_seed();
  for (int b = 0; b < n && b < MAX_BACKENDS; b++) {
    char spec[64], serial[64];
    if (strcmp(names[b], "reference") == 0)
      continue;
    if (hed_backend_require(names[b]) != HED_OK) {
      skip(1, "%s: %s", names[b], hed_error_text());
      continue;
    }
    others++;
    narrow_spec(names[b], "", spec, sizeof spec);
    narrow_spec(names[b], ";threads=1", serial, sizeof serial);
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
      for (int k = 0; k < families[f].count; k += case_step(names[b]))
        compare(families[f].fn, k % 5 ? spec : serial, seed + 1000003 * (uint64_t)f + (uint64_t)k);
    streams(names[b]);
    narrow = false;
  }
  if (others == 0) /* the cases themselves must run */
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
      for (int k = 0; k < families[f].count; k++)
        compare(families[f].fn, "reference;threads=1", seed + 1000003 * (uint64_t)f + (uint64_t)k);
  return done();
}
