// SPDX-License-Identifier: BSD-3-Clause
/* Elementwise kernels of the reference backend. Integers of 8 bits exhaustively, against formulas on wide numbers;
 * floats against libm in long double; floor division against NumPy. Special values: conform/truth.c.
 */
#include "launch.h"
#include "divmod.h"

#include <complex.h>
#include <math.h>

enum { N = 2000 };

/* ---- 8-bit integers: all pairs ---- */

typedef long (*formula)(long a, long b);

static long f_add(long a, long b) { return a + b; }
static long f_subtract(long a, long b) { return a - b; }
static long f_multiply(long a, long b) { return a * b; }
static long f_floor_divide(long a, long b) { return b ? (long)floor((double)a / (double)b) : 0; }
static long f_mod(long a, long b) { return b ? a - b * f_floor_divide(a, b) : 0; }
static long f_maximum(long a, long b) { return a > b ? a : b; }
static long f_minimum(long a, long b) { return a < b ? a : b; }
static long f_and(long a, long b) { return a & b; }
static long f_or(long a, long b) { return a | b; }
static long f_xor(long a, long b) { return a ^ b; }
static long f_left(long a, long b) { return b < 0 || b > 7 ? 0 : a * (1l << b); }
static long f_right(long a, long b) { return b < 0 || b > 7 ? (a < 0 ? -1 : 0) : f_floor_divide(a, 1l << b); }
static long f_power(long a, long b)
{
  long p = 1;
  if (b < 0)
    return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
  for (long k = 0; k < b; k++)
    p = p * a % 256;
  return p;
}
static long f_equal(long a, long b) { return a == b; }
static long f_not_equal(long a, long b) { return a != b; }
static long f_less(long a, long b) { return a < b; }
static long f_less_equal(long a, long b) { return a <= b; }
static long f_greater(long a, long b) { return a > b; }
static long f_greater_equal(long a, long b) { return a >= b; }
static long f_logical_and(long a, long b) { return a && b; }
static long f_logical_or(long a, long b) { return a || b; }
static long f_logical_xor(long a, long b) { return !a != !b; }

static const struct { const char *name; formula f; bool truth; } binary[] = {
  { "add", f_add, 0 }, { "subtract", f_subtract, 0 }, { "multiply", f_multiply, 0 },
  { "floor_divide", f_floor_divide, 0 }, { "mod", f_mod, 0 }, { "power", f_power, 0 }, { "maximum", f_maximum, 0 },
  { "minimum", f_minimum, 0 }, { "bitwise_and", f_and, 0 }, { "bitwise_or", f_or, 0 }, { "bitwise_xor", f_xor, 0 },
  { "left_shift", f_left, 0 }, { "right_shift", f_right, 0 }, { "equal", f_equal, 1 }, { "not_equal", f_not_equal, 1 },
  { "less", f_less, 1 }, { "less_equal", f_less_equal, 1 }, { "greater", f_greater, 1 },
  { "greater_equal", f_greater_equal, 1 }, { "logical_and", f_logical_and, 1 }, { "logical_or", f_logical_or, 1 },
  { "logical_xor", f_logical_xor, 1 },
};

static void all_pairs(void)
{
  static int8_t a[65536], b[65536], got[65536];
  for (int k = 0; k < 65536; k++) {
    a[k] = (int8_t)(k / 256 - 128);
    b[k] = (int8_t)(k % 256 - 128);
  }
  for (size_t op = 0; op < sizeof binary / sizeof *binary; op++)
    for (int is_signed = 0; is_signed < 2; is_signed++) {
      int dtype = is_signed ? HED_ID_INT8 : HED_ID_UINT8, wrong = 0, last = 0;
      hed_view va = row(a, dtype, 65536), vb = row(b, dtype, 65536);
      hed_view out = row(got, binary[op].truth ? HED_ID_BOOL : dtype, 65536);
      launch1(binary[op].name, dtype, NULL, &out, &va, &vb, NULL);
      for (int k = 0; k < 65536; k++) {
        long x = is_signed ? a[k] : (uint8_t)a[k], y = is_signed ? b[k] : (uint8_t)b[k];
        if ((uint8_t)got[k] != (uint8_t)binary[op].f(x, y))
          wrong++, last = k;
      }
      is_int(wrong, 0, "%s of all pairs of %s (%d)", binary[op].name, dtypes[dtype].name, last);
    }
}

static void wide_integers(void)
{
  static const struct { const char *name; int64_t a, b, want; } rows[] = {
    { "add", INT64_MAX, 1, INT64_MIN }, { "subtract", INT64_MIN, 1, INT64_MAX },
    { "multiply", INT64_MIN, -1, INT64_MIN },
    { "floor_divide", INT64_MIN, -1, INT64_MIN }, { "mod", INT64_MIN, -1, 0 }, { "floor_divide", -7, 2, -4 },
    { "mod", -7, 2, 1 }, { "mod", 7, -2, -1 }, { "floor_divide", INT64_MAX, 0, 0 },
    { "power", 3, 40, 12157665459056928801u },
    { "power", 2, 64, 0 }, { "power", -1, -3, -1 }, { "power", 0, -1, 0 }, { "left_shift", -1, 63, INT64_MIN },
    { "left_shift", 1, 64, 0 }, { "right_shift", INT64_MIN, 63, -1 }, { "right_shift", INT64_MIN, 64, -1 },
    { "right_shift", 5, -1, 0 },
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    int64_t a = rows[k].a, b = rows[k].b, got = 12345;
    hed_view va = row(&a, HED_ID_INT64, 1), vb = row(&b, HED_ID_INT64, 1), out = row(&got, HED_ID_INT64, 1);
    launch1(rows[k].name, HED_ID_INT64, NULL, &out, &va, &vb, NULL);
    is_int(got, rows[k].want, "%s(%lld, %lld)", rows[k].name, (long long)a, (long long)b);
  }
  int32_t x[4] = { INT32_MIN, -3, 0, 7 }, got[4];
  hed_view in = row(x, HED_ID_INT32, 4), out = row(got, HED_ID_INT32, 4);
  launch1("abs", HED_ID_INT32, NULL, &out, &in, NULL);
  is_mem(got, ((int32_t[]){ INT32_MIN, 3, 0, 7 }), sizeof got, "abs of int32; the least one stays itself");
  launch1("negative", HED_ID_INT32, NULL, &out, &in, NULL);
  is_mem(got, ((int32_t[]){ INT32_MIN, 3, 0, -7 }), sizeof got, "negative of int32");
  launch1("sign", HED_ID_INT32, NULL, &out, &in, NULL);
  is_mem(got, ((int32_t[]){ -1, -1, 0, 1 }), sizeof got, "sign of int32");
  launch1("bitwise_not", HED_ID_INT32, NULL, &out, &in, NULL);
  is_mem(got, ((int32_t[]){ INT32_MAX, 2, -1, -8 }), sizeof got, "bitwise_not of int32");
}

static void booleans(void)
{
  static const struct { const char *name; bool want[4]; } rows[] = {
    { "add", { 0, 1, 1, 1 } }, { "multiply", { 0, 0, 0, 1 } }, { "floor_divide", { 0, 0, 0, 1 } },
    { "mod", { 0, 0, 0, 0 } }, { "power", { 1, 0, 1, 1 } }, { "maximum", { 0, 1, 1, 1 } }, { "minimum", { 0, 0, 0, 1 } },
    { "less", { 0, 1, 0, 0 } }, { "bitwise_xor", { 0, 1, 1, 0 } },
  };
  bool a[4] = { 0, 0, 1, 1 }, b[4] = { 0, 1, 0, 1 }, got[4];
  hed_view va = row(a, HED_ID_BOOL, 4), vb = row(b, HED_ID_BOOL, 4), out = row(got, HED_ID_BOOL, 4);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    launch1(rows[k].name, HED_ID_BOOL, NULL, &out, &va, &vb, NULL);
    is_mem(got, rows[k].want, 4, "%s of bool", rows[k].name);
  }
  launch1("bitwise_not", HED_ID_BOOL, NULL, &out, &vb, NULL);
  is_mem(got, ((bool[]){ 1, 0, 1, 0 }), 4, "bitwise_not of bool is logical");
  *(uint8_t *)a = 7; /* a true that another program wrote */
  launch1("add", HED_ID_BOOL, NULL, &out, &va, &va, NULL);
  is_int(*(uint8_t *)got, 1, "every byte but 0 is true");
}

/* ---- floats against long double ---- */

static long double l_square(long double x) { return x * x; }
static long double l_reciprocal(long double x) { return 1 / x; }
static long double l_negative(long double x) { return -x; }

static const struct { const char *name; long double (*f)(long double); double low, high; int ulps; } unary[] = {
  { "negative", l_negative, -1e9, 1e9, 0 }, { "abs", fabsl, -1e9, 1e9, 0 }, { "square", l_square, -1e9, 1e9, 0 },
  { "sqrt", sqrtl, 0, 1e9, 0 }, { "reciprocal", l_reciprocal, -1e3, 1e3, 0 }, { "exp", expl, -80, 80, 1 },
  { "expm1", expm1l, -3, 3, 2 }, { "log", logl, 1e-30, 1e9, 1 }, { "log1p", log1pl, -0.9, 3, 2 },
  { "log2", log2l, 1e-30, 1e9, 1 }, { "log10", log10l, 1e-30, 1e9, 2 }, { "sin", sinl, -100, 100, 1 },
  { "cos", cosl, -100, 100, 1 }, { "tan", tanl, -100, 100, 1 }, { "arcsin", asinl, -1, 1, 1 },
  { "arccos", acosl, -1, 1, 1 }, { "arctan", atanl, -100, 100, 1 }, { "sinh", sinhl, -80, 80, 2 },
  { "cosh", coshl, -80, 80, 2 }, { "tanh", tanhl, -5, 5, 2 }, { "floor", floorl, -1e4, 1e4, 0 },
  { "ceil", ceill, -1e4, 1e4, 0 }, { "round", rintl, -1e4, 1e4, 0 },
};

/* Distance of GOT from the unrounded truth in units of its last place, of BITS bits. */
static double ulps(long double got, long double want, int bits)
{
  int exponent;
  frexpl(want, &exponent);
  return (double)(fabsl(got - want) / ldexpl(1, exponent - bits));
}

static void floats(gen *g)
{
  static double x[N], got[N];
  static float xf[N], gotf[N];
  static uint16_t half[N];
  for (size_t op = 0; op < sizeof unary / sizeof *unary; op++) {
    for (int k = 0; k < N; k++)
      xf[k] = (float)(x[k] = gen_double(g, unary[op].low, unary[op].high));
    hed_view vx = row(x, HED_ID_FLOAT64, N), vf = row(xf, HED_ID_FLOAT32, N), out = row(got, HED_ID_FLOAT64, N);
    hed_view outf = row(gotf, HED_ID_FLOAT32, N), vh = row(half, HED_ID_BFLOAT16, N);
    launch1(unary[op].name, HED_ID_FLOAT64, NULL, &out, &vx, NULL);
    launch1(unary[op].name, HED_ID_FLOAT32, NULL, &outf, &vf, NULL);
    double worst = 0, worstf = 0;
    for (int k = 0; k < N; k++) {
      worst = fmax(worst, ulps(got[k], unary[op].f(x[k]), 53));
      worstf = fmax(worstf, ulps(gotf[k], unary[op].f(xf[k]), 24));
    }
    ok(worst <= 0.51 + unary[op].ulps, "%s of float64 (%.2f ulp)", unary[op].name, worst);
    ok(worstf <= 0.51 + unary[op].ulps, "%s of float32 (%.2f ulp)", unary[op].name, worstf);
    /* computed in float32 and rounded once on the way out */
    launch1(unary[op].name, HED_ID_BFLOAT16, NULL, &vh, &vf, NULL);
    int far = 0;
    for (int k = 0; k < N; k++) {
      uint32_t bits = (uint32_t)half[k] << 16;
      float back;
      memcpy(&back, &bits, 4);
      far += fabs((double)back - (double)gotf[k]) > 0x1p-8 * fabs((double)gotf[k]);
    }
    is_int(far, 0, "%s delivers bfloat16", unary[op].name);
  }
}

static void float_rules(void)
{
  const int n = (int)(sizeof divmod_values / sizeof *divmod_values);
  int wrong_q = 0, wrong_r = 0;
  for (int k = 0; k < n * n; k++) {
    double a = divmod_values[k / n], b = divmod_values[k % n], q, r, want_q = floor_divide_values[k], want_r = mod_values[k];
    hed_view va = row(&a, HED_ID_FLOAT64, 1), vb = row(&b, HED_ID_FLOAT64, 1);
    hed_view vq = row(&q, HED_ID_FLOAT64, 1), vr = row(&r, HED_ID_FLOAT64, 1);
    launch1("floor_divide", HED_ID_FLOAT64, NULL, &vq, &va, &vb, NULL);
    launch1("mod", HED_ID_FLOAT64, NULL, &vr, &va, &vb, NULL);
    wrong_q += !(q == want_q || (isnan(q) && isnan(want_q)));
    wrong_r += !(r == want_r || (isnan(r) && isnan(want_r)));
  }
  is_int(wrong_q, 0, "floor_divide as NumPy has it");
  is_int(wrong_r, 0, "mod as NumPy has it");
}

/* ---- complex against long double ---- */

static void near_complex(const char *name, double _Complex got, long double _Complex want, double rel)
{
  double scale = (double)cabsl(want);
  is_near(creal(got), (double)creall(want), 0, rel * scale, "%s, real part", name);
  is_near(cimag(got), (double)cimagl(want), 0, rel * scale, "%s, imaginary part", name);
}

static const struct { const char *name; long double _Complex (*f)(long double _Complex); } complex_unary[] = {
  { "sqrt", csqrtl }, { "exp", cexpl }, { "log", clogl }, { "sin", csinl }, { "cos", ccosl }, { "tan", ctanl },
  { "conj", conjl },
};

static void complexes(gen *g)
{
  for (int k = 0; k < 20; k++) {
    double _Complex a = gen_normal(g) + gen_normal(g) * I, b = gen_normal(g) + gen_normal(g) * I, got;
    float _Complex af = (float _Complex)a, gotf;
    hed_view va = row(&a, HED_ID_COMPLEX128, 1), vb = row(&b, HED_ID_COMPLEX128, 1), out = row(&got, HED_ID_COMPLEX128, 1);
    hed_view vf = row(&af, HED_ID_COMPLEX64, 1), outf = row(&gotf, HED_ID_COMPLEX64, 1);
    for (size_t op = 0; op < sizeof complex_unary / sizeof *complex_unary; op++) {
      launch1(complex_unary[op].name, HED_ID_COMPLEX128, NULL, &out, &va, NULL);
      near_complex(complex_unary[op].name, got, complex_unary[op].f(a), 1e-15);
      launch1(complex_unary[op].name, HED_ID_COMPLEX64, NULL, &outf, &vf, NULL);
      near_complex(complex_unary[op].name, gotf, complex_unary[op].f(af), 6e-7);
    }
    launch1("multiply", HED_ID_COMPLEX128, NULL, &out, &va, &vb, NULL);
    near_complex("multiply", got, (long double _Complex)a * b, 4e-16);
    launch1("divide", HED_ID_COMPLEX128, NULL, &out, &va, &vb, NULL);
    near_complex("divide", got, (long double _Complex)a / b, 6e-16);
    launch1("square", HED_ID_COMPLEX128, NULL, &out, &va, NULL);
    near_complex("square", got, (long double _Complex)a * a, 4e-16);
    launch1("power", HED_ID_COMPLEX128, NULL, &out, &va, &vb, NULL);
    near_complex("power", got, cpowl(a, b), 4e-15);
    launch1("sign", HED_ID_COMPLEX128, NULL, &out, &va, NULL);
    near_complex("sign", got, (long double _Complex)a / cabsl(a), 4e-16);
    double real;
    hed_view outr = row(&real, HED_ID_FLOAT64, 1);
    launch1("abs", HED_ID_COMPLEX128, NULL, &outr, &va, NULL);
    is_near(real, (double)cabsl(a), 4e-16, 0, "abs of complex is real");
    launch1("angle", HED_ID_COMPLEX128, NULL, &outr, &va, NULL);
    is_near(real, (double)cargl(a), 4e-16, 0, "angle of complex");
    launch1("imag", HED_ID_COMPLEX128, NULL, &outr, &va, NULL);
    ok(real == cimag(a), "imaginary part");
  }
  double _Complex base[4] = { 0, 0, 2, -3 + 4 * I }, exponent[4] = { 0, 2, 3, -2 }, got[4];
  hed_view va = row(base, HED_ID_COMPLEX128, 4), vb = row(exponent, HED_ID_COMPLEX128, 4);
  hed_view out = row(got, HED_ID_COMPLEX128, 4);
  launch1("power", HED_ID_COMPLEX128, NULL, &out, &va, &vb, NULL);
  ok(got[0] == 1 && got[1] == 0 && got[2] == 8, "0^0 is 1, 0^2 is 0, 2^3 is 8");
  near_complex("(-3 + 4i)^-2", got[3], -7 / 625.0L + 24 / 625.0L * I, 1e-15);
}

/* ---- the others ---- */

static void others(void)
{
  double x[5] = { NAN, -2, 0.25, 7, INFINITY }, got[5], a = 10, b[5] = { 1, 2, 3, 4, 5 };
  int32_t condition[5] = { 0, 3, 0, -1, 1 }, whole[5] = { INT32_MIN, -3, 0, 3, INT32_MAX }, limited[5];
  hed_view vx = row(x, HED_ID_FLOAT64, 5), out = row(got, HED_ID_FLOAT64, 5), vc = row(condition, HED_ID_INT32, 5);
  hed_view va = repeated(&a, HED_ID_FLOAT64, 5), vb = row(b, HED_ID_FLOAT64, 5);
  launch1("where", HED_ID_FLOAT64, NULL, &out, &vc, &va, &vb, NULL);
  is_mem(got, ((double[]){ 1, 10, 3, 10, 10 }), sizeof got, "where takes any dtype as condition");
  launch1("clip", HED_ID_FLOAT64, &(hed_clip_params){ 0, 1 }, &out, &vx, NULL);
  ok(isnan(got[0]) && got[1] == 0 && got[2] == 0.25 && got[3] == 1 && got[4] == 1, "clip of floats, NaN stays");
  launch1("clip", HED_ID_FLOAT64, &(hed_clip_params){ -INFINITY, INFINITY }, &out, &vx, NULL);
  ok(got[1] == -2 && got[4] == INFINITY, "open sides");
  hed_view vi = row(whole, HED_ID_INT32, 5), outi = row(limited, HED_ID_INT32, 5);
  launch1("clip", HED_ID_INT32, &(hed_clip_params){ -2.5, 1e300 }, &outi, &vi, NULL);
  is_mem(limited, ((int32_t[]){ -2, -2, 0, 3, INT32_MAX }), sizeof limited, "clip of integers between whole numbers");
  launch1("clip", HED_ID_INT32, &(hed_clip_params){ -INFINITY, 2.5 }, &outi, &vi, NULL);
  is_mem(limited, ((int32_t[]){ INT32_MIN, -3, 0, 2, 2 }), sizeof limited, "one side open");

  /* three elements, n = 4: variance 16/4 - (4/4)^2 = 3; 4/4 - 1 = 0; below 0 counts as 0 */
  double score[3] = { 6, 6, 6 }, exp_sq[3] = { 16, 4, 2 }, sq_exp[3] = { 4, 4, 4 };
  hed_view vs = row(score, HED_ID_FLOAT64, 3), ve = row(exp_sq, HED_ID_FLOAT64, 3), vq = row(sq_exp, HED_ID_FLOAT64, 3);
  hed_view outs = row(got, HED_ID_FLOAT64, 3);
  launch1("norm_scores", HED_ID_FLOAT64, &(hed_norm_params){ .n_obs = 4, .eps = 1e-6 }, &outs, &vs, &ve, &vq, NULL);
  is_near(got[0], 6 / (sqrt(3) * 4), 1e-15, 0, "norm_scores");
  ok(got[1] == 0 && got[2] == 0, "0 where sigma is below eps");

  float _Complex c[1] = { 1 };
  hed_view cv = row(c, HED_ID_COMPLEX64, 1);
  is_int(launch1("less", HED_ID_COMPLEX64, NULL, &outi, &cv, &cv, NULL), HED_E_DTYPE, "complex numbers have no order");
  has_str(host_said, "less", "the sentence names the operation");
  has_str(host_said, "complex64", "and the dtype");
}

int main(void)
{
  gen g;
  gen_seed(&g, tap_seed());
  all_pairs();
  wide_integers();
  booleans();
  floats(&g);
  float_rules();
  complexes(&g);
  others();
  return done();
}
