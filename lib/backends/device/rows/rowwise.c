// SPDX-License-Identifier: BSD-3-Clause
/* softmax, log_softmax and isotonic along an axis, cross along the last one. L1. */
#include "backends/device/rows/rows.h"
#include "backends/device/kernels/args_bits.h"
#include "base/dtype.h"
#include <heddle/op_names.h>

/* Items of a row of N elements: each holds four of short ones, so that rows share a group. */
static int64_t team_of(const dev_device *d, int64_t n)
{
  int64_t team = 1;
  while (team < (int64_t)d->limits.block && team * 4 < n)
    team *= 2;
  return d->limits.is_cpu ? 1 : team;
}

int32_t dev_softmax_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  const int32_t axis = ((const hed_scan_params *)c->params)->axis;
  dev_spec spec = dev_spec_of("rowwise", c->compute);
  hed__scan_args a = { .chunk = 0 };
  dev_pack x, out;
  dev_submit q;
  void *entry, *scratch = NULL;
  int64_t n[3];
  if (c->host_in)
    return HED_E_UNSUPPORTED;
  if (hed__view_size(c->out[0]) == 0)
    return dev_nothing_call(state, c);
  spec.in[0] = c->in[0]->dtype == c->compute ? DEV_TYPE_NONE : c->in[0]->dtype;
  spec.out = c->out[0]->dtype == c->compute ? DEV_TYPE_NONE : c->out[0]->dtype;
  int32_t status = dev_pack_prepare(d, &x, c->in[0], !dev_line_view(c->in[0], axis, n, a.from), false);
  if (status == HED_OK)
    status = dev_pack_prepare(d, &out, c->out[0], !dev_line_view(c->out[0], axis, n, a.to), true);
  if (status == HED_OK)
    status = dev_kernel(d, &spec, hed_op_names[c->op], &entry);
  if (status != HED_OK)
    return status;
  (void)dev_line_view(x.needed ? &x.packed : c->in[0], axis, a.n, a.from);
  (void)dev_line_view(out.needed ? &out.packed : c->out[0], axis, n, a.to);
  if ((status = dev_submit_call(&q, d, c)) != HED_OK)
    return status;
  if (x.bytes + out.bytes > 0)
    status = dev_submit_scratch(&q, x.bytes + out.bytes, &scratch);
  char *at = scratch;
  if (status == HED_OK)
    status = dev_pack_in(&q, &x, &at);
  dev_pack_out(&out, &at);
  a.parts = team_of(d, a.n[1]);
  if (status == HED_OK)
    status = dev_submit_items(&q, entry, (uint64_t)(a.n[0] * a.n[2] * a.parts), 2, (void *[]){ out.data, x.data }, &a, sizeof a);
  if (status == HED_OK)
    status = dev_pack_finish(&q, &out);
  return dev_submit_end(&q, status, c->ticket);
}

int32_t dev_cross_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  dev_spec spec = dev_spec_of("map", c->compute);
  hed__map_flat_args a = { .n = hed__view_size(c->out[0]) / 3 };
  dev_submit q;
  void *entry;
  if (c->host_in)
    return HED_E_UNSUPPORTED;
  if (a.n == 0)
    return dev_nothing_call(state, c);
  spec.only = "CROSS";
  int32_t status = dev_kernel(d, &spec, "cross_flat", &entry);
  if (status == HED_OK && (status = dev_submit_call(&q, d, c)) == HED_OK)
    status = dev_submit_end(&q, dev_submit_items(&q, entry, (uint64_t)a.n, 3,
                                                 (void *[]){ c->out[0]->data, c->in[0]->data, c->in[1]->data }, &a, sizeof a),
                            c->ticket);
  return status;
}

/* ---- isotonic ---- */

/* V with AXIS last, from its end where it has to fall. */
static hed_view directed(const hed_view *v, const hed_isotonic_params *p)
{
  hed_view r = dev_moved_last(v, p->axis);
  const int32_t last = r.ndim - 1;
  if (p->descending) {
    r.data = (char *)r.data + (r.dim[last] - 1) * r.stride[last];
    r.stride[last] = -r.stride[last];
  }
  return r;
}

/* Lines in float64, which become their results in place; behind them the weights, and room for as many elements twice. */
int32_t dev_isotonic_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  const dev_spec spec = dev_spec_of("isotonic", HED_ID_FLOAT64);
  const bool weighted = c->n_in > 1;
  hed_view given[2], out = directed(c->out[0], c->params);
  dev_pack pack[2];
  dev_cast_job back;
  dev_submit q;
  void *entry, *scratch;
  if (c->host_in || !d->limits.float64)
    return HED_E_UNSUPPORTED;
  if (hed__view_size(&out) == 0)
    return dev_nothing_call(state, c);
  int32_t status = HED_OK;
  for (int32_t k = 0; k < c->n_in && status == HED_OK; k++) {
    given[k] = directed(c->in[k], c->params);
    status = dev_pack_dense(d, &pack[k], &given[k], HED_ID_FLOAT64, true, false);
  }
  if (status == HED_OK)
    status = dev_cast_prepare(d, &back, &out, &pack[0].packed, false);
  if (status == HED_OK)
    status = dev_kernel(d, &spec, "isotonic", &entry);
  if (status != HED_OK || (status = dev_submit_call(&q, d, c)) != HED_OK)
    return status;
  const hed__isotonic_args a = { .rows = hed__view_size(&out) / out.dim[out.ndim - 1], .n = out.dim[out.ndim - 1],
                                 .weighted = weighted };
  status = dev_submit_scratch(&q, pack[0].bytes * (weighted ? 4 : 3), &scratch);
  char *at = scratch;
  for (int32_t k = 0; k < c->n_in && status == HED_OK; k++)
    status = dev_pack_in(&q, &pack[k], &at);
  if (status == HED_OK)
    status = dev_submit_items(&q, entry, (uint64_t)a.rows, 4,
                              (void *[]){ pack[0].data, pack[weighted].data, at, at + pack[0].bytes }, &a, sizeof a);
  if (status == HED_OK)
    status = dev_cast_submit(&q, &back, out.data, pack[0].data);
  return dev_submit_end(&q, status, c->ticket);
}
