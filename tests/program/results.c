// SPDX-License-Identifier: BSD-3-Clause
/* Results that a function gives twice, or that are its inputs: handles of their own, in the first run as in those after it. */
#include "tap.h"
#include <heddle.h>

static hed_status returns(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
{
  (void)arg, (void)n, (void)m;
  y[0] = hed_retain((hed_array *)(uintptr_t)x[0]);
  y[1] = hed_exp(x[0]);
  y[2] = hed_retain(y[1]);
  return HED_OK;
}

static hed_status scoped(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
{
  (void)arg, (void)n, (void)m;
  y[0] = y[1] = hed_exp(x[0]); /* the caller's scope has it, and has it once */
  return HED_OK;
}

/* Two runs, the first of which is by F itself; the last result is let go within the scope, the others outlive it. */
static void own_handles(hed_function f, int m, const char *what)
{
  const hed_array *x = hed_keep(hed_arange(0, 8, 1, HED_FLOAT64));
  hed_program *p = NULL;
  bool good = false;
  HED_SCOPE
  good = hed_program_create(f, NULL, 1, &x, m, NULL, &(hed_program_options){ .check = true }, &p) == HED_OK;
  for (int run = 0; run < 2; run++) {
    hed_array *y[3] = { NULL };
    HED_SCOPE {
      good = good && hed_program_run(p, 1, &x, m, y) == HED_OK && y[0] != x && y[m - 2] != y[m - 1];
      for (int j = 0; j < m; j++)
        hed_keep(y[j]);
      hed_release(y[m - 1]);
    }
    good = good && hed_array_refs(y[m - 2]) == 1;
    for (int j = 0; j < m - 1; j++)
      hed_release(y[j]);
  }
  ok(good, "%s: %s", what, good ? "handles of their own" : hed_error_text());
  hed_program_release(p);
  hed_release((hed_array *)(uintptr_t)x);
}

int main(void)
{
  own_handles(returns, 3, "an input, and one that is made, twice");
  own_handles(scoped, 2, "one of the caller's scope, twice");
  done_testing();
  return done();
}
