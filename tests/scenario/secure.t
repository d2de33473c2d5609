#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A program with more rights than its caller (set-user-ID root) does not let the caller decide what code it loads:
# nothing of HEDDLE_PLUGIN_PATH, nothing from the working directory, nothing that others may write.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"

[ "$(id -u)" = 0 ] || skip_all 'only root can make a set-user-ID program of root'
[ "${HEDDLE_TEST_SANITIZERS:-no}" = no ] || skip_all 'sanitizers do not support privileged programs'
command -v setpriv >/dev/null 2>&1 || skip_all 'no setpriv'
module=$builddir/tests/modules/.libs/chameleon.so
helper=$builddir/tests/scenario/.libs/secure_helper
[ -x "$helper" ] || helper=$builddir/tests/scenario/secure_helper
[ -f "$module" ] || skip_all "$module is not built"

chmod 755 "$tmp"
cp "$helper" "$tmp/helper" && chown root "$tmp/helper" && chmod 4755 "$tmp/helper"
mkdir "$tmp/hostile" "$tmp/shared" "$tmp/clean" "$tmp/cwd"
for d in hostile shared clean cwd; do
  cp "$module" "$tmp/$d/evil.so"
  chmod 755 "$tmp/$d/evil.so"
done
cp "$module" "$tmp/clean/linked.so"
chown 65534 "$tmp/hostile" "$tmp/hostile/evil.so"
chmod 777 "$tmp/shared"
chmod 775 "$tmp/cwd"
ln -s "$tmp/hostile/evil.so" "$tmp/clean/swapped.so"

# as_nobody PROGRAM ARG...: with the caller's rights gone before the program starts
as_nobody() {
  (cd "$tmp/cwd" && setpriv --reuid=65534 --regid=65534 --clear-groups "$@") >"$tmp/out" 2>"$tmp/err"
  cat "$tmp/err" >>"$tmp/said"
}
value() { grep "^$1|" "$tmp/out" | head -1 | cut -d'|' -f"$2"; }

HEDDLE_PLUGIN_PATH="$tmp/hostile:$tmp/clean:.:relative"
export HEDDLE_PLUGIN_PATH
as_nobody "$tmp/helper" evil "$tmp/hostile/evil.so"
if [ "$(value secure 2)" != 1 ]; then
  diag "$(cat "$tmp/out" "$tmp/err")"
  skip_all 'set-user-ID has no effect here (mounted nosuid, or in a user namespace)'
fi
is "$(value require 2)" -5 'a privileged program does not find a module of HEDDLE_PLUGIN_PATH'
is "$(value setting 2; grep '^setting|plugin_path' "$tmp/out" | cut -d'|' -f4)" 'backend
default' 'the variable is not read at all'
is "$(value load 2)" -6 'a file that another user owns is refused, given by path'
grep '^load|' "$tmp/out" | grep -q 'privileged'
ok $? 'and the sentence says why'

as_nobody "$tmp/helper" evil "$tmp/shared/evil.so"
is "$(value load 2)" -6 'a file in a folder that everybody may write is refused'
as_nobody "$tmp/helper" evil "$tmp/cwd/evil.so"
is "$(value load 2)" -6 'a file in a folder that its group may write is refused'
as_nobody "$tmp/helper" evil "$tmp/clean/swapped.so"
is "$(value load 2)" -6 'a link to another user'\''s file is refused'
as_nobody "$tmp/helper" linked "$tmp/clean/linked.so"
is "$(value load 2)" 0 'a file of root in a folder of root is loaded'

# None of the refused ones was opened: the module's constructor would have said so.
is "$(grep -c 'code of evil ran' "$tmp/said")" 0 'code of what was refused never ran'

# The same program without privileges reads the variable. The build tree may be closed to others, so it brings its library.
cp "$helper" "$tmp/plain" && chmod 755 "$tmp/plain"
cp "$builddir"/lib/.libs/libheddle.so.0 "$tmp/" && chmod 755 "$tmp/libheddle.so.0"
LD_LIBRARY_PATH="$tmp${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export LD_LIBRARY_PATH
HEDDLE_PLUGIN_PATH="relative:$tmp/clean"
as_nobody "$tmp/plain" evil
is "$(value secure 2)$(value require 2)" 00 'without privileges the same program loads it'
is "$(grep -c 'code of evil ran' "$tmp/err")" 1 'and its code runs'
HEDDLE_PLUGIN_PATH=".:relative"
as_nobody "$tmp/plain" evil
is "$(value require 2)" -5 'but never from a relative entry or the working directory'
done_testing
