// SPDX-License-Identifier: BSD-3-Clause
/* Factors of tall matrices whose columns depend on each other, or nearly: they are as good as Householder's method makes them; thin
 * singular value decompositions of any.
 */
#include "api.h"
#include "gen.h"
#include <float.h>
#include <math.h>

static double size_of(hed_array *x)
{
  hed_array *a = hed_abs(x), *m = hed_max(a, NULL);
  RELEASE(x, a);
  return api_number(m);
}

/* Q^H Q less the identity. */
static double apart(const hed_array *q)
{
  hed_array *wide = hed_astype(q, HED_COMPLEX128), *turned = hed_transpose(wide, NULL), *t = hed_conj(turned);
  hed_array *g = hed_matmul(t, wide);
  hed_array *one = hed_eye(hed_array_shape(g).dim[0], hed_array_shape(g).dim[0], 0, HED_FLOAT64);
  const double d = size_of(hed_subtract(g, one));
  hed_array *all[] = { wide, turned, t, g, one };
  for (int k = 0; k < 5; k++)
    hed_release(all[k]);
  return d;
}

/* A less the product of B and C. */
static double off(const hed_array *a, const hed_array *b, const hed_array *c)
{
  hed_array *x = hed_astype(a, HED_COMPLEX128), *y = hed_astype(b, HED_COMPLEX128), *z = hed_astype(c, HED_COMPLEX128);
  hed_array *p = hed_matmul(y, z);
  const double d = size_of(hed_subtract(x, p));
  hed_array *all[] = { x, y, z, p };
  for (int k = 0; k < 4; k++)
    hed_release(all[k]);
  return d;
}

/* M rows of 1, k mod 7, 1 + DEPENDENT (k mod 11), and more columns of other remainders. */
static hed_array *matrix(int64_t m, int64_t n, double dependent, hed_dtype t)
{
  double *v = malloc((size_t)(m * n) * sizeof *v);
  for (int64_t k = 0; k < m; k++)
    for (int64_t j = 0; j < n; j++)
      v[k * n + j] = j == 0 ? 1 : j == 1 ? (double)(k % 7) : j == 2 ? 1 + dependent * (double)(k % 11)
                     : (double)(k % (11 + 2 * j));
  hed_array *x = api_array(HED_SHAPE(m, n), t, v), *turned = x;
  free(v);
  if (hed_dtype_kind(t) == HED_KIND_COMPLEX) {
    turned = hed_multiply_complex(x, 0.6, -0.8);
    hed_release(x);
  }
  return turned;
}

static void factors(const char *backend)
{
  static const struct { int64_t m, n; double dependent; } cases[] = {
    { 5000, 3, 0 }, { 5000, 3, 1e-3 }, { 5000, 3, 1e-5 }, { 1500, 20, 0 }, { 1500, 20, 1 }, { 3000, 3, 1 }, { 40, 5, 0 },
  };
  diag("tall matrices on %s, %d threads", backend, api_threads);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (int type = 0; type < 3; type++) {
      const hed_dtype t = ((const hed_dtype[]){ HED_FLOAT32, HED_FLOAT64, HED_COMPLEX64 })[type];
      const bool wide = t == HED_FLOAT64;
      const double eps = wide ? 1e-12 : 2e-5, large = 40; /* of an element */
      hed_array *a = matrix(cases[k].m, cases[k].n, cases[k].dependent, t);
      hed_array *u = NULL, *s = NULL, *vh = NULL, *q = NULL, *r = NULL;
      diag("%s, %lld x %lld, %g", hed_dtype_name(t), (long long)cases[k].m, (long long)cases[k].n, cases[k].dependent);
      is_int(hed_qr(a, HED_QR_REDUCED, &q, &r), HED_OK, "qr");
      is_near(apart(q), 0, 0, wide ? 1e-12 : 2e-6, "q has orthogonal columns");
      is_near(off(a, q, r), 0, 0, eps * large, "q r is a");
      is_int(hed_svd(a, false, &u, &s, &vh), HED_OK, "svd");
      hed_array *us = hed_multiply(u, s);
      is_near(apart(u), 0, 0, wide ? 1e-12 : 2e-6, "u has orthogonal columns");
      is_near(off(a, us, vh), 0, 0, eps * large, "u s vh is a");
      if (cases[k].dependent == 0) {
        double v[64];
        const int64_t n = api_values(s, v);
        is_near(v[n - 1], 0, 0, v[0] * (wide ? 1e-13 : 1e-6), "the last singular value is 0");
      }
      hed_array *over = hed_transpose(a, NULL), *uo = NULL, *so = NULL, *vo = NULL;
      is_int(hed_svd(over, false, &uo, &so, &vo), HED_OK, "svd of the transpose");
      hed_array *uso = hed_multiply(uo, so);
      is_near(off(over, uso, vo), 0, 0, eps * large, "u s vh is that");
      hed_array *all[] = { a, q, r, u, s, vh, us, over, uo, so, vo, uso };
      for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        hed_release(all[i]);
    }
}

/* Columns of decreasing size: singular values far below the root of the type's precision times the largest. */
static void by_gram(const char *backend)
{
  diag("symeig_svd on %s, %d threads", backend, api_threads);
  double v[400 * 3], s[3];
  for (int k = 0; k < 400; k++)
    for (int j = 0; j < 3; j++)
      v[3 * k + j] = (k >> j & 1 ? 1 : -1) * (j == 0 ? 1 : j == 1 ? 0x1p-10 : 0x1p-20);
  hed_array *a = api_array(HED_SHAPE(400, 3), HED_FLOAT32, v), *values = NULL, *u = NULL, *exact = NULL;
  is_int(hed_symeig_svd(a, 3, &u, &values, NULL), HED_OK, "symeig_svd");
  is_int(hed_svd(a, false, NULL, &exact, NULL), HED_OK, "svd");
  if (ok(api_values(values, s) == 3, "three values")) {
    double want[3];
    api_values(exact, want);
    is_near(s[0], want[0], 1e-6, 0, "the largest");
    is_near(s[1], want[1], 1e-6, 0, "the second");
    is_near(s[2], want[2], 1e-5, 0, "the least");
    is_near(apart(u), 0, 0, 1e-5, "u has orthogonal columns");
  }
  hed_array *all[] = { a, values, u, exact };
  for (int k = 0; k < 4; k++)
    hed_release(all[k]);
}

static void least_squares(const char *backend)
{
  enum { M = 50000 };
  float *a = malloc(3 * M * sizeof *a), *b = malloc(M * sizeof *b);
  double x[3];
  diag("least squares on %s, %d threads", backend, api_threads);
  for (int k = 0; k < M; k++) {
    a[3 * k] = 1;
    a[3 * k + 1] = (float)(k % 7);
    a[3 * k + 2] = (float)(k % 11);
    b[k] = 1 + 2 * a[3 * k + 1] + 3 * a[3 * k + 2];
  }
  hed_array *m = hed_from_host(a, HED_SHAPE(M, 3), HED_FLOAT32), *y = hed_from_host(b, HED_SHAPE(M), HED_FLOAT32);
  hed_array *found = NULL;
  is_int(hed_lstsq(m, y, 0, &found, NULL, NULL, NULL), HED_OK, "lstsq");
  if (ok(api_values(found, x) == 3, "three unknowns"))
    for (int k = 0; k < 3; k++)
      is_near(x[k], k + 1, 2e-5, 0, "unknown %d", k);
  RELEASE(m, y, found);
  free(a);
  free(b);
}

/* Work space of m x m would be 8 GB and more. */
static void long_qr(const char *backend)
{
  enum { M = 30000 };
  diag("a long qr on %s, %d threads", backend, api_threads);
  hed_array *a = matrix(M, 2, 0, HED_FLOAT32), *q = NULL, *r = NULL;
  is_int(hed_set_available_memory(64 << 20), HED_OK, "64 MB are to be enough");
  is_int(hed_qr(a, HED_QR_REDUCED, &q, &r), HED_OK, "reduced qr (%s)", hed_error_text());
  is_near(off(a, q, r), 0, 0, 1e-4, "q r is a");
  RELEASE(a, q, r);
}

/* The largest of |A - U S VH| (Frobenius), over eps times A's norm times its extent, and of |Q'Q - 1| of U and V, over eps. */
static void residuals(const double *a, int64_t m, int64_t n, const double *u, const double *s, const double *vh, double *residual,
                      double *departure)
{
  const int64_t k = m < n ? m : n;
  double sum = 0;
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) {
      double e = a[i * n + j];
      for (int64_t q = 0; q < k; q++)
        e -= u[i * k + q] * s[q] * vh[q * n + j];
      sum += e * e;
    }
  *residual = fmax(*residual, s[0] > 0 ? sqrt(sum) / (DBL_EPSILON * s[0] * (double)(m > n ? m : n)) : 0);
  for (int64_t p = 0; p < k; p++)
    for (int64_t q = 0; q <= p; q++) {
      double x = p == q ? -1 : 0, y = x;
      for (int64_t i = 0; i < m; i++)
        x += u[i * k + p] * u[i * k + q];
      for (int64_t j = 0; j < n; j++)
        y += vh[p * n + j] * vh[q * n + j];
      *departure = fmax(*departure, fmax(fabs(x), fabs(y)) / DBL_EPSILON);
    }
}

/* Thin decompositions: of LAPACK's kind are a residual of some units and departures of tens; the reference's Jacobi rotations, by
 * which others are judged, stay well below. */
static void thin(const char *backend)
{
  enum { COUNT = 400, MOST = 60 };
  static double a[MOST * MOST], u[MOST * MOST], s[MOST], vh[MOST * MOST];
  const bool reference = strncmp(backend, "reference", 9) == 0;
  double residual = 0, departure = 0;
  gen g;
  gen_seed(&g, tap_seed() + 11);
  diag("thin svd on %s", backend);
  for (int round = 0; round < scaled(COUNT); round++)
    HED_SCOPE
    {
      const int64_t m = gen_int(&g, 1, MOST), n = gen_int(&g, 1, round % 4 ? MOST / 3 : MOST), k = m < n ? m : n;
      const int64_t rank = round % 3 ? k : 1 + k / 2;
      for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
          a[i * n + j] = j < rank ? gen_normal(&g) * (round % 5 ? 1 : ldexp(1, (int)-j)) : a[i * n + j - rank];
      hed_array *x = api_array(HED_SHAPE(m, n), HED_FLOAT64, a), *ux, *sx, *vx;
      if (hed_svd(x, false, &ux, &sx, &vx) != HED_OK || hed_to_host(ux, u, (size_t)(m * k) * 8) != HED_OK ||
          hed_to_host(sx, s, (size_t)k * 8) != HED_OK || hed_to_host(vx, vh, (size_t)(k * n) * 8) != HED_OK)
        bail("svd: %s", hed_error_text());
      residuals(a, m, n, u, s, vh, &residual, &departure);
    }
  ok(residual < (reference ? 2 : 30), "residuals of %d: at most %.2f units", COUNT, residual);
  ok(departure < (reference ? 20 : 60), "departures from orthogonality: at most %.1f eps", departure);
}

int main(void)
{
  api_each_context(factors);
  api_each_context(by_gram);
  api_each_context(least_squares);
  api_each_context(long_qr);
  api_each_backend(thin);
  done_testing();
  return done();
}
