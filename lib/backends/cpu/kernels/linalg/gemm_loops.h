// SPDX-License-Identifier: BSD-3-Clause
/*
 * Matrix product of one type; gemm.c includes this once per type with T (the element), S (its suffix), MULADD(sum, x, y)
 * and JOINED(old, sum) defined. L1.
 *
 * A tile of ROWS x VECTORS vectors of the result is kept in registers while a row of b and a column of a go by. For larger
 * products (gemm_packed.c) both are copied in the order in which tiles read them, padded with zeros.
 * Every instruction set; matrices by rows or packed, chosen by linalg/product_own.c.
 */
#define NAME_(a, b) a##_##b
#define NAME__(a, b) NAME_(a, b)
#define F(a) NAME__(a, S)
#define V F(vec)
#define WIDTH ((int64_t)(CPU_VECTOR / sizeof(T)))

typedef T F(vec) __attribute__((vector_size(CPU_VECTOR)));
typedef T F(loose) __attribute__((vector_size(CPU_VECTOR), aligned(1), may_alias));

static ALWAYS V F(load)(const T *p) { return (V)*(const F(loose) *)(const void *)p; }

/* The first N elements, zeros behind; N is at most WIDTH. */
static ALWAYS V F(load_part)(const T *p, int64_t n)
{
#ifdef __AVX512BW__
  V v;
  if (sizeof(T) < 4 && n == WIDTH)
    return F(load)(p);
  if (sizeof(T) == 1)
    v = (V)_mm512_maskz_loadu_epi8(((__mmask64)1 << n) - 1, p);
  else if (sizeof(T) == 2)
    v = (V)_mm512_maskz_loadu_epi16((__mmask32)(((uint32_t)1 << n) - 1), p);
  else if (sizeof(T) == 4)
    v = (V)_mm512_maskz_loadu_epi32((__mmask16)((1u << n) - 1), p);
  else
    v = (V)_mm512_maskz_loadu_epi64((__mmask8)((1u << n) - 1), p);
  return v;
#else
  V v = { 0 };
  T part[CPU_VECTOR / sizeof(T)] = { 0 };
#ifdef __AVX2__
  if (sizeof(T) == 4)
    return (V)_mm256_maskload_epi32((const int *)(const void *)p,
                                    _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
  if (sizeof(T) == 8)
    return (V)_mm256_maskload_epi64((const long long *)(const void *)p,
                                    _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3)));
#endif
  if (n == WIDTH)
    return F(load)(p);
#if defined(__SSE2__) && !defined(__AVX2__)
  if (sizeof(T) >= 4)
    return (V)load_low(p, n * (int64_t)sizeof(T));
#endif
  for (int64_t j = 0; j < n; j++)
    part[j] = p[j];
  memcpy(&v, part, sizeof v);
  return v;
#endif
}

static ALWAYS void F(store_part)(T *p, V v, int64_t n)
{
  if ((CPU_VECTOR < 64 || sizeof(T) < 4) && n == WIDTH) {
    *(F(loose) *)(void *)p = (F(loose))v;
    return;
  }
#ifdef __AVX512BW__
  if (sizeof(T) == 1)
    _mm512_mask_storeu_epi8(p, ((__mmask64)1 << n) - 1, (__m512i)v);
  else if (sizeof(T) == 2)
    _mm512_mask_storeu_epi16(p, (__mmask32)(((uint32_t)1 << n) - 1), (__m512i)v);
  else if (sizeof(T) == 4)
    _mm512_mask_storeu_epi32(p, (__mmask16)((1u << n) - 1), (__m512i)v);
  else
    _mm512_mask_storeu_epi64(p, (__mmask8)((1u << n) - 1), (__m512i)v);
#else
#ifdef __SSE2__
  if (sizeof(T) >= 4) { /* from registers: what is in memory once stays there in the loops before */
#ifdef __AVX2__
    __m128i x = _mm256_castsi256_si128((__m256i)v);
    if (n & WIDTH / 2) {
      _mm_storeu_si128((__m128i *)(void *)p, x);
      x = _mm256_extracti128_si256((__m256i)v, 1);
      p += WIDTH / 2;
    }
#else
    const __m128i x = (__m128i)v;
#endif
    store_low(p, x, n * (int64_t)sizeof(T));
    return;
  }
#endif
  T part[CPU_VECTOR / sizeof(T)];
  memcpy(part, &v, sizeof v);
  for (int64_t j = 0; j < n; j++)
    p[j] = part[j];
#endif
}

/* One tile: R rows, NV vectors of which the last has LAST elements. b_row and a's strides in elements. */
static ALWAYS void F(tile)(const int r, const int nv, int64_t k, const T *a, int64_t a_row, int64_t a_col, const T *b,
                           int64_t b_row, T *c, int64_t c_row, int64_t last, bool padded, cpu_gemm_end end)
{
  V sum[ROWS][VECTORS], y[VECTORS];
#pragma GCC unroll 8
  for (int i = 0; i < r; i++)
#pragma GCC unroll 4
    for (int j = 0; j < nv; j++)
      sum[i][j] = (V){ 0 };
  if (end != CPU_GEMM_SET) /* what the sums go to is far away: it comes meanwhile */
#pragma GCC unroll 8
    for (int i = 0; i < r; i++)
#pragma GCC unroll 4
      for (int j = 0; j < nv; j++)
        __builtin_prefetch(c + i * c_row + (j < nv - 1 ? (j + 1) * WIDTH : j * WIDTH + last) - 1, 1);
  for (int64_t p = 0; p < k; p++, a += a_col, b += b_row) {
#pragma GCC unroll 4
    for (int j = 0; j < nv; j++)
      y[j] = padded || j < nv - 1 ? F(load)(b + j * WIDTH) : F(load_part)(b + j * WIDTH, last);
#pragma GCC unroll 8
    for (int i = 0; i < r; i++) {
      const V x = a[i * a_row] - (V){ 0 }; /* in every element; minus, as 0 + -0 is not -0 */
#pragma GCC unroll 4
      for (int j = 0; j < nv; j++)
        sum[i][j] = MULADD(sum[i][j], x, y[j]);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < r; i++)
#pragma GCC unroll 4
    for (int j = 0; j < nv; j++) {
      T *to = c + i * c_row + j * WIDTH;
      const int64_t n = j < nv - 1 ? WIDTH : last;
      if (end == CPU_GEMM_ADD)
        sum[i][j] = JOINED(F(load_part)(to, n), sum[i][j]);
      else if (end == CPU_GEMM_SUBTRACT)
        sum[i][j] = F(load_part)(to, n) - sum[i][j];
      F(store_part)(to, sum[i][j], n);
    }
}

#define TILE_ARGS                                                                                                    \
  int64_t k, const T *a, int64_t a_row, int64_t a_col, const T *b, int64_t b_row, T *c, int64_t c_row, int64_t last, \
      bool padded, cpu_gemm_end end
#define TILE(R, NV)                                                                 \
  static FLAT void F(tile_##R##_##NV)(TILE_ARGS)                                    \
  {                                                                                 \
    if (padded)                                                                     \
      F(tile)(R, NV, k, a, a_row, a_col, b, b_row, c, c_row, last, true, end);      \
    else                                                                            \
      F(tile)(R, NV, k, a, a_row, a_col, b, b_row, c, c_row, last, false, CPU_GEMM_SET); \
  }
#define TILES(R) TILE(R, 1) TILE(R, 2) TILE(R, 3)
TILES(1) TILES(2) TILES(4)
#if ROWS == 8
TILES(8)
#endif

/* M rows (at most ROWS) by N columns (at most those of a tile). */
static ALWAYS void F(strip)(int64_t m, int64_t n, TILE_ARGS)
{
  typedef void (*tile_fn)(TILE_ARGS);
  static const tile_fn fn[4][VECTORS] = {
    { F(tile_1_1), F(tile_1_2), F(tile_1_3) },
    { F(tile_2_1), F(tile_2_2), F(tile_2_3) },
    { F(tile_4_1), F(tile_4_2), F(tile_4_3) },
#if ROWS == 8
    { F(tile_8_1), F(tile_8_2), F(tile_8_3) },
#endif
  };
  const int64_t nv = (n + WIDTH - 1) / WIDTH;
  (void)last;
  for (int rank = ROWS == 8 ? 3 : 2; m > 0; rank--)
    for (const int64_t r = (int64_t)1 << rank; m >= r; m -= r, a += r * a_row, c += r * c_row)
      fn[rank][nv - 1](k, a, a_row, a_col, b, b_row, c, c_row, n - (nv - 1) * WIDTH, padded, end);
}

#ifdef PLAIN
#include "backends/cpu/kernels/linalg/gemm_small.h"
#else
static void F(small)(const cpu_gemm *g)
{
  const int64_t wide = VECTORS * WIDTH;
  const T *a = g->a, *b = g->b;
  T *c = g->c;
  for (int64_t q = 0; q < g->count; q++, a += g->a_step, b += g->b_step, c += g->c_step)
    for (int64_t j = 0; j < g->n; j += wide)
      for (int64_t i = 0; i < g->m; i += ROWS)
        F(strip)(g->m - i < ROWS ? g->m - i : ROWS, g->n - j < wide ? g->n - j : wide, g->k, a + i * g->a_row, g->a_row,
                 g->a_col, b + j, g->b_row, c + i * g->c_row + j, g->c_row, 0, false,
                 CPU_GEMM_SET);
}
#endif

/* R rows of a times the column, whose parts of a vector are summed up at the end. */
static ALWAYS void F(dot)(const int r, const cpu_gemm *g, const T *a, T *c)
{
  V sum[ROWS];
  const T *x = g->b;
#pragma GCC unroll 8
  for (int i = 0; i < r; i++)
    sum[i] = (V){ 0 };
  for (int64_t p = 0; p < g->k; p += WIDTH) {
    const int64_t n = g->k - p < WIDTH ? g->k - p : WIDTH;
    const V y = F(load_part)(x + p, n);
#pragma GCC unroll 8
    for (int i = 0; i < r; i++)
      sum[i] = MULADD(sum[i], F(load_part)(a + i * g->a_row + p, n), y);
  }
#pragma GCC unroll 8
  for (int i = 0; i < r; i++) {
    T part[CPU_VECTOR / sizeof(T)];
    memcpy(part, &sum[i], sizeof part);
#pragma GCC unroll 8
    for (int64_t h = WIDTH / 2; h > 0; h /= 2)
      for (int64_t q = 0; q < h; q++)
        part[q] = JOINED(part[q], part[q + h]);
    c[i * g->c_row] = part[0];
  }
}

static void F(dots)(const cpu_gemm *g)
{
  const T *a = g->a;
  T *c = g->c;
  int64_t i = 0;
  for (; i + 4 <= g->m; i += 4)
    F(dot)(4, g, a + i * g->a_row, c + i * g->c_row);
  for (; i < g->m; i++)
    F(dot)(1, g, a + i * g->a_row, c + i * g->c_row);
}

/* Products whose elements lie beside those of the next product: steps of a and b are 1. A vector is as many products. */
static void F(across)(const cpu_gemm *g)
{
  const T *a = g->a, *b = g->b;
  T *c = g->c;
  for (int64_t i = 0; i < g->m; i++)
    for (int64_t j = 0; j < g->n; j++)
      for (int64_t q = 0; q < g->count; q += WIDTH) {
        const int64_t n = g->count - q < WIDTH ? g->count - q : WIDTH;
        const T *x = a + i * g->a_row + q, *y = b + j * g->b_col + q;
        V even = { 0 }, odd = { 0 };
        int64_t p = 0;
        for (; p + 1 < g->k; p += 2, x += 2 * g->a_col, y += 2 * g->b_row) {
          even = MULADD(even, F(load_part)(x, n), F(load_part)(y, n));
          odd = MULADD(odd, F(load_part)(x + g->a_col, n), F(load_part)(y + g->b_row, n));
        }
        if (p < g->k)
          even = MULADD(even, F(load_part)(x, n), F(load_part)(y, n));
        T *to = c + i * g->c_row + j * g->c_col + q * g->c_step, sums[CPU_VECTOR / sizeof(T)];
        even = JOINED(even, odd);
        if (g->c_step == 1) {
          F(store_part)(to, even, n);
        } else {
          memcpy(sums, &even, sizeof sums);
          for (int64_t e = 0; e < n; e++)
            to[e * g->c_step] = sums[e];
        }
      }
}

/* ---- packed ---- */

/* Slivers of WIDE lines whose neighbours are beside each other; some slivers at a time: pieces of a row that are read in
 * one go. */
static ALWAYS void F(pack_rows)(const T *x, int64_t slivers, int64_t k, int64_t step, const int64_t wide, T *to)
{
  enum { GROUP = 4 };
  for (int64_t j = 0; j < slivers; j += GROUP) {
    const int64_t most = slivers - j < GROUP ? slivers - j : GROUP;
    for (int64_t p = 0; p < k; p++)
      for (int64_t q = j; q < j + most; q++)
        memcpy(to + (q * k + p) * wide, x + p * step + q * wide, (size_t)wide * sizeof(T));
  }
}

/* N lines of K elements (a line's elements STEP apart, lines LINE apart) in slivers of WIDE lines, padded. */
static ALWAYS void F(pack)(const T *x, int64_t n, int64_t k, int64_t line, int64_t step, const int64_t wide, T *to)
{
  int64_t j = 0;
  if (line == 1) {
    F(pack_rows)(x, n / wide, k, step, wide, to);
    j = n / wide * wide;
    to += j * k;
  }
  for (; j < n; j += wide, to += wide * k) {
    const int64_t count = n - j < wide ? n - j : wide;
    const T *from = x + j * line;
    if (count < wide)
      memset(to, 0, (size_t)(wide * k) * sizeof(T));
    if (line == 1) {
      for (int64_t p = 0; p < k; p++)
        memcpy(to + p * wide, from + p * step, (size_t)count * sizeof(T));
    } else if (count == ROWS && wide == ROWS) {
      int64_t p = 0;
      for (; step == 1 && ROWS == 8 && sizeof(T) >= 4 && p + 8 <= k; p += 8)
        reverse_8(sizeof(T), from + p, line, n - j >= 2 * wide ? wide * line : 0, to + p * ROWS);
      for (; p < k; p++)
        for (int64_t i = 0; i < ROWS; i++)
          to[p * ROWS + i] = from[i * line + p * step];
    } else {
      for (int64_t q = 0; q < count; q += 8) /* few lines at a time: a cache line of TO is written at once */
        for (int64_t p = 0; p < k; p++)
          for (int64_t i = q; i < q + 8 && i < count; i++)
            to[p * wide + i] = from[i * line + p * step];
    }
  }
}

static void F(pack_a)(const cpu_gemm *g, int64_t i, int64_t m, int64_t p, int64_t k, void *to)
{
  F(pack)((const T *)g->a + i * g->a_row + p * g->a_col, m, k, g->a_row, g->a_col, ROWS, to);
}

static void F(pack_b)(const cpu_gemm *g, int64_t j, int64_t n, int64_t p, int64_t k, void *to)
{
  F(pack)((const T *)g->b + p * g->b_row + j * g->b_col, n, k, g->b_col, g->b_row, VECTORS * WIDTH, to);
}

static void F(block)(const cpu_gemm *g, int64_t i, int64_t m, int64_t j, int64_t n, int64_t k, const void *a, const void *b,
                     cpu_gemm_end end)
{
  const int64_t wide = VECTORS * WIDTH;
  T *c = (T *)g->c + i * g->c_row + j;
  for (int64_t y = 0; y < n; y += wide)
    for (int64_t x = 0; x < m; x += ROWS)
      F(strip)(m - x < ROWS ? m - x : ROWS, n - y < wide ? n - y : wide, k, (const T *)a + x * k, 1, ROWS,
               (const T *)b + y * k, wide, c + x * g->c_row + y, g->c_row, 0, true, end);
}

#undef TILE
#undef TILES
#undef TILE_ARGS
#undef NAME_
#undef NAME__
#undef F
#undef V
#undef WIDTH
#undef T
#undef S
#undef MULADD
#undef JOINED
