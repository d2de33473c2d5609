// SPDX-License-Identifier: BSD-3-Clause
/* The bare loops of the floors, for the best vector instructions of this processor.
 *
 * Layer: L5. Bytes are a multiple of BENCH_BLOCK; pointers are aligned to it. With STREAM the stores go past the caches.
 */
#ifndef HEDDLE_TOOLS_BENCH_LOOPS_H
#define HEDDLE_TOOLS_BENCH_LOOPS_H
#include <stdbool.h>
#include <stddef.h>

enum { BENCH_BLOCK = 256 };

enum { BENCH_STREAMS = 4 };

/* AT: what is written comes first. */
typedef void (*bench_loop)(void *const *at, size_t bytes, bool stream);

typedef struct bench_loops {
  const char *name; /* "AVX-512" */
  bench_loop read;  /* of at[1]; at[0] takes one vector */
  bench_loop write;
  void (*fill)(void *const *at, size_t bytes, bool zeros); /* by the string instruction; NULL: none */
  bench_loop twice; /* at[0] = at[1] = at[2] */
  bench_loop copy;
  bench_loop triad; /* at[0] = at[1] + 3 at[2], float32 */
  bench_loop quad;  /* at[0] = at[1] at[2] + at[3], float32 */
  /* N rounds of 12 independent multiply-adds; the flops done. */
  double (*peak32)(long n), (*peak64)(long n);
} bench_loops;

const bench_loops *bench_loops_best(void);

#endif
