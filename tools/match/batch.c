// SPDX-License-Identifier: BSD-3-Clause
/* `heddle match' for several templates at once.
 *
 * Layer: L5. Each place keeps its best template. Every template has a background of its own and gets an equal part of the false
 * positives that were asked for; the strictest of their cut-offs holds for all, so that no more are expected than asked.
 */
#include "job.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool match_is_batch(const match_job *j)
{
  return j->n_more > 0 && !j->merge;
}

const char *match_template_name(const match_job *j, size_t t)
{
  return t == 0 ? j->template_path : j->more[t - 1];
}

/* The one whose cut-off is the strictest. */
static size_t strictest(const hed_match_result *r, size_t n)
{
  size_t best = 0;
  for (size_t t = 1; t < n; t++)
    best = r[t].cutoff > r[best].cutoff ? t : best;
  return best;
}

/* One result for all: scores and rotations of the best templates, the background of the strictest, over as many scores as there are
 * of all templates, which makes its cut-off what it is. */
static hed_status combine(match_job *j, hed_match_result *r, size_t n, hed_match_result *out)
{
  hed_array *scores = NULL, *rotations = NULL;
  const hed_status status = hed_match_best(n, r, &scores, &rotations, &j->templates);
  if (status != HED_OK)
    return status;
  const hed_match_result *from = r + strictest(r, n);
  *out = *from;
  out->worker = r[0].worker;
  out->n_workers = r[0].n_workers;
  r[0].worker = NULL;
  r[0].n_workers = 0;
  out->scores = scores;
  out->rotations = rotations;
  out->n_scores = 0;
  out->n_false_positives = from->n_false_positives * (double)n;
  for (size_t t = 0; t < n; t++) {
    out->n_scores += r[t].n_scores;
    out->lowest = fmin(out->lowest, r[t].lowest);
    j->account[t] = (match_account){ r[t].mean, r[t].sigma_robust, r[t].cutoff };
  }
  return HED_OK;
}

hed_status match_search(match_job *j, const hed_match_options *opt, size_t n_rotations, const double *rotations,
                        hed_match_result *out)
{
  if (!match_is_batch(j))
    return hed_match_run(opt, j->target.data, j->tmpl.data, j->mask.data, n_rotations, rotations, out);
  const size_t n = j->n_more + 1;
  hed_match_options o = *opt;
  const hed_array **tmpl = calloc(n, sizeof *tmpl);
  hed_match_result *r = calloc(n, sizeof *r);
  j->account = calloc(n, sizeof *j->account);
  hed_status status = tmpl && r && j->account ? HED_OK : hed_fail(HED_E_NOMEM, "no memory for %zu templates", n);
  for (size_t t = 0; t < n && status == HED_OK; t++)
    tmpl[t] = t == 0 ? j->tmpl.data : j->others[t - 1].data;
  o.n_false_positives = (j->false_positives > 0 ? j->false_positives : 1) / (double)n;
  if (status == HED_OK)
    status = hed_match_run_batch(&o, j->target.data, n, tmpl, j->mask.data, n_rotations, rotations, r);
  if (status == HED_OK)
    status = combine(j, r, n, out);
  for (size_t t = 0; r && t < n; t++)
    hed_match_result_clear(r + t);
  free(r);
  free(tmpl);
  return status;
}

size_t match_template_of(const match_job *j, size_t i)
{
  const hed_shape s = hed_array_shape(j->templates);
  const double *at = j->found.row[i].position;
  int64_t k = 0;
  for (int a = 0; a < s.ndim; a++) { /* places between voxels are within half a voxel of theirs */
    const int64_t p = llround(at[3 - s.ndim + a]);
    k = k * s.dim[a] + (p < 0 ? 0 : p < s.dim[a] ? p : s.dim[a] - 1);
  }
  const int32_t t = ((const int32_t *)hed_array_data(j->templates))[k];
  return t < 0 ? 0 : (size_t)t;
}
