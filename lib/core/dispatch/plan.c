// SPDX-License-Identifier: BSD-3-Clause
/* Who executes an operation. L2. See plan.h. */
#include "core/dispatch/plan.h"
#include "base/invariant.h"
#include "core/fuse/fuse.h"
#include "core/array/transfer.h"
#include <heddle/backend.h>

/* The device that owns X's space: for host memory, whatever is right for the context. */
static hed__device *owner(const hed_array *x)
{
  return x->storage->device;
}

static hed_status mixed(const hed__exec *ex, const hed_array *a, const hed_array *b)
{
  return hed_fail(HED_E_MISMATCH, "%s: operands live in %s and in %s; hed_to(x, \"%s\") moves one", hed_op_name(ex->op),
                  owner(a)->space, owner(b)->space, owner(a)->host ? "reference" : owner(a)->name);
}

/* A weak scalar that kernels of EX's device take from host memory. */
static bool stays(const hed__exec *ex, const hed_array *x)
{
  return x->weak && x->storage->device->host && (ex->device->plugin->flags & HED_PLUGIN_HOST_SCALARS);
}

static hed_status copy_operands(hed__exec *ex)
{
  for (int32_t k = 0; k < ex->n; k++) {
    const hed_array *x = ex->in[k];
    if (hed__reaches(ex->device, x) || stays(ex, x))
      continue;
    hed_array *y = hed__array_new(ex->device, x->view.dtype, x->view.ndim, x->view.dim);
    HED__ASSERT(!(ex->owned >> k & 1));
    hed_status s = y ? hed__transfer(y, x) : hed_error();
    if (s != HED_OK) {
      hed_release(y);
      return s;
    }
    y->weak = x->weak;
    ex->in[k] = y;
    ex->owned |= 1u << k;
    hed__count(hed__tls_get(), HED__COUNT_COPIES);
  }
  return HED_OK;
}

/* The device and the operands where it can reach them, by the rules of plan.h. */
static hed_status choose(hed__exec *ex, const hed_array *const *operands)
{
  int op = ex->op;
  int32_t n = ex->n;
  hed__device *d = ex->device = ex->context->device;
  if (__builtin_expect(!d, 0))
    return hed_fail(HED_E_UNAVAILABLE, "%s: no backend is usable", hed_op_name(op));
  if (__builtin_expect(atomic_load_explicit(&d->gone, memory_order_relaxed), 0))
    return hed__device_gone(d);
  bool all = true, move_scalars = false;
  for (int32_t k = 0; k < n; k++) {
    ex->in[k] = operands[k];
    all &= hed__reaches(d, operands[k]);
  }
  if (__builtin_expect(all, 1))
    return HED_OK;
  bool computed = false;
  for (int32_t k = 0; k < n; k++)
    if (hed__is_pending(operands[k])) {
      hed_status s = hed__pending_by.force(operands[k]);
      if (s != HED_OK)
        return s;
      computed = true;
    }
  if (computed)
    return choose(ex, operands);
  /* weak scalars go along wherever the others are */
  const hed_array *first = NULL;
  all = true;
  for (int32_t k = 0; k < n; k++) {
    if (operands[k]->weak) {
      move_scalars = true;
      continue;
    }
    all &= hed__reaches(d, operands[k]);
    if (!first)
      first = operands[k];
  }
  if (all || !first)
    return copy_operands(ex);
  if (ex->context->mix == HED_MIX_COPY)
    return copy_operands(ex);
  for (int32_t k = 0; k < n; k++)
    if (!operands[k]->weak && !hed__reaches(owner(first), operands[k]))
      return mixed(ex, first, operands[k]);
  if (ex->context->mix == HED_MIX_STRICT)
    return hed_fail(HED_E_MISMATCH, "%s: operands live in %s, the context is %s and mix=strict; hed_to(x, \"%s\") moves one",
                    hed_op_name(op), owner(first)->space, d->name, d->name);
  ex->device = owner(first);
  if (atomic_load_explicit(&ex->device->gone, memory_order_relaxed))
    return hed__device_gone(ex->device);
  return move_scalars ? copy_operands(ex) : HED_OK;
}

void hed__exec_end(hed__exec *ex)
{
  HED__ASSERT(!ex->pinned || ex->pinned->pins > 0);
  for (int32_t k = 0; ex->owned; k++, ex->owned >>= 1)
    if (ex->owned & 1)
      hed_release((hed_array *)(uintptr_t)ex->in[k]);
  if (ex->pinned)
    ex->pinned->pins--;
  ex->pinned = NULL;
  if (ex->held)
    hed__hold_fusion(ex->held, false);
  ex->held = NULL;
}

hed_status hed__plan(hed__exec *ex, int op, int32_t n, const hed_array *const *operands)
{
  HED__ASSERT(op >= 0 && op < HED_OP_COUNT_ && n >= 0 && n <= HED__PLAN_OPERANDS);
  ex->op = op;
  ex->n = n;
  ex->owned = 0;
  ex->pinned = ex->held = NULL;
  ex->context = hed__context();
  if (__builtin_expect(!ex->context, 0))
    return hed_error();
  hed__tls *t = hed__tls_peek();
  if (t && __builtin_expect(t->watch & HED__WATCH_FUSE, 0)) { /* what the operation is made of runs at once */
    ex->held = t;
    hed__hold_fusion(t, true);
  }
  if (t && !t->current) {
    ex->pinned = t;
    t->pins++;
  }
  hed_status s = choose(ex, operands);
  if (__builtin_expect(s != HED_OK, 0))
    hed__exec_end(ex);
  return s;
}

bool hed__native(const hed__exec *ex, int op, int dtype)
{
  HED__ASSERT(op >= 0 && op < HED_OP_COUNT_ && dtype >= 0 && dtype < HED_ID_CONCRETE_COUNT_);
  const hed__row *r = &ex->device->row[op];
  return r->fn && (r->dtypes >> dtype & 1);
}

/* ---- composites ---- */

hed_status hed__force_begin(hed__forced *f, const hed__exec *ex)
{
  hed_context *c;
  f->pushed = false;
  if (ex->device == ex->context->device)
    return HED_OK;
  hed_status s = hed__context_on(ex->context, ex->device, &c);
  if (s == HED_OK) {
    s = hed_context_push(c, &f->frame);
    f->pushed = s == HED_OK;
    hed_context_release(c);
  }
  return s;
}

void hed__force_end(hed__forced *f)
{
  if (f->pushed)
    hed_context_unwind(f->frame);
  f->pushed = false;
}
