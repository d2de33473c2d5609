// SPDX-License-Identifier: BSD-3-Clause
/*
 * Complex transforms of columns that lie side by side in memory, compiled once per instruction set like kernels.h. L1.
 *
 * For lengths without prime factors above 5. FFTW takes one column after the other, or transposes them first; neighbours in
 * the lanes of a vector need neither. Memory is read once and written once, by rows.
 */
#ifndef HED_BACKENDS_CPU_FFT_COLUMNS_H
#define HED_BACKENDS_CPU_FFT_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

enum { CPU_COLUMNS_STEPS = 16, CPU_COLUMNS_LONGEST = 1 << 14 };

/* What a length needs; immutable. */
typedef struct cpu_columns {
  int64_t n;
  int32_t steps, radix[CPU_COLUMNS_STEPS];
  const void *turns;    /* of each step but the last: powers of the root of unity, pairs of float or double */
  const int32_t *order; /* of the last step: rows where its blocks belong */
} cpu_columns;

/* COUNT columns of complex numbers, IN_ROW and OUT_ROW bytes from row to row, times SCALE; OUT may be IN. TILE: as
 * cpu_columns_tile says, at a multiple of 64 bytes. */
typedef void (*cpu_columns_fn)(const cpu_columns *p, int64_t count, bool back, const char *in, int64_t in_row, char *out,
                               int64_t out_row, double scale, void *tile);

/* By precision: float32, float64; NULL where FFTW serves as well. */
extern const cpu_columns_fn cpu_columns_base[2], cpu_columns_avx2[2], cpu_columns_avx512[2];

/* The set in use; chosen in the entry function. */
extern const cpu_columns_fn *cpu_columns_k;

/* What will be wanted soon, prefetched a line at a time on the way: of each stream PIECES of BYTES each, STEP bytes from one to
 * the next. */
enum { CPU_AHEAD = 8 };
typedef struct cpu_wanted {
  const void *at;
  int64_t pieces, step, bytes;
} cpu_wanted;

typedef struct cpu_ahead {
  int32_t count;
  cpu_wanted of[CPU_AHEAD];
} cpu_ahead;

/*
 * Of complex float32. TILE is as for columns of so many numbers; memory that a row of LANES pairs, real parts and then
 * imaginary ones, is kept in is at a multiple of 64 bytes.
 *
 * back: inverse transforms of LANES rows at once, of which COUNT are there, ROW bytes from one to the next. SPLIT: a row is
 * blocks of LANES real parts and then as many imaginary ones. Whole blocks of LANES numbers are read. In the result line k
 * has LANES real parts, then the imaginary ones, of the numbers k of all rows; where there is no row, those of the last one.
 * OUT_LINE, the bytes between lines, is a multiple of 64.
 *
 * forward: transforms of LANES columns of which the first THERE rows are there, the others being zero. The result is rows of
 * real and imaginary parts, one after the other.
 *
 * filter: such rows, times the LANES numbers of a row of FACTOR each, transformed back to columns.
 */
typedef struct cpu_rows_set {
  int32_t lanes; /* 0: there are none */
  void (*back)(const cpu_columns *p, bool split, int64_t count, const char *in, int64_t row, char *out, int64_t out_line,
               const cpu_ahead *ahead, void *tile);
  void (*forward)(const cpu_columns *p, int64_t there, const char *in, int64_t row, float *out, const cpu_ahead *ahead,
                 void *tile);
  void (*filter)(const cpu_columns *p, const float *in, const char *factor, int64_t factor_row, char *out, int64_t out_row,
                 const cpu_ahead *ahead, void *tile);
} cpu_rows_set;

extern const cpu_rows_set cpu_rows_base, cpu_rows_avx2, cpu_rows_avx512;
extern const cpu_rows_set *cpu_rows_k;

/* Can columns of N numbers be transformed here? */
bool cpu_columns_serve(int64_t n, bool single);
/* In one block of the host's memory, NULL when there is none; to be freed as such. */
cpu_columns *cpu_columns_make(int64_t n, bool single);
/* The same in memory of the caller's, at a multiple of 64 bytes, and how many it takes. */
int64_t cpu_columns_bytes(int64_t n, bool single);
cpu_columns *cpu_columns_put(void *at, int64_t n, bool single);
/* Bytes of a tile. */
int64_t cpu_columns_tile(int64_t n);

#endif
