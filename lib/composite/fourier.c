// SPDX-License-Identifier: BSD-3-Clause
/* What goes with Fourier transforms: shifts of the origin, the analytic signal. L3. */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "base/cast.h"
#include "composite/composed.h"
#include "core/memory/memory.h"
#include "core/record/body.h"

#include <heddle/error.h>

/* ---- shifts ---- */

/* Roll by n/2 (BACK: by n - n/2) along AXES, NULL = all but the last SKIP. */
static hed_array *shift(int op, const hed_array *x, const hed_axes *axes, bool back, int skip)
{
  const char *name = hed__op_rows[op].name;
  if (!hed__given(x, name, "x"))
    return NULL;
  int ndim = x->view.ndim;
  hed_axes list = { .n = 0 }, by = { .n = 0 };
  uint32_t mask;
  if (hed__check_axes(name, axes, ndim, &mask) != HED_OK)
    return NULL;
  for (int k = 0; k < ndim - (axes && axes->n ? 0 : skip); k++) {
    if (!(mask >> k & 1u))
      continue;
    int64_t n = x->view.dim[k], half = back ? n - n / 2 : n / 2;
    if (half > INT32_MAX) {
      hed_fail(HED_E_SHAPE, "%s: extent %lld along axis %d is too long to be shifted", name, (long long)n, k);
      return NULL;
    }
    list.axis[list.n++] = k;
    by.axis[by.n++] = (int32_t)half;
  }
  return list.n ? hed_roll(x, &by, &list) : hed_copy(x);
}

hed_array *HED_BODY(fftshift)(const hed_array *x, const hed_axes *axes) { return shift(HED_OP_FFTSHIFT, x, axes, false, 0); }
hed_array *HED_BODY(ifftshift)(const hed_array *x, const hed_axes *axes) { return shift(HED_OP_IFFTSHIFT, x, axes, true, 0); }

hed_array *HED_BODY(shift_fourier)(const hed_array *x, bool real_fourier)
{
  return shift(HED_OP_SHIFT_FOURIER, x, NULL, true, real_fourier);
}

/* ---- analytic signal ---- */

/* 1, 2, 2, .., (1), 0, 0, ..: an array of N elements along AXIS of NDIM. */
static hed_array *one_sided(int64_t n, int axis, int ndim, int id)
{
  hed_shape shape = { .ndim = ndim };
  for (int k = 0; k < ndim; k++)
    shape.dim[k] = k == axis ? n : 1;
  hed_array *w = hed_zeros(HED_SHAPE(n), hed_dtype_of(id));
  hed_array *once = w ? hed_slice(w, 1, &HED_RANGE(0, n / 2 + 1, n > 1 && n % 2 == 0 ? n / 2 : n + !n)) : NULL;
  hed_array *twice = w ? hed_slice(w, 1, &HED_RANGE(1, (n + 1) / 2, 1)) : NULL;
  if (!once || !twice || hed_fill(once, 1) != HED_OK || hed_fill(twice, 2) != HED_OK)
    return NULL;
  return hed_reshape(w, shape);
}

hed_array *HED_BODY(hilbert)(const hed_array *x, const hed_fft *opt)
{
  static const hed_fft defaults;
  const char *op = "hilbert";
  if (!hed__given(x, op, "x"))
    return NULL;
  if (hed__check_domain(op, hed__op_rows[HED_OP_HILBERT].domain, "x", x->view.dtype) != HED_OK)
    return NULL;
  hed_fft there = opt ? *opt : defaults, back = { .axes = there.axes };
  there.norm = HED_NORM_BACKWARD;
  composed c;
  if (composed_begin(&c, HED_OP_HILBERT, 1, &x) != HED_OK)
    return NULL;
  hed_array *out = hed_fft1(c.ex.in[0], &there);
  if (out) {
    int axis = there.axes.n ? hed__axis(there.axes.axis[0], out->view.ndim) : out->view.ndim - 1;
    hed_array *w = one_sided(out->view.dim[axis], axis, out->view.ndim, hed__real_of(out->view.dtype));
    if (hed_multiply_into(out, out, w) != HED_OK || hed_ifft1_into(out, out, &back) != HED_OK)
      out = NULL;
  }
  return composed_end(&c, out);
}
