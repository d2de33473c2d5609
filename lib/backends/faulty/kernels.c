// SPDX-License-Identifier: BSD-3-Clause
/* faulty: its rows. L1.
 *
 * Every kernel is the reference backend's, over the device's memory when the job's turn comes. The types that the device
 * lacks are not among the rows', and where few rows are asked for the rest is left to the host's fallback.
 */
#include "backends/faulty/faulty.h"
#include "backends/reference/kernels.h"

#define KERNEL_KERNEL(ID, name) [HED_OP_##ID] = ref_##name,
#define KERNEL_COMPOSITE(ID, name)
#define KERNEL_VIEW(ID, name)
static const hed_op_fn kernel[HED_OP_COUNT_] = {
#define HED_OP(ID, name, impl, domain, result, args, results, doc) KERNEL_##impl(ID, name)
#include <heddle/ops.def>
};

int32_t faulty_kernel(faulty_job *job, const hed_call *call)
{
  return kernel[call->op](&job->device->services, call);
}

static int32_t run_row(faulty_job *job)
{
  void *indices = NULL;
  int32_t status = faulty_wrap_indices(job, &indices);
  if (status == HED_OK)
    status = faulty_kernel(job, &job->call);
  job->device->services.scratch_free(indices);
  return status;
}

static int32_t submit_row(void *state, const hed_call *call)
{
  faulty_device *d = state;
  if (faulty_tick(NULL, &faulty_state.refuse))
    return HED_E_UNSUPPORTED;
  if (faulty_call(NULL, &faulty_state.fail_submit))
    return d->host->fail(HED_E_INTERNAL, "faulty:%d: %s was not accepted, on request", (int)d->index,
                         faulty_name(d, call->op));
  const bool streams = call->struct_size > offsetof(hed_call, n_after) && faulty_streams(d);
  const bool scalars = call->struct_size > offsetof(hed_call, host_in);
  return faulty_submit(d, &(faulty_request){
    .run = run_row,
    .op = call->op,
    .n_in = call->n_in,
    .n_out = call->n_out,
    .in = call->in,
    .out = call->out,
    .host_in = scalars ? &call->host_in : NULL,
    .params = call->params,
    .compute = call->compute,
    .wait_for = call->wait_for,
    .n_wait_for = call->n_wait_for,
    .after = streams ? call->after : NULL,
    .n_after = streams ? call->n_after : 0,
  }, NULL, call->ticket);
}

#define BIT(ID) (1u << HED_ID_##ID)
#define ALL (((1u << HED_ID_CONCRETE_COUNT_) - 1) & ~(BIT(FLOAT64) | BIT(COMPLEX128)))

#define ENTRY_KERNEL(name) { #name, submit_row, ALL },
#define ENTRY_COMPOSITE(name)
#define ENTRY_VIEW(name)
const hed_op_entry faulty_ops[] = {
#define HED_OP(ID, name, impl, domain, result, args, results, doc) ENTRY_##impl(name)
#include <heddle/ops.def>
  { NULL, NULL, 0 },
};

#define FEW(name) { name, submit_row, BIT(FLOAT32) }
const hed_op_entry faulty_few_ops[] = {
  FEW("add"),    FEW("subtract"), FEW("multiply"), FEW("negative"),     FEW("exp"),
  FEW("astype"), FEW("fill"),     FEW("sum"),      FEW("matmul"),       { NULL, NULL, 0 },
};
