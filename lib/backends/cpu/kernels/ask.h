// SPDX-License-Identifier: BSD-3-Clause
/*
 * How far ahead of themselves loops ask for what comes from main memory: processors differ in what they guess themselves and in what
 * a request costs (bench/findings/memory). L1.
 */
#ifndef HED_BACKENDS_CPU_ASK_H
#define HED_BACKENDS_CPU_ASK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cpu_asks {
  int64_t lanes_from;  /* reductions ask from lanes of so many bytes on */
  int64_t lanes_ahead; /* bytes ahead in them */
  int64_t columns;     /* bytes ahead in each of several rows that are added up in turn; 0: not asked for */
  int64_t chains;      /* bytes ahead, of the operands of a fused chain */
  int64_t farthest;    /* no operand of a large result is asked for farther ahead than so many bytes */
  bool blocks;         /* what lies across a large result is read by blocks that the second cache is asked for, not line by line */
} cpu_asks;

/* Chosen in the entry function, before anything asks for a loop. */
extern cpu_asks cpu_ask;

#endif
