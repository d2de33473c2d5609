// SPDX-License-Identifier: BSD-3-Clause
/* Functions of the cpu module against long double, at each instruction set of this machine: random and special
 * arguments, signs of zeros, numbers of elements that fill no vector, operands that are not aligned. Random numbers and
 * conversions, which are equal bit by bit, against lib/base.
 */
#include "base/cast.h"
#include "base/dtype.h"
#include "base/formulas/formulas.h"
#include "base/random/random.h"
#include "children.h"
#include "gen.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long double logistic(long double x) { return 1 / (1 + expl(-x)); }
static long double swish(long double x) { return x == -INFINITY ? 0 : x * logistic(x); }
static long double soft(long double x) { return (x > 0 ? x : 0) + log1pl(expl(-fabsl(x))); }

static const long double turn = 3.14159265358979323846264338327950288L, ln2 = 0.693147180559945309417232121458176568L;

static long double cardinal(long double x)
{
  long double r = x - 2 * rintl(x / 2), t = fabsl(r) > 0.5L ? copysignl(1 - fabsl(r), r) : r;
  return x == 0 ? 1 : sinl(turn * t) / (turn * x);
}

static long double gaussian_unit(long double x) { return x == -INFINITY ? 0 : x * erfcl(-x / sqrtl(2)) / 2; }
static long double exponential_unit(long double x) { return x > 0 ? x : expm1l(x); }
static long double scaled_tanh(long double x) { return 1.7159L * tanhl(x * 2 / 3); }
static long double inverse_root(long double x) { return 1 / sqrtl(x); }

static long double sum_of_exps(long double a, long double b)
{
  return a == b ? a + ln2 : (a > b || a != a ? a : b) + log1pl(expl(-fabsl(a - b)));
}

static long double sum_of_powers(long double a, long double b)
{
  return a == b ? a + 1 : (a > b || a != a ? a : b) + log1pl(exp2l(-fabsl(a - b))) / ln2;
}

/* By the recurrence and the first terms of Stirling's series; reflected. */
static long double psi(long double x)
{
  long double sum = 0, w;
  if (x <= 0)
    return x == 0 ? -copysignl(INFINITY, x) : x == rintl(x) ? NAN : psi(1 - x) - turn / tanl(turn * (x - rintl(x)));
  for (; x < 40; x++)
    sum -= 1 / x;
  w = 1 / (x * x);
  return sum + logl(x) - 1 / (2 * x) - w * (1.0L / 12 - w * (1.0L / 120 - w * (1.0L / 252 - w * (1.0L / 240 - w / 132))));
}

static long double gamma_of(long double x) { return x == -INFINITY ? NAN : tgammal(x); }

typedef struct function {
  const char *name;
  int op;
  long double (*one)(long double), (*two)(long double, long double);
  double low, high;
} function;

static const function functions[] = {
  { "exp", HED_OP_EXP, expl, NULL, -50, 50 },           { "exp2", HED_OP_EXP2, exp2l, NULL, -60, 60 },
  { "expm1", HED_OP_EXPM1, expm1l, NULL, -3, 3 },       { "log", HED_OP_LOG, logl, NULL, 0, 4 },
  { "log2", HED_OP_LOG2, log2l, NULL, 0, 4 },           { "log10", HED_OP_LOG10, log10l, NULL, 0, 4 },
  { "log1p", HED_OP_LOG1P, log1pl, NULL, -1, 4 },       { "sin", HED_OP_SIN, sinl, NULL, -2000, 2000 },
  { "cos", HED_OP_COS, cosl, NULL, -2000, 2000 },       { "tan", HED_OP_TAN, tanl, NULL, -100, 100 },
  { "arcsin", HED_OP_ARCSIN, asinl, NULL, -1, 1 },      { "arccos", HED_OP_ARCCOS, acosl, NULL, -1, 1 },
  { "arctan", HED_OP_ARCTAN, atanl, NULL, -9, 9 },      { "sinh", HED_OP_SINH, sinhl, NULL, -20, 20 },
  { "cosh", HED_OP_COSH, coshl, NULL, -20, 20 },        { "tanh", HED_OP_TANH, tanhl, NULL, -10, 10 },
  { "arcsinh", HED_OP_ARCSINH, asinhl, NULL, -30, 30 }, { "arccosh", HED_OP_ARCCOSH, acoshl, NULL, 1, 30 },
  { "arctanh", HED_OP_ARCTANH, atanhl, NULL, -1, 1 },   { "cbrt", HED_OP_CBRT, cbrtl, NULL, -9, 9 },
  { "erf", HED_OP_ERF, erfl, NULL, -4, 4 },             { "erfc", HED_OP_ERFC, erfcl, NULL, -4, 9 },
  { "sigmoid", HED_OP_SIGMOID, logistic, NULL, -40, 40 }, { "silu", HED_OP_SILU, swish, NULL, -40, 40 },
  { "arctan2", HED_OP_ARCTAN2, NULL, atan2l, -9, 9 },   { "hypot", HED_OP_HYPOT, NULL, hypotl, -9, 9 },
  { "power", HED_OP_POWER, NULL, powl, -9, 9 },         { "softplus", HED_OP_SOFTPLUS, soft, NULL, -40, 40 },
  { "gelu", HED_OP_GELU, gaussian_unit, NULL, -9, 9 },  { "sinc", HED_OP_SINC, cardinal, NULL, -30, 30 },
  { "elu", HED_OP_ELU, exponential_unit, NULL, -9, 3 }, { "rsqrt", HED_OP_RSQRT, inverse_root, NULL, 0, 9 },
  { "lecun_tanh", HED_OP_LECUN_TANH, scaled_tanh, NULL, -9, 9 },
  { "logaddexp", HED_OP_LOGADDEXP, NULL, sum_of_exps, -20, 20 },
  { "logaddexp2", HED_OP_LOGADDEXP2, NULL, sum_of_powers, -30, 30 },
  { "gelu", HED_OP_GELU, gaussian_unit, NULL, -3.9, 3.9 }, { "log", HED_OP_LOG, logl, NULL, 0.9, 1.1 },
  { "log", HED_OP_LOG, logl, NULL, 0, 1.7e308 },        { "gamma", HED_OP_GAMMA, gamma_of, NULL, 0, 36 },
  { "gamma", HED_OP_GAMMA, gamma_of, NULL, -9, 176 },   { "lgamma", HED_OP_LGAMMA, lgammal, NULL, 0, 12 },
  { "lgamma", HED_OP_LGAMMA, lgammal, NULL, -2, 2e38 }, { "digamma", HED_OP_DIGAMMA, psi, NULL, 1.5, 12 },
  { "digamma", HED_OP_DIGAMMA, psi, NULL, 0, 3e38 },    { "sinh", HED_OP_SINH, sinhl, NULL, -712, 712 },
  { "arcsinh", HED_OP_ARCSINH, asinhl, NULL, -3e38, 3e38 }, { "arccosh", HED_OP_ARCCOSH, acoshl, NULL, 0.9, 1.2 },
};
enum { FUNCTIONS = sizeof functions / sizeof *functions, N = 4003 };
static const double special[] = {
  0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 0x1p-1074, -0x1p-1074, 0x1p-1022, 0x1p-149, -0x1p-149, 0x1p-126, 1e308, -1e308,
  3e38, -3e38, 88.72, 88.73, -87.4, -103.9, -104, 709.78, 709.79, -745.1, -745.2, -708.5, 0.5, 2, 3, 8, -8, 1024, 0x1p17,
  0x1.8p17, 0x1p20, 1e22, 0.8784, 1.5707963267948966, 3.1415926535897932, 355, 16777217,
};
enum { SPECIAL = sizeof special / sizeof *special };

static bool run_row(const hed_plugin *cpu, const char *name, const hed_call *call)
{
  for (const hed_op_entry *row = cpu->ops; row->name; row++)
    if (!strcmp(row->name, name))
      return row->fn(NULL, call) == HED_OK;
  return false;
}

/* The bits of a draw of N elements, which end within a block of the generator. */
static bool same_draws(const hed_plugin *cpu)
{
  static const int types[] = { HED_ID_FLOAT32, HED_ID_FLOAT64, HED_ID_FLOAT16, HED_ID_BFLOAT16, HED_ID_COMPLEX64 };
  static char got[4003 * 8], want[4003 * 8];
  bool same = true;
  for (int k = 0; k < 20; k++) {
    const int t = types[k % 5], kind = k / 5 % 2 ? HED_RANDOM_NORMAL : HED_RANDOM_UNIFORM;
    const int64_t n = 4003 - 7 * k;
    hed_random_params p = { .key = 0x123456789abcdef0u + (uint64_t)k, .draw = (uint64_t)k, .kind = kind, .a = k / 10, .b = 2 };
    hed_view v = { .data = got, .dtype = t, .ndim = 1, .dim = { n }, .stride = { hed__id_size(t) } };
    const hed_view *out[1] = { &v };
    hed_call call = { .struct_size = sizeof call, .op = HED_OP_RANDOM, .n_out = 1, .out = out, .params = &p, .compute = t,
                      .max_threads = 1 };
    hed__random_fill(&p, t, 0, n, want);
    same = run_row(cpu, "random", &call) && !memcmp(got, want, (size_t)(n * hed__id_size(t))) && same;
  }
  for (int k = 0; k < 2 * (HED_RANDOM_PHASOR - HED_RANDOM_INTEGERS); k++) {
    const int kind = HED_RANDOM_EXPONENTIAL + k / 2;
    const int t = kind == HED_RANDOM_PHASOR ? HED_ID_COMPLEX64 : k % 2 ? HED_ID_FLOAT32 : HED_ID_FLOAT64;
    const int64_t n = 4001 - k;
    hed_random_params p = { .key = 77 + (uint64_t)k, .draw = (uint64_t)k, .kind = kind, .a = 0.4, .b = 2 };
    hed_view v = { .data = got, .dtype = t, .ndim = 1, .dim = { n }, .stride = { hed__id_size(t) } };
    const hed_view *out[1] = { &v };
    hed_call call = { .struct_size = sizeof call, .op = HED_OP_RANDOM, .n_out = 1, .out = out, .params = &p, .compute = t,
                      .max_threads = 1 };
    hed__random_fill(&p, t, 0, n, want);
    same = run_row(cpu, "random", &call) && !memcmp(got, want, (size_t)(n * hed__id_size(t))) && same;
  }
  return same;
}

static double load(const void *p, int t, int64_t k)
{
  return t == HED_ID_FLOAT32 ? (double)((const float *)p)[k] : ((const double *)p)[k];
}

static void store(void *p, int t, int64_t k, double x)
{
  if (t == HED_ID_FLOAT32)
    ((float *)p)[k] = (float)x;
  else
    ((double *)p)[k] = x;
}

/* All pairs of types, from random bits: every rounding, NaN, infinities and numbers that do not fit. NEAR: none but those
 * that int32 holds, of which blocks go another way, until one of the last. */
static bool same_conversions(const hed_plugin *cpu, gen *g, bool near)
{
  enum { COUNT = 1003 };
  static _Alignas(16) char in[COUNT * 16], got[COUNT * 16], want[COUNT * 16];
  bool same = true;
  for (int from = 0; from < HED_ID_CONCRETE_COUNT_; from++)
    for (int to = 0; to < HED_ID_CONCRETE_COUNT_; to++) {
      gen_bytes(g, in, sizeof in);
      if (hed__id_kind(from) >= HED_KIND_FLOAT)
        for (int64_t k = 0; k < COUNT; k += 2) { /* half of them of a size that float16 holds */
          const double z[2] = { ldexp(gen_double(g, -1, 1), (int)gen_int(g, -30, 17)), gen_double(g, -1, 1) };
          hed__cast(HED_ID_COMPLEX128, from)(1, in + k * hed__id_size(from), 0, (const char *)z, 0);
        }
      for (int64_t k = 0; k < COUNT && near && hed__id_kind(from) >= HED_KIND_FLOAT; k++) {
        const double size = ldexp(gen_double(g, 1, 2), (int)gen_int(g, -30, 30)), last = k == COUNT - 3 ? 0x1.4p32 : size;
        const double tie = ldexp(257 + 2 * (double)gen_int(g, 0, 127), (int)gen_int(g, -20, 20)) * (1 + 0x1p-40); /* of bfloat16 */
        const double z[2] = { (k & 1 ? -1 : 1) * (k % 100 == 50 && k > COUNT / 2 && from == HED_ID_FLOAT64 ? tie : last), 0 };
        hed__cast(HED_ID_COMPLEX128, from)(1, in + k * hed__id_size(from), 0, (const char *)z, 0);
      }
      if (from == HED_ID_FLOAT64 && !near) /* ties of float16 and what is next to them, nearer than float32 tells */
        for (int64_t k = 1; k + 2 < COUNT; k += 4) {
          const double tie = ldexp((double)(2 * gen_int(g, 1024, 2047) + 1), (int)gen_int(g, -26, 4));
          store(in, from, k, (k & 8 ? -tie : tie) * (1 + (double)gen_int(g, -1, 1) * ldexp(1, -(int)gen_int(g, 26, 52))));
          const double wide = ldexp((double)(2 * gen_int(g, 128, 255) + 1), (int)gen_int(g, -140, 120)); /* of bfloat16 */
          const double off = k % 256 < 128 ? 0 : (double)gen_int(g, -1, 1) * ldexp(1, -(int)gen_int(g, 26, 52));
          store(in, from, k + 2, wide * (k > COUNT / 2 ? 1 + 0x1p-12 : 1 + off)); /* no ties in the latter half, but NaN */
          if (k % 64 == 1)
            memset(in + 8 * (k + 2), 0xff, 8);
        }
      hed_view o = { .data = got, .dtype = to, .ndim = 1, .dim = { COUNT }, .stride = { hed__id_size(to) } };
      hed_view i = { .data = in, .dtype = from, .ndim = 1, .dim = { COUNT }, .stride = { hed__id_size(from) } };
      const hed_view *out[1] = { &o }, *list[1] = { &i };
      hed_call call = { .struct_size = sizeof call, .op = HED_OP_ASTYPE, .n_in = 1, .n_out = 1, .in = list, .out = out,
                        .compute = to, .max_threads = 1 };
      hed__cast(from, to)(COUNT, want, hed__id_size(to), in, hed__id_size(from));
      if (!run_row(cpu, "astype", &call) || memcmp(got, want, (size_t)(COUNT * hed__id_size(to))) != 0) {
        diag("from %s to %s", hed__dtypes[from]->name, hed__dtypes[to]->name);
        same = false;
      }
    }
  return same;
}

/* What a child found: worst error in units in the last place, and the first argument with a wrong sign. */
typedef struct finding {
  double worst, at, wrong_sign;
  bool ran, signs_wrong, pieces_differ;
  bool draws, conversions, exact, complex_signs, magnitudes, powers, steep, quotients, whole; /* of the first function's only */
} finding;

/* In units of the last place of UNIT_OF. */
static double error_in(long double want, long double unit_of, double got, int bits)
{
  double rounded = bits == 24 ? (double)(float)want : (double)want;
  if (isnan(rounded) || isnan(got) || isinf(rounded) || isinf(got))
    return (isnan(rounded) && isnan(got)) || rounded == got ? 0 : HUGE_VAL;
  int e, least = bits == 24 ? -125 : -1021;
  frexpl(unit_of, &e);
  return (double)(fabsl((long double)got - want) / ldexpl(1, (e < least || unit_of == 0 ? least : e) - bits));
}

static double error_of(long double want, double got, int bits) { return error_in(want, want, got, bits); }

static void run(const hed_plugin *cpu, const function *f, int t, int64_t n, void *out, const void *a, const void *b)
{
  hed_view v[3] = { { 0 }, { 0 }, { 0 } };
  void *data[3] = { out, (void *)(uintptr_t)a, (void *)(uintptr_t)b };
  for (int k = 0; k < 3; k++)
    v[k] = (hed_view){ .data = data[k], .dtype = t, .ndim = 1, .dim = { n }, .stride = { hed__id_size(t) } };
  const hed_view *in[2] = { &v[1], &v[2] }, *o[1] = { &v[0] };
  const hed_slope_params one = { 1 };
  hed_call call = { .struct_size = sizeof call, .op = f->op, .n_in = f->two ? 2 : 1, .n_out = 1, .in = in, .out = o,
                    .params = &one, .compute = t, .max_threads = 1 };
  if (!run_row(cpu, f->name, &call))
    memset(out, 0xff, (size_t)(n * hed__id_size(t)));
}

/* Half of the arguments evenly, a quarter at all magnitudes, a quarter special. */
static void check(const hed_plugin *cpu, const function *f, int t, gen *g, finding *r)
{
  static double a[N], b[N], out[N], again[N];
  const int bits = t == HED_ID_FLOAT32 ? 24 : 53, size = (int)hed__id_size(t);
  for (int64_t k = 0; k < N; k++)
    for (int w = 0; w < 2; w++) {
      double x = gen_double(g, f->low, f->high);
      if (k % 4 == 2)
        x *= exp(gen_double(g, -60, f->two ? 20 : 0));
      if (k % 4 == 3)
        x = special[w ? k / 4 / SPECIAL % SPECIAL : k / 4 % SPECIAL];
      store(w ? b : a, t, k, x);
    }
  run(cpu, f, t, N, out, a, b);
  for (int64_t k = 0; k < N; k++) {
    long double x = load(a, t, k), y = load(b, t, k), want = f->one ? f->one(x) : f->two(x, y);
    const bool sums = f->op == HED_OP_LOGADDEXP || f->op == HED_OP_LOGADDEXP2; /* which may cancel: of the larger operand */
    const long double larger = sums ? fmaxl(x, y) : 0;
    double got = load(out, t, k), rounded = bits == 24 ? (double)(float)want : (double)want;
    double error = error_in(want, fabsl(larger) > fabsl(want) ? larger : want, got, bits);
    if (!(error <= r->worst))
      r->worst = error, r->at = (double)x;
    if (!isnan(rounded) && !isnan(got) && signbit(rounded) != signbit(got) && !sums && !r->signs_wrong)
      r->signs_wrong = true, r->wrong_sign = (double)x;
  }
  /* any piece gives what the whole gave, wherever it begins */
  for (int round = 0; round < 40; round++) {
    int64_t begin = (int64_t)gen_below(g, N - 100), n = (int64_t)gen_below(g, 100);
    char *to = (char *)again + (size_t)begin * (size_t)size;
    run(cpu, f, t, n, to, (char *)a + begin * size, (char *)b + begin * size);
    for (int64_t k = begin; k < begin + n; k++)
      if (load(again, t, k) != load(out, t, k) && !isnan(load(out, t, k)))
        r->pieces_differ = true;
  }
  /* and so do others beside it: nothing special, for which some loops have a shorter way, but for zeros in the latter half */
  int64_t zero[2] = { -1, -1 };
  for (int64_t k = 3; k < N && f->one; k += 4)
    if (load(a, t, k) == 0)
      zero[signbit(load(a, t, k)) != 0] = k;
  for (int64_t k = 3; k < N; k += 4) {
    store(a, t, k, zero[k / 4 % 2] >= 0 && k > N / 2 ? (k / 4 % 2 ? -0.0 : 0.0) : load(a, t, k - 1));
    store(b, t, k, load(b, t, k - 1));
  }
  run(cpu, f, t, N, again, a, b);
  for (int64_t k = 0; k < N; k++) {
    const int64_t same = k % 4 != 3 ? k : load(a, t, k) == 0 ? zero[k / 4 % 2] : k - 1;
    const double now = load(again, t, k), before = load(out, t, same);
    if ((now != before || signbit(now) != signbit(before)) && !isnan(before))
      r->pieces_differ = true;
  }
  r->ran = true;
}

/* Exact operations are those of lib/base, but for the bits of a NaN. */
static bool same_exact(const hed_plugin *cpu, gen *g)
{
  static const hed_slope_params slope = { -0.3 };
  static const hed_threshold_params threshold = { 0.7, 1.1, -2.2 };
  static const hed_nan_params numbers = { 0.1, 1e30, -1e300 }, most[2] = { { 0.1, FLT_MAX, -FLT_MAX }, { -0.3, DBL_MAX, -DBL_MAX } };
  static const struct { int op; const char *name; int n_in; const void *params; } exact[] = {
    { HED_OP_FMAX, "fmax", 2, NULL }, { HED_OP_FMIN, "fmin", 2, NULL }, { HED_OP_HEAVISIDE, "heaviside", 2, NULL },
    { HED_OP_ISPOSINF, "isposinf", 1, NULL }, { HED_OP_ISNEGINF, "isneginf", 1, NULL },
    { HED_OP_DEG2RAD, "deg2rad", 1, NULL }, { HED_OP_RAD2DEG, "rad2deg", 1, NULL }, { HED_OP_LERP, "lerp", 3, NULL },
    { HED_OP_LEAKY_RELU, "leaky_relu", 1, &slope }, { HED_OP_THRESHOLD, "threshold", 1, &threshold },
    { HED_OP_NAN_TO_NUM, "nan_to_num", 1, &numbers }, { HED_OP_NAN_TO_NUM, "nan_to_num", 1, &most[0] },
    { HED_OP_NAN_TO_NUM, "nan_to_num", 1, &most[1] },
    { HED_OP_ROUND, "round", 1, NULL }, { HED_OP_TRUNC, "trunc", 1, NULL },
    { HED_OP_SIGN, "sign", 1, NULL }, { HED_OP_RELU, "relu", 1, NULL },
    { HED_OP_ISINF, "isinf", 1, NULL }, { HED_OP_SIGNBIT, "signbit", 1, NULL }, { HED_OP_COPYSIGN, "copysign", 2, NULL },
    { HED_OP_LOGICAL_NOT, "logical_not", 1, NULL }, { HED_OP_LOGICAL_AND, "logical_and", 2, NULL },
    { HED_OP_LOGICAL_OR, "logical_or", 2, NULL }, { HED_OP_LOGICAL_XOR, "logical_xor", 2, NULL },
    { HED_OP_BITWISE_NOT, "bitwise_not", 1, NULL }, { HED_OP_LEFT_SHIFT, "left_shift", 2, NULL },
    { HED_OP_RIGHT_SHIFT, "right_shift", 2, NULL }, { HED_OP_FMOD, "fmod", 2, NULL }, { HED_OP_MOD, "mod", 2, NULL },
    { HED_OP_FLOOR_DIVIDE, "floor_divide", 2, NULL },
  };
  enum { COUNT = 2003 };
  static _Alignas(16) char in[3][COUNT * 16], got[COUNT * 16], want[COUNT * 16];
  bool same = true;
  for (size_t e = 0; e < sizeof exact / sizeof *exact; e++)
    for (int t = 0; t < HED_ID_CONCRETE_COUNT_; t++) {
      const hed__formula *f = &hed__formulas[exact[e].op][t];
      const bool real = t == HED_ID_FLOAT32 || t == HED_ID_FLOAT64;
      if (!f->fn || !(real || hed__id_kind(t) == HED_KIND_INT || hed__id_kind(t) == HED_KIND_UINT))
        continue;
      const int64_t size = hed__id_size(t), result = hed__id_size(f->result);
      gen_bytes(g, in, sizeof in); /* every magnitude; the even ones are small or special */
      for (int w = 0; w < 3; w++)
        for (int64_t k = 0; k < COUNT; k += 2) {
          double x = real && k % 3 == 0 ? special[(w ? k / 6 / SPECIAL : k / 6) % SPECIAL]
                     : real && k % 3 == 1 ? gen_double(g, -40, 40) : (double)gen_int(g, -12, 70);
          if (real && w && k % 10 == 4) { /* next to a multiple: the quotient rounds to a whole number */
            x = load(in[1], t, k - 2);
            store(in[0], t, k, x * (double)gen_int(g, 1, 1 << 20) * (1 - (t == HED_ID_FLOAT32 ? 0x1p-24 : 0x1p-53)));
          }
          if (real)
            store(in[w], t, k, x);
          else
            for (int64_t byte = 1; byte < size; byte++)
              in[w][k * size + byte] = in[w][k * size] < 0 ? -1 : 0;
          if (!real && k % 6 == 0)
            in[w][k * size] = (char)(w ? gen_int(g, -1, 1) : 0), memset(in[w] + k * size + 1, in[w][k * size], (size_t)size - 1);
          if (!real && k % 10 == 0 && !w)
            in[w][(k + 1) * size - 1] = -128; /* the least number among them */
        }
      for (int64_t k = 1; real && k < 6; k += 2) /* at the threshold, which is no float32, and round it */
        store(in[0], t, k, (double)((float)threshold.t + (float)(k - 3) * 0x1p-24f));
      for (int repeated = 0; repeated < exact[e].n_in; repeated++) {
        const int64_t step[3] = { size, repeated == 1 ? 0 : size, repeated == 2 ? 0 : size };
        hed_view o = { .data = got, .dtype = f->result, .ndim = 1, .dim = { COUNT }, .stride = { result } }, v[3];
        for (int w = 0; w < 3; w++)
          v[w] = (hed_view){ .data = in[w], .dtype = t, .ndim = 1, .dim = { COUNT }, .stride = { step[w] } };
        const hed_view *list[3] = { &v[0], &v[1], &v[2] }, *out[1] = { &o };
        hed_call call = { .struct_size = sizeof call, .op = exact[e].op, .n_in = exact[e].n_in, .n_out = 1, .in = list,
                          .out = out, .params = exact[e].params, .compute = t, .max_threads = 1 };
        char *const p[4] = { want, in[0], in[1], in[2] };
        f->fn(COUNT, p, (const int64_t[]){ result, step[0], step[1], step[2] }, exact[e].params);
        bool equal = run_row(cpu, exact[e].name, &call);
        for (int64_t k = 0; k < COUNT && equal; k++)
          if (memcmp(got + k * result, want + k * result, (size_t)result) != 0)
            equal = real && f->result == t && isnan(load(got, t, k)) && isnan(load(want, t, k));
        if (!equal)
          diag("%s of %s", exact[e].name, hed__dtypes[t]->name);
        same = same && equal;
      }
    }
  return same;
}

/* Absolute values of complex64: rounded once, up to 2^-20 of a unit. Parts of one size and far apart, zeros, what is special. */
static bool rounded_once(const hed_plugin *cpu, gen *g)
{
  static float x[2 * N], got[2 * N];
  bool good = true;
  for (int64_t i = 0; i < N; i++) {
    const double size = exp2(gen_double(g, i % 3 ? -60 : -152, i % 3 ? 60 : 128));
    x[2 * i] = i % 97 == 5 ? (float)special[gen_below(g, SPECIAL)] : (float)(gen_double(g, -1, 1) * size);
    x[2 * i + 1] = i % 89 == 7 ? (float)special[gen_below(g, SPECIAL)]
                               : (float)(gen_double(g, -1, 1) * size * (i % 4 ? 1 : exp2(gen_double(g, -30, 0))));
    if (i % 16 >= 8 && i < N / 2) { /* whole numbers, with exact roots among them */
      const double m = (double)gen_int(g, 1, 2000), n = (double)gen_int(g, 0, 2000);
      x[2 * i] = (float)(m * m - n * n);
      x[2 * i + 1] = (float)(2 * m * n);
    }
  }
  for (int64_t every = 1; every <= 2; every++) {
    hed_view o = { .data = got, .dtype = HED_ID_FLOAT32, .ndim = 1, .dim = { N - 3 }, .stride = { every * 4 } };
    hed_view a = { .data = x, .dtype = HED_ID_COMPLEX64, .ndim = 1, .dim = { N - 3 }, .stride = { 8 } };
    const hed_view *in[1] = { &a }, *list[1] = { &o };
    hed_call call = { .struct_size = sizeof call, .op = HED_OP_ABS, .n_in = 1, .n_out = 1, .in = in, .out = list,
                      .compute = HED_ID_COMPLEX64, .max_threads = 1 };
    good = run_row(cpu, "abs", &call) && good;
    for (int64_t i = 0; i < N - 3; i++) {
      const float y = got[i * every];
      const long double want = hypotl(x[2 * i], x[2 * i + 1]);
      const float once = (float)want;
      const long double unit = isfinite(once) ? (long double)nextafterf(once, INFINITY) - once : 0;
      const bool close = isnan(want) ? isnan(y) : y == once || fabsl(y - want) <= fabsl(once - want) + unit * 0x1p-20L;
      if (!close && good)
        diag("absolute value of (%a, %a) is %a, not %La", (double)x[2 * i], (double)x[2 * i + 1], (double)y, want);
      good = good && close;
    }
  }
  return good;
}

/* Signs of complex numbers: those of lib/base, of complex128 within the errors of two absolute values. */
static bool same_signs(const hed_plugin *cpu, int t, gen *g)
{
  const int part = t == HED_ID_COMPLEX64 ? HED_ID_FLOAT32 : HED_ID_FLOAT64;
  const int64_t size = hed__id_size(t);
  static _Alignas(16) char x[N * 16], got[2 * N * 16], want[N * 16];
  const double between[2] = { 0x1.451994p+0, 0x1.2eca9p+0 }; /* |z| is 2^-26 of a unit from the middle between two floats */
  bool same = true;
  for (int64_t k = 0; k < 2 * N; k++)
    store(x, part, k, k / 64 == 80 ? between[k % 2] : k / 2 % 5 == 3 || k % 10 == 0 ? special[gen_below(g, SPECIAL)]
                      : gen_double(g, -1, 1) * exp(gen_double(g, -60, 60)));
  char *const p[2] = { want, x };
  hed__formulas[HED_OP_SIGN][t].fn(N, p, (const int64_t[]){ size, size }, NULL);
  for (int64_t every = 1; every <= 2; every++) {
    hed_view o = { .data = got, .dtype = t, .ndim = 1, .dim = { N }, .stride = { every * size } };
    hed_view a = { .data = x, .dtype = t, .ndim = 1, .dim = { N }, .stride = { size } };
    const hed_view *in[1] = { &a }, *list[1] = { &o };
    hed_call call = { .struct_size = sizeof call, .op = HED_OP_SIGN, .n_in = 1, .n_out = 1, .in = in, .out = list, .compute = t,
                      .max_threads = 1 };
    same = run_row(cpu, "sign", &call) && same;
    for (int64_t k = 0; k < 2 * N; k++) {
      const double w = load(want, part, k), z = load(got, part, k / 2 * 2 * every + k % 2);
      const bool close = isnan(w) ? isnan(z) : w == 0 || t == HED_ID_COMPLEX64 ? z == w && !signbit(z) == !signbit(w)
                                                                               : fabs(z - w) <= 0x1p-51 * fabs(w);
      if (!close && same)
        diag("sign of %s: part %d of (%g, %g) is %g, not %g", hed__dtypes[t]->name, (int)(k % 2), load(x, part, k / 2 * 2),
             load(x, part, k / 2 * 2 + 1), z, w);
      same = same && close;
    }
  }
  return same;
}

/* Powers of one exponent for all elements, of which several are operations of their own. */
static bool same_exponent(const hed_plugin *cpu, int t, gen *g)
{
  static const double exponents[] = { 2, 1, -1, 0.5, 3, 4, 2.5 };
  static double x[N], out[N];
  const int bits = t == HED_ID_FLOAT32 ? 24 : 53;
  bool right = true;
  for (int64_t k = 0; k < N; k++)
    store(x, t, k, k % 4 == 3 ? special[k / 4 % SPECIAL] : gen_double(g, -3, 9) * exp(gen_double(g, -60, 20)));
  for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
    double exponent;
    store(&exponent, t, 0, exponents[e]);
    hed_view o = { .data = out, .dtype = t, .ndim = 1, .dim = { N }, .stride = { hed__id_size(t) } };
    hed_view a = { .data = x, .dtype = t, .ndim = 1, .dim = { N }, .stride = { hed__id_size(t) } };
    hed_view b = { .data = &exponent, .dtype = t, .ndim = 1, .dim = { N }, .stride = { 0 } };
    const hed_view *in[2] = { &a, &b }, *list[1] = { &o };
    hed_call call = { .struct_size = sizeof call, .op = HED_OP_POWER, .n_in = 2, .n_out = 1, .in = in, .out = list, .compute = t,
                      .max_threads = 1 };
    right = run_row(cpu, "power", &call) && right;
    for (int64_t k = 0; k < N; k++) {
      long double want = powl(load(x, t, k), exponents[e]);
      double got = load(out, t, k), rounded = bits == 24 ? (double)(float)want : (double)want;
      if (!(error_of(want, got, bits) <= 4) || (!isnan(rounded) && signbit(rounded) != signbit(got))) {
        diag("%g to the %g: %g", load(x, t, k), exponents[e], got);
        right = false;
      }
    }
  }
  return right;
}

/* Results that are whole numbers: roots of cubes, logarithms of powers of 2 and 10. */
static bool whole_results(const hed_plugin *cpu, int t)
{
  static const function of[] = { { .name = "cbrt", HED_OP_CBRT }, { .name = "log10", HED_OP_LOG10 }, { .name = "log2", HED_OP_LOG2 } };
  static double x[N], out[N];
  const int counts[] = { t == HED_ID_FLOAT32 ? 256 : N, t == HED_ID_FLOAT32 ? 11 : 23, t == HED_ID_FLOAT32 ? 127 : 1023 };
  int wrong = 0;
  for (int f = 0; f < 3; f++) {
    for (int k = 0; k < counts[f]; k++)
      store(x, t, k, f == 0 ? (double)k * k * k : f == 1 ? (double)powl(10, k) : ldexp(1, k));
    run(cpu, &of[f], t, counts[f], out, x, x);
    for (int k = 0; k < counts[f]; k++)
      wrong += load(out, t, k) != k;
  }
  return wrong == 0;
}

/* Powers whose logarithm is a product of a small number and a large one, which has to be known well. */
static bool steep_powers(const hed_plugin *cpu, int t, gen *g)
{
  static double x[N], y[N], out[N];
  const int bits = t == HED_ID_FLOAT32 ? 24 : 53;
  const double most = t == HED_ID_FLOAT32 ? 87 : 708;
  double worst = 0;
  hed_view o = { .data = out, .dtype = t, .ndim = 1, .dim = { N }, .stride = { hed__id_size(t) } }, a = o, b = o;
  a.data = x;
  b.data = y;
  const hed_view *in[2] = { &a, &b }, *list[1] = { &o };
  hed_call call = { .struct_size = sizeof call, .op = HED_OP_POWER, .n_in = 2, .n_out = 1, .in = in, .out = list, .compute = t,
                    .max_threads = 1 };
  bool right = true;
  for (int round = 0; round < 30 && right; round++) {
    for (int64_t k = 0; k < N; k++) {
      store(x, t, k, 1 + gen_double(g, -0.06, 0.06) * (gen_chance(g, 70) ? 1 : exp2(-gen_double(g, 0, 20))));
      const double log_x = log(load(x, t, k));
      store(y, t, k, log_x == 0 ? 1 : most * (gen_chance(g, 50) ? gen_double(g, -1, 1) : gen_double(g, 0.9, 1)) / log_x);
    }
    right = run_row(cpu, "power", &call);
    for (int64_t k = 0; k < N && right; k++)
      worst = fmax(worst, error_of(powl(load(x, t, k), load(y, t, k)), load(out, t, k), bits));
  }
  if (worst > 1.5)
    diag("powers of %s: %.2f ulp", hed__dtypes[t]->name, worst);
  return right && worst <= 1.5;
}

/* A part of any magnitude, or zero, infinite or NaN. */
static double any_part(gen *g, int limit)
{
  static const double odd[] = { 0, -0.0, INFINITY, -INFINITY, NAN };
  if (gen_chance(g, 10))
    return odd[gen_below(g, 5)];
  return ldexp(gen_double(g, -2, 2), (int)(gen_chance(g, 50) ? gen_int(g, -3, 3) : gen_int(g, -limit, limit)));
}

static bool ordinary(int64_t k) { return k / 150 % 2; }

/* Number I at X and number K at Y, any NaN for any other. */
static bool same_number(const char *x, const char *y, int part, int64_t i, int64_t k)
{
  const double p = load(x, part, i), q = load(y, part, k);
  return isnan(p) ? isnan(q) : p == q && signbit(p) == signbit(q);
}

/* Quotients and reciprocals of complex numbers are C's, whose last bits depend on the compiler's library: each is off by 5.25
 * roundings of its modulus at most, root 5 of the product (Brent, Percival, Zimmermann, Math. Comp. 76 (2007) 1469), two of the
 * square, one of the division. Every other one by itself has the same bits. Ordinary ones of complex64 have those of a division in
 * float64, or of a product with the reciprocal of a square there, and next to no more than half a last digit of error. */
static bool same_quotients(const hed_plugin *cpu, int t, gen *g)
{
  enum { COUNT = 4003 };
  static _Alignas(16) char in[2][COUNT * 16], got[COUNT * 16], want[COUNT * 16];
  const int64_t size = hed__id_size(t);
  const int part = hed__real_of(t);
  const double step = ldexp(10.5, part == HED_ID_FLOAT32 ? -24 : -53), least = part == HED_ID_FLOAT32 ? 0x1p-147 : 0x1p-1072;
  bool same = true;
  for (int w = 0; w < 2; w++)
    for (int64_t k = 0; k < 2 * COUNT; k++) /* stretches of ordinary numbers, which loops may take by vectors */
      store(in[w], part, k, ordinary(k / 2) ? gen_double(g, -2, 2) : any_part(g, part == HED_ID_FLOAT32 ? 148 : 1073));
  for (int64_t k = 0; k < COUNT; k += 3) { /* real parts in the middle between two float32 */
    const double norm = 13 * 13 + 16 * 16; /* the middle by itself, times its reciprocal, is not that middle */
    const double list[4] = { -norm * (2 * (double)gen_below(g, 1000) + 1), norm * 0x1p21, 13, 16 };
    for (int i = 0; i < 4 && ordinary(k); i++)
      store(in[i / 2], part, 2 * k + i % 2, list[i]);
  }
  for (int way = 0; way < 4; way++) { /* two operands, either one repeated, one operand */
    const int64_t step_of[2] = { way == 1 ? 0 : size, way == 2 ? 0 : size };
    const int op = way == 3 ? HED_OP_RECIPROCAL : HED_OP_DIVIDE, n_in = way == 3 ? 1 : 2;
    hed_view o = { .data = got, .dtype = t, .ndim = 1, .dim = { COUNT }, .stride = { size } }, v[2];
    for (int w = 0; w < 2; w++)
      v[w] = (hed_view){ .data = in[w] + 2 * size, .dtype = t, .ndim = 1, .dim = { COUNT - 2 }, .stride = { step_of[w] } };
    o.dim[0] = COUNT - 2;
    const hed_view *list[2] = { &v[0], &v[1] }, *out[1] = { &o };
    hed_call call = { .struct_size = sizeof call, .op = op, .n_in = n_in, .n_out = 1, .in = list, .out = out, .compute = t,
                      .max_threads = 1 };
    char *const p[3] = { want, v[0].data, v[1].data };
    hed__formulas[op][t].fn(COUNT - 2, p, (const int64_t[]){ size, step_of[0], step_of[1] }, NULL);
    bool right = run_row(cpu, way == 3 ? "reciprocal" : "divide", &call);
    for (int64_t k = 0; k < COUNT - 2 && right; k++) {
      const double x[2] = { load(got, part, 2 * k), load(got, part, 2 * k + 1) };
      const double y[2] = { load(want, part, 2 * k), load(want, part, 2 * k + 1) };
      const bool once = t == HED_ID_COMPLEX64 && way == 0 && ordinary(k + 2);
      const double room = isfinite(y[0]) && isfinite(y[1]) ? step * hypot(y[0], y[1]) + least : 0;
      for (int i = 0; i < 2; i++)
        right &= isnan(y[i]) ? isnan(x[i]) : x[i] == y[i] || fabs(x[i] - y[i]) <= room;
      if (once) { /* products of float32 are exact in float64 */
        double z[4];
        for (int i = 0; i < 4; i++)
          z[i] = load(in[i / 2], part, 2 * (k + 2) + i % 2);
        const double norm = z[2] * z[2] + z[3] * z[3];
        right &= x[0] == (float)((z[0] * z[2] + z[1] * z[3]) / norm) && x[1] == (float)((z[1] * z[2] - z[0] * z[3]) / norm);
      }
      if (t == HED_ID_COMPLEX64 && way == 3 && ordinary(k + 2)) {
        const double c = load(in[0], part, 2 * (k + 2)), d = load(in[0], part, 2 * (k + 2) + 1), norm = c * c + d * d;
        for (int i = 0; i < 2; i++)
          right &= x[i] == (float)((i ? -d : c) * (1 / norm)) && error_of((i ? -d : c) / norm, x[i], 24) <= 0.5 + 0x1p-20;
      }
      if (!right)
        diag("%s, way %d, element %lld: %g%+gi, not %g%+gi", hed__dtypes[t]->name, way, (long long)k, x[0], x[1], y[0], y[1]);
    }
    memcpy(want, got, sizeof got);
    o.dim[0] = v[0].dim[0] = v[1].dim[0] = COUNT / 2 - 1;
    v[0].stride[0] *= 2;
    v[1].stride[0] *= 2;
    right &= run_row(cpu, way == 3 ? "reciprocal" : "divide", &call);
    for (int64_t k = 0; k < COUNT - 2 && right; k++) { /* every other one by itself */
      right = k % 4 > 1 || same_number(got, want, part, k / 4 * 2 + k % 2, k);
      if (!right)
        diag("%s, way %d, element %lld alone is another", hed__dtypes[t]->name, way, (long long)k / 2);
    }
    same = same && right;
  }
  return same;
}

static void child(const hed_plugin *cpu, void *memory)
{
  finding *found = memory;
  gen g;
  gen_seed(&g, tap_seed());
  found->draws = same_draws(cpu);
  found->conversions = same_conversions(cpu, &g, false) & same_conversions(cpu, &g, true);
  found->exact = same_exact(cpu, &g);
  found->magnitudes = rounded_once(cpu, &g);
  found->complex_signs = same_signs(cpu, HED_ID_COMPLEX64, &g) & same_signs(cpu, HED_ID_COMPLEX128, &g);
  found->powers = same_exponent(cpu, HED_ID_FLOAT32, &g) & same_exponent(cpu, HED_ID_FLOAT64, &g);
  found->steep = steep_powers(cpu, HED_ID_FLOAT32, &g) & steep_powers(cpu, HED_ID_FLOAT64, &g);
  found->whole = whole_results(cpu, HED_ID_FLOAT32) & whole_results(cpu, HED_ID_FLOAT64);
  found->quotients = same_quotients(cpu, HED_ID_COMPLEX64, &g) & same_quotients(cpu, HED_ID_COMPLEX128, &g);
  for (int k = 0; k < FUNCTIONS; k++)
    for (int w = 0; w < 2; w++)
      check(cpu, &functions[k], w ? HED_ID_FLOAT64 : HED_ID_FLOAT32, &g, &found[2 * k + w]);
}

static void report(const char *level, const void *memory)
{
  const finding *of_level = memory;
  volatile long double one = 1;
  const bool wide = one + 0x1p-60L != one;
  ok(of_level->draws, "%s random numbers are those of lib/base", level);
  ok(of_level->conversions, "%s conversions are those of lib/base", level);
  ok(of_level->exact, "%s exact operations are those of lib/base", level);
  ok(of_level->magnitudes, "%s absolute values of complex64", level);
  ok(of_level->complex_signs, "%s signs of complex numbers", level);
  ok(of_level->powers, "%s powers of one exponent for all elements", level);
  ok(of_level->steep, "%s powers of bases near 1: 1.5 ulp", level);
  if (!strcmp(level, "avx512")) /* others take them from the C library */
    ok(of_level->whole, "%s cube roots and logarithms that are whole numbers", level);
  ok(of_level->quotients, "%s complex quotients are those of lib/base", level);
  for (int k = 0; k < FUNCTIONS; k++)
    for (int w = 0; w < 2; w++) {
      const finding *r = &of_level[2 * k + w];
      const char *name = functions[k].name, *type = w ? "float64" : "float32";
      const int op = functions[k].op;
      const bool fused = strcmp(level, "base") != 0; /* multiplies and adds at once */
      const int most = op == HED_OP_DIGAMMA ? 9 - 3 * fused : op == HED_OP_GAMMA ? 7 - 2 * fused : op == HED_OP_GELU ? 8 - fused : 4;
      ok(r->ran && (r->worst <= most || (w && !wide)), "%s %s of %s: %.2f ulp, at %.17g", level, name, type, r->worst, r->at);
      ok(!r->signs_wrong, "%s %s of %s: signs (%.17g)", level, name, type, r->wrong_sign);
      ok(!r->pieces_differ, "%s %s of %s: pieces give what the whole gave", level, name, type);
    }
}

int main(void)
{
  children_run(sizeof(finding) * FUNCTIONS * 2, child, report);
  done_testing();
  return done();
}
