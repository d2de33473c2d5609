#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Products of matrices on cuda, with and without TF32, by the two libraries and by either alone; see cuda/products.c.
. "${HEDDLE_TEST_SRCDIR:-$(dirname "$0")/../..}/tests/cuda.sh"
for lacking in none libcublas libcublasLt; do
  folder=$shim
  [ $lacking = none ] || folder=$(shim_without $lacking)
  LD_LIBRARY_PATH=$folder "$builddir/tools/heddle" info >"$tmp/info" 2>&1
  [ $lacking = none ] || { grep -q "$lacking[^;]* has no cublas" "$tmp/info"; ok $? "$lacking is empty"; }
  LD_LIBRARY_PATH=$folder "$builddir/tests/cuda/products" >"$tmp/out" 2>&1
  ok $? "$lacking lacking: $(grep -c '^ok' "$tmp/out") points"
  grep -A3 -e '^not ok' "$tmp/out" >"$tmp/bad" && diag "$(cat "$tmp/bad")"
done
done_testing
