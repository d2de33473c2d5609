// SPDX-License-Identifier: BSD-3-Clause
/*
 * Transposition of small matrices in registers of 512 or 256 bits; included by sort/sort.c and move/copy.c.
 * AVX2 and AVX-512.
 */
#ifndef HED_BACKENDS_CPU_K_TRANSPOSE_H
#define HED_BACKENDS_CPU_K_TRANSPOSE_H

#include <immintrin.h>

#ifdef __AVX512F__
/* Part q of the four inputs to output q, in the order of the inputs; parts have 128 bits. */
static inline __attribute__((always_inline)) void quarters(__m512i a, __m512i b, __m512i c, __m512i d, __m512i *o, int step)
{
  const __m512i ab = _mm512_shuffle_i32x4(a, b, 0x44), ab2 = _mm512_shuffle_i32x4(a, b, 0xee);
  const __m512i cd = _mm512_shuffle_i32x4(c, d, 0x44), cd2 = _mm512_shuffle_i32x4(c, d, 0xee);
  o[0] = _mm512_shuffle_i32x4(ab, cd, 0x88);
  o[step] = _mm512_shuffle_i32x4(ab, cd, 0xdd);
  o[2 * step] = _mm512_shuffle_i32x4(ab2, cd2, 0x88);
  o[3 * step] = _mm512_shuffle_i32x4(ab2, cd2, 0xdd);
}

/* Part q of u[k] gets rows 0 to 3 of lane 4 q + k. */
static inline __attribute__((always_inline)) void four_rows(const __m512i *r, __m512i *u)
{
  const __m512i a = _mm512_unpacklo_epi32(r[0], r[1]), b = _mm512_unpackhi_epi32(r[0], r[1]);
  const __m512i c = _mm512_unpacklo_epi32(r[2], r[3]), d = _mm512_unpackhi_epi32(r[2], r[3]);
  u[0] = _mm512_unpacklo_epi64(a, c);
  u[1] = _mm512_unpackhi_epi64(a, c);
  u[2] = _mm512_unpacklo_epi64(b, d);
  u[3] = _mm512_unpackhi_epi64(b, d);
}

static inline __attribute__((always_inline)) void transpose_16_u32(const __m512i *r, __m512i *o)
{
  __m512i u[16];
#pragma GCC unroll 4
  for (int g = 0; g < 16; g += 4)
    four_rows(r + g, u + g);
#pragma GCC unroll 4
  for (int k = 0; k < 4; k++)
    quarters(u[k], u[k + 4], u[k + 8], u[k + 12], o + k, 4);
}

/* STEP between the vectors of the result. */
static inline __attribute__((always_inline)) void transpose_u64(const __m512i *r, __m512i *o, int step)
{
  __m512i low[4], high[4];
#pragma GCC unroll 4
  for (int k = 0; k < 4; k++) {
    low[k] = _mm512_unpacklo_epi64(r[2 * k], r[2 * k + 1]);
    high[k] = _mm512_unpackhi_epi64(r[2 * k], r[2 * k + 1]);
  }
  quarters(low[0], low[1], low[2], low[3], o, 2 * step);
  quarters(high[0], high[1], high[2], high[3], o + step, 2 * step);
}

static inline __attribute__((always_inline)) void transpose_8_u64(const __m512i *r, __m512i *o)
{
  transpose_u64(r, o, 1);
}

#endif

/* STEP between the vectors of the result, here and below. */
static inline __attribute__((always_inline)) void transpose_8x8(const __m256i *r, __m256i *o, int step)
{
  __m256i a[8], b[8];
#pragma GCC unroll 4
  for (int k = 0; k < 8; k += 2) {
    a[k] = _mm256_unpacklo_epi32(r[k], r[k + 1]);
    a[k + 1] = _mm256_unpackhi_epi32(r[k], r[k + 1]);
  }
#pragma GCC unroll 2
  for (int k = 0; k < 8; k += 4) {
    b[k] = _mm256_unpacklo_epi64(a[k], a[k + 2]);
    b[k + 1] = _mm256_unpackhi_epi64(a[k], a[k + 2]);
    b[k + 2] = _mm256_unpacklo_epi64(a[k + 1], a[k + 3]);
    b[k + 3] = _mm256_unpackhi_epi64(a[k + 1], a[k + 3]);
  }
#pragma GCC unroll 4
  for (int k = 0; k < 4; k++) {
    o[k * step] = _mm256_permute2x128_si256(b[k], b[k + 4], 0x20);
    o[(k + 4) * step] = _mm256_permute2x128_si256(b[k], b[k + 4], 0x31);
  }
}

static inline __attribute__((always_inline)) void transpose_4x4(const __m256i *r, __m256i *o, int step)
{
  const __m256i a = _mm256_unpacklo_epi64(r[0], r[1]), b = _mm256_unpackhi_epi64(r[0], r[1]);
  const __m256i c = _mm256_unpacklo_epi64(r[2], r[3]), d = _mm256_unpackhi_epi64(r[2], r[3]);
  o[0] = _mm256_permute2x128_si256(a, c, 0x20);
  o[step] = _mm256_permute2x128_si256(b, d, 0x20);
  o[2 * step] = _mm256_permute2x128_si256(a, c, 0x31);
  o[3 * step] = _mm256_permute2x128_si256(b, d, 0x31);
}

#endif
