// SPDX-License-Identifier: BSD-3-Clause
/* A result depends on its own lane alone: whatever lies beside it, lanes of infinities, of NaN, at the ends of the range, it has
 * the value that it has where its lane is the whole array.
 */
#include "api.h"
#include "gen.h"
#include <float.h>
#include <math.h>

enum { PLAIN, HUGE_ONES, TINY, INFINITE, BELOW, BOTH_ENDS, NAN_TOO, NO_NUMBER, ONE_NUMBER, ZEROS, KINDS };
static const char *const kind_name[KINDS] = { "plain", "huge", "tiny", "inf", "-inf", "inf and -inf", "NaN", "all NaN",
                                              "all NaN but one", "zeros" };
enum { N = 7 };
static gen g;

typedef hed_array *(*reduce_fn)(const hed_array *, const hed_reduce *);
#define BOTH(name) { #name, hed_##name, true }
#define REAL(name) { #name, hed_##name, false }
static const struct { const char *name; reduce_fn fn; bool complex; } calls[] = {
  BOTH(sum), BOTH(prod), BOTH(mean), BOTH(var), BOTH(std), BOTH(nansum), BOTH(nanprod), REAL(nanmean), BOTH(nanvar), BOTH(nanstd),
  BOTH(any), BOTH(all), BOTH(count_nonzero), REAL(max), REAL(min), REAL(ptp), REAL(nanmax), REAL(nanmin), REAL(median),
  REAL(nanmedian), REAL(logsumexp), REAL(argmax), REAL(argmin),
};

/* One element of a lane of type T; PART 1: an imaginary part. */
static double element(int kind, int k, int part, hed_dtype t)
{
  const bool wide = t == HED_FLOAT64 || t == HED_COMPLEX128;
  const double noise = gen_double(&g, -1, 1);
  switch (kind) {
  case HUGE_ONES: return noise * (wide ? DBL_MAX : FLT_MAX) / 8;
  case TINY: return noise * (wide ? DBL_MIN : FLT_MIN) * 8;
  case INFINITE: return k == 1 && !part ? INFINITY : noise;
  case BELOW: return k == 1 && !part ? -INFINITY : noise;
  case BOTH_ENDS: return k < 2 && !part ? (k ? -INFINITY : INFINITY) : noise;
  case NAN_TOO: return k == 2 ? NAN : noise;
  case NO_NUMBER: return part ? noise : NAN;
  case ONE_NUMBER: return k ? NAN : noise;
  case ZEROS: return 0;
  default: return noise;
  }
}

/* Equal, or as near as sums in another order are, of numbers up to TOP. */
static bool near(double a, double b, double rel, double top)
{
  return a == b || (a != a && b != b) || fabs(a - b) <= rel * fmax(fmax(fabs(a), fabs(b)), top);
}

static double largest(const double *v, int n)
{
  double top = 0;
  for (int k = 0; k < n; k++)
    top = isfinite(v[k]) ? fmax(top, fabs(v[k])) : top;
  return top;
}

/* N numbers, or of a complex type pairs of them, as an array of type T. */
static hed_array *lane_of(const double *v, hed_shape shape, hed_dtype t)
{
  const bool pairs = t == HED_COMPLEX64 || t == HED_COMPLEX128;
  hed_array *wide = hed_from_host(v, shape, pairs ? HED_COMPLEX128 : HED_FLOAT64), *x = hed_astype(wide, t);
  hed_release(wide);
  return x;
}

static void matrix(const char *backend, hed_dtype t)
{
  const int parts = t == HED_COMPLEX64 || t == HED_COMPLEX128 ? 2 : 1;
  double v[KINDS * N * 2];
  for (int kind = 0; kind < KINDS; kind++)
    for (int k = 0; k < N * parts; k++)
      v[kind * N * parts + k] = element(kind, k / parts, k % parts, t);
  hed_array *rows = lane_of(v, HED_SHAPE(KINDS, N), t), *lanes = hed_transpose(rows, NULL), *columns = hed_copy(lanes);
  for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
    int wrong = 0;
    const bool any = parts == 2 && strstr(calls[c].name, "prod"); /* of infinite factors, by order: infinite or NaN */
    if (parts == 2 && !calls[c].complex)
      continue;
    hed_array *along[2] = { calls[c].fn(rows, &(hed_reduce){ .axes = HED_AXES(1) }),
                            calls[c].fn(columns, &(hed_reduce){ .axes = HED_AXES(0) }) };
    for (int kind = 0; kind < KINDS; kind++) {
      hed_array *x = lane_of(v + kind * N * parts, HED_SHAPE(N), t), *y = calls[c].fn(x, NULL);
      const double top = largest(v + kind * N * parts, N * parts);
      double want[2] = { 0 }, got[2][2 * KINDS];
      hed_array *wide[3];
      for (int k = 0; k < 3; k++) {
        wide[k] = hed_astype(k < 2 ? along[k] : y, HED_COMPLEX128);
        if (hed_to_host(wide[k], k < 2 ? got[k] : want, hed_array_nbytes(wide[k])) != HED_OK)
          bail("%s: %s", calls[c].name, hed_error_text());
      }
      for (int k = 0; k < 2; k++)
        for (int p = 0; p < 2; p++)
          if (!near(got[k][2 * kind + p], want[p], parts == 2 || hed_dtype_size(t) == 4 ? 1e-4 : 1e-12, top) &&
              !(any && !isfinite(got[k][2 * kind + p]) && !isfinite(want[p]))) {
            wrong++;
            diag("%s of %s, axis %d, %s: %g beside others, %g alone", calls[c].name, hed_dtype_name(t), 1 - k, kind_name[kind],
                 got[k][2 * kind + p], want[p]);
          }
      RELEASE(wide[0], wide[1], wide[2], y, x);
    }
    is_int(wrong, 0, "%s, %d threads, %s of %s: no lane depends on its neighbours", backend, api_threads, calls[c].name,
           hed_dtype_name(t));
    RELEASE(along[0], along[1]);
  }
  RELEASE(columns, lanes, rows);
}

static void all(const char *backend)
{
  const hed_dtype types[] = { HED_FLOAT32, HED_FLOAT64, HED_COMPLEX64, HED_COMPLEX128 };
  for (int k = 0; k < 4; k++)
    matrix(backend, types[k]);
}

int main(void)
{
  gen_seed(&g, tap_seed());
  api_each_context(all);
  done_testing();
  return done();
}
