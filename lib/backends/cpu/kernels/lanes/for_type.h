// SPDX-License-Identifier: BSD-3-Clause
/* BODY for the type T, whose letters are S; included by for_reals.h and for_wholes.h alone. L1. */
#define V CPU_JOIN(lanes_, S)
#define N(name) CPU_JOIN(name##_, S)
#define LANES (CPU_VECTOR / (int)sizeof(T))
#include BODY
#undef LANES
#undef N
#undef V
#undef PS
#undef WORDS
#undef WORD
#undef TWICE
#undef T
#undef S
