// SPDX-License-Identifier: BSD-3-Clause
/* faulty: a handful of operations in float32 by plain loops; the rest is left to the reference backend. L1.
 *
 * Operands of other dtypes are converted element by element. Sums accumulate in double.
 */
#include "backends/faulty/faulty.h"
#include "base/cast.h"
#include <math.h>
#include <string.h>

/* One element of V at P as float32, and back. */
static float load(const hed_view *v, const char *p)
{
  float x;
  hed__cast(v->dtype, HED_ID_FLOAT32)(1, (char *)&x, 0, p, 0);
  return x;
}

static void store(const hed_view *v, char *p, float x)
{
  hed__cast(HED_ID_FLOAT32, v->dtype)(1, p, 0, (const char *)&x, 0);
}

static float apply(int32_t op, float a, float b)
{
  switch (op) {
  case HED_OP_ADD: return a + b;
  case HED_OP_SUBTRACT: return a - b;
  case HED_OP_MULTIPLY: return a * b;
  case HED_OP_NEGATIVE: return -a;
  case HED_OP_EXP: return expf(a);
  default: return a; /* astype */
  }
}

static void map_axis(const hed__faulty_job *j, int32_t axis, char *out, const char *a, const char *b)
{
  if (axis == j->out.ndim) {
    store(&j->out, out, apply(j->op, load(&j->in[0], a), j->n_in > 1 ? load(&j->in[1], b) : 0));
    return;
  }
  for (int64_t k = 0; k < j->out.dim[axis]; k++)
    map_axis(j, axis + 1, out + k * j->out.stride[axis], a + k * j->in[0].stride[axis],
             j->n_in > 1 ? b + k * j->in[1].stride[axis] : b);
}

static void run_map(hed__faulty_job *j)
{
  map_axis(j, 0, j->out.data, j->in[0].data, j->n_in > 1 ? j->in[1].data : NULL);
}

static void fill_axis(const hed__faulty_job *j, int32_t axis, char *out)
{
  if (axis == j->out.ndim) {
    store(&j->out, out, (float)j->params.fill.re);
    return;
  }
  for (int64_t k = 0; k < j->out.dim[axis]; k++)
    fill_axis(j, axis + 1, out + k * j->out.stride[axis]);
}

static void run_fill(hed__faulty_job *j)
{
  fill_axis(j, 0, j->out.data);
}

/* Sum over the reduced axes from AXIS on. */
static double sum_reduced(const hed__faulty_job *j, int32_t axis, const char *p)
{
  double s = 0;
  while (axis < j->in[0].ndim && !(j->params.reduce.axes >> axis & 1))
    axis++;
  if (axis == j->in[0].ndim)
    return (double)load(&j->in[0], p);
  for (int64_t k = 0; k < j->in[0].dim[axis]; k++)
    s += sum_reduced(j, axis + 1, p + k * j->in[0].stride[axis]);
  return s;
}

static void sum_axis(const hed__faulty_job *j, int32_t axis, char *out, const char *p)
{
  if (axis == j->out.ndim) {
    store(&j->out, out, (float)sum_reduced(j, 0, p));
    return;
  }
  for (int64_t k = 0; k < j->out.dim[axis]; k++)
    sum_axis(j, axis + 1, out + k * j->out.stride[axis], p + k * j->in[0].stride[axis]);
}

static void run_sum(hed__faulty_job *j)
{
  sum_axis(j, 0, j->out.data, j->in[0].data);
}

static void matmul_axis(const hed__faulty_job *j, int32_t axis, char *out, const char *a, const char *b)
{
  const hed_view *o = &j->out, *x = &j->in[0], *y = &j->in[1];
  int32_t r = o->ndim - 2, c = o->ndim - 1;
  if (axis < r) {
    for (int64_t k = 0; k < o->dim[axis]; k++)
      matmul_axis(j, axis + 1, out + k * o->stride[axis], a + k * x->stride[axis], b + k * y->stride[axis]);
    return;
  }
  for (int64_t m = 0; m < o->dim[r]; m++)
    for (int64_t n = 0; n < o->dim[c]; n++) {
      double s = 0;
      for (int64_t k = 0; k < x->dim[c]; k++)
        s += (double)load(x, a + m * x->stride[r] + k * x->stride[c]) *
             (double)load(y, b + k * y->stride[r] + n * y->stride[c]);
      store(o, out + m * o->stride[r] + n * o->stride[c], (float)s);
    }
}

static void run_matmul(hed__faulty_job *j)
{
  matmul_axis(j, 0, j->out.data, j->in[0].data, j->in[1].data);
}

static int32_t op_map(void *state, const hed_call *call) { return hed__faulty_submit(state, call, run_map); }
static int32_t op_fill(void *state, const hed_call *call) { return hed__faulty_submit(state, call, run_fill); }
static int32_t op_sum(void *state, const hed_call *call) { return hed__faulty_submit(state, call, run_sum); }
static int32_t op_matmul(void *state, const hed_call *call) { return hed__faulty_submit(state, call, run_matmul); }

#define FLOAT32_ONLY (1u << HED_ID_FLOAT32)

const hed_op_entry hed__faulty_ops[] = {
  { "add", op_map, FLOAT32_ONLY },      { "subtract", op_map, FLOAT32_ONLY }, { "multiply", op_map, FLOAT32_ONLY },
  { "negative", op_map, FLOAT32_ONLY }, { "exp", op_map, FLOAT32_ONLY },      { "astype", op_map, FLOAT32_ONLY },
  { "fill", op_fill, FLOAT32_ONLY },    { "sum", op_sum, FLOAT32_ONLY },      { "matmul", op_matmul, FLOAT32_ONLY },
  { NULL, NULL, 0 },
};
