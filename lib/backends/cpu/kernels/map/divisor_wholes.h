// SPDX-License-Identifier: BSD-3-Clause
/* The text of divisor.h for integers. U, of BITS bits, holds T's numbers and their magnitudes. */
#if WIDTH == 8
#define U uint16_t
#define BITS 16
#else
#define U UWORD
#define BITS WIDTH
#endif

/* EASY: D is above 0, which turns nothing around. */
INLINE void N(divide_by)(int64_t n, T *o, const T *x, const T d, const int kind, const bool easy)
{
  const U minus = (U)(0 - (U)(HAS_SIGN && !easy && d < 1)), turn = kind == DIVIDE_FMOD ? 0 : minus;
  const U by = (U)(((U)d ^ minus) - minus);
  const bool seven = easy && HAS_SIGN && sizeof(T) == 1;
  const inverse inv = seven ? short_inverse_of(by) : inverse_of(by, BITS);
  const U times = (U)inv.times;
  const int first = inv.first, then = inv.then;
  IVDEP for (int64_t i = 0; i < n; i++) {
    const U a = (U)x[i], b = (U)((a ^ turn) - turn);
    const U below = HAS_SIGN ? (U)(0 - (U)((U)(b & ~(a & turn)) >> (BITS - 1))) : 0;
    const U v = kind == DIVIDE_FMOD ? (U)((b ^ below) - below) : (U)(b ^ below);
    const U t = seven ? PRODUCT(U, v, times) : CPU_JOIN(upper_, BITS)(v, times);
    const U q = (U)((seven ? t : (U)((U)((U)(v - t) >> first) + t)) >> then);
    o[i] = kind == DIVIDE_FLOOR ? (T)(q ^ below)
           : kind == DIVIDE_MOD ? (T)(a - PRODUCT(U, q ^ below, d))
                                : (T)(((U)(v - PRODUCT(U, q, by)) ^ below) - below);
  }
}

/* By 0, all are 0. EACH: for other operands. */
INLINE void N(divide_all)(int64_t n, char *const *p, const int64_t *s, const void *params, const int kind, hed__map_fn each)
{
  const int64_t size = sizeof(T);
  if (n < DIVIDE_FEW || s[0] != size || s[1] != size || s[2] != 0) {
    each(n, p, s, params);
    return;
  }
  const T d = *(const T *)(const void *)p[2];
  T *o = (T *)(void *)p[0];
  const T *x = (const T *)(const void *)p[1];
  if (d == 0)
    memset(o, 0, (size_t)(n * size));
  else if (d > 0)
    N(divide_by)(n, o, x, d, kind, true);
  else
    N(divide_by)(n, o, x, d, kind, false);
}

#if HAS_SIGN && (WIDTH < 64 || defined __AVX512DQ__)
#define EACH(NAME) N(NAME##_each)
#else
#define EACH(NAME) hed__formulas[OP_##NAME][CPU_JOIN(ID_, S)].fn
#endif
#define DIVIDED(NAME, KIND)                                                                      \
  static void N(NAME)(int64_t n, char *const *p, const int64_t *s, const void *params)           \
  {                                                                                              \
    N(divide_all)(n, p, s, params, KIND, EACH(NAME));                                            \
  }
DIVIDED(floor_divide, DIVIDE_FLOOR)
DIVIDED(mod, DIVIDE_MOD)
DIVIDED(fmod, DIVIDE_FMOD)
#undef DIVIDED
#undef EACH
#undef BITS
#undef U
