# SPDX-License-Identifier: BSD-3-Clause
# Modules built against lists of operations that are not the host's, for tests/scenario/plugins_lists.t and `make installcheck`.
# After tests/tap.sh.
#
#   include    the flags for the headers of today's interface    $opsdef  their ops.def
#   use        a command that runs tests/install/use_lists.c

# The headers of KIND in $tmp/KIND: today's with another list, or those of interface 1.2 with its own.
make_headers() {
  mkdir -p "$tmp/$1/heddle"
  case $1 in
    same) edit='' ;;
    removed) edit='/^HED_[A-Z]*(\(ABS\|SQUARE\|HYPOT\),/d' ;;
    fewer) edit='/^HED_OP(RANDOM_/d' ;; # so many that the list is not by chance as long as that of 1.2
    added) edit='s/^HED_UNARY(NEGATIVE,/HED_UNARY(ZEROTH, zeroth, "f", SAME, 1, "")\n&/
      s/^HED_BINARY(ADD,/HED_BINARY(BETWEEN, between, "f", SAME, 1, "")\n&/' ;;
    renamed) edit='s/^HED_UNARY(EXP, exp,/HED_UNARY(EXP, exponential,/; s/^HED_BINARY(MOD, mod,/HED_BINARY(MOD, remainder,/' ;;
    reordered)
      awk '/^HED_[A-Z]*\(.*\)$/ && !/^HED_ALIAS/ { row[++n] = $0; next }
        n { while (n) print row[n--] } { print }' "$opsdef" >"$tmp/$1/heddle/ops.def"
      return ;;
    minor2)
      sed -n 's/^ *"\([a-z0-9_ ]*\)",$/\1/p' "$srcdir/lib/core/ops/op_names_2.c" | tr -s ' ' '\n' |
        awk 'NF { print "HED_OP_" toupper($1) "," }' >"$tmp/$1/heddle/op_list.h"
      return ;;
  esac
  sed "/^HED_ALIAS/d; $edit" "$opsdef" >"$tmp/$1/heddle/ops.def"
}

# make_module NAME KIND [FLAG...]: tests/modules/numbered.c, or the file in $template, as $tmp/modules/NAME.so.
make_module() {
  name=$1 kind=$2
  shift 2
  [ -d "$tmp/$kind" ] || make_headers "$kind"
  case $kind in
    removed) set -- -DNO_ABS "$@" ;;
    minor2) set -- -DMINOR=2 "$@" ;;
  esac
  headers=$include
  [ "$kind" = minor2 ] && headers=-I$srcdir/tests/minor2
  mkdir -p "$tmp/modules"
  # shellcheck disable=SC2086
  $CC -std=gnu11 -Wall -Wextra -Werror -O1 -shared -fPIC -DNAME="\"$name\"" "$@" -I"$tmp/$kind" $headers \
    -o "$tmp/modules/$name.so" "${template:-$srcdir/tests/modules/numbered.c}" >"$tmp/err" 2>&1 && return 0
  diag "$(cat "$tmp/err")"
  return 1
}

# What use_lists.c says of a module: what it is told when it is loaded ($1), whether exp and abs are its own, whether it
# fuses argmax, and what power gives.
said() {
  printf '%s\n' "$1" 'add: 8 -3 4, add' 'subtract: 2 -11 0, subtract' 'multiply: 15 -28 4, multiply' \
    'maximum: 5 4 2, maximum' 'mod: 2 1 0, mod' 'negative: -5 7 -2, negative' "exp: 1 1 1, exp$2" "abs: 5 7 2, abs$3" \
    'sum: 0 0 0, sum' "power: $5"
  [ "$4" = none ] && return
  printf '%s\n' "recorded: sum 1, argmax $4"
  if [ "$4" = 1 ]; then
    printf '%s\n' 'fused: -20 0 0, 5 in one, argmax last' 'at 1'
  else
    printf '%s\n' 'fused: -20 0 0, 4 in one, sum last' 'at 1'
  fi
  if [ "$3" ]; then
    printf '%s\n' 'recorded: abs 0' 'fused: 5 7 2, 1 in one, negative last'
  else
    printf '%s\n' 'recorded: abs 1' 'fused: 5 7 2, 2 in one, abs last'
  fi
}

# Every list: calls, passes, traces, failures that come later.
test_lists() {
  unknown='which is not an operation with a kernel'
  own='which is not in its own list of operations'
  exponential="abi: it offers 'exponential', $unknown"
  zeroth="abi: it offers 'zeroth', $unknown"
  for kind in same removed added reordered renamed minor2; do
    exp='' abs='' told="$exponential
$zeroth"
    case $kind in
      removed) abs=' elsewhere' told="abi: it offers 'abs', $own
$told" ;;
      renamed) exp=' elsewhere' told="abi: it offers 'exp', $own
$told" ;;
    esac
    make_module "$kind" "$kind" && make_module "${kind}d" "$kind" -DDEVICE
    ok $? "$kind: modules are built"
    $use "$kind" >"$tmp/out" 2>&1
    is "$(cat "$tmp/out")" "$(said "$told" "$exp" "$abs" 1 '125 2401 4, power')" "$kind: one by one and fused"
    $use "${kind}d" >"$tmp/out" 2>&1
    is "$(sed 's/:0,/,/' "$tmp/out")" \
      "$(said "$told" "$exp" "$abs" none "wait: an operand's operation 'power' failed on ${kind}d:0: as it was meant to")" \
      "$kind: in memory of its own, and the name of what failed later"
  done
}

# The template of a backend as it was with interface 1.2, without names, used as today's is ($1: tests/install/use_mirror.c, built).
test_mirror() {
  rm -f "$tmp/modules/mirror.so"
  sed '/op_names/d' "$srcdir/examples/backend/mirror.c" >"$tmp/mirror.c"
  template=$tmp/mirror.c make_module mirror minor2
  ok $? 'the template of interface 1.2 is built'
  "$1" >"$tmp/out" 2>&1
  is "$(cat "$tmp/out")" 'listed 1
mirror 0, plain C
add 2, matmul 2, exp 1
mirror: x + x flipped 30, x + integers 21, x xT 83, exp(0 x) 6
float64 30, by mirror' 'and works as it did'
}

# Interface 1.1 takes no argmax at the end of a pass, 1.0 no pass as it is now.
test_minors() {
  told="abi: it offers 'exponential', which is not an operation with a kernel
abi: it offers 'zeroth', which is not an operation with a kernel"
  make_module first minor2 -UMINOR -DMINOR=1 && make_module zeroth minor2 -UMINOR -DMINOR=0
  ok $? 'modules of older interfaces are built'
  $use first >"$tmp/out" 2>&1
  is "$(cat "$tmp/out")" "$(said "$told" '' '' 0 '125 2401 4, power')" 'of 1.1: fused without argmax'
  $use zeroth >"$tmp/out" 2>&1
  is "$(cat "$tmp/out")" "$(said "$told" '' '' none '125 2401 4, power')" 'of 1.0: one by one'
  make_headers same
  make_module unnamed same -DMINOR=2 && make_module shorter fewer -DMINOR=2
  ok $? 'modules without names are built'
  $use shorter >"$tmp/out" 2>&1
  is "$?" 4 'another list without names is refused'
  is "$(sed 's/ [0-9][0-9]* operations/ N operations/; s/list of [0-9]*/list of N/; q' "$tmp/out")" \
    "abi: built for plug-in interface 1.2 with N operations, which it numbers without giving their names; \
only the list of N of that time is known here: build it again with these headers, op_names given" \
    'with what to do'
}

# Structs begin as they did: where the members of 1.2 are, in both headers.
test_layout() {
  sed -n '/^typedef struct/,/^} /p' "$srcdir/tests/minor2/heddle/backend.h" |
    awk '/^typedef struct/ { t = $3; next } /^}/ { next } /\(\*/ { sub(/.*\(\*/, ""); sub(/\).*/, ""); print t, $0; next }
      { sub(/;.*/, ""); n = split($0, part, /[ ,*]+/); list = $0 ~ /,/; sub(/^ *(const )*[a-z_0-9]+ +/, "")
        gsub(/const |\[[^]]*\]|\*/, ""); n = split($0, part, /, */); for (k = 1; k <= n; k++) print t, part[k] }' >"$tmp/members"
  {
    printf '#include <heddle/backend.h>\n#include <stdio.h>\nint main(void)\n{\n'
    awk '{ printf "  printf(\"%s.%s %%d\\n\", (int)offsetof(%s, %s));\n", $1, $2, $1, $2 }' "$tmp/members"
    printf '  return 0;\n}\n'
  } >"$tmp/layout.c"
  # shellcheck disable=SC2086
  $CC -I"$tmp/minor2" -I"$srcdir/tests/minor2" -o "$tmp/then" "$tmp/layout.c" 2>"$tmp/err" &&
    $CC $include -o "$tmp/now" "$tmp/layout.c" 2>>"$tmp/err" || diag "$(cat "$tmp/err")"
  is "$("$tmp/now")" "$("$tmp/then")" 'what 1.2 had is where it was'
  [ "$("$tmp/then" | wc -l)" -gt 70 ]
  ok $? 'all of it'
}
