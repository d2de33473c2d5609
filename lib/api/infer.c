// SPDX-License-Identifier: BSD-3-Clause
/*
 * Result types: see infer.h. The rules are those of ops.def's head and hed_dtype_promote. L3.
 */
#include "api/infer.h"

#include "api/check.h"
#include "base/dtype.h"
#include "core/dispatch.h"
#include <heddle/error.h>
#include <math.h>

const hed__op_row hed__op_rows[HED_OP_COUNT_] = {
#define HED_UNARY(ID, name, domain, result, cost, doc) \
  { #name, "unary", "KERNEL", domain, #result, "x:array", doc, 1, HED__RESULT_##result },
#define HED_BINARY(ID, name, domain, result, cost, doc) \
  { #name, "binary", "KERNEL", domain, #result, "a:array b:array", doc, 1, HED__RESULT_##result },
#define HED_REDUCE(ID, name, domain, result, doc) \
  { #name, "reduce", "KERNEL", domain, #result, "x:array opt:hed_reduce", doc, 1, HED__RESULT_##result },
#define HED_OP(ID, name, impl, domain, result, args, results, doc) \
  { #name, "other", #impl, domain, #result, args, doc, results, HED__RESULT_##result },
#include <heddle/ops.def>
};

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

/* Does the value of a weak integer scalar fit integer type ID? Values elsewhere than in host memory are trusted. */
static bool weak_fits(const hed_array *w, int id, long long *value)
{
  if (w->view.dtype != HED_ID_INT64 || !w->storage->device->host || rank_of(id) != 1)
    return true;
  int64_t v = *(const int64_t *)w->view.data;
  int bits = hed__dtypes[id]->bits;
  *value = (long long)v;
  if (hed__id_kind(id) == HED_KIND_UINT)
    return v >= 0 && (bits == 64 || (uint64_t)v >> bits == 0);
  return bits == 64 || (v >= -((int64_t)1 << (bits - 1)) && v < (int64_t)1 << (bits - 1));
}

int hed__infer_common(const char *op, int n, const hed_array *const *in, const char *const *args)
{
  int strong = -1, weak = -1;
  for (int k = 0; k < n; k++) {
    int id = in[k]->view.dtype;
    if (in[k]->weak)
      weak = rank_of(id) > weak ? rank_of(id) : weak;
    else
      strong = strong < 0 ? id : hed__promote(strong, id);
  }
  if (weak < 0)
    return strong;
  if (strong < 0)
    return default_of_rank(weak);
  if (weak > rank_of(strong))
    strong = weak == 3 && rank_of(strong) == 2 ? hed__complex_of(strong) : default_of_rank(weak);
  for (int k = 0; k < n; k++) {
    long long value = 0;
    if (in[k]->weak && !weak_fits(in[k], strong, &value))
      return hed_fail(HED_E_DTYPE, "%s: scalar %s = %lld does not fit %s, the type of the other operand", op, args[k],
                      value, hed__dtypes[strong]->name);
  }
  return strong;
}

int hed__infer_operands(int op, int n, const hed_array *const *in, const char *const *args)
{
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
