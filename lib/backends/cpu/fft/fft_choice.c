// SPDX-License-Identifier: BSD-3-Clause
/* fft_choice.h: a table that forgets a transform when another one wants its place. L1. */
#include "backends/cpu/fft/fft_choice.h"
#include <math.h>
#include <stdatomic.h>

/* Calls from one trial of the other way to the next: alone costs up to half of what threads save, shared a few per cent. A
 * trial is some calls, of which the first ones do not count: half of what they work on is in the other processor's cache. */
enum { SLOTS = 64, TRY_ALONE = 256, TRY_SHARED = 64, TRIAL = 4, UNTOLD = 2, WARM = 4 };

/* Threads that call at the same time may spoil a sample for each other, not more. */
typedef struct slot {
  _Atomic(uint64_t) key;
  _Atomic(uint32_t) calls;
  _Atomic(float) ns[2]; /* alone, shared */
} slot;

static slot slots[SLOTS];

cpu_fft_choice cpu_fft_choose(uint64_t key)
{
  cpu_fft_choice c = { (int)((key ^ key >> 29) % SLOTS), true, true };
  slot *s = &slots[c.slot];
  if (atomic_load_explicit(&s->key, memory_order_relaxed) != key) {
    atomic_store_explicit(&s->ns[0], INFINITY, memory_order_relaxed);
    atomic_store_explicit(&s->ns[1], INFINITY, memory_order_relaxed);
    atomic_store_explicit(&s->calls, 0, memory_order_relaxed);
    atomic_store_explicit(&s->key, key, memory_order_relaxed);
  }
  const uint32_t call = atomic_fetch_add_explicit(&s->calls, 1, memory_order_relaxed);
  const float alone = atomic_load_explicit(&s->ns[0], memory_order_relaxed);
  const float shared = atomic_load_explicit(&s->ns[1], memory_order_relaxed);
  if (call < WARM) /* plans are made, memory is fetched */
    return c;
  if (call < WARM + TRIAL) {
    c.shared = false;
    c.counts = call >= WARM + UNTOLD;
    return c;
  }
  c.shared = !(alone < shared);
  const uint32_t since = call % (c.shared ? TRY_ALONE : TRY_SHARED);
  if (since < TRIAL)
    c.shared = !c.shared;
  c.counts = since >= UNTOLD;
  return c;
}

void cpu_fft_tell(cpu_fft_choice c, int64_t ns)
{
  if (!c.counts)
    return;
  _Atomic(float) *at = &slots[c.slot].ns[c.shared];
  const float old = atomic_load_explicit(at, memory_order_relaxed), now = fminf((float)ns, 2 * old);
  /* What others do to this machine only adds: longer times count little, one that was interrupted no more than others. */
  atomic_store_explicit(at, now < old ? now : old + (now - old) / 8, memory_order_relaxed);
}
