// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/table.h: tables of particles (peaks found, or the truth of a simulation).
 *
 * Layer: public header of the match kit; needs nothing but <heddle.h>.
 *
 * A table is a text file of tab-separated values with one line of column names:
 *   id  z  y  x  z_angstrom  y_angstrom  x_angstrom  phi  theta  psi  score
 * z, y, x are voxels counted from 0 (the centre of the first voxel); the next three are
 * the same position in angstrom (origin + voxel size x position); phi, theta, psi are
 * degrees, intrinsic ZYZ (rotation.h). Lines that start with # are comments. Numbers have a
 * point whatever the locale. Columns of other names are kept as text, and so are those of other programs' tables: what is
 * written again has them.
 *
 * Thread-safety: as map.h.
 */
#ifndef HEDDLE_KITS_TABLE_H
#define HEDDLE_KITS_TABLE_H
#include <heddle.h>

HED_BEGIN_DECLS

typedef struct hed_table_row {
  int64_t id;
  double position[3];   /* voxels, (z, y, x)                       */
  double angstrom[3];   /* the same position in angstrom, (z, y, x)   */
  double euler[3];      /* phi, theta, psi, degrees                */
  double score;
  const char *tomogram; /* its name, or number in digits; NULL: not said. Readers let it point into the table's text */
  const char *more;     /* values of the table's columns, tabs between, as many; NULL where it has none               */
} hed_table_row;

typedef struct hed_table {
  size_t n;
  hed_table_row *row;  /* owned, from malloc(); hed_table_clear() frees it */
  const char *columns; /* names of columns that are kept as text, tabs between; NULL: none. Those of Dynamo are dynamo21 and so on */
  const char *missing; /* columns of angles and scores that the file had not, commas between, which are 0 in the rows; NULL: none   */
  const char *blocks;  /* the other blocks of a STAR file, the optics among them; NULL: none                                       */
  const char *text;    /* owned, from malloc(): what a reader lets the above and the rows point into                             */
  double voxel[3];     /* what the file says of the size of voxels, angstrom, (z, y, x); 0: nothing, or several. Of RELION 5,
                          whose places are in angstrom, only where the frame says nothing */
} hed_table;

/* Writes a table; the file appears complete or not at all. comment (NULL: none; no line
 * breaks) becomes a first line "# comment". Values are written with 9 significant digits.
 * Errors: HED_E_INVAL (NULL; not finite, with row and column; rows that do not keep as many words as there are columns),
 * HED_E_IO, HED_E_NOMEM. */
HED_API hed_status hed_table_write(const char *path, const hed_table *t,
                                   const char *comment);

/* Reads a table. Columns are found by name and may come in any order; z, y and x must be
 * there; without an id rows count from 1, other columns that are missing are 0, columns
 * with other names are kept. pyTME's names are known by euler_x, y, z. A table without rows is fine.
 * *out is filled on success and all zero on failure.
 * Errors: HED_E_IO, HED_E_FORMAT (with line and column), HED_E_NOMEM, HED_E_INVAL. */
HED_API hed_status hed_table_read(const char *path, hed_table *out);

/* Tables of other programs. With F = Rz(phi) Ry(theta) Rz(psi) the matrix that takes the template to the particle:
 *   RELION   3.1 and 4 STAR files: rlnCoordinateX, Y, Z in voxels from 0, rlnAngleRot, Tilt, Psi, rlnLCCmax. The angles are those
 *            of F transposed, Rz(rot) Ry(tilt) Rz(psi'): rot = 180 - psi, tilt = theta, psi' = 180 - phi. Read are also
 *            rlnAutopickFigureOfMerit and pytmeScore in the place of rlnLCCmax; rlnTomoSubtomogramRot, Tilt, Psi, by whose F that of
 *            the others is multiplied; rlnOriginX, Y, ZAngst or rlnOriginX, Y, Z, turned by it and taken off places; rlnTomoName or
 *            rlnMicrographName; the size of voxels from data_optics (rlnTomoTiltSeriesPixelSize, rlnImagePixelSize) or the rows
 *   RELION5  the same with rlnCenteredCoordinateX, Y, ZAngst: angstrom from the middle of the tomogram (hed_table_frame)
 *   DYNAMO   .tbl: columns 24 to 26 are x, y, z in voxels counted from 1, to which 4 to 6 are added; 7 to 9 are tdrot, tilt and
 *            narot, F = Rz(-tdrot) Rx(-tilt) Rz(-narot); 1 is the id, 10 the score, 20 the
 *            tomogram's number, 36 the size of voxels; 41 columns are written, 26 and more read
 *   STOPGAP  motive list (STAR): orig_x, y, z in voxels counted from 1, to which the shifts are added; F = Rz(psi) Rx(the) Rz(phi);
 *            tomo_num is the tomogram's number
 *   PYTME    tab-separated x, y, z in voxels from 0, euler_x, y, z as RELION's angles, score, detail
 *   COORDINATES  x, y, z in voxels from 0, a line each, as IMOD's model2point has them (object and contour stand before them)
 *   NAPARI   index,axis-0,axis-1,axis-2: z, y, x in voxels from 0
 *   CHIMERAX markers (.cmm) in angstrom
 * Of STAR files the loop that has places is taken, whichever of the three kinds it is. Where a format has numbers for tomograms,
 * names that are no numbers count in the order of their first rows. */
typedef enum hed_table_format {
  HED_TABLE_TSV, HED_TABLE_RELION, HED_TABLE_DYNAMO, HED_TABLE_RELION5, HED_TABLE_STOPGAP, HED_TABLE_PYTME, HED_TABLE_COORDINATES,
  HED_TABLE_NAPARI, HED_TABLE_CHIMERAX,
  HED_TABLE_BY_CONTENT = -1 /* for reading alone: told from the first lines */
} hed_table_format;

/* "tsv", "star", "tbl", "relion5", "stopgap", "pytme", "coords", "napari", "cmm"; NULL when FORMAT is none. */
HED_API const char *hed_table_format_name(int format);

/* What such a file says, or does not say, of the tomogram. All zero is the default. */
typedef struct hed_table_frame {
  double voxel[3], origin[3]; /* angstrom, (z, y, x); a voxel of 0: what the file or the table says, else 1 */
  const char *tomogram;       /* its name where rows say none; NULL: "tomogram" */
  int64_t extent[3];          /* voxels, (z, y, x); for RELION 5      */
  double binning;             /* voxels of the unbinned tomogram along one of these; 0: 1 */
  int64_t unbinned[3];        /* its voxels; 0: extent times binning  */
  bool half_less_one;         /* RELION 5: its middle is N / 2 - 1, a habit of some pickers, instead of N / 2 */
} hed_table_frame;

/* Write and read (FORMAT: hed_table_format) as hed_table_write() and hed_table_read() do. Angles and scores that are not there
 * are 0 (missing). Errors as theirs; HED_E_FORMAT names the line and the column, HED_E_INVAL a format that there is not, a name with
 * blanks, RELION 5 without the tomogram's extents, and kept words that such a file cannot have. FRAME may be NULL. */
HED_API hed_status hed_table_write_as(const char *path, const hed_table *t, int format, const hed_table_frame *frame);
HED_API hed_status hed_table_read_as(const char *path, int format, const hed_table_frame *frame, hed_table *out);

/* How many kinds of things in T a table of FORMAT has no place for, columns that are kept each one; TEXT of ROOM bytes gets their
 * names, commas between, as far as they fit (TEXT may be NULL where ROOM is 0). 0 for NULL and formats that there are not. */
HED_API int hed_table_omits(const hed_table *t, int format, char *text, size_t room);

/* Frees the rows and texts and sets *t to all zero. NULL is fine. */
HED_API void hed_table_clear(hed_table *t);

HED_END_DECLS

#endif
