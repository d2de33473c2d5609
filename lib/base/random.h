// SPDX-License-Identifier: BSD-3-Clause
/* Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3,
 * SC 2011), bitwise equal for every backend, thread count, chunking and stride. L0.
 *
 * Block j of (key, draw) is Philox with key {lo(key), hi(key)} and counter {lo(j), hi(j), lo(draw), hi(draw)}.
 * 32-bit quantities: element i is lane i mod 4 of block i / 4. 64-bit ones: lanes 2 (i mod 2), +1 of block i / 2, low word
 * first. uniform float32 (and float16, bfloat16): (u >> 8) 2^-24; float64: (u >> 11) 2^-53. Normals: Box-Muller on pairs of
 * elements (2k, 2k+1) with own polynomials for log, sin and cos, no contraction.
 */
#ifndef HED_BASE_RANDOM_H
#define HED_BASE_RANDOM_H

#include <heddle/backend.h>

/* Philox4x32-10: known answers of Random123 hold. */
void hed__philox(const uint32_t ctr[4], const uint32_t key[2], uint32_t out[4]);

/* 64-bit key of child INDEX of KEY. */
uint64_t hed__fold_key(uint64_t key, uint64_t index);

/* Elements [first, first + n) of the draw described by P, as contiguous elements of DTYPE into DST.
 * bits: uint32/uint64 (int32/int64 too); uniform, normal: floats; integers: any integer dtype. */
void hed__random_fill(const hed_random_params *p, int dtype, int64_t first, int64_t n, void *dst);

#endif
