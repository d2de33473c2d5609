// SPDX-License-Identifier: BSD-3-Clause
/* BODY for words of 8, 16, 32 and 64 bits, with NO_NARROW for those of 32 and 64 bits alone; and what for_type.h says. L1. */
#ifndef NO_NARROW
#define S u8
#define T uint8_t
#define WIDTH 8
#define PS epu8
#include "backends/cpu/kernels/lanes/for_type.h"
#define S u16
#define T uint16_t
#define WIDTH 16
#define PS epu16
#include "backends/cpu/kernels/lanes/for_type.h"
#endif
#define S u32
#define T uint32_t
#define WIDTH 32
#define PS epu32
#include "backends/cpu/kernels/lanes/for_type.h"
#define S u64
#define T uint64_t
#define WIDTH 64
#define PS epu64
#include "backends/cpu/kernels/lanes/for_type.h"
#undef NO_NARROW
#undef BODY
