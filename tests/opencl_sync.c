// SPDX-License-Identifier: BSD-3-Clause
/* HEDDLE_CHECK=sync: calls of a device are over when they return, and fail themselves for what a kernel finds wrong. */
#include "tap.h"

#include <heddle.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
  setenv("HEDDLE_CHECK", "sync", 1);
  if (hed_backend_require("opencl") != HED_OK)
    skip_all("%s", hed_error_text());
  HED_BACKEND_CONTEXT("opencl;fallback=error") {
    hed_array *x = hed_from_host((float[]){ 1, 2, 3, NAN }, HED_SHAPE(2, 2), HED_FLOAT32);
    hed_array *y = hed_random_categorical(x, 3, HED_INT32, NULL);
    ok(!y && hed_error() == HED_E_INVAL, "the call fails");
    ok(strstr(hed_error_text(), "random_categorical: row 1 is not usable") != NULL, "%s", hed_error_text());
    hed_error_clear();
    hed_array *z = hed_square(x);
    float v[4] = { 0 };
    ok(z && hed_to_host(z, v, sizeof v) == HED_OK && v[2] == 9, "others do not");
    hed_release(x);
    hed_release(y);
    hed_release(z);
  }
  return done();
}
