# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "base"; see tests/local.mk.
check_PROGRAMS += tests/base_random.t
tests_base_random_t_SOURCES = tests/base_random.c
tests_base_random_t_LDADD = $(internal_libs)
