// SPDX-License-Identifier: BSD-3-Clause
/* Accounts: the memory that arrays made under one memory= option share. L2. They nest: what counts towards the inner one
 * counts towards those round it.
 *
 * USED is in arrays alive, KEPT in blocks that were released but are in flight or kept in a pool. Both count towards the
 * limit, so what is admitted never exceeds it. A block changes from used to kept by adding first.
 */
#include "base/alloc.h"
#include "base/invariant.h"
#include "core/context/context.h"

hed__account *hed__account_retain(hed__account *a)
{
  HED__ASSERT(!a || atomic_load(&a->refs) > 0);
  if (a)
    atomic_fetch_add(&a->refs, 1);
  return a;
}

void hed__account_release(hed__account *a)
{
  while (a && atomic_fetch_sub(&a->refs, 1) == 1) {
    hed__account *outer = a->outer;
    hed__free(a);
    a = outer;
  }
}

bool hed__account_charge(hed__account *a, size_t bytes, hed__account **refused)
{
  for (hed__account *q = a; q; q = q->outer) {
    size_t used = atomic_fetch_add(&q->used, bytes), kept = atomic_load(&q->kept);
    if (used > q->limit || kept > q->limit - used || bytes > q->limit - used - kept) {
      for (hed__account *undo = a;; undo = undo->outer) {
        atomic_fetch_sub(&undo->used, bytes);
        if (undo == q)
          break;
      }
      *refused = q;
      return false;
    }
  }
  return true;
}

void hed__account_refund(hed__account *a, size_t bytes)
{
  for (; a; a = a->outer) {
    HED__ASSERT(atomic_load(&a->used) >= bytes);
    atomic_fetch_sub(&a->used, bytes);
  }
}

void hed__account_keep(hed__account *a, size_t bytes)
{
  for (; a; a = a->outer) {
    HED__ASSERT(atomic_load(&a->used) >= bytes);
    atomic_fetch_add(&a->kept, bytes);
    atomic_fetch_sub(&a->used, bytes);
  }
}

void hed__account_unkeep(hed__account *a, size_t bytes)
{
  for (; a; a = a->outer) {
    HED__ASSERT(atomic_load(&a->kept) >= bytes);
    atomic_fetch_sub(&a->kept, bytes);
  }
}

bool hed__account_within(const hed__account *a, const hed__account *outer)
{
  while (a && a != outer)
    a = a->outer;
  return a != NULL;
}

size_t hed__account_room(const hed__account *a)
{
  size_t room = SIZE_MAX;
  for (; a; a = a->outer) {
    size_t used = atomic_load(&a->used), left = used < a->limit ? a->limit - used : 0;
    room = left < room ? left : room;
  }
  return room;
}
