// SPDX-License-Identifier: BSD-3-Clause
/* fill, arange, tril and triu. L1. */
#include "backends/device/rows/rows.h"
#include "backends/device/kernels/args_make.h"
#include "base/cast.h"
#include "base/dtype.h"
#include <heddle/op_names.h>
#include <stdio.h>
#include <string.h>

/* ---- fill ---- */

int32_t dev_fill_prepare(dev_device *d, dev_fill_job *j, const hed_view *v)
{
  char name[32];
  j->view = v;
  int32_t status = dev_plan_make(&j->plan, d, 1, &j->view, 0);
  if (status != HED_OK)
    return status;
  if (j->plan.layout == DEV_ROWS)
    j->plan.layout = DEV_STRIDED;
  const dev_spec spec = dev_spec_of("make", v->dtype);
  snprintf(name, sizeof name, "fill_%s", dev_layout_names[j->plan.layout]);
  return dev_kernel(d, &spec, name, &j->entry);
}

int32_t dev_fill_submit(dev_submit *q, dev_fill_job *j, void *dst, const uint64_t bits[2])
{
  dev_map_args args = { .host = 0 };
  memcpy(args.value[0], bits, sizeof args.value[0]);
  j->plan.nest.data[0] += (char *)dst - (char *)j->view->data;
  return dev_plan_launch(q, &j->plan, &j->view, j->entry, &args);
}

/* The value in the kind of the result's dtype, as it is stored. */
static void value_bits(const hed_fill_params *p, int32_t dtype, uint64_t bits[2])
{
  const hed_kind kind = hed__id_kind(dtype);
  double number[2] = { kind == HED_KIND_BOOL ? p->re != 0 || p->im != 0 || p->i != 0 : p->re, p->im };
  int64_t whole = p->i;
  const bool integer = kind == HED_KIND_INT || kind == HED_KIND_UINT;
  hed_view one = { .data = integer ? (void *)&whole : number, .dtype = integer ? HED_ID_INT64 : HED_ID_COMPLEX128 };
  dev_element_bits(&one, dtype, bits);
}

int32_t dev_fill_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  dev_fill_job j;
  dev_submit q;
  uint64_t bits[2];
  int32_t status = dev_fill_prepare(d, &j, c->out[0]);
  if (status != HED_OK || (status = dev_submit_call(&q, d, c)) != HED_OK)
    return status;
  value_bits(c->params, c->out[0]->dtype, bits);
  return dev_submit_end(&q, dev_fill_submit(&q, &j, c->out[0]->data, bits), c->ticket);
}

/* ---- arange ---- */

int32_t dev_arange_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  const hed_arange_params *p = c->params;
  const hed_view *out = c->out[0];
  const dev_spec spec = dev_spec_of("make", out->dtype);
  const int64_t size = hed__id_size(out->dtype);
  dev_submit q;
  void *entry;
  dev_launch l;
  if (out->stride[0] % size != 0 || (!d->limits.float64 && !p->whole))
    return HED_E_UNSUPPORTED; /* elements are computed in float64 */
  const hed__arange_args args = {
    .n = out->dim[0], .stride = out->stride[0] / size, .start = dev_number_bits(d, p->start),
    .step = dev_number_bits(d, p->step), .whole = p->whole, .first = p->first, .increment = p->increment,
  };
  int32_t status = dev_kernel(d, &spec, "arange", &entry);
  if (status != HED_OK || (status = dev_submit_call(&q, d, c)) != HED_OK)
    return status;
  dev_launch_items(&l, d, (uint64_t)out->dim[0], 1, 1);
  l.n_pointers = 1;
  l.pointer = &(void *){ out->data };
  l.args = &args;
  l.args_bytes = sizeof args;
  return dev_submit_end(&q, dev_submit_launch(&q, entry, &l), c->ticket);
}

/* ---- triangles ---- */

/* The matrices of a call, and how many rows of each are in one launch. */
typedef struct triangles {
  const hed_view *out, *x;
  hed__map_strided_args args;
  void *entry;
} triangles;

/* Rows of all matrices along AXIS and the axes after it. */
static int32_t launch_triangles(dev_submit *q, const triangles *t, int32_t axis, char *to, char *from)
{
  enum { MOST_ROWS = 65535 };
  const int32_t last = t->out->ndim - 1;
  const int64_t size = hed__id_size(t->out->dtype);
  int32_t status = HED_OK;
  if (axis < last - 1) {
    for (int64_t k = 0; k < t->out->dim[axis] && status == HED_OK; k++)
      status = launch_triangles(q, t, axis + 1, to + k * t->out->stride[axis], from + k * t->x->stride[axis]);
    return status;
  }
  for (int64_t k = 0; k < t->out->dim[axis] && status == HED_OK; k += MOST_ROWS) {
    hed__map_strided_args args = t->args;
    dev_launch l;
    args.n[1] = t->out->dim[axis] - k < MOST_ROWS ? t->out->dim[axis] - k : MOST_ROWS;
    args.param[1] = (uint64_t)k;
    args.stride[0][1] = t->out->stride[axis] / size;
    args.stride[1][1] = t->x->stride[axis] / size;
    dev_launch_items(&l, q->device, (uint64_t)args.n[0], (uint64_t)args.n[1], 1);
    l.n_pointers = 2;
    l.pointer = (void *[]){ to + k * t->out->stride[axis], from + k * t->x->stride[axis] };
    l.args = &args;
    l.args_bytes = sizeof args;
    status = dev_submit_launch(q, t->entry, &l);
  }
  return status;
}

static int32_t triangle(dev_device *d, const hed_call *c, const char *name)
{
  const hed_view *out = c->out[0], *x = c->in[0];
  const int32_t last = out->ndim - 1;
  const int64_t size = hed__id_size(out->dtype);
  dev_spec spec = dev_spec_of("map", out->dtype);
  char only[DEV_ROW_NAME];
  int64_t matrices = 1;
  dev_submit q;
  if (c->host_in || x->dtype != out->dtype)
    return HED_E_UNSUPPORTED;
  for (int32_t k = 0; k <= last; k++) {
    if (out->stride[k] % size != 0 || x->stride[k] % size != 0)
      return HED_E_UNSUPPORTED;
    matrices *= k < last - 1 ? out->dim[k] : 1;
  }
  if (matrices > 4096)
    return HED_E_UNSUPPORTED;
  triangles t = { .out = out, .x = x, .args = { .n = { out->dim[last], 1, 1, 1 } } };
  t.args.stride[0][0] = out->stride[last] / size;
  t.args.stride[1][0] = x->stride[last] / size;
  t.args.param[0] = (uint64_t)((const hed_triangle_params *)c->params)->k;
  spec.only = dev_row_name(only, hed_op_names[c->op]);
  int32_t status = dev_kernel(d, &spec, name, &t.entry);
  if (status != HED_OK || (status = dev_submit_call(&q, d, c)) != HED_OK)
    return status;
  return dev_submit_end(&q, launch_triangles(&q, &t, 0, out->data, x->data), c->ticket);
}

int32_t dev_tril_call(void *state, const hed_call *c) { return triangle(state, c, "tril_strided64"); }
int32_t dev_triu_call(void *state, const hed_call *c) { return triangle(state, c, "triu_strided64"); }
