// SPDX-License-Identifier: BSD-3-Clause
/* bincount and histogram without weights, whose sums in order are left to the host. L1. */
#include "backends/device/layer.h"
#include "base/dtype.h"

/* Counts are 32 bits on the device. */
enum { MOST_VALUES = INT32_MAX };

typedef struct bins_job {
  hed__bins_args args;
  hed__cast_job edges, out;    /* to float64, side by side; from counts */
  hed_view flat, counts;
  void *bin, *count;
  size_t bins, edge_bytes;     /* of scratch memory */
  bool with_edges;
} bins_job;

static size_t round_up(size_t n) { return (n + 255) / 256 * 256; }

static int32_t prepare(hed__device *d, bins_job *j, const hed_call *c)
{
  const hed_view *x = c->in[0];
  const int64_t size = hed__id_size(x->dtype);
  const hed__spec spec = hed__spec_of("bins", x->dtype);
  if (x->stride[0] % size != 0 || x->dim[0] > MOST_VALUES || (j->with_edges && !d->limits.float64))
    return HED_E_UNSUPPORTED;
  j->args = (hed__bins_args){ .values = x->dim[0], .step = x->stride[0] / size, .bins = c->out[0]->dim[0] };
  j->bins = round_up((size_t)x->dim[0] * sizeof(int64_t));
  j->counts = (hed_view){ .dtype = HED_ID_UINT32, .ndim = 1, .dim = { j->args.bins }, .stride = { sizeof(uint32_t) } };
  int32_t status = hed__kernel(d, &spec, j->with_edges ? "bin_of_number" : "bin_of_integer", &j->bin);
  if (status == HED_OK)
    status = hed__kernel(d, &spec, "count_bins", &j->count);
  if (status == HED_OK)
    status = hed__cast_prepare(d, &j->out, c->out[0], &j->counts, false);
  if (status != HED_OK || !j->with_edges)
    return status;
  j->flat = (hed_view){ .dtype = HED_ID_FLOAT64, .ndim = 1, .dim = { c->in[1]->dim[0] }, .stride = { sizeof(double) } };
  j->edge_bytes = round_up((size_t)c->in[1]->dim[0] * sizeof(double));
  return hed__cast_prepare(d, &j->edges, &j->flat, c->in[1], false);
}

static int32_t run(hed__submit *q, bins_job *j, const hed_call *c)
{
  hed__device *d = q->device;
  const size_t bytes = round_up((size_t)j->args.bins * sizeof(uint32_t));
  void *scratch;
  int32_t status = hed__submit_scratch(q, j->bins + j->edge_bytes + bytes + 256, &scratch);
  if (status != HED_OK)
    return status;
  char *bins = scratch, *edges = bins + j->bins, *counts = edges + j->edge_bytes;
  if (j->with_edges)
    status = hed__cast_submit(q, &j->edges, edges, c->in[1]->data);
  q->begun = true;
  if (status == HED_OK && !q->skip)
    status = hed__device_status(d, d->port->memset(d->dev, q->stream->native, counts, 0, bytes));
  if (status == HED_OK)
    status = hed__submit_items(q, j->bin, (uint64_t)j->args.values, j->with_edges ? 3 : 2,
                               (void *[]){ bins, c->in[0]->data, edges }, &j->args, sizeof j->args);
  if (status == HED_OK)
    status = hed__submit_items(q, j->count, (uint64_t)j->args.values, 2, (void *[]){ counts, bins }, &j->args, sizeof j->args);
  return status == HED_OK ? hed__cast_submit(q, &j->out, c->out[0]->data, counts) : status;
}

static int32_t tally(hed__device *d, const hed_call *c, bool with_edges)
{
  bins_job j = { .with_edges = with_edges };
  hed__submit q;
  if (c->host_in || c->n_in > (with_edges ? 2 : 1))
    return HED_E_UNSUPPORTED;
  if (c->out[0]->dim[0] == 0)
    return hed__nothing_call(d, c);
  int32_t status = prepare(d, &j, c);
  if (status == HED_OK && (status = hed__submit_call(&q, d, c)) == HED_OK)
    status = hed__submit_end(&q, run(&q, &j, c), c->ticket);
  return status;
}

int32_t hed__bincount_call(void *state, const hed_call *c) { return tally(state, c, false); }
int32_t hed__histogram_call(void *state, const hed_call *c) { return tally(state, c, true); }
