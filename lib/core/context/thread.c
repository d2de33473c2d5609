// SPDX-License-Identifier: BSD-3-Clause
/* Inheritance: snapshots, threads that start from one. L2.
 *
 * The snapshot is taken in the creator before the thread exists, so what the creator pops afterwards does not matter.
 */
#include "base/alloc.h"
#include "base/random/random.h"
#include "core/context/context.h"
#include "core/profile/profile.h"
#include <errno.h>
#include <heddle/thread.h>

struct hed_snapshot {
  hed_context *context; /* NULL: follow the root */
  uint64_t key;         /* random key of the creator's stream when it was taken */
  uint64_t number;      /* of all, for profiles */
};

/* The key for a new child or task of T's stream: folded with the spawn index, which the creator counts. */
static uint64_t spawn_key(hed__tls *t) { return hed__fold_key(hed__stream_in_force(t)->key, ++t->spawned); }

/* For profiles: T has made what the flow OUT goes to. */
static void tell(hed__tls *t, uint64_t start, int how, uint64_t out)
{
  hed__raw r = { .kind = HED__RAW_CREATE, .how = (uint8_t)how, .t0 = start, .out = out };
  if (!hed__profiling(t))
    return;
  r.t1 = hed__ticks();
  hed__profile_put(t, &r, NULL);
}

/* First in the new thread. Its block is complete: with the interposer behind a sanitizer's own pthread_create, this runs
 * before the sanitizer knows the thread, when no lock may be taken. */
HED__NO_TSAN static void *start(void *p)
{
  hed__tls *t = p;
  void *(*fn)(void *) = t->start_fn;
  void *arg = t->start_arg;
  hed__tls_install(t);
  return fn(arg);
}

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* Exported for the interposer, which passes the pthread_create that it stands before. */
HED_API int hed_thread_create_with(create_fn *create, pthread_t *t, const pthread_attr_t *a, void *(*fn)(void *),
                                   void *arg);

int hed_thread_create_with(create_fn *create, pthread_t *t, const pthread_attr_t *a, void *(*fn)(void *), void *arg)
{
  hed__tls *self = hed__tls_peek();
  /* a thread that never used Heddle has nothing to pass on; hed_thread_create has done its part already */
  if (!self || self->exiting || self->creating)
    return create(t, a, fn, arg);
  hed__tls *child = hed__tls_make(); /* by the creator: a child never lacks the memory to inherit */
  if (!child)
    return EAGAIN;
  hed__base_inherit(child, hed__effective(self), spawn_key(self));
  child->parent = self->serial;
  child->start_fn = fn;
  child->start_arg = arg;
  const uint64_t began = hed__ticks(), serial = child->serial;
  self->creating = true;
  int e = create(t, a, start, child);
  self->creating = false;
  if (!e)
    tell(self, began, 0, hed__flow_thread(serial));
  if (e) {
    self->spawned--;
    hed__tls_discard(child);
  }
  return e;
}

int hed_thread_create(pthread_t *t, const pthread_attr_t *a, void *(*fn)(void *), void *arg)
{
  if (!t || !fn)
    return EINVAL;
  if (!hed__tls_get()) /* siblings number their random streams here, so the creator needs a block */
    return EAGAIN;
  return hed_thread_create_with(pthread_create, t, a, fn, arg);
}

hed_status hed_capture(hed_snapshot **out)
{
  if (!out)
    return hed_fail(HED_E_INVAL, "capture: out is NULL");
  *out = NULL;
  hed__tls *t = hed__tls_get();
  hed_snapshot *s = t ? hed__malloc(sizeof *s) : NULL;
  if (!s)
    return hed_fail(HED_E_NOMEM, "capture: no memory for a snapshot");
  static atomic_uint_fast64_t snapshots;
  *s = (hed_snapshot){ .context = hed__effective(t), .key = spawn_key(t), .number = atomic_fetch_add(&snapshots, 1) + 1 };
  *out = s;
  tell(t, hed__ticks(), 1, hed__flow_snapshot(s->number));
  return HED_OK;
}

hed_status hed_adopt(const hed_snapshot *s, uint64_t task_index, hed_frame *out)
{
  if (out)
    *out = (hed_frame){ 0, 0, 0, 0 };
  if (!s)
    return hed_fail(HED_E_INVAL, "adopt: snapshot is NULL");
  return hed__stack_adopt(s->context, hed__fold_key(s->key, task_index), hed__flow_snapshot(s->number), out);
}

void hed_snapshot_release(hed_snapshot *s)
{
  if (!s)
    return;
  hed_context_release(s->context);
  hed__free(s);
}

hed_status hed_thread_detach(void)
{
  hed__tls_drop();
  return HED_OK;
}
