// SPDX-License-Identifier: BSD-3-Clause
/*
 * table_rows.c: what readers and writers of tables have in common: rows, angles, places.
 *
 * Layer: L4, match kit.
 */
#include "kits/match/files/table_as.h"
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>

double hed__wrapped(double degrees)
{
  const double d = fmod(degrees, 360);
  return d > 180 ? d - 360 : d <= -180 ? d + 360 : d + 0.0;
}

double hed__frame_voxel(const hed_table_frame *frame, int axis)
{
  return frame && frame->voxel[axis] > 0 ? frame->voxel[axis] : 1;
}

/* Angstrom from the first voxel's centre to the middle of the unbinned tomogram. */
static double middle(const hed_table_frame *frame, int axis)
{
  const double binning = frame->binning > 0 ? frame->binning : 1;
  const double unbinned = frame->unbinned[axis] > 0 ? (double)frame->unbinned[axis] : binning * (double)frame->extent[axis];
  return (unbinned / 2 - (frame->half_less_one ? 1 : 0)) * hed__frame_voxel(frame, axis) / binning;
}

double hed__centred(const hed_table_frame *frame, int axis, double voxels)
{
  return voxels * hed__frame_voxel(frame, axis) - middle(frame, axis);
}

double hed__from_centred(const hed_table_frame *frame, int axis, double angstrom)
{
  return (angstrom + middle(frame, axis)) / hed__frame_voxel(frame, axis);
}

hed_status hed__table_add(const hed__text *text, const hed_table_frame *frame, hed_table *t, const double xyz[3],
                          const double euler[3], double score)
{
  double matrix[9];
  if ((t->n & (t->n - 1)) == 0) {
    hed_table_row *more = realloc(t->row, (t->n ? 2 * t->n : 1) * sizeof *more);
    if (!more)
      return hed_fail(HED_E_NOMEM, "%s: no memory for %zu rows of '%s'", text->op, t->n + 1, text->path);
    t->row = more;
  }
  hed_table_row row = { .id = (int64_t)t->n + 1, .score = score };
  for (int a = 0; a < 3; a++) {
    row.position[a] = xyz[2 - a];
    row.angstrom[a] = (frame ? frame->origin[a] : 0) + hed__frame_voxel(frame, a) * row.position[a];
  }
  hed_rotation_from_euler(euler, matrix);
  hed_rotation_to_euler(matrix, row.euler);
  t->row[t->n++] = row;
  return HED_OK;
}
