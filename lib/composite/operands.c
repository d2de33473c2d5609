// SPDX-License-Identifier: BSD-3-Clause
/* Checks and steps that products of several arrays share. L3. See products.h. */
#include "composite/products.h"

#include "api/call/check.h"
#include <heddle/error.h>
#include <heddle/ops.h>

const char *const hed__operand_names[HED_MAX_NDIM] = {
  "array 0", "array 1", "array 2", "array 3", "array 4", "array 5", "array 6", "array 7", "array 8", "array 9",
  "array 10", "array 11", "array 12", "array 13", "array 14", "array 15",
};

bool hed__given_list(const char *op, int least, int n, const hed_array *const *arrays)
{
  if (n < least || n > HED_MAX_NDIM)
    hed_fail(HED_E_INVAL, "%s: %d arrays, %d to %d are possible", op, n, least, HED_MAX_NDIM);
  else if (n > 0 && !arrays)
    hed_fail(HED_E_INVAL, "%s: the list of arrays is NULL", op);
  else {
    for (int k = 0; k < n; k++)
      if (!hed__given(arrays[k], op, hed__operand_names[k]))
        return false;
    return true;
  }
  return false;
}

bool hed__given_pair(const char *op, const hed_array *a, const hed_array *b)
{
  return hed__given(a, op, "a") && hed__given(b, op, "b");
}

const hed_array *hed__conjugate(const hed_array *x)
{
  return hed_dtype_kind(hed_array_dtype(x)) == HED_KIND_COMPLEX ? hed_conj(x) : x;
}

hed_array *hed__flat(const hed_array *x) { return hed_reshape(x, HED_SHAPE(-1)); }

hed_status hed__write_result(const char *op, hed_array *out, const hed_array *made)
{
  if (!made)
    return hed_error();
  hed_status status = hed__check_out(op, out, made->view.ndim, made->view.dim);
  return status == HED_OK ? hed_copy_into(out, made) : status;
}
