// SPDX-License-Identifier: BSD-3-Clause
/* Out of memory: every allocation of the vsa kit, and of the library below it, fails once, in turn. Each time the function must say
 * HED_E_NOMEM and give nothing; leaks are for valgrind and AddressSanitizer to find. Encoders are in vsa/encode_nomem.c.
 */
#include "arrays.h"
#include "failing.h"
#include "vsa.h"
#include <heddle/kits/vsa_memory.h>

static hed_vsa *v, *other;              /* the model of the moment; one that it is converted to */
static hed_array *x, *y, *label, *order; /* lists of its vectors; numbers 0, 1, 2; an order of its elements */

static hed_status given(hed_array *a)
{
  hed_release(a);
  return a ? HED_OK : hed_error();
}

static hed_status create(void)
{
  hed_vsa *made;
  hed_status status = hed_vsa_by_name("bsc;dim=70;layout=packed", &made);
  hed_vsa_release(made);
  return status;
}

/* ---- models ---- */

static hed_status draw(void)
{
  const hed_shape batch = HED_SHAPE(3);
  const hed_random r = vsa_seed(1);
  return given(hed_vsa_random(v, &batch, &r));
}

static hed_status symbol(void) { return given(hed_vsa_symbol(v, "name")); }
static hed_status bind(void) { return given(hed_vsa_bind(v, x, y)); }
static hed_status bind_all(void) { return given(hed_vsa_bind_all(v, x, 0)); }
static hed_status unbind(void) { return given(hed_vsa_unbind(v, x, y)); }
static hed_status pairs(void) { return given(hed_vsa_bind_pairs(v, x, y, NULL)); }
static hed_status permute(void) { return given(hed_vsa_permute(v, x, 5)); }
static hed_status normalise(void) { return given(hed_vsa_normalise(v, x)); }
static hed_status similarity(void) { return given(hed_vsa_similarity(v, x, y)); }
static hed_status matrix(void) { return given(hed_vsa_similarity_matrix(v, x, y)); }
static hed_status numbers(void) { return given(hed_vsa_numbers(v, x)); }
static hed_status draw_from(void) { return given(hed_vsa_random_from(v, 2, 3, &(hed_random){ .seed = 1, .seeded = true })); }
static hed_status symbols(void) { return given(hed_vsa_symbols(v, 2, (const char *const[]){ "a", "b" })); }
static hed_status identity(void) { return given(hed_vsa_identity(v)); }
static hed_status checked(void) { return hed_vsa_check_vectors(v, x); }
static hed_status tie_vector(void) { return given(hed_vsa_tie_vector(v)); }
static hed_status unbind_left(void) { return given(hed_vsa_unbind_left(v, x, y)); }
static hed_status inverse_of(void) { return given(hed_vsa_inverse_of(v, x)); }
static hed_status negative(void) { return given(hed_vsa_negative(v, x)); }
static hed_status permute_by(void) { return given(hed_vsa_permute_by(v, x, order)); }
static hed_status power(void) { return given(hed_vsa_power(v, x, 3)); }
static hed_status pack(void) { return given(hed_vsa_pack(v, x)); }
static hed_status unpack(void) { return given(hed_vsa_unpack(v, x)); }
static hed_status convert(void) { return given(hed_vsa_convert(v, x, other)); }

static hed_status weighted(void)
{
  hed_array *tie = hed_vsa_tie_vector(v);
  hed_status status = tie ? given(hed_vsa_bundle_with(v, x, 0, label, tie)) : hed_error();
  hed_release(tie);
  return status;
}

static hed_status quantise(void)
{
  hed_array *n = hed_vsa_numbers(v, x);
  hed_status status = n ? given(hed_vsa_quantise(v, n)) : hed_error();
  hed_release(n);
  return status;
}

/* With a model of its own, which has no tie vector yet. */
static hed_status bundle(void)
{
  hed_vsa_info info = { .struct_size = sizeof info };
  hed_vsa *fresh = NULL;
  hed_status status = hed_vsa_info_of(v, &info);
  if (status == HED_OK)
    status = hed_vsa_create((hed_vsa_model)info.model, &info.options, &fresh);
  if (status == HED_OK)
    status = given(hed_vsa_bundle(fresh, x, 0, NULL));
  hed_vsa_release(fresh);
  return status;
}

/* ---- memories ---- */

static hed_status items(void)
{
  hed_vsa_items *s = NULL;
  hed_array *at = NULL, *value = NULL;
  hed_status status = hed_vsa_items_create(v, &s);
  if (status == HED_OK)
    status = hed_vsa_items_add(s, 3, (const char *[]){ "a", "b", "c" }, x);
  if (status == HED_OK)
    status = hed_vsa_items_remove(s, "b");
  if (status == HED_OK)
    status = hed_vsa_items_query(s, y, 2, 0, &at, &value);
  if (status != HED_OK && (at || value))
    fail("a result came out of a failure");
  RELEASE(at, value);
  hed_vsa_items_release(s);
  return status;
}

static hed_vsa_items *kept; /* items a, b, c */
static char file[400];

static hed_status items_vectors(void) { return given(hed_vsa_items_vectors(kept)); }
static hed_status items_get(void) { return given(hed_vsa_items_get(kept, "b")); }
static hed_status items_clean(void) { return given(hed_vsa_items_clean(kept, y)); }
static hed_status items_save(void) { return hed_vsa_items_save(kept, file); }

static hed_status items_load(void)
{
  hed_vsa_items *s = NULL;
  hed_status status = hed_vsa_items_load(file, NULL, &s);
  if ((status == HED_OK) != (s != NULL) || (s && hed_vsa_items_count(s) != 3))
    fail("status %d, %lld items", (int)status, (long long)hed_vsa_items_count(s));
  hed_vsa_items_release(s);
  return status;
}

/* The file that saving makes, which must not stay after a failure, and what loading reads. */
static void files(void)
{
  (void)snprintf(file, sizeof file, "vsa_nomem-%ld.npz", (long)getpid());
  if (hed_vsa_items_create(v, &kept) != HED_OK || hed_vsa_items_add(kept, 3, (const char *[]){ "a", "b", "c" }, x) != HED_OK)
    bail("%s", hed_error_text());
  every_allocation("hed_vsa_items_vectors", items_vectors, NULL);
  every_allocation("hed_vsa_items_get", items_get, NULL);
  every_allocation("hed_vsa_items_clean", items_clean, NULL);
  if (hed_vsa_items_save(kept, file) == HED_E_UNAVAILABLE)
    skip(2, "%s", hed_error_text());
  else {
    every_allocation("hed_vsa_items_load", items_load, NULL);
    unlink(file);
    every_allocation("hed_vsa_items_save", items_save, file);
  }
  hed_vsa_items_release(kept);
}

/* What fails leaves the items as they are. */
static hed_status grow(void)
{
  static hed_vsa_items *s;
  static const char *const many[20] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p",
      "q", "r", "s", "t" };
  if (!s && (hed_vsa_items_create(v, &s) != HED_OK || hed_vsa_items_add(s, 2, many, NULL) != HED_OK)) {
    hed_vsa_items_release(s);
    s = NULL;
    return hed_error();
  }
  hed_status status = hed_vsa_items_add(s, 18, many + 2, NULL);
  if (status != HED_OK && (hed_vsa_items_count(s) != 2 || hed_vsa_items_find(s, "c") != -1 || hed_vsa_items_find(s, "b") != 1))
    fail("items were added by a failure");
  if (status == HED_OK) {
    hed_vsa_items_release(s);
    s = NULL;
  }
  return status;
}

static hed_status store_of(hed_vsa_store_kind kind)
{
  hed_vsa_store *s = NULL;
  hed_status status = hed_vsa_store_create(v, kind, &s);
  if (status == HED_OK)
    status = hed_vsa_store_put(s, x, y);
  if (status == HED_OK)
    status = hed_vsa_store_forget(s, x, y);
  if (status == HED_OK)
    status = hed_vsa_store_put(s, x, y);
  if (status == HED_OK)
    status = given(hed_vsa_store_get(s, x));
  if (status == HED_OK && kind == HED_VSA_TRACE)
    status = given(hed_vsa_store_trace(s));
  hed_vsa_store_release(s);
  return status;
}

static hed_status trace(void) { return store_of(HED_VSA_TRACE); }
static hed_status list(void) { return store_of(HED_VSA_PAIRS); }

static hed_status classify(void)
{
  hed_vsa_classifier *c = NULL;
  hed_status status = hed_vsa_classifier_create(v, 3, NULL, &c);
  if (status == HED_OK)
    status = hed_vsa_classifier_fit(c, x, label);
  if (status == HED_OK)
    status = hed_vsa_classifier_retrain(c, x, label, 2, 1, NULL);
  hed_array *(*const ask[])(const hed_vsa_classifier *c, const hed_array *q) = { hed_vsa_classifier_scores,
    hed_vsa_classifier_predict };
  hed_array *(*const show[])(const hed_vsa_classifier *c) = { hed_vsa_classifier_prototypes, hed_vsa_classifier_sums };
  for (int k = 0; k < 2 && status == HED_OK; k++)
    if ((status = given(ask[k](c, y))) == HED_OK)
      status = given(show[k](c));
  hed_vsa_classifier_release(c);
  return status;
}

static hed_status cleanup(void)
{
  return given(hed_vsa_cleanup(v, x, y, &(hed_vsa_cleanup_options){ .kind = HED_VSA_HOPFIELD, .max_iterations = 3 }));
}

static hed_status resonate(void)
{
  const hed_array *const books[2] = { x, y };
  hed_vsa_factors f;
  hed_status status = hed_vsa_resonate(v, x, 2, books, &(hed_vsa_resonator_options){ .max_iterations = 2, .restarts = 1,
      .least_fit = 1,
                                       .random = { .seed = 1, .seeded = true } }, &f);
  if (status != HED_OK && f.index)
    fail("factors came out of a failure");
  hed_vsa_factors_clear(&f);
  return status;
}

static hed_status distributed(void)
{
  hed_vsa_sdm *m = NULL;
  hed_status status = hed_vsa_sdm_create(v, 20, 32, &m);
  if (status == HED_OK)
    status = hed_vsa_sdm_write(m, x, y);
  if (status == HED_OK)
    status = given(hed_vsa_sdm_read(m, x));
  hed_vsa_sdm_release(m);
  return status;
}

static void with_model(const char *spec, void (*f)(void))
{
  v = vsa_model(spec);
  x = vsa_some(v, 3, 1);
  y = vsa_some(v, 3, 2);
  hed_vsa_info info = { .struct_size = sizeof info };
  (void)hed_vsa_info_of(v, &info);
  order = hed_arange(0, (double)(info.options.segments ? info.options.segments : info.options.dim), 1, HED_INT64);
  diag("%s", spec);
  f();
  RELEASE(x, y, order);
  hed_vsa_release(v);
}

static void arithmetic(void)
{
  every_allocation("hed_vsa_random", draw, NULL);
  every_allocation("hed_vsa_bind", bind, NULL);
  every_allocation("hed_vsa_unbind", unbind, NULL);
  every_allocation("hed_vsa_bundle", bundle, NULL);
  every_allocation("hed_vsa_permute", permute, NULL);
  every_allocation("hed_vsa_normalise", normalise, NULL);
  every_allocation("hed_vsa_similarity", similarity, NULL);
  every_allocation("hed_vsa_similarity_matrix", matrix, NULL);
  every_allocation("hed_vsa_numbers", numbers, NULL);
  every_allocation("hed_vsa_quantise", quantise, NULL);
  every_allocation("hed_vsa_permute_by", permute_by, NULL);
}

/* Of models whose rows have all of these. */
static void more_arithmetic(void)
{
  arithmetic();
  every_allocation("hed_vsa_random_from", draw_from, NULL);
  every_allocation("hed_vsa_symbols", symbols, NULL);
  every_allocation("hed_vsa_identity", identity, NULL);
  every_allocation("hed_vsa_check_vectors", checked, NULL);
  every_allocation("hed_vsa_tie_vector", tie_vector, NULL);
  every_allocation("hed_vsa_unbind_left", unbind_left, NULL);
  every_allocation("hed_vsa_inverse_of", inverse_of, NULL);
  every_allocation("hed_vsa_negative", negative, NULL);
  every_allocation("hed_vsa_power", power, NULL);
  every_allocation("hed_vsa_bundle_with", weighted, NULL);
}

static void layouts(void)
{
  more_arithmetic();
  other = vsa_model("map;dim=70");
  every_allocation("hed_vsa_unpack", unpack, NULL);
  every_allocation("hed_vsa_convert", convert, NULL);
  hed_array *packed = x;
  x = hed_vsa_unpack(v, packed);
  every_allocation("hed_vsa_pack", pack, NULL);
  hed_release(x);
  x = packed;
  hed_vsa_release(other);
}

static void memories(void)
{
  every_allocation("hed_vsa_by_name", create, NULL);
  every_allocation("hed_vsa_symbol", symbol, NULL);
  every_allocation("hed_vsa_bind_all", bind_all, NULL);
  every_allocation("hed_vsa_bind_pairs", pairs, NULL);
  every_allocation("hed_vsa_items_query", items, NULL);
  every_allocation("hed_vsa_items_add", grow, NULL);
  every_allocation("hed_vsa_store, a trace", trace, NULL);
  every_allocation("hed_vsa_store, pairs", list, NULL);
  every_allocation("hed_vsa_classifier", classify, NULL);
  every_allocation("hed_vsa_cleanup", cleanup, NULL);
  every_allocation("hed_vsa_resonate", resonate, NULL);
  every_allocation("hed_vsa_sdm", distributed, NULL);
  files();
}

int main(void)
{
  static const char *const models[] = { "map;dim=70", "bsdc;dim=70;variant=cdt", "bsdc;dim=70;layout=packed", "vtb;dim=64",
                                        "vtb_shift;dim=64", "mcr;dim=70" };
  static const char *const more[] = { "hrr;dim=70", "fhrr;dim=70", "ghrr;dim=10" };
  const int64_t numbers_of[3] = { 0, 1, 2 };
  if (hed_set_default_backend("reference;threads=1") != HED_OK)
    bail("%s", hed_error_text());
  label = hed_from_host(numbers_of, HED_SHAPE(3), HED_INT64);
  for (size_t k = 0; k < sizeof models / sizeof models[0]; k++)
    with_model(models[k], arithmetic);
  with_model("bsdc_seg;segments=10;block=7", arithmetic);
  for (size_t k = 0; k < sizeof more / sizeof more[0]; k++)
    with_model(more[k], more_arithmetic);
  with_model("bsc;dim=70;layout=packed", layouts);
  with_model("map;dim=70", memories);
  hed_release(label);
  return done();
}
