// SPDX-License-Identifier: BSD-3-Clause
/* Streams: whose is which, and submissions to them. L1.
 *
 * A thread gets a stream at its first call, the one that fewest threads have; it goes back when the thread ends. What a
 * submission needs of other streams is waited for by the device, by events (event.c).
 */
#include "backends/device/runtime/runtime.h"
#include "base/cancel.h"
#include "base/invariant.h"
#include <stdlib.h>
#include <string.h>

/* What a thread's slot points at. */
typedef struct thread {
  struct {
    dev_stream *own, *standard; /* STANDARD: its default stream, a user of which it is */
    int32_t selected;          /* number plus 1, 0: none */
  } device[DEV_MOST_DEVICES];
} thread;

/* ---- made and given ---- */

/* A stream whose number is free, NULL: none. D's lock is held. */
static dev_stream *vacant(const dev_device *d)
{
  for (int32_t k = 0; k < d->n_streams; k++)
    if (!d->stream[k]->native)
      return d->stream[k];
  return NULL;
}

/* D's lock is held. */
static dev_stream *add(dev_device *d, int32_t *status)
{
  dev_stream *s = d->n_streams < DEV_STREAMS ? d->host->alloc(sizeof *s, 0) : NULL;
  if (!s) {
    *status = d->n_streams < DEV_STREAMS
                  ? d->host->fail(HED_E_NOMEM, "%s: no memory for a stream", d->name)
                  : d->host->fail(HED_E_LIMIT, "%s: %d streams are in use, as many as there can be", d->name, DEV_STREAMS);
    return NULL;
  }
  memset(s, 0, sizeof *s);
  s->device = d;
  s->number = d->n_streams;
  pthread_mutex_init(&s->lock, NULL);
  return d->stream[d->n_streams++] = s;
}

/* On HANDLE, or a new one of the port's; *STATUS where there is none. D's lock is held. */
static dev_stream *make(dev_device *d, void *handle, int32_t *status)
{
  dev_stream *s = vacant(d);
  void *native = NULL;
  if (!s && !(s = add(d, status)))
    return NULL;
  *status = dev_status(d, handle ? d->port->stream_wrap(d->dev, handle, &native) : d->port->stream_new(d->dev, &native));
  if (*status != HED_OK)
    return NULL;
  s->native = native;
  s->handle = handle;
  s->of_thread = handle && handle == d->port->stream_of_thread;
  return s;
}

/* Streams that threads may get: HEDDLE_STREAMS, at most DEV_OWN_STREAMS. */
static int32_t most_own(void)
{
  const char *text = secure_getenv("HEDDLE_STREAMS");
  long n = text ? strtol(text, NULL, 10) : DEV_OWN_STREAMS;
  return n < 1 ? 1 : n < DEV_OWN_STREAMS ? (int32_t)n : DEV_OWN_STREAMS;
}

/* D's lock is held. */
static dev_stream *least_used(const dev_device *d)
{
  dev_stream *best = NULL;
  for (int32_t k = 0; k < d->n_streams; k++)
    if (d->stream[k]->native && !d->stream[k]->handle && (!best || d->stream[k]->threads < best->threads))
      best = d->stream[k];
  return best;
}

/* COUNTED: to a thread that gives it back when it ends; a thread that is past that shares one. */
static dev_stream *give(dev_device *d, bool counted, int32_t *status)
{
  pthread_mutex_lock(&d->lock);
  dev_stream *s = least_used(d);
  if (!s || (counted && s->threads > 0 && d->n_own < most_own() && (d->n_streams < DEV_STREAMS || vacant(d)))) {
    dev_stream *more = make(d, NULL, status);
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

static thread *mine(dev_device *d)
{
  void **slot = d->host->thread_slot(d->plugin);
  if (slot && !*slot && (*slot = d->host->alloc(sizeof(thread), 0)))
    memset(*slot, 0, sizeof(thread));
  return slot ? *slot : NULL;
}

dev_stream *dev_stream_current(dev_device *d, int32_t *status)
{
  HED__ASSERT(d->index >= 0 && d->index < DEV_MOST_DEVICES);
  thread *t = mine(d);
  *status = HED_OK;
  if (t && t->device[d->index].selected)
    return d->stream[t->device[d->index].selected - 1];
  if (t && t->device[d->index].own)
    return t->device[d->index].own;
  dev_stream *s = give(d, t != NULL, status);
  if (s && t)
    t->device[d->index].own = s;
  return s;
}

void dev_thread_exit(void *state, void *slot)
{
  dev_device *any = state;
  thread *t = slot;
  for (int32_t k = 0; t && k < DEV_MOST_DEVICES; k++) {
    dev_stream *s = t->device[k].own, *standard = t->device[k].standard;
    if (s && !s->device->forked) {
      pthread_mutex_lock(&s->device->lock);
      HED__ASSERT(s->threads > 0);
      s->threads--;
      pthread_mutex_unlock(&s->device->lock);
    }
    if (standard)
      dev_stream_release(standard->device, standard->number);
  }
  any->host->free(t);
}

/* ---- submissions ---- */

int32_t dev_order_after(dev_submit *q, dev_stream *other, uint64_t value)
{
  dev_device *d = q->device;
  int32_t status;
  if (other == q->stream || atomic_load(&other->reached) >= value)
    return HED_OK;
  pthread_mutex_lock(&other->lock);
  dev_event *e = dev_event_of(other, value, &status);
  pthread_mutex_unlock(&other->lock);
  if (!e)
    return status;
  pthread_mutex_lock(&q->stream->lock);
  status = dev_status(d, d->port->event_wait(d->dev, q->stream->native, e->native));
  pthread_mutex_unlock(&q->stream->lock);
  dev_event_drop(other->device, e);
  return status;
}

/* Tickets of one stream are in order, so of each stream the last one counts. */
static void add_needs(const dev_device *d, uint64_t *need, const uint64_t *tickets, int32_t n)
{
  for (int32_t k = 0; k < n; k++) {
    uint64_t stream = tickets[k] >> 48, value = dev_value(tickets[k]);
    HED__ASSERT(value > 0);
    if (stream < (uint64_t)d->n_streams && need[stream] < value)
      need[stream] = value;
  }
}

/* Q's stream comes after all of TICKETS. Its own lock is not held. */
static int32_t order_all(dev_submit *q, const uint64_t *first, int32_t n_first, const uint64_t *second, int32_t n_second)
{
  uint64_t need[DEV_STREAMS] = { 0 };
  int32_t status = HED_OK;
  if (n_first + n_second == 0)
    return HED_OK;
  add_needs(q->device, need, first, n_first);
  add_needs(q->device, need, second, n_second);
  for (int32_t k = 0; k < q->device->n_streams && status == HED_OK; k++)
    if (need[k])
      status = dev_order_after(q, q->device->stream[k], need[k]);
  return status;
}

int32_t dev_submit_begin(dev_submit *q, dev_device *d, int32_t results, const uint64_t *wait_for, int32_t n_wait_for,
                         const uint64_t *after, int32_t n_after)
{
  int32_t status = dev_usable(d);
  memset(q, 0, sizeof *q);
  HED__ASSERT(results >= 0 && n_wait_for >= 0 && n_after >= 0);
  q->device = d;
  q->results = results;
  q->record = -1;
  q->op = HED_OP_COPY; /* until it is said to be another */
  if (status != HED_OK || !(q->stream = dev_stream_current(d, &status)))
    return status;
  if ((status = dev_fate_look(q, wait_for, n_wait_for)) == HED_OK)
    status = order_all(q, wait_for, n_wait_for, after, n_after);
  if (status != HED_OK) {
    dev_fate_drop(q);
    return status;
  }
  q->cancel = hed__cancel_off();
  pthread_mutex_lock(&q->stream->lock);
  if (dev_ends()) { /* since that was looked at */
    pthread_mutex_unlock(&q->stream->lock);
    hed__cancel_back(q->cancel);
    dev_fate_drop(q);
    status = dev_usable(d);
  }
  return status;
}

int32_t dev_submit_launch(dev_submit *q, void *entry, const dev_launch *launch)
{
  dev_device *d = q->device;
  HED__ASSERT(entry && launch->block > 0 && launch->args_bytes % 8 == 0);
  HED__ASSERT(launch->n_pointers >= 0 && launch->n_pointers <= DEV_MOST_POINTERS);
  if (q->skip || launch->groups[0] == 0 || launch->groups[1] == 0 || launch->groups[2] == 0)
    return HED_OK;
  q->begun = true;
  return dev_status(d, d->port->launch(d->dev, q->stream->native, entry, launch));
}

/* Waits until the stream has done what it holds. Its lock is held. */
static int32_t drain(dev_stream *s)
{
  int32_t status = HED_OK;
  if (!s->native)
    return HED_OK;
  if (!s->of_thread) /* whose thread alone records events, with each submission */
    atomic_fetch_add(&s->issued, 1); /* what is there without a ticket */
  dev_event *e = dev_event_of(s, atomic_load(&s->issued), &status);
  if (e)
    status = dev_event_wait(s, e);
  dev_event_drop(s->device, e);
  return status;
}

void dev_drain(dev_device *d)
{
  for (int32_t k = 0; k < d->n_streams; k++) {
    pthread_mutex_lock(&d->stream[k]->lock);
    (void)drain(d->stream[k]);
    pthread_mutex_unlock(&d->stream[k]->lock);
  }
}

int32_t dev_submit_end(dev_submit *q, int32_t status, uint64_t *ticket)
{
  dev_stream *s = q->stream;
  if (!s)
    return status;
  if (status == HED_OK) {
    const uint64_t given = dev_ticket(s, atomic_fetch_add(&s->issued, 1) + 1);
    s->op[given % DEV_OPS] = q->op;
    status = dev_fate_enter(q, given);
    if (ticket)
      *ticket = given;
    if (status == HED_OK && s->of_thread)
      dev_event_drop(q->device, dev_event_of(s, dev_value(given), &status));
    if (status == HED_OK && q->begun)
      status = dev_status(q->device, q->device->port->flush(q->device->dev, s->native));
    if (status != HED_OK)
      dev_fate_end(q->device, given);
  }
  dev_fate_drop(q);
  if (status != HED_OK && q->begun && !atomic_load(&q->device->lost))
    (void)drain(s); /* the host will reuse the memory at once */
  pthread_mutex_unlock(&s->lock);
  hed__cancel_back(q->cancel);
  return status;
}

/* ---- scratch memory ---- */

/* Frees what S no longer uses. Its lock is held. */
static void free_retired(dev_stream *s)
{
  dev_device *d = s->device;
  for (dev_retired **at = &s->retired; *at;) {
    dev_retired *r = *at;
    int32_t status;
    dev_event *e = dev_event_of(s, r->value, &status);
    const bool over = status == HED_OK && (!e || dev_event_over(s, e) == 1);
    dev_event_drop(d, e);
    if (!over)
      return;
    *at = r->next;
    d->port->free(d->dev, r->memory);
    d->host->free(r);
  }
}

/* S's scratch memory goes once the submission under way, VALUE, is over. */
static int32_t retire(dev_stream *s, void *memory, size_t bytes, uint64_t value)
{
  dev_device *d = s->device;
  dev_retired *r = memory ? d->host->alloc(sizeof *r, 0) : NULL, **at = &s->retired;
  if (!memory)
    return HED_OK;
  if (!r)
    return d->host->fail(HED_E_NOMEM, "%s: no memory for a submission", d->name);
  *r = (dev_retired){ .memory = memory, .bytes = bytes, .value = value };
  while (*at)
    at = &(*at)->next;
  *at = r;
  return HED_OK;
}

int32_t dev_submit_scratch(dev_submit *q, size_t bytes, void **out)
{
  enum { LEAST_KEPT = 64 << 20, SHARE = 64, GRAIN = 1 << 16 };
  dev_stream *s = q->stream;
  dev_device *d = q->device;
  /* What is not kept is allocated and freed by every call, for which drivers wait. */
  const size_t share = (size_t)(d->limits.memory / SHARE), keep = share > LEAST_KEPT ? share : LEAST_KEPT;
  const uint64_t value = atomic_load(&s->issued);
  void *p = NULL;
  HED__ASSERT(bytes > 0);
  int32_t status;
  if (bytes <= s->scratch_bytes) {
    *out = s->scratch;
    return HED_OK;
  }
  free_retired(s);
  if (bytes <= keep && bytes < 2 * s->scratch_bytes) /* sizes that grow bit by bit */
    bytes = 2 * s->scratch_bytes < keep ? 2 * s->scratch_bytes : keep;
  bytes = (bytes + GRAIN - 1) / GRAIN * GRAIN;
  if ((status = dev_status(d, d->port->alloc(d->dev, bytes, &p))) != HED_OK)
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

/* ---- given back ---- */

/* What S has, of which nothing is in use. S's lock and D's are held. The bytes of the device's memory. */
static size_t vacate(dev_stream *s)
{
  dev_device *d = s->device;
  HED__ASSERT(s->native && s->users == 0);
  const size_t bytes = s->scratch_bytes;
  free_retired(s);
  if (s->scratch)
    d->port->free(d->dev, s->scratch);
  s->scratch = NULL;
  s->scratch_bytes = 0;
  for (int k = 0; k < DEV_PIECES; k++) {
    dev_event_drop(d, s->piece[k].busy);
    if (s->piece[k].memory)
      d->port->pinned_free(d->dev, s->piece[k].memory);
    s->piece[k] = (dev_piece){ NULL, NULL };
  }
  dev_event_drop(d, s->last);
  s->last = NULL;
  d->port->stream_drop(d->dev, s->native);
  s->native = s->handle = NULL;
  return bytes;
}

/* Has all that S holds been done? S's lock is held; the newest event stands for all, as when S was released. */
static bool is_idle(dev_stream *s)
{
  const uint64_t all = atomic_load(&s->issued);
  return atomic_load(&s->reached) >= all || (s->last && s->last->value >= all && dev_event_over(s, s->last) == 1);
}

/* Streams of the program that nobody has: those that are done. D's lock is held. */
static size_t vacate_idle(dev_device *d)
{
  size_t bytes = 0;
  for (int32_t k = 0; k < d->n_streams; k++) {
    dev_stream *s = d->stream[k];
    if (!s->native || !s->handle || s->users > 0 || pthread_mutex_trylock(&s->lock) != 0)
      continue;
    if (is_idle(s))
      bytes += vacate(s);
    pthread_mutex_unlock(&s->lock);
  }
  return bytes;
}

static size_t vacate_all(dev_device *d)
{
  pthread_mutex_lock(&d->lock);
  const size_t bytes = vacate_idle(d);
  pthread_mutex_unlock(&d->lock);
  return bytes;
}

size_t dev_trim(void *state, size_t want, int32_t level)
{
  dev_device *d = state;
  size_t bytes = 0;
  (void)level;
  if (!d->forked && !atomic_load(&d->lost))
    bytes += vacate_all(d);
  for (int32_t k = 0; k < d->n_streams && bytes < want && !d->forked && !atomic_load(&d->lost); k++) {
    dev_stream *s = d->stream[k];
    if (s->of_thread || (s->handle && s->users == 0) || pthread_mutex_trylock(&s->lock) != 0)
      continue; /* where an event would be another stream's, or none's; at work, perhaps for this thread */
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

/* ---- exchange ---- */

int32_t dev_stream_number(void *state)
{
  dev_device *d = state;
  int32_t status = d->forked ? d->host->fail(HED_E_FORKED, "%s does not work in a child of fork", d->name) : HED_OK;
  dev_stream *s = status == HED_OK ? dev_stream_current(d, &status) : NULL;
  return s ? s->number : status;
}

int32_t dev_stream_native(void *state, void **handle)
{
  dev_device *d = state;
  int32_t status = dev_usable(d);
  dev_stream *s = status == HED_OK ? dev_stream_current(d, &status) : NULL;
  if (s)
    *handle = d->port->stream_native(d->dev, s->native);
  return status;
}

/* The stream of HANDLE that somebody has, NULL: none. D's lock is held. */
static dev_stream *in_use(const dev_device *d, const void *handle)
{
  for (int32_t k = 0; k < d->n_streams; k++) {
    dev_stream *s = d->stream[k];
    if (s->native && (!s->handle || s->users > 0) && d->port->stream_native(d->dev, s->native) == handle)
      return s;
  }
  return NULL;
}

/* The calling thread's default stream, another one for each thread; *STATUS where there is none. */
static dev_stream *standard(dev_device *d, int32_t *status)
{
  thread *t = mine(d);
  dev_stream *s = t ? t->device[d->index].standard : NULL;
  if (!t)
    *status = d->host->fail(HED_E_LIMIT, "%s: no slot for this thread", d->name);
  if (!t || s)
    return s;
  pthread_mutex_lock(&d->lock);
  (void)vacate_idle(d);
  if ((s = make(d, d->port->stream_of_thread, status)) != NULL)
    s->users = 1;
  pthread_mutex_unlock(&d->lock);
  return t->device[d->index].standard = s;
}

int32_t dev_stream_adopt(void *state, void *handle)
{
  dev_device *d = state;
  dev_stream *s = NULL;
  int32_t status = dev_usable(d);
  const bool of_thread = handle && handle == d->port->stream_of_thread;
  if (status != HED_OK || (of_thread && !(s = standard(d, &status))))
    return status;
  pthread_mutex_lock(&d->lock);
  if (!s && !(s = in_use(d, handle))) {
    (void)vacate_idle(d);
    s = make(d, handle, &status);
  }
  if (s)
    s->users++;
  pthread_mutex_unlock(&d->lock);
  return s ? s->number : status;
}

/* Whoever waits later for what it holds does so by an event of now: then the program may end it. */
void dev_stream_release(void *state, int32_t stream)
{
  dev_device *d = state;
  int32_t status;
  if (d->forked || stream < 0 || stream >= d->n_streams)
    return;
  dev_stream *s = d->stream[stream];
  const int cancel = hed__cancel_off();
  pthread_mutex_lock(&s->lock);
  pthread_mutex_lock(&d->lock);
  if (--s->users == 0 && s->handle && !atomic_load(&d->lost)) {
    dev_event_drop(d, dev_event_of(s, atomic_load(&s->issued), &status));
    if (is_idle(s))
      (void)vacate(s);
  }
  pthread_mutex_unlock(&d->lock);
  pthread_mutex_unlock(&s->lock);
  hed__cancel_back(cancel);
}

int32_t dev_stream_select(void *state, int32_t stream)
{
  dev_device *d = state;
  thread *t = mine(d);
  if (stream < -1 || stream >= d->n_streams)
    return d->host->fail(HED_E_INVAL, "%s has streams 0 to %d, not %d", d->name, (int)d->n_streams - 1, (int)stream);
  if (!t)
    return d->host->fail(HED_E_LIMIT, "%s: no slot for this thread", d->name);
  if (stream >= 0 && d->stream[stream]->of_thread) {
    int32_t status = HED_OK;
    const dev_stream *s = standard(d, &status);
    if (!s)
      return status;
    stream = s->number;
  }
  t->device[d->index].selected = stream + 1;
  return HED_OK;
}

/* All that S holds now, without a ticket too: what others put into a program's stream. */
static uint64_t all_of(dev_stream *s)
{
  pthread_mutex_lock(&s->lock);
  const uint64_t value = s->handle ? atomic_fetch_add(&s->issued, 1) + 1 : atomic_load(&s->issued);
  pthread_mutex_unlock(&s->lock);
  return dev_ticket(s, value);
}

int32_t dev_stream_after(void *state, void *handle, const uint64_t *tickets, int32_t n)
{
  dev_device *d = state;
  int32_t number = dev_stream_adopt(d, handle), status = HED_OK;
  dev_stream *own = number >= 0 ? dev_stream_current(d, &status) : NULL;
  if (!own) {
    if (number >= 0)
      dev_stream_release(d, number);
    return number >= 0 ? status : number;
  }
  const uint64_t all = all_of(own);
  dev_submit q = { .device = d, .stream = d->stream[number] };
  status = n > 0 ? order_all(&q, tickets, n, NULL, 0) : order_all(&q, &all, 1, NULL, 0);
  dev_stream_release(d, number);
  return status;
}

int32_t dev_after_stream(void *state, void *handle)
{
  dev_device *d = state;
  int32_t number = dev_stream_adopt(d, handle), status = HED_OK;
  dev_stream *own = number >= 0 ? dev_stream_current(d, &status) : NULL;
  if (!own) {
    if (number >= 0)
      dev_stream_release(d, number);
    return number >= 0 ? status : number;
  }
  const uint64_t all = all_of(d->stream[number]);
  dev_submit q = { .device = d, .stream = own };
  status = order_all(&q, &all, 1, NULL, 0);
  dev_stream_release(d, number);
  return status;
}
