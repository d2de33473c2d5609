// SPDX-License-Identifier: BSD-3-Clause
/* BELOW for x < MIDDLE, ABOVE_ROW, in place, from there to MOST, SCALAR for the rest; of blocks that have both, either takes all. A
 * body of gamma.h. */
INLINE void N(two_ranges)(int64_t n, T *o, const T *v, double middle, double most, double (*below)(double),
                          void (*above_row)(int64_t, double *), double (*scalar)(double))
{
  for (; n > 0; n -= MATH_BLOCK, o += MATH_BLOCK, v += MATH_BLOCK) {
    const int64_t m = n < MATH_BLOCK ? n : MATH_BLOCK;
    _Alignas(CPU_VECTOR) double x[MATH_BLOCK], y[MATH_BLOCK];
    int odd = 0, low = 0, high = 0;
    for (int64_t i = 0; i < m; i++) {
      const double a = (double)v[i];
      odd |= !((a >= LEAST) & (a <= most));
      low |= !(a >= middle);
      high |= a >= middle;
    }
    if (low)
      IVDEP for (int64_t i = 0; i < m; i++) {
        double a = (double)v[i];
        a = a >= LEAST ? a : LEAST;
        x[i] = a < middle ? a : middle;
        y[i] = below(x[i]);
      }
    if (high) {
      IVDEP for (int64_t i = 0; i < m; i++) {
        double a = (double)v[i];
        a = a >= middle ? a : middle;
        x[i] = a < most ? a : most;
      }
      above_row(m, x);
    }
    if (high && low)
      IVDEP for (int64_t i = 0; i < m; i++)
        y[i] = v[i] >= (T)middle ? x[i] : y[i];
    if (odd)
      for (int64_t i = 0; i < m; i++) {
        const double a = (double)v[i];
        o[i] = (T)((a >= LEAST) & (a <= most) ? high && !low ? x[i] : y[i] : scalar(a));
      }
    else
      IVDEP for (int64_t i = 0; i < m; i++)
        o[i] = (T)(high && !low ? x[i] : y[i]);
  }
}
