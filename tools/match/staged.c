// SPDX-License-Identifier: BSD-3-Clause
/* `heddle match --strategy=coarse'.
 *
 * Layer: L5. The scores that are written are those of the first stage; for pictures they are brought to the target's voxels.
 */
#include "job.h"
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Rotations of the first stage. */
static hed_status make_coarse(match_job *j)
{
  const int ndim = hed_array_ndim(j->target.data);
  const double step = j->coarse_step > 0 ? j->coarse_step : 20;
  free(j->coarse);
  j->coarse = NULL;
  hed_status status = hed_rotations_sample(ndim, step, &j->coarse, &j->n_coarse);
  if (status == HED_OK && j->symmetry)
    status = hed_rotations_reduce(j->symmetry, step, j->coarse, &j->n_coarse);
  return status;
}

/* MOST of N rotations, evenly, in place. */
static void thin(double *m, size_t *n, size_t most, size_t cells)
{
  const size_t some = *n < most ? *n : most;
  for (size_t i = 0; i < some; i++)
    memmove(m + cells * i, m + cells * (i * *n / some), cells * sizeof *m);
  *n = some;
}

hed_status match_staged_search(match_job *j, const hed_match_options *opt, size_t some)
{
  const size_t d = (size_t)hed_array_ndim(j->target.data), cells = d * d;
  double *matrices = NULL;
  size_t n = j->n_rotations;
  hed_status status = make_coarse(j);
  if (status != HED_OK)
    return status;
  if (some) {
    if (!(matrices = malloc(n * cells * sizeof *matrices)))
      return hed_fail(HED_E_NOMEM, "no memory for %zu rotations", n);
    memcpy(matrices, j->matrices, n * cells * sizeof *matrices);
    thin(matrices, &n, some, cells);
    thin(j->coarse, &j->n_coarse, some, cells);
  }
  hed_staged_options how = { .bin = (int32_t)j->bin, .coarse = j->coarse, .n_coarse = j->n_coarse, .candidates = (size_t)j->candidates,
                             .min_distance = j->min_distance, .min_score = j->min_score, .use_min_score = j->min_score_given,
                             .lobe_distance = match_extent(j), .lobe_fraction = MATCH_LOBES };
  memcpy(how.voxel, j->target.voxel, sizeof how.voxel);
  memcpy(how.origin, j->target.origin, sizeof how.origin);
  status = hed_match_staged(opt, &how, j->target.data, j->tmpl.data, j->mask.data, n, matrices ? matrices : j->matrices, &j->found,
                            &j->stages);
  free(matrices);
  return status;
}

/* The first stage's scores at the target's voxels. */
static hed_array *unbinned(const match_job *j)
{
  const hed_shape s = hed_array_shape(j->target.data), b = hed_array_shape(j->stages.coarse.scores);
  const int64_t bin = j->stages.bin;
  int64_t n[3] = { 1, 1, 1 }, m[3] = { 1, 1, 1 };
  hed_array *out = hed_zeros(s, HED_FLOAT32);
  float *to = out ? hed_array_data(out) : NULL;
  const float *from = hed_array_data(j->stages.coarse.scores);
  for (int i = 0; i < s.ndim; i++) {
    n[3 - s.ndim + i] = s.dim[i];
    m[3 - s.ndim + i] = b.dim[i];
  }
  for (int64_t z = 0; to && z < n[0]; z++)
    for (int64_t y = 0; y < n[1]; y++)
      for (int64_t x = 0; x < n[2]; x++)
        *to++ = from[((s.ndim == 3 ? z / bin : 0) * m[1] + y / bin) * m[2] + x / bin];
  return out;
}

hed_status match_staged_run(match_job *j, const hed_match_options *opt)
{
  const hed_status status = match_staged_search(j, opt, 0);
  if (status != HED_OK)
    return status;
  hed_match_result *r = &j->result;
  *r = j->stages.background;
  j->stages.background = (hed_match_result){ 0 };
  r->n_rotations = j->n_rotations;
  r->memory = j->stages.memory;
  r->seconds = 0;
  for (int i = 0; i < 4; i++)
    r->seconds += j->stages.seconds[i];
  j->distance = j->min_distance > 0 ? j->min_distance : fmax(1, match_extent(j) / 2);
  j->threshold = j->min_score_given ? j->min_score : r->cutoff;
  j->found.n = j->found.n < (size_t)j->peaks ? j->found.n : (size_t)j->peaks;
  if (j->stages.bin == 1 && j->bin == 0) /* which saves nothing over the full search but steps between rotations */
    (void)tool_fail(0, "binning would take %.0f %% of the template's energy, so the first stage is not binned: its %zu rotations take "
                    "as long as so many of the full search's %zu", 100 * j->stages.loss, j->stages.n_coarse, j->n_rotations);
  if (j->stages.dropped)
    (void)tool_fail(0, "%zu more candidates than --candidates %zu were left out", j->stages.dropped, j->stages.candidates);
  r->scores = unbinned(j);
  return r->scores ? HED_OK : hed_error();
}

bool match_can_be_staged(const match_job *j)
{
  const bool score = !j->score || strcasecmp(j->score, "FLC") == 0 || strcasecmp(j->score, "FLCSphericalMask") == 0;
  return score && !match_is_batch(j) && !j->shares && !j->merge && !j->mpi && !j->check && !j->background && !j->seeds_path &&
         !j->subvoxel && !j->sub_volumes[0];
}

void match_staged_describe(const match_job *j)
{
  static const char *const names[] = { "coarse", "background", "places", "refinement" };
  const hed_match_stages *s = &j->stages;
  printf("  binned by %d", (int)s->bin);
  if (s->loss > 0)
    printf(" (%.1f %% of the template's energy is lost by 2)", 100 * s->loss);
  printf(", %zu rotations: %zu candidates of score %.4g and more\n ", s->n_coarse, s->candidates, s->coarse_cutoff);
  for (int i = 0; i < 4; i++)
    printf(" %s %.1f s%s", names[i], s->seconds[i], i < 3 ? "," : "\n");
}

void match_staged_emit(const match_job *j, emit *e)
{
  static const char *const names[] = { "coarse", "background", "places", "refinement" };
  const hed_match_stages *s = &j->stages;
  emit_object(e, "stages");
  emit_int(e, "bin", s->bin);
  emit_number(e, "energy_loss", s->loss);
  emit_int(e, "coarse_rotations", (int64_t)s->n_coarse);
  emit_number(e, "coarse_cutoff", s->coarse_cutoff);
  emit_int(e, "candidates", (int64_t)s->candidates);
  emit_int(e, "candidates_left_out", (int64_t)s->dropped);
  emit_int(e, "refinement_scores", (int64_t)s->scores);
  emit_object(e, "seconds");
  for (int i = 0; i < 4; i++)
    emit_number(e, names[i], s->seconds[i]);
  emit_object_end(e);
  emit_object_end(e);
}
