#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Failing operands on the opencl backend, for a few operations, on two devices where PoCL makes them; see failing.c.
[ "${HEDDLE_TEST_SANITIZERS:-no}" = no ] || { echo '1..0 # SKIP OpenCL does not run with the sanitizers'; exit; }
export POCL_DEVICES="${POCL_DEVICES:-pthread pthread}"
exec "${HEDDLE_TEST_BUILDDIR:-.}/tests/conform/failing.t" opencl
