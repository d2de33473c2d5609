// SPDX-License-Identifier: BSD-3-Clause
/* Host memory that the process may have, and could still get. L2.
 *
 * Of RAM what the kernel calls available; of each control group its limit less its use, where file pages that were not
 * touched for long do not count; of the resource limits for address space and data the limit less the use.
 *
 * The files of the kernel take up to hundreds of microseconds to read, so what they said holds for some milliseconds,
 * corrected by what this library's own pool has taken or given back since.
 */
#include "base/cancel.h"
#include "core/process/cgroup.h"
#include "core/memory/memory.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { HOLDS_MS = 10 };

typedef hed__memory_state room;

static void least(size_t *so_far, uint64_t n) { *so_far = n < *so_far ? (size_t)n : *so_far; }

/* The numbers after N KEYs at the start of a line of FILE; what is not there stays as it is. */
static void numbers_of(const char *file, int n, const char *const *key, uint64_t *out)
{
  char line[256];
  unsigned long long value;
  int found = 0;
  FILE *f = fopen(file, "re");
  while (f && found < n && fgets(line, sizeof line, f))
    for (int k = 0; k < n; k++)
      if (strncmp(line, key[k], strlen(key[k])) == 0 && sscanf(line + strlen(key[k]), " %llu", &value) == 1) {
        out[k] = value;
        found++;
      }
  if (f)
    fclose(f);
}

static void of_ram(room *r)
{
  uint64_t kib[2] = { SIZE_MAX >> 10, SIZE_MAX >> 10 };
  numbers_of("/proc/meminfo", 2, (const char *const[]){ "MemTotal:", "MemAvailable:" }, kib);
  least(&r->total, kib[0] << 10);
  least(&r->left, kib[1] << 10);
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
  numbers_of(stat, 1, (const char *const[]){ v2 ? "inactive_file" : "total_inactive_file" }, &idle);
  uint64_t use = (uint64_t)used > idle ? (uint64_t)used - idle : 0;
  least(&r->total, (uint64_t)limit);
  least(&r->left, (uint64_t)limit > use ? (uint64_t)limit - use : 0);
}

/* Pages of address space and of data, stacks among them: short, so it is read each time. */
static void pages_used(unsigned long long used[2])
{
  HED__UNCANCELLED;
  char line[160];
  used[0] = used[1] = 0;
  const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  const ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof line - 1);
  if (fd >= 0)
    close(fd);
  line[n > 0 ? n : 0] = 0;
  if (sscanf(line, "%llu %*u %*u %*u %*u %llu", &used[0], &used[1]) != 2)
    used[0] = used[1] = 0;
}

static room within_limits(room r)
{
  static const int resource[2] = { RLIMIT_AS, RLIMIT_DATA };
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  unsigned long long used[2];
  bool known = false;
  for (int k = 0; k < 2; k++) {
    struct rlimit l;
    if (getrlimit(resource[k], &l) != 0 || l.rlim_cur == RLIM_INFINITY)
      continue;
    if (!known)
      pages_used(used);
    known = true;
    least(&r.total, l.rlim_cur);
    least(&r.left, l.rlim_cur / page > used[k] ? l.rlim_cur - used[k] * page : 0);
  }
  if (r.total == SIZE_MAX) /* nothing could be read */
    r = (room){ 0, 0 };
  return r;
}

static uint64_t now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* What the files say: RAM and control groups. */
static room read_files(void)
{
  HED__UNCANCELLED;
  room r = { SIZE_MAX, SIZE_MAX };
  of_ram(&r);
  hed__cgroup_each("memory", of_group, &r);
  return r;
}

/* The same, not older than HOLDS_MS. Who finds the lock taken reads for itself: after fork it may stay so. */
static room remembered(size_t taken)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static room last;
  static size_t then;
  static uint64_t until;
  if (pthread_mutex_trylock(&lock) != 0)
    return read_files();
  const uint64_t now = now_ms();
  if (now >= until) {
    last = read_files();
    then = taken;
    until = now + HOLDS_MS;
  }
  room r = last;
  const size_t more = taken > then ? taken - then : 0, less = then > taken ? then - taken : 0;
  pthread_mutex_unlock(&lock);
  r.left = r.left > more ? r.left - more : 0;
  r.left = r.left < r.total && less < r.total - r.left ? r.left + less : r.total;
  return r;
}

hed__memory_state hed__memory_look(void) { return within_limits(read_files()); }
hed__memory_state hed__memory_lately(size_t taken) { return within_limits(remembered(taken)); }
