// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sign of complex numbers: z / |z|, 0 where z is 0; a body of functions.c, after polar.h.
 *
 * |z| is that of the absolute value, rounded to the element's type: complex64 gives the same bits at every level. Where it is not
 * finite, or below the normal numbers, which is rare, the formula does it. Every instruction set.
 */
INLINE bool N(plain_size)(T size) { return (size >= PICK(FLT_MIN, DBL_MIN)) & (size <= PICK(FLT_MAX, DBL_MAX)); }

static void KIND(sign)(int64_t n, char *const *p, const int64_t *s, const void *params)
{
  (void)params;
  for (int64_t i = 0; i < n; i += MATH_BLOCK) {
    const int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;
    T re[MATH_BLOCK], im[MATH_BLOCK], size[MATH_BLOCK];
    int odd = 0;
    KIND(take_apart)(m, p[1] + i * s[1], s[1], re, im);
    N(sizes)(m, size, p[1] + i * s[1], s[1], re, im);
    IVDEP for (int64_t j = 0; j < m; j++) {
      const bool zero = size[j] == 0;
      size[j] = zero ? 1 : size[j];
      odd |= !N(plain_size)(size[j]);
      re[j] = zero ? 0 : re[j];
      im[j] = zero ? 0 : im[j];
    }
    for (int64_t j = 0; j < m && odd; j++)
      if (!N(plain_size)(size[j])) {
        const double _Complex unit = complex_sign(CMPLX(re[j], im[j]));
        re[j] = (T)creal(unit), im[j] = (T)cimag(unit), size[j] = 1;
      }
    char *const at = p[0] + i * s[0];
    if (s[0] == (int64_t)sizeof(COMPLEX)) {
      COMPLEX *o = (COMPLEX *)(void *)at;
      IVDEP for (int64_t j = 0; j < m; j++)
        o[j].re = re[j] / size[j], o[j].im = im[j] / size[j];
      continue;
    }
    for (int64_t j = 0; j < m; j++)
      *(COMPLEX *)(void *)(at + j * s[0]) = (COMPLEX){ re[j] / size[j], im[j] / size[j] };
  }
}
