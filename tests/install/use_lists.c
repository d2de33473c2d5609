// SPDX-License-Identifier: BSD-3-Clause
/* Uses tests/modules/numbered.c: operations one by one, several in a pass, and one that fails later, each with the value
 * and with what a tracer is told. See tests/op_lists.sh. */
#include <heddle.h>

#include <stdio.h>
#include <string.h>

static char traced[80];

/* The last operation, or the pass since the last print. */
static void trace(void *arg, const hed_trace_event *e)
{
  (void)arg;
  if (strstr(traced, " in one"))
    return;
  if (e->fused)
    snprintf(traced, sizeof traced, "%d in one, %s last", (int)e->fused, hed_op_name(e->op));
  else
    snprintf(traced, sizeof traced, "%s%s", hed_op_name(e->op), e->native ? "" : " elsewhere");
}

static void print(const char *what, hed_array *x)
{
  float v[3] = { 0 };
  char told[sizeof traced];
  memcpy(told, traced, sizeof told);
  if (hed_to_host(x, v, hed_array_nbytes(x)) == HED_OK)
    printf("%s: %g %g %g, %s\n", what, (double)v[0], (double)v[1], (double)v[2], told);
  else
    printf("%s: %s\n", what, hed_error_text());
  traced[0] = 0;
}

static void report(void *arg, const char *candidate, const char *stage, int32_t status, const char *reason)
{
  (void)candidate;
  if ((status != HED_OK) == *(const bool *)arg)
    printf("%s: %s\n", stage, reason);
}

int main(int argc, char **argv)
{
  const float a[] = { 5, -7, 2 }, b[] = { 3, 4, 2 };
  const char *name = argc > 1 ? argv[1] : "";
  bool failures = true;
  int64_t at = -1;
  if (hed_backend_require(name) != HED_OK) {
    hed_backend_explain(name, report, &failures);
    return 4;
  }
  failures = false;
  hed_backend_explain(name, report, &failures);
  hed_trace(trace, NULL);
  HED_BACKEND_CONTEXT(name) {
    HED_SCOPE {
      hed_array *x = hed_from_host(a, HED_SHAPE(3), HED_FLOAT32), *y = hed_from_host(b, HED_SHAPE(3), HED_FLOAT32);
      print("add", hed_add(x, y));
      print("subtract", hed_subtract(x, y));
      print("multiply", hed_multiply(x, y));
      print("maximum", hed_maximum(x, y));
      print("mod", hed_mod(x, y));
      print("negative", hed_negative(x));
      print("exp", hed_exp(hed_subtract(x, x)));
      print("abs", hed_abs(x));
      print("sum", hed_sum(x, NULL));
      hed_array *power = hed_power(x, y), *sum = NULL, *place = NULL, *size = NULL;
      if (hed_wait(power) == HED_OK)
        print("power", power);
      else
        printf("power: %s\n", hed_error_text());
      hed_error_clear();
      if (hed_backend_fuses(name) == 1) {
        HED_FUSED {
          hed_array *t = hed_negative(hed_multiply(hed_add(x, y), y));
          sum = hed_sum(t, NULL);
          const bool recorded = hed_array_is_pending(sum);
          place = hed_argmax(t, NULL);
          printf("recorded: sum %d, argmax %d\n", recorded, hed_array_is_pending(place));
        }
        print("fused", sum);
        hed_to_host(place, &at, sizeof at);
        printf("at %d\n", (int)at);
        HED_FUSED {
          size = hed_abs(hed_negative(x));
          printf("recorded: abs %d\n", hed_array_is_pending(size));
        }
        print("fused", size);
      }
    }
  }
  hed_trace(NULL, NULL);
  if (hed_error() != HED_OK)
    printf("%s\n", hed_error_text());
  return hed_error() != HED_OK;
}
