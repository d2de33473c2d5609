#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every operation of cases.def on the opencl backend; see conform.c.
HEDDLE_TEST_BACKEND=opencl exec "${HEDDLE_TEST_BUILDDIR:-.}/tests/conform" "$@"
