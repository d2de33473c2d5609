// SPDX-License-Identifier: BSD-3-Clause
/* Sums of conj(a) b along the last axis, in the types that matmul sums in. L1. */
#include "backends/reference/number.h"

/* Conversions of one element to what is summed in, and back. */
typedef struct lane {
  hed__cast_fn a, b, back;
  int64_t n, a_step, b_step;
} lane;

static void whole(const lane *l, const char *a, const char *b, char *out)
{
  uint64_t sum = 0;
  for (int64_t i = 0; i < l->n; i++, a += l->a_step, b += l->b_step) {
    uint64_t x = 0, y = 0;
    l->a(1, (char *)&x, 0, a, 0);
    l->b(1, (char *)&y, 0, b, 0);
    sum += x * y;
  }
  l->back(1, out, 0, (const char *)&sum, 0);
}

/* Of real numbers with imaginary parts that are 0 and stay out. */
static void parts(const lane *l, const char *a, const char *b, char *out, bool is_complex)
{
  ref_complex sum = { 0, 0 };
  for (int64_t i = 0; i < l->n; i++, a += l->a_step, b += l->b_step) {
    ref_complex x = { 0, 0 }, y = { 0, 0 };
    l->a(1, (char *)&x, 0, a, 0);
    l->b(1, (char *)&y, 0, b, 0);
    sum.re += is_complex ? x.re * y.re + x.im * y.im : x.re * y.re;
    sum.im += is_complex ? x.re * y.im - x.im * y.re : 0;
  }
  l->back(1, out, 0, (const char *)&sum, 0);
}

int32_t hed__ref_vecdot(void *state, const hed_call *call)
{
  const hed_view *views[3] = { call->out[0], call->in[0], call->in[1] };
  const int32_t last = views[0]->ndim - 1;
  const bool is_complex = call->compute == HED_ID_COMPLEX64 || call->compute == HED_ID_COMPLEX128;
  const bool is_whole = call->compute < HED_ID_FLOAT16;
  int wide[2];
  for (int k = 0; k < 2; k++)
    wide[k] = is_complex ? HED_ID_COMPLEX128 : !is_whole ? HED_ID_FLOAT64
              : views[k + 1]->dtype == HED_ID_UINT64     ? HED_ID_UINT64
                                                         : HED_ID_INT64;
  const lane l = { hed__cast(views[1]->dtype, wide[0]), hed__cast(views[2]->dtype, wide[1]),
                   hed__cast(is_whole ? (int)HED_ID_UINT64 : wide[0], views[0]->dtype), views[1]->dim[last],
                   views[1]->stride[last], views[2]->stride[last] };
  ref_walk w;
  (void)state;
  for (ref_walk_init(&w, 3, views, (uint32_t)1 << last); w.left > 0; ref_walk_next(&w))
    if (is_whole)
      whole(&l, w.ptr[1], w.ptr[2], w.ptr[0]);
    else
      parts(&l, w.ptr[1], w.ptr[2], w.ptr[0], is_complex);
  return HED_OK;
}
