// SPDX-License-Identifier: BSD-3-Clause
/* cuda: the row of Fourier transforms, and the plans that it keeps. L1. */
#include "backends/cuda/rows/rows.h"
#include "backends/device/rows/rows.h"
#include "base/dtype.h"
#include "base/shape.h"
#include <string.h>

enum { MOST_AXES = 3, KEPT = 32 };

/* A plan belongs to a stream: its work space is in use while the device runs it. */
struct cuda_plan {
  cuda_plan *next;             /* the one used before it */
  cuda_fft_spec spec;
  const cuda_stream *stream;
  void *plan;
  bool busy;                   /* a thread is just starting it */
};

/* ---- plans: the newest first, under the device's lock ---- */

static bool same(const cuda_fft_spec *a, const cuda_fft_spec *b)
{
  return a->rank == b->rank && a->batch == b->batch && a->dtype == b->dtype && a->sign == b->sign &&
         memcmp(a->n, b->n, (size_t)a->rank * sizeof *a->n) == 0;
}

/* The last of more than MOST of STREAM (NULL: of any) that is not busy, taken out of the list. */
static cuda_plan *surplus(cuda_device *d, const cuda_stream *stream, int32_t most)
{
  cuda_plan **last = NULL, *p;
  int32_t n = 0;
  for (cuda_plan **at = &d->plans; *at; at = &(*at)->next)
    if ((!stream || (*at)->stream == stream) && ++n > most && !(*at)->busy)
      last = at;
  if (!last)
    return NULL;
  p = *last;
  *last = p->next;
  return p;
}

static void drop(cuda_device *d, cuda_plan *p)
{
  cuda_fft_free(d, p->plan);
  d->host->free(p);
}

static size_t drop_all(cuda_device *d, const cuda_stream *stream)
{
  size_t bytes = 0;
  for (cuda_plan *p;;) {
    pthread_mutex_lock(&d->lock);
    p = surplus(d, stream, 0);
    pthread_mutex_unlock(&d->lock);
    if (!p)
      return bytes;
    bytes += cuda_fft_bytes(p->plan);
    drop(d, p);
  }
}

size_t cuda_fft_trim(cuda_device *d) { return drop_all(d, NULL); }
void cuda_plans_drop(cuda_device *d, const cuda_stream *stream) { (void)drop_all(d, stream); }

/* STREAM's plan for SPEC, in front of the list and busy. */
static int32_t plan_of(cuda_device *d, const cuda_stream *stream, const cuda_fft_spec *spec, cuda_plan **out)
{
  cuda_plan **at, *p, *gone;
  int32_t status;
  pthread_mutex_lock(&d->lock);
  for (at = &d->plans; *at && !((*at)->stream == stream && same(&(*at)->spec, spec)); at = &(*at)->next)
    ;
  if ((p = *at)) {
    *at = p->next;
    p->next = d->plans;
    d->plans = p;
    p->busy = true;
  }
  pthread_mutex_unlock(&d->lock);
  *out = p;
  if (p)
    return HED_OK;
  p = d->host->alloc(sizeof *p, 0);
  if (!p)
    return d->host->fail(HED_E_NOMEM, "cuda:%d: no memory for a plan", (int)d->index);
  *p = (cuda_plan){ .spec = *spec, .stream = stream, .busy = true };
  if ((status = cuda_fft_make(d, spec, &p->plan)) != HED_OK) {
    d->host->free(p);
    return status;
  }
  pthread_mutex_lock(&d->lock);
  p->next = d->plans;
  d->plans = p;
  gone = surplus(d, NULL, KEPT);
  pthread_mutex_unlock(&d->lock);
  if (gone)
    drop(d, gone);
  *out = p;
  return HED_OK;
}

static int32_t run(dev_submit *q, const cuda_fft_spec *spec, void *in, void *out)
{
  cuda_device *d = q->device->dev;
  cuda_plan *p;
  int32_t status;
  if (q->skip)
    return HED_OK;
  status = plan_of(d, q->stream->native, spec, &p);
  if (status != HED_OK)
    return status;
  q->begun = true;
  status = cuda_fft_run(d, q->stream->native, p->plan, in, out);
  pthread_mutex_lock(&d->lock);
  p->busy = false;
  pthread_mutex_unlock(&d->lock);
  return status;
}

/* ---- a call ---- */

/* Axes that are not transformed, then those that are, the halved one last. */
static void order_axes(const hed_fft_params *p, int32_t ndim, int32_t *order)
{
  uint32_t transformed = 0;
  int32_t n = 0;
  for (int32_t k = 0; k < p->n_axes; k++)
    transformed |= 1u << p->axis[k];
  for (int32_t k = 0; k < ndim; k++)
    if (!(transformed >> k & 1))
      order[n++] = k;
  memcpy(order + n, p->axis, (size_t)p->n_axes * sizeof *order);
}

int32_t cuda_fft(void *state, const hed_call *c)
{
  dev_device *d = state;
  const hed_fft_params *p = c->params;
  const hed_view *x = c->in[0], *y = c->out[0];
  const bool real_in = hed__real_of(x->dtype) == x->dtype, real_out = hed__real_of(y->dtype) == y->dtype;
  const hed_view *real = real_in ? x : y; /* its extents are the transform's */
  const bool wide = hed__id_size(hed__real_of(c->compute)) == 8;
  const int32_t number = wide ? HED_ID_FLOAT64 : HED_ID_FLOAT32, pair = wide ? HED_ID_COMPLEX128 : HED_ID_COMPLEX64;
  cuda_fft_spec spec = { .rank = p->n_axes, .batch = 1, .dtype = real_in || real_out ? number : pair, .sign = p->sign };
  cuda_operand in, out;
  hed_view order_in, order_out;
  dev_submit q;
  int32_t order[HED_MAX_NDIM];
  uint64_t ticket = 0;
  size_t scratch = 0;
  void *memory = NULL;
  if (p->n_axes < 1 || p->n_axes > MOST_AXES || (real_in && p->sign > 0) || (real_out && p->sign < 0) || !cuda_cufft_get())
    return dev_fft_call(state, c);
  order_axes(p, x->ndim, order);
  for (int32_t k = 0; k < x->ndim; k++) {
    const int64_t n = real->dim[order[k]];
    if (n == 0 || x->dim[order[k]] == 0)
      return HED_E_UNSUPPORTED;
    if (k < x->ndim - spec.rank)
      spec.batch *= n;
    else
      spec.n[k - (x->ndim - spec.rank)] = n;
  }
  order_in = cuda_permuted(x, order);
  order_out = cuda_permuted(y, order);
  int32_t status = cuda_operand_make(d, &in, x, order, real_in ? number : pair, false, c->host_in & 1,
                                     hed__is_c_contiguous(&order_in), &scratch);
  if (status == HED_OK)
    status = cuda_operand_make(d, &out, y, order, real_out ? number : pair, true, false, hed__is_c_contiguous(&order_out),
                               &scratch);
  if (status != HED_OK || (status = dev_submit_call(&q, d, c)) != HED_OK)
    return status;
  if (scratch)
    status = dev_submit_scratch(&q, scratch, &memory);
  if (status == HED_OK)
    status = cuda_operand_load(&q, &in, memory);
  if (status == HED_OK)
    status = run(&q, &spec, cuda_operand_data(&in, memory), cuda_operand_data(&out, memory));
  if (status == HED_OK)
    status = cuda_operand_store(&q, &out, memory);
  status = dev_submit_end(&q, dev_status(d, status), &ticket);
  if (status == HED_OK && p->scale != 1)
    status = cuda_scale(d, c, y, p->scale, &ticket);
  if (c->ticket)
    *c->ticket = ticket;
  return status;
}
