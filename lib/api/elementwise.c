// SPDX-License-Identifier: BSD-3-Clause
/*
 * Elementwise operations: bodies of HED_UNARY and HED_BINARY from ops.def, where, clip. L3.
 *
 * Two paths. Operands of one dtype and one shape (and, for _into, an out of the result's dtype) go straight to dispatch
 * with the arrays' own views: no copies of views, no broadcasting, nothing but comparisons. Everything else goes
 * through hed__elementwise_into, which words the errors too: the fast path never fails by itself.
 */
#include "api/elementwise.h"

#include "api/check.h"
#include "api/infer.h"
#include "base/cast.h"
#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>
#include <string.h>

/* ---- weak scalars on the stack ---- */

static const hed_array *box(hed__box *b, int id)
{
  memset(&b->storage, 0, sizeof b->storage);
  atomic_init(&b->storage.refs, 1);
  b->storage.device = b->array.producer = hed__reference();
  b->storage.ptr = b->array.view.data = &b->value;
  b->storage.bytes = (size_t)hed__id_size(id);
  atomic_init(&b->array.refs, 1);
  b->array.storage = &b->storage;
  b->array.view.dtype = id;
  b->array.view.ndim = 0; /* extents and strides stay unset: there are none */
  b->array.weak = true;
  b->array.scope_slot = NULL;
  return &b->array;
}

/* X's value as type ID, so that kernels see one type. */
static const hed_array *box_cast(hed__box *b, const hed_array *x, int id)
{
  const hed_array *w = box(b, id);
  hed__cast(x->view.dtype, id)(1, (char *)&b->value, 0, x->view.data, 0);
  return w;
}

const hed_array *hed__box_real(hed__box *b, double value)
{
  const hed_array *x = box(b, HED_ID_FLOAT64);
  b->value.d = value;
  return x;
}

const hed_array *hed__box_int(hed__box *b, int64_t value)
{
  const hed_array *x = box(b, HED_ID_INT64);
  b->value.i = value;
  return x;
}

const hed_array *hed__box_complex(hed__box *b, double re, double im)
{
  const hed_array *x = box(b, HED_ID_COMPLEX128);
  b->value.z[0] = re;
  b->value.z[1] = im;
  return x;
}

/* ---- the general path ---- */

static hed_status run_general(const hed__elementwise *e, hed_array *out, hed_array **result)
{
  const hed__op_row *row = &hed__op_rows[e->op];
  const hed_array *operands[HED__MAX_ELEMENTWISE + 1];
  hed__box boxes[HED__MAX_ELEMENTWISE];
  for (int k = 0; k < e->n; k++) {
    if (!hed__given(e->in[k], row->name, e->arg[k]))
      return hed_error();
    operands[k] = e->in[k];
  }
  int compute = hed__infer_operands(e->op, e->n - e->first, e->in + e->first, e->arg + e->first);
  if (compute < 0)
    return (hed_status)compute;
  int id = hed__infer_result(e->op, compute);
  for (int k = e->first; k < e->n; k++)
    if (e->in[k]->weak && e->in[k]->storage->device->host)
      operands[k] = box_cast(&boxes[k], e->in[k], hed__compute_of(compute));

  hed_shape shape = hed__shape_of(e->in[0]);
  for (int k = 1; k < e->n; k++) {
    hed_shape s = hed__shape_of(e->in[k]), both;
    if (!hed__broadcast(&shape, &s, &both)) {
      if (k == 1)
        return hed_fail(HED_E_SHAPE, "%s: shapes %s of %s and %s of %s do not broadcast", row->name,
                        HED__TEXT(&shape), e->arg[0], HED__TEXT(&s), e->arg[1]);
      return hed_fail(HED_E_SHAPE, "%s: shape %s of %s does not broadcast with %s of the arguments before it",
                      row->name, HED__TEXT(&s), e->arg[k], HED__TEXT(&shape));
    }
    shape = both;
  }

  hed_status status = out ? hed__check_out(row->name, out, shape.ndim, shape.dim)
                          : hed__check_shape(row->name, "the result's shape", &shape, id);
  if (status != HED_OK)
    return status;
  hed__exec ex;
  operands[e->n] = out;
  status = hed__plan(&ex, e->op, e->n + (out ? 1 : 0), operands);
  if (status != HED_OK)
    return status;
  hed_array *made = NULL;
  hed_view views[HED__MAX_ELEMENTWISE];
  const hed_view *in_view[HED__MAX_ELEMENTWISE];
  bool known = id == compute;
  if (out) {
    status = hed__check_writable(row->name, &ex, e->n);
  } else {
    for (int k = 0; k < e->n; k++)
      known = known || (!e->in[k]->weak && e->in[k]->view.dtype == id);
    if (!known || e->n > 1)
      id = hed__infer_on(row->name, id, ex.device);
    if (id < 0)
      status = (hed_status)id;
    else if (!(made = hed__array_new(ex.device, id, shape.ndim, shape.dim)))
      status = hed_error();
  }
  for (int k = 0; k < e->n && status == HED_OK; k++) {
    if (!hed__broadcast_view(&ex.in[k]->view, shape.ndim, shape.dim, &views[k]))
      status = hed_fail(HED_E_INTERNAL, "%s: %s does not broadcast to %s", row->name, e->arg[k], HED__TEXT(&shape));
    else if (out)
      status = hed__check_overlap(row->name, out, &out->view, "out", ex.in[k], &views[k], e->arg[k], true);
    in_view[k] = &views[k];
  }
  if (status == HED_OK) {
    hed_array *target = out ? out : made;
    status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = e->n, .out = &target, .in = ex.in,
                                           .in_view = in_view, .params = e->params,
                                           .compute = hed__compute_of(compute) });
  }
  hed__exec_end(&ex);
  if (status != HED_OK)
    hed_release(made);
  else if (result)
    *result = made;
  return status;
}

hed_status hed__elementwise_into(const hed__elementwise *e, hed_array *out)
{
  if (!hed__given(out, hed__op_rows[e->op].name, "out"))
    return hed_error();
  return run_general(e, out, NULL);
}

hed_array *hed__elementwise_new(const hed__elementwise *e)
{
  hed_array *result = NULL;
  return run_general(e, NULL, &result) == HED_OK ? result : NULL;
}

/* ---- the fast path ---- */

/* The dtypes of each kind, as bits by id. */
#define HED_DTYPE(ID, name, ctype, kind, bytes) | (unsigned)(KIND == HED_KIND_##kind) << HED_ID_##ID
enum {
#define KIND HED_KIND_BOOL
  BOOLS = 0u
#include <heddle/dtypes.def>
  ,
#undef KIND
#define KIND HED_KIND_UINT
  UINTS = 0u
#include <heddle/dtypes.def>
  ,
#undef KIND
#define KIND HED_KIND_INT
  INTS = 0u
#include <heddle/dtypes.def>
  ,
#undef KIND
#define KIND HED_KIND_FLOAT
  FLOATS = 0u
#include <heddle/dtypes.def>
  ,
#undef KIND
#define KIND HED_KIND_COMPLEX
  COMPLEXES = 0u
#include <heddle/dtypes.def>
#undef KIND
};
#undef HED_DTYPE

/* The dtypes of a domain; folded when DOMAIN is a literal. */
#define DTYPES(domain)                                                                                           \
  ((strchr(domain, 'b') ? (unsigned)BOOLS : 0u) | (strchr(domain, 'i') ? (unsigned)UINTS | (unsigned)INTS : 0u) | \
   (strchr(domain, 'f') ? (unsigned)FLOATS : 0u) | (strchr(domain, 'c') ? (unsigned)COMPLEXES : 0u))

/* The result's dtype when operands of type ID need no thought; -1 sends the call to the general path. */
static inline int quick_result(unsigned dtypes, hed__result rule, int id)
{
  if (!(dtypes >> id & 1u))
    return -1;
  switch (rule) {
  case HED__RESULT_SAME: return id;
  case HED__RESULT_BOOL: return HED_ID_BOOL;
  case HED__RESULT_REALPART: return (unsigned)COMPLEXES >> id & 1u ? -1 : id;
  case HED__RESULT_FLOAT: return ((unsigned)FLOATS | (unsigned)COMPLEXES) >> id & 1u ? id : -1;
  default: return -1;
  }
}

/* float16 and bfloat16 compute in float32: hed__compute_of without the call. */
static inline int quick_compute(int id)
{
  return id == HED_ID_FLOAT16 || id == HED_ID_BFLOAT16 ? HED_ID_FLOAT32 : id;
}

static inline bool same_shape(const hed_view *a, const hed_view *b)
{
  if (a->ndim != b->ndim)
    return false;
  for (int k = 0; k < a->ndim; k++)
    if (a->dim[k] != b->dim[k])
      return false;
  return true;
}

/* V has the shape of X and no element twice. */
static inline bool same_target(const hed_view *v, const hed_view *x)
{
  if (v->ndim != x->ndim)
    return false;
  for (int k = 0; k < x->ndim; k++)
    if (v->dim[k] != x->dim[k] || (v->stride[k] == 0 && x->dim[k] > 1))
      return false;
  return true;
}

/* OUT is apart from X, or X itself. Other arrays on foreign memory may overlap: only for storage made by Heddle does
 * different storage mean different bytes. */
static inline bool quick_apart(const hed_array *out, const hed_array *x)
{
  if (out->storage != x->storage)
    return out->storage->owned || x->storage->owned;
  if (out == x)
    return true;
  if (out->view.data != x->view.data || out->view.dtype != x->view.dtype)
    return false;
  for (int k = 0; k < out->view.ndim; k++)
    if (out->view.stride[k] != x->view.stride[k])
      return false;
  return true;
}

static hed_array *unary_new(int op, unsigned dtypes, hed__result rule, const hed_array *x)
{
  int id;
  if (!x || x->weak || (id = quick_result(dtypes, rule, x->view.dtype)) < 0 || id != x->view.dtype)
    return hed__elementwise_new(&(hed__elementwise){ op, 1, 0, { x }, { "x" }, NULL });
  hed__exec ex;
  hed_status status = hed__plan(&ex, op, 1, &x);
  if (status != HED_OK)
    return NULL;
  hed_array *out = hed__array_new(ex.device, id, x->view.ndim, x->view.dim);
  if (out) {
    status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 1, .out = &out, .in = ex.in,
                                           .compute = quick_compute(id) });
    if (status != HED_OK) {
      hed_release(out);
      out = NULL;
    }
  }
  hed__exec_end(&ex);
  return out;
}

static hed_status unary_into(int op, unsigned dtypes, hed__result rule, hed_array *out, const hed_array *x)
{
  if (!out || out->read_only || !x || x->weak || quick_result(dtypes, rule, x->view.dtype) != out->view.dtype ||
      !same_target(&out->view, &x->view) || !quick_apart(out, x))
    return hed__elementwise_into(&(hed__elementwise){ op, 1, 0, { x }, { "x" }, NULL }, out);
  const hed_array *operands[2] = { x, out };
  hed__exec ex;
  hed_status status;
  if (hed__run_host(op, out, 1, operands, hed__compute_of(x->view.dtype), &status))
    return status;
  status = hed__plan(&ex, op, 2, operands);
  if (status != HED_OK)
    return status;
  if (ex.owned)
    status = hed__check_writable(hed__op_rows[op].name, &ex, 1);
  if (status == HED_OK)
    status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 1, .out = &out, .in = ex.in,
                                           .compute = quick_compute(x->view.dtype) });
  hed__exec_end(&ex);
  return status;
}

static hed_array *binary_new(int op, unsigned dtypes, hed__result rule, const hed_array *a, const hed_array *b)
{
  int id;
  if (!a || !b || a->weak || b->weak || a->view.dtype != b->view.dtype ||
      (id = quick_result(dtypes, rule, a->view.dtype)) < 0 || !same_shape(&a->view, &b->view))
    return hed__elementwise_new(&(hed__elementwise){ op, 2, 0, { a, b }, { "a", "b" }, NULL });
  const hed_array *operands[2] = { a, b };
  hed__exec ex;
  hed_status status = hed__plan(&ex, op, 2, operands);
  if (status != HED_OK)
    return NULL;
  hed_array *out = hed__array_new(ex.device, id, a->view.ndim, a->view.dim);
  if (out) {
    status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 2, .out = &out, .in = ex.in,
                                           .compute = quick_compute(a->view.dtype) });
    if (status != HED_OK) {
      hed_release(out);
      out = NULL;
    }
  }
  hed__exec_end(&ex);
  return out;
}

static hed_status binary_into(int op, unsigned dtypes, hed__result rule, hed_array *out, const hed_array *a,
                              const hed_array *b)
{
  if (!out || out->read_only || !a || !b || a->weak || b->weak || a->view.dtype != b->view.dtype ||
      quick_result(dtypes, rule, a->view.dtype) != out->view.dtype || !same_shape(&a->view, &b->view) ||
      !same_target(&out->view, &a->view) || !quick_apart(out, a) || !quick_apart(out, b))
    return hed__elementwise_into(&(hed__elementwise){ op, 2, 0, { a, b }, { "a", "b" }, NULL }, out);
  const hed_array *operands[3] = { a, b, out };
  hed__exec ex;
  hed_status status;
  if (hed__run_host(op, out, 2, operands, hed__compute_of(a->view.dtype), &status))
    return status;
  status = hed__plan(&ex, op, 3, operands);
  if (status != HED_OK)
    return status;
  if (__builtin_expect(ex.owned != 0, 0))
    status = hed__check_writable(hed__op_rows[op].name, &ex, 2);
  if (status == HED_OK)
    status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 2, .out = &out, .in = ex.in,
                                           .compute = quick_compute(a->view.dtype) });
  hed__exec_end(&ex);
  return status;
}

/* ---- scalar forms ---- */

/* The scalar as an operand: a weak real; a weak integer for operations that have no real domain. NULL after
 * hed_fail(). */
static const hed_array *scalar_operand(hed__box *b, int op, unsigned dtypes, const char *arg, double s)
{
  if (dtypes & (unsigned)FLOATS)
    return hed__box_real(b, s);
  if (s != floor(s) || s < -0x1p63 || s >= 0x1p63) {
    hed_fail(HED_E_DTYPE, "%s: scalar %s = %g is not an integer", hed__op_rows[op].name, arg, s);
    return NULL;
  }
  return hed__box_int(b, (int64_t)s);
}

/* The fast path: X's type holds the scalar, OUT (NULL = to be made) is like X. False: not taken. */
static bool scalar_quick(int op, unsigned dtypes, hed__result rule, hed_array **out, const hed_array *x, double s,
                         bool right, hed_status *status)
{
  int id = quick_result(dtypes, rule, x->view.dtype), type = x->view.dtype;
  if (id < 0 || x->weak || (type != HED_ID_FLOAT32 && type != HED_ID_FLOAT64))
    return false;
  if (*out && ((*out)->read_only || (*out)->view.dtype != id || !same_target(&(*out)->view, &x->view) || !quick_apart(*out, x)))
    return false;
  hed__box b;
  hed_view w;
  hed__exec ex;
  const hed_array *operands[2] = { x, *out };
  *status = hed__plan(&ex, op, *out ? 2 : 1, operands);
  if (*status != HED_OK)
    return true;
  hed_array *target = *out;
  if (!ex.device->host || ex.owned) {
    hed__exec_end(&ex);
    return false;
  }
  if (!target && !(target = hed__array_new(ex.device, id, x->view.ndim, x->view.dim))) {
    *status = hed_error();
    hed__exec_end(&ex);
    return true;
  }
  const hed_array *scalar = box(&b, type);
  if (type == HED_ID_FLOAT32)
    b.value.f = (float)s;
  else
    b.value.d = s;
  w.data = &b.value;
  w.dtype = type;
  w.ndim = x->view.ndim;
  for (int k = 0; k < w.ndim; k++) {
    w.dim[k] = x->view.dim[k];
    w.stride[k] = 0;
  }
  const hed_array *const in[2] = { right ? ex.in[0] : scalar, right ? scalar : ex.in[0] };
  const hed_view *const in_view[2] = { right ? NULL : &w, right ? &w : NULL };
  *status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = 2, .out = &target, .in = in, .in_view = in_view,
                                          .compute = type });
  hed__exec_end(&ex);
  if (*status != HED_OK && !*out)
    hed_release(target);
  else
    *out = target;
  return true;
}

static hed_array *scalar_new(int op, unsigned dtypes, hed__result rule, const hed_array *x, double s, bool right)
{
  hed__box b;
  hed_array *out = NULL;
  hed_status status;
  if (!hed__given(x, hed__op_rows[op].name, right ? "a" : "b"))
    return NULL;
  if (scalar_quick(op, dtypes, rule, &out, x, s, right, &status))
    return out;
  const hed_array *w = scalar_operand(&b, op, dtypes, right ? "b" : "a", s);
  if (!w)
    return NULL;
  return hed__elementwise_new(
      &(hed__elementwise){ op, 2, 0, { right ? x : w, right ? w : x }, { "a", "b" }, NULL });
}

static hed_status scalar_into(int op, unsigned dtypes, hed__result rule, hed_array *out, const hed_array *x, double s,
                              bool right)
{
  hed__box b;
  hed_status status;
  const char *name = hed__op_rows[op].name;
  if (!hed__given(out, name, "out") || !hed__given(x, name, right ? "a" : "b"))
    return hed_error();
  if (scalar_quick(op, dtypes, rule, &out, x, s, right, &status))
    return status;
  const hed_array *w = scalar_operand(&b, op, dtypes, right ? "b" : "a", s);
  if (!w)
    return hed_error();
  return hed__elementwise_into(
      &(hed__elementwise){ op, 2, 0, { right ? x : w, right ? w : x }, { "a", "b" }, NULL }, out);
}

/* ---- bodies ---- */

#define HED_UNARY(ID, name, domain, result, doc)                                                   \
  hed_array *hed_##name(const hed_array *x)                                                        \
  {                                                                                                \
    return unary_new(HED_OP_##ID, DTYPES(domain), HED__RESULT_##result, x);                        \
  }                                                                                                \
  hed_status hed_##name##_into(hed_array *out, const hed_array *x)                                 \
  {                                                                                                \
    return unary_into(HED_OP_##ID, DTYPES(domain), HED__RESULT_##result, out, x);                  \
  }
#define HED_BINARY(ID, name, domain, result, doc)                                                  \
  hed_array *hed_##name(const hed_array *a, const hed_array *b)                                    \
  {                                                                                                \
    return binary_new(HED_OP_##ID, DTYPES(domain), HED__RESULT_##result, a, b);                    \
  }                                                                                                \
  hed_status hed_##name##_into(hed_array *out, const hed_array *a, const hed_array *b)             \
  {                                                                                                \
    return binary_into(HED_OP_##ID, DTYPES(domain), HED__RESULT_##result, out, a, b);              \
  }                                                                                                \
  hed_array *hed_##name##_scalar(const hed_array *a, double s)                                     \
  {                                                                                                \
    return scalar_new(HED_OP_##ID, DTYPES(domain), HED__RESULT_##result, a, s, true);              \
  }                                                                                                \
  hed_array *hed_scalar_##name(double s, const hed_array *b)                                       \
  {                                                                                                \
    return scalar_new(HED_OP_##ID, DTYPES(domain), HED__RESULT_##result, b, s, false);             \
  }                                                                                                \
  hed_status hed_##name##_scalar_into(hed_array *out, const hed_array *a, double s)                \
  {                                                                                                \
    return scalar_into(HED_OP_##ID, DTYPES(domain), HED__RESULT_##result, out, a, s, true);        \
  }                                                                                                \
  hed_status hed_scalar_##name##_into(hed_array *out, double s, const hed_array *b)                \
  {                                                                                                \
    return scalar_into(HED_OP_##ID, DTYPES(domain), HED__RESULT_##result, out, b, s, false);       \
  }
#include <heddle/ops.def>

/* ---- three operands ---- */

hed_array *hed_where(const hed_array *condition, const hed_array *a, const hed_array *b)
{
  return hed__elementwise_new(
      &(hed__elementwise){ HED_OP_WHERE, 3, 1, { condition, a, b }, { "condition", "a", "b" }, NULL });
}

hed_status hed_where_into(hed_array *out, const hed_array *condition, const hed_array *a, const hed_array *b)
{
  return hed__elementwise_into(
      &(hed__elementwise){ HED_OP_WHERE, 3, 1, { condition, a, b }, { "condition", "a", "b" }, NULL }, out);
}

/* Bounds with one meaning for every backend: integers are limited to the integers inside, and a low above high gives
 * high (as NumPy's min(max(x, low), high)). */
static hed_status clip_params(const hed_array *x, double low, double high, hed_clip_params *p)
{
  if (!hed__given(x, "clip", "x"))
    return hed_error();
  if (isnan(low) || isnan(high))
    return hed_fail(HED_E_INVAL, "clip: bound %s is NaN", isnan(low) ? "low" : "high");
  if (hed__id_kind(x->view.dtype) < HED_KIND_FLOAT) {
    low = ceil(low);
    high = floor(high);
  }
  p->low = low > high ? high : low;
  p->high = high;
  return HED_OK;
}

hed_array *hed_clip(const hed_array *x, double low, double high)
{
  hed_clip_params p;
  if (clip_params(x, low, high, &p) != HED_OK)
    return NULL;
  return hed__elementwise_new(&(hed__elementwise){ HED_OP_CLIP, 1, 0, { x }, { "x" }, &p });
}

hed_status hed_clip_into(hed_array *out, const hed_array *x, double low, double high)
{
  hed_clip_params p;
  hed_status status = clip_params(x, low, high, &p);
  if (status != HED_OK)
    return status;
  return hed__elementwise_into(&(hed__elementwise){ HED_OP_CLIP, 1, 0, { x }, { "x" }, &p }, out);
}
