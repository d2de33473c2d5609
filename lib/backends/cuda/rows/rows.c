// SPDX-License-Identifier: BSD-3-Clause
/* cuda: operands for libraries. L1. See rows.h. */
#include "backends/cuda/rows/rows.h"
#include "backends/device/rows/rows.h"
#include "base/dtype.h"
#include <string.h>

hed_view cuda_permuted(const hed_view *v, const int32_t *order)
{
  hed_view p = *v;
  for (int32_t k = 0; order && k < v->ndim; k++) {
    p.dim[k] = v->dim[order[k]];
    p.stride[k] = v->stride[order[k]];
  }
  return p;
}

/* V's elements in C order as DTYPE; *BYTES of them. */
static hed_view dense_of(const hed_view *v, int32_t dtype, size_t *bytes)
{
  hed_view dense = *v;
  int64_t step = hed__id_size(dtype);
  dense.dtype = dtype;
  dense.data = NULL;
  for (int32_t k = v->ndim - 1; k >= 0; k--) {
    dense.stride[k] = step;
    step *= v->dim[k];
  }
  *bytes = (size_t)step;
  return dense;
}

int32_t cuda_operand_make(dev_device *d, cuda_operand *o, const hed_view *v, const int32_t *order, int32_t dtype,
                          bool result, bool host, bool direct, size_t *scratch)
{
  enum { ALIGNMENT = 256 };
  size_t bytes;
  o->view = cuda_permuted(v, order);
  o->dense = dense_of(&o->view, dtype, &bytes);
  o->staged = host || !direct || v->dtype != dtype;
  o->offset = *scratch;
  if (!o->staged)
    return HED_OK;
  *scratch += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  return result ? dev_cast_prepare(d, &o->job, &o->view, &o->dense, false) : dev_cast_prepare(d, &o->job, &o->dense, &o->view, host);
}

void *cuda_operand_data(const cuda_operand *o, void *scratch)
{
  return o->staged ? (char *)scratch + o->offset : o->view.data;
}

int32_t cuda_operand_load(dev_submit *q, cuda_operand *o, void *scratch)
{
  return o->staged ? dev_cast_submit(q, &o->job, cuda_operand_data(o, scratch), o->view.data) : HED_OK;
}

int32_t cuda_operand_store(dev_submit *q, cuda_operand *o, void *scratch)
{
  return o->staged ? dev_cast_submit(q, &o->job, o->view.data, cuda_operand_data(o, scratch)) : HED_OK;
}

int32_t cuda_scale(dev_device *d, const hed_call *call, const hed_view *out, double factor, uint64_t *ticket)
{
  const uint64_t before = *ticket;
  hed_view number = { .data = &factor, .dtype = HED_ID_FLOAT64, .ndim = out->ndim };
  memcpy(number.dim, out->dim, sizeof number.dim);
  const hed_view *const in[] = { out, &number };
  const int32_t status = dev_map_call(d, &(hed_call){
    .struct_size = sizeof(hed_call), .op = HED_OP_MULTIPLY, .n_in = 2, .n_out = 1, .in = in, .out = &out, .compute = out->dtype,
    .max_threads = call->max_threads, .ticket = ticket, .wait_for = &before, .n_wait_for = 1, .host_in = 2 });
  if (status != HED_OK)
    (void)dev_submit_await(d, &before, 1); /* the host will reuse the memory at once */
  dev_fate_end(d, before);
  return status;
}
