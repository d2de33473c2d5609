// SPDX-License-Identifier: BSD-3-Clause
/*
 * Transforms of lines, numbers that follow each other in memory, compiled once per instruction set like kernels.h. L1.
 *
 * A line of N = P L complex numbers, L the lanes of a vector: steps over vectors of neighbours until blocks of L numbers are
 * left, then L blocks at a time are transposed in registers for the last step, so that no vector is ever partly used. Real
 * lines are complex ones of half the length. P has no prime factors above 5 and is L at least.
 *
 * Short lines, and those whose length is no multiple of L, one in each lane of a vector where there are many: lines_simd.c.
 */
#ifndef HED_BACKENDS_CPU_FFT_LINES_H
#define HED_BACKENDS_CPU_FFT_LINES_H

#include "backends/cpu/kernels/fft/columns.h"
#include <stdbool.h>
#include <stdint.h>

/* Complex numbers in the longest line, and in the shortest and longest one of many. */
enum { CPU_LINES_STEPS = 16, CPU_LINES_LONGEST = 1 << 17, CPU_BUNDLES_SHORTEST = 8, CPU_BUNDLES_LONGEST = 512 };

typedef enum cpu_lines_kind { CPU_LINES_C2C, CPU_LINES_R2C, CPU_LINES_C2R } cpu_lines_kind;

/* What a length needs; immutable. */
typedef struct cpu_lines {
  int64_t n; /* complex numbers: of real lines half their length */
  cpu_lines_kind kind;
  int32_t lanes, steps, radix[CPU_LINES_STEPS]; /* of the steps but the last one, whose radix is lanes */
  /* Many lines: the steps are those of columns, and of the rest there are only powers of the root of real lines. */
  const cpu_columns *many;
  const void *turns;    /* of each of these steps: powers of the root of unity, in vectors of real and of imaginary parts */
  const void *half_roots; /* of real lines: powers of the root of unity of their length, likewise */
  const int32_t *block; /* of the last step: where the blocks of each vector are */
} cpu_lines;

/* COUNT lines, IN_STEP and OUT_STEP bytes from one to the next, times SCALE. OUT may be IN, with equal steps, if both are
 * complex. BACK: the inverse, of complex lines. WORK: as cpu_lines_work says, at a multiple of 64 bytes. */
typedef void (*cpu_lines_fn)(const cpu_lines *p, int64_t count, bool back, const char *in, int64_t in_step, char *out,
                             int64_t out_step, double scale, void *work);

typedef struct cpu_lines_set {
  int32_t bytes;      /* of the widest vectors; 0: FFTW serves as well */
  cpu_lines_fn fn[2]; /* float32, float64 */
} cpu_lines_set;

extern const cpu_lines_set cpu_lines_base, cpu_lines_avx2, cpu_lines_avx512;

/* What fn does with MANY. */
extern void cpu_lines_simd_float_avx2(const cpu_lines *p, int64_t count, bool back, const char *in, int64_t in_step, char *out,
                                   int64_t out_step, double scale, void *work);
extern void cpu_lines_simd_double_avx2(const cpu_lines *p, int64_t count, bool back, const char *in, int64_t in_step, char *out,
                                    int64_t out_step, double scale, void *work);
extern void cpu_lines_simd_float_avx512(const cpu_lines *p, int64_t count, bool back, const char *in, int64_t in_step, char *out,
                                     int64_t out_step, double scale, void *work);
extern void cpu_lines_simd_double_avx512(const cpu_lines *p, int64_t count, bool back, const char *in, int64_t in_step,
                                      char *out, int64_t out_step, double scale, void *work);

/* The set in use; chosen in the entry function. */
extern const cpu_lines_set *cpu_lines_k;

/* Can lines of N numbers, of real lines N real ones, be transformed here? MANY: one in each lane of a vector. */
bool cpu_lines_serve(cpu_lines_kind kind, int64_t n, bool many, bool single);
/* What takes least time for COUNT lines: neighbours of a line in a vector, or one number of each of many. */
typedef enum cpu_lines_way { CPU_LINES_FFTW, CPU_LINES_NEIGHBOURS, CPU_LINES_BUNDLES } cpu_lines_way;
cpu_lines_way cpu_lines_best(cpu_lines_kind kind, int64_t n, int64_t count, bool single);
/* In one block of the host's memory, NULL when there is none; to be freed as such. */
cpu_lines *cpu_lines_make(cpu_lines_kind kind, int64_t n, bool many, bool single);
/* Bytes of memory for the work on a line, or on as many as are transformed at once. */
int64_t cpu_lines_work(cpu_lines_kind kind, int64_t n, bool many, bool single);
/* How many of them had better be transformed at once where there are so many. */
int64_t cpu_lines_at_once(cpu_lines_kind kind, int64_t n, bool single);

#endif
