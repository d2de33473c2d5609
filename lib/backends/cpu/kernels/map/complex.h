// SPDX-License-Identifier: BSD-3-Clause
/*
 * Complex sums, conjugates and products; included by kernels.c alone, after map.h.
 *
 * Written with vectors of interleaved parts instead of as plain loops. Of loops over real and imaginary parts GCC 12 makes such
 * as take vectors apart and together again, and of a line (nontemporal.h) halves that are stored and read as a whole; of products
 * it makes fused multiply-add-subtract instructions in spite of -ffp-contract=off, and they would differ from one instruction
 * set to the next. Single products take the same road in a short vector.
 *
 * C is the struct, T its component, U a word as wide, S the suffix.
 * Every instruction set; contiguous operands, or one repeated number, else the general loop.
 */

/* Components side by side in a vector, as numbers and as words: WORD for each imaginary part, one number for all. It is put
 * together of words, as -0 + 0 is none. */
#define PARTS_OF(T, U, S)                                                                        \
  typedef T parts_##S __attribute__((vector_size(CPU_VECTOR), aligned(sizeof(T)), may_alias));   \
  typedef U words_##S __attribute__((vector_size(CPU_VECTOR), aligned(sizeof(T)), may_alias));   \
  static inline __attribute__((always_inline)) words_##S odd_##S(U word)                         \
  {                                                                                              \
    words_##S v;                                                                                 \
    for (int k = 0; k < CPU_VECTOR / (int)sizeof(U); k++)                                        \
      v[k] = k & 1 ? word : 0;                                                                   \
    return v;                                                                                    \
  }                                                                                              \
  static inline __attribute__((always_inline)) parts_##S all_##S(const char *number)             \
  {                                                                                              \
    const U *const part = (const U *)(const void *)number;                                       \
    const words_##S none = { 0 }, odd = odd_##S((U)-1);                                          \
    return (parts_##S)(((none + part[0]) & ~odd) | ((none + part[1]) & odd));                    \
  }

PARTS_OF(float, uint32_t, c64)
PARTS_OF(double, uint64_t, c128)

/* VECTOR after VECTOR of RESULT in terms of one at x and one at y, then the rest by EACH, of two operands at most. */
#define PARTS_PASS(C, VECTOR, EACH, RESULT)                                                      \
  do {                                                                                           \
    char *const out = p[0];                                                                      \
    const char *const first = p[1], *const second = p[2];                                        \
    const int64_t whole = n * (int64_t)sizeof(C) / CPU_VECTOR * CPU_VECTOR, done = whole / (int64_t)sizeof(C); \
    for (int64_t at = 0; at < whole; at += CPU_VECTOR) {                                         \
      const VECTOR *const x = (const VECTOR *)(const void *)(first + at);                        \
      const VECTOR *const y = (const VECTOR *)(const void *)(second + at);                       \
      (void)x, (void)y;                                                                          \
      *(VECTOR *)(void *)(out + at) = RESULT;                                                    \
    }                                                                                            \
    EACH(n - done, (char *const[]){ out + whole, p[1] + done * s[1], p[2] + done * s[2] }, s, params); \
  } while (0)

/* FN: OF of two operands, OF_FIRST where the first one is one number with all elements of the second. */
#define PAIRED(FN, C, S, EACH, OF, OF_FIRST)                                                     \
  static void FN(int64_t n, char *const *p, const int64_t *s, const void *params)                \
  {                                                                                              \
    const int64_t size = sizeof(C);                                                              \
    if (s[0] == size && s[1] == size && s[2] == size) {                                          \
      PARTS_PASS(C, parts_##S, EACH, OF(*x, *y));                                                \
    } else if (n > 0 && s[0] == size && s[1] == size && s[2] == 0) {                             \
      const parts_##S number = all_##S(p[2]);                                                    \
      PARTS_PASS(C, parts_##S, EACH, OF(*x, number));                                            \
    } else if (n > 0 && s[0] == size && s[1] == 0 && s[2] == size) {                             \
      const parts_##S number = all_##S(p[1]);                                                    \
      PARTS_PASS(C, parts_##S, EACH, OF_FIRST(number, *y));                                      \
    } else {                                                                                     \
      EACH(n, p, s, params);                                                                     \
    }                                                                                            \
  }

#define SUM(x, y) ((x) + (y))
#define DIFFERENCE(x, y) ((x) - (y))
#define SUMS(C, S)                                                                               \
  LOOP2(add_each_##S, C, C, ((C){ a.re + b.re, a.im + b.im }))                                   \
  LOOP2(subtract_each_##S, C, C, ((C){ a.re - b.re, a.im - b.im }))                              \
  PAIRED(add_##S, C, S, add_each_##S, SUM, SUM)                                                  \
  PAIRED(subtract_##S, C, S, subtract_each_##S, DIFFERENCE, DIFFERENCE)

SUMS(c64, c64)
SUMS(c128, c128)

#define CONJ(C, U, S)                                                                            \
  LOOP1(conj_each_##S, C, C, ((C){ a.re, -a.im }))                                               \
  static void conj_##S(int64_t n, char *const *q, const int64_t *t, const void *params)          \
  {                                                                                              \
    char *const p[] = { q[0], q[1], q[1] };                                                      \
    const int64_t s[] = { t[0], t[1], 0 };                                                       \
    const words_##S signs = odd_##S((U)1 << (8 * sizeof(U) - 1));                                \
    if (s[0] == (int64_t)sizeof(C) && s[1] == (int64_t)sizeof(C))                                \
      PARTS_PASS(C, words_##S, conj_each_##S, *x ^ signs);                                       \
    else                                                                                         \
      conj_each_##S(n, p, s, params);                                                            \
  }

CONJ(c64, uint32_t, c64)
CONJ(c128, uint64_t, c128)

/* ---- products ---- */

/* Even lanes hold real parts. x y = (x.re y.re - x.im y.im, x.im y.re + x.re y.im). */
#define PRODUCT(FN, V, M, U, TOP)                                                                 \
  static inline V FN(V x, V y)                                                                    \
  {                                                                                               \
    M lane, even = { 0 };                                                                         \
    for (unsigned k = 0; k < sizeof(V) / sizeof x[0]; k++)                                        \
      lane[k] = k;                                                                                \
    even = lane & ~(U)1;                                                                          \
    const V yr = SHUFFLE(V, y, even), yi = SHUFFLE(V, y, even + 1), xs = SHUFFLE(V, x, lane ^ 1); \
    V t = xs * yi;                                                                                \
    t = (V)((M)t ^ (((lane & 1) - 1) & (TOP))); /* minus on even lanes */                         \
    return x * yr + t;                                                                            \
  }

typedef float single_c64 __attribute__((vector_size(16), aligned(4), may_alias));
typedef double single_c128 __attribute__((vector_size(16), aligned(8), may_alias));
typedef uint32_t single_words_c64 __attribute__((vector_size(16)));
typedef uint64_t single_words_c128 __attribute__((vector_size(16)));

PRODUCT(product_c64, parts_c64, words_c64, uint32_t, 0x80000000u)
PRODUCT(product_c128, parts_c128, words_c128, uint64_t, 0x8000000000000000u)
PRODUCT(product1_c64, single_c64, single_words_c64, uint32_t, 0x80000000u)
PRODUCT(product1_c128, single_c128, single_words_c128, uint64_t, 0x8000000000000000u)

#define SINGLE_PRODUCT(C, S)                                                                     \
  static inline C one_##S(C a, C b)                                                              \
  {                                                                                              \
    single_##S x = { a.re, a.im }, y = { b.re, b.im };                                           \
    x = product1_##S(x, y);                                                                      \
    return (C){ x[0], x[1] };                                                                    \
  }                                                                                              \
  LOOP2(multiply_each_##S, C, C, one_##S(a, b))

SINGLE_PRODUCT(c64, c64)
SINGLE_PRODUCT(c128, c128)

/* What takes most steps is done once, to the number. */
#define PRODUCT_FIRST_C64(number, y) product_c64(y, number)
#define PRODUCT_FIRST_C128(number, y) product_c128(y, number)
PAIRED(multiply_c64, c64, c64, multiply_each_c64, product_c64, PRODUCT_FIRST_C64)
PAIRED(multiply_c128, c128, c128, multiply_each_c128, product_c128, PRODUCT_FIRST_C128)

#define COMPLEX_SQUARE(S)                                                                        \
  static void square_##S(int64_t n, char *const *p, const int64_t *s, const void *params)        \
  {                                                                                              \
    multiply_##S(n, (char *const[]){ p[0], p[1], p[1] }, (const int64_t[]){ s[0], s[1], s[1] }, params); \
  }

COMPLEX_SQUARE(c64)
COMPLEX_SQUARE(c128)
