// SPDX-License-Identifier: BSD-3-Clause
/* Points, peaks and assignments. Operands may lie in any memory space; the work is done on the host and results are made
 * in the current context's space. Conventions: <heddle/ops.h>. */
#ifndef HEDDLE_OPS_POINTS_H
#define HEDDLE_OPS_POINTS_H

#include <heddle/array.h>

HED_BEGIN_DECLS

/* Greedy thinning: points (rows of POINTS, (n, d)) are taken in descending order of SCORES (n; NULL: as listed), ties by
 * lowest index, and one is kept when no kept one is closer than MIN_DISTANCE. The indices of the kept ones in that order,
 * int64. NaN scores come last. */
HED_NEW hed_array *hed_filter_points_indices(const hed_array *points, double min_distance, const hed_array *scores);

/* Rows and columns of the assignment of least (MAXIMIZE: largest) sum of COST (m, n): each row has at most one column and
 * the other way round, min(m, n) pairs by ascending row, int64. COST is finite; -inf, NaN and +inf are HED_E_INVAL.
 * Shortest augmenting paths: R. Jonker, A. Volgenant, Computing 38 (1987), for rectangles as D. F. Crouse, IEEE Trans.
 * Aerosp. Electron. Syst. 52 (2016). */
HED_API hed_status hed_linear_sum_assignment(const hed_array *cost, bool maximize, hed_array **rows, hed_array **columns);

typedef struct hed_find_peaks_options {
  bool use_height;
  double height;       /* least value */
  int64_t distance;    /* least distance in elements: lower peaks nearer to a higher one go; 0 = 1 */
  double prominence;   /* least prominence; 0 = any */
} hed_find_peaks_options;

/* Places of the local maxima of X (one axis): elements larger than both neighbours, and of a plateau the middle (rounded
 * down). Ends are none. Filtered by height, then distance, then prominence: how far one has to go down from the peak
 * before something higher comes, on the side where it is less. PROMINENCES (may be NULL) is float64, or float32 on a
 * device without. */
HED_API hed_status hed_find_peaks(const hed_array *x, const hed_find_peaks_options *opt, hed_array **peaks,
                                  hed_array **prominences);

/* Cluster of each point (rows of (n, d)), int64, from 0 in order of their first cores; -1 is noise. A point with at
 * least MIN_POINTS points (itself too) within EPS is a core; cores within EPS of each other are one cluster, and other
 * points belong to the first such cluster. M. Ester, H.-P. Kriegel, J. Sander, X. Xu, KDD 1996. */
HED_NEW hed_array *hed_dbscan(const hed_array *points, double eps, int64_t min_points);

typedef struct hed_peak_local_max_options {
  int64_t min_distance;  /* 0 = 1: peaks are maxima of boxes of edge 2 min_distance + 1, and none within a box of another */
  bool use_threshold;
  double threshold;      /* peaks are above it; default above the least element */
  int64_t border;        /* elements next to a side that are no peaks */
  int64_t num_peaks;     /* at most, the highest; 0 = all */
} hed_peak_local_max_options;

/* Coordinates (n, ndim) of local maxima in descending order of value, ties in C order; int64. */
HED_NEW hed_array *hed_peak_local_max(const hed_array *x, const hed_peak_local_max_options *opt);

HED_END_DECLS

#endif
