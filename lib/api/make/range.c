// SPDX-License-Identifier: BSD-3-Clause
/* Ranges: arange, linspace and their relatives; arrays from lists of doubles, and to them. L3.
 *
 * Integers are exact: a range with whole start and step is computed in 64-bit integers. Powers (logspace, geomspace) are
 * computed in double and then converted.
 */
#include "api/call/check.h"
#include "api/call/infer.h"

#include "base/cast.h"
#include "core/memory/memory.h"
#include "core/array/transfer.h"
#include "core/record/body.h"
#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>

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

static hed_array *range(const char *op, hed_arange_params params, int64_t n, int id, hed__device *device)
{
  hed_shape shape = { 1, { n } };
  hed_array *x = hed__check_shape(op, "shape", &shape, id) == HED_OK ? hed__array_new(device, id, 1, shape.dim) : NULL;
  if (!x)
    return NULL;
  hed__exec ex;
  const hed_array *operand = x;
  hed_status status = hed__plan(&ex, HED_OP_ARANGE, 1, &operand);
  if (status == HED_OK) {
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

/* Is V an integer that 64 bits hold? */
static bool whole(double v) { return v == floor(v) && fabs(v) < 0x1p63; }

hed_array *HED_BODY(arange)(double start, double stop, double step, hed_dtype t)
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
  hed_arange_params p = { .start = start, .step = step };
  hed_kind kind = hed__id_kind(id);
  if ((kind == HED_KIND_INT || kind == HED_KIND_UINT) && whole(start) && whole(step) &&
      fabs(start + n * step) < 0x1p62) {
    p.whole = true;
    p.first = (int64_t)start;
    p.increment = (int64_t)step;
  }
  return range("arange", p, (int64_t)n, id, device);
}

hed_array *HED_BODY(arange_int)(int64_t start, int64_t stop, int64_t step, hed_dtype t)
{
  hed__device *device;
  int id = range_dtype("arange_int", HED_OP_ARANGE_INT, t, &device);
  if (id < 0)
    return NULL;
  if (step == 0) {
    hed_fail(HED_E_INVAL, "arange_int: the step from %lld to %lld is 0", (long long)start, (long long)stop);
    return NULL;
  }
  uint64_t n = 0;
  if (step > 0 && start < stop)
    n = ((uint64_t)stop - (uint64_t)start - 1) / (uint64_t)step + 1;
  else if (step < 0 && start > stop)
    n = ((uint64_t)start - (uint64_t)stop - 1) / (0 - (uint64_t)step) + 1;
  if (n > INT64_MAX) {
    hed_fail(HED_E_SHAPE, "arange_int: %llu elements from %lld to %lld are too many", (unsigned long long)n,
             (long long)start, (long long)stop);
    return NULL;
  }
  hed_arange_params p = { .start = (double)start, .step = (double)step, .whole = true, .first = start, .increment = step };
  return range("arange_int", p, (int64_t)n, id, device);
}

/* ---- evenly spaced values ---- */

static bool ends_ok(const char *op, double start, double stop, int64_t num)
{
  if (num >= 0 && isfinite(start) && isfinite(stop) && isfinite(stop - start))
    return true;
  hed_fail(HED_E_INVAL, "%s: %lld values from %g to %g: the number must not be negative, the ends finite and less than the "
           "largest number apart", op, (long long)num, start, stop);
  return false;
}

/* Element AT of X becomes VALUE. */
static hed_status put(hed_array *x, int64_t at, double value)
{
  hed_array *one = hed_index(x, 0, at);
  hed_status status = one ? hed_fill(one, value) : hed_error();
  hed_release(one);
  return status;
}

hed_array *HED_BODY(linspace)(double start, double stop, int64_t num, hed_dtype t)
{
  hed__device *device;
  int id = range_dtype("linspace", HED_OP_LINSPACE, t, &device);
  if (id < 0 || !ends_ok("linspace", start, stop, num))
    return NULL;
  hed_arange_params p = { .start = start, .step = num > 1 ? (stop - start) / (double)(num - 1) : 0 };
  hed_array *x = range("linspace", p, num, id, device);
  if (!x || num < 2)
    return x;
  /* start + (num - 1) * step may miss stop by a rounding error */
  if (put(x, -1, stop) != HED_OK) {
    hed_release(x);
    return NULL;
  }
  return x;
}

hed_array *HED_BODY(linspace_open)(double start, double stop, int64_t num, hed_dtype t)
{
  hed__device *device;
  int id = range_dtype("linspace_open", HED_OP_LINSPACE_OPEN, t, &device);
  if (id < 0 || !ends_ok("linspace_open", start, stop, num))
    return NULL;
  hed_arange_params p = { .start = start, .step = num > 0 ? (stop - start) / (double)num : 0 };
  return range("linspace_open", p, num, id, device);
}

/* ---- lists of doubles ---- */

/* VALUES in SHAPE as dtype ID on DEVICE. */
static hed_array *from_list(const char *op, const double *values, const hed_shape *shape, int id, hed__device *device)
{
  int64_t n = hed__shape_size(shape->ndim, shape->dim);
  hed_array *x = hed__check_shape(op, "shape", shape, HED_ID_COMPLEX128) == HED_OK
                     ? hed__array_new(device, id, shape->ndim, shape->dim)
                     : NULL;
  if (!x || n == 0)
    return x;
  hed_view v = x->view;
  v.data = hed__buffer_new((size_t)n * (size_t)hed__id_size(id), op);
  hed_status status = HED_OK;
  if (v.data) {
    hed__cast(HED_ID_FLOAT64, id)(n, v.data, hed__id_size(id), (const char *)values, sizeof *values);
    status = hed__copy_in(x, &v);
  } else {
    status = hed_error();
  }
  hed__buffer_free(v.data);
  if (status != HED_OK) {
    hed_release(x);
    return NULL;
  }
  return x;
}

hed_array *HED_BODY(from_doubles)(const double *values, hed_shape shape, hed_dtype t)
{
  if (!t || (!values && hed__shape_size(shape.ndim < 0 ? 0 : shape.ndim > HED_MAX_NDIM ? 0 : shape.ndim, shape.dim) > 0)) {
    hed_fail(HED_E_INVAL, "from_doubles: %s is NULL", t ? "values" : "dtype");
    return NULL;
  }
  hed__device *device = hed__current_device();
  int id = device ? hed__dtype_concrete(t, device, "from_doubles") : -1;
  if (id < 0 || hed__check_shape("from_doubles", "shape", &shape, id) != HED_OK)
    return NULL;
  return from_list("from_doubles", values, &shape, id, device);
}

hed_status hed_tolist(const hed_array *x, double *out, int64_t n)
{
  if (!hed__given(x, "tolist", "x"))
    return hed_error();
  int64_t size = hed__view_size(&x->view), bytes = hed__id_size(x->view.dtype);
  if (n != size || (n > 0 && !out))
    return hed_fail(HED_E_INVAL, "tolist: room for %lld values at %s, x has %lld elements", (long long)n,
                    out ? "out" : "NULL", (long long)size);
  if (n == 0)
    return HED_OK;
  hed_view v = x->view;
  v.data = hed__buffer_new((size_t)n * (size_t)bytes, "tolist");
  if (!v.data)
    return hed_error();
  hed__c_strides(v.ndim, v.dim, bytes, v.stride);
  hed_status status = hed__copy_out(x, &v);
  if (status == HED_OK)
    hed__cast(v.dtype, HED_ID_FLOAT64)(n, (char *)out, sizeof *out, v.data, bytes);
  hed__buffer_free(v.data);
  return status;
}

hed_array *HED_BODY(asarray)(const hed_array *x, hed_dtype t)
{
  if (!hed__given(x, "asarray", "x"))
    return NULL;
  hed__device *device = hed__current_device();
  if (!device)
    return NULL;
  if (device->host && x->storage->device->host)
    return hed_astype(x, t ? t : hed__dtypes[x->view.dtype]);
  hed_array *near = hed_to(x, device->host ? "reference" : device->name);
  hed_array *out = near ? hed_astype(near, t ? t : hed__dtypes[near->view.dtype]) : NULL;
  hed_release(near);
  return out;
}

/* ---- powers ---- */

/* NUM powers of BASE in double, exponents evenly spaced from START to STOP; with the sign of FIRST. */
static hed_array *powers_of(const char *op, double start, double stop, int64_t num, double base, double first, hed__device *device)
{
  const hed_arange_params p = { .start = start, .step = num > 1 ? (stop - start) / (double)(num - 1) : 0 };
  hed_array *x = range(op, p, num, HED_ID_FLOAT64, device), *b = x ? hed_scalar(base) : NULL;
  hed_status status = b ? hed_power_into(x, b, x) : hed_error();
  if (status == HED_OK && first < 0)
    status = hed_negative_into(x, x);
  hed_release(b);
  if (status != HED_OK) {
    hed_release(x);
    return NULL;
  }
  return x;
}

/* The same, of type ID, by the host: for a device that has no double. */
static hed_array *host_powers(const char *op, double start, double stop, int64_t num, double base, double first, int id,
                              hed__device *device)
{
  double *list = hed__buffer_new((size_t)num * sizeof *list, op);
  if (!list)
    return NULL;
  const double step = num > 1 ? (stop - start) / (double)(num - 1) : 0, sign = first < 0 ? -1 : 1;
  for (int64_t k = 0; k < num; k++)
    list[k] = sign * pow(base, start + (double)k * step);
  hed_array *x = from_list(op, list, &HED_SHAPE(num), id, device);
  hed__buffer_free(list);
  return x;
}

/* Those as type T, at the ends exactly FIRST and LAST. */
static hed_array *powers(const char *op, int number, double start, double stop, int64_t num, double base, double first,
                         double last, hed_dtype t)
{
  hed__device *device;
  int id = range_dtype(op, number, t, &device);
  hed_shape shape = { 1, { num } };
  if (id < 0 || hed__check_shape(op, "shape", &shape, HED_ID_COMPLEX128) != HED_OK)
    return NULL;
  hed_array *x;
  if (hed__wide_float(device) == HED_FLOAT64) {
    hed_array *wide = powers_of(op, start, stop, num, base, first, device);
    x = wide ? hed_astype(wide, hed__dtypes[id]) : NULL;
    hed_release(wide);
  } else {
    x = host_powers(op, start, stop, num, base, first, id, device);
  }
  if (x && num > 0 && (put(x, num - 1, last) != HED_OK || put(x, 0, first) != HED_OK)) {
    hed_release(x);
    x = NULL;
  }
  return x;
}

hed_array *HED_BODY(logspace)(double start, double stop, int64_t num, double base, hed_dtype t)
{
  if (!ends_ok("logspace", start, stop, num))
    return NULL;
  if (!(base > 0) || isinf(base)) {
    hed_fail(HED_E_INVAL, "logspace: base %g: it must be positive and finite", base);
    return NULL;
  }
  return powers("logspace", HED_OP_LOGSPACE, start, stop, num, base, pow(base, start), pow(base, stop), t);
}

hed_array *HED_BODY(geomspace)(double start, double stop, int64_t num, hed_dtype t)
{
  if (!ends_ok("geomspace", start, stop, num))
    return NULL;
  if (start == 0 || stop == 0 || (start < 0) != (stop < 0)) {
    hed_fail(HED_E_INVAL, "geomspace: from %g to %g: both must have one sign and not be 0", start, stop);
    return NULL;
  }
  return powers("geomspace", HED_OP_GEOMSPACE, log10(fabs(start)), log10(fabs(stop)), num, 10, start, stop, t);
}
