// SPDX-License-Identifier: BSD-3-Clause
/* Suite "elementwise", what computes one element from one element.
 *
 * Layer: L5. Counted flops of functions are what a polynomial of the degree that the type needs takes, with its reduction of
 * the argument, a multiply-add counting as two; of complex ones the same for each part.
 */
#include "bench.h"
#include <math.h>

#define A w->a[0]
#define B w->a[1]
#define C w->a[2]
#define OUT w->a[3]
#define M w->a[4]
#define VIEW w->a[5]

BENCH_NEW(add, hed_add(A, B))
BENCH_STATUS(add_out, hed_add_into(OUT, A, B))
BENCH_NEW(fused, hed_fma(A, B, C))
BENCH_STATUS(fused_out, hed_fma_into(OUT, A, B, C))
BENCH_NEW(multiply, hed_multiply(A, B))
BENCH_NEW(divide, hed_divide(A, B))
BENCH_NEW(power, hed_power(A, B))
BENCH_NEW(less, hed_less(A, B))
BENCH_NEW(where, hed_where(C, A, B))
BENCH_NEW(to_f16, hed_astype(A, HED_FLOAT16))
BENCH_NEW(add_bcast, hed_add(M, VIEW))
BENCH_NEW(add_transposed, hed_add(VIEW, VIEW))
BENCH_NEW(add_strided, hed_add(VIEW, VIEW))
BENCH_NEW(magnitude, hed_abs(A))
BENCH_NEW(phase, hed_angle(A))
BENCH_NEW(negative, hed_negative(A))
BENCH_NEW(conjugate, hed_conj(A))
#define PAIR(name)                           \
  BENCH_NEW(name##_new, hed_##name(A))       \
  BENCH_STATUS(name##_into, hed_##name##_into(OUT, A))
PAIR(exp)
PAIR(log)
PAIR(sin)
PAIR(cos)
PAIR(tanh)
PAIR(sqrt)
BENCH_NEW(expm1_new, hed_expm1(A))
BENCH_NEW(erf_new, hed_erf(A))
BENCH_NEW(gelu_new, hed_gelu(A))
BENCH_NEW(sinc_new, hed_sinc(A))
BENCH_NEW(sigmoid_new, hed_sigmoid(A))
BENCH_NEW(softplus_new, hed_softplus(A))
BENCH_NEW(logaddexp, hed_logaddexp(A, B))

enum { REAL = 1, COMPLEX = 2, BOTH = 3 };
enum layout { PLAIN, ROW, TRANSPOSED, STEP, CONDITION };

typedef struct operation {
  const char *name;
  bench_fn run;
  int kinds;
  enum layout layout;
  int read;                /* operands */
  double out;              /* bytes of a result per byte of an operand's element; below 0: minus the bytes of one */
  double flops32, flops64; /* per element, float32 and float64 */
} operation;

static const operation operations[] = {
  { "add", add, REAL, PLAIN, 2, 1, 1, 1 },
  { "add_out", add_out, REAL, PLAIN, 2, 1, 1, 1 },
  { "multiply", multiply, REAL, PLAIN, 2, 1, 1, 1 },
  { "divide", divide, REAL, PLAIN, 2, 1, 8, 16 },
  { "negative", negative, REAL, PLAIN, 1, 1, 1, 1 },
  { "fma", fused, REAL, PLAIN, 3, 1, 2, 2 },
  { "fma_out", fused_out, REAL, PLAIN, 3, 1, 2, 2 },
  { "exp", exp_new, REAL, PLAIN, 1, 1, 20, 32 },
  { "exp_out", exp_into, REAL, PLAIN, 1, 1, 20, 32 },
  { "log", log_new, REAL, PLAIN, 1, 1, 24, 40 },
  { "log_out", log_into, REAL, PLAIN, 1, 1, 24, 40 },
  { "sin", sin_new, REAL, PLAIN, 1, 1, 24, 40 },
  { "sin_out", sin_into, REAL, PLAIN, 1, 1, 24, 40 },
  { "cos", cos_new, REAL, PLAIN, 1, 1, 24, 40 },
  { "cos_out", cos_into, REAL, PLAIN, 1, 1, 24, 40 },
  { "tanh", tanh_new, REAL, PLAIN, 1, 1, 24, 44 },
  { "tanh_out", tanh_into, REAL, PLAIN, 1, 1, 24, 44 },
  { "sqrt", sqrt_new, REAL, PLAIN, 1, 1, 10, 20 },
  { "sqrt_out", sqrt_into, REAL, PLAIN, 1, 1, 10, 20 },
  { "expm1", expm1_new, REAL, PLAIN, 1, 1, 24, 36 },
  { "erf", erf_new, REAL, PLAIN, 1, 1, 30, 60 },
  { "gelu", gelu_new, REAL, PLAIN, 1, 1, 40, 70 },
  { "sinc", sinc_new, REAL, PLAIN, 1, 1, 16, 26 },
  { "sigmoid", sigmoid_new, REAL, PLAIN, 1, 1, 24, 36 },
  { "softplus", softplus_new, REAL, PLAIN, 1, 1, 44, 64 },
  { "logaddexp", logaddexp, REAL, PLAIN, 2, 1, 50, 72 },
  { "power", power, REAL, PLAIN, 2, 1, 50, 90 },
  { "less", less, REAL, PLAIN, 2, -1, 1, 1 },
  { "where", where, REAL, CONDITION, 2, 1, 1, 1 },
  { "to_f16", to_f16, REAL, PLAIN, 1, -2, 1, 1 },
  { "add_bcast", add_bcast, REAL, ROW, 1, 1, 1, 1 },
  { "add_transposed", add_transposed, REAL, TRANSPOSED, 1, 1, 1, 1 },
  { "add_strided", add_strided, REAL, STEP, 1, 0.5, 0.5, 0.5 },
  { "cadd", add, COMPLEX, PLAIN, 2, 1, 2, 2 },
  { "cmul", multiply, COMPLEX, PLAIN, 2, 1, 6, 6 },
  { "cdiv", divide, COMPLEX, PLAIN, 2, 1, 24, 40 },
  { "conj", conjugate, COMPLEX, PLAIN, 1, 1, 1, 1 },
  { "cabs", magnitude, COMPLEX, PLAIN, 1, 0.5, 14, 24 },
  { "angle", phase, COMPLEX, PLAIN, 1, 0.5, 36, 60 },
  { "cexp", exp_new, COMPLEX, PLAIN, 1, 1, 46, 74 },
};

static hed_status prepare(bench_work *w)
{
  const bench_spec *s = w->spec;
  const operation *o = s->what;
  hed_shape flat = HED_SHAPE(s->dim[0] * s->dim[1]), square = HED_SHAPE(s->dim[0], s->dim[1]);
  double bytes = (double)hed_dtype_size(s->dtype) * (double)flat.dim[0];
  bool wide = s->dtype == HED_FLOAT64 || s->dtype == HED_COMPLEX128;
  A = bench_values(s, flat);
  B = bench_values(s, flat);
  OUT = hed_empty(flat, s->dtype);
  hed_status status = A && B && OUT ? HED_OK : hed_error();
  C = o->layout == CONDITION ? hed_less(A, B) : o->read == 3 ? bench_values(s, flat) : hed_retain(A);
  if (o->layout == ROW || o->layout == TRANSPOSED)
    M = bench_normal(s, square);
  if (o->layout == ROW)
    VIEW = hed_index(M, 0, 0);
  else if (o->layout == TRANSPOSED)
    VIEW = hed_transpose(M, NULL);
  else if (o->layout == STEP)
    VIEW = hed_slice(A, 1, &HED_RANGE(HED_SLICE_BEGIN, HED_SLICE_END, 2));
  if (status == HED_OK && (!C || (o->layout != PLAIN && o->layout != CONDITION && !VIEW)))
    status = hed_error();
  if (status != HED_OK)
    return status;
  bench_say_shape(w, M ? M : A);
  w->run = o->run;
  w->read = o->read * bytes + (o->layout == CONDITION ? (double)flat.dim[0] : 0);
  w->written = o->out > 0 ? o->out * bytes : -o->out * (double)flat.dim[0];
  w->flops = (wide ? o->flops64 : o->flops32) * (double)flat.dim[0];
  return bench_floor_stream(w);
}

void bench_list_elementwise(bench *b)
{
  static const struct { const char *size; int64_t rows, cols; } sizes[] = { { "1e3", 25, 40 }, { "1e5", 250, 400 },
                                                                            { "1e7", 2500, 4000 } };
  for (size_t z = 0; z < sizeof sizes / sizeof sizes[0]; z++)
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
      for (int wide = 0; wide < 2; wide++) {
        const operation *o = &operations[i];
        bench_spec s = { .suite = "elementwise", .name = o->name, .what = o, .prepare = prepare,
                         .dim = { sizes[z].rows, sizes[z].cols } };
        s.dtype = o->kinds == REAL ? (wide ? HED_FLOAT64 : HED_FLOAT32) : wide ? HED_COMPLEX128 : HED_COMPLEX64;
        snprintf(s.size, sizeof s.size, "%s", sizes[z].size);
        bench_add(b, &s, false);
      }
  bench_list_functions(b);
  bench_list_fused(b);
  bench_list_movement(b);
}
