// SPDX-License-Identifier: BSD-3-Clause
/*
 * The algorithms of batch_number.h for matrices of one ORDER, in registers as far as they go; without ORDER for those of any, in
 * memory. L1.
 * Every instruction set.
 */
#ifdef ORDER
#define G(a) NAME__(E(a), ORDER)
#define M ORDER
#define N ORDER
#define MOST ORDER
#define EACH UNROLL
#define WORK(T, NAME) T NAME##_here, *const NAME = &NAME##_here
#else
#define G(a) NAME__(E(a), any)
#define M m
#define N n
#define MOST CPU_BATCH_ORDER
#define EACH
#define WORK(T, NAME)                                                       \
  _Static_assert(sizeof(T) <= CPU_BATCH_ROOM, "more than the room has");    \
  T *const NAME = b->room
#endif

/* What became of a matrix: l below the diagonal of A, u from it on. */
typedef struct G(factors) {
  Z a[MOST * MOST], inverse[MOST];
  MASK exchange[MOST][MOST], odd_rows; /* [j][i]: step j exchanged rows i and j; an odd number of exchanges */
  unsigned zero[MOST];                 /* lanes whose pivot is 0 */
  bool odd;                            /* some pivot has no inverse that serves */
} G(factors);

static ALWAYS void G(eliminate)(const int n, G(factors) *f)
{
  (void)n;
  Z *const a = f->a;
  f->odd = false;
  f->odd_rows = (MASK){ 0 };
  EACH for (int j = 0; j < N; j++) {
    MASK *const m = f->exchange[j], later = { 0 };
    V most = E(size)(a[j * N + j]);
    EACH for (int i = j + 1; i < N; i++) {
      const V x = E(size)(a[i * N + j]);
      m[i] = GREATER(x, most);
      most = CHOOSE(m[i], x, most);
    }
    EACH for (int i = N - 1; i > j; i--) {
      m[i] = (MASK)(m[i] & ~later);
      later = (MASK)(later | m[i]);
      EACH for (int c = 0; c < N; c++)
        E(swap)(m[i], &a[i * N + c], &a[j * N + c]);
    }
    f->odd_rows = (MASK)(f->odd_rows ^ later);
    const Z d = a[j * N + j];
    const MASK alive = GREATER(most, (V){ 0 }), odd = E(odd)(most);
    f->inverse[j] = E(inverse)(d);
    f->zero[j] = 0;
    if (__builtin_expect(F(which)(odd) != 0, 0)) { /* NaN is neither */
      f->odd = true;
      f->zero[j] = F(which)(odd) & ~F(which)(alive);
      EACH for (int i = j + 1; i < N; i++) {
        const Z x = a[i * N + j], factor = E(over)(x, d, f->inverse[j], true);
        a[i * N + j] = E(choose)(alive, factor, x);
        EACH for (int c = j + 1; c < N; c++)
          a[i * N + c] = E(choose)(alive, E(minus)(a[i * N + c], factor, a[j * N + c]), a[i * N + c]);
      }
      continue;
    }
    EACH for (int i = j + 1; i < N; i++) {
      const Z factor = a[i * N + j] = E(times)(a[i * N + j], f->inverse[j]);
      EACH for (int c = j + 1; c < N; c++)
        a[i * N + c] = E(minus)(a[i * N + c], factor, a[j * N + c]);
    }
  }
}

static ALWAYS void G(rows)(const int n, const G(factors) *f, Z *x)
{
  (void)n;
  EACH for (int j = 0; j < N; j++)
    EACH for (int i = N - 1; i > j; i--)
      E(swap)(f->exchange[j][i], &x[i], &x[j]);
}

/* RIGHT (N x K) becomes the solution. */
#ifdef ORDER
static ALWAYS void G(columns)(const int n, int k, const G(factors) *f, Z *right)
{
  for (int c = 0; c < k; c++) {
    Z x[MOST];
    EACH for (int i = 0; i < N; i++)
      x[i] = right[i * k + c];
    G(rows)(n, f, x);
    EACH for (int i = 1; i < N; i++)
      EACH for (int j = 0; j < i; j++)
        x[i] = E(minus)(x[i], f->a[i * N + j], x[j]);
    EACH for (int i = N - 1; i >= 0; i--) {
      EACH for (int j = i + 1; j < N; j++)
        x[i] = E(minus)(x[i], f->a[i * N + j], x[j]);
      x[i] = E(over)(x[i], f->a[i * N + i], f->inverse[i], f->odd);
    }
    EACH for (int i = 0; i < N; i++)
      right[i * k + c] = x[i];
  }
}
#else
static ALWAYS void G(columns)(const int n, int k, const G(factors) *f, Z *right)
{
  for (int j = 0; j < n; j++)
    for (int i = n - 1; i > j; i--)
      for (int c = 0; c < k; c++)
        E(swap)(f->exchange[j][i], &right[i * k + c], &right[j * k + c]);
  for (int i = 1; i < n; i++)
    for (int j = 0; j < i; j++)
      E(less)(k, f->a[i * n + j], right + j * k, right + i * k);
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++)
      E(less)(k, f->a[i * n + j], right + j * k, right + i * k);
    for (int c = 0; c < k; c++)
      right[i * k + c] = E(over)(right[i * k + c], f->a[i * n + i], f->inverse[i], f->odd);
  }
}
#endif

typedef struct G(solution) {
  G(factors) f;
  Z right[MOST * CPU_BATCH_ORDER];
} G(solution);

static int64_t G(solve)(const cpu_batch *b)
{
  const int n = (int)b->n, k = (int)b->k;
  WORK(G(solution), s);
  unsigned failed = 0;
  E(take)(N, N, &b->in[0], s->f.a);
  G(eliminate)(n, &s->f);
  for (int j = 0; j < N; j++)
    failed |= s->f.zero[j];
  if ((failed &= ALL >> (W - b->count)))
    return first_failed(failed, s->f.zero);
  E(take)(N, k, &b->in[1], s->right);
  G(columns)(n, k, &s->f, s->right);
  E(put)(N, k, b->count, s->right, &b->out[0]);
  return -1;
}

static ALWAYS V G(sign)(const G(factors) *f) { return CHOOSE(f->odd_rows, F(splat)(-1), F(splat)(1)); }

static int64_t G(det)(const cpu_batch *b)
{
  const int n = (int)b->n;
  WORK(G(factors), f);
  Z d[MOST];
  E(take)(N, N, &b->in[0], f->a);
  G(eliminate)(n, f);
  EACH for (int j = 0; j < N; j++)
    d[j] = f->a[j * (N + 1)];
  E(products)(N, b->count, d, G(sign)(f), &b->out[0]);
  return -1;
}

typedef struct G(parts) {
  G(factors) f;
  Z part[MOST * MOST];
} G(parts);

static int64_t G(lu)(const cpu_batch *b)
{
  const int n = (int)b->n;
  WORK(G(parts), w);
  G(factors) *const f = &w->f;
  Z *const part = w->part;
  V order[MOST];
  Z perm[MOST];
  E(take_any)(N, N, &b->in[0], f->a);
  G(eliminate)(n, f);
  if (b->want[0]) {
    EACH for (int i = 0; i < N; i++)
      perm[i] = E(number_of)((T)i);
    G(rows)(n, f, perm);
    for (int i = 0; i < N; i++)
      order[i] = E(real_part)(perm[i]);
    for (int64_t l = 0; l < b->count; l++)
      for (int i = 0; i < N; i++) {
        const int64_t row = (int64_t)order[i][l];
        memcpy((char *)(uintptr_t)b->out[0].at[l] + i * b->out[0].row, &row, sizeof row);
      }
  }
  if (b->want[1]) {
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        part[i * N + j] = i > j ? f->a[i * N + j] : E(number_of)(i == j);
    E(put_any)(N, N, b->count, part, &b->out[1]);
  }
  if (b->want[2]) {
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        part[i * N + j] = i <= j ? f->a[i * N + j] : E(number_of)(0);
    E(put_any)(N, N, b->count, part, &b->out[2]);
  }
  if (b->want[3]) {
    part[0] = E(scaled)(E(number_of)(1), G(sign)(f));
    E(put_any)(1, 1, b->count, part, &b->out[3]);
  }
  return -1;
}

typedef struct G(square) {
  Z a[MOST * MOST];
} G(square);

static int64_t G(cholesky)(const cpu_batch *b)
{
  const int n = (int)b->n;
  WORK(G(square), w);
  Z *const a = w->a;
  unsigned bad[MOST], failed = 0;
  (void)n;
  E(take)(N, N, &b->in[0], a);
  EACH for (int j = 0; j < N; j++) {
    V sum = E(real_part)(a[j * N + j]);
    EACH for (int k = 0; k < j; k++)
      sum -= E(squared)(a[j * N + k]);
    bad[j] = ~F(which)(GREATER(sum, (V){ 0 }));
    failed |= bad[j];
    const V d = F(root)(sum), inverse = 1 / d;
    a[j * N + j] = E(scaled)(E(number_of)(1), d);
    EACH for (int i = j + 1; i < N; i++) {
      Z rest = a[i * N + j];
      EACH for (int k = 0; k < j; k++)
        rest = E(minus)(rest, a[i * N + k], E(conjugate)(a[j * N + k]));
      a[i * N + j] = E(scaled)(rest, inverse);
      a[j * N + i] = E(number_of)(0);
    }
  }
  if ((failed &= ALL >> (W - b->count)))
    return first_failed(failed, bad);
  E(put)(N, N, b->count, a, &b->out[0]);
  return -1;
}

#include "backends/cpu/kernels/linalg/batch_columns.h"
#include "backends/cpu/kernels/linalg/batch_qr.h"
#include "backends/cpu/kernels/linalg/batch_jacobi.h"

#undef G
#undef M
#undef N
#undef MOST
#undef EACH
#undef WORK
#undef ORDER
