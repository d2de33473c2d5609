// SPDX-License-Identifier: BSD-3-Clause
/*
 * Small products of floats, for which a call costs as much as the arithmetic: gemm_loops.h includes this for the types for
 * which PLAIN is defined. L1.
 * Every instruction set; matrices by rows.
 */

/* R rows from I on by columns from J on, NV vectors of which the last has LAST elements. Each pair of numbers has a function
 * of its own: what one hundred multiplications need beside them is to be little. */
#define PIECE_ARGS const hed_view *to, const hed_view *left, const hed_view *right, int64_t i, int64_t j, int64_t last

static ALWAYS V F(broadcast)(const char *x) { return *(const T *)(const void *)x - (V){ 0 }; } /* minus: see tile() */

/* A last vector of 64 bytes of which at most the lower half is needed: some processors take half the time for that. */
#if CPU_VECTOR == 64
#define HALVES 2
typedef T F(half) __attribute__((vector_size(CPU_VECTOR / 2)));
#define H F(half)

static ALWAYS H F(half_load)(const T *p, int64_t n)
{
  const __mmask8 some = (__mmask8)((1u << n) - 1);
  return sizeof(T) == 4 ? (H)_mm256_maskz_loadu_epi32(some, p) : (H)_mm256_maskz_loadu_epi64(some, p);
}

static ALWAYS void F(half_store)(T *p, H v, int64_t n)
{
  const __mmask8 some = (__mmask8)((1u << n) - 1);
  if (sizeof(T) == 4)
    _mm256_mask_storeu_epi32(p, some, (__m256i)v);
  else
    _mm256_mask_storeu_epi64(p, some, (__m256i)v);
}

static ALWAYS H F(half_muladd)(H sum, const char *x, H y)
{
  const H all = *(const T *)(const void *)x - (H){ 0 };
  return sizeof(T) == 4 ? (H)_mm256_fmadd_ps((__m256)all, (__m256)y, (__m256)sum)
                        : (H)_mm256_fmadd_pd((__m256d)all, (__m256d)y, (__m256d)sum);
}
#else /* never prefetched */
#define HALVES 1
#define H V
#define half_load load_part
#define half_store store_part
static ALWAYS H F(half_muladd)(H sum, const char *x, H y) { return MULADD(sum, F(broadcast)(x), y); }
#endif

static ALWAYS void F(piece)(const int r, const int nv, const bool half, PIECE_ARGS)
{
  enum { HALF = 4 }; /* rows whose addresses are one register and multiples of another */
  const int64_t size = sizeof(T), a_row = left->stride[0], a_col = left->stride[1], b_row = right->stride[0];
  const int whole = nv - half;
  const char *a = (const char *)left->data + i * a_row, *far = a + HALF * a_row;
  const char *b = (const char *)right->data + j * size;
  V sum[ROWS][VECTORS], y[VECTORS];
  H rest[ROWS], z = { 0 };
#pragma GCC unroll 8
  for (int q = 0; q < r; q++) {
    rest[q] = z;
#pragma GCC unroll 4
    for (int h = 0; h < whole; h++)
      sum[q][h] = (V){ 0 };
  }
  for (int64_t p = left->dim[1]; p > 0; p--, a += a_col, far += a_col, b += b_row) {
    const T *from = (const T *)(const void *)b;
#pragma GCC unroll 4
    for (int h = 0; h < whole; h++)
      y[h] = h < nv - 1 ? F(load)(from + h * WIDTH) : F(load_part)(from + h * WIDTH, last);
    if (half)
      z = F(half_load)(from + whole * WIDTH, last);
#pragma GCC unroll 8
    for (int q = 0; q < r; q++) {
      const char *x = q < HALF ? a + q * a_row : far + (q - HALF) * a_row;
#pragma GCC unroll 4
      for (int h = 0; h < whole; h++)
        sum[q][h] = MULADD(sum[q][h], F(broadcast)(x), y[h]);
      if (half)
        rest[q] = F(half_muladd)(rest[q], x, z);
    }
  }
  char *c = (char *)to->data + i * to->stride[0] + j * size;
#pragma GCC unroll 8
  for (int q = 0; q < r; q++, c += to->stride[0]) {
    T *row = (T *)(void *)c;
#pragma GCC unroll 4
    for (int h = 0; h < whole; h++)
      F(store_part)(row + h * WIDTH, sum[q][h], h < nv - 1 ? WIDTH : last);
    if (half)
      F(half_store)(row + whole * WIDTH, rest[q], last);
  }
}

#define PIECE(R, NV, HALF) \
  static FLAT void F(piece_##R##_##NV##_##HALF)(PIECE_ARGS) { F(piece)(R, NV, HALF, to, left, right, i, j, last); }
#define FOUR(NV, HALF) PIECE(1, NV, HALF) PIECE(2, NV, HALF) PIECE(3, NV, HALF) PIECE(4, NV, HALF)
#define FOUR_NAMES(NV, HALF) F(piece_1_##NV##_##HALF), F(piece_2_##NV##_##HALF), F(piece_3_##NV##_##HALF), F(piece_4_##NV##_##HALF)
#if ROWS == 8
#define PIECES(NV, HALF) FOUR(NV, HALF) PIECE(5, NV, HALF) PIECE(6, NV, HALF) PIECE(7, NV, HALF) PIECE(8, NV, HALF)
#define NAMES(NV, HALF)                                                                                              \
  { FOUR_NAMES(NV, HALF), F(piece_5_##NV##_##HALF), F(piece_6_##NV##_##HALF), F(piece_7_##NV##_##HALF),              \
    F(piece_8_##NV##_##HALF) }
#else
#define PIECES FOUR
#define NAMES(NV, HALF) { FOUR_NAMES(NV, HALF) }
#endif
PIECES(1, 0) PIECES(2, 0) PIECES(3, 0)
#if HALVES == 2
PIECES(1, 1) PIECES(2, 1) PIECES(3, 1)
#endif

static void (*const F(pieces)[HALVES][VECTORS][ROWS])(PIECE_ARGS) = {
  { NAMES(1, 0), NAMES(2, 0), NAMES(3, 0) },
#if HALVES == 2
  { NAMES(1, 1), NAMES(2, 1), NAMES(3, 1) },
#endif
};

/* Whether LAST elements are a half. */
static ALWAYS int F(is_half)(int64_t last) { return HALVES == 2 && last <= WIDTH / 2; }

static FLAT void F(plain_more)(const hed_view *to, const hed_view *left, const hed_view *right)
{
  const int64_t m = to->dim[0], n = to->dim[1];
  for (int64_t j = 0; j < n;) {
    const int64_t rest = n - j;
    /* of four vectors no single one is left */
    const int64_t nv = rest <= WIDTH ? 1 : rest <= 2 * WIDTH || (rest > 3 * WIDTH && rest <= 4 * WIDTH) ? 2 : 3;
    const int64_t some = rest < nv * WIDTH ? rest : nv * WIDTH, last = some - (nv - 1) * WIDTH;
    for (int64_t i = 0; i < m; i += ROWS)
      F(pieces)[F(is_half)(last)][nv - 1][m - i < ROWS ? m - i - 1 : ROWS - 1](to, left, right, i, j, last);
    j += some;
  }
}

static void F(plain)(const hed_view *to, const hed_view *left, const hed_view *right)
{
  const int64_t m = to->dim[0], n = to->dim[1];
  if ((uint64_t)(m - 1) < ROWS && n <= WIDTH)
    F(pieces)[F(is_half)(n)][0][m - 1](to, left, right, 0, 0, n);
  else
    F(plain_more)(to, left, right);
}

/* What plain() looks at of a view. */
static ALWAYS hed_view F(lies)(const void *data, int64_t rows, int64_t cols, int64_t row, int64_t col)
{
  const int64_t size = sizeof(T);
  hed_view v;
  v.data = (void *)(uintptr_t)data;
  v.dim[0] = rows;
  v.dim[1] = cols;
  v.stride[0] = row * size;
  v.stride[1] = col * size;
  return v;
}

/* Rows that are read in pieces, which hardware does not prefetch. */
static ALWAYS void F(prefetch)(const cpu_gemm *g, const T *b)
{
  for (int64_t p = 0; p < g->k; p++, b += g->b_row)
    for (int64_t i = 0; i < g->n; i += LINE / (int64_t)sizeof(T))
      __builtin_prefetch(b + i, 0, 2);
}

static void F(small)(const cpu_gemm *g)
{
  hed_view c = F(lies)(g->c, g->m, g->n, g->c_row, 1), a = F(lies)(g->a, g->m, g->k, g->a_row, g->a_col);
  hed_view b = F(lies)(g->b, g->k, g->n, g->b_row, 1);
  for (int64_t q = 0; q < g->count; q++) {
    if (g->far)
      F(prefetch)(g, b.data);
    F(plain)(&c, &a, &b);
    c.data = (T *)c.data + g->c_step;
    a.data = (T *)a.data + g->a_step;
    b.data = (T *)b.data + g->b_step;
  }
}

#undef PIECE_ARGS
#undef PIECE
#undef PIECES
#undef NAMES
#undef FOUR
#undef FOUR_NAMES
#undef HALVES
#undef H
#undef half_load
#undef half_store
