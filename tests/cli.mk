# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "cli"; see tests/local.mk.

slow_tests += tests/cli_bench.t
dist_check_SCRIPTS += tests/cli_bench.t tests/cli_compare.t tests/cli_completion.t tests/cli_convert.t tests/cli_decompose.t \
  tests/cli_errors.t tests/cli_info.t tests/cli_manners.t \
  tests/cli_match.t tests/cli_match_mpi.t tests/cli_peaks.t tests/cli_ultrasound.t tests/cli_wisdom.t
