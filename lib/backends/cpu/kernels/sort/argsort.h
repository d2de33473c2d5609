// SPDX-License-Identifier: BSD-3-Clause
/* Indices in the order of their keys T; a body, included by sort.c for words of 32 and 64 bits. Every instruction set. */

/* Indices in order of the upper bits of their keys, which few of them share, by the whole key; equal keys are in order. */
static inline void N(by_whole_key)(int64_t n, const T *key, uint64_t *to)
{
  for (int64_t i = 1; i < n; i++) {
    const uint64_t index = to[i];
    int64_t j = i;
    for (; j > 0 && key[to[j - 1]] > key[index]; j--)
      to[j] = to[j - 1];
    to[j] = index;
  }
}

/* Few keys, or keys of few bits: with the index in words of 32 bits, of which vectors hold the most. False when many agree in
 * what of their bits finds room there. */
static bool N(argsort_short)(int64_t n, const T *key, T low, int bits, int below, uint64_t *indices, uint64_t *spare)
{
  const int drop = bits + below > 32 ? bits + below - 32 : 0;
  const uint32_t index = ((uint32_t)1 << below) - 1;
  uint32_t *const word = (void *)spare;
  int64_t ties = 0;
  if (drop && n > SHORT)
    return false;
  for (int64_t i = 0; i < n; i++)
    word[i] = (uint32_t)((uint64_t)(T)(key[i] - low) >> drop) << below | (uint32_t)i;
  sort_u32(n, word, word + n);
  for (int64_t i = 1; drop && i < n; i++)
    ties += (word[i] ^ word[i - 1]) <= index;
  if (ties > n / 16)
    return false;
  for (int64_t i = 0; i < n; i++)
    indices[i] = word[i] & index;
  if (ties)
    N(by_whole_key)(n, key, indices);
  return true;
}

/*
 * For keys that lie evenly between their bounds: a pass puts them into buckets with room for twice as many as they get then,
 * where the next bits of a key and its index share a word of 32 bits. False when a bucket is too small.
 */
#ifdef __AVX2__
static bool N(argsort_buckets)(int64_t n, const T *key, T low, uint64_t range, int below, uint64_t *indices, uint64_t *spare)
{
  enum { BUCKETS = (1 << 18) / LEAF_u32, EACH = 3 * LEAF_u32 / 4 };
  uint32_t count[BUCKETS], other[4 * EACH], *const word = (void *)spare;
  int shift = 0;
  if (n <= SHORT || n > BUCKETS * EACH || range < (uint64_t)n)
    return false;
  while (range >> shift >= BUCKETS || (range >> (shift + 1)) + 1 >= (uint64_t)n / EACH)
    shift++;
  const int drop = shift > 32 - below ? shift - (32 - below) : 0;
  const uint64_t rest = ((uint64_t)1 << shift) - 1;
  const uint32_t buckets = (uint32_t)(range >> shift) + 1, room = 2 * (uint32_t)n / buckets;
  const uint32_t index = ((uint32_t)1 << below) - 1;
  memset(count, 0, sizeof count);
  for (int64_t i = 0; i < n; i += 61) /* some, to give up early */
    count[(uint64_t)(T)(key[i] - low) >> shift]++;
  for (uint32_t k = 0; k < buckets; k++)
    if (count[k] > LEAF_u32 / 16)
      return false;
  memset(count, 0, sizeof count);
  for (int64_t i = 0; i < n; i++) {
    const uint64_t d = (T)(key[i] - low);
    const uint32_t k = (uint32_t)(d >> shift), filled = count[k];
    if (filled == room)
      return false;
    word[k * room + filled] = (uint32_t)((d & rest) >> drop) << below | (uint32_t)i;
    count[k] = filled + 1;
  }
  for (uint32_t k = 0; k < buckets; indices += count[k++]) {
    uint32_t *const list = word + k * room, ties = 0;
    sort_u32(count[k], list, other);
    for (uint32_t i = 0; i < count[k]; i++)
      indices[i] = list[i] & index;
    for (uint32_t i = 1; drop && i < count[k]; i++)
      ties |= (list[i] ^ list[i - 1]) <= index;
    if (ties)
      N(by_whole_key)(count[k], key, indices);
  }
  return true;
}
#else
#define argsort_buckets_u32(n, key, low, range, below, indices, spare) false
#define argsort_buckets_u64(n, key, low, range, below, indices, spare) false
#endif

/* The least and the greatest: in chains, as each has to wait for its own comparison. */
static void N(bounds)(int64_t n, const T *key, T *low, T *high)
{
  enum { CHAINS = 16 };
  T l[CHAINS], h[CHAINS];
  for (int c = 0; c < CHAINS; c++)
    l[c] = h[c] = key[0];
  int64_t i = 0;
  for (; i + CHAINS <= n; i += CHAINS)
    for (int c = 0; c < CHAINS; c++) {
      l[c] = key[i + c] < l[c] ? key[i + c] : l[c];
      h[c] = key[i + c] > h[c] ? key[i + c] : h[c];
    }
  for (; i < n; i++) {
    l[0] = key[i] < l[0] ? key[i] : l[0];
    h[0] = key[i] > h[0] ? key[i] : h[0];
  }
  for (int c = 1; c < CHAINS; c++) {
    l[0] = l[c] < l[0] ? l[c] : l[0];
    h[0] = h[c] > h[0] ? h[c] : h[0];
  }
  *low = l[0];
  *high = h[0];
}

/* Key and index share a word: what of the key's range does not fit above the index is left out, and words that agree in the
 * rest are sorted once more by it. */
static void N(argsort)(int64_t n, int64_t first, const T *key, uint64_t *indices, uint64_t *spare)
{
  if (n < 1 || first < 1)
    return;
  T low, high;
  N(bounds)(n < 64 ? n : 64, key, &low, &high);
  if ((T)(high - low) > (T)~(T)0 / 8 * 7) { /* near the bounds of the type, which do as well */
    low = 0;
    high = (T)~(T)0;
  } else {
    N(bounds)(n, key, &low, &high);
  }
  const uint64_t range = high - low, last = (uint64_t)n - 1;
  const int bits = range ? 64 - __builtin_clzll(range) : 0;
  const int below = last ? 64 - __builtin_clzll(last) : 0;
  if (first == n && below < 32 && N(argsort_short)(n, key, low, bits, below, indices, spare))
    return;
  if (first == n && N(argsort_buckets)(n, key, low, range, below, indices, spare))
    return;
  const int drop = bits + below > 64 ? bits + below - 64 : 0;
  const uint64_t index = ((uint64_t)1 << below) - 1, rest = ((uint64_t)1 << drop) - 1;
  for (int64_t i = 0; i < n; i++)
    indices[i] = (uint64_t)(T)(key[i] - low) >> drop << below | (uint64_t)i;
  sort_first_u64(n, first, indices, spare);
  int64_t known = n;
  if (drop && first < n) { /* all that agree with the last: some may have been left behind it */
    const uint64_t upper = indices[first - 1] >> below;
    for (known = first; known > 0 && indices[known - 1] >> below == upper;)
      known--;
    for (int64_t i = 0; i < n; i++)
      if ((uint64_t)(T)(key[i] - low) >> drop == upper)
        indices[known++] = upper << below | (uint64_t)i;
  }
  for (int64_t i = 0, end; drop && i < first; i = end) {
    for (end = i + 1; end < known && indices[i] >> below == indices[end] >> below;)
      end++;
    if (end - i == 1)
      continue;
    for (int64_t k = i; k < end; k++) {
      const uint64_t at = indices[k] & index;
      indices[k] = ((key[at] - low) & rest) << below | at;
    }
    sort_u64(end - i, indices + i, spare);
  }
  for (int64_t i = 0; i < first; i++)
    indices[i] &= index;
}
