// SPDX-License-Identifier: BSD-3-Clause
/* Template for formulas_each.h: entries of the table of formulas_more.c, for one compute type. L0. */
#define ENTRY(op) [HED__MORE_##op][ID_OF(TYPE)] = { FN(op), ID_OF(TYPE) },
KEEP(ANY, ENTRY(WHERE))
KEEP(ORDERED, ENTRY(CLIP))
KEEP(FLOAT, ENTRY(NORM_SCORES))
KEEP(INEXACT, ENTRY(DIVIDE_WHERE))
#undef ENTRY
#define HED_MAPP(op, kind, result, operands, parameters, expression) KEEP(kind, ENTRY(op, DTYPE_##result))
#define ENTRY(op, result) [HED__MORE_##op][ID_OF(TYPE)] = { FN(op), result },
#include "base/formulas/formulas.def"
#undef ENTRY
