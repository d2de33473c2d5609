// SPDX-License-Identifier: BSD-3-Clause
/* The other elementwise operations: with more than two operands, or with parameters. L0.
 *
 * Bounds of clip are numbers of their own: for integers the nearest within [low, high] and within the type count, NaN and
 * values beyond the type leave a side open. When low is above high the result is high.
 */
#include "base/bounds.h"
#include "base/formulas/formulas.h"
#include "base/formulas/formulas_math.h"

#define MOST_INT ((int64_t)(UINT64_MAX >> (65 - 8 * sizeof(T))))
#define MOST_WORD (UINT64_MAX >> (64 - 8 * sizeof(T)))

#define EACH_TYPE "base/formulas/formulas_more.h"
#include "base/formulas/formulas_each.h"
#undef EACH_TYPE

#define EACH_TYPE "base/formulas/formulas_more_table.h"
const hed__formula hed__formulas_more[][HED_ID_CONCRETE_COUNT_] = {
#include "base/formulas/formulas_each.h"
};
