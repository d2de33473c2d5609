// SPDX-License-Identifier: BSD-3-Clause
/* BODY for each of the eight integers: WORD is the signed one as wide, WORDS a vector of them, TWICE one
 * that products do not leave, or of 64 bits; with NO_NARROW for those of 32 and 64 bits alone. L1. */
/* A body for every type asks integers, too, whether they are NaN. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtautological-compare"
#ifndef NO_NARROW
#define S i8
#define T int8_t
#define TWICE int16_t
#define WORD int8_t
#define WORDS lanes_i8
#define PS epi8
#include "backends/cpu/kernels/lanes/for_type.h"
#define S i16
#define T int16_t
#define TWICE int32_t
#define WORD int16_t
#define WORDS lanes_i16
#define PS epi16
#include "backends/cpu/kernels/lanes/for_type.h"
#define S u8
#define T uint8_t
#define TWICE uint16_t
#define WORD int8_t
#define WORDS lanes_i8
#define PS epu8
#include "backends/cpu/kernels/lanes/for_type.h"
#define S u16
#define T uint16_t
#define TWICE uint32_t
#define WORD int16_t
#define WORDS lanes_i16
#define PS epu16
#include "backends/cpu/kernels/lanes/for_type.h"
#endif
#define S i32
#define T int32_t
#define TWICE int64_t
#define WORD int32_t
#define WORDS lanes_i32
#define PS epi32
#include "backends/cpu/kernels/lanes/for_type.h"
#define S i64
#define T int64_t
#define TWICE uint64_t
#define WORD int64_t
#define WORDS lanes_i64
#define PS epi64
#include "backends/cpu/kernels/lanes/for_type.h"
#define S u32
#define T uint32_t
#define TWICE uint64_t
#define WORD int32_t
#define WORDS lanes_i32
#define PS epu32
#include "backends/cpu/kernels/lanes/for_type.h"
#define S u64
#define T uint64_t
#define TWICE uint64_t
#define WORD int64_t
#define WORDS lanes_i64
#define PS epu64
#include "backends/cpu/kernels/lanes/for_type.h"
#pragma GCC diagnostic pop
#undef NO_NARROW
#undef BODY
