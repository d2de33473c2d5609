// SPDX-License-Identifier: BSD-3-Clause
/* Keys that order as elements of HED_COMPUTE do, NaN last in both directions, -0 as 0. L1. */
typedef STORED(HED_COMPUTE) element;

#if JOIN2(WIDTH_, HED_COMPUTE) == 3
typedef uint64_t key;
#define TOP ((uint64_t)1 << 63)
#define KEY_OF_NUMBER(x) hed__bits64(x)
#define NUMBER_OF_KEY(k) hed__number64(k)
#define KEY_BITS 64
#else
typedef uint32_t key;
#define TOP 0x80000000u
#define KEY_OF_NUMBER(x) hed__bits32(x)
#define NUMBER_OF_KEY(k) hed__number32(k)
#define KEY_BITS 32
#endif

/* What BITS makes an element of again. */
#if HED_COMPUTE == 11
#define BITS_OF(s) hed__bits32(s)
#else
#define BITS_OF(s) ((uint32_t)(s))
#endif

FN key key_of(element s, bool descending)
{
#if COMPUTES == IS_F || COMPUTES == IS_H
  const COMPUTED(HED_COMPUTE) x = GIVEN(HED_COMPUTE, s);
  if (x != x)
    return (key)-1;
  const key bits = x == 0 ? 0 : KEY_OF_NUMBER(x), k = bits & TOP ? ~bits : bits | TOP;
#elif COMPUTES == IS_I
  const key k = (key)(int64_t)s ^ TOP;
#else
  const key k = (key)GIVEN(HED_COMPUTE, s);
#endif
  return descending ? ~k : k;
}

/* Of an ascending key. */
FN element element_of(key k)
{
#if COMPUTES == IS_F || COMPUTES == IS_H
  const COMPUTED(HED_COMPUTE) x = k == (key)-1 ? (COMPUTED(HED_COMPUTE))NAN : NUMBER_OF_KEY(k & TOP ? k ^ TOP : ~k);
  return CONVERT(HED_COMPUTE, HED_COMPUTE, x);
#elif COMPUTES == IS_I
  return (element)(k ^ TOP);
#else
  return (element)k;
#endif
}
