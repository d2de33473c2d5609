#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# emulated.sh EMULATOR... TEST: runs a test of another processor, where TEST is a script by what it starts itself
# ($HEDDLE_TEST_EMULATOR).
for test; do :; done
case $(head -c 2 "$test") in
  '#!') HEDDLE_TEST_EMULATOR=${*%"$test"}; export HEDDLE_TEST_EMULATOR; exec "$test" ;;
esac
exec "$@"
