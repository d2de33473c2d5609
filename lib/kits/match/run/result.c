// SPDX-License-Identifier: BSD-3-Clause
/* A search from what is given to its result, and the way from transformed positions back to the target's voxels.
 *
 * Layer: L4, match kit. The setup runs in the context of the first worker that is not the reference backend, so
 * that a slow helper does not hold up the others, and all workers get the same numbers. Where its backend fails, the next one's
 * takes its place.
 */
#include "kits/match/run/search.h"
#include "kits/match/run/positions.h"
#include "kits/match/analyze/robust.h"
#include "kits/match/filter/apply.h"
#include "kits/match/files/fileio.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char op[] = "hed_match_run";

static bool on_reference(const hed_context *context)
{
  hed_context_info info = { .struct_size = sizeof info };
  return hed_context_query(context, &info) != HED_OK || strcmp(info.backend, "reference") == 0;
}

/* The first worker of LIST whose context is like none of the first TRIED that this gave; -1: none. */
static int setup_worker(const hed__worker_list *list, int tried)
{
  for (int reference = 0; reference < 2; reference++)
    for (int i = 0; i < list->n; i++) {
      bool seen = on_reference(list->context[i]) != reference;
      for (int k = 0; k < i && !seen; k++)
        seen = strcmp(list->worker[k].spec, list->worker[i].spec) == 0;
      if (!seen && tried-- == 0)
        return i;
    }
  return -1;
}

/* Score and rotation of voxels from the merged maximum at negated positions. */
static void turn_back(const hed__matching *w, size_t t, const hed__job *job, const float *best, const int32_t *index)
{
  const hed__positions p = hed__positions_of(job);
  const float *factor = job->factor ? hed_array_data(job->factor) : NULL;
  const float *offset = job->offset ? hed_array_data(job->offset) : NULL;
  float *scores = hed_array_data(w->scores[t]);
  int32_t *rotations = hed_array_data(w->rotations[t]);
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

/* Runs FN(w, arg) in the setup's context and a scope, as a stretch of a profile. */
static hed_status in_setup(hed__matching *w, hed_status (*fn)(hed__matching *, void *), void *arg)
{
  const double start = hed__now();
  hed_frame frame = { 0, 0, 0, 0 };
  hed_scope scope = { 0, NULL };
  const uint64_t range = hed_profile_range_begin("setup");
  hed_status status = hed_context_push(w->setup, &frame);
  if (status == HED_OK && (status = hed_scope_begin(&scope)) == HED_OK) {
    status = fn(w, arg);
    hed_scope_end(&scope);
  }
  /* What the setup needed is not kept beside what the workers are about to take. */
  (void)hed_trim(NULL, w->parts.memory, HED_TRIM_WORKSPACES);
  if (frame.cookie)
    (void)hed_context_unwind(frame);
  hed_profile_range_end(range);
  w->out->setup_seconds += hed__now() - start;
  return status;
}

static hed_status set_up(hed__matching *w, void *arg)
{
  hed__job *part = arg;
  hed_array *values = NULL, *valid = NULL;
  hed_status status = part->score->prepare(part, w->g[0], w->m);
  hed_array *f = status == HED_OK ? w->f : NULL;
  w->f = f && w->all->score->own && w->n > 1 ? hed_retain(f) : f ? NULL : w->f;
  if (w->values && status == HED_OK) {
    values = hed__part_of(w->all, part, hed_array_data(w->values), &w->whole);
    f = values ? hed__checked(op, "target", values) : NULL;
    hed_release(values);
  }
  if (status == HED_OK && !f)
    status = hed_error();
  if (status == HED_OK && part->score->excludes && (status = hed__take_valid(w, part, &valid)) == HED_OK)
    part->valid = valid;
  if (status == HED_OK)
    status = part->score->setup(part, &f, w->m);
  hed_release(valid);
  part->valid = NULL;
  hed_release(f);
  return status;
}

typedef struct turn { hed__job *part; size_t t; } turn;

/* PART for template number T, what it has of the target kept where it may be. */
static hed_status change_template(hed__matching *w, void *arg)
{
  turn *c = arg;
  hed__job *part = c->part;
  if (!part->score->own) {
    hed_release(part->g);
    part->g = NULL;
    return part->score->prepare(part, w->g[c->t], w->m);
  }
  hed_array *first = w->g[0];
  hed__job_clear(part);
  w->g[0] = w->g[c->t];
  const hed_status status = set_up(w, part);
  w->g[0] = first;
  return status;
}

/* Whether a part has positions that are scored. */
static bool has_scored(const hed__matching *w, const hed__job *part)
{
  const hed__positions p = hed__positions_of(part);
  for (int64_t z = p.first[0]; w->all->scored && z < p.n[0]; z++)
    for (int64_t y = p.first[1]; y < p.n[1]; y++)
      if (memchr(w->all->scored + hed__in_target(&p, z, y) + p.first[2], 1, (size_t)(p.n[2] - p.first[2])))
        return true;
  return !w->all->scored;
}

/* Part K of all; false: nothing in there is scored. */
static hed_status choose_part(const hed__matching *w, int64_t k, hed__job *part, bool *any)
{
  const hed_status status = hed__part_job(w->all, &w->parts, part);
  if (status != HED_OK)
    return status;
  hed__part_begin(w->all, &w->parts, k, part);
  part->part = (size_t)k;
  *any = !w->values || w->opt->counter || has_scored(w, part);
  return HED_OK;
}

static double positions_in(const hed__job *part)
{
  const hed__positions p = hed__positions_of(part);
  return (double)((p.n[0] - p.first[0]) * (p.n[1] - p.first[1]) * (p.n[2] - p.first[2]));
}

/* What local deviations typically are, over all parts. */
static hed_status survey(hed__matching *w)
{
  hed_status status = HED_OK;
  double positions = 0;
  if (!(w->whole.spread = calloc(1, sizeof *w->whole.spread)))
    return hed_fail(HED_E_NOMEM, "%s: no memory for a histogram", op);
  for (int64_t k = 0; k < hed__parts_in(w->all, &w->parts) && status == HED_OK; k++) {
    hed__job part;
    bool any;
    if ((status = choose_part(w, k, &part, &any)) != HED_OK || !any)
      continue;
    part.survey = &w->whole;
    positions += positions_in(&part);
    status = in_setup(w, set_up, &part);
    hed__job_clear(&part);
    if (status == HED_OK && w->opt->cancel && __atomic_load_n(w->opt->cancel, __ATOMIC_RELAXED))
      status = hed_fail(HED_E_CANCELLED, "%s: cancelled before the first rotation", op);
  }
  if (status == HED_OK)
    status = hed__judge_flatness(w->whole.spread, (size_t)positions, &w->whole.typical, &w->whole.n_flat);
  free(w->whole.spread);
  w->whole.spread = NULL;
  return status;
}

/* Where the results of template T go. */
static hed_status make_results(hed__matching *w, size_t t)
{
  w->scores[t] = hed__host_empty(w->all->target, HED_FLOAT32);
  w->rotations[t] = w->scores[t] ? hed__host_empty(w->all->target, HED_INT32) : NULL;
  return w->rotations[t] ? HED_OK : hed_error();
}

/* Nothing was recorded anywhere. */
static void blank(const hed__matching *w, size_t t)
{
  float *scores = hed_array_data(w->scores[t]);
  int32_t *rotations = hed_array_data(w->rotations[t]);
  const float nothing = isfinite(w->opt->threshold) ? (float)w->opt->threshold : 0.0F;
  for (size_t i = 0; i < voxels(w->all->target); i++) {
    scores[i] = nothing;
    rotations[i] = -1;
  }
}

/* What other processes have done, from their checkpoints. */
static hed_status take_others(const hed__matching *w, hed__record *r)
{
  hed_status status = HED_OK;
  if (w->opt->n_others && !(r->others = calloc(hed__bitmap_bytes(r) + 1, 1)))
    return hed_fail(HED_E_NOMEM, "%s: no memory to keep account of %zu rotations", op, r->n_rotations);
  for (size_t k = 0; k < w->opt->n_others && status == HED_OK; k++) {
    const char *path = w->opt->others[k];
    hed__record from;
    if (access(path, F_OK) != 0)
      continue;
    if ((status = hed__record_read(path, &from)) != HED_OK)
      break;
    if ((status = hed__record_same(path, &from, r, true)) == HED_OK)
      for (size_t i = 0; i < hed__bitmap_bytes(r); i++)
        r->others[i] |= from.done[i];
    hed__record_close(&from);
  }
  return status;
}

static hed_status resume(const hed__matching *w, hed__record *r)
{
  const char *path = w->opt->checkpoint;
  hed__record from;
  hed_status status = hed__record_read(path, &from);
  if (status != HED_OK)
    return status;
  if ((status = hed__record_same(path, &from, r, false)) == HED_OK) {
    const size_t n = voxels(r->target);
    memcpy(r->scores, from.scores, n * sizeof *r->scores);
    memcpy(r->rotations, from.rotations, n * sizeof *r->rotations);
    r->part = from.part;
    r->flat = from.flat;
    r->n_flat = from.n_flat;
    memcpy(r->done, from.done, hed__bitmap_bytes(r));
    hed__statistics_merge(&r->statistics, &from.statistics);
  }
  hed__record_close(&from);
  return status;
}

static hed_status name_options(const hed__matching *w, hed__record *r)
{
  const hed_match_options *o = w->opt;
  hed__c_locale c;
  const hed_status status = hed__c_locale_enter(&c, op);
  if (status != HED_OK)
    return status;
  int n = snprintf(r->options, sizeof r->options, "score %s, spline %d, pad %d, invert %d, clip %g, faces %d, voids %d",
                   w->all->score->name, (int)o->spline, o->pad, o->invert, o->clip, (int)o->faces, (int)o->voids);
  if (hed__sub_volumes(o))
    n += snprintf(r->options + n, sizeof r->options - (size_t)n, ", sub-volumes %lld %lld %lld", (long long)o->sub_volumes[0],
                  (long long)o->sub_volumes[1], (long long)o->sub_volumes[2]);
  for (int i = 0; i < w->all->ndim && hed__parts_cut(w->all, &w->parts); i++)
    n += snprintf(r->options + n, sizeof r->options - (size_t)n, "%s%lld:%lld", i ? "," : ", region ", (long long)w->parts.low[i],
                  (long long)(w->parts.low[i] + w->parts.span[i]));
  hed__c_locale_leave(&c);
  return HED_OK;
}

/* Account of the run for template T, taken up from a file when it is resumed. */
static hed_status open_record(hed__matching *w, size_t t)
{
  const hed_match_options *o = w->opt;
  hed__record *r = w->record + t;
  r->target = w->all->target;
  r->parts = w->parts.count;
  r->n_parts = (size_t)hed__parts_in(w->all, &w->parts);
  r->n_rotations = w->all->n_rotations;
  r->share = o->share;
  r->shares = o->shares;
  r->threshold = o->threshold;
  r->n_false_positives = o->n_false_positives;
  r->allowed = w->all->seeds ? (size_t)fmax(hed__seeds_scores(w->all->seeds, w->all), 1) : 0;
  hed_status status = hed__statistics_open(&r->statistics, r->target);
  if (status == HED_OK && (o->checkpoint || w->values) && (status = make_results(w, t)) == HED_OK)
    blank(w, t);
  if (status != HED_OK || !o->checkpoint)
    return status;
  const size_t d = (size_t)w->all->ndim;
  hed__digest_add(&r->digest[HED__SAME_ROTATIONS], w->all->rotations, r->n_rotations * d * d * sizeof(double));
  if (w->all->seeds)
    hed__seeds_digest(w->all->seeds, &r->digest[HED__SAME_SEEDS]);
  if ((status = name_options(w, r)) != HED_OK || (status = hed__record_open(r)) != HED_OK)
    return status;
  r->scores = hed_array_data(w->scores[t]);
  r->rotations = hed_array_data(w->rotations[t]);
  if (o->resume && (status = resume(w, r)) != HED_OK)
    return status;
  if ((status = take_others(w, r)) != HED_OK || !o->counter)
    return status;
  return hed__record_write(o->checkpoint, r); /* its being there says that a process has begun */
}

static hed_status drop_checkpoint(const char *path)
{
  return unlink(path) == 0 || errno == ENOENT ? HED_OK
                                              : hed_fail(HED_E_IO, "%s: cannot remove '%s': %s", op, path, strerror(errno));
}

/* One template over one part that is set up. */
static hed_status run_template(hed__matching *w, size_t t, hed__job *part)
{
  hed_array *best = NULL, *index = NULL;
  hed_status status = hed__pool_run(part, w->list, w->opt, &best, &index, w->record + t, &w->out->seconds);
  if (t + 1 == w->n)
    hed__job_clear_spectra(part);
  if (status == HED_OK && !w->scores[t]) /* not earlier than needed: an undivided run has no room for them until now */
    status = make_results(w, t);
  if (status == HED_OK)
    turn_back(w, t, part, hed_array_data(best), hed_array_data(index));
  hed_release(best);
  hed_release(index);
  return status;
}

/* Rotations in a part that nothing is scored in need not be done. */
static void skip(const hed__matching *w, size_t part)
{
  for (size_t t = 0; t < w->n; t++)
    for (size_t i = 0; w->record[t].done && i < w->all->n_rotations; i++)
      if (hed__is_mine(w->record + t, i))
        hed__set_done(w->record + t, part, i);
}

static hed_status run_part(hed__matching *w, hed__job *part, size_t in_share)
{
  hed_status status = hed__part_filter(&w->parts, w->opt, part);
  if (status == HED_OK)
    status = in_setup(w, set_up, part);
  for (size_t t = 0; t < w->n && status == HED_OK; t++) {
    part->done = (part->part * w->n + t) * in_share;
    if (t > 0)
      status = in_setup(w, change_template, &(turn){ part, t });
    w->begun = w->begun || status == HED_OK;
    if (status == HED_OK)
      status = run_template(w, t, part);
    w->record[t].n_flat = w->values ? w->whole.n_flat : part->n_flat;
    w->record[t].flat = part->flat;
  }
  if (hed__sub_volumes(w->opt))
    hed_release(part->filter);
  return status;
}

static hed_status finish(hed__matching *w)
{
  hed_status status = HED_OK;
  const char *path = w->opt->checkpoint;
  for (size_t t = 0; t < w->n; t++) {
    w->record[t].part = w->record[t].n_parts;
    w->record[t].ended = true;
  }
  if (path)
    status = w->keep || w->opt->shares > 1 || w->opt->counter ? hed__record_write(path, w->record) : drop_checkpoint(path);
  for (size_t t = 0; t < w->n && status == HED_OK; t++) HED_PROFILE_RANGE("statistics") {
    hed_match_result *out = w->out + t;
    status = hed__statistics_give(&w->record[t].statistics, w->all->target, hed_array_data(w->scores[t]), w->all->n_rotations,
                                  w->record[t].allowed, w->opt->n_false_positives, w->opt->null_shape == HED_NULL_NORMAL, out);
    out->searched = w->out->searched;
    out->flat = w->record[t].flat;
    out->n_flat = w->record[t].n_flat;
  }
  return status;
}

static hed_status run_parts(hed__matching *w)
{
  const int64_t parts = hed__parts_in(w->all, &w->parts);
  size_t in_share = 0;
  hed_status status = HED_OK;
  for (size_t t = 0; t < w->n && status == HED_OK; t++)
    status = open_record(w, t);
  if (status == HED_OK && w->values && w->all->score->local)
    status = survey(w);
  if (status == HED_E_CANCELLED && w->opt->checkpoint && (status = hed__record_write(w->opt->checkpoint, w->record)) == HED_OK)
    status = hed_fail(HED_E_CANCELLED, "%s: cancelled before the first rotation", op);
  for (size_t i = 0; i < w->all->n_rotations; i++)
    in_share += hed__is_mine(w->record, i);
  for (int64_t k = 0; k < parts && status == HED_OK; k++) {
    hed__job part;
    bool any;
    if ((status = choose_part(w, k, &part, &any)) != HED_OK)
      break;
    w->out->searched += any ? positions_in(&part) / (double)voxels(w->all->target) : 0;
    for (size_t t = 0; t < w->n; t++)
      w->out[t].transform = part.fast;
    part.whole = w->values ? &w->whole : NULL;
    part.in_all = (size_t)parts * w->n * in_share;
    part.counter = (size_t)k + (w->phase ? (size_t)parts : 0);
    if ((size_t)k < w->record->part)
      continue;
    w->record->part = (size_t)k;
    if (any)
      status = run_part(w, &part, in_share);
    else
      skip(w, (size_t)k);
    hed__job_clear(&part);
  }
  return status == HED_OK ? finish(w) : status;
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

/* The box of positions to search: the region, or what the target mask leaves, whole along axes where that saves nothing. */
static hed_status choose_box(const hed__matching *w, int64_t box[3][2])
{
  const hed__job *all = w->all;
  bool given = false;
  for (int i = 0; i < 3; i++)
    given = given || w->opt->region[i][0] || w->opt->region[i][1];
  for (int i = 0; i < all->ndim; i++) {
    const int64_t n = all->target.dim[i], *r = w->opt->region[i];
    box[i][0] = given ? r[0] : 0;
    box[i][1] = given ? r[1] : n;
    if (given && (r[0] < 0 || r[1] > n || r[0] >= r[1]))
      return hed_fail(HED_E_INVAL, "%s: the region is %lld:%lld along axis %d, the target has %lld voxels", op, (long long)r[0],
                      (long long)r[1], i, (long long)n);
  }
  if (given || !all->scored)
    return HED_OK;
  int64_t low[3] = { INT64_MAX, INT64_MAX, INT64_MAX }, high[3] = { 0, 0, 0 };
  const int64_t ny = all->target.dim[all->ndim - 2], nx = all->target.dim[all->ndim - 1];
  for (size_t k = 0; k < voxels(all->target); k++) {
    const int64_t at[3] = { (int64_t)k / nx / ny, (int64_t)k / nx % ny, (int64_t)k % nx };
    for (int i = 0; i < all->ndim && all->scored[k]; i++) {
      const int64_t p = at[3 - all->ndim + i];
      low[i] = p < low[i] ? p : low[i];
      high[i] = p >= high[i] ? p + 1 : high[i];
    }
  }
  for (int i = 0; i < all->ndim; i++)
    if (hed_fft_good_size(high[i] - low[i] + all->tmpl.dim[i] - 1) < all->fast.dim[i]) {
      box[i][0] = low[i];
      box[i][1] = high[i];
    }
  return HED_OK;
}

static hed_status take_mask(hed__matching *w, void *arg)
{
  (void)arg;
  return hed__take_target_mask(w);
}

static hed_status take_given(hed__matching *w, void *arg)
{
  const hed__given *g = arg;
  return hed__take_inputs(w, g->target, g->tmpl, g->mask);
}

/* The results are the caller's from here on. */
static hed_status give(hed__matching *w)
{
  for (size_t t = 0; t < w->n; t++) {
    hed_match_result *out = w->out + t;
    hed_match_worker *worker = calloc((size_t)w->list->n, sizeof *worker);
    if (!worker)
      return hed_fail(HED_E_NOMEM, "%s: no memory for an account of %d workers", op, w->list->n);
    memcpy(worker, w->list->worker, (size_t)w->list->n * sizeof *worker);
    out->scores = w->scores[t];
    out->rotations = w->rotations[t];
    w->scores[t] = w->rotations[t] = NULL;
    out->n_rotations = w->all->n_rotations;
    out->memory = w->parts.memory;
    out->parts = w->parts.count;
    out->n_workers = w->list->n;
    out->worker = worker;
    out->n_clipped = w->out->n_clipped;
    out->n_void = w->out->n_void;
    out->seconds = w->out->seconds;
    out->setup_seconds = w->out->setup_seconds;
  }
  return HED_OK;
}

static hed_status run(hed__matching *w, const hed__given *g)
{
  int64_t box[3][2];
  hed_status status = hed__job_shapes(op, w->all, hed_array_shape(g->target), hed_array_shape(g->tmpl[0]), w->opt->pad);
  /* Transforms of the setup happen once: plans are not measured for them. */
  if (status == HED_OK)
    status = hed_context_derive(w->list->context[w->setup_worker], ";fft=estimate", &w->setup);
  if (status == HED_OK && w->opt->target_mask)
    status = in_setup(w, take_mask, NULL);
  if (status == HED_OK && w->opt->seeds && (status = hed__seeds_open(op, &w->seeds, w->opt->seeds, w->all)) == HED_OK)
    w->all->seeds = &w->seeds;
  if (status == HED_OK)
    status = choose_box(w, box);
  if (status == HED_OK)
    status = hed__parts_choose(op, w->all, (const int64_t (*)[2])box, w->opt->sub_volumes, memory_limit(w->opt), &w->parts);
  if (status == HED_OK)
    status = in_setup(w, take_given, (void *)g);
  if (status == HED_OK)
    status = run_parts(w);
  return status == HED_OK ? give(w) : status;
}

static void clear(hed__matching *w)
{
  hed_release(w->f);
  hed_release(w->m);
  hed_context_release(w->setup);
  hed_release(w->values);
  for (size_t t = 0; w->record && t < w->n; t++) {
    hed_release(w->g[t]);
    hed_release(w->scores[t]);
    hed_release(w->rotations[t]);
    hed__record_close(w->record + t);
  }
  free(w->g);
  free(w->scores);
  free(w->rotations);
  free(w->record);
  free(w->scored);
  free(w->known);
  hed__seeds_close(&w->seeds);
  hed_release(w->valid);
  hed_release(w->all->filter);
}

/* Room for what each template has. */
static hed_status make_room(hed__matching *w)
{
  w->g = calloc(w->n, sizeof *w->g);
  w->scores = calloc(w->n, sizeof *w->scores);
  w->rotations = calloc(w->n, sizeof *w->rotations);
  w->record = w->g && w->scores && w->rotations ? calloc(w->n, sizeof *w->record) : NULL;
  return w->record ? HED_OK : hed_fail(HED_E_NOMEM, "%s: no memory for %zu templates", op, w->n);
}

/* Is it the backend that failed, and not what it was given? */
static bool of_backend(hed_status status)
{
  return status == HED_E_DEVMEM || status == HED_E_UNAVAILABLE || status == HED_E_ASYNC || status == HED_E_INTERNAL;
}

/* With the setup in the context of the worker SETUP. *AGAIN: with another's it may do what it could not, as when nobody gets
 * what the setup left on a device that fails. From a checkpoint the caller goes on; what an
 * analyzer has seen must not come twice. */
static hed_status search(const hed_match_options *opt, int phase, const hed__given *in, const hed__job *all, hed__worker_list *list,
                         int setup, hed_match_result *out, bool *again)
{
  hed__job job = *all;
  hed__matching w = { .all = &job, .list = list, .opt = opt, .keep = phase == 1, .phase = phase, .n = in->n, .out = out,
                      .setup_worker = setup };
  hed_status status = make_room(&w);
  for (int i = 0; i < list->n; i++) { /* what an earlier try did is lost */
    list->worker[i].rotations = 0;
    list->worker[i].seconds = 0;
  }
  if (status == HED_OK)
    status = run(&w, in);
  clear(&w);
  *again = of_backend(status) && (!w.begun || (!opt->checkpoint && !opt->analyzer));
  if (*again && !list->worker[setup].failure[0])
    snprintf(list->worker[setup].failure, sizeof list->worker[setup].failure, "%s", hed_error_text());
  for (size_t t = 0; t < in->n && status != HED_OK; t++)
    hed_match_result_clear(out + t);
  return status;
}

hed_status hed__search(const hed_match_options *opt, int phase, const hed__given *in, hed_match_result *out)
{
  hed__job job = { 0 };
  hed__worker_list list = { 0 };
  const int ndim = hed_array_ndim(in->target);
  hed_status status;

  if (!(job.score = hed__score_by_name(op, opt->score)))
    return hed_error();
  if ((ndim == 2 || ndim == 3) && (status = hed__rotations_valid(op, ndim, in->n_rotations, in->rotations)) != HED_OK)
    return status;
  job.spline = opt->spline;
  job.overlap = opt->overlap > 0 ? opt->overlap : 0.3;
  job.kept = opt->checkpoint != NULL;
  job.masked = opt->target_mask || (opt->target_filter && opt->voids != HED_VOIDS_KEEP);
  job.filtered = opt->template_filter != NULL;
  job.filtering = opt->target_filter ? hed__apply_filter_memory(hed_array_shape(in->target), opt->faces) +
                                           16.0 * (double)hed_array_size(in->target) : 0; /* beside what is prepared before */
  job.n_rotations = in->n_rotations;
  job.rotations = in->rotations;
  job.more = hed__sub_volumes(opt) ? 8 * (size_t)hed_array_size(in->tmpl[0]) : 0; /* a part's own filter */
  job.more += (in->n - 1) * (8 * (size_t)hed_array_size(in->target) + 4 * (size_t)hed_array_size(in->tmpl[0]));
  if ((status = hed__worker_list_parse(&list, opt->workers, in->n_rotations)) != HED_OK)
    return status;
  job.workforce = (hed__workforce){ list.context, list.n, 1 };
  bool again = true;
  hed_status first = HED_OK;
  char why[480] = "";
  int tried = 0;
  for (int at; again && (at = setup_worker(&list, tried)) >= 0; tried++) {
    status = search(opt, phase, in, &job, &list, at, out, &again);
    if (tried == 0 && again) {
      first = status;
      snprintf(why, sizeof why, "%s", hed_error_text());
    }
  }
  hed__worker_list_clear(&list);
  return again && tried > 1 ? hed_fail(first, "%s", why) : status; /* where all failed, the first one's sentence */
}
