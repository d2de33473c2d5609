# SPDX-License-Identifier: BSD-3-Clause
# TAP for shell tests: `. "$srcdir/tests/tap.sh"`, then the functions below, `done_testing` last.
# Points come from this shell only, not from subshells: a count made there would be lost.

tap_n=0
tap_bad=0
tap_todo=
tap_todo_next=

# ok STATUS NAME: STATUS 0 passes.
ok() {
  tap_n=$((tap_n + 1))
  tap_mark=${tap_todo_next:-$tap_todo}
  tap_todo_next=
  if [ "$1" -eq 0 ]; then
    printf 'ok %d - %s%s\n' "$tap_n" "$2" "${tap_mark:+ # TODO $tap_mark}"
    [ -z "$tap_mark" ] || { tap_bad=$((tap_bad + 1)) && diag 'passes while marked'; }
  else
    printf 'not ok %d - %s%s\n' "$tap_n" "$2" "${tap_mark:+ # TODO $tap_mark}"
    [ -n "$tap_mark" ] || tap_bad=$((tap_bad + 1))
  fi
}

# Points that are known to fail, for a REASON, which names the fault: all until todo_end, or the next alone. One that
# fails so is no failure of the script; one that passes is, as the mark is out of date.
todo() { tap_todo=$1; }
todo_next() { tap_todo_next=$1; }
todo_end() { tap_todo=; }

# is GOT WANT NAME
is() {
  if [ "x$1" = "x$2" ]; then
    ok 0 "$3"
  else
    ok 1 "$3"
    diag "     got: $1"
    diag "expected: $2"
  fi
}

# none TEXT NAME: passes when TEXT is empty; else each of its lines is a finding.
none() {
  if [ -z "$1" ]; then
    ok 0 "$2"
  else
    ok 1 "$2"
    diag "$1"
  fi
}

diag() { printf '%s\n' "$1" | sed 's/^/# /' >&2; }

skip() {
  tap_n=$((tap_n + 1))
  printf 'ok %d # SKIP %s\n' "$tap_n" "$1"
}

skip_all() {
  printf '1..0 # SKIP %s\n' "$1"
  exit 0
}

# share K N: whether the K-th of N parts of something long is this run's, as in tap.h.
share() {
  [ "${HEDDLE_TEST_FULL:-0}" = 1 ] && return
  tap_share=$(sh "$srcdir/tests/rotate" "$2") || { echo "Bail out! no share $1 of $2"; exit 255; }
  [ $(($1 % $2)) -eq "$tap_share" ]
}

# For tests that compile against the build folder by its .pc files.
needs_packages() {
  [ "${HEDDLE_TEST_SANITIZERS:-no}" = no ] || skip_all 'the flags of a sanitizer build are not in the .pc files'
  : "${PKG_CONFIG:=pkg-config}"
  command -v "$PKG_CONFIG" >/dev/null || skip_all 'no pkg-config'
  PKG_CONFIG_PATH=$builddir
  export PKG_CONFIG_PATH
}

done_testing() {
  printf '1..%d\n' "$tap_n"
  [ "$tap_bad" -eq 0 ]
  exit $?
}

# Where sources and build are; a test started by hand in the build directory finds both too.
builddir=${HEDDLE_TEST_BUILDDIR:-$PWD}
if [ -z "${HEDDLE_TEST_SRCDIR:-}" ]; then
  [ -f tests/env.sh ] || { echo 'Bail out! run this in the build directory'; exit 255; }
  # shellcheck disable=SC1091
  . tests/env.sh || { echo 'Bail out! no environment for tests'; exit 255; }
fi
# shellcheck disable=SC2034
srcdir=$HEDDLE_TEST_SRCDIR
# A folder of its own for each test, removed at the end.
tmp=$(mktemp -d "${TMPDIR:-/tmp}/heddle-test.XXXXXX") || exit 255
trap 'rm -rf "$tmp"' EXIT
