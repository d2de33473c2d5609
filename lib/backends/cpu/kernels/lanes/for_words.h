// SPDX-License-Identifier: BSD-3-Clause
/* BODY for words of 8, 16, 32 and 64 bits: WORD is a signed one as wide, WORDS a vector of them, EPI how instructions call
 * them. L1. */
#define S u8
#define T uint8_t
#define WORD int8_t
#define WORDS lanes_i8
#define PS epu8
#define EPI epi8
#include "backends/cpu/kernels/lanes/for_type.h"
#undef EPI
#define S u16
#define T uint16_t
#define WORD int16_t
#define WORDS lanes_i16
#define PS epu16
#define EPI epi16
#include "backends/cpu/kernels/lanes/for_type.h"
#undef EPI
#define S u32
#define T uint32_t
#define WORD int32_t
#define WORDS lanes_i32
#define PS epu32
#define EPI epi32
#include "backends/cpu/kernels/lanes/for_type.h"
#undef EPI
#define S u64
#define T uint64_t
#define WORD int64_t
#define WORDS lanes_i64
#define PS epu64
#define EPI epi64
#include "backends/cpu/kernels/lanes/for_type.h"
#undef EPI
#undef BODY
