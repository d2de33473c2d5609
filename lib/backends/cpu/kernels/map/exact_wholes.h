// SPDX-License-Identifier: BSD-3-Clause
/* The text of exact.h for integers. */
LOOP1(N(sign), T, T, (a > 0) - (a < 0))
LOOP1(N(relu), T, T, a > 0 ? a : 0)

/* A count beyond the width gives 0, or the sign. No processor shifts bytes by counts of their own; by 1, 2 and 4, which make up
 * every count, no wider numbers are needed. */
#if WIDTH == 64
#define COUNT uint64_t
#else
#define COUNT uint32_t
#endif
INLINE T N(shifted_right)(T a, T b)
{
#if WIDTH == 8
  T v = b & 1 ? (T)(a >> 1) : a;
  v = b & 2 ? (T)(v >> 2) : v;
  v = b & 4 ? (T)(v >> 4) : v;
  return (uint8_t)b < 8 ? v : (T)(a < 0 ? -1 : 0);
#elif HAS_SIGN
  return (T)(a >> ((COUNT)b < WIDTH ? (int)b : WIDTH - 1));
#else
  return (T)((COUNT)b < WIDTH ? (COUNT)a >> ((COUNT)b & (WIDTH - 1)) : 0);
#endif
}
LOOP2(N(right_shift), T, T, N(shifted_right)(a, b))

/* What is the same for signed numbers of the size. */
#if HAS_SIGN
LOOP1(N(signbit), T, uint8_t, a < 0)
#else
LOOP1(N(logical_not), T, uint8_t, !(a != 0))
LOOP2(N(logical_and), T, uint8_t, (a != 0) & (b != 0))
LOOP2(N(logical_or), T, uint8_t, (a != 0) | (b != 0))
LOOP2(N(logical_xor), T, uint8_t, (a != 0) ^ (b != 0))
LOOP1(N(bitwise_not), T, T, (T)~a)
INLINE T N(shifted_left)(T a, T b)
{
#if WIDTH == 8
  T v = b & 1 ? (T)(a << 1) : a;
  v = b & 2 ? (T)(v << 2) : v;
  v = b & 4 ? (T)(v << 4) : v;
  return b < 8 ? v : 0;
#else
  return (T)((COUNT)b < WIDTH ? (COUNT)a << ((COUNT)b & (WIDTH - 1)) : 0);
#endif
}
LOOP2(N(left_shift), T, T, N(shifted_left)(a, b))
LOOP1(N(same), T, T, a)
FILLED(N(zero), T, 0)
#endif

/*
 * By quotients in floating point that holds them and is precise enough that no quotient reaches the next integer. Divisors 0 and -1
 * are apart: the least number divided by -1 wraps.
 */
#if HAS_SIGN && WIDTH < 64
#if WIDTH == 32
INLINE T N(quotient)(T a, T b) { return (T)((double)a / (double)b); }
#else
INLINE T N(quotient)(T a, T b) { return (T)((float)a / (float)b); }
#endif
INLINE T N(tame_divisor)(T b) { return (T)(((uint32_t)b + 1) > 1 ? b : 1); }
INLINE T N(fmod_of)(T a, T b)
{
  const T d = N(tame_divisor)(b);
  return (T)(a - N(quotient)(a, d) * d);
}
INLINE T N(mod_of)(T a, T b)
{
  const T r = N(fmod_of)(a, b);
  return (T)(r + (b & -((r != 0) & ((r ^ b) < 0))));
}
INLINE T N(floor_of)(T a, T b)
{
  const T d = N(tame_divisor)(b), q = N(quotient)(a, d), r = (T)(a - q * d);
  const uint32_t y = (uint32_t)q - ((r != 0) & ((r ^ d) < 0)), minus = 0 - (uint32_t)(b == -1);
  return (T)(((y ^ minus) - minus) & (0 - (uint32_t)(b != 0)));
}
BLOCKED2(N(fmod_each), T, N(fmod_of)(a, b))
BLOCKED2(N(mod_each), T, N(mod_of)(a, b))
BLOCKED2(N(floor_divide_each), T, N(floor_of)(a, b))
#endif
#undef COUNT
