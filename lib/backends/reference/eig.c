// SPDX-License-Identifier: BSD-3-Clause
/* Eigenvalues of general matrices: Householder reduction to Hessenberg form and the shifted QR algorithm in complex
 * arithmetic (Golub and Van Loan, sections 7.4 and 7.5; J. H. Wilkinson, The Algebraic Eigenvalue Problem, 1965), then
 * eigenvectors of the triangular form by substitution. Computed in double. L1.
 *
 * For real matrices the spectrum is closed under conjugation; rounding breaks that, so values are paired afterwards: those
 * within rounding of the real axis become real, the others exact conjugates.
 */
#include "backends/reference/dense.h"

#include <float.h>
#include <string.h>

enum { MAX_STEPS = 60 }; /* per eigenvalue */

typedef struct schur {
  int64_t n;
  ref_z *h, *z, *v, *vectors; /* h: Hessenberg, then triangular; z: unitary; v: one vector's worth of work */
  ref_z *cosine, *sine;       /* rotations of one step */
} schur;

static double size1(ref_z x) { return fabs(creal(x)) + fabs(cimag(x)); }

/* H := Q^H H Q with zeros below the subdiagonal, Z := Q. */
static void to_hessenberg(const schur *s)
{
  const int64_t n = s->n;
  ref_z *h = s->h, *z = s->z, *v = s->v;
  for (int64_t k = 0; k < n * n; k++)
    z[k] = k % (n + 1) == 0;
  for (int64_t c = 0; c + 2 < n; c++) {
    double norm = 0, rest = 0;
    for (int64_t i = c + 1; i < n; i++) {
      v[i] = h[i * n + c];
      norm += ref_abs2(v[i]);
      rest += i > c + 1 ? ref_abs2(v[i]) : 0;
    }
    if (rest == 0)
      continue;
    const double top = hypot(creal(v[c + 1]), cimag(v[c + 1]));
    v[c + 1] += (top > 0 ? v[c + 1] / top : 1) * sqrt(norm);
    const double beta = 2 / (ref_abs2(v[c + 1]) + rest);
    for (int64_t j = c; j < n; j++) { /* from the left */
      ref_z sum = 0;
      for (int64_t i = c + 1; i < n; i++)
        sum += conj(v[i]) * h[i * n + j];
      for (int64_t i = c + 1; i < n; i++)
        h[i * n + j] -= beta * v[i] * sum;
    }
    for (int side = 0; side < 2; side++) { /* from the right */
      ref_z *m = side ? z : h;
      for (int64_t i = 0; i < n; i++) {
        ref_z sum = 0;
        for (int64_t j = c + 1; j < n; j++)
          sum += m[i * n + j] * v[j];
        for (int64_t j = c + 1; j < n; j++)
          m[i * n + j] -= beta * sum * conj(v[j]);
      }
    }
    for (int64_t i = c + 2; i < n; i++)
      h[i * n + c] = 0;
  }
}

/* Eigenvalue of the trailing 2 x 2 block of rows HI - 1, HI that is nearer to its last element. */
static ref_z wilkinson_shift(const schur *s, int64_t hi)
{
  const int64_t n = s->n;
  const ref_z a = s->h[(hi - 1) * n + hi - 1], b = s->h[(hi - 1) * n + hi], c = s->h[hi * n + hi - 1],
              d = s->h[hi * n + hi];
  const ref_z half = (a - d) / 2, root = csqrt(half * half + b * c);
  const ref_z sum = half + root, difference = half - root, larger = size1(sum) > size1(difference) ? sum : difference;
  return larger == 0 ? d : d - b * c / larger;
}

/* One step of the QR algorithm on rows and columns LO to HI: H - shift = Q R, H := R Q + shift. */
static void qr_step(const schur *s, int64_t lo, int64_t hi, ref_z shift)
{
  const int64_t n = s->n;
  ref_z *h = s->h, *z = s->z;
  for (int64_t k = lo; k <= hi; k++)
    h[k * n + k] -= shift;
  for (int64_t k = lo; k < hi; k++) {
    const ref_z a = h[k * n + k], b = h[(k + 1) * n + k];
    const double r = hypot(hypot(creal(a), cimag(a)), hypot(creal(b), cimag(b)));
    const ref_z c = s->cosine[k] = r > 0 ? a / r : 1, d = s->sine[k] = r > 0 ? b / r : 0;
    for (int64_t j = k; j < n; j++) {
      const ref_z x = h[k * n + j], y = h[(k + 1) * n + j];
      h[k * n + j] = conj(c) * x + conj(d) * y;
      h[(k + 1) * n + j] = c * y - d * x;
    }
    h[(k + 1) * n + k] = 0;
  }
  for (int64_t k = lo; k < hi; k++) {
    const ref_z c = s->cosine[k], d = s->sine[k];
    for (int side = 0; side < 2; side++) {
      ref_z *m = side ? z : h;
      for (int64_t i = 0; i < (side ? n : k + 2); i++) {
        const ref_z x = m[i * n + k], y = m[i * n + k + 1];
        m[i * n + k] = c * x + d * y;
        m[i * n + k + 1] = conj(c) * y - conj(d) * x;
      }
    }
  }
  for (int64_t k = lo; k <= hi; k++)
    h[k * n + k] += shift;
}

static bool to_triangular(const schur *s)
{
  const int64_t n = s->n;
  ref_z *h = s->h;
  int steps = 0;
  double norm = 0;
  for (int64_t k = 0; k < n * n; k++)
    norm = fmax(norm, size1(h[k]));
  for (int64_t hi = n - 1; hi > 0;) {
    int64_t lo = hi;
    for (; lo > 0; lo--) {
      double scale = size1(h[lo * n + lo]) + size1(h[(lo - 1) * n + lo - 1]);
      if (size1(h[lo * n + lo - 1]) <= DBL_EPSILON * (scale > 0 ? scale : norm)) {
        h[lo * n + lo - 1] = 0;
        break;
      }
    }
    if (lo == hi) {
      hi--;
      steps = 0;
      continue;
    }
    if (++steps > MAX_STEPS)
      return false;
    /* now and then another shift, for matrices on which the usual one goes round in circles */
    qr_step(s, lo, hi, steps % 12 ? wilkinson_shift(s, hi) : h[hi * n + hi] + 0.75 * size1(h[hi * n + hi - 1]));
  }
  return true;
}

/* Vector of norm 1 for the eigenvalue on diagonal element K of the triangle, into column COLUMN of VECTORS. */
static void eigenvector(const schur *s, int64_t k, double norm, int64_t column)
{
  const int64_t n = s->n;
  const ref_z *t = s->h;
  ref_z *x = s->v;
  const double least = fmax(DBL_EPSILON * norm, DBL_MIN);
  x[k] = 1;
  for (int64_t i = k - 1; i >= 0; i--) {
    ref_z sum = 0, gap = t[i * n + i] - t[k * n + k];
    for (int64_t j = i + 1; j <= k; j++)
      sum += t[i * n + j] * x[j];
    x[i] = -sum / (size1(gap) < least ? least : gap);
    if (size1(x[i]) > 0x1p300)
      for (int64_t j = i; j <= k; j++)
        x[j] *= 0x1p-300;
  }
  double largest = 0, total = 0;
  for (int64_t j = 0; j <= k; j++)
    largest = fmax(largest, size1(x[j]));
  for (int64_t j = 0; j <= k; j++)
    x[j] /= largest;
  for (int64_t i = 0; i < n; i++) {
    ref_z sum = 0;
    for (int64_t j = 0; j <= k; j++)
      sum += s->z[i * n + j] * x[j];
    s->vectors[i * n + column] = sum;
    total += ref_abs2(sum);
  }
  for (int64_t i = 0; i < n; i++)
    s->vectors[i * n + column] /= sqrt(total);
}

/* Values of a real matrix: partner[k] is the index of value k's conjugate, itself when it is real. */
static void pair_values(int64_t n, ref_z *w, double norm, int64_t *partner)
{
  const double rounding = 8 * (double)n * DBL_EPSILON * norm;
  for (int64_t k = 0; k < n; k++)
    partner[k] = fabs(cimag(w[k])) <= rounding ? k : -1;
  for (int64_t k = 0; k < n; k++) {
    int64_t best = -1;
    for (int64_t j = 0; j < n && partner[k] < 0; j++)
      if (j != k && partner[j] < 0 && (best < 0 || cabs(w[j] - conj(w[k])) < cabs(w[best] - conj(w[k]))))
        best = j;
    if (partner[k] < 0 && best >= 0) {
      partner[k] = best;
      partner[best] = k;
      w[k] = (w[k] + conj(w[best])) / 2;
      w[best] = conj(w[k]);
    }
    if (partner[k] < 0 || partner[k] == k) {
      partner[k] = k;
      w[k] = creal(w[k]);
    }
  }
}

static int32_t decompose(void *state, const schur *s, const char *where, bool is_real, double eps, bool vectors,
                         ref_z *w, ref_z *sorted, int64_t *partner, int64_t *order)
{
  const int64_t n = s->n;
  int exponent;
  int64_t bad;
  double norm = 0;
  if (!ref_scale(s->h, n * n, &exponent, &bad))
    return ref_host(state)->fail(HED_E_INVAL, "eig: row %lld, column %lld of %s is not finite", (long long)(bad / n),
                                 (long long)(bad % n), where);
  to_hessenberg(s);
  if (!to_triangular(s))
    return ref_host(state)->fail(HED_E_INTERNAL, "eig: %s of order %lld did not converge in %d steps for a value",
                                 where, (long long)n, (int)MAX_STEPS);
  for (int64_t k = 0; k < n * n; k++)
    norm = fmax(norm, size1(s->h[k]));
  for (int64_t k = 0; k < n; k++) {
    w[k] = s->h[k * n + k];
    partner[k] = k;
  }
  if (is_real)
    pair_values(n, w, norm, partner);
  hed__order_eigenvalues(n, (const double *)w, eps, order);
  for (int64_t j = 0; j < n && vectors; j++) {
    const int64_t k = order[j];
    /* of a pair the one with the positive imaginary part is computed, the other its conjugate; a vector of a real
     * value of a real matrix is real up to its phase */
    const bool second = partner[k] != k && cimag(w[k]) < 0;
    eigenvector(s, second ? partner[k] : k, norm, j);
    for (int64_t i = 0; second && i < n; i++)
      s->vectors[i * n + j] = conj(s->vectors[i * n + j]);
    ref_rotate_column(s->vectors, n, n, j);
  }
  for (int64_t j = 0; j < n; j++) {
    const ref_z value = w[order[j]];
    sorted[j] = CMPLX(ldexp(creal(value), exponent), ldexp(cimag(value), exponent));
  }
  return HED_OK;
}

REF_KERNEL(eig)
{
  const hed_view *a = call->in[0], *w = call->out[0], *v = call->out[1];
  hed_view spare;
  const hed_view *views[3] = { a, ref_like_matrix(w, a->ndim, &spare), v };
  const int64_t n = ref_rows(a);
  const bool is_real = call->compute == HED_ID_FLOAT32 || call->compute == HED_ID_FLOAT64;
  const double eps = call->compute == HED_ID_FLOAT32 || call->compute == HED_ID_COMPLEX64 ? (double)FLT_EPSILON
                                                                                           : DBL_EPSILON;
  int64_t at = 0;
  int32_t status = HED_OK;
  ref_walk walk;
  ref_z *block = ref_alloc(state, "eig", 3 * n * n + 5 * n, sizeof *block);
  int64_t *indices = ref_alloc(state, "eig", 2 * n, sizeof *indices);
  if (!block || !indices) {
    status = HED_E_NOMEM;
    goto out;
  }
  ref_z *vectors = block + 2 * n * n, *lines = block + 3 * n * n;
  schur s = { .n = n, .h = block, .z = block + n * n, .v = lines, .vectors = vectors, .cosine = lines + n,
              .sine = lines + 2 * n };
  for (ref_batch(&walk, 3, views); walk.left > 0 && status == HED_OK; ref_walk_next(&walk), at++) {
    char text[HED__MATRIX_TEXT];
    ref_load(s.h, a, walk.ptr[0]);
    status = decompose(state, &s, hed__matrix_text(at, a->ndim - 2, text), is_real, eps, v != NULL, lines + 3 * n,
                       lines + 4 * n, indices, indices + n);
    if (status != HED_OK)
      break;
    if (w)
      hed__cast(REF_Z, w->dtype)(n, walk.ptr[1], w->stride[w->ndim - 1], (const char *)(lines + 4 * n), REF_Z_SIZE);
    if (v)
      ref_store(v, walk.ptr[2], vectors, n);
  }
out:
  ref_free(state, block);
  ref_free(state, indices);
  return status;
}
