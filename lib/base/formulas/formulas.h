// SPDX-License-Identifier: BSD-3-Clause
/* The loops of the elementwise operations: one per operation and compute type, made from formulas.def. L0.
 *
 * Host backends run them for every type that they have no better loop for. The reference backend runs nothing else, so
 * the formulas are written to be right at a glance.
 */
#ifndef HED_BASE_FORMULAS_H
#define HED_BASE_FORMULAS_H

#include "base/dtype.h"
#include "base/map.h"
#include <heddle/ops.h>

/* The loop of one operation for one compute type; without fn the operation refuses the type. */
typedef struct hed__formula {
  hed__map_fn fn;
  int32_t result;   /* hed_dtype_id that fn writes */
} hed__formula;

/* By hed_op: an entry per concrete dtype; NULL for operations that are not elementwise. */
extern const hed__formula *const hed__formulas[HED_OP_COUNT_];

/* The type in which OP computes on operands of type ID: 16-bit floats as they are where it has a formula for their bits, else as
 * float32. */
static inline int hed__formula_type(int op, int id)
{
  if (id != HED_ID_FLOAT16 && id != HED_ID_BFLOAT16)
    return id;
  return hed__formulas[op] && hed__formulas[op][id].fn ? id : HED_ID_FLOAT32;
}

/* The type of operand 0 where it is not the compute type (a condition), else -1. */
static inline int32_t hed__formula_first(int op)
{
  return op == HED_OP_WHERE || op == HED_OP_DIVIDE_WHERE ? HED_ID_BOOL : -1;
}

/* Does OP compare types A and B whose common type does not hold all numbers of both: signed integers and uint64, integers of 32 or
 * 64 bits and floats with fewer? */
static inline bool hed__compares_apart(int op, int a, int b)
{
  const hed_kind ka = hed__id_kind(a), kb = hed__id_kind(b);
  if (op < HED_OP_EQUAL || op > HED_OP_GREATER_EQUAL || a == b)
    return false;
  if (ka != HED_KIND_FLOAT && kb != HED_KIND_FLOAT)
    return (ka == HED_KIND_INT && b == HED_ID_UINT64) || (kb == HED_KIND_INT && a == HED_ID_UINT64);
  if (ka == kb || ka == HED_KIND_COMPLEX || kb == HED_KIND_COMPLEX || ka == HED_KIND_BOOL || kb == HED_KIND_BOOL)
    return false;
  const int whole = ka == HED_KIND_FLOAT ? b : a, real = ka == HED_KIND_FLOAT ? a : b;
  return hed__dtypes[whole]->bits > (real == HED_ID_FLOAT64 ? 32 : 16);
}

/* The loop that then compares them exactly, and what it takes: TYPES of result and operands. Else NULL. */
hed__map_fn hed__formula_apart(int op, int a, int b, int32_t *types);

/* ---- for the sources of the loops ---- */

extern const hed__formula hed__formulas_unary[][HED_ID_CONCRETE_COUNT_];
extern const hed__formula hed__formulas_binary[][HED_ID_CONCRETE_COUNT_];
extern const hed__formula hed__formulas_more[][HED_ID_CONCRETE_COUNT_];
#define HED__FIRST_UNARY HED_OP_NEGATIVE
#define HED__FIRST_BINARY HED_OP_ADD
/* Elementwise operations of the family HED_MAP. */
enum {
#define HED_UNARY(ID, name, domain, result, cost, doc)
#define HED_BINARY(ID, name, domain, result, cost, doc)
#define HED_MAP(ID, name, domain, result, args, params, cost, doc) HED__MORE_##ID,
#include <heddle/ops.def>
};

/* Names in templates: FN(ADD) is the loop of ADD for the TYPE in force. */
#define HED__FORMULA_JOIN_(a, b) a##_##b
#define HED__FORMULA_JOIN(a, b) HED__FORMULA_JOIN_(a, b)
#define FN(op) HED__FORMULA_JOIN(op, TYPE)
#define ID_OF_(type) HED_ID_##type
#define ID_OF(type) ID_OF_(type)

/* What RESULT of formulas.def stands for: C type and dtype id. */
#define CTYPE_T T
#define CTYPE_B bool
#define CTYPE_R R
#define DTYPE_T ID_OF(TYPE)
#define DTYPE_B HED_ID_BOOL
#define DTYPE_R ID_OF(REAL)

#endif
