// SPDX-License-Identifier: BSD-3-Clause
/* Pieces of a long slice. L1. */
#ifndef HED_BACKENDS_CPU_AXES_H
#define HED_BACKENDS_CPU_AXES_H

#include "base/invariant.h"
#include <stdint.h>

enum { CPU_PIECE = 32768 /* elements of the shortest piece */ };

/* N rounded up, so that pieces which begin at a multiple of it begin a line of the caches where the first does. */
static inline int64_t cpu_even(int64_t n)
{
  enum { EVEN = 1024 };
  return (n + EVEN - 1) / EVEN * EVEN;
}

/* Elements of a piece where COUNT are cut into at most MOST, whatever the number of threads: loops that read a piece from two
 * streams at a time get up to speed anew in each, so pieces are long where there are many. */
static inline int64_t cpu_piece(int64_t count, int64_t most)
{
  enum { MANY_PIECES = 40, LONGEST_ELEMENTS = 8 * CPU_PIECE };
  HED__ASSERT(count >= 0 && most >= 1);
  const int64_t n = cpu_even(count / MANY_PIECES), least = cpu_even((count + most - 1) / most);
  const int64_t piece = n < CPU_PIECE ? CPU_PIECE : n > LONGEST_ELEMENTS ? LONGEST_ELEMENTS : n;
  HED__ASSERT(count <= most * (piece < least ? least : piece));
  return piece < least ? least : piece;
}

#endif
