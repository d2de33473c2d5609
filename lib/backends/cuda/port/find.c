// SPDX-License-Identifier: BSD-3-Clause
/* cuda: where libraries are. L1.
 *
 * A folder of HEDDLE_CUDA_PATH or of a toolkit is looked into as it is, as a toolkit's root, and as a folder of Python's packages.
 * A process with more rights than its user reads none of the variables.
 */
#include "backends/cuda/port/load.h"
#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool open_file(const char *path, int mode, const char *origin, cuda_found *out)
{
  struct link_map *map = NULL;
  void *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL | mode);
  if (!handle)
    return false;
  out->handle = handle;
  out->origin = origin;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map->l_name)
    map = NULL;
  snprintf(out->path, sizeof out->path, "%s", map ? map->l_name : path);
  return true;
}

static bool open_names(const char *const *names, int mode, const char *origin, cuda_found *out)
{
  bool found = false;
  for (; *names && !found; names++)
    found = open_file(*names, mode, origin, out);
  return found;
}

/* Toolkits have one folder; so have wheels of CUDA 13; those of CUDA 12 have one for each library. */
static bool open_below(const char *root, const char *const *names, const char *wheel, const char *origin, cuda_found *out)
{
  static const char *const folders[] = { "", "lib64/", "lib/", "targets/x86_64-linux/lib/", "nvidia/cu13/lib/" };
  enum { FOLDERS = sizeof folders / sizeof *folders };
  char path[400];
  bool found = false;
  for (const char *const *name = names; root[0] == '/' && *name && !found; name++) {
    for (int k = 0; k < FOLDERS && !found; k++)
      found = snprintf(path, sizeof path, "%s/%s%s", root, folders[k], *name) < (int)sizeof path &&
              open_file(path, 0, origin, out);
    if (!found && wheel && snprintf(path, sizeof path, "%s/nvidia/%s/lib/%s", root, wheel, *name) < (int)sizeof path)
      found = open_file(path, 0, origin, out);
  }
  return found;
}

/* LIST: folders with `:' between. */
static bool open_listed(const char *list, const char *const *names, const char *wheel, const char *origin, cuda_found *out)
{
  char root[256];
  bool found = false;
  for (size_t n; list && *list && !found; list += n + (list[n] == ':')) {
    n = strcspn(list, ":");
    if (n < sizeof root) {
      memcpy(root, list, n);
      root[n] = 0;
      found = open_below(root, names, wheel, origin, out);
    }
  }
  return found;
}

/* The packages of the environment that is active. */
static bool open_site(const char *const *names, const char *wheel, cuda_found *out)
{
  const char *environment = secure_getenv("VIRTUAL_ENV");
  char pattern[300];
  glob_t g;
  bool found = false;
  if (!environment || environment[0] != '/' ||
      snprintf(pattern, sizeof pattern, "%s/lib/python3*/site-packages", environment) >= (int)sizeof pattern ||
      glob(pattern, 0, NULL, &g) != 0)
    return false;
  for (size_t k = 0; k < g.gl_pathc && !found; k++)
    found = open_below(g.gl_pathv[k], names, wheel, "$VIRTUAL_ENV", out);
  globfree(&g);
  return found;
}

bool cuda_find(const char *const *names, const char *wheel, cuda_found *out)
{
  *out = (cuda_found){ 0 };
  return open_listed(secure_getenv("HEDDLE_CUDA_PATH"), names, wheel, "$HEDDLE_CUDA_PATH", out) ||
         open_names(names, RTLD_NOLOAD, "open in the process", out) ||
         open_names(names, 0, "the loader's path", out) ||
         open_listed(secure_getenv("CUDA_PATH"), names, wheel, "$CUDA_PATH", out) ||
         open_listed(secure_getenv("CUDA_HOME"), names, wheel, "$CUDA_HOME", out) ||
         open_listed("/usr/local/cuda", names, wheel, "/usr/local/cuda", out) ||
         open_site(names, wheel, out);
}
