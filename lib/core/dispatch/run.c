// SPDX-License-Identifier: BSD-3-Clause
/* The native kernel, else the fallback; tickets, counts, the tracer. L2. See run.h. */
#include "core/dispatch/run.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/invariant.h"
#include "base/shape.h"
#include "core/dispatch/fallback.h"
#include "core/fuse/fuse.h"
#include "core/record/capture.h"
#include "core/array/settle.h"
#include "core/array/submit.h"
#include "core/profile/profile.h"
#include <heddle/ops.h>
#include <string.h>

/* STATUS of operation OP, whose name the words of a driver lack. */
static int32_t named(int op, int32_t status)
{
  if (status != HED_E_ASYNC && status != HED_E_INTERNAL && status != HED_E_UNAVAILABLE)
    return status;
  const char *text = hed_error_text(), *name = hed_op_name(op);
  return strncmp(text, name, strlen(name)) == 0 ? status : hed_fail(status, "%s: %s", name, text);
}

static __attribute__((noinline)) int32_t submit(hed__device *d, const hed__row *row, const hed__launch *l, const hed_call *call,
                                                const hed_array *const *in)
{
  HED__UNCANCELLED;
  hed__submission b;
  hed_call sent = *call;
  uint64_t ticket = 0;
  int32_t s = hed__submit_begin(&b, d);
  if (s != HED_OK)
    return s;
  for (int32_t k = 0; k < call->n_in; k++) {
    sent.host_in |= (uint32_t)in[k]->storage->device->host << k; /* a weak scalar */
    hed__submit_reads(&b, in[k]->storage);
  }
  for (int32_t k = 0; k < l->n_out; k++)
    if (l->out[k])
      hed__submit_writes(&b, l->out[k]->storage);
  sent.op = row->number;
  sent.ticket = &ticket;
  sent.wait_for = b.wait_for;
  sent.n_wait_for = b.n_wait_for;
  sent.after = b.after;
  sent.n_after = b.n_after;
  s = row->fn(d->state, &sent);
  return named(call->op, hed__submit_end(&b, s, ticket));
}

static int32_t call_native(const hed__exec *ex, const hed__launch *l, hed_call *call, const hed_array *const *in)
{
  hed__device *d = ex->device;
  const hed__row *row = &d->row[call->op];
  HED__ASSERT(row->fn && (row->dtypes >> call->compute & 1));
  if (!d->host)
    return submit(d, row, l, call, in);
  const hed__tls *t = hed__tls_peek();
  const int permits = t ? t->permits : 0, op = call->op;
  call->op = row->number;
  const int32_t s = row->fn(d->state, call);
  call->op = op;
  HED__ASSERT(!t || t->permits == permits);
  (void)permits;
  return s;
}

static void tell(hed__tls *t, const hed__exec *ex, int op, const hed__device *by, int32_t status, uint64_t start,
                 const hed_view *out)
{
  hed_trace_event e = {
    .struct_size = sizeof e,
    .op = op,
    .backend = ex->device->name,
    .native = by == ex->device,
    .status = status,
    .start_ns = start,
    .stop_ns = hed__now_ns(),
    .elements = out ? hed__view_size(out) : 0,
    .by = by ? by->name : "",
  };
  t->trace(t->trace_arg, &e);
}

/* How BY came to do a call of EX's, which STATUS has; NATIVE: it was asked itself. */
static void record(hed__tls *t, const hed__exec *ex, const hed_call *call, const hed__device *by, bool native, int32_t status,
                   uint64_t start)
{
  hed__raw r = {
    .op = (uint16_t)call->op,
    .how = by == ex->device ? HED__RAW_NATIVE : !by ? HED__RAW_FAILED : native ? HED__RAW_LEFT : HED__RAW_LACKS,
    .device = by ? by->number : ex->device->number,
    .of = ex->device->number,
    .status = (int16_t)status,
    .compute = (uint8_t)call->compute,
    .counted = 1,
    .copies = hed__profile_copies(t), /* those for its operands came before it */
    .t0 = start,
  };
  if (t->profile_ticket)
    r.out = hed__flow_ticket(ex->device->number, t->profile_ticket);
  if (t->profile_after)
    r.in = hed__flow_ticket(ex->device->number, t->profile_after);
  hed__profile_op(t, &r, call);
}

/* One of the operands of OP is known to have failed; the first that has is told of. */
static __attribute__((noinline)) hed_status known_failure(int32_t n, const hed_array *const *in, int op)
{
  hed__storage *of[HED__PLAN_OPERANDS];
  for (int32_t k = 0; k < n; k++)
    of[k] = in[k]->storage->device->host ? NULL : in[k]->storage;
  return hed__first_failure(n, of, hed_op_name(op));
}

/* PROFILED is a constant: without it nothing is asked. */
static inline __attribute__((always_inline)) hed_status run(const hed__exec *ex, const hed__launch *l, const bool profiled)
{
  int op = l->op ? l->op - 1 : ex->op;
  const hed_array *const *in = l->in ? l->in : ex->in;
  int32_t n_in = l->in || l->n_in ? l->n_in : ex->n;
  hed__tls *t = hed__tls_peek();
  hed__operands o;
  bool async = false;
  HED__ASSERT(n_in >= 0 && n_in <= HED_MAX_NDIM && l->n_out >= 0 && l->n_out <= HED__RUN_OUT);
  for (int32_t k = 0; k < n_in; k++) {
    o.in[k] = l->in_view && l->in_view[k] ? l->in_view[k] : &in[k]->view;
    async |= !in[k]->storage->device->host;
  }
  for (int32_t k = 0; k < l->n_out; k++)
    o.out[k] = l->out_view && l->out_view[k] ? l->out_view[k] : l->out[k] ? &l->out[k]->view : NULL;
  for (int32_t k = 0; k < l->n_out; k++)
    if (l->out[k] && hed__written(t, l->out[k], op) != HED_OK)
      return hed_error();
  if (async)
    for (int32_t k = 0; k < n_in; k++)
      if (__builtin_expect(atomic_load(&in[k]->storage->poison) != NULL, 0))
        return known_failure(n_in, in, op);
  hed_call call = {
    .struct_size = sizeof call,
    .op = op,
    .n_in = n_in,
    .n_out = l->n_out,
    .in = o.in,
    .out = o.out,
    .params = l->params,
    .compute = l->compute,
    .max_threads = hed__thread_ceiling(ex->context),
  };
  const bool native = hed__native(ex, op, l->compute);
  const hed__device *by = ex->device;
  uint64_t start = t && t->trace ? hed__now_ns() : 0, ticks = 0;
  if (profiled) {
    ticks = hed__profile_start_op(op);
    t->profile_ticket = t->profile_after = 0;
  }
  hed__error_mark mark;
  hed__error_save(&mark);
  HED__PROBE_OP_BEGIN(op, by);
  int32_t s = native ? call_native(ex, l, &call, in) : HED_E_UNSUPPORTED;
  if (s == HED_E_UNSUPPORTED) { /* no kernel, or one that leaves this call to others */
    if (native)
      hed__error_restore(&mark);
    by = NULL;
    HED__PROBE_FALLBACK(op, ex->device);
    s = hed__run_fallback(ex, l, &call, &o, in, &by);
  }
  HED__PROBE_OP_END(by, s);
  if (s == HED_E_NOMEM && hed_error() == HED_E_LIMIT) /* which a plug-in need not tell apart */
    s = HED_E_LIMIT;
  for (int32_t k = 0; s == HED_OK && k < l->n_out; k++)
    if (l->out[k])
      l->out[k]->producer = ex->device->number;
  hed__count(t, HED__COUNT_CALLS);
  if (t && __builtin_expect(t->watch & HED__WATCH_LAUNCH, 0) && s == HED_OK)
    hed__capture_launch(t, by == ex->device ? ex->device : NULL, &call, in, l->out);
  if (profiled)
    record(t, ex, &call, by, native, s, ticks);
  if (t && t->trace)
    tell(t, ex, op, by, s, start, l->n_out ? o.out[0] : NULL);
  return (hed_status)s;
}

static __attribute__((noinline, cold)) hed_status run_profiled(const hed__exec *ex, const hed__launch *l)
{
  return hed__profiling_self() ? run(ex, l, true) : run(ex, l, false);
}

hed_status hed__run(const hed__exec *ex, const hed__launch *l)
{
  return __builtin_expect(atomic_load_explicit(&hed__profile_session, memory_order_relaxed) != 0, 0) ? run_profiled(ex, l)
                                                                                                  : run(ex, l, false);
}

hed_status hed_trace(hed_trace_fn fn, void *arg)
{
  hed__tls *t = hed__tls_get();
  if (!t)
    return hed_error();
  t->trace = fn;
  hed__watch(t, HED__WATCH_TRACE, fn != NULL);
  t->trace_arg = arg;
  return HED_OK;
}
