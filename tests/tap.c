// SPDX-License-Identifier: BSD-3-Clause
/* TAP output: see tap.h.
 *
 * One mutex covers the counters and both streams, so a point and its diagnosis stay together.
 * stdout is flushed after each line: a test that crashes or forks leaves nothing in a buffer.
 */
#include "tap.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t tap_lock = PTHREAD_MUTEX_INITIALIZER;
static int tap_planned = -1;
static int tap_run;
static int tap_failed;

/* The mark of this thread's points: none, until todo_end(), the next. */
static _Thread_local enum { MARK_NONE, MARK_BLOCK, MARK_NEXT } tap_todo;
static _Thread_local char tap_todo_reason[512];

/* Prints one diagnostic, with "# " before each of its lines.  The lock is held. */
static void comment(const char *format, va_list ap)
{
  char text[2048];
  vsnprintf(text, sizeof text, format, ap);
  for (const char *s = text; s != NULL;) {
    const char *end = strchr(s, '\n');
    int n = end != NULL ? (int)(end - s) : (int)strlen(s);
    fprintf(stderr, "# %.*s\n", n, s);
    s = end != NULL && end[1] != '\0' ? end + 1 : NULL;
  }
  fflush(stderr);
}

/* What stands on a line of the protocol.  A '#' would start a directive, a newline a new line: both are replaced. */
static void words(char *text, size_t size, const char *format, va_list ap)
{
  vsnprintf(text, size, format, ap);
  for (char *s = text; *s != '\0'; s++) {
    if (*s == '#')
      *s = '+';
    else if (*s == '\n')
      *s = ' ';
  }
}

static void explain(const char *format, ...) TAP_FORMAT(1, 2);

/* One point.  The lock is held. */
static void point(bool passed, const char *name, va_list ap)
{
  const bool marked = tap_todo != MARK_NONE;
  char text[512];
  words(text, sizeof text, name, ap);
  tap_run++;
  tap_failed += passed == marked;
  printf("%sok %d - %s%s%s\n", passed ? "" : "not ", tap_run, text, marked ? " # TODO " : "",
         marked ? tap_todo_reason : "");
  fflush(stdout);
  if (marked && passed)
    explain("passes while marked");
  if (tap_todo == MARK_NEXT)
    tap_todo = MARK_NONE;
}

static void explain(const char *format, ...)
{
  va_list ap;
  va_start(ap, format);
  comment(format, ap);
  va_end(ap);
}

void plan(int points)
{
  pthread_mutex_lock(&tap_lock);
  tap_planned = points;
  printf("1..%d\n", points);
  fflush(stdout);
  pthread_mutex_unlock(&tap_lock);
}

void skip_all(const char *reason, ...)
{
  char text[512];
  va_list ap;
  va_start(ap, reason);
  vsnprintf(text, sizeof text, reason, ap);
  va_end(ap);
  printf("1..0 # SKIP %s\n", text);
  exit(0);
}

void skip(int n, const char *reason, ...)
{
  char text[512];
  va_list ap;
  va_start(ap, reason);
  vsnprintf(text, sizeof text, reason, ap);
  va_end(ap);
  pthread_mutex_lock(&tap_lock);
  for (int i = 0; i < n; i++)
    printf("ok %d # SKIP %s\n", ++tap_run, text);
  fflush(stdout);
  pthread_mutex_unlock(&tap_lock);
}

void todo(const char *reason, ...)
{
  va_list ap;
  va_start(ap, reason);
  words(tap_todo_reason, sizeof tap_todo_reason, reason, ap);
  va_end(ap);
  tap_todo = MARK_BLOCK;
}

void todo_next(const char *reason, ...)
{
  va_list ap;
  va_start(ap, reason);
  words(tap_todo_reason, sizeof tap_todo_reason, reason, ap);
  va_end(ap);
  tap_todo = MARK_NEXT;
}

void todo_end(void)
{
  tap_todo = MARK_NONE;
}

void diag(const char *text, ...)
{
  va_list ap;
  va_start(ap, text);
  pthread_mutex_lock(&tap_lock);
  comment(text, ap);
  pthread_mutex_unlock(&tap_lock);
  va_end(ap);
}

void bail(const char *why, ...)
{
  char text[512];
  va_list ap;
  va_start(ap, why);
  vsnprintf(text, sizeof text, why, ap);
  va_end(ap);
  printf("Bail out! %s\n", text);
  fflush(stdout);
  exit(255);
}

void done_testing(void)
{
  pthread_mutex_lock(&tap_lock);
  if (tap_planned < 0) {
    tap_planned = tap_run;
    printf("1..%d\n", tap_run);
    fflush(stdout);
  }
  pthread_mutex_unlock(&tap_lock);
}

int done(void)
{
  done_testing();
  pthread_mutex_lock(&tap_lock);
  bool kept = tap_run == tap_planned;
  if (!kept)
    explain("planned %d points, ran %d", tap_planned, tap_run);
  if (tap_failed > 0)
    explain("%d of %d points failed", tap_failed, tap_run);
  int status = kept && tap_failed == 0 ? 0 : 1;
  pthread_mutex_unlock(&tap_lock);
  return status;
}

int tap_failures(void)
{
  pthread_mutex_lock(&tap_lock);
  int n = tap_failed;
  pthread_mutex_unlock(&tap_lock);
  return n;
}

/* The number that the variable NAME says as TEXT, or the end of the run. */
static uint64_t parsed_seed(const char *name, const char *text)
{
  const size_t n = strlen(text);
  errno = 0;
  const unsigned long long value = strtoull(text, NULL, 10);
  if (n == 0 || strspn(text, "0123456789") != n || errno == ERANGE || value > UINT64_MAX)
    bail("%s is '%s': neither a number of 64 bits nor random", name, text);
  return value;
}

uint64_t tap_seed(void)
{
  static uint64_t seed;
  static bool known;
  pthread_mutex_lock(&tap_lock);
  if (!known) {
    const char *text = getenv("HEDDLE_TEST_SEED");
    struct timespec now;
    if (text == NULL) {
      seed = UINT64_C(20261120);
    } else if (strcmp(text, "random") == 0) {
      clock_gettime(CLOCK_REALTIME, &now);
      seed = (uint64_t)now.tv_sec * UINT64_C(1000000007) ^ (uint64_t)now.tv_nsec;
    } else {
      seed = parsed_seed("HEDDLE_TEST_SEED", text);
    }
    known = true;
    explain("seed %" PRIu64 " (HEDDLE_TEST_SEED=%" PRIu64 " repeats this run)", seed, seed);
  }
  uint64_t value = seed;
  pthread_mutex_unlock(&tap_lock);
  return value;
}

bool full_run(void)
{
  const char *full = getenv("HEDDLE_TEST_FULL");
  return full != NULL && strcmp(full, "1") == 0;
}

static uint64_t share_number(void)
{
  const char *text = getenv("HEDDLE_TEST_SHARE");
  return text != NULL ? parsed_seed("HEDDLE_TEST_SHARE", text) : tap_seed();
}

bool share(int k, int n)
{
  if (k < 0 || n < 1)
    bail("share %d of %d cannot be", k, n);
  return full_run() || (uint64_t)k % (uint64_t)n == share_number() % (uint64_t)n;
}

#if defined(__SANITIZE_THREAD__)
#  define SCALE 0.1
#elif defined(__SANITIZE_ADDRESS__)
#  define SCALE 0.3
#else
#  define SCALE 1.0
#endif

bool in_sample(int k)
{
  enum { SHARES = 3, OTHERS = 27 }; /* not the digit that share() has used: its third would always be the same rows */
  if (k < 0)
    bail("row %d cannot be", k);
  return SCALE >= 1 || full_run() || (uint64_t)k % SHARES == share_number() / OTHERS % SHARES;
}

bool for_races(void)
{
  return SCALE <= 0.1 && !full_run();
}

int scaled(int n)
{
  const char *text = getenv("HEDDLE_TEST_SCALE");
  const double f = text != NULL ? strtod(text, NULL) : SCALE;
  const int k = (int)(n * (f > 0 && f <= 1 ? f : 1));
  return k > 1 ? k : 1;
}

bool thorough(int sum)
{
  return share(sum, 3);
}

/* Opens an assertion: prints its point and, when it failed, where.  Closed by unlocking. */
#define POINT(passed)                                          \
  do {                                                         \
    va_list ap_;                                               \
    va_start(ap_, name);                                       \
    pthread_mutex_lock(&tap_lock);                             \
    point((passed), name, ap_);                                \
    va_end(ap_);                                               \
    if (!(passed))                                             \
      explain("failed at %s:%d: %s", file, line, expression);  \
  } while (0)

#define CLOSE()                      \
  pthread_mutex_unlock(&tap_lock);   \
  return passed

bool tap_ok(const char *file, int line, bool passed, const char *expression, const char *name, ...)
{
  POINT(passed);
  CLOSE();
}

bool tap_is_int(const char *file, int line, int64_t got, int64_t want, const char *expression,
                const char *name, ...)
{
  bool passed = got == want;
  POINT(passed);
  if (!passed)
    explain("     got: %" PRId64 "\nexpected: %" PRId64, got, want);
  CLOSE();
}

bool tap_is_uint(const char *file, int line, uint64_t got, uint64_t want, const char *expression,
                 const char *name, ...)
{
  bool passed = got == want;
  POINT(passed);
  if (!passed)
    explain("     got: %" PRIu64 " (0x%" PRIx64 ")\nexpected: %" PRIu64 " (0x%" PRIx64 ")", got,
            got, want, want);
  CLOSE();
}

bool tap_is_str(const char *file, int line, const char *got, const char *want,
                const char *expression, const char *name, ...)
{
  bool passed = got == NULL || want == NULL ? got == want : strcmp(got, want) == 0;
  POINT(passed);
  if (!passed)
    explain("     got: %s%s%s\nexpected: %s%s%s", got ? "\"" : "", got ? got : "NULL",
            got ? "\"" : "", want ? "\"" : "", want ? want : "NULL", want ? "\"" : "");
  CLOSE();
}

bool tap_has_str(const char *file, int line, const char *got, const char *part,
                 const char *expression, const char *name, ...)
{
  bool passed = got != NULL && strstr(got, part) != NULL;
  POINT(passed);
  if (!passed)
    explain("     got: %s\nlacks: \"%s\"", got ? got : "NULL", part);
  CLOSE();
}

bool tap_is_ptr(const char *file, int line, const void *got, const void *want,
                const char *expression, const char *name, ...)
{
  bool passed = got == want;
  POINT(passed);
  if (!passed)
    explain("     got: %p\nexpected: %p", got, want);
  CLOSE();
}

bool tap_is_near(const char *file, int line, double got, double want, double rel, double abs,
                 const char *expression, const char *name, ...)
{
  bool passed = got == want || (isnan(got) && isnan(want)) ||
                (isfinite(want) && fabs(got - want) <= abs + rel * fabs(want));
  POINT(passed);
  if (!passed)
    explain("     got: %.17g\nexpected: %.17g\n   apart: %.3g, allowed %.3g", got, want,
            fabs(got - want), abs + rel * fabs(want));
  CLOSE();
}

/* Maps the bits of a float of `width` bits to an integer that grows with its value. */
static int64_t ordered(uint64_t bits, int width)
{
  uint64_t sign = UINT64_C(1) << (width - 1);
  return bits & sign ? -(int64_t)(bits & (sign - 1)) : (int64_t)bits;
}

static uint64_t ulps_apart(uint64_t a, uint64_t b, int width)
{
  int64_t x = ordered(a, width), y = ordered(b, width);
  return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

bool tap_is_ulp(const char *file, int line, double got, double want, uint64_t ulps,
                const char *expression, const char *name, ...)
{
  uint64_t a, b;
  memcpy(&a, &got, sizeof a);
  memcpy(&b, &want, sizeof b);
  uint64_t apart = ulps_apart(a, b, 64);
  bool passed = (isnan(got) || isnan(want)) ? isnan(got) && isnan(want) : apart <= ulps;
  POINT(passed);
  if (!passed)
    explain("     got: %.17g (%a)\nexpected: %.17g (%a)\n   apart: %" PRIu64
            " ulp, allowed %" PRIu64, got, got, want, want, apart, ulps);
  CLOSE();
}

bool tap_is_ulpf(const char *file, int line, float got, float want, uint64_t ulps,
                 const char *expression, const char *name, ...)
{
  uint32_t a, b;
  memcpy(&a, &got, sizeof a);
  memcpy(&b, &want, sizeof b);
  uint64_t apart = ulps_apart(a, b, 32);
  bool passed = (isnan(got) || isnan(want)) ? isnan(got) && isnan(want) : apart <= ulps;
  POINT(passed);
  if (!passed)
    explain("     got: %.9g (%a)\nexpected: %.9g (%a)\n   apart: %" PRIu64
            " ulp, allowed %" PRIu64, (double)got, (double)got, (double)want, (double)want, apart,
            ulps);
  CLOSE();
}

bool tap_is_mem(const char *file, int line, const void *got, const void *want, uint64_t n,
                const char *expression, const char *name, ...)
{
  const unsigned char *a = got, *b = want;
  uint64_t i = 0;
  while (i < n && a[i] == b[i])
    i++;
  bool passed = i == n;
  POINT(passed);
  if (!passed)
    explain("byte %" PRIu64 " of %" PRIu64 "\n     got: 0x%02x\nexpected: 0x%02x", i, n, a[i],
            b[i]);
  CLOSE();
}
