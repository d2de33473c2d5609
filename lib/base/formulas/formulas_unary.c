// SPDX-License-Identifier: BSD-3-Clause
/* Elementwise operations of one operand: loops and table from formulas.def. L0. */
#include "base/formulas/formulas.h"
#include "base/formulas/formulas_math.h"

#define EACH_TYPE "base/formulas/formulas_unary.h"
#include "base/formulas/formulas_each.h"
#undef EACH_TYPE

#define FIRST_OP HED__FIRST_UNARY
#define MAP1_ENTRY(...) __VA_ARGS__
#define MAP2_ENTRY(...)
#define EACH_TYPE "base/formulas/formulas_table.h"
const hed__formula hed__formulas_unary[][HED_ID_CONCRETE_COUNT_] = {
#include "base/formulas/formulas_each.h"
};
