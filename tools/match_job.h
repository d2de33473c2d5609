// SPDX-License-Identifier: BSD-3-Clause
/*
 * match_job.h: what `heddle match` was asked for and what came out, between cmd_match.c and match_report.c.
 *
 * Layer: L5.
 */
#ifndef HEDDLE_TOOLS_MATCH_JOB_H
#define HEDDLE_TOOLS_MATCH_JOB_H
#include "tool.h"

/* Output files in the order in which they are announced; the picture, last, only where this build can write one. */
enum { OUT_SCORES, OUT_ROTATIONS, OUT_LIST, OUT_PEAKS, OUT_PICTURE, OUT_COUNT };

typedef enum whiten_when { WHITEN_AUTO, WHITEN_ON, WHITEN_OFF } whiten_when;

enum { MATCH_SHARES = 10000 };

typedef struct match_job {
  const char *target_path, *template_path, *mask_path, *target_mask_path, *truth_path, *tilts_path, *prefix, *score, *symmetry;
  char workers[128];
  double step, voxel, template_voxel, resolution, min_distance, min_score, false_positives, clip, low_pass, high_pass;
  double tilt_low, tilt_high;
  hed_tilts tilts;
  int weighting, ctf;   /* hed_weighting and hed_ctf */
  whiten_when whiten;
  long long spline_order, peaks;
  size_t memory;        /* limit, 0: none */
  double checkpoint_seconds;
  size_t share, shares, n_shares_given;
  const char *shares_given[MATCH_SHARES];
  bool no_checkpoint, resume, merge, healpix;
  char *checkpoint;     /* PREFIX.hck; NULL: none */
  bool min_score_given, tilts_given, nan_mean, volume, pad, resample, invert, json, force, quiet;

  hed_map target, tmpl, mask, target_mask;
  hed_array *profile;   /* that flattens the target's spectrum    */
  double colour;        /* of that spectrum; 0: not looked at     */
  bool whitened, filters_target, filters_template;
  hed_match_filter target_filter, template_filter;
  hed_table truth, found;
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

/* Everything is read before anything long begins, so that bad input is reported first. */
hed_status match_read_inputs(match_job *j);
hed_status match_make_filters(match_job *j);
/* Writes the announced files under their temporary names. */
hed_status match_write(match_job *j, outputs *o);
/* Prints the summary, as text or JSON. */
int match_report(const match_job *j, const outputs *o);

#endif
