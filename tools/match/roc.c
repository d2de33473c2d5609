// SPDX-License-Identifier: BSD-3-Clause
/* How many of the peaks of `heddle match' are particles, from their scores alone.
 *
 * Layer: L5. Peaks are called down to where the background alone is expected to have many. Their scores are a mixture: of the
 * background's, whose tail is that of the cut-off, and of a normal population of particles, fitted by expectation maximisation. The
 * number of background peaks is fitted, too: it is less than that of scores, as neighbours score alike.
 */
#include "job.h"
#include <math.h>
#include <stdlib.h>

enum { GRID = 400, LEAST = 8 };
static const double pi = 3.14159265358979323846, wanted = 1000;

/* ln of the number of background scores above: at score[i] lnn[i], scores rising. */
typedef struct tail { double score[GRID], lnn[GRID]; } tail;

static void make_tail(const hed_match_result *r, tail *t)
{
  const double low = log(1e-9), high = log(fmin(wanted, 0.01 * (double)r->n_scores));
  const double centre = r->cutoff - hed_match_cutoff_shaped(r->sigma_robust, r->kurtosis, (double)r->n_scores, r->n_false_positives);
  for (int i = 0; i < GRID; i++) {
    t->lnn[i] = high + (low - high) * i / (GRID - 1);
    t->score[i] = centre + hed_match_cutoff_shaped(r->sigma_robust, r->kurtosis, (double)r->n_scores, exp(t->lnn[i]));
  }
}

/* ln of the number above S, and the slope of that. */
static double number_above(const tail *t, double s, double *slope)
{
  int i = 0;
  while (i < GRID - 2 && t->score[i + 1] < s)
    i++;
  *slope = (t->lnn[i + 1] - t->lnn[i]) / (t->score[i + 1] - t->score[i]);
  return t->lnn[i] + *slope * (s - t->score[i]);
}

static double normal_above(double z)
{
  return erfc(z / sqrt(2)) / 2;
}

/* Density of the background's peaks at S, of those above the least score. */
static double background_at(const tail *t, double s)
{
  double slope;
  const double n = number_above(t, s, &slope);
  return -slope * exp(n - t->lnn[0]);
}

static double particles_at(const match_roc *r, double low, double s)
{
  const double z = (s - r->mean) / r->deviation;
  return exp(-z * z / 2) / (r->deviation * sqrt(2 * pi) * normal_above((low - r->mean) / r->deviation));
}

/* From what is above one expected false score. */
static bool begin(match_roc *r, const tail *t, size_t n, const hed_match_peak *p)
{
  int one = 0;
  double sum = 0, squares = 0;
  size_t k = 0;
  while (one < GRID - 1 && t->lnn[one] > 0)
    one++;
  for (; k < n && p[k].score > t->score[one]; k++)
    sum += p[k].score;
  for (size_t i = 0; i < k; i++)
    squares += (p[i].score - sum / (double)k) * (p[i].score - sum / (double)k);
  if (k < LEAST)
    return false;
  r->mean = sum / (double)k;
  r->deviation = sqrt(squares / (double)k);
  r->share = (double)k / (double)n;
  return r->deviation > 0;
}

static void improve(match_roc *r, const tail *t, double least, size_t n, const hed_match_peak *p)
{
  double all = 0, sum = 0, squares = 0;
  for (size_t i = 0; i < n; i++) {
    const double a = r->share * particles_at(r, t->score[0], p[i].score), b = (1 - r->share) * background_at(t, p[i].score);
    const double mine = a + b > 0 ? a / (a + b) : 0;
    all += mine;
    sum += mine * p[i].score;
    squares += mine * p[i].score * p[i].score;
  }
  if (!(all > 0))
    return;
  r->share = all / (double)n;
  r->mean = sum / all;
  r->deviation = fmax(sqrt(fmax(squares / all - r->mean * r->mean, 0)), least);
}

double match_roc_probability(const match_roc *r, double score)
{
  if (score < r->tail->score[0])
    return 0;
  const double a = r->share * particles_at(r, r->tail->score[0], score), b = (1 - r->share) * background_at(r->tail, score);
  return score > r->mean ? fmax(a / (a + b), match_roc_probability(r, r->mean)) : a / (a + b);
}

match_roc_point match_roc_at(const match_roc *r, double score)
{
  double slope;
  match_roc_point p = { .score = score, .recall = normal_above((score - r->mean) / r->deviation) };
  p.wrong = (1 - r->share) * (double)r->n * exp(number_above(r->tail, score, &slope) - r->tail->lnn[0]);
  const double right = p.recall * r->particles;
  p.precision = right + p.wrong > 0 ? right / (right + p.wrong) : 0;
  return p;
}

/* The cut where recall times precision is largest. */
static double best_cut(const match_roc *r)
{
  const double high = r->mean + 3 * r->deviation;
  double best = r->tail->score[0], most = -1;
  for (int i = 0; i <= 200; i++) {
    const match_roc_point p = match_roc_at(r, r->tail->score[0] + (high - r->tail->score[0]) * i / 200);
    if (p.recall * p.precision > most) {
      most = p.recall * p.precision;
      best = p.score;
    }
  }
  return best;
}

hed_status match_roc_fit(match_job *j, hed_match_peak_options opt)
{
  const hed_match_result *from = &j->result;
  match_roc *r = &j->roc;
  hed_match_peak *p = NULL;
  size_t n = 0;
  if (!(from->sigma_robust > 0) || !(from->n_scores > 0))
    return HED_OK;
  if (!(r->tail = malloc(sizeof *r->tail)))
    return hed_fail(HED_E_NOMEM, "no memory for the scores' tail");
  make_tail(from, r->tail);
  opt.min_score = r->tail->score[0];
  opt.num_peaks = 100000;
  opt.subvoxel = false;
  const hed_status status = hed_match_peaks(from->scores, from->rotations, &opt, &p, &n);
  if (status != HED_OK)
    return status;
  r->n = n;
  bool known = r->tail->score[0] < r->tail->score[GRID - 1] && begin(r, r->tail, n, p);
  for (int i = 0; known && i < 300; i++)
    improve(r, r->tail, 0.1 * from->sigma_robust, n, p);
  free(p);
  /* The normal population is what was sought, not a part of the background's tail. */
  r->known = known && r->mean - r->deviation > r->tail->score[0] && r->share * (double)n >= LEAST && r->share < 1;
  if (r->known) {
    r->particles = r->share * (double)n / normal_above((r->tail->score[0] - r->mean) / r->deviation);
    r->best = best_cut(r);
  }
  return HED_OK;
}
