// SPDX-License-Identifier: BSD-3-Clause
/* Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3,
 * SC 2011), bitwise equal for every backend, thread count, chunking and stride. L0.
 *
 * Block j of (key, draw) is Philox with key {lo(key), hi(key)} and counter {lo(j), hi(j), lo(draw), hi(draw)}.
 * 32-bit quantities: element i is lane i mod 4 of block i / 4. 64-bit ones: lanes 2 (i mod 2), +1 of block i / 2, low word
 * first. Draw 2^64 - 1 is kept for hed__fold_key.
 *
 * uniform: float32 (u >> 8) 2^-24 and float64 (u >> 11) 2^-53; float16 (u >> 21) 2^-11 and bfloat16 (u >> 24) 2^-8, as
 * many bits as they hold, so that 1 is never reached by rounding. Then low + (high - low) u in double (skipped for low 0,
 * high 1), rounded once and limited to the largest value of the dtype below high; high - low must be finite.
 * normal: Box-Muller on elements (2k, 2k+1), 32 bits for the radius and 32 for the angle (float64: 64 and 64), in
 * float32 for float32 and narrower, float64 for float64, then mean + std z. integers: low + floor(u span / 2^64) with 64 bits for
 * every dtype; the frequency of a value is off by less than 2^-64, a share of span / 2^64 of it.
 */
#ifndef HED_BASE_RANDOM_H
#define HED_BASE_RANDOM_H

#include <heddle/kernel.h>

/* Philox4x32-10: known answers of Random123 hold. */
void hed__philox(const uint32_t ctr[4], const uint32_t key[2], uint32_t out[4]);

/* 64-bit key of child INDEX of KEY. */
uint64_t hed__fold_key(uint64_t key, uint64_t index);

/* Does KIND reject what it draws, and draw again (variates.h)? */
static inline bool hed__random_rejects(int kind) { return kind >= HED_RANDOM_TRUNCATED_NORMAL; }

/* Elements [first, first + n) of the draw described by P, as contiguous elements of DTYPE into DST.
 * bits: integers, 64-bit quantities for 64-bit dtypes, else the low part of 32-bit ones (bool: the lowest bit); uniform,
 * normal: real floats; integers: any integer dtype, wrapped to its width (bool: not 0). Any FIRST, also odd and beyond
 * 2^32 blocks. Reentrant; allocates nothing; about 4 KiB of stack (kinds that reject: 40 KiB). */
void hed__random_fill(const hed_random_params *p, int dtype, int64_t first, int64_t n, void *dst);

/* The same of kinds that do not reject. */
void hed__random_once(const hed_random_params *p, int dtype, int64_t first, int64_t n, void *dst);

/* The largest value of DTYPE below HIGH, but not below LOW as rounded: what uniform numbers are limited to. */
double hed__random_limit(int dtype, double low, double high);

#endif
