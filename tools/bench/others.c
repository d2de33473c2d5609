// SPDX-License-Identifier: BSD-3-Clause
/* What other processes take while a row is measured.
 *
 * Layer: L5. A row of two threads beside a process that keeps one of two processors measures that process, and its quartiles
 * may show nothing of it.
 */
#include "bench.h"
#include <math.h>
#include <time.h>
#include <unistd.h>

/* The kernel counts in hundredths of a second, at ticks: of shorter times nothing can be said, nor of small shares. */
static const double LEAST_S = 0.2, LEAST_SHARE = 0.2;

/* Seconds of processors that others have computed since the system started; NaN: it does not say. */
static double others_s(void)
{
  long long user, nice, system, idle, wait, irq, softirq;
  struct timespec own;
  FILE *f = fopen("/proc/stat", "r");
  int n = f ? fscanf(f, "cpu %lld %lld %lld %lld %lld %lld %lld", &user, &nice, &system, &idle, &wait, &irq, &softirq) : 0;
  if (f)
    fclose(f);
  if (n != 7 || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own) != 0)
    return NAN;
  const double ticks = (double)(user + nice + system + irq + softirq);
  return ticks / (double)sysconf(_SC_CLK_TCK) - ((double)own.tv_sec + 1e-9 * (double)own.tv_nsec);
}

void bench_others_begin(bench_others *o)
{
  o->start = bench_now();
  o->others = others_s();
}

void bench_others_end(const bench_others *o, char *note, size_t cap)
{
  const double s = 1e-9 * (bench_now() - o->start), share = (others_s() - o->others) / s;
  const size_t used = strlen(note);
  if (s >= LEAST_S && share >= LEAST_SHARE && used < cap)
    snprintf(note + used, cap - used, "%sother processes took %.1f processors", used ? "; " : "", share);
}
