#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Modules and host with different lists of operations; modules of older interfaces. `make installcheck` does the same
# with the installed headers.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/tap.sh"
. "$srcdir/tests/op_lists.sh"
include="-I$srcdir/include -I$builddir/include"
opsdef=$srcdir/include/heddle/ops.def
use=$builddir/tests/scenario/use_lists
HEDDLE_PLUGIN_PATH=$tmp/modules
export HEDDLE_PLUGIN_PATH
test_lists
test_minors
test_layout
test_mirror "$builddir/tests/scenario/use_mirror"
done_testing
