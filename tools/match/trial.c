// SPDX-License-Identifier: BSD-3-Clause
/* What a search would take, and whether the template has the right hand and contrast: searches at few rotations.
 *
 * Layer: L5.
 */
#include "job.h"
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* MOST of the rotations, evenly from the list. */
static double *some_rotations(const match_job *j, size_t most, size_t *n)
{
  const size_t cells = hed_array_ndim(j->target.data) == 3 ? 9 : 4;
  *n = j->n_rotations < most ? j->n_rotations : most;
  double *m = malloc(*n * cells * sizeof *m);
  for (size_t i = 0; m && i < *n; i++)
    memcpy(m + cells * i, j->matrices + cells * (i * j->n_rotations / *n), cells * sizeof *m);
  if (!m)
    (void)hed_fail(HED_E_NOMEM, "no memory for %zu rotations", *n);
  return m;
}

static int ended(hed_status status)
{
  return status == HED_E_CANCELLED ? tool_fail(STATUS_INTERRUPTED, "interrupted") : tool_fail_status(status);
}

enum { SOME = 8, BACKGROUND = 32 }; /* rotations of a trial; of the background's stage */

/* From coarse to fine: each stage's time for what it has to do, of a run that does a few rotations in each, j->n_coarse of the first,
 * which has *N. */
static hed_status try_staged(match_job *j, size_t *n, double *seconds)
{
  hed_match_options opt = match_options(j);
  const hed_match_stages *s = &j->stages;
  double *list = NULL;
  hed_status status = match_staged_search(j, &opt, SOME);
  if (status != HED_OK)
    return status;
  const size_t some = j->n_coarse;
  status = hed_rotations_sample(hed_array_ndim(j->target.data), j->coarse_step > 0 ? j->coarse_step : 20, &list, n);
  if (status == HED_OK && j->symmetry)
    status = hed_rotations_reduce(j->symmetry, j->coarse_step > 0 ? j->coarse_step : 20, list, n);
  free(list);
  const double all = (double)j->n_rotations, few = fmin(all, SOME);
  *seconds = s->seconds[0] * (double)*n / (double)some + s->seconds[1] * fmin(all, BACKGROUND) / few + s->seconds[2] * all / few +
             s->seconds[3];
  return status;
}

static int dry_run_staged(match_job *j)
{
  const hed_match_stages *s = &j->stages;
  double seconds;
  char text[24];
  size_t n;
  const hed_status status = try_staged(j, &n, &seconds);
  if (status != HED_OK)
    return ended(status);
  const size_t some = j->n_coarse;
  const double all = (double)j->n_rotations, few = fmin(all, SOME);
  printf("rotations       %zu at %.4g degrees, %zu in the first stage, binned by %d\n", j->n_rotations, j->step, n, (int)s->bin);
  printf("candidates      %zu, of %zu rotations\n", s->candidates, some);
  j->dry_memory = (double)s->memory;
  j->dry_seconds = seconds;
  printf("memory          %.0f MiB\n", ceil((double)s->memory / 0x1p20));
  printf("time            %s, from %zu rotations\n", progress_duration(seconds, text), some);
  const hed_match_result *r = &s->background;
  printf("cut-off         %.4g, expected for %g false positives\n", r->cutoff -
         hed_match_cutoff_shaped(r->sigma_robust, r->kurtosis, (double)r->n_scores, r->n_false_positives) +
         hed_match_cutoff_shaped(r->sigma_robust, r->kurtosis, (double)r->n_scores * all / few, r->n_false_positives),
         r->n_false_positives);
  return 0;
}

/* The full search's time, of N rotations, whose result *R is. */
static hed_status try_full(match_job *j, size_t *n, hed_match_result *r, double *seconds)
{
  hed_match_options opt = match_options(j);
  double *m = some_rotations(j, 8, n);
  const hed_status status = m ? match_search(j, &opt, *n, m, r) : hed_error();
  free(m);
  const double share = j->shares > 1 ? (double)j->shares : 1;
  if (status == HED_OK)
    *seconds = r->setup_seconds + r->seconds * (double)j->n_rotations / (double)*n / share;
  return status;
}

int match_choose_strategy(match_job *j)
{
  enum { FEW = 64 }; /* rotations, of which a trial takes too large a part */
  hed_match_result r = { 0 };
  size_t n;
  if (!match_can_be_staged(j) || j->n_rotations < FEW)
    return 0;
  hed_status status = try_full(j, &n, &r, &j->full_seconds);
  hed_match_result_clear(&r);
  if (status == HED_OK)
    status = try_staged(j, &n, &j->coarse_seconds);
  if (status == HED_OK && j->coarse_seconds < j->full_seconds)
    j->strategy = MATCH_COARSE;
  hed_match_stages_clear(&j->stages);
  hed_table_clear(&j->found);
  return status == HED_OK ? 0 : ended(status);
}

int match_dry_run(match_job *j)
{
  if (j->strategy == MATCH_AUTO) {
    j->strategy = MATCH_FULL;
    const int code = match_choose_strategy(j);
    if (code)
      return code;
    printf("strategy        %s\n", j->strategy == MATCH_COARSE ? "coarse" : "full");
  }
  if (j->strategy == MATCH_COARSE)
    return dry_run_staged(j);
  hed_match_result r;
  char text[24];
  size_t n;
  double seconds;
  const hed_status status = try_full(j, &n, &r, &seconds);
  if (status != HED_OK)
    return ended(status);
  size_t parts = 1;
  for (int i = 0; i < r.parts.ndim; i++)
    parts *= (size_t)r.parts.dim[i];
  const double scores = (double)r.n_scores * (double)j->n_rotations / (double)n;
  j->dry_memory = (double)r.memory;
  j->dry_seconds = seconds;
  const double wanted = r.n_false_positives, k = r.kurtosis;
  const double centre = r.cutoff - hed_match_cutoff_shaped(r.sigma_robust, k, (double)r.n_scores, wanted);
  printf("rotations       %zu", j->n_rotations);
  if (!j->rotations_path)
    printf(" at %.4g degrees", j->step);
  if (match_is_batch(j))
    printf("\ntemplates       %zu", j->n_more + 1);
  printf("\nparts           %zu\nmemory          %.0f MiB\n", parts, ceil((double)r.memory / 0x1p20));
  printf("time            %s, from %zu rotations\n", progress_duration(seconds, text), n);
  printf("cut-off         %.4g, expected for %g false positives\n",
         centre + hed_match_cutoff_shaped(r.sigma_robust, k, scores, wanted), wanted);
  hed_match_result_clear(&r);
  return 0;
}

/* Highest score of a search, in deviations of the background. */
static hed_status trial(match_job *j, size_t n, const double *m, bool mirror, bool invert, double *highest, double *score)
{
  const hed_axes x = { .n = 1, .axis = { -1 } };
  hed_match_options opt = match_options(j);
  hed_match_result r;
  hed_array *tmpl = mirror ? hed_flip(j->tmpl.data, &x) : hed_retain(j->tmpl.data);
  hed_array *mask = j->mask.data && mirror ? hed_flip(j->mask.data, &x) : j->mask.data ? hed_retain(j->mask.data) : NULL;
  opt.invert = j->invert != invert;
  opt.correct_background = false;
  hed_status status = tmpl && (mask || !j->mask.data) ? hed_match_run(&opt, j->target.data, tmpl, mask, n, m, &r) : hed_error();
  hed_release(tmpl);
  hed_release(mask);
  if (status != HED_OK)
    return status;
  hed_array *most = hed_max(r.scores, NULL);
  status = most ? hed_item(most, score) : hed_error();
  *highest = r.sigma_robust > 0 ? (*score - r.mean) / r.sigma_robust : 0;
  hed_release(most);
  hed_match_result_clear(&r);
  return status;
}

/* Each of two scores has the deviation of the background, so that their difference has sqrt(2) of it: twice that may be chance. */
static const double noise_of_two = 2.8;

/* Which ones score as high as the best but for noise. */
static void print_ties(const char *const names[4], const double highest[4], int best)
{
  for (int i = 0; i < 4; i++)
    if (i != best && highest[best] - highest[i] < noise_of_two)
      printf("not told apart: %s and %s, %.1f deviations (noise: %.1f)\n", names[best], names[i], highest[best] - highest[i],
             noise_of_two);
}

int match_check(match_job *j)
{
  static const char *const names[4] = { "as it is", "mirrored", "inverted", "both" };
  double highest[4], score[4];
  size_t n;
  int best = 0;
  double *m = some_rotations(j, 200, &n);
  hed_status status = m ? HED_OK : hed_error();
  printf("%zu of %zu rotations\ntemplate   highest score  in deviations of the background\n", n, j->n_rotations);
  for (int i = 0; i < 4 && status == HED_OK; i++) {
    status = trial(j, n, m, i % 2 == 1, i >= 2, &highest[i], &score[i]);
    if (status != HED_OK)
      break;
    best = highest[i] > highest[best] ? i : best;
    printf("%-9s  %13.4f  %.1f\n", names[i], score[i], highest[i]);
  }
  free(m);
  if (status != HED_OK)
    return ended(status);
  print_ties(names, highest, best);
  printf("best: %s\n", names[best]);
  return 0;
}
