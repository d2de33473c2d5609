// SPDX-License-Identifier: BSD-3-Clause
/* A program that knows nothing of a backend but its name: lists it, selects it, computes on it. */
#include <heddle.h>

#include <stdio.h>
#include <string.h>

static void report(void *arg, const char *candidate, const char *stage, int32_t status, const char *reason)
{
  (void)arg;
  (void)status;
  printf("%s: %s: %s\n", stage, candidate, reason);
}

int main(int argc, char **argv)
{
  const char *names[64];
  const char *name = argc > 1 ? argv[1] : "strange";
  char line[128];
  float a[6] = { 1, 2, 3, 4, 5, 6 }, out[6] = { 0 };
  double sum = 0;
  int n = hed_backend_list(names, 64), listed = 0;

  for (int i = 0; i < n && i < 64; i++)
    listed += strcmp(names[i], name) == 0;
  printf("listed %d\n", listed);
  if (hed_set_backend(name) != HED_OK) {
    printf("%s\n", hed_error_text());
    hed_backend_explain(name, report, NULL);
    return 4;
  }
  printf("in force %s\n", hed_get_backend());
  printf("square %d, sum %d, sort of float64 %d\n", hed_backend_supports(name, HED_OP_SQUARE, HED_FLOAT32),
         hed_backend_supports(name, HED_OP_SUM, HED_FLOAT32), hed_backend_supports(name, HED_OP_SORT, HED_FLOAT64));
  HED_SCOPE {
    hed_array *x = hed_from_host(a, HED_SHAPE(2, 3), HED_FLOAT32);
    hed_array *y = hed_add(hed_square(x), hed_flip(x, NULL)); /* negative strides */
    if (hed_to_host(y, out, sizeof out) == HED_OK && hed_item(hed_sum(y, NULL), &sum) == HED_OK)
      printf("%g %g %g %g %g %g on %s, sum %g\n", (double)out[0], (double)out[1], (double)out[2], (double)out[3],
             (double)out[4], (double)out[5], hed_array_backend(y), sum);
  }
  if (hed_backend_device(name, 0, line, sizeof line) == HED_OK)
    printf("%s\n", line);
  if (hed_error() != HED_OK) {
    printf("%s\n", hed_error_text());
    return 1;
  }
  return 0;
}
