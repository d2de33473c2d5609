// SPDX-License-Identifier: BSD-3-Clause
/*
 * statistics.c: moments of all scores, and the cut-off that follows from them.
 *
 * Layer: L4, match kit. Looking at a rotation's scores costs about as much as a fifth of making them, so of many rotations
 * every few are looked at: the places are all there in each. The robust deviation is the median over blocks of the block's
 * mean square, which particles, being in few blocks, do not move. Sums are kept in double precision; the order in which
 * workers' sums come together changes their last bits, so what is given is rounded to single precision.
 */
#include "kits/match/analyze/statistics.h"
#include "kits/match/run/positions.h"
#include "kits/match/analyze/robust.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

hed_status hed__statistics_open(hed__statistics *s, hed_shape target)
{
  *s = (hed__statistics){ .grid = { 1, 1, 1 }, .blocks = 1, .lowest = INFINITY };
  for (int i = 0; i < target.ndim; i++) {
    const int64_t n = (target.dim[i] + HED__STATISTICS_BLOCK - 1) / HED__STATISTICS_BLOCK;
    s->grid[3 - target.ndim + i] = n;
    s->blocks *= (size_t)n;
  }
  if (!(s->count = calloc(3 * s->blocks, sizeof *s->count)))
    return hed_fail(HED_E_NOMEM, "hed_match_run: no memory for the statistics of %zu blocks", s->blocks);
  s->sum = s->count + s->blocks;
  s->squares = s->sum + s->blocks;
  return HED_OK;
}

void hed__statistics_close(hed__statistics *s)
{
  free(s->count);
  *s = (hed__statistics){ 0 };
}

void hed__statistics_merge(hed__statistics *s, hed__statistics *from)
{
  for (size_t i = 0; i < 3 * s->blocks; i++)
    s->count[i] += from->count[i];
  s->lowest = fminf(s->lowest, from->lowest);
  from->lowest = INFINITY;
  memset(from->count, 0, 3 * from->blocks * sizeof *from->count);
}

/* One row of a part; K and FROM are its first elements in the target and in the transform. */
static void add_row(hed__statistics *s, const hed__job *job, const hed__positions *p, const float *scores, size_t block,
                    size_t k, size_t from)
{
  const float *factor = job->factor ? (const float *)hed_array_data(job->factor) + from : NULL;
  const float *offset = job->offset ? (const float *)hed_array_data(job->offset) + from : NULL;
  for (int64_t x = p->first[2]; x < p->n[2]; x++) {
    const int64_t at = hed__negated(p, 2, x);
    float v = scores[from + (size_t)at];
    if (offset)
      v -= offset[at];
    if (factor)
      v *= factor[at];
    const bool flat = factor ? factor[at] == 0 : job->score->zeros && v == 0;
    if (flat || (job->scored && !job->scored[k + (size_t)x]))
      continue;
    const size_t b = block + (size_t)(p->begin[2] + x) / HED__STATISTICS_BLOCK;
    s->count[b] += 1;
    s->sum[b] += (double)v;
    s->squares[b] += (double)v * (double)v;
    s->lowest = v < s->lowest ? v : s->lowest;
  }
}

void hed__statistics_add(hed__statistics *s, const hed__job *job, const float *scores)
{
  const hed__positions p = hed__positions_of(job);
  for (int64_t z = p.first[0]; z < p.n[0]; z++)
    for (int64_t y = p.first[1]; y < p.n[1]; y++) {
      const int64_t bz = (p.begin[0] + z) / HED__STATISTICS_BLOCK, by = (p.begin[1] + y) / HED__STATISTICS_BLOCK;
      add_row(s, job, &p, scores, (size_t)((bz * s->grid[1] + by) * s->grid[2]), hed__in_target(&p, z, y),
              hed__in_transform(&p, z, y));
    }
}

size_t hed__statistics_stride(size_t n_rotations)
{
  enum { ENOUGH = 64, MOST = 16 };
  const size_t stride = n_rotations / ENOUGH;
  return stride < 1 ? 1 : stride < MOST ? stride : MOST;
}

/* Rounded to 24 bits, which every order of the sums gives; by bits, since gcc 12 loses a conversion to float and back where it
 * makes a vector of two. */
static double settled(double x)
{
  uint64_t u;
  memcpy(&u, &x, sizeof u);
  u = (u + (UINT64_C(1) << 28)) & ~((UINT64_C(1) << 29) - 1);
  memcpy(&x, &u, sizeof u);
  return x;
}

hed_status hed__statistics_give(const hed__statistics *s, size_t n_rotations, size_t allowed, double n_false_positives,
                                hed_match_result *out)
{
  const size_t stride = hed__statistics_stride(n_rotations), looked = (n_rotations + stride - 1) / stride;
  double *v = malloc(2 * s->blocks * sizeof *v), n = 0, sum = 0, squares = 0;
  double *mean = v, *square = v + s->blocks;
  size_t used = 0;
  if (!v)
    return hed_fail(HED_E_NOMEM, "hed_match_run: no memory for the statistics of %zu blocks", s->blocks);
  for (size_t i = 0; i < s->blocks; i++) {
    n += s->count[i];
    sum += s->sum[i];
    squares += s->squares[i];
    if (s->count[i] > 0)
      mean[used++] = s->sum[i] / s->count[i];
  }
  const double centre = used ? hed__median_sorted(mean, used) : 0;
  used = 0;
  for (size_t i = 0; i < s->blocks; i++)
    if (s->count[i] > 0)
      square[used++] = s->squares[i] / s->count[i] - centre * (2 * s->sum[i] / s->count[i] - centre);
  out->n_scores = allowed ? allowed : (uint64_t)llrint(n / (double)looked * (double)n_rotations);
  out->mean = n > 0 ? settled(sum / n) : 0;
  out->sigma = n > 0 ? settled(sqrt(fmax(squares / n - sum / n * (sum / n), 0))) : 0;
  out->sigma_robust = used ? settled(sqrt(fmax(hed__median_sorted(square, used), 0))) : 0;
  out->lowest = n > 0 ? (double)s->lowest : 0;
  out->n_false_positives = n_false_positives > 0 ? n_false_positives : 1;
  out->cutoff = settled(centre) + hed_match_cutoff(out->sigma_robust, (double)out->n_scores, out->n_false_positives);
  free(v);
  return HED_OK;
}

/* erfc(x) = y for 0 < y < 1, by Newton's method from an asymptotic start; the logarithm keeps it stable at tiny y. */
static double inverse_erfc(double y)
{
  const double root_pi = 1.77245385090551602730;
  double x = y > 0.5 ? (1 - y) * root_pi / 2 : sqrt(fmax(-log(y * root_pi * fmax(sqrt(-log(y)), 0.5)), 0.05));
  for (int i = 0; i < 60; i++) {
    const double e = erfc(x), step = (log(e) - log(y)) * e * root_pi / 2 * exp(x * x);
    x += step;
    if (fabs(step) < 1e-15 * fabs(x))
      break;
  }
  return x;
}

double hed_match_cutoff(double sigma, double n_scores, double n_false_positives)
{
  if (!(sigma > 0) || !(n_false_positives > 0) || !(n_scores > 2 * n_false_positives))
    return 0;
  return sigma * sqrt(2) * inverse_erfc(2 * n_false_positives / n_scores);
}
