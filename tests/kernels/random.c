// SPDX-License-Identifier: BSD-3-Clause
/* Family random on an OpenCL device: every kind, bit for bit what the host makes. */
#include "gen.h"
#include "run.h"

#include "backends/device/kernels/args_random.h"
#include "base/dtype.h"
#include "base/random/random.h"
#include "base/random/random_rows.h"
#include "base/random/variates.h"

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
  const int64_t first = gen_int(&g, 0, 1) ? gen_int(&g, 0, 40) : gen_int(&g, 1, INT64_C(1) << 45), n = gen_int(&g, 1, scaled(N));
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
  const bool cpu = gen_chance(&g, 50);
  run_program *program = run_build("random", dtype, cpu ? "#define DEVICE_CPU 1" : NULL);
  snprintf(entry, sizeof entry, "random_%s", kinds[kind]);
  const i64 begin = first / per * per, blocks = (first + n - begin + per - 1) / per;
  const i64 items = cpu && !rejects ? (blocks + HED__RANDOM_BLOCKS - 1) / HED__RANDOM_BLOCKS : blocks;
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

/* Rows of ROWS by K (matrices: K by K) against the host's. */
static void check_rows(int op, int dtype, int64_t rows, int64_t k, int64_t n, bool weights, bool spoilt)
{
  const bool haar = op == HED_OP_RANDOM_HAAR, categorical = op == HED_OP_RANDOM_CATEGORICAL;
  const bool is_complex = hed__id_kind(dtype) == HED_KIND_COMPLEX;
  const hed_random_rows_params q = { .key = gen_u64(&g), .draw = 77, .weights = weights };
  const int64_t size = hed__id_size(dtype), total = rows * n * (haar ? n : 1), columns = categorical || haar ? n : k;
  double *x = run_memory((size_t)(rows * k) * 8), *work = malloc((size_t)(4096 + 4 * (k + n) * (k + n)) * 8);
  double *wide = run_memory((size_t)(total + rows * k) * 16);
  int64_t *record = run_memory(32);
  char *out = run_memory((size_t)(total * size)), *want = malloc((size_t)(total * size));
  for (int64_t i = 0; i < rows * k; i++)
    x[i] = categorical && !weights ? gen_double(&g, -3, 3) : gen_chance(&g, 20) && categorical ? 0 : gen_double(&g, 0.1, 5);
  if (spoilt)
    x[k + 1] = NAN;
  hed_view in = { x, HED_ID_FLOAT64, 2, { rows, k }, { 8 * k, 8 } };
  hed_view to = haar ? (hed_view){ want, dtype, 3, { rows, n, n }, { n * n * size, n * size, size } }
                     : (hed_view){ want, dtype, 2, { rows, columns }, { columns * size, size } };
  const hed_view *ins[1] = { &in }, *outs[1] = { &to };
  const hed_call call = { .struct_size = sizeof call, .op = op, .n_in = !haar, .n_out = 1, .in = ins, .out = outs, .params = &q };
  const int64_t bad = hed__random_rows(&call, 0, rows, work);
  hed__random_rows_args o = { .rows = rows, .k = k, .n = n, .key = q.key, .draw = q.draw, .weights = weights };
  run_program *p = run_build("random_rows", dtype, NULL);
  bool fine = p != NULL;
  memset(record, 0, 32);
  if (categorical) {
    fine = fine && RUN(p, "category_sums", run_groups(rows), 1, 1, &o, wide, x, record) &&
           RUN(p, "random_categorical", run_groups(rows * n), 1, 1, &o, out, wide);
  } else if (!haar) {
    fine = fine && RUN(p, "dirichlet_logs", run_groups(rows * k), 1, 1, &o, wide, x, record) &&
           RUN(p, "random_dirichlet", run_groups(rows), 1, 1, &o, out, wide);
  } else {
    const int64_t numbers = rows * n * n * (is_complex ? 2 : 1);
    const hed_random_params normals = { .kind = HED_RANDOM_NORMAL, .key = q.key, .draw = q.draw, .b = 1 };
    hed__random_fill(&normals, HED_ID_FLOAT64, 0, numbers, wide);
    fine = fine && RUN(p, "haar_rows", run_groups(rows), 1, 1, &o, wide);
    memcpy(out, wide, (size_t)(total * size));
  }
  if (spoilt)
    ok(fine && bad == 1 && (record[0] & 1) && record[2] == 1, "a row that cannot be is reported by its number");
  else if (fine)
    is_mem(out, want, (size_t)(total * size), "%s of %s", hed__random_row_name(&call), hed__dtypes[dtype]->name);
  else
    fail("%s runs", hed__random_row_name(&call));
  free(want);
  free(work);
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
    if (!thorough(k))
      continue;
    check(HED_RANDOM_BITS, integers[k], 0, 0, 0, 0, false);
    check(HED_RANDOM_INTEGERS, integers[k], 0, 0, -5, 11, false);
    check(HED_RANDOM_INTEGERS, integers[k], 0, 0, 17, UINT64_C(1) << 40, false);
  }
  check(HED_RANDOM_INTEGERS, HED_ID_INT64, 0, 0, INT64_MIN, 0, false);
  static const int floats[] = { HED_ID_FLOAT16, HED_ID_BFLOAT16, HED_ID_FLOAT32, HED_ID_FLOAT64 };
  for (int k = 0; k < 4; k++) {
    const int t = floats[k];
    if (!thorough(k))
      continue;
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
  check_rows(HED_OP_RANDOM_CATEGORICAL, HED_ID_INT32, 5, 9, 40, false, false);
  check_rows(HED_OP_RANDOM_CATEGORICAL, HED_ID_INT64, 4, 30, 51, true, false);
  check_rows(HED_OP_RANDOM_CATEGORICAL, HED_ID_INT64, 4, 30, 51, true, true);
  check_rows(HED_OP_RANDOM_DIRICHLET, HED_ID_FLOAT32, 6, 7, 7, false, false);
  check_rows(HED_OP_RANDOM_DIRICHLET, HED_ID_FLOAT64, 3, 50, 50, false, false);
  check_rows(HED_OP_RANDOM_DIRICHLET, HED_ID_FLOAT64, 3, 50, 50, false, true);
  check_rows(HED_OP_RANDOM_HAAR, HED_ID_FLOAT64, 3, 1, 9, false, false);
  check_rows(HED_OP_RANDOM_HAAR, HED_ID_COMPLEX128, 2, 1, 6, false, false);
  done_testing();
  return done();
}
