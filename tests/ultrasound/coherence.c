// SPDX-License-Identifier: BSD-3-Clause
/* Coherence factors of the ultrasound kit against sums written out, over every axis, layout and kind of number. */
#include "arrays.h"
#include "us.h"

enum { ROOM = 4096 };
static const double pi = 3.14159265358979323846;

typedef double (*formula)(const double complex *v, int64_t m, double p, int m0);

static double coherence(const double complex *v, int64_t m, double p, int m0)
{
  double complex sum = 0;
  double power = 0;
  (void)p, (void)m0;
  for (int64_t i = 0; i < m; i++) {
    sum += v[i];
    power += creal(v[i] * conj(v[i]));
  }
  return power == 0 ? 0 : creal(sum * conj(sum)) / ((double)m * power);
}

static double amplitudes(const double complex *v, int64_t m, double p, int m0)
{
  double complex sum = 0;
  double size = 0;
  (void)p, (void)m0;
  for (int64_t i = 0; i < m; i++) {
    sum += v[i];
    size += cabs(v[i]);
  }
  return size == 0 ? 0 : cabs(sum) / size;
}

static double generalized(const double complex *v, int64_t m, double p, int m0)
{
  double top = 0, power = 0;
  (void)p;
  for (int k = -m0; k <= m0; k++) {
    double complex x = 0;
    for (int64_t i = 0; i < m; i++)
      x += v[i] * cexp(-2 * pi * I * k * (double)i / (double)m);
    top += creal(x * conj(x));
  }
  for (int64_t i = 0; i < m; i++)
    power += creal(v[i] * conj(v[i]));
  return power == 0 ? 0 : top / ((double)m * power);
}

static double signs(const double complex *v, int64_t m, double p, int m0)
{
  double b = 0;
  (void)m0;
  for (int64_t i = 0; i < m; i++)
    b += creal(v[i]) >= 0 ? 1 : -1;
  b /= (double)m;
  return pow(fabs(1 - sqrt(1 - b * b)), p);
}

static double phases(const double complex *v, int64_t m, double p, int m0)
{
  double complex sum = 0;
  (void)m0;
  for (int64_t i = 0; i < m; i++)
    sum += v[i] == 0 ? 0 : v[i] / cabs(v[i]);
  return pow(cabs(sum) / (double)m, p);
}

static double deviation(const double *a, int64_t m)
{
  double mean = 0, sum = 0;
  for (int64_t i = 0; i < m; i++)
    mean += a[i] / (double)m;
  for (int64_t i = 0; i < m; i++)
    sum += (a[i] - mean) * (a[i] - mean) / (double)m;
  return sqrt(sum);
}

static double camacho(const double complex *v, int64_t m, double p, int m0)
{
  double a[64], b[64];
  (void)m0;
  for (int64_t i = 0; i < m; i++) {
    a[i] = atan2(cimag(v[i]), creal(v[i]));
    b[i] = a[i] - copysign(pi, a[i]);
  }
  return fmax(0, 1 - p * fmin(deviation(a, m), deviation(b, m)) / (pi / sqrt(3)));
}

static const struct {
  const char *name;
  hed_array *(*fn)(const hed_array *, const hed_us_coherence *);
  hed_us_coherence opt;
  formula want;
} factors[] = {
  { "coherence", hed_us_coherence_factor, { .m0 = 0 }, coherence },
  { "of amplitudes", hed_us_coherence_factor, { .amplitude = true }, amplitudes },
  { "generalized", hed_us_generalized_coherence_factor, { .m0 = 1 }, generalized },
  { "generalized 3", hed_us_generalized_coherence_factor, { .m0 = 3 }, generalized },
  { "sign", hed_us_sign_coherence_factor, { .power = 1 }, signs },
  { "sign to the third", hed_us_sign_coherence_factor, { .power = 3 }, signs },
  { "phase", hed_us_phase_coherence_factor, { .power = 1 }, phases },
  { "phase to the half", hed_us_phase_coherence_factor, { .power = 0.5 }, phases },
  { "phase deviation", hed_us_phase_coherence_factor, { .camacho = true, .power = 0.7 }, camacho },
};
enum { FACTORS = sizeof factors / sizeof *factors };

/* One random array through all of them. */
static void compare(gen *g, hed_dtype t, const char *backend)
{
  double complex v[ROOM], line[64];
  double got[ROOM];
  hed_shape s = { .ndim = (int32_t)gen_int(g, 1, 4) };
  size_t n = 1;
  const int32_t axis = (int32_t)gen_below(g, (uint64_t)s.ndim);
  for (int32_t k = 0; k < s.ndim; k++)
    n *= (size_t)(s.dim[k] = k == axis ? gen_int(g, 7, 15) : gen_int(g, 1, 5));
  us_random(g, t, n, v);
  const int64_t m = s.dim[axis];
  int64_t after = 1;
  for (int32_t k = axis + 1; k < s.ndim; k++)
    after *= s.dim[k];
  hed_array *x = us_array(s, t, v);
  const bool single = us_is_single(t);
  for (int f = 0; f < FACTORS; f++) {
    hed_us_coherence opt = factors[f].opt;
    if (axis || gen_chance(g, 50))
      opt.axis = HED_AXES(gen_chance(g, 50) ? axis : axis - s.ndim);
    hed_array *r = factors[f].fn(x, &opt);
    ok(hed_array_dtype(r) == (single ? HED_FLOAT32 : HED_FLOAT64), "%s: %s of %s gives its real", backend, factors[f].name,
        hed_dtype_name(t));
    const int64_t size = us_values(r, got, ROOM);
    bool good = size == (int64_t)n / m;
    for (int64_t i = 0; good && i < size; i++) {
      for (int64_t k = 0; k < m; k++)
        line[k] = v[(i / after * m + k) * after + i % after];
      const double want = factors[f].want(line, m, opt.power, opt.m0);
      good = fabs(got[i] - want) <= (single ? 2e-6 : 1e-12);
      if (!good)
        diag("element %lld of axis %d: %.9g, %.9g", (long long)i, (int)axis, got[i], want);
    }
    ok(good, "%s: %s, %s, axis %d of %d", backend, factors[f].name, hed_dtype_name(t), (int)axis, (int)s.ndim);
  }
  hed_release(x);
}

static void random_arrays(const char *backend)
{
  const hed_dtype types[] = { HED_FLOAT32, HED_COMPLEX64, HED_FLOAT64, HED_COMPLEX128, HED_INT16, HED_UINT8, HED_FLOAT16 };
  gen g;
  gen_seed(&g, tap_seed());
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    for (int k = 0; k < scaled(4); k++)
      compare(&g, types[i], backend);
}

static double of_list(hed_dtype t, int64_t n, const double complex *v, int factor)
{
  hed_array *x = us_array(HED_SHAPE(n), t, v), *r = factors[factor].fn(x, &factors[factor].opt);
  hed_release(x);
  return us_value(r);
}

static void edges(const char *backend)
{
  const double complex zeros[7] = { 0 }, equal[7] = { 2, 2, 2, 2, 2, 2, 2 }, huge[7] = { 1e20, 1e20, 1e20, 1e20, -1e20, 1e20,
      1e20 };
  const double complex vast[7] = { 1e200, 1e200, 1e200, 1e200, -1e200, 1e200, 1e200 }, tiny[7] = { 1e-200, 1e-200, 0, 0, 0, 0,
      0 };
  const double complex three[3] = { 1, 2, -1 }, odd[7] = { 1, NAN, 2, 3, 4, 5, 6 };
  const double of_zeros[FACTORS] = { 0, 0, 0, 0, 1, 1, 0, 0, 1 };
  for (int f = 0; f < FACTORS; f++) {
    is_near(of_list(HED_COMPLEX64, 7, zeros, f), of_zeros[f], 0, 1e-7, "%s: %s of channels that are 0", backend, factors[f].name);
    is_near(of_list(HED_FLOAT32, 7, equal, f), 1, 0, 1e-6, "%s: %s of equal channels", backend, factors[f].name);
    ok(isnan(of_list(HED_FLOAT64, 7, odd, f)), "%s: %s of a NaN", backend, factors[f].name);
  }
  is_near(of_list(HED_FLOAT32, 7, huge, 0), 25. / 49, 1e-6, 0, "%s: 1e20 in float32", backend);
  is_near(of_list(HED_COMPLEX64, 7, huge, 0), 25. / 49, 1e-6, 0, "%s: 1e20 in complex64", backend);
  if (!us_is_single(HED_FLOAT64)) {
    is_near(of_list(HED_FLOAT64, 7, vast, 0), 25. / 49, 1e-12, 0, "%s: 1e200 in float64", backend);
    is_near(of_list(HED_FLOAT64, 7, vast, 2), generalized(huge, 7, 1, 1), 1e-12, 0, "%s: the same, generalized", backend);
    is_near(of_list(HED_COMPLEX128, 7, tiny, 0), 4. / 14, 1e-12, 0, "%s: 1e-200", backend);
  }
  is_near(of_list(HED_FLOAT64, 3, three, 2), 1, 0, 1e-6, "%s: all frequencies of 3 channels", backend);
  hed_array *x = us_array(HED_SHAPE(7), HED_FLOAT64, huge);
  is_near(us_value(hed_us_generalized_coherence_factor(x, &(hed_us_coherence){ .m0 = -1 })), 25. / 49, 1e-6, 0,
          "%s: the frequency 0 alone is the plain factor", backend);
  hed_release(x);
}

static void refusals(const char *backend)
{
  const double complex v[6] = { 1, 2, 3, 4, 5, 6 };
  (void)backend;
  hed_array *x = us_array(HED_SHAPE(2, 3), HED_FLOAT32, v);
  hed_array *none = hed_zeros(HED_SHAPE(0, 3), HED_FLOAT32);
  us_refused(hed_us_coherence_factor(x, &(hed_us_coherence){ .axis = HED_AXES(2) }), HED_E_AXIS, "axis 2", "with 2");
  us_refused(hed_us_coherence_factor(x, &(hed_us_coherence){ .axis = HED_AXES(0, 1) }), HED_E_INVAL, "2 axes", "one");
  us_refused(hed_us_generalized_coherence_factor(x, NULL), HED_E_INVAL, "m0 1", "2 channels");
  us_refused(hed_us_sign_coherence_factor(x, &(hed_us_coherence){ .power = -2 }), HED_E_INVAL, "power", "-2");
  us_refused(hed_us_phase_coherence_factor(x, &(hed_us_coherence){ .power = INFINITY }), HED_E_INVAL, "power", "inf");
  us_refused(hed_us_phase_coherence_factor(none, NULL), HED_E_SHAPE, "no channels", "axis 0");
  us_refused(hed_us_coherence_factor(NULL, NULL), HED_E_INVAL, "us_coherence_factor", "x is NULL");
  RELEASE(none, x);
}

/* Nothing that a call makes stays in the caller's scope but what it returns. */
static void scopes(const char *backend)
{
  const double complex v[6] = { 1, 2, 3, 4, 5, 6 };
  hed_array *x = us_array(HED_SHAPE(6), HED_COMPLEX64, v), *kept = NULL;
  HED_SCOPE {
    hed_array *r = hed_us_coherence_factor(x, NULL);
    is_int(hed_array_refs(r), 1, "%s: one reference, which the scope holds", backend);
    kept = hed_keep(hed_us_sign_coherence_factor(x, NULL));
  }
  is_near(us_value(kept), 1, 0, 1e-7, "%s: what is kept outlives the scope", backend);
  hed_release(x);
}

int main(void)
{
  us_each(random_arrays);
  us_each(edges);
  us_each(refusals);
  us_each(scopes);
  done_testing();
  return done();
}
