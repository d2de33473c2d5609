// SPDX-License-Identifier: BSD-3-Clause
/* See tree.h.
 *
 * Layer: L4, tensor kit. Arrays that the functions return are the caller's scope's.
 */
#include "base/invariant.h"
#include "kits/tensor/tree.h"
#include "kits/tensor/common.h"

void hed__tree_shape(hed_shape s, hed__tree *t)
{
  *t = (hed__tree){ .order = s.ndim, .split = 1, .shape = s, .rows = s.dim[0], .columns = 1 };
  double least = 0;
  for (int cut = 1; cut < s.ndim; cut++) {
    int64_t rows = 1, columns = 1;
    for (int k = 0; k < s.ndim; k++)
      *(k < cut ? &rows : &columns) *= s.dim[k];
    if (cut == 1 || (double)rows + (double)columns < least) {
      least = (double)rows + (double)columns;
      t->split = cut;
      t->rows = rows;
      t->columns = columns;
    }
  }
}

void hed__tree_plant(const hed_array *x, hed__tree *t)
{
  hed__tree_shape(hed_array_shape(x), t);
  t->x = x;
}

hed_array *hed__in_c_order(const hed_array *x)
{
  return hed_array_is_contiguous(x) ? hed__tensor_same(x) : hed_copy(x);
}

hed_array *hed__tree_half(const hed__tree *t, hed_array *const *factors, bool right)
{
  const int first = right ? t->split : 0, n = right ? t->order - t->split : t->split;
  return n == 1 ? hed__tensor_same(factors[first]) : hed_khatri_rao(n, (const hed_array *const *)factors + first, NULL);
}

/* Row r of the conjugate of FACTOR (n, R), as matrix r of a batch: (R, 1, n) or (R, n, 1). */
static hed_array *vectors(const hed_array *factor, bool row)
{
  return hed_expand_dims(hed_transpose(hed__tensor_conj(factor), NULL), row ? 1 : 2);
}

/* T (R, d_first, ..) less all of its modes but MODE: (R, d_mode). FIRST is the half's first mode, N how many it has. */
static hed_array *others_out(const hed__tree *t, const hed_array *half, hed_array *const *factors, int first, int n, int mode)
{
  const int64_t rank = hed_array_shape(half).dim[0];
  int64_t before = 1, here = t->shape.dim[mode];
  HED__ASSERT(first >= 0 && n > 0 && first + n <= t->order && mode >= first && mode < first + n);
  for (int k = first; k < mode; k++)
    before *= t->shape.dim[k];
  hed_array *now = hed__tensor_same(half);
  for (int k = first + n - 1; k > mode && now; k--) {
    const int64_t extent = t->shape.dim[k];
    now = hed_matmul(hed_reshape(now, HED_SHAPE(rank, -1, extent)), vectors(factors[k], false));
  }
  for (int k = first; k < mode && now; k++) {
    const int64_t extent = t->shape.dim[k];
    before /= extent;
    now = hed_matmul(vectors(factors[k], true), hed_reshape(now, HED_SHAPE(rank, extent, before * here)));
  }
  return hed_reshape(now, HED_SHAPE(rank, here));
}

/* A half of one mode: the product of the matrix, or of its transpose, with the other half's. */
static hed_array *single(const hed__tree *t, hed_array *const *factors, bool right)
{
  hed_array *other = hed__tree_half(t, factors, !right);
  hed_array *flat = hed_reshape(t->x, HED_SHAPE(t->rows, t->columns));
  const hed_array *pair[2] = { other, other }; /* the product conjugates; one of mode itself is not looked at */
  return other ? hed_unfolding_dot_khatri_rao(flat, NULL, 2, pair, right ? 1 : 0) : NULL;
}

static hed_status visit_half(const hed__tree *t, hed_array *const *factors, uint32_t wanted, bool right, hed__tree_visit visit,
                             void *arg)
{
  const int first = right ? t->split : 0, n = right ? t->order - t->split : t->split;
  hed_status status = HED_OK;
  if (!(wanted >> first & ((1U << n) - 1)))
    return HED_OK;
  HED__ASSERT(n >= 1 && first + n <= t->order);
  HED_SCOPE_OR(return hed_error()) {
    if (n == 1) {
      hed_array *m = single(t, factors, right);
      return m ? visit(arg, first, m) : hed_error();
    }
    hed_array *flat = hed_reshape(t->x, HED_SHAPE(t->rows, t->columns));
    hed_array *other = hed_transpose(hed__tensor_conj(hed__tree_half(t, factors, !right)), NULL);
    hed_array *half = hed_matmul(other, right ? flat : hed_transpose(flat, NULL));
    for (int k = first; k < first + n && half && status == HED_OK; k++)
      if (wanted >> k & 1U)
        HED_SCOPE_OR(return hed_error()) {
          hed_array *m = hed_transpose(others_out(t, half, factors, first, n, k), NULL);
          status = m ? visit(arg, k, m) : hed_error();
        }
    if (!half)
      status = hed_error();
  }
  return status;
}

hed_status hed__tree_sweep(const hed__tree *t, hed_array *const *factors, uint32_t wanted, hed__tree_visit visit, void *arg)
{
  hed_status status = visit_half(t, factors, wanted, false, visit, arg);
  return status == HED_OK ? visit_half(t, factors, wanted, true, visit, arg) : status;
}

hed_status hed__tree_collect(void *arg, int mode, const hed_array *m)
{
  hed_array **out = arg;
  hed_release(out[mode]);
  out[mode] = hed_keep(hed_copy(m));
  return out[mode] ? HED_OK : hed_error();
}
