// SPDX-License-Identifier: BSD-3-Clause
/* The forms that write into an array of the caller's: after a first call they allocate nothing, on each host backend.
 * Each row says how far that goes:
 *   NOTHING  with operands and OUT of any layout and type
 *   SCRATCH  but scratch memory, which the pool has kept from the call before
 *   MEMORY   allocates: the inverse of a Hermitian spectrum takes the conjugate of X; a tensor product makes views, and a
 *            contraction its steps; an inverse solves for the identity
 * That they fail well is seen in fault_alloc*.c. L5.
 */
#include "arrays.h"
#include "fault.h"

static hed_array *x, *y, *mask, *out;           /* operands of the family at work */
static hed_array *square, *column, *z, *weight; /* fixed ones */
static hed_fft_plan *transform;

typedef enum claim { NOTHING, SCRATCH, MEMORY } claim;
typedef struct row { const char *name; hed_array *(*make)(void); hed_status (*into)(void); claim claim; } row;

/* MADE gives an array of OUT's shape and type, with what INTO should write. */
#define ROW(name, made, into)                             \
  static hed_array *make_##name(void) { return made; }     \
  static hed_status into_##name(void) { return into; }

#define HED_UNARY(ID, name, domain, result_, cost, doc) ROW(name, hed_##name(x), hed_##name##_into(out, x))
#define HED_BINARY(ID, name, domain, result_, cost, doc)                                  \
  ROW(name, hed_##name(x, y), hed_##name##_into(out, x, y))                               \
  ROW(name##_scalar, hed_##name##_scalar(x, 2), hed_##name##_scalar_into(out, x, 2))      \
  ROW(scalar_##name, hed_scalar_##name(2, x), hed_scalar_##name##_into(out, 2, x))
#define HED_REDUCE(ID, name, domain, result_, doc)                                        \
  ROW(name, hed_##name(x, &columns), hed_##name##_into(out, x, &columns))                 \
  ROW(name##_all, hed_##name(x, NULL), hed_##name##_into(out, x, NULL))
static const hed_reduce columns = { .axes = { 1, { 0 } } };
#include <heddle/ops.def>

#define MAKE_NOTHING(X) \
  X(clip_array, hed_clip_array(x, y, y), hed_clip_array_into(out, x, y, y)) \
  X(divide_where, hed_divide_where(mask, x, y, 1), hed_divide_where_into(out, mask, x, y, 1)) \
  X(add_complex, hed_add_complex(x, 0, 1), hed_add_complex_into(out, x, 0, 1)) \
  X(complex_add, hed_complex_add(0, 1, x), hed_complex_add_into(out, 0, 1, x)) \
  X(subtract_complex, hed_subtract_complex(x, 0, 1), hed_subtract_complex_into(out, x, 0, 1)) \
  X(complex_subtract, hed_complex_subtract(0, 1, x), hed_complex_subtract_into(out, 0, 1, x)) \
  X(multiply_complex, hed_multiply_complex(x, 0, 1), hed_multiply_complex_into(out, x, 0, 1)) \
  X(complex_multiply, hed_complex_multiply(0, 1, x), hed_complex_multiply_into(out, 0, 1, x)) \
  X(divide_complex, hed_divide_complex(x, 0, 1), hed_divide_complex_into(out, x, 0, 1)) \
  X(complex_divide, hed_complex_divide(0, 1, x), hed_complex_divide_into(out, 0, 1, x)) \
  X(power_complex, hed_power_complex(x, 0, 1), hed_power_complex_into(out, x, 0, 1)) \
  X(complex_power, hed_complex_power(0, 1, x), hed_complex_power_into(out, 0, 1, x)) \
  X(elu, hed_elu(x, 1), hed_elu_into(out, x, 1)) \
  X(leaky_relu, hed_leaky_relu(x, 0.5), hed_leaky_relu_into(out, x, 0.5)) \
  X(gaussian, hed_gaussian(x, 0, 1), hed_gaussian_into(out, x, 0, 1)) \
  X(threshold, hed_threshold(x, 2, 1, 0), hed_threshold_into(out, x, 2, 1, 0)) \
  X(nan_to_num, hed_nan_to_num(x, NULL), hed_nan_to_num_into(out, x, NULL)) \
  X(fma, hed_fma(x, y, x), hed_fma_into(out, x, y, x)) \
  X(lerp, hed_lerp(x, y, x), hed_lerp_into(out, x, y, x)) \
  X(isclose, hed_isclose(x, y, NULL), hed_isclose_into(out, x, y, NULL)) \
  X(rotate_left, hed_rotate_left(x, y, 0), hed_rotate_left_into(out, x, y, 0)) \
  X(rotate_right, hed_rotate_right(x, y, 0), hed_rotate_right_into(out, x, y, 0)) \
  X(where, hed_where(mask, x, y), hed_where_into(out, mask, x, y)) \
  X(clip, hed_clip(x, 1, 3), hed_clip_into(out, x, 1, 3)) \
  X(copy, hed_copy(x), hed_copy_into(out, x)) \
  X(cumsum, hed_cumsum(x, &along), hed_cumsum_into(out, x, &along)) \
  X(cumprod, hed_cumprod(x, &along), hed_cumprod_into(out, x, &along)) \
  X(cummax, hed_cummax(x, &along), hed_cummax_into(out, x, &along)) \
  X(cummin, hed_cummin(x, &along), hed_cummin_into(out, x, &along)) \
  X(softmax, hed_softmax(x, -1), hed_softmax_into(out, x, -1)) \
  X(log_softmax, hed_log_softmax(x, 0), hed_log_softmax_into(out, x, 0)) \
  X(vector_norm, hed_vector_norm(square, 2, &columns), hed_vector_norm_into(out, square, 2, &columns)) \
  X(norm_scores, hed_norm_scores(square, weight, weight, 4, 1e-6), \
    hed_norm_scores_into(out, square, weight, weight, 4, 1e-6)) \
  X(uniform, hed_random_uniform(HED_SHAPE(5), HED_FLOAT32, &seed), hed_random_uniform_into(out, &seed)) \
  X(normal, hed_random_normal(HED_SHAPE(5), HED_FLOAT32, &seed), hed_random_normal_into(out, &seed))

#define NEED_SCRATCH(X) \
  X(matmul, hed_matmul(square, square), hed_matmul_into(out, square, square)) \
  X(dot, hed_dot(square, square), hed_dot_into(out, square, square)) \
  X(fft1, hed_fft1(z, NULL), hed_fft1_into(out, z, NULL)) \
  X(ifft1, hed_ifft1(z, NULL), hed_ifft1_into(out, z, NULL)) \
  X(fft2, hed_fft2(z, NULL), hed_fft2_into(out, z, NULL)) \
  X(ifft2, hed_ifft2(z, NULL), hed_ifft2_into(out, z, NULL)) \
  X(fftn, hed_fftn(z, NULL), hed_fftn_into(out, z, NULL)) \
  X(ifftn, hed_ifftn(z, NULL), hed_ifftn_into(out, z, NULL)) \
  X(rfft1, hed_rfft1(square, NULL), hed_rfft1_into(out, square, NULL)) \
  X(rfft2, hed_rfft2(square, NULL), hed_rfft2_into(out, square, NULL)) \
  X(rfftn, hed_rfftn(square, NULL), hed_rfftn_into(out, square, NULL)) \
  X(irfft1, hed_irfft1(z, NULL), hed_irfft1_into(out, z, NULL)) \
  X(plan_run, hed_fft_plan_run(transform, z), hed_fft_plan_run_into(transform, out, z)) \
  X(program_run, by_program(), hed_program_run_into(program, 1, SQUARE, 1, &out)) \
  X(irfft2, hed_irfft2(z, NULL), hed_irfft2_into(out, z, NULL)) \
  X(irfftn, hed_irfftn(z, NULL), hed_irfftn_into(out, z, NULL)) \
  X(ihfft1, hed_ihfft1(square, NULL), hed_ihfft1_into(out, square, NULL)) \
  X(ihfft2, hed_ihfft2(square, NULL), hed_ihfft2_into(out, square, NULL)) \
  X(ihfftn, hed_ihfftn(square, NULL), hed_ihfftn_into(out, square, NULL)) \
  X(affine_transform, hed_affine_transform(square, shift, NULL, &unfiltered), \
    hed_affine_transform_into(out, square, shift, HED_SPLINE_LINEAR, false)) \
  X(affine_cubic, hed_affine_transform(square, shift, NULL, NULL), \
    hed_affine_transform_into(out, square, shift, HED_SPLINE_CUBIC, true)) \
  X(rigid_transform, turned(), hed_rigid_transform_into(out, NULL, square, NULL, turn, &linear)) \
  X(solve, hed_solve(square, column), hed_solve_into(out, square, column)) \
  X(solve_triangular, hed_solve_triangular(square, column, NULL), \
    hed_solve_triangular_into(out, square, column, NULL)) \
  X(cholesky, hed_cholesky(square, false), hed_cholesky_into(out, square, false))

#define NEED_MEMORY(X) \
  X(tensordot, hed_tensordot(square, square, &HED_AXES(0), &HED_AXES(1)), \
    hed_tensordot_into(out, square, square, &HED_AXES(0), &HED_AXES(1))) \
  X(hfft1, hed_hfft1(z, NULL), hed_hfft1_into(out, z, NULL)) \
  X(hfft2, hed_hfft2(z, NULL), hed_hfft2_into(out, z, NULL)) \
  X(hfftn, hed_hfftn(z, NULL), hed_hfftn_into(out, z, NULL)) \
  X(inv, hed_inv(square), hed_inv_into(out, square)) \
  X(einsum, hed_einsum("ij,jk->ik", 2, pair()), hed_einsum_into(out, "ij,jk->ik", 2, pair()))

static const hed_scan along = { .axis = { 1, { 0 } } };
static const hed_random seed = { .seed = 1, .seeded = true };
static const double shift[6] = { 1, 0, 0.5, 0, 1, 0.25 }, turn[4] = { 0, -1, 1, 0 };
static const hed_resample unfiltered = { .spline = HED_SPLINE_LINEAR };
static const hed_rigid linear = { .spline = HED_SPLINE_LINEAR };

static const hed_array *const *pair(void)
{
  static const hed_array *both[2];
  both[0] = both[1] = square;
  return both;
}
#define SQUARE (const hed_array *const *)&square
static hed_program *program;
static hed_status steps(void *arg, int n, const hed_array *const *in, int m, hed_array **made)
{
  (void)arg, (void)n, (void)m;
  hed_array *first = hed_exp(in[0]);
  made[0] = hed_add(first, in[0]);
  hed_release(first);
  return made[0] ? HED_OK : hed_error();
}
static hed_array *by_program(void)
{
  hed_array *r = NULL;
  (void)hed_program_run(program, 1, SQUARE, 1, &r);
  return r;
}
static hed_array *turned(void)
{
  hed_array *r = NULL;
  (void)hed_rigid_transform(square, NULL, turn, &linear, &r, NULL);
  return r;
}

MAKE_NOTHING(ROW)
NEED_SCRATCH(ROW)
NEED_MEMORY(ROW)

static const row rows[] = {
#define R(name, claim) { #name, make_##name, into_##name, claim },
#define HED_UNARY(ID, name, domain, result_, cost, doc) R(name, NOTHING)
#define HED_BINARY(ID, name, domain, result_, cost, doc) R(name, NOTHING) R(name##_scalar, NOTHING) R(scalar_##name, NOTHING)
#define HED_REDUCE(ID, name, domain, result_, doc) R(name, NOTHING) R(name##_all, NOTHING)
#include <heddle/ops.def>
#define IN_NOTHING(name, made, into) R(name, NOTHING)
#define IN_SCRATCH(name, made, into) R(name, SCRATCH)
#define IN_MEMORY(name, made, into) R(name, MEMORY)
  MAKE_NOTHING(IN_NOTHING) NEED_SCRATCH(IN_SCRATCH) NEED_MEMORY(IN_MEMORY)
};

static bool pooled; /* anything is kept */

/* Requests to the pool that it met from what it had kept. */
static uint64_t kept(void)
{
  hed_memory_info i = { .struct_size = sizeof i };
  if (hed_memory_query("reference", &i) != HED_OK)
    bail("memory_query: %s", hed_error_text());
  pooled = i.pool_limit > 0;
  return i.n_hit;
}

/* Allocations of the third call into an array like the result of MAKE, in T (NULL: its own type), those from the pool aside
 * where the claim is SCRATCH; -1 when these operands do not do. */
static int allocations(const row *r, hed_dtype t)
{
  int n = -1;
  uint64_t before = 0, hits = 0;
  hed_array *like = r->make();
  out = t && like ? hed_empty_like_as(like, t) : hed_copy(like);
  bool usable = out && r->into() == HED_OK && r->into() == HED_OK;
  if (usable) {
    hits = kept();
    before = hed_test_alloc_count();
    usable = r->into() == HED_OK;
    n = usable ? (int)(hed_test_alloc_count() - before) : -1;
    hits = kept() - hits;
    if (n > 0 && r->claim == SCRATCH)
      n -= (int)hits;
  }
  RELEASE(like, out);
  hed_error_clear();
  return n;
}

static void check(const row *r, hed_array *const *operands)
{
  static const char *const names[] = { "float32", "int32", "float32, transposed", "int32, transposed" };
  hed_dtype const types[] = { NULL, HED_FLOAT64, HED_INT16 };
  int calls = 0, wrong = 0, most = 0;
  for (int v = 0; v < 4; v++)
    for (int k = 0; k < (r->claim == NOTHING ? 3 : 1); k++) {
      x = y = mask = operands[v];
      int n = allocations(r, types[k]);
      calls += n >= 0;
      most = n > most ? n : most;
      if (n > 0 && (r->claim == NOTHING || (r->claim == SCRATCH && pooled))) {
        wrong++;
        diag("%s of %s into %s: %d allocations", r->name, names[v], k ? hed_dtype_name(types[k]) : "its type", n);
      }
    }
  ok(calls > 0 && wrong == 0, "%s_into: %s", r->name,
     r->claim == MEMORY ? "allocates" : r->claim == SCRATCH ? "scratch only" : "allocates nothing");
  if (r->claim == MEMORY)
    ok(most > 0, "... which it still does");
}

int main(void)
{
  static const char *const backends[] = { "reference", "cpu" };
  static const float data[9] = { 40, 1, 2, 1, 50, 3, 2, 3, 60 }, numbers[12] = { 3, 1, 2, 0, 5, 4, 9, 7, 8, 6, 1, 2 };
  for (int b = 0; b < 2; b++) {
    if (!fault_on(backends[b]))
      continue;
    hed_array *operands[4] = { hed_from_host(numbers, HED_SHAPE(3, 4), HED_FLOAT32) };
    operands[1] = hed_astype(operands[0], HED_INT32);
    operands[2] = hed_transpose(operands[0], NULL);
    operands[3] = hed_transpose(operands[1], NULL);
    square = hed_from_host(data, HED_SHAPE(3, 3), HED_FLOAT32);
    column = hed_ones(HED_SHAPE(3), HED_FLOAT32);
    weight = hed_square(square);
    z = hed_astype(square, HED_COMPLEX64);
    if (!operands[2] || !operands[3] || !square || !column || !weight || !z ||
        hed_fft_plan_create(HED_OP_FFTN, HED_SHAPE(3, 3), HED_COMPLEX64, NULL, &transform) != HED_OK ||
        hed_program_create(steps, NULL, 1, SQUARE, 1, NULL, NULL, &program) != HED_OK)
      bail("setting up: %s", hed_error_text());
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
      check(&rows[k], operands);
    ok(follows(2) && follows(1), "the thread's context can still be changed");
    hed_array *const all[] = { operands[0], operands[1], operands[2], operands[3], square, column, weight, z };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
      hed_release(all[k]);
    hed_fft_plan_release(transform);
    hed_program_release(program);
  }
  return done();
}
