// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fourier transforms: fftn, ifftn, rfftn, irfftn, good sizes, convolution shapes. L3.
 *
 * A kernel gets its input with the extents and the dtype of the transform, so cropping is a view here, padding and
 * conversion a temporary. The transform itself is one launch over all axes; the last listed axis is the one that real
 * transforms halve. Normalisation is one factor, applied by the kernel.
 */
#include "api/check.h"
#include "api/infer.h"
#include "api/movement.h"
#include "core/context.h"

#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>

static const hed_fft defaults;

typedef enum kind { C2C, R2C, C2R } kind;

typedef struct transform {
  int op, sign;
  kind kind;
} transform;

static const transform fftn = { HED_OP_FFTN, -1, C2C }, ifftn = { HED_OP_IFFTN, 1, C2C },
                       rfftn = { HED_OP_RFFTN, -1, R2C }, irfftn = { HED_OP_IRFFTN, 1, C2R };

typedef struct plan {
  hed_fft_params params;
  int input, output;     /* dtypes in front of and behind the kernel */
  int compute;
  hed_shape in, out;     /* shapes in front of and behind it */
} plan;

static hed_status choose_axes(const char *name, const hed_array *x, const hed_fft *opt, plan *p)
{
  int ndim = x->view.ndim, n = opt->axes.n ? opt->axes.n : opt->s.ndim ? opt->s.ndim : ndim;
  if (opt->axes.n) {
    uint32_t mask;
    hed_status status = hed__check_axes(name, &opt->axes, ndim, &mask);
    if (status != HED_OK)
      return status;
  }
  if (opt->s.ndim && opt->s.ndim != n)
    return hed_fail(HED_E_SHAPE, "%s: s has %d extents for %d axes", name, (int)opt->s.ndim, n);
  if (n < 0 || n > ndim)
    return hed_fail(HED_E_SHAPE, "%s: %d extents are given for an array with %d axes", name, n, ndim);
  if (n == 0)
    return hed_fail(HED_E_SHAPE, "%s: x has no axes to transform", name);
  p->params.n_axes = n;
  for (int k = 0; k < n; k++)
    p->params.axis[k] = opt->axes.n ? hed__axis(opt->axes.axis[k], ndim) : ndim - n + k;
  return HED_OK;
}

static hed_status choose_shapes(const transform *t, const char *name, const hed_array *x, const hed_fft *opt, plan *p)
{
  double elements = 1;
  p->in = p->out = hed__shape_of(x);
  for (int k = 0; k < p->params.n_axes; k++) {
    int axis = p->params.axis[k];
    bool halved = t->kind != C2C && k == p->params.n_axes - 1;
    int64_t extent = opt->s.ndim ? opt->s.dim[k] : x->view.dim[axis];
    if (halved && t->kind == C2R && !opt->s.ndim)
      extent = 2 * (extent - 1);
    if (extent < 1)
      return hed_fail(HED_E_SHAPE, "%s: extent %lld along axis %d; a transform needs at least 1", name,
                      (long long)extent, axis);
    elements *= (double)extent;
    p->in.dim[axis] = halved && t->kind == C2R ? extent / 2 + 1 : extent;
    p->out.dim[axis] = halved && t->kind == R2C ? extent / 2 + 1 : extent;
  }
  p->params.sign = t->sign;
  switch (opt->norm) {
  case HED_NORM_BACKWARD: p->params.scale = t->sign < 0 ? 1 : 1 / elements; break;
  case HED_NORM_ORTHO: p->params.scale = 1 / sqrt(elements); break;
  case HED_NORM_FORWARD: p->params.scale = t->sign < 0 ? 1 / elements : 1; break;
  default: return hed_fail(HED_E_INVAL, "%s: option norm is %d, 0 to 2 are possible", name, (int)opt->norm);
  }
  hed_status status = hed__check_shape(name, "the transform's shape", &p->in, HED_ID_COMPLEX128);
  return status == HED_OK ? hed__check_shape(name, "the result's shape", &p->out, HED_ID_COMPLEX128) : status;
}

static hed_status choose_types(const transform *t, const char *name, const hed_array *x, plan *p)
{
  int id = x->view.dtype, c;
  hed_status status = hed__check_domain(name, hed__op_rows[t->op].domain, "x", id);
  if (status != HED_OK)
    return status;
  switch (hed__id_kind(id)) {
  case HED_KIND_COMPLEX: c = id; break;
  case HED_KIND_FLOAT: c = hed__complex_of(id); break;
  default: c = t->kind == R2C ? hed__complex_of(hed__real_id()) : hed__complex_id();
  }
  p->compute = c;
  p->input = t->kind == R2C ? hed__real_of(c) : c;
  p->output = t->kind == C2R ? hed__real_of(c) : c;
  return HED_OK;
}

/* The kernel's input: X itself as a view when it can be, else *TEMP. */
static hed_status prepare(const hed__exec *ex, const plan *p, const hed_array **x, hed_view *view, hed_array **temp)
{
  bool padded = false;
  hed_shape block = p->in;
  *view = (*x)->view;
  for (int k = 0; k < view->ndim; k++) {
    if (view->dim[k] < p->in.dim[k]) {
      padded = true;
      block.dim[k] = view->dim[k];
    }
    hed__narrow(view, k, 0, block.dim[k], 1);
  }
  if (!padded && view->dtype == p->input)
    return HED_OK;
  *temp = hed__array_new(ex->device, p->input, p->in.ndim, p->in.dim);
  if (!*temp)
    return hed_error();
  hed_status status = padded ? hed__fill_view(ex, *temp, &(*temp)->view, 0) : HED_OK;
  if (status == HED_OK) {
    hed_view to = (*temp)->view;
    for (int k = 0; k < to.ndim; k++)
      hed__narrow(&to, k, 0, block.dim[k], 1);
    status = hed__move(ex, *temp, &to, *x, view);
  }
  *x = *temp;
  *view = (*temp)->view;
  return status;
}

static hed_status run(const transform *t, const hed_array *x, const hed_fft *opt, hed_array *out, hed_array **result)
{
  const char *name = hed__op_rows[t->op].name;
  if (!hed__given(x, name, "x"))
    return hed_error();
  if (!opt)
    opt = &defaults;
  plan p = { .params = { .n_axes = 0 } };
  hed_status status = choose_axes(name, x, opt, &p);
  if (status == HED_OK)
    status = choose_shapes(t, name, x, opt, &p);
  if (status == HED_OK)
    status = choose_types(t, name, x, &p);
  if (status == HED_OK && out)
    status = hed__check_out(name, out, p.out.ndim, p.out.dim);
  if (status != HED_OK)
    return status;
  hed__exec ex;
  const hed_array *operands[2] = { x, out };
  if ((status = hed__plan(&ex, t->op, out ? 2 : 1, operands)) != HED_OK)
    return status;
  p.params.effort = ex.context->effort;
  hed_array *temp = NULL, *made = NULL, *target = out;
  const hed_array *input = ex.in[0];
  hed_view view;
  if (out) {
    status = hed__check_writable(name, &ex, 1);
    if (status == HED_OK)
      status = hed__check_overlap(name, out, &out->view, "out", input, &input->view, "x", false);
  }
  if (status == HED_OK && (!out || out->view.dtype != p.output)) {
    int id = out ? p.output : hed__infer_on(name, p.output, ex.device);
    if (id >= 0 && id != p.output) {
      status = hed_fail(HED_E_DTYPE, "%s: %s has no transform to %s", name, ex.device->name,
                        hed__dtypes[p.output]->name);
    } else {
      target = made = id < 0 ? NULL : hed__array_new(ex.device, id, p.out.ndim, p.out.dim);
      status = made ? HED_OK : hed_error();
    }
  }
  if (status == HED_OK)
    status = prepare(&ex, &p, &input, &view, &temp);
  if (status == HED_OK && hed__view_size(&target->view) > 0) {
    const hed_view *in_view = &view;
    status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 1, .out = &target, .in = &input,
                                           .in_view = &in_view, .params = &p.params, .compute = p.compute,
                                           .op = 1 + HED_OP_FFT });
  }
  if (status == HED_OK && out && made)
    status = hed__move(&ex, out, &out->view, made, &made->view);
  hed__exec_end(&ex);
  hed_release(temp);
  if (status == HED_OK && result)
    *result = made;
  else
    hed_release(made);
  return status;
}

static hed_array *run_new(const transform *t, const hed_array *x, const hed_fft *opt)
{
  hed_array *result = NULL;
  return run(t, x, opt, NULL, &result) == HED_OK ? result : NULL;
}

static hed_status run_into(const transform *t, hed_array *out, const hed_array *x, const hed_fft *opt)
{
  if (!hed__given(out, hed__op_rows[t->op].name, "out"))
    return hed_error();
  return run(t, x, opt, out, NULL);
}

#define BODIES(name)                                                                               \
  hed_array *hed_##name(const hed_array *x, const hed_fft *opt)                                    \
  {                                                                                                \
    return run_new(&name, x, opt);                                                                 \
  }                                                                                                \
  hed_status hed_##name##_into(hed_array *out, const hed_array *x, const hed_fft *opt)             \
  {                                                                                                \
    return run_into(&name, out, x, opt);                                                           \
  }
BODIES(fftn)
BODIES(ifftn)
BODIES(rfftn)
BODIES(irfftn)

/* ---- sizes ---- */

/* Least 2^a 3^b 5^c 7^d >= n, for n >= 1; -1 when it would not fit. */
static int64_t smooth_size(int64_t n)
{
  int64_t best = -1;
  for (int64_t s = 1; s <= INT64_MAX / 7; s *= 7) {
    for (int64_t f = s; f <= INT64_MAX / 5; f *= 5) {
      for (int64_t t = f; t <= INT64_MAX / 3; t *= 3) {
        int64_t b = t;
        while (b < n && b <= INT64_MAX / 2)
          b *= 2;
        if (b >= n && (best < 0 || b < best))
          best = b;
        if (t >= n)
          break;
      }
      if (f >= n)
        break;
    }
    if (s >= n)
      break;
  }
  return best;
}

int64_t hed_fft_good_size(int64_t n)
{
  if (n <= 1)
    return 1;
  hed__device *device = hed__current_device();
  if (!device)
    return hed_error();
  if (device->plugin->fft_good_size) {
    int64_t m = device->plugin->fft_good_size(device->state, n);
    if (m >= n)
      return m;
  }
  int64_t m = smooth_size(n);
  return m > 0 ? m : hed_fail(HED_E_SHAPE, "fft_good_size: no good size from %lld on", (long long)n);
}

hed_status hed_compute_convolution_shapes(hed_shape s1, hed_shape s2, hed_shape *full, hed_shape *fast,
                                          hed_shape *fast_ft)
{
  const char *op = "compute_convolution_shapes";
  hed_status status = hed__check_shape(op, "s1", &s1, HED_ID_BOOL);
  if (status == HED_OK)
    status = hed__check_shape(op, "s2", &s2, HED_ID_BOOL);
  if (status != HED_OK)
    return status;
  if (s1.ndim != s2.ndim || s1.ndim == 0)
    return hed_fail(HED_E_SHAPE, "%s: s1 %s and s2 %s need the same number of axes, at least 1", op, HED__TEXT(&s1),
                    HED__TEXT(&s2));
  hed_shape a = { .ndim = s1.ndim }, b = a, c;
  for (int k = 0; k < s1.ndim; k++) {
    if (s1.dim[k] < 1 || s2.dim[k] < 1 || __builtin_add_overflow(s1.dim[k], s2.dim[k] - 1, &a.dim[k]))
      return hed_fail(HED_E_SHAPE, "%s: extents %lld of s1 and %lld of s2 along axis %d have no convolution", op,
                      (long long)s1.dim[k], (long long)s2.dim[k], k);
    if ((b.dim[k] = hed_fft_good_size(a.dim[k])) < 0)
      return (hed_status)b.dim[k];
  }
  c = b;
  c.dim[c.ndim - 1] = c.dim[c.ndim - 1] / 2 + 1;
  if (full)
    *full = a;
  if (fast)
    *fast = b;
  if (fast_ft)
    *fast_ft = c;
  return HED_OK;
}
