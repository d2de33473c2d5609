// SPDX-License-Identifier: BSD-3-Clause
/*
 * Inner products of vectors, and those of three elements that are vectors, compiled once per instruction set like kernels.h. L1.
 *
 * Sums of floats are in lanes of the element's type, by blocks, so that errors grow with the root of what a
 * plain sum would have. Integers wrap: signed ones are taken as unsigned ones.
 */
#ifndef HED_BACKENDS_CPU_DOT_H
#define HED_BACKENDS_CPU_DOT_H

#include <stdbool.h>
#include <stdint.h>

/* COUNT products of N elements each. Steps in bytes: from one product to the next. */
typedef struct cpu_dot {
  int64_t count, n;
  const char *a, *b;
  char *c;
  int64_t a_step, b_step, c_step;
  bool conjugate; /* the elements of a, where they are complex */
} cpu_dot;

typedef struct cpu_dot_loops {
  /* The elements of a product lie side by side. */
  void (*rows)(const cpu_dot *d);
  /* The products do: N rows of COUNT elements, A_STEP and B_STEP bytes apart, are added to SUMs of the element's type, of complex
   * numbers to those of products of like parts, and COUNT elements on to those of unlike ones. */
  void (*columns)(const cpu_dot *d, void *sum);
  /* What these sums are in the end. */
  void (*ends)(const cpu_dot *d, const void *sum);
  /* Real floats: N vector products of three elements, all beside each other. */
  void (*cross)(int64_t n, const void *a, const void *b, void *c);
} cpu_dot_loops;

enum {
  CPU_DOT_F32, CPU_DOT_F64, CPU_DOT_C64, CPU_DOT_C128, CPU_DOT_U8, CPU_DOT_U16, CPU_DOT_U32, CPU_DOT_U64, CPU_DOT_TYPES
};
extern const cpu_dot_loops cpu_dot_base[CPU_DOT_TYPES], cpu_dot_avx2[CPU_DOT_TYPES], cpu_dot_avx512[CPU_DOT_TYPES];

/* The set in use; chosen in the entry function. */
extern const cpu_dot_loops *cpu_dots;

#endif
