// SPDX-License-Identifier: BSD-3-Clause
/* Elementwise operations: bodies of HED_UNARY and HED_BINARY from ops.def, where, clip. L3.
 *
 * Two paths. Operands of one dtype and one shape (and, for _into, an out of the result's dtype) go straight to dispatch
 * with the arrays' own views: no copies of views, no broadcasting, nothing but comparisons. Everything else goes
 * through hed__elementwise_into, which words the errors too: the fast path never fails by itself.
 */
#include "api/elementwise/elementwise.h"

#include "api/call/check.h"
#include "api/elementwise/fuse.h"
#include "api/call/infer.h"
#include "api/call/movement.h"
#include "core/record/capture.h"
#include "base/cast.h"
#include "base/formulas/formulas.h"
#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>
#include <string.h>

/* ---- comparisons with integers that the other operand's type does not hold ---- */

/* E, or what gives the same for every element: a comparison with the end of the range beyond which the scalar lies. */
static const hed__elementwise *within_range(const hed__elementwise *e, hed__elementwise *other, hed__box *end)
{
  if (e->op < HED_OP_EQUAL || e->op > HED_OP_GREATER_EQUAL || !e->in[0] || !e->in[1] || e->in[0]->weak == e->in[1]->weak)
    return e;
  const int at = e->in[1]->weak ? 1 : 0, id = e->in[1 - at]->view.dtype, side = hed__weak_side(e->in[at], id);
  if (!side)
    return e;
  const bool less = e->op == HED_OP_LESS || e->op == HED_OP_LESS_EQUAL, equality = e->op <= HED_OP_NOT_EQUAL;
  /* The answer for all: a scalar above, on the right, makes `less' true; each change of side turns it round. */
  const bool yes = equality ? e->op == HED_OP_NOT_EQUAL : less == ((side > 0) == (at == 1));
  const int bits = hed__dtypes[id]->bits;
  const bool is_signed = hed__id_kind(id) == HED_KIND_INT;
  *other = *e;
  other->in[0] = e->in[1 - at];
  other->in[1] = side > 0 ? hed__box_uint(end, UINT64_MAX >> (64 - bits + is_signed))
                          : hed__box_int(end, is_signed ? INT64_MIN >> (64 - bits) : 0);
  other->op = side > 0 ? (yes ? HED_OP_LESS_EQUAL : HED_OP_GREATER) : yes ? HED_OP_GREATER_EQUAL : HED_OP_LESS;
  return other;
}

/* ---- recorded calls ---- */

static hed_status run_general(const hed__elementwise *e, hed_array *out, hed_array **result);

static hed_status recorded(hed__tls *t, const hed__elementwise *e, hed_array *out, hed_array **result)
{
  hed_array *made = NULL;
  hed__capture *const capture = hed__capturing();
  hed_status status = hed__record_writes(t, out, e->op);
  if (status != HED_OK)
    return status;
  const uint8_t was = hed__record_hold(t), captures = hed__capture_hold(t);
  status = run_general(e, out, &made);
  hed__capture_resume(t, captures);
  hed__record_resume(t, was);
  if (status == HED_OK && capture)
    hed__capture_formula(capture, e->op, e->n, e->in, out ? out : made, out != NULL, e->params, hed__params_size(e->op));
  if (status == HED_OK && was)
    hed__note_elementwise(t, e->op, e->n, e->in, out ? out : made, out != NULL, e->params, hed__params_size(e->op));
  if (result)
    *result = made;
  return status;
}

/* ---- the general path ---- */

/* The shape that E's operands have together. */
static hed_status common_shape(const hed__elementwise *e, const char *name, hed_shape *shape)
{
  *shape = hed__shape_of(e->in[0]);
  for (int k = 1; k < e->n; k++) {
    if (hed__shape_equal(e->in[k]->view.ndim, e->in[k]->view.dim, shape->ndim, shape->dim))
      continue;
    hed_shape s = hed__shape_of(e->in[k]), both;
    if (!hed__broadcast(shape, &s, &both)) {
      if (k == 1)
        return hed_fail(HED_E_SHAPE, "%s: shapes %s of %s and %s of %s do not broadcast", name, HED__TEXT(shape), e->arg[0],
                        HED__TEXT(&s), e->arg[1]);
      return hed_fail(HED_E_SHAPE, "%s: shape %s of %s does not broadcast with %s of the arguments before it", name,
                      HED__TEXT(&s), e->arg[k], HED__TEXT(shape));
    }
    *shape = both;
  }
  return HED_OK;
}

/* Operands as arrays of SHAPE, in IN_VIEW; VIEWS has room for those that are repeated. OUT (may be NULL) lies apart, or is one. */
static hed_status broadcast_operands(const hed__elementwise *e, const hed__exec *ex, const hed_shape *shape, const hed_array *out,
                                     hed_view *views, const hed_view **in_view)
{
  const char *name = hed__op_rows[e->op].name;
  hed_status status = HED_OK;
  for (int k = 0; k < e->n && status == HED_OK; k++) {
    const hed_view *own = &ex->in[k]->view;
    const bool same = hed__shape_equal(own->ndim, own->dim, shape->ndim, shape->dim);
    in_view[k] = same ? own : &views[k];
    if (!same && !hed__broadcast_view(own, shape->ndim, shape->dim, &views[k]))
      status = hed_fail(HED_E_INTERNAL, "%s: %s does not broadcast to %s", name, e->arg[k], HED__TEXT(shape));
    else if (out)
      status = hed__check_overlap(name, out, &out->view, "out", ex->in[k], in_view[k], e->arg[k], true);
  }
  return status;
}

static hed_status run_general(const hed__elementwise *e, hed_array *out, hed_array **result)
{
  hed__elementwise other;
  hed__box end;
  if (hed__noting())
    return recorded(hed__self, e, out, result);
  e = within_range(e, &other, &end);
  const hed__op_row *row = &hed__op_rows[e->op];
  const hed_array *operands[HED__MAX_ELEMENTWISE + 1];
  hed__box boxes[HED__MAX_ELEMENTWISE];
  hed_array *taken = NULL;
  if (hed__fusing() && hed__fuse_elementwise(e, out, &taken)) {
    if (result)
      *result = taken;
    return taken ? HED_OK : hed_error();
  }
  if (out && !hed__given(out, row->name, "out"))
    return hed_error();
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
      operands[k] = hed__box_cast(&boxes[k], e->in[k], hed__formula_type(e->op, compute));

  hed_shape shape;
  hed_status status = common_shape(e, row->name, &shape);
  if (status != HED_OK)
    return status;
  status = out ? hed__check_out(row->name, out, shape.ndim, shape.dim)
               : hed__check_shape(row->name, "the result's shape", &shape, id);
  if (status != HED_OK)
    return status;
  hed__exec ex;
  operands[e->n] = out;
  status = hed__plan(&ex, e->op, e->n + (out ? 1 : 0), operands);
  if (status != HED_OK)
    return status;
  hed_array *made = NULL;
  const bool rounds = out && hed__rounds_first(id, out);
  hed_view views[HED__MAX_ELEMENTWISE];
  const hed_view *in_view[HED__MAX_ELEMENTWISE];
  bool known = id == compute;
  if (out) {
    status = hed__check_writable(row->name, &ex, e->n);
    if (status == HED_OK && rounds && !(made = hed__array_new(ex.device, id, shape.ndim, shape.dim)))
      status = hed_error();
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
  if (status == HED_OK)
    status = broadcast_operands(e, &ex, &shape, out, views, in_view);
  if (status == HED_OK) {
    hed_array *target = made ? made : out;
    status = hed__run(&ex, &(hed__launch){ .n_out = 1, .n_in = e->n, .out = &target, .in = ex.in,
                                           .in_view = in_view, .params = e->params,
                                           .compute = hed__formula_type(e->op, compute) });
  }
  if (status == HED_OK && rounds)
    status = hed__move(&ex, out, &out->view, made, &made->view);
  hed__exec_end(&ex);
  if (status != HED_OK || rounds)
    hed_release(made);
  else if (result)
    *result = made;
  return status;
}

hed_status hed__elementwise_into(const hed__elementwise *e, hed_array *out)
{
  if (!hed__named(out, hed__op_rows[e->op].name, "out"))
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

/* Those of a domain for which a rule needs no thought: the result has the operands' type, or with PREDICATE, bool. Folded
 * when both are literals. */
enum { PREDICATE = 1u << HED_ID_CONCRETE_COUNT_ };
#define QUICK(rule, domain)                                                                          \
  ((rule) == HED__RESULT_SAME ? DTYPES(domain)                                                       \
   : (rule) == HED__RESULT_BOOL ? DTYPES(domain) | PREDICATE                                         \
   : (rule) == HED__RESULT_REALPART ? DTYPES(domain) & ~(unsigned)COMPLEXES                          \
   : (rule) == HED__RESULT_FLOAT ? DTYPES(domain) & ((unsigned)FLOATS | (unsigned)COMPLEXES) : 0u)

/* The result's dtype for operands of type ID; -1 sends the call to the general path. */
static inline int quick_result(unsigned quick, int id)
{
  return !(quick >> id & 1u) ? -1 : quick & PREDICATE ? HED_ID_BOOL : id;
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

/* OUT is apart from X, or X itself. Other arrays on foreign memory may overlap: only for storage made by Heddle does
 * different storage mean different bytes. */
static inline bool quick_apart(const hed_array *out, const hed_array *x)
{
  if (out->storage != x->storage)
    return out->storage->owned || x->storage->owned;
  return out == x || (out->view.data == x->view.data && out->view.dtype == x->view.dtype && x->flat);
}

/* OUT, which is contiguous and so has no element twice, can be written with results in the shape of X. */
static inline bool quick_target(const hed_array *out, const hed_array *x)
{
  return !out->read_only && out->flat && same_shape(&out->view, &x->view) && quick_apart(out, x);
}

static hed_array *unary_new(int op, unsigned quick, const hed_array *x)
{
  int id;
  hed_array *out;
  if (x && !x->weak && (id = quick_result(quick, x->view.dtype)) >= 0 && id == x->view.dtype &&
      hed__make_host(op, 1, &x, hed__formula_type(op, id), id, x, &out))
    return out;
  return hed__elementwise_new(&(hed__elementwise){ op, 1, 0, { x }, { "x" }, NULL });
}

static hed_status unary_into(int op, unsigned quick, hed_array *out, const hed_array *x)
{
  hed_status status;
  if (out && x && !x->weak && quick_result(quick, x->view.dtype) == out->view.dtype && quick_target(out, x) &&
      hed__run_host(op, out, 1, &x, hed__formula_type(op, x->view.dtype), &status))
    return status;
  return hed__elementwise_into(&(hed__elementwise){ op, 1, 0, { x }, { "x" }, NULL }, out);
}

static hed_array *binary_new(int op, unsigned quick, const hed_array *a, const hed_array *b)
{
  int id;
  hed_array *out;
  if (a && b && !a->weak && !b->weak && a->view.dtype == b->view.dtype &&
      (id = quick_result(quick, a->view.dtype)) >= 0 && same_shape(&a->view, &b->view) &&
      hed__make_host(op, 2, (const hed_array *const[]){ a, b }, hed__formula_type(op, a->view.dtype), id, a, &out))
    return out;
  return hed__elementwise_new(&(hed__elementwise){ op, 2, 0, { a, b }, { "a", "b" }, NULL });
}

static hed_status binary_into(int op, unsigned quick, hed_array *out, const hed_array *a,
                              const hed_array *b)
{
  hed_status status;
  if (out && a && b && !a->weak && !b->weak && a->view.dtype == b->view.dtype &&
      quick_result(quick, a->view.dtype) == out->view.dtype && same_shape(&a->view, &b->view) &&
      quick_target(out, a) && quick_apart(out, b) &&
      hed__run_host(op, out, 2, (const hed_array *const[]){ a, b }, hed__formula_type(op, a->view.dtype), &status))
    return status;
  return hed__elementwise_into(&(hed__elementwise){ op, 2, 0, { a, b }, { "a", "b" }, NULL }, out);
}

/* ---- scalar forms ---- */

/* The number as an operand: a weak scalar of its kind; an integer for operations that have no real domain. NULL after
 * hed_fail(). */
static const hed_array *scalar_operand(hed__box *b, int op, const char *arg, const hed_number *s)
{
  if (s->kind != HED_KIND_FLOAT || strchr(hed__op_rows[op].domain, 'f'))
    return hed__box_number(b, s);
  if (s->real != floor(s->real) || s->real < -0x1p63 || s->real >= 0x1p63) {
    hed_fail(HED_E_DTYPE, "%s: scalar %s = %g is not an integer", hed__op_rows[op].name, arg, s->real);
    return NULL;
  }
  return hed__box_int(b, (int64_t)s->real);
}

/* The fast path: X's type holds the scalar, OUT (NULL = to be made) is like X. False: not taken. */
static bool scalar_quick(int op, unsigned quick, hed_array **out, const hed_array *x, const hed_number *s,
                         bool right, hed_status *status)
{
  int type = x->view.dtype, id = quick_result(quick, type);
  if (id < 0 || x->weak || (type != HED_ID_FLOAT32 && type != HED_ID_FLOAT64) ||
      (*out && ((*out)->view.dtype != id || !quick_target(*out, x))))
    return false;
  hed__box b;
  const hed_array *scalar = hed__box_new(&b, type);
  if (type == HED_ID_FLOAT32)
    b.value.f = s->kind == HED_KIND_INT ? (float)s->whole : s->kind == HED_KIND_UINT ? (float)(uint64_t)s->whole : (float)s->real;
  else
    b.value.d = s->real;
  b.array.flat = false;
  b.array.view.ndim = x->view.ndim;
  for (int k = 0; k < x->view.ndim; k++) {
    b.array.view.dim[k] = x->view.dim[k];
    b.array.view.stride[k] = 0;
  }
  const hed_array *const in[2] = { right ? x : scalar, right ? scalar : x };
  if (*out)
    return hed__run_host(op, *out, 2, in, type, status);
  return hed__make_host(op, 2, in, type, id, x, out);
}

static hed_array *scalar_new(int op, unsigned quick, const hed_array *x, const hed_number *s, bool right)
{
  hed__box b;
  hed_array *out = NULL;
  hed_status status;
  if (!hed__named(x, hed__op_rows[op].name, right ? "a" : "b"))
    return NULL;
  if (scalar_quick(op, quick, &out, x, s, right, &status))
    return out;
  const hed_array *w = scalar_operand(&b, op, right ? "b" : "a", s);
  if (!w)
    return NULL;
  return hed__elementwise_new(
      &(hed__elementwise){ op, 2, 0, { right ? x : w, right ? w : x }, { "a", "b" }, NULL });
}

static hed_status scalar_into(int op, unsigned quick, hed_array *out, const hed_array *x, const hed_number *s,
                              bool right)
{
  hed__box b;
  hed_status status;
  const char *name = hed__op_rows[op].name;
  if (!hed__named(out, name, "out") || !hed__named(x, name, right ? "a" : "b"))
    return hed_error();
  if (scalar_quick(op, quick, &out, x, s, right, &status))
    return status;
  const hed_array *w = scalar_operand(&b, op, right ? "b" : "a", s);
  if (!w)
    return hed_error();
  return hed__elementwise_into(
      &(hed__elementwise){ op, 2, 0, { right ? x : w, right ? w : x }, { "a", "b" }, NULL }, out);
}

/* What QUICK says of the binary operation OP. False after hed_fail(): it is none. */
static bool quick_of(int op, const char *function, unsigned *quick)
{
  switch (op) {
#define HED_BINARY(ID, name, domain, result, cost, doc) \
  case HED_OP_##ID: *quick = QUICK(HED__RESULT_##result, domain); return true;
#include <heddle/ops.def>
  default: hed_fail(HED_E_INVAL, "%s: op is %d, which is no binary operation", function, op); return false;
  }
}

hed_array *hed_apply_scalar(int op, const hed_array *a, hed_number s)
{
  unsigned quick;
  return quick_of(op, "apply_scalar", &quick) ? scalar_new(op, quick, a, &s, true) : NULL;
}

hed_array *hed_scalar_apply(int op, hed_number s, const hed_array *b)
{
  unsigned quick;
  return quick_of(op, "scalar_apply", &quick) ? scalar_new(op, quick, b, &s, false) : NULL;
}

hed_status hed_apply_scalar_into(hed_array *out, int op, const hed_array *a, hed_number s)
{
  unsigned quick;
  return quick_of(op, "apply_scalar_into", &quick) ? scalar_into(op, quick, out, a, &s, true) : hed_error();
}

hed_status hed_scalar_apply_into(hed_array *out, int op, hed_number s, const hed_array *b)
{
  unsigned quick;
  return quick_of(op, "scalar_apply_into", &quick) ? scalar_into(op, quick, out, b, &s, false) : hed_error();
}

/* ---- bodies ---- */

#define HED_UNARY(ID, name, domain, result, cost, doc)                                             \
  hed_array *hed_##name(const hed_array *x)                                                        \
  {                                                                                                \
    return unary_new(HED_OP_##ID, QUICK(HED__RESULT_##result, domain), x);                        \
  }                                                                                                \
  hed_status hed_##name##_into(hed_array *out, const hed_array *x)                                 \
  {                                                                                                \
    return unary_into(HED_OP_##ID, QUICK(HED__RESULT_##result, domain), out, x);                  \
  }
#define HED_BINARY(ID, name, domain, result, cost, doc)                                            \
  hed_array *hed_##name(const hed_array *a, const hed_array *b)                                    \
  {                                                                                                \
    return binary_new(HED_OP_##ID, QUICK(HED__RESULT_##result, domain), a, b);                    \
  }                                                                                                \
  hed_status hed_##name##_into(hed_array *out, const hed_array *a, const hed_array *b)             \
  {                                                                                                \
    return binary_into(HED_OP_##ID, QUICK(HED__RESULT_##result, domain), out, a, b);              \
  }                                                                                                \
  hed_array *(hed_##name##_scalar)(const hed_array *a, double s)                                   \
  {                                                                                                \
    return hed_apply_scalar(HED_OP_##ID, a, hed_number_real(s));                                   \
  }                                                                                                \
  hed_array *(hed_scalar_##name)(double s, const hed_array *b)                                     \
  {                                                                                                \
    return hed_scalar_apply(HED_OP_##ID, hed_number_real(s), b);                                   \
  }                                                                                                \
  hed_status (hed_##name##_scalar_into)(hed_array *out, const hed_array *a, double s)              \
  {                                                                                                \
    return hed_apply_scalar_into(out, HED_OP_##ID, a, hed_number_real(s));                         \
  }                                                                                                \
  hed_status (hed_scalar_##name##_into)(hed_array *out, double s, const hed_array *b)              \
  {                                                                                                \
    return hed_scalar_apply_into(out, HED_OP_##ID, hed_number_real(s), b);                         \
  }
#include <heddle/ops.def>

/* ---- three operands ---- */

hed_array *hed_where(const hed_array *condition, const hed_array *a, const hed_array *b)
{
  hed_array *out;
  if (condition && a && b && condition->view.dtype == HED_ID_BOOL && a->view.dtype == b->view.dtype && !condition->weak &&
      !a->weak && !b->weak && same_shape(&condition->view, &a->view) && same_shape(&a->view, &b->view) &&
      hed__make_host(HED_OP_WHERE, 3, (const hed_array *const[]){ condition, a, b },
                     hed__formula_type(HED_OP_WHERE, a->view.dtype), a->view.dtype, a, &out))
    return out;
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
  if (!hed__named(x, "clip", "x"))
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
