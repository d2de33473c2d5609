// SPDX-License-Identifier: BSD-3-Clause
/* Who executes, and the one place through which every operation passes. L2. See dispatch.h.
 *
 * Order of reading: hed__plan (who), hed__run (how): native kernel, reference kernel in host memory, or reference kernel
 * through copies; then the small services composites use.
 */
#include "core/dispatch.h"
#include "base/alloc.h"
#include "base/dtype.h"
#include "base/shape.h"
#include "core/context.h"
#include "core/fuse.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/permits.h"
#include "core/registry_internal.h"
#include <string.h>
#include <time.h>

/* ---- who ---- */

static bool reaches(const hed__device *d, const hed_array *x)
{
  return x->storage->device == d || (x->storage->device->host && d->host);
}

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

static hed_status copy_operands(hed__exec *ex)
{
  for (int32_t k = 0; k < ex->n; k++) {
    if (reaches(ex->device, ex->in[k]))
      continue;
    const hed_array *x = ex->in[k];
    hed_array *y = hed__array_new(ex->device, x->view.dtype, x->view.ndim, x->view.dim);
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

/* The device and the operands where it can reach them, by the rules of dispatch.h. */
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
    all &= reaches(d, operands[k]);
  }
  if (__builtin_expect(all, 1))
    return HED_OK;
  bool computed = false;
  for (int32_t k = 0; k < n; k++)
    if (hed__is_pending(operands[k])) {
      hed_status s = hed__fuse_force(operands[k]);
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
    all &= reaches(d, operands[k]);
    if (!first)
      first = operands[k];
  }
  if (all || !first)
    return copy_operands(ex);
  if (ex->context->mix == HED_MIX_COPY)
    return copy_operands(ex);
  for (int32_t k = 0; k < n; k++)
    if (!operands[k]->weak && !reaches(owner(first), operands[k]))
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
  for (int32_t k = 0; ex->owned; k++, ex->owned >>= 1)
    if (ex->owned & 1)
      hed_release((hed_array *)(uintptr_t)ex->in[k]);
  if (ex->pinned)
    ex->pinned->pins--;
  ex->pinned = NULL;
  if (ex->held)
    ex->held->fuse = ex->held->graph;
  ex->held = NULL;
}

hed_status hed__plan(hed__exec *ex, int op, int32_t n, const hed_array *const *operands)
{
  ex->op = op;
  ex->n = n;
  ex->owned = 0;
  ex->pinned = ex->held = NULL;
  ex->context = hed__context();
  if (__builtin_expect(!ex->context, 0))
    return hed_error();
  hed__tls *t = hed__tls_peek();
  if (t && __builtin_expect(t->fuse != NULL, 0)) { /* what the operation is made of runs at once */
    ex->held = t;
    t->fuse = NULL;
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
  const hed__row *r = &ex->device->row[op];
  return r->fn && (r->dtypes >> dtype & 1);
}

/* ---- asynchronous results ---- */

static hed_status poisoned(const hed_array *x, const char *reader)
{
  hed__poison *p = atomic_load(&x->storage->poison);
  if (!p)
    return HED_OK;
  return hed_fail(HED_E_ASYNC, "%s: an operand's operation '%s' failed on %s: %s", reader, hed_op_name(p->op),
                  x->storage->device->name, p->text);
}

hed_status hed__array_settle(const hed_array *x)
{
  hed_status computed = hed__is_pending(x) ? hed__fuse_force(x) : HED_OK;
  if (computed != HED_OK)
    return computed;
  hed__storage *s = x->storage;
  uint64_t ticket = atomic_load(&s->ticket);
  if (ticket && atomic_load_explicit(&s->device->gone, memory_order_relaxed))
    return hed__device_gone(s->device);
  if (ticket && s->device->plugin->wait) {
    char text[232] = "";
    int32_t op = -1;
    int32_t status = s->device->plugin->wait(s->device->state, ticket, &op, text, sizeof text);
    if (status != HED_OK) {
      hed__poison *none = NULL, *p = hed__calloc(1, sizeof *p);
      if (p) {
        p->op = op;
        memcpy(p->text, text, sizeof p->text);
        p->text[sizeof p->text - 1] = 0;
        if (!atomic_compare_exchange_strong(&s->poison, &none, p))
          hed__free(p);
      }
      if (status == HED_E_UNAVAILABLE) /* the device is gone for good, not just this result */
        hed__backend_poison(s->device->backend, s->device->name, text);
    }
    atomic_compare_exchange_strong(&s->ticket, &ticket, 0);
    if (status != HED_OK && !atomic_load(&s->poison))
      return hed_fail(HED_E_ASYNC, "operation '%s' failed on %s: %s", hed_op_name(op), s->device->name, text);
  }
  return poisoned(x, "wait");
}

hed_status hed_wait(const hed_array *x)
{
  return hed__given(x, "wait", "x") ? hed__array_settle(x) : hed_error();
}

/* ---- how ---- */

enum { MAX_OUT = 4 };

typedef struct operands {
  const hed_view *in[HED_MAX_NDIM], *out[MAX_OUT];
  uint64_t wait_for[HED_MAX_NDIM + MAX_OUT];
} operands;

static void raise_ticket(atomic_uint_fast64_t *last, uint64_t ticket)
{
  uint_fast64_t old = atomic_load(last);
  while (old < ticket && !atomic_compare_exchange_weak(last, &old, ticket))
    ;
}

static int32_t call_native(const hed__exec *ex, const hed__launch *l, hed_call *call, operands *o,
                           const hed_array *const *in)
{
  hed__device *d = ex->device;
  if (d->host)
    return d->row[call->op].fn(d->state, call);
  uint64_t ticket = 0;
  int32_t n = 0;
  for (int32_t k = 0; k < call->n_in; k++) {
    uint64_t t = atomic_load(&in[k]->storage->ticket);
    if (t)
      o->wait_for[n++] = t;
  }
  for (int32_t k = 0; k < l->n_out; k++) {
    uint64_t t = l->out[k] ? atomic_load(&l->out[k]->storage->ticket) : 0;
    if (t)
      o->wait_for[n++] = t;
  }
  call->ticket = &ticket;
  call->wait_for = o->wait_for;
  call->n_wait_for = n;
  int32_t s = d->row[call->op].fn(d->state, call);
  if (s != HED_OK || !ticket)
    return s;
  for (int32_t k = 0; k < call->n_in; k++)
    raise_ticket(&in[k]->storage->last_use, ticket);
  for (int32_t k = 0; k < l->n_out; k++)
    if (l->out[k]) {
      atomic_store(&l->out[k]->storage->ticket, ticket);
      raise_ticket(&l->out[k]->storage->last_use, ticket);
    }
  raise_ticket(&d->pool.last_ticket, ticket);
  return s;
}

/* The reference kernel on host copies of a device's operands: results go back, so what was in the gaps of a view stays. */
static int32_t call_through_host(const hed__launch *l, const hed_call *call, operands *o, const hed_array *const *in)
{
  void *buffer[HED_MAX_NDIM + MAX_OUT] = { NULL };
  hed_view view[HED_MAX_NDIM + MAX_OUT];
  const hed_view *ins[HED_MAX_NDIM], *outs[MAX_OUT];
  int32_t s = HED_OK, n = call->n_in;
  hed_call host = *call;
  for (int32_t k = 0; s == HED_OK && k < n + call->n_out; k++) {
    bool is_in = k < n;
    const hed_array *x = is_in ? in[k] : l->out[k - n];
    const hed_view *v = is_in ? o->in[k] : o->out[k - n];
    if (!x) {
      outs[k - n] = NULL;
      continue;
    }
    /* strided and repeated axes: fetch the extents as they are seen */
    view[k] = *v;
    hed__c_strides(v->ndim, v->dim, hed__id_size(v->dtype), view[k].stride);
    size_t bytes = (size_t)hed__view_size(v) * (size_t)hed__id_size(v->dtype);
    if (!(buffer[k] = hed__buffer_new(bytes, hed_op_name(call->op)))) {
      s = hed_error();
      break;
    }
    view[k].data = buffer[k];
    s = hed__copy_out_view(x, v, &view[k]);
    if (is_in)
      ins[k] = &view[k];
    else
      outs[k - n] = &view[k];
    hed__count(hed__tls_get(), HED__COUNT_COPIES);
  }
  if (s == HED_OK) {
    host.in = ins;
    host.out = outs;
    s = hed__reference_kernel(call->op)(hed__reference()->state, &host);
  }
  for (int32_t k = 0; s == HED_OK && k < call->n_out; k++)
    if (outs[k])
      s = hed__copy_in_view(l->out[k], o->out[k], outs[k]);
  for (int32_t k = 0; k < n + call->n_out; k++)
    hed__buffer_free(buffer[k]);
  return s;
}

static int32_t call_reference(const hed__exec *ex, const hed__launch *l, hed_call *call, operands *o,
                              const hed_array *const *in)
{
  hed__device *d = ex->device;
  hed_op_fn fn = hed__reference_kernel(call->op);
  if (d->backend != hed__reference()->backend) {
    if (ex->context->fallback == HED_FALLBACK_ERROR)
      return hed_fail(HED_E_UNSUPPORTED, "%s: %s has no kernel of its own for %s, and fallback=error", hed_op_name(call->op),
                      d->name, hed__dtypes[call->compute]->name);
    if (ex->context->fallback == HED_FALLBACK_WARN)
      hed__log(HED_LOG_WARN, "dispatch", "%s of %s runs through the reference backend, not on %s", hed_op_name(call->op),
               hed__dtypes[call->compute]->name, d->name);
    hed__count(hed__tls_peek(), HED__COUNT_FALLBACKS);
  }
  if (!fn)
    return hed_fail(HED_E_UNSUPPORTED, "%s has no kernel", hed_op_name(call->op));
  return d->host ? fn(hed__reference()->state, call) : call_through_host(l, call, o, in);
}

static size_t bytes_of(int32_t n, const hed_view *const *views)
{
  size_t sum = 0;
  for (int32_t k = 0; k < n; k++)
    sum += (size_t)hed__view_size(views[k]) * (size_t)hed__id_size(views[k]->dtype);
  return sum;
}

hed_status hed__workspace(hed_call *call, size_t *bytes)
{
  const hed_context *c = hed__context();
  const hed__device *reference = hed__reference();
  *bytes = 0;
  if (!c)
    return hed_error();
  const hed__exec ex = { .context = c, .device = c->device, .op = call->op };
  call->struct_size = sizeof *call;
  call->max_threads = hed__thread_ceiling(c);
  if (hed__native(&ex, call->op, call->compute) && c->device->plugin->workspace)
    *bytes = c->device->plugin->workspace(c->device->state, call);
  if (*bytes == 0 && reference->plugin->workspace)
    *bytes = reference->plugin->workspace(reference->state, call) +
             (c->device->host ? 0 : bytes_of(call->n_in, call->in) + bytes_of(call->n_out, call->out));
  return HED_OK;
}

uint64_t hed__now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void tell(hed__tls *t, const hed__exec *ex, int op, bool native, int32_t status, uint64_t start, const hed_view *out)
{
  hed_trace_event e = {
    .struct_size = sizeof e,
    .op = op,
    .backend = ex->device->name,
    .native = native,
    .status = status,
    .start_ns = start,
    .stop_ns = hed__now_ns(),
    .elements = out ? hed__view_size(out) : 0,
  };
  t->trace(t->trace_arg, &e);
}

hed_status hed__run(const hed__exec *ex, const hed__launch *l)
{
  int op = l->op ? l->op - 1 : ex->op;
  const hed_array *const *in = l->in ? l->in : ex->in;
  int32_t n_in = l->in || l->n_in ? l->n_in : ex->n;
  hed__tls *t = hed__tls_peek();
  operands o;
  bool async = false;
  for (int32_t k = 0; k < n_in; k++) {
    o.in[k] = l->in_view && l->in_view[k] ? l->in_view[k] : &in[k]->view;
    async |= !in[k]->storage->device->host;
  }
  for (int32_t k = 0; k < l->n_out; k++)
    o.out[k] = l->out_view && l->out_view[k] ? l->out_view[k] : l->out[k] ? &l->out[k]->view : NULL;
  if (t && __builtin_expect(t->fuse_depth != 0, 0))
    for (int32_t k = 0; k < l->n_out; k++)
      if (l->out[k] && hed__fuse_written(t, l->out[k]) != HED_OK)
        return hed_error();
  if (async)
    for (int32_t k = 0; k < n_in; k++)
      if (poisoned(in[k], hed_op_name(op)) != HED_OK)
        return hed_error();
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
  bool native = hed__native(ex, op, l->compute);
  uint64_t start = t && t->trace ? hed__now_ns() : 0;
  hed__error_mark mark;
  hed__error_save(&mark);
  int32_t s = native ? call_native(ex, l, &call, &o, in) : HED_E_UNSUPPORTED;
  if (s == HED_E_UNSUPPORTED) { /* no kernel, or one that leaves this call to the reference backend */
    if (native)
      hed__error_restore(&mark);
    native = false;
    s = call_reference(ex, l, &call, &o, in);
  }
  if (s == HED_E_NOMEM && hed_error() == HED_E_LIMIT) /* which a plug-in need not tell apart */
    s = HED_E_LIMIT;
  for (int32_t k = 0; s == HED_OK && k < l->n_out; k++)
    if (l->out[k])
      l->out[k]->producer = ex->device;
  hed__count(t, HED__COUNT_CALLS);
  if (t && t->trace)
    tell(t, ex, op, native, s, start, l->n_out ? o.out[0] : NULL);
  return (hed_status)s;
}

hed_status hed_trace(hed_trace_fn fn, void *arg)
{
  hed__tls *t = hed__tls_get();
  if (!t)
    return hed_error();
  t->trace = fn;
  t->trace_arg = arg;
  return HED_OK;
}

/* ---- services for composites ---- */

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

hed_status hed__random_draw(uint64_t *key, uint64_t *draw)
{
  hed__tls *t = hed__tls_get();
  if (!t)
    return hed_error();
  hed__stream *s = hed__stream_in_force(t);
  *key = s->key;
  *draw = s->draw++;
  return HED_OK;
}

hed_status hed__random_peek(uint64_t *key, uint64_t *draw)
{
  hed__tls *t = hed__tls_get();
  if (!t)
    return hed_error();
  hed__stream *s = hed__stream_in_force(t);
  *key = s->key;
  *draw = s->draw;
  return HED_OK;
}

void hed__random_rewind(uint64_t key, uint64_t draw)
{
  hed__tls *t = hed__tls_get();
  hed__stream *s = t ? hed__stream_in_force(t) : NULL;
  if (s && s->key == key)
    s->draw = draw;
}

hed_status hed__random_restart(uint64_t key)
{
  hed__tls *t = hed__tls_get();
  if (!t)
    return hed_error();
  *hed__stream_in_force(t) = (hed__stream){ key, 0 };
  t->spawned = 0;
  return HED_OK;
}

hed__device *hed__current_device(void)
{
  const hed_context *c = hed__context();
  return c ? c->device : NULL;
}
