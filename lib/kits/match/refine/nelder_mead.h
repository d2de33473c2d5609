// SPDX-License-Identifier: BSD-3-Clause
/* The simplex method of Nelder and Mead.
 *
 * Layer: L4, match kit, internal.
 */
#ifndef HEDDLE_KITS_MATCH_REFINE_SIMPLEX_H
#define HEDDLE_KITS_MATCH_REFINE_SIMPLEX_H
#include <heddle.h>

enum { HED__MOST_PARAMETERS = 6 };

/* What is to be as large as can be, at X; a failure ends it. */
typedef hed_status hed__objective(void *arg, const double *x, double *value);

/* From X and its *VALUE uphill, with a first simplex of edges STEP, until it is smaller than TOLERANCE times that or MOST values
 * were looked at, which *TAKEN counts on. X becomes the best place. */
hed_status hed__nelder_mead(hed__objective *f, void *arg, int n, double *x, double *value, const double *step, double tolerance,
                        size_t most, size_t *taken);

#endif
