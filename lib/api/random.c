// SPDX-License-Identifier: BSD-3-Clause
/*
 * Random arrays: bits, uniform, normal, integers. L3.
 *
 * With a seed the values depend on seed, kind, dtype and shape alone; without one each call takes the next draw of the
 * thread's stream, after the arguments have been checked.
 */
#include "api/check.h"
#include "api/infer.h"

#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>

static const hed_random defaults;

/* The result's dtype on the current device, checked against the operation's domain; negative status or the id. */
static int result_dtype(int op, hed_dtype t, hed__device **device)
{
  const char *name = hed__op_rows[op].name;
  if (!t)
    return hed_fail(HED_E_INVAL, "%s: dtype is NULL", name);
  if (!(*device = hed__current_device()))
    return hed_error();
  int id = hed__dtype_concrete(t, *device, name);
  if (id < 0)
    return id;
  hed_status status = hed__check_domain(name, hed__op_rows[op].domain, "the result", id);
  return status == HED_OK ? id : status;
}

static hed_array *draw(int op, const hed_shape *shape, int id, hed__device *device, const hed_random *opt,
                       hed_random_params *p)
{
  const char *name = hed__op_rows[op].name;
  if (hed__check_shape(name, "shape", shape, id) != HED_OK)
    return NULL;
  if (opt->seeded) {
    p->key = opt->seed;
    p->draw = 0;
  } else if (hed__random_draw(&p->key, &p->draw) != HED_OK) {
    return NULL;
  }
  hed_array *out = hed__array_new(device, id, shape->ndim, shape->dim);
  if (!out)
    return NULL;
  hed__exec ex;
  const hed_array *operand = out;
  hed_status status = hed__plan(&ex, HED_OP_RANDOM, 1, &operand);
  if (status == HED_OK) {
    status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 0, .out = &out, .in = ex.in, .params = p,
                                           .compute = id });
    hed__exec_end(&ex);
  }
  if (status != HED_OK) {
    hed_release(out);
    return NULL;
  }
  return out;
}

hed_array *hed_random_bits(hed_shape shape, hed_dtype t, const hed_random *opt)
{
  hed__device *device;
  int id = result_dtype(HED_OP_RANDOM_BITS, t, &device);
  if (id < 0)
    return NULL;
  if (id != HED_ID_UINT32 && id != HED_ID_UINT64) {
    hed_fail(HED_E_DTYPE, "random_bits: the result has dtype %s; uint32 and uint64 are possible",
             hed__dtypes[id]->name);
    return NULL;
  }
  hed_random_params p = { .kind = HED_RANDOM_BITS };
  return draw(HED_OP_RANDOM_BITS, &shape, id, device, opt ? opt : &defaults, &p);
}

hed_array *hed_random_uniform(hed_shape shape, hed_dtype t, const hed_random *opt)
{
  hed__device *device;
  int id = result_dtype(HED_OP_RANDOM_UNIFORM, t, &device);
  if (id < 0)
    return NULL;
  if (!opt)
    opt = &defaults;
  double low = opt->low, high = opt->high;
  if (low == 0 && high == 0)
    high = 1;
  if (!isfinite(low) || !isfinite(high) || !(low < high) || !isfinite(high - low)) {
    hed_fail(HED_E_INVAL, "random_uniform: low %g and high %g must be finite and low below high", low, high);
    return NULL;
  }
  hed_random_params p = { .kind = HED_RANDOM_UNIFORM, .a = low, .b = high };
  return draw(HED_OP_RANDOM_UNIFORM, &shape, id, device, opt, &p);
}

hed_array *hed_random_normal(hed_shape shape, hed_dtype t, const hed_random *opt)
{
  hed__device *device;
  int id = result_dtype(HED_OP_RANDOM_NORMAL, t, &device);
  if (id < 0)
    return NULL;
  if (!opt)
    opt = &defaults;
  if (!isfinite(opt->mean) || !isfinite(opt->std) || opt->std < 0) {
    hed_fail(HED_E_INVAL, "random_normal: mean %g and std %g must be finite and std not negative", opt->mean,
             opt->std);
    return NULL;
  }
  hed_random_params p = { .kind = HED_RANDOM_NORMAL, .a = opt->mean, .b = opt->std == 0 ? 1 : opt->std };
  return draw(HED_OP_RANDOM_NORMAL, &shape, id, device, opt, &p);
}

hed_array *hed_random_integers(hed_shape shape, int64_t low, int64_t high, hed_dtype t, const hed_random *opt)
{
  hed__device *device;
  int id = result_dtype(HED_OP_RANDOM_INTEGERS, t, &device);
  if (id < 0)
    return NULL;
  if (low >= high) {
    hed_fail(HED_E_INVAL, "random_integers: low %lld is not below high %lld", (long long)low, (long long)high);
    return NULL;
  }
  int bits = hed__dtypes[id]->bits;
  bool is_signed = hed__id_kind(id) == HED_KIND_INT;
  int64_t least = !is_signed ? 0 : bits == 64 ? INT64_MIN : -((int64_t)1 << (bits - 1));
  int value_bits = is_signed ? bits - 1 : bits;
  int64_t most = value_bits >= 63 ? INT64_MAX : ((int64_t)1 << value_bits) - 1;
  if (low < least || high - 1 > most) {
    hed_fail(HED_E_DTYPE, "random_integers: values from %lld to %lld do not fit %s", (long long)low,
             (long long)(high - 1), hed__dtypes[id]->name);
    return NULL;
  }
  hed_random_params p = { .kind = HED_RANDOM_INTEGERS, .low = low, .span = (uint64_t)high - (uint64_t)low };
  return draw(HED_OP_RANDOM_INTEGERS, &shape, id, device, opt ? opt : &defaults, &p);
}
