// SPDX-License-Identifier: BSD-3-Clause
/*
 * How many threads share a Fourier transform, by measurement. L1.
 *
 * Each pass reads what threads wrote in the one before. Where their processors have no cache in common that can cost more
 * than another thread saves, and so can calling on sixteen for passes of ten microseconds; virtual machines move from one
 * state to the other while a program runs. So the time of each kind of transform is kept for all threads, half of them, a
 * quarter and so on down to the caller alone, and the number next to the best is tried now and then. Results are the same bits.
 */
#ifndef HED_BACKENDS_CPU_FFT_CHOICE_H
#define HED_BACKENDS_CPU_FFT_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cpu_fft_choice {
  int slot, step;  /* all threads halved so many times */
  int32_t threads;
  bool counts;     /* how long it takes */
} cpu_fft_choice;

/* For the transform that KEY stands for, of which the number of threads, MOST of them, is part; a call of tell with how long
 * it took follows, if it succeeds. */
cpu_fft_choice cpu_fft_choose(uint64_t key, int32_t most);
void cpu_fft_tell(cpu_fft_choice c, int64_t ns);

#endif
