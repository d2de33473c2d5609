// SPDX-License-Identifier: BSD-3-Clause
/* What kernels find wrong, and what was made of it. L1.
 *
 * A kernel that checks has a record in the device's memory, which comes back behind it. Until somebody has waited for its
 * ticket, submissions that wait for that ticket, or for one that does, are entered as tainted: they fail with its text.
 */
#include "backends/device/runtime/runtime.h"
#include "base/dense.h"
#include "base/indices.h"
#include "base/random/random_rows.h"
#include <heddle/op_names.h>
#include <stdio.h>
#include <string.h>

enum { FAILURES = 1024 };

/* ---- failures; D's lock is held ---- */

static const dev_failure *failed(const dev_device *d, uint64_t ticket)
{
  const int n = atomic_load(&d->n_failures);
  for (int k = n < FAILURES ? n : FAILURES; k-- > 0;)
    if (d->failures[k].ticket == ticket)
      return &d->failures[k];
  return NULL;
}

static void fail(dev_device *d, uint64_t ticket, int32_t op, int32_t status, const char *text)
{
  dev_failure *f = &d->failures[atomic_load(&d->n_failures) % FAILURES];
  f->ticket = ticket;
  f->op = op;
  f->status = status;
  memccpy(f->text, text, 0, sizeof f->text);
  f->text[sizeof f->text - 1] = 0;
  atomic_fetch_add(&d->n_failures, 1);
}

/* ---- checks ---- */

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

static bool is_over(const dev_device *d, uint64_t ticket)
{
  return atomic_load(&d->stream[ticket >> 48]->reached) >= dev_value(ticket);
}

/* Checks whose submissions are over become failures, or nothing. Origins come before what they tainted. */
static void settle(dev_device *d)
{
  int32_t left = 0;
  const int32_t n = atomic_load(&d->n_checks);
  for (int32_t k = 0; k < n; k++) {
    const dev_check c = d->checks[k];
    if (!is_over(d, c.origin)) {
      d->checks[left++] = c;
      continue;
    }
    if (c.record >= 0) {
      int64_t *found = (int64_t *)d->stream[c.ticket >> 48]->found + c.record * DEV_RECORD_WORDS;
      char text[DEV_TEXT];
      if ((int32_t)found[0]) {
        const int32_t status = describe(&c, found, text);
        fail(d, c.ticket, c.op, status, text);
      }
      continue;
    }
    const dev_failure *f = failed(d, c.origin);
    if (f)
      fail(d, c.ticket, f->op, f->status, f->text);
  }
  atomic_store(&d->n_checks, left);
}

void dev_errors_look(dev_submit *q, const uint64_t *tickets, int32_t n)
{
  dev_device *d = q->device;
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

static int32_t add_check(dev_device *d, const dev_check *c)
{
  const int32_t n = atomic_load(&d->n_checks);
  if (n == d->cap_checks) {
    const int32_t cap = n ? 2 * n : 64;
    dev_check *more = d->host->alloc((size_t)cap * sizeof *more, 0);
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

int32_t dev_errors_enter(const dev_submit *q, uint64_t ticket)
{
  dev_device *d = q->device;
  int32_t status = HED_OK;
  if (!q->skip && !q->tainted && q->record < 0)
    return HED_OK;
  pthread_mutex_lock(&d->lock);
  settle(d);
  const dev_failure *f = q->skip || q->tainted ? failed(d, q->origin) : NULL;
  if (f) {
    const dev_failure copy = *f;
    fail(d, ticket, copy.op, copy.status, copy.text);
  } else if (q->record >= 0) {
    status = add_check(d, &(dev_check){ .ticket = ticket, .origin = ticket, .record = q->record, .op = q->op,
                                        .axis = q->axis });
  }
  if (status == HED_OK && q->tainted && !f && !is_over(d, q->origin))
    status = add_check(d, &(dev_check){ .ticket = ticket, .origin = q->origin, .record = -1 });
  pthread_mutex_unlock(&d->lock);
  return status;
}

int32_t dev_errors_of(dev_device *d, uint64_t ticket, int32_t *op, char *text, size_t cap)
{
  int32_t status = HED_OK;
  if (atomic_load(&d->n_checks) == 0 && atomic_load(&d->n_failures) == 0)
    return HED_OK;
  pthread_mutex_lock(&d->lock);
  settle(d);
  const dev_failure *f = failed(d, ticket);
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

enum { RECORD_BYTES = DEV_RECORD_WORDS * sizeof(int64_t) };

/* The stream's records, and where they arrive. */
static int32_t make_records(dev_stream *s)
{
  dev_device *d = s->device;
  int32_t status = HED_OK;
  if (!s->found) {
    status = dev_status(d, d->port->pinned_alloc(d->dev, DEV_RECORDS * RECORD_BYTES, &s->found));
    if (status == HED_OK)
      memset(s->found, 0, DEV_RECORDS * RECORD_BYTES);
  }
  if (status == HED_OK && !s->record)
    status = dev_memory_get(d, DEV_RECORDS * RECORD_BYTES, &s->record);
  return status;
}

/* Has record K of S been read? */
static bool is_free(dev_device *d, const dev_stream *s, int32_t k)
{
  bool yes = true;
  pthread_mutex_lock(&d->lock);
  settle(d);
  for (int32_t j = 0; j < atomic_load(&d->n_checks); j++)
    yes &= d->checks[j].record != k || d->checks[j].ticket >> 48 != (uint64_t)s->number;
  pthread_mutex_unlock(&d->lock);
  return yes;
}

int32_t dev_errors_record(dev_submit *q, int32_t op, int32_t axis, void **record)
{
  dev_stream *s = q->stream;
  dev_device *d = q->device;
  int32_t status = make_records(s);
  if (status != HED_OK)
    return status;
  if (!is_free(d, s, s->next_record)) { /* so many are under way */
    dev_event *e = dev_event_of(s, atomic_load(&s->issued), &status);
    if (e)
      status = dev_event_wait(s, e);
    dev_event_drop(d, e);
    (void)is_free(d, s, s->next_record);
  }
  if (status != HED_OK)
    return status;
  q->record = s->next_record;
  q->op = op;
  q->axis = axis;
  s->next_record = (s->next_record + 1) % DEV_RECORDS;
  *record = (char *)s->record + q->record * RECORD_BYTES;
  q->begun = true;
  return q->skip ? HED_OK : dev_status(d, d->port->memset(d->dev, s->native, *record, 0, RECORD_BYTES));
}

int32_t dev_errors_fetch(dev_submit *q)
{
  dev_stream *s = q->stream;
  dev_device *d = q->device;
  char *to = (char *)s->found + q->record * RECORD_BYTES, *from = (char *)s->record + q->record * RECORD_BYTES;
  if (q->skip) {
    q->record = -1;
    return HED_OK;
  }
  return dev_status(d, d->port->copy(d->dev, s->native, to, from, RECORD_BYTES, DEV_COPY_OUT, false));
}
