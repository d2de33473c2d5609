// SPDX-License-Identifier: BSD-3-Clause
/*
 * Batches of small matrices of one type; batch.c includes this once per type with T (the element), I (an integer as large),
 * S (its suffix), LEAST (the smallest number whose inverse is finite) and ROOT defined, and for wide registers MASK,
 * GREATER, CHOOSE, BITS, SQRT, and what transposes as many rows as there are lanes. L1.
 *
 * Element (i, j) of all lanes is one vector. k_batch_order.h has the algorithms, for the usual orders unrolled.
 */
#define NAME_(a, b) a##_##b
#define NAME__(a, b) NAME_(a, b)
#define F(a) NAME__(a, S)
#define V F(lanes)
#define W ((int64_t)(VECTOR_BYTES / sizeof(T)))
#define ALL ((unsigned)((1ull << W) - 1))

typedef T F(lanes) __attribute__((vector_size(VECTOR_BYTES)));
typedef I F(bits) __attribute__((vector_size(VECTOR_BYTES)));

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

static ALWAYS void F(swap)(MASK m, V *a, V *b)
{
  const V x = *a;
  *a = CHOOSE(m, *b, x);
  *b = CHOOSE(m, x, *b);
}

/* ---- matrices to lanes and back ---- */

#ifdef TURN
#if defined(__AVX512F__)
typedef __m512i F(row);
#else
typedef __m256i F(row);
#define LOAD(n, p) F(load)(n, p)
#define STORE(n, p, v) F(store)(n, p, v)
static ALWAYS __m256i F(load)(int64_t n, const char *p)
{
  T part[VECTOR_BYTES / sizeof(T)] = { 0 };
  if (n == W)
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
  for (int64_t k = 0; k < n; k++)
    memcpy(&part[k], p + k * (int64_t)sizeof(T), sizeof(T));
  return _mm256_loadu_si256((const __m256i *)(const void *)part);
}

static ALWAYS void F(store)(int64_t n, char *p, __m256i v)
{
  T part[VECTOR_BYTES / sizeof(T)];
  _mm256_storeu_si256((__m256i *)(n == W ? (void *)p : (void *)part), v);
  for (int64_t k = 0; n != W && k < n; k++)
    memcpy(p + k * (int64_t)sizeof(T), &part[k], sizeof(T));
}
#endif

/* COUNT elements that lie side by side in each lane's matrix. */
static ALWAYS void F(take_row)(int64_t count, const char *const *at, V *to)
{
  for (int64_t e = 0; e < count; e += W) {
    F(row) r[VECTOR_BYTES / sizeof(T)], t[VECTOR_BYTES / sizeof(T)];
    const int64_t some = count - e < W ? count - e : W;
    UNROLL for (int l = 0; l < W; l++)
      r[l] = LOAD(some, at[l] + e * (int64_t)sizeof(T));
    TURN(r, t);
    UNROLL for (int q = 0; q < W; q++)
      if (q < some)
        to[e + q] = (V)t[q];
  }
}

static ALWAYS void F(put_row)(int64_t count, int64_t lanes, const V *from, char *const *at)
{
  for (int64_t e = 0; e < count; e += W) {
    F(row) r[VECTOR_BYTES / sizeof(T)], t[VECTOR_BYTES / sizeof(T)];
    const int64_t some = count - e < W ? count - e : W;
    UNROLL for (int q = 0; q < W; q++)
      r[q] = (F(row))(q < some ? from[e + q] : (V){ 0 });
    TURN(r, t);
    UNROLL for (int l = 0; l < W; l++)
      if (l < lanes)
        STORE(some, at[l] + e * (int64_t)sizeof(T), t[l]);
  }
}
#undef LOAD
#undef STORE
#endif

static ALWAYS bool F(by_rows)(int64_t cols, const cpu_batch_side *s)
{
  return s->col == (int64_t)sizeof(T) && s->row == cols * (int64_t)sizeof(T);
}

/* ROWS x COLS of each lane to element i * COLS + j of TO; of any layout. */
static __attribute__((noinline)) void F(take_any)(int64_t rows, int64_t cols, const cpu_batch_side *s, V *to)
{
#ifdef TURN
  const cpu_batch_side turned = { .row = s->col, .col = s->row };
  V by_columns[CPU_BATCH_ORDER * CPU_BATCH_ORDER];
  if (F(by_rows)(cols, s)) {
    F(take_row)(rows * cols, s->at, to);
    return;
  }
  if (F(by_rows)(rows, &turned)) {
    F(take_row)(rows * cols, s->at, by_columns);
    for (int64_t i = 0; i < rows; i++)
      for (int64_t j = 0; j < cols; j++)
        to[i * cols + j] = by_columns[j * rows + i];
    return;
  }
#endif
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < cols; j++) {
      T x[VECTOR_BYTES / sizeof(T)];
      for (int l = 0; l < W; l++)
        memcpy(&x[l], s->at[l] + i * s->row + j * s->col, sizeof(T));
      memcpy(&to[i * cols + j], x, sizeof x);
    }
}

static __attribute__((noinline)) void F(put_any)(int64_t rows, int64_t cols, int64_t lanes, const V *from,
                                                 const cpu_batch_side *s)
{
  char *const *at = (char *const *)(uintptr_t)s->at;
#ifdef TURN
  const cpu_batch_side turned = { .row = s->col, .col = s->row };
  V by_columns[CPU_BATCH_ORDER * CPU_BATCH_ORDER];
  if (F(by_rows)(cols, s)) {
    F(put_row)(rows * cols, lanes, from, at);
    return;
  }
  if (F(by_rows)(rows, &turned)) {
    for (int64_t i = 0; i < rows; i++)
      for (int64_t j = 0; j < cols; j++)
        by_columns[j * rows + i] = from[i * cols + j];
    F(put_row)(rows * cols, lanes, by_columns, at);
    return;
  }
#endif
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < cols; j++) {
      T x[VECTOR_BYTES / sizeof(T)];
      memcpy(x, &from[i * cols + j], sizeof x);
      for (int64_t l = 0; l < lanes; l++)
        memcpy(at[l] + i * s->row + j * s->col, &x[l], sizeof(T));
    }
}

/* The same, with what is usual in place: the loops of N x COLS elements, which are known there. */
static ALWAYS void F(take)(int64_t rows, int64_t cols, const cpu_batch_side *s, V *to)
{
#ifdef TURN
  if (__builtin_constant_p(rows * cols) && F(by_rows)(cols, s)) {
    F(take_row)(rows * cols, s->at, to);
    return;
  }
#endif
  F(take_any)(rows, cols, s, to);
}

static ALWAYS void F(put)(int64_t rows, int64_t cols, int64_t lanes, const V *from, const cpu_batch_side *s)
{
#ifdef TURN
  if (__builtin_constant_p(rows * cols) && F(by_rows)(cols, s)) {
    F(put_row)(rows * cols, lanes, from, (char *const *)(uintptr_t)s->at);
    return;
  }
#endif
  F(put_any)(rows, cols, lanes, from, s);
}

/* ---- algorithms ---- */

/* V divided by D, whose inverse is known; ODD: that of some lane may be infinite. */
static ALWAYS V F(over)(V v, V d, V inverse, bool odd)
{
  return odd ? CHOOSE(GREATER(F(splat)(LEAST), F(size)(d)), v / d, v * inverse) : v * inverse;
}

/* y -= factor x, for N of them. */
static ALWAYS void F(less)(int n, V factor, const V *x, V *y)
{
  for (int c = 0; c < n; c++)
    y[c] -= factor * x[c];
}

/* Products of the diagonals D of N elements with SIGN, kept from leaving the range before their end. */
static ALWAYS void F(products)(int64_t n, int64_t lanes, const V *d, V sign, const cpu_batch_side *to)
{
  enum { SOME = VECTOR_BYTES / 8 };
  typedef T part __attribute__((vector_size(SOME * sizeof(T))));
  typedef double wide __attribute__((vector_size(VECTOR_BYTES)));
  typedef int64_t bits __attribute__((vector_size(VECTOR_BYTES)));
  double p[VECTOR_BYTES / sizeof(T)];
  bits far = { 0 };
  T s[VECTOR_BYTES / sizeof(T)];
  int64_t any = 0;
  memcpy(s, &sign, sizeof s);
  UNROLL for (int h = 0; h < W; h += SOME) {
    wide x = 1 - (wide){ 0 };
    for (int64_t j = 0; j < n; j++) {
      part y;
      memcpy(&y, (const T *)(const void *)&d[j] + h, sizeof y);
      x *= __builtin_convertvector(y, wide);
      const wide size = (wide)((bits)x & INT64_MAX);
      far |= ~((bits)(size > 0x1p-1000) & (bits)(size < 0x1p1000));
    }
    memcpy(p + h, &x, sizeof x);
  }
  for (int k = 0; k < SOME; k++)
    any |= far[k];
  for (int64_t l = 0; l < lanes; l++) {
    if (__builtin_expect(any != 0, 0)) {
      hed__product q = hed__product_one;
      double value[2];
      for (int64_t j = 0; j < n; j++)
        hed__product_real(&q, (double)d[j][l]);
      hed__product_value(&q, value);
      p[l] = value[0];
    }
    const T r = (T)p[l] * s[l];
    memcpy((char *)(uintptr_t)to->at[l], &r, sizeof r);
  }
}

#define ORDER 2
#include "backends/cpu/kernels/k_batch_order.h"
#define ORDER 3
#include "backends/cpu/kernels/k_batch_order.h"
#define ORDER 4
#include "backends/cpu/kernels/k_batch_order.h"
#include "backends/cpu/kernels/k_batch_order.h"

#define BY_ORDER(NAME)                                                           \
  static int64_t F(NAME)(const cpu_batch *b)                                     \
  {                                                                              \
    switch (b->n) {                                                              \
    case 2: return NAME__(F(NAME), 2)(b);                                        \
    case 3: return NAME__(F(NAME), 3)(b);                                        \
    case 4: return NAME__(F(NAME), 4)(b);                                        \
    default: return NAME__(F(NAME), any)(b);                                     \
    }                                                                            \
  }
BY_ORDER(solve)
BY_ORDER(det)
BY_ORDER(lu)
BY_ORDER(cholesky)

#undef BY_ORDER
#undef NAME_
#undef NAME__
#undef F
#undef V
#undef W
#undef ALL
#undef T
#undef I
#undef S
#undef LEAST
#undef ROOT
#undef MASK
#undef GREATER
#undef CHOOSE
#undef BITS
#undef TURN
#undef SQRT
