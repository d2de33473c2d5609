// SPDX-License-Identifier: BSD-3-Clause
/* Template for each_type.h: entries of the table of map_more.c, for one compute type. L1. */
#define ENTRY(op) [op][ID_OF(TYPE)] = { FN(op), ID_OF(TYPE) },
KEEP(ANY, ENTRY(WHERE))
KEEP(ORDERED, ENTRY(CLIP))
KEEP(FLOAT, ENTRY(NORM_SCORES))
#undef ENTRY
