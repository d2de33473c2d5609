// SPDX-License-Identifier: BSD-3-Clause
/* Host memory that the process may have, and could still get. L2.
 *
 * Of RAM what the kernel calls available; of each control group its limit less its use, where file pages that were not
 * touched for long do not count; of the resource limits for address space and data the limit less the use.
 */
#include "core/cgroup.h"
#include "core/memory.h"
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct room {
  size_t total, left;
} room;

static void least(size_t *so_far, uint64_t n) { *so_far = n < *so_far ? (size_t)n : *so_far; }

/* The number after KEY at the start of a line of FILE; false when there is none. */
static bool number_of(const char *file, const char *key, uint64_t *out)
{
  char line[256];
  bool found = false;
  unsigned long long n;
  FILE *f = fopen(file, "re");
  while (f && !found && fgets(line, sizeof line, f))
    if (strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), " %llu", &n) == 1) {
      *out = n;
      found = true;
    }
  if (f)
    fclose(f);
  return found;
}

static void of_ram(room *r)
{
  uint64_t kib;
  if (number_of("/proc/meminfo", "MemTotal:", &kib))
    least(&r->total, kib << 10);
  if (number_of("/proc/meminfo", "MemAvailable:", &kib))
    least(&r->left, kib << 10);
}

static void of_group(void *arg, const char *folder)
{
  room *r = arg;
  long long limit, used;
  uint64_t idle = 0;
  char stat[1300];
  bool v2 = hed__cgroup_numbers(folder, "memory.max", &limit, NULL);
  if (!v2 && !hed__cgroup_numbers(folder, "memory.limit_in_bytes", &limit, NULL))
    return;
  if (!hed__cgroup_numbers(folder, v2 ? "memory.current" : "memory.usage_in_bytes", &used, NULL) || limit < 0 || used < 0)
    return;
  snprintf(stat, sizeof stat, "%s/memory.stat", folder);
  (void)number_of(stat, v2 ? "inactive_file" : "total_inactive_file", &idle);
  uint64_t use = (uint64_t)used > idle ? (uint64_t)used - idle : 0;
  least(&r->total, (uint64_t)limit);
  least(&r->left, (uint64_t)limit > use ? (uint64_t)limit - use : 0);
}

static void of_limit(room *r, int resource, const char *key)
{
  struct rlimit l;
  uint64_t kib = 0;
  if (getrlimit(resource, &l) != 0 || l.rlim_cur == RLIM_INFINITY)
    return;
  (void)number_of("/proc/self/status", key, &kib);
  least(&r->total, l.rlim_cur);
  least(&r->left, l.rlim_cur > kib << 10 ? l.rlim_cur - (kib << 10) : 0);
}

static room look(void)
{
  room r = { SIZE_MAX, SIZE_MAX };
  of_ram(&r);
  hed__cgroup_each("memory", of_group, &r);
  of_limit(&r, RLIMIT_AS, "VmSize:");
  of_limit(&r, RLIMIT_DATA, "VmData:");
  if (r.total == SIZE_MAX) /* nothing could be read */
    r = (room){ 0, 0 };
  return r;
}

size_t hed__memory_total(void) { return look().total; }
size_t hed__memory_room(void) { return look().left; }
