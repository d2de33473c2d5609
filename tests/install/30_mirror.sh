# SPDX-License-Identifier: BSD-3-Clause
# The template for authors of backends, built and used as they would.

mkdir "$tmp/mirror"
# shellcheck disable=SC2046
$CC -std=gnu11 -Wall -Wextra -Werror -O1 -shared -fPIC $($PKG_CONFIG --cflags heddle-core) \
  -o "$tmp/mirror/mirror.so" "$HEDDLE_TEST_SRCDIR/examples/backend/mirror.c" >"$tmp/err" 2>&1
ok $? 'the template of a backend is built'
build use-mirror heddle "$here/use_mirror.c"
ok $? 'and a program'
HEDDLE_PLUGIN_PATH=$tmp/mirror
export HEDDLE_PLUGIN_PATH
runs use-mirror
ok $? 'which runs'
is "$(cat "$tmp/out")" 'listed 1
mirror 0, plain C
add 2, matmul 2, exp 1
mirror: x + x flipped 30, x + integers 21, x xT 83, exp(0 x) 6
float64 30, by mirror' 'and finds it, chooses it by name, and gets the right results'
(MIRROR_BROKEN=1 && export MIRROR_BROKEN && runs use-mirror >/dev/null 2>&1)
is $? 4 'one that declines cannot be had'
grep -q '^probe .*MIRROR_BROKEN is set' "$tmp/out"
ok $? 'for the reason it gives'
unset HEDDLE_PLUGIN_PATH
