// SPDX-License-Identifier: BSD-3-Clause
/*
 * The setting team: threads of another runtime, from a small module of its own, in place of the backend's helpers. L1.
 *
 * The backend itself then needs no such runtime. A module has one function, hed_team_run_v1, a cpu_team_fn.
 */
#define _GNU_SOURCE
#include "backends/cpu/cpu.h"
#include "backends/cpu/runtime/team.h"
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* FILE: of this module, BACKENDS/cpu.so. TEAMS beside that folder. */
static bool beside(const char *name, char file[static PATH_MAX])
{
  Dl_info info;
  int32_t (*self)(const char *) = cpu_team_choose;
  void *p;
  memcpy(&p, &self, sizeof p); /* ISO C has no cast from a function pointer */
  const char *slash = dladdr(p, &info) && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
  return slash && snprintf(file, PATH_MAX, "%.*s/../teams/%s.so", (int)(slash - info.dli_fname), info.dli_fname, name) < PATH_MAX;
}

int32_t cpu_team_choose(const char *name)
{
  char file[PATH_MAX];
  cpu_team_fn *fn = NULL;
  if (!name || !*name || strcmp(name, "own") == 0) {
    cpu_team_use(NULL);
    return HED_OK;
  }
  bool good = name[0] == '/' ? snprintf(file, sizeof file, "%s", name) < PATH_MAX : !strchr(name, '/') && beside(name, file);
  void *handle = good ? dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) : NULL;
  void *p = handle ? dlsym(handle, "hed_team_run_v1") : NULL;
  if (!p) {
    const char *why = good ? dlerror() : NULL;
    return cpu_host->fail(HED_E_UNAVAILABLE, "cpu: setting team is '%.80s': %s", name, why ? why : "neither own nor a module");
  }
  memcpy(&fn, &p, sizeof fn);
  cpu_team_use(fn);
  return HED_OK;
}
