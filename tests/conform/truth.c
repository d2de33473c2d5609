// SPDX-License-Identifier: BSD-3-Clause
/* The reference backend's elementwise operations of one and two operands against truth from outside: C's functions in long
 * double, and the tables of C's Annex G, of pairs of special values. */
#include "conform.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef CMPLXL
#define CMPLXL(re, im) __builtin_complex((long double)(re), (long double)(im))
#endif

typedef long double real;
typedef long double _Complex wide;

static const real half_turn = 3.14159265358979323846264338327950288L;

/* ---- what C lacks ---- */

static wide part_by_part(wide z, real by) { return CMPLXL(creall(z) * by, cimagl(z) * by); }

/* Neither squares nor products of float64 leave the range. Infinities as in Annex G. */
static wide ratio(wide p, wide q)
{
  const real a = creall(p), b = cimagl(p), c = creall(q), d = cimagl(q), size = c * c + d * d;
  const bool infinite = isinf(a) || isinf(b), large = isinf(c) || isinf(d);
  const wide plain = CMPLXL((a * c + b * d) / size, (b * c - a * d) / size);
  if (!isnan(creall(plain)) || !isnan(cimagl(plain)))
    return plain;
  if (size == 0 && (a == a || b == b))
    return CMPLXL(copysignl(INFINITY, c) * a, copysignl(INFINITY, c) * b);
  if (infinite && isfinite(c) && isfinite(d)) {
    const real e = copysignl(isinf(a) ? 1 : 0, a), f = copysignl(isinf(b) ? 1 : 0, b);
    return CMPLXL(INFINITY * (e * c + f * d), INFINITY * (f * c - e * d));
  }
  if (large && isfinite(a) && isfinite(b))
    return 0;
  return plain;
}

static wide expm1_of(wide z)
{
  const real x = creall(z), y = cimagl(z), s = sinl(y / 2);
  if (y == 0)
    return CMPLXL(expm1l(x), y);
  if (!isfinite(x) || !isfinite(y))
    return CMPLXL(creall(cexpl(z)) - 1, cimagl(cexpl(z)));
  return CMPLXL(expm1l(x) * cosl(y) - 2 * s * s, expl(x) * sinl(y));
}

static wide log1p_of(wide z)
{
  const real x = creall(z), y = cimagl(z);
  if (!isfinite(x) || !isfinite(y) || hypotl(1 + x, y) < 0.5L)
    return clogl(CMPLXL(1 + x, y));
  return CMPLXL(log1pl(x * (2 + x) + y * y) / 2, atan2l(y, 1 + x));
}

static wide sign_of(wide z)
{
  const real x = creall(z), y = cimagl(z);
  if (z == 0)
    return 0;
  if (isinf(x) != isinf(y) && isinf(x) * isinf(y) == 0)
    return isinf(x) ? CMPLXL(copysignl(1, x), 0) : CMPLXL(0, copysignl(1, y));
  return isinf(x) || isnan(x) || isnan(y) ? CMPLXL(NAN, NAN) : part_by_part(z, 1 / cabsl(z));
}

static real sinc_of(real x)
{
  const real r = remainderl(x, 2);
  return x == 0 ? 1 : sinl(half_turn * (fabsl(r) > 0.5L ? copysignl(1, r) - r : r)) / (half_turn * x);
}

/* M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions (1964): 6.3.7, 6.3.5, 6.3.18. */
static real digamma_of(real x)
{
  real sum = 0;
  if (x == 0)
    return -copysignl(INFINITY, x);
  if (x < 0)
    return x == floorl(x) ? NAN : digamma_of(1 - x) - half_turn / tanl(half_turn * (x - rintl(x)));
  for (; x < 40; x++)
    sum -= 1 / x;
  const real w = 1 / (x * x);
  return sum + logl(x) - 0.5L / x - w * (1.0L / 12 - w * (1.0L / 120 - w * (1.0L / 252 - w * (1.0L / 240 - w / 132))));
}

static real largest_and(real a, real b, real of_difference)
{
  return isnan(a) || isnan(b) ? NAN : a == b ? a + of_difference : fmaxl(a, b) + of_difference;
}

static real logaddexp_of(real a, real b) { return largest_and(a, b, log1pl(a == b ? 1 : expl(-fabsl(a - b)))); }
static real logaddexp2_of(real a, real b)
{
  return largest_and(a, b, log1pl(a == b ? 1 : exp2l(-fabsl(a - b))) / 0.693147180559945309417232121458176568L);
}

static real mod_of(real a, real b)
{
  const real r = fmodl(a, b);
  return r == 0 ? copysignl(0, b) : signbit(r) != signbit(b) ? r + b : r;
}

/* As NumPy has it: the array API leaves infinite operands open. */
static real floor_divide_of(real a, real b)
{
  if (b == 0 || isnan(a) || isnan(b))
    return a / b;
  if (isinf(a))
    return NAN;
  const real q = isinf(b) ? (a != 0 && signbit(a) != signbit(b) ? -1 : 0) : rintl((a - mod_of(a, b)) / b);
  return q == 0 ? copysignl(0, a / b) : q;
}

static wide power_of(wide a, wide b)
{
  if (b == 0)
    return 1;
  if (isnan(creall(a)) || isnan(cimagl(a)) || isnan(creall(b)) || isnan(cimagl(b)))
    return CMPLXL(NAN, NAN);
  return a != 0 ? cpowl(a, b) : creall(b) > 0 ? 0 : CMPLXL(NAN, NAN);
}

/* ---- operations: their truth of reals x or a, b, and of complex numbers z or v, w; a new one may have a row here ---- */

/* NONE: not defined there. PLAIN: products by the plain formula, of which infinities and what overflows do not say more. */
#define NONE NAN
#define PLAIN NAN

#define EACH_UNARY(U)                                                                            \
  U(NEGATIVE, -x, -z) U(POSITIVE, x, z) U(ABS, fabsl(x), cabsl(z)) U(SQUARE, x * x, PLAIN)       \
  U(SQRT, sqrtl(x), csqrtl(z)) U(RECIPROCAL, 1 / x, ratio(1, z)) U(EXP, expl(x), cexpl(z))       \
  U(EXPM1, expm1l(x), expm1_of(z)) U(LOG, logl(x), clogl(z)) U(LOG1P, log1pl(x), log1p_of(z))    \
  U(LOG2, log2l(x), part_by_part(clogl(z), 1.44269504088896340735992468100189214L))                    \
  U(LOG10, log10l(x), part_by_part(clogl(z), 0.434294481903251827651128918916605082L))                 \
  U(EXP2, exp2l(x), NONE) U(CBRT, cbrtl(x), NONE) U(RSQRT, 1 / sqrtl(x), NONE)                   \
  U(SIN, sinl(x), csinl(z)) U(COS, cosl(x), ccosl(z)) U(TAN, tanl(x), ctanl(z))                  \
  U(ARCSIN, asinl(x), casinl(z)) U(ARCCOS, acosl(x), cacosl(z)) U(ARCTAN, atanl(x), catanl(z))   \
  U(SINH, sinhl(x), csinhl(z)) U(COSH, coshl(x), ccoshl(z)) U(TANH, tanhl(x), ctanhl(z))         \
  U(ARCSINH, asinhl(x), casinhl(z)) U(ARCCOSH, acoshl(x), cacoshl(z))                            \
  U(ARCTANH, atanhl(x), catanhl(z)) U(DEG2RAD, x * (half_turn / 180), NONE)                      \
  U(RAD2DEG, x * (180 / half_turn), NONE) U(SINC, sinc_of(x), NONE) U(ERF, erfl(x), NONE)        \
  U(ERFC, erfcl(x), NONE) U(GAMMA, x == -INFINITY ? NAN : tgammal(x), NONE)                      \
  U(LGAMMA, lgammal(x), NONE) U(DIGAMMA, digamma_of(x), NONE) U(FLOOR, floorl(x), NONE)          \
  U(CEIL, ceill(x), NONE) U(ROUND, rintl(x), CMPLXL(rintl(creall(z)), rintl(cimagl(z))))         \
  U(TRUNC, truncl(x), NONE) U(SIGN, isnan(x) ? x : (real)((x > 0) - (x < 0)), sign_of(z))        \
  U(CONJ, x, conjl(z)) U(REAL_PART, x, creall(z)) U(IMAG_PART, 0, cimagl(z))                     \
  U(ANGLE, isnan(x) ? x : signbit(x) ? half_turn : 0, cargl(z)) U(ISNAN, isnan(x), z != z)       \
  U(ISINF, isinf(x) != 0, isinf(creall(z)) || isinf(cimagl(z)))                                  \
  U(ISFINITE, isfinite(x), isfinite(creall(z)) && isfinite(cimagl(z)))                           \
  U(ISPOSINF, x == INFINITY, NONE) U(ISNEGINF, x == -INFINITY, NONE)                             \
  U(SIGNBIT, signbit(x) != 0, NONE) U(LOGICAL_NOT, x == 0, z == 0)                               \
  U(RELU, isnan(x) || x > 0 ? x : 0, NONE) U(SIGMOID, 1 / (1 + expl(-x)), NONE)                  \
  U(SOFTPLUS, (x > 0 ? x : 0) + log1pl(expl(-fabsl(x))), NONE)                                   \
  U(SILU, x == -INFINITY ? 0 : x / (1 + expl(-x)), NONE)                                         \
  U(GELU, x == -INFINITY ? 0 : x * erfcl(x * -0.707106781186547524400844362104849039L) / 2, NONE) \
  U(LECUN_TANH, 1.7159L * tanhl(2 * x / 3), NONE)

#define EACH_BINARY(B)                                                                           \
  B(ADD, a + b, v + w) B(SUBTRACT, a - b, v - w) B(MULTIPLY, a * b, PLAIN)                       \
  B(MULTIPLY_NONZERO, a != 0 ? a * b : 0, PLAIN)                                                 \
  B(DIVIDE, a / b, ratio(v, w)) B(FLOOR_DIVIDE, floor_divide_of(a, b), NONE)                     \
  B(MOD, mod_of(a, b), NONE) B(POWER, powl(a, b), power_of(v, w))                                \
  B(MAXIMUM, isnan(a) ? a : isnan(b) || b > a ? b : a, NONE)                                     \
  B(MINIMUM, isnan(a) ? a : isnan(b) || b < a ? b : a, NONE)                                     \
  B(FMAX, isnan(a) || b > a ? b : a, NONE) B(FMIN, isnan(a) || b < a ? b : a, NONE)              \
  B(FMOD, fmodl(a, b), NONE) B(COPYSIGN, copysignl(a, b), NONE)                                  \
  B(HEAVISIDE, isnan(a) ? a : a == 0 ? b : (real)(a > 0), NONE)                                  \
  B(LOGADDEXP, logaddexp_of(a, b), NONE) B(LOGADDEXP2, logaddexp2_of(a, b), NONE)                \
  B(ARCTAN2, atan2l(a, b), NONE) B(HYPOT, hypotl(a, b), NONE) B(EQUAL, a == b, v == w)           \
  B(NOT_EQUAL, a != b, v != w) B(LESS, a < b, NONE) B(LESS_EQUAL, a <= b, NONE)                  \
  B(GREATER, a > b, NONE) B(GREATER_EQUAL, a >= b, NONE)                                         \
  B(LOGICAL_AND, a != 0 && b != 0, v != 0 && w != 0)                                             \
  B(LOGICAL_OR, a != 0 || b != 0, v != 0 || w != 0)                                              \
  B(LOGICAL_XOR, (a != 0) != (b != 0), (v != 0) != (w != 0))

#define UNARY_TRUTH(ID, OF_REAL, OF_COMPLEX)                                                     \
  static real real_##ID(real x, real unused) { (void)unused, (void)x; return OF_REAL; }          \
  static wide wide_##ID(wide z, wide unused) { (void)unused, (void)z; return OF_COMPLEX; }
#define BINARY_TRUTH(ID, OF_REAL, OF_COMPLEX)                                                    \
  static real real_##ID(real a, real b) { return OF_REAL; }                                      \
  static wide wide_##ID(wide v, wide w) { (void)v, (void)w; return OF_COMPLEX; }
EACH_UNARY(UNARY_TRUTH)
EACH_BINARY(BINARY_TRUTH)

static const struct { real (*of_real)(real, real); wide (*of_complex)(wide, wide); } truth[HED_OP_COUNT_] = {
#define TRUTH(ID, OF_REAL, OF_COMPLEX) [HED_OP_##ID] = { real_##ID, wide_##ID },
  EACH_UNARY(TRUTH) EACH_BINARY(TRUTH)
};

/* Is there no truth but the operation's own formula? The next number of each type; what overflows in products. */
static bool is_own(int op, bool is_complex)
{
  return op == HED_OP_NEXTAFTER ||
         (is_complex && (op == HED_OP_SQUARE || op == HED_OP_MULTIPLY || op == HED_OP_MULTIPLY_NONZERO));
}

/* A result of C's functions, of the type of GOT. */
static void put_truth(run *want, const run *got)
{
  const hed_array *operands[2] = { operand(want, 0), operand(want, 1) };
  const hed_dtype t = hed_dtype_of(got->results[0].dtype);
  const hed_shape shape = run_shape(want);
  const int64_t n = shape.dim[0] * shape.dim[1];
  double _Complex *in[2], *out = malloc((size_t)n * sizeof *out);
  for (int k = 0; k < 2; k++) {
    hed_array *x = hed_astype(operands[k], HED_COMPLEX128);
    in[k] = malloc((size_t)n * sizeof **in);
    hed_to_host(x, in[k], (size_t)n * sizeof **in);
  }
  for (int64_t i = 0; i < n; i++)
    out[i] = hed_dtype_kind(want->dtype) == HED_KIND_COMPLEX
                 ? (double _Complex)truth[want->op].of_complex(in[0][i], in[1][i])
                 : CMPLX((double)truth[want->op].of_real(creal(in[0][i]), creal(in[1][i])), 0);
  hed_array *y = hed_from_host(out, shape, HED_COMPLEX128);
  put(want, hed_astype(hed_dtype_kind(t) == HED_KIND_COMPLEX ? y : hed_real(y), t));
  free(in[0]);
  free(in[1]);
  free(out);
}

static void prepare_truth(run *want, const run *got)
{
  HED_BACKEND_CONTEXT("reference")
  {
    HED_SCOPE
    {
      put_truth(want, got);
    }
  }
}

void conform_truth(const conform_case *c, hed_dtype t)
{
  const int op = hed_op_by_name(c->name);
  hed_op_info info = { .struct_size = sizeof info };
  hed_op_query(op, &info);
  const bool is_complex = hed_dtype_kind(t) == HED_KIND_COMPLEX;
  if (LDBL_MAX_EXP <= DBL_MAX_EXP) /* long double says no more */
    return;
  if ((strcmp(info.family, "unary") != 0 && strcmp(info.family, "binary") != 0) || !takes_pairs(c, t) || is_own(op, is_complex))
    return;
  conform_case loose = *c;
  loose.ulps++; /* the truth is rounded twice */
  run want = { .c = &loose, .op = op, .dtype = t, .extent = PAIRS }, got = want;
  if (!truth[op].of_real) {
    skip(1, "no truth is known for %s", c->name);
    return;
  }
  bool good = execute(&got, "reference");
  if (good) {
    const int results = got.n;
    prepare_truth(&want, &got);
    got.n = 1; /* the operation as it is */
    good = same_results(&want, &got);
    got.n = results;
  }
  forget(&want);
  forget(&got);
  ok(good, "reference: %s of special values as C has it, %s", c->name, hed_dtype_name(t));
}

/* ---- Annex G ---- */

/* Its tables (G.6) of x + i y: { x, y, re, im }, F for a number above 1; signs that it leaves open are as pairs_signs says. Conjugates
 * of operands have conjugates of results. */
#undef I
#define N ((double)NAN)
#define I_ ((double)INFINITY)
#define P 3.14159265358979323846
#define F 2.5
#define ANNEX_G(ID, ...) { HED_OP_##ID, { __VA_ARGS__, { -1, -1, -1, -1 } } },
static const struct { int op; double row[16][4]; } annex_g[] = {
  ANNEX_G(ARCCOS, { 0, 0, P/2, -0.0 }, { -0.0, 0, P/2, -0.0 }, { 0, N, P/2, N }, { F, I_, P/2, -I_ }, { F, N, N, N },
          { -I_, F, P, -I_ }, { I_, F, 0, -I_ }, { -I_, I_, 3*P/4, -I_ }, { I_, I_, P/4, -I_ }, { I_, N, N, I_ }, { N, F, N, N },
          { N, I_, N, -I_ }, { N, N, N, N })
  ANNEX_G(ARCCOSH, { 0, 0, 0, P/2 }, { -0.0, 0, 0, P/2 }, { F, I_, I_, P/2 }, { F, N, N, N }, { -I_, F, I_, P }, { I_, F, I_, 0 },
          { -I_, I_, I_, 3*P/4 }, { I_, I_, I_, P/4 }, { I_, N, I_, N }, { -I_, N, I_, N }, { N, F, N, N }, { N, I_, I_, N },
          { N, N, N, N })
  ANNEX_G(ARCSINH, { 0, 0, 0, 0 }, { F, I_, I_, P/2 }, { F, N, N, N }, { I_, F, I_, 0 }, { I_, I_, I_, P/4 }, { I_, N, I_, N },
          { N, 0, N, 0 }, { N, F, N, N }, { N, I_, I_, N }, { N, N, N, N })
  ANNEX_G(ARCTANH, { 0, 0, 0, 0 }, { 0, N, 0, N }, { 1, 0, I_, 0 }, { F, I_, 0, P/2 }, { F, N, N, N }, { I_, F, 0, P/2 },
          { I_, I_, 0, P/2 }, { I_, N, 0, N }, { N, F, N, N }, { N, I_, 0, P/2 }, { N, N, N, N })
  ANNEX_G(COSH, { 0, 0, 1, 0 }, { 0, I_, N, 0 }, { 0, N, N, 0 }, { F, I_, N, N }, { F, N, N, N }, { I_, 0, I_, 0 },
          { I_, F, -I_, I_ }, { I_, I_, I_, N }, { I_, N, I_, N }, { N, 0, N, 0 }, { N, F, N, N }, { N, N, N, N })
  ANNEX_G(SINH, { 0, 0, 0, 0 }, { 0, I_, 0, N }, { 0, N, 0, N }, { F, I_, N, N }, { F, N, N, N }, { I_, 0, I_, 0 },
          { I_, F, -I_, I_ }, { I_, I_, I_, N }, { I_, N, I_, N }, { N, 0, N, 0 }, { N, F, N, N }, { N, N, N, N })
  ANNEX_G(TANH, { 0, 0, 0, 0 }, { F, I_, N, N }, { F, N, N, N }, { I_, F, 1, -0.0 }, { I_, I_, 1, 0 }, { I_, N, 1, 0 },
          { N, 0, N, 0 }, { N, F, N, N }, { N, N, N, N })
  ANNEX_G(EXP, { 0, 0, 1, 0 }, { -0.0, 0, 1, 0 }, { F, I_, N, N }, { F, N, N, N }, { I_, 0, I_, 0 }, { -I_, F, -0.0, 0 },
          { I_, F, -I_, I_ }, { -I_, I_, 0, 0 }, { I_, I_, I_, N }, { -I_, N, 0, 0 }, { I_, N, I_, N }, { N, 0, N, 0 },
          { N, F, N, N }, { N, N, N, N })
  ANNEX_G(LOG, { -0.0, 0, -I_, P }, { 0, 0, -I_, 0 }, { F, I_, I_, P/2 }, { F, N, N, N }, { -I_, F, I_, P }, { I_, F, I_, 0 },
          { -I_, I_, I_, 3*P/4 }, { I_, I_, I_, P/4 }, { I_, N, I_, N }, { -I_, N, I_, N }, { N, F, N, N }, { N, I_, I_, N },
          { N, N, N, N })
  ANNEX_G(SQRT, { 0, 0, 0, 0 }, { -0.0, 0, 0, 0 }, { F, I_, I_, I_ }, { N, I_, I_, I_ }, { F, N, N, N }, { -I_, F, 0, I_ },
          { I_, F, I_, 0 }, { -I_, N, N, I_ }, { I_, N, I_, N }, { N, F, N, N }, { N, N, N, N })
};

/* Is GOT as WANT, of which a sign counts if SIGNED_? */
static bool is_like(double got, double want, bool signed_)
{
  if (isnan(want))
    return isnan(got);
  const bool same = isinf(want) ? isinf(got) : fabs(fabs(got) - fabs(want)) <= 1e-6 * fabs(want);
  return same && (!signed_ || !signbit(got) == !signbit(want));
}

static hed_array *(*const unary[HED_OP_COUNT_])(const hed_array *) = {
#define HED_UNARY(ID, name, domain, result, cost, doc) [HED_OP_##ID] = hed_##name,
#include <heddle/ops.def>
};

static int annex_wrong(int op, const double row[4], hed_dtype t, double side)
{
  const double x = row[0], y = side * row[1], u = row[2], v = side * row[3];
  const bool open = !isfinite(x) && !isfinite(y);
  double got[2] = { 0, 0 };
  hed_array *z = hed_astype(hed_from_host((double[]){ x, y }, HED_SHAPE0, HED_COMPLEX128), t);
  const hed_status status = hed_item_complex(unary[op](z), got);
  if (status == HED_OK && is_like(got[0], u, !open && !isnan(v)) && is_like(got[1], v, !open && !isnan(u)))
    return 0;
  diag("%s of %g %+gi, %s: %g %+gi, Annex G has %g %+gi", hed_op_name(op), x, y, hed_dtype_name(t), got[0], got[1], u, v);
  return 1;
}

void conform_annex_g(void)
{
  for (size_t k = 0; k < sizeof annex_g / sizeof *annex_g; k++) {
    int wrong = 0;
    HED_BACKEND_CONTEXT("reference")
    {
      HED_SCOPE
      {
        for (int i = 0; annex_g[k].row[i][0] != -1; i++)
          for (int side = -1; side <= 1; side += 2) {
            wrong += annex_wrong(annex_g[k].op, annex_g[k].row[i], HED_COMPLEX64, side);
            wrong += annex_wrong(annex_g[k].op, annex_g[k].row[i], HED_COMPLEX128, side);
          }
      }
    }
    is_int(wrong, 0, "reference: %s of complex numbers as C's Annex G has it", hed_op_name(annex_g[k].op));
  }
}
