// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sign of complex numbers: z / |z|, 0 where z is 0. Included by functions.c alone, after polar.h.
 *
 * |z| is that of the absolute value, rounded to the element's type: complex64 gives the same bits at every level. Where it is not
 * finite, or below the normal numbers, which is rare, the formula does it. Every instruction set.
 */
#define COMPLEX_SIGN(NAME, C, T, FN, LEAST, MOST)                                                \
  static void NAME(int64_t n, char *const *p, const int64_t *s, const void *params)              \
  {                                                                                              \
    (void)params;                                                                                \
    for (int64_t i = 0; i < n; i += MATH_BLOCK) {                                                \
      int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;                                       \
      T re[MATH_BLOCK], im[MATH_BLOCK], size[MATH_BLOCK];                                        \
      int odd = 0;                                                                               \
      TAKE_APART(C, re, im, p[1], s[1])                                                          \
      IVDEP for (int64_t j = 0; j < m; j++) {                                                    \
        T h = FN(re[j], im[j]);                                                                  \
        bool zero = (re[j] == 0) & (im[j] == 0);                                                 \
        size[j] = zero ? 1 : h;                                                                  \
        odd |= !((size[j] >= LEAST) & (size[j] <= MOST));                                        \
        re[j] = zero ? 0 : re[j];                                                                \
        im[j] = zero ? 0 : im[j];                                                                \
      }                                                                                          \
      for (int64_t j = 0; j < m && odd; j++)                                                     \
        if (!(size[j] >= LEAST && size[j] <= MOST)) {                                            \
          const double _Complex unit = complex_sign(CMPLX(re[j], im[j]));                        \
          re[j] = (T)creal(unit), im[j] = (T)cimag(unit), size[j] = 1;                           \
        }                                                                                        \
      if (s[0] == (int64_t)sizeof(C)) {                                                          \
        C *o = (C *)(void *)(p[0] + i * s[0]);                                                   \
        IVDEP for (int64_t j = 0; j < m; j++)                                                    \
          o[j].re = re[j] / size[j], o[j].im = im[j] / size[j];                                  \
        continue;                                                                                \
      }                                                                                          \
      for (int64_t j = 0; j < m; j++)                                                            \
        *(C *)(void *)(p[0] + (i + j) * s[0]) = (C){ re[j] / size[j], im[j] / size[j] };         \
    }                                                                                            \
  }

COMPLEX_SIGN(sign_c64, c64, float, hypot_f, FLT_MIN, FLT_MAX)
COMPLEX_SIGN(sign_c128, c128, double, hypot_d, DBL_MIN, DBL_MAX)
