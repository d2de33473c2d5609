# SPDX-License-Identifier: BSD-3-Clause
# What the installed headers and the list of operations say, for those who write something from it: the first of two
# programs of an awk, on ops.h, ops.def and then the other headers.  The second one has the functions that are called here:
#
#   file_begins()                     a file follows, FILENAME
#   header_read(TEXT)                 the comment at its head
#   family_row(NAME, SECTION)         a row of a regular family, in a section of ops.def
#   family_declaration(NAME, TEXT)    one of its declarations, from the macros in ops.h
#   declaration(TEXT, BESIDE)         a whole declaration and the comment beside it; comment has what stands above
#   type_read(NAME, TEXT)             a typedef of a struct or an enum
#
# group_page is 0 at the first declaration of a group (no blank line between), for the second program to set.  row_doc,
# row_domain, row_impl, row_result, row_id and aliases say what the rows are, row_order in which order they come.  macros has the
# names of all macros of the core but those that end in an underscore.

function trim(s) { sub(/^[ \t\n]+/, "", s); sub(/[ \t\n]+$/, "", s); gsub(/[ \t]+/, " ", s); return s }

# Text of a comment: without its marks.
function plain(s) { gsub(/\/\*|\*\//, " ", s); s = trim(s); gsub(/ *\n */, "\n", s); return s }

function function_of(s) {
  gsub(/HED_(PRINTF|DEPRECATED)\([^)]*\) */, "", s)
  return match(s, /hed_[A-Za-z0-9_]+ *\(/) ? trim(substr(s, RSTART, RLENGTH - 1)) : ""
}

# The operation that a function is a form of, or "".
function operation_of(f, base) {
  base = f
  sub(/^hed_/, "", base)
  if (base in row) return base
  sub(/_into$/, "", base)
  if (base in row) return base
  sub(/_(scalar|complex|int)$/, "", base)
  if (base in row) return base
  sub(/^scalar_/, "", base)
  return base in row ? base : ""
}

FNR == 1 {
  in_comment = in_define = in_struct = 0
  comment = ""
  pending = ""
  head = FILENAME !~ /\.def$/
  in_def = !head
  file_begins()
}

# ---- ops.def: rows, and the sections they are in

in_def && /^\/\* ---- .* ---- \*\/$/ { t = $0; sub(/^\/\* ---- /, "", t); sub(/ ---- \*\/$/, "", t); def_section = t; next }
in_def && /^HED_(UNARY|BINARY|MAP|REDUCE|OP)\(/ {
  n = split($0, q, "\"")
  split(q[1], a, /[(,]/)
  name = trim(a[3])
  family = a[1]
  sub(/^HED_/, "", family)
  row[name] = family
  row_order[++rows] = name
  row_id[name] = trim(a[2])
  row_doc[name] = q[n - 1]
  row_domain[name] = q[2]
  row_impl[name] = family == "OP" ? trim(a[4]) : "KERNEL"
  split(q[3], r, ",")
  row_result[name] = trim(r[2])
  if (family != "OP" && family != "MAP") {
    family_row(name, def_section)
    k = split(template[family], d, ";")
    for (i = 1; i < k; i++) {
      gsub(/##name##/, name, d[i])
      gsub(/##name/, name, d[i])
      family_declaration(name, d[i] ";")
    }
  }
  next
}
in_def && /^HED_ALIAS/ {
  split($0, a, /[(,) ]+/)
  s = " hed_" a[2]
  if (/^HED_ALIAS_(INTO|BINARY)/) s = s " hed_" a[2] "_into"
  if (/^HED_ALIAS_BINARY/)
    s = s " hed_" a[2] "_scalar hed_scalar_" a[2] " hed_" a[2] "_scalar_into hed_scalar_" a[2] "_into"
  aliases[a[3]] = aliases[a[3]] s
  next
}
in_def { next }

# ---- headers

# The macros of the families: their declarations are templates.
/^#define HED_(UNARY|BINARY|REDUCE)\(/ {
  family = $2
  sub(/^HED_/, "", family)
  sub(/\(.*/, "", family)
  in_define = 1
  template_of = family
  next
}
in_define || /^[ \t]*#/ {
  line = $0
  if (FILENAME !~ /kits\// && line ~ /^#? *# *define HED_[A-Z0-9_]*[A-Z0-9]([( ]|$)/) {
    split(line, q, /[ (]+/)
    macros[q[2 + (q[1] == "#")]] = 1
  }
  more = sub(/\\$/, "", line)
  if (in_define && template_of != "") template[template_of] = template[template_of] line
  in_define = more
  if (!more) template_of = ""
  next
}

in_comment {
  if (/^ *\*\/$/) line = "*/"
  else {
    line = $0
    sub(/^ \* ?/, "", line)
    # A line that is set apart, an indented one or "name   what it is", begins a paragraph.
    if (line ~ /^  [^ ]/ || line ~ /^[^ ].*[^ ]   *[^ ]/) line = "\n" line
  }
  comment = comment " " line
  if (line ~ /\*\//) {
    in_comment = 0
    if (head) { head_done(); comment = "" }
  }
  next
}

# The comment at the head of a header: what the header is about.
function head_done(t) {
  head = 0
  t = plain(comment)
  sub(/ *Conventions: <heddle\/ops.h>\.$/, "", t)
  header_read(t)
}

/^\/\/ SPDX/ { next }
/^[ \t]*$/ { if (!in_struct) { comment = ""; group_page = 0 } ; next }
/^\/\* ---- .* ---- \*\/$/ { comment = ""; group_page = 0; next }
!in_struct && pending == "" && /^\/\*/ {
  comment = $0
  group_page = 0
  if ($0 !~ /\*\//) in_comment = 1
  else if (head) { head_done(); comment = "" }
  next
}
!in_struct && /^typedef (struct|enum) [a-z_0-9]+ *\{/ {
  struct_name = $3
  struct_text = (comment == "" ? "" : "") $0
  in_struct = $0 !~ /\} *[a-z_0-9]+;/
  if (!in_struct) type_read(struct_name, struct_text)
  next
}
in_struct {
  struct_text = struct_text "\n" $0
  if (/^\}/) { in_struct = 0; type_read(struct_name, struct_text) }
  next
}
pending != "" || /^HED_(API|NEW)/ {
  line = $0
  if (pending == "" ) beside = ""
  pending = pending " " line
  if (line ~ /;/) {
    t = pending
    pending = ""
    i = index(t, ";")
    beside = substr(t, i + 1)
    if (beside ~ /\/\*/ && beside !~ /\*\//) { pending_beside = 1; pending = t; next }
    if (t !~ /HED_API extern|extern HED_API/) declaration(substr(t, 1, i), beside)
  }
  next
}
