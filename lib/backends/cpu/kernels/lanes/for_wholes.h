// SPDX-License-Identifier: BSD-3-Clause
/* BODY for each of the eight integers, those without a sign first: TWICE is one that products do not leave, or of 64 bits, HAS_SIGN
 * 1 or 0; and what for_type.h says; with NO_NARROW for those of 32 and 64 bits alone, with NO_UNSIGNED for those with a sign. L1. */
/* A body for every type asks integers, too, whether they are NaN, and those without a sign whether they are below 0. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Wtype-limits"
#ifndef NO_UNSIGNED
#define HAS_SIGN 0
#ifndef NO_NARROW
#define S u8
#define T uint8_t
#define WIDTH 8
#define TWICE uint16_t
#define PS epu8
#include "backends/cpu/kernels/lanes/for_type.h"
#define S u16
#define T uint16_t
#define WIDTH 16
#define TWICE uint32_t
#define PS epu16
#include "backends/cpu/kernels/lanes/for_type.h"
#endif
#define S u32
#define T uint32_t
#define WIDTH 32
#define TWICE uint64_t
#define PS epu32
#include "backends/cpu/kernels/lanes/for_type.h"
#define S u64
#define T uint64_t
#define WIDTH 64
#define TWICE uint64_t
#define PS epu64
#include "backends/cpu/kernels/lanes/for_type.h"
#undef HAS_SIGN
#endif
#define HAS_SIGN 1
#ifndef NO_NARROW
#define S i8
#define T int8_t
#define WIDTH 8
#define TWICE int16_t
#define PS epi8
#include "backends/cpu/kernels/lanes/for_type.h"
#define S i16
#define T int16_t
#define WIDTH 16
#define TWICE int32_t
#define PS epi16
#include "backends/cpu/kernels/lanes/for_type.h"
#endif
#define S i32
#define T int32_t
#define WIDTH 32
#define TWICE int64_t
#define PS epi32
#include "backends/cpu/kernels/lanes/for_type.h"
#define S i64
#define T int64_t
#define WIDTH 64
#define TWICE uint64_t
#define PS epi64
#include "backends/cpu/kernels/lanes/for_type.h"
#undef HAS_SIGN
#pragma GCC diagnostic pop
#undef NO_NARROW
#undef NO_UNSIGNED
#undef BODY
