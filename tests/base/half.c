// SPDX-License-Identifier: BSD-3-Clause
/* float16 and bfloat16: every pattern there and back, rounding between every two neighbours.
 *
 * What a pattern means is computed here from sign, exponent and fraction in double, which holds all of it exactly.
 */
#include "base/half.h"
#include "tap.h"

#include <float.h>
#include <math.h>

typedef struct format {
  const char *name;
  int fraction, bias;             /* bits of the fraction, exponent bias */
  uint32_t infinity;
  float (*widen)(uint16_t);
  uint16_t (*round)(float);
} format;

static double value(const format *f, uint32_t h)
{
  int exponent = (int)((h & 0x7fff) >> f->fraction), bits = (int)(h & ((1u << f->fraction) - 1));
  double m = exponent ? ldexp(1 + ldexp(bits, -f->fraction), exponent - f->bias)
                      : ldexp(bits, 1 - f->bias - f->fraction);
  return h & 0x8000 ? -m : m;
}

static void check(const format *f)
{
  int wrong_wide = 0, wrong_back = 0, wrong_nan = 0, wrong_round = 0;
  for (uint32_t h = 0; h < 0x10000; h++) {
    float x = f->widen((uint16_t)h);
    uint32_t magnitude = h & 0x7fff;
    if (magnitude > f->infinity) {
      uint16_t back = f->round(x);
      wrong_nan += !(x != x) || (back & 0x7fffu) <= f->infinity || (back ^ h) >> 15 != 0;
      continue;
    }
    if (magnitude == f->infinity)
      wrong_wide += !(isinf(x) && (x < 0) == (h >> 15));
    else
      wrong_wide += (double)x != value(f, h) || !signbit(x) != !(h >> 15);
    wrong_back += f->round(x) != h;
  }
  is_int(wrong_wide, 0, "%s: every finite pattern has its value, infinities are infinite", f->name);
  is_int(wrong_back, 0, "%s: every pattern survives the way there and back", f->name);
  is_int(wrong_nan, 0, "%s: NaN stays NaN, with its sign", f->name);

  /* the midpoint goes to the even neighbour, the floats next to it to the nearer one; the last finite pattern's upper
   * neighbour is 2^n, which stands for infinity */
  for (uint32_t h = 0; h < f->infinity; h++) {
    double low = value(f, h);
    double high = h + 1 < f->infinity ? value(f, h + 1) : 2 * value(f, h & ~((1u << f->fraction) - 1));
    float mid = (float)((low + high) / 2);
    uint32_t even = h & 1 ? h + 1 : h;
    wrong_round += f->round(mid) != even || f->round(nextafterf(mid, INFINITY)) != h + 1 ||
                   f->round(nextafterf(mid, 0)) != h || f->round(-mid) != (even | 0x8000);
  }
  is_int(wrong_round, 0, "%s: between all neighbours, to nearest, ties to even", f->name);
  is_uint(f->round(FLT_MAX), f->infinity, "%s: the largest float is beyond", f->name);
  is_uint(f->round(0x1p-149f), 0, "%s: the smallest float is 0", f->name);
}

int main(void)
{
  check(&(format){ "float16", 10, 15, 0x7c00, hed__half_to_float, hed__float_to_half });
  check(&(format){ "bfloat16", 7, 127, 0x7f80, hed__bfloat_to_float, hed__float_to_bfloat });
  return done();
}
