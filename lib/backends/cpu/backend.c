// SPDX-License-Identifier: BSD-3-Clause
/*
 * The cpu backend: FFTW, BLAS and loops for this processor's instruction set, on host memory. L1.
 *
 * The entry function chooses the kernels by CPUID and builds the table once; nothing else happens
 * before init. The module keeps plans and scratch memory, both given back by trim.
 */
#include "backends/cpu/kernels/batch.h"
#include "backends/cpu/kernels/chain.h"
#include "backends/cpu/kernels/columns.h"
#include "backends/cpu/kernels/dot.h"
#include "backends/cpu/kernels/lines.h"
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
#include "backends/cpu/kernels/truth_columns.h"
#include "backends/cpu/kernels/ask.h"
#include "backends/cpu/runtime/stream.h"
#if defined(HED_HAVE_X86_LEVELS)
#include <cpuid.h>
#endif
#include <heddle/op_names.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const hed_host_api *cpu_host;
const cpu_kernels *cpu_k = &cpu_kernels_base;
const cpu_copy_kernels *cpu_copy_k = &cpu_copy_kernels_base;
const cpu_sort_kernels *cpu_sort_k = &cpu_sort_kernels_base;
const cpu_gemm_loops *cpu_gemms = cpu_gemm_base;
const cpu_gemv_loops *cpu_gemvs = cpu_gemv_base;
const cpu_dot_loops *cpu_dots = cpu_dot_base;
const cpu_filter_loops *cpu_filters = cpu_filters_base;
const cpu_spline_fn *cpu_splines = cpu_splines_base;
const cpu_sample_fn *cpu_samplers = cpu_samplers_base;
const cpu_grid_loops *cpu_grids = cpu_grids_base;
const cpu_lu_loops *cpu_lus = cpu_lu_base;
const cpu_batch_loops *cpu_batches = cpu_batch_base;
const cpu_chain_loops *cpu_chains = cpu_chain_base;
const cpu_truth_fn *cpu_truth_columns = cpu_truth_columns_base;
int64_t cpu_gemm_ahead = CPU_GEMM_LITTLE;

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

/* HEDDLE_CPU_STREAM: from how many bytes on results go past the caches. */
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
/* The family of a processor of AMD; 0: of others. */
static unsigned amd_family(void)
{
  unsigned a = 0, b, c, d;
  return __builtin_cpu_is("amd") && __get_cpuid(1, &a, &b, &c, &d) ? (a >> 8 & 0xf) + (a >> 20 & 0xff) : 0;
}

/* Zen 4 (Zen 3, which has the same family, was not measured) makes vectors of 512 bits in two halves, conversions of float32 to
 * float64 in more time than two of 256 bits have; and it reads lanes in less time where nothing is asked for, operands of chains
 * and rows side by side where these are asked for closely. */
static bool is_zen_4(void) { return amd_family() == 0x19; }

/* What was measured of some (ask.h). */
static void choose_asks(void)
{
  enum { ZEN_5 = 0x1a };
  if (is_zen_4())
    cpu_ask = (cpu_asks){ .lanes_from = INT64_MAX, .lanes_ahead = 4096, .columns = 256, .chains = 64, .farthest = 256,
                          .blocks = true };
  if (amd_family() == ZEN_5) {
    cpu_ask.lanes_ahead = 8192;
    cpu_ask.blocks = false;
  }
}

/* Loops that do little else take the set of AVX2 there. */
static const cpu_kernels *narrow_where_faster(void)
{
  static cpu_kernels all;
  static cpu_reduce_loops reduce[HED_ID_CONCRETE_COUNT_];
  static cpu_norm_loops norm;
  all = cpu_kernels_avx512;
  memcpy(reduce, all.reduce, sizeof reduce);
  memcpy(norm, *all.norm, sizeof norm);
  for (int k = 0; k < 2; k++) {
    const int type = k ? HED_ID_COMPLEX64 : HED_ID_FLOAT32;
    reduce[type].prod = cpu_kernels_avx2.reduce[type].prod;
    norm[CPU_NORM_SQUARES][type].sum = (*cpu_kernels_avx2.norm)[CPU_NORM_SQUARES][type].sum;
  }
  all.reduce = reduce;
  all.norm = (void *)&norm;
  return &all;
}
#endif

static void choose(void)
{
  level = CPU_MIN(processor_level(), allowed_level());
  choose_stream();
#if defined(HED_HAVE_X86_LEVELS)
  static const cpu_kernels *const sets[] = { &cpu_kernels_base, &cpu_kernels_avx2,
                                             &cpu_kernels_avx512 };
  choose_asks();
  cpu_k = level == CPU_LEVEL_AVX512 && is_zen_4() ? narrow_where_faster() : sets[level];
  static const cpu_copy_kernels *const copy_sets[] = { &cpu_copy_kernels_base, &cpu_copy_kernels_avx2,
                                                       &cpu_copy_kernels_avx512 };
  cpu_copy_k = copy_sets[level];
  static const cpu_sort_kernels *const sort_sets[] = { &cpu_sort_kernels_base, &cpu_sort_kernels_avx2,
                                                       &cpu_sort_kernels_avx512 };
  static cpu_sort_kernels sorts;
  sorts = *sort_sets[level];
  if (sorts.sort_in_place_u32 && __builtin_cpu_is("intel")) {
    sorts.sort_u32 = sorts.sort_in_place_u32;
    sorts.sort_u64 = sorts.sort_in_place_u64;
  }
  cpu_sort_k = &sorts;
  static const cpu_gemm_loops *const gemms[] = { cpu_gemm_base, cpu_gemm_avx2, cpu_gemm_avx512 };
  cpu_gemms = gemms[level];
  static const cpu_gemv_loops *const gemvs[] = { cpu_gemv_base, cpu_gemv_avx2, cpu_gemv_avx512 };
  cpu_gemvs = gemvs[level];
  static const cpu_dot_loops *const dots[] = { cpu_dot_base, cpu_dot_avx2, cpu_dot_avx512 };
  cpu_dots = dots[level];
  static const cpu_filter_loops *const filters[] = { cpu_filters_base, cpu_filters_avx2, cpu_filters_avx512 };
  cpu_filters = filters[level];
  static const cpu_spline_fn *const splines[] = { cpu_splines_base, cpu_splines_avx2, cpu_splines_avx512 };
  cpu_splines = splines[level];
  static const cpu_sample_fn *const samplers[] = { cpu_samplers_base, cpu_samplers_avx2, cpu_samplers_avx512 };
  cpu_samplers = samplers[level];
  static const cpu_grid_loops *const grids[] = { cpu_grids_base, cpu_grids_avx2, cpu_grids_avx512 };
  cpu_grids = grids[level];
  static const cpu_lu_loops *const lus[] = { cpu_lu_base, cpu_lu_avx2, cpu_lu_avx512 };
  cpu_lus = lus[level];
  static const cpu_batch_loops *const batches[] = { cpu_batch_base, cpu_batch_avx2, cpu_batch_avx512 };
  cpu_batches = batches[level];
  static const cpu_chain_loops *const chains[] = { cpu_chain_base, cpu_chain_avx2, cpu_chain_avx512 };
  cpu_chains = chains[level];
  static const cpu_columns_fn *const columns[] = { cpu_columns_base, cpu_columns_avx2, cpu_columns_avx512 };
  cpu_columns_k = columns[level];
  static const cpu_rows_set *const rows[] = { &cpu_rows_base, &cpu_rows_avx2, &cpu_rows_avx512 };
  cpu_rows_k = rows[level];
  static const cpu_lines_set *const lines[] = { &cpu_lines_base, &cpu_lines_avx2, &cpu_lines_avx512 };
  cpu_lines_k = lines[level];
  static const cpu_truth_fn *const truths[] = { cpu_truth_columns_base, cpu_truth_columns_avx2, cpu_truth_columns_avx512 };
  cpu_truth_columns = truths[level];
  static const int64_t ahead[] = { CPU_GEMM_BASE, CPU_GEMM_AVX2, CPU_GEMM_ANY };
  cpu_gemm_ahead = ahead[level];
  cpu_root_products_avx512 = __builtin_cpu_is("intel") || is_zen_4();
#endif
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
