// SPDX-License-Identifier: BSD-3-Clause
/* What submissions may still turn out to be. L1.
 *
 * A submission whose kernel checks is a check: open until its record has come back, then fine or failed, once and for all. The
 * fate of a submission is the list of the checks that decide it, in order: those of its operands, one operand after the other,
 * then its own. It fails with the first of them that failed. A submission that has such a list is found by its ticket, as long
 * as the host has results of it; a check lives as long as a list has it, or its record is under way.
 *
 * FATE_LOCK guards all of it. Nothing of the port is called under it.
 */
#include "backends/device/runtime/runtime.h"
#include "base/dense.h"
#include "base/indices.h"
#include "base/invariant.h"
#include "base/random/random_rows.h"
#include <heddle/op_names.h>
#include <stdio.h>
#include <string.h>

struct dev_check {
  int32_t users;               /* lists, and the place among the stream's records */
  enum { OPEN, FINE, FAILED } state;
  uint64_t ticket, mark;       /* MARK: of the list that it was last copied to */
  int32_t record, op, axis, status;
  char text[DEV_TEXT];         /* of its failure */
};

struct dev_fate {
  int32_t users;               /* submissions */
  int32_t n;
  dev_check *check[];
};

struct dev_known {
  dev_known *next;             /* of the same hash */
  uint64_t ticket;
  int32_t results;             /* that the host has */
  dev_fate *fate;
};

/* ---- checks and lists ---- */

static void leave_check(dev_device *d, dev_check *c)
{
  HED__ASSERT(c->users > 0);
  if (--c->users > 0)
    return;
  d->n_failed -= c->state == FAILED;
  HED__ASSERT(d->n_failed >= 0);
  d->host->free(c);
}

static void leave(dev_device *d, dev_fate *f)
{
  if (!f || --f->users > 0)
    return;
  for (int32_t k = 0; k < f->n; k++)
    leave_check(d, f->check[k]);
  d->host->free(f);
}

/* The first of F's checks that is not fine, NULL: F is. */
static dev_check *first_of(const dev_fate *f)
{
  for (int32_t k = 0; k < f->n; k++)
    if (f->check[k]->state != FINE)
      return f->check[k];
  return NULL;
}

/* What was found, in words; its status. */
static int32_t describe(const dev_check *c, const int64_t *found, char *text)
{
  const char *op = hed_op_names[c->op];
  switch ((dev_code)found[1]) {
  case DEV_CODE_INDEX:
    snprintf(text, DEV_TEXT, HED__INDEX_FAULT, op, HED__INDEX_WORDS(found[2]), (int)c->axis, (long long)found[3]);
    return HED_E_INDEX;
  case DEV_CODE_PLACE:
    snprintf(text, DEV_TEXT, HED__PLACE_FAULT, op, HED__INDEX_WORDS(found[2]), (long long)found[3]);
    return HED_E_INDEX;
  case DEV_CODE_ROW:
    snprintf(text, DEV_TEXT, HED__RANDOM_ROW_FAULT, op, (long long)found[2]);
    return HED_E_INVAL;
  case DEV_CODE_ELEMENT: /* the axis is that of the rows */
    snprintf(text, DEV_TEXT, "%s: row %lld, column %lld of %s is not finite", op, (long long)(found[2] / found[3] % found[3]),
             (long long)(found[2] % found[3]),
             hed__matrix_text(found[2] / (found[3] * found[3]), c->axis, (char[HED__MATRIX_TEXT]){ 0 }));
    return HED_E_INVAL;
  default:
    snprintf(text, DEV_TEXT, "%s: the matrix is singular: pivot %lld is 0", op, (long long)found[2]);
    return HED_E_SINGULAR;
  }
}

static void decide(const dev_stream *s, dev_check *c)
{
  const int64_t *found = (const int64_t *)s->found + c->record * DEV_RECORD_WORDS;
  c->state = (int32_t)found[0] ? FAILED : FINE;
  if (c->state == FINE)
    return;
  c->status = describe(c, found, c->text);
  s->device->n_failed++;
}

/* ---- what is known of tickets ---- */

static dev_known **place_of(const dev_device *d, uint64_t ticket)
{
  dev_known **at = &d->known[(ticket ^ ticket >> 48) % (uint64_t)d->cap_known];
  while (*at && (*at)->ticket != ticket)
    at = &(*at)->next;
  return at;
}

static void forget(dev_device *d, dev_known **at)
{
  dev_known *e = *at;
  HED__ASSERT(e && atomic_load(&d->n_known) > 0);
  *at = e->next;
  leave(d, e->fate);
  d->host->free(e);
  atomic_fetch_sub(&d->n_known, 1);
}

/* More places, where there is memory for them: lists get longer without. */
static void widen(dev_device *d)
{
  enum { LEAST_PLACES = 64 };
  const int32_t old = d->cap_known, cap = old ? 2 * old : LEAST_PLACES;
  dev_known **from = d->known, **to = d->host->alloc((size_t)cap * sizeof *to, 0);
  if (!to)
    return;
  memset(to, 0, (size_t)cap * sizeof *to);
  d->known = to;
  d->cap_known = cap;
  for (int32_t k = 0; k < old; k++)
    for (dev_known *e = from[k], *next; e; e = next) {
      next = e->next;
      e->next = NULL;
      *place_of(d, e->ticket) = e;
    }
  d->host->free(from);
}

/* Nothing is open, nothing has failed: all that is known is fine. */
static void forget_all(dev_device *d)
{
  for (int32_t k = 0; k < d->cap_known; k++)
    while (d->known[k])
      forget(d, &d->known[k]);
}

/* Checks whose submissions are over are decided. */
static void settle(dev_device *d)
{
  for (dev_stream **at = &d->checking; *at;) {
    dev_stream *s = *at;
    const uint64_t reached = atomic_load(&s->reached);
    for (; s->first_check < s->next_check; s->first_check++) {
      dev_check *c = s->check[s->first_check % DEV_RECORDS];
      HED__ASSERT(s->next_check - s->first_check <= DEV_RECORDS && c->users > 0);
      if (c->state == OPEN && dev_value(c->ticket) > reached)
        break;
      if (c->state == OPEN)
        decide(s, c);
      leave_check(d, c);
    }
    if (s->first_check < s->next_check)
      at = &s->checking;
    else
      *at = s->checking;
  }
  if (!d->checking && d->n_failed == 0 && atomic_load(&d->n_known) > 0)
    forget_all(d);
}

/* ---- submissions ---- */

static void copy_checks(dev_device *d, dev_fate *to, const dev_fate *from)
{
  for (int32_t k = 0; from && k < from->n; k++) {
    dev_check *c = from->check[k];
    if (c->state == FINE || c->mark == d->mark)
      continue;
    c->mark = d->mark;
    c->users++;
    to->check[to->n++] = c;
  }
}

/* A list of A's checks and then B's (NULL: none), with room for MORE; NULL without memory. */
static dev_fate *joined(dev_device *d, const dev_fate *a, const dev_fate *b, int32_t more)
{
  const int32_t n = (a ? a->n : 0) + (b ? b->n : 0) + more;
  dev_fate *f = d->host->alloc(sizeof *f + (size_t)n * sizeof *f->check, 0);
  if (!f)
    return NULL;
  f->users = 1;
  f->n = 0;
  d->mark++;
  HED__ASSERT(!a || a->users > 0);
  copy_checks(d, f, a);
  copy_checks(d, f, b);
  return f;
}

/* Q has an operand of fate F. */
static int32_t add(dev_submit *q, dev_fate *f)
{
  dev_device *d = q->device;
  if (q->fate == f)
    return HED_OK;
  dev_fate *both = q->fate ? joined(d, q->fate, f, 0) : f;
  if (!both)
    return d->host->fail(HED_E_NOMEM, "%s: no memory for a submission", d->name);
  f->users += both == f;
  leave(d, q->fate);
  q->fate = both;
  return HED_OK;
}

int32_t dev_fate_look(dev_submit *q, const uint64_t *tickets, int32_t n)
{
  dev_device *d = q->device;
  int32_t status = HED_OK;
  if (n == 0 || atomic_load(&d->n_known) == 0)
    return HED_OK;
  pthread_mutex_lock(&d->fate_lock);
  settle(d);
  for (int32_t k = 0; k < n && status == HED_OK; k++) {
    dev_known **at = place_of(d, tickets[k]);
    if (*at && first_of((*at)->fate))
      status = add(q, (*at)->fate);
    else if (*at)
      forget(d, at);
  }
  for (int32_t k = 0; q->fate && k < q->fate->n; k++)
    q->skip |= q->fate->check[k]->state == FAILED;
  pthread_mutex_unlock(&d->fate_lock);
  return status;
}

void dev_fate_drop(dev_submit *q)
{
  dev_device *d = q->device;
  if (!q->fate)
    return;
  pthread_mutex_lock(&d->fate_lock);
  leave(d, q->fate);
  pthread_mutex_unlock(&d->fate_lock);
  q->fate = NULL;
}

/* C is the check of the record that S's submission took. */
static void begin_check(dev_stream *s, dev_check *c)
{
  dev_device *d = s->device;
  if (s->first_check == s->next_check) {
    s->checking = d->checking;
    d->checking = s;
  }
  s->check[s->next_check++ % DEV_RECORDS] = c;
  HED__ASSERT(s->next_check - s->first_check <= DEV_RECORDS);
  c->users++;
}

int32_t dev_fate_enter(dev_submit *q, uint64_t ticket)
{
  dev_device *d = q->device;
  const bool checks = q->record >= 0, wanted = q->results > 0;
  if (!q->fate && !checks)
    return HED_OK;
  dev_check *c = checks ? d->host->alloc(sizeof *c, 0) : NULL;
  dev_known *e = wanted ? d->host->alloc(sizeof *e, 0) : NULL;
  dev_fate *f = q->fate;
  pthread_mutex_lock(&d->fate_lock);
  if (wanted && atomic_load(&d->n_known) >= d->cap_known)
    widen(d);
  if (wanted && checks)
    f = joined(d, q->fate, NULL, 1);
  const bool good = (c || !checks) && (!wanted || (e && f && d->cap_known));
  if (good && c) {
    *c = (dev_check){ .ticket = ticket, .record = q->record, .op = q->op, .axis = q->axis };
    begin_check(q->stream, c);
  }
  if (good && e) {
    *e = (dev_known){ .ticket = ticket, .results = q->results, .fate = f };
    if (c) {
      c->users++;
      f->check[f->n++] = c;
      leave(d, q->fate);
    }
    q->fate = NULL; /* it is the ticket's */
    *place_of(d, ticket) = e;
    atomic_fetch_add(&d->n_known, 1);
  }
  if (!good && f != q->fate)
    leave(d, f);
  pthread_mutex_unlock(&d->fate_lock);
  if (good)
    return HED_OK;
  d->host->free(c);
  d->host->free(e);
  return d->host->fail(HED_E_NOMEM, "%s: no memory for a submission", d->name);
}

uint64_t dev_fate_room(dev_stream *s)
{
  dev_device *d = s->device;
  uint64_t until = 0;
  pthread_mutex_lock(&d->fate_lock);
  settle(d);
  if (s->next_check - s->first_check == DEV_RECORDS)
    until = dev_value(s->check[s->first_check % DEV_RECORDS]->ticket);
  pthread_mutex_unlock(&d->fate_lock);
  return until;
}

/* ---- told, and forgotten ---- */

int32_t dev_fate_of(dev_device *d, uint64_t ticket, uint64_t *open, int32_t *op, char *text, size_t cap)
{
  int32_t status = HED_OK;
  *open = 0;
  if (atomic_load(&d->n_known) == 0)
    return HED_OK;
  pthread_mutex_lock(&d->fate_lock);
  settle(d);
  dev_known **at = place_of(d, ticket);
  const dev_check *c = *at ? first_of((*at)->fate) : NULL;
  if (*at && !c)
    forget(d, at);
  if (c && c->state == OPEN)
    *open = c->ticket;
  if (c && c->state == FAILED) {
    status = c->status;
    *op = c->op;
    if (cap)
      snprintf(text, cap, "%s", c->text);
  }
  pthread_mutex_unlock(&d->fate_lock);
  return status;
}

bool dev_fate_fine(dev_device *d, uint64_t ticket)
{
  uint64_t open;
  int32_t op;
  return dev_fate_of(d, ticket, &open, &op, NULL, 0) == HED_OK && !open;
}

/* BY of the results of TICKET are gone. */
static void take_away(dev_device *d, uint64_t ticket, int32_t by)
{
  if (atomic_load(&d->n_known) == 0)
    return;
  pthread_mutex_lock(&d->fate_lock);
  dev_known **at = place_of(d, ticket);
  if (*at && ((*at)->results -= by) <= 0)
    forget(d, at);
  pthread_mutex_unlock(&d->fate_lock);
}

void dev_fate_end(dev_device *d, uint64_t ticket) { take_away(d, ticket, INT32_MAX); }

void dev_forget(void *state, uint64_t ticket)
{
  dev_device *d = state;
  if (!d->forked)
    take_away(d, ticket, 1);
}

void dev_fate_lose(dev_device *d)
{
  pthread_mutex_lock(&d->fate_lock);
  for (dev_stream *s = d->checking; s; s = s->checking)
    for (int64_t k = s->first_check; k < s->next_check; k++) {
      dev_check *c = s->check[k % DEV_RECORDS];
      if (c->state != OPEN)
        continue;
      c->state = FAILED;
      c->status = HED_E_UNAVAILABLE;
      memccpy(c->text, d->lost_text, 0, sizeof c->text);
      d->n_failed++;
    }
  pthread_mutex_unlock(&d->fate_lock);
}
