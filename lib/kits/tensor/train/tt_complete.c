// SPDX-License-Identifier: BSD-3-Clause
/* A train near the known elements of a tensor.
 *
 * Layer: L4, tensor kit. The known elements are a list: with the product of all cores before core k as a row per element, and that of
 * all cores after it, the elements are linear in core k, slice by slice.
 */
#include "kits/tensor/common.h"
#include "kits/tensor/sweeps.h"
#include "kits/tensor/train/train.h"
#include <heddle/kits/tensor_train_fit.h>
#include <math.h>
#include <stdlib.h>

typedef struct known {
  int64_t n;
  hed_array *y;                     /* (n)                                                            */
  hed_array *place[HED_MAX_NDIM];   /* (n) int64: index along axis k                                  */
  hed_array *order[HED_MAX_NDIM];   /* (n) int64: elements by ascending index along axis k             */
  int64_t *count[HED_MAX_NDIM];     /* how many elements have each index                               */
  double norm;
  int exponent;                     /* y is the data over 2^exponent, and so is the last core          */
} known;

static void known_clear(known *q)
{
  hed_release(q->y);
  for (int k = 0; k < HED_MAX_NDIM; k++) {
    hed_release(q->place[k]);
    hed_release(q->order[k]);
    free(q->count[k]);
  }
}

/* Where X is known, as bool, in the caller's scope. */
static hed_array *known_mask(const char *op, const hed_array *x, const hed_array *mask)
{
  return mask ? hed__tensor_mask(op, "x", x, mask, NULL) : hed_logical_not(hed_isnan(x));
}

/* The list, whose arrays are kept. */
static hed_status find_known(const char *op, const hed_array *x, const hed_array *mask, known *q)
{
  const hed_shape s = hed_array_shape(x);
  hed_array *where = hed_nonzero(mask);
  double squares;
  if (!where)
    return hed_error();
  q->n = hed_array_shape(where).dim[0];
  if (q->n == 0)
    return hed_fail(HED_E_INVAL, "%s: no element of x is known", op);
  q->y = hed_keep(HED_GET(x, HED_MASK(mask)));
  hed_status status = q->y ? hed__tensor_exponent(op, "what is known of x", q->y, &q->exponent) : hed_error();
  if (status == HED_OK)
    status = hed__tensor_rescale(&q->y, -q->exponent);
  if (status == HED_OK)
    status = hed__tensor_squares(op, "what is known of x", q->y, &squares);
  q->norm = status == HED_OK ? sqrt(squares) : 0;
  for (int k = 0; status == HED_OK && k < s.ndim; k++) {
    q->place[k] = hed_keep(hed_copy(hed_index(where, 1, k)));
    q->order[k] = hed_keep(hed_argsort(q->place[k], NULL));
    int64_t *all = malloc((size_t)q->n * sizeof *all);
    q->count[k] = calloc((size_t)s.dim[k], sizeof *q->count[k]);
    if (!all || !q->count[k])
      status = hed_fail(HED_E_NOMEM, "%s: no memory for %lld places", op, (long long)q->n);
    else
      status = q->place[k] && q->order[k] ? hed_to_host(q->place[k], all, (size_t)q->n * sizeof *all) : hed_error();
    for (int64_t i = 0; status == HED_OK && i < q->n; i++)
      q->count[k][all[i]]++;
    free(all);
  }
  return status;
}

/* Rows (n, r_{k+1}) from rows (n, r_k) through the slices of core K that the elements ask for, or back (n, r_{k+1}) to (n, r_k). */
static hed_array *step(const known *q, const hed_array *core, int k, const hed_array *rows, bool back)
{
  hed_array *at = hed_moveaxis(hed_take(core, q->place[k], 1), 1, 0); /* (n, r_k, r_{k+1}) */
  if (back)
    return hed_squeeze(hed_matmul(at, hed_expand_dims(rows, 2)), &HED_AXES(2));
  return hed_squeeze(hed_matmul(hed_expand_dims(rows, 1), at), &HED_AXES(1));
}

/* Core K by least squares, slice by slice, from rows LEFT and RIGHT. */
static hed_array *solve(const known *q, const hed_array *core, int k, const hed_array *left, const hed_array *right)
{
  const hed_shape s = hed_array_shape(core);
  hed_array *l = hed_take(left, q->order[k], 0), *r = hed_take(right, q->order[k], 0), *y = hed_take(q->y, q->order[k], 0);
  hed_array *rows = hed_reshape(hed_multiply(hed_expand_dims(l, 2), hed_expand_dims(r, 1)), HED_SHAPE(q->n, s.dim[0] * s.dim[2]));
  hed_array *out = rows && y ? hed_zeros(HED_SHAPE(s.dim[1], s.dim[0] * s.dim[2]), hed_array_dtype(core)) : NULL;
  for (int64_t i = 0, at = 0; out && i < s.dim[1]; at += q->count[k][i++]) {
    const hed_slice_range part = HED_RANGE(at, at + q->count[k][i], 1);
    hed_array *best = NULL;
    if (q->count[k][i] == 0)
      continue;
    if (hed_lstsq(hed_slice(rows, 1, &part), hed_slice(y, 1, &part), -1, &best, NULL, NULL, NULL) != HED_OK ||
        HED_SET(out, best, HED_AT(i)) != HED_OK)
      return NULL;
  }
  return hed_moveaxis(hed_reshape(out, HED_SHAPE(s.dim[1], s.dim[0], s.dim[2])), 0, 1);
}

static void take(hed_tt *t, int k, hed_array *core)
{
  hed_release(t->core[k]);
  t->core[k] = hed_keep(core);
}

/* Cores after the first get orthonormal rows. */
static hed_status turn(hed_tt *t)
{
  HED_SCOPE_OR(return hed_error()) {
    hed_tt u = { .order = t->order };
    for (int k = 0; k < t->order; k++)
      u.core[k] = hed__tensor_same(t->core[k]);
    const hed_status status = hed__tt_sweep(&u, u.order - 1, 0);
    for (int k = 0; status == HED_OK && k < t->order; k++)
      take(t, k, u.core[k]);
    return status;
  }
  return hed_error();
}

/* All cores once, from the first to the last. */
static hed_status sweep(const known *q, hed_tt *t, double *error)
{
  HED_SCOPE_OR(return hed_error()) {
    const hed_dtype type = hed_array_dtype(t->core[0]);
    hed_array *right[HED_MAX_NDIM], *left = hed_ones(HED_SHAPE(q->n, 1), type), *q_of = NULL, *r = NULL;
    right[t->order - 1] = hed_ones(HED_SHAPE(q->n, 1), type);
    for (int k = t->order - 1; k > 0; k--)
      right[k - 1] = step(q, t->core[k], k, right[k], true);
    for (int k = 0; k < t->order; k++) {
      const hed_shape s = hed_array_shape(t->core[k]);
      hed_array *core = solve(q, t->core[k], k, left, right[k]);
      if (!core)
        return hed_error();
      if (k + 1 < t->order) {
        if (hed_qr(hed_reshape(core, HED_SHAPE(s.dim[0] * s.dim[1], s.dim[2])), HED_QR_REDUCED, &q_of, &r) != HED_OK)
          return hed_error();
        core = hed_reshape(q_of, HED_SHAPE(s.dim[0], s.dim[1], -1));
        hed_array *next = hed_tensordot_n(r, t->core[k + 1], 1);
        if (!next)
          return hed_error();
        take(t, k + 1, next);
      }
      left = step(q, core, k, left, false);
      take(t, k, core);
      if (!left || !core)
        return hed_error();
    }
    hed_array *miss = hed_vector_norm(hed_subtract(q->y, hed_squeeze(left, &HED_AXES(1))), 2, NULL);
    const hed_status status = miss ? hed_item(miss, error) : hed_error();
    if (status == HED_OK)
      *error = q->norm > 0 ? *error / q->norm : 0;
    return status;
  }
  return hed_error();
}

/* The start: singular values of X with the mean of what is known elsewhere. */
static hed_status first_guess(const char *op, const hed_array *x, const hed_array *mask, const hed_shape *ranks, const known *q,
                              const hed_tt_completion_options *o, hed_tt *t)
{
  char one[160], other[160];
  if (o->start) {
    hed_status status = hed__tt_check(op, "start", o->start);
    const hed_shape s = hed_array_shape(x), u = status == HED_OK ? hed_tt_shape(o->start) : (hed_shape){ 0 };
    if (status == HED_OK && (!hed__same_shape(s, u) || hed_tt_is_ring(o->start)))
      status = hed_fail(HED_E_SHAPE, "%s: start is a %s of shape %s; a train of x's, %s, is expected", op,
                        hed_tt_is_ring(o->start) ? "ring" : "train", hed__shape_words(u, one), hed__shape_words(s, other));
    t->order = status == HED_OK ? o->start->order : 0;
    for (int k = 0; status == HED_OK && k < t->order; k++) {
      t->core[k] = hed_keep(hed_astype(hed__tt_core(o->start, k), hed_array_dtype(x)));
      if (k + 1 == t->order && t->core[k])
        status = hed__tensor_rescale(&t->core[k], -q->exponent);
      status = t->core[k] ? status : hed_error();
    }
    return status;
  }
  hed_array *mean = hed_mean(q->y, NULL);
  hed_array *filled = mean ? hed_where(mask, hed__tensor_scaled(x, -q->exponent), mean) : NULL;
  return filled ? hed_tt_svd(filled, ranks, 0, t, NULL) : hed_error();
}

hed_status hed_tt_complete(const hed_array *x, const hed_shape *ranks, const hed_tt_completion_options *opt, hed_tt *out, hed_fit *fit)
{
  static const char op[] = "hed_tt_complete";
  static const hed_tt_completion_options defaults;
  const hed_tt_completion_options *o = opt ? opt : &defaults;
  known q = { 0 };
  hed_tt t = { 0 };
  hed__run run;
  double error = 0;
  if (fit)
    *fit = (hed_fit){ 0 };
  if (!out || (!ranks && !o->start))
    return hed_fail(HED_E_INVAL, "%s: %s", op, out ? "ranks and start are NULL" : "out is NULL");
  *out = t;
  hed_status status = hed__run_begin(&run, op, &o->sweeps, 100, 1e-8);
  HED_SCOPE {
    hed_array *operand = status == HED_OK ? hed__tensor_operand(op, "x", x) : NULL;
    hed_array *mask = operand ? known_mask(op, operand, o->mask) : NULL;
    if (status == HED_OK)
      status = mask ? find_known(op, operand, mask, &q) : hed_error();
    if (status == HED_OK)
      status = first_guess(op, operand, mask, ranks, &q, o, &t);
  }
  while (status == HED_OK && hed__run_goes_on(&run)) {
    status = turn(&t);
    if (status == HED_OK)
      status = sweep(&q, &t, &error);
    if (status == HED_OK)
      status = hed__run_swept(&run, error);
  }
  if (status == HED_OK && t.order > 0)
    status = hed__tensor_rescale(&t.core[t.order - 1], q.exponent);
  status = hed__run_end(&run, status, fit);
  known_clear(&q);
  if (status != HED_OK)
    hed_tt_clear(&t);
  *out = t;
  return status;
}
