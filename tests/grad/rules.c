// SPDX-License-Identifier: BSD-3-Clause
/* Every rule of rules.def against central differences in float64 and, where the operation takes them, complex128: alone and in a
 * fusion scope, on every backend. Regular elementwise operations and reductions come from ops.def, with arrays that broadcast;
 * the others are below. A rule without a case fails.
 */
#include "arrays.h"
#include "cases.h"
#include "tap.h"
#include <heddle.h>
#include <math.h>
#include <string.h>

typedef hed_status body(const hed_array *const *x, hed_array **y);
typedef struct one {
  int op;
  const char *name;
  body *run;
  double low, high;   /* of the elements */
  bool real;          /* not for complex numbers, though the operation takes them */
} one;

/* a (3, 4), b (4), c (4, 4), v (3), w (2, 3, 4) */
enum { ARRAYS = 5 };
#define BODY(ID, tag, expression)                                                                                       \
  static hed_status body_##ID##_##tag(const hed_array *const *x, hed_array **y)                                         \
  {                                                                                                                     \
    const hed_array *const a = x[0], *const b = x[1], *const c = x[2], *const v = x[3], *const w = x[4];                \
    (void)a, (void)b, (void)c, (void)v, (void)w;                                                                        \
    *y = (expression);                                                                                                  \
    return *y ? HED_OK : hed_error();                                                                                   \
  }
#define LIST(...) (int)(sizeof((const hed_array *const[]){ __VA_ARGS__ }) / sizeof(hed_array *)), \
                  (const hed_array *const[]){ __VA_ARGS__ }
#define ARRAY(x) (const hed_array *const[]){ (x) }
#define OVER(...) (&(hed_reduce){ .axes = HED_AXES(__VA_ARGS__) })
#define KEEP(...) (&(hed_reduce){ .axes = HED_AXES(__VA_ARGS__), .keepdims = true })

static hed_array *indices(int n, const int64_t *values) { return hed_from_host(values, HED_SHAPE(n), HED_INT64); }
#define INDICES(...) indices((int)(sizeof((const int64_t[]){ __VA_ARGS__ }) / 8), (const int64_t[]){ __VA_ARGS__ })

/* Four values, of which one is an edge and one outside. */
#define SPREAD hed_from_doubles((const double[]){ 0.3, 1, 2, 9 }, HED_SHAPE(4), HED_FLOAT64)
#define SPREAD_EDGES hed_from_doubles((const double[]){ 0, 1, 1.5, 2 }, HED_SHAPE(4), HED_FLOAT64)

/* The sum of N arrays that were made, each times another number. */
static hed_array *all_of(hed_status s, int n, hed_array **made)
{
  hed_array *sum = NULL;
  for (int k = 0; s == HED_OK && k < n; k++)
    if (made[k]) {
      hed_array *part = hed_multiply_scalar(hed_sum(hed_square(made[k]), NULL), k + 1);
      sum = sum ? hed_add(sum, part) : part;
    }
  return sum;
}
static hed_array *made[8];
#define ALL(n, call) (memset(made, 0, sizeof made), all_of((call), (n), made))

static hed_array *written(const hed_array *x, hed_status (*set)(hed_array *, int, const hed_key *, const hed_array *), int n,
                          const hed_key *keys, const hed_array *value)
{
  hed_array *y = hed_copy(x);
  return y && set(y, n, keys, value) == HED_OK ? y : NULL;
}
static hed_status add_at(hed_array *x, int n, const hed_key *keys, const hed_array *value)
{
  return hed_accumulate(x, n, keys, value, HED_SCATTER_ADD);
}
#define TWO_ROWS 1, (const hed_key[]){ HED_IDX(INDICES(2, 0, 2)) }
/* Two columns; side by side; on top of each other. */
#define TWO(x) hed_slice((x), 2, (const hed_slice_range[]){ HED_ALL, HED_RANGE(0, 2, 1) })
#define SIDE(x, y) hed_concatenate(2, (const hed_array *const[]){ (x), (y) }, 1)
#define STACKED(...) hed_stack((int)(sizeof((const hed_array *const[]){ __VA_ARGS__ }) / sizeof(hed_array *)), \
                               (const hed_array *const[]){ __VA_ARGS__ }, 0)
static hed_array *positive(const hed_array *c)
{
  return hed_add(hed_matmul(c, hed_matrix_transpose(hed_conj(c))), hed_eye(4, 4, 0, HED_FLOAT64));
}

static hed_array *placed(const hed_array *x, const hed_array *mask, const hed_array *values)
{
  hed_array *y = hed_copy(x);
  return y && hed_place(y, mask, values) == HED_OK ? y : NULL;
}
static hed_array *put(const hed_array *x, const hed_array *indices, const hed_array *values)
{
  hed_array *y = hed_copy(x);
  return y && hed_put_along_axis(y, indices, values, 1) == HED_OK ? y : NULL;
}
static hed_array *warped(const hed_array *x, const double *matrix)
{
  hed_array *y = hed_zeros(HED_SHAPE(4, 5), HED_FLOAT64);
  return y && hed_affine_transform_into(y, x, matrix, HED_SPLINE_CUBIC, true) == HED_OK ? y : NULL;
}

/* The sum of N arrays that were made, each element times a number of its own, so that vectors count with their phase. */
static hed_array *vectors(hed_status s, int n)
{
  hed_array *sum = NULL;
  for (int k = 0; s == HED_OK && k < n; k++)
    if (made[k]) {
      hed_array *i = hed_reshape(hed_arange(0, (double)hed_array_size(made[k]), 1, HED_FLOAT64), hed_array_shape(made[k]));
      hed_array *weight = hed_add(hed_cos(hed_add_scalar(i, k)), hed_multiply_complex(hed_sin(hed_multiply_scalar(i, 2)), 0, 1));
      hed_array *part = hed_sum(hed_real(hed_multiply(weight, made[k])), NULL);
      sum = sum ? hed_add(sum, part) : part;
    }
  memset(made, 0, sizeof made);
  return sum;
}

/* CASE(ID, tag, low, high, real, expression) */
#define CASES(CASE)                                                                                                     \
  CASE(WHERE, plain, -2, 2, true, hed_where(hed_greater_scalar(a, 0), a, b))                                            \
  CASE(CLIP, plain, -2, 2, false, hed_clip(a, -0.5, 0.7))                                                               \
  CASE(CLIP_ARRAY, both, -2, 2, false, hed_clip_array(a, hed_add_scalar(b, -1), hed_add_scalar(b, 0.4)))                \
  CASE(CLIP_ARRAY, low, -2, 2, false, hed_clip_array(a, b, NULL))                                                       \
  CASE(DIVIDE_WHERE, plain, 0.5, 2, true, hed_divide_where(hed_greater_scalar(a, 1), a, b, 3))                          \
  CASE(DIVIDE_WHERE, complex, 0.5, 2, false, hed_divide_where(hed_eye(3, 4, 0, HED_BOOL), a, b, 3))                     \
  CASE(LERP, plain, -2, 2, false, hed_lerp(a, b, hed_square(b)))                                                        \
  CASE(FMA, plain, -2, 2, false, hed_fma(a, b, a))                                                                      \
  CASE(NAN_TO_NUM, plain, -2, 2, false, hed_nan_to_num(a, NULL))                                                        \
  CASE(LEAKY_RELU, plain, -2, 2, false, hed_leaky_relu(a, 0.1))                                                         \
  CASE(ELU, plain, -2, 2, false, hed_elu(a, 0.7))                                                                       \
  CASE(GAUSSIAN, plain, -2, 2, false, hed_gaussian(a, 0.3, 1.3))                                                        \
  CASE(POWER, number, 0.5, 2, false, hed_add(hed_power_scalar(a, 2), hed_power_scalar(b, -1.5)))                        \
  CASE(POWER, base, -1, 1, false, hed_scalar_power(1.7, a))                                                             \
  CASE(VECTOR_NORM, two, -2, 2, false, hed_vector_norm(a, 2, OVER(1)))                                                  \
  CASE(VECTOR_NORM, three, -2, 2, false, hed_vector_norm(a, 3, OVER(0)))                                                \
  CASE(VECTOR_NORM, one, -2, 2, false, hed_vector_norm(a, 1, NULL))                                                     \
  CASE(VECTOR_NORM, inf, -2, 2, false, hed_vector_norm(a, INFINITY, KEEP(1)))                                               \
  CASE(STD, fraction, -2, 2, false, hed_std(w, &(hed_reduce){ .axes = HED_AXES(0, 2), .correction = 0.5 }))             \
  CASE(LOGSUMEXP, plain, -2, 2, false, hed_logsumexp(a, OVER(1)))                                                       \
  CASE(NANSUM, plain, -2, 2, false, hed_nansum(a, OVER(1)))                                                             \
  CASE(NANMEAN, plain, -2, 2, false, hed_nanmean(a, KEEP(0)))                                                           \
  CASE(NANMAX, plain, -2, 2, false, hed_nanmax(a, OVER(1)))                                                             \
  CASE(NANMIN, plain, -2, 2, false, hed_nanmin(a, NULL))                                                                \
  CASE(NANPROD, plain, -2, 2, false, hed_nanprod(a, OVER(0)))                                                           \
  CASE(NANVAR, plain, -2, 2, true, hed_nanvar(a, OVER(1)))                                                              \
  CASE(NANSTD, plain, -2, 2, true, hed_nanstd(a, OVER(1)))                                                              \
  CASE(PTP, plain, -2, 2, false, hed_ptp(a, OVER(1)))                                                                   \
  CASE(DIFF, plain, -2, 2, false, hed_diff(a, 2, 1))                                                                    \
  CASE(AVERAGE, plain, 0.5, 2, true, hed_average(a, b, OVER(1)))                                                        \
  CASE(COV, plain, -2, 2, true, hed_cov(a, NULL))                                                                       \
  CASE(CORRCOEF, plain, -2, 2, true, hed_corrcoef(a, NULL))                                                             \
  CASE(CUMSUM, plain, -2, 2, false, hed_cumsum(a, &(hed_scan){ .axis = HED_AXES(-1), .initial = true }))                \
  CASE(CUMSUM, flat, -2, 2, false, hed_cumsum(a, NULL))                                                                 \
  CASE(SOFTMAX, plain, -2, 2, false, hed_softmax(a, -1))                                                                \
  CASE(LOG_SOFTMAX, plain, -2, 2, false, hed_log_softmax(a, 0))                                                         \
  CASE(GRADIENT, plain, -2, 2, false, ALL(2, hed_gradient(a, NULL, made)))                                              \
  CASE(COPY, plain, -2, 2, false, hed_copy(a))                                                                          \
  CASE(ASTYPE, plain, -2, 2, true, hed_astype(a, HED_COMPLEX128))                                                       \
  CASE(BROADCAST_TO, plain, -2, 2, false, hed_broadcast_to(b, HED_SHAPE(3, 4)))                                         \
  CASE(BROADCAST_ARRAYS, plain, -2, 2, false, ALL(2, hed_broadcast_arrays(LIST(a, b), made)))                           \
  CASE(RESHAPE, plain, -2, 2, false, hed_reshape(a, HED_SHAPE(2, 6)))                                                   \
  CASE(RAVEL, plain, -2, 2, false, hed_ravel(hed_transpose(a, NULL)))                                                   \
  CASE(FLATTEN, plain, -2, 2, false, hed_flatten(a))                                                                    \
  CASE(SQUEEZE, plain, -2, 2, false, hed_squeeze(hed_expand_dims(a, 1), NULL))                                          \
  CASE(EXPAND_DIMS, plain, -2, 2, false, hed_expand_dims(a, -1))                                                        \
  CASE(EXPAND_DIMS_AXES, plain, -2, 2, false, hed_expand_dims_axes(a, &HED_AXES(0, 2)))                                 \
  CASE(ATLEAST_ND, plain, -2, 2, false, hed_atleast_nd(a, 4))                                                           \
  CASE(TRANSPOSE, plain, -2, 2, false, hed_transpose(w, &HED_AXES(1, -1, 0)))                                           \
  CASE(MOVEAXIS, plain, -2, 2, false, hed_moveaxis(w, 0, -1))                                                           \
  CASE(MOVEAXES, plain, -2, 2, false, hed_moveaxes(w, &HED_AXES(0, 1), &HED_AXES(2, 0)))                                \
  CASE(SWAPAXES, plain, -2, 2, false, hed_swapaxes(w, 0, 2))                                                            \
  CASE(MATRIX_TRANSPOSE, plain, -2, 2, false, hed_matrix_transpose(w))                                                  \
  CASE(FLIP, plain, -2, 2, false, hed_flip(w, &HED_AXES(0, 2)))                                                         \
  CASE(ROT90, plain, -2, 2, false, hed_rot90(w, -1, 1, 2))                                                              \
  CASE(ROLL, plain, -2, 2, false, hed_roll(w, &HED_AXES(1, -2), &HED_AXES(0, 2)))                                       \
  CASE(ROLL, flat, -2, 2, false, hed_roll(w, &HED_AXES(5), NULL))                                                       \
  CASE(PAD, plain, -2, 2, false, hed_pad(a, HED_SHAPE(1, 0), HED_SHAPE(2, 3), 1.5))                                     \
  CASE(TOPLEFT_PAD, plain, -2, 2, false, hed_topleft_pad(a, HED_SHAPE(5, 2), 1))                                        \
  CASE(EXTRACT_CENTER, plain, -2, 2, false, hed_extract_center(c, HED_SHAPE(3, 2)))                                     \
  CASE(REPEAT, plain, -2, 2, false, hed_repeat(a, 3, &HED_AXES(1)))                                                     \
  CASE(REPEAT, flat, -2, 2, false, hed_repeat(a, 2, NULL))                                                              \
  CASE(REPEAT, each, -2, 2, false, hed_repeat_each(a, INDICES(2, 0, 3), &HED_AXES(0)))                                  \
  CASE(CONCATENATE, plain, -2, 2, false, hed_concatenate(LIST(a, c, a), 0))                                             \
  CASE(STACK, plain, -2, 2, false, hed_stack(LIST(b, hed_square(b)), -1))                                               \
  CASE(VSTACK, plain, -2, 2, false, hed_vstack(LIST(a, b)))                                                             \
  CASE(HSTACK, plain, -2, 2, false, hed_hstack(LIST(b, v)))                                                             \
  CASE(DSTACK, plain, -2, 2, false, hed_dstack(LIST(a, a)))                                                             \
  CASE(SPLIT_SECTIONS, plain, -2, 2, false, ALL(2, hed_split_sections(a, 2, 1, made)))                                  \
  CASE(SPLIT_SECTIONS, part, -2, 2, false, (hed_split_sections(a, 2, 1, made), made[1]))                                \
  CASE(ARRAY_SPLIT, plain, -2, 2, false, ALL(2, hed_array_split(a, 2, 0, made)))                                        \
  CASE(SPLIT_SIZES, plain, -2, 2, false, ALL(2, hed_split_sizes(a, 2, (const int64_t[]){ 3, 1 }, 1, made)))             \
  CASE(UNSTACK, plain, -2, 2, false, ALL(3, hed_unstack(a, 0, made)))                                                   \
  CASE(TILE, plain, -2, 2, false, hed_tile(a, HED_SHAPE(2, 1, 3)))                                                      \
  CASE(TRIL, plain, -2, 2, false, hed_tril(c, 1))                                                                       \
  CASE(TRIU, plain, -2, 2, false, hed_triu(a, -1))                                                                      \
  CASE(DIAGONAL, plain, -2, 2, false, hed_diagonal(w, -1, 1, 2))                                                        \
  CASE(DIAGONAL, turned, -2, 2, false, hed_diagonal(w, 1, 2, 0))                                                        \
  CASE(DIAG, vector, -2, 2, false, hed_diag(b, 1))                                                                      \
  CASE(DIAG, matrix, -2, 2, false, hed_diag(a, 1))                                                                      \
  CASE(MESHGRID, plain, -2, 2, false, ALL(2, hed_meshgrid(LIST(b, v), true, false, made)))                              \
  CASE(UNFOLD, plain, -2, 2, false, hed_unfold(w, 1))                                                                   \
  CASE(FOLD, plain, -2, 2, false, hed_fold(hed_reshape(a, HED_SHAPE(4, 3)), 1, HED_SHAPE(3, 4)))                        \
  CASE(VEC, plain, -2, 2, false, hed_vec(a))                                                                            \
  CASE(MATRICIZE, plain, -2, 2, false, hed_matricize(w, &HED_AXES(2, 0), NULL))                                         \
  CASE(PARTIAL_UNFOLD, plain, -2, 2, false, hed_partial_unfold(w, 0, 1, 0, false))                                      \
  CASE(PARTIAL_VEC, plain, -2, 2, false, hed_partial_vec(w, 1, 0))                                                      \
  CASE(PARTIAL_FOLD, plain, -2, 2, false, hed_partial_fold(a, 0, HED_SHAPE(3, 2, 2), 1))                                \
  CASE(SLICE, plain, -2, 2, false, hed_slice(a, 2, (const hed_slice_range[]){ HED_RANGE(2, 0, -1), HED_RANGE(0, 4, 3) })) \
  CASE(SLICE, index, -2, 2, false, hed_index(w, -2, 1))                                                                 \
  CASE(SLICE_TENSOR, plain, -2, 2, false, hed_slice_tensor(c, HED_SHAPE(1, -2), HED_SHAPE(2, -1)))                      \
  CASE(GET, plain, -2, 2, false, HED_GET(w, HED_AT(1), HED_NEWAXIS, HED_SLICE(0, 3, 2)))                                \
  CASE(GET, indices, -2, 2, false, HED_GET(w, HED_WHOLE, HED_IDX(INDICES(2, 0, 2)), HED_SLICE(0, 3, 2)))                \
  CASE(SET, plain, -2, 2, false, written(a, hed_set, 2, (const hed_key[]){ HED_AT(1), HED_SLICE(0, 3, 2) }, hed_index(b, 0, 2))) \
  CASE(SET, repeated, -2, 2, false, written(a, hed_set, TWO_ROWS, a))                                                   \
  CASE(INDEX_UPDATE, plain, -2, 2, false, hed_index_update(a, TWO_ROWS, b))                                             \
  CASE(ACCUMULATE, plain, -2, 2, false, written(a, add_at, TWO_ROWS, b))                                                \
  CASE(TAKE, plain, -2, 2, false, hed_take(w, hed_reshape(INDICES(3, 0, 3, 1), HED_SHAPE(2, 2)), 2))                    \
  CASE(TAKE_ALONG_AXIS, plain, -2, 2, false, hed_take_along_axis(a, hed_reshape(INDICES(3, 0, 3), HED_SHAPE(3, 1)), 1)) \
  CASE(GATHER_ND, plain, -2, 2, false, hed_gather_nd(w, hed_reshape(INDICES(1, 0, 1, 2, 1, 0), HED_SHAPE(3, 2))))       \
  CASE(SCATTER_ND, plain, -2, 2, false, hed_scatter_nd(hed_reshape(INDICES(4, 0, 4), HED_SHAPE(3, 1)), a, HED_SHAPE(5, 4))) \
  CASE(COMPRESS, plain, -2, 2, false, hed_compress(c, hed_eye(4, 4, 1, HED_BOOL)))                                      \
  CASE(MASKED_FILL, plain, -2, 2, false, hed_masked_fill(c, hed_eye(4, 4, 1, HED_BOOL), 3))                             \
  CASE(SELECT, plain, -2, 2, true, hed_select(1, ARRAY(hed_greater_scalar(a, 0)), ARRAY(a), 0.5))                       \
  CASE(CHOOSE, plain, -2, 2, true, hed_choose(INDICES(0, 1, 1, 0), LIST(a, b)))                                         \
  CASE(SCATTER_ADD, plain, -2, 2, false, hed_scatter_add(a, INDICES(1, 0, 1), 3, 0))                                    \
  CASE(SORT, plain, -2, 2, false, hed_sort(a, NULL))                                                                    \
  CASE(SORT, flat, -2, 2, false, hed_sort(a, &(hed_sort_options){ .flat = true, .descending = true }))                  \
  CASE(TOPK, flat, -2, 2, false, ALL(2, hed_topk(a, 5, &(hed_sort_options){ .flat = true }, &made[0], NULL)))              \
  CASE(TOPK, plain, -2, 2, false, (hed_topk(a, 2, &(hed_sort_options){ .axis = HED_AXES(0) }, made, NULL), made[0]))    \
  CASE(FFT1, plain, -2, 2, false, hed_fft1(w, &(hed_fft){ .axes = HED_AXES(1), .s = HED_SHAPE(5) }))                    \
  CASE(FFT2, plain, -2, 2, false, hed_fft2(w, NULL))                                                                    \
  CASE(FFTN, plain, -2, 2, false, hed_fftn(w, &(hed_fft){ .s = HED_SHAPE(2, 5), .norm = HED_NORM_ORTHO }))              \
  CASE(IFFT1, plain, -2, 2, false, hed_ifft1(w, &(hed_fft){ .norm = HED_NORM_FORWARD }))                                \
  CASE(IFFT2, plain, -2, 2, false, hed_ifft2(w, NULL))                                                                  \
  CASE(IFFTN, plain, -2, 2, false, hed_ifftn(w, NULL))                                                                  \
  CASE(RFFT1, plain, -2, 2, true, hed_rfft1(w, NULL))                                                                   \
  CASE(RFFT2, plain, -2, 2, true, hed_rfft2(w, &(hed_fft){ .axes = HED_AXES(0, 1) }))                                   \
  CASE(RFFTN, plain, -2, 2, true, hed_rfftn(w, &(hed_fft){ .s = HED_SHAPE(4, 3), .norm = HED_NORM_FORWARD }))           \
  CASE(IRFFT1, plain, -2, 2, false, hed_irfft1(w, NULL))                                                                \
  CASE(IRFFT2, plain, -2, 2, false, hed_irfft2(w, &(hed_fft){ .s = HED_SHAPE(2, 7), .norm = HED_NORM_ORTHO }))          \
  CASE(IRFFTN, plain, -2, 2, false, hed_irfftn(w, NULL))                                                                \
  CASE(FFTSHIFT, plain, -2, 2, false, hed_fftshift(a, NULL))                                                            \
  CASE(IFFTSHIFT, plain, -2, 2, false, hed_ifftshift(a, NULL))                                                          \
  CASE(HILBERT, plain, -2, 2, true, hed_hilbert(a, NULL))                                                               \
  CASE(MATMUL, plain, -2, 2, false, hed_matmul(a, c))                                                                   \
  CASE(MATMUL, batch, -2, 2, false, hed_matmul(w, c))                                                                   \
  CASE(MATMUL, left, -2, 2, false, hed_matmul(v, w))                                                                    \
  CASE(MATMUL, right, -2, 2, false, hed_matmul(w, b))                                                                   \
  CASE(MATMUL, vectors, -2, 2, false, hed_matmul(b, hed_square(b)))                                                     \
  CASE(DOT, plain, -2, 2, false, hed_dot(a, b))                                                                         \
  CASE(INNER, plain, -2, 2, false, hed_inner(a, b))                                                                     \
  CASE(OUTER, plain, -2, 2, false, hed_outer(LIST(b, v)))                                                               \
  CASE(BATCHED_OUTER, plain, -2, 2, false, hed_batched_outer(LIST(c, c)))                                               \
  CASE(MATRIX_TRACE, plain, -2, 2, false, hed_matrix_trace(w, 1, -2, -1))                                               \
  CASE(KRON, plain, -2, 2, false, hed_kron(a, b))                                                                       \
  CASE(KRONECKER, plain, -2, 2, false, hed_kronecker(LIST(a, c), NULL))                                                 \
  CASE(KHATRI_RAO, plain, -2, 2, false, hed_khatri_rao(LIST(a, c), &(hed_khatri_rao_options){ .weights = b }))          \
  CASE(MODE_DOT, plain, -2, 2, false, hed_mode_dot(w, c, 2, true))                                                      \
  CASE(MULTI_MODE_DOT, plain, -2, 2, false, hed_multi_mode_dot(a, LIST(v, c), NULL))                                    \
  CASE(MULTI_DOT, plain, -2, 2, false, hed_multi_dot(LIST(v, a, c, b)))                                                 \
  CASE(MATRIX_POWER, plain, -1, 1, false, hed_matrix_power(c, 5))                                                       \
  CASE(COND, plain, -1, 1, true, hed_cond(positive(c), HED_COND_FROBENIUS))                                             \
  CASE(NORM, plain, -2, 2, false, hed_norm(a, 2, NULL))                                                                 \
  CASE(VDOT, plain, -2, 2, false, hed_vdot(b, hed_square(b)))                                                           \
  CASE(VECDOT, plain, -2, 2, false, hed_vecdot(w, b, -1))                                                               \
  CASE(TENSORDOT, plain, -2, 2, false, hed_tensordot(w, a, &HED_AXES(1, 2), &HED_AXES(0, 1)))                           \
  CASE(TENSORDOT, n, -2, 2, false, hed_tensordot_n(w, c, 1))                                                            \
  CASE(EXPM, plain, -1, 1, false, hed_expm(c))                                                                          \
  CASE(SOLVE, plain, -1, 1, false, hed_solve(positive(c), c))                                                           \
  CASE(SOLVE, vector, -1, 1, false, hed_solve(positive(c), b))                                                          \
  CASE(INV, plain, -1, 1, false, hed_inv(positive(c)))                                                                  \
  CASE(SLOGDET, plain, -1, 1, false, (hed_slogdet(hed_add(c, hed_eye(4, 4, 0, HED_FLOAT64)), &made[0], &made[1]),       \
                                      hed_add(made[0], made[1])))                                                       \
  CASE(CHOLESKY, lower, -1, 1, false, hed_cholesky(positive(c), false))                                                 \
  CASE(CHOLESKY, upper, -1, 1, false, hed_cholesky(positive(c), true))                                                  \
  CASE(MSE, plain, -2, 2, true, hed_mse(a, b, NULL))                                                                    \
  CASE(MEAN_ABSOLUTE_ERROR, plain, -2, 2, true, hed_mean_absolute_error(a, b, NULL))                                    \
  CASE(HUBER_LOSS, plain, -2, 2, true, hed_huber_loss(a, b, &(hed_loss){ .delta = 0.8 }))                               \
  CASE(LOG_COSH_LOSS, plain, -2, 2, true, hed_log_cosh_loss(a, b, NULL))                                                \
  CASE(BINARY_CROSSENTROPY, plain, 0.2, 0.8, true, hed_binary_crossentropy(a, b, NULL))                                 \
  CASE(BINARY_CROSSENTROPY, logits, -2, 2, true, hed_binary_crossentropy(a, hed_sigmoid(b), &(hed_loss){ .from_logits = true })) \
  CASE(CATEGORICAL_CROSSENTROPY, plain, 0.2, 0.8, true, hed_categorical_crossentropy(a, b, NULL))                       \
  CASE(CATEGORICAL_CROSSENTROPY, logits, -2, 2, true,                                                                   \
       hed_categorical_crossentropy(a, hed_softmax(b, 0), &(hed_loss){ .from_logits = true }))                          \
  CASE(NORMALIZE, plain, -2, 2, true, hed_normalize(a, NULL))                                                           \
  CASE(NORMALIZE_VECTOR, plain, -2, 2, true, hed_normalize_vector(a, &HED_AXES(1)))                                     \
  CASE(COSINE_SIMILARITY, plain, -2, 2, true, hed_cosine_similarity(a, b, -1))                                          \
  CASE(EUCLIDEAN_DISTANCE, plain, -2, 2, true, hed_euclidean_distance(a, b, OVER(1)))                                   \
  CASE(EXPONENTIAL_DECAY, plain, -2, 2, true, hed_exponential_decay(a, 0.3, b))

#define CASE(ID, tag, low, high, real, expression) BODY(ID, tag, expression)
CASES(CASE)
MORE_CASES(CASE)
#undef CASE
#define HED_UNARY(ID, name, domain, result, cost, doc) BODY(ID, regular, hed_##name(a))
#define HED_BINARY(ID, name, domain, result, cost, doc) BODY(ID, regular, hed_##name(a, b))
#define HED_REDUCE(ID, name, domain, result, doc) BODY(ID, regular, hed_add(hed_##name(w, KEEP(0, 2)), hed_##name(w, OVER(1, -1))))
#include <heddle/ops.def>

static const one cases[] = {
#define CASE(ID, tag, low, high, real, expression) { HED_OP_##ID, #ID " " #tag, body_##ID##_##tag, low, high, real },
  CASES(CASE)
  MORE_CASES(CASE)
#undef CASE
#define HED_UNARY(ID, name, domain, result, cost, doc) { HED_OP_##ID, #ID, body_##ID##_regular, 0, 0, false },
#define HED_BINARY(ID, name, domain, result, cost, doc) { HED_OP_##ID, #ID, body_##ID##_regular, 0, 0, false },
#define HED_REDUCE(ID, name, domain, result, doc) { HED_OP_##ID, #ID, body_##ID##_regular, 0, 0, false },
#include <heddle/ops.def>
};
enum { N_CASES = sizeof cases / sizeof *cases };

enum { NO_RULE, HAS_RULE, IS_ZERO };
static const unsigned char rules[HED_OP_COUNT_] = {
#define HED_RULE1(ID, s, x) [HED_OP_##ID] = HAS_RULE,
#define HED_RULE2(ID, s, a, t, b) [HED_OP_##ID] = HAS_RULE,
#define HED_RULE3(ID, s, a, t, b, u, c) [HED_OP_##ID] = HAS_RULE,
#define HED_RULE_AB(ID, s, t, function) [HED_OP_##ID] = HAS_RULE,
#define HED_RULE(ID, s, function) [HED_OP_##ID] = HAS_RULE,
#define HED_PARTS(ID) [HED_OP_##ID] = HAS_RULE,
#define HED_ZERO(ID) [HED_OP_##ID] = IS_ZERO,
#include "core/record/rules.def"
};

/* Where the regular ones are smooth; -2 to 2 elsewhere. */
static void range(int op, double *low, double *high)
{
  *low = -2;
  *high = 2;
  switch (op) {
  case HED_OP_SQRT: case HED_OP_LOG: case HED_OP_LOG2: case HED_OP_LOG10: case HED_OP_LOG1P: case HED_OP_RSQRT: case HED_OP_GAMMA:
  case HED_OP_LGAMMA: case HED_OP_DIGAMMA: case HED_OP_RECIPROCAL: case HED_OP_CBRT: case HED_OP_POWER: case HED_OP_DIVIDE:
  case HED_OP_MOD:
  case HED_OP_FMOD:
    *low = 0.5;
    break;
  case HED_OP_ARCCOSH: *low = 1.3; break;
  case HED_OP_ARCSIN: case HED_OP_ARCCOS: case HED_OP_ARCTANH: case HED_OP_TAN:
    *low = -0.8;
    *high = 0.8;
    break;
  default: break;
  }
}

/* Numbers between LOW and HIGH without a pattern, the same at every run. */
static hed_array *numbers(hed_shape shape, double low, double high, double phase, bool is_complex)
{
  int64_t n = elements_of(shape);
  hed_array *i = hed_arange(0, (double)n, 1, HED_FLOAT64);
  hed_array *x = hed_sin(hed_add_scalar(hed_multiply_scalar(hed_square(hed_add_scalar(i, phase)), 1.37), phase));
  x = hed_add_scalar(hed_multiply_scalar(x, (high - low) / 2), (high + low) / 2);
  if (is_complex)
    x = hed_add(x, hed_multiply_complex(hed_cos(hed_add_scalar(hed_multiply_scalar(hed_square(i), 0.77), phase)), 0, 0.6));
  return hed_reshape(x, shape);
}

static hed_status run(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
{
  (void)n, (void)m;
  return ((const one *)arg)->run(x, y);
}

static hed_status fused(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
{
  hed_status s = HED_OK;
  HED_FUSED s = run(arg, n, x, m, y);
  return s;
}

static bool takes_complex(int op)
{
  hed_op_info info = { .struct_size = sizeof info };
  return hed_op_query(op, &info) == HED_OK && strchr(info.domain, 'c');
}

/* The gradient by one operand of the sum of C's result times numbers, as what C makes. */
typedef struct slope { const one *of; int by; } slope;
static hed_status gradient(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
{
  const slope *s = arg;
  hed_status status = HED_OK;
  (void)m;
  HED_RECORD {
    const hed_array *v[ARRAYS], *w;
    hed_array *made_ = NULL;
    for (int k = 0; k < n; k++)
      v[k] = hed_array_is_recorded(x[k]) ? x[k] : hed_variable(x[k]);
    if ((status = s->of->run(v, &made_)) != HED_OK)
      break;
    w = hed_add_scalar(hed_cos(hed_arange(0, (double)hed_array_size(made_), 1, HED_FLOAT64)), 0.3);
    w = hed_reshape(w, hed_array_shape(made_));
    hed_array *g = NULL;
    status = hed_vjp(1, (const hed_array *const[]){ made_ }, &w, 1, &v[s->by], &g, &(hed_grad_options){ .record = true });
    *y = g ? hed_add(g, v[s->by]) : NULL; /* which depends on something */
    hed_release(g);
  }
  return status;
}

/* Gradients of gradients by each operand; forwards and backwards are each other's transposes. */
static void check_twice(const one *c, const hed_array *const *x)
{
  hed_status twice = HED_OK;
  double most = 0;
  for (int k = 0; k < ARRAYS && twice == HED_OK && most < 2e-6; k++) {
    double worst = -1;
    twice = hed_check_gradient(gradient, &(slope){ c, k }, ARRAYS, x, 0, &worst);
    most = worst <= most ? most : worst;
  }
  ok(twice == HED_OK && most < 2e-6, "%s, twice: %g %s", c->name, most, twice == HED_OK ? "" : hed_error_text());
  HED_RECORD {
    const hed_array *v[ARRAYS], *t[ARRAYS], *w;
    hed_array *y = NULL, *ty = NULL, *g[ARRAYS] = { NULL };
    double there = 0, back = 0;
    for (int k = 0; k < ARRAYS; k++) {
      v[k] = hed_variable(x[k]);
      t[k] = hed_cos(hed_multiply_scalar(x[k], 3));
    }
    hed_status s = c->run(v, &y);
    if (s == HED_OK)
      s = hed_jvp(1, (const hed_array *const[]){ y }, ARRAYS, v, t, &ty);
    if (s == HED_OK) {
      w = hed_sin(hed_add_scalar(y, 0.3));
      s = hed_vjp(1, (const hed_array *const[]){ y }, &w, ARRAYS, v, g, NULL);
      hed_item(hed_sum(hed_real(hed_multiply(hed_conj(w), ty)), NULL), &there);
    }
    for (int k = 0; k < ARRAYS && s == HED_OK; k++) {
      double part = 0;
      hed_item(hed_sum(hed_real(hed_multiply(hed_conj(t[k]), g[k])), NULL), &part);
      back += part;
    }
    ok(s == HED_OK && fabs(there - back) <= 1e-9 * fmax(1, fabs(back)), "%s forwards: %g for %g %s", c->name, there, back,
       s == HED_OK ? "" : hed_error_text());
    hed_release(ty);
    for (int k = 0; k < ARRAYS; k++)
      hed_release(g[k]);
  }
}

/* The result by C and its gradients by all operands, from a cotangent of numbers. */
static hed_status value_and_gradients(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
{
  hed_status status = HED_OK;
  (void)m;
  HED_RECORD {
    const hed_array *v[ARRAYS], *w;
    hed_array *value = NULL;
    for (int k = 0; k < n; k++)
      v[k] = hed_variable(x[k]);
    if ((status = ((const one *)arg)->run(v, &value)) != HED_OK)
      break;
    w = hed_cos(hed_reshape(hed_arange(0, (double)hed_array_size(value), 1, HED_FLOAT64), hed_array_shape(value)));
    status = hed_vjp(1, (const hed_array *const[]){ value }, &w, n, v, y + 1, NULL);
    y[0] = hed_keep(hed_stop_gradient(value));
  }
  return status;
}

/* A program of the gradient has the bits of its calls for other operands than it was made with, or is none. */
static void check_program(const one *c, const hed_array *const *x, const hed_array *const *other)
{
  enum { MADE = ARRAYS + 1, BYTES = 1 << 14 };
  static char bits[2][MADE][BYTES];
  hed_array *y[3][MADE] = { { NULL } };
  hed_program *p = NULL;
  void *arg = (void *)(uintptr_t)c;
  int wrong = -1;
  (void)hed_set_seed(3);
  hed_status s = hed_program_create(value_and_gradients, arg, ARRAYS, x, MADE, y[0], NULL, &p);
  const bool none = s == HED_E_PROGRAM;
  memset(bits, 0, sizeof bits);
  for (int run = 0; run < 2 && s == HED_OK; run++) {
    (void)hed_set_seed(4);
    s = run ? value_and_gradients(arg, ARRAYS, other, MADE, y[2]) : hed_program_run(p, ARRAYS, other, MADE, y[1]);
    for (int j = 0; j < MADE && s == HED_OK; j++)
      if (y[run + 1][j])
        s = hed_array_nbytes(y[run + 1][j]) > BYTES ? HED_E_LIMIT
                                                    : hed_to_host(y[run + 1][j], bits[run][j], hed_array_nbytes(y[run + 1][j]));
  }
  for (int j = 0; j < MADE && s == HED_OK; j++)
    wrong = wrong < 0 && memcmp(bits[0][j], bits[1][j], BYTES) != 0 ? j : wrong;
  ok(none || (s == HED_OK && wrong < 0), "%s as a program%s: %d %s", c->name, none ? " is refused" : "", wrong,
     s == HED_OK || none ? "" : hed_error_text());
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < MADE; j++)
      hed_release(y[k][j]);
  hed_program_release(p);
}

/* FEW: in a fusion scope alone. */
static void check(const one *c, const char *where, bool few, bool is_complex)
{
  double low = c->low, high = c->high;
  if (low == high)
    range(c->op, &low, &high);
  HED_SCOPE {
    const hed_array *const x[ARRAYS] = {
      numbers(HED_SHAPE(3, 4), low, high, 0.3, is_complex), numbers(HED_SHAPE(4), low, high, 1.1, is_complex),
      numbers(HED_SHAPE(4, 4), low, high, 2.9, is_complex), numbers(HED_SHAPE(3), low, high, 4.2, is_complex),
      numbers(HED_SHAPE(2, 3, 4), low, high, 5.7, is_complex) };
    const hed_array *const other[ARRAYS] = {
      numbers(HED_SHAPE(3, 4), low, high, 0.7, is_complex), numbers(HED_SHAPE(4), low, high, 1.9, is_complex),
      numbers(HED_SHAPE(4, 4), low, high, 3.3, is_complex), numbers(HED_SHAPE(3), low, high, 4.6, is_complex),
      numbers(HED_SHAPE(2, 3, 4), low, high, 6.1, is_complex) };
    if (!few && !is_complex)
      check_twice(c, x);
    if (!few)
      check_program(c, x, other);
    for (int k = few && !full_run() ? 1 : 0; k < 2; k++) {
      double worst = -1;
      const hed_status s = hed_check_gradient(k ? fused : run, (void *)(uintptr_t)c, ARRAYS, x, 0, &worst);
      ok(s == HED_OK && worst < 1e-6, "%s%s on %s%s: %g %s", c->name, is_complex ? ", complex" : "", where, k ? ", fused" : "",
         worst, s == HED_OK ? "" : hed_error_text());
    }
  }
}

/* Gradients of float32 by C on SPEC, in the arrays' order, elements as doubles; -1 after an error. */
enum { ELEMENTS = 12 + 4 + 16 + 3 + 24 };
static int narrow(const one *c, const char *spec, double *out)
{
  double low = c->low, high = c->high;
  int n = -1;
  if (low == high)
    range(c->op, &low, &high);
  HED_BACKEND_CONTEXT(spec) HED_RECORD HED_SCOPE {
    const hed_shape shapes[ARRAYS] = { HED_SHAPE(3, 4), HED_SHAPE(4), HED_SHAPE(4, 4), HED_SHAPE(3), HED_SHAPE(2, 3, 4) };
    const hed_array *x[ARRAYS], *w;
    hed_array *y = NULL, *g[ARRAYS] = { NULL };
    for (int k = 0; k < ARRAYS; k++)
      x[k] = hed_variable(hed_astype(numbers(shapes[k], low, high, k + 0.3, false), HED_FLOAT32));
    if (c->run(x, &y) != HED_OK || !(w = hed_ones_like(y)) ||
        hed_vjp(1, (const hed_array *const[]){ y }, &w, ARRAYS, x, g, NULL) != HED_OK)
      break;
    n = 0;
    for (int k = 0; k < ARRAYS; k++) {
      const int size = (int)hed_array_size(g[k]);
      if (hed_tolist(g[k], out + n, size) != HED_OK)
        bail("%s: %s", c->name, hed_error_text());
      n += size;
      hed_release(g[k]);
    }
  }
  return n;
}

/* On a device without float64: as on the reference backend. */
static void check_narrow(const one *c, const char *spec)
{
  double want[ELEMENTS], got[ELEMENTS], most = 1, off = 0;
  const int n = narrow(c, "reference", want), m = narrow(c, spec, got);
  for (int k = 0; k < n; k++)
    most = fmax(most, fabs(want[k]));
  for (int k = 0; k < n && n == m; k++)
    off = fmax(off, fabs(got[k] - want[k]) / most);
  ok(n == ELEMENTS && m == n && off < 5e-4, "%s on %s in float32: %g%s%s", c->name, spec, off, n == m ? "" : ", ",
     n == m ? "" : hed_error_text());
}

/* Results of operations without a derivative are constants; a rule without a case is one that nobody has looked at. */
static void complete(void)
{
  for (int op = 0; op < HED_OP_COUNT_; op++) {
    bool have = rules[op] != HAS_RULE;
    for (int k = 0; k < N_CASES && !have; k++)
      have = cases[k].op == op;
    if (rules[op] == HAS_RULE)
      ok(have, "%s has a case", hed_op_name(op));
  }
  for (int k = 0; k < N_CASES; k++)
    if (rules[cases[k].op] == IS_ZERO)
      HED_RECORD HED_SCOPE {
        hed_array *v = hed_variable(numbers(HED_SHAPE(3, 4), -2, 2, 0.3, false)), *y = NULL;
        const hed_array *const x[ARRAYS] = { v, hed_ones(HED_SHAPE(4), HED_FLOAT64) };
        ok(cases[k].run(x, &y) == HED_OK && !hed_array_is_recorded(y), "%s makes a constant", cases[k].name);
      }
}

int main(void)
{
  static const char *const backends[] = { "reference", "cpu", "opencl" };
  complete();
  for (int i = 0; i < N_CASES; i++)
    if (rules[cases[i].op] == HAS_RULE)
      check_narrow(&cases[i], "faulty;dtype=relaxed");
  for (int k = 0; k < 3; k++) {
    if (hed_backend_require(backends[k]) != HED_OK) {
      skip(1, "backend %s: %s", backends[k], hed_error_text());
      continue;
    }
    HED_BACKEND_CONTEXT(backends[k])
      for (int i = 0; i < N_CASES; i++)
        if (rules[cases[i].op] == HAS_RULE) {
          check(&cases[i], backends[k], k != 1, false);
          if (!cases[i].real && takes_complex(cases[i].op) && (k <= 1 || full_run()))
            check(&cases[i], backends[k], k != 1, true);
        }
  }
  done_testing();
  return done();
}
