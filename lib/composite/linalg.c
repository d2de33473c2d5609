// SPDX-License-Identifier: BSD-3-Clause
/* Linear algebra made of factorisations: inv, slogdet, lstsq, pinv, polar_unitary, matrix_rank, cond, orthogonal,
 * orthogonalize_nonsquare, complete_orthogonal_basis. L3.
 *
 * Everything between is computed in the type of the factorisation (float32 for the 16-bit floats) and converted once at
 * the end. Singular values of rank count when they are above rcond times the largest.
 */
#include "api/call/check.h"
#include "api/call/infer.h"
#include "api/linalg/linalg_factor.h"
#include "api/random/random.h"
#include "composite/composed.h"
#include "composite/lstsq.h"
#include "core/record/body.h"

#include <float.h>
#include <heddle/error.h>
#include <math.h>

/* ---- small steps; NULL in, NULL out ---- */

static const hed_axes last_axis = { 1, { -1 } }, last_two = { 2, { -2, -1 } };

static hed_array *adjoint(const hed_array *x) { return hed_conj(hed_moveaxis(x, -1, -2)); }

/* X as dtype ID. */
static hed_array *as(const hed_array *x, int id) { return hed_astype(x, hed__dtypes[id]); }

/* The first COUNT elements of the last axis. */
static hed_array *leading(const hed_array *x, int64_t count)
{
  if (!x)
    return NULL;
  hed_view v = x->view;
  if (count < v.dim[v.ndim - 1])
    v.dim[v.ndim - 1] = count;
  return hed__array_view(x, &v);
}

static int64_t extent(const hed_array *x, int from_end)
{
  return x->view.dim[x->view.ndim - from_end];
}

/* ---- inverse, logarithm of the determinant ---- */

static hed_status invert(hed_array *out, const hed_array *a, hed_array **x)
{
  static const char *const arg = "a";
  if (!hed__given(a, "inv", arg))
    return hed_error();
  hed_status status = hed__check_matrix(HED_OP_INV, a, true);
  if (status != HED_OK)
    return status;
  int id = hed__infer_operands(HED_OP_INV, 1, &a, &arg);
  if (id < 0)
    return (hed_status)id;
  hed__exec ex;
  hed__forced forced;
  if ((status = hed__plan(&ex, HED_OP_INV, 1, &a)) != HED_OK)
    return status;
  if ((status = hed__force_begin(&forced, &ex)) == HED_OK) {
    hed_array *one = hed_eye(extent(a, 1), extent(a, 1), 0, hed__dtypes[id]);
    status = one ? HED_OK : hed_error();
    hed__force_end(&forced);
    if (status == HED_OK)
      status = hed__solve_as(HED_OP_INV, out, a, one, x);
    hed_release(one);
  }
  hed__exec_end(&ex);
  return status;
}

hed_array *HED_BODY(inv)(const hed_array *a)
{
  hed_array *x = NULL;
  return invert(NULL, a, &x) == HED_OK ? x : NULL;
}

hed_status HED_BODY(inv_into)(hed_array *out, const hed_array *a)
{
  return hed__given(out, "inv", "out") ? invert(out, a, NULL) : hed_error();
}

hed_status HED_BODY(slogdet)(const hed_array *a, hed_array **sign, hed_array **logdet)
{
  static const char *const arg = "a";
  composed c;
  hed_array *u, *parity, *result[2] = { NULL, NULL }, **const want[2] = { sign, logdet };
  if (sign)
    *sign = NULL;
  if (logdet)
    *logdet = NULL;
  if (!hed__given(a, "slogdet", arg))
    return hed_error();
  hed_status status = hed__check_matrix(HED_OP_SLOGDET, a, true);
  if (status != HED_OK)
    return status;
  const int id = hed__infer_operands(HED_OP_SLOGDET, 1, &a, &arg);
  if (id < 0)
    return (hed_status)id;
  if ((status = composed_begin(&c, HED_OP_SLOGDET, 1, &a)) != HED_OK)
    return status;
  status = hed__lu_signed(HED_OP_SLOGDET, as(c.ex.in[0], hed__compute_of(id)), NULL, NULL, &u, &parity);
  hed_array *diagonal = status == HED_OK ? hed_diagonal(u, 0, -2, -1) : NULL;
  hed_reduce over = { .axes = last_axis };
  if (sign)
    result[0] = as(hed_multiply(hed_prod(hed_sign(diagonal), &over), parity), id);
  if (logdet)
    result[1] = as(hed_sum(hed_log(hed_abs(diagonal)), &over), hed__real_of(id));
  return composed_end_all(&c, 2, result, want);
}

/* ---- what singular values decide ---- */

typedef struct spectrum {
  composed c;
  int id, work;                  /* result's type, type of computation */
  int64_t m, n;
  double rcond;
  hed_array *a, *u, *s, *vh;
  hed_array *good;               /* singular values that count */
} spectrum;

/* Opens the composite. */
static hed_status begin(spectrum *p, int op, int n, const hed_array *const *in, double rcond)
{
  static const char *const args[] = { "a", "b" };
  const char *name = hed__op_rows[op].name;
  for (int k = 0; k < n; k++)
    if (!hed__given(in[k], name, args[k]))
      return hed_error();
  hed_status status = hed__check_matrix(op, in[0], false);
  if (status != HED_OK)
    return status;
  p->id = hed__infer_operands(op, n, in, args);
  if (p->id < 0)
    return (hed_status)p->id;
  if (hed__op_rows[op].result == HED__RESULT_INDEX && hed__id_kind(p->id) < HED_KIND_FLOAT)
    p->id = hed__real_id();
  p->work = hed__compute_of(p->id);
  p->m = extent(in[0], 2);
  p->n = extent(in[0], 1);
  p->u = p->s = p->vh = NULL;
  if ((status = composed_begin(&p->c, op, n, in)) != HED_OK)
    return status;
  p->a = as(p->c.ex.in[0], p->work);
  bool wide = p->work == HED_ID_FLOAT64 || p->work == HED_ID_COMPLEX128;
  p->rcond = rcond >= 0 ? rcond : (wide ? DBL_EPSILON : (double)FLT_EPSILON) * (double)(p->m > p->n ? p->m : p->n);
  return HED_OK;
}

/* Decomposes; VECTORS: u and vh too. After a failure the composite is closed. */
static hed_status split(spectrum *p, bool vectors)
{
  if (hed_svd(p->a, false, vectors ? &p->u : NULL, &p->s, vectors ? &p->vh : NULL) != HED_OK) {
    hed_status status = hed_error();
    (void)composed_end(&p->c, NULL);
    return status;
  }
  p->good = hed_greater(p->s, hed_multiply_scalar(leading(p->s, 1), p->rcond));
  return HED_OK;
}

static hed_status decompose(spectrum *p, int op, int n, const hed_array *const *in, double rcond, bool vectors)
{
  hed_status status = begin(p, op, n, in, rcond);
  return status == HED_OK ? split(p, vectors) : status;
}

/* v times the reciprocals of the singular values that count, times RIGHT. */
static hed_array *divide_by_spectrum(const spectrum *p, const hed_array *right)
{
  hed_array *inverse = hed_where(p->good, hed_reciprocal(p->s), hed_scalar(0));
  return hed_matmul(adjoint(p->vh), hed_multiply(hed_expand_dims(inverse, -1), right));
}

/* By the decomposition: x, ranks, and, where these are WANTED, the residuals if every rank is full and rows are more than
 * columns. */
static hed_status by_spectrum(spectrum *p, const hed_array *right, bool wanted, hed__least_squares *q, hed_array **ranks)
{
  hed_status status = split(p, true);
  if (status != HED_OK)
    return status;
  q->s = p->s;
  q->x = divide_by_spectrum(p, hed_matmul(adjoint(p->u), right));
  *ranks = hed_count_nonzero(p->good, &(hed_reduce){ .axes = last_axis });
  int64_t least = p->n;
  if (wanted && p->m > p->n && *ranks && q->x
      && (hed_array_size(*ranks) == 0 || hed_item_int(hed_min(*ranks, NULL), &least) == HED_OK) && least == p->n) {
    hed_array *rest = hed_subtract(right, hed_matmul(p->a, q->x));
    q->residuals = hed_sum(hed_square(hed_abs(rest)), &(hed_reduce){ .axes = { 1, { -2 } } });
  }
  return HED_OK;
}

/* The rank N for each matrix of a batch. */
static hed_array *full_ranks(const hed_array *a, int64_t n)
{
  hed_shape batch = hed__shape_of(a);
  batch.ndim -= 2;
  return hed_full(batch, (double)n, HED_INT64);
}

hed_status HED_BODY(lstsq)(const hed_array *a, const hed_array *b, double rcond, hed_array **x, hed_array **residuals,
                     hed_array **rank, hed_array **s)
{
  hed_array **const want[4] = { x, residuals, rank, s };
  hed_array *result[4] = { NULL, NULL, NULL, NULL };
  spectrum p;
  for (int k = 0; k < 4; k++)
    if (want[k])
      *want[k] = NULL;
  if (!hed__given(a, "lstsq", "a") || !hed__given(b, "lstsq", "b"))
    return hed_error();
  hed_status status = hed__check_matrix(HED_OP_LSTSQ, a, false);
  if (status != HED_OK)
    return status;
  hed_shape sa = hed__shape_of(a), sb = hed__shape_of(b), ba = sa, bb = sb;
  bool vector = sb.ndim == 1;
  int64_t rows = sb.ndim == 0 ? -1 : sb.dim[vector ? 0 : sb.ndim - 2];
  ba.ndim -= 2;
  bb.ndim = sb.ndim < 2 ? 0 : sb.ndim - 2;
  if (rows != extent(a, 2) || !hed__broadcast(&ba, &bb, &ba))
    return hed_fail(HED_E_SHAPE, "lstsq: shapes %s of a and %s of b do not fit: %s", HED__TEXT(&sa), HED__TEXT(&sb),
                    rows == extent(a, 2) ? "the leading axes do not broadcast" : "they differ in rows");
  if ((status = begin(&p, HED_OP_LSTSQ, 2, (const hed_array *const[]){ a, b }, rcond)) != HED_OK)
    return status;
  hed_array *right = as(p.c.ex.in[1], p.work), *ranks = NULL;
  if (vector)
    right = hed_expand_dims(right, -1);
  hed__least_squares q = { .a = p.a, .b = right, .rcond = p.rcond, .values = s != NULL };
  bool done = false;
  /* what a triangle is good for depends on numbers: a device would be waited for */
  if (!p.a || !right || (p.c.ex.device->host && hed__least_squares_by_triangle(&q, &done) != HED_OK)) {
    status = hed_error();
    (void)composed_end(&p.c, NULL);
    return status;
  }
  if (done)
    ranks = rank ? full_ranks(p.a, p.m < p.n ? p.m : p.n) : NULL;
  else if ((status = by_spectrum(&p, right, residuals != NULL, &q, &ranks)) != HED_OK)
    return status;
  const int real = hed__real_of(p.id);
  if (x)
    result[0] = as(vector ? hed_squeeze(q.x, &last_axis) : q.x, p.id);
  if (residuals && q.x && (ranks || done))
    result[1] = q.residuals ? as(q.residuals, real) : hed_zeros(HED_SHAPE(0), hed__dtypes[real]);
  result[2] = rank ? ranks : NULL;
  result[3] = s ? as(q.s, real) : NULL;
  return composed_end_all(&p.c, 4, result, want);
}

hed_array *HED_BODY(pinv)(const hed_array *a, double rcond)
{
  spectrum p;
  if (decompose(&p, HED_OP_PINV, 1, &a, rcond, true) != HED_OK)
    return NULL;
  return composed_end(&p.c, as(divide_by_spectrum(&p, adjoint(p.u)), p.id));
}

/* Few rows and as many columns go to a kernel, where the device or the host has one, other matrices by singular values. */
static hed_array *polar(composed *c, int id)
{
  const int work = hed__compute_of(id);
  hed_array *a = as(c->ex.in[0], work), *u = NULL, *vh = NULL;
  if (!a)
    return NULL;
  const int64_t m = extent(a, 2);
  if (m == extent(a, 1) && m > 0 && m <= HED_POLAR_MOST && hed_array_size(a) > 0
      && (c->ex.device->host || hed__native(&c->ex, HED_OP_POLAR_UNITARY, work))) {
    const hed_array *in = a;
    hed_array *out = hed__array_new(c->ex.device, work, a->view.ndim, a->view.dim);
    if (out && hed__run(&c->ex, &(hed__launch){ .n_out = 1, .n_in = 1, .out = &out, .in = &in, .compute = work }) == HED_OK)
      return as(out, id);
    return NULL;
  }
  return hed_svd(a, false, &u, NULL, &vh) == HED_OK ? as(hed_matmul(u, vh), id) : NULL;
}

hed_array *HED_BODY(polar_unitary)(const hed_array *a)
{
  static const char *const arg = "a";
  composed c;
  if (!hed__given(a, "polar_unitary", arg) || hed__check_matrix(HED_OP_POLAR_UNITARY, a, false) != HED_OK)
    return NULL;
  const int id = hed__infer_operands(HED_OP_POLAR_UNITARY, 1, &a, &arg);
  if (id < 0 || composed_begin(&c, HED_OP_POLAR_UNITARY, 1, &a) != HED_OK)
    return NULL;
  return composed_end(&c, polar(&c, id));
}

hed_array *HED_BODY(matrix_rank)(const hed_array *a, double rcond)
{
  spectrum p;
  if (decompose(&p, HED_OP_MATRIX_RANK, 1, &a, rcond, false) != HED_OK)
    return NULL;
  return composed_end(&p.c, hed_count_nonzero(p.good, &(hed_reduce){ .axes = last_axis }));
}

/* With an rcond for each matrix. */
static hed_status decompose_each(spectrum *p, int op, const hed_array *a, const hed_array *rcond, bool vectors)
{
  static const char *const arg = "rcond";
  const char *name = hed__op_rows[op].name;
  if (!hed__given(rcond, name, arg) || hed__check_domain(name, "bif", arg, rcond->view.dtype) != HED_OK)
    return hed_error();
  hed_status status = decompose(p, op, 1, &a, 0, vectors);
  if (status != HED_OK)
    return status;
  hed_array *limit = hed_multiply(leading(p->s, 1), hed_expand_dims(as(rcond, hed__real_of(p->work)), -1));
  p->good = limit ? hed_greater(p->s, limit) : NULL;
  if (p->good)
    return HED_OK;
  status = hed_error();
  (void)composed_end(&p->c, NULL);
  return status;
}

hed_array *HED_BODY(pinv_each)(const hed_array *a, const hed_array *rcond)
{
  spectrum p;
  if (decompose_each(&p, HED_OP_PINV, a, rcond, true) != HED_OK)
    return NULL;
  return composed_end(&p.c, as(divide_by_spectrum(&p, adjoint(p.u)), p.id));
}

hed_array *hed_matrix_rank_each(const hed_array *a, const hed_array *rcond)
{
  spectrum p;
  if (decompose_each(&p, HED_OP_MATRIX_RANK, a, rcond, false) != HED_OK)
    return NULL;
  return composed_end(&p.c, hed_count_nonzero(p.good, &(hed_reduce){ .axes = last_axis }));
}

/* ---- condition number ---- */

/* Operator norms: largest column sum, largest row sum; Frobenius. */
static hed_array *norm_of(const hed_array *x, hed_cond_norm norm)
{
  hed_array *size = hed_abs(x);
  if (norm == HED_COND_FROBENIUS)
    return hed_sqrt(hed_sum(hed_square(size), &(hed_reduce){ .axes = last_two }));
  return hed_max(hed_sum(size, &(hed_reduce){ .axes = { 1, { norm == HED_COND_1 ? -2 : -1 } } }),
                 &(hed_reduce){ .axes = last_axis });
}

static hed_array *cond_by_inverse(const hed_array *a, int work, hed_cond_norm norm)
{
  hed_array *x = as(a, work), *u, *sign;
  if (hed__lu_signed(HED_OP_COND, x, NULL, NULL, &u, &sign) != HED_OK)
    return NULL;
  /* singular ones of a batch must not stop the others: the unit matrix in their place, infinity in the result */
  hed_array *bad = hed_any(hed_logical_not(hed_diagonal(u, 0, -2, -1)), &(hed_reduce){ .axes = last_axis });
  hed_array *wide = hed_expand_dims(hed_expand_dims(bad, -1), -1);
  hed_array *safe = hed_where(wide, hed_eye(extent(a, 1), extent(a, 1), 0, hed__dtypes[work]), x);
  hed_array *value = hed_multiply(norm_of(x, norm), norm_of(hed_inv(safe), norm));
  return hed_where(bad, hed_scalar(INFINITY), value);
}

hed_array *HED_BODY(cond)(const hed_array *a, hed_cond_norm norm)
{
  static const char *const arg = "a";
  spectrum p;
  if (!hed__given(a, "cond", arg) || hed__check_matrix(HED_OP_COND, a, norm != HED_COND_2) != HED_OK)
    return NULL;
  if (norm < HED_COND_2 || norm > HED_COND_FROBENIUS) {
    hed_fail(HED_E_INVAL, "cond: norm is %d, HED_COND_2 (0) to HED_COND_FROBENIUS (3) are possible", (int)norm);
    return NULL;
  }
  if (extent(a, 1) == 0 || extent(a, 2) == 0) {
    hed_shape s = hed__shape_of(a);
    hed_fail(HED_E_SHAPE, "cond: a of shape %s has no elements", HED__TEXT(&s));
    return NULL;
  }
  if (norm != HED_COND_2) {
    int id = hed__infer_operands(HED_OP_COND, 1, &a, &arg);
    composed c;
    if (id < 0 || composed_begin(&c, HED_OP_COND, 1, &a) != HED_OK)
      return NULL;
    return composed_end(&c, as(cond_by_inverse(c.ex.in[0], hed__compute_of(id), norm), hed__real_of(id)));
  }
  if (decompose(&p, HED_OP_COND, 1, &a, 0, false) != HED_OK)
    return NULL;
  hed_array *ratio = hed_divide(hed_index(p.s, -1, 0), hed_index(p.s, -1, -1));
  hed_array *result = hed_where(hed_isnan(ratio), hed_scalar(INFINITY), ratio); /* 0 / 0: a matrix of zeros */
  return composed_end(&p.c, as(result, hed__real_of(p.id)));
}

/* ---- orthonormal bases ---- */

static hed_array *basis(int op, const hed_array *a, hed_qr_mode mode)
{
  static const char *const arg = "a";
  const char *name = hed__op_rows[op].name;
  if (!hed__given(a, name, arg) || hed__check_matrix(op, a, false) != HED_OK)
    return NULL;
  int id = hed__infer_operands(op, 1, &a, &arg);
  if (id < 0)
    return NULL;
  if (extent(a, 2) < extent(a, 1)) {
    hed_shape s = hed__shape_of(a);
    hed_fail(HED_E_SHAPE, "%s: a of shape %s has %lld rows and %lld columns; rows may not be fewer", name, HED__TEXT(&s),
             (long long)extent(a, 2), (long long)extent(a, 1));
    return NULL;
  }
  hed_array *q = NULL;
  return hed_qr(a, mode, &q, NULL) == HED_OK ? q : NULL;
}

hed_array *HED_BODY(orthogonalize_nonsquare)(const hed_array *a)
{
  return basis(HED_OP_ORTHOGONALIZE_NONSQUARE, a, HED_QR_REDUCED);
}

hed_array *HED_BODY(complete_orthogonal_basis)(const hed_array *a)
{
  return basis(HED_OP_COMPLETE_ORTHOGONAL_BASIS, a, HED_QR_COMPLETE);
}

hed_array *HED_BODY(orthogonal)(hed_shape shape, double gain, hed_dtype t, const hed_random *opt)
{
  const char *name = "orthogonal";
  if (!t) {
    hed_fail(HED_E_INVAL, "%s: dtype is NULL", name);
    return NULL;
  }
  composed c;
  hed__random_mark mark = { .moves = false };
  if (composed_begin(&c, HED_OP_ORTHOGONAL, 0, NULL) != HED_OK)
    return NULL;
  hed_array *out = NULL;
  int id = hed__dtype_concrete(t, c.ex.device, name);
  if (id < 0 || hed__check_domain(name, hed__op_rows[HED_OP_ORTHOGONAL].domain, "dtype", id) != HED_OK ||
      hed__check_shape(name, "shape", &shape, id) != HED_OK)
    goto end;
  if (shape.ndim < 2) {
    hed_fail(HED_E_SHAPE, "%s: shape %s has no rows and columns", name, HED__TEXT(&shape));
    goto end;
  }
  int64_t rows = shape.dim[0], columns = 1;
  for (int k = 1; k < shape.ndim; k++)
    columns *= shape.dim[k];
  bool wide = rows < columns;
  hed_random standard = opt ? *opt : (hed_random){ 0 };
  standard.mean = 0;
  standard.std = 1;
  hed_array *q = NULL;
  mark = hed__random_mark_of(opt);
  hed_array *normal = hed_random_normal(wide ? HED_SHAPE(columns, rows) : HED_SHAPE(rows, columns),
                                        hed__dtypes[hed__compute_of(id)], &standard);
  if (hed_qr(normal, HED_QR_REDUCED, &q, NULL) != HED_OK)
    goto end;
  out = as(hed_reshape(hed_multiply_scalar(wide ? hed_moveaxis(q, 0, 1) : q, gain), shape), id);
end:
  out = composed_end(&c, out);
  if (!out)
    hed__random_undo(&mark);
  return out;
}
