// SPDX-License-Identifier: BSD-3-Clause
/* Conversions from float32 and float64, and from booleans to the complex numbers of these; a body, included by cast.c for both. */

/* To integers of SIZE bytes, at most 4. Blocks of which all are within int32 go through that, which the processor converts to; as
 * NaN and larger ones do, they wrap to the width. */
INLINE void N(to_whole)(int64_t n, char *dst, int64_t ds, const char *src, int64_t ss, const int size, const int to)
{
  const int from = sizeof(T) == 4 ? HED_ID_FLOAT32 : HED_ID_FLOAT64;
  const hed__cast_fn any = plain(from, to);
  if (ds != size || ss != (int64_t)sizeof(T)) {
    any(n, dst, ds, src, ss);
    return;
  }
  for (; n > 0; n -= CAST_BLOCK, dst += CAST_BLOCK * size, src += CAST_BLOCK * sizeof(T)) {
    const int64_t m = n < CAST_BLOCK ? n : CAST_BLOCK;
    const T *x = (const T *)(const void *)src;
    int far = 0;
    for (int64_t i = 0; i < m; i++)
      far |= !(LIBM(__builtin_fabs)(x[i]) < (T)0x1p31);
    if (far)
      any(m, dst, ds, src, ss);
    else
      IVDEP for (int64_t i = 0; i < m; i++)
        put_whole(dst, i, size, (int32_t)x[i]);
  }
}

#define ENTRY(TO, T)                                                                                     \
  static void N(to_##TO)(int64_t n, char *dst, int64_t ds, const char *src, int64_t ss)                  \
  {                                                                                                      \
    N(to_whole)(n, dst, ds, src, ss, sizeof(T), HED_ID_##TO);                                            \
  }
EACH_WHOLE(ENTRY)
#undef ENTRY

/* Every byte but 0 is true. GCC makes no vectors of a conversion to a complex type, and of one from bytes with a gap between the
 * results only such as valgrind 3.19 does not know; so the real parts come first. */
static void N(bool_to_complex)(int64_t n, char *dst, int64_t ds, const char *src, int64_t ss)
{
  if (ds != 2 * (int64_t)sizeof(T) || ss != 1) {
    plain(HED_ID_BOOL, sizeof(T) == 4 ? HED_ID_COMPLEX64 : HED_ID_COMPLEX128)(n, dst, ds, src, ss);
    return;
  }
  T real[CAST_BLOCK], *o = (T *)(void *)dst;
  for (; n > 0; n -= CAST_BLOCK, src += CAST_BLOCK, o += 2 * CAST_BLOCK) {
    const int64_t m = n < CAST_BLOCK ? n : CAST_BLOCK;
    for (int64_t i = 0; i < m; i++)
      real[i] = src[i] ? 1 : 0;
    IVDEP for (int64_t i = 0; i < m; i++) {
      o[2 * i] = real[i];
      o[2 * i + 1] = 0;
    }
  }
}
