// SPDX-License-Identifier: BSD-3-Clause
/* Calls that were one launch, as that launch: prepared once, with addresses to be filled in, intermediate results in one block. L3.
 *
 * A value needs an array of its own where a call takes it, or it is a result; all else lies in the block, where it may take the
 * place of what nobody reads any more. Views have no step where kernels alone look through them. A run borrows a frame: the calls
 * as kernels get them, and the block. */
#include "api/call/box.h"
#include "base/alloc.h"
#include "base/formulas/formulas.h"
#include "base/shape.h"
#include "core/context/context.h"
#include "core/dispatch/fallback.h"
#include "core/ops/op_rows.h"
#include "program/program.h"
#include <string.h>

enum { ALIGN = 64 };

/* ---- what is lowered ---- */

static bool is_float(int id) { return hed__id_kind(id) >= HED_KIND_FLOAT; }

/* Can S run as its launch? Numbers that change are converted between floats alone: integers may not fit. */
static bool is_kernel(const hed__capture *c, const hed__called *s)
{
  const hed__launched *l = s->launched;
  if (!l || !l->device->row[l->op].fn || (s->kind == HED__CALL_ELEMENTWISE && l->op != s->op))
    return false;
  for (int32_t k = 0; k < l->n_in; k++) {
    const hed__captured *v = &c->value[l->in[k]];
    if (!l->number[k] || v->kind == HED__VALUE_NUMBER)
      continue;
    for (int32_t i = 0; i < l->n_in; i++)
      if (!is_float(c->value[l->in[i]].array->view.dtype))
        return false;
    if (!is_float(l->view[k].dtype))
      return false;
  }
  return true;
}

/* The operand that the result of S is a view of; -1. */
static int32_t viewed(const hed__capture *c, const hed__called *s)
{
  if (s->n_out != 1 || s->in_place || s->value[s->n_in] < 0 || s->launched)
    return -1;
  const hed_array *y = c->value[s->value[s->n_in]].array;
  for (int32_t k = 0; k < s->n_in; k++)
    if (s->value[k] >= 0 && c->value[s->value[k]].array->storage == y->storage && y->storage->device->host)
      return k;
  return -1;
}

/* hed_call.flat */
static int64_t flatness(const hed__called *s, const hed__launched *l)
{
  const hed_view *out = &l->view[l->n_in];
  const int32_t first = l->n_in == 3 ? hed__formula_first(l->op) : -1;
  if (s->kind == HED__CALL_REDUCE) {
    const hed_reduce_params *p = l->params;
    return p->axes == (1u << l->view[0].ndim) - 1 && hed__is_c_contiguous(&l->view[0]) && l->view[0].dtype == l->compute &&
                   out->dtype == l->compute ? hed__view_size(&l->view[0]) : 0;
  }
  if (s->kind != HED__CALL_ELEMENTWISE || !hed__is_c_contiguous(out) || (s->in_place && out->dtype != l->compute))
    return 0;
  for (int32_t k = 0; k < l->n_in; k++)
    if (l->number[k] || !hed__is_c_contiguous(&l->view[k]) || hed__view_size(&l->view[k]) != hed__view_size(out) ||
        l->view[k].dtype != (k == 0 && first >= 0 ? first : l->compute))
      return 0;
  return hed__view_size(out);
}

/* ---- places ---- */

static int64_t bytes_of(const hed__capture *c, int32_t v)
{
  return ((int64_t)hed__nbytes(c->value[v].array) + ALIGN - 1) & ~(int64_t)(ALIGN - 1);
}

/* Roots in the block, by size; each as low as those allow that are there at the same time. */
static void arrange(const hed__capture *c, hed__place *at, int32_t *order, int32_t n, size_t *block)
{
  for (int32_t i = 1; i < n; i++)
    for (int32_t k = i; k > 0 && bytes_of(c, order[k]) > bytes_of(c, order[k - 1]); k--) {
      const int32_t v = order[k];
      order[k] = order[k - 1];
      order[k - 1] = v;
    }
  for (int32_t i = 0; i < n; i++) {
    hed__place *p = &at[order[i]];
    const int64_t size = bytes_of(c, order[i]);
    bool moved = true;
    p->at = 0;
    while (moved) {
      moved = false;
      for (int32_t k = 0; k < i; k++) {
        const hed__place *q = &at[order[k]];
        if (q->first <= p->last && p->first <= q->last && q->at < p->at + size && p->at < q->at + bytes_of(c, order[k])) {
          p->at = q->at + bytes_of(c, order[k]);
          moved = true;
        }
      }
    }
    if ((size_t)(p->at + size) > *block)
      *block = (size_t)(p->at + size);
  }
}

static int32_t holder(const hed__place *at, int32_t v)
{
  while (at[v].same != v)
    v = at[v].same;
  return v;
}

/* The result of the kernel at call S takes over an operand that ends there, when the kernel goes through both alike. */
static void take_over(const hed__capture *c, hed__place *at, int32_t s)
{
  const hed__called *q = c->call[s];
  const hed__launched *l = q->launched;
  const int32_t y = q->value[q->n_in];
  if (!flatness(q, l) || q->in_place || at[y].handle || at[y].root != y || (at[y].group && !at[y].inside))
    return;
  for (int32_t k = 0; k < l->n_in; k++) {
    const int32_t root = at[l->in[k]].root, has = holder(at, root);
    if (c->value[root].kind == HED__VALUE_MADE && !at[root].handle && at[has].first >= 0 && at[has].last == s &&
        at[l->in[k]].offset + l->offset[k] == 0 && l->view[k].dtype == l->view[l->n_in].dtype &&
        hed__nbytes(c->value[root].array) == hed__nbytes(c->value[y].array)) {
      at[y].same = has;
      at[has].last = at[y].last;
      return;
    }
  }
}

static hed__at where(const hed__capture *c, const hed__place *at, int32_t v, int64_t offset)
{
  const int32_t root = at[v].root;
  offset += at[v].offset;
  if (c->value[root].kind == HED__VALUE_MADE && !at[root].handle)
    return (hed__at){ HED__IN_BLOCK, root, at[holder(at, root)].at + offset };
  return (hed__at){ HED__IN_SLOT, root, offset };
}

static hed__lowered kernel(const hed__capture *c, const hed__place *at, int32_t call)
{
  const hed__called *s = c->call[call];
  const hed__launched *l = s->launched;
  const int32_t y = s->value[s->n_in];
  hed__lowered w = { .call = call, .kernel = true, .l = l, .makes = -1, .flat = flatness(s, l), .result = y,
                     .inside = at[y].inside, .pass = at[y].group == call + 1 ? at[y].steps : 0 };
  for (int32_t k = 0; k < l->n_in; k++)
    w.at[k] = !l->number[k]                                     ? where(c, at, l->in[k], l->offset[k])
              : c->value[l->in[k]].kind == HED__VALUE_NUMBER ? (hed__at){ HED__A_NUMBER, l->in[k], 0 }
                                                             : (hed__at){ HED__CONVERTED, l->in[k], 0 };
  w.at[l->n_in] = where(c, at, y, 0);
  if (w.at[l->n_in].where == HED__IN_SLOT && !s->in_place)
    w.makes = y;
  return w;
}

/* Which calls stay, which values need arrays: from the last call back. */
static int32_t choose(const hed_program *p, hed__place *at, int8_t *kind)
{
  const hed__capture *c = &p->capture;
  int32_t kernels = 0, depth = 0;
  for (int32_t s = 0; s < c->n_calls; s++) {
    const hed__called *q = c->call[s];
    depth += q->kind == HED__CALL_FUSE ? 1 : q->kind == HED__CALL_UNFUSE ? -1 : 0;
    const int32_t of = depth ? -1 : viewed(c, q);
    kind[s] = depth == 0 && is_kernel(c, q) ? HED__BY_KERNEL : of >= 0 ? HED__BY_NOTHING : HED__BY_CALL;
    if (of >= 0) {
      hed__place *v = &at[q->value[q->n_in]], *base = &at[q->value[of]];
      v->root = base->root;
      v->offset = base->offset + ((char *)c->value[q->value[q->n_in]].array->view.data -
                                  (char *)c->value[q->value[of]].array->view.data);
    }
  }
  for (int j = 0; j < p->m; j++)
    at[p->result[j]].handle = true;
  for (int32_t s = c->n_calls - 1; s >= 0; s--) {
    const hed__called *q = c->call[s];
    if (kind[s] == HED__BY_NOTHING && at[q->value[q->n_in]].handle)
      kind[s] = HED__BY_CALL;
    for (int32_t k = 0; k < q->n_in + q->n_out && kind[s] == HED__BY_CALL; k++)
      if (q->value[k] >= 0)
        at[q->value[k]].handle = true;
    kernels += kind[s] == HED__BY_KERNEL;
  }
  for (int32_t v = 0; v < c->n_values; v++) /* what a view with a handle looks at */
    if (at[v].handle)
      at[at[v].root].handle = true;
  return kernels;
}

static bool plan(hed_program *p, hed__place *at, int8_t *kind, int32_t *order)
{
  const hed__capture *c = &p->capture;
  hed__plan_of *plan = &p->plan;
  int32_t n = 0, frees = 0;
  for (int32_t v = 0; v < c->n_values; v++)
    at[v] = (hed__place){ .root = v, .first = -1, .last = -1, .same = v };
  if ((plan->n_kernels = choose(p, at, kind)) == 0)
    return true;
  for (int32_t s = 0; s < c->n_calls; s++)
    for (int32_t k = 0; k < c->call[s]->n_in + c->call[s]->n_out; k++)
      if (c->call[s]->value[k] >= 0 && kind[s] != HED__BY_NOTHING) {
        hed__place *r = &at[at[c->call[s]->value[k]].root];
        r->first = r->first < 0 ? s : r->first;
        r->last = s;
      }
  hed__program_groups(c, at, kind);
  for (int32_t s = 0; s < c->n_calls; s++)
    if (kind[s] == HED__BY_KERNEL)
      take_over(c, at, s);
  for (int32_t v = 0; v < c->n_values; v++)
    if (c->value[v].kind == HED__VALUE_MADE && at[v].root == v && at[v].same == v && !at[v].handle && at[v].first >= 0)
      order[n++] = v;
  arrange(c, at, order, n, &plan->block);
  if (!(plan->step = hed__calloc((size_t)c->n_calls + 1, sizeof *plan->step)) ||
      !(plan->free = hed__calloc(2 * (size_t)c->n_values + 1, sizeof *plan->free)))
    return false;
  plan->made = plan->free + c->n_values;
  for (int32_t v = 0; v < c->n_values; v++)
    if (c->value[v].kind == HED__VALUE_MADE && at[v].handle)
      plan->made[plan->n_made++] = v;
  for (int32_t s = 0; s < c->n_calls; s++) {
    if (kind[s] == HED__BY_NOTHING)
      continue;
    hed__lowered *w = &plan->step[plan->n_steps++];
    *w = kind[s] == HED__BY_KERNEL ? kernel(c, at, s) : (hed__lowered){ .call = s };
    plan->calls = plan->calls || !w->kernel;
    plan->n_passes += w->pass > 0;
    w->frees = frees;
    for (int32_t v = 0; v < c->n_values; v++) /* a root stays for the kernels that look at it */
      if (c->value[v].kind == HED__VALUE_MADE && at[v].handle &&
          (p->last[v] > at[v].last ? p->last[v] : at[v].last) == s && p->last[v] < c->n_calls)
        plan->free[frees++] = v;
    w->n_frees = frees - w->frees;
  }
  return true;
}

hed_status hed__program_lower(hed_program *p)
{
  const size_t n = (size_t)p->capture.n_values + 1;
  hed__place *at = hed__calloc(n, sizeof *at);
  int8_t *kind = hed__calloc((size_t)p->capture.n_calls + 1, 1);
  int32_t *order = hed__calloc(n, sizeof *order);
  const bool good = at && kind && order && plan(p, at, kind, order);
  hed__free(at);
  hed__free(order);
  p->plan.kind = kind;
  return good ? HED_OK : HED_E_NOMEM;
}

/* ---- runs ---- */

/* A kernel's call, with the addresses of the frame's block; those in memory of values are filled in at each run. */
typedef struct prepared {
  hed_op_fn fn;
  void *state;
  int32_t n_fill, makes;     /* value whose array is made for the result; -1 */
  bool converts, writes;
  struct { int32_t value; int64_t offset; void **data; } fill[4];
  hed_call call;
  const hed_view *in[3], *out[1];
  hed_view view[4];
  _Alignas(16) unsigned char cell[3][16];
} prepared;

typedef struct hed__program_frame {
  hed_array *block;
  prepared *kernel;
  hed__pass **pass;
  int32_t threads;
  hed_array **slot;          /* values, then room for operands and results */
  hed_fuse_scope *fused;
  int32_t most_in;
} hed__program_frame;

void hed__program_frame_free(hed__program_frame *f)
{
  if (!f)
    return;
  hed_release(f->block);
  for (hed__pass **p = f->pass; p && *p; p++)
    hed__free(*p);
  hed__free(f->pass);
  hed__free(f->kernel);
  hed__free(f->slot);
  hed__free(f->fused);
  hed__free(f);
}

static bool prepare(const hed_program *p, hed__program_frame *f)
{
  const hed__capture *c = &p->capture;
  prepared *q = f->kernel;
  hed__pass **pass = f->pass;
  for (int32_t v = 0; v < c->n_values; v++)
    f->slot[v] = c->value[v].kind == HED__VALUE_CONSTANT || c->value[v].kind == HED__VALUE_NUMBER ? c->value[v].array : NULL;
  for (int32_t s = 0; s < p->plan.n_steps; s++) {
    const hed__lowered *w = &p->plan.step[s];
    const hed__launched *l = w->l;
    if (!w->kernel)
      continue;
    if (w->pass && !(*pass++ = hed__pass_new(w, w->pass, f->block->view.data)))
      return false;
    memcpy(q->view, l->view, sizeof q->view);
    memcpy(q->cell, l->cell, sizeof q->cell);
    for (int32_t k = 0; k <= l->n_in; k++) {
      if (k < l->n_in)
        q->in[k] = &q->view[k];
      switch (w->at[k].where) {
      case HED__IN_BLOCK: q->view[k].data = (char *)f->block->view.data + w->at[k].offset; break;
      case HED__IN_SLOT:
        q->fill[q->n_fill].value = w->at[k].value;
        q->fill[q->n_fill].offset = w->at[k].offset;
        q->fill[q->n_fill++].data = &q->view[k].data;
        break;
      case HED__CONVERTED: q->converts = true; /* fall through */
      case HED__A_NUMBER: q->view[k].data = q->cell[k]; break;
      }
    }
    q->fn = l->device->row[l->op].fn;
    q->state = l->device->state;
    q->makes = w->makes;
    q->writes = w->makes < 0 && w->at[l->n_in].where == HED__IN_SLOT;
    q->out[0] = &q->view[l->n_in];
    q->call = (hed_call){ .struct_size = sizeof q->call, .op = l->device->row[l->op].number, .n_in = l->n_in, .n_out = 1, .in = q->in,
                          .out = q->out, .params = l->params, .compute = l->compute, .max_threads = 1, .flat = w->flat };
    q++;
  }
  return true;
}

static hed__program_frame *borrow(hed_program *p)
{
  hed__program_frame *f = atomic_exchange_explicit(&p->frame, NULL, memory_order_acquire);
  int32_t most_in, most_out, scopes;
  if (f)
    return f;
  hed__program_sizes(p, &most_in, &most_out, &scopes);
  f = hed__calloc(1, sizeof *f);
  const int64_t bytes = (int64_t)p->plan.block;
  if (f) {
    f->threads = 1;
    f->most_in = most_in;
    f->kernel = hed__calloc((size_t)p->plan.n_kernels, sizeof *f->kernel);
    f->pass = hed__calloc((size_t)p->plan.n_passes + 1, sizeof *f->pass);
    f->slot = hed__calloc((size_t)(p->capture.n_values + most_in + most_out + 1), sizeof *f->slot);
    f->fused = hed__calloc((size_t)scopes, sizeof *f->fused);
    f->block = hed_keep(hed__array_new(hed__reference(), HED_ID_UINT8, 1, &bytes));
    if (!f->block) { /* with the numbers of what was lacking */
      hed__program_frame_free(f);
      return NULL;
    }
  }
  if (!f || !f->kernel || !f->pass || !f->slot || !f->fused || !prepare(p, f)) {
    hed_fail(HED_E_NOMEM, "program '%s': no memory for a run", p->name);
    hed__program_frame_free(f);
    return NULL;
  }
  return f;
}

static void give_back(hed_program *p, hed__program_frame *f)
{
  hed__program_frame *none = NULL;
  if (!atomic_compare_exchange_strong_explicit(&p->frame, &none, f, memory_order_acq_rel, memory_order_relaxed))
    hed__program_frame_free(f);
}

/* The kernel leaves the call to others. */
static __attribute__((noinline)) hed_status others(const hed__launched *l, const hed_call *call)
{
  const hed_context *context = hed__context();
  const hed__exec ex = { .context = context, .device = l->device, .op = l->op };
  const hed__device *by = NULL;
  hed_call host = *call;
  hed__operands none;
  if (!context)
    return hed_error();
  hed_error_clear();
  host.op = l->op;
  return (hed_status)hed__run_fallback(&ex, NULL, &host, &none, NULL, &by);
}

static __attribute__((noinline)) void convert(const hed__run_state *r, const hed__lowered *w, prepared *q)
{
  for (int32_t k = 0; k < w->l->n_in; k++)
    if (w->at[k].where == HED__CONVERTED) {
      hed__box box;
      const hed_array *number = hed__box_cast(&box, r->slot[w->at[k].value], w->l->view[k].dtype);
      memcpy(q->cell[k], number->view.data, (size_t)hed__id_size(w->l->view[k].dtype));
    }
}

/* Memory for the result of Q, where it is none of the block's. */
static inline bool make(hed__run_state *r, const hed__lowered *w, const prepared *q, struct hed__account *account)
{
  if (q->makes < 0 || r->slot[q->makes])
    return true;
  const hed_array *like = r->p->capture.value[q->makes].array;
  return (r->slot[q->makes] = hed_keep(hed__array_like(w->l->device, account, like->view.dtype, like))) != NULL;
}

static inline hed_status launch(hed__run_state *r, const hed__lowered *w, prepared *q, struct hed__account *account)
{
  hed_array **slot = r->slot;
  if (!make(r, w, q, account))
    return hed_error();
  for (int32_t k = 0; k < q->n_fill; k++)
    *q->fill[k].data = (char *)slot[q->fill[k].value]->view.data + q->fill[k].offset;
  if (__builtin_expect(q->converts, 0))
    convert(r, w, q);
  if (__builtin_expect(q->writes, 0))
    hed__count_write(slot[w->at[w->l->n_in].value]->storage, w->l->op);
  hed_status status = (hed_status)q->fn(q->state, &q->call);
  if (__builtin_expect(status == HED_E_UNSUPPORTED, 0))
    status = others(w->l, &q->call);
  if (__builtin_expect(status == HED_E_NOMEM, 0) && hed_error() == HED_E_LIMIT)
    status = HED_E_LIMIT;
  return status;
}

/* The pass that begins with W, whose kernels would be from Q on. */
static hed_status pass(hed__run_state *r, const hed__lowered *w, const prepared *q, hed__pass *p, struct hed__account *account)
{
  for (int32_t k = 0; k < w->pass; k++)
    if (!w[k].inside && !make(r, &w[k], &q[k], account))
      return hed_error();
  return hed__pass_run(p, r->slot, q->call.max_threads);
}

static hed_status steps(hed__run_state *r, hed__program_frame *f, const hed_context *context)
{
  const hed__plan_of *plan = &r->p->plan;
  prepared *q = f->kernel;
  hed__pass **p = f->pass;
  hed_status status = HED_OK;
  for (int32_t s = 0; s < plan->n_steps && status == HED_OK; s++) {
    const hed__lowered *w = &plan->step[s];
    int32_t n = 1;
    if (w->pass && (status = pass(r, w, q, *p++, context->account)) == HED_OK) {
      n = w->pass;
      q += n;
    } else if (status == HED_OK || status == HED_E_UNSUPPORTED) {
      status = w->kernel ? launch(r, w, q++, context->account) : hed__program_call(r, w->call);
    }
    for (int32_t k = 0; k < n; k++)
      for (int32_t i = 0; i < w[k].n_frees; i++)
        hed__program_let_go(r, plan->free[w[k].frees + i]);
    s += n - 1;
  }
  atomic_store_explicit(&r->t->count[HED__COUNT_CALLS],
                        atomic_load_explicit(&r->t->count[HED__COUNT_CALLS], memory_order_relaxed) + (uint64_t)(q - f->kernel),
                        memory_order_relaxed);
  while (r->depth > 0)
    hed_fuse_end(&r->fused[--r->depth]);
  return status;
}

/* Results that a kernel makes go to INTO[J]. */
static void direct(const hed_program *p, hed_array **slot, hed_array *const *into)
{
  for (int32_t s = 0; s < p->plan.n_steps; s++)
    for (int32_t j = 0; j < p->m && p->plan.step[s].kernel; j++) {
      const int32_t v = p->plan.step[s].makes;
      if (v < 0 || v != p->result[j] || !into[j] || slot[v])
        continue;
      slot[v] = into[j];
      hed__count_write(into[j]->storage, p->plan.step[s].l->op);
    }
}

hed_status hed__program_run_lowered(hed_program *p, hed__tls *t, const hed_array *const *x, hed_array **y, hed_array *const *into)
{
  const hed_context *context = hed__context();
  hed__program_frame *f = context ? borrow(p) : NULL;
  if (!f)
    return hed_error();
  const int32_t threads = hed__thread_ceiling(context);
  if (f->threads != threads) {
    f->threads = threads;
    for (int32_t k = 0; k < p->plan.n_kernels; k++)
      f->kernel[k].call.max_threads = threads;
  }
  hed__run_state r = { .p = p, .t = t, .slot = f->slot, .in = (const hed_array **)(f->slot + p->capture.n_values),
                       .out = f->slot + p->capture.n_values + f->most_in, .fused = f->fused };
  for (int k = 0; k < p->n; k++)
    f->slot[k] = (hed_array *)(uintptr_t)x[k];
  if (into)
    direct(p, f->slot, into);
  hed_scope scope = { 0, NULL };
  hed_status status = p->plan.calls ? hed_scope_begin(&scope) : HED_OK;
  if (status == HED_OK)
    status = steps(&r, f, context);
  if (status == HED_OK)
    status = hed__program_results(&r, y, into);
  for (int32_t j = 0; into && j < p->m; j++) { /* the caller's */
    if (into[j] && f->slot[p->result[j]] == into[j]) {
      f->slot[p->result[j]] = NULL;
      y[j] = status == HED_OK ? into[j] : NULL;
    }
  }
  for (int32_t k = 0; k < p->plan.n_made; k++)
    hed__program_let_go(&r, p->plan.made[k]);
  if (p->plan.calls)
    hed_scope_end(&scope);
  give_back(p, f);
  return status;
}
