// SPDX-License-Identifier: BSD-3-Clause
/* The text of split.c for both real types. Every instruction set; contiguous values, room for a vector behind those between. */
#if defined __AVX512F__
#define COMPARE(a, b, how) CPU_JOIN(X86(cmp), _mask)(a, b, how)
INLINE WORDS N(count)(WORDS sum, M k)
{
  return (WORDS)CPU_JOIN(_mm512_mask_add_, EPI)((__m512i)sum, k, (__m512i)sum, CPU_JOIN(_mm512_set1_, EPI)(1));
}
INLINE int N(put_between)(T *to, V v, M upto_low, M below_high)
{
  const M k = (M)(below_high & ~upto_low);
  N(put)(to, X86(maskz_compress)(k, v));
  return __builtin_popcount(k);
}
#elif defined __AVX2__
#define COMPARE(a, b, how) X86(cmp)(a, b, how)
INLINE WORDS N(count)(WORDS sum, M k) { return sum - (WORDS)k; }
INLINE int N(put_between)(T *to, V v, M upto_low, M below_high)
{
  const unsigned m = (unsigned)X86(movemask)(X86(andnot)(upto_low, below_high));
  _mm256_storeu_ps((float *)to, _mm256_permutevar8x32_ps((__m256)v, pack_order(WIDTH == 32 ? split_lanes[m] : split_pairs[m])));
  return __builtin_popcount(m);
}
#endif

/* Vectors count in lanes of their own; N stays far below what 32 bits hold. */
static void N(split)(int64_t n, const T *x, T low, T high, T *out, cpu_split *s)
{
  WORD below = 0, upto = 0, at_high = 0, nan = 0;
  T *to = out;
#ifdef COMPARE
  const V l = N(each)(low), h = N(each)(high);
  WORDS count[4] = { { 0 } };
  for (; n >= LANES; n -= LANES, x += LANES) {
    __builtin_prefetch((const char *)x + AHEAD);
    const V v = N(get)(x);
    const M le = COMPARE(v, l, _CMP_LE_OQ), below_high = COMPARE(v, h, _CMP_LT_OQ);
    count[0] = N(count)(count[0], COMPARE(v, l, _CMP_LT_OQ));
    count[1] = N(count)(count[1], le);
    count[2] = N(count)(count[2], COMPARE(v, h, _CMP_EQ_OQ));
    count[3] = N(count)(count[3], N(unlike)(v));
    to += N(put_between)(to, v, le, below_high);
  }
  for (int k = 0; k < LANES; k++) {
    below += count[0][k];
    upto += count[1][k];
    at_high += count[2][k];
    nan += count[3][k];
  }
#endif
  for (int64_t i = 0; i < n; i++) {
    below += x[i] < low;
    upto += x[i] <= low;
    at_high += x[i] == high;
    nan += x[i] != x[i];
  }
  for (int64_t i = 0; i < n; i++) {
    *to = x[i];
    to += (x[i] > low) & (x[i] < high);
  }
  *s = (cpu_split){ below, upto - below, to - out, low == high ? 0 : at_high, nan };
}
#undef COMPARE
