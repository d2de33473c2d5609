// SPDX-License-Identifier: BSD-3-Clause
/* The text of exact.h for complex numbers. */
INLINE int N(is_true)(T z) { return (z.re != 0) | (z.im != 0); }
LOOP1(N(logical_not), T, uint8_t, !N(is_true)(a))
BLOCKED2(N(logical_and), uint8_t, N(is_true)(a) & N(is_true)(b))
BLOCKED2(N(logical_or), uint8_t, N(is_true)(a) | N(is_true)(b))
BLOCKED2(N(logical_xor), uint8_t, N(is_true)(a) ^ N(is_true)(b))
