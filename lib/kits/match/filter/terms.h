// SPDX-License-Identifier: BSD-3-Clause
/* One spatial frequency, and the terms of a filter there.
 *
 * Layer: L4, match kit, internal.
 */
#ifndef HEDDLE_KITS_MATCH_FILTER_TERMS_H
#define HEDDLE_KITS_MATCH_FILTER_TERMS_H
#include <heddle/kits/filter.h>

/* Where the axes of a tilt series lie in an array: indices of z, y, x, and the sign that makes (tilt, beam, across)
 * right-handed. */
typedef struct hed__tilt_axes { int beam, tilt, across, sign; } hed__tilt_axes;
hed_status hed__tilt_axes_of(const char *op, const hed_match_filter *f, hed__tilt_axes *axes);

/* A frequency in 1/angstrom. */
typedef struct hed__frequency {
  double k[3];                 /* z, y, x                     */
  double beam, tilt, across;   /* the same along those axes   */
} hed__frequency;

/* 1 where a continuous wedge has been sampled, else 0. */
double hed__wedge_continuous(const hed_match_filter *f, const hed__frequency *k);
/* Coverage and weights of single tilts; EDGE is the box's along the beam in angstrom, VOXEL the voxel's across. */
double hed__wedge_tilts(const hed_match_filter *f, const hed__tilt_axes *axes, const hed__frequency *k, double edge, double voxel);

/* Contrast transfer of tilt I at K2 = k^2 and an azimuth in radians, DEFOCUS_SHIFT angstrom added to both defoci. */
double hed__contrast_transfer(const hed_match_filter *f, size_t i, double k2, double azimuth, double defocus_shift);

#endif
