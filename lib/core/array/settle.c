// SPDX-License-Identifier: BSD-3-Clause
/* Operands that are not there yet: pending ones are computed, asynchronous ones waited for, failures delivered. L2. */
#include "core/array/settle.h"
#include "base/alloc.h"
#include "base/invariant.h"
#include "core/ops/op_numbers.h"
#include "core/modules/registry_internal.h"
#include "core/process/sanitized.h"
#include "core/stream/ticket.h"
#include <string.h>

bool hed__given(const hed_array *x, const char *op, const char *arg)
{
  return hed__named(x, op, arg) && (__builtin_expect(!hed__is_pending(x), 1) || hed__pending_by.force(x) == HED_OK);
}

bool hed__named(const hed_array *x, const char *op, const char *arg)
{
  if (x) {
    hed__sanitized_look(x);
    return true;
  }
  if (hed_error() == HED_OK)
    hed_fail(HED_E_INVAL, "%s: argument %s is NULL", op, arg);
  return false;
}

hed_status hed__storage_poisoned(const hed__storage *s, const char *reader)
{
  hed__poison *p = atomic_load(&s->poison);
  if (!p)
    return HED_OK;
  if (p->op < 0)
    return hed_fail(HED_E_ASYNC, "%s: what an operand comes from failed on %s: %s", reader, s->device->name, p->text);
  return hed_fail(HED_E_ASYNC, "%s: an operand's operation '%s' failed on %s: %s", reader, hed_op_name(p->op),
                  s->device->name, p->text);
}

hed_status hed__poisoned(const hed_array *x, const char *reader) { return hed__storage_poisoned(x->storage, reader); }

void hed__storage_poison(hed__storage *s, int32_t op, const char *text)
{
  HED__ASSERT(!s->device->host && op < HED_OP_COUNT_);
  hed__poison *none = NULL, *p = hed__calloc(1, sizeof *p);
  if (p) {
    p->op = op;
    memccpy(p->text, text, 0, sizeof p->text - 1);
  }
  if (!atomic_compare_exchange_strong(&s->poison, &none, p ? p : &hed__poison_plain))
    hed__free(p);
}

hed_status hed__storage_settle(hed__storage *s, uint64_t ticket)
{
  hed__device *d = s->device;
  if (!ticket || !d->plugin->wait)
    return HED_OK;
  if (atomic_load_explicit(&d->gone, memory_order_relaxed))
    return hed__device_gone(d);
  char text[232];
  int32_t number;
  const uint64_t waited = ticket;
  int32_t status = hed__ticket_wait(d, ticket, &number, text, sizeof text);
  if (status != HED_OK)
    hed__storage_poison(s, hed__numbers_ours(d->numbers, number), text);
  if (status == HED_E_UNAVAILABLE) /* the device is gone for good, not just this result */
    hed__device_lost(d, text);
  if (atomic_compare_exchange_strong(&s->ticket, &ticket, 0))
    hed__ticket_forget(d, waited);
  return HED_OK;
}

hed_status hed__first_failure(int32_t n, hed__storage *const *of, const char *reader)
{
  for (int32_t k = 0; k < n; k++) {
    hed_status s = of[k] ? hed__storage_settle(of[k], atomic_load(&of[k]->ticket)) : HED_OK;
    if (s != HED_OK || (of[k] && (s = hed__storage_poisoned(of[k], reader)) != HED_OK))
      return s;
  }
  return HED_OK;
}

static hed_status settle(const hed_array *x)
{
  hed_status s = hed__is_pending(x) ? hed__pending_by.force(x) : HED_OK;
  if (s == HED_OK)
    s = hed__storage_settle(x->storage, atomic_load(&x->storage->ticket));
  return s == HED_OK ? hed__poisoned(x, "wait") : s;
}

hed_status hed__array_settle(const hed_array *x)
{
  const hed__tls *t = hed__self;
  const hed_status s = t && __builtin_expect(t->watch & HED__WATCH_CAPTURE, 0) ? hed__pending_by.read(x) : HED_OK;
  return s == HED_OK ? settle(x) : s;
}

hed_status hed_wait(const hed_array *x)
{
  return hed__given(x, "wait", "x") ? settle(x) : hed_error();
}
