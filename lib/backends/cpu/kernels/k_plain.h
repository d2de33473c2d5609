// SPDX-License-Identifier: BSD-3-Clause
/*
 * Small products of floats, for which a call costs as much as the arithmetic: k_gemm.h includes this for the types for
 * which PLAIN is defined. L1.
 */

/* R rows from I on by columns from J on, NV vectors of which the last has LAST elements. Each pair of numbers has a function
 * of its own: what one hundred multiplications need beside them is to be little. */
#define PIECE_ARGS const hed_view *to, const hed_view *left, const hed_view *right, int64_t i, int64_t j, int64_t last

static ALWAYS V F(spread)(const char *x) { return *(const T *)(const void *)x - (V){ 0 }; } /* minus: see tile() */

static ALWAYS void F(piece)(const int r, const int nv, PIECE_ARGS)
{
  enum { HALF = 4 }; /* rows whose addresses are one register and multiples of another */
  const int64_t size = sizeof(T), a_row = left->stride[0], a_col = left->stride[1], b_row = right->stride[0];
  const char *a = (const char *)left->data + i * a_row, *far = a + HALF * a_row;
  const char *b = (const char *)right->data + j * size;
  V sum[ROWS][VECTORS], y[VECTORS];
#pragma GCC unroll 8
  for (int q = 0; q < r; q++)
#pragma GCC unroll 4
    for (int h = 0; h < nv; h++)
      sum[q][h] = (V){ 0 };
  for (int64_t p = left->dim[1]; p > 0; p--, a += a_col, far += a_col, b += b_row) {
#pragma GCC unroll 4
    for (int h = 0; h < nv; h++) {
      const T *from = (const T *)(const void *)b + h * WIDTH;
      y[h] = h < nv - 1 ? F(load)(from) : F(load_part)(from, last);
    }
#pragma GCC unroll 8
    for (int q = 0; q < r; q++) {
      const V x = F(spread)(q < HALF ? a + q * a_row : far + (q - HALF) * a_row);
#pragma GCC unroll 4
      for (int h = 0; h < nv; h++)
        sum[q][h] = MULADD(sum[q][h], x, y[h]);
    }
  }
  char *c = (char *)to->data + i * to->stride[0] + j * size;
#pragma GCC unroll 8
  for (int q = 0; q < r; q++, c += to->stride[0])
#pragma GCC unroll 4
    for (int h = 0; h < nv; h++)
      F(store_part)((T *)(void *)c + h * WIDTH, sum[q][h], h < nv - 1 ? WIDTH : last);
}

#define PIECE(R, NV) \
  static FLAT void F(piece_##R##_##NV)(PIECE_ARGS) { F(piece)(R, NV, to, left, right, i, j, last); }
#if ROWS == 8
#define PIECES(NV) \
  PIECE(1, NV) PIECE(2, NV) PIECE(3, NV) PIECE(4, NV) PIECE(5, NV) PIECE(6, NV) PIECE(7, NV) PIECE(8, NV)
#define NAMES(NV)                                                                                                   \
  { F(piece_1_##NV), F(piece_2_##NV), F(piece_3_##NV), F(piece_4_##NV), F(piece_5_##NV), F(piece_6_##NV), F(piece_7_##NV), \
    F(piece_8_##NV) }
#else
#define PIECES(NV) PIECE(1, NV) PIECE(2, NV) PIECE(3, NV) PIECE(4, NV)
#define NAMES(NV) { F(piece_1_##NV), F(piece_2_##NV), F(piece_3_##NV), F(piece_4_##NV) }
#endif
PIECES(1) PIECES(2) PIECES(3)

static void (*const F(pieces)[VECTORS][ROWS])(PIECE_ARGS) = { NAMES(1), NAMES(2), NAMES(3) };

static FLAT void F(plain_more)(const hed_view *to, const hed_view *left, const hed_view *right)
{
  const int64_t m = to->dim[0], n = to->dim[1];
  for (int64_t j = 0; j < n;) {
    const int64_t rest = n - j;
    /* of four vectors no single one is left */
    const int64_t nv = rest <= WIDTH ? 1 : rest <= 2 * WIDTH || (rest > 3 * WIDTH && rest <= 4 * WIDTH) ? 2 : 3;
    const int64_t some = rest < nv * WIDTH ? rest : nv * WIDTH, last = some - (nv - 1) * WIDTH;
    for (int64_t i = 0; i < m; i += ROWS)
      F(pieces)[nv - 1][m - i < ROWS ? m - i - 1 : ROWS - 1](to, left, right, i, j, last);
    j += some;
  }
}

static void F(plain)(const hed_view *to, const hed_view *left, const hed_view *right)
{
  const int64_t m = to->dim[0], n = to->dim[1];
  if ((uint64_t)(m - 1) < ROWS && n <= WIDTH)
    F(pieces)[0][m - 1](to, left, right, 0, 0, n);
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

/* Rows that are read in pieces, for which the processor does not ask ahead. */
static ALWAYS void F(ask)(const cpu_gemm *g, const T *b)
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
      F(ask)(g, b.data);
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
