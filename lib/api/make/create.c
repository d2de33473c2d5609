// SPDX-License-Identifier: BSD-3-Clause
/* Creation: weak scalars, empty and fill, and what is made of them (zeros, ones, full, eye, diag); ranges are in range.c. L3.
 *
 * New arrays are made on the device of the context in force; fill works where its array lives.
 */
#include "api/call/box.h"
#include "api/call/check.h"
#include "api/call/infer.h"
#include "api/call/movement.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>
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

hed_array *hed_scalar_bool(bool value)
{
  return weak_scalar(HED_ID_BOOL, &value);
}

hed_array *hed_scalar_int(int64_t value)
{
  return weak_scalar(HED_ID_INT64, &value);
}

hed_array *hed_scalar_uint(uint64_t value)
{
  return weak_scalar(HED_ID_UINT64, &value);
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

static hed_status fill_with(const char *op, hed_array *x, hed_fill_params params)
{
  hed__exec ex;
  const hed_array *operand = x;
  hed_status status = hed__check_out(op, x, x->view.ndim, x->view.dim);
  if (status != HED_OK || (status = hed__plan(&ex, HED_OP_FILL, 1, &operand)) != HED_OK)
    return status;
  status = hed__check_writable(op, &ex, 0);
  if (status == HED_OK)
    status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 0, .out = &x, .in = ex.in, .params = &params,
                                           .compute = x->view.dtype });
  hed__exec_end(&ex);
  return status;
}

static hed_status fill(const char *op, hed_array *x, double re, double im)
{
  return fill_with(op, x, (hed_fill_params){ re, im, to_int(re, x->view.dtype) });
}

/* An integer that X's integer type does not hold is refused. */
static hed_status fill_int(const char *op, hed_array *x, int64_t value)
{
  hed__box b;
  if (hed__weak_side(hed__box_int(&b, value), x->view.dtype) != 0)
    return hed_fail(HED_E_RANGE, "%s: value %lld does not fit %s", op, (long long)value, hed__dtypes[x->view.dtype]->name);
  return fill_with(op, x, (hed_fill_params){ (double)value, 0, value });
}

static hed_status fill_uint(const char *op, hed_array *x, uint64_t value)
{
  hed__box b;
  if (hed__weak_side(hed__box_uint(&b, value), x->view.dtype) != 0)
    return hed_fail(HED_E_RANGE, "%s: value %llu does not fit %s", op, (unsigned long long)value,
                    hed__dtypes[x->view.dtype]->name);
  return fill_with(op, x, (hed_fill_params){ (double)value, 0, (int64_t)value });
}

static hed_status fill_complex(const char *op, hed_array *x, double re, double im)
{
  if (im != 0 && hed__id_kind(x->view.dtype) != HED_KIND_COMPLEX)
    return hed_fail(HED_E_DTYPE, "%s: x has dtype %s, which cannot hold %g%+gi", op, hed__dtypes[x->view.dtype]->name, re,
                    im);
  return fill(op, x, re, im);
}

hed_status HED_BODY(fill)(hed_array *x, double value)
{
  if (!hed__given(x, "fill", "x"))
    return hed_error();
  return fill("fill", x, value, 0);
}

hed_status HED_BODY(fill_int)(hed_array *x, int64_t value)
{
  return hed__given(x, "fill_int", "x") ? fill_int("fill_int", x, value) : hed_error();
}

hed_status HED_BODY(fill_uint)(hed_array *x, uint64_t value)
{
  return hed__given(x, "fill_uint", "x") ? fill_uint("fill_uint", x, value) : hed_error();
}

hed_status HED_BODY(fill_complex)(hed_array *x, double re, double im)
{
  return hed__given(x, "fill_complex", "x") ? fill_complex("fill_complex", x, re, im) : hed_error();
}

/* X after an operation that gave STATUS. */
static hed_array *when(hed_status status, hed_array *x)
{
  if (x && status != HED_OK) {
    hed_release(x);
    return NULL;
  }
  return x;
}

static hed_array *filled(const char *op, hed_array *x, double value)
{
  return x ? when(fill(op, x, value, 0), x) : NULL;
}

hed_array *HED_BODY(empty)(hed_shape shape, hed_dtype t)
{
  return make("empty", &shape, t);
}

hed_array *HED_BODY(zeros)(hed_shape shape, hed_dtype t)
{
  return filled("zeros", make("zeros", &shape, t), 0);
}

hed_array *HED_BODY(ones)(hed_shape shape, hed_dtype t)
{
  return filled("ones", make("ones", &shape, t), 1);
}

hed_array *HED_BODY(full)(hed_shape shape, double value, hed_dtype t)
{
  return filled("full", make("full", &shape, t), value);
}

hed_array *HED_BODY(full_int)(hed_shape shape, int64_t value, hed_dtype t)
{
  hed_array *x = make("full_int", &shape, t);
  return x ? when(fill_int("full_int", x, value), x) : NULL;
}

hed_array *HED_BODY(full_uint)(hed_shape shape, uint64_t value, hed_dtype t)
{
  hed_array *x = make("full_uint", &shape, t);
  return x ? when(fill_uint("full_uint", x, value), x) : NULL;
}

hed_array *HED_BODY(full_complex)(hed_shape shape, double re, double im, hed_dtype t)
{
  hed_array *x = make("full_complex", &shape, t);
  return x ? when(fill_complex("full_complex", x, re, im), x) : NULL;
}

/* Where X lives, or where the context brings it; T NULL: of X's dtype. */
static hed_array *make_like(const char *op, int number, const hed_array *x, hed_dtype t)
{
  hed__exec ex;
  if (!hed__given(x, op, "x") || hed__plan(&ex, number, 1, &x) != HED_OK)
    return NULL;
  hed_shape shape = hed__shape_of(x);
  int id = t ? hed__dtype_concrete(t, ex.device, op) : x->view.dtype;
  hed_array *out = id < 0 ? NULL : make_on(ex.device, op, &shape, id);
  hed__exec_end(&ex);
  return out;
}

/* The same with a dtype that the caller must give. */
static hed_array *make_like_as(const char *op, int number, const hed_array *x, hed_dtype t)
{
  if (hed__given(x, op, "x") && !t) {
    hed_fail(HED_E_INVAL, "%s: dtype is NULL", op);
    return NULL;
  }
  return make_like(op, number, x, t);
}

hed_array *HED_BODY(empty_like)(const hed_array *x)
{
  return make_like("empty_like", HED_OP_EMPTY, x, NULL);
}

hed_array *HED_BODY(zeros_like)(const hed_array *x)
{
  return filled("zeros_like", make_like("zeros_like", HED_OP_ZEROS, x, NULL), 0);
}

hed_array *HED_BODY(ones_like)(const hed_array *x)
{
  return filled("ones_like", make_like("ones_like", HED_OP_ONES, x, NULL), 1);
}

hed_array *HED_BODY(full_like)(const hed_array *x, double value)
{
  return filled("full_like", make_like("full_like", HED_OP_FULL, x, NULL), value);
}

hed_array *HED_BODY(empty_like_as)(const hed_array *x, hed_dtype t)
{
  return make_like_as("empty_like_as", HED_OP_EMPTY, x, t);
}

hed_array *HED_BODY(zeros_like_as)(const hed_array *x, hed_dtype t)
{
  return filled("zeros_like_as", make_like_as("zeros_like_as", HED_OP_ZEROS, x, t), 0);
}

hed_array *HED_BODY(ones_like_as)(const hed_array *x, hed_dtype t)
{
  return filled("ones_like_as", make_like_as("ones_like_as", HED_OP_ONES, x, t), 1);
}

hed_array *HED_BODY(full_like_as)(const hed_array *x, double value, hed_dtype t)
{
  return filled("full_like_as", make_like_as("full_like_as", HED_OP_FULL, x, t), value);
}

/* ---- diagonals ---- */

hed_array *HED_BODY(eye)(int64_t n, int64_t m, int64_t k, hed_dtype t)
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

hed_array *HED_BODY(identity)(int64_t n, hed_dtype t)
{
  if (n < 0) {
    hed_fail(HED_E_SHAPE, "identity: n is %lld, which is negative", (long long)n);
    return NULL;
  }
  return hed_eye(n, n, 0, t);
}

hed_array *HED_BODY(diag)(const hed_array *x, int64_t k)
{
  if (!hed__given(x, "diag", "x"))
    return NULL;
  if (x->view.ndim == 2)
    return hed_diagonal(x, k, 0, 1);
  int64_t n = 0, far = k < 0 ? -(k + 1) : k; /* -k may not fit */
  bool fits = x->view.ndim == 1 && !__builtin_add_overflow(x->view.dim[0], far, &n) &&
              !__builtin_add_overflow(n, (int64_t)(k < 0), &n);
  if (!fits) {
    hed_shape s = hed__shape_of(x);
    hed_fail(HED_E_SHAPE, "diag: x of shape %s on diagonal %lld: a vector or a matrix is needed", HED__TEXT(&s),
             (long long)k);
    return NULL;
  }
  hed__exec ex;
  if (hed__plan(&ex, HED_OP_DIAG, 1, &x) != HED_OK)
    return NULL;
  hed_shape shape = { 2, { n, n } };
  hed_array *out = filled("diag", make_on(ex.device, "diag", &shape, x->view.dtype), 0);
  hed_array *d = out ? hed_diagonal(out, k, 0, 1) : NULL;
  hed_status status = d ? hed__move(&ex, d, &d->view, ex.in[0], &ex.in[0]->view) : hed_error();
  hed__exec_end(&ex);
  hed_release(d);
  return when(status, out);
}
