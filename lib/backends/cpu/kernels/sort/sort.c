// SPDX-License-Identifier: BSD-3-Clause
/*
 * One set of sorting kernels (sort.h), compiled once per instruction set with CPU_VARIANT naming it. L1.
 *
 * With AVX-512, words are sorted by the vectorised quicksort of quicksort.h, else by radix sort.
 */
#include "backends/cpu/kernels/sort/sort.h"
#include "backends/cpu/sort/sort.h"
#include "backends/cpu/kernels/variant.h"
#include "base/dtype.h"
#include <string.h>

/* ---- keys ---- */

/* Keys may take the index of their values. Was one of these -0? */
#define FLOAT_KEYS(S, K, SIGN)                                                                             \
  static bool keys_##S(int64_t n, const K *x, K *key, K invert, K merge)                                   \
  {                                                                                                        \
    K below = 0;                                                                                           \
    IVDEP for (int64_t i = 0; i < n; i++) {                                                                \
      const K b = x[i], negative = (K)(0 - (b >> (8 * sizeof(K) - 1)));                                    \
      K k = (K)(b ^ (negative | SIGN));                                                                    \
      below |= (K)(k == SIGN - 1);                                                                         \
      k = (K)(k + ((K)(k == SIGN - 1) & merge));                                                           \
      key[i] = (K)((b & (SIGN - 1)) > S##_INFINITE ? ~(K)0 : k ^ invert);                                  \
    }                                                                                                      \
    return below;                                                                                          \
  }                                                                                                        \
  static void values_##S(int64_t n, const K *key, K *out, K invert)                                        \
  {                                                                                                        \
    IVDEP for (int64_t i = 0; i < n; i++) {                                                                \
      const K k = (K)(key[i] ^ invert), negative = (K)((k >> (8 * sizeof(K) - 1)) - 1);                    \
      out[i] = (K)(key[i] == (K)~(K)0 ? S##_NAN : k ^ (negative | SIGN));                                  \
    }                                                                                                      \
  }
#define f32_INFINITE 0x7f800000u
#define f32_NAN 0x7fc00000u
#define f64_INFINITE 0x7ff0000000000000u
#define f64_NAN 0x7ff8000000000000u
FLOAT_KEYS(f32, uint32_t, 0x80000000u)
FLOAT_KEYS(f64, uint64_t, 0x8000000000000000u)

/* Floats of 16 bits, as words of 32. */
#define HALF_KEYS(S)                                                                                       \
  static void keys_##S(int64_t n, const uint16_t *x, uint32_t *key, uint32_t invert, uint32_t merge)       \
  {                                                                                                        \
    IVDEP for (int64_t i = 0; i < n; i++) {                                                                \
      const uint32_t b = x[i], negative = 0 - (b >> 15);                                                   \
      uint32_t k = (b ^ (negative | 0x8000)) & 0xffff;                                                     \
      k += (uint32_t)(k == 0x7fff) & merge;                                                                \
      key[i] = (b & 0x7fff) > S##_INFINITE ? ~(uint32_t)0 : k ^ invert;                                    \
    }                                                                                                      \
  }                                                                                                        \
  static void values_##S(int64_t n, const uint32_t *key, uint16_t *out, uint32_t invert)                   \
  {                                                                                                        \
    IVDEP for (int64_t i = 0; i < n; i++) {                                                                \
      const uint32_t k = key[i] ^ invert, negative = (k >> 15 & 1) - 1;                                    \
      out[i] = (uint16_t)(key[i] == ~(uint32_t)0 ? S##_NAN : k ^ (negative | 0x8000));                     \
    }                                                                                                      \
  }
#define f16_INFINITE 0x7c00u
#define f16_NAN 0x7e00u
#define bf16_INFINITE 0x7f80u
#define bf16_NAN 0x7fc0u
HALF_KEYS(f16)
HALF_KEYS(bf16)

/* And as themselves. */
#define own_f16_INFINITE f16_INFINITE
#define own_f16_NAN f16_NAN
#define own_bf16_INFINITE bf16_INFINITE
#define own_bf16_NAN bf16_NAN
FLOAT_KEYS(own_f16, uint16_t, 0x8000)
FLOAT_KEYS(own_bf16, uint16_t, 0x8000)

/* U: the unsigned type of the values; FLIP has the sign bit of signed ones. */
#define INT_KEYS(S, U, K)                                                                  \
  static void keys_##S(int64_t n, const U *x, K *key, K invert, U flip)                    \
  {                                                                                        \
    IVDEP for (int64_t i = 0; i < n; i++)                                                  \
      key[i] = (K)((K)(x[i] ^ flip) ^ invert);                                             \
  }                                                                                        \
  static void values_##S(int64_t n, const K *key, U *out, K invert, U flip)                \
  {                                                                                        \
    IVDEP for (int64_t i = 0; i < n; i++)                                                  \
      out[i] = (U)((U)(key[i] ^ invert) ^ flip);                                           \
  }
INT_KEYS(8, uint8_t, uint32_t)
INT_KEYS(16, uint16_t, uint32_t)
INT_KEYS(32, uint32_t, uint32_t)
INT_KEYS(64, uint64_t, uint64_t)
INT_KEYS(own_8, uint8_t, uint8_t)
INT_KEYS(own_16, uint16_t, uint16_t)

/* WHAT, keys or values, of TYPE; those of floats take what is given behind as well. */
#define BY_TYPE(WHAT, from, to, ...)                                                       \
  const uint32_t invert = descending ? UINT32_MAX : 0;                                     \
  const uint64_t invert_wide = descending ? UINT64_MAX : 0;                                \
  switch (type) {                                                                          \
  case HED_ID_FLOAT32: WHAT##_f32(n, from, to, invert __VA_ARGS__); break;                 \
  case HED_ID_FLOAT64: WHAT##_f64(n, from, to, invert_wide __VA_ARGS__); break;            \
  case HED_ID_FLOAT16: WHAT##_f16(n, from, to, invert __VA_ARGS__); break;                 \
  case HED_ID_BFLOAT16: WHAT##_bf16(n, from, to, invert __VA_ARGS__); break;               \
  case HED_ID_INT8: WHAT##_8(n, from, to, invert, 0x80); break;                            \
  case HED_ID_INT16: WHAT##_16(n, from, to, invert, 0x8000); break;                        \
  case HED_ID_INT32: WHAT##_32(n, from, to, invert, 0x80000000u); break;                   \
  case HED_ID_INT64: WHAT##_64(n, from, to, invert_wide, 0x8000000000000000u); break;      \
  case HED_ID_UINT16: WHAT##_16(n, from, to, invert, 0); break;                            \
  case HED_ID_UINT32: WHAT##_32(n, from, to, invert, 0); break;                            \
  case HED_ID_UINT64: WHAT##_64(n, from, to, invert_wide, 0); break;                       \
  default: WHAT##_8(n, from, to, invert, 0);                                               \
  }
static void keys(int type, int64_t n, const void *x, void *key, bool descending, bool merge_zeros)
{
  BY_TYPE(keys, x, key, , merge_zeros)
}
static void values(int type, int64_t n, const void *key, void *out, bool descending)
{
  BY_TYPE(values, key, out, )
}

static bool own_keys(int type, int64_t n, void *x, bool descending, bool merge_zeros)
{
  const uint8_t invert = descending ? UINT8_MAX : 0;
  const uint16_t invert_16 = descending ? UINT16_MAX : 0;
  switch (type) {
  case HED_ID_FLOAT16: return keys_own_f16(n, x, x, invert_16, merge_zeros);
  case HED_ID_BFLOAT16: return keys_own_bf16(n, x, x, invert_16, merge_zeros);
  case HED_ID_FLOAT32: return keys_f32(n, x, x, descending ? UINT32_MAX : 0, merge_zeros);
  case HED_ID_FLOAT64: return keys_f64(n, x, x, descending ? UINT64_MAX : 0, merge_zeros);
  case HED_ID_BOOL: case HED_ID_UINT8: keys_own_8(n, x, x, invert, 0); break;
  case HED_ID_INT8: keys_own_8(n, x, x, invert, 0x80); break;
  case HED_ID_INT16: keys_own_16(n, x, x, invert_16, 0x8000); break;
  case HED_ID_UINT16: keys_own_16(n, x, x, invert_16, 0); break;
  default: keys(type, n, x, x, descending, merge_zeros);
  }
  return false;
}

static void own_values(int type, int64_t n, void *key, bool descending)
{
  const uint8_t invert = descending ? UINT8_MAX : 0;
  const uint16_t invert_16 = descending ? UINT16_MAX : 0;
  switch (type) {
  case HED_ID_FLOAT16: values_own_f16(n, key, key, invert_16); break;
  case HED_ID_BFLOAT16: values_own_bf16(n, key, key, invert_16); break;
  case HED_ID_BOOL: case HED_ID_UINT8: values_own_8(n, key, key, invert, 0); break;
  case HED_ID_INT8: values_own_8(n, key, key, invert, 0x80); break;
  case HED_ID_INT16: values_own_16(n, key, key, invert_16, 0x8000); break;
  case HED_ID_UINT16: values_own_16(n, key, key, invert_16, 0); break;
  default: values(type, n, key, key, descending);
  }
}

/* ---- sorting and selection ---- */

#if defined __AVX512F__
#include "backends/cpu/kernels/sort/quicksort_512.h"
#include "backends/cpu/kernels/sort/search.h"
#elif defined __AVX2__
#include "backends/cpu/kernels/sort/quicksort_256.h"
#include "backends/cpu/kernels/sort/search.h"
#else
static void sort_u32(int64_t n, uint32_t *list, uint32_t *spare)
{
  const uint32_t *sorted = cpu_sort_u32(n, list, spare);
  if (sorted != list)
    memcpy(list, sorted, (size_t)n * sizeof *list);
}

static void sort_u64(int64_t n, uint64_t *list, uint64_t *spare)
{
  const uint64_t *sorted = cpu_sort_u64(n, list, spare);
  if (sorted != list)
    memcpy(list, sorted, (size_t)n * sizeof *list);
}

#define sort_first_u64(n, first, list, spare) sort_u64(n, list, spare)

#define DIVIDE(FN, K)                                                         \
  static int64_t FN(const K *from, K *to, int64_t n, K pivot)                 \
  {                                                                           \
    int64_t low = 0, high = n - 1;                                            \
    for (int64_t i = 0; i < n; i++) { /* to both ends, of which one counts */ \
      const K x = from[i];                                                    \
      const bool small = x <= pivot;                                          \
      to[low] = to[high] = x;                                                 \
      low += small;                                                           \
      high -= !small;                                                         \
    }                                                                         \
    return low;                                                               \
  }
DIVIDE(divide_u32, uint32_t)
DIVIDE(divide_u64, uint64_t)

#define PIVOT(FN, K)                                                                  \
  static K FN(const K *x, int64_t n)                                                  \
  {                                                                                   \
    const K a = x[n / 6], b = x[n / 2], c = x[n - n / 6 - 1];                         \
    return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);         \
  }
PIVOT(pivot_u32, uint32_t)
PIVOT(pivot_u64, uint64_t)
enum { LEAF_u32 = 48, LEAF_u64 = 48 };

#define BELOW(FN, K)                                                                                  \
  static int64_t FN(int64_t n, const K *key, K limit, int64_t first, uint64_t *indices)               \
  {                                                                                                   \
    int64_t found = 0;                                                                                \
    for (int64_t begin = 0; begin < n; begin += 64) {                                                 \
      const int64_t end = n - begin < 64 ? n : begin + 64;                                            \
      K some = 0;                                                                                     \
      for (int64_t i = begin; i < end; i++)                                                           \
        some |= (K)(key[i] < limit);                                                                  \
      if (!some)                                                                                      \
        continue;                                                                                     \
      for (int64_t i = begin; i < end; i++) {                                                         \
        indices[found] = (uint64_t)(first + i);                                                       \
        found += key[i] < limit;                                                                      \
      }                                                                                               \
    }                                                                                                 \
    return found;                                                                                     \
  }
BELOW(below_u32, uint32_t)
BELOW(below_u64, uint64_t)
#endif

#include "backends/cpu/kernels/sort/partition3.h"
#include "backends/cpu/kernels/sort/rank.h"

/* ---- indices in order ---- */

/* Indices in order of the upper bits of their keys, which few of them share, by the whole key; equal keys are in order. */
#define BY_WHOLE_KEY(K)                                                                              \
  static inline void by_whole_key_##K(int64_t n, const K *key, uint64_t *to)                         \
  {                                                                                                  \
    for (int64_t i = 1; i < n; i++) {                                                                \
      const uint64_t index = to[i];                                                                  \
      int64_t j = i;                                                                                 \
      for (; j > 0 && key[to[j - 1]] > key[index]; j--)                                              \
        to[j] = to[j - 1];                                                                           \
      to[j] = index;                                                                                 \
    }                                                                                                \
  }
BY_WHOLE_KEY(uint32_t)
BY_WHOLE_KEY(uint64_t)

/* Few keys, or keys of few bits: with the index in words of 32 bits, of which vectors hold the most. False when many agree in
 * what of their bits finds room there. */
#define ARGSORT_SHORT(FN, K)                                                                         \
  static bool FN(int64_t n, const K *key, K low, int bits, int below, uint64_t *indices, uint64_t *spare) \
  {                                                                                                  \
    const int drop = bits + below > 32 ? bits + below - 32 : 0;                                      \
    const uint32_t index = ((uint32_t)1 << below) - 1;                                               \
    uint32_t *const word = (void *)spare;                                                            \
    int64_t ties = 0;                                                                                \
    if (drop && n > SHORT)                                                                           \
      return false;                                                                                  \
    for (int64_t i = 0; i < n; i++)                                                                  \
      word[i] = (uint32_t)((uint64_t)(K)(key[i] - low) >> drop) << below | (uint32_t)i;              \
    sort_u32(n, word, word + n);                                                                     \
    for (int64_t i = 1; drop && i < n; i++)                                                          \
      ties += (word[i] ^ word[i - 1]) <= index;                                                      \
    if (ties > n / 16)                                                                               \
      return false;                                                                                  \
    for (int64_t i = 0; i < n; i++)                                                                  \
      indices[i] = word[i] & index;                                                                  \
    if (ties)                                                                                        \
      by_whole_key_##K(n, key, indices);                                                             \
    return true;                                                                                     \
  }
enum { SHORT = 4096 };
ARGSORT_SHORT(argsort_short_u32, uint32_t)
ARGSORT_SHORT(argsort_short_u64, uint64_t)

#ifdef __AVX2__
/*
 * For keys that lie evenly between their bounds: a pass puts them into buckets with room for twice as many as they get then,
 * where the next bits of a key and its index share a word of 32 bits. False when a bucket is too small.
 */
#define ARGSORT_BUCKETS(FN, K)                                                                       \
  static bool FN(int64_t n, const K *key, K low, uint64_t range, int below, uint64_t *indices, uint64_t *spare) \
  {                                                                                                  \
    enum { BUCKETS = (1 << 18) / LEAF_u32, EACH = 3 * LEAF_u32 / 4 };                                \
    uint32_t count[BUCKETS], other[4 * EACH], *const word = (void *)spare;                           \
    int shift = 0;                                                                                   \
    if (n <= SHORT || n > BUCKETS * EACH || range < (uint64_t)n)                                     \
      return false;                                                                                  \
    while (range >> shift >= BUCKETS || (range >> (shift + 1)) + 1 >= (uint64_t)n / EACH)            \
      shift++;                                                                                       \
    const int drop = shift > 32 - below ? shift - (32 - below) : 0;                                  \
    const uint64_t rest = ((uint64_t)1 << shift) - 1;                                                \
    const uint32_t buckets = (uint32_t)(range >> shift) + 1, room = 2 * (uint32_t)n / buckets;       \
    const uint32_t index = ((uint32_t)1 << below) - 1;                                               \
    memset(count, 0, sizeof count);                                                                  \
    for (int64_t i = 0; i < n; i += 61) /* some, to give up early */                                 \
      count[(uint64_t)(K)(key[i] - low) >> shift]++;                                                 \
    for (uint32_t k = 0; k < buckets; k++)                                                           \
      if (count[k] > LEAF_u32 / 16)                                                                  \
        return false;                                                                                \
    memset(count, 0, sizeof count);                                                                  \
    for (int64_t i = 0; i < n; i++) {                                                                \
      const uint64_t d = (K)(key[i] - low);                                                          \
      const uint32_t k = (uint32_t)(d >> shift), filled = count[k];                                  \
      if (filled == room)                                                                            \
        return false;                                                                                \
      word[k * room + filled] = (uint32_t)((d & rest) >> drop) << below | (uint32_t)i;               \
      count[k] = filled + 1;                                                                         \
    }                                                                                                \
    for (uint32_t k = 0; k < buckets; indices += count[k++]) {                                       \
      uint32_t *const list = word + k * room, ties = 0;                                              \
      sort_u32(count[k], list, other);                                                               \
      for (uint32_t i = 0; i < count[k]; i++)                                                        \
        indices[i] = list[i] & index;                                                                \
      for (uint32_t i = 1; drop && i < count[k]; i++)                                                \
        ties |= (list[i] ^ list[i - 1]) <= index;                                                    \
      if (ties)                                                                                      \
        by_whole_key_##K(count[k], key, indices);                                                    \
    }                                                                                                \
    return true;                                                                                     \
  }
ARGSORT_BUCKETS(argsort_buckets_u32, uint32_t)
ARGSORT_BUCKETS(argsort_buckets_u64, uint64_t)
#else
#define argsort_buckets_u32(n, key, low, range, below, indices, spare) false
#define argsort_buckets_u64(n, key, low, range, below, indices, spare) false
#endif

/* The least and the greatest: in chains, as each has to wait for its own comparison. */
#define BOUNDS(K)                                                                                    \
  static void bounds_##K(int64_t n, const K *key, K *low, K *high)                                   \
  {                                                                                                  \
    enum { CHAINS = 16 };                                                                            \
    K l[CHAINS], h[CHAINS];                                                                          \
    for (int c = 0; c < CHAINS; c++)                                                                 \
      l[c] = h[c] = key[0];                                                                          \
    int64_t i = 0;                                                                                   \
    for (; i + CHAINS <= n; i += CHAINS)                                                             \
      for (int c = 0; c < CHAINS; c++) {                                                             \
        l[c] = key[i + c] < l[c] ? key[i + c] : l[c];                                                \
        h[c] = key[i + c] > h[c] ? key[i + c] : h[c];                                                \
      }                                                                                              \
    for (; i < n; i++) {                                                                             \
      l[0] = key[i] < l[0] ? key[i] : l[0];                                                          \
      h[0] = key[i] > h[0] ? key[i] : h[0];                                                          \
    }                                                                                                \
    for (int c = 1; c < CHAINS; c++) {                                                               \
      l[0] = l[c] < l[0] ? l[c] : l[0];                                                              \
      h[0] = h[c] > h[0] ? h[c] : h[0];                                                              \
    }                                                                                                \
    *low = l[0];                                                                                     \
    *high = h[0];                                                                                    \
  }
BOUNDS(uint32_t)
BOUNDS(uint64_t)

/* Key and index share a word: what of the key's range does not fit above the index is left out, and words that agree in the
 * rest are sorted once more by it. */
#define ARGSORT(FN, SHORTLY, BY_BUCKETS, K)                                                          \
  static void FN(int64_t n, int64_t first, const K *key, uint64_t *indices, uint64_t *spare)         \
  {                                                                                                  \
    if (n < 1 || first < 1)                                                                          \
      return;                                                                                        \
    K low, high;                                                                                     \
    bounds_##K(n < 64 ? n : 64, key, &low, &high);                                                   \
    if ((K)(high - low) > (K)~(K)0 / 8 * 7) { /* near the bounds of the type, which do as well */    \
      low = 0;                                                                                       \
      high = (K)~(K)0;                                                                               \
    } else {                                                                                         \
      bounds_##K(n, key, &low, &high);                                                               \
    }                                                                                                \
    const uint64_t range = high - low, last = (uint64_t)n - 1;                                       \
    const int bits = range ? 64 - __builtin_clzll(range) : 0;                                        \
    const int below = last ? 64 - __builtin_clzll(last) : 0;                                         \
    if (first == n && below < 32 && SHORTLY(n, key, low, bits, below, indices, spare))               \
      return;                                                                                        \
    if (first == n && BY_BUCKETS(n, key, low, range, below, indices, spare))                         \
      return;                                                                                        \
    const int drop = bits + below > 64 ? bits + below - 64 : 0;                                      \
    const uint64_t index = ((uint64_t)1 << below) - 1, rest = ((uint64_t)1 << drop) - 1;             \
    for (int64_t i = 0; i < n; i++)                                                                  \
      indices[i] = (uint64_t)(K)(key[i] - low) >> drop << below | (uint64_t)i;                       \
    sort_first_u64(n, first, indices, spare);                                                        \
    int64_t known = n;                                                                               \
    if (drop && first < n) { /* all that agree with the last: some may have been left behind it */   \
      const uint64_t upper = indices[first - 1] >> below;                                            \
      for (known = first; known > 0 && indices[known - 1] >> below == upper;)                        \
        known--;                                                                                     \
      for (int64_t i = 0; i < n; i++)                                                                \
        if ((uint64_t)(K)(key[i] - low) >> drop == upper)                                            \
          indices[known++] = upper << below | (uint64_t)i;                                           \
    }                                                                                                \
    for (int64_t i = 0, end; drop && i < first; i = end) {                                           \
      for (end = i + 1; end < known && indices[i] >> below == indices[end] >> below;)                \
        end++;                                                                                       \
      if (end - i == 1)                                                                              \
        continue;                                                                                    \
      for (int64_t k = i; k < end; k++) {                                                            \
        const uint64_t at = indices[k] & index;                                                      \
        indices[k] = ((key[at] - low) & rest) << below | at;                                         \
      }                                                                                              \
      sort_u64(end - i, indices + i, spare);                                                         \
    }                                                                                                \
    for (int64_t i = 0; i < first; i++)                                                              \
      indices[i] &= index;                                                                           \
  }
ARGSORT(argsort_u32, argsort_short_u32, argsort_buckets_u32, uint32_t)
ARGSORT(argsort_u64, argsort_short_u64, argsort_buckets_u64, uint64_t)

/* ---- lanes side by side ---- */

#include "backends/cpu/kernels/sort/network.h"

/* ---- bins ---- */

static int64_t even_bins(int64_t n, const double *x, double low, double scale, double bins, double half, int64_t *bin)
{
  int64_t unsure = 0;
  for (int64_t k = 0; k < n; k++) {
    double g = (x[k] - low) * scale;
    g = g > 0 ? g : 0;
    g = g < bins ? g : bins;
    const int32_t i = (int32_t)g;
    const double off = g - (double)i - 0.5;
    const int64_t sure = (off < half) & (off > -half);
    bin[k] = (i | (sure - 1));
    unsure += 1 - sure;
  }
  return unsure;
}

const cpu_sort_kernels CPU_OF_SET(cpu_sort_kernels_) = {
  .keys = keys,
  .values = values,
  .sort_u32 = sort_u32,
  .sort_u64 = sort_u64,
  .divide_u32 = divide_u32,
  .divide_u64 = divide_u64,
  .select_u32 = select_u32,
  .select_u64 = select_u64,
  .below_u32 = below_u32,
  .below_u64 = below_u64,
  .between_u32 = between_u32,
  .between_u64 = between_u64,
  .partition3_u32 = partition3_u32,
  .partition3_u64 = partition3_u64,
  .partition3_indices_u32 = partition3_indices_u32,
  .partition3_indices_u64 = partition3_indices_u64,
#ifdef __AVX2__
  .search_f32 = search_f32,
  .search_f64 = search_f64,
  .search_i32 = search_i32,
  .search_i64 = search_i64,
#endif
  .argsort_u32 = argsort_u32,
  .argsort_u64 = argsort_u64,
  .own_keys = own_keys,
  .own_values = own_values,
  .network = { network_1, network_2, network_4, network_8 },
  .network_indices = { network_indices_1, network_indices_2, network_indices_4, network_indices_8 },
#if defined(__AVX512F__)
  .network_most = { 512, 512, 112, 48 },
  .network_indices_most = { 256, 128, 64, 44 },
#elif defined(__AVX2__)
  .network_most = { 512, 512, 112, 256 },
  .network_indices_most = { 256, 256, 48, 32 },
#else
  .network_most = { 512, 512, 512, 512 },
  .network_indices_most = { 256, 256, 256, 32 },
#endif
  .even_bins = even_bins,
  .split = &CPU_OF_SET(cpu_split_loops_),
};
