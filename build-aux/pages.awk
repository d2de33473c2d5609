# SPDX-License-Identifier: BSD-3-Clause
# Pages written by hand, doc/pages/AREA.pages, for gen-reference.awk: what no header or list says of an operation or function.
# A stanza begins with `page NAME', as in hed_NAME, and ends with `end'; its lines are KEY TEXT, going on after two blanks:
#
#   macro FORM  WORDS           how a macro is written, for the page of one or several: `page HED_NAME'
#   about WORDS                 and what it is, as no header is read for it
#   param NAME  WORDS           a parameter of a prototype on the page
#   shape CALL -> (2, 4)  WORDS the shape that a call has; A(2, 3) is an array of float64 of that shape, I(2) one of
#                               int64, B(2) of bool, C(2) of complex128, LIST(A(2), A(2)) a list of arrays, FILE_OF(NAME,
#                               TEXT) the name of a file with that text, TREE("weight", A(2, 3)) a tree of parameters of the nn kit,
#                               MODEL("map;dim=4") one of the vsa kit; none: a shape that takes more than a call to make
#   error E_SHAPE CALL  WORDS   the status that a call fails with, ON("cpu", CALL) in that context; none: it cannot fail
#   numerics WORDS              rounding, order, limits; how far backends may differ is added from tests/cases.def
#   numpy WORDS                 NumPy's name, or none
#   torch, arrayfire WORDS      PyTorch's and ArrayFire's, of operations; of other functions where there are
#   see NAME...                 pages beside those of the same section
#   top                         functions of the example
#   c, out                      an example, and what it prints
#
# A stanza `family NAME' has what pages say alike: `page NAME : FAMILY' has those of its keys that it lacks itself, with @ for the
# page's name and $1, $2 .. for the parts between semicolons of its line `with'.
#
# mode=lint prints what is wrong and pages without a stanza, as `todo NAME'; mode=c makes one program of all examples, shapes and
# errors of the file(s) in `stanzas', mode=out what it has to print; mode=text all stanzas as lines NAME, KEY, TEXT, for bindings,
# mode=names the table of the names that library=numpy, torch or arrayfire has.

function page_fault(s) { print file_of_stanzas ": " s; faults++ }
function read_stanzas(list, n, a, i) { n = split(list, a, " "); for (i = 1; i <= n; i++) read_stanza_file(a[i]) }
function filled_in(s, op, i, part) {
  gsub(/@/, op, s)
  for (i = 1; i <= with_parts; i++) {
    part = with_part[i]
    gsub(/\\?&/, "\\\\\\&", part)
    gsub("\\$" i, part, s)
  }
  gsub(/\$[1-9] ?/, "", s)   # parts that are not there
  return s
}
function full_name(op) { return op ~ /^HED_/ ? op : "hed_" op }
function short_name(name) { return name ~ /^HED_/ ? name : substr(name, 5) }
# The page of macros that the stanza OP tells of.
function macro_page(op, p, i, s) {
  if (!macro_section) { new_section("Macros"); macro_section = sections }
  p = page_new(op, macro_section)
  page_kit[p] = ""
  text[p] = field[op, "about", 1]
  for (i = 1; i <= count[op, "macro"]; i++) {
    s = field[op, "macro", i]
    proto[p, ++protos[p]] = head_of(s)
    proto_name[p, i] = substr(s, match(s, /^HED_[A-Z0-9_]+/), RLENGTH)
    if (words_of(s) != "") text[p] = text[p] "\n" head_of(s) ": " words_of(s)
    in_pages[proto_name[p, i]] = op
  }
}
# Have the prototypes of page P a parameter W; any, when W is ""?
function in_prototypes(p, w, k) {
  for (k = 1; k <= protos[p]; k++) if (w == "" ? proto[p, k] ~ /\([^)]/ && proto[p, k] !~ /\(void\)/ : proto[p, k] ~ ("[ *(]" w "[],)[]")) return 1
  return 0
}
# What the page OP has from its FAMILY, of parameters those that its prototypes have.
function inherit(op, family, keys, n, k, i) {
  if (!(family in is_family)) { page_fault(op ": no family " family); return }
  with_parts = split(field[op, "with", 1], with_part, / *; */)
  n = split("param shape error numerics numpy torch arrayfire see", keys, " ")
  for (k = 1; k <= n; k++)
    if (!count[op, keys[k]])
      for (i = 1; i <= count[family, keys[k]]; i++)
        if (keys[k] != "param" || in_prototypes(page[full_name(op)], head_of(field[family, "param", i])))
          field[op, keys[k], ++count[op, keys[k]]] = filled_in(field[family, keys[k], i], op)
  if (!count[op, "c"]) { count[op, "c"] = 1; block[op, "c"] = filled_in(block[family, "c"], op) }
}
function read_stanza_file(name, line, key, cur, rest, of) {
  file_of_stanzas = name
  while ((getline line < name) > 0) {
    if ((line ~ /^#/ || line == "") && cur == "") continue
    if (line == "end") { if (of != "") inherit(cur, of); if (cur ~ /^HED_/) macro_page(cur); cur = key = of = ""; continue }
    if (line ~ /^  / && key ~ /^(top|c|out)$/) { block[cur, key] = block[cur, key] substr(line, 3) "\n"; continue }
    if (sub(/^  +/, "", line)) { field[cur, key, count[cur, key]] = field[cur, key, count[cur, key]] " " line; continue }
    key = line
    sub(/ .*/, "", key)
    rest = substr(line, length(key) + 2)
    if (key == "family") { cur = "family " rest; is_family[cur]; continue }
    if (key == "page") { cur = rest; if (sub(/ : .*/, "", cur)) of = "family " substr(rest, length(cur) + 4); if (cur in stanza) page_fault(cur " twice"); stanza[cur] = ++stanzas_read; stanza_at[stanzas_read] = cur; stanza_file[cur] = name; continue }
    if (key !~ /^(macro|about|param|shape|error|numerics|numpy|torch|arrayfire|see|with|top|c|out)$/) page_fault(cur ": what is " key "?")
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
  for (i = 1; i <= n; i++) s = s full_name(a[i]) " "
  for (i = 1; i < 16 && split(s, a, " ") < 6; i++) {
    q = p + (i % 2 ? (i + 1) / 2 : -i / 2)
    if (q >= 1 && q <= pages && page_section[q] == page_section[p] && protos[q] && index(s, " " page_name[q] " ") == 0)
      s = s page_name[q] " "
  }
  return trim(s)
}

# What others call it.
function others_of(op, s, k) {
  for (k = 1; k <= libraries; k++)
    if (count[op, library_key[k]] && field[op, library_key[k], 1] != "none")
      s = s (s == "" ? "" : " ") library_name[k] ": " field[op, library_key[k], 1] "."
  return s
}
BEGIN {
  libraries = split("numpy torch arrayfire", library_key, " ")
  split("NumPy PyTorch ArrayFire", library_name, " ")
}

# ---- man and Texinfo

function error_name(key, s) { return s == "none" ? "None" : key != "error" ? s : "HED_" s }
function example_of(op) { return block[op, "top"] block[op, "c"] }
function man_items(title, op, key, file, i) {
  if (!count[op, key]) return
  printf ".SH %s\n", title >file
  if (key == "shape")
    print "A(2, 3) stands for an array of float64 of that shape, I for one of int64, B of bool, C of complex128; LIST is a list, TREE a tree" \
          " of parameters, MODEL what hed_vsa_by_name makes." >file
  for (i = 1; i <= count[op, key]; i++)
    printf ".TP\n.B %s\n%s\n", verbatim(error_name(key, head_of(field[op, key, i]))), roff(words_of(field[op, key, i])) >file
}
function man_stanza(p, op, file) {
  man_items("PARAMETERS", op, "param", file)
  man_items("SHAPES", op, "shape", file)
  man_items("ERRORS", op, "error", file)
  if (numerics_of(op) != "") printf ".SH NOTES\n%s\n", roff(numerics_of(op)) >file
  if ((op, "c") in block) printf ".SH EXAMPLE\n.nf\n%s\n.fi\n.PP\nprints\n.PP\n.nf\n%s\n.fi\n", verbatim(example_of(op)), verbatim(block[op, "out"]) >file
  if (others_of(op) != "") printf ".SH ELSEWHERE\n%s\n", roff(others_of(op)) >file
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
    print "@item " texi(error_name(key, head_of(field[op, key, i]))) "\n" texi(words_of(field[op, key, i]))
  print "@end table\n"
}
function texi_stanza(op) {
  texi_items("Parameters", op, "param")
  texi_items("Shapes", op, "shape")
  texi_items("Errors", op, "error")
  if (numerics_of(op) != "") print texi(numerics_of(op)) "\n"
  if ((op, "c") in block) print "@example\n" verbatim_texi(example_of(op)) "@result{}\n" verbatim_texi(block[op, "out"]) "@end example\n"
  if (others_of(op) != "") print texi(others_of(op)) "\n"
}
function verbatim_texi(s) { gsub(/[@{}]/, "@&", s); return s }

# ---- lint

function page_lint(p, op, k, n, a, i, w) {
  for (op in stanza) {
    file_of_stanzas = stanza_file[op]
    if (!(full_name(op) in page)) { page_fault(op ": no such page"); continue }
    p = page[full_name(op)]
    n = split("param shape error numpy see c out" (op in row ? " torch arrayfire" : ""), a, " ")
    for (k = 1; k <= n; k++)
      if (!count[op, a[k]] && !(a[k] == "shape" && proto[p, 1] !~ /^hed_array/) && !(a[k] == "param" && !in_prototypes(p, ""))) page_fault(op ": no " a[k])
    for (i = 1; i <= count[op, "param"]; i++) {
      w = head_of(field[op, "param", i])
      if (!in_prototypes(p, w)) page_fault(op ": param " w " is in no prototype")
    }
    if (example_of(op) ~ /(^|[^A-Za-z0-9_])([ABCI]|LIST|ON|FILE_OF|TREE|MODEL)\(/) page_fault(op ": an example has what only shapes and errors have")
    n = split(field[op, "see", 1], a, " ")
    for (k = 1; k <= n; k++) if (!(full_name(a[k]) in page)) page_fault(op ": see " a[k] "?")
  }
  for (p = 1; p <= pages; p++)
    if (protos[p] && !(short_name(page_name[p]) in stanza)) print "todo " short_name(page_name[p])
  # Of macros all but those of the lists and of the headers themselves.
  for (w in in_pages)
    if (!(w in macros)) {
      file_of_stanzas = stanza_file[in_pages[w]]
      page_fault(in_pages[w] ": no macro " w)
    }
  for (w in macros)
    if (!(w in in_pages) && w !~ /^HED_(API|(BEGIN|END)_DECLS|PRINTF|MUST|NEW|DEPRECATED|STATUS|DTYPE|ABSTRACT|(UN|BIN)ARY|REDUCE|MAP|OP|ALIAS.*|PLUGIN_SYMBOL|.*_H)$/)
      print "todo " w
}

# ---- the program of all examples

function tree_program() {
  print "#include <stdarg.h>\n#define TREE(...) tree(__VA_ARGS__, NULL)"
  print "static inline hed_nn_params *tree(const char *name, ...)\n{\n  hed_nn_params *p = NULL;\n  va_list rest;\n  va_start(rest, name);"
  print "  for (hed_status s = hed_nn_params_create(&p); name && s == HED_OK; name = va_arg(rest, const char *))"
  print "    s = hed_nn_params_set(p, name, va_arg(rest, const hed_array *));\n  va_end(rest);\n  return p;\n}\n"
}

function page_program(i, k, op, s, included) {
  print "#include <heddle.h>\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>"
  for (i = 1; i <= stanzas_read; i++) {
    s = page_header[page[full_name(stanza_at[i])]]
    if (s != "" && !(s in included)) print "#include <" s ">"
    included[s]
    if (s ~ /kits\/nn_(cells|layers|rbm)\.h$/) included["heddle/kits/nn.h"]
    if (s ~ /kits\/vsa_/) included["heddle/kits/vsa.h"]
  }
  print ""
  print "static inline hed_array *filled(hed_shape s, hed_dtype t)\n{\n  hed_array *x = hed_ones(s, t);\n  return x ? x : (exit(2), NULL);\n}"
  print "#define A(...) filled(HED_SHAPE(__VA_ARGS__), HED_FLOAT64)\n#define I(...) filled(HED_SHAPE(__VA_ARGS__), HED_INT64)"
  print "#define LIST(...) (const hed_array *[]){ __VA_ARGS__ }"
  print "#define ON(spec, call) (hed_backend_context_push(spec, NULL), (void)(call), hed_backend_context_pop())"
  print "#define B(...) filled(HED_SHAPE(__VA_ARGS__), HED_BOOL)\n#define C(...) filled(HED_SHAPE(__VA_ARGS__), HED_COMPLEX128)\n"
  print "static inline const char *FILE_OF(const char *name, const char *text)\n{\n  FILE *f = fopen(name, \"w\");"
  print "  return f && fputs(text, f) >= 0 && fclose(f) == 0 ? name : (exit(2), NULL);\n}"
  if ("heddle/kits/nn.h" in included) tree_program()
  if ("heddle/kits/vsa.h" in included) {
    print "static inline hed_vsa *MODEL(const char *spec)\n{\n  hed_vsa *v = NULL;"
    print "  return hed_vsa_by_name(spec, &v) == HED_OK ? v : (exit(2), NULL);\n}\n"
  }
  print "static inline void shape_is(const char *name, hed_array *x, const char *want)\n{\n  char text[HED_MAX_NDIM * 22] = \"(\";"
  print "  hed_shape s = hed_array_shape(x);\n  for (int k = 0; x && k < s.ndim; k++)"
  print "    snprintf(text + strlen(text), sizeof text - strlen(text), \"%s%lld\", k ? \", \" : \"\", (long long)s.dim[k]);"
  print "  if (!x || strncmp(text, want, strlen(text)) != 0 || strcmp(want + strlen(text), \")\") != 0)"
  print "    printf(\"%s: %s) in place of %s %s\\n\", name, text, want, x ? \"\" : hed_error_text());\n  hed_release(x);\n}\n"
  print "static inline void refused(const char *name, hed_status want)\n{\n  if (hed_error() != want)"
  print "    printf(\"%s: status %d, not %d: %s\\n\", name, (int)hed_error(), (int)want, hed_error_text());\n  hed_error_clear();\n}\n"
  for (i = 1; i <= stanzas_read; i++) {
    op = stanza_at[i]
    s = block[op, "c"]
    gsub(/\n/, "\n  ", s)
    if ((op, "top") in block) printf "%s\n", block[op, "top"]
    print "static void example_" op "(void)\n{\n  " substr(s, 1, length(s) - 2) "}\n"
  }
  print "/* Errors and shapes drop what would have to be released. */\n#pragma GCC diagnostic ignored \"-Wunused-result\""
  print "int main(void)\n{"
  for (i = 1; i <= stanzas_read; i++) {
    op = stanza_at[i]
    print "  puts(\"== " op "\");\n  fflush(stdout);\n  example_" op "();\n  hed_error_clear();\n  HED_SCOPE {"
    for (k = 1; k <= count[op, "shape"]; k++) {
      s = head_of(field[op, "shape", k])
      if (s == "none") continue
      print "    shape_is(\"" op "\", hed_keep(" substr(s, 1, index(s, " -> ") - 1) "), \"" substr(s, index(s, " -> ") + 4) "\");"
    }
    for (k = 1; k <= count[op, "error"]; k++) {
      s = head_of(field[op, "error", k])
      if (s == "none") continue
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
  n = split(key == "c" ? example_of(op) : block[op, key], a, "\n")
  for (i = 1; i < n; i++) print op "\t" key "\t" a[i]
}
function page_texts(i, k, n, keys) {
  n = split("param error numerics numpy torch arrayfire see c out", keys, " ")
  for (i = 1; i <= stanzas_read; i++) for (k = 1; k <= n; k++) page_lines(stanza_at[i], keys[k])
}

# ---- the names of other libraries

function names_table(library, i, k, op, s, sorted) {
  sorted = "LC_ALL=C sort"
  for (k = 1; library_key[k] != library; k++) if (k > libraries) { print "library " library "?" >"/dev/stderr"; exit 1 }
  print "@multitable @columnfractions .62 .38\n@headitem " library_name[k] " @tab here"
  fflush()
  for (i = 1; i <= stanzas_read; i++) {
    op = stanza_at[i]
    s = field[op, library, 1]
    if (s != "" && s !~ /^none/) print "@item @code{" texi(s) "} @tab @code{" full_name(op) "}" | sorted
  }
  close(sorted)
  print "@end multitable"
}
