#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the built libraries show to the loader: names, versions, dependencies, flags, TLS.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
command -v nm >/dev/null && command -v readelf >/dev/null || skip_all 'no binutils'
[ -e "$builddir/lib/.libs/libheddle.so" ] || skip_all 'no shared library was built'

# library NAME NODE LIBRARY BYTES: exports hed_NAME@@NODE_n, needs libc, libm and LIBRARY at most, has BYTES of
# thread-local data at most
library() {
  lib=$builddir/lib/.libs/$1.so
  nm -D --defined-only "$lib" | awk '$2 != "A" { print $3 }' >"$tmp/exported"
  none "$(grep -v "^hed_[a-z].*@@$2_[0-9]" "$tmp/exported")" "every symbol that $1 exports is hed_NAME, versioned"
  [ "$(wc -l <"$tmp/exported")" -gt 0 ]
  ok $? "there are symbols ($(($(wc -l <"$tmp/exported"))))"
  if [ "${HEDDLE_TEST_SANITIZERS:-no}" = no ]; then
    none "$(readelf -dW "$lib" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
      grep -Ev "^(${3:-libc}|libc|libm|libdl|libpthread|ld-linux[-a-z0-9_]*)\.so")" "$1 needs nothing but ${3:+$3, }libc and libm"
    tls=$(readelf -lW "$lib" | awk '$1 == "TLS" { print $6 }')
    [ "$((${tls:-0}))" -le $4 ]
    ok $? "thread-local data of at most $4 bytes ($((${tls:-0})))"
  else
    skip 'sanitizers add libraries'
    skip 'sanitizers may add thread-local data'
  fi
  readelf -dW "$lib" | grep -q 'NODELETE'
  ok $? "$1 is never unloaded"
}
library libheddle HEDDLE '' 8
library libheddle-kits HEDDLE_KITS libheddle 0
inherit=$builddir/lib/.libs/libheddle-inherit.so
[ ! -e "$inherit" ] ||
  is "$(nm -D --defined-only "$inherit" | awk '$2 != "A" { print $3 }' | grep -vE '^(GOMP_|__kmpc_)' | tr '\n' ' ')" \
    'pthread_create thrd_create ' 'libheddle-inherit shows, unversioned, what makes threads and entries of OpenMP alone'
for m in "$builddir"/lib/backends/.libs/*.so "$builddir"/tests/backends/.libs/*.so; do
  [ -e "$m" ] || continue
  n=${m##*/}
  case $n in
    faulty.so) # tests steer it
      shown='hed_faulty_control hed_faulty_launch hed_faulty_pointer hed_faulty_query hed_faulty_stream '
      shown="${shown}hed_faulty_violation hed_plugin_entry_v1 " ;;
    *) shown='hed_plugin_entry_v1 ' ;;
  esac
  is "$(nm -D --defined-only "$m" | awk '$2 != "A" { sub("@.*", "", $3); print $3 }' | tr '\n' ' ')" \
    "$shown" "$n shows what it should and nothing else"
  none "$(readelf -dW "$m" | grep NEEDED | grep libheddle)" "$n links to nothing of Heddle"
  readelf -dW "$m" | grep -q NODELETE
  ok $? "$n is never unloaded"
  if [ "${HEDDLE_TEST_SANITIZERS:-no}" = no ]; then
    none "$(readelf -lW "$m" | awk '$1 == "TLS"')" "$n owns no thread-local variables"
  else
    skip 'sanitizers may add thread-local data'
  fi
done
done_testing
