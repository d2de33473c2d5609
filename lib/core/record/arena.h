// SPDX-License-Identifier: BSD-3-Clause
/* Memory of a tape or a capture: many small pieces that end together. L2. */
#ifndef HED_CORE_ARENA_H
#define HED_CORE_ARENA_H

#include <stddef.h>

/* All 0 at first. */
typedef struct hed__arena {
  struct hed__chunk *chunks, *spare;
} hed__arena;

/* BYTES, aligned for any type, until the arena is emptied; NULL: there is no memory. */
void *hed__arena_take(hed__arena *a, size_t bytes);
/* Nothing is in use any more. Two chunks stay for what comes. */
void hed__arena_empty(hed__arena *a);
void hed__arena_free(hed__arena *a);

#endif
