// SPDX-License-Identifier: BSD-3-Clause
/* Largest or least value in a box round every element: one axis after the other, each line in three comparisons per element
 * whatever the box (van Herk, Pattern Recognition Letters 13, 1992; Gil and Werman, IEEE Trans. PAMI 15, 1993). L1.
 *
 * Floats are compared as double, integers in 64 bits of their sign. A NaN in the box is the result.
 */
#include "backends/reference/number.h"
#include "base/boundary.h"

#include <string.h>

typedef union value {
  double f;
  int64_t i;
  uint64_t u;
} value;

typedef value (*larger_fn)(value a, value b);

static value larger_float(value a, value b) { return a.f > b.f || a.f != a.f ? a : b; }
static value larger_signed(value a, value b) { return a.i > b.i ? a : b; }
static value larger_unsigned(value a, value b) { return a.u > b.u ? a : b; }
static value smaller_float(value a, value b) { return a.f < b.f || a.f != a.f ? a : b; }
static value smaller_signed(value a, value b) { return a.i < b.i ? a : b; }
static value smaller_unsigned(value a, value b) { return a.u < b.u ? a : b; }

/* OUT[i] = largest of P[i] .. P[i + W - 1] for i < N; P has N + W - 1 elements, SUFFIX is as long. Blocks of W: SUFFIX
 * holds the largest from an element to its block's end, the running prefix from the next block's start. */
static inline void line_loop(larger_fn larger, int64_t n, int64_t w, const value *p, value *suffix, value *out)
{
  const int64_t length = n + w - 1;
  value prefix = p[0];
  for (int64_t i = length - 1; i >= 0; i--)
    suffix[i] = i == length - 1 || (i + 1) % w == 0 ? p[i] : larger(p[i], suffix[i + 1]);
  for (int64_t i = 0; i < length; i++) {
    prefix = i % w == 0 ? p[i] : larger(prefix, p[i]);
    if (i >= w - 1)
      out[i - w + 1] = larger(suffix[i - w + 1], prefix);
  }
}

/* CVAL in the type compared in: limited to DTYPE's range, for integers cut towards zero (NaN: the least), for bool
 * whether it is above 0. */
static value outside(int dtype, int wide, double cval)
{
  static const struct {
    double least, most;
  } range[] = { { 0, 1 }, { -128, 127 }, { -32768, 32767 }, { -0x1p31, 0x1p31 - 1 }, { -0x1p63, 0x1p63 },
                { 0, 255 }, { 0, 65535 }, { 0, 0x1p32 - 1 }, { 0, 0x1p64 } };
  value v = { .f = cval };
  if (wide == HED_ID_FLOAT64)
    return v;
  if (dtype == HED_ID_BOOL)
    cval = cval > 0;
  if (!(cval > range[dtype].least)) {
    v.i = dtype == HED_ID_INT64 ? INT64_MIN : (int64_t)range[dtype].least;
  } else if (wide == HED_ID_UINT64) {
    v.u = cval >= range[dtype].most ? dtype == HED_ID_UINT64 ? UINT64_MAX : (uint64_t)range[dtype].most : (uint64_t)cval;
  } else {
    v.i = cval >= range[dtype].most ? dtype == HED_ID_INT64 ? INT64_MAX : (int64_t)range[dtype].most : (int64_t)cval;
  }
  return v;
}

static int32_t box_extreme(void *state, const hed_call *call, const char *op, bool least)
{
  const hed_box_params *p = call->params;
  const hed_view *in = call->in[0], *out = call->out[0];
  const int wide = in->dtype >= HED_ID_FLOAT16                             ? HED_ID_FLOAT64
                   : in->dtype >= HED_ID_UINT8 || in->dtype == HED_ID_BOOL ? HED_ID_UINT64
                                                                           : HED_ID_INT64;
  const value margin = outside(in->dtype, wide, p->cval);
  const int mode = p->boundary == HED_BOUNDARY_DEFAULT ? HED_BOUNDARY_CONSTANT : p->boundary;
  const int64_t total = ref_size(in);
  value *work = NULL, *padded = NULL, *suffix = NULL, *result = NULL;
  int64_t longest = 1, inner = 1;
  int32_t status = HED_E_NOMEM;
  if (p->size < 1)
    return ref_host(state)->fail(HED_E_INVAL, "%s: size is %lld, not at least 1", op, (long long)p->size);
  if (total == 0)
    return HED_OK;
  for (int32_t k = 0; k < in->ndim; k++)
    longest = in->dim[k] > longest ? in->dim[k] : longest;
  work = ref_alloc(state, op, total, sizeof *work);
  padded = ref_alloc(state, op, 3 * longest, sizeof *padded);
  suffix = ref_alloc(state, op, 3 * longest, sizeof *suffix);
  result = ref_alloc(state, op, longest, sizeof *result);
  if (!work || !padded || !suffix || !result)
    goto done;
  ref_gather(work, wide, sizeof *work, in);
  for (int32_t axis = in->ndim - 1; axis >= 0; inner *= in->dim[axis], axis--) {
    const int64_t n = in->dim[axis];
    /* a box that reaches beyond a side by more than the line sees nothing new */
    const int64_t before = p->size / 2 < n ? p->size / 2 : n, after = (p->size - 1) / 2 < n ? (p->size - 1) / 2 : n;
    const int64_t w = before + after + 1;
    for (int64_t l = 0; l < total / n; l++) {
      value *at = work + l / inner * inner * n + l % inner;
      for (int64_t k = -before; k < n + after; k++) {
        int64_t from = hed__boundary_index(k, n, mode);
        padded[before + k] = from < 0 ? margin : at[from * inner];
      }
      if (wide == HED_ID_FLOAT64)
        line_loop(least ? smaller_float : larger_float, n, w, padded, suffix, result);
      else if (wide == HED_ID_INT64)
        line_loop(least ? smaller_signed : larger_signed, n, w, padded, suffix, result);
      else
        line_loop(least ? smaller_unsigned : larger_unsigned, n, w, padded, suffix, result);
      for (int64_t k = 0; k < n; k++)
        at[k * inner] = result[k];
    }
  }
  ref_scatter(out, work, wide, sizeof *work);
  status = HED_OK;
done:
  ref_free(state, work);
  ref_free(state, padded);
  ref_free(state, suffix);
  ref_free(state, result);
  return status;
}

REF_KERNEL(maximum_filter)
{
  return box_extreme(state, call, "maximum_filter", false);
}

REF_KERNEL(minimum_filter)
{
  return box_extreme(state, call, "minimum_filter", true);
}
