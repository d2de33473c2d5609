// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sorting of unsigned keys: radix sort of words and of (key, place) pairs, and the candidates of a
 * partial selection. L1; no allocation.
 */
#ifndef HED_BACKENDS_CPU_SORT_H
#define HED_BACKENDS_CPU_SORT_H

#include <stdint.h>

typedef struct cpu_pair {
  uint64_t key;
  int64_t place;
} cpu_pair;

/* Ascending and stable. SPARE is as long as the list; the result is in whichever is returned. */
uint32_t *cpu_sort_u32(int64_t n, uint32_t *list, uint32_t *spare);
/* By bits FROM to 63; words with equal upper bits keep their order. */
uint64_t *cpu_sort_u64(int64_t n, uint64_t *list, uint64_t *spare, int from);
cpu_pair *cpu_sort_pairs(int64_t n, cpu_pair *list, cpu_pair *spare);
/* By place. */
cpu_pair *cpu_sort_places(int64_t n, cpu_pair *list, cpu_pair *spare);

/* The K least pairs of all that are offered, among at most CAP; in no order. Pairs must be offered by
 * ascending place. */
typedef struct cpu_candidates {
  cpu_pair *list;
  int64_t n, k, cap; /* cap > 2 k */
  uint64_t limit;    /* keys at or above it cannot be among the K least */
} cpu_candidates;
/* Keys of places FIRST, FIRST + 1, ... */
void cpu_offer(cpu_candidates *c, int64_t n, const uint64_t *key, int64_t first);
void cpu_offer32(cpu_candidates *c, int64_t n, const uint32_t *key, int64_t first);

#endif
