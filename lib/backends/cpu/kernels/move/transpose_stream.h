// SPDX-License-Identifier: BSD-3-Clause
/*
 * Transposed tiles that are written by non-temporal stores; included by copy.c alone, after its tiles.
 *
 * Rows of a result begin anywhere in a line, so that tiles do not make whole lines of it. What a step of columns makes is put
 * behind what the step before left, and the lines that are whole then are written. With AVX-512 an operand of many rows is read
 * again where the step before was instead: stores of what is left would stand between those by non-temporal stores, of which fewer are
 * under way then. Lines of the operand lie far apart, where no hardware prefetcher looks for them: they are prefetched so early
 * that memory has the time, and so late that the L1 cache still has them. There are two orders. Line by line, a column of lines
 * of the operand becomes some rows of the result; with AVX-512, where rows are long enough, block by block: memory gives more of a
 * row of the operand at once to the L2 cache, from which its lines then come (bench/findings).
 * Every instruction set; elements of 4 and 8 bytes, chosen by move/copy.c for large results.
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
#define IF_LINES(...) __VA_ARGS__

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

/* A line of the result has its elements from what the step before left in memory and from this step; or they
 * are read AGAIN, block by block. */

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
  _Pragma("GCC unroll 16") for (int i = 0; i < n; i++) {
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

#define LINES_512(BYTES, N, MASK, LOAD_FRESH, TRANSPOSED)                                                              \
  static ALWAYS void lines_##BYTES(char *to, int64_t to_step, const char *from, int64_t from_step,                     \
                                   bool again, char (*part)[2 * LINE], const line_rows *which, coming next)            \
  {                                                                                                                    \
    __m512i r[N], o[N];                                                                                                \
    _Pragma("GCC unroll 16") for (int i = 0; i < N; i++) {                                                             \
      r[i] = again ? LOAD_FRESH(_mm512_loadu_si512(from - N * from_step), (MASK)which->fresh[i], from)                 \
                   : _mm512_loadu_si512(from);                                                                         \
      if (again)                                                                                                       \
        prefetch_line(&next);                                                                                          \
      from += from_step;                                                                                               \
      HERE(from);                                                                                                      \
    }                                                                                                                  \
    TRANSPOSED(r, o);                                                                                                  \
    put_rows(N, to, to_step, o, again ? which->first : 0, again, part);                                                \
  }
LINES_512(4, 16, __mmask16, _mm512_mask_loadu_epi32, transpose_16_u32)
LINES_512(8, 8, __mmask8, _mm512_mask_loadu_epi64, transpose_8_u64)
#else
#define IF_LINES(...)
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

/* PREFETCH for columns and CALL for tiles of N x N, which it puts to AT; LINES, if there is such a loop, does both where N rows are
 * there and lines whole. */
#define TRANSPOSE_LOOP(BYTES, N, PREFETCH, LINES, CALL)                                                                \
  const bool few = rows <= FEW;                                                                                        \
  const int64_t slab = few ? rows : DEEP / BYTES;                                                                      \
  const int deep = (int)slab * BYTES;                                                                                  \
  _Alignas(LINE) char part[FEW][2 * LINE];                                                                             \
  int64_t stripe = slab, block = cols;                                                                                 \
  IF_LINES(const uintptr_t steps = (uintptr_t)to | (uintptr_t)to_step; line_rows all = { .first = 0 };                 \
           line_rows last = { .first = (int)(N - rows % N) };                                                          \
           const bool whole_rows = !few && rows >= N && slab == N && steps % BYTES == 0;                               \
           if (whole_rows) { /* the same every N rows, which are whole lines */                                        \
             find_fresh(&all, N, to, to_step);                                                                         \
             find_fresh(&last, N, to + (rows - N) * to_step, to_step);                                                 \
           })                                                                                                          \
  for (int64_t s0 = 0; s0 < rows; s0 += stripe) {                                                                      \
    IF_LINES(const int64_t deeper = (rows - s0) * BYTES;                                                               \
             const bool blocks = whole_rows && deeper >= LEAST_BLOCK;                                                  \
             stripe = blocks ? block_bytes(deeper) / BYTES : slab;                                                     \
             block = blocks ? BLOCK_ROWS : cols;)                                                                      \
    for (int64_t b0 = 0; b0 < cols; b0 += block)                                                                       \
      for (int64_t row = s0; row < least(rows, s0 + stripe); row += slab) {                                            \
        int64_t r0 = row; /* the last N rows are made anew where fewer are left */                                     \
        IF_LINES(const line_rows *which = &all; if (whole_rows && rows - N < row) {                                    \
          r0 = rows - N;                                                                                               \
          which = &last;                                                                                               \
        })                                                                                                             \
        const int64_t tall = least(rows - r0, slab);                                                                   \
        for (int64_t c0 = b0; c0 < least(cols, b0 + block); c0 += LINE / BYTES) {                                      \
          const int64_t wide = least(cols - c0, LINE / BYTES);                                                         \
          const bool whole = c0 > 0 && cols - c0 > LINE / BYTES;                                                       \
          int64_t made = r0;                                                                                           \
          IF_LINES(if (whole && blocks) {                                                                              \
            enum { again = true };                                                                                     \
            char *const at = to + r0 * to_step + c0 * BYTES;                                                           \
            LINES                                                                                                      \
            continue;                                                                                                  \
          })                                                                                                           \
          PREFETCH                                                                                                     \
          IF_LINES(for (; whole && steps % 4 == 0 && made + N <= r0 + tall; made += N) {                               \
            enum { again = false };                                                                                    \
            char *const at = to + made * to_step + c0 * BYTES;                                                         \
            LINES                                                                                                      \
          } if (blocks && c0 > 0) { /* the part that the last step needs */                                            \
            const int64_t r = r0, c = c0 - N;                                                                          \
            char *const at = part[0];                                                                                  \
            CALL                                                                                                       \
          })                                                                                                           \
          for (int64_t r = made; r < r0 + tall; r += N)                                                                \
            for (int64_t c = c0; c < c0 + wide; c += N) {                                                              \
              char *const at = part[r - r0] + LINE + (c - c0) * BYTES;                                                 \
              CALL                                                                                                     \
            }                                                                                                          \
          const int64_t left = r0 + tall - made;                                                                       \
          if (whole)                                                                                                   \
            put_whole_lines(left, to + made * to_step, to_step, c0 * BYTES, part + (made - r0));                       \
          else                                                                                                         \
            put_lines(left, to + made * to_step, to_step, c0 * BYTES, cols * BYTES, part + (made - r0));               \
        }                                                                                                              \
      }                                                                                                                \
  }

/* The lines of P to prefetch while those in rows from R0 on and columns from C0 on are read, of a stripe that begins in row S0. */
#define COMING(p, step, BYTES) of_next_block((p) + s0 * BYTES, step, stripe * BYTES, row - s0, c0, cols, BYTES)

#define TRANSPOSE_STREAM(BYTES, N)                                                                                     \
  static void transpose_stream_##BYTES(int64_t rows, int64_t cols, char *to, int64_t to_step, const char *from,        \
                                     int64_t from_step)                                                                \
  {                                                                                                                    \
    const bool near = conflict_free(from_step);                                                                        \
    TRANSPOSE_LOOP(BYTES, N,                                                                                           \
         const char *const p = from + c0 * from_step + r0 * BYTES;                                                     \
         prefetch_rows(p + later(c0, cols, EARLY / deep, from_step, deep), from_step, wide, deep, near);,              \
         lines_##BYTES(at, to_step, from + c0 * from_step + made * BYTES, from_step, again, part + (made - r0),        \
                       which, COMING(from, from_step, BYTES));,                                                        \
         tile_##BYTES(r0 + tall - r, c0 + wide - c, at, 2 * LINE, from + c * from_step + r * BYTES, from_step,         \
                      false);)                                                                                         \
  }
