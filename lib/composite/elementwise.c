// SPDX-License-Identifier: BSD-3-Clause
/*
 * Elementwise operations made of others: set_bit, divmod, allclose. L3.
 */
#include "api/infer.h"
#include "composite/composed.h"

#include <heddle/error.h>

hed_array *hed_set_bit(const hed_array *x, const hed_array *position, const hed_array *value)
{
  const hed_array *const in[3] = { x, position, value };
  if (!hed__given(x, "set_bit", "x") || !hed__given(position, "set_bit", "position") ||
      !hed__given(value, "set_bit", "value") ||
      hed__infer_operands(HED_OP_SET_BIT, 2, in, (const char *const[]){ "x", "position" }) < 0)
    return NULL;
  composed c;
  if (composed_begin(&c, HED_OP_SET_BIT, 3, in) != HED_OK)
    return NULL;
  hed_array *bit = hed_left_shift(hed_ones_like(c.ex.in[0]), c.ex.in[1]);
  return composed_end(&c, hed_where(c.ex.in[2], hed_bitwise_or(c.ex.in[0], bit),
                                    hed_bitwise_and(c.ex.in[0], hed_bitwise_not(bit))));
}

hed_status hed_divmod(const hed_array *a, const hed_array *b, hed_array **quotient, hed_array **remainder)
{
  if (!quotient || !remainder)
    return hed_fail(HED_E_INVAL, "divmod: %s is NULL", quotient ? "remainder" : "quotient");
  *quotient = *remainder = NULL;
  hed_array *q = hed_floor_divide(a, b), *r = q ? hed_mod(a, b) : NULL;
  if (!r) {
    hed_release(q);
    return hed_error();
  }
  *quotient = q;
  *remainder = r;
  return HED_OK;
}

hed_status hed_allclose(const hed_array *a, const hed_array *b, const hed_tolerance *opt, bool *out)
{
  if (!out)
    return hed_fail(HED_E_INVAL, "allclose: out is NULL");
  int64_t all = 0;
  hed_array *close = hed_isclose(a, b, opt), *one = close ? hed_all(close, NULL) : NULL;
  hed_status status = one ? hed_item_int(one, &all) : hed_error();
  hed_release(one);
  hed_release(close);
  if (status == HED_OK)
    *out = all != 0;
  return status;
}
