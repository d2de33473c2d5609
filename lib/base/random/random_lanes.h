// SPDX-License-Identifier: BSD-3-Clause
/* Rejection of many elements side by side; included by variates.c. L0.
 *
 * Each element of a run has a stream of its own and knows how many quantities of it are used. An attempt is made by up to
 * HED__LANES elements at a time, each wherever its stream is; those that were rejected stay, and elements that have not
 * begun take the places of the others. So what an element gets depends on nobody else, and lanes are full but for the end
 * of a run. */

/* RUN: several arrays of as many fit a small stack. STEP: lanes are filled up to a multiple of it. */
enum { LANES = HED__LANES, RUN = 5 * LANES, STEP = 16 };

typedef struct run {
  const hed_random_params *p;
  int64_t first;
  int n;
  uint32_t used[RUN]; /* quantities of an element's stream */
} run;

/* An attempt of COUNT lanes: three quantities each (or as many as were asked for) and the parameters of their elements. */
typedef struct trial {
  int count;
  double a[LANES], b[LANES], c[LANES];
  uint32_t low[3][LANES], high[3][LANES];
  double value[LANES];   /* NAN: rejected */
  uint32_t used[LANES];  /* quantities */
} trial;

/* A way to attempt: the quantities that it may need, and its parameters of each element of a run. */
typedef struct method {
  void (*attempt)(trial *t, void *extra);
  int quantities;
  const double *a, *b, *c; /* NULL: not looked at */
  void *extra;
} method;

/* What is the same for a run, which is ALIKE then, is computed once. */
static int distinct(const run *r, bool alike) { return alike && r->n > 0 ? 1 : r->n; }

static void repeat(const run *r, bool alike, double *x)
{
  for (int i = 1; alike && i < r->n; i++)
    x[i] = x[0];
}

static inline int filled_up(int count) { return (count + STEP - 1) / STEP * STEP; }

/* Where lane K is in the stream of WHO[K] (NULL: of FROM + K): BLOCK, and in T whether at its second quantity. Is any at that? */
static inline __attribute__((always_inline)) int find_blocks(const run *restrict r, const uint16_t *restrict who, int from,
                                                             trial *restrict t, uint64_t *restrict block)
{
  uint32_t odd = 0;
  for (int k = 0; k < t->count; k++) {
    const int of = who ? who[k] : from + k;
    block[k] = ((uint64_t)(r->first + of) << HED__SUBSTREAM_BITS) + r->used[of] / 2;
    t->used[k] = r->used[of] & 1;
    odd |= t->used[k];
  }
  return (int)odd;
}

/* Their next QUANTITIES, 1 to 3; what is beyond them is undefined. */
HOT static void take_words(const run *r, const uint16_t *restrict who, int from, int quantities, trial *restrict t)
{
  uint64_t block[LANES] = { 0 };
  hed__words w, v;
  const int odd = who ? find_blocks(r, who, 0, t, block) : find_blocks(r, NULL, from, t, block);
  hed__random_words(r->p, block, t->count, &w);
  const bool again = quantities + odd > 2;
  if (again) {
    for (int k = 0; k < t->count; k++)
      block[k]++;
    hed__random_words(r->p, block, t->count, &v);
  }
  if (!odd) {
    for (int i = 0; i < 2; i++) {
      memcpy(t->low[i], w.w[2 * i], sizeof t->low[i]);
      memcpy(t->high[i], w.w[2 * i + 1], sizeof t->high[i]);
    }
    if (again) {
      memcpy(t->low[2], v.w[0], sizeof t->low[2]);
      memcpy(t->high[2], v.w[1], sizeof t->high[2]);
    }
    return;
  }
  if (!again)
    memset(&v, 0, sizeof v);
  for (int k = 0; k < t->count; k++) {
    const bool second = t->used[k] != 0;
    t->low[0][k] = second ? w.w[2][k] : w.w[0][k];
    t->high[0][k] = second ? w.w[3][k] : w.w[1][k];
    t->low[1][k] = second ? v.w[0][k] : w.w[2][k];
    t->high[1][k] = second ? v.w[1][k] : w.w[3][k];
    t->low[2][k] = second ? v.w[2][k] : v.w[0][k];
    t->high[2][k] = second ? v.w[3][k] : v.w[1][k];
  }
}

static void pick(const double *restrict from, const uint16_t *restrict who, int count, double *restrict to)
{
  for (int k = 0; from && k < count; k++)
    to[k] = from[who[k]];
}

/* An attempt of LANES elements from FROM on, which lie side by side as their lanes do. */
HOT static void attempt_row(run *restrict r, const method *m, int from, double *restrict value)
{
  trial t;
  const double *const given[] = { m->a, m->b, m->c };
  double *const own[] = { t.a, t.b, t.c };
  t.count = LANES;
  for (int i = 0; i < 3; i++)
    if (given[i])
      memcpy(own[i], given[i] + from, sizeof t.a);
  take_words(r, NULL, from, m->quantities, &t);
  m->attempt(&t, m->extra);
  memcpy(value + from, t.value, sizeof t.value);
  for (int k = 0; k < LANES; k++)
    r->used[from + k] += t.used[k];
}

/* Those of LANES elements from FROM on that were rejected go to LEFT. */
HOT static int find_rejected(int from, const double *restrict value, uint16_t *restrict left)
{
  int lefts = 0;
  for (int k = from; k < from + LANES; k++) {
    left[lefts] = (uint16_t)k;
    lefts += value[k] != value[k];
  }
  return lefts;
}

/* VALUE of the N elements in LIST (NULL: of all N of the run), each from its first attempt by M that is not rejected. */
static void draw(run *r, const method *m, const uint16_t *list, int n, double *restrict value)
{
  uint16_t who[LANES], left[RUN + 1];
  int held = 0, next = 0, lefts = 0;
  trial t;
  if (!list) {
    for (; next + LANES <= n; next += LANES) {
      attempt_row(r, m, next, value);
      lefts += find_rejected(next, value, left + lefts);
    }
    while (next < n)
      left[lefts++] = (uint16_t)next++;
    list = left;
    n = lefts;
    next = 0;
  }
  while (held > 0 || next < n) {
    while (held < LANES && next < n)
      who[held++] = list[next++];
    t.count = filled_up(held);
    for (int k = held; k < t.count; k++)
      who[k] = who[0];
    pick(m->a, who, t.count, t.a);
    pick(m->b, who, t.count, t.b);
    pick(m->c, who, t.count, t.c);
    take_words(r, who, 0, m->quantities, &t);
    m->attempt(&t, m->extra);
    int kept = 0;
    for (int k = 0; k < held; k++) {
      const uint16_t of = who[k];
      value[of] = t.value[k];
      r->used[of] += t.used[k];
      who[kept] = of;
      kept += t.value[k] != t.value[k];
    }
    held = kept;
  }
}

/* VALUE of the N elements in LIST (NULL: of all N of the run) by M, which never rejects. */
static void draw_all(run *r, const method *m, const uint16_t *list, int n, double *restrict value)
{
  int from = 0;
  for (; !list && from + LANES <= n; from += LANES)
    attempt_row(r, m, from, value);
  for (; from < n; from += LANES) {
    const int count = n - from < LANES ? n - from : LANES;
    uint16_t who[LANES];
    trial t;
    t.count = filled_up(count);
    for (int k = 0; k < t.count; k++) {
      const int at = from + (k < count ? k : 0);
      who[k] = list ? list[at] : (uint16_t)at;
    }
    pick(m->a, who, t.count, t.a);
    take_words(r, who, 0, m->quantities, &t);
    m->attempt(&t, m->extra);
    for (int k = 0; k < count; k++) {
      value[who[k]] = t.value[k];
      r->used[who[k]] += t.used[k];
    }
  }
}

static void attempt_unit(trial *t, void *extra)
{
  (void)extra;
  for (int k = 0; k < t->count; k++) {
    t->value[k] = unit_of(t->low[0][k], t->high[0][k]);
    t->used[k] = 1;
  }
}

HOT static void attempt_normal(trial *restrict t, void *extra)
{
  (void)extra;
  for (int k = 0; k < t->count; k++) {
    double z, other;
    hed__rnormal(t->low[0][k], t->high[0][k], t->low[1][k], t->high[1][k], &z, &other);
    t->value[k] = z;
    t->used[k] = 2;
  }
}
