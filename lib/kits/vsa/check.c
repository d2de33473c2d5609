// SPDX-License-Identifier: BSD-3-Clause
/* Shapes of batches, what comes in, what goes out.
 *
 * Layer: L4, vsa kit. See internal.h.
 */
#include "kits/given.h"
#include "kits/vsa/internal.h"
#include "kits/shapes.h"
#include <stdio.h>

/* ---- shapes ---- */

int32_t hed__vsa_batch(const hed_vsa *v, const hed_array *x)
{
  return hed_array_ndim(x) - v->shape.ndim;
}

hed_shape hed__vsa_batch_shape(const hed_vsa *v, const hed_array *x)
{
  hed_shape s = hed_array_shape(x);
  s.ndim -= v->shape.ndim;
  return s;
}

hed_shape hed__vsa_joined(hed_shape a, hed_shape b)
{
  for (int k = 0; k < b.ndim; k++)
    a.dim[a.ndim++] = b.dim[k];
  return a;
}

int64_t hed__vsa_count(hed_shape s)
{
  int64_t n = 1;
  for (int k = 0; k < s.ndim; k++)
    n *= s.dim[k];
  return n;
}

/* ---- checks ---- */

/* Do the last axes of X have the extents of SHAPE, and as many more as there is room for? */
bool hed__vsa_ends_with(const char *op, const char *name, const hed_array *x, const char *whose, hed_shape shape)
{
  const hed_shape s = hed_array_shape(x);
  bool fits = s.ndim >= shape.ndim;
  for (int k = 1; fits && k <= shape.ndim; k++)
    fits = s.dim[s.ndim - k] == shape.dim[shape.ndim - k];
  if (!fits) {
    char has[HED__SHAPE_WORDS], wants[HED__SHAPE_WORDS];
    (void)hed__shape_words(s, has);
    (void)hed__shape_words(shape, wants);
    (void)hed_fail(HED_E_SHAPE, "%s: %s has shape %s, the last axes of %s vectors are %s", op, name, has, whose, wants);
  }
  return fits;
}

bool hed__vsa_given(const hed_vsa *v, const char *op, const char *name, const hed_array *x)
{
  if (!v)
    (void)hed_fail(HED_E_INVAL, "%s: the model is NULL", op);
  return v && hed__operand_given(op, name, x);
}

bool hed__vsa_fits(const hed_vsa *v, const char *op, const char *name, const hed_array *x)
{
  if (!hed__vsa_given(v, op, name, x))
    return false;
  if (hed_array_dtype(x) != v->dtype) {
    (void)hed_fail(HED_E_DTYPE, "%s: %s is %s, %s vectors are %s", op, name, hed_dtype_name(hed_array_dtype(x)),
                   v->name, hed_dtype_name(v->dtype));
    return false;
  }
  return hed__vsa_ends_with(op, name, x, v->name, v->shape);
}

hed_array *hed__vsa_lacks(const hed_vsa *v, const char *op)
{
  (void)hed_fail(HED_E_UNSUPPORTED, "%s: %s (variant %d) has none", op, v->name,
                 (int)v->o.variant);
  return NULL;
}

/* A new handle: that one is the caller's, or that of the scope it is called in. */
hed_array *hed__vsa_out(hed_array *kept)
{
  hed_array *out = hed_astype(kept, hed_array_dtype(kept));
  hed_release(kept);
  return out;
}
