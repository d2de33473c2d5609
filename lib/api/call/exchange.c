// SPDX-License-Identifier: BSD-3-Clause
/* Memory shared with others who use the same device: who waits for whom. L3. */
#include "api/call/exchange.h"

#include "base/alloc.h"
#include "base/cancel.h"
#include "base/shape.h"
#include "core/dispatch/dispatch.h"
#include "core/array/settle.h"
#include "core/array/submit.h"
#include "core/memory/uses.h"
#include <heddle/dlpack.h>
#include <heddle/error.h>
#include <heddle/backend.h>
#include <stdio.h>
#include <string.h>

/* The default streams' numbers are handles where there are such. */
static void *handle_of(intptr_t stream) { return (void *)(stream ? stream : HED_STREAM_LEGACY); }

/* HANDLE's stream comes after the uses of S: those of this thread's stream, and the listed ones of others. */
static int32_t let_follow(hed__device *d, void *handle, hed__storage *s)
{
  HED__UNCANCELLED;
  hed__submission b;
  int32_t status = hed__submit_begin(&b, d);
  if (status != HED_OK)
    return status;
  hed__submit_writes(&b, s);
  const uint64_t *const list[2] = { b.wait_for, b.after };
  const int32_t n[2] = { b.n_wait_for, b.n_after };
  for (int k = 0; k < 2 && status == HED_OK; k++)
    if (n[k])
      status = d->plugin->stream_after(d->state, handle, list[k], n[k]);
  if (status == HED_OK)
    status = d->plugin->stream_after(d->state, handle, NULL, 0);
  hed__submit_end(&b, status, 0);
  return status;
}

hed_status hed__export(const hed_array *x, intptr_t stream)
{
  hed__storage *s = x->storage;
  hed__device *d = s->device;
  if (d->host || stream == HED_STREAM_NONE)
    return HED_OK;
  if (!d->plugin->stream_after || atomic_load_explicit(&d->gone, memory_order_relaxed))
    return hed__array_settle(x);
  const hed_status status = hed__poisoned(x, "to_dlpack");
  return status == HED_OK ? (hed_status)let_follow(d, handle_of(stream), s) : status;
}

/* ---- what comes from others ---- */

typedef struct import {
  hed__device *device;
  hed__storage *storage;
  intptr_t stream;
  void (*done)(void *);
  void *arg;
} import;

/* The last reference goes: its owner may do with the memory what it likes, after our uses. */
static void give_back(void *arg)
{
  import *m = arg;
  hed__device *d = m->device;
  hed__storage *s = m->storage;
  if (s && s->fork_depth == hed__fork_depth() && !atomic_load_explicit(&d->gone, memory_order_relaxed) &&
      (m->stream == HED_STREAM_NONE || let_follow(d, handle_of(m->stream), s) != HED_OK))
    (void)hed__uses_wait(s);
  if (m->done)
    m->done(m->arg);
  hed__free(m);
}

/* X comes after what HANDLE holds: the calling thread's stream does, and with what it does next others will. What became of FROM
 * (NULL: of nothing), whose memory it is, becomes of X. */
static hed_status follow(hed_array *x, void *handle, const hed_array *from)
{
  HED__UNCANCELLED;
  hed__device *d = x->storage->device;
  hed__submission b; /* of the stream that this thread has selected */
  hed_status status = (hed_status)hed__submit_begin(&b, d);
  if (status == HED_OK) {
    status = (hed_status)d->plugin->after_stream(d->state, handle);
    hed__submit_end(&b, status, 0);
  }
  hed_array *mark = status == HED_OK ? hed__array_new(d, HED_ID_UINT8, 0, NULL) : NULL;
  const hed__exec ex = { .context = hed__context(), .device = d };
  const hed_fill_params zero = { 0, 0, 0 };
  const bool reads = from && from->size > 0;
  hed_view byte = { .data = x->view.data, .dtype = HED_ID_UINT8 };
  const hed_view *first = &byte;
  if (status == HED_OK && (!mark || !ex.context))
    status = hed_error();
  if (status == HED_OK)
    status = hed__run(&ex, &(hed__launch){ .n_out = 1, .out = &mark, .n_in = reads, .in = &from, .in_view = &first,
                                           .params = reads ? NULL : &zero, .compute = HED_ID_UINT8,
                                           .op = 1 + (reads ? HED_OP_ASTYPE : HED_OP_FILL) });
  if (status == HED_OK) {
    const uint64_t ticket = atomic_exchange(&mark->storage->ticket, 0); /* X has it from now on */
    atomic_store(&x->storage->ticket, ticket);
    if (ticket)
      hed__submit_read(x->storage, ticket);
  }
  hed_release(mark);
  return status;
}

/* Are V's elements in memory of D, as far as its driver can tell? */
static bool is_of_device(const char *op, hed__device *d, const hed_view *v)
{
  int64_t low, high;
  if (!d->plugin->owns || hed__view_size(v) == 0)
    return true;
  hed__view_extent(v, &low, &high);
  const char *first = (const char *)v->data + low;
  const hed_status status = (hed_status)d->plugin->owns(d->state, first, (size_t)(high - low));
  if (status != HED_OK) {
    char why[400];
    snprintf(why, sizeof why, "%.390s", hed_error_text());
    hed_fail(status, "%s: %s", op, why);
  }
  return status == HED_OK;
}

hed_array *hed__import(const char *op, hed__device *d, const hed_view *v, intptr_t stream, const hed_array *from,
                       void (*done)(void *), void *arg)
{
  if (d->host)
    return hed__array_wrap(d, v, done, arg);
  if (!is_of_device(op, d, v))
    return NULL;
  if (from && stream == HED_STREAM_NONE && hed__array_settle(from) != HED_OK)
    return NULL;
  if (stream != HED_STREAM_NONE && !d->plugin->after_stream) {
    hed_fail(HED_E_UNSUPPORTED, "%s: %s shows no streams; wait for the producer and give HED_STREAM_NONE", op, d->name);
    return NULL;
  }
  import *m = hed__calloc(1, sizeof *m);
  if (!m) {
    hed_fail(HED_E_NOMEM, "%s: no memory for the record of an import", op);
    return NULL;
  }
  *m = (import){ .device = d, .stream = stream };
  hed_array *x = hed__array_wrap(d, v, give_back, m);
  if (!x) {
    hed__free(m);
    return NULL;
  }
  if (stream != HED_STREAM_NONE && follow(x, handle_of(stream), from) != HED_OK) {
    hed_release(x); /* DONE stays uncalled */
    return NULL;
  }
  *m = (import){ d, x->storage, stream, done, arg };
  return x;
}

hed_array *hed_wrap_device(const char *spec, void *data, hed_shape shape, const int64_t *strides_bytes, hed_dtype t,
                           intptr_t stream, void (*done)(void *), void *done_arg)
{
  hed_context *c = NULL;
  hed_view v;
  if (!spec) {
    hed_fail(HED_E_INVAL, "wrap_device: spec is NULL");
    return NULL;
  }
  if (hed_context_derive(NULL, spec, &c) != HED_OK)
    return NULL;
  hed__device *d = c->device;
  hed_context_release(c);
  if (hed__layout_of("wrap_device", d, data, &shape, strides_bytes, t, &v) != HED_OK)
    return NULL;
  return hed__import("wrap_device", d, &v, stream, NULL, done, done_arg);
}
