// SPDX-License-Identifier: BSD-3-Clause
/* A filter over a target that ends somewhere, and has padding in it.
 *
 * Layer: L4, match kit, internal.
 */
#ifndef HEDDLE_KITS_MATCH_FILTER_APPLY_H
#define HEDDLE_KITS_MATCH_FILTER_APPLY_H
#include "kits/match/run/job.h"

/* X (float32, of the current context's space) behind FILTER, of its own extents again; uses X up. KNOWN: 0 where X is padding, NULL:
 * nowhere; FACES: hed_faces. *MADE (NULL: not wanted): the filter over the box that was transformed, the caller's. */
hed_array *hed__apply_filter(hed_array *x, const uint8_t *known, int32_t faces, const hed_match_filter *filter, hed_array **made);
/* Bytes that this takes beside X, at most. */
double hed__apply_filter_memory(hed_shape target, int32_t faces);

/* voids.c: where V, N voxels along each axis (padded to three in front), is known, from malloc(); NULL where it is everywhere, where
 * fewer than LEAST voxels are padding, and where all is. *N_VOID: how many are padding then. HED_E_NOMEM. */
hed_status hed__find_voids(const char *op, const float *v, const int64_t n[3], size_t least, uint8_t **known, size_t *n_void);

#endif
