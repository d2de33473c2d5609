// SPDX-License-Identifier: BSD-3-Clause
/*
 * What the module's files share: the host's services, and the kernels of the instruction set that was chosen. L1.
 *
 * Chosen once, before the first call of a kernel. Nothing here calls another file.
 */
#include "backends/cpu/kernels/linalg/batch.h"
#include "backends/cpu/kernels/bits/bits.h"
#include "backends/cpu/kernels/chain/chain.h"
#include "backends/cpu/kernels/fft/columns.h"
#include "backends/cpu/kernels/linalg/dot.h"
#include "backends/cpu/kernels/fft/lines.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/filter/filter.h"
#include "backends/cpu/kernels/linalg/gemm.h"
#include "backends/cpu/kernels/linalg/gemv.h"
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/kernels/move/copy.h"
#include "backends/cpu/kernels/sort/sort.h"
#include "backends/cpu/kernels/linalg/lu.h"
#include "backends/cpu/kernels/linalg/polar.h"
#include "backends/cpu/kernels/nn/steps.h"
#include "backends/cpu/kernels/reduce/bool_columns.h"
#if defined(HED_HAVE_X86_LEVELS)
#include <cpuid.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const hed_host_api *cpu_host;
const cpu_kernels *cpu_k;
const cpu_copy_kernels *cpu_copy_k;
const cpu_sort_kernels *cpu_sort_k;
const cpu_gemm_loops *cpu_gemms;
const cpu_gemv_loops *cpu_gemvs;
const cpu_dot_loops *cpu_dots;
const cpu_filter_loops *cpu_filters;
const cpu_spline_fn *cpu_splines;
const cpu_sample_fn *cpu_samplers;
const cpu_grid_loops *cpu_grids;
const cpu_lu_loops *cpu_lus;
const cpu_batch_loops *cpu_batches;
const cpu_chain_loops *cpu_chains;
const cpu_bool_fn *cpu_bool_columns;
const cpu_bits_loops *cpu_bits;
cpu_polar_fn cpu_polars;
const cpu_step_loops *cpu_steps;
const cpu_columns_fn *cpu_columns_k = cpu_columns_base;
const cpu_rows_set *cpu_rows_k = &cpu_rows_base;
const cpu_lines_set *cpu_lines_k = &cpu_lines_base;
int64_t cpu_gemm_ahead;

char cpu_odd_setting[128];

/* HEDDLE_CPU_LEVEL: base, avx2 or avx512, of which it takes the lower one of that and the processor's. */
static cpu_level allowed_level(void)
{
  static const char *const levels[] = { "base", "avx2", "avx512" };
  const char *text = secure_getenv("HEDDLE_CPU_LEVEL");
  if (!text || !text[0])
    return CPU_LEVEL_AVX512;
  for (int k = 0; k < 3; k++)
    if (!strcmp(text, levels[k]))
      return (cpu_level)k;
  snprintf(cpu_odd_setting, sizeof cpu_odd_setting, "HEDDLE_CPU_LEVEL is '%.40s', not base, avx2 or avx512", text);
  return CPU_LEVEL_AVX512;
}

static cpu_level processor_level(void)
{
#if defined(HED_HAVE_X86_LEVELS)
  __builtin_cpu_init();
  bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
            && __builtin_cpu_supports("bmi2");
  if (v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
      && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
      && __builtin_cpu_supports("avx512cd"))
    return CPU_LEVEL_AVX512;
  if (v3)
    return CPU_LEVEL_AVX2;
#endif
  return CPU_LEVEL_BASE;
}

/* The environment is read once: what runs and what is said about it must agree. */
static cpu_level level;

cpu_level cpu_detect_level(void)
{
  return level;
}

#if defined(HED_HAVE_X86_LEVELS)
#define OF_LEVEL(prefix) (level == CPU_LEVEL_AVX512 ? prefix##avx512 : level == CPU_LEVEL_AVX2 ? prefix##avx2 : prefix##base)
#else
#define OF_LEVEL(prefix) prefix##base
#endif

void cpu_choose_level(void)
{
  level = CPU_MIN(processor_level(), allowed_level());
  cpu_k = OF_LEVEL(&cpu_kernels_);
  cpu_copy_k = OF_LEVEL(&cpu_copy_kernels_);
  cpu_sort_k = OF_LEVEL(&cpu_sort_kernels_);
  cpu_gemms = OF_LEVEL(cpu_gemm_);
  cpu_gemvs = OF_LEVEL(cpu_gemv_);
  cpu_dots = OF_LEVEL(cpu_dot_);
  cpu_filters = OF_LEVEL(cpu_filters_);
  cpu_splines = OF_LEVEL(cpu_splines_);
  cpu_samplers = OF_LEVEL(cpu_samplers_);
  cpu_grids = OF_LEVEL(cpu_grids_);
  cpu_lus = OF_LEVEL(cpu_lu_);
  cpu_batches = OF_LEVEL(cpu_batch_);
  cpu_chains = OF_LEVEL(cpu_chain_);
  cpu_columns_k = OF_LEVEL(cpu_columns_);
  cpu_rows_k = OF_LEVEL(&cpu_rows_);
  cpu_lines_k = OF_LEVEL(&cpu_lines_);
  cpu_bool_columns = OF_LEVEL(cpu_bool_columns_);
  cpu_bits = OF_LEVEL(&cpu_bits_);
#if defined(HED_HAVE_X86_LEVELS)
  if (level == CPU_LEVEL_AVX512 && __builtin_cpu_supports("avx512vpopcntdq"))
    cpu_bits = &cpu_bits_popcount;
#endif
  cpu_polars = OF_LEVEL(cpu_polar_);
  cpu_steps = OF_LEVEL(cpu_steps_);
  cpu_gemm_ahead = level == CPU_LEVEL_AVX512 ? CPU_GEMM_ANY : level == CPU_LEVEL_AVX2 ? CPU_GEMM_AVX2 : CPU_GEMM_BASE;
}
