// SPDX-License-Identifier: BSD-3-Clause
/* Result types: see infer.h. The rules are those of ops.def's head and hed_dtype_promote. L3. */
#include "api/call/infer.h"

#include "api/call/check.h"
#include "base/dtype.h"
#include "base/invariant.h"
#include "core/dispatch/dispatch.h"
#include <heddle/error.h>
#include <heddle/ops.h>
#include <math.h>
#include <stdio.h>

/* Kinds in the order in which weak scalars climb: bool, integer, real, complex. */
static int rank_of(int id)
{
  switch (hed__id_kind(id)) {
  case HED_KIND_BOOL: return 0;
  case HED_KIND_UINT:
  case HED_KIND_INT: return 1;
  case HED_KIND_FLOAT: return 2;
  default: return 3;
  }
}

static int default_of_rank(int rank)
{
  return rank == 0 ? HED_ID_BOOL : rank == 1 ? HED_ID_INT64 : rank == 2 ? hed__real_id() : hed__complex_id();
}

int hed__weak_side(const hed_array *w, int id)
{
  if (rank_of(w->view.dtype) != 1 || !w->storage->device->host || rank_of(id) != 1)
    return 0;
  const bool is_signed = hed__id_kind(id) == HED_KIND_INT;
  const int bits = hed__dtypes[id]->bits - is_signed; /* of the largest value */
  const int64_t v = *(const int64_t *)w->view.data;
  if (w->view.dtype == HED_ID_INT64 && v < 0)
    return !is_signed || (bits < 63 && v < -((int64_t)1 << bits)) ? -1 : 0;
  return bits < 64 && (uint64_t)v >> bits != 0 ? 1 : 0;
}

/* The value of a weak integer scalar in words. */
static const char *weak_text(const hed_array *w, char text[static 24])
{
  const int64_t v = *(const int64_t *)w->view.data;
  if (w->view.dtype == HED_ID_UINT64)
    snprintf(text, 24, "%llu", (unsigned long long)v);
  else
    snprintf(text, 24, "%lld", (long long)v);
  return text;
}

/* What is known of operands: the type that the strong ones promote to, the highest rank of weak ones; -1: none. */
typedef struct common {
  int strong, weak;
  bool wide; /* a weak scalar of uint64 */
} common;

static void join(common *c, const hed_array *x)
{
  const int id = x->view.dtype;
  if (x->weak) {
    c->wide = c->wide || id == HED_ID_UINT64;
    c->weak = rank_of(id) > c->weak ? rank_of(id) : c->weak;
  } else {
    c->strong = c->strong < 0 ? id : hed__promote(c->strong, id);
  }
}

static int settle(const common *c)
{
  if (c->strong < 0)
    return c->weak == 1 && c->wide ? HED_ID_UINT64 : default_of_rank(c->weak);
  if (c->weak <= rank_of(c->strong))
    return c->strong;
  return c->weak == 3 && rank_of(c->strong) == 2 ? hed__complex_of(c->strong) : default_of_rank(c->weak);
}

int hed__infer_common(const char *op, int n, const hed_array *const *in, const char *const *args)
{
  common c = { -1, -1, false };
  for (int k = 0; k < n; k++)
    join(&c, in[k]);
  if (c.weak < 0)
    return c.strong;
  const int strong = settle(&c);
  for (int k = 0; k < n; k++) {
    char value[24];
    if (in[k]->weak && hed__weak_side(in[k], strong) != 0)
      return hed_fail(HED_E_RANGE, "%s: scalar %s = %s does not fit %s, the type of the other operand", op, args[k],
                      weak_text(in[k], value), hed__dtypes[strong]->name);
  }
  return strong;
}

hed_dtype hed_result_type(int n, const hed_array *const *arrays, int m, const hed_dtype *dtypes)
{
  common c = { -1, -1, false };
  if (n < 0 || m < 0 || (n > 0 && !arrays) || (m > 0 && !dtypes) || n + m == 0) {
    hed_fail(HED_E_INVAL, "result_type: %d arrays and %d dtypes", n, m);
    return NULL;
  }
  for (int k = 0; k < n; k++) {
    if (!hed__given(arrays[k], "result_type", "arrays"))
      return NULL;
    join(&c, arrays[k]);
  }
  for (int k = 0; k < m; k++) {
    const hed_dtype t = hed_dtype_promote(dtypes[k], dtypes[k]);
    if (!t) {
      hed_fail(HED_E_INVAL, "result_type: dtype %d is NULL", k);
      return NULL;
    }
    c.strong = c.strong < 0 ? (int)hed_dtype_id_of(t) : hed__promote(c.strong, (int)hed_dtype_id_of(t));
  }
  return hed__dtypes[settle(&c)];
}

int hed__infer_operands(int op, int n, const hed_array *const *in, const char *const *args)
{
  HED__ASSERT(op >= 0 && op < HED_OP_COUNT_ && n >= 1);
  const hed__op_row *row = &hed__op_rows[op];
  int id = hed__infer_common(row->name, n, in, args);
  if (id < 0)
    return id;
  if (!hed__in_domain(row->domain, id)) {
    for (int k = 0; k < n; k++)
      if (!hed__in_domain(row->domain, in[k]->view.dtype))
        return hed__check_domain(row->name, row->domain, args[k], in[k]->view.dtype);
    return hed__check_domain(row->name, row->domain, n > 1 ? "the operands' common type" : args[0], id);
  }
  if ((row->result == HED__RESULT_FLOAT || row->result == HED__RESULT_FLOAT_REALPART) && rank_of(id) < 2)
    id = hed__real_id();
  return id;
}

int hed__infer_result(int op, int id)
{
  HED__ASSERT(op >= 0 && op < HED_OP_COUNT_ && id >= 0 && id < HED_ID_CONCRETE_COUNT_);
  switch (hed__op_rows[op].result) {
  case HED__RESULT_BOOL:
    return HED_ID_BOOL;
  case HED__RESULT_REALPART:
  case HED__RESULT_FLOAT_REALPART:
    return hed__real_of(id);
  case HED__RESULT_INDEX:
    return HED_ID_INT64;
  case HED__RESULT_ACCUM:
    switch (hed__id_kind(id)) {
    case HED_KIND_UINT: return HED_ID_UINT64;
    case HED_KIND_BOOL:
    case HED_KIND_INT: return HED_ID_INT64;
    default: return id;
    }
  default:
    return id;
  }
}

int hed__infer_on(const char *op, int id, hed__device *device)
{
  return hed__dtype_concrete(hed__dtypes[id], device, op);
}
