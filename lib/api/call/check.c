// SPDX-License-Identifier: BSD-3-Clause
/* Argument checks shared by all operations: see check.h. L3. */
#include "api/call/check.h"

#include "base/alloc.h"
#include "base/invariant.h"
#include "core/array/settle.h"
#include <heddle/error.h>
#include <string.h>

hed_status hed__check_shape(const char *op, const char *arg, const hed_shape *s, int id)
{
  if (s->ndim < 0 || s->ndim > HED_MAX_NDIM)
    return hed_fail(HED_E_SHAPE, "%s: %s has %d axes, 0 to %d are possible", op, arg, (int)s->ndim, HED_MAX_NDIM);
  for (int k = 0; k < s->ndim; k++)
    if (s->dim[k] < 0)
      return hed_fail(HED_E_SHAPE, "%s: extent %lld of axis %d of %s is negative", op, (long long)s->dim[k], k, arg);
  if (!hed__shape_fits(s->ndim, s->dim, hed__id_size(id)))
    return hed_fail(HED_E_SHAPE, "%s: %s %s of %s is larger than memory can be", op, arg, HED__TEXT(s),
                    hed__dtypes[id]->name);
  return HED_OK;
}

hed_status hed__check_domain(const char *op, const char *domain, const char *arg, int id)
{
  if (hed__in_domain(domain, id))
    return HED_OK;
  char kinds[64];
  size_t n = 0;
  static const char *const words[] = { "bool", "integers", "real floats", "complex" };
  const char *letters = "bifc";
  for (int k = 0; k < 4; k++)
    if (strchr(domain, letters[k])) {
      const char *gap = n ? ", " : "";
      size_t left = sizeof kinds - n, need = strlen(gap) + strlen(words[k]);
      if (need >= left)
        break;
      memcpy(kinds + n, gap, strlen(gap));
      memcpy(kinds + n + strlen(gap), words[k], strlen(words[k]));
      n += need;
    }
  kinds[n] = 0;
  return hed_fail(HED_E_DTYPE, "%s: %s has dtype %s; the operation is defined for %s", op, arg, hed__dtypes[id]->name,
                  kinds);
}

int hed__check_axis(const char *op, const char *arg, int32_t axis, int32_t ndim)
{
  int32_t k = hed__axis(axis, ndim);
  if (k < 0)
    return hed_fail(HED_E_AXIS, "%s: %s %d is out of range for an array with %d axes", op, arg, (int)axis,
                    (int)ndim);
  return k;
}

hed_status hed__check_axes(const char *op, const hed_axes *axes, int32_t ndim, uint32_t *mask)
{
  HED__ASSERT(ndim >= 0 && ndim <= HED_MAX_NDIM);
  static const hed_axes all = { 0, { 0 } };
  int32_t bad = 0;
  if (!axes)
    axes = &all;
  *mask = 0;
  if (axes->n == -1) /* HED_NO_AXES */
    return HED_OK;
  if (axes->n < 0 || axes->n > HED_MAX_NDIM)
    return hed_fail(HED_E_SHAPE, "%s: %d axes are listed, 0 to %d are possible", op, (int)axes->n, HED_MAX_NDIM);
  if (hed__axes_mask(axes, ndim, mask, &bad))
    return HED_OK;
  const int at = hed__check_axis(op, "axis", bad, ndim);
  if (at < 0)
    return (hed_status)at;
  return hed_fail(HED_E_SHAPE, "%s: axis %d is listed twice", op, (int)bad);
}

hed_status hed__check_out(const char *op, const hed_array *out, int32_t ndim, const int64_t *dim)
{
  const hed_view *v = &out->view;
  if (!hed__shape_equal(v->ndim, v->dim, ndim, dim)) {
    char want[HED__SHAPE_TEXT], got[HED__SHAPE_TEXT];
    return hed_fail(HED_E_SHAPE, "%s: out has shape %s, the result %s", op,
                    hed__shape_text(v->ndim, v->dim, got, sizeof got),
                    hed__shape_text(ndim, dim, want, sizeof want));
  }
  if (out->read_only)
    return hed_fail(HED_E_INVAL, "%s: out is read-only", op);
  for (int k = 0; k < v->ndim && hed__view_size(v) > 0; k++)
    if (v->stride[k] == 0 && v->dim[k] > 1)
      return hed_fail(HED_E_INVAL, "%s: out repeats its elements along axis %d and cannot be written", op, k);
  return HED_OK;
}

/* ---- do two strided views meet? ----
 * Byte p of A and byte q of B coincide when  sum k_i s_i - sum l_j t_j + (p - q) = B.data - A.data  with 0 <= k_i <
 * dim_i and so on: a bounded linear Diophantine equation. Depth-first from the largest stride, pruned by what the
 * smaller ones can still reach, decides the layouts that occur in practice in a few steps. */

enum { MAX_TERMS = 2 * HED_MAX_NDIM + 2, MAX_STEPS = 4096 };

typedef struct meet {
  int n, steps;
  int64_t a[MAX_TERMS], u[MAX_TERMS];  /* coefficient > 0, largest value of its variable */
  int64_t reach[MAX_TERMS + 1];        /* sum of a * u from here on */
} meet;

static bool solve(meet *m, int k, int64_t target)
{
  if (target == 0)
    return true;
  if (target < 0 || target > m->reach[k])
    return false;
  if (++m->steps > MAX_STEPS)
    return true;
  int64_t high = target / m->a[k], least = target - m->reach[k + 1], low = 0;
  if (high > m->u[k])
    high = m->u[k];
  if (least > 0)
    low = least / m->a[k] + (least % m->a[k] != 0);
  for (int64_t x = high; x >= low; x--)
    if (solve(m, k + 1, target - x * m->a[k]))
      return true;
  return false;
}

static void add_term(meet *m, int64_t a, int64_t u)
{
  if (!a || u <= 0)
    return;
  int k = m->n++;
  HED__ASSERT(m->n <= MAX_TERMS);
  for (; k > 0 && m->a[k - 1] < a; k--) {
    m->a[k] = m->a[k - 1];
    m->u[k] = m->u[k - 1];
  }
  m->a[k] = a;
  m->u[k] = u;
}

bool hed__views_meet(const hed_view *a, const hed_view *b)
{
  if (!hed__may_overlap(a, b))
    return false;
  /* The lowest bytes of both views; then every stride counts upwards, and B's terms are turned round. */
  int64_t la, ha, lb, hb;
  hed__view_extent(a, &la, &ha);
  hed__view_extent(b, &lb, &hb);
  meet m = { .n = 0 };
  int64_t target = (int64_t)(((uintptr_t)b->data + (uintptr_t)lb) - ((uintptr_t)a->data + (uintptr_t)la));
  for (int k = 0; k < a->ndim; k++)
    add_term(&m, a->stride[k] < 0 ? -a->stride[k] : a->stride[k], a->dim[k] - 1);
  add_term(&m, 1, hed__id_size(a->dtype) - 1);
  for (int k = 0; k < b->ndim; k++) {
    int64_t s = b->stride[k] < 0 ? -b->stride[k] : b->stride[k];
    add_term(&m, s, b->dim[k] - 1);
    target += s * (b->dim[k] - 1);
  }
  add_term(&m, 1, hed__id_size(b->dtype) - 1);
  target += hed__id_size(b->dtype) - 1;
  m.reach[m.n] = 0;
  for (int k = m.n - 1; k >= 0; k--)
    m.reach[k] = m.reach[k + 1] + m.a[k] * m.u[k];
  return solve(&m, 0, target);
}

bool hed_array_shares(const hed_array *x, const hed_array *y)
{
  hed__error_mark mark;
  hed__error_save(&mark);
  const bool settled = x && y && hed__array_settle(x) == HED_OK && hed__array_settle(y) == HED_OK;
  hed__error_restore(&mark);
  return settled && (x->storage == y->storage || (x->storage->device->host && y->storage->device->host)) &&
         hed__views_meet(&x->view, &y->view);
}

hed_status hed__check_overlap(const char *op, const hed_array *out, const hed_view *out_view, const char *out_arg,
                              const hed_array *x, const hed_view *x_view, const char *arg, bool same_ok)
{
  if (out->storage != x->storage && !(out->storage->device->host && x->storage->device->host))
    return HED_OK;
  if (!hed__views_meet(out_view, x_view) || (same_ok && hed__same_view(out_view, x_view)))
    return HED_OK;
  return hed_fail(HED_E_INVAL, same_ok ? "%s: %s and %s overlap without being the same elements in the same order"
                                       : "%s: %s and %s share memory, which this operation cannot have",
                  op, out_arg, arg);
}

hed_status hed__check_writable(const char *op, const hed__exec *ex, int k)
{
  if (!(ex->owned >> k & 1u))
    return HED_OK;
  return hed_fail(HED_E_MISMATCH, "%s: out is not in %s, where the operation runs; results are not copied back", op,
                  ex->device->space);
}

hed_dtype hed__wide_float(hed__device *device)
{
  hed__error_mark mark;
  hed__error_save(&mark); /* of the caller, who may ask with operands that failed */
  const bool wide = hed__dtype_concrete(HED_FLOAT64, device, "float64") == HED_ID_FLOAT64;
  hed__error_restore(&mark);
  return wide ? HED_FLOAT64 : HED_FLOAT32;
}
