# SPDX-License-Identifier: BSD-3-Clause
# Public functions that a recording follows, from lib/api/api_rows.inc (gen-api.awk): for each a wrapper round its body, which
# is HED_BODY(name) where it is written.
#
#   awk -f gen-calls.awk -v what=bodies  ops.def api_rows.inc    declarations of bodies, packed arguments, numbers of calls
#   awk -f gen-calls.awk -v what=calls   ops.def api_rows.inc    the wrappers
#   awk -f gen-calls.awk -v what=invoke  ops.def api_rows.inc    calls of them by the addresses of their arguments
#
# Elementwise operations and reductions are noted where they run (lib/api/elementwise, lib/api/reduce). Functions beside the table
# note the row that they are; the table below names it.

function fail(s) { print "gen-calls.awk: " s >"/dev/stderr"; failed = 1; exit 1 }

BEGIN {
  n = split("asarray:ASTYPE empty_like:EMPTY empty_like_as:EMPTY full_like:FULL full_like_as:FULL ones_like:ONES ones_like_as:ONES " \
            "zeros_like:ZEROS zeros_like_as:ZEROS einsum_with:EINSUM fft_plan_run:FFT fft_plan_run_into:FFT fill_int:FILL fill_uint:FILL from_doubles:COPY " \
            "full_int:FULL full_uint:FULL index:SLICE maximum_filter_with:MAXIMUM_FILTER norm_scores_with:NORM_SCORES pinv_each:PINV repeat_each:REPEAT " \
            "tensordot_n:TENSORDOT to:COPY unique_with:UNIQUE", word, " ")
  for (i = 1; i <= n; i++) {
    split(word[i], part, ":")
    beside["hed_" part[1]] = "HED_OP_" part[2]
  }
}

# ---- ops.def

FILENAME ~ /ops\.def$/ {
  if ($0 ~ /^HED_(UNARY|BINARY|MAP|REDUCE)\(/ || $0 ~ /^HED_OP\(VECTOR_NORM,/) {
    split($0, part, /[(,]/)
    noted["HED_OP_" part[2]] = 1
  }
  next
}

# ---- arguments, fields, functions

/^static const hed_api_(argument|field) / {
  list = $0
  sub(/.*hed_api_[a-z]+ /, "", list)
  sub(/\[.*/, "", list)
  next
}
/^static const hed_api_function / { list = "functions"; next }
/^(static|};)/ { list = ""; next }
list != "" && list != "functions" && /^  \{ "/ {
  split($0, q, "\"")
  k = ++total[list]
  name[list, k] = q[2]
  kind[list, k] = q[4]
  if (list ~ /^args_/) {
    role[list, k] = q[6]
    ctype[list, k] = q[8]
    type[list, k] = q[10]
    of[list, k] = q[12]
    long[list, k] = q[14]
  }
  next
}
list == "functions" && /^  \{ "hed_/ {
  split($0, q, "\"")
  f = q[2]
  at[f] = ++functions - 1
  match($0, /, (HED_OP_[A-Z0-9_]+|-1), [0-9]+, /)
  split(substr($0, RSTART + 2), q2, ",")
  op[f] = f in beside ? beside[f] : q2[1]
  returns[f] = q[6]
  order[functions] = f
  next
}

# ---- what is written

function pointer(c) { return c ~ /\*$/ ? c : c " " }
function is_list(k) { return k ~ /^(ints|doubles|slices|keys)$/ }
function prototype(f, a,    k, s) {
  for (k = 1; k <= total[a]; k++)
    s = s (k > 1 ? ", " : "") pointer(ctype[a, k]) name[a, k]
  return s
}
function names(a,    k, s) {
  for (k = 1; k <= total[a]; k++)
    s = s (k > 1 ? ", " : "") name[a, k]
  return s
}
function made(a, k) { return role[a, k] == "out" && (kind[a, k] == "array" || kind[a, k] == "arrays") }
function followed(f, a,    k) {
  if (op[f] == "-1" || op[f] in noted) return 0
  for (k = 1; k <= total[a]; k++)
    if (kind[a, k] ~ /^(array|arrays|keys)$/ && role[a, k] != "out") return 1
  return 0
}
# Followed by captures alone: it makes arrays of numbers.
function makes(f, a,    k) {
  if (op[f] == "-1" || op[f] in noted || followed(f, a)) return 0
  for (k = 1; k <= total[a]; k++)
    if (made(a, k)) return 1
  return returns[f] == "array"
}
# The function whose packed arguments F has: without OUT those of the one that makes its result.
function base(f,    b, k) {
  b = f
  if (!sub(/_into$/, "", b) || !(b in at) || total["args_" b] + 1 != total["args_" f]) return f
  for (k = 1; k <= total["args_" b]; k++)
    if (name["args_" b, k] != name["args_" f, k + 1] || ctype["args_" b, k] != ctype["args_" f, k + 1]) return f
  return b
}
function count_of(a, list_name,    k, only) {
  for (k = 1; k <= total[a]; k++)
    if (role[a, k] == "count" && of[a, k] == list_name) return name[a, k]
    else if (name[a, k] == list_name && long[a, k] ~ /^[a-z_]+$/) return long[a, k]
    else if (role[a, k] == "count") only = name[a, k]   # of several lists
  return only
}

function write_body(f, a,    k, s) {
  s = f
  sub(/^hed_/, "", s)
  printf "extern __typeof__(%s) HED_BODY(%s);\n", f, s
  if (base(f) != f || makes(f, a)) return
  printf "typedef struct hed__args_%s {\n", s
  for (k = 1; k <= total[a]; k++)
    if (!made(a, k)) printf "  %s%s;\n", pointer(ctype[a, k]), name[a, k]
  printf "} hed__args_%s;\n", s
}

function addresses(a,    k, s) {
  for (k = 1; k <= total[a]; k++)
    s = s (k > 1 ? ", " : "") "&" name[a, k]
  return "(const void *const[]){ " s " }"
}
function write_captured(f, a,    array) {
  array = returns[f] == "array"
  printf "  hed__call_runs(&c);\n  %sresult_ = HED_BODY(%s)(%s);\n", array ? "hed_array *const " : "const hed_status ", \
         substr(f, 5), names(a)
  printf "  if (!hed__call_made(&c, %s))\n    return result_;\n", array ? "result_ != NULL" : "result_ == HED_OK"
  printf "  if (c.captures)\n    hed__call_captured(&c, %d, %s, %s);\n", at[f], addresses(a), array ? "result_" : "NULL"
}
function write_public(f, a, result, when, s) {
  printf "%s%s(%s)\n{\n  return %s ? noted_%s(%s) : HED_BODY(%s)(%s);\n}\n\n", result, f, prototype(f, a), when, s, \
         names(a), s, names(a)
}
function write_maker(f, a,    s, result) {
  s = substr(f, 5)
  result = returns[f] == "array" ? "hed_array *" : "hed_status "
  printf "static __attribute__((noinline, cold)) %snoted_%s(%s)\n{\n", result, s, prototype(f, a)
  printf "  hed__call c;\n  hed__call_begin(&c, %s, HED__CALL_NONE);\n", op[f]
  write_captured(f, a)
  printf "  hed__call_end(&c);\n  return result_;\n}\n"
  write_public(f, a, result, "hed__wrapping_made()", s)
}
function write_invoke(f, a,    k, s) {
  s = substr(f, 5)
  printf "static hed_status invoke_%s(void *const *v, hed_array **made)\n{\n", s
  printf "  %s%s(", returns[f] == "array" ? "*made = " : "(void)made;\n  return ", f
  for (k = 1; k <= total[a]; k++)
    printf "%s*(__typeof__(%s) *)v[%d]", (k > 1 ? ", " : ""), ctype[a, k], k - 1
  printf ");\n%s}\n", returns[f] == "array" ? "  return *made ? HED_OK : hed_error();\n" : ""
  printf "static const uint16_t sizes_%s[] = {", s
  for (k = 1; k <= total[a]; k++)
    printf " sizeof(__typeof__(%s)),", ctype[a, k]
  print " };"
}

function write_call(f, a,    k, s, b, first, i, fields, n, lost, pointers, result) {
  s = f
  sub(/^hed_/, "", s)
  b = base(f)
  sub(/^hed_/, "", b)
  # apart, so that the way past it needs no frame
  result = returns[f] == "array" ? "hed_array *" : "hed_status "
  printf "static __attribute__((noinline, cold)) %snoted_%s(%s)\n{\n", result, s, prototype(f, a)
  lost = returns[f] == "array" ? "NULL" : "hed_error()"
  printf "  hed__call c;\n  hed__call_begin(&c, %s, HED__CALL_%s);\n", op[f], b
  # operands: arguments in order, then arrays in options and keys
  for (k = 1; k <= total[a]; k++) {
    if (kind[a, k] == "array" && role[a, k] ~ /^(in|inout)$/) printf "  hed__call_in(&c, %s);\n", name[a, k]
    else if (kind[a, k] == "arrays" && role[a, k] == "in") {
      n = count_of(a, name[a, k])
      if (n == "") fail(f ": how many arrays are in " name[a, k] "?")
      printf "  for (int i = 0; %s && i < %s; i++)\n    hed__call_in(&c, %s[i]);\n", name[a, k], n, name[a, k]
    }
  }
  for (k = 1; k <= total[a]; k++) {
    if (kind[a, k] == "keys")
      printf "  for (int i = 0; %s && i < %s; i++)\n    hed__call_in(&c, %s[i].array);\n", name[a, k], \
             count_of(a, name[a, k]), name[a, k]
    fields = "fields_" type[a, k]
    for (i = 1; kind[a, k] == "struct" && i <= total[fields]; i++)
      if (kind[fields, i] == "array")
        printf "  hed__call_in(&c, %s ? %s->%s : NULL);\n", name[a, k], name[a, k], name[fields, i]
  }
  for (k = 1; k <= total[a]; k++)
    if (ctype[a, k] == "hed_array *")
      printf "  if (!hed__call_writes(&c, %s))\n    return %s;\n", name[a, k], lost
  write_captured(f, a)
  if (returns[f] == "array") printf "  hed__call_out(&c, result_);\n"
  pointers = ""
  for (k = 1; k <= total[a]; k++) {
    pointers = pointers (k > 1 ? ", " : "") "&" name[a, k]
    if (ctype[a, k] == "hed_array *") printf "  hed__call_out(&c, %s);\n", name[a, k]
    else if (kind[a, k] == "array" && role[a, k] == "out") printf "  hed__call_out(&c, %s ? *%s : NULL);\n", name[a, k], name[a, k]
  }
  for (k = 1; k <= total[a]; k++)
    if (kind[a, k] == "arrays" && role[a, k] == "out") {
      printf "  const int64_t n_ = hed_api_results(hed_api_function_at(%d), (const void *const[]){ %s });\n", at[f], pointers
      printf "  for (int64_t i = 0; %s && i < n_; i++)\n    hed__call_out(&c, %s[i]);\n", name[a, k], name[a, k]
    }
  printf "  if (hed__call_followed(&c)) {\n    hed__args_%s a_ = {", b
  first = 1
  for (k = 1; k <= total[a]; k++)
    if (!made(a, k)) {
      printf "%s .%s = %s", first ? "" : ",", name[a, k], name[a, k]
      first = 0
    }
  print " };"
  for (k = 1; k <= total[a]; k++) {
    if (is_list(kind[a, k])) {
      n = count_of(a, name[a, k])
      if (n == "" && long[a, k] ~ /^ndim\([a-z]+\)[ 0-9()*+ndimx]*$/) { # of the axes of an operand
        n = "(" long[a, k] ")"
        gsub(/ndim\(/, "hed_array_ndim(", n)
      }
      printf "    a_.%s = hed__call_copy(&c, %s, %s * sizeof *%s);\n", name[a, k], name[a, k], n == "" ? "0" : "(size_t)" n, name[a, k]
    } else if (kind[a, k] == "string")
      printf "    a_.%s = hed__call_copy(&c, %s, strlen(%s) + 1);\n", name[a, k], name[a, k], name[a, k]
    else if (kind[a, k] ~ /^(axes|struct|shape)$/ && ctype[a, k] ~ /\*$/)
      printf "    a_.%s = hed__call_copy(&c, %s, sizeof *%s);\n", name[a, k], name[a, k], name[a, k]
  }
  printf "    hed__call_note(&c, &a_, sizeof a_);\n  }\n  hed__call_end(&c);\n  return result_;\n}\n"
  write_public(f, a, result, "hed__wrapping()", s)
}

END {
  if (failed) exit 1
  print "// made by build-aux/gen-calls.awk"
  if (what == "bodies") {
    print "enum {\n  HED__CALL_NONE,"
    for (i = 1; i <= functions; i++)
      if (followed(order[i], "args_" order[i]) && base(order[i]) == order[i]) {
        s = order[i]
        sub(/^hed_/, "", s)
        print "  HED__CALL_" s ","
      }
    print "};"
  }
  for (i = 1; i <= functions; i++)
    if (followed(order[i], "args_" order[i]) || makes(order[i], "args_" order[i])) {
      if (what == "bodies") write_body(order[i], "args_" order[i])
      else if (what == "invoke") write_invoke(order[i], "args_" order[i])
      else if (makes(order[i], "args_" order[i])) write_maker(order[i], "args_" order[i])
      else write_call(order[i], "args_" order[i])
    }
  if (what == "invoke") {
    print "static const invoked invokes[] = {"
    for (i = 1; i <= functions; i++)
      if (followed(order[i], "args_" order[i]) || makes(order[i], "args_" order[i]))
        printf "  [%d] = { invoke_%s, sizes_%s },\n", at[order[i]], substr(order[i], 5), substr(order[i], 5)
    print "};"
  }
}
