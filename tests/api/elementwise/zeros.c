// SPDX-License-Identifier: BSD-3-Clause
/* Zeros with their signs, infinities, and the order of equals: sorting, extremes, angles, signs and functions of complex numbers
 * at the ends of their range.
 */
#include "api.h"
#include "gen.h"
#include <complex.h>
#include <math.h>

static const hed_dtype *floats(int *n)
{
  static hed_dtype t[4];
  t[0] = HED_FLOAT16, t[1] = HED_BFLOAT16, t[2] = HED_FLOAT32, t[3] = HED_FLOAT64;
  *n = 4;
  return t;
}

/* N values of X, which is released, are WANT to the sign of zeros. */
static bool same_signs(hed_array *x, int64_t n, const double *want)
{
  static double got[API_MAX];
  bool same = api_values(x, got) == n;
  for (int64_t k = 0; k < n && same; k++)
    same = (got[k] == want[k] && !signbit(got[k]) == !signbit(want[k])) || (got[k] != got[k] && want[k] != want[k]);
  hed_release(x);
  return same;
}

/* V in order, equals in theirs, NaN last. */
static void insert(int64_t n, double *v, bool descending)
{
  for (int64_t i = 1; i < n; i++) {
    const double x = v[i];
    int64_t k = i;
    for (; k > 0 && x == x && (v[k - 1] != v[k - 1] || (descending ? v[k - 1] < x : v[k - 1] > x)); k--)
      v[k] = v[k - 1];
    v[k] = x;
  }
}

static void sorts(const char *backend)
{
  static const struct { int64_t lanes, n; } shapes[] = { { 1, 2 }, { 40, 7 }, { 9, 40 }, { 3, 500 }, { 1, 3000 } };
  static double v[API_MAX], want[API_MAX], turned[API_MAX];
  gen g;
  int n;
  const hed_dtype *t = floats(&n);
  gen_seed(&g, tap_seed());
  diag("sorts on %s, %d threads", backend, api_threads);
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    const int64_t lanes = shapes[s].lanes, length = shapes[s].n, all = lanes * length;
    for (int down = 0; down < 2; down++) {
      for (int64_t k = 0; k < all; k++) {
        const uint64_t kind = gen_below(&g, 8);
        v[k] = kind < 2 ? 0.0 : kind < 4 ? -0.0 : kind == 4 ? (double)NAN : gen_double(&g, -2, 2) > 0 ? 1 : -1;
      }
      memcpy(want, v, sizeof want);
      for (int64_t l = 0; l < lanes; l++)
        insert(length, want + l * length, down);
      for (int64_t l = 0; l < lanes; l++)
        for (int64_t k = 0; k < length; k++)
          turned[k * lanes + l] = v[l * length + k];
      for (int k = 0; k < n; k++) {
        const hed_sort_options opt = { .descending = down, .axis = HED_AXES(0) };
        hed_array *x = api_array(HED_SHAPE(lanes, length), t[k], v), *y = api_array(HED_SHAPE(length, lanes), t[k], turned);
        hed_array *z = hed_sort(y, &opt);
        ok(same_signs(hed_sort(x, &(hed_sort_options){ .descending = down }), all, want), "%s of %lld x %lld, %s",
           hed_dtype_name(t[k]), (long long)lanes, (long long)length, down ? "descending" : "ascending");
        ok(same_signs(hed_transpose(z, NULL), all, want), "the same along the first axis");
        RELEASE(x, y, z);
      }
    }
  }
}

/* So long that threads divide it. */
static void long_sorts(const char *backend)
{
  enum { LONG = 70000 };
  float *v = malloc(LONG * sizeof *v), *got = malloc(LONG * sizeof *got);
  int64_t bad = 0, at = 0;
  gen g;
  gen_seed(&g, tap_seed());
  diag("a long sort on %s, %d threads", backend, api_threads);
  for (int k = 0; k < LONG; k++)
    v[k] = k % 5 ? (float)gen_normal(&g) : gen_chance(&g, 50) ? 0.0f : -0.0f;
  hed_array *x = hed_from_host(v, HED_SHAPE(LONG), HED_FLOAT32), *y = hed_sort(x, NULL);
  ok(hed_to_host(y, got, LONG * sizeof *got) == HED_OK, "sorted");
  while (at < LONG && got[at] < 0)
    at++;
  for (int k = 0; k < LONG; k++)
    if (v[k] == 0) {
      bad += !(got[at] == 0) || !signbit(got[at]) != !signbit(v[k]);
      at++;
    }
  is_int(bad, 0, "zeros stay in order");
  RELEASE(x, y);
  free(v);
  free(got);
}

static void extremes(const char *backend)
{
  enum { LONG = 300 };
  static double a[LONG], b[LONG];
  int n;
  const hed_dtype *t = floats(&n);
  diag("extremes on %s, %d threads", backend, api_threads);
  for (int k = 0; k < LONG; k++) {
    a[k] = k % 2 ? 0.0 : -0.0;
    b[k] = -a[k];
  }
  for (int k = 0; k < n; k++)
    for (int64_t size = 1; size <= LONG; size += LONG - 1) {
      diag("%lld of %s", (long long)size, hed_dtype_name(t[k]));
      hed_array *x = api_array(HED_SHAPE(size), t[k], a), *y = api_array(HED_SHAPE(size), t[k], b);
      ok(same_signs(hed_maximum(x, y), size, a), "maximum: the first of equals");
      ok(same_signs(hed_minimum(x, y), size, a), "minimum");
      ok(same_signs(hed_fmax(x, y), size, a), "fmax");
      ok(same_signs(hed_fmin(x, y), size, a), "fmin");
      RELEASE(x, y);
    }
}

static void angles(const char *backend)
{
  enum { LONG = 260 };
  static double v[LONG], want[LONG];
  int n;
  const hed_dtype *t = floats(&n);
  diag("angles on %s, %d threads", backend, api_threads);
  for (int k = 0; k < n; k++) {
    const double pi = k == 0 ? 3.140625 : k == 1 ? 3.140625 : k == 2 ? (double)3.14159265f : 3.14159265358979323846;
    for (int i = 0; i < LONG; i++) {
      v[i] = (const double[]){ -0.0, 0.0, -1, 2, -INFINITY, INFINITY, NAN }[i % 7];
      want[i] = (const double[]){ 1, 0, 1, 0, 1, 0, NAN }[i % 7] * pi;
    }
    for (int64_t size = 7; size <= LONG; size += LONG - 7) {
      hed_array *x = api_array(HED_SHAPE(size), t[k], v);
      ok(same_signs(hed_angle(x), size, want), "angle of %lld %s", (long long)size, hed_dtype_name(t[k]));
      hed_release(x);
    }
  }
}

/* FN of Z, among REPEATs of it, is WANT: exactly, or within a few units where REL is not 0. */
static void complex_is(hed_array *(*fn)(const hed_array *), const char *name, hed_dtype t, double complex z, double complex want,
                       double rel)
{
  enum { REPEAT = 40 };
  double in[2 * REPEAT], out[2 * REPEAT];
  for (int k = 0; k < REPEAT; k++) {
    in[2 * k] = creal(z);
    in[2 * k + 1] = cimag(z);
  }
  for (int64_t size = 1; size <= REPEAT; size += REPEAT - 1) {
    hed_array *wide = hed_from_host(in, HED_SHAPE(size), HED_COMPLEX128), *x = hed_astype(wide, t), *y = fn(x);
    hed_array *back = hed_astype(y, HED_COMPLEX128);
    if (ok(back && hed_to_host(back, out, (size_t)size * 16) == HED_OK, "%s of %lld", hed_dtype_name(t), (long long)size)) {
      is_near(out[2 * size - 2], creal(want), rel, 0, "%s(%g%+gi): real part", name, creal(z), cimag(z));
      is_near(out[2 * size - 1], cimag(want), rel, 0, "%s(%g%+gi): imaginary part", name, creal(z), cimag(z));
    }
    RELEASE(wide, x, y, back);
  }
}

static void complexes(const char *backend)
{
  static const double inf = INFINITY, nan = NAN;
  diag("complex numbers on %s", backend);
  /* sign: NumPy 2.4's */
  for (int k = 0; k < 2; k++) {
    const hed_dtype t = k ? HED_COMPLEX128 : HED_COMPLEX64;
    complex_is(hed_sign, "sign", t, CMPLX(inf, 0), 1, 0);
    complex_is(hed_sign, "sign", t, CMPLX(-inf, 2), -1, 0);
    complex_is(hed_sign, "sign", t, CMPLX(1, inf), CMPLX(0, 1), 0);
    complex_is(hed_sign, "sign", t, CMPLX(nan, -inf), CMPLX(0, -1), 0);
    complex_is(hed_sign, "sign", t, CMPLX(inf, nan), 1, 0);
    complex_is(hed_sign, "sign", t, CMPLX(inf, -inf), CMPLX(nan, nan), 0);
    complex_is(hed_sign, "sign", t, CMPLX(nan, 1), CMPLX(nan, nan), 0);
    complex_is(hed_sign, "sign", t, CMPLX(0, 0), 0, 0);
    complex_is(hed_sign, "sign", t, CMPLX(-3, 4), CMPLX(k ? -0.6 : (double)-0.6f, k ? 0.8 : (double)0.8f), 0);
  }
  complex_is(hed_sign, "sign", HED_COMPLEX128, CMPLX(1.5e308, 1.5e308), CMPLX(sqrt(0.5), sqrt(0.5)), 3e-16);
  complex_is(hed_sign, "sign", HED_COMPLEX64, CMPLX(3e38, -3e38), CMPLX(sqrt(0.5), -sqrt(0.5)), 2e-7);
  /* expm1: exp's limits (C11, G.6.3.1) less 1 */
  complex_is(hed_expm1, "expm1", HED_COMPLEX128, CMPLX(-inf, 0), -1, 0);
  complex_is(hed_expm1, "expm1", HED_COMPLEX128, CMPLX(-inf, 1), -1, 0);
  complex_is(hed_expm1, "expm1", HED_COMPLEX128, CMPLX(-inf, inf), -1, 0);
  complex_is(hed_expm1, "expm1", HED_COMPLEX64, CMPLX(-inf, nan), -1, 0);
  complex_is(hed_expm1, "expm1", HED_COMPLEX128, CMPLX(inf, 0), inf, 0);
  complex_is(hed_expm1, "expm1", HED_COMPLEX128, CMPLX(inf, 2), CMPLX(-inf, inf), 0);
  complex_is(hed_expm1, "expm1", HED_COMPLEX128, CMPLX(1, inf), CMPLX(nan, nan), 0);
  complex_is(hed_expm1, "expm1", HED_COMPLEX128, CMPLX(709.9, 1.5), CMPLX(exp(709) * (exp(0.9) * cos(1.5)), INFINITY), 1e-12);
  /* log1p where |1 + z| is nearly 1: mpmath with 60 digits, of the numbers as they are in float64 */
  static const struct { double complex z, log; double rel; } near[] = {
    { CMPLX(-0.5, 0.8660254037844386), CMPLX(-4.3453189326005861e-17, 1.0471975511965977), 1e-9 },
    { CMPLX(-1.2, 0.9797958971132712), CMPLX(-5.0362168294649814e-17, 1.7721542475852274), 1e-9 },
    { CMPLX(1.5e308, 1.5e308), CMPLX(709.94824734055421, 0.78539816339744831), 4e-16 },
  };
  for (int k = 0; k < 3; k++)
    complex_is(hed_log1p, "log1p", HED_COMPLEX128, near[k].z, near[k].log, near[k].rel);
}

int main(void)
{
  api_each_context(sorts);
  api_each_context(long_sorts);
  api_each_context(extremes);
  api_each_context(angles);
  api_each_backend(complexes);
  done_testing();
  return done();
}
