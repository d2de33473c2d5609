// SPDX-License-Identifier: BSD-3-Clause
/* Contexts seen from outside: made from a spec, asked what they are, chosen automatically. L2. */
#include "base/dtype.h"
#include "core/context/context.h"
#include "core/modules/registry_internal.h"
#include <stdio.h>
#include <string.h>

hed_status hed_context_derive(const hed_context *base, const char *spec, hed_context **out)
{
  if (!out)
    return hed_fail(HED_E_INVAL, "context_derive: out is NULL");
  *out = NULL;
  if (!spec)
    return hed_fail(HED_E_INVAL, "context_derive: spec is NULL");
  return hed__context_derive(base ? base : hed__context_base(spec), spec, NULL, out);
}

hed_status hed_auto_select_backend(void)
{
  char why[480], spec[56];
  hed__device *d = hed__best_device(why, sizeof why);
  if (!d)
    return hed_fail(HED_E_UNAVAILABLE, "auto_select_backend: no backend is usable: %.400s", why);
  snprintf(spec, sizeof spec, "%s", d->name);
  hed_status s = hed_set_backend(spec);
  hed__tls *t = hed__tls_peek();
  if (s == HED_OK && t)
    snprintf(t->reason, sizeof t->reason, "chosen automatically: %s", why);
  return s;
}

/* ---- queries ---- */

const char *hed_context_reason(void)
{
  hed__tls *t = hed__tls_get();
  if (!t)
    return "";
  if (t->depth)
    snprintf(t->reason, sizeof t->reason, "%s by this thread (depth %u)",
             t->frame[t->depth - 1].adopted ? "adopted" : "pushed", t->depth);
  else if (t->base && t->base_set && strncmp(t->reason, "chosen", 6) == 0)
    return t->reason;
  else if (t->base)
    snprintf(t->reason, sizeof t->reason, t->base_set ? "set on this thread" : "inherited from the creating thread");
  else {
    const hed_context *c = hed__context();
    if (!c)
      snprintf(t->reason, sizeof t->reason, "none: %.480s", hed_error_text());
    else
      snprintf(t->reason, sizeof t->reason, "process default: %.480s", c->reason ? c->reason : "");
  }
  return t->reason;
}

hed_status hed_context_query(const hed_context *c, hed_context_info *out)
{
  if (!out || out->struct_size < 8)
    return hed_fail(HED_E_INVAL, "context_query: %s", out ? "struct_size is not set" : "out is NULL");
  hed__tls *t = hed__tls_get();
  uint64_t key = c ? c->seed : t ? hed__stream_in_force(t)->key : 0;
  if (!c && !(c = hed__context()))
    return hed_error();
  hed_context_info i = {
    .struct_size = out->struct_size,
    .device = c->device->index,
    .real = hed_dtype_of(c->real),
    .complex_ = hed_dtype_of(c->complex_),
    .index = hed_dtype_of(c->index),
    .threads = c->threads,
    .mix = c->mix,
    .fallback = c->fallback,
    .fft_effort = c->effort,
    .relaxed = c->relaxed,
    .memory_limit = c->account ? c->account->limit : 0,
    .seed = key,
    .math = c->math,
    .check = c->check,
  };
  snprintf(i.name, sizeof i.name, "%s", c->name);
  snprintf(i.backend, sizeof i.backend, "%s", c->device->backend->name);
  memcpy(out, &i, out->struct_size < sizeof i ? out->struct_size : sizeof i);
  return HED_OK;
}
