// SPDX-License-Identifier: BSD-3-Clause
/* Arguments at the ends of their types: layouts that no memory can have are refused in words, and where extents, axes, counts
 * and offsets are extreme a call succeeds or says why. In builds with sanitizers no arithmetic overflows.
 */
#include "api.h"
#include "dlpack.h"

static const int64_t ends[] = { INT64_MIN, INT64_MIN + 1, INT64_MIN / 2, (int64_t)INT32_MIN - 1, INT32_MIN, -2, -1, 0, 1, 2,
                                INT32_MAX, (int64_t)INT32_MAX + 1, INT64_MAX / 2 + 1, INT64_MAX - 1, INT64_MAX };
enum { ENDS = sizeof ends / sizeof *ends };
static const int32_t short_ends[] = { INT32_MIN, INT32_MIN + 1, -17, -2, -1, 0, 1, 2, 17, INT32_MAX - 1, INT32_MAX };
enum { SHORT_ENDS = sizeof short_ends / sizeof *short_ends };

/* ---- layouts ---- */

static void wrapped(hed_shape shape, const int64_t *strides, hed_dtype t, const char *part, const char *what)
{
  static double memory[8];
  hed_error_clear();
  hed_array *x = hed_wrap(memory, shape, strides, t, NULL, NULL);
  if (part) {
    ok(!x && hed_error() == HED_E_SHAPE, "wrap: %s is refused", what);
    has_str(hed_error_text(), part, "wrap: ... and the sentence says which");
  } else if (!ok(x != NULL, "wrap: %s is fine", what)) {
    diag("%s", hed_error_text());
  }
  hed_release(x);
}

static void layouts(void)
{
  const int64_t big = (int64_t)1 << 60, huge = INT64_MAX / 2 + 1;
  wrapped(HED_SHAPE(0, big, big), NULL, HED_INT8, "(0, 1152921504606846976,", "no element of too many others");
  wrapped(HED_SHAPE(big, big, 0), NULL, HED_INT8, "1152921504606846976, 0)", "the same the other way round");
  wrapped(HED_SHAPE(0, big), NULL, HED_FLOAT64, "0, 1152921504606846976", "strides that would not fit");
  wrapped(HED_SHAPE(0, big), NULL, HED_INT8, NULL, "no element of many others");
  wrapped(HED_SHAPE(2), (int64_t[]){ INT64_MIN }, HED_INT8, "stride -9223372036854775808 of axis 0", "the least stride");
  wrapped(HED_SHAPE(1), (int64_t[]){ INT64_MIN }, HED_INT8, "stride -9223372036854775808 of axis 0", "... of one element");
  wrapped(HED_SHAPE(0), (int64_t[]){ INT64_MIN }, HED_INT8, "stride -9223372036854775808 of axis 0", "... of none");
  wrapped(HED_SHAPE(1, 3), (int64_t[]){ 1, huge }, HED_INT8, "of axis 1 with extent 3", "a stride times its extent");
  wrapped(HED_SHAPE(2, 2), (int64_t[]){ huge - 8, huge - 8 }, HED_INT8, "leaves the address space", "the sum of strides");
  wrapped(HED_SHAPE(2, 2, 0), (int64_t[]){ huge - 8, huge - 8, 8 }, HED_INT8, "leaves", "the sum without elements");
  wrapped(HED_SHAPE(2), (int64_t[]){ INT64_MAX / 4 + 1 }, HED_INT8, "leaves", "more than memory can have");
  wrapped(HED_SHAPE(2), (int64_t[]){ -((int64_t)1 << 50) * 32 }, HED_INT8, "leaves", "in front of the first address");
  wrapped(HED_SHAPE(1, 1), (int64_t[]){ INT64_MAX / 2, 1 }, HED_INT8, NULL, "a stride that is not used");
  wrapped(HED_SHAPE(3, 2), (int64_t[]){ 8, 24 }, HED_FLOAT64, NULL, "an ordinary one");
  API_NULL(hed_empty(HED_SHAPE(0, big, big), HED_INT8), HED_E_SHAPE, "(0, 1152921504606846976, 1152921504606846976)");
  API_NULL(hed_from_host("", HED_SHAPE(big, 0, big), HED_INT8), HED_E_SHAPE, "not possible");
  hed_array *e = hed_empty(HED_SHAPE(0), HED_FLOAT64);
  API_NULL(hed_reshape(e, HED_SHAPE(0, big)), HED_E_SHAPE, "cannot hold");
  hed_release(e);
}

static void no_deleter(struct DLManagedTensorVersioned *m) { (void)m; }

static void tensors(void)
{
  static float memory[8];
  static const struct {
    int64_t shape[2], stride[2];
    uint64_t offset;
    int32_t status;
    const char *part, *what;
  } cases[] = {
    { { 2, 2 }, { 2, 1 }, 0, HED_OK, "", "an ordinary tensor" },
    { { 2, 2 }, { 2, 1 }, 8, HED_OK, "", "with an offset" },
    { { 2, 2 }, { 2, 1 }, UINT64_MAX - 3, HED_E_INVAL, "byte_offset 18446744073709551612", "an offset that wraps" },
    { { 2, 2 }, { INT64_MAX / 2, 1 }, 0, HED_E_SHAPE, "of axis 0", "a stride of bytes that does not fit" },
    { { 2, 2 }, { INT64_MIN / 4, 1 }, 0, HED_E_SHAPE, "of axis 0", "the least stride" },
    { { 0, 2 }, { INT64_MIN / 4, 1 }, 0, HED_E_SHAPE, "of axis 0", "the least stride of nothing" },
    { { 2, 2 }, { INT64_MAX / 9, INT64_MAX / 9 }, 0, HED_E_SHAPE, "leaves the address space", "the sum of strides" },
    { { 2, 2 }, { 1, 1 }, INT64_MAX, HED_E_INVAL, "aligned", "an offset beyond all alignment" },
    { { 0, INT64_MAX / 4 + 1 }, { 1, 1 }, 0, HED_E_SHAPE, "larger than memory", "no element of too many others" },
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    int64_t shape[2] = { cases[k].shape[0], cases[k].shape[1] }, stride[2] = { cases[k].stride[0], cases[k].stride[1] };
    struct DLManagedTensorVersioned m = { .major = 1, .deleter = no_deleter,
                                          .tensor = { .data = memory, .device_type = 1, .ndim = 2, .dtype = { 2, 32, 1 },
                                                      .shape = shape, .strides = stride, .byte_offset = cases[k].offset } };
    hed_error_clear();
    hed_array *x = hed_from_dlpack(&m);
    is_int(x ? HED_OK : hed_error(), cases[k].status, "from_dlpack: %s", cases[k].what);
    if (!x)
      has_str(hed_error_text(), cases[k].part, "from_dlpack: ... and the sentence says which");
    hed_release(x);
  }
}

/* ---- axes ---- */

#define NO_AXIS(call)                                                                           \
  do {                                                                                          \
    hed_error_clear();                                                                          \
    hed_array *result_ = (call);                                                                \
    if (!ok(!result_ && hed_error() == HED_E_AXIS, "%s: %s: axis %d of two", backend, #call, (int)a)) \
      diag("%d: %s", (int)hed_error(), hed_error_text());                                       \
    hed_release(result_);                                                                       \
  } while (0)

/* One status for all: an axis that an array does not have. */
static void axes(const char *backend)
{
  static const int32_t none[] = { 2, -3, 16, INT32_MAX, INT32_MIN };
  hed_array *x = hed_zeros(HED_SHAPE(3, 4), HED_FLOAT32), *k = hed_zeros(HED_SHAPE(3), HED_INT64);
  const hed_array *two[2] = { x, x };
  for (int i = 0; i < 5; i++) {
    const int32_t a = none[i];
    const hed_axes one = HED_AXES(a);
    const hed_reduce over = { .axes = one };
    const hed_sort_options sorted = { .axis = one };
    NO_AXIS(hed_sum(x, &over));
    NO_AXIS(hed_argmax(x, &over));
    NO_AXIS(hed_median(x, &over));
    NO_AXIS(hed_var(x, &over));
    NO_AXIS(hed_logsumexp(x, &over));
    NO_AXIS(hed_cumsum(x, &(hed_scan){ .axis = one }));
    NO_AXIS(hed_sort(x, &sorted));
    NO_AXIS(hed_argsort(x, &sorted));
    NO_AXIS(hed_partition(x, 1, &sorted));
    NO_AXIS(hed_softmax(x, a));
    NO_AXIS(hed_flip(x, &one));
    NO_AXIS(hed_squeeze(x, &one));
    NO_AXIS(hed_moveaxis(x, a, 0));
    NO_AXIS(hed_moveaxis(x, 0, a));
    NO_AXIS(hed_swapaxes(x, 0, a));
    NO_AXIS(hed_rot90(x, 1, 0, a));
    NO_AXIS(hed_index(x, a, 0));
    NO_AXIS(hed_diagonal(x, 0, 0, a));
    NO_AXIS(hed_unfold(x, a));
    NO_AXIS(hed_concatenate(2, two, a));
    NO_AXIS(hed_take(x, k, a));
    NO_AXIS(hed_roll(x, &HED_AXES(1), &one));
    NO_AXIS(hed_repeat(x, 2, &one));
    NO_AXIS(hed_diff(x, 1, a));
    NO_AXIS(hed_vecdot(x, x, a));
    NO_AXIS(hed_fftn(x, &(hed_fft){ .axes = one }));
    NO_AXIS(hed_mode_dot(x, x, a, false));
    NO_AXIS(hed_sobel(x, a, NULL));
    NO_AXIS(hed_correlate1d(x, x, a, NULL));
    NO_AXIS(hed_random_shuffle(x, a, NULL));
    NO_AXIS(hed_vector_norm(x, 2, &over));
    NO_AXIS(hed_scatter_add(x, k, 3, a));
    NO_AXIS(hed_transpose(x, &HED_AXES(0, a)));
    NO_AXIS(hed_quantile(x, 1, (const double[]){ 0.5 }, &(hed_quantiles){ .axes = one }));
  }
  RELEASE(x, k);
}

/* ---- calls ---- */

static int calls, silent;

/* A call that fails says why. */
static void took(hed_array *x, const char *call)
{
  calls++;
  if (!x && (hed_error() == HED_OK || !hed_error_text()[0])) {
    silent++;
    diag("%s says nothing", call);
  }
  hed_error_clear();
  hed_release(x);
}

#define TRY(call) took(call, #call)
#define TRY_STATUS(call) took((call) == HED_OK ? hed_scalar(0) : NULL, #call)

/* Views, of X that may have more elements than there is memory. */
static void views(const hed_array *x)
{
  for (int i = 0; i < SHORT_ENDS; i++) {
    const int32_t a = short_ends[i];
    TRY(hed_expand_dims(x, a));
    TRY(hed_atleast_nd(x, a));
    TRY(hed_unfold(x, a));
    TRY(hed_squeeze(x, &HED_AXES(a)));
    TRY(hed_flip(x, &HED_AXES(a)));
    TRY(hed_transpose(x, &(hed_axes){ a, { 0, 1, 2 } }));
    TRY(hed_expand_dims_axes(x, &(hed_axes){ a, { 0 } }));
    TRY(hed_matricize(x, &HED_AXES(a), NULL));
    for (int j = 0; j < SHORT_ENDS; j++) {
      const int32_t b = short_ends[j];
      TRY(hed_moveaxis(x, a, b));
      TRY(hed_swapaxes(x, a, b));
      TRY(hed_partial_unfold(x, 0, a, b, true));
      TRY(hed_partial_unfold(x, b, a, 0, false));
      TRY(hed_partial_vec(x, a, b));
      TRY(hed_partial_fold(x, a, hed_array_shape(x), b));
    }
    for (int j = 0; j < ENDS; j++) {
      TRY(hed_index(x, a, ends[j]));
      TRY(hed_diagonal(x, ends[j], 0, a));
      TRY(hed_rot90(x, ends[j], 0, a));
    }
  }
  for (int i = 0; i < ENDS; i++)
    for (int j = 0; j < ENDS; j++) {
      const hed_shape s = HED_SHAPE(ends[i], ends[j]);
      TRY(hed_reshape(x, s));
      TRY(hed_broadcast_to(x, s));
      TRY(hed_extract_center(x, s));
      TRY(hed_sliding_window_view(x, s, NULL));
      TRY(hed_diagonal(x, ends[i], 0, 1));
      for (int k = 0; k < ENDS; k++) {
        TRY(hed_slice(x, 1, &(hed_slice_range){ ends[i], ends[j], ends[k] }));
        TRY(hed_get(x, 1, &(hed_key){ .kind = HED_KEY_SLICE, .range = { ends[i], ends[j], ends[k] } }));
      }
      TRY(hed_get(x, 1, &(hed_key){ .kind = HED_KEY_INTEGER, .range = { ends[i], ends[j], 1 } }));
    }
}

/* Results of X that are computed. */
static void results(const hed_array *x)
{
  const hed_array *two[2] = { x, x };
  hed_array *parts[4];
  for (int i = 0; i < SHORT_ENDS; i++) {
    const int32_t a = short_ends[i];
    TRY(hed_sum(x, &(hed_reduce){ .axes = HED_AXES(a) }));
    TRY(hed_argmax(x, &(hed_reduce){ .axes = HED_AXES(a) }));
    TRY(hed_cumsum(x, &(hed_scan){ .axis = HED_AXES(a) }));
    TRY(hed_sort(x, &(hed_sort_options){ .axis = HED_AXES(a) }));
    TRY(hed_softmax(x, a));
    TRY(hed_isotonic(x, x, a, true));
    TRY(hed_concatenate(2, two, a));
    TRY(hed_stack(2, two, a));
    TRY(hed_take(x, x, a));
    TRY(hed_vecdot(x, x, a));
    TRY(hed_cross(x, x, a));
    TRY(hed_random_shuffle(x, a, NULL));
    TRY(hed_rotate_left(x, x, a));
    TRY(hed_convolve(x, x, a));
    TRY(hed_tensordot_n(x, x, a));
    for (int j = 0; j < SHORT_ENDS; j++)
      TRY(hed_roll(x, &HED_AXES(a), &HED_AXES(short_ends[j])));
    for (int j = 0; j < ENDS; j++) {
      TRY(hed_diff(x, ends[j], a));
      TRY(hed_repeat(x, ends[j], &HED_AXES(a)));
      TRY(hed_scatter_add(x, x, ends[j], a));
      TRY(hed_matrix_trace(x, ends[j], 0, a));
      TRY_STATUS(hed_split_indices(x, 1, (int64_t[]){ ends[j] }, a, parts) == HED_OK
                   ? (hed_release(parts[0]), hed_release(parts[1]), HED_OK) : hed_error());
    }
  }
  for (int i = 0; i < ENDS; i++) {
    TRY(hed_tril(x, ends[i]));
    TRY(hed_triu(x, ends[i]));
    TRY(hed_unpack_bits(x, ends[i]));
    TRY(hed_diag(x, ends[i]));
    TRY(hed_partition(x, ends[i], NULL));
    TRY(hed_topk_indices(x, ends[i]));
    TRY(hed_bincount(x, NULL, ends[i]));
    TRY(hed_label_sum(x, x, ends[i]));
    TRY(hed_uniform_filter(x, ends[i], NULL));
    TRY(hed_maximum_filter(x, ends[i], 0));
    TRY(hed_median_filter(x, ends[i], NULL));
    TRY(hed_matrix_power(x, ends[i]));
    TRY(hed_partial_interference(x, x, ends[i]));
    TRY(hed_binary_wave_propagate(x, ends[i]));
    TRY(hed_compute_energy_stability(x, ends[i]));
    for (int j = 0; j < ENDS; j++) {
      const hed_shape s = HED_SHAPE(ends[i], ends[j]);
      TRY(hed_tile(x, s));
      TRY(hed_pad(x, s, s, 0));
      TRY(hed_topleft_pad(x, s, 0));
      for (int mode = 0; mode < 5; mode++)
        TRY(hed_pad_with(x, s, HED_SHAPE(0, 0), (hed_pad_mode)mode, 0));
      TRY(hed_slice_tensor(x, s, HED_SHAPE(1, 1)));
      TRY(hed_slice_tensor(x, HED_SHAPE(0, 0), s));
      TRY(hed_zoom(x, s, NULL));
      TRY(hed_scatter_nd(x, x, s));
      TRY(hed_fftn(x, &(hed_fft){ .s = s }));
      TRY(hed_rfftn(x, &(hed_fft){ .s = s }));
      TRY(hed_irfftn(x, &(hed_fft){ .s = s }));
    }
  }
}

/* What is made of numbers alone. */
static void made(void)
{
  for (int i = 0; i < ENDS; i++) {
    const int64_t n = ends[i];
    TRY(hed_fftfreq(n, 1, HED_FLOAT32));
    TRY(hed_rfftfreq(n, 1, HED_FLOAT32));
    TRY(hed_linspace(0, 1, n, HED_FLOAT32));
    TRY(hed_geomspace(1, 2, n, HED_FLOAT64));
    TRY(hed_identity(n, HED_FLOAT32));
    TRY(hed_random_permutation(n, NULL));
    TRY(hed_create_duty_cycle(n, 0.5, HED_FLOAT32));
    for (int j = 0; j < ENDS; j++) {
      const int64_t m = ends[j];
      TRY(hed_eye(n, 3, m, HED_FLOAT32));
      TRY(hed_eye(3, n, m, HED_FLOAT32));
      TRY(hed_tri(3, n, m, HED_FLOAT32));
      TRY(hed_empty(HED_SHAPE(n, m), HED_FLOAT64));
      TRY(hed_zeros(HED_SHAPE(0, n, m), HED_COMPLEX128));
      TRY(hed_random_uniform(HED_SHAPE(n, m), HED_FLOAT32, NULL));
      TRY(hed_random_integers(HED_SHAPE(3), n, m, HED_INT64, NULL));
      TRY(hed_random_choice(n, HED_SHAPE(m), NULL, true, NULL));
      TRY(hed_generate_blocky_sin(n, m, HED_FLOAT32));
      TRY(hed_indices(HED_SHAPE(n, m), HED_INT64));
      TRY(hed_mask_box(HED_SHAPE(4, 4), HED_SHAPE(n, m), HED_FLOAT32, NULL));
      for (int k = 0; k < ENDS; k++)
        TRY(hed_arange_int(n, m, ends[k], HED_INT64));
    }
  }
}

static void extremes(const char *backend)
{
  static const hed_shape shapes[] = { { 2, { 3, 4 } }, { 1, { 5 } }, { 0, { 0 } }, { 3, { 2, 3, 4 } }, { 2, { 0, 3 } },
                                      { 3, { 0, INT32_MAX, 1 << 29 } }, { 2, { (int64_t)1 << 58, 0 } },
                                      { 3, { 1 << 20, 0, (int64_t)1 << 38 } } };
  calls = silent = 0;
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
    hed_array *x = hed_zeros(shapes[k], HED_INT64), *f = hed_zeros(shapes[k], HED_FLOAT32);
    if (!x || !f) {
      fail("shape %d: %s", (int)k, hed_error_text());
      continue;
    }
    views(x);
    results(x);
    results(f);
    RELEASE(x, f);
  }
  hed_array *one = hed_ones(HED_SHAPE(1, 1), HED_FLOAT32), *wide = hed_broadcast_to(one, HED_SHAPE(1 << 30, 1 << 29));
  ok(wide != NULL, "%s: more elements than memory", backend);
  views(wide);
  RELEASE(wide, one);
  made();
  ok(calls > 10000 && silent == 0, "%s: %d calls with extreme arguments succeed or say why", backend, calls);
}

int main(void)
{
  layouts();
  tensors();
  static const char *const backends[] = { "reference", "cpu" };
  for (int k = 0; k < 2; k++) {
    char spec[64];
    snprintf(spec, sizeof spec, "%s;memory=64M", backends[k]);
    api_in(backends[k], spec, axes);
    api_in(backends[k], spec, extremes);
  }
  return done();
}
