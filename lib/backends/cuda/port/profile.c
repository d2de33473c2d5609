// SPDX-License-Identifier: BSD-3-Clause
/* cuda: what commands took, by the device's clock, for profiles. L1.
 *
 * The driver tells the time between two events alone, in milliseconds with 24 bits: times are counted from an event that is renewed
 * while they go on, so that they keep to half a microsecond. */
#include "backends/cuda/port/cuda.h"

enum { RENEWED = 2000 }; /* milliseconds */

static CUevent mark(const cuda_device *d, CUstream stream)
{
  CUevent event = NULL;
  if (d->cu->cuEventCreate(&event, 0) != NV_CUDA_SUCCESS)
    return NULL;
  if (d->cu->cuEventRecord(event, stream) == NV_CUDA_SUCCESS)
    return event;
  (void)d->cu->cuEventDestroy(event);
  return NULL;
}

CUevent cuda_time_begin(cuda_device *d, const cuda_stream *stream)
{
  return dev_host_profile(d->host) ? mark(d, stream->of) : NULL;
}

void cuda_time_end(cuda_device *d, const cuda_stream *stream, CUevent begun, const char *name)
{
  CUevent ended = begun ? mark(d, stream->of) : NULL;
  if (ended)
    dev_times_add(&d->times, begun, ended, stream->number, name);
  else if (begun)
    (void)d->cu->cuEventDestroy(begun);
}

/* One that fails is over, too. */
static bool is_over(void *dev, void *event) { return ((cuda_device *)dev)->cu->cuEventQuery(event) != NV_CUDA_ERROR_NOT_READY; }

static bool between(const cuda_device *d, CUevent first, CUevent last, float *ms)
{
  return d->cu->cuEventElapsedTime(ms, first, last) == NV_CUDA_SUCCESS;
}

static bool times_of(void *dev, dev_timed *t)
{
  cuda_device *d = dev;
  float length = 0, from = 0;
  if (!between(d, t->event[0], t->event[1], &length) || length < 0)
    return false;
  if (!d->since) { /* the first of all, at a time that leaves room for what other streams began before it */
    d->since = t->event[1];
    t->event[1] = NULL;
    d->since_ns = 1ull << 50;
  } else if (!between(d, d->since, t->event[1], &from)) {
    return false;
  }
  t->ends = (uint64_t)((int64_t)d->since_ns + (int64_t)((double)from * 1e6));
  t->begins = t->ends - (uint64_t)((double)length * 1e6);
  if (from > RENEWED) {
    (void)d->cu->cuEventDestroy(d->since);
    d->since = t->event[1];
    d->since_ns = t->ends;
    t->event[1] = NULL;
  }
  return true;
}

static void drop(void *dev, void *event) { (void)((cuda_device *)dev)->cu->cuEventDestroy(event); }

void cuda_times_tell(cuda_device *d)
{
  bool pushed;
  if (!dev_times_some(&d->times) || cuda_enter(d, &pushed) != HED_OK)
    return;
  dev_times_tell(&d->times);
  cuda_leave(d, pushed);
}

void cuda_times_init(cuda_device *d)
{
  d->times = (dev_times){ .host = d->host, .name = d->said_as, .dev = d, .lock = &d->lock, .over = is_over, .times = times_of,
                          .drop = drop };
}
