// SPDX-License-Identifier: BSD-3-Clause
/* The rows of base/formulas/formulas.def as kernels: which of them the compute type has, and their parameters. L1. */

/* ---- kinds: a row stays where its kind, or its set of kinds, has the compute type's ---- */

#define YES(row) row
#define NO(row)
#if COMPUTES == IS_B
#define KEEP_BOOL YES
#else
#define KEEP_BOOL NO
#endif
#if COMPUTES == IS_I
#define KEEP_INT YES
#else
#define KEEP_INT NO
#endif
#if COMPUTES == IS_U
#define KEEP_UINT YES
#else
#define KEEP_UINT NO
#endif
#if COMPUTES == IS_I || COMPUTES == IS_U
#define KEEP_INTEGER YES
#else
#define KEEP_INTEGER NO
#endif
#if COMPUTES <= IS_U
#define KEEP_DISCRETE YES
#else
#define KEEP_DISCRETE NO
#endif
#if COMPUTES == IS_F
#define KEEP_FLOAT YES
#else
#define KEEP_FLOAT NO
#endif
#if HED_COMPUTE == 9
#define KEEP_FLOAT16 YES
#else
#define KEEP_FLOAT16 NO
#endif
#if HED_COMPUTE == 10
#define KEEP_BFLOAT16 YES
#else
#define KEEP_BFLOAT16 NO
#endif
/* Rows that are the same text for complex numbers have another one here: complex_rows.h. */
#define KEEP_COMPLEX NO
#define KEEP_INEXACT KEEP_FLOAT
#if COMPUTES <= IS_F && COMPUTES != IS_H
#define KEEP_ORDERED YES
#else
#define KEEP_ORDERED NO
#endif
#define KEEP_ANY KEEP_ORDERED
#if COMPUTES == IS_C
#define KEEP_STRUCT YES
#else
#define KEEP_STRUCT NO
#endif
#define KEEP_ALL YES

/* The number of operands comes last for build-aux/gen-kernels.awk, which puts in names and drops rows that HED_ONLY leaves out. */
#define HED_MAP1(ID, name, kind, result, expression) KEEP_##kind(ROW(1, name, result, void, HED_COMPUTE, expression))
#define HED_MAP2(ID, name, kind, result, expression) KEEP_##kind(ROW(2, name, result, void, HED_COMPUTE, expression))
#define HED_MAPP(ID, name, kind, result, n, P, expression) KEEP_##kind(ROW(n, name, result, P, HED_COMPUTE, expression))
/* The first operand is a condition. */
#define HED_MAPC(ID, name, kind, result, n, P, expression) KEEP_##kind(ROW(n, name, result, P, 0, expression))
