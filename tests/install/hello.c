// SPDX-License-Identifier: BSD-3-Clause
/* A stranger's program: the sum of two arrays, in a context of its own. */
#include <heddle.h>

#include <stdio.h>

int main(void)
{
  float a[] = { 1, 2, 3 }, b[] = { 10, 20, 30 }, c[3] = { 0 };
  HED_BACKEND_CONTEXT("reference") {
    HED_SCOPE {
      hed_array *x = hed_from_host(a, HED_SHAPE(3), HED_FLOAT32);
      hed_array *y = hed_from_host(b, HED_SHAPE(3), HED_FLOAT32);
      hed_to_host(hed_add(x, y), c, sizeof c);
    }
  }
  if (hed_error() != HED_OK) {
    fprintf(stderr, "%s\n", hed_error_text());
    return 1;
  }
  printf("%g %g %g\n", (double)c[0], (double)c[1], (double)c[2]);
  return 0;
}
