// SPDX-License-Identifier: BSD-3-Clause
/* What the neural-net composites share: checks of two operands under one name, and their intermediate type. L3. */
#ifndef HED_COMPOSITE_NN_H
#define HED_COMPOSITE_NN_H

#include "api/call/check.h"
#include "api/call/infer.h"
#include "composite/composed.h"

#include <heddle/error.h>

/* Operands given, of the domain, shapes that broadcast; the common type, or a negative status. */
static inline int nn_pair(int op, const hed_array *a, const hed_array *b, const char *a_arg, const char *b_arg)
{
  const char *name = hed__op_rows[op].name, *const args[2] = { a_arg, b_arg };
  const hed_array *const in[2] = { a, b };
  hed_shape s, t, both;
  if (!hed__given(a, name, a_arg) || !hed__given(b, name, b_arg))
    return hed_error();
  s = hed__shape_of(a);
  t = hed__shape_of(b);
  if (!hed__broadcast(&s, &t, &both))
    return hed_fail(HED_E_SHAPE, "%s: shapes %s of %s and %s of %s do not broadcast", name, HED__TEXT(&s), a_arg,
                    HED__TEXT(&t), b_arg);
  return hed__infer_operands(op, 2, in, args);
}

/* The type that ID is computed in: float32 for 16-bit floats. */
static inline hed_dtype nn_wide(int id) { return hed__dtypes[hed__compute_of(id)]; }

#endif
