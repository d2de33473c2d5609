// SPDX-License-Identifier: BSD-3-Clause
/* Rows of phasor; a body of phasor.h. */
/* cos and sin of N angles, at most MATH_BLOCK of them. */
INLINE void KIND(phasor_some)(int64_t n, COMPLEX *restrict o, const T *x)
{
  const T most = PICK(LARGE_F, LARGE_D);
  int large = 0;
  for (int64_t j = 0; j < n; j++)
    large |= N(is_large)(x[j], most);
  IVDEP for (int64_t j = 0; j < n; j++) {
    o[j].re = OF(sin)(x[j], 1);
    o[j].im = OF(sin)(x[j], 0);
  }
  for (int64_t j = 0; large && j < n; j++)
    if (N(is_large)(x[j], most))
      o[j] = (COMPLEX){ PICK(cosf, cos)(x[j]), PICK(sinf, sin)(x[j]) };
}

INLINE void N(phasor_by)(int64_t n, char *const *p, const int64_t *s, void (*row)(int64_t, COMPLEX *, const T *))
{
  T x[MATH_BLOCK];
  for (int64_t i = 0; i < n; i += MATH_BLOCK) {
    const int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;
    const char *a = p[1] + i * s[1], *b = p[2] + i * s[2];
    if (s[1] == 0 && s[2] == sizeof(T)) {
      const T one = *(const T *)(const void *)a;
      for (int64_t j = 0; j < m; j++)
        x[j] = one * ((const T *)(const void *)b)[j];
    } else {
      for (int64_t j = 0; j < m; j++)
        x[j] = *(const T *)(const void *)(a + j * s[1]) * *(const T *)(const void *)(b + j * s[2]);
    }
    row(m, (COMPLEX *)(void *)p[0] + i, x);
  }
}
