// SPDX-License-Identifier: BSD-3-Clause
/* Quotients by blocks: BLOCK makes them, and says whether lib/base's division has to make those that are ODD; a body of divide.h. */
INLINE void KIND(quotients_by)(int64_t n, char *const *p, const int64_t *s, bool (*block)(int64_t, COMPLEX *, const quotient_block *),
                               bool (*odd)(const quotient_block *, const COMPLEX *, int64_t))
{
  quotient_block q;
  COMPLEX out[MATH_BLOCK];
  for (int64_t i = 0; i < n; i += MATH_BLOCK) {
    const int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;
    char *const at = p[0] + i * s[0];
    if (s[1] != 0 || i == 0) /* one repeated element is there since the first block */
      KIND(take_doubles)(m, p[1] + i * s[1], s[1], q.ar, q.ai);
    if (s[2] != 0 || i == 0)
      KIND(take_doubles)(m, p[2] + i * s[2], s[2], q.br, q.bi);
    COMPLEX *const o = s[0] == (int64_t)sizeof *o ? (COMPLEX *)(void *)at : out;
    if (block(m, o, &q))
      for (int64_t j = 0; j < m; j++)
        if (odd(&q, o, j)) {
          const double _Complex z = quotient_d(CMPLX(q.ar[j], q.ai[j]), CMPLX(q.br[j], q.bi[j]));
          o[j] = (COMPLEX){ (T)creal(z), (T)cimag(z) };
        }
    if (o == out)
      KIND(put_block)(m, at, s[0], out);
  }
}
