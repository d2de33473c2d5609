// SPDX-License-Identifier: BSD-3-Clause
/* Every call of calls.def as a program: on other operands it gives the bits of the call, all on cpu and shares on devices. What
 * reads on the host, or has a shape by data, is refused; nothing else is. */
#include "arrays.h"
#include "calls.h" /* names of operands are short */
#include <stdlib.h>

static const hed_array **const operand[] = { &x, &y, &z, &v, &w, &c, &n, &m, &i, &rows, &points, &p, &up };
enum { OPERANDS = sizeof operand / sizeof *operand };

static hed_status one(void *arg, int count, const hed_array *const *in, int results, hed_array **made)
{
  const int call = *(const int *)arg;
  (void)count, (void)results;
  for (int k = 0; k < OPERANDS; k++)
    *operand[k] = in[k];
  HED_SCOPE {
    const hed_array *r = calls[call].fn();
    for (int k = 0; k < OPERANDS && r; k++)
      if (r == in[k])
        made[0] = hed_retain((hed_array *)(uintptr_t)r);
    if (r && !made[0])
      made[0] = hed_keep((hed_array *)(uintptr_t)r);
  }
  return made[0] ? HED_OK : hed_error();
}

/* Shapes that elements decide, and a number that comes out. */
static bool refused(const char *name, const char *form)
{
  static const char *const by_data[] = { "nonzero", "nonzero_axes", "flatnonzero", "compress", "extract", "unique", "intersect1d",
                                         "union1d", "setdiff1d", "setxor1d", "max_filter_coordinates", "filter_points_indices",
                                         "peak_local_max", "find_peaks", "allclose" };
  for (size_t k = 0; k < sizeof by_data / sizeof *by_data; k++)
    if (strcmp(by_data[k], name) == 0)
      return true;
  return strcmp(name, "get") == 0 && (strcmp(form, "mask") == 0 || strcmp(form, "both") == 0);
}

static void check(int call, const hed_array *const *first, const hed_array *const *second)
{
  hed_array *made = NULL, *want = NULL, *got = NULL;
  hed_program *program = NULL;
  char what[96];
  snprintf(what, sizeof what, "%s%s%s", calls[call].name, *calls[call].form ? " " : "", calls[call].form);
  hed_set_seed(3);
  const hed_program_options options = { .name = what };
  const hed_status status = hed_program_create(one, &call, OPERANDS, first, 1, &made, &options, &program);
  if (status != HED_OK && status != HED_E_PROGRAM) { /* as the call by itself: a device without float64 */
    ok(status == HED_E_DTYPE && one(&call, OPERANDS, first, 1, &want) == status, "%s: %s", what, hed_error_text());
    hed_error_clear();
  } else if (status == HED_E_PROGRAM || refused(calls[call].name, calls[call].form)) {
    ok(status == HED_E_PROGRAM && refused(calls[call].name, calls[call].form), "%s is refused: %s", what, hed_error_text());
    hed_error_clear();
  } else {
    bool good = true;
    for (int turn = 0; turn < 3 && good; turn++) { /* twice on others, then on the first again */
      const hed_array *const *given = turn < 2 ? second : first;
      hed_set_seed(5);
      const hed_status a = one(&call, OPERANDS, given, 1, &want);
      hed_set_seed(5);
      const hed_status b = hed_program_run(program, OPERANDS, given, 1, &got);
      good = a == b && (a != HED_OK || same_array(got, want));
      if (!good)
        diag("run %d: %d and %d, %s", turn, a, b, hed_error_text());
      RELEASE(want, got);
      want = got = NULL;
    }
    ok(good, "%s", what);
  }
  hed_release(made);
  hed_program_release(program);
}

/* One of PARTS shares of the calls. */
static void on(const char *backend, int parts)
{
  const hed_array *first[OPERANDS], *second[OPERANDS];
  if (hed_backend_require(backend) != HED_OK) {
    skip(1, "backend %s: %s", backend, hed_error_text());
    return;
  }
  diag("backend %s", backend);
  HED_BACKEND_CONTEXT(backend) HED_SCOPE {
    make_operands(HED_FLOAT32, 1);
    for (int k = 0; k < OPERANDS; k++)
      first[k] = *operand[k];
    make_operands(HED_FLOAT32, 0.5);
    n = hed_copy(hed_flip(n, NULL));
    m = hed_copy(hed_flip(m, NULL));
    i = hed_copy(hed_flip(i, NULL));
    for (int k = 0; k < OPERANDS; k++)
      second[k] = *operand[k];
    for (int call = 0; call < CALLS; call++)
      if (share(call, parts))
        check(call, first, second);
  }
}

int main(void)
{
  on("cpu", 1);
  on("faulty", 3);
  on("opencl", 20);
  done_testing();
  return done();
}
