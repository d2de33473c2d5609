# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "conform"; see tests/local.mk.
check_PROGRAMS += tests/conform_struct.t
tests_conform_struct_t_SOURCES = tests/conform_struct.c
