// SPDX-License-Identifier: BSD-3-Clause
/* Template for formulas_each.h: entries of the table of formulas_more.c, for one compute type. L0. */
#define ENTRY(op) [HED__MORE_##op][ID_OF(TYPE)] = { FN(op), ID_OF(TYPE) },
KEEP(ANY, ENTRY(WHERE))
KEEP(ORDERED, ENTRY(CLIP))
KEEP(FLOAT, ENTRY(NORM_SCORES))
#undef ENTRY
