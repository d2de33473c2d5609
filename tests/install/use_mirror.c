// SPDX-License-Identifier: BSD-3-Clause
/* Uses examples/backend/mirror.c: prints what it finds, see 30_mirror.sh. */
#include <heddle.h>

#include <stdio.h>
#include <string.h>

static void print(void *arg, const char *candidate, const char *stage, int32_t status, const char *reason)
{
  (void)arg;
  (void)candidate;
  printf("%s %s: %s\n", stage, hed_status_text(status), reason);
}

static double total(hed_array *x)
{
  double v = -1;
  if (hed_item(hed_sum(x, NULL), &v) != HED_OK)
    printf("%s\n", hed_error_text());
  return v;
}

int main(void)
{
  const char *names[64];
  char text[200];
  int listed = 0, n = hed_backend_list(names, 64);
  for (int k = 0; k < n && k < 64; k++)
    listed += strcmp(names[k], "mirror") == 0;
  printf("listed %d\n", listed);
  if (hed_backend_require("mirror") != HED_OK) {
    hed_backend_explain("mirror", print, NULL);
    return 4;
  }
  if (hed_backend_device("mirror", 0, text, sizeof text) == HED_OK)
    printf("%s\n", text);
  printf("add %d, matmul %d, exp %d\n", hed_backend_supports("mirror", HED_OP_ADD, HED_FLOAT32),
         hed_backend_supports("mirror", HED_OP_MATMUL, HED_FLOAT32),
         hed_backend_supports("mirror", HED_OP_EXP, HED_FLOAT32));
  HED_BACKEND_CONTEXT("mirror") {
    HED_SCOPE {
      hed_array *x = hed_reshape(hed_arange(0, 6, 1, HED_FLOAT32), HED_SHAPE(2, 3));
      hed_array *i = hed_reshape(hed_arange(0, 3, 1, HED_INT32), HED_SHAPE(1, 3));
      printf("%s: x + x flipped %g, x + integers %g, x xT %g, exp(0 x) %g\n", hed_get_backend(),
             total(hed_add(x, hed_flip(x, NULL))), total(hed_add(x, i)),
             total(hed_matmul(x, hed_transpose(x, NULL))), total(hed_exp(hed_multiply_scalar(x, 0))));
      printf("float64 %g, by %s\n", total(hed_add(hed_astype(x, HED_FLOAT64), x)), hed_array_backend(hed_add(x, x)));
    }
  }
  return hed_error() == HED_OK ? 0 : 1;
}
