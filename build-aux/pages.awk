# SPDX-License-Identifier: BSD-3-Clause
# Pages written by hand, doc/pages/AREA.pages, for gen-reference.awk: what no header or list says of an operation or function.
# A stanza begins with `page NAME', as in hed_NAME, and ends with `end'; its lines are KEY TEXT, going on after two blanks:
#
#   param NAME  WORDS           a parameter of a prototype on the page
#   shape CALL -> (2, 4)  WORDS the shape that a call has; A(2, 3) is an array of float64 of that shape, I(2) one of
#                               int64, B(2) of bool, C(2) of complex128, LIST(A(2), A(2)) a list of arrays
#   error E_SHAPE CALL  WORDS   the status that a call fails with
#   numerics WORDS              rounding, order, limits; how far backends may differ is added from tests/cases.def
#   numpy WORDS                 NumPy's name, or none
#   see NAME...                 pages beside those of the same section
#   c, out                      an example, and what it prints
#
# A stanza `family NAME' has what pages say alike: `page NAME : FAMILY' has those of its keys that it lacks itself, with @ for the
# page's name and $1, $2 .. for the parts between semicolons of its line `with'.
#
# mode=lint prints what is wrong and, as `todo NAME', pages without a stanza; mode=c makes one program of all examples, shapes
# and errors of the file(s) in `stanzas', mode=out what it has to print; mode=text all stanzas as lines NAME, KEY, TEXT, for bindings.

function page_fault(s) { print file_of_stanzas ": " s; faults++ }
function read_stanzas(list, n, a, i) { n = split(list, a, " "); for (i = 1; i <= n; i++) read_stanza_file(a[i]) }
function filled_in(s, op, i) {
  gsub(/@/, op, s)
  for (i = 1; i <= with_parts; i++) gsub("\\$" i, with_part[i], s)
  return s
}
function in_prototypes(p, w, k) {
  for (k = 1; k <= protos[p]; k++) if (proto[p, k] ~ ("[ *]" w "[],)[]")) return 1
  return 0
}
# What the page OP has from its FAMILY, of parameters those that its prototypes have.
function inherit(op, family, keys, n, k, i) {
  if (!(family in is_family)) { page_fault(op ": no family " family); return }
  with_parts = split(field[op, "with", 1], with_part, / *; */)
  n = split("param shape error numerics numpy see", keys, " ")
  for (k = 1; k <= n; k++)
    if (!count[op, keys[k]])
      for (i = 1; i <= count[family, keys[k]]; i++)
        if (keys[k] != "param" || in_prototypes(page["hed_" op], head_of(field[family, "param", i])))
          field[op, keys[k], ++count[op, keys[k]]] = filled_in(field[family, keys[k], i], op)
  if (!count[op, "c"]) { count[op, "c"] = 1; block[op, "c"] = filled_in(block[family, "c"], op) }
}
function read_stanza_file(name, line, key, cur, rest, of) {
  file_of_stanzas = name
  while ((getline line < name) > 0) {
    if ((line ~ /^#/ || line == "") && cur == "") continue
    if (line == "end") { if (of != "") inherit(cur, of); cur = key = of = ""; continue }
    if (line ~ /^  / && (key == "c" || key == "out")) { block[cur, key] = block[cur, key] substr(line, 3) "\n"; continue }
    if (line ~ /^  /) { field[cur, key, count[cur, key]] = field[cur, key, count[cur, key]] " " trim(line); continue }
    key = line
    sub(/ .*/, "", key)
    rest = substr(line, length(key) + 2)
    if (key == "family") { cur = "family " rest; is_family[cur]; continue }
    if (key == "page") { cur = rest; if (sub(/ : .*/, "", cur)) of = "family " substr(rest, length(cur) + 4); if (cur in stanza) page_fault(cur " twice"); stanza[cur] = ++stanzas_read; stanza_at[stanzas_read] = cur; stanza_file[cur] = name; continue }
    if (key !~ /^(param|shape|error|numerics|numpy|see|with|c|out)$/) page_fault(cur ": what is " key "?")
    field[cur, key, ++count[cur, key]] = rest
  }
  close(name)
}
function head_of(s) { return trim(substr(s, 1, index(s "  ", "  ") - 1)) }
function words_of(s) { return trim(substr(s, index(s "  ", "  ") + 2)) }

# What the stanza says, and how far the tests let backends differ.
function numerics_of(op, s, line, a) {
  if (cases != "" && !cases_read++)
    while ((getline line < cases) > 0)
      if (line ~ /^HED_CASE\(/) { gsub(/^HED_CASE\(|[ )]/, "", line); split(line, a, ","); ulps[a[1]] = a[5] }
  s = field[op, "numerics", 1]
  if (op in ulps && op in stanza)
    s = s (s == "" ? "" : " ") (ulps[op] ? "Backends agree with the reference backend to " ulps[op] " ulp." : "Backends agree bit for bit.")
  return s
}

# Those the stanza names, then the nearest of the same section, six in all.
function relatives(p, op, s, i, n, a, q, k) {
  s = " "
  n = count[op, "see"] ? split(field[op, "see", 1], a, " ") : 0
  for (i = 1; i <= n; i++) s = s "hed_" a[i] " "
  for (i = 1; i < 16 && split(s, a, " ") < 6; i++) {
    q = p + (i % 2 ? (i + 1) / 2 : -i / 2)
    if (q >= 1 && q <= pages && page_section[q] == page_section[p] && protos[q] && index(s, " " page_name[q] " ") == 0)
      s = s page_name[q] " "
  }
  return trim(s)
}

# ---- man and Texinfo

function man_items(title, op, key, file, i) {
  if (!count[op, key]) return
  printf ".SH %s\n", title >file
  if (key == "shape")
    print "A(2, 3) stands for an array of float64 of that shape, I for one of int64, B of bool, C of complex128; LIST is a list." >file
  for (i = 1; i <= count[op, key]; i++)
    printf ".TP\n.B %s\n%s\n", verbatim((key == "error" ? "HED_" : "") head_of(field[op, key, i])), roff(words_of(field[op, key, i])) >file
}
function man_stanza(p, op, file) {
  man_items("PARAMETERS", op, "param", file)
  man_items("SHAPES", op, "shape", file)
  man_items("ERRORS", op, "error", file)
  if (numerics_of(op) != "") printf ".SH NOTES\n%s\n", roff(numerics_of(op)) >file
  if ((op, "c") in block) printf ".SH EXAMPLE\n.nf\n%s\n.fi\n.PP\nprints\n.PP\n.nf\n%s\n.fi\n", verbatim(block[op, "c"]), verbatim(block[op, "out"]) >file
  if (count[op, "numpy"]) printf ".SH NUMPY\n%s\n", roff(field[op, "numpy", 1]) >file
}
function man_relatives(p, op, n, a, i, s) {
  n = split(relatives(p, op), a, " ")
  for (i = 1; i <= n; i++) s = s ".BR " a[i] " (3),\n"
  return s
}
function texi_items(title, op, key, i) {
  if (!count[op, key]) return
  print title ":\n@table @code"
  for (i = 1; i <= count[op, key]; i++)
    print "@item " (key == "error" ? "HED_" : "") texi(head_of(field[op, key, i])) "\n" texi(words_of(field[op, key, i]))
  print "@end table\n"
}
function texi_stanza(op) {
  texi_items("Parameters", op, "param")
  texi_items("Shapes", op, "shape")
  texi_items("Errors", op, "error")
  if (numerics_of(op) != "") print texi(numerics_of(op)) "\n"
  if ((op, "c") in block) print "@example\n" verbatim_texi(block[op, "c"]) "@result{}\n" verbatim_texi(block[op, "out"]) "@end example\n"
  if (count[op, "numpy"]) print "NumPy: " texi(field[op, "numpy", 1]) ".\n"
}
function verbatim_texi(s) { gsub(/[@{}]/, "@&", s); return s }

# ---- lint

function page_lint(p, op, k, n, a, i, w) {
  for (op in stanza) {
    file_of_stanzas = stanza_file[op]
    if (!(("hed_" op) in page)) { page_fault(op ": no such page"); continue }
    p = page["hed_" op]
    n = split("param shape error numpy see c out", a, " ")
    for (k = 1; k <= n; k++)
      if (!count[op, a[k]] && !(a[k] == "shape" && proto[p, 1] !~ /^hed_array/)) page_fault(op ": no " a[k])
    for (i = 1; i <= count[op, "param"]; i++) {
      w = head_of(field[op, "param", i])
      if (!in_prototypes(p, w)) page_fault(op ": param " w " is in no prototype")
    }
    n = split(field[op, "see", 1], a, " ")
    for (k = 1; k <= n; k++) if (!(("hed_" a[k]) in page)) page_fault(op ": see " a[k] "?")
  }
  for (p = 1; p <= pages; p++)
    if (protos[p] && !(substr(page_name[p], 5) in stanza) && page_kit[p] == "") print "todo " substr(page_name[p], 5)
}

# ---- the program of all examples

function page_program(i, k, op, s) {
  print "#include <heddle.h>\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
  print "static hed_array *filled(hed_shape s, hed_dtype t)\n{\n  hed_array *x = hed_ones(s, t);\n  return x ? x : (exit(2), NULL);\n}"
  print "#define A(...) filled(HED_SHAPE(__VA_ARGS__), HED_FLOAT64)\n#define I(...) filled(HED_SHAPE(__VA_ARGS__), HED_INT64)"
  print "#define LIST(...) (const hed_array *[]){ __VA_ARGS__ }"
  print "#define B(...) filled(HED_SHAPE(__VA_ARGS__), HED_BOOL)\n#define C(...) filled(HED_SHAPE(__VA_ARGS__), HED_COMPLEX128)\n"
  print "static void shape_is(const char *name, hed_array *x, const char *want)\n{\n  char text[HED_MAX_NDIM * 22] = \"(\";"
  print "  hed_shape s = hed_array_shape(x);\n  for (int k = 0; x && k < s.ndim; k++)"
  print "    snprintf(text + strlen(text), sizeof text - strlen(text), \"%s%lld\", k ? \", \" : \"\", (long long)s.dim[k]);"
  print "  if (!x || strncmp(text, want, strlen(text)) != 0 || strcmp(want + strlen(text), \")\") != 0)"
  print "    printf(\"%s: %s) in place of %s %s\\n\", name, text, want, x ? \"\" : hed_error_text());\n  hed_release(x);\n}\n"
  print "static void refused(const char *name, hed_status want)\n{\n  if (hed_error() != want)"
  print "    printf(\"%s: status %d, not %d: %s\\n\", name, (int)hed_error(), (int)want, hed_error_text());\n  hed_error_clear();\n}\n"
  for (i = 1; i <= stanzas_read; i++) {
    op = stanza_at[i]
    s = block[op, "c"]
    gsub(/\n/, "\n  ", s)
    print "static void example_" op "(void)\n{\n  " substr(s, 1, length(s) - 2) "}\n"
  }
  print "int main(void)\n{"
  for (i = 1; i <= stanzas_read; i++) {
    op = stanza_at[i]
    print "  puts(\"== " op "\");\n  fflush(stdout);\n  example_" op "();\n  hed_error_clear();\n  HED_SCOPE {"
    for (k = 1; k <= count[op, "shape"]; k++) {
      s = head_of(field[op, "shape", k])
      print "    shape_is(\"" op "\", hed_keep(" substr(s, 1, index(s, " -> ") - 1) "), \"" substr(s, index(s, " -> ") + 4) "\");"
    }
    for (k = 1; k <= count[op, "error"]; k++) {
      s = head_of(field[op, "error", k])
      print "    (void)(" substr(s, index(s, " ") + 1) ");\n    refused(\"" op "\", HED_" substr(s, 1, index(s, " ") - 1) ");"
    }
    print "  }"
  }
  print "  return 0;\n}"
}
function page_outputs(i) { for (i = 1; i <= stanzas_read; i++) printf "== %s\n%s", stanza_at[i], block[stanza_at[i], "out"] }

# ---- for bindings

function page_lines(op, key, i, n, a) {
  for (i = 1; i <= count[op, key]; i++) if (field[op, key, i] != "") print op "\t" key "\t" field[op, key, i]
  n = split(block[op, key], a, "\n")
  for (i = 1; i < n; i++) print op "\t" key "\t" a[i]
}
function page_texts(i, k, n, keys) {
  n = split("param error numerics numpy see c out", keys, " ")
  for (i = 1; i <= stanzas_read; i++) for (k = 1; k <= n; k++) page_lines(stanza_at[i], keys[k])
}
