// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sums, means, variances and deviations that left the range of what they were added up in, or vanished, once more: of elements
 * divided by a power of two, in double. L1.
 *
 * This is for the rare result that is infinite, NaN or next to 0; it takes two passes more, or three.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/reduce/reduce.h"
#include <math.h>

enum { BLOCK_ELEMENTS = 256 };

typedef struct scaled {
  const cpu_reduce_job *j;
  const hed__nest *elements;
  double by;                  /* what elements are multiplied with */
  double largest[2], mean[2], sum[2]; /* of each part: a part that is infinite leaves the other one alone */
} scaled;

/* N elements at FROM as float64; what the reduction passes over as 0. */
static void widen(const cpu_reduce_job *j, int64_t n, double *to, const char *from, int64_t step)
{
  const int wide = j->parts == 2 ? HED_ID_COMPLEX128 : HED_ID_FLOAT64, given = j->given;
  const int64_t bytes = 8 * j->parts;
  if (j->cast) {
    _Alignas(16) char block[BLOCK_ELEMENTS * 16];
    j->cast(n, block, j->size, from, step);
    hed__cast(j->type, wide)(n, (char *)to, bytes, block, j->size);
  } else {
    hed__cast(given, wide)(n, (char *)to, bytes, from, step);
  }
  for (int64_t i = 0; i < n * j->parts && j->skipnan; i += j->parts)
    if (to[i] != to[i] || to[i + j->parts - 1] != to[i + j->parts - 1])
      to[i] = to[i + j->parts - 1] = 0;
}

static void look(scaled *s, int64_t n, const double *x)
{
  const int parts = s->j->parts;
  for (int64_t i = 0; i < n * parts; i++) {
    double *const largest = &s->largest[i % parts];
    const double a = fabs(x[i]);
    *largest = a > *largest || a != a ? a : *largest;
  }
}

/* Is there something left to be made again? Squares are of both parts. */
static bool is_finite(const scaled *s)
{
  const bool first = isfinite(s->largest[0]), second = isfinite(s->largest[1]);
  return cpu_is_square(s->j) ? first && second : first || (s->j->parts == 2 && second);
}

static void add(scaled *s, int64_t n, const double *x)
{
  cpu_k->reduce[s->j->parts == 2 ? HED_ID_COMPLEX128 : HED_ID_FLOAT64].sum(n, x, s->sum);
}

static void add_squares(scaled *s, int64_t n, const double *x)
{
  cpu_k->reduce[s->j->parts == 2 ? HED_ID_COMPLEX128 : HED_ID_FLOAT64].sum_sq(n, x, s->mean, s->sum);
}

/* STEP of all elements, some at a time, until no result can be finite. */
static void each_chunk(scaled *s, void (*step)(scaled *s, int64_t n, const double *x))
{
  const hed__nest *nest = s->elements;
  hed__walk walk;
  const int64_t last = nest->ndim - 1, width = nest->dim[last], between = nest->stride[0][last];
  hed__walk_init(&walk, nest, 0, hed__nest_rows(nest));
  s->sum[0] = s->sum[1] = 0;
  while (hed__walk_next(&walk) && is_finite(s))
    for (int64_t i = 0, n; i < width && is_finite(s); i += n) {
      double x[2 * BLOCK_ELEMENTS];
      n = CPU_MIN(width - i, BLOCK_ELEMENTS);
      widen(s->j, n, x, walk.ptr[0] + i * between, between);
      for (int64_t k = 0; k < n * s->j->parts; k++)
        x[k] *= s->by;
      step(s, n, x);
    }
}

void cpu_reduce_scaled(const cpu_reduce_job *j, const hed__nest *elements, double *v)
{
  scaled s = { .j = j, .elements = elements, .by = 1 };
  const double count = (double)hed__nest_elements(elements);
  int exponent = 0;
  each_chunk(&s, look);
  const bool square = cpu_is_square(j);
  double most = 0;
  bool wrong[2] = { false, false };
  if (!is_finite(&s))
    return;
  for (int k = 0; k < j->parts; k++)
    most = isfinite(s.largest[k]) ? fmax(most, s.largest[k]) : most;
  for (int k = 0; k < (square ? 1 : j->parts); k++)
    wrong[k] = cpu_reduce_wrong(j, v[k], square ? most : s.largest[k]);
  if (!wrong[0] && !wrong[1])
    return;
  frexp(most, &exponent);
  exponent = exponent < -1000 ? -1000 : exponent;
  s.by = ldexp(1, -exponent);
  each_chunk(&s, add);
  for (int k = 0; k < j->parts; k++) {
    s.mean[k] = s.sum[k] / count;
    if (!square)
      v[k] = wrong[k] ? ldexp(j->kind == CPU_SUM ? s.sum[k] : s.mean[k], exponent) : v[k];
  }
  if (!square)
    return;
  each_chunk(&s, add_squares);
  v[0] = j->kind == CPU_VAR ? ldexp(s.sum[0] / j->divisor, 2 * exponent) : ldexp(sqrt(s.sum[0] / j->divisor), exponent);
}

bool cpu_reduce_range(const cpu_reduce_job *j, int64_t n, const char *x, int64_t step, double *largest)
{
  bool any = false;
  for (int64_t i = 0, some; i < n; i += some) {
    double wide[2 * BLOCK_ELEMENTS], *const most = largest + i * j->parts;
    some = CPU_MIN(n - i, BLOCK_ELEMENTS);
    widen(j, some, wide, x + i * step, step);
    for (int64_t k = 0; k < some * j->parts; k++) {
      const double a = fabs(wide[k]);
      most[k] = a > most[k] || a != a ? a : most[k];
    }
    for (int64_t k = 0; k < some * j->parts && !any; k++)
      any = isfinite(most[k]);
  }
  return any;
}
