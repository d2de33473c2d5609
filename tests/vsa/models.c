// SPDX-License-Identifier: BSD-3-Clause
/* Models of hyperdimensional computing: bind, unbind, bundle and similarity against their formulas, summed directly on the host;
 * permutations, inverses, powers, quantisation, conversions; flags against the arithmetic; what bad input gets.
 */
#include "vsa.h"
#include <locale.h>

static const double pi = 3.14159265358979323846;

/* ---- one formula per model, in doubles ---- */

static void by_product(int d, const double *a, const double *b, double *out)
{
  for (int i = 0; i < d; i++)
    out[i] = a[i] * b[i];
}

static void by_xor(int d, const double *a, const double *b, double *out)
{
  for (int i = 0; i < d; i++)
    out[i] = a[i] != b[i];
}

static void by_convolution(int d, const double *a, const double *b, double *out)
{
  for (int k = 0; k < d; k++) {
    out[k] = 0;
    for (int i = 0; i < d; i++)
      out[k] += a[i] * b[(k - i + d) % d];
  }
}

static void by_phase(int d, const double *a, const double *b, double *out)
{
  for (int i = 0; i < d; i++) {
    out[2 * i] = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1];
    out[2 * i + 1] = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i];
  }
}

/* block 7 of segments, 64 phases */
static void by_modulus(int d, const double *a, const double *b, double *out, int m)
{
  for (int i = 0; i < d; i++)
    out[i] = fmod(a[i] + b[i], m);
}

static void by_modulus_7(int d, const double *a, const double *b, double *out) { by_modulus(d, a, b, out, 7); }
static void by_modulus_64(int d, const double *a, const double *b, double *out) { by_modulus(d, a, b, out, 64); }

static void by_blocks(int d, const double *a, const double *b, double *out)
{
  const int e = (int)(sqrt(d) + 0.5);
  for (int block = 0; block < e; block++)
    for (int i = 0; i < e; i++) {
      out[block * e + i] = 0;
      for (int j = 0; j < e; j++)
        out[block * e + i] += sqrt(e) * b[i * e + j] * a[block * e + j];
    }
}

static void by_matrices(int d, const double *a, const double *b, double *out)
{
  for (int k = 0; k < d; k++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        double re = 0, im = 0;
        for (int l = 0; l < 3; l++) {
          const double *p = a + 2 * (9 * k + 3 * i + l), *q = b + 2 * (9 * k + 3 * l + j);
          re += p[0] * q[0] - p[1] * q[1];
          im += p[0] * q[1] + p[1] * q[0];
        }
        out[2 * (9 * k + 3 * i + j)] = re;
        out[2 * (9 * k + 3 * i + j) + 1] = im;
      }
}

static const struct formula {
  const char *spec;
  int numbers; /* doubles of a vector */
  int d;
  void (*bind)(int d, const double *a, const double *b, double *out);
} formulas[] = {
  { "map;dim=101", 101, 101, by_product },
  { "map;dim=101;variant=continuous;dtype=float64", 101, 101, by_product },
  { "hrr;dim=101", 101, 101, by_convolution },
  { "hrr;dim=64;dtype=float64", 64, 64, by_convolution },
  { "fhrr;dim=101", 202, 101, by_phase },
  { "bsc;dim=101", 101, 101, by_xor },
  { "bsc;dim=101;dtype=uint8", 101, 101, by_xor },
  { "bsdc;dim=101", 101, 101, by_xor },
  { "bsdc_seg;segments=13;block=7", 13, 13, by_modulus_7 },
  { "ghrr;dim=11", 198, 11, by_matrices },
  { "vtb;dim=121", 121, 121, by_blocks },
  { "mcr;dim=101", 101, 101, by_modulus_64 },
  { "cgr;dim=101", 101, 101, by_modulus_64 },
};
enum { FORMULAS = sizeof formulas / sizeof formulas[0] };

static bool near(int n, const double *got, const double *want, double tolerance)
{
  for (int i = 0; got && i < n; i++)
    if (!(fabs(got[i] - want[i]) <= tolerance)) {
      diag("element %d is %.9g, not %.9g", i, got[i], want[i]);
      return false;
    }
  return got != NULL;
}

static void binding(const char *backend)
{
  for (int f = 0; f < FORMULAS; f++) {
    const struct formula *m = &formulas[f];
    if (!vsa_computes(m->spec))
      continue;
    hed_vsa *v = vsa_model(m->spec);
    HED_SCOPE {
      hed_array *x = vsa_some(v, 3, 7), *a = hed_index(x, 0, 0), *b = hed_index(x, 0, 1);
      double *p = vsa_doubles(a), *q = vsa_doubles(b), *got = vsa_doubles(hed_vsa_bind(v, a, b));
      double *want = malloc((size_t)m->numbers * sizeof *want);
      m->bind(m->d, p, q, want);
      ok(near(m->numbers, got, want, 2e-6), "%s, %s: bind is its formula", backend, m->spec);
      hed_array *all = hed_vsa_bind_all(v, x, 0);
      hed_array *folded = hed_vsa_bind(v, hed_vsa_bind(v, a, b), hed_index(x, 0, 2));
      ok(same_array(all, folded), "%s, %s: bind_all is bind of bind", backend, m->spec);
      free(p);
      free(q);
      free(got);
      free(want);
    }
    hed_vsa_release(v);
  }
}

/* ---- flags ---- */

static const char *const all_models[] = {
  "map;dim=1000", "map;dim=1000;layout=packed", "map;dim=1000;variant=continuous", "hrr;dim=1000", "hrr;dim=1000;inverse=unitary",
  "hrr;dim=1000;inverse=exact;dtype=float64", "fhrr;dim=1000", "bsc;dim=1000", "bsc;dim=1000;layout=packed", "bsdc;dim=1000",
  "bsdc;dim=1000;layout=packed", "bsdc;dim=1000;variant=cdt", "bsdc;dim=1000;variant=shift", "bsdc_seg;segments=50;block=20",
  "bsdc_seg;segments=50;block=20;variant=xor", "ghrr;dim=300", "ghrr;dim=300;block=1", "vtb;dim=1024", "vtb_shift;dim=1000",
  "mcr;dim=1000", "cgr;dim=1000"
};
enum { MODELS = sizeof all_models / sizeof all_models[0] };

static uint32_t flags_of(const hed_vsa *v)
{
  hed_vsa_info info = { .struct_size = sizeof info };
  return hed_vsa_info_of(v, &info) == HED_OK ? info.flags : 0;
}

static double between(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  return vsa_item(hed_vsa_similarity(v, a, b));
}

static void flags(const char *backend)
{
  for (int k = 0; k < MODELS; k++) {
    if (!vsa_computes(all_models[k]))
      continue;
    hed_vsa *v = vsa_model(all_models[k]);
    const uint32_t flag = flags_of(v);
    const bool xor = strstr(all_models[k], "xor") != NULL; /* the measure tells no two-hot segments apart */
    HED_SCOPE {
      hed_array *x = vsa_some(v, 3, 11), *a = hed_index(x, 0, 0), *b = hed_index(x, 0, 1), *c = hed_index(x, 0, 2);
      hed_array *ab = hed_vsa_bind(v, a, b), *ba = hed_vsa_bind(v, b, a);
      is_int(between(v, ab, ba) > 0.9999, (flag & HED_VSA_COMMUTATIVE) != 0, "%s, %s: commutative", backend, all_models[k]);
      hed_array *left = hed_vsa_bind(v, ab, c), *right = hed_vsa_bind(v, a, hed_vsa_bind(v, b, c));
      is_int(between(v, left, right) > 0.9999, (flag & HED_VSA_ASSOCIATIVE) != 0, "%s, %s: associative", backend, all_models[k]);
      is_int(between(v, hed_vsa_unbind(v, ab, b), a) > 0.9999, (flag & HED_VSA_EXACT_INVERSE) != 0, "%s, %s: exact inverse",
             backend, all_models[k]);
      if (!xor)
        is_int(between(v, hed_vsa_bind(v, ab, b), a) > 0.9999, (flag & HED_VSA_SELF_INVERSE) != 0, "%s, %s: its own inverse",
               backend, all_models[k]);
      hed_array *one = hed_vsa_identity(v);
      is_int(one && between(v, hed_vsa_bind(v, a, one), a) > 0.9999, (flag & HED_VSA_HAS_IDENTITY) != 0, "%s, %s: identity",
             backend, all_models[k]);
      if (!(flag & HED_VSA_HAS_IDENTITY))
        is_int(hed_error(), HED_E_UNSUPPORTED, "%s, %s: says that it has none", backend, all_models[k]);
      hed_array *inverse = hed_vsa_inverse_of(v, b);
      if (inverse)
        ok(between(v, hed_vsa_bind(v, ab, inverse), hed_vsa_unbind(v, ab, b)) > 0.9999, "%s, %s: unbind binds the inverse", backend,
           all_models[k]);
      hed_array *there = hed_vsa_permute(v, a, 13);
      ok(between(v, there, a) < 0.7 && same_array(hed_vsa_permute(v, there, -13), a), "%s, %s: permute there and back", backend,
         all_models[k]);
      ok(between(v, a, a) > 0.9999 && between(v, a, b) < 0.7, "%s, %s: similar to itself, not to another", backend, all_models[k]);
    }
    hed_vsa_release(v);
  }
}

/* ---- bundles ---- */

/* The bundle of the first N of X by the formula of its model, in doubles, TIE on ties. */
static void majority(int d, int n, const double *x, const double *tie, double low, double *out)
{
  for (int i = 0; i < d; i++) {
    double sum = 0;
    for (int k = 0; k < n; k++)
      sum += x[k * d + i] > 0 ? 1 : -1;
    double own = tie[i]; /* bound to the product of all, moved on by a place: of +-1 by product, of bits by xor */
    for (int k = 0; k < n && n % 2 == 0; k++) {
      const double other = x[k * d + (i + d - 1) % d];
      own = low < 0 ? own * other : (double)((own != 0) ^ (other != 0));
    }
    out[i] = sum > 0 ? 1 : sum < 0 ? low : own;
  }
}

static void binary_bundles(const char *backend)
{
  static const struct { const char *spec; double low; } models[] = { { "map;dim=333", -1 }, { "bsc;dim=333", 0 } };
  for (int k = 0; k < 2; k++) {
    hed_vsa *v = vsa_model(models[k].spec);
    HED_SCOPE for (int n = 1; n <= 6; n++) {
      hed_array *x = vsa_some(v, n, 5);
      double *all = vsa_doubles(x), *tie = vsa_doubles(hed_vsa_tie_vector(v)), *got = vsa_doubles(hed_vsa_bundle(v, x, 0, NULL));
      double want[333];
      majority(333, n, all, tie, models[k].low, want);
      ok(near(333, got, want, 0), "%s, %s: majority of %d", backend, models[k].spec, n);
      free(all);
      free(tie);
      free(got);
    }
    hed_vsa_release(v);
  }
}

/* Numbers that are to be vectors have no first one among them: their zeros are the tie vector's, whatever the layout. */
static void ties_of_numbers(const char *backend)
{
  static const char *const specs[] = { "map;dim=70;tie=first", "map;dim=70;tie=first;layout=packed", "bsc;dim=70;tie=first",
                                       "bsc;dim=70;tie=first;layout=packed" };
  for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++)
    HED_SCOPE {
      hed_vsa *v = vsa_model(specs[k]);
      hed_array *tie = hed_vsa_tie_vector(v), *two = hed_stack(2, (const hed_array *[]){ tie, tie }, 0);
      ok(same_array(hed_vsa_quantise(v, hed_zeros(HED_SHAPE(70), HED_FLOAT32)), tie) &&
           same_array(hed_vsa_quantise(v, hed_zeros(HED_SHAPE(2, 70), HED_FLOAT32)), two),
         "%s, %s: zeros are the tie vector's", backend, specs[k]);
      ok(!hed_vsa_quantise(v, hed_zeros(HED_SHAPE(70), HED_COMPLEX64)) && hed_error() == HED_E_DTYPE,
         "%s, %s: complex numbers are refused", backend, specs[k]);
      has_str(hed_error_text(), "x is complex64, numbers of", "by their dtype");
      hed_vsa_release(v);
    }
}

static void sparse_bundles(const char *backend)
{
  hed_vsa *v = vsa_model("bsdc;dim=400");
  HED_SCOPE for (int n = 1; n <= 5; n++) {
    hed_array *x = vsa_some(v, n, 5);
    double *all = vsa_doubles(x), *rank = vsa_doubles(hed_vsa_tie_vector(v)), *got = vsa_doubles(hed_vsa_bundle(v, x, 0, NULL));
    double want[400], score[400];
    for (int i = 0; i < 400; i++) {
      score[i] = 0;
      for (int k = 0; k < n; k++)
        score[i] += all[k * 400 + i];
      score[i] = score[i] > 0 ? score[i] * 400 - rank[i] : -1e9;
    }
    for (int i = 0; i < 400; i++) { /* of the 20 best */
      int better = 0;
      for (int j = 0; j < 400; j++)
        better += score[j] > score[i];
      want[i] = better < 20 && score[i] > -1e8;
    }
    ok(near(400, got, want, 0), "%s: the 20 places with most ones, of %d", backend, n);
    if (n == 1)
      ok(near(400, got, all, 0), "%s: a sparse vector alone stays itself", backend);
    free(all);
    free(rank);
    free(got);
  }
  HED_SCOPE {
    hed_array *some = vsa_some(v, 1, 5), *half = hed_vsa_bind(v, some, hed_vsa_permute(v, some, 0)); /* no ones at all */
    hed_array *x = hed_concatenate(2, (const hed_array *const[]){ hed_slice(hed_index(some, 0, 0), 1, &HED_RANGE(0, 200, 1)),
                                      hed_slice(hed_index(half, 0, 0), 1, &HED_RANGE(200, 400, 1)) }, 0);
    ok(same_array(hed_vsa_bundle(v, hed_expand_dims(x, 0), 0, NULL), x), "%s: nor does one of few ones get others", backend);
  }
  hed_vsa_release(v);
}

static void sums(const char *backend)
{
  hed_vsa *v = vsa_model("fhrr;dim=100"), *h = vsa_model("hrr;dim=100"), *m = vsa_model("mcr;dim=100;block=12");
  HED_SCOPE {
    const double weights[3] = { 2, -1, 0.5 };
    hed_array *w = hed_from_doubles(weights, HED_SHAPE(3), HED_FLOAT32);
    hed_array *x = vsa_some(v, 3, 9), *y = vsa_some(h, 3, 9), *z = vsa_some(m, 3, 9);
    double *a = vsa_doubles(x), *got = vsa_doubles(hed_vsa_bundle(v, x, 0, w)), want[200], norm = 0, wanted[100];
    for (int i = 0; i < 100; i++) {
      double re = 0, im = 0;
      for (int k = 0; k < 3; k++)
        re += weights[k] * a[200 * k + 2 * i], im += weights[k] * a[200 * k + 2 * i + 1];
      want[2 * i] = re / hypot(re, im), want[2 * i + 1] = im / hypot(re, im);
    }
    ok(near(200, got, want, 1e-5), "%s: phasors sum and keep modulus 1", backend);
    free(a);
    free(got);
    a = vsa_doubles(y), got = vsa_doubles(hed_vsa_bundle(h, y, 0, w));
    for (int i = 0; i < 100; i++) {
      wanted[i] = weights[0] * a[i] + weights[1] * a[100 + i] + weights[2] * a[200 + i];
      norm += wanted[i] * wanted[i];
    }
    for (int i = 0; i < 100; i++)
      wanted[i] /= sqrt(norm);
    ok(near(100, got, wanted, 1e-6), "%s: real vectors sum to norm 1", backend);
    free(a);
    free(got);
    a = vsa_doubles(z), got = vsa_doubles(hed_vsa_bundle(m, z, 0, w));
    for (int i = 0; i < 100; i++) {
      double re = 0, im = 0;
      for (int k = 0; k < 3; k++)
        re += weights[k] * cos(pi / 6 * a[100 * k + i]), im += weights[k] * sin(pi / 6 * a[100 * k + i]);
      const double steps = atan2(im, re) * 6 / pi, off = fabs(steps - floor(steps) - 0.5);
      wanted[i] = off < 1e-6 ? got[i] : fmod(floor(steps + 0.5) + 12, 12); /* halfway is either */
    }
    ok(near(100, got, wanted, 0), "%s: phases in steps round the sum's", backend);
    free(a);
    free(got);
    const double minus[2] = { 1, -1 };
    hed_array *pair = hed_stack(2, (const hed_array *[]){ hed_index(x, 0, 0), hed_index(x, 0, 0) }, 0);
    hed_array *nothing = hed_vsa_bundle(v, pair, 0, hed_from_doubles(minus, HED_SHAPE(2), HED_FLOAT32));
    ok(same_array(nothing, hed_vsa_tie_vector(v)), "%s: a sum of nothing is the tie vector", backend);
    hed_array *zero = hed_vsa_bundle(h, hed_zeros(HED_SHAPE(2, 100), HED_FLOAT32), 0, NULL);
    is_near(vsa_item(hed_sum(hed_abs(zero), NULL)), 0, 0, 0, "%s: a sum of norm 0 stays 0", backend);
    is_near(between(h, zero, zero), 0, 0, 0, "%s: and is similar to nothing", backend);
  }
  hed_vsa_release(v);
  hed_vsa_release(h);
  hed_vsa_release(m);
}

static void votes(const char *backend)
{
  hed_vsa *v = vsa_model("bsdc_seg;segments=40;block=5"), *c = vsa_model("cgr;dim=40;block=5");
  HED_SCOPE for (int n = 1; n <= 6; n++) {
    hed_array *x = vsa_some(v, n, 3);
    double *all = vsa_doubles(x), *tie = vsa_doubles(hed_vsa_tie_vector(v)), *got = vsa_doubles(hed_vsa_bundle(v, x, 0, NULL));
    double want[40];
    for (int i = 0; i < 40; i++) {
      int best = -1, first = (int)tie[i];
      for (int k = 0; k < n && n > 1; k++) /* bound to the product of all, moved on by a place */
        first += (int)all[40 * k + (i + 39) % 40];
      for (int j = 0; j < 5; j++) {
        const int index = (first + j) % 5;
        int count = 0;
        for (int k = 0; k < n; k++)
          count += all[40 * k + i] == index;
        if (count > best)
          best = count, want[i] = index;
      }
    }
    ok(near(40, got, want, 0), "%s: the index with most of %d votes", backend, n);
    ok(same_array(hed_vsa_bundle_with(c, x, 0, NULL, hed_vsa_tie_vector(v)),
                  hed_vsa_bundle_with(v, x, 0, NULL, hed_vsa_tie_vector(v))),
       "%s: the most frequent of cyclic groups is the same", backend);
    free(all);
    free(tie);
    free(got);
  }
  hed_vsa_release(v);
  hed_vsa_release(c);
}

static void unitary(const char *backend)
{
  hed_vsa *v = vsa_model("ghrr;dim=20"), *near_one = vsa_model("ghrr;dim=20;diagonality=0.9");
  HED_SCOPE {
    const hed_axes both = HED_AXES(-2, -1);
    hed_array *x = vsa_some(v, 4, 3), *b = hed_vsa_bundle(v, x, 0, NULL), *d = vsa_some(near_one, 1, 3);
    hed_array *one = hed_matmul(b, hed_conj(hed_matrix_transpose(b)));
    is_near(vsa_item(hed_max(hed_abs(hed_subtract(one, hed_identity(3, HED_COMPLEX64))), NULL)), 0, 0, 2e-6,
            "%s: bundles of matrices are unitary", backend);
    /* U = polar(S): U^H S is Hermitian and positive */
    hed_array *s = hed_sum(x, &(hed_reduce){ .axes = HED_AXES(0) });
    hed_array *p = hed_matmul(hed_conj(hed_matrix_transpose(b)), s);
    is_near(vsa_item(hed_max(hed_abs(hed_subtract(p, hed_conj(hed_matrix_transpose(p)))), NULL)), 0, 0, 1e-5,
            "%s: the polar factor leaves a Hermitian one", backend);
    ok(vsa_item(hed_min(hed_eigvalsh(p, false), NULL)) > 0, "%s: that is positive", backend);
    hed_array *off = hed_sum(hed_square(hed_abs(d)), &(hed_reduce){ .axes = both });
    is_near(vsa_item(hed_max(off, NULL)), 3, 0, 1e-5, "%s: near the identity they are unitary too", backend);
    const double trace = vsa_item(hed_mean(hed_abs(hed_diagonal(d, 0, -2, -1)), NULL));
    ok(trace > 0.95, "%s: and nearly diagonal: %g", backend, trace);
    const hed_array *cube = hed_vsa_bind(v, hed_vsa_bind(v, b, b), b);
    is_near(between(v, hed_vsa_power(v, b, 3), cube), 1, 1e-5, 0, "%s: power of matrices", backend);
    is_near(between(v, hed_vsa_power(v, b, -1), hed_vsa_inverse_of(v, b)), 1, 1e-5, 0, "%s: and of their inverses", backend);
  }
  hed_vsa_release(v);
  hed_vsa_release(near_one);
}

/* ---- powers, quantisation, conversion ---- */

static void powers(const char *backend)
{
  static const char *const specs[] = { "fhrr;dim=500", "hrr;dim=500;inverse=unitary", "mcr;dim=500", "bsdc_seg", "map;dim=500",
                                       "bsc;dim=500", "map;dim=500;layout=packed" };
  for (int k = 0; k < (int)(sizeof specs / sizeof specs[0]); k++) {
    hed_vsa *v = vsa_model(specs[k]);
    HED_SCOPE {
      hed_array *x = hed_index(vsa_some(v, 1, 4), 0, 0);
      is_near(between(v, hed_vsa_power(v, x, 3), hed_vsa_bind(v, hed_vsa_bind(v, x, x), x)), 1, 1e-5, 0, "%s, %s: cube", backend,
              specs[k]);
      is_near(between(v, hed_vsa_power(v, x, 0), hed_vsa_identity(v)), 1, 1e-5, 0, "%s, %s: power 0", backend, specs[k]);
      is_near(between(v, hed_vsa_power(v, x, -1), hed_vsa_inverse_of(v, x)), 1, 1e-5, 0, "%s, %s: power -1", backend, specs[k]);
      if (k < 2)
        is_near(between(v, hed_vsa_bind(v, hed_vsa_power(v, x, 0.25), hed_vsa_power(v, x, 0.75)), x), 1, 5e-3, 0,
                "%s, %s: a quarter and three, but for the elements that are real", backend, specs[k]);
      else
        ok(!hed_vsa_power(v, x, 0.5) && hed_error() == HED_E_INVAL, "%s, %s: no half", backend, specs[k]);
    }
    hed_vsa_release(v);
  }
}

static void conversions(const char *backend)
{
  hed_vsa *map = vsa_model("map;dim=130"), *bsc = vsa_model("bsc;dim=130"), *bits = vsa_model("bsc;dim=130;layout=packed");
  hed_vsa *fhrr = vsa_model("fhrr;dim=130"), *mcr = vsa_model("mcr;dim=130"), *one = vsa_model("ghrr;dim=130;block=1");
  hed_vsa *sparse = vsa_model("bsdc;dim=130"), *seg = vsa_model("bsdc_seg;segments=13;block=10");
  HED_SCOPE {
    hed_array *x = vsa_some(map, 3, 4), *b = hed_vsa_convert(map, x, bsc), *p = hed_vsa_convert(map, x, bits);
    ok(same_array(b, hed_less_scalar(x, 0)), "%s: -1 of MAP is 1 of BSC", backend);
    ok(same_array(hed_vsa_convert(bits, p, map), x) && same_array(hed_vsa_unpack(bits, p), b) && same_array(hed_vsa_pack(bsc, b), p),
       "%s: packed and back", backend);
    ok(same_array(hed_vsa_convert(map, hed_vsa_bind(map, hed_index(x, 0, 0), hed_index(x, 0, 1)), bits),
                hed_vsa_bind(bits, hed_index(p, 0, 0), hed_index(p, 0, 1))), "%s: so that products are the same", backend);
    hed_array *phase = vsa_some(mcr, 2, 4), *z = hed_vsa_convert(mcr, phase, fhrr);
    ok(same_array(hed_vsa_convert(fhrr, z, mcr), phase), "%s: phases to phasors and back", backend);
    hed_array *matrices = hed_vsa_convert(fhrr, z, one);
    ok(matrices && hed_array_ndim(matrices) == 4 && same_array(hed_vsa_convert(one, matrices, fhrr), z), "%s: and to 1 x 1 matrices",
       backend);
    ok(!hed_vsa_convert(map, x, fhrr) && hed_error() == HED_E_UNSUPPORTED, "%s: signs have no phases", backend);
    ok(same_array(hed_vsa_quantise(map, hed_multiply_scalar(hed_astype(x, HED_FLOAT32), 0.3)), x), "%s: quantise signs", backend);
    ok(same_array(hed_vsa_quantise(bits, hed_negative(hed_astype(x, HED_FLOAT32))), p), "%s: quantise to bits", backend);
    hed_array *few = vsa_some(sparse, 2, 4), *hot = vsa_some(seg, 2, 4);
    ok(same_array(hed_vsa_quantise(sparse, hed_multiply_scalar(few, 2)), few), "%s: quantise to few ones", backend);
    hed_array *one_hot = hed_equal(hed_expand_dims(hot, -1), hed_arange_int(0, 10, 1, HED_UINT8));
    ok(same_array(hed_vsa_quantise(seg, hed_reshape(one_hot, HED_SHAPE(2, 130))), hot), "%s: quantise to segments", backend);
    hed_array *unit = hed_vsa_quantise(fhrr, hed_multiply_scalar(z, 2.5));
    is_near(vsa_item(hed_max(hed_abs(hed_subtract(unit, z)), NULL)), 0, 0, 1e-6, "%s: quantise to modulus 1", backend);
  }
  hed_vsa *const all[] = { map, bsc, bits, fhrr, mcr, one, sparse, seg };
  for (int k = 0; k < 8; k++)
    hed_vsa_release(all[k]);
}

/* Variants of sparse binding. */
static void sparse_binding(const char *backend)
{
  hed_vsa *cdt = vsa_model("bsdc;dim=2500;variant=cdt"), *shift = vsa_model("bsdc;dim=101;variant=shift");
  hed_vsa *dense = vsa_model("bsdc;dim=300;majority=1");
  HED_SCOPE {
    for (int n = 2; n <= 6; n += 2) {
      hed_array *x = vsa_some(cdt, n, 2), *z = hed_vsa_bind_all(cdt, x, 0);
      hed_array *any = hed_any(x, &(hed_reduce){ .axes = HED_AXES(0) });
      is_near(vsa_item(hed_count_nonzero(z, NULL)), 50, 0, 0, "%s: thinning %d leaves k ones", backend, n);
      is_near(vsa_item(hed_count_nonzero(hed_logical_and(z, hed_logical_not(any)), NULL)), 0, 0, 0, "%s: of theirs", backend);
      const double s = between(cdt, z, hed_index(x, 0, 0));
      ok(s > 0.5 / n && s < 1.6 / n, "%s: about an equal share of each: %g of 1/%d", backend, s, n);
    }
    hed_array *y = vsa_some(shift, 2, 2);
    double *a = vsa_doubles(hed_index(y, 0, 0)), *b = vsa_doubles(hed_index(y, 0, 1)), want[101];
    double *got = vsa_doubles(hed_vsa_bind(shift, hed_index(y, 0, 0), hed_index(y, 0, 1)));
    int by = 0;
    for (int i = 0; i < 101; i++)
      by += b[i] != 0 ? i : 0;
    for (int i = 0; i < 101; i++)
      want[(i + by) % 101] = a[i];
    ok(near(101, got, want, 0), "%s: rolled by the sum of places", backend);
    free(a);
    free(b);
    free(got);
    hed_array *m = hed_vsa_bundle(dense, hed_ones(HED_SHAPE(3, 300), HED_BOOL), 0, NULL);
    is_near(vsa_item(hed_count_nonzero(m, NULL)), 300, 0, 0, "%s: the majority may have any number of ones", backend);
    ok(!hed_vsa_unbind_left(shift, hed_index(y, 0, 0), hed_index(y, 0, 1)) && hed_error() == HED_E_UNSUPPORTED,
       "%s: places cannot be had from their sum", backend);
  }
  hed_vsa_release(cdt);
  hed_vsa_release(shift);
  hed_vsa_release(dense);
}

/* ---- bad input ---- */

static void refused(const char *spec, hed_status status, const char *part)
{
  hed_vsa *v = (hed_vsa *)&status;
  is_int(hed_vsa_by_name(spec, &v), status, "%s is refused", spec);
  has_str(hed_error_text(), part, "%s: by name", spec);
  ok(!v, "%s: nothing comes out", spec);
}

static void errors(void)
{
  refused("vtb;dim=10", HED_E_SHAPE, "9 and 16");
  refused("bsdc_seg;dim=10;segments=3", HED_E_SHAPE, "3 times 3");
  refused("bsdc_seg;dim=101", HED_E_SHAPE, "100 and 121");
  refused("ghrr;block=65", HED_E_INVAL, "block is 65");
  refused("hrr;layout=packed", HED_E_UNSUPPORTED, "not binary");
  refused("map;layout=packed;variant=clipped", HED_E_UNSUPPORTED, "layout");
  refused("fhrr;dtype=float32", HED_E_DTYPE, "complex64");
  refused("fhrr;variant=cdt", HED_E_INVAL, "variant");
  refused("bsc;sparsity=0.1", HED_E_INVAL, "sparsity");
  refused("bsdc;sparsity=0.7", HED_E_INVAL, "0.7");
  refused("ghrr;diagonality=1", HED_E_INVAL, "diagonality");
  refused("mcr;block=1", HED_E_INVAL, "block is 1");
  refused("bsdc_seg;block=70000", HED_E_INVAL, "block is 70000");
  refused("map;bernoulli=1", HED_E_INVAL, "bernoulli, which is 1");
  refused("map;dim=-3", HED_E_INVAL, "dim is -3");
  refused("hrr;tie=one", HED_E_INVAL, "tie");
  refused("xyz", HED_E_NOTFOUND, "xyz");
  refused("map;dims=3", HED_E_INVAL, "dims");
  refused("fhr", HED_E_NOTFOUND, "\"fhr\"; did you mean 'fhrr'? There are map, hrr, fhrr");
  refused("map;seeed=1", HED_E_INVAL, "did you mean 'seed'? There are dim, variant");
  refused("hrr;inverse=unitray", HED_E_INVAL, "of inverse; did you mean 'unitary'? There are involution, exact, unitary");
  refused("map;dim=3x", HED_E_INVAL, "dim=3x");
  refused("map;dim=", HED_E_INVAL, "dim");
  refused("map;dim=99999999999999999999", HED_E_INVAL, "dim");
  refused("map;seed=-1", HED_E_INVAL, "seed");
  refused("map;tie=never", HED_E_INVAL, "tie");
  refused("map;", HED_E_INVAL, "option");
  hed_vsa *v = vsa_model("map;dim=65"), *p = vsa_model("MAP;Dim=65;layout=Packed"), *b = NULL;
  hed_vsa_info info = { .struct_size = sizeof info };
  is_int(hed_vsa_info_of(p, &info), HED_OK, "what a model is");
  ok(info.shape.ndim == 1 && info.shape.dim[0] == 2 && info.dtype == HED_UINT64 && info.options.dim == 65,
     "two words for 65 elements");
  is_int(hed_vsa_create((hed_vsa_model)99, NULL, &b), HED_E_INVAL, "no such model");
  HED_SCOPE {
    hed_array *x = vsa_some(v, 2, 1), *y = hed_zeros(HED_SHAPE(64), HED_INT8), *w = hed_ones(HED_SHAPE(3), HED_FLOAT32);
    ok(!hed_vsa_bind(v, x, y) && hed_error() == HED_E_SHAPE, "another dimension");
    has_str(hed_error_text(), "b has shape (64)", "names the argument");
    has_str(hed_error_text(), "(65)", "and what it should be");
    ok(!hed_vsa_bind(v, vsa_some(p, 1, 1), x) && hed_error() == HED_E_DTYPE, "packed where plain is wanted");
    has_str(hed_error_text(), "a is uint64, map vectors are int8", "names both");
    ok(!hed_vsa_bundle(v, x, 0, w) && hed_error() == HED_E_SHAPE, "three weights for two vectors");
    ok(!hed_vsa_bundle(v, x, 1, NULL) && hed_error() == HED_E_AXIS, "an axis that is the vector's");
    ok(!hed_vsa_bundle(v, hed_slice(x, 1, &HED_RANGE(0, 0, 1)), 0, NULL) && hed_error() == HED_E_INVAL, "nothing to bundle");
    w = hed_full(HED_SHAPE(2), NAN, HED_FLOAT32);
    ok(!hed_vsa_bundle(v, x, 0, w) && hed_error() == HED_E_INVAL, "weights that are no numbers");
    ok(!hed_vsa_bundle_with(v, x, 0, NULL, y) && hed_error() == HED_E_SHAPE, "another dimension of ties");
    ok(!hed_vsa_permute_by(v, x, hed_arange_int(0, 64, 1, HED_INT64)) && hed_error() == HED_E_SHAPE, "an order that is too short");
    hed_array *none = hed_vsa_bind(v, hed_slice(x, 1, &HED_RANGE(0, 0, 1)), hed_index(x, 0, 0));
    ok(none && hed_array_shape(none).dim[0] == 0, "an empty batch gives an empty one");
    none = hed_vsa_similarity_matrix(v, hed_slice(x, 1, &HED_RANGE(0, 0, 1)), x);
    ok(none && hed_array_shape(none).dim[0] == 0 && hed_array_shape(none).dim[1] == 2, "no similarities of nothing");
    hed_error_clear();
    ok(!hed_vsa_bind(v, NULL, x) && hed_error() == HED_E_INVAL, "NULL");
    ok(!hed_vsa_random(NULL, NULL, NULL) && hed_error() == HED_E_INVAL, "no model");
  }
  hed_vsa_release(v);
  hed_vsa_release(p);
  hed_vsa *exact = vsa_model("hrr;dim=8;inverse=exact");
  HED_SCOPE {
    hed_array *x = vsa_some(exact, 1, 1), *flat = hed_ones(HED_SHAPE(8), HED_FLOAT32);
    ok(!hed_vsa_unbind(exact, x, flat) && hed_error() == HED_E_SINGULAR, "a spectrum with zeros has no inverse");
  }
  hed_vsa_release(exact);
}

/* Bytes of arrays that are alive in the space in force. */
static size_t alive(void)
{
  hed_memory_info info = { .struct_size = sizeof info };
  if (hed_memory_query(NULL, &info) != HED_OK)
    diag("%s", hed_error_text());
  return info.in_use;
}

static void nothing_left(const char *backend)
{
  static const char *const specs[] = { "map;dim=64", "hrr;dim=64", "fhrr;dim=64", "bsc;dim=64;layout=packed", "bsdc;dim=64",
                                       "bsdc_seg;dim=64", "ghrr;dim=8", "vtb;dim=64", "vtb_shift;dim=64", "mcr;dim=64", "cgr;dim=64" };
  for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++) {
    hed_vsa *v = vsa_model(specs[k]);
    size_t before = 0;
    for (int round = 0; round < 2; round++) { /* the first makes what the model keeps */
      before = alive();
      HED_SCOPE {
        hed_array *x = vsa_some(v, 3, 1), *one = hed_vsa_bind(v, x, hed_vsa_symbol(v, "a"));
        hed_array *sum = hed_vsa_bundle(v, hed_vsa_unbind(v, one, x), 0, NULL);
        hed_array *like = hed_vsa_similarity(v, hed_vsa_normalise(v, hed_vsa_permute(v, sum, 3)), x);
        hed_array *all = hed_vsa_similarity_matrix(v, x, one);
        if (hed_wait(like) != HED_OK || hed_wait(all) != HED_OK)
          fail("%s, %s: %s", backend, specs[k], hed_error_text());
      }
    }
    ok(alive() == before, "%s, %s: arithmetic leaves no arrays: %zu bytes, %zu before", backend, specs[k], alive(), before);
    hed_vsa_release(v);
  }
}

static void decimal_comma(void)
{
  hed_vsa *v = NULL;
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
    skip(2, "no locale de_DE.UTF-8");
    return;
  }
  hed_vsa_info info = { .struct_size = sizeof info };
  is_int(hed_vsa_by_name("bsdc;dim=100;sparsity=0.25", &v), HED_OK, "a number with a point where the locale has a comma");
  ok(v && hed_vsa_info_of(v, &info) == HED_OK && info.options.sparsity == 0.25, "... that number: %g", info.options.sparsity);
  hed_vsa_release(v);
  setlocale(LC_NUMERIC, "C");
}

int main(void)
{
  vsa_on_each(binding);
  vsa_on_each(flags);
  vsa_on_each(binary_bundles);
  vsa_on_each(ties_of_numbers);
  vsa_on_each(sparse_bundles);
  vsa_on_each(sums);
  vsa_on_each(votes);
  vsa_on_each(unitary);
  vsa_on_each(powers);
  vsa_on_each(conversions);
  vsa_on_each(sparse_binding);
  vsa_on_each(nothing_left);
  errors();
  decimal_comma();
  return done();
}
