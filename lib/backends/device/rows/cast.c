// SPDX-License-Identifier: BSD-3-Clause
/* astype, concatenate, and every strided copy: elements converted from one type to another, or moved as bits. L1. */
#include "backends/device/rows/rows.h"
#include "base/cast.h"
#include "base/dtype.h"
#include <stdio.h>
#include <string.h>

/* ---- two axes exchanged ---- */

/* As copy_transposed does it, where P reads along one axis what it writes along another, and there is enough for tiles. */
static bool exchanges_axes(const dev_plan *p, hed__map_rows_args *a)
{
  enum { LEAST_EXTENT = 16, MOST_GROUPS = 65535 };
  const hed__nest *nest = &p->nest;
  int32_t to = -1, from = -1, rest = -1;
  if (p->single || nest->ndim < 2 || nest->ndim > 3)
    return false;
  for (int32_t k = 0; k < nest->ndim; k++) {
    int32_t *which = to < 0 && nest->stride[0][k] == 1 ? &to : from < 0 && nest->stride[1][k] == 1 ? &from : &rest;
    *which = k;
  }
  if (to < 0 || from < 0 || nest->dim[to] < LEAST_EXTENT || nest->dim[from] < LEAST_EXTENT)
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

static int32_t transpose(dev_submit *q, const dev_cast_job *j)
{
  enum { TILE = 32 };
  const hed__map_rows_args *a = &j->transposed;
  const dev_launch l = { .block = q->device->limits.is_cpu ? 1 : q->device->limits.block,
                         .groups = { (uint64_t)(a->n[0] + TILE - 1) / TILE, (uint64_t)(a->n[1] + TILE - 1) / TILE,
                                     (uint64_t)a->n[2] },
                         .n_pointers = 2, .pointer = (void *[]){ j->plan.nest.data[0], j->plan.nest.data[1] },
                         .args = a, .args_bytes = sizeof *a };
  return dev_submit_launch(q, j->entry, &l);
}

/* ---- conversions and copies ---- */

/* Types of one size share the kernel that moves bits. */
static int32_t find_entry(dev_device *d, int32_t from, int32_t to, dev_layout layout, void **entry)
{
  static const int32_t sharing[17] = { [1] = HED_ID_UINT8, [2] = HED_ID_UINT16, [4] = HED_ID_UINT32, [8] = HED_ID_UINT64,
                                       [16] = HED_ID_COMPLEX128 };
  const bool moves = from == to;
  const int32_t size = hed__id_size(to);
  if (moves)
    from = to = sharing[size];
  _Atomic(void *) *known = &d->cast_entry[(from * HED_ID_CONCRETE_COUNT_ + to) * DEV_LAYOUTS + (int32_t)layout];
  dev_spec spec = dev_spec_of(moves ? "copy" : "cast", from);
  char name[32], bytes[16];
  if ((*entry = atomic_load_explicit(known, memory_order_acquire)))
    return HED_OK;
  snprintf(bytes, sizeof bytes, "HED_BYTES %d", (int)size);
  if (moves)
    spec.define[0] = bytes;
  else
    spec.out = to;
  snprintf(name, sizeof name, "%s_%s", moves ? "copy" : "astype", dev_layout_names[layout]);
  const int32_t status = dev_kernel(d, &spec, name, entry);
  if (status == HED_OK)
    atomic_store_explicit(known, *entry, memory_order_release);
  return status;
}

int32_t dev_cast_prepare(dev_device *d, dev_cast_job *j, const hed_view *dst, const hed_view *src, bool host)
{
  j->views[0] = dst;
  j->views[1] = src;
  j->args = (dev_map_args){ .host = host };
  j->entry = NULL;
  j->fill = host;
  if (host) {
    dev_element_bits(src, dst->dtype, j->bits);
    return dev_fill_prepare(d, &j->filling, dst);
  }
  int32_t status = dev_plan_make(&j->plan, d, 2, j->views, 0);
  if (status != HED_OK)
    return status;
  j->whole = src->dtype == dst->dtype && j->plan.layout == DEV_FLAT && !(j->plan.single & 1);
  if (j->whole) /* the driver moves it */
    return HED_OK;
  if (src->dtype == dst->dtype && j->plan.layout == DEV_FLAT)
    j->plan.layout = DEV_ROWS; /* one row */
  else if (src->dtype == dst->dtype && j->plan.layout == DEV_STRIDED && exchanges_axes(&j->plan, &j->transposed))
    j->plan.layout = DEV_TRANSPOSED;
  return find_entry(d, src->dtype, dst->dtype, j->plan.layout, &j->entry);
}

int32_t dev_cast_submit(dev_submit *q, dev_cast_job *j, void *dst, void *src)
{
  dev_device *d = q->device;
  if (j->fill)
    return dev_fill_submit(q, &j->filling, dst, j->bits);
  j->plan.nest.data[0] += (char *)dst - (char *)j->views[0]->data;
  j->plan.nest.data[1] += (char *)src - (char *)j->views[1]->data;
  if (j->plan.layout == DEV_TRANSPOSED)
    return transpose(q, j);
  if (!j->whole)
    return dev_plan_launch(q, &j->plan, j->views, j->entry, &j->args);
  const size_t bytes = (size_t)j->plan.nest.dim[0] * (size_t)hed__id_size(j->views[0]->dtype);
  if (q->skip || bytes == 0 || j->plan.nest.data[0] == j->plan.nest.data[1])
    return HED_OK;
  q->begun = true;
  return dev_status(d, d->port->copy(d->dev, q->stream->native, j->plan.nest.data[0], j->plan.nest.data[1], bytes,
                                     DEV_COPY_DEVICE, false));
}

int32_t dev_cast_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  dev_cast_job j;
  dev_submit q;
  int32_t status = dev_cast_prepare(d, &j, c->out[0], c->in[0], c->host_in & 1);
  if (status == HED_OK && (status = dev_submit_call(&q, d, c)) == HED_OK)
    status = dev_submit_end(&q, dev_cast_submit(&q, &j, c->out[0]->data, c->in[0]->data), c->ticket);
  return status;
}

int32_t dev_concatenate_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  const int32_t axis = ((const hed_concatenate_params *)c->params)->axis;
  hed_view part[HED_MAX_NDIM];
  dev_submit q;
  dev_cast_job *job = d->host->alloc((size_t)c->n_in * sizeof *job, 0);
  char *at = c->out[0]->data;
  int32_t status = job ? HED_OK : d->host->fail(HED_E_NOMEM, "%s: no memory for a submission", d->name);
  for (int32_t k = 0; k < c->n_in && status == HED_OK; k++) {
    part[k] = *c->out[0];
    part[k].dim[axis] = c->in[k]->dim[axis];
    part[k].data = at;
    at += part[k].dim[axis] * part[k].stride[axis];
    status = dev_cast_prepare(d, &job[k], &part[k], c->in[k], c->host_in >> k & 1);
  }
  if (status == HED_OK && (status = dev_submit_call(&q, d, c)) == HED_OK) {
    for (int32_t k = 0; k < c->n_in && status == HED_OK; k++)
      status = dev_cast_submit(&q, &job[k], part[k].data, c->in[k]->data);
    status = dev_submit_end(&q, status, c->ticket);
  }
  d->host->free(job);
  return status;
}
