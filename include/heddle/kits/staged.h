// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/staged.h: template matching from coarse to fine.
 *
 * Layer: public header of the match kit; needs nothing but <heddle.h> and the kit's own headers.
 *
 * Four stages: the target and the template binned by two are searched at a coarse step; the best places of that are candidates; at
 * these and the voxels beside them every rotation of the list is scored in full resolution, as products of matrices; the best two
 * orientations of those that reach the cut-off are refined (refine.h). What is promised: every reported score is the score at that
 * place and rotation, and at a candidate's place no rotation of the list scores higher before refinement. A particle can be missed
 * only in the first stage; there is no guarantee that none is.
 *
 * Thread-safety: as match.h.
 */
#ifndef HEDDLE_KITS_STAGED_H
#define HEDDLE_KITS_STAGED_H
#include <heddle.h>
#include <heddle/kits/match.h>

HED_BEGIN_DECLS

/* All zero is the default. */
typedef struct hed_staged_options {
  int32_t bin;           /* 1 or 2 voxels of the target to one of the first stage, along each axis; 0: 2, or 1 where what the template
                            is searched for with loses more than a tenth of its energy by binning, or where a filter is GIVEN  */
  double coarse_step;    /* degrees between rotations of the first stage; 0: 20                                */
  const double *coarse;  /* N_COARSE rotations of the first stage instead, NULL: hed_rotations_sample() at that step */
  size_t n_coarse;
  size_t candidates;     /* at most; 0: 1000                                                                    */
  double min_distance;   /* voxels between two rows, at least; candidates have half of it; 0: half the template's largest extent */
  double min_score;      /* of a row before it is refined, when use_min_score; otherwise the cut-off              */
  bool use_min_score;
  bool unrefined;        /* leave the last stage out: places are voxels, rotations those of the list             */
  size_t evaluations;    /* of it, for an orientation; 0: 200                                                    */
  double voxel[3], origin[3]; /* of the target, angstrom, (z, y, x), for the rows' angstrom; a voxel of 0: 1   */
  double lobe_distance, lobe_fraction; /* of rows, as in hed_match_peak_options: within that many voxels of a better one a row has at
                            least that fraction of its score; 0: as its distance alone says                       */
} hed_staged_options;

/* What the stages did. All zero is an empty one; hed_match_stages_clear() releases what it owns. */
typedef struct hed_match_stages {
  int32_t bin;           /* that was taken                                                                       */
  double loss;           /* share of the energy of the template behind its filter, in its mask, at frequencies that binning takes;
                            0: not looked at                                                                      */
  size_t n_coarse;       /* rotations of the first stage                                                         */
  size_t candidates, dropped; /* that were looked at; that were not, as there were more than the most            */
  double coarse_cutoff;  /* least score of a candidate                                                           */
  double seconds[4];     /* of the stages: coarse, background, places, refinement                                */
  size_t scores;         /* that refinement took                                                                 */
  size_t memory;         /* bytes that all of it needs at its largest, beside the caller's arrays                 */
  hed_match_result coarse; /* of the first stage: over the binned target                                         */
  /* Of the full resolution, without scores and rotations: of at most 32 rotations evenly from the list, whose scores the background's
   * moments are of; n_scores, the cut-off and n_false_positives are those of the equivalent search with all of them. */
  hed_match_result background;
} hed_match_stages;

/* hed_match_run()'s search from coarse to fine: *OUT has a row for each particle, best first; STAGES (NULL: not wanted) says how it
 * came about. Scores are FLC and FLCSphericalMask (match.h); a row that was refined has that of its place between voxels. OPT is as
 * for hed_match_run(), its workers search, all else runs in the caller's context; progress counts thousandths of it. Checkpoints
 * are of each stage: CHECKPOINT.coarse, CHECKPOINT.background and CHECKPOINT.places, which has refined rows, too; a resumed run goes
 * on from them. They are removed when all is done. *OUT is filled on success, hed_table_clear() frees it.
 * Errors: those of hed_match_run() and hed_match_refine(); HED_E_INVAL: another score, seeds, shares, a counter, an analyzer,
 * background correction or sub-volumes in OPT; bin, coarse_step, min_distance. */
HED_API hed_status hed_match_staged(const hed_match_options *opt, const hed_staged_options *how, const hed_array *target,
                                    const hed_array *tmpl, const hed_array *mask, size_t n_rotations, const double *rotations,
                                    hed_table *out, hed_match_stages *stages);

/* Release what S owns and set it to all zero. NULL is fine. */
HED_API void hed_match_stages_clear(hed_match_stages *s);

HED_END_DECLS

#endif
