#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The Python package: built against the build folder, then its own tests, a point for each file of them.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"

[ -n "$HEDDLE_TEST_PYTHON" ] || skip_all "${HEDDLE_TEST_PYTHON_WHY:-no Python}"
[ "$HEDDLE_TEST_SANITIZERS" = no ] || skip_all 'a sanitized library cannot be loaded into Python'

# Built from an sdist, which has to hold all that a build reads; made beside a copy of the sources: setuptools writes there.
cp -r "$srcdir/python" "$tmp/python" && chmod -R u+w "$tmp/python" && cd "$tmp/python" || exit 255
PKG_CONFIG_LIBDIR=$tmp/none PKG_CONFIG_PATH='' "$HEDDLE_TEST_PYTHON" setup.py -q build >"$tmp/log" 2>&1
grep -q 'an installed Heddle is needed' "$tmp/log"
ok $? 'without Heddle a build says that it is needed'
PKG_CONFIG_PATH=$builddir "$HEDDLE_TEST_PYTHON" setup.py -q sdist --dist-dir "$tmp/dist" >"$tmp/log" 2>&1
ok $? 'an sdist is made'
mkdir "$tmp/unpacked" && tar -xzf "$tmp"/dist/*.tar.gz -C "$tmp/unpacked" && cd "$tmp"/unpacked/* || exit 255
PKG_CONFIG_PATH=$builddir "$HEDDLE_TEST_PYTHON" setup.py -q build --build-base "$tmp/build" --build-lib "$tmp/lib" \
  >"$tmp/log" 2>&1
built=$?
ok $built 'the package is built from it'
[ $built -eq 0 ] || { diag "$(tail -30 "$tmp/log")"; done_testing; }
none "$(grep -E '^[^ ]+:[0-9]+:.*warning:' "$tmp/log")" 'without a warning of the compiler'

export PYTHONPATH="$tmp/lib" PYTHONDONTWRITEBYTECODE=1
cd "$tmp" || exit 255
for file in "$srcdir"/python/tests/test_*.py; do
  name=$(basename "$file")
  "$HEDDLE_TEST_PYTHON" -m pytest -q -rs -p no:cacheprovider --rootdir "$tmp" --import-mode importlib -c /dev/null \
    "$file" >"$tmp/out" 2>&1
  case $? in
  0) ok 0 "$name: $(tail -1 "$tmp/out")"
    sed -n 's/^SKIPPED [^:]*:[0-9]*: //p' "$tmp/out" >"$tmp/skipped"
    while read -r why; do skip "$name: $why"; done <"$tmp/skipped" ;;
  5) skip "$name: $(grep -m 1 SKIPPED "$tmp/out" | sed 's/.*: //')" ;;
  *) ok 1 "$name"; diag "$(tail -60 "$tmp/out")" ;;
  esac
done
done_testing
