// SPDX-License-Identifier: BSD-3-Clause
/* Rotations that a process takes, of all or, by a counter, of those that several processes share.
 *
 * Layer: L4, match kit, internal.
 */
#ifndef HEDDLE_KITS_MATCH_RUN_CLAIMS_H
#define HEDDLE_KITS_MATCH_RUN_CLAIMS_H
#include "kits/match/run/job.h"

/* The next ones, NEXT <= i < UNTIL, are this process's. */
typedef struct hed__claims { size_t next, until; } hed__claims;

/* The next rotation into *I, which is n_rotations when there are no more. COUNTER NULL: all are this process's. */
hed_status hed__claim(hed__claims *c, const hed_match_counter *counter, const hed__job *job, size_t *i);

#endif
