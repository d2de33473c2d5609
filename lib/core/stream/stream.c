// SPDX-License-Identifier: BSD-3-Clause
/* Streams as the program sees them: the thread's own, and those that it brings. L2. */
#include "base/alloc.h"
#include "core/context/context.h"
#include "base/cancel.h"
#include "core/stream/ticket.h"
#include <heddle/device.h>
#include <heddle/backend.h>

static hed_status without(const char *what, const hed__device *d)
{
  return hed_fail(HED_E_UNSUPPORTED, "%s: %s shows no streams", what, d->name);
}

hed_status hed_stream_native(const char *spec, void **handle)
{
  HED__UNCANCELLED;
  hed_context *c = NULL;
  if (!handle)
    return hed_fail(HED_E_INVAL, "stream_native: handle is NULL");
  *handle = NULL;
  hed_status s = spec ? hed_context_derive(NULL, spec, &c) : HED_OK;
  if (!spec && !(c = hed_context_current()))
    s = hed_error();
  if (s != HED_OK)
    return s;
  hed__device *d = c->device;
  const hed_plugin *p = d->plugin;
  if (atomic_load(&d->gone)) {
    s = hed__device_gone(d);
  } else if (!p->stream_native || !hed__has_streams(d)) {
    s = without("stream_native", d);
  } else {
    if (c->stream)
      s = (hed_status)p->stream_select(d->state, c->stream->number);
    if (s == HED_OK)
      s = (hed_status)p->stream_native(d->state, handle);
    if (c->stream)
      (void)p->stream_select(d->state, -1);
  }
  hed_context_release(c);
  return s;
}

hed_status hed_context_with_stream(const hed_context *base, void *handle, hed_context **out)
{
  HED__UNCANCELLED;
  if (!out)
    return hed_fail(HED_E_INVAL, "context_with_stream: out is NULL");
  *out = NULL;
  if (!base && !(base = hed__context()))
    return hed_error();
  hed__device *d = base->device;
  if (atomic_load(&d->gone))
    return hed__device_gone(d);
  if (!d->plugin->stream_adopt || !hed__has_streams(d))
    return without("context_with_stream", d);
  hed__brought *b = hed__malloc(sizeof *b);
  if (!b)
    return hed_fail(HED_E_NOMEM, "context_with_stream: no memory");
  hed__error_mark before;
  hed__error_save(&before);
  hed_error_clear();
  *b = (hed__brought){ .refs = 1, .device = d, .number = d->plugin->stream_adopt(d->state, handle) };
  hed_status s = b->number < 0 ? (hed_status)b->number : hed__context_on(base, d, out);
  if (s == HED_OK) {
    hed__error_restore(&before);
    hed__brought_release((*out)->stream);
    (*out)->stream = b;
    return HED_OK;
  }
  if (b->number >= 0)
    hed__brought_release(b);
  else
    hed__free(b);
  return hed_error() ? s : hed_fail(s, "context_with_stream: %s has no stream %p", d->name, handle);
}
