// SPDX-License-Identifier: BSD-3-Clause
/* Nearest vectors that rise, rise and fall, lie on a simplex, are smooth, or have few entries.
 *
 * Layer: L4, tensor kit.
 */
#include "kits/tensor/solve/prox.h"
#include <math.h>
#include <stdlib.h>

/* What block B adds to the error when all of it gets its mean, but not less than LEAST. */
static double own_error(const hed__block *b, double least)
{
  const double at = fmax(b->sum / (double)b->n, least);
  return fmax(0, b->squares - 2 * at * b->sum + at * at * (double)b->n);
}

/* Pool adjacent violators (M. Ayer et al., Ann. Math. Statist. 26 (1955) 641-647) over v[0], v[step], ..; *BLOCKS of them in W. ERRORS
 * (NULL: not wanted): of the nearest rising vector to the first k entries, k = 0 to N. Limits are kept by clipping what is nearest
 * without them. */
static int64_t pool(const double *v, int64_t n, int64_t step, double least, hed__block *w, double *errors)
{
  int64_t top = 0;
  if (errors)
    errors[0] = 0;
  for (int64_t i = 0; i < n; i++) {
    const double x = v[i * step];
    hed__block b = { .sum = x, .squares = x * x, .n = 1 };
    while (top > 0 && w[top - 1].sum * (double)b.n >= b.sum * (double)w[top - 1].n) {
      top--;
      b.sum += w[top].sum;
      b.squares += w[top].squares;
      b.n += w[top].n;
    }
    b.error = (top > 0 ? w[top - 1].error : 0) + own_error(&b, least);
    w[top++] = b;
    if (errors)
      errors[i + 1] = b.error;
  }
  return top;
}

static void fill(double *v, int64_t step, double least, const hed__block *w, int64_t blocks)
{
  int64_t i = 0;
  for (int64_t b = 0; b < blocks; b++)
    for (int64_t k = 0; k < w[b].n; k++)
      v[step * i++] = fmax(w[b].sum / (double)w[b].n, least);
}

void hed__rising(double *v, int64_t n, bool falls, double least, hed__block *w)
{
  double *first = falls && n > 0 ? v + n - 1 : v;
  const int64_t step = falls ? -1 : 1;
  fill(first, step, least, w, pool(first, n, step, least, w, NULL));
}

void hed__unimodal(double *v, int64_t n, double least, hed__block *w, double *errors)
{
  double *behind = errors + n + 1, best = INFINITY;
  int64_t split = 0;
  if (n == 0)
    return;
  (void)pool(v, n, 1, least, w, errors);
  (void)pool(v + n - 1, n, -1, least, w, behind);
  for (int64_t k = 0; k <= n; k++)
    if (errors[k] + behind[n - k] < best) {
      best = errors[k] + behind[n - k];
      split = k;
    }
  hed__rising(v, split, false, least, w);
  hed__rising(v + split, n - split, true, least, w);
}

static int descending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? 1 : x > y ? -1 : 0;
}

void hed__simplex(double *v, int64_t n, double r, double *w)
{
  double sum = 0, level = 0;
  for (int64_t i = 0; i < n; i++)
    w[i] = v[i];
  qsort(w, (size_t)n, sizeof *w, descending);
  for (int64_t k = 0; k < n; k++) {
    sum += w[k];
    const double here = (sum - r) / (double)(k + 1);
    if (w[k] > here)
      level = here;
  }
  for (int64_t i = 0; i < n; i++)
    v[i] = fmax(0, v[i] - level);
}

/* Elimination of a tridiagonal system with dominant diagonal. */
void hed__smooth(double *v, int64_t n, double r, double *w)
{
  double pivot = 1 + 2 * r;
  for (int64_t i = 0; i < n; i++) {
    if (i > 0) {
      w[i - 1] = -r / pivot;
      pivot = 1 + 2 * r + r * w[i - 1];
      v[i] += r * v[i - 1];
    }
    v[i] /= pivot;
  }
  for (int64_t i = n - 2; i >= 0; i--)
    v[i] -= w[i] * v[i + 1];
}

typedef struct entry { double size; int64_t at; } entry;

static int larger_first(const void *a, const void *b)
{
  const entry *x = a, *y = b;
  return x->size < y->size ? 1 : x->size > y->size ? -1 : x->at < y->at ? -1 : x->at > y->at;
}

hed_status hed__sparsest(double *v, int64_t n, int64_t n_keep)
{
  entry *e = malloc((size_t)(n > 0 ? n : 1) * sizeof *e);
  if (!e)
    return hed_fail(HED_E_NOMEM, "hed_prox: no memory for %lld entries", (long long)n);
  for (int64_t i = 0; i < n; i++)
    e[i] = (entry){ fabs(v[i]), i };
  qsort(e, (size_t)n, sizeof *e, larger_first);
  for (int64_t k = n_keep; k < n; k++)
    v[e[k].at] = 0;
  free(e);
  return HED_OK;
}
