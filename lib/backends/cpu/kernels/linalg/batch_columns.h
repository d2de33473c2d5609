// SPDX-License-Identifier: BSD-3-Clause
/*
 * Matrices by columns for batch_qr.h and batch_jacobi.h: element (i, j) is number j * M + i, so that a column's lie side by
 * side. Part of batch_order.h. L1.
 * Every instruction set.
 */
static ALWAYS void G(take_columns)(const int m, const int n, const cpu_batch_side *s, Z *to)
{
  (void)m, (void)n;
#ifdef ORDER
  Z x[MOST * MOST];
  E(take)(N, N, s, x);
  EACH for (int i = 0; i < N; i++)
    EACH for (int j = 0; j < N; j++)
      to[j * N + i] = x[i * N + j];
#else
  const cpu_batch_side turned = E(turned)(s);
  E(take_any)(n, m, &turned, to);
#endif
}

static ALWAYS void G(put_columns)(const int m, const int n, int64_t lanes, const Z *from, const cpu_batch_side *s)
{
  (void)m, (void)n;
#ifdef ORDER
  Z x[MOST * MOST];
  EACH for (int i = 0; i < N; i++)
    EACH for (int j = 0; j < N; j++)
      x[i * N + j] = from[j * N + i];
  E(put)(N, N, lanes, x, s);
#else
  const cpu_batch_side turned = E(turned)(s);
  E(put_any)(n, m, lanes, from, &turned);
#endif
}
