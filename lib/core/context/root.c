// SPDX-License-Identifier: BSD-3-Clause
/* The process's root context: chosen on first use, or set. L2. */
#include "base/alloc.h"
#include "core/process/config.h"
#include "core/context/context.h"
#include "core/modules/registry_internal.h"
#include <heddle/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the best usable backend ---- */

/* The first device of a backend that is usable; NULL with the error of the first of all. */
static hed__device *first_device(const char *name)
{
  hed__device *d = hed__device_get(name, strlen(name), 0);
  hed_backend_info info = { .struct_size = sizeof info };
  hed__error_mark mark;
  if (d || hed_backend_query(name, &info) != HED_OK)
    return d;
  hed__error_save(&mark);
  for (int32_t k = 1; k < info.devices && !d; k++)
    d = hed__device_get(name, strlen(name), k);
  hed__error_restore(&mark);
  return d;
}

/* Asks for NAME and adds what it says to WHY; it is the best one if its score is the highest, or comes first by name. */
static void consider(const char *name, hed__device **best, int *best_score, char *why, size_t cap)
{
  hed__device *d = first_device(name);
  hed_backend_info info = { .struct_size = sizeof info };
  const size_t used = strlen(why);
  const char *separator = used ? "; " : "";
  if (hed_backend_query(name, &info) != HED_OK)
    return;
  if (d)
    snprintf(why + used, cap - used, "%s%s scores %d", separator, name, info.score);
  else
    snprintf(why + used, cap - used, "%s%s: %.120s", separator, name, info.reason);
  if (d && (info.score > *best_score || (info.score == *best_score && strcmp(name, (*best)->backend->name) < 0))) {
    *best = d;
    *best_score = info.score;
  }
}

/* Drivers of devices are not woken where a better backend than the reference is in host memory: to do so takes longer than
 * many programs run, and none of them scores higher. */
hed__device *hed__best_device(char *why, size_t cap)
{
  const char *names[HED__MAX_BACKENDS];
  int n = hed_backend_list(names, HED__MAX_BACKENDS), best_score = -1;
  hed__device *best = NULL;
  hed__error_mark mark;
  hed__error_save(&mark); /* what losers have to say goes into WHY, not to the caller */
  why[0] = 0;
  n = n < HED__MAX_BACKENDS ? n : HED__MAX_BACKENDS;
  for (int i = 0; i < n; i++)
    if (!hed__registry_is_driver(names[i]))
      consider(names[i], &best, &best_score, why, cap);
  for (int i = 0; i < n && (!best || best == hed__reference()); i++)
    if (hed__registry_is_driver(names[i]))
      consider(names[i], &best, &best_score, why, cap);
  hed__error_restore(&mark);
  return best;
}

/* The root when nobody set it: environment, files, automatic choice. */
static hed_status choose_root(hed_context **out)
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
    hed__device *d = hed__best_device(why, sizeof why);
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

/* ---- the root: a context and a generation that rises with each change ---- */

static pthread_mutex_t root_lock = PTHREAD_MUTEX_INITIALIZER;
static hed_context *root;              /* under root_lock; NULL: not chosen */
atomic_uint_fast64_t hed__root_generation = 1;

/* The root for this thread, choosing it on first use. Choosing loads modules, so no lock is held meanwhile; the first to
 * finish wins. */
static hed_status root_refresh(hed__tls *t)
{
  hed_context *chosen = NULL;
  if (t->pins && t->root)
    return HED_OK;
  pthread_mutex_lock(&root_lock);
  if (!root) {
    pthread_mutex_unlock(&root_lock);
    hed_status s = choose_root(&chosen);
    if (s != HED_OK)
      return s;
    pthread_mutex_lock(&root_lock);
    if (!root) {
      root = chosen;
      chosen = NULL;
      atomic_fetch_add(&hed__root_generation, 1);
    }
  }
  hed_context *old = t->root;
  t->root = hed_context_retain(root);
  t->root_generation = atomic_load(&hed__root_generation);
  memcpy(t->name, root->name, sizeof t->name);
  pthread_mutex_unlock(&root_lock);
  hed_context_release(old);
  hed_context_release(chosen);
  return HED_OK;
}

/* What SPEC's missing parts come from on a thread that follows the root: the root; the defaults where it cannot be
 * honoured, and where it would be an automatic choice that SPEC overrules anyway (nothing is loaded for that). */
static const hed_context *root_base(hed__tls *t, const char *spec)
{
  bool chosen;
  hed__error_mark mark;
  pthread_mutex_lock(&root_lock);
  chosen = root != NULL;
  pthread_mutex_unlock(&root_lock);
  if (!t || (!chosen && spec[0] != ';' && !hed__config_get(HED__SET_BACKEND)))
    return hed__context_builtin();
  hed__error_save(&mark);
  if (root_refresh(t) == HED_OK)
    return t->root;
  hed__error_restore(&mark);
  return hed__context_builtin();
}

const hed_context *hed__context_slow(void)
{
  hed__tls *t = hed__tls_get();
  if (!t) {
    /* past the thread's end: the immortal context serves; out of memory: the error is implied */
    return hed__self && hed__self->exiting ? hed__context_builtin() : NULL;
  }
  if (t->current)
    return t->current;
  if (t->root && (t->pins || t->root_generation == atomic_load_explicit(&hed__root_generation, memory_order_acquire)))
    return t->root;
  return root_refresh(t) == HED_OK ? t->root : NULL;
}

const hed_context *hed__context_base(const char *spec)
{
  hed__tls *t = hed__tls_peek();
  if (t && t->current)
    return t->current;
  return root_base(t, spec);
}

hed_status hed_set_default_backend(const char *spec)
{
  hed_context *c = NULL;
  hed_status s;
  hed__tls *t = hed__tls_get();
  if (!t)
    return hed_error();
  if (!spec)
    return hed_fail(HED_E_INVAL, "set_default_backend: spec is NULL");
  const hed_context *base = root_base(t, spec);
  if ((s = hed__context_derive(base, spec, NULL, &c)) != HED_OK)
    return s;
  if (base->limit_own)
    hed__context_unnest(c, base, false);
  hed__free(c->reason);
  c->reason = hed__strdup("set by hed_set_default_backend");
  pthread_mutex_lock(&root_lock);
  hed_context *old = root;
  root = c;
  atomic_fetch_add(&hed__root_generation, 1);
  pthread_mutex_unlock(&root_lock);
  hed_context_release(old);
  return HED_OK;
}

bool hed__root_seed(uint64_t *seed)
{
  pthread_mutex_lock(&root_lock);
  bool seeded = root && root->seeded;
  *seed = seeded ? root->seed : 0;
  pthread_mutex_unlock(&root_lock);
  return seeded;
}

void hed__root_fork_prepare(void) { pthread_mutex_lock(&root_lock); }
void hed__root_fork_parent(void) { pthread_mutex_unlock(&root_lock); }
void hed__root_fork_child(void) { pthread_mutex_init(&root_lock, NULL); }
