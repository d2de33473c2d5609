// SPDX-License-Identifier: BSD-3-Clause
/* The list of operations as data, for tools and bindings: ops.def as a table, and seen through functions. L2. */
#include "core/ops/op_rows.h"

#include <heddle/error.h>
#include <heddle/ops.h>
#include <string.h>

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

static const char *host_reads_of(const char *name)
{
  static const struct { const char *name, *kind; } list[] = {
#define HED_READS(name, kind, what) { #name, #kind },
#include "core/ops/host_reads.def"
  };
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    if (strcmp(list[k].name, name) == 0)
      return list[k].kind;
  return "";
}

int hed_op_count(void)
{
  return HED_OP_COUNT_;
}

hed_status hed_op_query(int op, hed_op_info *out)
{
  if (!out)
    return hed_fail(HED_E_INVAL, "op_query: out is NULL");
  if (out->struct_size < sizeof out->struct_size)
    return hed_fail(HED_E_INVAL, "op_query: struct_size of out is %u; set it to sizeof(hed_op_info)",
                    (unsigned)out->struct_size);
  if (op < 0 || op >= HED_OP_COUNT_)
    return hed_fail(HED_E_INVAL, "op_query: operation %d does not exist; there are %d", op, (int)HED_OP_COUNT_);
  const hed__op_row *row = &hed__op_rows[op];
  hed_op_info info = { .op = op, .name = row->name, .family = row->family, .impl = row->impl, .domain = row->domain,
                       .result = row->result_name, .args = row->args, .doc = row->doc, .results = row->results,
                       .host = host_reads_of(row->name) };
  uint32_t size = out->struct_size < sizeof info ? out->struct_size : (uint32_t)sizeof info;
  info.struct_size = size;
  memcpy(out, &info, size);
  return HED_OK;
}

const char *hed_op_name(int op)
{
  return op < 0 || op >= HED_OP_COUNT_ ? "?" : hed__op_rows[op].name;
}

static const struct { const char *alias, *name; } aliases[] = {
#define HED_ALIAS(alias, name) { #alias, #name },
#include <heddle/ops.def>
};
enum { ALIASES = sizeof aliases / sizeof *aliases };

static int row_by_name(const char *name)
{
  for (int op = 0; op < HED_OP_COUNT_; op++)
    if (strcmp(hed__op_rows[op].name, name) == 0)
      return op;
  return -1;
}

int hed_op_by_name(const char *name)
{
  int op = name ? row_by_name(name) : -1;
  for (int k = 0; name && op < 0 && k < ALIASES; k++)
    if (strcmp(aliases[k].alias, name) == 0)
      op = row_by_name(aliases[k].name);
  return op;
}

const char *hed_op_alias(int op, int k)
{
  if (op < 0 || op >= HED_OP_COUNT_ || k < 0)
    return NULL;
  for (int i = 0; i < ALIASES; i++)
    if (strcmp(aliases[i].name, hed__op_rows[op].name) == 0 && k-- == 0)
      return aliases[i].alias;
  return NULL;
}
