// SPDX-License-Identifier: BSD-3-Clause
/* Calls that a fusion scope records: their types and shapes, by the rules of the calls that run. L3. See fuse.h. */
#include "api/elementwise/fuse.h"

#include "api/call/box.h"
#include "api/call/check.h"
#include "api/call/infer.h"
#include "api/reduce/reduce.h"
#include "base/cast.h"
#include "base/formulas/formulas.h"
#include "core/array/scope.h"
#include <heddle/error.h>
#include <heddle/ops.h>
#include <heddle/backend.h>

/* Bytes of an elementwise operation's parameters. */
static const uint8_t params_size[HED_OP_COUNT_] = {
#define HED_MAP(ID, name, domain, result, args, params, cost, doc) [HED_OP_##ID] = sizeof(params),
#include <heddle/ops.def>
};
size_t hed__params_size(int op) { return params_size[op]; }
#define HED_MAP(ID, name, domain, result, args, params, cost, doc) \
  _Static_assert(sizeof(params) <= HED__FUSE_PARAMS, "room for the parameters of " #name);
#include <heddle/ops.def>
_Static_assert(sizeof(hed_reduce_params) <= HED__FUSE_PARAMS, "room for the parameters of reductions");

/* Does D run OP itself for compute type ID? */
static bool native(const hed__device *d, int op, int id)
{
  const hed__row *row = &d->row[op];
  return row->fn && (row->dtypes >> id & 1);
}

/* X can be an operand of D: a value in host memory, elements that D reaches, or such ones that are pending in T's own graph. */
static bool usable(const hed__tls *t, const hed__device *d, const hed_array *x)
{
  if (hed__is_pending(x) && x->graph == t->graph)
    return x->producer == d->number || (hed__producer(x)->host && d->host);
  if (hed__is_pending(x) && hed__fuse_force(x) != HED_OK)
    return false;
  return x->weak ? x->storage->device->host : hed__reaches(d, x);
}

/* The result's shape: the operands' common one, or what they broadcast to. */
static bool common_shape(const hed__elementwise *e, hed_shape *shape)
{
  *shape = hed__shape_of(e->in[0]);
  for (int k = 1; k < e->n; k++) {
    const hed_view *v = &e->in[k]->view;
    if (hed__shape_equal(shape->ndim, shape->dim, v->ndim, v->dim))
      continue;
    hed_shape s = hed__shape_of(e->in[k]), both;
    if (!hed__broadcast(shape, &s, &both))
      return false;
    *shape = both;
  }
  return true;
}

bool hed__fuse_goes_to(const hed__tls *t, const hed__device *d, const hed_array *out, const hed_shape *shape)
{
  return hed__shape_equal(out->view.ndim, out->view.dim, shape->ndim, shape->dim) && hed__fuse_target(t, d, out);
}

bool hed__fuse_elementwise(const hed__elementwise *e, hed_array *out, hed_array **result)
{
  hed__tls *t = hed__self;
  hed__device *d = hed__fuse_device(t);
  const size_t size = e->params ? params_size[e->op] : 0;
  bool weak = true;
  if (!d)
    return false;
  for (int k = 0; k < e->n; k++) {
    if (!e->in[k] || !usable(t, d, e->in[k]))
      return false;
    weak &= e->in[k]->weak;
  }
  hed__error_mark mark;
  hed__error_save(&mark);
  int compute = weak ? -1 : hed__infer_operands(e->op, e->n - e->first, e->in + e->first, e->arg + e->first);
  int id = compute < 0 ? -1 : hed__infer_result(e->op, compute);
  int in = compute < 0 ? -1 : hed__formula_type(e->op, compute);
  hed_shape shape;
  if (e->n == 2 && !e->in[0]->weak && !e->in[1]->weak && hed__compares_apart(e->op, e->in[0]->view.dtype, e->in[1]->view.dtype))
    id = -1; /* not in the compute type */
  if (out && id >= 0)
    id = hed__rounds_first(id, out) ? -1 : out->view.dtype;
  else if (id >= 0 && d->plugin->resolve)
    id = hed__infer_on(hed__op_rows[e->op].name, id, d);
  if (id < 0 || !native(d, e->op, in) || !common_shape(e, &shape) || (out && !hed__fuse_goes_to(t, d, out, &shape)) ||
      hed__check_shape(hed__op_rows[e->op].name, "the result's shape", &shape, id) != HED_OK) {
    hed__error_restore(&mark); /* the call says it again */
    return false;
  }
  hed__fuse_step s = { .op = e->op, .compute = in, .dtype = id, .n = e->n, .params = e->params,
                       .params_size = size, .ndim = shape.ndim, .dim = shape.dim, .into = out };
  hed__box boxes[HED__MAX_ELEMENTWISE];
  for (int k = 0; k < e->n; k++)
    s.in[k] = e->in[k]->weak && k >= e->first ? hed__box_cast(&boxes[k], e->in[k], in) : e->in[k];
  *result = hed__fuse_record(t, &s);
  return true;
}

bool hed__fuse_copy(hed_array *out, const hed_array *x, hed_array **result)
{
  hed__tls *t = hed__self;
  hed__device *d = hed__fuse_device(t);
  hed_view whole;
  if (!d || !out || !x || !native(d, HED_OP_ASTYPE, x->view.dtype) || !native(d, HED_OP_ASTYPE, out->view.dtype) ||
      !hed__broadcast_view(&x->view, out->view.ndim, out->view.dim, &whole) || !usable(t, d, x) || !hed__fuse_target(t, d, out))
    return false;
  const int id = out->view.dtype;
  *result = hed__fuse_record(t, &(hed__fuse_step){ .op = HED_OP_ASTYPE, .compute = id, .dtype = id, .n = 1, .in = { x },
                                                   .ndim = out->view.ndim, .dim = out->view.dim, .into = out });
  return true;
}

bool hed__fuse_astype(const hed_array *x, hed_dtype dtype, hed_array **result)
{
  hed__tls *t = hed__self;
  hed__device *d = hed__fuse_device(t);
  if (!d || !x || !dtype || x->weak || !native(d, HED_OP_ASTYPE, x->view.dtype) || !usable(t, d, x))
    return false;
  hed__error_mark mark;
  hed__error_save(&mark);
  const int id = hed__dtype_concrete(dtype, d, "astype");
  if (id < 0 || id == x->view.dtype) {
    hed__error_restore(&mark);
    return false;
  }
  *result = hed__fuse_record(t, &(hed__fuse_step){ .op = HED_OP_ASTYPE, .compute = id, .dtype = id, .n = 1, .in = { x },
                                                   .ndim = x->view.ndim, .dim = x->view.dim });
  return true;
}

/* ---- reductions ---- */

/* Does D's plug-in know OP at the end of a pass? */
static bool reduces(const hed__device *d, int op)
{
  switch (op) {
  case HED_OP_ARGMAX:
  case HED_OP_ARGMIN: return d->plugin->abi_minor >= 2;
  case HED_OP_ALL:
  case HED_OP_ANY:
  case HED_OP_COUNT_NONZERO:
  case HED_OP_MAX:
  case HED_OP_MEAN:
  case HED_OP_MIN:
  case HED_OP_PROD:
  case HED_OP_STD:
  case HED_OP_SUM:
  case HED_OP_VAR: return true;
  default: return false;
  }
}

/* Are the axes in MASK neighbours, but for extents of 1? */
static bool neighbours(const hed_view *v, uint32_t mask)
{
  int parts = 0;
  bool before = false;
  for (int k = 0; k < v->ndim; k++)
    if (v->dim[k] != 1) {
      parts += (mask >> k & 1u) && !before;
      before = mask >> k & 1u;
    }
  return parts < 2;
}

bool hed__fuse_reduce(int op, const hed_array *x, const hed_reduce *opt, hed_array *out, hed_array **result)
{
  hed__tls *t = hed__self;
  hed__device *d = hed__fuse_device(t);
  if (!d || !reduces(d, op) || !x || !hed__is_pending(x) || x->graph != t->graph || !usable(t, d, x))
    return false;
  static const hed_reduce defaults;
  const char *name = hed__op_rows[op].name;
  int compute = -1, id = -1;
  uint32_t mask = 0;
  hed__error_mark mark;
  hed__error_save(&mark);
  if (!opt)
    opt = &defaults;
  bool good = hed__check_axes(name, &opt->axes, x->view.ndim, &mask) == HED_OK && neighbours(&x->view, mask) &&
              hed__view_size(&x->view) > 0 && hed__reduce_types(op, x, opt->dtype, d, &compute, &id) == HED_OK;
  hed_shape keep, plain;
  const hed_shape *shape = opt->keepdims ? &keep : &plain;
  if (good)
    hed__reduced_shapes(x, mask, &keep, &plain);
  if (good && out) {
    good = hed__fuse_goes_to(t, d, out, shape);
    id = out->view.dtype;
  } else if (good && d->plugin->resolve) {
    good = (id = hed__infer_on(name, id, d)) >= 0;
  }
  int in = good ? hed__compute_of(compute) : -1;
  if (!good || !native(d, op, in)) {
    hed__error_restore(&mark);
    return false;
  }
  hed_reduce_params params = { .axes = mask, .ddof = opt->ddof };
  *result = hed__fuse_record(t, &(hed__fuse_step){ .op = op, .compute = in, .dtype = id, .n = 1, .in = { x },
                                                   .params = &params, .params_size = sizeof params, .ndim = shape->ndim,
                                                   .dim = shape->dim, .reduces = true, .axes = mask, .into = out });
  return true;
}

/* ---- reductions made of others ---- */

bool hed__fuse_reducible(const hed_array *x, const hed_reduce *opt)
{
  static const hed_reduce defaults;
  const hed__tls *t = hed__self;
  const hed__device *d = hed__fuse_device(hed__self);
  uint32_t mask = 0;
  if (!opt)
    opt = &defaults;
  if (!d || d->plugin->resolve || !x || !hed__is_pending(x) || x->graph != t->graph || !usable(t, d, x) ||
      opt->dtype)
    return false;
  hed__error_mark mark;
  hed__error_save(&mark);
  const bool good = hed__check_axes("axes", &opt->axes, x->view.ndim, &mask) == HED_OK && neighbours(&x->view, mask) &&
                    hed__view_size(&x->view) > 0;
  hed__error_restore(&mark);
  return good;
}

hed_array *hed__fuse_made(hed_scope *s, hed_array *made)
{
  hed_keep(made);
  hed_scope_end(s);
  if (made && !hed__scope_add(made)) {
    hed_fail(HED_E_NOMEM, "scope: no memory for a result");
    hed_release(made);
    made = NULL;
  }
  return made;
}
