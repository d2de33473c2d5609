// SPDX-License-Identifier: BSD-3-Clause
/*
 * Products of a row and a column each: from any batch to the loops of dot.h (product.h). L1.
 *
 * A long product is cut into pieces of fixed size, added in order: its value does not depend on the number of threads.
 */
#include "backends/cpu/kernels/linalg/dot.h"
#include "backends/cpu/linalg/product.h"
#include "backends/cpu/reduce/axes.h"
#include "backends/cpu/runtime/parallel.h"
#include "base/shape.h"
#include <string.h>

enum { MAX_PIECES = 1024, BLOCK_BYTES = 4096 /* bytes of neighbouring products */ };

typedef struct job {
  const product *p;
  const cpu_dot_loops *loops;
  int64_t width, blocks; /* products along the last axis of the batch, blocks of them */
  cpu_dot one;           /* what is cut into pieces of PER elements */
  int64_t per;
  char (*part)[16];      /* what they come to */
} job;

static bool is_complex(const product *p) { return p->dtype >= HED_ID_COMPLEX64; }

/* Products from BATCH on, along the last axis of the batch. */
static cpu_dot products(const job *j, int64_t batch, int64_t count)
{
  const product *p = j->p;
  cpu_dot d = { .count = count, .n = p->a.cols, .a = p->a.data, .b = p->b.data, .c = (char *)(uintptr_t)p->c.data,
                .conjugate = p->conjugate };
  int64_t at[HED_MAX_NDIM];
  hed__index_of(p->batch_ndim, p->batch_dim, batch, at);
  d.c += hed__offset_at(p->batch_ndim, at, p->batch_stride[0]);
  d.a += hed__offset_at(p->batch_ndim, at, p->batch_stride[1]);
  d.b += hed__offset_at(p->batch_ndim, at, p->batch_stride[2]);
  if (p->batch_ndim > 0) {
    const int32_t last = p->batch_ndim - 1;
    d.c_step = p->batch_stride[0][last];
    d.a_step = p->batch_stride[1][last];
    d.b_step = p->batch_stride[2][last];
  }
  return d;
}

static void run_rows(void *arg, int64_t begin, int64_t end)
{
  const job *j = arg;
  for (int64_t n; begin < end; begin += n) {
    n = CPU_MIN(j->width - begin % j->width, end - begin);
    const cpu_dot d = products(j, begin, n);
    j->loops->rows(&d);
  }
}

static void run_piece(void *arg, int64_t i)
{
  job *j = arg;
  const int64_t first = i * j->per, size = j->p->size;
  j->loops->rows(&(cpu_dot){ .count = 1, .n = CPU_MIN(j->per, j->one.n - first), .a = j->one.a + first * size,
                             .b = j->one.b + first * size, .c = j->part[i], .conjugate = j->one.conjugate });
}

const cpu_dot_loops *cpu_product_dot_loops(int dtype)
{
  switch (dtype) {
  case HED_ID_INT8:
  case HED_ID_UINT8: return &cpu_dots[CPU_DOT_U8];
  case HED_ID_INT16:
  case HED_ID_UINT16: return &cpu_dots[CPU_DOT_U16];
  case HED_ID_INT32:
  case HED_ID_UINT32: return &cpu_dots[CPU_DOT_U32];
  case HED_ID_INT64:
  case HED_ID_UINT64: return &cpu_dots[CPU_DOT_U64];
  case HED_ID_FLOAT32: return &cpu_dots[CPU_DOT_F32];
  case HED_ID_FLOAT64: return &cpu_dots[CPU_DOT_F64];
  case HED_ID_COMPLEX64: return &cpu_dots[CPU_DOT_C64];
  case HED_ID_COMPLEX128: return &cpu_dots[CPU_DOT_C128];
  default: return NULL;
  }
}

/* The parts of PIECES products of elements (pairs of them: complex numbers) of type T, added up as SUM. */
#define JOIN(T, SUM)                                                     \
  do {                                                                   \
    SUM sum[2] = { 0, 0 };                                               \
    for (int64_t i = 0; i < pieces; i++)                                 \
      for (int k = 0; k <= pairs; k++)                                   \
        sum[k] += (SUM)((const T *)(const void *)j->part[i])[k];         \
    const T made[2] = { (T)sum[0], (T)sum[1] };                          \
    memcpy(j->one.c, made, (size_t)j->p->size);                          \
  } while (0)

static void join(const job *j, int64_t pieces)
{
  const bool pairs = is_complex(j->p);
  const int64_t size = pairs ? j->p->size / 2 : j->p->size;
  if (j->p->dtype >= HED_ID_FLOAT16) {
    if (size == 4)
      JOIN(float, double);
    else
      JOIN(double, double);
  } else if (size == 1) {
    JOIN(uint8_t, uint64_t);
  } else if (size == 2) {
    JOIN(uint16_t, uint64_t);
  } else if (size == 4) {
    JOIN(uint32_t, uint64_t);
  } else {
    JOIN(uint64_t, uint64_t);
  }
}

static void run_columns(void *arg, int64_t item)
{
  const job *j = arg;
  const product *p = j->p;
  _Alignas(64) char sum[2 * BLOCK_BYTES];
  const int64_t most = BLOCK_BYTES / p->size, first = item % j->blocks * most;
  cpu_dot d = products(j, item / j->blocks * j->width + first, CPU_MIN(most, j->width - first));
  d.a_step = p->a.col_stride;
  d.b_step = p->b.row_stride;
  memset(sum, 0, sizeof sum);
  j->loops->columns(&d, sum);
  j->loops->ends(&d, sum);
}

bool cpu_product_dots(const hed_call *call, const product *p, int64_t batch)
{
  const int64_t n = p->a.cols, size = p->size;
  const int32_t last = p->batch_ndim - 1;
  const int64_t words = n * size / 4; /* of four bytes in a lane: pieces are of so many at least */
  const double work = (double)words * (double)batch * (is_complex(p) ? 2 : 1);
  job j = { .p = p, .width = last < 0 ? 1 : p->batch_dim[last] };
  j.loops = cpu_product_dot_loops(p->dtype);
  if (!j.loops)
    return false;
  if (p->c.rows != 1 || p->c.cols != 1 || n == 0 || batch == 0)
    return false;
  if (n > 1 && (p->a.col_stride != size || p->b.row_stride != size)) {
    if (last < 0 || j.width < 4 || p->batch_stride[1][last] != size || p->batch_stride[2][last] != size)
      return false;
    j.blocks = (j.width * size + BLOCK_BYTES - 1) / BLOCK_BYTES;
    cpu_parallel_items(call, batch / j.width * j.blocks, work, run_columns, &j);
    return true;
  }
  if (words < 2 * CPU_PIECE) {
    cpu_parallel_for(call, batch, 1, work, run_rows, &j);
    return true;
  }
  j.part = cpu_room_keep(); /* MAX_PIECES of them */
  if (!j.part)
    return false;
  j.per = cpu_piece(words, MAX_PIECES) * 4 / size;
  const int64_t pieces = (n + j.per - 1) / j.per;
  for (int64_t i = 0; i < batch; i++) {
    j.one = products(&j, i, 1);
    cpu_parallel_items(call, pieces, work / (double)batch, run_piece, &j);
    join(&j, pieces);
  }
  cpu_room_leave(j.part);
  return true;
}
