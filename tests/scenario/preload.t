#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The interposer preloaded under a program that does not link it, and switched off under programs that do.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"

lib=$builddir/lib/.libs/libheddle-inherit.so
# A preloaded library comes before the sanitizer's own, which it accepts only when told so.
ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0"
export ASAN_OPTIONS

# run NAME INHERITS PROGRAM: the whole program must pass with that expectation
run() {
  if HEDDLE_TEST_INHERITS=$2 "$builddir/tests/$3" >"$tmp/out" 2>&1; then
    ok 0 "$1"
  else
    ok 1 "$1"
    diag "$(grep -v '^ok' "$tmp/out")"
  fi
}

run 'without the interposer' 0 scenario/plain.t
(HEDDLE_INHERIT=0 && export HEDDLE_INHERIT && run x 0 scenario/hosts.t) | grep -q '^ok'
ok $? 'linked and switched off by HEDDLE_INHERIT=0'
(HEDDLE_INHERIT=1 && export HEDDLE_INHERIT && run x 1 scenario/hosts.t) | grep -q '^ok'
ok $? 'linked and HEDDLE_INHERIT=1'
(HEDDLE_INHERIT=0 && export HEDDLE_INHERIT && run x 0 scenario/openmp.t) | grep -q '^ok'
ok $? "OpenMP's regions, switched off"
(HEDDLE_INHERIT=1 && export HEDDLE_INHERIT && run x 1 scenario/openmp.t) | grep -q '^ok'
ok $? 'and on'
if [ -f "$lib" ]; then
  (LD_PRELOAD=$lib && export LD_PRELOAD && run x 1 scenario/plain.t) | grep -q '^ok'
  ok $? 'preloaded'
  (LD_PRELOAD=$lib HEDDLE_INHERIT=0 && export LD_PRELOAD HEDDLE_INHERIT && run x 0 scenario/plain.t) | grep -q '^ok'
  ok $? 'preloaded and switched off'
  out=$(LD_PRELOAD=$lib /bin/sh -c 'echo fine' 2>&1)
  is "$out" fine 'preloaded under a program that knows nothing of Heddle'
else
  skip "$lib is not there"
fi

version=$(readelf --dyn-syms -W "$lib" 2>/dev/null | awk '$8 ~ /^pthread_create/ && $7 != "UND" { print $8 }')
is "$version" pthread_create 'its pthread_create carries no symbol version'
done_testing
