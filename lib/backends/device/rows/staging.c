// SPDX-License-Identifier: BSD-3-Clause
/* Copies between host and device: through pinned pieces, so that the host goes on while they travel. L1.
 *
 * The device's side is in C order without gaps; what is not is packed or unpacked there by a kernel, in scratch memory.
 */
#include "backends/device/rows/rows.h"
#include "base/cast.h"
#include "base/dtype.h"
#include "base/nest.h"
#include "base/shape.h"
#include <string.h>

/* ---- elements of a host view in C order, some bytes at a time ---- */

/* Elements FROM to FROM + COUNT of V to or from TO, which is packed. */
static void gather(const hed_view *v, char *packed, int64_t from, int64_t count, bool out)
{
  const int64_t size = hed__id_size(v->dtype);
  const hed__cast_fn copy = hed__cast(v->dtype, v->dtype);
  hed__nest nest;
  hed__nest_init(&nest, 1, &v, 0);
  const int64_t row = nest.dim[nest.ndim - 1], stride = nest.stride[0][nest.ndim - 1];
  hed__walk w;
  hed__walk_init(&w, &nest, from / row, hed__nest_rows(&nest) - from / row);
  for (int64_t skip = from % row; count > 0 && hed__walk_next(&w); skip = 0) {
    const int64_t n = count < row - skip ? count : row - skip;
    char *p = w.ptr[0] + skip * stride;
    if (out)
      copy(n, p, stride, packed, size);
    else
      copy(n, packed, size, p, stride);
    packed += n * size;
    count -= n;
  }
}

/* ---- pieces; the stream's lock is held ---- */

static int32_t piece_ready(dev_stream *s, dev_piece *p)
{
  dev_device *d = s->device;
  int32_t status = HED_OK;
  if (!p->memory)
    return dev_status(d, d->port->pinned_alloc(d->dev, DEV_PIECE, &p->memory));
  if (p->busy)
    status = dev_event_wait(s, p->busy);
  dev_event_drop(d, p->busy);
  p->busy = NULL;
  return status;
}

/* P is in use until what the stream holds now is over. */
static int32_t piece_use(dev_stream *s, dev_piece *p)
{
  int32_t status;
  p->busy = dev_event_of(s, atomic_fetch_add(&s->issued, 1) + 1, &status);
  return status;
}

static dev_piece *next_piece(dev_stream *s)
{
  dev_piece *p = &s->piece[s->next_piece];
  s->next_piece = (s->next_piece + 1) % DEV_PIECES;
  return p;
}

int32_t dev_stage_bytes(dev_submit *q, void *to, const void *from, size_t bytes)
{
  const hed_view v = { .data = (void *)(uintptr_t)from, .dtype = HED_ID_UINT8, .ndim = 1, .dim = { (int64_t)bytes }, .stride = { 1 } };
  return dev_stage_in(q, to, &v);
}

int32_t dev_stage_in(dev_submit *q, void *to, const hed_view *src)
{
  dev_stream *s = q->stream;
  dev_device *d = q->device;
  const int64_t size = hed__id_size(src->dtype), n = hed__view_size(src), most = DEV_PIECE / size;
  int32_t status = HED_OK;
  if (q->skip)
    return HED_OK;
  if (dev_travels_alone(d, src, (size_t)(n * size))) {
    q->begun = true;
    return dev_status(d, d->port->copy(d->dev, s->native, to, src->data, (size_t)(n * size), DEV_COPY_IN, true));
  }
  for (int64_t k = 0; k < n && status == HED_OK; k += most) {
    const int64_t count = n - k < most ? n - k : most;
    dev_piece *p = next_piece(s);
    if ((status = piece_ready(s, p)) != HED_OK)
      break;
    gather(src, p->memory, k, count, false);
    q->begun = true;
    status = dev_status(d, d->port->copy(d->dev, s->native, (char *)to + k * size, p->memory, (size_t)(count * size),
                                         DEV_COPY_IN, false));
    if (status == HED_OK)
      status = piece_use(s, p);
  }
  return status;
}

int32_t dev_stage_out(dev_submit *q, const hed_view *dst, const void *from)
{
  dev_stream *s = q->stream;
  dev_device *d = q->device;
  const int64_t size = hed__id_size(dst->dtype), n = hed__view_size(dst), most = DEV_PIECE / size;
  dev_piece *piece[DEV_PIECES];
  int64_t asked = 0, got = 0, in_flight = 0, next = 0;
  int32_t status = HED_OK;
  if (q->skip || n == 0)
    return HED_OK;
  q->begun = true;
  /* on processors its memory is the host's: nothing travels */
  if ((d->limits.is_cpu && hed__is_c_contiguous(dst)) || dev_travels_alone(d, dst, (size_t)(n * size)))
    return dev_status(d, d->port->copy(d->dev, s->native, dst->data, from, (size_t)(n * size), DEV_COPY_OUT, true));
  while (got < n && status == HED_OK) {
    while (asked < n && in_flight < DEV_PIECES && status == HED_OK) {
      const int64_t count = n - asked < most ? n - asked : most;
      dev_piece *p = next_piece(s);
      if ((status = piece_ready(s, p)) == HED_OK)
        status = dev_status(d, d->port->copy(d->dev, s->native, p->memory, (const char *)from + asked * size,
                                             (size_t)(count * size), DEV_COPY_OUT, false));
      if (status == HED_OK)
        status = piece_use(s, p);
      piece[(next + in_flight++) % DEV_PIECES] = p;
      asked += count;
    }
    if (status == HED_OK && (status = piece_ready(s, piece[next])) == HED_OK) {
      const int64_t count = n - got < most ? n - got : most;
      gather(dst, piece[next]->memory, got, count, true);
      got += count;
    }
    next = (next + 1) % DEV_PIECES;
    in_flight--;
  }
  return status;
}

/* ---- the plug-in's copies ---- */

/* V without its data, in C order; what a device's view is packed into. */
static hed_view packed_like(const hed_view *v)
{
  hed_view p = *v;
  hed__c_strides(p.ndim, p.dim, hed__id_size(p.dtype), p.stride);
  return p;
}

static size_t view_bytes(const hed_view *v) { return (size_t)hed__view_size(v) * (size_t)hed__id_size(v->dtype); }

int32_t dev_copy_in_async(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for,
                          int32_t n_wait_for, const uint64_t *after, int32_t n_after, uint64_t *ticket)
{
  dev_device *d = state;
  const bool direct = hed__is_c_contiguous(dst);
  hed_view packed = packed_like(dst);
  dev_cast_job cast;
  dev_submit q;
  int32_t status = direct ? HED_OK : dev_cast_prepare(d, &cast, dst, &packed, false);
  if (status != HED_OK || (status = dev_submit_begin(&q, d, 1, wait_for, n_wait_for, after, n_after)) != HED_OK)
    return status;
  void *to = dst->data;
  if (!direct)
    status = dev_submit_scratch(&q, view_bytes(dst), &to);
  if (status == HED_OK)
    status = dev_stage_in(&q, to, src);
  if (status == HED_OK && !direct)
    status = dev_cast_submit(&q, &cast, dst->data, to);
  return dev_submit_end(&q, status, ticket);
}

int32_t dev_copy_in(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for, int32_t n)
{
  uint64_t ticket = 0;
  int32_t status = dev_submit_await(state, wait_for, n);
  if (status == HED_OK)
    status = dev_copy_in_async(state, dst, src, NULL, 0, NULL, 0, &ticket);
  return status == HED_OK ? dev_submit_await(state, &ticket, 1) : status;
}

int32_t dev_copy_out(void *state, const hed_view *dst, const hed_view *src, const uint64_t *wait_for, int32_t n)
{
  dev_device *d = state;
  const bool direct = hed__is_c_contiguous(src);
  hed_view packed = packed_like(src);
  dev_cast_job cast;
  dev_submit q;
  int32_t status = dev_submit_await(d, wait_for, n);
  if (status == HED_OK && !direct)
    status = dev_cast_prepare(d, &cast, &packed, src, false);
  if (status != HED_OK || (status = dev_submit_begin(&q, d, 0, NULL, 0, NULL, 0)) != HED_OK)
    return status;
  void *from = src->data;
  if (!direct && (status = dev_submit_scratch(&q, view_bytes(src), &from)) == HED_OK)
    status = dev_cast_submit(&q, &cast, from, src->data);
  if (status == HED_OK)
    status = dev_stage_out(&q, dst, from);
  return dev_submit_end(&q, status, NULL);
}

int32_t dev_copy_peer(void *state, const hed_view *dst, void *src_state, const hed_view *src, const uint64_t *wait_for,
                      int32_t n_wait_for, const uint64_t *after, int32_t n_after, const uint64_t *src_wait,
                      int32_t n_src_wait, uint64_t *ticket, uint64_t *src_ticket)
{
  dev_device *d = state, *from = src_state;
  dev_submit q;
  if (!d->port->copy_peer || !hed__is_c_contiguous(dst) || !hed__is_c_contiguous(src))
    return HED_E_UNSUPPORTED;
  int32_t status = dev_peer_after(d, from, src_wait, n_src_wait);
  if (status != HED_OK || (status = dev_submit_begin(&q, d, 1, wait_for, n_wait_for, after, n_after)) != HED_OK)
    return status;
  q.begun = true;
  if (!q.skip)
    status = dev_status(d, d->port->copy_peer(d->dev, q.stream->native, dst->data, from->dev, src->data, view_bytes(src)));
  status = dev_submit_end(&q, status, ticket);
  *src_ticket = 0;
  if (status != HED_OK || dev_peer_ticket(from, d, *ticket, src_ticket) == HED_OK)
    return status;
  *src_ticket = 0; /* nothing stands for it on the other device */
  if ((status = dev_submit_await(d, ticket, 1)) != HED_OK)
    dev_fate_end(d, *ticket);
  return status;
}
