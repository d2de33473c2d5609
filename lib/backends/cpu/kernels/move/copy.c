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

/* CALL for the tiles of N x N that begin in row R and column C. AHEAD: from memory that is not in the L2 cache. */
#define TILES(BYTES, N, CALL)                                                                                          \
  if (rows * cols * BYTES > FAR)                                                                                       \
    TILES_OF(BYTES, N, const bool ahead = true; CALL)                                                                  \
  else                                                                                                                 \
    TILES_OF(BYTES, N, const bool ahead = false; CALL)
#define TILES_OF(BYTES, N, CALL)                                                                                       \
  for (int64_t c0 = 0; c0 < cols; c0 += WIDE)                                                                          \
    for (int64_t r0 = 0; r0 < rows; r0 += SLAB / BYTES)                                                                \
      for (int64_t r = r0; r < least(rows, r0 + SLAB / BYTES); r += N)                                                 \
        for (int64_t c = c0; c < least(cols, c0 + WIDE); c += N) {                                                     \
          CALL                                                                                                         \
        }

#define TRANSPOSE(BYTES, N)                                                                                            \
  static void transpose_##BYTES(int64_t rows, int64_t cols, char *to, int64_t to_step, const char *from,               \
                                int64_t from_step)                                                                     \
  {                                                                                                                    \
    TILES(BYTES, N, tile_##BYTES(rows - r, cols - c, to + r * to_step + c * BYTES, to_step,                            \
                                 from + c * from_step + r * BYTES, from_step, ahead);)                                 \
  }

/* A tile in plain C. */
#define TILE_PART(NAME, BYTES, N)                                                                                      \
  static ALWAYS void NAME##_##BYTES(int64_t rows, int64_t cols, char *to, int64_t to_step, const char *from,           \
                                  int64_t from_step, bool ahead)                                                       \
  {                                                                                                                    \
    (void)ahead;                                                                                                       \
    rows = least(rows, N);                                                                                             \
    cols = least(cols, N);                                                                                             \
    for (int64_t r = 0; r < rows; r++)                                                                                 \
      for (int64_t c = 0; c < cols; c++)                                                                               \
        memcpy(to + r * to_step + c * BYTES, from + c * from_step + r * BYTES, BYTES);                                 \
  }
#define TILE(BYTES, N)                                                                                                 \
  TILE_PART(tile, BYTES, N)                                                                                            \
  TRANSPOSE(BYTES, N)

#ifdef __SSE2__
/* Short elements: each round puts the second half of N rows between the elements of the first one, which turns the bits of a
 * place around by one; after as many rounds as a row's number has bits, it is the column's. */
#define TILE_SHORT(BYTES, N, ROUNDS, LOW, HIGH)                                                                        \
  TILE_PART(part, BYTES, N)                                                                                            \
  static ALWAYS void tile_##BYTES(int64_t rows, int64_t cols, char *to, int64_t to_step, const char *from,             \
                                  int64_t from_step, bool ahead)                                                       \
  {                                                                                                                    \
    __m128i r[N], o[N];                                                                                                \
    if (rows < N || cols < N) {                                                                                        \
      part_##BYTES(rows, cols, to, to_step, from, from_step, ahead);                                                   \
      return;                                                                                                          \
    }                                                                                                                  \
    _Pragma("GCC unroll 16") for (int i = 0; i < N; i++)                                                               \
      r[i] = _mm_loadu_si128((const __m128i *)(const void *)(from + i * from_step));                                   \
    _Pragma("GCC unroll 4") for (int k = 0; k < ROUNDS; k++) {                                                         \
      _Pragma("GCC unroll 8") for (int i = 0; i < N / 2; i++) {                                                        \
        o[2 * i] = LOW(r[i], r[i + N / 2]);                                                                            \
        o[2 * i + 1] = HIGH(r[i], r[i + N / 2]);                                                                       \
      }                                                                                                                \
      _Pragma("GCC unroll 16") for (int i = 0; i < N; i++)                                                             \
        r[i] = o[i];                                                                                                   \
    }                                                                                                                  \
    _Pragma("GCC unroll 16") for (int i = 0; i < N; i++)                                                               \
      _mm_storeu_si128((__m128i *)(void *)(to + i * to_step), r[i]);                                                   \
  }                                                                                                                    \
  TRANSPOSE(BYTES, N)
TILE_SHORT(1, 16, 4, _mm_unpacklo_epi8, _mm_unpackhi_epi8)
TILE_SHORT(2, 8, 3, _mm_unpacklo_epi16, _mm_unpackhi_epi16)
#else
TILE(1, 16)
TILE(2, 8)
#endif
TILE(16, 8)
#ifdef __AVX512F__
#include "backends/cpu/kernels/transpose.h"

/* Transposed rows of a tile go out: all of them, or ROWS rows of COLS columns. */
#define PUT_TILE(N)                                                                                                    \
  _Pragma("GCC unroll 16") for (int i = 0; i < N; i++) {                                                               \
    _mm512_storeu_si512(to, o[i]);                                                                                     \
    to += to_step;                                                                                                     \
    HERE(to);                                                                                                          \
  }
#define PUT_PART(N, MASK, STORE_SOME)                                                                                  \
  const MASK wanted = (MASK)((1u << least(cols, N)) - 1);                                                              \
  _Pragma("GCC unroll 16") for (int i = 0; i < N; i++)                                                                 \
    if (i < rows)                                                                                                      \
      STORE_SOME(to + i * to_step, wanted, o[i])

/* A tile of N x N, of which ROWS rows of TO are there, and COLS of its columns; the line that is next in each row of the
 * operand is prefetched. */
#define TILE_512(BYTES, N, MASK, LOAD_SOME, STORE_SOME, TRANSPOSED)                                                    \
  static ALWAYS void tile_##BYTES(int64_t rows, int64_t cols, char *to, int64_t to_step, const char *from,             \
                                  int64_t from_step, bool ahead)                                                       \
  {                                                                                                                    \
    __m512i r[N], o[N];                                                                                                \
    if (rows >= N && cols >= N) {                                                                                      \
      _Pragma("GCC unroll 16") for (int i = 0; i < N; i++) {                                                           \
        r[i] = _mm512_loadu_si512(from);                                                                               \
        if (ahead)                                                                                                     \
          __builtin_prefetch(from + LINE);                                                                             \
        from += from_step;                                                                                             \
        HERE(from);                                                                                                    \
      }                                                                                                                \
      TRANSPOSED(r, o);                                                                                                \
      PUT_TILE(N)                                                                                                      \
      return;                                                                                                          \
    }                                                                                                                  \
    const MASK there = (MASK)((1u << least(rows, N)) - 1);                                                             \
    _Pragma("GCC unroll 16") for (int i = 0; i < N; i++)                                                               \
      r[i] = i < cols ? LOAD_SOME(there, from + i * from_step) : _mm512_setzero_si512();                               \
    TRANSPOSED(r, o);                                                                                                  \
    PUT_PART(N, MASK, STORE_SOME);                                                                                     \
  }                                                                                                                    \
  TRANSPOSE(BYTES, N)
TILE_512(4, 16, __mmask16, _mm512_maskz_loadu_epi32, _mm512_mask_storeu_epi32, transpose_16_u32)
TILE_512(8, 8, __mmask8, _mm512_maskz_loadu_epi64, _mm512_mask_storeu_epi64, transpose_8_u64)
#elif defined __AVX2__
#include "backends/cpu/kernels/transpose.h"

/* Transposed rows of a whole tile go out. */
#define PUT_TILE(N)                                                                                                    \
  _Pragma("GCC unroll 8") for (int i = 0; i < N; i++) {                                                                \
    _mm256_storeu_si256((__m256i *)(void *)to, o[i]);                                                                  \
    to += to_step;                                                                                                     \
    HERE(to);                                                                                                          \
  }

/* Whole tiles of N x N in registers, parts of one by elements. */
#define TILE_256(BYTES, N)                                                                                             \
  static ALWAYS void tile_##BYTES(int64_t rows, int64_t cols, char *to, int64_t to_step, const char *from,             \
                                  int64_t from_step, bool ahead)                                                       \
  {                                                                                                                    \
    __m256i r[N], o[N];                                                                                                \
    if (rows < N || cols < N) {                                                                                        \
      for (int64_t i = 0; i < least(rows, N); i++)                                                                     \
        for (int64_t k = 0; k < least(cols, N); k++)                                                                   \
          memcpy(to + i * to_step + k * BYTES, from + k * from_step + i * BYTES, BYTES);                               \
      return;                                                                                                          \
    }                                                                                                                  \
    _Pragma("GCC unroll 8") for (int i = 0; i < N; i++) {                                                              \
      r[i] = _mm256_loadu_si256((const __m256i *)(const void *)from);                                                  \
      if (ahead)                                                                                                       \
        __builtin_prefetch(from + LINE);                                                                               \
      from += from_step;                                                                                               \
      HERE(from);                                                                                                      \
    }                                                                                                                  \
    transpose_##N##x##N(r, o, 1);                                                                                      \
    PUT_TILE(N)                                                                                                        \
  }                                                                                                                    \
  TRANSPOSE(BYTES, N)
TILE_256(4, 8)
TILE_256(8, 4)
#else
TILE(4, 16)
TILE(8, 8)
#endif

#include "backends/cpu/kernels/move/transpose_stream.h"
#ifdef __AVX512F__
TRANSPOSE_STREAM(4, 16)
TRANSPOSE_STREAM(8, 8)
#elif defined __AVX2__
TRANSPOSE_STREAM(4, 8)
TRANSPOSE_STREAM(8, 4)
#else
TRANSPOSE_STREAM(4, 16)
TRANSPOSE_STREAM(8, 8)
#endif

/* ---- interleaving ---- */

typedef uint64_t word64 __attribute__((aligned(4), may_alias)); /* complex64 is aligned to four */
typedef struct wide { word64 a, b; } wide;

/* Plain loops: stores in groups are what compilers make vectors of. */
#define INTERLEAVE(BYTES, T)                                                                                           \
  static void interleave_##BYTES(int64_t n, int32_t k, char *to, const char *const *from)                              \
  {                                                                                                                    \
    T *restrict o = (T *)(void *)to;                                                                                   \
    const T *a = (const T *)(const void *)from[0], *b = (const T *)(const void *)from[1];                              \
    const T *c = (const T *)(const void *)from[k > 2 ? 2 : 0], *d = (const T *)(const void *)from[k - 1];              \
    if (k == 2)                                                                                                        \
      for (int64_t i = 0; i < n; i++) {                                                                                \
        o[2 * i] = a[i];                                                                                               \
        o[2 * i + 1] = b[i];                                                                                           \
      }                                                                                                                \
    else if (k == 3)                                                                                                   \
      for (int64_t i = 0; i < n; i++) {                                                                                \
        o[3 * i] = a[i];                                                                                               \
        o[3 * i + 1] = b[i];                                                                                           \
        o[3 * i + 2] = c[i];                                                                                           \
      }                                                                                                                \
    else                                                                                                               \
      for (int64_t i = 0; i < n; i++) {                                                                                \
        o[4 * i] = a[i];                                                                                               \
        o[4 * i + 1] = b[i];                                                                                           \
        o[4 * i + 2] = c[i];                                                                                           \
        o[4 * i + 3] = d[i];                                                                                           \
      }                                                                                                                \
  }
INTERLEAVE(1, uint8_t)
INTERLEAVE(2, uint16_t)
INTERLEAVE(4, uint32_t)
INTERLEAVE(8, word64)
INTERLEAVE(16, wide)

#define EVERY_OTHER(BYTES, T)                                                                                          \
  static void every_other_##BYTES(int64_t n, char *to, const char *from)                                               \
  {                                                                                                                    \
    T *restrict o = (T *)(void *)to;                                                                                   \
    const T *x = (const T *)(const void *)from;                                                                        \
    for (int64_t i = 0; i < n; i++)                                                                                    \
      o[i] = x[2 * i];                                                                                                 \
  }
EVERY_OTHER(1, uint8_t)
EVERY_OTHER(2, uint16_t)
EVERY_OTHER(4, uint32_t)
EVERY_OTHER(8, word64)
EVERY_OTHER(16, wide)

#include "backends/cpu/kernels/move/deinterleave.h"
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

#include "backends/cpu/kernels/move/compress.h"
#include "backends/cpu/kernels/move/reverse.h"

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

#define COUNT_WHOLE(T)                                                                                                 \
  static void count_##T(int32_t n, void *to, uint64_t start, uint64_t step)                                            \
  {                                                                                                                    \
    T *o = to;                                                                                                         \
    for (int32_t i = 0; i < n; i++)                                                                                    \
      o[i] = (T)((T)start + 1u * (T)i * (T)step); /* unsigned, whatever T is promoted to */                            \
  }
COUNT_WHOLE(uint8_t)
COUNT_WHOLE(uint16_t)
COUNT_WHOLE(uint32_t)
COUNT_WHOLE(uint64_t)

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

const cpu_copy_kernels CPU_OF_SET(cpu_copy_kernels_) = {
  .transpose = { transpose_1, transpose_2, transpose_4, transpose_8, transpose_16 },
  .transpose_stream = { NULL, NULL, transpose_stream_4, transpose_stream_8, NULL },
  .interleave = { interleave_1, interleave_2, interleave_4, interleave_8, interleave_16 },
  .deinterleave = { deinterleave_1, deinterleave_2, deinterleave_4, deinterleave_8, deinterleave_16 },
  .reverse = { reverse_1, reverse_2, reverse_4, reverse_8, reverse_16 },
  .reverse_stream = { reverse_stream_1, reverse_stream_2, reverse_stream_4, reverse_stream_8, reverse_stream_16 },
  .every_other = { every_other_1, every_other_2, every_other_4, every_other_8, every_other_16 },
  .count_true = count_true,
  .true_indices = true_indices,
  .compress = { compress_1, compress_2, compress_4, compress_8, compress_16 },
  .repeat = repeat,
  .repeat_widely = { repeat_widely_uint8_t, repeat_widely_uint16_t, repeat_widely_uint32_t, repeat_widely_uint64_t },
  .repeat_row = repeat_row,
  .repeat_pattern = repeat_pattern,
  .row = row,
  .count = count,
  .count_single = count_single,
  .count_int = { count_uint8_t, count_uint16_t, count_uint32_t, count_uint64_t },
  .stream = stream,
  .stream_far = stream_far,
};
