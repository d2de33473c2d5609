// SPDX-License-Identifier: BSD-3-Clause
/* One rotation into the running maximum, with its scores looked at where somebody wants to.
 *
 * Layer: L4, match kit. Mostly nobody does, and a rotation's scores exist only inside hed_max_correlation(). Statistics, analyzers and
 * seeds need them: they are made apart from the maximum then, and brought to the host.
 */
#include "kits/match/run/looks.h"
#include "kits/match/run/seeds.h"
#include <math.h>

hed_status hed__looks_open(hed__looks *l, const hed__job *job, const hed_match_analyzer *analyzer)
{
  *l = (hed__looks){ .analyzer = analyzer, .stride = hed__statistics_stride(job->n_rotations, job->undivided) };
  const hed_status status = hed__statistics_open(&l->sums, job->undivided);
  if (status == HED_OK && analyzer && !(l->state = analyzer->open(analyzer->arg)))
    return hed_fail(HED_E_NOMEM, "hed_match_run: the analyzer's open returned NULL");
  return status;
}

void hed__looks_close(hed__looks *l)
{
  if (l->state)
    l->analyzer->close(l->state);
  hed__statistics_close(&l->sums);
  *l = (hed__looks){ 0 };
}

/* ---- the maximum where seeds allow one ---- */

typedef struct raising { const float *scores; float *best; int32_t *index, i; } raising;

static void raise_row(void *arg, const hed__positions *p, int64_t z, int64_t y, int64_t x0, int64_t x1)
{
  const raising *r = arg;
  const size_t row = hed__in_transform(p, z, y);
  for (int64_t x = x0; x < x1; x++) {
    const size_t at = row + (size_t)hed__negated(p, 2, x);
    if (r->scores[at] > r->best[at] || (r->scores[at] == r->best[at] && r->i < r->index[at])) {
      r->best[at] = r->scores[at];
      r->index[at] = r->i;
    }
  }
}

/* ---- what an analyzer sees ---- */

typedef struct showing { const hed__job *job; const float *scores; float *seen; } showing;

static void show_row(void *arg, const hed__positions *p, int64_t z, int64_t y, int64_t x0, int64_t x1)
{
  const showing *s = arg;
  const hed__job *job = s->job;
  const size_t from = hed__in_transform(p, z, y), target = hed__in_target(p, z, y);
  const float *factor = job->factor ? (const float *)hed_array_data(job->factor) + from : NULL;
  const float *offset = job->offset ? (const float *)hed_array_data(job->offset) + from : NULL;
  float *to = s->seen + ((z - p->first[0]) * (p->n[1] - p->first[1]) + y - p->first[1]) * (p->n[2] - p->first[2]) - p->first[2];
  for (int64_t x = x0; x < x1; x++) {
    const int64_t at = hed__negated(p, 2, x);
    const float v = s->scores[from + (size_t)at] - (offset ? offset[at] : 0.0F);
    to[x] = job->scored && !job->scored[target + (size_t)x] ? -INFINITY : factor ? v * factor[at] : v;
  }
}

/* All rows of the part. */
static void each_row(const hed__job *job, hed__see_row *see, void *arg)
{
  const hed__positions p = hed__positions_of(job);
  for (int64_t z = p.first[0]; z < p.n[0]; z++)
    for (int64_t y = p.first[1]; y < p.n[1]; y++)
      see(arg, &p, z, y, p.first[2], p.n[2]);
}

static hed_status analyze(const hed__job *job, const hed__looks *l, hed_array *seen, size_t i, const float *scores)
{
  const hed__positions p = hed__positions_of(job);
  showing s = { .job = job, .scores = scores, .seen = hed_array_data(seen) };
  int64_t begin[3];
  for (int64_t k = 0; k < hed_array_size(seen); k++)
    s.seen[k] = -INFINITY;
  if (job->seeds)
    hed__seeds_rows(job->seeds, job, job->rotations + i * (size_t)(job->ndim * job->ndim), show_row, &s);
  else
    each_row(job, show_row, &s);
  for (int a = 0; a < job->ndim; a++)
    begin[a] = p.begin[3 - job->ndim + a] + p.first[3 - job->ndim + a];
  return l->analyzer->take(l->state, i, seen, begin);
}

hed_status hed__rotate(const hed__job *job, hed__buffers *w, hed__looks *l, size_t i)
{
  const double *rotation = job->rotations + i * (size_t)(job->ndim * job->ndim);
  const bool counted = i % l->stride == 0, admitted = !job->seeds || hed__seeds_admit(job->seeds, job->ndim, rotation);
  hed__buffers apart = *w;
  hed_status status;
  if (!counted && !admitted)
    return HED_OK;
  if (!counted && !job->seeds && !l->analyzer)
    return job->score->rotate(job, w, rotation, (int32_t)i);
  apart.best = w->one;
  apart.index = w->number;
  if ((status = hed_fill(w->one, -INFINITY)) != HED_OK || (status = hed_fill_int(w->number, -1)) != HED_OK ||
      (status = job->score->rotate(job, &apart, rotation, (int32_t)i)) != HED_OK)
    return status;
  hed_array *scores = hed__on_host(w->one);
  const float *v = scores ? hed_array_data(scores) : NULL;
  status = v ? HED_OK : hed_error();
  if (v && isfinite(v[0])) { /* a rotation that the mask does not survive leaves none */
    if (counted)
      hed__statistics_add(&l->sums, job, v);
    if (l->analyzer && admitted)
      status = analyze(job, l, w->seen, i, v);
    if (job->seeds && admitted && status == HED_OK)
      hed__seeds_rows(job->seeds, job, rotation, raise_row,
                      &(raising){ v, hed_array_data(w->best), hed_array_data(w->index), (int32_t)i });
  }
  hed_release(scores);
  return status == HED_OK && !job->seeds ? hed_max_score_over_rotations(w->one, w->best, w->index, (int32_t)i) : status;
}
