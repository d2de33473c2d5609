// SPDX-License-Identifier: BSD-3-Clause
/*
 * How vectors of words are taken apart, for partition3.h; included by sort.c alone.
 *
 * Vectors are packed and stored whole, so lists have room for 16 more. Of vectors: PARTITION_EACH, a mask for words below another,
 * and storing those of a mask or their indices, which returns how many.
 * Every instruction set.
 */
#if defined __AVX512F__
INLINE int partition_put_u32(uint32_t *to, __m512i v, unsigned m)
{
  _mm512_storeu_si512(to, _mm512_mask_compress_epi32(pack_fresh(), (__mmask16)m, v));
  return __builtin_popcount(m);
}

INLINE int partition_put_u64(uint64_t *to, __m512i v, unsigned m)
{
  _mm512_storeu_si512(to, _mm512_mask_compress_epi64(pack_fresh(), (__mmask8)m, v));
  return __builtin_popcount(m);
}

INLINE int put_from(uint64_t *to, int64_t at, unsigned m, int each)
{
  int found = 0;
  for (int k = 0; k < each; k += 8, m >>= 8)
    found += partition_put_u64(to + found, _mm512_add_epi64(IOTA_8, _mm512_set1_epi64(at + k)), m & 0xff);
  return found;
}

#define PARTITION_V __m512i
#define PARTITION_EACH_u32 16
#define PARTITION_EACH_u64 8
/* The last vector has a part of its words, which masks say. */
#define PARTITION_STEPS(i, n, each) ((i) < (n))
#define PARTITION_THERE(left, each) ((left) < (each) ? (1u << (left)) - 1 : (1u << (each)) - 1)
#define PARTITION_LOAD_u32(p, there) _mm512_maskz_loadu_epi32((__mmask16)(there), p)
#define PARTITION_LOAD_u64(p, there) _mm512_maskz_loadu_epi64((__mmask8)(there), p)
#define PARTITION_ALL_u32(w) _mm512_set1_epi32((int)(w))
#define PARTITION_ALL_u64(w) _mm512_set1_epi64((long long)(w))
#define PARTITION_LESS_u32(a, b, there) (unsigned)_mm512_mask_cmplt_epu32_mask((__mmask16)(there), a, b)
#define PARTITION_LESS_u64(a, b, there) (unsigned)_mm512_mask_cmplt_epu64_mask((__mmask8)(there), a, b)
#elif defined __AVX2__
INLINE int partition_put_u32(uint32_t *to, __m256i v, unsigned m)
{
  store_256(to, _mm256_permutevar8x32_epi32(v, pack_order(split_lanes[m])));
  return __builtin_popcount(m);
}

INLINE int partition_put_u64(uint64_t *to, __m256i v, unsigned m)
{
  store_256(to, _mm256_permutevar8x32_epi32(v, pack_order(split_pairs[m])));
  return __builtin_popcount(m);
}

#define put_from(to, at, m, each) put_indices(to, m, at)
#define PARTITION_V __m256i
#define PARTITION_EACH_u32 8
#define PARTITION_EACH_u64 4
#define PARTITION_STEPS(i, n, each) ((i) + (each) <= (n))
#define PARTITION_THERE(left, each) ((1u << (each)) - 1)
#define PARTITION_LOAD_u32(p, there) load_256(p)
#define PARTITION_LOAD_u64(p, there) load_256(p)
#define PARTITION_ALL_u32(w) _mm256_set1_epi32((int)(w))
#define PARTITION_ALL_u64(w) _mm256_set1_epi64x((long long)(w))
#define PARTITION_LESS_u32(a, b, there) (mask_32(_mm256_cmpeq_epi32(_mm256_max_epu32(a, b), a)) ^ 0xff)
#define PARTITION_LESS_u64(a, b, there) mask_64(_mm256_cmpgt_epi64(_mm256_xor_si256(b, SIGNS), _mm256_xor_si256(a, SIGNS)))
#endif
