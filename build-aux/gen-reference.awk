# SPDX-License-Identifier: BSD-3-Clause
# Reference pages from the installed headers and the list of operations.
#
#   awk -f gen-reference.awk -v mode=man -v dir=DIR -v version=V  ops.h ops.def HEADER...   DIR/hed_NAME.3, one per page
#   awk -f gen-reference.awk -v mode=texi                         ops.h ops.def HEADER...   Texinfo on standard output
#
# A page is an operation with all its forms (hed_add, hed_add_into ...), or a function that is not an operation, with
# those declared in the same group (no blank line between) and described by the same comment.  What it says is the row
# of ops.def, the comment above the group, the comment beside the declaration, and the structs that the declarations
# mention.  The families' declarations are taken from the macros in ops.h.

function trim(s) { sub(/^[ \t\n]+/, "", s); sub(/[ \t\n]+$/, "", s); gsub(/[ \t]+/, " ", s); return s }

# Text of a comment: without its marks.
function plain(s) { gsub(/\/\*|\*\//, " ", s); s = trim(s); gsub(/ *\n */, "\n", s); return s }

function function_of(s) {
  gsub(/HED_PRINTF\([^)]*\)/, "", s)
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

function page_new(name, where) {
  if (!(name in page)) {
    page[name] = ++pages
    page_name[pages] = name
    page_section[pages] = where
    protos[pages] = 0
    page_kit[pages] = FILENAME ~ /\/kits\// ? substr(FILENAME, match(FILENAME, /heddle\/kits\//)) : ""
  }
  return page[name]
}

function add_text(p, s) {
  s = plain(s)
  if (s != "" && index("\n" text[p] "\n", "\n" s "\n") == 0)
    text[p] = text[p] (text[p] == "" ? "" : "\n") s
}

function add_proto(p, s, f) {
  gsub(/\/\*[^*]*\*\//, "", s)
  sub(/HED_API */, "", s)
  s = trim(s)
  gsub(/ ,/, ",", s)
  gsub(/ \)/, ")", s)
  f = function_of(s)
  if (f == "" || f in proto_page) return
  proto_page[f] = p
  proto[p, ++protos[p]] = s
  proto_name[p, protos[p]] = f
}

# One whole declaration, with the comment of its group.
function declaration(s, beside, f, op, p) {
  f = function_of(s)
  if (f == "") return
  op = operation_of(f)
  if (op != "") p = page_new("hed_" op, section)
  else {
    if (!group_page) group_page = page_new(f, section)
    p = group_page
  }
  add_proto(p, s)
  if (page_section[p] == "" || op != "") page_section[p] = section
  add_text(p, comment)
  if (beside != "") add_text(p, f ": " plain(beside))
}

function new_section(title) {
  section = ++sections
  section_title[section] = title
}

FNR == 1 {
  in_comment = in_define = in_struct = 0
  comment = ""
  pending = ""
  head = FILENAME !~ /\.def$/
  in_def = !head
  section = ""
}

# ---- ops.def: rows, and the sections they are in

in_def && /^\/\* ---- .* ---- \*\/$/ { t = $0; sub(/^\/\* ---- /, "", t); sub(/ ---- \*\/$/, "", t); def_section = t; next }
in_def && /^HED_(UNARY|BINARY|MAP|REDUCE|OP)\(/ {
  split($0, q, "\"")
  n = split($0, q, "\"")
  split(q[1], a, /[(,]/)
  name = trim(a[3])
  family = a[1]
  sub(/^HED_/, "", family)
  row[name] = family
  row_doc[name] = q[n - 1]
  row_domain[name] = q[2]
  row_impl[name] = family == "OP" ? trim(a[4]) : "KERNEL"
  split(q[3], r, ",")
  row_result[name] = trim(r[2])
  if (family != "OP" && family != "MAP") {
    if (!(def_section in def_sections)) {
      new_section(toupper(substr(def_section, 1, 1)) substr(def_section, 2))
      def_sections[def_section] = section
    }
    p = page_new("hed_" name, def_sections[def_section])
    k = split(template[family], d, ";")
    for (i = 1; i < k; i++) {
      gsub(/##name##/, name, d[i])
      gsub(/##name/, name, d[i])
      add_proto(p, d[i] ";")
    }
  }
  next
}
in_def && /^HED_ALIAS\(/ {
  split($0, a, /[(,)]/)
  aliases[trim(a[3])] = aliases[trim(a[3])] " hed_" trim(a[2])
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

function head_done(t) {
  head = 0
  t = plain(comment)
  sub(/ *Conventions: <heddle\/ops.h>\.$/, "", t)
  new_section("")
  section_intro[section] = t
  sub(/[.:].*/, "", t)
  section_title[section] = t
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
  if (!in_struct) structs[struct_name] = struct_text
  next
}
in_struct {
  struct_text = struct_text "\n" $0
  if (/^\}/) { in_struct = 0; structs[struct_name] = struct_text }
  next
}
pending != "" || /^HED_API/ {
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

# ---- what came of it

function kinds(domain, s) {
  s = ""
  if (domain ~ /b/) s = s ", bool"
  if (domain ~ /i/) s = s ", integers"
  if (domain ~ /f/) s = s ", floating point"
  if (domain ~ /c/) s = s ", complex"
  sub(/^, /, "", s)
  return s
}

function result_text(r) {
  return r == "SAME" ? "the type that the operands promote to" : \
    r == "BOOL" ? "bool" : \
    r == "REALPART" ? "the operands' type; for a complex type its real type" : \
    r == "FLOAT" ? "the operands' type; for bool and integers the context's REAL" : \
    r == "FLOAT_REALPART" ? "the operands' type; for bool and integers the context's REAL, for a complex type its real type" : \
    r == "INDEX" ? "int64" : \
    r == "ACCUM" ? "the operands' type; bool and integers widen to int64 or uint64" : \
    "as the arguments say"
}

function impl_text(s) {
  return s == "KERNEL" ? "a kernel of the backend, or the reference kernel where it has none" : \
    s == "VIEW" ? "a view that shares storage" : "other operations on the same backend"
}

# First sentence, for the NAME line.
function brief(p, op, s) {
  op = substr(page_name[p], 5)
  if (op in row) return row_doc[op]
  s = text[p]
  sub(/\n.*/, "", s)
  if (match(s, /[.;] /)) s = substr(s, 1, RSTART - 1)
  sub(/\.$/, "", s)
  sub(/^hed_[a-z_0-9]*: /, "", s)
  return s == "" ? "function of the Heddle library" : s
}

# Structs that the page's declarations mention, each once.
function structs_of(p, i, w, n, k, s, seen) {
  s = ""
  for (i = 1; i <= protos[p]; i++) {
    n = split(proto[p, i], w, /[^A-Za-z0-9_]+/)
    for (k = 1; k <= n; k++)
      if (w[k] in structs && w[k] !~ /^hed_(array|shape|axes|status|frame|op)$/ && index(seen, " " w[k] " ") == 0) {
        seen = seen " " w[k] " "
        s = s (s == "" ? "" : "\n\n") structs[w[k]]
      }
  }
  return s
}

# A line of roff must not begin with a request.
function guarded(s) { return s ~ /^[.']/ ? "\\&" s : s }
function escaped(s) { gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s); return s }
function lines_of(s, between, n, a, i, t) {
  n = split(escaped(s), a, "\n")
  t = guarded(a[1])
  for (i = 2; i <= n; i++) t = t between guarded(a[i])
  return t
}
function roff(s) { return lines_of(s, "\n.PP\n") }
function verbatim(s) { return lines_of(s, "\n") }

function returns(p, i, arrays, statuses) {
  for (i = 1; i <= protos[p]; i++)
    if (proto[p, i] ~ /^hed_array/) arrays++
    else statuses++
  return !statuses ? "A new array that the caller releases, or NULL" : \
    !arrays ? "HED_OK (0), or a negative status" : \
    "Forms that return an array: a new one that the caller releases, or NULL. The others: HED_OK (0), or a negative status. NULL or the status come"
}

function man_page(p, name, file, i, op, s, all, n, a) {
  name = page_name[p]
  op = substr(name, 5)
  file = dir "/" name ".3"
  all = name
  for (i = 1; i <= protos[p]; i++)
    if (proto_name[p, i] != name) all = all ", " proto_name[p, i]
  n = op in row ? split(trim(aliases[op]), a, " ") : 0
  for (i = 1; i <= n; i++) all = all ", " a[i]
  printf ".\\\" made from the headers\n.TH %s 3 \"\" \"Heddle %s\" \"Heddle\"\n", toupper(name), version >file
  printf ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.nf\n.B #include <heddle.h>\n.PP\n", all, roff(brief(p)) >file
  if (page_kit[p] != "") printf ".B #include <%s>\n.PP\n", page_kit[p] >file
  for (i = 1; i <= protos[p]; i++) printf "%s\n", verbatim(proto[p, i]) >file
  printf ".fi\n" >file
  if (text[p] != "" || op in row) {
    printf ".SH DESCRIPTION\n" >file
    if (op in row) printf "%s.\n", roff(row_doc[op]) >file
    if (text[p] != "") printf "%s%s\n", op in row ? ".PP\n" : "", roff(text[p]) >file
  }
  s = structs_of(p)
  if (s != "") printf ".SH TYPES\n.nf\n%s\n.fi\n", verbatim(s) >file
  if (op in row) {
    printf ".SH ELEMENT TYPES\nOperands: %s.\n.br\nResult: %s.\n.br\nDone by: %s.\n", kinds(row_domain[op]), \
      result_text(row_result[op]), impl_text(row_impl[op]) >file
    printf ".SH RETURN VALUE\n%s with\n.BR hed_error (3)\nset. A NULL array as an argument gives the same and\n", \
      returns(p) >file
    printf "leaves the error standing that caused it.\n" >file
  }
  printf ".SH SEE ALSO\n.BR heddle (3);\nthe manual: info heddle\n" >file
  close(file)
  for (i = 1; i <= protos[p]; i++)
    if (proto_name[p, i] != name) also(proto_name[p, i], name)
  for (i = 1; i <= n; i++) also(a[i], name)
}
# All pages by section.
function man_overview(file, s, p, used) {
  printf ".\\\" made from the headers\n.TH HEDDLE 3 \"\" \"Heddle %s\" \"Heddle\"\n", version >file
  printf ".SH NAME\nheddle \\- array backends per thread: the functions of the library\n.SH SYNOPSIS\n" >file
  printf ".B #include <heddle.h>\n.PP\ncc prog.c $(pkg\\-config \\-\\-cflags \\-\\-libs heddle)\n" >file
  for (s = 1; s <= sections; s++) {
    used = 0
    for (p = 1; p <= pages; p++) if (page_section[p] == s && protos[p]) {
      if (!used++) {
        printf ".SH %s\n", roff(toupper(section_title[s])) >file
        if (section_intro[s] != "") printf "%s\n", roff(section_intro[s]) >file
      }
      printf ".TP\n.BR %s (3)\n%s\n", page_name[p], roff(brief(p)) >file
    }
  }
  printf ".SH SEE ALSO\n.BR heddle (1);\nthe manual: info heddle\n" >file
  close(file)
}

function also(alias, name, file) {
  file = dir "/" alias ".3"
  printf ".so man3/%s.3\n", name >file
  close(file)
}

function texi(s) { gsub(/[@{}]/, "@&", s); gsub(/\n/, "\n\n", s); return s }
function deftype(s, first, f, type, args) {
  f = function_of(s)
  match(s, /hed_[A-Za-z0-9_]+ *\(/)
  type = trim(substr(s, 1, RSTART - 1))
  args = substr(s, RSTART + RLENGTH - 1)
  sub(/;$/, "", args)
  return (first ? "@deftypefun" : "@deftypefunx") " {" texi(type) "} " f " " texi(args)
}
function texi_page(p, i, op, s) {
  op = substr(page_name[p], 5)
  for (i = 1; i <= protos[p]; i++) print deftype(proto[p, i], i == 1)
  if (op in row) print texi(row_doc[op]) ".\n"
  if (text[p] != "") print texi(text[p]) "\n"
  if (op in row) {
    print "Types: " kinds(row_domain[op]) ". Result: " result_text(row_result[op]) ". Done by: " \
      impl_text(row_impl[op]) "."
    s = trim(aliases[op])
    gsub(/ /, "}, @code{", s)
    if (s != "") print "Also called @code{" s "}."
  }
  print "@end deftypefun\n"
}

END {
  if (mode == "man") {
    for (p = 1; p <= pages; p++) if (protos[p]) man_page(p)
    man_overview(dir "/heddle.3")
    exit
  }
  for (s = 1; s <= sections; s++) {
    used = 0
    for (p = 1; p <= pages; p++) if (page_section[p] == s && protos[p]) used++
    if (!used) continue
    print "@section " texi(section_title[s]) "\n"
    if (section_intro[s] != "") print texi(section_intro[s]) "\n"
    for (p = 1; p <= pages; p++) if (page_section[p] == s && protos[p]) texi_page(p)
  }
}
