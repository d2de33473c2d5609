# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "conform": backends against the reference backend; see tests/local.mk.
check_PROGRAMS += tests/conform.t tests/conform_struct.t
tests_conform_t_SOURCES = tests/conform.c tests/conform.h tests/conform_index.c \
  tests/conform_jobs.c tests/conform_operand.c tests/cases.def
tests_conform_t_SOURCES += tests/conform_elementwise.c
tests_conform_t_SOURCES += tests/conform_reduce.c tests/conform_search.c
tests_conform_t_SOURCES += tests/conform_products.c
tests_conform_struct_t_SOURCES = tests/conform_struct.c tests/narrow.h

# Factorisations and solvers.
check_PROGRAMS += tests/conform_linalg.t
tests_conform_linalg_t_SOURCES = tests/conform_linalg.c tests/linalg.h

# The same and others with the loops for older processors.
dist_check_SCRIPTS += tests/conform_levels.t
slow_tests += tests/conform_levels.t
