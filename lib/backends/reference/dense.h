// SPDX-License-Identifier: BSD-3-Clause
/* What the dense factorisations of the reference backend share: matrices as C-order arrays of double complex, whatever
 * the operands' dtype, read from and written to views whose last two axes are the matrix. Real operands have imaginary
 * parts of 0, which every step keeps. Header only, private to this folder. L1.
 */
#ifndef HED_REFERENCE_DENSE_H
#define HED_REFERENCE_DENSE_H

#include "backends/reference/number.h"
#include "base/cmplx.h"
#include "base/dense.h"

#include <math.h>

typedef double complex ref_z;

enum { REF_Z = HED_ID_COMPLEX128, REF_Z_SIZE = (int)sizeof(ref_z) };

static inline int64_t ref_rows(const hed_view *v) { return v->dim[v->ndim - 2]; }
static inline int64_t ref_cols(const hed_view *v) { return v->dim[v->ndim - 1]; }

/* The matrix of V at AT, row by row; back into V from rows LD elements apart. */
static inline void ref_load(ref_z *to, const hed_view *v, const char *at)
{
  hed__cast_fn cast = hed__cast(v->dtype, REF_Z);
  for (int64_t i = 0; i < ref_rows(v); i++)
    cast(ref_cols(v), (char *)(to + i * ref_cols(v)), REF_Z_SIZE, at + i * v->stride[v->ndim - 2],
         v->stride[v->ndim - 1]);
}

static inline void ref_store(const hed_view *v, char *at, const ref_z *from, int64_t ld)
{
  hed__cast_fn cast = hed__cast(REF_Z, v->dtype);
  for (int64_t i = 0; i < ref_rows(v); i++)
    cast(ref_cols(v), at + i * v->stride[v->ndim - 2], v->stride[v->ndim - 1], (const char *)(from + i * ld), REF_Z_SIZE);
}

/* Walk over the batch: views have the axes of VIEWS[0] and one or two of their own, which the walk does not see. A view
 * with FEWER axes is given axes of extent 1 in SPARE. */
static inline const hed_view *ref_like_matrix(const hed_view *v, int32_t ndim, hed_view *spare)
{
  if (!v || v->ndim == ndim)
    return v;
  *spare = *v;
  while (spare->ndim < ndim) {
    spare->dim[spare->ndim] = 1;
    spare->stride[spare->ndim++] = 0;
  }
  return spare;
}

static inline void ref_batch(ref_walk *w, int32_t n, const hed_view *const *views)
{
  ref_walk_init(w, n, views, 3u << (views[0]->ndim - 2));
}

/* Every part by 2^-*exponent, so that the largest is in [1/2, 1) and squares neither overflow nor vanish. False with
 * the place of an element that is not finite. */
static inline bool ref_scale(ref_z *a, int64_t n, int *exponent, int64_t *bad)
{
  double largest = 0;
  *exponent = 0;
  for (int64_t k = 0; k < n; k++) {
    if (!isfinite(creal(a[k])) || !isfinite(cimag(a[k]))) {
      *bad = k;
      return false;
    }
    largest = fmax(largest, fmax(fabs(creal(a[k])), fabs(cimag(a[k]))));
  }
  frexp(largest, exponent);
  for (int64_t k = 0; k < n; k++)
    a[k] = CMPLX(ldexp(creal(a[k]), -*exponent), ldexp(cimag(a[k]), -*exponent));
  return true;
}

static inline double ref_abs2(ref_z x) { return creal(x) * creal(x) + cimag(x) * cimag(x); }

/* Column J of an M by N matrix turned by the convention of base/dense.h. */
static inline void ref_rotate_column(ref_z *a, int64_t m, int64_t n, int64_t j)
{
  double factor[2];
  const int64_t leading = hed__phase(REF_Z, m, a + j, n * REF_Z_SIZE, factor);
  hed__rotate_phase(REF_Z, m, a + j, n * REF_Z_SIZE, factor, 0, leading);
}

#endif
