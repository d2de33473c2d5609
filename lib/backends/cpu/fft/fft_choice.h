// SPDX-License-Identifier: BSD-3-Clause
/*
 * Whether threads share a Fourier transform, by measurement. L1.
 *
 * Each pass reads what threads wrote in the one before. Where their processors have no cache in common that can cost more
 * than the second thread saves, and virtual machines move from one state to the other while a program runs. So the time of
 * each kind of transform is kept, shared and alone, and the other way is tried now and then. Results are the same bits.
 */
#ifndef HED_BACKENDS_CPU_FFT_CHOICE_H
#define HED_BACKENDS_CPU_FFT_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cpu_fft_choice {
  int slot;
  bool shared, counts; /* how long it takes */
} cpu_fft_choice;

/* For the transform that KEY stands for; a call of tell with how long it took follows, if it succeeds. */
cpu_fft_choice cpu_fft_choose(uint64_t key);
void cpu_fft_tell(cpu_fft_choice c, int64_t ns);

#endif
