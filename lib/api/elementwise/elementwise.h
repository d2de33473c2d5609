// SPDX-License-Identifier: BSD-3-Clause
/* The one path of elementwise operations, for those whose bodies are written by hand. L3. */
#ifndef HED_API_ELEMENTWISE_H
#define HED_API_ELEMENTWISE_H

#include "api/call/box.h"
#include "core/array/array.h"

enum { HED__MAX_ELEMENTWISE = 3 };

/* A call: operands with their names; those before FIRST (a condition) do not decide the dtype. */
typedef struct hed__elementwise {
  int op, n, first;
  const hed_array *in[HED__MAX_ELEMENTWISE];
  const char *arg[HED__MAX_ELEMENTWISE];
  const void *params;
} hed__elementwise;

/* Infer, broadcast, run into OUT, or into a new array when OUT is NULL. Operands may be NULL arrays (see hed__given). */
hed_status hed__elementwise_into(const hed__elementwise *e, hed_array *out);
hed_array *hed__elementwise_new(const hed__elementwise *e);

/* Is a result of dtype ID, one of the 16-bit floats, to be rounded to that before it goes to OUT? Computed in float32 it would
 * else not be. */
static inline bool hed__rounds_first(int id, const hed_array *out)
{
  return (id == HED_ID_FLOAT16 || id == HED_ID_BFLOAT16) && out->view.dtype != id;
}

#endif
