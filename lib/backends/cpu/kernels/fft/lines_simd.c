// SPDX-License-Identifier: BSD-3-Clause
/* Transforms of many lines at once (lines.h), one instruction set; built as kernels.c is. L1. */
#include "backends/cpu/kernels/fft/lines.h"
#include "backends/cpu/kernels/variant.h"

#if defined __AVX2__ && defined __FMA__
#include "backends/cpu/kernels/transpose.h"

#define ALWAYS inline __attribute__((always_inline))
#define LOOPS "backends/cpu/kernels/fft/lines_simd.h"

#define SINGLE 1
#define WIDTH (8 * CPU_VECTOR)
#include "backends/cpu/kernels/fft/fft.h"
#define SINGLE 0
#define WIDTH (8 * CPU_VECTOR)
#include "backends/cpu/kernels/fft/fft.h"

#if CPU_VECTOR == 64
#define FLOATS lines_simd_f16
#define DOUBLES lines_simd_d8
#else
#define FLOATS lines_simd_f8
#define DOUBLES lines_simd_d4
#endif

void CPU_OF_SET(cpu_lines_simd_float_)(const cpu_lines *p, int64_t count, bool back, const char *in, int64_t in_step, char *out,
                                    int64_t out_step, double scale, void *work)
{
  FLOATS(p, count, back, in, in_step, out, out_step, (float)scale, work);
}

void CPU_OF_SET(cpu_lines_simd_double_)(const cpu_lines *p, int64_t count, bool back, const char *in, int64_t in_step, char *out,
                                     int64_t out_step, double scale, void *work)
{
  DOUBLES(p, count, back, in, in_step, out, out_step, scale, work);
}
#endif
