// SPDX-License-Identifier: BSD-3-Clause
/* heddle/kits/rotation.h: rotation matrices, Euler angles, quaternions, and sampling.
 *
 * Layer: public header of the match kit; needs nothing but <heddle.h>.
 *
 * Conventions, used by the whole kit:
 * - A rotation matrix is row-major, double, and acts on column vectors of coordinates in
 *   ARRAY AXIS ORDER, (z, y, x) in three and (y, x) in two dimensions.
 * - Euler angles (phi, theta, psi) are degrees and describe the same rotation in physical
 *   order (x, y, z): M = Rz(phi) Ry(theta) Rz(psi), that is intrinsic ZYZ (turn about z by
 *   phi, about the new y by theta, about the new z by psi), right-handed, active.
 * - Quaternions are (w, x, y, z), in physical axes too.
 * - The two matrices are related by reversing the axes: R[i][j] = M[2-i][2-j].
 *
 * Thread-safety: all functions are pure.
 */
#ifndef HEDDLE_KITS_ROTATION_H
#define HEDDLE_KITS_ROTATION_H
#include <heddle.h>

HED_BEGIN_DECLS

/* Matrix (9 doubles, z y x) of Euler angles (3 doubles: phi, theta, psi in degrees). */
HED_API void hed_rotation_from_euler(const double euler[3], double matrix[9]);

/* Euler angles of a matrix: phi and psi in (-180, 180], theta in [0, 180]; where theta is
 * 0 or 180 only phi + psi or phi - psi is defined and psi is 0. */
HED_API void hed_rotation_to_euler(const double matrix[9], double euler[3]);

/* Matrix of a quaternion (w, x, y, z), which need not be normalised; HED_E_INVAL when it
 * is zero or not finite. */
HED_API hed_status hed_rotation_from_quaternion(const double q[4], double matrix[9]);

/* Unit quaternion of a matrix, the one of the two with w >= 0. */
HED_API void hed_rotation_to_quaternion(const double matrix[9], double q[4]);

/* Matrix (4 doubles, y x) of a turn by an angle in degrees, from x towards y. */
HED_API void hed_rotation_from_angle(double degrees, double matrix[4]);

/* Geodesic distance of two rotations (3 x 3): the angle in degrees, 0..180, of the
 * rotation that takes one to the other. Exact to rounding at both ends of the range. */
HED_API double hed_rotation_angle(const double a[9], const double b[9]);

/* Rotations that cover all orientations evenly at an angular step; deterministic, the
 * first is the identity.
 *
 * ndim 3: a super-Fibonacci spiral (M. Alexa, CVPR 2022, "Super-Fibonacci Spirals: Fast,
 *   Low-Discrepancy Sampling of SO(3)"), turned so that it starts at the identity, with
 *   n = max(1, round(55 / s^3)), s the step in radians: 10 degrees 10345, 20 degrees 1293.
 *   A step of 180 or more gives the identity alone. 55 was fitted: the covering radius
 *   (how far from the nearest sample an orientation can be) is then about the step; measured
 *   with 400 000 random orientations 0.96 to 1.07 steps for steps of 7 to 25 degrees. In the
 *   root mean square an orientation is 0.57 steps away from the nearest sample.
 * ndim 2: n = ceil(360 / step) angles 0, 360/n, ... from x towards y.
 *
 * *matrices gets n row-major matrices of ndim x ndim doubles, one after another, to be
 * released with free(); *n their number. On failure both are NULL and 0.
 * Errors: HED_E_INVAL (ndim; step not positive, or so small that more than 100 million
 * rotations would result), HED_E_NOMEM. */
HED_API hed_status hed_rotations_sample(int ndim, double step_degrees, double **matrices,
                                        size_t *n);

/* Directions of equal area (HEALPix, the least nside with 12 nside^2 >= 4 pi / step^2) times ceil(range / step) turns in their
 * plane, as other programs' lists have them. SYMMETRY (NULL: "C1"): a point group as for hed_rotations_reduce(); of Cn and Dn
 * exactly a fundamental domain is sampled (a range of 360 / n degrees, half of the directions), of others what
 * hed_rotations_reduce() leaves. Ownership and errors as for hed_rotations_sample(), and HED_E_INVAL for a symmetry. */
HED_API hed_status hed_rotations_healpix(double step_degrees, const char *symmetry, double **matrices, size_t *n);

/* Rotations that bring the particle's z axis to within HALF_ANGLE degrees of AXIS (x, y, z): points of a spiral on the cap,
 * ceil(2 pi (1 - cos half_angle) / step^2) of them, each with turns about the particle's axis that cover IN_PLANE degrees
 * round that of the shortest way, at the step. Half angle up to 180, in_plane up to 360. Ownership and errors as above. */
HED_API hed_status hed_rotations_cone(const double axis[3], double half_angle, double step_degrees, double in_plane,
                                      double **matrices, size_t *n);

/* Keep, of N 3 x 3 MATRICES at a step, those that a particle of point group SYMMETRY needs: a rotation R stays when it is the
 * one of all R S, S in the group, nearest to the identity; across the seam of that domain, and of lists that do not cover it, those
 * without which an orientation would be farther from all R S than from the whole list, by more than a few hundredths of a step. Of a
 * list of all orientations one in as many stays as the group has members, all but a few in a hundred. "C1" to "C64", "D1" to "D64",
 * "T", "O", "I"; axes as RELION has them: n-fold along z, Dn twofold along x, T threefold and O fourfold along z, I (I2) twofold
 * along z and fivefold in the x-z plane. A step of 0: of mates that are equal one stays. *N becomes their number, their order stays.
 * Errors: HED_E_INVAL, HED_E_NOMEM. */
HED_API hed_status hed_rotations_reduce(const char *symmetry, double step_degrees, double *matrices, size_t *n);

/* Rotations within ANGLE degrees (0..180) of MATRIX, at a step: hed_rotations_sample() about the identity, MATRIX times those.
   There is
 * always MATRIX itself. Ownership and errors as for hed_rotations_sample(). */
HED_API hed_status hed_rotations_around(const double matrix[9], double angle, double step_degrees, double **matrices, size_t *n);

/* The step in degrees at which turning moves the edge of a particle of DIAMETER by RESOLUTION, in the same unit: resolution over
 * diameter, in radians (R. A. Crowther et al., Proc. R. Soc. A 317 (1970) 319-340). At most 180; 0 where either is not above 0. */
HED_API double hed_rotations_step(double diameter, double resolution);

typedef enum hed_euler {
  HED_EULER_ZYZ, /* Rz(first) Ry(second) Rz(third), as everywhere here */
  HED_EULER_ZXZ  /* Rz(first) Rx(second) Rz(third)                     */
} hed_euler;

/* A list of rotations from a file, by content: three columns of Euler angles in degrees (CONVENTION: hed_euler), four of a quaternion
 * (w, x, y, z), a STAR file with rlnAngleRot, Tilt and Psi (table.h says how they relate), an .npy of n x 3 x 3 matrices (z, y, x).
 * Lines may have comments (#). Ownership as for hed_rotations_sample(). Errors: HED_E_IO, HED_E_FORMAT (with line), HED_E_NOMEM,
 * HED_E_INVAL. */
HED_API hed_status hed_rotations_read(const char *path, int32_t convention, double **matrices, size_t *n);

HED_END_DECLS

#endif
