// SPDX-License-Identifier: BSD-3-Clause
/* BODY for complex64, then for complex128: T is the number, whose letters are S, PART the type of its parts, of WIDTH bits, N(name) a
 * function for T. L1. */
#define N(name) CPU_JOIN(name##_, S)
#define T S
#define S c64
#define PART float
#define WIDTH 32
#include BODY
#undef WIDTH
#undef PART
#undef S
#define S c128
#define PART double
#define WIDTH 64
#include BODY
#undef WIDTH
#undef PART
#undef S
#undef T
#undef N
#undef BODY
