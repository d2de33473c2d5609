// SPDX-License-Identifier: BSD-3-Clause
/* The text of power_int.h for integers; those without a sign come first, whose powers those with one take. */
#define OF_WORDS(name) CPU_JOIN(name##_u, WIDTH)
#if !HAS_SIGN
/* ALL times SQUARE where the EXPONENT has the bit. */
INLINE V N(times_chosen)(V all, V square, V exponent, int bit)
{
#if CPU_VECTOR == 64 && WIDTH > 8
  const __m512i one = CPU_JOIN(_mm512_set1_, EPI)((WORD)((T)1 << bit)), so_far = (__m512i)all;
  return (V)CPU_JOIN(_mm512_mask_mullo_, EPI)(so_far, CPU_JOIN(CPU_JOIN(_mm512_test_, EPI), _mask)((__m512i)exponent, one), so_far,
                                              (__m512i)square);
#else
  return all ^ ((all ^ all * square) & -(exponent >> bit & 1));
#endif
}

/* Exponents of at most BITS bits, two or more; STEP 0: one for all. */
INLINE void N(powers_some)(int64_t n, void *o, const T *x, const T *y, const int64_t step, const int bits)
{
  _Alignas(CPU_VECTOR) V square[POWERS] = { { 0 } }, exponent[POWERS] = { { 0 } }, all[POWERS];
  memcpy(square, x, (size_t)n * sizeof *x);
  if (step)
    memcpy(exponent, y, (size_t)n * sizeof *y);
  else
    UNROLL for (int k = 0; k < POWERS; k++)
      exponent[k] += *y;
  UNROLL for (int k = 0; k < POWERS; k++)
    all[k] = 1 + ((square[k] - 1) & -(exponent[k] & 1));
  int bit = 1;
  do {
    UNROLL for (int k = 0; k < POWERS; k++) {
      square[k] *= square[k];
      all[k] = N(times_chosen)(all[k], square[k], exponent[k], bit);
    }
  } while (++bit < bits);
  memcpy(o, all, (size_t)n * sizeof *x);
}

static void N(powers_all)(int64_t n, void *out, const T *x, const T *y, const int64_t step, const int bits)
{
  enum { TOGETHER = POWERS * LANES };
  T *o = out;
  for (; n >= TOGETHER; n -= TOGETHER, o += TOGETHER, x += TOGETHER, y += step * TOGETHER)
    N(powers_some)(TOGETHER, o, x, y, step, bits);
  if (n > 0)
    N(powers_some)(n, o, x, y, step, bits);
}
#endif

static void N(power_row)(int64_t n, T *o, const T *a, const T *b)
{
  const UWORD *x = (const UWORD *)a, *y = (const UWORD *)b;
  for (; n > 0; n -= MATH_BLOCK, o += MATH_BLOCK, x += MATH_BLOCK, y += MATH_BLOCK) {
    const int64_t m = n < MATH_BLOCK ? n : MATH_BLOCK;
    UWORD longest = 0, base[MATH_BLOCK], exponent[MATH_BLOCK];
    for (int64_t j = 0; j < m; j++)
      longest |= y[j];
    const bool below = HAS_SIGN && longest >> (WIDTH - 1);
    if (below) {
      longest = 0;
      IVDEP for (int64_t j = 0; j < m; j++) {
        const UWORD one = (UWORD)(0 - (UWORD)((x[j] == 1) | (x[j] == (UWORD)-1))), minus = (UWORD)(0 - (y[j] >> (WIDTH - 1)));
        base[j] = (UWORD)(x[j] & (one | (UWORD)~minus));
        exponent[j] = (UWORD)((y[j] & (UWORD)~minus) | (((y[j] & 1) | ((UWORD)~one & 1)) & minus));
        longest |= exponent[j];
      }
    }
    OF_WORDS(powers_all)(m, o, below ? base : x, below ? exponent : y, 1, BITS_OF(longest));
  }
}
STRIDED2(N(power_any), S, N(power_row))

static void N(power)(int64_t n, char *const *p, const int64_t *s, const void *params)
{
  const int64_t size = sizeof(T);
  const T by = s[2] == 0 && n > 0 ? *(const T *)(const void *)p[2] : 0;
  T *o = (T *)(void *)p[0];
  const UWORD *x = (const UWORD *)(const void *)p[1], y = (UWORD)by;
  if (by < 1 || s[0] != size || s[1] != size)
    N(power_any)(n, p, s, params);
  else if (by == 2)
    IVDEP for (int64_t j = 0; j < n; j++)
      o[j] = (T)PRODUCT(UWORD, x[j], x[j]);
  else
    OF_WORDS(powers_all)(n, o, x, &y, 0, BITS_OF(y));
}
#undef OF_WORDS
