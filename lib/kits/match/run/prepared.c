// SPDX-License-Identifier: BSD-3-Clause
/* What a search is given as its rotations meet it, for what goes on with it elsewhere.
 *
 * Layer: L4, match kit.
 */
#include "kits/match/run/prepared.h"
#include <math.h>
#include <stdlib.h>

static hed_status standardise(const char *op, const hed_array *f, float **out)
{
  const size_t n = (size_t)hed_array_size(f);
  hed__whole whole = { .deviation = 1 };
  float *v = hed__to_malloc(f);
  hed_status status = v ? hed__whole_standard(op, v, n, &whole) : hed_error();
  for (size_t i = 0; status == HED_OK && i < n; i++)
    v[i] = (float)(((double)v[i] - whole.mean) / whole.deviation);
  if (status == HED_OK)
    *out = v;
  else
    free(v);
  return status;
}

static hed_status prepare(const char *op, hed__matching *w, const hed__given *in, hed__prepared *out)
{
  hed_status status = hed__take_target_mask(w);
  if (status == HED_OK)
    status = hed__take_inputs(w, in->target, in->tmpl, in->mask);
  if (status == HED_OK)
    status = standardise(op, w->f, &out->values);
  if (status != HED_OK)
    return status;
  const bool cubic = w->opt->spline == HED_SPLINE_DEFAULT || w->opt->spline == HED_SPLINE_CUBIC;
  out->turning = hed_keep(cubic ? hed_spline_filter(w->g[0], NULL, HED_BOUNDARY_MIRROR) : hed_copy(w->g[0]));
  out->filter = w->all->filter ? hed_keep(hed_to(w->all->filter, hed_get_backend())) : NULL;
  return out->turning && (out->filter || !w->all->filter) ? HED_OK : hed_error();
}

hed_status hed__prepare(const char *op, const hed_match_options *opt, const hed__given *in, hed__prepared *out)
{
  hed_match_options o = *opt;
  hed_match_result account = { 0 };
  hed_array *g = NULL;
  hed__job job = { .score = hed__score_by_name(op, opt->score), .spline = opt->spline };
  hed__matching w = { .all = &job, .opt = &o, .n = 1, .g = &g, .out = &account };
  hed_scope scope = { 0, NULL };
  o.checkpoint = NULL;
  *out = (hed__prepared){ 0 };
  hed_status status = job.score ? hed__job_shapes(op, &job, hed_array_shape(in->target), hed_array_shape(in->tmpl[0]), opt->pad)
                                : hed_error();
  w.parts.count.ndim = job.ndim;
  for (int i = 0; i < job.ndim; i++) {
    w.parts.count.dim[i] = 1;
    w.parts.size[i] = w.parts.span[i] = job.target.dim[i];
  }
  if (status == HED_OK && (status = hed_scope_begin(&scope)) == HED_OK) {
    status = prepare(op, &w, in, out);
    hed_scope_end(&scope);
  }
  out->f = w.f;
  out->g = g;
  out->m = w.m;
  out->fast = job.fast;
  out->scored = w.scored;
  out->n_clipped = account.n_clipped;
  free(w.known);
  hed_release(w.valid);
  hed_release(job.filter);
  if (status != HED_OK)
    hed__prepared_clear(out);
  return status;
}

void hed__prepared_clear(hed__prepared *p)
{
  hed_release(p->f);
  hed_release(p->g);
  hed_release(p->m);
  hed_release(p->turning);
  hed_release(p->filter);
  free(p->values);
  free(p->scored);
  *p = (hed__prepared){ 0 };
}
