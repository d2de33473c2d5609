// SPDX-License-Identifier: BSD-3-Clause
/*
 * Products of contiguous elements and of columns; included by reduce.c alone, after reduce.h. Those of complex numbers
 * are in product_pairs.h.
 *
 * Floats: mantissas are multiplied in lanes and exponents added, so that no partial product leaves the range
 * (base/product.h); of float32, in double, four elements at a time, which cannot. Integers: in lanes of 64 bits.
 * Every instruction set; contiguous slices and rows of contiguous columns.
 */

typedef struct split { vd mantissa, exponent; } split;
typedef int64_t vl __attribute__((vector_size(VECTOR), aligned(8), may_alias));

#if defined __AVX512F__
/* Zeros have the exponent -inf, infinities inf: the sum says what becomes of them. */
static inline void split_in(split *s, vd v, vl *odd)
{
  (void)odd;
  s->mantissa *= (vd)_mm512_getmant_pd((__m512d)v, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src);
  s->exponent += (vd)_mm512_getexp_pd((__m512d)v);
}
#else
/* *ODD gets a bit where an element is 0, tiny or not finite: the caller does those one by one. */
static inline void split_in(split *s, vd v, vl *odd)
{
  const vl bits = (vl)v, field = bits >> 52 & 0x7ff;
  s->mantissa *= (vd)((bits & (int64_t)0x800fffffffffffffu) | 0x3ff0000000000000);
  s->exponent += (vd)(field | 0x4330000000000000) - (0x1p52 + 1023); /* the number as an integer below 2^52 */
  *odd |= (vl)(((field + 1) & 0x7fe) == 0);
}
#endif

/* S times T, whose mantissas may have grown. */
static inline void split_join(split *s, const split *t)
{
  vl none = { 0 };
  split_in(s, t->mantissa, &none);
  s->exponent += t->exponent;
}

static inline double product_of_lanes(vd v)
{
#if defined __AVX512F__
  return _mm512_reduce_mul_pd((__m512d)v);
#else
  double m = v[0];
  for (int k = 1; k < VECTOR / 8; k++)
    m *= v[k];
  return m;
#endif
}

static inline void split_out(const split *s, hed__product *p)
{
#if defined __AVX512F__
  double e = _mm512_reduce_add_pd((__m512d)s->exponent);
#else
  double e = s->exponent[0];
  for (int k = 1; k < VECTOR / 8; k++)
    e += s->exponent[k];
#endif
  double m = product_of_lanes(s->mantissa);
  if (!isfinite(e)) {
    m = e != e ? e : copysign(e > 0 ? (double)INFINITY : 0.0, m);
    e = 0;
  }
  p->exponent += e;
  hed__product_real(p, m);
}

static inline bool any_odd(vl odd) { return ANY_LANE(odd); }

/* Bits of the lanes of A between 1 / MOST and MOST. */
static inline vl between(vd a, double most)
{
  const vd size = (vd)((vl)a & INT64_MAX);
  return (vl)(size > 1 / most) & (vl)(size < most);
}

/* A chain begins so far above 1 that it has to sink by as much before the highest bit of the exponent goes, which is looked at
 * after every second factor: V times W. Where the first one takes a chain from 2 or more below 2^-1023, the second, below 2^1024,
 * does not bring it back; above that one bit is lost at most. */
#define CHAIN_START 0x1p500

static inline void chain(vd *a, vd v, vd w, vl *all)
{
  *a *= v;
  *a *= w;
  *all &= (vl)*a;
}

/* Four chains stayed above the bound and end within the range: then none was ever beyond it. */
static inline bool chains_near(vl all, vd a, vd b, vd c, vd d)
{
  const vd none = { 0 }, most = none + 2 * CHAIN_START * CHAIN_START;
#define WITHIN_(x) (vl)((vd)((vl)(x) & INT64_MAX) < most)
  return !any_odd(~((all << 1 >> 63) & WITHIN_(a) & WITHIN_(b) & WITHIN_(c) & WITHIN_(d)));
#undef WITHIN_
}

/* Fewer than a vector of elements, filled up with ones. */
#if defined __AVX512F__
static inline vd ones_behind_f32(const float *x, int64_t n)
{
  return (vd)_mm512_cvtps_pd(_mm256_mask_loadu_ps(_mm256_set1_ps(1), (__mmask8)((1u << n) - 1), x));
}

static inline vd ones_behind_f64(const double *x, int64_t n)
{
  return (vd)_mm512_mask_loadu_pd(_mm512_set1_pd(1), (__mmask8)((1u << n) - 1), x);
}
#else
#define ONES_BEHIND(S, T)                                                                        \
  static inline vd ones_behind_##S(const T *x, int64_t n)                                        \
  {                                                                                              \
    const vd none = { 0 };                                                                       \
    vd v = none + 1;                                                                             \
    for (int k = 0; k < VECTOR / 8; k++)                                                         \
      v[k] = k < n ? (double)x[k] : 1;                                                           \
    return v;                                                                                    \
  }
ONES_BEHIND(f32, float)
ONES_BEHIND(f64, double)
#endif

/* STEP vectors of W elements are one product, PUT, which is a factor of a chain of up to DEEP. Chains are multiplied as they are;
 * where one leaves the range, factors are split one by one. Mantissas below 2 are put together as many as fit a float64, and what
 * comes of that as often. */
#define PRODUCT(S, T, STEP, PUT, LOAD)                                                           \
  /* One chain each, and nothing that would have to be done by parts. False: they left the range. */ \
  static bool prod_few_##S(int64_t n, const T *v, hed__product *p)                               \
  {                                                                                              \
    enum { W = VECTOR / 8, NEXT = STEP * W, ROUND = 4 * NEXT };                                  \
    const vd none = { 0 }, one = none + 1, start = none + CHAIN_START;                           \
    vd pa = start, pb = start, pc = start, pd = start;                                           \
    vl all = ~(vl){ 0 }, odd = { 0 };                                                            \
    int64_t i = 0;                                                                               \
    for (; i + 2 * ROUND <= n; i += 2 * ROUND) {                                                 \
      const T *const r = v + i;                                                                  \
      chain(&pa, PUT(r), PUT(r + ROUND), &all);                                                  \
      chain(&pb, PUT(r + NEXT), PUT(r + ROUND + NEXT), &all);                                    \
      chain(&pc, PUT(r + 2 * NEXT), PUT(r + ROUND + 2 * NEXT), &all);                            \
      chain(&pd, PUT(r + 3 * NEXT), PUT(r + ROUND + 3 * NEXT), &all);                            \
    }                                                                                            \
    for (; i + 2 * NEXT <= n; i += 2 * NEXT) {                                                   \
      chain(&pa, PUT(v + i), one, &all);                                                         \
      chain(&pb, PUT(v + i + NEXT), one, &all);                                                  \
    }                                                                                            \
    for (; i + W <= n; i += W)                                                                   \
      chain(&pc, LOAD(v + i), one, &all);                                                        \
    if (i < n)                                                                                   \
      chain(&pd, ones_behind_##S(v + i, n - i), one, &all);                                      \
    if (!chains_near(all, pa, pb, pc, pd))                                                       \
      return false;                                                                              \
    const vd ab = (pa / CHAIN_START) * (pb / CHAIN_START); /* between 2^-998 and 2^1002 */       \
    const vd cd = (pc / CHAIN_START) * (pd / CHAIN_START);                                       \
    if (!any_odd(~between(ab * cd, 0x1p100))) {                                                  \
      hed__product_real(p, product_of_lanes(ab * cd));                                           \
      return true;                                                                               \
    }                                                                                            \
    split total = { one, none };                                                                 \
    split_in(&total, ab, &odd);                                                                  \
    split_in(&total, cd, &odd);                                                                  \
    split_out(&total, p);                                                                        \
    return true;                                                                                 \
  }                                                                                              \
  static void prod_near_##S(int64_t n, const void *x, hed__product *p)                           \
  {                                                                                              \
    enum { W = VECTOR / 8, NEXT = STEP * W, ROUND = 4 * NEXT, DEEP = 32, MOST = 7 * DEEP * ROUND }; \
    const T *v = x;                                                                              \
    const vd none = { 0 }, one = none + 1, start = none + CHAIN_START;                           \
    if (n <= DEEP * ROUND && prod_few_##S(n, v, p))                                              \
      return;                                                                                    \
    while (n > 0) {                                                                              \
      split total = { one, { 0 } };                                                              \
      for (int turn = 0; turn < 100 && n > 0; turn++) {                                          \
        const int64_t some = n < MOST ? n : MOST;                                                \
        split a = { one, { 0 } }, b = a, c = a, d = a;                                           \
        vl odd = { 0 };                                                                          \
        int64_t i = 0, end;                                                                      \
        for (; i + 2 * ROUND <= some; i = end) {                                                 \
          vd pa = start, pb = start, pc = start, pd = start;                                     \
          vl all = ~(vl){ 0 };                                                                   \
          end = i + (some - i < DEEP * ROUND ? (some - i) / (2 * ROUND) * (2 * ROUND) : DEEP * ROUND); \
          for (const T *r = v + i; r < v + end; r += 2 * ROUND) {                                \
            for (int k = 0; k < 2 * ROUND * (int)sizeof(T); k += 64)                             \
              __builtin_prefetch((const char *)r + PREFETCH_DISTANCE + k);                       \
            chain(&pa, PUT(r), PUT(r + ROUND), &all);                                            \
            chain(&pb, PUT(r + NEXT), PUT(r + ROUND + NEXT), &all);                              \
            chain(&pc, PUT(r + 2 * NEXT), PUT(r + ROUND + 2 * NEXT), &all);                      \
            chain(&pd, PUT(r + 3 * NEXT), PUT(r + ROUND + 3 * NEXT), &all);                      \
          }                                                                                      \
          if (!chains_near(all, pa, pb, pc, pd))                                                 \
            break;                                                                               \
          split_in(&a, pa / CHAIN_START, &odd);                                                  \
          split_in(&b, pb / CHAIN_START, &odd);                                                  \
          split_in(&c, pc / CHAIN_START, &odd);                                                  \
          split_in(&d, pd / CHAIN_START, &odd);                                                  \
        }                                                                                        \
        for (; i + ROUND <= some; i += ROUND) {                                                  \
          for (int k = 0; k < ROUND * (int)sizeof(T); k += 64)                                   \
            __builtin_prefetch((const char *)(v + i) + PREFETCH_DISTANCE + k);                   \
          split_in(&a, PUT(v + i), &odd);                                                        \
          split_in(&b, PUT(v + i + NEXT), &odd);                                                 \
          split_in(&c, PUT(v + i + 2 * NEXT), &odd);                                             \
          split_in(&d, PUT(v + i + 3 * NEXT), &odd);                                             \
        }                                                                                        \
        for (; i + NEXT <= some; i += NEXT)                                                      \
          split_in(&b, PUT(v + i), &odd);                                                        \
        if (i < some) { /* filled up with ones */                                                \
          T rest[NEXT];                                                                          \
          for (int k = 0; k < NEXT; k++)                                                         \
            rest[k] = 1;                                                                         \
          for (int64_t k = i; k < some; k++)                                                     \
            rest[k - i] = v[k];                                                                  \
          split_in(&c, PUT(rest), &odd);                                                         \
        }                                                                                        \
        a = (split){ (a.mantissa * b.mantissa) * (c.mantissa * d.mantissa),                      \
                     (a.exponent + b.exponent) + (c.exponent + d.exponent) };                    \
        if (any_odd(odd))                                                                        \
          for (i = 0; i < some; i++)                                                             \
            hed__product_real(p, (double)v[i]);                                                  \
        else                                                                                     \
          split_join(&total, &a);                                                                \
        v += some;                                                                               \
        n -= some;                                                                               \
      }                                                                                          \
      split_out(&total, p);                                                                      \
    }                                                                                            \
  }                                                                                              \
  /* As two streams, as sums are read; a turn is four mantissas more. */                         \
  static void prod_##S(int64_t n, const void *x, hed__product *p)                                \
  {                                                                                              \
    enum { W = VECTOR / 8, NEXT = STEP * W, ROUND = 4 * NEXT, SOME = 16 * ROUND, TURNS = 25 };   \
    const vd none = { 0 }, one = none + 1, start = none + CHAIN_START;                           \
    const T *v = x;                                                                              \
    const int64_t half = n * (int64_t)sizeof(T) >= FAR ? n / (2 * SOME) * SOME : 0;              \
    for (int64_t i = 0; i < half;) {                                                             \
      split total = { one, { 0 } };                                                              \
      vl odd = { 0 };                                                                            \
      for (int turn = 0; turn < TURNS && i < half; turn++, i += SOME) {                          \
        vd pa = start, pb = start, pc = start, pd = start;                                       \
        vl all = ~(vl){ 0 };                                                                     \
        for (const T *r = v + i; r < v + i + SOME; r += ROUND) {                                 \
          const T *const q = r + half;                                                           \
          chain(&pa, PUT(r), PUT(q), &all);                                                      \
          chain(&pb, PUT(r + NEXT), PUT(q + NEXT), &all);                                        \
          chain(&pc, PUT(r + 2 * NEXT), PUT(q + 2 * NEXT), &all);                                \
          chain(&pd, PUT(r + 3 * NEXT), PUT(q + 3 * NEXT), &all);                                \
        }                                                                                        \
        if (chains_near(all, pa, pb, pc, pd)) {                                                  \
          split_in(&total, pa / CHAIN_START, &odd);                                              \
          split_in(&total, pb / CHAIN_START, &odd);                                              \
          split_in(&total, pc / CHAIN_START, &odd);                                              \
          split_in(&total, pd / CHAIN_START, &odd);                                              \
        } else {                                                                                 \
          prod_near_##S(SOME, v + i, p);                                                         \
          prod_near_##S(SOME, v + half + i, p);                                                  \
        }                                                                                        \
      }                                                                                          \
      split_out(&total, p);                                                                      \
    }                                                                                            \
    prod_near_##S(n - 2 * half, v + 2 * half, p);                                                \
  }
#define FOUR_WIDE(p) ((WIDE(p) * WIDE((p) + W)) * (WIDE((p) + 2 * W) * WIDE((p) + 3 * W)))
PRODUCT(f32, float, 4, FOUR_WIDE, WIDE)
PRODUCT(f64, double, 1, VD, VD)

#define COL_MOST 0x1p200 /* of a product that a chain may begin with */

/* Columns. Products that stay near 1 cost a multiplication, and a look after every second one, as in a chain, or every fourth of
 * float32, which from 2 on are above 2^-600; a 0 or what is not finite stays one by multiplications alone. What has drifted
 * without leaving the range is split when it is stored. Factors of others are split, and those with a 0 or what is not finite go
 * one by one. M and E: the parts of hed__product, apart.
 * Four vectors of columns go at a time; the last columns, which do not fill one, are the end of one that overlaps, whose other
 * lanes are left. Many rows at a time take less than few but where they come from memory, or lie where the L1 cache has few
 * places for all of them. */
#define COL_PRODUCT(S, T, LOAD, OFTEN)                                                           \
  /* N columns, a vector of them or fewer, that leave the range. */                              \
  static __attribute__((noinline)) void col_far_##S(int64_t rows, int64_t n, const char *x, int64_t step, double *m, double *e) \
  {                                                                                              \
    enum { W = VECTOR / 8 };                                                                     \
    if (n == W) {                                                                                \
      const vd none = { 0 };                                                                     \
      vl odd = { 0 };                                                                            \
      split q = { none + 1, VD(e) };                                                             \
      split_in(&q, VD(m), &odd);                                                                 \
      for (int64_t r = 0; r < rows; r++)                                                         \
        split_in(&q, LOAD(x + r * step), &odd);                                                  \
      if (!any_odd(odd | (vl)(q.exponent - q.exponent != none))) {                               \
        *(vd *)(void *)m = q.mantissa;                                                           \
        *(vd *)(void *)e = q.exponent;                                                           \
        return;                                                                                  \
      }                                                                                          \
    }                                                                                            \
    for (int64_t k = 0; k < n; k++, x += sizeof(T)) {                                            \
      hed__product q = { { m[k], 0 }, e[k] };                                                    \
      for (int64_t r = 0; r < rows; r++)                                                         \
        hed__product_real(&q, (double)*(const T *)(const void *)(x + r * step));                 \
      m[k] = hed__product_split(q.part[0], &q.exponent); /* all lanes: they drift alike */       \
      e[k] = q.exponent;                                                                         \
    }                                                                                            \
  }                                                                                              \
  static inline __attribute__((always_inline)) void col_near_##S(const int wide, int64_t rows, const char *x, int64_t step, \
                                                                 double *m, double *e)           \
  {                                                                                              \
    enum { W = VECTOR / 8 };                                                                     \
    const char *p = x;                                                                           \
    vd a[4];                                                                                     \
    vl all[4];                                                                                   \
    int64_t r = 0;                                                                               \
    UNROLL for (int k = 0; k < wide; k++) {                                                      \
      a[k] = VD(m + k * W) * CHAIN_START;                                                        \
      all[k] = ~(vl){ 0 };                                                                       \
    }                                                                                            \
    for (; r + OFTEN <= rows; r += OFTEN) {                                                      \
      UNROLL for (int o = 0; o < OFTEN; o++, p += step)                                          \
        UNROLL for (int k = 0; k < wide; k++)                                                    \
          a[k] *= LOAD(p + k * W * (int)sizeof(T));                                              \
      UNROLL for (int k = 0; k < wide; k++)                                                      \
        all[k] &= (vl)a[k];                                                                      \
    }                                                                                            \
    for (; r < rows; r++, p += step)                                                             \
      UNROLL for (int k = 0; k < wide; k++) {                                                    \
        a[k] *= LOAD(p + k * W * (int)sizeof(T));                                                \
        all[k] &= (vl)a[k];                                                                      \
      }                                                                                          \
    UNROLL for (int k = 0; k < wide; k++) {                                                      \
      const vd end = a[k] / CHAIN_START, before = VD(m + k * W);                                 \
      const vl near = (all[k] << 1 >> 63) & (vl)((vd)((vl)a[k] & INT64_MAX) < 0x1p1020);         \
      if (!any_odd(~(near & between(end, COL_MOST)))) {                                          \
        *(vd *)(void *)(m + k * W) = end;                                                        \
      } else if (!any_odd(~near & between(before, COL_MOST))) {                                  \
        vl odd = { 0 };                                                                          \
        split q = { (vd){ 0 } + 1, VD(e + k * W) };                                              \
        const vl old = (vl)q.exponent;                                                           \
        split_in(&q, end, &odd);                                                                 \
        *(vl *)(void *)(m + k * W) = ((vl)q.mantissa & near) | ((vl)end & ~near);                \
        *(vl *)(void *)(e + k * W) = ((vl)q.exponent & near) | (old & ~near);                    \
      } else {                                                                                   \
        col_far_##S(rows, W, x + k * W * (int)sizeof(T), step, m + k * W, e + k * W);            \
      }                                                                                          \
    }                                                                                            \
  }                                                                                              \
  static void col_prod_##S(int64_t rows, int64_t n, const char *x, int64_t step, double *m, double *e) \
  {                                                                                              \
    enum { W = VECTOR / 8, NEAR = 1 << 20 };                                                     \
    const int64_t last = n % W, over = n - W, bytes = rows * llabs(step);                        \
    const int64_t most = bytes <= NEAR && step % 1024 ? 64 : 16;                                 \
    for (int64_t from = 0, some; from < rows; from += some, x += some * step) {                  \
      int64_t j = 0;                                                                             \
      double both[2][W];                                                                         \
      some = rows - from < most ? rows - from : most;                                            \
      if (n < W) {                                                                               \
        col_far_##S(some, n, x, step, m, e);                                                     \
        continue;                                                                                \
      }                                                                                          \
      memcpy(both[0], m + over, sizeof both[0]);                                                 \
      memcpy(both[1], e + over, sizeof both[1]);                                                 \
      for (; j + 4 * W <= n; j += 4 * W)                                                         \
        col_near_##S(4, some, x + j * (int64_t)sizeof(T), step, m + j, e + j);                   \
      for (; j + W <= n; j += W)                                                                 \
        col_near_##S(1, some, x + j * (int64_t)sizeof(T), step, m + j, e + j);                   \
      if (last) {                                                                                \
        col_near_##S(1, some, x + over * (int64_t)sizeof(T), step, both[0], both[1]);            \
        memcpy(m + j, both[0] + W - last, (size_t)last * sizeof *m);                             \
        memcpy(e + j, both[1] + W - last, (size_t)last * sizeof *e);                             \
      }                                                                                          \
    }                                                                                            \
  }
COL_PRODUCT(f32, float, WIDE, 4)
COL_PRODUCT(f64, double, VD, 2)

/* Integers in columns, rows four at a time: FOUR of them are 64 bits L, of TWO and TWO in a type P that they cannot leave. */
#define COL_WHOLE(FN, T, P, L, OP, FOUR)                                                         \
  static void FN(int64_t rows, int64_t n, const char *x, int64_t step, uint64_t *acc)            \
  {                                                                                              \
    int64_t r = 0;                                                                               \
    for (; r + 4 <= rows; r += 4, x += 4 * step) {                                               \
      const T *v0 = (const T *)(const void *)x, *v1 = (const T *)(const void *)(x + step);       \
      const T *v2 = (const T *)(const void *)(x + 2 * step), *v3 = (const T *)(const void *)(x + 3 * step); \
      IVDEP for (int64_t j = 0; j < n; j++) {                                                    \
        const P a = (P)((P)v0[j] OP (P)v1[j]), b = (P)((P)v2[j] OP (P)v3[j]);                    \
        acc[j] = acc[j] OP FOUR(a, b, P, L);                                                     \
      }                                                                                          \
    }                                                                                            \
    for (; r < rows; r++, x += step) {                                                           \
      const T *v = (const T *)(const void *)x;                                                   \
      IVDEP for (int64_t j = 0; j < n; j++)                                                      \
        acc[j] = acc[j] OP (uint64_t)(L)v[j];                                                    \
    }                                                                                            \
  }
#define FOUR_SUMS(a, b, P, L) (uint64_t)(L)(P)(a + b)
#define FOUR_FACTORS(a, b, P, L) ((uint64_t)(L)a * (uint64_t)(L)b)

/* L: 64 bits with T's sign; SUM, PROD: types of four summands and of two factors. */
#define PRODUCT_WHOLE(S, T, L, SUM, PROD)                                                        \
  COL_WHOLE(col_sum_int_##S, T, SUM, L, +, FOUR_SUMS)                                            \
  COL_WHOLE(col_prod_int_##S, T, PROD, L, *, FOUR_FACTORS)                                       \
  static void prod_int_##S(int64_t n, const void *x, uint64_t *p)                                \
  {                                                                                              \
    enum { W = VECTOR / 8 };                                                                     \
    typedef T few __attribute__((vector_size(W * sizeof(T)), aligned(sizeof(T)), may_alias));    \
    typedef L wide __attribute__((vector_size(VECTOR)));                                         \
    typedef uint64_t words __attribute__((vector_size(VECTOR)));                                 \
    const T *v = x;                                                                              \
    int64_t i = 0;                                                                               \
    if (n >= 4 * W) {                                                                            \
      words a[4];                                                                                \
      for (int k = 0; k < 4; k++, i += W)                                                        \
        a[k] = (words)__builtin_convertvector(*(const few *)(const void *)(v + i), wide);        \
      for (; i + 4 * W <= n; i += 4 * W)                                                         \
        UNROLL for (int k = 0; k < 4; k++)                                                       \
          a[k] *= (words)__builtin_convertvector(*(const few *)(const void *)(v + i + k * W), wide); \
      a[0] *= a[1] * (a[2] * a[3]);                                                              \
      for (int k = 0; k < W; k++)                                                                \
        *p *= a[0][k];                                                                           \
    }                                                                                            \
    for (; i < n; i++)                                                                           \
      *p *= (uint64_t)(L)v[i];                                                                   \
  }
PRODUCT_WHOLE(i8, int8_t, int64_t, int16_t, int16_t)
PRODUCT_WHOLE(i16, int16_t, int64_t, int32_t, int32_t)
PRODUCT_WHOLE(i32, int32_t, int64_t, int64_t, int64_t)
PRODUCT_WHOLE(i64, int64_t, int64_t, uint64_t, uint64_t)
PRODUCT_WHOLE(u8, uint8_t, uint64_t, uint16_t, uint16_t)
PRODUCT_WHOLE(u16, uint16_t, uint64_t, uint32_t, uint32_t)
PRODUCT_WHOLE(u32, uint32_t, uint64_t, uint64_t, uint64_t)
PRODUCT_WHOLE(u64, uint64_t, uint64_t, uint64_t, uint64_t)
