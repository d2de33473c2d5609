// SPDX-License-Identifier: BSD-3-Clause
/*
 * Operations one after the other on the same elements, without going to memory in between, compiled once per instruction set
 * like kernels.h. L1.
 *
 * A tile is eight vectors, which stay in registers while one step after the other works on them: each step ends with a jump
 * to the next. Another operand of a step comes from memory. The bits are those of the loops in k_map.h and k_simple.h.
 */
#ifndef HED_BACKENDS_CPU_CHAIN_H
#define HED_BACKENDS_CPU_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

enum { CPU_CHAIN_TILE = 512 /* bytes of the largest */, CPU_CHAIN_MEMORY = 2, CPU_CHAIN_SUMS = 8 };

/* What a step's function is called with is known to its own file alone. */
typedef void (*cpu_chain_fn)(void);

/* What a chain keeps of a reduction: sums of elements, some in each place. For variances those of distances from ABOUT, which
 * of no elements yet is the first, and of their squares (see reduce/spread.h). */
typedef struct cpu_chain_sums {
  _Alignas(64) double sum[CPU_CHAIN_SUMS];
  double square[CPU_CHAIN_SUMS];
  double about, count;
} cpu_chain_sums;

typedef struct cpu_chain_step {
  cpu_chain_fn fn;
  char *memory[CPU_CHAIN_MEMORY];    /* operands other than the value; where it goes */
  double number[2];
} cpu_chain_step;

/* Which operand the value is that is in registers: one of them, or both. */
typedef enum cpu_chain_form { CPU_CHAIN_FIRST, CPU_CHAIN_SECOND, CPU_CHAIN_THIRD, CPU_CHAIN_BOTH, CPU_CHAIN_FORMS } cpu_chain_form;

typedef struct cpu_chain_loops {
  /* Step of an operation (hed_op), NULL: none. REPEATED: bit k says that memory[k] has one element for all. */
  cpu_chain_fn (*step)(int op, cpu_chain_form form, unsigned repeated);
  /* The value from memory[0], which has one element for all (1) or not; to it; the same past the caches where that is at a
   * multiple of 64. */
  cpu_chain_fn load[2], store, stream;
  /* Asks for what memory[0] and memory[1] will have some tiles later. */
  cpu_chain_fn ahead;
  /* Add elements to the cpu_chain_sums at memory[0]: SUM, or SPREAD for variances, which leaves COUNT to the caller; NULL: not
   * here. */
  cpu_chain_fn sum, spread;
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
