// SPDX-License-Identifier: BSD-3-Clause
/*
 * Complex numbers taken apart by blocks, and put together, absolute values, angles, exponentials and signs; a body of polar.h. What
 * is to be called is constant in every entry, and inlined.
 */
INLINE const COMPLEX *KIND(at)(const char *p, int64_t bytes) { return (const COMPLEX *)(const void *)(p + bytes); }

/* M numbers, S bytes apart: their parts, as they are or in double. */
#define PARTS(NAME, PART)                                                                        \
  INLINE void KIND(NAME)(int64_t m, const char *p, int64_t s, PART *re, PART *im)                \
  {                                                                                              \
    if (s == (int64_t)sizeof(COMPLEX))                                                           \
      IVDEP for (int64_t j = 0; j < m; j++)                                                      \
        re[j] = KIND(at)(p, 0)[j].re, im[j] = KIND(at)(p, 0)[j].im;                              \
    else                                                                                         \
      for (int64_t j = 0; j < m; j++)                                                            \
        re[j] = KIND(at)(p, j * s)->re, im[j] = KIND(at)(p, j * s)->im;                          \
  }
PARTS(take_apart, T)
PARTS(take_doubles, double)
#undef PARTS

INLINE void KIND(put_block)(int64_t m, char *p, int64_t s, const COMPLEX *out)
{
  if (s == (int64_t)sizeof *out)
    memcpy(p, out, (size_t)m * sizeof *out);
  else
    for (int64_t j = 0; j < m; j++)
      *(COMPLEX *)(void *)(p + j * s) = out[j];
}

/* Reals: ROW of contiguous numbers, whose parts come in turns, ONE of others. */
INLINE void KIND(real_row)(int64_t n, char *const *p, const int64_t *s, void (*row)(int64_t, T *, const T *), T (*one)(T, T))
{
  if (s[0] == (int64_t)sizeof(T) && s[1] == (int64_t)sizeof(COMPLEX)) {
    row(n, (T *)(void *)p[0], (const T *)(const void *)p[1]);
    return;
  }
  for (int64_t i = 0; i < n; i++) {
    const COMPLEX *x = KIND(at)(p[1], i * s[1]);
    *(T *)(void *)(p[0] + i * s[0]) = one(x->re, x->im);
  }
}

static inline void N(hypot_of_parts)(int64_t n, T *o, const T *x)
{
  IVDEP for (int64_t i = 0; i < n; i++)
    o[i] = OF(hypot)(x[2 * i], x[2 * i + 1]);
}

INLINE void KIND(angle_by)(int64_t n, char *const *p, const int64_t *s, void (*arctan2)(int64_t, T *, const T *, const T *))
{
  for (int64_t i = 0; i < n; i += MATH_BLOCK) {
    const int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;
    T re[MATH_BLOCK], im[MATH_BLOCK];
    char *const o = p[0] + i * s[0];
    KIND(take_apart)(m, p[1] + i * s[1], s[1], re, im);
    if (s[0] == (int64_t)sizeof(T)) {
      arctan2(m, (T *)(void *)o, im, re);
      continue;
    }
    arctan2(m, re, im, re);
    for (int64_t j = 0; j < m; j++)
      *(T *)(void *)(o + j * s[0]) = re[j];
  }
}

/* e^re (cos im + i sin im), where no factor overflows or vanishes and im is not LARGE. */
INLINE bool N(near_exp)(T re, T im)
{
  return (SIZE_OF(re) <= PICK(80.0f, 700.0)) &
         (SIZE_OF(im) <= PICK(LARGE_F, LARGE_D));
}

static void KIND(exp)(int64_t n, char *const *p, const int64_t *s, const void *params)
{
  (void)params;
  for (int64_t i = 0; i < n; i += MATH_BLOCK) {
    const int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;
    T re[MATH_BLOCK], im[MATH_BLOCK];
    COMPLEX out[MATH_BLOCK];
    int odd = 0;
    KIND(take_apart)(m, p[1] + i * s[1], s[1], re, im);
    for (int64_t j = 0; j < m; j++)
      odd |= !N(near_exp)(re[j], im[j]);
    IVDEP for (int64_t j = 0; j < m; j++) {
      const T e = OF(exp_near)(re[j]), cosine = OF(sin)(im[j], 1), sine = OF(sin)(im[j], 0);
      out[j].re = e * cosine;
      out[j].im = e * sine;
    }
    for (int64_t j = 0; odd && j < m; j++)
      if (!N(near_exp)(re[j], im[j])) {
        const PICK(float, double) _Complex z = PICK(cexpf, cexp)(PICK(CMPLXF, CMPLX)(re[j], im[j]));
        out[j] = (COMPLEX){ PICK(crealf, creal)(z), PICK(cimagf, cimag)(z) };
      }
    KIND(put_block)(m, p[0] + i * s[0], s[0], out);
  }
}
