// SPDX-License-Identifier: BSD-3-Clause
/* What the vsa and ultrasound kits do on a device stays there: every arithmetic, encoder, memory and metric, on arrays that are
 * in its memory already. On faulty, which counts bytes, no call moves as much as a part of one array through the host, or leaves
 * an operation to it; each operation seen there is native on opencl too, where some jobs run (with HEDDLE_TEST_FULL all).
 */
#include "memory.h"
#include "vsa.h"
#include <heddle/kits/ultrasound.h>
#include <heddle/kits/vsa_encode.h>
#include <heddle/kits/vsa_memory.h>

enum {
  SMALL = 64, /* elements: numbers that a function looks at */
  FEW = 2048, /* bytes: such numbers, lines and windows of one job; whole arrays have four times as many */
  OPS = 1024
};

typedef struct seen { int calls, strange; char name[80]; } seen;

static bool used[OPS]; /* operations on arrays, on faulty */

static void look(void *arg, const hed_trace_event *e)
{
  seen *s = arg;
  s->calls++;
  if (e->elements <= SMALL || !*e->by)
    return;
  if (e->op >= 0 && e->op < OPS)
    used[e->op] = true;
  if (e->native)
    return;
  s->strange++;
  (void)snprintf(s->name, sizeof s->name, ": %s by %s", hed_op_name(e->op), e->by);
}

/* ---- what is computed: from these, which are on the device ---- */

static hed_vsa *v;
static hed_array *x, *y, *unit, *labels; /* (N, ..) vectors, (FOUR, 3) numbers, (N) classes */
static hed_array *channels, *image, *mask, *axis, *line, *signs;

enum { N = 8, FOUR = 4, CHANNELS = 8, SIDE = 48 };

static bool made(const hed_array *a) { return a && hed_wait(a) == HED_OK; }

static void make_vectors(const char *spec)
{
  int64_t label[N];
  for (int k = 0; k < N; k++)
    label[k] = k % 3;
  v = vsa_model(spec);
  x = vsa_some(v, N, 1);
  y = vsa_some(v, N, 2);
  unit = hed_random_uniform(HED_SHAPE(FOUR, 3), HED_FLOAT32, &(hed_random){ .seed = 3, .seeded = true });
  labels = hed_from_host(label, HED_SHAPE(N), HED_INT64);
  if (!made(x) || !made(y) || !made(unit) || !made(labels) || !made(hed_vsa_tie_vector(v)))
    bail("%s: %s", spec, hed_error_text());
}

static void make_images(void)
{
  const hed_random r = { .seed = 4, .seeded = true };
  channels = hed_random_complex_normal(HED_SHAPE(CHANNELS, SIDE, SIDE), HED_COMPLEX64, &r);
  axis = hed_linspace(-1, 1, SIDE, HED_FLOAT32);
  hed_array *square = hed_square(axis);
  hed_array *distance = hed_add(hed_expand_dims(square, 1), square);
  image = hed_exp(hed_multiply_scalar(distance, -300));
  mask = hed_us_region_circle(axis, axis, 0, 0, 0.5);
  line = hed_multiply_scalar(hed_random_normal(HED_SHAPE(SIDE * SIDE), HED_FLOAT32, &r), 1);
  signs = hed_subtract_scalar(image, 0.5);
  if (!made(channels) || !made(image) || !made(mask) || !made(line) || !made(signs))
    bail("images: %s", hed_error_text());
}

static bool is_commutative(void)
{
  hed_vsa_info i = { .struct_size = sizeof i };
  return hed_vsa_info_of(v, &i) == HED_OK && i.flags & HED_VSA_COMMUTATIVE;
}

/* A hed_vsa_encoder E that MAKE makes, encoding and, where that is possible, decoding. */
static bool encodes(hed_status status, hed_vsa_encoder *e, const hed_array *in, bool decodes)
{
  hed_array *h = status == HED_OK ? hed_vsa_encode(e, in) : NULL;
  const bool fine = made(h) && (!decodes || made(hed_vsa_decode(e, h, NULL)));
  hed_vsa_encoder_release(e);
  return fine;
}

static hed_vsa_encoder *scalars(void)
{
  hed_vsa_encoder *e = NULL;
  (void)hed_vsa_encoder_scalar(v, &(hed_vsa_scalar_options){ .bandwidth = 2 }, &e);
  return e;
}

static bool bind(void)
{
  return made(hed_vsa_bind(v, x, y)) && made(hed_vsa_bind_all(v, x, 0)) && made(hed_vsa_bind_pairs(v, x, y, NULL));
}

static bool unbind(void) { return made(hed_vsa_unbind(v, x, y)) && made(hed_vsa_unbind_left(v, x, y)); }

static bool bundle(void)
{
  return made(hed_vsa_bundle(v, x, 0, NULL)) && made(hed_vsa_bundle(v, x, 0, hed_astype(labels, HED_FLOAT32)));
}

static bool permute(void) { return made(hed_vsa_permute(v, x, 7)); }
static bool normalise(void) { return made(hed_vsa_normalise(v, x)) && made(hed_vsa_quantise(v, hed_vsa_numbers(v, x))); }
static bool similarity(void) { return made(hed_vsa_similarity(v, x, y)) && made(hed_vsa_similarity_matrix(v, x, y)); }

static bool random_vectors(void)
{
  const hed_random r = vsa_seed(5);
  return made(hed_vsa_random(v, &HED_SHAPE(N), &r)) && made(hed_vsa_symbols(v, 3, (const char *const[]){ "a", "b", "c" }));
}

static bool items(void)
{
  static const char *const names[N] = { "0", "1", "2", "3", "4", "5", "6", "7" };
  hed_vsa_items *s = NULL;
  hed_array *index = NULL, *value = NULL;
  const bool fine = hed_vsa_items_create(v, &s) == HED_OK && hed_vsa_items_add(s, N, names, x) == HED_OK &&
                    hed_vsa_items_remove(s, "7") == HED_OK && hed_vsa_items_query(s, y, 3, 0, &index, &value) == HED_OK &&
                    made(index) && made(value) && made(hed_vsa_items_clean(s, y)) && made(hed_vsa_items_get(s, "3"));
  hed_vsa_items_release(s);
  return fine;
}

static bool cleanup(void)
{
  return made(hed_vsa_cleanup(v, x, y, NULL)) &&
         made(hed_vsa_cleanup(v, x, y, &(hed_vsa_cleanup_options){ .kind = HED_VSA_HOPFIELD, .max_iterations = 2 }));
}

static bool stores(void)
{
  bool fine = true;
  for (int kind = HED_VSA_TRACE; kind <= HED_VSA_PAIRS && fine; kind++) {
    hed_vsa_store *s = NULL;
    fine = hed_vsa_store_create(v, (hed_vsa_store_kind)kind, &s) == HED_OK && hed_vsa_store_put(s, x, y) == HED_OK &&
           hed_vsa_store_forget(s, hed_index(x, 0, 3), hed_index(y, 0, 3)) == HED_OK && made(hed_vsa_store_get(s, x));
    hed_vsa_store_release(s);
  }
  return fine;
}

static bool classes(void)
{
  hed_vsa_classifier *c = NULL;
  const bool fine = hed_vsa_classifier_create(v, 3, NULL, &c) == HED_OK && hed_vsa_classifier_fit(c, x, labels) == HED_OK &&
                    hed_vsa_classifier_retrain(c, x, labels, 1, 1, NULL) == HED_OK && made(hed_vsa_classifier_predict(c, y)) &&
                    made(hed_vsa_classifier_scores(c, y));
  hed_vsa_classifier_release(c);
  return fine;
}

static bool resonator(void)
{
  hed_vsa_factors f;
  const bool fine = hed_vsa_resonate(v, hed_vsa_bind(v, x, y), 2, (const hed_array *const[]){ x, y },
                                     &(hed_vsa_resonator_options){ .max_iterations = 3 }, &f) == HED_OK;
  hed_vsa_factors_clear(&f);
  return fine;
}

static bool sparse_memory(void)
{
  hed_vsa_sdm *m = NULL;
  hed_vsa_info i = { .struct_size = sizeof i };
  (void)hed_vsa_info_of(v, &i);
  const bool fine = hed_vsa_sdm_create(v, 100, i.options.dim * 12 / 25, &m) == HED_OK && hed_vsa_sdm_write(m, x, y) == HED_OK &&
                    made(hed_vsa_sdm_read(m, x));
  hed_vsa_sdm_release(m);
  return fine;
}

static bool encode_scalar(void)
{
  hed_vsa_encoder *e = NULL;
  const hed_vsa_scalar_options mixture = { .mixture = 2, .bandwidths = { 1, 3 }, .weights = { 1, 1 } };
  const hed_status status = hed_vsa_encoder_scalar(v, &mixture, &e);
  return encodes(status, e, unit, true) && encodes(HED_OK, scalars(), unit, true);
}

static bool encode_levels(void)
{
  bool fine = true;
  for (int32_t kind = 0; kind <= HED_VSA_LEVELS_INDEPENDENT && fine; kind++) {
    hed_vsa_encoder *e = NULL;
    const hed_status status = hed_vsa_encoder_level(v, &(hed_vsa_level_options){ .levels = N, .kind = kind }, &e);
    fine = encodes(status, e, unit, true);
  }
  return fine;
}

static bool encode_vector(void)
{
  hed_vsa_encoder *e = NULL, *values = scalars();
  const hed_status status = hed_vsa_encoder_vector(values, 3, 0, &e);
  hed_vsa_encoder_release(values);
  return encodes(status, e, unit, true);
}

static bool encode_power(void)
{
  hed_vsa_encoder *e = NULL;
  const hed_status status = hed_vsa_encoder_vector_power(v, 3, NULL, &e);
  return encodes(status, e, unit, false);
}

static bool encode_projection(void)
{
  hed_vsa_encoder *e = NULL;
  const hed_status status = hed_vsa_encoder_projection(v, 3, &(hed_vsa_projection_options){ .shift = true }, &e);
  return encodes(status, e, unit, false);
}

static bool encode_trajectory(void)
{
  hed_vsa_encoder *e = NULL, *values = scalars(), *time = scalars();
  const hed_status status = hed_vsa_encoder_trajectory(values, 3, time, 0, &e);
  hed_vsa_encoder_release(values);
  hed_vsa_encoder_release(time);
  return encodes(status, e, unit, false);
}

static bool encode_image(void)
{
  bool fine = true;
  for (int32_t position = HED_VSA_POSITION_POWER; position <= HED_VSA_POSITION_BUNDLE && fine; position++) {
    hed_vsa_encoder *e = NULL, *values = scalars();
    const hed_vsa_image_options o = { .height = FOUR, .width = 3, .position = position };
    const hed_status status = hed_vsa_encoder_image(values, &o, &e);
    hed_vsa_encoder_release(values);
    fine = encodes(status, e, unit, position == HED_VSA_POSITION_POWER);
  }
  return fine;
}

static bool sequences(void)
{
  hed_array *s = hed_vsa_sequence(v, x, HED_VSA_ORDER_BUNDLE);
  return made(hed_vsa_sequence_decode(v, s, y, 4, 0)) && made(hed_vsa_sequence(v, x, HED_VSA_ORDER_BIND)) &&
         made(hed_vsa_ngrams(v, x, 3, 1, HED_VSA_NGRAM_BIND)) && made(hed_vsa_ngrams(v, x, 3, 1, HED_VSA_NGRAM_BUNDLE)) &&
         made(hed_vsa_ngrams(v, x, 3, 1, HED_VSA_NGRAM_CHAIN));
}

static bool structures(void)
{
  static const char *const paths[] = { "l", "rl", "rr" };
  hed_array *g = hed_vsa_graph(v, x, y, NULL, true), *few = hed_slice(x, 1, &HED_RANGE(0, 3, 1));
  if (!made(hed_vsa_graph_neighbours(v, g, hed_index(x, 0, 1), true, false)) || !made(hed_vsa_graph(v, x, y, NULL, false)))
    return false;
  if (!is_commutative())
    return true;
  hed_array *machine = hed_vsa_automaton(v, x, y, x), *tree = hed_vsa_tree(v, few, paths);
  return made(hed_vsa_automaton_next(v, machine, hed_index(x, 0, 0), hed_index(y, 0, 0))) && made(hed_vsa_tree_leaf(v, tree, "rl"));
}

static bool coherences(void)
{
  return made(hed_us_coherence_factor(channels, NULL)) &&
         made(hed_us_coherence_factor(channels, &(hed_us_coherence){ .amplitude = true })) &&
         made(hed_us_generalized_coherence_factor(channels, NULL)) && made(hed_us_sign_coherence_factor(channels, NULL)) &&
         made(hed_us_phase_coherence_factor(channels, NULL)) &&
         made(hed_us_phase_coherence_factor(channels, &(hed_us_coherence){ .camacho = true }));
}

static bool regions(void)
{
  const hed_us_region masks = { .inside_mask = mask, .outside_mask = hed_logical_not(mask) };
  return made(hed_us_cnr(image, image, &masks)) && made(hed_us_gcnr(image, image, &masks)) &&
         made(hed_us_contrast(image, image, &masks)) &&
         made(hed_us_cnr(image, signs, &(hed_us_region){ .inside_median = true })) && made(hed_us_rf_snr(image, signs, NULL)) &&
         made(hed_us_region_ring(axis, axis, 0, 0, 0.5, 1)) && made(hed_us_region_rectangle(axis, axis, 0, 0.5, 0, 0.5));
}

static bool frames(void)
{
  hed_us_ranges r;
  return made(hed_us_tsnr(channels, &(hed_us_time){ .axis = HED_AXES(0) })) && hed_us_find_signal_and_noise(line, NULL, &r) == HED_OK;
}

static bool pictures(void)
{
  return made(hed_us_tenengrad(image, NULL)) && made(hed_us_tenengrad(image, &(hed_us_sharpness){ .both = true, .roi = mask })) &&
         made(hed_us_envelope(signs, NULL)) && made(hed_us_bmode_db(image, NULL)) &&
         made(hed_us_scan_convert(image, &(hed_us_sector){ .rho = { 0, 1 }, .theta = { -0.5, 0.5 } }, NULL));
}

static bool clipping(void)
{
  return made(hed_us_is_clipped_threshold(line, &(hed_us_clip){ .high = 2 })) &&
         made(hed_us_clip_ratio(signs, &(hed_us_clip){ .method = HED_US_CLIP_MAX_AMPLITUDE, .min_contiguous = 2, .runs_only = true }));
}

static bool targets(void)
{
  double width[3];
  return hed_us_fwhm(image, NULL, width) == HED_OK && hed_us_fwhm(image, &(hed_us_psf){ .method = HED_US_LINE }, width) == HED_OK &&
         hed_us_sll(image, NULL, width) == HED_OK;
}

/* MODELS: those that have it, "" all. DRAWS: makes vectors of the model, too. */
typedef struct job { const char *what; bool (*run)(void); const char *models; bool draws; } job;

#define POWERS "fhrr hrr vtb ghrr"
static const job jobs[] = {
  { "bind", bind, "", false }, { "unbind", unbind, "", false }, { "bundle", bundle, "", false }, { "permute", permute, "", false },
  { "normalise and quantise", normalise, "", false }, { "similarity", similarity, "", false }, { "random", random_vectors, "", true },
  { "items", items, "", false }, { "cleanup", cleanup, "", false }, { "stores", stores, "", false }, { "classes", classes, "", false },
  { "resonator", resonator, "", false }, { "sparse memory", sparse_memory, "map bsc", true },
  { "scalars", encode_scalar, POWERS, false }, { "levels", encode_levels, "", true },
  { "vectors of numbers", encode_vector, POWERS, true }, { "powers of vectors", encode_power, POWERS, false },
  { "projections", encode_projection, "map hrr fhrr bsc bsdc bsdc_seg vtb mcr cgr", false },
  { "trajectories", encode_trajectory, POWERS, true }, { "images", encode_image, POWERS, true },
  { "sequences", sequences, "", false }, { "structures", structures, "", true },
}, metrics[] = {
  { "coherence", coherences, "", false }, { "regions", regions, "", false }, { "frames", frames, "", false },
  { "images", pictures, "", false }, { "clipping", clipping, "", false }, { "point targets", targets, "", false },
};
enum { JOBS = sizeof jobs / sizeof jobs[0], METRICS = sizeof metrics / sizeof metrics[0] };

/* ---- how that is looked at ---- */

static bool is_named(const char *names, const char *spec)
{
  const size_t n = strcspn(spec, ";");
  for (const char *at = names; *at; at += strspn(at, " ")) {
    const size_t length = strcspn(at, " ");
    if (length == n && memcmp(at, spec, n) == 0)
      return true;
    at += length;
  }
  return !*names;
}

/* What J moves, where that is COUNTED, and leaves to the host. */
static void watch(const char *backend, const char *spec, const job *j, bool counted, int64_t most_in, int64_t most_out)
{
  seen s = { 0 };
  int64_t in = counted ? query("bytes_in") : 0, out = counted ? query("bytes_out") : 0;
  bool fine = false;
  (void)hed_trace(look, &s);
  HED_SCOPE fine = j->run();
  (void)hed_trace(NULL, NULL);
  if (counted) {
    in = query("bytes_in") - in;
    out = query("bytes_out") - out;
  }
  ok(fine && s.calls > 1 && s.strange == 0 && in <= most_in && out <= most_out,
     "%s, %s, %s: %d operations, %lld bytes in, %lld out, %d operations by the host%s %s", backend, spec, j->what, s.calls,
     (long long)in, (long long)out, s.strange, s.name, fine ? "" : hed_error_text());
  hed_error_clear();
}

/* Vectors of some models are drawn in float64, so on the host where a device has none; the ones of sparse ones, without replacement,
 * pass through it. */
static void vectors_on(const char *backend, const char *spec, bool counted)
{
  const bool on_host = is_named("hrr vtb ghrr", spec) && hed_device_supports(NULL, "float64") != 1;
  hed_vsa_info i = { .struct_size = sizeof i };
  HED_SCOPE {
    make_vectors(spec);
    (void)hed_vsa_info_of(v, &i);
    const int64_t ones = 5 * N * i.ones * (int64_t)sizeof(int64_t);
    for (int k = 0; k < JOBS; k++)
      if (is_named(jobs[k].models, spec))
        watch(backend, spec, &jobs[k], counted, jobs[k].draws && on_host ? INT64_MAX : FEW + (jobs[k].draws ? ones : 0),
              FEW + (jobs[k].draws ? ones : 0));
    hed_vsa_release(v);
  }
}

static void metrics_on(const char *backend, int n, bool counted)
{
  HED_SCOPE {
    make_images();
    for (int k = 0; k < n; k++)
      watch(backend, "ultrasound", &metrics[k], counted, FEW, FEW);
  }
}

/* For one of the types that OP has. */
static bool is_native(int op)
{
  const hed_dtype types[] = { HED_FLOAT32, HED_COMPLEX64, HED_UINT64, HED_BOOL };
  int support = HED_SUPPORT_NONE;
  for (int k = 0; k < 4 && support == HED_SUPPORT_NONE; k++)
    support = hed_backend_supports("opencl", op, types[k]);
  return support == HED_SUPPORT_NATIVE || support == HED_SUPPORT_COMPOSED;
}

static const char *const models[] = { "map;dim=2000", "hrr;dim=600", "fhrr;dim=600", "bsc;dim=8000;layout=packed", "bsdc;dim=2000",
                                      "bsdc_seg;segments=1000;block=10", "ghrr;dim=40", "vtb;dim=576", "mcr;dim=500", "cgr;dim=500" };
enum { MODELS = sizeof models / sizeof models[0] };

int main(void)
{
  setenv("HEDDLE_TEST_FAULTY", "delay_us=0;streams=1;roam=1", 1);
  HED_BACKEND_CONTEXT_OR("faulty", bail("faulty: %s", hed_error_text())) {
    for (int k = 0; k < MODELS; k++)
      vectors_on("faulty", models[k], true);
    metrics_on("faulty", METRICS, true);
    is_int(query("violations"), 0, "the device found nothing out of order");
  }
  if (hed_backend_require("opencl") != HED_OK)
    return skip(1, "opencl: %s", hed_error_text()), done();
  int ops = 0;
  for (int k = 0; k < hed_op_count() && k < OPS; k++)
    if (used[k]) {
      ops++;
      if (!is_native(k))
        fail("%s is left to the host on opencl", hed_op_name(k));
    }
  ok(ops > 50, "%d operations", ops);
  HED_BACKEND_CONTEXT_OR("opencl", bail("opencl: %s", hed_error_text())) {
    const bool full = full_run(); /* each operation compiles kernels of its own */
    for (int k = 0; k < (full ? MODELS : 0); k++)
      vectors_on("opencl", models[k], false);
    metrics_on("opencl", full ? METRICS : 1, false);
  }
  return done();
}
