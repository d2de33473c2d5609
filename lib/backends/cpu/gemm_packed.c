// SPDX-License-Identifier: BSD-3-Clause
/*
 * Large products by our own loops (gemm.h), on several threads. L1.
 *
 * A panel of b, DEPTH rows deep, is packed once by all threads; then blocks of rows of a, each packed by the thread that
 * takes it, are multiplied with it. A block of a stays in the second cache, where slivers of b come by from the last one.
 * Measured on a Zen 5: deeper or shallower panels are slower, larger blocks are not faster.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/gemm.h"
#include "backends/cpu/parallel.h"
#include <stdatomic.h>

enum { DEPTH = 512, PANEL_BYTES = 8 << 20, BLOCK_BYTES = 256 << 10, ITEMS = 4 /* for each thread */ };

typedef struct packed {
  const cpu_gemm *g;
  const cpu_gemm_loops *loops;
  char *panel;
  int64_t j, n, p, k;                               /* the panel: columns and rows of b */
  int64_t m_each, n_each, m_blocks, n_blocks;       /* blocks of c */
  _Atomic(int64_t) next;                            /* block that nobody has begun */
  atomic_bool no_memory;
} packed;

static int64_t pieces(int64_t n, int64_t each) { return (n + each - 1) / each; }

/* N in COUNT pieces of much the same length, in whole UNITs. */
static int64_t even(int64_t n, int64_t count, int64_t unit) { return pieces(pieces(n, CPU_MAX(count, 1)), unit) * unit; }

static void pack_panel(void *arg, int64_t begin, int64_t end)
{
  const packed *x = arg;
  const int64_t wide = x->loops->columns, first = begin * wide, last = CPU_MIN(end * wide, x->n);
  x->loops->pack_b(x->g, x->j + first, last - first, x->p, x->k, x->panel + first * x->k * x->loops->size);
}

static void multiply(void *arg, int32_t part, int32_t parts)
{
  packed *x = arg;
  const cpu_gemm_loops *f = x->loops;
  _Alignas(64) char room[4096];
  char *a = room;
  const size_t need = (size_t)(x->m_each * x->k * f->size);
  int64_t have = -1;
  (void)part, (void)parts;
  if (need > sizeof room && !(a = cpu_scratch_get(need))) {
    atomic_store(&x->no_memory, true);
    return;
  }
  for (int64_t at; (at = atomic_fetch_add_explicit(&x->next, 1, memory_order_relaxed)) < x->m_blocks * x->n_blocks;) {
    const int64_t i = at / x->n_blocks * x->m_each, m = CPU_MIN(x->m_each, x->g->m - i);
    const int64_t j = at % x->n_blocks * x->n_each, n = CPU_MIN(x->n_each, x->n - j);
    if (m <= 0 || n <= 0)
      continue;
    if (have != i)
      f->pack_a(x->g, i, m, x->p, x->k, a);
    have = i;
    f->block(x->g, i, m, x->j + j, n, x->k, a, x->panel + j * x->k * f->size, x->p > 0);
  }
  if (a != room)
    cpu_scratch_put(a);
}

bool cpu_gemm_packed(const hed_call *call, const cpu_gemm_loops *f, const cpu_gemm *g)
{
  packed x = { .g = g, .loops = f };
  const int64_t depth = even(g->k, pieces(g->k, DEPTH), 1), line = CPU_MAX(depth, 1) * f->size;
  const int64_t n_most = even(g->n, pieces(g->n, CPU_MAX(PANEL_BYTES / line, f->columns)), f->columns);
  const int64_t m_most = CPU_MAX(BLOCK_BYTES / line / f->rows * f->rows, f->rows), wanted = call ? ITEMS * call->max_threads : 1;
  _Alignas(64) char room[4096];
  const size_t need = (size_t)(line * n_most);
  x.panel = need <= sizeof room ? room : cpu_scratch_get(need);
  if (!x.panel)
    return false;
  x.m_each = even(g->m, CPU_MAX(pieces(g->m, m_most), CPU_MIN(wanted, g->m / (4 * f->rows))), f->rows);
  x.m_blocks = pieces(g->m, x.m_each);
  for (x.j = 0; x.j < g->n; x.j += n_most) {
    x.n = CPU_MIN(n_most, g->n - x.j);
    x.n_each = even(x.n, CPU_MIN(pieces(wanted, x.m_blocks), x.n / (4 * f->columns)), f->columns);
    x.n_blocks = pieces(x.n, x.n_each);
    x.p = 0;
    do { /* once without any k: zeros */
      const int64_t slivers = pieces(x.n, f->columns);
      x.k = CPU_MIN(depth, g->k - x.p);
      atomic_store_explicit(&x.next, 0, memory_order_relaxed);
      if (call) {
        cpu_parallel_for(call, slivers, 1, (double)x.n * (double)x.k, pack_panel, &x);
        cpu_parallel_parts(call, x.m_blocks * x.n_blocks, (double)g->m * (double)x.n * (double)x.k / 8, multiply, &x);
      } else {
        pack_panel(&x, 0, slivers);
        multiply(&x, 0, 1);
      }
      x.p += depth;
    } while (x.p < g->k);
  }
  if (x.panel != room)
    cpu_scratch_put(x.panel);
  return !atomic_load(&x.no_memory);
}
