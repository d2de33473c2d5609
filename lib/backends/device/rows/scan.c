// SPDX-License-Identifier: BSD-3-Clause
/* Results so far along an axis: parts, what comes before each, and the elements (kernels/args_scan.h). L1. */
#include "backends/device/rows/rows.h"
#include "base/dtype.h"
#include "base/nest.h"
#include <heddle/op_names.h>
#include <stdio.h>

enum { CHUNK_ELEMENTS = 4096, MOST_PARTS = 1024 };

/* COUNT axes from FROM on as one; its extent and stride, in elements. False where they do not lie so. */
static bool merge(const hed_view *v, int32_t from, int32_t count, int64_t *n, int64_t *stride)
{
  const int64_t size = hed__id_size(v->dtype);
  int64_t dim[HED_MAX_NDIM], bytes[1][HED_MAX_NDIM];
  for (int32_t k = 0; k < count; k++) {
    dim[k] = v->dim[from + k];
    bytes[0][k] = v->stride[from + k];
  }
  const int32_t left = hed__merge_axes(1, bytes, count, dim, &(uint32_t){ 0 });
  *n = left ? dim[0] : 1;
  *stride = left ? bytes[0][0] / size : 0;
  return left == 0 || (left == 1 && bytes[0][0] % size == 0);
}

hed_view dev_moved_last(const hed_view *v, int32_t axis)
{
  hed_view p = *v;
  for (int32_t k = axis; k + 1 < v->ndim; k++) {
    p.dim[k] = v->dim[k + 1];
    p.stride[k] = v->stride[k + 1];
  }
  p.dim[v->ndim - 1] = v->dim[axis];
  p.stride[v->ndim - 1] = v->stride[axis];
  return p;
}

bool dev_line_view(const hed_view *v, int32_t axis, int64_t n[3], int64_t stride[3])
{
  return merge(v, 0, axis, &n[0], &stride[0]) && merge(v, axis, axis < v->ndim, &n[1], &stride[1]) &&
         merge(v, axis + 1, v->ndim - axis - 1, &n[2], &stride[2]);
}

/* ---- scans ---- */

int32_t dev_sums_entries(dev_device *d, dev_sums_job *j, const dev_spec *spec, const char *op)
{
  char name[48];
  snprintf(name, sizeof name, "%s_%s", op, j->words > 0 ? "tiles" : j->lanes ? "lanes" : "write");
  int32_t status = dev_kernel(d, spec, name, &j->write);
  if (status != HED_OK || j->args.parts == 1 || j->words > 0)
    return status;
  snprintf(name, sizeof name, "%s_%sparts", op, j->lanes ? "lane_" : "");
  if ((status = dev_kernel(d, spec, name, &j->parts)) != HED_OK)
    return status;
  snprintf(name, sizeof name, "%s_%soffsets", op, j->lanes ? "lane_" : "");
  return dev_kernel(d, spec, name, &j->offsets);
}

static int64_t parts_of(const hed__scan_args *a) { return a->n[1] > 0 ? (a->n[1] + a->chunk - 1) / a->chunk : 1; }

void dev_sums_plan(const dev_device *d, dev_sums_job *j)
{
  hed__scan_args *a = &j->args;
  const int64_t lines = a->n[0] * a->n[2], enough = (int64_t)d->limits.units * 8;
  j->lanes = !d->limits.is_cpu && a->n[2] == 1;
  if (j->lanes) { /* all lines together in as many parts as there are groups at once on large devices */
    const int64_t tile = (int64_t)d->limits.block * HED__SCAN_EACH, parts = lines < MOST_PARTS ? MOST_PARTS / (lines ? lines : 1) : 1;
    a->chunk = (a->n[1] + tile * parts - 1) / (tile * parts) * tile;
  } else {
    a->chunk = lines >= enough || a->n[1] <= CHUNK_ELEMENTS ? a->n[1] : CHUNK_ELEMENTS;
  }
  a->chunk = a->chunk > 0 ? a->chunk : 1;
  a->parts = parts_of(a);
  int64_t states = a->parts > 1 ? lines * a->parts : 1;
  j->words = 0;
  if (j->lanes && d->limits.looks_back && a->parts > 1) { /* in one pass; the lines are fewer than MOST_PARTS */
    a->chunk = (int64_t)d->limits.block * HED__SCAN_TILE;
    a->parts = parts_of(a);
    states = lines * (a->parts + a->parts / d->limits.block + 1);
    j->words = dev_part_bytes((size_t)(1 + states) * sizeof(uint32_t));
  }
  j->bytes = dev_part_bytes((size_t)states * 16) + j->words;
}

int32_t dev_sums_submit(dev_submit *q, const dev_sums_job *j, void *out, void *x, void *states)
{
  const hed__scan_args *a = &j->args;
  const uint64_t lines = (uint64_t)(a->n[0] * a->n[2]), units = a->n[1] > 0 ? lines * (uint64_t)a->parts : 0;
  const uint64_t items = j->lanes ? q->device->limits.block : 1; /* of a part, or a line */
  int32_t status = HED_OK;
  if (j->words > 0) {
    char *words = (char *)states + j->bytes - j->words;
    status = dev_submit_clear(q, words, j->words);
    return status == HED_OK ? dev_submit_items(q, j->write, units * items, 4, (void *[]){ out, x, states, words }, a, sizeof *a)
                            : status;
  }
  if (a->parts > 1)
    status = dev_submit_items(q, j->parts, units * items, 2, (void *[]){ states, x }, a, sizeof *a);
  if (status == HED_OK && a->parts > 1)
    status = dev_submit_items(q, j->offsets, lines * items, 1, (void *[]){ states }, a, sizeof *a);
  if (status == HED_OK)
    status = dev_submit_items(q, j->write, units * items, 3, (void *[]){ out, x, states }, a, sizeof *a);
  return status;
}

int32_t dev_sums_prepare(dev_device *d, dev_sums_job *j, int32_t dtype, int64_t rows, int64_t n)
{
  dev_spec spec = dev_spec_of("scan", dtype);
  spec.only = "CUMSUM";
  *j = (dev_sums_job){ .args = { .n = { rows, n, 1 }, .from = { n, 1, 0 }, .to = { n, 1, 0 } } };
  dev_sums_plan(d, j);
  return dev_sums_entries(d, j, &spec, "cumsum");
}

typedef struct scan_job {
  dev_sums_job sums;
  dev_pack x, out;
} scan_job;

static int32_t find_entries(dev_device *d, scan_job *j, const hed_call *c)
{
  const char *op = hed_op_names[c->op];
  dev_spec spec = dev_spec_of("scan", c->compute);
  char only[DEV_ROW_NAME];
  spec.in[0] = c->in[0]->dtype == c->compute ? DEV_TYPE_NONE : c->in[0]->dtype;
  spec.out = c->out[0]->dtype == c->compute ? DEV_TYPE_NONE : c->out[0]->dtype;
  spec.only = dev_row_name(only, op);
  return dev_sums_entries(d, &j->sums, &spec, op);
}

static int32_t plan(dev_device *d, scan_job *j, const hed_call *c)
{
  const int32_t axis = ((const hed_scan_params *)c->params)->axis;
  hed__scan_args *a = &j->sums.args;
  int64_t n[3];
  int32_t status = dev_pack_prepare(d, &j->x, c->in[0], !dev_line_view(c->in[0], axis, n, a->from), false);
  if (status == HED_OK)
    status = dev_pack_prepare(d, &j->out, c->out[0], !dev_line_view(c->out[0], axis, n, a->to), true);
  if (status != HED_OK)
    return status;
  (void)dev_line_view(j->x.needed ? &j->x.packed : c->in[0], axis, a->n, a->from);
  (void)dev_line_view(j->out.needed ? &j->out.packed : c->out[0], axis, n, a->to);
  dev_sums_plan(d, &j->sums);
  return HED_OK;
}

static int32_t run(dev_submit *q, scan_job *j)
{
  void *scratch;
  int32_t status = dev_submit_scratch(q, j->sums.bytes + j->x.bytes + j->out.bytes, &scratch);
  if (status != HED_OK)
    return status;
  char *states = scratch, *at = states + j->sums.bytes;
  status = dev_pack_in(q, &j->x, &at);
  dev_pack_out(&j->out, &at);
  if (status == HED_OK)
    status = dev_sums_submit(q, &j->sums, j->out.data, j->x.data, states);
  return status == HED_OK ? dev_pack_finish(q, &j->out) : status;
}

int32_t dev_scan_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  scan_job j = { .sums = { .lanes = false } };
  dev_submit q;
  if (c->host_in)
    return HED_E_UNSUPPORTED;
  int32_t status = plan(d, &j, c);
  if (status == HED_OK && (status = find_entries(d, &j, c)) == HED_OK && (status = dev_submit_call(&q, d, c)) == HED_OK)
    status = dev_submit_end(&q, run(&q, &j), c->ticket);
  return status;
}
