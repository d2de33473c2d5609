// SPDX-License-Identifier: BSD-3-Clause
/* Sums and products of complex numbers in the compute type, as structs: languages of devices have no operators on them. L1. */
#if COMPUTES == IS_C
#define OF COMPLEX_OF(HED_COMPUTE)

FN T plus(T a, T b) { return OF(a.re + b.re, a.im + b.im); }
FN T minus(T a, T b) { return OF(a.re - b.re, a.im - b.im); }
FN T times(T a, T b) { return OF(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); }
#endif
