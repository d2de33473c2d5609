// SPDX-License-Identifier: BSD-3-Clause
/* The text of map.h for integers. Arithmetic is done in U, without sign. */
#if WIDTH == 64
#define U uint64_t
#else
#define U uint32_t
#endif
LOOP2(N(maximum), T, T, a > b ? a : b)
LOOP2(N(minimum), T, T, a < b ? a : b)
#include "backends/cpu/kernels/map/order.h"

/* Bounds of integers are the nearest within those that are given and within the type. Signed numbers are ordered by themselves;
 * all else is one loop for both kinds of a size. */
#if HAS_SIGN
#define LEAST CPU_JOIN(CPU_JOIN(INT, WIDTH), _MIN)
#define MOST CPU_JOIN(CPU_JOIN(INT, WIDTH), _MAX)
CLIP(hed__bound_int(__builtin_ceil(q->low), LEAST, MOST), hed__bound_int(__builtin_floor(q->high), MOST, MOST))
#undef LEAST
LOOP1(N(abs), T, T, (T)(a < 0 ? (U)0 - (U)a : (U)a))
#else
#define MOST CPU_JOIN(CPU_JOIN(UINT, WIDTH), _MAX)
CLIP(hed__bound_word(__builtin_ceil(q->low), 0, MOST), hed__bound_word(__builtin_floor(q->high), MOST, MOST))
LOOP1(N(same), T, T, a)
LOOP1(N(negative), T, T, (T)((U)0 - (U)a))
LOOP1(N(square), T, T, (T)((U)a * (U)a))
LOOP2(N(add), T, T, (T)((U)a + (U)b))
LOOP2(N(subtract), T, T, (T)((U)a - (U)b))
LOOP2(N(bitwise_and), T, T, (T)(a & b))
LOOP2(N(bitwise_or), T, T, (T)(a | b))
LOOP2(N(bitwise_xor), T, T, (T)(a ^ b))
LOOP2(N(equal), T, uint8_t, a == b)
LOOP2(N(not_equal), T, uint8_t, a != b)
LOOP_WHERE(N(where), T, void, { 0 }, c ? a : b)
#if WIDTH == 8
LOOP2(multiply_each_u8, T, T, (T)((U)a * (U)b))
#else
LOOP2(N(multiply), T, T, (T)((U)a * (U)b))
#endif
#endif
#undef MOST
#undef CLIP
#undef U
