// SPDX-License-Identifier: BSD-3-Clause
/*
 * Transposition by tiles of SIDE x SIDE elements of BYTES bytes, in registers or one element at a time; a body, included by copy.c
 * for each size. AHEAD: from memory that is not in the L2 cache, of which the line that is next in each row is prefetched.
 * Every instruction set.
 */
/* ROWS and COLS may be more than a tile has, or fewer. */
static ALWAYS void N(part)(int64_t rows, int64_t cols, char *to, int64_t to_step, const char *from, int64_t from_step)
{
  rows = least(rows, SIDE);
  cols = least(cols, SIDE);
  for (int64_t r = 0; r < rows; r++)
    for (int64_t c = 0; c < cols; c++)
      memcpy(to + r * to_step + c * BYTES, from + c * from_step + r * BYTES, BYTES);
}

static ALWAYS void N(tile)(int64_t rows, int64_t cols, char *to, int64_t to_step, const char *from, int64_t from_step, bool ahead)
{
#if BYTES < 4 && defined __SSE2__
  (void)ahead;
  if (rows < SIDE || cols < SIDE)
    N(part)(rows, cols, to, to_step, from, from_step);
  else
    tile_short(BYTES, to, to_step, from, from_step);
#elif BYTES == 16 || !defined __AVX2__
  (void)ahead;
  N(part)(rows, cols, to, to_step, from, from_step);
#else
  tile_vector r[SIDE], o[SIDE];
  if (rows < SIDE || cols < SIDE) {
#ifdef __AVX512F__
    const __mmask16 there = first_some(BYTES, rows), wanted = first_some(BYTES, cols);
    UNROLL for (int i = 0; i < SIDE; i++)
      r[i] = i < cols ? load_some(BYTES, there, from + i * from_step) : _mm512_setzero_si512();
    transpose_vectors(BYTES, r, o);
    UNROLL for (int i = 0; i < SIDE; i++)
      if (i < rows)
        store_some(BYTES, wanted, to + i * to_step, o[i]);
#else
    N(part)(rows, cols, to, to_step, from, from_step);
#endif
    return;
  }
  UNROLL for (int i = 0; i < SIDE; i++) {
    r[i] = load_vector(from);
    if (ahead)
      __builtin_prefetch(from + LINE);
    from += from_step;
    HERE(from);
  }
  transpose_vectors(BYTES, r, o);
  UNROLL for (int i = 0; i < SIDE; i++) {
    store_vector(to, o[i]);
    to += to_step;
    HERE(to);
  }
#endif
}

static ALWAYS void N(tiles)(int64_t rows, int64_t cols, char *to, int64_t to_step, const char *from, int64_t from_step,
                            const bool ahead)
{
  for (int64_t c0 = 0; c0 < cols; c0 += WIDE)
    for (int64_t r0 = 0; r0 < rows; r0 += SLAB / BYTES)
      for (int64_t r = r0; r < least(rows, r0 + SLAB / BYTES); r += SIDE)
        for (int64_t c = c0; c < least(cols, c0 + WIDE); c += SIDE)
          N(tile)(rows - r, cols - c, to + r * to_step + c * BYTES, to_step, from + c * from_step + r * BYTES, from_step, ahead);
}

static void N(transpose)(int64_t rows, int64_t cols, char *to, int64_t to_step, const char *from, int64_t from_step)
{
  if (rows * cols * BYTES > FAR)
    N(tiles)(rows, cols, to, to_step, from, from_step, true);
  else
    N(tiles)(rows, cols, to, to_step, from, from_step, false);
}
