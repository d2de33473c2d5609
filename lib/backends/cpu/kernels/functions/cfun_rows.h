// SPDX-License-Identifier: BSD-3-Clause
/* Blocks of complex numbers; a body of cfun.h. */
/* ROWS(m, re, im) in place; where ODD says that some are not near, FAR does those again, from what they were. Code of its own. */
APART KIND(complex_blocks)(int64_t n, char *const *p, const int64_t *s, bool (*odd)(int64_t, const double *, const double *),
                           void (*rows)(int64_t, double *restrict, double *restrict),
                           void (*far)(int64_t, COMPLEX *, const double *, const double *))
{
  for (int64_t i = 0; i < n; i += MATH_BLOCK) {
    const int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;
    _Alignas(CPU_VECTOR) double re[MATH_BLOCK], im[MATH_BLOCK], in[2][MATH_BLOCK];
    _Alignas(CPU_VECTOR) COMPLEX out[MATH_BLOCK];
    KIND(take_doubles)(m, p[1] + i * s[1], s[1], re, im);
    const bool some = odd(m, re, im);
    if (some) {
      memcpy(in[0], re, sizeof re);
      memcpy(in[1], im, sizeof im);
    }
    rows(m, re, im);
    IVDEP for (int64_t j = 0; j < m; j++) {
      out[j].re = (T)re[j];
      out[j].im = (T)im[j];
    }
    if (some)
      far(m, out, in[0], in[1]);
    KIND(put_block)(m, p[0] + i * s[0], s[0], out);
  }
}

INLINE void KIND(far_by)(int64_t m, COMPLEX *out, const double *re, const double *im, bool (*near)(double, double),
                         PICK(float, double) _Complex (*of)(PICK(float, double) _Complex))
{
  for (int64_t j = 0; j < m; j++)
    if (!near(re[j], im[j])) {
      const PICK(float, double) _Complex z = of(PICK(CMPLXF, CMPLX)((T)re[j], (T)im[j]));
      out[j] = (COMPLEX){ creal(z), cimag(z) };
    }
}

#if defined(HED_HAVE_LIBMVEC)
/* e^((b + c i) log z); near is where neither factor leaves its range. */
static void KIND(power)(int64_t n, char *const *p, const int64_t *s, const void *params)
{
  (void)params;
  for (int64_t i = 0; i < n; i += MATH_BLOCK) {
    const int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;
    double re[MATH_BLOCK], im[MATH_BLOCK], b[MATH_BLOCK], c[MATH_BLOCK];
    uint8_t near[MATH_BLOCK];
    COMPLEX out[MATH_BLOCK];
    int odd = 0;
    KIND(take_doubles)(m, p[1] + i * s[1], s[1], re, im);
    KIND(take_doubles)(m, p[2] + i * s[2], s[2], b, c);
    IVDEP for (int64_t j = 0; j < m; j++)
      near[j] = near_power(re[j], im[j], b[j], c[j], PICK(0x1p20, 64.0));
    log_rows(m, re, im);
    IVDEP for (int64_t j = 0; j < m; j++) {
      const double x = re[j], y = im[j];
      re[j] = b[j] * x - c[j] * y;
      im[j] = c[j] * x + b[j] * y;
    }
    IVDEP for (int64_t j = 0; j < m; j++)
      near[j] &= near_circular(im[j], re[j]);
    for (int64_t j = 0; j < m; j++)
      odd |= !near[j];
    IVDEP for (int64_t j = 0; j < m; j++) {
      const double e = exp_near_d(re[j]), angle = im[j];
      out[j].re = (T)(e * sin_d(angle, 1));
      out[j].im = (T)(e * sin_d(angle, 0));
    }
    for (int64_t j = 0; j < m && odd; j++)
      if (!near[j]) {
        const COMPLEX *at = KIND(at)(p[1], (i + j) * s[1]);
        const double _Complex z = power_complex(CMPLX(at->re, at->im), CMPLX(b[j], c[j]));
        out[j] = (COMPLEX){ (T)creal(z), (T)cimag(z) };
      }
    KIND(put_block)(m, p[0] + i * s[0], s[0], out);
  }
}
#endif
