// SPDX-License-Identifier: BSD-3-Clause
/* Rows of sin and cos; a body of trig.h. */
INLINE T N(sine)(T x) { return OF(sin)(x, 0); }
INLINE T N(cosine)(T x) { return OF(sin)(x, 1); }
INLINE bool N(is_large)(T x, T large) { return !(SIZE_OF(x) <= large); }

/* VECTOR up to LARGE, else SCALAR. OUT may be the operand, of which a copy is kept where it is needed once more. */
INLINE void N(trig_row)(int64_t n, T *o, const T *v, T large, T (*vector)(T), T (*scalar)(T))
{
  for (; n > 0; n -= MATH_BLOCK, o += MATH_BLOCK, v += MATH_BLOCK) {
    const int64_t done = N(near_first)(n, o, v, -large, large, vector);
    n -= done, o += done, v += done;
    const int64_t m = n < MATH_BLOCK ? n : MATH_BLOCK;
    int some = 0;
    T in[MATH_BLOCK];
    for (int64_t j = 0; j < m; j++)
      some |= N(is_large)(v[j], large);
    if (some)
      memcpy(in, v, (size_t)m * sizeof *in);
    N(each1)(m, o, v, vector);
    for (int64_t j = 0; some && j < m; j++)
      if (N(is_large)(in[j], large))
        o[j] = scalar(in[j]);
  }
}
