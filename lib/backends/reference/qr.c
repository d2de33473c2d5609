// SPDX-License-Identifier: BSD-3-Clause
/* Triangular factors: cholesky by rows (Golub and Van Loan, algorithm 4.2.1) and qr by Householder reflections
 * (algorithm 5.2.1), computed in double. L1.
 *
 * q and r are turned so that the diagonal of r is real and not negative; with full rank that makes them unique.
 */
#include "backends/reference/dense.h"

#include <string.h>

REF_KERNEL(cholesky)
{
  const hed_cholesky_params *p = call->params;
  const hed_view *a = call->in[0], *out = call->out[0];
  const hed_view *views[2] = { a, out };
  const int64_t n = ref_rows(a);
  int64_t at = 0;
  int32_t status = HED_OK;
  ref_walk w;
  ref_z *given = ref_alloc(state, "cholesky", n * n, sizeof *given), *l = ref_alloc(state, "cholesky", n * n, sizeof *l);
  if (!given || !l) {
    status = HED_E_NOMEM;
    goto out;
  }
  for (ref_batch(&w, 2, views); w.left > 0; ref_walk_next(&w), at++) {
    ref_load(given, a, w.ptr[0]);
    memset(l, 0, (size_t)(n * n) * sizeof *l);
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j <= i; j++) {
        ref_z sum = p->upper ? conj(given[j * n + i]) : given[i * n + j];
        for (int64_t k = 0; k < j; k++)
          sum -= l[i * n + k] * conj(l[j * n + k]);
        if (i > j) {
          l[i * n + j] = sum / creal(l[j * n + j]);
        } else if (creal(sum) > 0) {
          l[i * n + i] = sqrt(creal(sum));
        } else { /* also NaN */
          char text[HED__MATRIX_TEXT];
          status = ref_host(state)->fail(HED_E_SINGULAR,
                                         "cholesky: %s is not positive definite: its leading minor of order %lld",
                                         hed__matrix_text(at, a->ndim - 2, text), (long long)i + 1);
          goto out;
        }
      }
    for (int64_t i = 0; i < n && p->upper; i++)
      for (int64_t j = 0; j < i; j++) {
        l[j * n + i] = conj(l[i * n + j]);
        l[i * n + j] = 0;
      }
    ref_store(out, w.ptr[1], l, n);
  }
out:
  ref_free(state, given);
  ref_free(state, l);
  return status;
}

/* A := (1 - beta v v^H) A for columns FIRST and on of the rows from TOP; V has M elements, zeros above TOP. */
static void reflect(ref_z *a, int64_t m, int64_t n, int64_t top, int64_t first, const ref_z *v, double beta)
{
  for (int64_t j = first; j < n; j++) {
    ref_z sum = 0;
    for (int64_t i = top; i < m; i++)
      sum += conj(v[i]) * a[i * n + j];
    sum *= beta;
    for (int64_t i = top; i < m; i++)
      a[i * n + j] -= v[i] * sum;
  }
}

/* A (m x n) becomes R, Q the first WIDTH columns of its unitary factor, at least min(m, n); V is work space of m elements for
 * each of min(m, n) columns. */
static void factor(ref_z *a, int64_t m, int64_t n, ref_z *q, int64_t width, ref_z *v, double *beta)
{
  const int64_t k = m < n ? m : n;
  for (int64_t c = 0; c < k; c++) {
    ref_z *x = v + c * m;
    double largest = 0, norm = 0;
    beta[c] = 0;
    for (int64_t i = c; i < m; i++) {
      x[i] = a[i * n + c];
      if (i > c)
        largest = fmax(largest, fmax(fabs(creal(x[i])), fabs(cimag(x[i]))));
      if (isnan(creal(x[i])) || isnan(cimag(x[i])))
        largest = NAN;
    }
    if (largest == 0)
      continue;
    const double top = hypot(creal(x[c]), cimag(x[c])), scale = fmax(largest, top);
    for (int64_t i = c; i < m; i++)
      norm += ref_abs2(x[i] = x[i] / scale);
    norm = sqrt(norm);
    const ref_z phase = top > 0 ? x[c] / (top / scale) : 1;
    x[c] += phase * norm;
    double square = 0;
    for (int64_t i = c; i < m; i++)
      square += ref_abs2(x[i]);
    beta[c] = 2 / square;
    reflect(a, m, n, c, c, x, beta[c]);
    a[c * n + c] = -phase * (norm * scale);
    for (int64_t i = c + 1; i < m; i++)
      a[i * n + c] = 0;
  }
  if (!q)
    return;
  for (int64_t i = 0; i < m * width; i++)
    q[i] = i % (width + 1) == 0 && i / (width + 1) < width;
  for (int64_t c = k - 1; c >= 0; c--)
    if (beta[c] != 0)
      reflect(q, m, width, c, c, v + c * m, beta[c]);
}

REF_KERNEL(qr)
{
  const hed_view *a = call->in[0], *q = call->out[0], *r = call->out[1];
  const hed_view *views[3] = { a, q, r };
  const int64_t m = ref_rows(a), n = ref_cols(a), k = m < n ? m : n, width = q ? ref_cols(q) : 0;
  int32_t status = HED_OK;
  ref_walk w;
  ref_z *work = ref_alloc(state, "qr", m * n, sizeof *work), *v = ref_alloc(state, "qr", k * m, sizeof *v);
  ref_z *basis = q ? ref_alloc(state, "qr", m * width, sizeof *basis) : NULL;
  double *beta = ref_alloc(state, "qr", k, sizeof *beta);
  if (!work || !v || !beta || (q && !basis)) {
    status = HED_E_NOMEM;
    goto out;
  }
  for (ref_batch(&w, 3, views); w.left > 0; ref_walk_next(&w)) {
    ref_load(work, a, w.ptr[0]);
    factor(work, m, n, basis, width, v, beta);
    for (int64_t c = 0; c < k; c++) {
      const ref_z d = work[c * n + c];
      const double size = hypot(creal(d), cimag(d));
      if (!(size > 0))
        continue;
      const ref_z turn = conj(d) / size;
      for (int64_t j = c; j < n; j++)
        work[c * n + j] *= turn;
      work[c * n + c] = size;
      for (int64_t i = 0; i < m && q; i++)
        basis[i * width + c] *= conj(turn);
    }
    if (q)
      ref_store(q, w.ptr[1], basis, width);
    if (r)
      ref_store(r, w.ptr[2], work, n);
  }
out:
  ref_free(state, work);
  ref_free(state, v);
  ref_free(state, basis);
  ref_free(state, beta);
  return status;
}
