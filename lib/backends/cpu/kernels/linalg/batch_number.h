// SPDX-License-Identifier: BSD-3-Clause
/*
 * Batches of small matrices of real numbers, or of complex ones where COMPLEX is defined, on the vectors of batch_loops.h. L1.
 *
 * Element (i, j) of all lanes is one number: a vector, or one of real parts and one of imaginary ones. batch_order.h has
 * the algorithms, for the usual orders of real ones unrolled.
 * Every instruction set.
 */
#ifdef COMPLEX
#define E(a) NAME__(F(a), complex)
#define PARTS 2
#else
#define E(a) NAME__(F(a), real)
#define PARTS 1
#endif
#define Z E(number)

/* ---- numbers ---- */

#ifdef COMPLEX
typedef struct E(number) {
  V re, im;
} E(number);

static ALWAYS Z E(number_of)(T x) { return (Z){ F(splat)(x), (V){ 0 } }; }
static ALWAYS V E(real_part)(Z x) { return x.re; }
static ALWAYS V E(squared)(Z x) { return x.re * x.re + x.im * x.im; }
static ALWAYS Z E(scaled)(Z x, V by) { return (Z){ x.re * by, x.im * by }; }
static ALWAYS Z E(choose)(MASK m, Z a, Z b) { return (Z){ CHOOSE(m, a.re, b.re), CHOOSE(m, a.im, b.im) }; }

/* What pivots are compared by, as in LAPACK. */
static ALWAYS V E(size)(Z x) { return F(size)(x.re) + F(size)(x.im); }

static ALWAYS Z E(times)(Z a, Z b) { return (Z){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re }; }

/* y - a b */
static ALWAYS Z E(minus)(Z y, Z a, Z b)
{
  return (Z){ y.re - a.re * b.re + a.im * b.im, y.im - a.re * b.im - a.im * b.re };
}

static ALWAYS Z E(conjugate)(Z x) { return (Z){ x.re, -x.im }; }
static ALWAYS Z E(plus)(Z a, Z b) { return (Z){ a.re + b.re, a.im + b.im }; }
static ALWAYS Z E(of_real)(V re) { return (Z){ re, (V){ 0 } }; }
static ALWAYS V E(absolute)(Z x) { return F(root)(E(squared)(x)); }

/* The number of absolute value 1 that X has the direction of; SIZE: its absolute value, not 0. */
static ALWAYS Z E(direction)(Z x, V size) { return E(scaled)(x, 1 / size); }

/* Robert L. Smith: Algorithm 116, Complex division, Communications of the ACM 5 (1962). */
static ALWAYS Z E(inverse)(Z d)
{
  const MASK m = GREATER(F(size)(d.im), F(size)(d.re));
  const V most = CHOOSE(m, d.im, d.re), least = CHOOSE(m, d.re, d.im);
  const V ratio = least / most, t = 1 / (most + least * ratio), u = ratio * t;
  return (Z){ CHOOSE(m, u, t), -CHOOSE(m, t, u) };
}

/* Whether numbers of this size have no inverse, or none that inverse() finds without leaving the range. */
static ALWAYS MASK E(odd)(V size)
{
  return (MASK)(GREATER(F(splat)(16 * LEAST), size) | GREATER(size, F(splat)(1 / (16 * LEAST))));
}

/* V divided by D, whose inverse is known; ODD: that of some lane may be wrong. */
static ALWAYS Z E(over)(Z v, Z d, Z inverse, bool odd)
{
  if (!odd)
    return E(times)(v, inverse);
  const V size = E(size)(d), one = F(splat)(1), down = CHOOSE(GREATER(size, one), F(splat)((T)0x1p-60), F(splat)((T)0x1p60));
  const V by = CHOOSE(E(odd)(size), down, one);
  return E(scaled)(E(times)(v, E(inverse)(E(scaled)(d, by))), by);
}
#else
typedef V E(number);

static ALWAYS Z E(number_of)(T x) { return F(splat)(x); }
static ALWAYS V E(real_part)(Z x) { return x; }
static ALWAYS V E(squared)(Z x) { return x * x; }
static ALWAYS Z E(scaled)(Z x, V by) { return x * by; }
static ALWAYS Z E(choose)(MASK m, Z a, Z b) { return CHOOSE(m, a, b); }
static ALWAYS V E(size)(Z x) { return F(size)(x); }
static ALWAYS Z E(times)(Z a, Z b) { return a * b; }
static ALWAYS Z E(minus)(Z y, Z a, Z b) { return y - a * b; }
static ALWAYS Z E(conjugate)(Z x) { return x; }
static ALWAYS Z E(plus)(Z a, Z b) { return a + b; }
static ALWAYS Z E(of_real)(V re) { return re; }
static ALWAYS V E(absolute)(Z x) { return F(size)(x); }
static ALWAYS Z E(direction)(Z x, V size)
{
  (void)size;
  return CHOOSE(GREATER((V){ 0 }, x), F(splat)(-1), F(splat)(1));
}
static ALWAYS Z E(inverse)(Z d) { return 1 / d; }
static ALWAYS MASK E(odd)(V size) { return GREATER(F(splat)(LEAST), size); }

/* V divided by D, whose inverse is known; ODD: that of some lane may be infinite. */
static ALWAYS Z E(over)(Z v, Z d, Z inverse, bool odd)
{
  return odd ? CHOOSE(E(odd)(F(size)(d)), v / d, v * inverse) : v * inverse;
}
#endif

static ALWAYS void E(swap)(MASK m, Z *a, Z *b)
{
  const Z x = *a;
  *a = E(choose)(m, *b, x);
  *b = E(choose)(m, x, *b);
}

/* Lanes in which some of COUNT numbers is not finite, or is so large that sums of their sizes are not; *most: the largest. */
static ALWAYS unsigned E(look)(int count, const Z *x, V *most)
{
  V nothing = { 0 };
  *most = (V){ 0 };
  for (int k = 0; k < count; k++) {
    const V size = E(size)(x[k]);
    *most = CHOOSE(GREATER(size, *most), size, *most);
    nothing += size * 0;
  }
  return ALL & ~F(which)((MASK)(GREATER(F(splat)(1), nothing) & GREATER(F(splat)(1 / (64 * LEAST)), *most)));
}

/* y -= factor x, for N of them. */
static ALWAYS void E(less)(int n, Z factor, const Z *x, Z *y)
{
  for (int c = 0; c < n; c++)
    y[c] = E(minus)(y[c], factor, x[c]);
}

/* ---- matrices to lanes and back ---- */

static ALWAYS bool E(by_rows)(int64_t cols, const cpu_batch_side *s)
{
  return s->col == PARTS * (int64_t)sizeof(T) && s->row == cols * PARTS * (int64_t)sizeof(T);
}

/* The matrix on its side. */
static ALWAYS cpu_batch_side E(turned)(const cpu_batch_side *s)
{
  cpu_batch_side turned = *s;
  turned.row = s->col;
  turned.col = s->row;
  return turned;
}

/* ROWS x COLS of each lane to element i * COLS + j of TO; of any layout. */
static __attribute__((noinline)) void E(take_any)(int64_t rows, int64_t cols, const cpu_batch_side *s, Z *to)
{
#ifdef TRANSPOSE_LANES
  const cpu_batch_side turned = { .row = s->col, .col = s->row };
  Z *const by_columns = s->spare;
  if (E(by_rows)(cols, s)) {
    F(take_row)(rows * cols * PARTS, s->at, (V *)to);
    return;
  }
  if (E(by_rows)(rows, &turned)) {
    F(take_row)(rows * cols * PARTS, s->at, (V *)by_columns);
    for (int64_t i = 0; i < rows; i++)
      for (int64_t j = 0; j < cols; j++)
        to[i * cols + j] = by_columns[j * rows + i];
    return;
  }
#endif
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < cols; j++) {
      T x[PARTS][CPU_VECTOR / sizeof(T)];
      for (int l = 0; l < W; l++)
        for (int q = 0; q < PARTS; q++)
          memcpy(&x[q][l], s->at[l] + i * s->row + j * s->col + q * (int64_t)sizeof(T), sizeof(T));
      memcpy(&to[i * cols + j], x, sizeof x);
    }
}

static __attribute__((noinline)) void E(put_any)(int64_t rows, int64_t cols, int64_t lanes, const Z *from,
                                                 const cpu_batch_side *s)
{
  char *const *at = (char *const *)(uintptr_t)s->at;
#ifdef TRANSPOSE_LANES
  const cpu_batch_side turned = { .row = s->col, .col = s->row };
  Z *const by_columns = s->spare;
  if (E(by_rows)(cols, s)) {
    F(put_row)(rows * cols * PARTS, lanes, (const V *)from, at);
    return;
  }
  if (E(by_rows)(rows, &turned)) {
    for (int64_t i = 0; i < rows; i++)
      for (int64_t j = 0; j < cols; j++)
        by_columns[j * rows + i] = from[i * cols + j];
    F(put_row)(rows * cols * PARTS, lanes, (const V *)by_columns, at);
    return;
  }
#endif
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < cols; j++) {
      T x[PARTS][CPU_VECTOR / sizeof(T)];
      memcpy(x, &from[i * cols + j], sizeof x);
      for (int64_t l = 0; l < lanes; l++)
        for (int q = 0; q < PARTS; q++)
          memcpy(at[l] + i * s->row + j * s->col + q * (int64_t)sizeof(T), &x[q][l], sizeof(T));
    }
}

/* The same, with what is usual in place: the loops of N x COLS elements, which are known there. */
static ALWAYS void E(take)(int64_t rows, int64_t cols, const cpu_batch_side *s, Z *to)
{
#ifdef TRANSPOSE_LANES
  if (__builtin_constant_p(rows * cols) && E(by_rows)(cols, s)) {
    F(take_row)(rows * cols * PARTS, s->at, (V *)to);
    return;
  }
#endif
  E(take_any)(rows, cols, s, to);
}

static ALWAYS void E(put)(int64_t rows, int64_t cols, int64_t lanes, const Z *from, const cpu_batch_side *s)
{
#ifdef TRANSPOSE_LANES
  if (__builtin_constant_p(rows * cols) && E(by_rows)(cols, s)) {
    F(put_row)(rows * cols * PARTS, lanes, (const V *)from, (char *const *)(uintptr_t)s->at);
    return;
  }
#endif
  E(put_any)(rows, cols, lanes, from, s);
}

/* ---- algorithms ---- */

/* Products of the diagonals D of N elements with SIGN, kept from leaving the range before their end. */
static ALWAYS void E(products)(int64_t n, int64_t lanes, const Z *d, V sign, const cpu_batch_side *to)
{
  enum { SOME = CPU_VECTOR / 8 };
  typedef T part __attribute__((vector_size(SOME * sizeof(T))));
  typedef double wide __attribute__((vector_size(CPU_VECTOR)));
  typedef int64_t bits __attribute__((vector_size(CPU_VECTOR)));
  double p[PARTS][CPU_VECTOR / sizeof(T)];
  int64_t left[CPU_VECTOR / sizeof(T)]; /* -1: some part of the product left the range */
  T s[CPU_VECTOR / sizeof(T)];
  memcpy(s, &sign, sizeof s);
  UNROLL for (int h = 0; h < W; h += SOME) {
    wide x[PARTS] = { 1 - (wide){ 0 } };
    bits far = { 0 };
    for (int64_t j = 0; j < n; j++) {
      wide y[PARTS];
      UNROLL for (int q = 0; q < PARTS; q++) {
        part narrow;
        memcpy(&narrow, (const T *)(const void *)&d[j] + q * W + h, sizeof narrow);
        y[q] = __builtin_convertvector(narrow, wide);
      }
#ifdef COMPLEX
      const wide re = x[0] * y[0] - x[1] * y[1];
      x[1] = x[0] * y[1] + x[1] * y[0];
      x[0] = re;
      const wide size = (wide)((bits)x[0] & INT64_MAX) + (wide)((bits)x[1] & INT64_MAX);
#else
      x[0] *= y[0];
      const wide size = (wide)((bits)x[0] & INT64_MAX);
#endif
      far |= ~((bits)(size > 0x1p-1000) & (bits)(size < 0x1p1000));
    }
    memcpy(left + h, &far, sizeof far);
    UNROLL for (int q = 0; q < PARTS; q++)
      memcpy(p[q] + h, &x[q], sizeof x[q]);
  }
  for (int64_t l = 0; l < lanes; l++) {
    if (__builtin_expect(left[l] != 0, 0)) {
      hed__product product = hed__product_one;
      double value[2];
      for (int64_t j = 0; j < n; j++) {
        const T *x = (const T *)(const void *)&d[j] + l;
#ifdef COMPLEX
        hed__product_complex(&product, (double)x[0], (double)x[W]);
#else
        hed__product_real(&product, (double)x[0]);
#endif
      }
      hed__product_value(&product, value);
      for (int q = 0; q < PARTS; q++)
        p[q][l] = value[q];
    }
    for (int q = 0; q < PARTS; q++) {
      const T r = (T)p[q][l] * s[l];
      memcpy((char *)(uintptr_t)to->at[l] + q * (int64_t)sizeof(T), &r, sizeof r);
    }
  }
}

/* Complex numbers take two registers each: matrices of these orders would not stay in them. */
#include "backends/cpu/kernels/linalg/batch_order.h"
#ifdef COMPLEX
#define BY_ORDER(NAME, ORDER_OF_IT)                                              \
  static int64_t E(NAME)(const cpu_batch *b) { return NAME__(E(NAME), any)(b); }
#else
#define ORDER 2
#include "backends/cpu/kernels/linalg/batch_order.h"
#define ORDER 3
#include "backends/cpu/kernels/linalg/batch_order.h"
#define ORDER 4
#include "backends/cpu/kernels/linalg/batch_order.h"
#define BY_ORDER(NAME, ORDER_OF_IT)                                              \
  static int64_t E(NAME)(const cpu_batch *b)                                     \
  {                                                                              \
    switch (ORDER_OF_IT) {                                                       \
    case 2: return NAME__(E(NAME), 2)(b);                                        \
    case 3: return NAME__(E(NAME), 3)(b);                                        \
    case 4: return NAME__(E(NAME), 4)(b);                                        \
    default: return NAME__(E(NAME), any)(b);                                     \
    }                                                                            \
  }
#endif
BY_ORDER(solve, b->n)
BY_ORDER(det, b->n)
BY_ORDER(lu, b->n)
BY_ORDER(cholesky, b->n)
BY_ORDER(qr, b->m == b->n ? b->n : 0)
BY_ORDER(eigh, b->n)
BY_ORDER(svd, b->m == b->n ? b->n : 0)

#undef BY_ORDER
#undef E
#undef PARTS
#undef Z
#undef COMPLEX
