// SPDX-License-Identifier: BSD-3-Clause
/*
 * Small pieces of factorisations in one type; lu.c includes this once per type with T (the element), I (an integer as
 * large), S (its suffix), ABS and LEAST (the smallest number whose inverse is finite) defined. L1.
 *
 * A panel is brought together, so that a row is one vector: eliminating a column is then a multiplication and a subtraction
 * of vectors for each row.
 * Every instruction set; panels by rows, chosen by linalg/lapack_lu.c.
 */
#define NAME_(a, b) a##_##b
#define NAME__(a, b) NAME_(a, b)
#define F(a) NAME__(a, S)
#define V F(row)

typedef T F(row) __attribute__((vector_size(CPU_LU_WIDE * sizeof(T))));
typedef I F(mask) __attribute__((vector_size(CPU_LU_WIDE * sizeof(T))));

static ALWAYS V F(get)(const T *p)
{
  V v;
  memcpy(&v, p, sizeof v);
  return v;
}

static int64_t F(panel)(int64_t m, int64_t n, void *matrix, int64_t lda, int64_t *pivot, void *work)
{
  enum { W = CPU_LU_WIDE };
  T *a = matrix, *w = work;
  int64_t zero = n;
  for (int64_t i = 0; i < m; i++) {
    T *row = w + i * W;
    for (int64_t j = 0; j < n; j++)
      row[j] = a[i * lda + j];
    for (int64_t j = n; j < W; j++)
      row[j] = 0;
  }
  for (int64_t j = 0; j < n && j < m; j++) {
    int64_t at = j;
    T most = ABS(w[j * W + j]);
    for (int64_t i = j + 1; i < m; i++) {
      const T x = ABS(w[i * W + j]);
      if (x > most) {
        most = x;
        at = i;
      }
    }
    pivot[j] = at;
    const V top = F(get)(w + at * W), old = F(get)(w + j * W);
    memcpy(w + at * W, &old, sizeof old);
    memcpy(w + j * W, &top, sizeof top);
    if (top[j] == 0) {
      zero = j < zero ? j : zero;
      continue;
    }
    F(mask) here = { 0 }, behind = { 0 };
    here[j] = -1;
    for (int64_t q = j + 1; q < W; q++)
      behind[q] = -1;
    const V right = (V)((F(mask))top & behind);
    const T d = top[j], inverse = 1 / d;
    const bool tiny = ABS(d) < LEAST;
    for (int64_t i = j + 1; i < m; i++) {
      const V x = F(get)(w + i * W);
      const T factor = tiny ? x[j] / d : x[j] * inverse;
      const V all = factor - (V){ 0 }, left = x - all * right;
      const F(mask) result = ((F(mask))left & ~here) | ((F(mask))all & here);
      memcpy(w + i * W, &result, sizeof result);
    }
  }
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++)
      a[i * lda + j] = w[i * W + j];
  return zero;
}

/* y -= factor x */
static ALWAYS void F(less)(int64_t n, T factor, const T *x, T *y)
{
  IVDEP
  for (int64_t c = 0; c < n; c++)
    y[c] -= factor * x[c];
}

static void F(lower)(int64_t m, int64_t n, const void *matrix, int64_t ldl, void *to, int64_t ldb)
{
  const T *l = matrix;
  T *b = to;
  for (int64_t i = 1; i < m; i++)
    for (int64_t j = 0; j < i; j++)
      F(less)(n, l[i * ldl + j], b + j * ldb, b + i * ldb);
}

static void F(upper)(int64_t m, int64_t n, const void *matrix, int64_t ldu, void *to, int64_t ldb)
{
  const T *u = matrix;
  T *b = to;
  for (int64_t i = m - 1; i >= 0; i--) {
    for (int64_t j = i + 1; j < m; j++)
      F(less)(n, u[i * ldu + j], b + j * ldb, b + i * ldb);
    const T d = u[i * ldu + i];
    for (int64_t c = 0; c < n; c++)
      b[i * ldb + c] /= d;
  }
}

#undef NAME_
#undef NAME__
#undef F
#undef V
#undef T
#undef I
#undef S
#undef ABS
#undef LEAST
