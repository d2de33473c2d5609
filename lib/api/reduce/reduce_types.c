// SPDX-License-Identifier: BSD-3-Clause
/* Types and shapes of reductions and scans. L3. See reduce.h. */
#include "api/call/infer.h"
#include "api/reduce/reduce.h"

#include <heddle/error.h>

hed_status hed__reduce_types(int op, const hed_array *x, hed_dtype want, hed__device *device, int *compute, int *id)
{
  const hed__op_row *row = &hed__op_rows[op];
  const char *const arg = "x";
  *compute = hed__infer_operands(op, 1, &x, &arg);
  if (*compute < 0)
    return (hed_status)*compute;
  *id = hed__infer_result(op, *compute);
  if (row->result == HED__RESULT_ACCUM)
    *compute = *id;
  bool real = row->result == HED__RESULT_FLOAT || row->result == HED__RESULT_FLOAT_REALPART;
  /* integers are exact in float64 up to 2^53, in a REAL of float32 only up to 2^24 */
  bool whole = real && hed__id_kind(x->view.dtype) < HED_KIND_FLOAT;
  if (whole)
    *compute = HED_ID_FLOAT64;
  if (!want)
    return HED_OK;
  int t = hed__dtype_concrete(want, device, row->name);
  if (t < 0)
    return (hed_status)t;
  *id = t;
  if (row->result == HED__RESULT_BOOL || row->result == HED__RESULT_INDEX)
    return HED_OK;
  hed_kind kind = hed__id_kind(t);
  if (!hed__in_domain(row->domain, t) || (real && kind < HED_KIND_FLOAT))
    return hed_fail(HED_E_DTYPE, "%s: option dtype is %s; the result can be %s", row->name, hed__dtypes[t]->name,
                    real ? "real floats or complex" : "a type of the operation's domain only");
  if (row->result == HED__RESULT_FLOAT_REALPART) {
    if (kind == HED_KIND_COMPLEX)
      return hed_fail(HED_E_DTYPE, "%s: option dtype is %s; the result is real", row->name, hed__dtypes[t]->name);
    *compute = hed__id_kind(*compute) == HED_KIND_COMPLEX ? hed__complex_of(t) : t;
  } else {
    *compute = t;
  }
  if (whole)
    *compute = hed__id_kind(*compute) == HED_KIND_COMPLEX ? HED_ID_COMPLEX128 : HED_ID_FLOAT64;
  return HED_OK;
}

void hed__reduced_shapes(const hed_array *x, uint32_t mask, hed_shape *keep, hed_shape *plain)
{
  *keep = hed__shape_of(x);
  plain->ndim = 0;
  for (int k = 0; k < keep->ndim; k++)
    if (mask >> k & 1u)
      keep->dim[k] = 1;
    else
      plain->dim[plain->ndim++] = keep->dim[k];
}

hed_status hed__check_elements(const char *op, const hed_array *x, uint32_t mask)
{
  hed_shape keep, plain;
  hed__reduced_shapes(x, mask, &keep, &plain);
  if (hed__shape_size(keep.ndim, keep.dim) > 0)
    for (int k = 0; k < keep.ndim; k++)
      if ((mask >> k & 1u) && x->view.dim[k] == 0) {
        hed_shape s = hed__shape_of(x);
        return hed_fail(HED_E_SHAPE, "%s: x of shape %s has no elements along axis %d", op, HED__TEXT(&s), k);
      }
  return HED_OK;
}
