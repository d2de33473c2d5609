// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/map.h: density maps and images in MRC2014/CCP4 files.
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
  bool stack;        /* a 3-D array is a stack of images, not a volume                    */
  int mode;          /* mode of the file that was read; not looked at by hed_map_write()  */
  char label[81];    /* first label, printable ASCII; "": none                            */
  char warning[160]; /* of the file that was read, what was odd about it; "": nothing     */
} hed_map;

/* Reads modes 0 (int8; unsigned where IMOD says so), 1 (int16), 2 (float32), 6 (uint16),
 * 12 (float16) and 101 (4 bits, rows padded to bytes), little and big endian, any order of
 * axes (the result is always z, y, x), with an extended header (skipped); EM files of bytes,
 * int16 and float32 (their voxel size is not known); both as they are or compressed with
 * gzip. A file with one section gives a 2-D array; space group 401 and up gives a 4-D one;
 * space group 0 means a stack of images unless MZ is the number of sections, as programs
 * write it for volumes. The origin is the ORIGIN words, or where these are zero NSTART x
 * voxel size. Machine stamps 00 00, 44 00, 44 20 and ff ff, which say nothing, and bytes
 * behind the last voxel are accepted where mode and extents agree on one byte order, and
 * said in out->warning.
 *
 * *out is filled on success (data is new, owned by the caller, in host memory) and all
 * zero on failure; what it held before is not released.
 * Errors: HED_E_IO (cannot be read), HED_E_FORMAT (not a map; corrupt stamp or header;
 * shorter than the header says; NaN or infinite values, with their count and first
 * position), HED_E_UNSUPPORTED (other modes, oblique cells, gzip without zlib),
 * HED_E_NOMEM, HED_E_INVAL (NULL). */
HED_API hed_status hed_map_read(const char *path, hed_map *out);

/* All zero is hed_map_read(). */
typedef struct hed_map_reading {
  bool nan_mean; /* voxels that are NaN become the mean of the others                    */
  bool volume;   /* the sections are those of one volume, whatever the header says       */
} hed_map_reading;
HED_API hed_status hed_map_read_as(const char *path, const hed_map_reading *opt, hed_map *out);

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

/* Fourier shell correlation of two maps of one shape (2-D or 3-D, real): Re sum A conj(B) / sqrt(sum |A|^2 sum |B|^2) over frequencies
 * whose shell, |k| times the least extent, rounds to 0, 1, ... up to the Nyquist frequency: shell i has a period of least extent / i
 * voxels. 0 where one of them has nothing. *FSC has *N doubles from malloc(); NULL and 0 on failure. Errors: HED_E_INVAL,
 * HED_E_SHAPE, HED_E_DTYPE, HED_E_NOMEM. (G. Harauz, M. van Heel, Optik 73 (1986) 146-156) */
HED_API hed_status hed_map_fsc(const hed_array *a, const hed_array *b, double **fsc, size_t *n);

/* The shell, linear between, where FSC first falls below THRESHOLD (0.143, 0.5), shell 0 left out; 0: it does not. */
HED_API double hed_map_fsc_crossing(const double *fsc, size_t n, double threshold);

/* Releases the array and sets *m to all zero. NULL is fine. */
HED_API void hed_map_clear(hed_map *m);

HED_END_DECLS

#endif
