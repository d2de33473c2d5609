// SPDX-License-Identifier: BSD-3-Clause
/* Every operation, every call of calls.def, and forms and functions beside those, with every allocation failing in turn, on each
 * host backend: see fault.h. L5. */
#include "fault.h"
#include "calls.h" /* names of operands are short */

#define ALL(hed_options, ...) &(hed_options){ __VA_ARGS__ }
#define PART(array, rows_, columns_) \
  hed_slice(array, 2, (const hed_slice_range[]){ HED_RANGE(0, rows_, 1), HED_RANGE(0, columns_, 1) })
#define ONE(array) hed_index(array, 0, 1)
#define NONE(extent, ...) out[0] = hed_empty(HED_SHAPE(extent, __VA_ARGS__), HED_FLOAT32) /* to write into */

static hed_einsum_order_info order = { .struct_size = sizeof order };
static double list[16384];

/* Forms that do otherwise, what is written into, and functions that are no operation, or a view. */
#define FORMS(X) \
  X(hed_where_scalar(m, x, 1)) X(hed_scalar_where(m, 1, x)) X(hed_scalars_where(m, 1, 2)) X(hed_add(x, n)) \
  X(hed_multiply_complex(x, 0, 1)) X(hed_divide_complex(x, 0, 1)) X(hed_power_complex(x, 0, 1)) X(hed_add_complex(x, 0, 1)) \
  X(hed_subtract_complex(x, 0, 1)) X(hed_complex_divide(0, 1, x)) X(hed_complex_multiply(0, 1, x)) X(hed_complex_power(0, 1, x)) \
  X(hed_complex_add(0, 1, x)) X(hed_complex_subtract(0, 1, x)) X(hed_sum(x, ALL(hed_reduce, .axes = HED_AXES(0)))) \
  X(hed_median(x, ALL(hed_reduce, .axes = HED_AXES(0)))) X(hed_nanmedian(x, ALL(hed_reduce, .axes = HED_AXES(0)))) \
  X(hed_nansum(x, ALL(hed_reduce, .axes = HED_AXES(0)))) X(hed_var(z, NULL)) \
  X(hed_logsumexp(x, ALL(hed_reduce, .axes = HED_AXES(0)))) X(hed_ptp(x, ALL(hed_reduce, .axes = HED_AXES(0)))) \
  X(hed_cumsum(hed_transpose(x, NULL), NULL)) X(hed_diff(x, 2, 1)) X(hed_cov(x, ALL(hed_cov_options, .weights = ONE(y)))) \
  X(hed_quantile(x, 2, (const double[]){ 0.5, 0.75 }, ALL(hed_quantiles, .axes = HED_AXES(1), .keepdims = true))) \
  X(hed_average(x, ONE(y), ALL(hed_reduce, .axes = HED_AXES(1)))) X(hed_sort(x, ALL(hed_sort_options, .flat = true))) \
  X(OK(hed_unique_with(x, ALL(hed_unique_options, .every_nan = true), &out[0], NULL, NULL, &out[1]), out[1])) \
  X(OK(hed_histogram(x, ALL(hed_histogram_options, .weights = x, .density = true), &out[0], &out[1]), out[1])) \
  X(hed_peak_local_max(x, ALL(hed_peak_local_max_options, .border = 1))) X(OK(hed_dot_into(NONE(128, 128), x, y), out[0])) \
  X(hed_inner(x, y)) X(hed_batched_outer(2, LIST(PART(x, 3, 3), PART(y, 3, 3)))) \
  X(OK(hed_tensordot_into(NONE(128, 128), x, y, &HED_AXES(0), &HED_AXES(0)), out[0])) X(hed_tensordot_n(x, y, 1)) \
  X(hed_tensordot_batched(c, c, ALL(hed_tensordot_options, .a_batch = HED_AXES(0), .b_batch = HED_AXES(0)))) \
  X(hed_einsum_with("ab,cb,cd->ad", 3, LIST(x, y, x), ALL(hed_einsum_options, .order = HED_EINSUM_GREEDY))) \
  X(hed_einsum("ab,bc,cd->ad", 3, LIST(x, y, x))) X(OK(hed_einsum_into(NONE(128), "ab,bc,cd->d", 3, LIST(x, y, x)), out[0])) \
  X(OK(hed_einsum_path("ab,cb,cd->ad", 3, LIST(x, y, x), NULL, &order), x)) X(hed_matrix_norm(x, HED_NORM_NUCLEAR, NULL, true)) \
  X(hed_khatri_rao(2, LIST(PART(x, 9, 4), PART(y, 9, 4)), ALL(hed_khatri_rao_options, .weights = hed_ones(HED_SHAPE(4), \
      HED_FLOAT32)))) \
  X(OK(hed_svd_interface(PART(x, 9, 9), ALL(hed_svd_options, .n = 2, .flip = HED_SVD_FLIP_U, .non_negative = HED_SVD_NNDSVDA, \
      .mask = PART(x, 9, 9), .mask_iterations = 1), &out[0], &out[1], &out[2]), out[2])) \
  X(OK(hed_svd_flip(PART(x, 9, 9), PART(x, 9, 9), true, &out[0], &out[1]), out[1])) X(hed_vector_norm(x, 2, NULL)) \
  X(OK(hed_solve_into(NONE(128), p, ONE(x)), out[0])) X(OK(hed_solve_triangular_into(NONE(128), p, ONE(x), NULL), out[0])) \
  X(OK(hed_inv_into(NONE(128, 128), p), out[0])) X(OK(hed_cholesky_into(NONE(128, 128), p, false), out[0])) \
  X(hed_pinv_each(PART(p, 9, 4), hed_scalar(0.5))) X(hed_matrix_rank_each(PART(p, 9, 4), hed_scalar(0.5))) \
  X(hed_cond(p, HED_COND_1)) X(hed_matrix_power(p, -2)) X(hed_matrix_power(p, 0)) \
  X(OK(hed_qr(PART(p, 9, 4), HED_QR_COMPLETE, &out[0], &out[1]), out[1])) \
  X(OK(hed_lu(PART(p, 9, 4), &out[0], &out[1], &out[2]), out[2])) X(hed_get(x, KEYS(HED_AT(1), HED_NEWAXIS))) \
  X(OK(hed_accumulate(out[0] = hed_copy(x), KEYS(HED_IDX(hed_arange_int(0, 128, 1, HED_INT64))), y, HED_SCATTER_ADD), x)) \
  X(OK(hed_set(hed_ravel(c), KEYS(HED_SLICE(HED_SLICE_END, HED_SLICE_BEGIN, -1)), v), x)) \
  X(OK(hed_set(out[0] = hed_copy(x), KEYS(HED_IDX(i), HED_SLICE(0, 2, 1)), hed_scalar(1)), out[0])) \
  X(hed_repeat_each(i, i, &HED_AXES(0))) X(OK(hed_meshgrid(2, LIST(ONE(x), ONE(y)), true, false, out), x)) \
  X(OK(hed_split_sections(x, 2, 1, out), x)) X(OK(hed_array_split(x, 3, 0, out), x)) X(OK(hed_unstack(PART(x, 3, 3), 1, out), x)) \
  X(OK(hed_split_indices(x, 1, (const int64_t[]){ 1 }, 0, out), x)) X(OK(hed_broadcast_arrays(2, LIST(x, ONE(y)), out), x)) \
  X(OK(hed_split_sizes(x, 2, (const int64_t[]){ 1, 127 }, 0, out), x)) X(OK(hed_tolist(x, list, N), x)) \
  X(OK(hed_fill_int(out[0] = hed_copy(x), 3), x)) X(OK(hed_fill_uint(out[0] = hed_copy(x), 3), x)) \
  X(hed_reshape(hed_transpose(x, NULL), HED_SHAPE(N))) X(hed_full_int(HED_SHAPE(3), 4, HED_INT8)) \
  X(hed_full_uint(HED_SHAPE(3), 4, HED_INT8)) X(hed_full_complex(HED_SHAPE(2), 1, 2, HED_COMPLEX64)) \
  X(hed_empty_like_as(x, HED_INT8)) X(hed_zeros_like_as(x, HED_INT8)) X(hed_ones_like_as(x, HED_INT8)) \
  X(hed_full_like_as(x, 2, HED_INT8)) X(hed_ones_like(x)) X(hed_from_doubles(list, HED_SHAPE(N), HED_INT8)) \
  X(hed_from_host(list, HED_SHAPE(4), HED_FLOAT64)) X(hed_asarray(x, HED_INT8)) X(hed_scalar(3)) \
  X(hed_empty(HED_SHAPE(3), HED_INT8)) X(hed_reshape(x, HED_SHAPE(N))) X(hed_transpose(x, NULL)) X(hed_moveaxis(x, 0, 1)) \
  X(hed_squeeze(x, NULL)) X(hed_expand_dims(x, 1)) X(hed_broadcast_to(x, HED_SHAPE(2, 128, 128))) X(hed_flip(x, NULL)) \
  X(PART(x, 3, 3)) X(ONE(x)) X(hed_diagonal(x, 0, 0, 1)) X(hed_expand_dims_axes(x, &HED_AXES(0, 2))) \
  X(hed_moveaxes(x, &HED_AXES(0), &HED_AXES(1))) X(hed_swapaxes(x, 0, 1)) X(hed_matrix_transpose(x)) X(hed_rot90(x, 1, 0, 1)) \
  X(hed_atleast_nd(x, 4)) X(hed_ravel(x)) X(hed_vec(x)) X(hed_unfold(x, 1)) X(hed_sliding_window_view(x, HED_SHAPE(2, 2), NULL)) \
  X(hed_fold(x, 1, HED_SHAPE(128, 128))) X(hed_matricize(x, &HED_AXES(1), NULL)) X(hed_partial_unfold(x, 0, 1, 0, false)) \
  X(hed_partial_vec(x, 1, 0)) X(hed_partial_fold(x, 0, HED_SHAPE(128, 128), 1)) \
  X(hed_slice_tensor(x, HED_SHAPE(0, 1), HED_SHAPE(2, -1))) \
  X(hed_affine_transform(x, (const double[]){ 1, 0, 0.5, 0, 1, 0.25 }, NULL, ALL(hed_resample, .boundary = HED_BOUNDARY_MIRROR))) \
  X(hed_maximum_filter_with(x, 3, ALL(hed_filter, .boundary = HED_BOUNDARY_WRAP))) X(hed_norm_scores_with(x, x, x, 4, 1e-6, true)) \
  X(hed_mask_ellipse(HED_SHAPE(9, 9), (const double[]){ 1, 1.5 }, HED_FLOAT32, ALL(hed_mask, .sigma = 1))) \
  X(hed_fftn(x, ALL(hed_fft, .s = HED_SHAPE(6)))) X(OK(hed_add_into(NONE(128, 128), x, y), x)) \
  X(OK(hed_add_scalar_into(NONE(128, 128), x, 1), x)) X(OK(hed_sum_into(NONE(128), n, ALL(hed_reduce, .axes = HED_AXES(0))), x))

static const char *const forms[] = {
#define TEXT(expression) #expression,
  FORMS(TEXT)
};
enum { FORMS_ = sizeof forms / sizeof *forms };

static const hed_array *form(int k)
{
  int at = 0;
#define TRY(expression) \
  if (k == at++)        \
    return expression;
  FORMS(TRY)
  return NULL;
}

static int call; /* the one in turn: of calls, and then of forms */
static const char *text;

static int arrays(void)
{
  hed_stats s = { .struct_size = sizeof s };
  hed_stats_get(&s);
  return (int)s.arrays_live;
}

/* How many arrays TEXT makes on the way to its result, which then are the scope's. */
static int operands(void)
{
  int found = 0;
  for (const char *at = text; *at; at++) {
    const bool ours = strncmp(at, "hed_", 4) == 0;
    const size_t length = ours ? strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789") : 3;
    found += (ours || strncmp(at, "ONE", 3) == 0 || strncmp(at, "ART", 3) == 0) && at[length] == '(';
    at += ours ? length - 1 : 0;
  }
  return found > 0 ? found - 1 : 0;
}

static result run(void)
{
  result r = FAILED;
  HED_SCOPE
  {
    const int before = arrays();
    memset(out, 0, sizeof out);
    r = (call < CALLS ? calls[call].fn() : form(call - CALLS)) ? DONE : FAILED;
    if (r == FAILED && hed_error() != HED_E_NOMEM)
      fail("memory is out, said is: %s", hed_error_text());
    if (r == FAILED && arrays() > before + operands())
      fail("%d arrays are left in the caller's scope, %d is the most: %s", arrays() - before, operands(), text);
    for (size_t k = 0; r == FAILED && k < sizeof out / sizeof *out; k++)
      if (out[k] && !strstr(text, "out[0] = ") && !strstr(text, "NONE"))
        fail("result %d with an error: %s", (int)k, text);
  }
  return r;
}

/* Rows of two operands with a number before them. */
#define HED_BINARY(ID, name, domain, result_, cost, doc)  \
  static result before_##name(void)                       \
  {                                                       \
    hed_array *r = hed_scalar_##name(2, numbers(domain)); \
    hed_release(r);                                       \
    return r ? DONE : FAILED;                             \
  }
#include <heddle/ops.def>
static const entry before[] = {
#define HED_BINARY(ID, name, domain, result_, cost, doc) { "scalar_" #name, before_##name },
#include <heddle/ops.def>
};

int main(void)
{
  static const char *const backends[] = { "reference", "cpu" };
  for (int b = 0; b < 2; b++) {
    if (!fault_on(backends[b]))
      continue;
    HED_SCOPE
    {
      make_operands(HED_FLOAT32, 1);
      for (call = 0; call < CALLS + FORMS_; call++) {
        char name[64];
        if (!in_sample(call))
          continue;
        text = call < CALLS ? calls[call].text : forms[call - CALLS];
        snprintf(name, sizeof name, "%s %s", call < CALLS ? calls[call].name : text, call < CALLS ? calls[call].form : "");
        storm(&(entry){ name, run });
      }
      for (size_t k = 0; k < sizeof before / sizeof *before; k++)
        if (in_sample((int)k))
          storm(&before[k]);
    }
  }
  return done();
}
