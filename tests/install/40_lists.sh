# SPDX-License-Identifier: BSD-3-Clause
# Modules built with other lists of operations than the installed one, and the template of a backend as it was with
# interface 1.2.

. "$HEDDLE_TEST_SRCDIR/tests/op_lists.sh"
build use-lists heddle "$here/use_lists.c"
ok $? 'a program that uses modules of other lists is built'
include=$($PKG_CONFIG --cflags heddle-core)
opsdef=$($PKG_CONFIG --variable=includedir heddle-core)/heddle/ops.def
use=$tmp/use-lists
HEDDLE_PLUGIN_PATH=$tmp/modules
export HEDDLE_PLUGIN_PATH
test_lists
test_minors
test_layout
test_mirror "$tmp/use-mirror"
unset HEDDLE_PLUGIN_PATH
