// SPDX-License-Identifier: BSD-3-Clause
/* The list of operations seen through functions. */
#include "api.h"

int main(void)
{
  is_int(hed_op_count(), HED_OP_COUNT_, "as many operations as the list has rows");
  is_str(hed_op_name(HED_OP_ADD), "add", "name of an operation");
  is_str(hed_op_name(-1), "?", "no name below the list");
  is_str(hed_op_name(HED_OP_COUNT_), "?", "no name beyond the list");
  is_int(hed_op_by_name("rigid_transform"), HED_OP_RIGID_TRANSFORM, "operation by name");
  is_int(hed_op_by_name("nothing"), -1, "no operation of that name");
  is_int(hed_op_by_name(NULL), -1, "NULL names nothing");
  bool round = true;
  for (int op = 0; op < hed_op_count(); op++)
    round = round && hed_op_by_name(hed_op_name(op)) == op;
  ok(round, "names are distinct and lead back");

  hed_op_info info = { .struct_size = sizeof info };
  is_int(hed_op_query(HED_OP_VAR, &info), HED_OK, "query");
  is_str(info.name, "var", "its name");
  is_str(info.family, "reduce", "its family");
  is_str(info.impl, "KERNEL", "how it is done");
  is_str(info.domain, "bifc", "its domain");
  is_str(info.result, "FLOAT_REALPART", "its dtype rule");
  is_str(info.args, "x:array opt:hed_reduce", "its arguments");
  is_int(info.results, 1, "its results");
  info.struct_size = sizeof info;
  hed_op_query(HED_OP_SVD, &info);
  is_int(info.results, 3, "svd has three results");

  struct { uint32_t size; int32_t op; const char *name, *guard; } small = { 16, 0, NULL, "kept" };
  is_int(hed_op_query(HED_OP_ADD, (hed_op_info *)(void *)&small), HED_OK, "an older caller's smaller struct");
  is_str(small.name, "add", "gets what it knows");
  is_str(small.guard, "kept", "and nothing beyond its size");

  info.struct_size = 0;
  API_FAIL(hed_op_query(0, &info), HED_E_INVAL, "struct_size");
  info.struct_size = sizeof info;
  API_FAIL(hed_op_query(HED_OP_COUNT_, &info), HED_E_INVAL, "does not exist");
  API_FAIL(hed_op_query(0, NULL), HED_E_INVAL, "out is NULL");
  done_testing();
  return done();
}
