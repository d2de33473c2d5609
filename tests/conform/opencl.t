#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every operation of cases.def on the opencl backend; see conform.c. HEDDLE_TEST_FULL=1 takes all types and layouts, for which
# the driver compiles long.
[ "${HEDDLE_TEST_SANITIZERS:-no}" = no ] || { echo '1..0 # SKIP OpenCL does not run with the sanitizers'; exit; }
[ "${HEDDLE_TEST_FULL:-0}" = 1 ] || export HEDDLE_TEST_FEW=1
HEDDLE_TEST_BACKEND=opencl exec "${HEDDLE_TEST_BUILDDIR:-.}/tests/conform/conform" "$@"
