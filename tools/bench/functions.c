// SPDX-License-Identifier: BSD-3-Clause
/* Suite "elementwise", further functions of one, two and three operands, of floats, integers, bool
 * and complex numbers.
 *
 * Layer: L5. Rows of 10^5 elements alone: what larger ones take is seen from the functions of elementwise.c. Flops are
 * counted as there; of integers and comparisons an operation counts as one.
 */
#include "bench.h"
#include <math.h>

#define A w->a[0]
#define B w->a[1]
#define C w->a[2]

typedef hed_array *(*operation)(const hed_array *, const hed_array *);

/* OP of X and the number S, which is released: whole or complex ones as the peers take them; hed_name_scalar takes real ones. */
static hed_array *beside(operation op, const hed_array *x, hed_array *s)
{
  hed_array *const r = s ? op(x, s) : NULL;
  hed_release(s);
  return r;
}

#define TURN hed_scalar_complex(0.6, 0.8)

#define UNARY(name) BENCH_NEW(run_##name, hed_##name(A))
#define BINARY(name) BENCH_NEW(run_##name, hed_##name(A, B))
UNARY(abs)
UNARY(square)
UNARY(reciprocal)
UNARY(log1p)
UNARY(log2)
UNARY(log10)
UNARY(exp2)
UNARY(cbrt)
UNARY(rsqrt)
UNARY(tan)
UNARY(arcsin)
UNARY(arccos)
UNARY(arctan)
UNARY(sinh)
UNARY(cosh)
UNARY(arcsinh)
UNARY(arccosh)
UNARY(arctanh)
UNARY(erfc)
UNARY(gamma)
UNARY(lgamma)
UNARY(digamma)
UNARY(floor)
UNARY(round)
UNARY(sign)
UNARY(isfinite)
UNARY(logical_not)
UNARY(relu)
UNARY(silu)
UNARY(exp)
UNARY(log)
UNARY(sqrt)
UNARY(sin)
UNARY(tanh)
UNARY(expm1)
UNARY(angle)
UNARY(signbit)
UNARY(count_ones)
BINARY(add)
BINARY(subtract)
BINARY(multiply)
BINARY(floor_divide)
BINARY(mod)
BINARY(maximum)
BINARY(fmax)
BINARY(fmod)
BINARY(copysign)
BINARY(arctan2)
BINARY(hypot)
BINARY(equal)
BINARY(less)
BINARY(logical_and)
BINARY(bitwise_and)
BINARY(power)
BINARY(left_shift)
BENCH_NEW(run_lerp, hed_lerp(A, B, C))
BENCH_NEW(run_clip, hed_clip(A, 0.3, 0.6))
BENCH_NEW(run_clip_whole, hed_clip(A, 20, 80))
BENCH_NEW(run_isclose, hed_isclose(A, B, NULL))
BENCH_NEW(run_nan_to_num, hed_nan_to_num(A, NULL))
BENCH_NEW(run_leaky_relu, hed_leaky_relu(A, 0.1))
BENCH_NEW(run_add_scalar, hed_add_scalar(A, 2))
BENCH_NEW(run_add_int, beside(hed_add, A, hed_scalar_int(2)))
BENCH_NEW(run_multiply_int, beside(hed_multiply, A, hed_scalar_int(2)))
BENCH_NEW(run_less_scalar, hed_less_scalar(A, 50))
BENCH_NEW(run_floor_divide_int, beside(hed_floor_divide, A, hed_scalar_int(7)))
BENCH_NEW(run_mod_int, beside(hed_mod, A, hed_scalar_int(7)))
BENCH_NEW(run_power_int, beside(hed_power, A, hed_scalar_int(2)))
BENCH_NEW(run_add_turn, beside(hed_add, A, TURN))
BENCH_NEW(run_multiply_turn, beside(hed_multiply, A, TURN))
BENCH_NEW(run_divide_turn, beside(hed_divide, A, TURN))
BENCH_NEW(run_hypot_scalar, hed_hypot_scalar(A, 0.5))
BENCH_NEW(run_power_2, hed_power_scalar(A, 2))
BENCH_NEW(run_power_3, hed_power_scalar(A, 3))
BENCH_NEW(run_power_2_5, hed_power_scalar(A, 2.5))
BENCH_NEW(run_to_int8, hed_astype(A, HED_INT8))
BENCH_NEW(run_to_int32, hed_astype(A, HED_INT32))
BENCH_NEW(run_to_int64, hed_astype(A, HED_INT64))
BENCH_NEW(run_to_bool, hed_astype(A, HED_BOOL))
BENCH_NEW(run_to_f16, hed_astype(A, HED_FLOAT16))
BENCH_NEW(run_to_bf16, hed_astype(A, HED_BFLOAT16))
BENCH_NEW(run_to_f32, hed_astype(A, HED_FLOAT32))
BENCH_NEW(run_to_f64, hed_astype(A, HED_FLOAT64))
BENCH_NEW(run_to_c64, hed_astype(A, HED_COMPLEX64))
BENCH_NEW(run_real, hed_copy(C))

/* REAL: float32 and float64; COMPLEX: of these; WHOLE: int32 and int64; SHORT: int8 and int16; TRUTH: bool; HALF: float16;
 * BYTE: uint8. */
enum kind { REAL, COMPLEX, WHOLE, SHORT, TRUTH, HALF, BYTE };
/* Elements: of floats in [0.1, 0.9); ABOVE: by 1 more; of integers in [1, 1000), of one byte [1, 100). */
enum range { UNIT, ABOVE };

typedef struct function {
  const char *name;
  bench_fn run;
  enum kind kind;
  enum range range;
  int read;                /* operands */
  double out;              /* bytes of a result per byte of an operand's element; below 0: minus the bytes of one */
  double flops32, flops64; /* per element */
} function;

static const function functions[] = {
  { "abs", run_abs, REAL, UNIT, 1, 1, 1, 1 },
  { "square", run_square, REAL, UNIT, 1, 1, 1, 1 },
  { "reciprocal", run_reciprocal, REAL, UNIT, 1, 1, 8, 16 },
  { "log1p", run_log1p, REAL, UNIT, 1, 1, 26, 44 },
  { "log2", run_log2, REAL, UNIT, 1, 1, 24, 40 },
  { "log10", run_log10, REAL, UNIT, 1, 1, 24, 40 },
  { "exp2", run_exp2, REAL, UNIT, 1, 1, 18, 30 },
  { "cbrt", run_cbrt, REAL, UNIT, 1, 1, 24, 40 },
  { "rsqrt", run_rsqrt, REAL, UNIT, 1, 1, 18, 36 },
  { "tan", run_tan, REAL, UNIT, 1, 1, 32, 56 },
  { "arcsin", run_arcsin, REAL, UNIT, 1, 1, 30, 50 },
  { "arccos", run_arccos, REAL, UNIT, 1, 1, 30, 50 },
  { "arctan", run_arctan, REAL, UNIT, 1, 1, 30, 50 },
  { "sinh", run_sinh, REAL, UNIT, 1, 1, 28, 44 },
  { "cosh", run_cosh, REAL, UNIT, 1, 1, 28, 44 },
  { "arcsinh", run_arcsinh, REAL, UNIT, 1, 1, 40, 64 },
  { "arccosh", run_arccosh, REAL, ABOVE, 1, 1, 40, 64 },
  { "arctanh", run_arctanh, REAL, UNIT, 1, 1, 34, 60 },
  { "erfc", run_erfc, REAL, UNIT, 1, 1, 40, 80 },
  { "gamma", run_gamma, REAL, ABOVE, 1, 1, 50, 90 },
  { "lgamma", run_lgamma, REAL, ABOVE, 1, 1, 50, 90 },
  { "digamma", run_digamma, REAL, ABOVE, 1, 1, 50, 90 },
  { "floor", run_floor, REAL, ABOVE, 1, 1, 1, 1 },
  { "round", run_round, REAL, ABOVE, 1, 1, 1, 1 },
  { "sign", run_sign, REAL, UNIT, 1, 1, 1, 1 },
  { "isfinite", run_isfinite, REAL, UNIT, 1, -1, 1, 1 },
  { "logical_not", run_logical_not, REAL, UNIT, 1, -1, 1, 1 },
  { "relu", run_relu, REAL, UNIT, 1, 1, 1, 1 },
  { "silu", run_silu, REAL, UNIT, 1, 1, 26, 38 },
  { "leaky_relu", run_leaky_relu, REAL, UNIT, 1, 1, 2, 2 },
  { "clip", run_clip, REAL, UNIT, 1, 1, 2, 2 },
  { "nan_to_num", run_nan_to_num, REAL, UNIT, 1, 1, 3, 3 },
  { "add_scalar", run_add_scalar, REAL, UNIT, 1, 1, 1, 1 },
  { "power_2", run_power_2, REAL, UNIT, 1, 1, 1, 1 },
  { "power_3", run_power_3, REAL, UNIT, 1, 1, 2, 2 },
  { "power_2_5", run_power_2_5, REAL, UNIT, 1, 1, 50, 90 },
  { "subtract", run_subtract, REAL, UNIT, 2, 1, 1, 1 },
  { "floor_divide", run_floor_divide, REAL, UNIT, 2, 1, 12, 20 },
  { "mod", run_mod, REAL, UNIT, 2, 1, 14, 22 },
  { "fmod", run_fmod, REAL, UNIT, 2, 1, 12, 20 },
  { "maximum", run_maximum, REAL, UNIT, 2, 1, 1, 1 },
  { "fmax", run_fmax, REAL, UNIT, 2, 1, 2, 2 },
  { "copysign", run_copysign, REAL, UNIT, 2, 1, 1, 1 },
  { "arctan2", run_arctan2, REAL, UNIT, 2, 1, 36, 60 },
  { "hypot", run_hypot, REAL, UNIT, 2, 1, 14, 24 },
  { "hypot_scalar", run_hypot_scalar, REAL, UNIT, 1, 1, 14, 24 },
  { "equal", run_equal, REAL, UNIT, 2, -1, 1, 1 },
  { "logical_and", run_logical_and, REAL, UNIT, 2, -1, 1, 1 },
  { "isclose", run_isclose, REAL, UNIT, 2, -1, 6, 6 },
  { "lerp", run_lerp, REAL, UNIT, 3, 1, 3, 3 },
  { "to_int32", run_to_int32, REAL, ABOVE, 1, -4, 1, 1 },
  { "to_int64", run_to_int64, REAL, ABOVE, 1, -8, 1, 1 },
  { "to_bool", run_to_bool, REAL, UNIT, 1, -1, 1, 1 },
  { "to_int8", run_to_int8, REAL, ABOVE, 1, -1, 1, 1 },
  { "angle", run_angle, REAL, UNIT, 1, 1, 1, 1 },
  { "to_bf16", run_to_bf16, REAL, UNIT, 1, -2, 1, 1 },
  { "clog", run_log, COMPLEX, UNIT, 1, 1, 60, 100 },
  { "csqrt", run_sqrt, COMPLEX, UNIT, 1, 1, 30, 50 },
  { "csin", run_sin, COMPLEX, UNIT, 1, 1, 70, 110 },
  { "ctanh", run_tanh, COMPLEX, UNIT, 1, 1, 80, 130 },
  { "cpower", run_power, COMPLEX, UNIT, 2, 1, 130, 210 },
  { "csquare", run_square, COMPLEX, UNIT, 1, 1, 5, 5 },
  { "clog1p", run_log1p, COMPLEX, UNIT, 1, 1, 70, 110 },
  { "cexpm1", run_expm1, COMPLEX, UNIT, 1, 1, 80, 120 },
  { "creciprocal", run_reciprocal, COMPLEX, UNIT, 1, 1, 14, 24 },
  { "cadd_scalar", run_add_turn, COMPLEX, UNIT, 1, 1, 2, 2 },
  { "cmul_scalar", run_multiply_turn, COMPLEX, UNIT, 1, 1, 6, 6 },
  { "cdiv_scalar", run_divide_turn, COMPLEX, UNIT, 1, 1, 24, 40 },
  { "real", run_real, COMPLEX, UNIT, 1, 0.5, 0, 0 },
  { "add", run_add, WHOLE, UNIT, 2, 1, 1, 1 },
  { "multiply", run_multiply, WHOLE, UNIT, 2, 1, 1, 1 },
  { "floor_divide", run_floor_divide, WHOLE, UNIT, 2, 1, 12, 24 },
  { "mod", run_mod, WHOLE, UNIT, 2, 1, 14, 26 },
  { "maximum", run_maximum, WHOLE, UNIT, 2, 1, 1, 1 },
  { "less", run_less, WHOLE, UNIT, 2, -1, 1, 1 },
  { "bitwise_and", run_bitwise_and, WHOLE, UNIT, 2, 1, 1, 1 },
  { "abs", run_abs, WHOLE, UNIT, 1, 1, 1, 1 },
  { "power_2", run_power_int, WHOLE, UNIT, 1, 1, 1, 1 },
  { "power", run_power, WHOLE, UNIT, 2, 1, 20, 20 },
  { "clip_whole", run_clip_whole, WHOLE, UNIT, 1, 1, 2, 2 },
  { "less_scalar", run_less_scalar, WHOLE, UNIT, 1, -1, 1, 1 },
  { "floor_divide_scalar", run_floor_divide_int, WHOLE, UNIT, 1, 1, 4, 8 },
  { "mod_scalar", run_mod_int, WHOLE, UNIT, 1, 1, 6, 10 },
  { "floor", run_floor, WHOLE, UNIT, 1, 1, 0, 0 },
  { "signbit", run_signbit, WHOLE, UNIT, 1, -1, 1, 1 },
  { "to_f16", run_to_f16, WHOLE, UNIT, 1, -2, 1, 1 },
  { "count_ones", run_count_ones, WHOLE, UNIT, 1, 1, 4, 8 },
  { "to_f32", run_to_f32, WHOLE, UNIT, 1, -4, 1, 1 },
  { "to_f64", run_to_f64, WHOLE, UNIT, 1, -8, 1, 1 },
  { "multiply", run_multiply, SHORT, UNIT, 2, 1, 1, 1 },
  { "maximum", run_maximum, SHORT, UNIT, 2, 1, 1, 1 },
  { "fmax", run_fmax, SHORT, UNIT, 2, 1, 1, 1 },
  { "add_scalar", run_add_int, SHORT, UNIT, 1, 1, 1, 1 },
  { "multiply_scalar", run_multiply_int, SHORT, UNIT, 1, 1, 1, 1 },
  { "less_scalar", run_less_scalar, SHORT, UNIT, 1, -1, 1, 1 },
  { "floor_divide_scalar", run_floor_divide_int, SHORT, UNIT, 1, 1, 4, 4 },
  { "mod_scalar", run_mod_int, SHORT, UNIT, 1, 1, 6, 6 },
  { "clip_whole", run_clip_whole, SHORT, UNIT, 1, 1, 2, 2 },
  { "left_shift", run_left_shift, SHORT, UNIT, 2, 1, 1, 1 },
  { "logical_and", run_logical_and, TRUTH, UNIT, 2, 1, 0, 0 },
  { "logical_not", run_logical_not, TRUTH, UNIT, 1, 1, 0, 0 },
  { "abs", run_abs, TRUTH, UNIT, 1, 1, 0, 0 },
  { "to_c64", run_to_c64, TRUTH, UNIT, 1, 8, 0, 0 },
  { "add", run_add, HALF, UNIT, 2, 1, 1, 1 },
  { "multiply", run_multiply, HALF, UNIT, 2, 1, 1, 1 },
  { "exp", run_exp, HALF, UNIT, 1, 1, 20, 20 },
  { "log", run_log, HALF, UNIT, 1, 1, 24, 24 },
  { "sin", run_sin, HALF, UNIT, 1, 1, 24, 24 },
  { "copysign", run_copysign, HALF, UNIT, 2, 1, 1, 1 },
  { "to_f32", run_to_f32, HALF, UNIT, 1, 2, 0, 0 },
  { "add", run_add, BYTE, UNIT, 2, 1, 0, 0 },
};

static hed_dtype type_of(enum kind kind, bool wide)
{
  switch (kind) {
  case COMPLEX: return wide ? HED_COMPLEX128 : HED_COMPLEX64;
  case WHOLE: return wide ? HED_INT64 : HED_INT32;
  case SHORT: return wide ? HED_INT16 : HED_INT8;
  case TRUTH: return HED_BOOL;
  case HALF: return HED_FLOAT16;
  case BYTE: return HED_UINT8;
  default: return wide ? HED_FLOAT64 : HED_FLOAT32;
  }
}

static hed_array *operand(const function *f, hed_dtype t, int64_t n, uint64_t seed)
{
  const double more = f->range == ABOVE ? 1 : 0;
  const hed_random opt = { .seed = seed, .seeded = true, .low = 0.1 + more, .high = 0.9 + more };
  const hed_random plain = { .seed = seed, .seeded = true };
  switch (f->kind) {
  case COMPLEX: return hed_random_complex_normal(HED_SHAPE(n), t, &plain);
  case WHOLE:
  case SHORT:
  case BYTE: return hed_random_integers(HED_SHAPE(n), 1, hed_dtype_size(t) == 1 ? 100 : 1000, t, &plain);
  case TRUTH: return hed_random_bernoulli(HED_SHAPE(n), 0.5, t, &plain);
  default: return hed_random_uniform(HED_SHAPE(n), t, &opt);
  }
}

static hed_status prepare(bench_work *w)
{
  const bench_spec *s = w->spec;
  const function *f = s->what;
  const int64_t n = s->dim[0];
  const double bytes = (double)hed_dtype_size(s->dtype) * (double)n;
  for (int k = 0; k < f->read; k++)
    w->a[k] = operand(f, s->dtype, n, 1 + (uint64_t)k);
  if (f->run == run_real)
    C = hed_real(A);
  hed_status status = bench_have(w, f->read);
  if (status == HED_OK && f->run == run_real && !C)
    status = hed_error();
  if (status != HED_OK)
    return status;
  bench_say_shape(w, A);
  w->run = f->run;
  w->read = f->read * bytes;
  w->written = f->out > 0 ? f->out * bytes : -f->out * (double)n;
  w->flops = (hed_dtype_size(s->dtype) == (f->kind == COMPLEX ? 16 : 8) ? f->flops64 : f->flops32) * (double)n;
  return bench_floor_stream(w);
}

void bench_list_functions(bench *b)
{
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
    for (int wide = 0; wide < (functions[i].kind < TRUTH ? 2 : 1); wide++) {
      bench_spec s = { .suite = "elementwise", .name = functions[i].name, .size = "1e5", .what = &functions[i],
                       .prepare = prepare, .dtype = type_of(functions[i].kind, wide), .dim = { 100000 } };
      bench_add(b, &s, false);
    }
}
