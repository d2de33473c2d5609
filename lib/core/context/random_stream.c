// SPDX-License-Identifier: BSD-3-Clause
/* The calling thread's random stream. L2. */
#include "core/context/random_stream.h"
#include "core/context/context.h"
#include "core/profile/profile.h"

hed_status hed__random_draw(uint64_t *key, uint64_t *draw)
{
  hed__tls *t = hed__tls_get();
  if (!t)
    return hed_error();
  hed__stream *s = hed__stream_in_force(t);
  *key = s->key;
  *draw = __atomic_fetch_add(&s->draw, 1, __ATOMIC_RELAXED); /* the program's may be shared */
  if (hed__profiling(t)) {
    hed__raw r = { .kind = HED__RAW_DRAW, .in = *key, .bytes = *draw };
    r.t0 = r.t1 = hed__ticks();
    hed__profile_put(t, &r, NULL);
  }
  return HED_OK;
}

hed_status hed__random_peek(uint64_t *key, uint64_t *draw)
{
  hed__tls *t = hed__tls_get();
  if (!t)
    return hed_error();
  hed__stream *s = hed__stream_in_force(t);
  *key = s->key;
  *draw = __atomic_load_n(&s->draw, __ATOMIC_RELAXED);
  return HED_OK;
}

void hed__random_rewind(uint64_t key, uint64_t draw)
{
  hed__tls *t = hed__tls_get();
  hed__stream *s = t ? hed__stream_in_force(t) : NULL;
  if (!s || s->key != key)
    return;
  uint64_t next = draw + 1;
  if (hed__stream_is_own(t, s))
    s->draw = draw;
  else /* not when another thread has drawn since */
    (void)__atomic_compare_exchange_n(&s->draw, &next, draw, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

hed_status hed__random_restart(uint64_t key)
{
  hed__tls *t = hed__tls_get();
  if (!t)
    return hed_error();
  *hed__stream_in_force(t) = (hed__stream){ key, 0 };
  t->spawned = 0;
  return HED_OK;
}
