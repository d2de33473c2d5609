// SPDX-License-Identifier: BSD-3-Clause
/* What lists of rotations share.
 *
 * Layer: L4, match kit, internal.
 */
#ifndef HEDDLE_KITS_MATCH_ROTATION_SETS_H
#define HEDDLE_KITS_MATCH_ROTATION_SETS_H
#include <heddle/kits/rotation.h>

enum { HED__LARGEST_GROUP = 128 };

/* Members of the point group SYMMETRY (NULL: C1) as matrices (room for HED__LARGEST_GROUP), its letter, and its number for Cn
 * and Dn. HED_E_INVAL: there is no such group. */
hed_status hed__group_of(const char *op, const char *symmetry, double *group, size_t *n, char *letter, int *fold);

#endif
