// SPDX-License-Identifier: BSD-3-Clause
/* bincount and histogram: the bin of each value, and how many there are of each; weights are sorted by bin and added up in their
 * order, as scatter_nd adds. L1. */
#include "backends/device/rows/rows.h"
#include "backends/device/kernels/args_gather.h"
#include "base/dtype.h"

/* Counts are 32 bits on the device. */
enum { MOST_VALUES = INT32_MAX };

typedef struct bins_job {
  hed__bins_args args;
  dev_cast_job edges, out;     /* to float64, side by side; from counts */
  hed_view flat, counts;
  void *bin, *count;
  size_t bins, edge_bytes;     /* of scratch memory */
  bool with_edges, with_weights;
  dev_pack weights;
  dev_order_job order;
  hed__scatter_args sum;
  void *key, *add;
} bins_job;

/* Sums of float64 instead of counts. */
static int32_t prepare_weights(dev_device *d, bins_job *j, const hed_view *weights)
{
  const dev_spec spec = dev_spec_of("scatter", HED_ID_FLOAT64);
  j->sum = (hed__scatter_args){ .n = j->args.values, .extent = j->args.bins, .block = 1, .code = DEV_CODE_PLACE };
  j->counts.dtype = HED_ID_FLOAT64;
  j->counts.stride[0] = sizeof(double);
  int32_t status = dev_pack_dense(d, &j->weights, weights, HED_ID_FLOAT64, false, false);
  if (status == HED_OK)
    status = dev_kernel(d, &spec, "scatter_bins", &j->key);
  if (status == HED_OK)
    status = dev_kernel(d, &spec, "scatter_add", &j->add);
  return status == HED_OK ? dev_order_prepare(d, &j->order, HED_ID_UINT64, 1, j->args.values, false) : status;
}

static int32_t prepare(dev_device *d, bins_job *j, const hed_call *c)
{
  const hed_view *x = c->in[0];
  const int64_t size = hed__id_size(x->dtype);
  const dev_spec spec = dev_spec_of("bins", x->dtype);
  if (x->stride[0] % size != 0 || x->dim[0] > MOST_VALUES || (j->with_edges && !d->limits.float64))
    return HED_E_UNSUPPORTED;
  j->args = (hed__bins_args){ .values = x->dim[0], .step = x->stride[0] / size, .bins = c->out[0]->dim[0] };
  j->bins = dev_part_bytes((size_t)x->dim[0] * sizeof(int64_t));
  j->counts = (hed_view){ .dtype = HED_ID_UINT32, .ndim = 1, .dim = { j->args.bins }, .stride = { sizeof(uint32_t) } };
  int32_t status = dev_kernel(d, &spec, j->with_edges ? "bin_of_number" : "bin_of_integer", &j->bin);
  if (status == HED_OK)
    status = j->with_weights ? prepare_weights(d, j, c->in[c->n_in - 1]) : dev_kernel(d, &spec, "count_bins", &j->count);
  if (status == HED_OK)
    status = dev_cast_prepare(d, &j->out, c->out[0], &j->counts, false);
  if (status != HED_OK || !j->with_edges)
    return status;
  j->flat = (hed_view){ .dtype = HED_ID_FLOAT64, .ndim = 1, .dim = { c->in[1]->dim[0] }, .stride = { sizeof(double) } };
  j->edge_bytes = dev_part_bytes((size_t)c->in[1]->dim[0] * sizeof(double));
  return dev_cast_prepare(d, &j->edges, &j->flat, c->in[1], false);
}

/* TOTALS, cleared before, become the sums of the weights by bin. */
static int32_t add_up(dev_submit *q, bins_job *j, char *totals, char *bins, char *at)
{
  dev_order o;
  int32_t bits = 1;
  while (bits < 63 && j->sum.extent >> bits) /* keys are up to the number of bins */
    bits++;
  int32_t status = dev_pack_in(q, &j->weights, &at);
  dev_order_place(&j->order, &o, &at);
  if (status == HED_OK)
    status = dev_submit_items(q, j->key, (uint64_t)j->sum.n, 3, (void *[]){ o.keys[0], o.numbers[0], bins }, &j->sum, sizeof j->sum);
  if (status == HED_OK)
    status = dev_order_submit(q, &j->order, &o, bits);
  return status != HED_OK ? status
         : dev_submit_items(q, j->add, (uint64_t)j->sum.n, 4, (void *[]){ totals, j->weights.data, o.keys[0], o.numbers[0] },
                            &j->sum, sizeof j->sum);
}

static int32_t run(dev_submit *q, bins_job *j, const hed_call *c)
{
  const size_t bytes = dev_part_bytes((size_t)j->args.bins * (size_t)hed__id_size(j->counts.dtype));
  const size_t weights = j->with_weights ? j->weights.bytes + dev_order_bytes(&j->order) : 0;
  void *scratch;
  int32_t status = dev_submit_scratch(q, j->bins + j->edge_bytes + bytes + weights + 256, &scratch);
  if (status != HED_OK)
    return status;
  char *bins = scratch, *edges = bins + j->bins, *counts = edges + j->edge_bytes;
  if (j->with_edges)
    status = dev_cast_submit(q, &j->edges, edges, c->in[1]->data);
  if (status == HED_OK)
    status = dev_submit_clear(q, counts, bytes);
  if (status == HED_OK)
    status = dev_submit_items(q, j->bin, (uint64_t)j->args.values, j->with_edges ? 3 : 2,
                              (void *[]){ bins, c->in[0]->data, edges }, &j->args, sizeof j->args);
  if (status == HED_OK && j->with_weights)
    status = add_up(q, j, counts, bins, counts + bytes);
  else if (status == HED_OK)
    status = dev_submit_items(q, j->count, (uint64_t)j->args.values, 2, (void *[]){ counts, bins }, &j->args, sizeof j->args);
  return status == HED_OK ? dev_cast_submit(q, &j->out, c->out[0]->data, counts) : status;
}

static int32_t tally(dev_device *d, const hed_call *c, bool with_edges)
{
  bins_job j = { .with_edges = with_edges, .with_weights = c->n_in > (with_edges ? 2 : 1) };
  dev_submit q;
  if (c->host_in || (j.with_weights && (!d->limits.float64 || c->in[0]->dim[0] == 0)))
    return HED_E_UNSUPPORTED;
  if (c->out[0]->dim[0] == 0)
    return dev_nothing_call(d, c);
  int32_t status = prepare(d, &j, c);
  if (status == HED_OK && (status = dev_submit_call(&q, d, c)) == HED_OK)
    status = dev_submit_end(&q, run(&q, &j, c), c->ticket);
  return status;
}

int32_t dev_bincount_call(void *state, const hed_call *c) { return tally(state, c, false); }
int32_t dev_histogram_call(void *state, const hed_call *c) { return tally(state, c, true); }
