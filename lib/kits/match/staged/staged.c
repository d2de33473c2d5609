// SPDX-License-Identifier: BSD-3-Clause
/* hed_match_staged(): from coarse to fine.
 *
 * Layer: L4, match kit. The first stage is a search of its own; for the background's moments a second one does few rotations in full
 * resolution; then come the places of candidates (places.c) and their refinement.
 */
#include "kits/match/refine/rows.h"
#include "kits/match/run/prepared.h"
#include "kits/match/staged/bin.h"
#include "kits/match/staged/kept.h"
#include <errno.h>
#include <heddle/kits/rotation.h>
#include <heddle/kits/staged.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char op[] = "hed_match_staged";

/* Shares of the whole at which stages begin, in thousandths. */
enum { COARSE = 0, BACKGROUND = 350, PLACES = 450, REFINING = 650, ALL = 1000 };
/* Scores of the background of which moments are taken, in rotations; the most energy of the template that binning may take. */
enum { LOOKS = 32 };
static const double most_loss = 0.1, apart = 30, more_candidates = 100;

enum { FILE_COARSE, FILE_BACKGROUND, FILE_PLACES, FILES };
static const char *const endings[FILES] = { "coarse", "background", "places" };

typedef struct staged {
  const hed_match_options *opt;
  const hed_staged_options *how;
  hed__given in;
  hed_match_stages *report;
  hed__prepared p;
  int begin, end;             /* of the stage, in thousandths */
  double distance;
  char *file[FILES];          /* stages' checkpoints; NULL: none */
  hed__kept kept;
  hed__best *best;            /* of candidates, and rows that are refined: those that were kept, at first */
  hed_table_row *row;
  int64_t (*candidate)[3];
} staged;

/* What stays beside the searches: the target as prepared, twice, and where it is scored. */
static size_t held(const staged *s)
{
  return (size_t)hed_array_size(s->in.target) * (4 + 4 + (s->p.scored ? 1 : 0));
}

/* What is left of the limit for a search, MORE bytes being taken beside. */
static size_t limit_of(const staged *s, size_t more)
{
  const size_t limit = s->opt->memory_limit, taken = held(s) + more;
  return limit == 0 ? 0 : limit > taken ? limit - taken : 1;
}

static void needs(staged *s, size_t bytes)
{
  s->report->memory = bytes > s->report->memory ? bytes : s->report->memory;
}

static int progress(void *arg, size_t done, size_t total)
{
  const staged *s = arg;
  const double share = total ? (double)done / (double)total : 1;
  if (!s->opt->progress)
    return 0;
  return s->opt->progress(s->opt->progress_arg, (size_t)(s->begin + share * (s->end - s->begin)), ALL);
}

static void enter(staged *s, int begin, int end)
{
  s->begin = begin;
  s->end = end;
}

static hed_status check(const hed_match_options *o, const hed_staged_options *h)
{
  if (o->score && strcasecmp(o->score, "FLC") != 0 && strcasecmp(o->score, "FLCSphericalMask") != 0)
    return hed_fail(HED_E_INVAL, "%s: score %.40s; FLC and FLCSphericalMask can be searched for from coarse to fine", op, o->score);
  const char *with = o->seeds ? "seeds" : o->shares ? "shares" : o->counter ? "a counter" : o->analyzer ? "an analyzer"
                     : o->correct_background ? "background correction" : hed__sub_volumes(o) ? "sub-volumes" : NULL;
  if (with)
    return hed_fail(HED_E_INVAL, "%s: a search from coarse to fine with %s", op, with);
  if (h->bin < 0 || h->bin > 2)
    return hed_fail(HED_E_INVAL, "%s: bin is %d; 1, 2, or 0 for the one that fits", op, (int)h->bin);
  if (!(h->coarse_step >= 0) || h->coarse_step > 180 || (h->coarse && !h->n_coarse))
    return hed_fail(HED_E_INVAL, "%s: a coarse step of %g degrees, %zu rotations", op, h->coarse_step, h->n_coarse);
  if (!(h->min_distance >= 0) || isinf(h->min_distance) || isnan(h->min_score))
    return hed_fail(HED_E_INVAL, "%s: min_distance is %g, min_score %g", op, h->min_distance, h->min_score);
  if (!(h->lobe_distance >= 0) || isinf(h->lobe_distance) || !(h->lobe_fraction >= 0) || h->lobe_fraction >= 1)
    return hed_fail(HED_E_INVAL, "%s: lobe_distance is %g, lobe_fraction %g; a fraction from 0 to below 1", op, h->lobe_distance,
                    h->lobe_fraction);
  if (o->resume && !o->checkpoint)
    return hed_fail(HED_E_INVAL, "%s: resume without a checkpoint", op);
  return HED_OK;
}

/* ---- the first stage ---- */

static hed_status choose_bin(staged *s)
{
  const hed_match_options *o = s->opt;
  const bool given = (o->template_filter && o->template_filter->given) || (o->target_filter && o->target_filter->given);
  s->report->bin = s->how->bin ? s->how->bin : 2;
  if (given && s->how->bin == 2)
    return hed_fail(HED_E_INVAL, "%s: bin 2 with a filter of given values, which cannot be made for twice the voxel", op);
  if (given)
    s->report->bin = 1;
  if (given || s->report->bin == 1)
    return HED_OK;
  const hed_status status = hed__binning_loss(s->p.g, s->p.m, s->p.filter, &s->report->loss);
  if (status == HED_OK && s->how->bin == 0 && s->report->loss > most_loss)
    s->report->bin = 1;
  return status;
}

/* What the first stage searches. */
typedef struct small {
  hed_array *target, *tmpl, *mask, *target_mask, *profile[2];
  hed_match_filter filter[2];
} small;

static hed_status make_small(const staged *s, hed_match_options *o, small *b)
{
  if (s->report->bin == 1) {
    b->target = hed_retain((hed_array *)s->in.target);
    b->tmpl = hed_retain((hed_array *)s->in.tmpl[0]);
    b->mask = s->in.mask ? hed_retain((hed_array *)s->in.mask) : NULL;
    return HED_OK;
  }
  b->target = hed__binned(op, s->in.target, false);
  b->tmpl = b->target ? hed__binned(op, s->in.tmpl[0], true) : NULL;
  b->mask = b->tmpl ? hed__binned(op, s->p.m, true) : NULL;
  b->target_mask = b->mask && o->target_mask ? hed__binned(op, o->target_mask, false) : NULL;
  if (!b->mask || (o->target_mask && !b->target_mask))
    return hed_error();
  o->target_mask = b->target_mask;
  const hed_match_filter **const filter[2] = { &o->template_filter, &o->target_filter };
  for (int i = 0; i < 2; i++) {
    if (*filter[i] && !hed__filter_binned(*filter[i], &b->filter[i], &b->profile[i]))
      return hed_error();
    *filter[i] = *filter[i] ? &b->filter[i] : NULL;
  }
  for (int i = 0; i < 3; i++) {
    o->region[i][0] /= 2;
    o->region[i][1] = (o->region[i][1] + 1) / 2;
  }
  return HED_OK;
}

static void clear_small(small *b)
{
  hed_release(b->target);
  hed_release(b->tmpl);
  hed_release(b->mask);
  hed_release(b->target_mask);
  hed_release(b->profile[0]);
  hed_release(b->profile[1]);
}

/* O's checkpoint of a stage, gone on from where it is there. */
static void keep_in(const staged *s, int file, hed_match_options *o)
{
  o->checkpoint = s->file[file];
  o->resume = s->file[file] && s->opt->resume && access(s->file[file], F_OK) == 0;
}

static hed_status search_coarse(staged *s)
{
  hed_match_options o = *s->opt;
  small b = { 0 };
  double *made = NULL;
  size_t n = s->how->n_coarse;
  const double *rotations = s->how->coarse;
  hed_status status = HED_OK;
  if (!rotations && (status = hed_rotations_sample(hed_array_ndim(s->in.target), s->how->coarse_step > 0 ? s->how->coarse_step : 20,
                                                   &made, &n)) != HED_OK)
    return status;
  s->report->n_coarse = n;
  o.threshold = -INFINITY;
  o.n_false_positives = more_candidates * (o.n_false_positives > 0 ? o.n_false_positives : 1);
  keep_in(s, FILE_COARSE, &o);
  o.progress = progress;
  o.progress_arg = s;
  enter(s, COARSE, BACKGROUND);
  const size_t voxels = (size_t)hed_array_size(s->in.target);
  const size_t binned = s->report->bin == 1 ? 0 : 4 * voxels; /* target and mask, and more than what is rounded up */
  o.memory_limit = limit_of(s, binned);
  if ((status = make_small(s, &o, &b)) == HED_OK) {
    const hed__given in = { b.target, (const hed_array *const *)&b.tmpl, b.mask, 1, n, made ? made : rotations };
    status = hed__search(&o, 1, &in, &s->report->coarse);
  }
  s->report->coarse_cutoff = s->report->coarse.cutoff;
  needs(s, held(s) + (s->report->bin == 1 ? 0 : 12 * voxels)); /* while binning: as it is, converted, and one axis less */
  needs(s, held(s) + binned + s->report->coarse.memory);
  clear_small(&b);
  free(made);
  return status;
}

/* Few rotations in full resolution, evenly from the list: what the background's scores are, and the cut-off of all. */
static hed_status search_background(staged *s)
{
  hed_match_options o = *s->opt;
  hed_match_result *r = &s->report->background;
  const size_t n = s->in.n_rotations < LOOKS ? s->in.n_rotations : LOOKS, d = (size_t)hed_array_ndim(s->in.target), cells = d * d;
  double *some = malloc(n * cells * sizeof *some);
  if (!some)
    return hed_fail(HED_E_NOMEM, "%s: no memory for %zu rotations", op, n);
  for (size_t i = 0; i < n; i++)
    memcpy(some + cells * i, s->in.rotations + cells * (i * s->in.n_rotations / n), cells * sizeof *some);
  const size_t coarse = 8 * (size_t)hed_array_size(s->report->coarse.scores);
  o.memory_limit = limit_of(s, coarse);
  o.threshold = -INFINITY;
  keep_in(s, FILE_BACKGROUND, &o);
  o.progress = progress;
  o.progress_arg = s;
  enter(s, BACKGROUND, PLACES);
  const hed__given in = { s->in.target, s->in.tmpl, s->in.mask, 1, n, some };
  const hed_status status = hed__search(&o, 1, &in, r);
  free(some);
  if (status != HED_OK)
    return status;
  needs(s, held(s) + coarse + r->memory);
  hed_release(r->scores); /* of few rotations: nobody's maximum */
  hed_release(r->rotations);
  r->scores = r->rotations = NULL;
  r->cutoff -= hed_match_cutoff_shaped(r->sigma_robust, r->kurtosis, (double)r->n_scores, r->n_false_positives);
  r->n_scores = (uint64_t)llrint((double)r->n_scores * (double)s->in.n_rotations / (double)n);
  r->cutoff += hed_match_cutoff_shaped(r->sigma_robust, r->kurtosis, (double)r->n_scores, r->n_false_positives);
  return HED_OK;
}

/* ---- candidates ---- */

static hed_status choose_candidates(staged *s)
{
  const hed_match_result *r = &s->report->coarse;
  const size_t most = s->how->candidates ? s->how->candidates : 1000;
  const int bin = s->report->bin, ndim = hed_array_ndim(s->in.target);
  const hed_shape t = hed_array_shape(s->in.tmpl[0]);
  const hed_match_peak_options opt = { .num_peaks = most > 500000 ? 2 * most : 1000000, .min_distance = fmax(1, s->distance / 2 / bin),
                                       .min_score = r->cutoff, .use_min_score = true, .wraps = !s->opt->pad };
  hed_match_peak *peak = NULL;
  size_t n = 0;
  const hed_status status = hed_match_peaks(r->scores, r->rotations, &opt, &peak, &n);
  if (status != HED_OK)
    return status;
  s->report->candidates = n < most ? n : most;
  s->report->dropped = n - s->report->candidates;
  if (!(s->candidate = calloc(s->report->candidates + 1, sizeof *s->candidate))) {
    free(peak);
    return hed_fail(HED_E_NOMEM, "%s: no memory for %zu candidates", op, s->report->candidates);
  }
  for (size_t k = 0; k < s->report->candidates; k++)
    for (int i = 0; i < ndim; i++) {
      const int a = 3 - ndim + i;
      s->candidate[k][a] = bin == 1 ? peak[k].position[a] : hed__unbinned_place(t.dim[i], peak[k].position[a]);
    }
  free(peak);
  return HED_OK;
}

static hed_status digest_array(hed__digest *d, const hed_array *x)
{
  hed_array *host = x ? hed__on_host(x) : NULL;
  if (host)
    hed__digest_add(d, hed_array_data(host), hed_array_nbytes(host));
  hed_release(host);
  return host || !x ? HED_OK : hed_error();
}

/* What an interrupted search has done of the stages that A is for. */
static hed_status take_up(staged *s, hed__field *a)
{
  const hed_match_options *o = s->opt;
  hed__kept *k = &s->kept;
  *k = (hed__kept){ .path = s->file[FILE_PLACES], .seconds = o->checkpoint_seconds > 0 ? o->checkpoint_seconds : 300,
                    .last = hed__now(), .n_candidates = s->report->candidates, .n_rotations = s->in.n_rotations };
  if (!k->path)
    return HED_OK;
  const double numbers[] = { a->flat, (double)a->reach, (double)a->spline, a->spherical };
  hed__digest_add(&k->places, numbers, sizeof numbers);
  hed__digest_add(&k->places, a->f, (size_t)hed_array_size(s->in.target) * sizeof *a->f);
  hed__digest_add(&k->places, s->in.rotations, s->in.n_rotations * (size_t)(a->ndim * a->ndim) * sizeof(double));
  hed__digest_add(&k->places, s->candidate, s->report->candidates * sizeof *s->candidate);
  hed_status status = digest_array(&k->places, a->g);
  if (status == HED_OK)
    status = digest_array(&k->places, a->m);
  if (status == HED_OK)
    status = digest_array(&k->places, a->filter);
  if (status == HED_OK && o->resume)
    status = hed__kept_read(k, &s->best, &s->row);
  a->from = k->rotations;
  return status;
}

static hed_status keep_places(void *arg, size_t rotations, const hed__best *list, bool now)
{
  staged *s = arg;
  s->kept.rotations = rotations;
  s->kept.rows = 0;
  s->kept.best = list;
  return hed__kept_write(&s->kept, now);
}

static hed_status score_places(staged *s)
{
  const hed_match_options *o = s->opt;
  const hed_shape f = hed_array_shape(s->in.target), t = hed_array_shape(s->in.tmpl[0]);
  hed__field a = { .ndim = f.ndim, .d = { 1, 1, 1 }, .fast = { 1, 1, 1 }, .t = { 1, 1, 1 }, .f = s->p.values, .scored = s->p.scored,
                   .region = { { 0, 1 }, { 0, 1 }, { 0, 1 } }, .g = s->p.turning, .m = s->p.m, .filter = s->p.filter,
                   .spline = o->spline, .spherical = o->score && strcasecmp(o->score, "FLC") != 0, .flat = s->report->background.flat,
                   .reach = 1, .cancel = o->cancel, .progress = progress, .arg = s, .keep = keep_places };
  bool given = false;
  for (int i = 0; i < 3; i++)
    given = given || o->region[i][0] || o->region[i][1];
  for (int i = 0; i < f.ndim; i++) {
    const int k = 3 - f.ndim + i;
    a.d[k] = f.dim[i];
    a.t[k] = t.dim[i];
    a.fast[k] = s->p.fast.dim[i];
    a.region[k][0] = given ? o->region[i][0] : 0;
    a.region[k][1] = given ? o->region[i][1] : f.dim[i];
  }
  const size_t most = s->how->candidates ? s->how->candidates : 1000; /* so that it is known before */
  needs(s, held(s) + 8 * (size_t)hed_array_size(s->report->coarse.scores) + hed__places_memory(&a, most));
  enter(s, PLACES, REFINING);
  const hed_status status = take_up(s, &a);
  return status == HED_OK ? hed__score_places(&a, s->report->candidates, (const int64_t (*)[3])s->candidate, s->in.n_rotations,
                                              s->in.rotations, &s->best) : status;
}

/* ---- the table ---- */

static double angle_between(const staged *s, int32_t a, int32_t b)
{
  const double *r = s->in.rotations;
  if (hed_array_ndim(s->in.target) == 3)
    return hed_rotation_angle(r + 9 * a, r + 9 * b);
  const double turn = atan2(r[4 * a + 1], r[4 * a]) - atan2(r[4 * b + 1], r[4 * b]);
  return fabs(remainder(turn, 2 * acos(-1.0))) * 180 / acos(-1.0);
}

static hed_match_peak peak_of(const hed__best *b)
{
  return (hed_match_peak){ .position = { b->place[0], b->place[1], b->place[2] }, .score = b->score, .rotation = b->rotation };
}

/* The best of each candidate that reaches the cut, and, when they are to be refined, the best that is turned otherwise; OWNER: whose
 * each row is. The cut is that of scores at voxels and rotations of the list: refinement makes all of them larger. */
static hed_status make_starts(const staged *s, const hed__best *best, hed_table *start, size_t **owner)
{
  const double cut = s->how->use_min_score ? s->how->min_score : s->report->background.cutoff;
  const size_t n = s->report->candidates;
  hed_match_peak *peak = calloc(2 * n + 1, sizeof *peak);
  size_t rows = 0;
  *owner = calloc(2 * n + 1, sizeof **owner);
  hed_status status = peak && *owner ? HED_OK : hed_fail(HED_E_NOMEM, "%s: no memory for %zu candidates", op, n);
  for (size_t k = 0; k < n && status == HED_OK; k++) {
    const hed__best *b = best + k * HED__BEST_KEPT;
    if (b->rotation < 0 || b->score < cut)
      continue;
    (*owner)[rows] = k;
    peak[rows++] = peak_of(b);
    for (int i = 1; !s->how->unrefined && i < HED__BEST_KEPT && b[i].rotation >= 0; i++)
      if (angle_between(s, b[0].rotation, b[i].rotation) > apart) {
        (*owner)[rows] = k;
        peak[rows++] = peak_of(b + i);
        break;
      }
  }
  if (status == HED_OK)
    status = hed_match_table(rows, peak, hed_array_ndim(s->in.target), s->in.rotations, s->in.n_rotations, s->how->voxel,
                             s->how->origin, start);
  free(peak);
  return status;
}

static hed_status keep_rows(void *arg, size_t rows)
{
  staged *s = arg;
  s->kept.rows = rows;
  s->kept.row = s->row;
  s->kept.scores = s->report->scores;
  return hed__kept_write(&s->kept, false);
}

/* Room for START's rows; those that were kept are in it, if they began as these do. */
static hed_status take_up_rows(staged *s, const hed_table *start)
{
  hed__kept *k = &s->kept;
  hed__digest d = { 0, 0 };
  hed_table_row *row = calloc(start->n + 1, sizeof *row);
  if (!row)
    return hed_fail(HED_E_NOMEM, "%s: no memory for %zu rows", op, start->n);
  for (size_t i = 0; i < start->n; i++) {
    const hed_table_row *r = start->row + i;
    const double numbers[] = { r->position[0], r->position[1], r->position[2], r->angstrom[0], r->angstrom[1], r->angstrom[2],
                               r->euler[0], r->euler[1], r->euler[2], (double)s->how->evaluations, s->opt->invert };
    hed__digest_add(&d, numbers, sizeof numbers);
  }
  if (k->n_rows != start->n || memcmp(&k->starts, &d, sizeof d) != 0)
    k->rows = k->scores = 0;
  for (size_t i = 0; i < k->rows; i++) {
    row[i] = s->row[i];
    row[i].id = start->row[i].id;
  }
  free(s->row);
  s->row = row;
  k->n_rows = start->n;
  k->starts = d;
  k->best = s->best;
  s->report->scores = k->scores;
  return HED_OK;
}

static hed_status refine(staged *s, const hed_table *start, hed_table *out)
{
  const hed_match_options *o = s->opt;
  hed_refine_options opt = { .evaluations = s->how->evaluations ? s->how->evaluations : 200, .spline = o->spline, .invert = o->invert,
                             .template_filter = o->template_filter, .cancel = o->cancel, .progress = progress, .progress_arg = s };
  memcpy(opt.voxel, s->how->voxel, sizeof opt.voxel);
  needs(s, held(s) + 8 * (size_t)hed_array_size(s->report->coarse.scores) + 8 * (size_t)hed_array_size(s->in.target) +
             256 * (size_t)hed_array_size(s->in.tmpl[0]) + (1 << 20)); /* a copy to look at, and what is turned */
  enter(s, REFINING, ALL); /* the target is filtered already */
  hed_status status = take_up_rows(s, start);
  if (status == HED_OK)
    status = hed__refine_rows(&opt, s->p.f, s->in.tmpl[0], s->p.m, start, s->kept.rows, s->row, &s->report->scores, keep_rows, s);
  if (status == HED_E_CANCELLED && (status = hed__kept_write(&s->kept, true)) == HED_OK)
    status = hed_fail(HED_E_CANCELLED, "%s: cancelled after %zu of %zu rows", op, s->kept.rows, start->n);
  if (status != HED_OK)
    return status;
  out->n = start->n;
  out->row = s->row;
  s->row = NULL;
  return HED_OK;
}

typedef struct ranked { hed_table_row row; size_t owner; } ranked;

static int by_score(const void *a, const void *b)
{
  const ranked *p = a, *q = b;
  return p->row.score != q->row.score ? (p->row.score < q->row.score) - (p->row.score > q->row.score)
                                      : (p->row.id > q->row.id) - (p->row.id < q->row.id);
}

/* Squared distance of two rows, in voxels. */
static double distance(const staged *s, const hed_table_row *a, const hed_table_row *b)
{
  const hed_shape f = hed_array_shape(s->in.target);
  double sum = 0;
  for (int i = 0; i < f.ndim; i++) {
    const int k = 3 - f.ndim + i;
    double d = fabs(a->position[k] - b->position[k]);
    if (!s->opt->pad)
      d = fmin(d, fabs((double)f.dim[i] - d));
    sum += d * d;
  }
  return sum;
}

/* Whether ROW may stay beside BETTER: at its distance, and no lobe of it. */
static bool apart_from(const staged *s, const hed_table_row *row, const hed_table_row *better)
{
  const double d = distance(s, better, row), lobe = s->how->lobe_distance;
  return d >= s->distance * s->distance && !(d < lobe * lobe && row->score < s->how->lobe_fraction * better->score);
}

/* Of T's rows the better of each candidate, at its distance from better ones; best first, counted from 1. */
static hed_status choose_rows(const staged *s, hed_table *t, const size_t *owner)
{
  ranked *r = calloc(t->n + 1, sizeof *r);
  bool *seen = r ? calloc(s->report->candidates + 1, sizeof *seen) : NULL;
  size_t kept = 0;
  for (size_t i = 0; seen && i < t->n; i++)
    r[i] = (ranked){ t->row[i], owner[i] };
  if (seen)
    qsort(r, t->n, sizeof *r, by_score);
  for (size_t i = 0; seen && i < t->n; i++) {
    bool good = !seen[r[i].owner];
    seen[r[i].owner] = true;
    for (size_t k = 0; k < kept && good; k++)
      good = apart_from(s, &r[i].row, &t->row[k]);
    if (!good)
      continue;
    t->row[kept] = r[i].row;
    t->row[kept].id = (int64_t)kept + 1;
    kept++;
  }
  const hed_status status = seen ? HED_OK : hed_fail(HED_E_NOMEM, "%s: no memory for %zu rows", op, t->n);
  if (status == HED_OK)
    t->n = kept;
  free(r);
  free(seen);
  return status;
}

/* ---- all of it ---- */

static hed_status fine(staged *s, hed_table *out)
{
  hed_table start = { 0 };
  size_t *owner = NULL;
  double at = hed__now();
  hed_status status = HED_OK;
  HED_PROFILE_RANGE("places")
    status = score_places(s);
  if (status == HED_OK)
    status = make_starts(s, s->best, &start, &owner);
  s->report->seconds[2] = hed__now() - at;
  at = hed__now();
  if (status == HED_OK && !s->how->unrefined) {
    status = refine(s, &start, out);
  } else if (status == HED_OK) {
    *out = start;
    start = (hed_table){ 0 };
  }
  if (status == HED_OK)
    status = choose_rows(s, out, owner);
  s->report->seconds[3] = hed__now() - at;
  free(owner);
  hed_table_clear(&start);
  return status;
}

static hed_status run(staged *s, hed_table *out)
{
  const hed_match_options *o = s->opt;
  const hed_shape t = hed_array_shape(s->in.tmpl[0]);
  int64_t largest = 1;
  for (int i = 0; i < t.ndim; i++)
    largest = t.dim[i] > largest ? t.dim[i] : largest;
  s->distance = s->how->min_distance > 0 ? s->how->min_distance : fmax(1, (double)largest / 2);
  for (int i = 0; o->checkpoint && i < FILES; i++)
    if (asprintf(&s->file[i], "%s.%s", o->checkpoint, endings[i]) < 0) {
      s->file[i] = NULL;
      return hed_fail(HED_E_NOMEM, "%s: no memory for a name", op);
    }
  hed_status status = hed__rotations_valid(op, hed_array_ndim(s->in.target), s->in.n_rotations, s->in.rotations);
  if (status == HED_OK)
    status = hed__prepare(op, o, &s->in, &s->p);
  if (status == HED_OK)
    status = choose_bin(s);
  double at = hed__now();
  if (status == HED_OK)
    HED_PROFILE_RANGE("coarse search")
      status = search_coarse(s);
  s->report->seconds[0] = hed__now() - at;
  at = hed__now();
  if (status == HED_OK)
    HED_PROFILE_RANGE("background")
      status = search_background(s);
  s->report->seconds[1] = hed__now() - at;
  if (status == HED_OK)
    status = choose_candidates(s);
  if (status == HED_OK)
    status = fine(s, out);
  for (int i = 0; i < FILES && status == HED_OK; i++)
    if (s->file[i] && unlink(s->file[i]) != 0 && errno != ENOENT)
      status = hed_fail(HED_E_IO, "%s: cannot remove '%s': %s", op, s->file[i], strerror(errno));
  enter(s, ALL, ALL);
  if (status == HED_OK && progress(s, 1, 1))
    status = hed_fail(HED_E_CANCELLED, "%s: cancelled", op);
  return status;
}

hed_status hed_match_staged(const hed_match_options *opt, const hed_staged_options *how, const hed_array *target,
                            const hed_array *tmpl, const hed_array *mask, size_t n_rotations, const double *rotations,
                            hed_table *out, hed_match_stages *stages)
{
  static const hed_match_options none;
  static const hed_staged_options as_usual;
  hed_match_stages own = { 0 };
  if (stages)
    *stages = own;
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", op);
  *out = (hed_table){ 0 };
  if (!target || !tmpl)
    return hed_fail(HED_E_INVAL, "%s: the %s is NULL", op, target ? "template" : "target");
  staged s = { .opt = opt ? opt : &none, .how = how ? how : &as_usual, .report = &own,
               .in = { target, &tmpl, mask, 1, n_rotations, rotations } };
  hed_status status = check(s.opt, s.how);
  if (status == HED_OK)
    status = run(&s, out);
  hed__prepared_clear(&s.p);
  free(s.candidate);
  free(s.best);
  free(s.row);
  for (int i = 0; i < FILES; i++)
    free(s.file[i]);
  if (status != HED_OK) {
    hed_table_clear(out);
    hed_match_stages_clear(&own);
  } else if (stages) {
    *stages = own;
  } else {
    hed_match_stages_clear(&own);
  }
  return status;
}

void hed_match_stages_clear(hed_match_stages *s)
{
  if (!s)
    return;
  hed_match_result_clear(&s->coarse);
  hed_match_result_clear(&s->background);
  *s = (hed_match_stages){ 0 };
}
