// SPDX-License-Identifier: BSD-3-Clause
/*
 * One set of copying kernels (copy.h), compiled once per instruction set with CPU_VARIANT naming it. L1.
 *
 * A matrix is transposed by slabs of rows that are whole cache lines of the operand, and slabs by tiles in registers: with
 * AVX-512 tiles of 16 x 16 words or 8 x 8 double words, with AVX2 half as wide, elsewhere one element at a time.
 */
#include "backends/cpu/kernels/move/copy.h"
#include "backends/cpu/kernels/variant.h"
#include <stdbool.h>
#include <string.h>
#include "backends/cpu/kernels/store_line.h"

/* Two lines of a row of the operand, whose other lines stay in the cache meanwhile: as many rows of the result at once, and so
 * many columns. */
enum { SLAB = 2 * LINE, WIDE = 4096, FAR = 1 << 19 };

#define ALWAYS inline __attribute__((always_inline))

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Addresses are made where they are needed: GCC would make those of a tile first, and have no registers for them. */
#if defined(__GNUC__)
#define HERE(p) __asm__ volatile("" : "+r"(p) : : "memory")
#else
#define HERE(p) ((void)(p))
#endif

/* Elements of a size. */
typedef uint8_t bytes_1;
typedef uint16_t bytes_2;
typedef uint32_t bytes_4;
typedef uint64_t bytes_8 __attribute__((aligned(4), may_alias)); /* complex64 is aligned to four */
typedef struct bytes_16 { bytes_8 a, b; } bytes_16;

/* ---- transposition ---- */

#ifdef __SSE2__
/* Whole tiles of short elements: each round puts the second half of the rows between the elements of the first one, which turns the
 * bits of a place around by one; after as many rounds as a row's number has bits, it is the column's. */
static ALWAYS void tile_short(const int bytes, char *to, int64_t to_step, const char *from, int64_t from_step)
{
  const int side = 16 / bytes, rounds = bytes == 1 ? 4 : 3;
  __m128i r[16], o[16];
  UNROLL for (int i = 0; i < side; i++) {
    r[i] = _mm_loadu_si128((const __m128i *)(const void *)from);
    from += from_step;
    HERE(from);
  }
  UNROLL for (int k = 0; k < rounds; k++) {
    UNROLL for (int i = 0; i < side / 2; i++) {
      const __m128i a = r[i], b = r[i + side / 2];
      o[2 * i] = bytes == 1 ? _mm_unpacklo_epi8(a, b) : _mm_unpacklo_epi16(a, b);
      o[2 * i + 1] = bytes == 1 ? _mm_unpackhi_epi8(a, b) : _mm_unpackhi_epi16(a, b);
    }
    UNROLL for (int i = 0; i < side; i++)
      r[i] = o[i];
  }
  UNROLL for (int i = 0; i < side; i++) {
    _mm_storeu_si128((__m128i *)(void *)to, r[i]);
    to += to_step;
    HERE(to);
  }
}
#endif

/* Elements along a side of a tile. */
#ifdef __AVX2__
enum { SIDE_4 = CPU_VECTOR / 4, SIDE_8 = CPU_VECTOR / 8 };
#else
enum { SIDE_4 = LINE / 4, SIDE_8 = LINE / 8 };
#endif
enum { SIDE_1 = 16, SIDE_2 = 8, SIDE_16 = 8 };
#define SIDE CPU_JOIN(SIDE_, BYTES)

/* Rows of a tile of elements of 4 or 8 bytes. */
#ifdef __AVX512F__
#include "backends/cpu/kernels/transpose.h"
typedef __m512i tile_vector;
static ALWAYS __m512i load_vector(const char *from) { return _mm512_loadu_si512(from); }
static ALWAYS void store_vector(char *to, __m512i v) { _mm512_storeu_si512(to, v); }

/* Those bits that the first N elements have. */
static ALWAYS __mmask16 first_some(const int bytes, int64_t n) { return (__mmask16)((1u << least(n, LINE / bytes)) - 1); }

static ALWAYS __m512i load_some(const int bytes, __mmask16 there, const char *from)
{
  return bytes == 4 ? _mm512_maskz_loadu_epi32(there, from) : _mm512_maskz_loadu_epi64((__mmask8)there, from);
}

static ALWAYS void store_some(const int bytes, __mmask16 wanted, char *to, __m512i v)
{
  if (bytes == 4)
    _mm512_mask_storeu_epi32(to, wanted, v);
  else
    _mm512_mask_storeu_epi64(to, (__mmask8)wanted, v);
}

static ALWAYS void transpose_vectors(const int bytes, const __m512i *r, __m512i *o)
{
  if (bytes == 4)
    transpose_16_u32(r, o);
  else
    transpose_8_u64(r, o);
}
#elif defined __AVX2__
#include "backends/cpu/kernels/transpose.h"
typedef __m256i tile_vector;
static ALWAYS __m256i load_vector(const char *from) { return _mm256_loadu_si256((const __m256i *)(const void *)from); }
static ALWAYS void store_vector(char *to, __m256i v) { _mm256_storeu_si256((__m256i *)(void *)to, v); }

static ALWAYS void transpose_vectors(const int bytes, const __m256i *r, __m256i *o)
{
  if (bytes == 4)
    transpose_8x8(r, o, 1);
  else
    transpose_4x4(r, o, 1);
}
#endif

#include "backends/cpu/kernels/move/stripes.h"
#define BODY "backends/cpu/kernels/move/tile.h"
#include "backends/cpu/kernels/lanes/for_sizes.h"
#define BODY "backends/cpu/kernels/move/transpose_stream.h"
#include "backends/cpu/kernels/lanes/for_sizes.h"

#include "backends/cpu/kernels/move/compress.h"
#include "backends/cpu/kernels/move/reverse.h"
#define BODY "backends/cpu/kernels/move/sizes.h"
#include "backends/cpu/kernels/lanes/for_sizes.h"
#include "backends/cpu/kernels/move/repeat.h"

/* ---- rows ---- */

/* Rows of some lines, one after the other: their ends lie anywhere, and a store across lines takes two. */
static void row(char *to, const char *from, int64_t bytes)
{
#ifdef __AVX__
#ifdef __AVX512F__
#define ROW_BYTES 64
#define ROW_COPY(i) _mm512_storeu_si512(to + (i), _mm512_loadu_si512(from + (i)))
#else
#define ROW_BYTES 32
#define ROW_COPY(i) _mm256_storeu_si256((void *)(to + (i)), _mm256_loadu_si256((const void *)(from + (i))))
#endif
  enum { SHORT = 2048, LONG = 1 << 15, AHEAD = 512 };
  if (bytes >= SHORT && bytes <= LONG) {
    ROW_COPY(0);
    for (int64_t i = (int64_t)(-(uintptr_t)to % LINE) % ROW_BYTES; i + ROW_BYTES <= bytes; i += ROW_BYTES) {
      __builtin_prefetch(from + i + AHEAD);
      ROW_COPY(i);
    }
    ROW_COPY(bytes - ROW_BYTES);
    return;
  }
#endif
  memmove(to, from, (size_t)bytes);
}

/* ---- flags ---- */

static int64_t count_true(int64_t n, const uint8_t *flags)
{
  int64_t count = 0;
  for (int64_t begin = 0; begin < n; begin += 128) { /* sums of bytes, which do not overflow */
    const int64_t m = least(128, n - begin);
    uint8_t some = 0;
    for (int64_t i = 0; i < m; i++)
      some = (uint8_t)(some + (flags[begin + i] != 0));
    count += some;
  }
  return count;
}

#ifdef __AVX512F__
static int64_t true_indices(int64_t n, const uint8_t *flags, int64_t first, int64_t *indices)
{
  const __m512i iota = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  int64_t found = 0;
  for (int64_t i = 0; i < n; i += 64) {
    const __mmask64 there = n - i < 64 ? ((__mmask64)1 << (n - i)) - 1 : ~(__mmask64)0;
    const __m512i bytes = _mm512_maskz_loadu_epi8(there, flags + i);
    uint64_t some = _mm512_test_epi8_mask(bytes, bytes);
    __m512i at = _mm512_add_epi64(iota, _mm512_set1_epi64(first + i));
    for (; some; some >>= 8) {
      const int k = __builtin_popcount((unsigned)(some & 0xff));
      _mm512_mask_storeu_epi64(indices + found, (__mmask8)((1u << k) - 1),
                               _mm512_maskz_compress_epi64((__mmask8)some, at));
      found += k;
      at = _mm512_add_epi64(at, _mm512_set1_epi64(8));
    }
  }
  return found;
}
#else
static int64_t true_indices(int64_t n, const uint8_t *flags, int64_t first, int64_t *indices)
{
  int64_t found = 0;
  for (int64_t begin = 0; begin < n; begin += 64) {
    const int64_t m = least(64, n - begin);
    int64_t list[65], k = 0;
    for (int64_t i = 0; i < m; i++) {
      list[k] = first + begin + i;
      k += flags[begin + i] != 0;
    }
    memcpy(indices + found, list, (size_t)k * sizeof *list);
    found += k;
  }
  return found;
}
#endif

/* ---- ranges ---- */

/* Places are exact in double, and so are the offsets, which vectors convert from 32 bits. */
static void count(int32_t n, double *to, int64_t first, double start, double step)
{
  const double base = (double)first;
  for (int32_t i = 0; i < n; i++)
    to[i] = start + (base + (double)i) * step;
}

static void count_single(int32_t n, float *to, int64_t first, double start, double step)
{
  const double base = (double)first;
  for (int32_t i = 0; i < n; i++)
    to[i] = (float)(start + (base + (double)i) * step);
}

/* ---- by non-temporal stores ---- */

/* By the widest stores: of narrow ones a line takes more indices in the queue, where the loop's own stores wait behind them.
 * AHEAD: the prefetch distance. */
static ALWAYS int64_t stream_lines(char *to, const char *from, int64_t i, int64_t end, int64_t ahead)
{
#if defined(__AVX512F__)
#define STREAM_BYTES 64
#define STREAM_SOME _mm512_stream_si512((void *)(to + i), _mm512_loadu_si512((const void *)(from + i)));
#elif defined(__AVX__)
#define STREAM_BYTES 32
#define STREAM_SOME _mm256_stream_si256((void *)(to + i), _mm256_loadu_si256((const void *)(from + i)));
#elif defined(__SSE2__)
#define STREAM_BYTES 16
#define STREAM_SOME _mm_stream_si128((void *)(to + i), _mm_loadu_si128((const void *)(from + i)));
#endif
#ifdef STREAM_BYTES
  for (; i + STREAM_BYTES <= end; i += STREAM_BYTES) {
    if (ahead && i % LINE < STREAM_BYTES)
      __builtin_prefetch(from + i + ahead);
    STREAM_SOME
  }
#else
  (void)to, (void)from, (void)end, (void)ahead;
#endif
  return i;
}

static int64_t to_line(char *to, const char *from, int64_t bytes)
{
  const int64_t i = least((int64_t)(-(uintptr_t)to % LINE), bytes);
  if (i)
    memcpy(to, from, (size_t)i);
  return i;
}

static void stream(char *to, const char *from, int64_t bytes)
{
  const int64_t i = stream_lines(to, from, to_line(to, from, bytes), bytes, 0);
  memcpy(to + i, from + i, (size_t)(bytes - i));
}

/* What is long is read from two indices in turn, which memory gives in less time. */
static void stream_far(char *to, const char *from, int64_t bytes)
{
  enum { BLOCK = 512, LONG = 1 << 16, ahead = 256 };
  int64_t i = to_line(to, from, bytes);
  const int64_t half = bytes - i < LONG ? 0 : (bytes - i) / 2 / BLOCK * BLOCK, middle = i + half;
  for (; i < middle; i += BLOCK) {
    stream_lines(to, from, i, i + BLOCK, ahead);
    stream_lines(to, from, i + half, i + half + BLOCK, ahead);
  }
  i = stream_lines(to, from, i + half, bytes, ahead);
  memcpy(to + i, from + i, (size_t)(bytes - i));
}

#define WORDS(name) name##_1, name##_2, name##_4, name##_8
#define SIZES(name) WORDS(name), name##_16
const cpu_copy_kernels CPU_OF_SET(cpu_copy_kernels_) = {
  .transpose = { SIZES(transpose) },
  .transpose_stream = { NULL, NULL, transpose_stream_4, transpose_stream_8, NULL },
  .interleave = { SIZES(interleave) },
  .deinterleave = { SIZES(deinterleave) },
  .reverse = { SIZES(reverse) },
  .reverse_stream = { SIZES(reverse_stream) },
  .every_other = { SIZES(every_other) },
  .count_true = count_true,
  .true_indices = true_indices,
  .compress = { SIZES(compress) },
  .repeat = repeat,
  .repeat_widely = { WORDS(repeat_widely) },
  .repeat_row = repeat_row,
  .repeat_pattern = repeat_pattern,
  .row = row,
  .count = count,
  .count_single = count_single,
  .count_int = { WORDS(count) },
  .stream = stream,
  .stream_far = stream_far,
};
