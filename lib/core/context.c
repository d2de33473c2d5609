// SPDX-License-Identifier: BSD-3-Clause
/* Contexts: life, limits of memory, the process root's choice, automatic selection, queries. L2. Specs: spec.c. */
#include "core/context.h"
#include "base/alloc.h"
#include "base/dtype.h"
#include "base/random.h"
#include "core/config.h"
#include "core/registry_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Without a seed the process's streams start from this key, so unseeded programs repeat. */
enum { DEFAULT_KEY = 0x4865646c };

uint64_t hed__default_key(uint64_t serial)
{
  return serial == 1 ? DEFAULT_KEY : hed__fold_key(DEFAULT_KEY, serial << 32);
}

/* ---- life ---- */

hed_context *hed_context_retain(hed_context *c)
{
  if (c)
    atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
  return c;
}

void hed_context_release(hed_context *c)
{
  if (!c || atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) != 1)
    return;
  hed__account_release(c->account);
  hed__free(c->reason);
  hed__free(c);
}

hed_context *hed__context_builtin(void)
{
  static hed_context builtin = {
    .refs = 1 << 30, /* never reaches zero */
    .real = HED_ID_FLOAT32,
    .complex_ = HED_ID_COMPLEX64,
    .index = HED_ID_INT64,
    .seed = DEFAULT_KEY,
    .name = "reference",
  };
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static atomic_bool ready; /* then no lock is taken, so none is held when the process forks */
  if (!atomic_load_explicit(&ready, memory_order_acquire)) {
    hed__device *d = hed__reference();
    int32_t effort = hed__config_effort();
    pthread_mutex_lock(&lock);
    if (d && !builtin.device) {
      builtin.device = d;
      builtin.effort = effort;
    }
    pthread_mutex_unlock(&lock);
    if (d)
      atomic_store_explicit(&ready, true, memory_order_release);
  }
  return &builtin;
}

hed_status hed__context_on(const hed_context *base, hed__device *device, hed_context **out)
{
  hed_context *c = hed__malloc(sizeof *c);
  *out = NULL;
  if (!c)
    return hed_fail(HED_E_NOMEM, "context: no memory");
  hed__context_copy(c, base);
  atomic_init(&c->refs, 1);
  c->device = device;
  c->reason = NULL;
  c->limit_own = false;
  hed__account_retain(c->account);
  snprintf(c->name, sizeof c->name, "%s", device->name);
  *out = c;
  return HED_OK;
}

hed_status hed_context_derive(const hed_context *base, const char *spec, hed_context **out)
{
  if (!out)
    return hed_fail(HED_E_INVAL, "context_derive: out is NULL");
  *out = NULL;
  if (!spec)
    return hed_fail(HED_E_INVAL, "context_derive: spec is NULL");
  return hed__context_derive(base ? base : hed__context_base(spec), spec, NULL, out);
}

/* ---- limits of memory ---- */

void hed__context_unnest(hed_context *c, const hed_context *base, bool lift)
{
  hed__account *replaced = base->account;
  if (!replaced)
    return;
  if (c->account == replaced && lift) {
    c->account = hed__account_retain(replaced->outer);
    c->limit_own = false;
    hed__account_release(replaced);
  } else if (c->account == replaced) {
    c->limit_own = true;
  } else if (c->limit_own && c->account->outer == replaced) {
    c->account->outer = hed__account_retain(replaced->outer);
    hed__account_release(replaced);
  }
}

/* ---- the best usable backend ---- */

/* Highest score wins, then the earlier name. *why tells what the others lacked (cut to CAP). */
static hed__device *best_device(char *why, size_t cap)
{
  const char *names[HED__MAX_BACKENDS];
  int n = hed_backend_list(names, HED__MAX_BACKENDS), best_score = -1;
  hed__device *best = NULL;
  size_t used = 0;
  hed__error_mark mark;
  hed__error_save(&mark); /* what losers have to say goes into WHY, not to the caller */
  why[0] = 0;
  for (int i = 0; i < n && i < HED__MAX_BACKENDS; i++) {
    hed__device *d = hed__device_get(names[i], strlen(names[i]), 0);
    hed_backend_info info = { .struct_size = sizeof info };
    int w = 0;
    if (hed_backend_query(names[i], &info) != HED_OK)
      continue;
    if (d)
      w = snprintf(why + used, cap - used, "%s%s scores %d", used ? "; " : "", names[i], info.score);
    else
      w = snprintf(why + used, cap - used, "%s%s: %.120s", used ? "; " : "", names[i], info.reason);
    used += w > 0 ? (size_t)w : 0;
    if (used >= cap)
      used = cap - 1;
    if (d && (info.score > best_score || (info.score == best_score && strcmp(names[i], best->backend->name) < 0))) {
      best = d;
      best_score = info.score;
    }
  }
  hed__error_restore(&mark);
  return best;
}

hed_status hed_auto_select_backend(void)
{
  char why[480], spec[56];
  hed__device *d = best_device(why, sizeof why);
  if (!d)
    return hed_fail(HED_E_UNAVAILABLE, "auto_select_backend: no backend is usable: %.400s", why);
  snprintf(spec, sizeof spec, "%s", d->name);
  hed_status s = hed_set_backend(spec);
  hed__tls *t = hed__tls_peek();
  if (s == HED_OK && t)
    snprintf(t->reason, sizeof t->reason, "chosen automatically: %s", why);
  return s;
}

/* The root when nobody set it: environment, files, automatic choice. */
hed_status hed__root_choose(hed_context **out)
{
  *out = NULL;
  hed_status s = hed__config_check();
  if (s != HED_OK)
    return s;
  const char *spec = hed__config_get(HED__SET_BACKEND), *device = hed__config_get(HED__SET_DEVICE);
  char text[256], why[480];
  if (spec) {
    const char *source = hed__config_source(HED__SET_BACKEND);
    size_t name = strcspn(spec, ":;");
    if (device && spec[name] != ':')
      snprintf(text, sizeof text, "%.*s:%s%.200s", (int)(name < 40 ? name : 40), spec, device, spec + name);
    else
      snprintf(text, sizeof text, "%.250s", spec);
    if ((s = hed__context_derive(hed__context_builtin(), text, source, out)) != HED_OK)
      return s;
    snprintf(why, sizeof why, "%s", source);
  } else {
    hed__device *d = best_device(why, sizeof why);
    if (!d)
      return hed_fail(HED_E_UNAVAILABLE, "no backend is usable: %.400s", why);
    if (device && !d->host && !(d = hed__device_get(d->backend->name, strlen(d->backend->name), atoi(device))))
      return hed_fail(hed_error(), "%s: %.300s", hed__config_source(HED__SET_DEVICE), hed_error_text());
    if ((s = hed__context_on(hed__context_builtin(), d, out)) != HED_OK)
      return s;
  }
  char *reason = hed__malloc(600);
  if (reason)
    snprintf(reason, 600, spec ? "%s" : "chosen automatically: %s", why);
  (*out)->reason = reason;
  return HED_OK;
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
  };
  snprintf(i.name, sizeof i.name, "%s", c->name);
  snprintf(i.backend, sizeof i.backend, "%s", c->device->backend->name);
  memcpy(out, &i, out->struct_size < sizeof i ? out->struct_size : sizeof i);
  return HED_OK;
}
