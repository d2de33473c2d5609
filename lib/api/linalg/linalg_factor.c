// SPDX-License-Identifier: BSD-3-Clause
/* Factorisations and solvers with kernels: lu, det, solve, solve_triangular, cholesky, qr, eigh, eigh_range, eig. L3.
 *
 * All have the same course: check, infer, broadcast the batches of the operands, make what is wanted, run. A kernel sees
 * operands with equal batch axes; a 1-D right-hand side has been given an axis of extent 1. Operations that this file
 * does in the name of another (inv by solve) say the other's name.
 */
#include "api/linalg/linalg_factor.h"

#include "api/call/check.h"
#include "api/call/infer.h"
#include "core/record/body.h"
#include <heddle/error.h>
#include <heddle/ops.h>
#include <stdio.h>
#include <string.h>

enum { MAX_OUT = 4 };

typedef struct factor {
  int op, kernel;               /* whose name messages say; whose kernel runs */
  int id;                       /* promoted type of the operands, floating */
  int n_in, n_out;
  const hed_array *in[2];
  bool vector;                  /* in[1] is 1-D: one column */
  hed_shape batch;
  hed_array **want[MAX_OUT], *out[MAX_OUT]; /* out: given (and kept) or made here */
  hed_shape tail[MAX_OUT];      /* axes of an output behind the batch */
  int out_id[MAX_OUT];
  const void *params;
  bool into;                    /* out[0] is the caller's */
} factor;

static const char *name_of(const factor *f) { return hed__op_rows[f->op].name; }

hed_status hed__check_matrix(int op, const hed_array *a, bool square)
{
  const char *name = hed__op_rows[op].name;
  hed_shape s = hed__shape_of(a);
  if (s.ndim < 2)
    return hed_fail(HED_E_SHAPE, "%s: a of shape %s has no rows and columns", name, HED__TEXT(&s));
  if (square && s.dim[s.ndim - 2] != s.dim[s.ndim - 1])
    return hed_fail(HED_E_SHAPE, "%s: a of shape %s: %lld rows and %lld columns, the matrix must be square", name,
                    HED__TEXT(&s), (long long)s.dim[s.ndim - 2], (long long)s.dim[s.ndim - 1]);
  return HED_OK;
}

/* Checks A, and B as a right-hand side when there is one; finds dtype and batch. */
static hed_status prepare(factor *f, bool square, const hed_array *a, const hed_array *b)
{
  static const char *const args[] = { "a", "b" };
  const char *name = name_of(f);
  if (!hed__given(a, name, "a") || (f->n_in > 1 && !hed__given(b, name, "b")))
    return hed_error();
  hed_status status = hed__check_matrix(f->op, a, square);
  if (status != HED_OK)
    return status;
  hed_shape sa = hed__shape_of(a);
  f->in[0] = a;
  f->in[1] = b;
  f->batch = sa;
  f->batch.ndim -= 2;
  if (f->n_in > 1) {
    hed_shape sb = hed__shape_of(b), bb = sb;
    if (sb.ndim == 0)
      return hed_fail(HED_E_SHAPE, "%s: b of shape %s has no rows", name, HED__TEXT(&sb));
    f->vector = sb.ndim == 1;
    int64_t rows = sb.dim[f->vector ? 0 : sb.ndim - 2];
    bb.ndim = f->vector ? 0 : sb.ndim - 2;
    if (rows != sa.dim[sa.ndim - 2])
      return hed_fail(HED_E_SHAPE, "%s: shapes %s of a and %s of b do not fit: %lld rows and %lld", name, HED__TEXT(&sa),
                      HED__TEXT(&sb), (long long)sa.dim[sa.ndim - 2], (long long)rows);
    if (!hed__broadcast(&f->batch, &bb, &f->batch))
      return hed_fail(HED_E_SHAPE, "%s: shapes %s of a and %s of b do not fit: the leading axes do not broadcast", name,
                      HED__TEXT(&sa), HED__TEXT(&sb));
    if (f->batch.ndim + 2 > HED_MAX_NDIM)
      return hed_fail(HED_E_SHAPE, "%s: shapes %s of a and %s of b need more than %d axes", name, HED__TEXT(&sa),
                      HED__TEXT(&sb), HED_MAX_NDIM);
  }
  f->id = hed__infer_operands(f->op, f->n_in, f->in, args);
  return f->id < 0 ? (hed_status)f->id : HED_OK;
}

static void add_column(hed_view *v)
{
  v->dim[v->ndim] = 1;
  v->stride[v->ndim++] = 0;
}

static hed_shape out_shape(const factor *f, int k)
{
  hed_shape s = f->batch;
  for (int j = 0; j < f->tail[k].ndim - (f->vector ? 1 : 0); j++)
    s.dim[s.ndim++] = f->tail[k].dim[j];
  return s;
}

/* Operand K with the batch broadcast. */
static bool operand_view(const factor *f, int k, const hed_array *x, hed_view *out)
{
  hed_view v = x->view;
  if (k == 1 && f->vector)
    add_column(&v);
  int64_t dim[HED_MAX_NDIM];
  for (int j = 0; j < f->batch.ndim; j++)
    dim[j] = f->batch.dim[j];
  dim[f->batch.ndim] = v.dim[v.ndim - 2];
  dim[f->batch.ndim + 1] = v.dim[v.ndim - 1];
  return hed__broadcast_view(&v, f->batch.ndim + 2, dim, out);
}

static hed_status make_results(factor *f, const hed__exec *ex)
{
  const char *name = name_of(f);
  for (int k = 0; k < f->n_out; k++) {
    if (!f->want[k])
      continue;
    hed_shape s = out_shape(f, k);
    int id = hed__infer_on(name, f->out_id[k], ex->device);
    hed_status status = id < 0 ? (hed_status)id : hed__check_shape(name, "a result's shape", &s, id);
    if (status != HED_OK)
      return status;
    if (!(f->out[k] = hed__array_new(ex->device, id, s.ndim, s.dim)))
      return hed_error();
  }
  return HED_OK;
}

static hed_status check_given(factor *f, const hed__exec *ex)
{
  static const char *const args[] = { "a", "b" };
  const char *name = name_of(f);
  hed_status status = hed__check_writable(name, ex, f->n_in);
  for (int k = 0; k < f->n_in && status == HED_OK; k++)
    status = hed__check_overlap(name, f->out[0], &f->out[0]->view, "out", ex->in[k], &ex->in[k]->view, args[k], false);
  return status;
}

static hed_status run(factor *f)
{
  const hed_array *operands[3] = { f->in[0], f->in[1], NULL };
  hed_status status;
  if (f->into) {
    hed_shape s = out_shape(f, 0);
    if ((status = hed__check_out(name_of(f), f->out[0], s.ndim, s.dim)) != HED_OK)
      return status;
    operands[f->n_in] = f->out[0];
  }
  hed__exec ex;
  if ((status = hed__plan(&ex, f->op, f->n_in + f->into, operands)) != HED_OK)
    return status;
  status = f->into ? check_given(f, &ex) : make_results(f, &ex);
  hed_view in[2], out[MAX_OUT];
  const hed_view *in_view[2] = { &in[0], &in[1] }, *out_view[MAX_OUT] = { NULL };
  bool work = false;
  for (int k = 0; k < f->n_in && status == HED_OK; k++)
    if (!operand_view(f, k, ex.in[k], &in[k]))
      status = hed_fail(HED_E_INTERNAL, "%s: operands do not broadcast", name_of(f));
  for (int k = 0; k < f->n_out && status == HED_OK; k++)
    if (f->out[k]) {
      out[k] = f->out[k]->view;
      if (f->vector)
        add_column(&out[k]);
      out_view[k] = &out[k];
      work |= hed__view_size(&out[k]) > 0;
    }
  if (status == HED_OK && work)
    status = hed__run(&ex, &(hed__launch){ .n_out = f->n_out, .n_in = f->n_in, .out = f->out, .in = ex.in,
                                           .out_view = out_view, .in_view = in_view, .params = f->params,
                                           .compute = hed__compute_of(f->id), .op = 1 + f->kernel });
  hed__exec_end(&ex);
  return status;
}

/* Runs and hands out; on failure nothing is. */
/* A kernel names its own operation: the sentence about a singular matrix shall name the one that was called. */
static void rename_error(const factor *f)
{
  char rest[300];
  const char *text = hed_error_text(), *own = hed__op_rows[f->kernel].name;
  const size_t n = strlen(own);
  if (strncmp(text, own, n) != 0 || text[n] != ':')
    return;
  snprintf(rest, sizeof rest, "%s", text + n);
  (void)hed_fail(HED_E_SINGULAR, "%s%s", name_of(f), rest);
}

static hed_status finish(factor *f)
{
  hed_status status = run(f);
  if (status == HED_E_SINGULAR && f->op != f->kernel)
    rename_error(f);
  for (int k = 0; k < f->n_out; k++) {
    if (status == HED_OK && f->want[k])
      *f->want[k] = f->out[k];
    else if (!f->into)
      hed_release(f->out[k]);
  }
  return status;
}

static void clear(hed_array **x)
{
  if (x)
    *x = NULL;
}

static int64_t extent(const hed_array *x, int from_end)
{
  return x->view.dim[x->view.ndim - from_end];
}

/* ---- lu ---- */

hed_status hed__lu_signed(int op, const hed_array *a, hed_array **perm, hed_array **l, hed_array **u, hed_array **sign)
{
  factor f = { .op = op, .kernel = HED_OP_LU, .n_in = 1, .n_out = sign ? 4 : 3, .want = { perm, l, u, sign } };
  for (int k = 0; k < f.n_out; k++)
    clear(f.want[k]);
  hed_status status = prepare(&f, sign != NULL, a, NULL);
  if (status != HED_OK)
    return status;
  int64_t m = extent(a, 2), n = extent(a, 1), k = m < n ? m : n;
  f.tail[0] = HED_SHAPE(m);
  f.tail[1] = HED_SHAPE(m, k);
  f.tail[2] = HED_SHAPE(k, n);
  f.out_id[0] = HED_ID_INT64;
  f.out_id[1] = f.out_id[2] = f.out_id[3] = f.id;
  return finish(&f);
}

hed_status HED_BODY(lu)(const hed_array *a, hed_array **perm, hed_array **l, hed_array **u)
{
  return hed__lu_signed(HED_OP_LU, a, perm, l, u, NULL);
}

/* ---- det ---- */

hed_array *HED_BODY(det)(const hed_array *a)
{
  hed_array *x = NULL;
  factor f = { .op = HED_OP_DET, .kernel = HED_OP_DET, .n_in = 1, .n_out = 1, .want = { &x } };
  if (prepare(&f, true, a, NULL) != HED_OK)
    return NULL;
  f.tail[0] = HED_SHAPE0;
  f.out_id[0] = f.id;
  return finish(&f) == HED_OK ? x : NULL;
}

/* ---- solve, solve_triangular ---- */

static hed_status solve(factor *f, hed_array *out, const hed_array *a, const hed_array *b)
{
  hed_status status = prepare(f, true, a, b);
  if (status != HED_OK)
    return status;
  f->tail[0] = HED_SHAPE(extent(a, 1), f->vector ? 1 : extent(b, 1));
  f->out_id[0] = f->id;
  f->out[0] = out;
  f->into = out != NULL;
  return finish(f);
}

hed_status hed__solve_as(int op, hed_array *out, const hed_array *a, const hed_array *b, hed_array **x)
{
  factor f = { .op = op, .kernel = HED_OP_SOLVE, .n_in = 2, .n_out = 1, .want = { x } };
  return solve(&f, out, a, b);
}

hed_array *HED_BODY(solve)(const hed_array *a, const hed_array *b)
{
  hed_array *x = NULL;
  return hed__solve_as(HED_OP_SOLVE, NULL, a, b, &x) == HED_OK ? x : NULL;
}

hed_status HED_BODY(solve_into)(hed_array *out, const hed_array *a, const hed_array *b)
{
  return hed__given(out, "solve", "out") ? hed__solve_as(HED_OP_SOLVE, out, a, b, NULL) : hed_error();
}

static hed_status triangular(hed_array *out, const hed_array *a, const hed_array *b, const hed_triangular *opt,
                             hed_array **x)
{
  static const hed_triangular defaults;
  if (!opt)
    opt = &defaults;
  hed_triangular_params p = { .upper = opt->upper, .unit = opt->unit_diagonal, .form = opt->form };
  factor f = { .op = HED_OP_SOLVE_TRIANGULAR, .kernel = HED_OP_SOLVE_TRIANGULAR, .n_in = 2, .n_out = 1, .want = { x },
               .params = &p };
  if (p.form < HED_AS_IS || p.form > HED_ADJOINT)
    return hed_fail(HED_E_INVAL, "solve_triangular: form is %d, HED_AS_IS (0) to HED_ADJOINT (2) are possible",
                    (int)p.form);
  return solve(&f, out, a, b);
}

hed_array *HED_BODY(solve_triangular)(const hed_array *a, const hed_array *b, const hed_triangular *opt)
{
  hed_array *x = NULL;
  return triangular(NULL, a, b, opt, &x) == HED_OK ? x : NULL;
}

hed_status HED_BODY(solve_triangular_into)(hed_array *out, const hed_array *a, const hed_array *b, const hed_triangular *opt)
{
  return hed__given(out, "solve_triangular", "out") ? triangular(out, a, b, opt, NULL) : hed_error();
}

/* ---- cholesky ---- */

static hed_status cholesky(hed_array *out, const hed_array *a, bool upper, hed_array **x)
{
  hed_cholesky_params p = { upper };
  factor f = { .op = HED_OP_CHOLESKY, .kernel = HED_OP_CHOLESKY, .n_in = 1, .n_out = 1, .want = { x }, .params = &p };
  hed_status status = prepare(&f, true, a, NULL);
  if (status != HED_OK)
    return status;
  f.tail[0] = HED_SHAPE(extent(a, 1), extent(a, 1));
  f.out_id[0] = f.id;
  f.out[0] = out;
  f.into = out != NULL;
  return finish(&f);
}

hed_array *HED_BODY(cholesky)(const hed_array *a, bool upper)
{
  hed_array *x = NULL;
  return cholesky(NULL, a, upper, &x) == HED_OK ? x : NULL;
}

hed_status HED_BODY(cholesky_into)(hed_array *out, const hed_array *a, bool upper)
{
  return hed__given(out, "cholesky", "out") ? cholesky(out, a, upper, NULL) : hed_error();
}

/* ---- qr ---- */

hed_status HED_BODY(qr)(const hed_array *a, hed_qr_mode mode, hed_array **q, hed_array **r)
{
  hed_qr_params p = { mode == HED_QR_COMPLETE };
  factor f = { .op = HED_OP_QR, .kernel = HED_OP_QR, .n_in = 1, .n_out = 2, .want = { q, r }, .params = &p };
  clear(q);
  clear(r);
  if (mode != HED_QR_REDUCED && mode != HED_QR_COMPLETE)
    return hed_fail(HED_E_INVAL, "qr: mode is %d, HED_QR_REDUCED (0) and HED_QR_COMPLETE (1) are possible", (int)mode);
  hed_status status = prepare(&f, false, a, NULL);
  if (status != HED_OK)
    return status;
  int64_t m = extent(a, 2), n = extent(a, 1), k = p.complete || m < n ? m : n;
  f.tail[0] = HED_SHAPE(m, k);
  f.tail[1] = HED_SHAPE(k, n);
  f.out_id[0] = f.out_id[1] = f.id;
  return finish(&f);
}

/* ---- eigh, eig ---- */

/* FIRST below 0 becomes what it stands for. */
static hed_status check_range(const hed_array *a, hed_eigh_params *p)
{
  const hed_shape s = hed__shape_of(a);
  const int64_t n = extent(a, 1), first = p->first;
  if (first < -n || first > n)
    return hed_fail(HED_E_INDEX, "eigh_range: first is %lld, a of shape %s has %lld eigenvalues", (long long)first, HED__TEXT(&s),
                    (long long)n);
  p->first += first < 0 ? n : 0;
  if (p->count < 0 || p->count > n - p->first)
    return hed_fail(HED_E_INVAL, "eigh_range: count is %lld, a of shape %s has %lld eigenvalues from number %lld on",
                    (long long)p->count, HED__TEXT(&s), (long long)(n - p->first), (long long)first);
  return HED_OK;
}

/* P: of Hermitian matrices; NULL: of others. */
static hed_status eigen(int op, int kernel, const hed_array *a, hed_eigh_params *p, hed_array **w, hed_array **v)
{
  factor f = { .op = op, .kernel = kernel, .n_in = 1, .n_out = 2, .want = { w, v }, .params = p };
  clear(w);
  clear(v);
  hed_status status = prepare(&f, true, a, NULL);
  if (status == HED_OK && kernel == HED_OP_EIGH_RANGE)
    status = check_range(a, p);
  else if (status == HED_OK && p)
    p->count = extent(a, 1);
  if (status != HED_OK)
    return status;
  const int64_t n = extent(a, 1), count = p ? p->count : n;
  f.tail[0] = HED_SHAPE(count);
  f.tail[1] = HED_SHAPE(n, count);
  f.out_id[0] = p ? hed__real_of(f.id) : hed__complex_of(f.id);
  f.out_id[1] = p ? f.id : hed__complex_of(f.id);
  return finish(&f);
}

hed_status HED_BODY(eigh)(const hed_array *a, bool upper, hed_array **w, hed_array **v)
{
  hed_eigh_params p = { .upper = upper };
  return eigen(HED_OP_EIGH, HED_OP_EIGH, a, &p, w, v);
}

hed_status HED_BODY(eigh_range)(const hed_array *a, int64_t first, int64_t count, bool upper, hed_array **w, hed_array **v)
{
  hed_eigh_params p = { .upper = upper, .first = first, .count = count };
  return eigen(HED_OP_EIGH_RANGE, HED_OP_EIGH_RANGE, a, &p, w, v);
}

hed_array *HED_BODY(eigvalsh)(const hed_array *a, bool upper)
{
  hed_eigh_params p = { .upper = upper };
  hed_array *w = NULL;
  return eigen(HED_OP_EIGVALSH, HED_OP_EIGH, a, &p, &w, NULL) == HED_OK ? w : NULL;
}

hed_status HED_BODY(eig)(const hed_array *a, hed_array **w, hed_array **v)
{
  return eigen(HED_OP_EIG, HED_OP_EIG, a, NULL, w, v);
}

hed_array *HED_BODY(eigvals)(const hed_array *a)
{
  hed_array *w = NULL;
  return eigen(HED_OP_EIGVALS, HED_OP_EIG, a, NULL, &w, NULL) == HED_OK ? w : NULL;
}
