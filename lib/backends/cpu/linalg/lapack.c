// SPDX-License-Identifier: BSD-3-Clause
/* Batches of matrices for LAPACK: see lapack.h. L1. */
#include "backends/cpu/linalg/lapack.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/shape.h"
#include <heddle/ops.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

static void set_type(lapack *l)
{
  l->type = l->dtype == HED_ID_FLOAT32 ? 0 : l->dtype == HED_ID_FLOAT64 ? 1 : l->dtype == HED_ID_COMPLEX64 ? 2 : 3;
  l->size = hed__id_size(l->dtype);
  l->real_size = hed__id_size(hed__real_of(l->dtype));
}

int32_t cpu_lapack_begin(lapack *l, const hed_call *call, const char *op)
{
  const hed_view *a = call->in[0];
  const int64_t rows = a->dim[a->ndim - 2], columns = a->dim[a->ndim - 1], long_side = CPU_MAX(rows, columns);
  *l = (lapack){ .call = call, .blas = cpu_blas_get(NULL), .op = op, .dtype = call->compute, .batch = 1 };
  /* the largest products of sizes that LAPACK forms are below four times these */
  if (!l->blas || !l->blas->lapack || long_side > INT_MAX / 8
      || (double)CPU_MIN(rows, columns) * (double)long_side > INT_MAX / 4.0)
    return HED_E_UNSUPPORTED;
  set_type(l);
  l->batch_axes = a->ndim - 2;
  for (int32_t k = 0; k < l->batch_axes; k++)
    l->batch *= a->dim[k];
  l->m = rows;
  l->n = columns;
  l->k = CPU_MIN(rows, columns);
  return HED_OK;
}

/* ---- the batch ---- */

typedef struct batch {
  const lapack *l;
  pthread_mutex_t mutex;
  int64_t failed;     /* first matrix that failed; l->batch: none */
  int info;
  bool no_memory;
  char *space;        /* of all parts */
  size_t each;        /* bytes of one */
} batch;

static int64_t place_of(const lapack *l, int64_t at) { return l->which ? l->which[at] : at; }

static void run_part(void *arg, int32_t part, int32_t parts)
{
  batch *b = arg;
  const lapack *l = b->l;
  const int64_t from = l->batch * part / parts, to = l->batch * (part + 1) / parts;
  lapack local = *l;
  hed_call alone = *l->call;
  int info = 0;
  int64_t at = from;
  if (from >= to)
    return;
  if (parts > 1) {
    alone.max_threads = 1;
    local.call = &alone;
  }
  for (; at < to && (info = l->one(&local, place_of(l, at), b->space + (size_t)part * b->each)) == 0; at++)
    ;
  if (info == 0)
    return;
  pthread_mutex_lock(&b->mutex);
  if (info == LAPACK_NO_MEMORY) {
    b->no_memory = true;
  } else if (at < b->failed) {
    b->failed = at;
    b->info = info;
  }
  pthread_mutex_unlock(&b->mutex);
}

/* Bytes of work space for a matrix: 64 more to align, and some as kernels of OpenBLAS read, without use, past its last row. */
static size_t room_for(const lapack *l) { return CPU_LINES((size_t)l->bytes + 64 + 256); }

int32_t cpu_lapack_run(lapack *l)
{
  batch b = { .l = l, .mutex = PTHREAD_MUTEX_INITIALIZER, .failed = l->batch };
  if (l->batch == 0)
    return HED_OK;
  b.each = room_for(l);
  const int64_t parts = l->batch == 1 && l->shares ? 1 : CPU_MIN(l->batch, (int64_t)l->call->max_threads);
  b.space = cpu_scratch_get((size_t)parts * b.each);
  b.no_memory = !b.space;
  if (b.space && parts == 1)
    run_part(&b, 0, 1);
  else if (b.space)
    cpu_parallel_parts(l->call, parts, (l->work + 2000) * (double)l->batch, run_part, &b);
  cpu_scratch_put(b.space);
  pthread_mutex_destroy(&b.mutex);
  const int64_t failed = b.failed < l->batch ? place_of(l, b.failed) : -1;
  cpu_scratch_put(l->which);
  l->which = NULL;
  if (b.no_memory)
    return cpu_host->fail(HED_E_NOMEM, "%s: no memory for %lld bytes of work space, or to pack operands", l->op,
                         (long long)l->bytes);
  return failed >= 0 ? l->report(l, failed, b.info) : HED_OK;
}

/* ---- long matrices ---- */

bool cpu_lapack_is_long(const lapack *l)
{
  enum { LONG_ROWS = 1024 };
  const int64_t side = CPU_MAX(l->m, l->n);
  return !(l->type & 1) && side >= LONG_ROWS && side >= 2 * l->k;
}

void cpu_lapack_widen(lapack *l)
{
  l->dtype = hed__id_kind(l->dtype) == HED_KIND_COMPLEX ? HED_ID_COMPLEX128 : HED_ID_FLOAT64;
  set_type(l);
}

int cpu_lapack_widened(const lapack *l, int64_t at, void (*measure)(lapack *l))
{
  lapack wide = *l;
  cpu_lapack_widen(&wide);
  measure(&wide);
  char *space = cpu_scratch_get(room_for(&wide));
  const int info = space ? wide.one(&wide, at, space) : LAPACK_NO_MEMORY;
  cpu_scratch_put(space);
  return info;
}

/* ---- in and out ---- */

enum { FEW_ELEMENTS = 256 }; /* elements that are moved one by one: a call costs more */

#define MOVE_FEW(SIZE)                                                                              \
  for (int64_t i = 0; i < rows; i++)                                                                \
    for (int64_t j = 0; j < columns; j++)                                                           \
      memcpy(to + i * to_step[0] + j * to_step[1], from + i * from_step[0] + j * from_step[1], SIZE)

static void move_few(int64_t size, int64_t rows, int64_t columns, const char *from, const int64_t *from_step, char *to,
                     const int64_t *to_step)
{
  if (size == 4)
    MOVE_FEW(4);
  else if (size == 8)
    MOVE_FEW(8);
  else
    MOVE_FEW(16);
}

static void move(const lapack *l, const hed_view *v, int64_t at, int axes, bool columns, int dtype, char *data,
                 int64_t ld, bool out)
{
  char *p = (char *)v->data + hed__offset_of(v->ndim - axes, v->dim, v->stride, at);
  const int64_t size = hed__id_size(dtype);
  if (axes == 2 && v->dtype == dtype && v->dim[v->ndim - 2] * v->dim[v->ndim - 1] <= FEW_ELEMENTS) {
    const int64_t dense[2] = { columns ? size : ld * size, columns ? ld * size : size }, *lying = v->stride + v->ndim - 2;
    move_few(size, v->dim[v->ndim - 2], v->dim[v->ndim - 1], out ? data : p, out ? dense : lying, out ? p : data,
             out ? lying : dense);
    return;
  }
  hed_view part = { .dtype = v->dtype, .ndim = axes }, twin = { .dtype = dtype, .ndim = axes };
  for (int k = 0; k < axes; k++) {
    part.dim[k] = twin.dim[k] = v->dim[v->ndim - axes + k];
    part.stride[k] = v->stride[v->ndim - axes + k];
    if (part.dim[k] == 0)
      return;
  }
  twin.stride[0] = axes == 1 || columns ? size : ld * size;
  twin.stride[1] = columns ? ld * size : size;
  part.data = p;
  twin.data = data;
  (void)cpu_convert(l->call, out ? &part : &twin, out ? &twin : &part);
}

void cpu_lapack_get(const lapack *l, const hed_view *v, int64_t at, int axes, bool columns, char *data)
{
  const int64_t ld = axes == 1 ? 1 : v->dim[v->ndim - (columns ? 2 : 1)];
  move(l, v, at, axes, columns, l->dtype, data, ld, false);
}

void cpu_lapack_get_spaced(const lapack *l, const hed_view *v, int64_t at, bool columns, char *data, int64_t ld)
{
  move(l, v, at, 2, columns, l->dtype, data, ld, false);
}

int64_t cpu_lapack_spaced(const lapack *l, int64_t n)
{
  enum { LINE = 64, APART = 1024 };
  return n * l->size >= APART && n * l->size % APART == 0 ? n + LINE / l->size : CPU_MAX(n, 1);
}

void cpu_lapack_put(const lapack *l, const hed_view *v, int64_t at, int axes, bool columns, int dtype, const char *data,
                    int64_t ld)
{
  if (v)
    move(l, v, at, axes, columns, dtype, (char *)(uintptr_t)data, ld, true);
}

/* Without a branch in the loop: zero times what is finite is 0, of either sign. */
#define NOT_FINITE(T, S)                                        \
  static int64_t not_finite_##S(const T *x, int64_t n)          \
  {                                                             \
    enum { SIDE = 16, BLOCK = 32 * SIDE };                      \
    for (int64_t from = 0; from < n; from += BLOCK) {           \
      const int64_t to = CPU_MIN(from + BLOCK, n);              \
      T nothing[SIDE] = { 0 }, sum = 0; /* 0 or NaN */          \
      int64_t k = from;                                         \
      for (; k + SIDE <= to; k += SIDE)                         \
        for (int j = 0; j < SIDE; j++)                          \
          nothing[j] += x[k + j] * 0;                           \
      for (; k < to; k++)                                       \
        sum += x[k] * 0;                                        \
      for (int j = 0; j < SIDE; j++)                            \
        sum += nothing[j];                                      \
      for (k = from; !(sum == 0) && k < to; k++)                \
        if (!isfinite(x[k]))                                    \
          return k;                                             \
    }                                                           \
    return -1;                                                  \
  }
NOT_FINITE(float, f32)
NOT_FINITE(double, f64)

int64_t cpu_lapack_not_finite(const lapack *l, const char *x, int64_t n)
{
  const int64_t parts = l->type >= 2 ? 2 : 1;
  const int64_t at = l->type & 1 ? not_finite_f64((const double *)(const void *)x, n * parts)
                                 : not_finite_f32((const float *)(const void *)x, n * parts);
  return at < 0 ? -1 : at / parts;
}

int cpu_lapack_count(const lapack *l, const char *x)
{
  const double need = l->type & 1 ? *(const double *)(const void *)x : *(const float *)(const void *)x;
  return need * 1.01 + 64 < (double)INT_MAX ? (int)(need * 1.01) + 64 : INT_MAX;
}

/* ---- what is wrong with a matrix ---- */

int32_t cpu_lapack_report_singular(const lapack *l, int64_t at, int info)
{
  char text[HED__MATRIX_TEXT];
  return cpu_host->fail(HED_E_SINGULAR, "%s: %s is singular: %s %d is 0", l->op,
                        hed__matrix_text(at, l->batch_axes, text),
                        l->call->op == HED_OP_SOLVE_TRIANGULAR ? "diagonal element" : "pivot", info - 1);
}

int32_t cpu_lapack_report_minor(const lapack *l, int64_t at, int info)
{
  char text[HED__MATRIX_TEXT];
  return cpu_host->fail(HED_E_SINGULAR, "cholesky: %s is not positive definite: its leading minor of order %d",
                        hed__matrix_text(at, l->batch_axes, text), info);
}
