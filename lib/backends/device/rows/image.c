// SPDX-License-Identifier: BSD-3-Clause
/* Splines (spline_filter, affine_transform, map_coordinates), median_filter and convolve_direct. L1. */
#include "backends/device/rows/rows.h"
#include "backends/device/kernels/args_window.h"
#include "base/cast.h"
#include "base/dtype.h"
#include <string.h>

enum { MOST_GROUPS = 65535 };

static int32_t boundary_of(int32_t given, int32_t otherwise) { return given == HED_BOUNDARY_DEFAULT ? otherwise : given; }

/* ---- splines: coefficients in float64, dense ---- */

typedef struct splines {
  hed__spline_args axis[HED_MAX_NDIM];
  int32_t n;
  void *entry;
} splines;

/* Lines along the axes of V whose bits are set, the last axis first. */
static int32_t prepare_splines(dev_device *d, splines *s, const hed_view *v, uint32_t axes, int32_t boundary)
{
  const dev_spec spec = dev_spec_of("spline", HED_ID_FLOAT64);
  int64_t inner = 1;
  s->n = 0;
  for (int32_t k = v->ndim - 1; k >= 0; inner *= v->dim[k], k--)
    if ((axes >> k & 1) && v->dim[k] > 1)
      s->axis[s->n++] = (hed__spline_args){ .n = { hed__view_size(v) / inner / v->dim[k], v->dim[k], inner },
                                            .boundary = boundary };
  return s->n > 0 ? dev_kernel(d, &spec, "spline_filter", &s->entry) : HED_OK;
}

static int32_t filter(dev_submit *q, const splines *s, void *x)
{
  int32_t status = HED_OK;
  for (int32_t k = 0; k < s->n && status == HED_OK; k++)
    status = dev_submit_items(q, s->entry, (uint64_t)(s->axis[k].n[0] * s->axis[k].n[2]), 1, (void *[]){ x }, &s->axis[k],
                              sizeof s->axis[k]);
  return status;
}

/* The operand in scratch memory, where it may be written. */
static int32_t prepare_coefficients(dev_device *d, dev_pack *p, splines *s, const hed_view *x, uint32_t axes, int32_t boundary)
{
  int32_t status = dev_pack_dense(d, p, x, HED_ID_FLOAT64, axes != 0, false);
  return status == HED_OK ? prepare_splines(d, s, &p->packed, axes, boundary) : status;
}

int32_t dev_spline_filter_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  const hed_spline_params *p = c->params;
  dev_cast_job in, out;
  hed_view dense = *c->in[0];
  splines s;
  dev_submit q;
  void *scratch;
  if (c->host_in || !d->limits.float64)
    return HED_E_UNSUPPORTED;
  if (hed__view_size(&dense) == 0)
    return dev_nothing_call(state, c);
  dense.dtype = HED_ID_FLOAT64;
  hed__c_strides(dense.ndim, dense.dim, sizeof(double), dense.stride);
  int32_t status = dev_cast_prepare(d, &in, &dense, c->in[0], false);
  if (status == HED_OK)
    status = dev_cast_prepare(d, &out, c->out[0], &dense, false);
  if (status == HED_OK)
    status = prepare_splines(d, &s, &dense, p->axes, boundary_of(p->boundary, HED_BOUNDARY_MIRROR));
  if (status != HED_OK || (status = dev_submit_call(&q, d, c)) != HED_OK)
    return status;
  status = dev_submit_scratch(&q, (size_t)hed__view_size(&dense) * sizeof(double), &scratch);
  if (status == HED_OK)
    status = dev_cast_submit(&q, &in, scratch, c->in[0]->data);
  if (status == HED_OK)
    status = filter(&q, &s, scratch);
  if (status == HED_OK)
    status = dev_cast_submit(&q, &out, c->out[0]->data, scratch);
  return dev_submit_end(&q, status, c->ticket);
}

/* ---- values of splines ---- */

/* Of NDIM last axes of in[0]; POINTS: in[1], or NULL for an affine map, which is in A by then. */
static int32_t sample(dev_device *d, const hed_call *c, hed__sample_args *a, uint32_t axes, const char *name, const hed_view *points)
{
  const hed_view *out = c->out[0];
  const dev_spec spec = dev_spec_of("sample", out->dtype);
  dev_pack x, at, to;
  splines s;
  dev_submit q;
  void *entry, *scratch = NULL;
  if (c->host_in || !d->limits.float64)
    return HED_E_UNSUPPORTED;
  if (hed__view_size(out) == 0)
    return dev_nothing_call(d, c);
  int32_t status = prepare_coefficients(d, &x, &s, c->in[0], axes, (int32_t)a->boundary);
  if (status == HED_OK && points)
    status = dev_pack_dense(d, &at, points, HED_ID_FLOAT64, false, false);
  if (status == HED_OK) /* into the operand only by way of other memory */
    status = dev_pack_dense(d, &to, out, out->dtype, !x.needed, true);
  if (status == HED_OK)
    status = dev_kernel(d, &spec, name, &entry);
  if (status != HED_OK || (status = dev_submit_call(&q, d, c)) != HED_OK)
    return status;
  const size_t bytes = x.bytes + (points ? at.bytes : 0) + to.bytes;
  if (bytes > 0)
    status = dev_submit_scratch(&q, bytes, &scratch);
  char *place = scratch;
  if (status == HED_OK)
    status = dev_pack_in(&q, &x, &place);
  if (status == HED_OK)
    status = filter(&q, &s, x.data);
  if (status == HED_OK && points)
    status = dev_pack_in(&q, &at, &place);
  dev_pack_out(&to, &place);
  if (status == HED_OK)
    status = dev_submit_items(&q, entry, (uint64_t)hed__view_size(out), points ? 3 : 2,
                              (void *[]){ to.data, x.data, points ? at.data : NULL }, a, sizeof *a);
  if (status == HED_OK)
    status = dev_pack_finish(&q, &to);
  return dev_submit_end(&q, status, c->ticket);
}

static uint32_t last_axes(int32_t ndim, int32_t n) { return ((1u << n) - 1) << (ndim - n); }

int32_t dev_affine_transform_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  const hed_affine_params *p = c->params;
  const hed_view *x = c->in[0], *out = c->out[0];
  const int32_t n = p->ndim, first = x->ndim - n;
  hed__sample_args a = { .batch = 1, .ndim = n, .order = p->order, .cval = dev_number_bits(d, p->cval),
                         .boundary = boundary_of(p->boundary, HED_BOUNDARY_CONSTANT) };
  if (n < 1 || n > 3 || first < 0 || out->ndim != x->ndim || (p->order != 0 && p->order != 1 && p->order != 3))
    return HED_E_UNSUPPORTED; /* the host says what is wrong */
  for (int32_t k = 0; k < first; k++)
    a.batch *= out->dim[k];
  for (int32_t k = 0; k < n; k++) {
    a.from[k] = x->dim[first + k];
    a.to[k] = out->dim[first + k];
    for (int32_t i = 0; i <= n; i++)
      a.matrix[k][i] = dev_number_bits(d, p->matrix[k][i]);
    if (a.from[k] == 0)
      return HED_E_UNSUPPORTED;
  }
  return sample(d, c, &a, p->order == 3 && p->prefilter ? last_axes(x->ndim, n) : 0, "affine_transform", NULL);
}

int32_t dev_map_coordinates_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  const hed_spline_params *p = c->params;
  const hed_view *x = c->in[0];
  hed__sample_args a = { .batch = 1, .ndim = x->ndim, .points = hed__view_size(c->out[0]), .order = p->order,
                         .cval = dev_number_bits(d, p->cval), .boundary = boundary_of(p->boundary, HED_BOUNDARY_CONSTANT) };
  if (x->ndim < 1 || x->ndim > 3 || hed__view_size(x) == 0)
    return HED_E_UNSUPPORTED;
  memcpy(a.from, x->dim, (size_t)x->ndim * sizeof *a.from);
  return sample(d, c, &a, p->order == 3 && p->prefilter ? last_axes(x->ndim, x->ndim) : 0, "map_coordinates", c->in[1]);
}

/* ---- medians ---- */

/* CVAL as an element of DTYPE; false where that is another number. */
static bool element_of(int32_t dtype, double cval, uint64_t bits[2])
{
  const int32_t kind = hed__id_kind(dtype), wide = kind == HED_KIND_INT ? HED_ID_INT64 : HED_ID_UINT64;
  const hed_view one = { .data = &cval, .dtype = HED_ID_FLOAT64 };
  uint64_t whole = 0, again = 0;
  dev_element_bits(&one, dtype, bits);
  if (kind == HED_KIND_FLOAT)
    return true;
  hed__cast(HED_ID_FLOAT64, wide)(1, (char *)&whole, 8, (const char *)&cval, 8);
  hed__cast(dtype, wide)(1, (char *)&again, 8, (const char *)bits, 16);
  return whole == again;
}

int32_t dev_median_filter_call(void *state, const hed_call *c)
{
  enum { AXES = 4 };
  dev_device *d = state;
  const hed_box_params *p = c->params;
  const hed_view *x = c->in[0], *out = c->out[0];
  const dev_spec spec = dev_spec_of("median", x->dtype);
  const int64_t each = d->limits.is_cpu ? HED__MEDIAN_EACH : 1;
  hed__box_args a = { .boundary = boundary_of(p->boundary, HED_BOUNDARY_REFLECT), .nan = p->cval != p->cval };
  dev_pack from, to;
  dev_submit q;
  void *entry, *scratch = NULL;
  int64_t size = 1;
  for (int32_t k = 0; k < AXES; k++) {
    const int32_t axis = k - AXES + x->ndim;
    a.n[k] = axis >= 0 ? x->dim[axis] : 1;
    a.edge[k] = axis >= 0 ? p->size : 1;
    if (__builtin_mul_overflow(size, a.edge[k], &size))
      return HED_E_UNSUPPORTED;
  }
  if (c->host_in || p->size < 1 || x->ndim > AXES || x->dtype != out->dtype || hed__id_kind(x->dtype) == HED_KIND_COMPLEX ||
      !element_of(x->dtype, p->cval, a.value))
    return HED_E_UNSUPPORTED;
  if (hed__view_size(out) == 0)
    return dev_nothing_call(state, c);
  int32_t status = dev_pack_dense(d, &from, x, x->dtype, false, false);
  if (status == HED_OK) /* the result may be the operand */
    status = dev_pack_dense(d, &to, out, out->dtype, !from.needed, true);
  if (status == HED_OK)
    status = dev_kernel(d, &spec, "median_filter", &entry);
  if (status != HED_OK || (status = dev_submit_call(&q, d, c)) != HED_OK)
    return status;
  status = dev_submit_scratch(&q, from.bytes + to.bytes, &scratch);
  char *at = scratch;
  if (status == HED_OK)
    status = dev_pack_in(&q, &from, &at);
  dev_pack_out(&to, &at);
  if (status == HED_OK)
    status = dev_submit_items(&q, entry, (uint64_t)(a.n[0] * a.n[1] * a.n[2] * ((a.n[3] + each - 1) / each)), 2,
                              (void *[]){ to.data, from.data }, &a, sizeof a);
  if (status == HED_OK)
    status = dev_pack_finish(&q, &to);
  return dev_submit_end(&q, status, c->ticket);
}

/* ---- convolve_direct ---- */

/* The last three of NDIM numbers; OTHERWISE stands for those that there are not. */
static void last_extents(const int64_t *dim, int32_t ndim, int64_t otherwise, int64_t to[3])
{
  for (int32_t k = 0; k < 3; k++)
    to[k] = k - 3 + ndim >= 0 ? dim[k - 3 + ndim] : otherwise;
}

int32_t dev_convolve_direct_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  const hed_view *out = c->out[0];
  dev_spec spec = dev_spec_of("window", c->compute);
  hed__convolve_args a;
  dev_pack x, y, to;
  dev_submit q;
  void *entry, *scratch = NULL;
  if (c->host_in || out->ndim > 3)
    return HED_E_UNSUPPORTED;
  last_extents(out->dim, out->ndim, 1, a.n);
  last_extents(c->in[0]->dim, out->ndim, 1, a.a);
  last_extents(c->in[1]->dim, out->ndim, 1, a.b);
  last_extents(((const hed_convolve_params *)c->params)->start, out->ndim, 0, a.start);
  if (a.n[0] > MOST_GROUPS || a.n[1] > MOST_GROUPS)
    return HED_E_UNSUPPORTED;
  if (hed__view_size(out) == 0)
    return dev_nothing_call(state, c);
  for (int k = 0; k < 2; k++)
    spec.in[k] = c->in[k]->dtype == c->compute ? DEV_TYPE_NONE : c->in[k]->dtype;
  spec.out = out->dtype == c->compute ? DEV_TYPE_NONE : out->dtype;
  int32_t status = dev_pack_dense(d, &x, c->in[0], c->in[0]->dtype, false, false);
  if (status == HED_OK)
    status = dev_pack_dense(d, &y, c->in[1], c->in[1]->dtype, false, false);
  if (status == HED_OK)
    status = dev_pack_dense(d, &to, out, out->dtype, false, true);
  if (status == HED_OK)
    status = dev_kernel(d, &spec, "convolve_direct", &entry);
  if (status != HED_OK || (status = dev_submit_call(&q, d, c)) != HED_OK)
    return status;
  if (x.bytes + y.bytes + to.bytes > 0)
    status = dev_submit_scratch(&q, x.bytes + y.bytes + to.bytes, &scratch);
  char *at = scratch;
  if (status == HED_OK)
    status = dev_pack_in(&q, &x, &at);
  if (status == HED_OK)
    status = dev_pack_in(&q, &y, &at);
  dev_pack_out(&to, &at);
  if (status == HED_OK) {
    dev_launch l;
    dev_launch_items(&l, d, (uint64_t)a.n[2], (uint64_t)a.n[1], (uint64_t)a.n[0]);
    l.n_pointers = 3;
    l.pointer = (void *[]){ to.data, x.data, y.data };
    l.args = &a;
    l.args_bytes = sizeof a;
    status = dev_submit_launch(&q, entry, &l);
  }
  if (status == HED_OK)
    status = dev_pack_finish(&q, &to);
  return dev_submit_end(&q, status, c->ticket);
}
