// SPDX-License-Identifier: BSD-3-Clause
/* Where the loops of each elementwise operation are: see formulas.h. L0. */
#include "base/formulas.h"

const hed__formula *const hed__formulas[HED_OP_COUNT_] = {
#define HED_UNARY(ID, name, domain, result, doc) [HED_OP_##ID] = hed__formulas_unary[HED_OP_##ID - HED__FIRST_UNARY],
#define HED_BINARY(ID, name, domain, result, doc) [HED_OP_##ID] = hed__formulas_binary[HED_OP_##ID - HED__FIRST_BINARY],
#include <heddle/ops.def>
#define X(ID, name) [HED_OP_##ID] = hed__formulas_more[HED__MORE_##ID],
  HED__MORE_FORMULAS(X)
#undef X
};
