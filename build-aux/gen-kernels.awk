# SPDX-License-Identifier: BSD-3-Clause
# Texts of kernels and of the headers that they share with the host, in; C source with a string for each, out.
#
#   awk -f gen-kernels.awk include/heddle/ops.def FILE...
#
# Comments and #include lines go, but for lines that begin with //@; `static inline' becomes FN, and `static const double'
# CONSTANT.  A row of formulas, HED_MAP1, HED_MAP2, HED_MAPP or HED_MAPC, gets the operation's name and an underscore after
# its ID, a condition that leaves it out of programs of other rows, and its entries: results and operands are pointers, then
# comes the struct of the layout.
function text(line) {
  sub(/[ \t]+\\$/, " \\\\", line)
  gsub(/[\\"]/, "\\\\&", line)
  print "  \"" line "\\n\""
}
# What is left of LINE without comments; in_comment goes on to the next line.
function strip(line,   at, out) {
  out = ""
  while (line != "") {
    if (in_comment) {
      at = index(line, "*/")
      if (!at) return out
      line = substr(line, at + 2)
      in_comment = 0
    } else {
      at = index(line, "/*")
      if (!at) { out = out line; break }
      out = out substr(line, 1, at - 1)
      line = substr(line, at + 2)
      in_comment = 1
    }
  }
  if ((at = index(out, "//")) > 0) out = substr(out, 1, at - 1)
  sub(/[ \t]+$/, "", out)
  return out
}
function balance(line,   opened, closed) {
  opened = gsub(/\(/, "(", line)
  closed = gsub(/\)/, ")", line)
  return opened - closed
}
function entries(name, operands,   k, pointers) {
  if (name in listed) return
  listed[name] = 1
  pointers = "p"
  for (k = 0; k < operands; k++) pointers = pointers " p"
  text("//@ entry " name "_flat " pointers " s96")
  text("//@ entry " name "_rows " pointers " s176")
  text("//@ entry " name "_strided " pointers " s248")
  text("//@ entry " name "_strided64 " pointers " s248")
}
function finish() { if (file != "") print "  ;" }

BEGIN {
  print "/* Made by gen-kernels.awk. */"
  print "#include \"backends/device/kernels/texts.h\"\n"
  print "#include <stddef.h>\n"
  print "#pragma GCC diagnostic ignored \"-Woverlength-strings\""
}
FILENAME == ARGV[1] {
  if ($0 ~ /^HED_(UNARY|BINARY|MAP)\(/) {
    split($0, word, /[(,]/)
    gsub(/ /, "", word[3])
    name_of[word[2]] = word[3]
  }
  next
}
FNR == 1 {
  finish()
  file = FILENAME
  sub(/.*\//, "", file)
  files[++count] = file
  in_comment = 0
  print "\nstatic const char text_" count "[] ="
}
/^\/\/@/ { text($0); next }
{
  line = strip($0)
  if (line == "" || line ~ /^[ \t]*#[ \t]*include/ || line ~ /^#undef HED_MAP/) next
  gsub(/static inline/, "FN", line)
  if (line ~ /^static const double /) line = "CONSTANT(double, " substr(line, 21, index(line, " =") - 21) ")" substr(line, index(line, " ="))
  if (line ~ /^HED_MAP[12PC]\(/) {
    split(line, word, /[(,]/)
    id = word[2]
    if (!(id in name_of)) {
      print FILENAME ":" FNR ": no elementwise operation " id >"/dev/stderr"
      exit 1
    }
    operands = word[1] ~ /[12]$/ ? substr(word[1], 8) : word[5] + 0
    entries(name_of[id], operands)
    text("#if !defined(HED_ONLY) || defined(HED_ROW_" id ")")
    sub(/\([A-Z0-9_]+,/, "(" id ", " name_of[id] "_,", line)
    depth = 0
    in_row = 1
  }
  text(line)
  if (in_row) {
    depth += balance(line)
    if (depth == 0) {
      text("#endif")
      in_row = 0
    }
  }
}
END {
  finish()
  print "\nconst dev_kernel_text dev_kernel_texts[] = {"
  for (k = 1; k <= count; k++) print "  { \"" files[k] "\", text_" k " },"
  print "  { NULL, NULL },\n};"
}
