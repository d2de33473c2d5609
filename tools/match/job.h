// SPDX-License-Identifier: BSD-3-Clause
/* What `heddle match` was asked for and what came out, between cmd_match.c and report.c.
 *
 * Layer: L5.
 */
#ifndef HEDDLE_TOOLS_MATCH_JOB_H
#define HEDDLE_TOOLS_MATCH_JOB_H
#include "tools/emit.h"
#include "filters.h"
#include "tools/progress.h"
#include "search.h"
#include <heddle/kits/staged.h>

/* Output files in the order in which they are announced; pictures only where this build can write them, then further tables. */
enum { OUT_SCORES, OUT_ROTATIONS, OUT_LIST, OUT_PEAKS, OUT_SUMMARY, OUT_PICTURE, OUT_HISTOGRAM, OUT_DIRECTIONS, OUT_COUNT };
/* Of a share: what merging needs. */
enum { SHARE_LIST, SHARE_COUNT };

enum { MATCH_MORE = 10000 };

typedef struct match_ranks match_ranks;
typedef struct match_list match_list;

/* What a search for one of several templates left. */
typedef struct match_account { double mean, sigma, cutoff; } match_account;

/* roc.c: peaks as a mixture of the background's and of particles, whose scores are normal. */
typedef struct match_roc {
  bool known;             /* what follows could be estimated */
  size_t n;               /* peaks that were looked at       */
  double share;           /* of these that are particles     */
  double particles;       /* in all                          */
  double mean, deviation; /* of their scores                 */
  double best;            /* cut where recall times precision is largest */
  struct tail *tail;
} match_roc;
/* Of a cut: how many of the particles score above it, how many of the background's peaks do, and which part of both are particles. */
typedef struct match_roc_point { double score, recall, wrong, precision; } match_roc_point;

typedef enum match_strategy { MATCH_FULL, MATCH_COARSE, MATCH_AUTO } match_strategy;

typedef struct match_job {
  const char *target_path, *template_path, *mask_path, *target_mask_path, *truth_path, *prefix, *score,
    *symmetry, *rotations_path, *tomogram, *seeds_path, *list_path, *only, *report_path, *command;
  char workers[128];
  double step, voxel, template_voxel, resolution, min_distance, min_score, false_positives, clip, diameter;
  filters filters;
  progress_kind progress;
  progress bar;
  int null_shape;       /* hed_null_shape */
  int strategy;         /* match_strategy; MATCH_AUTO until it is chosen */
  bool chosen;          /* it was, by the two times that the strategies are estimated to take; 0: not tried */
  double full_seconds, coarse_seconds;
  long long bin, candidates; /* of the coarse one; 0: as usual */
  double coarse_step;
  double dry_memory, dry_seconds; /* what --dry-run said */
  double *coarse;       /* rotations of its first stage */
  size_t n_coarse;
  hed_match_stages stages;
  int seeds_format;     /* hed_table_format */
  int formats;          /* bits of hed_table_format, of further tables */
  int n_fixed;          /* output files before these */
  int report_at;        /* which output file is the report */
  uint64_t background_seed;
  long long spline_order, peaks, at_once;
  size_t memory;        /* limit, 0: none */
  double checkpoint_seconds;
  size_t share, shares, n_more;
  const char *more[MATCH_MORE]; /* files behind TEMPLATE: shares (--merge), or templates */
  bool no_checkpoint, resume, merge, healpix, mpi, axis_given;
  double cone, axis[3], radius[3], offset[3]; /* of seeds, or of all rotations */
  int64_t region[3][2], sub_volumes[3];
  char *checkpoint;     /* PREFIX.hck; NULL: none */
  int pictures;             /* as outputs has it */
  bool min_score_given, nan_mean, volume, pad, resample, invert, json, force, background, dry_run, check, zxz, subvoxel;

  match_list *list; /* of which this is one tomogram; NULL: it is alone */
  size_t row;           /* there */
  double binning;       /* of the tomogram, 0: not known */
  int64_t unbinned[3];

  hed_map target, tmpl, mask, target_mask;
  hed_map *others;      /* templates behind the first, n_more of them; NULL: none */
  hed_array *templates; /* number of the best one everywhere, from 0, int32; NULL: there is one */
  match_account *account; /* of each template; NULL: there is one */
  hed_table truth, found, seed_table;
  hed_match_seeds seeds;
  match_ranks *ranks;   /* NULL: one process */
  double *matrices;
  size_t n_rotations;
  hed_match_result result;
  hed_match_quality quality;
  match_roc roc;
  int64_t *partner;     /* row of the truth for each peak, -1: none; NULL without a truth */
  double distance;      /* between peaks, voxels                                          */
  double threshold;     /* least score of a peak                                          */
  int64_t slice;        /* of the picture                                                 */
} match_job;

extern const struct argp match_argp;

/* Of a whitened search the lobes round a peak reach a quarter of it. */
#define MATCH_LOBES 0.35
/* The template's largest extent, up to which they do. */
double match_extent(const match_job *j);

/* PATH of template T. */
const char *match_template_name(const match_job *j, size_t t);
/* batch.c: the search, for one template or several, whose best is the result then; and the one that row I of the found ones
 * has. */
bool match_is_batch(const match_job *j);
hed_status match_search(match_job *j, const hed_match_options *opt, size_t n_rotations, const double *rotations,
                        hed_match_result *out);
size_t match_template_of(const match_job *j, size_t i);

/* staged.c: the search from coarse to fine, with SOME rotations alone (0: all): its table and stages; that as the job's result,
 * and what is said of it. */
hed_status match_staged_search(match_job *j, const hed_match_options *opt, size_t some);
hed_status match_staged_run(match_job *j, const hed_match_options *opt);
bool match_can_be_staged(const match_job *j);
void match_staged_describe(const match_job *j);
void match_staged_emit(const match_job *j, emit *e);

/* Peaks called as OPT says, but farther down; the estimate for a cut; that a peak of a score is a particle. */
hed_status match_roc_fit(match_job *j, hed_match_peak_options opt);
match_roc_point match_roc_at(const match_roc *r, double score);
double match_roc_probability(const match_roc *r, double score);

/* Everything is read before anything long begins, so that bad input is reported first. */
hed_status match_read_inputs(match_job *j);
/* The templates at the target's voxel size, the mask and the rotations. */
hed_status match_read_template(match_job *j);
/* list.c: many tomograms. The same from what the list keeps; one tomogram's progress; what a search was asked for, in words,
 * by which a later run knows its result. */
int match_list_run(match_job *j, int argc, char **argv);
hed_status match_list_template(match_job *j);
void match_list_progress(match_job *j, size_t done, size_t total);
void match_list_settings(const match_job *j, char *text, size_t room);
/* cmd_match.c: one tomogram from its inputs to its files; then what it holds is freed. */
int match_one(match_job *j, outputs *o);
void match_clear(match_job *j);
hed_status match_make_filters(match_job *j);
/* What hed_match_run() is asked for, without checkpoints, shares, and progress. */
hed_match_options match_options(match_job *j);
/* --mpi: joins the other processes; whether this one speaks; the largest of their exit statuses; their checkpoints; the search; and
 * the end, TOGETHER with the others. The functions that return an int give an exit status. */
int match_ranks_open(match_job *j);
bool match_ranks_first(const match_job *j);
int match_ranks_agree(const match_job *j, int code);
int match_ranks_files(match_job *j);
int match_ranks_run(match_job *j, hed_match_options *opt, hed_status *status);
void match_ranks_close(match_job *j, bool together);
/* --dry-run: how much memory and time it takes. --check: which of the four hands and contrasts of the template it is. */
int match_dry_run(match_job *j);
/* --strategy=auto: the one that takes less time, of some rotations of each, with the inputs read; an exit status. */
int match_choose_strategy(match_job *j);
int match_check(match_job *j);
/* "_peaks.star": what the name of a further table ends in. */
const char *match_table_ending(int format);
/* Writes the announced files under their temporary names. */
hed_status match_write(match_job *j, outputs *o);
/* The list that the indices count. */
hed_status match_write_list(const match_job *j, const char *path);
/* html.c: the page at PATH, with the summary's JSON. */
hed_status match_html_write(const match_job *j, const char *path, const char *summary);
/* list.c: a command, quoted for a shell, from malloc(); NULL: no memory. */
char *match_quoted(int argc, char **argv);
/* Prints the summary, as text or JSON. */
int match_report(const match_job *j, const outputs *o);

#endif
