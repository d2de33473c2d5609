#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `make installcheck`: programs of a stranger, built against the installed tree with pkg-config in a
# folder of their own and a clean environment, and run there.
#
# Each tests/install/*.sh is one group of points, read by this script in the order of the names.  It finds
#   $here     this folder in the source tree       $tmp      the folder to work in
#   $libdir   $bindir   $plugindir                 of the installed tree
#   build OUT PC SOURCE [FLAG...]                  compiles with CC or, for *.cc, CXX, and pkg-config PC
#   runs PROGRAM [ARG...]                          runs it; its output is in $tmp/out, $tmp/err
# and the functions of tests/tap.sh.  A group adds its files to EXTRA_DIST in tests/install/local.mk.
: "${HEDDLE_TEST_SRCDIR:?run this through make installcheck}" "${PKG_CONFIG_PATH:?}" "${libdir:?}"
. "$HEDDLE_TEST_SRCDIR/tests/tap.sh"
here=$srcdir/tests/install
unset HEDDLE_PLUGIN_PATH HEDDLE_BACKEND HEDDLE_TEST_BUILDDIR
: "${PKG_CONFIG:=pkg-config}"
export PKG_CONFIG_PATH
# The home of a stranger: no configuration.
HOME=$tmp
XDG_CONFIG_HOME=$tmp/config
export HOME XDG_CONFIG_HOME
LD_LIBRARY_PATH=$libdir
export LD_LIBRARY_PATH
# shellcheck disable=SC2034
plugindir=$($PKG_CONFIG --variable=plugindir heddle)

build() {
  out=$1 pc=$2 source=$3
  shift 3
  case $source in
    *.cc) compiler="$CXX -std=c++17" ;;
    *) compiler="$CC -std=gnu11" ;;
  esac
  # shellcheck disable=SC2046,SC2086
  if $compiler -Wall -Wextra -Werror -O1 $($PKG_CONFIG --cflags "$pc") "$@" -o "$tmp/$out" "$source" \
    $($PKG_CONFIG --libs "$pc") -pthread >"$tmp/err" 2>&1; then
    return 0
  fi
  diag "$(cat "$tmp/err")"
  return 1
}

runs() {
  program=$1
  shift
  (cd "$tmp" && timeout 60 "./$program" "$@") >"$tmp/out" 2>"$tmp/err"
  status=$?
  [ $status -eq 0 ] || diag "$program: status $status
$(cat "$tmp/out" "$tmp/err")"
  return $status
}

for group in "$here"/*.sh; do
  # shellcheck disable=SC1090
  . "$group"
done
done_testing
