// SPDX-License-Identifier: BSD-3-Clause
/* From records, in the order of their ends, to slices in the order of their begins. L2. See events.h.
 *
 * Contexts and ranges have a record at each end. They need not be within each other: one that reaches beyond another goes on as
 * a slice of its own. */
#include "core/profile/events.h"
#include "base/alloc.h"
#include <string.h>

static bool before(const hed__slice *a, const hed__slice *b)
{
  return a->t0 != b->t0 ? a->t0 < b->t0 : a->t1 != b->t1 ? a->t1 > b->t1 : a->order < b->order;
}

static bool push(hed__slices *s, hed__slice x)
{
  if (s->n == s->cap) {
    const size_t cap = s->cap ? 2 * s->cap : 256;
    hed__slice *more = hed__realloc(s->at, cap * sizeof *more);
    if (!more)
      return false;
    s->at = more;
    s->cap = cap;
  }
  size_t k = s->n++;
  for (; k && before(&x, &s->at[(k - 1) / 2]); k = (k - 1) / 2)
    s->at[k] = s->at[(k - 1) / 2];
  s->at[k] = x;
  return true;
}

static hed__slice pop(hed__slices *s)
{
  const hed__slice top = s->at[0], x = s->at[--s->n];
  size_t k = 0;
  for (size_t c; (c = 2 * k + 1) < s->n; k = c) {
    c += c + 1 < s->n && before(&s->at[c + 1], &s->at[c]);
    if (!before(&s->at[c], &x))
      break;
    s->at[k] = s->at[c];
  }
  if (s->n)
    s->at[k] = x;
  return top;
}

bool hed__slices_next(hed__slices *s, uint64_t *open, int *depth, hed__slice *out)
{
  if (s->n == 0)
    return false;
  *out = pop(s);
  while (*depth && open[*depth - 1] <= out->t0)
    --*depth;
  if (*depth && out->t1 > open[*depth - 1]) {
    hed__slice rest = *out;
    rest.t0 = out->t1 = open[*depth - 1];
    rest.part++;
    if (!push(s, rest))
      return false;
  }
  if (out->t1 > out->t0 && *depth < HED__SLICE_DEPTH)
    open[(*depth)++] = out->t1;
  return true;
}

/* ---- pairs ---- */

/* Begins whose ends have not come. */
typedef struct pending {
  const hed__raw **at;
  size_t n, cap;
} pending;

static bool wait(pending *p, const hed__raw *r)
{
  if (p->n == p->cap) {
    const size_t cap = p->cap ? 2 * p->cap : 64;
    const hed__raw **more = hed__realloc(p->at, cap * sizeof *more);
    if (!more)
      return false;
    p->at = more;
    p->cap = cap;
  }
  p->at[p->n++] = r;
  return true;
}

/* The begin that R ends, taken out; NULL: it was dropped. */
static const hed__raw *match(pending *p, const hed__raw *r)
{
  size_t k = p->n;
  while (k && !(r->kind == HED__RAW_POP ? p->at[k - 1]->kind == HED__RAW_PUSH
                                        : p->at[k - 1]->kind == HED__RAW_BEGIN && p->at[k - 1]->in == r->in))
    k--;
  if (k == 0)
    return NULL;
  const hed__raw *found = p->at[k - 1];
  memmove(&p->at[k - 1], &p->at[k], (p->n-- - k) * sizeof *p->at);
  return found;
}

static bool add(hed__slices *out, const hed__raw *r, uint64_t t0, uint64_t t1)
{
  return push(out, (hed__slice){ .t0 = t0, .t1 = t1 > t0 ? t1 : t0, .record = r, .order = (uint32_t)out->n });
}

static bool add_stage(const hed__trace *t, hed__slices *out, const hed__raw *r)
{
  return add(out, r, hed__trace_ticks(t, r->t0), hed__trace_ticks(t, r->t1));
}

static bool take(const hed__trace *t, hed__slices *out, pending *open, const hed__raw *r)
{
  switch (r->kind) {
  case HED__RAW_TRACK:
    return true;
  case HED__RAW_STAGE:
    return add_stage(t, out, r);
  case HED__RAW_PUSH: case HED__RAW_BEGIN:
    return wait(open, r);
  case HED__RAW_POP: case HED__RAW_END: {
    const hed__raw *b = match(open, r);
    return !b || add(out, b, b->t0, r->t1);
  }
  default:
    return add(out, r, r->t0, r->t1);
  }
}

bool hed__slices_of(const hed__trace *t, size_t first, size_t end, hed__slices *out)
{
  pending open = { NULL, 0, 0 };
  bool good = true;
  uint64_t last = 0;
  *out = (hed__slices){ NULL, 0, 0 };
  for (size_t k = first; k < end && good; k++)
    for (const hed__raw *r = NULL; good && (r = hed__trace_next(t->chunk[k], r)) != NULL;) {
      if (r->kind != HED__RAW_TRACK && r->kind != HED__RAW_STAGE)
        last = r->t1 > last ? r->t1 : last;
      good = take(t, out, &open, r);
    }
  for (size_t k = 0; k < open.n && good; k++) /* what is open ends with what the thread did last */
    good = add(out, open.at[k], open.at[k]->t0, last);
  hed__free(open.at);
  if (!good)
    hed__free(out->at);
  return good;
}

bool hed__slices_of_track(const hed__trace *t, uint16_t device, uint64_t stream, hed__slices *out)
{
  bool good = true;
  *out = (hed__slices){ NULL, 0, 0 };
  for (size_t k = 0; k < t->n_chunks && good; k++)
    for (const hed__raw *r = NULL; good && (r = hed__trace_next(t->chunk[k], r)) != NULL;)
      if (r->kind == HED__RAW_TRACK && r->device == device && r->in == stream)
        good = add_stage(t, out, r);
  if (!good)
    hed__free(out->at);
  return good;
}
