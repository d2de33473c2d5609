// SPDX-License-Identifier: BSD-3-Clause
/* Conformance of filters and resampling: every usable backend against the reference backend, over element types, layouts,
 * boundaries and sizes, with one and with several threads.
 */
#include "arrays.h"
#include "gen.h"
#include "narrow.h"
#include "tap.h"

#include <float.h>
#include <heddle.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BACKENDS = 32, KINDS = 17 };

static const char *const kind_name[KINDS] = { "correlate1d", "gaussian_filter", "uniform_filter", "laplace", "sobel",
  "gradient_magnitude", "maximum_filter", "minimum_filter", "median_filter", "spline_filter", "map_coordinates", "zoom",
  "affine_transform", "center_of_mass", "normalize_template", "mask_ellipse", "affine_transform along axes" };

/* Elements in [-1, 1) (integers: -100 .. 99), some of them special with SPECIAL, in C order, with other strides, or backwards. */
static hed_array *input_of(gen *g, hed_shape s, hed_dtype t, bool special)
{
  static const float odd[] = { NAN, INFINITY, -INFINITY, -0.0f };
  int64_t n = elements_of(s);
  float *v = malloc((size_t)(n + 1) * sizeof *v); /* the faulty device has no float64 */
  bool real = hed_dtype_kind(t) == HED_KIND_FLOAT;
  for (int64_t k = 0; k < n; k++) {
    v[k] = real ? (float)gen_double(g, -1, 1) : (float)gen_int(g, -100, 99);
    if (special && real && gen_chance(g, 15))
      v[k] = odd[gen_below(g, 4)];
  }
  hed_array *x = hed_astype(hed_from_host(v, s, HED_FLOAT32), t);
  free(v);
  switch (gen_below(g, 3)) {
  case 1:
    return hed_moveaxis(hed_copy(hed_moveaxis(x, 0, -1)), -1, 0);
  case 2:
    return hed_flip(hed_copy(hed_flip(x, NULL)), NULL);
  default:
    return x;
  }
}

static hed_array *input(gen *g, hed_shape s, hed_dtype t) { return input_of(g, s, t, false); }

static hed_array *make(gen *g, int kind, double *tolerance, char *what, size_t cap)
{
  const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_INT16, HED_UINT8, HED_FLOAT16, HED_BFLOAT16, HED_BOOL };
  const int choice = (int)gen_below(g, kind == 14 ? 2 : 7);
  const hed_dtype t = held(types[choice]);
  const bool big = gen_chance(g, 25);
  hed_shape s = { .ndim = (int32_t)gen_int(g, 1, 3) };
  for (int k = 0; k < s.ndim; k++)
    s.dim[k] = gen_int(g, 1, big && s.ndim < 3 ? 150 : kind == 8 ? 6 : 12);
  if (big && kind < 13 && gen_chance(g, 30)) /* a line in pieces */
    s = HED_SHAPE(gen_int(g, 4000, 20000), gen_int(g, 1, 2));
  hed_filter f = { .boundary = (int32_t)gen_int(g, HED_BOUNDARY_DEFAULT, HED_BOUNDARY_WRAP), .cval = (double)gen_int(g, 0, 1) };
  hed_resample r = { .boundary = f.boundary, .cval = f.cval, .spline = (int32_t)gen_int(g, HED_SPLINE_NEAREST, HED_SPLINE_CUBIC) };
  const double sigma = gen_double(g, 0.3, 3);
  const int64_t size = gen_int(g, 1, gen_chance(g, 20) ? 30 : 6);
  const int axis = (int)gen_below(g, (uint64_t)s.ndim);
  const double eps = t == HED_FLOAT64 ? DBL_EPSILON : t == HED_FLOAT16 ? 0x1p-10 : t == HED_BFLOAT16 ? 0x1p-7 : (double)FLT_EPSILON;
  const double scale = hed_dtype_kind(t) == HED_KIND_FLOAT || t == HED_BOOL ? 1 : 200;
  hed_array *x = input_of(g, s, t, kind >= 6 && kind <= 8 && gen_chance(g, 40)); /* of what selects elements */
  snprintf(what, cap, "%s of %s, %d axes, boundary %d, size %d", kind_name[kind], hed_dtype_name(t), (int)s.ndim, (int)f.boundary,
           (int)size);
  *tolerance = 8 * eps * scale;
  /* What leaves an axis at one end and comes back at the other has the digits of a place there. */
  const double wrapped = f.boundary == HED_BOUNDARY_WRAP ? DBL_EPSILON * scale * (double)(s.dim[0] * s.ndim) : 0;
  switch (kind) {
  case 0:
    *tolerance = 8 * eps * scale * (double)size;
    return hed_correlate1d(x, input(g, HED_SHAPE(size), HED_FLOAT32), axis, &f);
  case 1:
    return hed_gaussian_filter(x, 1, &sigma, &f);
  case 2:
    return hed_uniform_filter(x, size, &f);
  case 3:
    *tolerance *= 8;
    return hed_laplace(x, &f);
  case 4:
    *tolerance *= 32;
    return hed_sobel(x, axis, &f);
  case 5:
    *tolerance = 0; /* a square root near 0: compared below through its square */
    {
      hed_array *m = hed_gradient_magnitude(x, &f), *sq = hed_square(m);
      *tolerance = 8 * eps * 2000 * scale * scale;
      return sq;
    }
  case 6:
    *tolerance = 0;
    return hed_maximum_filter_with(x, size, &f);
  case 7:
    *tolerance = 0;
    return hed_minimum_filter(x, size, &f);
  case 8:
    *tolerance = 0;
    return hed_median_filter(x, size < 4 ? size : 3, &f);
  case 9:
    *tolerance *= 32;
    return hed_spline_filter(x, NULL, f.boundary);
  case 10: {
    hed_array *c = hed_multiply_scalar(input(g, HED_SHAPE(s.ndim, 5, 4), HED_FLOAT32), 20);
    *tolerance = *tolerance * 32 + wrapped;
    return hed_map_coordinates(x, c, &r);
  }
  case 11:
    for (int k = 0; k < s.ndim; k++)
      s.dim[k] = gen_int(g, 1, 14);
    *tolerance *= 32;
    r.spline = r.spline == HED_SPLINE_NEAREST ? HED_SPLINE_LINEAR : r.spline; /* no place between two elements */
    return hed_zoom(x, s, &r);
  case 12: {
    double m[12];
    for (int k = 0; k < s.ndim * (s.ndim + 1); k++)
      m[k] = gen_double(g, -1, 1);
    for (int k = 0; k < s.ndim; k++)
      s.dim[k] = gen_int(g, 1, 14);
    *tolerance = *tolerance * 32 + wrapped;
    return hed_affine_transform(x, m, &s, &r);
  }
  case 13:
    *tolerance = narrow ? 1e-4 : 1e-12;
    return hed_center_of_mass(x, gen_double(g, -1, 0.5));
  case 14: {
    hed_array *y = hed_copy(x), *m = hed_abs(input(g, s, HED_FLOAT32));
    hed_reduce all = { .axes = HED_AXES(axis) };
    *tolerance = 1e-3;
    if (hed_normalize_template(y, m, 0, gen_chance(g, 50) ? &all.axes : NULL) != HED_OK)
      return NULL;
    return s.dim[axis] > 3 ? y : hed_zeros_like(y); /* few elements have no variance to speak of */
  }
  case 16: { /* zoom, shift, flip, repeat */
    double m[12] = { 0 };
    const hed_shape to = HED_SHAPE(gen_int(g, 1, 12), gen_int(g, 1, 12), gen_int(g, 1, 150));
    for (int k = 0; k < s.ndim; k++) {
      const int form = (int)gen_below(g, 4);
      m[k * (s.ndim + 1) + k] = form == 0 ? 1 : form == 1 ? -1 : form == 2 ? 0 : gen_double(g, -2, 2);
      m[k * (s.ndim + 1) + s.ndim] = form == 0 ? (double)gen_int(g, -2, 2) : form == 1 ? (double)(s.dim[k] - 1)
                                     : gen_double(g, 0, 1) * (double)s.dim[k];
    }
    hed_shape out = s;
    for (int k = 0; k < s.ndim; k++)
      out.dim[k] = to.dim[3 - s.ndim + k];
    *tolerance = *tolerance * 32 + wrapped;
    r.spline = r.spline == HED_SPLINE_NEAREST ? HED_SPLINE_CUBIC : r.spline;
    return hed_affine_transform(x, m, &out, &r);
  }
  default: {
    const double radii[3] = { 3.3, 2.1, 4.2 };
    *tolerance = eps;
    return hed_mask_ellipse(s, radii, t == HED_FLOAT64 ? t : HED_FLOAT32, &(hed_mask){ .sigma = sigma });
  }
  }
}

/* The elements as doubles; -1 after an error. */
static int64_t run(const char *spec, int kind, uint64_t seed, double **values, hed_dtype *t, double *tolerance, char *what,
                   size_t cap)
{
  int64_t n = -1;
  gen g;
  gen_seed(&g, seed);
  *values = NULL;
  HED_BACKEND_CONTEXT(spec)
  {
    HED_SCOPE
    {
      hed_array *x = make(&g, kind, tolerance, what, cap), *wide = at_home(x, HED_FLOAT64);
      if (!wide)
        break;
      *t = narrow ? HED_FLOAT32 : hed_array_dtype(x);
      n = hed_array_size(wide);
      *values = malloc((size_t)(n + 1) * sizeof **values);
      if (hed_to_host(wide, *values, (size_t)n * sizeof **values) != HED_OK)
        n = -1;
    }
  }
  return n;
}

static void compare(const char *spec, int kind, uint64_t seed)
{
  double *want, *got, tolerance = 0, worst = 0;
  hed_dtype a = NULL, b = NULL;
  char what[160] = "";
  int64_t n = run("reference", kind, seed, &want, &a, &tolerance, what, sizeof what);
  if (n < 0)
    fail("reference: %s: %s", what, hed_error_text());
  int64_t m = run(spec, kind, seed, &got, &b, &tolerance, what, sizeof what);
  if (m < 0)
    fail("%s: %s: %s", spec, what, hed_error_text());
  for (int64_t k = 0; k < n && n == m; k++) {
    double e = want[k] == got[k] || (isnan(want[k]) && isnan(got[k])) ? 0 : fabs(want[k] - got[k]);
    worst = e <= worst ? worst : isnan(e) ? INFINITY : e;
  }
  ok(n == m && n >= 0 && a == b && worst <= tolerance, "%s: %s: difference %.3g of %.3g", spec, what, worst, tolerance);
  free(want);
  free(got);
}

/* The same bits on one thread and on three. */
static void threads(const char *one, const char *three, int kind, uint64_t seed)
{
  double *v[2], tolerance;
  hed_dtype t;
  char what[160] = "";
  const int64_t n = run(one, kind, seed, &v[0], &t, &tolerance, what, sizeof what);
  const int64_t m = run(three, kind, seed, &v[1], &t, &tolerance, what, sizeof what);
  ok(n >= 0 && n == m && memcmp(v[0], v[1], (size_t)n * sizeof *v[0]) == 0, "%s: %s", three, what);
  free(v[0]);
  free(v[1]);
}

int main(void)
{
  const char *names[MAX_BACKENDS];
  int n = hed_backend_list(names, MAX_BACKENDS);
  uint64_t seed = tap_seed();
  for (int b = 0; b < n && b < MAX_BACKENDS; b++) {
    char spec[64], serial[64];
    if (strcmp(names[b], "reference") == 0 || hed_backend_require(names[b]) != HED_OK)
      continue;
    hed_error_clear();
    narrow_spec(names[b], "", spec, sizeof spec);
    narrow_spec(names[b], ";threads=1", serial, sizeof serial);
    for (int kind = 0; kind < KINDS; kind++)
      for (int k = 0; k < 25; k += case_step(names[b]))
        compare(k % 4 ? spec : serial, kind, seed + 1000003 * (uint64_t)kind + (uint64_t)k);
    for (int k = 0; k < 10 * KINDS && strcmp(names[b], "cpu") == 0; k++)
      threads("cpu;threads=1", "cpu;threads=3", k % KINDS, seed + (uint64_t)k);
  }
  narrow = false;
  compare("reference;threads=1", 0, seed);
  return done();
}
