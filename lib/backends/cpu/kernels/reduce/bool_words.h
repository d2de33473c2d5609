// SPDX-License-Identifier: BSD-3-Clause
/* any, all and count of words, of which the bits of M count; a body of bool.c. Every instruction set. */
typedef T N(vector) __attribute__((vector_size(VECTOR), aligned(1), may_alias));

INLINE N(vector) N(load)(const char *x, const T m) { return *(const N(vector) *)(const void *)x & m; }
INLINE T N(element)(const char *x, int64_t i, const T m)
{
  T v;
  memcpy(&v, x + i * (int64_t)sizeof v, sizeof v);
  return v & m;
}

/* Has any of the vectors that were looked at an element that is 0? With AVX-512 comparisons give masks, which would have to be
 * turned to vectors again: there the least elements are kept. And A with 1 more where the element at P has a bit of M. */
#if defined __AVX512F__
#define WORDS_512(name) CPU_JOIN(_mm512_##name##_, PS)
#define MASKS_512(name) CPU_JOIN(CPU_JOIN(_mm512_##name##_, EPI), _mask)
INLINE bits N(look)(bits a, N(vector) v) { return (bits)WORDS_512(min)((__m512i)a, (__m512i)v); }
INLINE bool N(has_zero)(bits a) { return MASKS_512(testn)((__m512i)a, (__m512i)a) != 0; }
INLINE N(vector) N(one_more)(const T m, N(vector) a, const char *p)
{
  const N(vector) all = (N(vector)){ 0 } + m, one = (N(vector)){ 0 } + 1;
  const __m512i from = (__m512i)a;
  const __mmask64 there = MASKS_512(test)(_mm512_loadu_si512(p), (__m512i)all);
  return (N(vector))CPU_JOIN(_mm512_mask_add_, EPI)(from, there, from, (__m512i)one);
}
#undef MASKS_512
#undef WORDS_512
#else
INLINE bits N(look)(bits a, N(vector) v) { return a | (bits)(v == 0); }
INLINE bool N(has_zero)(bits a) { return some(a); }
INLINE N(vector) N(one_more)(const T m, N(vector) a, const char *p) { return a - (N(vector))(N(load)(p, m) != 0); }
#endif

INLINE bool N(any)(int64_t n, const char *x, const T m)
{
  const int64_t size = n * (int64_t)sizeof(T);
  int64_t i = 0;
  for (; i + BLOCK * VECTOR <= size; i += BLOCK * VECTOR) {
    prefetch_next(x + i);
    N(vector) a = N(load)(x + i, m), b = N(load)(x + i + VECTOR, m);
    UNROLL for (int k = 2; k < BLOCK; k += 2) {
      a |= N(load)(x + i + k * VECTOR, m);
      b |= N(load)(x + i + (k + 1) * VECTOR, m);
    }
    if (some((bits)(a | b)))
      return true;
  }
  for (; i + VECTOR <= size; i += VECTOR)
    if (some((bits)N(load)(x + i, m)))
      return true;
  if (i < size && size >= VECTOR)
    return some((bits)N(load)(x + size - VECTOR, m));
  for (i /= (int64_t)sizeof(T); i < n; i++)
    if (N(element)(x, i, m) != 0)
      return true;
  return false;
}

INLINE bool N(all)(int64_t n, const char *x, const T m)
{
  const int64_t size = n * (int64_t)sizeof(T);
  int64_t i = 0;
  for (; i + BLOCK * VECTOR <= size; i += BLOCK * VECTOR) {
    bits a = NONE, b = NONE;
    prefetch_next(x + i);
    UNROLL for (int k = 0; k < BLOCK; k += 2) {
      a = N(look)(a, N(load)(x + i + k * VECTOR, m));
      b = N(look)(b, N(load)(x + i + (k + 1) * VECTOR, m));
    }
    if (N(has_zero)(a) || N(has_zero)(b))
      return false;
  }
  for (; i + VECTOR <= size; i += VECTOR)
    if (N(has_zero)(N(look)(NONE, N(load)(x + i, m))))
      return false;
  if (i < size && size >= VECTOR)
    return !N(has_zero)(N(look)(NONE, N(load)(x + size - VECTOR, m)));
  for (i /= (int64_t)sizeof(T); i < n; i++)
    if (N(element)(x, i, m) == 0)
      return false;
  return true;
}

INLINE int64_t N(counted)(N(vector) a)
{
  T each[VECTOR / sizeof(T)];
  int64_t count = 0;
  memcpy(each, &a, sizeof each);
  for (size_t k = 0; k < VECTOR / sizeof(T); k++)
    count += (int64_t)each[k];
  return count;
}

INLINE int64_t N(count)(int64_t n, const char *x, const T m)
{
  enum { W = VECTOR / sizeof(T), SOME = sizeof(T) == 1 ? 252 : sizeof(T) == 2 ? 4096 : 65536 }; /* fit an element */
  int64_t count = 0, i = 0;
  const int64_t half = n * (int64_t)sizeof(T) >= FAR ? n / (4 * W) * (2 * W) : 0;
  while (i < half) { /* as two streams */
    const int64_t end = i + (half - i < (int64_t)SOME * W ? half - i : (int64_t)SOME * W);
    N(vector) a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };
    for (; i < end; i += 2 * W) {
      const char *p = x + i * (int64_t)sizeof(T), *q = p + half * (int64_t)sizeof(T);
      a = N(one_more)(m, a, p);
      b = N(one_more)(m, b, p + VECTOR);
      c = N(one_more)(m, c, q);
      d = N(one_more)(m, d, q + VECTOR);
    }
    count += N(counted)(a + b) + N(counted)(c + d);
  }
  i += half;
  while (i + W <= n) {
    const int64_t end = i + (n - i < (int64_t)SOME * W ? (n - i) / W * W : (int64_t)SOME * W);
    N(vector) a = { 0 }, b = { 0 };
    for (; i + 4 * W <= end; i += 4 * W) {
      const char *p = x + i * (int64_t)sizeof(T);
      a = N(one_more)(m, a, p);
      b = N(one_more)(m, b, p + VECTOR);
      a = N(one_more)(m, a, p + 2 * VECTOR);
      b = N(one_more)(m, b, p + 3 * VECTOR);
    }
    for (; i < end; i += W)
      a = N(one_more)(m, a, x + i * (int64_t)sizeof(T));
    count += N(counted)(a + b);
  }
  for (; i < n; i++)
    count += N(element)(x, i, m) != 0;
  return count;
}
