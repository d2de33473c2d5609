// SPDX-License-Identifier: BSD-3-Clause
/* Memories of hypervectors: items and their files, clean-up, stores, classifiers, resonators, sparse distributed memory. */
#include "vsa.h"
#include <heddle/kits/vsa_encode.h>
#include <heddle/kits/vsa_memory.h>
#include <stdio.h>
#include <unistd.h>

static const char *path_of(const char *name)
{
  static char path[256];
  (void)snprintf(path, sizeof path, "vsa_memory.%ld.%s", (long)getpid(), name);
  return path;
}

static int64_t whole(const hed_array *x, int64_t k)
{
  double *d = vsa_doubles(hed_ravel(x));
  const int64_t out = d ? (int64_t)d[k] : INT64_MIN;
  free(d);
  return out;
}

/* X with a share of its elements drawn again. */
static hed_array *noisy(const hed_vsa *v, const hed_array *x, double share, uint64_t seed)
{
  hed_vsa_info info = { .struct_size = sizeof info };
  (void)hed_vsa_info_of(v, &info);
  const hed_random r = vsa_seed(seed);
  hed_array *other = hed_index(vsa_some(v, 1, seed), 0, 0);
  if (info.options.layout == HED_VSA_PACKED) {
    hed_array *mask = hed_pack_bits(hed_random_bernoulli(HED_SHAPE(info.options.dim), share, HED_BOOL, &r));
    return hed_bitwise_xor(x, hed_bitwise_and(mask, hed_bitwise_xor(x, other)));
  }
  return hed_where(hed_random_bernoulli(info.shape, share, HED_BOOL, &r), other, x);
}

/* Fewer models on the faulty device, whose delays add up. */
static int step_of(const char *backend)
{
  return strcmp(backend, "faulty") == 0 ? 5 : 1;
}

/* ---- items ---- */

static const char *const specs[] = { "map;dim=1000", "bsc;dim=1000;layout=packed;seed=3", "fhrr;dim=500", "bsdc;dim=1600",
    "bsdc_seg;segments=50;block=20",
                                     "hrr;dim=1000" };
enum { SPECS = 6 };

static void items(const char *backend)
{
  for (int k = 0; k < SPECS; k += step_of(backend)) {
    hed_vsa *v = vsa_model(specs[k]);
    hed_vsa_items *s = NULL, *back = NULL;
    HED_SCOPE {
      char text[40][8];
      const char *labels[40];
      for (int i = 0; i < 40; i++) {
        (void)snprintf(text[i], sizeof text[i], "item%d", i);
        labels[i] = text[i];
      }
      is_int(hed_vsa_items_create(v, &s), HED_OK, "%s, %s: a memory", backend, specs[k]);
      hed_array *given = vsa_some(v, 20, 6), *at, *value;
      is_int(hed_vsa_items_add(s, 20, labels, given), HED_OK, "vectors under names");
      is_int(hed_vsa_items_add(s, 20, labels + 20, NULL), HED_OK, "vectors of names");
      ok(same_array(hed_vsa_items_get(s, "item25"), hed_vsa_symbol(v, "item25")) && same_array(hed_vsa_items_get(s, "item7"),
          hed_index(given, 0, 7)),
         "%s, %s: both are there", backend, specs[k]);
      is_int(hed_vsa_items_add(s, 2, (const char *[]){ "new", "item3" }, NULL), HED_E_INVAL, "a label that is there");
      has_str(hed_error_text(), "item3", "by its name");
      is_int(hed_vsa_items_add(s, 2, (const char *[]){ "new", "new" }, NULL), HED_E_INVAL, "a label twice");
      is_int(hed_vsa_items_count(s), 40, "and nothing was added");
      is_int(hed_vsa_items_find(s, "new"), -1, "not even in part");
      is_int(hed_vsa_items_remove(s, "item10"), HED_OK, "one goes");
      is_int(hed_vsa_items_remove(s, "item10"), HED_E_NOTFOUND, "once");
      is_int(hed_vsa_items_find(s, "item11"), 10, "the next moves up");
      is_str(hed_vsa_items_label(s, 38), "item39", "and the last");
      ok(same_array(hed_vsa_items_get(s, "item11"), hed_index(given, 0, 11)), "%s, %s: with their vectors", backend, specs[k]);

      hed_array *query = hed_stack(2, (const hed_array *[]){ noisy(v, hed_index(given, 0, 11), 0.3, 5), noisy(v,
          hed_vsa_symbol(v, "item39"), 0.3, 6) }, 0);
      is_int(hed_vsa_items_query(s, query, 3, -INFINITY, &at, &value), HED_OK, "a query");
      ok(whole(at, 0) == 10 && whole(at, 3) == 38, "%s, %s: noisy vectors are known", backend, specs[k]);
      hed_array *all = hed_vsa_similarity_matrix(v, query, hed_vsa_items_vectors(s)), *best, *order;
      is_int(hed_topk(all, 3, NULL, &best, &order), HED_OK, "by hand");
      ok(same_array(at, order) && same_array(value, best), "%s, %s: the best of all, in order", backend, specs[k]);
      ok(same_array(hed_vsa_items_clean(s, hed_index(query, 0, 0)), hed_index(given, 0, 11)), "%s, %s: cleaned up", backend,
          specs[k]);
      is_int(hed_vsa_items_query(s, query, 1, 0.999, &at, &value), HED_OK, "with a threshold");
      is_int(whole(at, 0), -1, "nothing is that near");
      is_int(hed_vsa_items_query(s, query, 40, 0, &at, &value), HED_E_INVAL, "more than there are");
      has_str(hed_error_text(), "k is 40, there are 39", "both numbers");

      const hed_status saved = hed_vsa_items_save(s, path_of("npz"));
      if (saved == HED_E_UNAVAILABLE)
        skip(1, "no libzip");
      else {
        is_int(saved, HED_OK, "saved");
        is_int(hed_vsa_items_load(path_of("npz"), NULL, &back), HED_OK, "and loaded: %s", hed_error_text());
        ok(same_array(hed_vsa_items_vectors(back), hed_vsa_items_vectors(s)) && hed_vsa_items_find(back, "item39") == 38,
            "%s, %s: the same",
           backend, specs[k]);
        ok(same_array(hed_vsa_symbol(hed_vsa_items_model(back), "x"), hed_vsa_symbol(v, "x")),
            "%s, %s: of the same model and seed", backend,
           specs[k]);
        hed_vsa *other = vsa_model("ghrr");
        hed_vsa_items *none = s;
        is_int(hed_vsa_items_load(path_of("npz"), other, &none), HED_E_DTYPE, "not into another model");
        ok(!none, "nothing comes out");
        hed_vsa_release(other);
        (void)unlink(path_of("npz"));
      }
    }
    hed_vsa_items_release(back);
    hed_vsa_items_release(s);
    hed_vsa_release(v);
  }
}

/* Files that do not say what they hold. */
static void hostile_files(void)
{
  static const char *const names[] = { "format_version", "model", "labels", "label_ends", "matrix" };
  static const struct { int64_t version; const char *model, *labels; int64_t ends[3]; int rows; const char *part; } files[] = {
    { 9, "map;dim=10", "abc", { 1, 2, 3 }, 3, "format_version" }, { 1, "map;dim=x", "abc", { 1, 2, 3 }, 3, "model" },
    { 1, "map;dim=10", "abc", { 1, 2, 9 }, 3, "label_ends" },     { 1, "map;dim=10", "abc", { 2, 1, 3 }, 3, "label_ends" },
    { 1, "map;dim=10", "abcd", { 1, 2, 3 }, 3, "label_ends" },    { 1, "map;dim=10", "abc", { 1, 2, 3 }, 2, "matrix" },
    { 1, "map;dim=11", "abc", { 1, 2, 3 }, 3, "matrix" },         { 1, "map;dim=10", "a\xc0\xaf", { 1, 2, 3 }, 3, "UTF-8" },
    { 1, "map;dim=10", "aac", { 1, 2, 3 }, 3, "already" },
  };
  for (size_t k = 0; k < sizeof files / sizeof files[0]; k++)
    HED_SCOPE {
      hed_vsa_items *s = NULL;
      const hed_array *x[5] = { hed_from_host(&files[k].version, HED_SHAPE0, HED_INT64),
                                hed_from_host(files[k].model, HED_SHAPE((int64_t)strlen(files[k].model)), HED_UINT8),
                                hed_from_host(files[k].labels, HED_SHAPE((int64_t)strlen(files[k].labels)), HED_UINT8),
                                hed_from_host(files[k].ends, HED_SHAPE(3), HED_INT64),
                                hed_ones(HED_SHAPE(files[k].rows, 10), HED_INT8) };
      if (hed_save_npz(path_of("bad.npz"), 5, names, x, false) == HED_E_UNAVAILABLE) {
        skip(1, "no libzip");
        continue;
      }
      ok(hed_vsa_items_load(path_of("bad.npz"), NULL, &s) != HED_OK && !s, "a file with a wrong %s", files[k].part);
      has_str(hed_error_text(), files[k].part, "says so");
      (void)unlink(path_of("bad.npz"));
    }
}

/* A codebook of three vectors of BSC, of 70 numbers int32, that HoloVec 1.0.2 wrote. */
static void codebook(const char *backend)
{
  static const char *const models[] = { "bsc;dim=70", "bsc;dim=70;layout=packed", "bsc;dim=70;dtype=uint8" };
  static const struct { const char *model; hed_status status; const char *words; } wrong[] = {
    { NULL, HED_E_INVAL, "names no model" }, { "bsc;dim=71", HED_E_SHAPE, "(3, 70), the last axes of bsc vectors are (71)" },
    { "map;dim=70", HED_E_DTYPE, "int32" }, { "fhrr;dim=70", HED_E_DTYPE, "complex64" },
    { "ghrr;dim=70", HED_E_FORMAT, "4 axes" },
  };
  char file[4096];
  hed_array *matrix = NULL;
  (void)snprintf(file, sizeof file, "%s/tests/data/vsa_items.npz", getenv("HEDDLE_TEST_SRCDIR"));
  if (!(matrix = hed_load_npz(file, "matrix")) && hed_error() == HED_E_UNAVAILABLE) {
    skip(1, "no libzip");
    return;
  }
  for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
    hed_vsa *v = vsa_model(models[k]);
    hed_vsa_items *s = NULL;
    is_int(hed_vsa_items_load(file, v, &s), HED_OK, "%s: HoloVec's codebook as %s: %s", backend, models[k], hed_error_text());
    ok(hed_vsa_items_count(s) == 3 && hed_vsa_items_find(s, "a") == 0 && hed_vsa_items_find(s, "gr\xc3\xbcn") == 1 &&
         hed_vsa_items_find(s, "\xf0\x9f\x98\x80x") == 2, "%s, %s: its labels", backend, models[k]);
    HED_SCOPE {
      hed_array *x = hed_vsa_items_vectors(s), *plain = k == 1 ? hed_vsa_unpack(v, x) : x;
      ok(same_array(hed_astype(plain, HED_INT32), matrix), "%s, %s: its vectors", backend, models[k]);
    }
    hed_vsa_items_release(s);
    hed_vsa_release(v);
  }
  for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
    hed_vsa *v = wrong[k].model ? vsa_model(wrong[k].model) : NULL;
    hed_vsa_items *s = NULL;
    is_int(hed_vsa_items_load(file, v, &s), wrong[k].status, "not as %s", wrong[k].model ? wrong[k].model : "no model");
    has_str(hed_error_text(), wrong[k].words, "says so");
    hed_vsa_release(v);
  }
  hed_release(matrix);
}

/* Such files that do not say what they hold. */
static void hostile_codebooks(void)
{
  static const char *const names[] = { "format_version", "labels", "matrix" };
  static const struct { int64_t version; hed_shape labels; uint32_t text[6]; int rows; double value; const char *part; } files[] = {
    { 3, { 2, { 2, 3 } }, { 'a', 0, 0, 'b', 'c', 0 }, 2, 1, "format_version" },
    { 2, { 2, { 2, 3 } }, { 'a', 0, 0, 'b', 'c', 0 }, 3, 1, "3 rows" },
    { 2, { 2, { 2, 3 } }, { 'a', 0, 0, 'b', 'c', 0 }, 2, 0.5, "elements that map vectors (int8) cannot have" },
    { 2, { 2, { 2, 3 } }, { 'a', 0, 0, 'b', 'c', 0 }, 2, 257, "elements that map vectors (int8) cannot have" },
    { 2, { 2, { 2, 3 } }, { 'a', 0, 0, 0, 0, 0 }, 2, 1, "empty" }, { 2, { 2, { 2, 3 } }, { 'a', 0, 'b', 'c', 0, 0 }, 2, 1, "UTF-8" },
    { 2, { 2, { 2, 3 } }, { 'a', 0, 0, 0xd800, 0, 0 }, 2, 1, "UTF-8" },
    { 2, { 2, { 2, 3 } }, { 'a', 0, 0, 0x110000, 0, 0 }, 2, 1, "U+10FFFF" },
    { 2, { 2, { 2, 3 } }, { 'a', 0, 0, 'a', 0, 0 }, 2, 1, "already" }, { 2, { 1, { 6 } }, { 'a' }, 6, 1, "no list" },
    { 2, { 2, { INT64_C(1) << 40, 0 } }, { 0 }, 1, 1, "empty" }, { 2, { 3, { 1, 2, 3 } }, { 'a' }, 1, 1, "3 axes" },
  };
  hed_vsa *v = vsa_model("map;dim=10");
  for (size_t k = 0; k < sizeof files / sizeof files[0]; k++)
    HED_SCOPE {
      hed_vsa_items *s = NULL;
      const hed_array *x[3] = { hed_from_host(&files[k].version, HED_SHAPE0, HED_INT64),
                                hed_from_host(files[k].text, files[k].labels, HED_UINT32),
                                hed_full(HED_SHAPE(files[k].rows, 10), files[k].value, HED_FLOAT32) };
      if (hed_save_npz(path_of("bad.npz"), 3, names, x, false) == HED_E_UNAVAILABLE) {
        skip(1, "no libzip");
        continue;
      }
      ok(hed_vsa_items_load(path_of("bad.npz"), v, &s) != HED_OK && !s, "a codebook with a wrong %s", files[k].part);
      has_str(hed_error_text(), files[k].part, "says so");
      (void)unlink(path_of("bad.npz"));
    }
  hed_vsa_release(v);
}

/* ---- clean-up ---- */

static void cleanup(const char *backend)
{
  for (int k = 0; k < SPECS; k += step_of(backend)) {
    hed_vsa *v = vsa_model(specs[k]);
    HED_SCOPE {
      hed_array *book = vsa_some(v, 30, 2), *clean, *dirty = noisy(v, hed_index(book, 0, 4), 0.25, 8);
      for (int kind = HED_VSA_NEAREST; kind <= HED_VSA_HOPFIELD; kind++) {
        const hed_vsa_cleanup_options o = { .kind = kind, .beta = 50 };
        clean = hed_vsa_cleanup(v, book, dirty, &o);
        is_near(vsa_item(hed_vsa_similarity(v, clean, hed_index(book, 0, 4))), 1, 0, 1e-5, "%s, %s: clean-up %d", backend,
            specs[k], kind);
      }
      ok(!hed_vsa_cleanup(v, hed_index(book, 0, 0), dirty, NULL) && hed_error() == HED_E_SHAPE, "a codebook is a list");
    }
    hed_vsa_release(v);
  }
}

static void stores(const char *backend)
{
  for (int k = 0; k < SPECS; k += step_of(backend)) {
    const bool sparse = strstr(specs[k], "bsdc;") != NULL; /* xor of sparse vectors makes dense ones: no trace of few places */
    hed_vsa *v = vsa_model(specs[k]);
    for (int kind = sparse ? HED_VSA_PAIRS : HED_VSA_TRACE; kind <= HED_VSA_PAIRS; kind++) {
      hed_vsa_store *s = NULL;
      HED_SCOPE {
        hed_array *keys = vsa_some(v, 5, 2), *values = vsa_some(v, 5, 3), *got;
        is_int(hed_vsa_store_create(v, (hed_vsa_store_kind)kind, &s), HED_OK, "a store");
        ok(!hed_vsa_store_get(s, keys) && hed_error() == HED_E_INVAL, "an empty one");
        is_int(hed_vsa_store_put(s, hed_slice(keys, 1, &HED_RANGE(0, 3, 1)), hed_slice(values, 1, &HED_RANGE(0, 3, 1))),
            HED_OK, "three pairs");
        is_int(hed_vsa_store_put(s, hed_index(keys, 0, 3), hed_index(values, 0, 3)), HED_OK, "one more");
        got = hed_vsa_cleanup(v, values, hed_vsa_store_get(s, hed_slice(keys, 1, &HED_RANGE(0, 4, 1))), NULL);
        ok(same_array(got, hed_slice(values, 1, &HED_RANGE(0, 4, 1))), "%s, %s, kind %d: values under their keys", backend,
            specs[k], kind);
        is_int(hed_vsa_store_forget(s, hed_index(keys, 0, 3), hed_index(values, 0, 3)), HED_OK, "one less");
        const double left = vsa_item(hed_vsa_similarity(v, hed_vsa_store_get(s, hed_index(keys, 0, 3)), hed_index(values,
            0, 3)));
        ok(left < 0.62, "%s, %s, kind %d: forgotten: %g", backend, specs[k], kind, left);
        got = hed_vsa_cleanup(v, values, hed_vsa_store_get(s, hed_index(keys, 0, 1)), NULL);
        ok(same_array(got, hed_index(values, 0, 1)), "%s, %s, kind %d: the others stay", backend, specs[k], kind);
        is_int(hed_vsa_store_put(s, keys, hed_index(values, 0, 1)), HED_E_SHAPE, "five keys for one value");
        ok(kind == HED_VSA_TRACE ? hed_vsa_store_trace(s) != NULL : !hed_vsa_store_trace(s) && hed_error() == HED_E_UNSUPPORTED,
           "%s, %s, kind %d: its trace", backend, specs[k], kind);
      }
      hed_vsa_store_release(s);
    }
    hed_vsa_release(v);
  }
}

/* Of two values under one key one is forgotten. */
static void one_of_two(const char *backend)
{
  hed_vsa *v = vsa_model("map;dim=500");
  hed_vsa_store *s = NULL;
  HED_SCOPE {
    hed_array *key = hed_index(vsa_some(v, 1, 2), 0, 0), *values = vsa_some(v, 2, 3);
    is_int(hed_vsa_store_create(v, HED_VSA_PAIRS, &s), HED_OK, "a store");
    for (int k = 0; k < 2; k++)
      is_int(hed_vsa_store_put(s, key, hed_index(values, 0, k)), HED_OK, "a value");
    is_int(hed_vsa_store_forget(s, key, hed_index(values, 0, 0)), HED_OK, "less the first");
    ok(same_array(hed_vsa_store_get(s, key), hed_index(values, 0, 1)), "%s: the second is there", backend);
  }
  hed_vsa_store_release(s);
  hed_vsa_release(v);
}

/* ---- classes ---- */

static void classes(const char *backend)
{
  for (int k = 0; k < SPECS; k += step_of(backend))
    for (int raw = 0; raw < 2; raw++) {
      hed_vsa *v = vsa_model(specs[k]);
      hed_vsa_classifier *c = NULL;
      HED_SCOPE {
        const hed_array *rows[60];
        int64_t label[60], wrong = -1; /* half of each vector is noise */
        hed_array *centre = vsa_some(v, 3, 2);
        for (int i = 0; i < 60; i++) {
          label[i] = i % 3;
          rows[i] = noisy(v, hed_index(centre, 0, label[i]), 0.5, 100 + (uint64_t)i);
        }
        hed_array *x = hed_stack(60, rows, 0), *y = hed_from_host(label, HED_SHAPE(60), HED_INT64);
        const hed_vsa_classifier_options o = { .raw = raw };
        is_int(hed_vsa_classifier_create(v, 3, &o, &c), HED_OK, "a classifier");
        is_int(hed_vsa_classifier_fit(c, hed_slice(x, 1, &HED_RANGE(0, 20, 1)), hed_slice(y, 1, &HED_RANGE(0, 20, 1))),
            HED_OK, "learns");
        is_int(hed_vsa_classifier_fit(c, hed_slice(x, 1, &HED_RANGE(20, 40, 1)), hed_slice(y, 1, &HED_RANGE(20, 40, 1))),
            HED_OK, "and goes on");
        hed_array *got = hed_vsa_classifier_predict(c, hed_slice(x, 1, &HED_RANGE(40, 60, 1)));
        is_near(vsa_item(hed_count_nonzero(hed_equal(got, hed_slice(y, 1, &HED_RANGE(40, 60, 1))), NULL)), 20, 0, 0,
                "%s, %s, raw %d: what it has not seen", backend, specs[k], raw);
        hed_array *sum = hed_sum(hed_vsa_numbers(v, hed_slice(x, 1, &HED_RANGE(0, 40, 3))),
            &(hed_reduce){ .axes = HED_AXES(0) });
        ok(vsa_item(hed_max(hed_abs(hed_subtract(sum, hed_index(hed_vsa_classifier_sums(c), 0, 0))), NULL)) < 1e-4,
            "%s, %s: sums of classes",
           backend, specs[k]);
        /* Two classes exchanged: learning again repairs it. */
        hed_array *turned = hed_where(hed_equal_scalar(y, 2), y, hed_subtract(hed_scalar_int(1), y));
        is_int(hed_vsa_classifier_retrain(c, x, turned, 30, 1, &wrong), HED_OK, "learns again");
        is_int(wrong, 0, "%s, %s, raw %d: until nothing is wrong", backend, specs[k], raw);
        ok(same_array(hed_vsa_classifier_predict(c, x), turned), "%s, %s, raw %d: so it is", backend, specs[k], raw);
        is_int(hed_vsa_classifier_fit(c, x, hed_add_scalar(hed_astype(y, HED_FLOAT32), 1)), HED_E_DTYPE,
            "classes are integers");
        is_int(hed_vsa_classifier_fit(c, x, hed_add(y, hed_scalar_int(1))), HED_E_INVAL, "below their number");
        has_str(hed_error_text(), "a label is 3, there are 3 classes", "both");
      }
      hed_vsa_classifier_release(c);
      hed_vsa_release(v);
    }
}

/* ---- factors ---- */

/* The plain layout has the outcomes OUT of the packed one; who never converges is started as often as restarts say. */
static void plain_alike(const hed_vsa *packed, const hed_array *s, hed_array *const *book, const hed_vsa_factors *out)
{
  hed_vsa *v = vsa_model("map;dim=1500");
  hed_vsa_factors f;
  hed_array *plain[3];
  for (int k = 0; k < 3; k++)
    plain[k] = hed_vsa_unpack(packed, book[k]);
  is_int(hed_vsa_resonate(v, hed_vsa_unpack(packed, s), 3, (const hed_array *const *)plain, NULL, &f), HED_OK, "plain vectors");
  ok(same_array(f.index, out->index) && same_array(f.similarity, out->similarity) && same_array(f.iterations, out->iterations),
     "have the outcomes of packed ones");
  hed_vsa_factors_clear(&f);
  const hed_vsa_resonator_options o = { .max_iterations = 1, .restarts = 3, .random = vsa_seed(2) };
  is_int(hed_vsa_resonate(v, hed_vsa_unpack(packed, s), 3, (const hed_array *const *)plain, &o, &f), HED_OK, "one step a start");
  is_int(whole(f.starts, 9), 4, "four starts");
  is_int(whole(f.iterations, 9), 4, "of one step");
  hed_vsa_factors_clear(&f);
  hed_vsa_release(v);
}

static void factors(const char *backend)
{
  /* Sums of whole numbers have one value: MAP and BSC go the same way everywhere. Of 1000 vectors of others at most 5 were missed. */
  static const struct { const char *spec; int n, items, least; hed_vsa_resonator_options o; } cases[] = {
    { "map;dim=1500", 3, 40, 10, { 0 } },
    { "map;dim=1500;layout=packed", 3, 40, 10, { 0 } },
    { "bsc;dim=1500;layout=packed", 3, 40, 10, { 0 } },
    { "fhrr;dim=1000", 3, 10, 9, { 0 } },
    { "fhrr;dim=1000", 3, 12, 9, { .restarts = 5, .least_fit = 0.5 } },
    { "hrr;dim=1500;inverse=unitary", 2, 20, 9, { 0 } },
    { "ghrr;dim=200", 3, 8, 9, { 0 } },
    { "bsdc_seg;segments=200;block=10", 3, 8, 8, { .restarts = 5, .least_fit = 0.5 } },
    { "mcr;dim=1000", 3, 8, 9, { 0 } },
    { "map;dim=1500", 2, 20, 9, { .activation = HED_VSA_SOFTMAX, .beta = 60, .restarts = 5, .least_fit = 0.5 } },
    { "fhrr;dim=1000", 3, 10, 9, { .activation = HED_VSA_RELU, .synchronous = true } },
    { "fhrr;dim=1000", 2, 20, 9, { .activation = HED_VSA_TOP_K, .top_k = 5 } },
    { "fhrr;dim=1000", 2, 20, 9, { .activation = HED_VSA_THRESHOLD, .threshold = 0.02 } },
  };
  const bool few = strcmp(backend, "reference") == 0 && !full_run(); /* its loops are plain */
  for (int k = 0; k < (int)(sizeof cases / sizeof cases[0]); k += few ? 3 : 2 * step_of(backend) - 1) {
    hed_vsa *v = vsa_model(cases[k].spec);
    HED_SCOPE {
      hed_array *book[3], *s = NULL;
      int64_t want[3][10];
      for (int f = 0; f < cases[k].n; f++) {
        book[f] = vsa_some(v, cases[k].items, 10 + (uint64_t)f);
        for (int i = 0; i < 10; i++)
          want[f][i] = (i * (f + 3) + f) % cases[k].items;
        hed_array *item = hed_take(book[f], hed_from_host(want[f], HED_SHAPE(10), HED_INT64), 0);
        s = f == 0 ? item : hed_vsa_bind(v, s, item);
      }
      hed_vsa_factors out;
      hed_vsa_resonator_options o = cases[k].o;
      o.random = vsa_seed(1);
      is_int(hed_vsa_resonate(v, s, cases[k].n, (const hed_array *const *)book, &o, &out), HED_OK, "%s, %s: %s", backend,
          cases[k].spec,
             hed_error() == HED_OK ? "factors" : hed_error_text());
      double *index = vsa_doubles(out.index), *fit = vsa_doubles(out.fit), *done = vsa_doubles(out.converged),
          *steps = vsa_doubles(out.iterations);
      int good = 0, claimed = 0;
      for (int i = 0; index && i < 10; i++) {
        bool all = true;
        for (int f = 0; f < cases[k].n; f++)
          all &= (int64_t)index[i * cases[k].n + f] == want[f][i];
        good += all;
        claimed += fit[i] > 0.99;
        if (all && !(fit[i] > 0.99))
          fail("%s: the right items do not fit: %g", cases[k].spec, fit[i]);
      }
      ok(good >= cases[k].least && claimed == good, "%s, %s: %d of 10 found, %d fit, converged %g after %g", backend,
          cases[k].spec, good,
         claimed, done ? done[0] : -1, steps ? steps[0] : -1);
      if (cases[k].least == 10) { /* one alone is one of many */
        hed_vsa_factors one;
        is_int(hed_vsa_resonate(v, hed_index(s, 0, 7), 3, (const hed_array *const *)book, &o, &one), HED_OK, "one vector");
        ok(same_array(one.index, hed_index(out.index, 0, 7)) && same_array(one.iterations, hed_index(out.iterations, 0, 7)) &&
               same_array(one.similarity, hed_index(out.similarity, 0, 7)), "%s: as in the batch", backend);
        hed_vsa_factors_clear(&one);
      }
      if (k == 1)
        plain_alike(v, s, book, &out);
      free(index);
      free(fit);
      free(done);
      free(steps);
      hed_vsa_factors_clear(&out);
      ok(!out.index, "nothing is left");
    }
    hed_vsa_release(v);
  }
}

/* What is left of S for the first factor is U, as the other codebook has one item: so one step gives what the activation makes of U's
 * similarities. */
static void activations(const char *backend)
{
  hed_vsa *v = vsa_model("map;dim=2000");
  HED_SCOPE {
    hed_array *book = vsa_some(v, 4, 2), *key = vsa_some(v, 1, 3);
    const hed_array *const books[2] = { book, key };
    hed_vsa_factors f;
    hed_array *less = hed_negative(hed_index(book, 0, 0));
    const hed_vsa_resonator_options relu = { .activation = HED_VSA_RELU };
    is_int(hed_vsa_resonate(v, hed_vsa_bind(v, less, hed_index(key, 0, 0)), 2, books, NULL, &f), HED_OK, "of -c");
    is_int(whole(f.index, 0), 0, "%s: linear sums have what is unlike, negated", backend);
    hed_vsa_factors_clear(&f);
    is_int(hed_vsa_resonate(v, hed_vsa_bind(v, less, hed_index(key, 0, 0)), 2, books, &relu, &f), HED_OK, "without what is unlike");
    ok(whole(f.index, 0) != 0, "%s: relu leaves it out", backend);
    hed_vsa_factors_clear(&f);
    hed_array *three = hed_vsa_bundle(v, hed_slice(book, 1, &HED_RANGE(0, 3, 1)), 0, NULL);
    for (int64_t k = 2; k <= 3; k++) {
      const hed_vsa_resonator_options best = { .activation = HED_VSA_TOP_K, .top_k = k };
      is_int(hed_vsa_resonate(v, hed_vsa_bind(v, three, hed_index(key, 0, 0)), 2, books, &best, &f), HED_OK, "the best");
      const double alike = vsa_item(hed_index(f.similarity, 0, 0));
      ok(k == 2 ? alike == 1 : fabs(alike - 0.5) < 0.1, "%s: of two the one that weighs more, of three a bundle: %g", backend, alike);
      hed_vsa_factors_clear(&f);
    }
  }
  hed_vsa_release(v);
}

/* More than the dimension holds: searches go round in circles, and are not said to have converged. */
static void circles(const char *backend)
{
  hed_vsa *v = vsa_model("map;dim=100");
  HED_SCOPE {
    hed_array *book[2] = { vsa_some(v, 40, 2), vsa_some(v, 40, 3) };
    const hed_vsa_resonator_options o = { .synchronous = true, .max_iterations = 200 };
    hed_vsa_factors f;
    is_int(hed_vsa_resonate(v, vsa_some(v, 40, 4), 2, (const hed_array *const *)book, &o, &f), HED_OK, "of no products");
    hed_array *early = hed_less_scalar(f.iterations, 200);
    const double round = vsa_item(hed_count_nonzero(hed_logical_and(early, hed_logical_not(f.converged)), NULL));
    ok(round > 0, "%s: %g of 40 ended in a circle", backend, round);
    hed_vsa_factors_clear(&f);
  }
  hed_vsa_release(v);
}

static int stop(void *arg, int64_t done, int64_t total)
{
  return *(int64_t *)arg = total, done >= 0;
}

static void resonator_errors(void)
{
  hed_vsa *v = vsa_model("map;dim=100"), *cdt = vsa_model("bsdc;dim=100;variant=cdt");
  HED_SCOPE {
    const int yes = 1;
    int64_t total = 0;
    hed_array *s = hed_index(vsa_some(v, 1, 1), 0, 0), *b = vsa_some(v, 5, 2), *c = vsa_some(cdt, 5, 2);
    const hed_array *const two[2] = { b, b }, *const wrong[2] = { b, s }, *const sparse[2] = { c, c };
    hed_vsa_factors f;
    is_int(hed_vsa_resonate(v, s, 1, two, NULL, &f), HED_E_INVAL, "one factor is none");
    is_int(hed_vsa_resonate(v, s, 2, wrong, NULL, &f), HED_E_SHAPE, "a codebook is a list");
    has_str(hed_error_text(), "codebook 1", "which");
    is_int(hed_vsa_resonate(cdt, hed_index(c, 0, 0), 2, sparse, NULL, &f), HED_E_UNSUPPORTED, "thinning cannot be undone");
    is_int(hed_vsa_resonate(v, s, 2, two, &(hed_vsa_resonator_options){ .cancel = &yes }, &f), HED_E_CANCELLED, "cancelled");
    is_int(hed_vsa_resonate(v, s, 2, two, &(hed_vsa_resonator_options){ .progress = stop, .progress_arg = &total }, &f),
        HED_E_CANCELLED,
           "stopped");
    is_int(total, 1, "of one");
    is_int(hed_vsa_resonate(v, s, 2, two, &(hed_vsa_resonator_options){ .restarts = -1 }, &f), HED_E_INVAL, "restarts below 0");
    ok(!f.index && !f.converged, "nothing comes out");
    hed_array *product = hed_vsa_bind(v, hed_index(b, 0, 4), hed_index(b, 0, 2));
    is_int(hed_vsa_resonate(v, product, 2, two, NULL, &f), HED_OK, "one codebook for both");
    ok(whole(f.index, 0) == 2 && whole(f.index, 1) == 4, "sorted by index");
    hed_vsa_factors_clear(&f);
  }
  hed_vsa_release(v);
  hed_vsa_release(cdt);
}

/* ---- sparse distributed memory ---- */

static void distributed(const char *backend)
{
  static const char *const sdm_specs[] = { "map;dim=256", "bsc;dim=256;layout=packed" };
  for (int k = 0; k < 2; k++) {
    hed_vsa *v = vsa_model(sdm_specs[k]);
    hed_vsa_sdm *m = NULL;
    HED_SCOPE {
      hed_array *a = vsa_some(v, 10, 2), *d = vsa_some(v, 10, 3);
      is_int(hed_vsa_sdm_create(v, 2000, 112, &m), HED_OK, "a memory");
      is_int(hed_vsa_sdm_write(m, a, d), HED_OK, "ten data");
      hed_array *got = hed_vsa_sdm_read(m, a);
      ok(vsa_item(hed_min(hed_vsa_similarity(v, got, d), NULL)) > 0.9, "%s, %s: they come back", backend, sdm_specs[k]);
      got = hed_vsa_sdm_read(m, noisy(v, hed_index(a, 0, 3), 0.1, 4));
      ok(vsa_item(hed_vsa_similarity(v, got, hed_index(d, 0, 3))) > 0.9, "%s, %s: at an address nearby", backend, sdm_specs[k]);
      is_int(hed_vsa_sdm_write(m, a, hed_index(d, 0, 0)), HED_E_SHAPE, "ten addresses for one datum");
      has_str(hed_error_text(), "there are 10 addresses and 1 data", "in these words");
      is_int(hed_vsa_sdm_write(m, hed_index(a, 0, 0), d), HED_E_SHAPE, "ten data for one address");
    }
    hed_vsa_sdm_release(m);
    is_int(hed_vsa_sdm_create(v, 10, 257, &m), HED_E_INVAL, "a radius beyond all");
    hed_vsa_release(v);
  }
  hed_vsa *f = vsa_model("fhrr");
  hed_vsa_sdm *m;
  is_int(hed_vsa_sdm_create(f, 10, 1, &m), HED_E_UNSUPPORTED, "phases have no radius");
  hed_vsa_release(f);
}

/* A classifier says nothing before it was told something, and nothing of classes it has not seen. */
static void unseen(void)
{
  hed_vsa *v = vsa_model("map;dim=200");
  hed_vsa_classifier *c = NULL;
  const int64_t label[] = { 2, 2, 1 };
  hed_vsa_factors f = { 0 };
  HED_SCOPE {
    hed_array *x = vsa_some(v, 3, 5), *labels = hed_from_host(label, HED_SHAPE(3), HED_INT64), *others = vsa_some(v, 40, 9);
    double low = 0, high = 0;
    ok(hed_vsa_classifier_create(v, 4, NULL, &c) == HED_OK, "a classifier of four");
    ok(!hed_vsa_classifier_predict(c, x) && hed_error() == HED_E_INVAL && strstr(hed_error_text(), "comes first"),
       "knows nothing yet");
    is_int(hed_vsa_classifier_retrain(c, x, labels, 1, 1, NULL), HED_E_INVAL, "nor can it be corrected");
    is_int(hed_vsa_classifier_fit(c, x, labels), HED_OK, "told of two classes");
    hed_array *told = hed_vsa_classifier_predict(c, others);
    ok(told && hed_item(hed_min(told, NULL), &low) == HED_OK && hed_item(hed_max(told, NULL), &high) == HED_OK && low >= 1 &&
           high <= 2, "one of them wins");
    hed_array *three = hed_multiply_scalar(x, 3);
    is_int(hed_vsa_classifier_fit(c, hed_astype(three, hed_array_dtype(x)), labels), HED_E_RANGE, "3 is no element of map");
    const hed_vsa_cleanup_options cold = { .kind = HED_VSA_HOPFIELD, .beta = -1 };
    ok(!hed_vsa_cleanup(v, x, x, &cold) && hed_error() == HED_E_INVAL, "a negative temperature");
    const hed_array *books[] = { x, x };
    const hed_vsa_resonator_options also = { .beta = -1 };
    is_int(hed_vsa_resonate(v, x, 2, books, &also, &f), HED_E_INVAL, "of a resonator, too");
  }
  hed_vsa_classifier_release(c);
  hed_vsa_release(v);
  v = vsa_model("fhrr;dim=64");
  HED_SCOPE {
    hed_array *x = hed_copy(vsa_some(v, 3, 5)), *s = hed_copy(vsa_some(v, 1, 6));
    const hed_array *books[] = { x, x };
    ok(HED_SET(s, hed_scalar(NAN), HED_AT(0), HED_AT(7)) == HED_OK, "NaN in a vector of phasors");
    is_int(hed_vsa_resonate(v, s, 2, books, NULL, &f), HED_E_RANGE, "has no factors");
    has_str(hed_error_text(), "element 7 of vector 0", "and is named");
  }
  hed_vsa_release(v);
}

/* Many inputs are encoded some at a time: as one by one, and in little memory. */
static void in_blocks(void)
{
  if (hed_set_default_backend("cpu;threads=1") != HED_OK)
    bail("%s", hed_error_text());
  hed_vsa *v = vsa_model("map;dim=10000");
  hed_vsa_encoder *values = NULL, *e = NULL;
  hed_memory_meter m;
  hed_memory_reading r = { .struct_size = sizeof r };
  HED_SCOPE {
    const hed_shape s = HED_SHAPE(60, 617);
    hed_array *x = hed_random_uniform(s, HED_FLOAT32, &(hed_random){ .seed = 1, .seeded = true });
    ok(hed_vsa_encoder_level(v, &(hed_vsa_level_options){ .levels = 10 }, &values) == HED_OK &&
           hed_vsa_encoder_vector(values, 617, 0, &e) == HED_OK, "an encoder of 617 features");
    if (hed_memory_meter_begin("cpu", &m) != HED_OK)
      bail("%s", hed_error_text());
    hed_array *all = hed_vsa_encode(e, x);
    const hed_status read = hed_memory_meter_read(&m, &r);
    hed_memory_meter_end(&m);
    const double taken = (double)(r.peak - r.start) / 1048576;
    ok(all && read == HED_OK && taken < 170, "60 of 617 features in 10000 dimensions: %.0f MiB", taken);
    ok(same_array(hed_index(all, 0, 37), hed_vsa_encode(e, hed_index(x, 0, 37))), "as one by itself");
  }
  hed_vsa_encoder_release(e);
  hed_vsa_encoder_release(values);
  hed_vsa_release(v);
}

int main(void)
{
  vsa_on_each(items);
  hostile_files();
  vsa_on_each(codebook);
  hostile_codebooks();
  vsa_on_each(cleanup);
  vsa_on_each(stores);
  vsa_on_each(one_of_two);
  vsa_on_each(classes);
  vsa_on_each(factors);
  vsa_on_each(activations);
  vsa_on_each(circles);
  resonator_errors();
  vsa_on_each(distributed);
  unseen();
  in_blocks();
  return done();
}
