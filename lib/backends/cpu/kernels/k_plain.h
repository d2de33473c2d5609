// SPDX-License-Identifier: BSD-3-Clause
/*
 * Small products of floats, for which a call costs as much as the arithmetic: k_gemm.h includes this for the types for
 * which PLAIN is defined. L1.
 */

/* All rows by columns J on, NV vectors of which the last has LAST elements. Each number has a function of its own: what one
 * hundred multiplications need beside them is to be little. */
#define BY_VECTORS(NV)                                                                                                   \
  static FLAT void F(rows_##NV)(const hed_view *to, const hed_view *left, const hed_view *right, int64_t j, int64_t last) \
  {                                                                                                                      \
    enum { SHIFT = sizeof(T) == 8 ? 3 : 2 }; /* strides are whole elements */                                            \
    const int64_t k = left->dim[1], a_row = left->stride[0] >> SHIFT, a_col = left->stride[1] >> SHIFT;                  \
    const int64_t b_row = right->stride[0] >> SHIFT, c_row = to->stride[0] >> SHIFT;                                     \
    const T *a = left->data, *b = (const T *)right->data + j;                                                            \
    T *c = (T *)to->data + j;                                                                                            \
    int64_t m = to->dim[0];                                                                                              \
    for (; m >= ROWS; m -= ROWS, a += ROWS * a_row, c += ROWS * c_row)                                                   \
      F(tile)(ROWS, NV, k, a, a_row, a_col, b, b_row, c, c_row, last, false, CPU_GEMM_SET);                              \
    if (ROWS == 8 && m & 4) {                                                                                            \
      F(tile)(4, NV, k, a, a_row, a_col, b, b_row, c, c_row, last, false, CPU_GEMM_SET);                                 \
      a += 4 * a_row;                                                                                                    \
      c += 4 * c_row;                                                                                                    \
    }                                                                                                                    \
    if (m & 2) {                                                                                                         \
      F(tile)(2, NV, k, a, a_row, a_col, b, b_row, c, c_row, last, false, CPU_GEMM_SET);                                 \
      a += 2 * a_row;                                                                                                    \
      c += 2 * c_row;                                                                                                    \
    }                                                                                                                    \
    if (m & 1)                                                                                                           \
      F(tile)(1, NV, k, a, a_row, a_col, b, b_row, c, c_row, last, false, CPU_GEMM_SET);                                 \
  }
BY_VECTORS(1)
BY_VECTORS(2)
BY_VECTORS(3)
#undef BY_VECTORS

static void F(plain)(const hed_view *to, const hed_view *left, const hed_view *right)
{
  const int64_t n = to->dim[1];
  if (n <= WIDTH) {
    F(rows_1)(to, left, right, 0, n);
    return;
  }
  for (int64_t j = 0; j < n;) {
    const int64_t rest = n - j;
    if (rest <= WIDTH) {
      F(rows_1)(to, left, right, j, rest);
      return;
    }
    const bool two = rest <= 2 * WIDTH || (rest > 3 * WIDTH && rest <= 4 * WIDTH); /* of four no single one is left */
    const int64_t most = two ? 2 * WIDTH : 3 * WIDTH, some = rest < most ? rest : most;
    if (two)
      F(rows_2)(to, left, right, j, some - WIDTH);
    else
      F(rows_3)(to, left, right, j, some - 2 * WIDTH);
    j += some;
  }
}

/* What plain() looks at of a view. */
static ALWAYS hed_view F(lies)(const void *data, int64_t rows, int64_t cols, int64_t row, int64_t col)
{
  const int64_t size = sizeof(T);
  hed_view v;
  v.data = (void *)(uintptr_t)data;
  v.dim[0] = rows;
  v.dim[1] = cols;
  v.stride[0] = row * size;
  v.stride[1] = col * size;
  return v;
}

static void F(small)(const cpu_gemm *g)
{
  hed_view c = F(lies)(g->c, g->m, g->n, g->c_row, 1), a = F(lies)(g->a, g->m, g->k, g->a_row, g->a_col);
  hed_view b = F(lies)(g->b, g->k, g->n, g->b_row, 1);
  for (int64_t q = 0; q < g->count; q++) {
    F(plain)(&c, &a, &b);
    c.data = (T *)c.data + g->c_step;
    a.data = (T *)a.data + g->a_step;
    b.data = (T *)b.data + g->b_step;
  }
}
