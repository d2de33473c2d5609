// SPDX-License-Identifier: BSD-3-Clause
/* What the two model readers share.
 *
 * Layer: L4, match kit, internal. A reader walks over text in memory and adds atoms; where
 * it fails, hed_model_parse() releases what was gathered.
 */
#ifndef HEDDLE_KITS_MATCH_FILES_MODEL_INTERNAL_H
#define HEDDLE_KITS_MATCH_FILES_MODEL_INTERNAL_H
#include <heddle/kits/model.h>

typedef struct hed__atom {
  double x, y, z, occupancy, b;
  uint8_t atomic_number;
} hed__atom;

typedef struct hed__model_reader {
  const char *op, *name;   /* for messages                         */
  const char *text, *end;  /* what is read                         */
  size_t line;             /* number of the line that is looked at */
  hed_model *model;
  size_t room;
} hed__model_reader;

hed_status hed__model_add(hed__model_reader *r, const hed__atom *atom);

/* Both are called in the C locale and read the first model only. */
hed_status hed__pdb_read(hed__model_reader *r);
hed_status hed__cif_read(hed__model_reader *r);

/* Atomic number of an element symbol of n letters in any case; "D" is 1, "X" is 0, others
 * that are none are -1. */
int hed__element(const char *symbol, size_t n);

/* Of several locations of a residue the first one met wins. `residue` identifies the
 * residue (n bytes), `location` the alternate location. */
typedef struct hed__altloc {
  char residue[64];
  size_t n;
  char location[8];
} hed__altloc;
bool hed__altloc_take(hed__altloc *a, const char *residue, size_t n, const char *location,
                      size_t location_n);

#endif
