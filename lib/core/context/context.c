// SPDX-License-Identifier: BSD-3-Clause
/* Contexts: life, limits of memory. L2. */
#include "core/context/context.h"
#include "base/alloc.h"
#include "base/invariant.h"
#include "base/random/random.h"
#include "core/process/config.h"
#include <heddle/backend.h>
#include <stdio.h>

/* Without a seed the process's streams start from this key, so unseeded programs repeat. */
enum { DEFAULT_KEY = 0x4865646c };

uint64_t hed__default_key(uint64_t serial)
{
  return serial == 1 ? DEFAULT_KEY : hed__fold_key(DEFAULT_KEY, serial << 32);
}

/* ---- life ---- */

hed_context *hed_context_retain(hed_context *c)
{
  HED__ASSERT(!c || atomic_load(&c->refs) > 0);
  if (c)
    atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
  return c;
}

void hed__brought_release(hed__brought *b)
{
  if (!b || atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) != 1)
    return;
  if (b->device->plugin->stream_release)
    b->device->plugin->stream_release(b->device->state, b->number);
  hed__free(b);
}

void hed_context_release(hed_context *c)
{
  if (!c || atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) != 1)
    return;
  hed__account_release(c->account);
  hed__brought_release(c->stream);
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
    const int32_t effort = hed__config_effort(), check = hed__config_failures();
    pthread_mutex_lock(&lock);
    if (d && !builtin.device) {
      builtin.device = d;
      builtin.effort = effort;
      builtin.check = check;
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
  if (device != base->device)
    c->stream = NULL;
  if (c->stream)
    atomic_fetch_add_explicit(&c->stream->refs, 1, memory_order_relaxed);
  c->device = device;
  c->reason = NULL;
  c->limit_own = false;
  hed__account_retain(c->account);
  snprintf(c->name, sizeof c->name, "%s", device->name);
  *out = c;
  return HED_OK;
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
