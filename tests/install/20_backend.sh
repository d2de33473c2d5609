# SPDX-License-Identifier: BSD-3-Clause
# A backend built outside the tree against the installed headers: listed, selected by name, computing,
# mixed with the others; and one that cannot be loaded says why.

mkdir "$tmp/modules"
build_module() { # OUT SOURCE [FLAG...]
  out=$1 source=$2
  shift 2
  # shellcheck disable=SC2046
  $CC -std=gnu11 -Wall -Wextra -Werror -O1 -shared -fPIC "$@" $($PKG_CONFIG --cflags heddle-core) \
    -o "$tmp/modules/$out" "$source" >"$tmp/err" 2>&1 && return 0
  diag "$(cat "$tmp/err")"
  return 1
}
build_module strange.so "$here/backend.c"
ok $? 'a backend is built'
none "$(ldd "$tmp/modules/strange.so" | grep heddle)" 'it links to nothing of Heddle'
build use heddle "$here/use_backend.c"
ok $? 'a program is built'

HEDDLE_PLUGIN_PATH=$tmp/modules
export HEDDLE_PLUGIN_PATH
runs use
ok $? 'the program finds it by name'
is "$(cat "$tmp/out")" 'listed 1
in force strange
square 2, sum 1, sort of float64 1
7 9 13 19 27 37 on strange, sum 112
one strange device, 2 calls so far' 'and computes on it, the rest through the reference backend'
(HEDDLE_BACKEND='strange;threads=3' && export HEDDLE_BACKEND && runs hello)
ok $? 'the environment can make it the default'
(HEDDLE_DISABLE=strange && export HEDDLE_DISABLE && runs use >/dev/null 2>&1)
is $? 4 'and can switch it off'

# A module with an undefined symbol: the loader's own words.
printf '%s\n' 'int missing_symbol_of_nobody(void);' 'int hed_plugin_entry_v1(void);' \
  'int hed_plugin_entry_v1(void) { return missing_symbol_of_nobody(); }' >"$tmp/broken.c"
build_module broken.so "$tmp/broken.c"
ok $? 'a module with a missing symbol is built'
runs use broken >/dev/null 2>&1
is $? 4 'it is not usable'
grep -q 'open: .*broken\.so: .*missing_symbol_of_nobody' "$tmp/out"
ok $? 'and the report has the path, the stage and the name of the symbol'
echo 'this is text' >"$tmp/modules/text.so"
runs use text >/dev/null 2>&1
is $? 4 'a file that is no module is not usable'
grep -q 'open: .*text\.so: ' "$tmp/out"
ok $? 'and says so'
HEDDLE_PLUGIN_PATH=modules
(cd "$tmp" && runs use >/dev/null 2>&1)
is $? 4 'a relative folder is not searched'
unset HEDDLE_PLUGIN_PATH
