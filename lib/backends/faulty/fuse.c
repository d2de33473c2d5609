// SPDX-License-Identifier: BSD-3-Clause
/* faulty: a fused pass over the device's memory: its steps one by one, inside one job. L1. */
#include "backends/faulty/faulty.h"
#include "base/dtype.h"
#include "base/fused.h"
#include "base/shape.h"

static bool reduces(int32_t op)
{
  switch (op) {
#define HED_REDUCE(ID, name, domain, result, doc) case HED_OP_##ID:
#define HED_OP(...)
#include <heddle/ops.def>
    return true;
  default:
    return false;
  }
}

/* The pass's shape in C order in a block of scratch memory; false without any. */
static bool make_value(faulty_job *job, hed_view *v, int32_t dtype)
{
  *v = (hed_view){ .dtype = dtype, .ndim = job->ndim };
  for (int32_t k = 0; k < job->ndim; k++)
    v->dim[k] = job->dim[k];
  hed__c_strides(v->ndim, v->dim, hed__id_size(dtype), v->stride);
  v->data = job->device->services.scratch((size_t)hed__view_size(v) * (size_t)hed__id_size(dtype) + 1);
  return v->data;
}

static int32_t run_step(faulty_job *job, const hed_fused_step *s, const hed_view *const *value, const hed_view *out)
{
  const hed_view *in[3];
  for (int32_t k = 0; k < s->n_in; k++)
    in[k] = value[s->in[k]];
  return faulty_kernel(job, &(hed_call){
    .struct_size = sizeof(hed_call),
    .op = s->op,
    .n_in = s->n_in,
    .n_out = 1,
    .in = in,
    .out = &out,
    .params = s->params,
    .compute = s->compute,
    .max_threads = 1,
  });
}

static int32_t run_pass(faulty_job *job)
{
  const hed_call *c = &job->call;
  const hed_view *value[HED_FUSED_IN + HED_FUSED_STEPS];
  hed_view made[HED_FUSED_STEPS];
  int32_t status = HED_OK, n_made = 0;
  for (int32_t k = 0; k < c->n_in; k++)
    value[k] = c->in[k];
  for (int32_t k = 0; k < job->n_steps && status == HED_OK; k++) {
    const hed_fused_step *s = &job->step[k];
    const hed_view **to = &value[c->n_in + k];
    *to = s->out >= 0 ? c->out[s->out] : NULL;
    if (!*to && reduces(s->op)) /* which nobody wants */
      continue;
    if (!*to) {
      if (!make_value(job, &made[n_made], s->dtype)) {
        status = job->device->services.fail(HED_E_NOMEM, "%s: no memory for a step of a fused pass",
                                            faulty_name(job->device, s->op));
        break;
      }
      *to = &made[n_made++];
    }
    status = run_step(job, s, value, *to);
  }
  for (int32_t k = 0; k < n_made; k++)
    job->device->services.scratch_free(made[k].data);
  return status;
}

/* May an operand still fail on which not all results depend? */
static bool fails_in_part(faulty_device *d, const hed_fused_call *c)
{
  if (c->struct_size <= offsetof(hed_fused_call, in_ticket) || !c->in_ticket)
    return false;
  for (int32_t k = 0; k < c->n_in && c->n_out > 1; k++)
    if (c->in_ticket[k] && !faulty_fine(d, c->in_ticket[k]) && hed__fused_apart(c, k))
      return true;
  return false;
}

int32_t faulty_fuse(void *state, const hed_fused_call *call)
{
  faulty_device *d = state;
  if (faulty_tick(NULL, &faulty_state.refuse) || fails_in_part(d, call))
    return HED_E_UNSUPPORTED;
  if (faulty_call(&faulty_state.fusions, &faulty_state.fail_fuse))
    return d->host->fail(HED_E_INTERNAL, "faulty:%d: a fused pass was not accepted, on request", (int)d->index);
  return faulty_submit(d, &(faulty_request){
    .run = run_pass,
    .op = call->step[call->n_steps - 1].op,
    .n_in = call->n_in,
    .n_out = call->n_out,
    .in = call->in,
    .out = call->out,
    .host_in = call->host_in,
    .wait_for = call->wait_for,
    .n_wait_for = call->n_wait_for,
    .after = call->after,
    .n_after = call->n_after,
    .fused = call,
  }, NULL, call->ticket);
}
