// SPDX-License-Identifier: BSD-3-Clause
/*
 * heddle/kits/map.h: density maps and images in MRC2014/CCP4 files.
 *
 * Layer: public header of the match kit; needs nothing but <heddle.h>.
 *
 * Everything that has one number per axis is in ARRAY AXIS ORDER, (z, y, x), also the
 * voxel size and the origin; lengths are in angstrom. Values in memory are float32,
 * whatever the file stores: every mode that is read fits into float32 without loss.
 *
 * Format: A. Cheng et al., J. Struct. Biol. 192 (2015) 146-150, and CCP-EM's page
 * https://www.ccpem.ac.uk/mrc_format/mrc2014.php; the sign of mode 0 bytes follows the
 * "IMOD" words of https://bio3d.colorado.edu/imod/doc/mrc_format.txt.
 *
 * Thread-safety: functions may run in any number of threads at once on different
 * hed_map objects; one object belongs to one thread at a time.
 */
#ifndef HEDDLE_KITS_MAP_H
#define HEDDLE_KITS_MAP_H
#include <heddle.h>

HED_BEGIN_DECLS

/* A map in memory. All zero is an empty one; hed_map_clear() releases what it owns. */
typedef struct hed_map {
  hed_array *data;   /* owned; float32 after reading. 2-D (y, x): an image; 3-D (z, y, x):
                        a volume or a stack of images; 4-D: a stack of volumes            */
  double voxel[3];   /* edge of a voxel in angstrom, (z, y, x); 0: not known             */
  double origin[3];  /* angstrom, (z, y, x): where the centre of the first voxel lies     */
  bool stack;        /* a 3-D array is a stack of images (space group 0), not a volume    */
  int mode;          /* mode of the file that was read; not looked at by hed_map_write()  */
  char label[81];    /* first label, printable ASCII; "": none                            */
} hed_map;

/* Reads modes 0 (int8; unsigned where IMOD says so), 1 (int16), 2 (float32), 6 (uint16)
 * and 12 (float16), little and big endian, any order of axes (the result is always
 * z, y, x), with an extended header (skipped). A file with one section gives a 2-D array;
 * space group 401 and up gives a 4-D one. The origin is the ORIGIN words, or where these
 * are zero NSTART x voxel size.
 *
 * *out is filled on success (data is new, owned by the caller, in host memory) and all
 * zero on failure; what it held before is not released.
 * Errors: HED_E_IO (cannot be read), HED_E_FORMAT (not a map; corrupt stamp or header;
 * shorter or longer than the header says; NaN or infinite values, with their count and
 * first position), HED_E_UNSUPPORTED (other modes, oblique cells), HED_E_NOMEM,
 * HED_E_INVAL (NULL). */
HED_API hed_status hed_map_read(const char *path, hed_map *out);

/* Writes a little-endian MRC2014 file in the given mode (0, 1, 2, 6 or 12), with the
 * statistics of the values as stored. Integer modes round to nearest, ties to even.
 * m->data is 2-D, 3-D or 4-D of any real dtype and stays the caller's. The file appears
 * under its name complete or not at all; a symbolic link is followed.
 * Errors: HED_E_INVAL (mode, NaN or infinite value, value out of the mode's range, bad
 * voxel size), HED_E_SHAPE (dimensions), HED_E_IO, HED_E_NOMEM. */
HED_API hed_status hed_map_write(const char *path, const hed_map *m, int mode);

/* MAP (2-D or 3-D, its voxel size known) at another voxel size, the same along each axis, by cutting or filling up its Fourier
 * transform; its geometric centre (n - 1) / 2 stays where it is. The result's voxel size differs from VOXEL by at most 0.2 %:
 * MAP is filled up with the mean of its faces first. Extents become those of MAP in VOXEL, rounded up to odd. *OUT is float32
 * in host memory, filled on success and all zero on failure.
 * Errors: HED_E_INVAL (NULL; voxel sizes unknown or not positive; more than 4096 voxels along an axis), HED_E_SHAPE,
 * HED_E_DTYPE, HED_E_NOMEM. */
HED_API hed_status hed_map_resample(const hed_map *map, double voxel, hed_map *out);

/* Releases the array and sets *m to all zero. NULL is fine. */
HED_API void hed_map_clear(hed_map *m);

HED_END_DECLS

#endif
