// SPDX-License-Identifier: BSD-3-Clause
/* cuda: the row of Fourier transforms, and the plans that it keeps. L1. */
#include "backends/cuda/rows/rows.h"
#include "backends/device/rows/rows.h"
#include "base/dtype.h"
#include "base/shape.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_AXES = 3, KEPT = 128 }; /* plans, without the setting fft_plans */

/* A plan serves all streams, one call at a time while it is started: its work space comes with the call. */
struct cuda_plan {
  cuda_plan *next;             /* the one used before it */
  cuda_fft_spec spec;
  void *plan;
  int32_t users;               /* calls that have it; the device's lock */
  pthread_mutex_t starting;
};

/* ---- plans: the newest first, under the device's lock ---- */

static bool same(const cuda_fft_spec *a, const cuda_fft_spec *b)
{
  return a->rank == b->rank && a->batch == b->batch && a->dtype == b->dtype && a->sign == b->sign &&
         memcmp(a->n, b->n, (size_t)a->rank * sizeof *a->n) == 0;
}

static int32_t most_plans(const cuda_device *d)
{
  const char *text = d->host->struct_size > offsetof(hed_host_api, setting) ? d->host->setting("fft_plans") : NULL;
  const int n = text ? atoi(text) : KEPT;
  return n >= 1 && n <= 4096 ? n : KEPT;
}

/* The last of more than MOST that nobody has any more, taken out of the list. */
static cuda_plan *surplus(cuda_device *d, int32_t most)
{
  cuda_plan **last = NULL, *p;
  int32_t n = 0;
  for (cuda_plan **at = &d->plans; *at; at = &(*at)->next)
    if (++n > most && (*at)->users == 0)
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
  pthread_mutex_destroy(&p->starting);
  d->host->free(p);
}

/* The plan for SPEC, now in front of the list, for one user more; else FRESH, put there; NULL. */
static cuda_plan *take(cuda_device *d, const cuda_fft_spec *spec, cuda_plan *fresh)
{
  cuda_plan **at, *p;
  pthread_mutex_lock(&d->lock);
  for (at = &d->plans; *at && !same(&(*at)->spec, spec); at = &(*at)->next)
    ;
  if ((p = *at))
    *at = p->next;
  else
    p = fresh;
  if (p) {
    p->next = d->plans;
    d->plans = p;
    p->users++;
  }
  pthread_mutex_unlock(&d->lock);
  return p;
}

static void give_back(cuda_device *d, cuda_plan *p)
{
  pthread_mutex_lock(&d->lock);
  const bool last = --p->users == 0 && !p->plan;
  for (cuda_plan **at = &d->plans; last && *at; at = &(*at)->next)
    if (*at == p) {
      *at = p->next;
      break;
    }
  pthread_mutex_unlock(&d->lock);
  if (last) /* it could not be made */
    drop(d, p);
}

/* P, which this thread has put into the list and others may be waiting for. */
static int32_t make(cuda_device *d, cuda_plan *p)
{
  cuda_plan *gone = NULL;
  const int32_t status = cuda_fft_make(d, &p->spec, &p->plan);
  pthread_mutex_unlock(&p->starting);
  if (status == HED_OK) {
    pthread_mutex_lock(&d->lock);
    gone = surplus(d, most_plans(d));
    pthread_mutex_unlock(&d->lock);
  }
  if (gone)
    drop(d, gone);
  return status;
}

/* The plan for SPEC, for the caller to give back. One thread makes it, others wait, and try by themselves when it cannot. */
static int32_t plan_of(cuda_device *d, const cuda_fft_spec *spec, cuda_plan **out)
{
  cuda_plan *p = take(d, spec, NULL), *fresh = NULL;
  int32_t status = HED_OK;
  if (!p) {
    fresh = d->host->alloc(sizeof *fresh, 0);
    if (!fresh)
      return d->host->fail(HED_E_NOMEM, "cuda:%d: no memory for a plan", (int)d->index);
    *fresh = (cuda_plan){ .spec = *spec };
    pthread_mutex_init(&fresh->starting, NULL);
    pthread_mutex_lock(&fresh->starting);
    p = take(d, spec, fresh);
  }
  if (p == fresh) {
    status = make(d, p);
  } else {
    if (fresh) {
      pthread_mutex_unlock(&fresh->starting);
      drop(d, fresh);
    }
    pthread_mutex_lock(&p->starting);
    if (!p->plan)
      status = cuda_fft_make(d, spec, &p->plan);
    pthread_mutex_unlock(&p->starting);
  }
  if (status != HED_OK)
    give_back(d, p);
  *out = status == HED_OK ? p : NULL;
  return status;
}

static int32_t run(dev_submit *q, cuda_plan *p, void *work, void *in, void *out)
{
  if (q->skip)
    return HED_OK;
  q->begun = true;
  pthread_mutex_lock(&p->starting);
  const int32_t status = cuda_fft_run(q->device->dev, q->stream->native, p->plan, work, in, out);
  pthread_mutex_unlock(&p->starting);
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
  cuda_plan *plan = NULL;
  hed_view order_in, order_out;
  dev_submit q;
  int32_t order[HED_MAX_NDIM];
  uint64_t ticket = 0;
  size_t scratch = 0, work;    /* the operands' bytes, where the plan's begin */
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
  if (status != HED_OK || (status = dev_status(d, plan_of(d->dev, &spec, &plan))) != HED_OK)
    return status;
  work = scratch; /* a multiple of what work spaces are aligned to */
  scratch += cuda_fft_bytes(plan->plan);
  status = dev_submit_call(&q, d, c);
  if (status == HED_OK) {
    if (scratch)
      status = dev_submit_scratch(&q, scratch, &memory);
    if (status == HED_OK)
      status = cuda_operand_load(&q, &in, memory);
    if (status == HED_OK)
      status = run(&q, plan, (char *)memory + work, cuda_operand_data(&in, memory), cuda_operand_data(&out, memory));
    if (status == HED_OK)
      status = cuda_operand_store(&q, &out, memory);
    status = dev_submit_end(&q, dev_status(d, status), &ticket);
  }
  give_back(d->dev, plan);
  if (status == HED_OK && p->scale != 1)
    status = cuda_scale(d, c, y, p->scale, &ticket);
  if (c->ticket)
    *c->ticket = ticket;
  return status;
}
