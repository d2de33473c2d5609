# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "io"; see tests/local.mk.
check_PROGRAMS += tests/interop_dlpack.t
valgrind_tests += tests/interop_dlpack.t
tests_interop_dlpack_t_SOURCES = tests/interop_dlpack.c
dist_check_SCRIPTS += tests/interop_numpy.t
EXTRA_DIST += tests/interop_numpy.py
