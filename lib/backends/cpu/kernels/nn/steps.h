// SPDX-License-Identifier: BSD-3-Clause
/*
 * Steps of recurrent cells, compiled once per instruction set like kernels.h: rows of one type, each in one piece. L1.
 *
 * Elementwise results have the bits of the operations one by one, at any place and in any number of rows.
 */
#ifndef HED_BACKENDS_CPU_STEPS_H
#define HED_BACKENDS_CPU_STEPS_H

#include <stdint.h>

/* N units of a row. Gates and planes of results follow each other N and PLANE elements apart. */
typedef struct cpu_step_row {
  int64_t n, plane;
  const void *in[4];   /* the operands' */
  void *out;
} cpu_step_row;

/* Synapses from N neurons to TARGETS: sigma, mu, w, w erev, (targets, n) each; V has ROWS rows, V_STEP elements apart. */
typedef struct cpu_synapses {
  int64_t rows, n, targets, v_step;
  const void *v, *synapse[4];
  const void *d;       /* backwards: (2, rows, targets) */
  void *out;           /* (2, rows, targets); backwards (4 targets + rows, n), of 0 where V's gradient is */
} cpu_synapses;

typedef struct cpu_step_loops {
  void (*lstm)(const cpu_step_row *r);
  void (*lstm_back)(const cpu_step_row *r);
  void (*gru)(const cpu_step_row *r);
  void (*gru_back)(const cpu_step_row *r);
  void (*synapses)(const cpu_synapses *s, int64_t begin, int64_t end);      /* of rows */
  void (*synapses_back)(const cpu_synapses *s, int64_t begin, int64_t end); /* of neurons */
} cpu_step_loops;

/* Of float32, float64. */
extern const cpu_step_loops cpu_steps_base[2], cpu_steps_avx2[2], cpu_steps_avx512[2];

/* The set in use; chosen in the entry function. */
extern const cpu_step_loops *cpu_steps;

#endif
