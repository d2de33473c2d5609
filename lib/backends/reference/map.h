// SPDX-License-Identifier: BSD-3-Clause
/* What the elementwise families of the reference backend share: tables of loops by compute type. L1. */
#ifndef HED_BACKENDS_REFERENCE_MAP_H
#define HED_BACKENDS_REFERENCE_MAP_H

#include "backends/reference/reference.h"
#include "base/dtype.h"
#include "base/map.h"

/* The loop of one operation for one compute type; without fn the operation refuses the type. */
typedef struct hed__ref_loop {
  hed__map_fn fn;
  int32_t result;   /* hed_dtype_id that fn writes */
} hed__ref_loop;

/* Runs CALL with operands of its compute type, by that type's loop of ROW (an entry per concrete dtype). FIRST is the
 * type of operand 0 when it is another one, else negative. NAME is for the message. */
static inline int32_t hed__ref_map(void *state, const hed_call *call, const hed__ref_loop *row, int first,
                                   const char *name)
{
  int compute = hed__compute_of(call->compute);
  hed__map map = { .fn = row[compute].fn, .types = { row[compute].result } };
  if (!map.fn)
    return hed__ref_host(state)->fail(HED_E_DTYPE, "%s: cannot compute in %s", name, hed__dtypes[compute]->name);
  for (int32_t k = 1; k <= call->n_in; k++)
    map.types[k] = k == 1 && first >= 0 ? first : compute;
  hed__map_run(&map, call);
  return HED_OK;
}

/* Names in templates: FN(ADD) is the loop of ADD for the TYPE in force. */
#define HED__REF_JOIN_(a, b) a##_##b
#define HED__REF_JOIN(a, b) HED__REF_JOIN_(a, b)
#define FN(op) HED__REF_JOIN(op, TYPE)
#define ID_OF_(type) HED_ID_##type
#define ID_OF(type) ID_OF_(type)

/* What RESULT of map.def stands for: C type and dtype id. */
#define CTYPE_T T
#define CTYPE_B bool
#define CTYPE_R R
#define DTYPE_T ID_OF(TYPE)
#define DTYPE_B HED_ID_BOOL
#define DTYPE_R ID_OF(REAL)

#endif
