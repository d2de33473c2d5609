// SPDX-License-Identifier: BSD-3-Clause
/* Fourier shell correlation.
 *
 * Layer: L4, match kit.
 */
#include <heddle/kits/map.h>
#include <math.h>
#include <stdlib.h>

static const char op[] = "hed_map_fsc";

static hed_status check(const hed_array *a, const hed_array *b, hed_shape *s)
{
  if (!a || !b)
    return hed_fail(HED_E_INVAL, "%s: the %s map is NULL", op, a ? "second" : "first");
  for (int i = 0; i < 2; i++) {
    const hed_dtype t = hed_array_dtype(i ? b : a);
    if (hed_dtype_kind(t) == HED_KIND_COMPLEX)
      return hed_fail(HED_E_DTYPE, "%s: the %s map is %s, real ones can be compared", op, i ? "second" : "first", hed_dtype_name(t));
  }
  const hed_shape t = hed_array_shape(b);
  *s = hed_array_shape(a);
  if (s->ndim != 2 && s->ndim != 3)
    return hed_fail(HED_E_SHAPE, "%s: the maps have %d dimensions, 2 or 3 can be compared", op, (int)s->ndim);
  for (int i = 0; i < s->ndim; i++)
    if (t.ndim != s->ndim || t.dim[i] != s->dim[i] || s->dim[i] < 2)
      return hed_fail(HED_E_SHAPE, "%s: the first map has %d dimensions, %lld along axis %d, the second %d, %lld; at least 2", op,
                      (int)s->ndim, (long long)s->dim[i], i, (int)t.ndim, i < t.ndim ? (long long)t.dim[i] : 0);
  return HED_OK;
}

/* Half spectrum as pairs of doubles, from malloc(). */
static hed_status spectrum_of(const hed_array *x, double **out)
{
  hed_array *wide = hed_astype(x, HED_FLOAT64), *f = wide ? hed_rfftn(wide, NULL) : NULL;
  const size_t bytes = f ? hed_array_nbytes(f) : 0;
  *out = f ? malloc(bytes) : NULL;
  const hed_status status = !f ? hed_error() : !*out ? hed_fail(HED_E_NOMEM, "%s: no memory for %zu bytes", op, bytes)
                                                     : hed_to_host(f, *out, bytes);
  hed_release(wide);
  hed_release(f);
  return status;
}

/* Frequency I of N, in cycles a voxel. */
static double frequency(int64_t i, int64_t n)
{
  return (double)(i <= n / 2 ? i : i - n) / (double)n;
}

/* Sums over shells: of the product's real part, and of both squares. */
static void add_up(const double *p, const double *q, hed_shape s, int64_t least, size_t shells, double *sum)
{
  const int64_t nz = s.ndim == 3 ? s.dim[0] : 1, ny = s.dim[s.ndim - 2], nx = s.dim[s.ndim - 1], half = nx / 2 + 1;
  for (int64_t z = 0; z < nz; z++)
    for (int64_t y = 0; y < ny; y++)
      for (int64_t x = 0; x < half; x++, p += 2, q += 2) {
        const double kz = frequency(z, nz), ky = frequency(y, ny), kx = frequency(x, nx);
        const size_t shell = (size_t)(sqrt(kz * kz + ky * ky + kx * kx) * (double)least + 0.5);
        const double twice = x > 0 && 2 * x != nx ? 2 : 1; /* what the half spectrum leaves out is its conjugate */
        if (shell >= shells)
          continue;
        sum[3 * shell] += twice * (p[0] * q[0] + p[1] * q[1]);
        sum[3 * shell + 1] += twice * (p[0] * p[0] + p[1] * p[1]);
        sum[3 * shell + 2] += twice * (q[0] * q[0] + q[1] * q[1]);
      }
}

hed_status hed_map_fsc(const hed_array *a, const hed_array *b, double **fsc, size_t *n)
{
  hed_shape s;
  double *p = NULL, *q = NULL, *sum = NULL;
  if (!fsc || !n)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, fsc ? "n" : "fsc");
  *fsc = NULL;
  *n = 0;
  hed_status status = check(a, b, &s);
  if (status != HED_OK)
    return status;
  int64_t least = s.dim[0];
  for (int i = 1; i < s.ndim; i++)
    least = s.dim[i] < least ? s.dim[i] : least;
  const size_t shells = (size_t)least / 2 + 1;
  if ((status = spectrum_of(a, &p)) == HED_OK)
    status = spectrum_of(b, &q);
  if (status == HED_OK && !(sum = calloc(3 * shells, sizeof *sum)))
    status = hed_fail(HED_E_NOMEM, "%s: no memory for %zu shells", op, shells);
  if (status == HED_OK) {
    add_up(p, q, s, least, shells, sum);
    for (size_t i = 0; i < shells; i++) { /* in place: 3 i is never below i */
      const double power = sqrt(sum[3 * i + 1]) * sqrt(sum[3 * i + 2]);
      sum[i] = power > 0 ? fmin(fmax(sum[3 * i] / power, -1), 1) : 0;
    }
    *fsc = sum;
    *n = shells;
    sum = NULL;
  }
  free(p);
  free(q);
  free(sum);
  return status;
}

double hed_map_fsc_crossing(const double *fsc, size_t n, double threshold)
{
  for (size_t i = 1; fsc && i < n; i++)
    if (fsc[i] < threshold)
      return fsc[i - 1] > threshold ? (double)(i - 1) + (fsc[i - 1] - threshold) / (fsc[i - 1] - fsc[i]) : (double)i;
  return 0;
}
