// SPDX-License-Identifier: BSD-3-Clause
/*
 * common.c: see common.h.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/common.h"
#include <float.h>
#include <math.h>
#include <stdio.h>

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

hed_array *hed__tensor_operand(const char *op, const char *what, const hed_array *x)
{
  if (!x) {
    (void)hed_fail(HED_E_INVAL, "%s: %s is NULL", op, what);
    return NULL;
  }
  const hed_dtype t = hed_array_dtype(x);
  return hed_astype(x, is_complex(t) || t == HED_FLOAT64 ? t : HED_FLOAT32);
}

const char *hed__tensor_shape_text(hed_shape s, char *text)
{
  int n = 0;
  text[n++] = '(';
  for (int i = 0; i < s.ndim && n < 130; i++)
    n += snprintf(text + n, (size_t)(158 - n), "%s%lld", i ? ", " : "", (long long)s.dim[i]);
  text[n++] = ')';
  text[n] = '\0';
  return text;
}

bool hed__tensor_same_shape(hed_shape a, hed_shape b)
{
  bool same = a.ndim == b.ndim;
  for (int i = 0; same && i < a.ndim; i++)
    same = a.dim[i] == b.dim[i];
  return same;
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
  hed_shape s = hed_array_shape(x);
  for (int i = s.ndim; i-- > 0;) {
    const int64_t extent = s.dim[i];
    s.dim[i] = place % extent;
    place /= extent;
  }
  return hed_fail(HED_E_INVAL, "%s: %s is not finite at %s", op, what, hed__tensor_shape_text(s, text));
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
