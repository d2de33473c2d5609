// SPDX-License-Identifier: BSD-3-Clause
/* One matching run, as its parts see it.
 *
 * Layer: L4, match kit, internal. Reading order: match.h, this file, score/scores.c (what a score does per rotation),
 * score/setup.c (what is computed once), parts.c (targets that are too large), pool.c (who does which rotation), result.c
 * (back to the target's voxels).
 *
 * Everything between setup and result lives at negated positions: with the conjugate of the target's spectrum, the
 * inverse transform of conj(F(f)) F(g) is CC(f, g) at -p. So no rotation has to conjugate or to shift anything;
 * result.c turns the axes round once. What multiplies or shifts a score but does not depend on the rotation
 * (factor > 0 or 0, offset) is applied there too: it cannot change which rotation is best.
 */
#ifndef HEDDLE_KITS_MATCH_RUN_JOB_H
#define HEDDLE_KITS_MATCH_RUN_JOB_H
#include <heddle.h>
#include <heddle/kits/match.h>

/* What a part of a target has to know of the whole. */
typedef struct hed__whole {
  double mean, deviation; /* taken out of the values; 0, 1: nothing was */
  double typical;         /* median local deviation (CORR: root), by which flatness is judged */
  struct hed__spread *spread; /* a survey's: deviations of the parts so far              */
  uint64_t n_flat;        /* positions whose deviation counts as none                    */
} hed__whole;

typedef struct hed__statistics hed__statistics;
typedef struct hed__record hed__record;
typedef struct hed__seeds hed__seeds;

/* Who computes, for the memory estimate: N contexts, and how many workers have each. */
typedef struct hed__workforce { hed_context *const *context; int n, workers; } hed__workforce;

/* Shared by all workers, read-only while they run. */
typedef struct hed__job {
  const struct hed__score *score;
  int ndim;
  int32_t spline;
  hed_shape target, tmpl;   /* extents                                          */
  hed_shape undivided;      /* of the target of which this is a part             */
  int64_t begin[3], fresh[3]; /* where the part begins in there; its first position that no part before it has */
  const uint8_t *scored;    /* of the undivided target, 0 where nothing is scored; NULL: all are */
  const hed__seeds *seeds;  /* NULL: particles may be anywhere, turned anyhow    */
  hed_shape fast, fast_ft;  /* of the transform and of its half spectrum        */
  hed_array *g, *m;         /* template prepared for rotating (cubic splines: their coefficients), mask; float32 */
  hed_array *filter;        /* of the turned template, over its half spectrum, float32; NULL: none */
  hed_array *spectrum;      /* conj(F(f)) / N, complex64                        */
  hed_array *spectrum_sq;   /* conj(F(f^2)) / N; NULL where none is needed      */
  hed_array *valid;         /* the target's mask, float32, of its extents; NULL: 1. Taken by a setup */
  hed_array *spectrum_valid; /* conj(F(t)) / N of that                           */
  double overlap;           /* least share of the largest overlap with it       */
  hed_array *factor, *offset; /* float32, host, extents `fast`; NULL: 1, 0      */
  double n_mask, flat;      /* sum of the mask; deviation that counts as none   */
  double mean, ssd;         /* CORR: the template's mean under the mask, sum of the squared distances from it */
  uint64_t n_flat;          /* positions where it is none                       */
  hed__workforce workforce;
  bool kept;                /* checkpoints are                                  */
  bool masked;              /* some positions may not be scored                  */
  size_t more;              /* bytes of other templates and their results        */
  bool filtered;            /* the template is                                 */
  double filtering;         /* bytes that filtering the target takes; 0: it is not */
  size_t n_rotations;
  const double *rotations;
  int64_t keep[3];          /* positions that count along a divided axis, from 0; 0: the axis is not divided */
  const hed__whole *whole;  /* of a part: the target is standardised, the typical deviation known; else NULL */
  hed__whole *survey;       /* not NULL: setup only takes this part's deviations into it */
  size_t part;              /* its number                                    */
  size_t done, in_all;      /* rotations of parts before this one, and of all */
  size_t counter;           /* number of the counter that processes share for this part */
} hed__job;

/* What a worker holds: buffers in its own context, so that a rotation allocates nothing. */
typedef struct hed__buffers {
  hed_array *g, *m, *spectrum, *spectrum_sq, *filter; /* the job's arrays, in this worker's space */
  hed_array *g_r, *m_r, *t1, *t2;            /* the template's extents                           */
  hed_array *spectrum_valid, *part[8];       /* correlations of a rotation, and scratch, extents `fast` */
  hed_array *half;                           /* the template's half spectrum, complex64          */
  hed_array *sum;                            /* 0-d float64 or float32                           */
  hed_array *best, *index;                   /* float32 and int32, extents `fast`                */
  bool on_host;                              /* these two, no scope's                            */
  hed_array *one, *number;                   /* the same, of a rotation whose scores are looked at */
  hed_array *seen;                           /* float32, the part's positions in order, for an analyzer; NULL: none */
} hed__buffers;

/* Buffers that are alive at once, for the memory estimate: arrays of the transform's extents (4 bytes a voxel), of its half
 * spectrum (8) and of the template's extents (4); an array of 8 or 16 bytes counts as two. What a worker's correlation takes
 * besides says the backend. */
typedef struct hed__need { int real, half, tmpl; } hed__need;

typedef struct hed__score {
  const char *name;
  bool sphere;        /* the default mask is the inscribed sphere, not 1 everywhere */
  bool standard;      /* the target is standardised, and filled up with its mean     */
  bool masks;         /* the mask is rotated, and correlated, too                     */
  bool local;         /* what is local is compared with what is typical of the target */
  bool zeros;         /* flat windows score exactly 0                                 */
  bool laplacian;     /* of target and template, before all else                      */
  bool excludes;      /* the target mask takes voxels out of windows                  */
  hed__need once, shared, worker;  /* most at once before workers start; what they share; what each has */
  bool own;           /* what a setup makes depends on the template, too             */
  hed_status (*prepare)(hed__job *job, const hed_array *g, const hed_array *m);
  hed_status (*setup)(hed__job *job, hed_array **f, const hed_array *m);
  hed_status (*rotate)(const hed__job *job, hed__buffers *w, const double *rotation, int32_t index);
} hed__score;

/* score/scores.c */
extern const hed__score hed__scores[];
const hed__score *hed__score_by_name(const char *op, const char *name);

/* score/setup.c: f, g and m are float32, finite, of the job's extents. First the template is prepared, then the target set
 * up, once for templates of one mask, unless the score says otherwise. A setup releases *F as soon as it needs it no longer,
 * and sets it to NULL. */
hed_status hed__prepare_cc(hed__job *job, const hed_array *g, const hed_array *m);
hed_status hed__prepare_corr(hed__job *job, const hed_array *g, const hed_array *m);
hed_status hed__prepare_normalised(hed__job *job, const hed_array *g, const hed_array *m);
hed_status hed__prepare_cam(hed__job *job, const hed_array *g, const hed_array *m);
hed_status hed__prepare_ncc(hed__job *job, const hed_array *g, const hed_array *m);
hed_status hed__setup_cc(hed__job *job, hed_array **f, const hed_array *m);
hed_status hed__setup_corr(hed__job *job, hed_array **f, const hed_array *m);
hed_status hed__setup_spherical(hed__job *job, hed_array **f, const hed_array *m);
hed_status hed__setup_flc(hed__job *job, hed_array **f, const hed_array *m);
hed_status hed__setup_ncc(hed__job *job, hed_array **f, const hed_array *m);
hed_status hed__setup_mcc(hed__job *job, hed_array **f, const hed_array *m);
hed_status hed__job_shapes(const char *op, hed__job *job, hed_shape target, hed_shape tmpl, bool pad);
/* From deviations at POSITIONS positions, what is typical and how many count as flat. */
hed_status hed__judge_flatness(const struct hed__spread *spread, size_t positions, double *typical, uint64_t *n_flat);
void hed__job_clear(hed__job *job);         /* releases what a setup made         */
void hed__job_clear_spectra(hed__job *job); /* of it what only workers need */
/* HED_OK, or the sentence about a target without variance. */
hed_status hed__has_variance(const char *op, double mean, double deviation);

/* estimate.c */
hed_status hed__job_memory(const hed__job *job, size_t *bytes);

/* check.c */
/* HED_E_SHAPE, with both, where SHAPE, WHAT's, is not WANTED, that of WHOSE. */
hed_status hed__expect_shape(const char *op, const char *what, hed_shape shape, const char *whose, hed_shape wanted);
/* X as finite float32 in the current context's space, owned by the caller; NULL on failure. */
hed_array *hed__checked(const char *op, const char *what, const hed_array *x);
/* Sum and least value of an array as doubles. */
hed_status hed__total(const hed_array *x, double *out);
hed_status hed__least(const hed_array *x, double *out);
hed_status hed__rotations_valid(const char *op, int ndim, size_t n, const double *rotations);
/* hed_astype(), always a new array: a scope holds what an operation makes, not a second reference to its operand. */
hed_array *hed__converted(const hed_array *x, hed_dtype t);
/* The caller's reference to Y, made from X: taken out of the scope that holds it unless it is X itself. */
hed_array *hed__own(const hed_array *x, hed_array *y);
/* Arrays in host memory, the caller's, whatever the current context's space: counted and limited as all are. X itself, by
 * another handle, where it is there. */
hed_array *hed__host_empty(hed_shape shape, hed_dtype t);
hed_array *hed__on_host(const hed_array *x);
/* The values of an array as host memory in C order from malloc(). */
void *hed__to_malloc(const hed_array *x);

/* workers.c */
typedef struct hed__worker_list {
  int n;
  hed_match_worker *worker;  /* from calloc; spec filled in */
  hed_context **context;
} hed__worker_list;
hed_status hed__worker_list_parse(hed__worker_list *c, const char *workers, size_t n_rotations);
void hed__worker_list_clear(hed__worker_list *c);

/* pool.c: runs all rotations; on success *BEST and *INDEX (float32, int32, extents `fast`) are in host memory, the
 * caller's. Where *INDEX is -1, *BEST is -INFINITY. RECORD keeps
 * account, goes into the checkpoint, and says what has been done already. */
hed_status hed__pool_run(const hed__job *job, hed__worker_list *list, const hed_match_options *opt, hed_array **best,
                         hed_array **index, hed__record *record, double *seconds);

/* What one search is for: N templates, of one shape, with one mask. */
typedef struct hed__given {
  const hed_array *target, *const *tmpl, *mask;
  size_t n, n_rotations;
  const double *rotations;
} hed__given;

/* result.c: one search, its options checked, into OUT, one for each template, all zero. PHASE 1: of the background, whose checkpoint
 * stays when it is done. */
hed_status hed__search(const hed_match_options *opt, int phase, const hed__given *in, hed_match_result *out);

/* buffers.c */
hed_status hed__buffers_open(hed__buffers *w, const hed__job *job, bool analyzed);
void hed__no_scores(float *best, int32_t *index, size_t n);
void hed__buffers_close(hed__buffers *w); /* what the scope does not hold */

double hed__now(void); /* seconds, monotonic */

#endif
