// SPDX-License-Identifier: BSD-3-Clause
/* Kinds of transforms, for the suite "fft" and its floor.
 *
 * Layer: L5.
 */
#ifndef HEDDLE_TOOLS_BENCH_FFT_H
#define HEDDLE_TOOLS_BENCH_FFT_H
#include "bench.h"

enum { BENCH_C2C, BENCH_R2C, BENCH_C2R };

#endif
