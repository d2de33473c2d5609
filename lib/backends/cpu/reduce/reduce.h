// SPDX-License-Identifier: BSD-3-Clause
/* What the files of the reductions share: reduce.c says how they go about it. L1. */
#ifndef HED_BACKENDS_CPU_REDUCE_H
#define HED_BACKENDS_CPU_REDUCE_H

#include "backends/cpu/kernels/kernels.h"
#include "backends/cpu/move/words.h"
#include "backends/cpu/reduce/axes.h"
#include "backends/cpu/reduce/deinterleave.h"
#include "base/cast.h"
#include "base/dtype.h"
#include "base/nest.h"
#include <stdbool.h>

typedef enum cpu_reduction { CPU_SUM, CPU_MEAN, CPU_VAR, CPU_STD, CPU_MAX, CPU_MIN, CPU_ARGMAX, CPU_ARGMIN } cpu_reduction;

typedef struct cpu_reduce_job cpu_reduce_job;
struct cpu_reduce_job {
  cpu_reduction kind;
  const hed_call *call;
  const cpu_reduce_loops *loops;
  int type, parts;       /* compute type; components: 2 for complex */
  int64_t size, count;   /* bytes of one; elements per result */
  int64_t results;
  bool skipnan, scaled;  /* NaN are passed over; results that left the range are made again (reduce_scaled.c) */
  hed__cast_fn cast;     /* NULL when the operand has the compute type */
  /* NULL, or in place of the cast: what is reduced of N elements STEP bytes apart, one after the other */
  void (*take)(const cpu_reduce_job *j, int64_t n, char *to, const char *from, int64_t step);
  /* NULL, or what becomes of SUMs: N results in double, whose elements begin STEP bytes apart */
  void (*make)(const cpu_reduce_job *j, int64_t n, double *v, const char *base, int64_t step);
  hed__cast_fn deliver;  /* of what a result is made in (float64, complex128, the compute type, int64) */
  double divisor, cost;  /* cost: of an element, as in parallel.h */
  double order, scale;   /* of norms */
  int given;             /* the operand's type */
  hed__nest kept, gone;  /* axes of operand and result that are kept; those of the operand that go, from its first element on */
};

static inline bool cpu_is_max(const cpu_reduce_job *j) { return j->kind == CPU_MAX || j->kind == CPU_ARGMAX; }
static inline bool cpu_is_square(const cpu_reduce_job *j) { return j->kind == CPU_VAR || j->kind == CPU_STD; }

/* All of a few float32 or float64 in a row to one of that type, the same value as by slices (reduce_flat.c). False: it is no
 * such call. */
bool cpu_reduce_flat(const hed_call *call, cpu_reduction what);

/* CALL, a mean, variance or deviation of floats, by its number. */
int32_t cpu_reduce_moment(const hed_call *call);

/* The axes and counts of J, whose kind is known: IN by the bits of AXES to OUT. */
void cpu_reduce_split(cpu_reduce_job *j, const hed_view *in, const hed_view *out, uint32_t axes);

/* All of J, which has results, and elements. */
int32_t cpu_reduce_run(cpu_reduce_job *j);

/* May V, a component of the sum, mean, variance or deviation KIND of floats, WIDE ones being float64, be wrong because what was
 * added left the range, or squares vanished? Sums of float64 are what they are. */
static inline bool cpu_reduce_left_range(cpu_reduction kind, bool wide, double v)
{
  switch (kind) {
  case CPU_SUM: return !wide && v - v != 0;
  case CPU_MEAN: return v - v != 0;
  default: return v - v != 0 || (wide && v < (kind == CPU_VAR ? 0x1p-900 : 0x1p-450));
  }
}

static inline bool cpu_reduce_suspect(const cpu_reduce_job *j, double v)
{
  return j->scaled && j->divisor > 0 && cpu_reduce_left_range(j->kind, j->size == 8 * j->parts, v);
}

/* Is it, given the LARGEST absolute value among the elements? From there on squares of what rounding leaves do not vanish. */
static inline bool cpu_reduce_wrong(const cpu_reduce_job *j, double v, double largest)
{
  return cpu_reduce_suspect(j, v) && largest > 0 && largest - largest == 0 && (v - v != 0 || largest < 0x1p-400);
}

/* V, such a result of ELEMENTS, is made again, if it is wrong. */
void cpu_reduce_scaled(const cpu_reduce_job *j, const hed__nest *elements, double *v);

/* LARGEST of the parts of N columns become at least the absolute values of those elements at X, STEP bytes apart, or NaN. Is one
 * finite? */
bool cpu_reduce_range(const cpu_reduce_job *j, int64_t n, const char *x, int64_t step, double *largest);

/* One result of the elements from BASE on, not in pieces. */
void cpu_reduce_one(const cpu_reduce_job *j, const char *base, char *to);

/* Results from elements of their own, one after the other or in pieces (reduce_slice.c). */
int32_t cpu_reduce_slices(const cpu_reduce_job *j);

/* Results side by side, row by row (reduce_columns.c); not for ARGMAX and ARGMIN. RUN neighbours of the last kept axis are one
 * result. */
int32_t cpu_reduce_columns(const cpu_reduce_job *j, int64_t run);

/* ARGMAX and ARGMIN side by side along one axis, of elements of the compute type (reduce_argextreme.c). */
int32_t cpu_reduce_argextremes(const cpu_reduce_job *j);

/* N elements of an operand, STEP bytes apart, one after the other in the compute type. */
static inline void cpu_reduce_take(const cpu_reduce_job *j, int64_t n, char *to, const char *from, int64_t step)
{
  if (j->take)
    j->take(j, n, to, from, step);
  else if (j->cast)
    j->cast(n, to, j->size, from, step);
  else
    cpu_copy_loop(j->size)(n, (char *[]){ to, (char *)from }, (int64_t[]){ j->size, step }, NULL);
}

/* Are J's slices, along the last kept axis, such that cpu_deinterleave() takes them? */
static inline bool cpu_reduce_deinterleaves(const cpu_reduce_job *j)
{
  const int64_t size = hed__id_size(j->given);
  return !j->take && j->gone.ndim == 1 && j->gone.stride[0][0] == size && j->count > 1 && j->count <= CPU_DEINTERLEAVE_MOST
         && j->kept.stride[0][j->kept.ndim - 1] == j->count * size;
}

/* Are they rows of as few columns, one right after the other? */
static inline bool cpu_reduce_narrow(const cpu_reduce_job *j)
{
  const int64_t size = hed__id_size(j->given), width = j->kept.dim[j->kept.ndim - 1];
  return !j->take && j->gone.ndim == 1 && j->kept.stride[0][j->kept.ndim - 1] == size && width > 1
         && width <= CPU_DEINTERLEAVE_MOST && j->gone.stride[0][0] == width * size;
}

/* N such slices from FROM on, as rows TO_STEP bytes apart. */
static inline void cpu_reduce_deinterleave(const cpu_reduce_job *j, int64_t n, char *to, int64_t to_step, const char *from)
{
  cpu_deinterleave(n, (int32_t)j->count, to, to_step, j->size, from, hed__id_size(j->given), j->cast);
}

#endif
