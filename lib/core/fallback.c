// SPDX-License-Identifier: BSD-3-Clause
/* Calls that the device leaves to another: the reference kernel in host memory, or through copies. L2. */
#include "core/fallback.h"
#include "base/dtype.h"
#include "base/shape.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/transfer.h"

/* The reference kernel on host copies of a device's operands: results go back, so what was in the gaps of a view stays. */
static int32_t call_through_host(const hed__launch *l, const hed_call *call, hed__operands *o, const hed_array *const *in)
{
  void *buffer[HED_MAX_NDIM + HED__RUN_OUT] = { NULL };
  hed_view view[HED_MAX_NDIM + HED__RUN_OUT];
  const hed_view *ins[HED_MAX_NDIM], *outs[HED__RUN_OUT];
  int32_t s = HED_OK, n = call->n_in;
  hed_call host = *call;
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
    s = hed__copy_out_view(x, v, &view[k]);
    if (is_in)
      ins[k] = &view[k];
    else
      outs[k - n] = &view[k];
    hed__count(hed__tls_get(), HED__COUNT_COPIES);
  }
  if (s == HED_OK) {
    host.in = ins;
    host.out = outs;
    s = hed__reference_kernel(call->op)(hed__reference()->state, &host);
  }
  for (int32_t k = 0; s == HED_OK && k < call->n_out; k++)
    if (outs[k])
      s = hed__copy_in_view(l->out[k], o->out[k], outs[k]);
  for (int32_t k = 0; k < n + call->n_out; k++)
    hed__buffer_free(buffer[k]);
  return s;
}

int32_t hed__run_fallback(const hed__exec *ex, const hed__launch *l, hed_call *call, hed__operands *o,
                              const hed_array *const *in)
{
  hed__device *d = ex->device;
  hed_op_fn fn = hed__reference_kernel(call->op);
  if (d->backend != hed__reference()->backend) {
    if (ex->context->fallback == HED_FALLBACK_ERROR)
      return hed_fail(HED_E_UNSUPPORTED, "%s: %s has no kernel of its own for %s, and fallback=error", hed_op_name(call->op),
                      d->name, hed__dtypes[call->compute]->name);
    if (ex->context->fallback == HED_FALLBACK_WARN)
      hed__log(HED_LOG_WARN, "dispatch", "%s of %s runs through the reference backend, not on %s", hed_op_name(call->op),
               hed__dtypes[call->compute]->name, d->name);
    hed__count(hed__tls_peek(), HED__COUNT_FALLBACKS);
  }
  if (!fn)
    return hed_fail(HED_E_UNSUPPORTED, "%s has no kernel", hed_op_name(call->op));
  return d->host ? fn(hed__reference()->state, call) : call_through_host(l, call, o, in);
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
  if (hed__native(&ex, call->op, call->compute) && c->device->plugin->workspace)
    *bytes = c->device->plugin->workspace(c->device->state, call);
  if (*bytes == 0 && reference->plugin->workspace)
    *bytes = reference->plugin->workspace(reference->state, call) +
             (c->device->host ? 0 : bytes_of(call->n_in, call->in) + bytes_of(call->n_out, call->out));
  return HED_OK;
}
