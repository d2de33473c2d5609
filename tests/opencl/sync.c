// SPDX-License-Identifier: BSD-3-Clause
/* check=sync: calls of a device are over when they return, and fail themselves for what a kernel finds wrong. */
#include "arrays.h"
#include "tap.h"

#include <heddle.h>
#include <math.h>
#include <string.h>

static const float rows[4] = { 1, 2, 3, NAN };

static hed_array *draw(const hed_array *x)
{
  return hed_random_categorical(x, 3, HED_INT32, NULL);
}

/* X by indices that are on the device. */
static hed_array *take(const hed_array *x, int64_t index)
{
  hed_array *i = hed_from_host(&index, HED_SHAPE(1), HED_INT64), *y = hed_take(x, i, 0);
  hed_release(i);
  return y;
}

static void test_sync(const char *spec)
{
  HED_BACKEND_CONTEXT(spec) {
    hed_array *x = hed_from_host(rows, HED_SHAPE(2, 2), HED_FLOAT32), *y = draw(x);
    ok(!y && hed_error() == HED_E_INVAL, "%s: the call fails", spec);
    ok(strstr(hed_error_text(), "random_categorical: row 1 is not usable") != NULL, "%s", hed_error_text());
    hed_error_clear();
    ok(!take(x, 5) && hed_error() == HED_E_INDEX, "so does one with an index that is out of range");
    ok(strstr(hed_error_text(), "index 5 is out of range") != NULL, "%s", hed_error_text());
    hed_error_clear();
    hed_array *z = hed_square(x), *w = NULL;
    float v[4] = { 0 };
    ok(z && hed_to_host(z, v, sizeof v) == HED_OK && v[2] == 9, "others do not");
    HED_FUSED {
      HED_SCOPE w = hed_keep(hed_sum(hed_square(x), NULL));
    }
    ok(w != NULL, "nor does a fused pass");
    HED_BACKEND_CONTEXT(";check=async") y = draw(x);
    ok(y != NULL, "nor, with check=async within, the call");
    ok(hed_to_host(y, &(int32_t[6]){ 0 }, 6 * sizeof(int32_t)) != HED_OK, "but who waits");
    hed_error_clear();
    ok(!hed_square(y) && hed_error() != HED_OK, "and what works on that fails at once");
    hed_error_clear();
    RELEASE(w, x, y, z);
  }
}

int main(void)
{
  if (hed_backend_require("opencl") != HED_OK)
    skip_all("%s", hed_error_text());
  test_sync("opencl;fallback=error;check=sync");
  return done();
}
