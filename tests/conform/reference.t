#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every operation of cases.def on the reference backend; see conform.c.
HEDDLE_TEST_BACKEND=reference exec "${HEDDLE_TEST_BUILDDIR:-.}/tests/conform/conform" "$@"
