# SPDX-License-Identifier: BSD-3-Clause
# The faulty test device itself: streams, order, failures.

check_PROGRAMS += tests/faulty_contract.t
tests_faulty_contract_t_SOURCES = tests/faulty_contract.c tests/mock_host.c tests/mock_host.h
tests_faulty_contract_t_LDADD = $(LDADD) -ldl -lm -lpthread

# Random programs on it.
check_PROGRAMS += tests/faulty_chains.t
tests_faulty_chains_t_SOURCES = tests/faulty_chains.c
