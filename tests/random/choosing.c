// SPDX-License-Identifier: BSD-3-Clause
/* Choices, permutations, shares and random matrices against their definitions, by chi-squared, Kolmogorov-Smirnov and
 * moments at a level of 0.001; independence of streams. Seeds are fixed.
 */
#include "api.h"
#include "statistics.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static uint64_t next_seed = 7001;
static hed_random seeded(void) { return (hed_random){ .seed = next_seed++, .seeded = true }; }

/* X's elements (released) as doubles; to be freed. */
static double *values(hed_array *x, int64_t *n)
{
  hed_array *wide = x ? hed_astype(x, HED_FLOAT64) : NULL;
  *n = hed_array_size(wide);
  double *v = wide ? malloc((size_t)(*n + 1) * sizeof *v) : NULL;
  if (!v || hed_to_host(wide, v, (size_t)*n * sizeof *v) != HED_OK)
    bail("no values: %s", hed_error_text());
  RELEASE(x, wide);
  return v;
}

/* Chi-squared of COUNT cells with expected shares P of TOTAL. */
static void cells(const char *name, int count, const double *seen, const double *p, double total)
{
  double chi = 0;
  int used = 0;
  for (int k = 0; k < count; k++) {
    if (p[k] > 0) {
      chi += (seen[k] - total * p[k]) * (seen[k] - total * p[k]) / (total * p[k]);
      used++;
    } else if (seen[k] > 0) {
      chi = INFINITY;
    }
  }
  ok(chi < stat_chi_limit(used - 1), "%s: chi-squared %.1f, limit %.1f", name, chi, stat_chi_limit(used - 1));
}

static void categories(void)
{
  enum { K = 6, S = 30000 };
  const double logits[2 * K] = { 0, 1, -INFINITY, 2, -1, 0.5, -INFINITY, 900, 901, 899.5, -INFINITY, -INFINITY };
  hed_array *x = api_array(HED_SHAPE(2, K), HED_FLOAT64, logits);
  hed_random r = seeded();
  int64_t n;
  double *v = values(hed_random_categorical(x, S, HED_INT64, &r), &n);
  for (int row = 0; row < 2; row++) {
    double seen[K] = { 0 }, p[K], sum = 0;
    for (int k = 0; k < K; k++)
      sum += p[k] = exp(logits[row * K + k] - (row ? 901 : 2));
    for (int k = 0; k < K; k++)
      p[k] /= sum;
    for (int k = 0; k < S; k++)
      seen[(int)v[row * S + k]]++;
    cells(row ? "categorical, large logits" : "categorical", K, seen, p, S);
  }
  free(v);
  hed_release(x);

  const double weights[5] = { 0, 3, 1, 0, 2 }, share[5] = { 0, 0.5, 1.0 / 6, 0, 1.0 / 3 };
  x = api_array(HED_SHAPE(5), HED_FLOAT32, weights);
  r = seeded();
  v = values(hed_random_choice(5, HED_SHAPE(100, S / 100), x, true, &r), &n);
  double seen[5] = { 0 };
  for (int k = 0; k < S; k++)
    seen[(int)v[k]]++;
  cells("choice of weights", 5, seen, share, S);
  free(v);
  r = seeded();
  v = values(hed_random_choice(5, HED_SHAPE(S), NULL, true, &r), &n);
  double even[5] = { 0.2, 0.2, 0.2, 0.2, 0.2 }, plain[5] = { 0 };
  for (int k = 0; k < S; k++)
    plain[(int)v[k]]++;
  cells("choice", 5, plain, even, S);
  free(v);
  hed_release(x);

  /* without replacement: the ordered pairs of successive draws, 3 6 1 weights */
  enum { ROUNDS = 3000 };
  const double w[3] = { 3, 6, 1 };
  double pairs[9] = { 0 }, p[9] = { 0 };
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      p[3 * a + b] = a == b ? 0 : w[a] / 10 * w[b] / (10 - w[a]);
  x = api_array(HED_SHAPE(3), HED_FLOAT64, w);
  hed_generator g = { 99, 0 };
  for (int k = 0; k < ROUNDS; k++) {
    v = values(hed_random_choice(3, HED_SHAPE(2), x, false, &(hed_random){ .generator = &g }), &n);
    pairs[3 * (int)v[0] + (int)v[1]]++;
    free(v);
  }
  cells("weighted choice without replacement", 9, pairs, p, ROUNDS);
  hed_release(x);
}

/* More than the half of many, and any number with weights, are the first of all of them, however they are found. */
static void first_of_all(void)
{
  static const int64_t counts[] = { 4095, 4096, 30011, 130003 }, wanted[] = { 0, 1, 40, 41, 300, 301, 2047, 2048, 2049 };
  for (int k = 0; k < 4; k++) {
    const int64_t n = counts[k];
    const hed_random r = seeded();
    hed_array *w = hed_random_uniform(HED_SHAPE(n), HED_FLOAT32, &(hed_random){ .seed = 5, .seeded = true, .low = 1, .high = 9 });
    for (int weighted = 0; weighted < 2; weighted++) {
      int64_t size;
      double *all = values(weighted ? hed_random_choice(n, HED_SHAPE(n), w, false, &r) : hed_random_permutation(n, &r), &size);
      bool same = true;
      for (int i = weighted ? 0 : 10; i < 13; i++) {
        const int64_t want = i < 9 ? wanted[i] : n / 2 + i - 9; /* from the half on */
        double *v = values(hed_random_choice(n, HED_SHAPE(want), weighted ? w : NULL, false, &r), &size);
        same = same && size == want && memcmp(v, all, (size_t)size * sizeof *v) == 0;
        free(v);
      }
      ok(same, "some of %lld%s are the first of all", (long long)n, weighted ? " with weights" : "");
      free(all);
    }
    hed_release(w);
  }
}

/* Whether choosing COUNT of N with seed SEED gives the first different ones of a row of whole numbers, and takes one draw. */
static bool first_different(int64_t n, int64_t count, uint64_t seed)
{
  hed_generator g = { seed, 0 };
  int64_t size, total, found = 0;
  double *v = values(hed_random_choice(n, HED_SHAPE(count), NULL, false, &(hed_random){ .generator = &g }), &size);
  double *drawn = values(hed_random_integers(HED_SHAPE(4 * count + 100), 0, n, HED_INT64,
                                             &(hed_random){ .generator = &(hed_generator){ seed, 0 } }), &total);
  bool *seen = calloc((size_t)n, sizeof *seen), same = seen && size == count && g.draw == 1;
  for (int64_t i = 0; i < total && found < count && same; i++)
    if (!seen[(int)drawn[i]]) {
      seen[(int)drawn[i]] = true;
      same = drawn[i] == v[found++];
    }
  free(v);
  free(drawn);
  free(seen);
  return same && found == count;
}

/* At most the half: of 8 to 12 it happens often that as many numbers as are usually enough are not. */
static void few_of_many(void)
{
  static const struct { int64_t n, count; int rounds; } cases[] = {
    { 1, 0, 3 }, { 2, 1, 300 }, { 8, 4, 3000 }, { 11, 5, 3000 }, { 12, 6, 3000 }, { 100, 7, 300 }, { 1000, 500, 100 },
    { 4096, 41, 30 }, { 30011, 15005, 5 }, { 1000003, 10, 5 }, { 1000003, 10007, 3 },
  };
  for (int k = 0; k < (int)(sizeof cases / sizeof *cases); k++) {
    int wrong = 0;
    for (int i = 0; i < cases[k].rounds; i++)
      wrong += !first_different(cases[k].n, cases[k].count, next_seed++);
    ok(wrong == 0, "%lld of %lld are the first different ones of a row: %d of %d times not", (long long)cases[k].count,
       (long long)cases[k].n, wrong, cases[k].rounds);
  }

  enum { ROUNDS = 12000 };
  double pairs[25] = { 0 }, p[25];
  hed_generator g = { 98, 0 };
  for (int k = 0; k < 25; k++)
    p[k] = k / 5 == k % 5 ? 0 : 1.0 / 20;
  for (int k = 0; k < ROUNDS; k++) {
    int64_t size;
    double *v = values(hed_random_choice(5, HED_SHAPE(2), NULL, false, &(hed_random){ .generator = &g }), &size);
    pairs[5 * (int)v[0] + (int)v[1]]++;
    free(v);
  }
  cells("choice without replacement", 25, pairs, p, ROUNDS);

  const int64_t n = INT64_C(3000000000000000000);
  int64_t two[2];
  hed_array *far = hed_random_choice(n, HED_SHAPE(2), NULL, false, &(hed_random){ .generator = &g });
  ok(far && hed_to_host(far, two, sizeof two) == HED_OK && two[0] != two[1] && two[0] >= 0 && two[1] >= 0 && two[0] < n && two[1] < n,
     "2 of 3 x 10^18");
  hed_release(far);
}

static void permutations(void)
{
  enum { ROUNDS = 6000 };
  double seen[24] = { 0 }, p[24], shuffled[24] = { 0 };
  hed_generator g = { 12, 0 };
  hed_random r = { .generator = &g };
  hed_array *x = api_iota(HED_SHAPE(4, 2), HED_INT32);
  bool valid = true;
  for (int k = 0; k < 24; k++)
    p[k] = 1.0 / 24;
  for (int k = 0; k < ROUNDS; k++) {
    for (int form = 0; form < 2; form++) {
      int64_t n;
      double *v = values(form ? hed_random_shuffle(x, 0, &r) : hed_random_permutation(4, &r), &n);
      int rank = 0, e[4], used = 0;
      for (int i = 0; i < 4; i++) {
        e[i] = form ? (int)v[2 * i] / 2 : (int)v[i];
        used |= 1 << e[i];
        valid = valid && (!form || v[2 * i + 1] == v[2 * i] + 1);
      }
      for (int i = 0; i < 4; i++) {
        int below = 0;
        for (int j = i + 1; j < 4; j++)
          below += e[j] < e[i];
        rank = rank * (4 - i) + below;
      }
      valid = valid && used == 15;
      (form ? shuffled : seen)[rank]++;
      free(v);
    }
  }
  ok(valid, "each element once, slices whole");
  cells("permutation", 24, seen, p, ROUNDS);
  cells("shuffle", 24, shuffled, p, ROUNDS);
  api_is(hed_copy(x), HED_SHAPE(4, 2), HED_INT32, API_LIST(0, 1, 2, 3, 4, 5, 6, 7), "shuffle leaves its operand");
  hed_release(x);
}

static double share_a, share_b;
static double share_cdf(double x) { return stat_beta(share_a, share_b, x); }

/* Every share of a Dirichlet vector is beta(alpha_k, the rest). */
static void shares(void)
{
  enum { ROWS = 8000 };
  const double alpha[3] = { 0.2, 1.5, 4 };
  hed_array *x = api_array(HED_SHAPE(3), HED_FLOAT64, alpha);
  hed_random r = seeded();
  int64_t n;
  hed_shape s = HED_SHAPE(ROWS, 3);
  double *v = values(hed_random_dirichlet(x, &s, HED_FLOAT64, &r), &n), *one = malloc(ROWS * sizeof *one), worst = 0;
  for (int k = 0; k < ROWS; k++)
    worst = fmax(worst, fabs(v[3 * k] + v[3 * k + 1] + v[3 * k + 2] - 1));
  ok(worst < 4e-16, "shares add up to 1 (%g)", worst);
  for (int c = 0; c < 3; c++) {
    share_a = alpha[c];
    share_b = 5.7 - alpha[c];
    for (int k = 0; k < ROWS; k++)
      one[k] = v[3 * k + c];
    double d = stat_kolmogorov(one, ROWS, share_cdf);
    ok(d < 1.95, "share %d: Kolmogorov-Smirnov %.2f", c, d);
  }
  free(one);
  free(v);
  hed_release(x);
}

static double unit_cdf(double x) { return x; }

/* |q|^2 of an element of a unitary n x n matrix is beta(1, n - 1). */
static double element_cdf(double x) { return stat_beta(1, 3, x); }

static void haar(void)
{
  enum { B = 4000, D = 4 };
  hed_random r = seeded();
  int64_t n;
  HED_SCOPE
  {
    for (int complex_ = 0; complex_ < 2; complex_++) {
      hed_dtype t = complex_ ? HED_COMPLEX128 : HED_FLOAT64;
      hed_array *q = hed_random_haar(HED_SHAPE(3, 50, 50), t, &r), *h = hed_conj(hed_transpose(q, &HED_AXES(0, 2, 1)));
      hed_array *unit = hed_subtract(hed_matmul(q, h), hed_eye(50, 50, 0, t));
      double *v = values(hed_max(hed_abs(unit), NULL), &n);
      ok(v[0] < 2e-15, "%s: q q^H is the identity (%g)", complex_ ? "unitary" : "orthogonal", v[0]);
      free(v);
    }
    /* 2 x 2 orthogonal: determinants +1 and -1 alike, angle of the first row uniform */
    hed_array *q = hed_random_haar(HED_SHAPE(B, 2, 2), HED_FLOAT64, &r);
    double *v = values(hed_copy(q), &n), *turn = malloc(B * sizeof *turn);
    int plus = 0;
    for (int k = 0; k < B; k++) {
      turn[k] = atan2(v[4 * k + 1], v[4 * k]) / (2 * acos(-1.0)) + 0.5;
      plus += v[4 * k] * v[4 * k + 3] - v[4 * k + 1] * v[4 * k + 2] > 0;
    }
    is_near(plus, B / 2, 0, 3.3 * sqrt(B) / 2, "determinants of both signs");
    double d = stat_kolmogorov(turn, B, unit_cdf);
    ok(d < 1.95, "angles of the plane: Kolmogorov-Smirnov %.2f", d);
    free(v);
    free(turn);
    /* unitary: E tr = 0, E |tr|^2 = 1 (Diaconis and Shahshahani 1994), the size of each element */
    q = hed_random_haar(HED_SHAPE(B, D, D), HED_COMPLEX128, &r);
    hed_array *trace = hed_sum(hed_diagonal(q, 0, 1, 2), &(hed_reduce){ .axes = HED_AXES(1) });
    v = values(hed_real(trace), &n);
    double *w = values(hed_imag(trace), &n), mean = 0, cross = 0, square = 0;
    for (int k = 0; k < B; k++) {
      mean += v[k] / B;
      cross += w[k] / B;
      square += (v[k] * v[k] + w[k] * w[k]) / B;
    }
    is_near(mean, 0, 0, 4 * sqrt(0.5 / B), "trace: real part");
    is_near(cross, 0, 0, 4 * sqrt(0.5 / B), "trace: imaginary part");
    is_near(square, 1, 0, 4 * sqrt(1.0 / B), "trace: second moment is 1");
    free(v);
    free(w);
    for (int64_t at = 0; at < D; at++) { /* also the last row, which the others leave no freedom but a phase */
      hed_array *column = hed_index(hed_index(q, 1, at), 1, D - 1 - at);
      v = values(hed_square(hed_abs(column)), &n);
      d = stat_kolmogorov(v, B, element_cdf);
      ok(d < 1.95, "size of element (%d, %d): Kolmogorov-Smirnov %.2f", (int)at, (int)(D - 1 - at), d);
      free(v);
      v = values(hed_angle(column), &n);
      for (int k = 0; k < B; k++)
        v[k] = v[k] / (2 * acos(-1.0)) + 0.5;
      d = stat_kolmogorov(v, B, unit_cdf);
      ok(d < 1.95, "its phase: Kolmogorov-Smirnov %.2f", d);
      free(v);
    }
    /* phasors */
    hed_array *z = hed_random_phasor(HED_SHAPE(B), HED_COMPLEX128, &r);
    v = values(hed_abs(z), &n);
    double worst = 0;
    for (int k = 0; k < B; k++)
      worst = fmax(worst, fabs(v[k] - 1));
    ok(worst < 4e-16, "phasors have modulus 1 (%g)", worst);
    free(v);
    v = values(hed_angle(z), &n);
    for (int k = 0; k < B; k++)
      v[k] = v[k] / (2 * acos(-1.0)) + 0.5;
    d = stat_kolmogorov(v, B, unit_cdf);
    ok(d < 1.95, "phase: Kolmogorov-Smirnov %.2f", d);
    free(v);
    z = hed_random_complex_normal(HED_SHAPE(B), HED_COMPLEX128, &(hed_random){ .seed = 8, .seeded = true, .std = 3 });
    v = values(hed_square(hed_abs(z)), &n); /* exponential of mean 9 */
    for (int k = 0; k < B; k++)
      v[k] = -expm1(-v[k] / 9);
    d = stat_kolmogorov(v, B, unit_cdf);
    ok(d < 1.95, "complex normal: square of the modulus: Kolmogorov-Smirnov %.2f", d);
    free(v);
    z = hed_random_glorot_uniform(HED_SHAPE(3, 3, 200, 100), HED_FLOAT64, &r);
    v = values(hed_var(z, NULL), &n);
    is_near(v[0], 2.0 / (9 * 300), 0.02, 0, "glorot_uniform: variance 2 / (fan_in + fan_out)");
    free(v);
    z = hed_random_he_normal(HED_SHAPE(200, 100), HED_FLOAT64, &r);
    v = values(hed_var(z, NULL), &n);
    is_near(v[0], 2.0 / 200, 0.05, 0, "he_normal: variance 2 / fan_in");
    free(v);
  }
}

/* Correlation of two streams of normals. */
static double correlation(hed_generator a, hed_generator b)
{
  enum { N = 20000 };
  int64_t n;
  double *x = values(hed_random_normal(HED_SHAPE(N), HED_FLOAT64, &(hed_random){ .generator = &a }), &n);
  double *y = values(hed_random_normal(HED_SHAPE(N), HED_FLOAT64, &(hed_random){ .generator = &b }), &n), sum = 0;
  for (int k = 0; k < N; k++)
    sum += x[k] * y[k] / N;
  free(x);
  free(y);
  return sum * sqrt(N);
}

static void streams(void)
{
  hed_generator g = { 17, 0 }, same = { 17, 0 }, child[5], again[5], parent;
  is_int(hed_generator_split(&g, 5, child), HED_OK, "split");
  parent = g;
  is_uint(g.draw, 1, "takes a draw of the parent");
  is_int(hed_generator_split(&same, 5, again), HED_OK, "the same again");
  ok(memcmp(child, again, sizeof child) == 0, "children depend on the parent's state alone");
  double worst = 0;
  for (int a = 0; a < 5; a++) {
    worst = fmax(worst, fabs(correlation(child[a], parent)));
    for (int b = a + 1; b < 5; b++)
      worst = fmax(worst, fabs(correlation(child[a], child[b])));
  }
  ok(worst < 4, "siblings and parent are uncorrelated: %.2f standard errors", worst);
  hed_generator_split(&g, 5, again);
  ok(again[0].key != child[0].key, "a second split has other children");
  ok(hed_fold_key(17, 0) != hed_fold_key(17, 1), "fold");
}

int main(void)
{
  const char *backend = hed_backend_require("cpu") == HED_OK ? "cpu" : "reference";
  hed_error_clear();
  diag("on %s", backend);
  HED_BACKEND_CONTEXT(backend)
  {
    categories();
    first_of_all();
  few_of_many();
    permutations();
    shares();
    haar();
    streams();
  }
  return done();
}
