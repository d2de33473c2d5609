// SPDX-License-Identifier: BSD-3-Clause
/* Regions and tasks of OpenMP's runtimes: the context of who opens one, entered by each member. L2.
 *
 * Private between libheddle and libheddle-inherit. The opener of a region waits in it, so what it had in force stays; a task
 * keeps its maker's context until it is released. Nothing is allocated, but for a thread's own block.
 */
#include "base/random/random.h"
#include "core/context/context.h"
#include "core/context/region.h"

bool hed_region_open(hed_region *r)
{
  if (!(atomic_load_explicit(&hed__stack_state, memory_order_relaxed) & HED__STACK_USED))
    return false;
  hed__tls *t = hed__tls_get();
  if (!t || t->exiting)
    return false;
  *r = (hed_region){ .context = t->current, .key = hed__fold_key(hed__stream_in_force(t)->key, ++t->spawned),
                     .creating = t->creating };
  return true;
}

void hed_region_begin(hed_region *r)
{
  (void)r;
  hed__self->creating = true; /* threads that the runtime makes now follow the root between regions */
}

void hed_region_end(hed_region *r)
{
  hed__self->creating = r->creating;
}

void hed_region_hold(hed_region *r)
{
  if (r->context)
    hed_context_retain((hed_context *)r->context);
}

void hed_region_release(hed_region *r)
{
  if (r->context)
    hed_context_release((hed_context *)r->context);
  r->context = NULL;
}

void hed_region_enter(const hed_region *r, uint64_t index, hed_region_save *v)
{
  *v = (hed_region_save){ .frame = { 0, 0, 0, 0 } };
  hed__tls *t = hed__tls_get();
  if (!t || hed__stack_adopt((hed_context *)r->context, hed__fold_key(r->key, index), 0, &v->frame) != HED_OK)
    return;
  v->creating = t->creating;
  t->creating = false;
}

void hed_region_leave(hed_region_save *v)
{
  if (!v->frame.cookie)
    return;
  (void)hed_context_unwind(v->frame); /* and what the body left open */
  hed__self->creating = v->creating;
}
