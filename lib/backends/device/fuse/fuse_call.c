// SPDX-License-Identifier: BSD-3-Clause
/* A pass of several operations: by one kernel, as an operation's own call, or by the kernels of a reduction. L1. */
#include "backends/device/fuse/fuse.h"
#include "backends/device/rows/rows.h"
#include "base/fused.h"
#include <stddef.h>
#include <string.h>

/* A pass of one step is that operation's call. */
static int32_t run_alone(dev_device *d, const hed_fused_call *c)
{
  const hed_fused_step *s = c->step;
  const hed_view *in[3];
  hed_call call = { .struct_size = sizeof call, .op = s->op, .n_in = s->n_in, .n_out = 1, .in = in, .out = c->out,
                    .params = s->params, .compute = s->compute, .max_threads = c->max_threads, .ticket = c->ticket,
                    .wait_for = c->wait_for, .n_wait_for = c->n_wait_for, .after = c->after, .n_after = c->n_after };
  for (int32_t k = 0; k < s->n_in; k++) {
    in[k] = c->in[s->in[k]];
    call.host_in |= (uint32_t)dev_fuse_on_host(c, s->in[k]) << k;
  }
  return s->op == HED_OP_ASTYPE ? dev_cast_call(d, &call) : dev_map_ids[s->op] ? dev_map_call(d, &call) : HED_E_UNSUPPORTED;
}

/* May an operand still fail on which not all results depend? */
static bool fails_in_part(dev_device *d, const hed_fused_call *c)
{
  if (c->n_out < 2 || c->struct_size <= offsetof(hed_fused_call, in_ticket) || !c->in_ticket)
    return false;
  for (int32_t k = 0; k < c->n_in; k++)
    if (c->in_ticket[k] && !dev_fate_fine(d, c->in_ticket[k]) && hed__fused_apart(c, k))
      return true;
  return false;
}

int32_t dev_fuse(void *state, const hed_fused_call *c)
{
  dev_device *d = state;
  if (c->n_steps == 1)
    return run_alone(d, c);
  if (fails_in_part(d, c))
    return HED_E_UNSUPPORTED;
  dev_fuse_job *j = d->host->alloc(sizeof *j, 0);
  if (!j)
    return d->host->fail(HED_E_NOMEM, "%s: no memory for a submission", d->name);
  memset(j, 0, sizeof *j);
  j->d = d;
  j->c = c;
  bool reduces = false;
  for (int32_t i = 0; i < c->n_steps; i++)
    reduces |= dev_fuse_reduces(&c->step[i]);
  const int32_t status = reduces ? dev_fuse_reduce(j) : dev_fuse_run(j);
  d->host->free(j);
  return status;
}
