// SPDX-License-Identifier: BSD-3-Clause
/* Rows that are refined, for a caller that keeps account of them.
 *
 * Layer: L4, match kit, internal.
 */
#ifndef HEDDLE_KITS_MATCH_REFINE_ROWS_H
#define HEDDLE_KITS_MATCH_REFINE_ROWS_H
#include <heddle/kits/refine.h>

/* hed_match_refine() of START's rows FROM, FROM + 1, ... into ROW, which has those before and room for all; *TAKEN is counted on.
 * After each of them KEEP (NULL: not called) gets how many there are; what it fails with ends it. */
hed_status hed__refine_rows(const hed_refine_options *opt, const hed_array *target, const hed_array *tmpl, const hed_array *mask,
                            const hed_table *start, size_t from, hed_table_row *row, size_t *taken,
                            hed_status (*keep)(void *arg, size_t rows), void *arg);

#endif
