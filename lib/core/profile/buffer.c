// SPDX-License-Identifier: BSD-3-Clause
/* Records of a thread: room for them, in chunks of FILE.raw. L2. See session.h. */
#include "base/alloc.h"
#include "base/cancel.h"
#include "core/profile/session.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

hed__profile_state hed__profile = { .fd = -1 };
atomic_uint hed__profile_session;

#if defined __x86_64__
bool hed__ticks_counter;

/* It counts at one rate, whatever the processor does: bit 8 of EDX of leaf 0x80000007. */
static void choose(void)
{
  unsigned a = 0, b = 0, c = 0, d = 0;
  hed__ticks_counter = __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d >> 8 & 1);
}

void hed__ticks_choose(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, choose);
}
#else
void hed__ticks_choose(void) { }
#endif

/* The file has the blocks before they are written to: a full disk must not become a signal. */
static bool reserve(int fd, uint64_t at, size_t bytes)
{
  if (fallocate(fd, 0, (off_t)at, (off_t)bytes) == 0)
    return true;
  if (errno != EOPNOTSUPP && errno != ENOSYS)
    return false;
  static const char zeros[4096];
  for (size_t done = 0; done < bytes; done += sizeof zeros)
    if (pwrite(fd, zeros, sizeof zeros, (off_t)(at + done)) != (ssize_t)sizeof zeros)
      return false;
  return true;
}

static hed__raw_chunk *new_chunk(void)
{
  const uint64_t at = atomic_fetch_add(&hed__profile.end, HED__RAW_CHUNK);
  if (!reserve(hed__profile.fd, at, HED__RAW_CHUNK))
    return NULL;
  void *p = mmap(NULL, HED__RAW_CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, hed__profile.fd, (off_t)at);
  return p == MAP_FAILED ? NULL : p;
}

static void add(atomic_uint_fast64_t *to, uint64_t n)
{
  atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + n, memory_order_relaxed);
}

static bool write_chunk(const hed__raw_chunk *c, uint64_t at)
{
  size_t done = 0;
  for (ssize_t n; done < HED__RAW_CHUNK; done += (size_t)n)
    if ((n = pwrite(hed__profile.fd, (const char *)c + done, HED__RAW_CHUNK - done, (off_t)(at + done))) <= 0)
      return false;
  return true;
}

/* The full live chunk goes elsewhere into the file, or nowhere. False: no more is kept. Who reads after a crash in the midst of
 * it finds the chunk twice. */
static bool write_away(hed__profile_buffer *b)
{
  const hed__raw_chunk *c = b->live;
  if (b->n < b->most) {
    const uint64_t at = atomic_fetch_add(&hed__profile.end, HED__RAW_CHUNK);
    if (write_chunk(c, at)) {
      b->away[b->n].at = at;
      b->away[b->n++].records = c->records;
      b->written++;
      return true;
    }
    b->most = b->n; /* there is no room for more: what there is serves */
  }
  if (hed__profile.keep != HED_PROFILE_NEWEST)
    return false;
  const uint64_t k = b->n ? b->written++ % b->n : 0, gone = b->n ? b->away[k].records : c->records;
  add(&b->dropped, gone);
  add(&b->records, -gone);
  if (!b->n)
    return true;
  b->away[k].records = c->records;
  return write_chunk(c, b->away[k].at);
}

hed__raw_chunk *hed__profile_chunk(hed__profile_buffer *b)
{
  HED__UNCANCELLED;
  const int error = errno;
  const bool good = b->live ? write_away(b) : (b->live = new_chunk()) != NULL;
  hed__raw_chunk *c = b->chunk = good ? b->live : NULL;
  errno = error;
  if (!c) {
    b->number = b->number ? b->number : 1; /* it is not tried again */
    return NULL;
  }
  atomic_store_explicit(&c->used, sizeof *c, memory_order_release);
  c->magic = HED__RAW_CHUNK_MAGIC;
  c->thread = b->thread;
  c->number = b->number++;
  c->records = 0;
  c->dropped = atomic_load_explicit(&b->dropped, memory_order_relaxed);
  c->serial = b->serial;
  c->parent = b->parent;
  c->tid = b->tid;
  (void)pthread_getname_np(pthread_self(), c->name, sizeof c->name);
  return c;
}

/* Who ends the profile sees that B is busy, or B that it is over. */
static inline bool enter(hed__profile_buffer *b)
{
  if (__builtin_expect(atomic_load_explicit(&hed__profile.barrier, memory_order_relaxed), 1)) {
    atomic_store_explicit(&b->busy, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
  } else {
    atomic_store(&b->busy, 1);
  }
  if (__builtin_expect(atomic_load(&hed__profile_session) == b->session, 1))
    return true;
  atomic_store_explicit(&b->busy, 0, memory_order_release);
  return false;
}

hed__raw *hed__profile_take(hed__tls *t, size_t size)
{
  hed__profile_buffer *b = t->profile;
  if (__builtin_expect(!b, 0)) /* the profile ended within the operation, and something in it saw that */
    return NULL;
  if (atomic_load_explicit(&b->busy, memory_order_relaxed)) /* a signal came while a record was being written */
    return NULL;
  if (!enter(b))
    return NULL;
  hed__raw_chunk *c = b->chunk;
  if (__builtin_expect(!c || atomic_load_explicit(&c->used, memory_order_relaxed) + size > HED__RAW_CHUNK, 0) &&
      !(c = b->number && !c ? NULL : hed__profile_chunk(b))) {
    add(&b->dropped, 1);
    if (b->live)
      b->live->dropped = atomic_load_explicit(&b->dropped, memory_order_relaxed);
    atomic_store_explicit(&b->busy, 0, memory_order_release);
    return NULL;
  }
  hed__raw *r = (hed__raw *)(void *)((char *)c + atomic_load_explicit(&c->used, memory_order_relaxed));
  r->size = (uint16_t)(size / 8);
  return r;
}

void hed__profile_give(hed__tls *t, const hed__raw *r)
{
  hed__profile_buffer *b = t->profile;
  hed__raw_chunk *c = b->chunk;
  c->records++;
  add(&b->records, 1);
  atomic_store_explicit(&c->used, atomic_load_explicit(&c->used, memory_order_relaxed) + r->size * (size_t)8, memory_order_release);
  atomic_store_explicit(&b->busy, 0, memory_order_release);
}

void hed__profile_buffer_release(hed__profile_buffer *b)
{
  if (!b || atomic_fetch_sub(&b->refs, 1) != 1)
    return;
  if (b->live)
    (void)munmap(b->live, HED__RAW_CHUNK);
  hed__free(b);
}
