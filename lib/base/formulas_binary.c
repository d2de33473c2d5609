// SPDX-License-Identifier: BSD-3-Clause
/* Elementwise operations of two operands: loops and table from formulas.def. L0. */
#include "base/formulas.h"
#include "base/formulas_math.h"

#define EACH_TYPE "base/formulas_binary.h"
#include "base/formulas_each.h"
#undef EACH_TYPE

#define FIRST_OP HED__FIRST_BINARY
#define MAP1_ENTRY(...)
#define MAP2_ENTRY(...) __VA_ARGS__
#define EACH_TYPE "base/formulas_table.h"
const hed__formula hed__formulas_binary[][HED_ID_CONCRETE_COUNT_] = {
#include "base/formulas_each.h"
};
