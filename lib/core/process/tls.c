// SPDX-License-Identifier: BSD-3-Clause
/* Life of the per-thread block. L2. See tls.h. */
#include "core/process/tls.h"
#include "base/alloc.h"
#include "base/cancel.h"
#include <limits.h>
#include <string.h>

_Thread_local hed__tls *hed__self HED__TLS_MODEL;

static hed__tls out_of_memory = { .sentinel = true };
static hed__tls after_exit = { .sentinel = true, .exiting = true };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool key_made;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* list and totals */
static hed__tls *list;
static uint64_t total[HED__COUNTERS];
static atomic_uint_fast64_t lost[HED__COUNTERS]; /* by threads without a block */
static atomic_uint_fast64_t serials;

atomic_int hed__forks;
atomic_uchar hed__stack_state;

static void nothing(hed__tls *t) { (void)t; }
static hed__thread_hooks hooks = { nothing, nothing, nothing };
void hed__tls_hook(const hed__thread_hooks *h) { hooks = *h; }

static void drop(hed__tls *t)
{
  hooks.last(t);
  pthread_mutex_lock(&lock);
  for (int i = 0; i < HED__COUNTERS; i++)
    total[i] += atomic_load_explicit(&t->count[i], memory_order_relaxed);
  if (t->prev)
    t->prev->next = t->next;
  else
    list = t->next;
  if (t->next)
    t->next->prev = t->prev;
  pthread_mutex_unlock(&lock);
  hed__free(t);
}

/* Other keys' destructors may call in after this one: what the stack held goes in the first pass, the block in the last
 * but one. In the last pass ThreadSanitizer takes down what it knows of the thread, so no lock is taken there. */
static void at_thread_end(void *arg)
{
  HED__UNCANCELLED;
  hed__tls *t = arg;
  t->exiting = true;
  hooks.first(t);
  if (++t->exit_pass < PTHREAD_DESTRUCTOR_ITERATIONS - 1 && pthread_setspecific(key, t) == 0)
    return;
  hed__self = &after_exit;
  drop(t);
}

static void make_key(void)
{
  key_made = pthread_key_create(&key, at_thread_end) == 0;
}

hed__tls *hed__tls_make(void)
{
  pthread_once(&once, make_key);
  hed__tls *t = key_made ? hed__calloc(1, sizeof *t) : NULL;
  if (!t)
    return NULL;
  t->serial = atomic_fetch_add(&serials, 1) + 1;
  t->next_cookie = 1;
  hooks.begin(t);
  t->stream = &t->base_stream;
  pthread_mutex_lock(&lock);
  t->next = list;
  if (list)
    list->prev = t;
  list = t;
  pthread_mutex_unlock(&lock);
  return t;
}

void hed__tls_discard(hed__tls *t) { drop(t); }

/* Without room for the key's value the block is lost at the thread's end; the thread works. */
HED__NO_TSAN void hed__tls_install(hed__tls *t)
{
  (void)pthread_setspecific(key, t);
  hed__self = t;
}

hed__tls *hed__tls_get(void)
{
  hed__tls *t = hed__self;
  if (t && !t->sentinel)
    return t;
  if (t == &after_exit)
    return NULL;
  const bool was_out = t == &out_of_memory; /* of which nobody may have been told yet */
  if (!(t = hed__tls_make())) {
    hed__self = &out_of_memory;
    return NULL;
  }
  hed__tls_install(t);
  if (was_out) {
    t->status = HED_E_NOMEM;
    memccpy(t->text, "out of memory at this thread's first call", 0, sizeof t->text);
  }
  return t;
}

void hed__tls_drop(void)
{
  HED__UNCANCELLED;
  hed__tls *t = hed__tls_peek();
  if (!t)
    return;
  pthread_setspecific(key, NULL);
  bool exiting = t->exiting;
  hed__self = exiting ? &after_exit : NULL;
  drop(t);
}

void hed__count_lost(int which) { atomic_fetch_add_explicit(&lost[which], 1, memory_order_relaxed); }

/* Under the lock. */
static uint64_t sum_of(int which)
{
  uint64_t sum = total[which];
  for (hed__tls *t = list; t; t = t->next)
    sum += atomic_load_explicit(&t->count[which], memory_order_relaxed);
  return sum;
}

uint64_t hed__count_total(int which)
{
  pthread_mutex_lock(&lock);
  uint64_t sum = sum_of(which);
  switch (which) {
  case HED__COUNT_MADE: case HED__COUNT_TAKEN: case HED__COUNT_ALLOCS: case HED__COUNT_HITS:
    sum += sum_of(HED__COUNT_SMALL);
    break;
  case HED__COUNT_GONE: case HED__COUNT_GIVEN:
    sum += sum_of(HED__COUNT_SMALL_GONE);
    break;
  default:
    break;
  }
  pthread_mutex_unlock(&lock);
  return sum + atomic_load(&lost[which]);
}

int64_t hed__held_total(int64_t *high)
{
  int64_t sum = 0;
  *high = 0;
  pthread_mutex_lock(&lock);
  for (hed__tls *t = list; t; t = t->next) {
    int64_t most = atomic_load_explicit(&t->held_high, memory_order_relaxed);
    sum += atomic_load_explicit(&t->held, memory_order_relaxed);
    *high = most > *high ? most : *high;
  }
  pthread_mutex_unlock(&lock);
  return sum;
}

void hed__tls_fork_prepare(void) { pthread_mutex_lock(&lock); }
void hed__tls_fork_parent(void) { pthread_mutex_unlock(&lock); }

int64_t hed__tls_fork_child(void)
{
  pthread_mutex_init(&lock, NULL);
  hed__tls *me = hed__tls_peek();
  int64_t held = 0;
  for (hed__tls *t = list; t; t = t->next)
    held += t != me ? atomic_load_explicit(&t->held, memory_order_relaxed) : 0;
  for (hed__tls *t = list; t; t = t->next) /* what they had counted stays, but for the magazines, which are out of reach */
    for (int i = 0; t != me && i < HED__COUNTERS; i++)
      if (i != HED__COUNT_CACHED)
        total[i] += atomic_load_explicit(&t->count[i], memory_order_relaxed);
  list = me; /* the blocks of threads that do not exist here are abandoned */
  if (list)
    list->next = list->prev = NULL;
  return held;
}
