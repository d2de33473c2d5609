// SPDX-License-Identifier: BSD-3-Clause
/* Calls that the device leaves to others: in host memory, or through copies. L2. */
#include "core/dispatch/fallback.h"
#include "base/dtype.h"
#include "base/indices.h"
#include "base/invariant.h"
#include "base/shape.h"
#include "core/process/log.h"
#include "core/memory/memory.h"
#include "core/array/transfer.h"
#include "core/memory/uses.h"
#include <heddle/backend.h>

/* By the best of the host backends that have a kernel for the call and take it, else by the reference backend; not by D. */
static int32_t call_host(const hed__device *d, hed_call *call, const hed__device **by)
{
  const int op = call->op;
  hed__error_mark mark;
  hed__error_save(&mark);
  for (int k = 0; d != hed__reference() && (*by = hed__host_choice(k)); k++) {
    const hed__row *row = &(*by)->row[op];
    if (*by == d || !row->fn || !(row->dtypes >> call->compute & 1))
      continue;
    call->op = row->number;
    const int32_t s = row->fn((*by)->state, call);
    if (s != HED_E_UNSUPPORTED)
      return s;
    hed__error_restore(&mark);
  }
  *by = hed__reference();
  HED__ASSERT((*by)->row[op].fn);
  call->op = (*by)->row[op].number;
  return (*by)->row[op].fn((*by)->state, call);
}

/* Kernels of the host follow indices without a look at them: those that D would have checked are checked in the copies. */
static int32_t check_indices(const hed__device *d, const hed_call *call)
{
  int64_t extent;
  int32_t axis;
  if (!(d->plugin->flags & HED_PLUGIN_CHECKS_INDICES) || !hed__indices_from(call->op, call, &extent, &axis))
    return HED_OK;
  int64_t *index = call->in[1]->data;
  const int64_t wrong = hed__indices_wrap(hed__view_size(call->in[1]), index, extent);
  if (wrong >= 0 && axis < 0)
    return hed_fail(HED_E_INDEX, HED__PLACE_FAULT, hed_op_name(call->op), HED__INDEX_WORDS(index[wrong]), (long long)extent);
  if (wrong >= 0)
    return hed_fail(HED_E_INDEX, HED__INDEX_FAULT, hed_op_name(call->op), HED__INDEX_WORDS(index[wrong]), (int)axis,
                    (long long)extent);
  return HED_OK;
}

/* The same on host copies of D's operands: results go back, so what was in the gaps of a view stays. */
static int32_t call_through_host(const hed__device *d, const hed__launch *l, hed_call *call, hed__operands *o,
                                 const hed_array *const *in, const hed__device **by)
{
  void *buffer[HED_MAX_NDIM + HED__RUN_OUT] = { NULL };
  hed_view view[HED_MAX_NDIM + HED__RUN_OUT];
  const hed_view *ins[HED_MAX_NDIM], *outs[HED__RUN_OUT];
  int32_t s = HED_OK, n = call->n_in;
  HED__ASSERT(!d->host && n <= HED_MAX_NDIM && call->n_out <= HED__RUN_OUT);
  for (int32_t k = 0; s == HED_OK && k < n + call->n_out; k++) {
    bool is_in = k < n;
    const hed_array *x = is_in ? in[k] : l->out[k - n];
    const hed_view *v = is_in ? o->in[k] : o->out[k - n];
    if (!x) {
      outs[k - n] = NULL;
      continue;
    }
    /* strided and repeated axes: fetch the extents as they are seen */
    view[k] = *v;
    hed__c_strides(v->ndim, v->dim, hed__id_size(v->dtype), view[k].stride);
    size_t bytes = (size_t)hed__view_size(v) * (size_t)hed__id_size(v->dtype);
    if (!(buffer[k] = hed__buffer_new(bytes, hed_op_name(call->op)))) {
      s = hed_error();
      break;
    }
    view[k].data = buffer[k];
    if (!is_in) /* memory that another array had just now may still be written for that one */
      s = hed__uses_wait(x->storage);
    if (s == HED_OK)
      s = hed__copy_out_view(x, v, &view[k]);
    if (is_in)
      ins[k] = &view[k];
    else
      outs[k - n] = &view[k];
    hed__count(hed__tls_get(), HED__COUNT_COPIES);
  }
  if (s == HED_OK) {
    call->in = ins;
    call->out = outs;
    s = check_indices(d, call);
  }
  if (s == HED_OK)
    s = call_host(d, call, by);
  for (int32_t k = 0; s == HED_OK && k < call->n_out; k++)
    if (outs[k])
      s = hed__copy_in_view(l->out[k], o->out[k], outs[k]);
  for (int32_t k = 0; k < n + call->n_out; k++)
    hed__buffer_free(buffer[k]);
  return s;
}

int32_t hed__run_fallback(const hed__exec *ex, const hed__launch *l, const hed_call *call, hed__operands *o,
                          const hed_array *const *in, const hed__device **by)
{
  const hed__device *d = ex->device;
  const bool lacks = d != hed__reference();
  hed_fft_params unplanned;
  if (lacks && ex->context->fallback == HED_FALLBACK_ERROR)
    return hed_fail(HED_E_UNSUPPORTED, "%s: %s has no kernel of its own for %s, and fallback=error", hed_op_name(call->op),
                    d->name, hed__dtypes[call->compute]->name);
  if (!hed__reference_kernel(call->op))
    return hed_fail(HED_E_UNSUPPORTED, "%s has no kernel", hed_op_name(call->op));
  hed_call host = { /* without tickets */
    .struct_size = sizeof host,
    .op = call->op,
    .n_in = call->n_in,
    .n_out = call->n_out,
    .in = call->in,
    .out = call->out,
    .params = call->params,
    .compute = call->compute,
    .max_threads = call->max_threads,
  };
  if (call->op == HED_OP_FFT) { /* a plan is D's own */
    unplanned = *(const hed_fft_params *)call->params;
    unplanned.plan = NULL;
    host.params = &unplanned;
  }
  const int32_t s = d->host ? call_host(d, &host, by) : call_through_host(d, l, &host, o, in, by);
  if (!lacks)
    return s;
  if (*by && ex->context->fallback == HED_FALLBACK_WARN)
    hed__log(HED_LOG_WARN, "dispatch", "%s of %s runs on %s, not on %s", hed_op_name(call->op),
             hed__dtypes[call->compute]->name, (*by)->name, d->name);
  hed__count(hed__tls_peek(), HED__COUNT_FALLBACKS);
  if (*by == hed__reference())
    hed__count(hed__tls_peek(), HED__COUNT_REFERENCE);
  return s;
}

static size_t bytes_of(int32_t n, const hed_view *const *views)
{
  size_t sum = 0;
  for (int32_t k = 0; k < n; k++)
    sum += (size_t)hed__view_size(views[k]) * (size_t)hed__id_size(views[k]->dtype);
  return sum;
}

hed_status hed__workspace(hed_call *call, size_t *bytes)
{
  const hed_context *c = hed__context();
  const hed__device *reference = hed__reference();
  *bytes = 0;
  if (!c)
    return hed_error();
  const hed__exec ex = { .context = c, .device = c->device, .op = call->op };
  call->struct_size = sizeof *call;
  call->max_threads = hed__thread_ceiling(c);
  hed_call asked = *call;
  asked.op = c->device->row[call->op].number;
  if (hed__native(&ex, call->op, call->compute) && c->device->plugin->workspace)
    *bytes = c->device->plugin->workspace(c->device->state, &asked);
  if (*bytes == 0 && reference->plugin->workspace)
    *bytes = reference->plugin->workspace(reference->state, call) +
             (c->device->host ? 0 : bytes_of(call->n_in, call->in) + bytes_of(call->n_out, call->out));
  return HED_OK;
}
