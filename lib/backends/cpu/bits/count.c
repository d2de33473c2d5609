// SPDX-License-Identifier: BSD-3-Clause
/*
 * What bits of packed words differ in, and what most of them are, or the heavier ones. L1.
 *
 * Words of a row have to lie side by side; others are left to the reference backend.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/kernels/bits/bits.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/shape.h"

enum { WORD = sizeof(uint64_t) };

static bool side_by_side(const hed_view *v)
{
  const int32_t last = v->ndim - 1;
  return v->dim[last] <= 1 || v->stride[last] == WORD;
}

static const uint64_t *row(const hed_view *v, int64_t k) { return (const void *)((const char *)v->data + k * v->stride[0]); }

/* ---- hamming_matrix ---- */

typedef struct distances {
  const hed_view *a, *b, *out;
  int64_t words, rows, block;    /* rows of b that a cache keeps */
} distances;

static void put(const distances *d, int64_t i, int64_t j, int32_t count)
{
  *(int32_t *)(void *)((char *)d->out->data + i * d->out->stride[0] + j * d->out->stride[1]) = count;
}

/* Rows of a four at a time beside each row of b, then those that are left beside four rows of b. */
static void block_of(const distances *d, int64_t begin, int64_t end)
{
  const uint64_t *y[CPU_HAMMING_ROWS];
  int32_t count[CPU_HAMMING_ROWS];
  int64_t i = 0;
  for (; i + CPU_HAMMING_ROWS <= d->rows; i += CPU_HAMMING_ROWS) {
    for (int r = 0; r < CPU_HAMMING_ROWS; r++)
      y[r] = row(d->a, i + r);
    for (int64_t j = begin; j < end; j++) {
      cpu_bits->hamming(d->words, row(d->b, j), y, count);
      for (int r = 0; r < CPU_HAMMING_ROWS; r++)
        put(d, i + r, j, count[r]);
    }
  }
  for (; i < d->rows; i++)
    for (int64_t j = begin; j < end; j += CPU_HAMMING_ROWS) {
      const int64_t n = CPU_MIN(end - j, CPU_HAMMING_ROWS);
      for (int r = 0; r < CPU_HAMMING_ROWS; r++)
        y[r] = row(d->b, j + CPU_MIN(r, n - 1));
      cpu_bits->hamming(d->words, row(d->a, i), y, count);
      for (int r = 0; r < n; r++)
        put(d, i, j + r, count[r]);
    }
}

static void distances_range(void *arg, int64_t begin, int64_t end)
{
  const distances *d = arg;
  for (int64_t j = begin; j < end; j += d->block)
    block_of(d, j, CPU_MIN(j + d->block, end));
}

int32_t cpu_hamming_matrix(void *state, const hed_call *call)
{
  enum { BLOCK_BYTES = 1 << 18 };
  distances d = { .a = call->in[0], .b = call->in[1], .out = call->out[0], .words = call->in[0]->dim[1], .rows = call->in[0]->dim[0] };
  (void)state;
  if (!side_by_side(d.a) || !side_by_side(d.b))
    return HED_E_UNSUPPORTED;
  d.block = CPU_MAX(BLOCK_BYTES / (WORD * CPU_MAX(d.words, 1)) / CPU_HAMMING_ROWS, 1) * CPU_HAMMING_ROWS;
  cpu_parallel_for(call, d.b->dim[0], CPU_HAMMING_ROWS, (double)d.rows * (double)d.b->dim[0] * (double)(d.words + 4),
                   distances_range, &d);
  return HED_OK;
}

/* ---- majority_bits ---- */

typedef struct majorities {
  const hed_view *x, *out, *ties;
  int64_t words, rows, step;
} majorities;

/* Words BEGIN to END of all rows of results in C order. */
static void majorities_range(void *arg, int64_t begin, int64_t end)
{
  const majorities *m = arg;
  const hed_view *views[3] = { m->out, m->x, m->ties };
  while (begin < end) {
    const int64_t first = begin % m->words, count = CPU_MIN(m->words - first, end - begin);
    const int32_t batch = m->x->ndim - 2;
    int64_t index[HED_MAX_NDIM];
    char *at[3];
    hed__index_of(batch, m->x->dim, begin / m->words, index);
    for (int k = 0; k < 3; k++)
      at[k] = views[k] ? (char *)views[k]->data + hed__offset_at(batch, index, views[k]->stride) + first * WORD : NULL;
    cpu_bits->majority(m->rows, count, (void *)at[0], (const void *)at[1], m->step, (const void *)at[2]);
    begin += count;
  }
}

int32_t cpu_majority_bits(void *state, const hed_call *call)
{
  majorities m = { .x = call->in[0], .out = call->out[0], .ties = call->n_in > 1 ? call->in[1] : NULL };
  const int32_t last = m.x->ndim - 1;
  int64_t n = m.x->dim[last];
  (void)state;
  if (!side_by_side(m.x) || !side_by_side(m.out) || (m.ties && !side_by_side(m.ties)))
    return HED_E_UNSUPPORTED;
  m.words = n;
  m.rows = m.x->dim[last - 1];
  m.step = m.x->stride[last - 1];
  for (int32_t axis = 0; axis < last - 1; axis++)
    n *= m.x->dim[axis];
  cpu_parallel_for(call, n, 64, (double)n * (double)m.rows, majorities_range, &m);
  return HED_OK;
}

/* ---- weighted_majority_bits ---- */

typedef struct weighings {
  const hed_view *x, *weights, *out, *ties;
  int64_t words, groups;         /* of a row: words, and threads' shares of them */
} weighings;

enum { GROUP = 16 };

static void weighings_range(void *arg, int64_t begin, int64_t end)
{
  const weighings *m = arg;
  for (int64_t k = begin; k < end; k++) {
    const int64_t q = k / m->groups, at = k % m->groups * GROUP, count = CPU_MIN(GROUP, m->words - at);
    cpu_bits->weigh(m->x->dim[0], count, (uint64_t *)row(m->out, q) + at, row(m->x, 0) + at, m->x->stride[0],
                    (const void *)row(m->weights, q), m->ties ? row(m->ties, q) + at : NULL);
  }
}

/* Whose partial sums, in any order, fit. */
static bool sums_fit(const hed_view *weights)
{
  for (int64_t q = 0; q < weights->dim[0]; q++) {
    const int32_t *w = (const void *)row(weights, q);
    int64_t sum = 0;
    for (int64_t r = 0; r < weights->dim[1]; r++)
      sum += w[r] < 0 ? -(int64_t)w[r] : w[r];
    if (sum > INT32_MAX)
      return false;
  }
  return true;
}

int32_t cpu_weighted_majority_bits(void *state, const hed_call *call)
{
  weighings m = { .x = call->in[0], .weights = call->in[1], .ties = call->n_in > 2 ? call->in[2] : NULL, .out = call->out[0] };
  (void)state;
  if (!side_by_side(m.x) || !side_by_side(m.out) || (m.ties && !side_by_side(m.ties)) ||
      (m.weights->dim[1] > 1 && m.weights->stride[1] != sizeof(int32_t)) || !sums_fit(m.weights))
    return HED_E_UNSUPPORTED;
  m.words = m.x->dim[1];
  m.groups = (m.words + GROUP - 1) / GROUP;
  const int64_t n = m.out->dim[0] * m.groups;
  cpu_parallel_for(call, n, 1, (double)n * (double)m.x->dim[0] * 2 * GROUP, weighings_range, &m);
  return HED_OK;
}
