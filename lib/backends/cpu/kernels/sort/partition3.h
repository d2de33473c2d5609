// SPDX-License-Identifier: BSD-3-Clause
/*
 * Words, or their indices, that lie below, between and above two others, each in the order in which they lie; included by
 * sort.c alone.
 *
 * Vectors are packed and stored whole, so lists have room for 16 more. Of vectors: PARTITION_EACH, a mask for words below L and one
 * for those above H, and storing those of a mask or their indices, which returns how many.
 * Every instruction set; contiguous keys, chosen by sort/partition.c.
 */

/* One word after the other. */
#define PARTITION_REST(K, SINK)                                                                      \
  for (; i < n; i++) {                                                                               \
    const K w = key[i];                                                                              \
    const bool less = w < low, more = w > high;                                                      \
    SINK                                                                                             \
  }

#if defined __AVX512F__
static inline __attribute__((always_inline)) int partition_put_u32(uint32_t *to, __m512i v, unsigned m)
{
  _mm512_storeu_si512(to, _mm512_mask_compress_epi32(pack_fresh(), (__mmask16)m, v));
  return __builtin_popcount(m);
}

static inline __attribute__((always_inline)) int partition_put_u64(uint64_t *to, __m512i v, unsigned m)
{
  _mm512_storeu_si512(to, _mm512_mask_compress_epi64(pack_fresh(), (__mmask8)m, v));
  return __builtin_popcount(m);
}

static inline __attribute__((always_inline)) int put_from(uint64_t *to, int64_t at, unsigned m, int each)
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
#define PARTITION_STEPS(S) i < n
#define PARTITION_THERE(S) (n - i < PARTITION_EACH_##S ? (1u << (n - i)) - 1 : (1u << PARTITION_EACH_##S) - 1)
#define PARTITION_LOAD_u32(p, there) _mm512_maskz_loadu_epi32((__mmask16)(there), p)
#define PARTITION_LOAD_u64(p, there) _mm512_maskz_loadu_epi64((__mmask8)(there), p)
#define PARTITION_ALL_u32(w) _mm512_set1_epi32((int)(w))
#define PARTITION_ALL_u64(w) _mm512_set1_epi64((long long)(w))
#define PARTITION_LESS_u32(a, b, there) (unsigned)_mm512_mask_cmplt_epu32_mask((__mmask16)(there), a, b)
#define PARTITION_LESS_u64(a, b, there) (unsigned)_mm512_mask_cmplt_epu64_mask((__mmask8)(there), a, b)
#elif defined __AVX2__
static inline __attribute__((always_inline)) int partition_put_u32(uint32_t *to, __m256i v, unsigned m)
{
  store_256(to, _mm256_permutevar8x32_epi32(v, pack_order(split_lanes[m])));
  return __builtin_popcount(m);
}

static inline __attribute__((always_inline)) int partition_put_u64(uint64_t *to, __m256i v, unsigned m)
{
  store_256(to, _mm256_permutevar8x32_epi32(v, pack_order(split_pairs[m])));
  return __builtin_popcount(m);
}

#define put_from(to, at, m, each) put_indices(to, m, at)
#define PARTITION_V __m256i
#define PARTITION_EACH_u32 8
#define PARTITION_EACH_u64 4
#define PARTITION_STEPS(S) i + PARTITION_EACH_##S <= n
#define PARTITION_THERE(S) ((1u << PARTITION_EACH_##S) - 1)
#define PARTITION_LOAD_u32(p, there) load_256(p)
#define PARTITION_LOAD_u64(p, there) load_256(p)
#define PARTITION_ALL_u32(w) _mm256_set1_epi32((int)(w))
#define PARTITION_ALL_u64(w) _mm256_set1_epi64x((long long)(w))
#define PARTITION_LESS_u32(a, b, there) (mask_32(_mm256_cmpeq_epi32(_mm256_max_epu32(a, b), a)) ^ 0xff)
#define PARTITION_LESS_u64(a, b, there) mask_64(_mm256_cmpgt_epi64(_mm256_xor_si256(b, SIGNS), _mm256_xor_si256(a, SIGNS)))
#endif

#ifdef PARTITION_V
#define PARTITION_WHOLE(S, SINK)                                                                             \
  const PARTITION_V l = PARTITION_ALL_##S(low), h = PARTITION_ALL_##S(high);                                 \
  for (; PARTITION_STEPS(S); i += PARTITION_EACH_##S) {                                                      \
    const unsigned there = PARTITION_THERE(S);                                                               \
    const PARTITION_V v = PARTITION_LOAD_##S(key + i, there);                                                \
    const unsigned less = PARTITION_LESS_##S(v, l, there), more = PARTITION_LESS_##S(h, v, there);           \
    const unsigned rest = there & ~(less | more);                                                            \
    SINK                                                                                                     \
  }
#else
#define PARTITION_WHOLE(S, SINK)
#endif

#define PARTITION(S, K)                                                                              \
  static void between_##S(int64_t n, const K *key, K low, K high, K *mid, int64_t *count)            \
  {                                                                                                  \
    int64_t i = 0, below = 0, m = 0;                                                                 \
    PARTITION_WHOLE(S, {                                                                             \
      below += __builtin_popcount(less);                                                             \
      m += partition_put_##S(mid + m, v, rest);                                                      \
    })                                                                                               \
    PARTITION_REST(K, {                                                                              \
      mid[m] = w;                                                                                    \
      below += less;                                                                                 \
      m += !less & !more;                                                                            \
    })                                                                                               \
    count[0] = below;                                                                                \
    count[1] = m;                                                                                    \
  }                                                                                                  \
  static void partition3_##S(int64_t n, const K *key, K low, K high, K *below, K *mid, K *above, int64_t *count) \
  {                                                                                                  \
    int64_t i = 0, b = 0, m = 0, a = 0;                                                              \
    PARTITION_WHOLE(S, {                                                                             \
      b += partition_put_##S(below + b, v, less);                                                    \
      a += partition_put_##S(above + a, v, more);                                                    \
      if (rest)                                                                                      \
        m += partition_put_##S(mid + m, v, rest);                                                    \
    })                                                                                               \
    PARTITION_REST(K, {                                                                              \
      below[b] = mid[m] = above[a] = w;                                                              \
      b += less;                                                                                     \
      a += more;                                                                                     \
      m += !less & !more;                                                                            \
    })                                                                                               \
    count[0] = b;                                                                                    \
    count[1] = m;                                                                                    \
  }                                                                                                  \
  static void partition3_indices_##S(int64_t n, const K *key, K low, K high, int64_t first, uint64_t *below, uint64_t *mid, \
                               uint64_t *above, int64_t *count)                                      \
  {                                                                                                  \
    int64_t i = 0, b = 0, m = 0, a = 0;                                                              \
    PARTITION_WHOLE(S, {                                                                             \
      b += put_from(below + b, first + i, less, PARTITION_EACH_##S);                             \
      a += put_from(above + a, first + i, more, PARTITION_EACH_##S);                             \
      if (rest)                                                                                      \
        m += put_from(mid + m, first + i, rest, PARTITION_EACH_##S);                             \
      (void)v;                                                                                       \
    })                                                                                               \
    PARTITION_REST(K, {                                                                              \
      below[b] = mid[m] = above[a] = (uint64_t)(first + i);                                          \
      b += less;                                                                                     \
      a += more;                                                                                     \
      m += !less & !more;                                                                            \
    })                                                                                               \
    count[0] = b;                                                                                    \
    count[1] = m;                                                                                    \
  }
PARTITION(u32, uint32_t)
PARTITION(u64, uint64_t)
