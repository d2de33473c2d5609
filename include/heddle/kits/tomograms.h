// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/tomograms.h: lists of tomograms: what a project has, and what belongs to each.
 *
 * Layer: public header of the match kit; needs nothing but <heddle.h>.
 *
 * Thread-safety: as map.h.
 */
#ifndef HEDDLE_KITS_TOMOGRAMS_H
#define HEDDLE_KITS_TOMOGRAMS_H
#include <heddle.h>

HED_BEGIN_DECLS

/* Texts point into the list's; NULL: not said, as 0 of numbers. */
typedef struct hed_tomogram {
  const char *name;          /* without blanks and slashes, of none other in the list             */
  const char *target;        /* path of the volume                                                */
  const char *target_mask;   /* of a map that is above 0 where particles may be                   */
  const char *tilts;         /* of a file that hed_tilts_read() reads, or a range of degrees, "-60,60" */
  const char *ctf;           /* of another such file, with defoci                                 */
  double voxel;              /* angstrom, where the volume's header is not to be asked            */
  double defocus;            /* angstrom, one for all tilts                                       */
  double kilovolt, cs_mm, amplitude_contrast;
  int handedness;            /* +1 or -1, as hed_tilts has it                                     */
  double binning;            /* voxels of the unbinned tomogram along one of the volume's         */
  int64_t unbinned[3];       /* its voxels, (z, y, x)                                             */
} hed_tomogram;

/* All zero is an empty one. */
typedef struct hed_tomograms {
  size_t n;
  hed_tomogram *row;         /* owned, from malloc(), as is the text; hed_tomograms_clear() frees them */
  const char *text;
} hed_tomograms;

/* Reads such a list, told from what PATH is:
 *   a table      text between tabs, the first line names the columns: target, and of name (that of the target's file), target_mask,
 *                tilts, ctf, defocus, voxel, kilovolt, cs, amplitude, hand any; "-" and nothing between tabs: not said. Paths count
 *                from the table's folder
 *   RELION 5     tomograms.star: rlnTomoName, rlnTomoReconstructedTomogram (else that of ...Denoised, else ...Half1),
 *                rlnTomoTiltSeriesStarFile, rlnTomoTiltSeriesPixelSize times rlnTomoTomogramBinning, rlnTomoSizeX, Y, Z,
 *                rlnTomoHand, rlnVoltage, rlnSphericalAberration, rlnAmplitudeContrast. Paths count from the working folder or, where
 *                nothing is there, from the list's folder or the nearest one above it
 *   Warp         a folder NAME with NAME/reconstruction (warp_tiltseries): its TS_10.00Apx.mrc, each with NAME/TS.xml
 *   AreTomo      a folder with TS_Vol.mrc (not TS_EVN_Vol, TS_ODD_Vol, TS_2ND_Vol): TS_TLT.txt and TS_CTF.txt where they are
 *                there
 *   a folder     its .mrc, .rec, .em and .mrc.gz in the order of their names, each with what has its name and ends in .xml,
 *                .tomostar, .mdoc, .tlt or .rawtlt (the first of them that is there), .defocus, and _mask.mrc
 * *OUT is filled on success and all zero on failure.
 * Errors: HED_E_IO, HED_E_FORMAT (with line and column; two tomograms of one name; none), HED_E_NOMEM, HED_E_INVAL (NULL). Whether
 * the files of tomograms are there is not looked at. */
HED_API hed_status hed_tomograms_read(const char *path, hed_tomograms *out);

/* Frees what *T holds and makes it all zero; NULL: nothing. */
HED_API void hed_tomograms_clear(hed_tomograms *t);

HED_END_DECLS

#endif
