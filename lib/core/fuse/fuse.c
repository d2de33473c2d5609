// SPDX-License-Identifier: BSD-3-Clause
/* Fusion: scopes, recording, and those who come for a pending array. L2. See fuse.h for who may do what under which lock. */
#include "base/alloc.h"
#include "base/dtype.h"
#include "base/invariant.h"
#include "base/shape.h"
#include "core/dispatch/dispatch.h"
#include "core/fuse/fuse_graph.h"
#include "core/record/capture.h"
#include "core/modules/registry_internal.h"
#include <heddle/backend.h>
#include <string.h>

static pthread_mutex_t graphs = PTHREAD_MUTEX_INITIALIZER;

/* ---- counts ---- */

static void let_go(hed__graph *g, int32_t count)
{
  pthread_mutex_lock(&graphs);
  bool last = (g->refs -= count) == 0;
  HED__ASSERT(g->refs >= 0);
  pthread_mutex_unlock(&graphs);
  if (last) {
    pthread_mutex_destroy(&g->lock);
    hed__free(g);
  }
}

/* X's graph with a count, or NULL when X is computed by now: a graph stays while it has pending handles. */
static hed__graph *hold(const hed_array *x)
{
  hed__graph *g = NULL;
  pthread_mutex_lock(&graphs);
  if (hed__is_pending(x)) {
    g = x->graph;
    g->refs++;
  }
  pthread_mutex_unlock(&graphs);
  return g;
}

/* After the graph's lock. */
static void finish(hed__tls *t, hed__fuse_rest *rest)
{
  for (int32_t k = 0; k < rest->n_events; k++)
    if (t && t->trace)
      t->trace(t->trace_arg, &rest->event[k]);
  for (int32_t k = 0; k < rest->n_arrays; k++)
    hed__let_go(rest->array[k]);
}

/* ---- computing on demand ---- */

hed_status hed__fuse_force(const hed_array *x)
{
  hed__tls *t = hed__tls_get();
  if (!t)
    return hed_error();
  hed__graph *g = hold(x);
  if (!g)
    return HED_OK;
  hed__fuse_rest rest;
  rest.n_arrays = rest.n_events = 0;
  hed_status s = HED_OK;
  pthread_mutex_lock(&g->lock);
  if (hed__is_pending(x))
    s = g->failed ? hed_fail(g->failed, "a fused operation's result was never computed: %s", g->text)
                  : hed__graph_run(g, t, &rest);
  pthread_mutex_unlock(&g->lock);
  let_go(g, 1);
  finish(t, &rest);
  return s;
}

hed_status hed_fuse_eval(const hed_array *x)
{
  return hed__given(x, "fuse_eval", "x") ? HED_OK : hed_error();
}

bool hed_array_is_pending(const hed_array *x) { return x && hed__is_pending(x); }

bool hed__fuse_drop(hed_array *x)
{
  hed__graph *g = hold(x);
  if (!g)
    return false;
  pthread_mutex_lock(&g->lock);
  bool pending = hed__is_pending(x), last = false;
  HED__ASSERT(!pending || (x->graph == g && g->handles > 0));
  if (pending) {
    hed__node *v = g->failed ? NULL : &g->node[x->node];
    if (v && v->into) {
      hed__give_back(g, v);
      pending = false;
    } else {
      last = --g->handles == 0 && g->orphan;
      if (v)
        v->array = NULL;
    }
  }
  pthread_mutex_unlock(&g->lock);
  let_go(g, last ? 2 : 1);
  return pending;
}

static bool same_space(const hed__device *a, const hed__device *b) { return a == b || (a->host && b->host); }

/* Does a node that is to be run read memory that X may share? Different storage of our own is different memory. */
static bool reads(const hed__graph *g, const hed_array *x)
{
  for (int32_t i = 0; i < g->n; i++)
    for (int32_t k = 0; k < g->node[i].n && !g->node[i].done; k++) {
      const hed__operand *o = &g->node[i].in[k];
      const hed__storage *b = x->storage, *a = o->kind == HED__FUSE_ARRAY    ? o->array->storage
                                               : o->kind == HED__FUSE_RESULT ? g->node[o->node].made
                                                                             : NULL;
      if (a && (a == b || (!a->owned && !b->owned && same_space(a->device, b->device))))
        return true;
    }
  return false;
}

hed_status hed__fuse_written_slow(hed__tls *t, const hed_array *x)
{
  hed__graph *g = t->graph;
  hed__fuse_rest rest;
  rest.n_arrays = rest.n_events = 0;
  pthread_mutex_lock(&g->lock);
  hed_status s = reads(g, x) ? hed__graph_run(g, t, &rest) : HED_OK;
  pthread_mutex_unlock(&g->lock);
  finish(t, &rest);
  return s;
}

/* ---- arrays that are written ---- */

bool hed__fuse_target(const hed__tls *t, const hed__device *d, const hed_array *x)
{
  if (!x->flat || x->read_only || x->weak)
    return false;
  if (hed__is_pending(x))
    return x->graph == t->graph && same_space(hed__producer(x), d) &&
           (!(t->watch & HED__WATCH_RECORD) || atomic_load_explicit(&x->refs, memory_order_relaxed) == 1);
  const hed__storage *s = x->storage;
  return s->owned && same_space(s->device, d) && s->ptr == x->view.data &&
         atomic_load_explicit(&s->refs, memory_order_acquire) == 1;
}

/* The memory that X's new elements are to go to. */
static hed__storage *memory_of(const hed__graph *g, const hed_array *x)
{
  return !hed__is_pending(x) ? x->storage : x->graph == g ? g->node[x->node].into : NULL;
}

/* V writes MEMORY: what still reads it goes before. In one pass that is so where both go element by element. */
static void after_readers(const hed__graph *g, hed__node *v, const hed__storage *memory)
{
  for (int32_t i = 0; i < g->n; i++) {
    const hed__node *u = &g->node[i];
    const bool beside = !v->reduces && u->context == v->context &&
                        hed__shape_equal(u->shape.ndim, u->shape.dim, v->shape.ndim, v->shape.dim);
    for (int32_t k = 0; k < u->n && !u->done; k++) {
      const hed__operand *o = &u->in[k];
      const hed__storage *s = o->kind == HED__FUSE_ARRAY    ? memory_of(g, o->array)
                              : o->kind == HED__FUSE_RESULT ? g->node[o->node].made
                                                            : NULL;
      if (s == memory && v->level < u->level + !beside)
        v->level = u->level + !beside;
    }
  }
}

/* X is V's from now on; what was to be written to it before need not be, but for others that read it. */
static void take(hed__graph *g, hed__node *v, hed_array *x)
{
  HED__ASSERT(v >= g->node && v < g->node + HED_FUSED_STEPS);
  if (hed__is_pending(x)) {
    hed__node *u = &g->node[x->node];
    v->into = u->into;
    u->into = NULL;
    u->array = NULL;
  } else {
    v->into = x->storage;
    hed__count_write(x->storage, v->op);
    x->graph = g;
    g->handles++;
  }
  v->array = x;
  x->node = (uint16_t)(v - g->node);
  atomic_store_explicit(&x->storage, &hed__pending, memory_order_release);
}

/* ---- scopes ---- */

/* The thread leaves G: what is pending in it fails with STATUS, and G goes with the last of it. */
static void leave(hed__tls *t, int status, const char *text)
{
  hed__graph *g = t->graph;
  hed__fuse_rest rest;
  rest.n_arrays = rest.n_events = 0;
  t->graph = t->fuse = NULL;
  t->fuse_depth = 0;
  hed__watch(t, HED__WATCH_SCOPE | HED__WATCH_FUSE, false);
  pthread_mutex_lock(&g->lock);
  g->failed = status;
  memcpy(g->text, text, strlen(text) + 1);
  for (int32_t i = 0; i < g->n; i++) /* what was to be written stays as it was */
    if (g->node[i].into)
      hed__give_back(g, &g->node[i]);
  hed__graph_clear(g, &rest);
  bool last = g->handles == 0;
  g->orphan = !last;
  pthread_mutex_unlock(&g->lock);
  finish(t, &rest);
  if (last)
    let_go(g, 1);
}

hed_status hed_fuse_begin(hed_fuse_scope *s)
{
  if (!s)
    return hed_fail(HED_E_INVAL, "fuse_begin: s is NULL");
  *s = (hed_fuse_scope){ 0, false };
  hed__tls *t = hed__tls_get();
  if (t && !t->graph && (t->graph = hed__calloc(1, sizeof *t->graph))) {
    pthread_mutex_init(&t->graph->lock, NULL);
    t->graph->refs = 1;
  }
  if (!t || !t->graph)
    return hed_fail(HED_E_NOMEM, "fuse_begin: no memory for the record");
  *s = (hed_fuse_scope){ .depth = ++t->fuse_depth, .outer = t->fuse != NULL };
  t->fuse = t->graph;
  hed__watch(t, HED__WATCH_SCOPE | HED__WATCH_FUSE, true);
  if (hed__capturing())
    hed__capture_fuse(t->capture, true);
  return HED_OK;
}

hed_status hed_fuse_end(hed_fuse_scope *s)
{
  hed__tls *t = hed__tls_peek();
  if (!s || !s->depth)
    return HED_OK;
  if (hed__capturing())
    hed__capture_fuse(t->capture, false);
  hed_fuse_scope scope = *s;
  *s = (hed_fuse_scope){ 0, false };
  if (!t || scope.depth > t->fuse_depth) /* of another thread, or inside one that has ended */
    return HED_OK;
  t->fuse_depth = (uint32_t)scope.depth - 1;
  t->fuse = scope.outer ? t->graph : NULL;
  hed__watch(t, HED__WATCH_FUSE, scope.outer);
  hed__watch(t, HED__WATCH_SCOPE, t->fuse_depth != 0);
  if (t->fuse_depth)
    return HED_OK;
  hed__graph *g = t->graph;
  hed__fuse_rest rest;
  rest.n_arrays = rest.n_events = 0;
  pthread_mutex_lock(&g->lock);
  hed_status status = g->n ? hed__graph_run(g, t, &rest) : HED_OK;
  pthread_mutex_unlock(&g->lock);
  finish(t, &rest);
  if (status != HED_OK)
    leave(t, status, t->text);
  return status;
}

void hed__fuse_thread_exit(hed__tls *t)
{
  if (t->graph)
    leave(t, HED_E_EXITING, "its thread ended inside the fusion scope");
}

/* Another thread may have held the locks. */
void hed__fuse_fork_child(hed__tls *t)
{
  pthread_mutex_init(&graphs, NULL);
  if (t && t->graph)
    pthread_mutex_init(&t->graph->lock, NULL);
}

static bool fuses(const hed__device *d)
{
  return d->plugin->fuse && (d->host || (d->plugin->flags & HED_PLUGIN_FUSE_DEVICE));
}

int hed_backend_fuses(const char *name)
{
  hed__device *d = name ? hed__device_get(name, strlen(name), 0) : NULL;
  if (!name)
    return hed_fail(HED_E_INVAL, "backend_fuses: name is NULL");
  return d ? fuses(d) : hed_error();
}

/* ---- recording ---- */

hed__device *hed__fuse_device(hed__tls *t)
{
  const hed_context *c = t && t->fuse ? hed__context() : NULL;
  hed__device *d = c ? c->device : NULL;
  return d && fuses(d) && !atomic_load_explicit(&d->gone, memory_order_relaxed) ? d : NULL;
}

/* Index of C among the graph's contexts, -1 when there is no room. */
static int32_t context_index(hed__graph *g, const hed_context *c)
{
  for (int32_t k = g->n_contexts - 1; k >= 0; k--)
    if (g->context[k] == c)
      return k;
  if (g->n_contexts == HED__FUSE_CONTEXTS)
    return -1;
  g->context[g->n_contexts] = hed_context_retain((hed_context *)(uintptr_t)c);
  return g->n_contexts++;
}

static void copy_shape(hed_shape *to, int32_t ndim, const int64_t *dim)
{
  to->ndim = ndim;
  for (int32_t k = 0; k < ndim; k++)
    to->dim[k] = dim[k];
}

/* Can a node of shape DIM in CONTEXT work on U's blocks? */
static bool joins(const hed__node *u, int32_t context, int32_t ndim, const int64_t *dim)
{
  return !u->reduces && !u->done && u->context == context && hed__shape_equal(u->result.ndim, u->result.dim, ndim, dim);
}

/* Would V make a pass of U's one that reduces over several sets of axes? */
static bool over_other_axes(const hed__node *u, const hed__node *v)
{
  return v->reduces && u->reduces && !u->done && u->axes != v->axes && u->level == v->level && u->context == v->context &&
         hed__shape_equal(u->shape.ndim, u->shape.dim, v->shape.ndim, v->shape.dim);
}

static void add_operand(hed__graph *g, hed__node *v, hed__operand *o, const hed_array *x)
{
  o->dtype = x->view.dtype;
  if (x->weak) {
    o->kind = HED__FUSE_VALUE;
    o->value[0] = o->value[1] = 0;
    memcpy(o->value, x->view.data, (size_t)hed__id_size(o->dtype));
  } else if (hed__is_pending(x)) {
    const hed__node *u = &g->node[x->node];
    o->node = x->node;
    o->kind = joins(u, v->context, v->shape.ndim, v->shape.dim) && u->level == v->level ? HED__FUSE_NODE : HED__FUSE_RESULT;
  } else {
    o->kind = HED__FUSE_ARRAY;
    o->array = hed__hold((hed_array *)(uintptr_t)x);
  }
}

/* The operands are seen now, not by the caller: another thread may have computed one. */
static void fill_node(hed__graph *g, hed__node *v, int32_t context, const hed__fuse_step *s)
{
  v->made = v->into = NULL;
  v->op = s->op;
  v->compute = s->compute;
  v->dtype = s->dtype;
  v->n = s->n;
  v->context = context;
  v->reduces = s->reduces;
  v->axes = s->axes;
  v->done = false;
  v->level = 0;
  copy_shape(&v->result, s->ndim, s->dim);
  if (s->reduces)
    copy_shape(&v->shape, s->in[0]->view.ndim, s->in[0]->view.dim);
  else
    copy_shape(&v->shape, s->ndim, s->dim);
  if (s->params_size)
    memcpy(v->params, s->params, s->params_size);
  for (int k = 0; k < s->n; k++)
    if (hed__is_pending(s->in[k])) {
      const hed__node *u = &g->node[s->in[k]->node];
      int32_t level = u->level + !joins(u, context, v->shape.ndim, v->shape.dim);
      v->level = level > v->level ? level : v->level;
    }
  const hed__storage *memory = s->into ? memory_of(g, s->into) : NULL;
  if (memory)
    after_readers(g, v, memory);
  for (int32_t i = 0; i < g->n; i++)
    if (over_other_axes(&g->node[i], v)) { /* is at the end of a pass already: V begins another */
      v->level++;
      i = -1;
    }
  for (int k = 0; k < s->n; k++)
    add_operand(g, v, &v->in[k], s->in[k]);
}

hed_array *hed__fuse_record(hed__tls *t, const hed__fuse_step *s)
{
  hed__graph *g = t->graph;
  hed__fuse_rest rest;
  rest.n_arrays = rest.n_events = 0;
  const hed_context *c = hed__context();
  HED__ASSERT(s->n >= 1 && s->params_size <= HED__FUSE_PARAMS && s->op >= 0 && s->op < HED_OP_COUNT_);
  hed_status status = HED_OK;
  hed_array *x = NULL;
  pthread_mutex_lock(&g->lock);
  int32_t context = g->n < HED_FUSED_STEPS ? context_index(g, c) : -1;
  if (context < 0) {
    status = hed__graph_run(g, t, &rest);
    context = status == HED_OK ? context_index(g, c) : -1;
  }
  if (context >= 0 && s->into) {
    hed__node *v = &g->node[g->n];
    x = s->into;
    fill_node(g, v, context, s);
    take(g, v, x);
    g->n++;
  } else if (context >= 0 && (x = hed__array_pending(c->device, s->dtype, s->ndim, s->dim))) {
    hed__node *v = &g->node[g->n];
    fill_node(g, v, context, s);
    v->array = x;
    x->node = (uint16_t)g->n++;
    x->graph = g;
    g->handles++;
  }
  pthread_mutex_unlock(&g->lock);
  if (rest.n_arrays | rest.n_events)
    finish(t, &rest);
  return x;
}
