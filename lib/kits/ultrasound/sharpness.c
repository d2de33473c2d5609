// SPDX-License-Identifier: BSD-3-Clause
/* Gradients of images.
 *
 * Layer: L4, ultrasound kit.
 */
#include "kits/ultrasound/ultrasound_internal.h"
#include "kits/member.h"
#include <stdlib.h>

static const char op[] = "us_tenengrad";

/* Real x * K of two axes, by rows of the kernel; a row that is another one times a number is filtered once. */
typedef struct kernel {
  int64_t height, width;
  double *v; /* rows, as they stand in the convolution: turned by half a turn for correlation */
} kernel;

static hed_status kernel_read(const hed_array *given, kernel *k)
{
  static const double sobel[9] = { -1, 0, 1, -2, 0, 2, -1, 0, 1 };
  const hed_shape s = given ? hed_array_shape(given) : HED_SHAPE(3, 3);
  hed_status status = HED_OK;
  hed__us_work w;
  *k = (kernel){ .height = s.dim[0], .width = s.dim[1] };
  if (s.ndim != 2)
    return hed_fail(HED_E_SHAPE, "%s: kernel has %d axes; two are expected", op, (int)s.ndim);
  if (s.dim[0] % 2 == 0 || s.dim[1] % 2 == 0 || s.dim[0] > 4096 || s.dim[1] > 4096)
    return hed_fail(HED_E_INVAL, "%s: kernel is %lld x %lld; both must be odd and below 4096", op, (long long)s.dim[0],
                    (long long)s.dim[1]);
  if (given && hed__us_is_complex(given))
    return hed_fail(HED_E_DTYPE, "%s: kernel is %s; it must be real", op, hed_dtype_name(hed_array_dtype(given)));
  const size_t n = (size_t)(s.dim[0] * s.dim[1]);
  if (!(k->v = malloc(n * sizeof *k->v)))
    return hed_fail(HED_E_NOMEM, "%s: no memory for a kernel of %zu", op, n);
  if (!given)
    for (size_t i = 0; i < n; i++)
      k->v[i] = sobel[i];
  else if (hed__us_begin(&w, "kernel", false)) {
    status = hed_tolist(hed_ravel(hed_flip(given, NULL)), k->v, (int64_t)n);
    hed__us_end(&w);
  } else
    status = hed_error();
  return status;
}

/* ROW is FACTOR times FIRST. */
static bool is_multiple(const double *row, const double *first, int64_t n, double *factor)
{
  int64_t at = 0;
  while (at < n && first[at] == 0)
    at++;
  if (at == n)
    return false;
  *factor = row[at] / first[at];
  for (int64_t i = 0; i < n; i++)
    if (row[i] != *factor * first[i])
      return false;
  return true;
}

/* Correlation of X along its last two axes, AXIS of them along the kernel's rows. */
static hed_array *filtered(const hed_array *x, const kernel *k, int32_t along, int32_t across, bool reflect)
{
  const hed_filter opt = { .boundary = reflect ? HED_BOUNDARY_REFLECT : HED_BOUNDARY_CONSTANT };
  const hed_dtype t = hed_array_dtype(x);
  double *column = calloc((size_t)k->height, sizeof *column);
  hed_array *out = NULL;
  bool ok = column != NULL, done = false;
  if (!ok)
    (void)hed_fail(HED_E_NOMEM, "%s: no memory for a kernel of %lld rows", op, (long long)k->height);
  for (int64_t i = 0; i < k->height && ok && !done; i++) {
    const double *row = k->v + i * k->width;
    bool all = true;
    for (int64_t j = 0; j < k->height; j++) {
      column[j] = j == i;
      if (i == 0)
        all = is_multiple(k->v + j * k->width, row, k->width, &column[j]) && all;
    }
    done = i == 0 && all;
    if (i == 0 && !all)
      for (int64_t j = 0; j < k->height; j++)
        column[j] = j == 0;
    hed_array *down = hed_from_doubles(column, HED_SHAPE(k->height), t), *right = hed_from_doubles(row, HED_SHAPE(k->width), t);
    hed_array *part = hed_correlate1d(hed_correlate1d(x, right, along, &opt), down, across, &opt);
    out = out ? hed_add(out, part) : part;
    ok = out != NULL;
  }
  free(column);
  return ok ? out : NULL;
}

/* |x * K|^2, or |x * K| where that is all there is to it. */
static hed_array *response(const hed_array *x, const kernel *k, bool transposed, bool reflect, bool squared)
{
  const int32_t along = transposed ? -2 : -1, across = transposed ? -1 : -2;
  const int32_t ndim = hed_array_ndim(x);
  if (!hed__us_is_complex(x)) {
    hed_array *f = filtered(x, k, along + ndim, across + ndim, reflect);
    return squared ? hed_square(f) : hed_abs(f);
  }
  hed_array *re = filtered(hed_real(x), k, along + ndim, across + ndim, reflect);
  hed_array *im = filtered(hed_imag(x), k, along + ndim, across + ndim, reflect);
  return squared ? hed_add(hed_square(re), hed_square(im)) : hed_hypot(re, im);
}

static hed_array *reduced(hed_array *map, const hed_us_sharpness *o)
{
  const int32_t n = hed_array_ndim(map);
  const hed_axes image = HED_AXES(n - 2, n - 1);
  const hed_reduce over = { .axes = image };
  const hed_shape s = hed_array_shape(map);
  int64_t count = s.dim[n - 2] * s.dim[n - 1];
  if (o->roi && hed_item_int(hed_count_nonzero(o->roi, NULL), &count) != HED_OK)
    return NULL;
  if (count == 0) {
    (void)hed_fail(HED_E_INVAL, "%s: %s has no elements", op, o->roi ? "roi" : "image");
    return NULL;
  }
  hed_array *in = o->roi ? hed_where_scalar(o->roi, map, 0) : map;
  if (o->reduce == HED_US_NONE)
    return in;
  hed_array *sum = hed_sum(in, &over);
  return o->reduce == HED_US_MEAN ? hed_divide_scalar(sum, (double)count) : sum;
}

static hed_array *tenengrad(const hed_array *image, const hed_us_sharpness *o, const kernel *k)
{
  const hed_array *x = hed__us_float(image);
  hed_array *g = !x ? NULL : response(x, k, false, o->reflect, o->both);
  if (g && o->both)
    g = hed_sqrt(hed_add(g, response(x, k, true, o->reflect, true)));
  return g ? reduced(g, o) : NULL;
}

hed_array *hed_us_tenengrad(const hed_array *image, const hed_us_sharpness *opt)
{
  const hed_us_sharpness o = opt ? *opt : (hed_us_sharpness){ 0 };
  const int32_t n = hed_array_ndim(image);
  hed_array *kept = NULL;
  kernel k = { 0 };
  hed__us_work w;
  if (!hed__operand_given(op, "image", image))
    return NULL;
  if (n < 2)
    (void)hed_fail(HED_E_SHAPE, "%s: image has %d axes; at least two are needed", op, (int)n);
  else if (hed__expect_member(op, "reduce", (int)o.reduce, HED_US_SUM, HED_US_NONE, "hed_us_reduce") == HED_OK &&
           (!o.roi || hed__us_mask_fits(op, "roi", o.roi, image, &HED_AXES(n - 2, n - 1))) && kernel_read(o.kernel, &k) == HED_OK &&
           hed__us_begin(&w, op, true)) {
    kept = hed_keep(tenengrad(image, &o, &k));
    hed__us_end(&w);
  }
  free(k.v);
  return hed__us_hand_on(kept, hed__us_result_dtype(image));
}
