// SPDX-License-Identifier: BSD-3-Clause
/* Reductions, and sums along the last axis of two operands: parts of each result, then results (kernels/args_reduce.h). L1. */
#include "backends/device/rows/reduce.h"
#include "backends/device/rows/rows.h"
#include "base/dtype.h"
#include "base/nest.h"
#include <heddle/op_names.h>
#include <stdio.h>
#include <string.h>

/* ---- rows ---- */

typedef dev_reduce_row row;

/* ONE_PASS of kernels/reduce_states.h. */
static bool is_one_pass(const dev_device *d, int32_t compute)
{
  const int32_t real = hed__real_of(compute);
  return d->limits.float64 && (real == HED_ID_FLOAT32 || real == HED_ID_FLOAT16 || real == HED_ID_BFLOAT16);
}

const row *dev_reduce_row_of(const dev_device *d, int32_t op, int32_t compute)
{
  static const row moments = { "moments", NULL, NULL, "MEAN", 0 };
  static const row sum = { "sum", NULL, NULL, "SUM", 0 }, prod = { "prod", NULL, NULL, "PROD", 0 };
  static const row mean = { "mean", NULL, NULL, "MEAN", 0 }, squares = { "squares", "mean", "centre", "MEAN", 2 };
  static const row most = { "max", NULL, NULL, "MAX", 0 }, least = { "min", NULL, NULL, "MIN", 0 };
  static const row count = { "count", NULL, NULL, "COUNT_NONZERO", 0 }, nansum = { "nansum", NULL, NULL, "NANSUM", 0 };
  static const row nanmax = { "nanmax", NULL, NULL, "NANMAX", 0 }, nanmin = { "nanmin", NULL, NULL, "NANMIN", 0 };
  static const row norm = { "powers", "extremes", "norms", "VECTOR_NORM", 4 }, dot = { "dot", NULL, NULL, "VECDOT", 0 };
  switch (op) {
  case HED_OP_SUM: return &sum;
  case HED_OP_PROD: return &prod;
  case HED_OP_MEAN: return &mean;
  case HED_OP_VAR: case HED_OP_STD: return is_one_pass(d, compute) ? &moments : &squares;
  case HED_OP_MAX: case HED_OP_ARGMAX: return &most;
  case HED_OP_MIN: case HED_OP_ARGMIN: return &least;
  case HED_OP_ANY: case HED_OP_ALL: case HED_OP_COUNT_NONZERO: return &count;
  case HED_OP_NANSUM: return &nansum;
  case HED_OP_NANMAX: return &nanmax;
  case HED_OP_NANMIN: return &nanmin;
  case HED_OP_VECTOR_NORM: return &norm;
  default: return &dot;
  }
}

static int32_t natural_result(int32_t op, int32_t compute)
{
  switch (op) {
  case HED_OP_ANY: case HED_OP_ALL: return HED_ID_BOOL;
  case HED_OP_ARGMAX: case HED_OP_ARGMIN: case HED_OP_COUNT_NONZERO: return HED_ID_INT64;
  case HED_OP_VAR: case HED_OP_STD: case HED_OP_VECTOR_NORM: return hed__real_of(compute);
  default: return compute;
  }
}

/* ---- layouts ---- */

bool dev_reduce_places(int32_t ndim, uint32_t axes, int32_t place[3])
{
  int32_t at = 0;
  for (int32_t k = 0; k < 3; k++)
    place[k] = at < ndim && (axes >> at & 1u) == (k == 1) ? at++ : -1;
  return at == ndim;
}

/* X as x[a, r, c] into ARGS; false where its axes, or the result's, do not lie so. */
static bool fits(const hed_view *const views[3], uint32_t axes, hed__reduce_args *args)
{
  int64_t dim[HED_MAX_NDIM], stride[3][HED_MAX_NDIM];
  int64_t count[2] = { 1, 1 };  /* of elements that are kept, and of those that go */
  int32_t ndim = views[0]->ndim, place[3];
  for (int32_t k = 0; k < ndim; k++) {
    const bool goes = axes >> k & 1u;
    dim[k] = views[0]->dim[k];
    count[goes] *= dim[k];
    for (int j = 0; j < 3; j++) {
      const int64_t size = views[j] ? hed__id_size(views[j]->dtype) : 1;
      const int64_t own = !views[j] || dim[k] == 1 || (j == 2 && goes) ? 0 : views[j]->stride[k];
      if (own % size != 0)
        return false;
      stride[j][k] = own / size;
    }
  }
  ndim = hed__merge_axes(3, stride, ndim, dim, &axes);
  *args = (hed__reduce_args){ .n = { 1, 1, 1 } };
  if (count[0] == 0 || count[1] == 0) { /* nothing is read, or nothing written */
    args->n[0] = count[0];
    args->n[1] = count[1];
    args->to[0] = 1;
    return count[0] == 0 || hed__is_c_contiguous(views[2]);
  }
  if (!dev_reduce_places(ndim, axes, place))
    return false;
  for (int32_t k = 0; k < 3; k++) { /* a, r, c */
    if (place[k] < 0)
      continue;
    args->n[k] = dim[place[k]];
    args->stride[k] = stride[0][place[k]];
    args->other[k] = stride[1][place[k]];
    if (k != 1)
      args->to[k / 2] = stride[2][place[k]];
  }
  return true;
}

/* V with the reduced axes last. */
static hed_view reduced_last(const hed_view *v, uint32_t axes)
{
  hed_view p = *v;
  int32_t n = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int32_t k = 0; k < v->ndim; k++)
      if ((axes >> k & 1) == (uint32_t)pass) {
        p.dim[n] = v->dim[k];
        p.stride[n++] = v->stride[k];
      }
  return p;
}

static uint32_t last_axes(const hed_view *v, uint32_t axes)
{
  int32_t n = 0;
  for (int32_t k = 0; k < v->ndim; k++)
    n += axes >> k & 1;
  return ((1u << n) - 1) << (v->ndim - n);
}

/* ---- launches ---- */

enum { CHUNK_ELEMENTS = 4096, MOST_PARTS = 1024, CHUNK_ROWS = 512, SHORT_SLICE_ELEMENTS = 64, MOST_GROUPS = 65535, JOIN_BY_ITEM = 64 };

typedef dev_reduce_job reduce_job;

void dev_reduce_schedule(reduce_job *j, const dev_device *d)
{
  hed__reduce_args *a = &j->args;
  const bool columns = a->n[2] > 1 && (a->stride[2] < a->stride[1] || a->stride[1] == 0) && a->stride[2] > 0;
  /* of one result as many as the groups that large devices have at once */
  int64_t chunk = d->limits.is_cpu ? CHUNK_ELEMENTS : (a->n[1] / CHUNK_ELEMENTS / MOST_PARTS + 1) * CHUNK_ELEMENTS;
  j->schedule = a->n[1] <= SHORT_SLICE_ELEMENTS ? "short" : "inner";
  if (columns && a->n[2] >= HED__REDUCE_COLUMNS && a->n[0] <= MOST_GROUPS && a->n[1] / CHUNK_ROWS < MOST_GROUPS) {
    chunk = CHUNK_ROWS;
    j->schedule = "columns";
  }
  a->chunk = chunk;
  a->parts = a->n[1] > 0 ? (a->n[1] + chunk - 1) / chunk : 1;
  j->in_groups = strcmp(j->schedule, "inner") == 0 && !d->limits.is_cpu;
  j->join_in_groups = a->parts > JOIN_BY_ITEM;
}

static size_t results(const reduce_job *j) { return (size_t)(j->args.n[0] * j->args.n[2]); }
size_t dev_reduce_state_bytes(const reduce_job *j)
{
  return dev_part_bytes(results(j) * (size_t)j->args.parts * HED__REDUCE_STATE);
}

size_t dev_reduce_aux_bytes(const reduce_job *j)
{
  return dev_part_bytes(results(j) * (size_t)j->row->numbers * sizeof(double));
}

dev_spec dev_reduce_spec(const reduce_job *j, int32_t op, int32_t compute, int32_t from, int32_t to)
{
  dev_spec spec = dev_spec_of("reduce", compute);
  spec.in[0] = from == compute ? DEV_TYPE_NONE : from;
  spec.out = to == natural_result(op, compute) ? DEV_TYPE_NONE : to;
  spec.only = j->row->program;
  return spec;
}

/* Entries of the two launches. */
static int32_t find_entry(dev_device *d, const reduce_job *j, const dev_spec *spec, const char *name, bool join, void **entry)
{
  char full[48];
  snprintf(full, sizeof full, "%s_%s", name, !join ? j->schedule : j->join_in_groups ? "join_group" : "join");
  return dev_kernel(d, spec, full, entry);
}

int32_t dev_reduce_find_join(dev_device *d, const reduce_job *j, const dev_spec *spec, const char *name, void **entry)
{
  return find_entry(d, j, spec, name, true, entry);
}

static int32_t find_entries(dev_device *d, reduce_job *j, const hed_call *c)
{
  const dev_spec spec = dev_reduce_spec(j, c->op, c->compute, c->in[0]->dtype, c->out[0]->dtype);
  int32_t status = HED_OK;
  for (int k = 0; k < 2 && j->row->centre && status == HED_OK; k++)
    status = find_entry(d, j, &spec, k ? j->row->centre : j->row->centre_first, k, &j->entry[k]);
  if (status == HED_OK)
    status = find_entry(d, j, &spec, j->row->first, false, &j->entry[2]);
  return status == HED_OK ? dev_reduce_find_join(d, j, &spec, hed_op_names[c->op], &j->entry[3]) : status;
}

int32_t dev_reduce_launch(dev_submit *q, const reduce_job *j, void *entry, int32_t n_pointers, void *const *pointers,
                          const void *args, size_t args_bytes, bool join)
{
  const dev_device *d = q->device;
  const hed__reduce_args *a = &j->args;
  const uint64_t units = (uint64_t)(a->n[0] * a->n[2]) * (uint64_t)(join ? 1 : a->parts), block = d->limits.block;
  dev_launch l;
  const bool columns = strcmp(j->schedule, "columns") == 0, loops = d->limits.is_cpu && strcmp(j->schedule, "short") != 0;
  const uint64_t each = d->limits.is_cpu ? HED__REDUCE_COLUMNS : 1;
  if (join ? j->join_in_groups : j->in_groups)
    dev_launch_items(&l, d, units * block, 1, 1);
  else if (!join && columns)
    dev_launch_items(&l, d, ((uint64_t)a->n[2] + each - 1) / each, (uint64_t)a->parts, (uint64_t)a->n[0]);
  else
    dev_launch_items(&l, d, units, 1, 1);
  if (!join && loops) { /* an item is enough for a group, and of more PoCL makes vectors across their loops */
    l.groups[0] *= l.block;
    l.block = 1;
  }
  l.n_pointers = n_pointers;
  l.pointer = pointers;
  l.args = args;
  l.args_bytes = args_bytes;
  return dev_submit_launch(q, entry, &l);
}

static int32_t launch(dev_submit *q, const reduce_job *j, void *entry, void *const pointers[3], bool join)
{
  return dev_reduce_launch(q, j, entry, 3, pointers, &j->args, sizeof j->args, join);
}

/* First launch and join by two entries, what the join writes going to OUT. */
static int32_t pass(dev_submit *q, const reduce_job *j, void *const entry[2], void *out, void *aux)
{
  /* a pointer that is not followed is another one */
  int32_t status = launch(q, j, entry[0], (void *[]){ j->states, j->x, aux ? aux : j->x }, false);
  return status == HED_OK ? launch(q, j, entry[1], (void *[]){ out, j->states, aux ? aux : j->states }, true) : status;
}

static int32_t submit(dev_submit *q, reduce_job *j)
{
  int32_t status = HED_OK;
  if (j->row->centre)
    status = pass(q, j, j->entry, j->aux, NULL);
  return status == HED_OK ? pass(q, j, j->entry + 2, j->out, j->row->centre ? j->aux : j->y) : status;
}

/* ---- the call ---- */

/* Operands that do not lie as x[a, r, c] are packed so, and a result that does not is unpacked. */
typedef struct packing {
  bool x, out;
  hed_view from, packed, result, to;
  dev_cast_job in_job, out_job;
} packing;

static int32_t plan(dev_device *d, const hed_call *c, uint32_t axes, reduce_job *j, packing *p)
{
  const hed_view *views[3] = { c->in[0], c->n_in > 1 ? c->in[1] : NULL, c->out[0] };
  int32_t status = HED_OK;
  *p = (packing){ .x = false };
  if (fits(views, axes, &j->args))
    return HED_OK;
  if (c->n_in > 1)
    return HED_E_UNSUPPORTED;
  p->x = true;
  p->from = p->packed = reduced_last(c->in[0], axes);
  hed__c_strides(p->packed.ndim, p->packed.dim, hed__id_size(p->packed.dtype), p->packed.stride);
  p->to = p->result = reduced_last(c->out[0], axes);
  status = dev_cast_prepare(d, &p->in_job, &p->packed, &p->from, false);
  views[0] = &p->packed;
  views[2] = &p->result;
  if (status != HED_OK || fits(views, last_axes(c->in[0], axes), &j->args))
    return status;
  p->out = true;
  hed__c_strides(p->result.ndim, p->result.dim, hed__id_size(p->result.dtype), p->result.stride);
  if (!fits(views, last_axes(c->in[0], axes), &j->args))
    return HED_E_UNSUPPORTED;
  return dev_cast_prepare(d, &p->out_job, &p->to, &p->result, false);
}

static size_t view_bytes(const hed_view *v) { return dev_part_bytes((size_t)hed__view_size(v) * (size_t)hed__id_size(v->dtype)); }

static int32_t run(dev_submit *q, const hed_call *c, reduce_job *j, packing *p)
{
  const size_t x = p->x ? view_bytes(&p->packed) : 0, out = p->out ? view_bytes(&p->result) : 0;
  void *scratch;
  int32_t status = dev_submit_scratch(q, dev_reduce_state_bytes(j) + dev_reduce_aux_bytes(j) + x + out + 256, &scratch);
  if (status != HED_OK)
    return status;
  j->states = scratch;
  j->aux = j->states + dev_reduce_state_bytes(j);
  j->x = p->x ? j->aux + dev_reduce_aux_bytes(j) : c->in[0]->data;
  j->out = p->out ? j->aux + dev_reduce_aux_bytes(j) + x : c->out[0]->data;
  j->y = c->n_in > 1 ? c->in[1]->data : NULL;
  if (p->x)
    status = dev_cast_submit(q, &p->in_job, j->x, c->in[0]->data);
  if (status == HED_OK)
    status = submit(q, j);
  if (status == HED_OK && p->out)
    status = dev_cast_submit(q, &p->out_job, c->out[0]->data, j->out);
  return status;
}

static int32_t reduce(dev_device *d, const hed_call *c, uint32_t axes, int32_t ddof, double order)
{
  reduce_job j = { .row = dev_reduce_row_of(d, c->op, c->compute) };
  packing p;
  dev_submit q;
  if (c->host_in || c->n_out != 1)
    return HED_E_UNSUPPORTED;
  int32_t status = plan(d, c, axes, &j, &p);
  if (status != HED_OK)
    return status;
  dev_reduce_schedule(&j, d);
  j.args.ddof = ddof;
  j.args.order = dev_number_bits(d, order);
  if ((status = find_entries(d, &j, c)) == HED_OK && (status = dev_submit_call(&q, d, c)) == HED_OK)
    status = dev_submit_end(&q, run(&q, c, &j, &p), c->ticket);
  return status;
}

int32_t dev_reduce_call(void *state, const hed_call *c)
{
  const hed_reduce_params *p = c->params;
  return reduce(state, c, p->axes, p->ddof, p->order);
}

int32_t dev_vecdot_call(void *state, const hed_call *c)
{
  return c->in[0]->dtype == c->in[1]->dtype ? reduce(state, c, 1u << (c->in[0]->ndim - 1), 0, 0) : HED_E_UNSUPPORTED;
}
