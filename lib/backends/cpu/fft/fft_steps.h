// SPDX-License-Identifier: BSD-3-Clause
/* What plans of fft/columns.h and fft/lines.h have in common. L1. */
#ifndef HED_BACKENDS_CPU_FFT_STEPS_H
#define HED_BACKENDS_CPU_FFT_STEPS_H

#include <stdbool.h>
#include <stdint.h>

/* Factors of N, 8 and less, in the order of the steps, into RADIX of MOST; how many, 0 when there are others. */
int32_t cpu_fft_factors(int64_t n, int32_t *radix, int32_t most);
/* exp(-2 pi i K / N), exact where it is 1, i, -1, -i and at eighths: real part X[AT] of single or double ones, imaginary
 * part X[AT + IM]. */
void cpu_fft_root(int64_t k, int64_t n, void *x, int64_t at, int64_t im, bool single);
/* Where block B of the last step belongs: its digits of the STEPS before, first one highest, the other way round. */
int32_t cpu_fft_order(int64_t b, int32_t steps, const int32_t *radix);

#endif
