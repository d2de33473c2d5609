// SPDX-License-Identifier: BSD-3-Clause
/* The runtime, elementwise operations and those without a file of their own, with every allocation failing in turn: see
 * fault.h. L5.
 */
#include "fault.h"
#include <stdatomic.h>

/* Operations of integers only get integers: x and y are exchanged for the call. */
static hed_array *floats[2], *integers[2];
static hed_array *x, *y, *square, *index_array, *condition, *spectrum, *volume,
  *drawn, *drawn_mask, *index_row; /* operands, made once */
static hed_context *context;
static hed_snapshot *snapshot;
static char path[64];

/* ---- operations: every row of the list ---- */

#define HED_UNARY(ID, name, domain, result_, cost, doc) static result do_##name(void) { return given(hed_##name(x)); }
#define HED_BINARY(ID, name, domain, result_, cost, doc) \
  static result do_##name(void) { return given(hed_##name(x, y)); } \
  static result do_##name##_scalar(void) { return given(hed_##name##_scalar(x, 2)); } \
  static result do_scalar_##name(void) { return given(hed_scalar_##name(2, x)); }
#define HED_REDUCE(ID, name, domain, result_, doc) \
  static result do_##name(void) { return given(hed_##name(x, &(hed_reduce){ .axes = HED_AXES(0) })); }
#include <heddle/ops.def>

/* Integers for the operations that take nothing else. */
static result do_where(void) { return given(hed_where(condition, x, y)); }
static result do_clip(void) { return given(hed_clip(x, 0, 1)); }
static result do_zeros(void) { return given(hed_zeros(HED_SHAPE(3, 4), HED_FLOAT32)); }
static result do_ones_like(void) { return given(hed_ones_like(x)); }
static result do_arange(void) { return given(hed_arange(0, 9, 1, HED_INT32)); }
static result do_linspace(void) { return given(hed_linspace(0, 1, 7, HED_FLOAT64)); }
static result do_eye(void) { return given(hed_eye(3, 4, 1, HED_FLOAT32)); }
static result do_astype(void) { return given(hed_astype(x, HED_INT16)); }
static result do_copy(void) { return given(hed_copy(x)); }
static result do_reshape(void) { return given(hed_reshape(x, HED_SHAPE(4, 3))); }
static result do_reshape_copy(void)
{
  hed_array *t = hed_transpose(x, NULL), *r = hed_reshape(t, HED_SHAPE(12));
  hed_release(t);
  return given(r);
}
static result do_transpose(void) { return given(hed_transpose(x, NULL)); }
static result do_moveaxis(void) { return given(hed_moveaxis(x, 0, 1)); }
static result do_expand(void) { return given(hed_expand_dims(x, 1)); }
static result do_squeeze(void) { return given(hed_squeeze(x, NULL)); }
static result do_broadcast(void) { return given(hed_broadcast_to(x, HED_SHAPE(2, 3, 4))); }
static result do_flip(void) { return given(hed_flip(x, NULL)); }
static result do_slice(void) { return given(hed_slice(x, 1, (hed_slice_range[]){ HED_RANGE(0, 3, 2) })); }
static result do_index(void) { return given(hed_index(x, 0, -1)); }
static result do_diagonal(void) { return given(hed_diagonal(square, 0, 0, 1)); }
static result do_concatenate(void) { return given(hed_concatenate(2, (const hed_array *const[]){ x, y }, 0)); }
static result do_stack(void) { return given(hed_stack(2, (const hed_array *const[]){ x, y }, 0)); }
static result do_roll(void) { return given(hed_roll(x, &HED_AXES(1), &HED_AXES(0))); }
static result do_pad(void) { return given(hed_pad(x, HED_SHAPE(1, 1), HED_SHAPE(0, 2), 7)); }
static result do_topleft(void) { return given(hed_topleft_pad(x, HED_SHAPE(5, 2), 0)); }
static result do_center(void) { return given(hed_extract_center(x, HED_SHAPE(1, 2))); }
static result do_nonzero(void) { return given(hed_nonzero(x)); }
static result do_take(void) { return given(hed_take(x, index_array, 0)); }
static result do_sort(void) { return given(hed_sort(x, NULL)); }
static result do_argsort(void) { return given(hed_argsort(x, NULL)); }
static result do_topk(void)
{
  hed_array *v = NULL, *i = NULL;
  hed_status s = hed_topk(x, 2, NULL, &v, &i);
  if (s != HED_OK && (v || i))
    fail("topk: results with an error");
  hed_release(v);
  hed_release(i);
  return status(s);
}
static result do_matmul(void) { return given(hed_matmul(square, square)); }
static result do_tensordot(void) { return given(hed_tensordot(square, square, &HED_AXES(0), &HED_AXES(1))); }
static result do_einsum(void) { return given(hed_einsum("ij,jk->ik", 2, (const hed_array *const[]){ square, square })); }
static result do_svd(void)
{
  hed_array *u = NULL, *s = NULL, *vh = NULL;
  hed_status status_ = hed_svd(square, false, &u, &s, &vh);
  if (status_ != HED_OK && (u || s || vh))
    fail("svd: results with an error");
  hed_release(u);
  hed_release(s);
  hed_release(vh);
  return status(status_);
}
static result do_fftn(void) { return given(hed_fftn(x, NULL)); }
static result do_ifftn(void) { return given(hed_ifftn(x, NULL)); }
static result do_rfftn(void) { return given(hed_rfftn(x, &(hed_fft){ .s = HED_SHAPE(5, 6) })); }
static result do_irfftn(void) { return given(hed_irfftn(spectrum, NULL)); }
static result do_fft1_into(void) { return status(hed_fft1_into(spectrum, spectrum, NULL)); }
static result do_irfft1(void) { return given(hed_irfft1(spectrum, NULL)); }
static result do_hfft1(void) { return given(hed_hfft1(spectrum, NULL)); }
static result do_ihfftn(void) { return given(hed_ihfftn(x, NULL)); }
static result do_hilbert(void) { return given(hed_hilbert(x, NULL)); }
static result do_fftshift(void) { return given(hed_fftshift(x, NULL)); }
static result do_fftfreq(void) { return given(hed_fftfreq(5, 1, HED_FLOAT32)); }
static result do_fftfreqn(void) { return given(hed_fftfreqn(HED_SHAPE(3, 4), NULL, HED_FLOAT32)); }
static result do_fftfreqn_sparse(void)
{
  hed_array *axes[2] = { NULL, NULL };
  hed_status s = hed_fftfreqn_sparse(HED_SHAPE(3, 4), NULL, HED_FLOAT32, axes);
  hed_release(axes[0]);
  hed_release(axes[1]);
  return status(s);
}
static result do_fft_plan(void)
{
  hed_fft_plan *f = NULL, *i = NULL;
  hed_status s = hed_build_fft(HED_SHAPE(3, 4), HED_FLOAT32, NULL, &f, &i);
  if (s != HED_OK && (f || i))
    fail("build_fft: results with an error");
  if (s == HED_OK) {
    hed_array *half = hed_fft_plan_run(f, x);
    s = half ? HED_OK : hed_error();
    hed_release(half);
  }
  hed_fft_plan_release(f);
  hed_fft_plan_release(i);
  return status(s);
}
static result do_scramble(void) { return given(hed_scramble_phases(x, 1, &(hed_random){ .seeded = true })); }
static result do_oversample(void)
{
  hed_array *peaks = hed_reshape(x, HED_SHAPE(6, 2)), *fine = hed_oversample_peaks(x, peaks, 2);
  hed_release(peaks);
  return given(fine);
}
static result do_convolve(void) { return given(hed_convolve(x, y, HED_CONVOLVE_SAME)); }
static result do_fftcorrelate(void) { return given(hed_fftcorrelate(x, y, HED_CONVOLVE_FULL)); }
static result do_circular(void) { return given(hed_circular_correlate(x, y)); }
static result do_convolution_mode(void)
{
  return given(hed_apply_convolution_mode(x, HED_CONVOLVE_SAME, HED_SHAPE(2, 2), HED_SHAPE(2, 2), NULL, true));
}
static result do_uniform(void) { return given(hed_random_uniform(HED_SHAPE(5), HED_FLOAT32, &(hed_random){ .seeded = true })); }
static result do_normal(void) { return given(hed_random_normal(HED_SHAPE(5), HED_FLOAT32, &(hed_random){ .seeded = true })); }
static result do_integers(void)
{
  return given(hed_random_integers(HED_SHAPE(5), 0, 9, HED_INT32, &(hed_random){ .seeded = true }));
}
static result do_bits(void) { return given(hed_random_bits(HED_SHAPE(5), HED_UINT32, &(hed_random){ .seeded = true })); }
static const hed_random fixed_seed = { .seed = 1, .seeded = true };
static result do_uniform_into(void) { return status(hed_random_uniform_into(drawn, &fixed_seed)); }
static result do_bernoulli(void) { return given(hed_random_bernoulli(HED_SHAPE(5), 0.5, HED_BOOL, &fixed_seed)); }
static result do_truncated(void) { return given(hed_random_truncated_normal(HED_SHAPE(5), 0, 1, HED_FLOAT32, &fixed_seed)); }
static result do_phasor_diagonal(void)
{
  return given(hed_random_phasor_diagonal(HED_SHAPE(2, 3), HED_COMPLEX64, &fixed_seed));
}
static result do_draw_gamma(void) { return given(hed_random_gamma(square, square, NULL, HED_FLOAT32, &fixed_seed)); }
static result do_categorical(void) { return given(hed_random_categorical(square, 4, HED_INT32, &fixed_seed)); }
static result do_haar(void) { return given(hed_random_haar(HED_SHAPE(3, 3), HED_FLOAT32, &fixed_seed)); }
static result do_choice(void)
{
  return given(hed_random_choice(2, HED_SHAPE(4), index_array, true, &fixed_seed));
}
static result do_choice_distinct(void)
{
  return given(hed_random_choice(2, HED_SHAPE(1), index_array, false, &fixed_seed));
}
static result do_permutation(void) { return given(hed_random_permutation(5, &fixed_seed)); }
static result do_shuffle(void) { return given(hed_random_shuffle(x, 1, &fixed_seed)); }
static result do_laplace(void) { return given(hed_laplace(x, NULL)); }
static result do_gradient(void) { return given(hed_gradient_magnitude(x, NULL)); }
static result do_gaussian(void)
{
  static const double sigma = 1;
  return given(hed_gaussian_filter(x, 1, &sigma, NULL));
}
static result do_uniform_filter(void) { return given(hed_uniform_filter(x, 3, NULL)); }
static result do_minimum_filter(void) { return given(hed_minimum_filter(x, 3, NULL)); }
static result do_median_filter(void) { return given(hed_median_filter(x, 3, NULL)); }
static result do_spline_filter(void) { return given(hed_spline_filter(x, NULL, 0)); }
static result do_map_coordinates(void) { return given(hed_map_coordinates(index_array, index_row, NULL)); }
static result do_zoom(void) { return given(hed_zoom(x, HED_SHAPE(5, 2), NULL)); }
static result do_center_of_mass(void) { return given(hed_center_of_mass(x, 0)); }
static result do_normalize(void) { return status(hed_normalize_template(drawn, drawn_mask, 0, NULL)); }
static result do_mask(void)
{
  static const double radii[2] = { 1, 2 };
  return given(hed_mask_ellipse(HED_SHAPE(4, 4), radii, HED_FLOAT32, NULL));
}
static result do_maximum_filter(void) { return given(hed_maximum_filter(x, 3, 0)); }
static result do_peaks(void) { return given(hed_max_filter_coordinates(x, 2, NULL)); }
static result do_norm_scores(void) { return given(hed_norm_scores(x, y, y, 4, 1e-6)); }
static result do_rigid(void)
{
  static const double turn[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  hed_array *out = NULL, *mask = NULL;
  hed_status s = hed_rigid_transform(volume, volume, turn, NULL, &out, &mask);
  hed_release(out);
  hed_release(mask);
  return status(s);
}
static result do_from_host(void)
{
  static const float data[4] = { 1, 2, 3, 4 };
  return given(hed_from_host(data, HED_SHAPE(4), HED_FLOAT32));
}
static result do_scalar(void) { return given(hed_scalar(3)); }
static result do_to(void) { return given(hed_to(x, "reference;threads=2")); }

static int done_calls;
static void done_with(void *arg) { done_calls += arg != NULL; }
static result do_wrap(void)
{
  static float data[4];
  int before = done_calls;
  hed_array *w = hed_wrap(data, HED_SHAPE(4), NULL, HED_FLOAT32, done_with, data);
  if (!w && done_calls != before)
    fail("wrap: done was called although wrapping failed");
  return given(w);
}

/* ---- the runtime ---- */

static result do_derive(void)
{
  hed_context *c = NULL;
  hed_status s = hed_context_derive(NULL, "reference;threads=2;memory=1M", &c);
  hed_context_release(c);
  return status(s);
}
static result do_push(void)
{
  char spec[64]; /* a new one each time: a known one is not derived again */
  static int n;
  hed_frame f;
  snprintf(spec, sizeof spec, "reference;threads=%d;memory=1M", 1 + n++ % 4000);
  hed_status s = hed_backend_context_push(spec, &f);
  return s == HED_OK ? status(hed_context_pop(f)) : FAILED;
}
static result do_push_context(void)
{
  hed_frame f;
  return hed_context_push(context, &f) == HED_OK ? status(hed_context_pop(f)) : FAILED;
}
static result do_push_stream(void)
{
  static hed_generator g;
  hed_frame f;
  return hed_context_push_stream(context, &g, &f) == HED_OK ? status(hed_context_pop(f)) : FAILED;
}
static result do_context_set(void) { return status(hed_context_set(context, NULL)); }
static result do_set(void) { return status(hed_set_backend("reference;memory=2M")); }
static result do_set_memory(void) { return status(hed_set_available_memory(2 << 20)); }
static result do_memory_query(void)
{
  hed_memory_info i = { .struct_size = sizeof i };
  return status(hed_memory_query("reference", &i));
}
static result do_meter(void)
{
  hed_memory_meter m;
  hed_status s = hed_memory_meter_begin("reference", &m);
  hed_memory_meter_end(&m);
  return status(s);
}
static result do_synchronize(void) { return status(hed_synchronize("reference")); }
static result do_set_device(void) { return status(hed_set_device(0)); }
static result do_device_push(void)
{
  hed_frame f;
  return hed_device_push(0, &f) == HED_OK ? status(hed_context_pop(f)) : FAILED;
}
static result do_device_supports(void) { return hed_device_supports("reference", "complex") == 1 ? DONE : FAILED; }
static result do_set_default(void) { return status(hed_set_default_backend("reference;threads=1")); }
static result do_capture(void)
{
  hed_snapshot *s = NULL;
  hed_status st = hed_capture(&s);
  hed_snapshot_release(s);
  return status(st);
}
static result do_adopt(void)
{
  hed_frame f;
  return hed_adopt(snapshot, 1, &f) == HED_OK ? status(hed_context_unwind(f)) : FAILED;
}
static result do_scope(void)
{
  hed_scope s;
  if (hed_scope_begin(&s) != HED_OK)
    return FAILED;
  hed_array *a = hed_add(x, y);
  hed_scope_end(&s);
  return a ? DONE : FAILED;
}
static atomic_int ran;
static void *run(void *arg)
{
  atomic_fetch_add(&ran, here() == 1);
  return arg;
}
static result do_thread(void)
{
  pthread_t t;
  int before = atomic_load(&ran);
  if (hed_thread_create(&t, NULL, run, NULL) != 0) {
    hed_fail(HED_E_NOMEM, "thread_create: no child");
    return FAILED;
  }
  pthread_join(t, NULL);
  if (atomic_load(&ran) != before + 1)
    fail("a child without its creator's context");
  return DONE;
}
static result do_require(void) { return status(hed_backend_require("reference")); }
static result do_query(void)
{
  hed_backend_info i = { .struct_size = sizeof i };
  return status(hed_backend_query("reference", &i));
}
static result do_save(void) { return status(hed_save_npy(path, x)); }
static result do_load(void) { return given(hed_load_npy(path)); }

static const entry entries[] = {
#define HED_UNARY(ID, name, domain, result_, cost, doc) { #name, do_##name },
#define HED_BINARY(ID, name, domain, result_, cost, doc) { #name, do_##name }, { #name "_scalar", do_##name##_scalar }, \
  { "scalar_" #name, do_scalar_##name },
#define HED_REDUCE(ID, name, domain, result_, doc) { #name, do_##name },
#include <heddle/ops.def>
#define E(f) { #f, do_##f }
  E(where), E(clip), E(zeros), E(ones_like), E(arange), E(linspace), E(eye), E(astype), E(copy), E(reshape),
  E(reshape_copy), E(transpose), E(moveaxis), E(expand), E(squeeze), E(broadcast), E(flip), E(slice), E(index),
  E(diagonal), E(concatenate), E(stack), E(roll), E(pad), E(topleft), E(center), E(nonzero), E(take), E(sort),
  E(argsort), E(topk), E(matmul), E(tensordot), E(einsum), E(svd), E(fftn), E(ifftn), E(rfftn), E(irfftn),
  E(fft1_into), E(irfft1), E(hfft1), E(ihfftn), E(hilbert), E(fftshift), E(fftfreq), E(fftfreqn), E(fftfreqn_sparse),
  E(fft_plan), E(convolve), E(fftcorrelate), E(circular), E(convolution_mode),
  E(scramble), E(oversample), E(uniform),
  E(normal), E(integers), E(bits), E(maximum_filter), E(peaks), E(norm_scores), E(rigid), E(from_host), E(scalar), E(to),
  E(uniform_into), E(bernoulli), E(truncated), E(phasor_diagonal), E(draw_gamma), E(categorical), E(haar), E(choice),
  E(choice_distinct), E(permutation), E(shuffle),
  E(wrap), E(derive), E(push), E(push_context), E(push_stream), E(context_set), E(set), E(set_memory), E(memory_query), E(meter),
  E(synchronize), E(set_device), E(device_push), E(device_supports), E(set_default), E(capture), E(adopt), E(scope), E(thread),
  E(laplace), E(gradient), E(gaussian), E(uniform_filter), E(minimum_filter), E(median_filter), E(spline_filter),
  E(map_coordinates), E(zoom), E(center_of_mass), E(normalize), E(mask),
  E(require), E(query), E(save), E(load),
#undef E
};


static void use_integers(bool yes)
{
  x = yes ? integers[0] : floats[0];
  y = yes ? integers[1] : floats[1];
}

int main(void)
{
  static const float data[12] = { 3, 1, 2, 0, 5, 4, 9, 7, 8, 6, 1, 2 };
  static const int64_t indices[2] = { 0, 2 };
  const char *tmp = getenv("TMPDIR");
  if (hed_set_default_backend("reference;threads=1") != HED_OK)
    bail("set_default: %s", hed_error_text());
  snprintf(path, sizeof path, "%s/heddle-alloc-%d.npy", tmp && strlen(tmp) < 30 ? tmp : "/tmp", (int)getpid());
  floats[0] = hed_from_host(data, HED_SHAPE(3, 4), HED_FLOAT32);
  floats[1] = hed_add_scalar(floats[0], 1);
  integers[0] = hed_astype(floats[0], HED_INT32);
  integers[1] = hed_astype(floats[1], HED_INT32);
  square = hed_slice(floats[0], 2, (hed_slice_range[]){ HED_ALL, HED_RANGE(0, 3, 1) });
  index_array = hed_from_host(indices, HED_SHAPE(2), HED_INT64);
  condition = hed_greater_scalar(floats[0], 3);
  spectrum = hed_rfftn(floats[0], NULL);
  volume = hed_ones(HED_SHAPE(4, 4, 4), HED_FLOAT32);
  drawn = hed_arange(0, 5, 1, HED_FLOAT32);
  drawn_mask = hed_ones(HED_SHAPE(5), HED_FLOAT32);
  index_row = hed_expand_dims(index_array, 0);
  if (!drawn || !drawn_mask || !index_row || !square || !index_array || !condition || !spectrum || !volume ||
      hed_capture(&snapshot) != HED_OK ||
      hed_context_derive(NULL, ";threads=1", &context) != HED_OK || hed_save_npy(path, floats[0]) != HED_OK)
    bail("setting up: %s", hed_error_text());
  for (size_t k = 0; k < sizeof entries / sizeof entries[0]; k++)
    storm(&entries[k], use_integers);
  unlink(path);
  hed_snapshot_release(snapshot);
  hed_context_release(context);
  return done();
}
