// SPDX-License-Identifier: BSD-3-Clause
/* Floors of elements at random indices.
 *
 * Layer: L5. A loop that does nothing else goes through the row's own indices: elements of its array into one after the other
 * (gather), or elements one after the other added to such at the indices (scatter, on one thread: indices repeat). It may ask for
 * elements ahead; how far, if at all, is tried.
 */
#include "bench.h"
#include <math.h>
#include <stdint.h>
#include <sys/mman.h>

typedef struct indexed {
  bench_team *team;
  const void *x;
  const int64_t *at;
  void *to;
  size_t room;
  int64_t elements, ahead, n;
  bool wide, scatter, zeroed;
} indexed;

#define LOOPS(T, S)                                                                                    \
  static void gather_##S(T *to, const T *x, const int64_t *at, int64_t i, int64_t end, int64_t ahead)  \
  {                                                                                                    \
    if (ahead)                                                                                         \
      for (; i + ahead < end; i++) {                                                                   \
        __builtin_prefetch(x + at[i + ahead]);                                                         \
        to[i] = x[at[i]];                                                                              \
      }                                                                                                \
    for (; i + 4 <= end; i += 4) {                                                                     \
      const T a = x[at[i]], b = x[at[i + 1]], c = x[at[i + 2]], d = x[at[i + 3]];                      \
      to[i] = a;                                                                                       \
      to[i + 1] = b;                                                                                   \
      to[i + 2] = c;                                                                                   \
      to[i + 3] = d;                                                                                   \
    }                                                                                                  \
    for (; i < end; i++)                                                                               \
      to[i] = x[at[i]];                                                                                \
  }                                                                                                    \
  static void scatter_##S(T *to, const T *x, const int64_t *at, int64_t i, int64_t end, int64_t ahead) \
  {                                                                                                    \
    if (ahead)                                                                                         \
      for (; i + ahead < end; i++) {                                                                   \
        __builtin_prefetch(to + at[i + ahead], 1);                                                     \
        to[at[i]] += x[i];                                                                             \
      }                                                                                                \
    for (; i < end; i++)                                                                               \
      to[at[i]] += x[i];                                                                               \
  }
LOOPS(float, f32)
LOOPS(double, f64)

static void part_of(void *arg, int part, int parts)
{
  indexed *p = arg;
  const int64_t begin = p->elements * part / parts, end = p->elements * (part + 1) / parts;
  for (int64_t i = 0; i < p->n; i++) {
    if (p->zeroed)
      memset(p->to, 0, (size_t)p->elements * (p->wide ? 8 : 4));
    if (p->wide)
      (p->scatter ? scatter_f64 : gather_f64)(p->to, p->x, p->at, begin, end, p->ahead);
    else
      (p->scatter ? scatter_f32 : gather_f32)(p->to, p->x, p->at, begin, end, p->ahead);
  }
}

static void indexed_run(void *state, int64_t n)
{
  indexed *p = state;
  p->n = n;
  if (p->scatter)
    part_of(p, 0, 1);
  else
    bench_team_run(p->team, part_of, p);
}

static void indexed_drop(void *state)
{
  indexed *p = state;
  bench_team_close(p->team);
  if (p->to)
    munmap(p->to, p->room);
  free(p);
}

hed_status bench_floor_indexed(bench_work *w, const hed_array *x, const hed_array *at, bool scatter, bool zeroed)
{
  enum { LOOK = 1 << 18 /* elements */ };
  static const int64_t tried[] = { 0, 64, 128, 192 };
  indexed *p = calloc(1, sizeof *p);
  if (!p)
    return hed_fail(HED_E_NOMEM, "no memory for a floor");
  *p = (indexed){ .x = hed_array_data(x), .at = hed_array_data(at), .elements = hed_array_size(x), .scatter = scatter,
                 .zeroed = zeroed, .wide = hed_array_dtype(x) == HED_FLOAT64 };
  p->room = hed_array_nbytes(x) + 4096;
  p->team = bench_team_open(scatter ? 1 : w->spec->threads);
  p->to = mmap(NULL, p->room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p->to == MAP_FAILED)
    p->to = NULL;
  if (!p->to || !p->team) {
    indexed_drop(p);
    return hed_fail(HED_E_NOMEM, "no memory for a floor");
  }
  madvise(p->to, p->room, MADV_HUGEPAGE);
  memset(p->to, 0, p->room);
  double best = INFINITY;
  int64_t ahead = 0;
  for (int i = 0; i < 2; i++)
    for (size_t k = 0; k < sizeof tried / sizeof *tried; k++) {
      p->ahead = tried[k];
      const double start = bench_now();
      indexed_run(p, 1 + LOOK / p->elements);
      const double ns = bench_now() - start;
      if (ns < best) {
        best = ns;
        ahead = tried[k];
      }
    }
  p->ahead = ahead;
  w->floor = (bench_floor){ scatter ? "scatter" : "gather", indexed_run, p, indexed_drop, NAN, 0, false };
  return HED_OK;
}
