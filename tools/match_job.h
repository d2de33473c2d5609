// SPDX-License-Identifier: BSD-3-Clause
/*
 * match_job.h: what `heddle match` was asked for and what came out, between cmd_match.c and match_report.c.
 *
 * Layer: L5.
 */
#ifndef HEDDLE_TOOLS_MATCH_JOB_H
#define HEDDLE_TOOLS_MATCH_JOB_H
#include "filters.h"
#include "progress.h"
#include "search.h"

/* Output files in the order in which they are announced; pictures only where this build can write them, then further tables. */
enum { OUT_SCORES, OUT_ROTATIONS, OUT_LIST, OUT_PEAKS, OUT_SUMMARY, OUT_PICTURE, OUT_HISTOGRAM, OUT_DIRECTIONS, OUT_COUNT };
/* Of a share: what merging needs. */
enum { SHARE_LIST, SHARE_COUNT };

enum { MATCH_MORE = 10000 };

typedef struct match_ranks match_ranks;

/* What a search for one of several templates left. */
typedef struct match_account { double mean, sigma, cutoff; } match_account;

typedef struct match_job {
  const char *target_path, *template_path, *mask_path, *target_mask_path, *truth_path, *prefix, *score,
    *symmetry, *rotations_path, *tomogram, *seeds_path;
  char workers[128];
  double step, voxel, template_voxel, resolution, min_distance, min_score, false_positives, clip, diameter;
  filters filters;
  progress_kind progress;
  int null_shape;       /* hed_null_shape */
  int seeds_format;     /* hed_table_format */
  int formats;          /* bits of hed_table_format, of further tables */
  int n_fixed;          /* output files before these */
  uint64_t background_seed;
  long long spline_order, peaks;
  size_t memory;        /* limit, 0: none */
  double checkpoint_seconds;
  size_t share, shares, n_more;
  const char *more[MATCH_MORE]; /* files behind TEMPLATE: shares (--merge), or templates */
  bool no_checkpoint, resume, merge, healpix, mpi, axis_given;
  double cone, axis[3], radius[3], offset[3]; /* of seeds, or of all rotations */
  int64_t region[3][2];
  char *checkpoint;     /* PREFIX.hck; NULL: none */
  bool min_score_given, nan_mean, volume, pad, resample, invert, json, force, background, dry_run, check, zxz, subvoxel;

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
  int64_t *partner;     /* row of the truth for each peak, -1: none; NULL without a truth */
  double distance;      /* between peaks, voxels                                          */
  double threshold;     /* least score of a peak                                          */
  int64_t slice;        /* of the picture                                                 */
} match_job;

extern const struct argp match_argp;

/* PATH of template T. */
const char *match_template_name(const match_job *j, size_t t);
/* match_batch.c: the search, for one template or several, whose best is the result then; and the one that row I of the found ones
 * has. */
bool match_is_batch(const match_job *j);
hed_status match_search(match_job *j, const hed_match_options *opt, size_t n_rotations, const double *rotations,
                        hed_match_result *out);
size_t match_template_of(const match_job *j, size_t i);

/* Everything is read before anything long begins, so that bad input is reported first. */
hed_status match_read_inputs(match_job *j);
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
int match_check(match_job *j);
/* "_peaks.star": what the name of a further table ends in. */
const char *match_table_ending(int format);
/* Writes the announced files under their temporary names. */
hed_status match_write(match_job *j, outputs *o);
/* The list that the indices count. */
hed_status match_write_list(const match_job *j, const char *path);
/* Prints the summary, as text or JSON. */
int match_report(const match_job *j, const outputs *o);

#endif
