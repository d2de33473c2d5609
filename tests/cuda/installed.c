// SPDX-License-Identifier: BSD-3-Clause
/* What installed programs are enough for, on cuda without NVRTC and without falling back: see cuda/installed.t. */
#include "tap.h"

#include <heddle.h>
#include <math.h>

static hed_array *made(int what)
{
  hed_array *x = hed_random_normal(HED_SHAPE(40, 50), HED_FLOAT32, &(hed_random){ .seed = 1, .seeded = true });
  hed_array *flat = hed_reshape(x, HED_SHAPE(2000));
  switch (what) {
  case 0: return hed_add(x, x);
  case 1: return hed_exp(hed_transpose(x, NULL));
  case 2: return hed_sum(x, NULL);
  case 3: return hed_mean(x, NULL);
  case 4: return hed_sort(flat, NULL);
  case 5: return hed_astype(hed_argsort(flat, NULL), HED_FLOAT32);
  case 6: return hed_cumsum(flat, &(hed_scan){ .axis = HED_AXES(0) });
  case 7: return hed_softmax(x, 1);
  case 8: return hed_take(flat, hed_arange_int(5, 900, 3, HED_INT64), 0);
  default: return hed_copy(hed_transpose(x, NULL));
  }
}

int main(void)
{
  static float got[2000], want[2000];
  for (int what = 0; what < 10; what++) {
    size_t bytes = 0;
    bool good = false;
    HED_SCOPE {
      HED_BACKEND_CONTEXT_OR("reference", bail("reference: %s", hed_error_text())) {
        hed_array *y = made(what);
        bytes = y ? (size_t)hed_array_size(y) * sizeof *want : 0;
        good = y && hed_to_host(y, want, bytes) == HED_OK;
      }
      HED_BACKEND_CONTEXT_OR("cuda;fallback=error", bail("cuda: %s", hed_error_text())) {
        hed_array *y = made(what);
        good = good && y && hed_to_host(y, got, bytes) == HED_OK;
        if (!good)
          diag("%s", hed_error_text());
      }
    }
    for (size_t k = 0; k < bytes / sizeof *got && good; k++)
      good = fabs((double)got[k] - (double)want[k]) <= 1e-5 * (1 + fabs((double)want[k]));
    ok(good, "operation %d", what);
  }
  done_testing();
  return done();
}
