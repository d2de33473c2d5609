// SPDX-License-Identifier: BSD-3-Clause
/* What kernels find wrong, and what was made of it. L1.
 *
 * A kernel that checks has a record in the device's memory, which comes back behind it. Until somebody has waited for its
 * ticket, submissions that wait for that ticket, or for one that does, are entered as tainted: they fail with its text.
 */
#include "backends/device/layer.h"
#include "base/dense.h"
#include "base/indices.h"
#include "base/random/random_rows.h"
#include <heddle/op_names.h>
#include <stdio.h>
#include <string.h>

enum { FAILURES = 1024 };

/* ---- failures; D's lock is held ---- */

static const hed__failure *failed(const hed__device *d, uint64_t ticket)
{
  const int n = atomic_load(&d->n_failures);
  for (int k = n < FAILURES ? n : FAILURES; k-- > 0;)
    if (d->failures[k].ticket == ticket)
      return &d->failures[k];
  return NULL;
}

static void fail(hed__device *d, uint64_t ticket, int32_t op, int32_t status, const char *text)
{
  hed__failure *f = &d->failures[atomic_load(&d->n_failures) % FAILURES];
  f->ticket = ticket;
  f->op = op;
  f->status = status;
  memccpy(f->text, text, 0, sizeof f->text);
  f->text[sizeof f->text - 1] = 0;
  atomic_fetch_add(&d->n_failures, 1);
}

/* ---- checks ---- */

/* What was found, in words; its status. */
static int32_t describe(const hed__check *c, const int64_t *found, char *text)
{
  const char *op = hed_op_names[c->op];
  switch ((hed__code)found[1]) {
  case HED__CODE_INDEX:
    snprintf(text, HED__TEXT, HED__INDEX_FAULT, op, HED__INDEX_WORDS(found[2]), (int)c->axis, (long long)found[3]);
    return HED_E_INDEX;
  case HED__CODE_PLACE:
    snprintf(text, HED__TEXT, HED__PLACE_FAULT, op, HED__INDEX_WORDS(found[2]), (long long)found[3]);
    return HED_E_INDEX;
  case HED__CODE_ROW:
    snprintf(text, HED__TEXT, HED__RANDOM_ROW_FAULT, op, (long long)found[2]);
    return HED_E_INVAL;
  case HED__CODE_ELEMENT: /* the axis is that of the rows */
    snprintf(text, HED__TEXT, "%s: row %lld, column %lld of %s is not finite", op, (long long)(found[2] / found[3] % found[3]),
             (long long)(found[2] % found[3]),
             hed__matrix_text(found[2] / (found[3] * found[3]), c->axis, (char[HED__MATRIX_TEXT]){ 0 }));
    return HED_E_INVAL;
  default:
    snprintf(text, HED__TEXT, "%s: the matrix is singular: pivot %lld is 0", op, (long long)found[2]);
    return HED_E_SINGULAR;
  }
}

static bool is_over(const hed__device *d, uint64_t ticket)
{
  return atomic_load(&d->stream[ticket >> 48]->reached) >= hed__value(ticket);
}

/* Checks whose submissions are over become failures, or nothing. Origins come before what they tainted. */
static void settle(hed__device *d)
{
  int32_t left = 0;
  const int32_t n = atomic_load(&d->n_checks);
  for (int32_t k = 0; k < n; k++) {
    const hed__check c = d->checks[k];
    if (!is_over(d, c.origin)) {
      d->checks[left++] = c;
      continue;
    }
    if (c.record >= 0) {
      int64_t *found = (int64_t *)d->stream[c.ticket >> 48]->found + c.record * HED__RECORD_WORDS;
      char text[HED__TEXT];
      if ((int32_t)found[0]) {
        const int32_t status = describe(&c, found, text);
        fail(d, c.ticket, c.op, status, text);
      }
      continue;
    }
    const hed__failure *f = failed(d, c.origin);
    if (f)
      fail(d, c.ticket, f->op, f->status, f->text);
  }
  atomic_store(&d->n_checks, left);
}

void hed__errors_look(hed__submit *q, const uint64_t *tickets, int32_t n)
{
  hed__device *d = q->device;
  if (n == 0 || (atomic_load(&d->n_checks) == 0 && atomic_load(&d->n_failures) == 0))
    return;
  pthread_mutex_lock(&d->lock);
  settle(d);
  for (int32_t k = 0; k < n && !q->skip; k++) {
    if (failed(d, tickets[k])) {
      q->skip = true;
      q->origin = tickets[k];
    }
    for (int32_t j = 0; j < atomic_load(&d->n_checks) && !q->skip; j++)
      if (d->checks[j].ticket == tickets[k]) {
        q->tainted = true;
        q->origin = d->checks[j].origin;
      }
  }
  pthread_mutex_unlock(&d->lock);
}

static int32_t add_check(hed__device *d, const hed__check *c)
{
  const int32_t n = atomic_load(&d->n_checks);
  if (n == d->cap_checks) {
    const int32_t cap = n ? 2 * n : 64;
    hed__check *more = d->host->alloc((size_t)cap * sizeof *more, 0);
    if (!more)
      return d->host->fail(HED_E_NOMEM, "%s: no memory for a submission", d->name);
    if (n)
      memcpy(more, d->checks, (size_t)n * sizeof *more);
    d->host->free(d->checks);
    d->checks = more;
    d->cap_checks = cap;
  }
  d->checks[n] = *c;
  atomic_store(&d->n_checks, n + 1);
  return HED_OK;
}

int32_t hed__errors_enter(const hed__submit *q, uint64_t ticket)
{
  hed__device *d = q->device;
  int32_t status = HED_OK;
  if (!q->skip && !q->tainted && q->record < 0)
    return HED_OK;
  pthread_mutex_lock(&d->lock);
  settle(d);
  const hed__failure *f = q->skip || q->tainted ? failed(d, q->origin) : NULL;
  if (f) {
    const hed__failure copy = *f;
    fail(d, ticket, copy.op, copy.status, copy.text);
  } else if (q->record >= 0) {
    status = add_check(d, &(hed__check){ .ticket = ticket, .origin = ticket, .record = q->record, .op = q->op,
                                         .axis = q->axis });
  }
  if (status == HED_OK && q->tainted && !f && !is_over(d, q->origin))
    status = add_check(d, &(hed__check){ .ticket = ticket, .origin = q->origin, .record = -1 });
  pthread_mutex_unlock(&d->lock);
  return status;
}

int32_t hed__errors_of(hed__device *d, uint64_t ticket, int32_t *op, char *text, size_t cap)
{
  int32_t status = HED_OK;
  if (atomic_load(&d->n_checks) == 0 && atomic_load(&d->n_failures) == 0)
    return HED_OK;
  pthread_mutex_lock(&d->lock);
  settle(d);
  const hed__failure *f = failed(d, ticket);
  if (f) {
    status = f->status;
    *op = f->op;
    if (cap)
      snprintf(text, cap, "%s", f->text);
  }
  pthread_mutex_unlock(&d->lock);
  return status;
}

/* ---- records ---- */

enum { RECORD_BYTES = HED__RECORD_WORDS * sizeof(int64_t) };

/* The stream's records, and where they arrive. */
static int32_t make_records(hed__stream *s)
{
  hed__device *d = s->device;
  int32_t status = HED_OK;
  if (!s->found) {
    status = hed__device_status(d, d->port->pinned_alloc(d->dev, HED__RECORDS * RECORD_BYTES, &s->found));
    if (status == HED_OK)
      memset(s->found, 0, HED__RECORDS * RECORD_BYTES);
  }
  if (status == HED_OK && !s->record)
    status = hed__memory_get(d, HED__RECORDS * RECORD_BYTES, &s->record);
  return status;
}

/* Has record K of S been read? */
static bool is_free(hed__device *d, const hed__stream *s, int32_t k)
{
  bool yes = true;
  pthread_mutex_lock(&d->lock);
  settle(d);
  for (int32_t j = 0; j < atomic_load(&d->n_checks); j++)
    yes &= d->checks[j].record != k || d->checks[j].ticket >> 48 != (uint64_t)s->number;
  pthread_mutex_unlock(&d->lock);
  return yes;
}

int32_t hed__errors_record(hed__submit *q, int32_t op, int32_t axis, void **record)
{
  hed__stream *s = q->stream;
  hed__device *d = q->device;
  int32_t status = make_records(s);
  if (status != HED_OK)
    return status;
  if (!is_free(d, s, s->next_record)) { /* so many are under way */
    hed__event *e = hed__event_of(s, atomic_load(&s->issued), &status);
    if (e)
      status = hed__event_wait(s, e);
    hed__event_drop(d, e);
    (void)is_free(d, s, s->next_record);
  }
  if (status != HED_OK)
    return status;
  q->record = s->next_record;
  q->op = op;
  q->axis = axis;
  s->next_record = (s->next_record + 1) % HED__RECORDS;
  *record = (char *)s->record + q->record * RECORD_BYTES;
  q->begun = true;
  return q->skip ? HED_OK : hed__device_status(d, d->port->memset(d->dev, s->native, *record, 0, RECORD_BYTES));
}

int32_t hed__errors_fetch(hed__submit *q)
{
  hed__stream *s = q->stream;
  hed__device *d = q->device;
  char *to = (char *)s->found + q->record * RECORD_BYTES, *from = (char *)s->record + q->record * RECORD_BYTES;
  if (q->skip) {
    q->record = -1;
    return HED_OK;
  }
  return hed__device_status(d, d->port->copy(d->dev, s->native, to, from, RECORD_BYTES, HED__COPY_OUT, false));
}
