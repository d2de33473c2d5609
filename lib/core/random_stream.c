// SPDX-License-Identifier: BSD-3-Clause
/* The calling thread's random stream. L2. */
#include "core/random_stream.h"
#include "core/context.h"

hed_status hed__random_draw(uint64_t *key, uint64_t *draw)
{
  hed__tls *t = hed__tls_get();
  if (!t)
    return hed_error();
  hed__stream *s = hed__stream_in_force(t);
  *key = s->key;
  *draw = s->draw++;
  return HED_OK;
}

hed_status hed__random_peek(uint64_t *key, uint64_t *draw)
{
  hed__tls *t = hed__tls_get();
  if (!t)
    return hed_error();
  hed__stream *s = hed__stream_in_force(t);
  *key = s->key;
  *draw = s->draw;
  return HED_OK;
}

void hed__random_rewind(uint64_t key, uint64_t draw)
{
  hed__tls *t = hed__tls_get();
  hed__stream *s = t ? hed__stream_in_force(t) : NULL;
  if (s && s->key == key)
    s->draw = draw;
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
