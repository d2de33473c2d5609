# SPDX-License-Identifier: BSD-3-Clause
# Checks of the sources and of what was built from them.  They are not run under sanitizers.

lint_tests = \
  tests/lint/banned.t \
  tests/lint/docs.t \
  tests/lint/faults.t \
  tests/lint/headers_c.t tests/lint/headers_plain.t \
  tests/lint/headers_cxx.t \
  tests/lint/interface.t \
  tests/lint/kernels.t \
  tests/lint/layers.t \
  tests/lint/pages.t \
  tests/lint/release.t \
  tests/lint/style.t \
  tests/lint/symbols.t
dist_check_SCRIPTS += $(lint_tests)
