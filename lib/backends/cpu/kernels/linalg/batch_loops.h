// SPDX-License-Identifier: BSD-3-Clause
/*
 * Vectors for batches of small matrices of one precision; batch.c includes this once per precision with T (the real type),
 * I (an integer as large), S (its suffix), LEAST (the smallest number whose inverse is finite), EPSILON (from 1 to the next
 * number), NOTHING (0 beside 1; that times EPSILON has a square in range) and ROOT defined, and for wide registers MASK, GREATER,
 * CHOOSE, BITS, SQRT, and what transposes as many rows as there are lanes. L1.
 *
 * batch_number.h has what is done with them, for real and complex numbers.
 * Every instruction set; matrices of an order up to CPU_BATCH_ORDER, chosen by linalg/lapack_batch.c.
 */
#define NAME_(a, b) a##_##b
#define NAME__(a, b) NAME_(a, b)
#define F(a) NAME__(a, S)
#define V F(lanes)
#define W ((int64_t)(CPU_VECTOR / sizeof(T)))
#define ALL ((unsigned)((1ull << W) - 1))
#define REAL_OF(a) NAME__(F(a), real)

typedef T F(lanes) __attribute__((vector_size(CPU_VECTOR)));
typedef I F(bits) __attribute__((vector_size(CPU_VECTOR)));

/* ---- choices by lane ---- */

#ifndef MASK
#define MASK F(bits)
#define GREATER(a, b) ((MASK)((a) > (b)))
#endif
#ifndef CHOOSE
#define CHOOSE(m, a, b) ((V)(((MASK)(a) & (m)) | ((MASK)(b) & ~(m))))
#endif

static ALWAYS unsigned F(which)(MASK m)
{
#if defined(__AVX512F__)
  return m;
#elif defined(BITS)
  return BITS(m);
#else
  unsigned all = 0;
  for (int k = 0; k < W; k++)
    all |= (unsigned)(m[k] & 1) << k;
  return all;
#endif
}

static ALWAYS V F(size)(V x) { return (V)((F(bits))x & ~((F(bits)){ 0 } + (I)((uint64_t)1 << (8 * sizeof(T) - 1)))); }
static ALWAYS V F(splat)(T x) { return x - (V){ 0 }; }

static ALWAYS V F(root)(V x)
{
#ifdef SQRT
  return SQRT(x);
#else
  for (int k = 0; k < W; k++)
    x[k] = ROOT(x[k]);
  return x;
#endif
}

/* A power of two near SIZE and its inverse: the product of both is 1, and with that inverse SIZE is below 4 if it is finite. */
static ALWAYS V F(scale)(V size, V *inverse)
{
  const V far = F(splat)(1 / LEAST), one = F(splat)(1);
  const F(bits) exponent = (F(bits))F(splat)((T)INFINITY);
  size = CHOOSE(GREATER(size, far), far, size);
  size = CHOOSE(GREATER(size, F(splat)(LEAST)), size, F(splat)(LEAST));
  *inverse = (V)((F(bits))one + (F(bits))one - ((F(bits))size & exponent));
  return (V)((F(bits))size & exponent);
}

/* The tangent of the smaller angle that turns (d, 2 size; 2 size, -d) diagonal: t^2 size + t d = size. A D beside which 2 size is
 * nothing is not squared, as that may leave the range: no angle would be left, and Jacobi's sweeps never end. */
static ALWAYS V F(tangent)(V d, V size)
{
  const V twice = size + size, most = F(size)(d), root = F(root)(d * d + twice * twice);
  const V t = twice / (most + CHOOSE(GREATER(most * F(splat)(EPSILON), twice), most, root));
  return CHOOSE(GREATER((V){ 0 }, d), -t, t);
}

/* ---- rows to lanes and back ---- */

#ifdef TRANSPOSE_LANES
#if defined(__AVX512F__)
typedef __m512i F(row);
#else
typedef __m256i F(row);
#define LOAD(n, p) F(load)(n, p)
#define STORE(n, p, v) F(store)(n, p, v)
static ALWAYS __m256i F(load)(int64_t n, const char *p)
{
  T part[CPU_VECTOR / sizeof(T)] = { 0 };
  if (n == W)
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
  for (int64_t k = 0; k < n; k++)
    memcpy(&part[k], p + k * (int64_t)sizeof(T), sizeof(T));
  return _mm256_loadu_si256((const __m256i *)(const void *)part);
}

static ALWAYS void F(store)(int64_t n, char *p, __m256i v)
{
  T part[CPU_VECTOR / sizeof(T)];
  _mm256_storeu_si256((__m256i *)(n == W ? (void *)p : (void *)part), v);
  for (int64_t k = 0; n != W && k < n; k++)
    memcpy(p + k * (int64_t)sizeof(T), &part[k], sizeof(T));
}
#endif

/* COUNT real numbers that lie side by side in each lane's matrix. */
static ALWAYS void F(take_row)(int64_t count, const char *const *at, V *to)
{
  for (int64_t e = 0; e < count; e += W) {
    F(row) r[CPU_VECTOR / sizeof(T)], t[CPU_VECTOR / sizeof(T)];
    const int64_t some = count - e < W ? count - e : W;
    UNROLL for (int l = 0; l < W; l++)
      r[l] = LOAD(some, at[l] + e * (int64_t)sizeof(T));
    TRANSPOSE_LANES(r, t);
    UNROLL for (int q = 0; q < W; q++)
      if (q < some)
        to[e + q] = (V)t[q];
  }
}

static ALWAYS void F(put_row)(int64_t count, int64_t lanes, const V *from, char *const *at)
{
  for (int64_t e = 0; e < count; e += W) {
    F(row) r[CPU_VECTOR / sizeof(T)], t[CPU_VECTOR / sizeof(T)];
    const int64_t some = count - e < W ? count - e : W;
    UNROLL for (int q = 0; q < W; q++)
      r[q] = (F(row))(q < some ? from[e + q] : (V){ 0 });
    TRANSPOSE_LANES(r, t);
    UNROLL for (int l = 0; l < W; l++)
      if (l < lanes)
        STORE(some, at[l] + e * (int64_t)sizeof(T), t[l]);
  }
}
#undef LOAD
#undef STORE
#endif

#include "backends/cpu/kernels/linalg/batch_number.h"
#define COMPLEX
#include "backends/cpu/kernels/linalg/batch_number.h"

#undef NAME_
#undef NAME__
#undef F
#undef V
#undef W
#undef ALL
#undef REAL_OF
#undef T
#undef I
#undef S
#undef LEAST
#undef EPSILON
#undef NOTHING
#undef ROOT
#undef MASK
#undef GREATER
#undef CHOOSE
#undef BITS
#undef TRANSPOSE_LANES
#undef SQRT
