# SPDX-License-Identifier: BSD-3-Clause
# Tests of operations through the public interface; see tests/local.mk.

api_tests = tests/api_list.t tests/api_dtypes.t tests/api_elementwise.t
check_PROGRAMS += $(api_tests)
valgrind_tests += $(api_tests)
tests_api_list_t_SOURCES = tests/api_list.c tests/api.h
tests_api_dtypes_t_SOURCES = tests/api_dtypes.c tests/api.h
tests_api_elementwise_t_SOURCES = tests/api_elementwise.c tests/api.h
