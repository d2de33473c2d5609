// SPDX-License-Identifier: BSD-3-Clause
/* Computing a graph: which nodes are wanted, which of them make one pass, and the call of the device that runs it. L2.
 *
 * A pass is what has one level, shape and context. Levels are run in order, so that what a pass needs from memory is there.
 * A node goes to memory when its handle is alive or a later pass reads it; others exist as blocks in the device's cache.
 */
#include "base/cancel.h"
#include "base/clock.h"
#include "base/dtype.h"
#include "base/shape.h"
#include "core/dispatch/dispatch.h"
#include "core/fuse/fuse_graph.h"
#include "core/memory/memory.h"
#include "core/profile/profile.h"
#include "core/array/settle.h"
#include "core/array/submit.h"
#include "core/array/transfer.h"
#include <heddle/backend.h>
#include <string.h>

typedef struct pass {
  hed__graph *g;
  hed__tls *t;
  hed__node *node[HED_FUSED_STEPS];
  const hed__operand *from[HED_FUSED_IN]; /* what the operands are */
  const hed_view *in[HED_FUSED_IN], *out[HED_FUSED_STEPS];
  hed_fused_step step[HED_FUSED_STEPS];
  hed__storage *made[HED_FUSED_STEPS];    /* of the results, in order */
  int32_t n, n_in, n_out, n_views;
} pass;

/* ---- what is wanted ---- */

static void mark(hed__graph *g)
{
  for (int32_t i = 0; i < g->n; i++)
    g->node[i].live = g->node[i].kept = g->node[i].array != NULL && !g->node[i].done;
  for (int32_t i = g->n - 1; i >= 0; i--) /* operands come before those that read them */
    for (int32_t k = 0; k < g->node[i].n && g->node[i].live; k++) {
      const hed__operand *o = &g->node[i].in[k];
      if (o->kind != HED__FUSE_NODE && o->kind != HED__FUSE_RESULT)
        continue;
      hed__node *u = &g->node[o->node];
      u->live |= !u->done;
      u->kept |= o->kind == HED__FUSE_RESULT;
    }
}

/* ---- what it is called with ---- */

static bool same_operand(const hed__operand *a, const hed__operand *b)
{
  if (a->kind != b->kind)
    return false;
  return a->kind == HED__FUSE_ARRAY    ? a->array == b->array
         : a->kind == HED__FUSE_RESULT ? a->node == b->node
                                       : a->dtype == b->dtype && memcmp(a->value, b->value, sizeof a->value) == 0;
}

/* The whole of a result in memory. */
static void result_view(const hed__node *v, const hed__storage *s, hed_view *out)
{
  out->data = s->ptr;
  out->dtype = v->dtype;
  out->ndim = v->result.ndim;
  memcpy(out->dim, v->result.dim, (size_t)out->ndim * sizeof *out->dim);
  hed__c_strides(out->ndim, out->dim, hed__id_size(v->dtype), out->stride);
}

/* The number of operand O of V, an operand of the pass from now on. */
static int32_t operand_number(pass *p, const hed__node *v, const hed__operand *o)
{
  for (int32_t k = 0; k < p->n_in; k++)
    if (same_operand(p->from[k], o))
      return k;
  hed_view *to = &p->g->view[p->n_views++], whole;
  if (o->kind == HED__FUSE_VALUE) {
    whole.data = (void *)(uintptr_t)o->value;
    whole.dtype = o->dtype;
    whole.ndim = 0;
  } else if (o->kind == HED__FUSE_RESULT) {
    result_view(&p->g->node[o->node], p->g->node[o->node].made, &whole);
  }
  (void)hed__broadcast_view(o->kind == HED__FUSE_ARRAY ? &o->array->view : &whole, v->shape.ndim, v->shape.dim, to);
  p->from[p->n_in] = o;
  p->in[p->n_in] = to;
  return p->n_in++;
}

/* Memory for the results. */
static hed_status make_results(pass *p)
{
  hed__device *d = p->g->context[p->node[0]->context]->device;
  for (int32_t i = 0; i < p->n; i++) {
    hed__node *v = p->node[i];
    p->step[i].out = -1;
    if (!v->kept)
      continue;
    size_t bytes = (size_t)hed__shape_size(v->result.ndim, v->result.dim) * (size_t)hed__id_size(v->dtype);
    hed__storage *s = v->into ? v->into : hed__storage_new(d, bytes, "fused operations");
    if (!s)
      return hed_error();
    if (v->into)
      atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    hed_view *view = &p->g->view[p->n_views++];
    result_view(v, s, view);
    if (v->reduces) { /* the axes that go are there with extent 1, for the kernel */
      view->ndim = v->shape.ndim;
      for (int32_t k = 0; k < view->ndim; k++)
        view->dim[k] = v->axes >> k & 1u ? 1 : v->shape.dim[k];
      hed__c_strides(view->ndim, view->dim, hed__id_size(v->dtype), view->stride);
    }
    p->made[p->n_out] = s;
    p->out[p->n_out] = view;
    p->step[i].out = p->n_out++;
  }
  return HED_OK;
}

/* For D. */
static void describe(pass *p, const hed__device *d)
{
  for (int32_t i = 0; i < p->n; i++)
    for (int32_t k = 0; k < p->node[i]->n; k++)
      if (p->node[i]->in[k].kind != HED__FUSE_NODE)
        p->step[i].in[k] = operand_number(p, p->node[i], &p->node[i]->in[k]);
  for (int32_t i = 0; i < p->n; i++) {
    hed__node *v = p->node[i];
    hed_fused_step *s = &p->step[i];
    v->value = p->n_in + i;
    s->op = d->row[v->op].number;
    s->compute = v->compute;
    s->dtype = v->dtype;
    s->n_in = v->n;
    s->params = v->params;
    for (int32_t k = 0; k < v->n; k++)
      if (v->in[k].kind == HED__FUSE_NODE)
        s->in[k] = p->g->node[v->in[k].node].value;
  }
}

void hed__give_back(hed__graph *g, hed__node *v)
{
  atomic_store_explicit(&v->array->storage, v->into, memory_order_release);
  v->array = NULL;
  v->into = NULL;
  g->handles--;
}

/* The handles get their elements, in one step for who looks from another thread. */
static void hand_out(pass *p)
{
  for (int32_t i = 0; i < p->n; i++) {
    hed__node *v = p->node[i];
    v->done = true;
    if (p->step[i].out < 0)
      continue;
    hed__storage *s = p->made[p->step[i].out];
    v->made = s; /* the node's reference; a handle has one of its own */
    if (v->into) {
      hed__give_back(p->g, v);
    } else if (v->array) {
      atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
      v->array->view.data = s->ptr;
      atomic_store_explicit(&v->array->storage, s, memory_order_release);
      v->array = NULL;
      p->g->handles--;
    }
  }
}

static void tell(const pass *p, const hed__device *d, hed_status s, uint64_t start, hed__fuse_rest *rest)
{
  const hed__node *last = p->node[p->n - 1];
  rest->event[rest->n_events++] = (hed_trace_event){
    .struct_size = sizeof(hed_trace_event),
    .op = last->op,
    .backend = d->name,
    .native = true,
    .status = s,
    .start_ns = start,
    .stop_ns = hed__now_ns(),
    .elements = hed__shape_size(last->shape.ndim, last->shape.dim),
    .fused = p->n,
    .by = d->name,
  };
}

static void record(const pass *p, const hed__device *d, hed_status s, uint64_t start)
{
  const hed__node *last = p->node[p->n - 1];
  const hed_call call = { .struct_size = sizeof call, .op = last->op, .n_in = p->n_in, .n_out = p->n_out, .in = p->in,
                          .out = p->out, .compute = last->compute };
  hed__raw r = { .op = (uint16_t)last->op, .how = HED__RAW_FUSED, .device = d->number, .of = d->number, .status = (int16_t)s,
                 .compute = (uint8_t)last->compute, .fused = (uint8_t)(p->n < 255 ? p->n : 255), .counted = (uint32_t)p->n,
                 .t0 = start };
  if (p->t->profile_ticket)
    r.out = hed__flow_ticket(d->number, p->t->profile_ticket);
  if (p->t->profile_after)
    r.in = hed__flow_ticket(d->number, p->t->profile_after);
  hed__profile_op(p->t, &r, &call);
}

/* Of operand K of the pass; NULL for a single value, which is the node's. An array that is written later in the graph is
 * pending by now: its memory is that node's. */
static hed__storage *storage_of(const pass *p, int32_t k)
{
  const hed__operand *o = p->from[k];
  if (o->kind == HED__FUSE_ARRAY)
    return hed__is_pending(o->array) ? p->g->node[o->array->node].into : o->array->storage;
  return o->kind == HED__FUSE_RESULT ? p->g->node[o->node].made : NULL;
}

/* ---- the call ---- */

/* CALL on a device with memory of its own. */
static hed_status submit(const pass *p, hed__device *d, hed_fused_call *call)
{
  hed__submission b;
  hed__storage *of[HED_FUSED_IN];
  uint64_t ticket = 0, in_ticket[HED_FUSED_IN];
  bool failed = false;
  for (int32_t k = 0; k < p->n_in; k++) {
    of[k] = storage_of(p, k);
    in_ticket[k] = of[k] ? atomic_load(&of[k]->ticket) : 0;
    if (!of[k])
      call->host_in[k / 32] |= 1u << k % 32;
    failed |= of[k] && atomic_load(&of[k]->poison);
  }
  if (failed) /* what comes of it has failed, too, and nothing else */
    return HED_E_UNSUPPORTED;
  hed_status s = (hed_status)hed__submit_begin(&b, d);
  if (s != HED_OK)
    return s;
  for (int32_t k = 0; k < p->n_in; k++)
    if (of[k])
      hed__submit_reads(&b, of[k]);
  for (int32_t k = 0; k < p->n_out; k++)
    hed__submit_writes(&b, p->made[k]);
  call->ticket = &ticket;
  call->wait_for = b.wait_for;
  call->n_wait_for = b.n_wait_for;
  call->after = b.after;
  call->n_after = b.n_after;
  call->in_ticket = in_ticket;
  s = (hed_status)d->plugin->fuse(d->state, call);
  return (hed_status)hed__submit_end(&b, s, ticket);
}

/* Step I as a call of its own; OF are the values' storages, VIEW their views. */
static hed_status run_step(const pass *p, int32_t i, const hed__exec *ex, hed__storage *const *of, const hed_view *const *view)
{
  const hed_fused_step *s = &p->step[i];
  hed_array in[3], out; /* a launch looks at their storage */
  const hed_array *ins[3];
  const hed_view *in_view[3];
  hed_array *outs = &out;
  for (int32_t k = 0; k < s->n_in; k++) {
    atomic_init(&in[k].storage, of[s->in[k]]);
    in_view[k] = view[s->in[k]];
    ins[k] = &in[k];
  }
  atomic_init(&out.storage, of[p->n_in + i]);
  return hed__run(ex, &(hed__launch){ .n_out = 1, .n_in = s->n_in, .out = &outs, .in = ins, .in_view = in_view,
                                      .out_view = &view[p->n_in + i], .params = s->params, .compute = s->compute,
                                      .op = 1 + p->node[i]->op });
}

/* The first of step I's operands that is known to have failed. */
static const hed__poison *failed_operand(const pass *p, int32_t i, hed__storage *const *of)
{
  const hed__poison *found = NULL;
  for (int32_t k = 0; k < p->step[i].n_in && !found; k++)
    found = atomic_load(&of[p->step[i].in[k]]->poison);
  return found;
}

/* Step I, whose result has failed where an operand has: other results of the pass need not. */
static hed_status run_or_fail(const pass *p, int32_t i, const hed__exec *ex, hed__storage *const *of, const hed_view *const *view)
{
  const hed_fused_step *s = &p->step[i];
  hed__error_mark mark;
  hed__error_save(&mark);
  hed_status status = failed_operand(p, i, of) ? HED_E_ASYNC : run_step(p, i, ex, of, view);
  if (status == HED_OK || !failed_operand(p, i, of))
    return status;
  hed__storage *operand[3];
  for (int32_t k = 0; k < s->n_in; k++)
    operand[k] = of[s->in[k]];
  status = hed__first_failure(s->n_in, operand, hed_op_name(p->node[i]->op)); /* those before it are known then */
  const hed__poison *first = failed_operand(p, i, of);
  if (status != HED_E_ASYNC || !first)
    return status;
  hed__error_restore(&mark);
  hed__storage_poison(of[p->n_in + i], first->op, first->text);
  return HED_OK;
}

/* A tracer: not under the graph's lock. */
static void keep_event(void *arg, const hed_trace_event *e)
{
  hed__fuse_rest *rest = arg;
  if (rest->n_events < HED_FUSED_STEPS)
    rest->event[rest->n_events++] = *e;
}

/* What the device leaves to the host: the steps, each for itself, single values where its kernels look for them. */
static hed_status one_by_one(pass *p, const hed_context *context, hed__fuse_rest *rest)
{
  hed__tls *t = p->t;
  hed__device *d = context->device;
  const hed__exec ex = { .context = context, .device = d };
  hed__storage *of[HED_FUSED_IN + HED_FUSED_STEPS] = { NULL };
  const hed_view *view[HED_FUSED_IN + HED_FUSED_STEPS];
  hed_array *value[HED_FUSED_IN] = { NULL };
  hed_status s = HED_OK;
  const hed_trace_fn trace = t->trace;
  void *const trace_arg = t->trace_arg;
  const uint8_t watch = t->watch;
  const uint32_t depth = t->fuse_depth; /* with which a launch would take the graph's lock again */
  t->trace = trace ? keep_event : NULL;
  t->trace_arg = rest;
  t->fuse_depth = 0;
  t->watch = (uint8_t)(HED__WATCH_PASS | (trace ? HED__WATCH_TRACE : 0) | (watch & HED__WATCH_PROFILE));
  for (int32_t k = 0; k < p->n_in && s == HED_OK; k++) {
    view[k] = p->in[k];
    if ((of[k] = storage_of(p, k)))
      continue;
    const int64_t none = 0;
    hed_view one = *p->in[k];
    one.ndim = 0;
    value[k] = hed__array_new(d, one.dtype, 0, &none);
    s = value[k] ? hed__copy_in(value[k], &one) : hed_error();
    if (s == HED_OK) {
      of[k] = value[k]->storage;
      ((hed_view *)(uintptr_t)p->in[k])->data = value[k]->view.data; /* the pass's own */
    }
  }
  for (int32_t i = 0; i < p->n && s == HED_OK; i++) {
    const hed__node *v = p->node[i];
    const int32_t n = p->n_in + i, out = p->step[i].out;
    if (out >= 0) {
      of[n] = p->made[out];
      view[n] = p->out[out];
    } else {
      hed_view *whole = &p->g->view[p->n_views++];
      of[n] = hed__storage_new(d, (size_t)hed__shape_size(v->result.ndim, v->result.dim) * (size_t)hed__id_size(v->dtype),
                               "fused operations");
      if (of[n])
        result_view(v, of[n], whole);
      view[n] = whole;
    }
    s = of[n] ? run_or_fail(p, i, &ex, of, view) : hed_error();
  }
  for (int32_t i = 0; i < p->n; i++)
    if (p->step[i].out < 0 && of[p->n_in + i])
      hed__storage_release(of[p->n_in + i]);
  for (int32_t k = 0; k < p->n_in; k++)
    hed_release(value[k]);
  t->trace = trace;
  t->trace_arg = trace_arg;
  t->fuse_depth = depth;
  t->watch = watch;
  return s;
}

/* The pass that FIRST belongs to. */
static hed_status run_pass(hed__graph *g, hed__tls *t, hed__node *first, hed__fuse_rest *rest)
{
  pass p;
  p.g = g;
  p.t = t;
  p.n = p.n_in = p.n_out = p.n_views = 0;
  for (hed__node *v = first; v < g->node + g->n; v++)
    if (v->live && !v->done && v->level == first->level && v->context == first->context &&
        hed__shape_equal(v->shape.ndim, v->shape.dim, first->shape.ndim, first->shape.dim))
      p.node[p.n++] = v;
  const hed_context *context = g->context[first->context], *current = t->current;
  hed__device *d = context->device;
  t->current = context; /* whose memory limit counts */
  hed_status s = make_results(&p);
  if (s == HED_OK) {
    describe(&p, d);
    hed_fused_call call = {
      .struct_size = sizeof call,
      .n_in = p.n_in,
      .n_out = p.n_out,
      .n_steps = p.n,
      .in = p.in,
      .out = p.out,
      .step = p.step,
      .max_threads = hed__thread_ceiling(context),
      .ndim = first->shape.ndim,
      .dim = first->shape.dim,
    };
    uint64_t start = t->trace ? hed__now_ns() : 0;
    const bool profiled = hed__profiling(t);
    const uint64_t ticks = profiled ? hed__profile_start("fused") : 0;
    t->profile_ticket = t->profile_after = 0;
    hed__error_mark mark;
    hed__error_save(&mark);
    s = d->host ? (hed_status)d->plugin->fuse(d->state, &call) : submit(&p, d, &call);
    if (s == HED_E_UNSUPPORTED) {
      hed__error_restore(&mark);
      if (profiled)
        hed__nvtx_pop();
      s = one_by_one(&p, context, rest);
    } else {
      for (int32_t k = 0; k < p.n; k++)
        hed__count(t, HED__COUNT_CALLS);
      hed__count(t, HED__COUNT_PASSES);
      if (profiled)
        record(&p, d, s, ticks);
      if (t->trace && rest->n_events < HED_FUSED_STEPS)
        tell(&p, d, s, start, rest);
    }
  }
  t->current = current;
  if (s == HED_OK)
    hand_out(&p);
  else
    for (int32_t k = 0; k < p.n_out; k++)
      hed__storage_release(p.made[k]);
  return s;
}

/* ---- the graph ---- */

void hed__graph_clear(hed__graph *g, hed__fuse_rest *rest)
{
  for (int32_t i = 0; i < g->n; i++) {
    hed__node *v = &g->node[i];
    for (int32_t k = 0; k < v->n; k++)
      if (v->in[k].kind == HED__FUSE_ARRAY)
        rest->array[rest->n_arrays++] = v->in[k].array;
    if (v->made)
      hed__storage_release(v->made);
  }
  for (int32_t k = 0; k < g->n_contexts; k++)
    hed_context_release(g->context[k]);
  g->n = g->n_contexts = 0;
}

static hed_status run_levels(hed__graph *g, hed__tls *t, hed__fuse_rest *rest)
{
  int32_t levels = 0;
  mark(g);
  for (int32_t i = 0; i < g->n; i++)
    levels = g->node[i].level >= levels ? g->node[i].level + 1 : levels;
  for (int32_t level = 0; level < levels; level++)
    for (int32_t i = 0; i < g->n; i++) {
      hed__node *v = &g->node[i];
      hed_status s = v->live && !v->done && v->level == level ? run_pass(g, t, v, rest) : HED_OK;
      if (s != HED_OK)
        return s;
    }
  hed__graph_clear(g, rest);
  return HED_OK;
}

/* The graph's lock is held, and who else wants a result of it waits for that. */
hed_status hed__graph_run(hed__graph *g, hed__tls *t, hed__fuse_rest *rest)
{
  HED__UNCANCELLED;
  return run_levels(g, t, rest);
}
