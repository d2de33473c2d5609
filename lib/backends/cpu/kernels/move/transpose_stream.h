// SPDX-License-Identifier: BSD-3-Clause
/*
 * Transposition by the stripes of stripes.h, from tiles of SIDE x SIDE elements of BYTES bytes (tile.h, after which its lines
 * come); a body, included by copy.c for each size.
 * Every instruction set; elements of 4 and 8 bytes, chosen by move/copy.c for large results.
 */
#if BYTES == 4 || BYTES == 8
#ifdef __AVX512F__
/* SIDE lines of the result, which have their elements from what the step before left in memory and from this step; or they are read
 * AGAIN, block by block. */
static ALWAYS void N(lines)(char *to, int64_t to_step, const char *from, int64_t from_step, bool again, char (*part)[2 * LINE],
                            const line_rows *which, coming next)
{
  __m512i r[SIDE], o[SIDE];
  UNROLL for (int i = 0; i < SIDE; i++) {
    r[i] = again ? load_fresh(BYTES, load_vector(from - SIDE * from_step), which->fresh[i], from) : load_vector(from);
    if (again)
      prefetch_line(&next);
    from += from_step;
    HERE(from);
  }
  transpose_vectors(BYTES, r, o);
  put_rows(SIDE, to, to_step, o, again ? which->first : 0, again, part);
}
#endif

static void N(transpose_stream)(int64_t rows, int64_t cols, char *to, int64_t to_step, const char *from, int64_t from_step)
{
  const bool near = conflict_free(from_step), few = rows <= FEW;
  const int64_t slab = few ? rows : DEEP / BYTES;
  const int deep = (int)slab * BYTES;
  _Alignas(LINE) char part[FEW][2 * LINE];
  int64_t stripe = slab, block = cols;
#ifdef __AVX512F__
  const uintptr_t steps = (uintptr_t)to | (uintptr_t)to_step;
  line_rows all = { .first = 0 }, last = { .first = (int)(SIDE - rows % SIDE) };
  const bool whole_rows = !few && rows >= SIDE && slab == SIDE && steps % BYTES == 0;
  if (whole_rows) { /* the same every SIDE rows, which are whole lines */
    find_fresh(&all, SIDE, to, to_step);
    find_fresh(&last, SIDE, to + (rows - SIDE) * to_step, to_step);
  }
#endif
  for (int64_t s0 = 0; s0 < rows; s0 += stripe) {
#ifdef __AVX512F__
    const int64_t deeper = (rows - s0) * BYTES;
    const bool blocks = whole_rows && deeper >= LEAST_BLOCK;
    stripe = blocks ? block_bytes(deeper) / BYTES : slab;
    block = blocks ? BLOCK_ROWS : cols;
#endif
    for (int64_t b0 = 0; b0 < cols; b0 += block)
      for (int64_t row = s0; row < least(rows, s0 + stripe); row += slab) {
        int64_t r0 = row;
#ifdef __AVX512F__
        const line_rows *which = &all;
        if (whole_rows && rows - SIDE < row) { /* the last SIDE rows are made anew where fewer are left */
          r0 = rows - SIDE;
          which = &last;
        }
#endif
        const int64_t tall = least(rows - r0, slab);
        for (int64_t c0 = b0; c0 < least(cols, b0 + block); c0 += LINE / BYTES) {
          const int64_t wide = least(cols - c0, LINE / BYTES);
          const bool whole = c0 > 0 && cols - c0 > LINE / BYTES;
          const char *const p = from + c0 * from_step;
          int64_t made = r0;
#ifdef __AVX512F__
          coming next = { 0 };
          if (blocks) /* else a stripe may have no whole line */
            next = of_next_block(from + s0 * BYTES, from_step, stripe * BYTES, row - s0, c0, cols, BYTES);
          if (whole && blocks) {
            N(lines)(to + r0 * to_step + c0 * BYTES, to_step, p + made * BYTES, from_step, true, part, which, next);
            continue;
          }
#endif
          prefetch_rows(p + r0 * BYTES + later(c0, cols, EARLY / deep, from_step, deep), from_step, wide, deep, near);
#ifdef __AVX512F__
          for (; whole && steps % 4 == 0 && made + SIDE <= r0 + tall; made += SIDE)
            N(lines)(to + made * to_step + c0 * BYTES, to_step, p + made * BYTES, from_step, false, part + (made - r0), which, next);
          if (blocks && c0 > 0) /* the part that the last step needs */
            N(tile)(tall, wide + SIDE, part[0], 2 * LINE, p - SIDE * from_step + r0 * BYTES, from_step, false);
#endif
          for (int64_t r = made; r < r0 + tall; r += SIDE)
            for (int64_t c = 0; c < wide; c += SIDE)
              N(tile)(r0 + tall - r, wide - c, part[r - r0] + LINE + c * BYTES, 2 * LINE, p + c * from_step + r * BYTES, from_step,
                      false);
          const int64_t left = r0 + tall - made;
          if (whole)
            put_whole_lines(left, to + made * to_step, to_step, c0 * BYTES, part + (made - r0));
          else
            put_lines(left, to + made * to_step, to_step, c0 * BYTES, cols * BYTES, part + (made - r0));
        }
      }
  }
}
#endif
