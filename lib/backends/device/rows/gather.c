// SPDX-License-Identifier: BSD-3-Clause
/* take, take_along_axis and gather_nd: elements from where indices say, which kernels wrap and check. L1.
 *
 * All three are one kernel over the shape of the result: operand and index have strides of 0 along axes that they do not have.
 */
#include "backends/device/rows/rows.h"
#include "backends/device/kernels/args_gather.h"
#include "base/dtype.h"
#include <stdio.h>

enum { MOST_ROWS = 65535, MOST_LAUNCHES = 4096 };

/* ---- shapes ---- */

static void describe_take(dev_gather_job *j, const hed_call *c)
{
  const int32_t axis = ((const hed_take_params *)c->params)->axis;
  const hed_view *x = c->in[0], *index = c->in[1];
  for (int32_t k = 0; k < c->out[0]->ndim; k++) {
    const int32_t in_index = k - axis;
    const bool is_index = in_index >= 0 && in_index < index->ndim;
    j->from.stride[k] = is_index ? 0 : x->stride[k < axis ? k : k - index->ndim + 1];
    j->index.stride[k] = is_index ? index->stride[in_index] : 0;
  }
  j->step = x->stride[axis];
  j->extent = x->dim[axis];
  j->code = DEV_CODE_INDEX;
  j->axis = axis;
}

static void describe_along(dev_gather_job *j, const hed_call *c)
{
  const int32_t axis = ((const hed_take_params *)c->params)->axis;
  for (int32_t k = 0; k < c->out[0]->ndim; k++) {
    j->from.stride[k] = k == axis ? 0 : c->in[0]->stride[k];
    j->index.stride[k] = c->in[1]->stride[k];
  }
  j->step = c->in[0]->stride[axis];
  j->extent = c->in[0]->dim[axis];
  j->code = DEV_CODE_INDEX;
  j->axis = axis;
}

/* X has been packed where its first axes do not lie as one. */
void dev_gather_describe(dev_gather_job *j, const hed_view *out, const hed_view *x, const hed_view *places, int32_t axes)
{
  j->from = j->index = *out;
  j->from.data = x->data;
  j->index.data = places->data;
  j->index.dtype = HED_ID_INT64;
  j->extent = 1;
  for (int32_t k = 0; k < axes; k++)
    j->extent *= x->dim[k];
  for (int32_t k = 0; k < out->ndim; k++) {
    j->from.stride[k] = k == 0 ? 0 : x->stride[axes + k - 1];
    j->index.stride[k] = k == 0 ? places->stride[0] : 0;
  }
  j->step = x->stride[axes - 1];
  j->code = DEV_CODE_PLACE;
  j->axis = -1;
}

/* Do the first AXES axes of V lie as one? */
bool dev_lie_as_one(const hed_view *v, int32_t axes)
{
  bool yes = true;
  for (int32_t k = axes - 1; k > 0; k--)
    yes &= v->stride[k - 1] == v->stride[k] * v->dim[k];
  return yes;
}

/* ---- launches ---- */

static int32_t launch_part(dev_submit *q, const dev_gather_job *j, char *const data[3], void *record, const int64_t n[3])
{
  const hed__nest *nest = &j->nest;
  const int64_t size = hed__id_size(j->from.dtype);
  const int32_t last = nest->ndim - 1;
  hed__gather_args a = { .n = { n[0], n[1], n[2] }, .step = j->step / size, .extent = j->extent, .code = j->code };
  dev_launch l;
  for (int32_t k = 0; k < 3 && k <= last; k++) {
    a.to[k] = nest->stride[0][last - k] / size;
    a.from[k] = nest->stride[1][last - k] / size;
    a.index[k] = nest->stride[2][last - k] / (int64_t)sizeof(int64_t);
  }
  dev_launch_items(&l, q->device, (uint64_t)n[0], (uint64_t)n[1], (uint64_t)n[2]);
  l.n_pointers = 4;
  l.pointer = (void *[]){ data[0], data[1], data[2], record };
  l.args = &a;
  l.args_bytes = sizeof a;
  return dev_submit_launch(q, j->entry, &l);
}

/* Axes outside of the inner three one by one, those in parts that a launch can count. */
static int32_t launch_from(dev_submit *q, const dev_gather_job *j, char *const data[3], void *record, int32_t axis, int64_t n[3])
{
  const hed__nest *nest = &j->nest;
  const int32_t place = nest->ndim - 1 - axis; /* 0: the innermost */
  int32_t status = HED_OK;
  if (axis == nest->ndim)
    return launch_part(q, j, data, record, n);
  const int64_t most = place > 2 ? 1 : place > 0 ? MOST_ROWS : INT32_MAX;
  for (int64_t k = 0; k < nest->dim[axis] && status == HED_OK; k += most) {
    char *at[3];
    for (int32_t i = 0; i < 3; i++)
      at[i] = data[i] + k * nest->stride[i][axis];
    if (place <= 2)
      n[place] = nest->dim[axis] - k < most ? nest->dim[axis] - k : most;
    status = launch_from(q, j, at, record, axis + 1, n);
  }
  return status;
}

/* ---- the calls ---- */

static int32_t find_entry(dev_device *d, const hed_view *x, void **entry)
{
  static const int32_t sharing[17] = { [1] = HED_ID_UINT8, [2] = HED_ID_UINT16, [4] = HED_ID_UINT32, [8] = HED_ID_UINT64,
                                       [16] = HED_ID_COMPLEX128 };
  const int32_t size = hed__id_size(x->dtype);
  dev_spec spec = dev_spec_of("gather", sharing[size]);
  char bytes[16];
  snprintf(bytes, sizeof bytes, "HED_BYTES %d", (int)size);
  spec.define[0] = bytes;
  return dev_kernel(d, &spec, "gather", entry);
}

static bool divides(const dev_gather_job *j, const hed_view *out)
{
  const int64_t size = hed__id_size(out->dtype);
  bool yes = j->step % size == 0;
  for (int32_t k = 0; k < out->ndim; k++)
    yes &= out->stride[k] % size == 0 && j->from.stride[k] % size == 0 && j->index.stride[k] % 8 == 0;
  return yes;
}

static int64_t outer_launches(const hed__nest *nest)
{
  int64_t n = 1;
  for (int32_t k = 0; k < nest->ndim - 3; k++)
    n = nest->dim[k] > MOST_LAUNCHES ? MOST_LAUNCHES + 1 : n * nest->dim[k];
  return n;
}

int32_t dev_gather_prepare(dev_device *d, dev_gather_job *j, const hed_view *out)
{
  if (!divides(j, out))
    return HED_E_UNSUPPORTED;
  hed__nest_init(&j->nest, 3, (const hed_view *const[]){ out, &j->from, &j->index }, HED__NEST_REORDER);
  return outer_launches(&j->nest) > MOST_LAUNCHES ? HED_E_UNSUPPORTED : find_entry(d, out, &j->entry);
}

int32_t dev_gather_submit(dev_submit *q, dev_gather_job *j, int32_t op, void *x, void *index)
{
  int64_t n[3] = { 1, 1, 1 };
  void *record;
  char *data[3] = { j->nest.data[0], j->nest.data[1] + ((char *)x - (char *)j->from.data),
                    j->nest.data[2] + ((char *)index - (char *)j->index.data) };
  int32_t status = dev_errors_record(q, op, j->axis, &record);
  if (status == HED_OK)
    status = launch_from(q, j, data, record, 0, n);
  return status == HED_OK ? dev_errors_fetch(q) : status;
}

static int32_t gather(dev_device *d, const hed_call *c, dev_gather_job *j, dev_pack *x)
{
  dev_submit q;
  void *scratch = NULL;
  int32_t status = dev_gather_prepare(d, j, c->out[0]);
  if (status != HED_OK || (status = dev_submit_call(&q, d, c)) != HED_OK)
    return status;
  if (x->needed)
    status = dev_submit_scratch(&q, x->bytes, &scratch);
  char *at = scratch;
  if (status == HED_OK)
    status = dev_pack_in(&q, x, &at);
  if (status == HED_OK)
    status = dev_gather_submit(&q, j, c->op, x->needed ? x->data : c->in[0]->data, c->in[1]->data);
  return dev_submit_end(&q, status, c->ticket);
}

/* The operand and the index get the result's shape; strides come after. */
static void begin(dev_gather_job *j, const hed_call *c)
{
  const hed_view *out = c->out[0];
  j->from = j->index = *out;
  j->from.data = c->in[0]->data;
  j->index.data = c->in[1]->data;
  j->index.dtype = HED_ID_INT64;
}

static bool can(const hed_call *c)
{
  return !c->host_in && c->in[0]->dtype == c->out[0]->dtype && c->in[1]->dtype == HED_ID_INT64;
}

int32_t dev_take_call(void *state, const hed_call *c)
{
  dev_gather_job j;
  dev_pack none = { .needed = false };
  if (!can(c))
    return HED_E_UNSUPPORTED;
  begin(&j, c);
  describe_take(&j, c);
  return gather(state, c, &j, &none);
}

int32_t dev_take_along_axis_call(void *state, const hed_call *c)
{
  dev_gather_job j;
  dev_pack none = { .needed = false };
  if (!can(c))
    return HED_E_UNSUPPORTED;
  begin(&j, c);
  describe_along(&j, c);
  return gather(state, c, &j, &none);
}

int32_t dev_gather_nd_call(void *state, const hed_call *c)
{
  const int32_t axes = ((const hed_gather_params *)c->params)->axes;
  dev_gather_job j;
  dev_pack x;
  if (!can(c) || axes < 1)
    return HED_E_UNSUPPORTED;
  int32_t status = dev_pack_prepare(state, &x, c->in[0], !dev_lie_as_one(c->in[0], axes), false);
  if (status != HED_OK)
    return status;
  dev_gather_describe(&j, c->out[0], x.needed ? &x.packed : c->in[0], c->in[1], axes);
  return gather(state, c, &j, &x);
}
