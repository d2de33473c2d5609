// SPDX-License-Identifier: BSD-3-Clause
/*
 * Rooms (cpu.h). L1.
 *
 * A thread finds the one that it had last, as a rule, whose memory is warm. As many stay as were taken at once; one that another
 * thread had at a fork is lost to the child. The first is there before any memory is asked for, and whoever has it waits for
 * nobody: where memory is out, all go through that one.
 */
#include "backends/cpu/cpu.h"
#include "base/invariant.h"
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

enum { ROOMS = 256, BYTES = CPU_ROOM + 64 /* whose it is */ };

typedef struct room {
  _Alignas(64) atomic_bool taken;
  char *memory; /* NULL: none yet */
} room;

static _Alignas(64) char reserve[BYTES];
static room rooms[ROOMS] = { [0] = { .memory = reserve } };

static bool furnish(room *r)
{
  void *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    return false;
  r->memory = p;
  return true;
}

static void *room_of(unsigned first, unsigned least)
{
  for (unsigned tried = 1, refused = 0;; tried++) {
    room *r = &rooms[(first + tried) % ROOMS];
    if (r >= rooms + least && !atomic_load_explicit(&r->taken, memory_order_relaxed) &&
        !atomic_exchange_explicit(&r->taken, true, memory_order_acquire)) {
      if (CPU_LIKELY(r->memory != NULL) || furnish(r)) {
        memcpy(r->memory + CPU_ROOM, &r, sizeof r);
        return r->memory;
      }
      atomic_store_explicit(&r->taken, false, memory_order_release);
      refused++;
    }
    if (tried % ROOMS != 0)
      continue;
    if (least && refused)
      return NULL;
    sched_yield();
  }
}

static unsigned number(void)
{
  const uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
  return (unsigned)(stack >> 16 ^ stack >> 23);
}

void *cpu_room_take(void) { return room_of(number(), 0); }

void *cpu_room_keep(void) { return room_of(number(), 1); }

void cpu_room_leave(void *memory)
{
  room *r;
  if (!memory)
    return;
  memcpy(&r, (char *)memory + CPU_ROOM, sizeof r);
  HED__ASSERT(r >= rooms && r < rooms + ROOMS && r->memory == memory && atomic_load(&r->taken));
  atomic_store_explicit(&r->taken, false, memory_order_release);
}

void cpu_room_end(const void *at)
{
  void *memory;
  memcpy(&memory, at, sizeof memory);
  cpu_room_leave(memory);
}
