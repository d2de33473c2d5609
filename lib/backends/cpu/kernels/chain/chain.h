// SPDX-License-Identifier: BSD-3-Clause
/*
 * Operations one after the other on the same elements, without going to memory in between, compiled once per instruction set
 * like kernels.h. L1.
 *
 * A tile is eight vectors, which stay in registers while one step after the other works on them: each step ends with a jump
 * to the next. Another operand of a step comes from memory. The bits are those of the loops in map/map.h and map/exact.h.
 */
#ifndef HED_BACKENDS_CPU_CHAIN_H
#define HED_BACKENDS_CPU_CHAIN_H

#include "base/map.h"
#include <stdbool.h>
#include <stdint.h>

enum { CPU_CHAIN_TILE = 512 /* bytes of the largest */, CPU_CHAIN_MEMORY = 2, CPU_CHAIN_SUMS = 8 };

/* What a step's function is called with is known to its own file alone. */
typedef void (*cpu_chain_fn)(void);

/* What a chain keeps of a reduction; all 0 is that of no elements.
 * Sums of elements, some in each slot; for variances those of distances from ABOUT, which of no elements yet is the first, and
 * of their squares (see reduce/moments.h).
 * For indices of extremes a vector of elements, and which tile had each first; NOT_NUMBER is the first with a NaN, counted from
 * 1. FIRST is the number of the tile that comes next. */
typedef struct cpu_chain_kept {
  union {
    _Alignas(64) double sum[CPU_CHAIN_SUMS];
    char best[64];
  };
  union {
    double square[CPU_CHAIN_SUMS];
    char tile[64];
  };
  double about, count;
  int64_t first, not_number;
} cpu_chain_kept;

/* Indices of extremes: the step that keeps them, with memory[0] a cpu_chain_kept whose COUNT becomes 1; the same for N elements
 * at X, which are tile NUMBER; and the tile that has the first extreme. NULL: not here. */
typedef struct cpu_chain_argextreme {
  cpu_chain_fn step;
  void (*some)(cpu_chain_kept *kept, int64_t n, const void *x, int64_t number);
  int64_t (*tile)(const cpu_chain_kept *kept);
} cpu_chain_argextreme;

typedef struct cpu_chain_step {
  cpu_chain_fn fn;
  char *memory[CPU_CHAIN_MEMORY];    /* operands other than the value; where it goes */
  double number[2];
  hed__map_fn loop;                  /* for what the step itself does not do */
  const void *params;
} cpu_chain_step;

/* Which operand the value is that is in registers: one of them, or both. */
typedef enum cpu_chain_form { CPU_CHAIN_FIRST, CPU_CHAIN_SECOND, CPU_CHAIN_THIRD, CPU_CHAIN_BOTH, CPU_CHAIN_FORMS } cpu_chain_form;

typedef struct cpu_chain_loops {
  /* Step of an operation (hed_op), NULL: none. REPEATED: bit k says that memory[k] has one element for all. One of a comparison
   * keeps the value, and writes what it finds to memory[1]; one of an operation of one operand may want its LOOP, and a tile at
   * memory[0]. */
  cpu_chain_fn (*step)(int op, cpu_chain_form form, unsigned repeated);
  /* The value from memory[0], which has one element for all (1) or not; to it; the same by non-temporal stores where that is at a
   * multiple of 64. */
  cpu_chain_fn load[2], store, stream;
  /* Asks for what memory[0] and memory[1] will have some tiles later. */
  cpu_chain_fn ahead;
  /* q (x - q m) of the value x, where q is x clipped and m the one element at memory[0]. */
  cpu_chain_fn huber;
  /* Add elements to the cpu_chain_kept at memory[0]: SUM, or MOMENTS for variances, which leaves COUNT to the caller; NULL: not
   * here. */
  cpu_chain_fn sum, moments;
  cpu_chain_argextreme argextreme[2]; /* of the largest, the smallest */
  cpu_chain_fn end;                  /* the last */
  /* N tiles from tile FIRST on. */
  void (*run)(const cpu_chain_step *step, int64_t first, int64_t n);
  int32_t tile;                      /* bytes */
} cpu_chain_loops;

/* By precision: float32, float64. */
extern const cpu_chain_loops cpu_chain_base[2], cpu_chain_avx2[2], cpu_chain_avx512[2];

/* The set in use; chosen in the entry function. */
extern const cpu_chain_loops *cpu_chains;


#endif
