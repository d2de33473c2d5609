// SPDX-License-Identifier: BSD-3-Clause
/*
 * Eigenvalues of Hermitian matrices and singular values by Jacobi's rotations. Part of batch_order.h. L1.
 *
 * eigh turns rows and columns p and q by an angle that makes element (p, q) 0, all pairs in turn, until each is nothing beside
 * the diagonal: |a_pq|^2 <= eps^2 |a_pp a_qq|, where LAPACK's QL iterations stop too. svd turns columns so that they become
 * orthogonal (M. R. Hestenes, J. SIAM 6, 1958), which are u's then, times singular values; of a wide matrix, its adjoint's.
 * A lane that is done is turned by 0, and so its bits do not depend on its neighbours.
 * Every instruction set; eigh and svd of batches.
 */

/* Pairs (x, y) of columns p and q: (c x - conj(s) y, s x + c y). */
typedef struct G(plane) {
  V c;
  Z back, forth; /* conj(s), -s */
} G(plane);

static ALWAYS void G(turn)(G(plane) r, Z *x, Z *y)
{
  const Z was = *x;
  *x = E(minus)(E(scaled)(was, r.c), r.back, *y);
  *y = E(minus)(E(scaled)(*y, r.c), r.forth, was);
}

/* By the angle of tangent T that element BETA (above the diagonal, of absolute value SIZE) names, where NEEDed; else by 0. */
static ALWAYS G(plane) G(plane_of)(MASK need, V t, Z beta, V size)
{
  const V c = 1 / F(root)(1 + t * t);
  const Z s = E(choose)(need, E(scaled)(E(direction)(beta, size), c * t), E(number_of)(0));
  return (G(plane)){ .c = CHOOSE(need, c, F(splat)(1)), .back = E(conjugate)(s), .forth = E(scaled)(s, F(splat)(-1)) };
}

/* ---- what both do at the end ---- */

/* By value, ascending or DESCENDING; columns A of M and V of N elements with them, where these are not NULL. */
static ALWAYS void G(sort)(const int m, const int n, bool descending, V *value, Z *a, Z *v)
{
  (void)m, (void)n;
  EACH for (int p = 0; p < N - 1; p++)
    EACH for (int q = p + 1; q < N; q++) {
      const V x = value[p], y = value[q];
      const MASK wrong = descending ? GREATER(y, x) : GREATER(x, y);
      if (F(which)(wrong) == 0)
        continue;
      value[p] = CHOOSE(wrong, y, x);
      value[q] = CHOOSE(wrong, x, y);
      EACH for (int i = 0; i < M; i++)
        if (a)
          E(swap)(wrong, &a[p * M + i], &a[q * M + i]);
      EACH for (int i = 0; i < N; i++)
        if (v)
          E(swap)(wrong, &v[p * N + i], &v[q * N + i]);
    }
}

/* Columns X of ROWS elements are turned as base/dense.h says, OTHER's of OTHERS elements with them. Zeros are positive. */
static ALWAYS void G(phases)(const int n, int rows, Z *x, int others, Z *other)
{
  const Z zero = E(number_of)(0);
  (void)n;
  for (int c = 0; c < N; c++, x += rows, other += others) {
    V size[MOST], most = { 0 };
    Z leading = E(number_of)(1);
    for (int i = 0; i < rows; i++) {
      size[i] = E(absolute)(x[i]);
      most = CHOOSE(GREATER(size[i], most), size[i], most);
    }
    const V least = most * (T)0.999;
    for (int i = rows - 1; i >= 0; i--)
      leading = E(choose)(GREATER(least, size[i]), leading, x[i]);
    const Z factor = E(conjugate)(E(direction)(leading, E(absolute)(leading)));
    MASK before = { 0 };
    for (int i = 0; i < rows; i++) {
      const Z turned = E(plus)(E(times)(x[i], factor), zero);
      const MASK small = GREATER(least, size[i]);
      x[i] = E(choose)((MASK)(small | before), turned, E(of_real)(size[i]));
      before = (MASK)(before | ~small);
    }
    for (int i = 0; i < others; i++)
      other[i] = E(plus)(E(times)(other[i], factor), zero);
  }
}

/* ---- eigh ---- */

/* One turn of each pair; whether any was not 0. D: the diagonal; A: below it; V: columns to be turned, or NULL. */
static ALWAYS bool G(sweep)(const int n, V *d, Z *a, Z *v)
{
  const V tolerance = F(splat)(EPSILON * EPSILON / 4), floor = F(splat)(NOTHING * NOTHING);
  bool turned = false;
  (void)n;
  EACH for (int p = 0; p < N - 1; p++)
    EACH for (int q = p + 1; q < N; q++) {
      const Z beta = E(conjugate)(a[q * N + p]);
      const V square = E(squared)(beta), limit = tolerance * F(size)(d[p] * d[q]);
      const MASK need = (MASK)(GREATER(square, limit) & GREATER(square, floor));
      if (F(which)(need) == 0)
        continue;
      const V size = E(absolute)(beta), t = CHOOSE(need, F(tangent)(d[q] - d[p], size), (V){ 0 });
      const G(plane) r = G(plane_of)(need, t, beta, size);
      turned = true;
      d[p] -= t * size;
      d[q] += t * size;
      a[q * N + p] = E(choose)(need, E(number_of)(0), a[q * N + p]);
      EACH for (int k = 0; k < N; k++) {
        Z x, y;
        if (k == p || k == q)
          continue;
        x = k < p ? E(conjugate)(a[p * N + k]) : a[k * N + p];
        y = k < q ? E(conjugate)(a[q * N + k]) : a[k * N + q];
        G(turn)(r, &x, &y);
        *(k < p ? &a[p * N + k] : &a[k * N + p]) = k < p ? E(conjugate)(x) : x;
        *(k < q ? &a[q * N + k] : &a[k * N + q]) = k < q ? E(conjugate)(y) : y;
      }
      EACH for (int k = 0; k < N; k++)
        if (v)
          G(turn)(r, &v[p * N + k], &v[q * N + k]);
    }
  return turned;
}

typedef struct G(rotations) {
  Z a[MOST * MOST], v[MOST * MOST];
} G(rotations);

static int64_t G(eigh)(const cpu_batch *b)
{
  const int n = (int)b->n;
  (void)n;
  WORK(G(rotations), w);
  Z *const a = w->a, *const v = w->v;
  V d[MOST], most, down;
  E(take)(N, N, &b->in[0], a);
  EACH for (int i = 0; i < N; i++) {
    a[i * N + i] = E(of_real)(E(real_part)(a[i * N + i]));
    EACH for (int j = 0; j < i; j++) {
      Z *const lower = &a[i * N + j], *const upper = &a[j * N + i];
      if (b->upper)
        *lower = E(conjugate)(*upper);
      else
        *upper = E(conjugate)(*lower);
    }
  }
  const unsigned left = E(look)(N * N, a, &most);
  const V up = F(scale)(most, &down);
  EACH for (int i = 0; i < N; i++) {
    EACH for (int j = 0; j < N; j++) {
      a[i * N + j] = E(scaled)(a[i * N + j], down);
      v[i * N + j] = E(number_of)(i == j);
    }
    d[i] = E(real_part)(a[i * N + i]);
  }
  int sweeps = 0;
  while (sweeps < SWEEPS && G(sweep)(n, d, a, b->want[1] ? v : NULL))
    sweeps++;
  G(sort)(n, n, false, d, NULL, b->want[1] ? v : NULL);
  if (b->want[0]) {
    EACH for (int i = 0; i < N; i++)
      d[i] = d[i] * up + 0;
    REAL_OF(put_any)(b->k, 1, b->count, d + b->first, &b->out[0]);
  }
  if (b->want[1]) {
    G(phases)(n, N, v, 0, v);
    if (b->k == N) {
      G(put_columns)(n, n, b->count, v, &b->out[1]);
    } else {
      const cpu_batch_side turned = E(turned)(&b->out[1]);
      E(put_any)(b->k, N, b->count, v + b->first * N, &turned);
    }
  }
  return (sweeps < SWEEPS ? left : ALL) & (ALL >> (W - b->count));
}

/* ---- svd ---- */

/* One turn of each pair of columns A; whether any was not 0. VALUE: their norms, but for what differences lose of them while
 * columns turn, which may be all. */
static ALWAYS bool G(sweep_columns)(const int m, const int n, V *value, Z *a, Z *v)
{
  const V tolerance = F(splat)((T)m * EPSILON * EPSILON), floor = F(splat)(NOTHING * NOTHING);
  V square[MOST];
  bool turned = false;
  (void)n;
  EACH for (int j = 0; j < N; j++) {
    square[j] = (V){ 0 };
    EACH for (int i = 0; i < M; i++)
      square[j] += E(squared)(a[j * M + i]);
    value[j] = F(root)(square[j]);
  }
  EACH for (int p = 0; p < N - 1; p++)
    EACH for (int q = p + 1; q < N; q++) {
      Z beta = E(number_of)(0);
      EACH for (int i = 0; i < M; i++)
        beta = E(plus)(beta, E(times)(E(conjugate)(a[p * M + i]), a[q * M + i]));
      const V both = value[p] * value[q], over = 1 / both;
      const Z cosine = E(scaled)(beta, over);
      const MASK need = (MASK)(GREATER(E(squared)(cosine), tolerance) & GREATER(both, floor));
      if (F(which)(need) == 0)
        continue;
      const V size = E(absolute)(cosine);
      const V t = CHOOSE(need, F(tangent)((square[q] - square[p]) * over, size), (V){ 0 }), change = t * size * both;
      const G(plane) r = G(plane_of)(need, t, cosine, size);
      turned = true;
      square[p] = CHOOSE(need, square[p] - change, square[p]);
      square[q] = CHOOSE(need, square[q] + change, square[q]);
      square[p] = CHOOSE(GREATER(square[p], (V){ 0 }), square[p], (V){ 0 });
      square[q] = CHOOSE(GREATER(square[q], (V){ 0 }), square[q], (V){ 0 });
      value[p] = F(root)(square[p]);
      value[q] = F(root)(square[q]);
      EACH for (int i = 0; i < M; i++)
        G(turn)(r, &a[p * M + i], &a[q * M + i]);
      EACH for (int i = 0; i < N; i++)
        if (v)
          G(turn)(r, &v[p * N + i], &v[q * N + i]);
    }
  return turned;
}

static int64_t G(svd)(const cpu_batch *b)
{
  const int m = (int)(b->m < b->n ? b->n : b->m), n = (int)(b->m < b->n ? b->m : b->n);
  (void)m, (void)n;
  const bool wide = M > N && b->m < b->n, vectors = b->want[0] || b->want[2];
  WORK(G(rotations), w);
  Z *const a = w->a, *const v = w->v;
  V value[MOST], most, down;
  if (wide) /* rows, which are the adjoint's columns but for signs of imaginary parts */
    E(take)(n, m, &b->in[0], a);
  else
    G(take_columns)(m, n, &b->in[0], a);
  unsigned left = E(look)(M * N, a, &most);
  const V up = F(scale)(most, &down);
  EACH for (int k = 0; k < M * N; k++)
    a[k] = E(scaled)(wide ? E(conjugate)(a[k]) : a[k], down);
  EACH for (int k = 0; k < N * N; k++)
    v[k] = E(number_of)(k % (N + 1) == 0);
  int sweeps = 0;
  while (sweeps < SWEEPS && G(sweep_columns)(m, n, value, a, vectors ? v : NULL))
    sweeps++;
  G(sort)(m, n, true, value, vectors ? a : NULL, vectors ? v : NULL);
  if (vectors) {
    EACH for (int j = 0; j < N; j++) {
      const V inverse = 1 / value[j];
      left |= ~F(which)(GREATER(value[j], F(splat)(NOTHING)));
      EACH for (int i = 0; i < M; i++)
        a[j * M + i] = E(scaled)(a[j * M + i], inverse);
    }
    Z *const u = wide ? v : a, *const right = wide ? a : v;
    const int length = wide ? N : M, others = wide ? M : N;
    G(phases)(n, length, u, others, right);
    if (b->want[0])
      G(put_columns)(length, n, b->count, u, &b->out[0]);
    EACH for (int k = 0; k < N * others; k++)
      right[k] = E(plus)(E(conjugate)(right[k]), E(number_of)(0));
    if (b->want[2])
      E(put)(N, others, b->count, right, &b->out[2]);
  }
  if (b->want[1]) {
    EACH for (int j = 0; j < N; j++)
      value[j] = value[j] * up;
    REAL_OF(put_any)(N, 1, b->count, value, &b->out[1]);
  }
  return (sweeps < SWEEPS ? left : ALL) & (ALL >> (W - b->count));
}
