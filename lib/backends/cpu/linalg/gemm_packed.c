// SPDX-License-Identifier: BSD-3-Clause
/*
 * Large products by our own loops (gemm.h). L1.
 *
 * A panel of b, DEPTH rows deep, is packed, then blocks of rows of a, and multiplied. A block of a stays in the L2 cache,
 * where slivers of b come by from the last one. Measured on a Zen 5: other depths are slower, larger blocks are not faster,
 * and threads that share a panel are slower than those that have pieces of the product, and panels, of their own.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/linalg/gemm.h"

enum { DEPTH = 512, PANEL_BYTES = 8 << 20, BLOCK_BYTES = 256 << 10 };

static int64_t pieces(int64_t n, int64_t each) { return (n + each - 1) / each; }

/* The length of COUNT pieces of N that are much the same, in whole UNITs. */
static int64_t even(int64_t n, int64_t count, int64_t unit) { return pieces(pieces(n, CPU_MAX(count, 1)), unit) * unit; }

bool cpu_gemm_packed(const cpu_gemm_loops *f, const cpu_gemm *g)
{
  const int64_t depth = even(g->k, pieces(g->k, DEPTH), 1), line = CPU_MAX(depth, 1) * f->size;
  const int64_t wide = even(g->n, pieces(g->n, CPU_MAX(PANEL_BYTES / line, f->columns)), f->columns);
  const int64_t high = even(g->m, pieces(g->m, CPU_MAX(BLOCK_BYTES / line, f->rows)), f->rows);
  const size_t block_bytes = (size_t)CPU_LINES(high * line), need = block_bytes + (size_t)(wide * line);
  _Alignas(64) char room[4096];
  char *const block = need <= sizeof room ? room : cpu_scratch_get(need), *const panel = block + block_bytes;
  if (!block)
    return false;
  for (int64_t j = 0; j < g->n; j += wide) {
    const int64_t n = CPU_MIN(wide, g->n - j);
    int64_t p = 0;
    do { /* once without any k: zeros */
      const int64_t k = CPU_MIN(depth, g->k - p);
      f->pack_b(g, j, n, p, k, panel);
      for (int64_t i = 0; i < g->m; i += high) {
        const int64_t m = CPU_MIN(high, g->m - i);
        f->pack_a(g, i, m, p, k, block);
        f->block(g, i, m, j, n, k, block, panel, g->subtract ? CPU_GEMM_SUBTRACT : p > 0 ? CPU_GEMM_ADD : CPU_GEMM_SET);
      }
      p += depth;
    } while (p < g->k);
  }
  if (block != room)
    cpu_scratch_put(block);
  return true;
}
