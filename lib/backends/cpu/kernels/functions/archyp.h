// SPDX-License-Identifier: BSD-3-Clause
/*
 * arcsinh and arccosh of float32: log(1 + z) of a z that is right to a last place. Included by functions.c alone.
 * Every instruction set; contiguous float32, by blocks.
 */

/* log(1 + z), what rounding takes away from the sum added to the reduced argument. */
INLINE float log_of_sum_f(float z)
{
  const float sum = 1.0f + z, back = sum - 1.0f, lost = (1.0f - (sum - back)) + (z - back);
  const uint32_t e = (bits_f(sum) - 0x3f3504f3u) & 0xff800000u, scale = 0x3f800000u - (e < 0x3f800000u ? e : 0x3f800000u);
  return log_sum_f((float)((int32_t)e >> 23), ma_f(lost, of_bits_f(scale), of_bits_f(bits_f(sum) - e) - 1.0f));
}

/* Beyond FAR, where its square may overflow, 1 is nothing beside x: log(2 x). */
#define FAR 0x1p40f

/* With t = x - 1, z = t + sqrt(t (t + 2)). */
INLINE float arccosh_argument_f(float x)
{
  const float t = x - 1.0f, z = t + __builtin_sqrtf(t * (t + 2.0f));
  return x > FAR ? x : z;
}

/* z = x + x^2 / (1 + sqrt(1 + x^2)) */
INLINE float arcsinh_argument_f(float x)
{
  const float a = __builtin_fabsf(x), z = a + a * a / (1.0f + __builtin_sqrtf(ma_f(a, a, 1.0f)));
  return a > FAR ? a : z;
}

/* Of z for |x|; infinities stay. */
INLINE float area_f(float z, float x)
{
  const float y = log_of_sum_f(z) + (__builtin_fabsf(x) > FAR ? 0x1.62e430p-1f : 0.0f);
  return z > 0x1.fffffep127f ? z : y;
}

INLINE float arccosh_of_f(float x, float e) { return x >= 1.0f ? area_f(e, x) : NAN; }
INLINE float arcsinh_of_f(float x, float e) { return __builtin_copysignf(area_f(e, x), x); }

ROW1(arccosh, f32, passes1_f32(n, o, v, arccosh_argument_f, arccosh_of_f))
ROW1(arcsinh, f32, passes1_f32(n, o, v, arcsinh_argument_f, arcsinh_of_f))
#undef FAR
