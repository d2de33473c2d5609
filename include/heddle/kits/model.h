// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/model.h: atomic models (PDB, mmCIF) and the densities they give.
 *
 * Layer: public header of the match kit; needs nothing but <heddle.h>.
 *
 * Coordinates are in angstrom, physical (x, y, z); maps made from them are arrays with
 * axes (z, y, x), see map.h.
 *
 * Formats: wwPDB, "Atomic Coordinate Entry Format Description" version 3.3; S. R. Hall,
 * F. H. Allen and I. D. Brown, Acta Cryst. A47 (1991) 655-685 (CIF 1.1 syntax) with the
 * atom_site category of the PDBx/mmCIF dictionary.
 *
 * Thread-safety: as map.h.
 */
#ifndef HEDDLE_KITS_MODEL_H
#define HEDDLE_KITS_MODEL_H
#include <heddle.h>
#include <heddle/kits/map.h>

HED_BEGIN_DECLS

/* Atoms as a struct of arrays, each of n entries. All zero is an empty model. */
typedef struct hed_model {
  size_t n;
  double *x, *y, *z;      /* angstrom                                                     */
  double *occupancy;      /* as in the file; 1 where it says nothing                      */
  double *b;              /* isotropic B factor, angstrom^2; 0 where it says nothing      */
  uint8_t *atomic_number; /* 1..118; deuterium is 1; 0 for the unknown element "X"        */
} hed_model;

/* Reads the first model of a PDB or mmCIF file; which of the two it is, the content
 * decides, not the name. ATOM and HETATM count alike. Of alternate locations the one
 * that comes first in its residue is taken. The element is the element field, else it is
 * guessed from the atom name.
 *
 * *out is filled on success (release with hed_model_clear()) and all zero on failure.
 * Errors: HED_E_IO, HED_E_FORMAT (with line number: missing columns or fields, numbers
 * that are none, unknown element, unterminated quotes or loops, binary content, no
 * atoms), HED_E_NOMEM, HED_E_INVAL (NULL). */
HED_API hed_status hed_model_read(const char *path, hed_model *out);

/* The same from n bytes in memory; name is what messages call it. */
HED_API hed_status hed_model_parse(const char *name, const char *text, size_t n,
                                   hed_model *out);

/* Releases the arrays and sets *m to all zero. NULL is fine. */
HED_API void hed_model_clear(hed_model *m);

/* Density of a model, in electrons per cubic angstrom: each atom is a normalised Gaussian
 *   Z occ (2 pi sigma^2)^(-3/2) exp(-r^2 / (2 sigma^2)),  sigma = resolution / (pi sqrt 2),
 * sampled at voxel centres and cut at 5 sigma along each axis. This sigma makes the
 * Fourier transform fall to 1/e at the wave number 1/resolution; it is the convention of
 * UCSF Chimera's and ChimeraX's `molmap`
 * (https://www.cgl.ucsf.edu/chimerax/docs/user/commands/molmap.html). B factors are not
 * used.
 *
 * The centre of mass (weights Z occ) lies at the geometric centre (n - 1) / 2 of the box,
 * the point that rotations turn about, and out->origin maps voxels back to the model's
 * coordinates. With shape NULL the box is the smallest cube that holds every 5 sigma
 * tail. A given shape is 3-D (z, y, x); it must hold every atom's centre, tails that leave
 * it are cut.
 *
 * *out is filled on success (release with hed_map_clear()) and all zero on failure.
 * Errors: HED_E_INVAL (voxel or resolution not positive; resolution under two voxels,
 * which the grid cannot hold; no weight; a box of more than 1024 voxels along an axis),
 * HED_E_SHAPE (shape not 3-D or too small), HED_E_NOMEM. */
HED_API hed_status hed_model_to_map(const hed_model *m, double voxel_angstrom,
                                    double resolution_angstrom, const hed_shape *shape,
                                    hed_map *out);

HED_END_DECLS

#endif
