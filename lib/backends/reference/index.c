// SPDX-License-Identifier: BSD-3-Clause
/* Indexing: gather_nd, scatter_nd, compress, take_along_axis, repeat. L1.
 *
 * Every kernel walks its list of indices in order and moves one block per index. Indices were checked by the caller.
 */
#include "backends/reference/blocks.h"
#include "backends/reference/kernels.h"
#include "base/dtype.h"

/* Byte offset of the element number INDEX (C order) of V's first AXES axes. */
static int64_t offset_of(const hed_view *v, int32_t axes, int64_t index)
{
  int64_t offset = 0;
  for (int32_t k = axes - 1; k >= 0; k--) {
    offset += index % v->dim[k] * v->stride[k];
    index /= v->dim[k];
  }
  return offset;
}

static int64_t read_index(const hed_view *list, int64_t i)
{
  return *(const int64_t *)((const char *)list->data + i * list->stride[0]);
}

REF_KERNEL(gather_nd)
{
  (void)state;
  const hed_gather_params *p = call->params;
  const hed_view *x = call->in[0], *indices = call->in[1], *out = call->out[0];
  hed_view to = hed__view_without(out, 0, 1), from = hed__view_without(x, 0, p->axes);
  hed__nest block;
  hed__nest_init(&block, 2, (const hed_view *const[]){ &to, &from }, HED__NEST_REORDER);
  for (int64_t i = 0; i < indices->dim[0]; i++)
    copy_nest(&block, i * out->stride[0], offset_of(x, p->axes, read_index(indices, i)),
              hed__cast(x->dtype, out->dtype));
  return HED_OK;
}

/* A block of OUT combined with a block of values is an elementwise call of its own. */
REF_KERNEL(scatter_nd)
{
  static const hed_op_fn combine[] = {
    [HED_SCATTER_SET] = ref_astype,     [HED_SCATTER_ADD] = ref_add,     [HED_SCATTER_MULTIPLY] = ref_multiply,
    [HED_SCATTER_MAX] = ref_maximum,    [HED_SCATTER_MIN] = ref_minimum,
  };
  const hed_gather_params *p = call->params;
  const hed_view *values = call->in[0], *indices = call->in[1], *out = call->out[0];
  hed_view to = hed__view_without(out, 0, p->axes), from = hed__view_without(values, 0, 1);
  bool set = p->op == HED_SCATTER_SET;
  const hed_view *in[2] = { set ? &from : &to, &from }, *result = &to;
  hed_call one = { .struct_size = sizeof one, .n_in = set ? 1 : 2, .n_out = 1, .in = in, .out = &result,
                   .compute = out->dtype, .max_threads = 1 };
  int32_t status = HED_OK;
  for (int64_t i = 0; i < indices->dim[0] && status == HED_OK; i++) {
    to.data = (char *)out->data + offset_of(out, p->axes, read_index(indices, i));
    from.data = (char *)values->data + i * values->stride[0];
    status = combine[p->op](state, &one);
  }
  return status;
}

REF_KERNEL(compress)
{
  (void)state;
  const hed_gather_params *p = call->params;
  const hed_view *x = call->in[0], *mask = call->in[1], *out = call->out[0];
  hed_view to = hed__view_without(out, 0, 1), from = hed__view_without(x, 0, p->axes);
  hed__nest block;
  hed__nest_init(&block, 2, (const hed_view *const[]){ &to, &from }, HED__NEST_REORDER);
  int64_t size = hed__view_size(mask), found = 0;
  for (int64_t i = 0; i < size && found < out->dim[0]; i++)
    if (*((const uint8_t *)mask->data + offset_of(mask, p->axes, i)) != 0)
      copy_nest(&block, found++ * out->stride[0], offset_of(x, p->axes, i), hed__cast(x->dtype, out->dtype));
  return HED_OK;
}

REF_KERNEL(take_along_axis)
{
  (void)state;
  const hed_take_params *p = call->params;
  const hed_view *x = call->in[0], *indices = call->in[1], *out = call->out[0];
  hed__cast_fn cast = hed__cast(x->dtype, out->dtype);
  int64_t size = hed__view_size(out);
  for (int64_t i = 0; i < size; i++) {
    int64_t rest = i, from = 0, at = 0, to = 0;
    for (int32_t k = out->ndim - 1; k >= 0; k--) {
      int64_t c = rest % out->dim[k];
      rest /= out->dim[k];
      at += c * indices->stride[k];
      to += c * out->stride[k];
      from += k == p->axis ? 0 : c * x->stride[k];
    }
    from += *(const int64_t *)((const char *)indices->data + at) * x->stride[p->axis];
    cast(1, (char *)out->data + to, 0, (const char *)x->data + from, 0);
  }
  return HED_OK;
}

REF_KERNEL(repeat)
{
  (void)state;
  const hed_take_params *p = call->params;
  const hed_view *x = call->in[0], *counts = call->in[1], *out = call->out[0];
  hed_view to = hed__view_without(out, p->axis, 1), from = hed__view_without(x, p->axis, 1);
  hed__nest block;
  hed__nest_init(&block, 2, (const hed_view *const[]){ &to, &from }, HED__NEST_REORDER);
  for (int64_t i = 0, done = 0; i < counts->dim[0]; i++)
    for (int64_t c = 0; c < read_index(counts, i); c++)
      copy_nest(&block, done++ * out->stride[p->axis], i * x->stride[p->axis], hed__cast(x->dtype, out->dtype));
  return HED_OK;
}
