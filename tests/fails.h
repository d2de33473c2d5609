// SPDX-License-Identifier: BSD-3-Clause
/* Failures: their status, and words of their sentence. */
#ifndef HED_TESTS_FAILS_H
#define HED_TESTS_FAILS_H
#include "tap.h"
#include <heddle.h>
#include <string.h>

static inline bool fails(hed_status got, hed_status want, const char *words, const char *what)
{
  const bool good = got == want && strstr(hed_error_text(), words);
  ok(good, "%s: %s", what, hed_error_text());
  if (!good)
    diag("status %d, not %d, or no \"%s\"", got, want, words);
  hed_error_clear();
  return good;
}

#endif
