// SPDX-License-Identifier: BSD-3-Clause
/* Trains and rings by iteration: functions whose ranks are known, planted tensors of which a part is known, planted rings; errors
 * that never rise; what seeds, callbacks and cancellation do.
 */
#include "arrays.h"
#include "dense.h"
#include <heddle/kits/tensor_train_fit.h>

/* ---- maxvol ---- */

static double volume(const double *a, int r, const int64_t *rows)
{
  double m[8][8], det = 1;
  for (int i = 0; i < r; i++)
    for (int j = 0; j < r; j++)
      m[i][j] = a[rows[i] * r + j];
  for (int k = 0; k < r; k++) {
    int best = k;
    for (int i = k; i < r; i++)
      best = fabs(m[i][k]) > fabs(m[best][k]) ? i : best;
    for (int j = 0; j < r; j++) {
      const double t = m[k][j];
      m[k][j] = m[best][j];
      m[best][j] = t;
    }
    det *= m[k][k];
    for (int i = k + 1; i < r; i++)
      for (int j = r; j-- > k;)
        m[i][j] -= m[i][k] / m[k][k] * m[k][j];
  }
  return fabs(det);
}

/* No exchange of one row makes the volume much larger. */
static void maximal(gen *g, const char *backend)
{
  for (int n = scaled(20); n-- > 0;) {
    const int r = (int)gen_int(g, 1, 6), m = (int)gen_int(g, r, 25);
    double a[25 * 6];
    int64_t rows[6];
    hed_array *x = random_array(g, HED_SHAPE(m, r), HED_FLOAT32);
    cplx *v = tensor_elements(x);
    for (int i = 0; i < m * r; i++)
      a[i] = creal(v[i]);
    hed_array *got = hed_maxvol(x);
    bool right = got && hed_to_host(got, rows, (size_t)r * sizeof *rows) == HED_OK;
    const double best = right ? volume(a, r, rows) : 0;
    for (int i = 0; right && i < r; i++)
      for (int64_t k = 0; k < m; k++) {
        int64_t other[6];
        memcpy(other, rows, sizeof other);
        other[i] = k;
        right &= volume(a, r, other) <= best * 1.051;
      }
    ok(right, "%d of %d rows on %s", r, m, backend);
    RELEASE(got, x);
    free(v);
  }
}

/* ---- cross ---- */

/* sin of the sum: ranks 2. A sum of products with known ranks; a rational function whose ranks decay. */
static hed_status sine(void *arg, int64_t n, const int64_t *indices, double *values)
{
  const int d = *(int *)arg;
  for (int64_t i = 0; i < n; i++) {
    double x = 0;
    for (int k = 0; k < d; k++)
      x += 0.3 * (double)indices[i * d + k];
    values[i] = sin(x);
  }
  return HED_OK;
}

static hed_status hilbert(void *arg, int64_t n, const int64_t *indices, double *values)
{
  const int d = *(int *)arg;
  for (int64_t i = 0; i < n; i++) {
    double x = 1;
    for (int k = 0; k < d; k++)
      x += (double)indices[i * d + k];
    values[i] = 1 / x;
  }
  return HED_OK;
}

static hed_status nowhere(void *arg, int64_t n, const int64_t *indices, double *values)
{
  (void)arg;
  (void)indices;
  memset(values, 0, (size_t)n * sizeof *values);
  return HED_OK;
}

static hed_status refuses(void *arg, int64_t n, const int64_t *indices, double *values)
{
  (void)arg;
  (void)n;
  (void)indices;
  (void)values;
  return hed_fail(HED_E_LIMIT, "refuses: no more");
}

static hed_status infinite(void *arg, int64_t n, const int64_t *indices, double *values)
{
  (void)arg;
  (void)indices;
  for (int64_t i = 0; i < n; i++)
    values[i] = INFINITY;
  return HED_OK;
}

static int calls;

static int count(void *arg, const hed_sweep *now)
{
  calls++;
  return now->sweep == *(int64_t *)arg;
}

/* Largest difference at random places, over the function's largest value there. */
static double off_by(gen *g, const hed_tt *t, hed_tt_function f, void *arg, hed_shape s)
{
  enum { N = 500 };
  int64_t *indices = malloc(sizeof *indices * N * (size_t)s.ndim);
  double truth[N], got[N], worst = 0, most = 0;
  for (int i = 0; i < N * s.ndim; i++)
    indices[i] = gen_int(g, 0, s.dim[i % s.ndim] - 1);
  if (f(arg, N, indices, truth) != HED_OK)
    bail("no truth");
  hed_array *at = hed_from_host(indices, HED_SHAPE(N, s.ndim), HED_INT64), *v = hed_tt_entries(t, at);
  if (!v || hed_tolist(v, got, N) != HED_OK)
    bail("no entries: %s", hed_error_text());
  for (int i = 0; i < N; i++) {
    worst = fmax(worst, fabs(truth[i] - got[i]));
    most = fmax(most, fabs(truth[i]));
  }
  RELEASE(at, v);
  free(indices);
  return most > 0 ? worst / most : worst;
}

/* A function of a grid that counts how often it is asked for each point. */
typedef struct counted { int64_t asked[6][6][6][6]; int64_t points; } counted;

static hed_status counting(void *arg, int64_t n, const int64_t *at, double *values)
{
  counted *c = arg;
  for (int64_t i = 0; i < n; i++, at += 4) {
    c->points += c->asked[at[0]][at[1]][at[2]][at[3]]++ == 0;
    values[i] = 1 / (1.0 + (double)(at[0] + at[1] + at[2] + at[3]));
  }
  return HED_OK;
}

/* No point is asked for again, and *EVALUATIONS is their number. */
static void remembered(void)
{
  static counted c;
  hed_tt t = { 0 };
  uint64_t n = 0;
  int64_t most = 0;
  const hed_tt_cross_options o = { .random = { .seed = 3, .seeded = true }, .eps = 1e-8 };
  ok(hed_tt_cross(counting, &c, HED_SHAPE(6, 6, 6, 6), &o, &t, NULL, &n) == HED_OK, "a function that counts");
  for (int64_t i = 0; i < 6 * 6 * 6 * 6; i++)
    most = (&c.asked[0][0][0][0])[i] > most ? (&c.asked[0][0][0][0])[i] : most;
  ok(most == 1 && n == (uint64_t)c.points, "is asked once for each of %llu points", (unsigned long long)n);
  hed_tt_clear(&t);
}

static void cross(gen *g, const char *backend)
{
  const bool doubles = hed_device_supports(NULL, "float64") == 1;
  const double e = doubles ? 1e-9 : 2e-4;
  int d = 6;
  const hed_shape s = HED_SHAPE(5, 6, 4, 6, 5, 4);
  const hed_tt_cross_options opt = { .random = { .seed = 7, .seeded = true }, .eps = doubles ? 1e-10 : 1e-5 };
  hed_tt t, again;
  hed_fit fit;
  uint64_t n = 0, m = 0;
  int64_t ranks[HED_MAX_NDIM + 1];
  if (!ok(hed_tt_cross(sine, &d, s, &opt, &t, &fit, &n) == HED_OK, "a sine of six variables on %s", backend))
    diag("%s", hed_error_text());
  ok(off_by(g, &t, sine, &d, s) < e, "is right everywhere");
  hed_tt_ranks(&t, ranks);
  bool twos = true;
  for (int k = 1; k < 6; k++)
    twos &= ranks[k] == 2;
  ok(twos && fit.stopped == HED_STOP_TOLERANCE && fit.error <= opt.eps, "with ranks of 2, in %lld sweeps", (long long)fit.n_sweeps);
  ok(n < 9000, "from %llu of %d values", (unsigned long long)n, 5 * 6 * 4 * 6 * 5 * 4);
  ok(hed_tt_cross(sine, &d, s, &opt, &again, NULL, &m) == HED_OK && m == n, "the same seed asks for as many");
  for (int k = 0; k < 6; k++)
    is_near(distance(again.core[k], t.core[k]), 0, 0, 0, "and gives the same core %d", k);
  hed_tt_clear(&again);
  hed_tt_clear(&t);
  hed_fit_clear(&fit);

  d = 4;
  const hed_shape h = HED_SHAPE(12, 12, 12, 12);
  const hed_tt_cross_options near = { .random = { .seed = 8, .seeded = true }, .eps = 1e-4 };
  ok(hed_tt_cross(hilbert, &d, h, &near, &t, &fit, &n) == HED_OK && fit.error <= 1e-4, "1 / (1 + i + j + k + l) to 1e-4");
  hed_tt_ranks(&t, ranks);
  ok(off_by(g, &t, hilbert, &d, h) < 1e-2 && ranks[2] < 12 && n < 20736, "ranks %lld %lld %lld from %llu values",
     (long long)ranks[1], (long long)ranks[2], (long long)ranks[3], (unsigned long long)n);
  hed_tt_clear(&t);
  hed_fit_clear(&fit);
  const hed_tt_cross_options few = { .random = { .seed = 8, .seeded = true }, .max_rank = 3, .sweeps = { .max = 2 } };
  ok(hed_tt_cross(hilbert, &d, h, &few, &t, &fit, &n) == HED_OK && fit.stopped == HED_STOP_SWEEPS && fit.error > 1e-8, "ranks of 3");
  hed_tt_ranks(&t, ranks);
  ok(ranks[1] <= 3 && ranks[2] <= 3 && ranks[3] <= 3, "at most");
  hed_tt_clear(&t);
  hed_fit_clear(&fit);
  ok(hed_tt_cross(nowhere, NULL, h, NULL, &t, &fit, NULL) == HED_OK && fit.error == 0, "a function that is zero");
  ok(off_by(g, &t, nowhere, NULL, h) == 0, "is zero");
  hed_tt_clear(&t);
  hed_fit_clear(&fit);
  d = 1;
  ok(hed_tt_cross(hilbert, &d, HED_SHAPE(9), NULL, &t, &fit, &n) == HED_OK, "one variable");
  ok(off_by(g, &t, hilbert, &d, HED_SHAPE(9)) < 1e-6, "is asked everywhere");
  hed_tt_clear(&t);
  hed_fit_clear(&fit);
}

/* ---- completion ---- */

static hed_tt planted(gen *g, const int64_t *n, const int64_t *r, int d, hed_dtype t)
{
  hed_tt x = { .order = d };
  for (int k = 0; k < d; k++)
    x.core[k] = random_array(g, HED_SHAPE(r[k], n[k], r[k + 1]), t);
  return x;
}

static bool falling(const hed_fit *f, double slack)
{
  bool good = f->n_sweeps > 0;
  for (int64_t i = 1; i < f->n_sweeps; i++)
    good &= f->errors[i] <= f->errors[i - 1] * (1 + slack) + slack;
  return good;
}

/* Of any train the error never rises; of KNOWN ones it is known that all is found again, which nothing promises. */
static void completion(gen *g, const char *backend)
{
  gen known;
  gen_seed(&known, 20261121);
  const int64_t n[] = { 9, 8, 10, 7 }, r[] = { 1, 2, 3, 2, 1 };
  const hed_shape ranks = { 3, { 2, 3, 2 } }, s = { 4, { 9, 8, 10, 7 } };
  for (int i = 0; i < (is_backend(backend, "cpu") ? 3 : 1); i++) {
    const hed_dtype t = i == 2 ? HED_FLOAT32 : tensor_dtype(0);
    const double e = tensor_tolerance(t);
    const bool whole = i > 0;
    gen *from = whole ? &known : g;
    hed_tt truth = planted(from, n, r, 4, t), got;
    hed_array *full = hed_tt_full(&truth);
    cplx *v = tensor_elements(full), *w = malloc(sizeof *w * 5040), *m = malloc(sizeof *m * 5040);
    for (int k = 0; k < 5040; k++) {
      m[k] = gen_chance(from, 35);
      w[k] = creal(m[k]) > 0 ? v[k] : NAN;
    }
    hed_array *x = tensor_array(w, s, t), *mask = tensor_array(m, s, HED_BOOL);
    hed_fit fit;
    const hed_tt_completion_options opt = { .sweeps = { .max = whole ? 150 : 4, .tol = -1 } };
    if (!ok(hed_tt_complete(x, &ranks, &opt, &got, &fit) == HED_OK, "a third of a train on %s", backend))
      diag("%s", hed_error_text());
    ok(falling(&fit, e * 10) && fit.error < fit.errors[0], "its error %g never rises", fit.error);
    hed_array *all = hed_tt_full(&got);
    ok(!whole || (fit.error < 1e3 * e && distance(all, full) < 1e5 * e), "the other elements: %g", distance(all, full));
    hed_release(all);
    const double last = fit.error;
    hed_fit_clear(&fit);
    const hed_tt_completion_options by_mask = { .sweeps = { .max = 3, .tol = -1 }, .mask = mask, .start = &got };
    hed_tt_clear(&truth);
    ok(hed_tt_complete(x, NULL, &by_mask, &truth, &fit) == HED_OK && fit.n_sweeps == 3 &&
         fit.error <= last * (1 + 1e-3) + 1e3 * e, "by a mask, from there");
    hed_fit_clear(&fit);
    hed_tt_clear(&got);
    hed_tt_clear(&truth);
    RELEASE(x, mask, full);
    free(v);
    free(w);
    free(m);
  }
}

/* ---- rings ---- */

/* Start 0 is the same with one start as with four, so four are never worse, and better for most seeds. */
static void best_of_starts(const hed_array *x, const hed_shape *ranks, double tolerance)
{
  enum { SEEDS = 6 };
  int better = 0, worse = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    double best[2];
    for (int k = 0; k < 2; k++) {
      hed_tt got;
      hed_fit fit;
      const hed_tr_options few = { .sweeps = { .max = 4, .tol = -1 }, .start = HED_TR_RANDOM, .restarts = k ? 4 : 1,
                                   .random = { .seed = seed, .seeded = true } };
      best[k] = hed_tr_als(x, ranks, &few, &got, &fit) == HED_OK ? fit.error : INFINITY;
      hed_array *full = hed_tt_full(&got);
      is_near(best[k], distance(full, x), 1e-2, tolerance, "an error of a start");
      hed_release(full);
      hed_tt_clear(&got);
      hed_fit_clear(&fit);
    }
    better += best[1] < best[0];
    worse += best[1] > best[0];
  }
  ok(worse == 0 && better > 0, "the best of four starts: %d of %d times better than the first, %d times worse", better, SEEDS, worse);
}

static void rings(gen *g, const char *backend)
{
  gen known;
  gen_seed(&known, 20261120);
  const int64_t n[] = { 6, 5, 6, 5 }, r[] = { 2, 3, 2, 3, 2 };
  const hed_shape ranks = { 4, { 2, 3, 2, 3 } };
  for (int i = 0; i < (is_backend(backend, "cpu") ? 3 : 1); i += 2) {
    const hed_dtype t = tensor_dtype(i);
    const double e = tensor_tolerance(t);
    hed_tt got, truth = planted(g, n, r, 4, t);
    hed_array *x = hed_tt_full(&truth), *full;
    hed_fit fit;
    int64_t asked = 3;
    const hed_tr_options any = { .sweeps = { .max = 8, .tol = -1 }, .random = { .seed = 3, .seeded = true } };
    ok(hed_tr_als(x, &ranks, &any, &got, &fit) == HED_OK && falling(&fit, 1e-4), "the error of any ring on %s never rises", backend);
    is_near(fit.error, distance(full = hed_tt_full(&got), x), 1e-2, 100 * e, "it is what is said");
    RELEASE(full, x);
    hed_tt_clear(&got);
    hed_tt_clear(&truth);
    hed_fit_clear(&fit);
    truth = planted(&known, n, r, 4, t);
    x = hed_tt_full(&truth);
    const hed_tr_options opt = { .sweeps = { .max = 60, .tol = -1 }, .restarts = 2, .random = { .seed = 3, .seeded = true } };
    if (!ok(hed_tr_als(x, &ranks, &opt, &got, &fit) == HED_OK, "a planted ring on %s", backend))
      diag("%s", hed_error_text());
    ok(falling(&fit, 1e-4), "the error never rises");
    full = hed_tt_full(&got);
    is_near(fit.error, distance(full, x), 1e-2, 100 * e, "it is what is said");
    ok(fit.error < 2e-2, "and is small: %g of start %lld", fit.error, (long long)fit.restart);
    ok(hed_tt_is_ring(&got), "it is a ring");
    hed_release(full);
    hed_tt_clear(&got);
    hed_fit_clear(&fit);
    best_of_starts(x, &ranks, 100 * e);
    const int64_t sweeps = is_backend(backend, "faulty") ? 3 : 10;
    const hed_tr_options some = { .sweeps = { .max = sweeps, .tol = -1 }, .samples = 150, .fit_samples = 4000,
                                  .random = { .seed = 5, .seeded = true } };
    if (!ok(hed_tr_als(x, &ranks, &some, &got, &fit) == HED_OK, "from samples")) {
      diag("%s", hed_error_text());
      return;
    }
    full = hed_tt_full(&got);
    is_near(fit.error, distance(full, x), 0.1, 100 * e, "the error is nearly what is said");
    ok(fit.error < 0.3 && fit.error < fit.errors[0], "and falls: %g", fit.error);
    hed_release(full);
    hed_tt_clear(&got);
    hed_fit_clear(&fit);
    const hed_tr_options watched = { .sweeps = { .progress = count, .progress_arg = &asked, .tol = -1 }, .start = HED_TR_RANDOM };
    calls = 0;
    ok(hed_tr_als(x, &ranks, &watched, &got, &fit) == HED_OK && fit.stopped == HED_STOP_PROGRESS && calls == 3,
       "ended from a callback");
    hed_tt_clear(&got);
    hed_fit_clear(&fit);
    const int stop = 1;
    const hed_tr_options cancelled = { .sweeps = { .cancel = &stop } };
    refused(hed_tr_als(x, &ranks, &cancelled, &got, &fit), HED_E_CANCELLED, "cancelled");
    ok(!got.order && !fit.errors, "nothing came out");
    hed_release(x);
    hed_tt_clear(&truth);
  }
}

static void bad_input(void)
{
  gen g;
  gen_seed(&g, 4);
  hed_array *x = random_array(&g, HED_SHAPE(3, 4, 2), HED_FLOAT64), *z = random_array(&g, HED_SHAPE(3, 4), HED_COMPLEX64);
  hed_array *line = random_array(&g, HED_SHAPE(3), HED_FLOAT64), *nan = hed_full(HED_SHAPE(3, 4), NAN, HED_FLOAT64);
  const hed_shape two = HED_SHAPE(2), s = HED_SHAPE(3, 4);
  hed_tt out;
  int d = 2;
  ok(!hed_maxvol(NULL) && hed_error() == HED_E_INVAL, "no matrix");
  ok(!hed_maxvol(x) && hed_error() == HED_E_SHAPE, "three axes");
  ok(!hed_maxvol(z) && hed_error() == HED_E_SHAPE, "more columns than rows");
  hed_array *ones = hed_ones(HED_SHAPE(5, 2), HED_FLOAT64);
  ok(!hed_maxvol(ones) && hed_error() == HED_E_SINGULAR, "a matrix of rank 1");
  hed_release(ones);
  hed_error_clear();
  refused(hed_tt_cross(NULL, &d, s, NULL, &out, NULL, NULL), HED_E_INVAL, "f is NULL");
  refused(hed_tt_cross(sine, &d, (hed_shape){ 0 }, NULL, &out, NULL, NULL), HED_E_SHAPE, "0 axes");
  refused(hed_tt_cross(sine, &d, HED_SHAPE(3, 0), NULL, &out, NULL, NULL), HED_E_SHAPE, "axis 1 has 0");
  refused(hed_tt_cross(sine, &d, s, &(hed_tt_cross_options){ .eps = 2 }, &out, NULL, NULL), HED_E_INVAL, "eps 2");
  refused(hed_tt_cross(refuses, &d, s, NULL, &out, NULL, NULL), HED_E_LIMIT, "no more");
  refused(hed_tt_cross(infinite, &d, s, NULL, &out, NULL, NULL), HED_E_INVAL, "the function is not finite at (");
  refused(hed_tt_cross_array(z, NULL, &out, NULL, NULL), HED_E_DTYPE, "complex64");
  refused(hed_tt_complete(x, NULL, NULL, &out, NULL), HED_E_INVAL, "ranks and start are NULL");
  refused(hed_tt_complete(nan, &two, NULL, &out, NULL), HED_E_INVAL, "no element of x is known");
  refused(hed_tt_complete(nan, &two, &(hed_tt_completion_options){ .mask = x }, &out, NULL), HED_E_SHAPE,
          "the mask has shape (3, 4, 2), x (3, 4)");
  hed_array *all = hed_ones(s, HED_BOOL);
  refused(hed_tt_complete(nan, &two, &(hed_tt_completion_options){ .mask = all }, &out, NULL), HED_E_INVAL, "not finite");
  hed_release(all);
  refused(hed_tt_complete(x, &two, &(hed_tt_completion_options){ .start = &(hed_tt){ .order = 1, .core = { x } } }, &out, NULL),
          HED_E_SHAPE,
          "first rank");
  refused(hed_tr_als(x, NULL, NULL, &out, NULL), HED_E_INVAL, "ranks is NULL");
  refused(hed_tr_als(line, &two, NULL, &out, NULL), HED_E_SHAPE, "1 axes");
  refused(hed_tr_als(x, &two, &(hed_tr_options){ .samples = 3 }, &out, NULL), HED_E_INVAL, "3 samples for core 0, which has 4");
  refused(hed_tr_als(nan, &two, NULL, &out, NULL), HED_E_INVAL, "x is not finite at (0, 0)");
  refused(hed_tr_als(x, &two, &(hed_tr_options){ .restarts = -1 }, &out, NULL), HED_E_INVAL, "restarts -1");
  ok(!out.order, "nothing came out");

  hed_tt t;
  uint64_t n;
  ok(hed_tt_cross_array(x, NULL, &t, NULL, &n) == HED_OK, "an array by its elements");
  hed_array *full = hed_tt_full(&t);
  is_near(distance(full, x), 0, 0, 1e-10, "all of them");
  hed_release(full);
  hed_tt_clear(&t);
  RELEASE(x, z, nan, line);
}

int main(void)
{
  on_backends(maximal);
  remembered();
  on_backends(cross);
  on_backends(completion);
  on_backends(rings);
  bad_input();
  done_testing();
  return done();
}
