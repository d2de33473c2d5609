// SPDX-License-Identifier: BSD-3-Clause
/* The bar: how much is done, how fast, how long it will take.
 *
 * Layer: L5.
 */
#include "progress.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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

const char *progress_duration(double seconds, char text[24])
{
  const long long n = seconds < 3.6e8 ? (long long)(seconds + 0.5) : 360000000;
  if (n >= 3600)
    snprintf(text, 24, "%lld:%02lld:%02lld", n / 3600, n / 60 % 60, n % 60);
  else
    snprintf(text, 24, "%lld:%02lld", n / 60, n % 60);
  return text;
}

void progress_open(progress *p, const char *what, progress_kind kind)
{
  *p = (progress){ .kind = kind, .bar = kind == PROGRESS_AUTO && isatty(STDERR_FILENO), .what = what, .start = seconds_now() };
  p->last = p->start;
  p->colour = p->bar && colour_wanted();
}

static int columns(void)
{
  struct winsize w;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0 ? w.ws_col : 80;
}

/* A line that fits: the numbers, and as much of a bar as there is room for. */
static void draw(progress *p, size_t done, size_t total, const char *numbers)
{
  enum { LEAST = 8, MOST = 40 };
  char bar[MOST + 1] = "";
  const int room = columns() - 1 - (int)strlen(numbers) - 1, width = room < LEAST ? 0 : room < MOST ? room : MOST;
  const size_t full = done * (size_t)width / total;
  for (int i = 0; i < width; i++)
    bar[i] = (size_t)i < full ? '#' : '.';
  fprintf(stderr, "\r%s%s%s %s\033[K", p->colour ? "\033[32m" : "", bar, p->colour ? "\033[0m" : "", numbers);
  p->drawn = true;
}

void progress_update(progress *p, size_t done, size_t total)
{
  const double now = seconds_now(), every = p->bar ? 0 : p->kind == PROGRESS_JSON ? 1 : 60;
  char numbers[160], left[24];
  if (p->kind == PROGRESS_OFF || total == 0)
    return;
  if (!p->looked)
    p->first = done;
  p->looked = true;
  if (now - p->last < every && (done < total || p->kind != PROGRESS_JSON))
    return;
  p->last = now;
  const double elapsed = now - p->start, rate = elapsed > 0 ? (double)(done - (done < p->first ? done : p->first)) / elapsed : 0;
  const double eta = rate > 0 ? (double)(total - done) / rate : 0;
  if (p->kind == PROGRESS_JSON) {
    fprintf(stderr, "{\"schema\":\"heddle.progress/1\",\"what\":\"%s\",\"done\":%zu,\"total\":%zu,\"seconds\":%.1f,\"rate\":%.4g,"
            "\"seconds_left\":%.1f}\n", p->what, done, total, elapsed, rate, eta);
  } else {
    snprintf(numbers, sizeof numbers, "%3zu %%  %zu of %zu %s  %.1f/s  %s left", done * 100 / total, done, total, p->what, rate,
             rate > 0 ? progress_duration(eta, left) : "?");
    if (p->bar)
      draw(p, done, total, numbers);
    else
      fprintf(stderr, "%s\n", numbers);
  }
  fflush(stderr);
}

void progress_close(progress *p)
{
  if (p->drawn)
    fputc('\n', stderr);
  p->drawn = false;
}
