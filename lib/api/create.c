// SPDX-License-Identifier: BSD-3-Clause
/*
 * Creation: weak scalars, empty, fill and arange, and what is made of them (zeros, ones, full, linspace, eye). L3.
 *
 * New arrays are made on the device of the context in force; fill works where its array lives.
 */
#include "api/check.h"
#include "api/infer.h"
#include "api/movement.h"

#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>
#include <string.h>

/* ---- weak scalars: always in host memory, dispatch brings them where an operation runs ---- */

static hed_array *weak_scalar(int id, const void *value)
{
  const int64_t none = 0;
  hed_array *x = hed__array_new(hed__reference(), id, 0, &none);
  if (x) {
    memcpy(x->view.data, value, (size_t)hed__id_size(id));
    x->weak = true;
  }
  return x;
}

hed_array *hed_scalar(double value)
{
  return weak_scalar(HED_ID_FLOAT64, &value);
}

hed_array *hed_scalar_int(int64_t value)
{
  return weak_scalar(HED_ID_INT64, &value);
}

hed_array *hed_scalar_complex(double re, double im)
{
  const double value[2] = { re, im };
  return weak_scalar(HED_ID_COMPLEX128, value);
}

/* ---- empty and fill ---- */

static hed_array *make_on(hed__device *device, const char *op, const hed_shape *shape, int id)
{
  if (hed__check_shape(op, "shape", shape, id) != HED_OK)
    return NULL;
  return hed__array_new(device, id, shape->ndim, shape->dim);
}

static hed_array *make(const char *op, const hed_shape *shape, hed_dtype t)
{
  if (!t) {
    hed_fail(HED_E_INVAL, "%s: dtype is NULL", op);
    return NULL;
  }
  hed__device *device = hed__current_device();
  if (!device)
    return NULL;
  int id = hed__dtype_concrete(t, device, op);
  return id < 0 ? NULL : make_on(device, op, shape, id);
}

/* As a conversion of a float64 to an integer type gives: see base/cast.h. */
static int64_t to_int(double v, int id)
{
  if (v != v)
    return 0;
  if (id == HED_ID_UINT64) {
    if (v >= 0x1p64)
      return -1;
    if (v >= 0x1p63)
      return (int64_t)(uint64_t)v;
    return v <= -1.0 ? 0 : (int64_t)v;
  }
  if (v >= 0x1p63)
    return INT64_MAX;
  return v < -0x1p63 ? INT64_MIN : (int64_t)v;
}

hed_status hed__fill_view(const hed__exec *ex, hed_array *x, const hed_view *view, double value)
{
  if (hed__view_size(view) == 0)
    return HED_OK;
  hed_fill_params params = { value, 0, to_int(value, x->view.dtype) };
  return hed__run(ex, &(hed__launch){ .n_out = 1, .n_in = 0, .out = &x, .in = ex->in, .out_view = &view,
                                      .params = &params, .compute = x->view.dtype, .op = 1 + HED_OP_FILL });
}

static hed_status fill(const char *op, hed_array *x, double re, double im)
{
  hed__exec ex;
  const hed_array *operand = x;
  hed_status status = hed__check_out(op, x, x->view.ndim, x->view.dim);
  if (status != HED_OK || (status = hed__plan(&ex, HED_OP_FILL, 1, &operand)) != HED_OK)
    return status;
  hed_fill_params params = { re, im, to_int(re, x->view.dtype) };
  status = hed__check_writable(op, &ex, 0);
  if (status == HED_OK)
    status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 0, .out = &x, .in = ex.in, .params = &params,
                                           .compute = x->view.dtype });
  hed__exec_end(&ex);
  return status;
}

hed_status hed_fill(hed_array *x, double value)
{
  if (!hed__given(x, "fill", "x"))
    return hed_error();
  return fill("fill", x, value, 0);
}

hed_status hed_fill_complex(hed_array *x, double re, double im)
{
  if (!hed__given(x, "fill_complex", "x"))
    return hed_error();
  if (im != 0 && hed__id_kind(x->view.dtype) != HED_KIND_COMPLEX)
    return hed_fail(HED_E_DTYPE, "fill_complex: x has dtype %s, which cannot hold %g%+gi",
                    hed__dtypes[x->view.dtype]->name, re, im);
  return fill("fill_complex", x, re, im);
}

static hed_array *filled(const char *op, hed_array *x, double value)
{
  if (x && fill(op, x, value, 0) != HED_OK) {
    hed_release(x);
    return NULL;
  }
  return x;
}

hed_array *hed_empty(hed_shape shape, hed_dtype t)
{
  return make("empty", &shape, t);
}

hed_array *hed_zeros(hed_shape shape, hed_dtype t)
{
  return filled("zeros", make("zeros", &shape, t), 0);
}

hed_array *hed_ones(hed_shape shape, hed_dtype t)
{
  return filled("ones", make("ones", &shape, t), 1);
}

hed_array *hed_full(hed_shape shape, double value, hed_dtype t)
{
  return filled("full", make("full", &shape, t), value);
}

/* Where X lives, or where the context brings it. */
static hed_array *make_like(const char *op, int number, const hed_array *x)
{
  hed__exec ex;
  if (!hed__given(x, op, "x") || hed__plan(&ex, number, 1, &x) != HED_OK)
    return NULL;
  hed_shape shape = hed__shape_of(x);
  hed_array *out = make_on(ex.device, op, &shape, x->view.dtype);
  hed__exec_end(&ex);
  return out;
}

hed_array *hed_empty_like(const hed_array *x)
{
  return make_like("empty_like", HED_OP_EMPTY, x);
}

hed_array *hed_zeros_like(const hed_array *x)
{
  return filled("zeros_like", make_like("zeros_like", HED_OP_ZEROS, x), 0);
}

hed_array *hed_ones_like(const hed_array *x)
{
  return filled("ones_like", make_like("ones_like", HED_OP_ONES, x), 1);
}

hed_array *hed_full_like(const hed_array *x, double value)
{
  return filled("full_like", make_like("full_like", HED_OP_FULL, x), value);
}

/* ---- ranges ---- */

static hed_array *range(const char *op, double start, double step, int64_t n, int id, hed__device *device)
{
  hed_shape shape = { 1, { n } };
  hed_array *x = make_on(device, op, &shape, id);
  if (!x)
    return NULL;
  hed__exec ex;
  const hed_array *operand = x;
  hed_status status = hed__plan(&ex, HED_OP_ARANGE, 1, &operand);
  if (status == HED_OK) {
    hed_arange_params params = { .start = start, .step = step };
    status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 0, .out = &x, .in = ex.in, .params = &params,
                                           .compute = hed__compute_of(id) });
    hed__exec_end(&ex);
  }
  if (status != HED_OK) {
    hed_release(x);
    return NULL;
  }
  return x;
}

/* Device and dtype of a range; negative status or the id. */
static int range_dtype(const char *op, int number, hed_dtype t, hed__device **device)
{
  if (!t)
    return hed_fail(HED_E_INVAL, "%s: dtype is NULL", op);
  *device = hed__current_device();
  if (!*device)
    return hed_error();
  int id = hed__dtype_concrete(t, *device, op);
  if (id < 0)
    return id;
  hed_status status = hed__check_domain(op, hed__op_rows[number].domain, "the result", id);
  return status == HED_OK ? id : status;
}

hed_array *hed_arange(double start, double stop, double step, hed_dtype t)
{
  hed__device *device;
  int id = range_dtype("arange", HED_OP_ARANGE, t, &device);
  if (id < 0)
    return NULL;
  if (!isfinite(start) || !isfinite(stop) || !isfinite(step) || step == 0) {
    hed_fail(HED_E_INVAL, "arange: start %g, stop %g and step %g must be finite and the step not 0", start, stop, step);
    return NULL;
  }
  double n = ceil((stop - start) / step);
  if (!(n > 0))
    n = 0;
  if (n >= 0x1p53) {
    hed_fail(HED_E_SHAPE, "arange: %g elements from %g to %g by %g are too many", n, start, stop, step);
    return NULL;
  }
  return range("arange", start, step, (int64_t)n, id, device);
}

hed_array *hed_linspace(double start, double stop, int64_t num, hed_dtype t)
{
  hed__device *device;
  int id = range_dtype("linspace", HED_OP_LINSPACE, t, &device);
  if (id < 0)
    return NULL;
  if (num < 0 || !isfinite(start) || !isfinite(stop)) {
    hed_fail(HED_E_INVAL, "linspace: %lld values from %g to %g: the number must not be negative, the ends finite",
             (long long)num, start, stop);
    return NULL;
  }
  double step = num > 1 ? (stop - start) / (double)(num - 1) : 0;
  hed_array *x = range("linspace", start, step, num, id, device);
  if (!x || num < 2)
    return x;
  /* start + (num - 1) * step may miss stop by a rounding error. */
  hed_view last = x->view;
  hed__narrow(&last, 0, num - 1, 1, 1);
  hed_array *end = hed__array_view(x, &last);
  hed_status status = end ? fill("linspace", end, stop, 0) : hed_error();
  hed_release(end);
  if (status != HED_OK) {
    hed_release(x);
    return NULL;
  }
  return x;
}

hed_array *hed_eye(int64_t n, int64_t m, int64_t k, hed_dtype t)
{
  hed_shape shape = { 2, { n, m } };
  hed_array *x = filled("eye", make("eye", &shape, t), 0);
  if (!x || k >= m || k <= -n)
    return x;
  hed_array *d = hed_diagonal(x, k, 0, 1);
  hed_status status = d ? fill("eye", d, 1, 0) : hed_error();
  hed_release(d);
  if (status != HED_OK) {
    hed_release(x);
    return NULL;
  }
  return x;
}
