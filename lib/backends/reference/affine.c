// SPDX-License-Identifier: BSD-3-Clause
/* Affine resampling of the last one to three axes by B-splines of order 0, 1 or 3, in double. L1.
 *
 * out(x) = in(M x + t); what lies outside is the boundary's, by default 0 (see spline.h). These are the rules of SciPy's
 * ndimage.affine_transform, but for points less than 1e-9 beyond an end, which count as the end; nearest, which takes the
 * point's nearest place inside instead of continuing the spline; and wrap, which is SciPy's "grid-wrap".
 */
#include "backends/reference/number.h"
#include "backends/reference/spline.h"

REF_KERNEL(affine_transform)
{
  const hed_affine_params *p = call->params;
  const hed_view *in = call->in[0], *out = call->out[0];
  const int32_t nd = p->ndim, first = in->ndim - nd;
  const int boundary = p->boundary == HED_BOUNDARY_DEFAULT ? HED_BOUNDARY_CONSTANT : p->boundary;
  hed_view block = { .dtype = in->dtype, .ndim = nd }, part = { .dtype = out->dtype, .ndim = nd };
  double *x = NULL, *row = NULL;
  int32_t status = HED_E_NOMEM;
  ref_walk w;
  if (nd < 1 || nd > 3 || first < 0 || out->ndim != in->ndim)
    return ref_host(state)->fail(HED_E_SHAPE, "affine_transform: %d spatial axes of %d and %d", (int)nd, (int)in->ndim,
                                 (int)out->ndim);
  if (p->order != 0 && p->order != 1 && p->order != 3)
    return ref_host(state)->fail(HED_E_INVAL, "affine_transform: spline order %d is not 0, 1 or 3", (int)p->order);
  for (int32_t k = 0; k < nd; k++) {
    block.dim[k] = in->dim[first + k];
    block.stride[k] = in->stride[first + k];
    part.dim[k] = out->dim[first + k];
    part.stride[k] = out->stride[first + k];
  }
  const int64_t length = part.dim[nd - 1], step = part.stride[nd - 1];
  hed__cast_fn cast = hed__cast(HED_ID_FLOAT64, out->dtype);
  x = ref_alloc(state, "affine_transform", ref_size(&block), sizeof *x);
  row = ref_alloc(state, "affine_transform", length, sizeof *row);
  if (!x || !row)
    goto done;
  const hed_view *views[2] = { out, in };
  for (ref_walk_init(&w, 2, views, ((1u << nd) - 1) << first); w.left > 0; ref_walk_next(&w)) {
    block.data = w.ptr[1];
    part.data = w.ptr[0];
    ref_gather(x, HED_ID_FLOAT64, sizeof *x, &block); /* all of it, so operands may be the same view */
    if (p->order == 3 && p->prefilter)
      ref_spline_coefficients(x, nd, block.dim, ~0u, boundary);
    const hed_view *target = &part;
    ref_walk r;
    for (ref_walk_init(&r, 1, &target, ref_last_axis(&part)); r.left > 0; ref_walk_next(&r)) {
      for (int64_t j = 0; j < length; j++) {
        double point[3];
        for (int32_t i = 0; i < nd; i++) {
          point[i] = p->matrix[i][nd];
          for (int32_t k = 0; k < nd; k++)
            point[i] += p->matrix[i][k] * (double)(k < nd - 1 ? r.index[k] : j);
        }
        row[j] = ref_spline_sample(x, nd, block.dim, point, p->order, boundary, p->cval);
      }
      cast(length, r.ptr[0], step, (char *)row, sizeof *row);
    }
  }
  status = HED_OK;
done:
  ref_free(state, x);
  ref_free(state, row);
  return status;
}
