// SPDX-License-Identifier: BSD-3-Clause
/* fft_choice.h: a table that forgets a transform when another one wants its place. L1. */
#include "backends/cpu/fft/fft_choice.h"
#include <math.h>
#include <stdatomic.h>

/* Calls from one trial of another number to the next: fewer threads cost up to half of what these save, more a few per cent.
 * A trial is some calls, of which the first ones do not count: half of what they work on is in another processor's cache. */
enum { SLOTS = 64, TRY_FEWER = 256, TRY_MORE = 64, TRIAL = 4, UNTOLD = 2, WARM = 4, STEPS = 8 };

/* Threads that call at the same time may spoil a sample for each other, not more. */
typedef struct slot {
  _Atomic(uint64_t) key;
  _Atomic(uint32_t) calls;
  _Atomic(float) ns[STEPS];
} slot;

static slot slots[SLOTS];

/* The last one is the caller alone. */
static int32_t threads_of(int step, int steps, int32_t most) { return step < steps - 1 ? most >> step : 1; }

static int steps_of(int32_t most)
{
  int n = 1;
  while (n < STEPS && most >> n > 0)
    n++;
  return n;
}

static int best_of(const slot *s, int steps)
{
  int best = 0;
  float least = INFINITY;
  for (int i = 0; i < steps; i++) {
    const float ns = atomic_load_explicit(&s->ns[i], memory_order_relaxed);
    if (ns < least) {
      least = ns;
      best = i;
    }
  }
  return best;
}

/* The step of CALL, the first of them 0: all of them in turn at first, then the best or, in a trial, one beside it. */
static int step_of(const slot *s, uint32_t call, int steps)
{
  if (call < WARM) /* plans are made, memory is fetched */
    return 0;
  if (call - WARM < (uint32_t)(steps * TRIAL))
    return (int)(call - WARM) / TRIAL;
  const int best = best_of(s, steps);
  if (call % TRY_FEWER < TRIAL && best < steps - 1)
    return best + 1;
  return call % TRY_MORE < TRIAL && best > 0 ? best - 1 : best;
}

cpu_fft_choice cpu_fft_choose(uint64_t key, int32_t most)
{
  const int steps = steps_of(most);
  cpu_fft_choice c = { .slot = (int)((key ^ key >> 29) % SLOTS) };
  slot *s = &slots[c.slot];
  if (atomic_load_explicit(&s->key, memory_order_relaxed) != key) {
    for (int i = 0; i < STEPS; i++)
      atomic_store_explicit(&s->ns[i], INFINITY, memory_order_relaxed);
    atomic_store_explicit(&s->calls, 0, memory_order_relaxed);
    atomic_store_explicit(&s->key, key, memory_order_relaxed);
  }
  const uint32_t call = atomic_fetch_add_explicit(&s->calls, 1, memory_order_relaxed);
  c.step = step_of(s, call, steps);
  c.threads = threads_of(c.step, steps, most);
  c.counts = call >= WARM && call % TRIAL >= UNTOLD;
  return c;
}

void cpu_fft_tell(cpu_fft_choice c, int64_t ns)
{
  if (!c.counts)
    return;
  _Atomic(float) *at = &slots[c.slot].ns[c.step];
  const float old = atomic_load_explicit(at, memory_order_relaxed), now = fminf((float)ns, 2 * old);
  /* What others do to this machine only adds: longer times count little, one that was interrupted no more than others. */
  atomic_store_explicit(at, now < old ? now : old + (now - old) / 8, memory_order_relaxed);
}
