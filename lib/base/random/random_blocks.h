// SPDX-License-Identifier: BSD-3-Clause
/* Blocks of Philox4x32-10, one at a time and by chunks; included by random.c, whose HOT and CHUNK it uses. L0.
 *
 * Units that multiply 32 bits by 32 into the 64 of a lane take blocks in lanes of 64 bits: what is above the low word of a
 * lane is never looked at. Even blocks and odd ones lie in vectors of their own, which fit into one another at the end.
 */
#include "base/random/philox.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

typedef hed__words lanes;

void hed__philox(const uint32_t ctr[4], const uint32_t key[2], uint32_t out[4])
{
  memcpy(out, ctr, 4 * sizeof *out);
  hed__philox_rounds(out, key[0], key[1]);
}

uint64_t hed__fold_key(uint64_t key, uint64_t index)
{
  /* counters with draw 2^64 - 1 are kept for this */
  uint32_t ctr[4] = { (uint32_t)index, (uint32_t)(index >> 32), UINT32_MAX, UINT32_MAX }, out[4];
  uint32_t k[2] = { (uint32_t)key, (uint32_t)(key >> 32) };
  hed__philox(ctr, k, out);
  return (uint64_t)out[1] << 32 | out[0];
}

/* make_blocks: blocks BLOCK, BLOCK + 2^SHIFT, .. BLOCK + (CHUNK - 1) 2^SHIFT. make_each: any COUNT, at most CHUNK; BLOCK
 * holds CHUNK numbers, and more blocks than COUNT may be made. */
#if defined(__SSE2__)
#if defined(__AVX512F__)
typedef uint64_t blocks_vec __attribute__((vector_size(64)));
#define WIDE_PRODUCT(a, b) (blocks_vec)_mm512_mul_epu32((__m512i)(a), (__m512i)(b))
#elif defined(__AVX2__)
typedef uint64_t blocks_vec __attribute__((vector_size(32)));
#define WIDE_PRODUCT(a, b) (blocks_vec)_mm256_mul_epu32((__m256i)(a), (__m256i)(b))
#else
typedef uint64_t blocks_vec __attribute__((vector_size(16)));
#define WIDE_PRODUCT(a, b) (blocks_vec)_mm_mul_epu32((__m128i)(a), (__m128i)(b))
#endif

/* X[ODD], X[ODD + 2], .. of two vectors. */
static inline __attribute__((always_inline)) blocks_vec every_second(const uint64_t *x, int odd)
{
  enum { LANES = sizeof(blocks_vec) / 8 };
  blocks_vec a, b;
  memcpy(&a, x, sizeof a);
  memcpy(&b, x + LANES, sizeof b);
#if defined(__clang__)
  blocks_vec out = a;
  for (int l = 0; l < LANES; l++)
    out[l] = 2 * l + odd < LANES ? a[2 * l + odd] : b[2 * l + odd - LANES];
  return out;
#else
  blocks_vec which = { 0 };
  for (int l = 0; l < LANES; l++)
    which[l] = (uint64_t)(2 * l + odd);
  return __builtin_shuffle(a, b, which);
#endif
}

/* As make_blocks; where EACH is given, blocks EACH[0], .. EACH[COUNT - 1]. */
static inline __attribute__((always_inline)) void blocks_of(const hed_random_params *p, uint64_t block, int shift,
                                                            const uint64_t *each, int count, lanes *restrict out)
{
  /* SETS independent vectors at a time, as products take long */
  enum { LANES = sizeof(blocks_vec) / 8, SETS = 4 };
  const uint64_t key[2] = { (uint32_t)p->key, p->key >> 32 };
  const blocks_vec zero = { 0 }, low = zero + UINT32_MAX, m0 = zero + PHILOX_M0, m1 = zero + PHILOX_M1;
  const blocks_vec d0 = zero + (uint32_t)p->draw, d1 = zero + (p->draw >> 32);
  blocks_vec number = zero + block;
  for (int l = 0; l < LANES; l++)
    number[l] += 2 * (uint64_t)l << shift;
  for (int j = 0; j < count; j += SETS * LANES) {
    blocks_vec c0[SETS], c1[SETS], c2[SETS], c3[SETS], k0 = zero + key[0], k1 = zero + key[1];
#pragma GCC unroll 4
    for (int s = 0; s < SETS; s++) {
      const int from = j + s / 2 * 2 * LANES;
      c0[s] = each ? every_second(each + from, s % 2) : number + ((uint64_t)(from + s % 2) << shift);
      c1[s] = c0[s] >> 32;
      c2[s] = d0;
      c3[s] = d1;
    }
#pragma GCC unroll 10
    for (int r = 0; r < PHILOX_ROUNDS; r++) {
#pragma GCC unroll 4
      for (int s = 0; s < SETS; s++) {
        const blocks_vec p0 = WIDE_PRODUCT(m0, c0[s]), p1 = WIDE_PRODUCT(m1, c2[s]);
        c0[s] = p1 >> 32 ^ (c1[s] ^ k0); /* nothing but the shift and this waits for the product */
        c2[s] = p0 >> 32 ^ (c3[s] ^ k1);
        c1[s] = p1;
        c3[s] = p0;
      }
      k0 += PHILOX_W0;
      k1 += PHILOX_W1;
    }
#pragma GCC unroll 4
    for (int s = 0; s < SETS; s += 2) {
      const blocks_vec word[4] = {
        (c0[s] & low) | c0[s + 1] << 32, (c1[s] & low) | c1[s + 1] << 32,
        (c2[s] & low) | c2[s + 1] << 32, (c3[s] & low) | c3[s + 1] << 32,
      };
      for (int w = 0; w < 4; w++)
        memcpy(&out->w[w][j + s * LANES], &word[w], sizeof word[w]);
    }
  }
}
#undef WIDE_PRODUCT

static void make_blocks(const hed_random_params *p, uint64_t block, int shift, lanes *restrict out)
{
  blocks_of(p, block, shift, NULL, CHUNK, out);
}

static void make_each(const hed_random_params *p, const uint64_t *block, int count, lanes *restrict out)
{
  blocks_of(p, 0, 0, block, count, out);
}
#else
HOT static void make_blocks(const hed_random_params *p, uint64_t block, int shift, lanes *restrict out)
{
  for (uint32_t j = 0; j < CHUNK; j++) {
    uint32_t word[4];
    hed__philox_block(p->key, p->draw, block + ((uint64_t)j << shift), word);
    for (int w = 0; w < 4; w++)
      out->w[w][j] = word[w];
  }
}

static void make_each(const hed_random_params *p, const uint64_t *block, int count, lanes *restrict out)
{
  for (int j = 0; j < count; j++) {
    uint32_t word[4];
    hed__philox_block(p->key, p->draw, block[j], word);
    for (int w = 0; w < 4; w++)
      out->w[w][j] = word[w];
  }
}
#endif
