// SPDX-License-Identifier: BSD-3-Clause
/* scatter_nd: of several values for one place the last stays, or all are combined in their order (kernels/scatter.k). L1. */
#include "backends/device/rows/rows.h"
#include "backends/device/kernels/args_gather.h"
#include "base/dtype.h"

typedef struct scatter_job {
  hed__scatter_args args;
  dev_pack values, places, out, back; /* OUT is packed and, as BACK, unpacked */
  dev_order_job order;
  bool sets;
  size_t claims;               /* bytes */
  void *first, *second;        /* claim and set; keys and combine */
} scatter_job;

static const char *combine_name(int32_t op)
{
  switch (op) {
  case HED_SCATTER_ADD: return "scatter_add";
  case HED_SCATTER_MULTIPLY: return "scatter_multiply";
  case HED_SCATTER_MAX: return "scatter_max";
  default: return "scatter_min";
  }
}

static int32_t prepare(dev_device *d, scatter_job *j, const hed_call *c)
{
  const hed_gather_params *p = c->params;
  const hed_view *values = c->in[0], *out = c->out[0];
  const int32_t compute = hed__compute_of(out->dtype);
  dev_spec spec = dev_spec_of("scatter", compute);
  const bool packs = !hed__is_c_contiguous(out);
  j->args = (hed__scatter_args){ .n = c->in[1]->dim[0], .extent = 1, .block = 1, .code = DEV_CODE_PLACE };
  for (int32_t k = 0; k < out->ndim; k++)
    *(k < p->axes ? &j->args.extent : &j->args.block) *= out->dim[k];
  j->sets = p->op == HED_SCATTER_SET;
  j->claims = dev_part_bytes((size_t)j->args.extent * sizeof(uint32_t));
  spec.out = compute == out->dtype ? DEV_TYPE_NONE : out->dtype;
  int32_t status = dev_pack_prepare(d, &j->values, values, !hed__is_c_contiguous(values), false);
  if (status == HED_OK)
    status = dev_pack_prepare(d, &j->places, c->in[1], !hed__is_c_contiguous(c->in[1]), false);
  if (status == HED_OK)
    status = dev_pack_prepare(d, &j->out, out, packs, false);
  if (status == HED_OK)
    status = dev_pack_prepare(d, &j->back, out, packs, true);
  if (status == HED_OK)
    status = dev_kernel(d, &spec, j->sets ? "scatter_claim" : "scatter_keys", &j->first);
  if (status == HED_OK)
    status = dev_kernel(d, &spec, j->sets ? "scatter_set" : combine_name(p->op), &j->second);
  if (status == HED_OK && !j->sets)
    status = dev_order_prepare(d, &j->order, HED_ID_UINT64, 1, j->args.n, false);
  return status;
}

static int32_t set(dev_submit *q, scatter_job *j, void *record, char *at)
{
  const hed__scatter_args *a = &j->args;
  int32_t status = dev_submit_clear(q, at, j->claims);
  if (status == HED_OK)
    status = dev_submit_items(q, j->first, (uint64_t)a->n, 3, (void *[]){ at, j->places.data, record }, a, sizeof *a);
  if (status == HED_OK)
    status = dev_submit_items(q, j->second, (uint64_t)(a->n * a->block), 4,
                              (void *[]){ j->out.data, j->values.data, j->places.data, at }, a, sizeof *a);
  return status;
}

static int32_t combine(dev_submit *q, scatter_job *j, void *record, char *at)
{
  const hed__scatter_args *a = &j->args;
  int32_t bits = 1;
  dev_order o;
  while (bits < 63 && a->extent >> bits) /* keys are up to the extent */
    bits++;
  dev_order_place(&j->order, &o, &at);
  int32_t status = dev_submit_items(q, j->first, (uint64_t)a->n, 4, (void *[]){ o.keys[0], o.numbers[0], j->places.data, record },
                                    a, sizeof *a);
  if (status == HED_OK)
    status = dev_order_submit(q, &j->order, &o, bits);
  if (status == HED_OK)
    status = dev_submit_items(q, j->second, (uint64_t)(a->n * a->block), 4,
                              (void *[]){ j->out.data, j->values.data, o.keys[0], o.numbers[0] }, a, sizeof *a);
  return status;
}

static int32_t run(dev_submit *q, scatter_job *j, int32_t op)
{
  void *scratch, *record;
  int32_t status = dev_submit_scratch(q, (j->sets ? j->claims : dev_order_bytes(&j->order)) + j->values.bytes + j->places.bytes +
                                         j->out.bytes + 256, &scratch);
  char *at = scratch;
  if (status == HED_OK)
    status = dev_pack_in(q, &j->values, &at);
  if (status == HED_OK)
    status = dev_pack_in(q, &j->places, &at);
  if (status == HED_OK)
    status = dev_pack_in(q, &j->out, &at);
  j->back.data = j->out.data;
  if (status == HED_OK)
    status = dev_errors_record(q, op, -1, &record);
  if (status == HED_OK)
    status = j->sets ? set(q, j, record, at) : combine(q, j, record, at);
  if (status == HED_OK)
    status = dev_pack_finish(q, &j->back);
  return status == HED_OK ? dev_errors_fetch(q) : status;
}

int32_t dev_scatter_nd_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  scatter_job j;
  dev_submit q;
  if (c->host_in || c->in[0]->dtype != c->out[0]->dtype || c->in[1]->dtype != HED_ID_INT64 || c->in[1]->dim[0] > INT32_MAX ||
      hed__view_size(c->out[0]) > INT32_MAX)
    return HED_E_UNSUPPORTED;
  if (hed__view_size(c->out[0]) == 0 || hed__view_size(c->in[0]) == 0)
    return dev_nothing_call(state, c);
  int32_t status = prepare(d, &j, c);
  if (status == HED_OK && (status = dev_submit_call(&q, d, c)) == HED_OK)
    status = dev_submit_end(&q, run(&q, &j, c->op), c->ticket);
  return status;
}
