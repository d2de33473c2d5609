// SPDX-License-Identifier: BSD-3-Clause
/* Suite "linalg", products of vectors, and what is made of factorisations.
 *
 * Layer: L5. Vectors of 10^5 elements, matrices of 250 x 400 (WIDE) or of 200 rows and columns (SQUARE; DEFINITE: symmetric and
 * positive definite). The floor is reading and writing once, or the flops of the usual algorithm at the peak.
 */
#include "bench.h"

#define X w->a[0]
#define Y w->a[1]
#define D w->a[2]
enum { ROWS = 250, COLS = 400, SIDE = 200 };

BENCH_NEW(dot, hed_dot(X, Y))
BENCH_NEW(vdot, hed_vdot(X, Y))
BENCH_NEW(vecdot, hed_vecdot(X, Y, -1))
BENCH_NEW(outer, hed_outer(2, (const hed_array *const[]){ X, Y }))
BENCH_NEW(product, hed_matmul(X, Y))
BENCH_NEW(kron, hed_kron(X, Y))
BENCH_NEW(cross, hed_cross(X, Y, 1))
BENCH_NEW(norm, hed_vector_norm(X, 2, NULL))
BENCH_NEW(triangular, hed_solve_triangular(D, X, NULL))
BENCH_NEW(eigvalsh, hed_eigvalsh(D, false))
BENCH_NEW(svdvals, hed_svdvals(X))
BENCH_NEW(pinv, hed_pinv(X, -1))
BENCH_NEW(power8, hed_matrix_power(X, 8))
BENCH_NEW(expm, hed_expm(Y))
BENCH_NEW(multi_dot, hed_multi_dot(3, (const hed_array *const[]){ X, Y, D }))
BENCH_NEW(cov, hed_cov(X, NULL))

static hed_status lstsq_once(const hed_array *x, const hed_array *y)
{
  hed_array *found = NULL;
  hed_status status = hed_lstsq(x, y, -1, &found, NULL, NULL, NULL);
  hed_release(found);
  return status;
}
BENCH_STATUS(lstsq, lstsq_once(X, Y))

static hed_status eig_once(const hed_array *x)
{
  hed_array *values = NULL, *vectors = NULL;
  hed_status status = hed_eig(x, &values, &vectors);
  hed_release(values);
  hed_release(vectors);
  return status;
}
BENCH_STATUS(eig, eig_once(X))

/* Operands by their shapes; the second may be made of the first. */
enum form {
  VECTORS, COMPLEX_VECTORS, WHOLE_VECTORS, WIDE, WHOLE_WIDE, WIDE_VECTOR, VECTOR_WIDE, GRAM, OUTER, BLOCKS, TRIPLES, SQUARE, SMALL,
  DEFINITE, FIT, CHAIN, COMPLEX_MATRICES, MATRICES_VECTORS
};

typedef struct operation {
  const char *name, *size;
  bench_fn run;
  enum form form;
  double written, flops; /* elements, flops */
} operation;

/* So many times the elements of a wide matrix, the elements of a square one, its extent to the third power. */
#define OF_WIDE(factor) ((factor) * ROWS * COLS)
#define OF_SQUARE(factor) ((factor) * SIDE * SIDE)
#define OF_CUBE(factor) ((factor) * SIDE * SIDE * SIDE)

static const operation operations[] = {
  { "dot", "1e5", dot, VECTORS, 1, OF_WIDE(2.0) },
  { "dot", "1e5", dot, WHOLE_VECTORS, 1, OF_WIDE(2.0) },
  { "vdot_complex", "1e5", vdot, COMPLEX_VECTORS, 2, OF_WIDE(8.0) },
  { "vecdot", "250x400", vecdot, WIDE, ROWS, OF_WIDE(2.0) },
  { "vecdot", "250x400", vecdot, WHOLE_WIDE, ROWS, OF_WIDE(2.0) },
  { "norm", "1e5", norm, VECTORS, 1, OF_WIDE(2.0) },
  { "outer", "250x400", outer, OUTER, OF_WIDE(1.0), OF_WIDE(1.0) },
  { "matvec", "250x400", product, WIDE_VECTOR, ROWS, OF_WIDE(2.0) },
  { "vecmat", "250x400", product, VECTOR_WIDE, COLS, OF_WIDE(2.0) },
  { "matmul_complex", "1000x8", product, COMPLEX_MATRICES, 64e3, 8 * 512e3 },
  { "matvec_batched", "1000x16", product, MATRICES_VECTORS, 16e3, 2 * 256e3 },
  { "gram", "250x400", product, GRAM, ROWS * ROWS, OF_WIDE(2.0) * ROWS },
  { "kron", "20^2x15^2", kron, BLOCKS, 9e4, 9e4 },
  { "cross", "33333x3", cross, TRIPLES, 99999, 3 * 99999.0 },
  { "cov", "250x400", cov, WIDE, ROWS * ROWS, OF_WIDE(2.0) * ROWS },
  { "solve_triangular", "200", triangular, DEFINITE, OF_SQUARE(1.0), OF_CUBE(1.0) },
  { "eigvalsh", "200", eigvalsh, DEFINITE, SIDE, OF_CUBE(4.0 / 3) },
  { "svdvals", "200", svdvals, SQUARE, SIDE, OF_CUBE(8.0 / 3) },
  { "eig", "200", eig, SQUARE, OF_SQUARE(1.0), OF_CUBE(25.0) },
  { "pinv", "200", pinv, SQUARE, OF_SQUARE(1.0), OF_CUBE(24.0) },
  { "lstsq", "400x250", lstsq, FIT, ROWS, OF_WIDE(4.0) * ROWS },
  { "matrix_power8", "200", power8, SMALL, OF_SQUARE(1.0), OF_CUBE(6.0) },
  { "expm", "200", expm, SMALL, OF_SQUARE(1.0), OF_CUBE(16.0) },
  { "multi_dot3", "250x400", multi_dot, CHAIN, OF_WIDE(1.0), OF_WIDE(4.0) * ROWS },
};

/* A view of X's transpose; the caller's. */
static hed_array *turned(const hed_array *x)
{
  return hed_transpose(x, NULL);
}

/* x x' + n: positive definite. */
static hed_array *definite(const hed_array *x, hed_dtype t)
{
  hed_array *r = NULL;
  HED_SCOPE
    r = hed_keep(hed_add(hed_matmul(x, turned(x)), hed_multiply_scalar(hed_eye(SIDE, SIDE, 0, t), SIDE)));
  return r;
}

static void operands(bench_work *w, enum form form)
{
  const bench_spec *s = w->spec;
  switch (form) {
  case VECTORS:
  case COMPLEX_VECTORS:
    X = bench_values(s, HED_SHAPE(ROWS * COLS));
    Y = bench_normal(s, HED_SHAPE(ROWS * COLS));
    break;
  case WHOLE_VECTORS:
    X = bench_values(s, HED_SHAPE(ROWS * COLS));
    Y = bench_values(s, HED_SHAPE(ROWS * COLS));
    break;
  case WHOLE_WIDE:
    X = bench_values(s, HED_SHAPE(ROWS, COLS));
    Y = bench_values(s, HED_SHAPE(ROWS, COLS));
    break;
  case WIDE:
    X = bench_values(s, HED_SHAPE(ROWS, COLS));
    Y = bench_normal(s, HED_SHAPE(ROWS, COLS));
    break;
  case WIDE_VECTOR:
    X = bench_values(s, HED_SHAPE(ROWS, COLS));
    Y = bench_normal(s, HED_SHAPE(COLS));
    break;
  case VECTOR_WIDE:
    X = bench_values(s, HED_SHAPE(ROWS));
    Y = bench_normal(s, HED_SHAPE(ROWS, COLS));
    break;
  case COMPLEX_MATRICES:
    X = bench_values(s, HED_SHAPE(1000, 8, 8));
    Y = bench_normal(s, HED_SHAPE(1000, 8, 8));
    break;
  case MATRICES_VECTORS:
    X = bench_values(s, HED_SHAPE(1000, 16, 16));
    Y = bench_normal(s, HED_SHAPE(1000, 16, 1));
    break;
  case OUTER:
    X = bench_values(s, HED_SHAPE(ROWS));
    Y = bench_normal(s, HED_SHAPE(COLS));
    break;
  case GRAM:
    X = bench_normal(s, HED_SHAPE(ROWS, COLS));
    Y = turned(X);
    break;
  case CHAIN:
    X = bench_normal(s, HED_SHAPE(ROWS, COLS));
    Y = turned(X);
    D = hed_retain(X);
    break;
  case BLOCKS:
    X = bench_values(s, HED_SHAPE(20, 20));
    Y = bench_normal(s, HED_SHAPE(15, 15));
    break;
  case TRIPLES:
    X = bench_values(s, HED_SHAPE(33333, 3));
    Y = bench_normal(s, HED_SHAPE(33333, 3));
    break;
  case FIT:
    X = bench_normal(s, HED_SHAPE(COLS, ROWS));
    Y = bench_values(s, HED_SHAPE(COLS));
    break;
  default:
    X = bench_normal(s, HED_SHAPE(SIDE, SIDE));
    Y = hed_multiply_scalar(X, 0.01);
    if (form == SMALL) {
      hed_release(X);
      X = hed_multiply_scalar(Y, 5);
    }
    D = form == DEFINITE ? definite(X, s->dtype) : NULL;
  }
  if (!D)
    D = hed_retain(X);
}

static hed_status prepare(bench_work *w)
{
  const operation *o = w->spec->what;
  const double size = (double)hed_dtype_size(w->spec->dtype);
  operands(w, o->form);
  hed_status status = bench_have(w, 3);
  if (status != HED_OK)
    return status;
  bench_say_shape(w, X);
  w->run = o->run;
  w->read = 0;
  for (int k = 0; k < 2 && (k == 0 || o->form != GRAM); k++)
    w->read += size * (double)hed_array_size(w->a[k]);
  w->written = size * o->written;
  w->flops = o->flops;
  return bench_floor_stream(w);
}

static hed_dtype type_of(enum form form, bool wide)
{
  switch (form) {
  case COMPLEX_VECTORS:
  case COMPLEX_MATRICES: return wide ? HED_COMPLEX128 : HED_COMPLEX64;
  case WHOLE_VECTORS:
  case WHOLE_WIDE: return wide ? HED_INT64 : HED_INT32;
  default: return wide ? HED_FLOAT64 : HED_FLOAT32;
  }
}

void bench_list_vectors(bench *b)
{
  for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
    for (int wide = 0; wide < 2; wide++) {
      const operation *o = &operations[i];
      bench_spec s = { .suite = "linalg", .name = o->name, .what = o, .prepare = prepare };
      s.dtype = type_of(o->form, wide);
      snprintf(s.size, sizeof s.size, "%s", o->size);
      bench_add(b, &s, false);
    }
}
