// SPDX-License-Identifier: BSD-3-Clause
/* correlate1d, maximum_filter and minimum_filter: neighbours along one axis after the other. L1. */
#include "backends/device/rows/rows.h"
#include "backends/device/kernels/args_window.h"
#include "base/dtype.h"
#include <heddle/op_names.h>
#include <math.h>
#include <string.h>

enum { MOST_GROUPS = 65535 };

/* V's lines along AXIS as a kernel's three axes; false where they do not lie so, or are too many for a launch. */
static bool lines(const hed_view *v, int32_t axis, hed__line_args *a, int64_t stride[3])
{
  int64_t n[3], s[3];
  if (!dev_line_view(v, axis, n, s) || n[0] > MOST_GROUPS || (n[2] > 1 && n[1] > MOST_GROUPS))
    return false;
  a->axis = n[2] > 1;
  for (int k = 0; k < 3; k++) { /* innermost first; an axis of extent 1 goes last */
    const int from = n[2] > 1 ? 2 - k : k < 2 ? 1 - k : 2;
    a->n[k] = n[from];
    stride[k] = s[from];
  }
  return true;
}

static int32_t launch(dev_submit *q, void *entry, const hed__line_args *a, int32_t n_pointers, void *const *pointer)
{
  dev_launch l;
  dev_launch_items(&l, q->device, (uint64_t)a->n[0], (uint64_t)a->n[1], (uint64_t)a->n[2]);
  l.n_pointers = n_pointers;
  l.pointer = pointer;
  l.args = a;
  l.args_bytes = sizeof *a;
  return dev_submit_launch(q, entry, &l);
}

/* ---- correlate1d ---- */

int32_t dev_correlate1d_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  const hed_correlate_params *p = c->params;
  const hed_view *x = c->in[0], *out = c->out[0];
  const bool floats = hed__id_kind(c->compute) == HED_KIND_FLOAT;
  dev_spec spec = dev_spec_of("window", floats ? c->compute : HED_ID_FLOAT64);
  hed__line_args a = { .boundary = p->boundary == HED_BOUNDARY_DEFAULT ? HED_BOUNDARY_REFLECT : p->boundary,
                       .after = c->in[1]->dim[0], .value = { dev_number_bits(d, p->cval) },
                       .divisor = dev_number_bits(d, p->divisor) };
  hed_view weights = { .dtype = d->limits.float64 ? HED_ID_FLOAT64 : HED_ID_FLOAT32, .ndim = 1, .dim = { a.after } };
  dev_pack from, to;
  dev_cast_job cast;
  dev_submit q;
  void *entry, *scratch;
  if (c->host_in & 1)
    return HED_E_UNSUPPORTED;
  if (hed__view_size(out) == 0)
    return dev_nothing_call(state, c);
  spec.in[0] = x->dtype == spec.compute ? DEV_TYPE_NONE : x->dtype;
  spec.out = out->dtype == spec.compute ? DEV_TYPE_NONE : out->dtype;
  weights.stride[0] = hed__id_size(weights.dtype);
  const size_t bytes = dev_part_bytes((size_t)a.after * (size_t)weights.stride[0]);
  int32_t status = dev_pack_prepare(d, &from, x, !lines(x, p->axis, &a, a.from), false);
  if (status == HED_OK)
    status = dev_pack_prepare(d, &to, out, !lines(out, p->axis, &a, a.to), true);
  if (status == HED_OK)
    status = dev_cast_prepare(d, &cast, &weights, c->in[1], c->host_in >> 1 & 1);
  if (status != HED_OK)
    return status;
  if (!lines(from.needed ? &from.packed : x, p->axis, &a, a.from) || !lines(to.needed ? &to.packed : out, p->axis, &a, a.to))
    return HED_E_UNSUPPORTED;
  if ((status = dev_kernel(d, &spec, "correlate1d", &entry)) != HED_OK || (status = dev_submit_call(&q, d, c)) != HED_OK)
    return status;
  status = dev_submit_scratch(&q, bytes + from.bytes + to.bytes, &scratch);
  char *at = (char *)scratch + bytes;
  if (status == HED_OK)
    status = dev_cast_submit(&q, &cast, scratch, c->in[1]->data);
  if (status == HED_OK)
    status = dev_pack_in(&q, &from, &at);
  dev_pack_out(&to, &at);
  if (status == HED_OK)
    status = launch(&q, entry, &a, 3, (void *[]){ to.data, from.data, scratch });
  if (status == HED_OK)
    status = dev_pack_finish(&q, &to);
  return dev_submit_end(&q, status, c->ticket);
}

/* ---- extremes of boxes ---- */

/* CVAL as an element of DTYPE is stored: within its range, integers cut towards zero (NaN: the least), of bool whether it is
 * above 0. */
static void outside(int32_t dtype, double cval, uint64_t bits[2])
{
  const hed_kind kind = hed__id_kind(dtype);
  const int width = 8 * hed__id_size(dtype);
  bits[0] = bits[1] = 0;
  if (kind == HED_KIND_BOOL) {
    bits[0] = cval > 0;
  } else if (kind == HED_KIND_INT) {
    const double most = ldexp(1, width - 1);
    const int64_t highest = (int64_t)(UINT64_MAX >> (65 - width));
    bits[0] = (uint64_t)(cval >= most ? highest : cval > -most ? (int64_t)cval : -highest - 1);
  } else if (kind == HED_KIND_UINT) {
    bits[0] = cval >= ldexp(1, width) ? UINT64_MAX >> (64 - width) : cval > 0 ? (uint64_t)cval : 0;
  } else {
    const hed_view one = { .data = &cval, .dtype = HED_ID_FLOAT64 };
    dev_element_bits(&one, dtype, bits);
  }
}

int32_t dev_box_extreme_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  const hed_box_params *p = c->params;
  const hed_view *x = c->in[0], *out = c->out[0];
  const dev_spec spec = dev_spec_of("window", x->dtype);
  hed__line_args a[HED_MAX_NDIM];
  dev_pack from, to;
  dev_submit q;
  void *entry, *scratch;
  if (c->host_in || p->size < 1 || x->ndim == 0 || x->dtype != out->dtype)
    return HED_E_UNSUPPORTED;
  if (hed__view_size(out) == 0)
    return dev_nothing_call(state, c);
  int32_t status = dev_pack_prepare(d, &from, x, !hed__is_c_contiguous(x), false);
  if (status == HED_OK)
    status = dev_pack_prepare(d, &to, out, !hed__is_c_contiguous(out), true);
  for (int32_t k = 0; k < x->ndim && status == HED_OK; k++) { /* all of them in C order */
    const int64_t before = p->size / 2, after = (p->size - 1) / 2, n = x->dim[k];
    a[k] = (hed__line_args){ .boundary = p->boundary == HED_BOUNDARY_DEFAULT ? HED_BOUNDARY_CONSTANT : p->boundary,
                             .before = before < n ? before : n, .after = after < n ? after : n };
    outside(x->dtype, p->cval, a[k].value);
    if (!lines(&to.packed, k, &a[k], a[k].from))
      return HED_E_UNSUPPORTED;
    memcpy(a[k].to, a[k].from, sizeof a[k].to);
  }
  if (status == HED_OK)
    status = dev_kernel(d, &spec, hed_op_names[c->op], &entry);
  if (status != HED_OK || (status = dev_submit_call(&q, d, c)) != HED_OK)
    return status;
  const size_t bytes = dev_part_bytes((size_t)hed__view_size(x) * (size_t)hed__id_size(x->dtype));
  status = dev_submit_scratch(&q, 2 * bytes + from.bytes + to.bytes, &scratch);
  char *spare = scratch, *at = spare + 2 * bytes;
  if (status == HED_OK)
    status = dev_pack_in(&q, &from, &at);
  dev_pack_out(&to, &at);
  void *source = from.data;
  for (int32_t k = 0; k < x->ndim && status == HED_OK; k++) {
    void *target = k + 1 == x->ndim ? to.data : spare + (size_t)(k % 2) * bytes;
    status = launch(&q, entry, &a[k], 2, (void *[]){ target, source });
    source = target;
  }
  if (status == HED_OK)
    status = dev_pack_finish(&q, &to);
  return dev_submit_end(&q, status, c->ticket);
}
