// SPDX-License-Identifier: BSD-3-Clause
/* Kronecker and Khatri-Rao products, matrices times an axis of an array, chains of matrices. L3.
 *
 * The Khatri-Rao product is the Kronecker product column by column; T. G. Kolda and B. W. Bader, "Tensor Decompositions
 * and Applications", SIAM Review 51(3), 2009, has both. The order of a
 * chain is the one of fewest multiplications (T. H. Cormen et al., Introduction to Algorithms, "Matrix-chain
 * multiplication").
 */
#include "api/call/check.h"
#include "composite/composed.h"
#include "composite/products.h"
#include "core/record/body.h"

#include <heddle/error.h>
#include <heddle/ops.h>

/* ---- Kronecker ---- */

/* Rows of the second operand that are shorter are not multiplied one by one: rows of the result are long enough for vectors, and
 * what has to be copied to have them in both operands is small beside it. */
enum { SHORT_ROW_ELEMENTS = 64 };

/* Axis of pairs of axes; where one of the two has extent 1 a single axis does. */
static hed_array *kron_pair(const char *op, const hed_array *a, const hed_array *b)
{
  hed_shape sa = hed__shape_of(a), sb = hed__shape_of(b), left = { 0, { 0 } }, right = left, all = left;
  int ndim = sa.ndim > sb.ndim ? sa.ndim : sb.ndim, need = 0;
  for (int k = 0; k < ndim; k++) {
    int64_t m = k < ndim - sa.ndim ? 1 : sa.dim[k - (ndim - sa.ndim)];
    int64_t n = k < ndim - sb.ndim ? 1 : sb.dim[k - (ndim - sb.ndim)];
    need += m != 1 && n != 1 ? 2 : 1;
    if (__builtin_mul_overflow(m, n, &all.dim[k])) {
      hed_fail(HED_E_SHAPE, "%s: extents %lld and %lld multiply to more than an axis can have", op, (long long)m,
               (long long)n);
      return NULL;
    }
    if (need > HED_MAX_NDIM)
      continue;
    if (m != 1 && n != 1) {
      left.dim[left.ndim++] = m;
      right.dim[right.ndim++] = 1;
      left.dim[left.ndim++] = 1;
      right.dim[right.ndim++] = n;
    } else {
      left.dim[left.ndim++] = m;
      right.dim[right.ndim++] = n;
    }
  }
  if (need > HED_MAX_NDIM) {
    hed_fail(HED_E_SHAPE, "%s: shapes %s and %s need %d axes on the way, %d are possible", op, HED__TEXT(&sa),
             HED__TEXT(&sb), need, HED_MAX_NDIM);
    return NULL;
  }
  all.ndim = ndim;
  hed_array *x = hed_reshape(a, left), *y = hed_reshape(b, right);
  const int last = left.ndim - 1;
  if (x && y && last > 2 && left.dim[last] == 1 && right.dim[last] < SHORT_ROW_ELEMENTS && left.dim[last - 1] > 1) {
    const int64_t m = left.dim[last - 1], n = right.dim[last];
    hed_shape row = right;
    right.dim[last - 1] = m; /* both operands with whole rows */
    left.ndim = row.ndim = last;
    row.dim[last - 1] = m * n;
    x = hed_repeat(hed_reshape(x, left), n, &HED_AXES(last - 1));
    y = hed_reshape(hed_copy(hed_broadcast_to(y, right)), row);
  }
  return hed_reshape(hed_multiply(x, y), all);
}

hed_array *HED_BODY(kron)(const hed_array *a, const hed_array *b)
{
  const hed_array *operands[2] = { a, b };
  composed w;
  if (!hed__given_pair("kron", a, b) || composed_begin(&w, HED_OP_KRON, 2, operands) != HED_OK)
    return NULL;
  return composed_end(&w, kron_pair("kron", w.ex.in[0], w.ex.in[1]));
}

/* Positions of a list of N that are left when SKIP is left out; their number, or -1. */
static int left_over(const char *op, int n, const hed_axes *skip, int *at)
{
  uint32_t mask = 0;
  int left = 0;
  if (skip && skip->n && hed__check_axes(op, skip, n, &mask) != HED_OK)
    return -1;
  for (int k = 0; k < n; k++)
    if (!(mask >> k & 1u))
      at[left++] = k;
  if (left == 0)
    hed_fail(HED_E_INVAL, "%s: %d arrays, %d are skipped, none is left", op, n, n);
  return left ? left : -1;
}

hed_array *HED_BODY(kronecker)(int n, const hed_array *const *arrays, const hed_list_options *opt)
{
  static const hed_list_options none;
  int at[HED_MAX_NDIM] = { 0 };
  composed w;
  opt = opt ? opt : &none;
  if (!hed__given_list("kronecker", 1, n, arrays))
    return NULL;
  int left = left_over("kronecker", n, &opt->skip, at);
  if (left < 0 || composed_begin(&w, HED_OP_KRONECKER, n, arrays) != HED_OK)
    return NULL;
  int first = opt->reverse ? left - 1 : 0, step = opt->reverse ? -1 : 1;
  hed_array *x = hed_copy(w.ex.in[at[first]]);
  for (int k = 1; k < left && x; k++)
    x = kron_pair("kronecker", x, w.ex.in[at[first + step * k]]);
  return composed_end(&w, x);
}

/* ---- Khatri-Rao ---- */

hed_status hed__check_columns(const char *op, int n, const int *at, const hed_array *const *matrices,
                              int64_t *columns)
{
  for (int k = 0; k < n; k++) {
    const hed_array *x = matrices[at[k]], *first = matrices[at[0]];
    hed_shape s = hed__shape_of(x), s0 = hed__shape_of(first);
    if (s.ndim != 2)
      return hed_fail(HED_E_SHAPE, "%s: array %d of shape %s is no matrix", op, at[k], HED__TEXT(&s));
    if (s.dim[1] != s0.dim[1])
      return hed_fail(HED_E_SHAPE, "%s: array %d has %lld columns, array %d %lld", op, at[k], (long long)s.dim[1], at[0],
                      (long long)s0.dim[1]);
    *columns = s.dim[1];
  }
  return HED_OK;
}

hed_array *HED_BODY(khatri_rao)(int n, const hed_array *const *matrices, const hed_khatri_rao_options *opt)
{
  static const hed_khatri_rao_options none;
  static const char *const name = "khatri_rao";
  const hed_array *operands[HED_MAX_NDIM + 2];
  int at[HED_MAX_NDIM], count = n, weights = -1, mask = -1;
  int64_t columns = 0, rows = 1;
  composed w;
  opt = opt ? opt : &none;
  if (!hed__given_list(name, 1, n, matrices))
    return NULL;
  int left = left_over(name, n, &opt->skip, at);
  if (left < 0 || hed__check_columns(name, left, at, matrices, &columns) != HED_OK)
    return NULL;
  for (int k = 0; k < n; k++)
    operands[k] = matrices[k];
  for (int k = 0; k < left; k++)
    if (__builtin_mul_overflow(rows, matrices[at[k]]->view.dim[0], &rows)) {
      hed_fail(HED_E_SHAPE, "%s: the result would have more rows than an axis can have", name);
      return NULL;
    }
  if (opt->weights) {
    hed_shape s = hed__shape_of(opt->weights);
    if (s.ndim != 1 || s.dim[0] != columns) {
      hed_fail(HED_E_SHAPE, "%s: weights have shape %s, the matrices %lld columns", name, HED__TEXT(&s), (long long)columns);
      return NULL;
    }
    operands[weights = count++] = opt->weights;
  }
  if (opt->mask) {
    if (hed__view_size(&opt->mask->view) != rows) {
      hed_fail(HED_E_SHAPE, "%s: mask has %lld elements, the result %lld rows", name,
               (long long)hed__view_size(&opt->mask->view), (long long)rows);
      return NULL;
    }
    operands[mask = count++] = opt->mask;
  }
  if (count > HED_MAX_NDIM) {
    hed_fail(HED_E_INVAL, "%s: %d arrays with weights and mask, %d are possible", name, count, HED_MAX_NDIM);
    return NULL;
  }
  if (composed_begin(&w, HED_OP_KHATRI_RAO, count, operands) != HED_OK)
    return NULL;
  hed_array *x = hed_copy(w.ex.in[at[0]]);
  if (weights >= 0)
    x = hed_multiply(x, w.ex.in[weights]);
  for (int k = 1; k < left && x; k++) {
    const hed_array *y = w.ex.in[at[k]];
    int64_t m = x->view.dim[0], p = y->view.dim[0];
    x = hed_reshape(hed_multiply(hed_reshape(x, HED_SHAPE(m, 1, columns)), hed_reshape(y, HED_SHAPE(1, p, columns))),
                    HED_SHAPE(m * p, columns));
  }
  if (mask >= 0)
    x = hed_multiply(x, hed_reshape(w.ex.in[mask], HED_SHAPE(rows, 1)));
  return composed_end(&w, x);
}

/* ---- matrices times an axis ---- */

static hed_status check_mode(const char *op, const hed_array *x, int axis, const hed_array *m, int which, bool transpose)
{
  hed_shape sx = hed__shape_of(x), sm = hed__shape_of(m);
  if (sm.ndim < 1 || sm.ndim > 2)
    return hed_fail(HED_E_SHAPE, "%s: array %d of shape %s is neither a matrix nor a vector", op, which, HED__TEXT(&sm));
  int side = sm.ndim == 1 || transpose ? 0 : 1;
  if (sm.dim[side] != sx.dim[axis])
    return hed_fail(HED_E_SHAPE, "%s: axis %d of x has extent %lld, axis %d of array %d %lld", op, axis,
                    (long long)sx.dim[axis], side, which, (long long)sm.dim[side]);
  return HED_OK;
}

/* Axis AXIS of X replaced by the rows of M (columns of its conjugate when TRANSPOSE); gone when M is a vector. */
static hed_array *mode_product(const hed_array *x, const hed_array *m, int axis, bool transpose)
{
  if (m->view.ndim == 1)
    return hed_tensordot(x, m, &HED_AXES(axis), &HED_AXES(0));
  const hed_array *c = transpose ? hed__conjugate(m) : m;
  const hed_shape s = hed__shape_of(x);
  if (!c)
    return NULL;
  if (axis == s.ndim - 1 || !hed__is_c_contiguous(&x->view))
    return hed_moveaxis(hed_tensordot(x, c, &HED_AXES(axis), &HED_AXES(transpose ? 0 : 1)), -1, axis);
  /* matrices of this axis and those behind it, where they lie */
  const hed_array *rows = transpose ? hed_transpose(c, NULL) : c;
  hed_shape parts = { 3, { 1, s.dim[axis], 1 } }, result = s;
  for (int k = 0; k < s.ndim; k++)
    if (k != axis)
      parts.dim[k < axis ? 0 : 2] *= s.dim[k];
  result.dim[axis] = rows ? rows->view.dim[0] : 0;
  return rows ? hed_reshape(hed_matmul(rows, hed_reshape(x, parts)), result) : NULL;
}

hed_array *HED_BODY(mode_dot)(const hed_array *x, const hed_array *m, int32_t mode, bool transpose)
{
  const hed_array *operands[2] = { x, m };
  composed w;
  if (!hed__given(x, "mode_dot", "x") || !hed__given(m, "mode_dot", "m"))
    return NULL;
  int axis = hed__check_axis("mode_dot", "mode", mode, x->view.ndim);
  if (axis < 0 || check_mode("mode_dot", x, axis, m, 0, transpose) != HED_OK ||
      composed_begin(&w, HED_OP_MODE_DOT, 2, operands) != HED_OK)
    return NULL;
  return composed_end(&w, mode_product(w.ex.in[0], w.ex.in[1], axis, transpose));
}

hed_array *HED_BODY(multi_mode_dot)(const hed_array *x, int n, const hed_array *const *arrays,
                              const hed_multi_mode_options *opt)
{
  static const hed_multi_mode_options none;
  static const char *const name = "multi_mode_dot";
  const hed_array *operands[HED_MAX_NDIM];
  int at[HED_MAX_NDIM], axis[HED_MAX_NDIM];
  composed w;
  opt = opt ? opt : &none;
  if (!hed__given(x, name, "x") || !hed__given_list(name, 1, n, arrays))
    return NULL;
  if (n >= HED_MAX_NDIM || (opt->modes.n ? opt->modes.n : x->view.ndim) < n || (opt->modes.n && opt->modes.n != n)) {
    hed_fail(HED_E_INVAL, "%s: %d arrays for %d modes", name, n, opt->modes.n ? (int)opt->modes.n : (int)x->view.ndim);
    return NULL;
  }
  uint32_t mask;
  if (opt->modes.n && hed__check_axes(name, &opt->modes, x->view.ndim, &mask) != HED_OK)
    return NULL;
  int left = left_over(name, n, &opt->skip, at);
  if (left < 0)
    return NULL;
  operands[0] = x;
  for (int k = 0; k < n; k++) {
    operands[k + 1] = arrays[k];
    axis[k] = opt->modes.n ? hed__axis(opt->modes.axis[k], x->view.ndim) : k;
  }
  for (int k = 0; k < left; k++)
    if (check_mode(name, x, axis[at[k]], arrays[at[k]], at[k], opt->transpose) != HED_OK)
      return NULL;
  if (composed_begin(&w, HED_OP_MULTI_MODE_DOT, n + 1, operands) != HED_OK)
    return NULL;
  /* from the last axis down, so that vectors, which take axes away, move nothing that is still to come */
  const hed_array *y = w.ex.in[0];
  for (int mode = x->view.ndim - 1; mode >= 0; mode--)
    for (int k = 0; k < left && y; k++)
      if (axis[at[k]] == mode)
        y = mode_product(y, w.ex.in[1 + at[k]], mode, opt->transpose);
  return composed_end(&w, y ? hed_copy(y) : NULL);
}

/* ---- chains ---- */

typedef struct chain {
  double cost[HED_MAX_NDIM][HED_MAX_NDIM];
  int cut[HED_MAX_NDIM][HED_MAX_NDIM];
} chain;

static void plan_chain(chain *c, int n, const int64_t *p)
{
  for (int k = 0; k < n; k++)
    c->cost[k][k] = 0;
  for (int length = 2; length <= n; length++)
    for (int i = 0; i + length <= n; i++) {
      int j = i + length - 1;
      for (int k = i; k < j; k++) {
        double cost = c->cost[i][k] + c->cost[k + 1][j] + (double)p[i] * (double)p[k + 1] * (double)p[j + 1];
        if (k == i || cost < c->cost[i][j]) {
          c->cost[i][j] = cost;
          c->cut[i][j] = k;
        }
      }
    }
}

static hed_array *run_chain(const chain *c, const hed_array *const *x, int i, int j)
{
  const int k = c->cut[i][j];
  const hed_array *left = k == i ? x[i] : run_chain(c, x, i, k);
  const hed_array *right = left && k + 1 == j ? x[j] : left ? run_chain(c, x, k + 1, j) : NULL;
  return right ? hed_matmul(left, right) : NULL;
}

hed_array *HED_BODY(multi_dot)(int n, const hed_array *const *arrays)
{
  int64_t p[HED_MAX_NDIM + 1];
  chain c;
  composed w;
  if (!hed__given_list("multi_dot", 2, n, arrays))
    return NULL;
  for (int k = 0; k < n; k++) {
    hed_shape s = hed__shape_of(arrays[k]);
    bool end = k == 0 || k == n - 1;
    if (s.ndim != 2 && !(end && s.ndim == 1)) {
      hed_fail(HED_E_SHAPE, "multi_dot: array %d of shape %s is no matrix%s", k, HED__TEXT(&s),
               end ? ", nor a vector" : "");
      return NULL;
    }
    int64_t rows = s.ndim == 1 && k == 0 ? 1 : s.dim[0], columns = s.ndim == 2 ? s.dim[1] : k == 0 ? s.dim[0] : 1;
    if (k && rows != p[k]) {
      hed_fail(HED_E_SHAPE, "multi_dot: array %d has %lld columns, array %d %lld rows", k - 1, (long long)p[k], k,
               (long long)rows);
      return NULL;
    }
    p[k] = rows;
    p[k + 1] = columns;
  }
  plan_chain(&c, n, p);
  if (composed_begin(&w, HED_OP_MULTI_DOT, n, arrays) != HED_OK)
    return NULL;
  return composed_end(&w, run_chain(&c, w.ex.in, 0, n - 1));
}
