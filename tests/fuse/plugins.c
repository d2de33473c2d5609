// SPDX-License-Identifier: BSD-3-Clause
/* Fusion scopes around other backends than cpu: those that fuse in a memory of their own (faulty, and opencl where it is), and, which
 * do not, one that is out of the tree and has no operations, and reference; alone and with pending results of cpu as operands. The
 * same bits come out as without. L5. */
#include "arrays.h"
#include "scenario.h"
#include <limits.h>

enum { N = 3000, OUT = 4 };
static float number[3][N];

static hed_array *operand(int k) { return hed_from_host(number[k], HED_SHAPE(N), HED_FLOAT32); }

static void drop(int n, hed_array **x)
{
  for (int k = 0; k < n; k++) {
    hed_release(x[k]);
    x[k] = NULL;
  }
}

/* All in the context in force. */
static void alone(const char *spec, hed_array **out)
{
  (void)spec;
  hed_array *x[3] = { operand(0), operand(1), operand(2) }, *t[2];
  t[0] = hed_multiply(x[0], x[1]);
  out[0] = hed_add(t[0], x[2]);
  t[1] = hed_negative(out[0]);
  out[1] = hed_exp(t[1]);
  out[2] = hed_sum(out[1], NULL);
  out[3] = hed_subtract(out[1], out[2]);
  drop(2, t);
  drop(3, x);
}

/* Results of SPEC's backend and of cpu are each other's operands; two are written into memory that was there before. */
static void mixed(const char *spec, hed_array **out)
{
  hed_array *x[3] = { operand(0), operand(1), operand(2) }, *t[2] = { NULL };
  HED_BACKEND_CONTEXT("cpu") t[0] = hed_multiply(x[0], x[1]);
  HED_BACKEND_CONTEXT(spec) {
    out[0] = hed_add(t[0], x[2]);
    out[3] = hed_full(HED_SHAPE(N), 1, HED_FLOAT32);
  }
  HED_BACKEND_CONTEXT("cpu") {
    t[1] = hed_negative(x[0]);
    out[1] = hed_subtract(out[0], t[1]);
  }
  HED_BACKEND_CONTEXT(spec) {
    out[2] = hed_sum(t[1], NULL);
    (void)hed_add_into(out[3], out[1], t[0]);
    (void)hed_multiply_into(x[0], x[1], out[3]); /* which t[1] reads */
  }
  drop(2, t);
  drop(3, x);
}

static void compare(const char *spec, const char *what, void (*program)(const char *, hed_array **))
{
  hed_array *plain[OUT] = { NULL }, *fused[OUT] = { NULL };
  bool pending = false;
  HED_BACKEND_CONTEXT(spec) {
    program(spec, plain);
    HED_FUSED {
      program(spec, fused);
      for (int k = 0; k < OUT; k++)
        pending |= k != 1 && hed_array_is_pending(fused[k]); /* that one may be cpu's */
    }
  }
  is_int(hed_error(), HED_OK, "%s, %s: no error", spec, what);
  is_int(pending, hed_backend_fuses(spec) == 1, "%s, %s: its results are pending where it fuses", spec, what);
  for (int k = 0; k < OUT; k++)
    ok(same_array(plain[k], fused[k]), "%s, %s: result %d", spec, what, k);
  drop(OUT, plain);
  drop(OUT, fused);
}

int main(void)
{
  char path[PATH_MAX];
  const char *build = getenv("HEDDLE_TEST_BUILDDIR");
  snprintf(path, sizeof path, "%s/tests/modules/.libs/chameleon.so", build ? build : ".");
  if (hed_backend_require("cpu") != HED_OK || hed_set_default_backend("cpu") != HED_OK)
    skip_all("cpu: %s", hed_error_text());
  is_int(hed_backend_load(path), HED_OK, "a module out of the tree");
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < N; i++)
      number[k][i] = (float)((i * 37 + k * 101) % 1009) / 997 - 0.5f;
  static const char *const specs[] = { "cpu", "reference", "chameleon", "faulty", "opencl" };
  for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
    const bool optional = strcmp(specs[k], "opencl") == 0;
    if (hed_backend_require(specs[k]) != HED_OK && !optional)
      bail("%s: %s", specs[k], hed_error_text());
    if (hed_backend_require(specs[k]) != HED_OK) {
      skip(1, "%s: %s", specs[k], hed_error_text());
      continue;
    }
    const bool fuses = optional || strcmp(specs[k], "cpu") == 0 || strcmp(specs[k], "faulty") == 0;
    is_int(hed_backend_fuses(specs[k]), fuses, "%s %s", specs[k], fuses ? "fuses" : "does not fuse");
    compare(specs[k], "alone", alone);
    if (k > 0)
      compare(specs[k], "with results of cpu", mixed);
  }
  return done();
}
