// SPDX-License-Identifier: BSD-3-Clause
/* Complex functions and powers of the cpu module against long double, at each instruction set of this machine: arguments about
 * the origin, next to 1, to the axes and to the unit circle, far away; zeros, infinities and NaN as lib/base has them. And
 * gammas, of which first attempts are made side by side, against those of one element each.
 */
#include "base/dtype.h"
#include "base/formulas/formulas.h"
#include "base/random/variates.h"
#include "children.h"
#include "gen.h"
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long double complex wide;

typedef struct function {
  const char *name;
  int op;
  wide (*fn)(wide);
  double most; /* units in the last place of the absolute value */
} function;

static wide log2_of(wide z) { return clogl(z) / 0.693147180559945309417232121458176568L; }
static wide log10_of(wide z) { return clogl(z) / 2.30258509299404568401799145468436421L; }

static wide expm1_of(wide z)
{
  const long double x = creall(z), y = cimagl(z), s = sinl(y / 2);
  return CMPLXL(expm1l(x) * cosl(y) - 2 * s * s, expl(x) * sinl(y));
}

/* 1 + x is exact where it is small. */
static wide log1p_of(wide z)
{
  const long double x = creall(z), y = cimagl(z), size = hypotl(1 + x, y);
  return CMPLXL(size < 0.5L || size > 2 ? logl(size) : log1pl(x * (2 + x) + y * y) / 2, atan2l(y, 1 + x));
}

static const function functions[] = {
  { "sqrt", HED_OP_SQRT, csqrtl, 2 },  { "log", HED_OP_LOG, clogl, 3 },     { "sin", HED_OP_SIN, csinl, 3 },
  { "cos", HED_OP_COS, ccosl, 3 },     { "tan", HED_OP_TAN, ctanl, 5 },     { "sinh", HED_OP_SINH, csinhl, 3 },
  { "cosh", HED_OP_COSH, ccoshl, 3 },  { "tanh", HED_OP_TANH, ctanhl, 5 },  { "exp", HED_OP_EXP, cexpl, 3 },
  { "log2", HED_OP_LOG2, log2_of, 4 }, { "log10", HED_OP_LOG10, log10_of, 4 },
  { "expm1", HED_OP_EXPM1, expm1_of, 5 }, { "log1p", HED_OP_LOG1P, log1p_of, 3 },
  { "power", HED_OP_POWER, NULL, 4 },
};
enum { FUNCTIONS = sizeof functions / sizeof *functions, N = 3001 };

typedef struct finding {
  double worst, at[2];
  bool ran, specials, pieces, draws; /* draws: of the first function's only */
} finding;

static bool run_row(const hed_plugin *cpu, const char *name, const hed_call *call)
{
  for (const hed_op_entry *row = cpu->ops; row->name; row++)
    if (!strcmp(row->name, name))
      return row->fn(NULL, call) == HED_OK;
  return false;
}

static double part(const void *p, int t, int64_t k)
{
  return t == HED_ID_COMPLEX64 ? (double)((const float *)p)[k] : ((const double *)p)[k];
}

static void store(void *p, int t, int64_t k, double x)
{
  if (t == HED_ID_COMPLEX64)
    ((float *)p)[k] = (float)x;
  else
    ((double *)p)[k] = x;
}

/* Half of them ordinary ones. */
static void argument(gen *g, int64_t k, double z[2])
{
  static const double special[] = { 0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 0x1p-1074, 1e-310, 1e300, -1e300, 3e38, 750, -89,
                                    -400, 0.5, 0x1p21, 1e-30 };
  enum { SPECIAL = sizeof special / sizeof *special };
  const double angle = gen_double(g, -4, 4), near = exp(gen_double(g, -20, 0));
  for (int i = 0; i < 2; i++)
    z[i] = gen_double(g, -4, 4);
  switch (k % 8) {
  case 1: z[k / 8 % 2] *= near; break;
  case 3: z[0] = cos(angle), z[1] = sin(angle); break;
  case 4: z[0] = (double)(k / 8 % 3 - 1) + near * z[0], z[1] *= near; break;
  case 5: z[0] *= 20, z[1] *= 20; break;
  case 6: z[k / 8 % 2] = special[k / 16 % SPECIAL]; break;
  case 7: z[0] = special[k / 8 % SPECIAL], z[1] = special[k / 8 / SPECIAL % SPECIAL]; break;
  default: break;
  }
}

/* Of A and B, STEP elements apart. */
static bool run(const hed_plugin *cpu, const function *f, int t, int64_t n, int step, void *out, void *a, void *b)
{
  hed_view v[3] = { { 0 }, { 0 }, { 0 } };
  void *data[3] = { out, a, b };
  for (int k = 0; k < 3; k++)
    v[k] = (hed_view){ .data = data[k], .dtype = t, .ndim = 1, .dim = { n }, .stride = { (k ? step : 1) * hed__id_size(t) } };
  const hed_view *in[2] = { &v[1], &v[2] }, *o[1] = { &v[0] };
  hed_call call = { .struct_size = sizeof call, .op = f->op, .n_in = f->fn ? 1 : 2, .n_out = 1, .in = in, .out = o, .compute = t,
                    .max_threads = 1 };
  return run_row(cpu, f->name, &call);
}

static bool same(double a, double b) { return isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b); }

static void check(const hed_plugin *cpu, const function *f, int t, gen *g, finding *r)
{
  static double a[2 * N], b[2 * N], out[2 * N], again[2 * N], want[2 * N];
  const int bits = t == HED_ID_COMPLEX64 ? 24 : 53, least = bits == 24 ? -125 : -1021;
  const int64_t size = hed__id_size(t);
  for (int64_t k = 0; k < N; k++) {
    double z[2], y[2];
    argument(g, k, z);
    argument(g, k % 16 == 7 ? k : 0, y);
    if (k % 16 == 8) /* a product */
      y[0] = rint(y[0]), y[1] = 0;
    for (int i = 0; i < 2; i++) {
      store(a, t, 2 * k + i, z[i]);
      store(b, t, 2 * k + i, y[i]);
    }
  }
  char *const p[3] = { (char *)want, (char *)a, (char *)b };
  hed__formulas[f->op][t].fn(N, p, (const int64_t[]){ size, size, size }, NULL);
  r->ran = run(cpu, f, t, N, 1, out, a, b);
  r->specials = r->pieces = true;
  for (int64_t k = 0; k < N; k++) {
    const double x[2] = { part(a, t, 2 * k), part(a, t, 2 * k + 1) }, got[2] = { part(out, t, 2 * k), part(out, t, 2 * k + 1) };
    const double base[2] = { part(want, t, 2 * k), part(want, t, 2 * k + 1) };
    const wide z = CMPLXL(x[0], x[1]), w = CMPLXL(part(b, t, 2 * k), part(b, t, 2 * k + 1));
    const wide y = f->fn ? f->fn(z) : cpowl(z, w);
    const bool finite = isfinite(base[0]) && isfinite(base[1]), product = !f->fn && k % 16 == 8;
    for (int i = 0; i < 2; i++)
      if ((!finite || product || (base[i] == 0 && got[i] == 0)) && !same(base[i], got[i])) {
        if (r->specials)
          diag("%s of %s at %g%+gi: %g%+gi, not %g%+gi", f->name, hed__dtypes[t]->name, x[0], x[1], got[0], got[1], base[0],
               base[1]);
        r->specials = false;
      }
    if (!finite || !isfinite((double)creall(y)) || !isfinite((double)cimagl(y)))
      continue;
    int e;
    frexpl(cabsl(y), &e);
    double error = (double)(cabsl(CMPLXL(got[0], got[1]) - y) / ldexpl(1, (e < least || y == 0 ? least : e) - bits));
    if (!f->fn) /* of the logarithm's error, what the exponent makes of it; of its parts, each of two roundings */
      error /= 1 + (double)(cabsl(w * clogl(z)));
    if (!(error <= r->worst)) {
      r->worst = error;
      memcpy(r->at, x, sizeof x);
    }
  }
  for (int round = 0; round < 40; round++) { /* every third of some gives what the whole gave */
    const int64_t begin = (int64_t)gen_below(g, N / 3), n = (int64_t)gen_below(g, 300);
    r->ran = run(cpu, f, t, n, 3, again, (char *)a + begin * size, (char *)b + begin * size) && r->ran;
    for (int64_t k = 0; k < 2 * n; k++)
      r->pieces = r->pieces && same(part(again, t, k), part(out, t, 2 * begin + k / 2 * 6 + k % 2));
  }
}

static bool same_gammas(const hed_plugin *cpu)
{
  enum { MOST = 1500 };
  static const double shapes[] = { 0, 0.03, 0.7, 1, 1.2, 40 };
  static char got[MOST * 8], want[MOST * 8];
  bool right = true;
  for (int k = 0; k < 24; k++) {
    const int t = k % 2 ? HED_ID_FLOAT32 : HED_ID_FLOAT64, n = MOST - 31 * k;
    const int64_t size = hed__id_size(t);
    hed_random_params p = { .key = 5 + (uint64_t)k, .draw = (uint64_t)k, .a = shapes[k / 4], .b = 3,
                            .kind = k / 2 % 2 && k >= 4 ? HED_RANDOM_CHI_SQUARED : HED_RANDOM_GAMMA };
    hed_view v = { .data = got, .dtype = t, .ndim = 1, .dim = { n }, .stride = { size } };
    const hed_view *out[1] = { &v };
    hed_call call = { .struct_size = sizeof call, .op = HED_OP_RANDOM, .n_out = 1, .out = out, .params = &p, .compute = t,
                      .max_threads = 1 };
    for (int i = 0; i < n; i++)
      hed__variates(&p, t, i, 1, want + i * size, NULL, NULL);
    right = run_row(cpu, "random", &call) && !memcmp(got, want, (size_t)(n * size)) && right;
  }
  return right;
}

static void child(const hed_plugin *cpu, void *memory)
{
  finding *found = memory;
  gen g;
  gen_seed(&g, tap_seed());
  found->draws = same_gammas(cpu);
  for (int k = 0; k < 2 * FUNCTIONS; k++)
    check(cpu, &functions[k / 2], k % 2 ? HED_ID_COMPLEX128 : HED_ID_COMPLEX64, &g, &found[k]);
}

static void report(const char *level, const void *memory)
{
  const finding *of_level = memory;
  volatile long double one = 1;
  const bool wider = one + 0x1p-60L != one;
  ok(of_level->draws, "%s gammas are those of one element each", level);
  for (int k = 0; k < 2 * FUNCTIONS; k++) {
    const finding *r = &of_level[k];
    const function *f = &functions[k / 2];
    const char *type = k % 2 ? "complex128" : "complex64";
    ok(r->ran && (r->worst <= f->most || (k % 2 && !wider)), "%s %s of %s: %.2f ulp, at %.17g%+.17gi", level, f->name,
       type, r->worst, r->at[0], r->at[1]);
    ok(r->specials, "%s %s of %s: zeros, infinities, NaN", level, f->name, type);
    ok(r->pieces, "%s %s of %s: pieces give what the whole gave", level, f->name, type);
  }
}

int main(void)
{
  children_run(sizeof(finding) * FUNCTIONS * 2, child, report);
  done_testing();
  return done();
}
