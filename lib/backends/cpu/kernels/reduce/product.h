// SPDX-License-Identifier: BSD-3-Clause
/*
 * What products share, those of contiguous elements and of columns; included by reduce.c alone, after reduce.h. Their bodies
 * are product_real.h and product_pairs.h, of integers sums_of_wholes.h.
 *
 * Floats: mantissas are multiplied in lanes and exponents added, so that no partial product leaves the range
 * (base/product.h); of float32, in double, four elements at a time, which cannot. Integers: in lanes of 64 bits.
 * Every instruction set; contiguous slices and rows of contiguous columns.
 */

typedef struct split { vd mantissa, exponent; } split;
typedef int64_t vl __attribute__((vector_size(VECTOR), aligned(8), may_alias));

#if defined __AVX512F__
/* Zeros have the exponent -inf, infinities inf: the sum says what becomes of them. */
static inline void split_in(split *s, vd v, vl *odd)
{
  (void)odd;
  s->mantissa *= (vd)_mm512_getmant_pd((__m512d)v, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src);
  s->exponent += (vd)_mm512_getexp_pd((__m512d)v);
}
#else
/* *ODD gets a bit where an element is 0, tiny or not finite: the caller does those one by one. */
static inline void split_in(split *s, vd v, vl *odd)
{
  const vl bits = (vl)v, field = bits >> 52 & 0x7ff;
  s->mantissa *= (vd)((bits & (int64_t)0x800fffffffffffffu) | 0x3ff0000000000000);
  s->exponent += (vd)(field | 0x4330000000000000) - (0x1p52 + 1023); /* the number as an integer below 2^52 */
  *odd |= (vl)(((field + 1) & 0x7fe) == 0);
}
#endif

/* S times T, whose mantissas may have grown. */
static inline void split_join(split *s, const split *t)
{
  vl none = { 0 };
  split_in(s, t->mantissa, &none);
  s->exponent += t->exponent;
}

static inline double product_of_lanes(vd v)
{
#if defined __AVX512F__
  return _mm512_reduce_mul_pd((__m512d)v);
#else
  double m = v[0];
  for (int k = 1; k < VECTOR / 8; k++)
    m *= v[k];
  return m;
#endif
}

static inline void split_out(const split *s, hed__product *p)
{
#if defined __AVX512F__
  double e = _mm512_reduce_add_pd((__m512d)s->exponent);
#else
  double e = s->exponent[0];
  for (int k = 1; k < VECTOR / 8; k++)
    e += s->exponent[k];
#endif
  double m = product_of_lanes(s->mantissa);
  if (!isfinite(e)) {
    m = e != e ? e : copysign(e > 0 ? (double)INFINITY : 0.0, m);
    e = 0;
  }
  p->exponent += e;
  hed__product_real(p, m);
}

static inline bool any_odd(vl odd) { return ANY_LANE(odd); }

/* Bits of the lanes of A between 1 / MOST and MOST. */
static inline vl between(vd a, double most)
{
  const vd size = (vd)((vl)a & INT64_MAX);
  return (vl)(size > 1 / most) & (vl)(size < most);
}

/* A chain begins so far above 1 that it has to sink by as much before the highest bit of the exponent goes, which is looked at
 * after every second factor: V times W. Where the first one takes a chain from 2 or more below 2^-1023, the second, below 2^1024,
 * does not bring it back; above that one bit is lost at most. */
#define CHAIN_START 0x1p500

static inline void chain(vd *a, vd v, vd w, vl *all)
{
  *a *= v;
  *a *= w;
  *all &= (vl)*a;
}

/* Four chains stayed above the bound and end within the range: then none was ever beyond it. */
static inline bool chains_near(vl all, vd a, vd b, vd c, vd d)
{
  const vd none = { 0 }, most = none + 2 * CHAIN_START * CHAIN_START;
#define WITHIN_(x) (vl)((vd)((vl)(x) & INT64_MAX) < most)
  return !any_odd(~((all << 1 >> 63) & WITHIN_(a) & WITHIN_(b) & WITHIN_(c) & WITHIN_(d)));
#undef WITHIN_
}

#define COL_MOST 0x1p200 /* of a product that a chain may begin with */

/* ---- complex numbers ---- */

/* Lanes of products, parts apart. */
typedef struct pairs { vd re, im, exponent; } pairs;

/* As many numbers as a vector has lanes, of which A and B have a half each; in an order of its own. */
static inline void parts_apart(vd a, vd b, vd *re, vd *im)
{
#if defined __AVX512F__
  *re = (vd)_mm512_unpacklo_pd((__m512d)a, (__m512d)b);
  *im = (vd)_mm512_unpackhi_pd((__m512d)a, (__m512d)b);
#elif defined __AVX__
  *re = (vd)_mm256_unpacklo_pd((__m256d)a, (__m256d)b);
  *im = (vd)_mm256_unpackhi_pd((__m256d)a, (__m256d)b);
#else
  *re = (vd){ a[0], b[0] };
  *im = (vd){ a[1], b[1] };
#endif
}

static inline void pairs_times(pairs *p, vd re, vd im)
{
  const vd r = plus_product(p->re * re, -p->im, im);
  p->im = plus_product(p->im * re, p->re, im);
  p->re = r;
}

static inline vd sum_of_sizes(vd re, vd im) { return (vd)((vl)re & INT64_MAX) + (vd)((vl)im & INT64_MAX); }

/* Scaled to a sum of sizes in [1, 2). */
static inline void pairs_even(pairs *p)
{
  const vl field = (vl)sum_of_sizes(p->re, p->im) >> 52;
  const vd scale = (vd)((2046 - field) << 52);
  p->re *= scale;
  p->im *= scale;
  p->exponent += (vd)(field | 0x4330000000000000) - (0x1p52 + 1023); /* as in split_in */
}

/* P times the lanes of four, each of which is scaled. */
static inline void pairs_join(const pairs *q, hed__product *p)
{
  enum { W = VECTOR / 8 };
  pairs all = q[0];
  double re[W], im[W];
  for (int k = 1; k < 4; k++) {
    pairs_times(&all, q[k].re, q[k].im);
    all.exponent += q[k].exponent;
  }
  memcpy(re, &all.re, sizeof re);
  memcpy(im, &all.im, sizeof im);
  for (int half = W / 2; half > 0; half /= 2)
    for (int k = 0; k < half; k++) {
      const double r = re[k] * re[k + half] - im[k] * im[k + half];
      im[k] = re[k] * im[k + half] + im[k] * re[k + half];
      re[k] = r;
    }
  for (int k = 0; k < W; k++)
    p->exponent += all.exponent[k];
  hed__product_complex(p, re[0], im[0]);
}
