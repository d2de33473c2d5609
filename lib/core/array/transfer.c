// SPDX-License-Identifier: BSD-3-Clause
/* Elements between memory spaces: strided copies, explicit moves. L2. */
#include "core/array/transfer.h"
#include "base/alloc.h"
#include "base/cancel.h"
#include "base/cast.h"
#include "base/dtype.h"
#include "base/invariant.h"
#include "base/nest.h"
#include "base/shape.h"
#include "core/context/context.h"
#include "core/context/permits.h"
#include "core/memory/memory.h"
#include "core/array/settle.h"
#include "core/array/submit.h"
#include "core/memory/uses.h"
#include "core/profile/profile.h"
#include <heddle/backend.h>
#include <string.h>

/* Is V as a kernel may have it? Memory of the program's own can begin anywhere. */
static bool is_aligned(const hed_view *v)
{
  const int64_t size = hed__id_size(v->dtype), unit = size < 8 ? size : 8;
  bool good = (uintptr_t)v->data % (uintptr_t)unit == 0;
  for (int32_t k = 0; k < v->ndim; k++)
    good &= v->stride[k] % unit == 0;
  return good;
}

/* The same by the kernel of the context's device, on several threads, where there is much to copy. */
static bool copy_by_kernel(const hed_view *dst, const hed_view *src, size_t bytes)
{
  enum { MUCH = 256 * 1024 };
  hed__tls *t = hed__tls_peek();
  const hed_context *c = bytes < MUCH || !t ? NULL : t->current ? t->current : t->root;
  if (!c || !c->device->host || c->device == hed__reference() || !is_aligned(dst) || !is_aligned(src))
    return false;
  const hed__row *row = &c->device->row[HED_OP_ASTYPE];
  const hed_call call = {
    .struct_size = sizeof call,
    .op = row->number,
    .n_in = 1,
    .n_out = 1,
    .in = &src,
    .out = &dst,
    .compute = src->dtype,
    .max_threads = hed__thread_ceiling(c),
  };
  hed__error_mark mark;
  if (!row->fn || !(row->dtypes >> src->dtype & 1))
    return false;
  hed__error_save(&mark);
  const bool done = row->fn(c->device->state, &call) == HED_OK;
  if (!done)
    hed__error_restore(&mark);
  return done;
}

/* Both views in host memory, same shape and dtype, apart. */
static void copy_host(const hed_view *dst, const hed_view *src)
{
  int64_t n = hed__view_size(src);
  HED__ASSERT(src->dtype == dst->dtype && hed__view_size(dst) == n);
  if (n == 0 || copy_by_kernel(dst, src, (size_t)n * (size_t)hed__id_size(src->dtype)))
    return;
  if (hed__is_c_contiguous(dst) && hed__is_c_contiguous(src)) {
    memcpy(dst->data, src->data, (size_t)n * (size_t)hed__id_size(src->dtype));
    return;
  }
  hed__nest nest;
  hed__walk w;
  hed__cast_fn copy = hed__cast(src->dtype, dst->dtype);
  hed__nest_init(&nest, 2, (const hed_view *const[]){ dst, src }, HED__NEST_REORDER);
  hed__walk_init(&w, &nest, 0, hed__nest_rows(&nest));
  int32_t last = nest.ndim - 1;
  while (hed__walk_next(&w))
    copy(nest.dim[last], w.ptr[0], nest.stride[0][last], w.ptr[1], nest.stride[1][last]);
}

static uint64_t view_bytes(const hed_view *v) { return (uint64_t)hed__view_size(v) * (uint64_t)hed__id_size(v->dtype); }

hed_status hed__copy_out_view(const hed_array *x, const hed_view *from, const hed_view *dst)
{
  HED__ASSERT(from->dtype == dst->dtype && hed__shape_equal(from->ndim, from->dim, dst->ndim, dst->dim));
  hed_status s = hed__array_settle(x);
  if (s != HED_OK)
    return s;
  hed__device *d = x->storage->device;
  if (d->host) {
    copy_host(dst, from);
    return HED_OK;
  }
  HED__UNCANCELLED;
  if (x->storage->fork_depth != hed__fork_depth())
    return hed_fail(HED_E_FORKED, "the array was made on %s before fork and cannot be read in the child", d->name);
  if (atomic_load_explicit(&d->gone, memory_order_relaxed))
    return hed__device_gone(d);
  hed__tls *t = hed__profiling_self();
  const uint64_t start = t ? hed__profile_start("copy") : 0;
  s = (hed_status)d->plugin->copy_out(d->state, dst, from, NULL, 0);
  if (t)
    hed__profile_copy(t, start, HED__RAW_OUT, hed__reference(), d, view_bytes(from), s, 0);
  return s;
}

/* Waits for the device. Where all is done in order, what uses the memory comes before by itself. */
static int32_t copy_in(hed__device *d, hed__storage *s, const hed_view *to, const hed_view *src)
{
  HED__UNCANCELLED;
  int32_t status = d->plugin->flags & HED_PLUGIN_ORDERED ? HED_OK : hed__uses_wait(s);
  uint64_t ticket = atomic_load(&s->ticket);
  return status == HED_OK ? d->plugin->copy_in(d->state, to, src, &ticket, ticket != 0) : status;
}

static int32_t submit_copy_in(hed__device *d, hed__storage *s, const hed_view *to, const hed_view *src)
{
  HED__UNCANCELLED;
  hed__submission b;
  uint64_t ticket = 0;
  int32_t status = hed__submit_begin(&b, d);
  if (status != HED_OK)
    return status;
  hed__submit_writes(&b, s);
  status = d->plugin->copy_in_async(d->state, to, src, b.wait_for, b.n_wait_for, b.after, b.n_after, &ticket);
  return hed__submit_end(&b, status, ticket);
}

/* From one device of a plug-in to another. */
static int32_t submit_copy_peer(hed_array *dst, const hed_array *src)
{
  HED__UNCANCELLED;
  hed__submission b;
  hed__device *d = dst->storage->device, *from = src->storage->device;
  HED__ASSERT(d != from && d->plugin == from->plugin);
  uint64_t ticket = 0, src_ticket = 0, writer = atomic_load(&src->storage->ticket);
  if (atomic_load_explicit(&from->gone, memory_order_relaxed) || atomic_load_explicit(&d->gone, memory_order_relaxed))
    return hed__device_gone(atomic_load(&d->gone) ? d : from);
  int32_t status = hed__poisoned(src, "to");
  if (status == HED_OK)
    status = hed__submit_begin(&b, d);
  if (status != HED_OK)
    return status;
  hed__submit_writes(&b, dst->storage);
  status = d->plugin->copy_peer(d->state, &dst->view, from->state, &src->view, b.wait_for, b.n_wait_for, b.after, b.n_after,
                                &writer, writer != 0, &ticket, &src_ticket);
  status = hed__submit_end(&b, status, ticket);
  if (status == HED_OK && src_ticket)
    hed__submit_read(src->storage, src_ticket);
  if (status == HED_OK && (atomic_load(&src->storage->ticket) != writer || atomic_load(&src->storage->poison)))
    status = hed__array_settle(src); /* as in submit.h: the device may have been told to forget WRITER */
  return status;
}

hed_status hed__copy_in_view(hed_array *x, const hed_view *to, const hed_view *src)
{
  HED__ASSERT(to->dtype == src->dtype && hed__shape_equal(to->ndim, to->dim, src->ndim, src->dim));
  hed__device *d = x->storage->device;
  if (d->host) {
    copy_host(to, src);
    return HED_OK;
  }
  if (atomic_load_explicit(&d->gone, memory_order_relaxed))
    return hed__device_gone(d);
  hed__tls *t = hed__profiling_self();
  const uint64_t start = t ? hed__profile_start("copy") : 0;
  if (t)
    t->profile_ticket = 0;
  const int32_t s = d->plugin->copy_in_async ? submit_copy_in(d, x->storage, to, src) : copy_in(d, x->storage, to, src);
  if (t)
    hed__profile_copy(t, start, HED__RAW_IN, d, hed__reference(), view_bytes(src), s,
                      t->profile_ticket ? hed__flow_ticket(d->number, t->profile_ticket) : 0);
  return (hed_status)s;
}

hed_status hed__copy_out(const hed_array *x, const hed_view *dst) { return hed__copy_out_view(x, &x->view, dst); }
hed_status hed__copy_in(hed_array *x, const hed_view *src) { return hed__copy_in_view(x, &x->view, src); }

hed_status hed__transfer(hed_array *dst, const hed_array *src)
{
  if (src->storage->device->host) {
    hed_status s = hed__array_settle(src);
    return s == HED_OK ? hed__copy_in(dst, &src->view) : s;
  }
  if (dst->storage->device->host)
    return hed__copy_out(src, &dst->view);
  const hed_plugin *p = dst->storage->device->plugin;
  if (p->copy_peer && p == src->storage->device->plugin && dst->storage->device != src->storage->device) {
    hed__error_mark mark;
    hed__error_save(&mark);
    hed__tls *t = hed__profiling_self();
    const uint64_t start = t ? hed__profile_start("copy") : 0;
    if (t)
      t->profile_ticket = 0;
    int32_t status = submit_copy_peer(dst, src);
    if (t && status != HED_E_UNSUPPORTED)
      hed__profile_copy(t, start, HED__RAW_PEER, dst->storage->device, src->storage->device, view_bytes(&src->view), status,
                        t->profile_ticket ? hed__flow_ticket(dst->storage->device->number, t->profile_ticket) : 0);
    if (status != HED_E_UNSUPPORTED)
      return (hed_status)status;
    if (t)
      hed__nvtx_pop();
    hed__error_restore(&mark);
  }
  /* through host memory */
  hed_view v = src->view;
  size_t bytes = hed__nbytes(src);
  hed__c_strides(v.ndim, v.dim, hed__id_size(v.dtype), v.stride);
  if (!(v.data = hed__buffer_new(bytes, "to")))
    return hed_error();
  hed_status s = hed__copy_out(src, &v);
  if (s == HED_OK)
    s = hed__copy_in(dst, &v);
  hed__buffer_free(v.data);
  return s;
}

/* Elements of X as dtype ID, C order, in host memory; released by hed__buffer_free. NULL with the error set. */
static void *converted(const hed_array *x, int id)
{
  int64_t n = hed__view_size(&x->view);
  size_t bytes = hed__nbytes(x), narrow = (size_t)n * (size_t)hed__id_size(id);
  hed_view v = x->view;
  void *out = hed__buffer_new(narrow, "to");
  hed__c_strides(v.ndim, v.dim, hed__id_size(v.dtype), v.stride);
  v.data = out ? hed__buffer_new(bytes, "to") : NULL;
  hed_status s = v.data ? HED_OK : hed_error();
  if (s == HED_OK && (s = hed__copy_out(x, &v)) == HED_OK)
    hed__cast(v.dtype, id)(n, out, hed__id_size(id), v.data, hed__id_size(v.dtype));
  hed__buffer_free(v.data);
  if (s != HED_OK) {
    hed__buffer_free(out);
    out = NULL;
  }
  return out;
}

static hed_status narrow_transfer(hed_array *dst, const hed_array *src)
{
  hed_view v = dst->view;
  hed__c_strides(v.ndim, v.dim, hed__id_size(v.dtype), v.stride);
  if (!(v.data = converted(src, v.dtype)))
    return hed_error();
  hed_status s = hed__copy_in(dst, &v);
  hed__buffer_free(v.data);
  return s;
}

hed_array *hed__to_device(const hed_array *x, hed__device *d)
{
  if (x->storage->device == d || (x->storage->device->host && d->host))
    return hed__array_view(x, &x->view); /* a handle of its own, so that a scope can hold it */
  int id = hed__dtype_concrete(hed__dtypes[x->view.dtype], d, "to");
  hed_array *y = id < 0 ? NULL : hed__array_new(d, id, x->view.ndim, x->view.dim);
  if (y && (id == x->view.dtype ? hed__transfer(y, x) : narrow_transfer(y, x)) != HED_OK) {
    hed_release(y);
    y = NULL;
  }
  return y;
}
