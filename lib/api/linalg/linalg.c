// SPDX-License-Identifier: BSD-3-Clause
/* Linear algebra with kernels: matmul, svd. L3.
 *
 * Kernels of matmul get (.., m, k), (.., k, n) and (.., m, n) with equal numbers of axes, batch axes already broadcast
 * (stride 0); 1-D operands have been given their axis of extent 1. Kernels of svd get (.., m, n) and write (.., m, m or
 * k), (.., k), (.., n or k, n) with k = min(m, n).
 */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "api/linalg/linalg_factor.h"
#include "api/call/movement.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>

/* ---- matmul ---- */

typedef struct product {
  int compute, id;
  bool row, column;      /* a, b was 1-D */
  hed_shape full, plain; /* with and without the axes added for 1-D operands */
} product;

static void add_axis(hed_view *v, bool last)
{
  int at = last ? v->ndim : 0;
  for (int k = v->ndim++; k > at; k--) {
    v->dim[k] = v->dim[k - 1];
    v->stride[k] = v->stride[k - 1];
  }
  v->dim[at] = 1;
  v->stride[at] = 0;
}

static hed_status plan_product(const hed_array *a, const hed_array *b, product *p)
{
  static const char *const args[] = { "a", "b" };
  const hed_array *const in[] = { a, b };
  hed_shape sa = hed__shape_of(a), sb = hed__shape_of(b);
  if (sa.ndim == 0 || sb.ndim == 0)
    return hed_fail(HED_E_SHAPE, "matmul: shapes %s of a and %s of b: both need at least one axis", HED__TEXT(&sa),
                    HED__TEXT(&sb));
  p->compute = hed__infer_operands(HED_OP_MATMUL, 2, in, args);
  if (p->compute < 0)
    return (hed_status)p->compute;
  p->id = p->compute;
  p->row = sa.ndim == 1;
  p->column = sb.ndim == 1;
  int64_t m = p->row ? 1 : sa.dim[sa.ndim - 2], n = p->column ? 1 : sb.dim[sb.ndim - 1];
  int64_t ka = sa.dim[sa.ndim - 1], kb = sb.dim[p->column ? 0 : sb.ndim - 2];
  hed_shape ba = sa, bb = sb, batch;
  ba.ndim = p->row ? 0 : sa.ndim - 2;
  bb.ndim = p->column ? 0 : sb.ndim - 2;
  if (ka != kb || !hed__broadcast(&ba, &bb, &batch))
    return hed_fail(HED_E_SHAPE, "matmul: shapes %s of a and %s of b do not fit: %s", HED__TEXT(&sa), HED__TEXT(&sb),
                    ka != kb ? "the inner extents differ" : "the leading axes do not broadcast");
  p->full = p->plain = batch;
  if (batch.ndim + 2 > HED_MAX_NDIM)
    return hed_fail(HED_E_SHAPE, "matmul: shapes %s of a and %s of b need more than %d axes", HED__TEXT(&sa),
                    HED__TEXT(&sb), HED_MAX_NDIM);
  p->full.dim[p->full.ndim++] = m;
  p->full.dim[p->full.ndim++] = n;
  if (!p->row)
    p->plain.dim[p->plain.ndim++] = m;
  if (!p->column)
    p->plain.dim[p->plain.ndim++] = n;
  return HED_OK;
}

/* Operand X with its missing axis and broadcast batch axes. */
static bool product_view(const product *p, const hed_array *x, bool right, hed_view *out)
{
  hed_view v = x->view;
  if (v.ndim == 1)
    add_axis(&v, right);
  int64_t dim[HED_MAX_NDIM];
  int batch = p->full.ndim - 2;
  for (int k = 0; k < batch; k++)
    dim[k] = p->full.dim[k];
  dim[batch] = v.dim[v.ndim - 2];
  dim[batch + 1] = v.dim[v.ndim - 1];
  return hed__broadcast_view(&v, batch + 2, dim, out);
}

static hed_status multiply(const hed_array *a, const hed_array *b, hed_array *out, hed_array **result)
{
  if (!hed__given(a, "matmul", "a") || !hed__given(b, "matmul", "b"))
    return hed_error();
  product p;
  hed_status status = plan_product(a, b, &p);
  if (status != HED_OK)
    return status;
  if (out && (status = hed__check_out("matmul", out, p.plain.ndim, p.plain.dim)) != HED_OK)
    return status;
  hed__exec ex;
  const hed_array *operands[3] = { a, b, out };
  if ((status = hed__plan(&ex, HED_OP_MATMUL, out ? 3 : 2, operands)) != HED_OK)
    return status;
  hed_array *made = NULL;
  const hed_matmul_params allowed = { .tf32 = ex.context->math == HED_MATH_TF32 };
  if (out) {
    status = hed__check_writable("matmul", &ex, 2);
    for (int k = 0; k < 2 && status == HED_OK; k++)
      status = hed__check_overlap("matmul", out, &out->view, "out", ex.in[k], &ex.in[k]->view, k ? "b" : "a", false);
  } else {
    p.id = hed__infer_on("matmul", p.id, ex.device);
    status = p.id < 0 ? (hed_status)p.id : hed__check_shape("matmul", "the result's shape", &p.plain, p.id);
    if (status == HED_OK && !(made = hed__array_new(ex.device, p.id, p.plain.ndim, p.plain.dim)))
      status = hed_error();
  }
  hed_view va, vb, vo;
  const bool plain = p.full.ndim == 2 && !p.row && !p.column; /* views as they are */
  if (status == HED_OK && !plain && (!product_view(&p, ex.in[0], false, &va) || !product_view(&p, ex.in[1], true, &vb)))
    status = hed_fail(HED_E_INTERNAL, "matmul: operands do not broadcast");
  if (status == HED_OK) {
    hed_array *target = out ? out : made;
    const hed_view *in_view[2] = { &ex.in[0]->view, &ex.in[1]->view }, *out_view = &target->view;
    if (!plain) {
      vo = target->view;
      in_view[0] = &va;
      in_view[1] = &vb;
      out_view = &vo;
    }
    if (p.column)
      add_axis(&vo, true);
    if (p.row) { /* before the last axis */
      add_axis(&vo, true);
      int last = vo.ndim - 1;
      vo.dim[last] = vo.dim[last - 1];
      vo.stride[last] = vo.stride[last - 1];
      vo.dim[last - 1] = 1;
      vo.stride[last - 1] = 0;
    }
    if (hed__view_size(out_view) > 0)
      status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 2, .out = &target, .in = ex.in,
                                             .out_view = &out_view, .in_view = in_view,
                                             .params = allowed.tf32 ? &allowed : NULL,
                                             .compute = hed__compute_of(p.compute) });
  }
  hed__exec_end(&ex);
  if (status != HED_OK)
    hed_release(made);
  else if (result)
    *result = made;
  return status;
}

/* OUT, which is contiguous, has no byte in common with X. */
static __attribute__((noinline)) bool apart(const hed_array *out, const hed_array *x)
{
  if (out->storage != x->storage && (out->storage->owned || x->storage->owned))
    return true;
  int64_t low, high;
  const char *from = out->view.data, *to = from + out->size * hed__id_size(out->view.dtype), *data = x->view.data;
  hed__view_extent(&x->view, &low, &high);
  return data + high <= from || data + low >= to;
}

static inline bool apart_from_both(const hed_array *out, const hed_array *a, const hed_array *b)
{
  const hed__storage *s = out->storage;
  return __builtin_expect(s->owned && s != a->storage && s != b->storage, 1) || (apart(out, a) && apart(out, b));
}

/* Type and number of axes of X in one number. */
static inline uint64_t kind_of(const hed_array *x)
{
  return (uint64_t)(uint32_t)x->view.ndim << 32 | (uint32_t)x->view.dtype;
}

/* Matrices and vectors (NA and NB axes) of one floating type that fit, *out NULL or such a result: false sends the call the
 * long way. */
static inline __attribute__((always_inline)) bool quick_axes(const int na, const int nb, const hed_array *a,
                                                             const hed_array *b, hed_array **out, hed_status *status)
{
  enum { BITS = 15 }; /* of an extent of the result: far from what a size cannot count */
  const int type = a->view.dtype, axes = na + nb - 2;
  const int64_t m = na == 2 ? a->view.dim[0] : 1, n = nb == 2 ? b->view.dim[1] : 1, k = a->view.dim[na - 1];
  const hed_array *x = *out;
  if (type != b->view.dtype || (type != HED_ID_FLOAT32 && type != HED_ID_FLOAT64) || k != b->view.dim[0] || k < 1
      || (uint64_t)((m - 1) | (n - 1)) >> BITS) /* 0 - 1 has all bits */
    return false;
  if (x && (kind_of(x) != ((uint64_t)axes << 32 | (uint32_t)type) || !x->flat || x->read_only
            || (na == 2 && x->view.dim[0] != m) || (nb == 2 && x->view.dim[axes - 1] != n) || !apart_from_both(x, a, b)))
    return false;
  return hed__product_host(a, b, type, out, status);
}

static inline bool quick_product(const hed_array *a, const hed_array *b, hed_array **out, hed_status *status)
{
  const int na = a->view.ndim, nb = b->view.ndim;
  if (__builtin_expect(na == 2 && nb == 2, 1))
    return quick_axes(2, 2, a, b, out, status);
  return na >= 1 && na <= 2 && nb >= 1 && nb <= 2 && quick_axes(na, nb, a, b, out, status);
}

hed_array *HED_BODY(matmul)(const hed_array *a, const hed_array *b)
{
  hed_array *result = NULL;
  hed_status status;
  if (a && b && quick_product(a, b, &result, &status))
    return result;
  return multiply(a, b, NULL, &result) == HED_OK ? result : NULL;
}

hed_status HED_BODY(matmul_into)(hed_array *out, const hed_array *a, const hed_array *b)
{
  hed_status status;
  if (a && b && out && quick_product(a, b, &out, &status))
    return status;
  return hed__given(out, "matmul", "out") ? multiply(a, b, out, NULL) : hed_error();
}

/* ---- svd ---- */

hed_array *HED_BODY(svdvals)(const hed_array *a)
{
  hed_array *s = NULL;
  if (!hed__given(a, "svdvals", "a") || hed__check_matrix(HED_OP_SVDVALS, a, false) != HED_OK)
    return NULL;
  return hed_svd(a, false, NULL, &s, NULL) == HED_OK ? s : NULL;
}

hed_status HED_BODY(svd)(const hed_array *a, bool full_matrices, hed_array **u, hed_array **s, hed_array **vh)
{
  static const char *const arg = "a";
  hed_array **const want[3] = { u, s, vh };
  hed_array *out[3] = { NULL, NULL, NULL };
  for (int k = 0; k < 3; k++)
    if (want[k])
      *want[k] = NULL;
  if (!hed__given(a, "svd", arg))
    return hed_error();
  hed_shape shape = hed__shape_of(a), batch = shape;
  if (shape.ndim < 2)
    return hed_fail(HED_E_SHAPE, "svd: a of shape %s has no rows and columns", HED__TEXT(&shape));
  int compute = hed__infer_operands(HED_OP_SVD, 1, &a, &arg), type = 0;
  if (compute < 0)
    return (hed_status)compute;
  int64_t m = shape.dim[shape.ndim - 2], n = shape.dim[shape.ndim - 1], k = m < n ? m : n;
  hed__exec ex;
  hed_status status = hed__plan(&ex, HED_OP_SVD, 1, &a);
  if (status != HED_OK)
    return status;
  if ((type = hed__infer_on("svd", compute, ex.device)) < 0)
    status = (hed_status)type;
  batch.ndim -= 2;
  bool empty = hed__shape_size(shape.ndim, shape.dim) == 0;
  for (int j = 0; j < 3 && status == HED_OK; j++) {
    hed_shape d = batch;
    int id = j == 1 ? hed__real_of(type) : type;
    if (!want[j])
      continue;
    if (j != 2)
      d.dim[d.ndim++] = j == 0 ? m : k;
    if (j == 0)
      d.dim[d.ndim++] = full_matrices ? m : k;
    if (j == 2) {
      d.dim[d.ndim++] = full_matrices ? n : k;
      d.dim[d.ndim++] = n;
    }
    if ((status = hed__check_shape("svd", "a result's shape", &d, id)) == HED_OK &&
        !(out[j] = hed__array_new(ex.device, id, d.ndim, d.dim)))
      status = hed_error();
    /* Without elements in A there are no singular values; a full basis is then the identity. */
    if (status == HED_OK && empty && j != 1 && hed__view_size(&out[j]->view) > 0) {
      status = hed__fill_view(&ex, out[j], &out[j]->view, 0);
      hed_view v = out[j]->view;
      int last = v.ndim - 1;
      v.stride[last - 1] += v.stride[last];
      v.ndim = last;
      if (status == HED_OK)
        status = hed__fill_view(&ex, out[j], &v, 1);
    }
  }
  hed_svd_params params = { full_matrices };
  if (status == HED_OK && !empty && (u || s || vh))
    status = hed__run(&ex, &(hed__launch){ .n_out = 3, .n_in = 1, .out = out, .in = ex.in, .params = &params,
                                           .compute = hed__compute_of(compute) });
  hed__exec_end(&ex);
  for (int j = 0; j < 3; j++) {
    if (status == HED_OK && want[j])
      *want[j] = out[j];
    else
      hed_release(out[j]);
  }
  return status;
}
