// SPDX-License-Identifier: BSD-3-Clause
/* Fourier transforms of one, two and any axes: complex, real, and of Hermitian-symmetric input. L3.
 *
 * A kernel gets its input with the extents and the dtype of the transform, so cropping is a view here, padding and
 * conversion a temporary. The transform itself is one launch over all axes; the last listed axis is the one that real
 * transforms halve. Normalisation is one factor, applied by the kernel. Transforms of Hermitian input are the real ones
 * with the other sign, by conjugation: sum of x e^(-i..) is the conjugate of the sum of conj(x) e^(+i..), and real.
 */
#include "api/fft/fft.h"
#include "api/call/check.h"
#include "api/call/infer.h"
#include "api/call/movement.h"
#include "core/context/context.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>

static const hed_fft defaults;

static const hed__transform transforms[] = {
  { HED_OP_FFT1, -1, HED__C2C, 1, false },  { HED_OP_IFFT1, 1, HED__C2C, 1, false },
  { HED_OP_RFFT1, -1, HED__R2C, 1, false }, { HED_OP_IRFFT1, 1, HED__C2R, 1, false },
  { HED_OP_HFFT1, -1, HED__C2R, 1, true },  { HED_OP_IHFFT1, 1, HED__R2C, 1, true },
  { HED_OP_FFT2, -1, HED__C2C, 2, false },  { HED_OP_IFFT2, 1, HED__C2C, 2, false },
  { HED_OP_RFFT2, -1, HED__R2C, 2, false }, { HED_OP_IRFFT2, 1, HED__C2R, 2, false },
  { HED_OP_HFFT2, -1, HED__C2R, 2, true },  { HED_OP_IHFFT2, 1, HED__R2C, 2, true },
  { HED_OP_FFTN, -1, HED__C2C, 0, false },  { HED_OP_IFFTN, 1, HED__C2C, 0, false },
  { HED_OP_RFFTN, -1, HED__R2C, 0, false }, { HED_OP_IRFFTN, 1, HED__C2R, 0, false },
  { HED_OP_HFFTN, -1, HED__C2R, 0, true },  { HED_OP_IHFFTN, 1, HED__R2C, 0, true },
};

const hed__transform *hed__fft_transform(int op)
{
  for (size_t k = 0; k < sizeof transforms / sizeof transforms[0]; k++)
    if (transforms[k].op == op)
      return &transforms[k];
  return NULL;
}

/* ---- settling ---- */

static hed_status choose_axes(const char *name, int ndim, const hed_fft *opt, hed__fft_job *j)
{
  int rank = j->t->rank, n = opt->axes.n ? opt->axes.n : rank ? rank : opt->s.ndim ? opt->s.ndim : ndim;
  if (opt->axes.n) {
    uint32_t mask;
    hed_status status = hed__check_axes(name, &opt->axes, ndim, &mask);
    if (status != HED_OK)
      return status;
  }
  if (rank && n != rank)
    return hed_fail(HED_E_SHAPE, "%s: %d axes are listed, this transform has %d", name, n, rank);
  if (opt->s.ndim && opt->s.ndim != n)
    return hed_fail(HED_E_SHAPE, "%s: s has %d extents for %d axes", name, (int)opt->s.ndim, n);
  if (n == 0 || ndim == 0)
    return hed_fail(HED_E_SHAPE, "%s: x has no axes to transform", name);
  if (n < 0 || n > ndim)
    return rank ? hed_fail(HED_E_SHAPE, "%s: x has %d axes, the transform needs %d", name, ndim, rank)
                : hed_fail(HED_E_SHAPE, "%s: %d extents are given for an array with %d axes", name, n, ndim);
  j->params.n_axes = n;
  for (int k = 0; k < n; k++)
    j->params.axis[k] = opt->axes.n ? hed__axis(opt->axes.axis[k], ndim) : ndim - n + k;
  return HED_OK;
}

static hed_status choose_shapes(const char *name, const hed_fft *opt, hed__fft_job *j)
{
  const hed__transform *t = j->t;
  double elements = 1;
  j->in = j->out = j->x;
  for (int k = 0; k < j->params.n_axes; k++) {
    int axis = j->params.axis[k];
    bool halved = t->type != HED__C2C && k == j->params.n_axes - 1;
    int64_t extent = opt->s.ndim ? opt->s.dim[k] : j->x.dim[axis];
    if (halved && t->type == HED__C2R && !opt->s.ndim)
      extent = 2 * (extent - 1);
    if (extent < 1)
      return hed_fail(HED_E_SHAPE, "%s: extent %lld along axis %d; a transform needs at least 1", name,
                      (long long)extent, axis);
    elements *= (double)extent;
    j->in.dim[axis] = halved && t->type == HED__C2R ? extent / 2 + 1 : extent;
    j->out.dim[axis] = halved && t->type == HED__R2C ? extent / 2 + 1 : extent;
  }
  j->params.sign = t->conjugate ? -t->sign : t->sign;
  switch (opt->norm) {
  case HED_NORM_BACKWARD: j->params.scale = t->sign < 0 ? 1 : 1 / elements; break;
  case HED_NORM_ORTHO: j->params.scale = 1 / sqrt(elements); break;
  case HED_NORM_FORWARD: j->params.scale = t->sign < 0 ? 1 / elements : 1; break;
  default: return hed_fail(HED_E_INVAL, "%s: option norm is %d, 0 to 2 are possible", name, (int)opt->norm);
  }
  hed_status status = hed__check_shape(name, "the transform's shape", &j->in, HED_ID_COMPLEX128);
  return status == HED_OK ? hed__check_shape(name, "the result's shape", &j->out, HED_ID_COMPLEX128) : status;
}

static hed_status choose_types(const char *name, hed__fft_job *j)
{
  int c;
  hed_status status = hed__check_domain(name, hed__op_rows[j->t->op].domain, "x", j->given);
  if (status != HED_OK)
    return status;
  switch (hed__id_kind(j->given)) {
  case HED_KIND_COMPLEX: c = j->given; break;
  case HED_KIND_FLOAT: c = hed__complex_of(j->given); break;
  default: c = j->t->type == HED__R2C ? hed__complex_of(hed__real_id()) : hed__complex_id();
  }
  j->compute = c;
  j->input = j->t->type == HED__R2C ? hed__real_of(c) : c;
  j->output = j->t->type == HED__C2R ? hed__real_of(c) : c;
  return HED_OK;
}

hed_status hed__fft_settle(const hed__transform *t, const hed_shape *shape, int id, const hed_fft *opt, hed__fft_job *j)
{
  const char *name = hed__op_rows[t->op].name;
  if (!opt)
    opt = &defaults;
  *j = (hed__fft_job){ .t = t, .given = id, .x = *shape };
  hed_status status = choose_axes(name, shape->ndim, opt, j);
  if (status == HED_OK)
    status = choose_shapes(name, opt, j);
  return status == HED_OK ? choose_types(name, j) : status;
}

/* ---- running ---- */

static hed_status conjugate(const hed__exec *ex, hed_array *dst, const hed_view *to, const hed_array *src,
                            const hed_view *from, int id)
{
  return hed__run(ex, &(hed__launch){ .n_out = 1, .n_in = 1, .out = &dst, .in = &src, .out_view = &to, .in_view = &from,
                                      .compute = id, .op = 1 + HED_OP_CONJ });
}

/* The kernel's input: X itself as a view when it can be, else *TEMP. */
static hed_status prepare(const hed__exec *ex, const hed__fft_job *j, const hed_array **x, hed_view *view,
                          hed_array **temp)
{
  bool padded = false, conj = j->t->conjugate && j->t->type == HED__C2R;
  hed_shape block = j->in;
  *view = (*x)->view;
  for (int k = 0; k < view->ndim; k++) {
    if (view->dim[k] < j->in.dim[k]) {
      padded = true;
      block.dim[k] = view->dim[k];
    }
    hed__narrow(view, k, 0, block.dim[k], 1);
  }
  if (!padded && view->dtype == j->input && !conj)
    return HED_OK;
  *temp = hed__array_new(ex->device, j->input, j->in.ndim, j->in.dim);
  if (!*temp)
    return hed_error();
  hed_status status = padded ? hed__fill_view(ex, *temp, &(*temp)->view, 0) : HED_OK;
  if (status == HED_OK && hed__view_size(view) > 0) {
    hed_view to = (*temp)->view;
    for (int k = 0; k < to.ndim; k++)
      hed__narrow(&to, k, 0, block.dim[k], 1);
    bool direct = conj && view->dtype == j->input;
    status = direct ? conjugate(ex, *temp, &to, *x, view, j->input) : hed__move(ex, *temp, &to, *x, view);
    if (status == HED_OK && conj && !direct)
      status = conjugate(ex, *temp, &to, *temp, &to, j->input);
  }
  *x = *temp;
  *view = (*temp)->view;
  return status;
}

hed_status hed__fft_check(const hed__exec *ex, const hed__fft_job *j, const hed_array *out)
{
  const char *name = hed__op_rows[j->t->op].name;
  hed_status status = hed__check_writable(name, ex, 1);
  bool in_place = j->t->type == HED__C2C && j->given == j->compute;
  return status == HED_OK ? hed__check_overlap(name, out, &out->view, "out", ex->in[0], &ex->in[0]->view, "x", in_place)
                          : status;
}

hed_status hed__fft_run(const hed__exec *ex, const hed__fft_job *j, const hed_array *x, hed_array *out,
                        hed_array **result)
{
  const char *name = hed__op_rows[j->t->op].name;
  hed_array *temp = NULL, *made = NULL, *target = out;
  hed_view view;
  hed_status status = HED_OK;
  if (!out || out->view.dtype != j->output) {
    int id = out ? j->output : hed__infer_on(name, j->output, ex->device);
    if (id >= 0 && id != j->output) {
      status = hed_fail(HED_E_DTYPE, "%s: %s has no transform to %s", name, ex->device->name,
                        hed__dtypes[j->output]->name);
    } else {
      target = made = id < 0 ? NULL : hed__array_new(ex->device, id, j->out.ndim, j->out.dim);
      status = made ? HED_OK : hed_error();
    }
  }
  if (status == HED_OK)
    status = prepare(ex, j, &x, &view, &temp);
  if (status == HED_OK && hed__view_size(&target->view) > 0) {
    const hed_view *in_view = &view;
    status = hed__run(ex, &(hed__launch){ .n_out = 1, .n_in = 1, .out = &target, .in = &x, .in_view = &in_view,
                                          .params = &j->params, .compute = j->compute, .op = 1 + HED_OP_FFT });
    if (status == HED_OK && j->t->conjugate && j->t->type == HED__R2C)
      status = conjugate(ex, target, &target->view, target, &target->view, j->output);
  }
  if (status == HED_OK && out && made)
    status = hed__move(ex, out, &out->view, made, &made->view);
  hed_release(temp);
  if (status == HED_OK && result)
    *result = made;
  else
    hed_release(made);
  return status;
}

static hed_status run(int op, const hed_array *x, const hed_fft *opt, hed_array *out, hed_array **result)
{
  const char *name = hed__op_rows[op].name;
  if (!hed__given(x, name, "x"))
    return hed_error();
  hed__fft_job j;
  hed_shape shape = hed__shape_of(x);
  hed_status status = hed__fft_settle(hed__fft_transform(op), &shape, x->view.dtype, opt, &j);
  if (status == HED_OK && out)
    status = hed__check_out(name, out, j.out.ndim, j.out.dim);
  if (status != HED_OK)
    return status;
  hed__exec ex;
  const hed_array *operands[2] = { x, out };
  if ((status = hed__plan(&ex, op, out ? 2 : 1, operands)) != HED_OK)
    return status;
  j.params.effort = ex.context->effort;
  if (out)
    status = hed__fft_check(&ex, &j, out);
  if (status == HED_OK)
    status = hed__fft_run(&ex, &j, ex.in[0], out, result);
  hed__exec_end(&ex);
  return status;
}

#define BODIES(ID, name)                                                                           \
  hed_array *HED_BODY(name)(const hed_array *x, const hed_fft *opt)                                    \
  {                                                                                                \
    hed_array *result = NULL;                                                                      \
    return run(HED_OP_##ID, x, opt, NULL, &result) == HED_OK ? result : NULL;                      \
  }                                                                                                \
  hed_status HED_BODY(name##_into)(hed_array *out, const hed_array *x, const hed_fft *opt)             \
  {                                                                                                \
    return hed__given(out, #name, "out") ? run(HED_OP_##ID, x, opt, out, NULL) : hed_error();      \
  }
BODIES(FFT1, fft1)
BODIES(IFFT1, ifft1)
BODIES(RFFT1, rfft1)
BODIES(IRFFT1, irfft1)
BODIES(HFFT1, hfft1)
BODIES(IHFFT1, ihfft1)
BODIES(FFT2, fft2)
BODIES(IFFT2, ifft2)
BODIES(RFFT2, rfft2)
BODIES(IRFFT2, irfft2)
BODIES(HFFT2, hfft2)
BODIES(IHFFT2, ihfft2)
BODIES(FFTN, fftn)
BODIES(IFFTN, ifftn)
BODIES(RFFTN, rfftn)
BODIES(IRFFTN, irfftn)
BODIES(HFFTN, hfftn)
BODIES(IHFFTN, ihfftn)
