// SPDX-License-Identifier: BSD-3-Clause
/* Kinds of files with tilt series that are not lines of numbers.
 *
 * Layer: L4, match kit, internal. Each reads all of TEXT into T, which is all zero; what it made there is the caller's to clear.
 */
#ifndef HEDDLE_KITS_MATCH_FILES_TILTS_H
#define HEDDLE_KITS_MATCH_FILES_TILTS_H
#include "kits/match/files/words.h"
#include <heddle/kits/filter.h>

hed_status hed__tilts_star(hed__text *text, hed_tilts *t);  /* RELION 5, Warp's .tomostar, STOPGAP */
hed_status hed__tilts_warp(hed__text *text, hed_tilts *t);  /* Warp's and M's XML                  */
hed_status hed__tilts_ctffind(hed__text *text, hed_tilts *t); /* CTFFIND 4, AreTomo 3: no angles      */
hed_status hed__tilts_named(hed__text *text, hed_tilts *t); /* columns by name                     */

/* *ARRAY of T->n zeros. */
hed_status hed__tilts_array(const hed__text *text, const hed_tilts *t, double **array);

#endif
