// SPDX-License-Identifier: BSD-3-Clause
/* The text of map.h for float32 and float64. */
LOOP1(N(negative), T, T, -a)
LOOP1(N(abs), T, T, LIBM(__builtin_fabs)(a))
LOOP1(N(square), T, T, a * a)
LOOP1(N(sqrt), T, T, LIBM(__builtin_sqrt)(a))
LOOP1(N(reciprocal), T, T, (T)1 / a)
LOOP1(N(floor), T, T, LIBM(__builtin_floor)(a))
LOOP1(N(ceil), T, T, LIBM(__builtin_ceil)(a))
LOOP1(N(isnan), T, uint8_t, a != a)
LOOP1(N(isfinite), T, uint8_t, a - a == 0)
LOOP2(N(add), T, T, a + b)
LOOP2(N(subtract), T, T, a - b)
LOOP2(N(multiply), T, T, a * b)
LOOP2(N(divide), T, T, a / b)
LOOP2(N(maximum), T, T, (a >= b) | (a != a) ? a : b)
LOOP2(N(minimum), T, T, (a <= b) | (a != a) ? a : b)
LOOP2(N(equal), T, uint8_t, a == b)
LOOP2(N(not_equal), T, uint8_t, a != b)
#include "backends/cpu/kernels/map/order.h"
CLIP(q->low, q->high)
#undef CLIP
#ifdef __FMA__
LOOP3(N(fma), T, LIBM(__builtin_fma)(a, b, c)) /* rounded once, where the processor has that */
#endif
