# SPDX-License-Identifier: BSD-3-Clause
# Reference pages from the installed headers and the list of operations.
#
#   awk -f headers.awk -f pages.awk -f gen-reference.awk -v stanzas="PAGES..." -v mode=man -v dir=DIR -v version=V  FILE...
#     DIR/hed_NAME.3, one per page;  -v mode=texi: Texinfo on standard output;  lint, c, out: see pages.awk
#
# A page is an operation with all its forms (hed_add, hed_add_into ...), or a function that is not an operation, with
# those declared in the same group (no blank line between) and described by the same comment.  What it says is the row
# of ops.def, the comment above the group, the comment beside the declaration, and the structs that the declarations
# mention.  The families' declarations are taken from the macros in ops.h.

function page_new(name, where) {
  if (!(name in page)) {
    page[name] = ++pages
    page_name[pages] = name
    page_section[pages] = where
    protos[pages] = 0
    page_kit[pages] = FILENAME ~ /\/kits\// ? substr(FILENAME, match(FILENAME, /heddle\/kits\//)) : ""
    # Headers that <heddle.h> does not include.
    page_header[pages] = page_kit[pages]
    if (FILENAME ~ /heddle\/(backend|kernel|reflect|words)\.h$/) page_header[pages] = substr(FILENAME, match(FILENAME, /heddle\/[a-z]+\.h$/))
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
  sub(/HED_(API|NEW) */, "", s)
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

function file_begins() { section = "" }
function header_read(t) {
  new_section("")
  section_intro[section] = t
  sub(/[.:].*/, "", t)
  section_title[section] = t
}
function family_row(name, title) {
  if (!(title in def_sections)) {
    new_section(toupper(substr(title, 1, 1)) substr(title, 2))
    def_sections[title] = section
  }
  family_page = page_new("hed_" name, def_sections[title])
}
function family_declaration(name, s) { add_proto(family_page, s) }
function type_read(name, s) { structs[name] = s }

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
  op = short_name(page_name[p])
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
  op = short_name(name)
  file = dir "/" name ".3"
  all = name
  for (i = 1; i <= protos[p]; i++)
    if (proto_name[p, i] != name) all = all ", " proto_name[p, i]
  n = op in row ? split(trim(aliases[op]), a, " ") : 0
  for (i = 1; i <= n; i++) all = all ", " a[i]
  printf ".\\\" made from the headers\n.TH %s 3 \"\" \"Heddle %s\" \"Heddle\"\n", toupper(name), version >file
  printf ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.nf\n.B #include <heddle.h>\n.PP\n", all, roff(brief(p)) >file
  if (page_header[p] != "") printf ".B #include <%s>\n.PP\n", page_header[p] >file
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
  man_stanza(p, op, file)
  printf ".SH SEE ALSO\n%s.BR heddle (3);\nthe manual: info heddle\n", man_relatives(p, op) >file
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
  if (s ~ /^HED_/) {
    sub(/[ (]/, " &", s)
    return (first ? "@defmac " : "@defmacx ") texi(s)
  }
  f = function_of(s)
  match(s, /hed_[A-Za-z0-9_]+ *\(/)
  type = trim(substr(s, 1, RSTART - 1))
  args = substr(s, RSTART + RLENGTH - 1)
  sub(/;$/, "", args)
  return (first ? "@deftypefun" : "@deftypefunx") " {" texi(type) "} " f " " texi(args)
}
function texi_page(p, i, op, s) {
  op = short_name(page_name[p])
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
  texi_stanza(op)
  print (op ~ /^HED_/ ? "@end defmac\n" : "@end deftypefun\n")
}

END {
  read_stanzas(stanzas)
  if (mode == "lint") page_lint()
  if (mode == "c") page_program()
  if (mode == "out") page_outputs()
  if (mode == "text") page_texts()
  if (mode == "names") names_table(library)
  if (mode ~ /^(lint|c|out|text|names)$/) exit (faults > 0)
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
