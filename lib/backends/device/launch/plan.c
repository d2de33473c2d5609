// SPDX-License-Identifier: BSD-3-Clause
/* From views of one shape to launches: fewest axes, a layout, and launch shapes. L1. */
#include "backends/device/launch/launch.h"
#include "backends/device/program/program.h"
#include "backends/device/kernels/args.h"
#include "base/cast.h"
#include "base/dtype.h"
#include "base/invariant.h"
#include "base/shape.h"
#include <string.h>

enum {
  MOST_ROWS = 65535, MOST_LAUNCHES = 4096,
  SHORT_ROW = 32 /* elements */,
  SMALL = 8192 /* elements up to which a processor's kernels do not differ: one serves, as each takes long to compile */
};

const char *const dev_layout_names[DEV_LAYOUTS] = { "flat", "rows", "strided", "strided64", "transposed" };

/* ---- layouts ---- */

/* Do all operands that are not single have neighbours along the last axis? */
static bool has_unit_rows(const dev_plan *p)
{
  const hed__nest *nest = &p->nest;
  bool yes = true;
  for (int32_t k = 0; k < nest->n; k++)
    yes &= nest->stride[k][nest->ndim - 1] == 1 || (k > 0 && p->single >> (k - 1) & 1);
  return yes;
}

/* Could an offset, or a count, leave 32 bits on the way? */
static bool is_wide(const dev_plan *p)
{
  const hed__nest *nest = &p->nest;
  const int64_t most = INT32_MAX / 4;
  int64_t count = 1;
  for (int32_t a = 0; a < nest->ndim; a++)
    if (__builtin_mul_overflow(count, nest->dim[a], &count) || count > most)
      return true;
  for (int32_t k = 0; k < nest->n; k++) {
    int64_t reach = 0;
    for (int32_t a = 0; a < nest->ndim; a++) {
      int64_t step, s = nest->stride[k][a] < 0 ? -nest->stride[k][a] : nest->stride[k][a];
      if (__builtin_mul_overflow(s, nest->dim[a] - 1, &step) || __builtin_add_overflow(reach, step, &reach) || reach > most)
        return true;
    }
  }
  return false;
}

static bool is_small(const hed__nest *nest)
{
  int64_t n = 1;
  for (int32_t a = 0; a < nest->ndim && n <= SMALL; a++)
    n = nest->dim[a] > SMALL ? SMALL + 1 : n * nest->dim[a];
  return n <= SMALL;
}

static int64_t launches(const dev_plan *p)
{
  int64_t n = 1;
  for (int32_t a = 0; a < p->nest.ndim - p->inner; a++)
    if (__builtin_mul_overflow(n, p->nest.dim[a], &n))
      return INT64_MAX;
  return n;
}

int32_t dev_plan_make(dev_plan *p, const dev_device *d, int32_t n, const hed_view *const *views, uint32_t host)
{
  hed__nest *nest = &p->nest;
  hed__nest_init(nest, n, views, HED__NEST_REORDER);
  HED__ASSERT(n >= 1 && n <= 4);
  for (int32_t k = 0; k < n; k++) {
    const int64_t size = hed__id_size(views[k]->dtype);
    for (int32_t a = 0; a < nest->ndim; a++) {
      if (nest->stride[k][a] % size != 0)
        return HED_E_UNSUPPORTED;
      nest->stride[k][a] /= size;
    }
  }
  p->single = host;
  for (int32_t k = 1; k < n; k++)
    if (hed__is_single(nest->ndim, nest->dim, nest->stride[k])) {
      p->single |= 1u << (k - 1);
      memset(nest->stride[k], 0, sizeof nest->stride[k]);
    }
  const bool rows = has_unit_rows(p) && !(d->limits.is_cpu && is_small(nest));
  if (rows && nest->ndim == 1) {
    p->layout = DEV_FLAT;
    p->inner = 1;
    return HED_OK;
  }
  if (rows && nest->dim[nest->ndim - 1] >= SHORT_ROW && !is_wide(p)) {
    p->layout = DEV_ROWS;
    p->inner = nest->ndim < 3 ? nest->ndim : 3;
  } else {
    hed__nest_longest_last(nest, SHORT_ROW); /* short rows would leave most items of a group without work */
    p->layout = is_wide(p) ? DEV_STRIDED64 : DEV_STRIDED;
    p->inner = nest->ndim < DEV_PLAN_AXES ? nest->ndim : DEV_PLAN_AXES;
  }
  HED__ASSERT(p->inner >= 1 && p->inner <= nest->ndim);
  return launches(p) > MOST_LAUNCHES ? HED_E_UNSUPPORTED : HED_OK;
}

/* ---- launches ---- */

void dev_launch_items(dev_launch *l, const dev_device *d, uint64_t x, uint64_t y, uint64_t z)
{
  const uint64_t block = d->limits.block;
  HED__ASSERT(block > 0 && y <= MOST_ROWS && z <= MOST_ROWS);
  *l = (dev_launch){ .block = (uint32_t)block, .groups = { (x + block - 1) / block, y, z } };
}

void dev_launch_runs(dev_launch *l, const dev_device *d, uint64_t x, uint64_t y, uint64_t z)
{
  const uint64_t block = d->limits.is_cpu ? 1 : d->limits.block, run = block * (uint64_t)dev_per_item(d);
  HED__ASSERT(block > 0 && y <= MOST_ROWS && z <= MOST_ROWS);
  *l = (dev_launch){ .block = (uint32_t)block, .groups = { (x + run - 1) / run, y, z } };
}

/* What one launch works on: the innermost axes, and each operand's address. */
typedef struct part {
  const dev_plan *plan;
  void *entry;
  const dev_map_args *args;
  int64_t n[DEV_PLAN_AXES];    /* innermost first */
  int64_t stride[4][DEV_PLAN_AXES];
  int32_t size[4];             /* of elements */
  char *data[4];
} part;

int32_t dev_submit_clear(dev_submit *q, void *p, size_t bytes)
{
  const dev_device *d = q->device;
  q->begun = true;
  return q->skip ? HED_OK : dev_status(q->device, d->port->memset(d->dev, q->stream->native, p, 0, bytes));
}

int32_t dev_submit_items(dev_submit *q, void *entry, uint64_t items, int32_t n_pointers, void *const *pointer, const void *args,
                         size_t bytes)
{
  dev_launch l;
  dev_launch_items(&l, q->device, items, 1, 1);
  l.n_pointers = n_pointers;
  l.pointer = pointer;
  l.args = args;
  l.args_bytes = bytes;
  return dev_submit_launch(q, entry, &l);
}

int32_t dev_nothing_call(void *state, const hed_call *c)
{
  dev_submit q;
  const int32_t status = dev_submit_call(&q, state, c);
  return status == HED_OK ? dev_submit_end(&q, HED_OK, c->ticket) : status;
}

static uint64_t single_bits(const part *t)
{
  uint64_t bits = t->plan->single & ~t->args->host, all = 0;
  for (int32_t k = 0; k < t->plan->nest.n; k++)
    all |= k > 0 && (t->args->host >> (k - 1) & 1) ? 0 : (uintptr_t)t->data[k];
  return bits | (uint64_t)t->args->host << 8 | (uint64_t)(all % 16 == 0) << 16;
}

/* RUNS: items have PER_ITEM elements of the innermost axis, else one. */
static int32_t launch(dev_submit *q, part *t, const void *args, size_t bytes, bool runs, uint64_t y, uint64_t z)
{
  void *pointer[4];
  dev_launch l;
  for (int32_t k = 0; k < t->plan->nest.n; k++) /* a host operand's is not followed */
    pointer[k] = k > 0 && (t->args->host >> (k - 1) & 1) ? t->data[0] : t->data[k];
  (runs ? dev_launch_runs : dev_launch_items)(&l, q->device, (uint64_t)t->n[0], y, z);
  l.n_pointers = t->plan->nest.n;
  l.pointer = pointer;
  l.args = args;
  l.args_bytes = bytes;
  return dev_submit_launch(q, t->entry, &l);
}

static int32_t launch_flat(dev_submit *q, part *t)
{
  hed__map_flat_args a = { .n = t->n[0], .single = single_bits(t) };
  memcpy(a.value, t->args->value, sizeof a.value);
  memcpy(a.param, t->args->param, sizeof a.param);
  return launch(q, t, &a, sizeof a, true, 1, 1);
}

static int32_t launch_rows(dev_submit *q, part *t)
{
  hed__map_rows_args a = { .n = { t->n[0], t->n[1], t->n[2] }, .single = single_bits(t) };
  for (int32_t k = 0; k < t->plan->nest.n; k++)
    memcpy(a.stride[k], &t->stride[k][1], sizeof a.stride[k]);
  memcpy(a.value, t->args->value, sizeof a.value);
  memcpy(a.param, t->args->param, sizeof a.param);
  return launch(q, t, &a, sizeof a, true, (uint64_t)t->n[1], (uint64_t)t->n[2]);
}

static int32_t launch_strided(dev_submit *q, part *t)
{
  hed__map_strided_args a = { .single = single_bits(t) };
  memcpy(a.n, t->n, sizeof a.n);
  memcpy(a.stride, t->stride, sizeof a.stride);
  memcpy(a.value, t->args->value, sizeof a.value);
  memcpy(a.param, t->args->param, sizeof a.param);
  return launch(q, t, &a, sizeof a, false, (uint64_t)t->n[1], (uint64_t)(t->n[2] * t->n[3]));
}

/* Axis A in pieces that a launch can count. */
static int32_t launch_split(dev_submit *q, const part *whole, int32_t axis)
{
  part t = *whole;
  const int64_t most = axis == 0 ? (int64_t)INT32_MAX / 2 * 64 : axis == 2 ? MOST_ROWS / whole->n[3] : MOST_ROWS;
  int32_t status = HED_OK;
  if (axis == 3)
    return whole->plan->layout == DEV_FLAT   ? launch_flat(q, &t)
           : whole->plan->layout == DEV_ROWS ? launch_rows(q, &t)
                                             : launch_strided(q, &t);
  for (int64_t k = 0; k < whole->n[axis] && status == HED_OK; k += most) {
    t.n[axis] = whole->n[axis] - k < most ? whole->n[axis] - k : most;
    for (int32_t j = 0; j < whole->plan->nest.n; j++)
      t.data[j] = whole->data[j] + k * whole->stride[j][axis] * whole->size[j];
    status = launch_split(q, &t, axis + 1);
  }
  return status;
}

/* The outermost of four axes, when it is long: one by one. */
static int32_t launch_fourth(dev_submit *q, const part *whole)
{
  HED__ASSERT(whole->n[0] >= 0 && whole->n[1] >= 0 && whole->n[2] >= 0 && whole->n[3] >= 0);
  part t = *whole;
  int32_t status = HED_OK;
  if (whole->n[3] <= MOST_ROWS)
    return launch_split(q, whole, 0);
  t.n[3] = 1;
  for (int64_t k = 0; k < whole->n[3] && status == HED_OK; k++) {
    for (int32_t j = 0; j < whole->plan->nest.n; j++)
      t.data[j] = whole->data[j] + k * whole->stride[j][3] * whole->size[j];
    status = launch_split(q, &t, 0);
  }
  return status;
}

static int32_t launch_outer(dev_submit *q, const part *whole, int32_t axis)
{
  const hed__nest *nest = &whole->plan->nest;
  part t = *whole;
  int32_t status = HED_OK;
  if (axis == nest->ndim - whole->plan->inner)
    return launch_fourth(q, whole);
  for (int64_t k = 0; k < nest->dim[axis] && status == HED_OK; k++) {
    for (int32_t j = 0; j < nest->n; j++)
      t.data[j] = whole->data[j] + k * nest->stride[j][axis] * whole->size[j];
    status = launch_outer(q, &t, axis + 1);
  }
  return status;
}

int32_t dev_plan_launch(dev_submit *q, const dev_plan *p, const hed_view *const *views, void *entry, const dev_map_args *args)
{
  part t = { .plan = p, .entry = entry, .args = args };
  for (int32_t k = 0; k < p->nest.n; k++) {
    t.data[k] = p->nest.data[k];
    t.size[k] = hed__id_size(views[k]->dtype);
  }
  for (int32_t a = 0; a < DEV_PLAN_AXES; a++) {
    const int32_t from = p->nest.ndim - 1 - a;
    t.n[a] = a < p->inner ? p->nest.dim[from] : 1;
    for (int32_t k = 0; k < p->nest.n && a < p->inner; k++)
      t.stride[k][a] = p->nest.stride[k][from];
  }
  return launch_outer(q, &t, 0);
}

/* ---- elements of the host, as arguments ---- */

void dev_element_bits(const hed_view *v, int32_t dtype, uint64_t bits[2])
{
  bits[0] = bits[1] = 0;
  hed__cast(v->dtype, dtype)(1, (char *)bits, hed__id_size(dtype), v->data, hed__id_size(v->dtype));
}

uint64_t dev_number_bits(const dev_device *d, double x)
{
  const float f = (float)x;
  uint64_t bits = 0;
  if (d->limits.float64)
    memcpy(&bits, &x, sizeof x);
  else
    memcpy(&bits, &f, sizeof f);
  return bits;
}
