// SPDX-License-Identifier: BSD-3-Clause
/* A list of tomograms while it is made.
 *
 * Layer: L4, match kit, internal.
 */
#ifndef HEDDLE_KITS_MATCH_FILES_TOMOGRAMS_H
#define HEDDLE_KITS_MATCH_FILES_TOMOGRAMS_H
#include <heddle/kits/tomograms.h>

enum { HED__NAME, HED__TARGET, HED__TARGET_MASK, HED__TILTS, HED__CTF, HED__TOMOGRAM_TEXTS };

/* The text moves while it grows, so that rows have places in it, from 1; 0: none. */
typedef struct hed__tomograms {
  const char *op, *path;
  hed_tomograms *t;
  char *text;
  size_t n, room;
  size_t (*at)[HED__TOMOGRAM_TEXTS];
} hed__tomograms;

/* One more row, all zero. */
hed_status hed__tomograms_add(hed__tomograms *b);
/* Text WHICH of the last row: FOLDER (of N_FOLDER bytes; 0: none), a slash, S of N bytes and ENDING. */
hed_status hed__tomograms_set(hed__tomograms *b, int which, const char *folder, size_t n_folder, const char *s, size_t n,
                              const char *ending);
/* Those of a folder. */
hed_status hed__tomograms_folder(hed__tomograms *b);

#endif
