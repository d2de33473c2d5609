# SPDX-License-Identifier: BSD-3-Clause
# The faulty test device itself: streams, order, failures.

check_PROGRAMS += tests/faulty_contract.t
tests_faulty_contract_t_SOURCES = tests/faulty_contract.c tests/mock_host.c tests/mock_host.h
tests_faulty_contract_t_LDADD = $(LDADD) -ldl -lm -lpthread

# Random programs on it.
check_PROGRAMS += tests/faulty_chains.t
tests_faulty_chains_t_SOURCES = tests/faulty_chains.c

# Failing operands of every operation, on the way to every reader; a share of them on a device that exists.
check_PROGRAMS += tests/faulty/matrix.t
tests_faulty_matrix_t_SOURCES = tests/faulty/matrix.c tests/faulty/rows.def tests/conform.h tests/conform_bits.c \
  tests/conform_elementwise.c tests/conform_index.c tests/conform_jobs.c tests/conform_operand.c tests/conform_products.c \
  tests/conform_reduce.c tests/conform_search.c tests/cases.def
tests_faulty_matrix_t_LDADD = $(LDADD) -ldl -lm
dist_check_SCRIPTS += tests/faulty/opencl.t
