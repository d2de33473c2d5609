// SPDX-License-Identifier: BSD-3-Clause
/* Elements in host memory: see host_values.h. L3. */
#include "composite/host_values.h"

#include "api/call/check.h"
#include "base/cast.h"
#include "core/memory/memory.h"
#include "core/array/transfer.h"
#include <heddle/error.h>

void *hed__read_host(const char *op, const hed_array *x, int id)
{
  int64_t n = hed__view_size(&x->view), size = hed__id_size(x->view.dtype), wide = hed__id_size(id);
  char *raw = hed__buffer_new((size_t)(n * size), op);
  const bool as_is = x->view.dtype == id;
  char *out = !raw || as_is ? raw : hed__buffer_new((size_t)n * (size_t)wide, op);
  hed_view v = x->view;
  v.data = raw;
  hed__c_strides(v.ndim, v.dim, size, v.stride);
  if (out && hed__copy_out(x, &v) == HED_OK) {
    if (!as_is) {
      hed__cast(v.dtype, id)(n, out, wide, raw, size);
      hed__buffer_free(raw);
    }
    return out;
  }
  hed__buffer_free(raw);
  if (!as_is)
    hed__buffer_free(out);
  return NULL;
}

double *hed__host_points(const char *op, const hed_array *points, int64_t *n, int64_t *d)
{
  if (!hed__given(points, op, "points") || hed__check_domain(op, "if", "points", points->view.dtype) != HED_OK)
    return NULL;
  if (points->view.ndim != 2) {
    hed_shape s = hed__shape_of(points);
    hed_fail(HED_E_SHAPE, "%s: points has shape %s; two axes are needed, points and coordinates", op, HED__TEXT(&s));
    return NULL;
  }
  *n = points->view.dim[0];
  *d = points->view.dim[1];
  return hed__read_host(op, points, HED_ID_FLOAT64);
}

double *hed__host_list(const char *op, const char *arg, const hed_array *x, int64_t n)
{
  if (hed__check_domain(op, "bif", arg, x->view.dtype) != HED_OK)
    return NULL;
  if (x->view.ndim != 1 || x->view.dim[0] != n) {
    hed_shape s = hed__shape_of(x);
    hed_fail(HED_E_SHAPE, "%s: %s has shape %s; (%lld,) is needed", op, arg, HED__TEXT(&s), (long long)n);
    return NULL;
  }
  return hed__read_host(op, x, HED_ID_FLOAT64);
}
