// SPDX-License-Identifier: BSD-3-Clause
/* Keys of floats and integers, which are ordered as words, and back; a body, included by sort.c for words of each size. INVERT has
 * all bits for a descending order, MERGE is 1 where -0 is 0. */

/* Keys may take the index of their values. Was one of these -0? */
INLINE bool N(float_keys)(int64_t n, const T *x, T *key, T invert, T merge, const T infinite)
{
  const T sign = (T)1 << (8 * sizeof(T) - 1);
  T below = 0;
  IVDEP for (int64_t i = 0; i < n; i++) {
    const T b = x[i], negative = (T)(0 - (b >> (8 * sizeof(T) - 1)));
    T k = (T)(b ^ (negative | sign));
    below |= (T)(k == sign - 1);
    k = (T)(k + ((T)(k == sign - 1) & merge));
    key[i] = (T)((b & (sign - 1)) > infinite ? ~(T)0 : k ^ invert);
  }
  return below;
}

INLINE void N(float_values)(int64_t n, const T *key, T *out, T invert, const T nan)
{
  const T sign = (T)1 << (8 * sizeof(T) - 1);
  IVDEP for (int64_t i = 0; i < n; i++) {
    const T k = (T)(key[i] ^ invert), negative = (T)((k >> (8 * sizeof(T) - 1)) - 1);
    out[i] = (T)(key[i] == (T)~(T)0 ? nan : k ^ (negative | sign));
  }
}

/* Integers as keys that may be wider, BY what turns their sign over, or all bits, or both; and as themselves. */
#define KEY CPU_JOIN(key_of_, S)
INLINE void N(whole_keys)(int64_t n, const T *x, KEY *key, KEY by)
{
  IVDEP for (int64_t i = 0; i < n; i++)
    key[i] = x[i] ^ by;
}

INLINE void N(whole_values)(int64_t n, const KEY *key, T *out, KEY by)
{
  IVDEP for (int64_t i = 0; i < n; i++)
    out[i] = (T)(key[i] ^ by);
}
#undef KEY

INLINE void N(turn)(int64_t n, T *x, T by)
{
  IVDEP for (int64_t i = 0; i < n; i++)
    x[i] ^= by;
}
