// SPDX-License-Identifier: BSD-3-Clause
/* PARAFAC2 by alternating least squares.
 *
 * Layer: L4, tensor kit.
 *
 * Slices lie in one array (I, largest J, K) with zeros behind their rows, so that a sweep is a few products of batches. Projections
 * P_i are isometries that make tr(P_i^H Z_i) no smaller than it was, Z_i = X_i C diag(a_i) B^H, and mostly the largest; rows behind a
 * slice are zero. A slice of fewer rows than R has as many more that are not known. As P_i^H P_i is 1, |X_i - P_i M_i|^2 is
 * |P_i^H X_i - M_i|^2 plus what does not depend on the model M.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/cp/parafac2.h"
#include "kits/tensor/solve/solve.h"
#include "kits/tensor/sweeps.h"
#include <math.h>
#include <stdlib.h>

enum { INNER = 5, SWEEPS = 5, LINE_FROM = 6, FAILURES = 4 }; /* passes of coordinate descent; sweeps of CP; of the line search */

typedef struct job {
  const char *op;
  int32_t n;
  const hed_array *const *slices;
  int64_t rank, rows, columns;
  hed_array *x, *known;      /* (I, J, K); what is known of it as bool, or NULL */
  int64_t n_known;           /* elements */
  double squares;            /* of what is known */
  int exponent;              /* x is the data over 2^exponent */
  hed_array *a, *b, *c, *p;  /* the unknowns, P (I, J, R); kept like X */
  const hed_parafac2_options *opt;
  hed_generator random;
  hed_array *before[3];      /* A, B, C of the sweep before, kept */
  int failures, power;       /* of the line search */
} job;

static int64_t rows_of(const job *j, int i) { return hed_array_shape(j->slices[i]).dim[0]; }

static hed_array *adjoint(const hed_array *x) { return hed__tensor_conj(hed_matrix_transpose(x)); }

static void take(hed_array **slot, hed_array *x)
{
  hed_release(*slot);
  *slot = hed_keep(x);
}

/* Slice I of what is given, with zeros for what is not known, into X; its mask into KNOWN. */
static hed_status put_slice(job *j, int32_t i, const hed_array *given)
{
  char name[40];
  hed_array *x = hed__tensor_operand(j->op, "a slice", given), *known = NULL;
  const hed_shape s = hed_array_shape(given);
  const hed_key at[] = { HED_AT(i), HED_SLICE(0, s.dim[0], 1), HED_WHOLE };
  if (!x)
    return hed_error();
  if (j->opt->masks && j->opt->masks[i]) {
    int64_t some = 0;
    snprintf(name, sizeof name, "slice %d", (int)i);
    if (!(known = hed__tensor_mask(j->op, name, given, j->opt->masks[i], &some)))
      return hed_error();
  }
  if (j->opt->missing_nan) {
    hed_array *number = hed_logical_not(hed_isnan(x));
    if (!(known = known ? hed_logical_and(known, number) : number))
      return hed_error();
  }
  int64_t some = 0;
  hed_array *count = known ? hed_count_nonzero(known, NULL) : NULL;
  if (known && (!count || hed_item_int(count, &some) != HED_OK))
    return hed_error();
  j->n_known += known ? some : hed_array_size(x);
  if (known) {
    x = hed_where_scalar(known, x, 0);
    if (hed_set(j->known, 3, at, known) != HED_OK)
      return hed_error();
  }
  if (s.dim[0] < j->rank && HED_SET(j->known, hed_scalar(0), HED_AT(i), HED_SLICE(s.dim[0], j->rank, 1)) != HED_OK)
    return hed_error();
  int e = 0;
  snprintf(name, sizeof name, "slice %d", (int)i);
  const hed_status status = x ? hed__tensor_exponent(j->op, name, x, &e) : hed_error();
  return status == HED_OK ? hed_set(j->x, 3, at, x) : status;
}

static hed_status gather(job *j, const hed_array *const *slices)
{
  char text[160];
  hed_status status = HED_OK;
  bool gaps = j->opt->masks || j->opt->missing_nan;
  j->rows = j->rank;
  for (int i = 0; i < j->n; i++) {
    const hed_shape s = hed_array_shape(slices[i]);
    if (!slices[i])
      return hed__tensor_missing(j->op, "slice %d", i);
    if (s.ndim != 2 || s.dim[0] < 1 || s.dim[1] < 1)
      return hed_fail(HED_E_SHAPE, "%s: slice %d has shape %s", j->op, i, hed__shape_words(s, text));
    if (s.dim[1] != hed_array_shape(slices[0]).dim[1])
      return hed_fail(HED_E_SHAPE, "%s: slice %d has %lld columns, slice 0 %lld", j->op, i, (long long)s.dim[1],
                      (long long)hed_array_shape(slices[0]).dim[1]);
    j->rows = s.dim[0] > j->rows ? s.dim[0] : j->rows;
    gaps |= s.dim[0] < j->rank;
    j->columns = s.dim[1];
  }
  HED_SCOPE_OR(return hed_error()) {
    const hed_shape s = HED_SHAPE(j->n, j->rows, j->columns);
    const hed_dtype type = hed_result_type(j->n, slices, 0, NULL);
    hed_array *one = type ? hed_zeros(HED_SHAPE(1), type) : NULL, *like = one ? hed__tensor_operand(j->op, "a slice", one) : NULL;
    if (!like)
      return hed_error();
    j->x = hed_keep(hed_zeros(s, hed_array_dtype(like)));
    j->known = gaps ? hed_keep(hed_ones(s, HED_BOOL)) : NULL;
    status = j->x && (j->known || !gaps) ? HED_OK : hed_error();
  }
  for (int i = 0; status == HED_OK && i < j->n; i++)
    HED_SCOPE_OR(return hed_error())
      status = put_slice(j, i, slices[i]);
  if (status == HED_OK && j->n_known == 0)
    status = hed_fail(HED_E_INVAL, "%s: the masks leave no entry of %d slices", j->op, (int)j->n);
  if (status == HED_OK)
    status = hed__tensor_exponent(j->op, "the slices", j->x, &j->exponent);
  if (status == HED_OK)
    status = hed__tensor_rescale(&j->x, -j->exponent);
  return status == HED_OK ? hed__tensor_squares(j->op, "the slices", j->x, &j->squares) : status;
}

static hed_array *drawn(job *j, int64_t rows, hed_dtype t)
{
  const hed_random r = { .generator = &j->random };
  return hed_dtype_kind(t) == HED_KIND_COMPLEX ? hed_random_complex_normal(HED_SHAPE(rows, j->rank), t, &r)
                                               : hed_random_uniform(HED_SHAPE(rows, j->rank), t, &r);
}

/* A, B, C, P; the columns of C beyond the number of columns of the slices are random. */
static hed_status start(job *j, bool random)
{
  const hed_dtype t = hed_array_dtype(j->x);
  const int64_t r = j->rank, k = j->columns;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *c = drawn(j, k, t), *a = NULL, *b = NULL;
    if (random) {
      a = hed_add_scalar(drawn(j, j->n, t), 0.1);
      b = drawn(j, r, t);
    } else {
      hed_array *flat = hed_reshape(j->x, HED_SHAPE(j->n * j->rows, k));
      const int64_t n = k < r ? k : r;
      hed_array *v = hed__tensor_leading(hed_matmul(adjoint(flat), flat), n);
      if (j->opt->nonnegative_c)
        v = hed_abs(v);
      const hed_array *both[] = { v, HED_GET(c, HED_WHOLE, HED_SLICE(n, r, 1)) };
      c = hed_concatenate(2, both, 1);
      a = hed_ones(HED_SHAPE(j->n, r), t);
      b = hed_eye(r, r, 0, t);
    }
    take(&j->a, a);
    take(&j->b, b);
    take(&j->c, c);
    take(&j->p, hed_broadcast_to(hed_eye(j->rows, r, 0, t), HED_SHAPE(j->n, j->rows, r)));
  }
  return j->a && j->b && j->c && j->p ? HED_OK : hed_error();
}

/* M (I, R, K), before the projections. */
static hed_array *model(const job *j)
{
  return hed_matmul(hed_multiply(hed_expand_dims(j->a, 1), hed_expand_dims(j->b, 0)), adjoint(j->c));
}

/* Z of the head of the file, (I, J, R). */
static hed_array *targets(const job *j)
{
  hed_array *xc = hed_matmul(j->x, j->c);
  return hed_matmul(hed_multiply(xc, hed_expand_dims(hed__tensor_conj(j->a), 1)), adjoint(j->b));
}

/* The polar factors of Z + d P, P the isometries before and d just above rounding: where Z has a low rank P stays, and as no isometry
 * is nearer to P than P, tr(P^H Z) does not fall. Eigenvalues of a Gram matrix say nothing of singular values below the root of the
 * precision, but the lengths of columns in the basis of its vectors do; these columns are then made orthogonal to the last bit. */
static hed_array *polar(const hed_array *z, const hed_array *before)
{
  const hed_reduce columns = { .axes = HED_AXES(1), .keepdims = true }, both = { .axes = HED_AXES(1, 2), .keepdims = true };
  const double floor = 16 * (double)hed_array_shape(z).dim[2] * hed__tensor_epsilon(hed_array_dtype(z));
  hed_array *w = NULL, *v = NULL, *u = NULL, *size = z ? hed_vector_norm(z, 2, &both) : NULL;
  hed_array *d = hed_where_scalar(hed_greater_scalar(size, 0), hed_multiply_scalar(size, 4 * floor), 1);
  z = hed_add(z, hed_multiply(before, d));
  if (!z || hed_eigh(hed_matmul(adjoint(z), z), false, &w, &v) != HED_OK)
    return NULL;
  hed_array *turned = hed_matmul(z, v);
  size = hed_vector_norm(turned, 2, &columns);
  hed_array *unit = hed_divide(turned, size);
  if (!unit || hed_eigh(hed_matmul(adjoint(unit), unit), false, &w, &u) != HED_OK)
    return NULL;
  hed_array *root = hed_matmul(hed_divide(u, hed_expand_dims(hed_sqrt(w), 1)), adjoint(u));
  return hed_matmul(unit, hed_matmul(root, adjoint(v)));
}

/* One factor from M (n, R) and G (R, R): F with F conj(G) = M, or the nearest without negative entries, from F on. */
static hed_array *update(const hed_array *g, const hed_array *m, const hed_array *f, bool nonnegative)
{
  if (!m || nonnegative)
    return m ? hed__hals(f, m, g, INNER, 0, 0) : NULL;
  return hed__solve_gram(g, m, hed__tensor_epsilon(hed_array_dtype(m)));
}

/* One sweep of CP over Y (I, R, K) = sum over r of a_ir b_sr conj(c_kr). */
static hed_status cp_sweep(job *j, const hed_array *y)
{
  const int64_t r = j->rank;
  hed_array *yc = hed_matmul(y, j->c);                                                             /* (I, R, r) */
  hed_array *gc = hed_matmul(adjoint(j->c), j->c);                                                /* sum conj(c_r) c_s */
  hed_array *ga, *gb = hed_matmul(adjoint(j->b), j->b);
  hed_array *ma = hed_sum(hed_multiply(yc, hed__tensor_conj(j->b)), &(hed_reduce){ .axes = HED_AXES(1) });
  take(&j->a, update(hed_multiply(gb, hed__tensor_conj(gc)), ma, j->a, j->opt->nonnegative_a));
  ga = hed_matmul(adjoint(j->a), j->a);
  hed_array *mb = hed_sum(hed_multiply(yc, hed_expand_dims(hed__tensor_conj(j->a), 1)), &(hed_reduce){ .axes = HED_AXES(0) });
  take(&j->b, update(hed_multiply(ga, hed__tensor_conj(gc)), mb, j->b, false));
  gb = hed_matmul(adjoint(j->b), j->b);
  /* conj(y) (K, I R) times the rows a_i b_s */
  hed_array *ab = hed_reshape(hed_multiply(hed_expand_dims(j->a, 1), hed_expand_dims(j->b, 0)), HED_SHAPE(j->n * r, r));
  hed_array *mc = hed_matmul(adjoint(hed_reshape(y, HED_SHAPE(j->n * r, j->columns))), ab);
  take(&j->c, update(hed__tensor_conj(hed_multiply(ga, gb)), mc, j->c, j->opt->nonnegative_c));
  return j->a && j->b && j->c ? HED_OK : hed_error();
}

/* X where it is known, else the model. */
static hed_status fill(job *j)
{
  if (!j->known)
    return HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *fit = hed_matmul(j->p, model(j)), *all = hed_where(j->known, j->x, fit);
    if (!all)
      return hed_error();
    take(&j->x, all);
  }
  return HED_OK;
}

/* |x - P M| / |x| over what is known, P and M as they are now. */
static hed_status error_of(const job *j, double *error)
{
  double squares = 0;
  hed_array *miss = hed_subtract(j->x, hed_matmul(j->p, model(j)));
  if (j->known)
    miss = hed_multiply(miss, j->known);
  const hed_status status = miss ? hed__tensor_squares(j->op, "the difference", miss, &squares) : hed_error();
  *error = j->squares > 0 ? sqrt(squares / j->squares) : 0;
  return status;
}

static void forget(job *j)
{
  for (int k = 0; k < 3; k++) {
    hed_release(j->before[k]);
    j->before[k] = NULL;
  }
}

static void remember(job *j)
{
  forget(j);
  j->before[0] = hed_retain(j->a);
  j->before[1] = hed_retain(j->b);
  j->before[2] = hed_retain(j->c);
}

/* Factors moved on along their last change, with the projections that are best for them, where that lowers *ERROR. */
static hed_status step_beyond(job *j, int64_t number, double *error)
{
  const double length = pow((double)number, 1.0 / (2 + j->power)) - 1;
  hed_array **const slot[] = { &j->a, &j->b, &j->c };
  hed_array *old[4] = { hed_retain(j->a), hed_retain(j->b), hed_retain(j->c), hed_retain(j->p) };
  const bool positive[] = { j->opt->nonnegative_a, false, j->opt->nonnegative_c };
  double reached = INFINITY;
  hed_status status = HED_OK;
  HED_SCOPE_OR(status = hed_error()) {
    for (int k = 0; k < 3 && status == HED_OK; k++) {
      hed_array *change = hed_subtract(old[k], j->before[k]);
      hed_array *next = change ? hed_add(old[k], hed_multiply_scalar(change, length)) : NULL;
      take(slot[k], next && positive[k] ? hed_maximum_scalar(next, 0) : next);
      status = *slot[k] ? HED_OK : hed_error();
    }
    if (status == HED_OK)
      take(&j->p, polar(targets(j), j->p));
    if (status == HED_OK)
      status = j->p ? error_of(j, &reached) : hed_error();
  }
  const bool taken = status == HED_OK && reached < *error;
  for (int k = 0; k < 4; k++) {
    hed_array **s = k < 3 ? slot[k] : &j->p, *drop = taken ? old[k] : *s;
    *s = taken ? *s : old[k];
    hed_release(drop);
  }
  j->failures = taken ? 0 : j->failures + 1;
  if (j->failures == FAILURES) {
    j->power++;
    j->failures = 0;
  }
  if (taken)
    *error = reached;
  return status;
}

static hed_status sweep(job *j, int64_t number, double *error)
{
  const int inner = j->opt->inner > 0 ? j->opt->inner : SWEEPS;
  hed_status status = fill(j);
  if (status != HED_OK)
    return status;
  if (!j->opt->no_line_search)
    remember(j);
  HED_SCOPE_OR(return hed_error()) {
    take(&j->p, polar(targets(j), j->p));
    hed_array *y = j->p ? hed_matmul(adjoint(j->p), j->x) : NULL;
    status = y ? HED_OK : hed_error();
    for (int k = 0; k < inner && status == HED_OK; k++)
      HED_SCOPE_OR(return hed_error())
        status = cp_sweep(j, y);
    if (status == HED_OK)
      status = error_of(j, error);
  }
  if (status == HED_OK && !j->opt->no_line_search && number >= LINE_FROM)
    status = step_beyond(j, number, error);
  return status;
}

/* The projections of a result, the best ones for its factors: exactly orthonormal columns, slice by slice; and its error. */
static hed_status settle(job *j, double *error)
{
  hed_status status = fill(j);
  HED_SCOPE_OR(status = hed_error()) {
    hed_array *z = status == HED_OK ? targets(j) : NULL, *all = z ? hed_zeros_like(z) : NULL;
    for (int i = 0; all && i < j->n && status == HED_OK; i++) {
      const int64_t known = rows_of(j, i), rows = known > j->rank ? known : j->rank;
      hed_array *one = hed_procrustes(HED_GET(z, HED_AT(i), HED_SLICE(0, rows, 1)));
      status = one ? HED_SET(all, one, HED_AT(i), HED_SLICE(0, rows, 1)) : hed_error();
    }
    take(&j->p, status == HED_OK ? all : NULL);
    if (status == HED_OK)
      status = j->p ? error_of(j, error) : hed_error();
  }
  return status;
}

static hed_status hand_out(job *j, hed_parafac2 *out)
{
  hed_parafac2 p = { .rank = j->rank, .projection = calloc((size_t)j->n, sizeof *p.projection) };
  hed_status status = p.projection ? HED_OK : hed_fail(HED_E_NOMEM, "%s: no memory for %d projections", j->op, (int)j->n);
  HED_SCOPE
    for (; status == HED_OK && p.n_slices < j->n; p.n_slices++) {
      p.projection[p.n_slices] = hed_keep(hed_copy(HED_GET(j->p, HED_AT(p.n_slices), HED_SLICE(0, rows_of(j, p.n_slices), 1))));
      status = p.projection[p.n_slices] ? HED_OK : hed_error();
    }
  p.a = j->a;
  p.b = j->b;
  p.c = j->c;
  j->a = j->b = j->c = NULL;
  if (status == HED_OK && j->opt->normalise)
    status = hed_parafac2_normalise(&p);
  if (status == HED_OK)
    status = hed__tensor_rescale(j->opt->normalise ? &p.weights : &p.c, j->exponent);
  if (status != HED_OK)
    hed_parafac2_clear(&p);
  *out = p;
  return status;
}

static hed_status iterate(job *j, hed__run *run, bool random)
{
  hed_status status = start(j, random);
  double error = 0;
  j->failures = j->power = 0;
  while (status == HED_OK && hed__run_goes_on(run)) {
    status = sweep(j, run->fit.n_sweeps + 1, &error);
    if (status == HED_OK)
      status = hed__run_swept(run, error);
  }
  return status == HED_OK && run->fit.n_sweeps > 0 ? settle(j, &run->fit.error) : status;
}

static void drop(hed_array *x[4])
{
  for (int k = 0; k < 4; k++)
    hed_release(x[k]);
}

/* The unknowns of J and those in X. */
static void exchange(job *j, hed_array *x[4])
{
  hed_array **const slot[] = { &j->a, &j->b, &j->c, &j->p };
  for (int k = 0; k < 4; k++) {
    hed_array *const mine = *slot[k];
    *slot[k] = x[k];
    x[k] = mine;
  }
}

/* Further random starts; the best of all stays in J and RUN. */
static hed_status try_again(job *j, hed__run *run)
{
  hed_status status = HED_OK;
  for (int64_t again = 1; status == HED_OK && again < j->opt->restarts && !hed__run_cancelled(run); again++) {
    hed_array *other[4] = { NULL };
    hed_fit old;
    exchange(j, other);
    hed__run_restart(run, &old);
    status = iterate(j, run, true);
    if (run->fit.n_sweeps == 0 || old.error <= run->fit.error) {
      const hed_stop stopped = run->fit.stopped;
      exchange(j, other);
      hed_fit_clear(&run->fit);
      run->fit = old;
      if (stopped == HED_STOP_CANCELLED)
        run->fit.stopped = stopped;
    } else {
      hed_fit_clear(&old);
    }
    drop(other);
  }
  return status;
}

static hed_status check(const job *j, const hed_array *const *slices)
{
  if (j->n < 1 || !slices)
    return hed_fail(HED_E_INVAL, "%s: %d slices%s", j->op, (int)j->n, slices ? "" : ", and slices is NULL");
  if (j->rank < 1 || j->opt->restarts < 0 || j->opt->inner < 0)
    return hed_fail(HED_E_INVAL, "%s: rank %lld, restarts %lld, inner %d; a rank of 1 or more is expected, and 0 or more", j->op,
                    (long long)j->rank, (long long)j->opt->restarts, (int)j->opt->inner);
  return HED_OK;
}

hed_status hed_parafac2_als(int32_t n, const hed_array *const *slices, int64_t rank, const hed_parafac2_options *opt,
                            hed_parafac2 *out,
                            hed_fit *fit)
{
  static const hed_parafac2_options defaults;
  job j = { .op = "hed_parafac2_als", .n = n, .slices = slices, .rank = rank, .opt = opt ? opt : &defaults };
  hed__run run;
  if (fit)
    *fit = (hed_fit){ 0 };
  if (!out)
    return hed_fail(HED_E_INVAL, "%s: out is NULL", j.op);
  *out = (hed_parafac2){ 0 };
  hed_status status = hed__run_begin(&run, j.op, &j.opt->sweeps, 200, 1e-8);
  if (status == HED_OK)
    status = check(&j, slices);
  if (status == HED_OK)
    status = gather(&j, slices);
  if (status == HED_OK && (j.opt->nonnegative_a || j.opt->nonnegative_c) && hed_dtype_kind(hed_array_dtype(j.x)) == HED_KIND_COMPLEX)
    status = hed_fail(HED_E_DTYPE, "%s: the slices are complex; factors without negative entries need real ones", j.op);
  if (status == HED_OK)
    status = hed_check_random_state(&j.opt->random, &j.random);
  if (status == HED_OK)
    status = iterate(&j, &run, j.opt->random_start);
  if (status == HED_OK)
    status = try_again(&j, &run);
  status = hed__run_end(&run, status, fit);
  if (status == HED_OK)
    status = hand_out(&j, out);
  if (status != HED_OK && fit)
    hed_fit_clear(fit);
  hed_release(j.x);
  hed_release(j.known);
  forget(&j);
  drop((hed_array *[]){ j.a, j.b, j.c, j.p });
  return status;
}
