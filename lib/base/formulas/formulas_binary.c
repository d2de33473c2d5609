// SPDX-License-Identifier: BSD-3-Clause
/* Elementwise operations of two operands: loops and table from formulas.def. L0. */
#include "base/formulas/formulas.h"
#include "base/formulas/formulas_math.h"
#include "base/dtype.h"

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

/* ---- comparisons of types of which no type of computation holds all numbers: integers with uint64 or floats ---- */

/* Of a and b, where one may be NaN. */
#define NUMBERS(order, relation) order relation 0
#define NAN_B(order, relation) (b != b ? 0 relation b : order relation 0)
#define NAN_A(order, relation) (a != a ? a relation 0 : 0 relation order)
#define TURNED(order, relation) 0 relation order

#define COMPARISONS(X) \
  X(EQUAL, ==) X(NOT_EQUAL, !=) X(LESS, <) X(LESS_EQUAL, <=) X(GREATER, >) X(GREATER_EQUAL, >=)
#define LOOP(name, A, B, result)                                                                  \
  static void name(int64_t n, char *const *p, const int64_t *s, const void *params)               \
  {                                                                                               \
    (void)params;                                                                                 \
    for (int64_t i = 0; i < n; i++) {                                                             \
      const A a = *(const A *)(p[1] + i * s[1]);                                                  \
      const B b = *(const B *)(p[2] + i * s[2]);                                                  \
      *(bool *)(p[0] + i * s[0]) = result;                                                        \
    }                                                                                             \
  }
#define PAIRS(X, op, relation)                                                                    \
  X(op, INT64, UINT64, int64_t, uint64_t, NUMBERS(order_of_signs(a, b), relation))                \
  X(op, UINT64, INT64, uint64_t, int64_t, TURNED(order_of_signs(b, a), relation))                 \
  X(op, INT64, FLOAT64, int64_t, double, NAN_B(order_of_int(a, b), relation))                     \
  X(op, FLOAT64, INT64, double, int64_t, NAN_A(order_of_int(b, a), relation))                     \
  X(op, UINT64, FLOAT64, uint64_t, double, NAN_B(order_of_word(a, b), relation))                  \
  X(op, FLOAT64, UINT64, double, uint64_t, NAN_A(order_of_word(b, a), relation))
#define EACH(op, a_id, b_id, A, B, result) LOOP(op##_##a_id##_##b_id, A, B, result)
#define LOOPS(op, relation) PAIRS(EACH, op, relation)
COMPARISONS(LOOPS)

/* The type as which an operand of type ID is compared exactly. */
static int32_t whole_type(int id)
{
  const hed_kind kind = hed__id_kind(id);
  return kind == HED_KIND_INT ? HED_ID_INT64 : kind == HED_KIND_UINT ? HED_ID_UINT64 : HED_ID_FLOAT64;
}

hed__map_fn hed__formula_apart(int op, int a, int b, int32_t *types)
{
  if (!hed__compares_apart(op, a, b))
    return NULL;
  types[0] = HED_ID_BOOL;
  types[1] = whole_type(a);
  types[2] = whole_type(b);
  if (hed__dtypes[a]->bits <= 32 && hed__dtypes[b]->bits <= 32) { /* float64 has them all */
    types[1] = types[2] = HED_ID_FLOAT64;
    return hed__formulas_binary[op - HED__FIRST_BINARY][HED_ID_FLOAT64].fn;
  }
#define CASE(op_, a_id, b_id, A, B, result) \
  if (op == HED_OP_##op_ && types[1] == HED_ID_##a_id && types[2] == HED_ID_##b_id) \
    return op_##_##a_id##_##b_id;
#define CASES(op_, relation) PAIRS(CASE, op_, relation)
  COMPARISONS(CASES)
  return NULL;
}
