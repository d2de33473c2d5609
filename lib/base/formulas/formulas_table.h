// SPDX-License-Identifier: BSD-3-Clause
/* Template for formulas_each.h: the entries of a table of loops, for one compute type. L0. */
#define HED_MAP1(op, kind, result, expression) MAP1_ENTRY(KEEP(kind, ENTRY(op, DTYPE_##result)))
#define HED_MAP2(op, kind, result, expression) MAP2_ENTRY(KEEP(kind, ENTRY(op, DTYPE_##result)))
#define ENTRY(op, result) [HED_OP_##op - FIRST_OP][ID_OF(TYPE)] = { FN(op), result },
#include "base/formulas/formulas.def"
#undef ENTRY
