// SPDX-License-Identifier: BSD-3-Clause
/* random_categorical, random_dirichlet and random_haar, each row from its operands and the draw alone. L1. */
#include "backends/device/rows/rows.h"
#include "backends/device/kernels/args_random.h"
#include "base/dtype.h"
#include <string.h>

typedef struct rows_job {
  hed__random_rows_args args;
  dev_pack x, out;
  void *first, *second;        /* sums and choices; logarithms and shares; numbers and matrices */
  size_t work;                 /* bytes between them */
} rows_job;

/* Rows of the result; the operand's have K elements, the result's N. */
static void describe(rows_job *j, const hed_call *c)
{
  const hed_random_rows_params *p = c->params;
  const hed_view *out = c->out[0];
  const int32_t last = out->ndim - 1;
  j->args = (hed__random_rows_args){ .rows = 1, .n = out->dim[last], .key = p->key, .draw = p->draw, .weights = p->weights };
  j->args.k = c->n_in > 0 ? c->in[0]->dim[c->in[0]->ndim - 1] : j->args.n;
  for (int32_t k = 0; k < last - (c->op == HED_OP_RANDOM_HAAR); k++)
    j->args.rows *= out->dim[k];
}

/* Items of the first kernel, which checks what it reads; of the second. */
static int32_t launch(dev_submit *q, const rows_job *j, int32_t op, char *work, uint64_t first, uint64_t second)
{
  const hed__random_rows_args *a = &j->args;
  void *record;
  int32_t status = dev_errors_record(q, op, -1, &record);
  if (status == HED_OK)
    status = dev_submit_items(q, j->first, first, 3, (void *[]){ work, j->x.data, record }, a, sizeof *a);
  if (status == HED_OK)
    status = dev_submit_items(q, j->second, second, 2, (void *[]){ j->out.data, work }, a, sizeof *a);
  return status == HED_OK ? dev_errors_fetch(q) : status;
}

static int32_t from_rows(dev_device *d, const hed_call *c, const char *first, const char *second)
{
  const bool shares = c->op == HED_OP_RANDOM_DIRICHLET;
  const dev_spec spec = dev_spec_of("random_rows", c->out[0]->dtype);
  rows_job j;
  dev_submit q;
  void *scratch;
  describe(&j, c);
  j.work = dev_part_bytes((size_t)(j.args.rows * j.args.k) * sizeof(double));
  int32_t status = dev_pack_dense(d, &j.x, c->in[0], HED_ID_FLOAT64, false, false);
  if (status == HED_OK)
    status = dev_pack_dense(d, &j.out, c->out[0], c->out[0]->dtype, false, true);
  if (status == HED_OK)
    status = dev_kernel(d, &spec, first, &j.first);
  if (status == HED_OK)
    status = dev_kernel(d, &spec, second, &j.second);
  if (status != HED_OK || (status = dev_submit_call(&q, d, c)) != HED_OK)
    return status;
  status = dev_submit_scratch(&q, j.work + j.x.bytes + j.out.bytes, &scratch);
  char *at = (char *)scratch + j.work;
  if (status == HED_OK)
    status = dev_pack_in(&q, &j.x, &at);
  dev_pack_out(&j.out, &at);
  const uint64_t rows = (uint64_t)j.args.rows;
  if (status == HED_OK)
    status = launch(&q, &j, c->op, scratch, shares ? rows * (uint64_t)j.args.k : rows, shares ? rows : rows * (uint64_t)j.args.n);
  if (status == HED_OK)
    status = dev_pack_finish(&q, &j.out);
  return dev_submit_end(&q, status, c->ticket);
}

int32_t dev_random_rows_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  const bool empty = c->in[0]->dim[c->in[0]->ndim - 1] == 0;
  if (c->host_in || !d->limits.float64 || hed__id_kind(c->out[0]->dtype) == HED_KIND_COMPLEX || empty)
    return HED_E_UNSUPPORTED;
  if (hed__view_size(c->out[0]) == 0)
    return dev_nothing_call(state, c);
  return c->op == HED_OP_RANDOM_DIRICHLET ? from_rows(d, c, "dirichlet_logs", "random_dirichlet")
                                          : from_rows(d, c, "category_sums", "random_categorical");
}

/* Normal numbers in float64, which become orthonormal, and are converted. */
int32_t dev_random_haar_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  const hed_view *out = c->out[0];
  const bool pairs = hed__id_kind(out->dtype) == HED_KIND_COMPLEX;
  const dev_spec normals = dev_spec_of("random", HED_ID_FLOAT64), spec = dev_spec_of("random_rows", out->dtype);
  hed_view dense = *out;
  rows_job j;
  dev_cast_job cast;
  dev_submit q;
  void *work;
  if (!d->limits.float64)
    return HED_E_UNSUPPORTED;
  if (hed__view_size(out) == 0)
    return dev_nothing_call(state, c);
  describe(&j, c);
  dense.dtype = pairs ? HED_ID_COMPLEX128 : HED_ID_FLOAT64;
  hed__c_strides(dense.ndim, dense.dim, hed__id_size(dense.dtype), dense.stride);
  const hed__random_args a = { .n = hed__view_size(out) * (pairs ? 2 : 1), .key = j.args.key, .draw = j.args.draw,
                               .a = dev_number_bits(d, 0), .b = dev_number_bits(d, 1), .limit = dev_number_bits(d, 0) };
  int32_t status = dev_kernel(d, &normals, "random_normal", &j.first);
  if (status == HED_OK)
    status = dev_kernel(d, &spec, "haar_rows", &j.second);
  if (status == HED_OK)
    status = dev_cast_prepare(d, &cast, out, &dense, false);
  if (status != HED_OK || (status = dev_submit_call(&q, d, c)) != HED_OK)
    return status;
  status = dev_submit_scratch(&q, (size_t)a.n * sizeof(double), &work);
  if (status == HED_OK)
    status = dev_submit_items(&q, j.first, (uint64_t)(a.n + 1) / 2, 1, (void *[]){ work }, &a, sizeof a);
  if (status == HED_OK)
    status = dev_submit_items(&q, j.second, (uint64_t)j.args.rows, 1, (void *[]){ work }, &j.args, sizeof j.args);
  if (status == HED_OK)
    status = dev_cast_submit(&q, &cast, out->data, work);
  return dev_submit_end(&q, status, c->ticket);
}
