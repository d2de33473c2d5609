// SPDX-License-Identifier: BSD-3-Clause
/* Family random on an OpenCL device: every kind, bit for bit what the host makes. */
#include "gen.h"
#include "kernels_run.h"

#include "backends/device/kernels/args_random.h"
#include "base/dtype.h"
#include "base/random.h"
#include "base/variates.h"

#include <math.h>
#include <stdio.h>

enum { N = 2000 };
static gen g;

static const char *const kinds[HED_RANDOM_KIND_COUNT_] = {
  "bits", "uniform", "normal", "integers", "exponential", "laplace", "logistic", "gumbel", "cauchy", "bernoulli", "bipolar", "phasor",
  "truncated_normal", "gamma", "beta", "chi_squared", "standard_t", "poisson", "binomial",
};

static u64 bits(double x)
{
  u64 b;
  memcpy(&b, &x, 8);
  return b;
}

static void check(int kind, int dtype, double a, double b, int64_t low, uint64_t span, bool operands)
{
  const bool rejects = kind >= HED_RANDOM_TRUNCATED_NORMAL;
  const bool wide = kind >= HED_RANDOM_INTEGERS || dtype == HED_ID_FLOAT64 || dtype == HED_ID_INT64 || dtype == HED_ID_UINT64;
  const hed_random_params p = { .kind = kind, .key = gen_u64(&g), .draw = gen_u64(&g) >> 8, .a = a, .b = b, .low = low, .span = span };
  const int64_t first = gen_int(&g, 0, 1) ? gen_int(&g, 0, 40) : gen_int(&g, 1, INT64_C(1) << 45), n = gen_int(&g, 1, N);
  const int size = hed__id_size(dtype), per = rejects ? 1 : wide ? 2 : 4;
  char entry[60], *want = malloc((size_t)(n * size)), *out = run_memory((size_t)(n * size));
  hed__random_args o = { .first = first, .n = n, .key = p.key, .draw = p.draw, .a = bits(a), .b = bits(b),
                         .unit = a == 0 && b == 1, .low = low, .span = span, .operands = operands };
  if (kind == HED_RANDOM_UNIFORM)
    o.limit = bits(hed__random_limit(dtype, a, b));
  double *as = run_memory(N * 8), *bs = run_memory(N * 8);
  for (int i = 0; i < n && operands; i++) {
    as[i] = kind == HED_RANDOM_BINOMIAL ? rint(gen_double(&g, 0, 60)) : gen_double(&g, 0.01, 30);
    as[i] = gen_chance(&g, 20) ? rint(gen_double(&g, 1, 5)) : as[i];
    bs[i] = gen_double(&g, 0.05, 1);
  }
  run_program *program = run_build("random", dtype, NULL);
  snprintf(entry, sizeof entry, "random_%s", kinds[kind]);
  const i64 begin = first / per * per, items = (first + n - begin + per - 1) / per;
  bool fine = program && (rejects ? RUN(program, entry, run_groups(items), 1, 1, &o, out, as, bs)
                                  : RUN(program, entry, run_groups(items), 1, 1, &o, out));
  if (operands)
    hed__variates(&p, dtype, first, n, want, as, bs);
  else
    hed__random_fill(&p, dtype, first, n, want);
  fine = fine && is_mem(out, want, (size_t)(n * size), "%s(%g, %g) of %s from %lld%s", kinds[kind], a, b, hed__dtypes[dtype]->name,
                        (long long)first, operands ? ", operands" : "");
  free(want);
  run_forget();
}

int main(void)
{
  const char *missing = run_open();
  if (missing)
    skip_all("%s", missing);
  gen_seed(&g, tap_seed());
  static const int integers[] = { HED_ID_BOOL, HED_ID_INT8, HED_ID_UINT16, HED_ID_INT32, HED_ID_UINT64 };
  for (int k = 0; k < 5; k++) {
    check(HED_RANDOM_BITS, integers[k], 0, 0, 0, 0, false);
    check(HED_RANDOM_INTEGERS, integers[k], 0, 0, -5, 11, false);
    check(HED_RANDOM_INTEGERS, integers[k], 0, 0, 17, UINT64_C(1) << 40, false);
  }
  check(HED_RANDOM_INTEGERS, HED_ID_INT64, 0, 0, INT64_MIN, 0, false);
  static const int floats[] = { HED_ID_FLOAT16, HED_ID_BFLOAT16, HED_ID_FLOAT32, HED_ID_FLOAT64 };
  for (int k = 0; k < 4; k++) {
    const int t = floats[k];
    check(HED_RANDOM_UNIFORM, t, 0, 1, 0, 0, false);
    check(HED_RANDOM_UNIFORM, t, -2.5, 7, 0, 0, false);
    check(HED_RANDOM_NORMAL, t, 0, 1, 0, 0, false);
    check(HED_RANDOM_NORMAL, t, 5, 0.25, 0, 0, false);
    for (int kind = HED_RANDOM_EXPONENTIAL; kind <= HED_RANDOM_BIPOLAR; kind++)
      check(kind, t, kind >= HED_RANDOM_BERNOULLI ? 0.3 : 0.75, 1.5, 0, 0, false);
    check(HED_RANDOM_TRUNCATED_NORMAL, t, -1, 3, 0, 0, false);
    check(HED_RANDOM_TRUNCATED_NORMAL, t, 0.5, 0.75, 0, 0, false);
    check(HED_RANDOM_TRUNCATED_NORMAL, t, 3, INFINITY, 0, 0, false);
    check(HED_RANDOM_TRUNCATED_NORMAL, t, -9, -4, 0, 0, false);
    static const double shapes[] = { 0.3, 1, 2, 3, 1.5, 8.25 };
    for (int s = 0; s < 6; s++)
      check(HED_RANDOM_GAMMA, t, shapes[s], 2, 0, 0, false);
    check(HED_RANDOM_BETA, t, 0.4, 2.5, 0, 0, false);
    check(HED_RANDOM_CHI_SQUARED, t, 5, 0, 0, 0, false);
    check(HED_RANDOM_STANDARD_T, t, 4.5, 0, 0, 0, false);
    check(HED_RANDOM_POISSON, t, 3.5, 0, 0, 0, false);
    check(HED_RANDOM_POISSON, t, 1e6, 0, 0, 0, false);
    check(HED_RANDOM_BINOMIAL, t, 20, 0.2, 0, 0, false);
    check(HED_RANDOM_BINOMIAL, t, 5000, 0.7, 0, 0, false);
    for (int kind = HED_RANDOM_GAMMA; kind <= HED_RANDOM_BINOMIAL; kind++)
      check(kind, t, 0, 0, 0, 0, true);
  }
  check(HED_RANDOM_PHASOR, HED_ID_COMPLEX64, 0, 0, 0, 0, false);
  check(HED_RANDOM_PHASOR, HED_ID_COMPLEX128, 0, 0, 0, 0, false);
  check(HED_RANDOM_POISSON, HED_ID_INT32, 40, 0, 0, 0, false);
  done_testing();
  return done();
}
