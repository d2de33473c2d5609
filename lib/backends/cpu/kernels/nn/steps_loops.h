// SPDX-License-Identifier: BSD-3-Clause
/*
 * Text of steps.c for a type, of which PICK takes what is float's or double's.
 *
 * Loops are over short rows that stay in the first cache, one function each, so that the compiler makes vectors of them.
 */

/* o = sigmoid(x + y) */
INLINE void OF(sigmoids)(int64_t n, T *o, const T *x, const T *y)
{
  const T most = PICK(80.0f, 700.0);
  for (; n > 0; n -= MATH_BLOCK, o += MATH_BLOCK, x += MATH_BLOCK, y += MATH_BLOCK) {
    const int64_t m = n < MATH_BLOCK ? n : MATH_BLOCK;
    T at[MATH_BLOCK];
    int far = 0;
    IVDEP for (int64_t i = 0; i < m; i++)
      at[i] = x[i] + y[i];
    for (int64_t i = 0; i < m; i++)
      far |= !((at[i] >= -most) & (at[i] <= most));
    if (far)
      IVDEP for (int64_t i = 0; i < m; i++)
        o[i] = OF(sigmoid)(at[i]);
    else
      IVDEP for (int64_t i = 0; i < m; i++)
        o[i] = OF(sigmoid_near)(at[i]);
  }
}

/* ---- LSTM: gates i f g o, then c' and h' ---- */

static void OF(lstm)(const cpu_step_row *r)
{
  const int64_t n = r->n, p = r->plane;
  const T *x = r->in[0], *y = r->in[1], *c = r->in[2];
  T *out = r->out, *f = out + p, *g = out + 2 * p, *o = out + 3 * p, *c1 = out + 4 * p, *h1 = out + 5 * p;
  OF(sigmoids)(n, out, x, y);
  OF(sigmoids)(n, f, x + n, y + n);
  IVDEP for (int64_t k = 0; k < n; k++)
    g[k] = OF(tanh)(x[2 * n + k] + y[2 * n + k]);
  OF(sigmoids)(n, o, x + 3 * n, y + 3 * n);
  IVDEP for (int64_t k = 0; k < n; k++) {
    const T kept = f[k] * c[k], taken = out[k] * g[k], next = kept + taken;
    c1[k] = next;
    h1[k] = o[k] * OF(tanh)(next);
  }
}

/* In are the step's planes, c, dh, dc; out the gradients of the gates and of c. */
static void OF(lstm_back)(const cpu_step_row *r)
{
  const int64_t n = r->n, p = r->plane;
  const T *i = r->in[0], *f = i + p, *g = i + 2 * p, *o = i + 3 * p, *c1 = i + 4 * p, *c = r->in[1], *dh = r->in[2], *dc = r->in[3];
  T *di = r->out, *df = di + n, *dg = di + 2 * n, *d_o = di + 3 * n, *dc0 = di + 4 * n;
  IVDEP for (int64_t k = 0; k < n; k++) {
    const T t = OF(tanh)(c1[k]), d = dc[k] + dh[k] * o[k] * (1 - t * t);
    di[k] = d * g[k] * (i[k] * (1 - i[k]));
    df[k] = d * c[k] * (f[k] * (1 - f[k]));
    dg[k] = d * i[k] * (1 - g[k] * g[k]);
    d_o[k] = dh[k] * t * (o[k] * (1 - o[k]));
    dc0[k] = d * f[k];
  }
}

/* ---- GRU: r z n, what r multiplies, h' ---- */

static void OF(gru)(const cpu_step_row *r)
{
  const int64_t n = r->n, p = r->plane;
  const T *x = r->in[0], *y = r->in[1], *b = r->in[2], *h = r->in[3];
  T *reset = r->out, *z = reset + p, *fresh = reset + 2 * p, *q = reset + 3 * p, *h1 = reset + 4 * p;
  OF(sigmoids)(n, reset, x, y);
  OF(sigmoids)(n, z, x + n, y + n);
  IVDEP for (int64_t k = 0; k < n; k++) {
    const T with = b ? y[2 * n + k] + b[k] : y[2 * n + k], t = OF(tanh)(x[2 * n + k] + reset[k] * with);
    q[k] = with;
    fresh[k] = t;
    h1[k] = t + z[k] * (h[k] - t);
  }
}

/* In are the step's planes, h, dh; out the gradients of x's part, of y's, and of h but for the product. */
static void OF(gru_back)(const cpu_step_row *r)
{
  const int64_t n = r->n, p = r->plane;
  const T *reset = r->in[0], *z = reset + p, *t = reset + 2 * p, *q = reset + 3 * p, *h = r->in[1], *dh = r->in[2];
  T *out = r->out;
  IVDEP for (int64_t k = 0; k < n; k++) {
    const T dt = dh[k] * (1 - z[k]) * (1 - t[k] * t[k]);
    const T dr = dt * q[k] * (reset[k] * (1 - reset[k])), dz = dh[k] * (h[k] - t[k]) * (z[k] * (1 - z[k]));
    out[k] = dr;
    out[n + k] = dz;
    out[2 * n + k] = dt;
    out[3 * n + k] = dr;
    out[4 * n + k] = dz;
    out[5 * n + k] = dt * reset[k];
    out[6 * n + k] = dh[k] * z[k];
  }
}

/* ---- synapses ---- */

/* sigmoid(sigma (v - mu)) of M neurons at most MATH_BLOCK */
INLINE void OF(opened)(int64_t m, T *s, const T *v, const T *sigma, const T *mu)
{
  const T most = PICK(80.0f, 700.0);
  int far = 0;
  IVDEP for (int64_t k = 0; k < m; k++) {
    const T x = sigma[k] * (v[k] - mu[k]);
    far |= !((x >= -most) & (x <= most));
    s[k] = OF(sigmoid_near)(x);
  }
  if (far)
    IVDEP for (int64_t k = 0; k < m; k++)
      s[k] = OF(sigmoid)(sigma[k] * (v[k] - mu[k]));
}

/* The order of sums: LANES next to each other, then halves, with every instruction set. */
enum { OF(LANES) = 64 / sizeof(T) };
typedef T OF(whole_lanes) __attribute__((vector_size(64), aligned(sizeof(T)), may_alias));
typedef T OF(half_lanes) __attribute__((vector_size(32), aligned(sizeof(T)), may_alias));
typedef T OF(quarter_lanes) __attribute__((vector_size(16), aligned(sizeof(T)), may_alias));

INLINE T OF(total)(OF(whole_lanes) v)
{
  OF(half_lanes) half[2];
  OF(quarter_lanes) quarter[2];
  memcpy(half, &v, sizeof half);
  const OF(half_lanes) sum = half[0] + half[1];
  memcpy(quarter, &sum, sizeof quarter);
  const OF(quarter_lanes) q = quarter[0] + quarter[1];
  return PICK((q[0] + q[2]) + (q[1] + q[3]), q[0] + q[1]);
}

/* Of M elements from A and B with OPEN, the lanes of both sums. */
INLINE void OF(add_products)(int64_t m, const T *open, const T *a, const T *b, OF(whole_lanes) *sums)
{
  int64_t k = 0;
  OF(whole_lanes) x = sums[0], y = sums[1];
  for (; k + OF(LANES) <= m; k += OF(LANES)) {
    const OF(whole_lanes) s = *(const OF(whole_lanes) *)(open + k);
    x += s * *(const OF(whole_lanes) *)(a + k);
    y += s * *(const OF(whole_lanes) *)(b + k);
  }
  for (int l = 0; k + l < m; l++) {
    x[l] += open[k + l] * a[k + l];
    y[l] += open[k + l] * b[k + l];
  }
  sums[0] = x;
  sums[1] = y;
}

static void OF(synapses)(const cpu_synapses *s, int64_t begin, int64_t end)
{
  const int64_t n = s->n;
  T open[MATH_BLOCK];
  for (int64_t row = begin; row < end; row++)
    for (int64_t t = 0; t < s->targets; t++) {
      const T *v = (const T *)s->v + row * s->v_step, *p[4];
      OF(whole_lanes) sums[2] = { { 0 } };
      for (int k = 0; k < 4; k++)
        p[k] = (const T *)s->synapse[k] + t * n;
      for (int64_t from = 0; from < n; from += MATH_BLOCK) {
        const int64_t m = n - from < MATH_BLOCK ? n - from : MATH_BLOCK;
        OF(opened)(m, open, v + from, p[0] + from, p[1] + from);
        OF(add_products)(m, open, p[2] + from, p[3] + from, sums);
      }
      T *out = (T *)s->out + row * s->targets + t;
      out[0] = OF(total)(sums[0]);
      out[s->rows * s->targets] = OF(total)(sums[1]);
    }
}

/* Sums over rows go on in the results, those over targets in V's: M neurons of one target and row. */
INLINE void OF(synapse_row)(int64_t m, const T *open, const T *v, const T *const *p, T *const *g, T *dv, T dw,
                            T dwe)
{
  const T *sigma = p[0], *mu = p[1], *w = p[2], *we = p[3];
  T *gs = g[0], *gm = g[1], *gw = g[2], *gwe = g[3];
  IVDEP for (int64_t k = 0; k < m; k++) {
    const T s = open[k], slope = OF(ma)(dwe, we[k], dw * w[k]) * (s * (1 - s));
    gs[k] = OF(ma)(slope, v[k] - mu[k], gs[k]);
    gm[k] += slope;
    gw[k] = OF(ma)(dw, s, gw[k]);
    gwe[k] = OF(ma)(dwe, s, gwe[k]);
    dv[k] = OF(ma)(slope, sigma[k], dv[k]);
  }
}

static void OF(synapses_back)(const cpu_synapses *s, int64_t begin, int64_t end)
{
  const int64_t n = s->n, targets = s->targets;
  T open[MATH_BLOCK], *const out = s->out, *const dv = out + 4 * targets * n;
  for (int64_t from = begin; from < end; from += MATH_BLOCK) {
    const int64_t m = end - from < MATH_BLOCK ? end - from : MATH_BLOCK;
    for (int64_t row = 0; row < s->rows; row++)
      memset(dv + row * n + from, 0, (size_t)m * sizeof *dv);
    for (int64_t t = 0; t < targets; t++) {
      const T *p[4];
      T *g[4];
      for (int k = 0; k < 4; k++) {
        p[k] = (const T *)s->synapse[k] + t * n + from;
        g[k] = out + (k * targets + t) * n + from;
        memset(g[k], 0, (size_t)m * sizeof *dv);
      }
      for (int64_t row = 0; row < s->rows; row++) {
        const T *v = (const T *)s->v + row * s->v_step + from, *d = (const T *)s->d + row * targets + t;
        OF(opened)(m, open, v, p[0], p[1]);
        OF(synapse_row)(m, open, v, p, g, dv + row * n + from, d[0], d[s->rows * targets]);
      }
      IVDEP for (int64_t k = 0; k < m; k++)
        g[1][k] *= -p[0][k];
    }
  }
}
