// SPDX-License-Identifier: BSD-3-Clause
/*
 * Complex matrix times vector, and small products, of one precision; gemv.c includes this once per precision with T (a part),
 * S (its suffix), MULADD(sum, x, y) and SWAPPED_PARTS(v), parts the other way round, defined. L1.
 *
 * Parts stay interleaved: one sum of a's parts times x's, one of a's times x's swapped, and only the ends are put together.
 * Every instruction set; matrices by rows, chosen by linalg/matvec.c.
 */
#define NAME_(a, b) a##_##b
#define NAME__(a, b) NAME_(a, b)
#define F(a) NAME__(a, S)
#define V F(vec)
#define LANES ((int64_t)(CPU_VECTOR / sizeof(T)))

typedef T F(vec) __attribute__((vector_size(CPU_VECTOR)));
typedef T F(loose) __attribute__((vector_size(CPU_VECTOR), aligned(sizeof(T)), may_alias));

ALWAYS V F(load)(const T *p) { return (V)*(const F(loose) *)(const void *)p; }

/* The first N lanes, two numbers or more; others are 0. */
ALWAYS V F(load_some)(const T *p, int64_t n)
{
#if CPU_VECTOR == 64
  return sizeof(T) == 4 ? (V)_mm512_maskz_loadu_epi32((__mmask16)((1u << n) - 1), p)
                        : (V)_mm512_maskz_loadu_epi64((__mmask8)((1u << n) - 1), p);
#elif CPU_VECTOR == 32 /* two or three numbers of float32 */
  const __m128i high = n > 4 ? _mm_loadl_epi64((const __m128i *)(const void *)(p + 4)) : _mm_setzero_si128();
  return (V)_mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)p)), high, 1);
#else
  V v = { 0 };
  memcpy(&v, p, (size_t)n * sizeof(T));
  return v;
#endif
}

ALWAYS void F(store_some)(T *p, V v, int64_t n)
{
#if CPU_VECTOR == 64
  if (sizeof(T) == 4)
    _mm512_mask_storeu_epi32(p, (__mmask16)((1u << n) - 1), (__m512i)v);
  else
    _mm512_mask_storeu_epi64(p, (__mmask8)((1u << n) - 1), (__m512i)v);
#elif CPU_VECTOR == 32
  _mm_storeu_si128((__m128i *)(void *)p, _mm256_castsi256_si128((__m256i)v));
  if (n > 4)
    _mm_storel_epi64((__m128i *)(void *)(p + 4), _mm256_extracti128_si256((__m256i)v, 1));
#else
  memcpy(p, &v, (size_t)n * sizeof(T));
#endif
}

/* Numbers whose products with real and with imaginary parts were summed up apart: i CROSS + PLAIN. */
ALWAYS V F(joined)(V plain, V cross)
{
  static const T sign[16] = { -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1 };
  return MULADD(plain, SWAPPED_PARTS(cross), F(load)(sign));
}

/* The sum of every second lane. */
ALWAYS T F(pairs_of)(V v)
{
  T lane[CPU_VECTOR / sizeof(T)];
  memcpy(lane, &v, sizeof lane);
#pragma GCC unroll 4
  for (int64_t h = LANES / 2; h > 1; h /= 2)
#pragma GCC unroll 8
    for (int64_t q = 0; q < h; q++)
      lane[q] += lane[q + h];
  return lane[0];
}

/* R rows of K complex elements, U vectors of each at a time. BRIEF: no streams that the processor sees, so what comes next is
 * prefetched. */
ALWAYS void F(dots)(const int r, const int u, const bool brief, const cpu_gemv *g, int64_t first, const T *x)
{
  const T *a[4];
  V plain[4][4], cross[4][4];
#pragma GCC unroll 4
  for (int i = 0; i < r; i++) {
    a[i] = (const T *)(const void *)(g->a + (first + i) * g->a_row);
#pragma GCC unroll 4
    for (int j = 0; j < u; j++)
      plain[i][j] = cross[i][j] = (V){ 0 };
  }
  const int64_t n = 2 * g->k;
  int64_t p = 0;
  for (; p + u * LANES <= n; p += u * LANES)
#pragma GCC unroll 4
    for (int j = 0; j < u; j++) {
      const V v = F(load)(x + p + j * LANES), w = SWAPPED_PARTS(v);
#pragma GCC unroll 4
      for (int i = 0; i < r; i++) {
        const V e = F(load)(a[i] + p + j * LANES);
        if (brief)
          __builtin_prefetch((const char *)(a[i] + p + j * LANES) + r * g->a_row);
        plain[i][j] = MULADD(plain[i][j], e, v);
        cross[i][j] = MULADD(cross[i][j], e, w);
      }
    }
#pragma GCC unroll 4
  for (int i = 0; i < r; i++) {
#pragma GCC unroll 4
    for (int j = 1; j < u; j++) {
      plain[i][0] += plain[i][j];
      cross[i][0] += cross[i][j];
    }
    T re = F(pairs_of)(plain[i][0] - SWAPPED_PARTS(plain[i][0])), im = F(pairs_of)(cross[i][0] + SWAPPED_PARTS(cross[i][0]));
    for (int64_t q = p; q < n; q += 2) {
      re += a[i][q] * x[q] - a[i][q + 1] * x[q + 1];
      im += a[i][q] * x[q + 1] + a[i][q + 1] * x[q];
    }
    T *y = (T *)(void *)(g->y + (first + i) * g->y_step);
    y[0] = re;
    y[1] = im;
  }
}

static void F(rows)(const cpu_gemv *g, const void *x)
{
  int64_t i = 0;
  if (g->a_row <= BRIEF)
    for (; i + 4 <= g->m; i += 4)
      F(dots)(4, 1, true, g, i, x);
  for (; i + 4 <= g->m; i += 4)
    F(dots)(4, 1, false, g, i, x);
  for (; i < g->m; i++)
    F(dots)(1, 4, false, g, i, x);
}

/* U vectors of the result. */
ALWAYS void F(sums)(const int u, const cpu_gemv *g, int64_t first, const T *x)
{
  const char *a = g->a + first * (int64_t)(2 * sizeof(T));
  V plain[8], cross[8];
#pragma GCC unroll 8
  for (int j = 0; j < u; j++)
    plain[j] = cross[j] = (V){ 0 };
  for (int64_t p = 0; p < g->k; p++, a += g->a_col) {
    const V re = x[2 * p] - (V){ 0 }, im = x[2 * p + 1] - (V){ 0 };
#pragma GCC unroll 8
    for (int j = 0; j < u; j++) {
      const V e = F(load)((const T *)(const void *)a + j * LANES);
      plain[j] = MULADD(plain[j], e, re);
      cross[j] = MULADD(cross[j], e, im);
    }
  }
#pragma GCC unroll 8
  for (int j = 0; j < u; j++) {
    T lane[2][CPU_VECTOR / sizeof(T)];
    memcpy(lane[0], &plain[j], sizeof lane[0]);
    memcpy(lane[1], &cross[j], sizeof lane[1]);
    for (int64_t q = 0; q < LANES; q += 2) {
      T *y = (T *)(void *)(g->y + (first + (j * LANES + q) / 2) * g->y_step);
      y[0] = lane[0][q] - lane[1][q + 1];
      y[1] = lane[0][q + 1] + lane[1][q];
    }
  }
}

static void F(columns)(const cpu_gemv *g, const void *x)
{
  const int64_t per = LANES / 2;
  const T *parts = x;
  int64_t i = 0;
  for (; i + 8 * per <= g->m; i += 8 * per)
    F(sums)(8, g, i, parts);
  for (; i + per <= g->m; i += per)
    F(sums)(1, g, i, parts);
  for (; i < g->m; i++) {
    T re = 0, im = 0;
    for (int64_t p = 0; p < g->k; p++) {
      const T *e = (const T *)(const void *)(g->a + i * (int64_t)(2 * sizeof(T)) + p * g->a_col);
      re += e[0] * parts[2 * p] - e[1] * parts[2 * p + 1];
      im += e[0] * parts[2 * p + 1] + e[1] * parts[2 * p];
    }
    T *y = (T *)(void *)(g->y + i * g->y_step);
    y[0] = re;
    y[1] = im;
  }
}

/* ---- small products ---- */

/* R rows and U vectors of the columns of c, of the last vector FILLED numbers. */
ALWAYS void F(tile)(const int r, const int u, const cpu_gemm *g, const T *a, const T *b, T *c, const int64_t filled)
{
  V plain[4][2], cross[4][2], e[2];
#pragma GCC unroll 4
  for (int i = 0; i < r; i++)
#pragma GCC unroll 2
    for (int j = 0; j < u; j++)
      plain[i][j] = cross[i][j] = (V){ 0 };
  for (int64_t p = 0; p < g->k; p++, a += 2 * g->a_col, b += 2 * g->b_row) {
#pragma GCC unroll 2
    for (int j = 0; j < u; j++)
      e[j] = j == u - 1 && filled < LANES ? F(load_some)(b + j * LANES, filled) : F(load)(b + j * LANES);
#pragma GCC unroll 4
    for (int i = 0; i < r; i++) {
      const T *x = a + 2 * i * g->a_row;
      const V re = x[0] - (V){ 0 }, im = x[1] - (V){ 0 };
#pragma GCC unroll 2
      for (int j = 0; j < u; j++) {
        plain[i][j] = MULADD(plain[i][j], e[j], re);
        cross[i][j] = MULADD(cross[i][j], e[j], im);
      }
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < r; i++)
#pragma GCC unroll 2
    for (int j = 0; j < u; j++) {
      T *to = c + 2 * i * g->c_row + j * LANES;
      const V made = F(joined)(plain[i][j], cross[i][j]);
      if (j == u - 1 && filled < LANES)
        F(store_some)(to, made, filled);
      else
        *(F(loose) *)(void *)to = (F(loose))made;
    }
}

/* All rows of U vectors of columns. */
ALWAYS void F(strip)(const int r, const int u, const cpu_gemm *g, const T *a, const T *b, T *c, const int64_t filled)
{
  int64_t i = 0;
  for (; i + r <= g->m; i += r)
    F(tile)(r, u, g, a + 2 * i * g->a_row, b, c + 2 * i * g->c_row, filled);
  for (; i < g->m; i++)
    F(tile)(1, u, g, a + 2 * i * g->a_row, b, c + 2 * i * g->c_row, filled);
}

/* Columns that fill no vector are made by one that begins before them, with the same sums once more. */
static void F(products)(const cpu_gemm *g)
{
  const int64_t per = LANES / 2;
  const T *a = g->a, *b = g->b;
  T *c = g->c;
  for (int64_t q = 0; q < g->count; q++, a += 2 * g->a_step, b += 2 * g->b_step, c += 2 * g->c_step)
    for (int64_t j = 0, step; j < g->n; j += step) {
      const int64_t left = g->n - j, first = left < per && j > 0 ? g->n - per : j;
      step = left >= 2 * per ? 2 * per : per;
      if (left >= 2 * per)
        F(strip)(TILE_ROWS, 2, g, a, b + 2 * j, c + 2 * j, LANES);
      else if (left >= per || j > 0)
        F(strip)(4, 1, g, a, b + 2 * first, c + 2 * first, LANES);
      else
        F(strip)(4, 1, g, a, b, c, 2 * left);
    }
}

#undef NAME_
#undef NAME__
#undef F
#undef V
#undef LANES
#undef T
#undef S
#undef MULADD
#undef SWAPPED_PARTS
