// SPDX-License-Identifier: BSD-3-Clause
/* A table of peaks against the truth.
 *
 * Layer: L4, match kit. Pairs are made greedily, nearest first; with a tolerance below half the particles' distance
 * every row has at most one candidate and the order does not matter.
 */
#include "kits/match/run/job.h"
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>

typedef struct pair {
  double distance;
  size_t found, truth;
} pair;

static int nearest_first(const void *a, const void *b)
{
  const pair *p = a, *q = b;
  if (p->distance != q->distance)
    return p->distance < q->distance ? -1 : 1;
  if (p->found != q->found)
    return p->found < q->found ? -1 : 1;
  return p->truth < q->truth ? -1 : p->truth > q->truth;
}

static double distance(const hed_table_row *a, const hed_table_row *b)
{
  double s = 0;
  for (int i = 0; i < 3; i++)
    s += (a->position[i] - b->position[i]) * (a->position[i] - b->position[i]);
  return sqrt(s);
}

/* All pairs within the tolerance, nearest first; two passes, the first counts. */
static hed_status pairs_within(const hed_table *found, const hed_table *truth, double tolerance, pair **out,
                               size_t *n)
{
  pair *p = NULL;
  for (int pass = 0; pass < 2; pass++) {
    *n = 0;
    for (size_t i = 0; i < found->n; i++)
      for (size_t k = 0; k < truth->n; k++) {
        double d = distance(&found->row[i], &truth->row[k]);
        if (!(d <= tolerance))
          continue;
        if (p)
          p[*n] = (pair){ d, i, k };
        ++*n;
      }
    if (!p && !(p = malloc((*n + 1) * sizeof *p)))
      return hed_fail(HED_E_NOMEM, "hed_match_compare: no memory for %zu pairs", *n);
  }
  qsort(p, *n, sizeof *p, nearest_first);
  *out = p;
  return HED_OK;
}

static double angle_between(const hed_table_row *a, const hed_table_row *b)
{
  double p[9], q[9];
  hed_rotation_from_euler(a->euler, p);
  hed_rotation_from_euler(b->euler, q);
  return hed_rotation_angle(p, q);
}

hed_status hed_match_compare(const hed_table *found, const hed_table *truth, double tolerance, hed_match_quality *out,
                             int64_t *partner)
{
  pair *p = NULL;
  size_t n = 0;
  if (!found || !truth || !out)
    return hed_fail(HED_E_INVAL, "hed_match_compare: an argument is NULL");
  if (!(tolerance >= 0))
    return hed_fail(HED_E_INVAL, "hed_match_compare: tolerance %g", tolerance);
  *out = (hed_match_quality){ .truth = truth->n, .found = found->n };
  bool *used_found = calloc(found->n + 1, 1), *used_truth = calloc(truth->n + 1, 1);
  hed_status status = used_found && used_truth ? pairs_within(found, truth, tolerance, &p, &n)
                                               : hed_fail(HED_E_NOMEM, "hed_match_compare: no memory");
  for (size_t i = 0; partner && i < found->n; i++)
    partner[i] = -1;
  for (size_t i = 0; status == HED_OK && i < n; i++) {
    if (used_found[p[i].found] || used_truth[p[i].truth])
      continue;
    used_found[p[i].found] = used_truth[p[i].truth] = true;
    double angle = angle_between(&found->row[p[i].found], &truth->row[p[i].truth]);
    out->hits++;
    out->position_mean += p[i].distance;
    out->position_max = fmax(out->position_max, p[i].distance);
    out->angle_mean += angle;
    out->angle_max = fmax(out->angle_max, angle);
    if (partner)
      partner[p[i].found] = (int64_t)p[i].truth;
  }
  out->recall = truth->n ? (double)out->hits / (double)truth->n : NAN;
  out->precision = found->n ? (double)out->hits / (double)found->n : NAN;
  if (out->hits) {
    out->position_mean /= (double)out->hits;
    out->angle_mean /= (double)out->hits;
  } else {
    out->position_mean = out->position_max = out->angle_mean = out->angle_max = NAN;
  }
  free(p);
  free(used_found);
  free(used_truth);
  return status;
}
