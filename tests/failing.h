// SPDX-License-Identifier: BSD-3-Clause
/* Of programs whose allocations fail: an allocator under the static library, put there by the linker (--wrap), and a loop in which
 * each allocation of a call fails once.
 */
#ifndef HED_TESTS_FAILING_H
#define HED_TESTS_FAILING_H
#include "tap.h"
#include <errno.h>
#include <heddle.h>
#include <locale.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
int __real_posix_memalign(void **p, size_t align, size_t n);
locale_t __real_newlocale(int mask, const char *name, locale_t base);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);
int __wrap_posix_memalign(void **p, size_t align, size_t n);
locale_t __wrap_newlocale(int mask, const char *name, locale_t base);

/* The next `countdown` allocations succeed, the one after fails; below 0 none does. */
static atomic_long countdown = -1;

static bool fails(void) {
  long left = atomic_load(&countdown);
  while (left >= 0 && !atomic_compare_exchange_weak(&countdown, &left, left - 1))
    continue;
  bool now = left == 0;
  if (now)
    errno = ENOMEM;
  return now;
}

void *__wrap_malloc(size_t n) {
  return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size) {
  return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n) {
  return fails() ? NULL : __real_realloc(p, n);
}

int __wrap_posix_memalign(void **p, size_t align, size_t n) {
  return fails() ? ENOMEM : __real_posix_memalign(p, align, n);
}

char *__wrap_strdup(const char *s) {
  return fails() ? NULL : __real_strdup(s);
}

locale_t __wrap_newlocale(int mask, const char *name, locale_t base) {
  return fails() ? (locale_t)0 : __real_newlocale(mask, name, base);
}

/* One row of three where a sanitizer is at work.
 * CALL until it succeeds without a failure; MAKES (NULL: nothing) is the file that it makes, and that failures must not leave. */
static inline void every_allocation(const char *name, hed_status (*call)(void), const char *makes) {
  static int row;
  char path[512] = "";
  long n = 0;
  int wrong = 0;
  hed_status status;
  row++;
  if (!in_sample(row + row / 3)) /* rows come in threes */
    return;
  if (makes)
    (void)snprintf(path, sizeof path, "%s", makes);
  for (;; n++) {
    hed_trim("reference", SIZE_MAX, HED_TRIM_BLOCKS); /* what is kept for reuse needs no allocation */
    hed_error_clear();
    countdown = n;
    status = call();
    bool used = countdown < 0;
    countdown = -1;
    if (status == HED_OK && used) { /* an allocation that can be done without, such as that of a folder's name */
      if (makes)
        unlink(path);
      continue;
    }
    if (status == HED_OK || n > 10000)
      break;
    if (status != HED_E_NOMEM || hed_error_text()[0] == '\0') {
      wrong++;
      diag("%s, allocation %ld: %d, %s", name, n, status, hed_error_text());
    }
    if (makes && access(path, F_OK) == 0) {
      wrong++;
      diag("%s, allocation %ld: a file is left", name, n);
      unlink(path);
    }
  }
  is_int(wrong, 0, "%s: each of %ld allocations may fail", name, n);
  is_int(status, HED_OK, "... and with all of them it succeeds");
  ok(n >= 1, "... there are some");
  if (makes)
    unlink(path);
}

#endif
