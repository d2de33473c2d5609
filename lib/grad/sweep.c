// SPDX-License-Identifier: BSD-3-Clause
/* From cotangents of results to those of variables: one loop back over the steps of a recording. L3.
 *
 * The order of steps and of additions is the recording's, so that the bits do not depend on the number of threads. Elementwise
 * steps and what is computed again are fused where the context fuses. A cotangent may have the shape of one that broadcasts to
 * its entry's; it is made whole for whoever needs that.
 */
#include "api/call/box.h"
#include "api/elementwise/elementwise.h"
#include "api/reduce/reduce.h"
#include "base/alloc.h"
#include "base/formulas/formulas.h"
#include "base/shape.h"
#include "core/array/scope.h"
#include "core/ops/op_rows.h"
#include "grad/back.h"
#include <heddle/context.h>
#include <heddle/fuse.h>
#include <string.h>

typedef struct sweep {
  const char *name;
  hed__tls *t;
  hed__tape *tape;
  hed__back back;
  hed__box *box;             /* of weak operands of the step */
  bool keep, record;
} sweep;

hed_array hed__nothing;

static const char *reader(const hed__step *s)
{
  return s->form == HED__FORM_CUSTOM ? ((const hed__custom *)s->args)->name : hed_op_name(s->op);
}

/* ---- values that steps have saved ---- */

static hed_status overwritten(const sweep *w, const hed__step *s, bool result, int writer)
{
  return hed_fail(HED_E_GRADIENT, "%s: '%s' needs its %s, which '%s' has overwritten since", w->name, reader(s),
                  result ? "result" : "operand", hed_op_name(writer));
}

static hed_status released(const sweep *w, const hed__step *s)
{
  return hed_fail(HED_E_GRADIENT, "%s: what '%s' had saved was released by an earlier gradient; its option keep keeps it", w->name,
                  reader(s));
}

/* What slot K of S has saved, or the array that was computed again; NULL: nothing was saved. */
static hed_status saved(sweep *w, const hed__step *s, int32_t k, hed__box *box, const hed_array **out)
{
  const hed__slot *slot = &s->slot[k];
  *out = NULL;
  switch (slot->kind) {
  case HED__SLOT_ARRAY:
    if (atomic_load_explicit(&slot->array->storage->version, memory_order_relaxed) != slot->version)
      return overwritten(w, s, k >= s->n_in, atomic_load_explicit(&slot->array->storage->writer, memory_order_relaxed));
    *out = slot->array;
    return HED_OK;
  case HED__SLOT_VALUE:
    *out = hed__box_new(box, slot->value->dtype);
    memcpy(&box->value, slot->value->bytes, sizeof slot->value->bytes);
    return HED_OK;
  case HED__SLOT_AGAIN:
    *out = w->tape->entry[slot->entry]->value;
    return HED_OK;
  case HED__SLOT_GONE:
    return overwritten(w, s, k >= s->n_in, s->op);
  default:
    return HED_OK;
  }
}

/* S, elementwise or a reduction, once more. */
static hed_status replay(sweep *w, const hed__step *s)
{
  hed__elementwise e = { .op = s->op, .n = s->n_in, .first = hed__formula_first(s->op) >= 0, .arg = { "a", "b", "c" },
                         .params = s->args };
  hed_array *made = NULL;
  hed__box box[HED__MAX_ELEMENTWISE];
  if (s->spent)
    return released(w, s);
  for (int32_t k = 0; k < s->n_in; k++) {
    const hed_status status = saved(w, s, k, &box[k], &e.in[k]);
    if (status != HED_OK)
      return status;
  }
  if (strcmp(hed__op_rows[s->op].family, "reduce") == 0 || s->op == HED_OP_VECTOR_NORM) {
    const hed__reduce_args *a = s->args;
    (void)hed__reduce(s->op, e.in[0], a->order, &a->opt, NULL, &made);
  } else {
    made = hed__elementwise_new(&e);
  }
  hed__entry *entry = w->tape->entry[s->slot[s->n_in].entry];
  entry->value = hed_keep(made);
  if (made) {
    made->tape = w->tape->serial;
    made->entry = s->slot[s->n_in].entry;
  }
  return hed__made(made);
}

static void want(sweep *w, const hed__slot *slot, int64_t *wants)
{
  hed__entry *e = slot->kind == HED__SLOT_AGAIN ? w->tape->entry[slot->entry] : NULL;
  if (e && !e->wanted && !e->value) {
    e->wanted = true;
    ++*wants;
  }
}

/* What the rule of step AT reads and was pending is computed again, with what it is made of: back to the steps that made it, and
 * forward through them. */
static hed_status again(sweep *w, int64_t at)
{
  hed__tape *tape = w->tape;
  int64_t wants = 0, first = at;
  uint32_t reads = 0;
  for (int32_t k = 0; k < tape->step[at]->n_in; k++)
    reads |= w->back.wanted[k] ? hed__rule_saves(tape->step[at]->op, k) : 0;
  for (int64_t i = at; i >= 0 && (i == at || wants > 0); i--) {
    const hed__step *s = tape->step[i];
    bool whole = false; /* it is to be done again */
    for (int32_t j = 0; j < s->n_out; j++) {
      const hed__slot *slot = &s->slot[s->n_in + j];
      if (i == at && reads & (uint32_t)HED__SAVE_OUT << j)
        want(w, slot, &wants);
      if (slot->entry && tape->entry[slot->entry]->wanted) {
        whole = true;
        wants--;
      }
    }
    for (int32_t k = 0; k < s->n_in; k++)
      if (whole || (i == at && reads >> k & 1u))
        want(w, &s->slot[k], &wants);
    first = i;
  }
  hed_status status = HED_OK;
  const uint8_t was = hed__record_hold(w->t);
  for (int64_t i = first; i <= at; i++) {
    const hed__step *s = tape->step[i];
    hed__entry *e = s->replays && s->slot[s->n_in].entry ? tape->entry[s->slot[s->n_in].entry] : NULL;
    if (e && e->wanted && status == HED_OK)
      status = replay(w, s);
    if (e)
      e->wanted = false;
  }
  hed__record_resume(w->t, was);
  return status;
}

/* ---- cotangents on their way ---- */

static bool has_shape(const hed_array *x, const hed__entry *e)
{
  return hed__shape_equal(x->view.ndim, x->view.dim, e->ndim, e->dim);
}

hed_array *hed__whole(const hed_array *g, const hed__entry *e)
{
  return has_shape(g, e) ? (hed_array *)(uintptr_t)g : hed_broadcast_to(g, hed__entry_shape(e));
}

hed_array *hed__sum_to(hed_array *d, const hed__entry *e)
{
  hed_reduce leading = { .axes = { .n = 0 } }, inner = { .keepdims = true };
  const int32_t more = d->view.ndim - e->ndim;
  for (int32_t k = 0; k < d->view.ndim; k++)
    if (k < more)
      leading.axes.axis[leading.axes.n++] = k;
    else if (e->dim[k - more] == 1 && d->view.dim[k] != 1)
      inner.axes.axis[inner.axes.n++] = k;
  if (inner.axes.n)
    d = hed_sum(d, &inner);
  return leading.axes.n ? hed_sum(d, &leading) : d;
}

/* D, of the operand E of a step: of an elementwise one with the result RESULT it is summed over the axes that were broadcast, of
 * another (RESULT NULL) it has E's shape, or one that broadcasts to it. Real where E is; E's dtype and space. */
static hed_array *fit(hed_array *d, const hed__entry *e, const hed__entry *result)
{
  if (d && result && !hed__shape_equal(e->ndim, e->dim, result->ndim, result->dim)) {
    d = hed__whole(d, result);
    d = d ? hed__sum_to(d, e) : NULL;
  }
  if (d && !hed__is_complex(e) && hed__id_kind(d->view.dtype) == HED_KIND_COMPLEX)
    d = hed_real(d);
  if (d && d->view.dtype != e->dtype)
    d = hed_astype(d, hed__dtypes[e->dtype]);
  if (d && !hed__is_pending(d) && (e->host ? !d->storage->device->host : d->storage->device->number != e->device))
    d = hed_to(d, e->host ? "reference" : hed__device_numbered(e->device)->name);
  return d;
}

/* Does the innermost scope release X? */
static bool scoped(const sweep *w, const hed_array *x) { return hed__scope_has(w->t, (hed__scope_mark){ NULL, 0 }, x); }

/* X as an array of our own: what the innermost scope would release, or one more reference. */
static hed_array *hold(const sweep *w, hed_array *x) { return scoped(w, x) ? hed_keep(x) : hed_retain(x); }

/* D is added to E's cotangent. */
static hed_status add_to(const sweep *w, hed__entry *e, hed_array *d)
{
  hed_array *sum = d && e->cotangent ? hed_add(e->cotangent, d) : d;
  if (!sum)
    return hed_error();
  hed_release(e->cotangent);
  e->cotangent = hold(w, sum);
  return HED_OK;
}

/* ---- a step ---- */

static hed_status no_rule(const sweep *w, const hed__step *s)
{
  return hed_fail(HED_E_GRADIENT, "%s: '%s' has no rule for its derivative; hed_stop_gradient() makes its operand a constant",
                  w->name, reader(s));
}

static hed_status give(sweep *w, const hed__step *s)
{
  hed__back *b = &w->back;
  const bool elementwise = hed__rule_kind_of(s->op) == HED__RULE_FACTOR;
  hed_status status = hed__back_run(b);
  for (int32_t k = 0; k < s->n_in; k++) {
    hed_array *made = s->form == HED__FORM_CUSTOM && b->d[k] && !scoped(w, b->d[k]) ? b->d[k] : NULL; /* handed over */
    if (status == HED_OK && b->wanted[k] && b->d[k] != &hed__nothing && (elementwise || b->d[k]))
      status = add_to(w, (hed__entry *)(uintptr_t)b->of[k], fit(b->d[k], b->of[k], elementwise ? b->made[0] : NULL));
    hed_release(made);
  }
  return status;
}

/* The rule of S runs in the context of its call. */
static hed_status in_context(sweep *w, const hed__step *s)
{
  hed_context *c = w->tape->context[s->context];
  hed_frame frame;
  hed_scope scope;
  const bool other = c != hed__context();
  hed_status status = other ? hed_context_push(c, &frame) : HED_OK;
  if (status != HED_OK)
    return status;
  if ((status = hed_scope_begin(&scope)) == HED_OK) {
    for (int32_t j = 0; j < s->n_out && status == HED_OK; j++)
      if (w->back.g[j] && hed__rule_kind_of(s->op) != HED__RULE_FACTOR && !has_shape(w->back.g[j], w->back.made[j]))
        status = hed__made(w->back.g[j] = hed__whole(w->back.g[j], w->back.made[j]));
    if (status == HED_OK)
      status = give(w, s);
    hed_scope_end(&scope);
  }
  if (other)
    hed_context_unwind(frame);
  return status;
}

static hed_status pass(sweep *w, int64_t i)
{
  hed__step *s = w->tape->step[i];
  hed__back *b = &w->back;
  bool any = false, reaches = false;
  b->step = s;
  b->n_in = s->n_in;
  b->n_out = s->n_out;
  for (int32_t j = 0; j < s->n_out; j++) {
    const uint32_t e = s->slot[s->n_in + j].entry;
    b->made[j] = e ? w->tape->entry[e] : NULL;
    b->g[j] = e ? w->tape->entry[e]->cotangent : NULL;
    any = any || b->g[j];
  }
  for (int32_t k = 0; k < s->n_in; k++) {
    const uint32_t e = s->slot[k].entry;
    b->of[k] = e ? w->tape->entry[e] : NULL;
    b->d[k] = NULL;
    b->wanted[k] = e && w->tape->entry[e]->reaches;
    reaches = reaches || b->wanted[k];
  }
  if (!any || !reaches)
    return HED_OK;
  if (hed__rule_kind_of(s->op) == HED__RULE_NONE || hed__rule_kind_of(s->op) == HED__RULE_PARTS)
    return no_rule(w, s); /* of PARTS: a part that was not recorded */
  if (s->spent)
    return released(w, s);
  for (int32_t k = 0; k < s->n_in; k++)
    if (b->wanted[k] && s->slot[k].stale)
      return overwritten(w, s, false, s->slot[k].writer);
  hed_status status = again(w, i);
  for (int32_t k = 0; k < s->n_in + s->n_out && status == HED_OK; k++)
    status = saved(w, s, k, &w->box[k], k < s->n_in ? &b->in[k] : &b->out[k - s->n_in]);
  if (status == HED_OK)
    status = in_context(w, s);
  if (status == HED_OK && !w->keep) {
    hed__record_release(s);
    s->spent = true;
  }
  return status;
}

/* ---- all steps ---- */

static void drop(hed_array **x)
{
  hed_release(*x);
  *x = NULL;
}

static bool is_asked(const hed__tape *tape, uint32_t entry, int n, const hed_array *const *x)
{
  for (int k = 0; k < n; k++)
    if (hed__entry_of(tape, x[k]) == entry)
      return true;
  return false;
}

static hed_status steps(sweep *w, int n, const hed_array *const *x)
{
  hed__tape *tape = w->tape;
  hed_status status = HED_OK;
  const int64_t last = (int64_t)tape->n_steps - 1;
  for (int64_t i = 0; i <= last; i++) {
    const hed__step *s = tape->step[i];
    bool reaches = false;
    for (int32_t k = 0; k < s->n_in; k++)
      reaches = reaches || (s->slot[k].entry && tape->entry[s->slot[k].entry]->reaches);
    for (int32_t j = 0; j < s->n_out; j++)
      if (s->slot[s->n_in + j].entry)
        tape->entry[s->slot[s->n_in + j].entry]->reaches |= reaches;
  }
  for (int64_t i = last; i >= 0 && status == HED_OK; i--) {
    status = pass(w, i);
    const hed__step *s = tape->step[i];
    for (int32_t j = 0; j < s->n_out; j++) {
      const uint32_t e = s->slot[s->n_in + j].entry;
      if (e)
        drop(&tape->entry[e]->value);
      if (e && !is_asked(tape, e, n, x))
        drop(&tape->entry[e]->cotangent);
    }
  }
  return status;
}

/* E's cotangent as an array of the caller's alone. */
static hed_array *result_of(const hed__entry *e)
{
  hed_array *c = e->cotangent;
  if (!c) {
    hed_array *zero = hed_zeros(hed__entry_shape(e), hed__dtypes[e->dtype]);
    return fit(zero, e, NULL);
  }
  const bool own = hed_array_refs(c) == 1 && has_shape(c, e) && !c->read_only &&
                   (hed__is_pending(c) || atomic_load(&c->storage->refs) == 1);
  return own ? hed_retain(c) : has_shape(c, e) ? hed_positive(c) : hed_positive(hed_broadcast_to(c, hed__entry_shape(e)));
}

static bool reserve(sweep *w)
{
  size_t most = HED__MAX_ELEMENTWISE + 1;
  for (uint32_t i = 0; i < w->tape->n_steps; i++) {
    const size_t n = (size_t)(w->tape->step[i]->n_in + w->tape->step[i]->n_out);
    most = n > most ? n : most;
  }
  hed__back *b = &w->back;
  const size_t pointers = 6;
  void **p = hed__calloc(most * pointers, sizeof *p);
  w->box = hed__calloc(most, sizeof *w->box);
  b->wanted = hed__calloc(most, sizeof *b->wanted);
  b->in = (const hed_array **)p;
  if (!p || !w->box || !b->wanted)
    return false;
  b->out = (const hed_array **)(p + most);
  b->g = (const hed_array **)(p + 2 * most);
  b->of = (const hed__entry **)(p + 3 * most);
  b->made = (const hed__entry **)(p + 4 * most);
  b->d = (hed_array **)(p + 5 * most);
  return true;
}

static hed_status run(sweep *w, int m, const hed_array *const *y, const hed_array *const *cotangent, int n,
                      const hed_array *const *x, hed_array **g)
{
  hed__tape *tape = w->tape;
  hed_fuse_scope fused = { 0, false };
  hed_scope scope;
  hed_status status = reserve(w) ? hed_scope_begin(&scope) : hed_fail(HED_E_NOMEM, "%s: no memory for the sweep", w->name);
  if (status != HED_OK)
    return status;
  if (hed_fuse_begin(&fused) != HED_OK)
    hed_error_clear();
  for (int k = 0; k < n; k++)
    tape->entry[hed__entry_of(tape, x[k])]->reaches = true;
  for (int j = 0; j < m && status == HED_OK; j++) {
    const uint32_t e = hed__entry_of(tape, y[j]);
    if (e && cotangent[j])
      status = add_to(w, tape->entry[e], fit((hed_array *)(uintptr_t)cotangent[j], tape->entry[e], NULL));
  }
  if (status == HED_OK)
    status = steps(w, n, x);
  for (int k = 0; k < n && status == HED_OK; k++) {
    g[k] = hed_keep(result_of(tape->entry[hed__entry_of(tape, x[k])]));
    status = hed__made(g[k]);
  }
  for (uint32_t i = 1; i < tape->n_entries; i++) {
    drop(&tape->entry[i]->value);
    drop(&tape->entry[i]->cotangent);
    tape->entry[i]->reaches = tape->entry[i]->wanted = false;
  }
  hed_scope_end(&scope);
  const hed_status end = hed_fuse_end(&fused);
  status = status == HED_OK ? end : status;
  for (int k = 0; k < n && status != HED_OK; k++)
    drop(&g[k]);
  return status;
}

/* What an outer sweep has in an entry, while an inner one, of a rule that takes a gradient itself, uses it. */
typedef struct parked {
  hed_array *value, *cotangent;
  bool reaches, wanted;
} parked;

static hed_status run_inside(sweep *w, int m, const hed_array *const *y, const hed_array *const *cotangent, int n,
                             const hed_array *const *x, hed_array **g)
{
  hed__tape *tape = w->tape;
  const uint32_t entries = tape->n_entries;
  parked *list = hed__calloc(entries, sizeof *list);
  if (!list)
    return hed_fail(HED_E_NOMEM, "%s: no memory for a sweep inside another", w->name);
  for (uint32_t i = 1; i < entries; i++) {
    hed__entry *e = tape->entry[i];
    list[i] = (parked){ e->value, e->cotangent, e->reaches, e->wanted };
    e->value = e->cotangent = NULL;
    e->reaches = e->wanted = false;
  }
  const hed_status status = run(w, m, y, cotangent, n, x, g);
  for (uint32_t i = 1; i < entries; i++) {
    hed__entry *e = tape->entry[i];
    e->value = list[i].value;
    e->cotangent = list[i].cotangent;
    e->reaches = list[i].reaches;
    e->wanted = list[i].wanted;
  }
  hed__free(list);
  return status;
}

/* ---- what is asked ---- */

static hed_status check_x(const sweep *w, int n, const hed_array *const *x)
{
  for (int k = 0; k < n; k++) {
    if (!hed__named(x[k], w->name, "x"))
      return hed_error();
    if (!hed__entry_of(w->tape, x[k]))
      return hed_fail(HED_E_GRADIENT, "%s: x[%d] is neither a variable of this recording (hed_variable) nor made from one", w->name,
                      k);
  }
  return HED_OK;
}

static hed_status check_y(const sweep *w, int m, const hed_array *const *y, const hed_array *const *cotangent)
{
  bool any = m == 0;
  for (int j = 0; j < m; j++) {
    if (!hed__named(y[j], w->name, "y"))
      return hed_error();
    const uint32_t entry = hed__entry_of(w->tape, y[j]);
    const hed__entry *e = entry ? w->tape->entry[entry] : NULL;
    if (e && e->counted && !hed__is_pending(y[j]) &&
        e->version != atomic_load_explicit(&y[j]->storage->version, memory_order_relaxed))
      return hed_fail(HED_E_GRADIENT, "%s: '%s' has overwritten y through another array on its memory", w->name,
                      hed_op_name(atomic_load_explicit(&y[j]->storage->writer, memory_order_relaxed)));
    any = any || entry || !cotangent[j];
    if (!cotangent[j])
      continue;
    const hed_shape s = hed_array_shape(y[j]), c = hed_array_shape(cotangent[j]);
    char text[2][HED__SHAPE_TEXT];
    if (!hed__shape_equal(s.ndim, s.dim, c.ndim, c.dim))
      return hed_fail(HED_E_SHAPE, "%s: cotangent[%d] has shape %s, y[%d] has %s", w->name, j,
                      hed__shape_text(c.ndim, c.dim, text[0], HED__SHAPE_TEXT), j,
                      hed__shape_text(s.ndim, s.dim, text[1], HED__SHAPE_TEXT));
    if (hed__id_kind(cotangent[j]->view.dtype) == HED_KIND_COMPLEX && hed__id_kind(y[j]->view.dtype) != HED_KIND_COMPLEX)
      return hed_fail(HED_E_DTYPE, "%s: cotangent[%d] is %s, y[%d] is %s", w->name, j, hed__dtypes[cotangent[j]->view.dtype]->name,
                      j, hed__dtypes[y[j]->view.dtype]->name);
  }
  return any ? HED_OK : hed_fail(HED_E_GRADIENT, "%s: y depends on no variable of this recording", w->name);
}

hed_status hed__sweep(const char *name, int m, const hed_array *const *y, const hed_array *const *cotangent, int n,
                      const hed_array *const *x, hed_array **g, const hed_grad_options *opt)
{
  static const hed_grad_options defaults;
  hed__tls *t = hed__tls_peek();
  opt = opt ? opt : &defaults;
  if (m < 0 || n < 0 || (n > 0 && (!x || !g)) || (m > 0 && (!y || !cotangent)))
    return hed_fail(HED_E_INVAL, "%s: %s", name, m < 0 || n < 0 ? "a negative number of arrays" : "a list is NULL");
  for (int k = 0; k < n; k++)
    g[k] = NULL;
  if (!t || !t->tape || !t->tape->depth)
    return hed_fail(HED_E_GRADIENT, "%s: nothing is recorded; HED_RECORD { } or hed_record_begin() begins", name);
  sweep w = { .name = name, .t = t, .tape = t->tape, .keep = opt->keep || opt->record, .record = opt->record };
  if (t->tape->failed)
    return hed_fail(t->tape->failed, "%s: there was no memory to record '%s'", name, hed_op_name(t->tape->failed_op));
  hed_status status = check_x(&w, n, x);
  if (status == HED_OK)
    status = check_y(&w, m, y, cotangent);
  if (status != HED_OK)
    return status;
  const uint8_t was = hed__record_hold(t);
  hed__watch(t, HED__WATCH_RECORD, opt->record);
  status = (t->tape->sweeps++ ? run_inside : run)(&w, m, y, cotangent, n, x, g);
  t->tape->sweeps--;
  hed__watch(t, HED__WATCH_RECORD, was != 0);
  hed__free(w.back.in);
  hed__free(w.back.wanted);
  hed__free(w.box);
  return status;
}
