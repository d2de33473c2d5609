// SPDX-License-Identifier: BSD-3-Clause
/* See common.h.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/common.h"
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_complex(hed_dtype t) { return hed_dtype_kind(t) == HED_KIND_COMPLEX; }

hed_array *hed__tensor_same(const hed_array *x) { return x ? hed_astype(x, hed_array_dtype(x)) : NULL; }

hed_array *hed__tensor_given(hed_array *kept)
{
  hed_array *out = hed__tensor_same(kept);
  hed_release(kept);
  return out;
}

hed_dtype hed__tensor_wide(hed_dtype t)
{
  const hed_dtype wide = is_complex(t) ? HED_COMPLEX128 : HED_FLOAT64;
  return hed_device_supports(NULL, hed_dtype_name(wide)) == 1 ? wide : is_complex(t) ? HED_COMPLEX64 : HED_FLOAT32;
}

double hed__tensor_epsilon(hed_dtype t) { return t == HED_FLOAT64 || t == HED_COMPLEX128 ? DBL_EPSILON : FLT_EPSILON; }

hed_array *hed__tensor_conj(const hed_array *x)
{
  return x && is_complex(hed_array_dtype(x)) ? hed_conj(x) : hed__tensor_same(x);
}

hed_status hed__tensor_missing(const char *op, const char *what, ...)
{
  const hed_status status = hed_error();
  char text[80];
  va_list more;
  va_start(more, what);
  (void)vsnprintf(text, sizeof text, what, more);
  va_end(more);
  return status != HED_OK ? status : hed_fail(HED_E_INVAL, "%s: %s is NULL", op, text);
}

hed_array *hed__tensor_operand(const char *op, const char *what, const hed_array *x)
{
  if (!x) {
    (void)hed__tensor_missing(op, "%s", what);
    return NULL;
  }
  const hed_dtype t = hed_array_dtype(x);
  return hed_astype(x, is_complex(t) || t == HED_FLOAT64 ? t : HED_FLOAT32);
}

const char *hed__tensor_place_text(hed_shape s, int64_t place, char *text)
{
  for (int i = s.ndim; i-- > 0;) {
    const int64_t extent = s.dim[i];
    s.dim[i] = place % extent;
    place /= extent;
  }
  return hed__shape_words(s, text);
}

/* Which element is the first that is not finite; HED_OK when all are, and only their squares overflow. */
static hed_status complain(const char *op, const char *what, const hed_array *x)
{
  int64_t place = 0;
  char text[160];
  double finite = 1;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *good = hed_isfinite(x), *first = hed_argmin(good, NULL), *all = hed_all(good, NULL);
    if (!first || !all)
      return hed_error();
    if (hed_item(all, &finite) != HED_OK || hed_item_int(first, &place) != HED_OK)
      return hed_error();
  }
  if (finite > 0)
    return hed_fail(HED_E_INVAL, "%s: the sum of squares of %s overflows", op, what);
  return hed_fail(HED_E_INVAL, "%s: %s is not finite at %s", op, what, hed__tensor_place_text(hed_array_shape(x), place, text));
}

hed_status hed__tensor_exponent(const char *op, const char *what, const hed_array *x, int *out)
{
  double most = 0;
  *out = 0;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *n = hed_vector_norm(x, INFINITY, NULL);
    if (!n || hed_item(n, &most) != HED_OK)
      return hed_error();
  }
  if (!isfinite(most))
    return complain(op, what, x);
  (void)frexp(most, out);
  return HED_OK;
}

/* In steps: 2^E itself may be none of the type's numbers. */
hed_array *hed__tensor_scaled(const hed_array *x, int e)
{
  if (!x || e == 0)
    return hed__tensor_same(x);
  const int most = hed__tensor_epsilon(hed_array_dtype(x)) < 1e-10 ? 1000 : 120;
  hed_array *out = hed__tensor_same(x);
  while (e != 0 && out) {
    const int step = e > most ? most : e < -most ? -most : e;
    out = hed_multiply_scalar(out, ldexp(1, step));
    e -= step;
  }
  return out;
}

hed_status hed__tensor_rescale(hed_array **slot, int e)
{
  if (e == 0 || !*slot)
    return HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *scaled = hed__tensor_scaled(*slot, e);
    if (!scaled)
      return hed_error();
    hed_release(*slot);
    *slot = hed_keep(scaled);
  }
  return HED_OK;
}

int hed__tensor_exponent_needed(int e)
{
  enum { HARMLESS = 16 }; /* squares and their sums stay far inside float32's range */
  return abs(e) <= HARMLESS ? 0 : e;
}

hed_status hed__tensor_eigh(const hed_array *g, hed_array **w, hed_array **v)
{
  int e = 0;
  hed_status status = g ? hed__tensor_exponent("eigh", "a Gram matrix", g, &e) : hed_error();
  hed_array *near = status == HED_OK ? hed__tensor_scaled(g, -e) : NULL;
  if (status == HED_OK)
    status = near ? hed_eigh(near, false, w, v) : hed_error();
  return status == HED_OK ? (*w = hed__tensor_scaled(*w, e)) ? HED_OK : hed_error() : status;
}

hed_array *hed__tensor_leading(const hed_array *g, int64_t n)
{
  int e = 0;
  hed_array *v = NULL;
  if (!g || hed__tensor_exponent("eigh", "a Gram matrix", g, &e) != HED_OK)
    return NULL;
  const hed_array *near = hed__tensor_scaled(g, -e);
  return near && hed_eigh_range(near, -n, n, false, NULL, &v) == HED_OK ? hed_flip(v, &HED_AXES(1)) : NULL;
}

hed_status hed__tensor_svd(const hed_array *a, hed_array **u, hed_array **s, hed_array **vh)
{
  int e = 0;
  hed_status status = a ? hed__tensor_exponent("svd", "a matrix", a, &e) : hed_error();
  hed_array *near = status == HED_OK ? hed__tensor_scaled(a, -e) : NULL;
  if (status == HED_OK)
    status = near ? hed_svd(near, false, u, s, vh) : hed_error();
  return status == HED_OK ? (*s = hed__tensor_scaled(*s, e)) ? HED_OK : hed_error() : status;
}

hed_array *hed__tensor_mask(const char *op, const char *what, const hed_array *x, const hed_array *mask, int64_t *known)
{
  const hed_kind kind = hed_dtype_kind(hed_array_dtype(mask));
  char one[160], other[160];
  int64_t count = 0, nan = 0;
  if (!hed__same_shape(hed_array_shape(mask), hed_array_shape(x))) {
    (void)hed_fail(HED_E_SHAPE, "%s: the mask has shape %s, %s %s", op, hed__shape_words(hed_array_shape(mask), one), what,
                   hed__shape_words(hed_array_shape(x), other));
    return NULL;
  }
  if (kind == HED_KIND_FLOAT || kind == HED_KIND_COMPLEX) {
    hed_array *n = hed_count_nonzero(hed_isnan(mask), NULL);
    if (!n || hed_item_int(n, &nan) != HED_OK)
      return NULL;
    if (nan > 0) {
      (void)hed_fail(HED_E_INVAL, "%s: %lld of the mask's %lld numbers are NaN", op, (long long)nan, (long long)hed_array_size(mask));
      return NULL;
    }
  }
  hed_array *out = hed_not_equal_scalar(mask, 0), *n = out ? hed_count_nonzero(out, NULL) : NULL;
  if (!n || hed_item_int(n, &count) != HED_OK)
    return NULL;
  if (known)
    *known = count;
  else if (count == 0) {
    (void)hed_fail(HED_E_INVAL, "%s: the mask leaves no entry of %s", op, hed__shape_words(hed_array_shape(x), one));
    return NULL;
  }
  return out;
}

hed_status hed__tensor_squares(const char *op, const char *what, const hed_array *x, double *out)
{
  double norm = 0;
  *out = 0;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *n = hed_vector_norm(x, 2, NULL);
    if (!n || hed_item(n, &norm) != HED_OK)
      return hed_error();
  }
  *out = norm * norm;
  return isfinite(norm) && isfinite(*out) ? HED_OK : complain(op, what, x);
}
