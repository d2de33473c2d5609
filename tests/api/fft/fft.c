// SPDX-License-Identifier: BSD-3-Clause
/* Fourier transforms against the sum that defines them, for odd and even extents, any axes, crops and margins, the three
 * normalisations; good sizes.
 */
#include "api.h"
#include "gen.h"
#include <complex.h>
#include <math.h>

static const double pi = 3.14159265358979323846;

/* The transform of S values along one axis of extent N after another; SIGN as in exp(sign 2 pi i j k / n). */
static void dft(double complex *x, int ndim, const int64_t *dim, uint32_t mask, int sign)
{
  int64_t total = 1;
  for (int k = 0; k < ndim; k++)
    total *= dim[k];
  for (int axis = 0; axis < ndim; axis++) {
    if (!(mask >> axis & 1u))
      continue;
    int64_t n = dim[axis], inner = 1;
    for (int k = axis + 1; k < ndim; k++)
      inner *= dim[k];
    for (int64_t start = 0; start < total; start++) {
      if (start / inner % n)
        continue;
      double complex row[16];
      for (int64_t k = 0; k < n; k++) {
        row[k] = 0;
        for (int64_t j = 0; j < n; j++)
          row[k] += x[start + j * inner] * cexp(sign * 2 * pi * I * (double)(j * k % n) / (double)n);
      }
      for (int64_t k = 0; k < n; k++)
        x[start + k * inner] = row[k];
    }
  }
}

static double worst(const hed_array *y, const double complex *want, int64_t n)
{
  static double complex got[1024];
  hed_array *c = hed_astype(y, HED_COMPLEX128);
  double w = y && hed_array_size(y) == n && !hed_to_host(c, got, (size_t)n * sizeof *got) ? 0 : 1e9;
  for (int64_t k = 0; k < n && w < 1e9; k++)
    w = fmax(w, cabs(got[k] - want[k]));
  hed_release(c);
  return w;
}

static void against_the_sum(const char *backend)
{
  gen g;
  gen_seed(&g, tap_seed());
  double top[4] = { 0 };
  for (int round = 0; round < 120; round++) {
    int ndim = (int)gen_int(&g, 1, 3);
    hed_shape s = { .ndim = ndim };
    int64_t n = 1, picked = 1;
    for (int k = 0; k < ndim; k++)
      n *= s.dim[k] = gen_int(&g, 1, 7);
    uint32_t mask = (uint32_t)gen_int(&g, 1, (1 << ndim) - 1);
    hed_fft opt = { .norm = (int32_t)gen_int(&g, 0, 2) };
    int last = 0;
    for (int k = 0; k < ndim; k++)
      if (mask >> k & 1u) {
        opt.axes.axis[opt.axes.n++] = last = k;
        picked *= s.dim[k];
      }
    double forward = opt.norm == 1 ? 1 / sqrt((double)picked) : opt.norm == 2 ? 1.0 / (double)picked : 1;
    double inverse = opt.norm == 1 ? 1 / sqrt((double)picked) : opt.norm == 2 ? 1 : 1.0 / (double)picked;
    double complex z[343], want[343];
    double re[343];
    for (int64_t k = 0; k < n; k++) {
      re[k] = gen_double(&g, -1, 1);
      z[k] = re[k] + I * gen_double(&g, -1, 1);
    }
    hed_array *x = hed_from_host(z, s, HED_COMPLEX128), *r = hed_from_host(re, s, HED_FLOAT64), *y;
    memcpy(want, z, sizeof z);
    dft(want, ndim, s.dim, mask, -1);
    for (int64_t k = 0; k < n; k++)
      want[k] *= forward;
    y = hed_fftn(x, &opt);
    top[0] = fmax(top[0], worst(y, want, n));
    hed_release(y);
    memcpy(want, z, sizeof z);
    dft(want, ndim, s.dim, mask, 1);
    for (int64_t k = 0; k < n; k++)
      want[k] *= inverse;
    y = hed_ifftn(x, &opt);
    top[1] = fmax(top[1], worst(y, want, n));
    hed_release(y);
    /* real: the first half of the complex one along the last listed axis, and back again */
    for (int64_t k = 0; k < n; k++)
      want[k] = re[k];
    dft(want, ndim, s.dim, mask, -1);
    int64_t inner = 1, half = s.dim[last] / 2 + 1, kept = 0;
    for (int k = last + 1; k < ndim; k++)
      inner *= s.dim[k];
    for (int64_t k = 0; k < n; k++)
      if (k / inner % s.dim[last] < half)
        want[kept++] = want[k] * forward;
    y = hed_rfftn(r, &opt);
    top[2] = fmax(top[2], worst(y, want, kept));
    for (int k = 0; k < opt.axes.n; k++)
      opt.s.dim[opt.s.ndim++] = s.dim[opt.axes.axis[k]];
    hed_array *back = hed_irfftn(y, &opt);
    for (int64_t k = 0; k < n; k++)
      want[k] = re[k];
    top[3] = fmax(top[3], worst(back, want, n));
    RELEASE(y, back, x, r);
  }
  ok(top[0] < 1e-12, "%s: fftn (%g)", backend, top[0]);
  ok(top[1] < 1e-12, "%s: ifftn (%g)", backend, top[1]);
  ok(top[2] < 1e-12, "%s: rfftn (%g)", backend, top[2]);
  ok(top[3] < 1e-12, "%s: irfftn gives it back, odd extents too (%g)", backend, top[3]);
}

static void options(const char *backend)
{
  diag("options on %s", backend);
  hed_array *x = API_VECTOR(HED_FLOAT32, 1, 2, 3, 4), *y, *z;
  double v[6];
  y = hed_rfftn(x, NULL);
  ok(hed_array_size(y) == 3 && hed_array_dtype(y) == HED_COMPLEX64, "rfftn of float32");
  api_is(hed_irfftn(y, NULL), HED_SHAPE(4), HED_FLOAT32, API_LIST(1, 2, 3, 4), "irfftn takes 2 (n - 1) by default");
  hed_release(y);
  y = hed_fftn(x, &(hed_fft){ .s = HED_SHAPE(2) });
  api_is(hed_real(y), HED_SHAPE(2), HED_FLOAT32, API_LIST(3, -1), "s crops at the end");
  hed_release(y);
  y = hed_rfftn(x, &(hed_fft){ .s = HED_SHAPE(6) });
  ok(hed_array_size(y) == 4, "s pads at the end");
  z = hed_irfftn(y, &(hed_fft){ .s = HED_SHAPE(6) });
  is_int(api_values(z, v), 6, "s gives the real extent back");
  ok(fabs(v[0] - 1) < 1e-6 && fabs(v[3] - 4) < 1e-6 && fabs(v[4]) < 1e-6 && fabs(v[5]) < 1e-6, "padded with zeros");
  RELEASE(y, z);
  hed_array *i = hed_astype(x, HED_INT16), *b = hed_astype(x, HED_FLOAT16), *d = hed_astype(x, HED_FLOAT64);
  y = hed_fftn(i, NULL);
  is_ptr(hed_array_dtype(y), HED_COMPLEX64, "integers give COMPLEX");
  hed_release(y);
  y = hed_rfftn(b, NULL);
  is_ptr(hed_array_dtype(y), HED_COMPLEX64, "float16 gives complex64");
  z = hed_irfftn(y, NULL);
  is_ptr(hed_array_dtype(z), HED_FLOAT32, "and back float32");
  RELEASE(y, z);
  y = hed_zeros(HED_SHAPE(3), HED_COMPLEX64);
  is_int(hed_rfftn_into(y, d, NULL), HED_OK, "float64 into complex64");
  api_is(hed_real(y), HED_SHAPE(3), HED_FLOAT32, API_LIST(10, -2, -2), "its real part");
  is_int(hed_irfftn_into(d, y, NULL), HED_OK, "complex64 into float64");
  api_is(hed_copy(d), HED_SHAPE(4), HED_FLOAT64, API_LIST(1, 2, 3, 4), "its values");
  api_is(hed_imag(y), HED_SHAPE(3), HED_FLOAT32, API_LIST(0, 2, 0), "the input of irfftn stays as it is");
  is_int(hed_fftn_into(y, y, NULL), HED_OK, "fftn in place");
  API_FAIL(hed_rfftn_into(y, x, &(hed_fft){ .s = HED_SHAPE(3) }), HED_E_SHAPE, "rfftn: out has shape (3,), the result (2,)");
  API_NULL(hed_rfftn(y, NULL), HED_E_DTYPE, "rfftn: x has dtype complex64");
  API_NULL(hed_fftn(x, &(hed_fft){ .axes = HED_AXES(1) }), HED_E_AXIS, "fftn: axis 1 is out of range");
  API_NULL(hed_fftn(x, &(hed_fft){ .axes = HED_AXES(0, -1) }), HED_E_SHAPE, "fftn: axis -1 is listed twice");
  API_NULL(hed_fftn(x, &(hed_fft){ .axes = HED_AXES(0), .s = HED_SHAPE(2, 2) }), HED_E_SHAPE, "s has 2 extents for 1 axes");
  API_NULL(hed_fftn(x, &(hed_fft){ .s = HED_SHAPE(2, 2) }), HED_E_SHAPE, "2 extents are given for an array with 1 axes");
  API_NULL(hed_fftn(x, &(hed_fft){ .s = HED_SHAPE(0) }), HED_E_SHAPE, "extent 0 along axis 0");
  API_NULL(hed_fftn(x, &(hed_fft){ .norm = 3 }), HED_E_INVAL, "option norm is 3");
  z = hed_zeros(HED_SHAPE(1), HED_COMPLEX64);
  API_NULL(hed_irfftn(z, NULL), HED_E_SHAPE, "extent 0 along axis 0");
  hed_release(z);
  z = hed_zeros(HED_SHAPE0, HED_COMPLEX64);
  API_NULL(hed_fftn(z, NULL), HED_E_SHAPE, "x has no axes to transform");
  hed_release(z);
  z = hed_zeros(HED_SHAPE(0, 3), HED_COMPLEX64);
  hed_array *empty = hed_fftn(z, &(hed_fft){ .axes = HED_AXES(1) });
  ok(empty && hed_array_size(empty) == 0, "an empty batch");
  RELEASE(empty, z, x, y, i, b, d);

  /* the last axis in the list is the one that is halved, wherever it is */
  x = api_iota(HED_SHAPE(4, 3), HED_FLOAT64);
  y = hed_rfftn(x, &(hed_fft){ .axes = HED_AXES(1, 0) });
  ok(hed_array_shape(y).dim[0] == 3 && hed_array_shape(y).dim[1] == 3, "axes (1, 0) halve axis 0");
  z = hed_irfftn(y, &(hed_fft){ .axes = HED_AXES(1, 0) });
  ok(hed_array_shape(z).dim[0] == 4, "and back");
  RELEASE(x, y, z);
}

static bool smooth(int64_t n)
{
  for (int p = 2; p <= 13; p++)
    while (n % p == 0)
      n /= p;
  return n == 1;
}

static void sizes(const char *backend)
{
  bool good = true;
  for (int64_t n = 1; n < 2000; n++) {
    int64_t m = hed_fft_good_size(n);
    good = good && m >= n && smooth(m) && hed_fft_good_size(m) == m;
  }
  ok(good, "%s: good sizes are smooth, not below n, and good themselves", backend);
  if (strcmp(backend, "reference") == 0)
    ok(hed_fft_good_size(97) == 98 && hed_fft_good_size(11) == 12 && hed_fft_good_size(1025) == 1029, "7-smooth ones");
  is_int(hed_fft_good_size(0), 1, "of 0");
  ok(hed_fft_good_size(INT64_MAX) < 0, "none fits");
  hed_error_clear();
  hed_shape full, fast, ft;
  is_int(hed_compute_convolution_shapes(HED_SHAPE(30, 7), HED_SHAPE(30, 1), &full, &fast, &ft), HED_OK, "shapes");
  ok(full.dim[0] == 59 && full.dim[1] == 7, "full is s1 + s2 - 1");
  ok(fast.dim[0] == 60 && fast.dim[1] == 7, "fast has good sizes");
  ok(ft.dim[0] == 60 && ft.dim[1] == 4, "its transform");
  API_FAIL(hed_compute_convolution_shapes(HED_SHAPE(3), HED_SHAPE(3, 3), &full, &fast, &ft), HED_E_SHAPE,
           "s1 (3,) and s2 (3, 3) need the same number of axes");
  API_FAIL(hed_compute_convolution_shapes(HED_SHAPE(3), HED_SHAPE(0), &full, &fast, &ft), HED_E_SHAPE, "0 of s2");
}

/* A volume that is nearly all zeros: backends may treat slabs of zeros apart. Three impulses, at the first and the last
 * element of slabs, and a slab of negative zeros; their transform in closed form. */
static void mostly_zeros(const char *backend)
{
  enum { D = 64, H = 32, W = 64, HALF = W / 2 + 1 };
  static float volume[D][H][W];
  static float complex out[D][H][HALF];
  static const struct { int z, y, x; float v; } impulse[] = { { 3, H - 1, W - 1, 1 }, { 40, 0, 0, 2 }, { D - 1, H - 1, W - 1, -3 } };
  memset(volume, 0, sizeof volume);
  for (int i = 0; i < H * W; i++)
    volume[20][i / W][i % W] = -0.0f;
  for (int i = 0; i < 3; i++)
    volume[impulse[i].z][impulse[i].y][impulse[i].x] = impulse[i].v;
  hed_array *x = hed_from_host(volume, HED_SHAPE(D, H, W), HED_FLOAT32);
  hed_array *y = hed_full(HED_SHAPE(D, H, HALF), NAN, HED_COMPLEX64);
  is_int(hed_rfftn_into(y, x, NULL), HED_OK, "%s: a volume of zeros but for three elements", backend);
  is_int(hed_to_host(y, out, sizeof out), HED_OK, "%s: its transform", backend);
  double error = 0;
  for (int a = 0; a < D; a++)
    for (int b = 0; b < H; b++)
      for (int c = 0; c < HALF; c++) {
        double complex want = 0;
        for (int i = 0; i < 3; i++)
          want += impulse[i].v * cexp(-2 * pi * I * ((double)(a * impulse[i].z % D) / D + (double)(b * impulse[i].y % H) / H +
                                                     (double)(c * impulse[i].x % W) / W));
        double e = cabs(out[a][b][c] - want);
        error = e <= error ? error : e; /* NaN stays */
      }
  is_near(error, 0, 0, 2e-6, "%s: is the sum of three waves", backend);
  RELEASE(x, y);
}

int main(void)
{
  api_each_backend(against_the_sum);
  api_each_backend(options);
  api_each_backend(sizes);
  api_each_backend(mostly_zeros);
  done_testing();
  return done();
}
