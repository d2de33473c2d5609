// SPDX-License-Identifier: BSD-3-Clause
/* Streams: whose is which, and submissions to them. L1.
 *
 * A thread gets a stream at its first call, the one that fewest threads have; it goes back when the thread ends. What a
 * submission needs of other streams is waited for by the device, by events (event.c).
 */
#include "backends/device/layer.h"
#include <stdlib.h>
#include <string.h>

/* What a thread's slot points at. */
typedef struct thread {
  struct {
    hed__stream *own;
    int32_t selected;          /* number plus 1, 0: none */
  } device[HED__DEVICES];
} thread;

/* ---- made and given ---- */

/* On NATIVE, or a new one of the port's; *STATUS where there is none. D's lock is held. */
static hed__stream *make(hed__device *d, void *native, void *handle, int32_t *status)
{
  hed__stream *s = d->host->alloc(sizeof *s, 0);
  if (!s) {
    *status = d->host->fail(HED_E_NOMEM, "%s: no memory for a stream", d->name);
    return NULL;
  }
  memset(s, 0, sizeof *s);
  s->device = d;
  s->number = d->n_streams;
  s->native = native;
  s->handle = handle;
  pthread_mutex_init(&s->lock, NULL);
  if (!native && (*status = hed__device_status(d, d->port->stream_new(d->dev, &s->native))) != HED_OK) {
    d->host->free(s);
    return NULL;
  }
  d->stream[d->n_streams++] = s;
  return s;
}

/* Streams that threads may get: HEDDLE_STREAMS, at most HED__OWN_STREAMS. */
static int32_t most_own(void)
{
  const char *text = secure_getenv("HEDDLE_STREAMS");
  long n = text ? strtol(text, NULL, 10) : HED__OWN_STREAMS;
  return n < 1 ? 1 : n < HED__OWN_STREAMS ? (int32_t)n : HED__OWN_STREAMS;
}

/* D's lock is held. */
static hed__stream *least_used(const hed__device *d)
{
  hed__stream *best = NULL;
  for (int32_t k = 0; k < d->n_streams; k++)
    if (!d->stream[k]->handle && (!best || d->stream[k]->threads < best->threads))
      best = d->stream[k];
  return best;
}

/* COUNTED: to a thread that gives it back when it ends; a thread that is past that shares one. */
static hed__stream *give(hed__device *d, bool counted, int32_t *status)
{
  pthread_mutex_lock(&d->lock);
  hed__stream *s = least_used(d);
  if (!s || (counted && s->threads > 0 && d->n_own < most_own() && d->n_streams < HED__STREAMS)) {
    hed__stream *more = make(d, NULL, NULL, status);
    d->n_own += more != NULL;
    s = more ? more : s; /* threads can share one */
  }
  if (s) {
    s->threads += counted;
    *status = HED_OK;
  }
  pthread_mutex_unlock(&d->lock);
  return s;
}

static thread *mine(hed__device *d)
{
  void **slot = d->host->thread_slot(d->plugin);
  if (slot && !*slot && (*slot = d->host->alloc(sizeof(thread), 0)))
    memset(*slot, 0, sizeof(thread));
  return slot ? *slot : NULL;
}

/* The calling thread's; the one that fewest have, where it has no slot. */
static hed__stream *current(hed__device *d, int32_t *status)
{
  thread *t = mine(d);
  *status = HED_OK;
  if (t && t->device[d->index].selected)
    return d->stream[t->device[d->index].selected - 1];
  if (t && t->device[d->index].own)
    return t->device[d->index].own;
  hed__stream *s = give(d, t != NULL, status);
  if (s && t)
    t->device[d->index].own = s;
  return s;
}

void hed__device_thread_exit(void *state, void *slot)
{
  hed__device *any = state;
  thread *t = slot;
  for (int32_t k = 0; t && k < HED__DEVICES; k++) {
    hed__stream *s = t->device[k].own;
    if (!s || s->device->forked)
      continue;
    pthread_mutex_lock(&s->device->lock);
    s->threads--;
    pthread_mutex_unlock(&s->device->lock);
  }
  any->host->free(t);
}

/* ---- submissions ---- */

/* Q's stream waits for VALUE of OTHER. */
static int32_t order_after(hed__submit *q, hed__stream *other, uint64_t value)
{
  hed__device *d = q->device;
  int32_t status;
  if (other == q->stream || atomic_load(&other->reached) >= value)
    return HED_OK;
  pthread_mutex_lock(&other->lock);
  hed__event *e = hed__event_of(other, value, &status);
  pthread_mutex_unlock(&other->lock);
  if (!e)
    return status;
  pthread_mutex_lock(&q->stream->lock);
  status = hed__device_status(d, d->port->event_wait(d->dev, q->stream->native, e->native));
  pthread_mutex_unlock(&q->stream->lock);
  hed__event_drop(d, e);
  return status;
}

/* Tickets of one stream are in order, so of each stream the last one counts. */
static void add_needs(const hed__device *d, uint64_t *need, const uint64_t *tickets, int32_t n)
{
  for (int32_t k = 0; k < n; k++) {
    uint64_t stream = tickets[k] >> 48, value = hed__value(tickets[k]);
    if (stream < (uint64_t)d->n_streams && need[stream] < value)
      need[stream] = value;
  }
}

/* Q's stream comes after all of TICKETS. Its own lock is not held. */
static int32_t order_all(hed__submit *q, const uint64_t *first, int32_t n_first, const uint64_t *second, int32_t n_second)
{
  uint64_t need[HED__STREAMS] = { 0 };
  int32_t status = HED_OK;
  if (n_first + n_second == 0)
    return HED_OK;
  add_needs(q->device, need, first, n_first);
  add_needs(q->device, need, second, n_second);
  for (int32_t k = 0; k < q->device->n_streams && status == HED_OK; k++)
    if (need[k])
      status = order_after(q, q->device->stream[k], need[k]);
  return status;
}

int32_t hed__submit_begin(hed__submit *q, hed__device *d, const uint64_t *wait_for, int32_t n_wait_for, const uint64_t *after,
                          int32_t n_after)
{
  int32_t status = hed__device_usable(d);
  memset(q, 0, sizeof *q);
  q->device = d;
  q->record = -1;
  if (status != HED_OK || !(q->stream = current(d, &status)))
    return status;
  hed__errors_look(q, wait_for, n_wait_for);
  if ((status = order_all(q, wait_for, n_wait_for, after, n_after)) != HED_OK)
    return status;
  pthread_mutex_lock(&q->stream->lock);
  return HED_OK;
}

int32_t hed__submit_launch(hed__submit *q, void *entry, const hed__launch *launch)
{
  hed__device *d = q->device;
  if (q->skip || launch->groups[0] == 0 || launch->groups[1] == 0 || launch->groups[2] == 0)
    return HED_OK;
  q->begun = true;
  return hed__device_status(d, d->port->launch(d->dev, q->stream->native, entry, launch));
}

/* Waits until the stream has done what it holds. Its lock is held. */
static int32_t drain(hed__stream *s)
{
  int32_t status;
  atomic_fetch_add(&s->issued, 1); /* what is there without a ticket */
  hed__event *e = hed__event_of(s, atomic_load(&s->issued), &status);
  if (e)
    status = hed__event_wait(s, e);
  hed__event_drop(s->device, e);
  return status;
}

int32_t hed__submit_end(hed__submit *q, int32_t status, uint64_t *ticket)
{
  hed__stream *s = q->stream;
  if (!s)
    return status;
  if (status == HED_OK) {
    const uint64_t given = hed__ticket(s, atomic_fetch_add(&s->issued, 1) + 1);
    status = hed__errors_enter(q, given);
    if (ticket)
      *ticket = given;
    if (status == HED_OK && q->begun)
      status = hed__device_status(q->device, q->device->port->flush(q->device->dev, s->native));
  }
  if (status != HED_OK && q->begun && !atomic_load(&q->device->lost))
    (void)drain(s); /* the host will reuse the memory at once */
  pthread_mutex_unlock(&s->lock);
  return status;
}

/* ---- scratch memory ---- */

/* Frees what S no longer uses. Its lock is held. */
static void free_retired(hed__stream *s)
{
  hed__device *d = s->device;
  for (hed__retired **at = &s->retired; *at;) {
    hed__retired *r = *at;
    int32_t status;
    hed__event *e = hed__event_of(s, r->value, &status);
    const bool over = status == HED_OK && (!e || hed__event_over(s, e) == 1);
    hed__event_drop(d, e);
    if (!over)
      return;
    *at = r->next;
    d->port->free(d->dev, r->memory);
    d->host->free(r);
  }
}

/* S's scratch memory goes once the submission under way, VALUE, is over. */
static int32_t retire(hed__stream *s, void *memory, size_t bytes, uint64_t value)
{
  hed__device *d = s->device;
  hed__retired *r = memory ? d->host->alloc(sizeof *r, 0) : NULL, **at = &s->retired;
  if (!memory)
    return HED_OK;
  if (!r)
    return d->host->fail(HED_E_NOMEM, "%s: no memory for a submission", d->name);
  *r = (hed__retired){ .memory = memory, .bytes = bytes, .value = value };
  while (*at)
    at = &(*at)->next;
  *at = r;
  return HED_OK;
}

int32_t hed__submit_scratch(hed__submit *q, size_t bytes, void **out)
{
  enum { LEAST_KEPT = 64 << 20, SHARE = 64, GRAIN = 1 << 16 };
  hed__stream *s = q->stream;
  hed__device *d = q->device;
  /* What is not kept is allocated and freed by every call, for which drivers wait. */
  const size_t share = (size_t)(d->limits.memory / SHARE), keep = share > LEAST_KEPT ? share : LEAST_KEPT;
  const uint64_t value = atomic_load(&s->issued);
  void *p = NULL;
  int32_t status;
  if (bytes <= s->scratch_bytes) {
    *out = s->scratch;
    return HED_OK;
  }
  free_retired(s);
  if (bytes <= keep && bytes < 2 * s->scratch_bytes) /* sizes that grow bit by bit */
    bytes = 2 * s->scratch_bytes < keep ? 2 * s->scratch_bytes : keep;
  bytes = (bytes + GRAIN - 1) / GRAIN * GRAIN;
  if ((status = hed__device_status(d, d->port->alloc(d->dev, bytes, &p))) != HED_OK)
    return status;
  if (bytes > keep + GRAIN) {
    status = retire(s, p, bytes, value + 1);
  } else if ((status = retire(s, s->scratch, s->scratch_bytes, value)) == HED_OK) {
    s->scratch = p;
    s->scratch_bytes = bytes;
  }
  if (status != HED_OK)
    d->port->free(d->dev, p);
  else
    *out = p;
  return status;
}

size_t hed__device_trim(void *state, size_t want, int32_t level)
{
  hed__device *d = state;
  size_t bytes = 0;
  (void)level;
  for (int32_t k = 0; k < d->n_streams && bytes < want && !d->forked && !atomic_load(&d->lost); k++) {
    hed__stream *s = d->stream[k];
    if (pthread_mutex_trylock(&s->lock) != 0)
      continue; /* at work, perhaps for this thread */
    if (s->scratch && retire(s, s->scratch, s->scratch_bytes, atomic_load(&s->issued)) == HED_OK) {
      bytes += s->scratch_bytes;
      s->scratch = NULL;
      s->scratch_bytes = 0;
    }
    if (s->retired && drain(s) == HED_OK)
      free_retired(s);
    pthread_mutex_unlock(&s->lock);
  }
  return bytes;
}

/* ---- waiting ---- */

int32_t hed__submit_await(hed__device *d, const uint64_t *tickets, int32_t n)
{
  char text[HED__TEXT];
  int32_t status = HED_OK, op = -1;
  for (int32_t k = 0; k < n && status == HED_OK; k++)
    status = hed__device_wait(d, tickets[k], &op, text, sizeof text);
  return n > 0 && status != HED_OK && status != HED_E_FORKED ? d->host->fail(status, "%s", text) : status;
}

/* Whatever lock's thread is cancelled while it waits: none is held. */
int32_t hed__device_wait(void *state, uint64_t ticket, int32_t *op, char *text, size_t cap)
{
  hed__device *d = state;
  uint64_t stream = ticket >> 48;
  int32_t status = HED_OK;
  if (d->forked)
    return d->host->fail(HED_E_FORKED, "%s does not work in a child of fork", d->name);
  if (stream < (uint64_t)d->n_streams && !atomic_load(&d->lost)) {
    hed__stream *s = d->stream[stream];
    pthread_mutex_lock(&s->lock);
    hed__event *e = hed__event_of(s, hed__value(ticket), &status);
    pthread_mutex_unlock(&s->lock);
    if (e)
      status = hed__event_wait(s, e);
    hed__event_drop(d, e);
    hed__programs_save_now_and_then(d);
  }
  if (atomic_load(&d->lost)) {
    if (cap)
      memccpy(text, d->lost_text, 0, cap < sizeof d->lost_text ? cap : sizeof d->lost_text);
    return HED_E_UNAVAILABLE;
  }
  return status != HED_OK ? status : hed__errors_of(d, ticket, op, text, cap);
}

int32_t hed__device_done(void *state, uint64_t ticket)
{
  hed__device *d = state;
  uint64_t stream = ticket >> 48, value = hed__value(ticket);
  int32_t status;
  if (d->forked || stream >= (uint64_t)d->n_streams)
    return 0;
  hed__stream *s = d->stream[stream];
  if (atomic_load(&s->reached) >= value)
    return 1;
  if (atomic_load(&d->lost) || pthread_mutex_trylock(&s->lock) != 0)
    return 0;
  hed__event *e = hed__event_of(s, value, &status);
  pthread_mutex_unlock(&s->lock);
  const int32_t over = e ? hed__event_over(s, e) == 1 : status == HED_OK;
  hed__event_drop(d, e);
  return over;
}

/* ---- exchange ---- */

int32_t hed__device_stream(void *state)
{
  hed__device *d = state;
  int32_t status = d->forked ? d->host->fail(HED_E_FORKED, "%s does not work in a child of fork", d->name) : HED_OK;
  hed__stream *s = status == HED_OK ? current(d, &status) : NULL;
  return s ? s->number : status;
}

int32_t hed__device_stream_native(void *state, void **handle)
{
  hed__device *d = state;
  int32_t status = hed__device_usable(d);
  hed__stream *s = status == HED_OK ? current(d, &status) : NULL;
  if (s)
    *handle = d->port->stream_native(d->dev, s->native);
  return status;
}

int32_t hed__device_stream_adopt(void *state, void *handle)
{
  hed__device *d = state;
  hed__stream *s = NULL;
  void *native = NULL;
  int32_t status = hed__device_usable(d);
  if (status != HED_OK)
    return status;
  pthread_mutex_lock(&d->lock);
  for (int32_t k = 0; k < d->n_streams && !s; k++)
    if (d->stream[k]->handle == handle || d->port->stream_native(d->dev, d->stream[k]->native) == handle)
      s = d->stream[k];
  if (!s && d->n_streams == HED__STREAMS)
    status = d->host->fail(HED_E_LIMIT, "%s: %d streams are in use, as many as there can be", d->name, HED__STREAMS);
  else if (!s && (status = hed__device_status(d, d->port->stream_wrap(d->dev, handle, &native))) == HED_OK)
    s = make(d, native, handle, &status);
  pthread_mutex_unlock(&d->lock);
  return s ? s->number : status;
}

int32_t hed__device_stream_select(void *state, int32_t stream)
{
  hed__device *d = state;
  thread *t = mine(d);
  if (stream < -1 || stream >= d->n_streams)
    return d->host->fail(HED_E_INVAL, "%s has streams 0 to %d, not %d", d->name, (int)d->n_streams - 1, (int)stream);
  if (!t)
    return d->host->fail(HED_E_LIMIT, "%s: no slot for this thread", d->name);
  t->device[d->index].selected = stream + 1;
  return HED_OK;
}

/* All that S holds now, without a ticket too: what others put into a program's stream. */
static uint64_t all_of(hed__stream *s)
{
  pthread_mutex_lock(&s->lock);
  const uint64_t value = s->handle ? atomic_fetch_add(&s->issued, 1) + 1 : atomic_load(&s->issued);
  pthread_mutex_unlock(&s->lock);
  return hed__ticket(s, value);
}

int32_t hed__device_stream_after(void *state, void *handle, const uint64_t *tickets, int32_t n)
{
  hed__device *d = state;
  int32_t number = hed__device_stream_adopt(d, handle), status = HED_OK;
  hed__stream *own = number >= 0 ? current(d, &status) : NULL;
  if (!own)
    return number >= 0 ? status : number;
  const uint64_t all = all_of(own);
  hed__submit q = { .device = d, .stream = d->stream[number] };
  return n > 0 ? order_all(&q, tickets, n, NULL, 0) : order_all(&q, &all, 1, NULL, 0);
}

int32_t hed__device_after_stream(void *state, void *handle)
{
  hed__device *d = state;
  int32_t number = hed__device_stream_adopt(d, handle), status = HED_OK;
  hed__stream *own = number >= 0 ? current(d, &status) : NULL;
  if (!own)
    return number >= 0 ? status : number;
  const uint64_t all = all_of(d->stream[number]);
  hed__submit q = { .device = d, .stream = own };
  return order_all(&q, &all, 1, NULL, 0);
}
