// SPDX-License-Identifier: BSD-3-Clause
/*
 * QR factors by Householder's reflections. Part of batch_order.h. L1.
 *
 * A column is reflected as if it were scaled to about 1 by a power of two, so that squares of its elements stay in range. Rows of
 * r and columns of q are turned at the end, for r's diagonal to be real and not negative.
 * Every instruction set; qr of batches.
 */

#ifdef ORDER
#define K ORDER
#define COLUMNS ORDER
#else
#define K k
#define COLUMNS all
#endif

/* Rows FROM on of column X: x -= beta v v^H x. */
static ALWAYS void G(reflect)(const int m, int from, const Z *v, V beta, Z *x)
{
  (void)m;
  Z sum = E(number_of)(0);
  EACH for (int i = from; i < M; i++)
    sum = E(plus)(sum, E(times)(E(conjugate)(v[i]), x[i]));
  sum = E(scaled)(sum, beta);
  EACH for (int i = from; i < M; i++)
    x[i] = E(minus)(x[i], v[i], sum);
}

typedef struct G(reflections) {
  Z a[MOST * MOST], v[MOST * MOST]; /* r above the diagonal; vectors from it on */
  Z turn[MOST];                     /* what r's diagonal was turned back by */
  V beta[MOST], diagonal[MOST];
} G(reflections);

typedef struct G(qr_work) {
  G(reflections) h;
  Z part[MOST * MOST];
} G(qr_work);

static ALWAYS void G(triangle)(const int m, const int n, const int k, G(reflections) *h)
{
  (void)m, (void)n, (void)k;
  EACH for (int j = 0; j < K; j++) {
    Z *const x = h->a + j * M, *const v = h->v + j * M;
    V most = { 0 }, down, squares = { 0 };
    EACH for (int i = j; i < M; i++) {
      const V size = E(size)(x[i]);
      most = CHOOSE(GREATER(size, most), size, most);
    }
    const V up = F(scale)(most, &down);
    EACH for (int i = j; i < M; i++) {
      v[i] = E(scaled)(x[i], down);
      squares += E(squared)(v[i]);
    }
    const V norm = F(root)(squares), first = E(absolute)(v[j]);
    const MASK alive = GREATER(norm, (V){ 0 }), turned = GREATER(first, (V){ 0 });
    const Z one = E(number_of)(1), to = E(choose)(turned, E(direction)(v[j], first), one);
    v[j] = E(plus)(v[j], E(scaled)(to, norm));
    h->beta[j] = CHOOSE(alive, 1 / (norm * (norm + first)), (V){ 0 });
    h->turn[j] = E(choose)(alive, E(scaled)(to, F(splat)(-1)), one);
    h->diagonal[j] = norm * up;
    EACH for (int c = j + 1; c < N; c++)
      G(reflect)(m, j, v, h->beta[j], h->a + c * M);
  }
}

static int64_t G(qr)(const cpu_batch *b)
{
  const int m = (int)b->m, n = (int)b->n, k = m < n ? m : n, all = b->complete ? m : k;
  const Z zero = E(number_of)(0), one = E(number_of)(1);
  (void)m, (void)n, (void)k, (void)all;
  WORK(G(qr_work), w);
  G(reflections) *const h = &w->h;
  Z *const part = w->part;
  V most;
  G(take_columns)(m, n, &b->in[0], h->a);
  const unsigned left = E(look)(M * N, h->a, &most);
  G(triangle)(m, n, k, h);
  if (b->want[1]) {
    EACH for (int j = 0; j < N; j++)
      EACH for (int i = 0; i < COLUMNS; i++)
        part[i * N + j] = i < j && i < K ? E(plus)(E(times)(E(conjugate)(h->turn[i]), h->a[j * M + i]), zero)
                                         : i == j ? E(of_real)(h->diagonal[i]) : zero;
    E(put)(COLUMNS, N, b->count, part, &b->out[1]);
  }
  if (b->want[0]) {
    EACH for (int c = 0; c < COLUMNS; c++)
      EACH for (int i = 0; i < M; i++)
        part[c * M + i] = i == c ? one : zero;
    EACH for (int j = K - 1; j >= 0; j--)
      EACH for (int c = j; c < COLUMNS; c++)
        G(reflect)(m, j, h->v + j * M, h->beta[j], part + c * M);
    EACH for (int c = 0; c < K; c++)
      EACH for (int i = 0; i < M; i++)
        part[c * M + i] = E(plus)(E(times)(part[c * M + i], h->turn[c]), zero);
    G(put_columns)(m, all, b->count, part, &b->out[0]);
  }
  return left & (ALL >> (W - b->count));
}

#undef K
#undef COLUMNS
