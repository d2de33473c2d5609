// SPDX-License-Identifier: BSD-3-Clause
/* Waits until the threads of the contestant before are asleep.
 *
 * Layer: L5. Threads of a library go on looking for work when theirs is done: FFTW's not at all, ours 0.2 ms, OpenMP's 8 ms,
 * OpenBLAS's 0.1 s. As long as they do they take a processor from whatever is measured next.
 */
#define _GNU_SOURCE
#include "bench.h"
#include <dirent.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_NS = 500000, MOST_NS = 300000000, BLIND_NS = 10000000 };

/* Whether a thread of this process but the calling one runs; -1: the system does not say. */
static int others_run(void)
{
  DIR *folder = opendir("/proc/self/task");
  int found = folder ? 0 : -1;
  for (struct dirent *e; folder && !found && (e = readdir(folder));) {
    char path[64], text[512];
    if (*e->d_name == '.' || atol(e->d_name) == (long)gettid())
      continue;
    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", e->d_name);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = '\0';
    const char *name_end = strrchr(text, ')'); /* "123 (name) S ..." */
    found = name_end && strncmp(name_end, ") R", 3) == 0;
    if (f)
      fclose(f);
  }
  if (folder)
    closedir(folder);
  return found;
}

static void pause_ns(long ns)
{
  const struct timespec t = { 0, ns };
  nanosleep(&t, NULL);
}

void bench_settle(void)
{
  int running;
  for (double end = bench_now() + MOST_NS; (running = others_run()) > 0 && bench_now() < end;)
    pause_ns(LOOK_NS);
  if (running < 0)
    pause_ns(BLIND_NS);
}
