// SPDX-License-Identifier: BSD-3-Clause
/* The text of bits.h for integers. */
INLINE T N(ones)(T v)
{
  UWORD x = (UWORD)v;
  x = (UWORD)(x - (x >> 1 & (UWORD)0x5555555555555555));
  x = (UWORD)((x & (UWORD)0x3333333333333333) + (x >> 2 & (UWORD)0x3333333333333333));
  x = (UWORD)((x + (x >> 4)) & (UWORD)0x0f0f0f0f0f0f0f0f);
  for (unsigned shift = 8; shift < WIDTH; shift *= 2)
    x = (UWORD)(x + (x >> (shift & (WIDTH - 1))));
  return (T)(x & 0x7f);
}
LOOP1(N(count_ones_each), T, T, N(ones)(a))
LOOP1(N(count_zeros_each), T, T, N(ones)((T)~a))

INLINE void N(count)(int64_t n, char *const *p, const int64_t *s, const void *params, const int flip, hed__map_fn each)
{
  const int64_t size = sizeof(T), done = s[0] == size && s[1] == size ? bits_row(n, p[0], p[1], sizeof(T), flip) : 0;
  each(n - done, (char *const[]){ p[0] + done * s[0], p[1] + done * s[1] }, s, params);
}
ROW_ENTRY(N(count_ones), N(count)(n, p, s, params, 0, N(count_ones_each)))
ROW_ENTRY(N(count_zeros), N(count)(n, p, s, params, -1, N(count_zeros_each)))
