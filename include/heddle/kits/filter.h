// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/filter.h: filters for template matching: pass bands, the missing wedge, contrast transfer, whitening.
 *
 * Layer: public header of the match kit; needs nothing but <heddle.h>.
 *
 * A filter is a real float32 array over the half spectrum of a box (z, y, x / 2 + 1), frequency 0 first, as hed_rfftn() of the
 * box has it. Terms multiply. Frequencies k are in 1/angstrom, from the voxel sizes as they are; everything is computed in
 * double precision. Triples are in array axis order (z, y, x); images have a leading extent of 1.
 *
 * Signs: a specimen turned by +theta about the tilt axis y (right-handed, x to the right, z along the beam) is sampled in the
 * plane through the axis that has the direction (cos theta, sin theta) in (x, z). Angles of IMOD have this sign, those of Warp
 * the other one.
 *
 * Thread-safety: all functions are pure.
 */
#ifndef HEDDLE_KITS_FILTER_H
#define HEDDLE_KITS_FILTER_H
#include <heddle.h>

HED_BEGIN_DECLS

/* A tilt series: arrays of N entries from malloc(), NULL where nothing is known; hed_tilts_clear() frees them. All zero: none. */
typedef struct hed_tilts {
  size_t n;
  double *angle;                   /* degrees                                                 */
  double *dose;                    /* electrons per square angstrom that the specimen has got, as the file says it */
  double *defocus_u, *defocus_v;   /* angstrom, underfocus above 0; V NULL: as U              */
  double *astigmatism;             /* degrees from x towards y, of U; NULL: 0                 */
  double *phase_shift;             /* radians; NULL: 0                                        */
  bool *use;                       /* NULL: all                                               */
  double kilovolt, cs_mm;          /* 0: 300, 2.7                                             */
  double amplitude_contrast;       /* 0..1; 0: 0.07                                           */
  int handedness;                  /* +1 or -1: defocus grows (shrinks) with z; 0: +1         */
  double *weight;                  /* of each tilt, 0 and more; NULL: 1                       */
} hed_tilts;

/* Reads a tilt series, by content: one angle a line (IMOD's .tlt and .rawtlt); angle, order of acquisition and exposure
 * (AreTomo's .tlt); defocus files of IMOD, versions 2 (the sixth field of the first line) and 3 (with astigmatism), in nm;
 * SerialEM's .mdoc (TiltAngle, ExposureDose and Defocus of each ZValue, in micrometres and below 0 for underfocus; Voltage);
 * RELION 5's tilt series and lists of one tomogram, Warp's
 * .tomostar and STOPGAP's wedge lists of one tomogram (STAR); Warp's and M's .xml; CTFFIND 4's and AreTomo 3's lists of defoci, which
 * have no angles, with dfHand, the handedness; tables with a line of names (angles, weights, dose, defocus_u, defocus_v, astigmatism,
 * phase_shift), as pyTME's. Angles of Warp come with their sign changed. Exposures of AreTomo and SerialEM are added up in the order
 * of acquisition, each tilt's own with those before it. Lines
 * may have comments (#); compressed with gzip or not. *OUT is filled on success and all zero on failure.
 * Errors: HED_E_IO, HED_E_FORMAT (with line: what is no number, angles of 90 degrees and more, columns that change, numbers of
 * sections, angles and doses that differ, no tilts), HED_E_NOMEM, HED_E_INVAL (NULL). */
HED_API hed_status hed_tilts_read(const char *path, hed_tilts *out);

/* What *T lacks it takes from *MORE, which is all zero then: angles, doses, all of contrast transfer, constants. HED_E_INVAL (NULL;
 * another number of tilts, with both): both stay as they are. */
HED_API hed_status hed_tilts_join(hed_tilts *t, hed_tilts *more);

/* Frees what *T holds and makes it all zero; NULL: nothing. */
HED_API void hed_tilts_clear(hed_tilts *t);

typedef enum hed_wedge {
  HED_WEDGE_NONE,
  HED_WEDGE_CONTINUOUS, /* all angles from tilt_low to tilt_high */
  HED_WEDGE_TILTS       /* those of tilts                        */
} hed_wedge;

typedef enum hed_weighting { /* of single tilts */
  HED_WEIGHTING_NONE,
  HED_WEIGHTING_COSINE,     /* cos theta                                                       */
  HED_WEIGHTING_RELION,     /* cos theta exp(-B k^2 / 4), B = 4 angstrom^2 per e/angstrom^2 of dose */
  HED_WEIGHTING_GRIGORIEFF  /* exp(-dose / (2 (0.245 k^-1.665 + 2.81))), 1 at k = 0 (T. Grant, N. Grigorieff, eLife 4 (2015)
                               e06980)                                                         */
} hed_weighting;

typedef enum hed_ctf {
  HED_CTF_NONE,
  HED_CTF_RAW,   /* sin(pi lambda k^2 (D - Cs lambda^2 k^2 / 2) + phase + atan(A / sqrt(1 - A^2))), D = (U + V) / 2 +
                    (U - V) / 2 cos 2 (azimuth - astigmatism) */
  HED_CTF_FLIP,  /* its magnitude                                                     */
  HED_CTF_WIENER /* c / (c^2 + exp(wiener_falloff k^2 / 4))                           */
} hed_ctf;

typedef enum hed_reconstruction { /* of a single tilt, over nu = 2 |k| along its direction times the voxel size */
  HED_RECONSTRUCTION_NONE,
  HED_RECONSTRUCTION_RAM_LAK,     /* nu                           */
  HED_RECONSTRUCTION_SHEPP_LOGAN, /* nu sinc(nu / 2)              */
  HED_RECONSTRUCTION_COSINE,      /* nu cos(pi nu / 2)            */
  HED_RECONSTRUCTION_HAMMING      /* nu (0.54 + 0.46 cos pi nu)   */
} hed_reconstruction;

/* All zero passes everything. */
typedef struct hed_match_filter {
  double voxel[3];             /* angstrom, (z, y, x); 0: 1                                       */
  double low_pass, high_pass;  /* angstrom, 0: none. exp(-ln 2 (k c)^2) and 1 - that: half at k = 1 / c */
  bool hard;                   /* instead 1 where 1 / high_pass <= k <= 1 / low_pass, else 0      */
  int32_t wedge, weighting, ctf, reconstruction; /* enumerators above                             */
  int32_t beam_axis, tilt_axis; /* 1 z, 2 y, 3 x; 0: z and y                                       */
  double tilt_low, tilt_high;  /* degrees, -90 < low < high < 90; for a continuous wedge          */
  const hed_tilts *tilts;      /* for HED_WEDGE_TILTS, and for contrast transfer: without that wedge the first one's defocus
                                  holds for all directions                                        */
  double wiener_falloff;       /* angstrom^2                                                      */
  double offset[3];            /* angstrom from the tilt axis, (z, y, x): the defocus of a tilt of theta grows by handedness times
                                  (what of it lies across) sin theta + (what lies along the beam) cos theta */
  const hed_array *profile;    /* 1-D: values at frequencies 0 .. 0.5 per voxel, evenly spaced, linear between, the last one
                                  beyond; NULL: 1                                                 */
  const hed_array *given;      /* of the half spectrum's shape; NULL: 1                           */
} hed_match_filter;

/* The filter F for a box (2-D or 3-D). Wedges need volumes:
 *   continuous  1 where k_beam is 0 or its slope to the axis across is between tan tilt_low and tan tilt_high
 *   tilts       tilt i covers w_i = max(0, 1 - |-k_across sin theta + k_beam cos theta| D), D the box's edge along the beam;
 *               with its weight v_i (weight, weighting, contrast transfer, reconstruction): sum w_i v_i / sum w_i min(1, sum w_i)
 * A Nyquist frequency of an even axis stands for both its signs: the filter there is the mean of them, which keeps it even.
 * lambda = h / sqrt(2 m e U (1 + e U / (2 m c^2))), constants of CODATA 2018.
 * Errors (NULL): HED_E_INVAL, naming the member; HED_E_SHAPE; HED_E_NOMEM. */
HED_NEW hed_array *hed_match_filter_make(const hed_match_filter *f, hed_shape box);

/* How a filter of a target goes on beyond its faces, where no data are. A product of spectra alone takes the target as periodic: a
 * filter that raises high frequencies, as whitening does, amplifies the step between opposite faces. */
typedef enum hed_faces {
  HED_FACES_CONTINUE, /* the target, less its mean, is continued by 12 voxels (less where an axis has less), odd about its outermost
                         voxels and fading to 0; then, behind a filter with a profile or beside padding, values beyond, and those
                         of padding, are moved by 8 steps of conjugate gradients towards the least sum of squares behind the filter */
  HED_FACES_QUICK,    /* without these steps, unless there is padding; for searches of few rotations             */
  HED_FACES_WRAP      /* periodic, filled up to extents that transform fast with its mean                        */
} hed_faces;

/* Padding in a target, which is not data: voxels in a cube of 5 voxels an edge (shorter along shorter axes) of one value;
 * where there are such, cubes may reach over a face. */
typedef enum hed_voids {
  HED_VOIDS_FIND, /* where the target is filtered, and there are at least as many as a mask has voxels */
  HED_VOIDS_KEEP  /* it is data                                                                        */
} hed_voids;

/* Where VOLUME (2-D or 3-D, real) is no padding: bool, of its shape, host memory. True everywhere where fewer than LEAST voxels are
 * padding, or all. Errors (NULL): HED_E_INVAL (NULL, not finite), HED_E_SHAPE, HED_E_DTYPE, HED_E_NOMEM. */
HED_NEW hed_array *hed_match_known(const hed_array *volume, size_t least);

/* What flattens VOLUME's spectrum (2-D or 3-D, real): a profile for hed_match_filter, float32, of PATCH / 2 + 1 values:
 *   1 / sqrt(P + P_max / 10^4), 0 at frequency 0, scaled to a largest value of 1
 * with P the mean of |F|^2 over shells round(k PATCH) of Hann windows of PATCH voxels along each axis that overlap by half,
 * the tenth of them with the largest variance left out, windows without variance too; the second term keeps what is hardly
 * there from being blown up. PATCH 0: 64, or half of the least extent where that is less,
 * made even. *COLOUR (may be NULL): of the quarter of the windows that vary least, where there is background alone, the
 * largest of the mean powers in the bands 0.05..0.1, 0.1..0.2, 0.2..0.3 per voxel over that in 0.4..0.5; about 1 where the
 * spectrum is flat. Errors (NULL): HED_E_INVAL, HED_E_SHAPE, HED_E_DTYPE, HED_E_NOMEM. */
HED_NEW hed_array *hed_match_whitening(const hed_array *volume, int64_t patch, double *colour);

/* The same from what is KNOWN (bool, of VOLUME's shape; NULL: all): windows with more than 5 % of others are left out, in the rest
 * those count as their mean. With PATCH 0 patches become smaller, down to 16, until 8 windows are left; HED_E_INVAL without any. */
HED_NEW hed_array *hed_match_whitening_known(const hed_array *volume, const hed_array *known, int64_t patch, double *colour);

HED_END_DECLS

#endif
