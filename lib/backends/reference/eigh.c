// SPDX-License-Identifier: BSD-3-Clause
/* Eigenvalues of Hermitian matrices by cyclic Jacobi rotations (C. G. J. Jacobi, 1846; Golub and Van Loan, section 8.5),
 * computed in double. L1.
 */
#include "backends/reference/dense.h"

enum { MAX_SWEEPS = 60 };

/* Make a[p][q] vanish; V, when there is one, collects the rotations. */
static void rotate(int64_t n, ref_z *a, ref_z *v, int64_t p, int64_t q)
{
  const ref_z x = a[p * n + q];
  const double size = hypot(creal(x), cimag(x)), tau = (creal(a[q * n + q]) - creal(a[p * n + p])) / (2 * size);
  const double t = (tau < 0 ? -1 : 1) / (fabs(tau) + hypot(1, tau)), c = 1 / sqrt(1 + t * t), s = c * t;
  const ref_z phase = x / size, back = conj(phase);
  const double app = creal(a[p * n + p]) - t * size, aqq = creal(a[q * n + q]) + t * size;
  for (int side = 0; side < (v ? 2 : 1); side++) {
    ref_z *m = side ? v : a;
    for (int64_t i = 0; i < n; i++) {
      const ref_z u = m[i * n + p], w = m[i * n + q] * back;
      m[i * n + p] = c * u - s * w;
      m[i * n + q] = s * u + c * w;
    }
  }
  for (int64_t j = 0; j < n; j++) {
    const ref_z u = a[p * n + j], w = a[q * n + j] * phase;
    a[p * n + j] = c * u - s * w;
    a[q * n + j] = s * u + c * w;
  }
  a[p * n + p] = app;
  a[q * n + q] = aqq;
  a[p * n + q] = a[q * n + p] = 0;
}

static bool diagonalise(int64_t n, ref_z *a, ref_z *v)
{
  double norm = 0;
  for (int64_t k = 0; k < n * n; k++)
    norm += ref_abs2(a[k]);
  const double tiny = sqrt(norm) * 0x1p-60;
  for (int64_t k = 0; v && k < n * n; k++)
    v[k] = k % (n + 1) == 0;
  for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    bool changed = false;
    for (int64_t p = 0; p + 1 < n; p++)
      for (int64_t q = p + 1; q < n; q++)
        if (hypot(creal(a[p * n + q]), cimag(a[p * n + q])) > tiny) {
          rotate(n, a, v, p, q);
          changed = true;
        }
    if (!changed)
      return true;
  }
  return false;
}

/* OP: its name. */
static int32_t solve(void *state, const hed_call *call, const char *op)
{
  const hed_eigh_params *p = call->params;
  const hed_view *a = call->in[0], *w = call->out[0], *v = call->out[1];
  hed_view spare;
  const hed_view *views[3] = { a, ref_like_matrix(w, a->ndim, &spare), v };
  const int64_t n = ref_rows(a);
  int64_t at = 0;
  int32_t status = HED_OK;
  ref_walk walk;
  ref_z *work = ref_alloc(state, op, n * n, sizeof *work), *turns = ref_alloc(state, op, n * n, sizeof *turns);
  ref_z *sorted = ref_alloc(state, op, n * n, sizeof *sorted), *values = ref_alloc(state, op, n, sizeof *values);
  int64_t *order = ref_alloc(state, op, n, sizeof *order);
  if (!work || !turns || !sorted || !values || !order) {
    status = HED_E_NOMEM;
    goto out;
  }
  for (ref_batch(&walk, 3, views); walk.left > 0; ref_walk_next(&walk), at++) {
    int exponent;
    int64_t bad;
    ref_load(work, a, walk.ptr[0]);
    for (int64_t i = 0; i < n; i++) {
      work[i * n + i] = creal(work[i * n + i]);
      for (int64_t j = 0; j < i; j++) {
        if (p->upper)
          work[i * n + j] = conj(work[j * n + i]);
        else
          work[j * n + i] = conj(work[i * n + j]);
      }
    }
    if (!ref_scale(work, n * n, &exponent, &bad)) {
      const int64_t i = bad / n, j = bad % n; /* found in C order: above the diagonal, or on it */
      char text[HED__MATRIX_TEXT];
      status = ref_host(state)->fail(HED_E_INVAL, "%s: row %lld, column %lld of %s is not finite", op,
                                     (long long)(p->upper ? i : j), (long long)(p->upper ? j : i),
                                     hed__matrix_text(at, a->ndim - 2, text));
      goto out;
    }
    if (!diagonalise(n, work, v ? turns : NULL)) {
      status = ref_host(state)->fail(HED_E_INTERNAL, "%s: a matrix of order %lld did not converge in %d sweeps",
                                     op, (long long)n, (int)MAX_SWEEPS);
      goto out;
    }
    for (int64_t k = 0; k < n; k++)
      values[k] = creal(work[k * n + k]);
    hed__order_eigenvalues(n, (const double *)values, 0, order);
    for (int64_t j = 0; j < p->count; j++) {
      const int64_t from = order[p->first + j];
      work[j] = ldexp(creal(values[from]), exponent);
      for (int64_t i = 0; v && i < n; i++)
        sorted[i * n + j] = turns[i * n + from];
      if (v)
        ref_rotate_column(sorted, n, n, j);
    }
    if (w)
      hed__cast(REF_Z, w->dtype)(p->count, walk.ptr[1], w->stride[w->ndim - 1], (const char *)work, REF_Z_SIZE);
    if (v)
      ref_store(v, walk.ptr[2], sorted, n);
  }
out:
  ref_free(state, work);
  ref_free(state, turns);
  ref_free(state, sorted);
  ref_free(state, values);
  ref_free(state, order);
  return status;
}

REF_KERNEL(eigh) { return solve(state, call, "eigh"); }
REF_KERNEL(eigh_range) { return solve(state, call, "eigh_range"); }
