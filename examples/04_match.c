// SPDX-License-Identifier: BSD-3-Clause
/* Template matching from a program: simulate a small tomogram, let a pool of workers search it, compare with the truth.
 *
 *   cc 04_match.c $(pkg-config --cflags --libs heddle-kits) && ./a.out
 */
#include <heddle/kits/match.h>
#include <heddle/kits/rotation.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
  hed_model molecule = { 0 };
  hed_map map = { 0 };
  hed_array *tomogram = NULL;
  hed_table truth = { 0 }, found = { 0 };
  double *rotations = NULL;
  hed_match_peak *peaks = NULL;
  hed_match_result result = { 0 };
  hed_match_quality quality = { 0 };
  size_t n = 0, n_peaks = 0;
  const double voxel = 10;
  const hed_simulate_options scene = { .shape = HED_SHAPE(40, 48, 48), .copies = 2, .snr = 1, .seed = 5 };
  const hed_match_options options = { .score = "FLCSphericalMask", .workers = "reference*2" };
  const hed_match_peak_options two = { .num_peaks = 2, .min_distance = 8 };

  int bad = hed_model_example(&molecule) != HED_OK || hed_model_to_map(&molecule, voxel, 40, NULL, &map) != HED_OK ||
            hed_simulate(&scene, map.data, &tomogram, &truth) != HED_OK ||
            hed_rotations_sample(3, 45, &rotations, &n) != HED_OK ||
            hed_match_run(&options, tomogram, map.data, NULL, n, rotations, &result) != HED_OK ||
            hed_match_peaks(result.scores, result.rotations, &two, &peaks, &n_peaks) != HED_OK ||
            hed_match_table(n_peaks, peaks, 3, rotations, n, map.voxel, NULL, &found) != HED_OK ||
            hed_match_compare(&found, &truth, 4, &quality, NULL) != HED_OK;
  if (bad)
    fprintf(stderr, "%s\n", hed_error_text());
  for (size_t i = 0; i < found.n; i++)
    printf("found at %3.0f %3.0f %3.0f, score %.3f\n", found.row[i].position[0], found.row[i].position[1],
           found.row[i].position[2], found.row[i].score);
  for (int i = 0; i < result.n_workers; i++)
    printf("worker %d on %s did %zu rotations\n", i, result.worker[i].backend, result.worker[i].rotations);
  printf("recall %.2f\n", quality.recall);
  bad = bad || quality.hits != truth.n;

  hed_model_clear(&molecule);
  hed_map_clear(&map);
  hed_release(tomogram);
  hed_table_clear(&truth);
  hed_table_clear(&found);
  hed_match_result_clear(&result);
  free(rotations);
  free(peaks);
  return bad;
}
