// SPDX-License-Identifier: BSD-3-Clause
/* Weak definitions of the list of operations as data, for a library without the API layer; strong ones win. */
#include <heddle/backend.h>
#include <string.h>

#define WEAK __attribute__((weak))
static const struct { const char *name, *impl, *domain; } rows[] = {
#define HED_OP(ID, name, impl, domain, result, args, results, doc) { #name, #impl, domain },
#include <heddle/ops.def>
};

WEAK const char *hed_op_name(int op) { return op >= 0 && op < HED_OP_COUNT_ ? rows[op].name : "?"; }

WEAK int hed_op_by_name(const char *name)
{
  for (int i = 0; i < HED_OP_COUNT_; i++)
    if (strcmp(rows[i].name, name) == 0)
      return i;
  return -1;
}

WEAK hed_status hed_op_query(int op, hed_op_info *out)
{
  *out = (hed_op_info){ .struct_size = out->struct_size, .op = op, .name = rows[op].name, .impl = rows[op].impl,
                        .domain = rows[op].domain };
  return HED_OK;
}
