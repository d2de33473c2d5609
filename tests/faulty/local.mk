# SPDX-License-Identifier: BSD-3-Clause
# Failing operands of every operation, on the way to every reader; a share of them on a device that exists.

check_PROGRAMS += tests/faulty/matrix.t
dist_check_SCRIPTS += tests/faulty/opencl.t

tests_faulty_matrix_t_SOURCES = tests/faulty/matrix.c tests/faulty/rows.def tests/conform/conform.h tests/conform/bits.c \
  tests/conform/elementwise.c tests/conform/index.c tests/conform/jobs.c tests/conform/operand.c tests/conform/products.c \
  tests/conform/reduce.c tests/conform/search.c tests/cases.def
tests_faulty_matrix_t_LDADD = $(LDADD) -ldl -lm
