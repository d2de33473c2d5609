// SPDX-License-Identifier: BSD-3-Clause
/* Elementwise operations of two operands: loops and table from formulas.def. L0. */
#include "base/formulas/formulas.h"
#include "base/formulas/formulas_math.h"

#define EACH_TYPE "base/formulas/formulas_binary.h"
#include "base/formulas/formulas_each.h"
#undef EACH_TYPE

#define FIRST_OP HED__FIRST_BINARY
#define MAP1_ENTRY(...)
#define MAP2_ENTRY(...) __VA_ARGS__
#define EACH_TYPE "base/formulas/formulas_table.h"
const hed__formula hed__formulas_binary[][HED_ID_CONCRETE_COUNT_] = {
#include "base/formulas/formulas_each.h"
};

/* ---- signed integers against uint64 ---- */

/* Below, equal to or above 0 as A is below, equal to or above B. */
static inline int order_of(int64_t a, uint64_t b) { return a < 0 || W(a) < b ? -1 : W(a) > b; }

#define COMPARISONS(X) \
  X(EQUAL, ==) X(NOT_EQUAL, !=) X(LESS, <) X(LESS_EQUAL, <=) X(GREATER, >) X(GREATER_EQUAL, >=)
#define LOOP(name, A, B, order)                                                                   \
  static void name(int64_t n, char *const *p, const int64_t *s, const void *params)               \
  {                                                                                               \
    (void)params;                                                                                 \
    for (int64_t i = 0; i < n; i++) {                                                             \
      const A a = *(const A *)(p[1] + i * s[1]);                                                  \
      const B b = *(const B *)(p[2] + i * s[2]);                                                  \
      *(bool *)(p[0] + i * s[0]) = order;                                                         \
    }                                                                                             \
  }
#define LOOPS(op, relation)                                                                       \
  LOOP(signed_##op, int64_t, uint64_t, order_of(a, b) relation 0)                                 \
  LOOP(unsigned_##op, uint64_t, int64_t, 0 relation order_of(b, a))
COMPARISONS(LOOPS)

hed__map_fn hed__formula_signs(int op, int a, int b, int32_t *types)
{
  const bool first = hed__id_kind(a) == HED_KIND_INT && b == HED_ID_UINT64;
  if (!first && (a != HED_ID_UINT64 || hed__id_kind(b) != HED_KIND_INT))
    return NULL;
  hed__map_fn fn;
  switch (op) {
#define CASE(op, relation) case HED_OP_##op: fn = first ? signed_##op : unsigned_##op; break;
    COMPARISONS(CASE)
  default: return NULL;
  }
  types[0] = HED_ID_BOOL;
  types[1] = first ? HED_ID_INT64 : HED_ID_UINT64;
  types[2] = first ? HED_ID_UINT64 : HED_ID_INT64;
  return fn;
}
