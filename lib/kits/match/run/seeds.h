// SPDX-License-Identifier: BSD-3-Clause
/* Where, and turned how, particles are looked for, when that is known.
 *
 * Layer: L4, match kit, internal.
 */
#ifndef HEDDLE_KITS_MATCH_RUN_SEEDS_H
#define HEDDLE_KITS_MATCH_RUN_SEEDS_H
#include "kits/match/run/checkpoint.h"
#include "kits/match/run/positions.h"

typedef struct hed__seed { double axis[3]; size_t first, spans; } hed__seed;

/* Voxels x0 <= x < x1 of a row. */
typedef struct hed__span { int32_t z, y, x0, x1; } hed__span;

struct hed__seeds {
  size_t n, n_spans;
  hed__seed *seed;
  hed__span *span;
  double least;   /* cosine between the axes of a particle and of its seed */
};

hed_status hed__seeds_open(const char *op, hed__seeds *s, const hed_match_seeds *given, const hed__job *all);
void hed__seeds_close(hed__seeds *s);

/* Whether seed I may have a particle turned by ROTATION, ndim x ndim. */
bool hed__seed_admits(const hed__seeds *s, size_t i, int ndim, const double *rotation);
bool hed__seeds_admit(const hed__seeds *s, int ndim, const double *rotation);

/* SEE for all rows of JOB's positions where seeds admit ROTATION: positions x0 <= x < x1 of row (z, y), counted in the part. */
typedef void hed__see_row(void *arg, const hed__positions *p, int64_t z, int64_t y, int64_t x0, int64_t x1);
void hed__seeds_rows(const hed__seeds *s, const hed__job *job, const double *rotation, hed__see_row *see, void *arg);

/* What a checkpoint compares. */
void hed__seeds_digest(const hed__seeds *s, hed__digest *d);

/* Scores that seeds leave, each seed's counted. */
double hed__seeds_scores(const hed__seeds *s, const hed__job *all);

#endif
