// SPDX-License-Identifier: BSD-3-Clause
/* searchsorted. L1. */
#include "backends/device/rows/rows.h"
#include "base/dtype.h"

int32_t dev_searchsorted_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  const hed_view *sorted = c->in[0], *values = c->in[1], *out = c->out[0];
  dev_spec spec = dev_spec_of("search", c->compute);
  hed__search_args a = { .n = sorted->dim[0], .values = hed__view_size(values),
                         .right = ((const hed_searchsorted_params *)c->params)->right };
  dev_pack list, x, to;
  dev_submit q;
  void *entry, *scratch = NULL;
  int64_t n[3], s[3];
  if (c->host_in || out->dtype != HED_ID_INT64)
    return HED_E_UNSUPPORTED;
  if (a.values == 0)
    return dev_nothing_call(state, c);
  for (int k = 0; k < 2; k++)
    spec.in[k] = c->in[k]->dtype == c->compute ? DEV_TYPE_NONE : c->in[k]->dtype;
  int32_t status = dev_pack_prepare(d, &list, sorted, !hed__is_c_contiguous(sorted), false);
  if (status == HED_OK)
    status = dev_pack_prepare(d, &x, values, !dev_line_view(values, values->ndim, n, s), false);
  if (status == HED_OK)
    status = dev_pack_prepare(d, &to, out, !dev_line_view(out, out->ndim, n, s), true);
  if (status == HED_OK)
    status = dev_kernel(d, &spec, "searchsorted", &entry);
  if (status != HED_OK)
    return status;
  (void)dev_line_view(x.needed ? &x.packed : values, values->ndim, n, s);
  a.step = s[0];
  (void)dev_line_view(to.needed ? &to.packed : out, out->ndim, n, s);
  a.to = s[0];
  if ((status = dev_submit_call(&q, d, c)) != HED_OK)
    return status;
  if (list.bytes + x.bytes + to.bytes > 0)
    status = dev_submit_scratch(&q, list.bytes + x.bytes + to.bytes, &scratch);
  char *at = scratch;
  if (status == HED_OK)
    status = dev_pack_in(&q, &list, &at);
  if (status == HED_OK)
    status = dev_pack_in(&q, &x, &at);
  dev_pack_out(&to, &at);
  if (status == HED_OK)
    status = dev_submit_items(&q, entry, (uint64_t)a.values, 3, (void *[]){ to.data, list.data, x.data }, &a, sizeof a);
  if (status == HED_OK)
    status = dev_pack_finish(&q, &to);
  return dev_submit_end(&q, status, c->ticket);
}
