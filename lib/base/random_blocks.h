// SPDX-License-Identifier: BSD-3-Clause
/* Blocks of Philox4x32-10, one at a time and by chunks; included by random.c, whose HOT and CHUNK it uses. L0.
 *
 * Units that multiply 32 bits by 32 into the 64 of a lane take blocks in lanes of 64 bits: what is above the low word of a
 * lane is never looked at. Even blocks and odd ones lie in vectors of their own, which fit into one another at the end.
 */
#if defined(__SSE2__)
#include <immintrin.h>
#endif

typedef hed__words lanes;

/* Multipliers and key increments of Philox4x32 (Salmon et al. 2011, table 2 and section 3.3). */
#define PHILOX_M0 0xD2511F53u
#define PHILOX_M1 0xCD9E8D57u
#define PHILOX_W0 0x9E3779B9u
#define PHILOX_W1 0xBB67AE85u
enum { PHILOX_ROUNDS = 10 };

#define PHILOX_ROUND(r)                                                                    \
  do {                                                                                     \
    uint64_t p0_ = (uint64_t)PHILOX_M0 * c0, p1_ = (uint64_t)PHILOX_M1 * c2;               \
    uint32_t n0_ = (uint32_t)(p1_ >> 32) ^ c1 ^ k0[r], n2_ = (uint32_t)(p0_ >> 32) ^ c3 ^ k1[r]; \
    c1 = (uint32_t)p1_;                                                                    \
    c3 = (uint32_t)p0_;                                                                    \
    c0 = n0_;                                                                              \
    c2 = n2_;                                                                              \
  } while (0)
#define PHILOX_ALL()                                                                       \
  do {                                                                                     \
    PHILOX_ROUND(0); PHILOX_ROUND(1); PHILOX_ROUND(2); PHILOX_ROUND(3); PHILOX_ROUND(4);   \
    PHILOX_ROUND(5); PHILOX_ROUND(6); PHILOX_ROUND(7); PHILOX_ROUND(8); PHILOX_ROUND(9);   \
  } while (0)

static void round_keys(const uint32_t key[2], uint32_t k0[PHILOX_ROUNDS], uint32_t k1[PHILOX_ROUNDS])
{
  for (uint32_t r = 0; r < PHILOX_ROUNDS; r++) {
    k0[r] = key[0] + r * PHILOX_W0;
    k1[r] = key[1] + r * PHILOX_W1;
  }
}

void hed__philox(const uint32_t ctr[4], const uint32_t key[2], uint32_t out[4])
{
  uint32_t k0[PHILOX_ROUNDS], k1[PHILOX_ROUNDS], c0 = ctr[0], c1 = ctr[1], c2 = ctr[2], c3 = ctr[3];
  round_keys(key, k0, k1);
  PHILOX_ALL();
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
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
  uint32_t k0[PHILOX_ROUNDS], k1[PHILOX_ROUNDS], key[2] = { (uint32_t)p->key, (uint32_t)(p->key >> 32) };
  uint32_t d0 = (uint32_t)p->draw, d1 = (uint32_t)(p->draw >> 32);
  round_keys(key, k0, k1);
  for (uint32_t j = 0; j < CHUNK; j++) {
    const uint64_t number = block + ((uint64_t)j << shift);
    uint32_t c0 = (uint32_t)number, c1 = (uint32_t)(number >> 32), c2 = d0, c3 = d1;
    PHILOX_ALL();
    out->w[0][j] = c0;
    out->w[1][j] = c1;
    out->w[2][j] = c2;
    out->w[3][j] = c3;
  }
}

static void make_each(const hed_random_params *p, const uint64_t *block, int count, lanes *restrict out)
{
  for (int j = 0; j < count; j++) {
    uint32_t key[2] = { (uint32_t)p->key, (uint32_t)(p->key >> 32) }, word[4];
    uint32_t ctr[4] = { (uint32_t)block[j], (uint32_t)(block[j] >> 32), (uint32_t)p->draw, (uint32_t)(p->draw >> 32) };
    hed__philox(ctr, key, word);
    for (int w = 0; w < 4; w++)
      out->w[w][j] = word[w];
  }
}
#endif
