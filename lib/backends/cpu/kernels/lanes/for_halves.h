// SPDX-License-Identifier: BSD-3-Clause
/* BODY for float16, then for bfloat16: T is their bits, V vectors of float32, which get() makes of them; where processors
 * convert. L1. */
#define T uint16_t
#define V lanes_f32
#define LANES (CPU_VECTOR / 4)
#define N(name) CPU_JOIN(name##_, f16)
#include BODY
#undef N
#define N(name) CPU_JOIN(name##_, bf16)
#include BODY
#undef N
#undef LANES
#undef V
#undef T
#undef BODY
