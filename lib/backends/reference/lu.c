// SPDX-License-Identifier: BSD-3-Clause
/* Gaussian elimination with partial pivoting (G. H. Golub, C. F. Van Loan, Matrix Computations, 4th ed., algorithm
 * 3.4.1), and what is solved by it: lu, det, solve, solve_triangular. Computed in double. L1.
 *
 * A pivot of exactly 0 ends solve with HED_E_SINGULAR and leaves lu a zero on the diagonal of u. NaN spreads by the
 * arithmetic alone.
 */
#include "backends/reference/dense.h"
#include "base/product.h"
#include <heddle/ops/linalg.h>

/* A := L below the diagonal, U on and above it; perm[i] is the row of A that became row i. Returns the first pivot that
 * is 0, -1 when there is none. */
static int64_t eliminate(int64_t m, int64_t n, ref_z *a, int64_t *perm, double *sign)
{
  int64_t zero = -1;
  *sign = 1;
  for (int64_t i = 0; i < m; i++)
    perm[i] = i;
  for (int64_t k = 0; k < m && k < n; k++) {
    int64_t best = k;
    for (int64_t i = k + 1; i < m; i++)
      if (fabs(creal(a[i * n + k])) + fabs(cimag(a[i * n + k])) >
          fabs(creal(a[best * n + k])) + fabs(cimag(a[best * n + k])))
        best = i;
    if (best != k) {
      for (int64_t j = 0; j < n; j++) {
        ref_z t = a[k * n + j];
        a[k * n + j] = a[best * n + j];
        a[best * n + j] = t;
      }
      int64_t row = perm[k];
      perm[k] = perm[best];
      perm[best] = row;
      *sign = -*sign;
    }
    if (a[k * n + k] == 0) {
      zero = zero < 0 ? k : zero;
      continue;
    }
    for (int64_t i = k + 1; i < m; i++) {
      const ref_z f = a[i * n + k] /= a[k * n + k];
      for (int64_t j = k + 1; j < n; j++)
        a[i * n + j] -= f * a[k * n + j];
    }
  }
  return zero;
}

/* X := T^-1 X for the triangle of an N by N matrix, K columns. */
static void substitute(int64_t n, const ref_z *t, int64_t k, ref_z *x, bool upper, bool unit)
{
  for (int64_t step = 0; step < n; step++) {
    const int64_t i = upper ? n - 1 - step : step;
    for (int64_t c = 0; c < k; c++) {
      ref_z sum = x[i * k + c];
      for (int64_t j = upper ? i + 1 : 0; j < (upper ? n : i); j++)
        sum -= t[i * n + j] * x[j * k + c];
      x[i * k + c] = unit ? sum : sum / t[i * n + i];
    }
  }
}

REF_KERNEL(lu)
{
  const hed_view *a = call->in[0], *perm = call->out[0], *l = call->out[1], *u = call->out[2];
  const int64_t m = ref_rows(a), n = ref_cols(a), k = m < n ? m : n;
  hed_view spare[2];
  const hed_view *views[4] = { a, ref_like_matrix(perm, a->ndim, &spare[0]), l, u }, *sign = NULL;
  int32_t status = HED_OK;
  ref_walk w, ws;
  ref_z *work = ref_alloc(state, "lu", m * n, sizeof *work), *part = ref_alloc(state, "lu", k * (m + n), sizeof *part);
  int64_t *rows = ref_alloc(state, "lu", m, sizeof *rows);
  if (!work || !part || !rows) {
    status = HED_E_NOMEM;
    goto out;
  }
  /* five views are one more than a walk holds: the sign has its own, in step with the others */
  if (call->n_out > 3)
    sign = ref_like_matrix(call->out[3], a->ndim, &spare[1]);
  ref_batch(&w, 4, views);
  ref_batch(&ws, 2, (const hed_view *const[]){ a, sign });
  for (; w.left > 0; ref_walk_next(&w), ref_walk_next(&ws)) {
    double parity;
    ref_load(work, a, w.ptr[0]);
    eliminate(m, n, work, rows, &parity);
    if (perm)
      hed__cast(HED_ID_INT64, perm->dtype)(m, w.ptr[1], perm->stride[perm->ndim - 1], (const char *)rows, 8);
    if (sign)
      hed__cast(HED_ID_FLOAT64, sign->dtype)(1, ws.ptr[1], 0, (const char *)&parity, 8);
    for (int64_t i = 0; i < m; i++)
      for (int64_t j = 0; j < k; j++)
        part[i * k + j] = i > j ? work[i * n + j] : i == j;
    if (l)
      ref_store(l, w.ptr[2], part, k);
    for (int64_t i = 0; i < k; i++)
      for (int64_t j = 0; j < n; j++)
        part[i * n + j] = i <= j ? work[i * n + j] : 0;
    if (u)
      ref_store(u, w.ptr[3], part, n);
  }
out:
  ref_free(state, work);
  ref_free(state, part);
  ref_free(state, rows);
  return status;
}

REF_KERNEL(det)
{
  hed_view spare;
  const hed_view *a = call->in[0], *views[2] = { a, ref_like_matrix(call->out[0], a->ndim, &spare) };
  const int64_t n = ref_rows(a);
  ref_walk w;
  ref_z *work = ref_alloc(state, "det", n * n, sizeof *work);
  int64_t *rows = ref_alloc(state, "det", n, sizeof *rows);
  const int32_t status = work && rows ? HED_OK : HED_E_NOMEM;
  if (status == HED_OK)
    for (ref_batch(&w, 2, views); w.left > 0; ref_walk_next(&w)) {
      double value[2], parity;
      hed__product p = hed__product_one;
      ref_load(work, a, w.ptr[0]);
      eliminate(n, n, work, rows, &parity);
      for (int64_t i = 0; i < n; i++)
        hed__product_complex(&p, creal(work[i * (n + 1)]), cimag(work[i * (n + 1)]));
      hed__product_value(&p, value);
      const ref_z det = CMPLX(parity * value[0], parity * value[1]);
      hed__cast(REF_Z, views[1]->dtype)(1, w.ptr[1], 0, (const char *)&det, REF_Z_SIZE);
    }
  ref_free(state, work);
  ref_free(state, rows);
  return status;
}

REF_KERNEL(solve)
{
  const hed_view *a = call->in[0], *b = call->in[1], *x = call->out[0];
  const hed_view *views[3] = { a, b, x };
  const int64_t n = ref_rows(a), k = ref_cols(b);
  int64_t at = 0;
  int32_t status = HED_OK;
  ref_walk w;
  ref_z *work = ref_alloc(state, "solve", n * n, sizeof *work), *right = ref_alloc(state, "solve", n * k, sizeof *right);
  ref_z *sorted = ref_alloc(state, "solve", n * k, sizeof *sorted);
  int64_t *rows = ref_alloc(state, "solve", n, sizeof *rows);
  if (!work || !right || !sorted || !rows) {
    status = HED_E_NOMEM;
    goto out;
  }
  for (ref_batch(&w, 3, views); w.left > 0; ref_walk_next(&w), at++) {
    double parity;
    ref_load(work, a, w.ptr[0]);
    ref_load(right, b, w.ptr[1]);
    int64_t zero = eliminate(n, n, work, rows, &parity);
    if (zero >= 0) {
      char text[HED__MATRIX_TEXT];
      status = ref_host(state)->fail(HED_E_SINGULAR, "solve: %s is singular: pivot %lld is 0",
                                     hed__matrix_text(at, a->ndim - 2, text), (long long)zero);
      goto out;
    }
    for (int64_t i = 0; i < n; i++)
      for (int64_t c = 0; c < k; c++)
        sorted[i * k + c] = right[rows[i] * k + c];
    substitute(n, work, k, sorted, false, true);
    substitute(n, work, k, sorted, true, false);
    ref_store(x, w.ptr[2], sorted, k);
  }
out:
  ref_free(state, work);
  ref_free(state, right);
  ref_free(state, sorted);
  ref_free(state, rows);
  return status;
}

REF_KERNEL(solve_triangular)
{
  const hed_triangular_params *p = call->params;
  const hed_view *a = call->in[0], *b = call->in[1], *x = call->out[0];
  const hed_view *views[3] = { a, b, x };
  const int64_t n = ref_rows(a), k = ref_cols(b);
  int64_t at = 0;
  int32_t status = HED_OK;
  ref_walk w;
  ref_z *given = ref_alloc(state, "solve_triangular", n * n, sizeof *given);
  ref_z *used = ref_alloc(state, "solve_triangular", n * n, sizeof *used);
  ref_z *right = ref_alloc(state, "solve_triangular", n * k, sizeof *right);
  if (!given || !used || !right) {
    status = HED_E_NOMEM;
    goto out;
  }
  for (ref_batch(&w, 3, views); w.left > 0; ref_walk_next(&w), at++) {
    ref_load(given, a, w.ptr[0]);
    ref_load(right, b, w.ptr[1]);
    for (int64_t i = 0; i < n; i++) {
      if (!p->unit && given[i * n + i] == 0) {
        char text[HED__MATRIX_TEXT];
        status = ref_host(state)->fail(HED_E_SINGULAR, "solve_triangular: %s is singular: diagonal element %lld is 0",
                                       hed__matrix_text(at, a->ndim - 2, text), (long long)i);
        goto out;
      }
      for (int64_t j = 0; j < n; j++) {
        const ref_z e = p->form == HED_AS_IS ? given[i * n + j] : given[j * n + i];
        used[i * n + j] = p->form == HED_ADJOINT ? conj(e) : e;
      }
    }
    substitute(n, used, k, right, p->form == HED_AS_IS ? p->upper : !p->upper, p->unit);
    ref_store(x, w.ptr[2], right, k);
  }
out:
  ref_free(state, given);
  ref_free(state, used);
  ref_free(state, right);
  return status;
}
