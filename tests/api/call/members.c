// SPDX-License-Identifier: BSD-3-Clause
/* What is none of an enumeration is refused with the value and the range of those that there are: everywhere where an option, or
 * an argument, is one. And numbers that are possible are said once each.
 */
#include "arrays.h"
#include "tap.h"
#include <heddle.h>
#include <heddle/dlpack.h>
#include <heddle/io.h>
#include <heddle/kits/mask.h>
#include <heddle/kits/match.h>
#include <heddle/kits/nn.h>
#include <heddle/kits/nn_data.h>
#include <heddle/kits/nn_wiring.h>
#include <heddle/kits/refine.h>
#include <heddle/kits/table.h>
#include <heddle/kits/tensor_metrics.h>
#include <heddle/kits/tensor_train_fit.h>
#include <heddle/kits/ultrasound.h>
#include <heddle/kits/vsa.h>
#include <heddle/kits/vsa_encode.h>
#include <heddle/kits/vsa_memory.h>
#include <stdio.h>
#include <string.h>

#define WRONG 77 /* a plain number, which any enumeration takes without a warning */

/* The last call failed for WRONG, and says so: the word of what it was, and the numbers from FIRST to LAST. */
static void refused(bool failed, const char *what, int first, int last)
{
  char value[24], range[3][64];
  const char *text = hed_error_text();
  bool said = false;
  (void)snprintf(value, sizeof value, "%d", WRONG);
  (void)snprintf(range[0], sizeof range[0], "%d to %d", first, last);
  (void)snprintf(range[1], sizeof range[1], "(%d) to ", first);
  (void)snprintf(range[2], sizeof range[2], "(%d) are possible", last);
  said = strstr(text, range[0]) || (strstr(text, range[1]) && strstr(text, range[2]));
  if (!ok(failed && hed_error() == HED_E_INVAL && strstr(text, what) && strstr(text, value) && said, "%s: %s", what, text))
    diag("no %s, no %s, or no range from %d to %d", what, value, first, last);
  hed_error_clear();
}
#define STATUS(what, first, last, call) refused((call) != HED_OK, what, first, last)
#define ARRAY(what, first, last, call) refused((call) == NULL, what, first, last)

static void operations(void)
{
  HED_SCOPE {
    hed_array *x = hed_ones(HED_SHAPE(4, 4), HED_FLOAT64);
    const hed_key odd = { .kind = WRONG };
    struct DLManagedTensorVersioned *tensor;
    ARRAY("mode", HED_MAP_READ, HED_MAP_WRITE, hed_map_npy("no.npy", WRONG));
    ARRAY("mode", HED_PAD_CONSTANT, HED_PAD_WRAP, hed_pad_with(x, HED_SHAPE(1, 1), HED_SHAPE(1, 1), WRONG, 0));
    ARRAY("how", HED_AGGREGATE_ADD, HED_AGGREGATE_SOFTMAX, hed_scatter(x, hed_arange_int(0, 4, 1, HED_INT64), 0, WRONG, 0));
    ARRAY("kind", HED_KEY_SLICE, HED_KEY_MASK, hed_get(x, 1, &odd));
    STATUS("op", HED_SCATTER_SET, HED_SCATTER_MIN, hed_accumulate(x, 0, NULL, x, WRONG));
    STATUS("copy", HED_COPY_IF_NEEDED, HED_COPY_NEVER, hed_to_dlpack(x, WRONG, &tensor));
  }
}

static void matching(void)
{
  hed_array *x = hed_ones(HED_SHAPE(8, 8, 8), HED_FLOAT32), *at = hed_zeros(HED_SHAPE(8, 8, 8), HED_INT32);
  hed_match_result result;
  hed_match_peak *peaks;
  size_t n;
  double rotation[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  hed_table_row row = { .position = { 4, 4, 4 } };
  const hed_table start = { .n = 1, .row = &row };
  hed_table out;
#define RUN(what, first, last) STATUS(#what, first, last, \
  hed_match_run(&(hed_match_options){ .what = WRONG }, x, x, NULL, 1, rotation, &result))
  RUN(spline, HED_SPLINE_DEFAULT, HED_SPLINE_CUBIC);
  RUN(faces, HED_FACES_CONTINUE, HED_FACES_WRAP);
  RUN(voids, HED_VOIDS_FIND, HED_VOIDS_KEEP);
  RUN(null_shape, HED_NULL_MEASURED, HED_NULL_NORMAL);
#define REFINE(what, first, last) STATUS(#what, first, last, \
  hed_match_refine(&(hed_refine_options){ .what = WRONG }, x, x, NULL, &start, &out, NULL))
  REFINE(spline, HED_SPLINE_DEFAULT, HED_SPLINE_CUBIC);
  REFINE(faces, HED_FACES_CONTINUE, HED_FACES_WRAP);
  REFINE(voids, HED_VOIDS_FIND, HED_VOIDS_KEEP);
#define FILTER(what, first, last) ARRAY(#what, first, last, \
  hed_match_filter_make(&(hed_match_filter){ .what = WRONG }, HED_SHAPE(8, 8, 8)))
  FILTER(wedge, HED_WEDGE_NONE, HED_WEDGE_TILTS);
  FILTER(weighting, HED_WEIGHTING_NONE, HED_WEIGHTING_GRIGORIEFF);
  FILTER(ctf, HED_CTF_NONE, HED_CTF_WIENER);
  FILTER(reconstruction, HED_RECONSTRUCTION_NONE, HED_RECONSTRUCTION_HAMMING);
  STATUS("caller", HED_PEAKS_MAXIMUM, HED_PEAKS_CLUSTER,
         hed_match_peaks(x, at, &(hed_match_peak_options){ .caller = WRONG }, &peaks, &n));
  ARRAY("kind", HED_MASK_SPHERE, HED_MASK_MEMBRANE, hed_mask_make(&(hed_mask_options){ .kind = WRONG }, HED_SHAPE(8, 8, 8)));
  STATUS("format", HED_TABLE_BY_CONTENT, HED_TABLE_CHIMERAX, hed_table_read_as("no.tsv", WRONG, NULL, &out));
  STATUS("format", HED_TABLE_TSV, HED_TABLE_CHIMERAX, hed_table_write_as("no.tsv", &start, WRONG, NULL));
  RELEASE(at, x);
}

static void tensors(void)
{
  hed_array *x = hed_ones(HED_SHAPE(3, 2), HED_FLOAT64);
  const hed_array *list[] = { x };
  double index;
  hed_tt t;
  STATUS("method", HED_INDEX_STACKED, HED_INDEX_MEAN, hed_correlation_index(1, list, list, WRONG, &index));
  STATUS("start", HED_TR_SVD, HED_TR_RANDOM,
         hed_tr_als(x, &(hed_shape){ .ndim = 1, .dim = { 1 } }, &(hed_tr_options){ .start = WRONG }, &t, NULL));
  ARRAY("reduce", HED_US_SUM, HED_US_NONE, hed_us_tenengrad(x, &(hed_us_sharpness){ .reduce = WRONG }));
  hed_release(x);
}

/* Ranks of a train: one for all, those within, or those with both ends; of a train without any within, two are left. */
static void numbers_of_ranks(void)
{
  static const char *const words[] = { "; 1 or 2 are", "; 1 or 3 are", "; 1, 2 or 4 are", "; 1, 3 or 5 are" };
  const hed_shape ranks = HED_SHAPE(1, 1, 1, 1, 1, 1, 1);
  for (int order = 1; order <= 4; order++) {
    hed_shape s = { .ndim = order };
    hed_tt t;
    for (int k = 0; k < order; k++)
      s.dim[k] = 2;
    hed_array *x = hed_ones(s, HED_FLOAT64);
    is_int(hed_tt_svd(x, &ranks, 0, &t, NULL), HED_E_SHAPE, "7 ranks of a train of %d", order);
    has_str(hed_error_text(), words[order - 1], "how many there may be");
    hed_error_clear();
    hed_release(x);
  }
}

static void vectors(void)
{
  hed_vsa *v = NULL;
  hed_vsa_encoder *e = NULL, *none;
  hed_vsa_store *store;
  hed_vsa_factors factors;
  if (hed_vsa_create(HED_VSA_FHRR, NULL, &v) != HED_OK || hed_vsa_encoder_scalar(v, NULL, &e) != HED_OK)
    bail("no vectors: %s", hed_error_text());
  hed_array *x = hed_vsa_random(v, &HED_SHAPE(3), NULL);
  const hed_array *books[] = { x, x };
  STATUS("kind", HED_VSA_TRACE, HED_VSA_PAIRS, hed_vsa_store_create(v, WRONG, &store));
  ARRAY("kind", HED_VSA_NEAREST, HED_VSA_HOPFIELD, hed_vsa_cleanup(v, x, x, &(hed_vsa_cleanup_options){ .kind = WRONG }));
  STATUS("activation", HED_VSA_LINEAR, HED_VSA_THRESHOLD,
         hed_vsa_resonate(v, x, 2, books, &(hed_vsa_resonator_options){ .activation = WRONG }, &factors));
  STATUS("position", HED_VSA_POSITION_POWER, HED_VSA_POSITION_BUNDLE,
         hed_vsa_encoder_image(e, &(hed_vsa_image_options){ .height = 4, .width = 4, .position = WRONG }, &none));
  hed_release(x);
  hed_vsa_encoder_release(e);
  hed_vsa_release(v);
}

static void networks(void)
{
  hed_array *x = hed_ones(HED_SHAPE(4, 4), HED_FLOAT32);
  hed_nn_params *p = NULL;
  hed_nn_wiring *w = NULL;
  if (hed_nn_params_create(&p) != HED_OK || hed_nn_wiring_full(4, 1, 1, false, 0, &w) != HED_OK)
    bail("no network: %s", hed_error_text());
  ARRAY("what", HED_NN_ROLLING_MEAN, HED_NN_ROLLING_SUM, hed_nn_rolling(x, 2, WRONG));
  STATUS("role", HED_NN_LEARNT, HED_NN_BUFFER, hed_nn_params_set_role(p, "", WRONG));
  STATUS("type", HED_NN_INTER, HED_NN_MOTOR, hed_nn_wiring_place(w, 0, WRONG, 0));
  hed_nn_wiring_release(w);
  hed_nn_params_release(p);
  hed_release(x);
}

int main(void)
{
  operations();
  matching();
  tensors();
  numbers_of_ranks();
  vectors();
  networks();
  done_testing();
  return done();
}
