#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ThreadSanitizer still sees races of threads that were made through the interposer: a program with one is reported.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
case ${HEDDLE_TEST_SANITIZERS:-no} in
*thread*) ;;
*) skip_all 'only in a build with ThreadSanitizer' ;;
esac
"$builddir/tests/scenario/race_helper" >"$tmp/out" 2>"$tmp/err"
is $? 86 'the sanitizer makes the program fail'
grep -q 'WARNING: ThreadSanitizer: data race' "$tmp/err" && grep -q ' race .*race_helper' "$tmp/err"
ok $? 'because of the race that was put there'
done_testing
