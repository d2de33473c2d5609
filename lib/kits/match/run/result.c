// SPDX-License-Identifier: BSD-3-Clause
/*
 * result.c: a search from what is given to its result, and the way from transformed positions back to the target's voxels.
 *
 * Layer: L4, match kit. The setup runs in the context of the first worker that is not the reference backend, so
 * that a slow helper does not hold up the others, and all workers get the same numbers.
 */
#include "kits/match/run/checkpoint.h"
#include "kits/match/run/parts.h"
#include "kits/match/run/positions.h"
#include "kits/match/analyze/robust.h"
#include "kits/match/files/fileio.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char op[] = "hed_match_run";

/* The mask as given or by default, checked; the caller's. */
static hed_array *mask_for(const hed__job *job, const hed_array *mask)
{
  if (!mask)
    return hed_keep(job->score->sphere ? hed_match_sphere(job->tmpl, 0) : hed_ones(job->tmpl, HED_FLOAT32));
  hed_shape s = hed_array_shape(mask);
  bool same = s.ndim == job->ndim;
  for (int i = 0; same && i < s.ndim; i++)
    same = s.dim[i] == job->tmpl.dim[i];
  if (!same) {
    (void)hed_fail(HED_E_SHAPE, "%s: the mask is %d-D, %lld x ... x %lld, the template %d-D, %lld x ... x %lld", op,
                   (int)s.ndim, s.ndim > 0 ? (long long)s.dim[0] : 0, s.ndim > 0 ? (long long)s.dim[s.ndim - 1] : 0,
                   job->ndim, (long long)job->tmpl.dim[0], (long long)job->tmpl.dim[job->ndim - 1]);
    return NULL;
  }
  hed_array *m = hed__checked(op, "mask", mask);
  double least = 0, sum = 0;
  hed_status status = m ? hed__least(m, &least) : hed_error();
  if (status == HED_OK)
    status = hed__total(m, &sum);
  if (status == HED_OK && least < 0)
    status = hed_fail(HED_E_INVAL, "%s: the mask has values below 0, down to %g", op, least);
  else if (status == HED_OK && !(sum > 0))
    status = hed_fail(HED_E_INVAL, "%s: the mask is empty: all of its values are 0", op);
  if (status == HED_OK)
    return m;
  hed_release(m);
  return NULL;
}

static int setup_worker(const hed__worker_list *list)
{
  for (int i = 0; i < list->n; i++) {
    hed_context_info info = { .struct_size = sizeof info };
    if (hed_context_query(list->context[i], &info) == HED_OK && strcmp(info.backend, "reference") != 0)
      return i;
  }
  return 0;
}

/* One run: what is given, and what all of its parts have in common. */
typedef struct matching {
  hed__job *all;             /* the target undivided */
  hed__worker_list *list;
  const hed_match_options *opt;
  hed_context *setup;
  hed_array *f, *g, *m;      /* finite float32; f NULL where the target is divided */
  hed_array *values;         /* the divided target, in host memory */
  hed_array *scores, *rotations; /* the result, in host memory */
  hed_array *valid;          /* the target mask in host memory, where it takes voxels out of windows; NULL: 1 */
  uint8_t *scored;           /* of the target, 0 where nothing is scored; NULL: all are */
  hed__record record;        /* how far it has come */
  hed__parts parts;
  hed__whole whole;
  bool keep;                 /* the checkpoint stays when all is done */
  hed_match_result *out;
} matching;

/* Score and rotation of voxels from the merged maximum at negated positions. */
static void turn_back(const matching *w, const hed__job *job, const float *best, const int32_t *index)
{
  const hed__positions p = hed__positions_of(job);
  const float *factor = job->factor ? hed_array_data(job->factor) : NULL;
  const float *offset = job->offset ? hed_array_data(job->offset) : NULL;
  float *scores = hed_array_data(w->scores);
  int32_t *rotations = hed_array_data(w->rotations);
  const double threshold = w->opt->threshold;
  const float nothing = isfinite(threshold) ? (float)threshold : 0.0F;
  for (int64_t z = p.first[0]; z < p.n[0]; z++)
    for (int64_t y = p.first[1]; y < p.n[1]; y++) {
      size_t k = hed__in_target(&p, z, y) + (size_t)p.first[2];
      for (int64_t x = p.first[2]; x < p.n[2]; x++, k++) {
        const size_t from = hed__in_transform(&p, z, y) + (size_t)hed__negated(&p, 2, x);
        float s = best[from] - (offset ? offset[from] : 0.0F);
        if (factor)
          s *= factor[from];
        const bool recorded = index[from] >= 0 && (double)s > threshold && (!job->scored || job->scored[k]);
        scores[k] = recorded ? s : nothing;
        rotations[k] = recorded ? index[from] : -1;
      }
    }
}

static size_t voxels(hed_shape s)
{
  size_t n = 1;
  for (int i = 0; i < s.ndim; i++)
    n *= (size_t)s.dim[i];
  return n;
}

/* What a checkpoint compares. */
static void digest(matching *w, int what, const hed_array *x)
{
  hed_array *host = x && w->opt->checkpoint ? hed__on_host(x) : NULL;
  if (host)
    hed__digest_add(&w->record.digest[what], hed_array_data(host), hed_array_nbytes(host));
  hed_release(host);
}

/* F with values far from its median set to the bounds; F itself where there are none. Uses F up. */
static hed_array *clipped(matching *w, hed_array *f)
{
  const double k = w->opt->clip > 0 ? w->opt->clip : 50;
  const size_t n = voxels(w->all->target);
  double median = 0, deviation = 0;
  if (isinf(k))
    return f;
  hed_array *host = hed__on_host(f);
  const float *v = host ? hed_array_data(host) : NULL;
  hed_status status = v ? hed__median(v, n, &median) : hed_error();
  if (status == HED_OK)
    status = hed__median_distance(v, n, median, &deviation);
  const double far = k * 1.4826 * deviation;
  for (size_t i = 0; status == HED_OK && i < n; i++)
    w->out->n_clipped += fabs((double)v[i] - median) > far;
  hed_release(host);
  if (status == HED_OK && w->out->n_clipped == 0)
    return f;
  hed_array *out = status == HED_OK ? hed_keep(hed_clip(f, median - far, median + far)) : NULL;
  hed_release(f);
  return out;
}

/* G with the other sign, where the contrast is the other way round: the same scores as the target's with the other sign. Uses
 * G up. */
static hed_array *contrasted(const matching *w, hed_array *g)
{
  if (!g || !w->opt->invert)
    return g;
  hed_array *out = hed_keep(hed_negative(g));
  hed_release(g);
  return out;
}

/* X's Laplacian, where the score is of those; edges reflected. Uses X up. */
static hed_array *edges(const matching *w, hed_array *x)
{
  if (!x || !w->all->score->laplacian)
    return x;
  hed_array *out = hed_keep(hed_laplace(x, &(hed_filter){ .boundary = HED_BOUNDARY_REFLECT }));
  hed_release(x);
  return out;
}

/* Where there is anything to score. */
static hed_status take_target_mask(matching *w)
{
  const hed_array *mask = w->opt->target_mask;
  if (!mask)
    return HED_OK;
  const hed_shape s = hed_array_shape(mask);
  bool same = s.ndim == w->all->ndim;
  for (int i = 0; same && i < s.ndim; i++)
    same = s.dim[i] == w->all->target.dim[i];
  if (!same)
    return hed_fail(HED_E_SHAPE, "%s: the target mask is %d-D, %lld x ... x %lld, the target %d-D, %lld x ... x %lld", op,
                    (int)s.ndim, s.ndim > 0 ? (long long)s.dim[0] : 0, s.ndim > 0 ? (long long)s.dim[s.ndim - 1] : 0,
                    w->all->ndim, (long long)w->all->target.dim[0], (long long)w->all->target.dim[w->all->ndim - 1]);
  hed_array *m = hed__checked(op, "target mask", mask);
  float *v = m ? hed__to_malloc(m) : NULL;
  if (v && w->all->score->excludes) /* of windows, not of positions */
    w->valid = hed__on_host(m);
  hed_release(m);
  const size_t n = voxels(w->all->target);
  size_t some = 0;
  if (!v || !(w->scored = malloc(n))) {
    free(v);
    return v ? hed_fail(HED_E_NOMEM, "%s: no memory for a target mask of %zu voxels", op, n) : hed_error();
  }
  for (size_t i = 0; i < n; i++)
    some += w->scored[i] = v[i] > 0;
  free(v);
  if (!some)
    return hed_fail(HED_E_INVAL, "%s: the target mask is empty: none of its values is above 0", op);
  w->all->scored = w->all->score->excludes ? NULL : w->scored;
  return !w->all->score->excludes || w->valid ? HED_OK : hed_error();
}

/* F behind the target's filter, of its own extents again; uses F up. */
static hed_array *filtered(matching *w, hed_array *f)
{
  const hed_match_filter *filter = w->opt->target_filter;
  hed_shape box = { .ndim = w->all->ndim };
  hed_slice_range inside[3];
  double mean;
  if (!f || !filter)
    return f;
  for (int i = 0; i < box.ndim; i++) {
    box.dim[i] = hed_fft_good_size(w->all->target.dim[i]);
    inside[i] = HED_RANGE(0, w->all->target.dim[i], 1);
  }
  const hed_fft back = { .s = box };
  hed_array *made = hed_match_filter_make(filter, box), *here = made ? hed_to(made, hed_get_backend()) : NULL, *out = NULL;
  hed_array *spectrum = NULL, *passed = NULL;
  hed_status status = here ? hed__total(f, &mean) : hed_error();
  if (status == HED_OK)
    spectrum = hed_rfftn(hed_topleft_pad(f, box, mean / (double)voxels(w->all->target)), NULL);
  digest(w, HED__SAME_FILTERS, made);
  if (spectrum && hed_multiply_into(spectrum, spectrum, here) == HED_OK)
    passed = hed_irfftn(spectrum, &back);
  if (passed)
    out = hed_keep(hed_copy(hed_slice(passed, box.ndim, inside)));
  hed_release(made);
  hed_release(f);
  return out;
}

/* What is given, checked and brought to the setup's context, in its scope. */
static hed_status take_inputs(matching *w, const hed_array *target, const hed_array *tmpl, const hed_array *mask)
{
  hed_array *f = hed__checked(op, "target", target);
  digest(w, HED__SAME_TARGET, f);
  f = f ? edges(w, filtered(w, clipped(w, f))) : NULL;
  w->g = f ? hed__checked(op, "template", tmpl) : NULL;
  digest(w, HED__SAME_TEMPLATE, w->g);
  w->g = edges(w, contrasted(w, w->g));
  w->m = w->g ? mask_for(w->all, mask) : NULL;
  digest(w, HED__SAME_MASK, w->m);
  hed_status status = w->m ? take_target_mask(w) : hed_error();
  if (status == HED_OK && w->opt->template_filter &&
      !(w->all->filter = hed_match_filter_make(w->opt->template_filter, w->all->tmpl)))
    status = hed_error();
  digest(w, HED__SAME_FILTERS, w->all->filter);
  if (w->opt->checkpoint && w->scored)
    hed__digest_add(&w->record.digest[HED__SAME_TARGET_MASK], w->scored, voxels(w->all->target));
  if (!hed__parts_many(&w->parts)) {
    w->f = f;
    return status;
  }
  w->whole = (hed__whole){ .deviation = 1 };
  if (status == HED_OK && !(w->values = hed__on_host(f)))
    status = hed_error();
  hed_release(f);
  return status == HED_OK && w->all->score->standard
             ? hed__whole_standard(op, hed_array_data(w->values), voxels(w->all->target), &w->whole) : status;
}

/* Runs FN(w, arg) in the setup's context and a scope. */
static hed_status in_setup(matching *w, hed_status (*fn)(matching *, void *), void *arg)
{
  const double start = hed__now();
  hed_frame frame = { 0, 0, 0, 0 };
  hed_scope scope = { 0, NULL };
  hed_status status = hed_context_push(w->setup, &frame);
  if (status == HED_OK && (status = hed_scope_begin(&scope)) == HED_OK) {
    status = fn(w, arg);
    hed_scope_end(&scope);
  }
  /* What the setup needed is not kept beside what the workers are about to take. */
  (void)hed_trim(NULL, w->parts.memory, HED_TRIM_WORKSPACES);
  if (frame.cookie)
    (void)hed_context_unwind(frame);
  w->out->setup_seconds += hed__now() - start;
  return status;
}

/* The target's mask of a part, in the setup's space; beyond the target's faces it is 0. */
static hed_status take_valid(const matching *w, const hed__job *part, hed_array **valid)
{
  const hed__whole plain = { .deviation = 1 };
  hed_array *whole = w->valid ? hed_retain(w->valid) : w->values ? hed__host_empty(w->all->target, HED_FLOAT32) : NULL;
  if (!whole)
    return w->values ? hed_error() : HED_OK; /* 1 everywhere */
  float *v = hed_array_data(whole);
  for (size_t i = 0; !w->valid && i < voxels(w->all->target); i++)
    v[i] = 1;
  hed_array *piece = w->values ? hed__part_of(w->all, part, v, &plain) : hed_retain(whole);
  hed_release(whole);
  *valid = piece ? hed__checked(op, "target mask", piece) : NULL;
  hed_release(piece);
  return *valid ? HED_OK : hed_error();
}

static hed_status set_up(matching *w, void *arg)
{
  hed__job *part = arg;
  hed_array *values = NULL, *f = w->f;
  w->f = NULL;
  if (w->values) {
    values = hed__part_of(w->all, part, hed_array_data(w->values), &w->whole);
    f = values ? hed__checked(op, "target", values) : NULL;
    hed_release(values);
  }
  hed_status status = f ? HED_OK : hed_error();
  hed_array *valid = NULL;
  if (status == HED_OK && part->score->excludes && (status = take_valid(w, part, &valid)) == HED_OK)
    part->valid = valid;
  if (status == HED_OK)
    status = part->score->setup(part, &f, w->g, w->m);
  hed_release(valid);
  part->valid = NULL;
  hed_release(f);
  return status;
}

/* What local deviations typically are, over all parts. */
static hed_status survey(matching *w)
{
  hed_status status = HED_OK;
  if (!(w->whole.spread = calloc(1, sizeof *w->whole.spread)))
    return hed_fail(HED_E_NOMEM, "%s: no memory for a histogram", op);
  for (int64_t k = 0; k < hed__parts_in(w->all, &w->parts) && status == HED_OK; k++) {
    hed__job part;
    if ((status = hed__part_job(w->all, &w->parts, &part)) != HED_OK)
      break;
    part.survey = &w->whole;
    hed__part_begin(w->all, &w->parts, k, &part);
    status = in_setup(w, set_up, &part);
    hed__job_clear(&part);
    if (status == HED_OK && w->opt->cancel && __atomic_load_n(w->opt->cancel, __ATOMIC_RELAXED))
      status = hed_fail(HED_E_CANCELLED, "%s: cancelled before the first rotation", op);
  }
  if (status == HED_OK)
    status = hed__judge_flatness(w->whole.spread, voxels(w->all->target), &w->whole.typical, &w->whole.n_flat);
  free(w->whole.spread);
  w->whole.spread = NULL;
  return status;
}

/* Where the results go. */
static hed_status make_results(matching *w)
{
  w->scores = hed__host_empty(w->all->target, HED_FLOAT32);
  w->rotations = w->scores ? hed__host_empty(w->all->target, HED_INT32) : NULL;
  return w->rotations ? HED_OK : hed_error();
}

/* Account of the run, taken up from a file when it is resumed. */
static hed_status open_record(matching *w)
{
  const hed_match_options *o = w->opt;
  hed__record *r = &w->record, from;
  r->target = w->all->target;
  r->parts = w->parts.count;
  r->n_parts = (size_t)hed__parts_in(w->all, &w->parts);
  r->n_rotations = w->all->n_rotations;
  r->share = o->share;
  r->shares = o->shares;
  r->threshold = o->threshold;
  r->n_false_positives = o->n_false_positives;
  hed_status status = hed__statistics_open(&r->statistics, r->target);
  if (status != HED_OK || !o->checkpoint)
    return status;
  const size_t d = (size_t)w->all->ndim;
  hed__digest_add(&r->digest[HED__SAME_ROTATIONS], w->all->rotations, r->n_rotations * d * d * sizeof(double));
  hed__c_locale c;
  if ((status = hed__c_locale_enter(&c, op)) != HED_OK)
    return status;
  snprintf(r->options, sizeof r->options, "score %s, spline %d, pad %d, invert %d, clip %g", w->all->score->name, (int)o->spline,
           o->pad, o->invert, o->clip);
  hed__c_locale_leave(&c);
  if ((status = hed__record_open(r)) != HED_OK || (status = make_results(w)) != HED_OK)
    return status;
  r->scores = hed_array_data(w->scores);
  r->rotations = hed_array_data(w->rotations);
  for (size_t i = 0; i < voxels(r->target); i++) {
    r->scores[i] = 0;
    r->rotations[i] = -1;
  }
  if (!o->resume)
    return HED_OK;
  if ((status = hed__record_read(o->checkpoint, &from)) != HED_OK)
    return status;
  if ((status = hed__record_same(o->checkpoint, &from, r, false)) == HED_OK) {
    const size_t n = voxels(r->target);
    memcpy(r->scores, from.scores, n * sizeof *r->scores);
    memcpy(r->rotations, from.rotations, n * sizeof *r->rotations);
    r->part = from.part;
    memcpy(r->done, from.done, (r->n_parts * r->n_rotations + 7) / 8);
    hed__statistics_merge(&r->statistics, &from.statistics);
  }
  hed__record_close(&from);
  return status;
}

static hed_status drop_checkpoint(const char *path)
{
  return unlink(path) == 0 || errno == ENOENT ? HED_OK
                                              : hed_fail(HED_E_IO, "%s: cannot remove '%s': %s", op, path, strerror(errno));
}

static hed_status run_part(matching *w, hed__job *part)
{
  hed_status status = in_setup(w, set_up, part);
  hed_array *best = NULL, *index = NULL;
  if (status == HED_OK)
    status = hed__pool_run(part, w->list, w->opt, &best, &index, &w->record, &w->out->seconds);
  hed__job_clear_spectra(part);
  if (status == HED_OK && !w->scores) /* not earlier than needed: an undivided run has no room for them until now */
    status = make_results(w);
  if (status == HED_OK)
    turn_back(w, part, hed_array_data(best), hed_array_data(index));
  hed_release(best);
  hed_release(index);
  return status;
}

static hed_status run_parts(matching *w)
{
  const int64_t parts = hed__parts_in(w->all, &w->parts);
  size_t in_share = 0;
  hed_status status = open_record(w);
  if (status == HED_OK && w->values && w->all->score->local)
    status = survey(w);
  if (status == HED_E_CANCELLED && w->opt->checkpoint && (status = hed__record_write(w->opt->checkpoint, &w->record)) == HED_OK)
    status = hed_fail(HED_E_CANCELLED, "%s: cancelled before the first rotation", op);
  for (size_t i = 0; i < w->all->n_rotations; i++)
    in_share += hed__is_mine(&w->record, i);
  for (int64_t k = 0; k < parts && status == HED_OK; k++) {
    hed__job part;
    if ((status = hed__part_job(w->all, &w->parts, &part)) != HED_OK)
      break;
    part.whole = w->values ? &w->whole : NULL;
    part.part = (size_t)k;
    part.done = (size_t)k * in_share;
    part.in_all = (size_t)parts * in_share;
    if ((size_t)k < w->record.part)
      continue;
    w->record.part = (size_t)k;
    hed__part_begin(w->all, &w->parts, k, &part);
    w->out->transform = part.fast;
    status = run_part(w, &part);
    w->out->n_flat = w->values ? w->whole.n_flat : part.n_flat;
    hed__job_clear(&part);
  }
  w->record.part = w->record.n_parts;
  if (status == HED_OK && w->opt->checkpoint)
    status = w->keep || w->record.shares > 1 ? hed__record_write(w->opt->checkpoint, &w->record) : drop_checkpoint(w->opt->checkpoint);
  if (status == HED_OK)
    status = hed__statistics_give(&w->record.statistics, w->all->n_rotations, w->opt->n_false_positives, w->out);
  return status;
}

/* The results are the caller's from here on. */
static void give(matching *w)
{
  w->out->scores = w->scores;
  w->out->rotations = w->rotations;
  w->scores = w->rotations = NULL;
}

/* Bytes that a run may take: what the options say, and what a limit of the caller's context leaves; 0: any. */
static size_t memory_limit(const hed_match_options *opt)
{
  hed_memory_info info = { .struct_size = sizeof info };
  size_t limit = opt->memory_limit;
  if (hed_memory_query(NULL, &info) == HED_OK && info.limit) {
    int64_t left = hed_get_available_memory();
    if (left > 0 && (!limit || (size_t)left < limit))
      limit = (size_t)left;
  }
  hed_error_clear();
  return limit;
}

typedef struct given { const hed_array *target, *tmpl, *mask; } given;

static hed_status take_given(matching *w, void *arg)
{
  const given *g = arg;
  return take_inputs(w, g->target, g->tmpl, g->mask);
}

static hed_status run(matching *w, given *g)
{
  hed_status status = hed__job_shapes(op, w->all, hed_array_shape(g->target), hed_array_shape(g->tmpl), w->opt->pad);
  if (status == HED_OK)
    status = hed__parts_choose(op, w->all, memory_limit(w->opt), &w->parts);
  /* Transforms of the setup happen once: plans are not measured for them. */
  if (status == HED_OK)
    status = hed_context_derive(w->list->context[setup_worker(w->list)], ";fft=estimate", &w->setup);
  if (status == HED_OK)
    status = in_setup(w, take_given, g);
  if (status == HED_OK)
    status = run_parts(w);
  if (status == HED_OK)
    give(w);
  hed_release(w->f);
  hed_release(w->g);
  hed_release(w->m);
  hed_context_release(w->setup);
  hed_release(w->values);
  hed_release(w->scores);
  hed_release(w->rotations);
  free(w->scored);
  hed_release(w->valid);
  hed_release(w->all->filter);
  hed__record_close(&w->record);
  return status;
}

hed_status hed__search(const hed_match_options *opt, bool keep, const hed_array *target, const hed_array *tmpl, const hed_array *mask,
                       size_t n_rotations, const double *rotations, hed_match_result *out)
{
  hed__job job = { 0 };
  hed__worker_list list = { 0 };
  const int ndim = hed_array_ndim(target);
  hed_status status;

  if (!(job.score = hed__score_by_name(op, opt->score)))
    return hed_error();
  if ((ndim == 2 || ndim == 3) && (status = hed__rotations_valid(op, ndim, n_rotations, rotations)) != HED_OK)
    return status;
  job.spline = opt->spline;
  job.overlap = opt->overlap > 0 ? opt->overlap : 0.3;
  job.kept = opt->checkpoint != NULL;
  job.filtered = opt->template_filter != NULL;
  job.target_filtered = opt->target_filter != NULL;
  job.n_rotations = n_rotations;
  job.rotations = rotations;
  if ((status = hed__worker_list_parse(&list, opt->workers, n_rotations)) != HED_OK)
    return status;
  job.workforce = (hed__workforce){ list.context, list.n, 1 };
  matching w = { .all = &job, .list = &list, .opt = opt, .keep = keep, .out = out };
  status = run(&w, &(given){ target, tmpl, mask });
  if (status == HED_OK) {
    out->n_rotations = n_rotations;
    out->memory = w.parts.memory;
    out->parts = w.parts.count;
    out->n_workers = list.n;
    out->worker = list.worker;
    list.worker = NULL;
  } else {
    hed_match_result_clear(out);
  }
  hed__worker_list_clear(&list);
  return status;
}
