// SPDX-License-Identifier: BSD-3-Clause
/*
 * Elements of 4, 8 or 16 bytes that are all repeated equally often; included by copy.c alone. A vector of operands
 * becomes as many vectors, each of which a permutation makes. STREAMS: they are written by non-temporal stores, where TO begins a
 * line.
 * Every instruction set, by permutations with AVX2 and AVX-512; contiguous elements.
 */
#if defined __AVX2__
enum { REPEATS_MOST = 16 };

#ifdef __AVX512F__
enum { LANES_32 = 16 };
#define PERMUTED(at, v) _mm512_permutexvar_epi32(_mm512_load_si512(at), v)
#define REPEAT_LOAD(p) _mm512_loadu_si512((const void *)(p))
#define REPEAT_STORE(p, v) _mm512_storeu_si512((void *)(p), v)
#define REPEAT_STREAM(p, v) _mm512_stream_si512((void *)(p), v)
#else
enum { LANES_32 = 8 };
#define PERMUTED(at, v) _mm256_permutevar8x32_epi32(v, _mm256_load_si256((const __m256i *)(const void *)(at)))
#define REPEAT_LOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define REPEAT_STORE(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define REPEAT_STREAM(p, v) _mm256_stream_si256((__m256i *)(void *)(p), v)
#endif

static int64_t repeat(int64_t n, int64_t times, int64_t size, char *to, const char *from, bool streams)
{
  _Alignas(64) int32_t at[REPEATS_MOST][LANES_32];
  const int64_t words = size / 4, each = LANES_32 / words;
  if (times < 1 || times > REPEATS_MOST)
    return 0;
  for (int64_t k = 0; k < times * LANES_32; k++)
    at[k / LANES_32][k % LANES_32] = (int32_t)(k / words / times * words + k % words);
  streams = streams && (uintptr_t)to % LINE == 0;
  int64_t i = 0;
  for (; i + each <= n; i += each, from += 4 * LANES_32) {
    const __typeof__(REPEAT_LOAD(from)) v = REPEAT_LOAD(from);
    __builtin_prefetch(from + 16 * LINE);
    if (streams)
      for (int64_t k = 0; k < times; k++, to += 4 * LANES_32)
        REPEAT_STREAM(to, PERMUTED(at[k], v));
    else
      for (int64_t k = 0; k < times; k++, to += 4 * LANES_32)
        REPEAT_STORE(to, PERMUTED(at[k], v));
  }
  return i;
}
#else
static int64_t repeat(int64_t n, int64_t times, int64_t size, char *to, const char *from, bool streams)
{
  (void)n, (void)times, (void)size, (void)to, (void)from, (void)streams;
  return 0;
}
#endif

/* The row of BYTES bytes at TO, ROWS times in all, by whole vectors: what is read behind it goes where the next row does. */
static void repeat_row(int64_t rows, int64_t bytes, char *to)
{
  typedef uint8_t part __attribute__((vector_size(CPU_VECTOR), aligned(1), may_alias));
  for (char *next = to + bytes; rows > 1; rows--, next += bytes)
    for (int64_t b = 0; b < bytes; b += CPU_VECTOR)
      *(part *)(void *)(next + b) = *(const part *)(const void *)(to + b);
}

static void repeat_pattern(int64_t bytes, char *to, const void *pattern)
{
  typedef uint8_t part __attribute__((vector_size(CPU_VECTOR), aligned(1), may_alias));
  enum { PATTERN = 16 };
  part all;
  for (int k = 0; k < CPU_VECTOR; k += PATTERN)
    memcpy((char *)&all + k, pattern, PATTERN);
  int64_t b = 0;
  for (; b + CPU_VECTOR <= bytes; b += CPU_VECTOR)
    *(part *)(void *)(to + b) = all;
  memcpy(to + b, &all, (size_t)(bytes - b));
}
