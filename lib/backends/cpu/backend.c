// SPDX-License-Identifier: BSD-3-Clause
/*
 * The cpu backend: FFTW, BLAS and loops for this processor's instruction set, on host memory. L1.
 *
 * The entry function chooses the kernels by CPUID and builds the table once; nothing else happens
 * before init. The module keeps plans and scratch memory, both given back by trim.
 */
#include "backends/cpu/kernels/batch.h"
#include "backends/cpu/kernels/chain.h"
#include "backends/cpu/kernels/fft_columns.h"
#include "backends/cpu/kernels/dot.h"
#include "backends/cpu/kernels/fft_lines.h"
#include "backends/cpu/cpu.h"
#include "backends/cpu/fft/fft_plan.h"
#include "backends/cpu/fuse/fuse.h"
#include "backends/cpu/kernels/filter.h"
#include "backends/cpu/kernels/gemm.h"
#include "backends/cpu/kernels/gemv.h"
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/kernels/kernels_copy.h"
#include "backends/cpu/kernels/kernels_sort.h"
#include "backends/cpu/kernels/lu.h"
#include "backends/cpu/kernels/bool_columns.h"
#include "backends/cpu/runtime/stream.h"
#if defined(HED_HAVE_X86_LEVELS)
#include <cpuid.h>
#endif
#include <heddle/backend.h>
#include <heddle/op_names.h>
#include <pthread.h>
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
int64_t cpu_gemm_ahead;

static const char *const level_names[] = { "x86-64 baseline", "AVX2", "AVX-512" };

static char odd_setting[128]; /* what is wrong with the environment; empty: nothing */

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
  snprintf(odd_setting, sizeof odd_setting, "HEDDLE_CPU_LEVEL is '%.40s', not base, avx2 or avx512", text);
  return CPU_LEVEL_AVX512;
}

/* HEDDLE_CPU_STREAM: from how many bytes on results are written by non-temporal stores. */
static void choose_stream(void)
{
  const char *text = secure_getenv("HEDDLE_CPU_STREAM");
  size_t bytes = 0;
  bool good = true;
  for (const char *p = text; p && *p && good; p++) {
    good = *p >= '0' && *p <= '9' && bytes < SIZE_MAX / 16;
    bytes = bytes * 10 + (size_t)(*p - '0');
  }
  if (!good)
    snprintf(odd_setting, sizeof odd_setting, "HEDDLE_CPU_STREAM is '%.40s', not a number of bytes", text);
  else if (text && *text)
    cpu_stream_from(CPU_MAX(bytes, 1));
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

static int32_t probe(char *why, size_t cap)
{
  snprintf(why, cap, "%s", odd_setting);
  return odd_setting[0] ? 0 : 50;
}

static int32_t init(const hed_host_api *host, int32_t device, void **state)
{
  (void)device;
  /* One host for ever: the first call stores it, later ones (another device, a retry) the same. */
  cpu_host = host;
  *state = NULL;
  cpu_plan_register();
  return HED_OK;
}

static void describe(void *state, char *buf, size_t cap)
{
  (void)state;
  char blas[160];
  cpu_blas_describe(blas, sizeof blas);
#if defined(__x86_64__)
  const char *kernels = level_names[level];
#else
  const char *kernels = "portable";
#endif
  snprintf(buf, cap, "%s kernels; %s; %s", kernels, cpu_fft_version(), blas);
}

static size_t trim(void *state, size_t want, int32_t effort)
{
  (void)state;
  return effort > 0 ? cpu_fft_trim(want) : 0;
}

static void fork_child(void *state)
{
  (void)state;
  cpu_plan_fork_child();
}

static hed_plugin plugin = {
  .struct_size = sizeof(hed_plugin),
  .abi_major = HED_ABI_MAJOR,
  .abi_minor = HED_ABI_MINOR,
  .n_ops = HED_OP_COUNT_,
  .op_names = hed_op_names,
  .name = "cpu",
  .version = HED_MODULE_VERSION,
  .flags = HED_PLUGIN_HOST_MEMORY,
  .probe = probe,
  .init = init,
  .describe = describe,
  .trim = trim,
  .fork_child = fork_child,
  .fft_plan_make = cpu_fft_plan_make,
  .fft_plan_free = cpu_fft_plan_free,
  .fft_wisdom_export = cpu_wisdom_export,
  .fft_wisdom_import = cpu_wisdom_import,
  .fuse = cpu_fuse,
  .workspace = cpu_workspace,
};

#if defined(HED_HAVE_X86_LEVELS)
#define OF_LEVEL(prefix) (level == CPU_LEVEL_AVX512 ? prefix##avx512 : level == CPU_LEVEL_AVX2 ? prefix##avx2 : prefix##base)
#else
#define OF_LEVEL(prefix) prefix##base
#endif

static void choose(void)
{
  level = CPU_MIN(processor_level(), allowed_level());
  choose_stream();
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
  cpu_gemm_ahead = level == CPU_LEVEL_AVX512 ? CPU_GEMM_ANY : level == CPU_LEVEL_AVX2 ? CPU_GEMM_AVX2 : CPU_GEMM_BASE;
  hed__cast_prefer(cpu_k->cast);
  plugin.ops = cpu_table();
}

HED_API const hed_plugin *hed_plugin_entry_v1(uint32_t host_abi_major, uint32_t host_abi_minor);

const hed_plugin *hed_plugin_entry_v1(uint32_t host_abi_major, uint32_t host_abi_minor)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)host_abi_minor;
  if (host_abi_major != HED_ABI_MAJOR)
    return NULL;
  pthread_once(&once, choose);
  return &plugin;
}
