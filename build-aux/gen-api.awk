# SPDX-License-Identifier: BSD-3-Clause
# The interface as data: lib/api/api_rows.inc, the tables behind <heddle/reflect.h>.
#
#   awk -f headers.awk -f gen-api.awk -v notes=arguments.def  ops.h ops.def HEADER...
#
# With -v only=heddle/kits/ the rows are those of headers in that folder; the others say what their types are.
#
# Types, offsets and values are the compiler's: it computes them in the rows, and checks each prototype against its row.
# What this program does not understand stops the build.

function fail(s) { print "gen-api.awk: " s >"/dev/stderr"; failed = 1; exit 1 }
function quoted(s) {
  gsub(/\\/, "&&", s)
  gsub(/"/, "\\\"", s)
  gsub(/\n/, "\\n", s)
  return "\"" s "\""
}
function or_null(s) { return s == "" ? "NULL" : quoted(s) }

# ---- what headers.awk calls

function file_begins() {
  header = FILENAME
  sub(/.*\/include\//, "", header)
  sub(/^include\//, "", header)
}
function header_read(t) {   # "public header of the match kit"
  if (!match(t, /public header of the [a-z]+ kit/)) return
  split(substr(t, RSTART, RLENGTH), kit_words, " ")
  kit_of[++kits] = kit_words[5]
  kit_header[kits] = header
}
function family_row(name, title) { family_of = name }
function family_declaration(name, s) { keep(s, row_doc[name], "heddle/ops.h") }
function declaration(s, beside, t) {
  t = plain(comment)
  beside = plain(beside)
  keep(s, t == "" ? beside : beside == "" ? t : t "\n" beside, header)
}
function keep(s, doc, where, f) {
  gsub(/\/\*[^*]*\*\//, "", s)
  sub(/HED_(API|NEW) */, "", s)
  sub(/HED_MUST */, "", s)
  gsub(/HED_(PRINTF|DEPRECATED)\([^)]*\) */, "", s)
  f = function_of(s)
  if (f == "" || f in function_number) return
  function_number[f] = ++functions
  function_name[functions] = f
  function_text[functions] = trim(s)
  function_doc[functions] = doc
  function_header[functions] = where
}
function type_read(name, s, kind) {
  # hed_op, hed_status and hed_dtype_id are lists of their own, made by macros.
  if (name ~ /_$/ || name ~ /^hed_(op|status|dtype_id)$/ || name in type_kind) return
  kind = s ~ /^typedef enum/ ? "enum" : "struct"
  type_kind[name] = kind
  type_text[name] = s
  type_header[name] = header
  type_doc[name] = plain(comment)
  type_order[++types] = name
}

function wanted(where) { return only == "" || index(where, only) == 1 }

# ---- notes: arguments.def

function read_notes(file, line, a, n, what, rest) {
  while ((getline line < file) > 0) {
    if (line !~ /^HED_/) continue
    what = line
    sub(/^HED_/, "", what)
    sub(/\(.*/, "", what)
    rest = line
    sub(/^[A-Z_]*\(/, "", rest)
    sub(/\) *$/, "", rest)
    n = index(rest, ",")
    a = substr(rest, 1, n - 1)
    rest = trim(substr(rest, n + 1))
    n = index(rest, ",")
    line = n ? trim(substr(rest, n + 1)) : "1"
    if (n) rest = substr(rest, 1, n - 1)
    note[what, a, trim(rest)] = line
    note_of[what, a, trim(rest)] = a
  }
}
# What is noted about an argument of function F, a form of OP or of "", or about a field of a struct hed_F.
function noted(what, f, op, argument, base) {
  base = substr(f, 5)
  if ((what, base, argument) in note) { note_used[what, base, argument]; return note[what, base, argument] }
  sub(/_into$/, "", base)
  if ((what, base, argument) in note) { note_used[what, base, argument]; return note[what, base, argument] }
  if (op == "" && only == "") return ""
  if ((what, op, argument) in note) { note_used[what, op, argument]; return note[what, op, argument] }
  if ((what, "*", argument) in note) { note_used[what, "*", argument]; return note[what, "*", argument] }
  return ""
}

# What is said of a struct or handle wherever it stands.
function type_traits(t) { return noted("TRAIT", "hed_" t, "", "*") }

# ---- types

# Splits a declarator, "const hed_array *x" or "double out[2]", into decl_type and decl_name.
function split_declarator(s) {
  s = trim(s)
  gsub(/struct hed_/, "hed_", s)
  decl_count = ""
  if (s ~ /\(\*/) { # a pointer to a function
    match(s, /\(\*[a-z_0-9]+\)/)
    decl_name = substr(s, RSTART + 2, RLENGTH - 3)
    decl_type = substr(s, 1, RSTART + 1) substr(s, RSTART + RLENGTH - 1)
    return
  }
  while (match(s, /\[[^\]]*\]$/)) { # of several dimensions, all of their elements
    decl_count = substr(s, RSTART + 1, RLENGTH - 2) (decl_count == "" ? "" : " * " decl_count)
    s = substr(s, 1, RSTART - 1)
  }
  match(s, /[A-Za-z_0-9]+$/)
  decl_name = substr(s, RSTART)
  decl_type = trim(substr(s, 1, RSTART - 1))
}
function base_type(t) { gsub(/const |struct |\*|const$/, "", t); return trim(t) }

# Kind of a C type; LIST: a pointer is to more than one.
function kind_of(t, list, b) {
  b = base_type(t)
  if (t ~ /\(/ || t ~ /_(fn|function)$/) return "callback"
  if (t ~ /^(const )?hed_array \*const \*$/) return "arrays"
  if (b == "hed_array") return list && t ~ /\*\*/ ? "arrays" : "array"
  if (t ~ /^const char \*(const )?\*$/) return "strings"
  if (t == "const char *") return "string"
  if (b == "char") return "text"
  if (b == "void") return "data"
  if (b == "FILE") return "stream"
  if (b == "hed_dtype") return t ~ /\*/ ? "dtypes" : "dtype"
  if (b == "hed_shape") return list ? "shapes" : "shape"
  if (b == "hed_axes") return "axes"
  if (b == "hed_key") return "keys"
  if (b == "hed_slice_range") return "slices"
  if (b == "bool") return "bool"
  if (b == "double") return t ~ /\*/ ? "doubles" : "scalar"
  if (b ~ /^(int|u?int(8|32|64)_t|size_t|intptr_t)$/) return t ~ /\*/ ? "ints" : "int"
  if (b in type_kind) return type_kind[b]
  if (b ~ /^hed_(status|dtype_id|op)$/) return "int"
  if (b ~ /^(hed_[a-z_]+|DLManagedTensor(Versioned)?|pthread(_attr)?_t)$/) return "handle"
  fail("no kind for the type '" t "'")
}

function mention(t, b) {
  b = base_type(t)
  if (b in type_kind) mentioned[b] = 1
}

# ---- structs: fields into field_*[name, k]; the comment on a line belongs to what is declared on it, one above to what follows

function fields_of(name, s, doc, d, part, n, i, first, k, b, own_line) {
  s = type_text[name]
  s = substr(s, index(s, "{") + 1)
  sub(/\}[^}]*$/, "", s)
  k = 0
  first = 1
  own_line = 1
  doc = ""
  while (1) {
    if (match(s, /^[ \t\n]+/)) {
      if (substr(s, 1, RLENGTH) ~ /\n/) own_line = 1
      s = substr(s, RLENGTH + 1)
    }
    if (s == "") break
    if (substr(s, 1, 2) == "/*") {
      i = index(s, "*/")
      d = substr(s, 1, i + 1)
      gsub(/\n *\*/, " ", d)
      d = plain(d)
      gsub(/\n/, " ", d)
      s = substr(s, i + 2)
      if (own_line) doc = doc (doc == "" ? "" : " ") d
      else for (i = first; i <= k; i++) field_doc[name, i] = field_doc[name, i] (field_doc[name, i] == "" ? "" : " ") d
      continue
    }
    i = index(s, ";")
    d = substr(s, 1, i - 1)
    s = substr(s, i + 1)
    own_line = 0
    first = k + 1
    n = d ~ /\(/ ? 1 : split(d, part, ",")
    if (n == 1) part[1] = d
    b = ""
    for (i = 1; i <= n; i++) {
      split_declarator(b part[i])
      if (i == 1) { b = decl_type; sub(/ *\*+$/, "", b); b = b " " }
      field_name[name, ++k] = decl_name
      field_type[name, k] = decl_type
      field_count[name, k] = decl_count
      field_doc[name, k] = doc
    }
    doc = ""
  }
  return k
}
# The enumeration that an integer field's comment begins with.
function enum_in(doc, w) {
  w = doc
  sub(/[^a-z_0-9].*/, "", w)
  return w in type_kind && type_kind[w] == "enum" ? w : ""
}

function struct_rows(name, n, k, kind, e, t) {
  n = fields_of(name)
  printf "static const hed_api_field fields_%s[] = {\n", name
  for (k = 1; k <= n; k++) {
    t = field_type[name, k]
    kind = kind_of(t, noted("LENGTH", "hed_" name, "", field_name[name, k]) != "")
    if (kind == "array" && t ~ /\*const \*/) kind = "arrays"
    e = type_kind[base_type(t)] != "" ? base_type(t) : kind == "handle" ? base_type(t) : ""
    if (kind == "int" && enum_in(field_doc[name, k]) != "") { kind = "enum"; e = enum_in(field_doc[name, k]) }
    if (noted("ENUM", "hed_" name, "", field_name[name, k]) != "") {
      kind = "enum"
      e = noted("ENUM", "hed_" name, "", field_name[name, k])
    }
    if (e ~ /^hed_(axes|shape)$/) e = ""
    if (e != "") mentioned[e] = 1
    printf "  { %s, %s, %s, %s, %s, %s, offsetof(%s, %s), sizeof ((%s *)0)->%s, %s, %s },\n", quoted(field_name[name, k]), \
      quoted(kind), quoted(t), quoted(e), quoted(noted("LENGTH", "hed_" name, "", field_name[name, k])), \
      quoted(field_doc[name, k]), name, field_name[name, k], name, field_name[name, k], \
      field_count[name, k] == "" ? "1" : field_count[name, k], \
      quoted(noted("TRAIT", "hed_" name, "", field_name[name, k]))
  }
  print "};"
  field_total[name] = n
}

# ---- enumerations

function common_prefix(a, b, i, at) {
  for (i = 1; i <= length(a) && substr(a, i, 1) == substr(b, i, 1); i++)
    if (substr(a, i, 1) == "_") at = i
  return substr(a, 1, at)
}
function enum_rows(name, s, n, i, a, doc, prefix, c, k, value_name) {
  s = type_text[name]
  s = substr(s, index(s, "{") + 1)
  sub(/\}[^}]*$/, "", s)
  # "NAME, /* text */" and "NAME /* text */": the text goes before the comma
  k = 0
  while (match(s, /HED_[A-Z0-9_]+/)) {
    value_name[++k] = substr(s, RSTART, RLENGTH)
    s = substr(s, RSTART + RLENGTH)
    doc[k] = ""
    if (match(s, /^[^A-Z\/]*\/\*/)) {
      i = index(s, "*/")
      c = substr(s, RSTART + RLENGTH - 2, i - (RSTART + RLENGTH - 2) + 2)
      doc[k] = plain(c)
      s = substr(s, i + 2)
    }
    if (value_name[k] ~ /_$/) k--
  }
  prefix = value_name[1]
  if (k == 1) prefix = "HED_"
  for (i = 2; i <= k; i++) prefix = common_prefix(prefix, value_name[i])
  printf "static const hed_api_enumerator values_%s[] = {\n", name
  for (i = 1; i <= k; i++)
    printf "  { %s, %s, %s, %s },\n", quoted(value_name[i]), quoted(tolower(substr(value_name[i], length(prefix) + 1))), \
      quoted(doc[i]), value_name[i]
  print "};"
  value_total[name] = k
}

# ---- functions

function form_of(f, op, rest) {
  if (op == "") return "function"
  if (f == "hed_" op) return "new"
  if (f == "hed_" op "_into") return "into"
  rest = f ~ /_into$/ ? "_into" : ""
  sub(/_into$/, "", f)
  if (f == "hed_" op "_scalar") return "scalar_right" rest
  if (f == "hed_scalar_" op) return "scalar_left" rest
  if (f == "hed_" op "_complex") return "complex_right" rest
  if (f == "hed_complex_" op) return "complex_left" rest
  return "function"
}
# The operation that F is a form of.
function form_operation(f, base) {
  base = substr(f, 5)
  if (base in row) return base
  sub(/_into$/, "", base)
  if (base in row) return base
  sub(/^(scalar|complex)_/, "", base)
  if (base in row) return base
  base = substr(f, 5)
  sub(/_into$/, "", base)
  sub(/_(scalar|complex)$/, "", base)
  return base in row ? base : ""
}

# Splits at commas outside parentheses into part[].
function split_arguments(s, part, n, depth, i, c, t) {
  n = 0
  depth = 0
  t = ""
  for (i = 1; i <= length(s); i++) {
    c = substr(s, i, 1)
    if (c == "(") depth++
    if (c == ")") depth--
    if (c == "," && !depth) { part[++n] = t; t = "" }
    else t = t c
  }
  part[++n] = t
  return n
}

function function_rows(number, f, s, op, form, returns, ctype, n, i, k, kind, role, e, of, init, null, outs, list, results, types,
                       length_of) {
  f = function_name[number]
  s = function_text[number]
  if (s ~ /\.\.\./) { function_skipped[number] = 1; return }
  op = form_operation(f)
  form = form_of(f, op)
  match(s, f " *\\(")
  ctype = trim(substr(s, 1, RSTART - 1))
  s = substr(s, RSTART + RLENGTH)
  sub(/\) *;$/, "", s)
  n = trim(s) == "void" ? 0 : split_arguments(s, part)
  returns = ctype == "hed_array *" ? "array" : ctype == "hed_status" ? "status" : ctype == "void" ? "void" : "value"
  outs = 0
  list = ""
  types = ""
  for (i = 1; i <= n; i++) {
    split_declarator(part[i])
    arg_name[i] = decl_name
    arg_type[i] = decl_type (decl_count == "" ? "" : " *")
    arg_length[i] = decl_count
    types = types (i > 1 ? ", " : "") arg_type[i]
    if (decl_type == "hed_array **") {
      outs++
      if (noted("RESULTS", f, op, decl_name) != "") list = noted("RESULTS", f, op, decl_name)
      else if (decl_name == "out") fail(f ": how many arrays does out take? Say it by HED_RESULTS in arguments.def")
    }
  }
  results = returns == "array" ? "1" : outs ? (list != "" && list != "1" ? list : outs) : 0
  if (n) printf "static const hed_api_argument args_%s[] = {\n", f
  for (i = 1; i <= n; i++) {
    of = ""
    init = ""
    e = ""
    role = "in"
    null = 0
    list = arg_type[i] == "hed_array **" && noted("RESULTS", f, op, arg_name[i]) ~ /[^0-9]/
    if (base_type(arg_type[i]) == "hed_shape" && arg_name[i] == "shapes") list = 1
    kind = kind_of(arg_type[i], list)
    mention(arg_type[i])
    if (kind ~ /^(enum|struct|handle)$/) e = base_type(arg_type[i])
    if (kind == "int" && noted("ENUM", f, op, arg_name[i]) != "") {
      kind = "enum"
      e = noted("ENUM", f, op, arg_name[i])
      mentioned[e] = 1
    }
    if (arg_type[i] == "hed_array **") {
      role = "out"
      null = noted("REQUIRED", f, op, arg_name[i]) == "" && !list && outs > 1
    } else if (arg_type[i] == "hed_array *")
      role = f ~ /_into$/ && arg_name[i] ~ /^out/ ? "out" : "inout"
    else if (arg_type[i] ~ /\*$/ && arg_type[i] !~ /const/ && kind !~ /^(data|stream)$/ && arg_type[i] !~ /\(/)
      role = kind == "handle" && arg_type[i] !~ /\*\*$/ ? "in" : kind == "struct" && arg_name[i] != "out" ? "inout" : "out"
    if (noted("OUT", f, op, arg_name[i]) != "") role = "out"
    if (noted("INOUT", f, op, arg_name[i]) != "") role = "inout"
    if (kind == "data" && arg_name[i] ~ /arg$/) role = "user"
    if (kind == "int" && (arg_name[i] == "n" || arg_name[i] == "m") && i < n && \
        (arg_type[i + 1] ~ /^const .*\*$/ || arg_type[i + 1] == "hed_array *const *") && \
        arg_type[i + 1] != "const hed_array *" && kind_of(arg_type[i + 1]) != "handle" && \
        arg_type[i + 1] !~ /hed_(axes|shape|random|[a-z_]*options) \*$/ || \
        arg_type[i + 1] == "const hed_shape *" && arg_name[i + 1] == "shapes" && arg_name[i] == "n") {
      role = "count"
      of = arg_name[i + 1]
    }
    if (arg_type[i] ~ /^const hed_(axes|shape) \*$/ && arg_name[i] != "shapes" || arg_name[i] == "opt" || \
        arg_type[i] == "const hed_random *")
      if (noted("REQUIRED", f, op, arg_name[i]) == "") { null = 1; init = "null" }
    if (noted("NULLABLE", f, op, arg_name[i]) != "") {
      null = 1
      if (role == "in") init = "null"
    }
    # Operands are given, whatever they are called.
    if (kind != "array" && noted("REQUIRED", f, op, arg_name[i]) == "" && noted("DEFAULT", f, op, arg_name[i]) != "")
      init = noted("DEFAULT", f, op, arg_name[i])
    length_of = noted("LENGTH", f, op, arg_name[i])
    if (length_of == "") length_of = arg_length[i]
    if (kind == "enum" && init != "" && init !~ /^"/) fail(f ": the default of " arg_name[i] " is no enumerator")
    printf "  { %s, %s, %s, %s, %s, %s, %s, %s, %s, %s },\n", quoted(arg_name[i]), quoted(kind), quoted(role), quoted(arg_type[i]), \
      quoted(e), quoted(of), quoted(length_of), or_null(init), null ? "true" : "false", \
      quoted(trim(noted("TRAIT", f, op, arg_name[i]) " " (e == "" ? "" : type_traits(e))))
  }
  if (n) print "};"
  printf "SAME_(%s, %s, (%s));\n", f, ctype, n ? types : "void"
  function_row[number] = sprintf("{ %s, %s, %s, %s, %s, %s, %s, %s, %d, %s, %s }", quoted(f), quoted(form), quoted(returns), \
    quoted(ctype), quoted(function_header[number]), quoted(results), quoted(function_doc[number]), \
    op == "" ? "-1" : "HED_OP_" row_id[op], n, n ? "args_" f : "NULL", quoted(noted("TRAIT", f, op, "return")))
  if (op != "") has_form[op] = 1
}
END {
  if (failed) exit 1
  read_notes(notes)
  print "// made by build-aux/gen-api.awk"
  for (i = 1; i <= kits; i++) print "#include <" kit_header[i] ">"
  for (i = 1; i <= kits; i++) is_kits[kit_header[i]] = 1
  for (i = 1; only != "" && i <= functions; i++)
    if (wanted(function_header[i]) && !(function_header[i] in is_kits))
      fail(function_header[i] ": its head does not say \"public header of the NAME kit\"")
  for (i = 1; i <= functions; i++)
    if (wanted(function_header[i])) function_rows(i)
    else function_skipped[i] = 1
  # What structs mention comes after them.
  do {
    more = 0
    for (i = 1; i <= types; i++) {
      t = type_order[i]
      if (type_kind[t] == "struct" && wanted(type_header[t]) && (t in mentioned) && !(t in field_total) && t !~ /^hed_(shape|axes)$/) {
        struct_rows(t)
        more = 1
      }
    }
  } while (more)
  for (i = 1; i <= types; i++)
    if (type_kind[type_order[i]] == "enum" && wanted(type_header[type_order[i]])) enum_rows(type_order[i])
  print "static const hed_api_function functions[] = {"
  for (i = 1; i <= functions; i++) if (!(i in function_skipped)) print "  " function_row[i] ","
  print "};\nstatic const hed_api_struct structs[] = {"
  for (i = 1; i <= types; i++) {
    t = type_order[i]
    if (t in field_total)
      printf "  { %s, %s, %s, sizeof(%s), _Alignof(%s), %d, fields_%s, %s },\n", quoted(t), quoted(type_header[t]), \
        quoted(type_doc[t]), t, t, field_total[t], t, quoted(type_traits(t))
  }
  print "};\nstatic const hed_api_enum enums[] = {"
  for (i = 1; i <= types; i++) {
    t = type_order[i]
    if (t in value_total)
      printf "  { %s, %s, %s, %d, values_%s },\n", quoted(t), quoted(type_header[t]), quoted(type_doc[t]), value_total[t], t
  }
  print "};"
  if (only != "") {
    print "static const char *const headers[][2] = {"
    for (i = 1; i <= kits; i++) printf "  { %s, %s },\n", quoted(kit_header[i]), quoted(kit_of[i])
    print "};"
  }
  for (i = 1; only == "" && i <= rows; i++)
    if (!(row_order[i] in has_form) && row_order[i] !~ /^(random|fft)$/) fail("the operation " row_order[i] " has no prototype")
  for (k in note) if (!(k in note_used)) { split(k, w, SUBSEP); fail("HED_" w[1] "(" w[2] ", " w[3] ") fits no argument") }
}
