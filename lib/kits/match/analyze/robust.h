// SPDX-License-Identifier: BSD-3-Clause
/* Medians that outliers do not move.
 *
 * Layer: L4, match kit, internal.
 */
#ifndef HEDDLE_KITS_MATCH_ANALYZE_ROBUST_H
#define HEDDLE_KITS_MATCH_ANALYZE_ROBUST_H
#include <heddle.h>

/* Positive float32 numbers, counted by sign, exponent and 8 bits of the fraction: what is read off is right to 0.4 %, and
 * counts of parts add up to those of the whole. From calloc(). */
typedef struct hed__spread { uint64_t count[65536]; } hed__spread;
void hed__spread_add(hed__spread *s, float value);
/* The median of those above LEAST times the largest; 0 without any. */
double hed__spread_median(const hed__spread *s, double least);
uint64_t hed__spread_below(const hed__spread *s, double limit);

/* Exact lower median of N > 0 values V; in a second form of their distances from CENTRE, those of 0 left out (0 where all
 * are). Reads V four times, keeps nothing. HED_E_NOMEM. */
hed_status hed__median(const float *v, size_t n, double *out);
hed_status hed__median_distance(const float *v, size_t n, double centre, double *out);

/* The same of doubles, which it puts in order. */
double hed__median_sorted(double *v, size_t n);

#endif
