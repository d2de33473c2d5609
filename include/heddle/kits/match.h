// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/match.h: exhaustive template matching over rotations.
 *
 * Layer: public header of the match kit; needs nothing but <heddle.h> and the kit's own headers.
 *
 * A target (a tomogram, an image) is searched for a template: for every rotation of a list the template is
 * rotated, normalised inside its mask and correlated with the target by real Fourier transforms; each voxel
 * keeps the best score and the rotation that gave it. A pool of worker threads shares the rotations; each
 * worker holds a backend context of its own.
 *
 * Conventions
 * - Targets are 3-D (z, y, x) or 2-D (y, x), of any real dtype; the work is done in float32. Rotation matrices
 *   are row-major ndim x ndim in array axis order (rotation.h).
 * - A position is where the template's centre voxel, index n / 2 (integer division) along each axis of extent n,
 *   comes to lie in the target: a template pasted with that voxel at p gives a peak at p. Rotations turn about
 *   the geometric centre (n - 1) / 2, which is half a voxel before it where n is even.
 * - Correlation is circular over the transform's extents (the target's, rounded up to good sizes and filled with
 *   the target's mean for the FLC scores, with zero for the others); with pad it is not, and the template may be larger than the
 *   target: what reaches beyond it meets that mean, or zero.
 *
 * Scores, for target f, template g, mask m, n = sum m, rotated ones g_R and m_R, CC the cross-correlation
 *   CC                 CC(f, g_R)
 *   LCC                CC(L f, (L g)_R), L the Laplacian (5 or 7 points, edges reflected)
 *   CORR               (CC(f, (g m)_R) - W gbar) / sqrt((CC(f^2, m) - W^2 / V) SSD), W = CC(f, m),
 *                      gbar = sum(g m) / n, SSD = sum((g - gbar)^2 m), V = number of voxels of the template
 *   CAM                FLCSphericalMask of the template less its mean over its deviation, over all of its voxels
 *   NCC                CC(f, g') / sqrt(V), f and g' = g_R of mean 0 and deviation 1 over all voxels: on a random target the
 *                      scores have deviation 1
 *   FLCSphericalMask   CC(f, g') / (n sigma), g' = (g_R - mean) / std inside m, times m; sigma the local standard
 *                      deviation of f under m. The mask is not rotated: it should be a sphere about the centre
 *   FLC                the same with m_R for m, which is interpolated linearly whatever the template's spline is
 *   MCC                over the target mask t (1 when there is none) and what lies inside the target: O = CC(t, m_R),
 *                      (CC(f t, g') - CC(f t, m_R) CC(t, g') / O) / sqrt(d1 d2), d1 = CC(f^2 t, m_R) - CC(f t, m_R)^2 / O,
 *                      d2 = CC(t, g'^2) - CC(t, g')^2 / O; 0 where the root is below 1e-5 of its largest, or O below the
 *                      option overlap of its largest (D. Padfield, IEEE Trans. Image Proc. 21 (2012) 2706-2718)
 * The FLC scores, CAM and MCC lie in [-1, 1]. Where the local deviation is below HED_MATCH_FLAT of its median over the target (windows
 * without any left out) the window counts as flat, scores 0 and takes no part in statistics. Formulas: A. M. Roseman,
 * Ultramicroscopy 94 (2003) 225-236 (FLC); V. J. Maurer, M. Siggel, J. Kosinski, SoftwareX 25 (2024) 101636 (the set of
 * scores).
 *
 * Thread-safety: all functions may run in several threads at once on different results.
 */
#ifndef HEDDLE_KITS_MATCH_H
#define HEDDLE_KITS_MATCH_H
#include <heddle.h>
#include <heddle/kits/filter.h>
#include <heddle/kits/model.h>
#include <heddle/kits/table.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HED_MATCH_FLAT 3e-3

/* ---- matching ---- */

/* Where particles may be, and their orientation, when something is known of it: a score counts where some seed is near and the
 * rotation's axis within that seed's cone. All zero but the table is the default. */
typedef struct hed_match_seeds {
  const hed_table *table; /* places, in voxels, and Euler angles (of images phi alone)                                */
  double radius[3];    /* voxels, half axes of an ellipsoid along the seed's own x, y and z; 0: the first; all 0: half the
                          template's least extent                                                                     */
  double cone;         /* degrees between the z axes of seed and particle (images: between their x axes); 0: any        */
  double offset[3];    /* voxels along the seed's own x, y and z, from its place to where particles are looked for      */
} hed_match_seeds;

/* A caller's own view of the scores of every rotation, by pools of workers. What workers have is merged under a lock, in any order:
 * results should not depend on it. The search is slower: each rotation's scores are brought to the host. */
typedef struct hed_match_analyzer {
  void *arg;
  void *(*open)(void *arg);  /* a worker's state; NULL fails the worker                                            */
  /* Scores (float32, host memory, valid during the call) of ROTATION, in the worker's thread and context. Of a target that is
   * matched in parts, or in a region, they begin at voxel BEGIN, an entry per axis. -INFINITY: does not count (target mask, seeds). */
  hed_status (*take)(void *state, size_t rotation, const hed_array *scores, const int64_t *begin);
  hed_status (*merge)(void *arg, void *state); /* adds STATE to what ARG has, and makes it empty; under a lock        */
  void (*close)(void *state);
} hed_match_analyzer;

/* Numbers that several processes take rotations by, all with the same search: *OUT is 0, 1, 2, ... of counter NUMBER (one of each
 * part of the target, and as many more with a background), each to one caller alone. Called under a lock, by any thread. */
typedef struct hed_match_counter {
  hed_status (*next)(void *arg, size_t number, uint64_t *out);
  void *arg;
  size_t block;        /* rotations that a number stands for, the same in all processes; 0: 1                       */
} hed_match_counter;

/* Shape of the distribution of the background's scores. */
typedef enum hed_null_shape {
  HED_NULL_MEASURED, /* of the kurtosis that the scores have: hed_match_cutoff_shaped() */
  HED_NULL_NORMAL
} hed_null_shape;

/* All zero is the default. */
typedef struct hed_match_options {
  const char *score;   /* a name from hed_match_score_name(), in any case; NULL: "FLC"                          */
  const char *workers; /* specs separated by commas, each with an optional *COUNT: "cpu*2,reference"; a spec is
                          what hed_backend_context_push() takes. A worker of several runs on one thread unless its
                          spec says threads=N. NULL: one worker in the caller's context                          */
  int32_t spline;      /* hed_spline: how the template is interpolated; 0: cubic                                 */
  bool pad;            /* transform over target + template - 1: what leaves one side does not come in at the other */
  double threshold;    /* scores that do not exceed it are not recorded; -INFINITY: all are                       */
  size_t memory_limit; /* bytes that a run may need; 0: any. Larger targets are matched in parts, and so are those that
                          need more than a memory limit of the caller's context leaves                           */
  const int *cancel;   /* read atomically between rotations by every worker, may be set in a signal handler;
                          nonzero stops the run with HED_E_CANCELLED. NULL: never                                */
  /* Called on the thread that called hed_match_run(), about ten times a second and once at the end of a run that
   * completes; nonzero stops the run with HED_E_CANCELLED. NULL: not called. */
  int (*progress)(void *arg, size_t done, size_t total); /* rotations, those of all parts */
  void *progress_arg;
  const hed_array *target_mask; /* of the target's shape, NULL: 1 everywhere. Positions where it is not above 0 are neither
                                   recorded nor counted; with MCC they are, and voxels take part by its values       */
  double overlap;      /* MCC: least overlap of template and target mask, of the largest; 0: 0.3                     */
  bool invert;         /* the target's contrast is the other way round than the template's                          */
  double clip;         /* values of the target farther from its median than this many deviations (1.4826 times the median
                          distance from it, those of 0 left out) are set to that bound, single voxels 12 from it, with
                          neighbours a third as far at most, to these neighbours' mean; 0: 50, INFINITY: none        */
  /* Filters (filter.h), NULL: none. That of the template acts on the turned one, over its box, before it is normalised; that of
   * the target once; faces says how. */
  const hed_match_filter *template_filter, *target_filter;
  double n_false_positives; /* how many scores of the background may exceed the result's cutoff; 0: 1                */
  /* A file that keeps how far the run has come: written every checkpoint_seconds (0: 300) and when the run is cancelled,
   * complete or not at all; removed when the run is done, unless it is one of several shares. NULL: none. */
  const char *checkpoint;
  double checkpoint_seconds;
  bool resume;         /* go on from that file; one of another search is refused, by what differs                    */
  size_t share, shares; /* do rotations share, share + shares, ... alone; 0 shares: all. hed_match_merge() of the checkpoints
                          of all shares gives the result of a whole run                                              */
  /* Take out of the scores what the background scores in the same place: score - (max(0, b) - its mean over the target), b the best
   * score of a background template, which is searched for first (hed_match_correct()). For CC, LCC, NCC and the FLC scores; the
   * statistics stay those of the scores before. Its checkpoint is CHECKPOINT.background; shares are not corrected, but leave both. */
  bool correct_background;
  const hed_array *background; /* that template, of the template's shape; NULL: hed_match_background(template, background_seed) */
  uint64_t background_seed;
  /* Positions that are searched alone, [begin, end) along each axis of the target; all 0: all. Only the part of the target that
   * templates there cover is transformed. What lies outside is neither recorded nor counted, and what is flat is judged within. A
   * target mask has the same effect for what lies outside of the box round it, but for MCC. */
  int64_t region[3][2];
  const hed_match_seeds *seeds;       /* NULL: particles may be anywhere. Rotations that no seed admits are left out       */
  const hed_match_analyzer *analyzer; /* NULL: none. Not with checkpoints, which do not have its state                    */
  /* Rotations are taken by a counter that several processes share, NULL: all are this one's. The checkpoint, which is then written at
   * once, has what this process did; hed_match_merge() of all of them gives the result. What the checkpoints OTHERS (those that
   * are there) have done is left out. */
  const hed_match_counter *counter;
  const char *const *others;
  size_t n_others;
  /* Where the target has a filter: hed_faces, how it goes on beyond the faces (one with GIVEN, whose shape says the extents, wraps),
   * and hed_voids, whether padding is looked for. Positions in padding are neither scored nor counted, mean, deviation and clipping
   * are those of the rest. */
  int32_t faces, voids;
  int32_t null_shape;  /* hed_null_shape: what the cut-off takes the background's scores for                         */
  /* Sub-volumes along each axis, 0: one. The positions that are searched are divided into as many parts at least, and in each the
   * template filter's offset is moved by where its middle lies from the target's, in the filter's voxels: contrast transfer with the
   * defocus of that place. Needs a template filter of single tilts with contrast transfer. */
  int64_t sub_volumes[3];
} hed_match_options;

typedef struct hed_match_worker {
  char spec[96];    /* as asked for                                  */
  char backend[64]; /* canonical name of the context it ran in        */
  int threads;      /* its ceiling of threads; 0: none of its own     */
  size_t rotations; /* how many it did, in all parts                  */
  double share;     /* of all rotations, 0..1                         */
  double seconds;   /* from its start to its end, allocation included */
  char failure[160]; /* "": none; the others have done what it had not handed on */
} hed_match_worker;

/* All zero is an empty one; hed_match_result_clear() releases what it owns. */
typedef struct hed_match_result {
  hed_array *scores;    /* float32, the target's shape, in host memory: best score, or the threshold (0 where that
                           is -INFINITY) where no rotation exceeded it                                           */
  hed_array *rotations; /* int32, the same shape: index of the rotation that gave it, the lowest of equals; -1: none */
  size_t n_rotations;
  hed_shape transform;  /* extents that were transformed, of a part  */
  size_t memory;        /* bytes a run needs at its largest          */
  double seconds;       /* wall time of the pool                     */
  double setup_seconds; /* wall time before it, of all parts         */
  int n_workers;
  hed_match_worker *worker;
  hed_shape parts;      /* how often each axis was divided           */
  uint64_t n_clipped;   /* voxels of the target that were clipped, or stood alone */
  uint64_t n_flat;      /* positions whose window is flat, under the mask as given; 0 for CC */
  double searched;      /* share of the target's positions in the region that was searched, 0..1  */
  /* All scores, of every rotation, at positions that count: their number, and moments from rotations evenly spread, as many as give
   * 2^24 scores, and 16 at least. */
  uint64_t n_scores;
  double mean, sigma;   /* mean and standard deviation               */
  double sigma_robust;  /* square root of the median over blocks of 8 voxels along each axis of the mean square within, taken
                           from the median of their means: particles do not widen it */
  double lowest;        /* the least score that was looked at          */
  double cutoff;        /* that median plus hed_match_cutoff_shaped() of sigma_robust and kurtosis */
  double n_false_positives; /* how many scores of the background are expected above it */
  double kurtosis;      /* fourth moment over the square of the second, of scores in blocks without a best score beyond 6
                           sigma_robust in them or beside them; 3 where fewer than 32 blocks are left, their mean is more than 3
                           deviations from 0, or the null is normal */
  uint64_t n_void;      /* voxels of the target that are padding; 0 where it was not looked for */
  double flat;          /* deviation of a window, of that of the target behind its filter, up to which it counts as flat; 0: not known,
                           or another score than FLC, FLCSphericalMask and CAM                   */
} hed_match_result;

/* Name of score I, NULL when I is not below the number of scores. */
HED_API const char *hed_match_score_name(int i);

/* Whether a list of WORKERS is well formed; what it names need not be there. Errors: HED_E_INVAL, its sentence beginning with
 * "hed_match_run: workers". */
HED_API hed_status hed_match_workers_check(const char *workers);

/* Bytes a run needs at its largest, its results included, an upper bound: for what is computed once before, which depends on
 * the score, or for what workers share plus what each of N_WORKERS holds, whichever is more. It counts what hed_memory_query()
 * counts beside the caller's own arrays, for targets that have to be converted to float32 and workers of the calling thread's
 * backend, which is asked what a correlation takes (hed_max_correlation_workspace). One worker alone is taken to run on as
 * many threads as the calling thread's context has. 0 when the score is not known or the shapes do not fit (error set). */
HED_API size_t hed_match_memory(const char *score, hed_shape target, hed_shape tmpl, bool pad, int n_workers);

/* Score the template TMPL in N_ROTATIONS >= 1 orientations everywhere in TARGET. MASK (values >= 0, the template's
 * shape) may be NULL: then it is 1 everywhere for CC, LCC, NCC and CORR, and the inscribed sphere for the others. CC,
 * LCC and NCC do not use it.
 * The result does not depend on the number of workers, nor, beyond rounding, on which backend did which rotation, nor on
 * the number of parts: along divided axes they overlap by the template's extent, and deviations count as flat against the
 * whole target's. Each part does all rotations. Workers whose threads cannot be made do none; without any thread, the calling
 * one is the first worker, and asks PROGRESS after each rotation.
 * *OUT is filled on success and all zero on failure.
 * Errors: HED_E_INVAL (NULL; values not finite; empty mask; a template without variance inside it; matrices that
 * are no rotations; unknown score; malformed workers), HED_E_SHAPE (not 2-D or 3-D; template larger than target without pad;
 * mask of another shape), HED_E_DTYPE (complex), HED_E_LIMIT (no part is small enough for the limit), HED_E_CANCELLED,
 * HED_E_IO and HED_E_FORMAT of checkpoints, and, where all workers failed, what the first of them met, its sentence with the
 * worker's name in front. Where some failed (a device that is lost, memory that is out) the others have done their rotations. What
 * all share is prepared by the first that is not the reference backend; where that fails, the next one does it, from the beginning,
 * unless a checkpoint or an analyzer has had rotations. */
HED_API hed_status hed_match_run(const hed_match_options *opt, const hed_array *target, const hed_array *tmpl,
                                 const hed_array *mask, size_t n_rotations, const double *rotations,
                                 hed_match_result *out);

/* The same of N templates of one shape, with one mask: what is computed of the target is computed once (CORR: each time), and its
 * parts are gone through once. OUT has N results. Errors: as above; HED_E_INVAL with checkpoints, shares, counters, an analyzer and
 * background correction. */
HED_API hed_status hed_match_run_batch(const hed_match_options *opt, const hed_array *target, size_t n, const hed_array *const *tmpl,
                                       const hed_array *mask, size_t n_rotations, const double *rotations, hed_match_result *out);

/* The better of N results everywhere, of equals the first: scores and rotations into *SCORES and *ROTATIONS, and which it was, -1 for
 * none, into *TEMPLATES (int32); host memory, the caller's. NULL: not wanted. Errors: HED_E_INVAL, HED_E_SHAPE, HED_E_NOMEM. */
HED_API hed_status hed_match_best(size_t n, const hed_match_result *results, hed_array **scores, hed_array **rotations,
                                  hed_array **templates);

/* The score that N_FALSE_POSITIVES of N_SCORES normal ones of mean 0 and deviation SIGMA exceed:
 *   sigma sqrt(2) erfc^-1(2 n_false_positives / n_scores)
 * (J. P. Rickgauer, N. Grigorieff, W. Denk, eLife 6 (2017) e25648). 0 where there is none: sigma or n_false_positives not
 * above 0, or half the scores expected above it. */
HED_API double hed_match_cutoff(double sigma, double n_scores, double n_false_positives);

/* The same of scores whose distribution has that KURTOSIS: below 2.999 that of a correlation of n = 6 / (3 - kurtosis) - 1 independent
 * values (4.5 at least), scaled to SIGMA; else, and where more than 4 % of the scores are expected above, hed_match_cutoff(): above 3
 * deviations differ from place to place, and the tail of all of them together is that of none. */
HED_API double hed_match_cutoff_shaped(double sigma, double kurtosis, double n_scores, double n_false_positives);

/* A template of TMPL's spectrum, but for phases, which are those of normal random numbers; frequency 0 stays. The same seed gives
 * the same bits on every backend. Errors (NULL): HED_E_INVAL, HED_E_DTYPE, HED_E_NOMEM. */
HED_NEW hed_array *hed_match_background(const hed_array *tmpl, uint64_t seed);

/* R's scores less what BACKGROUND's exceed their mean by, as option correct_background says, where both have one. Errors:
 * HED_E_INVAL (NULL, empty), HED_E_SHAPE. */
HED_API hed_status hed_match_correct(hed_match_result *r, const hed_match_result *background);

/* The result of N shares from their checkpoints: scores, rotations and statistics as of one run; nothing is known of workers and
 * times. Errors: HED_E_IO, HED_E_FORMAT (no checkpoint, damaged), HED_E_INVAL (of different searches, naming what differs; a
 * share that is missing, not complete or given twice, by its number), HED_E_NOMEM. *OUT is all zero on failure. */
HED_API hed_status hed_match_merge(size_t n, const char *const *paths, hed_match_result *out);

/* What a checkpoint has. */
typedef struct hed_match_checkpoint {
  size_t n_rotations, n_parts, done; /* DONE of n_rotations n_parts                            */
  size_t share, shares;
  bool finished;   /* what is done is in its final form: it can be merged                     */
  bool ended;      /* the run that wrote it has ended, or was cancelled; false: it runs, or was lost  */
} hed_match_checkpoint;
/* Errors: HED_E_INVAL (NULL), HED_E_IO, HED_E_FORMAT, HED_E_NOMEM. */
HED_API hed_status hed_match_checkpoint_read(const char *path, hed_match_checkpoint *out);

/* The same of the shares that are there and complete: *MISSING (NULL: not wanted) says how many rotations are not, those of each part
 * counted. */
HED_API hed_status hed_match_merge_partial(size_t n, const char *const *paths, hed_match_result *out, size_t *missing);

/* Release what R owns and set it to all zero. NULL is fine. */
HED_API void hed_match_result_clear(hed_match_result *r);

/* float32 array of SHAPE (2-D or 3-D): 1 within RADIUS voxels of (n - 1) / 2, 0 beyond; RADIUS 0: half the smallest
 * extent. Errors (NULL): HED_E_SHAPE, HED_E_INVAL (RADIUS below 0 or not finite), HED_E_NOMEM. */
HED_NEW hed_array *hed_match_sphere(hed_shape shape, double radius);

/* ---- peaks ---- */

/* Which voxels may be peaks. All but SORT and CLUSTER then keep min_distance (Euclidean) from all better ones. */
typedef enum hed_peak_caller {
  HED_PEAKS_MAXIMUM,   /* local maxima, of a box of min_distance voxels, at least 3                               */
  HED_PEAKS_SORT,      /* all: the num_peaks highest                                                              */
  HED_PEAKS_TILES,     /* the highest of each tile of min_distance voxels, where none within as many is higher     */
  HED_PEAKS_RECURSIVE, /* all: particles that touch are found, too; with tmpl_mask what that covers, turned as at a better peak,
                          is struck out instead of a ball                                                         */
  HED_PEAKS_BOX,       /* maxima of a box of 2 min_distance + 1 voxels                                            */
  HED_PEAKS_CLUSTER    /* the best of each cluster (DBSCAN) of voxels that score min_score: voxels with min_samples others within
                          min_distance, and what is as near to these                                              */
} hed_peak_caller;

/* All zero is the default. */
typedef struct hed_match_peak_options {
  size_t num_peaks;     /* at most; 0: 1000                                                  */
  double min_distance;  /* voxels between two peaks, at least; 0: 1                          */
  double min_score;     /* peaks score at least this much, when use_min_score                */
  bool use_min_score;
  double border;        /* voxels between a peak and the faces of the volume, at least       */
  /* A correlation falls off in lobes round its peak, in proportion to it: nearer than lobe_distance voxels to a better peak
   * this one must score at least lobe_fraction of that. Either 0: no such rule. */
  double lobe_distance, lobe_fraction;
  bool wraps;           /* distances go round the faces, as circular correlation does        */
  int32_t caller;       /* hed_peak_caller                                                   */
  double max_score;     /* peaks score at most this much; 0: any                             */
  const hed_array *mask; /* of the scores' shape: peaks are where it is above 0; NULL: everywhere */
  bool subvoxel;        /* offsets are those of a parabola through the neighbours, along each axis */
  bool tophat;          /* only voxels whose white top-hat (they and their neighbours along the axes) stands out: one in all of
                           the background is expected to                                     */
  size_t min_samples;   /* of a cluster's inner voxels, themselves included; 0: 4            */
  const hed_array *tmpl_mask; /* for HED_PEAKS_RECURSIVE: the template's, with the rotations that were matched, ndim x ndim each */
  const double *matrices;
  size_t n_matrices;
} hed_match_peak_options;

typedef struct hed_match_peak {
  int64_t position[3]; /* (z, y, x), z = 0 for images */
  double score;
  int32_t rotation;    /* index, never -1             */
  double offset[3];    /* voxels from there to the peak, -0.5..0.5; 0 without subvoxel */
} hed_match_peak;

/* Peaks of SCORES where ROTATIONS is not -1, best first (equals in C order), each at least min_distance
 * (Euclidean) from all better ones. *PEAKS from malloc(), free() releases it; no peaks: NULL and 0.
 * Errors: HED_E_INVAL, HED_E_SHAPE, HED_E_NOMEM. */
HED_API hed_status hed_match_peaks(const hed_array *scores, const hed_array *rotations,
                                   const hed_match_peak_options *opt, hed_match_peak **peaks, size_t *n);

/* Peaks as a table: MATRICES are the rotations that were matched (NDIM x NDIM each); of an image's rotation phi is
 * the angle from x towards y. Voxel size and origin in angstrom, (z, y, x); a voxel size of 0 counts as 1. */
HED_API hed_status hed_match_table(size_t n, const hed_match_peak *peaks, int ndim, const double *matrices,
                                   size_t n_matrices, const double voxel[3], const double origin[3],
                                   hed_table *out);

/* ---- how good a table is ---- */

typedef struct hed_match_quality {
  size_t truth, found, hits;   /* rows of the truth, of the table, pairs                              */
  double recall, precision;    /* hits / truth, hits / found; NaN for 0 / 0                           */
  double position_mean, position_max; /* voxels between the two of a pair; NaN without pairs          */
  double angle_mean, angle_max;       /* degrees between their orientations; NaN without pairs        */
} hed_match_quality;

/* Pair rows of FOUND with rows of TRUTH, nearest pairs first, one to one, at most TOLERANCE voxels apart.
 * PARTNER (NULL or found->n entries) gets the row of the truth, -1 for none. */
HED_API hed_status hed_match_compare(const hed_table *found, const hed_table *truth, double tolerance,
                                     hed_match_quality *out, int64_t *partner);

/* ---- simulation ---- */

/* All zero is the default, except shape. */
typedef struct hed_simulate_options {
  hed_shape shape;   /* of the volume (3-D) or image (2-D)                                             */
  size_t copies;     /* 0: 1                                                                           */
  double snr;        /* variance of the template inside its inscribed sphere over variance of the noise; 0: no noise */
  uint64_t seed;     /* same seed, same bits, on every backend and machine                             */
  double distance;   /* voxels between centres, at least; 0: the template's largest extent              */
  double voxel[3];   /* angstrom, for the table; 0: 1                                                  */
  double noise_sigma; /* voxels: a Gaussian of that deviation colours the noise, whose variance stays as snr says; 0: white */
  bool invert;       /* particles are darker than what surrounds them                                  */
  double tilt_low, tilt_high; /* degrees: only what tilts between these have sampled is left of volumes, noise included
                        (hed_match_filter, continuous); both 0: all                                    */
} hed_simulate_options;

/* A volume with copies of TMPL in orientations drawn uniformly, at positions drawn uniformly among those where the whole
 * template fits and keeps its distance to the others, plus white Gaussian noise. *VOLUME is float32 in the current
 * context's space, *TRUTH one row per copy with score 1.
 * Errors: HED_E_SHAPE, HED_E_DTYPE, HED_E_INVAL (the copies do not fit; not finite; no variance; tilts), HED_E_NOMEM. */
HED_API hed_status hed_simulate(const hed_simulate_options *opt, const hed_array *tmpl, hed_array **volume,
                                hed_table *truth);

/* An invented molecule without symmetry, about 120 angstrom long, for demonstrations: 24 pseudo-atoms.
 * Release with hed_model_clear(). */
HED_API hed_status hed_model_example(hed_model *out);

#ifdef __cplusplus
}
#endif
#endif
