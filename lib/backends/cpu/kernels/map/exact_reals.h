// SPDX-License-Identifier: BSD-3-Clause
/* The text of exact.h for float32 and float64. */
LOOP1(N(logical_not), T, uint8_t, !(a != 0))
LOOP2(N(logical_and), T, uint8_t, (a != 0) & (b != 0))
LOOP2(N(logical_or), T, uint8_t, (a != 0) | (b != 0))
LOOP2(N(logical_xor), T, uint8_t, (a != 0) ^ (b != 0))
LOOP1(N(round), T, T, LIBM(__builtin_rint)(a))
LOOP1(N(trunc), T, T, LIBM(__builtin_trunc)(a))
LOOP1(N(sign), T, T, a != a ? a : (T)(a > 0 ? 1 : 0) - (T)(a < 0 ? 1 : 0))
LOOP1(N(relu), T, T, (a > 0) | (a != a) ? a : 0)
LOOP1(N(isinf), T, uint8_t, SIZE_OF(a) > PICK(FLT_MAX, DBL_MAX))
LOOP1(N(signbit), UWORD, uint8_t, a >> (WIDTH - 1))
LOOP1(N(angle), T, T, a != a ? a : LIBM(__builtin_copysign)(1, a) < 0 ? (T)3.14159265358979323846 : 0)
LOOP2(N(copysign), T, T, LIBM(__builtin_copysign)(a, b))

#if defined(__FMA__)
/*
 * a = t b + r by the quotient Q of T in double, t = trunc Q. For float32 t is right and the product exact, because a
 * quotient below 2^28 is farther from a integer than its rounding. For float64 t may be one too large (in magnitude);
 * r is exact then too, and b is added. As fmod, r has the sign of a.
 */
INLINE parts N(divide)(double a, double b, double q)
{
  double t = __builtin_trunc(q), r;
#if WIDTH == 32
  r = a - t * b;
#else
  r = __builtin_fma(-t, b, a);
  bool over = (r != 0) & ((r < 0) != (a < 0));
  r = over ? r + __builtin_copysign(b, a) : r;
  t = over ? t - __builtin_copysign(1.0, q) : t;
#endif
  return (parts){ t, __builtin_copysign(r, a) };
}

/* Larger quotients, zeros below, infinities and NaN are rare and go to libm, by ANY. */
INLINE bool N(is_odd)(double q, T b) { return !(__builtin_fabs(q) < PICK(0x1p28, 0x1p50)) | !(b - b == 0); }
INLINE void N(remainders)(int64_t n, T *o, const T *x, const T *y, double (*part)(parts, double, double),
                          double (*any)(double, double))
{
  for (int64_t i = 0; i < n; i += MATH_BLOCK) {
    int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;
    T a[MATH_BLOCK], b[MATH_BLOCK];
    double quotient[MATH_BLOCK];
    int odd = 0;
    memcpy(a, x + i, (size_t)m * sizeof *a);
    memcpy(b, y + i, (size_t)m * sizeof *b);
    for (int64_t j = 0; j < m; j++)
      quotient[j] = (double)a[j] / (double)b[j];
    for (int64_t j = 0; j < m; j++)
      odd |= N(is_odd)(quotient[j], b[j]);
    IVDEP for (int64_t j = 0; j < m; j++) {
      const double q = quotient[j], d = (double)b[j];
      o[i + j] = (T)part(N(divide)((double)a[j], d, q), d, q);
    }
    for (int64_t j = 0; j < m && odd; j++)
      if (N(is_odd)(quotient[j], b[j]))
        o[i + j] = (T)any((double)a[j], (double)b[j]);
  }
}
#define REMAINDER(NAME, PART, ANY) \
  static void CPU_JOIN(NAME, _row)(int64_t n, T *o, const T *x, const T *y) { N(remainders)(n, o, x, y, PART, ANY); } \
  STRIDED2(NAME, S, CPU_JOIN(NAME, _row))
REMAINDER(N(fmod), fmod_part, fmod)
REMAINDER(N(mod), mod_part, modulus)
REMAINDER(N(floor_divide), floor_part, floor_quotient)
#undef REMAINDER
#endif
