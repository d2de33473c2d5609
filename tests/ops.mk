# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "ops"; see tests/local.mk.
check_PROGRAMS += tests/meaning_elementwise.t tests/api_nn.t tests/fault_alloc_nn.t
valgrind_tests += tests/meaning_elementwise.t tests/api_nn.t
tests_meaning_elementwise_t_SOURCES = tests/meaning_elementwise.c tests/api.h tests/data/elementwise.h
tests_meaning_elementwise_t_LDADD = $(LDADD) -lm
tests_api_nn_t_SOURCES = tests/api_nn.c tests/api.h
tests_api_nn_t_LDADD = $(LDADD) -lm
tests_fault_alloc_nn_t_SOURCES = tests/fault_alloc_nn.c tests/fault.h
check_PROGRAMS += tests/api_halves.t
tests_api_halves_t_SOURCES = tests/api_halves.c tests/api.h
EXTRA_DIST += tests/data/gen_elementwise.py
