// SPDX-License-Identifier: BSD-3-Clause
/* What sorting, selection, sets and histograms mean where array libraries differ: doc/meaning.texi, section "Sorting,
 * search and sets", an assertion for each sentence.
 */
#include "api.h"
#include <math.h>

static void meaning(const char *backend)
{
  diag("sorting on %s", backend);
  hed_array *x = api_array(HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(3, 7, 1, 7, 2, 3)), *v, *i, *inverse, *counts;
  hed_array *nan = API_VECTOR(HED_FLOAT32, 2, NAN, 5, NAN);

  api_is(hed_sort(x, NULL), HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(1, 3, 7, 2, 3, 7), "sort is along the last axis");
  api_is(hed_sort(x, &(hed_sort_options){ .flat = true }), HED_SHAPE(6), HED_FLOAT32, API_LIST(1, 2, 3, 3, 7, 7),
         "flattened only on request");
  api_is(hed_argsort(x, &(hed_sort_options){ .flat = true, .descending = true }), HED_SHAPE(6), HED_INT64,
         API_LIST(1, 3, 0, 5, 4, 2), "descending is stable too");
  api_is(hed_sort(nan, &(hed_sort_options){ .descending = true }), HED_SHAPE(4), HED_FLOAT32, API_LIST(5, 2, NAN, NAN),
         "NaN is last in both directions");

  api_is(hed_topk_indices(x, 4), HED_SHAPE(2, 4), HED_INT64, API_LIST(0, 1, 0, 1, 1, 0, 0, 2),
         "topk_indices: descending, ties by lowest place, a row per axis");
  api_is(hed_topk_indices(nan, 3), HED_SHAPE(1, 3), HED_INT64, API_LIST(2, 0, 1), "NaN after all numbers");
  api_is(hed_topk_indices(x, 0), HED_SHAPE(2, 0), HED_INT64, API_LIST(0), "k = 0 gives none");
  API_NULL(hed_topk_indices(x, 7), HED_E_INVAL, "topk_indices: k is 7; 0 to 6, the elements of x");
  API_FAIL(hed_topk(x, 4, NULL, &v, &i), HED_E_INVAL, "topk: k is 4; 0 to 3, the extent of axis 1, are expected");

  hed_unique(x, NULL, &v, &i, &inverse, &counts);
  api_is(v, HED_SHAPE(4), HED_FLOAT32, API_LIST(1, 2, 3, 7), "unique ascends");
  api_is(i, HED_SHAPE(4), HED_INT64, API_LIST(2, 4, 0, 1), "index of the first occurrence");
  api_is(inverse, HED_SHAPE(2, 3), HED_INT64, API_LIST(2, 3, 0, 3, 1, 2), "the inverse has the operand's shape");
  api_is(counts, HED_SHAPE(4), HED_INT64, API_LIST(1, 1, 2, 2), "counts");
  hed_unique(x, &HED_AXES(1), &v, NULL, &inverse, NULL);
  api_is(v, HED_SHAPE(2, 3), HED_FLOAT32, API_LIST(1, 3, 7, 3, 7, 2), "unique columns");
  api_is(inverse, HED_SHAPE(3), HED_INT64, API_LIST(1, 2, 0), "their inverse is a list");
  hed_unique(nan, NULL, &v, NULL, NULL, NULL);
  api_is(v, HED_SHAPE(3), HED_FLOAT32, API_LIST(2, 5, NAN), "one NaN");

  hed_array *h = NULL, *edges = API_VECTOR(HED_FLOAT64, 0, 1, 2), *y = API_VECTOR(HED_FLOAT32, 0, 1, 2, 2, 2.5, -1, NAN);
  hed_histogram(y, &(hed_histogram_options){ .edges = edges }, &h, NULL);
  api_is(h, HED_SHAPE(2), HED_INT64, API_LIST(1, 3), "the last bin has its right edge; outside and NaN are dropped");
  hed_histogram(y, &(hed_histogram_options){ .edges = edges, .density = true }, &h, NULL);
  api_is(h, HED_SHAPE(2), HED_FLOAT64, API_LIST(0.25, 0.75), "density is of what was counted");

  /* equal scores: the point that comes first stays, and distance is a strict bound */
  hed_array *line = api_array(HED_SHAPE(3, 1), HED_FLOAT32, API_LIST(0, 0.5, 1)), *score = API_VECTOR(HED_FLOAT32, 1, 1, 1);
  api_is(hed_filter_points_indices(line, 1, score), HED_SHAPE(2), HED_INT64, API_LIST(0, 2), "ties by lowest index");
  hed_array *scores = API_VECTOR(HED_FLOAT32, 4, 6), *best = API_VECTOR(HED_FLOAT32, 4, 5), *from = API_VECTOR(HED_INT32, 2, 2);
  is_int(hed_max_score_over_rotations(scores, best, from, 7), HED_OK, "max_score_over_rotations");
  api_is(hed_copy(from), HED_SHAPE(2), HED_INT32, API_LIST(2, 7), "a tie keeps what was there");
  hed_array *all[] = { x, nan, edges, y, line, score, scores, best, from };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    hed_release(all[k]);
}

int main(void)
{
  api_each_backend(meaning);
  done_testing();
  return done();
}
