// SPDX-License-Identifier: BSD-3-Clause
/* A stream of quantities of 64 bits to each element that rejects (base/random/variates.h), and gammas from it
 * (base/random/random_gamma.h). L1. */
#ifndef NO_FLOAT64

typedef struct stream {
  uint64_t key, draw, block, made; /* number of its first block, and of the one that is in w, less it, plus 1 */
  uint32_t used, w[4];
} stream;

FN stream stream_of(u64 key, u64 draw, i64 element_number)
{
  stream s;
  s.key = key;
  s.draw = draw;
  s.block = (uint64_t)element_number << 16;
  s.made = 0;
  s.used = 0;
  return s;
}

/* Quantity number K after those that are used, in (0, 1], or its words. */
FN void quantity(stream *s, uint32_t k, uint32_t *low, uint32_t *high)
{
  const uint32_t at = s->used + k, block = at / 2;
  if (s->made != (uint64_t)block + 1) {
    hed__philox_block(s->key, s->draw, s->block + block, s->w);
    s->made = (uint64_t)block + 1;
  }
  *low = at & 1 ? s->w[2] : s->w[0];
  *high = at & 1 ? s->w[3] : s->w[1];
}

FN double unit_quantity(stream *s, uint32_t k)
{
  uint32_t low, high;
  quantity(s, k, &low, &high);
  return unit_of(low, high);
}

FN double normal_quantity(stream *s)
{
  uint32_t l0, h0, l1, h1;
  double z, other;
  quantity(s, 0, &l0, &h0);
  quantity(s, 1, &l1, &h1);
  hed__rnormal(l0, h0, l1, h1, &z, &other);
  return z;
}

/* Of a shape of at least 1: random_gamma.h. */
FN double gamma_of_shape(stream *s, double shape)
{
  const int32_t near = shape < 4 ? (int32_t)shape : 0;
  if (shape == near) {
    const double first = unit_quantity(s, 0), second = near > 1 ? unit_quantity(s, 1) : 1, third = near > 2 ? unit_quantity(s, 2) : 1;
    s->used += (uint32_t)near;
    return hed__rexponential(first * second * third);
  }
  const double d = shape - 1.0 / 3, c = 1 / (3 * sqrt(d));
  for (;;) {
    const double x = normal_quantity(s), v = 1 + c * x, square = x * x, half_square = 0.5 * square;
    if (v <= 0) {
      s->used += 2;
      continue;
    }
    const double cube = v * v * v, u = unit_quantity(s, 2);
    s->used += 3;
    if (cube > 0 && (u < 1 - 0.0331 * square * square
                     || hed__rlog(u) < half_square + d * (1 - cube + hed__rlog(cube))))
      return d * cube;
  }
}

/* Of any shape, or its logarithm: then the shape is above 0. */
FN double standard_gamma(stream *s, double shape, bool logarithm)
{
  const double x = gamma_of_shape(s, shape >= 1 ? shape : shape + 1), value = logarithm ? hed__rlog(x) : x;
  if (shape >= 1)
    return value;
  const double e = hed__rexponential(unit_quantity(s, 0));
  s->used += 1;
  if (logarithm)
    return value - e / shape;
  return shape > 0 ? value * hed__rexp(-e / shape) : 0;
}

#endif
