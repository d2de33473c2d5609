// SPDX-License-Identifier: BSD-3-Clause
/*
 * Indices of extremes of columns; a body of reduce.c for every type.
 *
 * A vector of columns keeps in lanes as wide as the elements which row was more than all before.
 * AVX2 and AVX-512; rows of contiguous columns, where argmax and argmin go over an outer axis.
 */
INLINE void N(col_place)(int64_t rows, int64_t n, const char *x, int64_t step, T *b, int64_t *at, int64_t from, const bool largest)
{
  typedef T elements __attribute__((vector_size(CPU_VECTOR), aligned(sizeof(T)), may_alias));
  typedef WORD words __attribute__((vector_size(CPU_VECTOR)));
  enum { MOST = INT8_MAX /* what the narrowest lanes hold */ };
  HED__ASSERT(rows >= 0 && n >= 0 && from >= 0);
  for (int64_t some; rows > 0; rows -= some, x += some * step, from += some) {
    int64_t j = 0;
    some = rows < MOST ? rows : MOST;
    for (; j + LANES <= n; j += LANES) {
      elements most = *(const elements *)(const void *)(b + j);
      const char *p = x + j * (int64_t)sizeof(T);
      words row = { 0 }, index = row - 1;
      WORD lane[LANES];
      for (int64_t r = 0; r < some; r++, p += step, row += 1) {
        const elements v = *(const elements *)(const void *)p;
        const words more = (largest ? (words)(v > most) : (words)(v < most)) | ((words)(v != v) & (words)(most == most));
        most = (elements)(((words)v & more) | ((words)most & ~more));
        index = (row & more) | (index & ~more);
      }
      *(elements *)(void *)(b + j) = most;
      memcpy(lane, &index, sizeof lane);
      for (int k = 0; k < LANES; k++)
        at[j + k] = lane[k] < 0 ? at[j + k] : from + lane[k];
    }
    for (; j < n; j++) {
      const char *p = x + j * (int64_t)sizeof(T);
      for (int64_t r = 0; r < some; r++, p += step) {
        const T v = *(const T *)(const void *)p;
        if ((largest ? v > b[j] : v < b[j]) || (v != v && b[j] == b[j])) {
          b[j] = v;
          at[j] = from + r;
        }
      }
    }
  }
}

static void N(col_argmax)(int64_t rows, int64_t n, const char *x, int64_t step, void *best, int64_t *at, int64_t from)
{
  N(col_place)(rows, n, x, step, best, at, from, true);
}

static void N(col_argmin)(int64_t rows, int64_t n, const char *x, int64_t step, void *best, int64_t *at, int64_t from)
{
  N(col_place)(rows, n, x, step, best, at, from, false);
}
