// SPDX-License-Identifier: BSD-3-Clause
/* Transforms of lines (lines.h), one instruction set; built as kernels.c is. L1. */
#include "backends/cpu/kernels/fft/lines.h"
#include "backends/cpu/kernels/variant.h"

#if defined __AVX2__ && defined __FMA__
#include "backends/cpu/kernels/transpose.h"

#define ALWAYS inline __attribute__((always_inline))
#define LOOPS "backends/cpu/kernels/fft/lines_loops.h"

#define SINGLE 1
#define WIDTH 128
#include "backends/cpu/kernels/fft/fft.h"
#define SINGLE 1
#define WIDTH 256
#include "backends/cpu/kernels/fft/fft.h"
#define SINGLE 0
#define WIDTH 256
#include "backends/cpu/kernels/fft/fft.h"
#ifdef __AVX512F__
#define SINGLE 1
#define WIDTH 512
#include "backends/cpu/kernels/fft/fft.h"
#define SINGLE 0
#define WIDTH 512
#include "backends/cpu/kernels/fft/fft.h"
#endif

static void lines_float(const cpu_lines *p, int64_t count, bool back, const char *in, int64_t in_step, char *out,
                        int64_t out_step, double scale, void *work)
{
  if (p->many)
    CPU_OF_SET(cpu_lines_simd_float_)(p, count, back, in, in_step, out, out_step, scale, work);
  else
#ifdef __AVX512F__
  if (p->lanes == 16)
    lines_f16(p, count, back, in, in_step, out, out_step, (float)scale, work);
  else
#endif
    (p->lanes == 8 ? lines_f8 : lines_f4)(p, count, back, in, in_step, out, out_step, (float)scale, work);
}

static void lines_double(const cpu_lines *p, int64_t count, bool back, const char *in, int64_t in_step, char *out,
                         int64_t out_step, double scale, void *work)
{
  if (p->many)
    CPU_OF_SET(cpu_lines_simd_double_)(p, count, back, in, in_step, out, out_step, scale, work);
  else
#ifdef __AVX512F__
  if (p->lanes == 8)
    lines_d8(p, count, back, in, in_step, out, out_step, scale, work);
  else
#endif
    lines_d4(p, count, back, in, in_step, out, out_step, scale, work);
}

const cpu_lines_set CPU_OF_SET(cpu_lines_) = { CPU_VECTOR, { lines_float, lines_double } };
#else
const cpu_lines_set CPU_OF_SET(cpu_lines_) = { 0, { 0, 0 } };
#endif
