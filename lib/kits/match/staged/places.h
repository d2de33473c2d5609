// SPDX-License-Identifier: BSD-3-Clause
/* Scores at given places for every rotation of a list.
 *
 * Layer: L4, match kit, internal.
 */
#ifndef HEDDLE_KITS_MATCH_STAGED_PLACES_H
#define HEDDLE_KITS_MATCH_STAGED_PLACES_H
#include "kits/match/run/job.h"

/* A place's score under a rotation; ROTATION -1: none. */
typedef struct hed__best { double score; int32_t rotation; int64_t place[3]; } hed__best;

enum { HED__BEST_KEPT = 32 };

/* What all candidates share. */
typedef struct hed__field {
  int ndim;
  int64_t d[3], fast[3], t[3]; /* of target, transform and template; padded to three in front */
  const float *f;              /* the target, of mean 0 and deviation 1, host memory */
  const uint8_t *scored;       /* 0 where nothing is scored; NULL: all are */
  int64_t region[3][2];        /* positions that are, [begin, end) */
  const hed_array *g, *m, *filter; /* what is turned: coefficients or values; the mask; filter over the half spectrum, or NULL */
  int32_t spline;
  bool spherical;              /* the mask is not turned */
  double flat;                 /* deviation that counts as none */
  int64_t reach;               /* voxels about a candidate that are looked at, along each axis */
  const int *cancel;
  int (*progress)(void *arg, size_t done, size_t total);
  void *arg;
  size_t from;                 /* rotations that the list of the best has been through */
  /* Called after each block of rotations, NOW where it is the last one; what it fails with ends it. NULL: not called. */
  hed_status (*keep)(void *arg, size_t rotations, const hed__best *list, bool now);
} hed__field;

/* The HED__BEST_KEPT best rotations of each of N candidates, best first, each at the best of the places about it. *OUT from malloc(),
 * N times HED__BEST_KEPT; with FROM it is given, and gone on with. In the caller's context. */
hed_status hed__score_places(const hed__field *a, size_t n, const int64_t (*candidate)[3], size_t n_rotations, const double *rotations,
                             hed__best **out);

/* Bytes that this takes at most, with N candidates. */
size_t hed__places_memory(const hed__field *a, size_t n);

#endif
