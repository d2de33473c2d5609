// SPDX-License-Identifier: BSD-3-Clause
/* Words in columns that have a bit of M; a body of bool_columns.c. Every instruction set. */
typedef T N(vector) __attribute__((vector_size(VECTOR), aligned(1), may_alias));
typedef T N(short_vector) __attribute__((vector_size(SHORT), aligned(1), may_alias));

/* TOGETHER vectors from column K on. */
INLINE void N(count_vectors)(const int together, int64_t rows, const char *p, int64_t step, const T m, uint64_t *word)
{
  enum { W = VECTOR / sizeof(T) };
  N(vector) count[TILE];
  T each[TILE * W];
  UNROLL for (int v = 0; v < together; v++)
    count[v] = (N(vector)){ 0 };
  for (int64_t r = 0; r < rows; r++, p += step)
    UNROLL for (int v = 0; v < together; v++)
      count[v] -= (N(vector))((*(const N(vector) *)(const void *)(p + v * VECTOR) & m) != 0);
  UNROLL for (int v = 0; v < together; v++)
    memcpy(each + v * W, &count[v], VECTOR);
  for (int i = 0; i < together * W; i++)
    word[i] += each[i];
}

INLINE void N(count_short)(int64_t rows, const char *p, int64_t step, const T m, uint64_t *word)
{
  N(short_vector) count = { 0 };
  for (int64_t r = 0; r < rows; r++, p += step)
    count -= (N(short_vector))((*(const N(short_vector) *)(const void *)p & m) != 0);
  for (int i = 0; i < SHORT / (int)sizeof(T); i++)
    word[i] += count[i];
}

INLINE void N(some)(int64_t rows, int64_t n, const char *x, int64_t step, const T m, uint64_t *word)
{
  enum { W = VECTOR / sizeof(T), FEW = SHORT / sizeof(T), SIZE = sizeof(T) };
  int64_t k = 0;
  for (; k + TILE * W <= n; k += TILE * W)
    N(count_vectors)(TILE, rows, x + k * SIZE, step, m, word + k);
  for (; k + W <= n; k += W)
    N(count_vectors)(1, rows, x + k * SIZE, step, m, word + k);
  for (; k + FEW <= n; k += FEW)
    N(count_short)(rows, x + k * SIZE, step, m, word + k);
  for (; k < n; k++)
    for (int64_t r = 0; r < rows; r++) {
      T one;
      memcpy(&one, x + r * step + k * SIZE, sizeof one);
      word[k] += (one & m) != 0;
    }
}

/* As many rows at a time as the count of a column holds. */
INLINE void N(columns)(int64_t rows, int64_t n, const char *x, int64_t step, const T m, uint64_t *word)
{
  const int64_t most = sizeof(T) < 4 ? (T)-1 : 1 << 30;
  for (int64_t r = 0; r < rows; r += most)
    N(some)(rows - r < most ? rows - r : most, n, x + r * step, step, m, word);
}
