# SPDX-License-Identifier: BSD-3-Clause
# Tests of the area "conform": backends against the reference backend; see tests/local.mk.
EXTRA_PROGRAMS += tests/conform
check_DATA += tests/conform
tests_conform_SOURCES = tests/conform.c tests/conform.h tests/conform_bits.c tests/conform_elementwise.c tests/conform_index.c \
  tests/conform_jobs.c tests/conform_operand.c tests/conform_products.c tests/conform_reduce.c tests/conform_special.c \
  tests/conform_search.c tests/conform_truth.c tests/cases.def
# A script a backend, so that they run side by side.
dist_check_SCRIPTS += tests/conform_reference.t tests/conform_cpu.t tests/conform_faulty.t tests/conform_opencl.t
# What the others do runs the reference's kernels, too.
slow_tests += tests/conform_reference.t tests/conform_opencl.t

check_PROGRAMS += tests/conform_struct.t
tests_conform_struct_t_SOURCES = tests/conform_struct.c tests/narrow.h

# Factorisations and solvers.
check_PROGRAMS += tests/conform_linalg.t
tests_conform_linalg_t_SOURCES = tests/conform_linalg.c tests/linalg.h

# The same and others with the loops for older processors.
dist_check_SCRIPTS += tests/conform_levels.t
slow_tests += tests/conform_levels.t
