# SPDX-License-Identifier: BSD-3-Clause
# Backends against the reference backend.

# A script a backend, so that they run side by side; what the others do runs the reference's kernels, too.
check_PROGRAMS += tests/conform/failing.t tests/conform/fft.t tests/conform/image.t tests/conform/linalg.t \
  tests/conform/narrow.t tests/conform/struct.t tests/conform/units.t tests/conform/units_kits.t
dist_check_SCRIPTS += tests/conform/cpu.t tests/conform/cuda.t tests/conform/failing_opencl.t tests/conform/faulty.t \
  tests/conform/levels.t tests/conform/opencl.t tests/conform/reference.t
slow_tests += tests/conform/cuda.t tests/conform/levels.t tests/conform/opencl.t tests/conform/reference.t

EXTRA_PROGRAMS += tests/conform/conform
check_DATA += tests/conform/conform
tests_conform_conform_SOURCES = tests/conform/conform.c tests/conform/conform.h tests/conform/rows.h \
  tests/conform/failing.def tests/conform/bits.c tests/conform/steps.c \
  tests/conform/elementwise.c tests/conform/index.c tests/conform/jobs.c tests/conform/operand.c tests/conform/products.c \
  tests/conform/reduce.c tests/conform/search.c tests/conform/special.c tests/conform/truth.c tests/cases.def

# Failing operands of every operation, on the way to every reader; a share of them on a device that exists.
tests_conform_failing_t_SOURCES = tests/conform/failing.c tests/conform/bystanders.h \
  tests/conform/failing.def tests/conform/rows.h tests/conform/conform.h \
  tests/conform/bits.c tests/conform/steps.c \
  tests/conform/elementwise.c tests/conform/index.c tests/conform/jobs.c tests/conform/operand.c tests/conform/products.c \
  tests/conform/reduce.c tests/conform/search.c tests/conform/special.c tests/cases.def
tests_conform_failing_t_LDADD = $(LDADD) -ldl -lm

# What tests/bits compares.
EXTRA_PROGRAMS += tests/conform/hashes
check_DATA += tests/conform/hashes
tests_conform_hashes_SOURCES = tests/conform/hashes.c tests/conform/failing.def tests/conform/rows.h \
  tests/conform/conform.h tests/conform/bits.c tests/conform/steps.c \
  tests/conform/elementwise.c tests/conform/index.c tests/conform/jobs.c tests/conform/operand.c tests/conform/products.c \
  tests/conform/reduce.c tests/conform/search.c tests/conform/special.c tests/cases.def
tests_conform_hashes_LDADD = $(LDADD) -lm

tests_conform_narrow_t_SOURCES = tests/conform/narrow.c tests/calls.h tests/calls.def
tests_conform_struct_t_SOURCES = tests/conform/struct.c tests/narrow.h
tests_conform_linalg_t_SOURCES = tests/conform/linalg.c tests/linalg.h
tests_conform_fft_t_SOURCES = tests/conform/fft.c
tests_conform_image_t_SOURCES = tests/conform/image.c
tests_conform_units_t_SOURCES = tests/conform/units.c tests/calls.h tests/calls.def tests/cases.def
tests_conform_units_kits_t_SOURCES = tests/conform/units_kits.c
tests_conform_units_kits_t_LDADD = $(kits_libs)
