// SPDX-License-Identifier: BSD-3-Clause
/* An asynchronous backend outside the tree, to start another one from: memory of its own, and streams that work while the
 * program goes on. mirror.c is the simple case; read it first, then "The asynchronous contract" in <heddle/backend.h>.
 *
 *   cc -shared -fPIC -o relay.so relay.c $(pkg-config --cflags heddle-core) -pthread
 *   HEDDLE_PLUGIN_PATH=$PWD HEDDLE_BACKEND=relay ./program
 *
 * The device is a few threads, a stream each. It tells nothing of its progress but by events, as hardware does: an event is
 * put into a stream behind what is there, and can be waited for, by the host and by other streams. They are lazy: none is
 * put while nobody asks, so a program with one stream that reads its results at the end has one event.
 *
 * What a real one changes: the worker is the driver's queue, an event is the driver's event, copies go through pinned memory.
 * Nothing that this device has accepted can fail. Where it can, a stream keeps the failed tickets with operation and text; what
 * lists one in WAIT_FOR, not in AFTER, fails the same way instead of running, and wait delivers it.
 */
#include <heddle/backend.h>
#include <heddle/op_names.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { STREAMS = 4, MAX_IN = 2 };

typedef struct job {
  struct job *next;
  void (*run)(const struct job *job); /* NULL: an event */
  uint64_t value;                     /* of its ticket, or of the last one before the event */
  uint64_t need[STREAMS];             /* for each stream, the value that has to be over before */
  int32_t op, n_in;
  hed_view in[MAX_IN], out;
  hed_reduce_params reduce;
  double fill;
} job; /* a copy's elements follow */

typedef struct stream {
  struct relay *device;
  int32_t number;
  job *first, *last;
  uint64_t issued;  /* value of the last ticket */
  uint64_t marked;  /* and of the last event */
  uint64_t reached; /* and of the last event that is over */
} stream;

typedef struct relay {
  const hed_host_api *host;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  stream stream[STREAMS];
  int32_t next;                  /* whose turn it is when a thread asks for a stream */
  volatile sig_atomic_t forked;  /* in a child of fork there are no threads, so there is no device */
} relay;

static const hed_plugin plugin;

/* ---- streams: with the lock held ---- */

static void put(stream *s, job *j)
{
  j->next = NULL;
  *(s->last ? &s->last->next : &s->first) = j;
  s->last = j;
  pthread_cond_broadcast(&s->device->changed);
}

/* An event of S that covers VALUE: the last one does, or a new one behind all there is, which covers more. */
static bool mark(stream *s, uint64_t value)
{
  if (s->marked >= value)
    return true;
  job *event = s->device->host->alloc(sizeof *event, 0);
  if (!event)
    return false;
  memset(event, 0, sizeof *event);
  event->value = s->marked = s->issued;
  put(s, event);
  return true;
}

static bool is_over(const relay *d, const uint64_t *need)
{
  bool yes = true;
  for (int32_t k = 0; k < STREAMS; k++)
    yes = yes && d->stream[k].reached >= need[k];
  return yes;
}

static void *work(void *arg)
{
  stream *s = arg;
  relay *d = s->device;
  pthread_mutex_lock(&d->lock);
  for (;;) {
    while (!s->first || !is_over(d, s->first->need)) /* the stream waits, not the thread that submitted */
      pthread_cond_wait(&d->changed, &d->lock);
    job *j = s->first;
    s->first = j->next;
    if (!s->first)
      s->last = NULL;
    if (j->run) {
      pthread_mutex_unlock(&d->lock);
      j->run(j);
      pthread_mutex_lock(&d->lock);
    } else {
      s->reached = j->value;
      pthread_cond_broadcast(&d->changed);
    }
    d->host->free(j);
  }
  return NULL;
}

/* ---- tickets: the stream's number above 48 bits of its value ---- */

static uint64_t value_of(uint64_t ticket) { return ticket & (((uint64_t)1 << 48) - 1); }

/* Tickets of one stream are ordered, so of a list only the last of each stream counts. */
static void add_needs(uint64_t *need, const uint64_t *tickets, int32_t n)
{
  for (int32_t k = 0; k < n; k++)
    if (need[tickets[k] >> 48] < value_of(tickets[k]))
      need[tickets[k] >> 48] = value_of(tickets[k]);
}

/* The calling thread's stream: its slot keeps it, and it is the same for ever. */
static stream *mine(relay *d)
{
  void **slot = d->host->thread_slot(&plugin);
  if (slot && *slot)
    return *slot;
  pthread_mutex_lock(&d->lock);
  stream *s = &d->stream[d->next++ % STREAMS];
  pthread_mutex_unlock(&d->lock);
  if (slot)
    *slot = s;
  return s;
}

static int32_t forked(const relay *d) { return d->host->fail(HED_E_FORKED, "relay does not work in a child of fork"); }
static int32_t no_memory(const relay *d) { return d->host->fail(HED_E_NOMEM, "relay: no memory for a submission"); }

/* J, which is the device's from now on, at the end of the calling thread's stream, once all tickets listed are over. */
static int32_t submit(relay *d, job *j, const uint64_t *wait_for, int32_t n_wait_for, const uint64_t *after, int32_t n_after,
                      uint64_t *ticket)
{
  stream *s = mine(d);
  bool good = true;
  add_needs(j->need, wait_for, n_wait_for);
  add_needs(j->need, after, n_after);
  j->need[s->number] = 0; /* its own stream is in order anyway */
  pthread_mutex_lock(&d->lock);
  for (int32_t k = 0; k < STREAMS && good; k++)
    good = mark(&d->stream[k], j->need[k]);
  if (good) {
    j->value = ++s->issued;
    if (ticket)
      *ticket = (uint64_t)s->number << 48 | j->value;
    put(s, j);
  }
  pthread_mutex_unlock(&d->lock);
  if (good)
    return HED_OK;
  d->host->free(j);
  return no_memory(d);
}

static void unlock(void *lock) { pthread_mutex_unlock(lock); }

/* The host waits until everything listed is over. A thread that is cancelled here leaves the lock. */
static int32_t await(relay *d, const uint64_t *tickets, int32_t n)
{
  uint64_t need[STREAMS] = { 0 };
  bool good = true;
  add_needs(need, tickets, n);
  pthread_mutex_lock(&d->lock);
  pthread_cleanup_push(unlock, &d->lock);
  for (int32_t k = 0; k < STREAMS && good; k++)
    good = mark(&d->stream[k], need[k]);
  while (good && !is_over(d, need))
    pthread_cond_wait(&d->changed, &d->lock);
  pthread_cleanup_pop(1);
  return good ? HED_OK : no_memory(d);
}

static int32_t relay_wait(void *state, uint64_t ticket, int32_t *op, char *text, size_t cap)
{
  (void)op, (void)text, (void)cap;
  return ((relay *)state)->forked ? forked(state) : await(state, &ticket, 1);
}

static int32_t relay_done(void *state, uint64_t ticket)
{
  relay *d = state;
  stream *s = &d->stream[ticket >> 48];
  if (d->forked)
    return 0;
  pthread_mutex_lock(&d->lock);
  int32_t done = mark(s, value_of(ticket)) && s->reached >= value_of(ticket);
  pthread_mutex_unlock(&d->lock);
  return done;
}

static int32_t relay_stream(void *state) { return ((relay *)state)->forked ? forked(state) : mine(state)->number; }

/* ---- memory ---- */

static int32_t relay_alloc(void *state, size_t bytes, void **out)
{
  relay *d = state;
  if (d->forked)
    return forked(d);
  *out = d->host->alloc(bytes, 64);
  return *out ? HED_OK : d->host->fail(HED_E_DEVMEM, "relay: no %zu bytes", bytes);
}

static void relay_free(void *state, void *p) { ((relay *)state)->host->free(p); } /* the host has waited for its uses */

static const size_t size_of[] = {
#define HED_DTYPE(ID, name, ctype, kind, bytes) [HED_ID_##ID] = bytes,
#include <heddle/dtypes.def>
#undef HED_DTYPE
};

static void copy_axis(const hed_view *to, char *t, const hed_view *from, const char *f, int32_t axis)
{
  if (axis == to->ndim)
    memcpy(t, f, size_of[to->dtype]);
  else
    for (int64_t k = 0; k < to->dim[axis]; k++)
      copy_axis(to, t + k * to->stride[axis], from, f + k * from->stride[axis], axis + 1);
}

static void copy(const hed_view *to, const hed_view *from) { copy_axis(to, to->data, from, from->data, 0); }

/* Out and in: both memories are the processor's here. */
static int32_t relay_copy(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for, int32_t n)
{
  relay *d = state;
  int32_t status = d->forked ? forked(d) : await(d, wait_for, n);
  if (status == HED_OK)
    copy(dst, src);
  return status;
}

static void run_copy(const job *j) { copy(&j->out, &j->in[0]); }

/* The elements go with the job: the program may change them once this returns. */
static int32_t relay_copy_in_async(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for,
                                   int32_t n_wait_for, const uint64_t *after, int32_t n_after, uint64_t *ticket)
{
  relay *d = state;
  size_t bytes = size_of[src->dtype];
  if (d->forked)
    return forked(d);
  for (int32_t k = 0; k < src->ndim; k++)
    bytes *= (size_t)src->dim[k];
  job *j = d->host->alloc(sizeof *j + bytes, 64);
  if (!j)
    return no_memory(d);
  *j = (job){ .run = run_copy, .n_in = 1, .in = { *src }, .out = *dst };
  j->in[0].data = j + 1;
  for (int64_t k = src->ndim - 1, step = (int64_t)size_of[src->dtype]; k >= 0; step *= src->dim[k--])
    j->in[0].stride[k] = step; /* in C order */
  copy(&j->in[0], src);
  return submit(d, j, wait_for, n_wait_for, after, n_after, ticket);
}

/* ---- kernels: float32, any strides ---- */

static float get(const char *p) { return *(const float *)(const void *)p; }
static void set(char *p, float x) { *(float *)(void *)p = x; }

static void map_axis(const job *j, int32_t axis, char *out, const char *a, const char *b)
{
  if (axis == j->out.ndim)
    set(out, j->op == HED_OP_FILL ? (float)j->fill : j->op == HED_OP_ADD ? get(a) + get(b) : get(a) * get(b));
  else
    for (int64_t k = 0; k < j->out.dim[axis]; k++)
      map_axis(j, axis + 1, out + k * j->out.stride[axis], a ? a + k * j->in[0].stride[axis] : NULL,
               b ? b + k * j->in[1].stride[axis] : NULL);
}

static void run_map(const job *j)
{
  map_axis(j, 0, j->out.data, j->n_in > 0 ? j->in[0].data : NULL, j->n_in > 1 ? j->in[1].data : NULL);
}

/* The sum over the axes that go, from AXIS on; then the same for every element of the result. */
static double sum_over(const job *j, int32_t axis, const char *p)
{
  double sum = 0;
  while (axis < j->in[0].ndim && !(j->reduce.axes >> axis & 1))
    axis++;
  if (axis == j->in[0].ndim)
    return (double)get(p);
  for (int64_t k = 0; k < j->in[0].dim[axis]; k++)
    sum += sum_over(j, axis + 1, p + k * j->in[0].stride[axis]);
  return sum;
}

static void sum_axis(const job *j, int32_t axis, char *out, const char *p)
{
  if (axis == j->out.ndim)
    set(out, (float)sum_over(j, 0, p));
  else
    for (int64_t k = 0; k < j->out.dim[axis]; k++)
      sum_axis(j, axis + 1, out + k * j->out.stride[axis], p + k * j->in[0].stride[axis]);
}

static void run_sum(const job *j) { sum_axis(j, 0, j->out.data, j->in[0].data); }

/* A call becomes a job: nothing that it points at is there later but memory of the device. */
static int32_t submit_call(void *state, const hed_call *call)
{
  relay *d = state;
  for (int32_t k = 0; k <= call->n_in; k++)
    if ((k ? call->in[k - 1] : call->out[0])->dtype != HED_ID_FLOAT32)
      return HED_E_UNSUPPORTED; /* operands to be converted: the host has it done otherwise */
  if (d->forked)
    return forked(d);
  job *j = d->host->alloc(sizeof *j, 0);
  if (!j)
    return no_memory(d);
  *j = (job){ .run = call->op == HED_OP_SUM ? run_sum : run_map, .op = call->op, .n_in = call->n_in, .out = *call->out[0] };
  for (int32_t k = 0; k < call->n_in; k++)
    j->in[k] = *call->in[k];
  if (call->op == HED_OP_SUM)
    j->reduce = *(const hed_reduce_params *)call->params;
  if (call->op == HED_OP_FILL)
    j->fill = ((const hed_fill_params *)call->params)->re;
  return submit(d, j, call->wait_for, call->n_wait_for, call->after, call->n_after, call->ticket);
}

static const hed_op_entry ops[] = {
  { "add", submit_call, 1u << HED_ID_FLOAT32 },  { "multiply", submit_call, 1u << HED_ID_FLOAT32 },
  { "fill", submit_call, 1u << HED_ID_FLOAT32 }, { "sum", submit_call, 1u << HED_ID_FLOAT32 },
  { NULL, NULL, 0 },
};

/* ---- the module ---- */

static int32_t probe(char *why, size_t cap)
{
  (void)why, (void)cap;
  return 1; /* chosen when asked for by name; 0 with the reason in WHY where the hardware is missing */
}

static int32_t init(const hed_host_api *host, int32_t device, void **state)
{
  relay *d = host->alloc(sizeof *d, 0);
  sigset_t all, old;
  pthread_t thread;
  int failed = 0;
  if (!d)
    return host->fail(HED_E_NOMEM, "relay:%d: no memory for the device", (int)device);
  memset(d, 0, sizeof *d);
  d->host = host;
  pthread_mutex_init(&d->lock, NULL);
  pthread_cond_init(&d->changed, NULL);
  sigfillset(&all); /* the program's signals are not for these threads */
  pthread_sigmask(SIG_SETMASK, &all, &old);
  for (int32_t k = 0; k < STREAMS && !failed; k++) {
    d->stream[k].device = d;
    d->stream[k].number = k;
    failed = pthread_create(&thread, NULL, work, &d->stream[k]);
    if (!failed)
      pthread_detach(thread);
  }
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (failed) /* threads that run already have D for good */
    return host->fail(HED_E_UNAVAILABLE, "relay:%d: a stream's thread did not start", (int)device);
  *state = d;
  return HED_OK;
}

static void describe(void *state, char *buf, size_t cap)
{
  (void)state;
  snprintf(buf, cap, "%d threads that work later", STREAMS);
}

static void fork_child(void *state) { ((relay *)state)->forked = 1; }

static const hed_plugin plugin = {
  .struct_size = sizeof plugin, .abi_major = HED_ABI_MAJOR, .abi_minor = HED_ABI_MINOR,
  .n_ops = HED_OP_COUNT_, .op_names = hed_op_names, .ops = ops,
  .name = "relay", .version = "1.0", .flags = HED_PLUGIN_STREAMS,
  .probe = probe, .init = init, .describe = describe, .fork_child = fork_child,
  .alloc = relay_alloc, .free = relay_free, .copy_in = relay_copy, .copy_out = relay_copy,
  .copy_in_async = relay_copy_in_async, .wait = relay_wait, .done = relay_done, .stream = relay_stream,
};

HED_API const hed_plugin *hed_plugin_entry_v1(uint32_t host_major, uint32_t host_minor);

const hed_plugin *hed_plugin_entry_v1(uint32_t host_major, uint32_t host_minor)
{
  (void)host_minor;
  return host_major == HED_ABI_MAJOR ? &plugin : NULL;
}
