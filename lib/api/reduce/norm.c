// SPDX-License-Identifier: BSD-3-Clause
/* vector_norm: a reduction with a parameter, which a fusion scope makes of other ones. L3. */
#include "api/elementwise/fuse.h"
#include "api/reduce/reduce.h"
#include "core/array/scope.h"

#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>

/* Of T; in OUT if that is given, else a new array. */
static hed_array *norm(const hed_array *t, double order, const hed_reduce *opt, hed_dtype type, hed_array *out)
{
  hed_status status;
  hed_reduce o = *opt;
  if (order == 2) { /* of float64: no square of what is narrower leaves its range */
    hed_array *root = hed_sqrt(hed_sum(hed_square(t), &o));
    if (!out)
      return type == HED_FLOAT64 ? root : hed_astype(root, type);
    status = hed_copy_into(out, root);
  } else {
    const hed_array *size = hed_abs(t);
    o.dtype = type;
    if (!out)
      return (order == 1 ? hed_sum : order > 0 ? hed_max : hed_min)(size, &o);
    status = (order == 1 ? hed_sum_into : order > 0 ? hed_max_into : hed_min_into)(out, size, &o);
  }
  return status == HED_OK ? out : NULL;
}

/* Orders 1, 2, inf and -inf of real numbers; not 2 of float64, where squares may leave the range. As those of fuse.h. */
static bool fuse_norm(const hed_array *x, double order, const hed_reduce *opt, hed_array *out, hed_array **result)
{
  static const hed_reduce defaults;
  if ((order != 1 && order != 2 && !isinf(order)) || !hed__fuse_reducible(x, opt))
    return false;
  if (!opt)
    opt = &defaults;
  const bool whole = hed__id_kind(x->view.dtype) < HED_KIND_FLOAT;
  int compute, id;
  uint32_t mask;
  hed_shape keep, plain;
  if (hed__id_kind(x->view.dtype) == HED_KIND_COMPLEX || (order == 2 && x->view.dtype == HED_ID_FLOAT64) ||
      hed__check_axes("vector_norm", &opt->axes, x->view.ndim, &mask) != HED_OK ||
      hed__reduce_types(HED_OP_VECTOR_NORM, x, NULL, hed__fuse_device(hed__self), &compute, &id) != HED_OK)
    return false;
  hed__reduced_shapes(x, mask, &keep, &plain);
  if (out && (hed__id_kind(out->view.dtype) != HED_KIND_FLOAT ||
              !hed__fuse_goes_to(hed__self, hed__fuse_device(hed__self), out, opt->keepdims ? &keep : &plain)))
    return false;
  hed_scope scope;
  *result = NULL;
  if (hed_scope_begin(&scope) != HED_OK)
    return true;
  const hed_array *t = order == 2 || whole ? hed_astype(x, HED_FLOAT64) : x;
  *result = norm(t, order, opt, hed__dtypes[id], out);
  if (out)
    hed_scope_end(&scope);
  else
    *result = hed__fuse_made(&scope, *result);
  return true;
}

static hed_status check_order(double order)
{
  return order == order ? HED_OK : hed_fail(HED_E_INVAL, "vector_norm: order is not a number");
}

hed_array *hed_vector_norm(const hed_array *x, double order, const hed_reduce *opt)
{
  hed_array *result = NULL;
  if (check_order(order) != HED_OK)
    return NULL;
  if (hed__fusing() && fuse_norm(x, order, opt, NULL, &result))
    return result;
  return hed__reduce(HED_OP_VECTOR_NORM, x, order, opt, NULL, &result) == HED_OK ? result : NULL;
}

hed_status hed_vector_norm_into(hed_array *out, const hed_array *x, double order, const hed_reduce *opt)
{
  hed_status status = check_order(order);
  if (status != HED_OK)
    return status;
  if (!hed__named(out, "vector_norm", "out"))
    return hed_error();
  hed_array *taken = NULL;
  if (hed__fusing() && fuse_norm(x, order, opt, out, &taken))
    return taken ? HED_OK : hed_error();
  return hed__reduce(HED_OP_VECTOR_NORM, x, order, opt, out, NULL);
}
