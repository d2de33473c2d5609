// SPDX-License-Identifier: BSD-3-Clause
/*
 * What transpose_stream.h has of lines that are written by non-temporal stores; included by copy.c alone.
 *
 * Rows of a result begin anywhere in a line, so that tiles do not make whole lines of it. What a step of columns makes is put
 * behind what the step before left, and the lines that are whole then are written. With AVX-512 an operand of many rows is read
 * again where the step before was instead: stores of what is left would stand between those by non-temporal stores, of which fewer are
 * under way then. Lines of the operand lie far apart, where no hardware prefetcher looks for them: they are prefetched so early
 * that memory has the time, and so late that the L1 cache still has them. There are two orders. Line by line, a column of lines
 * of the operand becomes some rows of the result; with AVX-512, where rows are long enough, block by block: memory gives more of a
 * row of the operand at once to the L2 cache, from which its lines then come (bench/findings).
 * Every instruction set.
 */
enum { EARLY = 12288 /* bytes of the operands */, BLOCK_WIDE = 16 * LINE, LEAST_BLOCK = 2 * LINE, BLOCK_ROWS = 32 /* of these */ };

/* Bytes of a row of the operand that are read at once: so many rows of the result at a time. */
#ifdef __AVX512F__
enum { DEEP = LINE };
#else
enum { DEEP = SLAB };
#endif
/*
 * Rows that are taken all at once: the lines of an operand that is narrow are then read one after the other, and once. With blocks,
 * which read once too, these are few.
 */
#ifdef __AVX512F__
enum { FEW = 16 };
#else
enum { FEW = 32 };
#endif

/* N rows of a result of END bytes each, of which PART has LINE bytes from AT on, behind the LINE bytes that came before. */
static void put_lines(int64_t n, char *to, int64_t to_step, int64_t at, int64_t end, char (*part)[2 * LINE])
{
  const int64_t have = least(LINE, end - at);
  for (int64_t i = 0; i < n; i++, to += to_step) {
    const int64_t over = (int64_t)((uintptr_t)to % LINE), first = at ? LINE - over : LINE;
    const bool whole = have >= LINE - over;
    if (whole && first == LINE - over)
      put_line(to + at - over, part[i] + LINE - over);
    else
      memcpy(to + at - LINE + first, part[i] + first, (size_t)(LINE - first + (whole ? LINE - over : have)));
    if (whole && at + have == end)
      memcpy(to + at + LINE - over, part[i] + 2 * LINE - over, (size_t)(have - LINE + over));
    memcpy(part[i], part[i] + LINE, LINE);
  }
}

/* The same where lines are whole, and the row goes on. */
static ALWAYS void put_whole_lines(int64_t n, char *to, int64_t to_step, int64_t at, char (*part)[2 * LINE])
{
  for (int64_t i = 0; i < n; i++, to += to_step) {
    const uintptr_t over = (uintptr_t)to % LINE;
    put_line(to + at - over, part[i] + LINE - over);
    memcpy(part[i], part[i] + LINE, LINE);
  }
}

#ifdef __AVX512F__
/* N rows of the result: by column of a step those (bits) whose next line has it of this step, not of the step before, and the
 * first that is not made yet: memory is slow to take a line twice. */
typedef struct line_rows {
  uint16_t fresh[LINE / 4];
  int first;
} line_rows;

/* Of N rows of elements of LINE / N bytes, which begin at whole elements of a line. */
static ALWAYS void find_fresh(line_rows *which, int n, const char *to, int64_t to_step)
{
  const __m512i row = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i begins = _mm512_add_epi32(_mm512_set1_epi32((int)(uintptr_t)to),
                                          _mm512_mullo_epi32(row, _mm512_set1_epi32((int)to_step)));
  const __m512i left = _mm512_sub_epi32(_mm512_set1_epi32(LINE), _mm512_and_epi32(begins, _mm512_set1_epi32(LINE - 1)));
  for (int c = 0; c < n; c++)
    which->fresh[c] = _mm512_cmplt_epi32_mask(_mm512_set1_epi32(c * (LINE / n)), left);
}

/* ELSE_V, and from FROM the elements that FRESH says. */
static ALWAYS __m512i load_fresh(const int bytes, __m512i else_v, uint16_t fresh, const char *from)
{
  return bytes == 4 ? _mm512_mask_loadu_epi32(else_v, fresh, from) : _mm512_mask_loadu_epi64(else_v, (__mmask8)fresh, from);
}

/* Lines of the next block, which are prefetched one by one: LINES of each row, of which LEFT are left of the present one. */
typedef struct coming {
  const char *at;
  int64_t step, lines, left;
} coming;

static ALWAYS void prefetch_line(coming *next)
{
  __builtin_prefetch(next->at, 0, 2);
  next->at += LINE;
  if (--next->left == 0) { /* a row that begins within a line ends in one more */
    __builtin_prefetch(next->at - 1, 0, 2);
    next->at += next->step - next->lines * LINE;
    next->left = next->lines;
  }
}

/* What to prefetch while rows R and columns C are read of a stripe of the operand, WIDE bytes of it, that begins at FROM: as much, of
 * the block that comes next, row after row. */
static ALWAYS coming of_next_block(const char *from, int64_t step, int64_t wide, int64_t r, int64_t c, int64_t cols, int size)
{
  const int64_t rest = c % BLOCK_ROWS;
  const uint32_t lines = (uint32_t)(wide / LINE), done = (uint32_t)(r * size / LINE * BLOCK_ROWS + rest);
  from += c - rest + BLOCK_ROWS < cols ? (c - rest + BLOCK_ROWS) * step : wide;
  return (coming){ from + done / lines * step + done % lines * LINE, step, lines, lines - done % lines };
}

/* N lines that are in registers: AGAIN, each from the column on that begins a step, and rotated to where it begins itself; else of
 * this step of columns, behind what the step before left in PART. */
static ALWAYS void put_rows(int n, char *to, int64_t to_step, const __m512i *rows, int first, bool again,
                            char (*part)[2 * LINE])
{
  static const int32_t iota[2 * LINE / 4] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                                16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 };
  UNROLL for (int i = 0; i < n; i++) {
    const uintptr_t over = (uintptr_t)to % LINE;
    const __m512i at = _mm512_loadu_si512((const char *)iota + LINE - over);
    if (i >= first)
      _mm512_stream_si512((void *)(to - over), again ? _mm512_permutexvar_epi32(at, rows[i])
                                                 : _mm512_permutex2var_epi32(_mm512_load_si512(part[i]), at, rows[i]));
    if (!again)
      _mm512_store_si512(part[i], rows[i]);
    to += to_step;
    HERE(to);
  }
}

#endif

/* DEEP bytes of COUNT rows of the operand. */
static ALWAYS void prefetch_rows(const char *p, int64_t step, int64_t count, int deep, bool near)
{
  for (; count > 0; count--, p += step)
    for (int k = 0; k < deep; k += LINE) {
      if (near)
        __builtin_prefetch(p + k);
      else
        __builtin_prefetch(p + k, 0, 2);
    }
}

/* Where what is wanted EARLY columns later lies, from what is wanted now: behind the last column comes the next slab. */
static ALWAYS int64_t later(int64_t c, int64_t cols, int64_t early, int64_t step, int deep)
{
  early = least(early, cols);
  return c + early < cols ? early * step : (early - cols) * step + deep;
}

/* Rows that lie at such a distance share too few sets of the L1 cache. */
static ALWAYS bool conflict_free(int64_t step) { return step % 1024 != 0; }

/* Bytes of a row of the operand that blocks take of DEEPER that are left: all of them or parts that are alike. */
static ALWAYS int64_t block_bytes(int64_t deeper)
{
  const int64_t parts = (deeper + BLOCK_WIDE - 1) / BLOCK_WIDE, part = (deeper + parts - 1) / parts;
  return (part + LINE - 1) / LINE * LINE;
}
