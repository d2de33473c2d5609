// SPDX-License-Identifier: BSD-3-Clause
/* Operands and results that a kernel wants dense and of one type. L1. */
#include "backends/device/launch/dense.h"
#include "base/dtype.h"
#include "base/invariant.h"

int32_t dev_pack_prepare(dev_device *d, dev_pack *p, const hed_view *v, bool needed, bool result)
{
  p->needed = needed;
  p->given = p->packed = *v;
  hed__c_strides(v->ndim, v->dim, hed__id_size(v->dtype), p->packed.stride);
  p->bytes = needed ? dev_part_bytes((size_t)hed__view_size(v) * (size_t)hed__id_size(v->dtype)) : 0;
  if (!needed)
    return HED_OK;
  return result ? dev_cast_prepare(d, &p->job, &p->given, &p->packed, false)
                : dev_cast_prepare(d, &p->job, &p->packed, &p->given, false);
}

int32_t dev_pack_in(dev_submit *q, dev_pack *p, char **scratch)
{
  HED__ASSERT(!p->needed || *scratch);
  p->data = p->given.data;
  if (!p->needed)
    return HED_OK;
  p->data = *scratch;
  *scratch += p->bytes;
  return dev_cast_submit(q, &p->job, p->data, p->given.data);
}

void dev_pack_out(dev_pack *p, char **scratch)
{
  p->data = p->needed ? *scratch : p->given.data;
  *scratch += p->bytes;
}

int32_t dev_pack_finish(dev_submit *q, dev_pack *p)
{
  return p->needed ? dev_cast_submit(q, &p->job, p->given.data, p->data) : HED_OK;
}

int32_t dev_pack_dense(dev_device *d, dev_pack *p, const hed_view *v, int32_t dtype, bool always, bool result)
{
  p->needed = always || v->dtype != dtype || !hed__is_c_contiguous(v);
  p->given = p->packed = *v;
  p->packed.dtype = dtype;
  hed__c_strides(v->ndim, v->dim, hed__id_size(dtype), p->packed.stride);
  p->bytes = p->needed ? dev_part_bytes((size_t)hed__view_size(v) * (size_t)hed__id_size(dtype)) : 0;
  if (!p->needed)
    return HED_OK;
  return result ? dev_cast_prepare(d, &p->job, &p->given, &p->packed, false)
                : dev_cast_prepare(d, &p->job, &p->packed, &p->given, false);
}

/* ---- calls whose kernel takes all of it dense ---- */

static int32_t launch(dev_submit *q, dev_dense_job *j, const hed_call *c)
{
  void *pointer[5], *scratch = NULL;
  HED__ASSERT(1 + j->operands + j->checks <= 5 && j->args_bytes % 8 == 0);
  int32_t n = 0;
  int32_t status = j->bytes > 0 ? dev_submit_scratch(q, j->bytes, &scratch) : HED_OK;
  char *at = scratch;
  for (int32_t k = 0; k < c->n_in && status == HED_OK; k++)
    status = dev_pack_in(q, &j->in[k], &at);
  dev_pack_out(&j->out, &at);
  HED__ASSERT((size_t)(at - (char *)scratch) <= j->bytes);
  pointer[n++] = j->out.data;
  for (int32_t k = 0; k < j->operands; k++)
    pointer[n++] = k < c->n_in ? j->in[k].data : j->out.data;
  if (status == HED_OK && j->checks)
    status = dev_errors_record(q, c->op, j->axis, &pointer[n++]);
  if (status == HED_OK)
    status = dev_submit_items(q, j->entry, (uint64_t)j->items, n, pointer, j->args, j->args_bytes);
  if (status == HED_OK && j->checks)
    status = dev_errors_fetch(q);
  return status == HED_OK ? dev_pack_finish(q, &j->out) : status;
}

int32_t dev_dense_call(dev_device *d, dev_dense_job *j, const hed_call *c, const dev_spec *spec, const char *name)
{
  dev_submit q;
  if (c->host_in)
    return HED_E_UNSUPPORTED;
  if (hed__view_size(c->out[0]) == 0)
    return dev_nothing_call(d, c);
  int32_t status = dev_pack_dense(d, &j->out, c->out[0], c->out[0]->dtype, false, true);
  j->bytes = status == HED_OK ? j->out.bytes : 0;
  for (int32_t k = 0; k < c->n_in && status == HED_OK; k++) {
    status = dev_pack_dense(d, &j->in[k], c->in[k], c->in[k]->dtype, false, false);
    j->bytes += j->in[k].bytes;
  }
  if (status == HED_OK)
    status = dev_kernel(d, spec, name, &j->entry);
  if (status == HED_OK && (status = dev_submit_call(&q, d, c)) == HED_OK)
    status = dev_submit_end(&q, launch(&q, j, c), c->ticket);
  return status;
}
