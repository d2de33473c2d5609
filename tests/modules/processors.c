// SPDX-License-Identifier: BSD-3-Clause
/* To be preloaded: what says how many processors there are says sixteen, each of which a thread may run on until it is kept off
 * some. Where threads really run does not change. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { PROCESSORS = 16 };

static __thread cpu_set_t mine;
static __thread bool chosen;

__attribute__((visibility("default"))) long sysconf(int name)
{
  long (*real)(int);
  *(void **)(&real) = dlsym(RTLD_NEXT, "sysconf");
  return name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF ? PROCESSORS : real(name);
}

__attribute__((visibility("default"))) int sched_getaffinity(pid_t thread, size_t size, cpu_set_t *set)
{
  (void)thread;
  memset(set, 0, size);
  for (size_t i = 0; i < PROCESSORS; i++)
    if (!chosen || CPU_ISSET(i, &mine))
      CPU_SET_S(i, size, set);
  return 0;
}

__attribute__((visibility("default"))) int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t *set)
{
  (void)thread;
  CPU_ZERO(&mine);
  memcpy(&mine, set, size < sizeof mine ? size : sizeof mine);
  chosen = true;
  return 0;
}

__attribute__((visibility("default"))) int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set)
{
  (void)thread, (void)size, (void)set;
  return 0;
}
