#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Failing operands of the nn kit on the opencl backend, for some of its functions; see failing.c.
[ "${HEDDLE_TEST_SANITIZERS:-no}" = no ] || { echo '1..0 # SKIP OpenCL does not run with the sanitizers'; exit; }
exec "${HEDDLE_TEST_BUILDDIR:-.}/tests/nn/failing.t" opencl
