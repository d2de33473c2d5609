// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/mask.h: masks of templates, with edges that fall off softly.
 *
 * Layer: public header of the match kit; needs nothing but <heddle.h>.
 *
 * Masks are float32, 1 inside and exp(-d^2 / (2 soft^2)) at a distance of d voxels outside, 0 where that is below 1/1000. Triples
 * are in array axis order (z, y, x); places count from the geometric centre (n - 1) / 2.
 *
 * Thread-safety: all functions are pure.
 */
#ifndef HEDDLE_KITS_MASK_H
#define HEDDLE_KITS_MASK_H
#include <heddle.h>

HED_BEGIN_DECLS

typedef enum hed_mask_kind {
  HED_MASK_SPHERE,    /* radius[0]                                                                        */
  HED_MASK_ELLIPSOID, /* radius; distances along the ray from the centre                                  */
  HED_MASK_BOX,       /* half edges radius                                                                */
  HED_MASK_TUBE,      /* along z: radius[2] outside, inner inside, height                                 */
  HED_MASK_MEMBRANE   /* two discs normal to z, of radius[2], thickness, and separation between their middles */
} hed_mask_kind;

/* All zero: the sphere that the smallest extent holds, with a hard edge. Lengths are in voxels. */
typedef struct hed_mask_options {
  int32_t kind;       /* hed_mask_kind                                                   */
  double radius[3];   /* 0: half the extent (of the sphere and of tubes the smallest)    */
  double inner, height, thickness, separation; /* height 0: the extent along z           */
  double centre[3];   /* from the geometric centre                                       */
  double soft;        /* standard deviation of the fall                                  */
} hed_mask_options;

/* A mask of SHAPE (2-D or 3-D). Errors (NULL): HED_E_INVAL, naming the member; HED_E_SHAPE; HED_E_NOMEM. */
HED_NEW hed_array *hed_mask_make(const hed_mask_options *opt, hed_shape shape);

/* 1 where X (2-D or 3-D, real) is at least LEVEL and up to DILATE voxels from there, then falling off; float32 in host memory.
 * Errors (NULL): HED_E_INVAL (not finite; nothing reaches LEVEL), HED_E_SHAPE, HED_E_DTYPE, HED_E_NOMEM. */
HED_NEW hed_array *hed_mask_threshold(const hed_array *x, double level, double dilate, double soft);

HED_END_DECLS

#endif
