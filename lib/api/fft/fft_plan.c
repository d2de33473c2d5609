// SPDX-License-Identifier: BSD-3-Clause
/* Plan objects: a transform settled once and run often. L3.
 *
 * An object is immutable and counted. It holds what hed__fft_settle found and what the backend made ready for one
 * layout (fft_plan_make), never a buffer, so any number of threads may run it at once. Every run checks dtype and shape
 * and names both where they differ; strides and alignment may differ from the layout that was planned: the backend
 * compares, and where its plan does not fit it uses another.
 */
#include "api/fft/fft.h"
#include "api/call/check.h"
#include "api/call/infer.h"
#include "base/alloc.h"
#include "base/cancel.h"
#include "core/context/context.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/backend.h>
#include <stdatomic.h>
#include <string.h>

struct hed_fft_plan {
  atomic_long refs;
  hed__device *device;
  void *handle;       /* the backend's, may be NULL */
  hed__fft_job job;
};

static const char *const creator = "fft_plan_create";

hed_fft_plan *hed_fft_plan_retain(hed_fft_plan *p)
{
  if (p)
    atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
  return p;
}

void hed_fft_plan_release(hed_fft_plan *p)
{
  HED__UNCANCELLED;
  if (!p || atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) != 1)
    return;
  if (p->handle && !atomic_load_explicit(&p->device->gone, memory_order_relaxed))
    p->device->plugin->fft_plan_free(p->device->state, p->handle);
  hed__free(p);
}

/* A contiguous view of S at an address of its own that is aligned as new arrays are; nobody looks there. */
static hed_view imagined(const hed_shape *s, int id, uintptr_t address)
{
  hed_view v = { .data = (void *)address, .dtype = id, .ndim = s->ndim };
  memcpy(v.dim, s->dim, sizeof v.dim);
  hed__c_strides(v.ndim, v.dim, hed__id_size(id), v.stride);
  return v;
}

/* What the kernel will get from X, as hed__fft_run prepares it: X itself, cropped, or a new array. */
static hed_view kernel_input(const hed__fft_job *j, const hed_array *x)
{
  hed_view v = imagined(&j->in, j->input, (uintptr_t)1 << 40);
  bool direct = x && x->view.dtype == j->input && !(j->t->conjugate && j->t->type == HED__C2R);
  for (int k = 0; k < j->in.ndim && direct; k++)
    direct = x->view.dim[k] >= j->in.dim[k];
  for (int k = 0; k < j->in.ndim && direct; k++)
    v.stride[k] = x->view.stride[k];
  if (direct)
    v.data = x->view.data;
  return v;
}

static hed_status make(int op, const hed_shape *shape, int id, const hed_array *x, const hed_array *out,
                       const hed_fft *opt, const hed__exec *ex, hed_fft_plan **plan)
{
  HED__UNCANCELLED;
  hed_fft_plan *p = hed__calloc(1, sizeof *p);
  if (!p)
    return hed_fail(HED_E_NOMEM, "%s: no memory for the plan", creator);
  atomic_init(&p->refs, 1);
  p->device = ex->device;
  hed_status status = hed__fft_settle(hed__fft_transform(op), shape, id, opt, &p->job);
  if (status == HED_OK && out)
    status = hed__check_out(creator, out, p->job.out.ndim, p->job.out.dim);
  if (status == HED_OK && out)
    status = hed__fft_check(ex, &p->job, out);
  p->job.params.effort = ex->context->effort;
  const hed_plugin *plugin = ex->device->plugin;
  if (status == HED_OK && plugin->fft_plan_make && plugin->fft_plan_free && hed__native(ex, HED_OP_FFT, p->job.compute)) {
    hed_view in = kernel_input(&p->job, x), to = imagined(&p->job.out, p->job.output, (uintptr_t)1 << 44);
    if (out && out->view.dtype == p->job.output)
      to = out->view;
    const hed_view *ins[1] = { &in }, *outs[1] = { &to };
    hed_call call = { .struct_size = sizeof call, .op = ex->device->row[HED_OP_FFT].number, .n_in = 1, .n_out = 1,
                      .in = ins, .out = outs, .params = &p->job.params, .compute = p->job.compute,
                      .max_threads = hed__thread_ceiling(ex->context) };
    status = (hed_status)plugin->fft_plan_make(ex->device->state, &call, &p->handle);
  }
  if (status == HED_OK) {
    p->job.params.plan = p->handle;
    *plan = p;
  } else {
    hed__free(p);
  }
  return status;
}

static hed_status check_op(int op, hed_fft_plan **plan)
{
  if (!plan)
    return hed_fail(HED_E_INVAL, "%s: plan is NULL", creator);
  *plan = NULL;
  return hed__fft_transform(op) ? HED_OK : hed_fail(HED_E_INVAL, "%s: op is %s, not a Fourier transform", creator,
                                                    hed_op_name(op));
}

hed_status hed_fft_plan_create(int op, hed_shape shape, hed_dtype dtype, const hed_fft *opt, hed_fft_plan **plan)
{
  hed__exec ex;
  hed_status status = check_op(op, plan);
  if (status == HED_OK && !dtype)
    status = hed_fail(HED_E_INVAL, "%s: dtype is NULL", creator);
  if (status == HED_OK)
    status = hed__check_shape(creator, "shape", &shape, HED_ID_COMPLEX128);
  if (status != HED_OK || (status = hed__plan(&ex, op, 0, NULL)) != HED_OK)
    return status;
  int id = hed__dtype_concrete(dtype, ex.device, creator);
  status = id < 0 ? (hed_status)id : make(op, &shape, id, NULL, NULL, opt, &ex, plan);
  hed__exec_end(&ex);
  return status;
}

hed_status hed_fft_plan_create_for(int op, const hed_array *x, const hed_array *out, const hed_fft *opt,
                                   hed_fft_plan **plan)
{
  hed__exec ex;
  const hed_array *operands[2] = { x, out };
  hed_status status = check_op(op, plan);
  if (status == HED_OK && !hed__given(x, creator, "x"))
    status = hed_error();
  if (status != HED_OK || (status = hed__plan(&ex, op, out ? 2 : 1, operands)) != HED_OK)
    return status;
  hed_shape shape = hed__shape_of(x);
  status = make(op, &shape, x->view.dtype, ex.in[0], out, opt, &ex, plan);
  hed__exec_end(&ex);
  return status;
}

hed_status hed_build_fft(hed_shape shape, hed_dtype dtype, const hed_fft *opt, hed_fft_plan **forward,
                         hed_fft_plan **inverse)
{
  const char *op = "build_fft";
  if (!forward || !inverse)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, forward ? "inverse" : "forward");
  *forward = *inverse = NULL;
  if (opt && opt->s.ndim)
    return hed_fail(HED_E_INVAL, "%s: option s has %d extents; the pair transforms shape as it is", op,
                    (int)opt->s.ndim);
  hed_dtype t = dtype;
  bool two = t && hed_dtype_kind(t) == HED_KIND_COMPLEX;
  hed_status status = hed_fft_plan_create(two ? HED_OP_FFTN : HED_OP_RFFTN, shape, t, opt, forward);
  if (status != HED_OK)
    return status;
  const hed__fft_job *j = &(*forward)->job;
  hed_fft back = { .norm = opt ? opt->norm : HED_NORM_BACKWARD };
  for (int k = 0; k < j->params.n_axes; k++) {
    back.axes.axis[back.axes.n++] = j->params.axis[k];
    back.s.dim[back.s.ndim++] = shape.dim[j->params.axis[k]];
  }
  status = hed_fft_plan_create(two ? HED_OP_IFFTN : HED_OP_IRFFTN, j->out, hed_dtype_of(j->output), &back, inverse);
  if (status != HED_OK) {
    hed_fft_plan_release(*forward);
    *forward = NULL;
  }
  return status;
}

/* ---- running ---- */

static hed_status run(const hed_fft_plan *p, const hed_array *x, hed_array *out, hed_array **result)
{
  const char *op = "fft_plan_run";
  if (!hed__given(x, op, "x"))
    return hed_error();
  if (!p)
    return hed_fail(HED_E_INVAL, "%s: plan is NULL", op);
  const hed__fft_job *j = &p->job;
  const char *what = hed__op_rows[j->t->op].name;
  hed_shape s = hed__shape_of(x);
  if (x->view.dtype != j->given)
    return hed_fail(HED_E_DTYPE, "%s: x has dtype %s, the plan is %s of %s", op, hed__dtypes[x->view.dtype]->name, what,
                    hed__dtypes[j->given]->name);
  if (!hed__shape_equal(s.ndim, s.dim, j->x.ndim, j->x.dim))
    return hed_fail(HED_E_SHAPE, "%s: x has shape %s, the plan is %s of %s", op, HED__TEXT(&s), what, HED__TEXT(&j->x));
  if (out && out->view.dtype != j->output)
    return hed_fail(HED_E_DTYPE, "%s: out has dtype %s, the plan gives %s", op, hed__dtypes[out->view.dtype]->name,
                    hed__dtypes[j->output]->name);
  hed_status status = out ? hed__check_out(op, out, j->out.ndim, j->out.dim) : HED_OK;
  hed__exec ex;
  const hed_array *operands[2] = { x, out };
  if (status != HED_OK || (status = hed__plan(&ex, j->t->op, out ? 2 : 1, operands)) != HED_OK)
    return status;
  if (ex.device != p->device)
    status = hed_fail(HED_E_MISMATCH, "%s: the plan was made on %s, this call runs on %s; plans work on their own device only",
                      op, p->device->name, ex.device->name);
  if (status == HED_OK && out)
    status = hed__fft_check(&ex, j, out);
  if (status == HED_OK)
    status = hed__fft_run(&ex, j, ex.in[0], out, result);
  hed__exec_end(&ex);
  return status;
}

hed_array *HED_BODY(fft_plan_run)(const hed_fft_plan *plan, const hed_array *x)
{
  hed_array *result = NULL;
  return run(plan, x, NULL, &result) == HED_OK ? result : NULL;
}

hed_status HED_BODY(fft_plan_run_into)(const hed_fft_plan *plan, hed_array *out, const hed_array *x)
{
  return hed__given(out, "fft_plan_run", "out") ? run(plan, x, out, NULL) : hed_error();
}

hed_status hed_fft_plan_query(const hed_fft_plan *plan, hed_fft_plan_info *out)
{
  if (!plan || !out || out->struct_size < 8)
    return hed_fail(HED_E_INVAL, "fft_plan_query: %s", !plan ? "plan is NULL" : out ? "struct_size is not set" : "out is NULL");
  hed_fft_plan_info i = { .struct_size = out->struct_size, .op = plan->job.t->op, .device = plan->device->name,
                          .in = plan->job.x, .out = plan->job.out, .in_dtype = hed_dtype_of(plan->job.given),
                          .out_dtype = hed_dtype_of(plan->job.output), .effort = plan->job.params.effort };
  memcpy(out, &i, out->struct_size < sizeof i ? out->struct_size : sizeof i);
  return HED_OK;
}
