// SPDX-License-Identifier: BSD-3-Clause
/* Singular value decomposition by one-sided Jacobi rotations (Hestenes, J. SIAM 6, 1958; Demmel and Veselic, SIAM J.
 * Matrix Anal. Appl. 13, 1992), real and complex, batched, computed in double. L1.
 *
 * The matrix, or its conjugate transpose when it is wide, is scaled by a power of two and kept by columns; below each
 * column stands one of V. Pairs of columns are rotated until all are orthogonal: then A V = U S. Columns of U that are
 * missing (zero singular values, full_matrices) come from unit vectors orthogonalised twice. Both factors are always made:
 * the phase of a pair of vectors is settled by the one that becomes a column of u.
 */
#include "backends/reference/number.h"
#include "base/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_SWEEPS = 60 };

typedef struct svd {
  void *state;
  int64_t m, n;        /* of the tall matrix, m >= n */
  int64_t wanted;      /* columns of U: n or m */
  int64_t length;      /* of a stacked column: m, or m + n with V */
  bool is_complex, wide;
  double *re, *im;     /* stacked columns; im is NULL for real ones */
  double *ure, *uim;   /* columns of U */
  double *s;           /* norms of the columns */
  int64_t *order;      /* column numbers by descending norm */
  double *rest;        /* completion: what is left of each unit vector's square */
  double *line;        /* one row as read and written */
} svd;

static double dot(int64_t n, const double *a, const double *b)
{
  double t[4] = { 0, 0, 0, 0 };
  int64_t k = 0;
  for (; k + 4 <= n; k += 4)
    for (int q = 0; q < 4; q++)
      t[q] += a[k + q] * b[k + q];
  for (; k < n; k++)
    t[0] += a[k] * b[k];
  return (t[0] + t[1]) + (t[2] + t[3]);
}

static double square(const svd *d, const double *re, const double *im)
{
  return dot(d->m, re, re) + (d->is_complex ? dot(d->m, im, im) : 0);
}

/* Make columns P and Q orthogonal; true when they had not been. TINY: norms below it count as zero. */
static bool rotate(const svd *d, int64_t p, int64_t q, double tiny)
{
  const int64_t n = d->length;
  double *a = d->re + p * n, *b = d->re + q * n, *ai = NULL, *bi = NULL;
  double x = dot(d->m, a, b), y = 0;
  if (d->is_complex) {
    ai = d->im + p * n;
    bi = d->im + q * n;
    x += dot(d->m, ai, bi);
    y = dot(d->m, a, bi) - dot(d->m, ai, b);
  }
  double alpha = square(d, a, ai), beta = square(d, b, bi), gamma = d->is_complex ? hypot(x, y) : fabs(x);
  double na = sqrt(alpha), nb = sqrt(beta);
  if (na <= tiny || nb <= tiny || gamma <= DBL_EPSILON * sqrt((double)d->m) * na * nb)
    return false;
  /* tangent of the smaller angle that makes the product of the columns vanish; (ex, ey) is the product's phase. As what is added
   * to the columns, so that what c and s are rounded by changes norms by less the smaller the angle is */
  double zeta = (beta - alpha) / (2 * gamma), ex = x / gamma, ey = y / gamma;
  double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + hypot(1, zeta)), c = 1 / sqrt(1 + t * t), s = c * t, half = s / (1 + c);
  if (d->is_complex) {
    for (int64_t k = 0; k < n; k++) {
      const double ar = a[k], am = ai[k], br = b[k], bm = bi[k];
      a[k] = ar - s * (br * ex + bm * ey + half * ar);
      ai[k] = am - s * (bm * ex - br * ey + half * am);
      b[k] = br + s * (ar * ex - am * ey - half * br);
      bi[k] = bm + s * (am * ex + ar * ey - half * bm);
    }
  } else {
    s *= ex;
    half *= ex;
    for (int64_t k = 0; k < n; k++) {
      const double ar = a[k], br = b[k];
      a[k] = ar - s * (br + half * ar);
      b[k] = br + s * (ar - half * br);
    }
  }
  return true;
}

/* Rotate until nothing changes. */
static int32_t orthogonalise(const svd *d)
{
  /* the norm of a column that rounding alone has left, far below any that still has digits of its own */
  double largest = 0, tiny;
  for (int64_t j = 0; j < d->n; j++)
    largest = fmax(largest, square(d, d->re + j * d->length, d->is_complex ? d->im + j * d->length : NULL));
  tiny = sqrt(largest) * 0x1p-200;
  for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    bool changed = false;
    for (int64_t p = 0; p + 1 < d->n; p++)
      for (int64_t q = p + 1; q < d->n; q++)
        changed |= rotate(d, p, q, tiny);
    if (!changed)
      return HED_OK;
  }
  return ref_host(d->state)->fail(HED_E_INTERNAL, "svd: a %lld by %lld matrix did not converge in %d sweeps",
                                  (long long)d->m, (long long)d->n, (int)MAX_SWEEPS);
}

/* Columns FIRST to WANTED - 1 of U, orthonormal to all before them. */
static void complete(const svd *d, int64_t first)
{
  const int64_t m = d->m;
  for (int64_t i = 0; i < m; i++) {
    d->rest[i] = 1;
    for (int64_t j = 0; j < first; j++)
      d->rest[i] -= d->ure[j * m + i] * d->ure[j * m + i] + (d->is_complex ? d->uim[j * m + i] * d->uim[j * m + i] : 0);
  }
  for (int64_t c = first; c < d->wanted; c++) {
    double *re = d->ure + c * m, *im = d->is_complex ? d->uim + c * m : NULL;
    int64_t best = 0;
    for (int64_t i = 1; i < m; i++)
      best = d->rest[i] > d->rest[best] ? i : best;
    memset(re, 0, (size_t)m * sizeof *re);
    if (im)
      memset(im, 0, (size_t)m * sizeof *im);
    re[best] = 1;
    for (int pass = 0; pass < 3; pass++) { /* the last only normalises what the second left */
      for (int64_t j = 0; j < c && pass < 2; j++) {
        const double *u = d->ure + j * m, *v = im ? d->uim + j * m : NULL;
        double x = dot(m, u, re) + (im ? dot(m, v, im) : 0), y = im ? dot(m, u, im) - dot(m, v, re) : 0;
        for (int64_t k = 0; k < m; k++)
          re[k] -= x * u[k] - (im ? y * v[k] : 0);
        for (int64_t k = 0; im && k < m; k++)
          im[k] -= x * v[k] + y * u[k];
      }
      double norm = sqrt(square(d, re, im));
      for (int64_t k = 0; k < m; k++)
        re[k] /= norm;
      for (int64_t k = 0; im && k < m; k++)
        im[k] /= norm;
    }
    for (int64_t i = 0; i < m; i++)
      d->rest[i] -= re[i] * re[i] + (im ? im[i] * im[i] : 0);
  }
}

/* Stacked column J scaled so that the column of V in it has norm 1: by what that has drifted the column above has, too. */
static void undo_drift(const svd *d, int64_t j)
{
  double *re = d->re + j * d->length, *im = d->is_complex ? d->im + j * d->length : NULL;
  const double norm = sqrt(dot(d->n, re + d->m, re + d->m) + (im ? dot(d->n, im + d->m, im + d->m) : 0));
  for (int64_t k = 0; k < d->length; k++)
    re[k] /= norm;
  for (int64_t k = 0; im && k < d->length; k++)
    im[k] /= norm;
}

/* Norms, their order, and the columns of U that they give. */
static void finish(const svd *d, bool want_u)
{
  int64_t good = 0;
  for (int64_t j = 0; j < d->n; j++) {
    if (want_u)
      undo_drift(d, j);
    d->s[j] = sqrt(square(d, d->re + j * d->length, d->is_complex ? d->im + j * d->length : NULL));
    int64_t k = j;
    for (; k > 0 && d->s[d->order[k - 1]] < d->s[j]; k--)
      d->order[k] = d->order[k - 1];
    d->order[k] = j;
  }
  if (!want_u)
    return;
  while (good < d->n && d->s[d->order[good]] > d->s[d->order[0]] * 0x1p-200)
    good++;
  for (int64_t j = 0; j < good; j++) {
    const int64_t from = d->order[j];
    for (int64_t k = 0; k < d->m; k++)
      d->ure[j * d->m + k] = d->re[from * d->length + k] / d->s[from];
    for (int64_t k = 0; d->is_complex && k < d->m; k++)
      d->uim[j * d->m + k] = d->im[from * d->length + k] / d->s[from];
  }
  complete(d, good);
}

/* X := factor X for a column of separate parts. */
static void turn(int64_t n, double *re, double *im, const double factor[2])
{
  for (int64_t k = 0; k < n; k++) {
    const double x = re[k], y = im ? im[k] : 0;
    re[k] = factor[0] * x - factor[1] * y;
    if (im)
      im[k] = factor[0] * y + factor[1] * x;
  }
}

/* Every pair of vectors turned so that the column of the operand's u obeys the convention of base/dense.h; a vector
 * without a partner by itself. */
static void settle_phases(const svd *d)
{
  for (int64_t j = 0; j < d->wanted; j++) {
    const bool pair = j < d->n;
    const int64_t from = pair ? d->order[j] * d->length + d->m : 0;
    double *tall_re = d->ure + j * d->m, *tall_im = d->is_complex ? d->uim + j * d->m : NULL;
    double *small_re = d->re + from, *small_im = d->is_complex ? d->im + from : NULL, factor[2];
    const bool by_small = d->wide && pair;
    const int64_t n = by_small ? d->n : d->m;
    const double *re = by_small ? small_re : tall_re, *im = by_small ? small_im : tall_im;
    for (int64_t k = 0; k < n; k++) {
      d->line[2 * k] = re[k];
      d->line[2 * k + 1] = im ? im[k] : 0;
    }
    hed__phase(HED_ID_COMPLEX128, n, d->line, 16, factor);
    turn(d->m, tall_re, tall_im, factor);
    if (pair)
      turn(d->n, small_re, small_im, factor);
  }
}

/* Row I of the view at AT to LINE: interleaved when complex. */
static void read_row(const svd *d, const hed_view *v, const char *at, int64_t i)
{
  const int32_t r = v->ndim - 2, c = v->ndim - 1;
  hed__cast(v->dtype, d->is_complex ? HED_ID_COMPLEX128 : HED_ID_FLOAT64)(
      v->dim[c], (char *)d->line, d->is_complex ? 16 : 8, at + i * v->stride[r], v->stride[c]);
}

/* Matrix NUMBER of the batch, at AT, by columns, scaled so that its largest part is in [1/2, 1), over a unit matrix. */
static int32_t load(const svd *d, const hed_view *a, int64_t number, const char *at, bool with_v, int *exponent)
{
  const int64_t rows = a->dim[a->ndim - 2], columns = a->dim[a->ndim - 1];
  const int parts = d->is_complex ? 2 : 1;
  double largest = 0;
  for (int64_t i = 0; i < rows; i++) {
    read_row(d, a, at, i);
    for (int64_t j = 0; j < columns * parts; j++) {
      if (!isfinite(d->line[j])) {
        char text[HED__MATRIX_TEXT];
        return ref_host(d->state)->fail(HED_E_INVAL, "svd: row %lld, column %lld of %s is not finite", (long long)i,
                                        (long long)(j / parts), hed__matrix_text(number, a->ndim - 2, text));
      }
      largest = fmax(largest, fabs(d->line[j]));
    }
  }
  frexp(largest, exponent);
  if (with_v)
    for (int64_t j = 0; j < d->n; j++) {
      memset(d->re + j * d->length + d->m, 0, (size_t)d->n * sizeof *d->re);
      if (d->is_complex)
        memset(d->im + j * d->length + d->m, 0, (size_t)d->n * sizeof *d->im);
      d->re[j * d->length + d->m + j] = 1;
    }
  for (int64_t i = 0; i < rows; i++) {
    read_row(d, a, at, i);
    for (int64_t j = 0; j < columns; j++) {
      const int64_t to = d->wide ? i * d->length + j : j * d->length + i;
      d->re[to] = ldexp(d->line[j * parts], -*exponent);
      if (d->is_complex)
        d->im[to] = ldexp(d->wide ? -d->line[2 * j + 1] : d->line[2 * j + 1], -*exponent);
    }
  }
  return HED_OK;
}

/* A factor into V: element (i, j) of the result is entry j of column i, or the other way round, conjugated on request.
 * ORDER, when there is one, gives the columns' indices; COLUMNS begin at element SKIP of STEP. */
static void store(const svd *d, const hed_view *v, char *at, const double *re, const double *im, int64_t step,
                  const int64_t *order, bool transposed, bool conjugate)
{
  const int32_t r = v->ndim - 2, c = v->ndim - 1;
  const int parts = d->is_complex ? 2 : 1;
  hed__cast_fn cast = hed__cast(d->is_complex ? HED_ID_COMPLEX128 : HED_ID_FLOAT64, v->dtype);
  for (int64_t i = 0; i < v->dim[r]; i++) {
    for (int64_t j = 0; j < v->dim[c]; j++) {
      const int64_t column = transposed ? i : j, entry = transposed ? j : i;
      const int64_t from = (order && column < d->n ? order[column] : column) * step + entry;
      d->line[parts * j] = re[from];
      if (d->is_complex)
        d->line[2 * j + 1] = conjugate ? -im[from] : im[from];
    }
    cast(v->dim[c], at + i * v->stride[r], v->stride[c], (char *)d->line, parts * 8);
  }
}

static void release(svd *d)
{
  void *all[] = { d->re, d->im, d->ure, d->uim, d->s, d->order, d->rest, d->line };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    ref_free(d->state, all[k]);
}

REF_KERNEL(svd)
{
  const hed_svd_params *p = call->params;
  const hed_view *a = call->in[0], *u = call->out[0], *s = call->out[1], *vh = call->out[2];
  const int64_t rows = a->dim[a->ndim - 2], columns = a->dim[a->ndim - 1];
  svd d = { .state = state, .wide = rows < columns };
  ref_walk w;
  int32_t status = HED_OK;
  d.m = d.wide ? columns : rows;
  d.n = d.wide ? rows : columns;
  d.wanted = p->full_matrices ? d.m : d.n;
  d.is_complex = a->dtype == HED_ID_COMPLEX64 || a->dtype == HED_ID_COMPLEX128;
  /* the long factor is made of the rotated columns, the square one of the product of rotations */
  const hed_view *tall = d.wide ? vh : u, *small = d.wide ? u : vh;
  const bool vectors = u || vh;
  d.length = d.m + (vectors ? d.n : 0);

  d.line = ref_alloc(state, "svd", 2 * d.m, sizeof *d.line);
  d.s = ref_alloc(state, "svd", d.n, sizeof *d.s);
  d.order = ref_alloc(state, "svd", d.n, sizeof *d.order);
  d.re = ref_alloc(state, "svd", d.n * d.length, sizeof *d.re);
  if (d.is_complex)
    d.im = ref_alloc(state, "svd", d.n * d.length, sizeof *d.im);
  if (vectors) {
    d.ure = ref_alloc(state, "svd", d.wanted * d.m, sizeof *d.ure);
    d.rest = ref_alloc(state, "svd", d.m, sizeof *d.rest);
    if (d.is_complex)
      d.uim = ref_alloc(state, "svd", d.wanted * d.m, sizeof *d.uim);
  }
  if (!d.line || !d.s || !d.order || !d.re || (d.is_complex && !d.im)
      || (vectors && (!d.ure || !d.rest || (d.is_complex && !d.uim)))) {
    status = HED_E_NOMEM;
    goto out;
  }

  /* s has one axis less: its last is skipped together with the matrix axes by giving it an axis of extent 1 */
  hed_view values;
  if (s) {
    values = *s;
    values.dim[values.ndim] = 1;
    values.stride[values.ndim++] = 0;
  }
  const hed_view *views[4] = { a, u, s ? &values : NULL, vh };
  int64_t number = 0;
  for (ref_walk_init(&w, 4, views, 3u << (a->ndim - 2)); w.left > 0; ref_walk_next(&w), number++) {
    int exponent;
    status = load(&d, a, number, w.ptr[0], vectors, &exponent);
    if (status == HED_OK)
      status = orthogonalise(&d);
    if (status != HED_OK)
      break;
    finish(&d, vectors);
    if (vectors)
      settle_phases(&d);
    if (s) {
      for (int64_t k = 0; k < d.n; k++)
        d.line[k] = ldexp(d.s[d.order[k]], exponent);
      hed__cast(HED_ID_FLOAT64, s->dtype)(d.n, w.ptr[2], s->stride[s->ndim - 1], (char *)d.line, 8);
    }
    if (tall)
      store(&d, tall, w.ptr[d.wide ? 3 : 1], d.ure, d.uim, d.m, NULL, d.wide, d.wide);
    if (small)
      store(&d, small, w.ptr[d.wide ? 1 : 3], d.re + d.m, d.is_complex ? d.im + d.m : NULL, d.length, d.order, !d.wide,
            !d.wide);
  }
out:
  release(&d);
  return status;
}
