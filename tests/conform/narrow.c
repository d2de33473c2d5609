// SPDX-License-Identifier: BSD-3-Clause
/* A device without float64: every call of calls.def takes float32 there, makes no float64 on the way, which is refused, and gives
 * what the reference backend gives. The device is `faulty'. L5. */
#include "calls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RESULTS = 1 + sizeof out / sizeof *out };

/* What a call gave: its result and what it left in OUT, as float64 or complex128 in host memory. */
typedef struct results {
  hed_status status;
  char error[256];
  hed_array *of[RESULTS];
} results;

/* Left to the scope; NULL with the error set. */
static hed_array *homed(const hed_array *a)
{
  hed_array *home = hed_to(a, "reference"), *wide = NULL;
  HED_BACKEND_CONTEXT("reference")
    wide = home ? hed_astype(home, hed_dtype_kind(hed_array_dtype(a)) == HED_KIND_COMPLEX ? HED_COMPLEX128 : HED_FLOAT64) : NULL;
  return wide;
}

/* Call number CALL; results are left to the scope. */
static results run(int call)
{
  results r = { .status = HED_OK };
  memset(out, 0, sizeof out);
  hed_set_seed(1);
  const hed_array *a = calls[call].fn();
  r.status = a ? HED_OK : hed_error();
  for (int k = 0; k < RESULTS && r.status == HED_OK; k++) {
    const hed_array *one = k ? out[k - 1] : a;
    if (one && !(r.of[k] = homed(one)))
      r.status = hed_error();
  }
  if (r.status != HED_OK)
    snprintf(r.error, sizeof r.error, "%s", hed_error_text());
  hed_error_clear();
  return r;
}

/* By how much of the largest GOT and WANT differ; infinite where their shapes do, or one is missing. */
static double apart(const hed_array *want, const hed_array *got)
{
  if (!want || !got)
    return want == got ? 0 : INFINITY;
  const hed_shape s = hed_array_shape(want), t = hed_array_shape(got);
  const size_t bytes = hed_array_nbytes(want);
  if (hed_array_nbytes(got) != bytes || s.ndim != t.ndim || memcmp(s.dim, t.dim, (size_t)s.ndim * sizeof *s.dim) != 0)
    return INFINITY;
  double *a = malloc(bytes + 1), *b = malloc(bytes + 1), most = 0, worst = 0;
  if (hed_to_host(want, a, bytes) != HED_OK || hed_to_host(got, b, bytes) != HED_OK)
    bail("%s", hed_error_text());
  for (size_t k = 0; k < bytes / sizeof *a; k++)
    most = isfinite(a[k]) ? fmax(most, fabs(a[k])) : most;
  for (size_t k = 0; k < bytes / sizeof *a; k++) {
    const double d = a[k] == b[k] || (isnan(a[k]) && isnan(b[k])) ? 0 : fabs(a[k] - b[k]) / most;
    worst = d <= worst ? worst : isnan(d) ? INFINITY : d;
  }
  free(a);
  free(b);
  return worst;
}

/* Both compute in float32, in the same order; intermediate results of float64 are float32 on the device: a few units of 2^-24. */
static void check(int call, const results *want, const results *got)
{
  double worst = 0;
  for (int k = 0; k < RESULTS; k++)
    worst = fmax(worst, apart(want->of[k], got->of[k]));
  if (!ok(want->status == HED_OK && got->status == HED_OK && worst <= 16 * 0x1p-24, "%s %s", calls[call].name, calls[call].form))
    diag("apart by %g of the largest; the device: %s; the reference: %s", worst, got->error, want->error);
}

int main(void)
{
  static results want[CALLS];
  if (hed_backend_require("faulty") != HED_OK)
    skip_all("no faulty backend: %s", hed_error_text());
  is_int(hed_device_supports("faulty", "float64"), false, "a device without float64");
  HED_SCOPE
  {
    HED_BACKEND_CONTEXT("reference")
    {
      make_operands(HED_FLOAT32, 1);
      for (int call = 0; call < CALLS; call++)
        if (in_sample(call))
          want[call] = run(call);
    }
    HED_BACKEND_CONTEXT("faulty")
    {
      make_operands(HED_FLOAT32, 1);
      for (int call = 0; call < CALLS; call++)
        if (in_sample(call))
          HED_SCOPE
          {
            const results got = run(call);
            check(call, &want[call], &got);
          }
    }
  }
  return done();
}
