// SPDX-License-Identifier: BSD-3-Clause
/*
 * Complex products; included by kernels.c alone.
 *
 * Written with vectors of interleaved parts instead of as a plain loop, because GCC 12 makes fused
 * multiply-add-subtract instructions of the plain one in spite of -ffp-contract=off, and products
 * would differ from one instruction set to the next. Single elements take the same road in a short
 * vector.
 */
#if defined(__AVX512F__)
#define WIDTH 64
#elif defined(__AVX2__)
#define WIDTH 32
#else
#define WIDTH 16
#endif

/* A vector TO of the lanes AT of FROM. */
#if defined __clang__
#define PICK(V, to, from, at)                                                                     \
    V to;                                                                                         \
    for (unsigned k = 0; k < sizeof to / sizeof to[0]; k++)                                       \
      to[k] = (from)[(at)[k]];
#else
#define PICK(V, to, from, at) V to = __builtin_shuffle(from, at);
#endif

/* Even lanes hold real parts. x y = (x.re y.re - x.im y.im, x.im y.re + x.re y.im). */
#define PRODUCT(FN, V, M, U, TOP)                                                                 \
  static inline V FN(V x, V y)                                                                    \
  {                                                                                               \
    M lane, even = { 0 };                                                                         \
    for (unsigned k = 0; k < sizeof(V) / sizeof x[0]; k++)                                        \
      lane[k] = k;                                                                                \
    even = lane & ~(U)1;                                                                          \
    PICK(V, yr, y, even)                                                                          \
    PICK(V, yi, y, even + 1)                                                                      \
    PICK(V, xs, x, lane ^ 1)                                                                      \
    V t = xs * yi;                                                                                \
    t = (V)((M)t ^ (((lane & 1) - 1) & (TOP))); /* minus on even lanes */                           \
    return x * yr + t;                                                                            \
  }

typedef float cf __attribute__((vector_size(WIDTH), aligned(4), may_alias));
typedef double cd __attribute__((vector_size(WIDTH), aligned(8), may_alias));
typedef uint32_t cfm __attribute__((vector_size(WIDTH)));
typedef uint64_t cdm __attribute__((vector_size(WIDTH)));
typedef float cf1 __attribute__((vector_size(16), aligned(4), may_alias));
typedef double cd1 __attribute__((vector_size(16), aligned(8), may_alias));
typedef uint32_t cfm1 __attribute__((vector_size(16)));
typedef uint64_t cdm1 __attribute__((vector_size(16)));

PRODUCT(product_c64, cf, cfm, uint32_t, 0x80000000u)
PRODUCT(product_c128, cd, cdm, uint64_t, 0x8000000000000000u)
PRODUCT(product1_c64, cf1, cfm1, uint32_t, 0x80000000u)
PRODUCT(product1_c128, cd1, cdm1, uint64_t, 0x8000000000000000u)

#define COMPLEX_PRODUCT(S, C, V, V1)                                                              \
  static inline C one_##S(C a, C b)                                                               \
  {                                                                                               \
    V1 x = { a.re, a.im }, y = { b.re, b.im };                                                    \
    x = product1_##S(x, y);                                                                       \
    return (C){ x[0], x[1] };                                                                     \
  }                                                                                               \
  static void multiply_##S(int64_t n, char *const *p, const int64_t *s, const void *params)       \
  {                                                                                               \
    const int64_t per = (int64_t)(sizeof(V) / sizeof(C)), size = sizeof(C);                       \
    const int one = s[1] == 0 ? 1 : s[2] == 0 ? 2 : 0; /* the operand that is one number */       \
    int64_t i = 0;                                                                                \
    (void)params;                                                                                 \
    if (one && n >= per && s[0] == size && s[3 - one] == size) {                                  \
      C copies[sizeof(V) / sizeof(C)];                                                            \
      V y;                                                                                        \
      for (int64_t k = 0; k < per; k++)                                                           \
        copies[k] = *(const C *)(const void *)p[one];                                             \
      memcpy(&y, copies, sizeof y);                                                               \
      for (; i + per <= n; i += per)                                                              \
        *(V *)(void *)(p[0] + i * size) =                                                         \
            product_##S(*(const V *)(const void *)(p[3 - one] + i * size), y);                    \
    }                                                                                             \
    if (s[0] == size && s[1] == size && s[2] == size)                                             \
      for (; i + per <= n; i += per)                                                              \
        *(V *)(void *)(p[0] + i * size) =                                                         \
            product_##S(*(const V *)(const void *)(p[1] + i * size),                              \
                        *(const V *)(const void *)(p[2] + i * size));                             \
    for (; i < n; i++)                                                                            \
      *(C *)(void *)(p[0] + i * s[0]) = one_##S(*(const C *)(const void *)(p[1] + i * s[1]),      \
                                                *(const C *)(const void *)(p[2] + i * s[2]));     \
  }                                                                                               \
  static void square_##S(int64_t n, char *const *p, const int64_t *s, const void *params)         \
  {                                                                                               \
    multiply_##S(n, (char *const[]){ p[0], p[1], p[1] }, (const int64_t[]){ s[0], s[1], s[1] },   \
                 params);                                                                         \
  }

COMPLEX_PRODUCT(c64, c64, cf, cf1)
COMPLEX_PRODUCT(c128, c128, cd, cd1)
