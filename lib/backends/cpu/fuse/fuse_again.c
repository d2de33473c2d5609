// SPDX-License-Identifier: BSD-3-Clause
/*
 * Means, variances and deviations at the end of a pass that may be wrong because sums left the range, or squares vanished, once
 * more: of the value itself, which is made for that if nobody wants it, by the reduction that sees to such numbers. L1.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/fuse/fuse.h"
#include "backends/cpu/reduce/reduce.h"
#include "base/cast.h"
#include "base/dtype.h"
#include "base/shape.h"
#include <string.h>

/* Of all results of step S. */
static bool suspect(const hed_fused_call *call, const hed_fused_step *s)
{
  const hed_view *out = call->out[s->out];
  const int real = hed__real_of(out->dtype);
  const int64_t parts = hed__id_kind(out->dtype) == HED_KIND_COMPLEX ? 2 : 1, n = hed__view_size(out) * parts;
  const bool wide = hed__real_of(s->compute) == HED_ID_FLOAT64;
  for (int64_t i = 0; i < n; i++) {
    double v;
    hed__cast(real, HED_ID_FLOAT64)(1, (char *)&v, 0, (const char *)out->data + i * hed__id_size(real), 0);
    if (cpu_reduce_left_range(s->op == HED_OP_MEAN ? CPU_MEAN : s->op == HED_OP_VAR ? CPU_VAR : CPU_STD, wide, v))
      return true;
  }
  return false;
}

/* Is an operand of CALL gone, as a result has taken its memory? */
static bool overwritten(const hed_fused_call *call)
{
  for (int32_t k = 0; k < call->n_in; k++)
    for (int32_t i = 0; i < call->n_out; i++)
      if (call->in[k]->data == call->out[i]->data)
        return true;
  return false;
}

/* Value K of CALL, a step's, into V, by the steps that lead to it. */
static int32_t make_value(const hed_fused_call *call, cpu_pass_fn pass, int32_t k, const hed_view *v)
{
  hed_fused_step step[HED_FUSED_STEPS];
  bool wanted[HED_FUSED_STEPS] = { false };
  int32_t number[HED_FUSED_STEPS];
  hed_fused_call again = *call;
  again.n_steps = 0;
  wanted[k - call->n_in] = true;
  for (int32_t i = k - call->n_in; i >= 0; i--)
    for (int32_t o = 0; wanted[i] && o < call->step[i].n_in; o++)
      if (call->step[i].in[o] >= call->n_in)
        wanted[call->step[i].in[o] - call->n_in] = true;
  for (int32_t i = 0; i <= k - call->n_in; i++) {
    if (!wanted[i])
      continue;
    hed_fused_step *s = &step[again.n_steps];
    *s = call->step[i];
    s->out = i == k - call->n_in ? 0 : -1;
    for (int32_t o = 0; o < s->n_in; o++)
      if (s->in[o] >= call->n_in)
        s->in[o] = number[s->in[o] - call->n_in];
    number[i] = call->n_in + again.n_steps++;
  }
  again.step = step;
  again.n_out = 1;
  again.out = (const hed_view *[]){ v };
  return pass(NULL, &again);
}

static int32_t reduce_again(const hed_fused_call *call, cpu_pass_fn pass, const hed_fused_step *s)
{
  const int32_t k = s->in[0], made = k >= call->n_in ? call->step[k - call->n_in].out : -1;
  hed_view value = { .dtype = call->step[CPU_MAX(k - call->n_in, 0)].dtype, .ndim = call->ndim };
  char *memory = NULL;
  int32_t status = HED_OK;
  if (k < call->n_in) {
    value = *call->in[k];
  } else if (made >= 0) {
    value = *call->out[made];
  } else {
    memcpy(value.dim, call->dim, (size_t)call->ndim * sizeof *call->dim);
    hed__c_strides(value.ndim, value.dim, hed__id_size(value.dtype), value.stride);
    memory = value.data = cpu_scratch_get((size_t)(hed__view_size(&value) * hed__id_size(value.dtype)));
    status = memory ? make_value(call, pass, k, &value) : cpu_host->fail(HED_E_NOMEM, "fused operations: no memory for a value");
  }
  const hed_call again = { .struct_size = sizeof again, .op = s->op, .n_in = 1, .n_out = 1,
                           .in = (const hed_view *[]){ &value }, .out = (const hed_view *[]){ call->out[s->out] },
                           .params = s->params, .compute = s->compute, .max_threads = call->max_threads };
  if (status == HED_OK)
    status = cpu_reduce_moment(&again);
  cpu_scratch_put(memory);
  return status;
}

int32_t cpu_fuse_again(const hed_fused_call *call, cpu_pass_fn pass)
{
  int32_t status = HED_OK;
  for (int32_t i = 0; i < call->n_steps && status == HED_OK; i++) {
    const hed_fused_step *s = &call->step[i];
    if ((s->op == HED_OP_MEAN || s->op == HED_OP_VAR || s->op == HED_OP_STD) && hed__id_kind(s->compute) >= HED_KIND_FLOAT
        && s->out >= 0 && suspect(call, s) && !overwritten(call))
      status = reduce_again(call, pass, s);
  }
  return status;
}
