// SPDX-License-Identifier: BSD-3-Clause
/* Loops of copying that are compiled once per instruction set, like those of kernels.h. L1. */
#ifndef HED_BACKENDS_CPU_KERNELS_COPY_H
#define HED_BACKENDS_CPU_KERNELS_COPY_H

#include <stdbool.h>
#include <stdint.h>

/* to[r][c] = from[c][r] for r < ROWS, c < COLS; steps in bytes between the rows of each, whose elements are contiguous. */
typedef void (*cpu_transpose_fn)(int64_t rows, int64_t cols, char *to, int64_t to_step, const char *from,
                                 int64_t from_step);

enum { CPU_REPEAT_OVER = 64, CPU_DEINTERLEAVE_MOST = 16 };

typedef struct cpu_copy_kernels {
  cpu_transpose_fn transpose[5]; /* elements of 1, 2, 4, 8 and 16 bytes */
  /* The same by non-temporal stores (stream.h), where there is such a loop; or NULL. */
  cpu_transpose_fn transpose_stream[5];
  /* to[k i + j] = from[j][i] for i < N, j < k, for 2, 3 and 4 rows of elements of these sizes. */
  void (*interleave[5])(int64_t n, int32_t k, char *to, const char *const *from);
  /* The other way round: to[j][i] = from[k i + j], for k from 2 to CPU_DEINTERLEAVE_MOST rows, TO_STEP bytes apart. */
  void (*deinterleave[5])(int64_t n, int32_t k, char *to, int64_t to_step, const char *from);
  /* to[i] = from[-i], element by element, of 1, 2, 4, 8 and 16 bytes; they share no byte. */
  void (*reverse[5])(int64_t n, char *to, const char *from);
  void (*reverse_stream[5])(int64_t n, char *to, const char *from); /* by non-temporal stores */
  /* to[i] = from[2 i] for elements of 1, 2, 4, 8 and 16 bytes; nothing is read behind the last. */
  void (*every_other[5])(int64_t n, char *to, const char *from);
  /* How many of N bytes are not 0, and their indices plus FIRST, in order; nothing is written behind the last. */
  int64_t (*count_true)(int64_t n, const uint8_t *flags);
  int64_t (*true_indices)(int64_t n, const uint8_t *flags, int64_t first, int64_t *indices);
  /* Elements of 1 to 16 bytes that the mask chooses; returns how many. Nothing is written from END on; what is left between
   * the last and END means nothing. */
  int64_t (*compress[5])(int64_t n, const uint8_t *flags, const char *from, char *to, const char *end);
  /* The first of N elements of SIZE bytes (4, 8, 16), each TIMES over; returns how many of them are done, which may be none.
   * STREAM: by non-temporal stores where TO begins a line. */
  int64_t (*repeat)(int64_t n, int64_t times, int64_t size, char *to, const char *from, bool stream);
  /* N elements of 1, 2, 4 and 8 bytes that are STEP bytes apart, each TIMES over; up to CPU_REPEAT_OVER bytes behind the last
   * are written too. */
  void (*repeat_widely[4])(int64_t n, int64_t times, char *to, const char *from, int64_t step);
  /* The row of BYTES bytes at TO is there; it comes ROWS times in all. As much is read and written behind the last too. */
  void (*repeat_row)(int64_t rows, int64_t bytes, char *to);
  /* The 16 bytes of PATTERN again and again, BYTES in all. */
  void (*repeat_pattern)(int64_t bytes, char *to, const void *pattern);
  /* memcpy() of what may be a row among others; FROM may be TO. */
  void (*row)(char *to, const char *from, int64_t bytes);
  /* to[i] = start + (first + i) step */
  void (*count)(int32_t n, double *to, int64_t first, double start, double step);
  void (*count_single)(int32_t n, float *to, int64_t first, double start, double step); /* rounded at the end */
  void (*count_int[4])(int32_t n, void *to, uint64_t start, uint64_t step); /* start + i step, wrapping; 1 to 8 bytes */
  /* cpu_stream() and cpu_stream_far() of stream.h. */
  void (*stream)(char *to, const char *from, int64_t bytes);
  void (*stream_far)(char *to, const char *from, int64_t bytes);
} cpu_copy_kernels;

extern const cpu_copy_kernels cpu_copy_kernels_base, cpu_copy_kernels_avx2, cpu_copy_kernels_avx512;

/* The set in use; chosen in the entry function. */
extern const cpu_copy_kernels *cpu_copy_k;

#endif
