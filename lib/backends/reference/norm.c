// SPDX-License-Identifier: BSD-3-Clause
/* Norms of vectors over any axes. L1.
 *
 * Two passes for each result: the largest and the least absolute value, then the sum of powers of what is left after
 * division by it, in long double. So nothing overflows or vanishes that the result itself can represent.
 */
#include "backends/reference/number.h"
#include "base/dtype.h"

#include <math.h>

typedef struct extremes {
  double most, least;
  int64_t not_zero;
  bool nan;
} extremes;

static double absolute(hed__cast_fn cast, bool is_complex, const char *p)
{
  ref_complex v = { 0, 0 };
  cast(1, (char *)&v, sizeof v, p, 0);
  return is_complex ? hypot(v.re, v.im) : fabs(v.re);
}

/* The axes of V that are in SET, from its element at AT. */
static hed_view part(const hed_view *v, uint32_t set, void *at)
{
  hed_view out = { .data = at, .dtype = v->dtype };
  for (int32_t k = 0; k < v->ndim; k++)
    if (set >> k & 1) {
      out.dim[out.ndim] = v->dim[k];
      out.stride[out.ndim++] = v->stride[k];
    }
  return out;
}

static double norm_of(const hed_view *x, double order)
{
  const bool is_complex = hed__id_kind(x->dtype) == HED_KIND_COMPLEX;
  hed__cast_fn cast = hed__cast(x->dtype, is_complex ? HED_ID_COMPLEX128 : HED_ID_FLOAT64);
  extremes e = { 0, INFINITY, 0, false };
  ref_walk w;
  for (ref_walk_init(&w, 1, &x, 0); w.left > 0; ref_walk_next(&w)) {
    const double v = absolute(cast, is_complex, w.ptr[0]);
    e.nan |= isnan(v);
    e.not_zero += v != 0;
    e.most = fmax(e.most, v);
    e.least = fmin(e.least, v);
  }
  if (order == 0)
    return (double)e.not_zero;
  if (e.nan)
    return NAN;
  const double scale = order > 0 ? e.most : e.least;
  if (isinf(order) || scale == 0 || isinf(scale))
    return scale;
  long double sum = 0;
  for (ref_walk_init(&w, 1, &x, 0); w.left > 0; ref_walk_next(&w)) {
    const long double v = (long double)absolute(cast, is_complex, w.ptr[0]) / (long double)scale;
    sum += order == 1 ? v : order == 2 ? v * v : powl(v, (long double)order);
  }
  return (double)((long double)scale * (order == 1 ? sum : order == 2 ? sqrtl(sum) : powl(sum, 1 / (long double)order)));
}

REF_KERNEL(vector_norm)
{
  const hed_reduce_params *p = call->params;
  const hed_view *x = call->in[0], *views[2] = { call->out[0], call->in[0] };
  hed__cast_fn cast = hed__cast(HED_ID_FLOAT64, views[0]->dtype);
  ref_walk w;
  (void)state;
  for (ref_walk_init(&w, 2, views, p->axes); w.left > 0; ref_walk_next(&w)) {
    const hed_view reduced = part(x, p->axes, w.ptr[1]);
    const double norm = norm_of(&reduced, p->order);
    cast(1, w.ptr[0], 0, (const char *)&norm, 0);
  }
  return HED_OK;
}
