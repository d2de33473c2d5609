#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A few operations on the cpu backend, one of a kind, where all of them take too long: on an emulator.
HEDDLE_TEST_BACKEND=cpu exec $HEDDLE_TEST_EMULATOR "${HEDDLE_TEST_BUILDDIR:-.}/tests/conform/conform" \
  divide exp power floor_divide equal sum max mean argmax cumsum sort take
