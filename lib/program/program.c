// SPDX-License-Identifier: BSD-3-Clause
/* Programs: made, run by their calls. L3. See <heddle/program.h>. */
#include "program/program.h"
#include "api/call/box.h"
#include "api/call/check.h"
#include "api/elementwise/elementwise.h"
#include "api/reduce/reduce.h"
#include "base/alloc.h"
#include "base/dtype.h"
#include "base/formulas/formulas.h"
#include "base/shape.h"
#include "core/array/scope.h"
#include "core/context/context.h"
#include <heddle/fuse.h>
#include <stdio.h>
#include <string.h>

/* ---- making ---- */

/* X by a handle of its own, so that F's inputs differ. */
static hed_array *alias(const hed_array *x)
{
  hed_array *y = hed_keep(hed__array_view(x, &x->view));
  if (y) {
    y->weak = x->weak;
    hed__record_same(y, x);
  }
  return y;
}

static hed_status check_lists(const char *name, int n, const void *x, int m)
{
  if (n < 0 || m < 0)
    return hed_fail(HED_E_INVAL, "%s: %d inputs and %d results", name, n, m);
  if (n > 0 && !x)
    return hed_fail(HED_E_INVAL, "%s: x is no list of %d arrays", name, n);
  return HED_OK;
}

/* The last call that each value takes part in; who writes what. */
static bool finish(hed_program *p, hed_array *const *y)
{
  hed__capture *c = &p->capture;
  for (int j = 0; j < p->m; j++)
    p->result[j] = hed__capture_value(c, y[j]);
  if (c->status != HED_OK || !(p->last = hed__calloc((size_t)c->n_values + 1, sizeof *p->last)))
    return false;
  for (int32_t s = 0; s < c->n_calls; s++)
    for (int32_t k = 0; k < c->call[s]->n_in + c->call[s]->n_out; k++)
      if (c->call[s]->value[k] >= 0)
        p->last[c->call[s]->value[k]] = s;
  for (int j = 0; j < p->m; j++)
    if (p->result[j] >= 0)
      p->last[p->result[j]] = c->n_calls;
  for (int32_t v = 0; v < c->n_values; v++) {
    p->written = p->written || c->value[v].written;
    p->writes = p->writes || (c->value[v].written && c->value[v].kind == HED__VALUE_CONSTANT);
  }
  return true;
}

/* F runs on X, handles of our own, and its calls are put down. */
static hed_status capture(hed_program *p, hed__capture *c, hed__tls *t, hed_function f, void *arg, hed_array **x, hed_array **y)
{
  for (int k = 0; k < p->n; k++)
    hed__capture_input(c, x[k], k);
  c->stream = hed__stream_in_force(t);
  c->draw = __atomic_load_n(&c->stream->draw, __ATOMIC_RELAXED);
  t->capture = c;
  hed__watch(t, HED__WATCH_CAPTURE, true);
  hed_fuse_scope fused = { 0 };
  hed_status status = p->fuse ? hed_fuse_begin(&fused) : HED_OK;
  if (status == HED_OK)
    status = f(arg, p->n, (const hed_array *const *)x, p->m, y);
  const hed_status computed = p->fuse ? hed_fuse_end(&fused) : HED_OK;
  status = status == HED_OK ? computed : status;
  while (c == &p->capture && p->m > 0 && !y[p->m - 1])
    p->m--;
  for (int j = 0; j < p->m && status == HED_OK && c->status == HED_OK; j++)
    if (!y[j])
      status = hed_fail(HED_E_INVAL, "program '%s': f has made no array for y[%d]", p->name, j);
  if (status == HED_OK && c->status == HED_OK && c == &p->capture && (!finish(p, y) || hed__program_lower(p) != HED_OK))
    hed__capture_fail(c, HED_E_NOMEM, "program '%s': no memory", p->name);
  hed__watch(t, HED__WATCH_CAPTURE, false);
  t->capture = NULL;
  return c->status == HED_OK ? status : hed_fail(c->status, "%s", c->text);
}

static void capture_free(hed__capture *c)
{
  for (int32_t s = 0; s < c->n_calls; s++)
    hed__program_forget(c->call[s]);
  hed__capture_clear(c);
}

static void program_free(hed_program *p)
{
  capture_free(&p->capture);
  pthread_mutex_destroy(&p->lock);
  hed__program_frame_free(atomic_load(&p->frame));
  hed__free(p->plan.step);
  hed__free(p->plan.free);
  hed__free(p->plan.kind);
  hed__free(p->input);
  hed__free(p->result);
  hed__free(p->last);
  hed__free(p);
}

hed_status hed_program_create(hed_function f, void *arg, int n, const hed_array *const *x, int m, hed_array **y,
                              const hed_program_options *opt, hed_program **out)
{
  static const hed_program_options defaults;
  hed__tls *t = hed__tls_get();
  opt = opt ? opt : &defaults;
  if (!f || !out)
    return hed_fail(HED_E_INVAL, "program_create: %s is NULL", f ? "p" : "f");
  *out = NULL;
  hed_status status = check_lists("program_create", n, x, m);
  if (status != HED_OK)
    return status;
  if (!t)
    return hed_error();
  if (t->watch & HED__WATCH_CAPTURE)
    return hed_fail(HED_E_PROGRAM, "program_create: '%s' is being captured; programs are made outside, and run inside",
                    t->capture->name);
  for (int k = 0; k < n; k++)
    if (!hed__given(x[k], "program_create", "x"))
      return hed_error();
  hed_program *p = hed__calloc(1, sizeof *p);
  hed_array **own = hed__calloc((size_t)n + 1, sizeof *own), **made = hed__calloc((size_t)m + 1, sizeof *made);
  if (p) {
    atomic_init(&p->refs, 1);
    pthread_mutex_init(&p->lock, NULL);
    p->n = n;
    p->m = m;
    p->keep_layout = opt->keep_layout;
    p->fuse = opt->fuse;
    p->check = opt->check ? f : NULL;
    p->check_arg = arg;
    atomic_init(&p->checks, opt->check);
    snprintf(p->name, sizeof p->name, "%s", opt->name ? opt->name : "program");
    p->capture.name = p->name;
    p->input = hed__calloc((size_t)n + 1, sizeof *p->input);
    p->result = hed__calloc((size_t)m + 1, sizeof *p->result);
  }
  if (!p || !own || !made || !p->input || !p->result)
    status = hed_fail(HED_E_NOMEM, "program_create: no memory");
  for (int k = 0; k < n && status == HED_OK; k++) {
    const hed__storage *s = x[k]->storage;
    p->input[k] = (hed__formal){ .value = k, .weak = x[k]->weak, .host = s->device->host, .device = s->device->number,
                                 .view = x[k]->view };
    status = (own[k] = alias(x[k])) ? HED_OK : hed_error();
  }
  const hed__scope_mark mark = hed__scope_now(t);
  if (status == HED_OK)
    status = capture(p, &p->capture, t, f, arg, own, made);
  for (int k = 0; own && k < n; k++)
    hed_release(own[k]);
  if (made && (status != HED_OK || !y))
    hed__scope_refuse(t, mark, m, made);
  for (int j = 0; y && j < m; j++)
    y[j] = made ? made[j] : NULL;
  hed__free(own);
  hed__free(made);
  if (status == HED_OK)
    *out = p;
  else if (p)
    program_free(p);
  return status;
}

hed_program *hed_program_retain(hed_program *p)
{
  if (p)
    atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
  return p;
}

void hed_program_release(hed_program *p)
{
  if (p && atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) == 1)
    program_free(p);
}

/* ---- what a run is given ---- */

static hed_status other_shape(const hed_program *p, int k, const hed_view *now, const hed_view *was)
{
  char text[2][HED__SHAPE_TEXT];
  return hed_fail(HED_E_SHAPE, "program '%s': x[%d] has shape %s, it was made with %s", p->name, k,
                  hed__shape_text(now->ndim, now->dim, text[0], HED__SHAPE_TEXT),
                  hed__shape_text(was->ndim, was->dim, text[1], HED__SHAPE_TEXT));
}

/* Bytes that V reaches, from *LOW to before *HIGH. */
static void reach(const hed_view *v, uintptr_t *low, uintptr_t *high)
{
  *low = (uintptr_t)v->data;
  *high = *low + (uintptr_t)hed__id_size(v->dtype);
  for (int32_t k = 0; k < v->ndim; k++) {
    if (v->dim[k] == 0)
      *high = *low;
    *(v->stride[k] < 0 ? low : high) += (uintptr_t)((v->dim[k] - 1) * v->stride[k]);
  }
}

bool hed__program_overlap(const hed_view *a, const hed_view *b)
{
  uintptr_t low[2], high[2];
  if (hed__view_size(a) == 0 || hed__view_size(b) == 0)
    return false;
  reach(a, &low[0], &high[0]);
  reach(b, &low[1], &high[1]);
  return low[0] < high[1] && low[1] < high[0];
}

/* An array that is written lies to the others as it did. */
static hed_status check_written(const hed_program *p, const hed_array *const *x)
{
  const hed__capture *c = &p->capture;
  for (int32_t v = 0; v < c->n_values; v++) {
    const hed__captured *w = &c->value[v];
    if (!w->written || w->kind == HED__VALUE_MADE)
      continue;
    const bool input = w->kind == HED__VALUE_INPUT;
    const hed_array *a = input ? x[v] : w->array;
    if (a->read_only)
      return hed_fail(HED_E_INVAL, "program '%s': %s%d is read-only, and is written", p->name, input ? "x" : "constant ", v);
    for (int k = 0; k < p->n; k++) {
      const hed_view *then = input ? &p->input[v].view : &w->array->view, *other = &p->input[k].view;
      const bool now = k != v && hed__program_overlap(&a->view, &x[k]->view), was = k != v && hed__program_overlap(then, other);
      const bool same = (char *)a->view.data - (char *)x[k]->view.data == (char *)then->data - (char *)other->data;
      if (now != was || (now && !same))
        return hed_fail(HED_E_INVAL, "program '%s': x[%d] %s %s%d, which is written; when it was made, they %s", p->name, k,
                        now ? "overlaps" : "is apart from", input ? "x" : "constant ", v,
                        was ? now ? "overlapped elsewhere" : "overlapped" : "were apart");
    }
  }
  return HED_OK;
}

/* Is X such as input F was? *SAME becomes false where it lies otherwise. */
static inline bool fits(const hed__formal *f, const hed_array *x, bool *same)
{
  const hed_view *v = &x->view;
  if (v->ndim != f->view.ndim || v->dtype != f->view.dtype || x->weak != f->weak)
    return false;
  bool equal = true, lies = true;
  for (int32_t a = 0; a < v->ndim; a++) {
    equal &= v->dim[a] == f->view.dim[a];
    lies &= v->stride[a] == f->view.stride[a] || v->dim[a] < 2;
  }
  const hed__device *d = hed__is_pending(x) ? hed__producer(x) : x->storage->device;
  *same = *same && lies;
  return equal && (d->host ? f->host : d->number == f->device);
}

bool hed_program_takes(const hed_program *p, int n, const hed_array *const *x)
{
  bool same = true, good = p && n == p->n && (n == 0 || x);
  for (int k = 0; k < n && good; k++)
    good = x[k] && fits(&p->input[k], x[k], &same);
  return good;
}

/* Why X, input K, does not fit. */
static hed_status other_input(const hed_program *p, int k, const hed_array *x)
{
  const hed__formal *f = &p->input[k];
  const hed_view *v = &x->view;
  if (!hed__shape_equal(v->ndim, v->dim, f->view.ndim, f->view.dim))
    return other_shape(p, k, v, &f->view);
  if (v->dtype != f->view.dtype || x->weak != f->weak)
    return hed_fail(HED_E_DTYPE, "program '%s': x[%d] is %s%s, it was made with %s%s", p->name, k,
                    x->weak ? "a weak scalar of " : "", hed__dtypes[v->dtype]->name,
                    f->weak ? "a weak scalar of " : "", hed__dtypes[f->view.dtype]->name);
  return hed_fail(HED_E_MISMATCH, "program '%s': x[%d] is in %s, it was made with one in %s", p->name, k, x->storage->device->space,
                  f->host ? hed__reference()->space : hed__device_numbered(f->device)->space);
}

hed_status hed__program_check(const hed_program *p, int n, const hed_array *const *x, int m, const void *y, bool *same)
{
  *same = true;
  if (n != p->n || m != p->m)
    return hed_fail(HED_E_INVAL, "program '%s': %d inputs and %d results, it has %d and %d", p->name, n, m, p->n, p->m);
  if ((n && !x) || (m && !y))
    return hed_fail(HED_E_INVAL, "program '%s': %s is NULL", p->name, n && !x ? "x" : "y");
  for (int k = 0; k < n; k++) {
    if (!x[k])
      return hed_fail(HED_E_INVAL, "program '%s': x[%d] is NULL", p->name, k);
    if (!hed__given(x[k], p->name, "x"))
      return hed_error();
    if (!fits(&p->input[k], x[k], same))
      return other_input(p, k, x[k]);
    if (!*same && p->keep_layout)
      return hed_fail(HED_E_MISMATCH, "program '%s': x[%d] has other strides than it was made with", p->name, k);
  }
  return HED_OK;
}

/* ---- a run by calls ---- */

/* The context of call S: what it computes in as it was, what the thread gives as it is. *MADE: to be released. */
static const hed_context *context_of(const hed_program *p, const hed__called *s, hed_context **made)
{
  const hed_context *now = hed__context(), *then = p->capture.context[s->context];
  if (!now || (now->device == then->device && now->real == then->real && now->complex_ == then->complex_ &&
               now->index == then->index && now->relaxed == then->relaxed && now->math == then->math && now->mix == then->mix &&
               now->fallback == then->fallback && now->effort == then->effort))
    return now;
  if (hed__context_on(now, then->device, made) != HED_OK)
    return NULL;
  hed_context *c = *made;
  c->real = then->real;
  c->complex_ = then->complex_;
  c->index = then->index;
  c->relaxed = then->relaxed;
  c->math = then->math;
  c->mix = then->mix;
  c->fallback = then->fallback;
  c->effort = then->effort;
  return c;
}

static hed_status formula(const hed__called *s, const hed_array *const *in, hed_array **out)
{
  hed__elementwise e = { .op = s->op, .n = s->n_in, .first = hed__formula_first(s->op) >= 0, .arg = { "a", "b", "c" },
                         .params = s->params };
  if (s->n_in == 1)
    e.arg[0] = "x";
  for (int32_t k = 0; k < s->n_in; k++)
    e.in[k] = in[k];
  if (s->in_place)
    return hed__elementwise_into(&e, *out);
  return (*out = hed__elementwise_new(&e)) ? HED_OK : hed_error();
}

/* Where BASE lies otherwise than it did, only the whole of it is known to be a view. */
static hed_status view(const hed_program *p, const hed__called *s, const hed_array *base, hed_array **out)
{
  if (hed__is_pending(base) && hed__pending_by.force(base) != HED_OK)
    return hed_error();
  const hed_view *then = &p->capture.value[s->value[0]].array->view;
  const bool whole = s->offset == 0 && hed__lies_as(&s->view, then);
  if (!whole && !hed__lies_as(&base->view, then))
    return hed_fail(HED_E_MISMATCH, "program '%s': a view was made of an array whose strides are others now", p->name);
  hed_view v = whole ? base->view : s->view;
  v.data = (char *)base->view.data + s->offset;
  hed_array *y = *out = hed__array_view(base, &v);
  if (!y)
    return hed_error();
  y->weak = base->weak;
  if (!s->stops && y->size == base->size)
    hed__record_same(y, base);
  return HED_OK;
}

static hed_status one(const hed_program *p, const hed__called *s, const hed_array *const *in, hed_array **out)
{
  const hed__reduce_args *a = s->params;
  switch (s->kind) {
  case HED__CALL_ELEMENTWISE: return formula(s, in, out);
  case HED__CALL_REDUCE: return hed__reduce(s->op, in[0], a->order, &a->opt, s->in_place ? *out : NULL, s->in_place ? NULL : out);
  case HED__CALL_VIEW: return view(p, s, in[0], out);
  default: return hed__program_invoke(s, in, out);
  }
}

static bool same_result(const hed_array *y, const hed_array *was)
{
  return y && y->view.dtype == was->view.dtype && hed__shape_equal(y->view.ndim, y->view.dim, was->view.ndim, was->view.dim);
}

hed_status hed__program_call(hed__run_state *r, int32_t at)
{
  const hed__capture *c = &r->p->capture;
  const hed__called *s = c->call[at];
  const hed_context *const current = r->t->current;
  hed_context *made = NULL;
  if (s->kind == HED__CALL_FUSE)
    return hed_fuse_begin(&r->fused[r->depth++]);
  if (s->kind == HED__CALL_UNFUSE)
    return hed_fuse_end(&r->fused[--r->depth]);
  for (int32_t k = 0; k < s->n_in; k++)
    r->in[k] = s->value[k] < 0 ? NULL : r->slot[s->value[k]];
  for (int32_t j = 0; j < s->n_out; j++)
    r->out[j] = s->in_place && s->value[s->n_in + j] >= 0 ? r->slot[s->value[s->n_in + j]] : NULL;
  const hed_context *const now = context_of(r->p, s, &made);
  if (!now)
    return hed_error();
  if (made)
    r->t->current = made;
  hed_status status = one(r->p, s, r->in, r->out);
  r->t->current = current;
  hed_context_release(made);
  for (int32_t j = 0; j < s->n_out && status == HED_OK && !s->in_place; j++) {
    const int32_t v = s->value[s->n_in + j];
    hed_array *y = r->out[j];
    bool operand = false; /* it is one, with another reference */
    for (int32_t k = 0; k < s->n_in; k++)
      operand = operand || (y && y == r->in[k]);
    if (!operand)
      hed_keep(y);
    if (v < 0 || r->slot[v])
      hed_release(y);
    else
      r->slot[v] = y;
    if (v >= 0 && !same_result(y, c->value[v].array)) {
      char text[2][HED__SHAPE_TEXT];
      const hed_view *was = &c->value[v].array->view;
      status = hed_fail(HED_E_PROGRAM, "program '%s': call %d, %s, has made an array of shape %s, before it was %s", r->p->name, at,
                        hed_op_name(s->op), y ? hed__shape_text(y->view.ndim, y->view.dim, text[0], HED__SHAPE_TEXT) : "none",
                        hed__shape_text(was->ndim, was->dim, text[1], HED__SHAPE_TEXT));
    }
  }
  return status;
}

void hed__program_let_go(hed__run_state *r, int32_t v)
{
  if (r->p->capture.value[v].kind == HED__VALUE_MADE) {
    hed_release(r->slot[v]);
    r->slot[v] = NULL;
  }
}

static hed_status calls(hed__run_state *r)
{
  const hed__capture *c = &r->p->capture;
  hed_status status = HED_OK;
  for (int32_t s = 0; s < c->n_calls && status == HED_OK; s++) {
    const hed__called *q = c->call[s];
    status = hed__program_call(r, s);
    for (int32_t k = 0; k < q->n_in + q->n_out; k++)
      if (q->value[k] >= 0 && r->p->last[q->value[k]] == s)
        hed__program_let_go(r, q->value[k]);
  }
  while (r->depth > 0)
    hed_fuse_end(&r->fused[--r->depth]);
  return status;
}

/* Is result J what no call makes, or an earlier result too?  Then a run gives it by a handle of its own. */
static bool is_shared(const hed_program *p, int32_t j)
{
  bool shared = p->capture.value[p->result[j]].kind != HED__VALUE_MADE;
  for (int32_t i = 0; i < j; i++)
    shared = shared || p->result[i] == p->result[j];
  return shared;
}

hed_status hed__program_results(const hed__run_state *r, hed_array **y, hed_array *const *into)
{
  const hed_program *p = r->p;
  for (int32_t j = 0; j < p->m; j++) {
    hed_array *x = r->slot[p->result[j]];
    const bool shared = is_shared(p, j);
    if (into && into[j] == x)
      continue;
    if (shared && !hed__given(x, p->name, "x"))
      return hed_error();
    if (!(y[j] = shared ? alias(x) : hed_retain(x)))
      return hed_error();
  }
  return HED_OK;
}

void hed__program_sizes(const hed_program *p, int32_t *in, int32_t *out, int32_t *scopes)
{
  *in = *out = *scopes = 1;
  for (int32_t s = 0; s < p->capture.n_calls; s++) {
    const hed__called *q = p->capture.call[s];
    *in = q->n_in > *in ? q->n_in : *in;
    *out = q->n_out > *out ? q->n_out : *out;
    *scopes += q->kind == HED__CALL_FUSE;
  }
}

static hed_status by_calls(hed_program *p, hed__tls *t, const hed_array *const *x, hed_array **y)
{
  const hed__capture *c = &p->capture;
  int32_t most_in, most_out, deep;
  hed__program_sizes(p, &most_in, &most_out, &deep);
  hed__run_state r = { .p = p, .t = t };
  hed_scope scope;
  r.slot = hed__calloc((size_t)(c->n_values + most_in + most_out + 1), sizeof *r.slot);
  r.fused = hed__calloc((size_t)deep, sizeof *r.fused);
  hed_status status = r.slot && r.fused ? hed_scope_begin(&scope)
                                        : hed_fail(HED_E_NOMEM, "program '%s': no memory for a run", p->name);
  if (status == HED_OK) {
    r.in = (const hed_array **)(r.slot + c->n_values);
    r.out = r.slot + c->n_values + most_in;
    for (int32_t v = 0; v < c->n_values; v++)
      r.slot[v] = c->value[v].kind == HED__VALUE_INPUT  ? (hed_array *)(uintptr_t)x[v]
                  : c->value[v].kind == HED__VALUE_MADE ? NULL
                                                        : c->value[v].array;
    status = calls(&r);
    if (status == HED_OK)
      status = hed__program_results(&r, y, NULL);
    for (int32_t v = 0; v < c->n_values; v++)
      hed__program_let_go(&r, v);
    hed_scope_end(&scope);
  }
  hed__free(r.slot);
  hed__free(r.fused);
  return status;
}

/* The first run, by the function. */
static hed_status by_function(hed_program *p, hed__tls *t, const hed_array *const *x, hed_array **y)
{
  hed__capture c = { .name = p->name };
  hed_array **own = hed__calloc((size_t)p->n + 1, sizeof *own);
  hed_status status = own ? HED_OK : hed_fail(HED_E_NOMEM, "program '%s': no memory for a run", p->name);
  for (int k = 0; k < p->n && status == HED_OK; k++)
    status = (own[k] = alias(x[k])) ? HED_OK : hed_error();
  const hed__scope_mark mark = hed__scope_now(t);
  if (status == HED_OK)
    status = capture(p, &c, t, p->check, p->check_arg, own, y);
  if (status == HED_OK)
    status = hed__program_compare(p, &c);
  for (int j = p->m; j-- > 0 && status == HED_OK;) { /* the last first: what is given twice stays the scope's until its first */
    hed_array *given = y[j];
    if (!is_shared(p, j)) {
      if (hed__scope_has(t, mark, given))
        hed_keep(given);
      continue;
    }
    const bool owned = !hed__scope_has(t, mark, given) || hed__refs(given) > 1;
    y[j] = hed__given(given, p->name, "x") ? alias(given) : NULL;
    if (owned)
      hed_release(given);
    status = y[j] ? HED_OK : hed_error();
  }
  for (int k = 0; own && k < p->n; k++)
    hed_release(own[k]);
  hed__free(own);
  capture_free(&c);
  if (status != HED_OK)
    hed__scope_refuse(t, mark, p->m, y);
  return status;
}

/* Other threads wait; the one that is in a run already would wait for itself. */
static hed_status enter(hed_program *p, const hed__tls *t)
{
  if (atomic_load_explicit(&p->holder, memory_order_relaxed) == t)
    return hed_fail(HED_E_PROGRAM, "program '%s' is run by the function that it is made of", p->name);
  pthread_mutex_lock(&p->lock);
  atomic_store_explicit(&p->holder, t, memory_order_relaxed);
  return HED_OK;
}

static void leave(hed_program *p)
{
  atomic_store_explicit(&p->holder, NULL, memory_order_relaxed);
  pthread_mutex_unlock(&p->lock);
}

hed_status hed__program_run(hed_program *p, int n, const hed_array *const *x, int m, hed_array **y, hed_array *const *into)
{
  hed__tls *t = hed__tls_get();
  bool same;
  if (!p)
    return hed_fail(HED_E_INVAL, "program_run: p is NULL");
  for (int j = 0; y && j < m; j++)
    y[j] = NULL;
  if (!t)
    return hed_error();
  hed_status status = hed__program_check(p, n, x, m, y, &same);
  if (status == HED_OK && p->written)
    status = check_written(p, x);
  if (status != HED_OK)
    return status;
  const bool checks = atomic_load_explicit(&p->checks, memory_order_acquire), alone = p->writes || checks;
  if (alone && (status = enter(p, t)) != HED_OK)
    return status;
  atomic_fetch_add_explicit(&p->runs, 1, memory_order_relaxed);
  if (checks && p->check && !(t->watch & HED__WATCH_CAPTURE)) {
    status = by_function(p, t, x, y);
    if (status == HED_OK)
      p->check = NULL;
    atomic_store_explicit(&p->checks, p->check != NULL, memory_order_release);
  } else if (same && !t->watch && p->plan.n_kernels) {
    status = hed__program_run_lowered(p, t, x, y, into);
  } else {
    atomic_fetch_add_explicit(&p->called, 1, memory_order_relaxed);
    status = by_calls(p, t, x, y);
  }
  if (alone)
    leave(p);
  for (int j = 0; j < m && status != HED_OK; j++) {
    hed_release(y[j]);
    y[j] = NULL;
  }
  return status;
}

hed_status hed_program_run(hed_program *p, int n, const hed_array *const *x, int m, hed_array **y)
{
  hed_status status = hed__program_run(p, n, x, m, y, NULL);
  for (int j = 0; j < m && status == HED_OK; j++)
    if (!hed__scope_add(y[j]))
      status = hed_fail(HED_E_NOMEM, "program '%s': no memory in the scope", p->name);
  for (int j = 0; j < m && status != HED_OK && y; j++) {
    hed_release(y[j]);
    y[j] = NULL;
  }
  return status;
}
