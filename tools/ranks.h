// SPDX-License-Identifier: BSD-3-Clause
/* What the tool asks of processes that work together; ranks_mpi.c, a module, does it by MPI.
 *
 * Layer: L5. Rank 0 is the one that speaks. All functions may be called by any thread, by all ranks those that are collective.
 */
#ifndef HEDDLE_TOOLS_RANKS_H
#define HEDDLE_TOOLS_RANKS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANKS_COUNTERS = 1 << 16 };

typedef struct ranks_module {
  const char *name;
  /* Joins the others; false: WHY says why not. */
  bool (*open)(int *rank, int *size, char *why, size_t room);
  /* 0, 1, 2, ... of a counter below RANKS_COUNTERS, each to one caller alone of all ranks. */
  bool (*next)(size_t counter, uint64_t *out);
  void (*progress)(void);  /* lets what others ask of this rank through */
  int (*largest)(int mine); /* collective: the largest of all */
  /* Collective: BYTES of every rank into ALL, on rank 0, in their order. */
  bool (*gather)(const void *mine, void *all, size_t bytes);
  void (*close)(void);     /* collective */
} ranks_module;

/* The module's one symbol. */
#define RANKS_ENTRY heddle_ranks_v1

/* The module, opened; NULL, after a sentence on stderr, where there is none. */
const ranks_module *ranks_open(int *rank, int *size);

#endif
