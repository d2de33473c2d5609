# SPDX-License-Identifier: BSD-3-Clause
# The asynchronous template for authors of backends, built and used as they would.

mkdir "$tmp/relay"
# shellcheck disable=SC2046
$CC -std=gnu11 -Wall -Wextra -Werror -O1 -shared -fPIC $($PKG_CONFIG --cflags heddle-core) \
  -o "$tmp/relay/relay.so" "$HEDDLE_TEST_SRCDIR/examples/backend/relay.c" -pthread >"$tmp/err" 2>&1
ok $? 'the template of an asynchronous backend is built'
build use-relay heddle "$here/use_relay.c"
ok $? 'and a program'
HEDDLE_PLUGIN_PATH=$tmp/relay
export HEDDLE_PLUGIN_PATH
runs use-relay
ok $? 'which runs'
is "$(cat "$tmp/out")" 'relay: 4 threads that work later
first 700.5, second 400
flipped: 1200 to 201
sqrt by another: 1' 'two threads go through chains on streams of their own'
unset HEDDLE_PLUGIN_PATH
