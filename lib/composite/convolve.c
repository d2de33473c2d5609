// SPDX-License-Identifier: BSD-3-Clause
/* Convolution and correlation: linear ones, direct or by transforms, and circular ones along the last axis; the crop that
 * goes with them. L3.
 *
 * A linear one is the part of the full result (s1 + s2 - 1) from START on; correlation is convolution with the second
 * operand reversed and conjugated. By transforms: of the next fast size, so nothing wraps round.
 */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "composite/composed.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <math.h>

typedef enum method { AUTOMATIC, DIRECT, TRANSFORMS } method;

typedef struct part {
  hed_convolve_params params; /* where the result starts in the full one */
  hed_shape full, out;
} part;

static hed_status find_part(const char *op, const hed_shape *a, const hed_shape *b, int mode, part *p)
{
  if (a->ndim != b->ndim || a->ndim == 0)
    return hed_fail(HED_E_SHAPE, "%s: a %s and b %s need the same number of axes, at least 1", op, HED__TEXT(a), HED__TEXT(b));
  *p = (part){ .full = *a, .out = *a };
  for (int k = 0; k < a->ndim; k++) {
    int64_t n = a->dim[k], m = b->dim[k];
    if (n < 1 || m < 1 || __builtin_add_overflow(n, m - 1, &p->full.dim[k]))
      return hed_fail(HED_E_SHAPE, "%s: extents %lld of a and %lld of b along axis %d have no convolution", op, (long long)n,
                      (long long)m, k);
    switch (mode) {
    case HED_CONVOLVE_FULL: p->out.dim[k] = p->full.dim[k]; break;
    case HED_CONVOLVE_SAME: p->params.start[k] = (m - 1) / 2; break;
    case HED_CONVOLVE_VALID:
      if (n < m)
        return hed_fail(HED_E_SHAPE, "%s: mode valid: extent %lld of a along axis %d is below %lld of b", op, (long long)n, k,
                        (long long)m);
      p->params.start[k] = m - 1;
      p->out.dim[k] = n - m + 1;
      break;
    default:
      return hed_fail(HED_E_INVAL, "%s: mode is %d, 0 (full) to 2 (valid) are possible", op, mode);
    }
  }
  return hed__check_shape(op, "the full result's shape", &p->full, HED_ID_COMPLEX128);
}

/* Are the sums cheaper than three transforms? Of 5 n log n operations each, which take longer than those of a sum. */
static bool direct_is_cheaper(const part *p, const hed_array *b)
{
  double n = (double)hed__shape_size(p->full.ndim, p->full.dim);
  double products = (double)hed__shape_size(p->out.ndim, p->out.dim) * (double)hed__view_size(&b->view);
  return products <= 12 * n * log2(n + 1);
}

static hed_array *by_transforms(const hed_array *a, const hed_array *b, const part *p, int id)
{
  hed_fft opt = { .norm = HED_NORM_BACKWARD };
  hed_shape sa = hed__shape_of(a), sb = hed__shape_of(b);
  hed_slice_range crop[HED_MAX_NDIM];
  if (hed_compute_convolution_shapes(sa, sb, NULL, &opt.s, NULL) != HED_OK)
    return NULL;
  bool two = hed__id_kind(id) == HED_KIND_COMPLEX;
  hed_array *x = hed_astype(a, hed_dtype_of(id)), *y = hed_astype(b, hed_dtype_of(id));
  x = two ? hed_fftn(x, &opt) : hed_rfftn(x, &opt);
  y = two ? hed_fftn(y, &opt) : hed_rfftn(y, &opt);
  if (!x || !y || hed_multiply_into(x, x, y) != HED_OK)
    return NULL;
  x = two ? hed_ifftn(x, &opt) : hed_irfftn(x, &opt);
  for (int k = 0; k < p->out.ndim; k++)
    crop[k] = HED_RANGE(p->params.start[k], p->params.start[k] + p->out.dim[k], 1);
  x = hed_astype(hed_slice(x, p->out.ndim, crop), hed_dtype_of(id));
  return hed_copy(x);
}

static hed_array *linear(int op, const hed_array *a, const hed_array *b, int mode, method how, bool correlate)
{
  const char *name = hed__op_rows[op].name;
  if (!hed__given(a, name, "a") || !hed__given(b, name, "b"))
    return NULL;
  part p;
  hed_shape sa = hed__shape_of(a), sb = hed__shape_of(b);
  const hed_array *operands[2] = { a, b };
  if (find_part(name, &sa, &sb, mode, &p) != HED_OK)
    return NULL;
  int id = hed__infer_operands(op, 2, operands, (const char *const[]){ "a", "b" });
  composed c;
  if (id < 0 || composed_begin(&c, op, 2, operands) != HED_OK)
    return NULL;
  hed_array *out = NULL;
  const hed_array *x = c.ex.in[0], *y = c.ex.in[1];
  id = hed__infer_on(name, id, c.ex.device);
  if (id >= 0 && correlate && (y = hed_flip(y, NULL)) && hed__id_kind(y->view.dtype) == HED_KIND_COMPLEX)
    y = hed_conj(y);
  bool number = id >= 0 && (hed__id_kind(id) == HED_KIND_FLOAT || hed__id_kind(id) == HED_KIND_COMPLEX);
  if (id >= 0 && y && (how == TRANSFORMS || (how == AUTOMATIC && number && !direct_is_cheaper(&p, b)))) {
    out = by_transforms(x, y, &p, id);
  } else if (id >= 0 && y && (out = hed__array_new(c.ex.device, id, p.out.ndim, p.out.dim))) {
    const hed_array *in[2] = { x, y };
    if (hed__run(&c.ex, &(hed__launch){ .n_out = 1, .n_in = 2, .out = &out, .in = in, .params = &p.params, .compute = id,
                                        .op = 1 + HED_OP_CONVOLVE_DIRECT }) != HED_OK)
      out = NULL;
  }
  return composed_end(&c, out);
}

hed_array *HED_BODY(convolve)(const hed_array *a, const hed_array *b, int32_t mode)
{
  return linear(HED_OP_CONVOLVE, a, b, mode, AUTOMATIC, false);
}

hed_array *HED_BODY(correlate)(const hed_array *a, const hed_array *b, int32_t mode)
{
  return linear(HED_OP_CORRELATE, a, b, mode, AUTOMATIC, true);
}

hed_array *HED_BODY(convolve_direct)(const hed_array *a, const hed_array *b, int32_t mode)
{
  return linear(HED_OP_CONVOLVE_DIRECT, a, b, mode, DIRECT, false);
}

hed_array *HED_BODY(fftconvolve)(const hed_array *a, const hed_array *b, int32_t mode)
{
  return linear(HED_OP_FFTCONVOLVE, a, b, mode, TRANSFORMS, false);
}

hed_array *HED_BODY(fftcorrelate)(const hed_array *a, const hed_array *b, int32_t mode)
{
  return linear(HED_OP_FFTCORRELATE, a, b, mode, TRANSFORMS, true);
}

static bool is_plane(const char *op, const hed_array *x, const char *arg)
{
  if (!hed__given(x, op, arg))
    return false;
  if (x->view.ndim != 2)
    hed_fail(HED_E_SHAPE, "%s: %s has %d axes, 2 are needed", op, arg, (int)x->view.ndim);
  return x->view.ndim == 2;
}

hed_array *HED_BODY(convolve2d)(const hed_array *a, const hed_array *b, int32_t mode)
{
  bool fits = is_plane("convolve2d", a, "a") && is_plane("convolve2d", b, "b");
  return fits ? linear(HED_OP_CONVOLVE2D, a, b, mode, DIRECT, false) : NULL;
}

hed_array *HED_BODY(correlate2d)(const hed_array *a, const hed_array *b, int32_t mode)
{
  bool fits = is_plane("correlate2d", a, "a") && is_plane("correlate2d", b, "b");
  return fits ? linear(HED_OP_CORRELATE2D, a, b, mode, DIRECT, true) : NULL;
}

/* ---- circular ---- */

static hed_array *circular(int op, const hed_array *a, const hed_array *b, bool correlate)
{
  const char *name = hed__op_rows[op].name;
  if (!hed__given(a, name, "a") || !hed__given(b, name, "b"))
    return NULL;
  hed_shape sa = hed__shape_of(a), sb = hed__shape_of(b), all;
  int64_t n = sa.ndim ? sa.dim[sa.ndim - 1] : 0, m = sb.ndim ? sb.dim[sb.ndim - 1] : 0;
  if (n != m || n < 1) {
    hed_fail(HED_E_SHAPE, "%s: last axes of a %s and b %s must have the same extent, at least 1", name, HED__TEXT(&sa),
             HED__TEXT(&sb));
    return NULL;
  }
  const hed_array *operands[2] = { a, b };
  if (hed_broadcast_shapes(2, (const hed_shape[]){ sa, sb }, &all) != HED_OK)
    return NULL;
  int id = hed__infer_operands(op, 2, operands, (const char *const[]){ "a", "b" });
  composed c;
  if (id < 0 || composed_begin(&c, op, 2, operands) != HED_OK)
    return NULL;
  hed_array *out = NULL;
  if ((id = hed__infer_on(name, id, c.ex.device)) >= 0) {
    bool two = hed__id_kind(id) == HED_KIND_COMPLEX;
    hed_fft opt = { .s = HED_SHAPE(n) };
    hed_array *x = hed_astype(c.ex.in[0], hed_dtype_of(id)), *y = hed_astype(c.ex.in[1], hed_dtype_of(id));
    x = two ? hed_fft1(x, &opt) : hed_rfft1(x, &opt);
    y = two ? hed_fft1(y, &opt) : hed_rfft1(y, &opt);
    x = hed_multiply(x, correlate ? hed_conj(y) : y);
    out = hed_astype(two ? hed_ifft1(x, &opt) : hed_irfft1(x, &opt), hed_dtype_of(id));
  }
  return composed_end(&c, out);
}

hed_array *HED_BODY(circular_convolve)(const hed_array *a, const hed_array *b)
{
  return circular(HED_OP_CIRCULAR_CONVOLVE, a, b, false);
}

hed_array *HED_BODY(circular_correlate)(const hed_array *a, const hed_array *b)
{
  return circular(HED_OP_CIRCULAR_CORRELATE, a, b, true);
}

/* ---- the crop ---- */

hed_array *HED_BODY(apply_convolution_mode)(const hed_array *x, int32_t mode, hed_shape s1, hed_shape s2,
                                      const hed_shape *convolution_shape, bool mask_output)
{
  const char *op = "apply_convolution_mode";
  part p;
  if (!hed__given(x, op, "x") || find_part(op, &s1, &s2, mode, &p) != HED_OK)
    return NULL;
  const hed_shape *conv = convolution_shape ? convolution_shape : &p.full;
  hed_shape have = hed__shape_of(x);
  hed_slice_range crop[HED_MAX_NDIM], centre[HED_MAX_NDIM];
  bool fits = have.ndim == s1.ndim && conv->ndim == s1.ndim;
  hed_shape left = have;
  for (int k = 0; k < s1.ndim && fits; k++) { /* [:conv], then the centre of what is left */
    fits = conv->dim[k] >= 1;
    left.dim[k] = have.dim[k] < conv->dim[k] ? have.dim[k] : conv->dim[k];
    int64_t n = mode == HED_CONVOLVE_FULL ? left.dim[k] : p.out.dim[k];
    fits = fits && n <= left.dim[k];
    int64_t start = fits ? (left.dim[k] - n) / 2 : 0;
    crop[k] = HED_RANGE(0, left.dim[k], 1);
    centre[k] = HED_RANGE(start, start + n, 1);
  }
  if (!fits) {
    hed_fail(HED_E_SHAPE, "%s: x %s cropped to %s does not hold the result %s of s1 %s and s2 %s", op, HED__TEXT(&have),
             HED__TEXT(conv), HED__TEXT(&p.out), HED__TEXT(&s1), HED__TEXT(&s2));
    return NULL;
  }
  composed c;
  if (composed_begin(&c, HED_OP_APPLY_CONVOLUTION_MODE, 1, &x) != HED_OK)
    return NULL;
  hed_array *whole = hed_slice(c.ex.in[0], s1.ndim, crop), *part_ = hed_slice(whole, s1.ndim, centre), *out = part_;
  if (mask_output && part_) {
    out = hed_zeros(left, hed_array_dtype(x));
    hed_array *to = hed_slice(out, s1.ndim, centre);
    if (!to || hed_copy_into(to, part_) != HED_OK)
      out = NULL;
  }
  return composed_end(&c, out);
}
