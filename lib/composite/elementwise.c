// SPDX-License-Identifier: BSD-3-Clause
/* Elementwise operations made of others: set_bit, divmod, allclose; and phasor, whose kernel takes operands of one type. L3. */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "composite/composed.h"
#include "core/record/body.h"

#include <heddle/error.h>

hed_array *HED_BODY(set_bit)(const hed_array *x, const hed_array *position, const hed_array *value)
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

hed_status HED_BODY(divmod)(const hed_array *a, const hed_array *b, hed_array **quotient, hed_array **remainder)
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

hed_status HED_BODY(allclose)(const hed_array *a, const hed_array *b, const hed_tolerance *opt, bool *out)
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

/* ---- phasor ---- */

/* A device without the kernel has exponentials of its own. */
static hed_array *turned(composed *c, int n, int compute, const hed_shape *shape)
{
  const hed_array *in[2] = { NULL, NULL };
  const hed_view *views[2] = { NULL, NULL };
  hed_view broadcast[2];
  for (int k = 0; k < n; k++)
    in[k] = hed_astype(c->ex.in[k], hed__dtypes[compute]);
  if (!c->ex.device->host && !hed__native(&c->ex, HED_OP_PHASOR, compute))
    return hed_exp(hed_multiply_complex(n > 1 ? hed_multiply(in[0], in[1]) : in[0], 0, 1));
  for (int k = 0; k < n; k++) {
    if (!in[k] || !hed__broadcast_view(&in[k]->view, shape->ndim, shape->dim, &broadcast[k]))
      return NULL;
    views[k] = &broadcast[k];
  }
  const int id = hed__infer_on("phasor", hed__complex_of(compute), c->ex.device);
  hed_array *out = id < 0 ? NULL : hed__array_new(c->ex.device, id, shape->ndim, shape->dim);
  if (!out || hed__view_size(&out->view) == 0)
    return out;
  return hed__run(&c->ex, &(hed__launch){ .n_out = 1, .n_in = n, .out = &out, .in = in, .in_view = views, .compute = compute })
                 == HED_OK ? out : NULL;
}

hed_array *HED_BODY(phasor)(const hed_array *x, const hed_array *rate)
{
  const hed_array *const operands[2] = { x, rate };
  const int n = rate ? 2 : 1;
  composed c;
  if (!hed__given(x, "phasor", "x"))
    return NULL;
  int id = hed__infer_operands(HED_OP_PHASOR, n, operands, (const char *const[]){ "x", "rate" });
  if (id < 0)
    return NULL;
  if (hed__id_kind(id) < HED_KIND_FLOAT)
    id = hed__real_id();
  hed_shape shape = hed__shape_of(x);
  if (rate) {
    const hed_shape s = shape, t = hed__shape_of(rate);
    if (!hed__broadcast(&s, &t, &shape)) {
      hed_fail(HED_E_SHAPE, "phasor: shapes %s of x and %s of rate do not broadcast", HED__TEXT(&s), HED__TEXT(&t));
      return NULL;
    }
  }
  if (hed__check_shape("phasor", "the result's shape", &shape, hed__complex_of(id)) != HED_OK
      || composed_begin(&c, HED_OP_PHASOR, n, operands) != HED_OK)
    return NULL;
  return composed_end(&c, turned(&c, n, hed__compute_of(id), &shape));
}
