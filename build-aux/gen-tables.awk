# SPDX-License-Identifier: BSD-3-Clause
# Tables of the manual from the lists: ops.def or status.def in, Texinfo out.
function texi(s) { gsub(/[@{}]/, "@&", s); return s }
function trim(s) { gsub(/^[ ,]+|[ ,]+$/, "", s); return s }
BEGIN {
  while ((getline line < ARGV[1]) > 0)
    if (line ~ /^HED_ALIAS[A-Z_]*\(/) {
      split(line, word, /[(,)]/)
      name = trim(word[3])
      aliases[name] = aliases[name] ", @code{" trim(word[2]) "}"
    }
}
function close_table() { if (open) print "@end multitable\n"; open = 0 }

/^\/\* ---- .* ---- \*\/$/ {
  close_table()
  if (/other names/) exit # aliases stand beside the operations that they name
  sub(/^\/\* ---- /, ""); sub(/ ---- \*\/$/, "")
  print "@section " toupper(substr($0, 1, 1)) texi(substr($0, 2)) "\n"
}
/^HED_(UNARY|BINARY|MAP|REDUCE|OP)\(/ {
  n = split($0, q, "\"")
  split(q[1], head, /[(,]/)
  name = trim(head[3])
  split(q[3], rest, ",") # result, and more
  by = /^HED_OP/ ? tolower(trim(head[4])) : "kernel"
  if (!open) {
    print "@multitable @columnfractions .26 .09 .17 .14 .34"
    print "@headitem Operation @tab types @tab result @tab by @tab meaning"
    open = 1
  }
  print "@item @code{" name "}" aliases[name] " @tab " q[2] " @tab " trim(rest[2]) " @tab " by " @tab " texi(q[n - 1])
}
/^HED_STATUS\(/ {
  split($0, q, "\"")
  split(q[1], head, /[(,]/)
  if (!open) {
    print "@multitable @columnfractions .32 .1 .58"
    print "@headitem Status @tab number @tab text"
    open = 1
  }
  print "@item @code{HED_" trim(head[2]) "} @tab " trim(head[3]) " @tab " texi(q[2])
}
END { close_table() }
