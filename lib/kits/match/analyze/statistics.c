// SPDX-License-Identifier: BSD-3-Clause
/* Moments of all scores, and the cut-off that follows from them.
 *
 * Layer: L4, match kit. Of many rotations every few are looked at: the places are all there in each. A block's sums are made in single
 * precision by lanes that lie side by side, and go on in double. The robust deviation is the median over blocks of the block's
 * mean square, which particles, being in few blocks, do not move. Sums are kept in double precision; the order in which
 * workers' sums come together changes their last bits, so what is given is rounded to single precision.
 */
#include "base/invariant.h"
#include "kits/match/analyze/statistics.h"
#include "kits/match/run/positions.h"
#include "kits/match/analyze/robust.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { B = HED__STATISTICS_BLOCK };

hed_status hed__statistics_open(hed__statistics *s, hed_shape target)
{
  *s = (hed__statistics){ .grid = { 1, 1, 1 }, .blocks = 1, .lowest = INFINITY };
  for (int i = 0; i < target.ndim; i++) {
    const int64_t n = (target.dim[i] + B - 1) / B;
    s->grid[3 - target.ndim + i] = n;
    s->blocks *= (size_t)n;
  }
  if (!(s->sums = calloc(HED__SUMS * s->blocks, sizeof *s->sums)))
    return hed_fail(HED_E_NOMEM, "hed_match_run: no memory for the statistics of %zu blocks", s->blocks);
  return HED_OK;
}

void hed__statistics_close(hed__statistics *s)
{
  free(s->sums);
  *s = (hed__statistics){ 0 };
}

void hed__statistics_reset(hed__statistics *s)
{
  memset(s->sums, 0, HED__SUMS * s->blocks * sizeof *s->sums);
  s->lowest = INFINITY;
}

void hed__statistics_merge(hed__statistics *s, hed__statistics *from)
{
  for (size_t i = 0; i < HED__SUMS * s->blocks; i++)
    s->sums[i] += from->sums[i];
  s->lowest = fminf(s->lowest, from->lowest);
  hed__statistics_reset(from);
}

/* Scores of a row, and what turns them into final ones; SCORED runs the other way. NULL: 1, 0, all. */
typedef struct row { const float *scores, *factor, *offset; const uint8_t *scored; bool zeros; float scale; } row;

/* Sums of the rows of one block, an entry for each voxel along x: B^2 numbers at most are added in single precision. */
typedef struct lanes { float sum[HED__SUMS][B], least[B]; } lanes;

static void add_values(lanes *l, const float v[B], const float counts[B], float scale)
{
  for (int k = 0; k < B; k++) {
    const float x = counts[k] > 0 ? v[k] * scale : 0, square = x * x;
    l->sum[0][k] += counts[k];
    l->sum[1][k] += x;
    l->sum[2][k] += square;
    l->sum[3][k] += square * x;
    l->sum[4][k] += square * square;
    l->least[k] = counts[k] > 0 && v[k] < l->least[k] ? v[k] : l->least[k];
  }
}

/* B scores that are side by side. */
static void add_block_row(lanes *l, const row *r, int64_t at, int64_t in_target)
{
  float v[B], counts[B];
  for (int k = 0; k < B; k++) {
    v[k] = r->scores[at + k];
    counts[k] = 1;
  }
  for (int k = 0; k < B && r->offset; k++)
    v[k] -= r->offset[at + k];
  for (int k = 0; k < B && r->factor; k++) {
    v[k] *= r->factor[at + k];
    counts[k] = r->factor[at + k] != 0 ? 1.0F : 0.0F;
  }
  for (int k = 0; k < B && r->zeros; k++)
    counts[k] = v[k] != 0 ? 1.0F : 0.0F;
  for (int k = 0; k < B && r->scored; k++)
    counts[k] *= (float)r->scored[in_target + B - 1 - k];
  add_values(l, v, counts, r->scale);
}

/* Voxels X0 <= x < X1 of a row, of one block, in whatever way they lie. */
static void add_voxels(lanes *l, const row *r, const hed__positions *p, int64_t x0, int64_t x1)
{
  float v[B] = { 0 }, counts[B] = { 0 };
  for (int64_t x = x0; x < x1; x++) {
    const int64_t at = hed__negated(p, 2, x);
    float *to = &v[x - x0];
    *to = r->scores[at] - (r->offset ? r->offset[at] : 0);
    *to *= r->factor ? r->factor[at] : 1;
    const bool flat = r->factor ? r->factor[at] == 0 : r->zeros && *to == 0;
    counts[x - x0] = flat || (r->scored && !r->scored[x]) ? 0.0F : 1.0F;
  }
  add_values(l, v, counts, r->scale);
}

/* The end of the block that has position Q of a part along an axis. */
static int64_t block_end(const hed__positions *p, int axis, int64_t q)
{
  HED__ASSERT(axis >= 0 && axis < 3 && q >= 0 && q < p->n[axis]);
  const int64_t end = ((p->begin[axis] + q) / B + 1) * B - p->begin[axis];
  return end < p->n[axis] ? end : p->n[axis];
}

/* One block: positions FROM <= q < TO of the part. */
static void add_block(hed__statistics *s, const hed__job *job, const hed__positions *p, const float *scores, const int64_t from[3],
                      const int64_t to[3])
{
  const float *factor = job->factor ? (const float *)hed_array_data(job->factor) : NULL;
  const float *offset = job->offset ? (const float *)hed_array_data(job->offset) : NULL;
  const int64_t last = hed__negated(p, 2, to[2] - 1);
  const bool whole = to[2] - from[2] == B && hed__negated(p, 2, from[2]) - last == B - 1;
  lanes l = { .sum = { { 0 } } };
  for (int k = 0; k < B; k++)
    l.least[k] = INFINITY;
  for (int64_t z = from[0]; z < to[0]; z++)
    for (int64_t y = from[1]; y < to[1]; y++) {
      const size_t at = hed__in_transform(p, z, y), target = hed__in_target(p, z, y);
      const row r = { .scores = scores + at, .factor = factor ? factor + at : NULL, .offset = offset ? offset + at : NULL,
                      .scored = job->scored ? job->scored + target : NULL, .zeros = !factor && job->score->zeros,
                      .scale = 1 / s->unit };
      if (whole)
        add_block_row(&l, &r, last, from[2]);
      else
        add_voxels(&l, &r, p, from[2], to[2]);
    }
  const int64_t bz = (p->begin[0] + from[0]) / B, by = (p->begin[1] + from[1]) / B, bx = (p->begin[2] + from[2]) / B;
  double *sums = s->sums + HED__SUMS * (size_t)((bz * s->grid[1] + by) * s->grid[2] + bx), unit = 1;
  for (int m = 0; m < HED__SUMS; m++) {
    double sum = 0;
    for (int k = 0; k < B; k++)
      sum += (double)l.sum[m][k];
    sums[m] += sum * unit;
    unit *= (double)s->unit;
  }
  for (int k = 0; k < B; k++)
    s->lowest = fminf(s->lowest, l.least[k]);
}

/* A power of two near the largest score, so that fourth powers stay within single precision. */
static float unit_of(const hed__job *job, const float *scores)
{
  const hed__positions p = hed__positions_of(job);
  const float *factor = job->factor ? (const float *)hed_array_data(job->factor) : NULL;
  const float *offset = job->offset ? (const float *)hed_array_data(job->offset) : NULL;
  float most = 0;
  int exponent;
  for (int64_t i = 0; i < p.fast[0] * p.fast[1] * p.fast[2]; i++) {
    const float v = fabsf(scores[i] - (offset ? offset[i] : 0)) * (factor ? factor[i] : 1);
    most = v > most ? v : most;
  }
  (void)frexpf(most, &exponent);
  return most > 0 && isfinite(most) ? ldexpf(1, exponent) : 1;
}

void hed__statistics_add(hed__statistics *s, const hed__job *job, const float *scores)
{
  const hed__positions p = hed__positions_of(job);
  int64_t from[3], to[3];
  if (!(s->unit > 0))
    s->unit = unit_of(job, scores);
  for (from[0] = p.first[0]; from[0] < p.n[0]; from[0] = to[0]) {
    to[0] = block_end(&p, 0, from[0]);
    for (from[1] = p.first[1]; from[1] < p.n[1]; from[1] = to[1]) {
      to[1] = block_end(&p, 1, from[1]);
      for (from[2] = p.first[2]; from[2] < p.n[2]; from[2] = to[2]) {
        to[2] = block_end(&p, 2, from[2]);
        add_block(s, job, &p, scores, from, to);
      }
    }
  }
}

size_t hed__statistics_stride(size_t n_rotations, hed_shape target)
{
  double cells = 1;
  for (int i = 0; i < target.ndim; i++)
    cells *= (double)target.dim[i];
  const size_t wanted = (size_t)fmax(16, ceil(0x1p24 / cells)), stride = n_rotations / wanted;
  return stride < 1 ? 1 : stride;
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

/* Kurtosis about the mean of all scores in blocks that are no neighbours of one with a score beyond FAR; 3 where fewer than ENOUGH are
 * left, or the mean is too far from 0 for it. */
static double kurtosis_of(const hed__statistics *s, hed_shape target, const float *best, double far, uint8_t *near)
{
  enum { ENOUGH = 32 };
  int64_t n[3] = { 1, 1, 1 };
  double m[HED__SUMS] = { 0 };
  size_t used = 0;
  for (int i = 0; i < target.ndim; i++)
    n[3 - target.ndim + i] = target.dim[i];
  memset(near, 0, s->blocks);
  for (int64_t i = 0; i < n[0] * n[1] * n[2]; i++)
    if ((double)best[i] > far) {
      const int64_t b[3] = { i / n[2] / n[1] / B, i / n[2] % n[1] / B, i % n[2] / B };
      for (int k = 0; k < 27; k++) {
        const int64_t z = b[0] + k / 9 - 1, y = b[1] + k / 3 % 3 - 1, x = b[2] + k % 3 - 1;
        if (z >= 0 && z < s->grid[0] && y >= 0 && y < s->grid[1] && x >= 0 && x < s->grid[2])
          near[(z * s->grid[1] + y) * s->grid[2] + x] = 1;
      }
    }
  for (size_t i = 0; i < s->blocks; i++) {
    const double *b = s->sums + HED__SUMS * i;
    if (near[i] || !(b[0] > 0))
      continue;
    used++;
    for (int k = 0; k < HED__SUMS; k++)
      m[k] += b[k];
  }
  if (used < ENOUGH)
    return 3;
  const double mean = m[1] / m[0], second = m[2] / m[0] - mean * mean;
  const double fourth = m[4] / m[0] - mean * (4 * m[3] / m[0] - mean * (6 * m[2] / m[0] - 3 * mean * mean));
  return second > 0 && mean * mean < 9 * second ? fourth / (second * second) : 3;
}

hed_status hed__statistics_give(const hed__statistics *s, hed_shape target, const float *best, size_t n_rotations, size_t allowed,
                                double n_false_positives, bool normal, hed_match_result *out)
{
  const size_t stride = hed__statistics_stride(n_rotations, target), looked = (n_rotations + stride - 1) / stride;
  double *v = malloc(2 * s->blocks * sizeof *v), n = 0, sum = 0, squares = 0;
  uint8_t *near = malloc(s->blocks + 1);
  double *mean = v, *square = v + s->blocks;
  size_t used = 0;
  if (!v || !near) {
    free(v);
    free(near);
    return hed_fail(HED_E_NOMEM, "hed_match_run: no memory for the statistics of %zu blocks", s->blocks);
  }
  for (size_t i = 0; i < s->blocks; i++) {
    const double *m = s->sums + HED__SUMS * i;
    n += m[0];
    sum += m[1];
    squares += m[2];
    if (m[0] > 0)
      mean[used++] = m[1] / m[0];
  }
  const double centre = used ? hed__median_sorted(mean, used) : 0;
  used = 0;
  for (size_t i = 0; i < s->blocks; i++) {
    const double *m = s->sums + HED__SUMS * i;
    if (m[0] > 0)
      square[used++] = m[2] / m[0] - centre * (2 * m[1] / m[0] - centre);
  }
  out->n_scores = allowed ? allowed : (uint64_t)llrint(n / (double)looked * (double)n_rotations);
  out->mean = n > 0 ? settled(sum / n) : 0;
  out->sigma = n > 0 ? settled(sqrt(fmax(squares / n - sum / n * (sum / n), 0))) : 0;
  out->sigma_robust = used ? settled(sqrt(fmax(hed__median_sorted(square, used), 0))) : 0;
  out->lowest = n > 0 ? (double)s->lowest : 0;
  out->n_false_positives = n_false_positives > 0 ? n_false_positives : 1;
  out->kurtosis = normal ? 3 : settled(kurtosis_of(s, target, best, centre + 6 * out->sigma_robust, near));
  out->cutoff = settled(centre) + hed_match_cutoff_shaped(out->sigma_robust, out->kurtosis, (double)out->n_scores,
                                                           out->n_false_positives);
  free(v);
  free(near);
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

/* The continued fraction of the incomplete beta function (Lentz's method): I_x(a, b), right where x < (a + 1) / (a + b + 2). */
static double incomplete_beta(double a, double b, double x)
{
  const double tiny = 1e-300;
  const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a;
  double c = 1, d = 1 - (a + b) * x / (a + 1), f;
  d = 1 / (fabs(d) > tiny ? d : tiny);
  f = d;
  for (int i = 1; i < 500; i++) {
    const double even = i * (b - i) * x / ((a + 2 * i - 1) * (a + 2 * i));
    const double odd = -(a + i) * (a + b + i) * x / ((a + 2 * i) * (a + 2 * i + 1));
    for (int k = 0; k < 2; k++) {
      const double term = k ? odd : even;
      d = 1 + term * d;
      c = 1 + term / c;
      d = 1 / (fabs(d) > tiny ? d : tiny);
      c = fabs(c) > tiny ? c : tiny;
      f *= d * c;
    }
    if (fabs(d * c - 1) < 1e-14)
      break;
  }
  return front * f;
}

/* t with P(T > t) = P < 0.04 of Student's distribution with NU degrees of freedom, by bisection of log t. */
static double student(double nu, double p)
{
  double low = 0, high = 100;
  for (int i = 0; i < 100; i++) {
    const double t = exp((low + high) / 2);
    *(0.5 * incomplete_beta(nu / 2, 0.5, nu / (nu + t * t)) > p ? &low : &high) = (low + high) / 2;
  }
  return exp((low + high) / 2);
}

double hed_match_cutoff_shaped(double sigma, double kurtosis, double n_scores, double n_false_positives)
{
  const double p = n_false_positives / n_scores, near = 1e-3, fewest = 4.5;
  const bool tail = sigma > 0 && n_false_positives > 0 && p < 0.04;
  if (!tail || !(kurtosis < 3 - near))
    return hed_match_cutoff(sigma, n_scores, n_false_positives);
  const double n = fmax(6 / (3 - kurtosis) - 1, fewest), t = student(n - 2, p);
  return sigma * t / sqrt(n - 2 + t * t) * sqrt(n - 1);
}
