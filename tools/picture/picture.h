// SPDX-License-Identifier: BSD-3-Clause
/* A picture of one slice of a volume with marks on it.
 *
 * Layer: L5. Errors are reported as the library's: a negative status, the sentence through
 * hed_fail. Two threads must not write the same file.
 */
#ifndef HEDDLE_TOOLS_PICTURE_PICTURE_H
#define HEDDLE_TOOLS_PICTURE_PICTURE_H
#include <heddle.h>

typedef enum hed_mark_kind {
  HED_MARK_HIT = 0,   /* found: blue                                */
  HED_MARK_TRUTH = 1, /* where a particle is: orange, dashed         */
  HED_MARK_WRONG = 2  /* found where none is: red, with a cross in it */
} hed_mark_kind;

/* A sphere that is drawn as the circle in which the slice cuts it. */
typedef struct hed_picture_mark {
  double position[3]; /* voxels, (z, y, x); z is not looked at for an image */
  double radius;      /* voxels                                             */
  int64_t number;     /* written beside the circle; < 0: none               */
  hed_mark_kind kind;
} hed_picture_mark;

/* All zero is the default. */
typedef struct hed_picture {
  bool slice_given;    /* false: the slice that shows most of the marks, the middle one if none */
  int64_t slice;       /* index along z                                                   */
  double voxel;        /* angstrom, for the scale bar; 0: the bar is in voxels             */
  const char *title;   /* one line of UTF-8 in the strip on top; NULL: none                */
  double low, high;    /* percentiles shown black and white; both 0: 1 and 99.5            */
  int64_t chosen;      /* result: index of the slice that was drawn                        */
} hed_picture;

/* Draws a slice of a volume (3-D: z, y, x) or an image (2-D) of any real dtype and writes
 * it to path, as plot.h says: grey values between two percentiles of the slice,
 * enlarged by a whole factor to at least 512 pixels on the longer side, n marks, a title
 * strip and a scale bar. A slice of more than 8192 voxels a side is refused.
 * opt may be NULL; only opt->chosen is written. The file appears complete or not at all.
 * Errors: HED_E_INVAL (NULL, slice out of range, percentiles), HED_E_SHAPE,
 * HED_E_UNSUPPORTED (complex data, a build without Cairo), HED_E_IO, HED_E_NOMEM. */
hed_status hed_picture_slice(const char *path, const hed_array *volume, hed_picture *opt,
                             size_t n, const hed_picture_mark *marks);

/* Draws a volume's three orthogonal sections through voxel AT, each the mean of up to five neighbouring ones: x and y, x and z,
 * y and z; and beside the first the same section of SCORES (real, of the volume's shape) alone. Above each is where it lies
 * and how many of the hits it cuts; behind a hit's number, where it lies along that axis. Of OPT title, voxel and percentiles
 * count. Errors as above, HED_E_INVAL for a voxel outside. */
hed_status hed_picture_sections(const char *path, const hed_array *volume, const hed_array *scores, const int64_t at[3],
                                const hed_picture *opt, size_t n, const hed_picture_mark *marks);

#endif
