// SPDX-License-Identifier: BSD-3-Clause
/* Batches in order, of which a thread prepares the next ones while the caller is at one.
 *
 * Layer: L4, nn kit. The thread fills a ring of slots, each with arrays or with what went wrong; it waits where all are full. A
 * batch is made by the same lines on either thread, in the context and with the stream of draws that the reader was made with.
 */
#include "kits/nn/lists.h"
#include <heddle/grad.h>
#include <heddle/kits/nn_data.h>
#include <heddle/thread.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_AHEAD = 1 << 16 };

typedef struct slot {
  hed_array **x;
  hed_status status;
  char why[512];
} slot;

/* What a reader of arrays reads from. */
typedef struct samples {
  hed_array **data, *order;
  int64_t n, batch;
  char to[64];
  bool touch;
} samples;

struct hed_nn_reader {
  hed_nn_read read;
  void *arg;
  samples of;
  hed_context *context;
  uint64_t key;
  const int *cancel;
  int64_t n;
  int m, depth; /* slots; 0: no thread */
  slot *slot;
  pthread_t thread;
  bool threaded;
  pthread_mutex_t lock; /* guards what follows */
  pthread_cond_t changed;
  int64_t made, given;
  bool stop;
};

/* ---- a batch ---- */

static hed_status complete(const hed_nn_reader *r, int64_t k, hed_array **x)
{
  for (int j = 0; j < r->m; j++)
    if (!x[j])
      return hed_error() != HED_OK ? hed_error()
                                   : hed_fail(HED_E_INVAL, "hed_nn_reader_next: array %d of batch %lld is NULL", j, (long long)k);
  return HED_OK;
}

/* Batch K into X, which no scope has; NULLs with an error. */
static hed_status make(const hed_nn_reader *r, int64_t k, hed_array **x)
{
  hed_generator draws = { hed_fold_key(r->key, (uint64_t)k), 0 };
  hed_frame frame = { 0 };
  hed_status status = hed_context_push_stream(r->context, &draws, &frame);
  memset(x, 0, (size_t)r->m * sizeof *x);
  if (status != HED_OK)
    return status;
  hed_error_clear();
  HED_UNRECORDED HED_PROFILE_RANGE("read") HED_SCOPE_OR(status = hed_error()) {
    status = r->read(r->arg, k, r->m, x);
    if (status == HED_OK)
      status = complete(r, k, x);
    for (int j = 0; j < r->m; j++)
      x[j] = status == HED_OK ? hed_retain(x[j]) : NULL; /* one may be there twice, or be the function's own */
  }
  (void)hed_context_pop(frame);
  return status;
}

static void drop(const hed_nn_reader *r, hed_array **x)
{
  for (int j = 0; j < r->m; j++) {
    hed_release(x[j]);
    x[j] = NULL;
  }
}

/* Samples FROM to TO of X by the order, else a view. */
static hed_array *some(const samples *s, const hed_array *x, int64_t from, int64_t to)
{
  const hed_slice_range part = HED_RANGE(from, to, 1);
  if (!s->order)
    return hed_slice(x, 1, &part);
  hed_array *which = hed_slice(s->order, 1, &part), *beside = which ? hed_to(which, hed__train_home(x)) : NULL;
  return beside ? hed_take(x, beside, 0) : NULL;
}

static hed_status read_samples(void *arg, int64_t k, int m, hed_array **batch)
{
  const samples *s = arg;
  const int64_t from = k * s->batch, to = from + s->batch < s->n ? from + s->batch : s->n;
  for (int j = 0; j < m; j++) {
    batch[j] = some(s, s->data[j], from, to);
    if (batch[j] && s->touch && !s->order) { /* the caller gets the view, with the bits that it has without a thread */
      hed_release(hed_count_nonzero(batch[j], NULL));
      hed_error_clear();
    }
    if (batch[j] && *s->to)
      batch[j] = hed_to(batch[j], s->to);
    if (!batch[j])
      return hed_error();
  }
  return HED_OK;
}

/* ---- the thread ---- */

static bool may_read(hed_nn_reader *r, int64_t k)
{
  pthread_mutex_lock(&r->lock);
  while (!r->stop && k - r->given >= r->depth)
    pthread_cond_wait(&r->changed, &r->lock);
  const bool may = !r->stop;
  pthread_mutex_unlock(&r->lock);
  return may;
}

static void *read_ahead(void *reader)
{
  hed_nn_reader *r = reader;
  for (int64_t k = 0; k < r->n && may_read(r, k); k++) {
    slot *s = &r->slot[k % r->depth];
    s->status = make(r, k, s->x);
    if (s->status != HED_OK)
      (void)strncpy(s->why, hed_error_text(), sizeof s->why - 1);
    pthread_mutex_lock(&r->lock);
    r->made = k + 1;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
  }
  return NULL;
}

/* Is the next batch there? Waits for it, or until the cancel flag is set; with the lock held. */
static bool wait_for_next(hed_nn_reader *r)
{
  while (r->made <= r->given && !(r->cancel && __atomic_load_n(r->cancel, __ATOMIC_RELAXED))) {
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += 20000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (r->cancel)
      (void)pthread_cond_timedwait(&r->changed, &r->lock, &until);
    else
      (void)pthread_cond_wait(&r->changed, &r->lock);
  }
  return r->made > r->given;
}

static hed_status take_next(hed_nn_reader *r, hed_array **x)
{
  int cancel;
  hed_status status = HED_E_CANCELLED;
  (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); /* who is cancelled while it waits would keep the lock */
  pthread_mutex_lock(&r->lock);
  const bool there = wait_for_next(r);
  slot *s = &r->slot[r->given % r->depth];
  if (there) {
    memcpy(x, s->x, (size_t)r->m * sizeof *x);
    memset(s->x, 0, (size_t)r->m * sizeof *x);
    status = s->status;
    if (status != HED_OK)
      (void)hed_fail(status, "%s", s->why);
    r->given++;
    pthread_cond_broadcast(&r->changed);
  } else {
    (void)hed_fail(status, "hed_nn_reader_next: cancelled before batch %lld", (long long)r->given);
  }
  pthread_mutex_unlock(&r->lock);
  (void)pthread_setcancelstate(cancel, NULL);
  return status;
}

/* ---- the reader ---- */

static void open_lock(hed_nn_reader *r)
{
  pthread_condattr_t clock;
  (void)pthread_condattr_init(&clock);
  (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  (void)pthread_mutex_init(&r->lock, NULL);
  (void)pthread_cond_init(&r->changed, &clock);
  (void)pthread_condattr_destroy(&clock);
}

static hed_status start(hed_nn_reader *r)
{
  for (int k = 0; k < r->depth; k++)
    if (!(r->slot[k].x = hed__train_room("hed_nn_reader_create", r->m, sizeof(hed_array *))))
      return hed_error();
  r->threaded = r->depth > 0 && r->n > 0 && hed_thread_create(&r->thread, NULL, read_ahead, r) == 0;
  return HED_OK;
}

static hed_status check(hed_nn_read f, int64_t n, int m, const hed_nn_reading *o, hed_nn_reader **out)
{
  static const char op[] = "hed_nn_reader_create";
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = NULL;
  if (!f || n < 0 || m < 1)
    return hed_fail(HED_E_INVAL, "%s: %s, %lld batches, %d arrays: a function, 0 and 1 at least are needed", op,
                    f ? "a function" : "f is NULL", (long long)n, m);
  return o->ahead <= MOST_AHEAD ? HED_OK : hed_fail(HED_E_INVAL, "%s: ahead is %d, above %d", op, (int)o->ahead, MOST_AHEAD);
}

/* R, which is all but what it is made with here, becomes a reader; it is released where that fails. */
static hed_status begin(hed_nn_reader *r, const hed_nn_reading *o, hed_nn_reader **out)
{
  const int64_t depth = o->ahead < 0 ? 0 : o->ahead ? o->ahead : 2;
  r->depth = (int)(depth < r->n ? depth : r->n);
  r->key = o->key;
  r->cancel = o->cancel;
  r->of.touch = r->depth > 0;
  open_lock(r);
  r->context = hed_context_current();
  r->slot = hed__train_room("hed_nn_reader_create", r->depth, sizeof *r->slot);
  const hed_status status = r->context && r->slot ? start(r) : hed_error();
  if (status == HED_OK)
    *out = r;
  else
    hed_nn_reader_release(r);
  return status;
}

hed_status hed_nn_reader_create(hed_nn_read f, void *arg, int64_t n, int m, const hed_nn_reading *o, hed_nn_reader **out)
{
  static const hed_nn_reading none;
  o = o ? o : &none;
  hed_status status = check(f, n, m, o, out);
  hed_nn_reader *r = status == HED_OK ? hed__train_room("hed_nn_reader_create", 1, sizeof *r) : NULL;
  if (!r)
    return status != HED_OK ? status : hed_error();
  r->read = f;
  r->arg = arg;
  r->n = n;
  r->m = m;
  return begin(r, o, out);
}

static hed_status check_order(const char *op, const hed_array *order)
{
  const hed_kind kind = hed_dtype_kind(hed_array_dtype(order));
  if (kind != HED_KIND_INT && kind != HED_KIND_UINT)
    return hed_fail(HED_E_DTYPE, "%s: the order is %s, not integers", op, hed_dtype_name(hed_array_dtype(order)));
  return hed_array_ndim(order) == 1 ? HED_OK
                                    : hed_fail(HED_E_SHAPE, "%s: the order has %d axes, not 1", op, (int)hed_array_ndim(order));
}

hed_status hed_nn_reader_of(int m, const hed_array *const *data, const hed_nn_reading *o, hed_nn_reader **out)
{
  static const char op[] = "hed_nn_reader_of";
  static const hed_nn_reading none;
  hed_nn_reader *r = NULL;
  int64_t n = 0;
  o = o ? o : &none;
  hed_status status = check(read_samples, 0, m, o, out);
  if (status == HED_OK)
    status = data ? hed__train_samples(op, "data", m, data, &n) : hed_fail(HED_E_INVAL, "%s: data is NULL", op);
  if (status == HED_OK && o->batch < 0)
    status = hed_fail(HED_E_INVAL, "%s: batch is %lld, below 0", op, (long long)o->batch);
  if (status == HED_OK && o->order)
    status = check_order(op, o->order);
  if (status == HED_OK && o->to && strlen(o->to) >= sizeof r->of.to)
    status = hed_fail(HED_E_INVAL, "%s: to has %zu characters", op, strlen(o->to));
  r = status == HED_OK ? hed__train_room(op, 1, sizeof *r) : NULL;
  if (!r)
    return status != HED_OK ? status : hed_error();
  r->of = (samples){ .data = hed__train_room(op, m, sizeof(hed_array *)), .order = hed_retain((hed_array *)o->order),
                     .n = o->order ? hed_array_size(o->order) : n, .batch = o->batch ? o->batch : 32 };
  (void)snprintf(r->of.to, sizeof r->of.to, "%s", o->to ? o->to : "");
  r->read = read_samples;
  r->arg = &r->of;
  r->n = o->drop_last ? r->of.n / r->of.batch : r->of.n / r->of.batch + (r->of.n % r->of.batch > 0);
  r->m = m;
  if (!r->of.data) {
    hed_release(r->of.order);
    free(r);
    return hed_error();
  }
  for (int j = 0; j < m; j++)
    r->of.data[j] = hed_retain((hed_array *)data[j]);
  return begin(r, o, out);
}

int64_t hed_nn_reader_count(const hed_nn_reader *r) { return r ? r->n : 0; }

int32_t hed_nn_reader_arrays(const hed_nn_reader *r) { return r ? r->m : 0; }

hed_status hed_nn_reader_next(hed_nn_reader *r, hed_array **batch, bool *more)
{
  if (!r || !batch || !more)
    return hed_fail(HED_E_INVAL, "hed_nn_reader_next: %s is NULL", !r ? "the reader" : batch ? "more" : "batch");
  memset(batch, 0, (size_t)r->m * sizeof *batch);
  *more = r->given < r->n;
  if (!*more)
    return HED_OK;
  hed_status status = r->threaded ? take_next(r, batch) : make(r, r->given++, batch);
  for (int j = 0; j < r->m && status == HED_OK; j++) {
    hed_array *x = hed__train_same(batch[j]); /* of the caller's scope */
    status = x ? HED_OK : hed_error();
    hed_release(batch[j]);
    batch[j] = x;
  }
  if (status != HED_OK)
    drop(r, batch);
  return status;
}

void hed_nn_reader_release(hed_nn_reader *r)
{
  int cancel;
  if (!r)
    return;
  (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  if (r->threaded) {
    pthread_mutex_lock(&r->lock);
    r->stop = true;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    (void)pthread_join(r->thread, NULL);
  }
  for (int k = 0; r->slot && k < r->depth; k++) {
    if (r->slot[k].x)
      drop(r, r->slot[k].x);
    free(r->slot[k].x);
  }
  free(r->slot);
  for (int j = 0; r->of.data && j < r->m; j++)
    hed_release(r->of.data[j]);
  free(r->of.data);
  hed_release(r->of.order);
  hed_context_release(r->context);
  (void)pthread_cond_destroy(&r->changed);
  (void)pthread_mutex_destroy(&r->lock);
  free(r);
  (void)pthread_setcancelstate(cancel, NULL);
}
