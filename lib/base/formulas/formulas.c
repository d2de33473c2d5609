// SPDX-License-Identifier: BSD-3-Clause
/* Where the loops of each elementwise operation are: see formulas.h. L0. */
#include "base/formulas/formulas.h"

const hed__formula *const hed__formulas[HED_OP_COUNT_] = {
#define HED_UNARY(ID, name, domain, result, cost, doc) [HED_OP_##ID] = hed__formulas_unary[HED_OP_##ID - HED__FIRST_UNARY],
#define HED_BINARY(ID, name, domain, result, cost, doc) [HED_OP_##ID] = hed__formulas_binary[HED_OP_##ID - HED__FIRST_BINARY],
#define HED_MAP(ID, name, domain, result, args, params, cost, doc) [HED_OP_##ID] = hed__formulas_more[HED__MORE_##ID],
#include <heddle/ops.def>
};
