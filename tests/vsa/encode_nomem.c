// SPDX-License-Identifier: BSD-3-Clause
/* Out of memory in encoders, sequences and structures: as in vsa/nomem.c, each allocation fails once, and nothing comes out then. */
#include "arrays.h"
#include "failing.h"
#include "vsa.h"
#include <heddle/kits/vsa_encode.h>

static hed_vsa *v;                /* the model of the moment */
static hed_array *x, *y, *number; /* lists of its vectors; numbers for encoders */
static hed_vsa_encoder *values, *subject;

static hed_status given(hed_array *a)
{
  hed_release(a);
  return a ? HED_OK : hed_error();
}

/* ---- encoders: made, used, decoded ---- */

static hed_status made(hed_status status, hed_vsa_encoder *e)
{
  if ((status == HED_OK) != (e != NULL))
    fail("status %d, and %s", (int)status, e ? "an encoder" : "no encoder");
  hed_vsa_encoder *same = hed_vsa_encoder_retain(e);
  hed_vsa_encoder_release(e);
  hed_vsa_encoder_release(same);
  return status;
}

static hed_status make_scalar(hed_vsa_encoder **out)
{
  return hed_vsa_encoder_scalar(v, &(hed_vsa_scalar_options){ .mixture = 2, .bandwidths = { 1, 2 }, .weights = { 1, 1 } }, out);
}

static hed_status make_level(int32_t kind, hed_vsa_encoder **out)
{
  return hed_vsa_encoder_level(v, &(hed_vsa_level_options){ .levels = 4, .kind = kind }, out);
}

static hed_status make_linear(hed_vsa_encoder **out) { return make_level(HED_VSA_LEVELS_LINEAR, out); }
static hed_status make_circle(hed_vsa_encoder **out) { return make_level(HED_VSA_LEVELS_CIRCULAR, out); }
static hed_status make_thermometer(hed_vsa_encoder **out) { return make_level(HED_VSA_LEVELS_THERMOMETER, out); }
static hed_status make_bins(hed_vsa_encoder **out) { return make_level(HED_VSA_LEVELS_BINS, out); }
static hed_status make_independent(hed_vsa_encoder **out) { return make_level(HED_VSA_LEVELS_INDEPENDENT, out); }
static hed_status make_vector(hed_vsa_encoder **out) { return hed_vsa_encoder_vector(values, 2, 1, out); }
static hed_status make_power(hed_vsa_encoder **out) { return hed_vsa_encoder_vector_power(v, 2, NULL, out); }

static hed_status make_projection(hed_vsa_encoder **out)
{
  return hed_vsa_encoder_projection(v, 2, &(hed_vsa_projection_options){ .matrix = HED_VSA_MATRIX_SPARSE, .shift = true }, out);
}

static hed_status make_trajectory(hed_vsa_encoder **out) { return hed_vsa_encoder_trajectory(values, 2, values, 1, out); }

static hed_status make_image(hed_vsa_encoder **out)
{
  return hed_vsa_encoder_image(values, &(hed_vsa_image_options){ .height = 2, .width = 2, .channels = 2 }, out);
}

static hed_status make_residue(hed_vsa_encoder **out)
{
  return hed_vsa_encoder_residue(v, &(hed_vsa_residue_options){ .moduli = 1, .modulus = { 3 } }, out);
}

static const struct { const char *name; hed_status (*make)(hed_vsa_encoder **out); bool decodes; } encoders[] = {
  { "hed_vsa_encoder_scalar", make_scalar, true },        { "hed_vsa_encoder_level, linear", make_linear, true },
  { "..., circular", make_circle, true },                 { "..., thermometer", make_thermometer, true },
  { "..., bins", make_bins, true },                       { "..., independent", make_independent, true },
  { "hed_vsa_encoder_vector", make_vector, true },        { "hed_vsa_encoder_vector_power", make_power, false },
  { "hed_vsa_encoder_projection", make_projection, false }, { "hed_vsa_encoder_trajectory", make_trajectory, false },
  { "hed_vsa_encoder_image", make_image, true },          { "hed_vsa_encoder_residue", make_residue, true },
};
static size_t at; /* the encoder of the moment */

static hed_status make(void)
{
  hed_vsa_encoder *e = NULL;
  hed_status status = encoders[at].make(&e);
  return made(status, e);
}

static hed_status encode(void) { return given(hed_vsa_encode(subject, number)); }

static hed_status decode(void)
{
  hed_array *similarity = NULL;
  hed_array *out = hed_vsa_decode(subject, y, &(hed_vsa_decode_options){ .strict = true, .similarity = &similarity });
  if (!out != !similarity)
    fail("numbers and similarities do not come together: %p, %p", (void *)out, (void *)similarity);
  hed_release(similarity);
  return given(out);
}

static void encoder(size_t k)
{
  at = k;
  diag("%s", encoders[k].name);
  every_allocation(encoders[k].name, make, NULL);
  if (encoders[k].make(&subject) != HED_OK)
    bail("%s: %s", encoders[k].name, hed_error_text());
  every_allocation("hed_vsa_encode", encode, NULL);
  if (encoders[k].decodes) {
    y = hed_vsa_encode(subject, number);
    every_allocation("hed_vsa_decode", decode, NULL);
    hed_release(y);
  }
  hed_vsa_encoder_release(subject);
}

/* Numbers that every encoder takes: one of 2 x 2 x 2, (2, 2, 2). */
static void encoders_of(const char *spec, hed_status (*make_values)(hed_vsa_encoder **out), const size_t *list, size_t n)
{
  static const double eighths[] = { 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 0.9 };
  v = vsa_model(spec);
  diag("%s", spec);
  number = hed_from_doubles(eighths, HED_SHAPE(2, 2, 2), HED_FLOAT32);
  if (!number || make_values(&values) != HED_OK)
    bail("%s: %s", spec, hed_error_text());
  for (size_t k = 0; k < n; k++)
    encoder(list[k]);
  hed_vsa_encoder_release(values);
  hed_release(number);
  hed_vsa_release(v);
}

/* The last of the list, of whole numbers. */
static void residues(const char *spec)
{
  v = vsa_model(spec);
  number = hed_from_doubles((double[]){ 1, 5 }, HED_SHAPE(2), HED_FLOAT32);
  encoder(sizeof encoders / sizeof encoders[0] - 1);
  hed_release(number);
  hed_vsa_release(v);
}

/* ---- sequences and structures ---- */

static hed_status bundled(void) { return given(hed_vsa_sequence(v, x, HED_VSA_ORDER_BUNDLE)); }
static hed_status bound(void) { return given(hed_vsa_sequence(v, x, HED_VSA_ORDER_BIND)); }
static hed_status sequence_decode(void) { return given(hed_vsa_sequence_decode(v, y, x, 3, 0)); }
static hed_status grams(void) { return given(hed_vsa_ngrams(v, x, 2, 1, HED_VSA_NGRAM_BIND)); }
static hed_status gram_bundles(void) { return given(hed_vsa_ngrams(v, x, 2, 1, HED_VSA_NGRAM_BUNDLE)); }
static hed_status chains(void) { return given(hed_vsa_ngrams(v, x, 2, 1, HED_VSA_NGRAM_CHAIN)); }
static hed_status graph(void) { return given(hed_vsa_graph(v, x, y, number, true)); }
static hed_status neighbours(void) { return given(hed_vsa_graph_neighbours(v, y, x, true, false)); }
static hed_status incoming(void) { return given(hed_vsa_graph_neighbours(v, y, x, true, true)); }
static hed_status automaton(void) { return given(hed_vsa_automaton(v, x, y, x)); }
static hed_status next(void) { return given(hed_vsa_automaton_next(v, y, x, x)); }
static hed_status tree(void) { return given(hed_vsa_tree(v, x, (const char *const[]){ "l", "rl", "rr" })); }
static hed_status leaf(void) { return given(hed_vsa_tree_leaf(v, y, "rl")); }

static void structures(const char *spec)
{
  static const double weights[] = { 1, 2, 3 };
  v = vsa_model(spec);
  diag("%s", spec);
  number = hed_from_doubles(weights, HED_SHAPE(3), HED_FLOAT32);
  x = vsa_some(v, 3, 1);
  y = vsa_some(v, 3, 2);
  every_allocation("hed_vsa_sequence, bundles", bundled, NULL);
  every_allocation("hed_vsa_sequence, products", bound, NULL);
  every_allocation("hed_vsa_sequence_decode", sequence_decode, NULL);
  every_allocation("hed_vsa_ngrams, products", grams, NULL);
  every_allocation("hed_vsa_ngrams, bundles", gram_bundles, NULL);
  every_allocation("hed_vsa_ngrams, chains", chains, NULL);
  every_allocation("hed_vsa_graph", graph, NULL);
  every_allocation("hed_vsa_graph_neighbours", neighbours, NULL);
  every_allocation("hed_vsa_graph_neighbours, incoming", incoming, NULL);
  every_allocation("hed_vsa_automaton", automaton, NULL);
  every_allocation("hed_vsa_automaton_next", next, NULL);
  every_allocation("hed_vsa_tree", tree, NULL);
  every_allocation("hed_vsa_tree_leaf", leaf, NULL);
  RELEASE(number, x, y);
  hed_vsa_release(v);
}

int main(void)
{
  static const size_t every[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, packed[] = { 1, 2, 3, 4, 6, 8, 9 };
  if (hed_set_default_backend("reference;threads=1") != HED_OK)
    bail("%s", hed_error_text());
  encoders_of("hrr;dim=16", make_scalar, every, sizeof every / sizeof every[0]);
  encoders_of("bsc;dim=70;layout=packed", make_linear, packed, sizeof packed / sizeof packed[0]);
  residues("fhrr;dim=16");
  structures("fhrr;dim=16");
  structures("bsdc_seg;segments=4;block=7");
  return done();
}
