// SPDX-License-Identifier: BSD-3-Clause
/* Fourier shell correlation against sums over a transform written out, odd and even extents, images and volumes; of a map with
 * itself, its negative, noise, and itself with as much noise; where it crosses a threshold.
 */
#include "arrays.h"
#include "gen.h"
#include "tap.h"
#include <heddle/kits/map.h>
#include <complex.h>
#include <math.h>
#include <stdlib.h>

static hed_array *noise(gen *g, hed_shape s, double **values)
{
  size_t n = 1;
  for (int i = 0; i < s.ndim; i++)
    n *= (size_t)s.dim[i];
  double *v = malloc(n * sizeof *v);
  for (size_t i = 0; i < n; i++)
    v[i] = gen_normal(g);
  hed_array *x = hed_from_host(v, s, HED_FLOAT64);
  if (!x)
    bail("%s", hed_error_text());
  if (values)
    *values = v;
  else
    free(v);
  return x;
}

static double complex transform(const double *v, const int64_t d[3], int64_t kz, int64_t ky, int64_t kx)
{
  double complex sum = 0;
  for (int64_t z = 0; z < d[0]; z++)
    for (int64_t y = 0; y < d[1]; y++)
      for (int64_t x = 0; x < d[2]; x++)
        sum += v[(z * d[1] + y) * d[2] + x] * cexp(-2 * M_PI * I * ((double)(kz * z) / (double)d[0] + (double)(ky * y) / (double)d[1] +
                                                                    (double)(kx * x) / (double)d[2]));
  return sum;
}

/* All frequencies of the whole spectrum. */
static void written_out(gen *g, hed_shape s)
{
  double *v, *w, *fsc, num[32] = { 0 }, p[32] = { 0 }, q[32] = { 0 };
  const int64_t d[3] = { s.ndim == 3 ? s.dim[0] : 1, s.dim[s.ndim - 2], s.dim[s.ndim - 1] };
  int64_t least = s.dim[0];
  size_t n;
  hed_array *a = noise(g, s, &v), *b = noise(g, s, &w);
  for (int i = 0; i < s.ndim; i++)
    least = s.dim[i] < least ? s.dim[i] : least;
  for (int64_t z = 0; z < d[0]; z++)
    for (int64_t y = 0; y < d[1]; y++)
      for (int64_t x = 0; x < d[2]; x++) {
        const int64_t k[3] = { z, y, x };
        double square = 0;
        for (int i = 0; i < 3; i++) {
          const double f = (double)(2 * k[i] <= d[i] ? k[i] : k[i] - d[i]) / (double)d[i];
          square += f * f;
        }
        const int shell = (int)floor(sqrt(square) * (double)least + 0.5);
        const double complex e = transform(v, d, z, y, x), f = transform(w, d, z, y, x);
        num[shell] += creal(e * conj(f));
        p[shell] += creal(e * conj(e));
        q[shell] += creal(f * conj(f));
      }
  if (ok(hed_map_fsc(a, b, &fsc, &n) == HED_OK, "%d-D, %lld", (int)s.ndim, (long long)s.dim[0])) {
    is_uint(n, (size_t)least / 2 + 1, "shells up to the Nyquist frequency");
    double worst = 0;
    for (size_t i = 0; i < n; i++)
      worst = fmax(worst, fabs(fsc[i] - num[i] / sqrt(p[i] * q[i])));
    ok(worst < 1e-9, "as written out: %g", worst);
    free(fsc);
  }
  free(v);
  free(w);
  RELEASE(a, b);
}

static void known(gen *g)
{
  hed_array *x = noise(g, HED_SHAPE(32, 32, 32), NULL), *y = noise(g, HED_SHAPE(32, 32, 32), NULL);
  hed_array *sum = hed_add(x, y), *opposite = hed_negative(x), *other = hed_ones(HED_SHAPE(32, 32, 31), HED_FLOAT32);
  const struct { const hed_array *with; double want, within; const char *what; } cases[] = {
    { x, 1, 1e-12, "with itself" }, { opposite, -1, 1e-12, "with its negative" }, { y, 0, 0.15, "with noise" },
    { sum, sqrt(0.5), 0.15, "with itself and as much noise" },
  };
  double *fsc;
  size_t n;
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
    if (ok(hed_map_fsc(x, cases[c].with, &fsc, &n) == HED_OK, "%s", cases[c].what)) {
      double worst = 0;
      for (size_t i = cases[c].within < 0.1 ? 0 : 6; i < n; i++) /* inner shells have few frequencies */
        worst = fmax(worst, fabs(fsc[i] - cases[c].want));
      ok(worst <= cases[c].within, "it is %g to %g", cases[c].want, worst);
      free(fsc);
    }
  ok(hed_map_fsc(x, other, &fsc, &n) == HED_E_SHAPE && !fsc && n == 0, "another shape: %s", hed_error_text());
  ok(hed_map_fsc(x, NULL, &fsc, &n) == HED_E_INVAL, "NULL");
  const double falling[] = { 1, 0.9, 0.7, 0.3, 0.1 };
  is_near(hed_map_fsc_crossing(falling, 5, 0.5), 2.5, 0, 1e-12, "half is crossed between shells 2 and 3");
  is_near(hed_map_fsc_crossing(falling, 5, 0.05), 0, 0, 0, "never crossed");
  RELEASE(x, y, sum, opposite, other);
}

int main(void)
{
  gen g;
  gen_seed(&g, tap_seed());
  written_out(&g, HED_SHAPE(6, 7, 8));
  written_out(&g, HED_SHAPE(9, 6, 5));
  written_out(&g, HED_SHAPE(12, 11));
  written_out(&g, HED_SHAPE(7, 16));
  known(&g);
  return done();
}
