// SPDX-License-Identifier: BSD-3-Clause
/*
 * bench_loops.h: the bare loops of the floors, for the best vector instructions of this processor.
 *
 * Layer: L5. Bytes are a multiple of BENCH_BLOCK; pointers are aligned to it. With STREAM the stores go past the caches.
 */
#ifndef HEDDLE_TOOLS_BENCH_LOOPS_H
#define HEDDLE_TOOLS_BENCH_LOOPS_H
#include <stdbool.h>
#include <stddef.h>

enum { BENCH_BLOCK = 256 };

typedef struct bench_loops {
  const char *name; /* "AVX-512" */
  void (*read)(void *c, const void *a, const void *b, size_t bytes, bool stream); /* of a; c takes one vector */
  void (*write)(void *c, const void *a, const void *b, size_t bytes, bool stream);
  /* By the string instruction; NULL: none. */
  void (*fill)(void *c, const void *a, const void *b, size_t bytes, bool zeros);
  void (*copy)(void *c, const void *a, const void *b, size_t bytes, bool stream);
  void (*triad)(void *c, const void *a, const void *b, size_t bytes, bool stream); /* c = a + 3 b, float32 */
  /* N rounds of 12 independent multiply-adds; the flops done. */
  double (*peak32)(long n), (*peak64)(long n);
} bench_loops;

const bench_loops *bench_loops_best(void);

#endif
