// SPDX-License-Identifier: BSD-3-Clause
/* softmax and log_softmax along an axis, cross along the last one. L1. */
#include "backends/device/layer.h"
#include "backends/device/kernels/args.h"
#include "base/dtype.h"
#include <heddle/op_names.h>

int32_t hed__softmax_call(void *state, const hed_call *c)
{
  hed__device *d = state;
  const int32_t axis = ((const hed_scan_params *)c->params)->axis;
  hed__spec spec = hed__spec_of("rowwise", c->compute);
  hed__scan_args a = { .parts = 1 };
  hed__pack x, out;
  hed__submit q;
  void *entry, *scratch = NULL;
  int64_t n[3];
  if (c->host_in)
    return HED_E_UNSUPPORTED;
  if (hed__view_size(c->out[0]) == 0)
    return hed__nothing_call(state, c);
  spec.in[0] = c->in[0]->dtype == c->compute ? HED__TYPE_NONE : c->in[0]->dtype;
  spec.out = c->out[0]->dtype == c->compute ? HED__TYPE_NONE : c->out[0]->dtype;
  int32_t status = hed__pack_prepare(d, &x, c->in[0], !hed__line_view(c->in[0], axis, n, a.from), false);
  if (status == HED_OK)
    status = hed__pack_prepare(d, &out, c->out[0], !hed__line_view(c->out[0], axis, n, a.to), true);
  if (status == HED_OK)
    status = hed__kernel(d, &spec, hed_op_names[c->op], &entry);
  if (status != HED_OK)
    return status;
  (void)hed__line_view(x.needed ? &x.packed : c->in[0], axis, a.n, a.from);
  (void)hed__line_view(out.needed ? &out.packed : c->out[0], axis, n, a.to);
  if ((status = hed__submit_call(&q, d, c)) != HED_OK)
    return status;
  if (x.bytes + out.bytes > 0)
    status = hed__submit_scratch(&q, x.bytes + out.bytes, &scratch);
  char *at = scratch;
  if (status == HED_OK)
    status = hed__pack_in(&q, &x, &at);
  hed__pack_out(&out, &at);
  const uint64_t rows = (uint64_t)(a.n[0] * a.n[2]);
  if (status == HED_OK)
    status = hed__submit_items(&q, entry, d->limits.is_cpu ? rows : rows * d->limits.block, 2, (void *[]){ out.data, x.data }, &a,
                               sizeof a);
  if (status == HED_OK)
    status = hed__pack_finish(&q, &out);
  return hed__submit_end(&q, status, c->ticket);
}

int32_t hed__cross_call(void *state, const hed_call *c)
{
  hed__device *d = state;
  hed__spec spec = hed__spec_of("map", c->compute);
  hed__map_flat_args a = { .n = hed__view_size(c->out[0]) / 3 };
  hed__submit q;
  void *entry;
  if (c->host_in)
    return HED_E_UNSUPPORTED;
  if (a.n == 0)
    return hed__nothing_call(state, c);
  spec.only = "CROSS";
  int32_t status = hed__kernel(d, &spec, "cross_flat", &entry);
  if (status == HED_OK && (status = hed__submit_call(&q, d, c)) == HED_OK)
    status = hed__submit_end(&q, hed__submit_items(&q, entry, (uint64_t)a.n, 3,
                                                   (void *[]){ c->out[0]->data, c->in[0]->data, c->in[1]->data }, &a, sizeof a),
                             c->ticket);
  return status;
}
