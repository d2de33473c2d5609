// SPDX-License-Identifier: BSD-3-Clause
/* Control groups, as /proc/self/cgroup and the mounted hierarchies tell. L2. */
#include "core/process/cgroup.h"
#include "base/cancel.h"
#include <stdio.h>
#include <string.h>

const char *hed__cgroup_root = "";

bool hed__cgroup_numbers(const char *folder, const char *name, long long *a, long long *b)
{
  HED__UNCANCELLED;
  char file[1300];
  snprintf(file, sizeof file, "%s/%s", folder, name);
  FILE *f = fopen(file, "re");
  if (!f)
    return false;
  int n = b ? fscanf(f, "%lld %lld", a, b) : fscanf(f, "%lld", a);
  fclose(f);
  return n == (b ? 2 : 1);
}

/* Does a line of /proc/self/cgroup ("ID:CONTROLLERS:PATH") name the hierarchy of CONTROLLER? Version 2 names none. */
static bool rations(const char *controllers, size_t len, const char *controller)
{
  size_t n = strlen(controller);
  for (size_t at = 0; at < len; at += strcspn(controllers + at, ",:") + 1)
    if (strncmp(controllers + at, controller, n) == 0 && strchr(",:", controllers[at + n]))
      return true;
  return len == 0;
}

void hed__cgroup_each(const char *controller, void (*fn)(void *arg, const char *folder), void *arg)
{
  HED__UNCANCELLED;
  char line[1024], folder[1290];
  snprintf(folder, sizeof folder, "%.128s/proc/self/cgroup", hed__cgroup_root);
  FILE *f = fopen(folder, "re");
  while (f && fgets(line, sizeof line, f)) {
    char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path || !rations(controllers + 1, (size_t)(path - controllers - 1), controller))
      continue;
    bool v2 = path == controllers + 1;
    path++;
    path[strcspn(path, "\n")] = 0;
    for (char *end = path + strlen(path); end; end = strrchr(path, '/')) {
      *end = 0;
      snprintf(folder, sizeof folder, "%.128s/sys/fs/cgroup%s%s%s", hed__cgroup_root, v2 ? "" : "/", v2 ? "" : controller, path);
      fn(arg, folder);
    }
  }
  if (f)
    fclose(f);
}
