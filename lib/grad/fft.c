// SPDX-License-Identifier: BSD-3-Clause
/* Rules of Fourier transforms: the transform the other way, with the normalisation of the other direction. L3.
 *
 * What a real transform leaves out is the conjugate of what it keeps: of the halved axis all elements but the first, and the last
 * where the whole axis is even, stand for two. Extents that were cut or continued are continued or cut.
 */
#include "core/record/body.h"
#include "grad/back.h"

/* The transform's options for its transpose, with all axes named; WHOLE: and extents, those of E. */
static hed_fft other_way(const hed__back *b, int32_t fewest, const hed__entry *whole)
{
  static const hed_fft defaults;
  const hed__args_fftn *a = b->step->args; /* all of them have the same */
  const hed_fft *opt = a->opt ? a->opt : &defaults;
  const int32_t ndim = b->of[0]->ndim;
  hed_fft t = { .norm = opt->norm == HED_NORM_ORTHO ? HED_NORM_ORTHO : HED_NORM_FORWARD - opt->norm };
  if (opt->axes.n > 0) {
    t.axes = opt->axes;
  } else {
    const int32_t n = opt->s.ndim > 0 ? opt->s.ndim : fewest ? fewest : ndim;
    for (int32_t k = ndim - n; k < ndim; k++)
      t.axes.axis[t.axes.n++] = k;
  }
  for (int32_t k = 0; k < t.axes.n; k++) {
    t.axes.axis[k] += t.axes.axis[k] < 0 ? ndim : 0;
    if (whole)
      t.s.dim[t.s.ndim++] = whole->dim[t.axes.axis[k]];
  }
  return t;
}

static int32_t fewest(int op)
{
  switch (op) {
  case HED_OP_FFT1: case HED_OP_IFFT1: case HED_OP_RFFT1: case HED_OP_IRFFT1:
  case HED_OP_HFFT1: case HED_OP_IHFFT1: return 1;
  case HED_OP_FFT2: case HED_OP_IFFT2: case HED_OP_RFFT2: case HED_OP_IRFFT2:
  case HED_OP_HFFT2: case HED_OP_IHFFT2: return 2;
  default: return 0;
  }
}

hed_status hed__back_fft(hed__back *b)
{
  const int op = b->step->op;
  const bool forward = op == HED_OP_FFT1 || op == HED_OP_FFT2 || op == HED_OP_FFTN;
  const hed_fft t = other_way(b, fewest(op), NULL);
  return hed__made(b->d[0] = hed__fit_ends((forward ? hed_ifftn : hed_fftn)(b->g[0], &t), b->of[0]));
}

/* Along AXIS of an array of NDIM axes, for a whole axis of N: ENDS where an element stands for itself, OTHERS elsewhere. */
static hed_array *weights(int32_t ndim, int32_t axis, int64_t n, double ends, double others, hed_dtype t)
{
  hed_shape shape = { .ndim = ndim };
  for (int32_t k = 0; k < ndim; k++)
    shape.dim[k] = k == axis ? n / 2 + 1 : 1;
  const hed_array *i = hed_reshape(hed_arange_int(0, n / 2 + 1, 1, HED_INT64), shape);
  const hed_array *end = hed_equal_scalar(i, 0);
  if (n % 2 == 0)
    end = hed_logical_or(end, hed_equal_scalar(i, (double)(n / 2)));
  return hed_astype(hed_scalars_where(end, ends, others), t);
}

static hed_dtype real_of(const hed__entry *e) { return hed__dtypes[hed__real_of(e->dtype)]; }

hed_status hed__back_rfft(hed__back *b)
{
  static const hed_fft defaults;
  const hed__entry *y = b->made[0];
  const hed__args_rfftn *a = b->step->args;
  const hed_fft *opt = a->opt ? a->opt : &defaults;
  hed_fft t = other_way(b, fewest(b->step->op), y);
  const int32_t last = t.axes.axis[t.axes.n - 1];
  const int64_t n = opt->s.ndim > 0 ? opt->s.dim[opt->s.ndim - 1] : b->of[0]->dim[last];
  t.s.dim[t.s.ndim - 1] = n;
  const hed_array *g = hed_multiply(b->g[0], weights(y->ndim, last, n, 1, 0.5, real_of(y)));
  const int op = b->step->op;
  const bool hermitian = op == HED_OP_IHFFT1 || op == HED_OP_IHFFT2 || op == HED_OP_IHFFTN;
  return hed__made(b->d[0] = hed__fit_ends((hermitian ? hed_hfftn : hed_irfftn)(g, &t), b->of[0]));
}

hed_status hed__back_irfft(hed__back *b)
{
  const hed__entry *y = b->made[0];
  const hed_fft t = other_way(b, fewest(b->step->op), NULL);
  const int32_t last = t.axes.axis[t.axes.n - 1];
  const int op = b->step->op;
  const bool hermitian = op == HED_OP_HFFT1 || op == HED_OP_HFFT2 || op == HED_OP_HFFTN;
  const hed_array *spectrum = (hermitian ? hed_ihfftn : hed_rfftn)(b->g[0], &t);
  const hed_array *g = hed_multiply(spectrum, weights(y->ndim, last, y->dim[last], 1, 2, real_of(y)));
  return hed__made(b->d[0] = hed__fit_ends(g, b->of[0]));
}

/* t = Im(conj(y) g); x: rate t, rate: x t. */
hed_status hed__back_phasor(hed__back *b)
{
  const hed_array *t = hed_imag(hed_multiply(hed_conj(b->out[0]), b->g[0]));
  for (int k = 0; k < 2; k++)
    if (b->wanted[k] && hed__give(b, k, b->in[1 - k] ? hed_multiply(b->in[1 - k], t) : (hed_array *)(uintptr_t)t) != HED_OK)
      return hed_error();
  return HED_OK;
}
