# SPDX-License-Identifier: BSD-3-Clause
# Programs: captured calls against the calls.

check_PROGRAMS += tests/program/calls.t tests/program/nomem.t tests/program/program.t tests/program/results.t

tests_program_calls_t_SOURCES = tests/program/calls.c
tests_program_nomem_t_SOURCES = tests/program/nomem.c tests/fault.h tests/scenario.h
tests_program_program_t_SOURCES = tests/program/program.c tests/program/tangle.h tests/fails.h
tests_program_results_t_SOURCES = tests/program/results.c
