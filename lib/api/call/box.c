// SPDX-License-Identifier: BSD-3-Clause
/* Weak scalars on the stack. L3. */
#include "api/call/box.h"
#include "base/cast.h"

const hed_array *hed__box_cast(hed__box *b, const hed_array *x, int id)
{
  const hed_array *w = hed__box_new(b, id);
  hed__cast(x->view.dtype, id)(1, (char *)&b->value, 0, x->view.data, 0);
  return w;
}

const hed_array *hed__box_real(hed__box *b, double value)
{
  const hed_array *x = hed__box_new(b, HED_ID_FLOAT64);
  b->value.d = value;
  return x;
}

const hed_array *hed__box_int(hed__box *b, int64_t value)
{
  const hed_array *x = hed__box_new(b, HED_ID_INT64);
  b->value.i = value;
  return x;
}

const hed_array *hed__box_uint(hed__box *b, uint64_t value)
{
  const hed_array *x = hed__box_new(b, HED_ID_UINT64);
  b->value.i = (int64_t)value;
  return x;
}

const hed_array *hed__box_complex(hed__box *b, double re, double im)
{
  const hed_array *x = hed__box_new(b, HED_ID_COMPLEX128);
  b->value.z[0] = re;
  b->value.z[1] = im;
  return x;
}

const hed_array *hed__box_number(hed__box *b, const hed_number *s)
{
  return s->kind == HED_KIND_INT ? hed__box_int(b, s->whole) : s->kind == HED_KIND_UINT ? hed__box_uint(b, (uint64_t)s->whole)
                                                                                        : hed__box_real(b, s->real);
}
