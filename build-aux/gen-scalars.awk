# SPDX-License-Identifier: BSD-3-Clause
# <heddle/scalars.h>, the forms with a number as macros that keep its type: ops.def in.
function forms(name, id) {
  print "#define hed_" name "_scalar(a, s) hed_apply_scalar(HED_OP_" id ", a, HED_NUMBER(s))"
  print "#define hed_scalar_" name "(s, b) hed_scalar_apply(HED_OP_" id ", HED_NUMBER(s), b)"
  print "#define hed_" name "_scalar_into(out, a, s) hed_apply_scalar_into(out, HED_OP_" id ", a, HED_NUMBER(s))"
  print "#define hed_scalar_" name "_into(out, s, b) hed_scalar_apply_into(out, HED_OP_" id ", HED_NUMBER(s), b)"
}
BEGIN {
  print "// SPDX-License-Identifier: BSD-3-Clause"
  print "/* The forms of operations with a number on a side, made from ops.def: a call keeps the number's type (<heddle/number.h>). The"
  print " * functions of these names, which a pointer or a binding reaches, take it as a double. */"
  print "#ifndef HEDDLE_SCALARS_H\n#define HEDDLE_SCALARS_H\n\n#include <heddle/number.h>\n\n#ifndef HED_PLAIN_HEADERS"
}
/^HED_(BINARY|ALIAS_BINARY)\(/ {
  split($0, w, /[(,) ]+/)
  if (/^HED_BINARY/) id[w[3]] = w[2]
  forms(/^HED_BINARY/ ? w[3] : w[2], id[w[3]])
}
END {
  print "#define hed_where_scalar(condition, a, s) hed_where_number(condition, a, HED_NUMBER(s))"
  print "#define hed_scalar_where(condition, s, b) hed_number_where(condition, HED_NUMBER(s), b)"
  print "#define hed_scalars_where(condition, s, t) hed_numbers_where(condition, HED_NUMBER(s), HED_NUMBER(t))"
  print "#endif\n\n#endif"
}
