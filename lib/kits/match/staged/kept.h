// SPDX-License-Identifier: BSD-3-Clause
/* How far the later stages of a search from coarse to fine have come, in memory and in a file.
 *
 * Layer: L4, match kit, internal. The file: 512 bytes of text ("heddle-staged 1", then lines KEY = VALUE, filled up with zeros), what
 * rotations scored best at each candidate, rows that are refined, and a checksum of it all. Numbers are in the machine's order.
 */
#ifndef HEDDLE_KITS_MATCH_STAGED_KEPT_H
#define HEDDLE_KITS_MATCH_STAGED_KEPT_H
#include "kits/match/run/checkpoint.h"
#include "kits/match/staged/places.h"
#include <heddle/kits/table.h>

typedef struct hed__kept {
  const char *path;     /* NULL: nothing is kept */
  double seconds, last; /* between two files; when the last one was written */
  hed__digest places;   /* of all that the scores at places depend on */
  hed__digest starts;   /* of all that refined rows do, beside these */
  size_t n_candidates, n_rotations, n_rows;
  size_t rotations;     /* that were scored at all places */
  size_t rows, scores;  /* that are refined; scores that took */
  const hed__best *best;
  const hed_table_row *row;
} hed__kept;

/* Now, or when it is time. HED_OK where nothing is kept. */
hed_status hed__kept_write(hed__kept *k, bool now);

/* What the file has, if there is one: *BEST from malloc(), and rows in *ROW, as many as K says then. K's places and numbers of
 * candidates and rotations are set; HED_E_INVAL where the file is of others. */
hed_status hed__kept_read(hed__kept *k, hed__best **best, hed_table_row **row);

#endif
