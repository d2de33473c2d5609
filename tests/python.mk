# SPDX-License-Identifier: BSD-3-Clause
# Tests of the Python package; see tests/local.mk.

dist_check_SCRIPTS += tests/python.t
slow_tests += tests/python.t
