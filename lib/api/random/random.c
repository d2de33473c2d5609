// SPDX-License-Identifier: BSD-3-Clause
/* Random arrays: the state that a call draws from; bits, uniform, normal, integers. L3.
 *
 * With a seed the values depend on seed, kind, dtype and shape alone; without one each call takes the next draw of its
 * generator or of the thread's stream, after the arguments have been checked.
 */
#include "api/random/random.h"

#include "api/call/check.h"
#include "api/call/infer.h"

#include "base/random/random.h"
#include "core/context/random_stream.h"
#include "core/record/body.h"
#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>

const hed_random hed__random_defaults;

int hed__random_dtype(int op, hed_dtype t, hed__device **device)
{
  const char *name = hed__op_rows[op].name;
  if (!t)
    return hed_fail(HED_E_INVAL, "%s: dtype is NULL", name);
  if (!*device && !(*device = hed__current_device()))
    return hed_error();
  int id = hed__dtype_concrete(t, *device, name);
  if (id < 0)
    return id;
  hed_status status = hed__check_domain(name, hed__op_rows[op].domain, "the result", id);
  return status == HED_OK ? id : status;
}

hed_status hed__random_take(const char *op, const hed_random *opt, uint64_t *key, uint64_t *draw)
{
  if (opt->seeded && opt->generator)
    return hed_fail(HED_E_INVAL, "%s: both a seed (%llu) and a generator (of key %llu) are given", op,
                    (unsigned long long)opt->seed, (unsigned long long)opt->generator->key);
  if (opt->generator) {
    *key = opt->generator->key;
    *draw = opt->generator->draw++;
    return HED_OK;
  }
  if (!opt->seeded)
    return hed__random_draw(key, draw);
  *key = opt->seed;
  *draw = 0;
  return HED_OK;
}

hed__random_mark hed__random_mark_of(const hed_random *opt)
{
  hed__random_mark m = { .generator = opt ? opt->generator : NULL };
  if (m.generator) {
    m.at = *m.generator;
    m.moves = true;
  } else if (!opt || !opt->seeded) {
    m.moves = hed__random_peek(&m.at.key, &m.at.draw) == HED_OK;
  }
  return m;
}

void hed__random_undo(const hed__random_mark *m)
{
  if (m->moves && m->generator)
    *m->generator = m->at;
  else if (m->moves)
    hed__random_rewind(m->at.key, m->at.draw);
}

hed_status hed__random_finite(const char *op, const char *arg, double value)
{
  return isfinite(value) ? HED_OK : hed_fail(HED_E_INVAL, "%s: %s is %g, not finite", op, arg, value);
}

/* ---- state ---- */

hed_status hed_set_seed(uint64_t seed) { return hed__random_restart(seed); }

hed_status hed_get_seed(hed_generator *out)
{
  if (!out)
    return hed_fail(HED_E_INVAL, "get_seed: out is NULL");
  return hed__random_peek(&out->key, &out->draw);
}

hed_status hed_check_random_state(const hed_random *opt, hed_generator *out)
{
  uint64_t key, draw;
  if (!out)
    return hed_fail(HED_E_INVAL, "check_random_state: out is NULL");
  if (opt && opt->generator && !opt->seeded) {
    *out = *opt->generator;
    return HED_OK;
  }
  hed_status status = hed__random_take("check_random_state", opt ? opt : &hed__random_defaults, &key, &draw);
  if (status == HED_OK)
    *out = (hed_generator){ opt && opt->seeded ? key : hed__fold_key(key, draw), 0 };
  return status;
}

hed_status hed_generator_split(hed_generator *g, int64_t n, hed_generator *children)
{
  if (!g || (n > 0 && !children))
    return hed_fail(HED_E_INVAL, "generator_split: %s is NULL", g ? "children" : "the generator");
  if (n < 0)
    return hed_fail(HED_E_INVAL, "generator_split: %lld children", (long long)n);
  uint64_t key = hed__fold_key(g->key, g->draw++);
  for (int64_t k = 0; k < n; k++)
    children[k] = (hed_generator){ hed__fold_key(key, (uint64_t)k), 0 };
  return HED_OK;
}

uint64_t hed_fold_key(uint64_t key, uint64_t index) { return hed__fold_key(key, index); }

/* ---- draws ---- */

/* Every element of OUT, where it is. */
static hed_status fill(hed_array *out, const hed_random_params *p)
{
  hed__exec ex;
  const hed_array *operand = out;
  hed_status status = hed__plan(&ex, HED_OP_RANDOM, 1, &operand);
  if (status != HED_OK)
    return status;
  status = hed__check_writable("random", &ex, 0);
  if (status == HED_OK)
    status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 0, .out = &out, .in = ex.in, .params = p,
                                           .compute = out->view.dtype });
  hed__exec_end(&ex);
  return status;
}

static hed_status draw_into(int op, hed_array *out, const hed_random *opt, hed_random_params *p)
{
  const char *name = hed__op_rows[op].name;
  hed__random_mark mark = hed__random_mark_of(opt);
  hed_status status = hed__check_domain(name, hed__op_rows[op].domain, "out", out->view.dtype);
  if (status == HED_OK)
    status = hed__check_out(name, out, out->view.ndim, out->view.dim);
  if (status == HED_OK)
    status = hed__random_take(name, opt, &p->key, &p->draw);
  if (status == HED_OK && (status = fill(out, p)) != HED_OK)
    hed__random_undo(&mark);
  return status;
}

hed_array *hed__random_draw_new(int op, const hed_shape *shape, int id, hed__device *device, const hed_random *opt,
                                hed_random_params *p)
{
  const char *name = hed__op_rows[op].name;
  if (hed__check_shape(name, "shape", shape, id) != HED_OK)
    return NULL;
  hed__random_mark mark = hed__random_mark_of(opt);
  if (hed__random_take(name, opt, &p->key, &p->draw) != HED_OK)
    return NULL;
  hed_array *out = hed__array_new(device, id, shape->ndim, shape->dim);
  if (out && fill(out, p) != HED_OK) {
    hed_release(out);
    out = NULL;
  }
  if (!out)
    hed__random_undo(&mark);
  return out;
}

hed_array *HED_BODY(random_bits)(hed_shape shape, hed_dtype t, const hed_random *opt)
{
  hed__device *device = NULL;
  int id = hed__random_dtype(HED_OP_RANDOM_BITS, t, &device);
  if (id < 0)
    return NULL;
  if (id != HED_ID_UINT32 && id != HED_ID_UINT64) {
    hed_fail(HED_E_DTYPE, "random_bits: the result has dtype %s; uint32 and uint64 are possible",
             hed__dtypes[id]->name);
    return NULL;
  }
  hed_random_params p = { .kind = HED_RANDOM_BITS };
  return hed__random_draw_new(HED_OP_RANDOM_BITS, &shape, id, device, opt ? opt : &hed__random_defaults, &p);
}

static hed_status uniform_params(const hed_random *opt, hed_random_params *p)
{
  double low = opt->low, high = opt->high;
  if (low == 0 && high == 0)
    high = 1;
  *p = (hed_random_params){ .kind = HED_RANDOM_UNIFORM, .a = low, .b = high };
  if (!isfinite(low) || !isfinite(high) || !(low < high) || !isfinite(high - low))
    return hed_fail(HED_E_INVAL, "random_uniform: low %g and high %g must be finite and low below high", low, high);
  return HED_OK;
}

hed_array *HED_BODY(random_uniform)(hed_shape shape, hed_dtype t, const hed_random *opt)
{
  hed__device *device = NULL;
  hed_random_params p;
  int id = hed__random_dtype(HED_OP_RANDOM_UNIFORM, t, &device);
  if (!opt)
    opt = &hed__random_defaults;
  if (id < 0 || uniform_params(opt, &p) != HED_OK)
    return NULL;
  return hed__random_draw_new(HED_OP_RANDOM_UNIFORM, &shape, id, device, opt, &p);
}

hed_status HED_BODY(random_uniform_into)(hed_array *out, const hed_random *opt)
{
  hed_random_params p;
  if (!hed__given(out, "random_uniform", "out"))
    return hed_error();
  if (!opt)
    opt = &hed__random_defaults;
  hed_status status = uniform_params(opt, &p);
  return status == HED_OK ? draw_into(HED_OP_RANDOM_UNIFORM, out, opt, &p) : status;
}

static hed_status normal_params(const hed_random *opt, hed_random_params *p)
{
  *p = (hed_random_params){ .kind = HED_RANDOM_NORMAL, .a = opt->mean, .b = opt->std == 0 ? 1 : opt->std };
  if (!isfinite(opt->mean) || !isfinite(opt->std) || opt->std < 0)
    return hed_fail(HED_E_INVAL, "random_normal: mean %g and std %g must be finite and std not negative", opt->mean,
                    opt->std);
  return HED_OK;
}

hed_array *HED_BODY(random_normal)(hed_shape shape, hed_dtype t, const hed_random *opt)
{
  hed__device *device = NULL;
  hed_random_params p;
  int id = hed__random_dtype(HED_OP_RANDOM_NORMAL, t, &device);
  if (!opt)
    opt = &hed__random_defaults;
  if (id < 0 || normal_params(opt, &p) != HED_OK)
    return NULL;
  return hed__random_draw_new(HED_OP_RANDOM_NORMAL, &shape, id, device, opt, &p);
}

hed_status HED_BODY(random_normal_into)(hed_array *out, const hed_random *opt)
{
  hed_random_params p;
  if (!hed__given(out, "random_normal", "out"))
    return hed_error();
  if (!opt)
    opt = &hed__random_defaults;
  hed_status status = normal_params(opt, &p);
  return status == HED_OK ? draw_into(HED_OP_RANDOM_NORMAL, out, opt, &p) : status;
}

hed_array *HED_BODY(random_complex_normal)(hed_shape shape, hed_dtype t, const hed_random *opt)
{
  const char *op = "random_complex_normal";
  hed__device *device = NULL;
  int id = hed__random_dtype(HED_OP_RANDOM_COMPLEX_NORMAL, t, &device);
  if (id < 0)
    return NULL;
  if (!opt)
    opt = &hed__random_defaults;
  if (opt->mean != 0 || !isfinite(opt->std) || opt->std < 0) {
    hed_fail(HED_E_INVAL, "%s: mean %g must be 0 and std %g finite and not negative", op, opt->mean, opt->std);
    return NULL;
  }
  double std = opt->std == 0 ? 1 : opt->std;
  hed_random_params p = { .kind = HED_RANDOM_NORMAL, .b = std * 0.70710678118654752440 };
  return hed__random_draw_new(HED_OP_RANDOM_COMPLEX_NORMAL, &shape, id, device, opt, &p);
}

hed_array *HED_BODY(random_integers)(hed_shape shape, int64_t low, int64_t high, hed_dtype t, const hed_random *opt)
{
  hed__device *device = NULL;
  int id = hed__random_dtype(HED_OP_RANDOM_INTEGERS, t, &device);
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
  return hed__random_draw_new(HED_OP_RANDOM_INTEGERS, &shape, id, device, opt ? opt : &hed__random_defaults, &p);
}
