// SPDX-License-Identifier: BSD-3-Clause
/* Slices of a few elements, one right after the other, as rows side by side: what reduces columns reduces them. L1. */
#ifndef HED_BACKENDS_CPU_DEINTERLEAVE_H
#define HED_BACKENDS_CPU_DEINTERLEAVE_H

#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/move/copy.h"
#include "base/cast.h"

/* Bytes from one such row to the next: rows a power of two apart would have few sets in the L1 cache. */
static inline int64_t cpu_deinterleave_step(int64_t row_bytes) { return CPU_LINES(row_bytes) + 64; }

/* N slices of K elements to K rows of N elements, of SIZE bytes there. CAST, NULL: none, converts elements of FROM_SIZE bytes. */
static inline void cpu_deinterleave(int64_t n, int32_t k, char *to, int64_t to_step, int64_t size, const char *from, int64_t from_size,
                            hed__cast_fn cast)
{
  enum { BYTES = 8192 };
  void (*const deinterleave)(int64_t, int32_t, char *, int64_t, const char *) =
    cpu_copy_k->deinterleave[__builtin_ctzll((uint64_t)size)];
  if (!cast) {
    deinterleave(n, k, to, to_step, from);
    return;
  }
  _Alignas(64) char block[BYTES];
  for (int64_t i = 0, some; i < n; i += some) {
    some = CPU_MIN(n - i, BYTES / (k * size));
    cast(some * k, block, size, from + i * k * from_size, from_size);
    deinterleave(some, k, to + i * size, to_step, block);
  }
}

#endif
