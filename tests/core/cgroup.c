// SPDX-License-Identifier: BSD-3-Clause
/* Limits of control groups, from files like the kernel's: version 1 and 2, groups within groups, no limit, file pages,
 * controllers mounted together, groups that are not seen from inside. L5.
 */
#include "core/process/cgroup.h"
#include "core/memory/memory.h"
#include "tap.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MIB = 1 << 20 };

static char root[64];

/* A file of TEXT at PATH below the root, with its folders. */
static void put(const char *path, const char *text)
{
  char file[512];
  snprintf(file, sizeof file, "%s%s", root, path);
  for (char *p = file + strlen(root) + 1; (p = strchr(p, '/')); *p++ = '/') {
    *p = 0;
    (void)mkdir(file, 0700);
  }
  FILE *f = fopen(file, "w");
  if (!f || fputs(text, f) < 0 || fclose(f) != 0)
    bail("cannot write %s", file);
}

static void group(const char *folder, bool v2, const char *limit, const char *used, const char *stat)
{
  const char *const one[3] = { "memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat" };
  const char *const two[3] = { "memory.max", "memory.current", "memory.stat" };
  const char *const text[3] = { limit, used, stat };
  char path[256];
  for (int k = 0; k < 3; k++) {
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", folder, v2 ? two[k] : one[k]);
    if (text[k])
      put(path, text[k]);
  }
}

static void clean(void)
{
  char command[256];
  snprintf(command, sizeof command, "rm -rf '%s/proc' '%s/sys'", root, root);
  if (system(command) != 0)
    bail("%s", command);
}

/* The process may have TOTAL and could still get LEFT MiB. */
static void expect(size_t total, size_t left, const char *what)
{
  const hed__memory_state m = hed__memory_look();
  ok(m.total == total * MIB && m.left == left * MIB, "%s (%zu of %zu MiB, %zu of %zu expected)", what, m.left / MIB,
     m.total / MIB, left, total);
  clean();
}

static void expect_none(const hed__memory_state *bare, const char *what)
{
  const hed__memory_state m = hed__memory_look();
  ok(m.total == bare->total && m.left > bare->left / 2, "%s", what);
  clean();
}

#define STAT(key) "cache 1\n" key " 8388608\nrss 77\n"
#define NONE_V1 "9223372036854771712\n"

int main(void)
{
  snprintf(root, sizeof root, "/tmp/heddle-cgroup-XXXXXX");
  if (!mkdtemp(root))
    bail("no temporary folder");
  hed__cgroup_root = root;
  const hed__memory_state bare = hed__memory_look();
  ok(bare.total > 200 * (size_t)MIB && bare.left <= bare.total, "no control groups: all of RAM");

  put("/proc/self/cgroup", "0::/job\n");
  group("/job", true, "67108864\n", "33554432\n", NULL);
  expect(64, 32, "version 2");
  put("/proc/self/cgroup", "0::/job\n");
  group("/job", true, "67108864\n", "33554432\n", STAT("inactive_file"));
  expect(64, 40, "version 2: file pages that lie idle are to be had");
  put("/proc/self/cgroup", "0::/job\n");
  group("/job", true, "67108864\n", "4194304\n", STAT("inactive_file"));
  expect(64, 64, "... which may be more than the use, as it was read before");
  put("/proc/self/cgroup", "0::/job\n");
  group("/job", true, "max\n", "33554432\n", NULL);
  expect_none(&bare, "version 2 without a limit");
  put("/proc/self/cgroup", "0::/job\n");
  group("/job", true, "67108864\n", "99999999\n", NULL);
  expect(64, 0, "more in use than is allowed: nothing is left");
  put("/proc/self/cgroup", "0::/\n");
  group("", true, "67108864\n", "0\n", NULL);
  expect(64, 64, "the root, as a container sees it");

  put("/proc/self/cgroup", "0::/a/b/c\n");
  group("/a", true, "104857600\n", "94371840\n", NULL);
  group("/a/b", true, "max\n", "94371840\n", NULL);
  group("/a/b/c", true, "67108864\n", "33554432\n", NULL);
  expect(64, 10, "groups within groups: the least limit, the least that is left, from different ones");
  put("/proc/self/cgroup", "0::/a/b\n");
  group("/a", true, "33554432\n", "1048576\n", NULL);
  group("/a/b", true, "67108864\n", "1048576\n", NULL);
  expect(32, 31, "a group round it that allows less");
  put("/proc/self/cgroup", "0::/elsewhere/seen/from/outside\n");
  group("", true, "67108864\n", "1048576\n", NULL);
  expect(64, 63, "a path that is not there: those above it");

  put("/proc/self/cgroup", "3:cpu,cpuacct:/x\n4:memory:/job\n1:name=systemd:/y\n0::/z\n");
  group("/memory/job", false, "67108864\n", "33554432\n", STAT("total_inactive_file"));
  group("/memory", false, NONE_V1, "44444444\n", NULL);
  group("/x", true, "1048576\n", "0\n", NULL);
  expect(64, 40, "version 1, beside a version 2 without memory");
  put("/proc/self/cgroup", "4:memory:/job\n");
  group("/memory/job", false, NONE_V1, "33554432\n", NULL);
  expect_none(&bare, "version 1 without a limit");
  put("/proc/self/cgroup", "4:memory:/job/in\n");
  group("/memory/job", false, "67108864\n", "33554432\n", NULL);
  group("/memory/job/in", false, "134217728\n", "1048576\n", NULL);
  expect(64, 32, "version 1, groups within groups");
  put("/proc/self/cgroup", "4:cpuset,memory:/job\n");
  group("/memory/job", false, "67108864\n", "33554432\n", NULL);
  expect(64, 32, "controllers that share a hierarchy");
  put("/proc/self/cgroup", "4:notmemory,memorys:/job\n");
  group("/memory/job", false, "67108864\n", "33554432\n", NULL);
  expect_none(&bare, "names that only look like it");
  put("/proc/self/cgroup", "not a line of it\n");
  group("", true, "67108864\n", "33554432\n", NULL);
  expect_none(&bare, "a file of something else");
  (void)rmdir(root);
  return done();
}
