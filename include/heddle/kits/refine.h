// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/refine.h: places and orientations of particles, better than the voxels and the angular step of a search.
 *
 * Layer: public header of the match kit; needs nothing but <heddle.h> and the kit's own headers.
 *
 * Thread-safety: as match.h.
 */
#ifndef HEDDLE_KITS_REFINE_H
#define HEDDLE_KITS_REFINE_H
#include <heddle.h>
#include <heddle/kits/filter.h>
#include <heddle/kits/table.h>

HED_BEGIN_DECLS

/* All zero is the default. */
typedef struct hed_refine_options {
  double angle;          /* degrees that an orientation may turn by; 0: 15                             */
  double distance;       /* voxels that a place may move along each axis; 0: 2                         */
  size_t evaluations;    /* about how many scores a row may take; 0: 400                                       */
  int32_t spline;        /* hed_spline: how the template is interpolated; 0: cubic                     */
  bool invert;           /* the target's contrast is the other way round than the template's           */
  const hed_match_filter *template_filter, *target_filter; /* as in hed_match_options; NULL: none     */
  double voxel[3];       /* angstrom, (z, y, x), for the rows' angstrom; 0: 1                          */
  const int *cancel;     /* as in hed_match_options, read before each score                            */
  int (*progress)(void *arg, size_t done, size_t total); /* rows; on the calling thread, after each    */
  void *progress_arg;
  int32_t faces, voids;  /* as in hed_match_options                                                     */
  bool local_defocus;    /* each row has a template filter whose offset is moved by where its place lies from the target's middle, in
                            the filter's voxels; needs a template filter of single tilts with contrast transfer   */
} hed_refine_options;

/* Rows of START with place, angles and score at the nearest maximum of the FLC score (match.h), which is evaluated at continuous
 * places: the template is turned, and shifted by what is less than a voxel, in one interpolation; its mask linearly. The maximum is
 * sought by the simplex method (J. A. Nelder, R. Mead, Computer J. 7 (1965) 308-313), begun twice, within the bounds; a row is never
 * worse than it was. TARGET and TMPL are both 2-D or 3-D; MASK (the template's shape, values >= 0) may be NULL: the inscribed sphere.
 * *OUT is filled on success, hed_table_clear() frees it; *TAKEN (NULL: not wanted) is the number of scores computed.
 * Errors: HED_E_INVAL (NULL; not finite; bounds; a place outside the target; empty mask), HED_E_SHAPE, HED_E_DTYPE, HED_E_CANCELLED,
 * HED_E_NOMEM. */
HED_API hed_status hed_match_refine(const hed_refine_options *opt, const hed_array *target, const hed_array *tmpl,
                                    const hed_array *mask, const hed_table *start, hed_table *out, size_t *taken);

HED_END_DECLS

#endif
