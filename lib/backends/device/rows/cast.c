// SPDX-License-Identifier: BSD-3-Clause
/* astype, concatenate, and every strided copy: elements converted from one type to another, or moved as bits. L1. */
#include "backends/device/layer.h"
#include "base/cast.h"
#include "base/dtype.h"
#include <stdio.h>
#include <string.h>

/* ---- two axes exchanged ---- */

/* As copy_transposed does it, where P reads along one axis what it writes along another, and there is enough for tiles. */
static bool exchanges_axes(const hed__plan *p, hed__map_rows_args *a)
{
  enum { LEAST = 16, MOST_GROUPS = 65535 };
  const hed__nest *nest = &p->nest;
  int32_t to = -1, from = -1, rest = -1;
  if (p->single || nest->ndim < 2 || nest->ndim > 3)
    return false;
  for (int32_t k = 0; k < nest->ndim; k++) {
    int32_t *which = to < 0 && nest->stride[0][k] == 1 ? &to : from < 0 && nest->stride[1][k] == 1 ? &from : &rest;
    *which = k;
  }
  if (to < 0 || from < 0 || nest->dim[to] < LEAST || nest->dim[from] < LEAST)
    return false;
  *a = (hed__map_rows_args){ .n = { nest->dim[from], nest->dim[to], 1 },
                             .stride = { { nest->stride[0][from] }, { nest->stride[1][to] } } };
  if (rest >= 0) {
    a->n[2] = nest->dim[rest];
    a->stride[0][1] = nest->stride[0][rest];
    a->stride[1][1] = nest->stride[1][rest];
  }
  return a->n[1] <= MOST_GROUPS && a->n[2] <= MOST_GROUPS;
}

static int32_t transpose(hed__submit *q, const hed__cast_job *j)
{
  enum { TILE = 32 };
  const hed__map_rows_args *a = &j->transposed;
  const hed__launch l = { .block = q->device->limits.block,
                          .groups = { (uint64_t)(a->n[0] + TILE - 1) / TILE, (uint64_t)(a->n[1] + TILE - 1) / TILE,
                                      (uint64_t)a->n[2] },
                          .n_pointers = 2, .pointer = (void *[]){ j->plan.nest.data[0], j->plan.nest.data[1] },
                          .args = a, .args_bytes = sizeof *a };
  return hed__submit_launch(q, j->entry, &l);
}

/* ---- conversions and copies ---- */

/* Types of one size share the kernel that moves bits. */
static int32_t find_entry(hed__device *d, int32_t from, int32_t to, hed__layout layout, void **entry)
{
  static const int32_t sharing[17] = { [1] = HED_ID_UINT8, [2] = HED_ID_UINT16, [4] = HED_ID_UINT32, [8] = HED_ID_UINT64,
                                       [16] = HED_ID_COMPLEX128 };
  const bool moves = from == to;
  const int32_t size = hed__id_size(to);
  if (moves)
    from = to = sharing[size];
  _Atomic(void *) *known = &d->cast_entry[(from * HED_ID_CONCRETE_COUNT_ + to) * HED__LAYOUTS + (int32_t)layout];
  hed__spec spec = hed__spec_of(moves ? "copy" : "cast", from);
  char name[32], bytes[16];
  if ((*entry = atomic_load_explicit(known, memory_order_acquire)))
    return HED_OK;
  snprintf(bytes, sizeof bytes, "HED_BYTES %d", (int)size);
  if (moves)
    spec.define[0] = bytes;
  else
    spec.out = to;
  snprintf(name, sizeof name, "%s_%s", moves ? "copy" : "astype", hed__layout_names[layout]);
  const int32_t status = hed__kernel(d, &spec, name, entry);
  if (status == HED_OK)
    atomic_store_explicit(known, *entry, memory_order_release);
  return status;
}

int32_t hed__cast_prepare(hed__device *d, hed__cast_job *j, const hed_view *dst, const hed_view *src, bool host)
{
  j->views[0] = dst;
  j->views[1] = src;
  j->args = (hed__map_args){ .host = host };
  j->entry = NULL;
  j->fill = host;
  if (host) {
    hed__element_bits(src, dst->dtype, j->bits);
    return hed__fill_prepare(d, &j->filling, dst);
  }
  int32_t status = hed__plan_make(&j->plan, d, 2, j->views, 0);
  if (status != HED_OK)
    return status;
  j->whole = src->dtype == dst->dtype && j->plan.layout == HED__FLAT && !(j->plan.single & 1);
  if (j->whole) /* the driver moves it */
    return HED_OK;
  if (src->dtype == dst->dtype && j->plan.layout == HED__FLAT)
    j->plan.layout = HED__ROWS; /* one row */
  else if (src->dtype == dst->dtype && j->plan.layout == HED__STRIDED && exchanges_axes(&j->plan, &j->transposed))
    j->plan.layout = HED__TRANSPOSED;
  return find_entry(d, src->dtype, dst->dtype, j->plan.layout, &j->entry);
}

int32_t hed__cast_submit(hed__submit *q, hed__cast_job *j, void *dst, void *src)
{
  hed__device *d = q->device;
  if (j->fill)
    return hed__fill_submit(q, &j->filling, dst, j->bits);
  j->plan.nest.data[0] += (char *)dst - (char *)j->views[0]->data;
  j->plan.nest.data[1] += (char *)src - (char *)j->views[1]->data;
  if (j->plan.layout == HED__TRANSPOSED)
    return transpose(q, j);
  if (!j->whole)
    return hed__plan_launch(q, &j->plan, j->views, j->entry, &j->args);
  const size_t bytes = (size_t)j->plan.nest.dim[0] * (size_t)hed__id_size(j->views[0]->dtype);
  if (q->skip || bytes == 0 || j->plan.nest.data[0] == j->plan.nest.data[1])
    return HED_OK;
  q->begun = true;
  return hed__device_status(d, d->port->copy(d->dev, q->stream->native, j->plan.nest.data[0], j->plan.nest.data[1], bytes,
                                             HED__COPY_DEVICE, false));
}

int32_t hed__cast_call(void *state, const hed_call *c)
{
  hed__device *d = state;
  hed__cast_job j;
  hed__submit q;
  int32_t status = hed__cast_prepare(d, &j, c->out[0], c->in[0], c->host_in & 1);
  if (status == HED_OK && (status = hed__submit_call(&q, d, c)) == HED_OK)
    status = hed__submit_end(&q, hed__cast_submit(&q, &j, c->out[0]->data, c->in[0]->data), c->ticket);
  return status;
}

int32_t hed__concatenate_call(void *state, const hed_call *c)
{
  hed__device *d = state;
  const int32_t axis = ((const hed_concatenate_params *)c->params)->axis;
  hed_view part[HED_MAX_NDIM];
  hed__submit q;
  hed__cast_job *job = d->host->alloc((size_t)c->n_in * sizeof *job, 0);
  char *at = c->out[0]->data;
  int32_t status = job ? HED_OK : d->host->fail(HED_E_NOMEM, "%s: no memory for a submission", d->name);
  for (int32_t k = 0; k < c->n_in && status == HED_OK; k++) {
    part[k] = *c->out[0];
    part[k].dim[axis] = c->in[k]->dim[axis];
    part[k].data = at;
    at += part[k].dim[axis] * part[k].stride[axis];
    status = hed__cast_prepare(d, &job[k], &part[k], c->in[k], c->host_in >> k & 1);
  }
  if (status == HED_OK && (status = hed__submit_call(&q, d, c)) == HED_OK) {
    for (int32_t k = 0; k < c->n_in && status == HED_OK; k++)
      status = hed__cast_submit(&q, &job[k], part[k].data, c->in[k]->data);
    status = hed__submit_end(&q, status, c->ticket);
  }
  d->host->free(job);
  return status;
}
