// SPDX-License-Identifier: BSD-3-Clause
/* matmul by the layer's own kernel: all types, batches, strides (kernels/args_gemm.h). L1. */
#include "backends/device/rows/rows.h"
#include "backends/device/kernels/args_gemm.h"
#include "base/dtype.h"

enum { MOST_ROWS = 65535, MOST_LAUNCHES = 4096 };

typedef struct gemm_job {
  hed__gemm_args args;
  hed__nest batch;             /* result, operands */
  int64_t size[3];
  void *entry;
} gemm_job;

/* Strides in elements; false where one is none. */
static bool strides(const hed_view *v, int64_t size, int64_t to[3])
{
  const int32_t last = v->ndim - 1;
  to[1] = v->stride[last - 1] / size;
  to[2] = v->stride[last] / size;
  return v->stride[last - 1] % size == 0 && v->stride[last] % size == 0;
}

static int32_t plan(gemm_job *j, const hed_call *c)
{
  const hed_view *given[3] = { c->out[0], c->in[0], c->in[1] };
  const int32_t last = c->out[0]->ndim - 1;
  hed_view outside[3];
  int64_t (*to[3])[3] = { &j->args.c, &j->args.a, &j->args.b };
  bool good = true;
  for (int k = 0; k < 3; k++) {
    j->size[k] = hed__id_size(given[k]->dtype);
    good &= strides(given[k], j->size[k], *to[k]);
    outside[k] = hed__view_without(given[k], last - 1, 2);
    for (int32_t a = 0; a < outside[k].ndim; a++) {
      good &= outside[k].stride[a] % j->size[k] == 0;
      if (outside[k].dim[a] == 1)
        outside[k].stride[a] = 0;
      outside[k].dim[a] = c->out[0]->dim[a];
    }
  }
  j->args.m = c->out[0]->dim[last - 1];
  j->args.n = c->out[0]->dim[last];
  j->args.k = c->in[0]->dim[last];
  hed__nest_init(&j->batch, 3, (const hed_view *const[]){ &outside[0], &outside[1], &outside[2] }, HED__NEST_REORDER);
  return good && hed__nest_rows(&j->batch) <= MOST_LAUNCHES ? HED_OK : HED_E_UNSUPPORTED;
}

/* COUNT products from those at DATA on. */
static int32_t launch(dev_submit *q, const gemm_job *j, char *const data[3], int64_t count)
{
  const dev_device *d = q->device;
  const uint64_t block = d->limits.block;
  const int64_t rows = d->limits.is_cpu ? HED__GEMM_ITEM_ROWS : HED__GEMM_ROWS((int64_t)block), most = rows * MOST_ROWS;
  const int64_t columns = d->limits.is_cpu ? HED__GEMM_ITEM_COLUMNS : HED__GEMM_COLUMNS;
  int32_t status = HED_OK;
  for (int64_t row = 0; row < j->args.m && status == HED_OK; row += most) {
    hed__gemm_args a = j->args;
    dev_launch l;
    a.m = j->args.m - row < most ? j->args.m - row : most;
    const uint64_t x = (uint64_t)((a.n + columns - 1) / columns), y = (uint64_t)((a.m + rows - 1) / rows);
    dev_launch_items(&l, d, d->limits.is_cpu ? x : x * block, y, (uint64_t)count);
    l.n_pointers = 3;
    l.pointer = (void *[]){ data[0] + row * a.c[1] * j->size[0], data[1] + row * a.a[1] * j->size[1], data[2] };
    l.args = &a;
    l.args_bytes = sizeof a;
    status = dev_submit_launch(q, j->entry, &l);
  }
  return status;
}

static int32_t run(dev_submit *q, gemm_job *j)
{
  const hed__nest *nest = &j->batch;
  const int32_t last = nest->ndim - 1;
  int32_t status = HED_OK;
  hed__walk w;
  j->args.c[0] = nest->stride[0][last] / j->size[0];
  j->args.a[0] = nest->stride[1][last] / j->size[1];
  j->args.b[0] = nest->stride[2][last] / j->size[2];
  hed__walk_init(&w, nest, 0, hed__nest_rows(nest));
  while (status == HED_OK && hed__walk_next(&w))
    for (int64_t k = 0; k < nest->dim[last] && status == HED_OK; k += MOST_ROWS) {
      char *data[3];
      for (int i = 0; i < 3; i++)
        data[i] = w.ptr[i] + k * nest->stride[i][last];
      status = launch(q, j, data, nest->dim[last] - k < MOST_ROWS ? nest->dim[last] - k : MOST_ROWS);
    }
  return status;
}

int32_t dev_matmul_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  dev_spec spec = dev_spec_of("gemm", c->compute);
  gemm_job j;
  dev_submit q;
  if (c->host_in || (int64_t)hed__view_size(c->out[0]) == 0)
    return c->host_in ? HED_E_UNSUPPORTED : dev_nothing_call(state, c);
  for (int k = 0; k < 2; k++)
    spec.in[k] = c->in[k]->dtype == c->compute ? DEV_TYPE_NONE : c->in[k]->dtype;
  spec.out = c->out[0]->dtype == c->compute ? DEV_TYPE_NONE : c->out[0]->dtype;
  int32_t status = plan(&j, c);
  if (status == HED_OK && (status = dev_kernel(d, &spec, "matmul", &j.entry)) == HED_OK &&
      (status = dev_submit_call(&q, d, c)) == HED_OK)
    status = dev_submit_end(&q, run(&q, &j), c->ticket);
  return status;
}
