// SPDX-License-Identifier: BSD-3-Clause
/* Operations on arrays in a memory space of its own, that of the faulty test device, which has few kernels: whatever the
 * way they take, results stay in that space, agree with the host's, and operands are never moved in secret.
 */
#include "api.h"

static hed_array *h, *d, *hi, *di;
static const double turn[4] = { 0, -1, 1, 0 };

static hed_array *rigid(const hed_array *x)
{
  hed_array *out = NULL;
  hed_rigid_transform(x, NULL, turn, &(hed_rigid){ .spline = HED_SPLINE_LINEAR }, &out, NULL);
  return out;
}

/* 0, 1, 2, 3 in every row, where X lives. */
static hed_array *x_places(const hed_array *x)
{
  hed_array *n = hed_mod(x, hed_scalar_int(4)), *p = hed_astype(n, HED_INT32);
  hed_release(n);
  return p;
}

static hed_array *written(const hed_array *x, const hed_array *i)
{
  hed_array *y = hed_copy(x), *value = hed_index(x, 0, 1), *part = hed_slice(value, 1, (hed_slice_range[]){ HED_RANGE(0, 3, 1) });
  hed_status status = HED_ACCUMULATE(y, HED_SCATTER_ADD, part, HED_AT(0), HED_IDX(i));
  if (status == HED_OK)
    status = HED_SET(y, value, HED_IDX(i));
  RELEASE(value, part);
  if (status == HED_OK)
    return y;
  hed_release(y);
  return NULL;
}

/* The same expression over host and device arrays. */
#define CASES(X)                                                                                                   \
  X(hed_add(x, x)) X(hed_add_scalar(x, 2)) X(hed_scalar_divide(1, x)) X(hed_less_scalar(x, 5)) X(hed_sin(x))       \
  X(hed_where(x, x, x)) X(hed_clip(x, 1, 3)) X(hed_sum(x, NULL)) X(hed_mean(x, &(hed_reduce){ .axes = HED_AXES(0) })) \
  X(hed_argmax(x, NULL)) X(hed_astype(x, HED_INT8)) X(hed_copy(x)) X(hed_transpose(x, NULL))                       \
  X(hed_reshape(x, HED_SHAPE(2, 8))) X(hed_roll(x, &HED_AXES(3), NULL)) X(hed_nonzero(x))                          \
  X(hed_concatenate(2, (const hed_array *[]){ x, x }, 1)) X(hed_stack(2, (const hed_array *[]){ x, x }, 0))        \
  X(hed_pad(x, HED_SHAPE(1, 0), HED_SHAPE(0, 2), 7)) X(hed_topleft_pad(x, HED_SHAPE(2, 6), 1)) X(hed_take(x, i, 1)) \
  X(hed_sort(x, NULL)) X(hed_argsort(x, NULL)) X(hed_matmul(x, x)) X(hed_tensordot(x, x, &HED_AXES(0), &HED_AXES(0))) \
  X(hed_einsum("ij,kj->ki", 2, (const hed_array *[]){ x, x })) X(hed_rfftn(x, NULL)) X(rigid(x))                   \
  X(hed_maximum_filter(x, 3, 0)) X(hed_max_filter_coordinates(x, 3, &(hed_peaks){ .exclude_plateaus = true }))     \
  X(hed_hfft1(x, NULL)) X(hed_ihfft2(x, NULL)) X(hed_hilbert(x, NULL)) X(hed_ifftshift(x, NULL))                 \
  X(hed_convolve2d(x, x, 1)) X(hed_fftcorrelate(x, x, 1)) X(hed_circular_convolve(x, x))                          \
  X(hed_norm_scores(x, x, x, 4, 1e-3)) X(hed_zeros_like(x))                                                       \
  X(HED_GET(x, HED_IDX(i), HED_WHOLE)) X(HED_GET(x, HED_MASK(hed_greater_scalar(x, 5)))) X(written(x, i))          \
  X(hed_take_along_axis(x, x_places(x), 1)) X(hed_repeat(x, 2, NULL)) X(hed_tile(x, HED_SHAPE(2, 1)))              \
  X(hed_pad_with(x, HED_SHAPE(1, 2), HED_SHAPE(0, 5), HED_PAD_REFLECT, 0)) X(hed_tril(x, 0)) X(hed_diag(x, 1))     \
  X(hed_unfold(x, 1)) X(hed_flatnonzero(x)) X(hed_masked_fill(x, x, 3)) X(hed_scatter_max(x, hed_index(x_places(x), 0, 0), 5, 0))

static void compare(hed_array *far, hed_array *near, const char *name)
{
  static double a[API_MAX], b[API_MAX];
  hed_array *back = hed_to(far, "reference");
  int64_t n = api_values(back, a), m = api_values(near, b);
  bool same = far && n == m && hed_array_dtype(far) == hed_array_dtype(near);
  for (int64_t k = 0; k < n && same; k++)
    same = a[k] == b[k] || (a[k] - b[k] < 1e-5 && b[k] - a[k] < 1e-5) || (a[k] != a[k] && b[k] != b[k]);
  ok(same, "%s: as on the host (%s)", name, hed_error_text());
  RELEASE(back, far, near);
}

static void mixing(void)
{
  hed_array *out = hed_copy(h);
  API_NULL(hed_add(d, h), HED_E_MISMATCH, "add: operands live in faulty:0 and in host");
  API_NULL(hed_take(d, hi, 0), HED_E_MISMATCH, "take: operands live in faulty:0 and in host");
  API_NULL(hed_concatenate(2, (const hed_array *[]){ d, h }, 0), HED_E_MISMATCH, "concatenate: operands live in");
  API_FAIL(hed_add_into(out, d, d), HED_E_MISMATCH, "add: operands live in faulty:0 and in host");
  API_FAIL(hed_copy_into(d, h), HED_E_MISMATCH, "operands live in host and in faulty:0");
  HED_BACKEND_CONTEXT("reference;mix=strict")
    API_NULL(hed_einsum("ij->ji", 1, (const hed_array *[]){ d }), HED_E_MISMATCH, "mix=strict");
  HED_BACKEND_CONTEXT("reference;mix=copy") {
    hed_array *sum = hed_add(d, h);
    is_str(hed_array_space(sum), "host", "mix=copy brings operands to the context");
    hed_release(sum);
    is_int(hed_add_into(out, d, h), HED_OK, "into an array that is there");
    API_FAIL(hed_add_into(d, h, h), HED_E_MISMATCH, "add: out is not in host, where the operation runs");
  }
  hed_release(out);
}

int main(void)
{
  if (hed_backend_require("faulty") != HED_OK)
    skip_all("%s", hed_error_text());
  HED_BACKEND_CONTEXT("reference") {
    h = api_iota(HED_SHAPE(4, 4), HED_FLOAT32);
    hi = API_VECTOR(HED_INT32, 3, 0, -2);
    d = hed_to(h, "faulty");
    di = hed_to(hi, "faulty");
    if (!d || !di)
      bail("no arrays on the device: %s", hed_error_text());
    const hed_array *x, *i;
#define COMPARE(call)                                                                             \
  HED_SCOPE {                                                                                     \
    hed_error_clear();                                                                            \
    x = d, i = di;                                                                                \
    hed_array *far = call;                                                                        \
    is_str(hed_array_space(far) ? hed_array_space(far) : "nowhere", "faulty:0", "%s stays", #call); \
    x = h, i = hi;                                                                                \
    compare(far, call, #call);                                                                    \
    (void)i;                                                                                      \
  }
    CASES(COMPARE)
    mixing();
    RELEASE(h, hi, d, di);
  }
  hed_stats stats = { .struct_size = sizeof stats };
  hed_stats_get(&stats);
  is_int((int64_t)stats.arrays_live, 0, "no array is left");
  done_testing();
  return done();
}
