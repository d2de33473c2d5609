// SPDX-License-Identifier: BSD-3-Clause
/*
 * progress.c: the bar: how much is done, how fast, how long it will take.
 *
 * Layer: L5.
 */
#include "progress.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool colour_wanted(void)
{
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
  return !(no && *no) && term && strcmp(term, "dumb") != 0;
}

bool colour_on_stdout(void)
{
  return isatty(STDOUT_FILENO) && colour_wanted();
}

void progress_open(progress *p, const char *what, bool quiet)
{
  *p = (progress){ .on = !quiet && isatty(STDERR_FILENO), .what = what, .start = seconds_now() };
  p->colour = p->on && colour_wanted();
}

void progress_update(progress *p, size_t done, size_t total)
{
  enum { WIDTH = 30 };
  char bar[WIDTH + 1];
  if (!p->on || total == 0)
    return;
  double elapsed = seconds_now() - p->start, rate = elapsed > 0 ? (double)done / elapsed : 0;
  size_t full = done * WIDTH / total;
  for (size_t i = 0; i < WIDTH; i++)
    bar[i] = i < full ? '#' : '.';
  bar[WIDTH] = '\0';
  fprintf(stderr, "\r%s%s%s %3zu %%  %zu of %zu %s", p->colour ? "\033[32m" : "", bar, p->colour ? "\033[0m" : "",
          done * 100 / total, done, total, p->what);
  if (rate > 0)
    fprintf(stderr, "  %.1f/s  %.0f s left ", rate, (double)(total - done) / rate);
  fputs("  ", stderr);
  fflush(stderr);
  p->drawn = true;
}

void progress_close(progress *p)
{
  if (p->drawn)
    fputc('\n', stderr);
  p->drawn = false;
}
