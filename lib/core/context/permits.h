// SPDX-License-Identifier: BSD-3-Clause
/* Thread permits from inside. L2. The public half is in <heddle/thread.h>. */
#ifndef HED_CORE_PERMITS_H
#define HED_CORE_PERMITS_H

#include "core/context/context.h"
#include <heddle/thread.h>
#include <stdatomic.h>

/* hed_thread_capacity() as of the last call that looked, without a system call. */
extern atomic_int hed__capacity_seen; /* 0: nobody looked yet */
static inline int hed__capacity_last(void)
{
  int n = atomic_load_explicit(&hed__capacity_seen, memory_order_relaxed);
  return __builtin_expect(n > 0, 1) ? n : hed_thread_capacity();
}

/* In the child of a fork the holders are gone. */
void hed__permits_fork_child(void);

/* The most threads that one call may use in context C. */
static inline int32_t hed__thread_ceiling(const hed_context *c)
{
  int32_t n = __builtin_expect(hed__fork_depth(), 0) ? 1 : c->threads;
  return n > 0 ? n : hed__capacity_last();
}

#endif
