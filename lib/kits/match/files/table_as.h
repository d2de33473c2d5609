// SPDX-License-Identifier: BSD-3-Clause
/*
 * table_as.h: a format of particle tables: a writer and a reader.
 *
 * Layer: L4, match kit, internal. Angles in tables of Heddle are phi, theta, psi with F = Rz(phi) Ry(theta) Rz(psi) the matrix
 * that takes the template to the particle; each format says how its own relate to them.
 */
#ifndef HEDDLE_KITS_MATCH_FILES_TABLE_AS_H
#define HEDDLE_KITS_MATCH_FILES_TABLE_AS_H
#include "kits/match/files/words.h"
#include <heddle/kits/table.h>

/* WRITE checks nothing, the values are finite. READ adds rows to T. */
typedef struct hed__table_kind {
  void (*write)(hed_file *f, const hed_table *t, const hed_table_frame *frame);
  hed_status (*read)(hed__text *text, const hed_table_frame *frame, hed_table *t);
} hed__table_kind;

extern const hed__table_kind hed__table_relion, hed__table_relion5, hed__table_dynamo, hed__table_stopgap, hed__table_pytme,
  hed__table_coordinates, hed__table_napari, hed__table_chimerax;

/* (-180, 180] */
double hed__wrapped(double degrees);
double hed__frame_voxel(const hed_table_frame *frame, int axis);
/* A row at the end of T from x, y, z in voxels, its angles brought into their ranges. */
hed_status hed__table_add(const hed__text *text, const hed_table_frame *frame, hed_table *t, const double xyz[3],
                          const double euler[3], double score);
/* From x, y, z in voxels to what RELION 5 counts, angstrom from the middle, and back. */
double hed__centred(const hed_table_frame *frame, int axis, double voxels);
double hed__from_centred(const hed_table_frame *frame, int axis, double angstrom);

#endif
