// SPDX-License-Identifier: BSD-3-Clause
/* Least squares without negative entries for many right sides with one Gram matrix, on the host.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/common.h"
#include "kits/member.h"
#include <heddle/kits/proximal.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct problem {
  int64_t n;
  const double *g;   /* (n, n) */
  double *work;      /* (n + 6) n */
  bool *passive;     /* 2 n */
} problem;

/* x of the passive set with g x = m there, 0 elsewhere, by Cholesky factors; pivots that are lost in rounding of their diagonal leave
 * their variable at 0. */
static void solve_passive(const problem *p, const double *m, double *x)
{
  const int64_t n = p->n;
  double *l = p->work;
  for (int64_t i = 0; i < n; i++) {
    x[i] = 0;
    if (!p->passive[i])
      continue;
    for (int64_t j = 0; j <= i; j++) {
      if (!p->passive[j])
        continue;
      double sum = p->g[i * n + j];
      for (int64_t k = 0; k < j; k++)
        sum -= p->passive[k] ? l[i * n + k] * l[j * n + k] : 0;
      if (j < i)
        l[i * n + j] = l[j * n + j] > 0 ? sum / l[j * n + j] : 0;
      else
        l[i * n + i] = sum > 1e-14 * p->g[i * n + i] ? sqrt(sum) : 0;
    }
    double sum = m[i];
    for (int64_t k = 0; k < i; k++)
      sum -= p->passive[k] ? l[i * n + k] * x[k] : 0;
    x[i] = l[i * n + i] > 0 ? sum / l[i * n + i] : 0;
  }
  for (int64_t i = n - 1; i >= 0; i--) {
    if (!p->passive[i])
      continue;
    double sum = x[i];
    for (int64_t k = i + 1; k < n; k++)
      sum -= p->passive[k] ? l[k * n + i] * x[k] : 0;
    x[i] = l[i * n + i] > 0 ? sum / l[i * n + i] : 0;
  }
}

static double slope(const problem *p, const double *m, const double *x, int64_t i)
{
  double sum = m[i];
  for (int64_t k = 0; k < p->n; k++)
    sum -= p->g[i * p->n + k] * x[k];
  return sum;
}

/* Variables of any scales: each is measured by what its own slope is made of, and by its own curve. */
static void active_set(const problem *p, const double *m, double *x)
{
  const int64_t n = p->n;
  double *s = p->work + n * n;
  bool *closed = p->passive + n; /* rounding alone says that they should grow; until others have changed */
  for (int64_t i = 0; i < n; i++) {
    x[i] = 0;
    p->passive[i] = closed[i] = false;
  }
  for (int64_t round = 0; round < 30 * n + 30; round++) {
    int64_t best = -1;
    double steepest = 0;
    for (int64_t i = 0; i < n; i++)
      if (!p->passive[i] && !closed[i] && p->g[i * n + i] > 0) {
        double size = fabs(m[i]);
        for (int64_t k = 0; k < n; k++)
          size += fabs(p->g[i * n + k]) * x[k];
        const double down = slope(p, m, x, i), gain = down / sqrt(p->g[i * n + i]);
        if (down > 1e-13 * size && gain > steepest) {
          steepest = gain;
          best = i;
        }
      }
    if (best < 0)
      return;
    p->passive[best] = true;
    solve_passive(p, m, s);
    if (s[best] <= 0) {
      p->passive[best] = false;
      closed[best] = true;
      continue;
    }
    memset(closed, 0, (size_t)n * sizeof *closed);
    for (;;) {
      double part = 1;
      for (int64_t i = 0; i < n; i++)
        if (p->passive[i] && s[i] <= 0)
          part = fmin(part, x[i] / (x[i] - s[i]));
      if (part >= 1)
        break;
      for (int64_t i = 0; i < n; i++)
        if (p->passive[i]) {
          x[i] += part * (s[i] - x[i]);
          if (x[i] <= 1e-300 || (s[i] <= 0 && x[i] <= 1e-15 * fabs(s[i]))) {
            x[i] = 0;
            p->passive[i] = false;
          }
        }
      solve_passive(p, m, s);
    }
    memcpy(x, s, (size_t)n * sizeof *x);
  }
}

static void coordinate_descent(const problem *p, const double *m, double *x)
{
  for (int pass = 0; pass < 10000; pass++) {
    double changed = 0, size = 0;
    for (int64_t i = 0; i < p->n; i++) {
      const double curve = p->g[i * p->n + i], before = x[i];
      if (curve > 0)
        x[i] = fmax(0, x[i] + slope(p, m, x, i) / curve);
      changed = fmax(changed, fabs(x[i] - before));
      size = fmax(size, x[i]);
    }
    if (changed <= 1e-12 * size)
      return;
  }
}

static void accelerated(const problem *p, const double *m, double *x)
{
  const int64_t n = p->n;
  double *ahead = p->work + n * n, *next = ahead + n, bound = 0, momentum = 1;
  for (int64_t i = 0; i < n; i++) { /* the largest row sum is above every eigenvalue */
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
      sum += fabs(p->g[i * n + k]);
    bound = fmax(bound, sum);
    ahead[i] = x[i];
  }
  for (int step = 0; step < 100000 && bound > 0; step++) {
    double changed = 0, size = 0, uphill = 0;
    for (int64_t i = 0; i < n; i++) {
      next[i] = fmax(0, ahead[i] + slope(p, m, ahead, i) / bound);
      changed = fmax(changed, fabs(next[i] - x[i]));
      size = fmax(size, next[i]);
      uphill += (ahead[i] - next[i]) * (next[i] - x[i]);
    }
    const double after = uphill > 0 ? 1 : (1 + sqrt(1 + 4 * momentum * momentum)) / 2;
    for (int64_t i = 0; i < n; i++) {
      ahead[i] = next[i] + (uphill > 0 ? 0 : (momentum - 1) / after) * (next[i] - x[i]);
      x[i] = next[i];
    }
    momentum = after;
    if (changed <= 1e-12 * size)
      return;
  }
}

hed_array *hed_nnls(const hed_array *g, const hed_array *m, hed_nnls_method method)
{
  static const char *const op = "hed_nnls";
  char text[160], other[160];
  if (!g || !m) {
    (void)hed__tensor_missing(op, g ? "m" : "g");
    return NULL;
  }
  if (hed__expect_member(op, "method", (int)method, HED_NNLS_ACTIVE_SET, HED_NNLS_FISTA, "hed_nnls_method") != HED_OK)
    return NULL;
  const hed_shape gs = hed_array_shape(g), ms = hed_array_shape(m);
  if (gs.ndim != 2 || gs.dim[0] != gs.dim[1] || ms.ndim != 2 || ms.dim[1] != gs.dim[0]) {
    (void)hed_fail(HED_E_SHAPE, "%s: g has shape %s and m %s, not (R, R) and (I, R)", op, hed__shape_words(gs, text),
                   hed__shape_words(ms, other));
    return NULL;
  }
  if (hed_dtype_kind(hed_array_dtype(g)) == HED_KIND_COMPLEX || hed_dtype_kind(hed_array_dtype(m)) == HED_KIND_COMPLEX) {
    (void)hed_fail(HED_E_DTYPE, "%s: g and m have to be real", op);
    return NULL;
  }
  const int64_t n = gs.dim[0], rows = ms.dim[0];
  problem p = { .n = n };
  hed_array *out = NULL;
  double *gg = calloc((size_t)(n * n + 1), sizeof *gg), *mm = calloc((size_t)(rows * n + 1), sizeof *mm);
  double *x = calloc((size_t)(rows * n + 1), sizeof *x);
  p.work = malloc((size_t)((n + 6) * n + 1) * sizeof *p.work);
  p.passive = calloc((size_t)(2 * n + 1), sizeof *p.passive);
  p.g = gg;
  if (!gg || !mm || !x || !p.work || !p.passive) {
    (void)hed_fail(HED_E_NOMEM, "%s: no memory for %lld rows", op, (long long)rows);
    goto done;
  }
  if (hed_tolist(g, gg, n * n) != HED_OK || hed_tolist(m, mm, rows * n) != HED_OK)
    goto done;
  for (int64_t i = 0; i < (n + rows) * n; i++) {
    const int64_t k = i < n * n ? i : i - n * n;
    if (!isfinite(i < n * n ? gg[k] : mm[k])) {
      (void)hed_fail(HED_E_INVAL, "%s: %s is not finite at (%lld, %lld)", op, i < n * n ? "g" : "m", (long long)(k / n),
                     (long long)(k % n));
      goto done;
    }
  }
  static void (*const solvers[])(const problem *, const double *, double *) = { active_set, coordinate_descent, accelerated };
  for (int64_t i = 0; i < rows; i++)
    solvers[method](&p, mm + i * n, x + i * n);
  const hed_dtype t = hed_array_dtype(m);
  out = hed_from_doubles(x, HED_SHAPE(rows, n), t == HED_FLOAT64 ? t : HED_FLOAT32);
done:
  free(gg);
  free(mm);
  free(x);
  free(p.work);
  free(p.passive);
  return out;
}
