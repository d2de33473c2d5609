// SPDX-License-Identifier: BSD-3-Clause
/* Vectors of integers; a body of lanes.h. L1. */
INLINE V N(get)(const T *p) { return *(const V *)(const void *)p; }
INLINE void N(put)(T *p, V a) { *(V *)(void *)p = a; }
INLINE V N(each)(T a) { return a - (V){ 0 }; }
/* B where it is beyond A, lane by lane. */
#if defined __AVX512F__
#define WHOLE(name) CPU_JOIN(_mm512_##name##_, PS)
INLINE V N(pick)(const bool most, V b, V a)
{
  return (V)(most ? WHOLE(max)((__m512i)b, (__m512i)a) : WHOLE(min)((__m512i)b, (__m512i)a));
}
#undef WHOLE
#else
INLINE V N(pick)(const bool most, V b, V a)
{
  const WORDS k = most ? (WORDS)(b > a) : (WORDS)(b < a);
  return (V)(((WORDS)b & k) | ((WORDS)a & ~k));
}
#endif
