// SPDX-License-Identifier: BSD-3-Clause
/* Calls that are noted. L3. See call.h. */
#include "grad/call.h"
#include "base/alloc.h"
#include "core/ops/op_rows.h"
#include "core/profile/profile.h"
#include <string.h>

/* Others are seen where they run. */
static bool is_composite(int op) { return strcmp(hed__op_rows[op].impl, "COMPOSITE") == 0; }

static void record(const hed__call *c)
{
  hed__raw r = { .kind = HED__RAW_CALL, .op = (uint16_t)c->note.op, .t0 = c->start, .t1 = hed__ticks() };
  hed__profile_put(c->t, &r, NULL);
}

void hed__call_begin(hed__call *c, int op, int form)
{
  c->t = hed__self;
  c->note = (hed__note){ .op = op, .form = form };
  c->in = c->in_;
  c->out = c->out_;
  c->cap_in = c->cap_out = HED__CALL_ARRAYS;
  c->failed = false;
  c->was = c->captures = 0;
  c->start = hed__profiling(c->t) && is_composite(op) ? hed__profile_start_op(op) : 0;
}

/* Room for one more in LIST, which has N. */
static bool room(hed__call *c, void *list, const void *own, int32_t n, int32_t *cap)
{
  void **p = *(void ***)list, **q;
  if (n < *cap)
    return true;
  q = hed__malloc(2 * (size_t)n * sizeof *q);
  if (!q) {
    c->failed = true;
    return false;
  }
  memcpy(q, p, (size_t)n * sizeof *q);
  if (p != own)
    hed__free(p);
  *(void ***)list = q;
  *cap = 2 * n;
  return true;
}

void hed__call_in(hed__call *c, const hed_array *x)
{
  if (room(c, &c->in, c->in_, c->note.n_in, &c->cap_in))
    c->in[c->note.n_in++] = x;
}

void hed__call_out(hed__call *c, hed_array *y)
{
  if (room(c, &c->out, c->out_, c->note.n_out, &c->cap_out))
    c->out[c->note.n_out++] = y;
}

/* What the tape keeps of the parts of an operation comes from calls that a capture has to have, too, in the place of the whole. */
static bool by_parts(const hed__call *c)
{
  static const bool within[HED_OP_COUNT_] = {
#define HED_PARTS_WITHIN(ID) [HED_OP_##ID] = true,
#include "core/record/rules.def"
  };
  bool followed = false;
  for (int32_t k = 0; k < c->note.n_in && c->t->watch & HED__WATCH_RECORD && !within[c->note.op]; k++)
    followed = followed || hed__entry_of(c->t->tape, c->in[k]);
  return followed;
}

void hed__call_runs(hed__call *c)
{
  const bool made_of_others = hed__rule_kind_of(c->note.op) == HED__RULE_PARTS;
  c->captures = made_of_others && by_parts(c) ? 0 : hed__capture_hold(c->t);
  if (!made_of_others)
    c->was = hed__record_hold(c->t);
}

bool hed__call_writes(hed__call *c, hed_array *x)
{
  c->note.in_place = true;
  if (hed__record_writes(c->t, x, c->note.op) == HED_OK)
    return true;
  hed__call_end(c);
  return false;
}

bool hed__call_made(hed__call *c, bool good)
{
  hed__capture_resume(c->t, c->captures);
  hed__record_resume(c->t, c->was);
  if (!good)
    hed__call_end(c);
  return good;
}

/* Of operations made of others: a result that should have come with an entry is one that no rule knows of. */
static bool lost(hed__call *c)
{
  bool any = false;
  for (int32_t j = 0; j < c->note.n_out; j++) {
    if (c->out[j] && hed__entry_of(c->t->tape, c->out[j]))
      c->out[j] = NULL;
    any = any || c->out[j];
  }
  return any;
}

bool hed__call_followed(hed__call *c)
{
  hed__tape *tape = c->t->tape;
  uint32_t followed = 0;
  if (!(c->t->watch & HED__WATCH_RECORD))
    return false;
  c->note.in = c->in;
  c->note.out = c->out;
  for (int32_t k = 0; k < c->note.n_in; k++)
    if (hed__entry_of(tape, c->in[k])) {
      followed |= 1;
      c->note.save |= hed__rule_saves(c->note.op, k);
    }
  const hed__rule_kind kind = hed__rule_kind_of(c->note.op);
  if (c->failed && followed)
    hed__record_failed(tape, c->note.op);
  if (kind == HED__RULE_PARTS)
    return followed && !c->failed && lost(c);
  if (!followed || c->failed || kind == HED__RULE_ZERO) {
    c->note.n_in = 0;
    hed__record_note(c->t, &c->note);
    return false;
  }
  return true;
}

void *hed__call_copy(hed__call *c, const void *p, size_t size)
{
  return p ? hed__record_copy(c->t, c->note.op, p, size) : NULL;
}

void hed__call_note(hed__call *c, const void *args, size_t size)
{
  c->note.args = args;
  c->note.size = size;
  hed__record_note(c->t, &c->note);
}

void hed__call_end(hed__call *c)
{
  if (c->start && hed__profiling(c->t))
    record(c);
  if (c->start)
    hed__nvtx_pop();
  if (c->in != c->in_)
    hed__free(c->in);
  if (c->out != c->out_)
    hed__free(c->out);
}
