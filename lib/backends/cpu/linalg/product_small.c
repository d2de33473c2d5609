// SPDX-License-Identifier: BSD-3-Clause
/* Single small products (product.h): loops of gemm.h on operands as they lie, or as a copy on the stack does. L1. */
#include "backends/cpu/kernels/linalg/gemm.h"
#include "backends/cpu/kernels/move/copy.h"
#include "backends/cpu/linalg/product.h"

enum { MOST_PRODUCTS = 32 * 32 * 32, COPY_ELEMENTS = 32 * 32 /* elements */, EXTENT_BITS = 15 /* bits of an extent */ };

/* What is not by rows: columns, rows that are no neighbours, transposes. */
static __attribute__((noinline)) bool other_layout(const cpu_gemm_loops *loops, const hed_view *c, const hed_view *a,
                                                    const hed_view *b)
{
  const int64_t size = loops->size;
  cpu_gemm g = { .m = c->dim[0], .n = c->dim[1], .k = a->dim[1], .count = 1, .a = a->data, .b = b->data, .c = c->data,
                 .a_row = a->stride[0] / size, .a_col = a->stride[1] / size, .b_row = b->stride[0] / size,
                 .b_col = b->stride[1] / size, .c_row = c->stride[0] / size, .c_col = c->stride[1] / size };
  _Alignas(64) char copy[COPY_ELEMENTS * sizeof(double)];
  if (g.n == 1 || g.c_col != 1) { /* c' = b' a' */
    const cpu_gemm t = g;
    if (g.n == 1 && (g.k == 1 || (g.a_col == 1 && g.b_row == 1))) {
      loops->dots(&g);
      return true;
    }
    if (g.m != 1 && g.c_row != 1)
      return false;
    g = (cpu_gemm){ .m = t.n, .n = t.m, .k = t.k, .count = 1, .a = t.b, .b = t.a, .c = t.c, .a_row = t.b_col,
                    .a_col = t.b_row, .b_row = t.a_col, .b_col = t.a_row, .c_row = t.c_col };
  }
  if (g.n > 1 && g.b_col != 1) {
    if (g.k * g.n > COPY_ELEMENTS || (g.b_row != 1 && g.k > 1))
      return false;
    cpu_copy_k->transpose[size == 8 ? 3 : 2](g.k, g.n, copy, g.n * size, g.b, g.b_col * size);
    g.b = copy;
    g.b_row = g.n;
  }
  loops->small(&g);
  return true;
}

/* Type and number of axes in one number. */
static inline uint64_t kind_of(const hed_view *v) { return (uint64_t)(uint32_t)v->ndim << 32 | (uint32_t)v->dtype; }

int32_t cpu_matmul(void *state, const hed_call *call)
{
  const hed_view *const c = call->out[0], *const a = call->in[0], *const b = call->in[1];
  const int dtype = call->compute;
  const bool wide = dtype == HED_ID_FLOAT64;
  const int64_t size = wide ? 8 : 4;
  (void)state;
  if ((dtype != HED_ID_FLOAT32 && !wide) || kind_of(c) != ((uint64_t)2 << 32 | (uint32_t)dtype) || a->dtype != dtype
      || b->dtype != dtype)
    return cpu_product_planned(call);
  const int64_t m = c->dim[0], n = c->dim[1], k = a->dim[1], bc = b->stride[1], cc = c->stride[1];
  const int64_t most = CPU_MIN(cpu_gemm_ahead, MOST_PRODUCTS);
  const int64_t steps = a->stride[0] | a->stride[1] | b->stride[0] | c->stride[0] | bc | cc;
  if ((m | n | k) >> EXTENT_BITS || m * n * k > most || (steps & (size - 1)))
    return cpu_product_planned(call);
  const cpu_gemm_loops *loops = &cpu_gemms[wide ? CPU_GEMM_F64 : CPU_GEMM_F32];
  if (bc == size && cc == size) {
    loops->plain(c, a, b);
    return HED_OK;
  }
  return other_layout(loops, c, a, b) ? HED_OK : cpu_product_planned(call);
}
