// SPDX-License-Identifier: BSD-3-Clause
/* Hypervectors of a seed are the same, bit for bit, on every backend, with any number of threads, one by one or many at once; what is
 * computed of a batch is what is computed of each; packed vectors give what plain ones give.
 */
#include "vsa.h"
#include <pthread.h>

static const char *const models[] = {
  "map;dim=1003", "map;dim=100;variant=continuous", "hrr;dim=1003", "hrr;dim=1000;inverse=unitary", "fhrr;dim=1003", "bsc;dim=1003",
  "bsc;dim=64;layout=packed", "bsdc;dim=1003", "bsdc;dim=100;bernoulli=1;sparsity=0.2", "bsdc_seg;segments=50;block=20",
  "bsdc_seg;segments=50;block=20;variant=xor", "ghrr;dim=100", "ghrr;dim=50;block=2;diagonality=0.5", "vtb;dim=1024",
  "vtb_shift;dim=1000",
  "mcr;dim=1003", "cgr;dim=1003;block=300"
};
enum { MODELS = sizeof models / sizeof models[0] };


static void across(const char *backend)
{
  for (int k = 0; k < MODELS; k++) {
    hed_vsa *v = vsa_model(models[k]);
    HED_SCOPE {
      hed_array *here = vsa_some(v, 5, 42), *reference = NULL, *tie = NULL;
      HED_BACKEND_CONTEXT("reference") {
        reference = vsa_some(v, 5, 42);
        tie = hed_vsa_tie_vector(v);
      }
      ok(same_array(here, reference), "%s, %s: the bits of reference", backend, models[k]);
      ok(same_array(hed_vsa_tie_vector(v), tie), "%s, %s: and of its tie vector", backend, models[k]);
      const hed_random r = vsa_seed(42);
      const hed_array *parts[2] = { hed_vsa_random_from(v, 0, 2, &r), hed_vsa_random_from(v, 2, 3, &r) };
      ok(same_array(hed_concatenate(2, parts, 0), here), "%s, %s: in two parts", backend, models[k]);
      ok(same_array(hed_index(vsa_some(v, 1, 42), 0, 0), hed_index(here, 0, 0)), "%s, %s: alone", backend, models[k]);
      const char *names[2] = { "heddle", "h\xc3\xa9" };
      hed_array *symbols = hed_vsa_symbols(v, 2, names);
      ok(same_array(hed_index(symbols, 0, 1), hed_vsa_symbol(v, names[1])) &&
             !same_array(hed_index(symbols, 0, 0), hed_index(symbols, 0, 1)), "%s, %s: a name has one vector", backend, models[k]);
      hed_generator g = { 9, 0 };
      const hed_random with = { .generator = &g };
      hed_array *first = hed_vsa_random(v, NULL, &with), *second = hed_vsa_random(v, NULL, &with);
      ok(!same_array(first, second) && g.draw == 2, "%s, %s: a generator moves on", backend, models[k]);
    }
    hed_vsa_release(v);
  }
}

/* Every operation on a batch of three against the same on each; of models that compute with whole numbers, bit for bit. */
static bool alike(const hed_vsa *v, const hed_array *a, const hed_array *b)
{
  hed_vsa_info info = { .struct_size = sizeof info };
  (void)hed_vsa_info_of(v, &info);
  const hed_kind kind = hed_dtype_kind(hed_array_dtype(a));
  if (kind != HED_KIND_FLOAT && kind != HED_KIND_COMPLEX)
    return same_array(a, b);
  return a && b && hed_array_size(a) == hed_array_size(b) &&
         vsa_item(hed_max(hed_abs(hed_subtract(a, b)), NULL)) < 2.4e-7 * sqrt((double)info.options.dim);
}

static void batches(const char *backend)
{
  for (int k = 0; k < MODELS; k++) {
    hed_vsa *v = vsa_model(models[k]);
    HED_SCOPE {
      const hed_shape shape = HED_SHAPE(3, 4);
      const hed_random r = vsa_seed(2);
      hed_array *x = hed_vsa_random(v, &shape, &r), *key = vsa_some(v, 4, 3), *bundle = hed_vsa_bundle(v, x, -1, NULL);
      hed_array *bound = hed_vsa_bind(v, x, key), *moved = hed_vsa_permute(v, x, 9), *back = hed_vsa_unbind(v, bound, key);
      hed_array *matrix = hed_vsa_similarity_matrix(v, x, key);
      ok(matrix && hed_array_ndim(matrix) == 3, "%s, %s: similarities of all with all", backend, models[k]);
      for (int i = 0; i < 3; i++) {
        hed_array *one = hed_index(x, 0, i), *product = hed_vsa_bind(v, one, key);
        ok(alike(v, hed_vsa_bundle(v, one, 0, NULL), hed_index(bundle, 0, i)) && alike(v, product, hed_index(bound, 0, i)) &&
               alike(v, hed_vsa_unbind(v, product, key), hed_index(back, 0, i)) &&
               alike(v, hed_vsa_permute(v, one, 9), hed_index(moved, 0, i)) &&
               alike(v, hed_vsa_similarity_matrix(v, one, key), hed_index(matrix, 0, i)),
           "%s, %s: part %d of a batch", backend, models[k], i);
        hed_array *pairs = hed_stack(4, (const hed_array *[]){ hed_vsa_similarity(v, one, hed_index(key, 0, 0)),
          hed_vsa_similarity(v, one, hed_index(key, 0, 1)), hed_vsa_similarity(v, one, hed_index(key, 0, 2)),
          hed_vsa_similarity(v, one, hed_index(key, 0, 3)) }, 1);
        ok(vsa_item(hed_max(hed_abs(hed_subtract(pairs, hed_index(matrix, 0, i))), NULL)) < 1e-5,
           "%s, %s: similarities one by one", backend, models[k]);
      }
      ok(alike(v, hed_vsa_bind_pairs(v, x, key, NULL), hed_vsa_bundle(v, bound, -1, NULL)), "%s, %s: pairs bound and bundled", backend,
         models[k]);
    }
    hed_vsa_release(v);
  }
}

/* ---- packed ---- */

static void packed_is_plain(const char *backend, const char *spec, int d)
{
  char plain_spec[80], packed_spec[80];
  (void)snprintf(plain_spec, sizeof plain_spec, "%s;dim=%d", spec, d);
  (void)snprintf(packed_spec, sizeof packed_spec, "%s;dim=%d;layout=packed", spec, d);
  hed_vsa *v = vsa_model(plain_spec), *w = vsa_model(packed_spec);
  HED_SCOPE {
    hed_array *x = vsa_some(v, 6, 1), *y = vsa_some(w, 6, 1), *key = vsa_some(v, 1, 2), *words = vsa_some(w, 1, 2);
    ok(same_array(hed_vsa_pack(v, x), y) && same_array(hed_vsa_unpack(w, y), x), "%s, %s: drawn", backend, packed_spec);
    ok(same_array(hed_vsa_pack(v, hed_vsa_bind(v, x, key)), hed_vsa_bind(w, y, words)), "%s, %s: bound", backend, packed_spec);
    for (int n = 1; n <= 6; n++)
      ok(same_array(hed_vsa_pack(v, hed_vsa_bundle(v, hed_slice(x, 1, &HED_RANGE(0, n, 1)), 0, NULL)),
                  hed_vsa_bundle(w, hed_slice(y, 1, &HED_RANGE(0, n, 1)), 0, NULL)), "%s, %s: %d bundled", backend, packed_spec, n);
    hed_array *weights = hed_from_doubles((const double[]){ 3, -1, 2, 0, 0.5, 1 }, HED_SHAPE(6), HED_FLOAT32);
    ok(same_array(hed_vsa_pack(v, hed_vsa_bundle(v, x, 0, weights)), hed_vsa_bundle(w, y, 0, weights)), "%s, %s: with weights",
       backend, packed_spec);
    for (int k = 0; k < 7; k++) {
      const int64_t by = (const int64_t[]){ 1, -1, 63, 64, 65, -130, 777 }[k];
      ok(same_array(hed_vsa_pack(v, hed_vsa_permute(v, x, by)), hed_vsa_permute(w, y, by)), "%s, %s: moved by %d",
         backend, packed_spec, (int)by);
    }
    hed_array *order = hed_flip(hed_arange_int(0, d, 1, HED_INT64), NULL);
    ok(same_array(hed_vsa_pack(v, hed_vsa_permute_by(v, x, order)), hed_vsa_permute_by(w, y, order)), "%s, %s: reversed", backend,
       packed_spec);
    ok(same_array(hed_vsa_similarity(v, x, key), hed_vsa_similarity(w, y, words)), "%s, %s: similarity", backend, packed_spec);
    ok(same_array(hed_vsa_similarity_matrix(v, x, x), hed_vsa_similarity_matrix(w, y, y)), "%s, %s: matrix", backend, packed_spec);
    hed_array *not = hed_vsa_negative(v, x), *bits = hed_vsa_negative(w, y);
    if (not)
      ok(same_array(hed_vsa_pack(v, not), bits), "%s, %s: negative", backend, packed_spec);
  }
  hed_vsa_release(v);
  hed_vsa_release(w);
}

static void packed(const char *backend)
{
  static const int dims[] = { 1, 63, 64, 65, 128, 1003 };
  static const char *const specs[] = { "map", "bsc", "bsdc", "map;similarity=hamming", "bsc;similarity=cosine", "bsc;tie=one",
                                       "map;tie=first" };
  for (int k = 0; k < 7; k++)
    for (int i = k < 3 ? 0 : 5; i < 6; i++)
      packed_is_plain(backend, specs[k], dims[i]);
}

/* One thread and several give the same. */
static void threads(void)
{
  if (hed_backend_require("cpu") != HED_OK) {
    skip(1, "no cpu backend");
    return;
  }
  for (int k = 0; k < MODELS; k++) {
    hed_vsa *v = vsa_model(models[k]);
    HED_SCOPE {
      hed_array *one = NULL, *three = NULL;
      HED_BACKEND_CONTEXT("cpu;threads=1") one = hed_vsa_bundle(v, vsa_some(v, 40, 8), 0, NULL);
      HED_BACKEND_CONTEXT("cpu;threads=3") three = hed_vsa_bundle(v, vsa_some(v, 40, 8), 0, NULL);
      ok(alike(v, one, three), "%s: one thread and three", models[k]);
    }
    hed_vsa_release(v);
  }
}

/* The bits of a name are those of a key with the published 64-bit FNV-1a hash of "foobar". */
static void named(const char *backend)
{
  enum { SYMBOL = 4 };
  const uint64_t hash = 0x85944171f73967e8U;
  hed_vsa *v = vsa_model("bsc;dim=640;layout=packed;seed=9");
  HED_SCOPE {
    const hed_random r = vsa_seed(hed_fold_key(hed_fold_key(9, SYMBOL), hash));
    ok(same_array(hed_vsa_symbol(v, "foobar"), hed_random_bits(HED_SHAPE(10), HED_UINT64, &r)), "%s: a name by its hash", backend);
  }
  hed_vsa_release(v);
}

/* Several threads that share a model, whose constants nobody has made yet. */
enum { SHARERS = 4 };

typedef struct sharer { const hed_vsa *v; uint64_t word; } sharer;

static void *keep(void *arg)
{
  sharer *s = arg;
  HED_SCOPE {
    hed_array *b = hed_vsa_bundle(s->v, vsa_some(s->v, 4, 8), 0, NULL);
    if (!b || hed_to_host(hed_slice(b, 1, &HED_RANGE(0, 1, 1)), &s->word, sizeof s->word) != HED_OK)
      diag("%s", hed_error_text());
  }
  return NULL;
}

static void shared(void)
{
  int wrong = 0;
  for (int round = 0; round < scaled(50); round++) {
    hed_vsa *v = vsa_model("bsc;dim=100;layout=packed");
    sharer s[SHARERS];
    pthread_t thread[SHARERS];
    for (int k = 0; k < SHARERS; k++) {
      s[k] = (sharer){ v, 0 };
      if (pthread_create(&thread[k], NULL, keep, &s[k]) != 0)
        bail("no thread");
    }
    for (int k = 0; k < SHARERS; k++) {
      (void)pthread_join(thread[k], NULL);
      wrong += s[k].word != s[0].word || s[k].word == 0;
    }
    hed_vsa_release(v);
  }
  is_int(wrong, 0, "threads that share a model have the same ties");
}

int main(void)
{
  if (!for_races()) {
    vsa_on_each(across);
    vsa_on_each(batches);
    vsa_on_each(packed);
    vsa_on_each(named);
  }
  threads();
  shared();
  return done();
}
