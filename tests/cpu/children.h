// SPDX-License-Identifier: BSD-3-Clause
/* The cpu module at each instruction set of this machine, for tests of its rows: a child per set, because a process opens the
 * module once. Findings lie in memory that the children share.
 */
#ifndef HED_TESTS_CPU_CHILDREN_H
#define HED_TESTS_CPU_CHILDREN_H

#include "mock_host.h"
#include "tap.h"
#include <heddle/backend.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN_LEVELS = 3 };

/* What a child does with the module, and what the parent says of FOUND, the SIZE bytes of its level. */
typedef void (*children_fn)(const hed_plugin *cpu, void *found);
typedef void (*children_report_fn)(const char *level, const void *found);

static inline void children_one(const char *level, const char *shown, children_fn fn, void *found)
{
  const char *why;
  char text[256] = "";
  setenv("HEDDLE_CPU_LEVEL", level, 1);
  const hed_plugin *cpu = mock_load(NULL, &why);
  if (!cpu)
    _exit(2);
  cpu->describe(NULL, text, sizeof text);
  if (strncmp(text, shown, strlen(shown)) != 0)
    _exit(3); /* this processor or this build has no such set */
  fn(cpu, found);
  _exit(0);
}

static inline void children_run(size_t size, children_fn fn, children_report_fn report)
{
  static const char *const levels[CHILDREN_LEVELS][2] = { { "base", "x86-64 baseline" }, { "avx2", "AVX2" }, { "avx512", "AVX-512" } };
  char *found = mmap(NULL, size * CHILDREN_LEVELS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (found == MAP_FAILED)
    skip_all("no shared memory");
  for (int k = 0; k < CHILDREN_LEVELS; k++) {
    const char *level = levels[k][0];
    fflush(NULL);
    pid_t p = fork();
    if (p == 0)
      children_one(level, levels[k][1], fn, found + (size_t)k * size);
    int status = -1;
    waitpid(p, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 3 && k > 0) {
      skip(1, "no cpu module of level %s here", level);
      continue;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      fail("the child for %s ended with %d", level, status);
    report(level, found + (size_t)k * size);
  }
  munmap(found, size * CHILDREN_LEVELS);
}

#endif
