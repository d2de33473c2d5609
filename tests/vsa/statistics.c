// SPDX-License-Identifier: BSD-3-Clause
/* Hypervectors against theory: means and spreads of similarities of random vectors, of members of bundles and of what
 * is unbound, within three standard errors; and capacity against counting.
 */
#include "vsa.h"

enum { TRIALS = 300 };
static const char *const backend_of_all = "cpu";

typedef struct moments { double mean, spread; int n; } moments;

static moments of(const hed_array *x)
{
  moments m = { 0, 0, (int)hed_array_size(x) };
  double *d = vsa_doubles(x);
  for (int i = 0; i < m.n; i++)
    m.mean += d[i] / m.n;
  for (int i = 0; i < m.n; i++)
    m.spread += (d[i] - m.mean) * (d[i] - m.mean) / (m.n - 1);
  m.spread = sqrt(m.spread);
  free(d);
  return m;
}

/* The mean of M is MEAN within three of its standard errors, and ALLOWED for what a formula leaves out. */
static void mean_is(moments m, double mean, double allowed, const char *what, const char *spec)
{
  is_near(m.mean, mean, 0, 3 * m.spread / sqrt(m.n) + allowed + 1e-6, "%s: %s", spec, what);
}

/* Of random vectors: MEAN, and the spread S of their similarities. */
static const struct row {
  const char *spec;
  double mean, spread;
  double unbound; /* mean similarity of what is unbound to what was bound */
} rows[] = {
  { "map;dim=2000", 0, 0.0223607, 1 },          /* 1 / sqrt(D) */
  { "map;dim=2000;variant=continuous", 0, 0.0223607, 0.745356 }, /* E[b^2] / sqrt(E[b^4]) = (1/3) / sqrt(1/5) */
  { "hrr;dim=2000", 0, 0.0223607, 0.7071068 },  /* 1 / sqrt(2) */
  { "hrr;dim=2000;inverse=unitary", 0, 0.0223607, 1 },
  { "fhrr;dim=2000", 0, 0.0158114, 1 },         /* 1 / sqrt(2 D) */
  { "bsc;dim=2000", 0.5, 0.0111803, 1 },        /* 1 / (2 sqrt(D)) */
  { "bsdc;dim=2500", 0.02, 0.0195979, 1 },      /* hypergeometric: k / D; sqrt(k (k/D) (1 - k/D) (D - k) / (D - 1)) / k */
  { "bsdc_seg;segments=100;block=20", 0.05, 0.0217945, 1 }, /* 1 / L; sqrt((1/L) (1 - 1/L) / S) */
  { "ghrr;dim=300", 0, 0.0136083, 1 },          /* tr(a b^H) has variance 1, half of it real: 1 / (m sqrt(2 D)) */
  { "vtb;dim=1600", 0, 0.025, 0.7027284 },      /* 1 / sqrt(2 + 1 / d) */
  { "mcr;dim=2000", 0, 0.0158114, 1 },
  { "cgr;dim=2000;block=10", 0.1, 0.0067082, 1 },
};

static void pairs(void)
{
  for (int k = 0; k < (int)(sizeof rows / sizeof rows[0]); k++) {
    hed_vsa *v = vsa_model(rows[k].spec);
    HED_SCOPE {
      hed_array *a = vsa_some(v, TRIALS, 1), *b = vsa_some(v, TRIALS, 2);
      moments m = of(hed_vsa_similarity(v, a, b));
      mean_is(m, rows[k].mean, 0, "similarity of random vectors", rows[k].spec);
      is_near(m.spread, rows[k].spread, 3 / sqrt(2.0 * TRIALS), 0, "%s: its spread", rows[k].spec);
      hed_array *c = hed_vsa_bind(v, a, b);
      mean_is(of(hed_vsa_similarity(v, hed_vsa_unbind(v, c, b), a)), rows[k].unbound, 0.002, "what is unbound", rows[k].spec);
      if (!strstr(rows[k].spec, "bsdc;")) /* sparse vectors keep their ones under xor */
        mean_is(of(hed_vsa_similarity(v, c, a)), rows[k].mean, 0, "the product resembles no factor", rows[k].spec);
    }
    hed_vsa_release(v);
  }
}

static double choose(int n, int k)
{
  return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1));
}

/* Mean similarity of a bundle of N to a member. */
static void bundles(void)
{
  static const char *const specs[] = { "map;dim=2000", "bsc;dim=2000;similarity=cosine", "map;dim=2000;layout=packed", "hrr;dim=2000",
                                       "vtb;dim=2500", "fhrr;dim=2000" };
  static const int sizes[] = { 1, 2, 3, 5, 10 };
  static const double phasors[] = { 1, 0.636620, 0.524893, 0.401630, 0.282010 }; /* E|S_n| / n by Kluyver's integral */
  for (int k = 0; k < 6; k++) {
    hed_vsa *v = vsa_model(specs[k]);
    for (int i = 0; i < 5; i++)
      HED_SCOPE {
        const int n = sizes[i], m = n % 2 ? n : n + 1;
        const hed_shape shape = HED_SHAPE(60, n);
        const hed_random r = vsa_seed(3);
        hed_array *x = hed_vsa_random(v, &shape, &r), *b = hed_vsa_bundle(v, x, 1, NULL);
        const double signs = choose(m - 1, (m - 1) / 2) / pow(2, m - 1), want = k < 3 ? signs : k < 5 ? 1 / sqrt(n) : phasors[i];
        char what[40];
        (void)snprintf(what, sizeof what, "a member of a bundle of %d", n);
        mean_is(of(hed_vsa_similarity(v, hed_index(x, 1, 0), b)), want, k >= 3 ? 0.002 : 0, what, specs[k]);
      }
    hed_vsa_release(v);
  }
}

/* Of sparse vectors with K ones of D in bundles that keep K: places that two or three vectors share, and the rest by lot. C1 and
 * C2 places are expected to have one and at least two of them. */
static double sparse_bundle(int n, double k, double d)
{
  const double p = k / d, c2 = n == 2 ? d * p * p : d * (3 * p * p * (1 - p) + p * p * p);
  const double c1 = n == 2 ? d * 2 * p * (1 - p) : d * 3 * p * (1 - p) * (1 - p);
  return n == 1 ? 1 : (n * k - c1 + k - c2) / (n * k);
}

/* Of segments of L: what most have, and where all have other indices a lot. */
static double segment_bundle(int n, double l)
{
  const double same = 1 / l, other = 1 - same;
  return n == 1 ? 1 : n == 2 ? same + other / 2 : 1 - same * other - other * (1 - 2 * same) * 2 / 3;
}

/* U + V = U (1 + W) of unitary matrices: the mean of |1 + e^(i t)| / 2 over the circle, whatever their size. */
static double unitary_bundle(int n) { return n == 1 ? 1 : 2 / M_PI; }

static void other_bundles(void)
{
  static const char *const specs[] = { "bsdc;dim=2500", "bsdc;dim=2500;layout=packed", "bsdc_seg;segments=100;block=20",
                                       "ghrr;dim=300" };
  for (int k = 0; k < 4; k++) {
    hed_vsa *v = vsa_model(specs[k]);
    for (int n = 1; n <= (k == 3 ? 2 : 3); n++)
      HED_SCOPE {
        const hed_shape shape = HED_SHAPE(60, n);
        const hed_random r = vsa_seed(4);
        hed_array *x = hed_vsa_random(v, &shape, &r), *b = hed_vsa_bundle(v, x, 1, NULL);
        const double want = k < 2 ? sparse_bundle(n, 50, 2500) : k == 2 ? segment_bundle(n, 20) : unitary_bundle(n);
        char what[40];
        (void)snprintf(what, sizeof what, "a member of a bundle of %d", n);
        mean_is(of(hed_vsa_similarity(v, hed_index(x, 1, 0), b)), want, 0, what, specs[k]);
      }
    hed_vsa_release(v);
  }
}

/* A member of a bundle of N among TOTAL, counted and by the integral. */
static void capacity(void)
{
  static const struct { const char *spec; int n, total; } cases[] = {
    { "map;dim=256", 15, 100 }, { "bsc;dim=200;layout=packed", 11, 60 }, { "hrr;dim=150", 12, 80 },
    { "fhrr;dim=100", 15, 100 }, { "fhrr;dim=40", 3, 60 }
  };
  for (int k = 0; k < 5; k++) {
    hed_vsa *v = vsa_model(cases[k].spec);
    const int n = cases[k].n, total = cases[k].total;
    int good = 0, all = 0;
    for (int t = 0; t < 40; t++)
      HED_SCOPE {
        hed_array *x = vsa_some(v, total, 100 + (uint64_t)t);
        hed_array *b = hed_vsa_bundle(v, hed_slice(x, 1, &HED_RANGE(0, n, 1)), 0, NULL);
        double *s = vsa_doubles(hed_vsa_similarity_matrix(v, b, x)), best = -1;
        for (int i = n; i < total; i++)
          best = s[i] > best ? s[i] : best;
        for (int i = 0; i < n; i++)
          good += s[i] > best, all++;
        free(s);
      }
    const double p = (double)good / all;
    is_near(hed_vsa_capacity(v, n, total), p, 0, 0.03, "%s: %d of %d are told from the others", cases[k].spec, n, total);
    const int64_t d = hed_vsa_capacity_dim(v, n, total, 0.99);
    double around[2];
    for (int i = 0; i < 2; i++) {
      char spec[80];
      (void)snprintf(spec, sizeof spec, "%s;dim=%lld", cases[k].spec, (long long)(d - i));
      hed_vsa *w = vsa_model(spec);
      around[i] = hed_vsa_capacity(w, n, total);
      hed_vsa_release(w);
    }
    ok(around[0] >= 0.99 && around[1] < 0.99, "%s: from dimension %lld on in 99 of 100 cases", cases[k].spec, (long long)d);
    hed_vsa_release(v);
  }
  hed_vsa *v = vsa_model("bsdc;dim=100"), *w = vsa_model("map;dim=100");
  ok(isnan(hed_vsa_capacity(v, 2, 3)) && hed_error() == HED_E_UNSUPPORTED, "no law for sparse vectors");
  ok(isnan(hed_vsa_capacity(w, 4, 3)) && hed_error() == HED_E_INVAL, "more members than vectors");
  is_near(hed_vsa_capacity(w, 1, 1), 1, 1e-9, 0, "one of one");
  is_int(hed_vsa_capacity_dim(w, 2, 3, 1), -1, "certainty has no dimension");
  hed_vsa_release(v);
  hed_vsa_release(w);
}

/* Ties have no favourite, and do not depend on order. */
static void ties(void)
{
  hed_vsa *v = vsa_model("bsc;dim=4000"), *one = vsa_model("bsc;dim=4000;tie=one"), *first = vsa_model("map;dim=4000;tie=first");
  HED_SCOPE {
    hed_array *x = vsa_some(v, 2, 5), *b = hed_vsa_bundle(v, x, 0, NULL), *y = vsa_some(first, 2, 5);
    is_near(vsa_item(hed_mean(hed_astype(b, HED_FLOAT32), NULL)), 0.5, 0, 0.024, "half of a bundle of two are ones");
    ok(same_array(b, hed_vsa_bundle(v, hed_flip(x, &HED_AXES(0)), 0, NULL)), "in any order");
    is_near(vsa_item(hed_mean(hed_astype(hed_vsa_bundle(one, x, 0, NULL), HED_FLOAT32), NULL)), 0.75, 0, 0.021, "unless ties are 1");
    ok(same_array(hed_vsa_bundle(first, y, 0, NULL), hed_index(y, 0, 0)), "or the first vector's");
    hed_array *other = hed_vsa_bundle_with(v, x, 0, NULL, hed_index(vsa_some(v, 1, 77), 0, 0));
    ok(!same_array(other, b), "another tie vector gives another bundle");
    is_near(vsa_item(hed_vsa_similarity(v, other, b)), 0.75, 0, 0.021, "that differs in half of the ties");
  }
  hed_vsa_release(v);
  hed_vsa_release(one);
  hed_vsa_release(first);
}

/* One by one: the newest always counts half, and nothing else is in the sum but what was added; all at once each of n counts alike, as
 * sqrt(2 / (pi n)) says. */
static void one_by_one(void)
{
  static const char *const specs[] = { "map;dim=10000", "map;dim=10000;layout=packed", "bsc;dim=10000;similarity=cosine",
                                       "bsc;dim=10000;layout=packed;similarity=cosine" };
  for (int k = 0; k < 4; k++) {
    hed_vsa *v = vsa_model(specs[k]);
    HED_SCOPE {
      hed_array *x = vsa_some(v, 30, 9), *sum = hed_index(x, 0, 0), *all = hed_vsa_bundle(v, x, 0, NULL);
      double newest = 1, tie = 0;
      for (int i = 1; i < 30; i++) {
        hed_array *new = hed_index(x, 0, i);
        sum = hed_vsa_bundle(v, hed_stack(2, (const hed_array *[]){ sum, new }, 0), 0, NULL);
        newest = fmin(newest, vsa_item(hed_vsa_similarity(v, sum, new)));
        tie = fmax(tie, fabs(vsa_item(hed_vsa_similarity(v, sum, hed_vsa_tie_vector(v)))));
      }
      ok(newest > 0.46 && tie < 0.05, "%s: the newest counts %.3f, the tie vector %.3f at most", specs[k], newest, tie);
      is_near(vsa_item(hed_mean(hed_vsa_similarity(v, all, x), NULL)), sqrt(2 / (3.14159265 * 30)), 0.05, 0, "%s: all at once alike",
              specs[k]);
    }
    hed_vsa_release(v);
  }
}

/* What is no vector of a model, for each way in which it may be none. */
static void invalid(const char *backend)
{
  static const struct { const char *spec; double bad; } each[] = {
    { "map;dim=70", 3 }, { "map;dim=70", 0 }, { "map;dim=70", -2 }, { "bsc;dim=70;dtype=uint8", 2 }, { "bsdc;dim=70;dtype=uint8", 7 },
    { "bsdc_seg;segments=7;block=10", 10 }, { "mcr;dim=70;block=16", 16 }, { "cgr;dim=70;block=16", 200 }, { "hrr;dim=70", NAN },
    { "fhrr;dim=70", INFINITY }, { "vtb;dim=64", NAN }
  };
  for (size_t k = 0; k < sizeof each / sizeof each[0]; k++) {
    hed_vsa *v = vsa_model(each[k].spec);
    HED_SCOPE {
      hed_array *x = hed_copy(vsa_some(v, 3, 5));
      ok(hed_vsa_check_vectors(v, x) == HED_OK, "%s, %s: vectors are some", backend, each[k].spec);
      ok(HED_SET(x, hed_scalar(each[k].bad), HED_AT(1), HED_AT(4)) == HED_OK && hed_vsa_check_vectors(v, x) == HED_E_RANGE &&
             strstr(hed_error_text(), "element 4 of vector 1"),
         "%s, %s: with %g they are not: %s", backend, each[k].spec, each[k].bad, hed_error_text());
    }
    hed_vsa_release(v);
  }
  hed_vsa *large = vsa_model("hrr;dim=70");
  HED_SCOPE ok(hed_vsa_check_vectors(large, hed_full(HED_SHAPE(3, 70), 3e38, HED_FLOAT32)) == HED_OK,
               "%s: numbers whose sum is beyond them are numbers", backend);
  hed_vsa_release(large);
  hed_vsa *v = vsa_model("bsc;dim=70;layout=packed");
  HED_SCOPE {
    hed_array *x = hed_full_uint(HED_SHAPE(2, 2), UINT64_MAX, HED_UINT64);
    ok(hed_vsa_check_vectors(v, x) == HED_E_RANGE && strstr(hed_error_text(), "behind the dimension"),
       "%s: bits behind the dimension", backend);
  }
  hed_vsa_release(v);
}

/* Cosines have no unit. */
static void any_size(const char *backend)
{
  static const char *const specs[] = { "hrr;dim=256", "vtb;dim=256", "map;dim=256;variant=continuous" };
  for (int k = 0; k < 3; k++) {
    hed_vsa *v = vsa_model(specs[k]);
    HED_SCOPE {
      hed_array *x = hed_index(vsa_some(v, 1, 5), 0, 0), *large = hed_multiply_scalar(x, 1e25), *small = hed_multiply_scalar(x, 1e-25);
      const hed_array *pair[] = { large, small };
      double all[4];
      is_near(vsa_item(hed_vsa_similarity(v, large, small)), 1, 0, 1e-5, "%s, %s: of a large and a small one", backend, specs[k]);
      hed_array *m = hed_stack(2, pair, 0);
      ok(hed_tolist(hed_vsa_similarity_matrix(v, m, m), all, 4) == HED_OK && fabs(all[0] - 1) + fabs(all[1] - 1) + fabs(all[2] - 1) +
             fabs(all[3] - 1) < 1e-4, "%s, %s: of all", backend, specs[k]);
    }
    hed_vsa_release(v);
  }
}

int main(void)
{
  const char *backend = hed_backend_require(backend_of_all) == HED_OK ? backend_of_all : "reference";
  HED_BACKEND_CONTEXT_OR(backend, bail("%s", hed_error_text())) {
    pairs();
    bundles();
    other_bundles();
    capacity();
    ties();
  one_by_one();
  vsa_on_each(invalid);
  vsa_on_each(any_size);
  }
  return done();
}
