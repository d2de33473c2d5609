// SPDX-License-Identifier: BSD-3-Clause
/*
 * The cpu backend: FFTW, BLAS and loops for this processor's instruction set, on host memory. L1.
 *
 * The entry function chooses the kernels by CPUID and builds the table once; nothing else happens
 * before init. The module keeps plans and scratch memory, both given back by trim.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/fft/fft_plan.h"
#include "backends/cpu/fuse/fuse.h"
#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/runtime/stream.h"
#include "backends/cpu/runtime/team.h"
#include <heddle/backend.h>
#include <heddle/op_names.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    snprintf(cpu_odd_setting, sizeof cpu_odd_setting, "HEDDLE_CPU_STREAM is '%.40s', not a number of bytes", text);
  else if (text && *text)
    cpu_stream_from(CPU_MAX(bytes, 1));
}

static int32_t probe(char *why, size_t cap)
{
  snprintf(why, cap, "%s", cpu_odd_setting);
  return cpu_odd_setting[0] ? 0 : 50;
}

static int32_t init(const hed_host_api *host, int32_t device, void **state)
{
  (void)device;
  /* One host for ever: the first call stores it, later ones (another device, a retry) the same. */
  cpu_host = host;
  *state = NULL;
#ifdef HED_HAVE_FFTW
  cpu_plan_register();
#endif
  return cpu_team_choose(host->struct_size > offsetof(hed_host_api, setting) ? host->setting("team") : NULL);
}

#ifdef HED_HAVE_FFTW
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
#else
static const char *cpu_fft_version(void) { return "no FFTW"; }
#endif

static void describe(void *state, char *buf, size_t cap)
{
  (void)state;
  char blas[160];
  cpu_blas_describe(blas, sizeof blas);
#if defined(__x86_64__)
  static const char *const names[] = { "x86-64 baseline", "AVX2", "AVX-512" };
  const char *kernels = names[cpu_detect_level()];
#else
  const char *kernels = "portable";
#endif
  snprintf(buf, cap, "%s kernels; %s; %s", kernels, cpu_fft_version(), blas);
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
  .fuse = cpu_fuse,
#ifdef HED_HAVE_FFTW
  .trim = trim,
  .fork_child = fork_child,
  .fft_plan_make = cpu_fft_plan_make,
  .fft_plan_free = cpu_fft_plan_free,
  .fft_wisdom_export = cpu_wisdom_export,
  .fft_wisdom_import = cpu_wisdom_import,
  .workspace = cpu_workspace,
#endif
};

static void choose(void)
{
  cpu_choose_level();
  choose_stream();
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
