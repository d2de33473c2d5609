// SPDX-License-Identifier: BSD-3-Clause
/* faulty: streams beside those of others: order between them, and programs that use the device by themselves. L1. */
#include "backends/faulty/faulty.h"
#include <string.h>

faulty_device *faulty_made[FAULTY_DEVICES];

/* HANDLE as one of D's streams, NULL with the error set. */
static faulty_stream *stream_of(faulty_device *d, void *handle)
{
  for (int32_t k = 0; k < FAULTY_STREAMS; k++)
    if (handle == &d->stream[k])
      return &d->stream[k];
  d->host->fail(HED_E_INVAL, "faulty:%d: %p is no stream of this device", (int)d->index, handle);
  return NULL;
}

int32_t faulty_stream_native(void *state, void **handle)
{
  *handle = faulty_own_stream(state);
  return HED_OK;
}

int32_t faulty_stream_adopt(void *state, void *handle)
{
  faulty_stream *s = stream_of(state, handle);
  return s ? s->number : HED_E_INVAL;
}

/* What is submitted to S from now on begins after TICKETS of D. */
static int32_t order(faulty_device *d, faulty_stream *s, const uint64_t *tickets, int32_t n)
{
  return faulty_submit(d, &(faulty_request){ .op = -1, .after = tickets, .n_after = n }, s, NULL);
}

static uint64_t last_of(const faulty_stream *s)
{
  pthread_mutex_lock(&faulty_lock);
  uint64_t last = (uint64_t)s->number << 48 | s->issued;
  pthread_mutex_unlock(&faulty_lock);
  return last;
}

int32_t faulty_stream_after(void *state, void *handle, const uint64_t *tickets, int32_t n)
{
  faulty_device *d = state;
  faulty_stream *s = stream_of(d, handle);
  if (!s)
    return HED_E_INVAL;
  uint64_t own = last_of(faulty_own_stream(d));
  return n > 0 ? order(d, s, tickets, n) : order(d, s, &own, 1);
}

int32_t faulty_after_stream(void *state, void *handle)
{
  faulty_device *d = state;
  faulty_stream *s = stream_of(d, handle);
  if (!s)
    return HED_E_INVAL;
  uint64_t last = last_of(s);
  return order(d, faulty_own_stream(d), &last, 1);
}

/* ---- a program that uses the device by itself ---- */

void *hed_faulty_stream(int device)
{
  void *handle = NULL;
  pthread_mutex_lock(&faulty_lock);
  faulty_device *d = device >= 0 && device < FAULTY_DEVICES ? faulty_made[device] : NULL;
  if (d && d->n_streams < FAULTY_STREAMS && faulty_stream_start(d))
    handle = &d->stream[d->n_streams - 1];
  pthread_mutex_unlock(&faulty_lock);
  return handle;
}

typedef struct launch {
  void (*fn)(void *arg);
  void *arg;
} launch;

/* The function and its argument are in an operand of the job's own. */
static int32_t run_launch(faulty_job *job)
{
  launch l;
  memcpy(&l, job->call.in[0]->data, sizeof l);
  l.fn(l.arg);
  return HED_OK;
}

int hed_faulty_launch(void *handle, void (*fn)(void *arg), void *arg)
{
  faulty_stream *s = handle;
  launch l = { fn, arg };
  const hed_view v = { .data = &l, .dtype = HED_ID_UINT8, .ndim = 1, .dim = { sizeof l }, .stride = { 1 } };
  return faulty_submit(s->device, &(faulty_request){ .run = run_launch, .op = -1, .n_in = 1,
    .in = (const hed_view *const[]){ &v }, .host_in = &(uint32_t){ 1 } }, s, NULL);
}

void *hed_faulty_pointer(const void *address)
{
  void *p = NULL;
  pthread_mutex_lock(&faulty_lock);
  for (int k = 0; k < FAULTY_DEVICES; k++) {
    const faulty_device *d = faulty_made[k];
    if (d && (const char *)address >= d->address && (const char *)address < d->address + d->bytes)
      p = faulty_real(d, address);
  }
  pthread_mutex_unlock(&faulty_lock);
  return p;
}
