// SPDX-License-Identifier: BSD-3-Clause
/* tensordot: axes paired and summed, the rest kept in order, as one matrix product or a batch of them. L3.
 *
 * Without pairs (NULL or n = 0) the result is the outer product. Batch axes are paired without being summed; they stay
 * where they are in a. An operand becomes (batch, free, paired) or (batch, paired, free); matmul hands transposed
 * operands on by their strides, so a copy is made only where the axes of a group cannot be seen as one.
 */
#include "api/call/check.h"
#include "composite/composed.h"
#include "composite/products.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>

typedef struct pairing {
  const hed_axes *paired, *batch; /* of this operand */
  uint32_t mask, batch_mask;
  hed_axes free;
} pairing;

static const hed_axes no_axes;

static hed_status read_axes(const char *op, const hed_array *x, const hed_axes *paired, const hed_axes *batch, pairing *p)
{
  hed_status status = HED_OK;
  *p = (pairing){ .paired = paired ? paired : &no_axes, .batch = batch ? batch : &no_axes };
  if (p->paired->n)
    status = hed__check_axes(op, p->paired, x->view.ndim, &p->mask);
  if (status == HED_OK && p->batch->n)
    status = hed__check_axes(op, p->batch, x->view.ndim, &p->batch_mask);
  if (status == HED_OK && (p->mask & p->batch_mask))
    status = hed_fail(HED_E_SHAPE, "%s: axis %d is both summed and a batch", op, __builtin_ctz(p->mask & p->batch_mask));
  for (int k = 0; k < x->view.ndim && status == HED_OK; k++)
    if (!((p->mask | p->batch_mask) >> k & 1u))
      p->free.axis[p->free.n++] = k;
  return status;
}

static hed_status agree(const char *op, const hed_array *a, const hed_array *b, const hed_axes *x, const hed_axes *y,
                        const char *what)
{
  if (x->n != y->n)
    return hed_fail(HED_E_SHAPE, "%s: %d %s of a are paired with %d of b", op, (int)x->n, what, (int)y->n);
  for (int k = 0; k < x->n; k++) {
    int i = hed__axis(x->axis[k], a->view.ndim), j = hed__axis(y->axis[k], b->view.ndim);
    if (a->view.dim[i] != b->view.dim[j])
      return hed_fail(HED_E_SHAPE, "%s: axis %d of a has extent %lld, axis %d of b %lld", op, i, (long long)a->view.dim[i],
                      j, (long long)b->view.dim[j]);
  }
  return HED_OK;
}

static int64_t add_axes(const hed_array *x, const hed_axes *from, hed_axes *order)
{
  int64_t size = 1;
  for (int k = 0; k < from->n; k++) {
    int at = hed__axis(from->axis[k], x->view.ndim);
    order->axis[order->n++] = at;
    size *= x->view.dim[at];
  }
  return size;
}

/* How many rows the free axes make that come before all paired ones. */
static int64_t rows_before(const hed_array *x, const pairing *p)
{
  int64_t rows = 1;
  for (int k = 0; k < p->free.n && !(p->mask & ((1u << p->free.axis[k]) - 1)); k++)
    rows *= x->view.dim[p->free.axis[k]];
  return rows;
}

/* (batch, free, paired), or (batch, paired, free); without batch axes the first one is left out. But where free axes can only be
 * copied to be one, those before the paired ones are a batch, if matrices of the others are not too small for that. */
static hed_array *as_matrices(const hed_array *x, const pairing *p, bool free_first)
{
  enum { LARGE = 4096 };
  hed_axes order = { 0, { 0 } };
  int64_t b = add_axes(x, p->batch, &order);
  int64_t m = add_axes(x, free_first ? &p->free : p->paired, &order);
  int64_t n = add_axes(x, free_first ? p->paired : &p->free, &order);
  hed_array *t = hed_transpose(x, &order);
  if (!t || p->batch->n)
    return t ? hed_reshape(t, HED_SHAPE(b, m, n)) : NULL;
  const hed_shape one = HED_SHAPE(m, n);
  int64_t stride[3];
  if (free_first && m > 0 && !hed__reshape_strides(&t->view, 2, one.dim, stride)) {
    const int64_t rows = rows_before(x, p);
    const hed_shape many = HED_SHAPE(rows, m / rows, n);
    if (rows > 1 && m / rows * n >= LARGE && hed__reshape_strides(&t->view, 3, many.dim, stride))
      return hed_reshape(t, many);
  }
  return hed_reshape(t, one);
}

/* The result with the batch first, and the axes that bring the batch to its place in a. */
static hed_shape shape_of_result(const hed_array *a, const hed_array *b, const pairing *pa, const pairing *pb, hed_axes *back)
{
  hed_shape s = { 0, { 0 } };
  for (int k = 0; k < pa->batch->n; k++)
    s.dim[s.ndim++] = a->view.dim[hed__axis(pa->batch->axis[k], a->view.ndim)];
  for (int k = 0; k < pa->free.n; k++)
    s.dim[s.ndim++] = a->view.dim[pa->free.axis[k]];
  for (int k = 0; k < pb->free.n; k++)
    s.dim[s.ndim++] = b->view.dim[pb->free.axis[k]];
  back->n = 0;
  for (int axis = 0, f = 0; axis < a->view.ndim; axis++) {
    if (pa->batch_mask >> axis & 1u) {
      int k = 0;
      while (hed__axis(pa->batch->axis[k], a->view.ndim) != axis)
        k++;
      back->axis[back->n++] = k;
    } else if (!(pa->mask >> axis & 1u)) {
      back->axis[back->n++] = pa->batch->n + f++;
    }
  }
  while (back->n < s.ndim) {
    back->axis[back->n] = back->n;
    back->n++;
  }
  return s;
}

/* Straight into OUT where its axes can be seen as those of the product of MA and MB. */
static hed_status multiply_into(const char *op, hed_array *out, const hed_array *ma, const hed_array *mb,
                                const hed_shape *shape, const hed_axes *back)
{
  hed_shape flat = { 0, { 0 } };
  hed_axes forth = { back->n, { 0 } };
  for (int k = 0; k + 1 < ma->view.ndim; k++)
    flat.dim[flat.ndim++] = ma->view.dim[k];
  flat.dim[flat.ndim++] = mb->view.dim[mb->view.ndim - 1];
  for (int k = 0; k < back->n; k++)
    forth.axis[back->axis[k]] = k;
  hed_array *to = hed_reshape(hed_transpose(out, &forth), flat);
  if (!to)
    return hed_error();
  if (to->storage == out->storage)
    return hed_matmul_into(to, ma, mb);
  return hed__write_result(op, out, hed_transpose(hed_reshape(hed_matmul(ma, mb), *shape), back));
}

/* Into OUT, or a new array in *result. */
static hed_status contract(int op, hed_array *out, const hed_array *a, const hed_array *b, const hed_tensordot_options *opt,
                           hed_array **result)
{
  const char *name = hed_op_name(op);
  const hed_array *operands[3] = { a, b, out };
  pairing pa, pb;
  hed_axes back;
  composed w;
  hed_status status;
  if (!hed__given_pair(name, a, b))
    return hed_error();
  if ((status = read_axes(name, a, &opt->a_axes, &opt->a_batch, &pa)) != HED_OK ||
      (status = read_axes(name, b, &opt->b_axes, &opt->b_batch, &pb)) != HED_OK ||
      (status = agree(name, a, b, pa.paired, pb.paired, "axes")) != HED_OK ||
      (status = agree(name, a, b, pa.batch, pb.batch, "batch axes")) != HED_OK)
    return status;
  if (pa.batch->n + pa.free.n + pb.free.n > HED_MAX_NDIM)
    return hed_fail(HED_E_SHAPE, "%s: the result would have %d axes, %d are possible", name,
                    (int)(pa.batch->n + pa.free.n + pb.free.n), HED_MAX_NDIM);
  hed_shape shape = shape_of_result(a, b, &pa, &pb, &back), final = shape;
  for (int k = 0; k < shape.ndim; k++)
    final.dim[k] = shape.dim[back.axis[k]];
  if ((out && (status = hed__check_out(name, out, final.ndim, final.dim)) != HED_OK) ||
      (status = composed_begin(&w, op, out ? 3 : 2, operands)) != HED_OK)
    return status;
  hed_array *ma = as_matrices(w.ex.in[0], &pa, true), *mb = ma ? as_matrices(w.ex.in[1], &pb, false) : NULL;
  hed_array *made = NULL;
  if (!mb) {
    status = hed_error();
  } else if (out) {
    status = hed__check_writable(name, &w.ex, 2);
    status = status == HED_OK ? multiply_into(name, out, ma, mb, &shape, &back) : status;
  } else {
    made = hed_reshape(hed_matmul(ma, mb), shape);
    made = made && pa.batch->n ? hed_transpose(made, &back) : made;
  }
  made = composed_end(&w, made);
  if (status == HED_OK && !out && !made)
    status = hed_error();
  if (result)
    *result = made;
  return status;
}

static hed_tensordot_options pairs(const hed_axes *a_axes, const hed_axes *b_axes)
{
  return (hed_tensordot_options){ .a_axes = a_axes ? *a_axes : no_axes, .b_axes = b_axes ? *b_axes : no_axes };
}

hed_array *HED_BODY(tensordot)(const hed_array *a, const hed_array *b, const hed_axes *a_axes, const hed_axes *b_axes)
{
  hed_tensordot_options o = pairs(a_axes, b_axes);
  hed_array *result = NULL;
  contract(HED_OP_TENSORDOT, NULL, a, b, &o, &result);
  return result;
}

hed_status HED_BODY(tensordot_into)(hed_array *out, const hed_array *a, const hed_array *b, const hed_axes *a_axes,
                              const hed_axes *b_axes)
{
  hed_tensordot_options o = pairs(a_axes, b_axes);
  if (!hed__given(out, "tensordot", "out"))
    return hed_error();
  return contract(HED_OP_TENSORDOT, out, a, b, &o, NULL);
}

hed_array *HED_BODY(tensordot_batched)(const hed_array *a, const hed_array *b, const hed_tensordot_options *opt)
{
  static const hed_tensordot_options none;
  hed_array *result = NULL;
  contract(HED_OP_TENSORDOT_BATCHED, NULL, a, b, opt ? opt : &none, &result);
  return result;
}

hed_array *HED_BODY(tensordot_n)(const hed_array *a, const hed_array *b, int n)
{
  hed_axes x = { n, { 0 } }, y = { n, { 0 } };
  if (!hed__given_pair("tensordot", a, b))
    return NULL;
  if (n < 0 || n > a->view.ndim || n > b->view.ndim) {
    hed_fail(HED_E_SHAPE, "tensordot: %d axes to sum over, a has %d and b %d", n, (int)a->view.ndim, (int)b->view.ndim);
    return NULL;
  }
  for (int k = 0; k < n; k++) {
    x.axis[k] = a->view.ndim - n + k;
    y.axis[k] = k;
  }
  return hed_tensordot(a, b, &x, &y);
}
