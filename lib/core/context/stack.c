// SPDX-License-Identifier: BSD-3-Clause
/* The context stack of a thread: push, pop, unwind, capture's and adopt's frames, random streams. L2.
 *
 * Nothing here allocates on push.
 */
#include "base/alloc.h"
#include "base/invariant.h"
#include "base/random/random.h"
#include "core/context/context.h"
#include "core/profile/profile.h"
#include <heddle/memory.h>
#include <heddle/ops/random.h>
#include <heddle/thread.h>
#include <stdio.h>
#include <string.h>

static atomic_uint_fast64_t leaked;

/* ---- profiles ---- */

static const char *name_of(const hed_context *c) { return c ? c->name : "root"; }

/* The first use, or a profile is being taken, which is told of C. */
static __attribute__((noinline, cold)) void note(hed__tls *t, const hed_context *c, int how, uint64_t from)
{
  atomic_fetch_or(&hed__stack_state, HED__STACK_USED);
  if (!hed__profiling(t))
    return;
  hed__nvtx_push(name_of(c));
  hed__profile_context(t, name_of(c), how, from);
}

static inline bool is_noted(void)
{
  return __builtin_expect(atomic_load_explicit(&hed__stack_state, memory_order_relaxed) != HED__STACK_USED, 0);
}

static __attribute__((noinline, cold)) void note_pop(hed__tls *t)
{
  hed__raw r = { .kind = HED__RAW_POP };
  r.t0 = r.t1 = hed__ticks();
  if (!hed__profiling(t))
    return;
  hed__nvtx_pop();
  hed__profile_put(t, &r, NULL);
}

/* What T has when it joins a profile. */
void hed__stack_profile(hed__tls *t)
{
  const hed_context *c = t->base ? t->base : t->root;
  hed__profile_context(t, name_of(c), t->base_set ? HED__RAW_SET : t->base || t->parent ? HED__RAW_INHERITED : HED__RAW_ROOT,
                       t->parent ? hed__flow_thread(t->serial) : 0);
  for (uint32_t k = 0; k < t->depth; k++) {
    t->frame[k].unusual |= HED__FRAME_NOTED;
    hed__profile_context(t, name_of(t->frame[k].context), t->frame[k].adopted ? HED__RAW_ADOPTED : HED__RAW_PUSHED, 0);
  }
}

/* C comes into the place of another context. */
static __attribute__((noinline, cold)) void note_exchange(hed__tls *t, const hed_context *c)
{
  atomic_fetch_or(&hed__stack_state, HED__STACK_USED);
  if (!hed__profiling(t))
    return;
  hed__raw r = { .kind = HED__RAW_POP };
  r.t0 = r.t1 = hed__ticks();
  hed__profile_put(t, &r, NULL);
  hed__profile_context(t, name_of(c), HED__RAW_SET, 0);
}

/* ---- frames ---- */

/* Cookies rise, so that a token finds its own frame or none, and what is above the stack is empty. */
static inline bool is_sound(const hed__tls *t)
{
  bool good = t->depth <= HED_MAX_FRAMES;
  for (uint32_t k = 0; good && k < t->depth; k++)
    good = t->frame[k].cookie > (k ? t->frame[k - 1].cookie : 0) && t->frame[k].cookie < t->next_cookie;
  return good && (t->depth == HED_MAX_FRAMES || t->frame[t->depth].cookie == 0);
}

static void settle_current(hed__tls *t)
{
  t->current = t->depth ? t->frame[t->depth - 1].context : t->base;
}

static inline __attribute__((always_inline)) hed_status enter(hed__tls *t, hed_context *context, const hed__stream *stream,
                                                              bool adopted, hed_frame *out)
{
  if (t->depth == HED_MAX_FRAMES)
    return hed_fail(HED_E_LIMIT, "context push: %d frames are pushed, which is the limit", HED_MAX_FRAMES);
  HED__PROBE_PUSH(context, t->depth);
  hed__frame *f = &t->frame[t->depth++];
  f->context = context;
  f->cookie = t->next_cookie++;
  f->adopted = adopted;
  f->replaced = false;
  f->unusual = 0;
  if (stream) { /* its children are numbered from 1, so that a block with a seed repeats */
    f->unusual = HED__FRAME_DRAWS;
    f->own = *stream;
    f->outer = t->stream;
    f->outer_spawned = t->spawned;
    t->stream = &f->own;
    t->spawned = 0;
  }
  t->current = context;
  HED__ASSERT(is_sound(t));
  if (out)
    *out = (hed_frame){ .cookie = f->cookie, .thread = t->serial, .depth = t->depth, .flags = 0 };
  return HED_OK;
}

static __attribute__((noinline, cold)) hed_status enter_noted(hed__tls *t, hed_context *context, const hed__stream *stream,
                                                             hed_frame *out)
{
  if (t->depth < HED_MAX_FRAMES)
    note(t, context, HED__RAW_PUSHED, 0);
  const hed_status s = enter(t, context, stream, false, out);
  if (s == HED_OK)
    t->frame[t->depth - 1].unusual |= HED__FRAME_NOTED;
  return s;
}

static inline __attribute__((always_inline)) hed_status push(hed__tls *t, hed_context *context, const hed__stream *stream,
                                                             hed_frame *out)
{
  return is_noted() ? enter_noted(t, context, stream, out) : enter(t, context, stream, false, out);
}

static inline __attribute__((always_inline)) void drop_top(hed__tls *t)
{
  hed__frame *f = &t->frame[--t->depth];
  HED__PROBE_POP(f->context, t->depth);
  if (f->unusual) {
    if (f->unusual & HED__FRAME_NOTED)
      note_pop(t);
    if (f->unusual & HED__FRAME_DRAWS) {
      t->stream = f->outer;
      t->spawned = f->outer_spawned;
    }
  }
  hed_context *c = f->context;
  f->context = NULL;
  f->cookie = 0;
  settle_current(t);
  HED__ASSERT(is_sound(t));
  hed_context *old = t->spare;
  t->spare = c;
  if (old)
    hed_context_release(old);
}

/* The thread's block for a push; NULL with the error set (or implied) otherwise. */
static inline __attribute__((always_inline)) hed__tls *pushable(void)
{
  hed__tls *t = hed__self;
  if (__builtin_expect(!t || t->sentinel, 0))
    t = hed__tls_get();
  if (t && __builtin_expect(t->exiting, 0)) {
    hed_fail(HED_E_EXITING, "context push: the thread is exiting");
    return NULL;
  }
  return t;
}

/* A context with a seed of its own starts a stream, unless the frame below runs on the same seed already. */
static bool starts_stream(const hed_context *c, const hed_context *below, uint64_t *key)
{
  if (!c->seeded || (below && below->seeded && below->seed == c->seed))
    return false;
  *key = c->seed;
  return true;
}

static inline __attribute__((always_inline)) hed_status push_context(hed__tls *t, hed_context *c, hed_frame *out)
{
  hed__stream stream = { 0, 0 };
  bool fresh = starts_stream(c, t->current, &stream.key);
  return push(t, c, fresh ? &stream : NULL, out);
}

hed_status hed_context_push(const hed_context *c, hed_frame *out)
{
  if (out)
    *out = (hed_frame){ 0, 0, 0, 0 };
  if (!c)
    return hed_fail(HED_E_INVAL, "context push: context is NULL");
  hed__tls *t = pushable();
  if (!t)
    return hed_error();
  hed_status s = push_context(t, (hed_context *)c, out);
  if (s == HED_OK) {
    if (t->spare == c)
      t->spare = NULL;
    else
      hed_context_retain((hed_context *)c);
  }
  return s;
}

/* A generator is a stream that the program holds. */
_Static_assert(sizeof(hed_generator) == sizeof(hed__stream) && offsetof(hed_generator, draw) == offsetof(hed__stream, draw),
               "a generator is a stream");

static void draw_from(hed__tls *t, hed__frame *f, hed__stream *stream)
{
  if (!(f->unusual & HED__FRAME_DRAWS)) {
    f->unusual |= HED__FRAME_DRAWS;
    f->outer = t->stream;
    f->outer_spawned = t->spawned;
  }
  t->stream = stream;
  t->spawned = 0;
}

hed_status hed_context_push_stream(const hed_context *c, hed_generator *stream, hed_frame *out)
{
  const hed_status s = hed_context_push(c, out);
  if (s == HED_OK && stream)
    draw_from(hed__self, &hed__self->frame[hed__self->depth - 1], (hed__stream *)stream);
  return s;
}

/* Derive with a small per-thread memo: (base, spec) -> context. */
static hed_status derive_memo(hed__tls *t, const char *spec, hed_context **out)
{
  const hed_context *base = t->current ? t->current : hed__context_base(spec);
  for (int i = 0; i < HED__SPEC_CACHE; i++) {
    hed__spec_memo *m = &t->memo[i];
    if (m->base == base && strcmp(m->spec, spec) == 0 &&
        !atomic_load_explicit(&m->result->device->gone, memory_order_relaxed)) {
      *out = hed_context_retain(m->result);
      return HED_OK;
    }
  }
  hed_status s = hed__context_derive(base, spec, NULL, out);
  if (s == HED_OK && strlen(spec) < HED__SPEC_TEXT) {
    hed__spec_memo *m = &t->memo[t->memo_next++ % HED__SPEC_CACHE];
    hed_context_release(m->base);
    hed_context_release(m->result);
    memcpy(m->spec, spec, strlen(spec) + 1);
    m->base = hed_context_retain((hed_context *)base);
    m->result = hed_context_retain(*out);
  }
  return s;
}

hed_status hed_backend_context_push(const char *spec, hed_frame *out)
{
  hed_context *c = NULL;
  if (out)
    *out = (hed_frame){ 0, 0, 0, 0 };
  if (!spec)
    return hed_fail(HED_E_INVAL, "context push: spec is NULL");
  hed__tls *t = pushable();
  if (!t)
    return hed_error();
  hed_status s = derive_memo(t, spec, &c);
  if (s == HED_OK && (s = push_context(t, c, out)) != HED_OK)
    hed_context_release(c);
  return s;
}

hed_status hed_backend_context_pop(void)
{
  hed__tls *t = hed__tls_get();
  if (!t)
    return hed_error();
  if (t->depth == 0)
    return hed_fail(HED_E_UNDERFLOW, "context pop: no frame is pushed on this thread (depth 0, base %s)",
                    !t->base ? "follows the process root" : t->base_set ? "set" : "inherited");
  if (t->frame[t->depth - 1].adopted)
    return hed_fail(HED_E_UNDERFLOW, "context pop: the task pushed no frame of its own (depth %u, base inherited by adoption)",
                    t->depth);
  drop_top(t);
  return HED_OK;
}

/* Checks that make pop and unwind total: everything is compared by value before anything is touched. */
static hed_status find(hed__tls *t, hed_frame f, const char *verb)
{
  if (f.cookie == 0 || f.depth == 0 || f.depth > HED_MAX_FRAMES)
    return hed_fail(HED_E_INVAL, "context %s: the frame is empty (depth %u on this thread)", verb, t->depth);
  if (f.thread != t->serial)
    return hed_fail(HED_E_THREAD, "context %s: the frame belongs to thread %llu, this is thread %llu (depth %u)", verb,
                    (unsigned long long)f.thread, (unsigned long long)t->serial, t->depth);
  if (f.depth > t->depth || t->frame[f.depth - 1].cookie != f.cookie)
    return hed_fail(HED_E_STALE, "context %s: the frame of depth %u was popped before (depth is %u)", verb, f.depth,
                    t->depth);
  return HED_OK;
}

hed_status hed_context_pop(hed_frame f)
{
  hed__tls *t = hed__self;
  if (__builtin_expect(t && !t->sentinel && t->depth && f.depth == t->depth && f.thread == t->serial &&
                         f.cookie == t->frame[t->depth - 1].cookie && f.cookie,
                       1)) {
    drop_top(t);
    return HED_OK;
  }
  if (!(t = hed__tls_get()))
    return hed_error();
  hed_status s = find(t, f, "pop");
  if (s != HED_OK)
    return s;
  return hed_fail(HED_E_ORDER, "context pop: %u frame%s pushed after this one (frame of depth %u, depth is %u)",
                  t->depth - f.depth, t->depth - f.depth == 1 ? " was" : "s were", f.depth, t->depth);
}

hed_status hed_context_unwind(hed_frame f)
{
  hed__tls *t = hed__tls_get();
  if (!t)
    return hed_error();
  hed_status s = find(t, f, "unwind");
  while (s == HED_OK && t->depth >= f.depth)
    drop_top(t);
  return s;
}

uint32_t hed_context_depth(void)
{
  hed__tls *t = hed__tls_peek();
  return t ? t->depth : 0;
}

/* ---- random streams ---- */

/* A thread that has nothing of its own draws from the root's seed, once the root has one: the first thread with that key,
 * others with theirs folded in. What was inherited stays. */
static void take_root_seed(hed__tls *t)
{
  uint64_t seed;
  if (!hed__root_seed(&seed) || (t->root_keyed && t->root_seed == seed))
    return;
  t->root_keyed = true;
  t->root_seed = seed;
  t->base_stream = (hed__stream){ t->serial == 1 ? seed : hed__fold_key(seed, t->serial), 0 };
}

hed__stream *hed__stream_in_force(hed__tls *t)
{
  if (t->stream == &t->base_stream && !t->current && !t->inherited)
    take_root_seed(t);
  return t->stream;
}

/* ---- base, inheritance ---- */

/* Is the limit of the context in force one that was set in its frame, or on the thread, and not one that was imposed? */
static bool limit_is_own(const hed__tls *t)
{
  if (!t->current || !t->current->limit_own)
    return false;
  if (t->depth == 0)
    return t->base_set;
  const hed__frame *f = &t->frame[t->depth - 1];
  return !f->adopted || f->replaced;
}

/* C, whose reference is taken, in the place of the innermost frame's context or the base; draws from STREAM, NULL: as before, or
 * from one of C's own seed. */
static void put(hed__tls *t, hed_context *c, hed__stream *stream)
{
  if (is_noted())
    note_exchange(t, c);
  hed__frame *f = t->depth ? &t->frame[t->depth - 1] : NULL;
  hed__stream *own = f ? &f->own : &t->base_stream;
  uint64_t key;
  if (!stream && c && starts_stream(c, t->current, &key)) {
    *own = (hed__stream){ key, 0 };
    stream = own;
  }
  hed_context *old = f ? f->context : t->base;
  if (f) {
    if (stream)
      draw_from(t, f, stream);
    f->context = c;
    f->replaced = true;
  } else {
    if (stream)
      t->spawned = 0;
    if (stream || !hed__stream_is_own(t, t->stream))
      t->stream = stream ? stream : &t->base_stream;
    t->base = c;
    t->base_set = true;
  }
  settle_current(t);
  hed_context *spare = t->spare;
  t->spare = old;
  hed_context_release(spare);
}

hed_status hed_context_set(const hed_context *c, hed_generator *stream)
{
  hed__tls *t = pushable();
  if (!t)
    return hed_error();
  if (c && t->spare == c)
    t->spare = NULL;
  else if (c)
    hed_context_retain((hed_context *)c);
  put(t, (hed_context *)c, (hed__stream *)stream);
  return HED_OK;
}

/* LIFT: a limit that was set here before goes, unless SPEC brings another. */
static hed_status replace(const char *spec, bool lift)
{
  hed_context *c = NULL;
  hed__tls *t = pushable();
  if (!t)
    return hed_error();
  const hed_context *base = hed__context_base(spec);
  hed_status s = hed__context_derive(base, spec, NULL, &c);
  if (s != HED_OK)
    return s;
  if (limit_is_own(t))
    hed__context_unnest(c, base, lift);
  put(t, c, NULL);
  return HED_OK;
}

hed_status hed_set_backend(const char *spec)
{
  return spec ? replace(spec, false) : hed_fail(HED_E_INVAL, "set_backend: spec is NULL");
}

hed_status hed_set_available_memory(size_t bytes)
{
  char spec[40];
  if (bytes > SIZE_MAX / 2)
    return hed_fail(HED_E_INVAL, "set_available_memory: %zu bytes, the most is %zu", bytes, SIZE_MAX / 2);
  snprintf(spec, sizeof spec, ";memory=%zu", bytes);
  return replace(spec, true);
}

void hed__base_inherit(hed__tls *t, hed_context *base, uint64_t stream_key)
{
  atomic_fetch_or(&hed__stack_state, HED__STACK_USED);
  t->base = base;
  t->base_set = false;
  t->base_stream = (hed__stream){ stream_key, 0 };
  t->inherited = true;
  settle_current(t);
}

hed_context *hed__effective(hed__tls *t)
{
  return t->current ? hed_context_retain((hed_context *)t->current) : NULL;
}

hed_status hed__stack_adopt(hed_context *context, uint64_t stream_key, uint64_t from, hed_frame *out)
{
  hed__stream stream = { stream_key, 0 };
  hed__tls *t = pushable();
  if (!t)
    return hed_error();
  const bool noted = is_noted() && t->depth < HED_MAX_FRAMES;
  if (noted)
    note(t, context, HED__RAW_ADOPTED, from);
  hed_status s = enter(t, context, &stream, true, out);
  if (s != HED_OK)
    return s;
  hed_context_retain(context);
  t->frame[t->depth - 1].unusual |= noted ? HED__FRAME_NOTED : 0;
  return s;
}

void hed__stack_clear(hed__tls *t)
{
  if (t->depth)
    hed__stack_leaked_add(t->depth);
  while (t->depth)
    drop_top(t);
  hed_context_release(t->spare);
  t->spare = NULL;
  hed_context_release(t->base);
  t->base = NULL;
  settle_current(t);
  hed_context_release(t->root);
  t->root = NULL;
  t->root_generation = 0;
  for (int i = 0; i < HED__SPEC_CACHE; i++) {
    hed_context_release(t->memo[i].base);
    hed_context_release(t->memo[i].result);
    t->memo[i] = (hed__spec_memo){ .base = NULL };
  }
}

void hed__stack_leaked_add(uint64_t n) { atomic_fetch_add(&leaked, n); }
uint64_t hed_leaked_frames(void) { return atomic_load(&leaked); }

/* ---- queries ---- */

/* Following the root, the thread's own copy of the name is handed out: the root may be replaced while the caller reads. */
const char *hed_get_backend(void)
{
  hed__tls *t = hed__self;
  if (__builtin_expect(t != NULL, 1)) {
    if (t->current)
      return t->current->name;
    if (t->root && t->root_generation == atomic_load_explicit(&hed__root_generation, memory_order_acquire))
      return t->name;
  }
  const hed_context *c = hed__context_slow();
  t = hed__tls_peek();
  return !c ? "none" : t ? t->name : c->name;
}

hed_context *hed_context_current(void)
{
  const hed_context *c = hed__context();
  return c ? hed_context_retain((hed_context *)c) : NULL;
}
