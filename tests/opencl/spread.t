#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Variances on the opencl backend; see api/reduce/spread.c.
[ "${HEDDLE_TEST_SANITIZERS:-no}" = no ] || { echo "1..0 # SKIP OpenCL does not run with the sanitizers"; exit; }
HEDDLE_TEST_BACKEND=opencl exec "${HEDDLE_TEST_BUILDDIR:-.}/tests/api/reduce/spread.t"
