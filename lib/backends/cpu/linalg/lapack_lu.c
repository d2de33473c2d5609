// SPDX-License-Identifier: BSD-3-Clause
/*
 * LU factors of real matrices that lie by rows, and systems with many right-hand sides, by recursion: halves are joined by
 * products of matrices of our own (gemm.h), which several threads share, down to the small pieces of lu.h. L1.
 *
 * LAPACK's pivots. Toledo: Locality of reference in LU decomposition with partial pivoting, SIAM J. Matrix Anal. Appl. 18
 * (1997).
 */
#include "backends/cpu/kernels/linalg/gemm.h"
#include "backends/cpu/linalg/lapack.h"
#include "backends/cpu/kernels/linalg/lu.h"
#include "backends/cpu/runtime/parallel.h"
#include <stdatomic.h>
#include <string.h>

enum { LEAF = CPU_LU_WIDE, TILE = 48 /* columns of most tiles */ };

bool cpu_lapack_is_own(const lapack *l) { return cpu_gemm_ahead == CPU_GEMM_ANY && l->type < 2; }

typedef struct pieces {
  const cpu_gemm_loops *loops;
  cpu_gemm g;
  int64_t count, size;
  atomic_bool no_memory;
} pieces;

static void one_piece(void *arg, int64_t at)
{
  pieces *p = arg;
  cpu_gemm g = p->g;
  const int64_t tiles = (g.n + TILE - 1) / TILE, from = tiles * at / p->count * TILE;
  const int64_t to = CPU_MIN(tiles * (at + 1) / p->count * TILE, g.n);
  g.b = (const char *)g.b + from * p->size;
  g.c = (char *)g.c + from * p->size;
  g.n = to - from;
  if (g.n > 0 && !cpu_gemm_packed(p->loops, &g))
    atomic_store(&p->no_memory, true);
}

/* c (M x N) -= a (M x K) b (K x N); false: no memory. */
static bool subtract(const lapack *l, int64_t m, int64_t n, int64_t k, const char *a, int64_t lda, const char *b, int64_t ldb,
                     char *c, int64_t ldc)
{
  pieces p = { .loops = &cpu_gemms[l->type ? CPU_GEMM_F64 : CPU_GEMM_F32], .size = l->size, .count = 1,
               .g = { .m = m, .n = n, .k = k, .count = 1, .a = a, .b = b, .c = c, .a_row = lda, .a_col = 1, .b_row = ldb,
                      .b_col = 1, .c_row = ldc, .subtract = true } };
  const double work = (double)m * (double)n * (double)k;
  if (m == 0 || n == 0 || k == 0)
    return true;
  if (work > 0x1p21)
    p.count = CPU_MIN(l->call->max_threads, CPU_MAX(n / TILE, 1));
  if (p.count > 1)
    cpu_parallel_items(l->call, p.count, work / 8, one_piece, &p);
  else
    one_piece(&p, 0);
  return !atomic_load(&p.no_memory);
}

/* Rows FIRST to LAST - 1 are exchanged, one after another, with those that PIVOT names; N columns from A on. */
static void exchange(const lapack *l, int64_t first, int64_t last, const int64_t *pivot, int64_t n, char *a, int64_t lda)
{
  char room[1024];
  const int64_t bytes = n * l->size, step = lda * l->size;
  for (int64_t i = first; i < last; i++)
    for (int64_t from = 0; from < bytes && pivot[i] != i; from += (int64_t)sizeof room) {
      const size_t some = (size_t)CPU_MIN(bytes - from, (int64_t)sizeof room);
      char *x = a + i * step + from, *y = a + pivot[i] * step + from;
      memcpy(room, x, some);
      memcpy(x, y, some);
      memcpy(y, room, some);
    }
}

static int64_t half(int64_t n) { return (n / 2 + LEAF - 1) / LEAF * LEAF; }

static bool lower(const lapack *l, int64_t n, int64_t k, const char *a, int64_t lda, char *b, int64_t ldb)
{
  if (n <= LEAF) {
    cpu_lus[l->type].lower(n, k, a, lda, b, ldb);
    return true;
  }
  const int64_t top = half(n), down = top * l->size;
  return lower(l, top, k, a, lda, b, ldb)
         && subtract(l, n - top, k, top, a + down * lda, lda, b, ldb, b + down * ldb, ldb)
         && lower(l, n - top, k, a + down * (lda + 1), lda, b + down * ldb, ldb);
}

static bool upper(const lapack *l, int64_t n, int64_t k, const char *a, int64_t lda, char *b, int64_t ldb)
{
  if (n <= LEAF) {
    cpu_lus[l->type].upper(n, k, a, lda, b, ldb);
    return true;
  }
  const int64_t top = half(n), down = top * l->size;
  return upper(l, n - top, k, a + down * (lda + 1), lda, b + down * ldb, ldb)
         && subtract(l, top, k, n - top, a + down, lda, b + down * ldb, ldb, b, ldb) && upper(l, top, k, a, lda, b, ldb);
}

typedef struct sides {
  const lapack *l;
  int64_t n, k, lda;
  const char *a;
  const int64_t *pivot;
  char *b;
  bool lower, upper; /* which triangles are divided by */
  int32_t parts;
  atomic_bool no_memory;
} sides;

/* Right-hand sides do not depend on each other. */
static void one_side(void *arg, int64_t at)
{
  sides *s = arg;
  const int64_t tiles = (s->k + TILE - 1) / TILE, from = tiles * at / s->parts * TILE;
  const int64_t to = CPU_MIN(tiles * (at + 1) / s->parts * TILE, s->k);
  lapack alone = *s->l;
  hed_call call = *alone.call;
  char *b = s->b + from * alone.size;
  if (s->parts > 1)
    call.max_threads = 1;
  alone.call = &call;
  if (s->pivot)
    exchange(&alone, 0, s->n, s->pivot, to - from, b, s->k);
  if ((s->lower && !lower(&alone, s->n, to - from, s->a, s->lda, b, s->k))
      || (s->upper && !upper(&alone, s->n, to - from, s->a, s->lda, b, s->k)))
    atomic_store(&s->no_memory, true);
}

static bool all_sides(sides *s)
{
  const double work = (double)s->n * (double)s->n * (double)s->k;
  s->parts = 1;
  if (work > 0x1p20)
    s->parts = (int32_t)CPU_MIN((int64_t)s->l->call->max_threads, CPU_MAX(s->k / TILE, 1));
  if (s->parts > 1)
    cpu_parallel_items(s->l->call, s->parts, work / 8, one_side, s);
  else
    one_side(s, 0);
  return !atomic_load(&s->no_memory);
}

bool cpu_lapack_own_solve(const lapack *l, int64_t n, int64_t k, const char *a, int64_t lda, const int64_t *pivot, char *b)
{
  return all_sides(&(sides){ .l = l, .n = n, .k = k, .lda = lda, .a = a, .pivot = pivot, .b = b, .lower = true, .upper = true });
}

bool cpu_lapack_own_triangle(const lapack *l, int64_t n, int64_t k, const char *a, bool unit, char *b)
{
  return all_sides(&(sides){ .l = l, .n = n, .k = k, .lda = n, .a = a, .b = b, .lower = unit, .upper = !unit });
}

/* Columns FIRST on, N of them, of which rows FIRST to M - 1 are what is left; pivots count from row 0. */
static bool eliminate(const lapack *l, int64_t m, int64_t first, int64_t n, char *a, int64_t lda, int64_t *pivot, char *work,
                      int64_t *zero)
{
  const int64_t size = l->size, diagonal = first * (lda + 1) * size;
  if (n <= LEAF) {
    const int64_t count = CPU_MIN(n, m - first);
    const int64_t at = cpu_lus[l->type].panel(m - first, n, a + diagonal, lda, pivot + first, work);
    for (int64_t j = first; j < first + count; j++)
      pivot[j] += first;
    if (at < count && *zero < 0)
      *zero = first + at;
    return true;
  }
  const int64_t left = half(n), second = first + left, top = CPU_MIN(left, m - first);
  char *right = a + second * size, *corner = a + diagonal + left * size;
  if (!eliminate(l, m, first, left, a, lda, pivot, work, zero))
    return false;
  exchange(l, first, first + top, pivot, n - left, right, lda);
  if (!lower(l, top, n - left, a + diagonal, lda, corner, lda))
    return false;
  if (second >= m)
    return true;
  if (!subtract(l, m - second, n - left, left, a + diagonal + left * lda * size, lda, corner, lda,
                corner + left * lda * size, lda)
      || !eliminate(l, m, second, n - left, a, lda, pivot, work, zero))
    return false;
  exchange(l, second, CPU_MIN(second + n - left, m), pivot, left, a + first * size, lda);
  return true;
}

bool cpu_lapack_own_lu(const lapack *l, int64_t m, int64_t n, char *a, int64_t *pivot, char *work, int64_t *zero)
{
  *zero = -1;
  return m == 0 || n == 0 || eliminate(l, m, 0, n, a, n, pivot, work, zero);
}
