// SPDX-License-Identifier: BSD-3-Clause
/* Poisson and binomial counts; included by variates.c. L0.
 *
 * Small means by inversion, one quantity an attempt; others by a transformed uniform, two an attempt, most of which are
 * decided by comparisons: those that need a probability are gathered first. */

/* ---- inversion ---- */

/* Probabilities of 0, 1, .. of the one distribution of a run, made as far as they were needed. */
typedef struct ladder {
  int made; /* 0: the elements have distributions of their own */
  double p[LONGEST];
} ladder;

/* A lane goes on while what is left of its uniform is above the probability of K. */
HOT static int climb(int n, const double *restrict p, double *restrict left, double *restrict k)
{
  int more = 0;
  for (int j = 0; j < n; j++) {
    const int above = left[j] > p[j];
    k[j] += above ? 1.0 : 0.0;
    left[j] -= p[j]; /* not above 0 from the lane's end on */
    more |= above;
  }
  return more;
}

HOT static int climb_alike(int n, double p, double *restrict left, double *restrict k)
{
  int more = 0;
  for (int j = 0; j < n; j++) {
    const int above = left[j] > p;
    k[j] += above ? 1.0 : 0.0;
    left[j] -= p;
    more |= above;
  }
  return more;
}

#define INVERSION(name)                                                                                              \
  HOT static void name##_next_each(const trial *restrict t, int k, double *restrict p)                               \
  {                                                                                                                  \
    for (int j = 0; j < t->count; j++)                                                                               \
      p[j] = name##_next(p[j], k, t->a[j], t->b[j]);                                                                 \
  }                                                                                                                  \
  static void attempt_##name(trial *t, void *extra)                                                                  \
  {                                                                                                                  \
    ladder *all = extra;                                                                                             \
    double left[LANES];                                                                                              \
    begin_inversion(t, left);                                                                                        \
    for (int k = 0, more = 1; k < LONGEST && more; k++) {                                                            \
      if (all->made) {                                                                                               \
        if (k == all->made)                                                                                          \
          all->p[all->made++] = name##_next(all->p[k - 1], k - 1, t->a[0], t->b[0]);                                 \
        more = climb_alike(t->count, all->p[k], left, t->value);                                                     \
      } else {                                                                                                       \
        more = climb(t->count, t->c, left, t->value);                                                                \
        name##_next_each(t, k, t->c);                                                                                \
      }                                                                                                              \
    }                                                                                                                \
    for (int j = 0; j < t->count; j++)                                                                               \
      t->value[j] = left[j] > 0 ? NAN : t->value[j];                                                                 \
  }

HOT static void begin_inversion(trial *restrict t, double *restrict left)
{
  for (int j = 0; j < t->count; j++) {
    left[j] = unit_of(t->low[0][j], t->high[0][j]);
    t->value[j] = 0;
    t->used[j] = 1;
  }
}

INVERSION(poisson)
INVERSION(binomial)
#undef INVERSION

/* ---- transformed rejection ---- */

/* Of the one distribution of many runs: its hat, and logarithms of probabilities of SPAN counts about its mode (less that of the
 * mode, of a binomial one) as far as they were needed, STEP at a time. */
enum { SPAN = 512 };
typedef struct known_counts {
  bool begun;
  double a, b, c; /* parameters, as a trial's */
  hat hat;
  double first;   /* count of the first logarithm */
  bool narrow;    /* most counts are among the SPAN */
  bool made[SPAN / STEP];
  double log[SPAN];
} known_counts;

static void begin_known(known_counts *all, hat h, double mode, double a, double b, double c)
{
  all->begun = true;
  all->a = a;
  all->b = b;
  all->c = c;
  all->hat = h;
  all->first = mode > SPAN / 2 ? mode - SPAN / 2 : 0;
  all->narrow = h.b <= SPAN / 4;
  memset(all->made, 0, sizeof all->made);
}

/* Lanes of which a probability decides: bound on its logarithm, count, parameters. */
typedef struct doubtful {
  int count;
  uint16_t lane[LANES];
  double u[LANES], v[LANES], k[LANES], a[LANES], b[LANES], c[LANES];
  int take[LANES];
} doubtful;

static void doubt(int count, const uint8_t *flag, const double *u, const double *v, const double *k, doubtful *d)
{
  int n = 0;
  for (int j = 0; j < count; j++) {
    d->lane[n] = (uint16_t)j;
    n += flag[j];
  }
  d->count = n;
  for (int i = n; i < filled_up(n); i++)
    d->lane[i] = d->lane[0];
  for (int i = 0; i < filled_up(n); i++) {
    const int j = d->lane[i];
    d->u[i] = u[j];
    d->v[i] = v[j];
    d->k[i] = k[j];
  }
}

static void doubt_parameters(const trial *t, doubtful *d)
{
  for (int i = 0; i < filled_up(d->count); i++) {
    const int j = d->lane[i];
    d->a[i] = t->a[j];
    d->b[i] = t->b[j];
    d->c[i] = t->c[j];
  }
}

static void settle(trial *t, const doubtful *d)
{
  for (int i = 0; i < d->count; i++)
    if (d->take[i])
      t->value[d->lane[i]] = d->k[i];
}

/* Is the bound of lane I met by LOG? */
static inline int below_log(const doubtful *d, int i, hat h, double log)
{
  return hed__rlog(d->v[i] * h.height / (h.a / (d->u[i] * d->u[i]) + h.b)) <= log;
}

HOT static void doubtful_poissons(doubtful *restrict d)
{
  for (int i = 0; i < filled_up(d->count); i++)
    d->take[i] = below_log(d, i, poisson_hat(d->a[i]), log_poisson(d->k[i], d->a[i]));
}

HOT static void doubtful_binomials(doubtful *restrict d)
{
  for (int i = 0; i < filled_up(d->count); i++)
    d->take[i] = below_log(d, i, binomial_hat(d->a[i], d->b[i]), log_binomial(d->k[i], d->a[i], d->b[i]) - d->c[i]);
}

/* STEP logarithms from the count FIRST on. */
HOT static void know_poissons(const known_counts *restrict all, double first, double *restrict log)
{
  for (int i = 0; i < STEP; i++)
    log[i] = log_poisson(first + i, all->a);
}

HOT static void know_binomials(const known_counts *restrict all, double first, double *restrict log)
{
  for (int i = 0; i < STEP; i++)
    log[i] = log_binomial(first + i, all->a, all->b) - all->c;
}

HOT static void decide_known(doubtful *restrict d, const known_counts *restrict all, const double *restrict log)
{
  const hat h = all->hat;
  for (int i = 0; i < filled_up(d->count); i++)
    d->take[i] = below_log(d, i, h, log[i]);
}

typedef void decide_fn(doubtful *restrict d);
typedef void know_fn(const known_counts *restrict all, double first, double *restrict log);

/* Are the logarithms of all counts in doubt among ALL's? Then they come to LOG. */
static bool find_logs(const doubtful *d, known_counts *all, know_fn *know, double *log)
{
  const double first = all->first;
  if (!all->narrow)
    return false;
  for (int i = 0; i < filled_up(d->count); i++) {
    const double off = d->k[i] - first;
    if (!(off >= 0 && off < SPAN))
      return false;
    const int at = (int)off, block = at / STEP;
    if (!all->made[block]) {
      know(all, first + block * STEP, all->log + block * STEP);
      all->made[block] = true;
    }
    log[i] = all->log[at];
  }
  return true;
}

/* K by the hat about CENTRE, decided by comparisons where that is possible; FLAG: it is not. NEVER: counts that cannot be. */
#define GUESS(name, hat_of, centre, never_)                                                                          \
  static inline __attribute__((always_inline)) void name##_by(const hat *all, trial *restrict t, double *restrict us,  \
                                                              double *restrict v, double *restrict k,                \
                                                              uint8_t *restrict flag)                                \
  {                                                                                                                  \
    for (int j = 0; j < t->count; j++) {                                                                             \
      const double a = t->a[j], b = t->b[j], u = unit_of(t->low[0][j], t->high[0][j]) - 0.5;                         \
      const hat h = all ? *all : hat_of;                                                                             \
      (void)b;                                                                                                       \
      us[j] = 0.5 - fabs(u);                                                                                         \
      v[j] = unit_of(t->low[1][j], t->high[1][j]);                                                                   \
      k[j] = floor((2 * h.a / us[j] + h.b) * u + centre);                                                            \
      const int sure = (us[j] >= 0.07) & (v[j] <= h.sure), never = (us[j] <= 0) | (k[j] < 0) | (never_);             \
      t->value[j] = sure ? k[j] : NAN;                                                                               \
      t->used[j] = 2;                                                                                                \
      flag[j] = !sure & !never;                                                                                      \
    }                                                                                                                \
  }                                                                                                                  \
  HOT static void name(const hat *all, trial *restrict t, double *restrict us, double *restrict v, double *restrict k, \
                       uint8_t *restrict flag)                                                                       \
  {                                                                                                                  \
    if (all) {                                                                                                       \
      const hat h = *all;                                                                                            \
      name##_by(&h, t, us, v, k, flag);                                                                              \
    } else {                                                                                                         \
      name##_by(NULL, t, us, v, k, flag);                                                                            \
    }                                                                                                                \
  }
GUESS(try_poissons, poisson_hat(a), a + 0.43, (us[j] < 0.013) & (v[j] > us[j]))
GUESS(try_binomials, binomial_hat(a, b), a * b + 0.5, k[j] > a)
#undef GUESS

typedef void guess_fn(const hat *all, trial *restrict t, double *restrict us, double *restrict v, double *restrict k,
                      uint8_t *restrict flag);

/* What comparisons leave open DECIDE computes, for the lanes in question alone. ALL: of the one distribution that there is. */
static void attempt_by_hat(trial *t, known_counts *all, guess_fn *guess, decide_fn *decide, know_fn *know)
{
  double us[LANES], v[LANES], k[LANES], log[LANES];
  uint8_t flag[LANES];
  doubtful d;
  guess(all ? &all->hat : NULL, t, us, v, k, flag);
  doubt(t->count, flag, us, v, k, &d);
  if (all && find_logs(&d, all, know, log)) {
    decide_known(&d, all, log);
  } else {
    doubt_parameters(t, &d);
    decide(&d);
  }
  settle(t, &d);
}

static void attempt_large_poisson(trial *t, void *all)
{
  attempt_by_hat(t, all, try_poissons, doubtful_poissons, know_poissons);
}

static void attempt_large_binomial(trial *t, void *all)
{
  attempt_by_hat(t, all, try_binomials, doubtful_binomials, know_binomials);
}

/* ---- runs ---- */

/* Of the parameters of a run; KNOWN, where they are equal in all runs, else NULL. */
HOT static void none_of_poisson(int n, const double *restrict mean, double *restrict p)
{
  for (int i = 0; i < n; i++)
    p[i] = hed__rexp(-mean[i]);
}

HOT static void none_of_binomial(int n, const double *restrict trials, const double *restrict p, double *restrict odds,
                                 double *restrict none)
{
  for (int i = 0; i < n; i++) {
    odds[i] = p[i] / (1 - p[i]);
    none[i] = hed__rexp(trials[i] * hed__rlog1p(-p[i]));
  }
}

HOT static void modes(int n, const double *restrict trials, const double *restrict p, double *restrict at_mode)
{
  for (int i = 0; i < n; i++)
    at_mode[i] = log_binomial(floor((trials[i] + 1) * p[i]), trials[i], p[i]);
}

static void poissons(run *r, const double *mean, known_counts *known, double *value)
{
  uint16_t small[RUN], large[RUN];
  int smalls = 0, larges = 0;
  double none[RUN];
  const bool alike = known != NULL;
  ladder all = { .made = 0 };
  for (int i = 0; i < distinct(r, alike); i++) {
    value[i] = 0;
    if (mean[i] > 0 && mean[i] < 10)
      small[smalls++] = (uint16_t)i;
    else if (mean[i] >= 10)
      large[larges++] = (uint16_t)i;
  }
  if (alike) {
    repeat(r, alike, value);
    smalls *= r->n;
    larges *= r->n;
  }
  if (smalls > 0) {
    none_of_poisson(distinct(r, alike), mean, none);
    repeat(r, alike, none);
    all.made = alike;
    all.p[0] = none[0];
    draw(r, &(method){ .attempt = attempt_poisson, .quantities = 1, .a = mean, .c = none, .extra = &all },
         smalls == r->n ? NULL : small, smalls, value);
  }
  if (larges > 0) {
    if (alike && !known->begun)
      begin_known(known, poisson_hat(mean[0]), floor(mean[0]), mean[0], 0, 0);
    draw(r, &(method){ .attempt = attempt_large_poisson, .quantities = 2, .a = mean, .extra = known },
         larges == r->n ? NULL : large, larges, value);
  }
}

static void binomials(run *r, const double *trials, const double *given, known_counts *known, double *value)
{
  uint16_t small[RUN], large[RUN];
  int smalls = 0, larges = 0;
  double p[RUN], odds[RUN], none[RUN];
  const bool alike = known != NULL;
  ladder all = { .made = 0 };
  for (int i = 0; i < distinct(r, alike); i++) {
    value[i] = 0;
    p[i] = given[i] > 0.5 ? 1 - given[i] : given[i]; /* the other outcome is counted */
    if (trials[i] > 0 && p[i] > 0 && trials[i] * p[i] < 10)
      small[smalls++] = (uint16_t)i;
    else if (trials[i] > 0 && p[i] > 0)
      large[larges++] = (uint16_t)i;
  }
  if (alike) {
    repeat(r, alike, value);
    repeat(r, alike, p);
    smalls *= r->n;
    larges *= r->n;
  }
  if (smalls > 0) {
    none_of_binomial(distinct(r, alike), trials, p, odds, none);
    repeat(r, alike, odds);
    repeat(r, alike, none);
    all.made = alike;
    all.p[0] = none[0];
    draw(r, &(method){ .attempt = attempt_binomial, .quantities = 1, .a = trials, .b = odds, .c = none, .extra = &all },
         smalls == r->n ? NULL : small, smalls, value);
  }
  if (larges > 0) {
    if (!alike || !known->begun)
      modes(distinct(r, alike), trials, p, none);
    if (alike && !known->begun)
      begin_known(known, binomial_hat(trials[0], p[0]), floor((trials[0] + 1) * p[0]), trials[0], p[0], none[0]);
    else if (alike)
      none[0] = known->c;
    repeat(r, alike, none);
    draw(r, &(method){ .attempt = attempt_large_binomial, .quantities = 2, .a = trials, .b = p, .c = none, .extra = known },
         larges == r->n ? NULL : large, larges, value);
  }
  for (int i = 0; i < r->n; i++)
    value[i] = given[i] > 0.5 ? trials[i] - value[i] : value[i];
}
