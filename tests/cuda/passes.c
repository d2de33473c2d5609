// SPDX-License-Identifier: BSD-3-Clause
/* How often calls pass over memory, and what they make anew: of launches on tests/cudashim, the bytes of all blocks that each is
 * given, as multiples of the operand. Operands are blocks of their own; workspace is small here, and not counted. Events come
 * again. */
#include "tap.h"
#include <dlfcn.h>
#include <heddle.h>
#include <math.h>

enum { N = 1 << 21 };

static hed_array *call_add(hed_array *x) { return hed_add(x, x); }
static hed_array *call_sum(hed_array *x) { return hed_sum(x, NULL); }
static hed_array *call_max(hed_array *x) { return hed_max(x, NULL); }
static hed_array *call_argmax(hed_array *x) { return hed_argmax(x, NULL); }
static hed_array *call_var(hed_array *x) { return hed_var(x, NULL); }
static hed_array *call_std(hed_array *x) { return hed_std(x, NULL); }
static hed_array *call_softmax(hed_array *x) { return hed_softmax(x, 1); }
static hed_array *call_log_softmax(hed_array *x) { return hed_log_softmax(x, 1); }
static hed_array *call_cumsum(hed_array *x) { return hed_cumsum(x, NULL); }

static const struct { const char *name; hed_array *(*call)(hed_array *); double passes; int launches; } rows[] = {
  { "add", call_add, 2, 1 }, /* both operands are one block */
  { "sum", call_sum, 1, 2 },
  { "max", call_max, 1, 2 },
  { "argmax", call_argmax, 1, 2 },
  { "var", call_var, 1, 2 },
  { "std", call_std, 1, 2 },
  { "softmax", call_softmax, 2, 1 },
  { "log_softmax", call_log_softmax, 2, 1 },
  { "cumsum", call_cumsum, 2, 1 },
};

/* Results waited for one after the other and several at once, by turns. */
static void events(void *driver)
{
  enum { ROUNDS = 200, AT_ONCE = 4 };
  int (*made)(void) = NULL, before = 0;
  *(void **)&made = dlsym(driver, "shim_events");
  hed_array *x = hed_ones(HED_SHAPE(8), HED_FLOAT32), *y[AT_ONCE];
  bool good = x && made;
  for (int k = 0; k < ROUNDS && good; k++)
    HED_SCOPE
    {
      before = k == ROUNDS / 10 ? made() : before;
      for (int j = 0; j < AT_ONCE; j++)
        y[j] = hed_add(x, x);
      for (int j = 0; j < AT_ONCE && good; j++)
        good = y[j] && hed_wait(y[(j + k) % AT_ONCE]) == HED_OK;
    }
  ok(good, "%d waits: %s", ROUNDS * AT_ONCE, hed_error_text());
  is_int(made() - before, 0, "have no event made");
}

int main(void)
{
  if (hed_backend_require("cuda:0") != HED_OK)
    skip_all("%s", hed_error_text());
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  unsigned long long (*moved)(int *launches) = NULL;
  *(void **)&moved = driver ? dlsym(driver, "shim_moved") : NULL;
  if (!moved)
    skip_all("the driver does not count");
  HED_BACKEND_CONTEXT("cuda:0;fallback=error")
  HED_SCOPE
  {
    hed_array *x = hed_random_normal(HED_SHAPE(64, N / 64), HED_FLOAT32, &(hed_random){ .seed = 1, .seeded = true });
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
      int launches[2];
      hed_array *warm = rows[k].call(x);
      ok(warm && hed_synchronize("cuda:0") == HED_OK, "%s: %s", rows[k].name, hed_error_text());
      const unsigned long long before = moved(&launches[0]);
      hed_array *y = rows[k].call(x);
      const double passes = (double)(moved(&launches[1]) - before) / (4.0 * N);
      ok(y && fabs(passes - rows[k].passes) < 0.05, "%s passes over its operand %.3g times, not %g", rows[k].name, passes,
         rows[k].passes);
      is_int(launches[1] - launches[0], rows[k].launches, "in as many launches");
    }
    events(driver);
  }
  done_testing();
  return done();
}
