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

/* The type of operand 0 where it is not the compute type (a condition), else -1. */
static inline int32_t hed__formula_first(int op)
{
  return op == HED_OP_WHERE || op == HED_OP_DIVIDE_WHERE ? HED_ID_BOOL : -1;
}

/* The loop that compares integers of types A and B where one is signed and the other uint64, whose common type float64 does
 * not hold them all; and what it takes: TYPES of result and operands. NULL: they are not such, or OP compares nothing. */
hed__map_fn hed__formula_signs(int op, int a, int b, int32_t *types);

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
