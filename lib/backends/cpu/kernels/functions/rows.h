// SPDX-License-Identifier: BSD-3-Clause
/*
 * Loops over contiguous elements from a function of one element, and around them those over strides; a body of math.h. What is to
 * be called is constant in every entry, and inlined.
 */
typedef T N(real);
typedef PICK(uint32_t, uint64_t) OF(word);

INLINE OF(word) OF(bits)(T x)
{
  OF(word) u;
  memcpy(&u, &x, sizeof u);
  return u;
}

INLINE T OF(of_bits)(OF(word) u)
{
  T x;
  memcpy(&x, &u, sizeof x);
  return x;
}

#if defined(__FMA__)
INLINE T OF(ma)(T a, T b, T c) { return PICK(__builtin_fmaf, __builtin_fma)(a, b, c); }
#else
INLINE T OF(ma)(T a, T b, T c) { return a * b + c; }
#endif

INLINE void N(each1)(int64_t n, T *o, const T *v, T (*of)(T))
{
  IVDEP for (int64_t i = 0; i < n; i++)
    o[i] = of(v[i]);
}

INLINE void N(each2)(int64_t n, T *o, const T *v, const T *w, T (*of)(T, T))
{
  IVDEP for (int64_t i = 0; i < n; i++)
    o[i] = of(v[i], w[i]);
}

/* Are some vectors from LOW to HIGH? Masks in registers of their own cost less than a pass that looks at a block before. */
#if defined(__AVX512F__)
INLINE bool N(near_all)(const T *v, T low, T high)
{
  PICK(__mmask16, __mmask8) in = (PICK(__mmask16, __mmask8))-1;
  for (int k = 0; k < NEAR_VECTORS; k++) {
    const PICK(__m512, __m512d) x = CPU_JOIN(_mm512_loadu_, PS)(v + k * LANES);
    in = CPU_JOIN(CPU_JOIN(_mm512_mask_cmp_, PS), _mask)(in, x, CPU_JOIN(_mm512_set1_, PS)(low), _CMP_GE_OQ);
    in = CPU_JOIN(CPU_JOIN(_mm512_mask_cmp_, PS), _mask)(in, x, CPU_JOIN(_mm512_set1_, PS)(high), _CMP_LE_OQ);
  }
  return in == (PICK(__mmask16, __mmask8))-1;
}
#endif

/* What comes first of N elements and is from LOW to HIGH, some vectors at a time: how many these are. Without masks, none. */
INLINE int64_t N(near_first)(int64_t n, T *o, const T *v, T low, T high, T (*near)(T))
{
  int64_t done = 0;
#if defined(__AVX512F__)
  enum { GROUP = NEAR_VECTORS * LANES };
  for (; n - done >= GROUP && N(near_all)(v + done, low, high); done += GROUP)
    N(each1)(GROUP, o + done, v + done, near);
#else
  (void)n, (void)o, (void)v, (void)low, (void)high, (void)near;
#endif
  return done;
}

/* FAR for every x, NEAR for those from LOW to HIGH, of which blocks usually hold no others; they agree there. FIRST: vectors come
 * first, which is not for long functions, of which four want more registers than there are. */
INLINE void N(near_row)(int64_t n, T *o, const T *v, T low, T high, T (*near)(T), T (*far)(T), const bool first)
{
  for (; n > 0; n -= MATH_BLOCK, o += MATH_BLOCK, v += MATH_BLOCK) {
    const int64_t done = first ? N(near_first)(n, o, v, low, high, near) : 0;
    n -= done, o += done, v += done;
    const int64_t m = n < MATH_BLOCK ? n : MATH_BLOCK;
    int some = 0;
    for (int64_t i = 0; i < m; i++)
      some |= !((v[i] >= low) & (v[i] <= high));
    if (some)
      N(each1)(m, o, v, far);
    else
      N(each1)(m, o, v, near);
  }
}

/* Two passes over blocks: either's chain of operations, each waiting for the one before, is short enough that processors have
 * several elements in work. SECOND gets what FIRST made, too. */
INLINE void N(passes1)(int64_t n, T *o, const T *v, T (*first)(T), T (*second)(T, T))
{
  T made[MATH_BLOCK];
  for (int64_t i = 0; i < n; i += MATH_BLOCK) {
    const int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;
    N(each1)(m, made, v + i, first);
    N(each2)(m, o + i, v + i, made, second);
  }
}

INLINE void N(passes2)(int64_t n, T *o, const T *v, const T *w, T (*first)(T, T), T (*second)(T, T, T))
{
  T made[MATH_BLOCK];
  for (int64_t i = 0; i < n; i += MATH_BLOCK) {
    const int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;
    N(each2)(m, made, v + i, w + i, first);
    IVDEP for (int64_t j = 0; j < m; j++)
      o[i + j] = second(v[i + j], w[i + j], made[j]);
  }
}

/* Loops over strides are code of their own, once a type: they take longer to build than most functions. */
APART N(blocks1)(int64_t n, char *const *p, const int64_t *s, void (*row)(int64_t, T *, const T *))
{
  _Alignas(CPU_VECTOR) T block[MATH_BLOCK];
  for (int64_t i = 0; i < n; i += MATH_BLOCK) {
    int64_t m = n - i < MATH_BLOCK ? n - i : MATH_BLOCK;
    for (int64_t j = 0; j < m; j++)
      block[j] = *(const T *)(const void *)(p[1] + (i + j) * s[1]);
    row(m, block, block);
    for (int64_t j = 0; j < m; j++)
      *(T *)(void *)(p[0] + (i + j) * s[0]) = block[j];
  }
}

INLINE void N(strided1)(int64_t n, char *const *p, const int64_t *s, void (*row)(int64_t, T *, const T *))
{
  if (s[0] == (int64_t)sizeof(T) && s[1] == (int64_t)sizeof(T))
    row(n, (T *)(void *)p[0], (const T *)(const void *)p[1]);
  else
    N(blocks1)(n, p, s, row);
}
