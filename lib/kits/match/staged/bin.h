// SPDX-License-Identifier: BSD-3-Clause
/* Arrays binned by two along each axis.
 *
 * Layer: L4, match kit, internal.
 */
#ifndef HEDDLE_KITS_MATCH_STAGED_BIN_H
#define HEDDLE_KITS_MATCH_STAGED_BIN_H
#include <heddle.h>
#include <heddle/kits/filter.h>

/* X (2-D or 3-D, real) as means of 2 voxels along each axis, (n + 1) / 2 of them, float32, host memory. Bins begin at voxel 0;
 * CENTRED: they lie about the middle (n - 1) / 2, so that turns about that stay turns about the middle. What they reach beyond X is 0
 * with CENTRED, and not counted without. NULL: error. */
hed_array *hed__binned(const char *op, const hed_array *x, bool centred);

/* Where the voxel n / 2 of a template of N voxels lies in the target when that of its binned one lies at J of the binned target; to
 * half a voxel where N is odd. */
int64_t hed__unbinned_place(int64_t n, int64_t j);

/* F for voxels of twice the size: *OUT, whose profile is *PROFILE, the caller's. False: it cannot be, as it has GIVEN values. */
bool hed__filter_binned(const hed_match_filter *f, hed_match_filter *out, hed_array **profile);

/* How much of the energy of TMPL in its MASK, behind its FILTER (over its half spectrum, or NULL), lies at frequencies that voxels of
 * twice the size do not have: beyond a quarter per voxel along some axis. */
hed_status hed__binning_loss(const hed_array *tmpl, const hed_array *mask, const hed_array *filter, double *loss);

#endif
