// SPDX-License-Identifier: BSD-3-Clause
/*
 * BODY for the type T of WIDTH bits, whose letters are S and PS in names of instructions; included by for_reals.h, for_wholes.h and
 * for_words.h alone. WORD and UWORD are integers as wide, of which UWORD has no sign, WORDS a vector of the former; EPI: how
 * instructions call them. L1.
 */
#define V CPU_JOIN(lanes_, S)
#define N(name) CPU_JOIN(name##_, S)
#define LANES (CPU_VECTOR / (int)sizeof(T))
#define WORD CPU_JOIN(CPU_JOIN(int, WIDTH), _t)
#define UWORD CPU_JOIN(CPU_JOIN(uint, WIDTH), _t)
#define WORDS CPU_JOIN(lanes_i, WIDTH)
#define EPI CPU_JOIN(epi, WIDTH)
#include BODY
#undef EPI
#undef WORDS
#undef UWORD
#undef WORD
#undef LANES
#undef N
#undef V
#undef PS
#undef TWICE
#undef WIDTH
#undef T
#undef S
