// SPDX-License-Identifier: BSD-3-Clause
/*
 * Loops of complex numbers; a body of map.h.
 *
 * Sums, conjugates and products are written with vectors of interleaved parts instead of as plain loops. Of loops over real and
 * imaginary parts GCC 12 makes such as take vectors apart and together again, and of a line (nontemporal.h) halves that are stored
 * and read as a whole; of products it makes fused multiply-add-subtract instructions in spite of -ffp-contract=off, and they would
 * differ from one instruction set to the next. Single products take the same road in a short vector.
 *
 * Every instruction set; contiguous operands, or one repeated number, else the general loop.
 */
LOOP1(N(negative), T, T, ((T){ -a.re, -a.im }))
LOOP1(N(real), T, PART, a.re)
LOOP1(N(imag), T, PART, a.im)
LOOP1(N(isnan), T, uint8_t, (a.re != a.re) | (a.im != a.im))
LOOP1(N(isfinite), T, uint8_t, (a.re - a.re == 0) & (a.im - a.im == 0))
LOOP2(N(equal), T, uint8_t, (a.re == b.re) & (a.im == b.im))
LOOP2(N(not_equal), T, uint8_t, (a.re != b.re) | (a.im != b.im))

/* Components side by side in a vector, as numbers and as words: WORD for each imaginary part, one number for all. It is put
 * together of words, as -0 + 0 is none. */
#define UPART CPU_JOIN(CPU_JOIN(uint, WIDTH), _t)
typedef PART N(parts) __attribute__((vector_size(CPU_VECTOR), aligned(sizeof(PART)), may_alias));
typedef UPART N(words) __attribute__((vector_size(CPU_VECTOR), aligned(sizeof(PART)), may_alias));
typedef PART N(single) __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(PART)), may_alias));
typedef UPART N(single_words) __attribute__((vector_size(2 * sizeof(double))));

INLINE N(words) N(odd)(UPART word)
{
  N(words) v;
  for (int k = 0; k < CPU_VECTOR / (int)sizeof(PART); k++)
    v[k] = k & 1 ? word : 0;
  return v;
}

INLINE N(parts) N(all)(const char *number)
{
  const UPART *const part = (const UPART *)(const void *)number;
  const N(words) none = { 0 }, odd = N(odd)((UPART)-1);
  return (N(parts))(((none + part[0]) & ~odd) | ((none + part[1]) & odd));
}

/* OF, vector after vector, then the rest by EACH. ONE: the operand (1, 2) whose place a NUMBER takes, or 0. */
typedef N(parts) N(pair)(N(parts) x, N(parts) y);
INLINE void N(pass)(int64_t n, char *const *p, const int64_t *s, const void *params, const int one, const N(parts) number,
                    N(pair) *of, hed__map_fn each)
{
  char *const out = p[0];
  const char *const first = p[1], *const second = p[2];
  const int64_t size = sizeof(T), whole = n * size / CPU_VECTOR * CPU_VECTOR, done = whole / size;
  for (int64_t at = 0; at < whole; at += CPU_VECTOR) {
    const N(parts) *const x = (const void *)(first + at), *const y = (const void *)(second + at);
    *(N(parts) *)(void *)(out + at) = of(one == 1 ? number : *x, one == 2 ? number : *y);
  }
  each(n - done, (char *const[]){ out + whole, p[1] + done * s[1], p[2] + done * s[2] }, s, params);
}

/* OF_FIRST where the first one is one number with all elements of the second. */
INLINE void N(paired)(int64_t n, char *const *p, const int64_t *s, const void *params, N(pair) *of, N(pair) *of_first,
                      hed__map_fn each)
{
  const int64_t size = sizeof(T);
  if (s[0] == size && s[1] == size && s[2] == size)
    N(pass)(n, p, s, params, 0, (N(parts)){ 0 }, of, each);
  else if (n > 0 && s[0] == size && s[1] == size && s[2] == 0)
    N(pass)(n, p, s, params, 2, N(all)(p[2]), of, each);
  else if (n > 0 && s[0] == size && s[1] == 0 && s[2] == size)
    N(pass)(n, p, s, params, 1, N(all)(p[1]), of_first, each);
  else
    each(n, p, s, params);
}
#define MAPPED(NAME) static void N(NAME)(int64_t n, char *const *p, const int64_t *s, const void *params)

INLINE N(parts) N(sum)(N(parts) x, N(parts) y) { return x + y; }
INLINE N(parts) N(difference)(N(parts) x, N(parts) y) { return x - y; }
LOOP2(N(add_each), T, T, ((T){ a.re + b.re, a.im + b.im }))
LOOP2(N(subtract_each), T, T, ((T){ a.re - b.re, a.im - b.im }))
MAPPED(add) { N(paired)(n, p, s, params, N(sum), N(sum), N(add_each)); }
MAPPED(subtract) { N(paired)(n, p, s, params, N(difference), N(difference), N(subtract_each)); }

INLINE N(parts) N(conj_of)(N(parts) x, N(parts) signs) { return (N(parts))((N(words))x ^ (N(words))signs); }
LOOP1(N(conj_each), T, T, ((T){ a.re, -a.im }))
MAPPED(conj)
{
  char *const at[] = { p[0], p[1], p[1] };
  const int64_t step[] = { s[0], s[1], 0 }, size = sizeof(T);
  if (s[0] == size && s[1] == size)
    N(pass)(n, at, step, params, 2, (N(parts))N(odd)((UPART)1 << (WIDTH - 1)), N(conj_of), N(conj_each));
  else
    N(conj_each)(n, at, step, params);
}

/* Even lanes hold real parts. x y = (x.re y.re - x.im y.im, x.im y.re + x.re y.im). */
#define PRODUCT(FN, V, M)                                                                         \
  INLINE V FN(V x, V y)                                                                           \
  {                                                                                               \
    M lane, even = { 0 };                                                                         \
    for (unsigned k = 0; k < sizeof(V) / sizeof x[0]; k++)                                        \
      lane[k] = k;                                                                                \
    even = lane & ~(UPART)1;                                                                      \
    const V yr = SHUFFLE(V, y, even), yi = SHUFFLE(V, y, even + 1), xs = SHUFFLE(V, x, lane ^ 1); \
    V t = xs * yi;                                                                                \
    t = (V)((M)t ^ (((lane & 1) - 1) & (UPART)1 << (WIDTH - 1))); /* minus on even lanes */       \
    return x * yr + t;                                                                            \
  }
PRODUCT(N(product), N(parts), N(words))
PRODUCT(N(single_product), N(single), N(single_words))
#undef PRODUCT
/* What takes most steps is done once, to the number. */
INLINE N(parts) N(product_first)(N(parts) number, N(parts) y) { return N(product)(y, number); }
INLINE T N(product_one)(T a, T b)
{
  const N(single) x = { a.re, a.im }, y = { b.re, b.im }, z = N(single_product)(x, y);
  return (T){ z[0], z[1] };
}
LOOP2(N(multiply_each), T, T, N(product_one)(a, b))
MAPPED(multiply) { N(paired)(n, p, s, params, N(product), N(product_first), N(multiply_each)); }
MAPPED(square) { N(multiply)(n, (char *const[]){ p[0], p[1], p[1] }, (const int64_t[]){ s[0], s[1], s[1] }, params); }
#undef MAPPED
#undef UPART
