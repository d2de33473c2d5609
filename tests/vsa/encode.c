// SPDX-License-Identifier: BSD-3-Clause
/* Encoders of the vsa kit: kernels against their formulas, decoding against what went in, sequences, pictures and structures against
 * the arithmetic that defines them, on every backend.
 */
#include "gen.h"
#include "narrow.h"
#include "tap.h"
#include <heddle.h>
#include <heddle/kits/vsa_encode.h>
#include <math.h>
#include <string.h>

static const char *where; /* the context in force */

static hed_vsa *model(const char *spec)
{
  hed_vsa *v = NULL;
  if (hed_vsa_by_name(spec, &v) != HED_OK)
    bail("%s: %s", spec, hed_error_text());
  return v;
}

static hed_vsa_encoder *scalars(const hed_vsa *v, const hed_vsa_scalar_options *o)
{
  hed_vsa_encoder *e = NULL;
  if (hed_vsa_encoder_scalar(v, o, &e) != HED_OK)
    diag("%s: %s", where, hed_error_text());
  return e;
}

static hed_array *numbers(int64_t n, const double *x) { return hed_from_doubles(x, HED_SHAPE(n), HED_FLOAT32); }

/* The only element of X; NaN and a comment where there is none. */
static double value(const hed_array *x)
{
  double v = NAN;
  if (!x || hed_item(x, &v) != HED_OK)
    diag("%s: %s", where, hed_error_text());
  return v;
}

static double farthest(const hed_array *a, const hed_array *b) { return value(hed_max(hed_abs(hed_subtract(a, b)), NULL)); }

static bool equal(const hed_array *a, const hed_array *b) { return value(hed_all(hed_equal(a, b), NULL)) == 1; }

/* ---- kernels ---- */

static double sinc(double x) { return x == 0 ? 1 : sin(M_PI * x) / (M_PI * x); }

static double dirichlet(int64_t period, double x)
{
  double sum = 0;
  for (int64_t k = -((period - 1) / 2); k <= period / 2; k++)
    sum += cos(2 * M_PI * (double)k * x / (double)period);
  return sum / (double)period;
}

static double kernel(int32_t phases, int64_t period, double x)
{
  const double s = sqrt(3) * fabs(x);
  switch (phases) {
  case HED_VSA_PHASES_UNIFORM: return sinc(x);
  case HED_VSA_PHASES_GAUSSIAN: return exp(-x * x / 2);
  case HED_VSA_PHASES_LAPLACE: return 1 / (1 + x * x);
  case HED_VSA_PHASES_CAUCHY: return exp(-fabs(x));
  case HED_VSA_PHASES_STUDENT3: return (1 + s) * exp(-s);
  default: return dirichlet(period, x);
  }
}

static const struct { const char *spec; double freedom; } powers[] = {
  { "fhrr;dim=2000;seed=1", 4000 }, { "hrr;dim=2000;seed=2", 2000 }, { "hrr;dim=1999;seed=3", 1999 }, { "vtb;dim=2025;seed=4", 2025 },
  { "ghrr;dim=400;block=3;seed=5", 2400 },
};

/* Fewer models on the faulty device, whose delays add up. */
static size_t model_step(void) { return strncmp(where, "faulty", 6) == 0 ? 3 : 1; }

static void kernels(void)
{
  static const double x[] = { 0.1, 0.1, 0.15, 0.2, 0.3, 0.45, 0.6, 0.85, 1 };
  for (size_t m = 0; m < sizeof powers / sizeof powers[0]; m += model_step()) {
    hed_vsa *v = model(powers[m].spec);
    double worst = 0;
    for (int32_t phases = 0; phases <= HED_VSA_PHASES_INTEGER; phases++)
      HED_SCOPE {
        const hed_vsa_scalar_options o = { .bandwidth = 5, .phases = phases, .period = phases == HED_VSA_PHASES_INTEGER ? 4 : 0 };
        hed_vsa_encoder *e = scalars(v, &o);
        hed_array *h = hed_vsa_encode(e, numbers(9, x)), *s = hed_vsa_similarity(v, hed_index(h, 0, 0), h);
        for (int k = 1; k < 9; k++)
          worst = fmax(worst, fabs(value(hed_index(s, 0, k)) - kernel(phases, 4, 5 * (x[k] - x[0]))));
        hed_vsa_encoder_release(e);
      }
    ok(worst < 5 / sqrt(powers[m].freedom), "%s: kernels of %s: off by %.3g", where, powers[m].spec, worst);
    hed_vsa_release(v);
  }
}

static void homomorphism(void)
{
  static const double x[] = { 0.25, 0.5, 0.75 };
  hed_vsa *v = model("hrr;dim=1000");
  HED_SCOPE {
    hed_vsa_encoder *e = scalars(v, &(hed_vsa_scalar_options){ .bandwidth = 9 });
    hed_array *h = hed_vsa_encode(e, numbers(3, x));
    hed_array *both = hed_vsa_bind(v, hed_index(h, 0, 0), hed_index(h, 0, 1));
    is_near(value(hed_vsa_similarity(v, both, hed_index(h, 0, 2))), 1, 0, 1e-5, "%s: powers of hrr add under bind", where);
    is_near(value(hed_min(hed_abs(hed_rfft1(h, NULL)), NULL)), 1, 0, 1e-4, "%s: for spectra have modulus 1, to the last", where);
    hed_vsa_encoder_release(e);
  }
  hed_vsa_release(v);
}

/* ---- decoding ---- */

static void decoding(void)
{
  static const char *const specs[] = { "fhrr;dim=900;seed=1", "hrr;dim=900;seed=2", "hrr;dim=899;seed=3", "vtb;dim=900;seed=4",
                                       "ghrr;dim=180;block=3;seed=5" };
  double x[6];
  for (int k = 0; k < 6; k++)
    x[k] = -50 + 100 * (k * 0.1934 + 0.003);
  for (size_t m = 0; m < sizeof specs / sizeof specs[0]; m += model_step()) {
    hed_vsa *v = model(specs[m]);
    double worst = 0, least = 1, chance = 0;
    for (int32_t phases = 0; phases <= HED_VSA_PHASES_INTEGER; phases++)
      for (int mixture = 0; mixture < 3; mixture += 2)
        HED_SCOPE {
          const hed_vsa_scalar_options o = { .range = { -50, 50, HED_VSA_CLIP }, .bandwidth = 6, .phases = phases, .period = 40,
                                             .mixture = mixture, .bandwidths = { 3, 8 }, .weights = { 0.5, 0.5 } };
          hed_vsa_encoder *e = scalars(v, &o);
          hed_array *in = numbers(6, x), *h = hed_vsa_encode(e, in), *s = NULL;
          hed_array *out = hed_vsa_decode(e, h, &(hed_vsa_decode_options){ .similarity = &s, .strict = true });
          worst = fmax(worst, farthest(out, in));
          least = fmin(least, value(hed_min(s, NULL)));
          hed_array *noise = hed_vsa_random(v, &HED_SHAPE(4), &(hed_random){ .seed = 9, .seeded = true });
          hed_array *found = hed_vsa_decode(e, noise, &(hed_vsa_decode_options){ .strict = true });
          chance += value(hed_sum(hed_astype(hed_isnan(found), HED_FLOAT32), NULL));
          hed_vsa_encoder_release(e);
        }
    ok(worst < 0.1, "%s: what %s decodes is off by %.3g of 100", where, specs[m], worst);
    ok(least > 0.8, "%s: at similarities from %.3g", where, least);
    ok(chance >= 12, "%s: %g of 48 random vectors are no numbers when it is strict", where, chance);
    hed_vsa_release(v);
  }
}

static void in_noise(void)
{
  static const double x[] = { 0.123, 0.5, 0.987 };
  hed_vsa *v = model("fhrr;dim=4000");
  HED_SCOPE {
    hed_vsa_encoder *e = scalars(v, &(hed_vsa_scalar_options){ .bandwidth = 10 });
    hed_array *in = numbers(3, x), *h = hed_vsa_encode(e, in), *other = hed_vsa_random(v, &HED_SHAPE(3), NULL);
    hed_array *both = hed_vsa_bundle(v, hed_stack(2, (const hed_array *const[]){ h, other }, 1), -1, NULL);
    ok(farthest(hed_vsa_decode(e, both, NULL), in) < 5e-3, "%s: numbers in bundles of two", where);
    hed_vsa_encoder_release(e);
  }
  hed_vsa_release(v);
}

static void ranges(void)
{
  static const double x[] = { -1, 0, 2.5, 5, 7 };
  hed_vsa *v = model("fhrr;dim=500");
  HED_SCOPE {
    hed_vsa_scalar_options o = { .range = { 0, 5, HED_VSA_CLIP } };
    hed_vsa_encoder *clip = scalars(v, &o);
    o.range.outside = HED_VSA_WRAP;
    hed_vsa_encoder *wrap = scalars(v, &o);
    o.range.outside = HED_VSA_REFUSE;
    hed_vsa_encoder *refuse = scalars(v, &o);
    hed_array *in = numbers(5, x), *a = hed_vsa_encode(clip, in), *b = hed_vsa_encode(wrap, in);
    ok(equal(hed_index(a, 0, 0), hed_index(a, 0, 1)) && equal(hed_index(a, 0, 3), hed_index(a, 0, 4)), "%s: clipped", where);
    ok(farthest(hed_index(b, 0, 4), hed_vsa_encode(wrap, hed_scalar(2))) < 1e-5, "%s: wrapped", where);
    ok(hed_vsa_encode(refuse, in) == NULL && hed_error() == HED_E_RANGE, "%s: refused", where);
    has_str(hed_error_text(), "x has -1 at place 0, the range is [0, 5]", "%s: and named", where);
    hed_error_clear();
    hed_vsa_encoder_release(clip);
    hed_vsa_encoder_release(wrap);
    hed_vsa_encoder_release(refuse);
  }
  hed_vsa_release(v);
}

/* ---- levels ---- */

static const char *const all_models[] = {
  "map;dim=1500", "map;dim=1500;layout=packed", "map;dim=1500;variant=continuous", "hrr;dim=1500", "fhrr;dim=1500", "bsc;dim=1500",
  "bsc;dim=1500;layout=packed", "bsdc;dim=1500;sparsity=0.05", "bsdc_seg;segments=1000;block=16", "ghrr;dim=300", "vtb;dim=1521",
  "mcr;dim=1500", "cgr;dim=1500",
};
enum { MODELS = sizeof all_models / sizeof all_models[0] };

/* Similarity of level 0 of N with level K, as a share of the way from that of unlike vectors to that of equal ones. */
static double likeness(int32_t kind, int n, int k)
{
  if (kind == HED_VSA_LEVELS_LINEAR)
    return 1 - (double)k / (n - 1);
  return 1 - 2 * fmin(k, n - k) / (double)n;
}

static void levels(void)
{
  enum { N = 9 };
  for (int m = 0; m < MODELS; m++) {
    hed_vsa *v = model(all_models[m]);
    int wrong = 0;
    double worst = 0;
    for (int32_t kind = 0; kind <= HED_VSA_LEVELS_INDEPENDENT; kind++)
      HED_SCOPE {
        double x[N];
        const bool circle = kind == HED_VSA_LEVELS_CIRCULAR;
        for (int k = 0; k < N; k++)
          x[k] = 10 + (circle ? k * 8.0 / N : k);
        hed_vsa_encoder *e = NULL;
        const hed_vsa_level_options o = { .range = { 10, 18, 0 }, .levels = N, .kind = kind };
        hed_status status = hed_vsa_encoder_level(v, &o, &e);
        hed_array *in = numbers(N, x), *h = hed_vsa_encode(e, in), *out = hed_vsa_decode(e, h, NULL);
        if (kind != HED_VSA_LEVELS_THERMOMETER || !strstr(all_models[m], "bsdc;")) /* there the lowest level has no ones */
          wrong += status != HED_OK || farthest(out, in) > 1e-5;
        hed_array *all = hed_vsa_random(v, &HED_SHAPE(2), &(hed_random){ .seed = 3, .seeded = true });
        const double unlike = value(hed_vsa_similarity(v, hed_index(all, 0, 0), hed_index(all, 0, 1)));
        for (int k = 0; k < N && kind <= HED_VSA_LEVELS_CIRCULAR; k++) {
          const double s = value(hed_vsa_similarity(v, hed_index(h, 0, 0), hed_index(h, 0, k)));
          worst = fmax(worst, fabs((s - unlike) / (1 - unlike) - likeness(kind, N, k)));
        }
        hed_vsa_encoder_release(e);
      }
    is_int(wrong, 0, "%s: levels of %s are found again", where, all_models[m]);
    ok(worst < (strstr(all_models[m], "bsdc;") ? 0.35 : 0.2), "%s: and alike as they lie: off by %.3g", where, worst);
    hed_vsa_release(v);
  }
}

static void thermometers(void)
{
  hed_vsa *v = model("map;dim=10"), *packed = model("map;dim=10;layout=packed"), *hrr = model("hrr;dim=1000");
  HED_SCOPE {
    static const double x[] = { 0, 0.25, 0.5, 1, 0.9 };
    const hed_vsa_level_options o = { .levels = 5, .kind = HED_VSA_LEVELS_THERMOMETER };
    hed_vsa_encoder *e = NULL, *p = NULL, *spans = NULL;
    (void)hed_vsa_encoder_level(v, &o, &e);
    (void)hed_vsa_encoder_level(packed, &o, &p);
    hed_array *h = hed_vsa_encode(e, numbers(5, x)), *ones = hed_sum(hed_greater_scalar(h, 0), &(hed_reduce){ .axes = HED_AXES(1) });
    static const int64_t wanted[] = { 0, 3, 5, 10, 10 }; /* places below i 10 / 4 */
    ok(equal(ones, hed_from_host(wanted, HED_SHAPE(5), HED_INT64)), "%s: a thermometer rises", where);
    ok(equal(hed_vsa_encode(p, numbers(5, x)), hed_vsa_pack(packed, h)), "%s: and packed the same", where);
    (void)hed_vsa_encoder_level(hrr, &(hed_vsa_level_options){ .levels = 11, .randomness = 0.5 }, &spans);
    hed_array *l = hed_vsa_encode(spans, hed_linspace(0, 1, 11, HED_FLOAT32));
    hed_array *s = hed_vsa_similarity(hrr, hed_index(l, 0, 0), l); /* spans of 5.5 levels */
    is_near(value(hed_index(s, 0, 3)), 1 - 3 / 5.5, 0, 0.15, "%s: levels of a span", where);
    is_near(value(hed_index(s, 0, 10)), 0, 0, 0.15, "%s: of spans that have nothing in common", where);
    hed_vsa_encoder_release(e);
    hed_vsa_encoder_release(p);
    hed_vsa_encoder_release(spans);
  }
  hed_vsa_release(v);
  hed_vsa_release(packed);
  hed_vsa_release(hrr);
}

/* ---- vectors of numbers ---- */

static void vectors(void)
{
  static const double x[] = { 0.2, 0.7, 0.45, 0.9, 0.1, 0.33 };
  hed_vsa *v = model("fhrr;dim=4000"), *g = model("ghrr;dim=700"), *map = model("map;dim=5000");
  HED_SCOPE {
    hed_array *in = hed_from_doubles(x, HED_SHAPE(2, 3), HED_FLOAT32);
    for (int k = 0; k < 2; k++) {
      hed_vsa_encoder *values = scalars(k ? g : v, &(hed_vsa_scalar_options){ .bandwidth = 3 }), *e = NULL;
      (void)hed_vsa_encoder_vector(values, 3, 0, &e);
      hed_array *h = hed_vsa_encode(e, in);
      ok(farthest(hed_vsa_decode(e, h, NULL), in) < 0.04, "%s: vectors of numbers by %s", where, k ? "ghrr" : "fhrr");
      hed_vsa_encoder_release(values);
      hed_vsa_encoder_release(e);
    }
    hed_vsa_encoder *power = NULL, *projection = NULL;
    (void)hed_vsa_encoder_vector_power(v, 3, &(hed_vsa_scalar_options){ .bandwidth = 4, .phases = HED_VSA_PHASES_GAUSSIAN }, &power);
    hed_array *h = hed_vsa_encode(power, in);
    const double square = 0.7 * 0.7 + 0.6 * 0.6 + 0.12 * 0.12;
    is_near(value(hed_vsa_similarity(v, hed_index(h, 0, 0), hed_index(h, 0, 1))), exp(-16 * square / 2), 0, 5 / sqrt(8000),
            "%s: the kernel of vectors", where);
    (void)hed_vsa_encoder_projection(map, 3, NULL, &projection);
    hed_array *p = hed_vsa_encode(projection, in), *s = hed_vsa_similarity(map, hed_index(p, 0, 0), hed_index(p, 0, 1));
    const double dot = 0.2 * 0.9 + 0.7 * 0.1 + 0.45 * 0.33, norms = sqrt((0.04 + 0.49 + 0.2025) * (0.81 + 0.01 + 0.1089));
    is_near(value(s), 1 - 2 / M_PI * acos(dot / norms), 0, 5 / sqrt(5000), "%s: signs of projections keep angles", where);
    hed_vsa_encoder_release(power);
    hed_vsa_encoder_release(projection);
  }
  hed_vsa_release(v);
  hed_vsa_release(g);
  hed_vsa_release(map);
}

/* ---- sequences ---- */

static void sequences(void)
{
  static const char *const specs[] = { "map;dim=4000", "bsc;dim=4000;layout=packed", "fhrr;dim=4000", "hrr;dim=4000", "ghrr;dim=700" };
  static const int64_t order[] = { 4, 0, 4, 2, 3 };
  for (int m = 0; m < 5; m++) {
    hed_vsa *v = model(specs[m]);
    HED_SCOPE {
      hed_array *items = hed_vsa_random(v, &HED_SHAPE(6), &(hed_random){ .seed = 5, .seeded = true });
      hed_array *text = hed_take(items, hed_from_host(order, HED_SHAPE(5), HED_INT64), 0);
      hed_array *s = hed_vsa_sequence(v, text, HED_VSA_ORDER_BUNDLE);
      const bool is_bsc = strstr(specs[m], "bsc") != NULL; /* unlike vectors have 0.5 */
      hed_array *found = hed_vsa_sequence_decode(v, s, items, 7, is_bsc ? 0.6 : 0.2);
      static const int64_t wanted[] = { 4, 0, 4, 2, 3, -1, -1 };
      ok(equal(found, hed_from_host(wanted, HED_SHAPE(7), HED_INT64)), "%s: a sequence of %s", where, specs[m]);
      hed_array *a = hed_index(text, 0, 0), *b = hed_index(text, 0, 1), *c = hed_index(text, 0, 2);
      hed_array *by_hand = hed_vsa_bind(v, hed_vsa_bind(v, hed_vsa_permute(v, a, 2), hed_vsa_permute(v, b, 1)), c);
      hed_array *three = hed_slice(text, 1, (const hed_slice_range[]){ { .stop = 3, .step = 1 } });
      is_near(value(hed_vsa_similarity(v, hed_vsa_sequence(v, three, HED_VSA_ORDER_BIND), by_hand)), 1, 0, 1e-4,
              "%s: one bound together", where);
      hed_array *gram = hed_vsa_ngrams(v, three, 3, 0, HED_VSA_NGRAM_BIND);
      is_near(value(hed_vsa_similarity(v, gram, by_hand)), 1, 0, 1e-4, "%s: an n-gram is that", where);
      hed_array *two[2] = { hed_vsa_bind(v, hed_vsa_permute(v, a, 1), b), hed_vsa_bind(v, hed_vsa_permute(v, b, 1), c) };
      hed_array *bundled = hed_vsa_bundle(v, hed_stack(2, (const hed_array *const *)two, 0), 0, NULL);
      is_near(value(hed_vsa_similarity(v, hed_vsa_ngrams(v, three, 2, 1, HED_VSA_NGRAM_BIND), bundled)), 1, 0, 1e-4,
              "%s: and several their bundle", where);
      hed_array *chain = hed_vsa_ngrams(v, text, 1, 2, HED_VSA_NGRAM_CHAIN);
      static const int64_t second[] = { 4, 4, 3 };
      ok(equal(hed_vsa_sequence_decode(v, chain, items, 3, 0.2), hed_from_host(second, HED_SHAPE(3), HED_INT64)),
         "%s: chains, with a stride", where);
      hed_array *batch = hed_vsa_ngrams(v, hed_stack(2, (const hed_array *const[]){ text, text }, 0), 2, 1, HED_VSA_NGRAM_BUNDLE);
      ok(equal(hed_index(batch, 0, 0), hed_index(batch, 0, 1)), "%s: batches", where);
    }
    hed_vsa_release(v);
  }
}

static void trajectories(void)
{
  static const double x[] = { 0.1, 0.2, 0.3, 0.5, 0.6, 0.4, 0.9, 0.7 };
  hed_vsa *v = model("fhrr;dim=5000");
  HED_SCOPE {
    hed_vsa_encoder *values = scalars(v, &(hed_vsa_scalar_options){ .bandwidth = 4 }), *e = NULL, *plain = NULL;
    hed_vsa_encoder *time = scalars(v, &(hed_vsa_scalar_options){ .range = { 0, 100, 0 }, .bandwidth = 50, .number = 1 });
    (void)hed_vsa_encoder_trajectory(values, 2, time, 0, &e);
    (void)hed_vsa_encoder_trajectory(values, 2, NULL, 0, &plain);
    hed_array *in = hed_from_doubles(x, HED_SHAPE(4, 2), HED_FLOAT32), *back = hed_flip(in, &HED_AXES(0));
    hed_array *h = hed_vsa_encode(e, in), *r = hed_vsa_encode(e, back), *h2 = hed_vsa_encode(plain, in);
    ok(fabs(value(hed_vsa_similarity(v, h, r))) < 0.4, "%s: there and back are two ways", where);
    ok(value(hed_vsa_similarity(v, h, h2)) < 0.9, "%s: time counts", where);
    hed_array *near = hed_vsa_encode(e, hed_add_scalar(in, 0.01));
    ok(value(hed_vsa_similarity(v, h, near)) > 0.9, "%s: a way beside is like it", where);
    hed_vsa_encoder_release(values);
    hed_vsa_encoder_release(time);
    hed_vsa_encoder_release(e);
    hed_vsa_encoder_release(plain);
  }
  hed_vsa_release(v);
}

/* ---- pictures ---- */

/* Bundles of phasors keep no moduli, so what is decoded of them is rough. */
static void images(void)
{
  static const char *const specs[] = { "hrr;dim=8000", "fhrr;dim=8000" };
  for (int m = 0; m < 2; m++) {
    hed_vsa *v = model(specs[m]);
    HED_SCOPE {
      hed_vsa_encoder *values = scalars(v, NULL), *e = NULL, *colour = NULL;
      (void)hed_vsa_encoder_image(values, &(hed_vsa_image_options){ .height = 4, .width = 5 }, &e);
      (void)hed_vsa_encoder_image(values, &(hed_vsa_image_options){ .height = 3, .width = 2, .channels = 3 }, &colour);
      hed_array *in = hed_random_uniform(HED_SHAPE(2, 4, 5), HED_FLOAT32, &(hed_random){ .seed = 2, .seeded = true });
      hed_array *out = hed_vsa_decode(e, hed_vsa_encode(e, in), NULL);
      double off = value(hed_mean(hed_abs(hed_subtract(in, out)), NULL));
      ok(off < (m ? 0.15 : 0.05), "%s: pixels of %s are found again: off by %.3g", where, specs[m], off);
      hed_array *rgb = hed_random_uniform(HED_SHAPE(3, 2, 3), HED_FLOAT32, &(hed_random){ .seed = 3, .seeded = true });
      off = value(hed_mean(hed_abs(hed_subtract(rgb, hed_vsa_decode(colour, hed_vsa_encode(colour, rgb), NULL))), NULL));
      ok(off < (m ? 0.15 : 0.05), "%s: and channels: off by %.3g", where, off);
      hed_vsa_encoder_release(values);
      hed_vsa_encoder_release(e);
      hed_vsa_encoder_release(colour);
    }
    hed_vsa_release(v);
  }
}

static void positions(void)
{
  hed_vsa *v = model("fhrr;dim=4000");
  HED_SCOPE {
    hed_vsa_encoder *values = scalars(v, NULL), *e = NULL, *bundled = NULL;
    (void)hed_vsa_encoder_image(values, &(hed_vsa_image_options){ .height = 4, .width = 5 }, &e);
    (void)hed_vsa_encoder_image(values, &(hed_vsa_image_options){ .height = 4, .width = 5, .position = HED_VSA_POSITION_BUNDLE },
                                &bundled);
    /* two bright pixels in the last two columns change places */
    hed_array *eye = hed_eye(4, 5, 3, HED_FLOAT32), *other = hed_eye(4, 5, 4, HED_FLOAT32);
    for (int k = 0; k < 2; k++) {
      hed_vsa_encoder *which = k ? bundled : e;
      const double s = value(hed_vsa_similarity(v, hed_vsa_encode(which, eye), hed_vsa_encode(which, other)));
      ok(s < 0.98, "%s: places count to the last: %.3g", where, s);
    }
    ok(!hed_vsa_decode(bundled, hed_vsa_encode(bundled, eye), NULL) && hed_error() == HED_E_UNSUPPORTED, "%s: not decoded", where);
    hed_error_clear();
    hed_vsa_encoder_release(values);
    hed_vsa_encoder_release(e);
    hed_vsa_encoder_release(bundled);
  }
  hed_vsa_release(v);
}

/* ---- structures ---- */

static int64_t nearest(const hed_vsa *v, const hed_array *h, const hed_array *items)
{
  int64_t k = -1;
  hed_array *best = hed_argmax(hed_vsa_similarity_matrix(v, h, items), NULL);
  if (!best || hed_item_int(best, &k) != HED_OK)
    diag("%s", hed_error_text());
  return k;
}

static void structures(void)
{
  static const char *const specs[] = { "map;dim=4000", "fhrr;dim=4000", "hrr;dim=4000;inverse=unitary", "bsc;dim=4000;layout=packed",
                                       "ghrr;dim=700" };
  for (int m = 0; m < 5; m++) {
    hed_vsa *v = model(specs[m]);
    HED_SCOPE {
      hed_array *node = hed_vsa_random(v, &HED_SHAPE(6), &(hed_random){ .seed = 8, .seeded = true });
      hed_array *from = hed_take(node, hed_from_host((const int64_t[]){ 0, 1, 2 }, HED_SHAPE(3), HED_INT64), 0);
      hed_array *to = hed_take(node, hed_from_host((const int64_t[]){ 3, 4, 5 }, HED_SHAPE(3), HED_INT64), 0);
      hed_array *g = hed_vsa_graph(v, from, to, NULL, true), *u = hed_vsa_graph(v, from, to, NULL, false);
      hed_array *out = hed_vsa_graph_neighbours(v, g, hed_index(node, 0, 1), true, false);
      hed_array *in = hed_vsa_graph_neighbours(v, g, hed_index(node, 0, 5), true, true);
      hed_array *any = hed_vsa_graph_neighbours(v, u, hed_index(node, 0, 0), false, false);
      is_int(nearest(v, out, node), 4, "%s: %s: edges out", where, specs[m]);
      is_int(nearest(v, in, node), 2, "%s: edges in", where);
      is_int(nearest(v, any, node), 3, "%s: without direction", where);
      static const char *const paths[] = { "l", "rl", "rr" };
      if (m == 4) {
        ok(!hed_vsa_tree(v, from, paths) && hed_error() == HED_E_UNSUPPORTED, "%s: trees want a commutative bind", where);
        ok(!hed_vsa_automaton(v, from, from, to) && hed_error() == HED_E_UNSUPPORTED, "%s: so do automata", where);
        hed_error_clear();
      } else {
        hed_array *tree = hed_vsa_tree(v, from, paths);
        is_int(nearest(v, hed_vsa_tree_leaf(v, tree, "rl"), node), 1, "%s: a leaf", where);
        ok(!hed_vsa_tree_leaf(v, tree, "rx"), "%s: a path is of l and r: %s", where, hed_error_text());
        hed_error_clear();
        hed_array *token = hed_vsa_symbols(v, 3, (const char *const[]){ "a", "b", "a" });
        hed_array *machine = hed_vsa_automaton(v, token, from, to);
        is_int(nearest(v, hed_vsa_automaton_next(v, machine, hed_vsa_symbol(v, "b"), hed_index(node, 0, 1)), node), 4,
               "%s: the next state", where);
      }
    }
    hed_vsa_release(v);
  }
}

/* ---- batches, backends, what is refused ---- */

static void batches(void)
{
  hed_vsa *v = model("fhrr;dim=300"), *b = model("bsc;dim=300;layout=packed");
  HED_SCOPE {
    hed_vsa_encoder *e = scalars(v, NULL), *l = NULL;
    (void)hed_vsa_encoder_level(b, NULL, &l);
    hed_array *x = hed_random_uniform(HED_SHAPE(3, 7), HED_FLOAT32, &(hed_random){ .seed = 1, .seeded = true });
    hed_array *all = hed_vsa_encode(e, x), *bits = hed_vsa_encode(l, x);
    bool same = true;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 7; j++) {
        hed_array *one = hed_index(hed_index(x, 0, i), 0, j);
        same &= equal(hed_vsa_encode(e, one), hed_index(hed_index(all, 0, i), 0, j))
                && equal(hed_vsa_encode(l, one), hed_index(hed_index(bits, 0, i), 0, j));
      }
    ok(same, "%s: an element of a batch is what it is alone", where);
    hed_array *none = hed_vsa_encode(e, hed_zeros(HED_SHAPE(0, 2), HED_FLOAT32));
    ok(none && hed_array_ndim(none) == 3 && hed_array_size(hed_vsa_decode(e, none, NULL)) == 0, "%s: empty batches", where);
    hed_vsa_encoder_release(hed_vsa_encoder_retain(e));
    hed_vsa_encoder_release(e);
    hed_vsa_encoder_release(l);
  }
  hed_vsa_release(v);
  hed_vsa_release(b);
}

#define REFUSED(call, status, words)                                        \
  do {                                                                      \
    is_int(call, status, "%s: %s", where, words);                           \
    has_str(hed_error_text(), words, "%s: named", where);                   \
    ok(e == NULL, "%s: nothing is made", where);                            \
    hed_error_clear();                                                      \
  } while (0)

static void refusals(void)
{
  hed_vsa *map = model("map;dim=100"), *v = model("fhrr;dim=100"), *g = model("ghrr;dim=100");
  hed_vsa_encoder *e = NULL, *s = scalars(v, NULL), *other = scalars(g, NULL);
  REFUSED(hed_vsa_encoder_scalar(map, NULL, &e), HED_E_UNSUPPORTED, "map has no fractional powers");
  REFUSED(hed_vsa_encoder_scalar(NULL, NULL, &e), HED_E_INVAL, "the model is NULL");
  REFUSED(hed_vsa_encoder_scalar(v, &(hed_vsa_scalar_options){ .range = { 3, 2, 0 } }, &e), HED_E_INVAL, "the range is [3, 2]");
  REFUSED(hed_vsa_encoder_scalar(v, &(hed_vsa_scalar_options){ .phases = 9 }, &e), HED_E_INVAL,
          "phases is 9; 0 to 5, of hed_vsa_phases, are expected");
  REFUSED(hed_vsa_encoder_scalar(v, &(hed_vsa_scalar_options){ .phases = HED_VSA_PHASES_INTEGER, .period = 1 }, &e), HED_E_INVAL,
          "period is 1");
  REFUSED(hed_vsa_encoder_scalar(v, &(hed_vsa_scalar_options){ .bandwidth = -1 }, &e), HED_E_INVAL, "bandwidth is -1");
  REFUSED(hed_vsa_encoder_scalar(v, &(hed_vsa_scalar_options){ .mixture = 9 }, &e), HED_E_INVAL, "mixture is 9, not in [0, 8]");
  REFUSED(hed_vsa_encoder_scalar(v, &(hed_vsa_scalar_options){ .bandwidth = 1e9 }, &e), HED_E_INVAL, "more than a grid can have");
  REFUSED(hed_vsa_encoder_level(v, &(hed_vsa_level_options){ .levels = 1 }, &e), HED_E_INVAL, "levels is 1");
  REFUSED(hed_vsa_encoder_level(v, &(hed_vsa_level_options){ .randomness = 2 }, &e), HED_E_INVAL, "randomness is 2");
  REFUSED(hed_vsa_encoder_vector(s, 0, 0, &e), HED_E_INVAL, "n is 0");
  REFUSED(hed_vsa_encoder_trajectory(s, 2, other, 0, &e), HED_E_INVAL, "of another model");
  REFUSED(hed_vsa_encoder_image(s, NULL, &e), HED_E_INVAL, "the options are NULL");
  REFUSED(hed_vsa_encoder_image(s, &(hed_vsa_image_options){ .height = 2 }, &e), HED_E_INVAL, "2 by 0 pixels");
  REFUSED(hed_vsa_encoder_projection(g, 3, NULL, &e), HED_E_UNSUPPORTED, "ghrr vectors are matrices");
  HED_SCOPE {
    hed_vsa_encoder *vector = NULL;
    (void)hed_vsa_encoder_vector(s, 3, 0, &vector);
    hed_array *x = hed_zeros(HED_SHAPE(2, 4), HED_FLOAT32), *z = hed_zeros(HED_SHAPE(2), HED_COMPLEX64);
    ok(!hed_vsa_encode(vector, x) && hed_error() == HED_E_SHAPE, "%s: %s", where, hed_error_text());
    ok(!hed_vsa_encode(s, z) && hed_error() == HED_E_DTYPE, "%s: %s", where, hed_error_text());
    ok(!hed_vsa_decode(s, x, NULL) && hed_error() == HED_E_DTYPE, "%s: %s", where, hed_error_text());
    hed_array *h = hed_vsa_random(v, &HED_SHAPE(2), NULL);
    ok(!hed_vsa_ngrams(v, h, 3, 1, 0) && hed_error() == HED_E_INVAL, "%s: %s", where, hed_error_text());
    ok(!hed_vsa_sequence(v, h, 7) && hed_error() == HED_E_INVAL, "%s: %s", where, hed_error_text());
    hed_error_clear();
    hed_vsa_encoder_release(vector);
  }
  hed_vsa_encoder_release(s);
  hed_vsa_encoder_release(other);
  hed_vsa_release(map);
  hed_vsa_release(v);
  hed_vsa_release(g);
}

/* Vectors of one encoder of each kind, in host memory. */
static bool samples(const char *spec, float *phasors, uint64_t *bits)
{
  bool good = false;
  HED_BACKEND_CONTEXT(spec) HED_SCOPE {
    hed_vsa *v = model("fhrr;dim=1000"), *b = model("bsc;dim=1000;layout=packed");
    hed_vsa_encoder *e = scalars(v, &(hed_vsa_scalar_options){ .bandwidth = 20, .phases = HED_VSA_PHASES_GAUSSIAN }), *l = NULL;
    (void)hed_vsa_encoder_level(b, NULL, &l);
    hed_array *x = hed_linspace(0, 1, 10, HED_FLOAT32), *h = hed_vsa_encode(e, x), *w = hed_vsa_encode(l, x);
    good = h && w && hed_to_host(h, phasors, 10 * 2000 * sizeof *phasors) == HED_OK
           && hed_to_host(w, bits, 10 * 16 * sizeof *bits) == HED_OK;
    hed_vsa_encoder_release(e);
    hed_vsa_encoder_release(l);
    hed_vsa_release(v);
    hed_vsa_release(b);
  }
  return good;
}

static void alike(const char *spec)
{
  static float z[2][10 * 2000];
  static uint64_t w[2][10 * 16];
  double worst = 0;
  const bool good = samples("reference", z[0], w[0]) && samples(spec, z[1], w[1]);
  for (int k = 0; k < 10 * 2000; k++)
    worst = fmax(worst, fabs((double)(z[0][k] - z[1][k])));
  ok(good && worst < 3e-5, "%s: phasors are those of the reference backend: off by %.3g", spec, worst);
  ok(memcmp(w[0], w[1], sizeof w[0]) == 0, "%s: levels to the bit", spec);
}

int main(void)
{
  static const char *const names[] = { "reference", "cpu", "faulty" }, *const more[] = { "", ";threads=3", "" };
  static void (*const tests[])(void) = { kernels, homomorphism, decoding, in_noise, ranges, levels, thermometers, vectors, sequences,
                                         trajectories, images, positions, structures, batches, refusals };
  for (int k = 0; k < 3; k++) {
    char spec[64];
    if (hed_backend_require(names[k]) != HED_OK) {
      skip(1, "backend %s: %s", names[k], hed_error_text());
      hed_error_clear();
      continue;
    }
    narrow_spec(names[k], more[k], spec, sizeof spec);
    where = spec;
    HED_BACKEND_CONTEXT(spec)
      for (size_t t = 0; t < sizeof tests / sizeof tests[0]; t++)
        tests[t]();
    alike(spec);
  }
  return done();
}
