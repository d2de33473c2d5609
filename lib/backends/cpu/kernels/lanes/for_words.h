// SPDX-License-Identifier: BSD-3-Clause
/* BODY for words of 8, 16, 32 and 64 bits; with NO_NARROW for those of 32 and 64 bits alone. EPI: how instructions call
 * them. L1. */
#ifndef NO_NARROW
#define S u8
#define T uint8_t
#define PS epu8
#define EPI epi8
#include "backends/cpu/kernels/lanes/for_type.h"
#undef EPI
#define S u16
#define T uint16_t
#define PS epu16
#define EPI epi16
#include "backends/cpu/kernels/lanes/for_type.h"
#undef EPI
#endif
#define S u32
#define T uint32_t
#define PS epu32
#define EPI epi32
#include "backends/cpu/kernels/lanes/for_type.h"
#undef EPI
#define S u64
#define T uint64_t
#define PS epu64
#define EPI epi64
#include "backends/cpu/kernels/lanes/for_type.h"
#undef EPI
#undef NO_NARROW
#undef BODY
