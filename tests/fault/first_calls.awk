# SPDX-License-Identifier: BSD-3-Clause
# Makes of doc/interface-0 a row for each public function, STATUS(name, call), POINTER or OTHER by what it gives: called with what a
# program has that has made nothing yet: numbers, a shape, a type, room for results, and no arrays or objects.
function argument(t) {
  if (t == "...") return ""
  if (t ~ /^(u?int(8|16|32|64)?_t|int|unsigned|long|size_t|intptr_t|bool|float|double)$/) return "1"
  if (t == "hed_shape") return "HED_SHAPE(3)"
  if (t == "hed_dtype") return "HED_FLOAT32"
  if (t == "hed_number") return "hed_number_real(1)"
  if (t == "const char *") return "\"reference\""
  if (t ~ /^(const )?(double|float|u?int(32|64)_t|int|size_t|bool|char|void) \*$/ || t ~ /^[a-z_A-Z0-9 ]+ \*\*$/) return "(" t ")room"
  return "((" t "){ 0 })"
}
!/^#/ && /^[A-Za-z_ *0-9]+hed_[a-z0-9_]+\(.*\)$/ {
  match($0, /hed_[a-z0-9_]+\(/)
  name = substr($0, RSTART, RLENGTH - 1)
  gives = substr($0, 1, RSTART - 1)
  rest = substr($0, RSTART + RLENGTH)
  sub(/\)$/, "", rest)
  call = type = ""
  depth = 0
  for (i = 1; i <= length(rest) + 1; i++) {
    c = substr(rest, i, 1)
    depth += (c == "(") - (c == ")")
    if (i <= length(rest) && (c != "," || depth)) {
      type = type c
      continue
    }
    sub(/^ /, "", type)
    word = type == "" ? "" : argument(type)
    if (word != "") call = call (call == "" ? "" : ", ") word
    type = ""
  }
  print (gives == "hed_status " ? "STATUS" : gives ~ /\* $/ ? "POINTER" : "OTHER") "(" name ", (" name ")(" call "))"
}
