// SPDX-License-Identifier: BSD-3-Clause
/* The family of Fourier transforms and what goes with them against a direct sum in long double, the theorems, and
 * values of NumPy and SciPy (data/fft.h).
 */
#include "api.h"
#include "data/fft.h"
#include "gen.h"
#include <complex.h>
#include <math.h>

enum { MOST = 2048 };
typedef long double complex wide;
#define COUNT(list) ((int64_t)(sizeof(list) / sizeof *(list)))

/* Direct sum along one axis of a C-ordered array; SIGN as in exp(sign 2 pi i j k / n). */
static void dft(wide *x, const hed_shape *s, int axis, int sign)
{
  static wide row[MOST];
  int64_t n = s->dim[axis], inner = 1, total = 1;
  for (int k = 0; k < s->ndim; k++) {
    total *= s->dim[k];
    inner *= k > axis ? s->dim[k] : 1;
  }
  for (int64_t start = 0; start < total; start++) {
    if (start / inner % n)
      continue;
    for (int64_t k = 0; k < n; k++) {
      row[k] = 0;
      for (int64_t j = 0; j < n; j++)
        row[k] += x[start + j * inner] * cexpl(sign * 2 * acosl(-1) * I * (long double)(j * k % n) / (long double)n);
    }
    for (int64_t k = 0; k < n; k++)
      x[start + k * inner] = row[k];
  }
}

/* Largest difference to WANT, INFINITY for another size; Y is released. */
static double off(hed_array *y, const wide *want, int64_t n)
{
  static double complex got[MOST];
  hed_array *c = hed_astype(y, HED_COMPLEX128);
  double w = c && hed_array_size(c) == n && hed_to_host(c, got, (size_t)n * sizeof *got) == HED_OK ? 0 : INFINITY;
  for (int64_t k = 0; k < n && w < INFINITY; k++) {
    double e = (double)cabsl(got[k] - want[k]);
    w = e <= w ? w : e; /* NaN counts */
  }
  RELEASE(c, y);
  return w;
}

static bool near_list(hed_array *y, const double *want, int64_t doubles, const char *name)
{
  static wide list[MOST];
  bool two = y && hed_dtype_kind(hed_array_dtype(y)) == HED_KIND_COMPLEX;
  int64_t n = two ? doubles / 2 : doubles;
  for (int64_t k = 0; k < n; k++)
    list[k] = two ? want[2 * k] + want[2 * k + 1] * I : want[k];
  return is_near(off(y, list, n), 0, 0, 1e-13, "%s", name);
}
#define NEAR(call, list) near_list(call, list, COUNT(list), #call)

typedef hed_array *fft_fn(const hed_array *, const hed_fft *);
typedef hed_status fft_into_fn(hed_array *, const hed_array *, const hed_fft *);

typedef struct family {
  int rank;
  fft_fn *fft, *ifft, *rfft, *irfft, *hfft, *ihfft;
  fft_into_fn *fft_into, *ifft_into, *rfft_into, *irfft_into, *hfft_into, *ihfft_into;
} family;

#define FAMILY(r, s)                                                                                              \
  { r, hed_fft##s, hed_ifft##s, hed_rfft##s, hed_irfft##s, hed_hfft##s, hed_ihfft##s, hed_fft##s##_into,           \
    hed_ifft##s##_into, hed_rfft##s##_into, hed_irfft##s##_into, hed_hfft##s##_into, hed_ihfft##s##_into }
static const family families[3] = { FAMILY(1, 1), FAMILY(2, 2), FAMILY(3, n) };

/* One random real and complex array through the six transforms of a family. */
static void round_trip(gen *g, const family *f, double *worst)
{
  static wide want[MOST], half[MOST];
  static double re[MOST];
  static double complex z[MOST];
  static const int64_t extents[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 17 };
  hed_shape s = { .ndim = (int)gen_int(g, f->rank, 3) }, h;
  int64_t n = 1, kept = 0;
  for (int k = 0; k < s.ndim; k++) {
    s.dim[k] = f->rank == 1 && s.ndim == 1 ? gen_int(g, 1, 101) : extents[gen_below(g, s.ndim == 3 ? 10 : 13)];
    n *= s.dim[k];
  }
  long double points = 1;
  hed_fft opt = { .norm = (int32_t)gen_int(g, 0, 2) }, real_opt = { 0 };
  for (int k = s.ndim - f->rank; k < s.ndim; k++) {
    points *= (long double)s.dim[k];
    real_opt.s.dim[real_opt.s.ndim++] = s.dim[k];
  }
  real_opt.norm = opt.norm;
  long double there = opt.norm == 1 ? 1 / sqrtl(points) : opt.norm == 2 ? 1 / points : 1;
  long double back = opt.norm == 1 ? 1 / sqrtl(points) : opt.norm == 2 ? 1 : 1 / points;
  for (int64_t k = 0; k < n; k++) {
    re[k] = gen_double(g, -1, 1);
    z[k] = re[k] + gen_double(g, -1, 1) * I;
  }
  hed_array *x = hed_from_host(z, s, HED_COMPLEX128), *r = hed_from_host(re, s, HED_FLOAT64);
  for (int sign = -1; sign <= 1; sign += 2) {
    for (int64_t k = 0; k < n; k++)
      want[k] = z[k];
    for (int k = s.ndim - f->rank; k < s.ndim; k++)
      dft(want, &s, k, sign);
    for (int64_t k = 0; k < n; k++)
      want[k] *= sign < 0 ? there : back;
    worst[sign > 0] = fmax(worst[sign > 0], off((sign < 0 ? f->fft : f->ifft)(x, &opt), want, n));
    hed_array *own = hed_copy(x), *flipped = hed_flip(own, NULL);
    hed_status status = hed_copy_into(flipped, x); /* negative strides, in place */
    if (status == HED_OK)
      status = (sign < 0 ? f->fft_into : f->ifft_into)(flipped, flipped, &opt);
    worst[2] = fmax(worst[2], status == HED_OK ? off(flipped, want, n) : INFINITY);
    hed_release(own);
  }
  for (int64_t k = 0; k < n; k++)
    want[k] = re[k];
  for (int k = s.ndim - f->rank; k < s.ndim; k++)
    dft(want, &s, k, -1);
  h = s;
  h.dim[s.ndim - 1] = s.dim[s.ndim - 1] / 2 + 1;
  for (int64_t k = 0; k < n; k++)
    if (k % s.dim[s.ndim - 1] < h.dim[s.ndim - 1])
      half[kept++] = want[k];
  for (int64_t k = 0; k < kept; k++)
    want[k] = half[k] * there;
  hed_array *y = f->rfft(r, &opt), *out = hed_flip(hed_empty(h, HED_COMPLEX128), NULL);
  worst[3] = fmax(worst[3], off(hed_retain(y), want, kept));
  worst[3] = fmax(worst[3], f->rfft_into(out, r, &opt) == HED_OK ? off(hed_retain(out), want, kept) : INFINITY);
  for (int64_t k = 0; k < kept; k++)
    want[k] = conjl(half[k]) * back;
  hed_array *i = f->ihfft(r, &opt);
  worst[4] = fmax(worst[4], off(hed_retain(i), want, kept));
  worst[4] = fmax(worst[4], f->ihfft_into(out, r, &opt) == HED_OK ? off(hed_retain(out), want, kept) : INFINITY);
  hed_array *again = hed_empty(s, HED_FLOAT64);
  for (int64_t k = 0; k < n; k++)
    want[k] = re[k];
  worst[5] = fmax(worst[5], off(f->irfft(y, &real_opt), want, n));
  worst[5] = fmax(worst[5], f->irfft_into(again, y, &real_opt) == HED_OK ? off(hed_retain(again), want, n) : INFINITY);
  worst[6] = fmax(worst[6], off(f->hfft(i, &real_opt), want, n));
  worst[6] = fmax(worst[6], f->hfft_into(again, i, &real_opt) == HED_OK ? off(hed_retain(again), want, n) : INFINITY);
  RELEASE(again, i, y, out, x, r);
}

static void against_the_sum(const char *backend)
{
  static const char *const what[] = { "fft", "ifft", "in place, strides negative", "rfft", "ihfft", "irfft", "hfft" };
  gen g;
  gen_seed(&g, tap_seed());
  for (int f = 0; f < 3; f++) {
    double worst[7] = { 0 };
    HED_SCOPE
      for (int k = 0; k < 25; k++)
        round_trip(&g, &families[f], worst);
    for (int k = 0; k < 7; k++)
      ok(worst[k] < 3e-13, "%s: %s of %d axes against the sum (%g)", backend, what[k], families[f].rank, worst[k]);
  }
}

static void theorems(const char *backend)
{
  HED_SCOPE {
    enum { N = 31, SHIFT = 5 };
    hed_random seeded = { .seed = 4, .seeded = true };
    double a = 0, b = 0;
    hed_array *x = hed_random_normal(HED_SHAPE(3, N), HED_FLOAT64, &seeded), *y = hed_fft1(x, NULL);
    (void)hed_item(hed_sum(hed_square(x), NULL), &a);
    (void)hed_item(hed_sum(hed_square(hed_abs(y)), NULL), &b);
    is_near(b / N, a, 1e-13, 0, "%s: Parseval", backend);
    hed_array *rolled = hed_fft1(hed_roll(x, &HED_AXES(SHIFT), &HED_AXES(1)), NULL);
    hed_array *turn = hed_multiply(hed_fftfreq(N, 1, HED_FLOAT64), hed_scalar_complex(0, -2 * M_PI * SHIFT));
    (void)hed_item(hed_max(hed_abs(hed_subtract(rolled, hed_multiply(y, hed_exp(turn)))), NULL), &a);
    ok(a < 1e-12, "%s: a shift turns the phase (%g)", backend, a);
    hed_array *mirrored = hed_roll(hed_flip(y, &HED_AXES(1)), &HED_AXES(1), &HED_AXES(1));
    (void)hed_item(hed_max(hed_abs(hed_subtract(mirrored, hed_conj(y))), NULL), &a);
    ok(a < 1e-12, "%s: the transform of real input is Hermitian (%g)", backend, a);
    hed_array *f16 = hed_astype(x, HED_FLOAT16), *same = hed_astype(f16, HED_FLOAT32);
    (void)hed_item(hed_max(hed_abs(hed_subtract(hed_rfft1(f16, NULL), hed_rfft1(same, NULL))), NULL), &a);
    ok(a == 0, "%s: float16 is transformed as float32", backend);
  }
}

static void known_values(const char *backend)
{
  diag("values of NumPy and SciPy on %s", backend);
  HED_SCOPE {
    hed_array *h = hed_from_host(hermitian_in, HED_SHAPE(4), HED_COMPLEX128);
    hed_array *r = hed_from_host(real_in, HED_SHAPE(7), HED_FLOAT64);
    hed_array *p = hed_from_host(plane_in, HED_SHAPE(3, 3), HED_COMPLEX128);
    NEAR(hed_hfft1(h, NULL), hfft_6);
    NEAR(hed_hfft1(h, &(hed_fft){ .s = HED_SHAPE(7) }), hfft_7);
    NEAR(hed_hfft1(h, &(hed_fft){ .norm = HED_NORM_ORTHO }), hfft_6_ortho);
    NEAR(hed_hfft1(h, &(hed_fft){ .norm = HED_NORM_FORWARD }), hfft_6_forward);
    NEAR(hed_ihfft1(r, NULL), ihfft_7);
    NEAR(hed_ihfft1(r, &(hed_fft){ .s = HED_SHAPE(6) }), ihfft_6);
    NEAR(hed_ihfft1(r, &(hed_fft){ .s = HED_SHAPE(9), .norm = HED_NORM_ORTHO }), ihfft_9_ortho);
    NEAR(hed_hfft2(p, &(hed_fft){ .s = HED_SHAPE(3, 5) }), hfft2_35);
    NEAR(hed_ihfft2(hed_real(p), NULL), ihfft2_33);
    NEAR(hed_irfft(h, &(hed_fft){ .s = HED_SHAPE(7) }), irfft_odd);
    NEAR(hed_irfft(h, NULL), irfft_even);
    NEAR(hed_fftfreq(7, 0.5, HED_FLOAT64), fftfreq_7);
    NEAR(hed_fftfreq(8, 1, HED_FLOAT64), fftfreq_8);
    NEAR(hed_rfftfreq(7, 0.5, HED_FLOAT64), rfftfreq_7);
    NEAR(hed_fftshift(api_iota(HED_SHAPE(3, 5), HED_FLOAT64), NULL), fftshift_35);
    NEAR(hed_ifftshift(api_iota(HED_SHAPE(3, 5), HED_FLOAT64), NULL), ifftshift_35);
    NEAR(hed_hilbert(r, NULL), hilbert_7);
    NEAR(hed_hilbert(r, &(hed_fft){ .s = HED_SHAPE(6) }), hilbert_6);
    NEAR(hed_hilbert(r, &(hed_fft){ .s = HED_SHAPE(10) }), hilbert_10);
  }
}

static void frequencies(const char *backend)
{
  diag("frequencies and shifts on %s", backend);
  const double rate[] = { 1, 0.5 };
  api_is(hed_fftfreq(1, 2, HED_FLOAT32), HED_SHAPE(1), HED_FLOAT32, API_LIST(0), "of one element");
  api_is(hed_fftfreq(4, -0.5, HED_FLOAT16), HED_SHAPE(4), HED_FLOAT16, API_LIST(0, -0.5, 1, 0.5), "float16, d negative");
  api_is(hed_rfftfreq(4, 0.25, HED_REAL), HED_SHAPE(3), HED_FLOAT32, API_LIST(0, 1, 2), "REAL");
  api_is(hed_fftfreqn(HED_SHAPE(3, 4), NULL, HED_FLOAT32), HED_SHAPE(2, 3, 4), HED_FLOAT32,
         API_LIST(-1, -1, -1, -1, 0, 0, 0, 0, 1, 1, 1, 1, -2, -1, 0, 1, -2, -1, 0, 1, -2, -1, 0, 1), "centred indices");
  api_is(hed_fftfreqn(HED_SHAPE(2, 4), &(hed_freq){ .sampling_rate = rate }, HED_FLOAT64), HED_SHAPE(2, 2, 4), HED_FLOAT64,
         API_LIST(-0.5, -0.5, -0.5, -0.5, 0, 0, 0, 0, -1, -0.5, 0, 0.5, -1, -0.5, 0, 0.5), "over int(n rate)");
  api_is(hed_fftfreqn(HED_SHAPE(3, 3), &(hed_freq){ .euclidean = true, .real_fourier = true }, HED_FLOAT64),
         HED_SHAPE(3, 3), HED_FLOAT64, API_LIST(1, sqrt(2), sqrt(5), 0, 1, 2, 1, sqrt(2), sqrt(5)), "norm, real last axis");
  const double one[] = { 1, 1 };
  hed_freq odd = { .sampling_rate = one, .euclidean = true, .real_fourier = true, .real_extent = 5 };
  api_is(hed_fftfreqn(HED_SHAPE(1, 3), &odd, HED_FLOAT64), HED_SHAPE(1, 3), HED_FLOAT64, API_LIST(0, 0.2, 0.4),
         "an odd real extent");
  hed_array *axes[2] = { NULL, NULL };
  is_int(hed_fftfreqn_sparse(HED_SHAPE(2, 3), NULL, HED_FLOAT32, axes), HED_OK, "sparse");
  api_is(axes[0], HED_SHAPE(2, 1), HED_FLOAT32, API_LIST(-1, 0), "its first axis");
  api_is(axes[1], HED_SHAPE(1, 3), HED_FLOAT32, API_LIST(-1, 0, 1), "its second axis");
  api_is(hed_fftfreqn(HED_SHAPE(0, 3), NULL, HED_FLOAT32), HED_SHAPE(2, 0, 3), HED_FLOAT32, NULL, "of no elements");
  hed_array *x = api_iota(HED_SHAPE(2, 3), HED_INT32);
  api_is(hed_fftshift(x, &HED_AXES(1)), HED_SHAPE(2, 3), HED_INT32, API_LIST(2, 0, 1, 5, 3, 4), "fftshift of one axis");
  api_is(hed_shift_fourier(x, false), HED_SHAPE(2, 3), HED_INT32, API_LIST(4, 5, 3, 1, 2, 0), "shift_fourier");
  api_is(hed_shift_fourier(x, true), HED_SHAPE(2, 3), HED_INT32, API_LIST(3, 4, 5, 0, 1, 2), "without the last axis");
  hed_array *zero = hed_zeros(HED_SHAPE0, HED_INT32), *none = hed_zeros(HED_SHAPE(0, 3), HED_INT32);
  api_is(hed_fftshift(zero, NULL), HED_SHAPE0, HED_INT32, API_LIST(0), "fftshift of a scalar");
  api_is(hed_ifftshift(none, NULL), HED_SHAPE(0, 3), HED_INT32, NULL, "of nothing");
  API_NULL(hed_fftfreq(0, 1, HED_FLOAT32), HED_E_SHAPE, "fftfreq: n is 0, at least 1 is needed");
  API_NULL(hed_rfftfreq(4, 0, HED_FLOAT32), HED_E_INVAL, "rfftfreq: d is 0");
  API_NULL(hed_fftfreq(4, 1, HED_INT32), HED_E_DTYPE, "fftfreq: dtype is int32");
  API_NULL(hed_fftfreq(4, 1, NULL), HED_E_INVAL, "dtype is NULL");
  const double tiny[] = { 0.1 };
  API_NULL(hed_fftfreqn(HED_SHAPE(4), &(hed_freq){ .sampling_rate = tiny }, HED_FLOAT32), HED_E_INVAL, "int(4 * 0.1) along axis 0");
  API_NULL(hed_fftfreqn(HED_SHAPE0, NULL, HED_FLOAT32), HED_E_SHAPE, "shape has no axes");
  API_NULL(hed_fftfreqn(HED_SHAPE(4), &(hed_freq){ .real_fourier = true, .real_extent = 9 }, HED_FLOAT32), HED_E_SHAPE,
           "4 elements along the last axis are not the half of real_extent 9");
  API_FAIL(hed_fftfreqn_sparse(HED_SHAPE(4), &(hed_freq){ .euclidean = true }, HED_FLOAT32, axes), HED_E_INVAL, "no sparse form");
  API_FAIL(hed_fftfreqn_sparse(HED_SHAPE(4), NULL, HED_FLOAT32, NULL), HED_E_INVAL, "out is NULL");
  API_NULL(hed_fftshift(x, &HED_AXES(2)), HED_E_AXIS, "fftshift: axis 2 is out of range");
  API_NULL(hed_ifftshift(x, &HED_AXES(0, -2)), HED_E_SHAPE, "ifftshift: axis -2 is listed twice");
  RELEASE(x, zero, none);
}

static void refusals(const char *backend)
{
  diag("refusals on %s", backend);
  hed_array *x = api_iota(HED_SHAPE(3), HED_FLOAT32), *z = hed_zeros(HED_SHAPE(2, 3, 4), HED_COMPLEX64);
  hed_array *part = hed_slice(z, 3, (hed_slice_range[]){ HED_ALL, HED_ALL, HED_RANGE(0, 2, 1) });
  API_NULL(hed_fft2(x, NULL), HED_E_SHAPE, "fft2: x has 1 axes, the transform needs 2");
  API_NULL(hed_fft2(z, &(hed_fft){ .axes = HED_AXES(0) }), HED_E_SHAPE, "fft2: 1 axes are listed, this transform has 2");
  API_NULL(hed_fft1(z, &(hed_fft){ .axes = HED_AXES(0, 1) }), HED_E_SHAPE, "fft1: 2 axes are listed, this transform has 1");
  API_NULL(hed_fft1(z, &(hed_fft){ .s = HED_SHAPE(4, 4) }), HED_E_SHAPE, "fft1: s has 2 extents for 1 axes");
  API_NULL(hed_fft1(x, &(hed_fft){ .s = HED_SHAPE(0) }), HED_E_SHAPE, "fft1: extent 0 along axis 0");
  API_NULL(hed_rfft1(z, NULL), HED_E_DTYPE, "rfft1: x has dtype complex64");
  API_NULL(hed_ihfft1(z, NULL), HED_E_DTYPE, "ihfft1: x has dtype complex64");
  API_NULL(hed_hilbert(z, NULL), HED_E_DTYPE, "hilbert: x has dtype complex64");
  API_NULL(hed_fft1(NULL, NULL), HED_E_INVAL, "fft1: argument x is NULL");
  API_FAIL(hed_fft1_into(z, NULL, NULL), HED_E_INVAL, "fft1: argument x is NULL");
  API_FAIL(hed_fft1_into(NULL, z, NULL), HED_E_INVAL, "fft1: argument out is NULL");
  API_FAIL(hed_fft1_into(part, part, &(hed_fft){ .s = HED_SHAPE(4) }), HED_E_SHAPE, "out has shape (2, 3, 2), the result (2, 3, 4)");
  hed_array *flipped = hed_flip(z, NULL);
  API_FAIL(hed_fftn_into(flipped, z, NULL), HED_E_INVAL, "overlap without being the same elements in the same order");
  RELEASE(flipped, part, x, z);
}

int main(void)
{
  api_each_backend(against_the_sum);
  api_each_backend(theorems);
  api_each_backend(known_values);
  api_each_backend(frequencies);
  api_each_backend(refusals);
  done_testing();
  return done();
}
