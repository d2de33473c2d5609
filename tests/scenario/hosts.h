// SPDX-License-Identifier: BSD-3-Clause
/* What the tests of foreign hosts share. L5.
 *
 * The same program runs with the interposer linked, preloaded, switched off and absent; HEDDLE_TEST_INHERITS says
 * what to expect ("1" or "0"), without it what the program was linked for.
 */
#ifndef HED_TESTS_SCENARIO_HOSTS_H
#define HED_TESTS_SCENARIO_HOSTS_H

#include "scenario.h"

static inline bool inherits(void)
{
  const char *s = getenv("HEDDLE_TEST_INHERITS");
  return s ? strcmp(s, "1") == 0 : SCENARIO_INHERITS;
}

/* What a child of a creator under tag K sees when the root has tag 1. */
static inline int expected(int k)
{
  return inherits() ? k : 1;
}

static inline void set_root(void)
{
  char spec[64];
  snprintf(spec, sizeof spec, "%s;threads=1", usual_backend());
  if (hed_set_default_backend(spec) != HED_OK)
    bail("set_default: %s", hed_error_text());
  diag("children of plain pthread_create %s", inherits() ? "inherit" : "follow the root");
}

#endif
