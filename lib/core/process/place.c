// SPDX-License-Identifier: BSD-3-Clause
/* Where this library is. L2. See place.h.
 *
 * The loader tells the name by which it opened the file; a relative one means nothing after a chdir, so the kernel's list of
 * what is mapped is read then. Privileged processes and static programs keep to the compiled-in folder.
 */
#include "core/process/place.h"
#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

static char folder[PATH_MAX + 32];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The file that is mapped at ADDRESS. */
static bool mapped_file(uintptr_t address, char path[static PATH_MAX])
{
  FILE *f = fopen("/proc/self/maps", "re");
  char line[PATH_MAX + 128];
  bool found = false;
  while (f && !found && fgets(line, sizeof line, f)) {
    uintptr_t low = 0, high = 0;
    const char *name = strchr(line, '/');
    if (!name || sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &low, &high) != 2 || address < low || address >= high)
      continue;
    found = snprintf(path, PATH_MAX, "%.*s", (int)strcspn(name, "\n"), name) < PATH_MAX;
  }
  if (f)
    fclose(f);
  return found;
}

static bool own_file(char path[static PATH_MAX])
{
  const char *(*self)(void) = hed__module_folder;
  Dl_info info;
  void *p;
  memcpy(&p, &self, sizeof p); /* ISO C has no cast from a function pointer */
  if (!dladdr(p, &info) || !info.dli_fname)
    return false;
  return info.dli_fname[0] == '/' ? realpath(info.dli_fname, path) != NULL : mapped_file((uintptr_t)p, path);
}

static bool same_folder(const char *a, const char *b)
{
  struct stat s, t;
  return stat(a, &s) == 0 && stat(b, &t) == 0 && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

static void find(void)
{
  static const char tail[] = "/heddle/backends", name[] = "libheddle";
  char path[PATH_MAX], built[] = HED_MODULE_DIR;
  const size_t n = strlen(built), m = sizeof tail - 1;
  snprintf(folder, sizeof folder, "%s", HED_MODULE_DIR);
  if (getauxval(AT_SECURE) != 0 || !own_file(path))
    return;
  char *base = strrchr(path, '/');
  if (!base || strncmp(base + 1, name, sizeof name - 1) != 0) /* part of a program */
    return;
  *base = '\0';
  if (n > m && strcmp(built + n - m, tail) == 0)
    built[n - m] = '\0';
  if (!same_folder(path, built))
    snprintf(folder, sizeof folder, "%s%s", path, tail);
}

const char *hed__module_folder(void)
{
  pthread_once(&once, find);
  return folder;
}
