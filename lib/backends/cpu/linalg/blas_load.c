// SPDX-License-Identifier: BSD-3-Clause
/*
 * Opening BLAS and LAPACK (blas_load.h).
 *
 * dlmopen gives a copy of the library with its own libc, so its environment can be set without
 * touching the program's: OPENBLAS_NUM_THREADS=1, and OPENBLAS_CORETYPE, which there says what HEDDLE_BLAS_CORETYPE says, or
 * else the kernels for the processor when those that the library chose are older. The program's own OPENBLAS_CORETYPE is
 * for its own OpenBLAS. Names of libraries come from the build's BLAS_LIBS; the usual file names are tried in turn.
 */
#include "backends/cpu/linalg/blas_load.h"
#include "base/cancel.h"
#include "backends/cpu/cpu.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef HED_BLAS_LIBS
#define HED_BLAS_LIBS "-lopenblas"
#endif

enum { MAX_LIBS = 4 };

static cpu_blas blas;
static bool usable;
static char reason[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

typedef int (*setenv_fn)(const char *, const char *, int);
typedef int (*unsetenv_fn)(const char *);
typedef const char *(*corename_fn)(void);

static void note_loader_error(const char *otherwise)
{
  const char *e = dlerror();
  snprintf(reason, sizeof reason, "%s", e ? e : otherwise);
}

/* dlsym's result as a function pointer; ISO C has no cast for it. */
static void symbol(void *const *libs, int n, const char *name, void *fn)
{
  void *p = NULL;
  for (int i = 0; i < n && !p; i++)
    p = dlsym(libs[i], name);
  memcpy(fn, &p, sizeof p);
}

static void *open_one(Lmid_t space, const char *name, size_t len)
{
  static const char *const suffix[] = { ".so.0", ".so.3", ".so.4", ".so" };
  void *h = NULL;
  for (size_t i = 0; i < sizeof suffix / sizeof *suffix && !h; i++) {
    char file[96];
    snprintf(file, sizeof file, "lib%.*s%s", (int)len, name, suffix[i]);
    h = dlmopen(space, file, RTLD_NOW | RTLD_LOCAL);
  }
  if (!h)
    note_loader_error("not found");
  return h;
}

/* Every "-lNAME" of the build's link line; LAPACK by its usual name where none of them contains it. */
static int open_all(Lmid_t space, void **libs)
{
  int n = 0;
  void *gesdd;
  for (const char *p = HED_BLAS_LIBS; *p && n < MAX_LIBS;) {
    size_t len = strcspn(p, " ");
    if (len > 2 && !strncmp(p, "-l", 2)) {
      void *h = open_one(space, p + 2, len - 2);
      if (h)
        libs[n++] = h;
    }
    p += len;
    p += strspn(p, " ");
  }
  symbol(libs, n, "sgesdd_", &gesdd);
  if (n > 0 && !gesdd && n < MAX_LIBS && (libs[n] = open_one(space, "lapack", 6)))
    n++;
  return n;
}

/* Kernels for this processor by OpenBLAS's names; NULL: leave it alone. A library that is older than the processor takes
 * kernels of a relative that it knows (AVX2 on a Zen with AVX-512: half the speed) or, without one, those of 2006. Those
 * of Cooper Lake are as fast as Sky Lake's in every precision here. HEDDLE_CPU_LEVEL holds for them too. */
static const char *wanted_core(const char *detected)
{
  static const struct { const char *name; cpu_level needs; bool old; } cores[] = {
    { "Prescott", CPU_LEVEL_BASE, true }, { "Core2", CPU_LEVEL_BASE, true }, { "Penryn", CPU_LEVEL_BASE, true },
    { "Dunnington", CPU_LEVEL_BASE, true }, { "Nehalem", CPU_LEVEL_BASE, true }, { "Atom", CPU_LEVEL_BASE, true },
    { "Banias", CPU_LEVEL_BASE, true }, { "Katmai", CPU_LEVEL_BASE, true }, { "Coppermine", CPU_LEVEL_BASE, true },
    { "Northwood", CPU_LEVEL_BASE, true }, { "Generic", CPU_LEVEL_BASE, true }, { "Sandybridge", CPU_LEVEL_BASE, false },
    { "Bulldozer", CPU_LEVEL_BASE, false }, { "Piledriver", CPU_LEVEL_BASE, false }, { "Steamroller", CPU_LEVEL_BASE, false },
    { "Excavator", CPU_LEVEL_AVX2, false }, { "Haswell", CPU_LEVEL_AVX2, false }, { "Zen", CPU_LEVEL_AVX2, false },
    { "SkylakeX", CPU_LEVEL_AVX512, false }, { "Cooperlake", CPU_LEVEL_AVX512, false },
    { "SapphireRapids", CPU_LEVEL_AVX512, false },
  };
  const cpu_level level = cpu_detect_level();
  for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
    if (strcasecmp(detected, cores[i].name))
      continue;
    if (level == CPU_LEVEL_AVX512 && cores[i].needs < level)
      return "SKYLAKEX";
    if (level == CPU_LEVEL_AVX2 && (cores[i].old || cores[i].needs > level))
      return "HASWELL";
    return level == CPU_LEVEL_BASE && cores[i].needs > level ? "NEHALEM" : NULL;
  }
  return NULL;
}

static void read_core(void *const *libs, int n, char *out, size_t cap)
{
  corename_fn fn;
  symbol(libs, n, "openblas_get_corename", &fn);
  snprintf(out, cap, "%s", fn ? fn() : "");
}

/* The N libraries of SPACE once more, with kernels CORE; how many there are then. */
static int open_with(Lmid_t space, setenv_fn set, const char *core, void **libs, int n)
{
  if (set("OPENBLAS_CORETYPE", core, 1))
    return n;
  for (int i = 0; i < n; i++)
    dlclose(libs[i]);
  return open_all(space, libs);
}

/* The libraries in a namespace with a libc whose environment is ours; their number, 0 with the REASON when there are none. */
static int open_private(void **libs)
{
  Lmid_t space;
  setenv_fn set;
  unsetenv_fn unset;
  const char *named = secure_getenv("HEDDLE_BLAS_CORETYPE");
  int n;
  void *libc = dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW | RTLD_LOCAL);
  if (!libc || dlinfo(libc, RTLD_DI_LMID, &space)) {
    note_loader_error("the loader has no namespace for it");
    return 0;
  }
  symbol(&libc, 1, "setenv", &set);
  symbol(&libc, 1, "unsetenv", &unset);
  if (!set || !unset || set("OPENBLAS_NUM_THREADS", "1", 1) || set("OMP_NUM_THREADS", "1", 1)
      || set("OPENBLAS_MAIN_FREE", "0", 1) || unset("OPENBLAS_CORETYPE"))
    return 0;
  n = open_all(space, libs);
  if (n == 0)
    return 0;
  read_core(libs, n, blas.detected, sizeof blas.detected);
  const char *wanted = wanted_core(blas.detected);
  if (named && named[0]) {
    char core[sizeof blas.core];
    n = open_with(space, set, named, libs, n);
    read_core(libs, n, core, sizeof core);
    if (strcasecmp(core, named) == 0)
      return n;
    wanted = wanted ? wanted : blas.detected; /* what it takes for a name it does not know is not always what it takes for none */
  }
  return wanted ? open_with(space, set, wanted, libs, n) : n;
}

/* One routine in N types from the one that PREFIX begins with; false when one is missing. */
static bool family(void *const *libs, int n_libs, const char *prefix, const char *name, int n, void *fn)
{
  bool all = true;
  for (int k = 0; k < n; k++) {
    char full[16];
    void *p = NULL;
    /* orthogonal matrices are unitary when they are complex */
    const char *rest = (prefix[k] == 'c' || prefix[k] == 'z') && !strcmp(name, "orgqr") ? "ungqr" : name;
    snprintf(full, sizeof full, "%c%s_", prefix[k], rest);
    symbol(libs, n_libs, full, &p);
    memcpy((char *)fn + (size_t)k * sizeof p, &p, sizeof p);
    all &= p != NULL;
  }
  return all;
}

static bool load_lapack(void *const *libs, int n)
{
  bool all = blas.sgesdd && blas.dgesdd && blas.cgesdd && blas.zgesdd;
  all &= family(libs, n, "sdcz", "getrf", 4, blas.getrf);
  all &= family(libs, n, "sdcz", "getrs", 4, blas.getrs);
  all &= family(libs, n, "sdcz", "trtrs", 4, blas.trtrs);
  all &= family(libs, n, "sdcz", "laswp", 4, blas.laswp);
  all &= family(libs, n, "sdcz", "trsm", 4, blas.trsm);
  all &= family(libs, n, "sdcz", "potrf", 4, blas.potrf);
  all &= family(libs, n, "sdcz", "geqrf", 4, blas.geqrf);
  all &= family(libs, n, "sdcz", "orgqr", 4, blas.orgqr);
  all &= family(libs, n, "sd", "syevd", 2, blas.syevd);
  all &= family(libs, n, "cz", "heevd", 2, blas.heevd);
  all &= family(libs, n, "sd", "syevr", 2, blas.syevr);
  all &= family(libs, n, "cz", "heevr", 2, blas.heevr);
  all &= family(libs, n, "sd", "geev", 2, blas.geev_real);
  all &= family(libs, n, "cz", "geev", 2, blas.geev_complex);
  return all;
}

static void load(void)
{
  HED__UNCANCELLED;
  void *libs[MAX_LIBS];
  int n = open_private(libs);
  if (n == 0)
    return;
  read_core(libs, n, blas.core, sizeof blas.core);
  symbol(libs, n, "cblas_sgemm", &blas.sgemm);
  symbol(libs, n, "cblas_dgemm", &blas.dgemm);
  symbol(libs, n, "cblas_cgemm", &blas.cgemm);
  symbol(libs, n, "cblas_zgemm", &blas.zgemm);
  symbol(libs, n, "cblas_sgemv", &blas.sgemv);
  symbol(libs, n, "cblas_dgemv", &blas.dgemv);
  (void)family(libs, n, "sd", "syrk", 2, blas.syrk);
  symbol(libs, n, "sgesdd_", &blas.sgesdd);
  symbol(libs, n, "dgesdd_", &blas.dgesdd);
  symbol(libs, n, "cgesdd_", &blas.cgesdd);
  symbol(libs, n, "zgesdd_", &blas.zgesdd);
  blas.lapack = load_lapack(libs, n);
  usable = blas.sgemm && blas.dgemm && blas.cgemm && blas.zgemm && blas.sgemv && blas.dgemv;
  if (!usable)
    snprintf(reason, sizeof reason, "the library has no CBLAS functions");
}

const cpu_blas *cpu_blas_get(const char **why)
{
  pthread_once(&once, load);
  if (why)
    *why = reason;
  return usable ? &blas : NULL;
}

void cpu_blas_describe(char *buf, size_t cap)
{
  const char *why, *named = secure_getenv("HEDDLE_BLAS_CORETYPE");
  const cpu_blas *b = cpu_blas_get(&why);
  if (!b)
    snprintf(buf, cap, "no BLAS: %s", why);
  else if (named && named[0] && strcasecmp(b->core, named))
    snprintf(buf, cap, "BLAS%s%s, not those that HEDDLE_BLAS_CORETYPE names (%.32s), own copy", b->core[0] ? " kernels " : "",
             b->core, named);
  else if (strcmp(b->core, b->detected))
    snprintf(buf, cap, "OpenBLAS kernels %s (it would have taken %s), own copy", b->core, b->detected);
  else
    snprintf(buf, cap, "BLAS%s%s, own copy", b->core[0] ? " kernels " : "", b->core);
}
