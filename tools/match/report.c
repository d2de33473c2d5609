// SPDX-License-Identifier: BSD-3-Clause
/* Files and summary of `heddle match`.
 *
 * Layer: L5.
 */
#include "tools/picture/charts.h"
#include "tools/emit.h"
#include "job.h"
#include "tools/picture/picture.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static hed_picture_mark mark_of(const hed_table_row *row, double radius, hed_mark_kind kind, int64_t number)
{
  hed_picture_mark m = { .radius = radius, .number = number, .kind = kind };
  memcpy(m.position, row->position, sizeof m.position);
  return m;
}

static hed_status draw(match_job *j, const char *path)
{
  const hed_shape t = hed_array_shape(j->tmpl.data);
  const size_t most = 500; /* more circles than that hide the slice */
  const size_t hits = j->found.n < most ? j->found.n : most;
  const size_t missed = j->truth.n < most ? j->truth.n : most;
  hed_picture_mark *marks = calloc(hits + missed + 1, sizeof *marks);
  char title[120];
  hed_picture opt = { .voxel = j->target.voxel[1], .title = title };
  double radius = (double)t.dim[t.ndim - 1] / 2;
  size_t n = 0;

  if (!marks)
    return hed_fail(HED_E_NOMEM, "no memory for the picture's marks");
  for (size_t i = 0; i < hits; i++)
    marks[n++] = mark_of(&j->found.row[i], radius, j->partner && j->partner[i] < 0 ? HED_MARK_WRONG : HED_MARK_HIT,
                         j->found.row[i].id);
  for (size_t i = 0; i < missed; i++)
    marks[n++] = mark_of(&j->truth.row[i], radius, HED_MARK_TRUTH, -1);
  const bool volume = hed_array_ndim(j->target.data) == 3;
  snprintf(title, sizeof title, "%s: %zu hit%s%s", j->score ? j->score : "FLC", j->found.n,
           j->found.n == 1 ? "" : "s", volume ? ", means of 5 sections" : "");
  const hed_shape s = hed_array_shape(j->target.data);
  int64_t at[3] = { 0, 0, 0 };
  for (int i = 0; i < 3 && volume; i++) /* through the best hit, or the middle */
    at[i] = j->found.n ? (int64_t)fmin(fmax(round(j->found.row[0].position[i]), 0), (double)(s.dim[i] - 1)) : s.dim[i] / 2;
  const hed_status status = volume ? hed_picture_sections(path, j->target.data, j->result.scores, at, &opt, n, marks)
                                   : hed_picture_slice(path, j->target.data, &opt, n, marks);
  j->slice = at[0];
  free(marks);
  return status;
}

/* The rotations that the indices count: an array of matrices. */
hed_status match_write_list(const match_job *j, const char *path)
{
  const int64_t d = hed_array_ndim(j->target.data);
  const bool coarse = j->strategy == MATCH_COARSE;
  const int64_t n = (int64_t)(coarse ? j->n_coarse : j->n_rotations);
  hed_array *list = hed_wrap(coarse ? j->coarse : j->matrices, HED_SHAPE(n, d, d), NULL, HED_FLOAT64, NULL, NULL);
  const hed_status status = list ? hed_save_npy(path, list) : hed_error();
  hed_release(list);
  return status;
}

static hed_status write_summary(const match_job *j, outputs *o);

const char *match_table_ending(int format)
{
  static const char *const endings[] = { "_peaks.tsv", "_peaks.star", "_peaks.tbl", "_peaks_relion5.star", "_peaks_stopgap.star",
                                         "_peaks_pytme.tsv", "_peaks.coords", "_peaks.csv", "_peaks.cmm" };
  return endings[format];
}

/* Numbers from 1, in the order of the command line; 0 where nothing was scored. */
static hed_status write_templates(const match_job *j, const char *path)
{
  hed_map m = { 0 };
  hed_array *one = hed_scalar_int(1), *numbers = one ? hed_add(j->templates, one) : NULL;
  memcpy(m.voxel, j->target.voxel, sizeof m.voxel);
  memcpy(m.origin, j->target.origin, sizeof m.origin);
  snprintf(m.label, sizeof m.label, "heddle %s match: number of the best of %zu templates", hed_version(), j->n_more + 1);
  m.data = numbers ? hed_astype(numbers, HED_FLOAT32) : NULL;
  const hed_status status = m.data ? hed_map_write(path, &m, 2) : hed_error();
  hed_release(m.data);
  hed_release(numbers);
  hed_release(one);
  return status;
}

/* Which output file is the map of templates: the last one, but for the report. */
static int templates_at(const match_job *j, const outputs *o)
{
  return o->n - 1 - (j->report_path != NULL);
}

static hed_status write_tables(const match_job *j, outputs *o)
{
  char room[64];
  hed_table_frame frame = tool_frame(&j->target, j->target_path, j->tomogram, room);
  hed_status status = HED_OK;
  frame.binning = j->binning;
  memcpy(frame.unbinned, j->unbinned, sizeof frame.unbinned);
  for (int f = 0, i = j->n_fixed; hed_table_format_name(f) && status == HED_OK; f++)
    if (j->formats >> f & 1)
      status = hed_table_write_as(outputs_name(o, i++), &j->found, f, &frame);
  if (status == HED_OK && j->templates)
    status = write_templates(j, outputs_name(o, templates_at(j, o)));
  return status;
}

static hed_status draw_all(match_job *j, outputs *o)
{
  const hed_match_result *r = j->strategy == MATCH_COARSE ? &j->stages.coarse : &j->result;
  const double centre = r->cutoff - hed_match_cutoff_shaped(r->sigma_robust, r->kurtosis, (double)r->n_scores, r->n_false_positives);
  const chart_background b = { .mean = centre, .sigma = r->sigma_robust, .n_scores = (double)r->n_scores,
                               .cutoff = r == &j->result ? j->threshold : r->cutoff };
  hed_status status = draw(j, outputs_name(o, OUT_PICTURE));
  if (status == HED_OK)
    status = chart_scores(outputs_name(o, OUT_HISTOGRAM), r->scores, &b);
  if (status == HED_OK)
    status = chart_directions(outputs_name(o, OUT_DIRECTIONS), &j->found, hed_array_ndim(j->target.data) == 2);
  return status;
}

hed_status match_write(match_job *j, outputs *o)
{
  const bool coarse = j->strategy == MATCH_COARSE;
  const hed_match_result *r = coarse ? &j->stages.coarse : &j->result;
  const size_t n_rotations = coarse ? j->n_coarse : j->n_rotations;
  hed_map scores = { .data = r->scores };
  char comment[200];
  const char *name = j->score ? j->score : "FLC";
  memcpy(scores.voxel, j->target.voxel, sizeof scores.voxel);
  memcpy(scores.origin, j->target.origin, sizeof scores.origin);
  for (int i = 0; i < 3 && coarse; i++) { /* a binned voxel's middle is that of those it is made of */
    scores.origin[i] += (j->stages.bin - 1) * scores.voxel[i] / 2;
    scores.voxel[i] *= j->stages.bin;
  }
  snprintf(scores.label, sizeof scores.label, "heddle %s match: best %s score of %zu rotations%s", hed_version(), name, n_rotations,
           coarse ? ", first stage" : "");
  snprintf(comment, sizeof comment, "heddle %s match: %s, %zu rotations, step %g degrees", hed_version(), name,
           j->n_rotations, j->step);
  hed_status status = outputs_open(o);
  if (status == HED_OK)
    status = hed_map_write(outputs_name(o, OUT_SCORES), &scores, 2);
  if (status == HED_OK)
    status = search_write_indices(outputs_name(o, OUT_ROTATIONS), r->rotations, n_rotations, &scores);
  if (status == HED_OK)
    status = match_write_list(j, outputs_name(o, OUT_LIST));
  if (status == HED_OK)
    status = hed_table_write(outputs_name(o, OUT_PEAKS), &j->found, comment);
  if (status == HED_OK && j->n_fixed > OUT_PICTURE)
    status = draw_all(j, o);
  if (status == HED_OK)
    status = write_tables(j, o);
  return status == HED_OK ? write_summary(j, o) : status;
}

static int n_parts(hed_shape parts)
{
  int n = 1;
  for (int i = 0; i < parts.ndim; i++)
    n *= (int)parts.dim[i];
  return n;
}

/* Rotations of the whole target, and of each template. */
static double rate(const match_job *j)
{
  const double templates = match_is_batch(j) ? (double)j->n_more + 1 : 1;
  return j->result.seconds > 0 ? templates * (double)j->n_rotations / j->result.seconds : 0;
}

/* A background that is wider than white noise would make it, by this much. */
static const double wide = 3;

/* The deviation that white noise would give an FLC score, from the mask's voxels; 0 for other scores. */
static double white_sigma(const match_job *j)
{
  double n = 0;
  if (j->score && strncasecmp(j->score, "FLC", 3) != 0)
    return 0;
  hed_array *mask = j->mask.data ? hed_retain(j->mask.data) : hed_match_sphere(hed_array_shape(j->tmpl.data), 0);
  hed_array *sum = mask ? hed_sum(mask, NULL) : NULL;
  if (!sum || hed_item(sum, &n) != HED_OK)
    hed_error_clear();
  hed_release(mask);
  hed_release(sum);
  return n > 0 ? 1 / sqrt(n) : 0;
}

/* Least of the angles times SIGN. */
static double least_angle(const hed_tilts *t, double sign)
{
  double least = INFINITY;
  for (size_t i = 0; i < t->n; i++)
    least = fmin(least, sign * t->angle[i]);
  return least;
}

static void print_background(const match_job *j)
{
  const hed_match_result *r = &j->result;
  const double white = white_sigma(j);
  printf("background: mean %.3g, deviation %.4g over %.3g scores", r->mean, r->sigma_robust, (double)r->n_scores);
  if (j->filters.whitened)
    printf(", whitened (its spectrum fell %.3g-fold)", j->filters.colour);
  putchar('\n');
  if (j->filters.tilts.n)
    printf("  %zu tilts, %.1f to %.1f degrees%s%s\n", j->filters.tilts.n, least_angle(&j->filters.tilts, 1),
           -least_angle(&j->filters.tilts, -1),
           j->filters.tilts.dose ? ", with doses" : "", j->filters.tilts.defocus_u ? ", with defoci" : "");
  if (!j->filters.whitened && white > 0 && r->sigma_robust > wide * white)
    printf("  the background is coloured: the deviation is %.0f times what white noise gives; --whiten\n",
           r->sigma_robust / white);
  if (r->n_clipped)
    printf("  %llu voxels of the target were clipped (--clip)\n", (unsigned long long)r->n_clipped);
  if (r->n_void)
    printf("  %.3g %% of the target is padding and was left out (--voids)\n",
           100 * (double)r->n_void / (double)hed_array_size(r->scores));
  if (r->n_flat)
    printf("  %llu windows of the target are flat and score 0\n", (unsigned long long)r->n_flat);
  if (j->found.n == 0 && -r->lowest > j->threshold)
    printf("  nothing was found, but there are scores down to %.4g: --invert if the target's contrast is the other way round\n",
           r->lowest);
}

/* How many of the peaks are template T's. */
static size_t peaks_of(const match_job *j, size_t t)
{
  size_t n = 0;
  for (size_t i = 0; i < j->found.n; i++)
    n += match_template_of(j, i) == t;
  return n;
}

static void print_templates(const match_job *j)
{
  for (size_t t = 0; j->templates && t <= j->n_more; t++)
    printf("  template %zu  %-20s  deviation %.4g, cut-off %.4g, %zu peaks\n", t + 1, match_template_name(j, t), j->account[t].sigma,
           j->account[t].cutoff, peaks_of(j, t));
}

/* Why hits are false: how their scores lie beside those of true ones, and what was allowed for. */
static void explain_false(const match_job *j)
{
  double low = INFINITY, high = -INFINITY, weakest = INFINITY;
  size_t n = 0;
  for (size_t i = 0; i < j->found.n; i++)
    if (j->partner[i] >= 0)
      weakest = fmin(weakest, j->found.row[i].score);
    else {
      low = fmin(low, j->found.row[i].score);
      high = fmax(high, j->found.row[i].score);
      n++;
    }
  if (!n)
    return;
  printf("%zu hit%s false, with scores of %.4f to %.4f", n, n == 1 ? " is" : "s are", low, high);
  if (isfinite(weakest))
    printf(" where the weakest true one has %.4f", weakest);
  if (j->min_score_given)
    printf(": above --min-score %.4g\n", j->threshold);
  else
    printf(": the cut-off, %.4f, lets %.3g score%s of pure background pass on average\n",
           j->threshold, j->result.n_false_positives, j->result.n_false_positives == 1 ? "" : "s");
}

static void print_text(const match_job *j, const outputs *o)
{
  const bool colour = colour_on_stdout();
  const char *bold = colour ? "\033[1m" : "", *plain = colour ? "\033[0m" : "";
  char less[24], more[24];
  if (j->merge)
    printf("%s%zu rotations%s of %zu shares\n", bold, j->n_rotations, plain, j->n_more);
  else
    printf("%s%zu rotations%s in %.1f s, %.1f per second (setup %.1f s)\n", bold, j->n_rotations, plain, j->result.seconds,
           rate(j), j->result.setup_seconds);
  if (j->full_seconds > 0)
    printf("  the %s search, which was estimated to take %s, the other %s\n", j->strategy == MATCH_COARSE ? "coarse" : "full",
           progress_duration(fmin(j->full_seconds, j->coarse_seconds), less),
           progress_duration(fmax(j->full_seconds, j->coarse_seconds), more));
  if (j->strategy == MATCH_COARSE)
    match_staged_describe(j);
  const hed_shape parts = j->result.parts;
  if (n_parts(parts) > 1) {
    printf("  in %d parts, ", n_parts(parts));
    for (int i = 0; i < parts.ndim; i++)
      printf("%s%d", i ? " x " : "", (int)parts.dim[i]);
    printf(", of %.0f MiB at most\n", ceil((double)j->result.memory / 0x1p20));
  }
  if (j->result.searched > 0 && j->result.searched < 1)
    printf("  %.3g %% of the target was searched\n", 100 * j->result.searched);
  if (j->seeds_path)
    printf("  near %zu seeds\n", j->seed_table.n);
  for (int i = 0; i < j->result.n_workers; i++) {
    const hed_match_worker *w = &j->result.worker[i];
    printf("  %s %d  %-20s %6zu rotations  %5.1f %%  %6.1f/s\n", j->mpi ? "rank" : "worker", i, w->backend, w->rotations,
           100 * w->share, w->seconds > 0 ? (double)w->rotations / w->seconds : 0);
    if (*w->failure)
      printf("    failed, the others have done its rest: %s\n", w->failure);
  }
  print_background(j);
  print_templates(j);
  printf("%s%zu peaks%s of score %.4g and more, %.1f voxels apart\n", bold, j->found.n, plain, j->threshold,
         j->distance);
  if (j->roc.known) {
    const match_roc_point at = match_roc_at(&j->roc, j->threshold), best = match_roc_at(&j->roc, j->roc.best);
    printf("  estimated from their scores: %.0f particles, of which %.0f %% score this much; %.1f %% of the peaks are particles\n"
           "  recall times precision is largest at %.4g: %.0f %% and %.1f %%\n", j->roc.particles, 100 * at.recall, 100 * at.precision,
           best.score, 100 * best.recall, 100 * best.precision);
  }
  for (size_t i = 0; i < j->found.n && i < 20; i++) {
    const hed_table_row *r = &j->found.row[i];
    printf("  %3" PRId64 "  z %4.0f  y %4.0f  x %4.0f  phi %7.1f  theta %6.1f  psi %7.1f  score %.4f%s", r->id,
           r->position[0], r->position[1], r->position[2], r->euler[0], r->euler[1], r->euler[2], r->score,
           !j->partner ? "" : j->partner[i] >= 0 ? "  true" : "  false");
    if (j->templates)
      printf("  template %zu", match_template_of(j, i) + 1);
    putchar('\n');
  }
  if (j->found.n > 20)
    printf("  ... %zu more in %s\n", j->found.n - 20, o->final[OUT_PEAKS]);
  if (j->truth_path) {
    const hed_match_quality *q = &j->quality;
    printf("%srecall %.3f, precision %.3f%s (%zu of %zu found)\n", bold, q->recall, q->precision, plain, q->hits,
           q->truth);
    if (j->partner)
      explain_false(j);
    if (q->hits)
      printf("position error %.2f voxels (largest %.2f), angular error %.1f degrees (largest %.1f)\n",
             q->position_mean, q->position_max, q->angle_mean, q->angle_max);
  }
  for (int i = 0; i < o->n; i++)
    printf("  %s\n", o->final[i]);
}

static void emit_row(emit *e, const match_job *j, size_t i)
{
  static const char *const axes[] = { "z", "y", "x" }, *const angles[] = { "phi", "theta", "psi" };
  const hed_table_row *r = &j->found.row[i];
  emit_object(e, NULL);
  emit_int(e, "id", r->id);
  for (int a = 0; a < 3; a++)
    emit_number(e, axes[a], r->position[a]);
  for (int a = 0; a < 3; a++)
    emit_number(e, angles[a], r->euler[a]);
  emit_number(e, "score", r->score);
  if (j->roc.known)
    emit_number(e, "probability", match_roc_probability(&j->roc, r->score));
  if (j->templates)
    emit_int(e, "template", (int64_t)match_template_of(j, i) + 1);
  if (j->partner)
    emit_bool(e, "true", j->partner[i] >= 0);
  emit_object_end(e);
}

static void emit_shape(emit *e, const char *key, hed_shape s)
{
  emit_array(e, key);
  for (int i = 0; i < s.ndim; i++)
    emit_int(e, NULL, s.dim[i]);
  emit_array_end(e);
}

static void emit_run(emit *e, const match_job *j)
{
  emit_string(e, "score", j->score ? j->score : "FLC");
  emit_number(e, "angular_step", j->step);
  emit_string(e, "symmetry", j->symmetry ? j->symmetry : "C1");
  emit_string(e, "sampling", j->healpix ? "healpix" : "spiral");
  emit_int(e, "rotations", (int64_t)j->n_rotations);
  emit_shape(e, "target_shape", hed_array_shape(j->target.data));
  emit_shape(e, "template_shape", hed_array_shape(j->tmpl.data));
  emit_shape(e, "transform_shape", j->result.transform);
  emit_number(e, "setup_seconds", j->result.setup_seconds);
  emit_number(e, "seconds", j->result.seconds);
  emit_number(e, "rotations_per_second", rate(j));
  emit_number(e, "mean", j->result.mean);
  emit_number(e, "sigma", j->result.sigma);
  emit_number(e, "sigma_robust", j->result.sigma_robust);
  emit_number(e, "kurtosis", j->result.kurtosis);
  emit_number(e, "cutoff", j->result.cutoff);
  emit_number(e, "false_positives", j->result.n_false_positives);
  emit_bool(e, "background_corrected", j->background);
  emit_number(e, "lowest", j->result.lowest);
  emit_int(e, "scores", (int64_t)j->result.n_scores);
  emit_int(e, "clipped_voxels", (int64_t)j->result.n_clipped);
  emit_int(e, "void_voxels", (int64_t)j->result.n_void);
  emit_string(e, "faces", filters_faces(&j->filters));
  emit_string(e, "voids", j->filters.voids == HED_VOIDS_KEEP ? "keep" : "find");
  emit_int(e, "flat_windows", (int64_t)j->result.n_flat);
  emit_bool(e, "whitened", j->filters.whitened);
  emit_number(e, "colour", j->filters.colour);
  emit_shape(e, "parts", j->result.parts);
  emit_int(e, "memory_bytes", (int64_t)j->result.memory);
  emit_number(e, "searched", j->result.searched);
  emit_string(e, "seeds", j->seeds_path);
  emit_string(e, "strategy", j->strategy == MATCH_COARSE ? "coarse" : "full");
  if (j->chosen) {
    emit_object(e, "estimated_seconds");
    emit_number(e, "full", j->full_seconds);
    emit_number(e, "coarse", j->coarse_seconds);
    emit_object_end(e);
  }
  if (j->strategy == MATCH_COARSE)
    match_staged_emit(j, e);
  emit_int(e, "ranks", j->mpi ? j->result.n_workers : 1);
  emit_array(e, "workers");
  for (int i = 0; i < j->result.n_workers; i++) {
    const hed_match_worker *w = &j->result.worker[i];
    emit_object(e, NULL);
    emit_string(e, "spec", w->spec);
    emit_string(e, "backend", w->backend);
    emit_int(e, "threads", w->threads);
    emit_int(e, "rotations", (int64_t)w->rotations);
    emit_number(e, "share", w->share);
    emit_number(e, "seconds", w->seconds);
    emit_string(e, "failure", *w->failure ? w->failure : NULL);
    emit_object_end(e);
  }
  emit_array_end(e);
}

/* Numbers as peaks and the map have them, from 1. */
static void emit_templates(emit *e, const match_job *j)
{
  emit_array(e, "templates");
  for (size_t t = 0; t <= j->n_more; t++) {
    emit_object(e, NULL);
    emit_int(e, "number", (int64_t)t + 1);
    emit_string(e, "file", match_template_name(j, t));
    emit_number(e, "mean", j->account[t].mean);
    emit_number(e, "sigma_robust", j->account[t].sigma);
    emit_number(e, "cutoff", j->account[t].cutoff);
    emit_int(e, "peaks", (int64_t)peaks_of(j, t));
    emit_object_end(e);
  }
  emit_array_end(e);
}

/* What a later run of the list asks for. */
static void emit_settings(emit *e, const match_job *j)
{
  char text[4096], room[64];
  const hed_table_frame frame = tool_frame(&j->target, j->target_path, j->tomogram, room);
  match_list_settings(j, text, sizeof text);
  emit_string(e, "settings", text);
  emit_array(e, "voxel");
  for (int i = 0; i < 3; i++)
    emit_number(e, NULL, frame.voxel[i]);
  emit_array_end(e);
  emit_array(e, "origin");
  for (int i = 0; i < 3; i++)
    emit_number(e, NULL, frame.origin[i]);
  emit_array_end(e);
  emit_shape(e, "extent", HED_SHAPE(frame.extent[0], frame.extent[1], frame.extent[2]));
}

static void emit_point(emit *e, const char *key, match_roc_point p)
{
  emit_object(e, key);
  emit_number(e, "score", p.score);
  emit_number(e, "recall", p.recall);
  emit_number(e, "wrong", p.wrong);
  emit_number(e, "precision", p.precision);
  emit_object_end(e);
}

/* Null where it could not be estimated. */
static void emit_roc(emit *e, const match_job *j)
{
  const match_roc *r = &j->roc;
  if (!r->known) {
    emit_json(e, "estimate", "null");
    return;
  }
  emit_object(e, "estimate");
  emit_int(e, "peaks", (int64_t)r->n);
  emit_number(e, "particles", r->particles);
  emit_number(e, "mean", r->mean);
  emit_number(e, "deviation", r->deviation);
  emit_point(e, "cut", match_roc_at(r, j->threshold));
  emit_point(e, "best", match_roc_at(r, r->best));
  emit_array(e, "curve");
  for (int i = -8; i <= 8; i++)
    emit_point(e, NULL, match_roc_at(r, r->mean + r->deviation * i / 4));
  emit_array_end(e);
  emit_object_end(e);
}

static emit document(const match_job *j, const outputs *o)
{
  static const char *const names[OUT_COUNT] = { "scores", "rotations", "list", "peaks", "summary", "picture", "histogram",
       "directions" };
  emit e = { 0 };
  emit_object(&e, NULL);
  emit_string(&e, "schema", "heddle.match/2");
  emit_string(&e, "version", hed_version());
  emit_string(&e, "target", j->target_path);
  emit_string(&e, "template", j->template_path);
  emit_string(&e, "mask", j->mask_path);
  if (j->list)
    emit_settings(&e, j);
  emit_run(&e, j);
  emit_number(&e, "min_score", j->threshold);
  emit_number(&e, "min_distance", j->distance);
  emit_roc(&e, j);
  if (j->templates)
    emit_templates(&e, j);
  emit_array(&e, "peaks");
  for (size_t i = 0; i < j->found.n; i++)
    emit_row(&e, j, i);
  emit_array_end(&e);
  if (j->truth_path) {
    const hed_match_quality *q = &j->quality;
    emit_object(&e, "truth");
    emit_string(&e, "file", j->truth_path);
    emit_int(&e, "particles", (int64_t)q->truth);
    emit_int(&e, "hits", (int64_t)q->hits);
    emit_number(&e, "recall", q->recall);
    emit_number(&e, "precision", q->precision);
    emit_number(&e, "position_error_mean", q->position_mean);
    emit_number(&e, "position_error_max", q->position_max);
    emit_number(&e, "angular_error_mean", q->angle_mean);
    emit_number(&e, "angular_error_max", q->angle_max);
    emit_object_end(&e);
  }
  emit_object(&e, "files");
  for (int i = 0; i < j->n_fixed; i++)
    emit_string(&e, names[i], o->final[i]);
  for (int f = 0, i = j->n_fixed; hed_table_format_name(f); f++)
    if (j->formats >> f & 1)
      emit_string(&e, hed_table_format_name(f), o->final[i++]);
  if (j->templates)
    emit_string(&e, "templates", o->final[templates_at(j, o)]);
  if (j->report_path)
    emit_string(&e, "report", o->final[j->report_at]);
  emit_object_end(&e);
  if (j->n_fixed > OUT_PICTURE)
    emit_int(&e, "slice", j->slice);
  emit_object_end(&e);
  return e;
}

static hed_status write_summary(const match_job *j, outputs *o)
{
  emit e = document(j, o);
  if (j->report_path) {
    char *summary = emit_end(&e) ? strndup(e.text, e.n) : NULL;
    const hed_status status = summary ? match_html_write(j, outputs_name(o, j->report_at), summary)
                                      : hed_fail(HED_E_NOMEM, "no memory for the report");
    free(summary);
    emit_drop(&e);
    if (status != HED_OK)
      return status;
    e = document(j, o);
  }
  return outputs_emit(o, OUT_SUMMARY, &e);
}

int match_report(const match_job *j, const outputs *o)
{
  if (j->json) {
    emit e = document(j, o);
    return tool_emit(&e);
  }
  print_text(j, o);
  return 0;
}
