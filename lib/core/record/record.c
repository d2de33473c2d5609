// SPDX-License-Identifier: BSD-3-Clause
/* Tapes: their blocks, what is put on them. L2. See record.h. */
#include "core/record/record.h"
#include "base/alloc.h"
#include "base/invariant.h"
#include "core/array/settle.h"
#include "core/memory/memory.h"
#include <heddle/grad.h>
#include <string.h>

static void *take(hed__tape *tape, size_t bytes) { return hed__arena_take(&tape->arena, bytes); }

/* Room for one more pointer in LIST of N, which has CAP. */
static bool grow(void *list, uint32_t n, uint32_t *cap)
{
  void **p = *(void ***)list;
  if (n < *cap)
    return true;
  const uint32_t more = *cap ? 2 * *cap : 256;
  void **q = hed__realloc(p, more * sizeof *q);
  if (!q)
    return false;
  *(void ***)list = q;
  *cap = more;
  return true;
}

void hed__record_release(hed__step *s)
{
  for (int32_t k = 0; k < s->n_in + s->n_out; k++)
    if (s->slot[k].kind == HED__SLOT_ARRAY) {
      s->slot[k].kind = HED__SLOT_NONE;
      hed__storage_release(s->slot[k].array->storage);
      hed__let_go(s->slot[k].array);
    }
}

/* Serials of recordings are those of the process, so that a handle never seems to be of a later one. */
static atomic_uint serials;

static void empty(hed__tape *tape)
{
  for (uint32_t i = 0; i < tape->n_steps; i++) {
    const hed__step *s = tape->step[i];
    const hed__custom *custom = s->form == HED__FORM_CUSTOM ? s->args : NULL;
    hed__record_release(tape->step[i]);
    if (custom && custom->done)
      custom->done(custom->state);
  }
  for (uint32_t i = 1; i < tape->n_entries; i++) {
    hed_release(tape->entry[i]->value);
    hed_release(tape->entry[i]->cotangent);
  }
  for (int32_t i = 0; i < tape->n_contexts; i++)
    hed_context_release(tape->context[i]);
  tape->n_steps = 0;
  tape->n_entries = 1;
  tape->n_contexts = 0;
  tape->failed = HED_OK;
  hed__arena_empty(&tape->arena);
  do
    tape->serial = atomic_fetch_add(&serials, 1) + 1;
  while (tape->serial == 0);
}

static void tape_free(hed__tape *tape)
{
  empty(tape);
  hed__arena_free(&tape->arena);
  hed__free(tape->entry);
  hed__free(tape->step);
  hed__free(tape->context);
  hed__free(tape);
}

void hed__record_thread_exit(hed__tls *t)
{
  if (!t->tape)
    return;
  hed__watch(t, HED__WATCH_RECORD, false);
  tape_free(t->tape);
  t->tape = NULL;
}

/* ---- blocks ---- */

static hed_status begin(hed_record_scope *s, const char *name, bool records)
{
  if (!s)
    return hed_fail(HED_E_INVAL, "%s: s is NULL", name);
  *s = (hed_record_scope){ 0, false };
  hed__tls *t = hed__tls_get();
  if (t && !t->tape && (t->tape = hed__calloc(1, sizeof *t->tape))) {
    t->tape->n_entries = 1;
    empty(t->tape);
  }
  if (!t || !t->tape)
    return hed_fail(HED_E_NOMEM, "%s: no memory for the record", name);
  *s = (hed_record_scope){ .depth = ++t->tape->depth, .outer = (t->watch & HED__WATCH_RECORD) != 0 };
  hed__watch(t, HED__WATCH_RECORD, records);
  return HED_OK;
}

hed_status hed_record_begin(hed_record_scope *s) { return begin(s, "record_begin", true); }
hed_status hed_record_pause(hed_record_scope *s) { return begin(s, "record_pause", false); }

void hed_record_end(hed_record_scope *s)
{
  hed__tls *t = hed__tls_peek();
  if (!s || !s->depth)
    return;
  const hed_record_scope scope = *s;
  *s = (hed_record_scope){ 0, false };
  if (!t || !t->tape || scope.depth > t->tape->depth) /* of another thread, or inside one that has ended */
    return;
  t->tape->depth = (uint32_t)scope.depth - 1;
  hed__watch(t, HED__WATCH_RECORD, scope.outer);
  if (!t->tape->depth)
    empty(t->tape);
}

hed_tape *hed_record_take(void)
{
  hed__tls *t = hed__tls_peek();
  hed__tape *tape = t && t->tape && t->tape->depth ? t->tape : NULL;
  if (!tape)
    return NULL;
  tape->records = (t->watch & HED__WATCH_RECORD) != 0;
  hed__watch(t, HED__WATCH_RECORD, false);
  t->tape = NULL;
  return tape;
}

hed_status hed_record_give(hed_tape *tape)
{
  hed__tls *t = hed__tls_get();
  if (!tape || (t && t->tape && t->tape->depth))
    return hed_fail(HED_E_INVAL, "record_give: %s", tape ? "this thread has an open recording" : "tape is NULL");
  if (!t)
    return hed_fail(HED_E_NOMEM, "record_give: no memory for the thread's state");
  hed_tape_release(t->tape);
  t->tape = tape;
  hed__watch(t, HED__WATCH_RECORD, tape->records);
  return HED_OK;
}

void hed_tape_release(hed_tape *tape)
{
  if (tape)
    tape_free(tape);
}

/* ---- what is put on ---- */

void hed__record_failed(hed__tape *tape, int op)
{
  if (!tape->failed) {
    tape->failed = HED_E_NOMEM;
    tape->failed_op = op;
  }
}

static uint32_t fail(hed__tape *tape, int op)
{
  hed__record_failed(tape, op);
  return 0;
}

void *hed__record_copy(hed__tls *t, int op, const void *p, size_t size)
{
  void *q = take(t->tape, size);
  if (!q)
    hed__record_failed(t->tape, op);
  else
    memcpy(q, p, size);
  return q;
}

/* A number for X, which has no storage yet where it is pending. */
static uint32_t enter(hed__tape *tape, const hed_array *x, hed__step *step, int32_t result)
{
  HED__ASSERT(tape->n_entries >= 1);
  const size_t n = (size_t)x->view.ndim;
  hed__entry *e = grow(&tape->entry, tape->n_entries, &tape->cap_entries) ? take(tape, sizeof *e + n * sizeof *e->dim) : NULL;
  if (!e)
    return fail(tape, step ? step->op : HED_OP_COPY);
  const hed__device *d = hed__is_pending(x) ? hed__producer(x) : x->storage->device;
  *e = (hed__entry){ .step = step, .result = result, .host = d->host, .device = d->number, .dtype = x->view.dtype,
                     .ndim = x->view.ndim };
  memcpy(e->dim, x->view.dim, n * sizeof *e->dim);
  tape->entry[tape->n_entries] = e;
  return tape->n_entries++;
}

static bool followed_type(const hed_array *x)
{
  return hed__id_kind(x->view.dtype) >= HED_KIND_FLOAT && !x->weak;
}

static void mark(hed_array *x, const hed__tape *tape, uint32_t entry)
{
  HED__ASSERT(entry < tape->n_entries);
  x->tape = entry ? tape->serial : 0;
  x->entry = entry;
}

hed_status hed__record_variable(hed__tls *t, hed_array *x)
{
  const uint32_t e = enter(t->tape, x, NULL, 0);
  if (!e)
    return hed_fail(HED_E_NOMEM, "variable: no memory for a place in the record");
  mark(x, t->tape, e);
  return HED_OK;
}

hed_status hed__record_writes(const hed__tls *t, const hed_array *out, int op)
{
  const uint32_t e = t->tape && out ? hed__entry_of(t->tape, out) : 0;
  return e && !t->tape->entry[e]->step ? hed_fail(HED_E_INVAL, "%s: out is a variable of the recording; hed_copy() gives an array "
                                                               "that may be written", hed_op_name(op)) : HED_OK;
}

/* Index of the context in force; -1 without memory. */
static int32_t context_index(hed__tape *tape)
{
  const hed_context *c = hed__context();
  for (int32_t k = tape->n_contexts - 1; k >= 0; k--)
    if (tape->context[k] == c)
      return k;
  uint32_t cap = (uint32_t)tape->cap_contexts;
  if (!c || !grow(&tape->context, (uint32_t)tape->n_contexts, &cap))
    return -1;
  tape->cap_contexts = (int32_t)cap;
  tape->context[tape->n_contexts] = hed_context_retain((hed_context *)(uintptr_t)c);
  return tape->n_contexts++;
}

/* From now on writes of X's storage are counted; how many so far. */
static uint32_t version_of(const hed_array *x)
{
  hed__storage *s = x->storage;
  if (!atomic_load_explicit(&s->watched, memory_order_relaxed)) {
    atomic_store_explicit(&s->version, 0, memory_order_relaxed);
    atomic_store_explicit(&s->watched, true, memory_order_relaxed);
  }
  return atomic_load_explicit(&s->version, memory_order_relaxed);
}

/* Is X, of entry E, what it was when it got that? */
static void check_operand(hed__entry *e, hed__slot *s, const hed_array *x)
{
  if (hed__is_pending(x))
    return;
  const uint32_t version = version_of(x);
  if (!e->counted) {
    e->counted = true;
    e->version = version;
  }
  s->stale = e->version != version;
  s->writer = (uint16_t)atomic_load_explicit(&x->storage->writer, memory_order_relaxed);
}

/* Is X's memory that of a result, which is there already? */
static bool overwritten(const hed__note *n, const hed_array *x)
{
  for (int32_t j = 0; j < n->n_out; j++)
    if (n->out[j] && (x == n->out[j] || (x->storage == n->out[j]->storage && n->in_place)))
      return true;
  return false;
}

/* X is held as it is now: its handle, whatever scopes release, and its memory, so that it is not taken for the only one there. False
 * without memory. */
static bool save(hed__tape *tape, hed__slot *s, hed_array *x)
{
  if (x->weak && x->storage->device->host) {
    if (!(s->value = take(tape, sizeof *s->value)))
      return false;
    s->value->dtype = x->view.dtype;
    memset(s->value->bytes, 0, sizeof s->value->bytes);
    memcpy(s->value->bytes, x->view.data, (size_t)hed__id_size(x->view.dtype));
    s->kind = HED__SLOT_VALUE;
    return true;
  }
  if (hed__is_pending(x)) {
    if (s->entry && tape->entry[s->entry]->step && tape->entry[s->entry]->step->replays) {
      s->kind = HED__SLOT_AGAIN;
      return true;
    }
    if (hed__pending_by.force(x) != HED_OK)
      return false;
  }
  s->version = version_of(x);
  s->array = hed__hold(x);
  atomic_fetch_add_explicit(&x->storage->refs, 1, memory_order_relaxed);
  s->kind = HED__SLOT_ARRAY;
  return true;
}

static bool fill(hed__tape *tape, hed__step *s, const hed__note *n)
{
  for (int32_t k = 0; k < n->n_in; k++) {
    hed_array *x = (hed_array *)(uintptr_t)n->in[k];
    s->slot[k].given = x != NULL;
    s->slot[k].entry = hed__entry_of(tape, x);
    if (!x)
      continue;
    hed__slot *slot = &s->slot[k];
    const bool gone = overwritten(n, x);
    if (!slot->entry && n->form && !(slot->entry = enter(tape, x, NULL, 0))) /* for its shape */
      return false;
    if (hed__entry_of(tape, x) && !gone)
      check_operand(tape->entry[slot->entry], slot, x);
    if (!(n->save >> (k < HED__SAVE_OPERANDS ? k : HED__SAVE_OPERANDS - 1) & 1u))
      continue;
    if (gone)
      slot->kind = slot->entry && tape->entry[slot->entry]->step && tape->entry[slot->entry]->step->replays ? HED__SLOT_AGAIN
                                                                                                            : HED__SLOT_GONE;
    else if (!save(tape, slot, x))
      return false;
  }
  for (int32_t j = 0; j < n->n_out; j++) {
    hed_array *y = n->out[j];
    hed__slot *slot = &s->slot[n->n_in + j];
    slot->given = y != NULL;
    if (!y)
      continue;
    if (followed_type(y) && !(slot->entry = enter(tape, y, s, j)))
      return false;
    if (n->save & (uint32_t)HED__SAVE_OUT << j && !save(tape, slot, y))
      return false;
  }
  for (int32_t j = 0; j < n->n_out; j++)
    if (n->out[j])
      mark(n->out[j], tape, s->slot[n->n_in + j].entry);
  return true;
}

void hed__record_note(hed__tls *t, const hed__note *n)
{
  HED__ASSERT(t->tape && n->n_in >= 0 && n->n_out >= 0 && n->op >= 0 && n->op < HED_OP_COUNT_);
  hed__tape *tape = t->tape;
  uint32_t followed = 0;
  bool makes = false; /* something that can be followed */
  for (int32_t k = 0; k < n->n_in; k++)
    followed |= hed__entry_of(tape, n->in[k]);
  for (int32_t j = 0; j < n->n_out; j++)
    makes = makes || (n->out[j] && followed_type(n->out[j]));
  if (!followed || !makes) {
    for (int32_t j = 0; j < n->n_out; j++)
      if (n->out[j])
        mark(n->out[j], tape, 0);
    return;
  }
  const int32_t slots = n->n_in + n->n_out;
  hed__step *s = grow(&tape->step, tape->n_steps, &tape->cap_steps) ? take(tape, sizeof *s + (size_t)slots * sizeof *s->slot) : NULL;
  void *args = s && n->size ? take(tape, n->size) : NULL;
  const int32_t context = s && (args || !n->size) ? context_index(tape) : -1;
  hed__error_mark before;
  hed__error_save(&before);
  bool good = context >= 0;
  if (good) {
    memset(s, 0, sizeof *s + (size_t)slots * sizeof *s->slot);
    *s = (hed__step){ .op = n->op, .n_in = n->n_in, .n_out = n->n_out, .context = context, .form = n->form, .replays = n->replays,
                      .args = args };
    if (n->size)
      memcpy(args, n->args, n->size);
    good = fill(tape, s, n);
    if (!good)
      hed__record_release(s);
  }
  if (good) {
    tape->step[tape->n_steps++] = s;
    return;
  }
  hed__error_restore(&before);
  fail(tape, n->op);
  for (int32_t j = 0; j < n->n_out; j++)
    if (n->out[j])
      mark(n->out[j], tape, 0);
}

void hed__count_write_slow(hed__storage *s, int op)
{
  atomic_store_explicit(&s->writer, (unsigned short)op, memory_order_relaxed);
  atomic_fetch_add_explicit(&s->version, 1, memory_order_relaxed);
}
